"""Bytes -> words, signs and parts of words, with 64-bit hashes; no Python loop over any of them.

A word is a longest run of ASCII letters, digits, `_` and bytes from 0x80 up (so any non-ASCII letter). A sign is a longest run of at least
two other printable bytes: `):`, `==`, `</`. Single ones are not kept: they are three signs in four and narrow nothing down. Both are
indexed alike up to `MAX_WORD` bytes; longer runs are kept apart. A part is a piece of a word as people read it: getUserName,
get_user_name -> get, user, name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_WORD = 128  # bytes; what is longer is data (base64, minified code), and would swell the vocabulary
PAD = 8  # bytes that must follow the last word, because words are read eight bytes at a time
MIN_PART = 2

_OTHER, _UNDERSCORE, _LOWER, _DIGIT, _UPPER = range(5)


def _classes() -> bytes:
    table = bytearray(256)
    table[ord("_")] = _UNDERSCORE
    for low, high, kind in ((b"a", b"z", _LOWER), (b"0", b"9", _DIGIT), (b"A", b"Z", _UPPER), (b"\x80", b"\xff", _LOWER)):
        for byte in range(low[0], high[0] + 1):
            table[byte] = kind
    return bytes(table)


CLASS = _classes()  # byte -> class, for bytes.translate
GAP, WORD, SIGN = range(3)
RUN = bytes(WORD if kind else SIGN if 0x20 < byte < 0x7F else GAP for byte, kind in enumerate(CLASS))  # byte -> what a run of it is
MIN_SIGN = 2
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)  # the first n bytes of a little-endian word of eight
# Odd 64-bit constants (the golden ratio, and one from the finaliser of splitmix64, Steele, Lea and Flood 2014): one multiply and one
# shift per eight bytes mix well enough that 300,000 different words collided nowhere in their upper 40 bits more than chance allows.
_SEED, _MULTIPLY, _FINISH = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WRAP = (1 << 64) - 1


def words_in(buffer: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bytes that begin with a newline -> start and length of every word and sign, in order."""
    kind = np.frombuffer(buffer.translate(RUN), np.uint8)
    starts = np.flatnonzero(np.not_equal(kind[1:], kind[:-1])) + 1
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = len(buffer) - starts[-1:]
    of_start = kind[starts]
    kept = np.flatnonzero((of_start == WORD) | ((of_start == SIGN) & (lengths >= MIN_SIGN)))
    return starts[kept], lengths[kept]


def hashes(buffer: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """u8 buffer with `PAD` bytes after the last word, int64 starts and lengths (1 to MAX_WORD) -> 64-bit hash of each word."""
    eight = np.ndarray((max(len(buffer) - 7, 0),), "<u8", buffer, strides=(1,))
    found = lengths.astype(np.uint64) * np.uint64(_SEED)
    _absorb(found, eight[starts] & _MASKS[np.minimum(lengths, 8)])
    at = 8
    # Three words in four end within eight bytes: each round goes on with the few that are longer.
    left = np.flatnonzero(lengths > at)
    while len(left):
        part = found[left]
        _absorb(part, eight[starts[left] + at] & _MASKS[np.minimum(lengths[left] - at, 8)])
        found[left] = part
        at += 8
        left = left[lengths[left] > at]
    found ^= found >> np.uint64(29)
    found *= np.uint64(_FINISH)
    found ^= found >> np.uint64(32)
    return found


def _absorb(state: NDArray[np.uint64], lane: NDArray[np.uint64]) -> None:
    state ^= lane
    state *= np.uint64(_MULTIPLY)
    state ^= state >> np.uint64(32)


def hash_of(word: bytes) -> int:
    """One word -> the same hash as `hashes` gives, without numpy's start-up per call."""
    state = len(word) * _SEED & _WRAP
    for at in range(0, len(word), 8):
        state = (state ^ int.from_bytes(word[at : at + 8], "little")) * _MULTIPLY & _WRAP
        state ^= state >> 32
    state ^= state >> 29
    state = state * _FINISH & _WRAP
    return state ^ (state >> 32)


def parts_in(words: bytes) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
    """Words between other bytes (begin and end with one) -> the same bytes in lower case, and start and length of every part of at
    least MIN_PART bytes.

    A part begins where a word begins, after `_`, at a capital after a small letter or digit (getUser), and at the last capital of
    several before a small letter (HTTPServer -> http, server). Digits stay with what they follow (sha256, utf8).
    """
    kind = np.frombuffer(words.translate(CLASS), np.uint8)
    before, here = kind[:-2], kind[1:-1]
    after = kind[2:]
    upper = here == _UPPER
    begins = (here > _UNDERSCORE) & (
        (before <= _UNDERSCORE) | (upper & ((before == _LOWER) | (before == _DIGIT) | ((before == _UPPER) & (after == _LOWER))))
    )
    inside = kind > _UNDERSCORE
    # A part ends where the next begins or where a byte is outside.
    starts = np.flatnonzero(begins) + 1
    outside = np.flatnonzero(inside[:-1] & ~inside[1:]) + 1
    ends = np.minimum(np.append(starts[1:], len(kind)), outside[np.searchsorted(outside, starts, "right")])
    lengths = ends - starts
    enough = (lengths >= MIN_PART) & (lengths <= MAX_WORD)
    return words.lower(), starts[enough], lengths[enough]
