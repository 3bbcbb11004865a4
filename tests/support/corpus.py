"""Markdown -> cases with files and marks; a case and what the engine answers -> the differences. The format is in tests/corpus/README.md.

This module reads and compares; `tests/conftest.py` makes pytest tests of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from index.snapshot import Snapshot
from index.types import EdgeKind, Tier

VERBS: dict[str, frozenset[EdgeKind]] = {
    "uses": frozenset({EdgeKind.CALL, EdgeKind.ACCESS, EdgeKind.DECORATE}),
    "calls": frozenset({EdgeKind.CALL}),
    "accesses": frozenset({EdgeKind.ACCESS}),
    "decorates": frozenset({EdgeKind.DECORATE}),
    "inherits": frozenset({EdgeKind.INHERIT}),
    "implements": frozenset({EdgeKind.IMPLEMENT}),
    "passes": frozenset({EdgeKind.PASS}),
    "reads": frozenset({EdgeKind.READ}),
    "writes": frozenset({EdgeKind.WRITE}),
    "overrides": frozenset({EdgeKind.OVERRIDE}),
    "types": frozenset({EdgeKind.TYPE}),
    "imports": frozenset({EdgeKind.IMPORT}),
    "reexports": frozenset({EdgeKind.REEXPORT}),
}
# Of these kinds a case marks every edge. Of the others it marks every edge to the symbols that it marks with that verb at all.
COMPLETE = VERBS["uses"] | VERBS["inherits"] | VERBS["implements"]
VERB_OF = {kind: verb for verb, kinds in reversed(VERBS.items()) for kind in kinds if verb not in ("calls", "accesses", "decorates")}

TIERS = {
    "": (Tier.PROVED, Tier.LIKELY),
    "proved": (Tier.PROVED,),
    "likely": (Tier.LIKELY,),
    "possible": (Tier.POSSIBLE,),
    "inferred": (Tier.LIKELY, Tier.POSSIBLE),
}

_WORDS = "|".join((*VERBS, "open", "nothing"))
_MARKS = re.compile(rf"(?P<space>^|\s+)(?P<mark>\{{/\*|/\*|//|\#)\s*(?P<text>(?:{_WORDS})\b.*?)(?P<close>\s*\*/\}}?)?\s*$")
_MARK = re.compile(rf"(?:(?P<verb>{_WORDS})\s+)?(?P<target>\S+)(?:\s+by\s+(?P<by>\S+))?(?:\s+\((?P<tier>\w+)\))?$")
_FENCE = re.compile(r"(`{3,})\s*(\w*)\s*$")
_FILE_NAME = re.compile(r"`([^`\s]+)`$")


class BadCase(Exception):
    """The document can't be read: says where and what to do."""


@dataclass(frozen=True)
class Mark:
    verb: str
    target: str  # "path::qualified", "path" for a file itself; for "open" the written name
    tier: str = ""  # for "open" the reason
    by: str = ""  # the source's qualified name, or an outer part of it

    def written(self, path: str) -> str:
        target = self.target.removeprefix(path) if self.target.startswith(path + "::") else self.target
        return f"{self.verb} {target}" + (f" by {self.by}" if self.by else "") + (f" ({self.tier})" if self.tier else "")


@dataclass(frozen=True)
class CaseFile:
    path: str
    lines: tuple[str, ...]
    first: int  # line of the document that holds the file's first line, from 0
    marks: dict[int, tuple[Mark, ...]]  # by line, from 1


@dataclass(frozen=True)
class Case:
    name: str
    line: int  # of the heading in the document, from 1
    known_gap: bool
    files: tuple[CaseFile, ...]

    def contents(self) -> dict[bytes, bytes]:
        """What goes into the engine: the files as they stand, marks and all, because to a program they are comments."""
        return {file.path.encode(): ("\n".join(file.lines) + "\n").encode() for file in self.files}


@dataclass(frozen=True, order=True)
class FoundEdge:
    path: str
    line: int
    target: str
    kind: EdgeKind
    tier: Tier
    source: str  # qualified


@dataclass(frozen=True, order=True)
class Difference:
    path: str
    line: int
    message: str


