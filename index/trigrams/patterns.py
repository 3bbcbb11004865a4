"""A regular expression -> the lines it matches, in linear time (RE2). Only lines that hold what every match must hold are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import re2
from numpy.typing import NDArray

from index.content import Columns, FileReader, HasParts
from index.errors import QuestionError
from index.trigrams.addresses import LIMIT, MAX_SCANNED, Matches, all_files, by_file, check_length, files_of, is_dense, matches_at
from index.trigrams.literals import FEW, Literal
from index.trigrams.required import Required, required_literals

# RE2 takes one step per byte where its automaton fits its memory, and one per byte and instruction where it does not: measured 8 MB/s for
# the worst of 900 instructions. So no pattern runs for more than about four seconds.
MAX_STEPS = 16 << 30

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def find_regex(
    snapshot: HasParts, pattern: str, *, case_sensitive: bool = True, limit: int = LIMIT, files: NDArray[np.bool_] | None = None
) -> Matches:
    """Lines that a regular expression (RE2: linear time on any pattern) matches, one place a line; a match never goes beyond its line.

    Where case is ignored, a letter that folds to an ASCII one (the Kelvin sign, the long s) may be missed.
    Raises QuestionError for a pattern that is empty, too long or that RE2 refuses.
    """
    check_length(pattern.encode("utf-8", "surrogatepass"))
    compiled = _compiled(pattern, case_sensitive)
    required = required_literals(pattern if case_sensitive else f"(?i){pattern}")
    text, content = snapshot.parts["text"], snapshot.parts["content"]
    lines = _candidate_lines(text, content, required)
    if lines is None:
        return _lines_in_all_files(text, content, compiled, limit, files)
    return _lines_among(text, content, compiled, lines, limit, files)


def names_matching(pattern: str, names: Sequence[str], *, case_sensitive: bool = True) -> list[int]:
    """Which of some names a regular expression matches from their beginning to their end. Raises QuestionError as `find_regex` does."""
    compiled = _compiled(f"^(?:{pattern})$", case_sensitive)
    data = "\n".join(names).encode("utf-8", "surrogatepass")
    starts = np.cumsum([0, *(len(name.encode("utf-8", "surrogatepass")) + 1 for name in names)])
    places = np.fromiter(compiled.on_all_lines(data), np.int64)
    return [int(row) for row in np.searchsorted(starts, places, "right") - 1]


def _compiled(pattern: str, case_sensitive: bool) -> _Regex:
    options = re2.Options()
    options.never_nl = True  # a match stays on its line, also for \s and [^x]
    options.log_errors = False
    options.case_sensitive = case_sensitive
    try:
        # (?m): ^ and $ are the borders of a line.
        compiled = re2.compile(b"(?m)" + pattern.encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        said = error.args[0] if error.args else error
        shown = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise QuestionError(
            f"The pattern `{pattern}` is no regular expression we can run ({shown}): see https://github.com/google/re2/wiki/Syntax."
        ) from error
    return _Regex(
        compiled,
        line_by_line="\\A" in pattern or "\\z" in pattern,
        most_bytes=min(MAX_SCANNED, MAX_STEPS // max(int(compiled.programsize), 1)),
    )


@dataclass(frozen=True, slots=True)
class _Regex:
    compiled: Any  # of the re2 module, which has no types
    line_by_line: bool  # it knows the beginning or end of the text, which for us is the line
    most_bytes: int  # that it may read

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


def _candidate_lines(text: Columns, content: Columns, required: Required) -> NDArray[np.int64] | None:
    """Rows of `line_at` that hold what a match must hold, rising; None where nothing narrows them down."""
    found: NDArray[np.int64] | None = None
    # The longest literals first: they leave the fewest lines, and when few are left the rest is not worth a look.
    for strings in sorted(required.literals, key=lambda strings: -min(map(len, strings))):
        places = [Literal(text, content, literal, required.fold, False).candidates() for literal in strings]
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
        lines = lines[files[files_of(text, line_at[lines])]]
    found: list[int] = []
    note = ""
    scanned = 0
    # A line ends where the next begins, or with its file.
    next_at = np.append(line_at, np.uint32(0))[lines + 1]
    done = 0
    for file, (base, offsets) in by_file(text, line_at[lines]):
        reader = FileReader(content, file)
        ends = [end - base if end > base else reader.size for end in next_at[done : done + len(offsets)].tolist()]
        done += len(offsets)
        if is_dense(len(offsets), reader.size):
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
        if scanned > search.most_bytes:
            note = f"only the first {search.most_bytes >> 20} MiB were searched"
            break
    return _lines_found(text, found, limit, note)


def _lines_in_all_files(text: Columns, content: Columns, search: _Regex, limit: int, files: NDArray[np.bool_] | None) -> Matches:
    found: list[int] = []
    note = ""
    for data, base, cut in all_files(text, content, files, search.most_bytes):
        note = note or cut
        found += (base + at for at in search.on_all_lines(data))
        if len(found) > limit:
            break
    return _lines_found(text, found, limit, note)


def _lines_found(text: Columns, found: list[int], limit: int, note: str) -> Matches:
    if len(found) > limit:
        note = f"only the first {limit} are listed"
    addresses = np.asarray(found[:limit], np.uint32)
    return matches_at(text, addresses, np.zeros(len(addresses), np.bool_), not note, note)
