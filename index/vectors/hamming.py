"""1,024-bit vectors -> the nearest ones, exactly, by the number of bits that differ.

Vectors are kept as 16 planes: plane w holds word w of every vector. A row-wise layout has to add up 16 counts inside each row;
planes add whole columns, in blocks that stay in the second-level cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 1024
BYTES = BITS // 8
WORDS = BITS // 64

BLOCK = 16_384  # rows; the best of 4,096, 16,384 and 65,536 when measured
BLOCK_OF_MINIMA = 256  # rows


def pack_planes(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """uint8[n, 128] -> uint64[16, n], little-endian words on every machine. Raises ValueError for another shape or type."""
    if bits.ndim != 2 or bits.shape[1] != BYTES or bits.dtype != np.uint8:
        raise ValueError(f"vectors must be uint8[n, {BYTES}], not {bits.dtype}{list(bits.shape)}")
    return np.ascontiguousarray(np.ascontiguousarray(bits).view(np.dtype("<u8")).T.astype(np.uint64))


def unpack_planes(planes: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """uint64[16, n] -> uint8[n, 128], as they were before `pack_planes`."""
    return np.ascontiguousarray(planes.T).astype(np.dtype("<u8")).view(np.uint8).reshape(-1, BYTES)


def distances(planes: NDArray[np.uint64], query_bits: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """uint64[16, n] planes and uint8[128] of the question -> uint16[n], how many of the 1,024 bits differ."""
    query = pack_planes(query_bits.reshape(1, -1))[:, 0]
    n = planes.shape[1]
    out = np.zeros(n, np.uint16)
    block = min(BLOCK, n)
    word, even, odd = np.empty(block, np.uint64), np.empty(block, np.uint8), np.empty(block, np.uint8)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        x, a, b, total = word[: last - first], even[: last - first], odd[: last - first], out[first:last]
        for w in range(0, WORDS, 2):  # two counts of at most 64 fit a byte
            np.bitwise_xor(planes[w, first:last], query[w], out=x)
            np.bitwise_count(x, out=a)
            np.bitwise_xor(planes[w + 1, first:last], query[w + 1], out=x)
            np.bitwise_count(x, out=b)
            np.add(a, b, out=a)
            np.add(total, a, out=total)
    return out


def nearest(
    planes: NDArray[np.uint64], query_bits: NDArray[np.uint8], k: int, among: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """uint64[16, n] planes, uint8[128] of the question and k -> (rows, distances) of the k nearest, nearest first, then by row.

    among: bool[n], the rows that may be answered; all of them by default.
    """
    away = distances(planes, query_bits)
    if among is None:
        rows = _smallest(away, k)
    else:
        allowed = np.flatnonzero(among)
        rows = allowed[_smallest(away[allowed], k)]
    return rows, away[rows]


def _smallest(values: NDArray[np.uint16], k: int) -> NDArray[np.int64]:
    """Rows of the k smallest values, smallest first, then by row. The k-th smallest minimum of blocks is at least the k-th
    smallest value, so one comparison finds every candidate; a partition of all rows costs ten times as much."""
    if k <= 0:
        return np.empty(0, np.int64)
    whole = len(values) // BLOCK_OF_MINIMA
    if whole > k:
        minima = values[: whole * BLOCK_OF_MINIMA].reshape(-1, BLOCK_OF_MINIMA).min(axis=1)
        rows = np.flatnonzero(values <= np.partition(minima, k - 1)[k - 1])
    else:
        rows = np.arange(len(values))
    return rows[np.argsort(values[rows], kind="stable")][:k]
