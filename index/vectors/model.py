"""What a vector is made by, and the snapshot part that keeps vectors: {"planes": u64[16, n], "counts": i32[files], "model": u8[...]}.

Rows are those of the snapshot's chunks. `counts`: how many chunks each file has. `model` is the name of the model, utf-8: it says
backend, weights and number of bits, and vectors of two models are never compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
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


def vectors_part(bits: NDArray[np.uint8], model: str, counts: NDArray[Any] | None = None) -> dict[str, NDArray[Any]]:
    """uint8[n, 128], most significant bit first, the name of their model and how many there are of each file -> the columns of the
    part `vectors`."""
    made: dict[str, NDArray[Any]] = {"planes": pack_planes(bits), "model": np.frombuffer(model.encode(), np.uint8).copy()}
    return made if counts is None else made | {"counts": counts.astype(np.int32)}


def update_vectors(
    previous: Mapping[str, NDArray[Any]], rows: NDArray[np.int64], changed: Mapping[int, NDArray[np.uint8]]
) -> dict[str, NDArray[Any]]:
    """The part of the commit before, the row that each of its files has now (-1: gone or changed; rising) and the bits of the chunks of
    new and changed files, by row -> the part of the next commit, the same as one made from nothing."""
    kept = np.flatnonzero(rows >= 0)
    counts = np.zeros(len(kept) + len(changed), np.int32)
    counts[rows[kept]] = previous["counts"][kept]
    for row, bits in changed.items():
        counts[row] = len(bits)
    source = np.full(len(counts), -1, np.int64)
    source[rows[kept]] = kept
    first = np.concatenate([[0], np.cumsum(previous["counts"], dtype=np.int64)])
    breaks = np.flatnonzero((np.diff(source) != 1) | (source[1:] < 0) | (source[:-1] < 0)) + 1
    pieces = [np.empty((BYTES // 8, 0), np.uint64)]
    for a, b in itertools.pairwise([0, *breaks.tolist(), len(source)]) if len(source) else ():
        old = int(source[a])
        pieces.append(previous["planes"][:, int(first[old]) : int(first[old + b - a])] if old >= 0 else pack_planes(changed[a]))
    return {"planes": np.concatenate(pieces, axis=1), "counts": counts, "model": previous["model"]}


def model_of(part: dict[str, NDArray[Any]] | Any) -> str:
    """The columns of the part `vectors` -> the name of the model that made them."""
    return bytes(np.asarray(part["model"], np.uint8)).decode("utf-8", "replace")


def planes_of(part: Any, model: str) -> NDArray[np.uint64]:
    """The columns of the part `vectors` -> their planes, u64[16, n]. Raises OtherModel where another model made them."""
    if (stored := model_of(part)) != model:
        raise OtherModel(stored, model)
    return np.asarray(part["planes"]).reshape(BYTES // 8, -1)
