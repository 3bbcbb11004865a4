# What placing.c makes; deploy/compile.py compiles it.

import numpy as np
from numpy.typing import NDArray

def placed(texts: list[bytes], bases: NDArray[np.int64], /) -> tuple[bytes, ...] | None: ...
def dealt(rows: NDArray[np.uint32], values: NDArray[np.uint32], starts: NDArray[np.uint32], /) -> bytes: ...
