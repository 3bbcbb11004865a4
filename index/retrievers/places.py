"""Rows of a snapshot -> hits, and which rows the question's paths allow."""

from __future__ import annotations

import re
from fnmatch import translate

import numpy as np
from numpy.typing import NDArray

from index.snapshot import Snapshot
from index.types import Hit, Query


def symbol_hit(snapshot: Snapshot, symbol: int, score: float, why: str) -> Hit:
    """A symbol's own place, as a hit."""
    found = snapshot.symbol(symbol)
    return Hit(found.path, found.line, found.end_line, snapshot.chunk_of_symbol(symbol), symbol, score, why)


def chunk_hit(snapshot: Snapshot, chunk: int, score: float, why: str) -> Hit:
    """A chunk, as a hit on its first line."""
    columns = snapshot.parts["chunks"]
    path = snapshot.path(int(columns["file"][chunk]))
    return Hit(path, int(columns["start_line"][chunk]), int(columns["end_line"][chunk]), chunk, int(columns["symbol"][chunk]), score, why)


def edge_hit(snapshot: Snapshot, edge: int, score: float, why: str) -> Hit:
    """The place where an edge is written, as a hit; its symbol is the edge's source."""
    columns = snapshot.parts["edges"]
    source, line = int(columns["source"][edge]), int(columns["line"][edge])
    file = int(snapshot.parts["symbols"]["file"][source])
    return Hit(snapshot.path(file), line, line, snapshot.chunk_at(file, line), source, score, why)


def allowed_files(query: Query, snapshot: Snapshot) -> NDArray[np.bool_] | None:
    """The question's globs -> bool[files], or None where every file is allowed. A glob without a slash fits a name in any folder."""
    if not query.paths:
        return None
    pattern = re.compile("|".join(translate(glob if "/" in glob else f"*/{glob}") for glob in query.paths))
    return np.fromiter(
        (
            pattern.match(f"/{path}" if "/" not in path else path) is not None or pattern.match(f"/{path}") is not None
            for path in snapshot.paths
        ),
        np.bool_,
        len(snapshot.paths),
    )


def allowed_symbols(query: Query, snapshot: Snapshot, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Symbol rows -> bool for each: does it stand in an allowed file?"""
    files = allowed_files(query, snapshot)
    if files is None:
        return np.ones(len(rows), np.bool_)
    return files[snapshot.parts["symbols"]["file"][rows]]
