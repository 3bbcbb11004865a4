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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import Lists, lists_of
from index.errors import RepositoryTooLarge
from index.slices import gathered
from index.trigrams.facts import text_facts_batch
from index.trigrams.grams import grams_of, updated_grams
from index.trigrams.words import PAD, hashes, parts_in

try:
    from index.trigrams import placing as _placing
except ImportError:  # it was not compiled
    placing: Any = None
else:
    placing = _placing

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


def text_of(files: Sequence[bytes | None]) -> dict[str, NDArray[Any]]:
    """Bytes of every file, by row (None: its text is not indexed) -> the `text` part. Raises RepositoryTooLarge above 4 GiB."""
    found = _text_in_c(files) if placing is not None else None
    if found is not None:
        return found
    facts = iter(text_facts_batch([data for data in files if data is not None]))
    return build_text([None if data is None else next(facts) for data in files])


def _text_in_c(files: Sequence[bytes | None]) -> dict[str, NDArray[Any]] | None:
    """The same in half the time: no facts of single files are made. None: their words were chosen to take C long."""
    sizes = np.array([0 if data is None else len(data) for data in files], np.uint32)
    there = np.flatnonzero([data is not None for data in files])
    base = _addresses(sizes)
    found = placing.placed([data for data in files if data is not None], base[:-1][there])
    if found is None:
        return None
    dtypes = (np.uint64, np.uint8, np.uint32, np.uint8, np.uint32, np.uint32, np.uint32, np.int64, np.uint32)
    hashed, lengths, counts, letters, rows, places, lines, lines_of_texts, long_runs = map(np.frombuffer, found, dtypes)
    order, sizes_of_words = _by_hash(hashed), lengths.astype(np.int64)
    counts_in_order = counts[order].astype(np.int64)
    first = np.empty(len(order), np.uint32)
    first[order] = np.cumsum(counts_in_order) - counts_in_order
    words = _grouped(
        hashed[order],
        letters,
        (np.cumsum(sizes_of_words) - sizes_of_words)[order],
        sizes_of_words[order],
        counts_in_order,
        np.frombuffer(placing.dealt(rows, places, first), np.uint32),
    )
    parts = _parts_of(words, np.arange(len(order)))
    lines_of_files = np.zeros(len(files), np.int64)
    lines_of_files[there] = lines_of_texts
    return {
        "file_sizes": sizes,
        "line_at": lines,
        "line_offsets": _offsets(lines_of_files),
        "word_hash": words.hash,
        **_letters(words, "word"),
        "word_starts": _offsets(words.counts),
        "word_at": words.values,
        "part_hash": parts.hash,
        **_letters(parts, "part"),
        "part_starts": _offsets(parts.counts),
        "part_words": parts.values,
        **grams_of(words.hash, words.bytes, words.sizes),
        "long_words": long_runs,
    }


def build_text(files: Sequence[Columns | None]) -> dict[str, NDArray[Any]]:
    """`text_facts` of every file, by row (None: its text is not indexed) -> the `text` part. Raises RepositoryTooLarge above 4 GiB."""
    return update_text({}, np.empty(0, np.int64), dict(enumerate(files)))


def update_text(previous: Columns, new_rows: NDArray[Any], changed: Mapping[int, Columns | None]) -> dict[str, NDArray[Any]]:
    """The `text` part of the commit before -> that of the next, equal to `build_text` of all its files byte for byte.

    `new_rows`: int[previous files], the row each has now, -1 where it is gone or changed; rising where it is not -1.
    `changed`: new row -> facts, for every row that no previous file moved to.
    Raises RepositoryTooLarge above 4 GiB of text, ValueError when the rows do not fit together.
    """
    return dict(UpdatedText(previous, new_rows, changed))


def updated_text(
    previous: Columns, new_rows: NDArray[Any], changed: Mapping[int, Columns | None], gone: Sequence[Columns] | None = None
) -> Columns:
    """The same, each column when it is first asked for. `gone`: the facts of the previous files that are gone or changed, where they are at
    hand. With them a list of addresses is made without all the others, which is nearly all of the work."""
    return UpdatedText(previous, new_rows, changed, gone)


