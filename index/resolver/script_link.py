"""One TypeScript or JavaScript file of a program -> its edges. `ScriptLinker` is the linker of these languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.languages.typescript.front import EXPORTED, REEXPORTED, REQUIRED, SETTER
from index.numbers import EdgeKind, Step, SymbolKind, Unresolved
from index.parsing.facts import How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.evaluate import FUEL
from index.resolver.generics import TYPEVAR, bare
from index.resolver.link import HINT_SELF, Linked, Linker, Standing, Target, unit_at
from index.resolver.program import Program, Unit
from index.resolver.script import CALLBACK_PARAMETERS, GLOBAL_OBJECTS, ScriptEvaluator
from index.resolver.script_protocols import array_pattern, awaited, delegated, handed_outside, interpolated, loop, spread
from index.resolver.values import (
    ANY_KEY,
    CLASS,
    CONTAINER,
    CONTAINER_METHOD,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    LIKELY,
    METHOD,
    MODULE,
    PARAM,
    PARTIAL,
    PROVED,
    SELF,
    SELF_CLASS,
    SLICED,
    SUPER,
    TEXT,
    TYPED,
    Value,
    Values,
    stepped,
    weakened,
)

_RUNS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.LAMBDA})
_DATA: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER})
_TYPES_ONLY: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_NOT_CALLED: Final = frozenset({SymbolKind.ENUM, *_TYPES_ONLY, SymbolKind.NAMESPACE})
_NO_CODE: Final = frozenset({*_TYPES_ONLY, *_DATA, SymbolKind.MODULE})
_CLASSLIKE: Final = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.NAMESPACE})
_CALLERS: Final = ("call", "apply", "bind")
_MAX_SPREAD: Final = 8  # parameters that are told apart where a list is spread over them
_PASSED: Final = (FUNCTION, CLASS, METHOD, INSTANCE, CONTAINER, PARTIAL, SELF, SELF_CLASS, TYPED, SLICED, MODULE)
_ASSIGNING: Final = (Kind.ASSIGN, Kind.AUGMENT)
_TARGETS: Final = (Kind.OBJECT_PATTERN, Kind.ARRAY_PATTERN, Kind.PAIR_PATTERN)

# Functions outside the project that call what they are given, at once or later: argument positions.
_CALLS_GIVEN: Final[dict[str, tuple[int, ...]]] = {
    "Reflect.apply": (0,), "Reflect.construct": (0,), "setTimeout": (0,), "setInterval": (0,), "setImmediate": (0,), "queueMicrotask": (0,),
    "requestAnimationFrame": (0,),
    "requestIdleCallback": (0,),
    "process.nextTick": (0,), "define": (0, 1, 2), "require": (1,), "requirejs": (1,),
    "Array.from": (1,), "JSON.parse": (1,), "JSON.stringify": (1,), "Promise": (0,),
    "globalThis.setTimeout": (0,),
    "window.setTimeout": (0,), "window.requestAnimationFrame": (0,),
}  # fmt: skip
# Methods that call what they are given, whatever their object is.
_CALLING_METHODS: Final[dict[str, tuple[int, ...]]] = {
    "then": (0, 1), "catch": (0,), "finally": (0,), "forEach": (0,), "map": (0,), "filter": (0,), "reduce": (0,), "reduceRight": (0,),
    "some": (0,),
    "every": (0,), "find": (0,), "findIndex": (0,), "findLast": (0,), "findLastIndex": (0,), "flatMap": (0,), "sort": (0,),
    "toSorted": (0,),
    "replace": (1,), "replaceAll": (1,), "addEventListener": (1,), "setTimeout": (0,), "nextTick": (0,), "on": (1,), "once": (1,),
    "addListener": (1,), "prependListener": (1,),
}  # fmt: skip


class ScriptLinker(Linker):
    """Makes the edges of TypeScript and JavaScript files."""

    def __init__(self, program: Program) -> None:
        self.scripts = ScriptEvaluator(program)
        super().__init__(program, self.scripts)
        self._import_nodes: dict[int, frozenset[int]] = {}
        self._augmentations: dict[int, dict[tuple[int, str], list[int]]] = {}
        self._held_in: dict[int, list[int]] | None = None  # of this file's constants: the functions of the objects that they are

    def link(self, number: int, standing: Standing | None = None) -> Linked:
        """Edges of one file, arguments of callers not yet known. Of scripts no function is known to stand as it was."""
        self.evaluator.used = []
        unit, linked = self.program.unit(number), Linked()
        self._applied, self._held_in = set(), None
        self._imports(unit, linked)
        self._names(unit, linked)
        self._ambient(unit, linked)
        self._written_in_place(unit, linked)
        kinds = unit.facts.columns["kind"]
        rows = np.flatnonzero(_WANTED[kinds])
        handlers = _HANDLERS
        for node, kind in zip(rows.tolist(), kinds[rows].tolist(), strict=True):
            self.site = node
            try:
                handlers[kind](self, unit, node, linked)
            except RecursionError:
                self._too_deep(unit, node, linked)
        self._overrides(unit, linked)
        self._implements(unit, linked)
        self._held(unit, linked)
        self._keys(unit, linked)
        linked.seen = self.evaluator.used
        self.evaluator.forget_cut_off()
        return linked

    def link_late(self, number: int, nodes: list[int]) -> dict[int, Linked]:
        """Nodes that were put off -> what each gives, now that `evaluator.params` is filled."""
        unit = self.program.unit(number)
        found: dict[int, Linked] = {}
        nothing, linked = Linked(), Linked()
        self.is_late = True
        for node in nodes:
            self.site = node
            if self._applied:
                self._applied = set()  # what another site did, or another file, is nothing to this one
            _HANDLERS[unit.kind[node]](self, unit, node, linked)
            found[node] = nothing
            if linked.gives():
                found[node], linked = linked, Linked()
        self.is_late = False
        return found

    # what a name stands for

    def group_symbols(self, unit: Unit, group: int, fuel: int = FUEL) -> dict[Target, int]:
        if fuel <= 0:
            return {}
        key = (unit.number, group, fuel)
        return self.evaluator.settled(self._symbols, key, lambda: self._group_symbols(unit, group, fuel), {}, nested=False)

    def _group_symbols(self, unit: Unit, group: int, fuel: int, at: list[int] | None = None) -> dict[Target, int]:
        found: dict[Target, int] = {}
        scope = unit.group_scope[group]
        name = unit.names[unit.group_name[group]]
        if scope == 0:
            self.evaluator.look("top", unit, 0, name)
        rows: Sequence[int] = range(unit.group_first[group], unit.group_first[group + 1])
        for row in rows if len(rows) < 2 else self.scripts.last_functions(unit, list(rows)):
            how = unit.how[row]
            if how == How.DEFINE:
                found[unit.number, unit.extra[row]] = PROVED
            elif how == How.MEMBER:
                for target, code in self.member_symbols(unit, unit.extra[row], fuel - 1).items():
                    found[target] = stepped(code, Step.IMPORT)
            elif how == How.MODULE:
                for value, code in self.evaluator.imported_module(unit, unit.extra[row]).items():
                    if value[0] == CLASS and self._is_namespace(value):  # `declare module "m"`
                        found[value[1], value[2]] = stepped(code, Step.IMPORT)
                    if value[0] == MODULE:
                        found[value[1], 0] = stepped(code, Step.IMPORT)
                        other = self.program.unit(value[1])
                        if EXPORTED in other.exports:
                            for target, its in self.exported_symbols(other, EXPORTED, fuel - 1).items():
                                found[target] = stepped(its, Step.IMPORT)
            elif unit.kind[unit.parent[unit.target[row]]] == Kind.ALIASED:
                found.update(self._aliased(unit, unit.value[row]))
            elif unit.kind[unit.parent[unit.target[row]]] in (Kind.EXPORT, Kind.SPECIFIER) and unit.value[row] >= 0:  # of a namespace
                found.update(self._expression_targets(unit, unit.value[row]))
            elif unit.scope_kind[scope] in _OWNED_SCOPES:
                for table in (unit.fields, unit.data_fields):
                    symbol = table.get((unit.scope_symbol[scope], name))
                    if symbol is not None:
                        found[unit.number, symbol] = PROVED
        return found

    def _aliased(self, unit: Unit, node: int) -> dict[Target, int]:
        """What `import A = B.C` makes A mean."""
        if unit.kind[node] != Kind.ATTRIBUTE:
            return self._expression_targets(unit, node)
        found: dict[Target, int] = {}
        for value, code in self.evaluator.values(unit, node + 1, FUEL).items():
            for target, its, step in self._member_targets(value, unit.text(unit.next[node + 1]))[0]:
                found[target] = self._join(code, its, step)
        return found

    def member_symbols(self, unit: Unit, row: int, fuel: int) -> dict[Target, int]:
        module, member = unit.names[unit.import_module[row]], unit.names[unit.import_member[row]]
        found: dict[Target, int] = {}
        for value in self.evaluator.module_value(unit, module, 0, unit.import_flags[row]):
            if value[0] == MODULE:
                found.update(self.module_symbols(self.program.unit(value[1]), member, fuel - 1))
            elif value[0] == CLASS and self._is_namespace(value):
                own = self._declared_symbols(value, member, fuel - 1)
                found.update(own or (self._declared_symbols(value, EXPORTED, fuel - 1) if member == "default" else {}))
        if not found:
            for value in self.scripts.declarations_of(unit, module):
                found.update(self.module_symbols(self.program.unit(value[1]), member, fuel - 1))
        return found

    def _declared_symbols(self, value: Value, name: str, fuel: int) -> dict[Target, int]:
        """The definitions that a namespace holds under a name."""
        unit = self.program.unit(value[1])
        self.evaluator.look("member", unit, value[2], name)
        found: dict[Target, int] = {}
        for scope in unit.class_scopes.get(value[2], ()):
            group = unit.scope_names.get(scope, {}).get(name)
            if group is not None:
                found.update(self.group_symbols(unit, group, fuel))
        return found

    def module_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        return self.exported_symbols(unit, name, fuel)

    def exported_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """The definitions that a module exports under `name`."""
        if fuel <= 0:
            return {}
        key = (unit.number, name, fuel)
        return self.evaluator.settled(self._exports, key, lambda: self._exported_symbols(unit, name, fuel), {}, nested=False)

    def _exported_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        self.evaluator.look("face", unit, 0, "")
        found = self._own_symbols(unit, name, fuel)
        if found:
            return found
        if name != "default" and unit.stars:
            found = self._star_symbols(unit, name, fuel)
        if not found and EXPORTED in unit.exports and name != EXPORTED:
            if name == "default":
                return self.exported_symbols(unit, EXPORTED, fuel - 1)
            for value, code in self.evaluator.exported(unit, EXPORTED, FUEL - 2).items():
                for target, its, step in self._member_targets(value, name)[0]:
                    found[target] = self._join(code, its, step)
        return found

    def _star_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """What `export *` brings under a name."""
        web = self.evaluator.webs.of(unit)
        if web is not None:
            return dict(self._web_symbols(web, name))
        found: dict[Target, int] = {}
        for _, row in unit.stars:
            for value in self.evaluator.imported_star(unit, row):
                if value[0] == MODULE:
                    for target, code in self.module_symbols(self.program.unit(value[1]), name, fuel - 1).items():
                        found[target] = stepped(code, Step.STAR)
        return found

    def _own_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        self.evaluator.look("top", unit, 0, name)
        entry = unit.exports.get(name)
        found: dict[Target, int] = {}
        if entry is not None:
            local, row, node = entry
            if row >= 0:
                if unit.import_member[row] < 0:
                    for value, code in self.evaluator.imported_module(unit, row).items():
                        if value[0] == MODULE:
                            found[value[1], 0] = stepped(code, Step.REEXPORT)
                            if name == EXPORTED:
                                found.update(self.exported_symbols(self.program.unit(value[1]), EXPORTED, fuel - 1))
                else:
                    for target, code in self.member_symbols(unit, row, fuel - 1).items():
                        found[target] = stepped(code, Step.REEXPORT)
            elif local >= 0:
                group = unit.module_names.get(unit.names[local])
                if group is not None:
                    found = self.group_symbols(unit, group, fuel)
            else:
                symbol = self.scripts.tables(unit).symbol_of.get(node)
                if symbol is None:
                    symbol = unit.fields.get((0, name))
                if symbol is not None:
                    found[unit.number, symbol] = PROVED
        return found

    def _imports(self, unit: Unit, linked: Linked, inside: NDArray[np.bool_] | None = None) -> None:
        stars = {row for _, row in unit.stars}
        for row, node in enumerate(unit.listed("import_node")):
            owner = unit.owner[node]
            kind = EdgeKind.REEXPORT if unit.import_flags[row] & REEXPORTED else EdgeKind.IMPORT
            if unit.import_member[row] >= 0:
                targets = self.member_symbols(unit, row, FUEL)
                if not targets:
                    self._missing(unit, row, node, linked)
            else:
                module = unit.names[unit.import_module[row]]
                targets = {
                    (value[1], value[2] if value[0] == CLASS else 0): code
                    for value, code in self.evaluator.module_value(unit, module, 0).items()
                    if value[0] == MODULE or (value[0] == CLASS and self._is_namespace(value))
                }
                if not targets and row not in stars:
                    self._missing(unit, row, node, linked)
            is_whole = bool(targets) and unit.import_flags[row] == REQUIRED and self._is_handed_on(unit, node)
            if not targets:  # data, a style sheet, a component of another kind
                other = self.program.others.get(self.program.resolve(unit, unit.names[unit.import_module[row]], 0).path)
                targets = {(other, 0): PROVED} if other is not None else {}
            for (file, symbol), code in targets.items():
                linked.add_edge(owner, file, symbol, kind, stepped(code, Step.IMPORT), node)
                if symbol == 0 and is_whole:
                    self._pass_whole(unit, node, file, linked)

    @staticmethod
    def _is_handed_on(unit: Unit, text: int) -> bool:
        """Whether what `require("m")` gives goes somewhere as it is: `use(require("m"))`, `[require("m")]`."""
        call = unit.parent[unit.parent[unit.parent[text]]]
        if call < 0 or unit.kind[call] != Kind.CALL:
            return False
        above = unit.kind[unit.parent[call]]
        return above in _HANDS_ON or above in _PUT_TOGETHER

    def _pass_whole(self, unit: Unit, place: int, file: int, linked: Linked) -> None:
        """The function or class that a module is, as a value."""
        for (other, symbol), code in self.exported_symbols(self.program.unit(file), EXPORTED, FUEL).items():
            if self.program.unit(other).symbol_kind[symbol] in _WITH_BODY:
                linked.add_edge(unit.owner[place], other, symbol, EdgeKind.PASS, stepped(code, Step.IMPORT), place)

    def _is_namespace(self, value: Value) -> bool:
        return self.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.NAMESPACE

    def _missing(self, unit: Unit, row: int, node: int, linked: Linked) -> None:
        """As in Python; but what a module exports of a package is there, though we don't see it."""
        if self.program.resolve(unit, unit.names[unit.import_module[row]], 0).path in self.program.others:
            return
        if unit.import_member[row] >= 0:
            name = unit.names[unit.import_member[row]]
            for value in self.evaluator.module_value(unit, unit.names[unit.import_module[row]], 0):
                if value[0] == MODULE:
                    other = self.program.unit(value[1])
                    self.evaluator.look("top", other, 0, name)
                    self.evaluator.look("face", other, 0, "")
                    if (
                        name in other.exports
                        or EXPORTED in other.exports
                        or any(self._leads_outside(other, star) for _, star in other.stars)
                    ):
                        return
        super()._missing(unit, row, node, linked)

    def _leads_outside(self, unit: Unit, star: int) -> bool:
        return any(value[0] == EXTERNAL for value in self.evaluator.imported_star(unit, star))

    def _names(self, unit: Unit, linked: Linked, inside: NDArray[np.bool_] | None = None) -> None:
        """Every written name that means a definition: one look-up per binding group, then all its places at once."""
        columns = unit.facts.columns
        kinds, groups = columns["kind"], columns["group"]
        bound = np.flatnonzero(_WRITTEN[kinds] & (groups >= 0))
        order = bound[np.argsort(groups[bound], kind="stable")]
        of = groups[order]
        if not len(of):
            return
        edges = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
        ends = np.r_[edges[1:], len(of)]
        for first, last in zip(edges.tolist(), ends.tolist(), strict=True):
            targets = self.group_symbols(unit, int(of[first]))
            if targets:
                self._places(unit, int(of[first]), targets, order[first:last].tolist(), linked)

    def _ambient(self, unit: Unit, linked: Linked) -> None:
        """Names that nothing in the file binds: declaration files may."""
        columns = unit.facts.columns
        unbound = np.flatnonzero(_WRITTEN[columns["kind"]] & (columns["group"] == -1))
        by_name: dict[str, list[int]] = {}
        for node in unbound.tolist():
            by_name.setdefault(unit.text(node), []).append(node)
        for name, group in unit.module_names.items():
            rows = range(unit.group_first[group], unit.group_first[group + 1])
            only_assigned = (0, name) not in unit.fields and all(unit.kind[unit.parent[unit.target[row]]] in _ASSIGNING for row in rows)
            if only_assigned and self.scripts.ambient(name):
                by_name[name] = np.flatnonzero(_WRITTEN[columns["kind"]] & (columns["group"] == group)).tolist()
        for name, nodes in by_name.items():
            for number, group in self.scripts.ambient(name):
                other = self.program.unit(number)
                targets = {target: stepped(code, Step.SCOPE) for target, code in self.group_symbols(other, group).items()}
                if number != unit.number:
                    self._places(other, group, targets, nodes, linked, unit)

    @staticmethod
    def _written_in_place(unit: Unit, linked: Linked) -> None:
        """Functions and classes with a name that are written where a value is handed on (`memo(function Row() {})`, `{onSave() {}}` as an
        argument): what they stand in passes them, as it would if they were defined elsewhere and only named there."""
        kind, parent = unit.kind, unit.parent
        for symbol, node in enumerate(unit.listed("symbol_node")):
            if unit.symbol_kind[symbol] not in _WITH_BODY or kind[node] not in _FUNCTIONS_OR_CLASS:
                continue
            above = parent[node]
            while kind[above] in _PUT_TOGETHER:
                above = parent[above]
            if kind[above] in _HANDS_ON:
                linked.add_edge(unit.symbol_parent[symbol], unit.number, symbol, EdgeKind.PASS, Step.SCOPE, node)

    def _places(
        self, where: Unit, group: int, targets: dict[Target, int], nodes: list[int], linked: Linked, unit: Unit | None = None
    ) -> None:
        """Edges from the places of a name that the binding group of file `where` means; they are in `unit`, the same file if not given."""
        local = where.scope_kind[where.group_scope[group]] in (ScopeKind.FUNCTION, ScopeKind.BLOCK)
        unit = unit or where
        kinds = {target: self.program.unit(target[0]).symbol_kind[target[1]] for target in targets}
        has_types = any(kind in _TYPES_ONLY for kind in kinds.values())
        has_spaces = SymbolKind.NAMESPACE in kinds.values()
        has_values = any(kind not in _TYPES_ONLY for kind in kinds.values())
        values = sum(kind not in _NO_CODE for kind in kinds.values())
        places = {unit_at(unit, symbol) for file, symbol in targets if file == unit.number}
        for (file, symbol), code in targets.items():
            kind = kinds[file, symbol]
            if kind == SymbolKind.MODULE:
                continue
            if values > 1 and kind not in _CLASSLIKE:
                code = weakened(code, LIKELY)
            own = file == unit.number
            definitions = {unit_at(unit, symbol)} if own and kind in _DATA else places
            for node in nodes:
                if own and unit.start[node] in definitions:
                    continue
                if has_spaces and (kind in _DATA or kind in _RUNS) and self.scripts.is_in_type_name(unit, node):
                    continue
                if has_types and has_values:
                    if unit.kind[node] == Kind.TYPE_NAME:
                        if kind not in _CLASSLIKE:
                            continue
                    elif kind in _TYPES_ONLY and unit.kind[unit.parent[node]] not in (Kind.SPECIFIER, Kind.EXPORT):
                        continue
                use = self._context(unit, node, kind)
                if use == EdgeKind.WRITE and self._defines(unit, node):
                    continue
                its = stepped(code, Step.SCOPE) if own and not local else code or Step.SCOPE
                linked.add_edge(unit.owner[node], file, symbol, use, its, node)

    @staticmethod
    def _defines(unit: Unit, node: int) -> bool:
        """`exports = module.exports = ...` and the like: the left of a declaration is no write."""
        return unit.kind[unit.parent[node]] == Kind.DECLARATOR

    def _context(self, unit: Unit, node: int, kind: int) -> int:
        """How the name or member expression at `node` uses a symbol of that kind."""
        parent, kinds = unit.parent, unit.kind
        above = parent[node]
        while kinds[above] == Kind.NON_NULL:
            node, above = above, parent[above]
        what = kinds[above]
        first = node == above + 1
        if kinds[node] == Kind.TYPE_NAME or (kinds[node] == Kind.ATTRIBUTE and kinds[unit.kids(node)[-1]] == Kind.TYPE_NAME):
            return self._type_context(unit, node)
        if what in (Kind.CALL, Kind.NEW) and first:
            if kind == SymbolKind.PROPERTY:
                return EdgeKind.ACCESS
            if kind == SymbolKind.NAMESPACE:  # what is called is the function or class that it adds to
                return EdgeKind.READ
            return EdgeKind.DECORATE if kinds[parent[above]] == Kind.DECORATOR else EdgeKind.CALL
        if what == Kind.DECORATOR:
            return EdgeKind.DECORATE if kind not in _DATA else EdgeKind.READ
        if kind == SymbolKind.PROPERTY:
            return EdgeKind.ACCESS
        if what == Kind.HERITAGE:
            return EdgeKind.INHERIT
        if what == Kind.JSX_OPENING and first:
            return EdgeKind.CALL
        if what == Kind.JSX_CLOSING:
            return EdgeKind.READ
        if what in _TYPE_HOLDERS:
            return EdgeKind.TYPE
        if what in (Kind.SPECIFIER, Kind.EXPORT):
            return EdgeKind.REEXPORT
        if what in (Kind.ASSIGN, Kind.AUGMENT, Kind.FOR_IN) and first:
            return EdgeKind.WRITE
        if what in _TARGETS and kinds[node] in (Kind.NAME, Kind.SHORTHAND_PATTERN):
            return EdgeKind.WRITE
        if kind in _DATA:
            return EdgeKind.READ
        if what in (Kind.BINARY, Kind.ATTRIBUTE, Kind.UNARY, Kind.INTERPOLATION, Kind.IF, Kind.WHILE):
            return EdgeKind.READ
        if kind in _RUNS or (kind == SymbolKind.CLASS and what in _PASSING):
            return EdgeKind.PASS
        return EdgeKind.READ

    @staticmethod
    def _type_context(unit: Unit, node: int) -> int:
        above = unit.parent[node]
        if unit.kind[above] == Kind.GENERIC and node == above + 1:
            above = unit.parent[above]
        what = unit.kind[above]
        if what == Kind.HERITAGE:
            return EdgeKind.INHERIT
        return EdgeKind.IMPLEMENT if what == Kind.IMPLEMENTS else EdgeKind.TYPE

    # members

    def _find_targets(self, value: Value, name: str) -> tuple[list[tuple[Target, int, int]], bool]:
        tag: int = value[0]
        if tag == TYPEVAR:
            least: dict[Target, int] = {}
            for one, code in self.scripts.constraint_of(value, FUEL).items():
                for target, its, step in self._member_targets(one, name)[0]:
                    least[target] = self._join(code, its, step)
            return [(target, its, Step.DECLARED) for target, its in least.items()], False
        if tag == EXTERNAL and value[1] in GLOBAL_OBJECTS:
            of_global: dict[Target, int] = {}
            for number, group in self.scripts.ambient(name):
                of_global.update(self.group_symbols(self.program.unit(number), group))
            for one in self.scripts.declared_window():
                of_global.update({target: its for target, its, _ in self._member_targets(one, name)[0]})
            return [(target, its, Step.ATTRIBUTE) for target, its in of_global.items()], True
        if tag == CONTAINER:
            return [(target, its, Step.ATTRIBUTE) for target, its in self._object_targets(value, name, FUEL).items()], False
        if tag == FUNCTION:
            symbol = self._added(value[1], value[2], name)
            if symbol is not None:
                return [((value[1], symbol), PROVED, Step.ATTRIBUTE)], False
            return [], False
        if name == "constructor" and tag in (INSTANCE, SELF):
            return [], False
        if tag in (INSTANCE, SELF):
            mixed = self.scripts.mixed_in(value, PROVED, name, FUEL)
            if mixed:
                return [((one[1], one[2]), its, Step.ASSIGN) for one, its in mixed.items() if one[0] in (FUNCTION, CLASS, METHOD)], False
        found, external = super()._find_targets(value, name)
        if not found and tag in (INSTANCE, SELF, CLASS, SELF_CLASS):
            for file, symbol in self.evaluator.order(value[1], value[2]):
                added = self._added(file, symbol, name)
                if added is not None:
                    return [((file, added), PROVED, Step.ATTRIBUTE)], False
            stored = self.evaluator.stored_members(value, PROVED, name, FUEL)
            found = [((one[1], one[2]), its, Step.ASSIGN) for one, its in stored.items() if one[0] in (FUNCTION, CLASS, METHOD)]
        return found, external

    def _added(self, file: int, symbol: int, name: str) -> int | None:
        """The symbol of a member that was assigned to a class, a function or an object that has a name."""
        unit = self.program.unit(file)
        self.evaluator.look("member", unit, symbol, name)
        found = unit.fields.get((symbol, name))
        if found is None or unit.symbol_kind[found] not in (SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY):
            return None  # a local function has the same parent
        return found

    def _object_targets(self, value: Value, name: str, fuel: int) -> dict[Target, int]:
        """The definitions that a member of an object literal or object type means."""
        unit, node = self.program.unit(value[1]), value[2]
        found: dict[Target, int] = {}
        if fuel <= 0:
            return found
        what = unit.kind[node]
        if what == Kind.OBJECT_TYPE:
            for member in self.scripts.type_members(unit, node, name):
                symbol = self.scripts.tables(unit).symbol_of.get(member)
                if symbol is not None:
                    found[unit.number, symbol] = PROVED
            return found
        if what != Kind.DICT:
            return found
        symbols = self.scripts.tables(unit).symbol_of
        for item in unit.kids(node):
            kind = unit.kind[item]
            if kind == Kind.SHORTHAND and unit.text(item) == name:
                found = dict(self.group_symbols(unit, unit.group[item])) if unit.group[item] >= 0 else {}
            elif kind == Kind.FUNC:
                symbol = symbols.get(item)
                if symbol is not None and unit.symbol_text(symbol) == name and not (unit.symbol_flags[symbol] & SETTER and found):
                    found = {(unit.number, symbol): PROVED}
            elif kind == Kind.PAIR and name in self.scripts.key_texts(unit, item + 1, FUEL):
                found = self._pair_targets(unit, item)
            elif kind == Kind.SPREAD and unit.next[item] > item + 1:
                for one, code in self.evaluator.values(unit, item + 1, FUEL).items():
                    for target, its, step in self._member_targets(one, name)[0] if one != value else ():
                        found[target] = self._join(code, its, step)
        if not found:
            owner = self._holder(unit, node)
            if owner > 0 or (owner == 0 and unit.parent[node] >= 0):
                symbol = unit.fields.get((owner, name)) if owner > 0 else None
                if symbol is not None:
                    found[unit.number, symbol] = PROVED
        if not found:
            for stored_key, stored, spreads in self.evaluator.stored_in(unit).get(value, ()):
                if stored_key == name and not spreads:
                    found.update(self._expression_targets(unit, stored))
                elif spreads:
                    for one, code in self.evaluator.values(unit, stored, FUEL).items():
                        for target, its, step in self._member_targets(one, name)[0] if one != value else ():
                            found[target] = self._join(code, its, step)
        return found

    def _pair_targets(self, unit: Unit, pair: int) -> dict[Target, int]:
        symbols = self.scripts.tables(unit).symbol_of
        parts = unit.kids(pair)
        symbol = symbols.get(pair)
        if symbol is not None:
            return {(unit.number, symbol): PROVED}
        return self._expression_targets(unit, parts[-1])

    def _expression_targets(self, unit: Unit, node: int) -> dict[Target, int]:
        """What a value that is written as a name or a function means as a definition."""
        symbols = self.scripts.tables(unit).symbol_of
        while unit.kind[node] in (Kind.CAST, Kind.SATISFIES, Kind.NON_NULL):
            node += 1
        if unit.kind[node] in (Kind.FUNC, Kind.LAMBDA, Kind.CLASS):
            symbol = symbols.get(node)
            return {} if symbol is None else {(unit.number, symbol): PROVED}
        if unit.kind[node] in (Kind.NAME, Kind.SHORTHAND) and unit.group[node] >= 0:
            return {target: code for target, code in self.group_symbols(unit, unit.group[node]).items() if target[1]}
        return {}

    def _holder(self, unit: Unit, node: int) -> int:
        """The symbol of the constant or field whose value an object literal is; -1 where it has none."""
        symbols = self.scripts.tables(unit).symbol_of
        above = unit.parent[node]
        while unit.kind[above] in (Kind.ASSIGN, Kind.CAST, Kind.SATISFIES):
            found = symbols.get(above)
            if found is not None:
                return found
            above = unit.parent[above]
        if unit.kind[above] in (Kind.DECLARATOR, Kind.PAIR, Kind.FIELD, Kind.EXPORT):
            return symbols.get(above, -1)
        return -1

    def _attribute(self, unit: Unit, node: int, linked: Linked) -> None:
        base = node + 1
        name_node = unit.next[base]
        if name_node >= unit.next[node]:
            return
        values = self.evaluator.values(unit, base, FUEL)
        self._member_use(unit, node, name_node, unit.text(name_node), values, linked, stored=self._is_stored_here(unit, node, values))

    def _is_stored_here(self, unit: Unit, node: int, values: Values) -> bool:
        """Whether what is called is known from what was stored last in the same code."""
        return bool(unit.stores) and unit.kind[unit.parent[node]] == Kind.CALL and bool(self.scripts.stored_here(unit, node, values))

    def _subscript(self, unit: Unit, node: int, linked: Linked) -> None:
        """`x["name"]` reads a member; which one `this[name]` is, is chosen at run time."""
        key = unit.next[node + 1]
        if key >= unit.next[node]:
            return
        is_known = unit.kind[key] in _NAMED_KEYS
        texts, tier = self.scripts.keys_allowed(unit, key, FUEL) if is_known else (_ANY_NAME, PROVED)
        if texts == _ANY_NAME and not self.is_late:
            self._chosen(unit, node, key, linked)
            return
        for text in texts:
            if text != "*":
                values = {value: weakened(code, tier) for value, code in self.evaluator.values(unit, node + 1, FUEL).items()}
                stored = self._is_stored_here(unit, node, values)
                self._member_use(unit, node, key, text, values, linked, quiet=True, stored=stored)

    def _chosen(self, unit: Unit, node: int, key: int, linked: Linked) -> None:
        """`this[name]` and `module[name]` of a name that nobody knows: any member may be meant."""
        base = node + 1
        while unit.kind[base] == Kind.CAST:
            base += 1
        if unit.kind[key] == Kind.NUMBER or unit.kind[base] not in (Kind.THIS, Kind.NAME):
            return
        above = unit.parent[node]
        is_call = unit.kind[above] in (Kind.CALL, Kind.NEW) and node == above + 1
        wanted = _CHOOSES_OWN if unit.kind[base] == Kind.THIS else _CHOOSES_ANY
        if is_call and self.evaluator.pattern_of(unit, key):
            return  # what is known of the name says which members the call may mean
        if any(value[0] in wanted for value in self.evaluator.values(unit, base, FUEL)):
            linked.leave_open(unit.owner[node], f"{unit.text(base) or 'this'}[...]", base, is_call, Unresolved.DYNAMIC)

    def _member_use(
        self, unit: Unit, node: int, place: int, name: str, values: Values, linked: Linked, quiet: bool = False, stored: bool = False
    ) -> None:
        """Edges from the use of a member at `place` to what it may be. stored: which functions it may be is told by the call."""
        values = self._known(values, linked)
        owner, above = unit.owner[node], unit.parent[node]
        is_call = unit.kind[above] in (Kind.CALL, Kind.NEW) and node == above + 1
        if is_call and self.is_late and unit.kind[node] == Kind.ATTRIBUTE:
            self._run_stored(unit, node, place, linked)
        found: dict[Target, int] = {}
        outside = quiet
        for value, code in values.items():
            targets, external = self._member_targets(value, name)
            outside = outside or external
            for target, its, step in targets:
                its = self._join(code, its, step)
                old = found.get(target)
                if old is None or its < old:
                    found[target] = its
        if not found and not self.is_late:
            found = self._added_to_modules(unit, values, name)
        if not found:
            if not outside and not self.is_late:
                missing = [value for value in values if value[0] == MODULE]
                if missing and len(missing) == len(values) and self._is_missing(missing, name):
                    linked.leave_open(owner, name, place, is_call, Unresolved.MISSING)
                elif not (values and all(self._is_closed(value) for value in values)) and name not in _CALLERS:
                    why = Unresolved.DYNAMIC if self._loads(unit, node + 1) else Unresolved.RECEIVER
                    linked.leave_open(owner, name, place, is_call, why)
                    for value in values:
                        if value[0] in (SELF, SELF_CLASS):
                            linked.add_edge(owner, value[1], value[2], HINT_SELF, 0, place)
            return
        writes = unit.kind[above] in (Kind.ASSIGN, Kind.AUGMENT) and node == above + 1
        if unit.kind[above] != Kind.AUGMENT or not writes:  # which runs both
            found = self._one_accessor(found, writes)
        for (file, symbol), code in found.items():
            kind = self.program.unit(file).symbol_kind[symbol]
            if kind == SymbolKind.MODULE or (file == unit.number and unit.start[place] == unit_at(unit, symbol)):
                continue
            if stored and kind in _RUNS:
                continue
            use = self._context(unit, node, kind)
            if writes:
                use = EdgeKind.ACCESS if kind == SymbolKind.PROPERTY else EdgeKind.WRITE
                if kind == SymbolKind.FIELD:
                    self._stored_through(unit, node, file, symbol, linked)
            if is_call and kind == SymbolKind.FIELD and not self.is_late:
                self._field_call(owner, values, file, symbol, place, linked)
            linked.add_edge(owner, file, symbol, use, code, place)

    def _added_to_modules(self, unit: Unit, values: Values, name: str) -> dict[Target, int]:
        """What `declare module "./m" { interface C { ... } }` of the same file adds to C of another."""
        found: dict[Target, int] = {}
        for (file, of), symbols in self._augmented(unit).items():
            for value, code in values.items():
                if value[0] in (INSTANCE, SELF) and value[1] == file and self.program.unit(file).symbol_text(value[2]) == of:
                    for symbol in symbols:
                        member = unit.fields.get((symbol, name))
                        if member is not None:
                            found[unit.number, member] = stepped(code, Step.ATTRIBUTE)
        return found

    def _augmented(self, unit: Unit) -> dict[tuple[int, str], list[int]]:
        """(file, name of a class or interface there) -> the interfaces of this file that add to it."""
        found = self._augmentations.get(unit.number)
        if found is None:
            found = self._augmentations[unit.number] = {}
            for symbol, kind in enumerate(unit.symbol_kind):
                node = unit.symbol_node[symbol]
                if kind != SymbolKind.NAMESPACE or unit.kind[node + 1] != Kind.STRING:
                    continue
                for value in self.evaluator.module_value(unit, unit.symbol_text(symbol), 0):
                    if value[0] == MODULE:
                        for inner, its in enumerate(unit.listed("symbol_node")):
                            if node < its < unit.next[node] and unit.symbol_kind[inner] in (SymbolKind.INTERFACE, SymbolKind.CLASS):
                                found.setdefault((value[1], unit.symbol_text(inner)), []).append(inner)
        return found

    def _loads(self, unit: Unit, node: int) -> bool:
        """`require(x)` and `import(x)` of something that is not known."""
        if unit.kind[node] == Kind.AWAIT:
            node += 1
        if unit.kind[node] != Kind.CALL:
            return False
        callee = node + 1
        return unit.kind[callee] == Kind.DYNAMIC_IMPORT or (
            unit.kind[callee] == Kind.NAME and unit.text(callee) == "require" and unit.group[callee] < 0
        )

    def _is_missing(self, modules: list[Value], name: str) -> bool:
        """Modules that export names one by one, and not this one."""
        for value in modules:
            unit = self.program.unit(value[1])
            self.evaluator.look("face", unit, 0, "")
            if unit.stars or EXPORTED in unit.exports or not unit.exports or name in unit.exports or name == "default":
                return False
        return True

    def _one_accessor(self, found: dict[Target, int], writes: bool) -> dict[Target, int]:
        """Of a getter and a setter, the one that runs."""
        accessors = [target for target in found if self.program.unit(target[0]).symbol_kind[target[1]] == SymbolKind.PROPERTY]
        if len(accessors) < 2:
            return found
        wanted = [target for target in accessors if bool(self.program.unit(target[0]).symbol_flags[target[1]] & SETTER) == writes]
        return {target: code for target, code in found.items() if target not in accessors or target in (wanted or accessors)[:1]}

    def _is_closed(self, value: Value) -> bool:
        tag: int = value[0]
        if tag in (INSTANCE, SELF):
            return self.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.CONSTANT
        return tag in (EXTERNAL, EXTERNAL_INSTANCE, CONTAINER, TYPED, SLICED, TEXT, FUNCTION, CONTAINER_METHOD, METHOD, PARTIAL, MODULE)

    def _pattern(self, unit: Unit, node: int, linked: Linked) -> None:
        """`{a}` and `{a: b}` on the left of a declaration read member `a` of what is taken apart."""
        above = unit.parent[node]
        pattern = unit.parent[above] if unit.kind[above] == Kind.PARAM_DEFAULT else above
        if unit.kind[pattern] != Kind.OBJECT_PATTERN:
            return
        key = node + 1 if unit.kind[node] == Kind.PAIR_PATTERN else node
        if key in self._imported(unit):
            return  # `const {a} = require("m")` is an import
        values = self._known(self.evaluator.values(unit, pattern, FUEL), linked)
        for text in self.scripts.key_texts(unit, key, FUEL) if key != node else [unit.text(node)]:
            if text == "*":
                continue
            found: dict[Target, int] = {}
            for value, code in values.items():
                for target, its, step in self._member_targets(value, text)[0]:
                    its = self._join(code, its, step)
                    found[target] = min(its, found.get(target, its))
            for (file, symbol), code in self._one_accessor(found, False).items():
                kind = self.program.unit(file).symbol_kind[symbol]
                if kind != SymbolKind.MODULE:
                    use = EdgeKind.ACCESS if kind == SymbolKind.PROPERTY else EdgeKind.PASS if kind in _RUNS else EdgeKind.READ
                    linked.add_edge(unit.owner[node], file, symbol, use, code, key)

    def _imported(self, unit: Unit) -> frozenset[int]:
        found = self._import_nodes.get(unit.number)
        if found is None:
            found = self._import_nodes[unit.number] = frozenset(unit.listed("import_node"))
        return found

    # calls

    def _call(self, unit: Unit, node: int, linked: Linked) -> None:
        function = node + 1
        if function >= unit.next[node]:
            return
        what = unit.kind[function]
        if what == Kind.SUPER:
            self._super_call(unit, node, function, linked)
            return
        if what == Kind.DYNAMIC_IMPORT:
            return
        raw = self.evaluator.values(unit, function, FUEL)
        values = self._known(raw, linked)
        place = function
        if what in (Kind.ATTRIBUTE, Kind.SUBSCRIPT) and unit.next[function + 1] < unit.next[function]:
            place = unit.next[function + 1]
        kind = EdgeKind.DECORATE if unit.kind[unit.parent[node]] == Kind.DECORATOR else EdgeKind.CALL
        positional, keywords = self.evaluator.arguments(unit, node)
        called = False
        for value, code in values.items():
            if value[0] == CONTAINER_METHOD:
                called = True
                self._container_call(unit, node, place, value, code, positional, linked)
            else:
                called = called or value[0] in (FUNCTION, METHOD)
                self._run(unit, node, place, value, code, positional, keywords, kind, linked, written=True)
        if self.is_late:
            return
        if all(value[0] in (EXTERNAL, EXTERNAL_INSTANCE) for value in values):
            self._pass_members(unit, positional, linked)
        if not called and what == Kind.ATTRIBUTE:
            name = unit.text(place)
            if name in _CALLING_METHODS:
                self._callbacks(unit, [positional[at] for at in _CALLING_METHODS[name] if at < len(positional)], linked)
        if (
            not raw
            and what == Kind.NAME
            and unit.kind[node] == Kind.CALL
            and unit.group[function] >= 0
            and not self.group_symbols(unit, unit.group[function])
        ):
            group = unit.group[function]
            rows = range(unit.group_first[group], unit.group_first[group + 1])
            why = Unresolved.MISSING if any(unit.how[row] == How.MEMBER for row in rows) else Unresolved.DYNAMIC
            linked.leave_open(unit.owner[node], unit.text(function), function, True, why)

    def _pass_members(self, unit: Unit, arguments: list[int], linked: Linked) -> None:
        """A constant of the file goes to something outside the project: that may run the functions of the object that it is."""
        for argument in arguments:
            if unit.kind[argument] != Kind.NAME or (group := unit.group[argument]) < 0 or unit.group_scope[group]:
                continue
            constant = unit.fields.get((0, unit.names[unit.group_name[group]]))
            if constant is None or unit.symbol_kind[constant] != SymbolKind.CONSTANT:
                continue
            if self._held_in is None:
                self._held_in = {}
                for symbol, node in enumerate(unit.listed("symbol_node")):
                    if unit.symbol_kind[symbol] in _WITH_BODY and unit.kind[unit.parent[node]] in (Kind.DICT, Kind.PAIR):
                        self._held_in.setdefault(unit.symbol_parent[symbol], []).append(symbol)
            members = self._held_in.get(constant, ())
            if len(members) <= _MAX_HANDED_ON:
                code = stepped(Step.SCOPE, Step.ATTRIBUTE)
                for member in members:
                    linked.add_edge(unit.owner[argument], unit.number, member, EdgeKind.PASS, code, argument)

    def _super_call(self, unit: Unit, node: int, function: int, linked: Linked) -> None:
        positional, keywords = self.evaluator.arguments(unit, node)
        for value, code in self.evaluator.values(unit, function, FUEL).items():
            if value[0] != SUPER:
                continue
            member = self.evaluator.find_member((SUPER, value[1], value[2], (SELF, *value[3][1:3])), "constructor")
            if member is not None:
                for symbol in member[0].defines(member[1]):
                    linked.add_edge(unit.owner[node], member[0].number, symbol, EdgeKind.CALL, stepped(code, Step.CONSTRUCT), function)
                    self._flow(unit, (FUNCTION, member[0].number, symbol), None, positional, keywords, linked)

    def _container_call(self, unit: Unit, node: int, place: int, value: Value, code: int, positional: list[int], linked: Linked) -> None:
        """A method of an array, map, promise or function: it may run what it is given."""
        inner, name = value[1], value[2]
        if name in _CALLERS and inner[0] == FUNCTION and name != "call":
            other = self.program.unit(inner[1])
            self._look_at_parameters(other, inner[2])
            linked.flows += [((PARAM, inner[1], inner[2], index), {ANY_KEY: LIKELY}) for index in other.key_params.get(inner[2], ())]
        if name in _CALLERS and inner[0] in (FUNCTION, METHOD, PARTIAL):
            if name != "bind":
                rest = positional[1:] if name == "call" else []
                self._run(unit, node, place, inner, code, rest, {}, EdgeKind.CALL, linked, written=name == "call")
                if name == "apply" and len(positional) > 1 and inner[0] in (FUNCTION, METHOD):
                    rows = self.program.unit(inner[1]).params.get(inner[2], [])
                    self._flow_elements(inner, rows, [False] * len(rows), 0, self.evaluator.values(unit, positional[1], FUEL), linked)
            elif len(positional) > 1 and inner[0] != PARTIAL:
                self._flow(unit, inner, None, positional[1:], {}, linked)
            return
        if name not in _CALLING_METHODS:
            return
        arguments = [positional[at] for at in _CALLING_METHODS[name] if at < len(positional)]
        self._callbacks(unit, arguments, linked)
        given = CALLBACK_PARAMETERS.get(name, ())
        for argument in arguments[:1]:
            if unit.kind[argument] in (Kind.FUNC, Kind.LAMBDA):
                continue  # a function that is written here knows its place
            for one in self.evaluator.values(unit, argument, FUEL):
                if one[0] not in (FUNCTION, METHOD):
                    continue
                rows = self.program.unit(one[1]).params.get(one[2], [])
                for index in range(min(len(given), len(rows))):
                    passed = self.scripts.passed_to_callback(unit, node, inner, given[index], FUEL)
                    if passed := _handed_on(passed):
                        linked.flows.append(((PARAM, one[1], one[2], index), passed))

    def _run(
        self,
        unit: Unit,
        node: int,
        place: int,
        value: Value,
        code: int,
        positional: list[int],
        keywords: dict[str, int],
        kind: int,
        linked: Linked,
        written: bool,
    ) -> None:
        tag: int = value[0]
        if tag in (INSTANCE, SELF, CONTAINER):
            return
        if tag in (CLASS, SELF_CLASS) and self.program.unit(value[1]).symbol_kind[value[2]] in _NOT_CALLED:
            return
        if tag == PARTIAL:
            given = positional if value[2] == 0 else []
            self._run(unit, node, place, value[1], code, given, keywords, kind, linked, written=written and value[2] == 0)
            return
        super()._run(unit, node, place, value, code, positional, keywords, kind, linked, written)

    def _external(self, unit: Unit, node: int, name: str, positional: list[int], keywords: dict[str, int], linked: Linked) -> None:
        known = _CALLS_GIVEN.get(name)
        if known is None:
            last = name.rpartition(".")[2]
            known = _CALLING_METHODS.get(last, ()) if "." in name else ()
        given = None
        if name == "Array.from" and positional:
            given = [self.evaluator.elements(self.evaluator.values(unit, positional[0], FUEL), FUEL)]
        self._callbacks(unit, [positional[index] for index in known if index < len(positional)], linked, given)
        handed_outside(self, unit, name, positional, linked)

    def _flow(
        self, unit: Unit, callee: Value, receiver: Value | None, positional: list[int], keywords: dict[str, int], linked: Linked
    ) -> None:
        """What a call passes to the parameters of a function of the project that its declared types do not say enough about."""
        other = self.program.unit(callee[1])
        self._look_at_parameters(other, callee[2])
        rows = other.params.get(callee[2])
        self._pass_keys(unit, other, callee, positional, linked)
        if not rows or not positional:
            return

        def settles() -> list[bool]:
            return [self._says_enough(other, row) for row in rows]

        cut: list[bool] = []
        declared = self.evaluator.settled(self._takes, callee[1:3], settles, cut, nested=False)
        for place, argument in enumerate(positional):
            if unit.kind[argument] == Kind.SPREAD:
                self._flow_elements(callee, rows, declared, place, self.evaluator.values(unit, argument + 1, FUEL), linked)
                self._flow_behind(unit, callee, rows, declared, place, positional[place + 1 :], linked)
                break
            index = min(place, len(rows) - 1)
            if place >= len(rows) and not other.param_flags[rows[index]] & ParamFlag.STAR:
                break
            if declared[index]:
                continue
            passed = _handed_on(self.evaluator.values(unit, argument, FUEL))
            if passed:
                linked.flows.append(((PARAM, callee[1], callee[2], index), passed))

    def _keys_at(self, unit: Unit, node: int) -> Values:
        """As in Python; but only what is written as a constant is one: of `given || "all"` the left side may be anything."""
        if node >= 0 and unit.kind[node] == Kind.NAME and unit.group[node] >= 0 and unit.group_is_plain[unit.group[node]]:
            row = unit.group_first[unit.group[node]]
            node = unit.value[row] if unit.how[row] == How.ASSIGN else -1
        is_constant = node >= 0 and unit.kind[node] in (Kind.STRING, Kind.TEMPLATE, Kind.NUMBER)
        return super()._keys_at(unit, node if is_constant else -1)

    def _flow_behind(
        self, unit: Unit, callee: Value, rows: list[int], declared: list[bool], first: int, arguments: list[int], linked: Linked
    ) -> None:
        """What stands behind a list that is spread over arguments may go to any parameter from `first` on."""
        for argument in arguments:
            if unit.kind[argument] != Kind.SPREAD and (passed := _handed_on(self.evaluator.values(unit, argument, FUEL))):
                linked.flows += [
                    ((PARAM, callee[1], callee[2], index), passed)
                    for index in range(first, min(len(rows), first + _MAX_SPREAD)) if not declared[index]
                ]  # fmt: skip

    def _pass_keys(self, unit: Unit, other: Unit, callee: Value, positional: list[int], linked: Linked) -> None:
        """What a call passes to parameters that are keys of tables."""
        for index in other.key_params.get(callee[2], ()):
            spread = any(unit.kind[one] == Kind.SPREAD for one in positional[: index + 1])
            if spread or index < len(positional):  # else its default, which the function itself has told
                linked.flows.append(((PARAM, callee[1], callee[2], index), self._keys_at(unit, -1 if spread else positional[index])))

    def _flow_elements(self, callee: Value, rows: list[int], declared: list[bool], first: int, values: Values, linked: Linked) -> None:
        """`f(...list)` and `f.apply(x, list)`: the elements of a list go to the parameters from `first` on."""
        for index in range(first, min(len(rows), first + _MAX_SPREAD)):
            passed = {} if declared[index] else self.evaluator.items(values, str(index - first), FUEL)
            passed = _handed_on(passed)
            if passed:
                linked.flows.append(((PARAM, callee[1], callee[2], index), passed))

    def _says_enough(self, unit: Unit, row: int) -> bool:
        """Whether a parameter's declared type settles what it is: a function type does not say which functions are passed."""
        if unit.param_type[row] < 0:
            return False
        declared = self.evaluator.annotated(unit, unit.param_type[row], FUEL)
        return bool(declared) and not any(self.scripts.is_callable_type(value) for value in declared)

    # decorators, elements

    def _decorator(self, unit: Unit, node: int, linked: Linked) -> None:
        """A decorator is called with what it stands on."""
        expression = node + 1
        if expression >= unit.next[node]:
            return
        place = unit.next[expression + 1] if unit.kind[expression] == Kind.ATTRIBUTE else expression
        symbol = unit.owner[node]
        kind = unit.symbol_kind[symbol]
        for value, code in self._known(self.evaluator.values(unit, expression, FUEL), linked).items():
            if value[0] not in (FUNCTION, METHOD):
                continue
            its = code if unit.kind[expression] != Kind.CALL else stepped(code, Step.IMPLICIT)
            self._run(unit, node, place, value, its, [], {}, EdgeKind.DECORATE, linked, written=False)
            if self.program.unit(value[1]).params.get(value[2]) and (kind == SymbolKind.CLASS or kind in _RUNS):
                what = CLASS if kind == SymbolKind.CLASS else FUNCTION
                linked.flows.append(((PARAM, value[1], value[2], 0), {(what, unit.number, symbol): stepped(LIKELY, Step.IMPLICIT)}))

    def _element(self, unit: Unit, node: int, linked: Linked) -> None:
        """`<Button />` runs what Button is."""
        component = node + 1
        if component >= unit.next[node] or (unit.kind[component] == Kind.NAME and unit.group[component] < 0):
            return
        place = unit.next[component + 1] if unit.kind[component] == Kind.ATTRIBUTE else component
        for value, code in self._known(self.evaluator.values(unit, component, FUEL), linked).items():
            if value[0] in (FUNCTION, METHOD, CLASS):
                linked.add_edge(unit.owner[node], value[1], value[2], EdgeKind.CALL, code, place)
            if value[0] in (FUNCTION, METHOD) and not self.is_late and self._gives_functions(unit, node):
                rows = self.program.unit(value[1]).params.get(value[2])
                if rows and not self._says_enough(self.program.unit(value[1]), rows[0]):
                    given: Values = {(CONTAINER, unit.number, node): stepped(LIKELY, Step.IMPLICIT)}
                    linked.flows.append(((PARAM, value[1], value[2], 0), given))

    @staticmethod
    def _gives_functions(unit: Unit, node: int) -> bool:
        """Whether an element has attributes that may be functions."""
        for attribute in unit.kids(node):
            if unit.kind[attribute] == Kind.JSX_ATTRIBUTE and unit.kind[unit.kids(attribute)[-1]] in _MAY_BE_FUNCTIONS:
                return True
        return False

    def _element_attribute(self, unit: Unit, node: int, linked: Linked) -> None:
        """`<Button size={1} />` gives a property that Button's type declares."""
        key = node + 1
        if key >= unit.next[node] or unit.kind[key] != Kind.PROPERTY_NAME:
            return
        wanted = self.scripts.props_wanted(unit, unit.parent[node], FUEL - 2)
        value = unit.kids(node)[-1]
        own = self.scripts.tables(unit).symbol_of.get(value) if unit.kind[value] in (Kind.FUNC, Kind.LAMBDA) else None
        self._gives(unit, key, unit.text(key), wanted, linked, [own] if own is not None else self._functions_named(unit, value))

    def _gives(self, unit: Unit, place: int, name: str, wanted: Values, linked: Linked, functions: list[int]) -> None:
        """A property of an element whose component declares a type: it writes the member that the type declares, and functions stand for
        it."""
        for value, code in self.scripts.declared_only(wanted).items():
            for (file, symbol), its, step in self._member_targets(value, name)[0]:
                theirs = self.program.unit(file).symbol_kind[symbol]
                if theirs in (SymbolKind.FIELD, SymbolKind.METHOD):
                    linked.add_edge(unit.owner[place], file, symbol, EdgeKind.WRITE, self._join(code, its, step), place)
                    for one in functions:
                        linked.add_edge(one, file, symbol, EdgeKind.IMPLEMENT, self._join(code, its, step), place)

    def _object(self, unit: Unit, node: int, linked: Linked) -> None:
        """An object literal where a type is declared: its keys are uses of the type's members, its methods implement them."""
        if unit.next[node] <= node + 1 or self.is_late:
            return
        wanted = self.scripts.declared_only(self.scripts.contextual(unit, node, FUEL - 2))
        if not wanted:
            return
        symbols = self.scripts.tables(unit).symbol_of
        for item in unit.kids(node):
            kind = unit.kind[item]
            key = (
                item + 1
                if kind == Kind.PAIR
                else item
                if kind == Kind.SHORTHAND
                else self.scripts.key_of(unit, item)
                if kind == Kind.FUNC
                else -1
            )
            if key < 0:
                continue
            function = item if kind == Kind.FUNC else unit.kids(item)[-1] if kind == Kind.PAIR else -1
            own = symbols.get(function) if function >= 0 and unit.kind[function] in (Kind.FUNC, Kind.LAMBDA) else None
            named = self._functions_named(unit, item if kind == Kind.SHORTHAND else function) if own is None else []
            for name in [unit.text(key)] if kind == Kind.SHORTHAND else self.scripts.key_texts(unit, key, FUEL):
                if name == "*":
                    continue
                for value, code in wanted.items():
                    for (file, symbol), its, step in self._member_targets(value, name)[0]:
                        theirs = self.program.unit(file).symbol_kind[symbol]
                        if own is not None:
                            linked.add_edge(own, file, symbol, EdgeKind.IMPLEMENT, self._join(code, its, step), key)
                        elif theirs in (SymbolKind.FIELD, SymbolKind.METHOD):
                            linked.add_edge(unit.owner[key], file, symbol, EdgeKind.WRITE, self._join(code, its, step), key)
                            for one in named:
                                linked.add_edge(one, file, symbol, EdgeKind.IMPLEMENT, self._join(code, its, step), key)

    def _functions_named(self, unit: Unit, node: int) -> list[int]:
        """The functions of this file that a value which is a name means: they stand for the member they are given as."""
        if node < 0 or unit.kind[node] not in (Kind.NAME, Kind.SHORTHAND):
            return []
        kinds, parents = unit.symbol_kind, unit.symbol_parent
        return [
            symbol for file, symbol in sorted(self._expression_targets(unit, node))
            if file == unit.number and kinds[symbol] in _RUNS and kinds[parents[symbol]] not in _TYPES_ONLY
        ]  # fmt: skip

    def _heritage(self, unit: Unit, node: int, linked: Linked) -> None:
        """A base that is no plain name: what a mixin or a type parameter gives."""
        for base in unit.kids(node):
            if unit.kind[base] in (Kind.TYPE_ARGS, Kind.GENERIC, Kind.TYPE_NAME):
                continue
            found = self._known(self.evaluator.values(unit, base, FUEL), linked)
            for value, code in self.scripts.constructed(found, FUEL).items():
                if value[0] in (CLASS, INSTANCE) and value[1:3] != (unit.number, unit.owner[node]):
                    linked.add_edge(unit.owner[node], value[1], value[2], EdgeKind.INHERIT, code or Step.SCOPE, base)

    def _implements(self, unit: Unit, linked: Linked) -> None:
        """Members of a class that stand for those of the interfaces it implements, and prototypes that are set by hand."""
        for symbol, scopes in unit.class_scopes.items():
            for scope in scopes:
                group = unit.scope_names.get(scope, {}).get("prototype") if unit.scope_kind[scope] == ScopeKind.PROTOTYPE else None
                if group is not None:
                    place = unit.target[unit.group_first[group]]
                    for file, base in self.evaluator.order(unit.number, symbol)[1:2]:
                        linked.add_edge(symbol, file, base, EdgeKind.INHERIT, stepped(PROVED, Step.ASSIGN), place)
        for symbol in unit.class_scopes:
            if unit.symbol_kind[symbol] != SymbolKind.CLASS:
                continue
            for part in unit.kids(unit.symbol_node[symbol]):
                if unit.kind[part] != Kind.IMPLEMENTS:
                    continue
                for base in unit.kids(part):
                    for value in self.evaluator.annotated(unit, base, FUEL - 2):
                        if value[0] == INSTANCE:
                            self._implements_one(unit, symbol, value, linked)

    def _implements_one(self, unit: Unit, symbol: int, interface: Value, linked: Linked) -> None:
        for scope in unit.class_scopes.get(symbol, ()):
            for name, group in unit.scope_names.get(scope, {}).items():
                own = unit.fields.get((symbol, name))
                if own is None or name == "constructor":
                    continue
                for (file, theirs), its, _ in self._member_targets(interface, name)[0]:
                    if file != unit.number or theirs != own:
                        place = unit.target[unit.group_first[group]]
                        linked.add_edge(own, file, theirs, EdgeKind.IMPLEMENT, stepped(its, Step.ATTRIBUTE), place)


