"""Facts of every file -> the `text` part, and the text part of the commit before -> that of the next.

Every byte of the commit has an **address**, u32: files lie one after the other, each beginning at a multiple of `PAGE`, so that what
an update moves is found by one look-up per page instead of a search per posting. A posting is the address of a word, so a search for
a word gives file, line and column without reading the files.

Columns (n = files, w = distinct words and signs of the commit, p = distinct parts of words, l = lines):

    file_sizes            u32[n]
    line_at, line_offsets u32[l], u32[n+1]   address of every line; lines of a file: line_offsets[i] to line_offsets[i+1]
    word_hash             u64[w]     rising; `index.trigrams.words.hash_of`
    word_bytes            u8         newline, then every word followed by a newline, in the order of word_hash
    word_offsets          u32[w+1]   where each begins in word_bytes (its newline is the byte before the next)
    word_starts           u32[w+1]   postings of a word: word_starts[i] to word_starts[i+1]
    word_at               u32        addresses, rising within a word
    part_hash, part_bytes, part_offsets, part_starts    the same for parts of words (get, user, name), in lower case
    part_words            u32        rows of the words that hold the part, rising within a part
    gram, ...             trigrams of the words: `index.trigrams.grams`
    long_words            u32        addresses of runs too long for a word, rising
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.errors import RepositoryTooLarge
from index.slices import gathered
from index.trigrams.grams import updated_grams
from index.trigrams.words import PAD, hashes, parts_in

PAGE_BITS = 10
PAGE = 1 << PAGE_BITS
MAX_PAGES = 1 << (32 - PAGE_BITS)  # 4 GiB of text

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class _Table:
    """Distinct strings in the order of their hashes, and a rising list of numbers for each."""

    hash: NDArray[np.uint64]
    bytes: NDArray[np.uint8]  # each string followed by a newline
    sizes: NDArray[np.int64]  # of each string with its newline
    counts: NDArray[np.int64]
    values: NDArray[np.uint32]


_NO_STRINGS = _Table(np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32))


def build_text(files: Sequence[Columns | None]) -> dict[str, NDArray[Any]]:
    """`text_facts` of every file, by row (None: its text is not indexed) -> the `text` part. Raises RepositoryTooLarge above 4 GiB."""
    return update_text({}, np.empty(0, np.int64), dict(enumerate(files)))


def update_text(previous: Columns, new_rows: NDArray[Any], changed: Mapping[int, Columns | None]) -> dict[str, NDArray[Any]]:
    """The `text` part of the commit before -> that of the next, equal to `build_text` of all its files byte for byte.

    `new_rows`: int[previous files], the row each has now, -1 where it is gone or changed; rising where it is not -1.
    `changed`: new row -> facts, for every row that no previous file moved to.
    Raises RepositoryTooLarge above 4 GiB of text, ValueError when the rows do not fit together.
    """
    old_rows = np.asarray(new_rows, np.int64)
    source = _sources(old_rows, changed)
    added_rows = np.flatnonzero(source < 0)
    added = [facts for row in added_rows.tolist() if (facts := changed[row]) is not None]
    with_facts = np.asarray([row for row in added_rows.tolist() if changed[row] is not None], np.int64)

    sizes = np.zeros(len(source), np.uint32)
    kept = np.flatnonzero(old_rows >= 0)
    old_sizes = previous["file_sizes"] if previous else np.empty(0, np.uint32)
    sizes[old_rows[kept]] = old_sizes[kept]
    sizes[with_facts] = _joined(added, "size", np.uint32)
    old_base, base = _bases(old_sizes), _bases(sizes)
    if base[-1] > MAX_PAGES * PAGE:
        raise RepositoryTooLarge(
            f"This commit has {int(base[-1]) >> 30} GiB of text, and we index at most 4: leave out folders in `.maguyva.yml`."
        )
    moves = _Moves.between(old_rows, old_base, base)

    lines, line_counts = _lines(previous, source, changed, old_base, base)
    words = _table(previous, "word", "word_at")
    new_words, rows = _merged(words, *moves.of(words.values), _words_of(added, base[with_facts]))
    fresh = np.ones(len(new_words.hash), np.bool_)
    fresh[rows[rows >= 0]] = False
    vocabulary = new_words.hash, new_words.bytes, new_words.sizes
    grams = updated_grams(previous, len(words.hash), words.hash[rows < 0], new_words.hash[fresh], *vocabulary)
    parts = _table(previous, "part", "part_words")
    moved_words = rows[parts.values]
    alive = moved_words >= 0
    new_parts, _ = _merged(
        parts, moved_words.astype(np.uint32), None if alive.all() else alive, _parts_of(new_words, np.flatnonzero(fresh))
    )

    return {
        "file_sizes": sizes,
        "line_at": lines,
        "line_offsets": _offsets(line_counts),
        **_columns(new_words, "word", "word_at"),
        **_columns(new_parts, "part", "part_words"),
        **grams,
        "long_words": _long_words(previous, moves, added, base[with_facts]),
    }


def _sources(new_rows: NDArray[np.int64], changed: Mapping[int, Columns | None]) -> NDArray[np.int64]:
    """The previous row of every new row, -1 where it is new or changed."""
    kept = np.flatnonzero(new_rows >= 0)
    source = np.full(len(kept) + len(changed), -1, np.int64)
    targets = new_rows[kept]
    if len(kept) and (targets[-1] >= len(source) or (np.diff(targets) <= 0).any()):
        raise ValueError("files that stay must keep their order")
    source[targets] = kept
    if sorted(changed) != np.flatnonzero(source < 0).tolist():
        raise ValueError("every file is either kept or changed")
    return source


def _bases(sizes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Sizes of files -> address where each begins, and where the next would, int64[n+1]."""
    pages = sizes.astype(np.int64) // PAGE + 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(pages)]) << PAGE_BITS


