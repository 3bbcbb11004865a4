"""What each retriever finds in a small shop, and in which order."""

from __future__ import annotations

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from index.errors import CannotLook, QuestionError
from index.intent.rules import IMPORTERS
from index.languages import LANGUAGES
from index.retrievers import RETRIEVERS, retrievers_with
from index.retrievers.graph import graph
from index.retrievers.names import Exactness, look_up, symbols_meant
from index.retrievers.semantic import Semantic, similarity
from index.retrievers.structural import structural
from index.snapshot import Snapshot
from index.types import Hit, Query
from index.vectors.model import Asked, OtherModel, vectors_part
from support.snapshots import a_snapshot, place_of, row_of

SHOP = a_snapshot(
    files=["shop/tax.py", "shop/cart.py", "shop/invoice.py", "tests/test_cart.py", "web/view.py", "vendor/old/cart.py"],
    symbols=[
        ("shop/tax.py", "rate", "function", 1, 3),
        ("shop/tax.py", "rate_table", "constant", 5, 5),
        ("shop/cart.py", "Cart", "class", 1, 20),
        ("shop/cart.py", "Cart.total", "method", 3, 6),
        ("shop/cart.py", "Cart.add", "method", 8, 10),
        ("shop/invoice.py", "Invoice", "class", 1, 9),
        ("shop/invoice.py", "Invoice.total", "method", 2, 9),
        ("tests/test_cart.py", "test_total", "function", 3, 5),
        ("web/view.py", "show_cart", "function", 1, 4),
        ("web/view.py", "route", "function", 6, 9),
        ("vendor/old/cart.py", "Cart", "class", 1, 4),
        ("vendor/old/cart.py", "parseConfig", "function", 6, 9),
    ],
    edges=[
        ("shop/cart.py::Cart.total", "shop/tax.py::rate", "call", "proved", 4),
        ("shop/invoice.py::Invoice.total", "shop/cart.py::Cart.total", "call", "likely", 4),
        ("shop/invoice.py::Invoice.total", "shop/tax.py::rate", "call", "proved", 5),
        ("shop/invoice.py::Invoice.total", "shop/tax.py::rate", "call", "proved", 7),
        ("shop/invoice.py", "shop/tax.py", "import", "proved", 1),
        ("shop/tax.py::rate", "shop/tax.py::rate", "call", "proved", 2),
        ("shop/tax.py::rate", "shop/tax.py::rate_table", "read", "proved", 3),
        ("tests/test_cart.py::test_total", "shop/cart.py::Cart.total", "call", "proved", 4),
        ("web/view.py::show_cart", "shop/cart.py::Cart.total", "call", "possible", 2),
        ("web/view.py::show_cart", "shop/cart.py::Cart", "type", "proved", 1),
        ("web/view.py::route", "web/view.py::show_cart", "pass", "proved", 7),
    ],
    rank={"web/view.py::show_cart": 3.0, "shop/cart.py::Cart": 5.0},
)


def ask(intent: str, subject: str, **rest: object) -> Query:
    return Query(subject, intent, subject, **rest)  # type: ignore[arg-type]


def places(hits: list[Hit]) -> list[str]:
    return [f"{place_of(SHOP, hit.symbol)}:{hit.line}" for hit in hits]


def names(rows: NDArray[np.int64]) -> list[str]:
    return [place_of(SHOP, int(row)) for row in rows]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("rate", ["shop/tax.py::rate"]),
        ("Cart.total", ["shop/cart.py::Cart.total"]),
        ("Cart#total", ["shop/cart.py::Cart.total"]),
        ("Cart::total", ["shop/cart.py::Cart.total"]),
        ("shop.cart.Cart.total", ["shop/cart.py::Cart.total"]),
        ("shop/cart.py::Cart", ["shop/cart.py::Cart"]),
        ("old.cart.Cart", ["vendor/old/cart.py::Cart"]),
        ("total", ["shop/cart.py::Cart.total", "shop/invoice.py::Invoice.total"]),
        ("parse_config", ["vendor/old/cart.py::parseConfig"]),
        ("PARSECONFIG", ["vendor/old/cart.py::parseConfig"]),
        ("shop.tax", ["shop/tax.py"]),
        ("shop/tax.py", ["shop/tax.py"]),
        ("rat", []),
        ("", []),
        ("...", []),
        ("nowhere.total", ["shop/cart.py::Cart.total", "shop/invoice.py::Invoice.total"]),
    ],
)
def test_which_symbols_a_name_means(written: str, meant: list[str]) -> None:
    assert names(symbols_meant(SHOP, written)) == meant


