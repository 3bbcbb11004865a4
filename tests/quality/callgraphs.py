"""PyCG's micro-benchmark -> precision and recall of our calls, for every set of tiers.

Each of its 119 snippets is a little program with the calls its authors wrote down; each is indexed as a tree of its own.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quality.positions import RUNS_CODE, TIER_SETS, Use, as_positions, uses
from quality.scorers import graph_scorer
from quality.tables import Row
from quality.trees import clone_of, files_of_folder, write_commit

from index.build import build
from index.types import Tier

REPOSITORY = "vitsalis/PyCG"
SNIPPETS = "micro-benchmark/snippets"


def scores(bench: Path, mirror: Path, *, oracle: bool = False, details: Path | None = None) -> list[Row]:
    """The bench folder and the folder of clones -> one row for each set of tiers, and the precision of each tier by itself.
    `oracle` scores the truth against itself, which must give 1.0: it shows that the plumbing is right. `details` is a folder
    that receives the wrong and the missing edges of each test."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        write_commit(clone_of(mirror, REPOSITORY), "HEAD", SNIPPETS, root / "PyCG")
        scorer = graph_scorer(bench, "score_callgraph")
        suite = graph_scorer(bench, "suites").load("pycg", root)
        if oracle:
            return [_row("truth itself", scorer.score("pycg", {test.id: _named(test.truth) for test in suite}, root)[0])]
        found = {test.id: uses(build(files_of_folder(test.root)), RUNS_CODE) for test in suite}
        rows = []
        for label, tiers in TIER_SETS.items():
            total, per_test = scorer.score("pycg", _output(found, tiers), root)
            rows.append(_row(label, total))
            if details is not None:
                _write_details(details / f"pycg-{label}.txt", per_test)
        for tier in Tier:
            total, _ = scorer.score("pycg", _output(found, frozenset({tier})), root)
            rows.append(
                Row("pycg", f"only {tier.label}", {"P": total["total"]["precision"], "edges": total["total"]["tp"] + total["total"]["fp"]})
            )
    return rows


def _output(found: Mapping[str, list[Use]], tiers: frozenset[Tier]) -> dict[str, list[dict[str, list[str | int]]]]:
    return {test: as_positions(edges, tiers) for test, edges in found.items()}


def _named(edges: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = defaultdict(list)
    for caller, callee in sorted(edges):
        named[caller].append(callee)
    return named


def _row(label: str, rows: Mapping[str, Mapping[str, Any]]) -> Row:
    total = rows["total"]
    names = {
        "P": "precision",
        "R": "recall",
        "F1": "f1",
        "complete": "complete",
        "sound": "sound",
        "exact": "exact",
        "wrong": "fp",
        "missing": "fn",
    }
    return Row("pycg", label, {shown: total[name] for shown, name in names.items()})


def _write_details(path: Path, per_test: Mapping[str, Mapping[str, list[tuple[str, str]]]]) -> None:
    lines = [
        f"{kind:8}{test:44}{a} -> {b}" for test, kinds in sorted(per_test.items()) for kind in ("missing", "false") for a, b in kinds[kind]
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
