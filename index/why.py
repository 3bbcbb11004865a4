"""A snapshot and two symbols -> the shortest path of uses between them, in words."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from index.errors import QuestionError
from index.snapshot import Snapshot
from index.types import Edge, EdgeKind, Step, Tier

MAX_STEPS = 12
NEAREST = 5
_WALKED = frozenset(EdgeKind) - {EdgeKind.REEXPORT}
WORDS = {
    Step.SCOPE: "the same file", Step.IMPORT: "an import", Step.REEXPORT: "a re-export", Step.STAR: "a star import",
    Step.ATTRIBUTE: "an attribute", Step.SELF: "self", Step.SUPER: "super", Step.CONSTRUCT: "an instance made there",
    Step.DECLARED: "a declared type", Step.ASSIGN: "an assignment", Step.RETURN: "what a function returns",
    Step.ARGUMENT: "what callers pass", Step.ELEMENT: "an element", Step.DISPATCH: "an override", Step.IMPLICIT: "the language itself",
}  # fmt: skip


def find_symbol(snapshot: Snapshot, written: str) -> int:
    """`name`, `Class.name`, `module.name` or `path::Class.name` -> its row. Raises QuestionError where there is none, or more than one."""
    path, _, qualified = written.rpartition("::")
    named = snapshot.symbols_named(qualified.rpartition(".")[2]).tolist()
    rows = [row for row in named if f".{snapshot.qualified(row)}".endswith(f".{qualified}")]
    if not rows and not path:
        rows = [row for row in named if _in_module(snapshot, row, qualified)]
    if path:
        rows = [row for row in rows if snapshot.symbol(row).path in (path, path.removeprefix("./"))]
    exact = [row for row in rows if snapshot.qualified(row) == qualified]
    rows = exact or rows
    places = {(snapshot.symbol(row).path, snapshot.qualified(row)) for row in rows}
    if not rows:
        raise QuestionError(f"There is no symbol {written} here: write name, Class.name, module.name or path::Class.name.")
    if len(places) > 1:
        some = ", ".join(f"{one}::{name}" for one, name in sorted(places)[:NEAREST])
        raise QuestionError(f"{len(places)} symbols are called {written}: say which, for instance {some}.")
    return int(rows[-1])


def _in_module(snapshot: Snapshot, row: int, written: str) -> bool:
    """Is `shop.tax.rate` the `rate` of src/shop/tax.py? Or `shop.rate`, as who imports it from the package writes it?"""
    module = "." + snapshot.symbol(row).path.rpartition(".")[0].replace("/", ".") + "."
    owners = written.removesuffix(f".{snapshot.qualified(row)}")
    return owners != written and f".{owners}." in module


def explain(snapshot: Snapshot, source: int, target: int) -> list[str]:
    """One line a step from `source` (who uses) to `target` (what is used); surer edges first among equally short paths."""
    came: dict[int, int] = {source: -1}
    todo = deque([(source, 0)])
    edges, any_override = snapshot.parts["edges"], _any_override(snapshot)
    while todo and target not in came:
        symbol, steps = todo.popleft()
        if steps >= MAX_STEPS:
            continue
        rows = sorted(snapshot.edges_from(symbol).tolist(), key=lambda row: (int(edges["tier"][row]), row))
        rows = [row for row in rows if EdgeKind(int(edges["kind"][row])) in _WALKED]
        met = [(int(edges["target"][row]), row) for row in rows]
        met += [(one, row) for row in rows if row in any_override for one in snapshot.open_calls.overriding(int(edges["target"][row]))]
        for following, row in met:
            if following not in came:
                came[following] = row
                todo.append((following, steps + 1))
    if target not in came or source == target:
        return []
    path: list[Edge] = []
    at = target
    while at != source:
        edge = snapshot.edge(came[at])
        path.append(edge if edge.target.id == at else replace(edge, target=snapshot.symbol(at), tier=Tier.POSSIBLE))
        at = edge.source.id
    return [sentence(edge) for edge in reversed(path)]


def _any_override(snapshot: Snapshot) -> frozenset[int]:
    """Rows of the edges that lead to a base's method and may run any of many that override it."""
    return frozenset(snapshot.reverse["edge"][snapshot.open_calls.calls.value].tolist())


def sentence(edge: Edge) -> str:
    """`cart.py:12:5 total calls rate in tax.py:3 (proved: an import → an attribute)`."""
    why = " → ".join(WORDS[step] for step in edge.chain)
    return (
        f"{edge.source.path}:{edge.line}:{edge.column} {edge.source.qualified} {edge.kind.label} "
        f"{edge.target.qualified} in {edge.target.path}:{edge.target.line} ({edge.tier.label}: {why})"
    )
