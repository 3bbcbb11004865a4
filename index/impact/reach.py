"""A snapshot's edges and where a change enters them -> every symbol within three steps, each with the surest shortest path back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct
from index.impact.nouns import Hop
from index.snapshot import Snapshot
from index.types import EdgeKind, SymbolKind, Tier

MAX_STEPS: Final = 3
LEAST_HUB: Final = 50

# Does a change travel against this kind of edge: to the first user, and from there on?
TRAVELS: Final = {
    EdgeKind.CALL: (True, True),
    EdgeKind.DECORATE: (True, True),
    EdgeKind.ACCESS: (True, True),
    EdgeKind.PASS: (True, True),
    EdgeKind.READ: (True, True),
    EdgeKind.WRITE: (True, False),
    EdgeKind.INHERIT: (True, True),
    EdgeKind.IMPLEMENT: (True, True),
    EdgeKind.OVERRIDE: (True, False),
    EdgeKind.TYPE: (True, False),  # an annotation notices that a type changed and passes nothing on
    EdgeKind.IMPORT: (False, False),  # an import runs the module, not what is in it: see `_entering`
    EdgeKind.REEXPORT: (False, False),
}
_FIRST: Final = np.array([TRAVELS[kind][0] for kind in EdgeKind])
_LATER: Final = np.array([TRAVELS[kind][1] for kind in EdgeKind])


@dataclass(frozen=True)
class Wave:
    """What one change reaches. Arrays over the symbols found, sorted by (step, symbol). tiers: of the weakest hop. edges: the last hop's
    row, -1 for an entry. origins: the symbol one step nearer to the change, which is not the edge's target where a call of a base's
    method may run any of many overrides."""

    symbols: NDArray[np.int64]
    steps: NDArray[np.int64]
    tiers: NDArray[np.int64]
    edges: NDArray[np.int64]
    origins: NDArray[np.int64]

    @cached_property
    def row_of(self) -> dict[int, int]:
        return {int(symbol): row for row, symbol in enumerate(self.symbols)}

    @cached_property
    def _hops(self) -> dict[tuple[int, bool], Hop]:
        """By row of the edge, and whether it may run its target alone: paths share most of theirs."""
        return {}

    def hops(self, snapshot: Snapshot, row: int, entries: dict[int, Hop]) -> tuple[Hop, ...]:
        """The path from the symbol of that row back to the change. `entries` holds the hops that enter from the base's graph."""
        found: list[Hop] = []
        edges = snapshot.parts["edges"]
        while row >= 0 and len(found) <= MAX_STEPS:
            at = int(self.edges[row])
            if at < 0:
                found.append(entries[int(self.symbols[row])])
                break
            origin = int(self.origins[row])
            key = (at, int(edges["target"][at]) == origin)
            hop = self._hops.get(key)
            if hop is None:
                hop = hop_of(snapshot, at)
                hop = self._hops[key] = hop if key[1] else replace(hop, tier=Tier.POSSIBLE)
            found.append(hop)
            row = self.row_of.get(origin, -1) if self.steps[row] > 1 else -1
        return tuple(found)


def hop_of(snapshot: Snapshot, edge: int) -> Hop:
    columns = snapshot.parts["edges"]
    source = int(columns["source"][edge])
    return Hop(
        source=label_of(snapshot, source),
        target=label_of(snapshot, int(columns["target"][edge])),
        path=snapshot.path(int(snapshot.parts["symbols"]["file"][source])),
        line=int(columns["line"][edge]),
        kind=EdgeKind(int(columns["kind"][edge])),
        tier=Tier(int(columns["tier"][edge])),
    )


def label_of(snapshot: Snapshot, symbol: int) -> str:
    """`Cart.total`; the path for a module; what is round it for a function without a name."""
    symbol = holder_of(snapshot, symbol)
    if snapshot.parts["symbols"]["kind"][symbol] == SymbolKind.MODULE:
        return snapshot.path(int(snapshot.parts["symbols"]["file"][symbol]))
    return snapshot.qualified(symbol)


def holder_of(snapshot: Snapshot, symbol: int) -> int:
    """The definition with a name that a function without one stands in; any other symbol itself."""
    columns = snapshot.parts["symbols"]
    while columns["kind"][symbol] == SymbolKind.LAMBDA and columns["parent"][symbol] >= 0:
        symbol = int(columns["parent"][symbol])
    return symbol


