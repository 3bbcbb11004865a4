"""Named numpy arrays -> one immutable file, and back by a single mmap.

    8 bytes   magic
    8 bytes   length of the JSON header, little-endian
    8 bytes   CRC-32 of the header
    header    {"columns": [[name, dtype, shape, offset, CRC-32], ...], "packed": {...}, "meta": {...}}
    arrays    each starts at a multiple of 64 bytes, so that any vector instruction may load it as it lies

The arrays are those that `index.at_rest` makes of the columns, and `packed` is its recipe. Each is compared with its checksum before it is
first used, at 7 GB/s.

Why one file: opening it costs 0.05-0.4 ms whatever it holds; a file per array costs a descriptor and 0.1 ms each.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import Opened, packed
from index.errors import SnapshotDamaged

MAGIC = b"MAGUYVA2"
START = 24  # of the header
ALIGNMENT = 64
DIGEST_BYTES = 32
_PLAIN = frozenset("biuf")  # bool, integers, floats: nothing that could hold an object
_UNCHECKED = frozenset({"data"})  # contents of files: each frame has a checksum of its own, and most of them are never read

Blocks = Sequence[bytes | memoryview]


def digest_of(data: bytes | memoryview) -> str:
    """Bytes -> blake2b-256, 64 hex digits."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def segment_blocks(columns: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None) -> Blocks:
    """Arrays of any shape and plain dtype -> the bytes of their file, in pieces. The same arrays, in any order of the mapping, make the
    same bytes. Raises TypeError for object arrays."""
    for name, column in columns.items():
        if column.dtype.kind not in _PLAIN:
            raise TypeError(f"column {name} has dtype {column.dtype}, which can't be stored")
    stored, recipe = packed(columns)
    arrays = {name: np.asarray(stored[name], order="C") for name in sorted(stored)}
    sums = {name: 0 if name in _UNCHECKED else zlib.crc32(_bytes_of(array)) for name, array in arrays.items()}
    header = b""
    # The offsets stand in the header and depend on its length: the second round has the right length to start from, and a round that
    # makes the header longer by a digit is followed by another.
    while True:
        offset, listed = _aligned(START + len(header)), []
        for name, array in arrays.items():
            listed.append([name, array.dtype.str, list(array.shape), offset, sums[name]])
            offset = _aligned(offset + array.nbytes)
        said = {"columns": listed, "packed": recipe, "meta": dict(meta or {})}
        made = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
        if len(made) <= len(header):
            header = made.ljust(len(header))
            break
        header = made
    begin = MAGIC + len(header).to_bytes(8, "little") + zlib.crc32(header).to_bytes(8, "little") + header
    blocks: list[bytes | memoryview] = [begin.ljust(_aligned(len(begin)), b"\0")]
    for array in arrays.values():
        padding = _aligned(array.nbytes) - array.nbytes
        blocks += [piece for piece in (_bytes_of(array), bytes(padding)) if len(piece)]
    return blocks


def segment_digest(blocks: Blocks) -> str:
    """Blake2b-256 of a file, in hex."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def write_segment(path: Path, blocks: Blocks) -> int:
    """What `segment_blocks` made -> the file at `path`, flushed to the disk; returns its size. Raises OSError as the system does."""
    size = 0
    with path.open("wb", buffering=0) as file:
        for block in blocks:
            view = memoryview(block)
            size += len(view)
            while view:  # the system may write less than it is given
                view = view[os.write(file.fileno(), view) :]
        os.fsync(file.fileno())
    return size


def is_written(path: Path, blocks: Blocks) -> int | None:
    """The size of the file at `path` where it holds exactly what `write_segment` would write there, else None."""
    try:
        size = path.stat().st_size
        mapped = np.frombuffer(map_segment(path, size), np.uint8)
    except (FileNotFoundError, SnapshotDamaged):
        return None
    at = 0
    for block in blocks:
        if not np.array_equal(mapped[at : at + len(block)], np.frombuffer(block, np.uint8)):
            return None
        at += len(block)
    return size if at == size else None


def map_segment(path: Path, expected_size: int) -> mmap.mmap:
    """A file -> its bytes, mapped read-only; they stay readable after the file is unlinked.

    Raises SnapshotDamaged when its size is not the expected one, FileNotFoundError when it is gone.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        if size != expected_size or size < START:
            raise SnapshotDamaged(f"{path} holds {size} bytes instead of {expected_size}: the index has to be built anew.")
        return mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)


def columns_of(mapped: mmap.mmap, shown: str) -> Opened:
    """A mapped segment -> its columns, read-only; what is not packed is a view without a copy. `shown` names the file in errors. Raises
    SnapshotDamaged, and so do the columns when they are first used."""
    header_size = int.from_bytes(mapped[8:16], "little")
    said = mapped[START : START + header_size] if header_size <= len(mapped) - START else b""
    if mapped[:8] != MAGIC or zlib.crc32(said) != int.from_bytes(mapped[16:START], "little"):
        raise SnapshotDamaged(f"{shown} is not a segment of this engine: the index has to be built anew.")
    try:
        header = json.loads(said)
        arrays = {name: _view(mapped, np.dtype(dtype), tuple(shape), offset) for name, dtype, shape, offset, _ in header["columns"]}
        sums = {name: int(its) for name, *_, its in header["columns"]}
        recipe = {name: dict(how) for name, how in header["packed"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise SnapshotDamaged(f"{shown} has a header that can't be read ({error}): the index has to be built anew.") from error
    seen = set(_UNCHECKED)

    def check(name: str) -> None:
        if name not in seen:
            if zlib.crc32(_bytes_of(arrays[name])) != sums[name]:
                raise ValueError(f"{name} has changed on the disk")
            seen.add(name)

    return Opened(arrays, recipe, shown, check)


def open_segment(path: Path, expected_size: int) -> Opened:
    """A file that `write_segment` made -> its arrays, read-only. Raises SnapshotDamaged, FileNotFoundError."""
    return columns_of(map_segment(path, expected_size), str(path))


def _view(mapped: mmap.mmap, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> NDArray[Any]:
    if dtype.kind not in _PLAIN or min(shape, default=0) < 0:
        raise ValueError(f"{dtype}{list(shape)}")
    return np.frombuffer(mapped, dtype, math.prod(shape), offset).reshape(shape)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
