# What bags.c makes; deploy/compile.py compiles it.

import numpy as np
from numpy.typing import NDArray

def told(
    blobs: list[tuple[bytes, NDArray[np.int32], NDArray[np.int32], list[str], bytes]], keys: NDArray[np.uint64], rows: NDArray[np.int32], /
) -> tuple[bytes, bytes, bytes, list[bytes]] | None: ...
def summed(
    words: bytes,
    borders: bytes,
    learned: NDArray[np.int32],
    weights: NDArray[np.int64],
    fields: NDArray[np.int64],
    counts: NDArray[np.int64],
    vectors: NDArray[np.int8],
    shift: int,
    most: int,
    /,
) -> bytes: ...
def turned(vectors: bytes, signs: NDArray[np.int16], /) -> bytes: ...
