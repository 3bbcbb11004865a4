"""A word or any bytes -> every place where they stand.

A word, a sign or a piece of one comes from the vocabulary and its postings, and no file is read. Longer literals are met at the
addresses where all their words and signs stand, and confirmed against the bytes there.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.content import Columns, FileReader, HasParts, bytes_of
from index.distinct import distinct, union
from index.trigrams.addresses import (
    LIMIT,
    NOWHERE,
    Matches,
    all_files,
    among,
    base_of_files,
    by_file,
    check_length,
    files_of,
    in_files,
    is_dense,
    matches_at,
)
from index.trigrams.vocabulary import Spellings, postings_of, spellings_of, word_row
from index.trigrams.words import MAX_WORD, MIN_SIGN, RUN, WORD

MAX_POSTINGS = 1_000_000  # places of a piece of a word: 10 ms to gather and sort
FEW = 200  # candidates that are sooner read than narrowed down
MAX_CHECKED = 20_000  # places read to confirm a literal
MOST_UNPACKED = 4 << 20  # bytes of files with words too long for the vocabulary, which every literal is looked for in, kept unpacked

_WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
_RUN = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[!-/:-@\[-^`{-~]+")


def find_identifier(snapshot: HasParts, name: str, limit: int | None = None, files: NDArray[np.bool_] | None = None) -> Matches:
    """Every place where `name` stands as a whole word, in order of file and place. `files`: bool[files], only where True."""
    word = name.encode("utf-8", "surrogatepass")
    if not _WORD.fullmatch(word) or len(word) > MAX_WORD:
        return find_literal(snapshot, word, whole_word=True, limit=limit or 1 << 31, files=files)
    text = snapshot.parts["text"]
    found = in_files(text, postings_of(text, word_row(text, word)), files)
    total = len(found)
    if limit is not None:
        found = found[:limit]
    return matches_at(text, found, np.ones(len(found), np.bool_), len(found) == total, f"the first {len(found)} of {total}")


def find_literal(
    snapshot: HasParts,
    pattern: bytes,
    *,
    case_sensitive: bool = True,
    whole_word: bool = False,
    limit: int = LIMIT,
    files: NDArray[np.bool_] | None = None,
) -> Matches:
    """Places where exactly these bytes stand; overlapping ones too. Case is that of ASCII letters.

    `whole_word`: no letter, digit or `_` beside a pattern that begins or ends with one. `files`: bool[files], only where True.
    Raises QuestionError for an empty pattern or one over MAX_PATTERN bytes.
    """
    check_length(pattern)
    text, content = snapshot.parts["text"], snapshot.parts["content"]
    search = Literal(text, content, pattern if case_sensitive else pattern.lower(), not case_sensitive, whole_word)
    if (run := _RUN.fullmatch(pattern)) and len(pattern) + (RUN[pattern[0]] == WORD) >= MIN_SIGN and len(run[0]) <= MAX_WORD:
        return _single_run(text, search, limit, files)
    candidates = search.candidates()
    if candidates is None:
        return _scanned(text, content, search, limit, files)
    return _confirmed(text, content, search, in_files(text, candidates, files), limit)


def _single_run(text: Columns, search: Literal, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    """A pattern that is one word or sign, or a piece of one: no file has to be read."""
    needle = search.pattern
    if RUN[needle[0]] != WORD:  # what stands beside a sign makes it no less whole
        found = spellings_of(text, needle, True, True, search.fold).first(text, MAX_POSTINGS)
        signs = in_files(text, _with_long(found.addresses(text), search), files)
        return _cut(text, signs, len(signs), limit, found.complete)
    whole = in_files(text, spellings_of(text, needle, False, False, search.fold).addresses(text), files)
    if len(whole) > limit or search.whole_word:
        return _cut(text, whole, len(whole), limit, True)
    found = spellings_of(text, needle, True, True, search.fold).first(text, MAX_POSTINGS)
    offsets = text["word_offsets"]
    is_whole = (offsets[found.rows + 1] - offsets[found.rows]).astype(np.int64) == len(needle) + 1
    parts = in_files(text, _with_long(found.where(~is_whole).addresses(text), search), files)
    parts = parts[~among(parts, whole)]
    return _cut(text, np.concatenate([whole, parts]), len(whole), limit, found.complete)


def _with_long(places: NDArray[np.uint32], search: Literal) -> NDArray[np.uint32]:
    """Rising places, and those in runs too long for the index."""
    long = search.in_long_words()
    return union(places, long) if len(long) else places


def _cut(text: Columns, found: NDArray[np.uint32], whole: int, limit: int, complete: bool) -> Matches:
    shown = found[:limit]
    return matches_at(
        text, shown, np.arange(len(shown)) < whole, complete and len(found) <= limit, f"only the first {len(shown)} are listed"
    )


@dataclass(frozen=True, slots=True)
class Literal:
    text: Columns
    content: Columns
    pattern: bytes  # in lower case where `fold`
    fold: bool
    whole_word: bool

    def candidates(self) -> NDArray[np.uint32] | None:
        """Addresses where the pattern may stand, rising; None where no word or sign in it narrows them down."""
        closed: list[tuple[int, Spellings]] = []
        edges: list[tuple[bytes, int, bool, bool]] = []
        for match in _RUN.finditer(self.pattern):
            run, start, end = match[0], match.start(), match.end()
            is_word = RUN[run[0]] == WORD
            left = start == 0 and not (self.whole_word and is_word)
            right = end == len(self.pattern) and not (self.whole_word and is_word)
            # One letter anywhere inside a word stands for half the vocabulary, and single signs are not indexed.
            if len(run) > MAX_WORD or (len(run) == 1 and ((left and right) or not is_word)):
                continue
            if left or right:
                edges.append((run, start, left, right))
            else:
                closed.append((start, spellings_of(self.text, run, False, False, self.fold)))
        found: NDArray[np.uint32] | None = None
        for start, spellings in sorted(closed, key=lambda one: one[1].postings(self.text)):
            if found is not None and len(found) <= FEW:
                return found
            found = _met(found, spellings.addresses(self.text), start)
        if found is not None and len(found) <= FEW:
            return found
        # Runs at the edges cost a look through the vocabulary each, the short ones the most, and stand for many words.
        long = self.in_long_words() if edges else NOWHERE
        for run, start, left, right in sorted(edges, key=lambda edge: -len(edge[0])):
            if found is not None and len(found) <= (FEW if len(run) > 1 else MAX_CHECKED // 4):
                break
            spellings = spellings_of(self.text, run, left, right, self.fold)
            if spellings.complete and spellings.postings(self.text) <= MAX_POSTINGS:
                found = _met(found, spellings.addresses(self.text), start, long)
        return found

    def in_long_words(self) -> NDArray[np.uint32]:
        """Addresses of the pattern in files that hold words too long for the vocabulary."""
        if not len(self.text["long_words"]):
            return NOWHERE
        files = distinct(files_of(self.text, self.text["long_words"])).tolist()
        base = base_of_files(self.text)
        found = []
        for file, data in zip(files, _unpacked(self.content, files), strict=True):
            found += [int(base[file]) + at for at in self.places_in(data)]
        return np.asarray(found, np.uint32)

    def places_in(self, data: bytes) -> Iterator[int]:
        searched = data.lower() if self.fold else data
        at = searched.find(self.pattern)
        while at >= 0:
            yield at
            at = searched.find(self.pattern, at + 1)

    def stands_at(self, data: bytes, at: int) -> bool:
        piece = data[at : at + len(self.pattern)]
        return (piece.lower() if self.fold else piece) == self.pattern

    def is_whole(self, data: bytes, at: int) -> bool:
        end = at + len(self.pattern)
        left = at > 0 and RUN[data[at - 1]] == WORD == RUN[data[at]]
        right = end < len(data) and RUN[data[end]] == WORD == RUN[data[end - 1]]
        return not (left or right)


_kept: dict[int, tuple[weakref.ref[Columns], Sequence[int], Sequence[bytes]]] = {}  # by the id of a part `content` that is open


def _unpacked(content: Columns, files: Sequence[int]) -> Sequence[bytes]:
    """The bytes of a few files, which are asked for again and again: unpacking them was most of what a literal took."""
    key = id(content)
    kept = _kept.get(key)
    if kept is not None and kept[0]() is content and kept[1] == files:
        return kept[2]
    read = [bytes_of(content, file) or b"" for file in files]
    if sum(map(len, read)) <= MOST_UNPACKED:
        with suppress(TypeError):  # a part that is a plain dict can't be told when it is gone
            _kept[key] = (weakref.ref(content, lambda _: _kept.pop(key, None)), files, read)
    return read


def _met(
    found: NDArray[np.uint32] | None, places: NDArray[np.uint32], start: int, long: NDArray[np.uint32] = NOWHERE
) -> NDArray[np.uint32]:
    """Candidates so far and the places of a run that stands `start` bytes after the candidate -> the candidates that remain.
    `long`: addresses that no run of the index can rule out."""
    if found is None:
        places = places[np.searchsorted(places, np.uint32(start)) :] - np.uint32(start)
        return union(places, long) if len(long) else places
    keep = among(found + np.uint32(start), places)
    return found[keep | among(found, long)] if len(long) else found[keep]


def _confirmed(text: Columns, content: Columns, search: Literal, candidates: NDArray[np.uint32], limit: int) -> Matches:
    found: list[int] = []
    whole: list[bool] = []
    note = ""
    if len(candidates) > MAX_CHECKED:
        note = f"only the first {MAX_CHECKED} of {len(candidates)} possible places were read"
    size = len(search.pattern)
    for file, (base, offsets) in by_file(text, candidates[:MAX_CHECKED]):
        if len(found) > limit:
            break
        reader = FileReader(content, file)
        if is_dense(len(offsets), reader.size):
            data = reader.slice(0, reader.size) or b""
            stands = ((data, at, at) for at in search.places_in(data))
        else:
            pieces = ((reader.slice(at - min(at, 1), at + size + 1) or b"", min(at, 1), at) for at in offsets)
            stands = (piece for piece in pieces if search.stands_at(piece[0], piece[1]))
        for data, within, at in stands:
            is_whole = search.is_whole(data, within)
            if is_whole or not search.whole_word:
                found.append(base + at)
                whole.append(is_whole)
    if len(found) > limit:
        note = f"only the first {limit} are listed"
    flags = np.asarray(whole[:limit], np.bool_)
    addresses = np.asarray(found[:limit], np.uint32)
    order = np.argsort(~flags, kind="stable")
    return matches_at(text, addresses[order], flags[order], not note, note)


def _scanned(text: Columns, content: Columns, search: Literal, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    """A pattern without a word in it: every file is read, in order, until there is enough."""
    found: list[int] = []
    whole: list[bool] = []
    note = ""
    for data, base, cut in all_files(text, content, files):
        note = note or cut
        for at in search.places_in(data):
            is_whole = search.is_whole(data, at)
            if is_whole or not search.whole_word:
                found.append(base + at)
                whole.append(is_whole)
                if len(found) > limit:
                    break
        if len(found) > limit:
            note = f"only the first {limit} are listed"
            break
    return matches_at(text, np.asarray(found[:limit], np.uint32), np.asarray(whole[:limit], np.bool_), not note, note)
