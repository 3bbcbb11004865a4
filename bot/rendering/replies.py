"""What we answer in a thread where that is no search: the table of commands, and parts of the report of the pull request. Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from bot.commands import ALL_ROWS, NAME
from bot.rendering.comment import CommentOptions, compared, evidence_path, render_sections, silent_line
from bot.rendering.cutting import shown_of
from bot.rendering.escaping import code, prose
from bot.rendering.run_commands import reached_tests
from index.impact.nouns import ImpactReport
from index.types import Symbol

MOST_PATHS: Final = 10
BUDGET: Final = 30_000


def answer_marker(comment: int, line: int) -> str:
    """What the answer to a command begins with, by the id of its comment and its line there: so it is found again."""
    return f"<!-- maguyva:answer:v1 {comment}:{line} -->"


def help_reply() -> str:
    """The commands, as their table says."""
    rows = [f"| `{NAME} {row.shown}` | {row.about} |" for row in ALL_ROWS]
    return "\n".join(["| write | to get |", "| :-- | :-- |", *rows]) + "\n"


def tests_reply(report: ImpactReport, options: CommentOptions) -> str:
    """The tests to run first, as a command to paste, and why these."""
    if report.quiet:
        report = replace(report, tests=reached_tests(report.tests), together=())
        shown = render_sections(report, replace(options, without=options.without | {"reviewers"}), ["run_first"], BUDGET)
        return "\n\n".join(part for part in (silent_line(report), shown) if part) + "\n"
    shown = render_sections(report, options, ["run_first"], BUDGET)
    return f"{compared(report, options)}\n\n{shown or 'No test is known to reach this change.'}\n"


def why_reply(report: ImpactReport, written: str, options: CommentOptions) -> str:
    """How the change reaches the symbol that somebody wrote down: each path, with its places and how sure each step is."""
    name = written.strip().strip("`")
    if report.quiet:
        return f"{silent_line(report)}\n"
    found = [one for one in report.reached if is_meant(one.symbol, name)]
    broken = [one for one in report.breaks if is_meant(one.site.source, name)]
    if not found and not broken:
        changed = [one for one in report.changed if is_meant(one.symbol, name)]
        said = f"{code(name)} is changed here itself." if changed else f"Nothing that is known leads from this change to {code(name)}."
        return f"{said}{_lower_bound(report)}\n"
    lines = [f"- **will break**: {code(f'{one.site.path}:{one.site.line}')} {prose(one.reason)}" for one in broken[:MOST_PATHS]]
    lines += [f"- {evidence_path(one, report, options.link)}" for one in found[:MOST_PATHS]]
    title = f"How the change reaches {code(name)} ({shown_of(min(len(found), MOST_PATHS), len(found))})"
    return "\n".join([f"{title}:", "", *lines]) + f"\n{_lower_bound(report)}\n"


def path_reply(steps: Sequence[str]) -> str:
    """The lines of `Engine.why` -> the same as a list."""
    return "\n".join(f"{number}. {code(step)}" for number, step in enumerate(steps, 1)) + "\n"


def _lower_bound(report: ImpactReport) -> str:
    if not report.open_sites:
        return ""
    places = sorted({(one.path, one.line) for one in report.open_sites})
    return f"\n\n{len(places):,} unresolved sites could reach the change too: {_places(places)}."


def _places(places: Iterable[tuple[str, int]]) -> str:
    every = [code(f"{path}:{line}") for path, line in places]
    return ", ".join(every[:5]) + (f" and {len(every) - 5:,} more" if len(every) > 5 else "")


def is_meant(symbol: Symbol, written: str) -> bool:
    """Whether somebody who writes `total`, `Cart.total`, `shop.cart.Cart.total` or `shop/cart.py::Cart.total` means this symbol."""
    path, _, qualified = written.rpartition("::")
    if path and symbol.path != path.removeprefix("./"):
        return False
    module = symbol.path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    full = f"{module}.{symbol.qualified}"
    return symbol.qualified == qualified or full == qualified or full.endswith(f".{qualified}")
