"""Commits that only move or rewrite code -> on how many of them is the report silent?"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from quality.tables import Row
from quality.trees import clone_of

from index.engine import Engine

COMMITS = Path(__file__).parent / "refactorings.md"
_ROW = re.compile(r"^\| (?P<repository>\S+/\S+) \| (?P<commit>[0-9a-f]{7,40}) \| (?P<kind>\w+) \| (?P<subject>.*) \|$", re.M)


def scores(mirror: Path, repositories: Sequence[str] = (), details: Path | None = None) -> list[Row]:
    """The folder of clones -> one row for each kind of commit, and all; `silent` is a share."""
    tried: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    remarks: list[str] = []
    for repository, commits in _by_repository():
        if repositories and repository.rpartition("/")[2] not in repositories:
            continue
        with tempfile.TemporaryDirectory() as home, Engine(clone_of(mirror, repository), Path(home), vectors=False) as engine:
            for commit, kind in commits:
                report = engine.impact(f"{commit}^..{commit}")
                tried[kind] += 1
                silent[kind] += bool(report.quiet)
                if not report.quiet:
                    said = [f"{one.site.path}:{one.site.line} {one.reason}" for one in (*report.breaks, *report.at_risk)]
                    said += [f"{one.key}: {', '.join(kind.value for kind in one.kinds)}" for one in report.changed if not one.inside]
                    said += [f"{one.path}:{one.line} {one.message}" for one in report.problems]
                    remarks.append(f"{repository} {commit} {kind}: {'; '.join(said[:4]) or 'nothing that is listed'}")
                print(f"{repository} {commit} {kind}: {report.quiet or 'NOT SILENT'}", file=sys.stderr)
    if details is not None:
        details.mkdir(parents=True, exist_ok=True)
        (details / "silence.txt").write_text("".join(f"{line}\n" for line in remarks))
    for line in remarks:
        print(f"    {line}", file=sys.stderr)
    kinds = sorted(tried)
    rows = [Row("silence", kind, {"commits": tried[kind], "silent": round(silent[kind] / tried[kind], 4)}) for kind in kinds]
    return [*rows, Row("silence", "all", {"commits": tried.total(), "silent": round(silent.total() / max(tried.total(), 1), 4)})]


def _by_repository() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in _ROW.finditer(COMMITS.read_text("utf-8")):
        found.setdefault(row["repository"], []).append((row["commit"], row["kind"]))
    yield from sorted(found.items())
