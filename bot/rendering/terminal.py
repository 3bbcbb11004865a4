"""ImpactReport -> a terminal, with colours where there is one and plain text where it is piped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from bot.rendering.comment import change_lines, headline, open_places, reviewers_named, worth_showing
from bot.rendering.cutting import breadth_first, shown_of
from bot.rendering.escaping import printable, shortened
from bot.rendering.grouping import alike, grouped, more_places, other_files
from bot.rendering.run_commands import reached_tests, run_commands
from index.config import NAME as CONFIG_NAME
from index.impact.nouns import Hop, ImpactReport, Severity, SuggestedTest, Verdict
from index.impact.related_files import because_of, package_of
from index.types import EDGE_LABELS, EdgeKind, PathKind, Symbol, SymbolKind

STYLES: Final = {Severity.WILL_BREAK: "bold red", Severity.MAY_BREAK: "yellow", Severity.FITS: "green"}
MAX_BREAKS, MAX_RISKS, MAX_RANKED, MAX_PATHS, MAX_OTHER = 40, 20, 10, 10, 10
PIPED_WIDTH: Final = 200


def print_report(report: ImpactReport, console: Console) -> None:
    """Prints the report. Nothing from the repository is read as markup, and control characters are shown as U+FFFD.
    Where it is piped: no colours, no line folded before `PIPED_WIDTH`, no spaces at the ends of lines."""
    if console.is_terminal:
        console.print(terminal(report), crop=False)
        return
    plain = Console(file=console.file, width=max(console.width, PIPED_WIDTH), no_color=True, force_terminal=False, highlight=False)
    with plain.capture() as captured:
        plain.print(terminal(report), crop=False)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def terminal(report: ImpactReport) -> RenderableType:
    """The report as something rich can print at any width."""
    if report.quiet:
        tests = _run_first(reached_tests(report.tests))
        said = Text(f"No impact. {printable(report.quiet)}")
        return said if tests is None else Group(said, Text(), tests)
    sections = (
        _headline(report),
        _settings(report),
        _verdicts("Will break", report.breaks, report, MAX_BREAKS, Severity.WILL_BREAK),
        _ranked(report),
        _run_first(report.tests),
        _people(report),
        _verdicts("At risk", report.at_risk, report, MAX_RISKS, Severity.MAY_BREAK),
        _paths(report),
        _related(report),
        _uncovered(report),
    )
    found = [section for section in sections if section is not None]
    return Group(*(part for section in found for part in ([section] if section is found[0] else [Text(), section])))


def _headline(report: ImpactReport) -> RenderableType:
    style = "bold red" if report.breaks else "bold yellow" if report.at_risk else "bold"
    text = Text()
    text.append(f"Blast radius: {headline(report)}", style)
    text.append(f"\nhead {_safe(report.head[:10])} against {_safe(report.base[:10])}", "dim")
    return text


def _settings(report: ImpactReport) -> RenderableType | None:
    wrong = [one for one in report.problems if one.path == CONFIG_NAME]
    lines = [f"{one.path}{f' line {one.line}' if one.line else ''}: {one.message}" for one in wrong]
    lines += [f"No comment would be written: {report.silent}"] if report.silent else []
    return Text("\n".join(map(printable, lines)), "yellow") if lines else None


def _verdicts(title: str, verdicts: Sequence[Verdict], report: ImpactReport, limit: int, severity: Severity) -> RenderableType | None:
    rows = grouped(verdicts, report)
    chosen = breadth_first(rows, lambda row: package_of(row[0].site.path), limit)
    if not chosen:
        return None
    table = _table(f"{title} ({shown_of(sum(map(len, chosen)), len(verdicts))})", "Where", "Why", "How sure")
    for row in chosen:
        first = row[0]
        where = f"{first.site.path}:{first.site.line}{more_places(row)}"
        where += " (test)" if first.site.path_kind is PathKind.TEST else ""
        table.add_row(Text(_safe(where), STYLES[severity]), _sentence(first.reason), _sentence(first.hedge or first.site.tier.label))
    return table


def _ranked(report: ImpactReport) -> RenderableType | None:
    rows = worth_showing(report)
    if not rows:
        return None
    table = _table(
        f"Changed symbols, ranked ({shown_of(min(len(rows), MAX_RANKED), len(rows))})", "Symbol", "Change", "Direct / all", "Tests", "Where"
    )
    for row in rows[:MAX_RANKED]:
        one = report.changed[row.changed]
        reach = f"{row.direct:,} / {'≥ ' if row.unresolved else ''}{row.total:,}"
        name = Text(_safe(_named(one.symbol)), "bold")
        place = Text(_safe(f"{one.symbol.path}:{one.symbol.line}"), "dim")
        table.add_row(name, _sentence("; ".join(change_lines(one))), reach, f"{row.tests:,}", place)
    return table


def _run_first(tests: Sequence[SuggestedTest]) -> RenderableType | None:
    found = run_commands(tests)
    if not found.chosen:
        return None
    text = Text("Run first", "bold")
    text.append(f" ({printable(found.why)})", "not bold dim")
    lines = (*found.commands, *found.files)  # to paste: a line that is folded would be two commands
    return Group(text, *(Text(f"  {printable(line)}", "green", no_wrap=True, overflow="ignore") for line in lines))


def _people(report: ImpactReport) -> RenderableType | None:
    named = [] if "reviewers" in report.settings.sections_off else reviewers_named(report)
    if not named:
        return None
    text = Text("Who should look", "bold")
    for one in named:
        text.append(f"\n  {_safe(one.name)}{' team' if one.team else ''}", "not bold cyan")
        text.append(f"  {_safe(one.why)}", "not bold dim")
    return text


def _paths(report: ImpactReport) -> RenderableType | None:
    """What is reached, as trees: a changed definition, who uses it, who uses that. What paths share is shown once."""
    chosen = breadth_first(report.reached, lambda one: one.package, MAX_PATHS)
    if not chosen:
        return None
    states = {(one.site.path, one.site.source.qualified): STYLES[one.severity] for one in (*report.at_risk, *report.breaks)}
    trees: dict[int, Tree] = {}
    branches: dict[tuple[int, tuple[Hop, ...]], Tree] = {}
    for one in chosen:
        if one.changed not in trees:
            trees[one.changed] = Tree(Text(_safe(_named(report.changed[one.changed].symbol)), "bold"), guide_style="dim")
        at = trees[one.changed]
        for end in range(1, len(one.hops) + 1):
            hops = one.hops[-end:]
            if (one.changed, hops) not in branches:
                branches[one.changed, hops] = at.add(_branch(hops[0], states.get((hops[0].path, hops[0].source), "")))
            at = branches[one.changed, hops]
    total = sum(one.reached for one in report.packages)
    return Group(Text(f"Reached, and why ({shown_of(len(chosen), total)})", "bold"), *trees.values())


def _named(symbol: Symbol) -> str:
    """The path stands for what runs at the top of a file."""
    return symbol.path if symbol.kind == SymbolKind.MODULE else symbol.qualified


def _branch(hop: Hop, style: str) -> Text:
    text = Text()
    text.append(_safe(hop.source), style or "cyan")
    does = "names it as a type" if hop.kind is EdgeKind.TYPE else f"{EDGE_LABELS[hop.kind]} it"
    text.append(f"  {does} in {_safe(hop.path)}:{hop.line}", "dim")
    if hop.tier:
        text.append(f"  {hop.tier.label}", "magenta")
    return text


def _related(report: ImpactReport) -> RenderableType | None:
    files = other_files(report)
    if not report.together and not files:
        return None
    text = Text()
    if report.together:
        text.append("Usually change together, not here", "bold")
        for one in report.together[:3]:
            text.append(f"\n  {_safe(one.path)} ({one.commits} of {one.of} commits with {_safe(one.with_path)})", "not bold")
    if files:
        text.append(
            ("\n\n" if report.together else "") + f"Other files it may concern ({shown_of(min(len(files), MAX_OTHER), len(files))})",
            "bold",
        )
        text.append(" by names, words and history alone", "not bold dim")
        for file in files[:MAX_OTHER]:
            text.append(f"\n  {_safe(file.path)}", "not bold")
            text.append(f"  {because_of(file)}", "not bold dim")
    return text


def _uncovered(report: ImpactReport) -> RenderableType | None:
    said = list(report.notes)
    said += [f"unresolved: {one.path}:{one.line} uses {one.name} ({one.reason.label})" for one in open_places(report)]
    said += [f"skipped: {one.path}, {one.reason}" for one in report.skipped]
    for same in alike([one for one in report.problems if one.path != CONFIG_NAME]):
        one, more = same[0], f" and {len(same) - 1:,} more" if len(same) > 1 else ""
        said.append(f"{one.path}{f':{one.line}' if one.line else ''}{more}: {one.message}" if one.path else one.message)
    if not said:
        return None
    text = Text(f"What this does not cover ({shown_of(min(len(said), MAX_OTHER), len(said))})", "bold")
    for line in said[:MAX_OTHER]:
        text.append(f"\n  {printable(line)}", "not bold dim")
    return text


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold", justify="right" if name in ("Direct / all", "Tests") else "left")
    return table


def _sentence(text: str) -> Text:
    """A sentence with `names` in backticks -> the names in bold, without the backticks."""
    made = Text()
    for at, piece in enumerate(printable(text).split("`")):
        made.append(piece, "bold" if at % 2 else "")
    return made


def _safe(text: str) -> str:
    return shortened(printable(text))
