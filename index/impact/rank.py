"""What is known of each reached place and of each changed symbol -> the order in which people should look at them.

A score is a sum of named parts, weight times a measure between 0 and 1, so that every row can say what it is made of. It orders rows of one
report; it is not a probability and is not comparable between reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.impact.nouns import ChangedSymbol, ChangeKind, Part, RankedSymbol, Reached
from index.types import EdgeKind, Tier

# What counts for a reached place.
PLACE_WEIGHTS: Final = {
    "near": 1.0,  # one over the number of steps
    "sure": 0.5,  # tier of the weakest hop
    "use": 0.3,  # what it does with what changed
    "search": 0.6,  # place in the fused answers of the four retrievers
    "words": 0.5,  # BM25 of its file with the changed lines
    "together": 0.4,  # share of past commits that changed both files
    "central": 0.15,  # PageRank
}
SURE: Final = {Tier.PROVED: 1.0, Tier.LIKELY: 0.6, Tier.POSSIBLE: 0.25}
USE: Final = {
    EdgeKind.CALL: 1.0,
    EdgeKind.DECORATE: 1.0,
    EdgeKind.ACCESS: 0.9,
    EdgeKind.OVERRIDE: 0.9,
    EdgeKind.INHERIT: 0.9,
    EdgeKind.IMPLEMENT: 0.8,
    EdgeKind.PASS: 0.7,
    EdgeKind.READ: 0.7,
    EdgeKind.WRITE: 0.6,
    EdgeKind.TYPE: 0.3,
    EdgeKind.IMPORT: 0.3,
    EdgeKind.REEXPORT: 0.3,
}

# What counts for a changed symbol.
SYMBOL_WEIGHTS: Final = {
    "breaks": 3.0,  # sites that will break
    "change": 1.0,  # the kind of change
    "direct": 0.6,  # uses one step away
    "reach": 0.3,  # everything within three steps
    "central": 0.3,
    "untested": 0.3,  # used, and no test reaches it
}
UNUSED: Final = 0.5  # of the weight of its kind, where nothing here uses what changed: outside of the repository something may
CHANGE: Final = {
    ChangeKind.REMOVED: 1.0,
    ChangeKind.RENAMED: 0.9,
    ChangeKind.SIGNATURE: 0.9,
    ChangeKind.REEXPORT: 0.8,
    ChangeKind.MOVED: 0.6,
    ChangeKind.BASES: 0.8,
    ChangeKind.SHAPE: 0.7,
    ChangeKind.DECORATORS: 0.6,
    ChangeKind.VALUE: 0.6,
    ChangeKind.BODY: 0.5,
    ChangeKind.ADDED: 0.1,
    ChangeKind.OVERRIDES: 0.5,
}


@dataclass(frozen=True, slots=True)
class Measures:
    """What was found about files and symbols of the head, each from 0 to 1."""

    search: Mapping[str, float]  # path -> best fused score, relative to the best of all
    words: Mapping[str, float]  # path -> BM25 with the changed lines, relative to the best
    together: Mapping[str, float]  # path -> share of commits
    central: Mapping[int, float]  # symbol -> PageRank, 1.0 the average symbol


def rank_reached(found: Sequence[Reached], measures: Measures) -> tuple[Reached, ...]:
    """Reached places -> the same with score and parts, most affected first; ties by path and line."""
    scored = [_scored(one, measures) for one in found]
    return tuple(sorted(scored, key=lambda one: (-one.score, one.symbol.path, one.symbol.line, one.symbol.qualified)))


def _scored(one: Reached, measures: Measures) -> Reached:
    path = one.symbol.path
    measured = {
        "near": 1 / one.steps,
        "sure": SURE[one.tier],
        "use": USE[one.hops[0].kind] if one.hops else 0.0,
        "search": measures.search.get(path, 0.0),
        "words": measures.words.get(path, 0.0),
        "together": min(1.0, measures.together.get(path, 0.0)),
        "central": _central(measures.central.get(one.symbol.id, 0.0)),
    }
    parts = _parts(measured, PLACE_WEIGHTS)
    return replace(one, score=_total(parts), parts=parts)


def rank_changed(changed: Sequence[ChangedSymbol], rows: Iterable[RankedSymbol], measures: Measures) -> tuple[RankedSymbol, ...]:
    """Counts per changed symbol -> the same with score and parts, the one to look at first on top. A test or generated file comes last."""
    found = []
    for row in rows:
        one = changed[row.changed]
        measured = {
            "breaks": _logarithmic(row.breaks, 20),
            "change": max(CHANGE[kind] for kind in one.kinds) * (1.0 if _matters(one) else 0.4) * (1.0 if _is_used(row) else UNUSED),
            "direct": _logarithmic(row.direct, 100),
            "reach": _logarithmic(row.total, 1000),
            "central": _central(measures.central.get(one.symbol.id, 0.0)) if one.after is not None else 0.0,
            "untested": float(row.direct > 0 and row.tests == 0),
        }
        parts = _parts(measured, SYMBOL_WEIGHTS)
        found.append(replace(row, score=_total(parts), parts=parts))
    return tuple(
        sorted(
            found,
            key=lambda row: (
                changed[row.changed].path_kind,
                -row.score,
                changed[row.changed].symbol.path,
                changed[row.changed].symbol.line,
                row.changed,
            ),
        )
    )


def _matters(one: ChangedSymbol) -> bool:
    """Is it more than a signature change that no caller can notice?"""
    return one.kinds != (ChangeKind.SIGNATURE,) or any(change.breaking for change in one.signature)


def _is_used(row: RankedSymbol) -> bool:
    """Does anything that we know of, or may not know of, use it?"""
    return bool(row.direct or row.total or row.breaks or row.tests or row.unresolved)


def _parts(measured: Mapping[str, float], weights: Mapping[str, float]) -> tuple[Part, ...]:
    return tuple(Part(name, round(weights[name] * value, 6)) for name, value in measured.items() if value)


def _total(parts: Iterable[Part]) -> float:
    return round(math.fsum(part.value for part in parts), 6)


def _logarithmic(count: int, full: int) -> float:
    """0 for none, 1 for `full` or more."""
    return min(1.0, math.log1p(count) / math.log1p(full))


def _central(score: float) -> float:
    """PageRank on the scale where 1.0 is the average symbol -> 0 to 1; ten times the average is full."""
    return min(1.0, math.log1p(score) / math.log1p(10.0))


def relative(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores -> the same divided by the largest."""
    best = max(scores.values(), default=0.0)
    return {key: value / best for key, value in scores.items()} if best > 0 else {}