@given(st.lists(st.sampled_from(["rate", "rates", "rating", "table", "tables", "cart", "queries", "query"]), min_size=1, max_size=4))
def test_shared_words_are_those_of_one_stem(words: list[str]) -> None:
    symbols = [("a.py", f"{one}_{other}", "function", 1, 1) for one in ("rate", "querying", "carts") for other in ("table", "query", "x")]
    shop = a_snapshot(files=["a.py"], symbols=symbols)
    stem = snowballstemmer.stemmer("english").stemWord

    found = look_up(shop, " ".join(words))

    asked = {stem(word) for word in words}
    expected = {
        name
        for _, name, *_ in symbols
        if ({stem(part) for part in name.split("_")} <= asked and len(set(name.split("_"))) > 1)
        or asked <= {stem(part) for part in name.split("_")}
    }
    whole = found.rows[np.isin(found.exactness, (Exactness.HELD, Exactness.ALL_WORDS))]
    prefixed = found.rows[np.isin(found.exactness, (Exactness.PREFIX, Exactness.FOLDED, Exactness.NAME))]
    assert {shop.symbol(int(row)).name for row in whole} | {shop.symbol(int(row)).name for row in prefixed} >= expected
    assert {shop.symbol(int(row)).name for row in whole} <= expected


def test_looking_up_goes_from_exact_to_sharing_words() -> None:
    found = look_up(SHOP, "rate")

    assert dict(zip(names(found.rows), found.exactness.tolist(), strict=True)) == {
        "shop/tax.py::rate": Exactness.NAME,
        "shop/tax.py::rate_table": Exactness.PREFIX,
    }


@pytest.mark.parametrize(
    ("written", "first", "why"),
    [
        ("Cart.total", "shop/cart.py::Cart.total:3", "is `Cart.total`"),
        ("rate", "shop/tax.py::rate:1", "is named `rate`"),
        ("parse_config", "vendor/old/cart.py::parseConfig:6", "is named like `parse_config`"),
        ("par", "vendor/old/cart.py::parseConfig:6", "starts with `par`"),
        ("the table of rates", "shop/tax.py::rate_table:5", "has a name made of words of the question"),
        ("where configs get parsed", "vendor/old/cart.py::parseConfig:6", "has a name made of words of the question"),
        ("config", "vendor/old/cart.py::parseConfig:6", "has every word of the question in its name"),
        ("sending invoices", "shop/invoice.py::Invoice:1", "has words of the question in its name"),
    ],
)
def test_structural_finds_definitions(written: str, first: str, why: str) -> None:
    found = structural(ask("find_definition", written), SHOP, 10)

    assert (places(found)[0], found[0].why) == (first, why)


def test_of_names_that_share_words_the_one_that_shares_more_comes_first() -> None:
    shop = a_snapshot(
        files=["x.py"],
        symbols=[
            ("x.py", "mail_invoice_now", "function", 1, 2),
            ("x.py", "mail_invoice_customer", "function", 3, 4),
            ("x.py", "mail_invoice", "function", 5, 6),
        ],
        rank={"x.py::mail_invoice_now": 9.0, "x.py::mail_invoice": 5.0},
    )

    found = structural(ask("find_definition", "mailing an invoice to a customer by post"), shop, 9)

    assert [(shop.symbol(hit.symbol).name, hit.why) for hit in found] == [
        ("mail_invoice_customer", "has a name made of words of the question"),
        ("mail_invoice", "has a name made of words of the question"),
        ("mail_invoice_now", "has words of the question in its name"),
    ]


def test_a_name_that_only_shares_a_word_says_nothing_of_how_code_works() -> None:
    assert structural(ask("understand_code", "sending invoices"), SHOP, 10) == []
    assert places(structural(ask("understand_code", "how configs get parsed"), SHOP, 10)) == ["vendor/old/cart.py::parseConfig:6"]


