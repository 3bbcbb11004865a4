"""One file -> a fingerprint of everything that other files may look at, by the keys of `index.resolver.gateways`.

Two versions of a file are compared by it: what has another fingerprint, or is in one only, is what changed for others.
A fingerprint covers kinds, names and structure, and no positions: moving code or editing a comment changes nothing.

Of a Python function's code it leaves out the statements that say nothing to others, see `Version.told`: most edits of a body are a call
more, or a name that only the function itself looks at, and who looked at what the function gives is not concerned by them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.languages.typescript.front import EXPORTED, TEXT_TYPE
from index.numbers import SymbolKind
from index.parsing.facts import How, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.ambient import MODULES, ambient_modules, ambient_names, declaration_files
from index.resolver.gateways import fact_at, fact_key
from index.resolver.program import Unit

_FUNCTIONS: Final = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.LAMBDA)
WITH_PARAMETERS: Final = _FUNCTIONS  # what has a fingerprint of its parameters alone
_VALUES: Final = (SymbolKind.CONSTANT, SymbolKind.FIELD)
_CLASSES: Final = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.NAMESPACE, SymbolKind.TYPE)
_ADDED: Final = (SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY)
_LOOPS: Final = (Kind.FOR, Kind.FOR_IN, Kind.WHILE, Kind.COMPREHENSION)
_BLOCKS: Final = (Kind.BLOCK, Kind.MODULE, Kind.COMPREHENSION, Kind.EXCEPT, Kind.CASE, Kind.BOOLEAN, Kind.CONDITIONAL)
_DEFINITIONS: Final = np.zeros(256, bool)
_DEFINITIONS[[Kind.FUNC, Kind.CLASS, Kind.DECORATOR]] = True
_STATEMENTS: Final = np.zeros(256, bool)  # that may say nothing to others
_STATEMENTS[[Kind.CALL, Kind.STRING, Kind.ASSIGN, Kind.AUGMENT]] = True
_BINDS: Final = np.zeros(256, bool)
_BINDS[[Kind.ASSIGN, Kind.AUGMENT]] = True
_SILENT: Final = np.zeros(256, bool)  # what may stand in them
_SILENT[[
    Kind.NAME, Kind.ATTRIBUTE, Kind.CALL, Kind.ARGS, Kind.KEYWORD, Kind.STRING, Kind.TEXT, Kind.INTERPOLATION, Kind.NUMBER, Kind.LITERAL,
    Kind.BINARY, Kind.COMPARE, Kind.UNARY, Kind.NOT, Kind.BOOLEAN, Kind.CONDITIONAL, Kind.SUBSCRIPT, Kind.SLICE, Kind.AWAIT,
]] = True  # fmt: skip
_SPEAKS: Final = ~_SILENT
_OF_FUNCTIONS: Final = np.zeros(256, bool)
_OF_FUNCTIONS[list(_FUNCTIONS)] = True
_ASSIGNS: Final = np.zeros(256, bool)
_ASSIGNS[[How.ASSIGN, How.AUGMENT]] = True
RUN_TIME_NAMES: Final = frozenset({"globals", "setattr", "vars"})  # what a file that uses these defines is not known


Print = tuple[str, str, object]  # kind and name of what others may look at, and what is good for being compared


def differing(before: dict[int, Print], after: dict[int, Print]) -> list[int]:
    """Keys of what is not the same in both."""
    found = [key for key, its in before.items() if key not in after or its != after[key]]
    found += [key for key in after if key not in before]
    return found


def fingerprints(reader: Version) -> dict[int, Print]:
    """By key."""
    unit, found = reader.unit, _Prints(reader.unit)
    for name, group in unit.module_names.items():
        found.note("top", 0, name, reader.group(group))
    for name in unit.exports if unit.is_script else ():
        found.note("top", 0, name, reader.export(name))
    for symbol, scopes in unit.class_scopes.items():
        for scope in scopes:
            for name, group in unit.scope_names.get(scope, {}).items():
                found.note("member", symbol, name, reader.group(group))
    for symbol, kind in enumerate(unit.symbol_kind):
        if kind in _CLASSES:
            found.note("header", symbol, "", reader.header(symbol))
            found.note("names", symbol, "", sorted(unit.class_names.get(symbol, ({}, {}))[0]))
            if not unit.is_script:
                found.note("order", symbol, "", unit.fields_in_order(symbol))
        elif kind in _FUNCTIONS:
            found.note("params", symbol, "", reader.parameters(symbol))
            outermost = unit.outermost(symbol)
            if outermost == symbol or unit.symbol_kind[outermost] in _VALUES:
                found.note("code", outermost, "", reader.code(symbol))
            if unit.is_script and outermost != symbol:  # a member that was assigned to something is found by its own name
                found.note("code", symbol, "", reader.code(symbol))
            if unit.class_scopes.get(symbol):  # a function that is used as a class
                found.note("header", symbol, "", "")
        if unit.is_script and unit.symbol_parent[symbol] > 0 and kind in _ADDED:
            found.note("member", unit.symbol_parent[symbol], unit.symbol_text(symbol), (kind, unit.symbol_flags[symbol]))
    for name in ambient_names(unit) if declaration_files([unit.path]) else ():
        found.by_key[fact_key("ambient", "", name)] = found.by_key[fact_key("top", unit.path, name)]
    if declaration_files([unit.path]) and (declared := ambient_modules(unit)):
        contents = [(name, [reader.nodes(unit.symbol_node[symbol]) for symbol in symbols]) for name, symbols in sorted(declared.items())]
        found.by_key[fact_key("ambient", "", MODULES)] = ("ambient", MODULES, contents)
    for name, symbols in unit.fixtures.items():
        found.note("fixture", 0, name, [unit.qualified(symbol) for symbol in symbols])
    if not unit.is_script:
        for symbol, added in unit.registered.items():
            found.note("registered", symbol, "", [unit.qualified(one) for one in added])
        for symbol, names in unit.patched.items():
            for name in sorted(names):
                found.note("member", symbol, name, "patched")
    found.note("listing", 0, "", sorted(unit.exports if unit.is_script else unit.module_names))
    found.note("stores", 0, "", reader.stores())
    found.note("mixes", 0, "", [reader.nodes(max(unit.parent[target], 0)) for target, _ in unit.mixes])
    found.note("face", 0, "", reader.face())
    return found.by_key


class _Prints:
    """Fingerprints of one file. Not a function inside another: compiled, that would hold itself, and the whole file with it."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.by_key: dict[int, Print] = {}

    def note(self, kind: str, symbol: int, name: str, value: object) -> None:
        key = fact_at(kind, self.unit.place_key(symbol), name)
        known = self.by_key.get(key)
        self.by_key[key] = (kind, name, value if known is None else (known, value))


