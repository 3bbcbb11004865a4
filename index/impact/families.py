"""A class of a snapshot -> the classes over and under it, and whether any of them has a member of a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from index.snapshot import Snapshot
from index.types import EdgeKind, Symbol, SymbolKind

MAX_CLASSES: Final = 500  # of one family that are looked at
INHERITING: Final = frozenset({EdgeKind.INHERIT, EdgeKind.IMPLEMENT})
TYPES: Final = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE})


def bases_of(snapshot: Snapshot, owner: int) -> list[int]:
    """The project's classes and interfaces that a class names as what it inherits from, each once."""
    return _along(snapshot, owner, "target")


def above(snapshot: Snapshot, owner: int) -> list[int]:
    """The class and everything it inherits from, as far as the project has it; nearest first."""
    return _walk(snapshot, owner, "target")


def below(snapshot: Snapshot, owner: int) -> list[int]:
    """The class and everything that inherits from it."""
    return _walk(snapshot, owner, "source")


def member_in(snapshot: Snapshot, owners: list[int], name: str) -> Symbol | None:
    """The first class of the list that has a member of that name itself -> the member."""
    parents = snapshot.parts["symbols"]["parent"]
    holders = {int(parents[row]): int(row) for row in snapshot.symbols_named(name)}
    found = next((holders[owner] for owner in owners if owner in holders), None)
    return None if found is None else snapshot.symbol(found)


def is_closed(snapshot: Snapshot, owner: int, named_bases: Callable[[Symbol], list[str] | None], name: str) -> bool:
    """Are all classes that could hand the member `name` down to the class in the project or known not to have it? `named_bases` gives the
    bases that a class names, as written; None where it can't be read."""
    for row in above(snapshot, owner):
        written = named_bases(snapshot.symbol(row))
        if written is None:
            return False
        unknown = [base for base in written if not _is_known_without(base, name)]
        if len(unknown) > len(bases_of(snapshot, row)):
            return False
    return True


# Base classes that everybody knows, and what they hand down. Their other names are of the language itself.
_PLAIN: Final = """
    object Generic Protocol ABC Enum IntEnum StrEnum Flag
    BaseException Exception ValueError TypeError RuntimeError LookupError KeyError IndexError OSError IOError AttributeError Warning
    UserWarning DeprecationWarning Error
"""
_PLAIN_BASES: Final = frozenset(_PLAIN.split())
_HANDED: Final = """
    args with_traceback add_note name value errno strerror filename register message stack cause
    count index real imag to_bytes from_bytes as_integer_ratio bit_length split join strip format encode upper lower
"""
_HANDED_DOWN: Final = frozenset(_HANDED.split())


def _is_known_without(base: str, name: str) -> bool:
    last = base.split("[")[0].split("<")[0].rpartition(".")[2].strip()
    return last in _PLAIN_BASES and name not in _HANDED_DOWN and not name.startswith("__")


def _along(snapshot: Snapshot, owner: int, end: str) -> list[int]:
    columns = snapshot.parts["edges"]
    rows = snapshot.edges_from(owner) if end == "target" else snapshot.edges_to(owner)
    kinds = snapshot.parts["symbols"]["kind"]
    found = (int(columns[end][row]) for row in rows.tolist() if columns["kind"][row] in INHERITING)
    return list(dict.fromkeys(one for one in found if kinds[one] in TYPES))


def _walk(snapshot: Snapshot, owner: int, end: str) -> list[int]:
    found = {owner: None}
    queue = [owner]
    while queue and len(found) < MAX_CLASSES:
        for other in _along(snapshot, queue.pop(0), end):
            if other not in found:
                found[other] = None
                queue.append(other)
    return list(found)
