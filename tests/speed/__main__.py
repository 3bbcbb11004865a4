"""How fast we are, as ratios that can be compared between machines: `make bench TREE=path`.

TREE is any git repository, or a plain folder. The figures in the docs are Django's source distribution
(`pip download --no-deps --no-binary :all: django==5.2.19`, unpacked). Without TREE this repository is measured.

    python -m tests.speed --tree TREE [--runs 3] [--peer FOLDER_OF_A_VENV_WITH_CODE_REVIEW_GRAPH] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # `index` and `speed`, from wherever this is started

from speed.figures import Figure, measure  # noqa: E402


def main() -> int:
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="maguyva-bench-") as scratch:
        figures = measure(asked.tree, Path(scratch), runs=asked.runs, peer=asked.peer, progress=lambda text: print(text, file=sys.stderr))
    print(_table(figures))
    if asked.json:
        asked.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    return 0


def _table(figures: list[Figure]) -> str:
    width = max(len(figure.what) for figure in figures)
    return "\n".join(f"{figure.what:{width}}  {figure.value:>12,.4g} {figure.unit:10} {figure.said}".rstrip() for figure in figures)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, default=Path(os.environ.get("TREE") or ROOT), help="a git repository or a folder (or TREE)")
    parser.add_argument(
        "--runs", type=int, default=int(os.environ.get("RUNS") or 3), help="of each; the one with the median CPU counts (or RUNS)"
    )
    parser.add_argument(
        "--peer", type=Path, default=os.environ.get("PEER") or None, help="a virtual environment with code-review-graph (or PEER)"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    asked = parser.parse_args()
    if not asked.tree.is_dir():
        parser.error(f"{asked.tree} is not a folder: give a git repository or a folder with --tree")
    asked.tree = asked.tree.resolve()
    return asked


if __name__ == "__main__":
    sys.exit(main())
