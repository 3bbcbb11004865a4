"""Questions to a small shop, from text to answer."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Barrier, Event

import numpy as np
import pytest

from index.embedding.static import StaticModel
from index.errors import CannotLook, QuestionError
from index.fusion.profiles import INTENTS
from index.retrievers import Retriever, retrievers_with
from index.search import full_fusion, search
from index.snapshot import Snapshot
from index.types import Answer, Contribution, Hit, Query, UseCount
from index.vectors.model import vectors_part
from support.snapshots import a_snapshot, place_of, row_of

FILES = {
    "shop/tax.py": "def rate(country):\n    '''The VAT rate of a country.'''\n    return RATES[country]\n",
    "shop/cart.py": "class Cart:\n    def total(self):\n        return sum(self.prices) * rate(self.country)\n\n    def add(self, price):\n"
    "        self.prices.append(price)\n",
    "shop/invoice.py": "def invoice(cart):\n    net = cart.total()\n    log(net)\n    return cart.total() + shipping(cart)\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total() == 0\n",
    "vendor/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
}
SYMBOLS = [
    ("shop/tax.py", "rate", "function", 1, 3),
    ("shop/cart.py", "Cart", "class", 1, 6),
    ("shop/cart.py", "Cart.total", "method", 2, 3),
    ("shop/cart.py", "Cart.add", "method", 5, 6),
    ("shop/invoice.py", "invoice", "function", 1, 4),
    ("tests/test_cart.py", "test_total", "function", 1, 2),
    ("vendor/cart.py", "Cart", "class", 1, 3),
    ("vendor/cart.py", "Cart.total", "method", 2, 3),
]
EDGES = [
    ("shop/cart.py::Cart.total", "shop/tax.py::rate", "call", "proved", 3),
    ("shop/invoice.py::invoice", "shop/cart.py::Cart.total", "call", "likely", 2),
    ("shop/invoice.py::invoice", "shop/cart.py::Cart.total", "call", "likely", 4),
    ("tests/test_cart.py::test_total", "shop/cart.py::Cart.total", "call", "proved", 2),
]
MODEL = StaticModel.load()


def the_shop() -> Snapshot:
    plain = a_snapshot(files=FILES, symbols=SYMBOLS, edges=EDGES, languages=dict.fromkeys(FILES, 1))
    chunks = plain.parts["chunks"]
    bits = []
    for at, path in enumerate(plain.paths):
        rows = np.flatnonzero(chunks["file"] == at)
        names = [plain.qualified(int(symbol)).removeprefix("<module>") for symbol in chunks["symbol"][rows]]
        bits.append(MODEL.embed_blob(FILES[path].encode(), chunks["start_byte"][rows], chunks["end_byte"][rows], names, path.encode()))
    return Snapshot(plain.commit, {**plain.parts, "vectors": vectors_part(np.concatenate(bits), MODEL.name)})


SHOP = the_shop()


RETRIEVERS: Mapping[str, Retriever] = retrievers_with(MODEL)


def ask(question: str | Query, **rest: object) -> Answer:
    return search(question, SHOP, MODEL, retrievers=RETRIEVERS, **rest)  # type: ignore[arg-type]


def places(answer: Answer) -> list[str]:
    return [f"{hit.path}:{hit.line}" for hit in answer.hits]


def spied(asked: list[str]) -> dict[str, Retriever]:
    def spy(name: str) -> Retriever:
        def look(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
            asked.append(name)
            return RETRIEVERS[name](query, snapshot, limit)

        return look

    return {name: spy(name) for name in RETRIEVERS}


def test_a_clear_question_is_answered_by_one_retriever() -> None:
    asked: list[str] = []

    answer = search("who calls shop.cart.Cart.total?", SHOP, MODEL, retrievers=spied(asked))

    assert asked == ["graph"]
    assert (answer.fusion_strategy, answer.retrievers, answer.confidence, answer.rule) == ("direct", ("graph",), 0.90, "who calls")
    assert places(answer) == ["tests/test_cart.py:2", "shop/invoice.py:2", "shop/invoice.py:4"]
    assert [hit.parts for hit in answer.hits] == [(Contribution("graph", rank, 0.5, 0.5 / (40 + rank + 1)),) for rank in range(3)]
    assert answer.notes == ()


def test_a_direct_answer_keeps_definitions_that_stand_in_one_chunk_apart() -> None:
    shop = a_snapshot(files=["a.py"], symbols=[("a.py", "total", "function", 1, 2), ("a.py", "total", "property", 1, 3)])

    answer = search("def total", shop, None)

    assert (answer.fusion_strategy, len(answer.hits)) == ("direct", 2)


def test_an_unclear_question_is_fused() -> None:
    answer = ask("how is the VAT of a country found?")

    assert (answer.fusion_strategy, answer.preset, answer.retrievers) == ("weighted_rrf", "default", ("semantic", "text", "structural"))
    assert answer.hits[0].path == "shop/tax.py"


def test_when_the_one_retriever_finds_nothing_the_others_are_asked_and_the_answer_says_so() -> None:
    answer = ask("who uses `prices`?")

    assert answer.fusion_strategy == "weighted_rrf"
    assert answer.notes == (
        "No symbol here is named `prices`.",
        "No use of it is known, so the text and the definitions were searched too.",
    )
    assert answer.hits[0].path == "shop/cart.py"


def routers(last: str, calls: int) -> Snapshot:
    """Seven classes that implement `Router.match`, and calls of it whose chain ends with `last`."""
    names = [f"R{number}" for number in range(7)]
    return a_snapshot(
        files=["router.ts", "all.ts", "app.ts"],
        symbols=[
            ("router.ts", "Router", "interface", 1, 3),
            ("router.ts", "Router.match", "method", 2, 2),
            *[("all.ts", name, "class", 10 * at + 1, 10 * at + 9) for at, name in enumerate(names)],
            *[("all.ts", f"{name}.match", "method", 10 * at + 2, 10 * at + 3) for at, name in enumerate(names)],
            ("app.ts", "run", "function", 1, 100),
        ],
        edges=[
            *[("app.ts::run", "router.ts::Router.match", "call", "proved", 2 + at, 1, ("scope", last)) for at in range(calls)],
            *[(f"all.ts::{name}.match", "router.ts::Router.match", "implement", "proved", 10 * at + 2) for at, name in enumerate(names)],
        ],
    )


def test_calls_of_what_many_override_are_possible_uses_of_each_of_them() -> None:
    answer = search("who calls R1.match?", routers("dispatch", 2), None)

    assert [(hit.path, hit.line, hit.use, hit.tier) for hit in answer.hits] == [
        ("app.ts", 2, "calls", "possible"),
        ("app.ts", 3, "calls", "possible"),
    ]
    assert [(one.use, one.tier, one.count, one.files) for one in answer.uses] == [("calls", "possible", 2, 1)]
    assert answer.hits[0].why == "calls `match` on line 2, may run `R1.match` (possible)"


def test_where_there_are_many_such_calls_they_are_only_counted() -> None:
    answer = search("who calls R1.match?", routers("dispatch", 21), None)

    assert "21 calls of `Router.match`, which many override, may run it too: ask who calls that." in answer.notes
    assert not any(hit.path == "app.ts" and hit.use == "calls" for hit in answer.hits)


def test_calls_that_cannot_run_an_override_are_no_uses_of_it() -> None:
    answer = search("who calls R1.match?", routers("declared", 2), None)

    assert not any(hit.use == "calls" for hit in answer.hits)
    assert not any("which many override" in note for note in answer.notes)


def test_who_overrides_a_method_is_answered_with_all_that_do() -> None:
    assert len(search("who overrides Router.match?", routers("dispatch", 1), None).hits) == 7


def test_which_tests_cover_it_is_answered_with_tests_only() -> None:
    direct = ask("which tests cover rate?")
    fused = ask("which tests cover rate?", strategy="weighted_rrf")

    assert (direct.query.intent, direct.fusion_strategy) == ("impact_analysis", "direct")
    assert [(hit.path, hit.why) for hit in direct.hits] == [("tests/test_cart.py", "calls `total` on line 2, 2 steps away")]
    assert {hit.path for hit in fused.hits} == {"tests/test_cart.py"}


def test_a_file_is_where_to_look_unless_it_holds_the_name() -> None:
    inside = ask("who calls Cart.total in shop/invoice.py?")
    of_vendor = ask("who calls total in vendor/cart.py?")

    assert (inside.query.subject, inside.query.paths) == ("Cart.total", ("*/shop/invoice.py",))
    assert places(inside) == ["shop/invoice.py:2", "shop/invoice.py:4"]
    assert (of_vendor.query.subject, of_vendor.query.paths) == ("vendor/cart.py::total", ())


def test_a_mistyped_name_gets_the_names_near_it() -> None:
    assert ask("who calls `Cart.totla`?").notes[0] == "No symbol here is named `Cart.totla`. Near it: `total`."
    assert ask("where is invoise defined?").notes[0] == "No symbol here is named `invoise`. Near it: `invoice`."
    assert ask("who calls Cart.total?").notes == ()


def test_an_exact_string_never_asks_the_model() -> None:
    for preset in ("quick", "default", "thorough"):
        asked: list[str] = []

        answer = search('"VAT rate"', SHOP, None, preset=preset, strategy=None, retrievers=spied(asked))

        assert "semantic" not in asked
        assert places(answer)[0] == "shop/tax.py:2"


def test_quick_is_semantic_alone() -> None:
    asked: list[str] = []

    answer = search("who calls Cart.total?", SHOP, MODEL, preset="quick", retrievers=spied(asked))

    assert asked == ["semantic"]
    assert (answer.fusion_strategy, answer.retrievers) == ("direct", ("semantic",))
    assert answer.hits


def test_thorough_asks_all_four() -> None:
    answer = ask("how is the total made", preset="thorough")

    assert sorted(answer.retrievers) == ["graph", "semantic", "structural", "text"]
    assert {round(part.weight / part.score) - part.rank - 1 for hit in answer.hits for part in hit.parts} == {60}


def test_the_caller_may_choose_strategy_and_intent() -> None:
    fused = ask("who calls Cart.total?", strategy="weighted_rrf")
    direct = ask("the Cart.total thing", strategy="direct", intent="find_references")

    assert fused.fusion_strategy == "weighted_rrf"
    assert (direct.fusion_strategy, direct.retrievers, direct.rule) == ("direct", ("graph",), "asked by name")
    assert "shop/invoice.py:2" in places(direct)


def test_direct_by_name_does_not_fall_back() -> None:
    answer = ask("who calls `nobody`?", strategy="direct")

    assert (answer.fusion_strategy, answer.hits) == ("direct", ())


def test_fused_answers_hold_the_best_of_each_file() -> None:
    question = "adding prices to the total of a cart"

    answer, every = ask(question, strategy="weighted_rrf"), ask(question, strategy="weighted_rrf", every_site=True)

    assert [hit.path for hit in every.hits].count("shop/cart.py") > 1
    assert [hit.path for hit in answer.hits].count("shop/cart.py") == 1
    assert [hit.path for hit in answer.hits] == list(dict.fromkeys(hit.path for hit in every.hits))


def test_every_site_can_be_asked_for() -> None:
    answer = ask("who calls shop.cart.Cart.total?", strategy="weighted_rrf", every_site=True)

    assert {"shop/invoice.py:2", "shop/invoice.py:4"} <= set(places(answer))


def test_vendored_code_comes_last() -> None:
    answer = ask("where is Cart.total defined?")
    fused = ask("where is Cart.total defined?", strategy="weighted_rrf")

    assert places(answer)[:2] == ["shop/cart.py:2", "vendor/cart.py:2"]
    assert [hit.path for hit in fused.hits].index("vendor/cart.py") > [hit.path for hit in fused.hits].index("shop/cart.py")
    assert next(hit for hit in fused.hits if hit.path == "vendor/cart.py").demotion < 1


@pytest.mark.parametrize("intent", ["impact_analysis", "find_references"])
def test_a_pull_request_always_fuses_all_four(intent: str) -> None:
    asked: list[str] = []
    total = row_of(SHOP, "shop/cart.py::Cart.total")

    answer = full_fusion(Query("Cart.total", intent, "Cart.total", symbols=(total,)), SHOP, MODEL, retrievers=spied(asked))

    assert sorted(asked) == ["graph", "semantic", "structural", "text"]
    assert (answer.fusion_strategy, answer.preset) == ("weighted_rrf", "thorough")
    assert {"shop/invoice.py:2", "tests/test_cart.py:2"} <= set(places(answer))
    assert answer.hits[0].parts[0].retriever == "graph"


def test_a_retriever_that_cannot_look_is_named_and_the_others_answer() -> None:
    answer = search("how is the total made", SHOP, None, retrievers={**RETRIEVERS, "semantic": retrievers_with(None)["semantic"]})

    assert answer.retrievers == ("text", "structural")
    assert "No embedding model" in answer.notes[-1]
    assert answer.hits


def test_when_time_is_up_the_rest_is_left_out_and_named() -> None:
    ticks = iter([False, True, True])

    answer = ask("how is the total made", out_of_time=lambda: next(ticks))

    assert answer.retrievers == ("text",)
    assert answer.notes == (
        "Time was up before the definitions could be looked at.",
        "Time was up before the meaning of the code could be looked at.",
    )


@pytest.mark.parametrize(
    ("question", "rest", "message"),
    [
        ("  ", {}, "empty"),
        ("\x00\x07\u200b", {}, "empty"),
        ("total", {"preset": "deep"}, "no preset 'deep'.*quick"),
        ("total", {"strategy": "best"}, "no strategy 'best'.*weighted_rrf"),
        ("total", {"intent": "guess"}, "no intent 'guess'.*find_definition"),
        (Query("total", "guess", "total"), {}, "no intent 'guess'"),
    ],
)
def test_questions_that_cannot_be_asked(question: str | Query, rest: dict[str, str], message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        ask(question, **rest)


REPORT = """\
Wrong VAT after a move

