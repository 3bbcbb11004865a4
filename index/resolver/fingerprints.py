"""One file -> a fingerprint of everything that other files may look at, by the keys of `index.resolver.gateways`.

Two versions of a file are compared by it: what has another fingerprint, or is in one only, is what changed for others.
A fingerprint covers kinds, names and structure, and no positions: moving code or editing a comment changes nothing.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from index.parsing.facts import How, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.gateways import fact_key
from index.resolver.program import Unit
from index.types import SymbolKind

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.LAMBDA)
_VALUES = (SymbolKind.CONSTANT, SymbolKind.FIELD)
_CLASSES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.NAMESPACE, SymbolKind.TYPE)


def fingerprints(unit: Unit) -> tuple[dict[int, bytes], bytes]:
    """Key -> fingerprint, and that of what colours every look at the file: its `__all__` and star imports."""
    reader = _Reader(unit)
    found: dict[int, bytes] = {}

    def note(kind: str, symbol: int, name: str, digest: bytes) -> None:
        place = unit.path if symbol <= 0 else f"{unit.path}\0{unit.qualified(symbol)}"
        key = fact_key(kind, place, name)
        found[key] = blake2b(found.get(key, b"") + digest, digest_size=8).digest()

    for name, group in unit.module_names.items():
        note("top", 0, name, reader.group(group))
    for name in unit.exports if unit.is_script else ():
        note("top", 0, name, repr(_export(unit, name)).encode("utf-8", "surrogatepass"))
    for symbol, scopes in unit.class_scopes.items():
        for scope in scopes:
            for name, group in unit.scope_names.get(scope, {}).items():
                note("member", symbol, name, reader.group(group))
    for symbol, kind in enumerate(unit.symbol_kind):
        if kind in _CLASSES:
            note("header", symbol, "", reader.header(symbol))
            note("names", symbol, "", repr(sorted(unit.class_names.get(symbol, ({}, {}))[0])).encode("utf-8", "surrogatepass"))
        elif kind in _FUNCTIONS:
            outermost = unit.outermost(symbol)
            if outermost == symbol or unit.symbol_kind[outermost] in _VALUES:
                note("code", outermost, "", reader.code(symbol))
            if unit.is_script and outermost != symbol:  # a member that was assigned to something is found by its own name
                note("code", symbol, "", reader.code(symbol))
    for name, symbols in unit.fixtures.items():
        note("fixture", 0, name, repr([unit.qualified(symbol) for symbol in symbols]).encode())
    whole = reader.nodes(0)
    note("stores", 0, "", whole)
    stars = sorted(f"{unit.import_level[row]} {unit.names[unit.import_module[row]]}" for _, row in unit.stars)
    return found, repr((unit.has_all, None if unit.public is None else sorted(unit.public), stars)).encode("utf-8", "surrogatepass")


def _export(unit: Unit, name: str) -> tuple[str, str, str]:
    local, row, node = unit.exports[name]
    if row >= 0:
        member = unit.import_member[row]
        return unit.names[unit.import_module[row]], unit.names[member] if member >= 0 else "", ""
    return "", unit.names[local] if local >= 0 else "", _Reader(unit).nodes(node).hex() if node >= 0 else ""


class _Reader:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        facts = unit.facts
        self.kinds, self.next, self.name = facts["kind"], facts["next"], facts["name"]
        texts = [int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") for name in unit.names]
        self.text = np.array([*texts, 0], np.uint64)
        self.script_decorators: dict[int, list[int]] = {}
        if unit.is_script:
            for node in np.flatnonzero(self.kinds == Kind.DECORATOR).tolist():
                self.script_decorators.setdefault(unit.owner[node], []).append(node)

    def nodes(self, node: int) -> bytes:
        """A subtree: kinds, shape and names."""
        end = int(self.next[node])
        shape = self.next[node:end] - np.arange(node, end, dtype=np.int32)
        data = self.kinds[node:end].tobytes() + shape.tobytes() + self.text[self.name[node:end]].tobytes()
        return blake2b(data, digest_size=8).digest()

    def group(self, group: int) -> bytes:
        """All bindings of a name: how, from what, and under which statements."""
        unit, found = self.unit, []
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            how, value, extra = unit.how[row], unit.value[row], unit.extra[row]
            parts: list[object] = [how, self.above(unit.target[row])]
            if how == How.DEFINE:
                parts += [unit.qualified(extra), unit.symbol_kind[extra], unit.symbol_flags[extra], self.decorators(extra)]
            elif how in (How.MEMBER, How.MODULE):
                member = unit.import_member[extra]
                parts += [unit.names[unit.import_module[extra]], unit.import_level[extra], unit.names[member] if member >= 0 else "", unit.import_flags[extra]]
            else:
                parts += [extra, self.nodes(value).hex() if value >= 0 else ""]
                if unit.type[row] >= 0:
                    parts.append(self.nodes(unit.type[row]).hex())
                if unit.scope_kind[unit.group_scope[group]] in (ScopeKind.INSTANCE, ScopeKind.PROTOTYPE):
                    parts.append(self.code(unit.outermost(unit.owner[unit.target[row]])).hex())
            found.append(parts)
        return repr(found).encode("utf-8", "surrogatepass")

    def above(self, node: int) -> str:
        """The kinds of the statements round a node, outermost last."""
        unit, found = self.unit, []
        node = unit.parent[node]
        while node > 0:
            found.append(str(unit.kind[node]))
            node = unit.parent[node]
        return ".".join(found)

    def decorators(self, symbol: int) -> str:
        unit = self.unit
        if unit.is_script:
            return " ".join(self.nodes(node).hex() for node in self.script_decorators.get(symbol, ()))
        above = unit.parent[unit.symbol_node[symbol]]
        if above < 0 or unit.kind[above] != Kind.DECORATED:
            return ""
        return " ".join(self.nodes(kid).hex() for kid in unit.kids(above) if unit.kind[kid] == Kind.DECORATOR)

    def header(self, symbol: int) -> bytes:
        """A class without its body."""
        unit = self.unit
        node = unit.symbol_node[symbol]
        parts = [self.nodes(kid).hex() for kid in unit.kids(node) if unit.kind[kid] != Kind.BLOCK]
        if unit.symbol_kind[symbol] == SymbolKind.INTERFACE:  # how it is called and indexed: signatures without a name
            bodies = [kid for kid in unit.kids(node) if unit.kind[kid] == Kind.BLOCK]
            parts += [self.nodes(kid).hex() for body in bodies for kid in unit.kids(body) if unit.kind[kid + 1] != Kind.PROPERTY_NAME]
        return repr((unit.symbol_kind[symbol], unit.symbol_flags[symbol], self.decorators(symbol), parts)).encode()

    def code(self, symbol: int) -> bytes:
        """A function with its decorators, and everything inside it."""
        unit = self.unit
        node = unit.symbol_node[symbol]
        above = unit.parent[node]
        return self.nodes(above if above >= 0 and unit.kind[above] == Kind.DECORATED else node)
