"""Words of a question -> the chunks that speak of them, by BM25 over parts of words."""

from __future__ import annotations

import bisect
import functools
import math
import re
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from index.at_rest import lists_of
from index.content import Columns, HasParts
from index.distinct import distinct, grouped
from index.trigrams.addresses import LIMIT, NOWHERE, among, base_of_files
from index.trigrams.vocabulary import postings_of, row_of, word_row
from index.trigrams.words import parts_in
from index.types import PathKind

K1, B = 2.0, 0.6  # BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009)

# What a chunk defines, and where it lies, says more of it than what it mentions; and what the whole file speaks of says something of each
# of its chunks. Measured on 600 subjects of commits in six repositories (the share of their changed files among the first five found, MRR)
# and on 432 first sentences of docstrings, the docstrings cut out of the code (MRR@10 of the chunk):
#     chunks alone, K1 1.2, B 0.75                                0.626, 0.540; 0.453
#     documents and tests after sources, words of a wish for less, K1 2.0, B 0.6
#         with half of the file's own BM25                        0.638, 0.566
#         and words as they are written                           0.664, 0.573; 0.460
NAMED = 5
IN_PATH = 4
OF_FILE = 0.5
B_OF_FILE = 0.3  # a long file is punished little: it is often the very place
AS_WRITTEN = 0.8
KINDS = MappingProxyType({PathKind.DOCS: 0.5, PathKind.TEST: 0.7})  # who asks about code seldom means these
RERANKED = 200  # chunks whose paths are looked at: as good as all, in half a millisecond

STOP_WORDS = frozenset(
    b"an and are as at be by do does for from has have how if in into is it its of on or such than that the their then there these they "
    b"this to was were what when where which who will with".split()
)


# Words of a wish or a complaint say what is to become of code, and seldom what it is: they count for less.
OF_A_WISH = frozenset(
    b"add allow also always avoid bug change changes clean cleanup correct correctly crash do don doesn drop ensure expose fail "
    b"fails fix fixed fixes fixing handle improve incorrect incorrectly instead introduce issue make minor more move need needs new "
    b"no not now only please prevent proper properly refactor remove rename replace revert should show simplify some support try "
    b"unnecessary update use using want when while without work wrong".split()
)
WISH = 0.6
_WHOLE = re.compile(r"[A-Za-z_$][\w$]{2,99}")


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks that speak of some words, best first; ties by row. Row i of `rows`, `scores` and `counts` is one chunk."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]  # more is better
    terms: tuple[str, ...]  # what was looked for, in the order of the question
    counts: NDArray[np.int64]  # [chunks, terms]: how often each occurs in the chunk
    rarity: NDArray[np.float64]  # [terms]: what each weighs, the more the rarer it is
    known: NDArray[np.bool_]  # [terms]: does it occur anywhere?

    def __len__(self) -> int:
        return len(self.rows)


