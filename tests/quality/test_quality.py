"""The bench's plumbing: what a snapshot says is what the scorers are told, and the figures come out as they went in."""

from __future__ import annotations

import pytest
from quality import questions, rankings, typed
from quality.impact import averaged
from quality.positions import RUNS_CODE, TIER_SETS, Use, as_positions, uses
from quality.tables import Row, read_tables, table

from index.types import EdgeKind, Tier
from support.snapshots import a_snapshot

SHOP = a_snapshot(
    files=["shop/tax.py", "shop/invoice.py", "tests/test_invoice.py"],
    symbols=[
        ("shop/tax.py", "Tax", "class", 1, 6),
        ("shop/tax.py", "Tax.__init__", "method", 2, 3),
        ("shop/tax.py", "Tax.rate", "method", 5, 6),
        ("shop/tax.py", "Vat", "class", 8, 10),
        ("shop/tax.py", "Vat.rate", "method", 9, 10),
        ("shop/invoice.py", "total", "function", 1, 3),
        ("shop/invoice.py", "show", "function", 5, 7),
        ("shop/invoice.py", "later", "function", 9, 10),
        ("tests/test_invoice.py", "test_total", "function", 1, 2),
        ("tests/test_invoice.py", "test_show", "function", 4, 5),
        ("tests/test_invoice.py", "helper", "function", 7, 8),
    ],
    edges=[
        ("shop/tax.py::Vat", "shop/tax.py::Tax", "inherit", "proved", 8),
        ("shop/tax.py::Vat.rate", "shop/tax.py::Tax.rate", "override", "proved", 9),
        ("shop/invoice.py::total", "shop/tax.py::Vat", "call", "proved", 2),
        ("shop/invoice.py::total", "shop/tax.py::Tax.rate", "call", "likely", 3),
        ("shop/invoice.py::show", "shop/invoice.py::total", "call", "proved", 6),
        ("shop/invoice.py::show", "shop/invoice.py::total", "call", "proved", 7),
        ("shop/invoice.py::later", "shop/invoice.py::total", "pass", "proved", 10),
        ("tests/test_invoice.py", "shop/invoice.py", "import", "proved", 1),
        ("tests/test_invoice.py::test_total", "shop/invoice.py::total", "call", "possible", 2),
        ("tests/test_invoice.py::test_show", "shop/invoice.py::show", "call", "proved", 5),
        ("tests/test_invoice.py::helper", "shop/invoice.py::total", "call", "proved", 8),
    ],
)


def symbol(path: str, name: str) -> int:
    found = SHOP.find(path, name)
    assert found is not None
    return found


def named(rows: list[int]) -> list[str]:
    return [SHOP.qualified(row) for row in rows]


def test_a_use_goes_from_the_line_that_uses_to_the_line_that_defines() -> None:
    assert Use(("shop/invoice.py", 3), ("shop/tax.py", 5), Tier.LIKELY) in uses(SHOP, RUNS_CODE)


def test_only_the_kinds_asked_for_count_and_a_file_is_no_target() -> None:
    inherited = Use(("shop/tax.py", 8), ("shop/tax.py", 1), Tier.PROVED)

    assert inherited in uses(SHOP) and inherited not in uses(SHOP, RUNS_CODE)
    assert not [use for use in uses(SHOP) if use.definition[0] == "shop/invoice.py" and use.site == ("tests/test_invoice.py", 1)]


def test_the_surest_of_two_edges_between_the_same_places_counts() -> None:
    twice = a_snapshot(
        files=["a.py"],
        symbols=[("a.py", "f", "function", 1, 1), ("a.py", "g", "function", 2, 2)],
        edges=[("a.py::g", "a.py::f", "call", "possible", 2, 1, ()), ("a.py::g", "a.py::f", "pass", "proved", 2, 5, ())],
    )

    assert uses(twice) == [Use(("a.py", 2), ("a.py", 1), Tier.PROVED)]
    assert as_positions(uses(twice), TIER_SETS["proved"]) == [{"from": ["a.py", 2], "to": ["a.py", 1]}]
    assert as_positions(uses(twice), frozenset({Tier.POSSIBLE})) == []


def test_callers_come_surest_first_and_passing_it_on_comes_last() -> None:
    ranked = rankings.callers(SHOP, symbol("shop/invoice.py", "total"), TIER_SETS["all"])

    assert named([caller.symbol for caller in ranked]) == ["show", "helper", "later", "test_total"]
    assert ranked[0].sites == 2 and ranked[0].line == 6


def test_making_a_subclass_calls_the_constructor_it_inherits() -> None:
    ranked = rankings.callers(SHOP, symbol("shop/tax.py", "Tax.__init__"), TIER_SETS["proved"])

    assert named([caller.symbol for caller in ranked]) == ["total"]