def _handed_on(values: Values) -> Values:
    """Of what a call passes, that which a parameter can be, without the types it carries."""
    return {bare(value): code for value, code in values.items() if value[0] in _PASSED or value[0] >= PARAM}


_MAY_BE_FUNCTIONS: Final = frozenset({Kind.NAME, Kind.ATTRIBUTE, Kind.FUNC, Kind.LAMBDA})
_MAX_HANDED_ON: Final = 30  # functions of an object that goes outside: of more it says too little of each that it may run
_WITH_BODY: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS})
_FUNCTIONS_OR_CLASS: Final = frozenset({Kind.FUNC, Kind.LAMBDA, Kind.CLASS})
_PUT_TOGETHER: Final = frozenset(
    {Kind.PAIR, Kind.DICT, Kind.LIST, Kind.SPREAD, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.CAST, Kind.SATISFIES, Kind.NON_NULL}
)  # of what is written in one of these the whole is handed on
_HANDS_ON: Final = frozenset({Kind.ARGS, Kind.RETURN, Kind.LAMBDA, Kind.YIELD, Kind.INTERPOLATION, Kind.JSX_ATTRIBUTE})
_NAMED_KEYS: Final = (Kind.STRING, Kind.NAME, Kind.ATTRIBUTE, Kind.TEMPLATE, Kind.COMPUTED)
_ANY_NAME: Final = ["*"]
_CHOOSES_OWN: Final = (SELF, SELF_CLASS, INSTANCE, CLASS)
_CHOOSES_ANY: Final = (MODULE, CLASS, SELF_CLASS)
_OWNED_SCOPES: Final = (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.INSTANCE, ScopeKind.PROTOTYPE, ScopeKind.NAMESPACE)
_TYPE_HOLDERS: Final = (
    Kind.TYPE_QUERY, Kind.GENERIC, Kind.TYPE, Kind.TYPE_ALIAS, Kind.TYPE_ARGS, Kind.UNION, Kind.INTERSECTION, Kind.ARRAY_TYPE,
    Kind.TUPLE_TYPE,
    Kind.LOOKUP, Kind.KEYOF,
)  # fmt: skip
_PASSING: Final = (
    Kind.ARGS, Kind.PAIR, Kind.LIST, Kind.RETURN, Kind.ASSIGN, Kind.DICT, Kind.DECLARATOR, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.LAMBDA,
    Kind.FIELD,
    Kind.JSX_ATTRIBUTE,
)  # fmt: skip
_HANDLERS: Final[dict[int, Callable[[ScriptLinker, Unit, int, Linked], None]]] = {
    Kind.ATTRIBUTE: ScriptLinker._attribute, Kind.SUBSCRIPT: ScriptLinker._subscript, Kind.CALL: ScriptLinker._call,
    Kind.NEW: ScriptLinker._call, Kind.DECORATOR: ScriptLinker._decorator, Kind.PAIR_PATTERN: ScriptLinker._pattern,
    Kind.SHORTHAND_PATTERN: ScriptLinker._pattern,
    Kind.HERITAGE: ScriptLinker._heritage, Kind.JSX_OPENING: ScriptLinker._element, Kind.JSX_ATTRIBUTE: ScriptLinker._element_attribute,
    Kind.DICT: ScriptLinker._object, Kind.FOR_IN: loop, Kind.SPREAD: spread, Kind.ARRAY_PATTERN: array_pattern, Kind.YIELD: delegated,
    Kind.AWAIT: awaited, Kind.INTERPOLATION: interpolated,
}  # fmt: skip
_WANTED: Final = np.zeros(256, bool)
_WANTED[[int(kind) for kind in _HANDLERS]] = True
_WRITTEN: Final = np.zeros(256, bool)
_WRITTEN[[Kind.NAME, Kind.TYPE_NAME, Kind.SHORTHAND, Kind.SHORTHAND_PATTERN]] = True
