"""Vectors of 256 values in 128 bytes: 4 bits a value, to put the nearest by bits into a better order.

MRR@10 of docstrings as questions in eleven repositories: 0.571 by bits alone, 0.592 with the first hundred put in order by the model's
own 8 bits a value, and 0.592 by 4 bits, which take half the room (`python -m tests.quality --parts docstrings`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 256
FINE_BYTES = DIMENSIONS // 2
LARGEST = 7
STEP = 11  # a vector's largest value is 127; what is above 7 steps is cut, as few are, and the small ones are told apart


def _pairs() -> NDArray[np.uint8]:
    """Of any two values what they are packed to, by their two bytes as one number, the first value in the lower half."""
    values = np.arange(256, dtype=np.uint8).view(np.int8)
    cut = (np.clip(np.rint(values / np.float32(STEP)), -LARGEST, LARGEST) + LARGEST).astype(np.uint8)
    return np.asarray(cut << 4 | cut[:, None], np.uint8).reshape(-1)


_PAIRS = _pairs()


def packed(vectors: NDArray[np.int8]) -> NDArray[np.uint8]:
    """int8[n, 256] -> uint8[n, 128], the first of two values in the upper half."""
    found: NDArray[np.uint8] = _PAIRS.take(np.ascontiguousarray(vectors).view("<u2"))
    return found


def unpacked(fine: NDArray[np.uint8]) -> NDArray[np.int8]:
    """uint8[n, 128] -> int8[n, 256], from -7 to 7."""
    values = np.empty((len(fine), DIMENSIONS), np.int8)
    values[:, ::2], values[:, 1::2] = fine >> 4, fine & 15
    return values - np.int8(LARGEST)


def cosines(fine: NDArray[np.uint8], question: NDArray[np.int8]) -> NDArray[np.float32]:
    """uint8[n, 128] and int8[256] of the question -> float32[n]: 1.0 for the same direction, 0.0 for nothing in common. Sums of whole
    numbers below 2^24, so the same on every machine but for the last rounding."""
    vectors = unpacked(fine).astype(np.float32)
    asked = question.astype(np.float32)
    length = np.sqrt((vectors * vectors).sum(axis=1) * np.float32(asked @ asked))
    return np.asarray(vectors @ asked / np.maximum(length, np.float32(1)), np.float32)
