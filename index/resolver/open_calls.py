"""Edges of a snapshot -> the calls that may run any of many overrides, though each leads to the base's method alone.

Where a call may run more methods than are worth an edge each, its chain ends with the step DISPATCH (`index.resolver.dispatch`). Who walks
from one of the overrides back to its callers asks here; what is found so is POSSIBLE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.resolver.closures import Grouped, Ints, closed, pairs_of
from index.types import EdgeKind, Step, SymbolKind

Columns = Mapping[str, NDArray[Any]]
_CLASSES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE)


class OpenCalls:
    """`bases`: method -> methods with such calls that it overrides, directly or not. `calls`: such a method -> its calls, as positions
    in the snapshot's `reverse`, by place."""

    def __init__(self, symbols: Columns, edges: Columns, reverse: Columns) -> None:
        kind, size = edges["kind"], len(symbols["file"])
        rows = np.flatnonzero((kind == EdgeKind.OVERRIDE) | (kind == EdgeKind.IMPLEMENT))
        rows = rows[~one_of(symbols["kind"][edges["target"][rows]], _CLASSES)]
        over = closed(pairs_of(edges["source"][rows], edges["target"][rows]))
        bases = distinct(over[:, 1]) if len(over) else np.empty(0, np.int64)
        first, last = reverse["offsets"][bases], reverse["offsets"][bases + 1]
        count = last - first
        base = np.repeat(bases, count)
        position = np.repeat(first - np.cumsum(count) + count, count) + np.arange(len(base))
        called = reverse["edge"][position]
        of_calls = one_of(kind[called], (EdgeKind.CALL, EdgeKind.ACCESS))
        base, position, called = base[of_calls], position[of_calls], called[of_calls]
        is_open = _is_open(edges["chain"][called].astype(np.int64))
        self.calls = Grouped(base[is_open], position[is_open], size)
        over = over[one_of(over[:, 1], self.calls.key)] if len(over) else over
        self.bases = Grouped(over[:, 0], over[:, 1], size)

    def of(self, methods: Ints) -> tuple[Ints, Ints]:
        """Methods -> (one of them, position in `reverse` of a call that may run it)."""
        if not len(self.calls.key):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        overrider, base = self.bases.of(methods, methods)
        return self.calls.of(base, overrider)

    def overriding(self, base: int) -> list[int]:
        """A method with such calls -> all that override it."""
        found: list[int] = np.sort(self.bases.key[self.bases.value == base]).tolist()
        return found


def _is_open(chain: Ints) -> NDArray[np.bool_]:
    """Do these packed chains end with DISPATCH? One through `super()` runs what comes next, not what overrides that."""
    last = np.zeros(len(chain), np.int64)
    through_super = np.zeros(len(chain), bool)
    for place in range(7):
        step = (chain >> (4 * place)) & 15
        last = np.where(step > 0, step, last)
        through_super |= step == Step.SUPER
    found: NDArray[np.bool_] = (last == Step.DISPATCH) & ~through_super
    return found
