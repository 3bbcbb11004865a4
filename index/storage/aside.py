"""Arrays that are needed again and again, but few at a time -> the same in a file without a name, mapped into memory.

What is read of it comes from the page cache, which the system takes back when it wants to, and `rest` lets it do so at once. Where that
can't be done (a disk with little room, which the index itself will need, or a system without it), the arrays stay as they are.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

ALIGNED = 64  # bytes
SEGMENT = 64 << 20  # bytes that are mapped at once; what is not written of them takes no room on the disk either
MOST_PIECES = 1_000  # that Linux and macOS write in one go are 1,024
LEAVES = 1 << 30  # bytes of the disk that stay free, and as many as are in the file: an index takes about as much


class Aside:
    """`folder`: where the file is made, and gone again as soon as nothing uses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._segments: list[mmap.mmap] = []
        self._start = self._end = self._used = 0  # of the last segment: where it lies in the file, and how much of it is written
        self._can = hasattr(mmap, "MADV_DONTNEED")

    @property
    def holds(self) -> bool:
        """Whether what is put there lies in the file, as far as is known."""
        return self._can

    def put(self, arrays: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Arrays -> the same, read-only, in the file."""
        pieces: list[memoryview] = []
        places: list[int] = []
        size = 0
        for array in arrays:
            padding = -size % ALIGNED
            pieces += (memoryview(bytes(padding)), np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            places.append(size + padding)
            size += padding + array.nbytes
        if not size or not self._can:
            return arrays
        try:
            segment, first = self._written(pieces, size)
        except (OSError, ValueError):
            self._can = False
            return arrays
        return [
            np.frombuffer(segment, array.dtype, array.size, first + place).reshape(array.shape) if array.size else array
            for array, place in zip(arrays, places, strict=True)
        ]

    def _written(self, pieces: list[memoryview], size: int) -> tuple[mmap.mmap, int]:
        """The segment that holds the bytes, and where they begin there. Raises OSError."""
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115  (as long as this)
        if shutil.disk_usage(self._folder).free < max(LEAVES, self._start + self._used) + size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        first = self._used + -self._used % ALIGNED
        if first + size > self._end - self._start:
            self._start, first = self._end, 0
            room = max(SEGMENT, size + -size % mmap.ALLOCATIONGRANULARITY)
            os.truncate(self._file.fileno(), self._start + room)
            self._segments.append(mmap.mmap(self._file.fileno(), room, access=mmap.ACCESS_READ, offset=self._start))
            self._end = self._start + room
        self._used = first
        for at in range(0, len(pieces), MOST_PIECES):
            self._write(pieces[at : at + MOST_PIECES])
        return self._segments[-1], first

    def _write(self, pieces: list[memoryview]) -> None:
        """As they lie: to put them together first would copy all of them once more. Raises OSError."""
        assert self._file is not None
        while pieces:
            written = os.pwritev(self._file.fileno(), pieces, self._start + self._used)
            self._used += written
            while pieces and written >= len(pieces[0]):
                written -= len(pieces.pop(0))
            if written:
                pieces[0] = pieces[0][written:]

    def close(self) -> None:
        """Nothing more is put there. What was stays as long as it is used."""
        self._can = False
        self._segments.clear()
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rest(self) -> None:
        """Nothing of it is needed just now."""
        for segment in self._segments:
            with contextlib.suppress(OSError, ValueError):
                segment.madvise(mmap.MADV_DONTNEED)
