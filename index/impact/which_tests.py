"""What is reached, what is named alike and what shares words -> the tests worth running first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from index.impact.nouns import Reached, SuggestedTest
from index.impact.related_files import stem
from index.types import SymbolKind, Tier

K: Final = 20.0
# point of view -> weight in the rank fusion
WEIGHTS: Final = (("graph", 1.0), ("words", 0.5), ("name", 0.35), ("changes together", 0.25))
MAX_TESTS: Final = 200


@dataclass(frozen=True, slots=True)
class Runner:
    """How the tests of one kind of file are run. {ids} stands for what `id_of` gives, separated by spaces."""

    name: str
    files: str  # a regular expression for paths
    tests: str  # for names of functions that are tests by themselves; "" where only whole files can be run
    command: str


RUNNERS: Final = (
    Runner("pytest", r"(^|/)(test_[^/]*|[^/]*_test)\.py$", r"^(test|Test)", "pytest {ids}"),
    Runner("", r"\.(test|spec)\.[cm]?[jt]sx?$", "", ""),  # vitest, jest, ava, node: the project knows
    Runner("", r"(^|/)(tests?|__tests__|spec)/.*\.[cm]?[jt]sx?$", "", ""),
)


def runner_of(path: str) -> Runner | None:
    """First row whose pattern matches the path; None for files that hold no tests themselves (fixtures, helpers)."""
    return next((row for row in RUNNERS if re.search(row.files, path)), None)


def id_of_test(path: str, qualified: str) -> str:
    """pytest's id: `tests/test_a.py::TestCart::test_total`; the path alone where the test is a whole file."""
    return f"{path}::{qualified.replace('.', '::')}" if qualified else path


def suggest_tests(
    reached: Sequence[Reached],
    changed_paths: Iterable[str],
    test_paths: Iterable[str],
    words: Mapping[str, float],
    together: Mapping[str, float],
) -> tuple[SuggestedTest, ...]:
    """Reached symbols in tests, and the scores of test files by shared words and by history (path -> any scale) -> ranked tests, each once.

    A reached test function stands for itself; files found in no other way than by name, words or history stand as a whole."""
    stems = {stem(path) for path in changed_paths}
    known = sorted(set(test_paths))
    ranks = {
        "words": _ranks(words),
        "changes together": _ranks(together),
        "name": {path: 0 for path in known if stem(path) in stems},
    }
    found: dict[tuple[str, str], SuggestedTest] = {}
    in_order = sorted(reached, key=lambda one: (one.steps, one.tier, one.symbol.path, one.symbol.line))
    for place, one in enumerate(_tests_among(in_order)):
        path, qualified, line = one.symbol.path, _whole_test(one), one.symbol.line
        runner = runner_of(path)
        if runner is None or (path, qualified) in found:
            continue
        score = WEIGHTS[0][1] / (K + place + 1) + _file_score(path, ranks)
        found[path, qualified] = SuggestedTest(path, qualified, line, round(score, 6), one.steps, one.tier, one.because, runner.name)
    covered = {path for path, _ in found}
    for path in known:
        runner = runner_of(path)
        score = _file_score(path, ranks)
        if runner is None or path in covered or not score:
            continue
        because = _because(path, ranks)
        found[path, ""] = SuggestedTest(path, "", 1, round(score, 6), 0, Tier.POSSIBLE, because, runner.name)
    return tuple(sorted(found.values(), key=lambda one: (-one.score, one.path, one.line, one.qualified))[:MAX_TESTS])


def _tests_among(reached: Iterable[Reached]) -> list[Reached]:
    """Functions that a runner calls, and files whose top level is reached; not the fixtures and helpers beside them."""
    found = []
    for one in reached:
        runner = runner_of(one.symbol.path)
        if runner is None:
            continue
        names = one.symbol.qualified.split(".")
        if not runner.tests or one.symbol.kind == SymbolKind.MODULE or any(re.search(runner.tests, name) for name in names):
            found.append(one)
    return found


def _whole_test(one: Reached) -> str:
    """`TestCart.test_total.inner` -> `TestCart.test_total`; "" for the file."""
    runner = runner_of(one.symbol.path)
    if one.symbol.kind == SymbolKind.MODULE or runner is None or not runner.tests:
        return ""
    names = one.symbol.qualified.split(".")
    last = max((at for at, name in enumerate(names) if re.search(runner.tests, name)), default=-1)
    return ".".join(names[: last + 1])


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    return {path: at for at, path in enumerate(sorted(scores, key=lambda path: (-scores[path], path)))}


def _file_score(path: str, ranks: Mapping[str, Mapping[str, int]]) -> float:
    return sum(weight / (K + ranks[name][path] + 1) for name, weight in WEIGHTS[1:] if path in ranks[name])


def _because(path: str, ranks: Mapping[str, Mapping[str, int]]) -> str:
    said = {"name": "named for a changed file", "words": "shares words with the change", "changes together": "changes together with it"}
    return next((said[name] for name in ("name", "changes together", "words") if path in ranks[name]), "")
