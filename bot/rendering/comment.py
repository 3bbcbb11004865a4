"""ImpactReport -> the Markdown of a pull-request comment. The same report and options give the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.rendering.cutting import breadth_first, counted, shown_of
from bot.rendering.escaping import code, label, link, person, prose
from bot.rendering.grouping import alike, grouped, is_acknowledged, more_places, open_breaks, row_id
from bot.rendering.links import LinkTo, no_links
from bot.rendering.run_commands import run_commands
from bot.rendering.run_summary import MARKER, RunSummary, hidden_line, since_last_run, summary_of, total_reached
from index.config import NAME as CONFIG_NAME
from index.impact.nouns import (
    MEANS_NOW,
    PASSES_ON,
    TYPE_WAS,
    ChangedSymbol,
    ChangeKind,
    Hop,
    ImpactReport,
    OpenSite,
    RankedSymbol,
    Reached,
    Reviewer,
    Severity,
    Verdict,
)
from index.impact.related_files import package_of
from index.types import EDGE_LABELS, PathKind, Problem, SymbolKind

BUDGET: Final = 60_000  # characters; GitHub refuses a body of more than 65,536
MAX_NODES: Final = 25
MAX_EDGES: Final = 40
MAX_NAMED: Final = 3  # files named of those with the same problem
MAX_OWNERS: Final = 2  # named in a cell of a table


@dataclass(frozen=True, slots=True)
class CommentOptions:
    """What the report does not know. Every string is escaped where it is shown."""

    link: LinkTo = no_links  # `github_links(url)`; without it places are text alone
    engine: str = ""  # version, for the hidden line
    previous: RunSummary | None = None  # the last run of this pull request, from the service or from `read_hidden`
    rewritten: bool = False  # the head of that run is not among the ancestors of this one: a force-push
    author: str = ""  # account of who made the change: never named as a reviewer
    acknowledged: frozenset[str] = frozenset()  # ids of rows or verdicts that someone has accepted
    without: frozenset[str] = frozenset()  # names in `SECTIONS` that are switched off
    commands: bool = True  # show the ids and the line of /maguyva commands
    budget: int = BUDGET


@dataclass(frozen=True, slots=True)
class Comment:
    body: str
    silent: bool  # nothing to say: no new comment; an existing one is set to `body`


@dataclass(frozen=True, slots=True)
class Limits:
    """How many rows of each section are shown."""

    breaks: int = 10
    more_breaks: int = 200
    at_risk: int = 60
    ranked: int = 5
    more_ranked: int = 60
    paths: int = 40
    graph: int = MAX_NODES
    mentions: int = 20
    uncovered: int = 20
    neutral: int = 20


# What is given up first when the text is too long: each row sets some limits lower, in this order. Totals never change.
LADDER: Final[tuple[dict[str, int], ...]] = (
    {"mentions": 5, "neutral": 5},
    {"mentions": 0, "neutral": 0},
    {"graph": 12},
    {"graph": 0},
    {"paths": 15, "uncovered": 10},
    {"paths": 5, "uncovered": 5},
    {"paths": 0, "uncovered": 2},
    {"at_risk": 20, "more_ranked": 20},
    {"at_risk": 5, "more_ranked": 0},
    {"ranked": 3},
    {"at_risk": 0, "ranked": 1},
    {"more_breaks": 50},
    {"more_breaks": 10},
    {"more_breaks": 0, "breaks": 5},
    {"breaks": 2},
    {"breaks": 1, "uncovered": 0, "ranked": 0},
)

KIND_WORDS: Final = {
    ChangeKind.BODY: "body",
    ChangeKind.VALUE: "value",
    ChangeKind.SIGNATURE: "signature",
    ChangeKind.BASES: "base classes",
    ChangeKind.REEXPORT: "no longer passed on",
    ChangeKind.ADDED: "new",
    ChangeKind.OVERRIDES: "new, overrides what was inherited",
}


def render_comment(report: ImpactReport, options: CommentOptions | None = None) -> Comment:
    """The report as Markdown within the budget. `silent` where nothing matters; its body then says why in one line."""
    options = options or CommentOptions()
    mark = f"{MARKER}\n{hidden_line(summary_of(report, options.engine, options.acknowledged, options.previous))}\n"
    if report.quiet or report.silent:
        return Comment(f"{mark}{silent_line(report)}\n", True)
    names = sections_wanted(report, options)
    return Comment(f"{mark}{render_sections(report, options, names, options.budget - len(mark) - 1)}\n", False)


def silent_line(report: ImpactReport) -> str:
    """What is said where no comment is wanted: the reason, and what is wrong with the settings."""
    line = f"**No impact.** {prose(report.quiet)}" if report.quiet else f"**No comment.** {prose(report.silent)}"
    return "\n\n".join(part for part in (line, _settings(report, CommentOptions(), Limits())) if part)


def sections_wanted(report: ImpactReport, options: CommentOptions, names: Sequence[str] = ()) -> list[str]:
    """Of `names`, by default all: those that neither the settings nor the caller switch off."""
    off = options.without | {part for name in report.settings.sections_off for part in PARTS_OF.get(name, (name,))}
    return [name for name in names or SECTIONS if name not in off]


def render_sections(report: ImpactReport, options: CommentOptions, names: Sequence[str], budget: int) -> str:
    """The sections of those names, in that order, with as many rows as fit into `budget` characters."""
    limits, text = Limits(), ""
    for step in ({}, *LADDER):
        limits = replace(limits, **step)
        text = "\n\n".join(found for name in names if (found := SECTIONS[name](report, options, limits)))
        if len(text) <= budget:
            return text
    return text.partition("\n\n")[0]  # names of a length that no code has: the headline alone


# ── what is always open ──────────────────────────────────────────────────────────────────────────────────────────────


def headline(report: ImpactReport, acknowledged: frozenset[str] = frozenset()) -> str:
    """ "2 sites will break · 9 at risk · 31 reachable in 4 packages · run 4 tests", without Markdown."""
    said = []
    if report.breaks:
        accepted = len(report.breaks) - len(open_breaks(report, acknowledged)) if acknowledged else 0
        said.append(f"{counted(len(report.breaks), 'site')} will break" + (f" ({accepted:,} acknowledged)" if accepted else ""))
    said.append(f"{len(report.at_risk):,} at risk")
    packages = sum(1 for one in report.packages if one.reached)
    bound = "≥ " if report.open_sites else ""
    said.append(f"{bound}{total_reached(report):,} reachable" + (f" in {counted(packages, 'package')}" if packages else ""))
    commands = run_commands(report.tests)
    if commands.chosen:
        said.append(f"run {counted(commands.chosen, 'test')}")
    return " · ".join(said)


def _headline(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    return f"### Blast radius: {headline(report, options.acknowledged)}\n{compared(report, options)}"


def compared(report: ImpactReport, options: CommentOptions) -> str:
    """The line under the headline: which commits, how sure the counts are, and what is different from the last run."""
    said = [f"head {code(report.head[:10])} against {code(report.base[:10])}"]
    if report.open_sites:
        said.append(f"lower bound: {counted(len(open_places(report)), 'unresolved site')} could add to it")
    since = since_last_run(summary_of(report, options.engine, previous=options.previous), options.rewritten)
    return " · ".join([*said, since] if since else said)


def _settings(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    """What is wrong with `.maguyva.yml`, where its author sees it."""
    wrong = [one for one in report.problems if one.path == CONFIG_NAME]
    lines = [f"{code(one.path)}{f' line {one.line}' if one.line else ''}: {prose(one.message)}" for one in wrong[:MAX_NAMED]]
    if len(wrong) > MAX_NAMED:
        lines.append(f"{len(wrong) - MAX_NAMED} more in {code(CONFIG_NAME)}")
    return "  \n".join(lines)


def _breaks(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    if not report.breaks:
        return ""
    rows = grouped(report.breaks, report)
    chosen = breadth_first(rows, lambda row: package_of(row[0].site.path), limits.breaks)
    return _break_table(f"**Will break ({_sites_shown(chosen, report.breaks)})**", chosen, report, options)


def _more_breaks(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    rows = grouped(report.breaks, report)
    shown = breadth_first(rows, lambda row: package_of(row[0].site.path), limits.breaks)
    rest = [row for row in rows if row not in shown]
    chosen = breadth_first(rest, lambda row: package_of(row[0].site.path), limits.more_breaks)
    if not chosen:
        return ""
    total = sum(map(len, rest))
    return _folded(f"More that will break ({shown_of(sum(map(len, chosen)), total)})", _break_table("", chosen, report, options))


def _sites_shown(rows: Sequence[Sequence[Verdict]], everything: Sequence[Verdict]) -> str:
    return shown_of(sum(map(len, rows)), len(everything))


def _break_table(title: str, rows: Sequence[Sequence[Verdict]], report: ImpactReport, options: CommentOptions) -> str:
    lines = [title, "", "| Where | Why |", "| :-- | :-- |"] if title else ["| Where | Why |", "| :-- | :-- |"]
    for row in rows:
        first = row[0]
        lines.append(f"| {_where(row, report, options)} | {prose(first.reason)} ({_evidence(first)}){_id(row, options)} |")
    return "\n".join(lines)


def _linked(path: str, line: int, report: ImpactReport, to: LinkTo) -> str:
    """A place of the head: a permalink, and path:line as text too, for those who read it as mail."""
    return link(code(f"{path}:{line}"), to(report.head, path, line))


def _where(row: Sequence[Verdict], report: ImpactReport, options: CommentOptions) -> str:
    first = row[0].site
    return (
        _linked(first.path, first.line, report, options.link) + more_places(row) + (" (test)" if first.path_kind is PathKind.TEST else "")
    )


def _evidence(one: Verdict) -> str:
    steps = " → ".join(step.name.lower() for step in one.site.chain[:4])
    if one.severity is Severity.WILL_BREAK:
        return f"proved: {steps}" if steps else "proved"
    return prose(one.hedge) if one.hedge else one.site.tier.label


def _id(row: Sequence[Verdict], options: CommentOptions) -> str:
    """What to type after `/maguyva ack`, or that someone did."""
    if is_acknowledged(row, options.acknowledged):
        return " – acknowledged"
    return f" {code(row_id(row))}" if options.commands else ""


def _ranked(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    rows = worth_showing(report)
    if not rows or not limits.ranked:
        return ""
    chosen = rows[: limits.ranked]
    title = f"**Changed symbols, ranked ({shown_of(len(chosen), len(rows))})**"
    return "\n".join([title, "", *_ranked_table(chosen, 1, report, options)])


def _more_ranked(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    rest = worth_showing(report)[limits.ranked :]
    chosen = rest[: limits.more_ranked]
    if not chosen:
        return ""
    return _folded(
        f"More changed symbols ({shown_of(len(chosen), len(rest))})", "\n".join(_ranked_table(chosen, limits.ranked + 1, report, options))
    )


def worth_showing(report: ImpactReport) -> list[RankedSymbol]:
    """New definitions that nothing uses and changed tests are not what a reviewer looks for."""
    used = [row for row in report.ranked if row.total or row.breaks or report.changed[row.changed].kinds != (ChangeKind.ADDED,)]
    # what a function without a name holds and nothing uses by name is told by the definition that hands it out
    used = [row for row in used if row.total or row.breaks or "<lambda>" not in report.changed[row.changed].symbol.qualified] or used
    code_rows = [row for row in used if report.changed[row.changed].path_kind is not PathKind.TEST]
    return code_rows or used


def _ranked_table(rows: Sequence[RankedSymbol], first: int, report: ImpactReport, options: CommentOptions) -> list[str]:
    owners = {one.path: one.owners for one in report.owners}
    head = ["#", "Symbol", "Change", "Direct / all", "Tests", *(["Owner"] if owners else []), "Confidence"]
    lines = [
        f"| {' | '.join(head)} |",
        f"| {' | '.join(':--' if name not in ('#', 'Direct / all', 'Tests') else '--:' for name in head)} |",
    ]
    for number, row in enumerate(rows, first):
        one = report.changed[row.changed]
        cells = [str(number), _symbol(one, report, options), change_words(one), _reach(row), f"{row.tests:,}"]
        cells += [_owner(owners.get(one.symbol.path, ()))] if owners else []
        cells += [_confidence(row)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _owner(owners: Sequence[str]) -> str:
    return ", ".join(map(code, owners[:MAX_OWNERS])) + (f" and {len(owners) - MAX_OWNERS} more" if len(owners) > MAX_OWNERS else "")


def _symbol(one: ChangedSymbol, report: ImpactReport, options: CommentOptions) -> str:
    symbol = one.symbol
    commit = report.base if one.after is None else report.head
    name = symbol.path if symbol.kind == SymbolKind.MODULE else symbol.qualified
    return link(code(name), options.link(commit, symbol.path, symbol.line)) + ("" if name == symbol.path else f"<br>{code(symbol.path)}")


def change_words(one: ChangedSymbol) -> str:
    return "; ".join(map(prose, change_lines(one)))


def change_lines(one: ChangedSymbol) -> list[str]:
    """One phrase per kind of change, names in backticks: ["signature: `currency` is now required", "body"]."""
    said = []
    for kind in one.kinds:
        words = KIND_WORDS.get(kind, kind.value)
        if kind is ChangeKind.RENAMED and one.before is not None:
            words = f"renamed from `{one.before.qualified}`"
        elif kind is ChangeKind.MOVED and one.before is not None:
            words = f"moved from `{one.before.path}`" if one.before.path != one.symbol.path else f"moved from `{one.before.qualified}`"
        elif kind is ChangeKind.SIGNATURE:
            first = next((change for change in one.signature if change.breaking), one.signature[0])
            more = len(one.signature) - 1
            words = f"signature: {first.why}" + (f" and {counted(more, 'more difference')}" if more else "")
        elif kind is ChangeKind.ADDED and ChangeKind.OVERRIDES in one.kinds:
            continue
        elif kind is ChangeKind.OVERRIDES and one.details:
            words = one.details[0]
        elif kind in (ChangeKind.BODY, ChangeKind.VALUE) and one.details and one.details[0].startswith("in `"):
            words = f"{words}, {one.details[0]}"
        elif kind is ChangeKind.BODY and one.details and one.details[0].endswith((MEANS_NOW, "another one there")):
            words = f"{words}: {one.details[0]}"
        elif kind is ChangeKind.REEXPORT and one.details and PASSES_ON in one.details[0]:
            words = one.details[0]
        elif kind is ChangeKind.VALUE and one.details:
            words = one.details[0].removeprefix("its ") if one.details[0].startswith(TYPE_WAS) else f"value: {one.details[0]}"
        elif kind is ChangeKind.SHAPE and one.details:
            words = ", ".join(one.details).removeprefix("its ")
        elif kind in (ChangeKind.BASES, ChangeKind.DECORATORS) and one.details:
            begins = "inherits" if kind is ChangeKind.BASES else "decorated"
            words = next((detail for detail in one.details if detail.startswith(begins)), words)
        said.append(words)
    return said


def _reach(row: RankedSymbol) -> str:
    return f"{row.direct:,} / {'≥ ' if row.unresolved else ''}{row.total:,}"


def _confidence(row: RankedSymbol) -> str:
    said = [f"{name} {count:,}" for name, count in zip(("proved", "likely", "possible"), row.tiers, strict=True) if count]
    said += [f"unresolved {row.unresolved:,}"] if row.unresolved else []
    return " · ".join(said) or "–"


def _run_first(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    lines = []
    commands = run_commands(report.tests)
    if commands.chosen:
        said = [code(command, 1_000) for command in commands.commands] + [code(path) for path in commands.files]
        lines.append(f"**Run first** {' '.join(said)} ({prose(commands.why)})")
    if report.together:
        first = report.together[:3]
        lines.append(
            "**Usually changes together, not here**: "
            + ", ".join(f"{code(one.path)} ({one.commits} of {one.of} commits with {code(one.with_path)})" for one in first)
        )
    hidden = "reviewers" in options.without | report.settings.sections_off
    people = "" if hidden else ", ".join(map(_reviewer, reviewers_named(report, options.author)))
    if people:
        lines.append(f"**Reviewers**: {people}")
    return "  \n".join(lines)


def reviewers_named(report: ImpactReport, author: str = "") -> list[Reviewer]:
    """Those that are named, as many as the settings want, without who made the change."""
    own = author.strip().lstrip("@").casefold()
    known = [one for one in report.reviewers if not own or own not in (one.login.casefold(), one.name.casefold())]
    return known[: report.settings.reviewers]


def _reviewer(one: Reviewer) -> str:
    name = f"{code(one.name)} team" if one.team else person(one.name)
    return f"{name} ({prose(one.why)})" if one.why else name


# ── what is folded ───────────────────────────────────────────────────────────────────────────────────────────────────


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _at_risk(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    rows = grouped(report.at_risk, report)
    chosen = breadth_first(rows, lambda row: package_of(row[0].site.path), limits.at_risk)
    if not chosen:
        return ""
    return _folded(f"At risk ({_sites_shown(chosen, report.at_risk)})", _break_table("", chosen, report, options))


def _paths(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    chosen = breadth_first(report.reached, lambda one: one.package, limits.paths)
    if not chosen:
        return ""
    lines = [f"- {evidence_path(one, report, options.link)}" for one in chosen]
    title = f"Why is each site impacted? (evidence paths, {shown_of(len(chosen), total_reached(report))})"
    return _folded(title, "\n".join(lines))


def evidence_path(one: Reached, report: ImpactReport, to: LinkTo = no_links) -> str:
    """The change ← its user ← the user's user, each with the place and how sure it is."""
    changed = report.changed[one.changed]
    said = [code((changed.before or changed.symbol).qualified if changed.after is None else changed.symbol.qualified)]
    said += [f"← {code(hop.source)} {_hop_words(hop, report, to)}" for hop in reversed(one.hops)]
    return " ".join(said)