def cases_in(document: str) -> list[Case]:
    """A Markdown document -> its cases, in order."""
    lines = document.split("\n")
    cases: list[Case] = []
    name, heading, gap, said = "", 0, False, ""
    files: list[CaseFile] = []

    def close() -> None:
        if name and not files:
            raise BadCase(f"line {heading}: the case “{name}” has no files")
        if name:
            if name in (case.name for case in cases):
                raise BadCase(f"line {heading}: there is a case “{name}” already")
            cases.append(Case(name, heading, gap, tuple(files)))

    at = 0
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        if line.startswith("## "):
            close()
            name, heading, gap, files = line[3:].strip(), at + 1, False, []
        elif fence is not None:
            end = next((row for row in range(at + 1, len(lines)) if lines[row].rstrip() == fence[1]), None)
            if end is None:
                raise BadCase(f"line {at + 1}: this block is never closed")
            file_name = _FILE_NAME.match(said)
            if name and file_name is None:
                raise BadCase(f"line {at + 1}: write the file's name in backticks on a line of its own above the block")
            if name and file_name is not None:
                if file_name[1] in (file.path for file in files):
                    raise BadCase(f"line {at + 1}: the case has a file {file_name[1]} already")
                files.append(_file(file_name[1], tuple(lines[at + 1 : end]), at + 1))
            at = end
        elif line.startswith("**Known gap:**"):
            gap = True
        said = line.strip() or said
        at += 1
    close()
    return cases


def _file(path: str, lines: tuple[str, ...], first: int) -> CaseFile:
    marks = {number: found for number, line in enumerate(lines, 1) if (found := _marks(path, line, first + number))}
    return CaseFile(path, lines, first, marks)


def _marks(path: str, line: str, document_line: int) -> tuple[Mark, ...]:
    found = _MARKS.search(line)
    if found is None or found["text"].strip() == "nothing":
        return ()
    marks: list[Mark] = []
    for part in found["text"].split(";"):
        match = _MARK.match(part.strip())
        verb = "" if match is None else match["verb"] or (marks[-1].verb if marks else "")
        if match is None or not verb or (verb != "open" and (match["tier"] or "") not in TIERS):
            raise BadCase(f"line {document_line}: can't read the mark “{part.strip()}”")
        target = match["target"] if verb == "open" or not match["target"].startswith("::") else path + match["target"]
        marks.append(Mark(verb, target, match["tier"] or "", match["by"] or ""))
    return tuple(marks)


def edges_of(snapshot: Snapshot) -> list[FoundEdge]:
    """A snapshot -> its edges, sorted."""
    found = []
    for row in range(len(snapshot.parts["edges"]["source"])):
        edge = snapshot.edge(row)
        is_module = edge.target.qualified == "<module>"
        target = edge.target.path if is_module else f"{edge.target.path}::{edge.target.qualified}"
        found.append(FoundEdge(edge.source.path, edge.line, target, edge.kind, edge.tier, edge.source.qualified))
    return sorted(set(found))


def open_sites_of(snapshot: Snapshot) -> set[tuple[str, int, str, str]]:
    """A snapshot -> (path, line, written name, reason) of its unresolved sites."""
    sites = (snapshot.open_site(row) for row in range(len(snapshot.parts["open"]["source"])))
    return {(site.source.path, site.line, site.name, site.reason.label) for site in sites}


def differences(case: Case, edges: Iterable[FoundEdge], open_sites: set[tuple[str, int, str, str]]) -> list[Difference]:
    """What is marked and not found, found and not marked, or found with another tier or source; empty if the case holds."""
    by_line: dict[tuple[str, int], list[FoundEdge]] = {}
    for edge in edges:
        by_line.setdefault((edge.path, edge.line), []).append(edge)
    wanted = {(kind, mark.target) for _, _, mark in _all_marks(case) for kind in VERBS.get(mark.verb, ())}
    open_names = {mark.target for _, _, mark in _all_marks(case) if mark.verb == "open"}
    found: list[Difference] = []
    explained: set[FoundEdge] = set()
    explained_sites: set[tuple[str, int, str, str]] = set()
    for path, line, mark in _all_marks(case):
        if mark.verb == "open":
            sites = {site for site in open_sites if site[:3] == (path, line, mark.target) and mark.tier in ("", site[3])}
            explained_sites |= sites
            found += [] if sites else [Difference(path, line, f"missing: {mark.written(path)}")]
            continue
        here = [edge for edge in by_line.get((path, line), ()) if edge.target == mark.target and edge.kind in VERBS[mark.verb]]
        explained.update(here)
        if not here:
            found.append(Difference(path, line, f"missing: {mark.written(path)}"))
        elif not any(edge.tier in TIERS[mark.tier] and _is_by(edge, mark) for edge in here):
            answers = ", ".join(f"{edge.tier.label} by {edge.source}" for edge in here)
            found.append(Difference(path, line, f"differs: {mark.written(path)} is found {answers}"))
    for edge in edges:
        if edge not in explained and (edge.kind in COMPLETE or (edge.kind, edge.target) in wanted):
            found.append(Difference(edge.path, edge.line, f"extra:   {_mark_of(edge).written(edge.path)}"))
    for site in open_sites - explained_sites:
        if site[2] in open_names:
            found.append(Difference(site[0], site[1], f"extra:   open {site[2]} ({site[3]})"))
    return sorted(set(found))


