"""Edges -> who is used by whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]


def reverse_part(edges: Columns, size: int) -> dict[str, NDArray[Any]]:
    """Edges between `size` symbols -> edge rows by target, in row order within one: edge i64, and where each begins, offsets i64."""
    target = edges["target"]
    key = target.astype(np.uint64) << np.uint64(32)
    key |= np.arange(len(target), dtype=np.uint64)
    key.sort()
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(target, minlength=size), out=offsets[1:])
    return {"offsets": offsets, "edge": (key & np.uint64(0xFFFFFFFF)).view(np.int64)}