def wave(snapshot: Snapshot, starts: Sequence[int], entries: Sequence[tuple[int, int]] = (), max_steps: int = MAX_STEPS) -> Wave:
    """`starts`: changed symbols (step 0, not in the answer). `entries`: (symbol, tier) already one step away, found in the base's graph.

    A breadth-first walk; among the shortest paths to a symbol the surest wins (the least weakest tier, then the lowest edge row).
    Where a function without a name is reached, so is the definition it stands in: nobody else can hand it out."""
    count = snapshot.symbol_count
    step = np.full(count, -1, np.int64)
    tier = np.zeros(count, np.int64)
    via, origin = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    frontier = distinct(np.asarray(starts, np.int64))
    step[frontier] = 0
    kinds, parents = snapshot.parts["symbols"]["kind"], np.asarray(snapshot.parts["symbols"]["parent"], np.int64)
    modules = kinds == SymbolKind.MODULE
    columns = snapshot.parts["edges"]
    for at in range(1, max_steps + 1):
        users, tiers, edges, targets = _entering(snapshot, frontier, tier, at == 1, modules)
        if at == 1 and len(entries):
            extra = np.asarray(entries, np.int64).reshape(-1, 2)
            none = np.full(len(extra), -1)
            users, tiers = np.concatenate([users, extra[:, 0]]), np.concatenate([tiers, extra[:, 1]])
            edges, targets = np.concatenate([edges, none]), np.concatenate([targets, none])
        unnamed = np.flatnonzero(kinds[users] == SymbolKind.LAMBDA)
        while len(unnamed):
            holders = parents[users[unnamed]]
            users, tiers, edges, targets = (
                np.concatenate([users, holders]),
                np.concatenate([tiers, tiers[unnamed]]),
                np.concatenate([edges, edges[unnamed]]),
                np.concatenate([targets, targets[unnamed]]),
            )
            unnamed = np.arange(len(users) - len(holders), len(users))[kinds[holders] == SymbolKind.LAMBDA]
        fresh = step[users] < 0
        users, tiers, edges, targets = users[fresh], tiers[fresh], edges[fresh], targets[fresh]
        # an annotation or an override notices a change and does not pass it on: such a user is reached, and the walk ends there
        ends = (edges >= 0) & ~_LATER[columns["kind"][np.maximum(edges, 0)]] if len(columns["kind"]) else np.zeros(len(edges), bool)
        order = np.lexsort((targets, edges, tiers, ends, users))
        users, tiers, edges, targets, ends = users[order], tiers[order], edges[order], targets[order], ends[order]
        first = np.ones(len(users), bool)
        first[1:] = users[1:] != users[:-1]
        found = users[first]
        step[found], tier[found], via[found], origin[found] = at, tiers[first], edges[first], targets[first]
        frontier = found[~ends[first]]
        if not len(frontier):
            break
    found = np.flatnonzero(step > 0)
    found = found[np.lexsort((found, step[found]))]
    return Wave(found, step[found], tier[found], via[found], origin[found])


def _entering(
    snapshot: Snapshot, frontier: NDArray[np.int64], tier: NDArray[np.int64], first: bool, modules: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The users of the frontier: (symbol, weakest tier on the way, edge row, symbol of the frontier), not yet unique."""
    reverse, columns = snapshot.parts["reverse"], snapshot.parts["edges"]
    low, high = reverse["offsets"][frontier], reverse["offsets"][frontier + 1]
    counts = high - low
    total = int(counts.sum())
    flat = np.repeat(low - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(total)
    edges = np.asarray(reverse["edge"][flat], np.int64)
    target = np.repeat(frontier, counts)
    kinds = columns["kind"][edges]
    travels = (_FIRST if first else _LATER)[kinds]
    if first:  # what runs at the top of a changed module runs in whoever imports it
        travels = travels | ((kinds == EdgeKind.IMPORT) & modules[target])
    edges, target = edges[travels], target[travels]
    weakest = np.maximum(columns["tier"][edges].astype(np.int64), tier[target])
    overriding, position = snapshot.open_calls.of(frontier)
    edges = np.concatenate([edges, reverse["edge"][position].astype(np.int64)])
    weakest = np.concatenate([weakest, np.full(len(position), int(Tier.POSSIBLE))])
    return columns["source"][edges].astype(np.int64), weakest, edges, np.concatenate([target, overriding])


def hub_degree(snapshot: Snapshot) -> int:
    """The number of uses that 99 % of the used symbols do not exceed, at least `LEAST_HUB`."""
    degrees = np.diff(snapshot.parts["reverse"]["offsets"])
    used = np.sort(degrees[degrees > 0])
    if not len(used):
        return LEAST_HUB
    at, hundredths = divmod(99 * (len(used) - 1), 100)
    lower, upper = int(used[at]), int(used[min(at + 1, len(used) - 1)])
    return max(LEAST_HUB, lower + (upper - lower) * hundredths // 100)
