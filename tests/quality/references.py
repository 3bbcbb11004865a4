"""click and ky -> precision and recall of our references, against the indexes that type checkers made of them."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from quality.positions import TIER_SETS, Use, as_positions, uses
from quality.scorers import graph_scorer
from quality.tables import Row
from quality.trees import clone_of, files_of_commit

from index.build import build
from index.types import Tier

REPOSITORIES = ("click", "ky")
VIEWS = ("refs", "uses", "calls", "callers", "runtime")


def scores(bench: Path, mirror: Path, *, oracle: bool = False, details: Path | None = None) -> list[Row]:
    """The bench folder and the folder of clones -> rows per repository, set of tiers and view. `oracle` and `details` are those of
    `callgraphs`."""
    scorer = graph_scorer(bench, "score_refs")
    rows: list[Row] = []
    for name in REPOSITORIES:
        truth = scorer.load(bench / "graph" / "truth" / f"{name}.json.gz")
        if oracle:
            rows += _rows(name, "truth itself", scorer.score(truth, _truth_as_output(truth)))
            continue
        found = uses(build(files_of_commit(clone_of(mirror, truth["repo"]), truth["commit"])))
        for label, tiers in TIER_SETS.items():
            rows += _rows(name, label, scorer.score(truth, positions_read(scorer, found, tiers)))
            if details is not None:
                write_details(details / f"{name}-{label}.txt", scorer, truth, [use for use in found if use.tier in tiers])
        for tier in Tier:
            views = scorer.score(truth, positions_read(scorer, found, frozenset({tier})))["views"]["refs"]
            rows.append(Row(name, f"only {tier.label}", {"view": "refs", "P": views["precision"], "hits": views["tp"] + views["fp"]}))
    return rows


def positions_read(scorer: Any, found: list[Use], tiers: frozenset[Tier]) -> Any:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:  # the scorer reads a file: what we show is what it scores
        json.dump(as_positions(found, tiers), file)
        file.flush()
        return scorer.read_output(file.name)


def _truth_as_output(truth: Any) -> dict[tuple[str, int], set[tuple[str, int]]]:
    output: dict[tuple[str, int], set[tuple[str, int]]] = defaultdict(set)
    files = truth["files"]
    for symbol in truth["symbols"]:
        uses_of = [*symbol["refs"], *symbol.get("ran", ())]
        output[files[symbol["file"]], symbol["defs"][0]] |= {(files[use[0]], use[1]) for use in uses_of}
    return output


def _rows(name: str, label: str, result: Any) -> list[Row]:
    rows = []
    for view in VIEWS:
        figures = result["views"][view]
        if not figures["tp"] + figures["fn"]:
            continue  # nobody ran ky's tests
        recall_only = view == "runtime"
        shown = {
            "view": view,
            "P": None if recall_only else figures["precision"],
            "R": figures["recall"],
            "F1": None if recall_only else figures["f1"],
            "wrong": None if recall_only else figures["fp"],
            "missing": figures["fn"],
        }
        rows.append(Row(name, label, shown))
    return rows


def write_details(path: Path, scorer: Any, truth: Any, found: list[Use]) -> None:
    """Wrong and missing uses, judged as the view `refs` does: one line each, with the definition they are about."""
    files = truth["files"]
    got: dict[tuple[str, int], dict[tuple[str, int], Tier]] = defaultdict(dict)
    for use in found:
        got[use.definition][use.site] = use.tier
    family = defaultdict(list)
    for symbol in truth["symbols"]:
        family[symbol["family"]].append(symbol)
    lines = []
    for symbol in scorer.queries(truth):
        file = files[symbol["file"]]
        about = f"{file}:{symbol['defs'][0]} {symbol['kind']} {symbol['name']}"
        own_lines = range(symbol["first"], symbol["defs"][0] + 1)
        own = {(file, line) for line in (*own_lines, *symbol["defs"])}
        seen: dict[tuple[str, int], Tier] = {}
        for line in (*own_lines, *symbol["defs"]):
            seen |= got.get((file, line), {})
        want = {(files[use[0]], use[1]): use[2] for use in symbol["refs"]}
        ran = {(files[use[0]], use[1]) for use in symbol.get("ran", ())}
        kin = {(files[use[0]], use[1]) for one in family[symbol["family"]] if one is not symbol for use in one["refs"]}
        kin |= {(files[one["file"]], line) for one in family[symbol["family"]] for line in one["defs"]}
        known = {site: tier for site, tier in seen.items() if site[0] in set(files)}
        lines += [f"missing  {path}:{line}\t{want[path, line]}\t{about}" for path, line in sorted(set(want) - set(known))]
        wrong = sorted(set(known) - set(want) - own - kin - ran)
        lines += [f"wrong    {path}:{line}\t{known[path, line].label}\t{about}" for path, line in wrong]
        lines += [f"not-run  {path}:{line}\tr\t{about}" for path, line in sorted(ran - set(known) - set(want))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
