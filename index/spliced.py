"""Rows of several values each, and which of them are different in the next commit -> those of that commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Late(Mapping[str, NDArray[Any]]):
    """Columns, each made when it is first asked for. Two threads that meet here do the same work twice, no more."""

    def __init__(self, makers: Mapping[str, Callable[[], NDArray[Any]]]) -> None:
        self._makers = makers
        self._made: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = self._makers[name]()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def late_pairs(columns: Mapping[str, Callable[[], tuple[NDArray[Any], Ints]]], more: Mapping[str, NDArray[Any]]) -> Late:
    """Column name -> what makes its values and where those of each row begin (`<name>_offsets`); and columns that are there."""
    pairs: dict[str, tuple[NDArray[Any], Ints]] = {}

    def part(name: str, at: int) -> NDArray[Any]:
        found = pairs.get(name)
        if found is None:
            found = pairs[name] = columns[name]()
        return found[at]

    makers: dict[str, Callable[[], NDArray[Any]]] = {}
    for name in columns:
        makers[name] = lambda name=name: part(name, 0)  # type: ignore[misc]
        makers[f"{name}_offsets"] = lambda name=name: part(name, 1)  # type: ignore[misc]
    for name, values in more.items():
        makers[name] = lambda values=values: values  # type: ignore[misc]
    return Late(makers)


def ragged(values: NDArray[Any], offsets: Ints, old: Ints, made: Mapping[int, NDArray[Any]]) -> tuple[NDArray[Any], Ints]:
    """Rows of several values each -> the same for other rows: those of row `old[r]` for row r, unless `made[r]` is there; none for -1."""
    source = old.copy()
    if made:
        source[list(made)] = -1
    lengths = np.zeros(len(old), np.int64)
    taken = source >= 0
    lengths[taken] = np.diff(offsets)[source[taken]]
    pieces: list[tuple[int, NDArray[Any]]] = [(row, its) for row, its in made.items() if len(its)]
    for row, its in pieces:
        lengths[row] = len(its)
    pieces += [(a, values[int(offsets[source[a]]) : int(offsets[source[b - 1] + 1])]) for a, b in row_runs(source)]
    pieces.sort(key=lambda piece: piece[0])
    whole = np.concatenate([its for _, its in pieces]) if pieces else values[:0].copy()  # the old ones may be a file's, which are read-only
    return whole, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def row_runs(kept: Ints) -> Iterator[tuple[int, int]]:
    """Rows whose old rows follow each other -> (first, last + 1) of each run."""
    rows = np.flatnonzero(kept >= 0)
    if not len(rows):
        return
    breaks = np.flatnonzero((np.diff(rows) != 1) | (np.diff(kept[rows]) != 1)) + 1
    for a, b in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
        yield int(rows[a]), int(rows[b - 1]) + 1
