"""Facts of a file <-> three small arrays for the store.

Sixty columns of fifty numbers each cost more to name, to align and to find again than to compress. So all numbers stand in one
array, those that follow from their row or from each other as differences, in two bytes each where that is enough, all low bytes
before all high bytes. Against the columns as they are, a row of the store takes half the bytes and a third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.parsing.facts import COLUMNS, OF_NODES, Facts, of_nodes

_SMALLEST = -2  # of all numbers: what a row of `group` may be
_LONE = ("group_first", "extra")  # columns that are as long as no other


def _table(column: str) -> str:
    """Columns of one table are of one length."""
    return column if column in _LONE else column.partition("_")[0] if "_" in column else "node"


_NUMBERS = tuple(column for column in COLUMNS if column != "kind")
_TABLES = {_table(column): column for column in _NUMBERS}  # and a column of each
_TABLE_OF = tuple(map(list(_TABLES).index, map(_table, _NUMBERS)))  # of each of `_NUMBERS`
_HEAD = 1 + len(_TABLES)  # how many names, and how many rows of each table
_BYTES = tuple(column for column in _NUMBERS if COLUMNS[column] is np.uint8)


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
    width = 2 if numbers.min() >= 0 and numbers.max() <= 0xFFFF else 4
    planes = np.empty((width, len(numbers)), np.uint8)
    for number, plane in enumerate(planes):
        plane[:] = numbers >> 8 * number & 0xFF
    names = np.frombuffer("\0".join(facts.names).encode("utf-8", "surrogatepass"), np.uint8)
    return {"kind": columns["kind"], "numbers": planes, "names": names}


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
    numbers = np.full(planes.shape[-1], _SMALLEST, np.int32)
    for number, plane in enumerate(planes):
        numbers += plane.astype(np.int32) << 8 * number
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
