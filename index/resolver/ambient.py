"""What TypeScript's declaration files say is there everywhere, without an import."""

from __future__ import annotations

from collections.abc import Sequence

from index.numbers import SymbolKind
from index.parsing.kinds import Kind
from index.resolver.program import Unit

MODULES = "module *"  # what all ambient modules of a file together are noted as
_ENDINGS = (".d.ts", ".d.mts", ".d.cts", "/global.ts", "/globals.ts")
MAX_FILES = 400  # declaration files that are read for this; a repository with more is a collection of them


def declaration_files(paths: Sequence[str]) -> list[int]:
    """Numbers of the files that may declare what is there everywhere."""
    found = [number for number, path in enumerate(paths) if path.endswith(_ENDINGS)]
    return sorted(found, key=lambda number: paths[number])[:MAX_FILES]


def ambient_names(unit: Unit) -> dict[str, int]:
    """Name -> binding group of what a declaration file declares for everyone: all of it, or the `declare global` of a module."""
    is_module = bool(unit.exports or unit.import_module or unit.stars)
    found = {}
    for name, group in unit.module_names.items():
        if (not is_module and ".d." in unit.path) or _in_global(unit, unit.target[unit.group_first[group]]):
            found[name] = group
    return found


def ambient_modules(unit: Unit) -> dict[str, list[int]]:
    """Name -> symbols of the modules that a declaration file declares, `*.svg` too. In a file that imports or exports something itself,
    `declare module "x"` adds to x and declares nothing."""
    found: dict[str, list[int]] = {}
    for symbol, kind in enumerate(unit.symbol_kind):
        node = unit.symbol_node[symbol]
        if kind == SymbolKind.NAMESPACE and unit.kind[node + 1] == Kind.STRING:
            found.setdefault(unit.symbol_text(symbol), []).append(symbol)
    if found and any(
        unit.parent[node] == 0 and kind in (Kind.IMPORT, Kind.EXPORT) and unit.kind[node + 1] != Kind.NAMESPACE
        for node, kind in enumerate(unit.kind)
    ):
        return {}
    return found


def _in_global(unit: Unit, node: int) -> bool:
    while node > 0 and unit.parent[node] > 0:
        node = unit.parent[node]
    return unit.kind[node] == Kind.BLOCK
