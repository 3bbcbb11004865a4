"""Commits -> the part `history` of a snapshot; words -> the files that commits of such words changed.

Who wrote "fix types of app.on" and changed `src/types.ts` told us where that is, in words that no line of the code may have. The part

    commit u8[n, 20]   newest first
    subject_bytes u8, subject_offsets i64[n+1]   what people see of each
    words u16[n]   how many words it has, the subject's twice
    word_bytes u8   every stem, sorted, one a line
    word_offsets i64[words+1], word_commit i32, word_count u8   in which commits each is, and how often
    path_bytes u8, path_offsets i64[paths+1]   every path that was changed, as git has it
    change_offsets i64[n+1], change_path i32   which of these each commit changed, by the name that the file has now; none of one that
        changed more than MOST_FILES
    cut u8[1]   SHALLOW: older commits are not in the clone; STOPPED: they were not read, since there are too many changes
"""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.snapshot import Snapshot
from index.trigrams.ranking import OF_A_WISH, STOP_WORDS, WISH, stem_of, telling_terms
from index.trigrams.words import parts_in
from index.types import PathKind

PART: Final = "history"
MOST_COMMITS: Final = 5_000  # that are read
SHALLOW, STOPPED = 1, 2  # why older commits are not known
MOST_CHANGES: Final = 2_000_000  # changed paths, after which no older commit is read: git tells about 300,000 in a second
MOST_READ: Final = 2_000  # characters of a message
MOST_FILES: Final = 30  # of a commit; a larger one moves or formats many files and says nothing about any
MOST_MOVED: Final = 500_000  # files whose earlier paths are followed
LONGEST_SUBJECT: Final = 120  # bytes that are kept to be shown

# BM25 over messages, a commit of long ago counting for less, down to FLOOR; the squares of the TOP best are given to the files that each
# changed, the more files the less to each. Of 900 subjects of commits in six repositories the share of their changed files among the first
# five is 0.712 with this, MRR 0.638 (part C of tests/quality); of 874 of them the code alone has 0.671 and 0.594. The numbers were set on
# the same six, by putting kept rankings together; it matters little how: 0.713 to 0.722 there with a floor of 0.3 or 0.7, a half of 100 to
# 600, 25 or 100 of the best, their third power, 2,500 or 10,000 commits; without a floor, 0.707.
K1, B = 1.2, 0.5
FLOOR, HALF = 0.5, 300
TOP = 50
KINDS = MappingProxyType(
    {PathKind.TEST: 0.3, PathKind.DOCS: 0.3, PathKind.GENERATED: 0.3, PathKind.VENDOR: 0.1, PathKind.BUILD: 0.1, PathKind.ARCHIVE: 0.1}
)
NO_CODE = 0.3  # at most, for a file of no language that we read: every commit may change the list of changes

_TRAILER = re.compile(r"(?im)^(co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|change-id|git-svn-id):.*$")


@dataclass(frozen=True, slots=True)
class Written:
    """One commit, as its author describes it."""

    commit: str
    message: str
    paths: tuple[bytes, ...]
    moved: tuple[tuple[bytes, bytes], ...] = ()  # the old and the new path of a file that was moved as it was


@dataclass(frozen=True, slots=True)
class Voted:
    """A file that commits of the words asked about changed."""

    file: int  # row of the snapshot
    score: float
    commits: int
    best: str  # id of the one that is most like the question
    subject: str


def history_part(commits: Iterable[Written], *, cut: bool, most: int = MOST_CHANGES) -> dict[str, NDArray[Any]]:
    """Commits, newest first, each read once and then let go, until they have changed more than `most` paths -> the columns of the part.
    `cut`: the clone is shallow."""
    why = SHALLOW if cut else 0
    ids: list[bytes] = []
    shown: list[bytes] = []
    texts: list[bytes] = []
    paths: dict[bytes, int] = {}
    now: dict[bytes, bytes] = {}  # the path of a file at an older commit -> the one it has now
    changed: list[list[int]] = []
    for one in commits:
        most -= len(one.paths)
        if most < 0:
            why = STOPPED
            break
        subject = one.message.partition("\n")[0][:MOST_READ]
        ids.append(bytes.fromhex(one.commit[:40]))
        shown.append(subject.encode("utf-8", "replace")[:LONGEST_SUBJECT])
        texts.append(f"{subject}\n{_TRAILER.sub('', one.message[:MOST_READ])}\n".encode("utf-8", "replace"))
        for old, new in one.moved:
            if len(now) < MOST_MOVED:
                now[old] = now.get(new, new)
        names = dict.fromkeys(now.get(path, path) for path in one.paths)
        changed.append([paths.setdefault(path, len(paths)) for path in names] if len(names) <= MOST_FILES else [])
    words, of_commit = _words_of(texts)
    stems = sorted(set(words))
    row = {stem: at for at, stem in enumerate(stems)}
    width = max(len(ids), 1)
    held, count = np.unique(np.fromiter((row[word] for word in words), np.int64, len(words)) * width + of_commit, return_counts=True)
    return {
        "commit": np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 20),
        "subject_bytes": np.frombuffer(b"".join(shown), np.uint8),
        "subject_offsets": _offsets(map(len, shown)),
        "words": np.bincount(of_commit, minlength=len(ids)).clip(0, 65_535).astype(np.uint16),
        "word_bytes": np.frombuffer("\n".join(stems).encode("utf-8", "replace"), np.uint8),
        "word_offsets": _offsets(np.bincount(held // width, minlength=len(stems)).tolist()),
        "word_commit": (held % width).astype(np.int32),
        "word_count": count.clip(0, 255).astype(np.uint8),
        "path_bytes": np.frombuffer(b"".join(paths), np.uint8),
        "path_offsets": _offsets(map(len, paths)),
        "change_offsets": _offsets(map(len, changed)),
        "change_path": np.fromiter((path for some in changed for path in some), np.int32),
        "cut": np.array([why], np.uint8),
    }


def _words_of(texts: Sequence[bytes]) -> tuple[list[str], NDArray[np.int64]]:
    """The texts of all commits -> their stems in a row, and the commit of each."""
    lowered, starts, lengths = parts_in(b"\n" + b"".join(texts) + b"\n")
    ends = np.cumsum([len(text) for text in texts]) + 1
    stems: dict[bytes, str] = {}
    words: list[str] = []
    rows: list[int] = []
    for start, length, commit in zip(starts.tolist(), lengths.tolist(), np.searchsorted(ends, starts, "right").tolist(), strict=True):
        part = lowered[start : start + length]
        stem = stems.get(part)
        if stem is None:
            stem = stems[part] = "" if part in STOP_WORDS else stem_of(part)
        if stem:
            words.append(stem)
            rows.append(commit)
    return words, np.asarray(rows, np.int64)


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *lengths], dtype=np.int64)