def moved_nodes(before: Version, after: Version, symbols: NDArray[np.int64]) -> Callable[[int], int]:
    """Two versions of a file and the new symbol of each old one -> a function from a node to the same one in the new version, -1
    where there is none: nodes of statements of which each version has one alike in the same block, function or class."""
    old, new = before.unit, after.unit
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


Span = tuple[int, int, int]  # first node of a function in the one version and in the other, and how many nodes it has


def standing(before: Version, after: Version, symbols: NDArray[np.int64], changed: Iterable[tuple[str, str]]) -> list[Span]:
    """Two versions of a file, the new symbol of each old one, and kind and name of what is not as it was -> what stands as it was: Python
    functions; of others their heads and statements; heads of classes, and statements outside of functions. They mean what they meant,
    unless they looked at something that changed; what they say without looking hangs on the names at the top of the file, on the classes
    round them, and on the names of their function."""
    old, new = before.unit, after.unit
    names: set[str] = set()
    for what, name in changed:
        if what in ("top", "member"):
            names.add(name)
        elif what == "stores":
            mine, theirs = before.stored(), after.stored()
            names.update(one for one in mine.keys() | theirs.keys() if mine.get(one) != theirs.get(one))
        elif what not in ("code", "params", "listing"):
            return []
    if new.is_script:
        return []
    highest = before.highest
    statements = _Statements(before, after, symbols, names, highest)
    found: list[Span] = []
    for symbol, kind in enumerate(old.symbol_kind):
        now = int(symbols[symbol])
        if now < 0 or kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY) or highest[symbol] != symbol:
            continue
        at, its = old.symbol_node[symbol], new.symbol_node[now]
        size = old.next[at] - at
        if before.whole_code(symbol) == after.whole_code(now) and new.next[its] - its == size and statements.stands_whole(at, its, size):
            found.append((at, its, size))
        else:
            found += statements.of_function(symbol, now)
    return found + statements.found()