def with_differences(case: Case, found: list[Difference]) -> str:
    """The case's files as text, each difference under its line."""
    rows: list[str] = []
    for file in case.files:
        here = [difference for difference in found if difference.path == file.path]
        if not here:
            continue
        rows += ["", f"{file.path} (line {file.first + 1} of the document)"]
        for number, line in enumerate(file.lines, 1):
            rows.append(f"  {number:3} {line}")
            rows += [f"   →  {difference.message}" for difference in here if difference.line == number]
    known = {file.path for file in case.files}
    rows += [f"{difference.path}:{difference.line} {difference.message}" for difference in found if difference.path not in known]
    return "\n".join(rows)


def rewritten(document: str, case: Case, edges: list[FoundEdge], open_sites: set[tuple[str, int, str, str]]) -> str:
    """The document with the marks of one case as the engine answers. Lines keep their numbers."""
    lines = document.split("\n")
    wanted = {(kind, mark.target) for _, _, mark in _all_marks(case) for kind in VERBS.get(mark.verb, ())}
    open_names = {mark.target for _, _, mark in _all_marks(case) if mark.verb == "open"}
    for file in case.files:
        for number, line in enumerate(file.lines, 1):
            here = [edge for edge in edges if (edge.path, edge.line) == (file.path, number)]
            sites = sorted(site for site in open_sites if site[:2] == (file.path, number) and site[2] in open_names)
            old = file.marks.get(number, ())
            new = [kept for mark in old if (kept := _kept(mark, here, sites)) is not None]
            told = {(kind, mark.target) for mark in new for kind in VERBS.get(mark.verb, ())}
            for edge in here:
                if (edge.kind, edge.target) not in told and (edge.kind in COMPLETE or (edge.kind, edge.target) in wanted):
                    mark = _mark_of(edge)
                    told |= {(kind, mark.target) for kind in VERBS[mark.verb]}
                    new.append(mark)
            new += [Mark("open", site[2]) for site in sites if site[2] not in {mark.target for mark in new if mark.verb == "open"}]
            if tuple(new) != old:
                lines[file.first + number - 1] = _with_marks(file.path, line, new)
    return "\n".join(lines)


def _kept(mark: Mark, here: list[FoundEdge], sites: list[tuple[str, int, str, str]]) -> Mark | None:
    """The mark as far as it is true; None if it is not."""
    if mark.verb == "open":
        return next((replace(mark, tier=site[3] if mark.tier else "") for site in sites if site[2] == mark.target), None)
    edges = [edge for edge in here if edge.target == mark.target and edge.kind in VERBS[mark.verb]]
    if not edges:
        return None
    if any(edge.tier in TIERS[mark.tier] and _is_by(edge, mark) for edge in edges):
        return mark
    by = mark.by if any(_is_by(edge, mark) for edge in edges) else edges[0].source
    best = min(edge.tier for edge in edges)
    return replace(mark, by=by, tier=mark.tier if best in TIERS[mark.tier] else "possible" if best == Tier.POSSIBLE else best.label)


def _with_marks(path: str, line: str, marks: list[Mark]) -> str:
    old = _MARKS.search(line)
    code = line if old is None else line[: old.start()]
    if not marks:
        return code
    in_markup = path.endswith(("x", ".html")) and code.strip().startswith("<")
    start, end = ("#", "") if path.endswith((".py", ".pyi")) else ("{/*", " */}") if in_markup else ("//", "")
    if old is not None:
        start, end = old["mark"], old["close"] or ""
    verbs = ["", *(mark.verb for mark in marks)]
    rows = [mark.written(path).removeprefix(f"{before} ") for before, mark in zip(verbs, marks, strict=False)]
    return f"{code}  {start} {'; '.join(rows)}{end}"


def _mark_of(edge: FoundEdge) -> Mark:
    return Mark(VERB_OF[edge.kind], edge.target, "possible" if edge.tier == Tier.POSSIBLE else "")


def _is_by(edge: FoundEdge, mark: Mark) -> bool:
    return not mark.by or edge.source == mark.by or edge.source.startswith(mark.by + ".")


def _all_marks(case: Case) -> Iterator[tuple[str, int, Mark]]:
    for file in case.files:
        for line, marks in sorted(file.marks.items()):
            for mark in marks:
                yield file.path, line, mark
