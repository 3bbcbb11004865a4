"""Verdicts -> rows: one for every file, changed symbol and reason; for a hub, one for every package. A row is acknowledged by its id.

And what of a report is told once only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence, Set

from bot.rendering.cutting import lines_of
from index.impact.nouns import ImpactReport, RankedFile, Verdict
from index.impact.related_files import package_of
from index.types import Problem, Tier


def grouped(verdicts: Sequence[Verdict], report: ImpactReport) -> list[list[Verdict]]:
    """Verdicts of one file for one reason share a row, and those of one package where half the repository uses what changed. Rows keep
    the order of their first verdict."""
    hubs = {row.changed for row in report.ranked if row.is_hub}
    found: dict[tuple[str, int, str, str], list[Verdict]] = {}
    for one in verdicts:
        site = one.site
        where = package_of(site.path) + "/" if one.changed in hubs else site.path
        # a call that may be any of several changed functions is one place to look at
        is_guess = site.tier is Tier.POSSIBLE and one.changed not in hubs
        guess = (f"{where}:{site.line}:{site.column}", -1, "", "") if is_guess else None
        found.setdefault(guess or (where, one.changed, one.reason, one.hedge), []).append(one)
    return list(found.values())


def row_id(row: Sequence[Verdict]) -> str:
    """Eight hex digits: of one verdict its own; of several they change when one joins, so that what was acknowledged hides no new use."""
    ids = sorted({one.id for one in row})
    return ids[0] if len(ids) == 1 else hashlib.blake2b("".join(ids).encode(), digest_size=4).hexdigest()


def is_acknowledged(row: Sequence[Verdict], acknowledged: Set[str]) -> bool:
    """By the id of the row, or by the ids of all its verdicts."""
    return row_id(row) in acknowledged or all(one.id in acknowledged for one in row)


def open_breaks(report: ImpactReport, acknowledged: Set[str]) -> list[Verdict]:
    """The breaks that nobody has acknowledged."""
    rows = grouped(report.breaks, report)
    return [one for row in rows if not is_acknowledged(row, acknowledged) for one in row]


def more_places(row: Sequence[Verdict]) -> str:
    """What follows the first place of a row: ", also 41, 50" in one file, " and 12 more in 4 files" in several."""
    first, files = row[0].site, {one.site.path for one in row}
    if len(files) > 1:
        return f" and {len(row) - 1:,} more in {len(files):,} files"
    more = lines_of(one.site.line for one in row[1:] if one.site.line != first.line)
    return f", also {more}" if more else ""


def alike(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Problems in their order; the ones of whole files that say the same are together."""
    found: dict[tuple[str, int, str], list[Problem]] = {}
    for one in problems:
        whole_file = bool(one.path) and not one.line
        found.setdefault(("" if whole_file else one.path, -1 if whole_file else one.line, one.message), []).append(one)
    return list(found.values())


def other_files(report: ImpactReport) -> list[RankedFile]:
    """Files that may be concerned and that nothing else in the report names; not those that are only close by."""
    named = {one.site.path for one in (*report.breaks, *report.at_risk)} | {one.symbol.path for one in report.reached}
    named |= {one.path for one in report.tests} | {one.path for one in report.together} | {one.path for one in report.mentions}
    return [one for one in report.files if one.path not in named and [part.name for part in one.parts] != ["near"]]
