"""A snapshot -> its `vectors` part, one vector a chunk; files that the snapshot before had are not embedded again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.content import file_bytes
from index.embedding.static import ChunkText, StaticModel
from index.snapshot import Snapshot
from index.types import SymbolKind
from index.vectors.hamming import BYTES, unpack_planes
from index.vectors.model import model_of, planes_of, vectors_part

EMBEDDED_TOGETHER = 4_096  # chunks whose text is held at once


def embed_snapshot(snapshot: Snapshot, model: StaticModel, previous: Snapshot | None = None) -> dict[str, NDArray[Any]]:
    """Files, symbols, chunks and content of a commit -> its `vectors` part.

    A vector depends on its chunk's text, its symbol's qualified name and its path. `previous` lends the vectors of files that have
    the same path, blob and chunks there, if the same model made them; the result is the same without it.
    """
    chunks = snapshot.parts["chunks"]
    bits = np.zeros((len(chunks["file"]), BYTES), np.uint8)
    known = _lent(snapshot, previous, bits) if previous is not None and _made_by(previous, model) else np.zeros(len(bits), np.bool_)
    rows = np.flatnonzero(~known)
    texts = _texts(snapshot, rows)
    for first in range(0, len(rows), EMBEDDED_TOGETHER):
        some = rows[first : first + EMBEDDED_TOGETHER]
        bits[some] = model.embed_chunks([next(texts) for _ in range(len(some))])
    return vectors_part(bits, model.name)


def _made_by(previous: Snapshot, model: StaticModel) -> bool:
    return "vectors" in previous.parts and model_of(previous.parts["vectors"]) == model.name


def _lent(snapshot: Snapshot, previous: Snapshot, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Copies into `bits` what the previous snapshot knows -> bool[chunks], which rows that was."""
    old = unpack_planes(planes_of(previous.parts["vectors"], model_of(previous.parts["vectors"])))
    row_before = {path: row for row, path in enumerate(previous.raw_paths)}
    came_from = np.array([row_before.get(path, -1) for path in snapshot.raw_paths], np.int64)
    blob, blob_before = snapshot.parts["files"]["blob"], previous.parts["files"]["blob"]
    candidates = np.flatnonzero(came_from >= 0)
    same = (blob[candidates] == blob_before[came_from[candidates]]).all(axis=1) & blob[candidates].any(axis=1)  # no id: never the same
    candidates = candidates[same]
    now, before = _bounds(snapshot), _bounds(previous)
    count = np.diff(now)[candidates]
    candidates = candidates[count == np.diff(before)[came_from[candidates]]]
    source = came_from[candidates]
    count = np.diff(now)[candidates]
    nth = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    new_rows, old_rows = np.repeat(now[candidates], count) + nth, np.repeat(before[source], count) + nth
    chunks, chunks_before = snapshot.parts["chunks"], previous.parts["chunks"]
    same = (chunks["start_byte"][new_rows] == chunks_before["start_byte"][old_rows]) & (
        chunks["end_byte"][new_rows] == chunks_before["end_byte"][old_rows]
    )
    bits[new_rows[same]] = old[old_rows[same]]
    known = np.zeros(len(bits), np.bool_)
    known[new_rows[same]] = True
    return known


def _bounds(snapshot: Snapshot) -> NDArray[np.int64]:
    """int64[files + 1]: where each file's chunks begin."""
    return np.searchsorted(snapshot.parts["chunks"]["file"], np.arange(len(snapshot.paths) + 1, dtype=np.int32)).astype(np.int64)


def _texts(snapshot: Snapshot, rows: NDArray[np.int64]) -> Iterator[ChunkText]:
    """Chunk rows, rising -> what each says. Each file's bytes are read once."""
    chunks = snapshot.parts["chunks"]
    columns = (chunks[name][rows].tolist() for name in ("file", "symbol", "start_byte", "end_byte"))
    names = _Names(snapshot)
    open_file, data, path = -1, b"", b""
    for file, symbol, start, end in zip(*columns, strict=True):
        if file != open_file:
            open_file, data, path = file, file_bytes(snapshot, file) or b"", snapshot.raw_paths[file]
        yield ChunkText(data[start:end], *names.of(symbol), path)


class _Names:
    """Symbol row -> (own name, qualified name of what holds it), as bytes; a module has neither, its path says it."""

    def __init__(self, snapshot: Snapshot) -> None:
        columns = snapshot.parts["symbols"]
        self._kind, self._parent, self._name = columns["kind"].tolist(), columns["parent"].tolist(), columns["name"].tolist()
        self._bytes = [name.encode("utf-8", "replace") for name in snapshot.names]

    def of(self, symbol: int) -> tuple[bytes, bytes]:
        if self._kind[symbol] == SymbolKind.MODULE:
            return b"", b""
        owners = []
        owner = self._parent[symbol]
        while owner >= 0 and self._kind[owner] != SymbolKind.MODULE:
            owners.append(self._bytes[self._name[owner]])
            owner = self._parent[owner]
        return self._bytes[self._name[symbol]], b".".join(reversed(owners))
