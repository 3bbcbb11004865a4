"""What a change reaches, the words of what changed, and names of files -> the tests worth running first.

Points of view add up (`WEIGHTS`): how near the graph reaches the test, and BM25 of its own text with three bags of words, each relative to
the best test. Fitted on recorded runs of four test suites (2,547 tests, 480 changed functions); fitted on three and tried on the fourth,
the mean average precision of the tests that run a function is 0.682, and a tenth of the suite holds 0.837 of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.distinct import first_places, grouped, one_of
from index.impact.nouns import Part, SuggestedTest
from index.impact.reach import Wave, hop_of
from index.impact.related_files import stem
from index.impact.runners import Runners
from index.impact.shared_words import K1, MAX_TERMS, MOST_OF_A_WORD, B, FileWords
from index.impact.subtokens import subtokens, subtokens_of_path
from index.snapshot import Snapshot
from index.types import EDGE_LABELS, PathKind, SymbolKind, Tier

#   point of view     weight times 0 to 1                                                              mean average precision without it
WEIGHTS: Final = {
    "graph": 8.0,  # 1 / (FAR + steps + half a step for each tier less sure)                                    0.556
    "words": 0.8,  # BM25 of the test with names and text of what changed                                       0.674
    "name": 0.5,  # BM25 of the test with the names alone                                                       0.659
    "callers": 0.3,  # BM25 of the test with the names of code that reaches it: tests call what is public       0.682, and a first
    #                  failing test is among the first ten in 0.928 of the mutants instead of 0.956
    "named": 0.3,  # the test's file is named for a changed one                                                 0.671
    "edited": 4.0,  # the change wrote this test: more than all others together
}
FAR: Final = 3.0
LESS_SURE: Final = 0.5
CALLERS: Final = 60  # of the code nearest to the change, at most two steps away
WRITTEN_HERE: Final = "changed here"
SHARES_WORDS: Final = "shares words with the change"
IN_NAME: Final = 2  # a word of the test's file name counts as so many occurrences
MAX_TEST_STEPS: Final = 10
_RUN_BEFORE: Final = """
    setUp setUpClass setUpModule asyncSetUp setUpTestData tearDown tearDownClass tearDownModule asyncTearDown
    setup_method setup_class setup_module setup_function teardown_method teardown_class teardown_module teardown_function setup teardown
"""
SET_UP: Final = frozenset(_RUN_BEFORE.split())
MAX_TESTS: Final = 200


@dataclass(frozen=True, slots=True)
class Runner:
    """A kind of test file."""

    name: str  # what `index.impact.runners.Runners.of` tells the program by
    endings: tuple[str, ...]  # of paths; the others need not be compared with
    files: str  # a regular expression for paths
    tests: str = ""  # for names of functions that are tests by themselves; "" where only whole files can be run


# folders and files that stand beside tests and hold none
_NO_TESTS_IN: Final = (
    r"(/(__)?(fixtures|mocks|snapshots|helpers|scripts|support|utils?)(__)?/|/_[^/]*$|/(global)?setup|\.config\.|\.snap\.)"
)
_SCRIPTS: Final = (".js", ".ts", ".jsx", ".tsx", ".cjs", ".mjs", ".cts", ".mts", ".cjsx", ".mjsx", ".ctsx", ".mtsx")
RUNNERS: Final = (
    Runner("python", (".py",), r"(^|/)(test_[^/]*|[^/]*_test|tests)\.py$", r"^(test|Test)"),
    Runner("script", _SCRIPTS, r"(^|[./])(tests?|spec)\.[cm]?[jt]sx?$"),
    Runner("script", _SCRIPTS, rf"^(?!.*{_NO_TESTS_IN})(.*/)?(tests?|__tests__|spec)/.*\.[cm]?[jt]sx?$"),
    Runner("go", (".go",), r"_test\.go$"),
    Runner("ruby", (".rb",), r"_spec\.rb$"),
    Runner("php", (".php",), r"Test\.php$"),
    Runner("java", (".java", ".kt"), r"(^|/)(Test[A-Z]\w*|\w+(Test|Tests|IT))\.(java|kt)$"),
)


def runner_of(path: str) -> Runner | None:
    """First row whose pattern matches the path; None for files that hold no tests themselves (fixtures, helpers)."""
    return next((row for row, pattern in _runner_patterns() if path.endswith(row.endings) and pattern.search(path)), None)


@cache
def _runner_patterns() -> tuple[tuple[Runner, re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.files)) for row in RUNNERS)


@dataclass(frozen=True)
class Tests:
    """Every test of a snapshot, by file and place: one function, or a whole file where functions can't be run alone. Arrays over them."""

    files: NDArray[np.int64]
    symbols: NDArray[np.int64]  # the function, or the file's MODULE symbol
    runners: tuple[Runner, ...]

    def __len__(self) -> int:
        return len(self.files)


