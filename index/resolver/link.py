"""One file of a program -> its edges, the sites that stay open, and what it passes to functions.

`Linker.link` is a pure function of the file's facts and of what it looked up elsewhere (`Linked.seen`). What depends on
the arguments that other files pass is put off (`Linked.later`) until `index.resolver.flows` knows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Final, cast

import numpy as np
from librt.vecs import append, vec
from mypy_extensions import i32
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.languages.modules import Found
from index.languages.python.front import SYMBOL_DECORATED, SYMBOL_DISPATCH, SYMBOL_OVERLOAD, SYMBOL_RECORD, SYMBOL_SETTER, SYMBOL_STATIC
from index.numbers import EdgeKind, Step, SymbolKind, Unresolved
from index.parsing.column import rows_by_number
from index.parsing.facts import How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.evaluate import EXPRESSIONS, FUEL, MEMBER, Evaluator, Settled, kinds_table
from index.resolver.externals import (
    ACTS_ON_ELEMENTS,
    ASKS_FOR_LENGTH,
    CALLS_ARGUMENT,
    CALLS_ARGUMENT_METHODS,
    CALLS_KEYWORD_METHODS,
    COMPARE_DUNDERS,
    COMPARES,
    DUNDER_OF_BUILTIN,
    GIVES_ELEMENTS,
    GIVES_THE_REST,
    ITERATED,
    ITERATES,
    METHODS_THAT_ITERATE,
    MIRRORED,
    PATCH_METHODS,
    PATCHES,
    TAKES_KEY,
    UNARY_DUNDERS,
)
from index.resolver.fingerprints import RUN_TIME_NAMES, WITH_PARAMETERS
from index.resolver.gateways import Seen
from index.resolver.program import NO_ANSWERS, NO_NAMES, Kept, Program, Unit
from index.resolver.values import (
    ANY_KEY,
    CHAIN_MASK,
    CLASS,
    CONTAINER,
    CONTAINER_METHOD,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FOLDER,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LIKE,
    LIKELY,
    MAX_CALLED,
    MAX_VALUES,
    METHOD,
    MODULE,
    NAMING,
    NO_KEY,
    ONE_OF,
    PARAM,
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
    has_symbolic,
    is_symbolic,
    root_of,
    stepped,
    weakened,
)
from index.resolver.webs import Web

Target = tuple[int, int]  # file, symbol
# What a member means, further edges (file, symbol, EdgeKind or hint, code), whether it is outside the project, and what it is read from.
Reading = tuple[dict[Target, int], list[tuple[int, int, int, int]], bool, Values]
_RUNS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.LAMBDA})
_CLASSLIKE: Final = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.NAMESPACE})
_DATA: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER})
_PASSED: Final = (FUNCTION, CLASS, METHOD, INSTANCE, CONTAINER, PARTIAL, SELF, SELF_CLASS, GENERATOR, TYPED, SLICED)
# What is known of an attribute: the call round it has dealt with it, there is nothing to say of it, its calls say nothing in any case.
_DONE: Final = 1
_SILENT: Final = 2
_SILENT_CALL: Final = 4
_MAX_ONE_OF: Final = 200  # functions in a container, any of which may be called
# Rows among the edges that say more of a place, kind by kind; `index.resolver.dispatch` takes them apart.
HINT_RECEIVER: Final = 100  # what is called there is called on an instance of this class
HINT_SELF: Final = 101  # the name there, which this class does not have, is asked of `self`
HINT_SUPER: Final = 102  # likewise of `super()`
HINT_LIKE: Final = 103  # members of this class whose names look like the name there
HINT_FROM: Final = 104  # super() in the first method may run the second; pairs by their code
HINT_NEXT: Final = 105
HINT_FIELD: Final = 106  # this field is called there, on `self`
HINT_HELD: Final = 107  # the field that is the source may hold this function or class
HINT_BELOW: Final = 108  # the name there, which this class does not have, is asked of what is declared to be of it: a subclass may have it


def numbers(some: Iterable[int] = ()) -> vec[i32]:
    """To which others are added, without objects where they are compiled; in the text a list, which takes a fifth of the time there.

    What is not compiled may read them, but neither pass nor assign them to what is: mypyc 2.4 would never give their memory back."""
    if not _IS_COMPILED:
        return cast("vec[i32]", list(some))
    return vec[i32](some) if some else vec[i32]()  # what is no memory is asked for its memory first, which ends in an error each time


class Linked:
    """What linking one file gave. Rows, positions as nodes of the file:

    edges  owner symbol, target file, target symbol, EdgeKind, code, node: six numbers each, one after the other
    loose  owner symbol, node, is a call, Unresolved: four numbers each, one after the other, and in `names` their names
    flows  (parameter as a PARAM value, what is passed)
    places (node, how many of the flows came by then), for nodes that add any; the flows after the last one belong to the file as a whole
    later  nodes of calls, attributes and operators whose receiver depends on arguments, with the parameters they hang on
    seen   facts that were looked at, in this file and others (`index.resolver.gateways`)
    """

    __slots__ = ("edges", "flows", "later", "loose", "names", "places", "seen")

    def __init__(self, seen: list[Seen] | None = None) -> None:  # written out, since it is made for every site that was put off
        self.edges, self.loose = numbers(), numbers()
        self.names: list[str] = []
        self.flows: list[tuple[Value, Values]] = []
        self.places: list[tuple[int, int]] = []
        self.later: list[tuple[int, frozenset[Value]]] = []
        self.seen: list[Seen] = [] if seen is None else seen

    def add_edge(self, owner: int, file: int, symbol: int, kind: int, code: int, node: int) -> None:
        # Numbers alone: of all that linking makes these are the most, and a tuple for each would be made, kept and given back.
        if _IS_COMPILED:
            self.edges = append(append(append(append(append(append(self.edges, owner), file), symbol), kind), code), node)
        else:
            cast("list[int]", self.edges).extend((owner, file, symbol, kind, code, node))

    def leave_open(self, owner: int, name: str, node: int, is_call: bool, reason: int) -> None:
        if _IS_COMPILED:
            self.loose = append(append(append(append(self.loose, owner), node), is_call), reason)
        else:
            cast("list[int]", self.loose).extend((owner, node, is_call, reason))
        self.names.append(name)

    def gives(self) -> bool:
        """Whether there is any edge, or anything passed."""
        return len(self.edges) > 0 or len(self.flows) > 0

    def let_go(self) -> None:
        """Of what has become columns."""
        self.edges, self.loose, self.names, self.places, self.seen = numbers(), numbers(), [], [], []

    def put_in_order(self) -> None:
        """Flows and what was put off by their nodes, as if these had been looked at one after the other."""
        first, runs = 0, []
        for node, last in self.places:
            runs.append((node, self.flows[first:last]))
            first = last
        runs.sort(key=lambda run: run[0])
        self.flows, self.places = [], []
        for node, flows in runs:
            self.flows += flows
            self.places.append((node, len(self.flows)))
        self.later.sort(key=lambda one: one[0])


_IS_COMPILED: Final = not isinstance(Linked.add_edge, FunctionType)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands in a file as it was in the commit before, functions most of all. inside: of every node, whether it is in something that
    does. linked: what linking gave for it then, in terms of the file as it is now. again: classes of whose fields it is not known what they
    hold, though their heads stand."""

    inside: NDArray[np.bool_]
    linked: Linked
    again: frozenset[int] = frozenset()

    def has_class(self, unit: Unit, symbol: int) -> bool:
        """Whether what is told of a class and its members stands."""
        return bool(self.inside[unit.symbol_node[symbol]])


