"""A few small numpy arrays -> compact bytes for one row of the facts store, and back.

Thousands of these are made for one index, most below 4 KiB, so the header is binary and tiny, and the compressor is kept per thread:

    u16 number of columns, then for each: u8 length of the name, the name, 3 bytes dtype, u8 dimensions, u32 per dimension
    the arrays, each at a multiple of 8 bytes, so that the views are aligned

all of it one zstd frame, level 1.
"""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

LEVEL = 1
MAX_UNPACKED = 256 << 20  # bytes; larger than the facts of any file we index, small enough for a damaged frame to do no harm
_PLAIN = frozenset("biuf")


class PackedDamaged(ValueError):
    """These bytes are not what `pack` made. The caller treats the row as missing."""


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _PerThread()


def pack(columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays of any shape and plain dtype -> bytes; the same arrays make the same bytes. Raises TypeError for object arrays."""
    names = sorted(columns)
    arrays = [np.asarray(columns[name], order="C") for name in names]
    header = bytearray(struct.pack("<H", len(names)))
    for name, array in zip(names, arrays, strict=True):
        kind = array.dtype.str.encode()
        if array.dtype.kind not in _PLAIN or len(kind) != 3:
            raise TypeError(f"column {name} has dtype {array.dtype}, which can't be stored")
        shown = name.encode()
        header += struct.pack(f"<B{len(shown)}s3sB{array.ndim}I", len(shown), shown, kind, array.ndim, *array.shape)
    pieces, at = [bytes(header)], len(header)
    for array in arrays:
        padding = -at % 8
        pieces += (bytes(padding), array.tobytes())
        at += padding + array.nbytes
    return _zstd.compressor.compress(b"".join(pieces))


def unpack(packed: bytes) -> dict[str, NDArray[Any]]:
    """What `pack` made -> the arrays, read-only. Raises PackedDamaged."""
    try:
        if zstandard.frame_content_size(packed) > MAX_UNPACKED:
            raise PackedDamaged("a packed row that claims to be larger than anything we store")
        data = _zstd.decompressor.decompress(packed)
        (count,), at = struct.unpack_from("<H", data), 2
        listed: list[tuple[str, np.dtype[Any], tuple[int, ...]]] = []
        for _ in range(count):
            end = at + 1 + data[at]
            name, kind, dimensions = data[at + 1 : end].decode(), data[end : end + 3].decode(), data[end + 3]
            shape = struct.unpack_from(f"<{dimensions}I", data, end + 4)
            at = end + 4 + 4 * dimensions
            listed.append((name, np.dtype(kind), shape))
        columns: dict[str, NDArray[Any]] = {}
        for name, dtype, shape in listed:
            at += -at % 8
            size = math.prod(shape)
            columns[name] = np.frombuffer(data, dtype, size, at).reshape(shape) if size else np.zeros(shape, dtype)
            at += size * dtype.itemsize
        return columns
    except (zstandard.ZstdError, struct.error, ValueError, TypeError, IndexError, OverflowError) as error:
        raise error if isinstance(error, PackedDamaged) else PackedDamaged(str(error)) from error
