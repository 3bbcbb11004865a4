"""A name as a person writes it -> the symbols it may mean, and how exactly."""

from __future__ import annotations

import re
import weakref
from bisect import bisect_left
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from index.distinct import counted, distinct, one_of, union
from index.intent.rules import FILE_ENDINGS
from index.snapshot import Snapshot
from index.types import Query, SymbolKind
from index.vectors.subtokens import split

MOST_NAMES = 2_000  # names of one prefix that are looked at
MOST_OWNED = 500  # symbols of one name whose paths are compared with what was written
MOST_ALIKE = 1_000  # names that are compared letter by letter
LEAST_LIKENESS = 0.75  # as difflib counts it: `timeout` is not a slip of TimeoutError
SHORTEST_ALIKE = 4  # letters of a name that another one can be near
LEAST_SHARE = 0.5  # of the asked words, by rarity, that a name must hold
LONGEST_ENDING = 7  # letters that a word may have beyond its stem, such as -fulness
_STEM = snowballstemmer.stemmer("english").stemWord
_SEPARATORS = re.compile(r"::|[.#/\\]")
_SUFFIX = re.compile(r"\.\w{1,4}$")
_PLACE = re.compile(rf"(?P<path>[^:\n]*\.{FILE_ENDINGS})(?::(?P<line>\d{{1,7}}))?")


class Exactness(IntEnum):
    """How well a symbol fits what was written, best first."""

    QUALIFIED = 0  # Cart.total, shop/tax.py::rate, and it is the only reading
    NAME = 1
    FOLDED = 2  # parse_config for parseConfig
    NEARLY = 3  # but for a slip of the fingers
    HELD = 4  # every word of the name, two at least, is in the question
    PREFIX = 5
    ALL_WORDS = 6  # every word of the question is in the name
    SOME_WORDS = 7

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    Exactness.QUALIFIED: "is `{}`",
    Exactness.NAME: "is named `{}`",
    Exactness.FOLDED: "is named like `{}`",
    Exactness.NEARLY: "is named nearly like `{}`",
    Exactness.HELD: "has a name made of words of the question",
    Exactness.PREFIX: "starts with `{}`",
    Exactness.ALL_WORDS: "has every word of the question in its name",
    Exactness.SOME_WORDS: "has words of the question in its name",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Symbol rows in row order and how exactly each fits; `share` of the asked words that the name holds, 1.0 for a whole name."""

    rows: NDArray[np.int64]
    exactness: NDArray[np.uint8]
    share: NDArray[np.float64]


def last_name(written: str) -> str:
    """`Cart.total`, `Cart::total`, `shop/cart.py::total` -> total."""
    parts = [part for part in _SEPARATORS.split(written.strip()) if part]
    return parts[-1] if parts else ""


def symbols_meant(snapshot: Snapshot, written: str) -> NDArray[np.int64]:
    """A written name -> the rows it means: the qualified name, else the name, else the name but for case and underscores, else a module
    of that path. Empty where nothing fits; never a guess from a part of the name."""
    if place := place_meant(snapshot, written):
        return np.asarray(place.rows, np.int64)
    parts = [part for part in _SEPARATORS.split(written.strip()) if part]
    if not parts:
        return np.empty(0, np.int64)
    for rows in (snapshot.symbols_named(parts[-1]), _of_names(snapshot, _folded(snapshot, parts[-1], whole=True))):
        if len(rows):
            return _best_owned(snapshot, rows, parts[:-1])
    return modules_at(snapshot, written)


def is_file_name(written: str) -> bool:
    """`robots.txt`, `shop/tax.py:12`: named like a file, which need not be here."""
    return _PLACE.fullmatch(written) is not None and " " not in written


def asked_for_more_of(query: Query, snapshot: Snapshot) -> frozenset[int]:
    """ "Code like Cart.total": the row of the one symbol asked about; none for other questions, and where the name is unclear."""
    if query.intent != "find_similar":
        return frozenset()
    rows = query.symbols or symbols_meant(snapshot, query.subject).tolist()
    return frozenset(rows) if len(rows) == 1 and snapshot.chunk_of_symbol(rows[0]) >= 0 else frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line of it, and the symbols that stand there: the innermost one, or the MODULE symbol of each such file."""

    rows: tuple[int, ...]
    line: int  # 0: the whole file


