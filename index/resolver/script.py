"""TypeScript and JavaScript: what their expressions may be. `ScriptEvaluator` answers for files of these languages only.

What differs from Python: `this` follows from where a function stands, an object literal is a value with members, types are
declared with structure (interfaces, object and function types), a promise is taken for what it resolves to, a module may be
whatever `module.exports` was set to, and a function without types of its own takes them from the place it is passed to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from index.languages.modules import Found
from index.languages.typescript.front import EXPORTED, RETURNS, SETTER, STATIC, TEXT_TYPE, mapped_from
from index.languages.typescript.jsdoc import TypeTree, type_tree
from index.numbers import Step, SymbolKind
from index.parsing.facts import How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.ambient import MODULES, ambient_modules, ambient_names, declaration_files
from index.resolver.arguments import NO_ARGUMENTS, Arguments, Given, Written
from index.resolver.common import WELL_KNOWN
from index.resolver.evaluate import EXPORT, FUEL, MOVED, Member, Settled, Stored, index_of
from index.resolver.externals import ELEMENT_OF, MUTATORS, PUTS_BEFORE, SPREADS, TRANSPARENT
from index.resolver.generics import LOOKED, PRIMITIVES, TYPES, TYPEVAR, Row, Told, WrittenWithTypes, bare, collapsed, row_of, said
from index.resolver.narrowing import Narrowing
from index.resolver.program import Program, Unit
from index.resolver.script_protocols import ITERATING, ITERATORS, iterated
from index.resolver.signatures import Signatures
from index.resolver.values import (
    CHAIN_MASK,
    CLASS,
    CONTAINER,
    CONTAINER_METHOD,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LIKE,
    LIKELY,
    MAX_SYMBOLIC,
    MAX_VALUES,
    METHOD,
    MODULE,
    NOTHING,
    PARAM,
    PART,
    PARTIAL,
    POSSIBLE,
    PROVED,
    SELF,
    SELF_CLASS,
    SLICED,
    SUPER,
    TEXT,
    TYPED,
    Value,
    Values,
    all_stepped,
    depth_of,
    in_order,
    is_symbolic,
    merged,
    stepped,
    weakened,
)

MAP: Final = "map"  # a TYPED value with this mark gives pairs when it is iterated
_CALLERS: Final = ("call", "apply", "bind")
_RECEIVERS: Final = frozenset({INSTANCE, SELF, CLASS, SELF_CLASS})
_PROMISE: Final = frozenset({"then", "catch", "finally"})
_TYPE_ONLY: Final = (SymbolKind.INTERFACE, SymbolKind.TYPE)
# Which of its type arguments says what a component takes.
_COMPONENT_TYPES: Final = {
    "FC": 0, "FunctionComponent": 0, "VFC": 0, "SFC": 0, "ForwardRefRenderFunction": 1, "ParentComponent": 0, "NextPage": 0,
}  # fmt: skip
_COMPONENT_MAKERS: Final = {"forwardRef": 1, "memo": 0, "observer": 0}
_CLASSLIKE: Final = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.NAMESPACE)
_VALUES_OF_DATA: Final = (SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER)
_FUNCTIONS: Final = (Kind.FUNC, Kind.LAMBDA)
_CALLABLES: Final = (FUNCTION, METHOD)
_CALLABLE: Final = (FUNCTION, METHOD, PARTIAL)
_MAY_BE_FUNCTIONS: Final = (Kind.NAME, Kind.FUNC, Kind.LAMBDA)
_HOLDABLE: Final = (FUNCTION, METHOD, CLASS)
_WRITTEN_TYPES: Final = (Kind.OBJECT_TYPE, Kind.FUNC_TYPE, Kind.SIGNATURE)
_STATEMENTS: Final = (Kind.MODULE, Kind.BLOCK, Kind.EXPORT, Kind.CASE, Kind.IF)
_BODIES: Final = (Kind.MODULE, Kind.BLOCK)
_OBJECTS: Final = (Kind.DICT, Kind.OBJECT_TYPE)
_LITERALS: Final = (Kind.DICT, Kind.LIST, Kind.NEW, Kind.FUNC, Kind.LAMBDA)
_PLACES: Final = (
    Kind.DECLARATOR, Kind.FIELD, Kind.PARAM_TYPED, Kind.CAST, Kind.SATISFIES, Kind.NON_NULL, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.AWAIT,
    Kind.RETURN,
    Kind.LAMBDA, Kind.ARGS, Kind.PAIR, Kind.DICT, Kind.LIST, Kind.ASSIGN, Kind.JSX_ATTRIBUTE,
)  # fmt: skip
_NAMES_SPACE: Final = (How.MEMBER, How.MODULE)
_LOOPS: Final = (Kind.FOR, Kind.FOR_IN, Kind.WHILE)
_ANYTHING: Final = frozenset({"Function", "Object", "CallableFunction", "NewableFunction"})  # types that say nothing
_SAY_NOTHING: Final = frozenset({"any", "unknown", "object", "undefined", "null", "void", *_ANYTHING})
_STRING: Final[Values] = {(EXTERNAL_INSTANCE, "string"): PROVED}
_LIST: Final[Values] = {(EXTERNAL_INSTANCE, "Array"): PROVED}
_REGEX: Final[Values] = {(EXTERNAL_INSTANCE, "RegExp"): PROVED}
_NUMBER: Final[Values] = {(EXTERNAL_INSTANCE, "number"): PROVED}
_AMD: Final = frozenset({"define", "require", "requirejs"})
GLOBAL_OBJECTS: Final = frozenset({"window", "globalThis", "self", "global"})
_SYMBOLS: Final = frozenset({(EXTERNAL_INSTANCE, "Symbol"), (EXTERNAL_INSTANCE, "Symbol.for"), (EXTERNAL_INSTANCE, "symbol")})
_COLLECTIONS: Final = frozenset({"Map", "WeakMap", "Set", "WeakSet", "Array"})
_KEYED: Final = frozenset({"Map", "WeakMap", "ReadonlyMap", "Record"})

# What callbacks of array methods get: for each parameter "element", "whole" (the receiver) or "result" (what it gave last).
CALLBACK_PARAMETERS: Final[dict[str, tuple[str, ...]]] = {
    "map": ("element", "", "whole"), "forEach": ("element", "key", "whole"), "filter": ("element", "", "whole"),
    "find": ("element", "", "whole"),
    "findLast": ("element", "", "whole"), "findIndex": ("element", "", "whole"), "findLastIndex": ("element", "", "whole"),
    "some": ("element", "", "whole"), "every": ("element", "", "whole"), "flatMap": ("element", "", "whole"),
    "sort": ("element", "element"),
    "toSorted": ("element", "element"), "reduce": ("result", "element", "", "whole"), "reduceRight": ("result", "element", "", "whole"),
    "then": ("self",), "group": ("element",), "groupBy": ("element",),
}  # fmt: skip
_SAME_CONTAINER: Final = frozenset(
    {
        "filter",
        "slice",
        "concat",
        "reverse",
        "sort",
        "toSorted",
        "toReversed",
        "splice",
        "toSpliced",
        "fill",
        "copyWithin",
        "keys",
        "flat",
        "with",
    }
)
_LISTS: Final = (CONTAINER, TYPED, SLICED, GENERATOR)
_MOVING: Final = _SAME_CONTAINER - {"keys", "fill", "flat", "with"}
_ONE_ELEMENT: Final = frozenset({"pop", "shift", "find", "findLast", "at", "get", "next"})
# Functions outside the project that give argument 0 back, or the result of calling it.
_RETURNS_ARGUMENT: Final = frozenset(
    {
        "Object.freeze", "Object.seal", "Object.preventExtensions", "Object.create", "structuredClone", "Promise.resolve", "Promise.all",
        "Promise.race", "Promise.any", "Promise.allSettled", "Array.from", "Array.of", "Object", "Proxy", "WeakRef", "util.promisify",
        "util.deprecate",
        "node:util.promisify", "node:util.deprecate",
        "react.useCallback", "react.memo", "react.forwardRef", "react.cache", "react.useDeferredValue", "vi.fn",
        "jest.fn",
        "vitest.vi.fn", "Object.fromEntries", "Iterator.from", "react.default.memo", "react.default.forwardRef",
        "react.default.useCallback",
        "React.memo", "React.forwardRef", "React.useCallback", "lodash.debounce", "lodash.throttle", "lodash.once",
    }
)  # fmt: skip
_ONE_OF_PROMISES: Final = frozenset({"Promise.race", "Promise.any"})
_CALLS_FOR_RESULT: Final = frozenset({"Reflect.apply", "react.useMemo", "react.default.useMemo", "React.useMemo", "queueMicrotask"})
# These give what a module exports by default, which their argument loads.
_LOADS_DEFAULT: Final = frozenset(
    {
        "react.lazy", "react.default.lazy", "React.lazy", "vue.defineAsyncComponent", "solid-js.lazy", "preact/compat.lazy",
        "@loadable/component.default", "next/dynamic.default",
    }
)  # fmt: skip
# A context of components holds one thing, of a type that is written or that of its default.
_CONTEXTS: Final = frozenset({"react.createContext", "react.default.createContext", "React.createContext", "solid-js.createContext"})
_READS_CONTEXT: Final = frozenset({"react.useContext", "react.default.useContext", "React.useContext", "react.use", "solid-js.useContext"})
_HOLDS: Final = frozenset({"react.useRef", "react.default.useRef", "React.useRef", "react.createRef", "React.createRef"})  # in `current`
_INJECTS: Final = ("inject", "get", "resolve", "getInstance", "injectRequired")  # of containers, given a class or a type
_STATE: Final = frozenset({"react.useState", "react.default.useState", "React.useState", "react.useReducer"})


def _fits_star(pattern: str, name: str) -> bool:
    """Whether a name is one of `*.svg`."""
    before, _, after = pattern.partition("*")
    return len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)


class _Tables:
    """Look-ups of one file that only scripts need."""

    def __init__(self, unit: Unit) -> None:
        self.param_row = {node: row for row, node in enumerate(unit.listed("param_node"))}
        self.this_types: dict[int, int] = {}
        self.results: dict[int, int] = {}  # function -> what a comment says that it returns
        for group, name in enumerate(unit.listed("group_name")):
            if unit.names[name] in ("this", RETURNS):
                table = self.this_types if unit.names[name] == "this" else self.results
                table[unit.scope_symbol[unit.group_scope[group]]] = unit.type[unit.group_first[group]]
        self.symbol_of: dict[int, int] = {}
        for symbol, node in enumerate(unit.listed("symbol_node")):
            if symbol:
                self.symbol_of.setdefault(node, symbol)
        self.objects: dict[int, int] = {}  # binding group of a constant -> the constant, where members were assigned to it
        if any(unit.symbol_kind[symbol] == SymbolKind.CONSTANT for symbol in unit.class_scopes):
            for group, scope in enumerate(unit.listed("group_scope")):
                if unit.scope_kind[scope] in (ScopeKind.MODULE, ScopeKind.NAMESPACE):
                    constant = unit.fields.get((unit.scope_symbol[scope], unit.names[unit.group_name[group]]))
                    if constant in unit.class_scopes and unit.symbol_kind[constant] == SymbolKind.CONSTANT:
                        self.objects[group] = constant
        self.elements: frozenset[int] | None = None  # see `index.resolver.script_protocols.elements_bound`
        self.decorators: dict[int, list[int]] = {}
        for node in np.flatnonzero(unit.facts.columns["kind"] == Kind.DECORATOR).tolist():
            self.decorators.setdefault(unit.owner[node], []).append(node)


# Kinds of questions of scripts alone: see `Evaluator.remembered`.
_CONTEXT: Final = 13
_OF_TYPE_ALIAS: Final = 14
_OF_GENERIC: Final = 15
_OF_OBJECT: Final = 16


_MOST_COPIES: Final = 24  # loops that copy into one object; what others copy may have any name, which is answered without looking into it


def _takes_same(unit: Unit, index: int, value: int) -> bool:
    """Whether `to[name] = from[name]` stores: what is copied so has the same name in both."""
    if unit.kind[value] != Kind.SUBSCRIPT or unit.kind[index] != Kind.NAME:
        return False
    other = unit.next[value + 1]
    return other < unit.next[value] and unit.kind[other] == Kind.NAME and unit.group[other] == unit.group[index] >= 0


class ScriptEvaluator(Signatures):
    """Answers questions about the TypeScript and JavaScript files of a program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._tables: dict[int, _Tables] = {}
        self._wholes: Settled = {}
        self._parameters: Settled = {}
        self._ambient: dict[str, list[tuple[int, int]]] | None = None
        self._ambient_modules: dict[str, list[tuple[int, int]]] | None = None
        self.handle(
            {
                Kind.TYPE_NAME: self.name,
                Kind.TEMPLATE: self.string,
                Kind.SHORTHAND_PATTERN: self.pattern_part,
                Kind.PAIR_PATTERN: self.pattern_part,
                Kind.PARAM_DEFAULT: self.pattern_part,
                Kind.OBJECT_PATTERN: self.pattern_source,
                Kind.ARRAY_PATTERN: self.pattern_source,
                Kind.SPREAD: self.spread,
                Kind.SATISFIES: self.first,
                Kind.BINARY: self.primitive,
                Kind.REGEX: self.primitive,
                Kind.UNARY: self.primitive,
                Kind.INTERPOLATION: self.first,
                Kind.NAMESPACE: self.definition,
                Kind.NEW: self.call,
                Kind.AUGMENT: self.last,
            }
        )

    def close(self) -> None:
        super().close()
        self._tables.clear()
        for table in (self._wholes, self._parameters):
            table.clear()

    def answered(self, asked: int, unit: Unit, key: Any, fuel: int) -> Values:
        if asked == _CONTEXT:
            return self._contextual(unit, key, fuel)
        if asked == _OF_TYPE_ALIAS:
            return self._alias(unit, key, fuel)
        if asked == _OF_GENERIC:
            return self._generic(unit, key, fuel)
        if asked == _OF_OBJECT:
            return self._kept_items(unit, key, fuel)
        return super().answered(asked, unit, key, fuel)

    def symbol_at_node(self, unit: Unit, node: int) -> int | None:
        return self.tables(unit).symbol_of.get(node)

    def tables(self, unit: Unit) -> _Tables:
        found = self._tables.get(unit.number)
        if found is None:
            found = self._tables[unit.number] = _Tables(unit)
        return found

    # names and bindings

    def reaching(self, unit: Unit, group: int, node: int) -> list[int]:
        return self.reaching_before(unit, group, node, 1 << 30)

    def reaching_before(self, unit: Unit, group: int, node: int, before: int) -> list[int]:
        """Types and values of one name are apart, functions and types are there before they stand, a declared type speaks for all
        assignments, and what a condition says (in rows below `before`) goes over everything else."""
        first, last = unit.group_first[group], unit.group_first[group + 1]
        rows = list(range(first, last))
        kinds, how = unit.symbol_kind, unit.how
        if len(rows) == 1:
            return rows
        if any(how[row] == How.NARROW for row in rows):
            target, following = unit.target, unit.next
            narrowed = [row for row in rows if how[row] == How.NARROW and row < before and target[row] <= node < following[target[row]]]
            if narrowed:
                return narrowed[-1:]
            rows = [row for row in rows if how[row] != How.NARROW]
            if len(rows) == 1:
                return rows
        if node >= 0 and self.is_in_type_name(unit, node):
            spaces = [row for row in rows if how[row] in _NAMES_SPACE or kinds[unit.extra[row]] == SymbolKind.NAMESPACE]
            if spaces:
                return spaces
        types = [row for row in rows if how[row] == How.DEFINE and kinds[unit.extra[row]] in _TYPE_ONLY]
        if types:
            named = [
                row
                for row in rows
                if how[row] in (How.MEMBER, How.MODULE) or (how[row] == How.DEFINE and kinds[unit.extra[row]] in _CLASSLIKE)
            ]
            if node < 0:
                return rows
            if unit.kind[node] == Kind.TYPE_NAME:
                return sorted(named)
            rows = [row for row in rows if row not in types] or types
        rows = self.last_functions(unit, rows)
        if all(how[row] == How.DEFINE for row in rows):
            return rows
        return self.reaching_rows(unit, rows, group, node)

    @staticmethod
    def last_functions(unit: Unit, rows: list[int]) -> list[int]:
        """Bindings of one name without the function declarations that a later one replaces before any code runs."""
        if len(rows) < 2:
            return rows
        kinds = unit.symbol_kind  # of an accessor both halves stay
        functions = [
            row for row in rows
            if unit.how[row] == How.DEFINE and unit.kind[unit.value[row]] == Kind.FUNC and kinds[unit.extra[row]] != SymbolKind.PROPERTY
        ]  # fmt: skip
        above = [unit.parent[unit.value[row]] for row in functions]
        if len(functions) < 2 or unit.kind[above[0]] not in _BODIES or len(set(above)) > 1:
            return rows
        return [row for row in rows if row not in functions[:-1]]

    @staticmethod
    def is_in_type_name(unit: Unit, node: int) -> bool:
        """The first name in `A.B.C` where that is a type."""
        above = unit.parent[node]
        while above >= 0 and unit.kind[above] == Kind.ATTRIBUTE and node == above + 1:
            last = unit.next[node]
            if last < unit.next[above] and unit.kind[last] == Kind.TYPE_NAME:
                return True
            node, above = above, unit.parent[above]
        return False

    def reaching_rows(self, unit: Unit, rows: list[int], group: int, node: int) -> list[int]:
        """Of several bindings, those that may hold at `node`: see `Evaluator.reaching`."""
        how, target, following, kind, parent = unit.how, unit.target, unit.next, unit.kind, unit.parent
        if any(unit.type[row] >= 0 for row in rows):
            rows = [row for row in rows if unit.type[row] >= 0 or how[row] == How.DEFINE]
        if len(rows) < 2:
            return rows
        scope = unit.group_scope[group]
        here = node >= 0 and self.code_of(unit, node) == unit.scope_symbol[scope]
        at = node if here else len(kind)
        chosen: list[int] = []
        later: list[int] = []
        for row in rows:
            place = target[row]
            if how[row] == How.DEFINE and kind[unit.value[row]] == Kind.FUNC and kind[parent[unit.value[row]]] in _STATEMENTS:
                chosen.append(row)  # a function declaration is there from the start
                continue
            if place >= at:
                later.append(row)
                continue
            block = self.block_of(unit, place)
            if how[row] != How.AUGMENT and ((block <= at < following[block]) or block == 0 or self.same_code(unit, block, scope, here)):
                statement = self.statement_of(unit, place)
                if here and statement <= at < following[statement] and how[row] in (How.ASSIGN, How.UNPACK):
                    later.append(row)
                else:
                    chosen = [row]
            else:
                chosen.append(row)
        if not here:
            return chosen or later
        for row in later:
            above = parent[node]
            while above > 0:
                if kind[above] in _LOOPS and target[row] < following[above]:
                    chosen.append(row)
                    break
                above = parent[above]
        return sorted(set(chosen)) or later

    @staticmethod
    def same_code(unit: Unit, block: int, scope: int, here: bool) -> bool:
        """Whether a binding's block is the whole of the scope that is asked for from elsewhere."""
        return not here and unit.scope_node[scope] == block

    @staticmethod
    def code_of(unit: Unit, node: int) -> int:
        """The function (or module) that the code at a node runs in: the owner, constants and fields apart."""
        symbol = unit.owner[node]
        while symbol > 0 and unit.symbol_kind[symbol] in _VALUES_OF_DATA:
            symbol = unit.symbol_parent[symbol]
        return symbol

    def binding(self, unit: Unit, row: int, fuel: int) -> Values:
        how, value = unit.how[row], unit.value[row]
        if how == How.AUGMENT:
            return self.values(unit, value, fuel) if value >= 0 else NOTHING
        if how == How.DEFINE:
            return self.defined(unit, unit.extra[row], fuel)
        if how == How.NARROW:
            return self.narrowed(unit, row, fuel)
        if how == How.DECLARE:
            parameter = self.type_parameter(unit, unit.target[row])
            if parameter is not None:
                return {parameter: PROVED}
        found = super().binding(unit, row, fuel)
        itself = self.tables(unit).objects.get(unit.group_of(row))
        if itself is not None:  # a constant that members were assigned to is an object of its own
            found = {(INSTANCE, unit.number, itself): PROVED, **found}
        if how == How.ASSIGN and value >= 0 and unit.type[row] >= 0:
            is_literal = unit.kind[self.inner(unit, value)] in _LITERALS
            if is_literal or any(self.is_called(one) for one in found):
                found = dict(found)  # a declared type says less than the literal, or the function, itself
                for one, code in self.values(unit, value, fuel).items():
                    if is_literal or one[0] in _CALLABLE:
                        found.setdefault(one, weakened(stepped(code, Step.ASSIGN), LIKELY))
        return found

    def gives_function(self, unit: Unit, symbol: int) -> bool:
        """Whether a function may give back one that is written in it."""
        return any(unit.kind[self.inner(unit, node)] in _MAY_BE_FUNCTIONS for node, _ in unit.returns.get(symbol, ()))

    def result_written(self, unit: Unit, symbol: int, fuel: int) -> Values:
        found: Values = {}
        if not self.spent(fuel):
            self.look_at_code(unit, symbol)
            for node, _ in unit.returns.get(symbol, ()):
                merged(found, all_stepped(self.functions_of(self.values(unit, node, fuel - 1)), Step.RETURN))
        return found

    @staticmethod
    def functions_of(values: Values) -> Values:
        return {value: code for value, code in values.items() if value[0] in _CALLABLE}

    def is_called(self, value: Value) -> bool:
        """Whether something of that type is called: a function type, or an interface with call signatures."""
        if value[0] == CONTAINER:
            return self.program.unit(value[1]).kind[value[2]] == Kind.FUNC_TYPE
        return value[0] in (INSTANCE, SELF) and self.kind_of(value) in _TYPE_ONLY and any(True for _ in self.call_signatures(value))

    @staticmethod
    def inner(unit: Unit, node: int) -> int:
        while unit.kind[node] in (Kind.CAST, Kind.SATISFIES, Kind.NON_NULL) and unit.kind[node + 1] != Kind.TYPE_ARGS:
            node += 1
        return node

    def narrowed(self, unit: Unit, row: int, fuel: int) -> Values:
        """What a name is where `x instanceof C` or `isC(x)` holds (or does not)."""
        value, group = unit.value[row], unit.group_of(row)
        rows = self.reaching_before(unit, group, unit.target[row], row)
        own: Values = {}
        for one in rows:
            merged(own, self.of_binding(unit, one, fuel))
        if unit.kind[value] in (Kind.BINARY, Kind.CASE) or (
            unit.kind[value] == Kind.ATTRIBUTE and unit.kind[unit.parent[value]] != Kind.BINARY
        ):
            if len(own) < 2:
                return own
            holds, labels = unit.extra[row] & 3 == 1, unit.extra[row] >> 2
            left = {one: code for one, code in own.items() if Narrowing(self).may_hold(unit, value, labels, one, holds, fuel)}
            if len({bare(one) for one in left}) == 1 < len({bare(one) for one in own}):  # there is no other any more
                return {one: code & CHAIN_MASK if code < POSSIBLE else code for one, code in left.items()}
            return (left or own) if len(rows) == 1 else self.spread_out(left or own)
        guard: Values = {}
        if unit.kind[value] == Kind.CALL:
            for callee, code in self.values(unit, value + 1, fuel).items():
                if callee[0] in (FUNCTION, METHOD, CONTAINER):
                    merged(guard, self._with(self.guarded_type(callee, fuel), code))
        else:
            guard = self.types_of(self.values(unit, value, fuel), fuel)
        guard = {one: code for one, code in guard.items() if one[0] not in (TYPEVAR, LOOKED)}  # `x is T` says no more than x itself
        if not guard:
            return self.spread_out(own)
        if unit.extra[row] == 2:
            left = {one: code for one, code in own.items() if not self.is_one_of(one, guard)}
            return self.spread_out(left or own)
        kept = {one: code for one, code in own.items() if one[0] in (INSTANCE, SELF) and self.is_one_of(one, guard)}
        return self.spread_out(kept or all_stepped(guard, Step.DECLARED))

    def guarded_type(self, callee: Value, fuel: int) -> Values:
        """The type in `x is T` of the declared result of a function, or of a function type."""
        unit = self.program.unit(callee[1])
        if callee[0] == CONTAINER:
            if unit.kind[callee[2]] != Kind.FUNC_TYPE:
                return NOTHING
            self.look_at_code(unit, unit.owner[callee[2]])
            declared = unit.kids(callee[2])[-1]
        else:
            self.look("code", unit, callee[2], "")
            declared = self.return_type(unit, callee[2])
        if declared < 0 or declared >= TEXT_TYPE or self.spent(fuel):
            return NOTHING
        if unit.kind[declared] != Kind.PREDICATE:
            declared += 1
        if declared < len(unit.kind) and unit.kind[declared] == Kind.PREDICATE and unit.kind[declared + 1] == Kind.PREDICATE:
            declared += 1  # asserts x is T
        if declared >= len(unit.kind) or unit.kind[declared] != Kind.PREDICATE:
            return NOTHING
        parts = unit.kids(declared)
        return self.annotated(unit, parts[-1], fuel - 1) if len(parts) == 2 else NOTHING

    def is_one_of(self, value: Value, guard: Values) -> bool:
        """Whether an instance is of one of these classes or of a subclass."""
        if value in guard:
            return True
        if value[0] not in (INSTANCE, SELF):
            return False
        order = self.order(value[1], value[2])
        return any(one[0] in (INSTANCE, SELF) and one[1:3] in order for one in guard)

    def name(self, unit: Unit, node: int, fuel: int) -> Values:
        if unit.group[node] < 0 and unit.text(node) == "arguments":
            return self.own_arguments(unit, node)
        return super().name(unit, node, fuel)

    @staticmethod
    def own_arguments(unit: Unit, node: int) -> Values:
        """`arguments`: what the nearest function that is no arrow gets, as far as it has parameters."""
        symbol = unit.owner[node]
        while symbol > 0 and unit.kind[unit.symbol_node[symbol]] != Kind.FUNC:
            symbol = unit.symbol_parent[symbol]
        own = [(PARAM, unit.number, symbol, index) for index in range(len(unit.params.get(symbol, ())))]
        return {(TYPED, tuple(own), (), tuple((one,) for one in own)): stepped(LIKELY, Step.ARGUMENT)} if own else NOTHING

    def global_name(self, unit: Unit, text: str, fuel: int) -> Values:
        self.look("top", unit, 0, text)
        if text == "exports":
            self.look("face", unit, 0, "")
        if text == "exports" and unit.exports:
            return self.own_exports(unit, fuel)
        if text == "arguments":
            return NOTHING
        for number, group in self.ambient(text):
            return self.group_at(self.program.unit(number), group, -1, fuel)
        return {(EXTERNAL, text): PROVED}

    def ambient(self, name: str) -> list[tuple[int, int]]:
        """(file, binding group) of what declaration files say is there without an import."""
        return [] if name in WELL_KNOWN else self.declared_globally(name)

    def declared_globally(self, name: str) -> list[tuple[int, int]]:
        self.used.append(self.gateways.fact("ambient", "", name))
        if self._ambient is None:
            self._ambient = {}
            for number in declaration_files(self.program.paths):
                for each, group in ambient_names(self.program.unit(number)).items():
                    self._ambient.setdefault(each, []).append((number, group))
        return self._ambient.get(name, [])

    def declared_window(self) -> Values:
        """What the project adds to `Window`, as instances."""
        found: Values = {}
        for number, group in self.declared_globally("Window"):
            merged(found, self.types_of(self.group_at(self.program.unit(number), group, -1, FUEL - 2), FUEL - 2))
        return found

    def global_member(self, name: str, fuel: int) -> Values:
        """`window.x` and the like, of what declaration files say is there everywhere."""
        found: Values = {}
        for number, group in self.ambient(name):
            merged(found, self.group_at(self.program.unit(number), group, -1, fuel))
        merged(found, self.members(self.declared_window(), name, fuel))
        return found

    def declared_module(self, name: str) -> Values:
        """What declaration files say of a module that is not in the tree: the namespaces of `declare module "name"`, else of `"*.svg"`."""
        self.used.append(self.gateways.fact("ambient", "", MODULES))
        if self._ambient_modules is None:
            self._ambient_modules = {}
            for number in declaration_files(self.program.paths):
                for each, symbols in ambient_modules(self.program.unit(number)).items():
                    self._ambient_modules.setdefault(each, []).extend((number, symbol) for symbol in symbols)
        found = self._ambient_modules.get(name)
        if found is None:
            stars = sorted((one for one in self._ambient_modules if "*" in one), key=lambda one: (-len(one), one))
            found = next((self._ambient_modules[one] for one in stars if _fits_star(one, name)), [])
        return {(CLASS, number, symbol): PROVED for number, symbol in found}

    def _module_value(self, unit: Unit, module: str, level: int) -> Values:
        found = super()._module_value(unit, module, level)
        if all(value[0] == EXTERNAL for value in found) and self.resolve(unit, module, level).found in (Found.EXTERNAL, Found.MISSING):
            declared = self.declared_module(module)
            return {**self.members(declared, EXPORTED, FUEL - 2), **declared} if declared else found
        return found

    def own_exports(self, unit: Unit, fuel: int) -> Values:
        """`exports` and `module.exports` in the module itself."""
        whole = self.exported(unit, EXPORTED, fuel - 1) if EXPORTED in unit.exports else NOTHING
        return {**whole, (MODULE, unit.number): PROVED}

    def _attribute(self, unit: Unit, node: int, fuel: int) -> Values:
        if self.is_exports(unit, node):
            self.look("face", unit, 0, "")
        if self.is_exports(unit, node) and unit.exports and unit.group[node + 1] < 0:
            return self.own_exports(unit, fuel)
        if unit.stores and unit.item_stores and unit.kind[unit.parent[node]] == Kind.CALL:
            last = self.stored_here(unit, node, self.values(unit, node + 1, fuel))
            if last:
                return self.of_stores(unit, last, fuel)
        return super()._attribute(unit, node, fuel)

    def definition(self, unit: Unit, node: int, fuel: int) -> Values:
        symbol = unit.symbol_of_node.get(node)
        return NOTHING if symbol is None else self.defined(unit, symbol, fuel)

    def defined(self, unit: Unit, symbol: int, fuel: int) -> Values:
        is_class = unit.symbol_kind[symbol] in _CLASSLIKE
        own: Values = {(CLASS if is_class else FUNCTION, unit.number, symbol): PROVED}
        decorators = self.tables(unit).decorators.get(symbol)
        if decorators and not self.spent(fuel):
            for decorator in reversed(decorators):
                for value, code in self.values(unit, decorator + 1, fuel - 1).items():
                    if value[0] in (FUNCTION, METHOD):
                        made = self.applied(value, code, Given([own]), NO_ARGUMENTS, fuel - 1)
                        merged(own := dict(own), {one: weakened(its, LIKELY) for one, its in made.items() if one[0] in (FUNCTION, CLASS)})
        return own

    # patterns: the value of a part of a pattern is what it takes of the value that is taken apart

    def pattern_part(self, unit: Unit, node: int, fuel: int) -> Values:
        if self.spent(fuel):
            return NOTHING
        above, what = unit.parent[node], unit.kind[node]
        if what == Kind.PARAM_DEFAULT:
            parts = unit.kids(node)
            if len(parts) != 2:
                return NOTHING
            found: Values = dict(self.taken(unit, node, fuel - 1)) if unit.kind[parts[0]] != Kind.SHORTHAND_PATTERN else {}
            if unit.kind[parts[0]] == Kind.SHORTHAND_PATTERN:
                merged(found, self.members(self.values(unit, above, fuel - 1), unit.text(parts[0]), fuel - 1))
            merged(found, all_stepped(self.values(unit, parts[1], fuel - 1), Step.ASSIGN, LIKELY))
            return found
        if what == Kind.SHORTHAND_PATTERN:
            if unit.kind[above] == Kind.PARAM_DEFAULT:
                return self.pattern_part(unit, above, fuel)
            return self.members(self.values(unit, above, fuel - 1), unit.text(node), fuel - 1)
        parts = unit.kids(node)
        if len(parts) != 2:
            return NOTHING
        source = self.values(unit, above, fuel - 1)
        found = {}
        for key in self.key_texts(unit, parts[0], fuel - 1):
            if key != "*":
                merged(found, self.members(source, key, fuel - 1))
            else:
                merged(found, self.items(source, key, fuel - 1))
        return found

    def key_texts(self, unit: Unit, node: int, fuel: int) -> list[str]:
        what = unit.kind[node]
        if what in (Kind.PROPERTY_NAME, Kind.NUMBER):
            return [unit.text(node)]
        if what == Kind.COMPUTED:
            inner = node + 1
            if inner < unit.next[node] and unit.kind[inner] == Kind.ATTRIBUTE and unit.text(inner + 1) == "Symbol":
                return [f"[Symbol.{unit.text(unit.next[inner + 1])}]"]
            return self.keys_of(unit, inner, fuel)
        return self.keys_of(unit, node, fuel)

    def taken(self, unit: Unit, node: int, fuel: int) -> Values:
        """What a pattern element that is no name of its own takes: its place in the pattern around it, or the whole value."""
        above = unit.parent[node]
        what = unit.kind[above]
        if what == Kind.PAIR_PATTERN:
            return self.pattern_part(unit, above, fuel)
        if what == Kind.ARRAY_PATTERN:
            return self.items(self.values(unit, above, fuel), f"#{self.place_in(unit, above, node)}", fuel)
        if what == Kind.PARAM_DEFAULT:
            return self.pattern_part(unit, above, fuel)
        row = self.tables(unit).param_row.get(node)
        if row is None and unit.kind[node] == Kind.PARAM_DEFAULT:
            row = self.tables(unit).param_row.get(node + 1)
        if row is not None:
            return self.param(unit, row, fuel)
        return NOTHING

    def place_in(self, unit: Unit, pattern: int, node: int) -> int:
        """The index of an element of an array pattern. Names there have it in their binding; patterns are counted."""
        for index, part in enumerate(unit.kids(pattern)):
            if part == node:
                return index
        return 0

    def pattern_source(self, unit: Unit, node: int, fuel: int) -> Values:
        """The value that a pattern takes apart."""
        if self.spent(fuel):
            return NOTHING
        row = self.tables(unit).param_row.get(node)
        if row is not None:
            return self.param(unit, row, fuel)
        above = unit.parent[node]
        what = unit.kind[above]
        if what == Kind.DECLARATOR:
            parts = unit.kids(above)
            declared = next((part for part in parts[1:] if unit.kind[part] == Kind.TYPE), -1)
            if declared >= 0:
                found = self.annotated(unit, declared, fuel)
                if found:
                    return all_stepped(found, Step.DECLARED)
            return self.values(unit, parts[-1], fuel) if len(parts) > 1 and unit.kind[parts[-1]] != Kind.TYPE else NOTHING
        if what == Kind.ASSIGN:
            return self.values(unit, unit.next[node], fuel)
        if what == Kind.FOR_IN:
            return all_stepped(self.elements(self.values(unit, unit.next[node], fuel), fuel), Step.ELEMENT)
        if what in (Kind.PAIR_PATTERN, Kind.ARRAY_PATTERN, Kind.PARAM_DEFAULT):
            return self.taken(unit, node, fuel)
        if what == Kind.SPREAD:
            return self.spread(unit, above, fuel)
        return NOTHING

    def spread(self, unit: Unit, node: int, fuel: int) -> Values:
        """`...x`: in a pattern, what is left of the value; elsewhere the value itself."""
        above = unit.parent[node]
        if unit.kind[above] == Kind.OBJECT_PATTERN:
            return self.values(unit, above, fuel)
        if unit.kind[above] == Kind.ARRAY_PATTERN:
            return self.sliced(self.values(unit, above, fuel), self.place_in(unit, above, node))
        return self.first(unit, node, fuel)

    # this, super, new

    def this(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.this_in(unit, unit.owner[node], node, fuel)

    def this_in(self, unit: Unit, symbol: int, at: int, fuel: int) -> Values:
        """`this` in the code that a symbol owns: of the class it is in, of the object literal, or of what the function was assigned to."""
        kinds, parents, nodes = unit.symbol_kind, unit.symbol_parent, unit.symbol_node
        tables = self.tables(unit)
        while symbol > 0:
            kind, node, parent = kinds[symbol], nodes[symbol], parents[symbol]
            declared = tables.this_types.get(symbol, -1)
            if declared >= 0:
                return all_stepped(self.annotated(unit, declared, fuel), Step.SELF)
            if kind == SymbolKind.CLASS:
                static = self.in_static_block(unit, at, node)
                return {(SELF_CLASS if static else SELF, unit.number, symbol): stepped(PROVED, Step.SELF)}
            if kind == SymbolKind.INTERFACE:
                return {(SELF, unit.number, symbol): stepped(PROVED, Step.SELF)}
            if kind in _VALUES_OF_DATA:
                if kinds[parent] == SymbolKind.CLASS:
                    tag = SELF_CLASS if unit.symbol_flags[symbol] & STATIC else SELF
                    return {(tag, unit.number, parent): stepped(PROVED, Step.SELF)}
                symbol = parent
                continue
            if unit.kind[node] == Kind.LAMBDA:
                if kind == SymbolKind.METHOD and kinds[parent] == SymbolKind.CLASS:
                    tag = SELF_CLASS if unit.symbol_flags[symbol] & STATIC else SELF
                    return {(tag, unit.number, parent): stepped(PROVED, Step.SELF)}
                symbol = parent
                continue
            if unit.kind[node] == Kind.FUNC:
                return self.this_of_function(unit, symbol, node, parent, fuel)
            symbol = parent
        return NOTHING

    def in_static_block(self, unit: Unit, node: int, outer: int) -> bool:
        while node > outer:
            if unit.kind[node] == Kind.STATIC:
                return True
            node = unit.parent[node]
        return False

    def this_of_function(self, unit: Unit, symbol: int, node: int, parent: int, fuel: int) -> Values:
        kinds = unit.symbol_kind
        static = bool(unit.symbol_flags[symbol] & STATIC)
        above = unit.parent[node]
        if kinds[symbol] in (SymbolKind.METHOD, SymbolKind.PROPERTY) and kinds[parent] == SymbolKind.CLASS:
            return {(SELF_CLASS if static else SELF, unit.number, parent): stepped(PROVED, Step.SELF)}
        is_described = kinds[symbol] == SymbolKind.PROPERTY or (unit.kind[above] == Kind.PAIR and unit.text(above + 1) == "value")
        if is_described and kinds[parent] == SymbolKind.FUNCTION and parent in unit.class_scopes:
            return {(SELF, unit.number, parent): stepped(PROVED, Step.SELF)}
        if unit.kind[above] == Kind.PAIR:
            above = unit.parent[above]
        if unit.kind[above] == Kind.DICT:
            found: Values = {(CONTAINER, unit.number, above): stepped(PROVED, Step.SELF)}
            merged(found, self.owner_of_object(unit, above, fuel))
            return found
        if unit.class_scopes.get(symbol):
            return {(SELF, unit.number, symbol): stepped(PROVED, Step.SELF)}
        if parent in unit.class_scopes and kinds[symbol] == SymbolKind.METHOD and not static:
            return {(SELF, unit.number, parent): stepped(PROVED, Step.SELF)}
        while unit.kind[above] == Kind.ASSIGN and unit.kind[above + 1] not in (Kind.ATTRIBUTE, Kind.SUBSCRIPT):
            above = unit.parent[above]
        if unit.kind[above] == Kind.ASSIGN and not self.spent(fuel):
            base = self.values(unit, above + 2, fuel - 1)
            return {value: stepped(weakened(code, LIKELY), Step.SELF) for value, code in base.items() if value[0] != MODULE} or (
                {(MODULE, unit.number): stepped(LIKELY, Step.SELF)} if self.is_exports(unit, above + 2) else NOTHING
            )
        return NOTHING

    def owner_of_object(self, unit: Unit, node: int, fuel: int) -> Values:
        """An object literal that is a class's prototype or is copied onto one stands for instances of the class."""
        above = unit.parent[node]
        if self.spent(fuel):
            return NOTHING
        if unit.kind[above] == Kind.ASSIGN and unit.kind[above + 1] == Kind.ATTRIBUTE and unit.text(unit.next[above + 2]) == "prototype":
            return self.made_by(self.values(unit, above + 2, fuel - 1))
        if unit.kind[above] == Kind.ARGS and unit.kind[unit.parent[above]] == Kind.CALL:
            call = unit.parent[above]
            if unit.kind[call + 1] == Kind.ATTRIBUTE and unit.text(unit.next[call + 2]) == "assign":
                first = above + 1
                if first != node:
                    return self.values(unit, first, fuel - 1)
        if unit.kind[above] == Kind.DECLARATOR and unit.mixes:  # const Rings = {...}; Object.assign(Door.prototype, Rings)
            found: Values = {}
            group = unit.group[above + 1]
            for target, source in unit.mixes:
                if unit.kind[source] == Kind.NAME and unit.group[source] == group >= 0:
                    merged(found, self.values(unit, target, fuel - 1))
                    if len(found) > MAX_VALUES:
                        return NOTHING
            return found
        return NOTHING

    @staticmethod
    def is_exports(unit: Unit, node: int) -> bool:
        if unit.kind[node] == Kind.NAME:
            return unit.text(node) == "exports"
        return unit.kind[node] == Kind.ATTRIBUTE and unit.text(node + 1) == "module" and unit.text(unit.next[node + 1]) == "exports"

    def script_super(self, unit: Unit, node: int, fuel: int) -> Values:
        found: Values = {}
        for value, code in self.this_in(unit, unit.owner[node], node, fuel).items():
            if value[0] in (SELF, SELF_CLASS):
                found[SUPER, value[1], value[2], value] = stepped(code, Step.SUPER)
        return found

    # modules

    def module_value(self, unit: Unit, module: str, level: int, flags: int = 0) -> Values:
        found = super().module_value(unit, module, 0, flags)
        for value in found:
            if value[0] == MODULE:
                other = self.program.unit(value[1])
                self.look("top", other, 0, EXPORTED)
                return {**self.whole_export(other), **found} if EXPORTED in other.exports else found
        return found

    def whole_export(self, unit: Unit) -> Values:
        """What `module.exports` was set to."""
        return self.settled(self._wholes, unit.number, lambda: self.exported(unit, EXPORTED, FUEL - 2), NOTHING)

    def imported_module(self, unit: Unit, row: int) -> Values:
        module = unit.names[unit.import_module[row]]
        found = self.module_value(unit, module, 0, unit.import_flags[row])
        stub = self.declarations_of(unit, module) if unit.language != "javascript" else NOTHING
        return {**stub, **found} if stub else found  # a declaration file beside the module knows types that it doesn't

    def imported_member(self, unit: Unit, row: int, fuel: int) -> Values:
        module, member = unit.names[unit.import_module[row]], unit.names[unit.import_member[row]]
        values = super().module_value(unit, module, 0)
        found = self.members(values, member, fuel)
        if not found and member == "default":  # `export = x` of a declared module
            found = self.members({value: code for value, code in values.items() if value[0] == CLASS}, EXPORTED, fuel)
        stub = self.declarations_of(unit, module) if not found or unit.language != "javascript" else NOTHING
        if stub:  # what the declaration file beside it says
            found = {**self.members(stub, member, fuel), **found}
        return found

    def declarations_of(self, unit: Unit, module: str) -> Values:
        """The declaration file (`.d.ts`) that stands for the types of an imported JavaScript file."""
        stub = self.program.resolve(unit, module, 0).stub
        number = self.program.number.get(stub) if stub else None
        return {(MODULE, number): PROVED} if number is not None else NOTHING

    def exported(self, unit: Unit, name: str, fuel: int) -> Values:
        """The value a module exports under a name: an own export, one of `export *`, or a member of what `module.exports` is."""
        if self.spent(fuel):
            return NOTHING
        found = self.own_member(unit, name, fuel)
        if found:
            return found
        entry = unit.exports.get(name)
        self.look("top", unit, 0, EXPORTED)
        self.look("face", unit, 0, "")
        if unit.stars and name != "default":
            found = self.star_member(unit, name, fuel)
            if found:
                return found
        if EXPORTED in unit.exports and name != EXPORTED:
            whole = self.exported(unit, EXPORTED, fuel - 1)
            return whole if name == "default" else self.members(whole, name, fuel - 1)
        if name == "default" and entry is None and unit.exports and self.is_common(unit):
            return {(MODULE, unit.number): PROVED}
        return NOTHING

    def own_member(self, unit: Unit, name: str, fuel: int) -> Values:
        self.look("top", unit, 0, name)
        entry = unit.exports.get(name)
        return NOTHING if entry is None else self.remembered(EXPORT, unit, name, fuel)

    def passed_on(self, unit: Unit) -> list[str]:
        return [name for name in unit.exports if name not in ("default", EXPORTED)]

    @staticmethod
    def is_common(unit: Unit) -> bool:
        """Whether a module exports in the way of CommonJS."""
        return not any(unit.kind[node] == Kind.EXPORT for node in range(1, len(unit.kind)) if unit.parent[node] == 0)

    def _exported(self, unit: Unit, name: str, entry: tuple[int, int, int], fuel: int) -> Values:
        local, row, node = entry
        if local >= 0 and row < 0:
            group = unit.module_names.get(unit.names[local])
            if group is None:
                return self.values(unit, node, fuel)
            return self.group_at(unit, group, -1, fuel)
        return super()._exported(unit, name, entry, fuel)

    # members

    def members(self, values: Values, name: str, fuel: int) -> Values:
        """As in Python; but what an object type declares of a member speaks for what is passed, unless that is a function."""
        if len(values) == 1:
            for value, code in values.items():
                return self.member(value, code, name, fuel)
        found: Values = {}
        is_settled = False
        for value, code in values.items():
            given = self.member(value, code, name, fuel)
            if value[0] == CONTAINER and given and self.program.unit(value[1]).kind[value[2]] == Kind.OBJECT_TYPE:
                is_settled = not any(self.is_callable_type(one) for one in given)
            merged(found, given)
        return {value: code for value, code in found.items() if not is_symbolic(value)} if is_settled else found

    def member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        tag: int = value[0]
        if tag == CONTAINER:
            found = self.object_member(value, code, name, fuel)
            return (
                found
                if found or self.program.unit(value[1]).kind[value[2]] in (Kind.OBJECT_TYPE,)
                else {(CONTAINER_METHOD, value, name): code}
            )
        if tag in _CALLABLES:
            if name in _CALLERS:
                return {(CONTAINER_METHOD, value, name): code}
            if name == "prototype" and tag == FUNCTION:
                return {(INSTANCE, value[1], value[2]): code}
            stored = self.stored_members((FUNCTION, value[1], value[2]), code, name, fuel)
            # A promise is taken for what it resolves to, and that may be a function.
            return {(CONTAINER_METHOD, value, name): code} if not stored and name in _PROMISE else stored
        if tag in (CLASS, SELF_CLASS) and name == "prototype":
            return {(INSTANCE if tag == CLASS else SELF, value[1], value[2]): code}
        if tag in (INSTANCE, SELF, CLASS, SELF_CLASS, SUPER):
            if name == "constructor" and tag in (INSTANCE, SELF):
                return {self.class_of(value): code}
            found = self.class_member(value, code, name, fuel)
            if any(self.mentions(one) for one in found) and (member := self.find_member(value, name)) is not None:
                receiver = value[3] if tag == SUPER else value
                env = self.environment(receiver, member[0].number, member[2], fuel)
                if tag == INSTANCE:
                    found = self.told(found, env, member[0].number, member[2], fuel)
                else:
                    found = self.with_types(found, env)
            if not found and tag in (INSTANCE, SELF):
                if name in _PROMISE:
                    return {(CONTAINER_METHOD, value, name): code}
                if name == "props":
                    return self.props_of(value, code, fuel)
            return found
        if tag == TYPEVAR:
            return self._with(self.members(self.constraint_of(value, fuel), name, fuel), code)
        if tag == LOOKED:
            return NOTHING
        if tag == TYPED and len(value) > 4 and value[4] == "record":
            return dict.fromkeys(value[1], stepped(code, Step.ELEMENT))
        if tag == PARTIAL and name in _CALLERS:
            return {(CONTAINER_METHOD, value, name): code}
        if (tag == LIKE or (tag == EXTERNAL and value[1] != "Reflect")) and name in _CALLERS:
            return {value: code}
        if tag == EXTERNAL and value[1] in GLOBAL_OBJECTS and (found := self.global_member(name, fuel)):
            return self._with(found, code)
        if tag >= PARAM and name in _CALLERS:
            return {(CONTAINER_METHOD, value, name): code}
        return super().member(value, code, name, fuel)

    def class_member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        """As in Python; what is copied onto a prototype comes before what the class inherits."""
        mixed = self.mixed_in(value, code, name, fuel) if value[0] in (INSTANCE, SELF) else NOTHING
        return mixed or super().class_member(value, code, name, fuel)

    def mixed_in(self, value: Value, code: int, name: str, fuel: int) -> Values:
        """What `Object.assign(C.prototype, mixin)` and the like give the class of an object, where neither it nor a class that comes before
        C has a member of that name. Methods of a class are not copied: they can't be listed."""
        member = self.find_member(value, name)
        for file, symbol in self.order(value[1], value[2]):
            unit = self.program.unit(file)
            if member is not None and member[0] is unit and member[2] == symbol:
                break
            self.look("mixes", unit, 0, "")
            if unit.mixes and not self.flat:
                stored = self.stored_members((INSTANCE, file, symbol), code, name, fuel)
                found = {
                    one: its for one, its in stored.items()
                    if one[0] in (FUNCTION, CLASS, INSTANCE, CONTAINER) or (one[0] == METHOD and not self.is_of_class(one))
                }  # fmt: skip
                if found:
                    return found
        return NOTHING

    def is_of_class(self, method: Value) -> bool:
        unit = self.program.unit(method[1])
        return unit.symbol_kind[unit.symbol_parent[method[2]]] == SymbolKind.CLASS

    def props_of(self, value: Value, code: int, fuel: int) -> Values:
        """`this.props` of a component class: the type it gives to the class it extends."""
        unit = self.program.unit(value[1])
        for part in unit.kids(unit.symbol_node[value[2]]):
            if unit.kind[part] == Kind.HERITAGE:
                for each in unit.kids(part):
                    if unit.kind[each] == Kind.TYPE_ARGS and unit.next[each] > each + 1:
                        return self._with(all_stepped(self.annotated(unit, each + 1, fuel), Step.DECLARED), code)
        return NOTHING

    def object_member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        """A member of an object literal or an object type."""
        unit, node = self.program.unit(value[1]), value[2]
        what = unit.kind[node]
        if self.spent(fuel):
            return NOTHING
        if what in (Kind.DICT, Kind.JSX_OPENING):
            return self._with(all_stepped(self.container_items(value, name, fuel), Step.ATTRIBUTE), code)
        if what == Kind.OBJECT_TYPE:
            found: Values = {}
            for member in self.type_members(unit, node, name):
                merged(found, self.signature_value(unit, member, value, fuel - 1))
            return self._with(all_stepped(self.with_types(found, self.carried(value)), Step.ATTRIBUTE), code)
        return NOTHING

    def type_members(self, unit: Unit, node: int, name: str) -> Iterator[int]:
        """The signatures of that name in an object type; one of an index signature if there is none."""
        anything = []
        for member in unit.kids(node):
            if unit.kind[member] != Kind.SIGNATURE or unit.next[member] <= member + 1:
                continue
            key = member + 1
            if unit.kind[key] == Kind.PROPERTY_NAME and unit.text(key) == name:
                yield member
                return
            if unit.kind[key] == Kind.STRING and unit.next[key] == key + 2 and unit.text(key + 1) == name:
                yield member
                return
            if unit.kind[key] == Kind.COMPUTED and unit.kind[key + 1] == Kind.NAME and f"[{unit.text(key + 1)}]" == name:
                yield member
                return
            if unit.kind[key] in (Kind.NAME, Kind.TYPE_NAME):
                anything.append(member)
        yield from anything

    def signature_value(self, unit: Unit, member: int, receiver: Value, fuel: int) -> Values:
        """What reading a member that a type declares gives."""
        symbol = self.tables(unit).symbol_of.get(member)
        if symbol is not None and unit.symbol_kind[symbol] == SymbolKind.METHOD:
            return {(METHOD, unit.number, symbol, receiver): PROVED}
        parts = unit.kids(member)
        if any(unit.kind[part] == Kind.PARAMS for part in parts):
            return {(CONTAINER, unit.number, member): PROVED}
        declared = next((part for part in reversed(parts) if unit.kind[part] == Kind.TYPE), -1)
        return all_stepped(self.annotated(unit, declared, fuel), Step.DECLARED) if declared >= 0 else NOTHING

    def _find_member(self, value: Value, name: str) -> Member | None:
        """As in Python, but what is static and what is not are apart."""
        tag, number, symbol = value[0], value[1], value[2]
        order: tuple[tuple[int, int], ...]
        if tag == SUPER:
            receiver = value[3]
            order = self.order(receiver[1], receiver[2])
            own = (number, symbol)
            order = order[order.index(own) + 1 :] if own in order else self.order(number, symbol)[1:]
            tag = receiver[0]
        else:
            order = self.order(number, symbol)
        for file, class_symbol in order:
            unit = self.program.unit(file)
            self.look("member", unit, class_symbol, name)
            apart = unit.symbol_kind[class_symbol] == SymbolKind.CLASS
            for scope in unit.class_scopes.get(class_symbol, ()):
                if tag in (CLASS, SELF_CLASS) and unit.scope_kind[scope] in (ScopeKind.INSTANCE, ScopeKind.PROTOTYPE):
                    continue
                group = unit.scope_names.get(scope, {}).get(name)
                if group is not None and (not apart or self.is_static(unit, class_symbol, group, name) == (tag in (CLASS, SELF_CLASS))):
                    if unit.scope_kind[scope] == ScopeKind.INSTANCE and len(order) > 1:
                        return self._inherited_property(order, (file, class_symbol), name) or (unit, group, class_symbol)
                    return unit, group, class_symbol
        return None

    @staticmethod
    def is_static(unit: Unit, class_symbol: int, group: int, name: str) -> bool:
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            if unit.how[row] == How.DEFINE:
                return bool(unit.symbol_flags[unit.extra[row]] & STATIC)
        symbol = unit.fields.get((class_symbol, name))
        return symbol is not None and bool(unit.symbol_flags[symbol] & STATIC)

    def _member_group(self, unit: Unit, group: int, fuel: int) -> Values:
        """All bindings of a member: its declared type, else everything that is assigned to it."""
        every = list(range(unit.group_first[group], unit.group_first[group + 1]))
        for other in self.beside(unit, group):  # `step = () => 1` in the class, `this.step = () => 2` in a method
            every += range(unit.group_first[other], unit.group_first[other + 1])
        rows = [row for row in every if unit.type[row] >= 0]
        found: Values = {}
        for row in rows or every:
            merged(found, self.binding(unit, row, fuel))
        if rows and not found:
            for row in every:
                merged(found, self.binding(unit, row, fuel))
        owner = unit.scope_symbol[unit.group_scope[group]]
        if unit.symbol_kind[owner] in _TYPE_ONLY and any(value[0] == CONTAINER and self.is_called(value) for value in found):
            symbol = unit.fields.get((owner, unit.names[unit.group_name[group]]))
            if symbol is not None and unit.symbol_kind[symbol] == SymbolKind.FIELD:
                found = {**found, (FUNCTION, unit.number, symbol): PROVED}  # what calls it runs what the member is given
        return self.spread_out(found)

    @staticmethod
    def beside(unit: Unit, group: int) -> list[int]:
        """The binding groups of the same member of a class in its other scopes: what methods assign to a field of its body."""
        scope = unit.group_scope[group]
        owner, name = unit.scope_symbol[scope], unit.names[unit.group_name[group]]
        if unit.scope_kind[scope] != ScopeKind.CLASS:
            return []
        scopes = [one for one in unit.class_scopes.get(owner, ()) if unit.scope_kind[one] == ScopeKind.INSTANCE]
        if not scopes or ScriptEvaluator.is_static(unit, owner, group, name):
            return []
        return [found for one in scopes if (found := unit.scope_names.get(one, {}).get(name)) is not None]

    def bound(self, receiver: Value, value: Value, code: int, fuel: int, unit: Unit, class_symbol: int) -> Values:
        if value[0] == FUNCTION:
            owner = self.program.unit(value[1])
            if owner.symbol_kind[value[2]] == SymbolKind.PROPERTY:
                if owner.symbol_flags[value[2]] & SETTER:
                    return NOTHING
                real = receiver[3] if receiver[0] == SUPER else receiver
                return self._with(self.returned_to(value[1], value[2], real, fuel - 1), code)
            if owner.symbol_kind[value[2]] == SymbolKind.METHOD:
                real = receiver[3] if receiver[0] == SUPER else receiver
                return {(METHOD, value[1], value[2], real): code}
            return {value: code}
        return {value: code}

    def bases(self, number: int, symbol: int, fuel: int) -> tuple[list[tuple[int, int]], bool]:
        """What a class or interface extends, what an alias is an intersection of, and the prototypes that are set by hand."""
        unit = self.program.unit(number)
        self.look("header", unit, symbol, "")
        found: list[tuple[int, int]] = []
        complete = True
        before, self.low = self.low, FUEL
        for values in self.base_values(unit, symbol):
            classes = [value[1:3] for value in values if value[0] in (CLASS, INSTANCE, SELF, SELF_CLASS)]
            found += [base for base in classes if base not in found and base != (number, symbol)]
            complete = complete and bool(classes)
        self.low = before
        return found, complete

    def base_values(self, unit: Unit, symbol: int) -> Iterator[Values]:
        node = unit.symbol_node[symbol]
        kind = unit.symbol_kind[symbol]
        if kind == SymbolKind.TYPE:
            wholes = unit.kids(node)[-1:]
            while wholes:
                each = wholes.pop()
                if unit.kind[each] == Kind.INTERSECTION:
                    wholes += unit.kids(each)
                elif unit.kind[each] != Kind.OBJECT_TYPE:
                    yield self.annotated(unit, each, FUEL - 2)
            return
        for part in unit.kids(node):
            if unit.kind[part] != Kind.HERITAGE:
                continue
            for base in unit.kids(part):
                if unit.kind[base] == Kind.TYPE_ARGS:
                    continue
                if kind == SymbolKind.INTERFACE:
                    yield self.annotated(unit, base, FUEL - 2)
                    continue
                values = {value: code for value, code in self.values(unit, base, FUEL).items() if not is_symbolic(value)}
                yield self.constructed(values, FUEL - 2)
                if unit.kind[base] == Kind.CALL:  # mixins: what they are given is a base too
                    for argument in self.arguments(unit, base)[0]:
                        given = {value: code for value, code in self.values(unit, argument, FUEL).items() if value[0] == CLASS}
                        if given:
                            yield given
        self.look("member", unit, symbol, "prototype")
        for scope in unit.class_scopes.get(symbol, ()):
            if unit.scope_kind[scope] == ScopeKind.PROTOTYPE:
                group = unit.scope_names.get(scope, {}).get("prototype")
                if group is not None:
                    for row in range(unit.group_first[group], unit.group_first[group + 1]):
                        values = self.values(unit, unit.value[row], FUEL - 2) if unit.value[row] >= 0 else NOTHING
                        # inherits(Cat, Animal) names the function that makes what is inherited from
                        yield {(INSTANCE, *value[1:]) if value[0] == FUNCTION else value: code for value, code in values.items()}

    def constructed(self, values: Values, fuel: int) -> Values:
        """Classes, and what constructor types make."""
        found: Values = {}
        for value, code in values.items():
            if value[0] == TYPEVAR and not self.spent(fuel):
                merged(found, self.constructed(self.constraint_of(value, fuel), fuel - 1))
            elif value[0] == CONTAINER and self.program.unit(value[1]).kind[value[2]] == Kind.FUNC_TYPE:
                merged(found, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
            else:
                merged(found, {value: code})
        return found

    # calls

    def arguments(self, unit: Unit, node: int) -> tuple[list[int], dict[str, int]]:
        """As in Python; a tag gets the texts of its template, and then what stands between them."""
        positional, keywords = super().arguments(unit, node)
        if len(positional) == 1 and unit.kind[positional[0]] == Kind.TEMPLATE and unit.kind[unit.parent[positional[0]]] == Kind.CALL:
            positional += [part + 1 for part in unit.kids(positional[0]) if unit.kind[part] == Kind.INTERPOLATION]
        return positional, keywords

    def _call(self, unit: Unit, node: int, fuel: int) -> Values:
        function = node + 1
        if function >= unit.next[node]:
            return NOTHING
        if unit.kind[function] == Kind.DYNAMIC_IMPORT:
            return self.loaded(unit, node, fuel)
        positional, keywords = self.arguments(unit, node)
        if unit.text(function) == "define" and positional and self.is_amd(unit, node):
            return self.defined_by(unit, positional[-1], fuel)
        callees = self.values(unit, function, fuel)
        if not callees:
            return NOTHING
        found: Values = {}
        is_new = unit.kind[node] == Kind.NEW
        rows = self.given_rows(unit, node, fuel)
        for value, code in callees.items():
            if value[0] == EXTERNAL:
                merged(found, self.external_call(unit, node, value, code, positional, keywords, fuel))
                continue
            if is_new and value[0] == FUNCTION:
                other = self.program.unit(value[1])
                self.look("header", other, value[2], "")
                if other.class_scopes.get(value[2]) or other.symbol_text(value[2])[:1].isupper():
                    made = self.made_instead(value, fuel)
                    merged(found, self._with(made, code) if made else {(INSTANCE, value[1], value[2]): stepped(code, Step.CONSTRUCT)})
                    continue
            lazily = WrittenWithTypes(self, unit, positional, rows, fuel)
            merged(found, self.applied(value, code, lazily, lazily, fuel))
        of_types = sum(value[0] == CONTAINER and self.is_plain(value) for value in callees)  # see `is_plain`
        return self.spread_out(found) if of_types > 1 else found

    def made_instead(self, function: Value, fuel: int) -> Values:
        """What `new F()` gives where F returns an object of its own: an instance of another class, or an object literal."""
        unit = self.program.unit(function[1])
        if self.spent(fuel) or not unit.returns.get(function[2]):
            return NOTHING
        self.look_at_code(unit, function[2])
        found: Values = {}
        for node, _ in unit.returns[function[2]]:  # whatever a comment says that it is
            merged(found, all_stepped(self.values(unit, node, fuel - 1), Step.RETURN))
        return {
            value: code for value, code in found.items()
            if (value[0] == INSTANCE and value[1:3] != function[1:3])
            or (value[0] == CONTAINER and unit.kind[value[2]] == Kind.DICT and value[1] == unit.number)
        }  # fmt: skip

    @staticmethod
    def is_amd(unit: Unit, node: int) -> bool:
        """Whether a call is the `define(...)` that makes what the module exports."""
        entry = unit.exports.get(EXPORTED)
        return entry is not None and entry[2] == node

    def defined_by(self, unit: Unit, factory: int, fuel: int) -> Values:
        """What `define(...)` makes a module of: what its factory returns, or an object."""
        if self.spent(fuel):
            return NOTHING
        given = self.values(unit, factory, fuel - 1)
        return self.results_of(given, [], fuel) if unit.kind[factory] in _FUNCTIONS else given

    def given_module(self, unit: Unit, arguments: int, node: int, index: int) -> Values:
        """The module that parameter `index` of a function is in `define(["./a"], function (a) {})` or `require([...], ...)`."""
        call = unit.parent[arguments]
        if unit.kind[call] != Kind.CALL or unit.text(call + 1) not in _AMD:
            return NOTHING
        for part in unit.kids(arguments):
            if part >= node:
                break
            if unit.kind[part] == Kind.LIST and index < len(listed := unit.kids(part)) and unit.kind[listed[index]] == Kind.STRING:
                name = unit.text(listed[index] + 1)
                if name == "exports":
                    return {(MODULE, unit.number): PROVED}
                return NOTHING if name in ("require", "module") else all_stepped(self.module_value(unit, name, 0), Step.IMPORT)
        return NOTHING

    def result(
        self, number: int, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, code: int, fuel: int
    ) -> Values:
        """As in Python; type parameters of the function and of its class are what this call and its receiver say."""
        found = super().result(number, symbol, receiver, positional, keywords, code, fuel)
        if not any(self.mentions(value) for value in found):
            return found
        unit = self.program.unit(number)
        env: dict[tuple[int, int, int], Row] = {}
        if receiver is not None:
            owner = unit.symbol_parent[symbol]
            of_class = self.environment(receiver, number, owner, fuel)
            found = self.told(found, of_class, number, owner, fuel) if receiver[0] == INSTANCE else self.with_types(found, of_class)
        env.update(self.seen_types(unit, symbol, self.parameter_types(unit, symbol), positional, fuel))
        if receiver is not None and (of_this := self.tables(unit).this_types.get(symbol, -1)) >= 0:  # `static of<C>(this: new () => C): C`
            env.update({**self.seen_types(unit, symbol, [of_this], Given([{receiver: PROVED}]), fuel), **env})
        if isinstance(positional, WrittenWithTypes):
            env.update(positional.types(number, symbol))
        return collapsed(self.told(found, env, number, symbol, fuel))

    def made(self, callee: Value, code: int, positional: Arguments, fuel: int) -> Values:
        """`new C(...)`: an instance, with the types that the call gives or its arguments show."""
        unit = self.program.unit(callee[1])
        nodes = self.parameter_nodes(unit, callee[2])
        plain = super().applied(callee, code, positional, positional, fuel)
        if not nodes:
            return plain
        env = positional.types(callee[1], callee[2]) if isinstance(positional, WrittenWithTypes) else {}
        if not env:
            member = self.find_member((INSTANCE, callee[1], callee[2]), "constructor")
            for symbol in member[0].defines(member[1]) if member is not None and member[0] is unit else ():
                env.update(self.seen_types(unit, callee[2], self.parameter_types(unit, symbol), positional, fuel))
        rows = [env.get((callee[1], callee[2], index), ()) for index in range(len(nodes))]
        return {(*value[:3], (TYPES, *rows)): its for value, its in plain.items()} if any(rows) else plain

    def loaded(self, unit: Unit, node: int, fuel: int) -> Values:
        """`import("m")` and `require("m")`."""
        positional, _ = self.arguments(unit, node)
        if not positional:
            return NOTHING
        found: Values = {}
        for value in self.values(unit, positional[0], fuel):
            if value[0] == TEXT:
                merged(found, all_stepped(self.module_value(unit, str(value[1]), 0), Step.IMPORT))
        return found

    def applied(self, callee: Value, code: int, positional: Arguments, keywords: Arguments, fuel: int) -> Values:
        tag: int = callee[0]
        if tag in (CONTAINER, INSTANCE, SELF):
            return all_stepped(self._with(self.given(self.declared_calls(callee, fuel), positional, fuel), code), Step.RETURN)
        if tag == TYPEVAR:
            found: Values = {}
            for value, its in self.constraint_of(callee, fuel).items():
                merged(found, self.applied(value, max(code, its), positional, keywords, fuel - 1))
            return found
        if tag == CLASS:
            return self.made(callee, code, positional, fuel)
        return super().applied(callee, code, positional, keywords, fuel)

    def argument(self, unit: Unit, symbol: int, index: int, receiver: Value | None, positional: Arguments, keywords: Arguments) -> Values:
        row = unit.params[symbol][index]
        if unit.param_flags[row] & ParamFlag.STAR:
            found: Values = {}
            for at in range(index, positional.written):
                merged(found, positional.at(at))
            return found
        return positional.at(index)

    def return_type(self, unit: Unit, symbol: int) -> int:
        node = unit.symbol_node[symbol]
        if unit.kind[node] == Kind.SIGNATURE:
            return self.result_node(unit, node)
        if unit.kind[node] in _FUNCTIONS:
            for part in unit.kids(node):
                if unit.kind[part] == Kind.TYPE:
                    return part
            return self.tables(unit).results.get(symbol, -1)
        return -1

    def _returned(self, unit: Unit, symbol: int, fuel: int) -> Values:
        found = super()._returned(unit, symbol, fuel)
        if any(value[0] == TYPEVAR for value in found):  # what it gives back says more than `T`
            found = dict(found)
            for node, _ in unit.returns.get(symbol, ()):
                merged(found, all_stepped(self.values(unit, node, fuel), Step.RETURN, LIKELY))
        elif self.gives_function(unit, symbol) and self.return_type(unit, symbol) >= 0 and any(map(self.is_called, found)):
            merged(found := dict(found), {value: weakened(code, LIKELY) for value, code in self.result_written(unit, symbol, fuel).items()})
        if not found and self.return_type(unit, symbol) < 0 and unit.kind[unit.symbol_node[symbol]] in _FUNCTIONS:
            for value, code in self.contextual(unit, unit.symbol_node[symbol], fuel).items():
                merged(found := dict(found), self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
        return found

    # parameters

    def param(self, unit: Unit, row: int, fuel: int) -> Values:
        """A parameter: its declared type, the type of the place where its function is passed, its default, and what callers pass."""
        flags, symbol = unit.param_flags[row], unit.param_symbol[row]
        type_node = unit.param_type[row]
        index = unit.params[symbol].index(row)
        own: Value = (PARAM, unit.number, symbol, index)
        found: Values = {}
        if type_node < 0 and index == 0:
            type_node = self.props_declared(unit, unit.symbol_node[symbol], fuel)
        if type_node >= 0:
            declared = self.annotated(unit, type_node, fuel)
            if declared:
                found = all_stepped(declared, Step.DECLARED)
                if any(self.is_callable_type(value) for value in declared):
                    found = dict(found)
                    found[own] = stepped(LIKELY, Step.ARGUMENT)
                return found
        else:
            found = self.contextual_param(unit, symbol, index, fuel)
            if found:
                return self.spread_out(found)
            found = {}
        if unit.param_default[row] >= 0:
            for value, code in self.values(unit, unit.param_default[row], fuel).items():
                if value[0] in (FUNCTION, CLASS, METHOD, INSTANCE, CONTAINER, TYPED, MODULE):
                    found[value] = weakened(stepped(code, Step.ARGUMENT), LIKELY)
        if flags & ParamFlag.STAR:
            return {(TYPED, (own,), ()): stepped(LIKELY, Step.ARGUMENT)}
        found[own] = stepped(LIKELY, Step.ARGUMENT)
        return found

    def is_callable_type(self, value: Value) -> bool:
        """Whether a type says that something is called, and not what: a function type, or an object type without a name that holds some."""
        if value[0] == CONTAINER:
            unit = self.program.unit(value[1])
            what = unit.kind[value[2]]
            return what == Kind.FUNC_TYPE or (what == Kind.OBJECT_TYPE and self.holds_functions(unit, value[2]))
        if value[0] == TYPEVAR:
            return True
        return value[0] == EXTERNAL_INSTANCE and "." in value[1] and "(" not in value[1]  # a type of a package may be of functions

    def holds_functions(self, unit: Unit, node: int) -> bool:
        """Whether an object type has members that are called, which are no definitions."""
        for member in unit.kids(node):
            if unit.kind[member] == Kind.SIGNATURE and self.tables(unit).symbol_of.get(member) is None:
                for part in unit.kids(member)[1:]:
                    if unit.kind[part] == Kind.PARAMS:
                        return True
                    inner = part + 1 if unit.kind[part] == Kind.TYPE else part
                    if unit.kind[inner] == Kind.FUNC_TYPE or (unit.kind[inner] == Kind.OBJECT_TYPE and self.holds_functions(unit, inner)):
                        return True
        return False

    def contextual_param(self, unit: Unit, symbol: int, index: int, fuel: int) -> Values:
        """What a function's parameter is by the place where the function stands: an argument, a member of a typed object, ..."""
        if self.spent(fuel):
            return NOTHING
        node = unit.symbol_node[symbol]
        if unit.kind[node] not in _FUNCTIONS:
            return NOTHING
        above = unit.parent[node]
        if unit.kind[above] in (Kind.CALL, Kind.ATTRIBUTE) and node == above + 1:
            return self.given_at_once(unit, node, index, fuel - 1)
        if unit.kind[above] == Kind.ARGS:
            found = self.from_receiver(unit, above, node, index, fuel - 1) or self.given_module(unit, above, node, index)
            if found:
                return found
        found = {}
        for value, code in self.contextual(unit, node, fuel - 1).items():
            merged(found, self._with(all_stepped(self.parameter_type(value, index, fuel - 1), Step.DECLARED), code))
        return found

    def props_declared(self, unit: Unit, node: int, fuel: int) -> int:
        """The node of the type that a component library says its function takes: `const Box: FC<Props> = (props) => ...`,
        `forwardRef<Element, Props>((props, ref) => ...)`; -1 where none does."""
        above = unit.parent[node]
        what = unit.kind[above] if unit.kind[node] in _FUNCTIONS and above >= 0 else -1
        if what == Kind.DECLARATOR:
            declared = next((part + 1 for part in unit.kids(above) if unit.kind[part] == Kind.TYPE), -1)
            if declared < 0 or unit.kind[declared] != Kind.GENERIC:
                return -1
            name, places = declared + 1, _COMPONENT_TYPES
        elif what == Kind.ARGS and node == above + 1 and unit.kind[unit.parent[above]] == Kind.CALL:
            declared = unit.parent[above]
            name, places = declared + 1, _COMPONENT_MAKERS
        else:
            return -1
        place = places.get(unit.text(unit.next[name + 1] if unit.kind[name] == Kind.ATTRIBUTE else name))
        if place is None or any(value[0] in (CLASS, FUNCTION) for value in self.values(unit, name, fuel)):
            return -1
        rows = next((unit.kids(part) for part in unit.kids(declared) if unit.kind[part] == Kind.TYPE_ARGS), [])
        return rows[place] if place < len(rows) else -1

    def given_at_once(self, unit: Unit, node: int, index: int, fuel: int) -> Values:
        """`(function (a) {...})(x)`, `(function (a) {...}).call(o, x)`: what a function without a name is called with where it stands."""
        call = unit.parent[node]
        if unit.kind[call] == Kind.ATTRIBUTE:
            if unit.text(unit.next[node]) != "call" or unit.kind[unit.parent[call]] != Kind.CALL:
                return NOTHING
            call, index = unit.parent[call], index + 1
        if unit.kind[node + 1] == Kind.NAME:
            return NOTHING
        positional, _ = self.arguments(unit, call)
        if index >= len(positional) or any(unit.kind[one] == Kind.SPREAD for one in positional[: index + 1]):
            return NOTHING
        return all_stepped(self.values(unit, positional[index], fuel), Step.ARGUMENT)

    def from_receiver(self, unit: Unit, arguments: int, node: int, index: int, fuel: int) -> Values:
        """What an array method or a promise passes to a callback."""
        call = unit.parent[arguments]
        if unit.kind[call] != Kind.CALL or unit.kind[call + 1] != Kind.ATTRIBUTE:
            return NOTHING
        name = unit.text(unit.next[call + 2])
        given = CALLBACK_PARAMETERS.get(name)
        if given is None or index >= len(given):
            return NOTHING
        found: Values = {}
        for value, code in self.values(unit, call + 2, fuel).items():
            if name == "then" and node != arguments + 1:
                continue
            if name != "then" and value[0] not in (CONTAINER, TYPED, SLICED, GENERATOR) and not is_symbolic(value):
                continue
            merged(found, self._with(self.passed_to_callback(unit, call, value, given[index], fuel), code))
        return all_stepped(found, Step.ELEMENT) if name != "then" else found

    def passed_to_callback(self, unit: Unit, call: int, value: Value, what: str, fuel: int) -> Values:
        if what == "element":
            return self.items({value: PROVED}, "*", fuel) if self.is_keyed(value) else self.elements({value: PROVED}, fuel)
        if what in ("whole", "self"):
            return {value: PROVED}
        if what == "key" and value[0] == TYPED:
            return dict.fromkeys(value[2], PROVED)
        if what == "key" and value[0] == CONTAINER and self.collection(value) == "Set":
            return self.elements({value: PROVED}, fuel)
        if what == "result":
            positional, _ = self.arguments(unit, call)
            if len(positional) > 1:
                return self.values(unit, positional[1], fuel)
            return self.elements({value: PROVED}, fuel)
        return NOTHING

    def is_keyed(self, value: Value) -> bool:
        """A Map: iterated it gives pairs, but its callbacks get values."""
        if value[0] == TYPED:
            return len(value) > 4 and value[4] == MAP
        return value[0] == CONTAINER and self.collection(value) in _KEYED

    def collection(self, value: Value) -> str:
        """The class of a collection made with `new`; "" for anything else."""
        unit, node = self.program.unit(value[1]), value[2]
        return unit.text(node + 1) if unit.kind[node] == Kind.NEW else ""

    def contextual(self, unit: Unit, node: int, fuel: int) -> Values:
        """The type that the place of an expression asks for."""
        if unit.kind[unit.parent[node]] not in _PLACES:
            return NOTHING
        return self.remembered(_CONTEXT, unit, node, fuel + 1)

    def _contextual(self, unit: Unit, node: int, fuel: int) -> Values:
        if self.spent(fuel):
            return NOTHING
        above = unit.parent[node]
        what = unit.kind[above]
        if what in (Kind.DECLARATOR, Kind.FIELD, Kind.PARAM_TYPED):
            declared = next((part for part in unit.kids(above) if unit.kind[part] == Kind.TYPE), -1)
            return self.annotated(unit, declared, fuel) if declared >= 0 else NOTHING
        if what in (Kind.CAST, Kind.SATISFIES):
            parts = unit.kids(above)
            if len(parts) == 2:
                declared = parts[1] if parts[0] == node else parts[0] + 1
                return self.annotated(unit, declared, fuel)
            return self.contextual(unit, above, fuel)
        if what in (Kind.NON_NULL, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.AWAIT):
            return self.contextual(unit, above, fuel - 1)
        if what in (Kind.RETURN, Kind.LAMBDA):
            return self.expected_result(unit, unit.owner[above] if what == Kind.RETURN else self.tables(unit).symbol_of.get(above, 0), fuel)
        if what == Kind.ARGS:
            return self.expected_argument(unit, above, node, fuel)
        if what in (Kind.PAIR, Kind.DICT):
            holder = unit.parent[above] if what == Kind.PAIR else above
            key = above + 1 if what == Kind.PAIR else self.key_of(unit, node)
            if key < 0 or unit.kind[holder] != Kind.DICT:
                return NOTHING
            found: Values = {}
            expected = self.contextual(unit, holder, fuel - 1)
            for text in self.key_texts(unit, key, fuel - 1):
                if text != "*":
                    merged(found, self.members(self.declared_only(expected), text, fuel - 1))
                else:
                    merged(found, self.items(self.declared_only(expected), "*", fuel - 1))
            return found
        if what == Kind.LIST:
            return self.elements(self.contextual(unit, above, fuel - 1), fuel - 1)
        if what == Kind.ASSIGN and above + 1 != node:
            return self.declared_only(self.values(unit, above + 1, fuel - 1))
        if what == Kind.JSX_ATTRIBUTE:
            return self.members(self.props_wanted(unit, unit.parent[above], fuel - 1), unit.text(above + 1), fuel - 1)
        return NOTHING

    @staticmethod
    def key_of(unit: Unit, node: int) -> int:
        return next(
            (child for child in unit.kids(node) if unit.kind[child] in (Kind.PROPERTY_NAME, Kind.STRING, Kind.NUMBER, Kind.COMPUTED)), -1
        )

    def declared_only(self, values: Values) -> Values:
        """The values that are types rather than things: instances of interfaces, object and function types, their methods."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag in (INSTANCE, SELF, TYPED) or (tag == CONTAINER and self.program.unit(value[1]).kind[value[2]] in _WRITTEN_TYPES):
                found[value] = code
            elif tag == METHOD:
                unit = self.program.unit(value[1])
                if unit.kind[unit.symbol_node[value[2]]] == Kind.SIGNATURE:
                    found[value] = code
            elif tag == TYPEVAR:
                merged(found, {one: max(code, its) for one, its in self.constraint_of(value, FUEL // 2).items()})
        return found

    def expected_result(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """The type of what a function has to return."""
        while symbol > 0 and unit.kind[unit.symbol_node[symbol]] not in _FUNCTIONS:
            symbol = unit.symbol_parent[symbol]
        if symbol <= 0 or self.spent(fuel):
            return NOTHING
        declared = self.return_type(unit, symbol)
        if declared >= 0:
            return self.annotated(unit, declared, fuel - 1)
        found: Values = {}
        for value, code in self.declared_only(self.contextual(unit, unit.symbol_node[symbol], fuel - 1)).items():
            merged(found, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1))
        return found

    def expected_argument(self, unit: Unit, arguments: int, node: int, fuel: int) -> Values:
        """The declared type of the parameter that an argument is for."""
        call = unit.parent[arguments]
        written = unit.kids(arguments)
        index = written.index(node) if node in written else max(len(written) - 1, 0)
        found: Values = {}
        told = Told(self, unit, self.arguments(unit, call)[0], self.given_rows(unit, call, fuel - 1), index, fuel - 1)
        for value, code in self.values(unit, call + 1, fuel - 1).items():
            signatures = self.declared_calls(value, fuel - 1)
            if signatures and not self.spent(fuel):
                merged(found, self._with(self.asked(signatures, index, told, fuel - 1), code))
                continue
            asked = self.parameter_type(value, index, fuel - 1)
            if value[0] in (FUNCTION, METHOD, CLASS) and any(self.mentions(one) for one in asked):
                other = self.program.unit(value[1])
                env = told.types(value[1], value[2])
                if not env and value[0] != CLASS:
                    env.update(self.seen_types(other, value[2], self.parameter_types(other, value[2]), told, fuel - 1))
                asked = self.told(asked, env, value[1], value[2], fuel - 1)
            merged(found, self._with(asked, code))
        return collapsed(found)

    def parameter_types(self, unit: Unit, symbol: int) -> list[int]:
        """The declared type of each parameter of a function or signature, -1 where there is none."""
        node = unit.symbol_node[symbol]
        if unit.kind[node] == Kind.SIGNATURE:
            return [declared for declared, _, _ in self.parameters_of(unit, node)]
        return [unit.param_type[row] for row in unit.params.get(symbol, ())]

    def parameter_type(self, value: Value, index: int, fuel: int) -> Values:
        """The declared type of parameter `index` of something callable."""
        if self.spent(fuel):
            return NOTHING
        tag: int = value[0]
        if tag in (FUNCTION, METHOD):
            unit = self.program.unit(value[1])
            node = unit.symbol_node[value[2]]
            self.look("code", unit, value[2], "")
            if tag == METHOD:
                owner = unit.symbol_parent[value[2]]
                declared = self.parameter_type((FUNCTION, value[1], value[2]), index, fuel)
                if not any(self.mentions(one) for one in declared):
                    return declared
                env = self.environment(value[3], value[1], owner, fuel)
                return self.told(declared, env, value[1], owner, fuel) if value[3][0] == INSTANCE else self.with_types(declared, env)
            if signatures := self.signatures_of(unit, value[2]):
                found: Values = {}
                for signature in signatures:
                    merged(found, self.parameter_of_type(unit, signature, index, fuel))
                return found
            if unit.kind[node] == Kind.SIGNATURE:
                return self.parameter_of_type(unit, node, index, fuel)
            rows = unit.params.get(value[2], [])
            row = rows[index] if index < len(rows) else rows[-1] if rows else -1
            if row < 0 or (index >= len(rows) and not unit.param_flags[row] & ParamFlag.STAR):
                return NOTHING
            written = unit.param_type[row] if unit.param_type[row] >= 0 or index else self.props_declared(unit, node, fuel)
            declared = self.annotated(unit, written, fuel) if written >= 0 else NOTHING
            return self.elements(declared, fuel) if unit.param_flags[row] & ParamFlag.STAR else declared
        if tag in (CLASS, SELF_CLASS):
            member = self.find_member((INSTANCE, value[1], value[2]), "constructor")
            if member is None:
                return NOTHING
            found = {}
            for symbol in member[0].defines(member[1]):
                merged(found, self.parameter_type((FUNCTION, member[0].number, symbol), index, fuel - 1))
            return found
        if tag in (CONTAINER, INSTANCE, SELF):  # an interface may have a hundred signatures, and be called a thousand times
            return self.settled(self._parameters, (value, index), lambda: self._of_signatures(value, index), NOTHING)
        return NOTHING

    def _of_signatures(self, value: Value, index: int) -> Values:
        return self.asked(self.declared_calls(value, FUEL - 2), index, NO_ARGUMENTS, FUEL - 2)

    def props_wanted(self, unit: Unit, opening: int, fuel: int) -> Values:
        """The type of the properties of the component that an element names."""
        found: Values = {}
        if opening + 1 < unit.next[opening]:
            for value, code in self.values(unit, opening + 1, fuel).items():
                if value[0] in (FUNCTION, METHOD):
                    merged(found, self._with(self.parameter_type(value, 0, fuel), code))
                elif value[0] == CLASS:
                    merged(found, self.props_of((INSTANCE, value[1], value[2]), code, fuel))
        return found

    # containers

    def container_items(self, value: Value, key: str | None, fuel: int, keys: bool = False, first: int = 0, whole: bool = False) -> Values:
        unit, node = self.program.unit(value[1]), value[2]
        what = unit.kind[node]
        if what in (Kind.NEW, Kind.DICT, Kind.JSX_OPENING):  # kept: some are spread into each other
            return self.remembered(_OF_OBJECT, unit, (value, key), fuel)
        if what in (Kind.OBJECT_TYPE, Kind.FUNC_TYPE, Kind.SIGNATURE, Kind.JSX):
            if what == Kind.OBJECT_TYPE and key is not None:
                return self.object_member(value, PROVED, key, fuel)
            if what == Kind.OBJECT_TYPE and not self.spent(fuel):
                found: Values = {}
                for member in unit.kids(node):
                    if unit.kind[member] == Kind.SIGNATURE:
                        merged(found, self.signature_value(unit, member, value, fuel - 1))
                return self.spread_out(found)
            return NOTHING
        return super().container_items(value, key, fuel, keys, first, whole)

    def look_at_stores(self, unit: Unit, node: int) -> None:
        """Notes that an answer hangs on what an object holds: on the code round it, and on what the file stores later."""
        self.look("stores", unit, 0, "")
        if unit.owner[node]:
            self.look_at_code(unit, unit.owner[node])

    def attributes_of(self, unit: Unit, node: int, key: str | None, fuel: int) -> Values:
        """What an element gives its component under a name (None: any): the values of its attributes."""
        if self.spent(fuel):
            return NOTHING
        self.look_at_stores(unit, node)
        found: Values = {}
        for attribute in unit.kids(node):
            if unit.kind[attribute] == Kind.JSX_ATTRIBUTE:
                parts = unit.kids(attribute)
                if len(parts) == 2 and key in (None, unit.text(parts[0])):
                    merged(found, self.values(unit, parts[1], fuel - 1))
            elif unit.kind[attribute] == Kind.SPREAD and key is not None:
                merged(found, self.of_holders(self.first(unit, attribute, fuel - 1), key, fuel - 1))
        return self.spread_out(found)

    def _kept_items(self, unit: Unit, asked: Any, fuel: int) -> Values:
        value, key = asked
        node = value[2]
        if unit.kind[node] == Kind.JSX_OPENING:
            return self.attributes_of(unit, node, key, fuel + 1)
        items = self.object_items if unit.kind[node] == Kind.DICT else self.collection_items
        return items(unit, node, value, key, fuel + 1)

    def object_items(self, unit: Unit, node: int, value: Value, key: str | None, fuel: int) -> Values:
        """What an object literal has under a key (None: any), as written and as stored later. The last one that is written holds."""
        if self.spent(fuel):
            return NOTHING
        self.look_at_stores(unit, node)
        found: Values = {}
        inherited: Values = {}
        for item in unit.kids(node):
            what = unit.kind[item]
            own: Values | None = None
            if what == Kind.PAIR:
                parts = unit.kids(item)
                if len(parts) == 2:
                    texts = [] if key is None else self.key_texts(unit, parts[0], fuel - 1)
                    if key is None or key in texts or texts == ["*"]:
                        own = self.values(unit, parts[1], fuel - 1)
                    elif texts == ["__proto__"]:
                        inherited = self.of_holders(self.values(unit, parts[1], fuel - 1), key, fuel - 1)
            elif what == Kind.SHORTHAND:
                if key is None or unit.text(item) == key:
                    own = self.values(unit, item, fuel - 1)
            elif what == Kind.FUNC:
                symbol = unit.symbol_of_node.get(item)
                if symbol is not None and (key is None or unit.symbol_text(symbol) == key):
                    if unit.symbol_kind[symbol] != SymbolKind.PROPERTY:
                        own = {(FUNCTION, unit.number, symbol): PROVED}
                    elif not unit.symbol_flags[symbol] & SETTER:
                        own = self.returned(unit, symbol, fuel - 1)
            elif what == Kind.SPREAD and unit.next[item] > item + 1:
                spread = self.values(unit, item + 1, fuel - 1)
                merged(found, self.items(spread, "*", fuel - 1) if key is None else self.of_holders(spread, key, fuel - 1))
            if own is not None:
                merged(found, own)
        if not self.flat:
            for stored_key, stored, spreads in self.stored_in(unit).get(value, ()):
                if key is None or stored_key in ("*", key):
                    more = self.values(unit, stored, fuel - 1)
                    if spreads:
                        more = self.items(more, "*", fuel - 1) if key is None else self.of_holders(more, key, fuel - 1)
                    merged(found, more)
        return self.spread_out(found or inherited)

    @staticmethod
    def holders(values: Values) -> Values:
        """Those that have members of their own: what is spread of anything else has no members we know."""
        return {value: code for value, code in values.items() if value[0] not in (EXTERNAL, EXTERNAL_INSTANCE, TEXT)}

    def of_holders(self, values: Values, name: str, fuel: int) -> Values:
        """What spreading the values gives under a name: their own members, not the methods that every object has."""
        found = self.members(self.holders(values), name, fuel)
        return {value: code for value, code in found.items() if value[0] != CONTAINER_METHOD}

    def collection_items(self, unit: Unit, node: int, value: Value, key: str | None, fuel: int) -> Values:
        """What a Map, Set or Array made with `new` holds."""
        if self.spent(fuel):
            return NOTHING
        self.look("stores", unit, 0, "")
        found: Values = {}
        positional, _ = self.arguments(unit, node)
        keyed = unit.text(node + 1) in _KEYED
        if positional:
            given = self.elements(self.values(unit, positional[0], fuel - 1), fuel - 1)
            merged(found, self.items(given, "1", fuel - 1) if keyed else given)
        declared = next((part for part in unit.kids(node) if unit.kind[part] == Kind.TYPE_ARGS), -1)
        if declared >= 0:
            arguments = unit.kids(declared)
            merged(found, self.annotated(unit, arguments[-1], fuel - 1) if arguments else NOTHING)
        if not self.flat:
            for stored_key, stored, spreads in self.stored_in(unit).get(value, ()):
                if key is None or stored_key in ("*", key) or not keyed:
                    more = self.values(unit, stored, fuel - 1)
                    merged(found, self.elements(more, fuel - 1) if spreads else more)
        return self.spread_out(found)

    def _stores(self, unit: Unit) -> Stored:
        """As in Python; and what `Object.assign` copies."""
        made: Stored = {}
        copied: dict[Value, int] = {}  # how many loops copy into each
        for target, value in unit.stores:
            what, copies = unit.kind[target], False
            spreads = what not in (Kind.ATTRIBUTE, Kind.SUBSCRIPT) or unit.kind[unit.parent[target]] == Kind.ARGS
            base = self.values(unit, target if spreads else target + 1, 8)
            if spreads:
                keys = ["*"]
            elif what == Kind.SUBSCRIPT:
                index = unit.next[target + 1]
                keys = self.keys_of(unit, index, 6) if index < unit.next[target] else ["*"]
                copies = keys == ["*"] and _takes_same(unit, index, value)
            else:
                keys = [unit.text(unit.next[target + 1])]
            for one in base:
                if one[0] not in (CONTAINER, INSTANCE, CLASS, FUNCTION, MODULE, SELF, SELF_CLASS):
                    continue
                if copies and copied.get(one, 0) < _MOST_COPIES:
                    copied[one] = copied.get(one, 0) + 1
                    made.setdefault(one, []).append(("*", value + 1, True))
                else:
                    made.setdefault(one, []).extend((key, value, spreads) for key in keys)
        for node in unit.mutations:
            attribute = node + 1
            name = unit.text(unit.next[attribute + 1])
            positional, _ = self.arguments(unit, node)
            if len(positional) <= MUTATORS[name]:
                continue
            for one in self.values(unit, attribute + 1, 8):
                one = one[1] if one[0] == SLICED else one
                if one[0] == CONTAINER:
                    key = self.keys_of(unit, positional[0], 6)[0] if name in ("setdefault", "set") else "*"
                    if name in PUTS_BEFORE:
                        made.setdefault((MOVED, *one), [])
                    for argument in (
                        positional[MUTATORS[name] :] if name in ("push", "unshift") else positional[MUTATORS[name] : MUTATORS[name] + 1]
                    ):
                        spread = unit.kind[argument] == Kind.SPREAD
                        made.setdefault(one, []).append((key, argument + 1 if spread else argument, spread or name in SPREADS))
        self._note_moved(unit, made)
        self._described(unit, made)
        return made

    def _described(self, unit: Unit, made: Stored) -> None:
        """What `Object.defineProperty(o, "x", {value: f})` and `Object.defineProperties(o, {x: {value: f}})` store."""
        for node in unit.described:
            positional, _ = self.arguments(unit, node)
            descriptors: list[tuple[str, int]] = []
            if len(positional) == 3:
                descriptors = [(key, positional[2]) for key in self.keys_of(unit, positional[1], 6)]
            elif len(positional) == 2 and unit.kind[positional[1]] == Kind.DICT:
                pairs = [unit.kids(pair) for pair in unit.kids(positional[1]) if unit.kind[pair] == Kind.PAIR]
                descriptors = [(key, parts[1]) for parts in pairs for key in self.key_texts(unit, parts[0], 6)]
            values = [(key, value) for key, one in descriptors for value in self.values_described(unit, one)]
            for one in self.values(unit, positional[0], 8) if values else ():
                if one[0] in (CONTAINER, INSTANCE, CLASS, FUNCTION, SELF, SELF_CLASS):
                    made.setdefault(one, []).extend((key, value, False) for key, value in values)

    def values_described(self, unit: Unit, node: int) -> list[int]:
        """The nodes of `value` in the property descriptors of this file that an expression may be."""
        found = []
        for one in (
            [node]
            if unit.kind[node] == Kind.DICT
            else [value[2] for value in self.values(unit, node, 6) if value[0] == CONTAINER and value[1] == unit.number]
        ):
            for pair in unit.kids(one) if unit.kind[one] == Kind.DICT else ():
                if unit.kind[pair] == Kind.PAIR and unit.text(pair + 1) == "value":
                    found.append(unit.kids(pair)[-1])
                elif unit.kind[pair] == Kind.FUNC and unit.text(pair + 1) == "value":
                    found.append(pair)
        return found

    def stored_members(self, value: Value, code: int, name: str, fuel: int) -> Values:
        if self.spent(fuel):
            return NOTHING
        if value[0] == SUPER or self.flat:
            return NOTHING
        unit = self.program.unit(value[1])
        table = self.stored_in(unit)
        keys: list[Value] = [value]
        if value[0] in (INSTANCE, SELF):
            keys = [(INSTANCE, value[1], value[2]), (SELF, value[1], value[2])]
        elif value[0] in (CLASS, SELF_CLASS):
            keys = [(CLASS, value[1], value[2]), (SELF_CLASS, value[1], value[2])]
        found: Values = {}
        anything: Values = {}
        for key in keys:
            for stored, node, spreads in table.get(key, ()):
                if stored == name and not spreads:
                    merged(found, self.values(unit, node, fuel - 1))
                elif stored == "*" and not spreads:
                    merged(anything, self.values(unit, node, fuel - 1))
                elif spreads:
                    merged(found, self.of_holders(self.values(unit, node, fuel - 1), name, fuel - 1))
        if not found and anything and not self.is_made_outside(unit, value, fuel):  # `C.prototype[name] = f`
            found = {one: its for one, its in anything.items() if one[0] in (FUNCTION, METHOD)}
        return all_stepped(found, Step.ASSIGN, LIKELY)

    def is_made_outside(self, unit: Unit, value: Value, fuel: int) -> bool:
        """Is this a constant that something outside the project makes? Most of its members are that one's own."""
        if value[0] != INSTANCE or unit.symbol_kind[value[2]] != SymbolKind.CONSTANT:
            return False
        for made in unit.kids(unit.symbol_node[value[2]])[-1:]:
            found = self.values(unit, made, fuel) if unit.kind[made] in (Kind.CALL, Kind.NEW) else NOTHING
            if found and all(one[0] in (EXTERNAL, EXTERNAL_INSTANCE) for one in found):
                return True
        return False

    def elements(self, values: Values, fuel: int) -> Values:
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag == TYPED:
                if len(value) > 4 and value[4] == MAP:
                    merged(found, {(TYPED, in_order({*value[1], *value[2]}), (), (value[2], value[1])): code})
                else:
                    merged(found, dict.fromkeys(value[1], code))
            elif tag == CONTAINER and self.collection(value) in _KEYED:
                pair = row_of(self.container_items(value, None, fuel))
                if pair:
                    merged(found, {(TYPED, pair, (), ((), pair)): code})
            elif tag in (INSTANCE, SELF):
                merged(found, iterated(self, value, code, fuel))
            elif self.is_object(value):
                merged(found, iterated(self, value, code, fuel) or super().elements({value: code}, fuel))
            else:
                merged(found, super().elements({value: code}, fuel))
        return found

    def is_object(self, value: Value) -> bool:
        """Whether it is an object that is written out, or known by its members: no list."""
        return bool(value[0] == CONTAINER and self.program.unit(value[1]).kind[value[2]] in _OBJECTS)

    def items(self, values: Values, key: str, fuel: int) -> Values:
        found: Values = {}
        for value, code in values.items():
            if key.startswith("#") and (value[0] in (INSTANCE, SELF) or self.is_object(value)):  # `const [a] = value`
                merged(found, iterated(self, value, code, fuel))
            elif value[0] in (INSTANCE, SELF, CLASS, SELF_CLASS, MODULE, FUNCTION):
                if key != "*":
                    merged(found, self.member(value, code, key, fuel))
            else:
                merged(found, super().items({value: code}, key, fuel))
        return found

    def _subscript(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        if len(parts) < 2:
            return NOTHING
        base = self.values(unit, parts[0], fuel)
        found: Values = {}
        if base and parts[1] in unit.keys_passed and not self.keys_declared(unit, parts[1], fuel):
            return self.keyed(base, (PARAM, unit.number, *unit.keys_passed[parts[1]]), fuel)
        if base and (last := self.stored_here(unit, node, base)):
            return self.of_stores(unit, last, fuel)
        if base:
            keys, tier = self.keys_allowed(unit, parts[1], fuel)
            for key in keys:
                merged(found, self.items(base, key, fuel))
            if tier:
                found = {value: weakened(code, tier) for value, code in found.items()}
            if not found and keys == ["*"] and (like := self.pattern_of(unit, parts[1])):
                for value, code in base.items():
                    if value[0] in _RECEIVERS:
                        found[LIKE, value, *like] = weakened(stepped(code, Step.ATTRIBUTE), POSSIBLE)
        return found

    def stored_here(self, unit: Unit, node: int, base: Values) -> list[int]:
        """`table.a` after `table.a = x` in the same code: see `stored_last`. Only of object and array literals whose own functions do not
        change them."""
        if self.flat or not unit.stores or not base:
            return []
        for value in base:
            if value[0] != CONTAINER:
                return []
            other, literal = self.program.unit(value[1]), value[2]
            if other.kind[literal] not in (Kind.DICT, Kind.LIST) or Kind.THIS in other.kind[literal : other.next[literal]]:
                return []
        return self.stored_last(unit, node)

    def keys_of(self, unit: Unit, node: int, fuel: int) -> list[str]:
        what = unit.kind[node]
        if what in (Kind.UNARY, Kind.BINARY, Kind.CALL):
            return ["*"]
        if what == Kind.ATTRIBUTE and unit.text(node + 1) == "Symbol" and unit.group[node + 1] < 0:
            return [f"[Symbol.{unit.text(unit.next[node + 1])}]"]
        values = self.values(unit, node, fuel)
        keys = sorted(str(value[1]) for value in values if value[0] == TEXT)
        if not keys and what == Kind.NAME and values and all(value in _SYMBOLS for value in values):
            return [f"[{unit.text(node)}]"]
        if not keys and what == Kind.ATTRIBUTE and unit.kind[node + 1] == Kind.NAME and self.is_name_of_key(unit, node, values, fuel):
            return [f"[{unit.text(node + 1)}.{unit.text(unit.next[node + 1])}]"]
        return keys or ["*"]

    def is_name_of_key(self, unit: Unit, node: int, values: Values, fuel: int) -> bool:
        """Whether `a.b` is a symbol or a member of an enum: what stands under it is called as the index is written."""
        if values and all(value in _SYMBOLS for value in values):
            return True
        return any(
            value[0] == CLASS and self.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.ENUM
            for value in self.values(unit, node + 1, fuel)
        )

    def keys_allowed(self, unit: Unit, node: int, fuel: int) -> tuple[list[str], int]:
        """The constant keys that an index may be, and how sure that makes what stands there: of several that are written each is likely, of
        several that a declared type allows (`kind: "get" | "put"`) each is possible."""
        keys = self.keys_of(unit, node, fuel)
        if keys == ["*"] and (declared := self.keys_declared(unit, node, fuel)):
            return declared, POSSIBLE if len(declared) > 1 else PROVED
        return keys, LIKELY if len(keys) > 1 else PROVED

    def keys_declared(self, unit: Unit, node: int, fuel: int) -> list[str]:
        """The keys that a name's declared type allows, where it allows some alone."""
        group = unit.group[node]
        if unit.kind[node] != Kind.NAME or group < 0 or self.spent(fuel):
            return []
        if all(unit.type[row] < 0 for row in range(unit.group_first[group], unit.group_first[group + 1])):
            return []
        found: set[str] = set()
        for row in self.reaching(unit, group, node):
            literals = Narrowing(self).of_type(unit, unit.type[row], fuel - 1) if unit.type[row] >= 0 else None
            if literals is None or any(one[0] not in ("text", "number") for one in literals):
                return []
            found |= {str(one[1]) for one in literals}
        return sorted(found)

    def container_call(self, callee: Value, code: int, positional: Arguments, fuel: int) -> Values:
        """What a method of an array, map, promise or function gives."""
        container, name = callee[1], callee[2]
        if self.spent(fuel):
            return NOTHING
        if name not in _PROMISE and (container[0] in (FUNCTION, METHOD, PARTIAL) or (name in _CALLERS and container[0] >= PARAM)):
            return self.called_by(container, name, code, positional, fuel)
        given = positional.at(0)
        own: Values = {container: code}
        if name in _PROMISE:
            return self.after_promise(container, name, code, given, positional, fuel)
        if name in ("map", "flatMap"):
            found = self.results_of(given, [self.each_of(container, code, fuel)], fuel)
            if name == "flatMap":
                inner = self.elements(found, fuel)
                found = inner or found
            return self.listed(found) or _LIST
        if name in ("reduce", "reduceRight"):
            start = positional.at(1)
            found = dict(start)
            merged(found, self.results_of(given, [start, self.each_of(container, code, fuel)], fuel))
            return self.spread_out(found)
        if name in _SAME_CONTAINER:
            if name == "concat":
                own = dict(own)
                for at in range(positional.written):
                    more = positional.at(at)
                    lists = {value: its for value, its in more.items() if value[0] in _LISTS or is_symbolic(value)}
                    merged(own, lists)
                    merged(own, self.listed({value: its for value, its in more.items() if value not in lists}))
            if name == "flat":
                outer = self.elements(own, fuel)
                inner = dict(self.elements(outer, fuel))
                merged(inner, self.elements(inner, fuel) if positional.count() > 0 else NOTHING)
                return self.listed({**outer, **inner}) or own
            if name == "slice":
                firsts = [index_of(str(value[1])) for value in given if value[0] == TEXT] if positional.count() > 0 else [0]
                return self.sliced(own, firsts[0] if len(firsts) == 1 and firsts[0] is not None else MOVED)
            return self.sliced(own, MOVED) if name in _MOVING else own
        if name == "values" or name in ITERATORS:
            if container[0] == GENERATOR:
                return own
            return self.listed(self.elements(own, fuel) if name != "values" else self.each_of(container, code, fuel)) or _LIST
        if name == "entries":
            each = row_of(self.each_of(container, code, fuel))
            keys = each if container[0] == CONTAINER and self.collection(container) == "Set" else ()
            return {(TYPED, ((TYPED, each, (), (keys, each)),), ()): code} if each else NOTHING
        if name in _ONE_ELEMENT:
            if name == "get":
                constants = sorted(str(value[1]) for value in given if value[0] == TEXT)
                return all_stepped(self.items(own, constants[0] if len(constants) == 1 else "*", fuel), Step.ELEMENT)
            if name == "next":
                return self.step_of(container, code, fuel)
            return all_stepped(self.each_of(container, code, fuel), Step.ELEMENT)
        if name in ("set", "add") and container[0] in (CONTAINER, TYPED):
            return own
        return NOTHING

    @staticmethod
    def listed(values: Values) -> Values:
        row = row_of(values)
        return {(TYPED, row, ()): max(values.values())} if row else NOTHING

    def step_of(self, container: Value, code: int, fuel: int) -> Values:
        """What `next()` of a generator gives: an object whose `value` is one of what it yields, or what it returns in the end."""
        each = dict(self.each_of(container, code, fuel))
        if container[0] == GENERATOR:
            unit = self.program.unit(container[1])
            self.look_at_code(unit, container[2])
            for node, how in unit.returns.get(container[2], ()) if self.return_type(unit, container[2]) < 0 else ():
                if how == 0:
                    merged(each, all_stepped(self.values(unit, node, fuel - 1), Step.RETURN, LIKELY))
        row = row_of(each)
        return {(TYPED, row, (), ((),), "record"): code} if row else NOTHING

    def each_of(self, container: Value, code: int, fuel: int) -> Values:
        """What an array or map holds: for a map its values, not the pairs."""
        if self.is_keyed(container):
            return self.items({container: code}, "*", fuel)
        return self.elements({container: code}, fuel)

    def called_by(self, function: Value, name: str, code: int, positional: Arguments, fuel: int) -> Values:
        """`f.call(x, ...)`, `f.apply(x, [...])`, `f.bind(x, ...)`."""
        if name == "bind":
            return {(PARTIAL, function, max(positional.written - 1, 0)): stepped(code, Step.ARGUMENT)}
        if name == "call" and isinstance(positional, Written):
            rest = Written(self, positional.unit, positional.nodes[1:], {}, positional.fuel)
            return self.applied(function, code, rest, rest, fuel)
        return self.applied(function, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel)

    def after_promise(self, container: Value, name: str, code: int, given: Values, positional: Arguments, fuel: int) -> Values:
        own: Values = {container: code}
        if name == "finally":
            return own
        if name == "then":
            found = self.results_of(given, [own], fuel)
            merged(found := dict(found), self.results_of(positional.at(1), [], fuel))
            return found
        found = dict(own)
        merged(found, self.results_of(given, [], fuel))
        return self.spread_out(found)

    def results_of(self, functions: Values, arguments: list[Values], fuel: int) -> Values:
        found: Values = {}
        for value, code in functions.items():
            if value[0] in (FUNCTION, METHOD, PARTIAL, CONTAINER, CONTAINER_METHOD) or value[0] >= PARAM:
                merged(found, self.applied(value, code, Given(arguments), NO_ARGUMENTS, fuel - 1))
        return found

    # what is outside

    def external_call(
        self, unit: Unit, node: int, callee: Value, code: int, positional: list[int], keywords: dict[str, int], fuel: int
    ) -> Values:
        name = callee[1]
        if name == "require":
            return self.loaded(unit, node, fuel)
        if unit.kind[node] == Kind.NEW and name in _COLLECTIONS:
            return {(CONTAINER, unit.number, node): code}
        if name == "Object.assign":
            found: Values = {}
            for argument in positional:
                merged(found, self.values(unit, argument, fuel))
            return found
        if name in _RETURNS_ARGUMENT and positional:
            given = self.values(unit, positional[0], fuel)
            if name == "Object.create":
                return given
            if name in _ONE_OF_PROMISES:
                return all_stepped(self.elements(given, fuel), Step.ELEMENT, LIKELY) or given
            if name == "Promise.allSettled":
                settled = row_of(self.elements(given, fuel))
                return {(TYPED, ((TYPED, settled, (), ((),), "record"),), ()): code} if settled else given
            if name == "Array.from" and len(positional) > 1:
                return self.listed(self.results_of(self.values(unit, positional[1], fuel), [self.elements(given, fuel)], fuel))
            if name in ITERATING and any(value[0] in (INSTANCE, SELF) for value in given):
                return self.listed(self.elements(given, fuel)) or given
            return all_stepped(given, Step.ARGUMENT)
        if name in _LOADS_DEFAULT and positional:
            loaded = self.results_of(self.values(unit, positional[0], fuel), [], fuel)
            return {**self.members({one: its for one, its in loaded.items() if one[0] == MODULE}, "default", fuel), **loaded}
        if name in _CONTEXTS:
            return self.listed(self.context_of(unit, node, positional, fuel)) or {(EXTERNAL_INSTANCE, name): code}
        if name in _READS_CONTEXT and positional:
            return all_stepped(self.elements(self.values(unit, positional[0], fuel), fuel), Step.ELEMENT, LIKELY)
        if name in _HOLDS and (held := self.context_of(unit, node, positional, fuel)):
            row = row_of(held)
            return {(TYPED, row, (), ((),), "record"): code} if row else NOTHING
        if name == "Reflect.construct" and positional:
            classes = {value: its for value, its in self.values(unit, positional[0], fuel).items() if value[0] in (CLASS, SELF_CLASS)}
            return self.made_by(classes)
        if name in _CALLS_FOR_RESULT and positional:
            return self.results_of(self.values(unit, positional[0], fuel), [], fuel)
        if name in _STATE and positional:
            given = self.values(unit, positional[0], fuel)
            merged(given := dict(given), self.results_of(given, [], fuel))
            first = in_order([value for value in given if value[0] not in (FUNCTION, METHOD)])
            return {(TYPED, first, (), (first, ())): code} if first else NOTHING
        if name in ("Object.values", "Object.entries") and positional:
            each = self.items(self.values(unit, positional[0], fuel), "*", fuel)
            if name == "Object.values":
                return self.listed(each) or {(EXTERNAL_INSTANCE, name): code}
            row = row_of(each)
            return {(TYPED, ((TYPED, row, (), ((), row)),), ()): code} if row else {(EXTERNAL_INSTANCE, name): code}
        if name == "Promise" and unit.kind[node] == Kind.NEW:
            return self.promised(unit, positional, fuel)
        if name.endswith(_INJECTS) and (made := self.injected(unit, node, name.rpartition(".")[2], positional, fuel)):
            return made
        return {(EXTERNAL_INSTANCE, name): code}

    def injected(self, unit: Unit, node: int, name: str, positional: list[int], fuel: int) -> Values:
        """What a container outside the project gives: `inject(Cart)`, `container.resolve<Cart>("cart")`. Of `get` with a text and a type
        that is not told: clients of the web have one too."""
        if name not in _INJECTS or not positional or self.spent(fuel):
            return NOTHING
        found: Values = {}
        for value, code in self.values(unit, positional[0], fuel - 1).items():
            if value[0] == CLASS and self.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.CLASS:
                found[INSTANCE, value[1], value[2]] = weakened(stepped(code, Step.CONSTRUCT), LIKELY)
        if not found and (name != "get" or unit.kind[positional[0]] not in (Kind.STRING, Kind.TEMPLATE)):
            for row in self.given_rows(unit, node, fuel - 1)[:1]:
                found = dict.fromkeys(row, stepped(PROVED, Step.DECLARED))
        return found

    def context_of(self, unit: Unit, node: int, positional: list[int], fuel: int) -> Values:
        """`createContext<T>(value)`: T, or what the value is."""
        for part in unit.kids(node):
            if unit.kind[part] == Kind.TYPE_ARGS and unit.next[part] > part + 1:
                return self.annotated(unit, part + 1, fuel)
        return self.values(unit, positional[0], fuel) if positional else NOTHING

    def promised(self, unit: Unit, positional: list[int], fuel: int) -> Values:
        """`new Promise((resolve) => ...)`: what the executor gives to the first function it gets."""
        executor = positional[0] if positional else -1
        if executor < 0 or fuel <= 0 or unit.kind[executor] not in _FUNCTIONS:
            return NOTHING
        symbol = unit.symbol_of_node.get(executor)
        rows = unit.params.get(symbol, []) if symbol is not None else []
        if not rows or unit.kind[unit.param_node[rows[0]]] != Kind.NAME:
            return NOTHING
        resolve = unit.group[unit.param_node[rows[0]]]
        groups = unit.facts.columns["group"][executor : unit.next[executor]]
        found: Values = {}
        for node in (np.flatnonzero(groups == resolve) + executor).tolist():
            call = unit.parent[node]
            if unit.kind[call] == Kind.CALL and node == call + 1:
                for argument in self.arguments(unit, call)[0][:1]:
                    merged(found, self.values(unit, argument, fuel - 1))
        return self.spread_out(found)

    def either(self, unit: Unit, node: int, fuel: int) -> Values:
        found: Values = {}
        for part in unit.kids(node):
            merged(found, self.values(unit, part, fuel))
        return self.spread_out({value: code for value, code in found.items() if value[0] != TEXT} or found)

    # types

    def made_by(self, values: Values) -> Values:
        return {self.class_instance(value): code for value, code in values.items()}

    @staticmethod
    def class_instance(value: Value) -> Value:
        return (INSTANCE, value[1], value[2]) if value[0] in (CLASS, FUNCTION) else value

    def annotated(self, unit: Unit, node: int, fuel: int) -> Values:
        """The values that a type allows; nothing where it says nothing about the project."""
        if self.spent(fuel):
            return NOTHING
        if node >= TEXT_TYPE:
            return self.written(unit, type_tree(unit.names[node - TEXT_TYPE]), fuel)
        kind = unit.kind[node]
        if kind == Kind.TYPE:
            return self.annotated(unit, node + 1, fuel) if unit.next[node] > node + 1 else NOTHING
        if kind in (Kind.TYPE_NAME, Kind.NAME):
            return self.named_type(unit, node, fuel)
        if kind == Kind.ATTRIBUTE:
            return self.types_of(self.values(unit, node, fuel), fuel)
        if kind == Kind.GENERIC:
            return self.remembered(_OF_GENERIC, unit, node, fuel + 1)
        if kind in (Kind.UNION, Kind.INTERSECTION):
            found: Values = {}
            is_silent = False
            for part in unit.kids(node):
                one = self.annotated(unit, part, fuel)
                merged(found, one)
                is_silent = is_silent or not (one or unit.kind[part] == Kind.LITERAL or unit.text(part) == "void")
            if is_silent and all(value[0] == EXTERNAL_INSTANCE and value[1] in PRIMITIVES for value in found):
                return NOTHING
            return self.spread_out(found) if kind == Kind.UNION else found
        if kind == Kind.CONDITIONAL_TYPE:
            found = {}
            for part in unit.kids(node)[-2:]:
                merged(found, self.annotated(unit, part, fuel))
            return self.spread_out(found)
        if kind == Kind.ARRAY_TYPE and unit.next[node] > node + 1:
            return self.listed(self.annotated(unit, node + 1, fuel))
        if kind == Kind.TUPLE_TYPE:
            columns = tuple(row_of(self.annotated(unit, self.type_in(unit, part), fuel)) for part in unit.kids(node))
            every = in_order({value for column in columns for value in column})
            return {(TYPED, every, (), columns): PROVED} if every else NOTHING
        if kind == Kind.OBJECT_TYPE and (of := mapped_from(unit, node)) >= 0:
            return self.annotated(unit, of, fuel - 1)
        if kind in (Kind.OBJECT_TYPE, Kind.FUNC_TYPE):
            return {(CONTAINER, unit.number, node): PROVED}
        if kind == Kind.TYPE_QUERY:
            return self.values(unit, node + 1, fuel) if unit.next[node] > node + 1 else NOTHING
        if kind == Kind.LOOKUP:
            return self.looked_up(unit, node, fuel)
        if kind == Kind.THIS:
            return self.this_type(unit, node)
        if kind == Kind.PREDEFINED:
            return {(EXTERNAL_INSTANCE, unit.text(node)): PROVED} if unit.text(node) in PRIMITIVES else NOTHING
        if kind in (Kind.STRING, Kind.TEMPLATE):
            return _STRING
        if kind == Kind.NUMBER:
            return _NUMBER
        return NOTHING

    def written(self, unit: Unit, tree: TypeTree, fuel: int) -> Values:
        """The values of a type that is written in a comment."""
        what = tree[0]
        if self.spent(fuel):
            return NOTHING
        if what in ("name", "of"):
            path = tree[1].split(".")
            group = unit.module_names.get(path[0])
            found = self.group_at(unit, group, -1, fuel) if group is not None else NOTHING
            for part in path[1:]:
                found = self.members(found, part, fuel)
            if found:
                return self.types_of(found, fuel)
            if what == "of":
                return self.library_type(tree[1], [partial(self.written, unit, one, fuel - 1) for one in tree[2:]])
            if len(path) > 1 or group is not None or path[0] in _SAY_NOTHING:
                return NOTHING
            return {(EXTERNAL_INSTANCE, path[0]): PROVED}
        if what == "array":
            return self.listed(self.written(unit, tree[1], fuel - 1))
        if what == "any of":
            found = {}
            for one in tree[1:]:
                merged(found, self.written(unit, one, fuel - 1))
            return self.spread_out(found)
        if what == "import":
            found = self.module_value(unit, tree[1], 0)
            for part in tree[2].split(".") if tree[2] else ():
                found = self.members(found, part, fuel)
            return self.types_of(found, fuel)
        if what == "typeof":
            group = unit.module_names.get(tree[1])
            return self.group_at(unit, group, -1, fuel) if group is not None else NOTHING
        return NOTHING

    @staticmethod
    def type_in(unit: Unit, part: int) -> int:
        """The type of a named element of a tuple type; the element itself where it has no name."""
        if unit.kind[part] == Kind.PARAM_TYPED:
            return next((kid for kid in unit.kids(part) if unit.kind[kid] == Kind.TYPE), part)
        return part

    def this_type(self, unit: Unit, node: int) -> Values:
        owner = unit.owner[node]
        while owner > 0 and unit.symbol_kind[owner] not in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TYPE):
            owner = unit.symbol_parent[owner]
        return {(SELF, unit.number, owner): PROVED} if owner > 0 else NOTHING

    def looked_up(self, unit: Unit, node: int, fuel: int) -> Values:
        """`T["name"]`, `T[number]`."""
        parts = unit.kids(node)
        if len(parts) != 2:
            return NOTHING
        base = self.annotated(unit, parts[0], fuel - 1)
        if unit.kind[parts[1]] == Kind.STRING and unit.next[parts[1]] == parts[1] + 2:
            return self.members(base, unit.text(parts[1] + 1), fuel - 1)
        if unit.kind[parts[1]] == Kind.PREDEFINED:
            return self.elements(base, fuel - 1)
        if unit.kind[parts[1]] == Kind.NUMBER:
            return self.items(base, unit.text(parts[1]), fuel - 1)
        if unit.kind[parts[1]] == Kind.TYPE_NAME and base:
            keys = row_of({value: PROVED for value in self.annotated(unit, parts[1], fuel - 1) if value[0] == TYPEVAR})
            of = said(base)
            return {(LOOKED, of, keys): PROVED} if keys and of else NOTHING
        return NOTHING

    def named_type(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.types_of(self.name(unit, node, fuel), fuel)

    def types_of(self, values: Values, fuel: int) -> Values:
        """What a type name that means these stands for: instances of classes and interfaces, what an alias is made of."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag == CLASS:
                unit = self.program.unit(value[1])
                kind = unit.symbol_kind[value[2]]
                if kind == SymbolKind.TYPE and value[2] not in unit.class_scopes:
                    merged(found, self._with(self.remembered(_OF_TYPE_ALIAS, unit, value[2], fuel), code))
                elif kind != SymbolKind.NAMESPACE:
                    found[INSTANCE, value[1], value[2]] = code
            elif tag == EXTERNAL:
                if value[1] not in _ANYTHING:
                    found[EXTERNAL_INSTANCE, value[1]] = code
            elif tag in (INSTANCE, SELF, TYPED, CONTAINER, METHOD, FUNCTION, TYPEVAR, LOOKED):
                merged(found, {value: code})
        return found

    def _alias(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """What a type alias that has no members of its own stands for."""
        self.look("header", unit, symbol, "")
        parts = unit.kids(unit.symbol_node[symbol])
        return self.annotated(unit, parts[-1], fuel) if parts else NOTHING

    def _generic(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        arguments = unit.kids(parts[-1]) if unit.kind[parts[-1]] == Kind.TYPE_ARGS else []
        return self.generic_type(unit, parts[0], arguments, fuel)

    def generic_type(self, unit: Unit, base: int, arguments: list[int], fuel: int) -> Values:
        own = self.values(unit, base, fuel)
        classes = [value for value in own if value[0] == CLASS]
        if classes:
            rows = [said(self.annotated(unit, one, fuel)) for one in arguments]
            plain = self.types_of(own, fuel)
            if not any(rows):
                return plain
            env = {(value[1], value[2], index): row for value in classes for index, row in enumerate(rows) if row}
            found: Values = {}
            for value, code in self.with_types(plain, env).items():
                is_own = value[0] == INSTANCE and (CLASS, value[1], value[2]) in classes
                merged(found, {(*value[:3], (TYPES, *rows)) if is_own else value: code})
            return found
        text = unit.text(base) if unit.kind[base] != Kind.ATTRIBUTE else unit.text(unit.kids(base)[-1])
        if text in ("ReturnType", "Parameters", "ConstructorParameters", "InstanceType") and arguments:
            given = self.annotated(unit, arguments[0], fuel)
            found = {}
            for value, code in given.items():
                if text == "InstanceType":
                    merged(
                        found,
                        {self.class_instance(value): code}
                        if value[0] == CLASS
                        else self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel),
                    )
                elif text == "ReturnType":
                    merged(found, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
                else:
                    columns = tuple(row_of(self.parameter_type(value, index, fuel)) for index in range(4))
                    every = in_order({one for column in columns for one in column})
                    if every:
                        merged(found, {(TYPED, every, (), columns): code})
            return found
        return self.library_type(text, [partial(self.annotated, unit, one, fuel) for one in arguments]) or self.types_of(own, fuel)

    def library_type(self, text: str, arguments: list[Callable[[], Values]]) -> Values:
        """Promise<T>, Array<T>, Map<K, V>, ... from what gives their arguments."""
        if text in TRANSPARENT:
            found: Values = {}
            for index in TRANSPARENT[text]:
                if index < len(arguments):
                    merged(found, arguments[index]())
            return found
        if text in ELEMENT_OF:
            at = ELEMENT_OF[text]
            inner = row_of(arguments[at]()) if at < len(arguments) else ()
            keys = row_of(arguments[0]()) if at == 1 and arguments else ()
            if not inner and not keys:
                return NOTHING
            mark = ("record",) if text == "Record" else (MAP,) if text in _KEYED else ()
            columns = ((),) if mark else ()
            return {(TYPED, inner, keys, *columns, *mark): PROVED}
        return NOTHING

    def cast(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        if len(parts) != 2:
            return self.first(unit, node, fuel)
        declared, inner = parts[1], parts[0]
        if unit.kind[parts[0]] == Kind.TYPE_ARGS:
            declared, inner = parts[0] + 1, parts[1]
        if unit.kind[declared] == Kind.TYPE_QUERY:  # `f as typeof g` is still `f`, whatever it may be called with
            held = self.values(unit, inner, fuel)
            if any(value[0] in _HOLDABLE for value in held):
                return held if len(held) == 1 else {value: weakened(code, LIKELY) for value, code in held.items()}
        found = self.annotated(unit, declared, fuel)
        if not any(value[0] != EXTERNAL_INSTANCE for value in found):
            return self.values(unit, inner, fuel)
        found = all_stepped(found, Step.DECLARED)
        if unit.kind[inner] in _MAY_BE_FUNCTIONS and any(map(self.is_called, found)):
            merged(found, {one: weakened(code, LIKELY) for one, code in self.functions_of(self.values(unit, inner, fuel)).items()})
        return found

    def string(self, unit: Unit, node: int, fuel: int) -> Values:
        if unit.next[node] == node + 2 and unit.kind[node + 1] == Kind.TEXT and unit.name[node + 1] >= 0:
            return {(TEXT, unit.text(node + 1)): PROVED}
        return _STRING

    def primitive(self, unit: Unit, node: int, fuel: int) -> Values:
        """A regular expression, a comparison, a sum: nothing of the project's, but known."""
        return _REGEX if unit.kind[node] == Kind.REGEX else _STRING

    def is_enum(self, unit: Unit, symbol: int) -> bool:
        return False

    # symbolic values

    def _expand(self, value: Value, fuel: int) -> Values:
        if value[0] == PART and fuel > 0 and depth_of(value) <= MAX_SYMBOLIC:
            inner = self._expanded(value[1], fuel - 1)
            return self.expanded(self.members(inner, value[2], FUEL), fuel - 1)
        return super()._expand(value, fuel)
