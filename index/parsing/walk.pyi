# What walk.c makes; deploy/compile.py compiles it.

import numpy as np
from numpy.typing import NDArray

RELEASE: str  # of tree-sitter, whose source is in it

def walked(data: bytes, grammar: object, opened: bytes, steps: int, most_nodes: int, quotes: bytes, /) -> bytes | None: ...
def numbered(data: bytes, starts: NDArray[np.int32], ends: NDArray[np.int32], /) -> tuple[bytes, list[str]] | None: ...
