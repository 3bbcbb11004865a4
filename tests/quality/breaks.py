"""Mechanical API breaks of real repositories -> does the report list the places that truly fail, and do those it lists fail?

Each break is made in a scratch copy and reported on; then a type checker says which places fail. Where an import fails, the imported
name is taken out of that import in the scratch copy and the checker asked again, so that uses behind it are found too. The figures:

    found    share of the failing places that the report has a verdict on
    broken   share of the failing places that it says will break
    right    share of the places it says will break that fail
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quality.api_breaks import KINDS, Break, breaks_of
from quality.checkers import Fault, faults
from quality.tables import Row
from quality.trees import clone_of, files_of_commit
from tree_sitter import Node

from index.engine import Engine
from index.impact.calls import CALLS, node_at
from index.impact.nouns import ImpactReport, Severity
from index.impact.syntax import grammar_of, parse

SEED = 20_260
WANTED = 30  # breaks of each repository that break something
MOST_TRIED = 60
ROUNDS = 3
BETWEEN = "HEAD.."


@dataclass(frozen=True)
class Repository:
    """A public repository at one commit. `ours` are the folders that are checked; `without` is left out of the scratch copy."""

    name: str
    commit: str
    ours: tuple[str, ...]
    without: tuple[str, ...] = ()


REPOSITORIES = (
    Repository("pallets/click", "2c8cd3a", ("src/", "tests/", "examples/")),
    Repository("encode/httpx", "ae1b9f6", ("httpx/", "tests/")),
    Repository("more-itertools/more-itertools", "2fe1b2e", ("more_itertools/", "tests/"), (r"\.pyi$",)),
    Repository("sindresorhus/ky", "3419113", ("source/", "test/")),
    Repository("pmndrs/zustand", "f094eeb", ("src/", "tests/")),
    Repository("pallets/itsdangerous", "672971d", ("src/", "tests/")),
    Repository("sindresorhus/p-queue", "180ab9e", ("source/", "test/", "bench.ts")),
    Repository("pmndrs/jotai", "1fae772", ("src/", "tests/")),
)


@dataclass
class Tally:
    """`failing`: hard faults of the checker, one a place. `listed`: places the report says will break."""

    breaks: int = 0
    failing: int = 0
    found: int = 0
    broken: int = 0
    listed: int = 0
    right: int = 0
    remarks: list[str] = field(default_factory=list)

    def row(self, part: str, who: str) -> Row:
        figures = {
            "breaks": self.breaks,
            "failing": self.failing,
            "found": _share(self.found, self.failing),
            "broken": _share(self.broken, self.failing),
            "listed": self.listed,
            "right": _share(self.right, self.listed),
        }
        return Row(part, who, figures)


def scores(mirror: Path, tools: Path, repositories: Sequence[str] = (), details: Path | None = None, mini: bool = False) -> list[Row]:
    """The folder of clones and that of the checkers -> one row for each repository, each kind of break, and all. `mini`: 6 breaks each."""
    rows, kinds, everything = [], {kind: Tally() for kind in KINDS}, Tally()
    for one in REPOSITORIES:
        name = one.name.rpartition("/")[2]
        if repositories and name not in repositories:
            continue
        tally = Tally()
        with tempfile.TemporaryDirectory() as scratch:
            for made, result in _tried(one, mirror, tools, Path(scratch), 6 if mini else WANTED):
                for into in (tally, kinds[made.kind], everything):
                    _add(into, result)
                about = f"{made.kind} {made.path}::{made.qualified} {made.what}"
                print(f"{name}: {about}: failing {result.failing}, listed {result.listed}", file=sys.stderr)
                for remark in result.remarks:
                    print(f"    {remark}", file=sys.stderr)
        rows.append(tally.row("breaks", name))
        if details is not None:
            details.mkdir(parents=True, exist_ok=True)
            (details / f"breaks-{name}.txt").write_text("".join(f"{line}\n" for line in tally.remarks))
    return [*rows, *(tally.row("breaks", kind) for kind, tally in kinds.items()), everything.row("breaks", "all")]


def _add(into: Tally, other: Tally) -> None:
    into.breaks += other.breaks
    into.failing += other.failing
    into.found += other.found
    into.broken += other.broken
    into.listed += other.listed
    into.right += other.right
    into.remarks += other.remarks


def _tried(one: Repository, mirror: Path, tools: Path, scratch: Path, wanted: int) -> Iterator[tuple[Break, Tally]]:
    """Breaks of the four kinds in turn until enough of them broke something."""
    folder, files = scratch / "tree", _files(one, mirror)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all", "--force")
    _git(folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=base")
    checked = [path for path in files if path.startswith(one.ours) and grammar_of(path)]
    before = faults(tools, folder, checked)
    queues = [breaks_of({path: files[path] for path in checked}, SEED, kind) for kind in KINDS]
    done = tried = 0
    with Engine(folder, scratch / "home", vectors=False) as engine:
        while done < wanted and tried < MOST_TRIED and queues:
            queue = queues[tried % len(queues)]
            made = next(queue, None)
            if made is None:
                queues.remove(queue)
                continue
            tried += 1
            (folder / made.path).write_bytes(made.text)
            report = engine.impact(BETWEEN)
            failing = _failing(made, files, checked, before, tools, folder)
            result = _judged(made, report, failing, files)
            done += bool(result.failing)
            yield made, result
            for path in {made.path, *(fault.path for fault in failing)}:
                (folder / path).write_bytes(files[path])


def _files(one: Repository, mirror: Path) -> dict[str, bytes]:
    found = {path.decode(): content for path, content in files_of_commit(clone_of(mirror, one.name), one.commit).items()}
    return {path: content for path, content in found.items() if not any(re.search(pattern, path) for pattern in one.without)}


# ── what fails ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _failing(made: Break, files: Mapping[str, bytes], checked: Sequence[str], before: set[Fault], tools: Path, folder: Path) -> set[Fault]:
    """What the checker says that it did not say before, in the definition itself left out; places are those of the changed files."""
    name = made.qualified.rpartition(".")[2]
    owners = _classes_with(made.qualified.split(".")[0], files) if "." in made.qualified else {name}
    about = [  # a compiler reads all files anyway, and what some of them declare for all
        path
        for path in checked
        if path == made.path
        or not path.endswith((".py", ".pyi"))
        or any(re.search(rb"\b%s\b" % re.escape(word.encode()), files[path]) for word in {name, *owners})
    ]
    known = _as_now(before, made, files)
    found: set[Fault] = set()
    for _ in range(ROUNDS):
        new = {one for one in faults(tools, folder, about) if (one.path, one.line, one.rule) not in known} - found
        found |= new
        if made.kind not in ("remove", "rename") or "." in made.qualified or not _without_failing_imports(new, name, folder):
            break
    first, last = made.lines
    return {
        one
        for one in found
        if one.path != made.path
        or made.kind in ("require", "drop")
        or not first <= one.line <= last
        or (made.kind == "rename" and one.line > first)
    }


def _as_now(before: Iterable[Fault], made: Break, files: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
    """Where the faults from before the break stand now."""
    old, new = files[made.path].split(b"\n"), made.text.split(b"\n")
    moved: dict[int, int] = {}
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        moved |= {block.a + at + 1: block.b + at + 1 for at in range(block.size)}
    return {(one.path, moved.get(one.line, one.line) if one.path == made.path else one.line, one.rule) for one in before}


def _classes_with(owner: str, files: Mapping[str, bytes]) -> set[str]:
    """A class and, by their headers, the classes below it."""
    names = {owner}
    headers = [
        (found[1].decode(), set(re.findall(r"\w+", found[2].decode())))
        for path, source in files.items()
        if grammar_of(path)
        for found in re.finditer(rb"(?m)^\s*(?:export |default |abstract )*class (\w+)\b([^\n{:]*)", source)
    ]
    while more := {name for name, bases in headers if bases & names} - names:
        names |= more
    return names


def _without_failing_imports(new: Iterable[Fault], name: str, folder: Path) -> bool:
    """Blank the name in the imports that fail, lines and columns as they are. -> was there any?"""
    changed = False
    for path in sorted({one.path for one in new}):
        source = (folder / path).read_bytes()
        for fault in sorted((one for one in new if one.path == path), reverse=True):
            node = node_at(parse(grammar_of(path) or "", source), source, fault.line, fault.column)
            exported = fault.rule == "reportUnsupportedDunderAll"
            while node is not None and node.type not in _IMPORTED and not (exported and node.type == "string") and not _is_default(node):
                node = node.parent
            if node is None:
                continue
            if exported:
                follows = re.match(rb"\s*,", source[node.end_byte :])
                source = _blanked(source, node.start_byte, node.end_byte + (follows.end() if follows else 0), b"")
                changed = True
                continue
            statement = node
            while statement.parent is not None and statement.type not in _STATEMENTS:
                statement = statement.parent
            if statement.type not in _STATEMENTS or (name not in (node.text or b"").decode() and not _is_default(node)):
                continue
            names = [
                child
                for child in statement.named_children
                if child.type in _IMPORTED and child != statement.child_by_field_name("module_name")
            ]
            alone = len(names) <= 1
            if _is_default(node) and node.parent is not None and node.parent.named_child_count == 1:
                source = _blanked(source, statement.start_byte, statement.end_byte, b"")
            elif path.endswith(".py") and alone:
                source = _blanked(source, statement.start_byte, statement.end_byte, b"pass")
            else:
                follows = re.match(rb"\s*,", source[node.end_byte :])
                source = _blanked(source, node.start_byte, node.end_byte + (follows.end() if follows else 0), b"")
            changed = True
        (folder / path).write_bytes(source)
    return changed


def _is_default(node: Node) -> bool:
    """`import Queue from "./queue"`: the name that a script gives the default export."""
    return node.type == "identifier" and node.parent is not None and node.parent.type == "import_clause"


def _is_about(fault: Fault, made: Break, source: bytes) -> bool:
    """Does a fault come from a use of what changed: does it name what is gone, or find fault with arguments? What else fails does so
    because the checker lost sight of a type elsewhere, and is right again once the uses are."""
    if made.kind in ("require", "drop"):
        return fault.rule in OF_ARGUMENTS
    name = made.qualified.rpartition(".")[2]
    lines = source.split(b"\n")
    there = lines[fault.line - 1][fault.column - 1 :].decode("utf-8", "replace") if fault.line <= len(lines) else ""
    written = re.match(r"[\w$.]*", there)  # `click.style(...)`, where the module hands out an `object` for any name
    return any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) for text in (fault.message, written[0] if written else ""))


OF_ARGUMENTS = frozenset({"reportCallIssue", "TS2554", "TS2555"})
_IMPORTED = frozenset({"aliased_import", "dotted_name", "import_specifier", "export_specifier"})
_STATEMENTS = frozenset({"import_from_statement", "import_statement", "export_statement"})


def _blanked(source: bytes, start: int, end: int, instead: bytes) -> bytes:
    blank = re.sub(rb"[^\n]", b" ", source[start:end])
    return source[:start] + instead + blank[len(instead) :] + source[end:]


# ── what is said of it ───────────────────────────────────────────────────────────────────────────────────────────────


def _judged(made: Break, report: ImpactReport, failing: set[Fault], files: Mapping[str, bytes]) -> Tally:
    """A place that fails is found where a verdict lies in the same call or statement."""
    texts = {**files, made.path: made.text}
    hard: dict[tuple[str, int, int], Fault] = {}
    for one in sorted(failing):
        if one.is_hard and _is_about(one, made, texts[one.path]):
            hard.setdefault((one.path, *_around(one.path, one.line, one.column, texts, _is_at_argument(one))), one)
    tally = Tally(breaks=1, failing=len(hard))
    about = f"{made.kind} {made.path}::{made.qualified} {made.what}:"
    for (path, first, last), one in hard.items():
        here = [each for each in (*report.breaks, *report.at_risk) if each.site.path == path and first <= each.site.line <= last]
        sure = any(each.severity is Severity.WILL_BREAK for each in here)
        tally.found += bool(here)
        tally.broken += sure
        if not sure:
            said = f"ONLY AT RISK ({here[0].hedge or here[0].reason})" if here else "MISSED"
            tally.remarks.append(f"{said} {about} {path}:{one.line}:{one.column} {one.rule} {one.message.splitlines()[0]}")
    for site in {(each.site.path, each.site.line, each.site.column): each.site for each in report.breaks}.values():
        first, last = _around(site.path, site.line, site.column, texts)
        right = any(one.path == site.path and first <= one.line <= last for one in failing)
        tally.listed += 1
        tally.right += right
        if not right:
            tally.remarks.append(f"NOT FAILING {about} {site.path}:{site.line}:{site.column} {site.text}")
    return tally


def _is_at_argument(fault: Fault) -> bool:
    """Does the checker point at an argument that is too many, not at the call?"""
    found = re.match(r"Expected (?:\d+-)?(\d+) (?:positional|arguments?, but got (\d+))", fault.message)
    return found is not None and (found[2] is None or int(found[2]) > int(found[1]))


def _around(path: str, line: int, column: int, texts: Mapping[str, bytes], at_argument: bool = False) -> tuple[int, int]:
    """First and last line of the innermost call or import there, else the line itself; of an argument, those of the call it is given to."""
    grammar, source = grammar_of(path), texts.get(path)
    node: Node | None = node_at(parse(grammar, source), source, line, column) if grammar and source is not None else None
    while node is not None and node.type not in CALLS and node.type not in _STATEMENTS:
        node = node.parent
    place = (line - 1, column - 1)
    while at_argument and node is not None and (node.type not in CALLS or node.start_point == place):
        node = node.parent
    return (line, line) if node is None or node.type in _STATEMENTS else (node.start_point.row + 1, node.end_point.row + 1)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
