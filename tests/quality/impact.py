"""The impact bench -> how well we rank callers, tests, files that change together, and files that words are about.

The bench runs its own `run.py` and `score.py`; our side is `adapters/impact_adapter.py`, called as any other predictor's would be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean

from quality.tables import Row

ADAPTER = Path(__file__).parent / "adapters" / "impact_adapter.py"
PREDICTORS = {  # name on the score sheet: how the adapter is called
    "maguyva": ("--tiers=all", "--tests=report"),
    "maguyva-sure": ("--tiers=sure", "--tests=graph"),  # callers without the possible ones; tests by nearness in the graph alone
}
NOT_FIGURES = {"track", "split", "repo", "predictor", "n"}
EVERY_PART = "ABCD"


def scores(
    bench: Path, mirror: Path, *, parts: str = "A", repositories: Sequence[str] = (), mini: bool = False, work: Path | None = None
) -> list[Row]:
    """The bench folder and the folder of clones -> one row per track and predictor, averaged over repositories as the bench does.
    `mini` takes 25 of the 150 commits of parts B and C. `work` keeps the check-outs, indexes and predictions between runs.
    Raises subprocess.CalledProcessError when the bench's own scripts fail; a failed adapter call scores 0 there."""
    if work is None:
        with tempfile.TemporaryDirectory() as scratch:
            return scores(bench, mirror, parts=parts, repositories=repositories, mini=mini, work=Path(scratch))
    scripts, predictions = bench / "impact" / "scripts", work / "predictions"
    only = [f"--repos={','.join(repositories)}"] if repositories else []
    small = ["--mini"] if mini else []
    for name, options in PREDICTORS.items():
        asked = parts if name == "maguyva" else parts if parts == "A" else ""  # the other parts have one list only
        if asked:
            folders = [f"--mirror={mirror}", f"--work={work / 'trees'}", f"--out={predictions}", f"--name={name}", f"--parts={asked}"]
            adapter = [sys.executable, str(ADAPTER), *options]
            subprocess.run([sys.executable, str(scripts / "run.py"), *folders, *only, *small, "--", *adapter], check=True)
    sheet = work / "scores.json"
    names = ",".join(PREDICTORS)
    subprocess.run(
        [
            sys.executable,
            str(scripts / "score.py"),
            "--split=open",
            f"--parts={parts}",
            f"--only={names}",
            *small,
            f"--json={sheet}",
            str(predictions),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return averaged(json.loads(sheet.read_text()))


def averaged(sheet: Iterable[dict[str, str | float]]) -> list[Row]:
    """The bench's rows per repository -> one row per track and predictor, each figure its mean over the repositories that have it."""
    figures: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in sheet:
        for name, value in line.items():
            if name not in NOT_FIGURES:
                figures[str(line["track"]), str(line["predictor"])][name].append(float(value))
    return [
        Row(track, who, {name: round(mean(values), 4) for name, values in columns.items()})
        for (track, who), columns in sorted(figures.items())
    ]
