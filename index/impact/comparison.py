"""Two commits and their diff, with what is needed to go from a place in one to the same place in the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from index.files.paths import shown
from index.impact.lines import LineMap
from index.snapshot import Snapshot
from index.types import FileChange


@dataclass(frozen=True)
class Comparison:
    """`before` and `after` hold the bytes of the changed files by their path on that side; `read` gives any file of the head by its
    shown path, or None where it can't be had."""

    base: Snapshot
    head: Snapshot
    changes: Sequence[FileChange]
    before: Mapping[bytes, bytes]
    after: Mapping[bytes, bytes]
    read: Callable[[str], bytes | None]

    @cached_property
    def head_path(self) -> dict[str, str | None]:
        """Shown path in the base -> in the head, for changed files; None: deleted."""
        return {
            shown(one.old_path): shown(one.new_path) if one.new_path is not None else None
            for one in self.changes
            if one.old_path is not None
        }

    @cached_property
    def base_path(self) -> dict[str, str | None]:
        return {
            shown(one.new_path): shown(one.old_path) if one.old_path is not None else None
            for one in self.changes
            if one.new_path is not None
        }

    @cached_property
    def line_maps(self) -> dict[str, LineMap]:
        """By path in the head."""
        return {shown(one.new_path): LineMap(one.old_spans, one.new_spans) for one in self.changes if one.new_path is not None}

    def in_head(self, path: str, line: int) -> tuple[str, int] | None:
        """A line of the base -> the same line in the head; None where the change removed or rewrote it."""
        there = self.head_path.get(path, path)
        if there is None:
            return None
        mapped = self.line_maps[there].forward(line) if there in self.line_maps else line
        return None if mapped is None else (there, mapped)

    def in_base(self, path: str, line: int) -> tuple[str, int] | None:
        there = self.base_path.get(path, path)
        if there is None:
            return None
        mapped = self.line_maps[path].backward(line) if path in self.line_maps else line
        return None if mapped is None else (there, mapped)


class Sites:
    """The uses in one snapshot, by the file and line they stand in."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        columns = snapshot.parts["open"]
        file = snapshot.parts["symbols"]["file"][columns["source"]] if len(columns["source"]) else np.empty(0, np.int32)
        self._open_order = np.argsort(file, kind="stable")
        self._open_file = file[self._open_order]

    def edges(self, path: str, line: int, column: int = 0) -> NDArray[np.int64]:
        """Edge rows at a line, or at a line and column; the edges of a file are contiguous because they are sorted by source."""
        file = self.snapshot.file_of_path.get(path)
        if file is None:
            return np.empty(0, np.int64)
        rows = self.snapshot.symbols_in(file)
        edges = self.snapshot.parts["edges"]
        first, last = np.searchsorted(edges["source"], np.asarray([rows.start, rows.stop], edges["source"].dtype))
        return np.asarray(first + self._at(edges["line"][first:last], edges["column"][first:last], line, column))

    def open(self, path: str, line: int, column: int = 0) -> NDArray[np.int64]:
        """Rows of unresolved sites at a line, or at a line and column."""
        rows = self.open_in(path)
        columns = self.snapshot.parts["open"]
        return np.asarray(rows[self._at(columns["line"][rows], columns["column"][rows], line, column)])

    def open_in(self, path: str) -> NDArray[np.int64]:
        """Rows of unresolved sites of a file."""
        file = self.snapshot.file_of_path.get(path, -1)
        first, last = np.searchsorted(self._open_file, np.asarray([file, file + 1], self._open_file.dtype))
        return np.asarray(self._open_order[first:last])

    @staticmethod
    def _at(lines: NDArray[np.int32], columns: NDArray[np.int32], line: int, column: int) -> NDArray[np.int64]:
        return np.flatnonzero((lines == line) & ((columns == column) | (column == 0)))
