"""`.maguyva.yml` of a real repository: what it asks for, and from where it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.rendering.comment import render_comment
from index.config import ConfigFound, read_config
from index.engine import Engine
from index.impact.as_json import as_json
from support.command import maguyva
from support.pages import CONFIGURATION_EXAMPLE
from support.repositories import Executable, SymlinkTo, TinyRepository, a_repository

SHOP = {
    "shop/tax.py": "def rate(country):\n    return 0.21\n",
    "shop/invoice.py": "from shop.tax import rate\n\n\ndef total(net, country):\n    return net * rate(country)\n",
    "old/report.py": "from shop.tax import rate\n\n\ndef lines(rows):\n    return [rate(row) for row in rows]\n",
    "checks/invoice.py": "from shop.invoice import total\n\n\ndef test_total():\n    assert total(100, 'BE') == 121\n",
}
YEAR = {"shop/tax.py": "def rate(country, year):\n    return 0.21\n"}
OTHER_BODY = {"shop/tax.py": "def rate(country):\n    return 0.22\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def a_shop(tmp_path: Path, settings: str, change: dict[str, str]) -> TinyRepository:
    repository = a_repository(tmp_path / "shop")
    repository.commit({**SHOP, ".maguyva.yml": settings} if settings else SHOP, "A shop")
    repository.branch("feature")
    repository.commit(change, "A change")
    return repository


def impact(repository: TinyRepository, home: Path, config: ConfigFound | None = None) -> dict[str, Any]:
    with Engine.open(repository.path, home) as engine:
        return as_json(engine.impact("main...feature", config))


def comment_of(repository: TinyRepository, home: Path) -> str:
    with Engine.open(repository.path, home) as engine:
        return render_comment(engine.impact("main...feature")).body


def places(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(f"{row['path']}:{row['line']}" for row in rows)


def test_files_that_are_left_out_are_walked_through_and_not_told(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "paths: {exclude: [old/]}", YEAR)

    report = impact(shop, home)

    assert places(report["breaks"]) == ["shop/invoice.py:5"]
    assert report["ranked"][0]["direct"] == 1
    assert [one["package"] for one in report["packages"]] == ["shop", "checks"]


def test_changes_in_files_that_are_left_out_are_counted(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "paths: {include: [checks/]}", YEAR)

    report = impact(shop, home)

    assert report["quiet"] == "Only files that `.maguyva.yml` leaves out changed."
    assert "1 changed file is left out by `.maguyva.yml`" in report["notes"]


def test_tests_are_where_the_settings_say(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "paths: {tests: [checks/]}", OTHER_BODY)

    report = impact(shop, home)

    assert report["ranked"][0]["tests"] == 1
    assert {one["symbol"]["path"] for one in report["reached"]} == {"old/report.py", "shop/invoice.py"}


def test_the_settings_of_the_head_are_not_used(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "", {**YEAR, ".maguyva.yml": "paths:\n  exclude: ['**']\n  exlude: []\n"})

    report = impact(shop, home)

    assert places(report["breaks"]) == ["old/report.py:5", "shop/invoice.py:5"]
    assert "the settings of the base were used: what this changes in `.maguyva.yml` holds once it is merged" in report["notes"]
    told = [one for one in report["problems"] if one["path"] == ".maguyva.yml"]
    assert told == [
        {
            "path": ".maguyva.yml",
            "line": 3,
            "message": "there is no key `paths.exlude`: did you mean `paths.exclude`? (once this is merged)",
        }
    ]


def test_a_mistake_stands_at_the_top_of_the_comment_and_of_the_terminal(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "paths:\n  exlude: [old/]\n", YEAR)
    said = "there is no key `paths.exlude`: did you mean `paths.exclude`?"

    comment = comment_of(shop, home)
    terminal = maguyva("impact", "main...feature", repo=shop.path, home=home).out

    assert f"`.maguyva.yml` line 2: {said}" in comment.split("**Will break")[0]
    assert f".maguyva.yml line 2: {said}" in terminal.split("Will break (")[0]


def test_the_gate_is_that_of_the_settings_unless_the_command_line_says_otherwise(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "check: {fail_on: breaks}", YEAR)

    assert maguyva("impact", "main...feature", repo=shop.path, home=home).code == 1
    assert maguyva("impact", "main...feature", "--fail-on", "never", repo=shop.path, home=home).code == 0


def test_other_settings_can_be_tried_out(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "", YEAR)
    (tmp_path / "mine.yml").write_text("paths: {exclude: [old/]}")
    (tmp_path / "wrong.yml").write_text("paths: {exlude: []}\nsections: 1")

    right = maguyva("impact", "main...feature", "--json", "--config", str(tmp_path / "mine.yml"), repo=shop.path, home=home)
    wrong = maguyva("impact", "main...feature", "--config", str(tmp_path / "wrong.yml"), repo=shop.path, home=home)
    missing = maguyva("impact", "main...feature", "--config", str(tmp_path / "none.yml"), repo=shop.path, home=home)

    assert places(json.loads(right.out)["breaks"]) == ["shop/invoice.py:5"]
    assert (wrong.code, wrong.errors.count("\n")) == (2, 3)
    assert "line 1: there is no key `paths.exlude`: did you mean `paths.exclude`?" in wrong.errors
    assert (missing.code, "No such file" in missing.errors) == (2, True)


def test_silence_is_about_the_comment_and_not_about_the_report(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "comment: {when: breaks}", OTHER_BODY)
    why = "Nothing will break, and `.maguyva.yml` asks for a comment only then."

    comment = comment_of(shop, home)
    terminal = maguyva("impact", "main...feature", repo=shop.path, home=home).out

    assert comment.splitlines()[2:] == [f"**No comment.** {why}"]
    assert "Blast radius" in terminal and f"No comment would be written: {why}" in terminal


def test_sections_can_be_switched_off(tmp_path: Path, home: Path) -> None:
    shop = a_shop(tmp_path, "sections: {graph: off, paths: off, ranked: off, run_first: off}", YEAR)

    comment = comment_of(shop, home)

    assert "**Will break (2)**" in comment
    assert not any(word in comment for word in ("mermaid", "Why is each site", "Changed symbols", "Run first"))


@pytest.mark.parametrize("content", [SymlinkTo("/etc/passwd"), b"#" * 2_000_000], ids=["link", "large"])
def test_a_file_that_can_not_be_read_is_said(content: Any, tmp_path: Path, home: Path) -> None:
    repository = a_repository(tmp_path / "shop")
    repository.commit({**SHOP, ".maguyva.yml": content}, "A shop")
    repository.branch("feature")
    repository.commit(YEAR, "A change")

    told = [one for one in impact(repository, home)["problems"] if one["path"] == ".maguyva.yml"]

    assert any("the defaults are used" in one["message"] for one in told)


def test_a_file_under_another_name_is_said(tmp_path: Path, home: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    shop.commit({**SHOP, ".maguyva.yaml": "", "run.sh": Executable("x")}, "A shop")
    shop.branch("feature")
    shop.commit(YEAR, "A change")

    assert {"path": ".maguyva.yaml", "line": 0, "message": "is not read: call it `.maguyva.yml`, at the top"} in impact(shop, home)[
        "problems"
    ]


def test_the_example_of_the_page_is_right() -> None:
    assert read_config(CONFIGURATION_EXAMPLE.encode()).problems == ()
