"""Which signature a call is meant for, where a function or type was declared with several, and what that one takes and gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from index.numbers import Step, SymbolKind
from index.parsing.kinds import Kind
from index.resolver.arguments import NO_ARGUMENTS, Arguments, Written
from index.resolver.generics import TypeEnv, TypeParameters, WrittenWithTypes, collapsed
from index.resolver.program import Program, Unit
from index.resolver.values import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    LIKELY,
    METHOD,
    MODULE,
    NOTHING,
    SELF,
    SELF_CLASS,
    TEXT,
    TYPED,
    Value,
    Values,
    all_stepped,
    merged,
    weakened,
)

Shape = str | tuple[str, str]  # "function", "object", ... or ("text", the text)
Shapes = frozenset[Shape] | None  # None: it may be anything
Declared = tuple[Unit, int, TypeEnv]  # a signature, and the type parameters around it
Parameter = tuple[int, bool, bool]  # the node of its type or -1, whether it takes the rest, whether it may be left out

_TYPE_ONLY: Final = (SymbolKind.INTERFACE, SymbolKind.TYPE)
_FUNCTIONS: Final = (Kind.FUNC, Kind.LAMBDA)
_MAX_SIGNATURES: Final = 60
_PRIMITIVES: Final = frozenset({"string", "number", "boolean"})
_LISTS: Final = frozenset({"Array", "ReadonlyArray"})
_OBJECTS: Final = frozenset(
    {"Record", "Partial", "Map", "Set", "WeakMap", "WeakSet", "Promise", "Date", "RegExp", "Error", "Request", "Response", "URL"}
)
_FUNCTION: Final = frozenset({"function", "class"})
_OBJECT: Final = frozenset({"object"})
_ANY_OBJECT: Final = frozenset({"object", "function", "class", "array"})
_BY_KIND: Final[dict[int, frozenset[Shape]]] = {
    Kind.FUNC: frozenset({"function"}), Kind.LAMBDA: frozenset({"function"}), Kind.NUMBER: frozenset({"number"}), Kind.DICT: _OBJECT,
    Kind.LIST: frozenset({"array"}), Kind.REGEX: _OBJECT, Kind.CLASS: frozenset({"class"}), Kind.JSX: _OBJECT,
}  # fmt: skip


class Signatures(TypeParameters):
    """The part of the evaluator of scripts that chooses between signatures."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._overloads: dict[int, dict[int, list[int]]] = {}
        self._shapes: dict[tuple[int, int], Shapes] = {}
        self._declared: dict[tuple[int, int], list[Parameter]] = {}

    # what was declared

    def signatures_of(self, unit: Unit, symbol: int) -> list[int]:
        """The signatures of a function or member, where it was declared with others than its own."""
        known = self._overloads.get(unit.number)
        if known is None:
            found: dict[int, list[int]] = {}
            for node in np.flatnonzero(unit.facts.columns["kind"] == Kind.SIGNATURE).tolist():
                own = unit.symbol_node[unit.owner[node]]
                if self._statement(unit, node) == self._statement(unit, own):
                    found.setdefault(unit.owner[node], []).append(node)
            known = self._overloads[unit.number] = {
                owner: nodes for owner, nodes in found.items() if len(nodes) > 1 or unit.symbol_node[owner] not in nodes
            }
        return known.get(symbol, [])

    @staticmethod
    def _statement(unit: Unit, node: int) -> int:
        """Where a declaration stands."""
        above = unit.parent[node]
        return unit.parent[above] if above >= 0 and unit.kind[above] == Kind.EXPORT else above

    def key_of_signature(self, unit: Unit, node: int) -> int:
        """What its type parameters are known by: its symbol, or its node where it has none."""
        symbol = self.symbol_at_node(unit, node)
        return -node if symbol is None else symbol

    @staticmethod
    def result_node(unit: Unit, node: int) -> int:
        """The result type of a function type, or of a signature; -1 where there is none."""
        what = unit.kind[node]
        parts = unit.kids(node)
        if what == Kind.FUNC_TYPE and parts:
            return parts[-1] if unit.kind[parts[-1]] != Kind.PARAMS else -1
        if what == Kind.OBJECT_TYPE:
            for part in parts:
                if unit.kind[part] == Kind.SIGNATURE and unit.kind[part + 1] in (Kind.PARAMS, Kind.TYPE_PARAMS):
                    return Signatures.result_node(unit, part)
            return -1
        if what == Kind.SIGNATURE:
            declared = [part for part in parts if unit.kind[part] == Kind.TYPE]
            if not declared:
                return -1
            inner = declared[-1] + 1
            if not any(unit.kind[part] == Kind.PARAMS for part in parts) and unit.kind[inner] == Kind.FUNC_TYPE:
                return Signatures.result_node(unit, inner)
            return declared[-1]
        return -1

    def call_signatures(self, value: Value) -> Iterator[tuple[Unit, int, int]]:
        """The call signatures of the interface or object type that a value is an instance of, and the symbol of each one's type."""
        for file, symbol in self.order(value[1], value[2]):
            unit = self.program.unit(file)
            if unit.symbol_kind[symbol] not in _TYPE_ONLY:
                continue
            self.look("header", unit, symbol, "")
            node = unit.symbol_node[symbol]
            bodies = [part for part in unit.kids(node) if unit.kind[part] in (Kind.BLOCK, Kind.OBJECT_TYPE)]
            if unit.symbol_kind[symbol] == SymbolKind.TYPE:
                bodies = [
                    part
                    for part in range(node + 1, unit.next[node])
                    if unit.kind[part] == Kind.OBJECT_TYPE and unit.kind[unit.parent[part]] in (Kind.INTERSECTION, Kind.TYPE_ALIAS)
                ]
            for body in bodies:
                for member in self.calls_in(unit, body):
                    yield unit, member, symbol

    @staticmethod
    def calls_in(unit: Unit, body: int) -> list[int]:
        """The call signatures in the braces of a type."""
        return [
            member
            for member in unit.kids(body)
            if unit.kind[member] == Kind.SIGNATURE
            and unit.next[member] > member + 1
            and unit.kind[member + 1] in (Kind.PARAMS, Kind.TYPE_PARAMS)
        ]

    def parameters_of(self, unit: Unit, node: int) -> list[Parameter]:
        """The parameters that a signature, or a function type, declares."""
        known = self._declared.get((unit.number, node))
        if known is None:
            known = self._declared[unit.number, node] = [
                (
                    next((kid for kid in unit.kids(part) if unit.kind[kid] == Kind.TYPE), -1),
                    unit.kind[part + 1] == Kind.SPREAD,
                    unit.text(part) == "?",
                )
                for part in self._parameter_parts(unit, node)
            ]
        return known

    def _parameter_parts(self, unit: Unit, node: int) -> list[int]:
        for part in unit.kids(node):
            if unit.kind[part] == Kind.PARAMS:
                return [each for each in unit.kids(part) if unit.kind[each] == Kind.PARAM_TYPED and unit.kind[each + 1] != Kind.THIS]
        if unit.kind[node] == Kind.SIGNATURE:
            for part in unit.kids(node):
                if unit.kind[part] == Kind.TYPE and unit.kind[part + 1] == Kind.FUNC_TYPE:
                    return self._parameter_parts(unit, part + 1)
        return []

    # which one is meant

    def first_fit(self, unit: Unit, nodes: Sequence[int], positional: Arguments, fuel: int) -> int:
        """The first of several signatures that takes these arguments; -1 if none does."""
        return next((node for node in nodes if self.fits(unit, node, positional, fuel)), -1)

    def fits(self, unit: Unit, node: int, positional: Arguments, fuel: int) -> bool:
        """Whether arguments are as many as a signature takes, and none is plainly of another kind."""
        rows = positional.rows if isinstance(positional, WrittenWithTypes) else ()
        if rows and not self.type_arguments_fit(unit, self.key_of_signature(unit, node), len(rows)):
            return False
        parts = self.parameters_of(unit, node)
        given = positional.count()
        if given >= 0:
            needed = sum(not rest and not optional for _, rest, optional in parts)
            if given < needed or (given > len(parts) and not (parts and parts[-1][1])):
                return False
        for index, (declared, rest, _) in enumerate(parts[: positional.written]):
            if declared < 0 or rest:
                continue
            wanted = self.shapes_of_type(unit, declared, fuel)
            if wanted is None:
                continue
            is_text = "string" in wanted or any(isinstance(one, tuple) for one in wanted)
            got = self.shapes_of_argument(positional, index, fuel)
            if got is None or (is_text and "string" in got):
                continue
            if not any(one in wanted or (isinstance(one, tuple) and "string" in wanted) for one in got):
                return False
        return True

    def shapes_of_argument(self, positional: Arguments, index: int, fuel: int) -> Shapes:
        if isinstance(positional, Written) and index < len(positional.nodes):
            unit, node = positional.unit, positional.nodes[index]
            kind = unit.kind[node]
            if kind in (Kind.STRING, Kind.TEMPLATE):
                whole = unit.next[node] == node + 2 and unit.kind[node + 1] == Kind.TEXT
                return frozenset({("text", unit.text(node + 1)) if whole else "string"})
            if kind in _BY_KIND:
                return _BY_KIND[kind]
            if kind == Kind.LITERAL:
                return frozenset({"boolean"}) if unit.text(node) in ("true", "false") else None
        found: set[Shape] = set()
        for value in positional.at(index):
            shapes = self._shapes_of_value(value)
            if shapes is None:
                return None
            found |= shapes
        return frozenset(found) or None

    def _shapes_of_value(self, value: Value) -> Shapes:
        tag: int = value[0]
        if tag in (FUNCTION, METHOD):
            return frozenset({"function"})
        if tag in (CLASS, SELF_CLASS):
            return frozenset({"class"})
        if tag in (INSTANCE, SELF):
            kind = self.kind_of(value)
            return _OBJECT if kind == SymbolKind.CLASS or not any(True for _ in self.call_signatures(value)) else None
        if tag == CONTAINER:
            kind = self.program.unit(value[1]).kind[value[2]]
            return frozenset({"function"}) if kind == Kind.FUNC_TYPE else _BY_KIND.get(kind)
        if tag == TYPED:
            return frozenset({"array", "object"})
        if tag == TEXT:
            return frozenset({("text", str(value[1]))})
        if tag == MODULE:
            return _OBJECT
        return frozenset({value[1]}) if tag == EXTERNAL_INSTANCE and value[1] in _PRIMITIVES else None

    def shapes_of_type(self, unit: Unit, node: int, fuel: int) -> Shapes:
        """What kinds of things a type allows."""
        key = (unit.number, node)
        if key not in self._shapes:
            self._shapes[key] = None  # while it is asked: a type that is made of itself
            self._shapes[key] = self._shapes_of_type(unit, node, fuel)
        return self._shapes[key]

    def _shapes_of_type(self, unit: Unit, node: int, fuel: int) -> Shapes:
        kind = unit.kind[node]
        if kind == Kind.TYPE:
            return self.shapes_of_type(unit, node + 1, fuel) if unit.next[node] > node + 1 else None
        if kind == Kind.UNION:
            found: frozenset[Shape] = frozenset()
            for part in unit.kids(node):
                shapes = self.shapes_of_type(unit, part, fuel)
                if shapes is None:
                    return None
                found |= shapes
            return found
        if kind == Kind.PREDEFINED:
            text = unit.text(node)
            if text == "object":
                return _ANY_OBJECT
            return frozenset({text}) if text in _PRIMITIVES else frozenset() if text in ("void", "never") else None
        if kind == Kind.STRING:
            return frozenset({("text", unit.text(node + 1) if unit.next[node] > node + 1 else "")})
        if kind == Kind.LITERAL:
            return frozenset({"boolean"}) if unit.text(node) in ("true", "false") else frozenset()
        if kind in (Kind.TEMPLATE, Kind.NUMBER):
            return frozenset({"string" if kind == Kind.TEMPLATE else "number"})
        if kind == Kind.FUNC_TYPE:
            return _FUNCTION
        if kind in (Kind.ARRAY_TYPE, Kind.TUPLE_TYPE):
            return frozenset({"array"})
        if kind == Kind.OBJECT_TYPE:
            return _ANY_OBJECT if self.calls_in(unit, node) or unit.next[node] == node + 1 else _OBJECT
        if kind == Kind.GENERIC:
            return self.shapes_of_type(unit, node + 1, fuel)
        return self._shapes_of_name(unit, node, fuel) if kind in (Kind.TYPE_NAME, Kind.ATTRIBUTE) else None

    def _shapes_of_name(self, unit: Unit, node: int, fuel: int) -> Shapes:
        found: frozenset[Shape] = frozenset()
        for value in self.values(unit, node, fuel):
            shapes: Shapes = None
            if value[0] == EXTERNAL:
                shapes = frozenset({"array"}) if value[1] in _LISTS else _OBJECT if value[1] in _OBJECTS else None
                shapes = _FUNCTION if value[1] == "Function" else shapes
            elif value[0] == CLASS:
                other = self.program.unit(value[1])
                kind = other.symbol_kind[value[2]]
                self.look("header", other, value[2], "")
                if kind == SymbolKind.CLASS:
                    shapes = _OBJECT
                elif kind == SymbolKind.INTERFACE:
                    shapes = _ANY_OBJECT if any(True for _ in self.call_signatures((INSTANCE, *value[1:3]))) else _OBJECT
                elif kind == SymbolKind.TYPE:
                    shapes = self.shapes_of_type(other, other.kids(other.symbol_node[value[2]])[-1], fuel)
            if shapes is None:
                return None
            found |= shapes
        return found or None

    # what it gives and takes

    def overloaded(
        self, unit: Unit, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int
    ) -> Values | None:
        """What the first signature that takes these arguments declares; None where there is one signature only, or none fits."""
        nodes = self.signatures_of(unit, symbol)
        if not nodes or positional is NO_ARGUMENTS:
            return None
        self.look_at_code(unit, symbol)
        node = self.first_fit(unit, nodes, positional, fuel)
        found = self.given_by(unit, node, positional, fuel) if node >= 0 else NOTHING
        is_silent = unit.kind[unit.symbol_node[symbol]] in _FUNCTIONS and self.return_type(unit, symbol) < 0
        if is_silent and any(value[0] in (INSTANCE, SELF) and self.kind_of(value) in _TYPE_ONLY for value in found):
            found = dict(found)  # the class that stands for the type is what the function really makes
            for value, code in self.returned(unit, symbol, fuel).items():
                if value[0] == INSTANCE and self.kind_of(value) == SymbolKind.CLASS:
                    found.setdefault(value, weakened(code, LIKELY))
        elif self.gives_function(unit, symbol) and any(map(self.is_called, found)):  # nor does the type of a function say which one it is
            found = dict(found)
            for value, code in self.result_written(unit, symbol, fuel).items():
                found.setdefault(value, weakened(code, LIKELY))
        return found or None

    def is_called(self, value: Value) -> bool:
        """Whether something of that type is called: a function type, or an interface with call signatures."""
        raise NotImplementedError

    def gives_function(self, unit: Unit, symbol: int) -> bool:
        raise NotImplementedError

    def result_written(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """The functions that a function gives back, whatever it declares."""
        raise NotImplementedError

    def kind_of(self, value: Value) -> int:
        return self.program.unit(value[1]).symbol_kind[value[2]]

    def given_by(self, unit: Unit, node: int, positional: Arguments, fuel: int) -> Values:
        """What a call by this signature gives."""
        result = self.result_node(unit, node)
        if result < 0 or self.spent(fuel):
            return NOTHING
        declared = self.annotated(unit, result, fuel - 1)
        return all_stepped(self.filled_in_by(unit, node, declared, positional, fuel), Step.RETURN)

    def filled_in_by(self, unit: Unit, node: int, values: Values, positional: Arguments, fuel: int) -> Values:
        """The values with the type parameters of a signature as a call of it has them."""
        if not any(self.mentions(value) for value in values):
            return values
        key = self.key_of_signature(unit, node)
        env = dict(self.seen_types(unit, key, [declared for declared, _, _ in self.parameters_of(unit, node)], positional, fuel))
        if isinstance(positional, WrittenWithTypes):
            env.update(positional.types(unit.number, key))
        return collapsed(self.told(values, env, unit.number, key, fuel))

    def parameter_of_type(self, unit: Unit, node: int, index: int, fuel: int) -> Values:
        """The type of parameter `index` in a function type or signature."""
        parts = self.parameters_of(unit, node)
        if not parts:
            return NOTHING
        declared, rest, _ = parts[min(index, len(parts) - 1)]
        if index >= len(parts) and not rest:
            return NOTHING
        found = self.annotated(unit, declared, fuel) if declared >= 0 else NOTHING
        return self.elements(found, fuel) if rest else found

    def declared_calls(self, callee: Value, fuel: int) -> list[Declared]:
        """The signatures that something callable is declared with, and what the type parameters around them are; nothing for a
        function that is written with one of its own."""
        tag: int = callee[0]
        if tag in (FUNCTION, METHOD):
            unit = self.program.unit(callee[1])
            nodes = self.signatures_of(unit, callee[2])
            if not nodes:
                return []
            self.look_at_code(unit, callee[2])
            env = self.environment(callee[3], callee[1], unit.symbol_parent[callee[2]], fuel) if tag == METHOD else {}
            return [(unit, node, env) for node in nodes]
        if tag == CONTAINER:
            unit, node, env = self.program.unit(callee[1]), callee[2], self.carried(callee)
            kind = unit.kind[node]
            nodes = [node] if kind in (Kind.FUNC_TYPE, Kind.SIGNATURE) else self.calls_in(unit, node) if kind == Kind.OBJECT_TYPE else []
            return [(unit, node, env) for node in nodes]
        if tag in (INSTANCE, SELF):
            return [(unit, node, self.environment(callee, unit.number, owner, fuel)) for unit, node, owner in self.call_signatures(callee)]
        return []

    def meant(self, signatures: list[Declared], positional: Arguments, fuel: int) -> list[Declared]:
        """Of several signatures the first one that takes these arguments; all of them where that is not told."""
        if positional is NO_ARGUMENTS or not 1 < len(signatures) <= _MAX_SIGNATURES:
            return signatures
        return [one for one in signatures if self.fits(one[0], one[1], positional, fuel)][:1] or signatures

    def given(self, signatures: list[Declared], positional: Arguments, fuel: int) -> Values:
        """What calling something that is declared with these signatures gives."""
        found: Values = {}
        for unit, node, env in self.meant(signatures, positional, fuel):
            merged(found, self.with_types(self.given_by(unit, node, positional, fuel), env))
        return collapsed(found)

    def asked(self, signatures: list[Declared], index: int, positional: Arguments, fuel: int) -> Values:
        """The type of parameter `index` of something that is declared with these signatures."""
        found: Values = {}
        for unit, node, env in self.meant(signatures, positional, fuel):
            declared = self.parameter_of_type(unit, node, index, fuel)
            merged(found, self.with_types(self.filled_in_by(unit, node, declared, positional, fuel), env))
        return collapsed(found)

    def annotated(self, unit: Unit, node: int, fuel: int) -> Values:
        """The values that a type allows; nothing where it says nothing about the project."""
        raise NotImplementedError
