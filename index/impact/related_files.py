"""Ranked lists of files from several points of view -> one list of the other files that a change may concern.

Weighted reciprocal rank fusion (Cormack, Clarke, Büttcher 2009) with a small k, because the first places of each list carry the signal.
The weights were tuned on 900 commits of six public repositories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from index.impact.nouns import Part, RankedFile
from index.types import PathKind

K: Final = 5.0
#   point of view      weight   what it is
WEIGHTS: Final = (
    ("words", 1.0),  # BM25 of the words on the changed lines
    ("changes together", 0.5),  # commits that changed both
    ("uses", 0.6),  # holds the names of the changed symbols, rarest first
    ("graph", 0.15),  # linked by imports or edges
    ("near", 0.1),  # in the same folder or one close by
    ("test of", 0.25),  # named for the changed file
)
DEPTH: Final = 200

_TEST_AFFIX: Final = re.compile(r"(^test_|_test$|Tests?$|TestCase$|IT$)")
_INNER: Final = re.compile(r"\.(test|spec|bench)(-d)?(?=\.)")


def fuse(views: Mapping[str, Sequence[str]], exclude: Set[str], kinds: Mapping[str, PathKind], limit: int = 50) -> tuple[RankedFile, ...]:
    """Ranked paths by point of view (keys of `WEIGHTS`) -> one ranked list; each score is the sum of its parts."""
    parts: dict[str, list[Part]] = {}
    for name, weight in WEIGHTS:
        rank = 0
        for path in views.get(name, ())[: DEPTH + len(exclude)]:
            if path in exclude:
                continue
            parts.setdefault(path, []).append(Part(name, round(weight / (K + rank + 1), 6)))
            rank += 1
    found = [
        RankedFile(path, round(sum(part.value for part in given), 6), tuple(given), kinds.get(path, PathKind.SOURCE))
        for path, given in parts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.score, one.path))[:limit])


def near(seed: str, paths: Iterable[str]) -> list[str]:
    """Every other path, the closest in the folder tree first."""
    return sorted((path for path in paths if path != seed), key=lambda path: (distance(seed, path), path))[:DEPTH]


def named_for(seed: str, paths: Iterable[str]) -> list[str]:
    """Paths with the same stem once `test_`, `_test`, `.spec` and their like are taken off; the closest first."""
    wanted = stem(seed)
    return sorted((path for path in paths if path != seed and stem(path) == wanted), key=lambda path: (distance(seed, path), path))[:DEPTH]


def stem(path: str) -> str:
    """`src/a/user_test.go`, `tests/test_user.py`, `user.spec.ts` -> user."""
    name = _INNER.sub("", path.rsplit("/", 1)[-1])
    name = name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name
    return _TEST_AFFIX.sub("", name).lower().strip("_")


def distance(one: str, other: str) -> int:
    """Folders up and down from one file to the other."""
    a, b = one.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    return len(a) + len(b) - 2 * shared


def package_of(path: str) -> str:
    """The folder that stands for a package in counts: the first two, without `src`, `lib` and `packages` alone."""
    folders = path.split("/")[:-1]
    depth = 2 if folders[:1] and folders[0] in ("src", "lib", "packages", "apps", "crates", "python") else 1
    return "/".join(folders[: max(depth, 1)]) or "."
