"""Our side of the impact bench: REPOSITORY QUERIES.jsonl PREDICTIONS.jsonl -> one line of ranked results for every query.

    impact_adapter.py [--tiers all|sure] REPOSITORY QUERIES PREDICTIONS       (IB_CACHE: where the index is kept between calls)

The index of a later commit is built from the one before, as on a live repository. A query that fails is reported on stderr and left out,
so that it scores 0 and is seen.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # `index` and `quality`, from wherever the bench starts us

from quality import rankings  # noqa: E402
from quality.positions import TIER_SETS  # noqa: E402

from index.engine import Engine  # noqa: E402
from index.snapshot import Snapshot  # noqa: E402
from index.types import Tier  # noqa: E402

TIERS: Mapping[str, frozenset[Tier]] = {"all": TIER_SETS["all"], "sure": TIER_SETS["proved+likely"]}

Result = dict[str, str | int | float]


def main() -> int:
    asked = _arguments()
    engine = Engine(asked.repository, Path(os.environ["IB_CACHE"]))
    started = time.perf_counter()
    snapshot = engine.update("HEAD")
    print(f"{asked.repository.name}: indexed in {time.perf_counter() - started:.2f} s", file=sys.stderr)
    with asked.predictions.open("w") as out:
        for line in asked.queries.read_text().splitlines():
            query = json.loads(line)
            started = time.perf_counter()
            try:
                results = ANSWERS[query["task"]](snapshot, query, TIERS[asked.tiers])
            except Exception:
                print(f"{query['id']} failed:\n{traceback.format_exc()}", file=sys.stderr)
                continue
            elapsed = round(1000 * (time.perf_counter() - started), 2)
            out.write(json.dumps({"id": query["id"], "results": results[: query["k"]], "ms": elapsed}) + "\n")
    return 0


def callers(snapshot: Snapshot, query: Mapping[str, Any], tiers: frozenset[Tier]) -> list[Result]:
    seed = _seed(snapshot, query)
    return [] if seed is None else [_place(snapshot, caller.symbol) for caller in rankings.callers(snapshot, seed, tiers)]


def tests(snapshot: Snapshot, query: Mapping[str, Any], tiers: frozenset[Tier]) -> list[Result]:
    seed = _seed(snapshot, query)
    return [] if seed is None else [_place(snapshot, row) for row in rankings.tests(snapshot, seed)]


ANSWERS: Mapping[str, Callable[[Snapshot, Mapping[str, Any], frozenset[Tier]], list[Result]]] = {"callers": callers, "tests": tests}


def _seed(snapshot: Snapshot, query: Mapping[str, Any]) -> int | None:
    symbol = query["seed"]["symbols"][0]
    return rankings.seed_symbol(snapshot, query["seed"]["path"], symbol["name"], symbol["line"], symbol["end_line"])


def _place(snapshot: Snapshot, row: int) -> Result:
    symbol = snapshot.symbol(row)
    return {"path": symbol.path, "name": symbol.qualified, "line": symbol.line}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiers", choices=sorted(TIERS), default="all")
    parser.add_argument("repository", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("predictions", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
