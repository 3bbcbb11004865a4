"""What multiplies a result's score: how central its symbol is, and what sort of path it stands in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

from index.snapshot import Snapshot
from index.types import Hit, PathKind

BOOST_PER_LOG = 0.3
LARGEST_BOOST = 1.5

# Under weighted RRF with k = 60 the first result of a list has twice the score of the 60th: 0.3 puts a demoted result behind all
# of these, yet still lets it be found when nothing else was.
DEMOTIONS = MappingProxyType({PathKind.VENDOR: 0.3, PathKind.BUILD: 0.3, PathKind.ARCHIVE: 0.3, PathKind.GENERATED: 0.5})


def boost(centrality: float) -> float:
    """Centrality -> factor from 1.0 to 1.5: min(1 + 0.3 ln(1 + centrality), 1.5).

    The scale is that of the snapshot's `rank`: PageRank times the number of symbols, so that 1.0 is the average symbol (factor 1.21)
    and the cap is reached at 4.3 times the average.
    """
    return min(1 + BOOST_PER_LOG * math.log1p(max(centrality, 0.0)), LARGEST_BOOST)


def demotion(kind: PathKind) -> float:
    """The sort of path -> factor of at most 1.0."""
    return DEMOTIONS.get(kind, 1.0)


def demotion_of(snapshot: Snapshot, path: str) -> float:
    """A path of the snapshot -> its demotion; 1.0 for a path it does not hold."""
    file = snapshot.file_of_path.get(path)
    return 1.0 if file is None else demotion(snapshot.path_kind(file))


def with_factors(hits: Sequence[Hit], snapshot: Snapshot) -> list[Hit]:
    """Fused hits -> the same, each score multiplied by its boost and demotion, best first. Ties: by path, then line."""
    score = snapshot.parts["rank"]["score"]
    lowered = {path: demotion_of(snapshot, path) for path in {hit.path for hit in hits}}
    weighed = []
    for hit in hits:
        raised = boost(float(score[hit.symbol])) if 0 <= hit.symbol < len(score) else 1.0
        factor = lowered[hit.path]
        # `replace` takes three times as long, and there are hundreds of hits to a question
        place = hit.path, hit.line, hit.end_line, hit.chunk, hit.symbol
        weighed.append(Hit(*place, hit.score * raised * factor, hit.why, hit.parts, raised, factor, hit.use, hit.tier))
    return sorted(weighed, key=order)


def order(hit: Hit) -> tuple[float, str, int, int]:
    """Sort key of every ranked list: score, best first, then path, line and symbol."""
    return (-hit.score, hit.path, hit.line, hit.symbol)
