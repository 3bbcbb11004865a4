"""Bytes of source text -> the words its identifiers are made of: `HTTPServer_error2` is http, server, error, 2.

No Python loop over characters or words: one table look-up per byte, and keys made of eight bytes at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 40  # bytes of a word that count; longer ones are data (hashes, base64), not words

_OTHER, _LOWER, _UPPER, _DIGIT = 0, 1, 2, 3
_CLASSES = bytes(
    _LOWER if 97 <= byte <= 122 else _UPPER if 65 <= byte <= 90 else _DIGIT if 48 <= byte <= 57 else _OTHER for byte in range(256)
)
_FOLD = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))


def _starts_word() -> NDArray[np.bool_]:
    """Classes of (previous, this, next) byte, two bits each -> does a word start at this byte?"""
    table = np.zeros(64, np.bool_)
    for before in range(4):
        for here in range(1, 4):
            for after in range(4):
                changed = here != before and not (before == _UPPER and here == _LOWER)  # Server: one word
                last_capital = before == here == _UPPER and after == _LOWER  # HTTPServer: Server starts at its capital
                table[before << 4 | here << 2 | after] = changed or last_capital
    return table


_STARTS = _starts_word()
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_HASHED = np.uint64(1 << 63)  # never set in a key of eight ASCII bytes or less, which is the word itself


@dataclass(frozen=True, slots=True)
class Words:
    """n words in the order of the text. `key` is equal for words that are equal but for case: the word itself up to eight bytes,
    a hash of it above."""

    start: NDArray[np.int64]
    length: NDArray[np.int64]  # at most LONGEST
    key: NDArray[np.uint64]


def split(data: bytes) -> Words:
    """Any bytes -> `Words`. Letters and digits are ASCII; every other byte only separates."""
    size = len(data)
    if not size:
        empty = np.empty(0, np.int64)
        return Words(empty, empty, np.empty(0, np.uint64))
    kinds = np.zeros(size + 2, np.uint8)
    kinds[1:-1] = np.frombuffer(data.translate(_CLASSES), np.uint8)
    here = kinds[1:-1]
    shape = (kinds[:-2] << 4) | (here << 2) | kinds[2:]
    starting = np.ones(size + 1, np.bool_)  # the last one stands for the end of the text
    np.take(_STARTS, shape, out=starting[:-1], mode="clip")
    ending = (here != 0) & (starting[1:] | (kinds[2:] == 0))
    start = np.flatnonzero(starting[:-1])
    length = np.minimum(np.flatnonzero(ending) + 1 - start, LONGEST)
    return Words(start, length, _keys(data, start, length))


def _keys(data: bytes, start: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.uint64]:
    folded = data.translate(_FOLD) + bytes(8)
    eights: NDArray[np.uint64] = np.ndarray((len(data) + 1,), np.dtype("<u8"), folded, strides=(1,))
    key = eights[start] & _MASKS[np.minimum(length, 8)]
    more = np.flatnonzero(length > 8)
    for done in range(8, LONGEST, 8):
        if not len(more):
            break
        left = length[more] - done
        key[more] = mixed(key[more], eights[start[more] + done] & _MASKS[np.minimum(left, 8)])
        more = more[left > 8]
    return key


def mixed(key: NDArray[np.uint64], word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Two columns of 64 bits -> one, by two multiplications and shifts (the constants are splitmix64's)."""
    out = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) ^ word
    out = (out ^ (out >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return (out ^ (out >> np.uint64(31))) | _HASHED
