"""A changed property -> the reads of its name that the index leads nowhere: `entry.retries` of something unknown, or from outside.

Where a plain attribute elsewhere has the property's name, such a read means either, and is kept neither as an edge nor as a use that
stays open: there would be thousands. So they are looked for in the text, when a property of such a name changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from index.impact.nouns import ChangedSymbol, ChangeKind
from index.resolver.common import SCRIPT_MEMBERS
from index.resolver.structural import REALMS
from index.snapshot import Snapshot
from index.trigrams.lookup import find_identifier
from index.types import PathKind, SymbolKind

MOST_READS: Final = 2_000  # places of one name that are looked at
_COMMENTS: Final = (b"#", b"//", b"*")


def is_told_by_text(one: ChangedSymbol, head: Snapshot) -> bool:
    """Whether a property of the project changed that has the name of a plain attribute elsewhere."""
    if one.symbol.kind != SymbolKind.PROPERTY or one.inside or one.path_kind is PathKind.TEST or one.kinds == (ChangeKind.ADDED,):
        return False
    name = (one.before or one.symbol).name
    return name not in SCRIPT_MEMBERS and bool((head.parts["symbols"]["kind"][head.symbols_named(name)] == SymbolKind.FIELD).any())


def realm_of(one: ChangedSymbol, head: Snapshot) -> int | None:
    """Of which languages the files are that may read it; None where its file is gone."""
    file = head.file_of_path.get(one.symbol.path)
    return None if file is None else int(REALMS[head.parts["files"]["language"][file]])


def unknown_reads(
    one: ChangedSymbol, head: Snapshot, read: Callable[[str], bytes | None], lines: dict[int, list[bytes]]
) -> list[tuple[str, int]]:
    """The lines, by path, that read a member of that name, call it not, and lead to none: the same for all of that name and realm. lines:
    of the files that were read so far."""
    name = (one.before or one.symbol).name
    edges, symbols = head.parts["edges"], head.parts["symbols"]
    known: set[tuple[int, int]] = set()
    for row in head.symbols_named(name).tolist():
        known.add((int(symbols["file"][row]), int(symbols["line"][row])))
        uses = head.edges_to(row)
        known.update(zip(symbols["file"][edges["source"][uses]].tolist(), edges["line"][uses].tolist(), strict=True))
    realm = realm_of(one, head)
    places = find_identifier(head, name, MOST_READS)
    found = set()
    word = name.encode("utf-8", "surrogatepass")
    for at, line, column in zip(places.file.tolist(), places.line.tolist(), places.column.tolist(), strict=True):
        if (at, line) in known or REALMS[head.parts["files"]["language"][at]] != realm:
            continue
        if at not in lines:
            lines[at] = (read(head.path(at)) or b"").split(b"\n")
        text = lines[at][line - 1] if line <= len(lines[at]) else b""
        before, after = text[: column - 1].rstrip(), text[column - 1 + len(word) :].lstrip()
        is_stored = after[:1] == b"=" and after[1:2] != b"="
        if before.endswith(b".") and not after.startswith(b"(") and not is_stored and not text.lstrip().startswith(_COMMENTS):
            found.add((head.path(at), line))
    return sorted(found)