def test_structural_keeps_to_known_symbols() -> None:
    add = row_of(SHOP, "shop/cart.py::Cart.add")

    found = structural(ask("find_references", "total", symbols=(add,)), SHOP, 10)

    assert places(found) == ["shop/cart.py::Cart.add:8"]


def test_beside_an_exact_name_parts_of_names_are_left_out() -> None:
    assert places(structural(ask("find_definition", "rate"), SHOP, 10)) == ["shop/tax.py::rate:1"]
    assert places(structural(ask("find_definition", "Invoice.total"), SHOP, 10)) == ["shop/invoice.py::Invoice.total:2"]


def test_structural_keeps_to_the_limit_and_to_the_paths() -> None:
    assert len(structural(ask("find_definition", "total"), SHOP, 1)) == 1
    assert places(structural(ask("find_definition", "Cart", paths=("vendor/**",)), SHOP, 1)) == ["vendor/old/cart.py::Cart:1"]
    assert places(structural(ask("find_definition", "Cart", paths=("invoice.py", "view.py")), SHOP, 9)) == ["web/view.py::show_cart:1"]


def test_only_files_of_the_languages_asked_for_are_answered() -> None:
    python = LANGUAGES[0]
    shop = a_snapshot(
        files=["a.py", "b.sql"],
        symbols=[("a.py", "rate", "function", 1, 1), ("b.sql", "rate", "function", 1, 1)],
        languages={"a.py": python.number, "b.sql": 0},
    )

    found = structural(ask("find_definition", "rate", languages=(python.name,)), shop, 9)

    assert [hit.path for hit in found] == ["a.py"]
    with pytest.raises(QuestionError, match=f"'klingon' is not a language.*{python.name}"):
        structural(ask("find_definition", "rate", languages=("klingon",)), shop, 9)


def test_references_come_by_sureness_then_kind_then_place() -> None:
    found = graph(ask("find_references", "Cart.total"), SHOP, 10)

    assert [(hit.path, hit.line, hit.why) for hit in found] == [
        ("tests/test_cart.py", 4, "calls `total` on line 4"),
        ("shop/invoice.py", 4, "calls `total` on line 4 (likely)"),
        ("web/view.py", 2, "calls `total` on line 2 (possible)"),
    ]


def test_sources_come_before_tests_where_all_else_is_equal() -> None:
    shop = a_snapshot(
        files=["a.py", "tests/a_test.py", "z.py"],
        symbols=[("a.py", "rate", "function", 1, 2)],
        edges=[(path, "a.py::rate", "call", "proved", 3) for path in ("tests/a_test.py", "z.py")],
    )

    assert [hit.path for hit in graph(ask("find_references", "rate"), shop, 9)] == ["z.py", "tests/a_test.py"]


def test_who_makes_instances_of_a_class_uses_the_class() -> None:
    shop = a_snapshot(
        files=["cart.py", "view.py"],
        symbols=[
            ("cart.py", "Cart", "class", 1, 9),
            ("cart.py", "Cart.__init__", "method", 2, 3),
            ("cart.py", "Cart.total", "method", 5, 6),
            ("view.py", "show", "function", 1, 4),
        ],
        edges=[
            ("view.py::show", "cart.py::Cart.__init__", "call", "proved", 2),
            ("view.py::show", "cart.py::Cart.total", "call", "proved", 3),
            ("view.py::show", "cart.py::Cart", "type", "proved", 1),
        ],
    )

    found = graph(ask("find_references", "Cart"), shop, 10)

    assert [hit.why for hit in found] == ["calls `Cart` on line 2", "names the type `Cart` on line 1"]


def test_who_imports_a_file_imports_what_it_defines() -> None:
    shop = a_snapshot(
        files=["shop/tax.py", "cart.py", "view.py"],
        symbols=[("shop/tax.py", "rate", "function", 1, 2), ("cart.py", "total", "function", 3, 4)],
        edges=[
            ("cart.py", "shop/tax.py::rate", "import", "proved", 1),
            ("cart.py::total", "shop/tax.py::rate", "call", "proved", 4),
            ("view.py", "shop/tax.py", "import", "proved", 1),
        ],
    )

    for written in ("shop/tax.py", "shop.tax"):
        found = graph(ask("find_references", written, wants=IMPORTERS), shop, 10)

        assert [(hit.path, hit.why) for hit in found] == [("cart.py", "imports `rate` on line 1"), ("view.py", "imports `tax` on line 1")]