def place_meant(snapshot: Snapshot, written: str) -> Place | None:
    """`shop/tax.py`, `tax.py:12`, `/home/me/shop/tax.py:12` -> the place; None where it is written otherwise or no such file is here."""
    found = _PLACE.fullmatch(written.strip().replace("\\", "/").removeprefix("./").removeprefix("/"))
    if found is None or " " in found["path"]:
        return None
    path, line = found["path"], int(found["line"] or 0)
    files = [at for at, own in enumerate(snapshot.paths) if own.endswith(path) and f"/{own}".endswith(f"/{path}")]
    if not files:  # somebody else's checkout, or an installed copy
        longest = max((own for own in snapshot.paths if path.endswith(own) and f"/{path}".endswith(f"/{own}")), key=len, default="")
        files = [snapshot.file_of_path[longest]] if "/" in longest else []
    rows = tuple(snapshot.symbol_at(file, line) if line else snapshot.symbols_in(file).start for file in files)
    return Place(rows, line) if rows else None


def modules_at(snapshot: Snapshot, written: str) -> NDArray[np.int64]:
    """`shop/tax.py` or `shop.tax` -> the MODULE rows of the files whose path ends so."""
    written = written.strip()
    if not written or " " in written:  # a topic
        return np.empty(0, np.int64)
    tails = {_stem(written), _stem(written.replace("\\", "/") if "/" in written else written.replace(".", "/"))} - {""}
    files = [
        at
        for at, path in enumerate(snapshot.paths)
        for tail in tails
        if tail in path and f"/{_stem(path)}".endswith(f"/{tail}")  # the first test is the quick one
    ]
    return np.asarray(np.searchsorted(snapshot.parts["symbols"]["file"], np.asarray(sorted(set(files)), np.int32)), np.int64)


def stands_in(snapshot: Snapshot, rows: NDArray[np.int64], path: str) -> bool:
    """Is one of the symbols in a file whose path is, or ends with, `path`?"""
    files = snapshot.parts["symbols"]["file"][rows]
    return any(f"/{snapshot.path(file)}".endswith(f"/{path}") for file in set(files.tolist()))


def nearest_names(snapshot: Snapshot, written: str, count: int = 3) -> list[str]:
    """A name that no symbol has -> up to `count` that look like it, most alike first: by letters missing, added, wrong or swapped, among
    those that share most of its pairs of letters."""
    folded = last_name(written).lower().replace("_", "")
    if len(folded) < SHORTEST_ALIKE or is_file_name(written):
        return []
    matcher = SequenceMatcher()
    matcher.set_seq2(folded)
    scored = []
    for row in _sharing_pieces(snapshot, folded):
        name = snapshot.names[row]
        plain = name.lower().replace("_", "")
        if abs(len(plain) - len(folded)) > 2 + len(folded) // 4 or plain == folded:
            continue
        matcher.set_seq1(plain)
        if matcher.quick_ratio() >= LEAST_LIKENESS and (likeness := matcher.ratio()) >= LEAST_LIKENESS:
            scored.append((-likeness, plain[:1] != folded[:1], name))
    return [name for _, _, name in sorted(scored)[:count]]


def _sharing_pieces(snapshot: Snapshot, folded: str) -> list[int]:
    """Rows of the names that share the largest part of the pairs of letters (with the borders) of a folded name."""
    wanted = f"\n{folded}\n".encode("utf-8", "replace")
    grams = distinct(_pairs(np.frombuffer(wanted, np.uint8)))
    text, starts = snapshot.folded_names
    every = np.frombuffer(text, np.uint8)
    at = np.flatnonzero(one_of(_pairs(every), grams))
    names = np.minimum(np.searchsorted(starts, at + 1, "right") - 1, len(starts) - 1)  # a piece may begin with the newline before
    if not len(names):
        return []
    shared = np.bincount(names, minlength=len(starts))
    lengths = np.diff(np.append(starts, len(text)))
    likeness = 2 * shared / (len(grams) + lengths)
    best = np.lexsort((np.arange(len(starts)), -likeness))[:MOST_ALIKE]
    return [int(row) for row in best if shared[row]]


