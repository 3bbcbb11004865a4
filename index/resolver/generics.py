"""Type parameters of TypeScript: what `T` is where a class, an interface or a function is used with types given or seen.

A parameter is a value of its own, (TYPEVAR, file, symbol, index), and an instance may carry what its class's parameters are:
(INSTANCE, file, symbol, (TYPES, row, row, ...)), each row the values of one parameter. Reading a member replaces the one by
the other. Where nothing says what a parameter is, it has the members of the type it extends.

`E[K]` is (LOOKED, row, row): members of the first row's values, under the names that the second one says; both may be parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np

from index.parsing.facts import How
from index.parsing.kinds import Kind
from index.resolver.arguments import NO_ARGUMENTS, Arguments, Written
from index.resolver.evaluate import Evaluator
from index.resolver.program import Program, Unit
from index.resolver.values import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    LIKELY,
    MAX_VALUES,
    METHOD,
    NOTHING,
    PROVED,
    SELF,
    SELF_CLASS,
    TEXT,
    TYPED,
    Value,
    Values,
    all_stepped,
    in_order,
    merged,
    weakened,
)
from index.types import Step, SymbolKind

TYPEVAR: Final = -1
TYPES: Final = -2
LOOKED: Final = -3
Row = tuple[Value, ...]
Parameter = tuple[int, int, int]  # file, symbol, index
TypeEnv = Mapping[Parameter, Row]  # what type parameters are

MAX_NESTING: Final = 2
PRIMITIVES: Final = frozenset({"string", "number", "boolean", "bigint", "symbol"})
_MAX_VARIANTS: Final = 2
_MAX_UNION: Final = 40
_SAYS: Final = (INSTANCE, SELF, TYPED, CONTAINER, CLASS, SELF_CLASS, METHOD, FUNCTION)  # what is worth carrying along
_OPEN: Final = (TYPEVAR, LOOKED)
_MAX_KEYS: Final = 4  # names that one type parameter may stand for
_MAX_MERGED: Final = 6  # declarations of one thing
_MERGED: Final = (CLASS, INSTANCE, FUNCTION)
_ADDS: Final = (SymbolKind.NAMESPACE, SymbolKind.INTERFACE)  # declarations that add to another one of the same name
_MAX_ABOVE: Final = 6  # classes between one that is given types and the one whose parameter is asked for


def row_of(values: Values) -> Row:
    """Values as elements of a container: in order, without what is nested too deeply (recursive types have no end)."""
    found = {_shallow(value) for value in values if not (value[0] == TYPED and nests(value, MAX_NESTING))}
    return in_order(found)


def said(values: Values) -> Row:
    """Of what a type parameter is, that which says something about the project."""
    return row_of({value: code for value, code in values.items() if value[0] in _SAYS or value[0] in _OPEN})


def nests(value: Value, levels: int) -> bool:
    """Whether containers, or instances with types of their own, stand in one another more than `levels` deep."""
    if value[0] == TYPED:
        return levels == 0 or any(nests(one, levels - 1) for one in (*value[1], *value[2]))
    if value[0] in (INSTANCE, SELF) and len(value) > 3:
        return levels == 0 or any(nests(one, levels - 1) for row in value[3][1:] for one in row)
    return False


def _shallow(value: Value) -> Value:
    return value[:3] if value[0] in (INSTANCE, SELF) and nests(value, MAX_NESTING) else value


def bare(value: Value) -> Value:
    """An instance, or a function or object type, without the types it carries."""
    return value[:3] if value[0] in (INSTANCE, SELF, CONTAINER) else value


def collapsed(values: Values) -> Values:
    """Instances of one class with more than a few different types become one without."""
    counts: dict[Value, int] = {}
    for value in values:
        if value[0] in (INSTANCE, SELF, CONTAINER) and len(value) > 3:
            counts[value[:3]] = counts.get(value[:3], 0) + 1
    if not any(count > _MAX_VARIANTS for count in counts.values()):
        return values
    found: Values = {}
    for value, code in values.items():
        merged(found, {value[:3] if counts.get(value[:3], 0) > _MAX_VARIANTS else value: code})
    return found


class WrittenWithTypes(Written):
    """Arguments of a written call, and the type parameters that the call gives."""

    __slots__ = ("rows",)

    def __init__(self, evaluator: Evaluator, unit: Unit, positional: list[int], rows: Sequence[Row], fuel: int) -> None:
        super().__init__(evaluator, unit, positional, {}, fuel)
        self.rows = rows

    def types(self, file: int, symbol: int) -> dict[Parameter, Row]:
        """The type parameters of what is called, as they are written at the call."""
        return {(file, symbol, index): row for index, row in enumerate(self.rows) if row}


class Told(WrittenWithTypes):
    """Arguments of a written call as one of them asks what the others say: without itself, and without functions that are written there."""

    __slots__ = ("asking",)

    def __init__(self, evaluator: Evaluator, unit: Unit, positional: list[int], rows: Sequence[Row], asking: int, fuel: int) -> None:
        super().__init__(evaluator, unit, positional, rows, fuel)
        self.asking = asking

    def at(self, index: int) -> Values:
        if index == self.asking:
            return NOTHING
        if 0 <= index < len(self.nodes) and self.unit.kind[self.nodes[index]] in (Kind.FUNC, Kind.LAMBDA):
            return NOTHING
        return super().at(index)


_TYPE_LITERALS: Final = (Kind.FUNC_TYPE, Kind.OBJECT_TYPE, Kind.SIGNATURE)


class TypeParameters(Evaluator):
    """The part of the evaluator of scripts that knows type parameters."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._free: dict[tuple[int, int], frozenset[Parameter]] = {}
        self._nodes: dict[tuple[int, int], list[int]] = {}

    def parameter_nodes(self, unit: Unit, symbol: int) -> list[int]:
        """The TYPE_PARAM nodes of a class, interface, alias or function; of a signature or function type without a symbol, by `-node`."""
        known = self._nodes.get((unit.number, symbol))
        if known is None:
            known = self._nodes[unit.number, symbol] = [
                each
                for part in unit.kids(unit.symbol_node[symbol] if symbol >= 0 else -symbol)
                if unit.kind[part] == Kind.TYPE_PARAMS
                for each in unit.kids(part)
                if unit.kind[each] == Kind.TYPE_PARAM
            ]
        return known

    def spread_out(self, found: Values) -> Values:
        """As in Python; but instances of one class that carry different types leave no doubt about the class."""
        if len(found) < 2:
            return found
        found = collapsed(found)
        if len(kinds := {bare(value) for value in found if not self.is_plain(value)}) < 2 or self.is_merged(kinds):
            return found
        if len(found) > MAX_VALUES and TypeParameters.too_many(found):
            return NOTHING
        return {value: weakened(code, LIKELY) for value, code in found.items()}

    def is_merged(self, values: Set[Value]) -> bool:
        """Are these one thing that is declared in several places: a class and its namespace, an interface twice?"""
        if len(values) > _MAX_MERGED or any(value[0] not in _MERGED for value in values) or len({value[1] for value in values}) > 1:
            return False
        declared = sorted(value[2] for value in values)
        unit = self.program.unit(min(value[1] for value in values))
        alike = {(unit.symbol_name[one], unit.symbol_parent[one]) for one in declared}
        return len(alike) == 1 and sum(unit.symbol_kind[one] not in _ADDS for one in declared) < 2

    def is_plain(self, value: Value) -> bool:
        """A value that has no members of ours: a text, a number, a function type (what calling it gives may be one of several)."""
        if value[0] == CONTAINER:
            return self.program.unit(value[1]).kind[value[2]] == Kind.FUNC_TYPE
        return value[0] == EXTERNAL_INSTANCE and value[1] in PRIMITIVES

    @staticmethod
    def too_many(found: Values) -> bool:
        """A declared union may have many members; what values come together by chance says nothing."""
        return len(found) > _MAX_UNION or sum(value[0] not in (INSTANCE, SELF) for value in found) > MAX_VALUES

    def symbol_at_node(self, unit: Unit, node: int) -> int | None:
        """The first symbol that a node defines."""
        raise NotImplementedError

    def type_parameter(self, unit: Unit, target: int) -> Value | None:
        """The value of the type parameter whose name stands at `target`; None for other types that are bound in place."""
        each = unit.parent[target]
        if each < 0 or unit.kind[each] != Kind.TYPE_PARAM:
            return None
        parameters = unit.parent[each]
        holder = unit.parent[parameters]
        symbol = self.symbol_at_node(unit, holder)
        if symbol is None:
            if unit.kind[holder] not in (Kind.SIGNATURE, Kind.FUNC_TYPE):
                return None
            symbol = -holder
        return (TYPEVAR, unit.number, symbol, unit.kids(parameters).index(each))

    def constraint_of(self, value: Value, fuel: int) -> Values:
        """What a type parameter is at least: the type it extends."""
        return self._bound(value, 1, fuel)

    def fallback_of(self, value: Value, fuel: int) -> Values:
        """What a type parameter is where nothing says it: its default, else the type it extends."""
        return self._bound(value, -1, fuel) or self._bound(value, 1, fuel)

    def _bound(self, value: Value, part: int, fuel: int) -> Values:
        unit = self.program.unit(value[1])
        owner = value[2] if value[2] >= 0 else unit.owner[-value[2]]
        self.look("header", unit, owner, "")
        self.look("code", unit, owner, "")
        nodes = self.parameter_nodes(unit, value[2])
        if self.spent(fuel) or value[3] >= len(nodes):
            return NOTHING
        parts = unit.kids(nodes[value[3]])
        return all_stepped(self.annotated(unit, parts[part], fuel - 1), Step.DECLARED) if len(parts) > 1 else NOTHING

    def type_arguments_fit(self, unit: Unit, symbol: int, given: int) -> bool:
        """Whether something has that many type parameters, those that have a default left out or not."""
        nodes = self.parameter_nodes(unit, symbol)
        needed = sum(unit.kind[unit.kids(node)[-1]] != Kind.TYPE for node in nodes)
        return needed <= given <= len(nodes)

    def with_types(self, values: Values, env: TypeEnv) -> Values:
        """The values with type parameters replaced; those that the environment does not know stay."""
        if not env or not any(self.mentions(value) for value in values):
            return values
        found: Values = {}
        for value, code in values.items():
            for one in self._replaced(value, env, 3):
                merged(found, {one: code})
        return found

    def told(self, values: Values, env: TypeEnv, file: int, symbol: int, fuel: int) -> Values:
        """The values outside a class or function, whose type parameters are `env` as far as that is known: the others are no more than
        the type they extend."""
        count = len(self.parameter_nodes(self.program.unit(file), symbol))
        if not count and not env:
            return values
        whole: dict[Parameter, Row] = {(file, symbol, index): () for index in range(count)}
        whole.update(env)
        found: Values = {}
        for value, code in values.items():
            if value[0] == TYPEVAR and value[1:3] == (file, symbol) and not whole.get(value[1:4]):
                merged(found, {one: max(code, its) for one, its in self.fallback_of(value, fuel).items()})
            else:
                merged(found, self.with_types({value: code}, whole))
        return found

    def mentions(self, value: Value) -> bool:
        """Whether a type parameter may stand in a value."""
        tag: int = value[0]
        if tag in _OPEN:
            return True
        if tag == TYPED:
            return any(self.mentions(one) for one in (*value[1], *value[2]))
        if tag in (INSTANCE, SELF):
            return len(value) > 3 and any(self.mentions(one) for row in value[3][1:] for one in row)
        if tag == METHOD:
            return self.mentions(value[3])
        if tag != CONTAINER:
            return False
        carried = self.carried(value)
        return any(key not in carried for key in self.free_parameters(value[1], value[2])) or any(
            self.mentions(one) for row in carried.values() for one in row
        )

    def free_parameters(self, file: int, node: int) -> frozenset[Parameter]:
        """The type parameters that a function or object type names and does not declare itself."""
        known = self._free.get((file, node))
        if known is None:
            unit = self.program.unit(file)
            found: set[Parameter] = set()
            if unit.kind[node] in _TYPE_LITERALS:
                columns, end = unit.facts.columns, unit.next[node]
                names = np.flatnonzero((columns["kind"][node:end] == Kind.TYPE_NAME) & (columns["group"][node:end] >= 0)) + node
                for group in {unit.group[name] for name in names.tolist()}:
                    parameter = self.parameter_of_group(unit, group)
                    if parameter is not None and not node <= -parameter[2] < end:
                        found.add(parameter[1:4])
            known = self._free[file, node] = frozenset(found)
        return known

    def parameter_of_group(self, unit: Unit, group: int) -> Value | None:
        """The type parameter that a binding group is, if it is one."""
        row = unit.group_first[group]
        if unit.how[row] != How.DECLARE or unit.group_first[group + 1] - row != 1:
            return None
        return self.type_parameter(unit, unit.target[row])

    def _replaced(self, value: Value, env: TypeEnv, depth: int) -> Row:
        tag: int = value[0]
        if depth == 0 or not self.mentions(value):
            return (value,)
        if tag == TYPEVAR:
            return env.get(value[1:4], (value,))
        if tag == LOOKED:
            return self._found_in(self._row(value[1], env, depth), self._row(value[2], env, depth))
        if tag == TYPED:
            rows = [self._row(row, env, depth) for row in (value[1], value[2])]
            if len(value) > 3:
                return ((TYPED, *rows, tuple(self._row(row, env, depth) for row in value[3]), *value[4:]),)
            return ((TYPED, *rows),)
        if tag in (INSTANCE, SELF):
            rows = [self._row(row, env, depth) for row in value[3][1:]]
            return (_shallow((*value[:3], (TYPES, *rows))) if any(rows) else value[:3],)
        if tag == METHOD:
            return tuple((METHOD, value[1], value[2], one) for one in self._replaced(value[3], env, depth - 1))
        own = {key: self._row(row, env, depth) for key, row in self.carried(value).items()}
        free = self.free_parameters(value[1], value[2])
        known = {**{key: row for key, row in env.items() if key in free}, **own}
        return ((*value[:3], (TYPES, *(item for pair in sorted(known.items()) for item in pair))),) if known else (value,)

    def _found_in(self, of: Row, keys: Row) -> Row:
        """The members of some values under some names; what is to be looked up later while either is not known."""
        if any(self.mentions(value) for value in (*of, *keys)):
            return ((LOOKED, of, keys),)
        found: Values = {}
        for key in keys:
            if key[0] == TEXT:
                merged(found, self.members(dict.fromkeys(of, PROVED), str(key[1]), _MAX_ABOVE))
        return row_of(found)

    @staticmethod
    def carried(value: Value) -> TypeEnv:
        """The type parameters that a function or object type was written with."""
        if value[0] != CONTAINER or len(value) < 4:
            return {}
        return dict(zip(value[3][1::2], value[3][2::2], strict=True))

    def _row(self, row: Row, env: TypeEnv, depth: int) -> Row:
        return row_of({one: 0 for value in row for one in self._replaced(value, env, depth - 1)})

    def environment(self, receiver: Value, file: int, symbol: int, fuel: int) -> TypeEnv:
        """What the type parameters of a class are for an instance of it or of a class below it."""
        if receiver[0] == CONTAINER:
            return self.carried(receiver)
        if receiver[0] not in (INSTANCE, SELF) or not self.parameter_nodes(self.program.unit(file), symbol):
            return {}
        return self._environment(receiver, file, symbol, min(fuel, _MAX_ABOVE))

    def _environment(self, receiver: Value, file: int, symbol: int, fuel: int) -> TypeEnv:
        number, own = receiver[1], receiver[2]
        rows: tuple[Row, ...] = receiver[3][1:] if len(receiver) > 3 else ()
        env: dict[Parameter, Row] = {(number, own, index): row for index, row in enumerate(rows) if row}
        if receiver[0] == INSTANCE:  # outside its class, a parameter that is not given is no more than the type it extends or defaults to
            for index in range(len(self.parameter_nodes(self.program.unit(number), own))):
                key = (number, own, index)
                if key not in env:
                    env[key] = said(self.fallback_of((TYPEVAR, *key), fuel))
        if (number, own) == (file, symbol):
            return env
        if fuel <= 0:
            return {}
        unit = self.program.unit(number)
        self.look("header", unit, own, "")
        for base, arguments in self.bases_with_types(unit, own):
            for value in self.values(unit, base, fuel):
                if value[0] != CLASS or (file, symbol) not in self.order(value[1], value[2]):
                    continue
                given = tuple(said(self.with_types(self.annotated(unit, one, fuel), env)) for one in arguments)
                return self._environment((INSTANCE, value[1], value[2], (TYPES, *given)), file, symbol, fuel - 1)
        return {}

    def bases_with_types(self, unit: Unit, symbol: int) -> list[tuple[int, list[int]]]:
        """(node of the base's name, nodes of the types it is given) of everything that a class or interface extends."""
        found: list[tuple[int, list[int]]] = []
        for part in unit.kids(unit.symbol_node[symbol]):
            if unit.kind[part] != Kind.HERITAGE:
                continue
            for base in unit.kids(part):
                if unit.kind[base] == Kind.TYPE_ARGS:
                    if found:
                        found[-1] = (found[-1][0], unit.kids(base))
                elif unit.kind[base] == Kind.GENERIC:
                    parts = unit.kids(base)
                    found.append((parts[0], unit.kids(parts[-1]) if unit.kind[parts[-1]] == Kind.TYPE_ARGS else []))
                else:
                    found.append((base, []))
        return found

    # what a call says

    def given_rows(self, unit: Unit, call: int, fuel: int) -> list[Row]:
        """`f<A>(...)`, `new C<A>(...)`: the types that are written at a call."""
        following = unit.next[call + 1]
        if following >= unit.next[call] or unit.kind[following] != Kind.TYPE_ARGS:
            return []
        return [said(self.annotated(unit, one, fuel)) for one in unit.kids(following)]

    def seen_types(self, owner: Unit, symbol: int, types: Sequence[int], positional: Arguments, fuel: int) -> TypeEnv:
        """The type parameters of what is called, as its arguments show them: `f<T>(x: T)`, `(x: T[])`, `(x: () => T)`, `(x: Box<T>)`.

        `symbol`: whose type parameters are meant; `types`: the declared types of the parameters that the arguments are for."""
        nodes = self.parameter_nodes(owner, symbol)
        if not nodes or self.spent(fuel):
            return {}
        names = {owner.text(node + 1): (owner.number, symbol, index) for index, node in enumerate(nodes)}
        env: dict[Parameter, Row] = {}
        for place, type_node in enumerate(types):
            if 0 <= type_node < len(owner.kind) and any(
                owner.kind[node] == Kind.TYPE_NAME and owner.text(node) in names for node in range(type_node, owner.next[type_node])
            ):
                self._unify(owner, type_node, positional.at(place), names, env, fuel - 1)
        return env

    def _unify(self, unit: Unit, node: int, values: Values, names: Mapping[str, Parameter], env: dict[Parameter, Row], fuel: int) -> None:
        """Fills `env` with what the type parameters in a type have to be for these values to be of the type."""
        if not values or self.spent(fuel):
            return
        kind = unit.kind[node]
        if kind == Kind.TYPE and unit.next[node] > node + 1:
            self._unify(unit, node + 1, values, names, env, fuel)
        elif kind == Kind.TYPE_NAME:
            key = names.get(unit.text(node))
            if key is not None and not env.get(key):
                env[key] = said(values) or (self._keys(unit, key, values) if any(value[0] == TEXT for value in values) else ())
        elif kind == Kind.ARRAY_TYPE:
            self._unify(unit, node + 1, self.elements(values, fuel), names, env, fuel - 1)
        elif kind == Kind.UNION:
            for part in unit.kids(node):
                self._unify(unit, part, values, names, env, fuel)
        elif kind == Kind.FUNC_TYPE:
            results: Values = {}
            for value, code in values.items():
                if value[0] in (FUNCTION, METHOD, CLASS, SELF_CLASS):
                    merged(results, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1))
            self._unify(unit, unit.kids(node)[-1], results, names, env, fuel - 1)
        elif kind == Kind.GENERIC:
            self._unify_generic(unit, node, values, names, env, fuel)

    def _keys(self, unit: Unit, parameter: Parameter, values: Values) -> Row:
        """The names that a parameter which `extends keyof T` stands for."""
        node = self.parameter_nodes(unit, parameter[1])[parameter[2]]
        is_key = Kind.KEYOF in unit.kind[node : unit.next[node]]
        return row_of({value: code for value, code in values.items() if value[0] == TEXT}) if is_key and len(values) <= _MAX_KEYS else ()

    def _unify_generic(
        self, unit: Unit, node: int, values: Values, names: Mapping[str, Parameter], env: dict[Parameter, Row], fuel: int
    ) -> None:
        parts = unit.kids(node)
        arguments = unit.kids(parts[-1]) if unit.kind[parts[-1]] == Kind.TYPE_ARGS else []
        own = [value for value in self.values(unit, parts[0], fuel) if value[0] == CLASS]
        for value, code in values.items() if own else ():
            for _, file, symbol in own:
                if value[0] in (INSTANCE, SELF) and (file, symbol) in self.order(value[1], value[2]):
                    types = self.environment(value, file, symbol, fuel)
                    for index, one in enumerate(arguments):
                        row = types.get((file, symbol, index), ())
                        self._unify(unit, one, dict.fromkeys(row, code), names, env, fuel - 1)
        if own or not arguments:
            return
        text = unit.text(parts[0])
        if text in ("Promise", "PromiseLike", "Readonly", "Partial", "NoInfer"):
            self._unify(unit, arguments[0], values, names, env, fuel - 1)
        elif text in ("Type", "Constructor", "Class", "Newable"):  # what frameworks call `new () => T`
            made: Values = {}
            for value, code in values.items():
                if value[0] in (CLASS, SELF_CLASS):
                    merged(made, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1))
            self._unify(unit, arguments[0], made, names, env, fuel - 1)
        else:
            self._unify(unit, arguments[-1], self.elements(values, fuel), names, env, fuel - 1)
