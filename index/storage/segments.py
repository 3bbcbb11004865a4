"""Named numpy arrays -> one immutable file, and back by a single mmap.

    8 bytes   magic
    8 bytes   length of the JSON header, little-endian
    header    {"columns": [[name, dtype, shape, offset], ...], "meta": {...}}
    arrays    each starts at a multiple of 64 bytes, so that any vector instruction may load it as it lies

Why one file: opening it costs 0.05-0.4 ms whatever it holds; a file per array costs a descriptor and 0.1 ms each.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.errors import SnapshotDamaged

MAGIC = b"MAGUYVA1"
ALIGNMENT = 64
DIGEST_BYTES = 32
_PLAIN = frozenset("biuf")  # bool, integers, floats: nothing that could hold an object


def digest_of(data: bytes | memoryview) -> str:
    """Bytes -> blake2b-256, 64 hex digits."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def write_segment(path: Path, columns: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None) -> tuple[str, int]:
    """Arrays of any shape and plain dtype -> the file at `path`, flushed to the disk; returns (blake2b-256 in hex, size in bytes).

    The same arrays, in any order of the mapping, make the same bytes. Raises OSError as the system does, TypeError for object arrays.
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    size = _write(path, _blocks(columns, meta or {}), digest.update)
    return digest.hexdigest(), size


def write_known_segment(path: Path, columns: Mapping[str, NDArray[Any]]) -> int:
    """The same for arrays whose digest we have from `segment_digest`; returns the size."""
    return _write(path, _blocks(columns, {}), lambda _: None)


def segment_digest(columns: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None) -> str:
    """What `write_segment` would return as the digest, without writing."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for block in _blocks(columns, meta or {}):
        digest.update(block)
    return digest.hexdigest()


def is_written(path: Path, columns: Mapping[str, NDArray[Any]]) -> int | None:
    """The size of the file at `path` where it holds exactly what `write_segment` would write there, else None."""
    try:
        size = path.stat().st_size
        mapped = np.frombuffer(map_segment(path, size), np.uint8)
    except (FileNotFoundError, SnapshotDamaged):
        return None
    at = 0
    for block in _blocks(columns, {}):
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
        if size != expected_size or size < len(MAGIC) + 8:
            raise SnapshotDamaged(f"{path} holds {size} bytes instead of {expected_size}: the index has to be built anew.")
        return mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)


def columns_of(mapped: mmap.mmap, shown: str) -> dict[str, NDArray[Any]]:
    """A mapped segment -> its arrays, read-only views without a copy. `shown` names the file in errors. Raises SnapshotDamaged."""
    header_size = int.from_bytes(mapped[8:16], "little")
    if mapped[:8] != MAGIC or header_size > len(mapped) - 16:
        raise SnapshotDamaged(f"{shown} is not a segment of this engine: the index has to be built anew.")
    try:
        listed = json.loads(mapped[16 : 16 + header_size])["columns"]
        return {name: _view(mapped, np.dtype(dtype), tuple(shape), offset) for name, dtype, shape, offset in listed}
    except (ValueError, TypeError, KeyError) as error:
        raise SnapshotDamaged(f"{shown} has a header that can't be read ({error}): the index has to be built anew.") from error


def open_segment(path: Path, expected_size: int) -> dict[str, NDArray[Any]]:
    """A file that `write_segment` made -> its arrays, read-only. Raises SnapshotDamaged, FileNotFoundError."""
    return columns_of(map_segment(path, expected_size), str(path))


def _view(mapped: mmap.mmap, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> NDArray[Any]:
    if dtype.kind not in _PLAIN:
        raise ValueError(f"dtype {dtype}")
    return np.frombuffer(mapped, dtype, math.prod(shape), offset).reshape(shape)


def _blocks(columns: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """The bytes of the file, piece by piece, arrays without a copy."""
    arrays = {name: np.asarray(columns[name], order="C") for name in sorted(columns)}
    for name, array in arrays.items():
        if array.dtype.kind not in _PLAIN:
            raise TypeError(f"column {name} has dtype {array.dtype}, which can't be stored")
    header = b""
    # The offsets stand in the header and depend on its length: the second round has the right length to start from, and a round that
    # makes the header longer by a digit is followed by another.
    while True:
        offset, listed = _aligned(16 + len(header)), []
        for name, array in arrays.items():
            listed.append([name, array.dtype.str, list(array.shape), offset])
            offset = _aligned(offset + array.nbytes)
        made = json.dumps({"columns": listed, "meta": dict(meta)}, sort_keys=True, separators=(",", ":")).encode()
        if len(made) <= len(header):
            header = made.ljust(len(header))
            break
        header = made
    yield MAGIC + len(header).to_bytes(8, "little") + header + bytes(_aligned(16 + len(header)) - 16 - len(header))
    for array in arrays.values():
        if array.nbytes:
            yield array.reshape(-1).view(np.uint8).data
        padding = _aligned(array.nbytes) - array.nbytes
        if padding:
            yield bytes(padding)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _write(path: Path, blocks: Iterator[bytes | memoryview], seen: Callable[[bytes | memoryview], object]) -> int:
    size = 0
    with path.open("wb", buffering=0) as file:
        for block in blocks:
            seen(block)
            view = memoryview(block)
            size += len(view)
            while view:  # the system may write less than it is given
                view = view[os.write(file.fileno(), view) :]
        os.fsync(file.fileno())
    return size
