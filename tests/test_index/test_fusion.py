"""The numbers of the fusion, each as it is promised."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.fusion import profiles
from index.fusion.best_per_file import best_per_file
from index.fusion.factors import boost, demotion, with_factors
from index.fusion.reciprocal_rank import fuse
from index.intent.classify import Understood
from index.types import Hit, PathKind
from support.snapshots import a_snapshot, row_of


def a_hit(
    path: str = "a.py", line: int = 1, chunk: int = -1, symbol: int = -1, score: float = 1.0, why: str = "", to: int | None = None
) -> Hit:
    return Hit(path, line, to or line, chunk, symbol, score, why)


@pytest.mark.parametrize(
    ("intent", "semantic", "text", "structural", "graph"),
    [
        ("find_definition", 0.2, 0.1, 0.6, 0.1),
        ("find_references", 0.1, 0.2, 0.2, 0.5),
        ("understand_code", 0.5, 0.2, 0.2, 0.1),
        ("find_similar", 0.4, 0.3, 0.2, 0.1),
        ("impact_analysis", 0.1, 0.1, 0.1, 0.7),
        ("exact_match", 0.0, 0.9, 0.1, 0.0),
        ("locate_problem", 0.3, 0.3, 0.4, 0.0),
    ],
)
def test_weights(intent: str, semantic: float, text: float, structural: float, graph: float) -> None:
    assert profiles.WEIGHTS[intent] == {"semantic": semantic, "text": text, "structural": structural, "graph": graph}


def test_there_are_seven_intents_and_their_weights_add_up() -> None:
    assert len(profiles.WEIGHTS) == 7
    assert all(math.isclose(sum(weights.values()), 1.0) for weights in profiles.WEIGHTS.values())


def test_the_lists_of_a_report_add_up_to_the_weights_of_their_retrievers() -> None:
    added = {name: math.fsum(one.weight for one in profiles.REPORT_LISTS if one.retriever == name) for name in profiles.CHEAPEST_FIRST}

    assert added == pytest.approx(profiles.WEIGHTS["locate_problem"])


def test_by_file_many_hits_in_one_file_take_no_places_of_the_next() -> None:
    lists = {"text": [a_hit("a.py", 1), a_hit("a.py", 9), a_hit("b.py", 3)], "places": [a_hit("b.py", 7)]}

    found = fuse(lists, {"text": 0.2, "places": 0.3}, 10, by_file=True)

    assert [(hit.path, hit.line) for hit in found] == [("b.py", 7), ("a.py", 1)]
    assert {hit.path: hit.score for hit in found} == pytest.approx({"a.py": 0.2 / 11, "b.py": 0.2 / 12 + 0.3 / 11})


@pytest.mark.parametrize(
    ("intent", "default"),
    [
        ("find_definition", ("structural", "semantic", "text")),  # text before graph: the cheaper of equal weights
        ("find_references", ("graph", "text", "structural")),
        ("understand_code", ("semantic", "text", "structural")),
        ("find_similar", ("semantic", "text", "structural")),
        ("impact_analysis", ("graph", "text", "structural")),
        ("exact_match", ("text", "structural")),  # a weight of 0.0 never runs
    ],
)
def test_who_runs(intent: str, default: tuple[str, ...]) -> None:
    assert profiles.retrievers_for(intent, "default") == default
    assert set(profiles.retrievers_for(intent, "thorough")) == {name for name, weight in profiles.WEIGHTS[intent].items() if weight > 0}


def test_quick_is_semantic_only_but_never_for_an_exact_string() -> None:
    assert {intent: profiles.retrievers_for(intent, "quick") for intent in profiles.INTENTS} == {
        **dict.fromkeys(profiles.INTENTS, ("semantic",)),
        "exact_match": ("text",),
    }


def test_k_of_the_presets() -> None:
    assert (profiles.PRESETS["default"].k, profiles.PRESETS["thorough"].k) == (40, 60)


@pytest.mark.parametrize(
    ("intent", "retriever"),
    [("find_definition", "structural"), ("find_references", "graph"), ("impact_analysis", "graph"), ("exact_match", "text")],
)
def test_the_dominant_retriever(intent: str, retriever: str) -> None:
    assert profiles.dominant(intent) == retriever


@pytest.mark.parametrize(
    ("changed", "direct"),
    [
        ({}, True),
        ({"confidence": 0.85}, True),
        ({"confidence": 0.84}, False),
        ({"words": 12}, True),
        ({"words": 13}, False),
        ({"subjects": ("Cart", "Bill")}, False),
        ({"subjects": ("Cart", "Bill"), "wants": "path"}, True),
        ({"subjects": ()}, False),
        ({"second_clause": True}, False),
        ({"subject_kind": "topic"}, False),
        ({"subject_kind": "literal"}, True),
    ],
)
def test_a_question_goes_direct_from_085_on_with_one_subject_a_dozen_words_at_most_and_no_second_clause(
    changed: dict[str, object], direct: bool
) -> None:
    clear = Understood("find_references", 0.90, "who calls", "Cart", "symbol", ("Cart",), 3, False)

    assert profiles.goes_direct(replace(clear, **changed)) == direct  # type: ignore[arg-type]


def test_a_contribution_is_weight_over_k_plus_rank_plus_one() -> None:
    lists = {"text": [a_hit("a.py"), a_hit("b.py")], "graph": [a_hit("b.py"), a_hit("c.py")]}

    found = fuse(lists, {"text": 0.2, "graph": 0.5}, 40)

    assert {hit.path: hit.score for hit in found} == pytest.approx({"a.py": 0.2 / 41, "b.py": 0.2 / 42 + 0.5 / 41, "c.py": 0.5 / 42})
    assert [hit.path for hit in found] == ["b.py", "c.py", "a.py"]


def test_raw_scores_do_not_count() -> None:
    loud = fuse({"text": [a_hit("a.py", score=137.0)], "graph": [a_hit("b.py", score=0.004)]}, {"text": 0.2, "graph": 0.5}, 60)

    assert [hit.path for hit in loud] == ["b.py", "a.py"]


def test_a_result_explains_itself() -> None:
    lists = {"text": [a_hit("x.py"), a_hit("a.py", why="holds it")], "graph": [a_hit("a.py", why="calls `f` on line 1")]}

    found = fuse(lists, {"text": 0.2, "graph": 0.5}, 60)[0]

    assert found.why == "calls `f` on line 1"
    assert [(part.retriever, part.rank, part.weight) for part in found.parts] == [("graph", 0, 0.5), ("text", 1, 0.2)]
    assert found.score == pytest.approx(sum(part.score for part in found.parts))
    assert found.parts[1].score == pytest.approx(0.2 / 62)


def test_hits_of_one_chunk_are_one_result_at_its_best_rank() -> None:
    lists = {"text": [a_hit("a.py", 5, chunk=7), a_hit("a.py", 9, chunk=7)], "semantic": [a_hit("a.py", 1, chunk=7)]}

    found = fuse(lists, {"text": 0.2, "semantic": 0.5}, 60)

    assert [(hit.line, [part.rank for part in hit.parts]) for hit in found] == [(5, [0, 0])]


def test_with_every_site_two_call_sites_of_a_chunk_stay_two_results() -> None:
    lists = {
        "graph": [a_hit("a.py", 5, chunk=7), a_hit("a.py", 9, chunk=7)],
        "text": [a_hit("a.py", 9, chunk=7)],
        "semantic": [a_hit("a.py", 1, chunk=7, to=20), a_hit("b.py", 1, chunk=8, to=9)],
    }

    found = fuse(lists, {"graph": 0.5, "text": 0.2, "semantic": 0.1}, 60, every_site=True)

    assert [(hit.path, hit.line, sorted(part.retriever for part in hit.parts)) for hit in found] == [
        ("a.py", 9, ["graph", "semantic", "text"]),
        ("a.py", 5, ["graph", "semantic"]),
        ("b.py", 1, ["semantic"]),
    ]


def test_with_every_site_a_chunk_that_mentions_a_name_counts_for_the_sites_between_its_mentions_only() -> None:
    lists = {
        "graph": [a_hit("a.py", 5, chunk=7), a_hit("a.py", 19, chunk=7)],
        "text": [a_hit("a.py", 5, chunk=7, to=9), a_hit("b.py", 3, chunk=8, to=4)],
        "structural": [a_hit("b.py", 2, chunk=8, to=30)],
    }

    found = fuse(lists, {"graph": 0.5, "text": 0.2, "structural": 0.1}, 60, every_site=True)

    assert [(hit.path, hit.line, [part.retriever for part in hit.parts]) for hit in found] == [
        ("a.py", 5, ["graph", "text"]),
        ("a.py", 19, ["graph"]),
        ("b.py", 3, ["text", "structural"]),
    ]


@given(st.permutations(["text", "graph", "semantic", "structural"]))
def test_the_order_of_the_lists_changes_nothing(names: list[str]) -> None:
    hits = {
        name: [a_hit(f"{path}.py", line, ord(path), to=line + 2 * (name < "s")) for path in "abc" for line in (3, 1, 2)] for name in names
    }

    for every_site in (False, True):
        found = fuse({name: hits[name] for name in names}, profiles.WEIGHTS["find_references"], 60, every_site=every_site)

        expected = fuse({name: hits[name] for name in sorted(names)}, profiles.WEIGHTS["find_references"], 60, every_site=every_site)
        assert found == expected


def test_equal_scores_come_by_path_then_line() -> None:
    lists = {"text": [a_hit("b.py", 2)], "graph": [a_hit("a.py", 9)], "structural": [a_hit("a.py", 4)]}

    found = fuse(lists, dict.fromkeys(lists, 0.2), 60)

    assert [(hit.path, hit.line) for hit in found] == [("a.py", 4), ("a.py", 9), ("b.py", 2)]


@pytest.mark.parametrize(
    ("centrality", "factor"),
    [
        (0.0, 1.0),
        (1.0, 1 + 0.3 * math.log(2)),
        (3.0, 1 + 0.3 * math.log(4)),
        (math.exp(0.5 / 0.3) - 1, 1.5),
        (5.0, 1.5),
        (1e9, 1.5),
        (-1.0, 1.0),
    ],
)
def test_boost_and_its_cap(centrality: float, factor: float) -> None:
    assert boost(centrality) == pytest.approx(factor)
    assert boost(centrality) <= 1.5


@pytest.mark.parametrize("kind", [PathKind.VENDOR, PathKind.BUILD, PathKind.ARCHIVE, PathKind.GENERATED])
def test_vendored_built_archived_and_generated_paths_are_demoted(kind: PathKind) -> None:
    assert demotion(kind) < 1


@pytest.mark.parametrize("kind", [PathKind.SOURCE, PathKind.TEST, PathKind.DOCS])
def test_other_paths_are_not(kind: PathKind) -> None:
    assert demotion(kind) == 1


def test_boost_and_demotion_multiply_the_score_and_are_said() -> None:
    shop = a_snapshot(
        files=["shop.py", "vendor/lib.py"],
        symbols=[("shop.py", "pay", "function", 1, 1), ("vendor/lib.py", "pay", "function", 1, 1)],
        rank={"shop.py::pay": 1.0, "vendor/lib.py::pay": 1e6},
    )
    hits = [
        a_hit("vendor/lib.py", symbol=row_of(shop, "vendor/lib.py::pay"), score=0.1),
        a_hit("shop.py", symbol=row_of(shop, "shop.py::pay"), score=0.1),
    ]

    found = with_factors(hits, shop)

    assert [(hit.path, hit.boost, hit.demotion) for hit in found] == [
        ("shop.py", pytest.approx(1 + 0.3 * math.log(2)), 1.0),
        ("vendor/lib.py", 1.5, demotion(PathKind.VENDOR)),
    ]
    assert found[0].score == pytest.approx(0.1 * (1 + 0.3 * math.log(2)))
    assert found[1].score == pytest.approx(0.1 * 1.5 * demotion(PathKind.VENDOR))


def test_a_demoted_result_at_the_top_of_every_list_falls_behind_an_ordinary_one_at_their_end() -> None:
    assert 1.5 * demotion(PathKind.VENDOR) / 61 < 1.0 / 120


def test_the_best_of_each_file_is_kept() -> None:
    hits = [a_hit("a.py", 5), a_hit("b.py", 1), a_hit("a.py", 2), a_hit("c.py", 1), a_hit("b.py", 3)]

    assert [(hit.path, hit.line) for hit in best_per_file(hits)] == [("a.py", 5), ("b.py", 1), ("c.py", 1)]
