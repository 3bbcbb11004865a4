"""`--write-rendered` rewrites the files under tests/rendered; then read the diff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

RENDERED = Path(__file__).parent.parent / "rendered"


@pytest.fixture
def check_rendered(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """(file name, text): fails where the file says something else."""

    def check(name: str, text: str) -> None:
        path = RENDERED / name
        if request.config.getoption("--write-rendered"):
            path.write_text(text, "utf-8")
        assert path.exists(), f"tests/rendered/{name} is missing: run with --write-rendered"
        assert text == path.read_text("utf-8"), f"tests/rendered/{name} differs: run with --write-rendered and read the diff"

    return check
