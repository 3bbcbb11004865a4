"""A snapshot and a seed -> the lists the impact bench asks for. Only what the graph says; each list ends with a tie-break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from index.snapshot import Snapshot
from index.types import EdgeKind, PathKind, SymbolKind, Tier

CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})

# What a caller's best edge to the seed says about how sure it is to run it, surest first.
ORDER_OF_KINDS: Mapping[EdgeKind, int] = {EdgeKind.CALL: 0, EdgeKind.DECORATE: 0, EdgeKind.ACCESS: 0, EdgeKind.PASS: 2, EdgeKind.READ: 3}
THROUGH_A_BASE = 1  # the call is to a method that the seed overrides

SEED_STEPS = 8  # how far back tests are looked for


@dataclass(frozen=True, slots=True)
class Caller:
    """A function that runs the seed, or may."""

    symbol: int
    line: int  # of its first use
    tier: Tier
    order: int  # of the kind of its best use
    sites: int


def seed_symbol(snapshot: Snapshot, path: str, name: str, line: int, end_line: int) -> int | None:
    """A path, a dotted name (`outer.<locals>.inner` or `outer.inner`) and the lines of the definition -> its row; None if it is not there.
    Where a name is defined again the lines decide: the bench starts a definition at its first decorator."""
    file = snapshot.file_of_path.get(path)
    if file is None:
        return None
    columns = snapshot.parts["symbols"]
    dotted = name.replace(".<locals>", "")
    rows = [row for row in snapshot.symbols_in(file) if columns["kind"][row] != SymbolKind.MODULE and snapshot.qualified(row) == dotted]
    if not rows:
        row = snapshot.symbol_at(file, end_line)
        return row if columns["kind"][row] in CALLABLE and line - 1 <= columns["start_line"][row] else None
    return min(rows, key=lambda row: (abs(int(columns["start_line"][row]) - line), row))


def named_function(snapshot: Snapshot, symbol: int) -> int | None:
    """The nearest enclosing function with a name, the symbol itself included; None at the top level of a file or class."""
    columns = snapshot.parts["symbols"]
    while symbol >= 0 and columns["kind"][symbol] not in CALLABLE:
        symbol = int(columns["parent"][symbol]) if columns["kind"][symbol] == SymbolKind.LAMBDA else -1
    return symbol if symbol >= 0 else None


def callers(snapshot: Snapshot, seed: int, tiers: frozenset[Tier]) -> list[Caller]:
    """The functions that run the seed, surest first: by tier, kind, number of sites, then path and line."""
    found: dict[int, list[tuple[int, Tier, int]]] = defaultdict(list)
    for target, order in _targets(snapshot, seed):
        for row in snapshot.edges_to(target):
            kind, tier = EdgeKind(int(snapshot.parts["edges"]["kind"][row])), Tier(int(snapshot.parts["edges"]["tier"][row]))
            source = int(snapshot.parts["edges"]["source"][row])
            if kind is EdgeKind.DECORATE:  # a decoration runs in what stands around the definition
                source = int(snapshot.parts["symbols"]["parent"][source])
            function = named_function(snapshot, source)
            if kind not in ORDER_OF_KINDS or function is None or function == seed:
                continue
            if target != seed and order == 0 and kind is not EdgeKind.CALL:
                continue  # only making an instance runs the constructor: `except Error` and `isinstance(x, Error)` do not
            tier = max(tier, Tier.POSSIBLE) if order == THROUGH_A_BASE else tier
            if tier in tiers:
                found[function].append((max(order, ORDER_OF_KINDS[kind]), tier, int(snapshot.parts["edges"]["line"][row])))
    ranked = []
    for function, uses in found.items():
        order, tier, _ = min(uses, key=lambda use: (use[1], use[0]))
        ranked.append(Caller(function, min(line for _, _, line in uses), tier, order, len(uses)))
    return sorted(ranked, key=lambda caller: (caller.tier, caller.order, -caller.sites, caller.symbol))  # row order is path, line


def tests(snapshot: Snapshot, seed: int) -> list[int]:
    """Test functions from which the seed is reached, nearest first; among those as near, the ones whose names share most
    words with the seed's."""
    steps = reverse_steps(snapshot, [target for target, _ in _targets(snapshot, seed)])
    columns = snapshot.parts["symbols"]
    words = _words(snapshot.qualified(seed)) | _words(snapshot.path(int(columns["file"][seed])).rpartition("/")[2])
    found = [row for row in np.flatnonzero(steps > 0).tolist() if _is_test(snapshot, row)]

    def nearness(row: int) -> tuple[int, int, int]:
        shared = len(words & (_words(snapshot.qualified(row)) | _words(snapshot.path(int(columns["file"][row])).rpartition("/")[2])))
        return int(steps[row]), -shared, row

    return sorted(found, key=nearness)


