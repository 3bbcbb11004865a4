"""Columns of numbers that are read one at a time: machine code reads them without making objects, the text as quickly as Python can."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from types import FunctionType
from typing import Any, Final, cast

import numpy as np
from librt.vecs import append, vec
from mypy_extensions import i16, i32, i64
from numpy.typing import NDArray


class Column:
    """The numbers of a column, copied. Has of a list just `column[row]`, of rows that are there."""

    def __init__(self, numbers: NDArray[Any]) -> None:
        """numbers: int16 or int32."""
        self._is_small = numbers.itemsize == 2  # to compare types takes as long as to copy a short column
        self._small = vec[i16](numbers) if self._is_small else vec[i16]()
        self._large = vec[i32]() if self._is_small else vec[i32](numbers)
        self._size = len(numbers)

    def __getitem__(self, row: int) -> int:
        if self._is_small:
            return self._small[row]
        return self._large[row]

    def __setitem__(self, row: int, number: int) -> None:
        if self._is_small:
            self._small[row] = i16(number)
        else:
            self._large[row] = i32(number)

    def __len__(self) -> int:
        return self._size


class Growing:
    """Numbers of four bytes to which others are added. Has of a list `append`, `column[row]` of rows that are there, and `len`."""

    def __init__(self, size: int) -> None:
        """size: rows of 0."""
        self.numbers = vec[i32](np.zeros(size, np.int32)) if size else vec[i32]()

    def fill(self, first: i64, end: i64, number: i32) -> None:
        numbers, row = self.numbers, first
        while row < end:
            numbers[row] = number
            row += 1

    def append(self, number: i32) -> None:
        self.numbers = append(self.numbers, number)

    def __getitem__(self, row: int) -> int:
        return self.numbers[row]

    def __setitem__(self, row: int, number: int) -> None:
        self.numbers[row] = i32(number)

    def __len__(self) -> int:
        return len(self.numbers)


# The text makes no `Column`: a call takes several times as long as reading memory does, or a list.


def column_of_nodes(numbers: NDArray[Any], is_small: bool) -> Column:
    """A number of every node, int16 or int32; `is_small`: none is above 32,767."""
    if not _IS_COMPILED:
        return cast(Column, numbers.data)
    return Column(numbers.astype(np.int16) if is_small and numbers.itemsize != 2 else numbers)


def column_of_rows(numbers: NDArray[Any], is_small: bool) -> Column:
    """Rows, nodes or places, int32, of a table with few of them, or -1 or -2; `is_small`: none is above 65,535."""
    if _IS_COMPILED:
        return Column(numbers)
    # The numbers in such lists are the same ones: each made anew would take four times the memory of the list.
    is_shared = len(numbers) > _FEW and (is_small or numbers.max() < _SHARED)
    return cast(Column, (_NUMBERS.take(numbers) if is_shared else numbers).tolist())


def column_of_any(numbers: NDArray[Any]) -> Column:
    """Any other numbers, int32, of a table with few of them."""
    return Column(numbers) if _IS_COMPILED else cast(Column, numbers.tolist())


def growing(size: int = 0) -> Growing:
    """So many rows of 0."""
    return Growing(size) if _IS_COMPILED else cast(Growing, array("i", bytes(4 * size)))


def fill(column: Growing, first: int, end: int, number: int) -> None:
    """The same number in rows from `first` up to `end`, all of which are there."""
    if _IS_COMPILED:
        column.fill(first, end, number)
    elif first < end:
        cast("array[int]", column)[first:end] = array("i", [number]) * (end - first)


def joined(columns: Sequence[Growing]) -> NDArray[np.int32]:
    """The numbers of one after the other."""
    if not _IS_COMPILED:
        return np.frombuffer(bytearray().join(cast("Sequence[array[int]]", columns)), np.int32)
    return np.frombuffer(bytearray().join([column.numbers for column in columns]), np.int32)


def note_firsts(found: Column, places: Growing, first: Growing, second: Growing) -> None:
    """Places in ascending order, and two numbers of each, from 0 up -> in `found`, for each place, the first one with the same two."""
    if _IS_COMPILED:
        note_firsts_counted(found, places, first, second)
        return
    known: dict[tuple[int, int], int] = {}
    for place, one, other in zip(*cast("tuple[list[int], list[int], list[int]]", (places, first, second)), strict=True):
        found[place] = known.setdefault((one, other), place)


def note_firsts_counted(found: Column, places: Growing, first: Growing, second: Growing) -> None:
    """The same without a table, which would make objects: all of one second number, then all of the next one."""
    its, one, other = places.numbers, first.numbers, second.numbers
    count, row, most, most_others = i64(len(its)), i64(0), i64(0), i64(0)
    while row < count:
        most, most_others = max(most, i64(one[row]) + 1), max(most_others, i64(other[row]) + 1)
        row += 1
    following, heads = of_number(count, -1), of_number(most_others, -1)  # the rows of each second number
    while row > 0:
        row -= 1
        following[row] = heads[i64(other[row])]
        heads[i64(other[row])] = i32(row)
    place_of, met_with = of_number(most, 0), of_number(most, -1)  # each first number's place, and with which second one that was
    number = i64(0)
    while number < most_others:
        row = i64(heads[number])
        while row >= 0:
            at = i64(one[row])
            if met_with[at] != number:
                met_with[at] = i32(number)
                place_of[at] = its[row]
            found[int(its[row])] = int(place_of[at])
            row = i64(following[row])
        number += 1


def of_number(size: int, number: int) -> vec[i32]:
    """So often the same number."""
    return vec[i32](np.full(size, number, np.int32)) if size else vec[i32]()


def rows_by_number(numbers: Column, kinds: bytes, wanted: bytes, most: int) -> tuple[Growing, Growing]:
    """Rows of the kinds that are `wanted` (by kind: whether it is one), those with numbers below 0 first, then in the order of these, which
    are below `most`; and where the first ones end, and those with each number."""
    if _IS_COMPILED:
        return rows_by_number_counted(numbers, kinds, wanted, most)
    rows = np.flatnonzero(np.frombuffer(kinds.translate(wanted), np.bool_))
    its = np.maximum(np.asarray(numbers)[rows], -1)
    ordered, ends = rows[np.argsort(its, kind="stable")].tolist(), np.searchsorted(np.sort(its), np.arange(most + 1)).tolist()
    return cast(Growing, ordered), cast(Growing, ends)


def rows_by_number_counted(numbers: Column, kinds: bytes, wanted: bytes, most: int) -> tuple[Growing, Growing]:
    """The same by counting."""
    rows = vec[i64](np.flatnonzero(np.frombuffer(kinds.translate(wanted), np.bool_)))
    ends, ordered = of_number(most + 1, 0), of_number(len(rows), 0)
    count, at, before = i64(len(rows)), i64(0), i32(0)
    while at < count:
        number = i64(numbers[int(rows[at])]) + 1
        number = number if number > 0 else 0
        ends[number] = ends[number] + 1
        at += 1
    at = 0
    while at < most + 1:
        before, ends[at] = before + ends[at], before
        at += 1
    at = 0
    while at < count:
        number = i64(numbers[int(rows[at])]) + 1
        number = number if number > 0 else 0
        ordered[i64(ends[number])] = i32(rows[at])
        ends[number] = ends[number] + 1
        at += 1
    return _growing_of(ordered), _growing_of(ends)


def _growing_of(numbers: vec[i32]) -> Growing:
    found = Growing(0)
    found.numbers = numbers
    return found


def last_not_above(column: Column, number: int) -> int:
    """The last row of an ascending column whose number is not above another; -1 where there is none."""
    if not _IS_COMPILED:
        return bisect_right(cast("list[int]", column), number) - 1
    low, high = 0, len(column)
    while low < high:
        middle = (low + high) >> 1
        if number < column[middle]:
            high = middle
        else:
            low = middle + 1
    return low - 1


_SHARED: Final = 1 << 16
_NUMBERS: Final = np.array([*range(_SHARED), -2, -1], object)  # by what they are: the numbers that columns of most files hold
_FEW: Final = 64  # rows, up to which numbers are made as quickly as they are looked up
_IS_COMPILED: Final = not isinstance(Column.__getitem__, FunctionType)