class _Statements:
    """Of two versions of a Python file the pieces that stand as they were, most of them statements that define no function and no class.
    names: those at the top of the file, and of members, that are not as they were."""

    def __init__(self, before: Version, after: Version, symbols: NDArray[np.int64], names: set[str], highest: NDArray[np.int64]) -> None:
        self.before, self.after, self.names, self.highest = before, after, names, highest.tolist()
        self.moved: list[int] = symbols.tolist()
        self.is_concerned = _which(after.unit, names)
        self.concerned = self.named = _where(self.is_concerned[after.name])
        # What a condition outside functions says of an attribute holds for the statements after it.
        narrowed = before.narrowed_outside() | after.narrowed_outside()
        if narrowed:
            self.named = _where(_which(after.unit, names | narrowed)[after.name])
        self.defines, self.decorates = _where(_DEFINITIONS[after.kinds]), _where(after.kinds == Kind.DECORATOR)
        # As bytes: they are compared hundreds of times, a few at a time.
        self.steps_before, self.steps = (_steps(version.unit) for version in (before, after))
        self.symbols_before, self.symbols = before.by_node, after.by_node

    def found(self) -> list[Span]:
        old, new = self.before.unit, self.after.unit
        spans = self.alike(0, 0)
        classes = {0: 0}
        for symbol, kind in enumerate(old.symbol_kind):
            if kind != SymbolKind.CLASS or self.highest[symbol]:
                continue
            now, above = self.moved[symbol], old.symbol_parent[symbol]
            if now > 0 and classes.get(above) == new.symbol_parent[now] and self.before.is_direct(symbol) and self.after.is_direct(now):
                classes[symbol] = now
                spans += self.of_class(symbol, now)
        return spans

    def alike(self, node: int, its: int) -> list[Span]:
        """The statements directly in a file or class of which each version has one alike, and that stand."""
        mine, theirs = self.before.statements(node), self.after.statements(its)
        pairs = [(some[0], theirs[digest][0]) for digest, some in mine.items() if len(some) == len(theirs.get(digest, ())) == 1]
        following = self.before.unit.next
        return [(one, other, following[one] - one) for one, other in pairs if self.stands(one, other, following[one] - one)]

    def of_class(self, symbol: int, now: int) -> list[Span]:
        """What stands of a class: its head, and statements directly in it. Making a class runs `__set_name__` of what its fields are
        given, so where the head is looked at again, they are too."""
        old, new = self.before.unit, self.after.unit
        at, its = old.symbol_node[symbol], new.symbol_node[now]
        statements = self.alike(at, its)
        scopes = new.class_scopes.get(now, ())[:1]
        fields = {name: new.group_first[group] for scope in scopes for name, group in new.scope_names.get(scope, {}).items()}
        given = [new.value[row] for row in fields.values() if new.how[row] == How.ASSIGN]
        made = [node for node in given if node >= 0 and new.kind[node] == Kind.CALL]
        kids, kids_now = old.kids(at), new.kids(its)
        if not kids or not kids_now:
            return []
        size = kids[-1] - at
        if (
            old.kind[kids[-1]] == new.kind[kids_now[-1]] == Kind.BLOCK
            and kids_now[-1] - its == size
            and self.before.own[at] == self.after.own[its]
            and [self.before.nodes(kid) for kid in kids[:-1]] == [self.after.nodes(kid) for kid in kids_now[:-1]]
            and self.names.isdisjoint(new.class_names.get(now, ({}, {}))[0])
            and self.stands(at, its, size, inside=1)
            and all(any(first <= node < first + wide for _, first, wide in statements) for node in made)
        ):
            return [(at, its, size), *statements]
        return [] if made else statements

    def of_function(self, symbol: int, now: int) -> list[Span]:
        """What stands of a function that does not as a whole: its head, statements, and heads of statements. What else they hang on is
        what its names are given, and where these and what conditions say hold."""
        old, new = self.before.unit, self.after.unit
        at, its = old.symbol_node[symbol], new.symbol_node[now]
        head, head_now = self.before.head(at), self.after.head(its)
        if (
            not head
            or head != head_now
            or old.symbol_flags[symbol] != new.symbol_flags[now]
            or self.before.decorators(symbol) != self.after.decorators(now)
        ):
            return []
        names = _Locals(self.before, self.after, symbol, now, self.is_concerned)
        spans, last = [], 0
        theirs = self.after.parts(now)
        for digest, nodes in sorted(self.before.parts(symbol).items(), key=lambda part: (part[1][0][0], -part[1][0][1])):
            others = theirs.get(digest, ())
            if len(nodes) == len(others) == 1 and nodes[0][0] >= last:
                (node, size), (other, _) = nodes[0], others[0]
                if names.stand(node, other, size) and self.stands_whole(node, other, size):
                    spans.append((node, other, size))
                    last = node + size
        return spans

    def stands(self, at: int, its: int, size: int, inside: int = 0) -> bool:
        """Whether nodes that are alike, outside of functions, stand at the same places and define what they did, and from node `inside` on
        no function or class."""
        if _any_in(self.defines, its + inside, its + size) or _any_in(self.named, its, its + size):
            return False
        return self.defines_the_same(at, its, size)

    def stands_whole(self, at: int, its: int, size: int) -> bool:
        """Likewise of a function, or of what is in one: it defines nothing with a decorator."""
        if _any_in(self.decorates, its, its + size) or _any_in(self.concerned, its, its + size):
            return False
        return self.defines_the_same(at, its, size)

    def defines_the_same(self, at: int, its: int, size: int) -> bool:
        first, first_before, length = its * _STEP, at * _STEP, (size - 1) * _STEP
        if self.steps[first : first + length] != self.steps_before[first_before : first_before + length]:
            return False
        mine, theirs = _symbols_in(self.symbols_before, at, size), _symbols_in(self.symbols, its, size)
        old, new = self.before.unit, self.after.unit
        return len(mine) == len(theirs) and all(
            (now := self.moved[symbol]) >= 0
            and new.symbol_node[now] - its == old.symbol_node[symbol] - at
            and old.symbol_flags[symbol] == new.symbol_flags[now]
            for symbol in mine
        )