def test_uses_that_could_not_be_resolved_come_last_and_say_so() -> None:
    shop = a_snapshot(
        files=["a.py", "b.py"],
        symbols=[("a.py", "rate", "function", 1, 2), ("b.py", "pay", "function", 1, 9)],
        edges=[("b.py::pay", "a.py::rate", "call", "possible", 7)],
        open_sites=[("b.py::pay", "rate", 3, "receiver"), ("b.py::pay", "other", 4, "name"), ("a.py", "rate", 2, "dynamic")],
    )

    asked = graph(ask("find_references", "tax.rate"), shop, 10)
    by_row = graph(ask("find_references", "rate", symbols=(row_of(shop, "a.py::rate"),)), shop, 10)

    assert [(hit.path, hit.line, hit.why) for hit in asked] == [
        ("b.py", 7, "calls `rate` on line 7 (possible)"),
        ("a.py", 2, "uses some `rate` on line 2, unclear which (dynamic)"),
        ("b.py", 3, "uses some `rate` on line 3, unclear which (receiver)"),
    ]
    assert asked[:1] == by_row
    assert graph(ask("find_references", "other"), shop, 10)[0].line == 4


def test_a_method_that_calls_another_of_the_same_name_uses_it() -> None:
    assert "shop/invoice.py::Invoice.total:4" in places(graph(ask("find_references", "total"), SHOP, 10))


def test_every_site_is_a_reference_but_a_recursive_call_is_none() -> None:
    assert places(graph(ask("find_references", "rate"), SHOP, 10)) == [
        "shop/cart.py::Cart.total:4",
        "shop/invoice.py::Invoice.total:5",
        "shop/invoice.py::Invoice.total:7",
    ]


def test_impact_comes_by_steps_then_sureness_then_centrality() -> None:
    found = graph(ask("impact_analysis", "rate"), SHOP, 10)

    assert [(place_of(SHOP, hit.symbol), hit.why) for hit in found] == [
        ("shop/cart.py::Cart.total", "calls `rate` on line 4"),
        ("shop/invoice.py::Invoice.total", "calls `rate` on line 5"),
        ("tests/test_cart.py::test_total", "calls `total` on line 4, 2 steps away"),
        ("web/view.py::show_cart", "calls `total` on line 2 (possible), 2 steps away"),
        ("web/view.py::route", "passes `show_cart` on line 7, 3 steps away"),
    ]


def test_a_module_that_only_imports_a_name_passes_nothing_on() -> None:
    shop = a_snapshot(
        files=["a.py", "api.py", "far.py", "b.py"],
        symbols=[("a.py", "rate", "function", 1, 2), ("b.py", "pay", "function", 1, 3), ("b.py", "shop", "function", 5, 6)],
        edges=[
            ("api.py", "a.py::rate", "reexport", "proved", 1),
            ("far.py", "api.py", "import", "proved", 1),
            ("b.py::pay", "a.py::rate", "call", "proved", 2),
            ("b.py::shop", "b.py::pay", "call", "proved", 6),
        ],
    )

    found = graph(ask("impact_analysis", "rate"), shop, 9)

    assert [(hit.path, hit.line) for hit in found] == [("b.py", 2), ("b.py", 6), ("api.py", 1)]


def test_the_impact_of_a_class_is_that_of_its_members_too() -> None:
    found = graph(ask("impact_analysis", "shop.cart.Cart"), SHOP, 10)

    assert {place_of(SHOP, hit.symbol) for hit in found} == {
        "web/view.py::show_cart",
        "web/view.py::route",
        "shop/invoice.py::Invoice.total",
        "tests/test_cart.py::test_total",
    }


def test_known_symbols_are_taken_as_they_are() -> None:
    table = row_of(SHOP, "shop/tax.py::rate_table")

    found = graph(ask("impact_analysis", "anything", symbols=(table,)), SHOP, 1)

    assert places(found) == ["shop/tax.py::rate:3"]


