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
_KINDS, _TIERS = tuple(EdgeKind), tuple(Tier)  # by value
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
        return {symbol: row for row, symbol in enumerate(self.symbols.tolist())}

    @cached_property
    def _hops(self) -> dict[tuple[int, bool], Hop]:
        """By row of the edge, and whether it may run its target alone: paths share most of theirs."""
        return {}

    def hops(self, snapshot: Snapshot, row: int, entries: dict[int, Hop]) -> tuple[Hop, ...]:
        """The path from the symbol of that row back to the change. `entries` holds the hops that enter from the base's graph."""
        found: list[Hop] = []
        targets = snapshot.parts["edges"]["target"]
        while row >= 0 and len(found) <= MAX_STEPS:
            at = self.edges.item(row)
            if at < 0:
                found.append(entries[self.symbols.item(row)])
                break
            origin = self.origins.item(row)
            key = (at, targets.item(at) == origin)
            hop = self._hops.get(key)
            if hop is None:
                hop = hop_of(snapshot, at)
                hop = self._hops[key] = hop if key[1] else replace(hop, tier=Tier.POSSIBLE)
            found.append(hop)
            row = self.row_of.get(origin, -1) if self.steps.item(row) > 1 else -1
        return tuple(found)


def hop_of(snapshot: Snapshot, edge: int) -> Hop:
    columns = snapshot.parts["edges"]
    source = columns["source"].item(edge)
    return Hop(
        source=snapshot.label(source),
        target=snapshot.label(columns["target"].item(edge)),
        path=snapshot.path(snapshot.parts["symbols"]["file"].item(source)),
        line=columns["line"].item(edge),
        kind=_KINDS[columns["kind"].item(edge)],
        tier=_TIERS[columns["tier"].item(edge)],
    )


def wave(snapshot: Snapshot, starts: Sequence[int], entries: Sequence[tuple[int, int]] = (), max_steps: int = MAX_STEPS) -> Wave:
    """One walk: see `Walks.wave`."""
    return Walks(snapshot).wave(starts, entries, max_steps)


class Walks:
    """Walks through the graph of one snapshot, one after the other: what each needs for every symbol is made once."""

    def __init__(self, snapshot: Snapshot) -> None:
        symbols = snapshot.parts["symbols"]
        self.snapshot = snapshot
        self._is_module = symbols["kind"] == SymbolKind.MODULE
        self._is_unnamed = symbols["kind"] == SymbolKind.LAMBDA
        self._parents = np.asarray(symbols["parent"], np.int64)
        # of the walk that is going on, and as here again when it has ended
        self._is_seen = np.zeros(snapshot.symbol_count, np.bool_)
        self._tier = np.zeros(snapshot.symbol_count, np.int64)

    def wave(self, starts: Sequence[int], entries: Sequence[tuple[int, int]] = (), max_steps: int = MAX_STEPS) -> Wave:
        """`starts`: changed symbols (step 0, not in the answer). `entries`: (symbol, tier) already one step away, found in the base's
        graph.

        A breadth-first walk; among the shortest paths to a symbol the surest wins (the least weakest tier, then the lowest edge row).
        Where a function without a name is reached, so is the definition it stands in: nobody else can hand it out."""
        frontier = distinct(np.asarray(starts, np.int64))
        self._is_seen[frontier] = True
        seen = [frontier]
        found: list[tuple[NDArray[np.int64], ...]] = [(np.empty(0, np.int64),) * 5]
        kinds = self.snapshot.parts["edges"]["kind"]
        for at in range(1, max_steps + 1):
            users, tiers, edges, targets = _entering(self.snapshot, frontier, self._tier, at == 1, self._is_module)
            if at == 1 and len(entries):
                extra = np.asarray(entries, np.int64).reshape(-1, 2)
                none = np.full(len(extra), -1)
                users, tiers = np.concatenate([users, extra[:, 0]]), np.concatenate([tiers, extra[:, 1]])
                edges, targets = np.concatenate([edges, none]), np.concatenate([targets, none])
            unnamed = np.flatnonzero(self._is_unnamed[users])
            while len(unnamed):
                holders = self._parents[users[unnamed]]
                users, tiers, edges, targets = (
                    np.concatenate([users, holders]),
                    np.concatenate([tiers, tiers[unnamed]]),
                    np.concatenate([edges, edges[unnamed]]),
                    np.concatenate([targets, targets[unnamed]]),
                )
                unnamed = np.arange(len(users) - len(holders), len(users))[self._is_unnamed[holders]]
            fresh = ~self._is_seen[users]
            users, tiers, edges, targets = users[fresh], tiers[fresh], edges[fresh], targets[fresh]
            # an annotation or an override notices a change and does not pass it on: such a user is reached, and the walk ends there
            ends = (edges >= 0) & ~_LATER[kinds[np.maximum(edges, 0)]] if len(kinds) else np.zeros(len(edges), bool)
            order = np.lexsort((targets, edges, tiers, ends, users))
            users, tiers, edges, targets, ends = users[order], tiers[order], edges[order], targets[order], ends[order]
            first = np.ones(len(users), bool)
            first[1:] = users[1:] != users[:-1]
            reached = users[first]
            self._is_seen[reached], self._tier[reached] = True, tiers[first]
            seen.append(reached)
            found.append((reached, np.full(len(reached), at), tiers[first], edges[first], targets[first]))
            frontier = reached[~ends[first]]
            if not len(frontier):
                break
        for some in seen:
            self._is_seen[some], self._tier[some] = False, 0
        return Wave(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _entering(
    snapshot: Snapshot, frontier: NDArray[np.int64], tier: NDArray[np.int64], first: bool, modules: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The users of the frontier: (symbol, weakest tier on the way, edge row, symbol of the frontier), not yet unique."""
    reverse, columns = snapshot.reverse, snapshot.parts["edges"]
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
    degrees = np.diff(snapshot.reverse["offsets"])
    used = np.sort(degrees[degrees > 0])
    if not len(used):
        return LEAST_HUB
    at, hundredths = divmod(99 * (len(used) - 1), 100)
    lower, upper = int(used[at]), int(used[min(at + 1, len(used) - 1)])
    return max(LEAST_HUB, lower + (upper - lower) * hundredths // 100)