def reverse_steps(snapshot: Snapshot, seeds: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """For every symbol the least number of uses that lead from it to a seed, 0 for the seeds, -1 where none does within SEED_STEPS.
    A function that holds another is taken to run it."""
    edges, parents = snapshot.parts["edges"], np.asarray(snapshot.parts["symbols"]["parent"])
    runs = np.isin(edges["kind"], [int(kind) for kind in ORDER_OF_KINDS])
    source, target = np.asarray(edges["source"])[runs], np.asarray(edges["target"])[runs]
    decorated = (np.asarray(edges["kind"])[runs] == int(EdgeKind.DECORATE)) & (parents[source] >= 0)
    source, target = np.concatenate([source, parents[source[decorated]]]), np.concatenate([target, target[decorated]])
    inner = np.flatnonzero(np.isin(snapshot.parts["symbols"]["kind"], [int(SymbolKind.LAMBDA)]) & (parents >= 0))
    source, target = np.concatenate([source, parents[inner]]), np.concatenate([target, inner])
    steps = np.full(snapshot.symbol_count, -1, np.int32)
    front = np.zeros(snapshot.symbol_count, bool)
    front[list(seeds)] = True
    for step in range(SEED_STEPS + 1):
        steps[front] = step
        reached = np.zeros_like(front)
        reached[source[front[target]]] = True
        front = reached & (steps < 0)
        if not front.any():
            break
    return steps


def _targets(snapshot: Snapshot, seed: int) -> list[tuple[int, int]]:
    """The symbols whose callers run the seed, each with the order its calls have at least: the seed itself; its class and the
    subclasses that inherit it, if it makes instances; and the methods it overrides."""
    columns, edges = snapshot.parts["symbols"], snapshot.parts["edges"]
    found = [(seed, 0)]
    parent = int(columns["parent"][seed])
    if snapshot.names[columns["name"][seed]] in CONSTRUCTORS and parent >= 0:
        found += [(row, 0) for row in _classes_made_by(snapshot, parent, snapshot.names[columns["name"][seed]])]
    for row in snapshot.edges_from(seed):
        if edges["kind"][row] == EdgeKind.OVERRIDE:
            found.append((int(edges["target"][row]), THROUGH_A_BASE))
    return found


def _classes_made_by(snapshot: Snapshot, owner: int, name: str) -> list[int]:
    """The class itself and its subclasses that have no constructor of that name themselves."""
    columns, edges = snapshot.parts["symbols"], snapshot.parts["edges"]
    own = {int(columns["parent"][row]) for row in snapshot.symbols_named(name)} - {owner}
    found, front = [owner], [owner]
    while front:
        rows = [int(row) for target in front for row in snapshot.edges_to(target)]
        subclasses = {int(edges["source"][row]) for row in rows if edges["kind"][row] == EdgeKind.INHERIT}
        front = sorted(subclasses - own - set(found))
        found += front
    return found


def _is_test(snapshot: Snapshot, row: int) -> bool:
    columns = snapshot.parts["symbols"]
    in_test_file = snapshot.parts["files"]["kind"][columns["file"][row]] == PathKind.TEST
    return bool(in_test_file and columns["kind"][row] in CALLABLE and snapshot.names[columns["name"][row]].startswith("test"))


def _words(name: str) -> set[str]:
    spaced = "".join(f" {c}" if c.isupper() else c if c.isalnum() else " " for c in name)
    return {word for word in spaced.lower().split() if len(word) > 2 and word not in {"test", "tests", "locals", "init"}}