@dataclass(frozen=True, slots=True)
class _Moves:
    """By page of the previous commit: how far its addresses move (modulo 2^32), and whether they stay at all."""

    by: NDArray[np.uint32]
    alive: NDArray[np.bool_]
    nothing_moves: bool
    nothing_goes: bool

    @classmethod
    def between(cls, new_rows: NDArray[np.int64], old_base: NDArray[np.int64], base: NDArray[np.int64]) -> _Moves:
        pages = np.diff(old_base) >> PAGE_BITS
        stays = new_rows >= 0
        shift = np.where(stays, base[np.where(stays, new_rows, 0)] - old_base[:-1], 0)
        return cls(np.repeat(shift.astype(np.uint32), pages), np.repeat(stays, pages), not shift.any(), bool(stays.all()))

    def of(self, addresses: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.bool_] | None]:
        """Addresses -> where they are now, and which of them stay (None: all)."""
        page = addresses >> np.uint32(PAGE_BITS)
        moved = addresses if self.nothing_moves else addresses + self.by[page]
        return moved, None if self.nothing_goes else self.alive[page]


def _lines(
    previous: Columns,
    source: NDArray[np.int64],
    changed: Mapping[int, Columns | None],
    old_base: NDArray[np.int64],
    base: NDArray[np.int64],
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Addresses of all lines, and how many each file has."""
    pieces = [np.empty(0, np.uint32)]
    counts = np.zeros(len(source), np.int64)
    breaks = np.flatnonzero((source[1:] != source[:-1] + 1) | (source[1:] < 0) | (source[:-1] < 0)) + 1
    borders = [0, *breaks.tolist(), len(source)] if len(source) else []
    for first, last in itertools.pairwise(borders):
        old = int(source[first])
        if old >= 0:
            offsets = previous["line_offsets"][old : old + last - first + 1]
            counts[first:last] = np.diff(offsets)
            shift = np.uint32((int(base[first]) - int(old_base[old])) % (1 << 32))
            pieces.append(previous["line_at"][int(offsets[0]) : int(offsets[-1])] + shift)
        elif (facts := changed[first]) is not None:
            counts[first] = len(facts["line_starts"])
            pieces.append(facts["line_starts"] + np.uint32(base[first]))
    return np.concatenate(pieces), counts


def _words_of(added: Sequence[Columns], base: NDArray[np.int64]) -> _Table:
    """Words of the added files, with their addresses."""
    hashed = _joined(added, "word_hash", np.uint64)
    if not len(hashed):
        return _NO_STRINGS
    counts = _joined(added, "word_counts", np.uint32).astype(np.int64)
    lengths = _joined(added, "word_lengths", np.uint8).astype(np.int64)
    letters = _joined(added, "word_bytes", np.uint8)
    places = np.fromiter((len(facts["positions"]) for facts in added), np.int64, len(added))
    addresses = _joined(added, "positions", np.uint32)
    addresses += np.repeat(base.astype(np.uint32), places)
    order = _by_hash(hashed)
    return _grouped(
        hashed[order],
        letters,
        (np.cumsum(lengths) - lengths)[order],
        lengths[order],
        counts[order],
        gathered(addresses, (np.cumsum(counts) - counts)[order], counts[order]),
    )


def _parts_of(words: _Table, rows: NDArray[np.int64]) -> _Table:
    """Parts of some of the words, with the rows of those words."""
    if not len(rows):
        return _NO_STRINGS
    starts = (np.cumsum(words.sizes) - words.sizes)[rows]
    letters = words.bytes if len(rows) == len(words.hash) else gathered(words.bytes, starts, words.sizes[rows])
    ends = np.cumsum(words.sizes[rows]) + 1  # plus the newline in front
    lowered, at, lengths = parts_in(b"\n" + letters.tobytes() + b"\n" + bytes(PAD))
    if not len(at):
        return _NO_STRINGS
    array = np.frombuffer(lowered, np.uint8)
    hashed = hashes(array, at, lengths)
    holder = rows[np.searchsorted(ends, at, "right")]
    order = _by_hash(hashed)
    hashed, holder = hashed[order], holder[order]
    once = np.ones(len(order), np.bool_)  # a word that holds a part twice counts once
    once[1:] = (hashed[1:] != hashed[:-1]) | (holder[1:] != holder[:-1])
    order, hashed, holder = order[once], hashed[once], holder[once]
    return _grouped(hashed, array, at[order], lengths[order], np.ones(len(order), np.int64), holder.astype(np.uint32))


def _grouped(
    hashed: NDArray[np.uint64],
    letters: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    counts: NDArray[np.int64],
    values: NDArray[np.uint32],
) -> _Table:
    """Strings in the order of their hashes, the same one possibly several times in a row -> each once, with all its values."""
    begins = np.ones(len(hashed), np.bool_)
    begins[1:] = hashed[1:] != hashed[:-1]
    first = np.flatnonzero(begins)
    sizes = lengths[first] + 1
    spelled = np.full(int(sizes.sum()), 10, np.uint8)
    ends = np.cumsum(sizes) - 1
    is_letter = np.ones(len(spelled), np.bool_)
    is_letter[ends] = False
    spelled[is_letter] = gathered(letters, starts[first], sizes - 1)
    return _Table(hashed[first], spelled, sizes, np.add.reduceat(counts, first), values)


def _by_hash(hashed: NDArray[np.uint64]) -> NDArray[np.int64]:
    """What a stable argsort gives, by one sort of (upper bits of the hash, place): 10 times faster."""
    place_bits = np.uint64(len(hashed).bit_length())
    packed = ((hashed >> place_bits) << place_bits) | np.arange(len(hashed), dtype=np.uint64)
    packed.sort()
    order = (packed & ((np.uint64(1) << place_bits) - np.uint64(1))).astype(np.int64)
    in_order = hashed[order]
    # Two different hashes may share their upper bits and then come out mixed: once in a hundred repositories.
    return order if (in_order[1:] >= in_order[:-1]).all() else np.argsort(hashed, kind="stable")


def _merged(old: _Table, values: NDArray[np.uint32], stays: NDArray[np.bool_] | None, added: _Table) -> tuple[_Table, NDArray[np.int64]]:
    """A table whose values became `values`, of which only some stay, and strings to add -> the next table, and the row that each old
    string has in it (-1: gone). A string goes with its last value."""
    if not len(old.hash):
        return added, np.empty(0, np.int64)
    old_starts = _offsets(old.counts).astype(np.int64)
    counts = old.counts
    if stays is not None:
        gone = np.flatnonzero(~stays)
        counts = counts - np.bincount(np.searchsorted(old_starts, gone, "right") - 1, minlength=len(counts))
        values = values[stays]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])

    place = np.searchsorted(old.hash, added.hash)
    known = old.hash[np.minimum(place, len(old.hash) - 1)] == added.hash
    keeps = counts > 0
    keeps[place[known]] = True
    kept = np.flatnonzero(keeps)
    fresh = np.flatnonzero(~known)
    fresh_rows = np.searchsorted(old.hash[kept], added.hash[fresh]) + np.arange(len(fresh))
    is_fresh = np.zeros(len(kept) + len(fresh), np.bool_)
    is_fresh[fresh_rows] = True
    kept_rows = np.flatnonzero(~is_fresh)
    rows = np.full(len(old.hash), -1, np.int64)
    rows[kept] = kept_rows

    total = np.empty(len(is_fresh), np.int64)
    total[kept_rows] = counts[kept]
    total[fresh_rows] = 0
    added_rows = np.empty(len(added.hash), np.int64)
    added_rows[known] = rows[place[known]]
    added_rows[fresh] = fresh_rows
    total[added_rows] += added.counts

    low = np.repeat(starts[place], added.counts)
    high = np.repeat(np.where(known, starts[np.minimum(place + 1, len(old.hash))], starts[place]), added.counts)
    at = _insertion(values, low, high, added.values)
    sizes = _spread(is_fresh, old.sizes[kept], added.sizes[fresh])
    old_bytes = old.bytes if len(kept) == len(old.hash) else old.bytes[np.repeat(keeps, old.sizes)]
    new_bytes = added.bytes[np.repeat(~known, added.sizes)]
    return _Table(
        _spread(is_fresh, old.hash[kept], added.hash[fresh]),
        _spread(np.repeat(is_fresh, sizes), old_bytes, new_bytes),
        sizes,
        total,
        _inserted(values, at, added.values),
    ), rows


def _insertion(
    rising: NDArray[np.uint32], low: NDArray[np.int64], high: NDArray[np.int64], wanted: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """For each wanted number, where it belongs between `low` and `high` of an array that rises there: a binary search of all at once."""
    low, high = low.copy(), high.copy()
    last = max(len(rising) - 1, 0)
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        below = open_ & (rising[np.minimum(middle, last)] < wanted)
        low = np.where(below, middle + 1, low)
        high = np.where(open_ & ~below, middle, high)
    return low


def _inserted(into: NDArray[np.uint32], at: NDArray[np.int64], values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """`values` before the places `at` (rising) of `into`."""
    is_new = np.zeros(len(into) + len(values), np.bool_)
    is_new[at + np.arange(len(at))] = True
    return _spread(is_new, into, values)


def _spread(is_new: NDArray[np.bool_], old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Old and new entries in one array, the new ones where `is_new` says."""
    if not len(new):
        return old
    out = np.empty(len(is_new), old.dtype)
    out[is_new] = new
    out[~is_new] = old
    return out


def _long_words(previous: Columns, moves: _Moves, added: Sequence[Columns], base: NDArray[np.int64]) -> NDArray[np.uint32]:
    counts = np.fromiter((len(facts["long_words"]) for facts in added), np.int64, len(added))
    new = _joined(added, "long_words", np.uint32) + np.repeat(base.astype(np.uint32), counts)
    if not previous:
        return new
    moved, stays = moves.of(previous["long_words"])
    return np.sort(np.concatenate([moved if stays is None else moved[stays], new]))


def _table(columns: Columns, prefix: str, values: str) -> _Table:
    if not columns:
        return _NO_STRINGS
    return _Table(
        columns[f"{prefix}_hash"],
        columns[f"{prefix}_bytes"][1:],
        np.diff(columns[f"{prefix}_offsets"]).astype(np.int64),
        np.diff(columns[f"{prefix}_starts"]).astype(np.int64),
        columns[values],
    )


def _columns(table: _Table, prefix: str, values: str) -> dict[str, NDArray[Any]]:
    return {
        f"{prefix}_hash": table.hash,
        f"{prefix}_bytes": np.concatenate([np.full(1, 10, np.uint8), table.bytes]),
        f"{prefix}_offsets": _offsets(table.sizes) + np.uint32(1),
        f"{prefix}_starts": _offsets(table.counts),
        values: table.values,
    }


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.uint32]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.uint32)


def _joined(facts: Sequence[Columns], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(one[name] for one in facts)])
