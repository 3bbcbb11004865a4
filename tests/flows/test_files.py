"""`maguyva impact --html FILE --sarif FILE`: what goes into files beside what is printed."""

from __future__ import annotations

import json
from pathlib import Path

from support.command import maguyva
from support.repositories import a_repository


def test_a_page_and_sarif_are_written_beside_the_report(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    shop.commit({"tax.py": "def rate(country):\n    return 1\n", "a.py": "from tax import rate\n\n\ndef total():\n    return rate('BE')\n"})
    shop.branch("feature")
    shop.commit({"tax.py": "def rate(country, year):\n    return 1\n"})
    page, sarif = tmp_path / "report.html", tmp_path / "report.sarif"

    done = maguyva("impact", "main...feature", "--json", "--html", str(page), "--sarif", str(sarif), repo=shop.path, home=tmp_path / "home")
    nowhere = maguyva("impact", "main...feature", "--html", str(tmp_path / "no" / "x"), repo=shop.path, home=tmp_path / "home")

    assert (done.code, done.errors) == (0, "")
    assert json.loads(done.out)["summary"]["breaking"] == 1
    assert len(json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]) == 1
    assert page.read_text("utf-8").startswith("<!doctype html>") and "missing argument" in page.read_text("utf-8")
    assert nowhere.fails_with(2, "cannot be written", "No such file")
