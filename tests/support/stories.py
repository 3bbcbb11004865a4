"""Markdown -> changes with what must be said of them; a change and its report -> the differences. The format is in tests/corpus/README.md.

This module reads and compares; `tests/conftest.py` makes pytest tests of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from index.impact.nouns import ImpactReport, Reached, SuggestedTest, Verdict
from support.corpus import BadCase

_HEADING = re.compile(r"## (.+)$")
_FENCE = re.compile(r"(`{3,})\s*(\w*)\s*$")
_BEFORE = re.compile(r"`([^`\s]+)`$")
_AFTER = re.compile(r"`([^`\s]+)`, after the change$")
_REMOVED = re.compile(r"`([^`\s]+)` is removed\.$")
_MOVED = re.compile(r"`([^`\s]+)` moves to `([^`\s]+)`\.$")
_ROW = re.compile(r"\|\s*(?P<what>[a-z ]+?)\s*\|\s*(?P<where>.*?)\s*\|\s*(?P<words>.*?)\s*\|$")
NOTHING = "nothing"

Row = tuple[str, str, str]


@dataclass
class Story:
    name: str
    line: int  # of the heading in the document, from 1
    known_gap: bool = False
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    table: tuple[int, int] = (0, 0)  # first and last line of the rows, from 0


def stories_in(document: str) -> list[Story]:
    """A Markdown document -> its stories, in order. Raises BadCase."""
    lines = document.split("\n")
    found: list[Story] = []
    at, said = 0, ""
    while at < len(lines):
        line = lines[at]
        if heading := _HEADING.match(line):
            if heading[1] in (story.name for story in found):
                raise BadCase(f"line {at + 1}: there is a case “{heading[1]}” already")
            found.append(Story(heading[1].strip(), at + 1))
        elif fence := _FENCE.match(line):
            end = next((row for row in range(at + 1, len(lines)) if lines[row].rstrip() == fence[1]), None)
            if end is None:
                raise BadCase(f"line {at + 1}: this block is never closed")
            if found:
                _block(found[-1], said, "".join(f"{row}\n" for row in lines[at + 1 : end]), at + 1)
            at = end
        elif found and line.startswith("**Known gap:**"):
            found[-1].known_gap = True
        elif found and (removed := _REMOVED.match(line)):
            found[-1].after[removed[1]] = None
        elif found and (moved := _MOVED.match(line)):
            found[-1].moved[moved[1]] = moved[2]
        elif found and line.startswith("|"):
            _table_line(found[-1], line, at)
        said = line.strip() or said
        at += 1
    for story in found:
        if not story.before or not (story.after or story.moved) or not story.rows:
            raise BadCase(f"line {story.line}: the case “{story.name}” needs files, a change and a table")
    return found


def _block(story: Story, said: str, text: str, line: int) -> None:
    before, after = _BEFORE.match(said), _AFTER.match(said)
    if before is None and after is None:
        raise BadCase(f"line {line}: write the file's name in backticks on a line of its own above the block")
    if before is not None:
        story.before[before[1]] = text
    elif after is not None:
        story.after[after[1]] = text


def _table_line(story: Story, line: str, at: int) -> None:
    row = _ROW.match(line)
    if row is None and not set(line) <= set("|-: "):
        raise BadCase(f"line {at + 1}: write `| what | where | words |`")
    if row is None or row["what"] == "what":
        return
    if row["what"] not in TELLERS:
        raise BadCase(f"line {at + 1}: “{row['what']}” is none of {', '.join(TELLERS)}")
    story.rows.append((row["what"], row["where"].strip("`"), row["words"].replace("\\|", "|")))
    story.table = (story.table[0] or at, at)


# ── what a report says, as rows ──────────────────────────────────────────────────────────────────────────────────────


def _verdict(one: Verdict) -> tuple[str, str]:
    return f"{one.site.path}:{one.site.line}", f"{one.reason}{f' ({one.hedge})' if one.hedge else ''}"


def _reached(one: Reached) -> tuple[str, str]:
    step = "1 step" if one.steps == 1 else f"{one.steps} steps"
    return f"{one.symbol.path}::{one.symbol.qualified}", f"{step}, {one.tier.label}: {one.because}"


def _test(one: SuggestedTest) -> tuple[str, str]:
    return f"{one.path}::{one.qualified}" if one.qualified else one.path, one.because


Said = Iterable[tuple[str, str]]
TELLERS: dict[str, Callable[[ImpactReport], Said]] = {
    "changed": lambda report: ((one.key, _differences_of(one)) for one in report.changed if not one.inside),
    "will break": lambda report: (_verdict(one) for one in report.breaks),
    "at risk": lambda report: (_verdict(one) for one in report.at_risk),
    "reached": lambda report: (_reached(one) for one in report.reached),
    "test": lambda report: (_test(one) for one in report.tests if one.because),
    "unresolved": lambda report: ((f"{one.path}:{one.line}", f"{one.name}: {one.reason.label}") for one in report.open_sites),
    "mentioned": lambda report: ((f"{one.path}:{one.line}", one.because) for one in report.mentions),
    "left out": lambda report: ((f"{one.path}::{one.qualified}", one.reason) for one in report.neutral),
    "note": lambda report: (("", note) for note in report.notes if note != "the history was not read"),
    "problem": lambda report: ((f"{one.path}:{one.line}", one.message) for one in report.problems),
    "skipped": lambda report: ((one.path, one.reason) for one in report.skipped),
    "quiet": lambda report: [("", report.quiet)] if report.quiet else [],
}
ALWAYS = ("will break", "quiet")  # of these a case has every row; of the others where it has any


def _differences_of(one: object) -> str:
    from index.impact.nouns import ChangedSymbol

    assert isinstance(one, ChangedSymbol)
    return "; ".join([*(kind.value for kind in one.kinds), *one.details, *(change.why for change in one.signature)])


def rows_of(report: ImpactReport, told: Iterable[str]) -> list[Row]:
    """The rows of the kinds in `told`, and of those of which every row is told, in the report's order."""
    asked = {*told, *ALWAYS}
    found: list[Row] = []
    for what, tell in TELLERS.items():
        if what in asked:
            said = list(dict.fromkeys((what, where, words) for where, words in tell(report)))
            found += said or ([(what, NOTHING, "")] if what in told else [])
    return found


def differences(story: Story, report: ImpactReport) -> list[str]:
    """What is promised and not said, and what is said and not promised; empty if the story holds."""
    said = rows_of(report, {what for what, _, _ in story.rows})
    missing = [f"missing: {written(row)}" for row in story.rows if row not in said]
    return missing + [f"extra:   {written(row)}" for row in said if row not in story.rows]


def written(row: Row) -> str:
    what, where, words = row
    shown = where if where in ("", NOTHING) else f"`{where}`"
    return f"| {what} | {shown} | {words.replace('|', chr(92) + '|')} |".replace("  |", " |")


def rewritten(document: str, story: Story, report: ImpactReport) -> str:
    """The document with the rows of one story as the report has them."""
    lines = document.split("\n")
    first, last = story.table
    told = {what for what, _, _ in story.rows}
    return "\n".join([*lines[:first], *(written(row) for row in rows_of(report, told)), *lines[last + 1 :]])
