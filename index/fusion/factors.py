"""What multiplies a result's score: how central its symbol is, and what sort of path it stands in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from index.snapshot import Snapshot
from index.types import Hit, PathKind

BOOST_PER_LOG = 0.3
LARGEST_BOOST = 1.5

# Under weighted RRF with k = 60 the first result of a list has twice the score of the 60th: 0.3 puts a demoted result behind all
# of these, yet still lets it be found when nothing else was.
DEMOTIONS = MappingProxyType({PathKind.VENDOR: 0.3, PathKind.BUILD: 0.3, PathKind.ARCHIVE: 0.3, PathKind.GENERATED: 0.5})


@dataclass(frozen=True, slots=True)
class Factors:
    """What one kind of question multiplies its results by."""

    kinds: Mapping[PathKind, float]
    no_code: float = 1.0  # at most, for settings, translations and other files of no language that we read
    centrality: bool = True


ORDINARY = Factors(DEMOTIONS)
# Of a report what is to be changed is the source, though tests, docs and settings speak of it in the same words; and a result is a whole
# file, of which one symbol's centrality says little: with it the MRR of 31 reports was 0.556, without it 0.600.
REPORTED = Factors(MappingProxyType({**DEMOTIONS, PathKind.TEST: 0.3, PathKind.DOCS: 0.3}), no_code=0.3, centrality=False)


def boost(centrality: float) -> float:
    """Centrality -> factor from 1.0 to 1.5: min(1 + 0.3 ln(1 + centrality), 1.5).

    The scale is that of the snapshot's `rank`: PageRank times the number of symbols, so that 1.0 is the average symbol (factor 1.21)
    and the cap is reached at 4.3 times the average.
    """
    return min(1 + BOOST_PER_LOG * math.log1p(max(centrality, 0.0)), LARGEST_BOOST)


def demotion(kind: PathKind, factors: Factors = ORDINARY) -> float:
    """The sort of path -> factor of at most 1.0."""
    return factors.kinds.get(kind, 1.0)


def demotion_of(snapshot: Snapshot, path: str, factors: Factors = ORDINARY) -> float:
    """A path of the snapshot -> its demotion, at most `factors.no_code` for a file of no language; 1.0 for a path it does not hold."""
    file = snapshot.file_of_path.get(path)
    if file is None:
        return 1.0
    factor = demotion(snapshot.path_kind(file), factors)
    return min(factor, factors.no_code) if factors.no_code < 1 and snapshot.parts["files"]["language"][file] == 0 else factor


def with_factors(hits: Sequence[Hit], snapshot: Snapshot, factors: Factors = ORDINARY) -> list[Hit]:
    """Fused hits -> the same, each score multiplied by its boost and demotion, best first. Ties: by path, then line."""
    score = snapshot.parts["rank"]["score"]
    lowered = {path: demotion_of(snapshot, path, factors) for path in {hit.path for hit in hits}}
    weighed = []
    for hit in hits:
        raised = boost(float(score[hit.symbol])) if factors.centrality and 0 <= hit.symbol < len(score) else 1.0
        factor = lowered[hit.path]
        # `replace` takes three times as long, and there are hundreds of hits to a question
        place = hit.path, hit.line, hit.end_line, hit.chunk, hit.symbol
        weighed.append(Hit(*place, hit.score * raised * factor, hit.why, hit.parts, raised, factor, hit.use, hit.tier, hit.weak))
    return sorted(weighed, key=order)


def order(hit: Hit) -> tuple[float, str, int, int]:
    """Sort key of every ranked list: score, best first, then path, line and symbol."""
    return (-hit.score, hit.path, hit.line, hit.symbol)
