"""The text retriever: literals, patterns, mentions of a symbol, and the words of a question."""

from __future__ import annotations

import pytest

from index import content
from index.errors import CannotLook, QuestionError
from index.retrievers.textual import textual
from index.snapshot import Snapshot
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import build_text
from index.types import Query
from support.snapshots import a_snapshot, place_of

FILES = {
    "shop/invoice.py": "from shop.tax import rate\n\n\ndef total(net, country):\n    return net + net * rate(country) + rate('x')\n",
    "shop/generate.py": "def generate():\n    'makes rates'\n    return 'Rate limit'\n\n\n",
    "shop/tax.py": "import os\n\n\ndef rate(country):\n    # the tax of a country\n    return 0.21\n",
    "tests/test_tax.py": "from shop.tax import rate\n\n\ndef test_rate():\n    assert rate('FR') == 0.21\n    assert rate('BE')\n",
}
SYMBOLS = [
    ("shop/invoice.py", "total", "function", 4, 5),
    ("shop/generate.py", "generate", "function", 1, 3),
    ("shop/tax.py", "rate", "function", 4, 6),
    ("tests/test_tax.py", "test_rate", "function", 4, 6),
]


def shop(files: dict[str, str] = FILES) -> Snapshot:
    data = [files[path].encode() for path in sorted(files)]
    parts = {"text": build_text(text_facts_batch(data)), "content": content.pack_content(data)}
    return a_snapshot(files, [symbol for symbol in SYMBOLS if symbol[0] in files], parts=parts)


SHOP = shop()


def ask(**query: object) -> list[str]:
    limit = query.pop("limit", 20)
    given = {"text": "", "intent": "exact_match", "subject": "", **query}
    return [f"{place_of(SHOP, hit.symbol)}:{hit.line} {hit.why}" for hit in textual(Query(**given), SHOP, limit)]  # type: ignore[arg-type]


def test_a_literal_is_found_on_lines_whole_words_then_the_definition_then_source_files():
    assert ask(pattern="rate") == [
        "shop/tax.py::rate:4 defines `rate` on line 4",
        "shop/invoice.py::total:5 has `rate` on line 5, 2 times",
        "shop/invoice.py:1 has `rate` on line 1",
        "tests/test_tax.py:1 has `rate` on line 1",
        "tests/test_tax.py::test_rate:5 has `rate` on line 5",
        "tests/test_tax.py::test_rate:6 has `rate` on line 6",
        "shop/generate.py::generate:1 has `rate` on line 1",
        "shop/generate.py::generate:2 has `rate` on line 2",
        "tests/test_tax.py::test_rate:4 has `rate` on line 4",
    ]


def test_a_literal_of_several_words():
    assert ask(pattern="net * rate(") == ["shop/invoice.py::total:5 has `net * rate(` on line 5"]
    assert ask(pattern="assert rate('BE')") == ["tests/test_tax.py::test_rate:6 has `assert rate('BE')` on line 6"]


def test_another_case_is_found_where_the_exact_one_is_not():
    assert ask(pattern="TAX OF A") == ["shop/tax.py::rate:5 has `TAX OF A` in another case on line 5"]


def test_a_regular_expression():
    assert ask(pattern=r"return .*\d$", is_regex=True) == [r"shop/tax.py::rate:6 matches `return .*\d$` on line 6"]
    with pytest.raises(QuestionError):
        ask(pattern="(", is_regex=True)


def test_source_files_are_found_before_tests_fill_the_list():
    many = {f"a_tests/test_{n:03}.py": "rate\n" * 50 for n in range(50)} | {"z/tax.py": "rate\n"}
    data = [many[path].encode() for path in sorted(many)]
    snapshot = a_snapshot(
        many,
        kinds={path: 1 for path in many if "test" in path},
        parts={"text": build_text(text_facts_batch(data))} | {"content": content.pack_content(data)},
    )

    assert textual(Query("", "exact_match", "", pattern="rate"), snapshot, 5)[0].path == "z/tax.py"


