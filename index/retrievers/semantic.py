"""Chunks whose meaning is near the question's, by Hamming distance between binary vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.errors import CannotLook
from index.intent.french import with_english
from index.retrievers.names import symbols_meant
from index.retrievers.places import allowed_files, chunk_hit
from index.snapshot import Snapshot
from index.types import Hit, Query
from index.vectors.hamming import BITS, nearest, unpack_planes
from index.vectors.model import Embedder, planes_of


@dataclass(frozen=True, slots=True)
class Semantic:
    """The retriever, holding the model that reads questions. `None`: no model is at hand."""

    embedder: Embedder | None

    def __call__(self, query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        """Query -> the nearest chunks that are near at all, nearest first, then by row. Raises CannotLook without vectors or model,
        OtherModel where the snapshot's vectors were made by another one."""
        if self.embedder is None:
            raise CannotLook("No embedding model is at hand, so nothing was looked for by meaning.")
        vectors = snapshot.parts.get("vectors")
        if vectors is None:
            raise CannotLook("This index has no vectors, so nothing was looked for by meaning: rebuild it with `maguyva update --rebuild`.")
        planes = planes_of(vectors, self.embedder.name)
        own = _chunks_asked_about(query, snapshot)
        bits = self.embedder.embed_query(with_english(query.text)) if own is None else unpack_planes(planes[:, own : own + 1])[0]
        files = allowed_files(query, snapshot)
        among = None if files is None else files[snapshot.parts["chunks"]["file"]]
        rows, away = nearest(planes, bits, limit + (own is not None), among)
        return [
            chunk_hit(snapshot, row, similarity(distance), f"is close in meaning ({similarity(distance):.2f})")
            for row, distance in zip(rows.tolist(), away.tolist(), strict=True)
            if row != own and similarity(distance) >= self.embedder.least_similarity
        ][:limit]


def similarity(distance: int) -> float:
    """Bits that differ -> 1.0 for the same vector, 0.0 for an unrelated one (half of the bits) or an opposite one."""
    return max(0.0, 1 - distance / (BITS / 2))


def _chunks_asked_about(query: Query, snapshot: Snapshot) -> int | None:
    """ "Code like Cart.total": the chunk to compare with is that symbol's own, where there is exactly one such symbol."""
    if query.intent != "find_similar":
        return None
    rows: NDArray[np.int64] = np.asarray(query.symbols, np.int64) if query.symbols else symbols_meant(snapshot, query.subject)
    chunk = snapshot.chunk_of_symbol(int(rows[0])) if len(rows) == 1 else -1
    return chunk if chunk >= 0 else None