def tests_in(head: Snapshot) -> Tests:
    """The tests of a commit, in order of file and place. A function within a test belongs to it."""
    columns = head.parts["symbols"]
    files = np.flatnonzero(head.parts["files"]["kind"] == PathKind.TEST)
    runners = {file: runner for file in files.tolist() if (runner := runner_of(head.path(file))) is not None}
    first_row = np.searchsorted(columns["file"], np.asarray(list(runners), columns["file"].dtype))
    whole = [int(row) for row, runner in zip(first_row, runners.values(), strict=True) if not runner.tests]
    by_function = np.zeros(len(head.paths), np.bool_)
    by_function[[file for file, runner in runners.items() if runner.tests]] = True
    rows = np.flatnonzero(one_of(columns["kind"], (SymbolKind.FUNCTION, SymbolKind.METHOD)) & by_function[columns["file"]])
    names, at = grouped(columns["name"][rows])
    patterns = [re.compile(row.tests) for row in RUNNERS if row.tests]
    fits = np.array([any(pattern.search(head.names[name]) for pattern in patterns) for name in names.tolist()], np.bool_)
    rows = rows[fits[at]] if len(rows) else rows
    starts, ends = _keys(head, rows)
    until = np.maximum.accumulate(ends)
    rows = rows[np.r_[True, starts[1:] >= until[:-1]]] if len(rows) else rows
    symbols = np.sort(np.concatenate([rows, np.asarray(whole, np.int64)]))
    owners = columns["file"][symbols].astype(np.int64)
    return Tests(owners, symbols, tuple(runners[file] for file in owners.tolist()))