class _Locals:
    """The names of a function in two versions of its file, and which of them mean something else now. concerned: of the names of the file
    as it is now those of which that is known."""

    def __init__(self, before: Version, after: Version, symbol: int, now: int, concerned: NDArray[np.bool_]) -> None:
        self.before, self.after = before, after
        groups, groups_now = before.locals(symbol), after.locals(now)
        self.several, self.several_now = before.places(symbol, groups), after.places(now, groups_now)
        self.concerned = concerned.copy()
        conditions = before.narrowed_in(symbol) | after.narrowed_in(now)
        row_of = {name: row for row, name in enumerate(after.unit.names)}
        rows = [row_of[name] for name in conditions if name in row_of]
        left: dict[str, list[tuple[int, int, int]]] = {}
        for name in groups.keys() | groups_now.keys():
            one, other = groups.get(name), groups_now.get(name)
            spans = None
            if one is not None and other is not None and before.group(one) == after.group(other):
                spans = self.given(one, other)
            if spans is None:
                if name in row_of:
                    rows.append(row_of[name])
            else:
                left[name] = spans
        self.concerned[rows] = True
        # What is made of something that is concerned is concerned.
        todo = True
        while todo:
            named = self.concerned[after.name]
            found = [name for name, spans in left.items() if any(named[its : its + size].any() for _, its, size in spans)]
            todo = bool(found)
            for name in found:
                del left[name]
                self.concerned[row_of[name]] = True
        self.named = _where(self.concerned[after.name])

    def given(self, group: int, now: int) -> list[tuple[int, int, int]] | None:
        """What the bindings of a name are made of, as spans of nodes; None where one of these stands after other bindings than it did."""
        old, new, found = self.before.unit, self.after.unit, []
        for row, other in zip(
            range(old.group_first[group], old.group_first[group + 1]), range(new.group_first[now], new.group_first[now + 1]), strict=True
        ):
            pairs = [(old.value[row], new.value[other]), (old.type[row], new.type[other])]
            if old.how[row] not in (How.NARROW, How.EXCLUDE):  # of these, it is where something begins to hold
                pairs.append((old.target[row], new.target[other]))
            if old.how[row] == How.DEFINE:
                pairs.append((self.before.decorated(old.extra[row]), self.after.decorated(new.extra[other])))
            for node, its in pairs:
                if node < 0 and its < 0:
                    continue
                size = old.next[node] - node
                if its < 0 or new.next[its] - its != size or not self.is_reached_alike(node, its, size):
                    return None
                found.append((node, its, size))
        return found

    def is_reached_alike(self, at: int, its: int, size: int) -> bool:
        """Whether the same bindings may hold at each name in nodes that are alike."""
        mine, theirs = _between(self.several, at, size), _between(self.several_now, its, size)
        return [(node - at, place) for node, place in mine] == [(node - its, place) for node, place in theirs]

    def stand(self, at: int, its: int, size: int) -> bool:
        """Whether the names in nodes that are alike mean what they meant."""
        return not _any_in(self.named, its, its + size) and self.is_reached_alike(at, its, size)


Places = list[tuple[int, tuple[object, ...]]]  # nodes of names that are bound several times, rising, and which bindings may hold there


def _between(places: Places, first: int, size: int) -> Places:
    return places[bisect_left(places, (first,)) : bisect_left(places, (first + size,))]


Symbols = tuple[list[int], list[int]]  # nodes, rising, and the symbols that are defined there


_STEP: Final = 4  # bytes


def _steps(unit: Unit) -> bytes:
    """From where each node begins to where the next one does."""
    return np.diff(unit.facts["start"].astype(np.int32, copy=False)).tobytes()


def _by_node(unit: Unit) -> Symbols:
    nodes = unit.listed("symbol_node")
    order = sorted(range(len(nodes)), key=nodes.__getitem__)
    return [nodes[symbol] for symbol in order], order


def _symbols_in(symbols: Symbols, first: int, size: int) -> list[int]:
    return symbols[1][bisect_left(symbols[0], first) : bisect_left(symbols[0], first + size)]


def _which(unit: Unit, names: set[str] | frozenset[str]) -> NDArray[np.bool_]:
    """Which of a file's names these are; none of what has no name (-1)."""
    return np.array([name in names for name in unit.names] + [False])


def _where(which: NDArray[np.bool_]) -> list[int]:
    """Their places, rising."""
    found: list[int] = np.flatnonzero(which).tolist()
    return found


