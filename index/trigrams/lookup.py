"""A word, a literal, a regular expression or a question's words -> where they occur.

Words and everything inside them come from the vocabulary and the postings alone: the vocabulary of a commit is a sixteenth of its text, so
looking through it for `rate` (as a whole word, or inside `generate`) takes a fraction of a millisecond, and each posting is an exact
place. Patterns of several words are met at the addresses where all their words stand, and confirmed against the bytes there.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import re2
import snowballstemmer
from numpy.typing import NDArray

from index.content import Columns, FileReader, HasParts, bytes_of
from index.errors import QuestionError
from index.trigrams.grams import buckets_with, rows_of
from index.trigrams.postings import PAGE, PAGE_BITS
from index.trigrams.required import Required, required_literals
from index.trigrams.words import MAX_WORD, MIN_SIGN, RUN, WORD, gathered, hash_of, parts_in

LIMIT = 200
MAX_PATTERN = 1_000  # bytes of a literal or regular expression
MAX_SPELLINGS = 50_000  # words of the vocabulary that one infix of three bytes or more may stand for
MAX_POSTINGS = 1_000_000  # places of a piece of a word: 10 ms to gather and sort
FEW = 200  # candidates that are sooner read than narrowed down
MAX_CHECKED = 20_000  # places read to confirm a literal
MAX_SCANNED = 256 << 20  # bytes read for a pattern that no word narrows down
WHOLE_FILE = 8  # candidate lines in one file from which on the file is searched in one go,
READ_AT_ONCE = 4_096  # where there is one in so many bytes
K1, B = 1.2, 0.75  # BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009)

_WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
_RUN = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[!-/:-@\[-^`{-~]+")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_NOWHERE = np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Matches:
    """Places, best first: whole words before parts of words, then by file and place. Row i of each column is one match."""

    file: NDArray[np.int32]
    line: NDArray[np.int32]  # from 1
    column: NDArray[np.int32]  # in bytes, from 1
    whole_word: NDArray[np.bool_]  # no letter, digit or `_` right before or after it
    complete: bool  # False: there may be more than these
    note: str = ""  # why it is not complete, for people

    def __len__(self) -> int:
        return len(self.file)


def find_identifier(snapshot: HasParts, name: str, limit: int | None = None, files: NDArray[np.bool_] | None = None) -> Matches:
    """Every place where `name` stands as a whole word, in order of file and place. `files`: bool[files], only where True."""
    word = name.encode("utf-8", "surrogatepass")
    if not _WORD.fullmatch(word) or len(word) > MAX_WORD:
        return find_literal(snapshot, word, whole_word=True, limit=limit or 1 << 31, files=files)
    text = snapshot.parts["text"]
    found = _in_files(text, _postings(text, _row(text, word)), files)
    total = len(found)
    if limit is not None:
        found = found[:limit]
    return _matches(text, found, np.ones(len(found), np.bool_), len(found) == total, f"the first {len(found)} of {total}")


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
    _check_length(pattern)
    text, content = snapshot.parts["text"], snapshot.parts["content"]
    search = _Literal(text, content, pattern if case_sensitive else pattern.lower(), not case_sensitive, whole_word)
    if (run := _RUN.fullmatch(pattern)) and len(pattern) + (RUN[pattern[0]] == WORD) >= MIN_SIGN and len(run[0]) <= MAX_WORD:
        return _single_run(text, search, limit, files)
    candidates = search.candidates()
    if candidates is None:
        return _scanned(text, content, search, limit, files)
    return _confirmed(text, content, search, _in_files(text, candidates, files), limit)


def find_regex(
    snapshot: HasParts, pattern: str, *, case_sensitive: bool = True, limit: int = LIMIT, files: NDArray[np.bool_] | None = None
) -> Matches:
    """Lines that a regular expression (RE2: linear time on any pattern) matches, one place a line; a match never goes beyond its line.

    Raises QuestionError for a pattern that is empty, too long or that RE2 refuses.
    """
    _check_length(pattern.encode("utf-8", "surrogatepass"))
    compiled = _compiled(pattern, case_sensitive)
    required = required_literals(pattern if case_sensitive else f"(?i){pattern}")
    text, content = snapshot.parts["text"], snapshot.parts["content"]
    lines = _candidate_lines(text, content, required)
    if lines is None:
        return _lines_in_all_files(text, content, compiled, limit, files)
    return _lines_among(text, content, compiled, lines, limit, files)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks that speak of some words, best first; ties by row. Row i of `rows`, `scores` and `counts` is one chunk."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]  # BM25: more is better, 0 would be no word at all
    terms: tuple[str, ...]  # what was looked for, in the order of the question
    counts: NDArray[np.int64]  # [chunks, terms]: how often each occurs in the chunk

    def __len__(self) -> int:
        return len(self.rows)


def bm25(snapshot: HasParts, words: Iterable[str], limit: int = LIMIT, files: NDArray[np.bool_] | None = None) -> Ranked:
    """Words of a question -> the chunks that speak of them.

    Terms are parts of words (getUserName: get, user, name), with the other forms of the same English stem. A chunk's length is its
    bytes: as good a measure as its terms, and known already. `files`: bool[files], only where True.
    """
    text, chunks = snapshot.parts["text"], snapshot.parts["chunks"]
    terms = _terms(words)
    total = len(chunks["file"])
    if not total:
        return Ranked(np.empty(0, np.int64), np.empty(0), tuple(terms), np.empty((0, len(terms)), np.int64))
    base = _bases(text).astype(np.uint32)[chunks["file"]]
    starts = base + chunks["start_byte"].astype(np.uint32)
    ends = base + chunks["end_byte"].astype(np.uint32)
    lengths = (ends - starts).astype(np.float64)
    norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
    scores = np.zeros(total)
    occurrences = [_counted(np.sort(_postings(text, _words_with(text, part))), starts, ends) for part in terms.values()]
    for chunk, count in occurrences:
        weight = math.log(1 + (total - len(chunk) + 0.5) / (len(chunk) + 0.5))
        scores[chunk] += weight * count * (K1 + 1) / (count + norm[chunk])
    if files is not None:
        scores[~files[chunks["file"]]] = 0
    found = np.flatnonzero(scores)
    if len(found) > limit:
        # All that may be among the first `limit`, ties included, then in full order.
        found = found[scores[found] >= np.partition(scores[found], -limit)[-limit]]
    found = found[np.lexsort((found, -scores[found]))][:limit]
    counts = np.zeros((len(found), len(terms)), np.int64)
    for column, (chunk, count) in enumerate(occurrences):
        if len(chunk):
            at = np.minimum(np.searchsorted(chunk, found), len(chunk) - 1)
            counts[:, column] = np.where(chunk[at] == found, count[at], 0)
    return Ranked(found, scores[found], tuple(terms), counts)


def _counted(
    places: NDArray[np.uint32], starts: NDArray[np.uint32], ends: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rising addresses, and where chunks start and end -> the chunks that hold any, rising, and how many each holds."""
    chunk = np.searchsorted(starts, places, "right") - 1
    chunk = chunk[(chunk >= 0) & (places < ends[np.maximum(chunk, 0)])]
    begins = np.flatnonzero(np.diff(chunk, prepend=-1))
    return chunk[begins], np.diff(begins, append=len(chunk))