def test_calling_an_overridden_method_may_call_the_override() -> None:
    seed = symbol("shop/tax.py", "Vat.rate")

    assert named([caller.symbol for caller in rankings.callers(SHOP, seed, TIER_SETS["all"])]) == ["total"]
    assert rankings.callers(SHOP, seed, TIER_SETS["proved+likely"]) == []


def test_tests_come_nearest_first() -> None:
    assert named(rankings.tests(SHOP, symbol("shop/invoice.py", "total"))) == ["test_total", "test_show"]


def test_a_seed_is_found_by_its_name_or_by_its_lines() -> None:
    assert rankings.seed_symbol(SHOP, "shop/tax.py", "Vat.rate", 9, 10) == symbol("shop/tax.py", "Vat.rate")
    assert rankings.seed_symbol(SHOP, "shop/invoice.py", "other_name", 5, 7) == symbol("shop/invoice.py", "show")
    assert rankings.seed_symbol(SHOP, "gone.py", "f", 1, 1) is None


def test_a_table_reads_back_as_it_was_written() -> None:
    rows = [Row("callers", "ours", {"P": 0.5, "R": None}), Row("callers", "theirs", {"P": 1})]

    assert table(rows).splitlines()[2] == "| ours | 0.500 | – |"
    assert read_tables("## callers\n\n" + table(rows)) == [
        Row("callers", "ours", {"P": "0.500", "R": "–"}),
        Row("callers", "theirs", {"P": "1", "R": "–"}),
    ]


def test_figures_are_averaged_over_the_repositories_that_have_them() -> None:
    sheet: list[dict[str, str | float]] = [
        {"track": "A", "split": "open", "repo": "a", "predictor": "us", "n": 3, "MAP": 0.5, "R": 1.0},
        {"track": "A", "split": "open", "repo": "b", "predictor": "us", "n": 9, "MAP": 1.0},
    ]

    assert averaged(sheet) == [Row("A", "us", {"MAP": 0.75, "R": 1.0})]


@pytest.mark.parametrize("label", sorted(TIER_SETS))
def test_a_set_of_tiers_is_never_smaller_than_the_surer_ones_in_it(label: str) -> None:
    assert Tier.PROVED in TIER_SETS[label]
    assert len(TIER_SETS[label]) == list(TIER_SETS).index(label) + 1
    assert EdgeKind.CALL in RUNS_CODE


def test_questions_to_real_repositories_are_many_and_most_have_an_answer() -> None:
    documents = list(questions.documents())
    every = [question for _, _, asked in documents for question in asked]

    assert len(every) >= 300
    assert sum(bool(question.places) for question in every) >= 150
    assert len({question.text for _, _, asked in documents for question in asked}) == len(every)
    assert all(len(commit) == 40 for _, commit, _ in documents)


def test_a_question_with_a_vertical_bar_keeps_it() -> None:
    text = "# Q\n\n## owner/name 0123\n\n| question | answer |\n| --- | --- |\n| /a|b/ | a.py::A or b.py |\n| x | – |\n"

    assert list(questions.documents(text)) == [
        ("owner/name", "0123", [questions.Question("/a|b/", ("a.py::A", "b.py")), questions.Question("x", ())])
    ]


def test_the_index_of_a_type_checker_becomes_a_truth() -> None:
    files = {"shop.py": b"import tax\n\n@tax.logged\ndef total(net):\n    return total(net) + Cart\n\nclass Cart:\n    pass\n"}
    index = scip(
        "shop.py",
        [
            (2, 5, "scip-python python shop 1 `tax`/logged().", 0),
            (3, 4, "scip-python python shop 1 `shop`/total().", 1),
            (4, 11, "scip-python python shop 1 `shop`/total().", 0),
            (4, 24, "scip-python python shop 1 `shop`/Cart#", 0),
            (6, 6, "scip-python python shop 1 `shop`/Cart#", 1),
        ],
    )

    made = typed.truth("me/shop", "c0ffee", files, index)

    assert [(one["kind"], one["name"], one["first"], one["defs"], one["refs"]) for one in made["symbols"]] == [
        ("function", "total", 3, [4], [[0, 5, "c"]]),
        ("class", "Cart", 7, [7], [[0, 5, "r"]]),
    ]
    assert made["spans"] == {"0": [[4, 5, 4]]}


def scip(path: str, occurrences: list[tuple[int, int, str, int]]) -> bytes:
    """A SCIP index of one document: (line, column, symbol, roles), lines and columns from 0."""

    def part(number: int, content: bytes) -> bytes:
        size, written = len(content), bytearray([number << 3 | 2])
        while size > 127:
            written.append(size & 127 | 128)
            size >>= 7
        return bytes([*written, size]) + content

    document = part(1, path.encode())
    for line, column, symbol, roles in occurrences:
        document += part(2, part(1, bytes([line, column, column + 1])) + part(2, symbol.encode()) + bytes([3 << 3, roles]))
    return part(2, document)
