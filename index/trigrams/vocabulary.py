"""Words of the vocabulary that are, begin with, end with or hold some bytes -> where they stand.

The vocabulary of a commit is a sixteenth of its text, and its trigrams leave a small piece of that to look through: finding `rate` as a
whole word and inside `generate` takes a tenth of a millisecond, and every posting is an exact place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.at_rest import lists_of
from index.content import Columns
from index.trigrams.grams import buckets_with
from index.trigrams.grams import rows_of as rows_of_buckets
from index.trigrams.words import hash_of

MAX_SPELLINGS = 50_000  # words that one infix of three bytes or more may stand for


def word_row(text: Columns, word: bytes) -> NDArray[np.int64]:
    """The row of a word in the vocabulary: one, or none."""
    return row_of(text["word_hash"], word)


def row_of(table: NDArray[np.uint64], word: bytes) -> NDArray[np.int64]:
    wanted = np.uint64(hash_of(word))
    row = int(np.searchsorted(table, wanted))
    return np.arange(row, row + 1) if row < len(table) and table[row] == wanted else np.empty(0, np.int64)


def rows_of(table: NDArray[np.uint64], words: Sequence[bytes]) -> NDArray[np.int64]:
    """The row of each of several words; -1 where there is none."""
    wanted = np.fromiter(map(hash_of, words), np.uint64, len(words))
    if not len(table) or not len(words):
        return np.full(len(words), -1, np.int64)
    rows = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return np.where(table[rows] == wanted, rows, -1)


def postings_of(text: Columns, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Addresses of some words of the vocabulary, word by word."""
    addresses: NDArray[np.uint32] = lists_of(text, "word_at", rows)
    return addresses


@dataclass(frozen=True, slots=True)
class Spellings:
    """Words that hold a needle: their rows, and where in the word it stands. A word may come twice."""

    rows: NDArray[np.int64]
    within: NDArray[np.int64]
    complete: bool

    def postings(self, text: Columns) -> int:
        return int((text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).sum(dtype=np.int64))

    def addresses(self, text: Columns) -> NDArray[np.uint32]:
        """Addresses where the needle stands, rising."""
        if len(self.rows) == 1:
            return postings_of(text, self.rows) + np.uint32(self.within[0])
        counts = (text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).astype(np.int64)
        return np.sort(postings_of(text, self.rows) + np.repeat(self.within, counts).astype(np.uint32))

    def first(self, text: Columns, most: int) -> Spellings:
        """Only so many rows that they have at most that many postings."""
        counts = (text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).astype(np.int64)
        kept = int(np.searchsorted(np.cumsum(counts), most, "right"))
        return self if kept == len(self.rows) else Spellings(self.rows[:kept], self.within[:kept], False)

    def where(self, chosen: NDArray[np.bool_]) -> Spellings:
        return Spellings(self.rows[chosen], self.within[chosen], self.complete)


def spellings_of(text: Columns, needle: bytes, open_left: bool, open_right: bool, fold: bool) -> Spellings:
    """Words that hold the needle; that begin with it, end with it, are it, where a side is not open."""
    if not (open_left or open_right or fold):
        row = word_row(text, needle)
        return Spellings(row, np.zeros(len(row), np.int64), True)
    wanted = (b"" if open_left else b"\n") + needle + (b"" if open_right else b"\n")
    vocabulary, before, at_byte = _vocabulary(text, wanted.lower())
    if fold:
        vocabulary = vocabulary.lower()
    found, complete = _occurrences(vocabulary, wanted)
    if len(before):
        found += (at_byte - before)[np.searchsorted(before, found, "right") - 1]
    places = found + (0 if open_left else 1)
    offsets = text["word_offsets"]
    rows = np.searchsorted(offsets, places.astype(np.uint32), "right") - 1
    return Spellings(rows, places - offsets[rows], complete)


def _occurrences(data: bytes, wanted: bytes) -> tuple[NDArray[np.int64], bool]:
    """Where some bytes stand in others, rising, and whether that is all."""
    if len(wanted) <= 2:  # too many for one call each
        array = np.frombuffer(data, np.uint8)
        here = array == wanted[0]
        if len(wanted) == 2:
            here = here[:-1] & (array[1:] == wanted[1])
        return np.flatnonzero(here), True
    hits: list[int] = []
    at = data.find(wanted)
    while at >= 0 and len(hits) <= MAX_SPELLINGS:
        hits.append(at)
        at = data.find(wanted, at + 1)
    return np.asarray(hits[:MAX_SPELLINGS], np.int64), len(hits) <= MAX_SPELLINGS


def _vocabulary(text: Columns, wanted: bytes) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
    """The words that may hold some letters, with the newlines round them; and for each stretch of them where it begins in these bytes
    and in the vocabulary (none: this is all of it)."""
    hashed, letters = text["word_hash"], text["word_bytes"]
    buckets = buckets_with(text, len(hashed), wanted)
    nothing = np.empty(0, np.int64)
    if buckets is None:
        return letters.tobytes(), nothing, nothing
    first, last = rows_of_buckets(hashed, buckets)
    starts = text["word_offsets"][first].astype(np.int64) - 1
    ends = text["word_offsets"][last].astype(np.int64)
    view = letters.data
    sizes = ends - starts
    return b"".join([view[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]), np.cumsum(sizes) - sizes, starts
