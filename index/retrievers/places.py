"""Rows of a snapshot -> hits, and which rows the question's paths allow."""

from __future__ import annotations

import re
from fnmatch import translate

import numpy as np
from numpy.typing import NDArray

from index.distinct import one_of
from index.errors import QuestionError
from index.languages import LANGUAGES
from index.snapshot import Snapshot
from index.types import EdgeKind, Hit, PathKind, Query, Tier

_GLOB = re.compile(r"[*?\[]")

# Which files a person more likely means, where all else is equal.
PATH_ORDER = (
    PathKind.SOURCE,
    PathKind.TEST,
    PathKind.DOCS,
    PathKind.GENERATED,
    PathKind.VENDOR,
    PathKind.BUILD,
    PathKind.ARCHIVE,
)
RANK_OF_PATH = np.zeros(len(PathKind), np.int64)
RANK_OF_PATH[list(PATH_ORDER)] = np.arange(len(PATH_ORDER))


def symbol_hit(snapshot: Snapshot, symbol: int, score: float, why: str, weak: bool = False) -> Hit:
    """A symbol's own place, as a hit."""
    found = snapshot.symbol(symbol)
    return Hit(found.path, found.line, found.end_line, snapshot.chunk_of_symbol(symbol), symbol, score, why, weak=weak)


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
    use, tier = EdgeKind(int(columns["kind"][edge])).label, Tier(int(columns["tier"][edge])).label
    return Hit(snapshot.path(file), line, line, snapshot.chunk_at(file, line), source, score, why, use=use, tier=tier)


def allowed_files(query: Query, snapshot: Snapshot) -> NDArray[np.bool_] | None:
    """The question's globs and languages -> bool[files], or None where every file is allowed. A glob without a slash fits a name in
    any folder; one without a sign of a glob also fits a folder with all that is in it. Raises QuestionError for a language that is
    not known."""
    if not query.paths and not query.languages:
        return None
    files = np.ones(len(snapshot.paths), np.bool_)
    if query.languages:
        files &= one_of(snapshot.parts["files"]["language"], [_language(name) for name in query.languages])
    if query.paths:
        globs = [glob.removeprefix("./").rstrip("/") for glob in query.paths]
        globs += [f"{glob}/*" for glob in globs if not _GLOB.search(glob)]
        fits = re.compile("|".join(translate(glob if glob.startswith("*") else f"*/{glob}") for glob in globs)).match
        files &= np.fromiter((bool(fits(path) or fits(f"/{path}")) for path in snapshot.paths), np.bool_, len(files))
    return files


def _language(name: str) -> int:
    found = [language.number for language in LANGUAGES if language.name.lower() == name.lower()]
    if not found:
        raise QuestionError(
            f"{name!r} is not a language that is indexed: choose among {', '.join(language.name for language in LANGUAGES)}."
        )
    return found[0]


def allowed_symbols(query: Query, snapshot: Snapshot, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Symbol rows -> bool for each: does it stand in an allowed file?"""
    files = allowed_files(query, snapshot)
    if files is None:
        return np.ones(len(rows), np.bool_)
    return files[snapshot.parts["symbols"]["file"][rows]]
