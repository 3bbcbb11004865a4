"""The head's snapshot -> the other ways of looking at it that an analysis can use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from index.impact.analyse import Looking
from index.search import full_fusion, never
from index.snapshot import Snapshot
from index.types import Answer, Query
from index.vectors.model import Embedder

ASKED = 40  # hits asked of each question


def looking_into(
    head: Snapshot,
    embedder: Embedder | None,
    commits: Iterable[Sequence[str]] = (),
    out_of_time: Callable[[], bool] = never,
    progress: Callable[[str], None] = lambda phase: None,
    leaves_out: Callable[[str], bool] | None = None,
) -> Looking:
    """Snapshot, model for questions (None: meaning is not searched) and the history's paths, newest first -> `Looking`."""

    def ask(query: Query) -> Answer:
        return full_fusion(query, head, embedder, limit=ASKED, every_site=False, out_of_time=out_of_time)

    return Looking(ask=ask, commits=tuple(commits), progress=progress, leaves_out=leaves_out)
