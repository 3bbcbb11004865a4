"""The settings that stand in a snapshot, and what they do to an analysis: before it, kinds of files and changes; after it, the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from index.config import NAME, ConfigFound, RepositoryConfig, read_config
from index.content import file_bytes
from index.files.globs import matcher
from index.files.paths import raw, shown
from index.impact.nouns import ImpactReport
from index.impact.silence import why_silent
from index.layers import Parts
from index.snapshot import Snapshot
from index.types import FileChange, Problem

MISSPELT: Final = (".maguyva.yaml", "maguyva.yml", ".github/maguyva.yml", ".github/.maguyva.yml")


def settings_in(snapshot: Snapshot) -> ConfigFound:
    """What `.maguyva.yml` of a commit says. A file that is there and can't be read is a problem, and so is one that nobody reads."""
    row = snapshot.file_at(NAME.encode())
    if row is None:
        near = [name for name in MISSPELT if snapshot.file_at(name.encode()) is not None]
        return ConfigFound(RepositoryConfig(), tuple(Problem(name, 0, f"is not read: call it `{NAME}`, at the top") for name in near))
    data = file_bytes(snapshot, row)
    if data is None:
        why = "could not be read (a link, too large, not text, or not in this clone); the defaults are used"
        return ConfigFound(RepositoryConfig(), (Problem(NAME, 0, why),))
    return read_config(data)


def with_kinds(snapshot: Snapshot, config: RepositoryConfig) -> Snapshot:
    """The snapshot with the kinds of files that the settings name. Where several do, source wins, then tests."""
    kinds = sorted((kind for kind, patterns in config.kinds.items() if patterns), reverse=True)
    if not kinds:
        return snapshot
    column = snapshot.parts["files"]["kind"].copy()
    for kind in kinds:
        matches = matcher(config.kinds[kind])
        column[np.asarray([matches(path) for path in snapshot.raw_paths], np.bool_)] = kind
    return Snapshot(snapshot.commit, Parts.beside(snapshot.parts, {"files": {**snapshot.parts["files"], "kind": column}}))


def told_changes(changes: Sequence[FileChange], config: RepositoryConfig) -> list[FileChange]:
    """The changes that the report is about. A file that moved in or out of what is left out is told about."""
    hidden = config.leaves_out
    if hidden is None:
        return list(changes)
    return [one for one in changes if not all(hidden(path) for path in (one.old_path, one.new_path) if path is not None)]


def settled(report: ImpactReport, found: ConfigFound, left_out: int, at_head: ConfigFound | None = None) -> ImpactReport:
    """A report as the settings want it. `left_out`: changed files that it says nothing about. `at_head`: what the settings of the head say,
    where the change touches them: their problems are told, and nothing else of them is used."""
    config = found.config
    hidden = config.leaves_out
    problems = {one for one in report.problems if hidden is None or not one.path or not hidden(raw(one.path))} | {*found.problems}
    notes = list(report.notes)
    quiet = report.quiet
    if left_out:
        files = f"{left_out:,} changed {'file is' if left_out == 1 else 'files are'}"
        notes.append(f"{files} left out by `{NAME}`")
        if not report.changed_files:
            quiet = f"Only files that `{NAME}` leaves out changed."
    if at_head is not None:
        problems |= {replace(one, message=f"{one.message} (once this is merged)") for one in at_head.problems}
        notes.append(f"the settings of the base were used: what this changes in `{NAME}` holds once it is merged")
    ordered = tuple(sorted(problems, key=lambda one: (one.path, one.line, one.message)))
    report = replace(report, problems=ordered, notes=tuple(notes), quiet=quiet, settings=config)
    return replace(report, silent=why_silent(report, config))


def touches_settings(changes: Sequence[FileChange]) -> bool:
    return any(one.new_path is not None and shown(one.new_path) == NAME for one in changes)