When a customer moves to another country, the invoice is made with the rate of the old country, as "test_total" shows.
I did not find where it is remembered. This is what happens with a country that is not known:

Traceback (most recent call last):
  File "/home/me/venv/site-packages/shop/invoice.py", line 4, in invoice
    return cart.total() + shipping(cart)
  File "/home/me/venv/site-packages/shop/cart.py", line 3, in total
    return sum(self.prices) * rate(self.country)
KeyError: 'XX'
"""


def test_a_report_of_a_problem_is_asked_whole_by_its_title_and_by_what_it_names() -> None:
    answer = ask(REPORT)

    assert (answer.query.intent, answer.rule, answer.query.subject) == ("locate_problem", "report of a problem", "Wrong VAT after a move")
    assert (answer.fusion_strategy, answer.retrievers) == ("weighted_rrf", ("structural", "text", "semantic"))
    lists = {part.retriever for hit in answer.hits for part in hit.parts}
    assert lists >= {"text", "semantic", "text of the title", "places", "names"}  # nothing is near the title in meaning
    assert len({hit.path for hit in answer.hits}) == len(answer.hits)


def test_a_report_leads_to_the_line_where_its_stack_trace_ends() -> None:
    answer = ask(REPORT)

    assert places(answer)[0] == "shop/cart.py:3"
    assert answer.hits[0].why == "is line 3 of a file that the report points at"
    assert "shop/invoice.py:4" in places(answer)


def test_a_report_puts_the_source_before_the_tests_that_it_names_and_hides_neither() -> None:
    hits = {hit.path: at for at, hit in enumerate(ask(REPORT).hits)}

    assert max(hits["shop/cart.py"], hits["shop/invoice.py"], hits["shop/tax.py"]) < min(hits["tests/test_cart.py"], hits["vendor/cart.py"])
    assert {hit.path: hit.demotion for hit in ask(REPORT).hits} == {
        "shop/cart.py": 1.0, "shop/invoice.py": 1.0, "shop/tax.py": 1.0, "tests/test_cart.py": 0.3, "vendor/cart.py": 0.3,
    }  # fmt: skip
    assert {hit.path: hit.demotion for hit in ask('"test_total"').hits}["tests/test_cart.py"] == 1.0  # other questions don't


def test_a_report_puts_settings_behind_code_and_other_questions_do_not() -> None:
    files = {"rates.toml": "vat_rate = 21  # the VAT rate after a move\n", "shop/tax.py": "def rate(country):\n    return RATES[country]\n"}
    shop = a_snapshot(files, [("shop/tax.py", "rate", "function", 1, 2)], languages={"shop/tax.py": 1})

    assert [hit.path for hit in search(REPORT, shop, None).hits] == ["shop/tax.py", "rates.toml"]
    assert search("VAT rate after a move", shop, None).hits[0].path == "rates.toml"


def test_a_report_with_a_colon_in_its_title_is_not_looked_for_in_a_file_of_that_name() -> None:
    answer = ask(REPORT.replace("Wrong VAT", "Cart::total gives a wrong VAT"))

    assert (answer.query.paths, places(answer)[0]) == ((), "shop/cart.py:3")


def test_a_report_is_answered_by_those_who_can_look_and_says_once_who_could_not() -> None:
    answer = search(REPORT, SHOP, MODEL, retrievers={**RETRIEVERS, "semantic": cannot_look})

    assert (answer.retrievers, answer.notes) == (("structural", "text"), ("Not today.",))
    assert places(answer)[0] == "shop/cart.py:3"


def test_of_a_long_report_the_words_of_the_beginning_and_the_names_of_more_are_read() -> None:
    story, _, trace = REPORT.partition("Traceback")
    answer = ask(story + "It happens each time that one asks.\n" * 100 + "Traceback" + trace)

    assert answer.notes[0].startswith("The report has 4,")
    assert answer.notes[0].endswith("the words of the first 2,000 and the names and places of the first 8,000 were read.")
    assert "shop/cart.py:3" in places(answer)[:2]


def test_a_short_question_can_be_asked_as_a_report() -> None:
    answer = ask("VAT rate", intent="locate_problem")

    assert (answer.rule, places(answer)[0]) == ("asked by name", "shop/tax.py:1")


@pytest.mark.parametrize("intent", INTENTS)
def test_the_same_question_gets_the_same_answer(intent: str) -> None:
    assert ask("Cart total", intent=intent) == search("Cart total", the_shop(), MODEL, retrievers=RETRIEVERS, intent=intent)


@pytest.mark.parametrize("intent", INTENTS)
def test_ranks_and_scores_agree(intent: str) -> None:
    for strategy in ("direct", "weighted_rrf"):
        hits = ask("Cart total", intent=intent, strategy=strategy).hits

        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        for hit in hits:
            assert hit.score == pytest.approx(sum(part.score for part in hit.parts) * hit.boost * hit.demotion)


def test_few_sensible_questions_come_back_empty() -> None:
    questions = [
        "who calls Cart.total?", "who calls rate?", "where is Cart defined?", "def total", "class Cart", "invoice", "cart.total()",
        "VAT rate", "qui appelle rate ?", "où est défini Cart", "what breaks if I rename rate?", "what depends on Cart",
        "code like rate", '"shipping"', "how are prices added", "why is the total zero", "explain invoices", "test_total",
        "prices.append", "impact of invoice",
    ]  # fmt: skip

    empty = [question for question in questions if not ask(question).hits]

    assert empty == []


def cannot_look(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    raise CannotLook("Not today.")


def test_when_nobody_can_look_the_answer_says_so_and_does_not_pretend() -> None:
    answer = search("how is it billed", SHOP, MODEL, retrievers=dict.fromkeys(RETRIEVERS, cannot_look))

    assert answer.hits == ()
    assert answer.retrievers == ()
    assert answer.notes == ("Not today.",) * 3


def test_hits_point_at_symbols_and_chunks_of_the_snapshot() -> None:
    for question in ("who calls rate?", "where is Cart defined?", "how are prices added"):
        for hit in ask(question).hits:
            assert SHOP.path(int(SHOP.parts["chunks"]["file"][hit.chunk])) == hit.path
            assert place_of(SHOP, hit.symbol).split("::")[0] == hit.path


def test_a_late_retriever_is_named_and_not_waited_for() -> None:
    released = Event()

    def late(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        released.wait(60)
        return []

    answer = search("how is the total made", SHOP, MODEL, retrievers={**RETRIEVERS, "structural": late}, deadline=0.5)
    released.set()

    assert (answer.retrievers, answer.late) == (("semantic", "text"), ("structural",))
    assert answer.notes == ("Looking at the definitions took more than 0.5 seconds, and was not waited for.",)
    assert answer.hits


def test_retrievers_run_in_parallel_where_there_is_a_deadline() -> None:
    all_here = Barrier(3, timeout=60)

    def meet(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        all_here.wait()  # only passes when all three are there at once
        return []

    answer = search("how is the total made", SHOP, MODEL, retrievers=dict.fromkeys(RETRIEVERS, meet), deadline=60)

    assert answer.retrievers == ("semantic", "text", "structural")


@pytest.mark.parametrize(
    "question", ["who calls Cart.total?", "how is the total made", "/ra.e/", '"shipping"', "what breaks if I rename rate?"]
)
def test_with_a_deadline_the_answer_is_the_same(question: str) -> None:
    assert ask(question, deadline=60) == ask(question)


def test_a_fault_in_a_retriever_is_not_hidden_by_its_thread() -> None:
    def broken(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search("how is the total made", SHOP, MODEL, retrievers={**RETRIEVERS, "text": broken}, deadline=60)


def test_uses_are_counted_by_kind_and_tier_whatever_is_shown() -> None:
    answer = ask("who calls shop.cart.Cart.total?", limit=1)

    assert answer.uses == (UseCount("calls", "proved", 1, 1), UseCount("calls", "likely", 2, 1))
    assert (len(answer.hits), answer.total) == (1, 3)
    assert [(hit.use, hit.tier) for hit in answer.hits] == [("calls", "proved")]


def test_uses_that_could_not_be_resolved_are_counted_apart() -> None:
    shop = a_snapshot(
        files=["a.py", "b.py"],
        symbols=[("a.py", "pay", "function", 1, 1), ("b.py", "run", "function", 1, 4)],
        edges=[("b.py::run", "a.py::pay", "call", "proved", 2)],
        open_sites=[("b.py::run", "pay", 3, "receiver"), ("b.py::run", "pay", 4, "receiver")],
    )

    answer = search("who calls pay?", shop, None)

    assert answer.uses == (UseCount("calls", "proved", 1, 1), UseCount("uses some", "unresolved", 2, 1))
    assert [(hit.line, hit.tier) for hit in answer.hits] == [(2, "proved"), (3, "unresolved"), (4, "unresolved")]


def test_a_use_of_a_function_with_several_signatures_is_one_use() -> None:
    shop = a_snapshot(
        files=["a.py", "b.py"],
        symbols=[("a.py", "Bank.pay", "method", 2, 2), ("a.py", "Till.pay", "method", 4, 4), ("b.py", "run", "function", 1, 4)],
        edges=[("b.py::run", f"a.py::{owner}.pay", "call", "likely", 2) for owner in ("Bank", "Till")],
    )

    answer = search("who calls pay?", shop, None)

    assert ([hit.line for hit in answer.hits], answer.uses) == ([2], (UseCount("calls", "likely", 1, 1),))


def test_what_a_symbol_calls() -> None:
    answer = ask("what does invoice call?")

    assert [(hit.path, hit.line, hit.why) for hit in answer.hits] == [
        ("shop/cart.py", 2, "is called by `invoice` on line 2 of `shop/invoice.py` (likely)")
    ]
    assert answer.uses == ()


def test_how_one_symbol_reaches_another() -> None:
    answer = ask("how does invoice reach rate?")

    assert (answer.query.subject, answer.query.other, answer.fusion_strategy) == ("invoice", "rate", "direct")
    assert [(hit.path, hit.line, hit.why) for hit in answer.hits] == [
        ("shop/invoice.py", 2, "step 1: `invoice` calls `total` on line 2 (likely)"),
        ("shop/cart.py", 3, "step 2: `Cart.total` calls `rate` on line 3"),
    ]


def test_where_nothing_leads_from_one_to_the_other_the_answer_says_so() -> None:
    answer = ask("how does rate reach invoice?")

    assert answer.notes[0] == "No chain of known uses leads from the one to the other; an unclear use may."
    assert ask("how does rate reach nobody?").notes[0] == "No symbol here is named `nobody`."


def test_an_empty_answer_says_what_was_looked_at() -> None:
    assert ask("/no such text at all/").notes[-1] == "Nothing was found. Looked at: the text, the definitions of 5 files."
    assert ask("/shipping/", paths=("shop/tax.py",)).notes[-1] == "Nothing was found. Looked at: the text, the definitions of 1 file."
    assert "No file here fits path nowhere" in ask("rate", paths=("nowhere",)).notes[0]


def test_a_literal_that_is_nowhere_is_followed_by_what_speaks_of_its_words() -> None:
    answer = ask('"VAT rates of countries"')

    assert answer.fusion_strategy == "weighted_rrf"
    assert (answer.hits[0].path, answer.hits[0].why.split(" speaks")[0]) == (
        "shop/tax.py",
        "nowhere is `VAT rates of countries` written, but this",
    )


def test_a_mistyped_first_letter_does_not_hide_the_name() -> None:
    assert ask("who calls `nvoice`?").nearest == ("invoice",)
    assert ask("where is Kart defined?").nearest == ("Cart", "cart")


def test_a_pattern_in_any_case_and_as_a_whole_word() -> None:
    assert {hit.path for hit in ask('"vat"i').hits} == {"shop/tax.py"}
    assert {hit.path for hit in ask('"ship"w').hits if "nowhere" not in hit.why} == set()
    assert {hit.path for hit in ask("/SHIP\\w+/i").hits} == {"shop/invoice.py"}


def test_paths_and_languages_can_be_asked_for() -> None:
    assert {hit.path for hit in ask("rate", paths=("shop",)).hits} <= {path for path in FILES if path.startswith("shop/")}
    assert {hit.path for hit in ask("Cart", paths=("vendor/",)).hits} == {"vendor/cart.py"}
    assert {hit.path for hit in ask("Cart", paths=("cart.py",)).hits} == {"shop/cart.py", "vendor/cart.py"}
    with pytest.raises(QuestionError, match="not a language"):
        ask("Cart", languages=("klingon",))


HOSTILE = {
    "10 kB of a word": "a" * 10_000,
    "10 kB of words": "how does login work " * 500,
    "10 kB of a long literal": '"' + "x" * 390 + '"' + " y" * 4_800,
    "control characters": "\x00\x1b[31mwho\x07 calls\x08 rate\r\n\u202e",
    "a regular expression that explodes elsewhere": "/(a+)+$/",
    "a regular expression that is huge": "/(((((a{1,100}){1,100}){1,100}/",
    "a regular expression that is none": "/(/",
    "only stop words": "the of and is",
    "stop words in French": "le la les de",
    "another script": "税率はどこで計算されますか",
    "right to left": "كيف يعمل الدفع؟",
    "emoji": "🔥🔥🔥",
    "combining marks": "e" + "\u0301" * 500,
    "lone surrogates": "\ud800\udfff",
    "a query over trees that is none": "((((@x",
    "backticks": "`" * 300,
    "quotes": '"' * 301,
    "slashes": "/" * 500,
    "dots": "a." * 250,
    "a format string": "%s%n{0.__class__}${jndi:ldap://x}",
    "a path out of the repository": "../../../../etc/passwd",
}


@pytest.mark.parametrize("question", HOSTILE.values(), ids=HOSTILE)
def test_hostile_questions_get_an_answer_or_a_sentence(question: str) -> None:
    try:
        answer = ask(question, deadline=30)
    except QuestionError as refused:
        assert str(refused).endswith((".", "?"))
        return
    assert answer.late == ()
    assert answer.hits or answer.notes
    assert all(hit.path in FILES for hit in answer.hits)


def test_a_long_question_is_read_up_to_a_limit_and_says_so() -> None:
    assert ask("how is the total made " * 200).notes[0] == "The question has 4,400 characters; the first 2,000 were read."


KINDS = a_snapshot(
    files=["shop/cart.py", "shop/big.py", "shop/uses.py"],
    symbols=[
        ("shop/cart.py", "Cart", "class", 1, 3),
        ("shop/cart.py", "Cart.total", "method", 2, 3),
        ("shop/big.py", "BigCart", "class", 1, 3),
        ("shop/big.py", "BigCart.total", "method", 2, 3),
        ("shop/uses.py", "run", "function", 2, 5),
    ],
    edges=[
        ("shop/big.py::BigCart", "shop/cart.py::Cart", "inherit", "proved", 1),
        ("shop/big.py::BigCart.total", "shop/cart.py::Cart.total", "override", "proved", 2),
        ("shop/uses.py", "shop/cart.py::Cart", "import", "proved", 1),
        ("shop/uses.py::run", "shop/cart.py::Cart", "call", "proved", 3),
        ("shop/uses.py::run", "shop/cart.py::Cart.total", "write", "proved", 4),
        ("shop/uses.py::run", "shop/cart.py::Cart.total", "call", "proved", 5),
    ],
)


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("subclasses of Cart", ["shop/big.py:1"]),
        ("which classes extend Cart?", ["shop/big.py:1"]),
        ("quelles classes héritent de Cart ?", ["shop/big.py:1"]),
        ("what overrides shop.cart.Cart.total?", ["shop/big.py:2"]),
        ("who imports Cart?", ["shop/uses.py:1"]),
        ("who sets shop.cart.Cart.total?", ["shop/uses.py:4"]),
        ("who calls shop.cart.Cart.total?", ["shop/uses.py:5", "shop/big.py:2", "shop/uses.py:4"]),
        ("what depends on shop/cart.py?", ["shop/big.py:1", "shop/big.py:2", "shop/uses.py:3", "shop/uses.py:1"]),
    ],
)
def test_uses_of_one_kind_answer_a_question_about_that_kind(question: str, places: list[str]) -> None:
    answer = search(question, KINDS, None)

    assert answer.fusion_strategy == "direct"
    assert [f"{hit.path}:{hit.line}" for hit in answer.hits] == places


def test_where_there_is_none_of_the_kind_the_answer_says_so_and_shows_what_else_is_known() -> None:
    answer = search("subclasses of BigCart", KINDS, None)

    assert answer.notes[0] == "Nothing is known to extend or implement it."


def test_a_slip_in_the_name_of_a_definition_is_forgiven() -> None:
    answer = ask("where is invoise defined?")

    assert (answer.hits[0].path, answer.hits[0].why) == ("shop/invoice.py", "is named nearly like `invoise`")


def test_beside_others_only_what_is_really_near_in_meaning_has_a_vote() -> None:
    def near(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        return [Hit("shop/tax.py", 1, 3, 0, row_of(SHOP, "shop/tax.py::rate"), score, "is close in meaning") for score in (0.9, 0.1)]

    def words(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        return [Hit("shop/cart.py", 1, 1, -1, -1, 1.0, "speaks of it")]

    nobody: Mapping[str, Retriever] = dict.fromkeys(RETRIEVERS, lambda query, snapshot, limit: [])
    both = search("how is the total made", SHOP, MODEL, retrievers={**nobody, "semantic": near, "text": words})
    alone = search("how is the total made", SHOP, MODEL, retrievers={**nobody, "semantic": lambda *asked: near(*asked)[1:]})

    assert [part.retriever for hit in both.hits for part in hit.parts] == ["semantic", "text"]
    assert [hit.path for hit in alone.hits] == ["shop/tax.py"]


def test_of_a_sentence_every_name_is_looked_for_and_no_name_that_only_shares_a_word() -> None:
    answer = search("Fix crash in Cart.total when test_total is called", SHOP, None, strategy="direct")

    assert [(hit.path, hit.why) for hit in answer.hits] == [
        ("shop/cart.py", "is `Cart.total`"),
        ("tests/test_cart.py", "is named `test_total`"),
        ("vendor/cart.py", "is `Cart.total`"),
    ]


def test_a_literal_in_a_sentence_is_found_first_and_then_what_speaks_of_the_rest() -> None:
    answer = ask('the "VAT rate" is wrong in the invoice of a cart, why?', strategy="weighted_rrf")

    assert (answer.hits[0].path, answer.hits[0].why) == ("shop/tax.py", "has `VAT rate` on line 2")
    assert "shop/invoice.py" in {hit.path for hit in answer.hits}


def test_results_with_little_of_what_was_asked_are_counted_apart_where_they_come_last() -> None:
    shop = a_snapshot(
        files={
            "a.py": "def refund():\n    # give money back for a broken parcel\n    pass\n",
            "b.py": "def ship():\n    # a parcel\n    pass\n",
        },
        symbols=[("a.py", "refund", "function", 1, 3), ("b.py", "ship", "function", 1, 3)],
    )

    answer = search("give money back for a broken parcel", shop, None)
    nothing = search("kubernetes clusters with a parcel", shop, None)

    assert [(hit.path, hit.weak) for hit in answer.hits] == [("a.py", False), ("b.py", True)]
    assert (answer.total, answer.weaker) == (2, 1)
    assert nothing.total == nothing.weaker > 0


def test_more_of_the_same_is_not_the_thing_itself() -> None:
    shop = a_snapshot(
        files={
            "a.py": "def add_tax(price, rate):\n    return round(price * rate, 2)\n",
            "b.py": "def with_tax(price, rate):\n    return round(price + price * rate, 2)\n",
            "c.py": "print(add_tax)\n",
        },
        symbols=[("a.py", "add_tax", "function", 1, 2), ("b.py", "with_tax", "function", 1, 2)],
    )

    answer = search("code like add_tax", shop, None)

    assert answer.query.intent == "find_similar"
    assert answer.hits[0].path == "b.py"
    assert "a.py" not in {hit.path for hit in answer.hits}


def test_who_uses_a_name_says_where_else_it_is_written() -> None:
    shop = a_snapshot(
        files={"a.py": "TAX_RATE = 2\n", "b.py": "import a\nprint(a.TAX_RATE)\n", "c.py": 'setting("TAX_RATE")  # TAX_RATE\n'},
        symbols=[("a.py", "TAX_RATE", "constant", 1, 1)],
        edges=[("b.py", "a.py::TAX_RATE", "read", "proved", 2)],
    )

    answer = search("who uses TAX_RATE?", shop, None)

    assert answer.notes == (
        "`TAX_RATE` also stands on 1 line of 1 file where no use of it is known, as in strings and comments: "
        'ask for `"TAX_RATE"` to see them.',
    )


@pytest.mark.parametrize(
    ("question", "paths"), [("async functions in shop/web", ("shop/web",)), ("async functions in shop/desk", ()), ("async functions", ())]
)
def test_a_folder_that_is_here_says_where_to_look(question: str, paths: tuple[str, ...]) -> None:
    shop = a_snapshot(files={"shop/web/a.py": "async def sell(): pass\n"}, symbols=[("shop/web/a.py", "sell", "function", 1, 1)])

    assert search(question, shop, None).query.paths == paths


def test_a_file_that_is_not_here_is_not_taken_for_a_slip_of_a_name() -> None:
    shop = a_snapshot(files={"text.py": "def text(): ...\n"}, symbols=[("text.py", "text", "function", 1, 1)])

    answer = search("where is the robots.txt middleware?", shop, None)

    assert answer.notes[0] == "No file here is called `robots.txt`."
    assert answer.nearest == ()


def test_user_is_no_slip_of_used() -> None:
    assert search("what is the default user agent", SHOP, None).query.intent == "understand_code"


@pytest.mark.parametrize("question", ["???", "the of and to", "le la les de", '""', "`" * 200, "." * 300, "🕷️", "//"])
def test_a_question_without_a_word_that_tells_says_so(question: str) -> None:
    with pytest.raises(QuestionError, match="tells what to look for"):
        search(question, SHOP, MODEL)


def test_other_letters_are_looked_for_as_they_are_written() -> None:
    shop = a_snapshot(files={"a.py": "# 计算税率\nrate = 2\n"})

    assert [hit.path for hit in search("计算税率", shop, MODEL).hits] == ["a.py"]
    assert search("购物车在哪里", SHOP, MODEL).hits == ()


def test_one_word_that_is_a_name_here_asks_where_it_is_defined() -> None:
    answer = search("Cart", SHOP, MODEL)

    assert (answer.query.intent, answer.confidence, answer.rule) == ("find_definition", 0.6, "a name that is here")
    assert answer.hits[0].symbol in SHOP.symbols_named("Cart").tolist()
