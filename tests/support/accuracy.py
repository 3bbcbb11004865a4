"""Scores of the last runs and what others got -> docs/accuracy.md: a summary, how to read it, every table, how to measure again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.tables import table

Table = Sequence[Sequence[str]]  # the head first
Tables = Mapping[str, Table]
NONE = "–"


@dataclass(frozen=True, slots=True)
class Bench:
    name: str  # the heading in scores.md and baselines.md
    heading: str
    about: str  # what it measures
    part: str  # what PARTS is called with to measure it again
    main: str = ""  # the column that stands for it in the summary; "" where it has no row there
    asks: str = ""  # that figure in words
    row: str = "maguyva"  # of which row; "" where rows are not about who answers
    view: str = ""


BENCHES = (
    Bench("pycg", "Call graphs of small Python programs",
          "Every edge of 120 programs of a few lines, each about one feature of the language.\n"
          "The programs and their call graphs were written by the authors of PyCG.",
          "pycg", "R", "calls of 120 small programs that are found", "proved+likely"),
    Bench("suites", "Call graphs that nothing was tuned on",
          "Small programs of JavaScript and Python that others made.\n"
          "Three suites of SWARM-CG come with the call graphs of its authors, and Jelly's programs with the calls of recorded runs.\n"
          "What a run did not do is not known, so of Jelly's only what is found counts.\n"
          "Some of SWARM-CG's graphs leave out what happens, or ask for what doesn't: methods of a class are not copied by `Object.assign`.",
          "suites", row=""),
    Bench("click", "A Python package",
          "Every use of every definition of one package, from a type checker's view and from recorded runs.",
          "refs", "F1", "uses in a Python package", "proved+likely", "refs"),
    Bench("ky", "A TypeScript package", "Every use of every definition of one package, from a type checker's view.",
          "refs", "F1", "uses in a TypeScript package", "proved+likely", "refs"),
    Bench("typed", "Repositories that nothing was tuned on",
          "The same for eight repositories at a commit each, against indexes that type checkers make of them when this is run.\n"
          "A type checker follows names and declared types only.\n"
          "So a right call of what a variable, a member or a test's fixture holds counts as wrong here, and `proved` is the row to compare.\n"
          "What a file gets by `import *` is put right where scip-python takes one name for another; its other faults count against us.",
          "typed", row=""),
    Bench("A-callers", "Callers in recorded runs",
          "For each function, the functions that called it while the test suites ran, best first.",
          "A", "R@10", "callers that were seen running, among the first ten"),
    Bench("A-tests", "Tests that run a function", "For each function, the tests that ran it, best first.",
          "A", "R@10%", "tests that run a function, when a tenth of the suite is run"),
    Bench("A-mutants", "Tests that notice a fault", "For each fault put into a function, the tests that failed, best first.",
          "A", "hit@10", "faults that one of the first ten tests notices"),
    Bench("runs", "Tiers in recorded runs",
          "Of the calls between two functions that both ran while a test suite did, the share that was seen, by how sure we are of them.\n"
          "A right call in a branch that no test takes counts as wrong: these are lower bounds.",
          "tiers", row=""),
    Bench("evidence", "Tiers by what they rest on", "The same calls, of all four repositories, by the step of their evidence that carries the doubt.",
          "tiers", row=""),
    Bench("breaks", "Calls that a change breaks",
          "Functions of real repositories are removed, renamed, or get and lose parameters, one at a time.\n"
          "A type checker says which places fail, and the report which ones will break.\n"
          "What fails only because the checker lost sight of a type elsewhere is no use of what changed, and does not count as failing.",
          "breaks", "right", "places said to break that fail", "click"),
    Bench("silence", "Commits that change no behaviour",
          "Commits of real repositories that only move, format or comment code: of how many does the report say so?\n"
          "The commits are in tests/quality/refactorings.md.",
          "silence", "silent", "commits without a change of behaviour that no word is said about", "all"),
    Bench("B-all", "Files changed together", "For each commit, all other files that its author changed.", "B", "R@10",
          "other files of a commit, among the first ten"),
    Bench("B-src", "Source files changed together", "For each commit, the other source files that its author changed.", "B"),
    Bench("B-test", "Test files changed together", "For each commit, the test files that its author changed.", "B"),
    Bench("questions", "Questions",
          "Questions to real repositories, in English and French: how many come back empty, and how often a right place is first, or among "
          "the first three.\nThe questions are in tests/quality/questions.md.",
          "questions", "first 3", "questions whose answer is among the first three", "all"),
    Bench("C", "Files of an issue", "For each issue or title of a commit, the files that were changed for it.", "C", "R@5",
          "files of an issue, among the first five"),
    Bench("C-nomention", "Files of an issue that names none of them",
          "The same, of those that name neither a changed file nor a changed definition.", "C"),
    Bench("docstrings", "Functions by what their comment says",
          "The first sentence of a function's comment, cut out, is the question; the function is the answer.\n"
          "Eleven repositories that the [embedded model](model.md) has learned nothing from.\n"
          "The gap are questions that share no word with the function's name.",
          "docstrings", "MRR@10", "functions by the first sentence of their comment", "words and model fused, 1 : 1"),
    Bench("D", "Places of a bug report",
          "For each report, the files that were changed for it: all of them among the first so many.\n"
          "The weights were set on 31 of the 48 reports, where Acc@5 is 0.774; on the 17 held out, of pytest and Sphinx, it is 0.941.",
          "D", "Acc@5", "bug reports whose files are all among the first five"),
)  # fmt: skip

# Columns of all tables -> what they mean. First row that matches the whole name.
COLUMNS = (
    (r"P", "precision: the share of what is said that is right"),
    (r"R", "recall: the share of what is right that is said"),
    (r"F1", "both in one figure, their harmonic mean"),
    (r"(refs|uses|calls) (P|R|F1)", "precision, recall and both in one, of the uses that the view takes in"),
    (r"wrong", "how many are said and are not right"),
    (r"missing", "how many are right and are not said"),
    (r"complete", "programs of which nothing wrong is said"),
    (r"sound", "programs of which nothing is missing"),
    (r"exact", "programs that are complete and sound"),
    (r"calls", "how many calls were recorded"),
    (r"edges|hits", "how many uses of that tier could be checked"),
    (r"proved|likely|possible", "of the calls of that tier that could be judged, the share that was seen, and of how many"),
    (r"R@\d+", "recall among the first so many"),
    (r"R@10%", "the share of the right tests that has run when a tenth of the suite has run, in this order"),
    (r"P@\d+", "precision of the first so many"),
    (r"P@10max", "the best that P@10 can be: a function may have fewer than ten tests"),
    (r"Rprec", "precision of the first so many as there are right ones"),
    (r"MAP", "mean average precision: precision at the place of each right one, averaged"),
    (r"MRR(@\d+)?", "one divided by the place of the first right one, averaged (where it is among the first so many)"),
    (r"gap MRR@10", "MRR@10 of the questions that share no word with the function's name"),
    (r"Plow", "a lower bound of precision: of the callers said that the tests ran at all, those that were seen calling"),
    (r"Rexplicit", "recall among the first 50 of callers with a call in their code"),
    (r"Rimplicit", "recall among the first 50 of callers without one: properties, operators, `with`, callbacks"),
    (r"xfileR@5", "recall among the first five files, the function's own left out"),
    (r"hit@\d+", "the share of questions with a right one among the first so many"),
    (r"all@5", "the share of questions with all right ones among the first five"),
    (r"Acc@\d+", "the share of reports with all their files among the first so many"),
    (r"questions", "how many were asked"),
    (r"checked", "how many of them have a known place as their answer"),
    (r"empty", "the share that came back without a result"),
    (r"first", "the share whose first result is a right one"),
    (r"first 3", "the share with a right one among the first three"),
    (r"breaks", "how many changes were made"),
    (r"failing", "places that the type checker says fail after them"),
    (r"found", "the share of these that the report judges"),
    (r"broken", "the share of these that it says will break"),
    (r"listed", "how many places the report says will break"),
    (r"right", "the share of these that fail"),
    (r"commits", "how many commits were looked at"),
    (r"silent", "the share of which the report says that there is nothing to say"),
)
VIEWS = (
    ("refs", "every line that refers to the definition, imports too"),
    ("uses", "the same without imports"),
    ("calls", "lines that call it or decorate with it"),
    ("callers", "the functions that hold these calls"),
    ("runtime", "the functions that called it while the repository's own tests ran: recall only, and no type checker has a say in it"),
)
NEEDS = (
    # PARTS, what it needs
    ("pycg,suites,refs,tiers,A,B,C,D", "BENCH and MIRROR; B and C take about an hour, and `--mini` a sixth of it"),
    ("typed", "BENCH and MIRROR, and `npm install @sourcegraph/scip-typescript @sourcegraph/scip-python` in build/indexers"),
    ("questions,silence,docstrings", "MIRROR"),
    ("breaks", "MIRROR, and `npm install pyright typescript` in build/checkers"),
)

SPEEDS = (
    (
        "an index from nothing and one after ten files changed, beside bare parsing; its size and memory; every kind of question, beside ripgrep",
        "make bench TREE=path",
    ),
    ("the Action's step with an index in the cache, and without one", "make bench-action TREE=path"),
    (
        "answers to fifty deliveries a second while that clone is indexed from nothing",
        "PYTHONPATH=.:tests python -m tests.speed.app webhook path",
    ),
    ("from a push to the new comment", "PYTHONPATH=.:tests python -m tests.speed.app push path"),
    ("memory of a service with 200 repositories that has nothing to do", "PYTHONPATH=.:tests python -m tests.speed.app idle"),
    (
        "500 deliveries to a receiver and two workers that are killed twenty times: what was lost, said twice, or said differently",
        "make kills",
    ),
)

INTRO = """\
What the answers are worth, measured against recorded runs, injected faults and real history, with what others got on the same questions beside it.
Wherever it can be had, the truth is one that nobody of this project wrote: a type checker's index, what ran while test suites ran, what failed, what people changed.
These figures are the last ones measured, kept in tests/quality/scores.md; a commit that moves one says why that is better.
"""
TIERS = """\
## What a tier promises