def _pairs(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    wide = data.astype(np.int64)
    return wide[:-1] * 256 + wide[1:]


def look_up(snapshot: Snapshot, written: str) -> Found:
    """A written name, or words -> every symbol that fits, from exact to sharing words. The last answer is kept: definitions and neighbours
    of one question start from the same."""
    global _last
    last = _last  # another thread may put its own there
    if last is not None and last[0]() is snapshot and last[1] == written:
        return last[2]
    found = _looked_up(snapshot, written)
    _last = (weakref.ref(snapshot), written, found)
    return found


_last: tuple[weakref.ref[Snapshot], str, Found] | None = None


def exactly(snapshot: Snapshot, written: str) -> Found:
    """A written name -> the symbols that `look_up` finds by the whole name, in a tenth of its time."""
    parts = [part for part in _SEPARATORS.split(written.strip()) if part]
    if not parts:
        return Found(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0))
    named = snapshot.symbols_named(parts[-1])
    rows = union(named, _of_names(snapshot, _folded(snapshot, parts[-1], whole=True)))
    level = np.where(one_of(rows, named), int(Exactness.NAME), int(Exactness.FOLDED)).astype(np.uint8)
    if len(parts) > 1 and len(meant := symbols_meant(snapshot, written)):
        rows = union(rows, meant)
        level = np.where(one_of(rows, named), int(Exactness.NAME), int(Exactness.FOLDED)).astype(np.uint8)
        level[one_of(rows, meant)] = Exactness.QUALIFIED
    return Found(rows, level, np.ones(len(rows)))


def _looked_up(snapshot: Snapshot, written: str) -> Found:
    parts = [part for part in _SEPARATORS.split(written.strip()) if part]
    level = np.full(len(snapshot.names), 255, np.uint8)
    share = np.zeros(len(snapshot.names), np.float64)
    held = np.zeros(len(snapshot.names), np.bool_)
    if asked := _words_of(" ".join(parts)):
        shared = _shared(snapshot, asked)
        share = shared.share
        level[share >= LEAST_SHARE] = Exactness.SOME_WORDS
        level[shared.all_asked] = Exactness.ALL_WORDS
        held = shared.all_held
    if parts:
        last = parts[-1]
        if len(last) >= 3:
            level[_folded(snapshot, last, whole=False)] = Exactness.PREFIX
        level[held] = Exactness.HELD
        level[_folded(snapshot, last, whole=True)] = Exactness.FOLDED
    columns = snapshot.parts["symbols"]
    exactness = level[columns["name"]] if len(snapshot.names) else np.empty(0, np.uint8)
    if parts:
        exactness[snapshot.symbols_named(parts[-1])] = Exactness.NAME
        meant = symbols_meant(snapshot, written)
        if len(parts) > 1 and len(meant):
            exactness[meant] = Exactness.QUALIFIED
    rows = np.flatnonzero(exactness != 255)
    by_words = one_of(exactness[rows], (Exactness.HELD, Exactness.ALL_WORDS, Exactness.SOME_WORDS))
    shares = np.where(by_words, share[columns["name"][rows]], 1.0)
    return Found(rows, exactness[rows], shares)


def with_slips(snapshot: Snapshot, found: Found, written: str) -> Found:
    """What was found for a name that no symbol has -> the same, and the symbols whose names are nearly that one."""
    rows = [row for name in nearest_names(snapshot, written) for row in snapshot.symbols_named(name).tolist()]
    if not rows:
        return found
    level = dict(zip(found.rows.tolist(), zip(found.exactness.tolist(), found.share.tolist(), strict=True), strict=True))
    level |= dict.fromkeys(rows, (int(Exactness.NEARLY), 1.0))
    every = sorted(level)
    return Found(
        np.asarray(every, np.int64),
        np.asarray([level[row][0] for row in every], np.uint8),
        np.asarray([level[row][1] for row in every], np.float64),
    )


def _best_owned(snapshot: Snapshot, rows: NDArray[np.int64], owners: list[str]) -> NDArray[np.int64]:
    """Of symbols with the right last name, those whose owners (classes, then the file's path) fit the most of what was written."""
    if not owners:
        return rows
    columns = snapshot.parts["symbols"]
    owner = columns["parent"][rows]
    held = rows[(owner >= 0) & one_of(columns["name"][owner], _folded(snapshot, owners[-1], whole=True))]
    rows = held if len(held) else rows[:MOST_OWNED]
    fits: NDArray[np.int64] = np.array([_owned(snapshot, int(row), owners) for row in rows], np.int64)
    best: NDArray[np.int64] = rows[fits == fits.max()]
    return best


