"""Facts of a file <-> three small arrays for the store.

Sixty columns of fifty numbers each cost more to name, to align and to find again than to compress. So all numbers stand in one
array, those that follow from their row or from each other as differences, in two bytes each where that is enough, all low bytes
before all high bytes. Against the columns as they are, a row of the store takes half the bytes and a third of the time.

Of files whose facts were made together that is done for all at once, where two bytes are enough: in half the time again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.parsing.facts import COLUMNS, OF_NODES, Cut, Facts, Shared, of_nodes

_SMALLEST = -2  # of all numbers: what a row of `group` may be
_TWO_BYTES = 0xFFFF  # the largest number in them
_LONE = ("group_first", "extra")  # columns that are as long as no other


def _table(column: str) -> str:
    """Columns of one table are of one length."""
    return column if column in _LONE else column.partition("_")[0] if "_" in column else "node"


_NUMBERS = tuple(column for column in COLUMNS if column != "kind")
_TABLES = {_table(column): column for column in _NUMBERS}  # and a column of each
_TABLE_OF = tuple(map(list(_TABLES).index, map(_table, _NUMBERS)))  # of each of `_NUMBERS`
_HEAD = 1 + len(_TABLES)  # how many names, and how many rows of each table
_BYTES = tuple(column for column in _NUMBERS if COLUMNS[column] is np.uint8)
_TOGETHER = {table: tuple(column for column in _NUMBERS if _table(column) == table) for table in _TABLES}  # as `_NUMBERS` has them


def all_stored(files: Sequence[Facts]) -> Iterator[dict[str, NDArray[Any]]]:
    """What `to_stored` makes of each."""
    batches: dict[int, _Batch] = {}
    for facts in files:
        columns = facts.columns
        made = None
        if isinstance(columns, Cut) and not columns.own:
            if (batch := batches.get(id(columns.shared))) is None:
                batch = batches[id(columns.shared)] = _Batch(columns.shared)
            made = batch.stored(columns.number, facts.names)
        yield to_stored(facts) if made is None else made


class _Batch:
    """Columns of files -> the numbers of all of them, those of a table in one array that has a row for each of its columns."""

    def __init__(self, shared: Shared) -> None:
        self._kind, self._ends_of_kind = shared["kind"]
        self._tables: list[tuple[NDArray[np.uint16], list[int]]] = []
        self._wide: set[int] = set()  # numbers of files
        for table, columns in _TOGETHER.items():
            numbers, ends = np.array([shared[column][0] for column in columns]), shared[columns[0]][1]
            if table == "node":
                start, end, following, parent = numbers[:4]
                row = (np.arange(len(start)) - np.array(ends[:-1]).repeat(np.diff(ends))).astype(numbers.dtype)
                end -= start
                following -= row
                np.subtract(row, parent, out=parent)
            if table in ("node", "line"):
                first = np.array(ends[:-1])[np.diff(ends) > 0]
                rising, at_first = numbers[0], numbers[0, first]
                rising[1:] -= rising[:-1].copy()
                rising[first] = at_first
            numbers -= _SMALLEST
            if numbers.size and (numbers.min() < 0 or numbers.max() > _TWO_BYTES):
                rows = np.flatnonzero(((numbers < 0) | (numbers > _TWO_BYTES)).any(axis=0))
                self._wide.update((np.searchsorted(ends, rows, "right") - 1).tolist())
            self._tables.append((numbers.astype(np.uint16), ends))

    def stored(self, number: int, names: Sequence[str]) -> dict[str, NDArray[Any]] | None:
        """None where two bytes are not enough."""
        head = np.array([len(names), *[ends[number + 1] - ends[number] for _, ends in self._tables]]) - _SMALLEST
        if number in self._wide or head.max() > _TWO_BYTES:
            return None
        pieces = [numbers[:, ends[number] : ends[number + 1]].tobytes() for numbers, ends in self._tables]
        every = np.frombuffer(b"".join([head.astype(np.uint16).tobytes(), *pieces]), np.uint16)
        planes = np.empty((2, len(every)), np.uint8)
        planes[0], planes[1] = every, every >> 8
        kind = self._kind[self._ends_of_kind[number] : self._ends_of_kind[number + 1]]
        return {"kind": kind, "numbers": planes, "names": _joined(names)}


def _joined(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\0".join(names).encode("utf-8", "surrogatepass"), np.uint8)


def to_stored(facts: Facts) -> dict[str, NDArray[Any]]:
    """`kind` u8[n]; `numbers` u8[2 or 4, m], the planes of m numbers; `names` u8, joined by NUL."""
    columns = dict(facts.columns)
    row = np.arange(len(columns["kind"]), dtype=np.int32)
    nearer = columns | {
        "start": _steps(columns["start"]),
        "end": columns["end"] - columns["start"],
        "next": columns["next"] - row,
        "parent": row - columns["parent"],
        "line_starts": _steps(columns["line_starts"]),
    }
    head = np.array([len(facts.names), *[len(columns[column]) for column in _TABLES.values()]], np.int32)
    numbers = np.concatenate([head, *[nearer[column] for column in _NUMBERS]])
    numbers -= _SMALLEST
    width = 2 if numbers.min() >= 0 and numbers.max() <= _TWO_BYTES else 4
    planes = np.empty((width, len(numbers)), np.uint8)
    for number, plane in enumerate(planes):
        plane[:] = numbers >> 8 * number
    return {"kind": columns["kind"], "numbers": planes, "names": _joined(facts.names)}


def _steps(rising: NDArray[np.int32]) -> NDArray[np.int32]:
    steps = rising.copy()
    steps[1:] -= rising[:-1]
    return steps


def of_stored(stored: Mapping[str, NDArray[Any]]) -> Facts:
    """What `to_stored` made -> the facts. Raises ValueError for anything else."""
    try:
        kind, planes, text = stored["kind"], stored["numbers"], stored["names"].tobytes()
    except KeyError as error:
        raise ValueError("these are not the facts of a file") from error
    if planes.dtype != np.uint8 or planes.ndim != 2:
        raise ValueError("these are not the facts of a file")
    numbers = np.zeros(planes.shape[-1], np.int32)
    for plane in planes[::-1]:
        numbers <<= 8
        numbers |= plane
    numbers += _SMALLEST
    count, *sizes = numbers[:_HEAD].tolist()
    if len(sizes) != len(_TABLES):
        raise ValueError("these are not the facts of a file")
    names = text.decode("utf-8", "surrogatepass").split("\0") if count else []
    ends = [_HEAD]
    for table in _TABLE_OF:
        ends.append(ends[-1] + sizes[table])
    if min(sizes) < 0 or ends[-1] != len(numbers) or len(kind) != sizes[0] or len(names) != count:
        raise ValueError("these are not the facts of a file")
    columns = {column: numbers[first:last] for column, first, last in zip(_NUMBERS, ends, ends[1:], strict=False)}
    for column in ("start", "line_starts"):
        columns[column].cumsum(out=columns[column])
    row = np.arange(len(kind), dtype=np.int32)
    columns["end"] += columns["start"]
    columns["next"] += row
    np.subtract(row, columns["parent"], out=columns["parent"])
    columns |= of_nodes([columns[column] for column in OF_NODES])
    return Facts({"kind": kind, **columns, **{column: columns[column].astype(np.uint8) for column in _BYTES}}, names)
