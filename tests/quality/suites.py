"""Call-graph suites that others made, and that nothing here was tuned on -> how much of them we find.

They are read from bare clones and stay there: their programs are neither copied nor run. SWARM-CG's suites are judged by the bench's own
scorer, like PyCG's. Jelly's programs come with the calls of a recorded run, which says nothing of calls that did not happen, so that of
them only what is found counts.
"""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from quality.positions import RUNS_CODE, TIER_SETS, as_positions, uses
from quality.scorers import graph_scorer
from quality.tables import Row
from quality.trees import clone_of, files_of_folder, write_commit

from index.build import build

SWARM = "secure-software-engineering/SWARM-CG"
JUDGED = (  # name, repository, folder of the programs, the language as the scorer calls it
    ("swarm_js", SWARM, "benchmarks/javascript/swarm_js", "js"),
    ("pycg_extended", SWARM, "benchmarks/python/pycg_extended", "python"),
    ("headergen", SWARM, "benchmarks/python/headergen", "python"),
)
JELLY, RECORDED = "cs-au-dk/jelly", "tests/micro"

Place = tuple[str, int]


def scores(asked: Namespace) -> list[Row]:
    """One row for each suite and set of tiers. `details` is a folder that receives what is wrong and missing."""
    rows: list[Row] = []
    scorer, suites = graph_scorer(asked.bench, "score_callgraph"), graph_scorer(asked.bench, "suites")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        write_commit(clone_of(asked.mirror, SWARM), "HEAD", "benchmarks/", root)
        write_commit(clone_of(asked.mirror, JELLY), "HEAD", f"{RECORDED}/", root)
        for name, _, folder, language in JUDGED:
            programs = suites._callgraph_json(root / folder, language)
            found = {test.id: uses(build(files_of_folder(test.root)), RUNS_CODE) for test in programs}
            with patch.object(suites, "load", lambda suite, repos, programs=programs: programs):
                for label, tiers in TIER_SETS.items():
                    total, per_test = scorer.score(name, {test: as_positions(edges, tiers) for test, edges in found.items()}, root)
                    figures = {shown: total["total"][key] for shown, key in (("P", "precision"), ("R", "recall"), ("exact", "exact"))}
                    rows.append(Row("suites", f"{name}, {label}", figures))
                    _write(asked.details, f"{name}-{label}", [
                        f"{kind:8}{test:44}{a} -> {b}"
                        for test, kinds in sorted(per_test.items()) for kind in ("missing", "false") for a, b in kinds[kind]
                    ])  # fmt: skip
        rows += _recorded(root / RECORDED, asked.details)
    return rows


def _recorded(folder: Path, details: Path | None) -> list[Row]:
    """The share of the recorded calls of Jelly's programs that we have, by the lines of the call and of the function."""
    found = uses(build(files_of_folder(folder)), RUNS_CODE)
    happened = sorted({call for path in sorted(folder.glob("*.json")) for call in _calls(folder, path)})
    rows = []
    for label, tiers in TIER_SETS.items():
        lines: dict[tuple[str, Place], set[int]] = defaultdict(set)
        for use in found:
            if use.tier in tiers:
                lines[use.site[0], use.definition].add(use.site[1])
        missing = [
            (path, first, function) for path, first, last, function in happened
            if not any(first <= line <= last for line in lines[path, function])
        ]  # fmt: skip
        rows.append(Row("suites", f"jelly, {label}", {"R": round(1 - len(missing) / len(happened), 3), "calls": len(happened)}))
        _write(details, f"jelly-{label}", [f"missing {path}:{first} -> {at}:{line}" for path, first, (at, line) in missing])
    return rows


def _calls(folder: Path, path: Path) -> Iterator[tuple[str, int, int, Place]]:
    """A recorded run -> (file, first and last line of the call, the function's place), of functions in files of the folder itself."""
    recorded = json.loads(path.read_text())
    if not isinstance(recorded, dict) or not {"files", "functions", "calls", "call2fun"} <= recorded.keys():
        return
    files = recorded["files"]
    functions, calls = (
        dict(enumerate(table)) if isinstance(table, list) else {int(key): value for key, value in table.items()}
        for table in (recorded["functions"], recorded["calls"])
    )
    for call, function in recorded["call2fun"]:
        site, first, _, last, _ = (int(part) if part != "?" else -1 for part in calls[call].split(":"))
        at, line, column, _, _ = (int(part) if part != "?" else -1 for part in functions[function].split(":"))
        is_ours = (folder / files[site]).is_file() and (folder / files[at]).is_file() and "node_modules" not in files[at]
        if is_ours and (line, column) != (1, 1):  # the file as a whole
            yield files[site], first, last, (files[at], line)


def _write(details: Path | None, name: str, lines: list[str]) -> None:
    if details is not None:
        details.mkdir(parents=True, exist_ok=True)
        (details / f"{name}.txt").write_text("\n".join(lines) + "\n")
