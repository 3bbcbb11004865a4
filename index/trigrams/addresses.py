"""Addresses of a commit's text (see `index.trigrams.postings`) <-> files, lines and columns; and what a search answers with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.content import Columns, bytes_of
from index.errors import QuestionError
from index.trigrams.postings import PAGE, PAGE_BITS

LIMIT = 200
MAX_PATTERN = 1_000  # bytes of a literal or regular expression
MAX_SCANNED = 256 << 20  # bytes read for a pattern that no word narrows down
WHOLE_FILE = 8  # candidates in one file from which on the file is searched in one go,
READ_AT_ONCE = 4_096  # where there is one in so many bytes
NOWHERE = np.empty(0, np.uint32)


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


def matches_at(text: Columns, addresses: NDArray[np.uint32], whole: NDArray[np.bool_], complete: bool, note: str) -> Matches:
    files = files_of(text, addresses)
    lines = np.searchsorted(text["line_at"], addresses, "right") - 1
    return Matches(
        file=files.astype(np.int32),
        line=(lines - text["line_offsets"][files].astype(np.int64) + 1).astype(np.int32),
        column=(addresses - text["line_at"][lines] + np.uint32(1)).astype(np.int32),
        whole_word=whole,
        complete=complete,
        note="" if complete else note,
    )


def base_of_files(text: Columns) -> NDArray[np.int64]:
    """Address where each file begins, and where the next would."""
    pages = text["file_sizes"].astype(np.int64) // PAGE + 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(pages)]) << PAGE_BITS


def files_of(text: Columns, addresses: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.searchsorted(base_of_files(text)[:-1].astype(np.uint32), addresses, "right") - 1


def in_files(text: Columns, addresses: NDArray[np.uint32], files: NDArray[np.bool_] | None) -> NDArray[np.uint32]:
    if files is None or not len(addresses):
        return addresses
    pages = np.repeat(files, text["file_sizes"].astype(np.int64) // PAGE + 1)
    inside: NDArray[np.uint32] = addresses[pages[addresses >> np.uint32(PAGE_BITS)]]
    return inside


def by_file(text: Columns, rising: NDArray[np.uint32]) -> Iterator[tuple[int, tuple[int, list[int]]]]:
    """Rising addresses -> file row, its base and the offsets in it, file by file."""
    bases = base_of_files(text)
    files = np.searchsorted(bases[:-1].astype(np.uint32), rising, "right") - 1
    borders = np.flatnonzero(np.diff(files, prepend=-1, append=-1))
    for first, last in zip(borders.tolist(), borders[1:].tolist(), strict=False):
        file = int(files[first])
        base = int(bases[file])
        yield file, (base, (rising[first:last].astype(np.int64) - base).tolist())


def is_dense(places: int, size: int) -> bool:
    """Whether a file with so many candidates is sooner searched in one go than at each of them."""
    return places >= WHOLE_FILE and places * READ_AT_ONCE > size


def all_files(
    text: Columns, content: Columns, files: NDArray[np.bool_] | None, most_bytes: int = MAX_SCANNED
) -> Iterator[tuple[bytes, int, str]]:
    """Bytes and base of every file whose text is indexed, until `most_bytes` were read; then the last comes with a note."""
    bases = base_of_files(text).tolist()
    indexed = np.diff(text["line_offsets"].astype(np.int64)) > 0
    scanned = 0
    for file in np.flatnonzero(indexed if files is None else indexed & files).tolist():
        data = bytes_of(content, file)
        if data is None:
            continue
        scanned += len(data)
        if scanned > most_bytes:
            yield b"", bases[file], f"only the first {most_bytes >> 20} MiB were searched"
            return
        yield data, bases[file], ""


def among(wanted: NDArray[np.uint32], rising: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of `wanted` are in `rising`."""
    if not len(rising):
        return np.zeros(len(wanted), np.bool_)
    at = np.searchsorted(rising, wanted)
    found: NDArray[np.bool_] = rising[np.minimum(at, len(rising) - 1)] == wanted
    return found


def check_length(pattern: Sequence[int]) -> None:
    if not pattern:
        raise QuestionError("There is nothing to look for: give a word, a text or a pattern.")
    if len(pattern) > MAX_PATTERN:
        raise QuestionError(f"That pattern has {len(pattern)} bytes, and we look for at most {MAX_PATTERN}: give a shorter piece of it.")
