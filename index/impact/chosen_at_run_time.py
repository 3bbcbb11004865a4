"""A snapshot -> the places that choose at run time what they use, and could choose a definition that changed: `getattr(actions, name)`.

Such a place is told only where what it looks into is known to hold the definition: its module, imported whole, or its class."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

import numpy as np

from index.impact.families import TYPES, above, below
from index.impact.nouns import ChangedSymbol
from index.impact.verdicts import CONSTRUCTORS
from index.snapshot import Snapshot
from index.types import EdgeKind, SymbolKind, Unresolved, UnresolvedSite

MAX_SITES: Final = 2_000  # of one snapshot that are looked at
_LOOKED_INTO: Final = re.compile(r"getattr\(\s*([A-Za-z_][\w.]*)\s*,|([A-Za-z_$][\w$.]*)(?:\s+as\s[^()[\]]*\))?\s*\[")
_OWN: Final = frozenset({"self", "cls", "this"})


class ChosenAtRunTime:
    """The places of one snapshot, looked up when first asked for."""

    def __init__(self, head: Snapshot, read: Callable[[str], bytes | None]) -> None:
        self.head, self.read = head, read
        self._lines: dict[str, list[bytes]] = {}
        self._imports: dict[int, dict[str, list[int]]] = {}
        self._naming: dict[int, frozenset[int]] = {}
        self._into: dict[int, list[UnresolvedSite]] = {}
        self._into_module: dict[int, list[UnresolvedSite]] = {}

    def reaching(self, one: ChangedSymbol) -> list[UnresolvedSite]:
        """The places that may choose what changed, in order of place."""
        symbol = one.after or one.before
        if symbol is None or not self._sites:
            return []
        holder, _, name = (one.before or symbol).qualified.rpartition(".")
        if name in CONSTRUCTORS:  # who chooses a class runs them
            holder, _, name = holder.rpartition(".")
        file = self.head.file_of_path.get(symbol.path)
        if file is None:
            return []
        owner = self.head.find(symbol.path, holder) if holder else None
        if owner is None and holder:
            return []
        sites = self._looking_into(owner) if owner is not None else self._looking_into_module(file)
        return [site for site in sites if _may_mean(site.name, name)]

    def _looking_into_module(self, file: int) -> list[UnresolvedSite]:
        """The places that look into a module; the same for all that stands at its top."""
        found = self._into_module.get(file)
        if found is None:
            sites = (site for site, into in self._sites if into not in _OWN and self._names_module(site, into, file))
            found = self._into_module[file] = list(sites)
        return found

    def _looking_into(self, owner: int) -> list[UnresolvedSite]:
        """The places that look into a class or one of its family, or into an object; the same for all of its members."""
        found = self._into.get(owner)
        if found is None:
            family = {*above(self.head, owner), *below(self.head, owner)} if self._is_type(owner) else set()
            files = self._files_by_name({owner, *family})
            found = self._into[owner] = []
            for site, into in self._sites:
                if into in _OWN:
                    reaches = bool(family) and self._class_of(site) in family
                else:
                    reaches = self.head.file_of_path.get(site.source.path) in files.get(into.rpartition(".")[2], ())
                if reaches:
                    found.append(site)
        return found

    def _is_type(self, row: int) -> bool:
        return int(self.head.parts["symbols"]["kind"][row]) in TYPES

    @cached_property
    def _sites(self) -> list[tuple[UnresolvedSite, str]]:
        """Each place with what it looks into, as written."""
        rows = np.flatnonzero(self.head.parts["open"]["reason"] == Unresolved.DYNAMIC)[:MAX_SITES]
        found = []
        for row in rows.tolist():
            site = self.head.open_site(row)
            text = self._line(site.source.path, site.line)[site.column - 1 :]
            match = _LOOKED_INTO.match(text.decode("utf-8", "replace"))
            if match is not None:
                found.append((site, match[1] or match[2]))
        return found

    def _line(self, path: str, line: int) -> bytes:
        if path not in self._lines:
            self._lines[path] = (self.read(path) or b"").split(b"\n")
        lines = self._lines[path]
        return lines[line - 1] if 0 < line <= len(lines) else b""

    def _class_of(self, site: UnresolvedSite) -> int:
        parents = self.head.parts["symbols"]["parent"]
        row = site.source.id
        while row >= 0 and not self._is_type(row):
            row = int(parents[row])
        return row

    def _files_by_name(self, holders: set[int]) -> dict[str, set[int]]:
        """What classes and objects are called that a place looks into -> the files that have one of that name, or import it."""
        names, found = self.head.parts["symbols"]["name"], dict[str, set[int]]()
        for row in holders:
            name = self.head.names[int(names[row])]
            if name in self._looked_into:
                found.setdefault(name, set()).update(self._files_naming(row))
        return found

    @cached_property
    def _looked_into(self) -> frozenset[str]:
        return frozenset(into.rpartition(".")[2] for _, into in self._sites)

    def _files_naming(self, row: int) -> frozenset[int]:
        """The file of a class or an object, and those that import it."""
        found = self._naming.get(row)
        if found is None:
            symbols, columns = self.head.parts["symbols"], self.head.parts["edges"]
            edges = self.head.edges_to(row)
            importers = symbols["file"][columns["source"][edges[columns["kind"][edges] == EdgeKind.IMPORT]]]
            found = self._naming[row] = frozenset({int(symbols["file"][row]), *importers.tolist()})
        return found

    def _names_module(self, site: UnresolvedSite, into: str, file: int) -> bool:
        """Does the file of the place import the module whole, under that name?"""
        last = into.rpartition(".")[2].encode()
        lines = self._importers(file).get(site.source.path, ())
        return any(re.search(rb"\b%s\b" % re.escape(last), self._line(site.source.path, line)) for line in lines)

    def _importers(self, file: int) -> dict[str, list[int]]:
        """The files that import a module whole, and on which lines."""
        found = self._imports.get(file)
        if found is None:
            found = self._imports[file] = {}
            columns, symbols = self.head.parts["edges"], self.head.parts["symbols"]
            module = self.head.symbols_in(file).start
            edges = self.head.edges_to(module)
            edges = edges[columns["kind"][edges] == EdgeKind.IMPORT] if symbols["kind"][module] == SymbolKind.MODULE else edges[:0]
            for own, line in zip(symbols["file"][columns["source"][edges]].tolist(), columns["line"][edges].tolist(), strict=True):
                found.setdefault(self.head.path(own), []).append(line)
        return found


def _may_mean(pattern: str, name: str) -> bool:
    """`visit_*` means names that begin so; any other text, such as `getattr`, means every name."""
    if "*" not in pattern:
        return True
    first, _, last = pattern.partition("*")
    return name.startswith(first) and name.endswith(last) and len(name) >= len(first) + len(last)
