"""Words of a change and a snapshot's text -> how much each file shares with the change, three ways. All take the `text` part as it is:
a word's postings give its files by one search, so a change of hundreds of words costs milliseconds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.at_rest import lists_of
from index.impact.subtokens import subtokens, subtokens_of_path
from index.snapshot import Snapshot
from index.trigrams.addresses import base_of_files
from index.trigrams.vocabulary import postings_of, rows_of

K1: Final = 1.2
B: Final = 0.75
MOST_OF_A_WORD: Final = 3  # a word that a change repeats counts as so many
IN_PATH: Final = 3  # a part of a path counts as so many occurrences
COMMON: Final = 0.3  # a name in more than this share of the files says nothing about where a change matters
MAX_TERMS: Final = 600  # rarest first
MAX_POSTINGS: Final = 200_000  # of one term; a word that stands in so many places tells nothing
AT_ONCE: Final = 2_000_000  # addresses that are read together

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]  # files, rising; how often in each


class FileWords:
    """The files of one snapshot by the words in them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._text: Mapping[str, NDArray[Any]] = snapshot.parts["text"]
        self._bases = base_of_files(self._text)[:-1].astype(np.uint32)
        self._total = max(1, len(snapshot.paths))
        self._of_parts: dict[str, Counts] = {}
        self._places_of_parts: dict[str, NDArray[np.uint32]] = {}
        self._of_words: dict[str, Counts] = {}

    def by_parts(self, text: Iterable[str]) -> dict[str, float]:
        """Subtokens of the text -> BM25 of whole files (Robertson, Zaragoza 2009), a file's length being its bytes."""
        wanted = Counter(part for piece in text for part in subtokens(piece))
        self.read_ahead(wanted)
        sizes = self._text["file_sizes"].astype(np.float64)
        norm = K1 * (1 - B + B * sizes / max(float(sizes.mean()) if len(sizes) else 1.0, 1.0))
        scores = np.zeros(len(sizes))
        for part, times in self._rarest(wanted, self._files_of_part):
            files, counts = self._files_of_part(part)
            named = np.fromiter((part in self._path_parts[file] for file in files.tolist()), np.bool_, len(files))
            frequency = counts + IN_PATH * named
            weight = math.log(1 + (self._total - len(files) + 0.5) / (len(files) + 0.5))
            scores[files] += min(times, MOST_OF_A_WORD) * weight * frequency * (K1 + 1) / (frequency + norm[files])
        return self._by_path(scores)

    @cached_property
    def _path_parts(self) -> list[frozenset[str]]:
        return [subtokens_of_path(path) for path in self.snapshot.paths]

    def by_identifiers(self, names: Iterable[str]) -> dict[str, float]:
        """Whole identifiers of the change's lines: each is worth one over the number of files that hold it."""
        wanted = Counter(names)
        self._read_words(wanted)
        scores = np.zeros(self._total)
        for name, _ in self._rarest(wanted, self._files_of_word):
            files, _ = self._files_of_word(name)
            scores[files] += 1 / len(files)
        return self._by_path(scores)

    def by_names(self, names: Iterable[str]) -> dict[str, float]:
        """Names of changed definitions: rare ones count more, further mentions in one file less and less."""
        wanted = sorted(set(names))
        self._read_words(wanted)
        scores = np.zeros(self._total)
        for name in wanted:
            files, counts = self._files_of_word(name)
            if len(name) >= 3 and 0 < len(files) <= max(20, COMMON * self._total):
                scores[files] += math.log(1 + self._total / len(files)) * (1 + np.log(counts))
        return self._by_path(scores)

    def _rarest(self, wanted: Counter[str], find: Any) -> list[tuple[str, int]]:
        """The terms that occur anywhere, fewest files first, at most `MAX_TERMS`."""
        found = sorted((len(files), term) for term in wanted for files in [find(term)[0]] if len(files))
        return [(term, wanted[term]) for _, term in found[:MAX_TERMS]]

    def _files_of_word(self, word: str) -> Counts:
        if word not in self._of_words:
            self._read_words([word])
        return self._of_words[word]

    def _files_of_part(self, part: str) -> Counts:
        found = self._of_parts.get(part)
        if found is None:
            found = self._of_parts[part] = self._files(self.places_of_part(part))
        return found

    def places_of_part(self, part: str) -> NDArray[np.uint32]:
        """Addresses of every word that holds a subtoken; none where there are more than `MAX_POSTINGS`."""
        if part not in self._places_of_parts:
            self.read_ahead([part])
        return self._places_of_parts[part]

    def read_ahead(self, parts: Iterable[str]) -> None:
        """Subtokens that will be asked for, read in one go: one by one it takes several times as long."""
        asked = [part for part in parts if part not in self._places_of_parts]
        rows = rows_of(self._text["part_hash"], [part.encode("utf-8", "surrogatepass") for part in asked])
        known, starts = rows[rows >= 0], self._text["part_starts"]
        words = lists_of(self._text, "part_words", known).astype(np.int64) if len(known) else np.empty(0, np.int64)
        self._places_of_parts |= zip(asked, self._places(words, rows, starts), strict=True)

    def _read_words(self, words: Iterable[str]) -> None:
        asked = [word for word in words if word not in self._of_words]
        rows = rows_of(self._text["word_hash"], [word.encode("utf-8", "surrogatepass") for word in asked])
        found = self._places(rows[rows >= 0], np.where(rows >= 0, np.cumsum(rows >= 0) - 1, -1), np.arange(len(rows) + 1))
        self._of_words |= zip(asked, map(self._files, found), strict=True)

    def _places(self, words: NDArray[np.int64], rows: NDArray[np.int64], starts: NDArray[Any]) -> Iterator[NDArray[np.uint32]]:
        """Rows of words, one term after the other; of each term its row in what `starts` cuts, -1 for one that is not there -> of each term
        where its words stand, word by word; nothing for one with more than `MAX_POSTINGS`."""
        counts = np.where(rows >= 0, starts[rows + 1].astype(np.int64) - starts[rows], 0)
        ends = np.cumsum(counts)
        sizes = (self._text["word_starts"][words + 1] - self._text["word_starts"][words]).astype(np.int64)
        before = np.concatenate([[0], np.cumsum(sizes)])
        totals = before[ends] - before[ends - counts]
        wanted = totals <= MAX_POSTINGS
        batch = (np.cumsum(np.where(wanted, totals, 0)) // AT_ONCE).tolist()
        first = 0
        while first < len(rows):
            last = first + batch[first:].count(batch[first])
            read = np.repeat(wanted[first:last], counts[first:last])
            some = words[int(ends[first] - counts[first]) : int(ends[last - 1])][read]
            places = postings_of(self._text, some) if len(some) else np.empty(0, np.uint32)
            at = 0
            for total, its in zip(totals[first:last].tolist(), wanted[first:last].tolist(), strict=True):
                size = total if its else 0
                yield places[at : at + size]
                at += size
            first = last

    def addresses(self, files: NDArray[np.int64], offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Byte offsets in files -> addresses as the postings have them."""
        return self._bases[files].astype(np.int64) + offsets

    def _files(self, places: NDArray[np.uint32]) -> Counts:
        """Addresses -> the files they are in, and how many are in each."""
        if not len(places):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        counts = np.bincount(np.searchsorted(self._bases, places, "right") - 1, minlength=self._total)
        files = np.flatnonzero(counts)
        return files, counts[files]

    def _by_path(self, scores: NDArray[np.float64]) -> dict[str, float]:
        return {self.snapshot.path(file): float(scores[file]) for file in np.flatnonzero(scores).tolist()}
