"""The order of what is shown, and the other files and tests that a change concerns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.files.kinds import kind_of
from index.impact.history import cochange, ranked
from index.impact.nouns import ChangedSymbol, ChangeKind
from index.impact.questions import QUESTIONS, questions_for
from index.impact.rank import CHANGE, PLACE_WEIGHTS, SURE, SYMBOL_WEIGHTS, USE
from index.impact.reach import TRAVELS, Walks, wave
from index.impact.related_files import WEIGHTS, K, distance, fuse, named_for, near, recent, stem
from index.impact.shared_words import FileWords
from index.impact.subtokens import changed_lines, subtokens
from index.types import EdgeKind, FileChange, Symbol, SymbolKind, Tier
from support.changes import index_of
from support.reports import shop_report
from support.snapshots import a_snapshot


def a_symbol(name: str, kind: SymbolKind = SymbolKind.FUNCTION) -> Symbol:
    return Symbol(3, "a.py", name.rsplit(".", 1)[-1], name, kind, 1, 1, 2)


def test_every_kind_of_change_edge_and_tier_has_its_weight() -> None:
    assert set(CHANGE) == set(ChangeKind)
    assert set(USE) == set(TRAVELS) == set(EdgeKind)
    assert set(SURE) == set(Tier)


def test_scores_are_the_sum_of_their_parts() -> None:
    report = shop_report()

    for row in (*report.ranked, *report.reached, *report.files):
        assert abs(row.score - sum(part.value for part in row.parts)) < 1e-5
    assert {part.name for row in report.reached for part in row.parts} <= set(PLACE_WEIGHTS)
    assert {part.name for row in report.ranked for part in row.parts} <= set(SYMBOL_WEIGHTS)


def test_what_breaks_comes_before_what_merely_changed() -> None:
    report = shop_report()

    found = [(report.changed[row.changed].symbol.qualified, row.breaks) for row in report.ranked]

    assert found == [("old_total", 2), ("price", 2), ("RATE", 0)]


def test_a_place_one_step_away_comes_before_one_two_steps_away() -> None:
    report = shop_report()

    assert [(one.symbol.qualified, one.steps) for one in report.reached if one.symbol.path.startswith("api/")][-1] == ("Checkout.pay", 2)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]]]:
    count = draw(st.integers(2, 12))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node, st.integers(0, 2)), max_size=40))


@given(graphs())
@settings(max_examples=150)
def test_reach_is_what_a_plain_walk_finds(graph: tuple[int, list[tuple[int, int, int]]]) -> None:
    count, pairs = graph
    edges = [(f"a.py::f{a}", f"a.py::f{b}", "call", Tier(tier).label, a + 1) for a, b, tier in pairs if a != b]
    snapshot = a_snapshot(["a.py"], [("a.py", f"f{at}", "function", at + 1, at + 1) for at in range(count)], edges)
    rows = {at: snapshot.find("a.py", f"f{at}") for at in range(count)}

    walks = Walks(snapshot)
    for at in range(1, count):
        walks.wave([rows[at] or 0], [(rows[0] or 0, int(Tier.LIKELY))])  # leaves nothing behind that the next one sees
    found = walks.wave([rows[0] or 0])

    best: dict[int, tuple[int, int]] = {0: (0, 0)}
    frontier = {0}
    for step in (1, 2, 3):
        reached: dict[int, int] = {}
        for a, b, tier in pairs:
            if b in frontier and a not in best and a != b:
                reached[a] = min(reached.get(a, 9), max(tier, best[b][1]))
        best |= {a: (step, tier) for a, tier in reached.items()}
        frontier = set(reached)
    expected = {rows[at]: value for at, value in best.items() if at != 0}
    assert {int(s): (int(d), int(t)) for s, d, t in zip(found.symbols, found.steps, found.tiers, strict=True)} == expected


def test_every_hop_of_a_path_leads_one_step_nearer() -> None:
    edges = [
        ("a.py::f1", "a.py::f0", "call", "proved", 2),
        ("a.py::f2", "a.py::f1", "read", "likely", 3),
        ("a.py::f3", "a.py::f2", "call", "proved", 4),
    ]
    snapshot = a_snapshot(["a.py"], [("a.py", f"f{at}", "function", at + 1, at + 1) for at in range(4)], edges)
    found = wave(snapshot, [snapshot.find("a.py", "f0") or 0])

    hops = found.hops(snapshot, len(found.symbols) - 1, {})

    assert [(hop.source, hop.target, hop.line) for hop in hops] == [("f3", "f2", 4), ("f2", "f1", 3), ("f1", "f0", 2)]
    assert found.tiers[-1] == Tier.LIKELY
    assert np.array_equal(found.steps, [1, 2, 3])


def test_an_annotation_is_reached_and_passes_nothing_on() -> None:
    edges = [
        ("a.py::f1", "a.py::f0", "type", "proved", 2),
        ("a.py::f2", "a.py::f1", "call", "proved", 3),
        ("a.py::f3", "a.py::f0", "call", "likely", 4),
    ]
    snapshot = a_snapshot(["a.py"], [("a.py", f"f{at}", "function", at + 1, at + 1) for at in range(4)], edges)
    found = wave(snapshot, [snapshot.find("a.py", "f0") or 0])

    assert [snapshot.qualified(int(row)) for row in found.symbols] == ["f1", "f3"]


def test_importing_a_module_is_followed_only_where_the_module_itself_changed() -> None:
    edges = [("b.py", "a.py::f", "import", "proved", 1), ("b.py", "a.py", "import", "proved", 1)]
    snapshot = a_snapshot(["a.py", "b.py"], [("a.py", "f", "function", 1, 1)], edges)
    function, module, user = snapshot.find("a.py", "f"), snapshot.find("a.py", "<module>"), snapshot.find("b.py", "<module>")

    assert wave(snapshot, [function or 0]).symbols.tolist() == []
    assert wave(snapshot, [module or 0]).symbols.tolist() == [user]


def test_files_that_change_together_are_counted_without_sweeping_commits() -> None:
    commits = [["a", "b"], ["a", "b"], ["a", "c"], ["d"], ["a", *(f"x{number}" for number in range(40))]]
    found = cochange(commits, {"a"})

    assert ranked(found, {"a"}) == ["b", "c"]
    assert found.seen["a"] == 3
    assert found.together["a"]["b"] == 2
    assert found.score("b") > found.score("c") > found.score("d") == 0


def test_two_files_alone_in_a_commit_belong_together_more_than_two_of_many() -> None:
    commits = [["a", "many", *(f"x{number}" for number in range(20))]] * 2 + [["a", "few"]]

    assert ranked(cochange(commits, {"a"}), {"a"})[:2] == ["few", "many"]


def test_file_fusion_adds_what_each_view_gives() -> None:
    weights = dict(WEIGHTS)
    found = fuse({"words": ["x.py", "own.py", "y.py"], "uses": ["y.py"]}, {"own.py"}, {})

    assert [one.path for one in found] == ["y.py", "x.py"]
    assert found[0].score == pytest.approx(weights["words"] / (K + 2) + weights["uses"] / (K + 1), abs=1e-5)
    assert {part.name for one in found for part in one.parts} <= {name for name, _ in WEIGHTS}


def test_names_of_tests_lead_to_what_they_test() -> None:
    paths = ["tests/test_user.py", "src/user_test.go", "src/user.spec.ts", "src/UserTest.java", "src/group.py"]

    assert {stem(path) for path in paths[:4]} == {"user"}
    assert set(named_for("src/user.py", paths)) == set(paths[:4])
    assert distance("a/b/x.py", "a/c/y.py") == 2
    assert near("a/x.py", ["b/y.py", "a/z.py", "a/x.py"]) == ["a/z.py", "b/y.py"]


def test_words_of_a_change_leave_out_lines_that_only_moved_right() -> None:
    change = FileChange(b"a.py", b"a.py", "1" * 40, "2" * 40, 0o100644, 0o100644, 0, ((1, 2),), ((1, 3),))

    assert changed_lines(change, b"one()\ntwo()\n", b"if x:\n    one()\n    three()\n") == ["two()", "if x:", "    three()"]
    assert subtokens("parseHTTPHeader the_end") == ["parse", "http", "header", "end"]


def test_each_kind_of_change_asks_its_questions_once() -> None:
    before, after = a_symbol("old"), a_symbol("new")
    found = questions_for(ChangedSymbol(before, after, (ChangeKind.RENAMED, ChangeKind.MOVED, ChangeKind.BODY)))

    assert [(query.intent, query.subject) for query in found] == [
        ("find_references", "old"),
        ("impact_analysis", "old"),
        ("impact_analysis", "new"),
        ("find_references", "new"),
    ]
    assert {kind for kind, _ in QUESTIONS} == set(ChangeKind) - {ChangeKind.ADDED}


def test_the_same_change_gives_the_same_report() -> None:
    from index.impact.as_json import as_json

    assert json.dumps(as_json(shop_report())) == json.dumps(as_json(shop_report()))


def test_files_of_the_last_commits_come_first() -> None:
    assert recent([["a"], ["b"], ["b"], *([["c"]] * 200)])[:3] == ["c", "b", "a"]
    assert recent([["a"], ["b"]]) == ["a", "b"]


def test_rare_identifiers_and_words_rank_files() -> None:
    texts = {"a.py": "currency = 1\ncurrency_rate = 2\n", "b.py": "rate = currency\n", "c.py": "name = 1\n"}
    files = FileWords(index_of(texts, "1" * 40))

    assert files.by_identifiers(["currency", "currency_rate", "absent"]) == {"a.py": 1.5, "b.py": 0.5}
    assert sorted(files.by_parts(["currencyRate"])) == ["a.py", "b.py"]
    assert sorted(files.by_names(["currency_rate", "x"])) == ["a.py"]


def test_a_built_copy_comes_behind_what_it_was_built_from() -> None:
    views = {"words": ["deno_dist/router.ts", "src/router.test.ts"]}
    kinds = {path: kind_of(path.encode()) for path in views["words"]}

    found = fuse(views, frozenset(), kinds)

    assert [one.path for one in found] == ["src/router.test.ts", "deno_dist/router.ts"]
    assert all(one.score == pytest.approx(sum(part.value for part in one.parts)) for one in found)