def _any_in(places: list[int], first: int, last: int) -> bool:
    """Whether one of them is from the first one on and before the last."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] < last


_MIX: Final = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
_MASK: Final = (1 << 64) - 1
_MOST_KINDS: Final = 255  # of scopes
_BASE: Final = 0x2545F4914F6CDD1D  # odd, so that it has an inverse


def _powers(size: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """At least `size` + 1 powers of a number and of its inverse, modulo 2 ** 64."""
    return _powers_of(max(size, 1 << 12).bit_length())


@lru_cache(maxsize=1)  # of the largest file so far, most of the time
def _powers_of(bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    up, down = (np.full(1 << bits, base, np.uint64) for base in (_BASE, pow(_BASE, -1, _MASK + 1)))
    for powers in (up, down):
        powers[0] = 1
        np.multiply.accumulate(powers, out=powers)
    return up, down


class Code:
    """A Python function in a version of a file. Two are the same where others are told the same, which is only looked at where they are
    not alike as a whole."""

    __slots__ = ("node", "version")

    def __init__(self, version: Version, node: int) -> None:
        self.version, self.node = version, node

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Code):
            return NotImplemented
        mine, theirs = self.version, other.version
        if mine.nodes(self.node) == theirs.nodes(other.node) and mine.flags_in(self.node) == theirs.flags_in(other.node):
            return True
        return mine.told(self.node) == theirs.told(other.node)

    __hash__ = None  # type: ignore[assignment]


class Version:
    """A version of a file, as it is compared with another one."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        facts = unit.facts
        self.kinds, self.next, self.name, self.groups = facts["kind"], facts["next"], facts["name"], facts["group"]
        self._told: dict[int, int] = {}
        self._statements: dict[int, dict[int, list[int]]] = {}
        self.script_decorators: dict[int, list[int]] = {}
        if unit.is_script:
            for node in np.flatnonzero(self.kinds == Kind.DECORATOR).tolist():
                self.script_decorators.setdefault(unit.owner[node], []).append(node)
        # Numbers of names hold in this process only, as what is made of them; two names have the same one as good as never.
        text = np.array([*map(hash, unit.names), 0], np.int64).view(np.uint64)
        scopes = np.append(facts["scope_kind"][facts["group_scope"]].astype(np.uint64), np.uint64(_MOST_KINDS))
        where = scopes[np.where(self.groups >= 0, self.groups, -1)]  # in a class body, it hangs on the place whose name one is
        self.own = text[self.name] ^ self.kinds.astype(np.uint64) << np.uint64(32) ^ where << np.uint64(40)  # what a node is by itself
        for node in self.rebound():
            self.own[node] ^= np.uint64(hash(tuple(self.reaching(node))) & _MASK)
        self.digests: list[int] = self.subtrees(self.own, np.arange(len(self.kinds) + 1)).tolist()

    def subtrees(self, own: NDArray[np.uint64], at: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Of every node a number for it and all below it: u8, a polynomial over what the nodes are and how many each has below it. at: the
        place of each node among those that count, one more than that at the end; nodes that do not count stand where the next one does."""
        size = len(own)
        counts = at[1:] > at[:-1]
        shapes = at[self.next] - at[:-1]
        mixed = self.mixed(own, shapes)
        up, down = _powers(size)
        terms = np.zeros(size + 1, np.uint64)
        np.cumsum(np.where(counts, mixed * up[at[:-1]], np.uint64(0)), out=terms[1:])
        found: NDArray[np.uint64] = (terms[self.next] - terms[:-1]) * down[at[:-1]]
        return found

    @staticmethod
    def mixed(own: NDArray[np.uint64], shapes: NDArray[np.int64]) -> NDArray[np.uint64]:
        """What nodes are, and how many each has below it -> numbers of which a few bits more or less change all."""
        found: NDArray[np.uint64] = (own + shapes.astype(np.uint64) * _MIX[0]) * _MIX[1]
        found ^= found >> np.uint64(29)
        found *= _MIX[2]
        found ^= found >> np.uint64(32)
        return found

    def rebound(self) -> list[int]:
        """Names that the file binds several times, at its top or in a class: what they mean hangs on where they stand."""
        facts = self.unit.facts
        several = np.diff(facts["group_first"]) > 1
        several &= one_of(facts["scope_kind"][facts["group_scope"]], (ScopeKind.MODULE, ScopeKind.CLASS))
        if not several.any():
            return []
        found: list[int] = np.flatnonzero(np.r_[several, False][np.maximum(self.groups, -1)]).tolist()
        return found

    def nodes(self, node: int) -> int:
        """A subtree: kinds, shape and names, and what its names mean where the file binds them several times."""
        return self.digests[node]

    def told(self, node: int) -> int:
        """Of a function or what holds one likewise what others are told: without the statements that say nothing to them.

        These are calls whose result is dropped, texts, and assignments to names of the function itself that nothing in it reads but such
        statements. Left in is whatever is looked at from elsewhere, or was told to others as a place in the code: what stores something,
        what narrows a name, what holds a display or a function, and what is bound to names in the arguments of an inner call, of which
        some stand for a list.
        """
        known = self._told.get(node)
        if known is not None:
            return known
        last = self.next[node]
        counts = np.ones(last - node, bool)
        for statement in self.silent(node):
            counts[statement - node : self.next[statement] - node] = False
        at = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=at[1:])
        own = self.own[node:last].copy()
        for symbol in _symbols_in(self.by_node, node, len(counts)):
            if place := self.unit.symbol_node[symbol]:
                own[place - node] += np.uint64(self.unit.symbol_flags[symbol]) << np.uint64(40)
        mixed = self.mixed(own, at[self.next[node:last] - node] - at[:-1])
        found = self._told[node] = int((mixed * _powers(len(counts))[0][at[:-1]])[counts].sum())
        return found

    @cached_property
    def _looked_at(self) -> NDArray[Any]:
        return np.sort(self.looked_at())

    def silent(self, node: int = 0) -> list[int]:
        """Statements of Python functions, in all or in a part of the file, that say nothing to others: see `told`. A part holds functions
        as a whole."""
        unit, facts, last = self.unit, self.unit.facts, self.next[node]
        kinds, following, groups = self.kinds[node:last], self.next[node:last] - node, self.groups[node:last]
        owner, name = facts["owner"][node:last], self.name[node:last]
        key = self.highest[owner] << 32 | name  # the outermost function that a node stands in, and its name, as one number
        parent, size = np.maximum(facts["parent"][node:last] - node, 0), last - node
        speaks = _SPEAKS[kinds]  # says something to others wherever it stands
        looked_at = self._looked_at
        speaks[looked_at[np.searchsorted(looked_at, node) : np.searchsorted(looked_at, last)] - node] = True
        at = np.flatnonzero(_STATEMENTS[kinds])
        at = at[_OF_FUNCTIONS[facts["symbol_kind"][owner[at]]] & (kinds[parent[at]] == Kind.BLOCK)]
        before = np.zeros(size + 1, np.int64)
        np.cumsum(speaks, out=before[1:])
        binds = _BINDS[kinds[at]]
        its = (before[following[at]] == before[at + 1]) & (binds | ~speaks[at])
        at, binds = at[its], binds[its]
        target = at + binds
        value = np.minimum(following[target], size - 1)
        is_local = (kinds[target] == Kind.NAME) & (groups[target] >= 0) & (following[value] == following[at])
        is_local[is_local] = facts["scope_kind"][facts["group_scope"][groups[target[is_local]]]] == ScopeKind.FUNCTION
        at, binds, target = at[~binds | is_local], binds[~binds | is_local], target[~binds | is_local]
        if not binds.any():
            return list((at + node).tolist())
        # Those that bind a name which something else in the outermost function reads are left in, and then what they read is read too.
        wanted = np.zeros(len(unit.names) + 1, bool)
        wanted[name[target[binds]]] = True
        wanted[-1] = False
        named = np.flatnonzero(wanted[name])
        of = np.searchsorted(at, named, "right") - 1
        is_read = (of < 0) | (named >= following[at[of]])
        is_result = np.ones(size, bool)
        is_result[at] = False
        arguments = np.flatnonzero((kinds == Kind.ARGS) & is_result[parent])
        depth = np.zeros(size + 1, np.int64)
        depth[arguments] = 1
        np.subtract.at(depth, following[arguments], 1)
        is_read |= np.cumsum(depth)[named] > 0
        kept = np.zeros(len(at), bool)
        binding: dict[int, list[int]] = {}
        for row, its in zip(np.flatnonzero(binds).tolist(), key[target[binds]].tolist(), strict=True):
            binding.setdefault(its, []).append(row)
        inside: list[int] = key[named].tolist()
        first: list[int] = np.searchsorted(of, np.arange(len(at) + 1)).tolist()
        todo: list[int] = distinct(key[named[is_read]]).tolist()
        while todo:
            for row in binding.pop(todo.pop(), ()):
                kept[row] = True
                todo += inside[first[row] : first[row + 1]]
        return list((at[~kept] + node).tolist())

    @cached_property
    def highest(self) -> NDArray[np.int64]:
        """Of every symbol the outermost function that it stands in, or is, whatever classes stand between; 0 where there is none."""
        unit, found = self.unit, [0] * len(self.unit.symbol_kind)
        for symbol, kind in enumerate(unit.symbol_kind):
            above = unit.symbol_parent[symbol]
            while above > 0:
                if unit.symbol_kind[above] in _FUNCTIONS:
                    found[symbol] = above
                above = unit.symbol_parent[above]
            if not found[symbol] and kind in _FUNCTIONS:
                found[symbol] = symbol
        return np.array(found, np.int64)

    def narrowed_outside(self) -> frozenset[str]:
        """Last names of the attributes of which conditions outside functions say something."""
        unit, facts = self.unit, self.unit.facts
        nodes = facts["narrow_node"]
        found = nodes[self.highest[facts["owner"][nodes]] == 0].tolist() if len(nodes) else []
        return frozenset(unit.dotted(node).rpartition(".")[2] for node in found)

    def flags_in(self, node: int) -> list[int]:
        """What is said of the definitions in a subtree, in order."""
        flags = self.unit.symbol_flags
        return [flags[symbol] for symbol in _symbols_in(self.by_node, node, int(self.next[node]) - node)]

    @cached_property
    def by_node(self) -> Symbols:
        return _by_node(self.unit)

    def narrowed_in(self, symbol: int) -> frozenset[str]:
        """Last names of the attributes of which conditions in a function say something."""
        unit, nodes = self.unit, self.unit.facts["narrow_node"]
        at = unit.symbol_node[symbol]
        found = nodes[(nodes >= at) & (nodes < unit.next[at])].tolist() if len(nodes) else []
        return frozenset(unit.dotted(node).rpartition(".")[2] for node in found)

    def locals(self, symbol: int) -> dict[str, int]:
        """Name -> binding group, of the names of a function."""
        unit = self.unit
        groups = np.flatnonzero(unit.facts["group_scope"] == unit.symbol_scope[symbol]).tolist()
        return {unit.names[unit.group_name[group]]: group for group in groups}

    def places(self, symbol: int, groups: Mapping[str, int]) -> Places:
        """Where in a function its names stand that are bound several times, or under a condition, and which of the bindings hold there."""
        unit = self.unit
        at = unit.symbol_node[symbol]
        several = [group for group in groups.values() if not unit.group_is_plain[group]]
        if not several:
            return []
        nodes = at + np.flatnonzero(one_of(self.groups[at : unit.next[at]], several))
        found: Places = []
        for node in nodes.tolist():
            rows = range(unit.group_first[unit.group[node]], unit.group_first[unit.group[node] + 1])
            regions = [
                unit.how[row] in (How.NARROW, How.EXCLUDE) and unit.target[row] <= node < unit.target[row] + unit.extra[row] for row in rows
            ]
            found.append((node, (unit.owner[node] == symbol, *self.reaching(node), *regions)))
        return found

    def head(self, node: int) -> tuple[object, ...]:
        """What stands before the first block of a definition or statement; nothing where there is no block."""
        unit, found = self.unit, [int(self.own[node])]
        for kid in unit.kids(node):
            if unit.kind[kid] == Kind.BLOCK:
                return (*found, kid - node)
            found.append(self.nodes(kid))
        return ()

    def parts(self, symbol: int) -> dict[object, list[tuple[int, int]]]:
        """Fingerprint -> where a function has it: its head, the statements of its blocks, and what stands before a block in them, each with
        how many nodes it has."""
        unit = self.unit
        at, found = unit.symbol_node[symbol], dict[object, list[tuple[int, int]]]()
        blocks = at + np.flatnonzero(self.kinds[at : unit.next[at]] == Kind.BLOCK)
        for block in blocks.tolist():
            if unit.owner[block] != symbol:
                continue
            above = unit.parent[block]
            head = self.head(above)
            if head and head[-1] == block - above:
                found.setdefault(head, []).append((above, block - above))
            for statement in unit.kids(block):
                found.setdefault(self.nodes(statement), []).append((statement, unit.next[statement] - statement))
        return found

    @cached_property
    def bases(self) -> list[tuple[int, int]]:
        """Where the file stores something, and the row of the name of what it stores it in."""
        unit = self.unit
        found = []
        for node, base in [(node, node + 1) for node, _ in unit.stores] + [(node, node + 2) for node in (*unit.mutations, *unit.reorders)]:
            while unit.kind[base] in (Kind.SUBSCRIPT, Kind.ATTRIBUTE):
                base += 1
            found.append((node, unit.name[base]))
        return found

    def of_containers(self) -> list[int]:
        """Names of what the file stores something in, wherever they stand: who hands such a container on lets others change it."""
        wanted = np.zeros(len(self.unit.names) + 1, bool)  # the last one: what has no name
        wanted[[name for _, name in self.bases]] = True
        wanted[-1] = False
        found: list[int] = np.flatnonzero((self.kinds == Kind.NAME) & wanted[self.name]).tolist()
        return found

    def stored(self) -> dict[str, list[object]]:
        """Name of what something is stored in -> how, in order."""
        unit, found = self.unit, dict[str, list[object]]()
        for node, name in sorted(self.bases):
            if name >= 0:
                found.setdefault(unit.names[name], []).append((self.nodes(max(unit.parent[node], 0)), self.above(node)))
        return found

    def uses_outside(self) -> list[object]:
        """Where names of what something is stored in under a key stand outside functions, in order: there nothing else says whether a
        container is handed on between storing and using."""
        unit, outside, found = self.unit, self.highest == 0, list[object]()
        groups = [group for (group, _), stores in unit.item_stores.items() if any(outside[unit.owner[place]] for place, _ in stores)]
        if not groups:
            return found
        blocks: dict[int, int] = {}
        owner = unit.facts["owner"]
        for node in np.flatnonzero(one_of(self.groups, groups)).tolist():
            if outside[owner[node]]:
                statement = node
                while unit.parent[statement] > 0 and unit.kind[unit.parent[statement]] != Kind.BLOCK:
                    statement = unit.parent[statement]
                block = unit.parent[statement]
                found.append((self.nodes(statement), self.above(statement), blocks.setdefault(block, len(blocks))))
        return found

    def looked_at(self) -> NDArray[Any]:
        """Nodes that tables of the file lead to, whatever statement they stand in."""
        facts = self.unit.facts
        other = ~_ASSIGNS[facts["binding_how"]]
        columns = [facts["binding_target"][other], facts["binding_value"][other]]
        columns += [facts[column] for column in ("narrow_node", "narrow_value", "return_node", "store_target", "guard_return")]
        columns += [np.array(nodes, np.int64) for nodes in (self.unit.mutations, self.unit.reorders, self.of_containers())]
        nodes = np.concatenate(columns)
        found: NDArray[Any] = nodes[(nodes >= 0) & (nodes < len(self.kinds))]
        return found

    def statements(self, node: int) -> dict[int, list[int]]:
        """Fingerprint -> the statements directly in a file, function or class that have it."""
        found = self._statements.get(node)
        if found is None:
            found = self._statements[node] = self._made_statements(node)
        return found

    def _made_statements(self, node: int) -> dict[int, list[int]]:
        unit, found = self.unit, dict[int, list[int]]()
        blocks = [node] if node == 0 else [kid for kid in unit.kids(node) if unit.kind[kid] == Kind.BLOCK]
        for block in blocks:
            for statement in unit.kids(block):
                found.setdefault(self.nodes(statement), []).append(statement)
        return found

    def is_direct(self, symbol: int) -> bool:
        """Whether a definition stands directly in the file or the class that it is of, not under a condition."""
        unit, above = self.unit, self.unit.symbol_parent[symbol]
        block = unit.parent[self.decorated(symbol)]
        return block == 0 if above == 0 else unit.kind[block] == Kind.BLOCK and unit.parent[block] == unit.symbol_node[above]

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
        own = self.nodes(node) if node >= 0 else 0
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

    def stores(self) -> list[object]:
        """Everything that the file stores in containers and objects, and the functions that do."""
        unit, found = self.unit, list[object]()
        for node in sorted({*(target for target, _ in unit.stores), *unit.mutations, *unit.reorders, *unit.described}):
            owner = unit.outermost(unit.owner[node])
            is_function = owner > 0 and unit.symbol_kind[owner] in _FUNCTIONS
            found.append(self.code(owner) if is_function else self.nodes(max(unit.parent[node], 0)))
        return found + self.uses_outside()

    def face(self) -> tuple[object, ...]:
        """What the file lets through as a whole: its `__all__`, its star imports, how it exports, and whether it makes names as it runs."""
        unit = self.unit
        stars: list[object] = [(unit.import_level[row], unit.names[unit.import_module[row]], always) for row, always in unit.star_order]
        exports: list[object] = []
        if unit.is_script:
            common = not any(unit.kind[node] == Kind.EXPORT for node in range(1, len(unit.kind)) if unit.parent[node] == 0)
            exports = [bool(unit.exports), EXPORTED in unit.exports, common]
        made = sorted(RUN_TIME_NAMES.intersection(unit.names))
        public = None if unit.public is None else sorted(unit.public)
        return unit.has_all, public, stars, exports, made

    def group(self, group: int) -> list[list[object]]:
        """All bindings of a name: how, from what, and under which statements; of a script's constant also whether members were assigned
        to it, since then it stands for an object of its own."""
        unit, found = self.unit, list[list[object]]()
        scope = unit.group_scope[group]
        if unit.is_script and unit.scope_kind[scope] in (ScopeKind.MODULE, ScopeKind.NAMESPACE):
            constant = unit.fields.get((unit.scope_symbol[scope], unit.names[unit.group_name[group]]))
            found.append([constant in unit.class_scopes])
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            how, value, extra = unit.how[row], unit.value[row], unit.extra[row]
            parts: list[object] = [how, self.above(unit.target[row])]
            if how == How.DEFINE:
                parts += [unit.qualified(extra), unit.symbol_kind[extra], unit.symbol_flags[extra], self.decorators(extra)]
                if unit.group_first[group + 1] - unit.group_first[group] > 1:  # which of them it is, only its code can tell
                    parts.append(self.whole_code(extra))
            elif how in (How.MEMBER, How.MODULE):
                member = unit.import_member[extra]
                parts += [
                    unit.names[unit.import_module[extra]],
                    unit.import_level[extra],
                    unit.names[member] if member >= 0 else "",
                    unit.import_flags[extra],
                ]
            elif how != How.PARAM:
                parts += [extra, self.nodes(value) if value >= 0 else 0]
                if unit.type[row] >= 0:
                    parts.append(self.type(unit.type[row]))
                if unit.scope_kind[unit.group_scope[group]] in (ScopeKind.INSTANCE, ScopeKind.PROTOTYPE):
                    parts.append(self.code(unit.outermost(unit.owner[unit.target[row]])))
            found.append(parts)
        return found

    def above(self, node: int) -> list[int]:
        """The kinds of the statements round a node, outermost last."""
        unit, found = self.unit, []
        node = unit.parent[node]
        while node > 0:
            found.append(unit.kind[node])
            node = unit.parent[node]
        return found

    def decorators(self, symbol: int) -> list[int]:
        unit = self.unit
        if unit.is_script:
            return [self.nodes(node) for node in self.script_decorators.get(symbol, ())]
        above = unit.parent[unit.symbol_node[symbol]]
        if above < 0 or unit.kind[above] != Kind.DECORATED:
            return []
        return [self.nodes(kid) for kid in unit.kids(above) if unit.kind[kid] == Kind.DECORATOR]

    def header(self, symbol: int) -> tuple[object, ...]:
        """A class without its body; what it names may be a type variable or not, which another statement says."""
        unit = self.unit
        node = unit.symbol_node[symbol]
        parts = [self.nodes(kid) for kid in unit.kids(node) if unit.kind[kid] != Kind.BLOCK]
        if unit.symbol_kind[symbol] == SymbolKind.INTERFACE:  # how it is called and indexed: signatures without a name
            bodies = [kid for kid in unit.kids(node) if unit.kind[kid] == Kind.BLOCK]
            parts += [self.nodes(kid) for body in bodies for kid in unit.kids(body) if unit.kind[kid + 1] != Kind.PROPERTY_NAME]
        variables = None if unit.is_script else unit.type_parameters.get(symbol)
        return unit.symbol_kind[symbol], unit.symbol_flags[symbol], self.decorators(symbol), parts, variables

    def code(self, symbol: int) -> object:
        """A function with its decorators, and everything inside it that others are told."""
        return self.whole_code(symbol) if self.unit.is_script else Code(self, self.decorated(symbol))

    def whole_code(self, symbol: int) -> object:
        """A definition with its decorators, and everything inside it."""
        return self.nodes(self.decorated(symbol)), self.written_types.get(symbol)

    def decorated(self, symbol: int) -> int:
        """The node of a definition with its decorators."""
        node = self.unit.symbol_node[symbol]
        above = self.unit.parent[node]
        return above if above >= 0 and self.unit.kind[above] == Kind.DECORATED else node

    def parameters(self, symbol: int) -> object:
        """A function without its body, but for which parameters are keys; Python's also without what it declares to return."""
        unit = self.unit
        kids = unit.kids(unit.symbol_node[symbol])
        found: list[object]
        if unit.is_script:
            found = [self.nodes(kid) for kid in kids if unit.kind[kid] != Kind.BLOCK]
            found += [*self.written_types.get(symbol, ()), *self.written_types.get(unit.outermost(symbol), ())]
        else:
            found = [self.nodes(kid) for kid in kids if unit.kind[kid] == Kind.PARAMS]
        if not found:
            return self.whole_code(symbol)
        return unit.symbol_flags[symbol], self.decorators(symbol), found, unit.key_params.get(symbol)

    def type(self, node: int) -> str | int:
        """A type: a subtree, or text of a comment."""
        return self.unit.names[node - TEXT_TYPE] if node >= TEXT_TYPE else self.nodes(node)

    @cached_property
    def written_types(self) -> dict[int, list[str | int]]:
        """Function -> the types that comments give to its parameters and its result."""
        unit = self.unit
        found: dict[int, list[str | int]] = {}
        if unit.is_script:
            for row, node in enumerate(unit.listed("param_type")):
                if node >= TEXT_TYPE:
                    found.setdefault(unit.outermost(unit.param_symbol[row]), []).append(self.type(node))
            for group, scope in enumerate(unit.listed("group_scope")):
                row = unit.group_first[group]
                if unit.type[row] >= TEXT_TYPE and unit.scope_kind[scope] == ScopeKind.FUNCTION:
                    found.setdefault(unit.outermost(unit.scope_symbol[scope]), []).append(self.type(unit.type[row]))
        return found