class UpdatedText(Lists):
    """The columns of a `text` part that follows another one. What takes long, and is seldom asked for, is made when it is."""

    def __init__(
        self, previous: Columns, new_rows: NDArray[Any], changed: Mapping[int, Columns | None], gone: Sequence[Columns] | None = None
    ) -> None:
        super().__init__()
        old_rows = np.asarray(new_rows, np.int64)
        self._previous = previous
        self._changed = changed
        self._source = _sources(old_rows, changed)
        added_rows = np.flatnonzero(self._source < 0)
        self._added = [facts for row in added_rows.tolist() if (facts := changed[row]) is not None]
        with_facts = np.asarray([row for row in added_rows.tolist() if changed[row] is not None], np.int64)
        sizes = np.zeros(len(self._source), np.uint32)
        kept = np.flatnonzero(old_rows >= 0)
        old_sizes = previous["file_sizes"] if previous else np.empty(0, np.uint32)
        sizes[old_rows[kept]] = old_sizes[kept]
        sizes[with_facts] = _joined(self._added, "size", np.uint32)
        self._old_base, self._base = _bases(old_sizes), _addresses(sizes)
        self._added_base = self._base[with_facts]
        self._moves = _Moves.between(old_rows, self._old_base, self._base)
        self._gone = gone
        self._made: dict[str, NDArray[Any]] = {"file_sizes": sizes}

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __len__(self) -> int:
        return len(COLUMNS)

    def __contains__(self, name: object) -> bool:
        return name in COLUMNS

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._made.get(name)
        if found is None:
            self._made |= getattr(self, COLUMNS[name])()
            found = self._made[name]
        return found

    def lists(self, name: str, rows: NDArray[np.int64]) -> NDArray[Any] | None:
        """The addresses of these words, where it would take longer to make those of all."""
        if name != "word_at" or name in self._made or self._counts is None:
            return None
        added, before_rows, added_rows = self._words.added, self._before_rows, self._added_rows
        if self.enough(name, self._size, int(self._words.total[rows].sum())):
            return None
        places, whose = _belonging(self._old_words.counts, before_rows[rows])
        moved, stays = self._moves.of(lists_of(self._previous, "word_at", places))
        if stays is not None:
            moved, whose = moved[stays], whose[stays]
        places, whose_else = _belonging(added.counts, added_rows[rows])
        if not len(places):
            return moved
        fresh = gathered(added.values, self._added_starts[places], added.counts[places])
        if len(rows) == 1:
            return np.sort(np.concatenate([moved, fresh]))
        keys = np.concatenate([(whose << 32) | moved, (whose_else << 32) | fresh])
        keys.sort()
        return keys.astype(np.uint32)

    # what is made of what

    @cached_property
    def _old_words(self) -> _Table:
        """Of the commit before, without their addresses."""
        return _table(self._previous, "word")

    @cached_property
    def _words(self) -> _Merge:
        old = self._old_words
        added = _words_of(self._added, self._added_base)
        counts = _left(old.counts, self._moved[1]) if self._counts is None else self._counts
        return _Merge.of(old, counts, added)

    @cached_property
    def _counts(self) -> NDArray[np.int64] | None:
        """How many addresses each word of the commit before has left; None where nobody knows that before having looked at them all."""
        if self._gone is None:
            return None
        return _fewer(self._old_words, _words_of(self._gone, np.zeros(len(self._gone), np.int64)))

    @cached_property
    def _moved(self) -> tuple[NDArray[np.uint32], NDArray[np.bool_] | None]:
        """Every address of the commit before where it is now, and which of them stay (None: all)."""
        return self._moves.of(self._previous["word_at"] if self._previous else np.empty(0, np.uint32))

    @cached_property
    def _size(self) -> int:
        return int(self._words.total.sum())

    @cached_property
    def _before_rows(self) -> NDArray[np.int64]:
        return _inverse(self._words.rows, len(self._words.total))

    @cached_property
    def _added_rows(self) -> NDArray[np.int64]:
        return _inverse(self._words.added_rows, len(self._words.total))

    @cached_property
    def _added_starts(self) -> NDArray[np.int64]:
        return np.cumsum(self._words.added.counts) - self._words.added.counts

    @cached_property
    def _new_words(self) -> _Table:
        """Of this commit, without their addresses."""
        return self._words.strings()

    def _lines_of_files(self) -> dict[str, NDArray[Any]]:
        lines, counts = _lines(self._previous, self._source, self._changed, self._old_base, self._base)
        return {"line_at": lines, "line_offsets": _offsets(counts)}

    def _hashes_of_words(self) -> dict[str, NDArray[Any]]:
        return {"word_hash": self._words.hashes()}

    def _starts_of_words(self) -> dict[str, NDArray[Any]]:
        return {"word_starts": _offsets(self._words.total)}

    def _letters_of_words(self) -> dict[str, NDArray[Any]]:
        return _letters(self._new_words, "word")

    def _places_of_words(self) -> dict[str, NDArray[Any]]:
        found = {"word_at": self._words.values(*self._moved)}
        self.__dict__.pop("_moved", None)  # as long as everything else here; another thread may have been quicker
        return found

    def _parts_of_words(self) -> dict[str, NDArray[Any]]:
        words, merge = self._new_words, self._words
        old = _table(self._previous, "part")
        before = self._previous["part_words"] if self._previous else np.empty(0, np.uint32)
        moved = merge.rows[before]
        stays = moved >= 0
        alive = None if stays.all() else stays
        parts = _Merge.of(old, _left(old.counts, alive), _parts_of(words, np.flatnonzero(merge.is_fresh)))
        return {
            **_letters(parts.strings(), "part"),
            "part_hash": parts.hashes(),
            "part_starts": _offsets(parts.total),
            "part_words": parts.values(moved.astype(np.uint32), alive),
        }

    def _trigrams(self) -> dict[str, NDArray[Any]]:
        words, merge = self._new_words, self._words
        gone, fresh = merge.old.hash[merge.rows < 0], words.hash[merge.is_fresh]
        return updated_grams(self._previous, len(merge.old.hash), gone, fresh, words.hash, words.bytes, words.sizes)

    def _runs_too_long(self) -> dict[str, NDArray[Any]]:
        return {"long_words": _long_words(self._previous, self._moves, self._added, self._added_base)}


