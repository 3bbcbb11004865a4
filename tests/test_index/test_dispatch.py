"""What hangs on which classes there are: closures, groups and receivers against plain loops."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.build import build
from index.resolver.closures import Grouped, closed, pairs_of
from index.types import EdgeKind, Tier

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


def reached(found: list[tuple[int, int]], start: int) -> set[int]:
    """Everything that pairs lead to, one step at a time."""
    after, todo = set[int](), [start]
    while todo:
        here = todo.pop()
        for left, right in found:
            if left == here and left != right and right not in after:
                after.add(right)
                todo.append(right)
    return after


@given(pairs)
def test_a_closure_holds_what_a_walk_reaches(found: list[tuple[int, int]]) -> None:
    table = np.array(found, np.int64).reshape(-1, 2)

    closure = closed(pairs_of(table[:, 0], table[:, 1]))

    assert {tuple(pair) for pair in closure.tolist()} == {(start, end) for start in range(10) for end in reached(found, start)}


@pytest.mark.parametrize("size", [10, 10_000])  # in the second keys are looked for, until they are many
@given(pairs, st.lists(st.integers(0, 9), max_size=6))
def test_grouped_pairs_are_a_dictionary_of_lists(size: int, found: list[tuple[int, int]], keys: list[int]) -> None:
    table = np.array(found, np.int64).reshape(-1, 2)
    lists: dict[int, list[int]] = defaultdict(list)
    for key, value in sorted(found):
        lists[key].append(value)

    grouped = Grouped(table[:, 0], table[:, 1], size)
    rows, values = grouped.of(np.array(keys, np.int64), np.arange(len(keys)))

    assert grouped.counts(np.array(keys, np.int32)).tolist() == [len(lists[key]) for key in keys]
    for _ in range(40):
        assert [grouped[key] for key in keys] == [lists[key] for key in keys]
    assert list(zip(rows.tolist(), values.tolist(), strict=True)) == [(row, value) for row, key in enumerate(keys) for value in lists[key]]


def edges(source: str) -> set[tuple[int, str, Tier]]:
    """(line, name of what is called there, tier) of a file's calls."""
    snapshot = build({b"a.py": source.encode()})
    found = [snapshot.edge(row) for row in range(len(snapshot.parts["edges"]["source"]))]
    return {(edge.line, edge.target.qualified, edge.tier) for edge in found if edge.kind is EdgeKind.CALL}


def test_a_call_on_what_was_made_there_runs_one_method_and_on_what_was_handed_over_any_of_them() -> None:
    found = edges(
        "class Base:\n    def price(self): ...\nclass Gift(Base):\n    def price(self): ...\n"
        "def made():\n    return Base()\n"
        "def exact():\n    made().price()\n"
        "def handed(item: Base, kind: type[Base]):\n    item.price()\n    kind().price()\n"
    )

    assert {(name, tier) for line, name, tier in found if line == 8} == {("made", Tier.PROVED), ("Base.price", Tier.LIKELY)}
    assert {(name, tier) for line, name, tier in found if line == 10} == {("Base.price", Tier.PROVED), ("Gift.price", Tier.LIKELY)}
    assert {name for line, name, _ in found if line == 11} == {"Base", "Base.price", "Gift.price"}


def test_a_method_with_more_overrides_than_can_be_listed_is_left_to_them() -> None:
    classes = "".join(f"class C{number}(Base):\n    def run(self): ...\n" for number in range(9))
    found = edges(f"class Base:\n    def run(self): ...\n{classes}def go(item: Base):\n    item.run()\n")

    assert {name for _, name, _ in found} == {"Base.run"}


MANY = "".join(f"class C{number}(Base):\n    def run(self): ...\n" for number in range(9))


def open_callers(code: str, of: str) -> set[str]:
    snapshot = build({b"a.py": code.encode()})
    row = snapshot.find("a.py", of)
    assert row is not None
    _, positions = snapshot.open_calls.of(np.array([row]))
    edges = snapshot.reverse["edge"][positions]
    return {snapshot.edge(edge).source.qualified for edge in edges.tolist()}


def test_a_call_that_may_run_too_many_overrides_is_known_to_each_of_them() -> None:
    code = f"class Base:\n    def run(self): ...\n    def go(self):\n        self.run()\n{MANY}"
    code += "def made():\n    Base().run()\ndef given(item: Base):\n    item.run()\n"
    code += "class Below(C1):\n    def run(self):\n        super().run()\n"

    assert open_callers(code, "C3.run") == {"Base.go", "given"}
    assert open_callers(code, "Below.run") == {"Base.go", "given"}  # by the class between
    assert open_callers(code, "Base.run") == set()


USES_BOX = " b.size = 2\n b.size += 1\n return b.size\n"
BOXES = {
    "a.ts": "class Box {\n get size() { return 1 }\n set size(x) { }\n}\nfunction f(b: Box) {\n" + USES_BOX + "}\n",
    "a.py": "class Box:\n @property\n def size(self): ...\n @size.setter\n def size(self, x): ...\ndef f(b: Box):\n" + USES_BOX,
}


@pytest.mark.parametrize(("path", "code"), BOXES.items(), ids=BOXES)
def test_a_setter_runs_on_writing_and_a_getter_on_reading(path: str, code: str) -> None:
    snapshot = build({path.encode(): code.encode()})
    found = [snapshot.edge(row) for row in range(len(snapshot.parts["edges"]["source"]))]
    reached = [(edge.line, edge.target.line) for edge in found if edge.kind is EdgeKind.ACCESS]

    lines = code.split("\n")
    first = next(at for at, line in enumerate(lines, 1) if "b.size = 2" in line)
    getter, setter = (at for at, line in enumerate(lines, 1) if "size(" in line and "f(" not in line)
    assert reached == [(first, setter), (first + 1, getter), (first + 1, setter), (first + 2, getter)]