def test_a_symbol_is_found_by_chunk_with_its_lines():
    assert (
        ask(subject="rate")
        == ask(subject="shop/tax.py::rate")
        == ask(subject="rate()")
        == [
            "shop/tax.py::rate:4 defines `rate` on line 4",
            "shop/invoice.py::total:5 mentions `rate` on line 5",
            "shop/invoice.py:1 mentions `rate` on line 1",
            "tests/test_tax.py::test_rate:5 mentions `rate` on lines 5, 6",
            "tests/test_tax.py:1 mentions `rate` on line 1",
        ]
    )


def test_a_chunk_that_defines_it_and_mentions_it_says_both():
    snapshot = shop({"shop/tax.py": "import os\n\n\ndef rate(country):\n    return rate.table\n    # rate\n"})

    (hit,) = textual(Query("", "", "rate"), snapshot, 5)

    assert (hit.line, hit.end_line, hit.why) == (4, 6, "defines `rate` on line 4 and mentions it on lines 5, 6")


def test_of_two_definitions_the_one_that_is_meant_comes_first():
    files = {"a/cart.py": "def total():\n    return 1\n\n\n", "b/invoice.py": "def total():\n    return 2\n\n\n"}
    symbols = [("a/cart.py", "total", "function", 1, 2), ("b/invoice.py", "total", "function", 1, 2)]
    data = [files[path].encode() for path in sorted(files)]
    parts = {"text": build_text(text_facts_batch(data)), "content": content.pack_content(data)}

    hits = textual(Query("", "", "b/invoice.py::total"), a_snapshot(files, symbols, parts=parts), 5)

    assert [(hit.path, hit.why) for hit in hits] == [
        ("b/invoice.py", "defines `total` on line 1"),
        ("a/cart.py", "mentions `total` on line 1"),
    ]


def test_symbols_that_the_caller_knows_are_taken_by_name():
    row = SHOP.find("shop/invoice.py", "total")

    assert ask(subject="something else", symbols=(row,)) == ["shop/invoice.py::total:4 defines `total` on line 4"]


def test_a_name_that_is_defined_nowhere_is_found_where_it_looks_like_code():
    assert ask(subject="os.path") != []
    assert ask(subject="shop.tax")[0] == "shop/invoice.py:1 mentions `tax` on line 1"


def test_words_are_ranked_by_what_speaks_of_them_most():
    found = ask(subject="country tax")

    assert found[0] == "shop/tax.py::rate:4 speaks of `country`, `tax`"
    assert "tests/test_tax.py:1 speaks of `tax`" in found


def test_only_in_the_paths_asked_for():
    assert ask(subject="rate", paths=("tests/**",)) == [
        "tests/test_tax.py::test_rate:5 mentions `rate` on lines 5, 6",
        "tests/test_tax.py:1 mentions `rate` on line 1",
    ]
    assert {line.split("::")[0].split(":")[0] for line in ask(pattern="rate", paths=("generate.py",))} == {"shop/generate.py"}


def test_nothing_is_found_for_what_is_nowhere():
    assert ask(pattern="nowhere") == ask(subject="xyzzy_plugh") == ask(subject="elephants") == []


def test_without_a_text_index_it_says_that_it_cannot_look():
    without = Snapshot(SHOP.commit, {name: part for name, part in SHOP.parts.items() if name != "text"})

    with pytest.raises(CannotLook, match="no text index"):
        textual(Query("", "exact_match", "rate"), without, 5)


def test_an_empty_repository_has_nothing():
    empty = a_snapshot([], parts={"text": build_text([]), "content": content.pack_content([])})

    for query in (
        Query("", "", "rate"),
        Query("", "", "", pattern="a b"),
        Query("", "", "", pattern="a.b", is_regex=True),
        Query("x", "", ""),
    ):
        assert textual(query, empty, 5) == []
