"""What a report names, and what that is here."""

from __future__ import annotations

import pytest

from index.intent.report import MOST_READ, read_report
from index.retrievers.reported import reported_names, reported_places
from index.types import Hit, Query
from support.snapshots import a_snapshot

SHOP = a_snapshot(
    files=["src/shop/cart.py", "src/shop/tax.py", "src/shop/__init__.py", "src/web/__init__.py", "tests/test_cart.py", "vendor/tax.py"],
    symbols=[
        ("src/shop/cart.py", "Cart", "class", 1, 9),
        ("src/shop/cart.py", "Cart.total", "method", 3, 5),
        ("src/shop/cart.py", "Cart.rate", "method", 7, 9),
        ("src/shop/tax.py", "rate", "function", 1, 3),
        ("tests/test_cart.py", "test_total", "function", 1, 3),
        ("tests/test_cart.py", "rate", "function", 5, 6),
    ],
)


def asked(text: str, **rest: object) -> Query:
    return Query(text, "locate_problem", text, **rest)  # type: ignore[arg-type]


def places(hits: list[Hit]) -> list[str]:
    return [f"{hit.path}:{hit.line}" for hit in hits]


def test_title_places_and_names_of_a_report() -> None:
    report = read_report('\n## Wrong `rate`\n\nSee Cart.total in shop/cart.py:12.\n  File "C:\\shop\\tax.py", line 3, in rate\n')

    assert report.title == "Wrong `rate`"
    assert report.places == (("C:/shop/tax.py", 3), ("shop/cart.py", 12))  # the last one first
    assert report.names[:3] == ("rate", "Cart", "total")


def test_a_report_is_read_up_to_a_limit() -> None:
    assert read_report("Title\n" + "word " * MOST_READ + "shop/cart.py:12") == read_report("Title\n" + "word " * MOST_READ)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('File "/home/me/site-packages/shop/cart.py", line 4, in total', ["src/shop/cart.py:4"]),
        ('File "C:\\work\\shop\\cart.py", line 4', ["src/shop/cart.py:4"]),
        ("at total (src/shop/cart.py:4)", ["src/shop/cart.py:4"]),
        ("in cart.py", ["src/shop/cart.py:1"]),
        ('File "/usr/lib/python3/other/cart.py", line 4', []),  # somebody else's file of that name
        ("in __init__.py", ["src/shop/__init__.py:1", "src/web/__init__.py:1"]),
        ("in nowhere.py", []),
    ],
)
def test_a_path_of_another_machine_is_the_file_here_that_ends_alike(written: str, found: list[str]) -> None:
    assert places(reported_places(asked(f"A title\n{written}\n"), SHOP, 10)) == found


def test_a_place_beyond_the_end_of_its_file_is_still_that_file() -> None:
    assert [hit.path for hit in reported_places(asked('T\nFile "shop/tax.py", line 9999999\n'), SHOP, 10)] == ["src/shop/tax.py"]


def test_the_rarer_a_name_and_the_more_of_them_the_better_and_source_before_tests() -> None:
    hits = reported_names(asked("`rate` of `Cart.total`"), SHOP, 10)

    assert [hit.path for hit in hits] == ["src/shop/cart.py", "src/shop/tax.py"]
    assert [hit.score for hit in hits] == [2.5, 0.5]  # rate is defined in two source files
    assert hits[0].why == "defines `rate`, which the report names"


def test_a_name_that_only_tests_define_leads_there() -> None:
    assert [hit.path for hit in reported_names(asked("`test_total` fails"), SHOP, 10)] == ["tests/test_cart.py"]


def test_only_where_the_question_says_to_look() -> None:
    text = 'T\nFile "shop/tax.py", line 2, in rate\nFile "shop/cart.py", line 4\nCart.total\n'

    assert places(reported_places(asked(text, paths=("src/shop/tax.py",)), SHOP, 10)) == ["src/shop/tax.py:2"]
    assert reported_names(asked("Cart.total", paths=("src/shop/tax.py",)), SHOP, 10) == []
