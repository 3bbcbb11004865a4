"""The head's snapshot -> the other ways of looking at it that an analysis can use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from index.impact.analyse import Looking
from index.retrievers.places import chunk_hit
from index.search import full_fusion, never
from index.snapshot import Snapshot
from index.trigrams.lookup import bm25, find_identifier
from index.types import Answer, Hit, Query
from index.vectors.model import Embedder

ASKED = 40  # hits asked of each question
COMMON = 0.3  # a name that stands in more than this share of the files says nothing about where a change matters


def looking_into(
    head: Snapshot,
    embedder: Embedder | None,
    commits: Iterable[Sequence[str]] = (),
    out_of_time: Callable[[], bool] = never,
    progress: Callable[[str], None] = lambda phase: None,
) -> Looking:
    """Snapshot, model for questions (None: meaning is not searched) and the history's paths, newest first -> `Looking`."""

    def ask(query: Query) -> Answer:
        return full_fusion(query, head, embedder, limit=ASKED, every_site=False, out_of_time=out_of_time)

    return Looking(
        ask=ask,
        words=lambda words, limit: files_by_words(head, words, limit),
        names=lambda names, limit: files_by_names(head, names, limit),
        commits=tuple(commits),
        progress=progress,
    )


def files_by_words(head: Snapshot, words: Sequence[str], limit: int) -> list[Hit]:
    """Words -> the best chunk of each file by BM25, best first."""
    found = bm25(head, words, limit=limit * 5)
    file = head.parts["chunks"]["file"][found.rows]
    _, first = np.unique(file, return_index=True)
    return [
        chunk_hit(head, int(found.rows[at]), float(found.scores[at]), "shares words with the change")
        for at in np.sort(first)[:limit].tolist()
    ]


def files_by_names(head: Snapshot, names: Sequence[str], limit: int) -> list[Hit]:
    """Identifiers -> files that hold them as whole words, best first: rare names count more, further mentions less and less."""
    score: dict[int, float] = {}
    line: dict[int, int] = {}
    total = max(1, len(head.paths))
    for name in dict.fromkeys(names):
        if len(name) < 3:
            continue
        found = find_identifier(head, name)
        files, first, counts = np.unique(found.file, return_index=True, return_counts=True)
        if not len(files) or len(files) > max(20, COMMON * total):
            continue
        weight = math.log(1 + total / len(files))
        for file, at, count in zip(files.tolist(), first.tolist(), counts.tolist(), strict=True):
            score[file] = score.get(file, 0.0) + weight * (1 + math.log(count))
            line.setdefault(file, int(found.line[at]))
    best = sorted(score, key=lambda file: (-score[file], head.path(file)))[:limit]
    return [Hit(head.path(file), line[file], line[file], -1, -1, float(score[file]), "names what changed") for file in best]