*Proved*: resolved by scope, import, inheritance or a declared type.
*Likely*: the type of the receiver was inferred, or there is one override only of a method that does nothing itself.
*Possible*: one of several candidates, another override, or the name alone.
The promise is a precision of 0.99, 0.90 and 0.50.
Only what is proved may be said to *break*.
How often a use of each tier was right, of those that could be checked:
"""
TIERS_SAID = """\
The truth of `click` and `ky` is a type checker's: a use that runs, and that the type checker can't see, counts as wrong there.
The rows `runs of` are [recorded runs](#tiers-in-recorded-runs), and lower bounds.
"""
READING = """\
## How to read the tables

Figures are shares between 0 and 1 unless the column counts something; more is better but for `wrong`, `missing` and `empty`.
Where a bench has several repositories, each counts as much as any other.
Differences of less than 0.02 to 0.03, and of less than 0.05 for faults and bug reports, mean nothing: so much comes from the choice of questions.

Rows called `proved`, `proved+likely` and `all` say which tiers are counted; `without possible` leaves out the last.
Rows called `oracle` use the truth and are there to compare with; `wrrf` is a weighted fusion of other rows.
Names and versions of the other tools, and where their figures come from, are in tests/quality/baselines.md.
"""
AGAIN = """\
## Measuring again

```sh
make bench-quality BENCH=path/to/the/bench MIRROR=path/to/clones PARTS=questions,silence
```

MIRROR is a folder of bare clones, each at `owner+name/repo`; BENCH is the folder of recorded truths, with `graph/` and `impact/` in it.
The bench itself is not part of this repository: it is there to judge what is built, by others than those who build.
`python -m tests.quality --help` tells the rest, such as `--write-scores`, which keeps the figures, and `--details FOLDER`, which lists every wrong and missing use.
"""
SPEED = """\
## How fast it is

Seconds hang on the machine, so they are measured on yours; `path` is a clone, for example Django's.
"""


def accuracy_blocks(quality: Path) -> list[str]:
    """The folder with scores.md and baselines.md -> the blocks of the page. Raises KeyError for a column that nobody explained."""
    ours, others = (sections((quality / name).read_text("utf-8")) for name in ("scores.md", "baselines.md"))
    shown = [(bench, *_shown(bench, ours, others)) for bench in BENCHES if bench.name in ours or bench.name in others]
    columns = list(dict.fromkeys(column for _, head, _ in shown for column in head if column not in ("who", "view")))
    blocks = [INTRO, "## In short\n", table(["what", "figure", "Maguyva", "best of the others"], summary(ours, others))]
    blocks += [TIERS, table(["bench", "proved", "likely", "possible"], tiers(ours)), TIERS_SAID]
    blocks.append(READING)
    blocks += [table(["column", "meaning"], meanings(columns)), table(["view", "what counts as a use"], VIEWS)]
    for bench, head, rows in shown:
        blocks.append(f"## {bench.heading}\n\n{bench.about}\n`PARTS={bench.part}` measures it.\n")
        if bench.name not in ours:
            blocks.append("Not measured for this version yet; what others got:\n")
        blocks.append(table(head, rows))
    needs = table(["PARTS", "needs"], [(f"`{parts}`", needs) for parts, needs in NEEDS])
    return [*blocks, AGAIN, needs, SPEED, table(["what", "command"], [(what, f"`{command}`") for what, command in SPEEDS])]


def sections(text: str) -> dict[str, list[list[str]]]:
    """Markdown with one table under each `## heading` -> heading -> rows of cells, the head first."""
    found: dict[str, list[list[str]]] = {}
    for heading, body in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in body.splitlines() if line.startswith("|")]
        found[heading.strip()] = [row for row in rows if not all(set(cell) <= {"-", ":"} for cell in row)]
    return found


def meanings(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Columns -> those of one meaning together, and what they mean. Raises KeyError."""
    found: dict[str, list[str]] = {}
    for column in columns:
        meaning = next((meaning for pattern, meaning in COLUMNS if re.fullmatch(pattern, column)), None)
        if meaning is None:
            raise KeyError(f"the column {column} has no meaning in support.accuracy.COLUMNS")
        found.setdefault(meaning, []).append(f"`{column}`")
    return [(" ".join(names), meaning) for meaning, names in found.items()]


def _shown(bench: Bench, ours: Tables, others: Tables) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a bench's table: ours before others', by view where it has views, without columns that are empty."""
    mine, theirs = ours.get(bench.name, []), others.get(bench.name, [])
    columns = [column for column in (mine or theirs)[0] if not column.startswith("R:")]
    rows = [[_called(row[0]) if bench.row else row[0], *row[1:]] for row in picked(mine, columns)] + picked(theirs, columns)
    if "view" in columns:
        at, order = columns.index("view"), [view for view, _ in VIEWS]
        rows.sort(key=lambda row: order.index(row[at]))
    kept = [at for at, column in enumerate(columns) if column == "who" or any(row[at] != NONE for row in rows)]
    return [columns[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _called(who: str) -> str:
    return "maguyva, " + who.replace("maguyva-sure", "without possible").replace("maguyva", "all")


def picked(rows: Table, columns: Sequence[str]) -> list[list[str]]:
    """Rows with their own head -> the same under other columns; what a row does not have is a dash."""
    if not rows:
        return []
    at = {column: place for place, column in enumerate(rows[0])}
    return [[row[at[column]] if column in at else NONE for column in columns] for row in rows[1:] if not row[0].startswith("only ")]


def summary(ours: Tables, others: Tables) -> Iterator[tuple[str, str, str, str]]:
    """One row a bench: its main figure, ours and the best of the others that do not know the truth."""
    for bench in BENCHES:
        if not bench.main or not (bench.name in ours or bench.name in others):
            continue
        mine = dict(_figures(bench, ours.get(bench.name, [])))
        theirs = [(figure, who) for who, figure in _figures(bench, others.get(bench.name, [])) if not who.startswith("oracle")]
        figure, who = max(theirs, default=(NONE, ""))
        yield bench.asks, bench.main, mine.get(bench.row, "not measured yet"), f"{figure} ({who})" if who else NONE


def _figures(bench: Bench, rows: Table) -> Iterator[tuple[str, str]]:
    """(who, the main figure) of the rows that have it."""
    head = rows[0] if rows else []
    if bench.main in head:
        at, view = head.index(bench.main), head.index("view") if bench.view else -1
        yield from ((row[0], row[at]) for row in rows[1:] if row[at] != NONE and (view < 0 or row[view] == bench.view))


def tiers(ours: Tables) -> list[list[str]]:
    found = []
    for bench, rows in ours.items():
        head = rows[0] if rows else []
        place = {column: head.index(column) for column in ("P", "edges", "hits") if column in head}
        if "P" not in place or len(place) < 2:
            continue
        many = place.get("edges", place.get("hits", 0))
        of = {row[0].removeprefix("only "): (row[place["P"]], row[many]) for row in rows[1:] if row[0].startswith("only ")}
        if of:
            said = {tier: f"{share} of {count}" if count not in ("0", NONE) else "none" for tier, (share, count) in of.items()}
            found.append([bench, *(said.get(tier, NONE) for tier in ("proved", "likely", "possible"))])
    return found + [[f"runs of {row[0]}", *row[1:]] for row in ours.get("runs", [])[1:]]