# Every column, and the method of `UpdatedText` that makes it.
COLUMNS: Mapping[str, str] = {
    "file_sizes": "",
    "line_at": "_lines_of_files",
    "line_offsets": "_lines_of_files",
    "word_hash": "_hashes_of_words",
    "word_bytes": "_letters_of_words",
    "word_offsets": "_letters_of_words",
    "word_starts": "_starts_of_words",
    "word_at": "_places_of_words",
    "part_hash": "_parts_of_words",
    "part_bytes": "_parts_of_words",
    "part_offsets": "_parts_of_words",
    "part_starts": "_parts_of_words",
    "part_words": "_parts_of_words",
    "gram": "_trigrams",
    "gram_starts": "_trigrams",
    "gram_buckets": "_trigrams",
    "long_words": "_runs_too_long",
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


def _addresses(sizes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The same, where they have 32 bits. Raises RepositoryTooLarge."""
    base = _bases(sizes)
    if base[-1] > MAX_PAGES * PAGE:
        raise RepositoryTooLarge(
            f"This commit has {int(base[-1]) >> 30} GiB of text, and we index at most 4: leave out folders in `.maguyva.yml`."
        )
    return base


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
    spelled = gathered(np.append(letters, np.uint8(10)), starts[first], sizes)  # each with what follows it, where its newline goes
    spelled[np.cumsum(sizes) - 1] = 10
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


def _fewer(table: _Table, gone: _Table) -> NDArray[np.int64] | None:
    """How many values each string has left once those of a part of the table are gone; None where it is no part of it."""
    if not len(gone.hash):
        return table.counts
    if not len(table.hash):
        return None
    place = np.minimum(np.searchsorted(table.hash, gone.hash), len(table.hash) - 1)
    left = table.counts.copy()
    left[place] -= gone.counts
    return left if (table.hash[place] == gone.hash).all() and (left[place] >= 0).all() else None


def _left(counts: NDArray[np.int64], stays: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """How many values each string has left, of all values those that stay (None: all)."""
    if stays is None:
        return counts
    starts = _offsets(counts).astype(np.int64)
    gone = np.flatnonzero(~stays)
    return counts - np.bincount(np.searchsorted(starts, gone, "right") - 1, minlength=len(counts))


@dataclass(frozen=True, slots=True)
class _Merge:
    """Which strings the table after another one has: those with a value left, and those that are added. A string goes with its last
    value."""

    old: _Table
    counts: NDArray[np.int64]  # of the old strings, what is left of their values
    added: _Table
    place: NDArray[np.int64]  # of the added strings, where they belong among the old ones
    known: NDArray[np.bool_]  # and whether they stand there
    keeps: NDArray[np.bool_]  # of the old strings, which stay
    is_fresh: NDArray[np.bool_]  # of the new table's strings, which are in the added one alone
    rows: NDArray[np.int64]  # of the old strings, the row that each has now; -1: gone
    added_rows: NDArray[np.int64]  # the same of the added ones
    total: NDArray[np.int64]  # values of each new string

    @classmethod
    def of(cls, old: _Table, counts: NDArray[np.int64], added: _Table) -> _Merge:
        place = np.searchsorted(old.hash, added.hash)
        known = np.zeros(len(place), np.bool_)
        if len(old.hash):
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
        return cls(old, counts, added, place, known, keeps, is_fresh, rows, added_rows, total)

    def hashes(self) -> NDArray[np.uint64]:
        return _spread(self.is_fresh, self.old.hash[self.keeps], self.added.hash[~self.known])

    def strings(self) -> _Table:
        """The new table, without its values."""
        sizes = _spread(self.is_fresh, self.old.sizes[self.keeps], self.added.sizes[~self.known])
        old_bytes = self.old.bytes if self.keeps.all() else self.old.bytes[np.repeat(self.keeps, self.old.sizes)]
        new_bytes = self.added.bytes[np.repeat(~self.known, self.added.sizes)]
        letters = _spread(np.repeat(self.is_fresh, sizes), old_bytes, new_bytes)
        return _Table(self.hashes(), letters, sizes, self.total, np.empty(0, np.uint32))

    def values(self, values: NDArray[np.uint32], stays: NDArray[np.bool_] | None) -> NDArray[np.uint32]:
        """What became of the old values, and which of them stay (None: all) -> those of the new table."""
        if stays is not None:
            values = values[stays]
        if not len(values):
            return self.added.values
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts)])
        low = np.repeat(starts[self.place], self.added.counts)
        ends = np.where(self.known, starts[np.minimum(self.place + 1, len(self.old.hash))], starts[self.place])
        at = _insertion(values, low, np.repeat(ends, self.added.counts), self.added.values)
        return _inserted(values, at, self.added.values)


def _belonging(counts: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many values each string of a table has, and rows of it (-1: none) -> the rows that are some, and of each of their values, which
    of the rows it belongs to."""
    some = np.flatnonzero(rows >= 0)
    return rows[some], np.repeat(some, counts[rows[some]])


def _inverse(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The row that each of some had before; -1: none."""
    found = np.full(size, -1, np.int64)
    here = np.flatnonzero(rows >= 0)
    found[rows[here]] = here
    return found


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
    if not len(old):
        return new.astype(old.dtype, copy=False)
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


def _table(columns: Columns, prefix: str) -> _Table:
    """Strings of a part, without their values."""
    if not columns:
        return _NO_STRINGS
    return _Table(
        columns[f"{prefix}_hash"],
        columns[f"{prefix}_bytes"][1:],
        np.diff(columns[f"{prefix}_offsets"]).astype(np.int64),
        np.diff(columns[f"{prefix}_starts"]).astype(np.int64),
        np.empty(0, np.uint32),
    )


def _letters(table: _Table, prefix: str) -> dict[str, NDArray[Any]]:
    return {
        f"{prefix}_bytes": np.concatenate([np.full(1, 10, np.uint8), table.bytes]),
        f"{prefix}_offsets": _offsets(table.sizes) + np.uint32(1),
    }


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.uint32]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.uint32)


def _joined(facts: Sequence[Columns], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(one[name] for one in facts)])
