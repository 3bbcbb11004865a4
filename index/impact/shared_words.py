"""Words of a change and a snapshot's text -> how much each file shares with the change, three ways. All take the `text` part as it is:
a word's postings give its files by one search, so a change of hundreds of words costs milliseconds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.at_rest import lists_of
from index.impact.subtokens import subtokens, subtokens_of_path
from index.snapshot import Snapshot
from index.trigrams.addresses import base_of_files
from index.trigrams.vocabulary import postings_of, row_of, word_row

K1: Final = 1.2
B: Final = 0.75
MOST_OF_A_WORD: Final = 3  # a word that a change repeats counts as so many
IN_PATH: Final = 3  # a part of a path counts as so many occurrences
COMMON: Final = 0.3  # a name in more than this share of the files says nothing about where a change matters
MAX_TERMS: Final = 600  # rarest first
MAX_POSTINGS: Final = 200_000  # of one term; a word that stands in so many places tells nothing

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]  # files, rising; how often in each


class FileWords:
    """The files of one snapshot by the words in them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._text: Mapping[str, NDArray[Any]] = snapshot.parts["text"]
        self._bases = base_of_files(self._text)[:-1].astype(np.uint32)
        self._total = max(1, len(snapshot.paths))
        self._of_parts: dict[str, Counts] = {}

    def by_parts(self, text: Iterable[str]) -> dict[str, float]:
        """Subtokens of the text -> BM25 of whole files (Robertson, Zaragoza 2009), a file's length being its bytes."""
        wanted = Counter(part for piece in text for part in subtokens(piece))
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
        scores = np.zeros(self._total)
        for name, _ in self._rarest(Counter(names), self._files_of_word):
            files, _ = self._files_of_word(name)
            scores[files] += 1 / len(files)
        return self._by_path(scores)

    def by_names(self, names: Iterable[str]) -> dict[str, float]:
        """Names of changed definitions: rare ones count more, further mentions in one file less and less."""
        scores = np.zeros(self._total)
        for name in sorted(set(names)):
            files, counts = self._files_of_word(name)
            if len(name) >= 3 and 0 < len(files) <= max(20, COMMON * self._total):
                scores[files] += math.log(1 + self._total / len(files)) * (1 + np.log(counts))
        return self._by_path(scores)

    def _rarest(self, wanted: Counter[str], find: Any) -> list[tuple[str, int]]:
        """The terms that occur anywhere, fewest files first, at most `MAX_TERMS`."""
        found = sorted((len(files), term) for term in wanted for files in [find(term)[0]] if len(files))
        return [(term, wanted[term]) for _, term in found[:MAX_TERMS]]

    def _files_of_word(self, word: str) -> Counts:
        return self._files(word_row(self._text, word.encode("utf-8", "surrogatepass")))

    def _files_of_part(self, part: str) -> Counts:
        found = self._of_parts.get(part)
        if found is None:
            found = self._of_parts[part] = self._files(self._words_with(part))
        return found

    def _words_with(self, part: str) -> NDArray[np.int64]:
        """Rows of the words that hold a subtoken."""
        rows = row_of(self._text["part_hash"], part.encode("utf-8", "surrogatepass"))
        return np.sort(lists_of(self._text, "part_words", rows)).astype(np.int64)

    def places_of_part(self, part: str) -> NDArray[np.uint32]:
        """Addresses of every word that holds a subtoken; none where there are more than `MAX_POSTINGS`."""
        words = self._words_with(part)
        places = postings_of(self._text, words) if len(words) else np.empty(0, np.uint32)
        return places if len(places) <= MAX_POSTINGS else np.empty(0, np.uint32)

    def addresses(self, files: NDArray[np.int64], offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Byte offsets in files -> addresses as the postings have them."""
        return self._bases[files].astype(np.int64) + offsets

    def _files(self, words: NDArray[np.int64]) -> Counts:
        if not len(words):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        places = postings_of(self._text, words)
        if len(places) > MAX_POSTINGS:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        counts = np.bincount(np.searchsorted(self._bases, places, "right") - 1, minlength=self._total)
        files = np.flatnonzero(counts)
        return files, counts[files]

    def _by_path(self, scores: NDArray[np.float64]) -> dict[str, float]:
        return {self.snapshot.path(file): float(scores[file]) for file in np.flatnonzero(scores).tolist()}
