"""The service is killed while deliveries come in: nothing that was answered with 202 is lost, and nothing is said twice.

A short run of what `python -m support.kills 500 20 [postgres|fleet]` and `make kills` do at length.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import kills, postgres

pytestmark = pytest.mark.anyio


@pytest.fixture
def database() -> Iterator[str]:
    with postgres.a_postgres() as address:
        yield address


async def test_killed_on_sqlite(tmp_path: Path) -> None:
    result = await kills.run(tmp_path, deliveries=20, kills=2, pulls=5)

    assert result.is_perfect, result


@pytest.mark.skipif(not postgres.is_there(), reason="there is no PostgreSQL on this machine")
async def test_killed_on_postgres(tmp_path: Path, database: str) -> None:
    result = await kills.run(tmp_path, deliveries=20, kills=2, pulls=5, database=database)

    assert result.is_perfect, result


@pytest.mark.skipif(not postgres.is_there(), reason="there is no PostgreSQL on this machine")
async def test_workers_that_are_killed_and_never_come_back(tmp_path: Path, database: str) -> None:
    with kills.a_store() as store:
        result = await kills.run(tmp_path, deliveries=20, kills=2, pulls=5, database=database, store=store)

    assert result.is_perfect and result.shared, result