def bm25(snapshot: HasParts, words: Iterable[str], limit: int = LIMIT, files: NDArray[np.bool_] | None = None) -> Ranked:
    """Words of a question -> the chunks that speak of them.

    Terms are parts of words (getUserName: get, user, name), with the other forms of the same English stem; stop words only where there
    is nothing else. The name of a definition counts NAMED times more, a part of the path IN_PATH times; to it comes what the whole file
    speaks of, and the words that it holds as they are written. A chunk's length is its bytes: as good a measure as its terms, and known
    already. `files`: bool[files], only where True.
    """
    text, chunks = snapshot.parts["text"], snapshot.parts["chunks"]
    words = list(words)
    terms = telling_terms(words)
    total = len(chunks["file"])
    if not total or not terms:
        nothing = np.empty((0, len(terms)), np.int64)
        return Ranked(np.empty(0, np.int64), np.empty(0), tuple(terms), nothing, np.zeros(len(terms)), np.zeros(len(terms), np.bool_))
    place = _places(snapshot)
    norm = place.norm
    found = [_found(np.sort(postings_of(text, _words_with(text, part))), place, part) for part in terms.values()]
    scores = np.zeros(total)
    for term in found:
        scores[term.chunk] += term.weight(total) * _saturated(term.count + NAMED * term.named, norm[term.chunk])
    whole = AS_WRITTEN * _as_written(text, words, place) + _of_files(found, place)
    kind = place.kind
    scores = np.where(scores > 0, scores + OF_FILE * whole[chunks["file"]], 0) * kind[chunks["file"]]
    if files is not None:
        scores[~files[chunks["file"]]] = 0
    rows = _best(np.flatnonzero(scores), scores, max(limit, RERANKED))
    counts = np.stack([term.at(term.count, rows) for term in found], axis=1)
    named = np.stack([term.at(term.named, rows) for term in found], axis=1)
    weights = np.asarray([term.weight(total) for term in found])
    frequency = counts + NAMED * named + IN_PATH * _in_paths(snapshot, chunks["file"][rows], terms)
    own = (weights * _saturated(frequency, norm[rows][:, None])).sum(axis=1)
    scores[rows] = (own + OF_FILE * whole[chunks["file"][rows]]) * kind[chunks["file"][rows]]
    best = _best(rows, scores, limit)
    at = np.searchsorted(rows, best, sorter=(order := np.argsort(rows)))
    known = np.asarray([len(term.chunk) > 0 for term in found])
    return Ranked(best, scores[best], tuple(terms), counts[order[at]], weights, known)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the chunks of a commit are, and what else is the same for every question to it."""

    file: NDArray[np.int64]  # of each chunk
    starts: NDArray[np.uint32]  # addresses, rising
    ends: NDArray[np.uint32]
    norm: NDArray[np.float64]  # of each chunk, what its length does to a count
    of_file: NDArray[np.float64]  # the same of each file
    kind: NDArray[np.float64]  # of each file, the factor of its kind
    names: NDArray[np.uint32]  # addresses of the names of all definitions, rising


_KEPT: dict[int, tuple[tuple[weakref.ref[NDArray[Any]], ...], _Places]] = {}  # of the commits asked last; half the time of a question
MOST_KEPT = 8
LONGEST_ENDING = 7  # letters that a word may have beyond its stem, such as -fulness


def _places(snapshot: HasParts) -> _Places:
    """The places of a snapshot, kept as long as it is there."""
    symbols = snapshot.parts.get("symbols")
    columns = (snapshot.parts["chunks"]["start_byte"], *([symbols["line"]] if symbols is not None else []))
    kept = _KEPT.get(id(columns[0]))
    if kept is not None and len(kept[0]) == len(columns) and all(known() is one for known, one in zip(kept[0], columns, strict=True)):
        return kept[1]
    made = _made_places(snapshot)
    for old in list(_KEPT)[: max(len(_KEPT) - MOST_KEPT + 1, 0)]:
        _KEPT.pop(old, None)
    _KEPT[id(columns[0])] = (tuple(map(weakref.ref, columns)), made)
    return made


def _made_places(snapshot: HasParts) -> _Places:
    text, chunks = snapshot.parts["text"], snapshot.parts["chunks"]
    base = base_of_files(text).astype(np.uint32)[chunks["file"]]
    starts = base + chunks["start_byte"].astype(np.uint32)
    ends = base + chunks["end_byte"].astype(np.uint32)
    lengths = (ends - starts).astype(np.float64)
    files = len(text["file_sizes"])
    sizes = np.bincount(chunks["file"], weights=lengths, minlength=files)
    return _Places(
        file=chunks["file"].astype(np.int64),
        starts=starts,
        ends=ends,
        norm=K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0)),
        of_file=K1 * (1 - B_OF_FILE + B_OF_FILE * sizes / max(sizes.sum() / max(files, 1), 1.0)),
        kind=_of_kinds(snapshot),
        names=_names(snapshot),
    )


def _as_written(text: Columns, words: Sequence[str], place: _Places) -> NDArray[np.float64]:
    """The words of a question as they are written, as whole words of a file: f8[files], each worth what it says, the fewer files have it
    the more. `ThreadLocal` is thread and local to all the rest, and so is `local_thread`."""
    files = len(place.of_file)
    scores = np.zeros(files)
    for word in dict.fromkeys(_WHOLE.findall("\n".join(words))):
        if word.lower().encode() in STOP_WORDS or word.lower().encode() in OF_A_WISH:
            continue
        places = postings_of(text, word_row(text, word.encode()))
        chunk = np.searchsorted(place.starts, places, "right") - 1
        holding = np.zeros(files, np.bool_)
        holding[place.file[chunk[chunk >= 0]]] = True
        if count := int(holding.sum()):
            scores[holding] += math.log(1 + files / count)
    return scores


def _of_files(found: Sequence[_Found], place: _Places) -> NDArray[np.float64]:
    """BM25 of whole files: f8[files]. A long file that speaks of all the words, here and there, is the place as often as a short piece that
    repeats one of them."""
    files = len(place.of_file)
    scores = np.zeros(files)
    for term in found:
        file = place.file[term.chunk]  # rising, as the chunks are
        first = np.flatnonzero(np.diff(file, prepend=-1))
        if not len(first):
            continue
        here = file[first]
        weight = term.share * math.log(1 + (files - len(here) + 0.5) / (len(here) + 0.5))
        scores[here] += weight * _saturated(np.add.reduceat(term.count, first), place.of_file[here])
    return scores


def _of_kinds(snapshot: HasParts) -> NDArray[np.float64]:
    """The factor of each file's kind: f8[files]."""
    files = snapshot.parts.get("files")
    if files is None:
        return np.ones(len(snapshot.parts["text"]["file_sizes"]))
    factors = np.ones(len(PathKind))
    for kind, factor in KINDS.items():
        factors[kind] = factor
    return factors[files["kind"]]


