"""Starts and lengths of slices of an array -> the slices one after the other, without a loop over them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct

GATHERED_AT_ONCE = 1 << 16  # their indices stay in the second-level cache


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Starts and lengths of slices -> the indices in all of them, one slice after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)


def gathered(values: NDArray[Any], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[Any]:
    """Starts and lengths of slices of an array -> the slices, one after the other; by pieces, because the indices take
    several times as much memory as they do."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    if total <= GATHERED_AT_ONCE:
        return values[ranges(starts, lengths)]
    out = np.empty(total, values.dtype)
    pieces = np.searchsorted(ends, np.arange(GATHERED_AT_ONCE, total, GATHERED_AT_ONCE))
    borders = [0, *distinct(pieces[pieces > 0]).tolist(), len(starts)]
    done = 0
    for first, last in itertools.pairwise(borders):
        piece = ranges(starts[first:last], lengths[first:last])
        np.take(values, piece, out=out[done : done + len(piece)])
        done += len(piece)
    return out