class Linker:
    def __init__(self, program: Program, evaluator: Evaluator | None = None) -> None:
        self.program = program
        self.evaluator = Evaluator(program) if evaluator is None else evaluator
        self._targets: dict[str, Settled] = {}
        self._roots: dict[frozenset[Value], frozenset[Value]] = {}  # see `_frozen`
        self._single_roots: dict[Value, frozenset[Value]] = {}
        self._constructors: Settled = {}
        self._takes: Settled = {}
        self._metas: Settled = {}
        self._symbols: Settled = {}
        self._exports: Settled = {}
        self._of_webs: Settled = {}
        self.is_late = False
        self.failed: dict[int, Exception] = {}  # by file: what linking it, or solving its arguments, ended in
        self._applied: set[tuple[int, Value]] = set()
        self._marks: list[int] = []  # what is known of this file's attributes: _DONE and the like
        self._readings: list[Reading | None] = []  # the same, by the first of those that mean the same
        self._absent: set[int] = set()  # imports of names that are not there
        self._plans: dict[str, frozenset[str]] = {}
        self._descriptors: dict[Target, tuple[list[tuple[str, Target]], Seen]] = {}
        self.site = 0  # the node whose handler runs: what depends on arguments is put off as a whole

    def link(self, number: int, standing: Standing | None = None) -> Linked:
        """Edges of one file, arguments of callers not yet known. What stands as it was is not looked at again."""
        self.evaluator.used = []
        unit = self.program.unit(number)
        linked, inside = (Linked(), None) if standing is None else (standing.linked, standing.inside)
        self._applied, self._marks, self._readings = set(), [0] * len(unit.kind), [None] * len(unit.kind)
        self._keep_expressions(unit)
        self._imports(unit, linked, inside)
        self._names(unit, linked, inside)
        rows = self._sites(unit)
        if inside is not None:
            rows = rows[~inside[rows]]
        sites: list[int] = rows.tolist()
        flows, places, count = linked.flows, linked.places, len(linked.flows)
        for node in sites:
            self.site = node
            try:
                self._look_at(unit, node, linked)
            except RecursionError:
                self._too_deep(unit, node, linked)
            if len(flows) > count:
                count = len(flows)
                places.append((node, count))
        if standing is not None:
            linked.put_in_order()
        self._overrides(unit, linked, standing)
        self._siblings(unit, linked)
        self._changed_from_here(unit, linked)
        self._held(unit, linked, standing)
        self._keys(unit, linked)
        linked.seen = self.evaluator.used
        self._forget_expressions(unit)
        self.evaluator.forget_cut_off()
        return linked

    @staticmethod
    def _keep_expressions(unit: Unit) -> None:
        """While a file is linked, answers about its nodes are kept in a list."""
        answers: list[Kept | None] = [None] * len(unit.kind)
        for kind in EXPRESSIONS:
            for node, kept in unit.memo[kind].items():
                answers[node] = kept
        unit.answers, unit.written_here = answers, [None] * len(unit.kind)

    @staticmethod
    def _forget_expressions(unit: Unit) -> None:
        """Answers about single expressions are for their own file; what others ask for are names, members and functions."""
        for kind in EXPRESSIONS:
            unit.memo[kind] = NO_ANSWERS
        unit.answers, unit.written_here, unit.reached, unit.written = None, None, {}, {}

    def _look_at(self, unit: Unit, node: int, linked: Linked) -> None:
        kind = unit.kind[node]
        if kind == Kind.ATTRIBUTE:  # nearly all sites are of these kinds, and found without the table
            self._attribute(unit, node, linked)
        elif kind == Kind.CALL:
            self._call(unit, node, linked)
        elif kind == Kind.FUNC:
            self._function(unit, node, linked)
        elif kind == Kind.IF or kind == Kind.NOT:
            self._test(unit, node, linked)
        elif kind == Kind.SUBSCRIPT:
            self._subscript(unit, node, linked)
        elif kind == Kind.COMPARE:
            self._compare(unit, node, linked)
        elif kind == Kind.CLASS:
            self._class(unit, node, linked)
        elif kind == Kind.FOR or kind == Kind.FOR_IN:
            self._loop(unit, node, linked)
        elif kind == Kind.BINARY:
            self._binary(unit, node, linked)
        elif kind == Kind.BOOLEAN:
            self._boolean(unit, node, linked)
        else:
            _HANDLERS[kind](self, unit, node, linked)

    def close(self) -> None:
        """Lets go of everything that is known: the collector may be off, and what is known of a program holds itself."""
        self._targets.clear()
        for table in (self._constructors, self._takes, self._metas, self._symbols, self._exports, self._of_webs):
            table.clear()
        self._marks, self._readings, self._descriptors, self._roots, self._single_roots = [], [], {}, {}, {}
        self.evaluator.close()

    def _too_deep(self, unit: Unit, node: int, linked: Linked) -> None:
        """What a site means hangs on more than can be followed: it stays open, and the next one is asked as if nothing had been."""
        seen = self.evaluator.used
        self.evaluator.start_anew()
        self.evaluator.used += seen
        linked.leave_open(unit.owner[node], "", node, True, Unresolved.DYNAMIC)

    @staticmethod
    def _sites(unit: Unit) -> NDArray[np.int64]:
        """The nodes that are looked at: of tuples only those that are unpacked, of pairs those whose key may be an object."""
        kinds, parents = unit.facts.columns["kind"], unit.facts.columns["parent"]
        wanted = np.frombuffer(bytearray(unit.kind.translate(_WANTED)), np.bool_)
        if Kind.TUPLE in unit.kind:
            tuples = np.flatnonzero(kinds == Kind.TUPLE)
            above = parents[tuples]
            wanted[tuples] = (above == tuples - 1) & (kinds[above] == Kind.ASSIGN)
        if Kind.PAIR in unit.kind:
            pairs = np.flatnonzero(kinds[:-1] == Kind.PAIR)
            wanted[pairs] = _OBJECTS[kinds[pairs + 1]]
        texts = np.flatnonzero(kinds == Kind.TEXT)
        named = unit.facts.columns["name"][texts]
        rows: list[int] = distinct(named).tolist()
        names = unit.names
        paths = [row for row in rows if row >= 0 and "." in names[row] and _PATH.fullmatch(names[row]) is not None]
        if paths:
            texts = texts[one_of(named, paths)]
            strings = parents[texts]
            is_whole = (unit.facts.columns["next"][strings] == texts + 1) & (strings == texts - 1)
            wanted[texts[is_whole & ~_SAYS_ITSELF[kinds[parents[strings]]]]] = True
        return np.flatnonzero(wanted)

    def given_up(self, number: int, error: Exception) -> Linked:
        """What there is of a file at which linking failed: nothing, and why. The mistake is ours, and costs this one file its links."""
        self.failed[number] = error
        self.is_late = False
        self.evaluator.start_anew()
        return Linked(seen=self.evaluator.used)

    def link_late(self, number: int, nodes: list[int]) -> dict[int, Linked]:
        """Nodes that were put off -> what each gives, now that `evaluator.params` is filled."""
        unit = self.program.unit(number)
        found: dict[int, Linked] = {}
        nothing, linked = Linked(), Linked()  # of five sites four give nothing
        self.is_late, self._marks, self._readings = True, [0] * len(unit.kind), [None] * len(unit.kind)
        for node in nodes:
            self.site = node
            if self._applied:
                self._applied = set()  # what another site did, or another file, is nothing to this one
            self._look_at(unit, node, linked)
            found[node] = nothing
            if linked.gives():
                found[node], linked = linked, Linked()
        self.is_late = False
        self._forget_expressions(unit)
        return found

    # what a name stands for, as symbols

    def group_symbols(self, unit: Unit, group: int, fuel: int = FUEL) -> dict[Target, int]:
        """The definitions that a binding group means: functions, classes, constants, imported ones followed to where they stand."""
        if unit.group_is_plain[group] and unit.how[unit.group_first[group]] not in (How.MEMBER, How.MODULE):
            return self._group_symbols(unit, group, fuel)  # the file itself says it
        known: tuple[dict[Target, int], Seen, bool] | None = self._symbols.get((unit.number, group, fuel))
        if known is not None:
            self.evaluator.saw(known[1])
            return known[0]
        key = (unit.number, group, fuel)
        return self.evaluator.settled(self._symbols, key, lambda: self._group_symbols(unit, group, fuel), {}, nested=False)

    def _group_symbols(self, unit: Unit, group: int, fuel: int, at: list[int] | None = None) -> dict[Target, int]:
        """Those of the bindings that hold at the end of the scope, or of the rows `at`."""
        found: dict[Target, int] = {}
        scope = unit.group_scope[group]
        if scope == 0:
            self.evaluator.look("top", unit, 0, unit.names[unit.group_name[group]])
        for row in self.evaluator.reaching(unit, group, -1) if at is None else at:
            how = unit.how[row]
            if how == How.DEFINE:
                found[unit.number, unit.extra[row]] = PROVED
                for overload in self.evaluator.overloads(unit, unit.extra[row]):
                    found[unit.number, overload] = PROVED
            elif how == How.MEMBER:
                for target, code in self.member_symbols(unit, unit.extra[row], fuel).items():
                    found[target] = stepped(code, Step.IMPORT)
            elif how == How.MODULE:
                for value, code in self.evaluator.imported_module(unit, unit.extra[row]).items():
                    if value[0] == MODULE:
                        found[value[1], 0] = stepped(code, Step.IMPORT)
            elif unit.scope_kind[scope] in (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.INSTANCE, ScopeKind.PROTOTYPE):
                owner = unit.scope_symbol[scope]
                symbol = unit.fields.get((owner, unit.names[unit.group_name[group]]))
                if symbol is not None:
                    found[unit.number, symbol] = PROVED
        return found

    def member_symbols(self, unit: Unit, row: int, fuel: int) -> dict[Target, int]:
        """What `from m import x` names."""
        module, member, level = unit.names[unit.import_module[row]], unit.names[unit.import_member[row]], unit.import_level[row]
        found: dict[Target, int] = {}
        for value, code in self.evaluator.module_value(unit, module, level, unit.import_flags[row]).items():
            if value[0] == MODULE:
                number, name = (value[1], member) if unit.is_script else self.evaluator.behind(value[1], member)
                found.update(self.module_symbols(self.program.unit(number), name, fuel - 1))
            elif value[0] != EXTERNAL:
                for one, its in self.evaluator.member(value, code, member, FUEL).items():
                    if one[0] == MODULE:
                        found[one[1], 0] = its
        if not found and not unit.is_script:
            for value, code in self.evaluator.module_value(unit, f"{module}.{member}" if module else member, level).items():
                if value[0] == MODULE:
                    found[value[1], 0] = code
        return found

    def module_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """The definitions that a name at the top of a file means to others."""
        if fuel <= 0:
            return {}
        key = (unit.number, name, fuel)
        known: tuple[dict[Target, int], Seen, bool] | None = self._exports.get(key)
        if known is not None:
            self.evaluator.saw(known[1])
            return known[0]
        return self.evaluator.settled(self._exports, key, lambda: self._module_symbols(unit, name, fuel), {}, nested=False)

    def _module_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        self.evaluator.look("top", unit, 0, name)
        if unit.is_script:
            return self.exported_symbols(unit, name, fuel)
        group = unit.module_names.get(name)
        if group is not None:
            found = self.group_symbols(unit, group, fuel)
            if found:
                return found
        self.evaluator.look("face", unit, 0, "")
        found = self._star_symbols(unit, name, fuel - 1) if unit.stars else {}
        if not found:
            for value, code in self.evaluator.submodule(unit, name).items():
                if value[0] == MODULE:
                    found[value[1], 0] = code
        return found

    def _star_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """What the star imports of a Python file bring under a name: the last one that has it, and those before one that may not run."""
        web = self.evaluator.webs.of(unit)
        if web is not None:
            return dict(self._web_symbols(web, name))
        found: dict[Target, int] = {}
        for row, always in unit.star_order:
            for value in self.evaluator.imported_star(unit, row):
                if value[0] == MODULE:
                    other = self.program.unit(value[1])
                    if self.evaluator.is_public(other, name):
                        number, asked = self.evaluator.behind(value[1], name)
                        for target, code in self.module_symbols(self.program.unit(number), asked, fuel).items():
                            found[target] = stepped(code, Step.STAR)
            if found and always:
                break
        return found

    def _web_symbols(self, web: Web, name: str) -> dict[Target, int]:
        """The definitions that any of a circle of modules passes on under a name."""

        def found() -> dict[Target, int]:
            self.evaluator.webs.note(web, name)
            return {
                target: stepped(code, Step.STAR)
                for number in web.owners(name)
                for target, code in self._own_symbols(self.program.unit(number), name, FUEL).items()
            }

        return self.evaluator.settled(self._of_webs, (web.number, name), found, {})

    def _own_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """The definitions that a name at the top of a file means by what the file itself says."""
        self.evaluator.look("top", unit, 0, name)
        group = unit.module_names.get(name)
        return {} if group is None else self.group_symbols(unit, group, fuel)

    def exported_symbols(self, unit: Unit, name: str, fuel: int) -> dict[Target, int]:
        """Scripts: the definitions that a module exports under `name`."""
        entry = unit.exports.get(name)
        found: dict[Target, int] = {}
        if entry is not None:
            local, row, node = entry
            if row >= 0:
                if unit.import_member[row] < 0:
                    for value, code in self.evaluator.imported_module(unit, row).items():
                        if value[0] == MODULE:
                            found[value[1], 0] = stepped(code, Step.REEXPORT)
                else:
                    for target, code in self.member_symbols(unit, row, fuel).items():
                        found[target] = stepped(code, Step.REEXPORT)
            elif local >= 0:
                group = unit.module_names.get(unit.names[local])
                if group is not None:
                    found = self.group_symbols(unit, group, fuel)
            else:
                symbol = unit.symbol_of_node.get(node)
                if symbol is not None:
                    found[unit.number, symbol] = PROVED
        elif name != "default":
            for _, row in unit.stars:
                for value in self.evaluator.imported_star(unit, row):
                    if value[0] == MODULE:
                        for target, code in self.module_symbols(self.program.unit(value[1]), name, fuel - 1).items():
                            found[target] = stepped(code, Step.STAR)
        return found

    # names

    def _imports(self, unit: Unit, linked: Linked, inside: NDArray[np.bool_] | None = None) -> None:
        reexports = not unit.is_script and unit.path.endswith("__init__.py")
        stars = {row for _, row in unit.stars}
        self._absent = set()
        missing = {  # of imports that stand
            (unit.start[linked.loose[4 * at + 1]], name)
            for at, name in enumerate(linked.names) if linked.loose[4 * at + 3] == Unresolved.MISSING
        }  # fmt: skip
        for row, node in enumerate(unit.listed("import_node")):
            if inside is not None and inside[node]:
                if missing and (unit.start[node], unit.names[unit.import_member[row]]) in missing and unit.import_member[row] >= 0:
                    self._absent.add(row)
                continue
            owner = unit.owner[node]
            kind = EdgeKind.REEXPORT if reexports and owner == 0 else EdgeKind.IMPORT
            if unit.import_member[row] >= 0:
                targets = self.member_symbols(unit, row, FUEL)
                if not targets:
                    self._missing(unit, row, node, linked)
            else:
                module, level = unit.names[unit.import_module[row]], unit.import_level[row]
                targets = {
                    (value[1], 0): code
                    for value, code in self.evaluator.module_value(unit, module, level, unit.import_flags[row] & ~1).items()
                    if value[0] == MODULE
                }
                if not targets and row not in stars:
                    self._missing(unit, row, node, linked)
            for (file, symbol), code in targets.items():
                linked.add_edge(owner, file, symbol, kind, stepped(code, Step.IMPORT), node)

    def _missing(self, unit: Unit, row: int, node: int, linked: Linked) -> None:
        """A project module or name that is not there; what is outside the project is no open site."""
        module = unit.names[unit.import_module[row]]
        found = self.evaluator.resolve(unit, module, unit.import_level[row]).found
        if found == Found.FILE and unit.import_member[row] >= 0 and self.evaluator.imported_member(unit, row, FUEL):
            return  # the file has it from outside the project
        modules = self.evaluator.module_value(unit, module, unit.import_level[row], unit.import_flags[row])
        if found == Found.MISSING or (found == Found.FILE and unit.import_member[row] >= 0):
            member = unit.import_member[row]
            reason = Unresolved.MISSING
            if member >= 0 and any(value[0] == MODULE and self._is_passed_on(value[1], unit.names[member]) for value in modules):
                reason = Unresolved.DYNAMIC
            linked.leave_open(unit.owner[node], unit.names[member] if member >= 0 else module, node, False, reason)
            if member >= 0 and reason == Unresolved.MISSING:
                self._absent.add(row)

    def _is_passed_on(self, number: int, name: str) -> bool:
        """Whether a project file takes a name from another one, as far as one sees without following it: where that leads is not known,
        but the name is there."""
        unit = self.program.unit(number)
        self.evaluator.look("top", unit, 0, name)
        group = unit.module_names.get(name)
        if group is None or unit.is_script:
            return False
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            if unit.how[row] == How.MEMBER:
                imported = unit.extra[row]
                module, asked = unit.names[unit.import_module[imported]], unit.names[unit.import_member[imported]]
                for value in self.evaluator.module_value(unit, module, unit.import_level[imported]):
                    if value[0] == MODULE and asked in self.program.unit(value[1]).module_names:
                        self.evaluator.look("top", self.program.unit(value[1]), 0, asked)
                        return True
        return False

    def _names(self, unit: Unit, linked: Linked, inside: NDArray[np.bool_] | None = None) -> None:
        """Every written name that means a definition: one look-up per binding group, then all its places at once."""
        kinds = unit.kind
        if inside is not None:  # what stands there is no name here
            kinds = (np.frombuffer(kinds, np.uint8) * ~inside).tobytes()
        places, ends = rows_by_number(unit.group, kinds, _IS_NAME, len(unit.group_scope))
        last = ends[0]
        for group in range(len(unit.group_scope)):
            first, last = last, ends[group + 1]
            if first == last or not self._may_mean_definition(unit, group):
                continue
            nodes = [places[at] for at in range(first, last)]
            targets = self.group_symbols(unit, group)
            if not targets:
                if self._absent and (absent := self._absent_name(unit, group)):
                    for node in nodes:
                        linked.leave_open(unit.owner[node], absent, node, unit.kind[unit.parent[node]] == Kind.CALL, Unresolved.MISSING)
                continue
            if self._hangs_on_place(unit, group):
                by_rows: dict[tuple[int, ...], list[int]] = {}
                own_rows = range(unit.group_first[group], unit.group_first[group + 1])
                bound_at = {unit.target[row] for row in own_rows}
                declared = {unit.target[row] for row in own_rows if unit.how[row] == How.DECLARE}
                for node in nodes:
                    if node not in bound_at:
                        by_rows.setdefault(tuple(self.evaluator.reaching(unit, group, node)), []).append(node)
                own = {one: code for one, code in targets.items() if one[0] == unit.number}
                self._named(unit, group, [node for node in nodes if node in bound_at - declared], own, linked, bound=True)
                for at, some in by_rows.items():
                    self._named(unit, group, some, self._group_symbols(unit, group, FUEL, list(at)), linked, self._is_open(unit, group, at))
            else:
                self._named(unit, group, nodes, targets, linked)
        if unit.stars:
            self._star_names(unit, [places[at] for at in range(ends[0])], linked)

    @staticmethod
    def _may_mean_definition(unit: Unit, group: int) -> bool:
        """Locals of a function mean no definition, unless a def, class or import binds them."""
        if unit.scope_kind[unit.group_scope[group]] not in _LOCAL_SCOPES:
            return True
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            how = unit.how[row]
            if how == How.DEFINE or how == How.MEMBER or how == How.MODULE:
                return True
        return False

    def _named(
        self,
        unit: Unit,
        group: int,
        nodes: list[int],
        targets: dict[Target, int],
        linked: Linked,
        is_open: bool = False,
        bound: bool = False,
    ) -> None:
        """Edges from places of a name to the definitions that it means there. `is_open`: it may be something else too. `bound`: the name
        is given to something there, so that it replaces a definition of that name."""
        local_scope = unit.scope_kind[unit.group_scope[group]] == ScopeKind.FUNCTION
        many = is_open or (len(targets) > 1 and not unit_overloads(self.program, targets))
        for (file, symbol), code in targets.items():
            kind = self.program.unit(file).symbol_kind[symbol]
            if many:
                code = weakened(code, LIKELY)
            if kind == SymbolKind.MODULE:
                continue
            own = file == unit.number
            for node in nodes:
                if own and unit.start[node] == unit.symbol_at[symbol]:
                    continue  # the definition itself
                use = EdgeKind.WRITE if bound and kind not in _DATA else self._context(unit, node, kind)
                if kind == SymbolKind.PROPERTY and own and unit.symbol_flags[unit.owner[node]] & SYMBOL_SETTER:
                    continue  # `@total.setter` is no use of the getter
                its = stepped(code, Step.SCOPE) if own and not local_scope else code or Step.SCOPE
                if use == EdgeKind.CALL or use == EdgeKind.DECORATE:
                    if kind not in _RUNS and kind not in _CLASSLIKE and kind not in _DATA:
                        use = EdgeKind.READ
                    elif kind in _RUNS and self._is_replaced(unit, node, file, symbol):
                        its = weakened(stepped(stepped(its, Step.IMPLICIT), Step.ARGUMENT), LIKELY)
                linked.add_edge(unit.owner[node], file, symbol, use, its, node)
                if use == EdgeKind.WRITE and unit.kind[unit.parent[node]] == Kind.AUGMENT:
                    linked.add_edge(unit.owner[node], file, symbol, EdgeKind.READ, its, node)

    @staticmethod
    def _hangs_on_place(unit: Unit, group: int) -> bool:
        """Whether a name is bound more than once, and a definition or import is one of what it is bound to: which, the place decides."""
        first, last = unit.group_first[group], unit.group_first[group + 1]
        if last - first < 2 or unit.is_script or unit.scope_kind[unit.group_scope[group]] not in _RUN_IN_ORDER:
            return False
        hows = unit.how[first:last]
        return How.DEFINE in hows or How.MEMBER in hows

    @staticmethod
    def _is_open(unit: Unit, group: int, rows: tuple[int, ...]) -> bool:
        """Of bindings of a name that may hold: is the name local, and one of them a value, which is not told here? `None` is none."""
        return unit.scope_kind[unit.group_scope[group]] == ScopeKind.FUNCTION and any(
            unit.how[row] not in (How.DEFINE, How.MEMBER, How.MODULE)
            and (unit.value[row] < 0 or unit.kind[unit.value[row]] != Kind.LITERAL)
            for row in rows
        )

    def _absent_name(self, unit: Unit, group: int) -> str:
        """The name that an import asks of a project file which does not have it; "" for other groups."""
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            if unit.how[row] == How.MEMBER and unit.extra[row] in self._absent:
                return unit.names[unit.import_member[unit.extra[row]]]
        return ""

    def _absent_member(self, unit: Unit, node: int, name_node: int, values: Values, is_call: bool, linked: Linked) -> None:
        """`module.name` of a project file that has no such name: its `__getattr__` answers, or the name is missing."""
        name = unit.text(name_node)
        for value, code in values.items():
            if value[0] != MODULE or (name.startswith("__") and name.endswith("__")):
                continue
            other = self.program.unit(value[1])
            self.evaluator.look("top", other, 0, name)
            self.evaluator.look("top", other, 0, "__getattr__")
            self.evaluator.look("face", other, 0, "")
            if not other.is_script and self._is_passed_on(value[1], name) and not self.evaluator.member(value, code, name, FUEL):
                linked.leave_open(unit.owner[node], name, name_node, is_call, Unresolved.DYNAMIC)
                continue
            if other.is_script or name in other.module_names or not RUN_TIME_NAMES.isdisjoint(other.names) or other.has_all == 2:
                continue
            answers = other.module_names.get("__getattr__")
            if answers is not None:
                for symbol in other.defines(answers):
                    linked.add_edge(unit.owner[node], value[1], symbol, EdgeKind.ACCESS, stepped(code, Step.IMPLICIT), name_node)
            elif all(one[0] == MODULE for _, row in other.stars for one in self.evaluator.imported_star(other, row)):
                linked.leave_open(unit.owner[node], name, name_node, is_call, Unresolved.MISSING)

    def _is_replaced(self, unit: Unit, node: int, file: int, symbol: int) -> bool:
        """Whether a decorator has put another function behind the name or attribute at `node`: the function itself is then called
        by that one, with the arguments that are written here, as far as we know."""
        other = self.program.unit(file)
        if other.kind[other.parent[other.symbol_node[symbol]]] != Kind.DECORATED or other.symbol_flags[symbol] & SYMBOL_OVERLOAD:
            return False
        runs = [value[1:3] for value in self.evaluator.values(unit, node, FUEL) if value[0] in (FUNCTION, METHOD)]
        return bool(runs) and (file, symbol) not in runs

    def _star_names(self, unit: Unit, nodes: list[int], linked: Linked) -> None:
        known: dict[int, dict[Target, int]] = {}
        for node in nodes:
            above = unit.parent[node]
            what = unit.kind[above]
            if (what == Kind.ATTRIBUTE and node != above + 1) or (what == Kind.KEYWORD and node == above + 1) or what in _IMPORT_PARTS:
                continue
            name = unit.name[node]
            targets = known.get(name)
            if targets is None:
                targets = known[name] = self._star_symbols(unit, unit.text(node), FUEL)
            for (file, symbol), code in targets.items():
                kind = self.program.unit(file).symbol_kind[symbol]
                if kind != SymbolKind.MODULE:
                    linked.add_edge(unit.owner[node], file, symbol, self._context(unit, node, kind), code, node)

    def _context(self, unit: Unit, node: int, kind: int) -> int:
        """How the name or attribute at `node` uses a symbol of that kind."""
        parent, kinds = unit.parent, unit.kind
        above = parent[node]
        what = kinds[above]
        if what in (Kind.CALL, Kind.NEW) and node == above + 1:
            if kinds[parent[above]] == Kind.DECORATOR:
                return EdgeKind.DECORATE
            return EdgeKind.CALL if kind != SymbolKind.PROPERTY else EdgeKind.ACCESS
        if what == Kind.DECORATOR:
            return EdgeKind.DECORATE if kind not in _DATA else EdgeKind.READ
        if kind == SymbolKind.PROPERTY:
            return EdgeKind.READ if kinds[node] == Kind.NAME and not unit.is_script else EdgeKind.ACCESS
        if what == Kind.ARGS and kinds[parent[above]] == Kind.CLASS:
            return EdgeKind.INHERIT if kind not in _DATA else EdgeKind.READ
        if what in (Kind.JSX_OPENING, Kind.JSX):
            return EdgeKind.CALL
        if what == Kind.HERITAGE:
            return EdgeKind.INHERIT
        if what == Kind.IMPLEMENTS:
            return EdgeKind.IMPLEMENT
        if (
            what == Kind.SUBSCRIPT
            and kinds[parent[above]] == Kind.ARGS
            and kinds[parent[parent[above]]] == Kind.CLASS
            and node == above + 1
        ):
            return EdgeKind.INHERIT
        while what in _TYPE_PARTS:
            if what == Kind.TYPE:
                return EdgeKind.TYPE
            above = parent[above]
            what = kinds[above]
        above = parent[node]
        what = kinds[above]
        if kind in _DATA:
            if what in (Kind.ASSIGN, Kind.AUGMENT, Kind.DELETE, Kind.FOR, Kind.AS) and (node == above + 1 or what == Kind.AS):
                return EdgeKind.WRITE
            return EdgeKind.READ
        if kind in _RUNS and what != Kind.ATTRIBUTE:
            return EdgeKind.PASS
        if (
            kind in _CLASSLIKE
            and what in (Kind.ARGS, Kind.KEYWORD, Kind.PAIR, Kind.LIST, Kind.RETURN, Kind.ASSIGN)
            and kinds[parent[above]] != Kind.CLASS
        ):
            if what == Kind.ARGS and kinds[parent[above]] == Kind.CALL and unit.text(parent[above] + 1) in ("isinstance", "issubclass"):
                return EdgeKind.TYPE
            return EdgeKind.PASS
        return EdgeKind.READ

    # attributes

    def _is_plain(self, values: Values, name: str) -> bool:
        """Whether calling the values is all there is to say of `x.name`: they are the functions and classes of that name themselves."""
        for value in values:
            if value[0] not in (FUNCTION, METHOD, CLASS):
                return False
            other = self.program.unit(value[1])
            symbol = value[2]
            if other.symbol_text(symbol) != name or other.symbol_flags[symbol] & SYMBOL_DECORATED or other.is_script:
                return False
            if self.evaluator.overloads(other, symbol):
                return False
        return True

    def _attribute(self, unit: Unit, node: int, linked: Linked) -> None:
        if self._marks[node] & _DONE:
            return
        base = node + 1
        name_node = unit.next[base]
        if name_node >= unit.next[node]:
            return
        first = self.evaluator.first_alike(unit, node)
        if self._marks[first] & _SILENT:
            return
        owner = unit.owner[node]
        above = unit.parent[node]
        if self.is_late and node == above + 1 and unit.kind[above] == Kind.CALL:
            self._run_stored(unit, node, name_node, linked)
        reading = self._readings[first]
        hangs = False  # on what callers pass too
        if reading is None:
            raw = self.evaluator.values(unit, base, FUEL)
            values = self._known(raw, linked) if self.is_late or has_symbolic(raw) else raw
            reading = self._reading(values, unit.text(name_node))
            if values is raw:
                self._readings[first] = reading
            else:
                hangs = True
        found, more, outside, values = reading
        if node == above + 1 and (unit.kind[above] == Kind.ASSIGN or unit.kind[above] == Kind.AUGMENT) and not self.is_late:
            if more and unit.kind[above] == Kind.ASSIGN:
                more = [one for one in more if one[2] >= HINT_RECEIVER]  # nothing is read
            more = more + self._stored_by(values)
        for file, symbol, use, code in more:
            linked.add_edge(owner, file, symbol, use, code, name_node)
        if not found:
            name = unit.text(name_node)
            is_call = unit.kind[above] in (Kind.CALL, Kind.NEW) and node == above + 1
            if not outside and (hangs or not self._are_closed(values)):
                if not self.is_late:
                    linked.leave_open(owner, name, name_node, is_call, Unresolved.RECEIVER)
                    for value in values:
                        if value[0] in (SELF, SELF_CLASS, SUPER):
                            linked.add_edge(owner, value[1], value[2], HINT_SUPER if value[0] == SUPER else HINT_SELF, 0, name_node)
                    for value, code in values.items():
                        if value[0] == INSTANCE and _is_declared(code):
                            linked.add_edge(owner, value[1], value[2], HINT_BELOW, 0, name_node)
            elif not outside and not self.is_late:
                self._absent_member(unit, node, name_node, values, is_call, linked)
            elif outside and not more and not hangs:
                self._marks[first] |= _SILENT
            return
        writes = self._is_written(unit, node)
        for (file, symbol), code in found.items():
            other = self.program.unit(file)
            kind = other.symbol_kind[symbol]
            if kind == SymbolKind.MODULE or (file == unit.number and unit.start[name_node] == unit.symbol_at[symbol]):
                continue
            use = self._context(unit, node, kind)
            if writes:
                use = EdgeKind.ACCESS if kind == SymbolKind.PROPERTY else EdgeKind.WRITE
                if kind == SymbolKind.PROPERTY:
                    if unit.kind[above] == Kind.AUGMENT:
                        linked.add_edge(owner, file, symbol, use, code, name_node)
                    symbol = self._setter(other, symbol)
            if use in (EdgeKind.CALL, EdgeKind.DECORATE) and kind in _RUNS and self._is_replaced(unit, node, file, symbol):
                code = weakened(stepped(stepped(code, Step.IMPLICIT), Step.ARGUMENT), LIKELY)
            linked.add_edge(owner, file, symbol, use, code, name_node)
            if kind == SymbolKind.FIELD:
                if writes:
                    self._stored_through(unit, node, file, symbol, linked)
                elif node == above + 1 and unit.kind[above] == Kind.CALL and not self.is_late:
                    self._field_call(owner, values, file, symbol, name_node, linked)
            if writes and use == EdgeKind.WRITE and unit.kind[above] == Kind.AUGMENT:
                linked.add_edge(owner, file, symbol, EdgeKind.READ, code, name_node)
            if kind == SymbolKind.FIELD and (runs := self._descriptor(file, symbol)):
                wanted = "__set__" if writes else "__get__"
                for name, target in runs:
                    if name == wanted:
                        linked.add_edge(owner, target[0], target[1], EdgeKind.ACCESS, stepped(code, Step.IMPLICIT), name_node)

    def _field_call(self, owner: int, receivers: Values, file: int, symbol: int, place: int, linked: Linked) -> None:
        """A field is called: what is assigned to it through other names than `self` may run, and on `self` what a subclass holds in it."""
        if any(value[0] in (SELF, SELF_CLASS) for value in receivers):
            linked.add_edge(owner, file, symbol, HINT_FIELD, 0, place)
        linked.later.append((self.site, frozenset(((PARAM, file, symbol, 0),))))

    def _run_stored(self, unit: Unit, node: int, place: int, linked: Linked) -> None:
        """A field is called, and what is assigned to it through other names than `self` is known now: see `_stored_through`."""
        found: Values = {}
        for value in self.evaluator.values(unit, node + 1, FUEL):
            for (file, symbol), _, _ in self._member_targets(value, unit.text(place))[0] if value[0] in _RECEIVERS else ():
                found |= self.evaluator.params.get((PARAM, file, symbol, 0))
        positional, keywords = self.evaluator.arguments(unit, unit.parent[node]) if found else ([], {})
        for value, code in found.items():
            if not is_symbolic(value):
                self._run(unit, unit.parent[node], place, value, code, positional, keywords, EdgeKind.CALL, linked, written=True)

    def _reading(self, values: Values, name: str) -> Reading:
        """What reading a member of these values means, wherever it is done."""
        found: dict[Target, int] = {}
        more: list[tuple[int, int, int, int]] = []
        outside = False
        for value, code in values.items():
            tag: int = value[0]
            targets, external = self._member_targets(value, name)
            if tag == METHOD and not targets:
                for one, its in self.evaluator.as_property(value, code, FUEL).items():
                    for target, of_target, step in self._member_targets(one, name)[0]:
                        found[target] = self._join(its, of_target, step)
            answers = self._answers(value, name, code) if not targets and tag in (INSTANCE, SELF) else None
            if answers is not None:
                more += answers
                external = True
            outside = outside or external
            for target, its, step in targets:
                its = self._join(code, its, step)
                old = found.get(target)
                if old is None or its < old:
                    found[target] = its
                if tag in _RECEIVERS and self._is_inherited(value, target[0], target[1]):
                    more.append((value[1], value[2], HINT_RECEIVER, 0))
        return found, more, outside, values

    @staticmethod
    def _setter(unit: Unit, symbol: int) -> int:
        """What assigning a property runs: its setter, if it has one."""
        group = unit.class_names.get(unit.symbol_parent[symbol], NO_NAMES)[0].get(unit.symbol_text(symbol))
        setters = [one for one in unit.defines(group) if unit.symbol_flags[one] & SYMBOL_SETTER] if group is not None else []
        return setters[0] if setters else symbol

    def _hint(self, owner: int, place: int, receiver: Value, file: int, symbol: int, linked: Linked) -> None:
        """A method that the receiver's class inherits: of what overrides it, only subclasses of the receiver's class count."""
        if self._is_inherited(receiver, file, symbol):
            linked.add_edge(owner, receiver[1], receiver[2], HINT_RECEIVER, 0, place)

    def _is_inherited(self, receiver: Value, file: int, symbol: int) -> bool:
        return bool(file != receiver[1] or self.program.unit(file).symbol_parent[symbol] != receiver[2])

    def _answers(self, value: Value, name: str, code: int) -> list[tuple[int, int, int, int]] | None:
        """`__getattr__` runs for what an object does not have; None where there is none."""
        member = self.evaluator.find_member(value, "__getattr__") if not name.startswith("__") else None
        if member is None:
            return None
        if self.evaluator.is_stored(value, name):
            return []
        code = weakened(stepped(code, Step.IMPLICIT), LIKELY)
        return [(member[0].number, symbol, EdgeKind.ACCESS, code) for symbol in member[0].defines(member[1])]

    def _stored_by(self, values: Values) -> list[tuple[int, int, int, int]]:
        """`__setattr__` runs for what is assigned to an object."""
        found: list[tuple[int, int, int, int]] = []
        for value, code in values.items():
            member = self.evaluator.find_member(value, "__setattr__") if value[0] in (INSTANCE, SELF) else None
            if member is not None:
                found += [(member[0].number, one, EdgeKind.ACCESS, stepped(code, Step.IMPLICIT)) for one in member[0].defines(member[1])]
        return found

    def _descriptor(self, file: int, symbol: int) -> list[tuple[str, Target]]:
        """What reading and assigning a field of a class runs, where the class gives it a descriptor."""
        known = self._descriptors.get((file, symbol))
        if known is None:
            begin = len(self.evaluator.used)
            unit, found = self.program.unit(file), []
            owner = unit.symbol_parent[symbol]
            group = unit.class_names.get(owner, NO_NAMES)[1].get(unit.symbol_text(symbol))
            if group is not None and not unit.is_script:
                for value in self.evaluator.remembered(MEMBER, unit, group, FUEL):
                    for name in ("__get__", "__set__") if value[0] == INSTANCE else ():
                        member = self.evaluator.find_member(value, name)
                        if member is not None:
                            found += [(name, (member[0].number, one)) for one in member[0].defines(member[1])]
            self._descriptors[file, symbol] = (found, self.evaluator.gateways.joined(self.evaluator.used, begin))
            return found
        self.evaluator.saw(known[1])
        return known[0]

    @staticmethod
    def _is_written(unit: Unit, node: int) -> bool:
        above = unit.parent[node]
        return unit.kind[above] in (Kind.ASSIGN, Kind.AUGMENT) and node == above + 1

    def _is_closed(self, value: Value) -> bool:
        """Whether all members of a value are known, so that a name it lacks is no open question."""
        return value[0] in _CLOSED

    def _are_closed(self, values: Values) -> bool:
        for value in values:
            if not self._is_closed(value):
                return False
        return bool(values)

    def _known(self, values: Values, linked: Linked, most: int = MAX_VALUES) -> Values:
        """The values, those that depend on arguments put off or, later, replaced by `most` others."""
        if not has_symbolic(values):
            return {} if self.is_late else values
        if self.is_late:
            symbolic = values if len(values) == 1 else {value: code for value, code in values.items() if is_symbolic(value)}
            return self.evaluator.expanded(symbolic, most=most)
        roots: list[Value] = []
        others: Values = {}
        for value, code in values.items():
            root = root_of(value)
            if root is None:
                others[value] = code
            elif root not in roots:
                roots.append(root)
        linked.later.append((self.site, self._frozen(roots)))
        return others

    def _frozen(self, roots: list[Value]) -> frozenset[Value]:
        """Equal ones as one object: of ten nine are as one before, and nearly all are of one parameter."""
        if len(roots) != 1:
            frozen = frozenset(roots)
            return self._roots.setdefault(frozen, frozen)
        known = self._single_roots.get(roots[0])
        if known is None:
            known = self._single_roots[roots[0]] = frozenset(roots)
        return known

    def _member_targets(self, value: Value, name: str) -> tuple[list[tuple[Target, int, int]], bool]:
        """The definitions that `value.name` means, and whether it is outside the project."""
        tag: int = value[0]
        if tag in (EXTERNAL, EXTERNAL_INSTANCE):
            return [], True
        of_name = self._targets.get(name)
        if of_name is None:
            of_name = self._targets[name] = {}
        known = of_name.get(value)
        if known is None:
            cut: tuple[list[tuple[Target, int, int]], bool] = ([], False)
            return self.evaluator.settled(of_name, value, lambda: self._find_targets(value, name), cut)
        self.evaluator.saw(known[1])
        kept: tuple[list[tuple[Target, int, int]], bool] = known[0]
        return kept

    def _find_targets(self, value: Value, name: str) -> tuple[list[tuple[Target, int, int]], bool]:
        tag: int = value[0]
        if tag == MODULE:
            found = self.module_symbols(self.program.unit(value[1]), name, FUEL)
            return [(target, its, Step.ATTRIBUTE) for target, its in found.items()], False
        if tag in (INSTANCE, SELF, CLASS, SELF_CLASS, SUPER):
            member = self.evaluator.find_member(value, name)
            if member is not None:
                unit, group, _ = member
                step = Step.SUPER if tag == SUPER else Step.ATTRIBUTE
                symbols = self.group_symbols(unit, group)
                kinds = {unit.symbol_kind[symbol] for file, symbol in symbols if file == unit.number}
                if len(symbols) > 1 and kinds == {SymbolKind.PROPERTY} and not unit.is_script:
                    symbols = dict([min(symbols.items())])
                if others := self.evaluator.alternatives(value, name, member):
                    symbols = {target: its for one in [member, *others] for target, its in self.group_symbols(one[0], one[1]).items()}
                    return [(target, weakened(its, LIKELY), step) for target, its in symbols.items()], False
                return [(target, its, step) for target, its in symbols.items()], False
            return [], self.evaluator.is_outside(value)
        return [], False

    @staticmethod
    def _join(code: int, its: int, step: int) -> int:
        return Evaluator._joined(code, its, step)

    # calls

    def _call(self, unit: Unit, node: int, linked: Linked) -> None:
        function = node + 1
        if function >= unit.next[node]:
            return
        is_member = unit.kind[function] == Kind.ATTRIBUTE
        first = self.evaluator.first_alike(unit, function) if is_member else -1
        if is_member and self._marks[first] & _SILENT_CALL:
            return
        raw = self.evaluator.values(unit, function, FUEL)
        values = self._known(raw, linked, MAX_CALLED) if self.is_late or has_symbolic(raw) else raw
        if self.is_late:  # what is outside may run what it is given, which was not known before
            values = values | {value: code for value, code in raw.items() if value[0] == EXTERNAL}
        if not is_member and unit.kind[function] == Kind.NAME and (group := unit.group[function]) >= 0 and unit.group_scope[group] == 0:
            values = self._of_constant(unit, group, values, linked)
        place = unit.next[function + 1] if is_member and unit.next[function + 1] < unit.next[function] else function
        if values:
            if is_member and self._is_plain(values, unit.text(place)):
                self._marks[function] |= _DONE
            if self._runs_nothing(values):
                if is_member and values is raw:
                    self._marks[first] |= _SILENT_CALL
                return
            decorates = unit.kind[unit.parent[node]] == Kind.DECORATOR
            kind = EdgeKind.DECORATE if decorates else EdgeKind.CALL
            positional, keywords = self.evaluator.arguments(unit, node)
            few = len(values) <= MAX_VALUES  # else what is passed goes to too many functions to say something of any
            for value, code in values.items():
                self._run(unit, node, place, value, code, positional, keywords, kind, linked, written=few)
        elif is_member:
            name = unit.text(place)
            if name in _TOLD_METHODS:
                positional, keywords = self.evaluator.arguments(unit, node)
                self._unknown_method(unit, function, name, positional, keywords, linked)
            elif values is raw or not raw:
                self._marks[first] |= _SILENT_CALL
        if not raw and not self.is_late and unit.kind[function] == Kind.NAME:
            group = unit.group[function]
            if group < 0:
                linked.leave_open(unit.owner[node], unit.text(function), function, True, Unresolved.NAME)
            elif (
                unit.kind[node] == Kind.CALL
                and not self.group_symbols(unit, group)
                and not (self._absent and self._absent_name(unit, group))
            ):
                linked.leave_open(unit.owner[node], unit.text(function), function, True, Unresolved.DYNAMIC)

    def _runs_nothing(self, values: Values) -> bool:
        """Whether calling any of the values is known to run nothing of the project."""
        for value in values:
            if value[0] == EXTERNAL and not self._plan(value[1]):
                continue
            return False
        return True

    def _plan(self, name: str) -> frozenset[str]:
        plan = self._plans.get(name)
        if plan is None:
            plan = self._plans[name] = _plan(name)
        return plan

    def _of_constant(self, unit: Unit, group: int, values: Values, linked: Linked) -> Values:
        """What a constant of the file that is called holds, with what other files assign to it."""
        constant = unit.fields.get((0, unit.names[unit.group_name[group]])) if unit.how[unit.group_first[group]] == How.ASSIGN else None
        if constant is None or unit.is_script:
            return values
        hook: Value = (PARAM, unit.number, constant, 0)
        if self.is_late:
            return values | self.evaluator.params.get(hook)
        linked.later.append((self.site, frozenset((hook,))))
        return values

    def _stored_through(self, unit: Unit, node: int, file: int, field: int, linked: Linked) -> None:
        """`box.step = quick`: what is assigned to a field of some object is passed to the field, as it were."""
        value = unit.next[node]
        if unit.kind[unit.parent[node]] != Kind.ASSIGN or node not in unit.store_targets or unit.kind[value] not in _HOLDING:
            return
        passed = {
            one: code for one, code in self.evaluator.values(unit, value, FUEL).items()
            if one[0] in (FUNCTION, CLASS, METHOD, PARTIAL) or one[0] >= PARAM
        }  # fmt: skip
        if passed:
            linked.flows.append(((PARAM, file, field, 0), passed))

    def _unknown_method(
        self, unit: Unit, function: int, name: str, positional: list[int], keywords: dict[str, int], linked: Linked
    ) -> None:
        """A method of something outside the project, or unknown, is called by that name: it may run what it is given."""
        if name in CALLS_ARGUMENT_METHODS:
            rest = positional[GIVES_THE_REST[name] + 1 :] if name in GIVES_THE_REST else []
            given = [self.evaluator.values(unit, one, FUEL) for one in rest]
            self._callbacks(unit, [positional[at] for at in CALLS_ARGUMENT_METHODS[name] if at < len(positional)], linked, given)
        if name in CALLS_KEYWORD_METHODS:
            called = [keywords[key] for key in CALLS_KEYWORD_METHODS[name] if key in keywords]
            if called:
                self._callbacks(unit, called, linked, [self.evaluator.elements(self.evaluator.values(unit, function + 1, FUEL), FUEL)])
        elif name in PATCH_METHODS and positional:
            self._patched(unit, positional, linked)
        elif name in METHODS_THAT_ITERATE:
            for argument in positional:
                self._dunder(unit, argument, ("__iter__",), linked, iterates=True)
                if name == "extend":
                    self._dunder(unit, argument, ("__len__", "__length_hint__"), linked)
        elif name == "format" and unit.kind[function + 1] == Kind.STRING:
            for argument in positional:
                self._dunder(unit, argument, ("__format__", "__str__", "__repr__"), linked)

    def _patched(self, unit: Unit, positional: list[int], linked: Linked) -> None:
        """A test replaces something that it names by a dotted path, or by an object and a name."""
        texts = [str(value[1]) for value in self.evaluator.values(unit, positional[0], FUEL) if value[0] == TEXT]
        at, found = positional[0], {}
        if texts:
            found = {target: code for text in texts for target, code in self._at_path(unit, text).items()}
        elif len(positional) > 1:
            at = positional[1]
            for value, code in self.evaluator.values(unit, positional[0], FUEL).items():
                for name in self.evaluator.keys_of(unit, at, FUEL):
                    found.update({target: code for target, _, _ in self._member_targets(value, name)[0]})
        for (file, symbol), code in found.items():
            kind = self.program.unit(file).symbol_kind[symbol]
            use = EdgeKind.PASS if kind in _RUNS or kind in _CLASSLIKE else EdgeKind.READ
            if kind != SymbolKind.MODULE:
                linked.add_edge(unit.owner[at], file, symbol, use, weakened(stepped(code, Step.IMPLICIT), POSSIBLE), at)

    def _path_in_text(self, unit: Unit, node: int, linked: Linked) -> None:
        """`STORAGE = "package.module.Class"`, `"package.module:run"`: what a text names by its whole path, somebody loads."""
        text = unit.text(node).replace(":", ".")
        first = self.evaluator.module_value(unit, text.partition(".")[0], 0)
        if self.is_late or self._names_replaced(unit, unit.parent[node]) or not any(value[0] in (MODULE, FOLDER) for value in first):
            return
        for (file, symbol), code in self._at_path(unit, text).items():
            kind = self.program.unit(file).symbol_kind[symbol]
            if kind in _RUNS or kind in _CLASSLIKE:
                its = weakened(stepped(code, Step.IMPLICIT), LIKELY)
                linked.add_edge(unit.owner[node], file, symbol, EdgeKind.PASS, its, unit.parent[node])

    @staticmethod
    def _names_replaced(unit: Unit, text: int) -> bool:
        """Whether a text names what a test puts something else in the place of: see `_patched`."""
        call = unit.parent[unit.parent[text]]
        if unit.kind[unit.parent[text]] != Kind.ARGS or unit.kind[call] != Kind.CALL:
            return False
        return unit.text(unit.next[call + 2] if unit.kind[call + 1] == Kind.ATTRIBUTE else call + 1) in PATCH_METHODS

    def _at_path(self, unit: Unit, text: str) -> dict[Target, int]:
        """`package.module.Class.method` -> what it names in the project."""
        parts = text.split(".")
        if not all(part.isidentifier() for part in parts):
            return {}
        for end in range(len(parts) - 1, 0, -1):
            values = {
                value: code for value, code in self.evaluator.module_value(unit, ".".join(parts[:end]), 0).items() if value[0] == MODULE
            }
            for part in parts[end:-1]:
                values = self.evaluator.members(values, part, FUEL)
            if values:
                return {target: code for value, code in values.items() for target, _, _ in self._member_targets(value, parts[-1])[0]}
        return {}

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
        """Edges for running `value` at a place, and what is passed to it."""
        tag: int = value[0]
        owner = unit.owner[node]
        if tag in (FUNCTION, METHOD):
            linked.add_edge(owner, value[1], value[2], kind, code, place)
            if tag == METHOD and value[3][0] in _RECEIVERS:
                self._hint(owner, place, value[3], value[1], value[2], linked)
            if written:
                self._flow(unit, value, value[3] if tag == METHOD else None, positional, keywords, linked)
                other = self.program.unit(value[1])
                if other.symbol_flags[value[2]] & SYMBOL_DISPATCH and not other.is_script:
                    added = other.registered.get(value[2], [])
                    self.evaluator.look("registered", other, value[2], "")
                    code = weakened(stepped(code, Step.DISPATCH), LIKELY if len(added) == 1 else POSSIBLE)
                    for registered in added:
                        linked.add_edge(owner, value[1], registered, kind, code, place)
            return
        if tag in (CLASS, SELF_CLASS):
            if self.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.NAMESPACE:
                return  # what is called is the function or class that it adds to
            if not self._names_class(code):
                code = weakened(code, LIKELY)  # a variable that holds a class may hold a subclass
            linked.add_edge(owner, value[1], value[2], kind, code, place)
            constructors = self._constructors_of(value)
            if written and not constructors and self.program.unit(value[1]).symbol_flags[value[2]] & SYMBOL_RECORD:
                self._fill_fields(unit, value, positional, keywords, linked)
            for other, symbol in constructors:
                linked.add_edge(owner, other.number, symbol, kind, stepped(code, Step.CONSTRUCT), place)
                if written:
                    self._flow(unit, (METHOD, other.number, symbol, value), value, positional, keywords, linked)
            return
        if tag in (INSTANCE, SELF):
            for one, its in self.evaluator.member(value, code, "__call__", FUEL).items():
                if one[0] == METHOD:
                    linked.add_edge(owner, one[1], one[2], kind, stepped(its, Step.IMPLICIT), place)
                    if written:
                        self._flow(unit, one, value, positional, keywords, linked)
            return
        if tag == PARTIAL:
            self._run(unit, node, place, value[1], code, positional, keywords, kind, linked, written=False)
            return
        if tag == ONE_OF:
            self._any_of(unit, node, place, value[1], kind, linked)
            return
        if tag == LIKE and value[1][0] in _RECEIVERS:
            linked.add_edge(owner, value[1][1], value[1][2], HINT_LIKE, 0, place)
            linked.leave_open(owner, f"{value[2]}*{value[3]}", place, True, Unresolved.DYNAMIC)
            return
        if tag == CONTAINER_METHOD and value[2] in TAKES_KEY and not unit.is_script:
            if positional and unit.kind[node + 1] == Kind.ATTRIBUTE:
                self._looked_for(unit, positional[0], node + 2, linked)
            return
        if tag == CONTAINER_METHOD and (value[2] in CALLS_KEYWORD_METHODS or value[2] in METHODS_THAT_ITERATE) and not self.is_late:
            self._unknown_method(unit, node + 1, value[2], positional, keywords, linked)
            return
        if tag == EXTERNAL:
            self._external(unit, node, value[1], positional, keywords, linked)

    def _fill_fields(self, unit: Unit, value: Value, positional: list[int], keywords: dict[str, int], linked: Linked) -> None:
        """What a call passes to the fields of a dataclass or named tuple that has no constructor of its own."""
        other = self.program.unit(value[1])
        if other.is_script:
            return
        self.evaluator.look("order", other, value[2], "")
        fields = other.fields_in_order(value[2])
        given = [*enumerate(positional), *((fields.index(name), node) for name, node in keywords.items() if name in fields)]
        for index, argument in given:
            if index < len(fields) and _MAY_MATTER[unit.kind[argument]]:
                values = self.evaluator.values(unit, argument, FUEL)
                passed = {one: code for one, code in values.items() if one[0] in _PASSED or one[0] >= PARAM}
                if passed:
                    linked.flows.append(((PARAM, value[1], value[2], index), passed))

    def _any_of(self, unit: Unit, node: int, place: int, container: Value, kind: int, linked: Linked) -> None:
        """One of the many functions and classes that a container holds is called."""
        owner, found = unit.owner[node], []
        for value in self.evaluator.container_items(container, None, FUEL, whole=True):
            if value[0] in (FUNCTION, METHOD, CLASS):
                found.append(value[1:3])
                found += [(other.number, symbol) for other, symbol in self._constructors_of(value)] if value[0] == CLASS else []
        if 0 < len(found) <= _MAX_ONE_OF:
            code = POSSIBLE | stepped(int(Step.ELEMENT), Step.IMPLICIT)
            for file, symbol in found:
                linked.add_edge(owner, file, symbol, kind, code, place)
        elif not self.is_late:
            linked.leave_open(owner, unit.text(place), place, True, Unresolved.AMBIGUOUS)

    def _constructors_of(self, value: Value) -> list[tuple[Unit, int]]:
        """What making an instance of a class runs."""
        known: tuple[list[tuple[Unit, int]], Seen, bool] | None = self._constructors.get(value[1:3])
        if known is not None:
            self.evaluator.saw(known[1])
            return known[0]
        names = ("constructor",) if self.program.unit(value[1]).is_script else ("__init__", "__new__", "__post_init__")

        def found() -> list[tuple[Unit, int]]:
            members = [self.evaluator.find_member((INSTANCE, value[1], value[2]), name) for name in names]
            members += [self.evaluator.find_member(meta, "__call__") for meta in self._metaclasses(value[1], value[2])]
            return [(member[0], symbol) for member in members if member is not None for symbol in member[0].defines(member[1])]

        return self.evaluator.settled(self._constructors, value[1:3], found, [], nested=False)

    def _metaclasses(self, number: int, symbol: int) -> list[Value]:
        """The metaclass of the project that a class has, its own or a base's, as an instance of it."""
        if self.program.unit(number).is_script:
            return []

        def found() -> list[Value]:
            every = (self.evaluator.metaclass(self.program.unit(file), base) for file, base in self.evaluator.order(number, symbol))
            return next((metaclasses for metaclasses in every if metaclasses), [])

        known: tuple[list[Value], Seen, bool] | None = self._metas.get((number, symbol))
        if known is None:
            return self.evaluator.settled(self._metas, (number, symbol), found, [], nested=False)
        self.evaluator.saw(known[1])
        return known[0]

    @staticmethod
    def _names_class(code: int) -> bool:
        """Whether a chain only follows names: scopes, imports and attributes."""
        chain = code & CHAIN_MASK
        while chain:
            if chain & 15 not in NAMING:
                return False
            chain >>= 4
        return True

    def _external(self, unit: Unit, node: int, name: str, positional: list[int], keywords: dict[str, int], linked: Linked) -> None:
        """Something outside the project is called: it may run what it is given."""
        plan = self._plan(name)
        if not plan:
            return
        if "callbacks" in plan:
            at, by_name = CALLS_ARGUMENT[name]
            called = [positional[index] for index in at if index < len(positional)] + [keywords[key] for key in by_name if key in keywords]
            if called:
                self._callbacks(unit, called, linked, self._given(unit, name, positional))
        elif "patches" in plan:
            if len(positional) > (name not in PATCHES):
                self._patched(unit, positional, linked)
        elif "partial" in plan:
            given = [self.evaluator.values(unit, one, FUEL) for one in positional[1:]]
            for value in self.evaluator.values(unit, positional[0], FUEL) if positional else ():
                self._fill(value, given, linked)
        elif "fixtures" in plan:
            self._use_fixtures(unit, positional, linked)
        elif "open" in plan:
            at_key = _OPEN_CALLS[name]
            if len(positional) > at_key and (name in _CODE_FROM_TEXT or self.evaluator.keys_of(unit, positional[at_key], FUEL) == ["*"]):
                linked.leave_open(unit.owner[node], name.rpartition(".")[2], self._last_name(unit, node + 1), True, Unresolved.DYNAMIC)
        elif "method" in plan:
            self._unknown_method(unit, node + 1, name.rpartition(".")[2], positional, keywords, linked)
        if "dunder" in plan:
            builtin = name.removeprefix("builtins.")
            for argument in positional:
                self._dunder(unit, argument, DUNDER_OF_BUILTIN[builtin], linked, iterates=builtin in ITERATES)
                if builtin in ASKS_FOR_LENGTH:
                    self._dunder(unit, argument, ("__len__", "__length_hint__"), linked)
            if builtin in ACTS_ON_ELEMENTS and len(positional) == 1 and "key" not in keywords:
                for dunder in ACTS_ON_ELEMENTS[builtin]:
                    self._elements_act(unit, positional[0], dunder, linked)
        if "compares" in plan and "key" not in keywords:
            for argument in positional:
                self._compared(unit, argument, linked)
        if "iterates" in plan:
            first, to_the_end = ITERATED.get(name, (0, True))
            for argument in positional[first : None if to_the_end else first + 1]:
                self._dunder(unit, argument, ("__iter__",), linked, iterates=True)

    @staticmethod
    def _last_name(unit: Unit, node: int) -> int:
        return unit.next[node + 1] if unit.kind[node] == Kind.ATTRIBUTE else node

    def _given(self, unit: Unit, name: str, positional: list[int]) -> list[Values]:
        """What a function of the library passes to the function that it is given."""
        evaluator = self.evaluator
        if name == "builtins.map":
            return [evaluator.elements(evaluator.values(unit, one, FUEL), FUEL) for one in positional[1:]]
        at = GIVES_ELEMENTS.get(name)
        if at is not None and at < len(positional):
            return [evaluator.elements(evaluator.values(unit, positional[at], FUEL), FUEL)] * (2 if name == "functools.reduce" else 1)
        at = GIVES_THE_REST.get(name)
        return [evaluator.values(unit, one, FUEL) for one in positional[at + 1 :]] if at is not None else []

    def _use_fixtures(self, unit: Unit, names: list[int], linked: Linked) -> None:
        for node in names:
            owner = unit.owner[node]
            for name in self.evaluator.keys_of(unit, node, FUEL):
                for other, fixture in self.evaluator.named_fixture(unit, owner, name):
                    code = stepped(stepped(PROVED, Step.IMPLICIT), Step.SCOPE)
                    linked.add_edge(owner, other.number, fixture, EdgeKind.CALL, code, node)

    def _callbacks(self, unit: Unit, arguments: list[int], linked: Linked, given: list[Values] | None = None) -> None:
        """Functions that something runs, with what it passes to them."""
        for argument in arguments:
            values = self.evaluator.values(unit, argument, FUEL)
            for value, code in self._known(values, linked).items():
                its = weakened(stepped(code, Step.IMPLICIT), LIKELY)
                self._run(unit, argument, argument, value, its, [], {}, EdgeKind.CALL, linked, written=False)
                if given:
                    self._fill(value, given, linked)

    def _fill(self, callee: Value, given: list[Values], linked: Linked) -> None:
        """The values go to the first parameters of a function of the project."""
        if callee[0] not in (FUNCTION, METHOD):
            return
        other = self.program.unit(callee[1])
        rows = other.params.get(callee[2], [])
        first = 1 if callee[0] == METHOD and not other.symbol_flags[callee[2]] & SYMBOL_STATIC else 0
        self._look_at_parameters(other, callee[2])
        for index in other.key_params.get(callee[2], ()):
            linked.flows.append(((PARAM, callee[1], callee[2], index), {ANY_KEY: LIKELY}))
        for index, values in enumerate(given, first):
            if values and index < len(rows) and not other.param_flags[rows[index]] & (ParamFlag.KEYWORD_ONLY | ParamFlag.DOUBLE_STAR):
                linked.flows.append(((PARAM, callee[1], callee[2], index), values))

    def _keys(self, unit: Unit, linked: Linked) -> None:
        """Parameters that are keys of tables, with their defaults, and functions with such that are handed on: whoever calls these may
        pass any key."""
        for symbol, indexes in unit.key_params.items():
            for index in indexes:
                default = unit.param_default[unit.params[symbol][index]]
                keys = self._keys_at(unit, default) if default >= 0 and unit.kind[default] != Kind.LITERAL else {}
                linked.flows.append(((PARAM, unit.number, symbol, index), {NO_KEY: LIKELY, **keys}))
        edges = linked.edges
        passed: set[Target] = set()
        for at in range(3, len(edges), 6):
            if edges[at] == EdgeKind.PASS and not self._is_listed(unit, edges[at + 2]):
                passed.add((edges[at - 2], edges[at - 1]))
        for file, symbol in sorted(passed):
            other = self.program.unit(file)
            if other.symbol_kind[symbol] == SymbolKind.FUNCTION:
                self._look_at_parameters(other, symbol)
                indexes = other.key_params.get(symbol, [])
                linked.flows += [((PARAM, file, symbol, index), {ANY_KEY: LIKELY}) for index in indexes]

    def _keys_at(self, unit: Unit, node: int) -> Values:
        """The constant keys that an expression gives; any key where it may give something else."""
        values = self.evaluator.values(unit, node, FUEL) if node >= 0 else {}
        keys: Values = {value: LIKELY for value in values if value[0] == TEXT}
        return keys if len(keys) == len(values) > 0 else {ANY_KEY: LIKELY}

    @staticmethod
    def _is_listed(unit: Unit, node: int) -> bool:
        """Does it stand in a list or dict that a name is given to? Who takes it from there is known."""
        above = unit.parent[node]
        while above > 0 and unit.kind[above] in _DISPLAYS:
            above = unit.parent[above]
        return above != unit.parent[node] and above > 0 and unit.kind[above] in (Kind.ASSIGN, Kind.DECLARATOR)

    def _look_at_parameters(self, unit: Unit, function: int) -> None:
        """Who only passes something to a function need not be linked anew when its body changes."""
        known = unit.parameters_looked_at.get(function)
        if known is None:
            if unit.symbol_kind[function] in WITH_PARAMETERS:
                known = self.evaluator.gateways.fact_at("params", unit.place_key(function), "")
            else:
                known = self.evaluator.gateways.fact_at("code", unit.place_key(unit.outermost(function)), "")
            unit.parameters_looked_at[function] = known
        self.evaluator.used.append(known)

    def _flow(
        self, unit: Unit, callee: Value, receiver: Value | None, positional: list[int], keywords: dict[str, int], linked: Linked
    ) -> None:
        """What a call passes to the parameters of a function that is part of the project."""
        if not positional and not keywords:
            return
        other = self.program.unit(callee[1])
        self._look_at_parameters(other, callee[2])
        rows = other.params.get(callee[2])
        if not rows:
            return
        bound = receiver is not None and not other.symbol_flags[callee[2]] & SYMBOL_STATIC
        taken = 1 if bound else 0

        names, declared = self._parameters_of(other, callee[2], rows)
        keys = other.key_params.get(callee[2])
        if keys is None and (all(declared) or not _any_matters(unit, positional, keywords)):
            return
        given: list[tuple[int, int]] = []
        for argument in positional:
            if unit.kind[argument] in (Kind.SPREAD, Kind.KEYWORD_SPREAD):
                break
            if taken < len(rows):
                flags = other.param_flags[rows[taken]]
                if flags & (ParamFlag.KEYWORD_ONLY | ParamFlag.DOUBLE_STAR):
                    break
                given.append((taken, argument))
                if not flags & ParamFlag.STAR:
                    taken += 1
        given += [(names[name], argument) for name, argument in keywords.items() if name in names]
        for index in keys or ():
            nodes = [argument for at, argument in given if at == index]
            if not nodes and not any(unit.kind[one] in (Kind.SPREAD, Kind.KEYWORD_SPREAD) for one in positional):
                continue  # its default, which the function itself has told
            linked.flows.append(((PARAM, callee[1], callee[2], index), self._keys_at(unit, nodes[0] if nodes else -1)))
        for index, argument in given:
            if declared[index] or not _MAY_MATTER[unit.kind[argument]]:
                continue
            values = self.evaluator.values(unit, argument, FUEL)
            if not values:
                continue
            passed: Values = {}
            for value, code in values.items():
                tag: int = value[0]
                if tag >= PARAM or (tag in _PASSED and (tag != CONTAINER or self.program.unit(value[1]).holds_values(value[2]))):
                    passed[value] = code
            if passed:
                linked.flows.append(((PARAM, callee[1], callee[2], index), passed))

    def _parameters_of(self, unit: Unit, symbol: int, rows: list[int]) -> tuple[dict[str, int], list[bool]]:
        """The places of a function's parameters by name, and of each whether its declared type says all there is to know."""
        known: tuple[tuple[dict[str, int], list[bool]], Seen, bool] | None = self._takes.get((unit.number, symbol))
        if known is not None:
            self.evaluator.saw(known[1])
            return known[0]

        def takes() -> tuple[dict[str, int], list[bool]]:
            names = {unit.names[unit.param_name[row]]: index for index, row in enumerate(rows)}
            types = [unit.param_type[row] for row in rows]
            return names, [node >= 0 and self.evaluator.settles(unit, node, self.evaluator.annotated(unit, node, FUEL)) for node in types]

        cut: tuple[dict[str, int], list[bool]] = ({}, [])
        return self.evaluator.settled(self._takes, (unit.number, symbol), takes, cut, nested=False)

    # what the language runs by itself

    def _decorator(self, unit: Unit, node: int, linked: Linked) -> None:
        """A decorator is called with what it decorates."""
        expression = node + 1
        if expression >= unit.next[node]:
            return
        values = self._known(self.evaluator.values(unit, expression, FUEL), linked)
        decorated = unit.kids(unit.parent[node])[-1]
        symbol = unit.symbol_of_node.get(decorated)
        for value, code in values.items():
            if value[0] in (FUNCTION, METHOD, CLASS, INSTANCE, SELF):
                if unit.kind[expression] == Kind.CALL and value[0] == FUNCTION:
                    # What a factory returns is called at each decoration; in one function, and at the top of a file, the first one
                    # stands for all, since the factory itself has an edge from every line.
                    applies = unit.symbol_parent[unit.owner[node]]
                    listed = (applies, value) in self._applied
                    self._applied.add((applies, value))
                else:
                    listed = False
                place = expression
                if unit.kind[expression] == Kind.ATTRIBUTE:
                    place = unit.next[expression + 1]
                if not listed:
                    why = code if unit.kind[expression] != Kind.CALL else stepped(code, Step.IMPLICIT)
                    self._run(unit, node, place, value, why, [], {}, EdgeKind.DECORATE, linked, written=False)
                if symbol is not None and not self.is_late:
                    for file, function, at in self._decorating(value, code):
                        if at < len(self.program.unit(file).params.get(function, ())):
                            passed = self.evaluator.decorated_by(unit, symbol, node, FUEL)
                            given = {one: stepped(weakened(its, LIKELY), Step.IMPLICIT) for one, its in passed.items()}
                            linked.flows.append(((PARAM, file, function, at), given))

    def _decorating(self, value: Value, code: int) -> list[tuple[int, int, int]]:
        """(file, function, parameter) that get what a decorator decorates."""
        if value[0] == FUNCTION:
            return [(value[1], value[2], 0)]
        if value[0] == METHOD:
            return [(value[1], value[2], 0 if self.program.unit(value[1]).symbol_flags[value[2]] & SYMBOL_STATIC else 1)]
        if value[0] == CLASS:
            return [(other.number, symbol, 1) for other, symbol in self._constructors_of(value)]
        return [(*one[1:3], 1) for one in self.evaluator.member(value, code, "__call__", FUEL) if one[0] == METHOD]

    def _dunder(self, unit: Unit, operand: int, names: tuple[str, ...], linked: Linked, iterates: bool = False, place: int = -1) -> bool:
        """The first of some special methods that the operand has is run. Returns whether it has any."""
        if not _OPERANDS[unit.kind[operand]]:
            return False
        values = self.evaluator.values(unit, operand, FUEL)
        for value in values:
            tag: int = value[0]
            if tag in _MAY_ACT or tag >= PARAM:
                break
        else:
            return False
        return self._special(unit, operand, place if place >= 0 else operand, values, names, linked, iterates)

    def _special(
        self,
        unit: Unit,
        operand: int,
        at: int,
        values: Values,
        names: tuple[str, ...],
        linked: Linked,
        iterates: bool = False,
        tier: int = PROVED,
    ) -> bool:
        """The first of some special methods that values have is run at a place. Returns whether any has one."""
        found = False
        for value, code in self._known(values, linked).items():
            if value[0] == CLASS and (metaclasses := self._metaclasses(value[1], value[2])):
                value = metaclasses[0]
            elif value[0] not in (INSTANCE, SELF):
                continue
            for name in names:
                member = self.evaluator.find_member(value, name)
                if member is None:
                    continue
                found = True
                its = weakened(stepped(code, Step.IMPLICIT), tier)
                for symbol in member[0].defines(member[1]):
                    self._hint(unit.owner[operand], at, value, member[0].number, symbol, linked)
                    linked.add_edge(unit.owner[operand], member[0].number, symbol, EdgeKind.ACCESS, its, at)
                    if iterates or name in ("__iter__", "__aiter__"):
                        following = "__anext__" if name == "__aiter__" else "__next__"
                        self._next(unit, operand, member[0], symbol, value, code, following, linked)
                break
        return found

    def _elements_act(self, unit: Unit, node: int, name: str, linked: Linked) -> None:
        """What is done with a container runs a special method of its elements: sorting compares them, a set asks for their hash."""
        if unit.kind[node] in _HOLDS_ELEMENTS:
            values = self.evaluator.elements(self.evaluator.values(unit, node, FUEL), FUEL)
            if any(value[0] in (INSTANCE, SELF) for value in values):
                self._special(unit, node, node, values, (name,), linked, tier=LIKELY)

    def _compared(self, unit: Unit, node: int, linked: Linked) -> None:
        """An argument, or what it holds, is brought in order with others."""
        if _OPERANDS[unit.kind[node]]:
            values = self.evaluator.values(unit, node, FUEL)
            values = values | self.evaluator.elements(values, FUEL)
            if any(value[0] in (INSTANCE, SELF) or value[0] >= PARAM for value in values):
                self._special(unit, node, node, values, ("__lt__",), linked, tier=LIKELY)

    def _looked_for(self, unit: Unit, key: int, container: int, linked: Linked, table: bool = False) -> None:
        """`key in container` and `container[key]`: a table asks for the hash of the key, and a list compares, unless only a `table` can be
        meant."""
        if not _OPERANDS[unit.kind[key]]:
            return
        keys = self.evaluator.values(unit, key, FUEL)
        for one in keys:
            if one[0] in (INSTANCE, SELF) or one[0] >= PARAM:
                break
        else:
            return
        for value in self.evaluator.values(unit, container, FUEL):
            is_table = self._is_table(value)
            if is_table or (is_table is not None and not table):
                self._special(unit, key, key, keys, ("__hash__",) if is_table else ("__eq__",), linked, tier=LIKELY)
                return

    def _is_table(self, value: Value) -> bool | None:
        """Whether a container is a dict or a set; None for what is no container."""
        if value[0] == CONTAINER:
            unit, node = self.program.unit(value[1]), int(value[2])
            kind = unit.kind[node]
            if kind == Kind.COMPREHENSION:
                return unit.next[node] > node + 1 and unit.kind[node + 1] == Kind.PAIR
            return kind in (Kind.DICT, Kind.SET)
        return bool(value[2]) if value[0] == TYPED else None

    def _next(self, unit: Unit, operand: int, of: Unit, symbol: int, receiver: Value, code: int, name: str, linked: Linked) -> None:
        for value, its in self.evaluator.returned_to(of.number, symbol, receiver, FUEL).items():
            if value[0] in (INSTANCE, SELF):
                member = self.evaluator.find_member(value, name)
                its = weakened(stepped(its, Step.IMPLICIT), code & ~CHAIN_MASK)
                if member is not None:
                    for one in member[0].defines(member[1]):
                        linked.add_edge(unit.owner[operand], member[0].number, one, EdgeKind.ACCESS, its, operand)

    def _binary(self, unit: Unit, node: int, linked: Linked) -> None:
        parts = unit.kids(node)
        if len(parts) == 2:
            stem = unit.operator(parts[0], parts[1])
            if stem == "mod" and unit.kind[parts[0]] == Kind.STRING and not unit.is_script:
                for operand in unit.kids(parts[1]) if unit.kind[parts[1]] == Kind.TUPLE else parts[1:]:
                    self._dunder(unit, operand, ("__str__", "__repr__"), linked)
            elif stem:
                if unit.kind[node] == Kind.AUGMENT:
                    self._dunder(unit, parts[0], (f"__i{stem}__", f"__{stem}__"), linked)
                else:
                    self._dunder(unit, parts[0], (f"__{stem}__",), linked)
                    if not any(value[0] in (INSTANCE, SELF) for value in self.evaluator.values(unit, parts[0], FUEL)):
                        self._dunder(unit, parts[1], (f"__r{stem}__",), linked)

    def _augment(self, unit: Unit, node: int, linked: Linked) -> None:
        self._binary(unit, node, linked)

    def _compare(self, unit: Unit, node: int, linked: Linked) -> None:
        row = unit.name[node]
        if row < 0:
            return
        parts, operators = unit.kids(node), unit.names[row].split(",")
        for left, right, operator in zip(parts, parts[1:], operators, strict=False):
            if operator in ("in", "not in"):
                if not self._dunder(unit, right, ("__contains__", "__iter__"), linked) and not unit.is_script:
                    self._looked_for(unit, left, right, linked)
            elif operator in COMPARE_DUNDERS:
                if _MAY_MATTER[unit.kind[left]] and self._dunder(unit, left, COMPARE_DUNDERS[operator], linked):
                    continue
                if _MAY_MATTER[unit.kind[right]]:
                    self._dunder(unit, right, COMPARE_DUNDERS[MIRRORED.get(operator, operator)], linked)

    def _unary(self, unit: Unit, node: int, linked: Linked) -> None:
        row = unit.name[node]
        name = UNARY_DUNDERS.get(unit.names[row]) if row >= 0 else None
        if name and unit.next[node] > node + 1:
            self._dunder(unit, node + 1, (name,), linked)

    def _subscript(self, unit: Unit, node: int, linked: Linked) -> None:
        above = unit.parent[node]
        base = node + 1
        if (
            unit.kind[base] == Kind.CALL
            and unit.text(base + 1) in _NAMESPACES
            and unit.next[base] < unit.next[node]
            and self.evaluator.keys_of(unit, unit.next[base], FUEL) == ["*"]
            and self._is_load(unit, node)
        ):
            linked.leave_open(unit.owner[node], unit.text(base + 1), base + 1, True, Unresolved.DYNAMIC)
        name = "__getitem__"
        if unit.kind[above] == Kind.ASSIGN and node == above + 1:
            name = "__setitem__"
        elif unit.kind[above] == Kind.DELETE:
            name = "__delitem__"
        if self._dunder(unit, node + 1, (name,), linked) or unit.is_script:
            return
        if name == "__getitem__":
            self._class_item(unit, node, linked)
        if unit.next[base] < unit.next[node] and unit.kind[unit.next[base]] in _HAS_TRUTH:
            self._looked_for(unit, unit.next[base], base, linked, table=True)

    def _class_item(self, unit: Unit, node: int, linked: Linked) -> None:
        """`Model[int]` outside of annotations runs `__class_getitem__`."""
        base = node + 1
        if unit.kind[base] not in (Kind.NAME, Kind.ATTRIBUTE):
            return
        for value, code in self.evaluator.values(unit, base, FUEL).items():
            if value[0] == CLASS and self._context(unit, base, SymbolKind.CLASS) != EdgeKind.TYPE:
                member = self.evaluator.find_member(value, "__class_getitem__")
                if member is None:
                    continue
                for symbol in member[0].defines(member[1]):
                    linked.add_edge(unit.owner[node], member[0].number, symbol, EdgeKind.ACCESS, stepped(code, Step.IMPLICIT), base)

    @staticmethod
    def _is_load(unit: Unit, node: int) -> bool:
        above = unit.parent[node]
        return unit.kind[above] not in (Kind.ASSIGN, Kind.DELETE) or node != above + 1

    def _loop(self, unit: Unit, node: int, linked: Linked) -> None:
        parts = unit.kids(node)
        if len(parts) > 1:
            names = ("__aiter__",) if unit.is_async(node) else ("__iter__", "__getitem__")
            self._dunder(unit, parts[1], names, linked, iterates=True)

    def _with(self, unit: Unit, node: int, linked: Linked) -> None:
        expression = node + 1
        if expression < unit.next[node] and unit.kind[expression] == Kind.AS:
            expression += 1
        if expression < unit.next[node]:
            if unit.kind[expression] == Kind.CALL and unit.text(self._last_name(unit, expression + 1)) in _CLOSING:
                for value in self.evaluator.values(unit, expression + 1, FUEL):
                    if value[0] == EXTERNAL and value[1].startswith("contextlib."):
                        if not value[1].endswith("nullcontext"):
                            self._dunder(unit, expression, ("close", "aclose"), linked)
                        return
            for name in ("__aenter__", "__aexit__") if unit.is_async(node) else ("__enter__", "__exit__"):
                self._dunder(unit, expression, (name,), linked)

    def _test(self, unit: Unit, node: int, linked: Linked) -> None:
        """`if x:` runs __bool__ or __len__ of x."""
        condition = node + 1
        if condition < unit.next[node]:
            self._truth(unit, condition, linked)

    def _truth(self, unit: Unit, operand: int, linked: Linked) -> None:
        if unit.kind[operand] in _HAS_TRUTH:
            self._dunder(unit, operand, ("__bool__", "__len__"), linked)

    def _boolean(self, unit: Unit, node: int, linked: Linked) -> None:
        """`a and b` asks for the truth of a; where the whole is a condition, it asks for that of b too."""
        parts = unit.kids(node)
        if unit.is_script:
            return
        last = unit.kind[unit.parent[node]] in _CONDITIONS and node == unit.parent[node] + 1
        for part in parts if last else parts[:-1]:
            self._truth(unit, part, linked)

    def _conditional(self, unit: Unit, node: int, linked: Linked) -> None:
        parts = unit.kids(node)
        if len(parts) == 3 and not unit.is_script:
            self._truth(unit, parts[1], linked)

    def _interpolation(self, unit: Unit, node: int, linked: Linked) -> None:
        if node + 1 < unit.next[node]:
            self._dunder(unit, node + 1, ("__repr__",) if unit.name[node] >= 0 else ("__format__", "__str__", "__repr__"), linked)

    def _yield(self, unit: Unit, node: int, linked: Linked) -> None:
        if node + 1 in unit.delegated:
            self._dunder(unit, node + 1, ("__iter__",), linked, iterates=True)

    def _await(self, unit: Unit, node: int, linked: Linked) -> None:
        if node + 1 < unit.next[node]:
            self._dunder(unit, node + 1, ("__await__",), linked)

    def _spread(self, unit: Unit, node: int, linked: Linked) -> None:
        """`f(*x)` and `[*x]` iterate over x."""
        if unit.kind[unit.parent[node]] in (Kind.ARGS, Kind.LIST, Kind.SET) and node + 1 < unit.next[node]:
            self._dunder(unit, node + 1, ("__iter__",), linked, iterates=True)

    def _unpack(self, unit: Unit, node: int, linked: Linked) -> None:
        """`a, b = x` iterates over x."""
        value = unit.kids(unit.parent[node])[-1]
        if unit.kind[value] in (Kind.NAME, Kind.CALL, Kind.ATTRIBUTE, Kind.SUBSCRIPT, Kind.AWAIT):
            self._dunder(unit, value, ("__iter__",), linked, iterates=True)

    def _hashed(self, unit: Unit, node: int, linked: Linked) -> None:
        """The key of a pair in a dict."""
        self._dunder(unit, node + 1, ("__hash__",), linked)

    def _set(self, unit: Unit, node: int, linked: Linked) -> None:
        for item in unit.kids(node):
            if unit.kind[item] in _HAS_TRUTH:
                self._dunder(unit, item, ("__hash__",), linked)

    def _raise(self, unit: Unit, node: int, linked: Linked) -> None:
        """`raise C` makes a C."""
        if node + 1 < unit.next[node] and unit.kind[node + 1] in (Kind.NAME, Kind.ATTRIBUTE):
            for value, code in self.evaluator.values(unit, node + 1, FUEL).items():
                if value[0] == CLASS:
                    member = self.evaluator.find_member((INSTANCE, value[1], value[2]), "__init__")
                    if member is not None:
                        for symbol in member[0].defines(member[1]):
                            linked.add_edge(
                                unit.owner[node], member[0].number, symbol, EdgeKind.CALL, stepped(code, Step.IMPLICIT), node + 1
                            )

    def _function(self, unit: Unit, node: int, linked: Linked) -> None:
        """A test runs the fixtures that its parameters name."""
        symbol = unit.symbol_of_node.get(node)
        if symbol is None or unit.is_script or not self.evaluator.takes_fixtures(unit, symbol):
            return
        for row in unit.params.get(symbol, ()):
            if unit.param_flags[row] & ParamFlag.SELF or unit.param_default[row] >= 0:
                continue
            for other, fixture in self.evaluator.fixture(unit, symbol, unit.names[unit.param_name[row]], FUEL):
                linked.add_edge(
                    symbol, other.number, fixture, EdgeKind.CALL, stepped(stepped(PROVED, Step.IMPLICIT), Step.SCOPE), unit.param_node[row]
                )

    def _class(self, unit: Unit, node: int, linked: Linked) -> None:
        """A class inherits from what its bases are; making it runs `__init_subclass__` of a base and `__set_name__` of its fields."""
        symbol = unit.symbol_of_node.get(node)
        if symbol is None:
            return
        bases = self.evaluator.base_nodes(unit, symbol)
        for base in bases:
            for value, code in self.evaluator.values(unit, base, FUEL).items():
                if value[0] == CLASS:
                    place = base if unit.kind[base] != Kind.ATTRIBUTE else unit.next[base + 1]
                    linked.add_edge(symbol, value[1], value[2], EdgeKind.INHERIT, code or Step.SCOPE, place)
        if bases:
            member = self.evaluator.find_member((SUPER, unit.number, symbol, (SELF, unit.number, symbol)), "__init_subclass__")
            if member is not None:
                for one in member[0].defines(member[1]):
                    linked.add_edge(symbol, member[0].number, one, EdgeKind.ACCESS, stepped(PROVED, Step.IMPLICIT), bases[0])
        for meta in self._metaclasses(unit.number, symbol):
            for name in ("__prepare__", "__new__", "__init__"):
                member = self.evaluator.find_member(meta, name)
                if member is None:
                    continue
                place = bases[0] if bases else node + 1
                for one in member[0].defines(member[1]):
                    linked.add_edge(symbol, member[0].number, one, EdgeKind.ACCESS, stepped(PROVED, Step.IMPLICIT), place)
        for scope in unit.class_scopes.get(symbol, ())[:1]:
            for group in unit.scope_names.get(scope, {}).values():
                row = unit.group_first[group]
                value_node = unit.value[row]
                if unit.how[row] == How.ASSIGN and value_node >= 0 and unit.kind[value_node] == Kind.CALL:
                    self._dunder(unit, value_node, ("__set_name__",), linked)

    def _changed_from_here(self, unit: Unit, linked: Linked) -> None:
        """`module.hook = function`: what another file assigns to a constant is passed to it, as it were."""
        for target, value in unit.stores:
            base = target + 1
            if unit.kind[target] != Kind.ATTRIBUTE or unit.kind[base] != Kind.NAME or unit.group[base] < 0:
                continue
            if unit.how[unit.group_first[unit.group[base]]] not in (How.MODULE, How.MEMBER):
                continue
            for one in self.evaluator.values(unit, base, FUEL):
                if one[0] != MODULE:
                    continue
                other, name = self.program.unit(one[1]), unit.text(unit.next[base])
                self.evaluator.look("top", other, 0, name)
                constant = other.fields.get((0, name))
                if constant is not None and other.symbol_kind[constant] == SymbolKind.CONSTANT:
                    values = {
                        given: code for given, code in self.evaluator.values(unit, value, FUEL).items()
                        if given[0] in (FUNCTION, CLASS, METHOD, PARTIAL, PARAM)
                    }  # fmt: skip
                    if values:
                        linked.flows.append(((PARAM, one[1], constant, 0), values))

    def _held(self, unit: Unit, linked: Linked, standing: Standing | None = None) -> None:
        """The functions and classes that a class with bases puts into its fields: a method of a base may call them."""
        for symbol, (members, _) in unit.class_names.items():
            if standing is not None and standing.has_class(unit, symbol) and symbol not in standing.again:
                continue
            if unit.symbol_kind[symbol] != SymbolKind.CLASS or not self.evaluator.base_nodes(unit, symbol):
                continue
            for name, group in members.items():
                field = unit.fields.get((symbol, name), 0)
                if unit.symbol_kind[field] != SymbolKind.FIELD or name.startswith("__"):
                    continue
                for row in range(unit.group_first[group], unit.group_first[group + 1]):
                    node = unit.value[row]
                    if unit.how[row] == How.ASSIGN and node >= 0 and unit.kind[node] in _HOLDING and not self._is_parameter(unit, node):
                        for file, held in self._runs_of(self.evaluator.values(unit, node, FUEL)):
                            linked.add_edge(field, file, held, HINT_HELD, 0, node)

    @staticmethod
    def _is_parameter(unit: Unit, node: int) -> bool:
        group = unit.group[node] if unit.kind[node] == Kind.NAME else -1
        return group >= 0 and bool(unit.group_is_plain[group]) and unit.how[unit.group_first[group]] == How.PARAM

    def _runs_of(self, values: Values) -> list[Target]:
        """The functions, classes and constructors that calling these values runs."""
        found = []
        for value in values:
            if value[0] in (FUNCTION, METHOD, CLASS):
                found.append((value[1], value[2]))
            if value[0] == CLASS:
                found += [(other.number, symbol) for other, symbol in self._constructors_of(value)]
        return found

    def _siblings(self, unit: Unit, linked: Linked) -> None:
        """In a class with several bases, `super()` in a method of one may run the method of another that it knows nothing of: pairs of
        rows, from which method and to which, joined by their number."""
        pairs = 0
        for symbol in unit.class_scopes:
            if len(self.evaluator.base_nodes(unit, symbol)) < 2:
                continue
            order = self.evaluator.order(unit.number, symbol)
            if len(order) < 3:
                continue
            for file, base in order:
                self.evaluator.look("names", self.program.unit(file), base, "")
            for place, (file, base) in enumerate(order[1:-1], 1):
                other = self.program.unit(file)
                if not other.says_super:
                    continue
                own = self.evaluator.order(file, base)
                after = [one for one in order[place + 1 :] if one not in own]
                for name, group in other.scope_names.get(other.symbol_scope[base], {}).items() if after else ():
                    mine = other.defines(group)
                    following = next(
                        (one for one in order[place + 1 :] if name in self.program.unit(one[0]).class_names.get(one[1], NO_NAMES)[1]), None
                    )
                    if not mine or following is None or following in own:
                        continue
                    there = self.program.unit(following[0])
                    self.evaluator.look("member", other, base, name)
                    self.evaluator.look("member", there, following[1], name)
                    for one in there.defines(there.class_names[following[1]][1][name])[-1:]:
                        linked.add_edge(symbol, file, mine[-1], HINT_FROM, pairs, unit.symbol_node[symbol])
                        linked.add_edge(symbol, following[0], one, HINT_NEXT, pairs, unit.symbol_node[symbol])
                        pairs += 1

    def _overrides(self, unit: Unit, linked: Linked, standing: Standing | None = None) -> None:
        """Methods and fields that stand in for those of a base class."""
        for symbol, scopes in unit.class_scopes.items():
            if standing is not None and standing.has_class(unit, symbol):
                continue
            order = self.evaluator.order(unit.number, symbol)[1:]
            if not order:
                continue
            bases = list(order) if len(order) == 1 else self.evaluator.bases(unit.number, symbol, FUEL)[0]
            above = [self.evaluator.names_in(base[0], base[1]) for base in bases]
            inherited = above[0] if len(above) == 1 else frozenset[str]().union(*above)
            for scope in scopes:
                if unit.scope_kind[scope] != ScopeKind.CLASS:
                    continue
                for name, group in unit.scope_names.get(scope, {}).items():
                    if name not in inherited:
                        continue
                    own = unit.defines(group)
                    if not own or name in ("__init__", "__new__", "constructor"):
                        continue
                    for file, base in order:
                        other = self.program.unit(file)
                        self.evaluator.look("member", other, base, name)
                        theirs = [
                            found
                            for one in other.class_scopes.get(base, ())
                            if (at := other.scope_names.get(one, {}).get(name)) is not None
                            for found in other.defines(at)
                        ]
                        if not theirs and (declared := other.fields.get((base, name))) is not None:
                            theirs, own = [declared], [mine for mine in own if unit.symbol_kind[mine] == SymbolKind.PROPERTY]
                        if theirs:
                            kind = EdgeKind.IMPLEMENT if other.symbol_kind[base] == SymbolKind.INTERFACE else EdgeKind.OVERRIDE
                            for mine in own:
                                code = stepped(PROVED, Step.ATTRIBUTE)
                                linked.add_edge(mine, file, theirs[-1], kind, code, unit.symbol_node[mine] + 1)
                            break


