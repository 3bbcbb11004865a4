"""Whole numbers in arrays -> each value once; which of them are some of a few.

numpy's own `unique` and `isin` are made for anything: they hash, sort and ask for masks first, and take six to forty times as long.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)

_LOW = 0xFFFF
_AT_ONCE = 1 << 14
_FEW = 4  # of them each is compared with all
_FEW_BYTES = 10  # the same of bytes, of which many are compared at once
_MANY = 1_000  # from which on a sort of numbers is so much faster than one of places that packing them pays


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """Each once, rising."""
    ordered = np.sort(numbers, axis=None)
    return ordered[fresh(ordered)]


def union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """What is in either, each once, rising."""
    return distinct(np.concatenate([one, other]))


def one_of(numbers: NDArray[Any], wanted: Iterable[int] | NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers are among a few: those with other low bits are told apart by one look each."""
    few = wanted if isinstance(wanted, np.ndarray) else np.fromiter((int(one) for one in wanted), np.int64)
    if numbers.dtype == np.uint8 and len(few) > _FEW_BYTES:
        table = np.zeros(256, bool)
        table[few[(few >= 0) & (few < 256)]] = True
        found = np.empty(len(numbers), bool)
        for at in range(0, len(numbers), _AT_ONCE):  # `take` makes the numbers eight times as wide
            found[at : at + _AT_ONCE] = table.take(numbers[at : at + _AT_ONCE])  # in half the time of table[numbers]
        return found
    if len(few) <= (_FEW_BYTES if numbers.dtype == np.uint8 else _FEW):
        found = np.zeros(len(numbers), bool)
        for one in few.tolist():
            found |= numbers == one
        return found
    numbers, few = _wide(numbers), _wide(few)
    table = np.zeros(_LOW + 1, bool)
    table[few & few.dtype.type(_LOW)] = True
    found = np.empty(len(numbers), bool)
    for at in range(0, len(numbers), _AT_ONCE):  # what is made meanwhile stays in the cache
        piece = numbers[at : at + _AT_ONCE]
        found[at : at + _AT_ONCE] = table.take((piece & numbers.dtype.type(_LOW)).astype(np.uint16))
    rows = np.flatnonzero(found)
    if len(rows):
        of_both = np.result_type(numbers, few)
        common = of_both if of_both.kind in "iu" else np.dtype(np.int64)  # there is none of both kinds of 64 bits
        ordered = np.sort(few.astype(common, copy=False))
        asked = numbers[rows].astype(common, copy=False)
        found[rows] = ordered[np.minimum(np.searchsorted(ordered, asked), len(ordered) - 1)] == asked
    return found


def _wide(numbers: NDArray[Any]) -> NDArray[Any]:
    """In a type that has the low bits of a number as something positive: columns at rest may be narrower."""
    return numbers if numbers.dtype.itemsize >= 4 else numbers.astype(np.int32)


def counted(numbers: NDArray[Number]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """Each once, rising, and how often it is there."""
    ordered = np.sort(numbers, axis=None)
    first = np.flatnonzero(fresh(ordered))
    return ordered[first], np.diff(first, append=len(ordered))


def first_places(numbers: NDArray[Number]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """Each once, rising, and where it stands first."""
    order = _order(numbers)
    ordered = numbers[order]
    first = fresh(ordered)
    return ordered[first], order[first]


def grouped(numbers: NDArray[Number]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """Each once, rising, and of every number which of these it is."""
    order = _order(numbers)
    ordered = numbers[order]
    first = fresh(ordered)
    which = np.empty(len(ordered), np.int64)
    which[order] = np.cumsum(first) - 1
    return ordered[first], which


def _order(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """A stable argsort. Of many numbers that leave room for their places beside them in 64 bits by one sort of both: it takes a third to a
    fifth of the time."""
    bits = len(numbers).bit_length()
    packs = len(numbers) >= _MANY and numbers.dtype.kind in "iu" and numbers.dtype.itemsize > 2  # of two bytes numpy makes a radix sort
    if not packs or numbers.min() < 0 or int(numbers.max()) >> (63 - bits):
        return np.argsort(numbers, kind="stable")
    packed = numbers.astype(np.int64) << bits | np.arange(len(numbers))
    packed.sort()
    places: NDArray[np.int64] = packed & ((1 << bits) - 1)
    return places


def fresh(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Which differ from the one before."""
    found = np.empty(len(ordered), bool)
    found[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found
