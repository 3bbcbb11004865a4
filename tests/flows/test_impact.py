"""Whole stories through the real command, on small real repositories."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from index.impact.as_json import schema
from support.command import maguyva
from support.repositories import DELETED, RenamedFrom, TinyRepository, a_repository

AS_PUBLISHED = jsonschema_rs.validator_for(schema(strict=True))
SHOP = {
    "shop/__init__.py": "from shop.tax import rate\n",
    "shop/tax.py": "def rate(country):\n    return 0.21\n\n\ndef old_total(net):\n    return net\n",
    "shop/invoice.py": "from shop import rate\n\n\ndef total(net, country):\n    return net + net * rate(country)\n",
    "shop/report.py": "from shop.invoice import total\n\n\ndef monthly(rows):\n    return [total(net, 'BE') for net in rows]\n",
    "shop/legacy.py": "from shop.tax import old_total\n\n\ndef print_total(net):\n    print(old_total(net))\n",
    "tests/test_invoice.py": "from shop.invoice import total\n\n\ndef test_total():\n    assert total(100, 'BE') == 121\n",
    "README.md": "# Shop\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> TinyRepository:
    repository = a_repository(tmp_path / "shop")
    repository.commit(SHOP, "A shop")
    repository.branch("feature")
    return repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def impact(repository: TinyRepository, home: Path, compared: str = "main...feature") -> dict[str, object]:
    ran = maguyva("impact", compared, "--json", repo=repository.path, home=home)
    assert (ran.code, ran.errors) == (0, "")
    found: dict[str, object] = json.loads(ran.out)
    AS_PUBLISHED.validate(found)
    return found


def places(report: dict[str, object], what: str) -> list[str]:
    rows = report[what]
    assert isinstance(rows, list)
    return sorted(f"{(row.get('site') or row)['path']}:{(row.get('site') or row)['line']}" for row in rows)


def test_a_new_required_parameter_breaks_the_call_that_does_not_give_it(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": SHOP["shop/tax.py"].replace("rate(country)", "rate(country, year)")}, "Rates by year")

    report = impact(shop, home)

    assert places(report, "breaks") == ["shop/invoice.py:5"]


def test_a_removed_function_breaks_who_still_imports_it(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": "def rate(country):\n    return 0.21\n"}, "Drop the old total")

    report = impact(shop, home)

    assert "shop/legacy.py:1" in places(report, "breaks")


def test_a_changed_body_reaches_callers_of_callers_and_names_the_test(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": SHOP["shop/tax.py"].replace("0.21", "0.19")}, "Another rate")

    report = impact(shop, home)

    assert places(report, "breaks") == []
    reached = report["reached"]
    assert isinstance(reached, list)
    assert {row["symbol"]["qualified"] for row in reached} >= {"total", "monthly"}
    tests = report["tests"]
    assert isinstance(tests, list)
    assert tests[0]["id"] == "tests/test_invoice.py::test_total"


def test_a_changed_page_is_silent(shop: TinyRepository, home: Path) -> None:
    shop.commit({"README.md": "# The shop\n"}, "Better words")

    assert impact(shop, home)["quiet"]


def test_a_comment_and_formatting_are_silent(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/invoice.py": SHOP["shop/invoice.py"].replace("    return net + ", "    # VAT\n    return  net +  ")}, "Comment")

    assert impact(shop, home)["quiet"]


def test_a_moved_file_breaks_nobody_who_follows_it(shop: TinyRepository, home: Path) -> None:
    files = {
        "shop/vat.py": RenamedFrom("shop/tax.py"),
        "shop/__init__.py": "from shop.vat import rate\n",
        "shop/legacy.py": SHOP["shop/legacy.py"].replace("shop.tax", "shop.vat"),
    }
    shop.commit(files, "Call it VAT")

    assert places(impact(shop, home), "breaks") == []


def test_what_is_not_committed_yet_counts(shop: TinyRepository, home: Path) -> None:
    shop.write({"shop/tax.py": SHOP["shop/tax.py"].replace("rate(country)", "rate(country, year)")})

    report = impact(shop, home, "main...")

    assert places(report, "breaks") == ["shop/invoice.py:5"]


def test_only_what_the_branch_did_counts_when_the_base_moved_on(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/report.py": SHOP["shop/report.py"].replace("'BE'", "'NL'")}, "Dutch")
    shop.switch("main")
    shop.commit({"shop/tax.py": DELETED, "shop/__init__.py": "", "shop/legacy.py": DELETED}, "Main goes its own way")

    report = impact(shop, home)

    changed = report["changed"]
    assert isinstance(changed, list)
    assert [row["after"]["qualified"] for row in changed] == ["monthly"]


def test_a_bare_clone_and_a_second_run_say_the_same(shop: TinyRepository, home: Path, tmp_path: Path) -> None:
    shop.commit({"shop/tax.py": SHOP["shop/tax.py"].replace("0.21", "0.19")}, "Another rate")
    bare = shop.clone(tmp_path / "bare.git", bare=True)

    first = maguyva("impact", "main...feature", "--markdown", repo=shop.path, home=home)
    second = maguyva("impact", "main...feature", "--markdown", repo=shop.path, home=home)
    elsewhere = maguyva("impact", "main...feature", "--json", repo=bare.path, home=tmp_path / "other")

    assert first.out == second.out
    assert json.loads(elsewhere.out)["reached"] == impact(shop, home)["reached"]


def test_fail_on_breaks_is_for_hooks(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": SHOP["shop/tax.py"].replace("rate(country)", "rate(country, year)")}, "Rates by year")

    assert maguyva("impact", "main...feature", "--fail-on", "breaks", repo=shop.path, home=home).code == 1


def test_export_and_why(shop: TinyRepository, home: Path) -> None:
    edges = [json.loads(line) for line in maguyva("export", "main", "--edges", repo=shop.path, home=home).out.splitlines()]
    why = maguyva("why", "monthly", "rate", "--at", "main", repo=shop.path, home=home)

    calls = [edge for edge in edges if edge["kind"] == "call" and edge["to"]["symbol"] == "rate"]
    assert [(edge["from"]["path"], edge["from"]["symbol"], edge["line"], edge["tier"]) for edge in calls] == [
        ("shop/invoice.py", "total", 5, "proved")
    ]
    assert [line.split(" ")[1] for line in why.out.splitlines()] == ["monthly", "total"]


@pytest.mark.parametrize("written", ["rate", "tax.rate", "shop.tax.rate", "shop.rate", "shop/tax.py::rate"])
def test_why_takes_a_name_as_it_is_imported(written: str, shop: TinyRepository, home: Path) -> None:
    assert maguyva("why", "monthly", written, "--at", "main", repo=shop.path, home=home).code == 0


@pytest.mark.parametrize("written", ["billing.rate", "tax.Rate", "x.shop.tax.rate", "op.rate"])
def test_why_takes_no_name_of_another_module(written: str, shop: TinyRepository, home: Path) -> None:
    ran = maguyva("why", "monthly", written, "--at", "main", repo=shop.path, home=home)

    assert ran.code == 2
    assert f"There is no symbol {written} here" in ran.errors