def _plan(name: str) -> frozenset[str]:
    """What has to be looked at where something outside the project is called; nothing, for most."""
    head, _, builtin = name.partition(".")
    if name in CALLS_ARGUMENT:
        found = {"callbacks"}
    elif name in PATCHES or name.endswith(".setattr"):
        found = {"patches"}
    elif name == "functools.partial":
        found = {"partial"}
    elif name == "pytest.mark.usefixtures":
        found = {"fixtures"}
    elif name in _OPEN_CALLS:
        found = {"open"}
    elif (head not in ("builtins", "re") or name.startswith("re.compile().")) and name.rpartition(".")[2] in _ANY_METHODS:
        found = {"method"}
    else:
        found = set()
    if head == "builtins" and DUNDER_OF_BUILTIN.get(builtin):
        found.add("dunder")
    if name in ITERATED or head == "itertools":
        found.add("iterates")
    if name in COMPARES:
        found.add("compares")
    return frozenset(found)


def _any_matters(unit: Unit, positional: list[int], keywords: dict[str, int]) -> bool:
    """Whether any argument of a call is an expression that may be something to follow."""
    kinds = unit.kind
    for node in positional:
        if _MAY_MATTER[kinds[node]]:
            return True
    return bool(keywords) and any(_MAY_MATTER[kinds[node]] for node in keywords.values())


