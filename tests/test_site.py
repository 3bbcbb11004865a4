"""The documentation as a web site: no page is forgotten, and no link leads nowhere."""

from __future__ import annotations

from pathlib import Path

from support.site import ROOT, SECTIONS, build


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    done = build(tmp_path / "site")

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "out" / "docs" / "action.html").exists()


def test_every_page_is_in_the_navigation() -> None:
    listed = {page for _, pages in SECTIONS for page in pages}

    assert {str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")} - listed == set()
    assert [page for page in sorted(listed) if not (ROOT / page).exists()] == []
