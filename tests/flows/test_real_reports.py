"""Commits of real repositories -> their comments, byte for byte. Needs clones: `make bench-quality MIRROR=path` names their folder.

One of each kind: a new override that no caller shows, a bug fix with its tests, and nothing to say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.rendering.comment import CommentOptions, render_comment
from index.engine import Engine

MIRROR = os.environ.get("MIRROR", "")
RENDERED = Path(__file__).parent.parent / "rendered" / "real"
REPORTS = (
    #  clone               commit
    ("pallets+werkzeug", "f88164a271dd3e86a3241389ddc5c53eca4b9e4a"),
    ("trpc+trpc", "2b8a4f826d3b22829343cebd9b23e163dfeecd09"),
    ("pallets+werkzeug", "cc89c44f3819295b8f34b47b3e111ef2475cc441"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@pytest.mark.skipif(not MIRROR, reason="needs clones of real repositories: set MIRROR to a folder of them (owner+name/repo)")
@pytest.mark.parametrize(("clone", "commit"), REPORTS, ids=[f"{clone}-{commit[:9]}" for clone, commit in REPORTS])
def test_the_comment_of_a_real_commit(clone: str, commit: str, home: Path, request: pytest.FixtureRequest) -> None:
    repository = Path(MIRROR) / clone / "repo"
    if not repository.is_dir():
        pytest.skip(f"MIRROR holds no clone {clone}/repo")
    with Engine.open(str(repository), home) as engine:
        report = engine.impact(f"{commit}^...{commit}")
    body = render_comment(report, CommentOptions(commands=False)).body
    path = RENDERED / f"{clone.partition('+')[2]}-{commit[:9]}.md"
    if request.config.getoption("--write-rendered"):
        path.write_text(body, "utf-8")

    assert body == path.read_text("utf-8")