def unit_overloads(program: Program, targets: dict[Target, int]) -> bool:
    """Whether several targets are the declarations of one overloaded function."""
    return any(program.unit(file).symbol_flags[symbol] & SYMBOL_OVERLOAD for file, symbol in targets)


def _is_declared(code: int) -> bool:
    """Whether a chain says of a value no more than what is declared: it may be of a subclass."""
    chain = code & CHAIN_MASK
    while chain:
        if chain & 15 == Step.DECLARED:
            return True
        chain >>= 4
    return False


def unit_at(unit: Unit, symbol: int) -> int:
    return int(unit.facts.columns["symbol_at"][symbol])


_HANDLERS: Final[dict[int, Callable[[Linker, Unit, int, Linked], None]]] = {
    Kind.ATTRIBUTE: Linker._attribute, Kind.CALL: Linker._call, Kind.NEW: Linker._call, Kind.DECORATOR: Linker._decorator,
    Kind.BINARY: Linker._binary, Kind.AUGMENT: Linker._augment, Kind.COMPARE: Linker._compare, Kind.UNARY: Linker._unary,
    Kind.SUBSCRIPT: Linker._subscript, Kind.FOR: Linker._loop, Kind.FOR_IN: Linker._loop, Kind.WITH_ITEM: Linker._with,
    Kind.IF: Linker._test, Kind.WHILE: Linker._test, Kind.NOT: Linker._test, Kind.BOOLEAN: Linker._boolean,
    Kind.CONDITIONAL: Linker._conditional, Kind.INTERPOLATION: Linker._interpolation, Kind.RAISE: Linker._raise,
    Kind.FUNC: Linker._function, Kind.CLASS: Linker._class, Kind.YIELD: Linker._yield, Kind.AWAIT: Linker._await,
    Kind.SPREAD: Linker._spread, Kind.SET: Linker._set, Kind.TUPLE: Linker._unpack, Kind.PAIR: Linker._hashed,
    Kind.TEXT: Linker._path_in_text,
}  # fmt: skip
_PATH: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?")
_SAYS_ITSELF: Final = np.zeros(256, bool)  # what holds a text that is a comment, a type, or a part of another
_SAYS_ITSELF[[Kind.BLOCK, Kind.MODULE, Kind.TYPE, Kind.SUBSCRIPT, Kind.GENERIC, Kind.TEMPLATE]] = True
_RUN_IN_ORDER: Final = (ScopeKind.FUNCTION, ScopeKind.MODULE, ScopeKind.CLASS)
_LOCAL_SCOPES: Final = (ScopeKind.FUNCTION, ScopeKind.COMPREHENSION, ScopeKind.BLOCK)
_IS_NAME: Final = kinds_table({Kind.NAME, Kind.SHORTHAND})
_WANTED: Final = kinds_table({int(kind) for kind in _HANDLERS if kind not in (Kind.TUPLE, Kind.PAIR, Kind.TEXT)})
_OBJECTS: Final = np.zeros(256, bool)
_OBJECTS[[Kind.NAME, Kind.CALL, Kind.ATTRIBUTE, Kind.SUBSCRIPT]] = True
# Expressions that can be a function, a class, an instance or a container; passing others on tells nothing.
_MAY_MATTER: Final = kinds_table(
    {
        Kind.NAME, Kind.ATTRIBUTE, Kind.CALL, Kind.NEW, Kind.SUBSCRIPT, Kind.LAMBDA, Kind.FUNC, Kind.CLASS, Kind.LIST, Kind.TUPLE,
        Kind.SET, Kind.DICT,
        Kind.COMPREHENSION, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.AWAIT, Kind.WALRUS, Kind.CAST, Kind.NON_NULL, Kind.THIS, Kind.SHORTHAND,
    }
)  # fmt: skip
_HOLDING: Final = frozenset({Kind.NAME, Kind.ATTRIBUTE, Kind.LAMBDA, Kind.FUNC, Kind.CLASS})
_DISPLAYS: Final = frozenset({Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.PAIR})
# Operands that can be an instance of a class of the project; literals and displays are of built-in types.
_OPERANDS: Final = kinds_table(
    {
        Kind.NAME, Kind.ATTRIBUTE, Kind.CALL, Kind.NEW, Kind.SUBSCRIPT, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.AWAIT, Kind.WALRUS, Kind.CAST,
        Kind.BINARY, Kind.UNARY, Kind.THIS,
    }
)  # fmt: skip
# What has special methods, or may hang on what callers pass.
_MAY_ACT: Final = frozenset({INSTANCE, SELF, CLASS, METHOD, CONTAINER_METHOD, PARTIAL})
_RECEIVERS: Final = frozenset({INSTANCE, SELF, CLASS, SELF_CLASS})
_CLOSED: Final = frozenset({EXTERNAL, EXTERNAL_INSTANCE, CONTAINER, TYPED, SLICED, TEXT, GENERATOR, FUNCTION, MODULE})
_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_CLOSING: Final = frozenset({"closing", "aclosing", "nullcontext"})
_ANY_METHODS: Final = CALLS_ARGUMENT_METHODS.keys() | CALLS_KEYWORD_METHODS.keys() | PATCH_METHODS
_TOLD_METHODS: Final = _ANY_METHODS | METHODS_THAT_ITERATE | {"format"}  # what a call of one of these runs hangs on what it is given
# Calls that may reach anything unless this argument is a constant; those that run code are never known.
_OPEN_CALLS: Final = {"builtins.getattr": 1, "importlib.import_module": 0, "builtins.__import__": 0, "builtins.eval": 0, "builtins.exec": 0}
_CODE_FROM_TEXT: Final = frozenset({"builtins.eval", "builtins.exec"})
_HAS_TRUTH: Final = frozenset({Kind.NAME, Kind.ATTRIBUTE, Kind.CALL, Kind.SUBSCRIPT, Kind.WALRUS, Kind.AWAIT})
_HOLDS_ELEMENTS: Final = _HAS_TRUTH | {Kind.COMPREHENSION, Kind.LIST, Kind.TUPLE}
_CONDITIONS: Final = frozenset({Kind.IF, Kind.WHILE, Kind.NOT, Kind.BOOLEAN})
_IMPORT_PARTS: Final = (
    Kind.DOTTED, Kind.ALIASED, Kind.IMPORT, Kind.IMPORT_FROM, Kind.GLOBAL, Kind.NONLOCAL, Kind.FUNC, Kind.CLASS, Kind.RELATIVE,
)  # fmt: skip
_TYPE_PARTS: Final = (
    Kind.TYPE,
    Kind.TYPE_ARGS,
    Kind.GENERIC,
    Kind.UNION,
    Kind.BINARY,
    Kind.ARRAY_TYPE,
    Kind.SUBSCRIPT,
    Kind.ATTRIBUTE,
    Kind.TUPLE,
    Kind.LIST,
    Kind.INTERSECTION,
    Kind.FUNC_TYPE,
)
