"""A snapshot's edges -> positions, the form in which every scorer takes them: from the line that uses to the line that defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.snapshot import Snapshot
from index.types import EdgeKind, SymbolKind, Tier

RUNS_CODE = (EdgeKind.CALL, EdgeKind.DECORATE, EdgeKind.ACCESS)
EVERY_KIND = tuple(EdgeKind)

TIER_SETS: Mapping[str, frozenset[Tier]] = {
    "proved": frozenset({Tier.PROVED}),
    "proved+likely": frozenset({Tier.PROVED, Tier.LIKELY}),
    "all": frozenset(Tier),
}

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a definition. Where several edges join the same two places, `tier` is the surest of them."""

    site: Place
    definition: Place
    tier: Tier


def uses(snapshot: Snapshot, kinds: Iterable[EdgeKind] = EVERY_KIND) -> list[Use]:
    """The snapshot's edges of these kinds, one for each pair of places, sorted.
    A file's own symbol is left out as a target: it has no line of its own."""
    edges, symbols = snapshot.parts["edges"], snapshot.parts["symbols"]
    target = np.asarray(edges["target"])
    wanted = np.isin(edges["kind"], [int(kind) for kind in kinds]) & (np.asarray(symbols["kind"])[target] != SymbolKind.MODULE)
    source, target = np.asarray(edges["source"])[wanted], target[wanted]
    columns: list[NDArray[np.int64]] = [
        np.asarray(column, np.int64)
        for column in (
            symbols["file"][source],
            edges["line"][wanted],
            symbols["file"][target],
            symbols["line"][target],
            edges["tier"][wanted],
        )
    ]
    if not len(source):
        return []
    rows = np.unique(np.stack(columns, axis=1), axis=0)  # sorted, so the surest tier of a pair of places comes first
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:, :4] != rows[:-1, :4]).any(axis=1)
    paths = snapshot.paths
    return [Use((paths[f], line), (paths[g], at), Tier(tier)) for f, line, g, at, tier in rows[first].tolist()]


def as_positions(found: Iterable[Use], tiers: frozenset[Tier]) -> list[dict[str, list[str | int]]]:
    """Uses of these tiers -> the scorers' list of {"from": [file, line], "to": [file, line]}."""
    return [{"from": list(use.site), "to": list(use.definition)} for use in found if use.tier in tiers]
