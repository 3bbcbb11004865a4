"""What a report names: the files of its stack traces, and the definitions of its names."""

from __future__ import annotations

from collections import defaultdict

from index.distinct import first_places
from index.intent.report import read_report
from index.retrievers.places import allowed_files, symbol_hit
from index.snapshot import Snapshot
from index.types import Hit, PathKind, Query

SAME_NAME = 3  # files that a place may mean; beyond that its path says nothing
COMMON = 300  # definitions of a name that are looked at


def reported_places(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """The text of a report -> one hit for each file that it points at, the last one first, at the line it points at."""
    allowed = allowed_files(query, snapshot)
    named: dict[str, list[int]] = defaultdict(list)
    for file, path in enumerate(snapshot.paths):
        named[path.rpartition("/")[2]].append(file)
    hits: dict[int, Hit] = {}
    for written, line in read_report(query.text).places:
        for file in _files_meant(written, named, snapshot):
            if (allowed is None or allowed[file]) and file not in hits:
                symbol = snapshot.symbol_at(file, line) if line else snapshot.symbols_in(file).start
                said = f"is line {line} of a file that the report points at" if line else "is a file that the report names"
                hit = symbol_hit(snapshot, symbol, 1.0 / (1 + len(hits)), said)
                hits[file] = Hit(hit.path, line, line, snapshot.chunk_at(file, line), symbol, hit.score, said) if line else hit
    return list(hits.values())[:limit]


def _files_meant(written: str, named: dict[str, list[int]], snapshot: Snapshot) -> list[int]:
    """A path as it is written on another machine -> the few files here that share the longest end with it, folders included."""
    parts = written.strip("/").split("/")
    here = named.get(parts[-1], [])
    shared = {file: _ending_shared(parts, snapshot.path(file).split("/")) for file in here}
    longest = max(shared.values(), default=0)
    if longest < min(2, len(parts)):  # a name alone, of a path that has folders, is a file of somebody else's
        return []
    found = [file for file in here if shared[file] == longest]
    return found if len(found) <= SAME_NAME else []


def _ending_shared(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count


def reported_names(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """The text of a report -> one hit for each file that defines names of it, the more and the rarer the better; ties by file. A name that
    many files define says little of each. Source files, unless only others define it."""
    allowed = allowed_files(query, snapshot)
    kinds, of_symbol = snapshot.parts["files"]["kind"], snapshot.parts["symbols"]["file"]
    worth: dict[int, float] = defaultdict(float)
    first: dict[int, tuple[int, str]] = {}
    for name in read_report(query.text).names:
        rows = snapshot.symbols_named(name)[:COMMON]
        rows = rows if allowed is None else rows[allowed[of_symbol[rows]]]
        source = rows[kinds[of_symbol[rows]] == PathKind.SOURCE]
        rows = source if len(source) else rows
        files, at = first_places(of_symbol[rows])
        for file, row in zip(files.tolist(), rows[at].tolist(), strict=True):
            worth[file] += 1 / len(files)
            first.setdefault(file, (row, name))
    best = sorted(worth, key=lambda file: (-worth[file], file))[:limit]
    return [symbol_hit(snapshot, first[file][0], worth[file], f"defines `{first[file][1]}`, which the report names") for file in best]
