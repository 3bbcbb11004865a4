"""What a vector is made by, and the snapshot part that keeps vectors: {"planes": u64[16, n], "model": u8[...]}.

Rows are those of the snapshot's chunks. `model` is the name of the model, utf-8: it says backend, weights and number of bits,
and vectors of two models are never compared.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.errors import StorageError
from index.vectors.hamming import BYTES, pack_planes


class Embedder(Protocol):
    """Turns a question into the bits that chunks are compared with."""

    @property
    def name(self) -> str: ...

    @property
    def least_similarity(self) -> float:
        """Below this similarity (1.0: the same bits, 0.0: half of them differ) a chunk has nothing to do with a question."""
        ...

    def embed_query(self, text: str) -> NDArray[np.uint8]: ...


class OtherModel(StorageError):
    """The snapshot's vectors were made by another model than the one that read the question."""

    def __init__(self, stored: str, asked: str) -> None:
        super().__init__(
            f"The index was made with the embedding model {stored}, and the question was read by {asked}: "
            "their vectors can't be compared. Set the model back, or rebuild with `maguyva update --rebuild`."
        )


def vectors_part(bits: NDArray[np.uint8], model: str) -> dict[str, NDArray[Any]]:
    """uint8[n, 128], most significant bit first, and the name of their model -> the columns of the part `vectors`."""
    return {"planes": pack_planes(bits), "model": np.frombuffer(model.encode(), np.uint8).copy()}


def model_of(part: dict[str, NDArray[Any]] | Any) -> str:
    """The columns of the part `vectors` -> the name of the model that made them."""
    return bytes(np.asarray(part["model"], np.uint8)).decode("utf-8", "replace")


def planes_of(part: Any, model: str) -> NDArray[np.uint64]:
    """The columns of the part `vectors` -> their planes, u64[16, n]. Raises OtherModel where another model made them."""
    if (stored := model_of(part)) != model:
        raise OtherModel(stored, model)
    return np.asarray(part["planes"]).reshape(BYTES // 8, -1)
