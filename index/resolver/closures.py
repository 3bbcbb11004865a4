"""Pairs of rows -> everything they lead to, and the values of each key. Light to import: snapshots use it too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct

Ints = NDArray[np.int64]

MOST_STEPS = 17  # from a class to one that inherits from it
MOST_PAIRS = 2_000_000
SEARCHES = 8  # keys that are looked for in the time that it takes to look into a table of them


class Grouped:
    """Pairs (key, value) as compressed rows: the values of key k are value[first[k] : first[k + 1]]."""

    def __init__(self, key: NDArray[Any], value: NDArray[Any], size: int) -> None:
        pairs = packed(key, value)
        pairs.sort()
        self.key, self.value = (pairs >> np.uint64(32)).view(np.int64), (pairs & np.uint64(0xFFFFFFFF)).view(np.int64)
        self._size, self._asked = size, 0
        self._views: tuple[memoryview, memoryview] | None = None  # of `first` and the values, where the former is made

    @cached_property
    def first(self) -> Ints:
        found = np.zeros(self._size + 1, np.int64)
        np.cumsum(np.bincount(self.key, minlength=self._size), out=found[1:])
        self._views = found.data, self.value.data  # a number of theirs takes a third of the time that one of an array takes
        return found

    def _bounds(self, keys: NDArray[Any]) -> tuple[Ints, Ints]:
        """First and last + 1 of the values of each key. Of few keys they are looked for: `first` is as long as all keys are many."""
        self._asked += SEARCHES + len(keys)
        if self._asked * SEARCHES < self._size:
            keys = keys.astype(np.int64, copy=False)
            return np.searchsorted(self.key, keys, "left"), np.searchsorted(self.key, keys, "right")
        return self.first[keys], self.first[keys + 1]

    def __getitem__(self, key: int) -> list[int]:
        views = self._views
        if views is not None:
            return views[1][views[0][key] : views[0][key + 1]].tolist()
        first, last = (int(bound[0]) for bound in self._bounds(np.array([key])))
        found: list[int] = self.value[first:last].tolist()
        return found

    def counts(self, keys: NDArray[Any]) -> Ints:
        """How many values each of these keys has."""
        first, last = self._bounds(keys)
        return last - first

    def of(self, keys: NDArray[Any], rows: Ints) -> tuple[Ints, Ints]:
        """Keys, each with a row -> (row, value) for each of its values."""
        first, last = self._bounds(keys)
        counts = last - first
        at = np.repeat(np.arange(len(keys)), counts)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        return rows[at], self.value[first[at] + offset]


def pairs_of(left: NDArray[Any], right: NDArray[Any]) -> Ints:
    """Distinct pairs of different rows, sorted."""
    apart = left != right
    return unpacked(distinct(packed(left[apart], right[apart])))


def packed(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.uint64]:
    """Pairs of rows, each below 2**32, as single numbers in the same order."""
    return left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)


def unpacked(pairs: NDArray[np.uint64]) -> Ints:
    return np.stack([pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)], 1).astype(np.int64)


def first_of_each(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows differ from the one before."""
    fresh = np.ones(len(ordered), bool)
    differs = ordered[1:] != ordered[:-1]
    fresh[1:] = differs if differs.ndim == 1 else differs.any(axis=1)
    return fresh


def closed(pairs: Ints) -> Ints:
    """Pairs (a, b) -> all (a, c) such that pairs lead from a to c. Stops at MOST_PAIRS."""
    if not len(pairs):
        return pairs
    keys, values = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    known = packed(keys, values)
    start, end = keys, values  # what the round before added: only from there can anything new be reached
    for _ in range(MOST_STEPS - 1):
        first = np.searchsorted(keys, end, "left")
        counts = np.searchsorted(keys, end, "right") - first
        at = np.repeat(np.arange(len(end)), counts)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        more = distinct(packed(start[at], values[first[at] + offset]))
        more = more[known[np.minimum(np.searchsorted(known, more), len(known) - 1)] != more]
        if not len(more) or len(known) + len(more) > MOST_PAIRS:
            break
        known = np.sort(np.concatenate([known, more]))
        start, end = (np.ascontiguousarray(column) for column in unpacked(more).T)
    return unpacked(known)


def reached_from(start: Sequence[int], edges: Grouped) -> list[int]:
    """Rows, and all that they lead to in MOST_STEPS steps: where few are asked for, that is less work than everything of all."""
    found = latest = dict.fromkeys(start)
    for _ in range(MOST_STEPS):
        latest = {one: None for row in latest for one in edges[row] if one not in found}
        if not latest:
            break
        found = found | latest
    return list(found)
