"""Paths changed by each commit, newest first -> which files usually change together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Final

MAX_FILES: Final = 30  # a larger commit moves or formats many files and says nothing about which belong together
MAX_COMMITS: Final = 4_000


@dataclass(frozen=True, slots=True)
class CoChange:
    """`together[path]`: commits that changed `path` with a seed. `alone[seed]`: commits that changed the seed at all.
    `last[path]`: how many commits ago the newest of them was, 0 the newest. `close[path]`: those commits, one of n other files counting
    as 1 / sqrt(n)."""

    together: dict[str, Counter[str]]  # seed -> path -> commits
    seen: Counter[str]  # seed -> commits
    last: dict[str, int]
    close: dict[str, float]

    def score(self, path: str) -> float:
        """Share of the seeds' commits that changed `path` too, over the seed where it is highest; damped for seeds with little history."""
        return max((found[path] / (self.seen[seed] + 2.0) for seed, found in self.together.items()), default=0.0)


def cochange(commits: Iterable[Sequence[str]], seeds: Set[str], max_commits: int = MAX_COMMITS) -> CoChange:
    """Paths of each commit, newest first, and the changed paths -> counts. A seed that is not in the history counts for nothing."""
    together: dict[str, Counter[str]] = {seed: Counter() for seed in sorted(seeds)}
    seen: Counter[str] = Counter()
    last: dict[str, int] = {}
    sizes: dict[str, Counter[int]] = {}  # path -> other files of a commit -> such commits
    for age, paths in enumerate(commits):
        if age >= max_commits:
            break
        if len(paths) > MAX_FILES:
            continue
        for seed in sorted(seeds & set(paths)):
            seen[seed] += 1
            for path in paths:
                if path != seed:
                    together[seed][path] += 1
                    last.setdefault(path, age)
                    sizes.setdefault(path, Counter())[len(paths) - 1] += 1
    close = {path: math.fsum(count / math.sqrt(others) for others, count in some.items()) for path, some in sizes.items()}
    return CoChange(together, seen, last, close)


def ranked(found: CoChange, exclude: Set[str]) -> list[str]:
    """Paths that changed with the seeds, most often first, in commits of few files above all; among equals the one that did so last."""
    return sorted((path for path in found.close if path not in exclude), key=lambda path: (-found.close[path], found.last[path], path))
