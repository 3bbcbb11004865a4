"""Ranked hits -> the best one of each file, in the same order."""

from __future__ import annotations

from collections.abc import Sequence

from index.types import Hit


def best_per_file(hits: Sequence[Hit]) -> list[Hit]:
    """Hits, best first -> the first of each file. Lists where every place counts (references in a pull request) don't call this."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.path, hit)
    return list(first.values())
