"""Our side of the impact bench: REPOSITORY QUERIES.jsonl PREDICTIONS.jsonl -> one line of ranked results for every query.

    impact_adapter.py [--tiers all|sure] [--tests report|graph] REPOSITORY QUERIES PREDICTIONS     (IB_CACHE: the index, kept between calls)

The index of a later commit is built from the one before, as on a live repository. Tests and files that change together are asked for as
a person would: the change is made in the working tree of the bench's own check-out, and the report of that is read; then it is undone.
A query that fails is reported on stderr and left out, so that it scores 0 and is seen.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # `index` and `quality`, from wherever the bench starts us

from quality import rankings  # noqa: E402
from quality.positions import TIER_SETS  # noqa: E402

from index.engine import Engine  # noqa: E402
from index.impact.nouns import ImpactReport  # noqa: E402
from index.snapshot import Snapshot  # noqa: E402
from index.types import Tier  # noqa: E402

TIERS: Mapping[str, frozenset[Tier]] = {"all": TIER_SETS["all"], "sure": TIER_SETS["proved+likely"]}
CHANGE = "HEAD.."  # from the commit to the files on disk

Result = dict[str, str | int | float]


@dataclass(frozen=True)
class Session:
    """One call of the bench: a check-out, its index, and how we were told to answer."""

    folder: Path
    engine: Engine
    snapshot: Snapshot
    tiers: frozenset[Tier]
    tests_from: str

    def report(self, edit: Callable[[], None]) -> ImpactReport:
        with self._edited(edit):
            return self.engine.impact(CHANGE)

    @contextmanager
    def _edited(self, edit: Callable[[], None]) -> Iterator[None]:
        try:
            edit()
            yield
        finally:
            _git(self.folder, "checkout", "--quiet", "--force", "HEAD", "--", ".")


def main() -> int:
    asked = _arguments()
    with Engine(asked.repository, Path(os.environ["IB_CACHE"])) as engine:
        started = time.perf_counter()
        session = Session(asked.repository, engine, engine.update("HEAD"), TIERS[asked.tiers], asked.tests)
        print(f"{asked.repository.name}: indexed in {time.perf_counter() - started:.2f} s", file=sys.stderr)
        with asked.predictions.open("w") as out:
            for line in asked.queries.read_text().splitlines():
                query = json.loads(line)
                started = time.perf_counter()
                try:
                    results = ANSWERS[query["task"]](session, query)
                except Exception:
                    print(f"{query['id']} failed:\n{traceback.format_exc()}", file=sys.stderr)
                    continue
                elapsed = round(1000 * (time.perf_counter() - started), 2)
                out.write(json.dumps({"id": query["id"], "results": results[: query["k"]], "ms": elapsed}) + "\n")
    return 0


def callers(session: Session, query: Mapping[str, Any]) -> list[Result]:
    seed = _seed(session, query)
    return [] if seed is None else [_place(session, caller.symbol) for caller in rankings.callers(session.snapshot, seed, session.tiers)]


def tests(session: Session, query: Mapping[str, Any]) -> list[Result]:
    if session.tests_from == "graph":
        seed = _seed(session, query)
        return [] if seed is None else [_place(session, row) for row in rankings.tests(session.snapshot, seed)]
    symbol = query["seed"]["symbols"][0]
    report = session.report(lambda: _add_a_line(session.folder / query["seed"]["path"], symbol["line"], symbol["end_line"]))
    return [{"path": one.path, "name": one.qualified, "line": one.line} if one.qualified else {"path": one.path} for one in report.tests]


def cochange(session: Session, query: Mapping[str, Any]) -> list[Result]:
    diff = query["seed"]["diff"]
    report = session.report(lambda: _git(session.folder, "apply", "--whitespace=nowarn", "-", given=diff))
    return [{"path": one.path, "score": one.score} for one in report.files]


def localize(session: Session, query: Mapping[str, Any]) -> list[Result]:
    answer = session.engine.search(query["text"], "HEAD", limit=query["k"])  # as `maguyva ask` asks
    return [{"path": path} for path in dict.fromkeys(hit.path for hit in answer.hits)]


ANSWERS: Mapping[str, Callable[[Session, Mapping[str, Any]], list[Result]]] = {
    "callers": callers,
    "tests": tests,
    "cochange": cochange,
    "localize": localize,
}


def _seed(session: Session, query: Mapping[str, Any]) -> int | None:
    symbol = query["seed"]["symbols"][0]
    return rankings.seed_symbol(session.snapshot, query["seed"]["path"], symbol["name"], symbol["line"], symbol["end_line"])


def _place(session: Session, row: int) -> Result:
    symbol = session.snapshot.symbol(row)
    return {"path": symbol.path, "name": symbol.qualified, "line": symbol.line}


def _add_a_line(path: Path, first: int, last: int) -> None:
    """Change the body of a Python function and nothing else: one statement more at its end."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    path.write_text("".join([*lines[:last], f"{indent}    edited_by_the_bench = 1\n", *lines[last:]]), encoding="utf-8")


def _git(folder: Path, *arguments: str, given: str = "") -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], input=given, text=True, check=True, capture_output=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tiers", choices=sorted(TIERS), default="all", help="part A: callers by edges of every tier, or not by possible ones"
    )
    parser.add_argument(
        "--tests", choices=["report", "graph"], default="report", help="tests as the report ranks them, or nearest in the graph"
    )
    parser.add_argument("repository", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("predictions", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