def test_neighbours_are_callers_and_callees() -> None:
    found = graph(ask("understand_code", "Cart.total"), SHOP, 10)

    assert {(place_of(SHOP, hit.symbol), hit.why) for hit in found} == {
        ("shop/tax.py::rate", "is used by `Cart.total`"),
        ("shop/invoice.py::Invoice.total", "uses `Cart.total`"),
        ("tests/test_cart.py::test_total", "uses `Cart.total`"),
        ("web/view.py::show_cart", "uses `Cart.total`"),
    }
    assert place_of(SHOP, found[0].symbol) == "web/view.py::show_cart"


def test_neighbours_of_a_topic() -> None:
    assert "web/view.py::route" in [place_of(SHOP, hit.symbol) for hit in graph(ask("understand_code", "showing cart"), SHOP, 10)]


def test_an_unknown_name_has_no_references() -> None:
    assert graph(ask("find_references", "nobody"), SHOP, 10) == []
    assert graph(ask("impact_analysis", ""), SHOP, 10) == []
    assert graph(ask("understand_code", "zzz"), SHOP, 10) == []


class Fake:
    """An embedder whose questions are numbers: the bits of the chunk with that row, one of them flipped."""

    name = "fake-1024"
    least_similarity = 0.0

    def __init__(self, bits: NDArray[np.uint8]) -> None:
        self.bits = bits

    def read(self, text: str) -> Asked:
        found = self.bits[int(text)].copy()
        found[0] ^= 1
        return Asked(self.name, found, None, self.least_similarity)


def with_vectors() -> tuple[Snapshot, Fake]:
    bits = np.random.default_rng(7).integers(0, 256, (len(SHOP.parts["chunks"]["file"]), 128), np.uint8)
    return Snapshot(SHOP.commit, {**SHOP.parts, "vectors": vectors_part(bits, "fake-1024")}), Fake(bits)


def test_semantic_finds_the_nearest_chunks() -> None:
    snapshot, embedder = with_vectors()

    found = Semantic(embedder)(Query("5", "understand_code", "5"), snapshot, 3)

    assert found[0].chunk == 5
    assert found[0].score == similarity(1)
    assert found[0].line == int(SHOP.parts["chunks"]["start_line"][5])
    assert found[0].score > found[1].score >= found[2].score


def test_semantic_leaves_out_what_has_nothing_to_do_with_the_question() -> None:
    snapshot, embedder = with_vectors()
    embedder.least_similarity = 0.5

    assert [hit.chunk for hit in Semantic(embedder)(Query("5", "understand_code", "5"), snapshot, 9)] == [5]


def test_semantic_keeps_to_the_paths() -> None:
    snapshot, embedder = with_vectors()

    found = Semantic(embedder)(Query("5", "understand_code", "5", paths=("web/*",)), snapshot, 9)

    assert {hit.path for hit in found} == {"web/view.py"}


def test_code_like_a_symbol_is_compared_with_the_symbols_own_chunk() -> None:
    snapshot, embedder = with_vectors()
    own = snapshot.chunk_of_symbol(row_of(snapshot, "shop/tax.py::rate"))
    bits = embedder.bits.copy()
    bits[3] = bits[own]
    snapshot = Snapshot(SHOP.commit, {**SHOP.parts, "vectors": vectors_part(bits, "fake-1024")})

    found = Semantic(Fake(bits))(Query("code like rate", "find_similar", "rate"), snapshot, 2)

    assert found[0].chunk == 3
    assert own not in [hit.chunk for hit in found]
    assert len(found) == 2


def test_not_having_looked_is_not_an_empty_list() -> None:
    snapshot, embedder = with_vectors()
    query = Query("5", "understand_code", "5")

    with pytest.raises(CannotLook, match="no vectors"):
        Semantic(embedder)(query, SHOP, 3)
    with pytest.raises(CannotLook, match="No embedding model"):
        Semantic(None)(query, snapshot, 3)
    embedder.name = "another-1024"
    with pytest.raises(OtherModel, match="can't be compared"):
        Semantic(embedder)(query, snapshot, 3)


def test_an_empty_snapshot_answers_nothing() -> None:
    empty = a_snapshot(files={})
    for name in ("structural", "graph"):
        for intent in ("find_definition", "find_references", "impact_analysis", "understand_code", "find_similar", "exact_match"):
            assert RETRIEVERS[name](ask(intent, "rate"), empty, 10) == []


def test_the_table_holds_four() -> None:
    assert sorted(retrievers_with(None)) == sorted(RETRIEVERS) == ["graph", "semantic", "structural", "text"]
