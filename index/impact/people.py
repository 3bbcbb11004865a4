"""Owners of paths and authors of lines -> who should look at a change. Never its author, never a program."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from index.files.paths import raw
from index.impact.nouns import ImpactReport, Reviewer
from index.impact.owners import CodeOwners, Owner
from index.types import PathKind

MAX_FILES: Final = 8  # whose history is read; each costs one git process
MAX_LINES: Final = 400  # of one file
AROUND: Final = 2  # lines before and after a use
LEAST_SHARE: Final = 0.1  # of the impacted lines, from which on someone is named
MAX_PEOPLE: Final = 3
MAX_OWNERS: Final = 5

_BOT: Final = re.compile(
    r"(?i)\[bot\]|(?:^|[-_. ])bot$|^bot[-_. ]|^(?:dependabot|renovate|greenkeeper|pre-commit-ci|github-actions|snyk|imgbot|mergify|codecov|"
    r"allcontributors|semantic-release|weblate|transifex|pyup)\b|^(?:github|gitlab|web-flow|root|ci|jenkins|travis|travis ci|no-?reply)$"
)
_OWN_ADDRESS: Final = re.compile(r"(?:\d+\+)?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38})?)@users\.noreply\.github\.com")


@dataclass(frozen=True, slots=True)
class Author:
    """Someone as git knows them."""

    name: str
    email: str

    @property
    def login(self) -> str:
        """The account, where the address tells it."""
        found = _OWN_ADDRESS.fullmatch(self.email)
        return found[1] if found else ""

    @property
    def is_bot(self) -> bool:
        return bool(_BOT.search(self.name) or _BOT.search(self.email.partition("@")[0]) or not self.name.strip())


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one file at the base, spans rising and apart."""

    path: bytes
    spans: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)


def impacted_lines(
    report: ImpactReport, in_base: Callable[[str, int], tuple[str, int] | None], lines_in: Callable[[str], int]
) -> list[Lines]:
    """What changed and where it is used, as lines of the base. `in_base`: a place of the head -> of the base, None where it is new.
    `lines_in`: path at the base -> its number of lines. -> the files with the most lines, at most `MAX_FILES`."""
    wanted: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one in report.changed:
        if one.before is not None and one.path_kind is not PathKind.TEST and not one.inside:
            wanted[one.before.path].append((one.before.start_line, one.before.end_line))
    for use in (*report.breaks, *report.at_risk):
        place = in_base(use.site.path, use.site.line) if use.site.path_kind is not PathKind.TEST else None
        if place is not None:
            wanted[place[0]].append((place[1] - AROUND, place[1] + AROUND))
    found = []
    for path, spans in wanted.items():
        merged = _merged(spans, lines_in(path))
        if merged:
            found.append(Lines(raw(path), merged))
    return sorted(found, key=lambda one: (-one.count, one.path))[:MAX_FILES]


def _merged(spans: Iterable[tuple[int, int]], lines: int) -> tuple[tuple[int, int], ...]:
    """Spans within a file of so many lines, joined where they touch, at most `MAX_LINES` lines in all."""
    out: list[tuple[int, int]] = []
    left = MAX_LINES
    for first, last in sorted((max(first, 1), min(last, lines)) for first, last in spans):
        if out and first <= out[-1][1] + 1:
            first = out[-1][1] + 1
        last = min(last, first + left - 1)
        if first > last:
            continue
        left -= last - first + 1
        if out and first == out[-1][1] + 1:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return tuple(out)


def reviewers(
    report: ImpactReport, owners: CodeOwners, written: Mapping[Author, int], of_lines: int, authors: Iterable[Author]
) -> tuple[Reviewer, ...]:
    """`written`: impacted lines of each author, of `of_lines` in all; `authors`: who made the change. -> owners of most impacted files,
    then who wrote most of the lines."""
    made_it = list(authors)
    own = {value for one in made_it for value in (one.name.casefold(), one.email.casefold(), one.login.casefold()) if value}
    found = [*_by_files(report, owners, own), *_by_lines(written, of_lines, own)]
    by_login: dict[str, Reviewer] = {}
    for one in found:
        key = (one.login or one.name).casefold()
        known = by_login.get(key)
        if known is None:
            by_login[key] = one
        else:  # owns and wrote it: one entry that says both
            name = one.name if known.name == known.login else known.name
            by_login[key] = Reviewer(name, known.login, known.team, f"{known.why}, {one.why}", one.share or known.share)
    return tuple(by_login.values())


def _by_files(report: ImpactReport, owners: CodeOwners, own: set[str]) -> list[Reviewer]:
    """Owners of what changed and of what it breaks or puts at risk."""
    paths = sorted({path for path, _ in report.changed_files} | {one.site.path for one in (*report.breaks, *report.at_risk)})
    counts: dict[Owner, int] = defaultdict(int)
    for path in paths:
        for owner in owners.of(raw(path))[0]:
            counts[owner] += 1
    ordered = sorted(counts, key=lambda one: (-counts[one], not one.team, one.name, one.login))
    named = [one for one in ordered if one.login.casefold() not in own and one.name.casefold() not in own]
    many = f"{len(paths):,} impacted files"
    return [
        Reviewer(one.name, one.login, one.team, f"owns {'all' if counts[one] == len(paths) else f'{counts[one]:,}'} of {many}")
        if len(paths) > 1
        else Reviewer(one.name, one.login, one.team, "owns the file")
        for one in named[:MAX_OWNERS]
    ]


def _by_lines(written: Mapping[Author, int], of_lines: int, own: set[str]) -> list[Reviewer]:
    """People by their share of the lines; one who used several addresses, or several spellings with one address, counts once."""
    people: list[tuple[Author, int]] = []
    for group in _same_person(written):
        if any(one.is_bot or one.name.casefold() in own or one.email.casefold() in own for one in group):
            continue
        best = max(group, key=lambda one: (bool(one.login), written[one], one.name, one.email))
        people.append((best, sum(written[one] for one in group)))
    people.sort(key=lambda row: (-row[1], row[0].name, row[0].email))
    return [
        Reviewer(
            _shown(one.name), one.login, False, f"wrote {100 * lines / of_lines:.0f} % of the impacted lines", round(lines / of_lines, 4)
        )
        for one, lines in people[:MAX_PEOPLE]
        if of_lines and lines / of_lines >= LEAST_SHARE
    ]


def _same_person(written: Iterable[Author]) -> list[list[Author]]:
    """Authors who share a name or an address, together."""
    groups: list[list[Author]] = []
    of: dict[str, list[Author]] = {}
    for one in sorted(written, key=lambda author: (author.name, author.email)):
        keys = [f"n {one.name.casefold()}", f"e {one.email.casefold()}"]
        group = next((of[key] for key in keys if key in of), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(one)
        for key in keys:
            of.setdefault(key, group)
    return groups


def _shown(name: str) -> str:
    """A name without an `@` and without what looks like an address: it is somebody's own words."""
    return re.sub(r"\s*<[^>]*>|@\S*", "", name).strip() or "someone"
