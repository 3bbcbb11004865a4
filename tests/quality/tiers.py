"""Recorded runs of test suites -> how often a call of each tier, and of each kind of evidence, was seen while they ran.

Only calls between two functions that both ran can be judged; and as a branch that no test takes makes a right call look wrong, every
figure is a lower bound. Where a type checker's index of the same commit is at hand, what it knows is right too.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality.scorers import graph_scorer, impact_scorer
from quality.tables import Figure, Row
from quality.trees import clone_of, files_of_commit

from index.build import build
from index.content import file_bytes
from index.snapshot import Snapshot, steps_of
from index.types import EdgeKind, PathKind, Step, SymbolKind, Tier

RUNS = frozenset({EdgeKind.CALL, EdgeKind.DECORATE, EdgeKind.ACCESS})
FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
REPOSITORIES = ("click", "httpx", "jinja", "more-itertools")

# The step of a chain that carries the doubt: the first of these that it holds.
EVIDENCE: Mapping[Step, str] = {
    Step.DISPATCH: "an override",
    Step.ARGUMENT: "what callers pass",
    Step.ELEMENT: "an element",
    Step.IMPLICIT: "the language or a framework",
    Step.RETURN: "what a function returns",
    Step.ASSIGN: "an assignment",
    Step.SUPER: "super",
    Step.SELF: "self",
    Step.DECLARED: "a declared type",
    Step.CONSTRUCT: "an instance made there",
    Step.IMPORT: "a name",
    Step.REEXPORT: "a name",
    Step.STAR: "a name",
    Step.SCOPE: "a name",
}
BY_NAME = "the name alone"
ALL = "all four"


@dataclass(frozen=True, slots=True)
class Call:
    """One of our calls between two functions of the recording: rows of its functions, and where we say so."""

    caller: int
    callee: int
    tier: Tier
    evidence: str
    place: str
    line: int
    file: str
    fixture: bool


def scores(bench: Path, mirror: Path, *, repositories: Sequence[str] = (), details: Path | None = None) -> list[Row]:
    """The bench folder and the folder of clones -> rows per repository and tier, over all of them, and by evidence. `details` is a
    folder that receives every judged call."""
    truth = impact_scorer(bench, "ib_truth")
    found: dict[tuple[str, Tier, str], list[int]] = defaultdict(lambda: [0, 0])
    for name in repositories or REPOSITORIES:
        run = truth.Dyn(str(bench / "impact" / "open" / "A" / f"{name}.json.gz"))
        snapshot = build(files_of_commit(clone_of(mirror, run.repo), run.commit))
        known = _known_to_types(bench, name, run.commit)
        lines = []
        for call in _calls(snapshot, run):
            right = _is_right(call, run, known)
            count = found[name, call.tier, call.evidence]
            count[0] += right
            count[1] += 1
            path, qualified, line, _ = run.funcs[call.callee]
            said = "right" if right else "wrong"
            lines.append(f"{said}\t{call.tier.label}\t{call.evidence}\t{call.place} -> {path}:{line} {qualified}")
        if details is not None:
            details.mkdir(parents=True, exist_ok=True)
            (details / f"tiers-{name}.txt").write_text("\n".join(sorted(lines)) + "\n")
    return [*_by_repository(found), *_by_evidence(found)]


Counts = Mapping[tuple[str, Tier, str], list[int]]


def _by_repository(found: Counts) -> list[Row]:
    names = [*dict.fromkeys(name for name, _, _ in found), ALL]
    return [Row("runs", name, _shares((tier, count) for (one, tier, _), count in found.items() if name in (one, ALL))) for name in names]


def _by_evidence(found: Counts) -> list[Row]:
    kinds = [*dict.fromkeys(EVIDENCE.values()), BY_NAME]
    return [Row("evidence", kind, _shares((tier, count) for (_, tier, one), count in found.items() if one == kind)) for kind in kinds]


def _shares(counts: Iterable[tuple[Tier, list[int]]]) -> dict[str, Figure]:
    """Of each tier, the share that was seen and of how many: "0.973 of 2147"."""
    seen, judged = dict.fromkeys(Tier, 0), dict.fromkeys(Tier, 0)
    for tier, count in counts:
        seen[tier] += count[0]
        judged[tier] += count[1]
    return {tier.label: f"{seen[tier] / judged[tier]:.3f} of {judged[tier]}" if judged[tier] else "none" for tier in Tier}


def _is_right(call: Call, run: Any, known: set[tuple[str, int, str, int]]) -> bool:
    if call.fixture:  # the framework calls it, for the test that asks
        return any(run.test_of[test] == call.caller for test in run.cover.get(call.callee, ()))
    if call.caller in run.callers[call.callee]:
        return True
    path, _, line, _ = run.funcs[call.callee]
    return any((call.file, call.line, path, at) in known for at in range(line, line + 4))  # a decorated function starts higher up


def _calls(snapshot: Snapshot, run: Any) -> list[Call]:
    """Our calls between functions that both ran; of several between the same two the surest counts."""
    run.test_of = run.d["test_functions"]
    columns, kinds, parents = snapshot.parts["edges"], snapshot.parts["symbols"]["kind"], snapshot.parts["symbols"]["parent"]
    row_of: dict[int, int] = {}

    def recorded(symbol: int) -> int:
        if symbol not in row_of:
            row_of[symbol] = _recorded(snapshot, symbol, run) if kinds[symbol] in FUNCTIONS else -1
        return row_of[symbol]

    best: dict[tuple[int, int], Call] = {}
    fixtures = _fixtures(snapshot)
    overrides = np.zeros(snapshot.symbol_count, bool)
    overrides[columns["source"][np.isin(columns["kind"], (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT))]] = True
    for edge in range(len(columns["source"])):
        if int(columns["kind"][edge]) not in RUNS:
            continue
        source, target = int(columns["source"][edge]), int(columns["target"][edge])
        kind = EdgeKind(int(columns["kind"][edge]))
        if kind is EdgeKind.DECORATE:  # what is round a definition runs its decorators
            source = max(int(parents[source]), 0)
        caller, callee = recorded(source), recorded(target)
        if caller < 0 or callee < 0 or caller == callee or not {caller, callee} <= run.executed:
            continue
        chain, tier, line = steps_of(int(columns["chain"][edge])), Tier(int(columns["tier"][edge])), int(columns["line"][edge])
        file = snapshot.path(int(snapshot.parts["symbols"]["file"][source]))
        fixture = Step.IMPLICIT in chain and kind is EdgeKind.CALL and target in fixtures
        if fixture and callee not in run.cover:
            continue
        if not overrides[target]:  # a chain that ends with DISPATCH leads to an override, or to the base that stands for many
            chain = tuple(step for step in chain if step is not Step.DISPATCH)
        place = f"{file}:{line} {snapshot.qualified(source)}"
        call = Call(caller, callee, tier, evidence_of(chain), place, line, file, fixture)
        if (caller, callee) not in best or call.tier < best[caller, callee].tier:
            best[caller, callee] = call
    return [best[pair] for pair in sorted(best)]


def _fixtures(snapshot: Snapshot) -> frozenset[int]:
    """Functions whose decorator is written with `fixture` in it; read off the files, as no edge leads to pytest."""
    found = set()
    for file, path in enumerate(snapshot.paths):
        if snapshot.path_kind(file) is PathKind.TEST and path.endswith(".py"):
            lines = (file_bytes(snapshot, file) or b"").decode("utf-8", "replace").split("\n")
            for row in snapshot.symbols_in(file):
                symbol = snapshot.symbol(row)
                if any("fixture" in line for line in lines[symbol.start_line - 1 : symbol.line - 1]):
                    found.add(row)
    return frozenset(found)


def evidence_of(chain: tuple[Step, ...]) -> str:
    return next((said for step, said in EVIDENCE.items() if step in chain), BY_NAME)


def _recorded(snapshot: Snapshot, symbol: int, run: Any) -> int:
    one = snapshot.symbol(symbol)
    found = run.resolve({"path": one.path, "name": one.qualified, "line": one.line})
    return found[0] if len(found) == 1 and run.funcs[found[0]][1].replace(".<locals>", "") == one.qualified else -1


def _known_to_types(bench: Path, name: str, commit: str) -> set[tuple[str, int, str, int]]:
    """What a type checker's index of the commit says, where there is one: (file, line) that uses (file, line) of a definition."""
    path = bench / "graph" / "truth" / f"{name}.json.gz"
    if not path.is_file():
        return set()
    truth = graph_scorer(bench, "score_refs").load(path)
    if truth["commit"] != commit:
        print(f"{name}: the type checker's index is of another commit and is left out", file=sys.stderr)
        return set()
    files = truth["files"]
    return {(files[use[0]], use[1], files[one["file"]], line) for one in truth["symbols"] for use in one["refs"] for line in one["defs"]}
