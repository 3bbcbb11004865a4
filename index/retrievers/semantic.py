"""Chunks whose meaning is near the question's, by Hamming distance between binary vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.errors import CannotLook
from index.intent.french import with_english
from index.retrievers.names import asked_for_more_of
from index.retrievers.places import allowed_files, chunk_hit
from index.snapshot import Snapshot
from index.types import Hit, Query
from index.vectors.fine import cosines
from index.vectors.hamming import BITS, nearest
from index.vectors.model import PARTS, Asked, Embedder, asked_by, part_made_by, planes_of

RESCORED = 100  # at least: of the nearest by bits, how many are put in order by vectors of more detail


@dataclass(frozen=True, slots=True)
class Semantic:
    """The retriever, holding the model that reads questions. `None`: no model is at hand."""

    embedder: Embedder | None

    def __call__(self, query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        """Query -> the nearest chunks that are near at all, nearest first, then by row. Raises CannotLook without vectors or model,
        OtherModel where the snapshot's vectors were made by another one."""
        if self.embedder is None:
            raise CannotLook("No embedding model is at hand, so nothing was looked for by meaning.")
        if not any(name in snapshot.parts for name in PARTS):
            raise CannotLook("This index has no vectors, so nothing was looked for by meaning: `maguyva update` adds them.")
        own = _chunk_asked_about(query, snapshot)
        asked = self.embedder.read(with_english(query.text)) if own is None else _as_question(snapshot, own, self.embedder)
        if asked.fine is not None and not asked.fine.any():  # none of its words is one the model reads
            return []
        part = part_made_by(snapshot.parts, asked.model)
        assert part is not None
        files = allowed_files(query, snapshot)
        among = None if files is None else files[snapshot.parts["chunks"]["file"]]
        rows, away = nearest(planes_of(part, asked.model), asked.bits, max(limit, RESCORED) + (own is not None), among)
        near = BITS / 2 * (1 - asked.least_similarity) if asked.least_similarity > 0 else BITS  # bits that may differ
        kept = (away <= near) & (rows != (-1 if own is None else own))
        rows, away = rows[kept], away[kept]
        if asked.fine is not None and "fine" in part:
            score = np.round(cosines(part["fine"][rows], asked.fine), 6)
            order = np.lexsort((rows, away, -score))
            rows, score = rows[order], score[order]
        else:
            score = np.array([similarity(distance) for distance in away.tolist()], np.float32)
        return [
            chunk_hit(snapshot, row, float(alike), f"is near in meaning ({max(alike, 0):.2f})")
            for row, alike in zip(rows[:limit].tolist(), score[:limit].tolist(), strict=True)
        ]


def similarity(distance: int) -> float:
    """Bits that differ -> 1.0 for the same vector, 0.0 for an unrelated one (half of the bits) or an opposite one."""
    return max(0.0, 1 - distance / (BITS / 2))


def _as_question(snapshot: Snapshot, chunk: int, embedder: Embedder) -> Asked:
    """A chunk of the snapshot, read by whichever model is the better of those that read all chunks: nothing has to be sent for it."""
    return next(asked_by(snapshot.parts[name], chunk, embedder.least_similarity) for name in PARTS if name in snapshot.parts)


def _chunk_asked_about(query: Query, snapshot: Snapshot) -> int | None:
    """ "Code like Cart.total": the chunk to compare with is that symbol's own, where there is exactly one such symbol."""
    own = asked_for_more_of(query, snapshot)
    return snapshot.chunk_of_symbol(min(own)) if own else None
