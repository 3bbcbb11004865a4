"""What is remembered between jobs, and at what pace an installation is written to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pace import Pace, next_slot
from bot.records import Records, Run
from bot.types import RepositoryRef

pytestmark = pytest.mark.anyio


class Now:
    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
async def records(tmp_path: Path, now: Now) -> AsyncIterator[Records]:
    made = Records(f"sqlite:///{tmp_path / 'queue.sqlite'}", now)
    made.create()
    yield made
    made.close()


SHOP = RepositoryRef(42, "acme/shop", 9, True, "main")


# ---- the pace


@given(
    st.lists(st.floats(0, 5_000), min_size=1, max_size=300),
    st.integers(2, 40),
    st.integers(40, 200),
)
def test_however_writes_arrive_no_window_holds_too_many(arrivals: list[float], minute: int, hour: int) -> None:
    pace = Pace(minute=minute, hour=hour, gap=0.5)
    made: list[float] = []
    for arrival in sorted(arrivals):
        made.append(next_slot(made, arrival, pace))

    for at in made:
        assert sum(at <= other < at + 59.999 for other in made) <= minute
        assert sum(at <= other < at + 3_599.999 for other in made) <= hour
    assert all(later - earlier >= 0.499 for earlier, later in pairwise(made))


def test_somebody_who_waits_is_let_through_but_not_over_githubs_limit() -> None:
    pace = Pace(minute=3, urgent_minute=4, gap=1.0)
    written = [100.0, 101.0, 102.0]

    assert next_slot(written, 102.0, pace) == 160.0
    assert next_slot(written, 102.0, pace, urgent=True) == 102.0
    assert next_slot([*written, 102.0], 102.5, pace, urgent=True) == 160.0


async def test_a_moment_is_given_once(records: Records, now: Now) -> None:
    waits = await asyncio.gather(*(records.reserve_write(9, Pace(gap=1.0)) for _ in range(10)))

    assert sorted(round(wait) for wait in waits) == list(range(10))
    assert await records.reserve_write(10, Pace(gap=1.0)) == 0  # another installation


async def test_a_moment_too_far_away_is_told_and_not_taken(records: Records, now: Now) -> None:
    pace = Pace(minute=2, gap=0.0)
    await records.reserve_write(9, pace)
    await records.reserve_write(9, pace)

    assert await records.reserve_write(9, pace, longest=5.0) == 60.0
    now.time += 60
    assert await records.reserve_write(9, pace, longest=5.0) == 0.0


# ---- turns, repositories, pull requests


async def test_the_newest_turn_is_the_latest_in_whatever_order_they_are_noted(records: Records) -> None:
    await asyncio.gather(*(records.note_turn("repository 42 pull 7", 42, turn, f"head {turn}") for turn in (5, 3, 20, 1)))

    assert await records.newest_turn("repository 42 pull 7") == (20, "head 20")
    assert await records.newest_turn("repository 42 pull 8") == (0, "")


async def test_a_renamed_repository_is_the_same_one(records: Records) -> None:
    await records.keep_repository(SHOP)
    await records.note_index(42, "abc")
    await records.keep_repository(RepositoryRef(42, "acme/store", 9))  # an event that does not tell the default branch

    known = await records.repository(42)
    assert known is not None
    assert (known.ref.full_name, known.ref.default_branch, known.indexed) == ("acme/store", "main", "abc")


async def test_acknowledgements_add_up(records: Records) -> None:
    await asyncio.gather(*(records.acknowledge(42, 7, f"{number:08x}") for number in range(5)))
    await records.note_pull(42, 7, head="abc")

    assert (await records.pull(42, 7)).acknowledged == {f"{number:08x}" for number in range(5)}


async def test_forgetting_leaves_nothing(records: Records, tmp_path: Path) -> None:
    secret = "zebra-crossing"
    await records.keep_repository(RepositoryRef(42, f"acme/{secret}", 9))
    await records.note_turn("repository 42 pull 7", 42, 1)
    await records.note_pull(42, 7, base_ref=secret, summary=secret)
    await records.keep_draft("i9:r42:analyse", 42, {"body": secret})
    await records.note_run(Run("analyse", "done", repository=42, says=secret))
    await records.reserve_write(9, Pace())

    await records.forget_repositories([42])
    await records.forget_installation(9)

    with records.engine.connect() as connection:
        left = [connection.exec_driver_sql(f"select count(*) from {table}").scalar() for table in
                ("maguyva_installations", "maguyva_repositories", "maguyva_turns", "maguyva_pulls", "maguyva_drafts", "maguyva_runs",
                 "maguyva_writes")]  # fmt: skip
    assert left == [0] * 7


async def test_a_chore_is_due_for_one_of_many_processes(records: Records, now: Now) -> None:
    due = await asyncio.gather(*(records.due("reconcile", 60.0) for _ in range(5)))
    assert sorted(due) == [False] * 4 + [True]

    now.time += 61
    assert await records.due("reconcile", 60.0)


async def test_tables_of_another_version_are_made_anew(records: Records) -> None:
    await records.keep_repository(SHOP)
    records.create()
    assert await records.repository(42) is not None

    await records.note_fact("schema", "0")
    records.create()
    assert await records.repository(42) is None


async def test_what_may_be_used_once_is_used_once(records: Records) -> None:
    assert [await records.claim("state 1"), await records.claim("state 1"), await records.claim("state 2")] == [True, False, True]
