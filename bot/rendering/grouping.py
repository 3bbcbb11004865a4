"""Verdicts -> rows: one for every file, changed symbol and reason."""

from __future__ import annotations

from collections.abc import Sequence

from index.impact.nouns import Verdict


def grouped(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Verdicts of one file for one reason share a row; rows keep the order of their first verdict."""
    found: dict[tuple[str, int, str, str], list[Verdict]] = {}
    for one in verdicts:
        found.setdefault((one.site.path, one.changed, one.reason, one.hedge), []).append(one)
    return list(found.values())