def _hop_words(hop: Hop, report: ImpactReport, to: LinkTo) -> str:
    kind = EDGE_LABELS[hop.kind]
    tier = "" if hop.tier == 0 else f", {hop.tier.label}"
    return f"({kind}, {_linked(hop.path, hop.line, report, to)}{tier})"


def _graph(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    drawing = mermaid(report, limits.graph)
    if not drawing:
        return ""
    nodes = drawing.count('["')
    return _folded(f"Graph ({counted(nodes, 'node')})", f"```mermaid\n{drawing}\n```")


def mermaid(report: ImpactReport, max_nodes: int = MAX_NODES, max_edges: int = MAX_EDGES) -> str:
    """A flowchart from users to what changed, within the limits; "" where there is nothing to draw. Changes are bold, breaks red."""
    broken = {(one.site.path, one.site.source.qualified) for one in report.breaks}
    nodes: dict[tuple[str, str], int] = {}
    edges: dict[tuple[int, int, str], None] = {}
    names = {(hop.path, hop.source) for one in report.reached for hop in one.hops}
    count = Counter(name for _, name in names)  # what several definitions are called is told apart by the file
    labels: list[str] = []
    styles: list[str] = []

    def node(key: tuple[str, str], text: str, style: str) -> int | None:
        if key not in nodes:
            if len(nodes) >= max_nodes:
                return None
            nodes[key] = len(nodes)
            labels.append(label(f"{text} in {key[0].rpartition('/')[2]}" if count[text] > 1 else text))
            styles.append(style)
        return nodes[key]

    for one in breadth_first(report.reached, lambda row: row.package, max_nodes):
        changed = report.changed[one.changed].symbol
        ahead = node((changed.path, changed.qualified), changed.qualified, "changed")
        for hop in reversed(one.hops):
            behind = node((hop.path, hop.source), hop.source, "breaks" if (hop.path, hop.source) in broken else "")
            if ahead is None or behind is None:
                break
            if (behind, ahead, hop.kind.label) not in edges and len(edges) < max_edges and behind != ahead:
                edges[behind, ahead, hop.kind.label] = None
            ahead = behind
    if not edges:
        return ""
    lines = ["flowchart LR", *(f'  n{at}["{text}"]' for at, text in enumerate(labels))]
    lines += [f"  n{source} -->|{kind}| n{target}" for source, target, kind in edges]
    lines += ["  classDef changed stroke-width:3px,font-weight:bold", "  classDef breaks stroke:#d1242f,stroke-width:2px"]
    for style in ("changed", "breaks"):
        named = [f"n{at}" for at, found in enumerate(styles) if found == style]
        if named:
            lines.append(f"  class {','.join(named)} {style}")
    return "\n".join(lines)


def _mentions(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    chosen = report.mentions[: limits.mentions]
    if not chosen:
        return ""
    lines = [f"- {_linked(one.path, one.line, report, options.link)} {prose(one.because)}" for one in chosen]
    return _folded(
        f"Mentions outside the graph ({shown_of(len(chosen), len(report.mentions))}): text or meaning, never counted as callers",
        "\n".join(lines),
    )


def _neutral(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    chosen = report.neutral[: limits.neutral]
    if not chosen:
        return ""
    lines = [f"- {code(one.path if one.qualified == '<module>' else one.qualified)}: {prose(one.reason)}" for one in chosen]
    return _folded(f"Left out, because it can't change what the code does ({shown_of(len(chosen), len(report.neutral))})", "\n".join(lines))


def open_places(report: ImpactReport) -> list[OpenSite]:
    """The unresolved sites, each place once: one place may be a use of several changed symbols."""
    return list({(one.path, one.line, one.column): one for one in reversed(report.open_sites)}.values())[::-1]


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """One line per problem; many files with the same one share a line: "27 files: binary (`a.png`, `b.png`, …)"."""
    lines = []
    for same in alike(problems):
        first = same[0]
        place = f"{code(first.path)} line {first.line}: " if first.line else f"{code(first.path)}: " if first.path else ""
        names = ", ".join(code(one.path) for one in same[:MAX_NAMED])
        many = f"{counted(len(same), 'file')}: {prose(first.message)} ({names}{', …' if len(same) > MAX_NAMED else ''})"
        lines.append(many if len(same) > 1 else place + prose(first.message))
    return lines


def _uncovered(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    lines = [f"- {prose(note)}" for note in report.notes]
    for title, rows in (
        (
            "unresolved: ",
            [
                f"{_linked(one.path, one.line, report, options.link)} uses {code(one.name)} ({one.reason.label})"
                for one in open_places(report)
            ],
        ),
        ("skipped: ", [f"{code(one.path)}, {prose(one.reason)}" for one in report.skipped]),
        ("", problem_lines([one for one in report.problems if one.path != CONFIG_NAME])),
    ):
        lines += [f"- {title}{row}" for row in rows[: limits.uncovered]]
        if len(rows) > limits.uncovered:
            lines.append(f"- {title}{len(rows) - limits.uncovered:,} more")
    return _folded("What this does not cover", "\n".join(lines)) if lines else ""


def _commands(report: ImpactReport, options: CommentOptions, limits: Limits) -> str:
    return "<sub>`/maguyva why <symbol>` · `/maguyva tests` · `/maguyva ack <id>` · `.maguyva.yml`</sub>" if options.commands else ""


# What a section of the settings is made of, where that is more than one.
PARTS_OF: Final = {"ranked": ("ranked", "more_ranked")}

# Names in the order of the comment.
SECTIONS: Final[Mapping[str, Callable[[ImpactReport, CommentOptions, Limits], str]]] = {
    "headline": _headline,
    "settings": _settings,
    "breaks": _breaks,
    "ranked": _ranked,
    "run_first": _run_first,
    "more_breaks": _more_breaks,
    "at_risk": _at_risk,
    "paths": _paths,
    "graph": _graph,
    "mentions": _mentions,
    "more_ranked": _more_ranked,
    "neutral": _neutral,
    "uncovered": _uncovered,
    "commands": _commands,
}