def _keys(head: Snapshot, symbols: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where symbols begin and end, as one rising number over all files."""
    columns = head.parts["symbols"]
    base = columns["file"][symbols].astype(np.int64) << 32
    return base + columns["start_byte"][symbols], base + columns["end_byte"][symbols]


def suggest_tests(
    head: Snapshot,
    reached: Wave,
    changed_paths: Iterable[str],
    words: Sequence[str],
    words_of_files: FileWords | None,
    edited: Set[int] = frozenset(),
    naming_files: Set[str] = frozenset(),
    names: Sequence[str] = (),
    runners: Runners | None = None,
) -> tuple[SuggestedTest, ...]:
    """`reached`: a walk of up to `MAX_TEST_STEPS` from everything that changed. `words`: names and text of what changed, `names`: the names
    alone. `edited`: symbols in tests that the change itself wrote, which come first. `naming_files`: those that hold the name of something
    changed. -> at most `MAX_TESTS`, best first; ties by place. `steps` is 0 for a test that the graph does not reach."""
    tests = tests_in(head)
    if not len(tests):
        return ()
    steps, tiers, edges = _nearest(head, tests, reached)
    texts = _Texts(head, tests, words_of_files) if words_of_files is not None else None

    def by_words(some: Sequence[str]) -> NDArray[np.float64]:
        return np.zeros(len(tests)) if texts is None else _by_words(texts, some)

    shared = by_words(words)
    stems = {stem(path) for path in changed_paths}
    files, of_test = grouped(tests.files)
    named = np.array([_is_named_for(head.path(file), stems) for file in files.tolist()], np.bool_)[of_test]
    naming = np.array([head.path(file) in naming_files for file in files.tolist()], np.bool_)[of_test]
    written = one_of(tests.symbols, np.asarray(sorted(edited), np.int64))
    measured = {
        "graph": np.where(steps > 0, 1 / (FAR + steps + LESS_SURE * tiers), 0.0),
        "words": shared,
        "name": by_words(names),
        "callers": by_words(_names_of_callers(head, reached)),
        "named": named.astype(np.float64),
        "edited": written.astype(np.float64),
    }
    score = sum((WEIGHTS[view] * values for view, values in measured.items()), np.zeros(len(tests)))
    order = np.lexsort((np.arange(len(tests)), -score))
    chosen = [at for at in order[:MAX_TESTS].tolist() if score[at] > 0]
    found = [_suggestion(head, tests, at, score, steps, tiers, edges, shared, named, written, naming) for at in chosen]
    known = runners or Runners(lambda path: None)
    return tuple(
        replace(one, parts=_parts_of(measured, at), runner=known.of(tests.runners[at].name, one.path))
        for one, at in zip(found, chosen, strict=True)
    )


def _parts_of(measured: Mapping[str, NDArray[np.float64]], at: int) -> tuple[Part, ...]:
    return tuple(Part(view, round(WEIGHTS[view] * float(values[at]), 6)) for view, values in measured.items() if values[at])


def _names_of_callers(head: Snapshot, reached: Wave) -> list[str]:
    """The names of the code that reaches the change in at most two steps, nearest first."""
    columns = head.parts["symbols"]
    near = reached.symbols[reached.steps <= 2]
    is_test = head.parts["files"]["kind"][columns["file"][near]] == PathKind.TEST
    code = near[~is_test & ~one_of(columns["kind"][near], (SymbolKind.MODULE, SymbolKind.LAMBDA))]
    return [head.qualified(row) for row in code[:CALLERS].tolist()]


def _suggestion(
    head: Snapshot,
    tests: Tests,
    at: int,
    score: NDArray[np.float64],
    steps: NDArray[np.int64],
    tiers: NDArray[np.int64],
    edges: NDArray[np.int64],
    shared: NDArray[np.float64],
    named: NDArray[np.bool_],
    written: NDArray[np.bool_],
    naming: NDArray[np.bool_],
) -> SuggestedTest:
    symbol = head.symbol(int(tests.symbols[at]))
    if written[at]:
        because = WRITTEN_HERE
    elif edges[at] >= 0:
        hop = hop_of(head, int(edges[at]))
        because = f"{EDGE_LABELS[hop.kind]} `{hop.target}` on line {hop.line}"
    else:
        because = (
            "uses what changed"
            if steps[at]
            else "named for a changed file"
            if named[at]
            else "names what changed"
            if naming[at]
            else SHARES_WORDS
            if shared[at]
            else ""
        )
    whole = symbol.kind == SymbolKind.MODULE
    return SuggestedTest(
        path=symbol.path,
        qualified="" if whole else symbol.qualified,
        line=symbol.line,
        score=round(float(score[at]), 6),
        steps=int(steps[at]),
        tier=Tier(int(tiers[at])),
        because=because,
    )


def _nearest(head: Snapshot, tests: Tests, reached: Wave) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each test: steps (0: not reached), tier, and the edge that leaves the test; the nearest of the symbols within it."""
    steps, tiers, edges = np.zeros(len(tests), np.int64), np.full(len(tests), int(Tier.POSSIBLE)), np.full(len(tests), -1, np.int64)
    starts, ends = _keys(head, tests.symbols)
    place, _ = _keys(head, reached.symbols)
    unit = np.searchsorted(starts, place, "right") - 1
    inside = np.flatnonzero((unit >= 0) & (place < ends[np.maximum(unit, 0)]))
    round_it, of_unit = _run_before(head, reached, starts)
    row = np.concatenate([inside, round_it])
    unit = np.concatenate([unit[inside], of_unit])
    further = reached.steps[row] + np.r_[np.zeros(len(inside), np.int64), np.ones(len(round_it), np.int64)]
    order = np.lexsort((reached.edges[row], reached.tiers[row], further, unit))
    units, first = first_places(unit[order])
    best = order[first]
    steps[units], tiers[units], edges[units] = further[best], reached.tiers[row[best]], reached.edges[row[best]]
    return steps, tiers, edges


def _run_before(head: Snapshot, reached: Wave, starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What runs before a test without being called by it: the top of its file, the body of its class, `setUp` and its like.
    -> rows of `reached` and tests, one pair for each."""
    columns = head.parts["symbols"]
    symbols = reached.symbols
    holder = symbols.copy()
    set_up = one_of(columns["name"][symbols], [row for name in SET_UP if (row := head.name_row(name)) is not None])
    holder[set_up] = columns["parent"][symbols[set_up]]
    runs = set_up | one_of(columns["kind"][symbols], (SymbolKind.MODULE, SymbolKind.CLASS))
    runs &= (head.parts["files"]["kind"][columns["file"][symbols]] == PathKind.TEST) & (holder >= 0)
    rows = np.flatnonzero(runs)
    begin, end = _keys(head, holder[rows])
    first, last = np.searchsorted(starts, begin, "left"), np.searchsorted(starts, end, "left")
    count = np.maximum(last - first, 0)
    at = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]) if len(count) else first, count) + np.arange(int(count.sum()))
    return np.repeat(rows, count), at.astype(np.int64)


class _Texts:
    """The texts of all tests, for several questions: where each lies, and which words it holds. Tests lie one after the other and do not
    overlap."""

    def __init__(self, head: Snapshot, tests: Tests, files: FileWords) -> None:
        columns = head.parts["symbols"]
        self._words = files
        self.starts = files.addresses(tests.files, columns["start_byte"][tests.symbols])
        self.ends = files.addresses(tests.files, columns["end_byte"][tests.symbols])
        sizes = (self.ends - self.starts).astype(np.float64)
        self.norm = K1 * (1 - B + B * sizes / max(float(sizes.mean()), 1.0))
        rows, self._file_of = grouped(tests.files)
        self._named: dict[str, list[int]] = {}  # subtoken -> the files in whose names it stands, as rows of `rows`
        for at, file in enumerate(rows.tolist()):
            for part in subtokens_of_path(head.path(file).rpartition("/")[2]):
                self._named.setdefault(part, []).append(at)
        self._has = np.zeros(len(rows), bool)
        self._holding: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def __len__(self) -> int:
        return len(self.starts)

    def read_ahead(self, parts: Iterable[str]) -> None:
        self._words.read_ahead(part for part in parts if part not in self._holding)

    def holding(self, part: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The tests that hold a subtoken, and how often."""
        found = self._holding.get(part)
        if found is None:
            places = self._words.places_of_part(part)
            at = np.searchsorted(self.starts, places, "right") - 1
            inside = (at >= 0) & (places < self.ends[np.maximum(at, 0)])
            counts = np.bincount(at[inside], minlength=len(self.starts))
            units = np.flatnonzero(counts)
            found = self._holding[part] = (units, counts[units])
        return found

    def named(self, part: str, units: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether it stands in the names of these tests' files."""
        self._has[:] = False
        self._has[self._named.get(part, [])] = True
        found: NDArray[np.bool_] = self._has[self._file_of[units]]
        return found


def _by_words(texts: _Texts, words: Sequence[str]) -> NDArray[np.float64]:
    """BM25 of each test's own text, 1 for the best."""
    scores = np.zeros(len(texts))
    wanted = Counter(part for text in words for part in subtokens(text))
    texts.read_ahead(wanted)
    counted = sorted(((len(texts.holding(part)[0]), part) for part in wanted), key=lambda one: (one[0], one[1]))
    for total, part in [one for one in counted if one[0]][:MAX_TERMS]:
        units, counts = texts.holding(part)
        frequency = counts + IN_NAME * texts.named(part, units)
        weight = math.log(1 + (len(texts) - total + 0.5) / (total + 0.5))
        scores[units] += min(wanted[part], MOST_OF_A_WORD) * weight * frequency * (K1 + 1) / (frequency + texts.norm[units])
    best = float(scores.max())
    return scores / best if best > 0 else scores


def _is_named_for(path: str, stems: Iterable[str]) -> bool:
    own = stem(path)
    return any(own == one or (len(one) >= 4 and one in own) for one in stems)
