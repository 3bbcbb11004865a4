"""Our figures beside the baselines': `make bench-quality BENCH=path MIRROR=path`.

BENCH is the bench folder and MIRROR a folder of bare clones. PARTS chooses what is run; everything else is an option:

    python -m tests.quality --bench BENCH --mirror MIRROR --parts pycg,refs,A --details FOLDER --write-scores
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

TITLE = """\
# Scores of the last run

Written by `python -m tests.quality --write-scores`. A commit that moves a figure says why that is better.
"""
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]  # `index` and `quality`, from wherever this is started

from quality import breaks, callgraphs, docstrings, impact, questions, references, silence, suites, tiers, typed  # noqa: E402
from quality.tables import Row, parts_of, read_tables, table  # noqa: E402

PARTS: Mapping[str, Callable[[argparse.Namespace], list[Row]]] = {
    "pycg": lambda asked: callgraphs.scores(asked.bench, asked.mirror, oracle=asked.oracle, details=asked.details),
    "suites": suites.scores,
    "refs": lambda asked: references.scores(asked.bench, asked.mirror, oracle=asked.oracle, details=asked.details),
    "typed": lambda asked: typed.scores(
        asked.bench, asked.mirror, asked.indexers, repositories=asked.repos, work=asked.work, details=asked.details
    ),
    "tiers": lambda asked: tiers.scores(asked.bench, asked.mirror, repositories=tuple(asked.repos), details=asked.details),
    "questions": lambda asked: questions.scores(asked.mirror, repositories=asked.repos, work=asked.work, details=asked.details),
    "silence": lambda asked: silence.scores(asked.mirror, asked.repos, asked.details),
    "docstrings": lambda asked: docstrings.scores(asked.mirror, asked.repos),
    "breaks": lambda asked: breaks.scores(asked.mirror, asked.checkers, asked.repos, asked.details, asked.mini),
} | {
    part: lambda asked, part=part: impact.scores(
        asked.bench, asked.mirror, parts=part, repositories=asked.repos, mini=asked.mini, work=asked.work
    )
    for part in impact.EVERY_PART
}

WITHOUT_BENCH = {"questions", "breaks", "silence", "docstrings"}  # parts that need the clones alone


def main() -> int:
    asked = _arguments()
    rows = [row for part in asked.parts for row in PARTS[part](asked)]
    baselines = parts_of(read_tables((HERE / "baselines.md").read_text()))
    for part, ours in parts_of(rows).items():
        print(f"\n## {part}\n\n{table([*_marked(ours), *baselines.get(part, [])])}")
    if asked.write_scores:
        _write_scores(rows, asked.repos)
    return 0


def _marked(ours: list[Row]) -> list[Row]:
    return [Row(row.part, f"**{row.who}**", row.figures) for row in ours]


def _write_scores(rows: list[Row], repositories: list[str]) -> None:
    """Put the figures into `scores.md`; parts that were not run keep what they had, and of a part that was run for some repositories
    alone those of the others are kept."""
    path = HERE / "scores.md"
    kept = parts_of(read_tables(path.read_text())) if path.is_file() else {}
    run = parts_of(rows)
    if repositories:
        names = {name.rpartition("/")[2] for name in repositories}
        new = {part: {row.who: row for row in some if row.who.rpartition("/")[2] in names} for part, some in run.items()}
        run = {part: [some.pop(row.who, row) for row in kept.get(part, [])] + list(some.values()) for part, some in new.items()}
    parts = kept | run
    path.write_text(TITLE + "".join(f"\n## {part}\n\n{table(parts[part])}\n" for part in sorted(parts)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, default=_folder("BENCH"), help="the bench folder, with graph/ and impact/ (or BENCH)")
    parser.add_argument("--mirror", type=Path, default=_folder("MIRROR"), help="a folder of bare clones, owner+name/repo (or MIRROR)")
    parser.add_argument(
        "--parts", type=_list, default=_list(os.environ.get("PARTS", "pycg,refs,A")), help=f"of {', '.join(PARTS)} (or PARTS)"
    )
    parser.add_argument("--repos", type=_list, default=[], help="parts A to D, tiers, typed and questions: only these repositories")
    parser.add_argument("--mini", action="store_true", help="parts B and C: 25 of the 150 commits")
    parser.add_argument("--work", type=Path, help="keep check-outs, indexes and predictions here; default: a temporary folder")
    parser.add_argument(
        "--checkers", type=Path, default=Path("build/checkers"), help="part breaks: where `npm install pyright typescript` was run"
    )
    parser.add_argument(
        "--indexers",
        type=Path,
        default=Path("build/indexers"),
        help="part typed: where `npm install @sourcegraph/scip-typescript @sourcegraph/scip-python` was run",
    )
    parser.add_argument("--details", type=Path, help="write every wrong and missing edge here")
    parser.add_argument("--oracle", action="store_true", help="pycg, refs: score the truth against itself, to check the plumbing")
    parser.add_argument("--write-scores", action="store_true", help="write the figures to tests/quality/scores.md")
    asked = parser.parse_args()
    if asked.mirror is None or (asked.bench is None and not set(asked.parts) <= WITHOUT_BENCH):
        parser.error("give the bench folder and the folder of clones: make bench-quality BENCH=path MIRROR=path")
    if unknown := sorted(set(asked.parts) - set(PARTS)):
        parser.error(f"no part {', '.join(unknown)}: choose from {', '.join(PARTS)}")
    asked.bench, asked.mirror = asked.bench and asked.bench.resolve(), asked.mirror.resolve()
    return asked


def _folder(name: str) -> Path | None:
    return Path(os.environ[name]) if os.environ.get(name) else None


def _list(text: str) -> list[str]:
    return [item for item in text.split(",") if item]


if __name__ == "__main__":
    sys.exit(main())
