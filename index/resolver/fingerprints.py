"""One file -> a fingerprint of everything that other files may look at, by the keys of `index.resolver.gateways`.

Two versions of a file are compared by it: what has another fingerprint, or is in one only, is what changed for others.
A fingerprint covers kinds, names and structure, and no positions: moving code or editing a comment changes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property, lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from index.distinct import one_of
from index.languages.typescript.front import EXPORTED, TEXT_TYPE
from index.numbers import SymbolKind
from index.parsing.facts import How, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.ambient import ambient_names, declaration_files
from index.resolver.gateways import fact_key
from index.resolver.program import Unit

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.LAMBDA)
WITH_PARAMETERS = _FUNCTIONS  # what has a fingerprint of its parameters alone
_VALUES = (SymbolKind.CONSTANT, SymbolKind.FIELD)
_CLASSES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.NAMESPACE, SymbolKind.TYPE)
_ADDED = (SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY)
_LOOPS = (Kind.FOR, Kind.FOR_IN, Kind.WHILE, Kind.COMPREHENSION)
_BLOCKS = (Kind.BLOCK, Kind.MODULE, Kind.COMPREHENSION, Kind.EXCEPT, Kind.CASE, Kind.BOOLEAN, Kind.CONDITIONAL)
RUN_TIME_NAMES = frozenset({"globals", "setattr", "vars"})  # what a file that uses these defines is not known


def fingerprints(unit: Unit) -> dict[int, bytes]:
    """Key -> fingerprint."""
    reader = _Reader(unit)
    found: dict[int, bytes] = {}

    def note(kind: str, symbol: int, name: str, digest: bytes) -> None:
        place = unit.path if symbol <= 0 else f"{unit.path}\0{unit.qualified(symbol)}"
        key = fact_key(kind, place, name)
        found[key] = blake2b(found.get(key, b"") + digest, digest_size=8).digest()

    for name, group in unit.module_names.items():
        note("top", 0, name, reader.group(group))
    for name in unit.exports if unit.is_script else ():
        note("top", 0, name, repr(reader.export(name)).encode("utf-8", "surrogatepass"))
    for symbol, scopes in unit.class_scopes.items():
        for scope in scopes:
            for name, group in unit.scope_names.get(scope, {}).items():
                note("member", symbol, name, reader.group(group))
    for symbol, kind in enumerate(unit.symbol_kind):
        if kind in _CLASSES:
            note("header", symbol, "", reader.header(symbol))
            note("names", symbol, "", repr(sorted(unit.class_names.get(symbol, ({}, {}))[0])).encode("utf-8", "surrogatepass"))
            if not unit.is_script:
                note("order", symbol, "", repr(unit.fields_in_order(symbol)).encode("utf-8", "surrogatepass"))
        elif kind in _FUNCTIONS:
            note("params", symbol, "", reader.parameters(symbol))
            outermost = unit.outermost(symbol)
            if outermost == symbol or unit.symbol_kind[outermost] in _VALUES:
                note("code", outermost, "", reader.code(symbol))
            if unit.is_script and outermost != symbol:  # a member that was assigned to something is found by its own name
                note("code", symbol, "", reader.code(symbol))
            if unit.class_scopes.get(symbol):  # a function that is used as a class
                note("header", symbol, "", b"")
        if unit.is_script and unit.symbol_parent[symbol] > 0 and kind in _ADDED:
            note("member", unit.symbol_parent[symbol], unit.symbol_text(symbol), f"{kind} {unit.symbol_flags[symbol]}".encode())
    for name in ambient_names(unit) if declaration_files([unit.path]) else ():
        found[fact_key("ambient", "", name)] = found[fact_key("top", unit.path, name)]
    for name, symbols in unit.fixtures.items():
        note("fixture", 0, name, repr([unit.qualified(symbol) for symbol in symbols]).encode())
    if not unit.is_script:
        for symbol, added in unit.registered.items():
            note("registered", symbol, "", repr([unit.qualified(one) for one in added]).encode("utf-8", "surrogatepass"))
        for symbol, names in unit.patched.items():
            for name in sorted(names):
                note("member", symbol, name, b"patched")
    note("listing", 0, "", repr(sorted(unit.exports if unit.is_script else unit.module_names)).encode("utf-8", "surrogatepass"))
    note("stores", 0, "", reader.stores())
    note("face", 0, "", reader.face())
    return found


def code_print(unit: Unit, symbol: int) -> bytes:
    """The fingerprint of a definition and everything inside it."""
    return _Reader(unit).code(symbol)


def moved_nodes(old: Unit, new: Unit, symbols: NDArray[np.int64]) -> Callable[[int], int]:
    """Two versions of a file and the new symbol of each old one -> a function from a node to the same one in the new version, -1
    where there is none: nodes of statements of which each version has one alike in the same block, function or class."""
    before, after = _Reader(old), _Reader(new)
    spans: list[tuple[int, int, int]] = []
    todo = [(0, 0)]
    while todo:
        one, other = todo.pop()
        mine, theirs = before.statements(one), after.statements(other)
        for digest, nodes in mine.items():
            others = theirs.get(digest, [])
            if len(nodes) == 1 and len(others) == 1:
                spans.append((nodes[0], old.next[nodes[0]], others[0]))
                continue
            for node in nodes:
                symbol = old.symbol_of_node.get(before.inner(node), 0)
                moved = int(symbols[symbol]) if symbol else -1
                if moved > 0:
                    todo.append((old.symbol_node[symbol], new.symbol_node[moved]))
    spans.sort()
    starts = [span[0] for span in spans]

    def moved_node(node: int) -> int:
        at = bisect_right(starts, node) - 1
        if at < 0 or node >= spans[at][1]:
            return -1
        return spans[at][2] + node - spans[at][0]

    return moved_node


@lru_cache(maxsize=1 << 15)
def _text_print(name: str) -> int:
    """Kept: both versions of a file have most of their names, and files have many in common."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class _Reader:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        facts = unit.facts
        self.kinds, self.next, self.name = facts["kind"], facts["next"], facts["name"]
        self.text = np.array([*map(_text_print, unit.names), 0], np.uint64)
        self.groups = facts["group"]
        scopes = np.array(unit.scope_kind, np.int64)[np.array(unit.group_scope, np.int64)] if unit.group_scope else np.empty(0, np.int64)
        self.is_rebound = np.r_[(np.diff(facts["group_first"]) > 1) & one_of(scopes, (ScopeKind.MODULE, ScopeKind.CLASS)), False]
        self.script_decorators: dict[int, list[int]] = {}
        if unit.is_script:
            for node in np.flatnonzero(self.kinds == Kind.DECORATOR).tolist():
                self.script_decorators.setdefault(unit.owner[node], []).append(node)

    def nodes(self, node: int) -> bytes:
        """A subtree: kinds, shape and names, and what its names mean where the file binds them several times."""
        end = int(self.next[node])
        shape = self.next[node:end] - np.arange(node, end, dtype=np.int32)
        data = self.kinds[node:end].tobytes() + shape.tobytes() + self.text[self.name[node:end]].tobytes()
        groups = self.groups[node:end]
        rebound = np.flatnonzero(self.is_rebound[np.maximum(groups, -1)] & (groups >= 0))
        if len(rebound):
            data += repr([self.reaching(node + int(at)) for at in rebound]).encode()
        return blake2b(data, digest_size=8).digest()

    def statements(self, node: int) -> dict[bytes, list[int]]:
        """Fingerprint -> the statements directly in a file, function or class that have it."""
        unit, found = self.unit, dict[bytes, list[int]]()
        blocks = [node] if node == 0 else [kid for kid in unit.kids(node) if unit.kind[kid] == Kind.BLOCK]
        for block in blocks:
            for statement in unit.kids(block):
                found.setdefault(self.nodes(statement), []).append(statement)
        return found

    def inner(self, statement: int) -> int:
        """The definition that a statement is, decorated or exported or not."""
        unit = self.unit
        while unit.kind[statement] in (Kind.DECORATED, Kind.EXPORT) and (kids := unit.kids(statement)):
            statement = kids[-1]
        return statement

    def reaching(self, node: int) -> list[tuple[bool, bool, bool]]:
        """Of each binding of the name at a node: whether it stands before it, in the same block, and round the same loop."""
        unit, found, group = self.unit, [], self.unit.group[node]
        loop, above = 0, unit.parent[node]
        while above > 0:
            loop = above if unit.kind[above] in _LOOPS else loop
            above = unit.parent[above]
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            place = unit.target[row]
            block = unit.parent[place]
            while block > 0 and unit.kind[block] not in _BLOCKS:
                block = unit.parent[block]
            found.append((place < node, max(block, 0) <= node < unit.next[max(block, 0)], 0 < loop < place < unit.next[loop]))
        return found

    def export(self, name: str) -> tuple[object, ...]:
        """Scripts: what a name is exported as."""
        unit = self.unit
        local, row, node = unit.exports[name]
        if row >= 0:
            member = unit.import_member[row]
            return unit.names[unit.import_module[row]], unit.names[member] if member >= 0 else ""
        own = self.nodes(node).hex() if node >= 0 else ""
        return unit.names[local] if local >= 0 else "", own, self.identity(unit.fields.get((0, name), -1))

    def identity(self, symbol: int) -> tuple[object, ...]:
        """Which of the symbols of one name a symbol is."""
        unit = self.unit
        if symbol < 0:
            return ()
        alike = [
            one
            for one, kind in enumerate(unit.symbol_kind)
            if kind == unit.symbol_kind[symbol] and unit.symbol_name[one] == unit.symbol_name[symbol]
        ]
        return unit.qualified(symbol), unit.symbol_kind[symbol], unit.symbol_flags[symbol], alike.index(symbol), len(alike)

    def stores(self) -> bytes:
        """Everything that the file stores in containers and objects, and the functions that do."""
        unit, found = self.unit, []
        for node in sorted({*(target for target, _ in unit.stores), *unit.mutations}):
            owner = unit.outermost(unit.owner[node])
            is_function = owner > 0 and unit.symbol_kind[owner] in _FUNCTIONS
            found.append(self.code(owner) if is_function else self.nodes(max(unit.parent[node], 0)))
        return b"".join(found)

    def face(self) -> bytes:
        """What the file lets through as a whole: its `__all__`, its star imports, how it exports, and whether it makes names as it runs."""
        unit = self.unit
        stars: list[object] = [(unit.import_level[row], unit.names[unit.import_module[row]], always) for row, always in unit.star_order]
        exports: list[object] = []
        if unit.is_script:
            common = not any(unit.kind[node] == Kind.EXPORT for node in range(1, len(unit.kind)) if unit.parent[node] == 0)
            exports = [bool(unit.exports), EXPORTED in unit.exports, common]
        made = sorted(RUN_TIME_NAMES.intersection(unit.names))
        public = None if unit.public is None else sorted(unit.public)
        return repr((unit.has_all, public, stars, exports, made)).encode("utf-8", "surrogatepass")

    def group(self, group: int) -> bytes:
        """All bindings of a name: how, from what, and under which statements."""
        unit, found = self.unit, []
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            how, value, extra = unit.how[row], unit.value[row], unit.extra[row]
            parts: list[object] = [how, self.above(unit.target[row])]
            if how == How.DEFINE:
                parts += [unit.qualified(extra), unit.symbol_kind[extra], unit.symbol_flags[extra], self.decorators(extra)]
                if unit.group_first[group + 1] - unit.group_first[group] > 1:  # which of them it is, only its code can tell
                    parts.append(self.code(extra).hex())
            elif how in (How.MEMBER, How.MODULE):
                member = unit.import_member[extra]
                parts += [
                    unit.names[unit.import_module[extra]],
                    unit.import_level[extra],
                    unit.names[member] if member >= 0 else "",
                    unit.import_flags[extra],
                ]
            else:
                parts += [extra, self.nodes(value).hex() if value >= 0 else ""]
                if unit.type[row] >= 0:
                    parts.append(self.type(unit.type[row]))
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
        digest = self.nodes(above if above >= 0 and unit.kind[above] == Kind.DECORATED else node)
        return (
            blake2b(digest + repr(self.written_types[symbol]).encode(), digest_size=8).digest() if symbol in self.written_types else digest
        )

    def parameters(self, symbol: int) -> bytes:
        """A function without its body, but for which parameters are keys; Python's also without what it declares to return."""
        unit = self.unit
        kids = unit.kids(unit.symbol_node[symbol])
        if unit.is_script:
            found = [self.nodes(kid).hex() for kid in kids if unit.kind[kid] != Kind.BLOCK]
            found += [*self.written_types.get(symbol, ()), *self.written_types.get(unit.outermost(symbol), ())]
        else:
            found = [self.nodes(kid).hex() for kid in kids if unit.kind[kid] == Kind.PARAMS]
        if not found:
            return self.code(symbol)
        return repr((unit.symbol_flags[symbol], self.decorators(symbol), found, unit.key_params.get(symbol))).encode()

    def type(self, node: int) -> str:
        """A type: a subtree, or text of a comment."""
        return self.unit.names[node - TEXT_TYPE] if node >= TEXT_TYPE else self.nodes(node).hex()

    @cached_property
    def written_types(self) -> dict[int, list[str]]:
        """Function -> the types that comments give to its parameters and its result."""
        unit = self.unit
        found: dict[int, list[str]] = {}
        if unit.is_script:
            for row, node in enumerate(unit.param_type):
                if node >= TEXT_TYPE:
                    found.setdefault(unit.outermost(unit.param_symbol[row]), []).append(self.type(node))
            for group, scope in enumerate(unit.group_scope):
                row = unit.group_first[group]
                if unit.type[row] >= TEXT_TYPE and unit.scope_kind[scope] == ScopeKind.FUNCTION:
                    found.setdefault(unit.outermost(unit.scope_symbol[scope]), []).append(self.type(unit.type[row]))
        return found
