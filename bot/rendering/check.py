"""ImpactReport -> a check run: title, summary, text, conclusion, annotations; and the same annotations as log commands of a workflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.rendering.comment import (
    CommentOptions,
    change_lines,
    compared,
    headline,
    render_sections,
    sections_wanted,
    silent_line,
    worth_showing,
)
from bot.rendering.cutting import breadth_first, counted
from bot.rendering.escaping import printable, shortened
from bot.rendering.grouping import grouped, is_acknowledged, open_breaks
from index.files.paths import raw
from index.impact.nouns import ImpactReport, RankedSymbol, Verdict
from index.impact.related_files import package_of
from index.types import SymbolKind

BUDGET: Final = 60_000  # characters of summary and of text; GitHub refuses more than 65,535 of either
BATCH: Final = 50  # annotations in one request
MAX_ANNOTATIONS: Final = 200
MAX_LOGGED: Final = 10  # annotations that a step of a workflow may log, of each level
MAX_TITLE: Final = 255
MAX_MESSAGE: Final = 4_000  # characters; GitHub takes 64 kB
MAX_SITES: Final = 5  # sites named in the annotation of a definition
LEVELS: Final = {"notice": "notice", "warning": "warning", "failure": "error"}  # of a check run -> of a log command

OPEN: Final = ("settings", "breaks", "ranked", "run_first")
FOLDED: Final = ("more_breaks", "at_risk", "paths", "mentions", "more_ranked", "neutral", "uncovered")


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark on lines of the head. `path` is the file's real name; plain text, without Markdown."""

    path: str
    line: int
    end_line: int
    level: str  # a key of `LEVELS`
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """What a check run says when it is completed."""

    title: str
    summary: str
    text: str
    conclusion: str  # "neutral": impact is information; with a gate "success" or "failure"
    annotations: tuple[Annotation, ...]
    left_out: int = 0  # annotations over `MAX_ANNOTATIONS`, or of files whose names GitHub can't be told

    @property
    def batches(self) -> tuple[tuple[Annotation, ...], ...]:
        """As many at once as one request may carry; at least one batch, which may be empty."""
        starts = range(0, max(len(self.annotations), 1), BATCH)
        return tuple(self.annotations[start : start + BATCH] for start in starts)


def render_check(report: ImpactReport, options: CommentOptions | None = None, *, fail_on_breaks: bool | None = None) -> CheckRun:
    """The report as a check run. Only breaks that nobody has acknowledged can fail it, and only where that is asked for: by the caller, or
    by the settings of the repository."""
    options = options or CommentOptions()
    gate = report.settings.fail_on == "breaks" if fail_on_breaks is None else fail_on_breaks
    failing = open_breaks(report, options.acknowledged)
    conclusion = ("failure" if failing else "success") if gate else "neutral"
    if report.quiet:
        return CheckRun("No impact", f"{silent_line(report)}\n", "", conclusion, ())
    every = annotations_of(report, options.acknowledged, gate) if report.settings.annotations else []
    told = [one for one in every if one.path][:MAX_ANNOTATIONS]
    left_out = len(every) - len(told)
    title = shortened(headline(report, options.acknowledged), MAX_TITLE)
    body = render_sections(report, options, sections_wanted(report, options, OPEN), BUDGET - 2_000)
    more = f"\n\n{counted(left_out, 'annotation')} left out, the list above is complete." if left_out else ""
    text = render_sections(report, options, sections_wanted(report, options, FOLDED), BUDGET)
    return CheckRun(title, f"{compared(report, options)}\n\n{body}{more}\n", text, conclusion, tuple(told), left_out)


def annotations_of(report: ImpactReport, acknowledged: frozenset[str] = frozenset(), fail_on_breaks: bool = False) -> list[Annotation]:
    """Breaking sites, every package before any twice, then changed definitions that something uses, ranked. `path` is "" where the name of
    the file is not UTF-8, and GitHub can't be told it."""
    accepted = {one.id for row in grouped(report.breaks, report) if is_acknowledged(row, acknowledged) for one in row}
    sites = breadth_first(report.breaks, lambda one: package_of(one.site.path), MAX_ANNOTATIONS)
    first = set(map(id, sites))
    rest = [one for one in report.breaks if id(one) not in first]
    level = "failure" if fail_on_breaks else "warning"
    found = [_break(one, "notice" if one.id in accepted else level) for one in [*sites, *rest]]
    return found + [_definition(row, report) for row in worth_showing(report) if _is_annotated(row, report)]


def _break(one: Verdict, level: str) -> Annotation:
    title = "Will break" if level != "notice" else "Will break (acknowledged)"
    place = one.site.source.qualified
    where = "at the top of the file" if place == "<module>" else f"in {place}"
    how = ", ".join(step.name.lower() for step in one.site.chain)
    return _annotation(one.site.path, one.site.line, level, f"{title}: {one.reason}", f"{where}, proved" + (f" by {how}" if how else ""))


def _is_annotated(row: RankedSymbol, report: ImpactReport) -> bool:
    one = report.changed[row.changed]
    return one.after is not None and one.after.kind != SymbolKind.MODULE and (row.total > 0 or row.breaks > 0)


def _definition(row: RankedSymbol, report: ImpactReport) -> Annotation:
    one = report.changed[row.changed]
    bound = "≥ " if row.unresolved else ""
    said = [
        f"{counted(row.direct, 'direct user')}, {bound}{row.total:,} reached, {counted(row.tests, 'test')}.",
        *[f"will break: {broken.site.path}:{broken.site.line} {broken.reason}" for broken in _broken(row, report)[:MAX_SITES]],
    ]
    if row.breaks > MAX_SITES:
        said.append(f"and {row.breaks - MAX_SITES:,} more that will break")
    title = f"{one.symbol.qualified}: {'; '.join(change_lines(one))}"
    return _annotation(one.symbol.path, one.symbol.line, "notice", title, "\n".join(said))


def _broken(row: RankedSymbol, report: ImpactReport) -> list[Verdict]:
    return [one for one in report.breaks if one.changed == row.changed]


def _annotation(path: str, line: int, level: str, title: str, message: str) -> Annotation:
    lines = "\n".join(map(printable, message.split("\n")))
    return Annotation(_real_name(path), line, line, level, shortened(printable(title), MAX_TITLE), shortened(lines, MAX_MESSAGE))


def _real_name(path: str) -> str:
    """A path as it is shown -> as it is called; "" where JSON can't carry that."""
    try:
        return raw(path).decode()
    except UnicodeDecodeError:
        return ""


def log_commands(found: Sequence[Annotation], limit: int = MAX_LOGGED) -> list[str]:
    """The first annotations as lines for a workflow's log, where no check run may be written. One line each: a name can't start another
    command."""
    return [
        f"::{LEVELS[one.level]} file={_property(one.path)},line={one.line},endLine={one.end_line},title={_property(one.title)}::"
        f"{_data(one.message)}"
        for one in [one for one in found if one.path][:limit]
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
