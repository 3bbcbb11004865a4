"""ImpactReport -> one HTML page that needs nothing else: tables, and a graph to walk through. It works from a file, offline.

Whatever comes from the repository is hostile. In the tables it is escaped; the graph's data is JSON in a block that no browser runs, with
every character that could end it escaped, and the page's script only ever sets text. The policy in the page's head lets nothing run but
that one script, by its hash, and nothing be fetched at all."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final

from bot.rendering.comment import CommentOptions, change_lines, open_places, reviewers_named, worth_showing
from bot.rendering.cutting import breadth_first, counted, shown_of
from bot.rendering.escaping import printable, shortened
from bot.rendering.grouping import alike, other_files
from bot.rendering.run_commands import reached_tests, run_commands
from bot.rendering.run_summary import total_reached
from index.config import NAME as CONFIG_NAME
from index.impact.nouns import ChangedSymbol, ImpactReport, Reached, Verdict
from index.impact.related_files import because_of, package_of
from index.types import EDGE_LABELS, PathKind, SymbolKind, Tier

MAX_NODES: Final = 600  # reached definitions in the graph's data
SHOWN: Final = 40  # of them drawn at first
MAX_ROWS: Final = 1_000  # of one table
MAX_TEXT: Final = 300  # characters of a name, a path or a line
MAX_SAYS: Final = 8  # verdicts told of one node
TIER_WORDS: Final = tuple(tier.label for tier in Tier)


def render_html(report: ImpactReport, options: CommentOptions | None = None) -> str:
    """The report as a page. The same report and options give the same bytes."""
    options = options or CommentOptions()
    script, style = _file("report.js"), _file("report.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    graph = _Graph(report, options)
    data = {"nodes": graph.nodes, "edges": graph.edges, "shown": SHOWN}
    body = _quiet(report) if report.quiet else f"{_tiles(report)}{_wrong(report)}{_map(graph)}{_tables(report, options, graph)}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>Blast radius {_text(report.base[:10])} to {_text(report.head[:10])}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{_top(report)}<main>\n{body}</main>\n{_foot(options)}"
        f'<script type="application/json" id="data">{_json(data)}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


@cache
def _file(name: str) -> str:
    return resources.files("bot.rendering").joinpath("page", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it can end the element, begin a comment or a tag."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# ---- text


def _plain(text: str) -> str:
    return shortened(printable(text), MAX_TEXT)


def _text(text: str) -> str:
    return html.escape(_plain(text))


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _sentence(text: str) -> str:
    """A sentence with `names` in backticks -> the names as code."""
    pieces = _plain(text).split("`")
    return "".join(f"<code>{html.escape(piece)}</code>" if at % 2 else html.escape(piece) for at, piece in enumerate(pieces))


def _place(path: str, line: int, commit: str, options: CommentOptions) -> str:
    shown = f"<code>{_text(f'{path}:{line}' if line else path)}</code>"
    url = options.link(commit, path, line)
    return f'<a href="{html.escape(url)}" target="_blank" rel="noopener noreferrer">{shown}</a>' if url else shown


# ---- the graph's data


class _Graph:
    """Changed and reached definitions with the uses that lead from one to the other; rows of `nodes` are numbers in `edges`."""

    def __init__(self, report: ImpactReport, options: CommentOptions) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []
        self._rows: dict[tuple[str, str], int] = {}
        self._edge_rows: dict[tuple[int, int, str, int], int] = {}
        self._report, self._options = report, options
        self._broken = {(one.site.path, one.site.source.qualified, one.site.line) for one in report.breaks}
        self._verdicts: dict[tuple[str, str], list[Verdict]] = {}
        for verdict in (*report.breaks, *report.at_risk):
            self._verdicts.setdefault((verdict.site.path, verdict.site.source.qualified), []).append(verdict)
        self._breaks = {(one.site.path, one.site.source.qualified) for one in report.breaks}
        used = {one.changed for one in report.reached} | {one.changed for one in (*report.breaks, *report.at_risk)}
        for row in [*(row.changed for row in report.ranked), *sorted(used)]:
            if row in used:
                self._changed(report.changed[row])
        for one in breadth_first(report.reached, lambda reached: reached.package, MAX_NODES):
            self._reached(one)
        for verdict in report.breaks[:MAX_NODES]:  # also where the use is in a test, which is not among what is reached
            self._used(verdict)

    def row(self, path: str, qualified: str) -> int | None:
        return self._rows.get((path, qualified))

    def _node(self, path: str, qualified: str, line: int, commit: str, **more: Any) -> int:
        key = (path, qualified)
        if key not in self._rows:
            self._rows[key] = len(self.nodes)
            name = path.rsplit("/", 1)[-1] if qualified == "<module>" else qualified
            node = {"name": _plain(name), "path": _plain(path), "line": line, "url": self._options.link(commit, path, line)}
            self.nodes.append({**node, "kind": "reached", "state": "", "tier": 0, "steps": 1, "says": [], "path_edges": [], **more})
        return self._rows[key]

    def _changed(self, one: ChangedSymbol) -> int:
        commit = self._report.base if one.after is None else self._report.head
        says = [{"text": _plain(line)} for line in change_lines(one)]
        return self._node(
            one.symbol.path, one.symbol.qualified, one.symbol.line, commit, kind="changed", state="changed", steps=0, says=says
        )

    def _reached(self, one: Reached) -> None:
        ahead = self._changed(self._report.changed[one.changed])
        path: list[int] = []
        for steps, hop in enumerate(reversed(one.hops), 1):
            first = steps == len(one.hops)
            line = one.symbol.line if first else hop.line
            behind = self._node(
                hop.path, hop.source, line, self._report.head, **self._state(hop.path, hop.source), steps=steps, tier=int(hop.tier)
            )
            path = [self._edge(behind, ahead, EDGE_LABELS[hop.kind], int(hop.tier), hop.path, hop.line), *path]
            node = self.nodes[behind]
            if node["kind"] == "reached" and (first or not node["path_edges"]):
                node.update(path_edges=list(path), steps=steps, tier=max(self.edges[row]["tier"] for row in path))
                if first:
                    node.update(line=one.symbol.line, url=self._options.link(self._report.head, hop.path, one.symbol.line))
            ahead = behind

    def _used(self, verdict: Verdict) -> None:
        site = verdict.site
        ahead = self._changed(self._report.changed[verdict.changed])
        state = self._state(site.path, site.source.qualified)
        behind = self._node(site.path, site.source.qualified, site.line, self._report.head, **state, tier=int(site.tier))
        if behind != ahead and not self.nodes[behind]["path_edges"] and self.nodes[behind]["kind"] == "reached":
            self.nodes[behind]["path_edges"] = [self._edge(behind, ahead, site.kind.label, int(site.tier), site.path, site.line)]

    def _state(self, path: str, qualified: str) -> dict[str, Any]:
        found = self._verdicts.get((path, qualified), [])
        state = "break" if (path, qualified) in self._breaks else "risk" if found else ""
        return {"state": state, "says": [self._said(one) for one in found[:MAX_SAYS]]}

    def _said(self, one: Verdict) -> dict[str, Any]:
        site = one.site
        text = f"{one.reason}{f' ({one.hedge})' if one.hedge else ''}"
        url = self._options.link(self._report.head, site.path, site.line)
        return {"text": _plain(text), "path": _plain(site.path), "line": site.line, "url": url, "source": _plain(site.text)}

    def _edge(self, behind: int, ahead: int, use: str, tier: int, path: str, line: int) -> int:
        key = (behind, ahead, use, line)
        if key not in self._edge_rows:
            self._edge_rows[key] = len(self.edges)
            self.edges.append(
                {
                    "from": behind,
                    "to": ahead,
                    "use": use,
                    "tier": tier,
                    "path": _plain(path),
                    "line": line,
                    "url": self._options.link(self._report.head, path, line),
                    "breaks": self.nodes[behind]["state"] == "break" and self.nodes[ahead]["kind"] == "changed",
                }
            )
        return self._edge_rows[key]


# ---- the page


def _top(report: ImpactReport) -> str:
    said = f"{_code(report.head[:10])} against {_code(report.base[:10])}"
    if report.open_sites:
        said += f" · lower bound: {counted(len(open_places(report)), 'unresolved site')} could add to it"
    return (
        f'<header class="top"><div><h1>Blast radius</h1><p>{said}</p></div>'
        '<button class="button" id="theme" type="button">Light or dark</button></header>\n'
    )


def _quiet(report: ImpactReport) -> str:
    tests = _tests(replace(report, tests=reached_tests(report.tests)))
    return f'<p class="quiet"><strong>No impact.</strong> {_sentence(report.quiet)}</p>\n{tests}{_wrong(report)}'


def _wrong(report: ImpactReport) -> str:
    """What is wrong with the settings, and why no comment would be written."""
    lines = [f"{_code(CONFIG_NAME)} line {one.line}: {_sentence(one.message)}" for one in report.problems if one.path == CONFIG_NAME]
    lines += [f"No comment would be written: {_sentence(report.silent)}"] if report.silent else []
    return f'<div class="wrong">{"<br>".join(lines)}</div>\n' if lines else ""


def _tiles(report: ImpactReport) -> str:
    bound = "≥ " if report.open_sites else ""
    packages = sum(1 for one in report.packages if one.reached)
    tiles = (
        ("break" if report.breaks else "calm", f"{len(report.breaks):,}", "will break"),
        ("risk" if report.at_risk else "", f"{len(report.at_risk):,}", "at risk"),
        ("", f"{bound}{total_reached(report):,}", f"reachable in {counted(packages, 'package')}"),
        ("", f"{len(worth_showing(report)):,}", "changed definitions"),
        ("", f"{run_commands(report.tests).chosen:,}", "tests to run first"),
        ("calm" if report.fits else "", f"{report.fits:,}", "uses checked that still fit"),
    )
    rows = "".join(f'<li class="tile {kind}"><b>{number}</b><span>{what}</span></li>' for kind, number, what in tiles)
    return f'<ul class="tiles">{rows}</ul>\n'


def _map(graph: _Graph) -> str:
    if not graph.edges:
        return ""
    tiers = "".join(
        f'<label><input type="checkbox" id="tier-{name}" checked><span class="swatch {name}"></span>{name}</label>' for name in TIER_WORDS
    )
    return (
        '<div class="sheet map"><div class="bar"><strong>Who uses what changed</strong><span class="gap"></span>'
        f'{tiers}<input type="search" id="search" placeholder="Find a name or a file" aria-label="Find in the graph"></div>\n'
        '<div class="canvas" id="canvas"><svg tabindex="0" role="application" aria-label="Graph of uses: arrows pan, plus and minus zoom, '
        '0 shows all"><g class="world"></g></svg>'
        '<button class="button more" id="more" type="button" hidden>Show more</button>'
        '<div class="zoom"><button class="button" id="further" type="button" aria-label="Smaller">−</button>'
        '<button class="button" id="closer" type="button" aria-label="Larger">+</button>'
        '<button class="button" id="fit" type="button">Fit</button></div></div>\n'
        '<aside class="panel" id="panel" aria-live="polite"></aside></div>\n'
    )


def _tables(report: ImpactReport, options: CommentOptions, graph: _Graph) -> str:
    """Every part that has something to say, as a section; the script makes tabs of them."""
    parts = (
        ("breaks", f"Will break ({len(report.breaks):,})", _verdicts(report.breaks, report, options, graph)),
        ("risks", f"At risk ({len(report.at_risk):,})", _verdicts(report.at_risk, report, options, graph)),
        ("changed", f"Changed ({len(worth_showing(report)):,})", _changes(report, options, graph)),
        ("reached", f"Reached ({total_reached(report):,})", _places(report, options, graph)),
        ("tests", f"Tests ({len(report.tests):,})", _tests(report)),
        ("people", "People and files", _people(report, options)),
        ("uncovered", "Not covered", _uncovered(report, options)),
    )
    found = [part for part in parts if part[2]]
    tabs = "".join(f'<button class="button" type="button" data-tab="{name}">{title}</button>' for name, title, _ in found)
    search = '<input type="search" id="sift" placeholder="Filter the rows" aria-label="Filter the rows">'
    sections = "".join(f'<section class="sheet part" id="{name}"><h2>{title}</h2>\n{text}</section>\n' for name, title, text in found)
    return f'<nav class="tabs" aria-label="Parts of the report">{tabs}{search}</nav>\n{sections}'


def _table(head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], total: int, numbers: Iterable[int] = ()) -> str:
    """Rows of (attributes, cells that are HTML already); says how many are not shown."""
    right = set(numbers)
    said = "".join(f"<th{' class=number' if at in right else ''}>{name}</th>" for at, name in enumerate(head))
    lines = [
        f"<tr{attributes}>" + "".join(f"<td{' class=number' if at in right else ''}>{cell}</td>" for at, cell in enumerate(cells)) + "</tr>"
        for attributes, cells in rows[:MAX_ROWS]
    ]
    cut = f"<p>{shown_of(min(len(rows), MAX_ROWS), total)} shown.</p>" if total > min(len(rows), MAX_ROWS) else ""
    return f'<div class="scroll"><table><thead><tr>{said}</tr></thead>\n<tbody>' + "\n".join(lines) + f"</tbody></table></div>{cut}\n"


def _at_node(row: int | None) -> str:
    return "" if row is None else f' data-node="{row}"'


def _verdicts(verdicts: Sequence[Verdict], report: ImpactReport, options: CommentOptions, graph: _Graph) -> str:
    if not verdicts:
        return ""
    rows = []
    for one in breadth_first(verdicts, lambda verdict: package_of(verdict.site.path), MAX_ROWS):
        site = one.site
        test = " (test)" if site.path_kind is PathKind.TEST else ""
        how = _sentence(one.hedge) if one.hedge else " → ".join((site.tier.label, *(step.name.lower() for step in site.chain)))
        cells = (_place(site.path, site.line, report.head, options) + test, _sentence(one.reason), _code(site.text), how)
        rows.append((_at_node(graph.row(site.path, site.source.qualified)), cells))
    return _table(("Where", "Why", "The line", "How we know"), rows, len(verdicts))


def _changes(report: ImpactReport, options: CommentOptions, graph: _Graph) -> str:
    found = worth_showing(report)
    owners = {one.path: one.owners for one in report.owners}
    rows = []
    for row in found:
        one = report.changed[row.changed]
        symbol = one.symbol
        name = symbol.path if symbol.kind == SymbolKind.MODULE else symbol.qualified
        commit = report.base if one.after is None else report.head
        tiers = [f"{word} {count:,}" for word, count in zip(TIER_WORDS, row.tiers, strict=True) if count]
        cells = (
            f"<strong>{_code(name)}</strong><br>{_place(symbol.path, symbol.line, commit, options)}",
            "<br>".join(map(_sentence, change_lines(one))),
            f"{row.direct:,} / {'≥ ' if row.unresolved else ''}{row.total:,}",
            f"{row.breaks:,}",
            f"{row.tests:,}",
            ", ".join(tiers),
            ", ".join(map(_code, owners.get(symbol.path, ()))),
        )
        rows.append((_at_node(graph.row(symbol.path, symbol.qualified)), cells))
    head = ("Definition", "Change", "Direct / all", "Breaks", "Tests", "Direct uses", "Owner")
    return _table(head, rows, len(found), (2, 3, 4)) if rows else ""


def _places(report: ImpactReport, options: CommentOptions, graph: _Graph) -> str:
    rows = []
    for one in breadth_first(report.reached, lambda reached: reached.package, MAX_ROWS):
        path = " ← ".join([_code(one.hops[-1].target), *(_code(hop.source) for hop in reversed(one.hops))])
        cells = (
            _place(one.symbol.path, one.symbol.line, report.head, options),
            _code(one.symbol.qualified),
            path,
            one.tier.label,
            f"{one.steps}",
        )
        rows.append((_at_node(graph.row(one.symbol.path, one.symbol.qualified)), cells))
    return _table(("Where", "Definition", "Path from the change", "How sure", "Steps"), rows, total_reached(report), (4,)) if rows else ""


def _tests(report: ImpactReport) -> str:
    if not report.tests:
        return ""
    found = run_commands(report.tests)
    run = "".join(f'<pre class="run">{html.escape(printable(line))}</pre>' for line in (*found.commands, *found.files))
    why = f"<p>{_sentence(found.why)}</p>" if found.why else ""
    rows = [
        ("", (_code(f"{one.path}:{one.line}"), _code(one.qualified or "the whole file"), _sentence(one.because))) for one in report.tests
    ]
    return f"{run}{why}{_table(('Where', 'Test', 'Why'), rows, len(rows))}"


def _people(report: ImpactReport, options: CommentOptions) -> str:
    lines = [
        f"{_text(one.name)}{' team' if one.team else ''}{f' – {_sentence(one.why)}' if one.why else ''}"
        for one in reviewers_named(report, options.author)
    ]
    out = _list("Who should look", lines)
    out += _list(
        "Usually change together, and not here",
        [f"{_code(one.path)} – {one.commits} of {one.of} commits with {_code(one.with_path)}" for one in report.together],
    )
    out += _list(
        "Mentions outside the graph: text or meaning, never counted as callers",
        [f"{_place(one.path, one.line, report.head, options)} {_sentence(one.because)}" for one in report.mentions],
    )
    return out + _list(
        "Other files it may concern, by names, words and history alone",
        [f"{_code(one.path)} – {_text(because_of(one))}" for one in other_files(report)[:30]],
    )


def _uncovered(report: ImpactReport, options: CommentOptions) -> str:
    out = _list("Notes", [_sentence(note) for note in report.notes])
    out += _list(
        "Unresolved uses that could reach the change",
        [f"{_place(one.path, one.line, report.head, options)} uses {_code(one.name)} ({one.reason.label})" for one in open_places(report)],
    )
    out += _list("Skipped", [f"{_code(one.path)} – {_sentence(one.reason)}" for one in report.skipped])
    problems = [one for one in report.problems if one.path != CONFIG_NAME]
    said = []
    for same in alike(problems):
        one, more = same[0], f" and {len(same) - 1:,} more files" if len(same) > 1 else ""
        said.append(f"{_code(f'{one.path}:{one.line}' if one.line else one.path)}{more}: {_sentence(one.message)}")
    out += _list("Problems", said)
    neutral = [f"{_code(one.path if one.qualified == '<module>' else one.qualified)}: {_sentence(one.reason)}" for one in report.neutral]
    return out + _list("Left out, because it can't change what the code does", neutral)


def _list(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = f"<p>{shown_of(MAX_ROWS, len(lines))} shown.</p>" if len(lines) > MAX_ROWS else ""
    return f'<h2>{title}</h2><ul class="plain">' + "".join(f"<li>{line}</li>" for line in lines[:MAX_ROWS]) + f"</ul>{more}\n"


def _foot(options: CommentOptions) -> str:
    version = f" {_text(options.engine)}" if options.engine else ""
    return f"<footer>Made by Maguyva{version}. This page asks nothing of any network.</footer>\n"