# -- words ---------------------------------------------------------------------------------------------------------------------------


def _row(text: Columns, word: bytes) -> NDArray[np.int64]:
    """The row of a word in the vocabulary: one, or none."""
    return _table_row(text["word_hash"], word)


def _table_row(table: NDArray[np.uint64], word: bytes) -> NDArray[np.int64]:
    wanted = np.uint64(hash_of(word))
    row = int(np.searchsorted(table, wanted))
    return np.arange(row, row + 1) if row < len(table) and table[row] == wanted else np.empty(0, np.int64)


def _postings(text: Columns, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Addresses of some words of the vocabulary, word by word."""
    starts = text["word_starts"]
    addresses: NDArray[np.uint32] = text["word_at"]
    if len(rows) == 1:
        return addresses[int(starts[rows[0]]) : int(starts[rows[0] + 1])]
    first = starts[rows].astype(np.int64)
    return gathered(addresses, first, starts[rows + 1].astype(np.int64) - first)


@dataclass(frozen=True, slots=True)
class _Spellings:
    """Words that hold a needle: their rows, and where in the word it stands. A word may come twice."""

    rows: NDArray[np.int64]
    within: NDArray[np.int64]
    complete: bool

    def postings(self, text: Columns) -> int:
        return int((text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).sum(dtype=np.int64))

    def addresses(self, text: Columns) -> NDArray[np.uint32]:
        """Addresses where the needle stands, rising."""
        if len(self.rows) == 1:
            return _postings(text, self.rows) + np.uint32(self.within[0])
        counts = (text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).astype(np.int64)
        return np.sort(_postings(text, self.rows) + np.repeat(self.within, counts).astype(np.uint32))

    def first(self, text: Columns, most: int) -> _Spellings:
        """Only so many rows that they have at most that many postings."""
        counts = (text["word_starts"][self.rows + 1] - text["word_starts"][self.rows]).astype(np.int64)
        kept = int(np.searchsorted(np.cumsum(counts), most, "right"))
        return self if kept == len(self.rows) else _Spellings(self.rows[:kept], self.within[:kept], False)

    def where(self, chosen: NDArray[np.bool_]) -> _Spellings:
        return _Spellings(self.rows[chosen], self.within[chosen], self.complete)


def _spellings(text: Columns, needle: bytes, open_left: bool, open_right: bool, fold: bool) -> _Spellings:
    """Words that hold the needle; that begin with it, end with it, are it, where a side is not open."""
    if not (open_left or open_right or fold):
        row = _row(text, needle)
        return _Spellings(row, np.zeros(len(row), np.int64), True)
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
    return _Spellings(rows, places - offsets[rows], complete)


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
    first, last = rows_of(hashed, buckets)
    starts = text["word_offsets"][first].astype(np.int64) - 1
    ends = text["word_offsets"][last].astype(np.int64)
    view = letters.data
    sizes = ends - starts
    return b"".join([view[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]), np.cumsum(sizes) - sizes, starts


def _single_run(text: Columns, search: _Literal, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    """A pattern that is one word or sign, or a piece of one: no file has to be read."""
    needle = search.pattern
    if RUN[needle[0]] != WORD:  # what stands beside a sign makes it no less whole
        found = _spellings(text, needle, True, True, search.fold).first(text, MAX_POSTINGS)
        signs = _in_files(text, _with_long(found.addresses(text), search), files)
        return _cut(text, signs, len(signs), limit, found.complete)
    whole = _in_files(text, _spellings(text, needle, False, False, search.fold).addresses(text), files)
    if len(whole) > limit or search.whole_word:
        return _cut(text, whole, len(whole), limit, True)
    found = _spellings(text, needle, True, True, search.fold).first(text, MAX_POSTINGS)
    offsets = text["word_offsets"]
    is_whole = (offsets[found.rows + 1] - offsets[found.rows]).astype(np.int64) == len(needle) + 1
    parts = _in_files(text, _with_long(found.where(~is_whole).addresses(text), search), files)
    parts = parts[~_among(parts, whole)]
    return _cut(text, np.concatenate([whole, parts]), len(whole), limit, found.complete)


def _with_long(places: NDArray[np.uint32], search: _Literal) -> NDArray[np.uint32]:
    """Rising places, and those in runs too long for the index."""
    long = search.in_long_words()
    return np.union1d(places, long) if len(long) else places


def _cut(text: Columns, found: NDArray[np.uint32], whole: int, limit: int, complete: bool) -> Matches:
    shown = found[:limit]
    return _matches(text, shown, np.arange(len(shown)) < whole, complete and len(found) <= limit, f"only the first {len(shown)} are listed")


# -- literals ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Literal:
    text: Columns
    content: Columns
    pattern: bytes  # in lower case where `fold`
    fold: bool
    whole_word: bool

    def candidates(self) -> NDArray[np.uint32] | None:
        """Addresses where the pattern may stand, rising; None where no word or sign in it narrows them down."""
        closed: list[tuple[int, _Spellings]] = []
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
                closed.append((start, _spellings(self.text, run, False, False, self.fold)))
        found: NDArray[np.uint32] | None = None
        for start, spellings in sorted(closed, key=lambda one: one[1].postings(self.text)):
            if found is not None and len(found) <= FEW:
                return found
            found = _met(found, spellings.addresses(self.text), start)
        if found is not None and len(found) <= FEW:
            return found
        # Runs at the edges cost a look through the vocabulary each, the short ones the most, and stand for many words.
        long = self.in_long_words() if edges else _NOWHERE
        for run, start, left, right in sorted(edges, key=lambda edge: -len(edge[0])):
            if found is not None and len(found) <= (FEW if len(run) > 1 else MAX_CHECKED // 4):
                break
            spellings = _spellings(self.text, run, left, right, self.fold)
            if spellings.complete and spellings.postings(self.text) <= MAX_POSTINGS:
                found = _met(found, spellings.addresses(self.text), start, long)
        return found

    def in_long_words(self) -> NDArray[np.uint32]:
        """Addresses of the pattern in files that hold words too long for the vocabulary."""
        if not len(self.text["long_words"]):
            return _NOWHERE
        files = np.unique(_files_of(self.text, self.text["long_words"]))
        base = _bases(self.text)
        found = []
        for file in files.tolist():
            data = bytes_of(self.content, file)
            found += [int(base[file]) + at for at in self.places_in(data or b"")]
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


def _met(
    found: NDArray[np.uint32] | None, places: NDArray[np.uint32], start: int, long: NDArray[np.uint32] = _NOWHERE
) -> NDArray[np.uint32]:
    """Candidates so far and the places of a run that stands `start` bytes after the candidate -> the candidates that remain.
    `long`: addresses that no run of the index can rule out."""
    if found is None:
        places = places[np.searchsorted(places, np.uint32(start)) :] - np.uint32(start)
        return np.union1d(places, long) if len(long) else places
    keep = _among(found + np.uint32(start), places)
    return found[keep | _among(found, long)] if len(long) else found[keep]


def _confirmed(text: Columns, content: Columns, search: _Literal, candidates: NDArray[np.uint32], limit: int) -> Matches:
    found: list[int] = []
    whole: list[bool] = []
    note = ""
    if len(candidates) > MAX_CHECKED:
        note = f"only the first {MAX_CHECKED} of {len(candidates)} possible places were read"
    size = len(search.pattern)
    for file, (base, offsets) in _by_file(text, candidates[:MAX_CHECKED]):
        if len(found) > limit:
            break
        reader = FileReader(content, file)
        for at in offsets:
            before = min(at, 1)
            data = reader.slice(at - before, at + size + 1) or b""
            if search.stands_at(data, before) and ((is_whole := search.is_whole(data, before)) or not search.whole_word):
                found.append(base + at)
                whole.append(is_whole)
    if len(found) > limit:
        note = f"only the first {limit} are listed"
    flags = np.asarray(whole[:limit], np.bool_)
    addresses = np.asarray(found[:limit], np.uint32)
    order = np.argsort(~flags, kind="stable")
    return _matches(text, addresses[order], flags[order], not note, note)


def _scanned(text: Columns, content: Columns, search: _Literal, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    """A pattern without a word in it: every file is read, in order, until there is enough."""
    found: list[int] = []
    whole: list[bool] = []
    note = ""
    for data, base, cut in _all_files(text, content, files):
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
    return _matches(text, np.asarray(found[:limit], np.uint32), np.asarray(whole[:limit], np.bool_), not note, note)


# -- regular expressions ----------------------------------------------------------------------------------------------------------------


def _compiled(pattern: str, case_sensitive: bool) -> _Regex:
    options = re2.Options()
    options.never_nl = True  # a match stays on its line, also for \s and [^x]
    options.log_errors = False
    options.case_sensitive = case_sensitive
    try:
        # (?m): ^ and $ are the borders of a line. The group keeps flags of the user's pattern inside.
        compiled = re2.compile(b"(?m)(?:" + pattern.encode("utf-8", "surrogatepass") + b")", options)
    except re2.error as error:
        said = error.args[0] if error.args else error
        shown = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise QuestionError(
            f"The pattern `{pattern}` is no regular expression we can run ({shown}): see https://github.com/google/re2/wiki/Syntax."
        ) from error
    return _Regex(compiled, line_by_line="\\A" in pattern or "\\z" in pattern)


def _candidate_lines(text: Columns, content: Columns, required: Required) -> NDArray[np.int64] | None:
    """Rows of `line_at` that hold what a match must hold, rising; None where nothing narrows them down."""
    found: NDArray[np.int64] | None = None
    # The longest literals first: they leave the fewest lines, and when few are left the rest is not worth a look.
    for strings in sorted(required.literals, key=lambda strings: -min(map(len, strings))):
        places = [_Literal(text, content, literal, required.fold, False).candidates() for literal in strings]
        narrowing = [one for one in places if one is not None]
        if len(narrowing) < len(places):
            continue
        lines = _lines_of(text, np.concatenate(narrowing))
        found = lines if found is None else np.intersect1d(found, lines, assume_unique=True)
        if len(found) <= FEW:
            break
    return found


def _lines_of(text: Columns, addresses: NDArray[np.uint32]) -> NDArray[np.int64]:
    rows = np.sort(np.searchsorted(text["line_at"], addresses, "right") - 1)
    return rows[np.diff(rows, prepend=-1) > 0]


def _lines_among(
    text: Columns, content: Columns, search: _Regex, lines: NDArray[np.int64], limit: int, files: NDArray[np.bool_] | None
) -> Matches:
    line_at = text["line_at"]
    if files is not None:
        lines = lines[files[_files_of(text, line_at[lines])]]
    found: list[int] = []
    note = ""
    scanned = 0
    # A line ends where the next begins, or with its file.
    next_at = np.append(line_at, np.uint32(0))[lines + 1]
    done = 0
    for file, (base, offsets) in _by_file(text, line_at[lines]):
        reader = FileReader(content, file)
        ends = [end - base if end > base else reader.size for end in next_at[done : done + len(offsets)].tolist()]
        done += len(offsets)
        if len(offsets) >= WHOLE_FILE and len(offsets) * READ_AT_ONCE > reader.size:
            scanned += reader.size
            found += (base + at for at in search.on_all_lines(reader.slice(0, reader.size) or b""))
        else:
            for start, end in zip(offsets, ends, strict=True):
                scanned += end - start
                at = search.on_line(reader.slice(start, min(end, reader.size)) or b"")
                if at >= 0:
                    found.append(base + start + at)
        if len(found) > limit:
            break
        if scanned > MAX_SCANNED:
            note = f"only the first {MAX_SCANNED >> 20} MiB were searched"
            break
    return _lines_found(text, found, limit, note)


def _lines_in_all_files(text: Columns, content: Columns, search: _Regex, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    found: list[int] = []
    note = ""
    for data, base, cut in _all_files(text, content, files):
        note = note or cut
        found += (base + at for at in search.on_all_lines(data))
        if len(found) > limit:
            break
    return _lines_found(text, found, limit, note)


def _lines_found(text: Columns, found: list[int], limit: int, note: str) -> Matches:
    if len(found) > limit:
        note = f"only the first {limit} are listed"
    addresses = np.asarray(found[:limit], np.uint32)
    return _matches(text, addresses, np.zeros(len(addresses), np.bool_), not note, note)


@dataclass(frozen=True, slots=True)
class _Regex:
    compiled: Any  # of the re2 module, which has no types
    line_by_line: bool  # it knows the beginning or end of the text, which for us is the line

    def on_line(self, line: bytes) -> int:
        """Where it first matches on one line, -1: nowhere."""
        match = self.compiled.search(line.removesuffix(b"\n"))
        return -1 if match is None else int(match.start())

    def on_all_lines(self, data: bytes) -> Iterator[int]:
        """Where it first matches on each line that it matches, in one pass."""
        if self.line_by_line:
            for line in _LINE.finditer(data):
                if (at := self.on_line(line[0])) >= 0:
                    yield line.start() + at
            return
        at = 0
        while at < len(data) and (match := self.compiled.search(data, at)) is not None:
            start = match.start()
            if start == len(data) and data.endswith(b"\n"):
                return  # after the last newline there is no line
            yield start
            end = data.find(b"\n", start)
            if end < 0:
                return
            at = end + 1


# -- terms of a question ------------------------------------------------------------------------------------------------------------------


def _terms(words: Iterable[str]) -> dict[str, bytes]:
    """Words of a question -> their parts, each stem once, as a person reads them and as they are looked for."""
    joined = "\n".join(words).encode("utf-8", "replace")
    lowered, starts, lengths = parts_in(b"\n" + joined + b"\n\n")
    found: dict[str, bytes] = {}
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        part = lowered[start : start + length]
        found.setdefault(_stem(part), part)
    return {part.decode("utf-8", "replace"): part for part in found.values()}


def _words_with(text: Columns, part: bytes) -> NDArray[np.int64]:
    """Rows of the words that hold this part, or another form of its stem."""
    rows = {int(row) for row in _table_row(text["part_hash"], part)} | set(_same_stem(text, part))
    starts = text["part_starts"]
    pieces = [text["part_words"][int(starts[row]) : int(starts[row + 1])] for row in sorted(rows)]
    return np.unique(np.concatenate([np.empty(0, np.uint32), *pieces])).astype(np.int64)


def _same_stem(text: Columns, part: bytes) -> list[int]:
    if len(part) < 4 or not part.isascii():
        return []
    stem = _stem(part)
    # English endings change at most the last letter of a stem (study, studies), so candidates share the rest and are not much longer.
    prefix = b"\n" + stem[: max(len(stem) - 1, 3)].encode()
    dictionary, offsets = text["part_bytes"].tobytes(), text["part_offsets"]
    found = []
    at = dictionary.find(prefix)
    while at >= 0:
        end = dictionary.index(b"\n", at + 1)
        if end - at - 1 <= len(stem) + 7 and _stem(dictionary[at + 1 : end]) == stem:
            found.append(int(np.searchsorted(offsets, np.uint32(at + 1))))
        at = dictionary.find(prefix, end)
    return found


_stemmer = functools.cache(lambda: snowballstemmer.stemmer("english"))


@functools.lru_cache(maxsize=20_000)
def _stem(part: bytes) -> str:
    return str(_stemmer().stemWord(part.decode("utf-8", "replace")))


# -- addresses ----------------------------------------------------------------------------------------------------------------------------


def _bases(text: Columns) -> NDArray[np.int64]:
    """Address where each file begins, and where the next would."""
    pages = text["file_sizes"].astype(np.int64) // PAGE + 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(pages)]) << PAGE_BITS


def _files_of(text: Columns, addresses: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.searchsorted(_bases(text)[:-1].astype(np.uint32), addresses, "right") - 1


def _in_files(text: Columns, addresses: NDArray[np.uint32], files: NDArray[np.bool_] | None) -> NDArray[np.uint32]:
    if files is None or not len(addresses):
        return addresses
    pages = np.repeat(files, text["file_sizes"].astype(np.int64) // PAGE + 1)
    inside: NDArray[np.uint32] = addresses[pages[addresses >> np.uint32(PAGE_BITS)]]
    return inside


def _by_file(text: Columns, rising: NDArray[np.uint32]) -> Iterator[tuple[int, tuple[int, list[int]]]]:
    """Rising addresses -> file row, its base and the offsets in it, file by file."""
    bases = _bases(text)
    files = np.searchsorted(bases[:-1].astype(np.uint32), rising, "right") - 1
    borders = np.flatnonzero(np.diff(files, prepend=-1, append=-1))
    for first, last in zip(borders.tolist(), borders[1:].tolist(), strict=False):
        file = int(files[first])
        base = int(bases[file])
        yield file, (base, (rising[first:last].astype(np.int64) - base).tolist())


def _all_files(text: Columns, content: Columns, files: NDArray[np.bool_] | None) -> Iterator[tuple[bytes, int, str]]:
    """Bytes and base of every file whose text is indexed, until MAX_SCANNED bytes were read; then the last comes with a note."""
    bases = _bases(text).tolist()
    indexed = np.diff(text["line_offsets"].astype(np.int64)) > 0
    scanned = 0
    for file in np.flatnonzero(indexed if files is None else indexed & files).tolist():
        data = bytes_of(content, file)
        if data is None:
            continue
        scanned += len(data)
        if scanned > MAX_SCANNED:
            yield b"", bases[file], f"only the first {MAX_SCANNED >> 20} MiB were searched"
            return
        yield data, bases[file], ""


def _among(wanted: NDArray[np.uint32], rising: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of `wanted` are in `rising`."""
    if not len(rising):
        return np.zeros(len(wanted), np.bool_)
    at = np.searchsorted(rising, wanted)
    found: NDArray[np.bool_] = rising[np.minimum(at, len(rising) - 1)] == wanted
    return found


def _matches(text: Columns, addresses: NDArray[np.uint32], whole: NDArray[np.bool_], complete: bool, note: str) -> Matches:
    files = _files_of(text, addresses)
    lines = np.searchsorted(text["line_at"], addresses, "right") - 1
    return Matches(
        file=files.astype(np.int32),
        line=(lines - text["line_offsets"][files].astype(np.int64) + 1).astype(np.int32),
        column=(addresses - text["line_at"][lines] + np.uint32(1)).astype(np.int32),
        whole_word=whole,
        complete=complete,
        note="" if complete else note,
    )


def _check_length(pattern: Sequence[int]) -> None:
    if not pattern:
        raise QuestionError("There is nothing to look for: give a word, a text or a pattern.")
    if len(pattern) > MAX_PATTERN:
        raise QuestionError(f"That pattern has {len(pattern)} bytes, and we look for at most {MAX_PATTERN}: give a shorter piece of it.")