def _owned(snapshot: Snapshot, row: int, owners: list[str]) -> int:
    """How many of the written owners, from the innermost out, are the symbol's own."""
    qualified = [] if snapshot.qualified(row) == "<module>" else snapshot.qualified(row).split(".")[:-1]
    path = snapshot.path(int(snapshot.parts["symbols"]["file"][row]))
    actual = [*_SEPARATORS.split(_stem(path)), *qualified]
    if owners[-1] in ("py", "js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts"):  # tax.py::rate
        owners = owners[:-1]
    fitting = 0
    for written, own in zip(reversed(owners), reversed(actual), strict=False):
        if written.lower() != own.lower():
            break
        fitting += 1
    return fitting


def _stem(path: str) -> str:
    stem = _SUFFIX.sub("", path)
    return stem.removesuffix("/__init__").removesuffix("/index")


def _folded(snapshot: Snapshot, written: str, whole: bool) -> NDArray[np.int64]:
    """Name rows equal to, or starting with, what was written, but for case and underscores."""
    wanted = written.lower().replace("_", "").encode("utf-8", "replace")
    if not wanted:
        return np.empty(0, np.int64)
    text, starts = snapshot.folded_names
    pattern = b"\n" + wanted + (b"\n" if whole else b"")
    found: list[int] = []
    at = text.find(pattern)
    while at >= 0 and len(found) < MOST_NAMES:
        found.append(at + 1)
        at = text.find(pattern, at + 1)
    return np.searchsorted(starts, np.asarray(found, np.int64))


def _of_names(snapshot: Snapshot, names: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.flatnonzero(one_of(snapshot.parts["symbols"]["name"], names)) if len(names) else np.empty(0, np.int64)


def _words_of(text: str) -> list[str]:
    """The distinct words inside names and prose, in lower case, sorted."""
    data = text.encode("utf-8", "replace")
    found = split(data)
    return sorted({data[a : a + n].decode("ascii").lower() for a, n in zip(found.start.tolist(), found.length.tolist(), strict=True)})


@dataclass(frozen=True, slots=True)
class _Shared:
    share: NDArray[np.float64]  # of the asked words that any name holds, those that this one holds; rare words count more
    all_asked: NDArray[np.bool_]  # the name holds every asked word
    all_held: NDArray[np.bool_]  # every word of the name was asked, and there are at least two


def _shared(snapshot: Snapshot, asked: list[str]) -> _Shared:
    """Words of a question, distinct -> what each name shares with them; words of one stem are the same."""
    table, count = snapshot.name_words, len(snapshot.names)
    share, held, total = np.zeros(count), np.zeros(count, np.int64), 0.0
    whole = np.ones(count, np.bool_)
    for stem in sorted({_STEM(word) for word in asked}):
        rows = [np.arange(table.offsets[word], table.offsets[word + 1]) for word in _of_stem(table.words, stem)]
        names, times = counted(table.names[np.concatenate(rows)]) if rows else (np.empty(0, np.int64), 0)
        rarity = float(np.log(1 + count / (1 + len(names)))) if len(names) else 0.0  # no name can hold it
        total += rarity
        share[names] += rarity
        held[names] += times
        holds = np.zeros(count, np.bool_)
        holds[names] = True
        whole &= holds
    return _Shared(share / max(total, 1e-9), whole, (held == table.sizes) & (held >= 2))


def _of_stem(words: list[str], stem: str) -> list[int]:
    """Rows of the sorted words that the stemmer brings to `stem`."""
    start = stem[:-1] if len(stem) > 2 and stem[-1] in "iey" else stem  # query: queri
    found = []
    for row in range(bisect_left(words, start), len(words)):
        if not words[row].startswith(start):
            break
        if len(words[row]) <= len(stem) + LONGEST_ENDING and _STEM(words[row]) == stem:
            found.append(row)
    return found


# Where several symbols fit equally, what a person more likely means.
KIND_ORDER = (
    SymbolKind.CLASS,
    SymbolKind.INTERFACE,
    SymbolKind.FUNCTION,
    SymbolKind.METHOD,
    SymbolKind.TYPE,
    SymbolKind.ENUM,
    SymbolKind.PROPERTY,
    SymbolKind.NAMESPACE,
    SymbolKind.CONSTANT,
    SymbolKind.MODULE,
    SymbolKind.FIELD,
    SymbolKind.MEMBER,
    SymbolKind.LAMBDA,
)
RANK_OF_KIND = np.zeros(len(SymbolKind), np.int64)
RANK_OF_KIND[list(KIND_ORDER)] = np.arange(len(KIND_ORDER))
