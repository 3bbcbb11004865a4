"""Which words of the vocabulary may hold some letters: trigrams of the words, by bucket.

The words of a commit lie in the order of their hashes, and a bucket is all words whose hashes begin with the same bits, 32 to 64 of them.
So a bucket is one stretch of the vocabulary's bytes, and a word that comes or goes touches its own bucket alone.

Columns (g = distinct trigrams):

    gram          u32[g]     three bytes of `newline, word, newline` in lower case (ASCII), the first one highest; rising
    gram_starts   u32[g+1]   buckets of a trigram: gram_starts[i] to gram_starts[i+1]
    gram_buckets  u16        rising within a trigram
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import lists_of
from index.distinct import distinct, fresh
from index.slices import gathered

WORDS_PER_BUCKET = 32  # at least: half the bytes to look through, against a tenth more postings
MAX_BITS = 16
GRAM = 3
READ_TOGETHER = 1 << 16  # bytes of the vocabulary: what is made of them stays in the second-level cache
MOST_GRAMS = 8  # of one needle that are intersected, the rarest
WORTH_IT = 0.5  # above this share of the buckets, looking through all of them is as fast

Columns = Mapping[str, NDArray[Any]]


def grams_of(hashed: NDArray[np.uint64], letters: NDArray[np.uint8], sizes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Rising hashes, the words each followed by a newline, and their sizes with it -> the columns."""
    bits = bucket_bits(len(hashed))
    return _columns(_keys(hashed, letters, sizes, bits), bits)


def updated_grams(
    previous: Columns,
    previous_words: int,
    gone: NDArray[np.uint64],
    fresh: NDArray[np.uint64],
    hashed: NDArray[np.uint64],
    letters: NDArray[np.uint8],
    sizes: NDArray[np.int64],
) -> dict[str, NDArray[Any]]:
    """The columns of the vocabulary before, hashes of words that went and came, and the vocabulary now -> what `grams_of` gives for it."""
    bits = bucket_bits(len(hashed))
    if not previous or bits != bucket_bits(previous_words):
        return grams_of(hashed, letters, sizes)
    touched = np.zeros(1 << bits, np.bool_)
    touched[_buckets(gone, bits)] = True
    touched[_buckets(fresh, bits)] = True
    changed = np.flatnonzero(touched)
    if not len(changed):
        return {name: previous[name] for name in ("gram", "gram_starts", "gram_buckets")}
    first, last = _rows(hashed, changed, bits)
    rows = np.flatnonzero(np.repeat(touched, _counts(hashed, bits)))
    starts = np.cumsum(sizes) - sizes
    begins = np.append(starts, len(letters))
    anew = _keys(hashed[rows], gathered(letters, begins[first], begins[last] - begins[first]), sizes[rows], bits)
    kept = np.repeat(previous["gram"].astype(np.uint64) << np.uint64(bits), np.diff(previous["gram_starts"]))
    kept |= previous["gram_buckets"]
    kept = kept[~touched[previous["gram_buckets"]]]
    return _columns(np.sort(np.concatenate([kept, anew])), bits)


def buckets_with(columns: Columns, words: int, needle: bytes) -> NDArray[np.int64] | None:
    """Lower-case bytes, with a newline where a word must begin or end -> buckets whose words may hold them, rising; None where that
    does not narrow them down."""
    grams = {int.from_bytes(needle[at : at + GRAM], "big") for at in range(len(needle) - GRAM + 1)}
    if not grams:
        return None
    table, starts = columns["gram"], columns["gram_starts"]
    rows = np.searchsorted(table, np.fromiter(sorted(grams), np.uint32, len(grams)))
    found = np.ones(1 << bucket_bits(words), np.bool_)
    if len(table) == 0 or (table[np.minimum(rows, len(table) - 1)] != np.fromiter(sorted(grams), np.uint32, len(grams))).any():
        return np.empty(0, np.int64)
    for row in sorted(rows.tolist(), key=lambda row: int(starts[row + 1] - starts[row]))[:MOST_GRAMS]:
        holds = np.zeros(len(found), np.bool_)
        holds[lists_of(columns, "gram_buckets", np.asarray([row]))] = True
        found &= holds
    buckets = np.flatnonzero(found)
    return None if len(buckets) > WORTH_IT * len(found) else buckets


def rows_of(hashed: NDArray[np.uint64], buckets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Buckets -> the first row of each, and the row after its last."""
    return _rows(hashed, buckets, bucket_bits(len(hashed)))


def bucket_bits(words: int) -> int:
    """Words of the vocabulary -> bits of a hash that name a bucket."""
    return min((words // (2 * WORDS_PER_BUCKET)).bit_length(), MAX_BITS)


def _buckets(hashed: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    # A shift by 64 is undefined, so no bits are shifted out in two steps.
    return (hashed >> np.uint64(1) >> np.uint64(63 - bits)).astype(np.int64)


def _rows(hashed: NDArray[np.uint64], buckets: NDArray[np.int64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first = np.searchsorted(hashed, buckets.astype(np.uint64) << np.uint64(63 - bits) << np.uint64(1))
    lasts = ((buckets.astype(np.uint64) + np.uint64(1)) << np.uint64(63 - bits) << np.uint64(1)) - np.uint64(1)
    return first, np.searchsorted(hashed, lasts, "right")


def _counts(hashed: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    first, last = _rows(hashed, np.arange(1 << bits), bits)
    return last - first


def _keys(hashed: NDArray[np.uint64], letters: NDArray[np.uint8], sizes: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """Distinct (trigram, bucket) of some words, packed into one number each, rising."""
    if not len(hashed):
        return np.empty(0, np.uint64)
    text = np.frombuffer(b"\n" + letters.tobytes().lower(), np.uint8)
    buckets, ends = _buckets(hashed, bits).astype(np.uint64), np.cumsum(sizes)
    keys = np.empty(len(letters) - len(sizes), np.uint64)
    borders = np.searchsorted(ends, np.arange(0, int(ends[-1]) + READ_TOGETHER, READ_TOGETHER), "right")
    made = 0
    for first, last in itertools.pairwise(distinct(borders).tolist()):
        begin, end = int(ends[first] - sizes[first]), int(ends[last - 1])
        wide = text[begin : end + 1].astype(np.uint32)
        grams = wide[:-2] << 16 | wide[1:-1] << 8 | wide[2:]
        in_buckets = grams.astype(np.uint64) << np.uint64(bits) | np.repeat(buckets[first:last], sizes[first:last])[:-1]
        some = in_buckets[wide[1:-1] != 10]
        keys[made : made + len(some)] = some
        made += len(some)
    keys.sort()
    return keys[fresh(keys)]


def _columns(keys: NDArray[np.uint64], bits: int) -> dict[str, NDArray[Any]]:
    grams = (keys >> np.uint64(bits)).astype(np.uint32)
    begins = np.flatnonzero(np.diff(grams, prepend=np.uint32(0xFFFFFFFF)))
    return {
        "gram": grams[begins],
        "gram_starts": np.append(begins, len(keys)).astype(np.uint32),
        "gram_buckets": (keys & np.uint64((1 << bits) - 1)).astype(np.uint16),
    }
