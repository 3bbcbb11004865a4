"""What TypeScript's declaration files say is there everywhere, without an import."""

from __future__ import annotations

from collections.abc import Sequence

from index.parsing.kinds import Kind
from index.resolver.program import Unit

MAX_FILES = 400  # declaration files that are read for this; a repository with more is a collection of them


def declaration_files(paths: Sequence[str]) -> list[int]:
    """Numbers of the files that may declare what is there everywhere."""
    found = [number for number, path in enumerate(paths) if path.endswith((".d.ts", ".d.mts", ".d.cts"))]
    return sorted(found, key=lambda number: paths[number])[:MAX_FILES]


def ambient_names(unit: Unit) -> dict[str, int]:
    """Name -> binding group of what a declaration file declares for everyone: all of it, or the `declare global` of a module."""
    is_module = bool(unit.exports or unit.import_module or unit.stars)
    found = {}
    for name, group in unit.module_names.items():
        if not is_module or _in_global(unit, unit.target[unit.group_first[group]]):
            found[name] = group
    return found


def _in_global(unit: Unit, node: int) -> bool:
    while node > 0 and unit.parent[node] > 0:
        node = unit.parent[node]
    return unit.kind[node] == Kind.BLOCK