class Past:
    """The part `history` of a snapshot, ready to be asked."""

    def __init__(self, snapshot: Snapshot, columns: Mapping[str, NDArray[Any]]) -> None:
        self._snapshot, self._columns = snapshot, columns

    @property
    def commits(self) -> int:
        return len(self._columns["commit"])

    @property
    def cut(self) -> int:
        """SHALLOW or STOPPED where older commits are not known, else 0."""
        return int(self._columns["cut"][0])

    def ranked(self, words: Iterable[str], limit: int, files: NDArray[np.bool_] | None = None) -> list[Voted]:
        """Words of a question -> the files that the commits most like it changed, best first, ties by file. `files`: bool[files], only
        where True."""
        scores = self._scores(words)
        rows = np.flatnonzero(scores)
        best = rows[np.lexsort((rows, -scores[rows]))][:TOP]
        given: dict[int, float] = {}
        voters: dict[int, list[int]] = {}
        offsets, changed = self._columns["change_offsets"], self._columns["change_path"]
        for row in best.tolist():
            here = [file for file in self._file[changed[offsets[row] : offsets[row + 1]]].tolist() if file >= 0]
            for file in here:
                given[file] = given.get(file, 0.0) + scores[row] ** 2 / math.sqrt(len(here))
                voters.setdefault(file, []).append(row)
        score = {file: value * float(self._factor[file]) for file, value in given.items() if files is None or files[file]}
        order = sorted(score, key=lambda file: (-score[file], file))[:limit]
        return [Voted(file, score[file], len(voters[file]), *self._named(voters[file][0])) for file in order]

    def _scores(self, words: Iterable[str]) -> NDArray[np.float64]:
        """f8[commits]: BM25 of each message, those long ago less; 0 for commits that say nothing about a file."""
        columns = self._columns
        total = self.commits
        scores = np.zeros(total)
        for part in telling_terms(words).values():
            stem = stem_of(part)
            at = bisect.bisect_left(self._stems, stem)
            if at == len(self._stems) or self._stems[at] != stem:
                continue
            held = slice(int(columns["word_offsets"][at]), int(columns["word_offsets"][at + 1]))
            rows, count = columns["word_commit"][held], columns["word_count"][held].astype(np.float64)
            rarity = math.log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5)) * (WISH if part in OF_A_WISH else 1.0)
            scores[rows] += rarity * count * (K1 + 1) / (count + self._norm[rows])
        return scores * self._counts_for

    def _named(self, row: int) -> tuple[str, str]:
        offsets = self._columns["subject_offsets"]
        subject = self._columns["subject_bytes"][int(offsets[row]) : int(offsets[row + 1])].tobytes()
        return self._columns["commit"][row].tobytes().hex(), subject.decode("utf-8", "ignore")

    @cached_property
    def _stems(self) -> list[str]:
        return self._columns["word_bytes"].tobytes().decode("utf-8", "replace").split("\n")

    @cached_property
    def _norm(self) -> NDArray[np.float64]:
        words = self._columns["words"].astype(np.float64)
        return np.asarray(K1 * (1 - B + B * words / max(float(words.mean()) if len(words) else 0.0, 1.0)))

    @cached_property
    def _counts_for(self) -> NDArray[np.float64]:
        """f8[commits]: by age, 0 for one that changed nothing, or too much."""
        files = np.diff(self._columns["change_offsets"])
        return np.where((files > 0) & (files <= MOST_FILES), FLOOR + (1 - FLOOR) * 0.5 ** (np.arange(self.commits) / HALF), 0.0)

    @cached_property
    def _file(self) -> NDArray[np.int64]:
        """i8[paths]: the row of the file that has this path now, -1 where there is none."""
        raw, offsets = self._columns["path_bytes"].tobytes(), self._columns["path_offsets"].tolist()
        row = {path: at for at, path in enumerate(self._snapshot.raw_paths)}
        return np.fromiter((row.get(raw[start:end], -1) for start, end in pairwise(offsets)), np.int64, len(offsets) - 1)

    @cached_property
    def _factor(self) -> NDArray[np.float64]:
        """f8[files]: who asks by words seldom means tests, documents or what is not code."""
        factors = np.ones(len(PathKind))
        for kind, factor in KINDS.items():
            factors[kind] = factor
        files = self._snapshot.parts["files"]
        return np.asarray(np.where(files["language"] == 0, np.minimum(factors[files["kind"]], NO_CODE), factors[files["kind"]]))
