"""Every file's bytes <-> the `content` part: zstd frames that belong to one file each, so that an update copies frames and compresses
only what changed.

Columns (n = files, f = frames):

    data           u8           the frames, one after the other
    frame_offsets  i64[f+1]     of each frame in `data`
    file_frames    i64[n+1]     frames of a file: file_frames[i] to file_frames[i+1]
    file_sizes     i64[n]       bytes of the file before compression; -1: not kept (too large, binary, unreadable)

A frame holds `FRAME` bytes of its file, the last one what is left: one line of a large file costs one frame to read.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import zstandard
from numpy.typing import NDArray

from index.at_rest import decompressor
from index.errors import SnapshotDamaged

Columns = Mapping[str, NDArray[Any]]

FRAME = 1 << 14  # against 64 KiB: 6 % more bytes, and a line of a large file is read four times faster
LEVEL = 1  # 300-500 MB/s; level 3 saves 8 % of the bytes for twice the time


class HasParts(Protocol):
    """A snapshot, or anything that holds its parts."""

    @property
    def parts(self) -> Mapping[str, Columns]: ...


def pack_content(files: Sequence[bytes | None]) -> dict[str, NDArray[Any]]:
    """Bytes of every file, by row (None: not kept) -> the `content` part."""
    return update_content(_EMPTY, np.empty(0, np.int64), dict(enumerate(files)))


def update_content(previous: Columns, new_rows: NDArray[Any], changed: Mapping[int, bytes | None]) -> dict[str, NDArray[Any]]:
    """The `content` part of the commit before -> that of the next, the same as `pack_content` of all its files.

    `new_rows`: int[previous files], the row each has now, -1 where it is gone or changed; rising where it is not -1.
    `changed`: new row -> bytes, for every row that no previous file moved to.
    """
    rows = np.asarray(new_rows, np.int64)
    kept = np.flatnonzero(rows >= 0)
    total = len(kept) + len(changed)
    source = np.full(total, -1, np.int64)
    source[rows[kept]] = kept
    frames, offsets, data = previous["file_frames"], previous["frame_offsets"], previous["data"]
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    pieces: list[NDArray[np.uint8]] = []
    sizes: list[NDArray[np.int64]] = []  # of frames, compressed
    counts: list[NDArray[np.int64]] = []  # of frames per file
    lengths: list[NDArray[np.int64]] = []
    for first, last in _runs(source):
        if source[first] >= 0:
            a, b = int(source[first]), int(source[last - 1]) + 1
            pieces.append(data[int(offsets[frames[a]]) : int(offsets[frames[b]])])
            sizes.append(np.diff(offsets[int(frames[a]) : int(frames[b]) + 1]))
            counts.append(np.diff(frames[a : b + 1]))
            lengths.append(previous["file_sizes"][a:b])
            continue
        contents = [changed[row] for row in range(first, last)]
        there = [content or b"" for content in contents]
        made = [compressor.compress(content[at : at + FRAME]) for content in there for at in range(0, len(content), FRAME)]
        pieces.append(np.frombuffer(b"".join(made), np.uint8))
        sizes.append(np.array([len(frame) for frame in made], np.int64))
        counts.append(np.array([-(-len(content) // FRAME) for content in there], np.int64))
        lengths.append(np.array([-1 if content is None else len(content) for content in contents], np.int64))
    return {
        "data": np.concatenate([np.empty(0, np.uint8), *pieces]),
        "frame_offsets": _offsets(sizes),
        "file_frames": _offsets(counts),
        "file_sizes": np.concatenate([np.empty(0, np.int64), *lengths]),
    }


def file_bytes(snapshot: HasParts, file: int) -> bytes | None:
    """The bytes of a file row, or None where they were not kept."""
    return bytes_of(snapshot.parts["content"], file)


def bytes_of(content: Columns, file: int) -> bytes | None:
    """The same from the part itself."""
    size = int(content["file_sizes"][file])
    if size < 0:
        return None
    return _frames(content, int(content["file_frames"][file]), int(content["file_frames"][file + 1]))


def slice_of(content: Columns, file: int, start: int, end: int) -> bytes | None:
    """Bytes `start` to `end` of a file, reading only the frames they lie in; None where the file was not kept."""
    return FileReader(content, file).slice(start, end)


class FileReader:
    """One file of a `content` part, for several slices in rising order: frames just read are not read again."""

    def __init__(self, content: Columns, file: int) -> None:
        self.content = content
        self.size = int(content["file_sizes"][file])  # -1: not kept
        self._first = int(content["file_frames"][file])
        self._held = (0, 0)
        self._data = b""

    def slice(self, start: int, end: int) -> bytes | None:
        """Bytes `start` to `end`, fewer at the end of the file; None where the file was not kept."""
        if self.size < 0:
            return None
        start, end = max(start, 0), min(end, self.size)
        if start >= end:
            return b""
        wanted = start // FRAME, (end - 1) // FRAME + 1
        if not (self._held[0] <= wanted[0] and wanted[1] <= self._held[1]):
            self._data, self._held = _frames(self.content, self._first + wanted[0], self._first + wanted[1]), wanted
        at = self._held[0] * FRAME
        return self._data[start - at : end - at]


def _frames(content: Columns, first: int, last: int) -> bytes:
    offsets, data = content["frame_offsets"][first : last + 1].tolist(), content["data"]
    decompress = decompressor().decompress
    try:
        if last == first + 1:
            return decompress(data[offsets[0] : offsets[1]].data)
        return b"".join([decompress(data[a:b].data) for a, b in itertools.pairwise(offsets)])
    except zstandard.ZstdError as error:  # each frame has a checksum of its own
        raise SnapshotDamaged(f"The text of a file in the index can't be read ({error}): the index has to be built anew.") from error


def _runs(source: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Longest runs of rows that come from consecutive previous rows, or that are all new."""
    if not len(source):
        return []
    new = source < 0
    breaks = (new[1:] != new[:-1]) | (~new[1:] & (source[1:] != source[:-1] + 1))
    borders = [0, *(np.flatnonzero(breaks) + 1).tolist(), len(source)]
    return list(itertools.pairwise(borders))


def _offsets(sizes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), *sizes]).cumsum()


_EMPTY: Columns = {
    "data": np.empty(0, np.uint8),
    "frame_offsets": np.zeros(1, np.int64),
    "file_frames": np.zeros(1, np.int64),
    "file_sizes": np.empty(0, np.int64),
}