def _saturated(frequency: NDArray[Any], norm: NDArray[np.float64]) -> NDArray[np.float64]:
    saturated: NDArray[np.float64] = frequency * (K1 + 1) / (frequency + norm)
    return saturated


def _best(rows: NDArray[np.int64], scores: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """The `limit` rows with the highest scores, best first, ties by row."""
    if len(rows) > limit:
        # All that may be among the first `limit`, ties included, then in full order.
        rows = rows[scores[rows] >= np.partition(scores[rows], -limit)[-limit]]
    return rows[np.lexsort((rows, -scores[rows]))][:limit]


@dataclass(frozen=True, slots=True)
class _Found:
    """Where one term occurs. Row i of each column is one chunk."""

    chunk: NDArray[np.int64]  # rising
    count: NDArray[np.int64]
    named: NDArray[np.int64]  # of these, how many are the name of a definition
    share: float = 1.0  # what it counts for

    def weight(self, total: int) -> float:
        return self.share * math.log(1 + (total - len(self.chunk) + 0.5) / (len(self.chunk) + 0.5))

    def at(self, column: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """A column by chunk row, 0 where the term does not occur."""
        if not len(self.chunk):
            return np.zeros(len(rows), np.int64)
        place = np.minimum(np.searchsorted(self.chunk, rows), len(self.chunk) - 1)
        return np.where(self.chunk[place] == rows, column[place], 0)


def _found(places: NDArray[np.uint32], place: _Places, part: bytes) -> _Found:
    """Rising addresses of a term, and the term."""
    share = WISH if part in OF_A_WISH else 1.0
    chunk = np.searchsorted(place.starts, places, "right") - 1
    inside = (chunk >= 0) & (places < place.ends[np.maximum(chunk, 0)])
    chunk, places = chunk[inside], places[inside]
    first = np.flatnonzero(np.diff(chunk, prepend=-1))
    if not len(first):
        return _Found(chunk, chunk, chunk, share)
    named = np.add.reduceat(among(places, place.names).astype(np.int64), first)
    return _Found(chunk[first], np.diff(first, append=len(chunk)), named, share)


def _names(snapshot: HasParts) -> NDArray[np.uint32]:
    """Addresses of the names of all definitions, rising; none where the snapshot has no symbols."""
    text, symbols = snapshot.parts["text"], snapshot.parts.get("symbols")
    if symbols is None:
        return NOWHERE
    line = text["line_offsets"][symbols["file"]].astype(np.int64) + symbols["line"] - 1
    inside = line < text["line_offsets"][symbols["file"] + 1]  # a file whose text is not indexed has no lines
    found: NDArray[np.uint32] = text["line_at"][line[inside]] + (symbols["column"][inside] - 1).astype(np.uint32)
    return np.sort(found)


def _in_paths(snapshot: HasParts, file: NDArray[np.int32], terms: Mapping[str, bytes]) -> NDArray[np.int64]:
    """File rows, terms -> int64[files, terms], 1 where the path has the term."""
    found = np.zeros((len(file), len(terms)), np.int64)
    files = snapshot.parts.get("files")
    if files is None:
        return found
    stems = [stem_of(part) for part in terms.values()]
    rows, where = grouped(file)
    offsets = files["path_offsets"]
    for at, row in enumerate(rows.tolist()):
        has = _stems_of_path(files["path_bytes"][int(offsets[row]) : int(offsets[row + 1])].tobytes())
        found[where == at] = [stem in has for stem in stems]
    return found


@functools.lru_cache(maxsize=20_000)
def _stems_of_path(path: bytes) -> frozenset[str]:
    return frozenset(map(stem_of, _parts(path.rpartition(b".")[0] or path)))


def telling_terms(words: Iterable[str]) -> dict[str, bytes]:
    """Words of a question -> their parts, each stem once, as a person reads them and as they are looked for."""
    found: dict[str, bytes] = {}
    for part in _parts("\n".join(words).encode("utf-8", "replace")):
        found.setdefault(stem_of(part), part)
    telling = [part for part in found.values() if part not in STOP_WORDS] or list(found.values())
    return {part.decode("utf-8", "replace"): part for part in telling}


def _parts(text: bytes) -> list[bytes]:
    lowered, starts, lengths = parts_in(b"\n" + text + b"\n\n")
    return [lowered[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]


def _words_with(text: Columns, part: bytes) -> NDArray[np.int64]:
    """Rows of the words that hold this part, or another form of its stem."""
    rows = {int(row) for row in row_of(text["part_hash"], part)} | set(_same_stem(text, part))
    return distinct(lists_of(text, "part_words", np.asarray(sorted(rows), np.int64))).astype(np.int64)


def _same_stem(text: Columns, part: bytes) -> list[int]:
    if len(part) < 4 or not part.isascii():
        return []
    stem = stem_of(part)
    # English endings change at most the last letter of a stem (study, studies), so candidates share the rest and are not much longer.
    prefix = stem[: max(len(stem) - 1, 3)].encode()
    parts, rows = _parts_in_order(text)
    found = []
    for at in range(bisect.bisect_left(parts, prefix), len(parts)):
        if not parts[at].startswith(prefix):
            break
        if len(parts[at]) <= len(stem) + LONGEST_ENDING and stem_of(parts[at]) == stem:
            found.append(rows[at])
    return found


def _parts_in_order(text: Columns) -> tuple[list[bytes], list[int]]:
    """The parts of words, rising, and the row of each; kept as long as the column is there."""
    column = text["part_bytes"]
    kept = _ORDERED.get(id(column))
    if kept is not None and kept[0]() is column:
        return kept[1]
    parts = column.tobytes().split(b"\n")[1:-1]
    order = sorted(range(len(parts)), key=parts.__getitem__)
    made = [parts[row] for row in order], order
    for old in list(_ORDERED)[: max(len(_ORDERED) - MOST_KEPT + 1, 0)]:
        _ORDERED.pop(old, None)
    _ORDERED[id(column)] = (weakref.ref(column), made)
    return made


_ORDERED: dict[int, tuple[weakref.ref[NDArray[Any]], tuple[list[bytes], list[int]]]] = {}
_stemmer = functools.cache(lambda: snowballstemmer.stemmer("english"))


@functools.lru_cache(maxsize=20_000)
def stem_of(part: bytes) -> str:
    return str(_stemmer().stemWord(part.decode("utf-8", "replace")))
