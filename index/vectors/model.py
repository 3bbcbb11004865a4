"""What a vector is made by, and the snapshot part that keeps vectors:
{"planes": u64[16, n], "fine": u8[n, 128], "counts": i32[files], "model": u8[...]}.

Rows are those of the snapshot's chunks. `fine`, which not every model has, is the same vector in more detail (`index.vectors.fine`).
`counts`: how many chunks each file has. `model` is the name of the model, utf-8: it says backend, weights and number of bits, and
vectors of two models are never compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.errors import StorageError
from index.vectors.fine import FINE_BYTES, unpacked
from index.vectors.hamming import BYTES, pack_planes, unpack_planes

ROW_BYTES = BYTES + FINE_BYTES  # of one chunk, as models make it: its bits, then the same in more detail

PARTS = ("voyage", "vectors")  # of a snapshot, the better one first


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read by a model."""

    model: str
    bits: NDArray[np.uint8]  # [128]
    fine: NDArray[np.int8] | None  # [256], where the model's chunks have more detail than bits
    least_similarity: float


class Embedder(Protocol):
    """Turns a question into what chunks are compared with."""

    @property
    def name(self) -> str: ...

    @property
    def least_similarity(self) -> float:
        """Below this similarity (1.0: the same bits, 0.0: half of them differ) a chunk has nothing to do with a question."""
        ...

    def read(self, text: str) -> Asked: ...


class OtherModel(StorageError):
    """The snapshot's vectors were made by another model than the one that read the question."""

    def __init__(self, stored: str, asked: str) -> None:
        super().__init__(
            f"The index was made with the embedding model {stored}, and the question was read by {asked}: "
            "their vectors can't be compared. Set the model back, or index the commit anew with the one that is asked."
        )


def vectors_part(rows: NDArray[np.uint8], model: str, counts: NDArray[Any] | None = None) -> dict[str, NDArray[Any]]:
    """uint8[n, 128 or 256], bits with the most significant first and more detail where there is any, the name of their model and how
    many there are of each file -> the columns of the part `vectors`."""
    made: dict[str, NDArray[Any]] = {"planes": pack_planes(rows[:, :BYTES]), "model": np.frombuffer(model.encode(), np.uint8).copy()}
    if rows.shape[1] > BYTES:
        made["fine"] = np.ascontiguousarray(rows[:, BYTES:])
    return made if counts is None else made | {"counts": counts.astype(np.int32)}


def update_vectors(
    previous: Mapping[str, NDArray[Any]], rows: NDArray[np.int64], changed: Mapping[int, NDArray[np.uint8]]
) -> dict[str, NDArray[Any]]:
    """The part of the commit before, the row that each of its files has now (-1: gone or changed; rising) and the vectors of the chunks
    of new and changed files, by row -> the part of the next commit, the same as one made from nothing."""
    kept = np.flatnonzero(rows >= 0)
    counts = np.zeros(len(kept) + len(changed), np.int32)
    counts[rows[kept]] = previous["counts"][kept]
    for row, its in changed.items():
        counts[row] = len(its)
    source = np.full(len(counts), -1, np.int64)
    source[rows[kept]] = kept
    first = np.concatenate([[0], np.cumsum(previous["counts"], dtype=np.int64)])
    breaks = np.flatnonzero((np.diff(source) != 1) | (source[1:] < 0) | (source[:-1] < 0)) + 1
    planes = [np.empty((BYTES // 8, 0), np.uint64)]
    fine = [np.empty((0, FINE_BYTES), np.uint8)]
    for a, b in itertools.pairwise([0, *breaks.tolist(), len(source)]) if len(source) else ():
        old = int(source[a])
        low, high = (int(first[old]), int(first[old + b - a])) if old >= 0 else (0, 0)
        planes.append(previous["planes"][:, low:high] if old >= 0 else pack_planes(changed[a][:, :BYTES]))
        if "fine" in previous:
            fine.append(previous["fine"][low:high] if old >= 0 else changed[a][:, BYTES:])
    made: dict[str, NDArray[Any]] = {"planes": np.concatenate(planes, axis=1), "counts": counts, "model": previous["model"]}
    return made | ({"fine": np.concatenate(fine)} if "fine" in previous else {})


def part_made_by(parts: Mapping[str, Mapping[str, NDArray[Any]]], model: str) -> Mapping[str, NDArray[Any]] | None:
    """Parts of a snapshot -> the columns of the vectors that this model made; None where the snapshot has no vectors at all. Raises
    OtherModel where other models made those it has."""
    found = [parts[name] for name in PARTS if name in parts]
    for part in found:
        if model_of(part) == model:
            return part
    if found:
        raise OtherModel(model_of(found[-1]), model)
    return None


def asked_by(part: Mapping[str, NDArray[Any]], row: int, least_similarity: float) -> Asked:
    """The vectors of one chunk, as if they were a question's."""
    bits = unpack_planes(planes_of(part, model_of(part))[:, row : row + 1])[0]
    fine = unpacked(part["fine"][row : row + 1])[0] if "fine" in part else None
    return Asked(model_of(part), bits, fine, least_similarity)


def model_of(part: dict[str, NDArray[Any]] | Any) -> str:
    """The columns of the part `vectors` -> the name of the model that made them."""
    return bytes(np.asarray(part["model"], np.uint8)).decode("utf-8", "replace")


def planes_of(part: Any, model: str) -> NDArray[np.uint64]:
    """The columns of the part `vectors` -> their planes, u64[16, n]. Raises OtherModel where another model made them."""
    if (stored := model_of(part)) != model:
        raise OtherModel(stored, model)
    return np.asarray(part["planes"]).reshape(BYTES // 8, -1)
