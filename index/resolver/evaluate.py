"""A program and an expression -> `Values`: everything it may be, each with a tier and the chain of steps that says why.

The answer is a pure function of the facts. Following a binding, a return or an attribute costs one unit of fuel, and
where the fuel ends nothing is known; so recursion needs no special case, and neither the order of questions nor what was
asked before changes an answer. An answer that never ran out of fuel holds for every larger amount and is kept once.

What was looked at on the way is noted in `used` (see `index.resolver.gateways`): a file's edges are made anew when one of these
facts changed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from index.languages.modules import Found, Resolution
from index.languages.python.front import (
    SYMBOL_ASYNC,
    SYMBOL_CLASSMETHOD,
    SYMBOL_DECORATED,
    SYMBOL_GENERATOR,
    SYMBOL_OVERLOAD,
    SYMBOL_PROTOCOL,
    SYMBOL_RECORD,
    SYMBOL_SETTER,
    SYMBOL_STATIC,
)
from index.numbers import Step, SymbolKind
from index.parsing.facts import How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.arguments import NO_ARGUMENTS, Arguments, Given, Shifted, Written
from index.resolver.externals import (
    BUILTIN_NAMES,
    COLLECTS,
    COPY_METHODS,
    DECORATOR_FACTORIES,
    ELEMENT_METHODS,
    ELEMENT_OF,
    MUTATORS,
    ONE_ELEMENT,
    PLAIN_TYPES,
    PLAIN_WORDS,
    PUTS_BEFORE,
    RETURNS_ARGUMENT,
    SPREADS,
    TRANSPARENT,
)
from index.resolver.gateways import FEW, FEW_OF_ONE_FILE, UNFINISHED, Gateways, Seen, fact_name
from index.resolver.program import NO_ANSWERS, NO_NAMES, OF_CLASS, Kept, Passed, Program, Unit
from index.resolver.values import (
    ANY_KEY,
    CALLED,
    CHAIN_MASK,
    CLASS,
    CONTAINER,
    CONTAINER_METHOD,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FOLDER,
    FUNCTION,
    GENERATOR,
    GIVES,
    INSTANCE,
    ITEM,
    KEYED,
    LIKE,
    LIKELY,
    MAX_SYMBOLIC,
    MAX_VALUES,
    METHOD,
    MODULE,
    NO_KEY,
    NOTHING,
    ONE_OF,
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
    VARIABLE,
    Value,
    Values,
    all_stepped,
    capped,
    depth_of,
    has_symbolic,
    in_order,
    is_symbolic,
    merged,
    put,
    stepped,
    weakened,
)
from index.resolver.webs import Web, Webs

_WORD: Final = re.compile(r"\w+")
_KEEPS_TEXT: Final = frozenset({"format", "lower", "upper"})  # methods of a text whose result begins and ends as it does
FUEL: Final = 12
LONG_CHAIN: Final = 3  # modules that pass a name on: of more, the last one is asked at once, since each costs two units of fuel
LONGEST_CHAIN: Final = 100  # modules that pass a name on and are gone through: what lies behind more stays open
MAX_MRO: Final = 64
MOVED: Final = -1  # as the first element of a slice: the elements are there, but not in the order in which they stand
FLAT: Final = 20  # added to a kind of question while containers hold what is written in them
SURE_BINDINGS: Final = 2  # a name that may be bound to more things than this is only possibly any of them
PASSED_ON: Final = 3  # fuel that a type parameter takes which a class passes on to its base
MAX_TYPES: Final = 4  # type arguments of a class that are looked at
MAX_ITEMS: Final = 64  # elements of a literal that are looked at where any of them may be meant
EXPANSIONS: Final = 6  # steps from what one caller passes to what that hangs on in turn
MOST_OPEN: Final = 60_000  # questions inside each other: above what syntax (400 levels), fuel and MAX_NESTING allow together, so never met
MOST_CUT_OFF: Final = 30_000  # answers that are kept from one file to the next, each of some 300 bytes
MAX_NESTING: Final = 6  # questions that start with full fuel, inside each other: see `Evaluator.settled`
# Kinds of questions whose answers are kept: see `Evaluator.remembered`.
BINDINGS: Final = 0
TOP: Final = 1
EXPORT: Final = 2
ATTRIBUTE: Final = 3
MEMBER: Final = 4
CALL: Final = 5
RESULT: Final = 6
YIELDED: Final = 7
SUBSCRIPT: Final = 8
CLOSURES: Final = 9
ITEMS: Final = 10
ALIAS: Final = 11
OWN_ALIAS: Final = 12  # where type variables that a call's arguments bind stand for themselves
EXPRESSIONS: Final = (ATTRIBUTE, CALL, SUBSCRIPT)  # those that are about one node
_FEW: Final = bytes(FEW_OF_ONE_FILE if kind in EXPRESSIONS else FEW for kind in range(2 * FLAT))  # see `Gateways.joined`
_DATA: Final = (CONTAINER, TYPED, SLICED)
_GENERIC: Final = frozenset({TYPED, VARIABLE})
_FILLED: Final = frozenset({TYPED, VARIABLE, GIVES})  # what type variables may stand in
# Results of a function that may be something else where it is called; so may what is symbolic, and instances of a generic class.
_HANGS_ON_CALL: Final = _FILLED | {SELF, SELF_CLASS, METHOD, LIKE}
_OF_CALL: Final = "*"  # among `Evaluator.variables`: type variables that a call's arguments bind stand for themselves
_OWN: Final = frozenset({_OF_CALL})
_RUNS_LATER: Final = SYMBOL_ASYNC | SYMBOL_GENERATOR
# No class comes of a decorator that gives these.
_SAYS_LITTLE: Final = frozenset({TYPED, VARIABLE, GIVES, EXTERNAL_INSTANCE, PARTIAL, GENERATOR})
_CALLABLE: Final = frozenset({FUNCTION, METHOD, PARTIAL, LIKE, ONE_OF})
_HANDED_ON: Final = frozenset({Step.DECLARED, Step.RETURN, Step.ARGUMENT, Step.ELEMENT})
_INSTANCES: Final = (INSTANCE, SELF)
_CLASSES: Final = (CLASS, SELF_CLASS)
_FUNCTIONS: Final = (FUNCTION, METHOD)
_LOOPS: Final = (Kind.FOR, Kind.WHILE, Kind.COMPREHENSION)

# What is outside the project and gives something that we know: see `Evaluator.external_call`, which asks for no other names than these,
# those that begin as `functools.wraps` gives them and those that end in "defaultdict".
_KNOWN_CALLS: Final = (
    frozenset({
        "asyncio.gather", "builtins.__import__", "builtins.enumerate", "builtins.filter", "builtins.getattr", "builtins.globals",
        "builtins.map", "builtins.object.__new__", "builtins.super", "builtins.type", "builtins.zip", "dataclasses.field",
        "functools.partial", "functools.partialmethod", "functools.wraps.result", "importlib.import_module", "operator.attrgetter",
        "pytest.param", "typing.NewType", "typing.cast", "typing_extensions.NewType", "typing_extensions.cast",
    })
    | frozenset(RETURNS_ARGUMENT) | frozenset(DECORATOR_FACTORIES) | frozenset(COLLECTS) | frozenset(ONE_ELEMENT)
)  # fmt: skip
_BUILTINS: Final[dict[str, Values]] = {name: {(EXTERNAL, f"builtins.{name}"): PROVED} for name in BUILTIN_NAMES}
_NO_KEYWORDS: Final[dict[str, int]] = {}  # of calls without any; never written to
_RAN_OUT: Final = FUEL << 8  # more than any question is asked with
_CUT_OFF: Final[Kept] = (NOTHING, _RAN_OUT, None)  # in place of an answer: there are some that were cut short
_ALL_STORES: Final = "*"  # no attribute is called that


def kinds_table(kinds: Collection[int]) -> bytes:
    """Kinds -> a table that says of every kind whether it is one of them: one look instead of as many comparisons."""
    return bytes(kind in kinds for kind in range(256))


_BLOCKS: Final = kinds_table(
    {Kind.BLOCK, Kind.MODULE, Kind.COMPREHENSION, Kind.EXCEPT, Kind.CASE, Kind.PARAMS, Kind.BOOLEAN, Kind.CONDITIONAL}
)  # what may run or not, as a whole
_CONTAINERS: Final = kinds_table({Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COMPREHENSION})
_BINDS: Final = kinds_table({Kind.ASSIGN, Kind.AUGMENT, Kind.DECLARATOR, Kind.WALRUS})

Member = tuple[Unit, int, int]  # unit, binding group, class symbol that has it
Target = tuple[int, int]  # file, symbol
Line = tuple[tuple[tuple[int, int], ...], bool, tuple[tuple[tuple[tuple[int, int], ...], bool], ...]]  # see `Evaluator.ancestry`
Settled = dict[Any, tuple[Any, Seen, bool]]  # question -> answer, what was looked at, whether it was cut short
Stored = dict[Value, list[tuple[str, int, bool]]]  # container or object -> (key or attribute name, value node, spread)
T = TypeVar("T")


def linearised(own: Target, lines: list[tuple[Target, ...]]) -> tuple[Target, ...]:
    """A class, the orders of its bases and its bases in order -> its own order, at most MAX_MRO long.

    Each step takes the first class that stands at the head of a line and in no line behind its head; where there is none, the head of the
    first line. How many lines have a class behind their head is counted once and kept up to date. Behind a single base stands what
    stands behind that.
    """
    if not any(lines):  # as of most
        return (own,)
    if len(lines) == 2 and len(lines[1]) == 1 and lines[0][:1] == lines[1] and own not in lines[0]:
        return (own, *lines[0])[:MAX_MRO]
    behind: dict[Target, int] = {}
    for line in lines:
        for one in line[1:]:
            behind[one] = behind.get(one, 0) + 1
    heads = [0] * len(lines)
    order, taken = [own], set[Target]()
    while len(order) < MAX_MRO:
        for at, line in enumerate(lines):
            place = heads[at]
            while place < len(line) and line[place] in taken:
                place += 1
                if place < len(line):
                    behind[line[place]] -= 1
            heads[at] = place
        waiting = [line[place] for line, place in zip(lines, heads, strict=True) if place < len(line)]
        if not waiting:
            break
        head = next((one for one in waiting if not behind.get(one)), waiting[0])
        taken.add(head)
        if head != own:
            order.append(head)
    return tuple(order)


class Known:
    """What callers pass to parameters, as far as it is known: nothing."""

    def get(self, parameter: Value) -> Values:
        return NOTHING


class Evaluator:
    """Answers questions about one program. `params` holds what callers pass, once that is known."""

    __deletable__ = ["webs"]  # noqa: RUF012 - what may be deleted of a compiled class: a list, as mypyc reads it

    def __init__(self, program: Program) -> None:
        self.program = program
        self.gateways = Gateways()
        self.used: list[Seen] = []  # what was looked at; a question that is being answered begins at some length of it
        self._several: dict[int, list[tuple[tuple[int, int], ...]]] = {}  # class -> bases that may be one of several classes
        self._enums: Settled = {}
        self._tuples: Settled = {}
        self.variables: frozenset[str] = frozenset()  # type parameters that an annotation names as such
        self.flat = False  # while it is found out what containers hold, they hold what is written in them
        self.low = FUEL
        self.depth = 0  # how many questions that start with full fuel are open
        self.deep = False  # one of them was not asked any more
        self.are_deep = False  # and there are answers that hang on that
        self.open = 0  # questions that are being answered
        self._paths: dict[str, Seen] = {}  # key of `look_for` -> the fact
        self._cut_off: dict[tuple[int, int | str], tuple[Values, Seen, bool]] = {}
        self.webs = Webs(self)
        self._web_members: Settled = {}
        self._mro: Settled = {}
        self._lines: Settled = {}  # with as many levels of bases as were asked for
        self._whole_lines: dict[int, tuple[Line, Seen, int]] = {}  # class -> its line with all of them, and how many these are
        self._line_low = 0  # as `low`, of levels: how many were left where the line that is made ends
        self._bases_seen: list[tuple[tuple[tuple[int, int], ...], bool]] = []  # of the class whose bases are being found
        self._members: dict[int, Settled] = {}  # class, and whether an instance of it is asked -> what was found, by name
        self._members_above: dict[Value, Settled] = {}  # the same of `super()`
        self._names_in: Settled = {}
        self._ends: dict[tuple[int, str], tuple[tuple[int, str], Seen]] = {}  # see `behind`
        self._stored: dict[tuple[int, str], tuple[Stored, Seen]] = {}
        self.params = Known()
        self.is_late = False  # whether `params` is filled: every file has been gone through, and little of each is asked once more
        self.expansions: dict[tuple[Value, int], tuple[Values, Seen]] = {}  # what symbolic values are by the present `params`
        self._handlers: list[Callable[[Unit, int, int], Values]] = [self.nothing] * 256  # by kind of node
        self.handle({
            Kind.SHORTHAND: self.name, Kind.NEW: self.call,
            Kind.LAMBDA: self.definition, Kind.FUNC: self.definition, Kind.CLASS: self.definition,
            Kind.CONDITIONAL: self.conditional, Kind.BOOLEAN: self.either, Kind.AWAIT: self.awaited,
            Kind.WALRUS: self.walrus, Kind.ASSIGN: self.walrus, Kind.STRING: self.string, Kind.NUMBER: self.number,
            Kind.DECORATED: self.last,
            Kind.CAST: self.cast, Kind.NON_NULL: self.first, Kind.SEQUENCE: self.last, Kind.THIS: self.this, Kind.SUPER: self.script_super,
            Kind.BINARY: self.binary, Kind.SPREAD: self.first, Kind.YIELD: self.sent, Kind.DOTTED: self.dotted,
        })  # fmt: skip

    def handle(self, handlers: dict[int, Callable[[Unit, int, int], Values]]) -> None:
        """Kinds of nodes -> what answers for them."""
        for kind, handler in handlers.items():
            self._handlers[kind] = handler

    def close(self) -> None:
        """Lets go of everything that is known."""
        self._handlers.clear()
        for table in (self._enums, self._tuples, self._mro, self._lines, self._names_in, self._web_members):
            table.clear()
        self._whole_lines.clear()
        self._members.clear()
        self._members_above.clear()
        del self.webs  # they hold us
        self._paths.clear()
        self._ends.clear()
        self._several, self._cut_off, self._stored, self.expansions, self.params = {}, {}, {}, {}, Known()

    # expressions

    def values(self, unit: Unit, node: int, fuel: int) -> Values:
        """What the expression at `node` may be."""
        kind = unit.kind[node]
        if kind == Kind.NAME:  # as nearly always: without a call through the table, which makes objects of the numbers
            return self.name(unit, node, fuel)
        if kind == Kind.ATTRIBUTE:
            return self.attribute(unit, node, fuel)
        if kind == Kind.CALL:
            return self.call(unit, node, fuel)
        if kind == Kind.SUBSCRIPT:
            return self.subscript(unit, node, fuel)
        if _CONTAINERS[kind]:
            return self.container(unit, node, fuel)
        return self._handlers[kind](unit, node, fuel)

    def nothing(self, unit: Unit, node: int, fuel: int) -> Values:
        return NOTHING

    def first(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.values(unit, node + 1, fuel) if unit.next[node] > node + 1 else NOTHING

    def last(self, unit: Unit, node: int, fuel: int) -> Values:
        kids = unit.kids(node)
        return self.values(unit, kids[-1], fuel) if kids else NOTHING

    def remembered(self, asked: int, unit: Unit, key: Any, fuel: int) -> Values:
        """The answer to a question of a kind, kept. One that had fuel to spare is the answer for any larger amount."""
        if fuel <= 0:
            self.low = -1
            return NOTHING
        kind = asked + FLAT if self.flat else asked
        known = unit.memo[kind].get(key)
        if known is not None:
            if known[1] <= fuel:
                return self._recalled(known, fuel)
            cut = self._cut_short(kind, unit, key, fuel)
            if cut is not None:
                return cut
        made = self._asked(asked, kind, unit, key, fuel)
        if made[1] < _RAN_OUT or known is None:
            memo = unit.memo[kind]
            if memo is NO_ANSWERS:
                memo = unit.memo[kind] = {}
            memo[key] = made if made[1] < _RAN_OUT else _CUT_OFF
        return made[0]

    def of_node(self, asked: int, unit: Unit, node: int, fuel: int) -> Values:
        """The same about one node. In the file that is being linked they are kept in a list: dicts take several times as long."""
        answers = unit.answers
        if answers is None or self.flat:
            return self.remembered(asked, unit, node, fuel)
        if fuel <= 0:
            self.low = -1
            return NOTHING
        known = answers[node]
        if known is not None:
            if known[1] <= fuel:
                return self._recalled(known, fuel)
            cut = self._cut_short(asked, unit, node, fuel)
            if cut is not None:
                return cut
        made = self._asked(asked, asked, unit, node, fuel)
        if made[1] < _RAN_OUT or known is None:
            answers[node] = made if made[1] < _RAN_OUT else _CUT_OFF
        return made[0]

    def of_binding(self, unit: Unit, row: int, fuel: int) -> Values:
        """The same about one binding, what it gives its name."""
        if self.flat:
            return self.remembered(BINDINGS, unit, row << 24 | 1, fuel)
        if fuel <= 0:
            self.low = -1
            return NOTHING
        known = unit.bound[row]
        if known is not None:
            if known[1] <= fuel:
                return self._recalled(known, fuel)
            cut = self._cut_short(BINDINGS, unit, row << 24 | 1, fuel)
            if cut is not None:
                return cut
        made = self._asked(BINDINGS, BINDINGS, unit, row << 24 | 1, fuel)
        if made[1] < _RAN_OUT or known is None:
            unit.bound[row] = made if made[1] < _RAN_OUT else _CUT_OFF
        return made[0]

    def _recalled(self, known: Kept, fuel: int) -> Values:
        """An answer that is kept, of no more fuel than there is."""
        low = fuel - known[1] + 1
        if low < self.low:
            self.low = low
        if known[2] is not None:
            self.saw(known[2])
        return known[0]

    def _cut_short(self, kind: int, unit: Unit, key: Any, fuel: int) -> Values | None:
        """An answer that ran out of fuel, which holds for the same amount only."""
        cut = self._cut_off.get((self._asked_with(kind, unit, fuel), key))
        if cut is None:
            return None
        self.low = -1
        self.deep = self.deep or cut[2]
        self.saw(cut[1])
        return cut[0]

    def _asked_with(self, kind: int, unit: Unit, fuel: int) -> int:
        """All but the key that an answer hangs on which ran out of fuel, as one number."""
        return ((unit.number << 6 | kind) << 8 | fuel) << 8 | self.depth

    def _asked(self, asked: int, kind: int, unit: Unit, key: Any, fuel: int) -> Kept:
        """The answer to a question of a kind, made now; with more fuel than there ever is where it ran out of it."""
        low, used = self.low, self.used
        begin = len(used)
        self.low = fuel
        self.open += 1
        if self.open > MOST_OPEN:
            raise RecursionError  # compiled code does not count its calls: without this it would crash
        found = self.answered(asked, unit, key, fuel - 1)
        self.open -= 1
        own = self.gateways.joined(used, begin, _FEW[kind])
        if len(found) > MAX_VALUES and self.too_many(found):
            found = NOTHING
        if self.low < 0:
            self._cut_off[self._asked_with(kind, unit, fuel), key] = (found, own, self.deep)
            return found, _RAN_OUT, None
        takes = fuel - self.low + 1
        if low < self.low:
            self.low = low
        return found, takes, own

    def answered(self, asked: int, unit: Unit, key: Any, fuel: int) -> Values:
        """The answer to a question of a kind."""
        if asked == BINDINGS:
            return self._bindings(unit, key, fuel)
        if asked == ATTRIBUTE:
            return self._attribute(unit, key, fuel)
        if asked == CALL:
            return self._call(unit, key, fuel)
        if asked == ITEMS:
            return self._container_items(unit, key, fuel)
        if asked == MEMBER:
            return self._member_group(unit, key, fuel)
        if asked == TOP:
            return self.group_at(unit, key, -1, fuel)
        if asked == SUBSCRIPT:
            return self._subscript(unit, key, fuel)
        if asked == RESULT:
            return self._returned(unit, key, fuel)
        if asked == YIELDED:
            return self._yielded(unit, key, fuel)
        if asked == CLOSURES:
            return self._closures(unit, key, fuel)
        if asked == EXPORT:
            return self._exported(unit, key, unit.exports[key], fuel)
        return self._aliased(unit, key, fuel)

    @staticmethod
    def too_many(found: Values) -> bool:
        """Whether an expression that may be more than MAX_VALUES things is not narrowed down at all."""
        return True

    def settled(self, known: Settled, key: Hashable, make: Callable[[], T], cut: T, nested: bool = True) -> T:
        """`make()`, asked once and kept in `known`.

        `make` starts with full fuel. Classes that stand in each other's bases and modules that export each other would ask for ever:
        inside MAX_NESTING such questions the answer is `cut`. What hangs on that holds for its depth only and is kept apart, so
        that an answer does not depend on which question came first. nested: whether this question counts as one of them.
        """
        if self.flat:
            key = (key, "flat")
        found = self._already_settled(known, key)
        if found is None:
            if nested and self.depth >= MAX_NESTING:
                self.low, self.deep = -1, True
                return cut
            before = self._begun(nested)
            found = self._ended(known, key, make(), nested, before)
        settled: T = found[0]
        return settled

    def _already_settled(self, known: Settled, key: Hashable) -> tuple[Any, Seen, bool] | None:
        found = known.get(key)
        if found is None and self.are_deep:
            found = known.get((key, self.depth))
        if found is not None:
            self.saw(found[1])
            if found[2]:
                self.low, self.deep = -1, True
        return found

    def _begun(self, nested: bool) -> tuple[int, int, bool]:
        """What `_ended` has to know of how things were."""
        before = self.low, len(self.used), self.deep
        self.low, self.deep = FUEL, False
        self.depth += nested
        return before

    def _ended(self, known: Settled, key: Hashable, answer: Any, nested: bool, before: tuple[int, int, bool]) -> tuple[Any, Seen, bool]:
        self.depth -= nested
        found = (answer, self.gateways.joined(self.used, before[1]), self.deep)
        if self.deep:
            known[key, self.depth] = found
            self.are_deep = True
            self.low = -1
        else:
            known[key] = found
            self.low, self.deep = before[0], before[2]
        return found

    def forget_cut_off(self, most: int = MOST_CUT_OFF) -> None:
        """Answers that were cut short, where they are too many: half of them would be asked for again by another file."""
        if len(self._cut_off) > most:
            self._cut_off.clear()

    def start_anew(self) -> None:
        """After a question that was given up half way. What it had looked at is not known any more: see UNFINISHED."""
        self.low, self.flat, self.depth, self.deep, self.open = FUEL, False, 0, False, 0
        self._bases_seen, self.variables = [], frozenset()
        self.used = [self.gateways.fact(*UNFINISHED)]

    def spent(self, fuel: int) -> bool:
        """Whether the fuel is used up. Either way the answer hangs on it: with none left, and with the last of it, is noted in `low`."""
        if fuel <= 0:
            self.low = -1
            return True
        if fuel < self.low:
            self.low = fuel
        return False

    def saw(self, seen: Seen) -> None:
        """Notes what an answer hangs on that was known."""
        if isinstance(seen, list):
            self.used += seen
        elif seen is not None:
            self.used.append(seen)

    def look(self, kind: str, unit: Unit, symbol: int, name: str) -> None:
        """Notes that something of a file was looked at: a name at its top, a member or the header of a class, a function."""
        names: dict[str, Seen] | None
        if symbol == 0:  # as of three in four
            names = unit.looked_at.get(kind)
            if names is None:
                names = unit.looked_at[kind] = {}
        else:
            of_kind = unit.looked_at_in.get(kind)
            if of_kind is None:
                of_kind = unit.looked_at_in[kind] = {}
            names = of_kind.get(symbol)
            if names is None:
                names = of_kind[symbol] = {}
        known = names.get(name)
        if known is None:
            known = names[name] = self.gateways.fact_at(kind, unit.place_key(symbol), name)
        self.used.append(known)

    def look_at_code(self, unit: Unit, symbol: int) -> None:
        """Notes that the code of a function was looked at: that of the outermost one, of which it may be a part."""
        known = unit.code_looked_at.get(symbol)
        if known is None:
            known = unit.code_looked_at[symbol] = self.gateways.fact_at("code", unit.place_key(unit.outermost(symbol)), "")
        self.used.append(known)

    def look_for(self, key: str) -> None:
        """Notes that it was looked whether there is a file: a key of `index.languages.python.modules.changed_keys`."""
        self.used.append(self._path(key))

    def _path(self, key: str) -> Seen:
        known = self._paths.get(key)
        if known is None:
            known = self._paths[key] = self.gateways.fact("path", "", key)
        return known

    def name(self, unit: Unit, node: int, fuel: int) -> Values:
        group = unit.group[node]
        if group >= 0:
            if unit.group_is_plain[group] and not self.flat:
                # As `of_binding` does it, without two calls: this is asked millions of times.
                known = unit.bound[unit.group_first[group]]
                if known is not None and known[1] <= fuel:
                    return self._recalled(known, fuel)
            return self.group_at(unit, group, node, fuel)
        text = unit.text(node)
        return self.global_name(unit, text, fuel)

    def global_name(self, unit: Unit, text: str, fuel: int) -> Values:
        """A name that the file itself does not bind: from a star import, or a builtin."""
        self.look("top", unit, 0, text)
        self.look("face", unit, 0, "")
        if unit.stars:
            found = self.star_member(unit, text, fuel)
            if found:
                return found
        return _BUILTINS.get(text, NOTHING)

    def group_at(self, unit: Unit, group: int, node: int, fuel: int) -> Values:
        """A name's bindings as seen from `node`: those that a later one replaces for certain are left out."""
        first, last = unit.group_first[group], unit.group_first[group + 1]
        if last - first == 1 and unit.how[first] not in (How.DECLARE, How.NARROW):
            return self.of_binding(unit, first, fuel)
        if node >= 0:
            reached = unit.reached.get(node)
            if reached is None:
                reached = unit.reached[node] = self.reaching(unit, group, node)
            rows = reached
        else:
            rows = self.reaching(unit, group, node)
        found: Values = {}
        if node >= 0 and unit.group_needs_care[group] and (ruled_out := self.ruled_out(unit, first, last, node)):
            for row in rows:
                merged(found, self.of_binding(unit, row, fuel))
            return self.spread_out(self.without(found, unit, ruled_out, fuel))
        if len(rows) == 1:
            return self.of_binding(unit, rows[0], fuel)
        if rows and rows[-1] - rows[0] == len(rows) - 1:
            return self.remembered(BINDINGS, unit, rows[0] << 24 | len(rows), fuel)
        for row in rows:
            merged(found, self.of_binding(unit, row, fuel))
        return self.spread_out(found)

    @staticmethod
    def ruled_out(unit: Unit, first: int, last: int, node: int) -> list[int]:
        """Rows of conditions that do not hold at `node`."""
        how, target, extra = unit.how, unit.target, unit.extra
        return [row for row in range(first, last) if how[row] == How.EXCLUDE and target[row] <= node < target[row] + extra[row]]

    def without(self, values: Values, unit: Unit, rows: list[int], fuel: int) -> Values:
        """The values that are of none of the classes that conditions rule out; all of them if none would be left."""
        return self.other_than(values, {value[1:] for row in rows for value in self.of_binding(unit, row, fuel)})

    def other_than(self, values: Values, classes: set[tuple[Any, ...]]) -> Values:
        def is_one(value: Value) -> bool:
            if value[0] == EXTERNAL_INSTANCE:
                return value[1:] in classes
            return value[0] in _INSTANCES and not classes.isdisjoint(self.order(value[1], value[2]))

        return {value: code for value, code in values.items() if not is_one(value)} or values

    def spread_out(self, found: Values) -> Values:
        """Several bindings may hold: none of what they give is certain any more, and of many each is only possible. Plain types do not
        count: they have no members of ours."""
        if len(found) < 2:
            return found
        several = 0
        for value in found:
            if value[0] != VARIABLE and (value[0] != EXTERNAL_INSTANCE or value[1] not in PLAIN_TYPES):
                several += 1
        if several < 2:
            return found
        tier = LIKELY if several <= SURE_BINDINGS else POSSIBLE
        return capped({value: weakened(code, tier) for value, code in found.items()})

    def reaching(self, unit: Unit, group: int, node: int) -> list[int]:
        """Binding rows of a group that may hold at `node`.

        In the scope of the binding itself, the last binding that every path to `node` passes hides those before it, and later ones
        count only round a loop. From an inner scope, and for node -1 (another file), the end of the scope is what counts.
        """
        first, last = unit.group_first[group], unit.group_first[group + 1]
        needs_care = unit.group_needs_care[group]
        if last - first == 1 and not needs_care:
            return [first]
        how, target, parent, following, kind = unit.how, unit.target, unit.parent, unit.next, unit.kind
        rows: list[int] = []
        for row in range(first, last):
            rows.append(row)
        if needs_care:
            conditions = [row for row in rows if how[row] in (How.NARROW, How.EXCLUDE)]
            rows = [row for row in rows if how[row] not in (How.NARROW, How.EXCLUDE)]
            narrowed = [row for row in conditions if how[row] == How.NARROW and target[row] <= node < target[row] + unit.extra[row]]
            if narrowed and not any(target[narrowed[-1]] <= target[row] < node and self.has_run(unit, row, node) for row in rows):
                return narrowed[-1:]
            if any(unit.type[row] >= 0 and how[row] != How.DEFINE for row in rows):
                # A declared type speaks for all assignments, but a function of that name stays one.
                rows = [row for row in rows if unit.type[row] >= 0 or how[row] == How.DEFINE]
        if len(rows) < 2:
            return rows
        scope = unit.group_scope[group]
        symbol = unit.scope_symbol[scope]
        here = (
            node >= 0
            and unit.scope_kind[scope] in (ScopeKind.FUNCTION, ScopeKind.MODULE, ScopeKind.CLASS)
            and (unit.owner[node] == symbol or self.runs_in(unit, node) == symbol)
        )
        at = node if here else len(kind)
        chosen: list[int] = []
        later: list[int] = []
        for row in rows:
            place = target[row]
            if place > at or (place == at and how[row] != How.DEFINE):
                later.append(row)
                continue
            known = unit.row_places.get(row)
            if known is None:
                known = unit.row_places[row] = self.block_of(unit, place), self.statement_of(unit, place)
            block, statement = known
            if how[row] == How.AUGMENT:
                chosen.append(row)
            elif (block <= at < following[block]) or block == 0:
                # The statement that binds has run by now, unless `node` is inside it (x = f(x)): then what was before holds.
                if here and statement <= at < following[statement] and how[row] in (How.ASSIGN, How.UNPACK):
                    later.append(row)
                else:
                    chosen = [row]
            else:
                chosen.append(row)
        if not here or not later:
            return chosen or later  # each once, and in order
        for row in later:
            above = parent[node]
            while above > 0:
                if kind[above] in _LOOPS and target[row] < following[above]:
                    chosen.append(row)
                    break
                above = parent[above]
        return (sorted(set(chosen)) if len(chosen) > 1 else chosen) or later

    def has_run(self, unit: Unit, row: int, node: int) -> bool:
        """Whether a binding before `node` is not that of a statement which `node` is part of."""
        statement = self.statement_of(unit, unit.target[row])
        return not statement <= node < unit.next[statement]

    @staticmethod
    def runs_in(unit: Unit, node: int) -> int:
        """The function, class or module in which a node's code runs: the one around a constant, a decorated definition, a base."""
        owner: int = unit.owner[node]
        if owner > 0 and not unit.is_script:
            at = unit.symbol_node[owner]
            if unit.symbol_kind[owner] in (SymbolKind.CONSTANT, SymbolKind.FIELD) or node < at:
                return unit.symbol_parent[owner]
            if unit.kind[at] == Kind.CLASS and node < unit.kids(at)[-1]:
                return unit.symbol_parent[owner]
        return owner

    @staticmethod
    def block_of(unit: Unit, node: int) -> int:
        kind, parent = unit.kind, unit.parent
        node = parent[node]
        while node > 0 and not _BLOCKS[kind[node]]:
            node = parent[node]
        if kind[node] == Kind.PARAMS:
            return parent[node]
        return max(node, 0)

    @staticmethod
    def statement_of(unit: Unit, node: int) -> int:
        kind, parent = unit.kind, unit.parent
        while node > 0 and not _BINDS[kind[node]]:
            above = parent[node]
            if kind[above] in (Kind.BLOCK, Kind.MODULE):
                break
            node = above
        return node

    def _bindings(self, unit: Unit, key: int, fuel: int) -> Values:
        row, count = key >> 24, key & 0xFFFFFF
        group = unit.group_of(row)
        scope = unit.group_scope[group]
        if scope == 0:
            self.look("top", unit, 0, unit.names[unit.group_name[group]])
        elif unit.scope_kind[scope] == ScopeKind.CLASS:
            self.look("member", unit, unit.scope_symbol[scope], unit.names[unit.group_name[group]])
        if count == 1:
            return self.binding(unit, row, fuel)
        found: Values = {}
        for one in range(row, row + count):
            merged(found, self.binding(unit, one, fuel))
        return self.spread_out(found)

    def named_as(self, unit: Unit, row: int, node: int, fuel: int) -> Values:
        """What a name is declared to be; of a field, type variables of its class as such."""
        if unit.is_script or not unit.type_parameters:
            return self.annotated(unit, node, fuel)
        owner = unit.scope_symbol[unit.group_scope[unit.group_of(row)]]
        names = unit.type_parameters.get(owner)
        if not names:
            return self.annotated(unit, node, fuel)
        self.look("header", unit, owner, "")
        before, self.variables = self.variables, frozenset(names)
        found = self.annotated(unit, node, fuel)
        self.variables = before
        return found

    def binding(self, unit: Unit, row: int, fuel: int) -> Values:
        """What one binding gives its name."""
        how, value, type_node = unit.how[row], unit.value[row], unit.type[row]
        if how == How.DEFINE:
            return self.defined(unit, unit.extra[row], fuel)
        if type_node >= 0 and how not in (How.NARROW, How.PARAM):
            declared = all_stepped(self.named_as(unit, row, type_node, fuel), Step.DECLARED)
            if how == How.ASSIGN and value >= 0 and not unit.is_script and self.is_of_outside(declared):
                made = self.values(unit, value, fuel)
                declared |= {one: weakened(stepped(code, Step.ASSIGN), LIKELY) for one, code in made.items() if one[0] in _INSTANCES}
            if declared and how == How.ASSIGN and value >= 0 and not unit.is_script and not self.settles(unit, type_node, declared):
                tier = POSSIBLE if any(holds_callables(one) for one in declared) else PROVED  # which of them is called, nobody says
                return {**all_stepped(self.values(unit, value, fuel), Step.ASSIGN, tier), **declared}
            if declared:
                return declared
        if how == How.ASSIGN:
            return all_stepped(self.values(unit, value, fuel), Step.ASSIGN) if value >= 0 else NOTHING
        if how == How.PARAM:
            return self.param(unit, unit.extra[row], fuel)
        if how == How.MEMBER:
            return all_stepped(self.imported_member(unit, unit.extra[row], fuel), Step.IMPORT)
        if how == How.MODULE:
            return all_stepped(self.imported_module(unit, unit.extra[row]), Step.IMPORT)
        if how == How.UNPACK:
            return all_stepped(self.items(self.values(unit, value, fuel), f"#{unit.extra[row]}", fuel), Step.ELEMENT)
        if how == How.REST:
            return self.sliced(self.values(unit, value, fuel), unit.extra[row] if unit.extra[row] > 0 else 0)
        if how == How.ELEMENT:
            found = self.elements(self.values(unit, value, fuel), fuel)
            if unit.extra[row] >= 0:
                found = self.items(found, f"#{unit.extra[row]}", fuel)
            return all_stepped(found, Step.ELEMENT)
        if how == How.ENTER:
            return self.entered(self.values(unit, value, fuel), "__aenter__" if unit.is_async(value) else "__enter__", fuel)
        if how in (How.CAUGHT, How.NARROW, How.PATTERN, How.EXCLUDE):
            return all_stepped(self.instances_of(unit, value, fuel), Step.DECLARED) if value >= 0 else NOTHING
        if how == How.PROPERTY:
            return self.members(self.values(unit, value, fuel), unit.names[unit.extra[row]], fuel)
        return NOTHING

    def instances_of(self, unit: Unit, node: int, fuel: int) -> Values:
        """Instances of the class, or of the classes, that are written at `node`."""
        options = [node]
        if unit.kind[node] in (Kind.TUPLE, Kind.BINARY):
            options = unit.kids(node)
        elif unit.kind[node] == Kind.CASE_PATTERN:
            options = [part + 1 for part in unit.kids(node)]
        found: Values = {}
        for option in options:
            merged(found, self.instances(self.values(unit, option, fuel)))
        return found

    def definition(self, unit: Unit, node: int, fuel: int) -> Values:
        symbol = unit.symbol_of_node.get(node)
        if symbol is None:
            return NOTHING
        is_class = unit.symbol_kind[symbol] in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)
        return {(CLASS if is_class else FUNCTION, unit.number, symbol): PROVED}

    def defined(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """The value of a name that a `def` or `class` binds: what its decorators make of it."""
        is_class = unit.symbol_kind[symbol] in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)
        own: Values = {(CLASS if is_class else FUNCTION, unit.number, symbol): PROVED}
        node = unit.symbol_node[symbol]
        if unit.kind[unit.parent[node]] != Kind.DECORATED or self.spent(fuel):
            return own
        return self.decorated_by(unit, symbol, 0, fuel)

    def decorated_by(self, unit: Unit, symbol: int, above: int, fuel: int) -> Values:
        """A definition as its decorators make it, from the innermost one up to but without decorator node `above` (0: all of them)."""
        node = unit.symbol_node[symbol]
        is_class = unit.symbol_kind[symbol] in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)
        current: Values = {(CLASS if is_class else FUNCTION, unit.number, symbol): PROVED}
        for decorator in reversed([kid for kid in unit.kids(unit.parent[node]) if unit.kind[kid] == Kind.DECORATOR and kid > above]):
            made = self.decorated(unit, decorator + 1, current, fuel)
            if made and not (is_class and all(value[0] in _SAYS_LITTLE for value in made)):
                current = made
        return current

    def decorated(self, unit: Unit, decorator: int, target: Values, fuel: int) -> Values:
        """What a first-party decorator makes of `target`; nothing where it is unknown or gives its argument back."""
        found: Values = {}
        for value, code in self.values(unit, decorator, fuel).items():
            if value[0] == EXTERNAL:
                continue
            result = self.applied(value, code, Given([target]), NO_ARGUMENTS, fuel)
            for one, its in result.items():
                if one in target:
                    merged(found, {one: target[one]})
                elif not is_symbolic(one) or one[0] != PARAM:
                    merged(found, {one: weakened(its, LIKELY)})
        return found if len(found) < 2 or len(target) > 1 else self._of_its_kind(found, next(iter(target)))

    def _of_its_kind(self, found: Values, target: Value) -> Values:
        """Of several functions that may stand for `target` those that run as it does: a decorator that gives a coroutine, a generator or
        a plain function gives each to its like."""
        if target[0] != FUNCTION:
            return found
        wanted = self.program.unit(target[1]).symbol_flags[target[2]] & _RUNS_LATER
        others = [
            one for one in found
            if one[0] == FUNCTION and one != target and self.program.unit(one[1]).symbol_flags[one[2]] & _RUNS_LATER != wanted
        ]  # fmt: skip
        if not others or len(others) == sum(1 for one in found if one[0] == FUNCTION and one != target):
            return found
        return {one: code for one, code in found.items() if one not in others}

    def param(self, unit: Unit, row: int, fuel: int) -> Values:
        """A parameter: `self`, its declared type, a fixture, or whatever callers pass."""
        flags, symbol = unit.param_flags[row], unit.param_symbol[row]
        if flags & ParamFlag.SELF:
            owner = unit.symbol_parent[symbol]
            tag = SELF_CLASS if unit.symbol_flags[symbol] & SYMBOL_CLASSMETHOD or unit.symbol_text(symbol) in OF_CLASS else SELF
            if unit.symbol_kind[owner] in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM):
                if self.is_metaclass(unit, owner) and tag == SELF:
                    return {(SELF, unit.number, owner): stepped(PROVED, Step.SELF)}
                return {(tag, unit.number, owner): stepped(PROVED, Step.SELF)}
        type_node = unit.param_type[row]
        found: Values = {}
        if type_node >= 0:
            declared = self.annotated(unit, type_node, fuel)
            if declared and flags & (ParamFlag.STAR | ParamFlag.DOUBLE_STAR):
                return {(TYPED, tuple(sorted(declared)), ()): stepped(PROVED, Step.DECLARED)}
            found = all_stepped(declared, Step.DECLARED)
            if self.settles(unit, type_node, declared):
                return found
        name = unit.names[unit.param_name[row]]
        fixture = self.fixture(unit, symbol, name, fuel)
        if fixture:
            return all_stepped(self.fixture_values(fixture, fuel), Step.IMPLICIT)
        if unit.symbol_flags[symbol] & SYMBOL_DECORATED and not unit.is_script and self.takes_fixtures(unit, symbol):
            given = self.parametrized(unit, symbol, name, fuel)
            if given:
                return all_stepped(self.spread_out(given), Step.ARGUMENT, LIKELY)
        if unit.param_default[row] >= 0:
            for value, code in self.values(unit, unit.param_default[row], fuel).items():
                if value[0] in (FUNCTION, CLASS, METHOD, INSTANCE, CONTAINER):
                    found[value] = weakened(stepped(code, Step.ARGUMENT), LIKELY)
        index = unit.params[symbol].index(row)
        found[PARAM, unit.number, symbol, index] = stepped(LIKELY, Step.ARGUMENT)
        return found

    def is_metaclass(self, unit: Unit, symbol: int) -> bool:
        return False

    # pytest fixtures

    def fixture(self, unit: Unit, symbol: int, name: str, fuel: int) -> list[tuple[Unit, int]]:
        """The fixture that a parameter of a test or fixture names: in its class, file, star imports, or the nearest conftest.py."""
        return self.named_fixture(unit, symbol, name) if not unit.is_script and self.takes_fixtures(unit, symbol) else []

    def named_fixture(self, unit: Unit, symbol: int, name: str) -> list[tuple[Unit, int]]:
        places = [unit.number]
        places += [self.program.number[path] for path in self.program.conftests(unit.path) if path in self.program.number]
        self.look_for("conftest")
        for number in places:
            other = self.program.unit(number)
            self.note(unit, number, name)
            found = [row for row in other.fixtures.get(name, ()) if row != symbol or other is not unit]
            if found:
                inside = [row for row in found if other.symbol_parent[row] in (0, unit.symbol_parent[symbol])]
                return [(other, (inside or found)[-1])]
            for plugin in self.plugins_of(other):
                self.note(unit, plugin.number, name)
                if name in plugin.fixtures:
                    return [(plugin, plugin.fixtures[name][-1])]
        return []

    def plugins_of(self, unit: Unit) -> list[Unit]:
        """The modules of the project that a file names in `pytest_plugins = [...]`."""
        self.look("top", unit, 0, "pytest_plugins")
        group = unit.module_names.get("pytest_plugins")
        if group is None:
            return []
        given = self.remembered(TOP, unit, group, FUEL)
        named = sorted(str(value[1]) for value in (*given, *self.items(given, "*", FUEL)) if value[0] == TEXT)
        return [self.program.unit(one[1]) for name in named for one in self.module_value(unit, name, 0) if one[0] == MODULE]

    def takes_fixtures(self, unit: Unit, symbol: int) -> bool:
        text = unit.symbol_text(symbol)
        return (text.startswith("test") and unit.is_test) or symbol in unit.fixture_symbols

    def parametrized(self, unit: Unit, symbol: int, name: str, fuel: int) -> Values:
        """What `@pytest.mark.parametrize` passes for a parameter of a test."""
        found: Values = {}
        for decorator in unit.kids(unit.parent[unit.symbol_node[symbol]]):
            call = decorator + 1
            if unit.kind[decorator] != Kind.DECORATOR or unit.kind[call] != Kind.CALL or unit.kind[call + 1] != Kind.ATTRIBUTE:
                continue
            positional, keywords = self.arguments(unit, call)
            nodes = [*positional, *(keywords[key] for key in ("argnames", "argvalues") if key in keywords)]
            if unit.text(unit.next[call + 2]) != "parametrize" or len(nodes) < 2:
                continue
            texts = [unit.text(part) for part in range(nodes[0], unit.next[nodes[0]]) if unit.kind[part] == Kind.TEXT]
            names = [one.strip() for text in texts for one in text.split(",")]
            if name not in names:
                continue
            rows = self.values(unit, nodes[1], fuel)
            for value, code in (
                self.elements(rows, fuel).items()
                if len(names) == 1
                else self.items(self.elements(rows, fuel), f"#{names.index(name)}", fuel).items()
            ):
                merged(found, {value: code})
        return found

    def fixture_values(self, fixtures: list[tuple[Unit, int]], fuel: int) -> Values:
        found: Values = {}
        for unit, symbol in fixtures:
            given = self.returned(unit, symbol, fuel)
            for value, code in given.items():
                if value[0] == GENERATOR:
                    merged(found, self.yielded(unit, symbol, fuel))
                elif value[0] == TYPED and unit.symbol_flags[symbol] & SYMBOL_GENERATOR:
                    merged(found, dict.fromkeys(value[1], code))
                else:
                    merged(found, {value: code})
        return {value: code for value, code in found.items() if not is_symbolic(value)}

    # imports and modules

    def note(self, unit: Unit, number: int, name: str) -> None:
        """A fixture of that name was looked for in file `number`."""
        self.look("fixture", self.program.unit(number), 0, name)

    def imported_module(self, unit: Unit, row: int) -> Values:
        module = unit.names[unit.import_module[row]]
        if unit.is_script:
            return self.module_value(unit, module, 0, unit.import_flags[row])
        if unit.import_flags[row] & 1:  # `import a.b` binds a
            module = module.partition(".")[0]
        return self.module_value(unit, module, unit.import_level[row])

    def resolve(self, unit: Unit, module: str, level: int) -> Resolution:
        """What an import names; which files there are is noted as looked at."""
        entry = ("path", level, module)
        if entry not in unit.paths_looked_at:
            keys = self.program.lookup_keys(unit, module, level)
            unit.paths_looked_at[entry] = self.gateways.joined([self._path(key) for key in keys], 0)
        self.saw(unit.paths_looked_at[entry])
        return self.program.resolve(unit, module, level)

    def module_value(self, unit: Unit, module: str, level: int, flags: int = 0) -> Values:
        known = unit.modules.get((module, level))
        if known is None:
            begin = len(self.used)
            found = self._module_value(unit, module, level)
            unit.modules[module, level] = (found, self.gateways.joined(self.used, begin))
            return found
        self.saw(known[1])
        return known[0]

    def _module_value(self, unit: Unit, module: str, level: int) -> Values:
        found = self.resolve(unit, module, level)
        if found.found == Found.FILE:
            number = self.program.number.get(found.path)
            if number is not None:
                return {(MODULE, number): PROVED}
        elif found.found == Found.FOLDER:
            return {(FOLDER, found.path): PROVED}
        elif found.found == Found.EXTERNAL:
            return {(EXTERNAL, module): PROVED}
        return NOTHING

    def imported_member(self, unit: Unit, row: int, fuel: int) -> Values:
        module, member, level = unit.names[unit.import_module[row]], unit.names[unit.import_member[row]], unit.import_level[row]
        found: Values = {}
        for value, code in self.module_value(unit, module, level).items():
            name = member
            if value[0] == MODULE and not unit.is_script:
                number, name = self.behind(value[1], member)
                value = (MODULE, number)
            merged(found, self.member(value, code, name, fuel))
        if not found and not unit.is_script:
            joined = f"{module}.{member}" if module else member
            for value, code in self.module_value(unit, joined, level).items():
                if value[0] != EXTERNAL:
                    found[value] = code
        return found

    def behind(self, number: int, name: str) -> tuple[int, str]:
        """A file and a name at its top -> the file and name at the end of a long chain of imports that do no more than pass it on; of a
        short one, and of one that leads back to itself, the same again. What was looked at is noted, but for what whoever asks the file for
        the name notes anyway."""
        unit = self.program.unit(number)
        group = unit.module_names.get(name)
        if not unit.stars if group is None else unit.how[unit.group_first[group]] != How.MEMBER:
            return number, name  # as nearly always
        known = self._ends.get((number, name))
        if known is None:
            begin = len(self.used)
            end = self._end_of_chain(number, name)
            self._ends[number, name] = (end, self.gateways.joined(self.used, begin))
            return end
        self.saw(known[1])
        return known[0]

    def _end_of_chain(self, number: int, name: str) -> tuple[int, str]:
        at, seen = (number, name), {(number, name)}
        while len(seen) <= LONGEST_CHAIN and (following := self._passed_on_from(*at)) is not None:
            if following in seen:
                return number, name
            at = following
            seen.add(at)
        return at if len(seen) > LONG_CHAIN else (number, name)

    def _passed_on_from(self, number: int, name: str) -> tuple[int, str] | None:
        """The file and name that a single import at the top of a file takes a name from."""
        unit = self.program.unit(number)
        self.look("top", unit, 0, name)
        group = unit.module_names.get(name)
        if group is None:
            self.look("face", unit, 0, "")
            if len(unit.star_order) != 1:
                return None
            row = unit.star_order[0][0]
        else:
            first = unit.group_first[group]
            if not unit.group_is_plain[group] or unit.how[first] != How.MEMBER:
                return None
            row = unit.extra[first]
            name = unit.names[unit.import_member[row]]
        for value in self.module_value(unit, unit.names[unit.import_module[row]], unit.import_level[row]):
            if value[0] == MODULE:
                other = self.program.unit(value[1])
                self.look("top", other, 0, name)
                self.look("face", other, 0, "")
                if (name in other.module_names or other.stars) and (group is not None or self.is_public(other, name)):
                    return other.number, name
        return None

    def star_member(self, unit: Unit, name: str, fuel: int) -> Values:
        """A name that a star import (or `export *`) may bring."""
        if self.spent(fuel):
            return NOTHING
        web = self.webs.of(unit)
        if web is not None:
            return self.settled(self._web_members, (web.number, name), lambda: self._in_web(web, name), NOTHING)
        found: Values = {}
        for row, always in unit.star_order:
            for value in self.imported_star(unit, row):
                if value[0] == MODULE:
                    other = self.program.unit(value[1])
                    if self.is_public(other, name):
                        number, asked = (value[1], name) if unit.is_script else self.behind(value[1], name)
                        merged(found, all_stepped(self.module_member(self.program.unit(number), asked, fuel - 1), Step.STAR))
            if found and always:
                break
        return found

    def _in_web(self, web: Web, name: str) -> Values:
        """A name that any of a circle of modules passes on."""
        found: Values = {}
        self.webs.note(web, name)
        for number in web.owners(name):
            merged(found, all_stepped(self.own_member(self.program.unit(number), name, FUEL), Step.STAR))
        return found if len(found) < 2 else {value: weakened(code, LIKELY) for value, code in found.items()}

    def own_member(self, unit: Unit, name: str, fuel: int) -> Values:
        """What a name at the top of a file is by what the file itself says."""
        self.look("top", unit, 0, name)
        group = unit.module_names.get(name)
        return NOTHING if group is None else self.remembered(TOP, unit, group, fuel)

    def passed_on(self, unit: Unit) -> list[str]:
        """A file's own names that a star import of it brings."""
        return [name for name in unit.module_names if self.is_public(unit, name)]

    def imported_star(self, unit: Unit, row: int) -> Values:
        return self.module_value(unit, unit.names[unit.import_module[row]], unit.import_level[row])

    def is_public(self, unit: Unit, name: str) -> bool:
        """Whether a star import brings a name of that file."""
        if unit.is_script:
            return name != "default"
        self.look("face", unit, 0, "")
        if unit.public is not None:
            return name in unit.public
        return not name.startswith("_") or unit.has_all == 2

    def module_member(self, unit: Unit, name: str, fuel: int) -> Values:
        """What `name` is at the top of a file, for others that ask."""
        known = unit.top_memo.get(name)
        if known is not None and known[1] <= fuel and not self.flat:
            self.low = min(self.low, fuel - known[1] + 1)
            self.saw(known[2])
            return known[0]
        kind = 30 if self.flat else 31
        cut = self._cut_off.get((self._asked_with(kind, unit, fuel), name))
        if cut is not None:
            self.low = -1
            self.deep = self.deep or cut[2]
            self.saw(cut[1])
            return cut[0]
        low, begin = self.low, len(self.used)
        self.low = fuel + 1
        found = self._module_member(unit, name, fuel)
        own = self.gateways.joined(self.used, begin)
        if self.low >= 0 and not self.flat:
            unit.top_memo[name] = (found, fuel - self.low + 1, own)
        else:
            self._cut_off[self._asked_with(kind, unit, fuel), name] = (found, own, self.deep)
        self.low = min(low, self.low)
        return found

    def _module_member(self, unit: Unit, name: str, fuel: int) -> Values:
        self.look("top", unit, 0, name)
        if unit.is_script:
            return self.exported(unit, name, fuel)
        group = unit.module_names.get(name)
        if group is not None:
            found = self.remembered(TOP, unit, group, fuel)
            if found:
                return found
        self.look("face", unit, 0, "")
        if unit.stars:
            found = self.star_member(unit, name, fuel)
            if found:
                return found
        return self.submodule(unit, name)

    def submodule(self, unit: Unit, name: str) -> Values:
        if not unit.path.endswith(("/__init__.py", "/__init__.pyi")) and unit.path not in ("__init__.py", "__init__.pyi"):
            return NOTHING
        found = self.resolve(unit, name, 1)
        if found.found == Found.FILE and found.path in self.program.number:
            return {(MODULE, self.program.number[found.path]): PROVED}
        if found.found == Found.FOLDER:
            return {(FOLDER, found.path): PROVED}
        return NOTHING

    def exported(self, unit: Unit, name: str, fuel: int) -> Values:
        """Scripts: the value a module exports under `name`."""
        entry = unit.exports.get(name)
        if entry is not None:
            return self.remembered(EXPORT, unit, name, fuel)
        if unit.stars and name != "default":
            return self.star_member(unit, name, fuel)
        return NOTHING

    def _exported(self, unit: Unit, name: str, entry: tuple[int, int, int], fuel: int) -> Values:
        local, row, node = entry
        if row >= 0:
            if unit.import_member[row] < 0:
                return all_stepped(self.imported_module(unit, row), Step.REEXPORT)
            return all_stepped(self.imported_member(unit, row, fuel), Step.REEXPORT)
        if local >= 0:
            group = unit.module_names.get(unit.names[local])
            return self.group_at(unit, group, -1, fuel) if group is not None else NOTHING
        return self.values(unit, node, fuel)

    # attributes

    def attribute(self, unit: Unit, node: int, fuel: int) -> Values:
        if not unit.is_script:
            node = self.first_alike(unit, node)
        return self.of_node(ATTRIBUTE, unit, node, fuel + 1)

    def first_alike(self, unit: Unit, node: int) -> int:
        """The first attribute of a file that must mean the same as one: what is known of it is known of both. To find it out takes longer
        than to ask for the few of a file that are asked about late."""
        alike = unit.alike
        if alike is None:
            if self.is_late:
                return node
            alike = unit.make_alike()
        return alike[node]

    def _attribute(self, unit: Unit, node: int, fuel: int) -> Values:
        base = node + 1
        name = unit.next[base]
        if name >= unit.next[node]:
            return NOTHING
        row = unit.name[name]
        text = unit.names[row] if row >= 0 else ""
        found = self.members(self.values(unit, base, fuel), text, fuel)
        conditions = unit.conditions
        if conditions and text in conditions:
            return self.narrowed_attribute(unit, node, text, found, fuel)
        return found

    def narrowed_attribute(self, unit: Unit, node: int, text: str, found: Values, fuel: int) -> Values:
        """`self.a` where conditions say of which class it is, or is not."""
        dotted = unit.dotted(node)
        for first, last, value, holds, name in reversed(unit.conditions[text]):
            if first <= node < last and name == dotted:
                told = self.instances_of(unit, value, fuel)
                if holds and told:
                    return all_stepped(told, Step.DECLARED)
                if not holds:
                    found = self.other_than(found, {one[1:] for one in told})
        return found

    def members(self, values: Values, name: str, fuel: int) -> Values:
        if len(values) == 1:
            for value, code in values.items():
                return self.member(value, code, name, fuel)
        found: Values = {}
        for value, code in values.items():
            merged(found, self.member(value, code, name, fuel))
        return found

    def member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        """`value.name`."""
        tag: int = value[0]
        if tag == MODULE:
            return self._after(self.module_member(self.program.unit(value[1]), name, fuel), code)
        if tag in _INSTANCES or tag in _CLASSES or tag == SUPER:
            return self.class_member(value, code, name, fuel)
        if tag == EXTERNAL:
            return {(EXTERNAL, f"{value[1]}.{name}"): code}
        if tag == EXTERNAL_INSTANCE:
            return {(EXTERNAL, f"{value[1]}().{name}"): code}
        if tag == FOLDER:
            path = f"{value[1]}/{name}" if value[1] else name
            self.look_for("/" + path)
            for candidate in (f"{path}/__init__.py", f"{path}.py"):
                number = self.program.number.get(candidate)
                if number is not None:
                    return {(MODULE, number): stepped(code, Step.ATTRIBUTE)}
            return {(FOLDER, path): code} if path in self.program.folders else NOTHING
        if tag in _DATA or tag == GENERATOR:
            if tag == CONTAINER and self.program.unit(value[1]).is_script:
                found = self.object_member(value, code, name, fuel)
                if found:
                    return found
            return {(CONTAINER_METHOD, value, name): code}
        if tag in _FUNCTIONS:
            return self.function_member(value, code, name, fuel)
        if tag >= PARAM and depth_of(value) < MAX_SYMBOLIC:
            return {(PART, value, name): stepped(code, Step.ATTRIBUTE)}
        return NOTHING

    @staticmethod
    def _after(values: Values, code: int) -> Values:
        """The values with the chain (and the doubt) that led to their owner in front."""
        tier = code & ~((1 << 28) - 1)
        chain = code & ((1 << 28) - 1)
        if not chain:
            return {value: stepped(max(its, tier) if not tier else weakened(its, tier), Step.ATTRIBUTE) for value, its in values.items()}
        bits = (chain.bit_length() + 3) & ~3
        found = {}
        for value, its in values.items():
            own = its & ((1 << 28) - 1)
            joined = (chain | Step.ATTRIBUTE << bits if bits < 28 else chain) & ((1 << 28) - 1)
            at = (joined.bit_length() + 3) & ~3
            if own and at < 28:
                joined = (joined | own << at) & ((1 << 28) - 1)
            found[value] = max(its & ~((1 << 28) - 1), tier) | joined
        return found

    def function_member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        return self.stored_members(value, code, name, fuel) or self.members(self.as_property(value, code, fuel), name, fuel)

    def as_property(self, value: Value, code: int, fuel: int) -> Values:
        """What a method gives that something outside the project decorates, where a member is asked of it that no function has: the
        decorator may make a property of it."""
        if value[0] != METHOD or self.spent(fuel):
            return NOTHING
        unit = self.program.unit(value[1])
        if not unit.symbol_flags[value[2]] & SYMBOL_DECORATED:
            return NOTHING
        given = self._with(self.returned_to(value[1], value[2], value[3], fuel - 1), code)
        return {one: weakened(its, LIKELY) for one, its in given.items() if one[0] in _INSTANCES}

    def mro(self, number: int, symbol: int) -> tuple[tuple[tuple[int, int], ...], bool]:
        """(file, symbol) of the class and its first-party bases in method resolution order, and whether every base is known.

        C3 as in Python's reference; where it has no answer, depth first.
        """
        return self.ancestry(number, symbol)[:2]

    def order(self, number: int, symbol: int) -> tuple[tuple[int, int], ...]:
        """The first of these."""
        return self.ancestry(number, symbol)[0]

    def ancestry(self, number: int, symbol: int) -> Line:
        """The resolution order, whether every base is known, and of each base that is written anywhere in it the classes it may be
        and whether it is outside the project."""
        place = number << 32 | symbol
        known = self._mro.get(place)
        if known is None or self.flat:
            # As `settled` does it, without a function made for each question.
            key: Hashable = (place, "flat") if self.flat else place
            known = self._already_settled(self._mro, key) if self.flat or self.are_deep else None
            if known is None:
                if self.depth >= MAX_NESTING:
                    self.low, self.deep = -1, True
                    return ((number, symbol),), False, ()
                before = self._begun(True)
                known = self._ended(self._mro, key, self._linearised(number, symbol, FUEL), True, before)
        else:
            self.saw(known[1])
        kept: Line = known[0]
        return kept

    def is_outside(self, value: Value) -> bool:
        """Whether a class has a base outside the project, and no base of which nothing is known: what it lacks is there."""
        number, symbol = value[3][1:3] if value[0] == SUPER else value[1:3]
        seen = self.ancestry(number, symbol)[2]
        return any(is_outside for _, is_outside in seen) and all(classes or is_outside for classes, is_outside in seen)

    def alternatives(self, value: Value, name: str, found: Member) -> list[Member]:
        """Where a base is one of several classes: the other members that `value.name` may be."""
        tag: int = value[0]
        owner: Value = value[3] if tag == SUPER else value
        number: int = owner[1]
        symbol: int = owner[2]
        several = self._several.get(number << 32 | symbol)
        if several is None or self.flat:
            several = self._several[number << 32 | symbol] = [
                classes for classes, _ in self.ancestry(number, symbol)[2] if len(classes) > 1
            ]
        members: list[Member] = []
        if not several:  # as nearly always
            return members
        for classes in several:
            options = [self.find_member((INSTANCE, *one), name) for one in classes]
            if any(option is not None and option[1:] == found[1:] and option[0] is found[0] for option in options):
                members += [option for option in options if option is not None and (option[0] is not found[0] or option[1:] != found[1:])]
        return members

    def _linearised(self, number: int, symbol: int, fuel: int) -> Line:
        """The same with so many levels of bases above the class. One that had levels to spare is the answer for any larger number."""
        if fuel <= 0:
            self._line_low = -1
            return ((number, symbol),), False, ()
        place = number << 32 | symbol
        known = self._whole_lines.get(place)
        if known is not None and known[2] <= fuel and not self.flat:
            self._line_low = min(self._line_low, fuel - known[2] + 1)
            self.saw(known[1])
            return known[0]
        asked = (number, symbol, fuel)
        key: Hashable = (asked, "flat") if self.flat else asked
        settled = self._already_settled(self._lines, key)
        if settled is not None:
            self._line_low = -1  # or it hangs on more than how far it goes
            kept: Line = settled[0]
            return kept
        low, self._line_low = self._line_low, fuel
        before = self._begun(False)
        line = self._line(number, symbol, fuel)
        if self._line_low < 0 or self.deep or self.flat:
            self._ended(self._lines, key, line, False, before)
        else:
            self._whole_lines[place] = (line, self.gateways.joined(self.used, before[1]), fuel - self._line_low + 1)
            self.low, self.deep = before[0], before[2]
        self._line_low = min(low, self._line_low)
        return line

    def _line(self, number: int, symbol: int, fuel: int) -> Line:
        own = (number, symbol)
        before, self._bases_seen = self._bases_seen, []
        bases, complete = self.bases(number, symbol, fuel)
        seen, self._bases_seen = dict.fromkeys(self._bases_seen), before
        lines = []
        for base in bases:
            line, whole, more = self._linearised(base[0], base[1], fuel - 1) if base != own else ((), False, ())
            complete = complete and whole
            seen.update(dict.fromkeys(more))
            lines.append(line)
        lines.append(tuple(base for base in bases if base != own))
        return linearised(own, lines), complete, tuple(seen)

    def bases(self, number: int, symbol: int, fuel: int) -> tuple[list[tuple[int, int]], bool]:
        """First-party base classes as written, and whether every base is known (`object` and interfaces apart)."""
        unit = self.program.unit(number)
        self.look("header", unit, symbol, "")
        found, complete = [], True
        before, self.low = self.low, FUEL
        for node in self.base_nodes(unit, symbol):
            values = self.values(unit, node, FUEL)
            classes = [value[1:3] for value in values if value[0] == CLASS]
            found += [base for base in classes if base not in found]
            is_object = any(value == (EXTERNAL, "builtins.object") for value in values)
            complete = complete and (bool(classes) or is_object)
            if not is_object:
                self._bases_seen.append((tuple(classes), any(value[0] in (EXTERNAL, EXTERNAL_INSTANCE) for value in values)))
        self.low = before
        return found, complete

    def base_nodes(self, unit: Unit, symbol: int) -> list[int]:
        known = unit.base_nodes.get(symbol)
        if known is None:
            known = unit.base_nodes[symbol] = self._base_nodes(unit, symbol)
        return known

    @staticmethod
    def _base_nodes(unit: Unit, symbol: int) -> list[int]:
        node = unit.symbol_node[symbol]
        found = []
        for part in unit.kids(node):
            if unit.kind[part] in (Kind.ARGS, Kind.HERITAGE):
                for base in unit.kids(part):
                    if unit.kind[base] in (Kind.SUBSCRIPT, Kind.GENERIC):
                        found.append(base + 1)
                    elif unit.kind[base] not in (Kind.KEYWORD, Kind.KEYWORD_SPREAD, Kind.TYPE_ARGS, Kind.IMPLEMENTS):
                        found.append(base)
        return found

    def find_member(self, value: Value, name: str) -> Member | None:
        """The binding group that `value.name` comes from: the first class of the resolution order that has it."""
        tag: int = value[0]
        number: int = value[1]
        symbol: int = value[2]
        of_instance = tag in _INSTANCES
        if tag == SUPER:
            members = self._members_above.get(value)
            if members is None:
                members = self._members_above[value] = {}
        else:  # where a name is looked for hangs on the class, and whether it is asked itself
            members = self._members.get(number << 32 | symbol << 1 | of_instance)
            if members is None:
                members = self._members[number << 32 | symbol << 1 | of_instance] = {}
        known = members.get(name)
        key: Hashable = name
        if known is None or self.flat:
            key = (name, "flat") if self.flat else name
            known = self._already_settled(members, key) if self.flat or self.are_deep else None
        else:
            self.saw(known[1])
        if known is None:  # as `settled` does it, without a function made for each question
            if self.depth >= MAX_NESTING:
                self.low, self.deep = -1, True
                return None
            asked = value if tag == SUPER else (INSTANCE if of_instance else CLASS, number, symbol)
            before = self._begun(True)
            known = self._ended(members, key, self._find_member(asked, name), True, before)
        found: Member | None = known[0]
        return found

    def _find_member(self, value: Value, name: str) -> Member | None:
        tag: int = value[0]
        number: int = value[1]
        symbol: int = value[2]
        if tag == SUPER:
            receiver = value[3]
            order = self.order(receiver[1], receiver[2])
            own = (number, symbol)
            order = order[order.index(own) + 1 :] if own in order else self.order(number, symbol)[1:]
        else:
            order = self.order(number, symbol)
        of_class, program, named = tag in _CLASSES, self.program, b""
        for file, class_symbol in order:
            unit = program.unit(file)
            looked_at = unit.members_looked_at.get(class_symbol)  # as `look` does it
            if looked_at is None:
                looked_at = unit.members_looked_at[class_symbol] = {}
            fact = looked_at.get(name)
            if fact is None:
                named = named or fact_name("member", name)
                fact = looked_at[name] = self.gateways.fact_of(named, unit.place_key(class_symbol))
            self.used.append(fact)
            names = unit.class_names.get(class_symbol)
            if names is not None:
                group = (names[1] if of_class else names[0]).get(name)
                if group is not None:
                    if unit.scope_kind[unit.group_scope[group]] == ScopeKind.INSTANCE and len(order) > 1:
                        return self._inherited_property(order, (file, class_symbol), name) or (unit, group, class_symbol)
                    return unit, group, class_symbol
        if of_class and not name.startswith("__"):
            for file, class_symbol in order:
                for meta in self.metaclass(self.program.unit(file), class_symbol):
                    if meta[1:3] != (number, symbol):
                        return self.find_member(meta, name)
        return None

    def _inherited_property(self, order: tuple[tuple[int, int], ...], found: tuple[int, int], name: str) -> Member | None:
        """The property of a base that runs where a method of class `found` assigns `self.name`: what is assigned is no field then."""
        for file, class_symbol in order[order.index(found) + 1 :] if found in order else ():
            unit = self.program.unit(file)
            self.look("member", unit, class_symbol, name)
            for scope in unit.class_scopes.get(class_symbol, ()):
                group = unit.scope_names.get(scope, {}).get(name) if unit.scope_kind[scope] != ScopeKind.INSTANCE else None
                if group is not None:
                    is_property = any(unit.symbol_kind[symbol] == SymbolKind.PROPERTY for symbol in unit.defines(group))
                    return (unit, group, class_symbol) if is_property else None
        return None

    def metaclass(self, unit: Unit, symbol: int) -> list[Value]:
        """The metaclass that a class names, as an instance of it: what looking something up in the class falls back to."""
        nodes = unit.metaclass_nodes.get(symbol)
        if nodes is None:
            nodes = unit.metaclass_nodes[symbol] = self._metaclass_nodes(unit, symbol)
        found: list[Value] = []
        for node in nodes:
            self.look("header", unit, symbol, "")
            found += [(INSTANCE, *value[1:3]) for value in self.values(unit, node, FUEL) if value[0] == CLASS]
        return found

    @staticmethod
    def _metaclass_nodes(unit: Unit, symbol: int) -> list[int]:
        return [
            unit.kids(keyword)[-1]
            for part in unit.kids(unit.symbol_node[symbol]) if unit.kind[part] == Kind.ARGS
            for keyword in unit.kids(part) if unit.kind[keyword] == Kind.KEYWORD and unit.text(keyword + 1) == "metaclass"
        ]  # fmt: skip

    def names_in(self, number: int, symbol: int) -> frozenset[str]:
        """Every name that a class or one of its known bases defines."""

        def every() -> frozenset[str]:
            found: set[str] = set()
            for file, class_symbol in self.order(number, symbol):
                unit = self.program.unit(file)
                self.look("names", unit, class_symbol, "")
                found.update(unit.class_names.get(class_symbol, NO_NAMES)[0])
            return frozenset(found)

        return self.settled(self._names_in, (number, symbol), every, frozenset(), nested=False)

    def class_member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        if self.spent(fuel):
            return NOTHING
        found = self.find_member(value, name)
        if found is None:
            stored = self.stored_members(value, code, name, fuel)
            if stored:
                return stored
            if name == "__new__" and value[0] not in _INSTANCES:
                return {(EXTERNAL, "builtins.object.__new__"): code}
            if name == "__class__" and value[0] in _INSTANCES:
                return {(CLASS, value[1], value[2]): code}
            return NOTHING
        result = self.of_group(value, code, found, fuel)
        if others := self.alternatives(value, name, found):
            result = dict(result)
            for other in others:
                merged(result, self.of_group(value, code, other, fuel))
            return {one: weakened(its, LIKELY) for one, its in result.items()}
        if not found[0].is_script and found[0].patched and name in found[0].patched.get(found[2], ()):
            result = dict(result)
            merged(result, self.stored_members((CLASS, found[0].number, found[2]), code, name, fuel))
            return {one: weakened(its, LIKELY) for one, its in result.items()}
        return result

    def of_group(self, value: Value, code: int, member: Member, fuel: int) -> Values:
        """What a member that was found gives when it is read from `value`."""
        unit, group, class_symbol = member
        given = self.remembered(MEMBER, unit, group, fuel)
        tag: int = value[0]
        step: int = Step.SUPER if tag == SUPER else Step.ATTRIBUTE
        if len(given) == 1:
            for one, its in given.items():
                only = self.bound(value, one, self._joined(code, its, step), fuel, unit, class_symbol)
                of: int = one[0]
                if of == INSTANCE and one in only and not unit.is_script and tag in _INSTANCES:
                    return self._of_own_property(unit, group, value, fuel) or only
                return only
        result: Values = {}
        for one, its in given.items():
            merged(result, self.bound(value, one, self._joined(code, its, step), fuel, unit, class_symbol))
        return result

    def _of_own_property(self, unit: Unit, group: int, receiver: Value, fuel: int) -> Values:
        """What a method gives that a class of the project makes a property of, where `__get__` says no more than a type variable."""
        found: Values = {}
        for symbol in unit.defines(group):
            if unit.symbol_kind[symbol] == SymbolKind.PROPERTY and not unit.symbol_flags[symbol] & SYMBOL_SETTER:
                merged(found, self.returned_to(unit.number, symbol, receiver, fuel - 1))
        return {value: weakened(code, LIKELY) for value, code in found.items()}

    def _member_group(self, unit: Unit, group: int, fuel: int) -> Values:
        """All bindings of a member: those in the class body by order, those of methods all together."""
        scope = unit.group_scope[group]
        if unit.scope_kind[scope] == ScopeKind.CLASS:
            owner = unit.scope_symbol[scope]
            row = unit.group_first[group]
            if unit.how[row] == How.ASSIGN and not unit.is_script and self.is_enum(unit, owner):
                return {(INSTANCE, unit.number, owner): PROVED}
            found: Values = self.group_at(unit, group, -1, fuel)
            if unit.type[row] >= 0 and not unit.is_script:
                found = self._with_assigned(unit, row, found, fuel)
            if unit.symbol_flags[owner] & SYMBOL_RECORD and unit.type[row] >= 0 and not self.settles(unit, unit.type[row], found):
                name = unit.names[unit.group_name[group]]
                fields = unit.fields_in_order(owner)
                if name in fields:  # what callers of the constructor pass
                    self.look("order", unit, owner, "")
                    found = {**found, (PARAM, unit.number, owner, fields.index(name)): stepped(LIKELY, Step.ARGUMENT)}
            return found
        first, last = unit.group_first[group], unit.group_first[group + 1]
        rows = [row for row in range(first, last) if unit.type[row] >= 0] or list(range(first, last))
        found = {}
        for row in rows:
            merged(found, self.binding(unit, row, fuel))
        return self.spread_out(found)

    def _with_assigned(self, unit: Unit, row: int, declared: Values, fuel: int) -> Values:
        """What a field is that its class declares: where the type leaves that to what is assigned (`hook: Callable`, `kind: type[Base]`,
        a class from outside), methods say it with `self.hook = f`."""
        group = unit.group_of(row)
        name, scopes = unit.names[unit.group_name[group]], unit.class_scopes[unit.scope_symbol[unit.group_scope[group]]]
        others = [unit.scope_names.get(scope, {}).get(name, group) for scope in scopes]
        rows = [one for other in others if other != group for one in range(unit.group_first[other], unit.group_first[other + 1])]
        rows = [one for one in rows if unit.how[one] == How.ASSIGN and unit.type[one] < 0]
        if not rows:
            return declared
        is_open = not self.settles(unit, unit.type[row], declared)
        wanted = _CALLABLE | {CLASS} if is_open or any(value[0] == CLASS for value in declared) else frozenset()
        if self.is_of_outside(declared):
            wanted |= {INSTANCE}
        found: Values = {}
        for one in rows if wanted else ():
            merged(found, {value: code for value, code in self.binding(unit, one, fuel).items() if value[0] in wanted})
        return {**{value: weakened(code, LIKELY) for value, code in self.spread_out(found).items()}, **declared}

    @staticmethod
    def _joined(code: int, its: int, step: int) -> int:
        joined = stepped(code, step)
        chain = joined & ((1 << 28) - 1)
        own = its & ((1 << 28) - 1)
        at = (chain.bit_length() + 3) & ~3
        if own and at < 28:
            chain = (chain | own << at) & ((1 << 28) - 1)
        return max(code & ~((1 << 28) - 1), its & ~((1 << 28) - 1)) | chain

    def bound(self, receiver: Value, value: Value, code: int, fuel: int, unit: Unit, class_symbol: int) -> Values:
        """What a class attribute becomes when it is read from `receiver`: functions bind, properties run, descriptors give."""
        tag: int = value[0]
        of: int = receiver[0]
        if of == SUPER:
            receiver = receiver[3]
            of = receiver[0]
        through_class = of in _CLASSES
        if tag == FUNCTION:
            owner = self.program.unit(value[1])
            flags, kind = owner.symbol_flags[value[2]], owner.symbol_kind[value[2]]
            if kind == SymbolKind.PROPERTY and not through_class:
                return self._with(self.returned_to(value[1], value[2], receiver, fuel - 1), code)
            if flags & SYMBOL_STATIC or (kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY) and not self.is_class_level(unit, value)):
                return {value: code}
            if flags & SYMBOL_CLASSMETHOD:
                return {(METHOD, value[1], value[2], self.class_of(receiver)): code}
            if through_class and (unit.number, class_symbol) in self.order(receiver[1], receiver[2]):
                return {value: code}
            return {(METHOD, value[1], value[2], receiver): code}  # of an object, or of the metaclass of a class
        if tag == INSTANCE and not through_class:
            getter = self.find_member(value, "__get__")
            if getter is not None:
                found: Values = {}
                for symbol in getter[0].defines(getter[1]):
                    merged(found, self.returned_to(getter[0].number, symbol, value, fuel - 1))
                if len(found) > 1:  # itself is what a descriptor gives where it is read from the class
                    own = self.order(value[1], value[2])
                    found = {one: its for one, its in found.items() if one[0] not in _INSTANCES or one[1:3] not in own} or found
                return self._with(found, code) or {value: code}
        if (tag in _GENERIC or (tag == INSTANCE and len(value) > 3)) and not unit.is_script:
            return self.filled_in(value, code, unit, class_symbol, receiver, fuel)
        return {value: code}

    @staticmethod
    def is_class_level(unit: Unit, value: Value) -> bool:
        """Whether a function that is no method (a lambda in a class body) is bound like one."""
        return unit.number == value[1] and unit.symbol_kind[unit.symbol_parent[value[2]]] == SymbolKind.CLASS

    @staticmethod
    def _with(values: Values, code: int) -> Values:
        tier = code & ~CHAIN_MASK
        if tier == PROVED:  # nothing is worse for it
            return values
        return {value: weakened(its, tier) for value, its in values.items()}

    @staticmethod
    def class_of(receiver: Value) -> Value:
        if receiver[0] == INSTANCE:
            return (CLASS, receiver[1], receiver[2])
        if receiver[0] == SELF:
            return (SELF_CLASS, receiver[1], receiver[2])
        return receiver

    # calls

    def call(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.of_node(CALL, unit, node, fuel + 1)

    def _call(self, unit: Unit, node: int, fuel: int) -> Values:
        function = node + 1
        if function >= unit.next[node]:
            return NOTHING
        callees = self.values(unit, function, fuel)
        if not callees:
            return NOTHING
        positional, keywords = self.arguments(unit, node)
        if len(callees) == 1:
            for value, code in callees.items():
                tag: int = value[0]
                if tag == EXTERNAL:
                    return capped(self.external_call(unit, node, value, code, positional, keywords, fuel))
                if tag != CONTAINER_METHOD:
                    lazily = Written(self, unit, positional, keywords, fuel)
                    return capped(self.applied(value, code, lazily, lazily, fuel))
        found: Values = {}
        for value, code in callees.items():
            if value[0] == EXTERNAL:
                merged(found, self.external_call(unit, node, value, code, positional, keywords, fuel))
                continue
            lazily = Written(self, unit, positional, keywords, fuel)
            if value[0] == CONTAINER_METHOD and value[2] == "get" and positional and positional[0] in unit.keys_passed:
                key = (PARAM, unit.number, *unit.keys_passed[positional[0]])
                merged(found, self.keyed({value[1]: code}, key, fuel))
                merged(found, all_stepped(lazily.at(1), Step.ELEMENT, LIKELY))
                continue
            merged(found, self.applied(value, code, lazily, lazily, fuel))
        return capped(found)

    def arguments(self, unit: Unit, node: int) -> Passed:
        """Argument nodes of a call: positional ones, and keyword ones by name. Generator arguments have no parentheses of their own."""
        here = unit.written_here
        if here is not None:
            known = here[node]
            if known is None:
                known = here[node] = self._arguments(unit, node)
            return known
        known = unit.written.get(node)
        if known is None:
            known = unit.written[node] = self._arguments(unit, node)
        return known

    @staticmethod
    def _arguments(unit: Unit, node: int) -> Passed:
        kind, following = unit.kind, unit.next
        positional: list[int] = []
        keywords = _NO_KEYWORDS
        child, end = following[node + 1], following[node]
        while child < end and kind[child] == Kind.TYPE_ARGS:
            child = following[child]
        if child >= end:
            return positional, keywords
        if kind[child] != Kind.ARGS:
            return [child], keywords
        argument, end = child + 1, following[child]
        while argument < end:
            behind = following[argument]
            if kind[argument] != Kind.KEYWORD:
                positional.append(argument)
            elif argument + 1 < behind:
                value = following[argument + 1]
                if value < behind and following[value] >= behind:
                    if keywords is _NO_KEYWORDS:
                        keywords = {}
                    keywords[unit.text(argument + 1)] = value
            argument = behind
        return positional, keywords

    def applied(self, callee: Value, code: int, positional: Arguments, keywords: Arguments, fuel: int) -> Values:
        """What calling `callee` gives."""
        tag: int = callee[0]
        if tag == FUNCTION:
            return self.result(callee[1], callee[2], None, positional, keywords, code, fuel)
        if tag == METHOD:
            return self.result(callee[1], callee[2], callee[3], positional, keywords, code, fuel)
        if tag == CLASS:
            its = stepped(code, Step.CONSTRUCT)
            chain = code & CHAIN_MASK
            while chain:  # of a class that is only declared or passed, a subclass may be made
                if chain & 15 in _HANDED_ON:
                    return {(INSTANCE, callee[1], callee[2]): stepped(its, Step.DECLARED)}
                chain >>= 4
            return {(INSTANCE, callee[1], callee[2]): its}
        if tag == SELF_CLASS:
            return {(SELF, callee[1], callee[2]): stepped(stepped(code, Step.CONSTRUCT), Step.SELF)}
        if tag in _INSTANCES:
            found: Values = {}
            for value, its in self.member(callee, code, "__call__", fuel).items():
                if value[0] in (FUNCTION, METHOD):
                    merged(found, self.applied(value, its, positional, keywords, fuel))
            return found
        if tag == PARTIAL:
            return self.applied(callee[1], code, Shifted(positional, -callee[2]), keywords, fuel)
        if tag == CONTAINER_METHOD:
            return self.container_call(callee, code, positional, fuel)
        if tag == EXTERNAL:
            return {(EXTERNAL_INSTANCE, callee[1]): code}
        if tag == GIVES:
            return dict.fromkeys(callee[1], stepped(code, Step.RETURN))
        if tag >= PARAM and depth_of(callee) < MAX_SYMBOLIC:
            return {(CALLED, callee): stepped(code, Step.RETURN)}
        return NOTHING

    def result(
        self, number: int, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, code: int, fuel: int
    ) -> Values:
        """What a function gives for these arguments: its summary, with its parameters and `self` replaced."""
        if self.spent(fuel):
            return NOTHING
        unit = self.program.unit(number)
        summary = self.overloaded(unit, symbol, receiver, positional, keywords, fuel)
        if summary is None and not unit.is_script and symbol in unit.guards and self.return_type(unit, symbol) < 0:
            summary = self.returned_if(unit, symbol, receiver, positional, keywords, fuel)
        if summary is None:
            summary = self.returned(unit, symbol, fuel)
        elif any(value[0] == GIVES for value in summary):
            summary = {**summary, **self.closures(unit, symbol, fuel)}
        return self._with(self.substituted(summary, unit, symbol, receiver, positional, keywords, fuel), code)

    def returned_if(self, unit: Unit, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int) -> Values:
        """What a function gives, of its results those that hang on arguments which are given, or not given, as here."""
        self.look_at_code(unit, symbol)
        offset = 1 if receiver is not None and not unit.symbol_flags[symbol] & SYMBOL_STATIC else 0
        given, names = positional.count(), keywords.names
        rows = unit.params.get(symbol, [])
        found: Values = {}
        for node, _ in unit.returns.get(symbol, ()):
            for row, must_be in unit.guards[symbol].get(node, ()):
                is_given = given < 0 or unit.names[unit.param_name[row]] in names
                if not unit.param_flags[row] & ParamFlag.KEYWORD_ONLY:
                    is_given = is_given or rows.index(row) - offset < given
                if given >= 0 and is_given != must_be:
                    break
            else:
                merged(found, self.values(unit, node, fuel))
        return all_stepped(self.spread_out(found), Step.RETURN, LIKELY)

    def overloaded(
        self, unit: Unit, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int
    ) -> Values | None:
        """What the first overload that takes these arguments declares; None where there are no overloads, or none fits."""
        for one in self.overloads(unit, symbol):
            if self.takes(unit, one, 1 if receiver is not None else 0, positional, keywords):
                self.look_at_code(unit, one)
                node = self.return_type(unit, one)
                found = self.declared_result(unit, one, node, fuel) if node >= 0 else NOTHING
                found = self.as_called(found, unit, one, receiver, positional, keywords, fuel)
                return all_stepped(found, Step.RETURN) if found else None
        return None

    def takes(self, unit: Unit, symbol: int, offset: int, positional: Arguments, keywords: Arguments) -> bool:
        """Whether a call with these arguments fits a declaration: by number and names, and strings only where a string may stand."""
        rows = unit.params.get(symbol, [])
        given, names = positional.count(), keywords.names
        if given < 0:
            return False
        place = offset
        takes_any = any(unit.param_flags[row] & ParamFlag.DOUBLE_STAR for row in rows)
        for row in rows[offset:]:
            flags, name = unit.param_flags[row], unit.names[unit.param_name[row]]
            if flags & ParamFlag.STAR:
                given = 0
            elif flags & ParamFlag.DOUBLE_STAR:
                continue
            elif given > 0 and not flags & ParamFlag.KEYWORD_ONLY:
                if not self.may_be(unit, unit.param_type[row], positional, place - offset):
                    return False
                given -= 1
            elif name not in names and not flags & ParamFlag.HAS_DEFAULT:
                return False
            place += 1
        known = {unit.names[unit.param_name[row]] for row in rows}
        return given == 0 and (takes_any or all(name in known for name in names))

    @staticmethod
    def may_be(unit: Unit, type_node: int, positional: Arguments, index: int) -> bool:
        """Whether a written argument may have a declared type, as far as one sees at once: a string is no callable."""
        if type_node < 0:
            return True
        words = {unit.text(node) for node in range(type_node, unit.next[type_node]) if unit.kind[node] == Kind.NAME}
        is_text, is_function = positional.looks(index)
        if is_text:
            return bool(words & {"str", "Any", "object", "AnyStr"}) or (len(words) == 1 and not any("allable" in word for word in words))
        if is_function:
            return not words or not words <= {"str", "int", "bytes", "None", "Optional", "t", "typing", "bool", "float"}
        return True

    def substituted(
        self, values: Values, unit: Unit, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int
    ) -> Values:
        for value in values:
            of: int = value[0]
            if of >= PARAM or of in _HANGS_ON_CALL or (of == INSTANCE and len(value) > 3):
                break
        else:
            return values
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag in (SELF, SELF_CLASS) and receiver is not None and value[1:3] == (unit.number, unit.symbol_parent[symbol]):
                like = receiver if tag == SELF else self.class_of(receiver)
                if tag == SELF and receiver[0] in _CLASSES:
                    like = (INSTANCE if receiver[0] == CLASS else SELF, receiver[1], receiver[2])
                if like[0] in (INSTANCE, SELF, CLASS, SELF_CLASS):
                    put(found, like, code)
                    continue
            if tag >= PARAM:
                root = value
                while root[0] > PARAM:
                    root = root[1]
                if root[1] == unit.number and root[2] == symbol:
                    merged(found, self.rebuilt(value, code, unit, symbol, receiver, positional, keywords, fuel))
                    continue
            if tag == METHOD and is_symbolic(value):
                continue
            if tag == LIKE and receiver is not None and value[1][1:3] == (unit.number, unit.symbol_parent[symbol]):
                value = (LIKE, receiver if value[1][0] in _INSTANCES else self.class_of(receiver), *value[2:])
            if (tag in _FILLED or (tag == INSTANCE and len(value) > 3)) and not unit.is_script:
                meant = {value: code}
                if _names_own(value):
                    meant = self.as_called(meant, unit, symbol, receiver, positional, keywords, fuel)
                for one, its in meant.items():
                    merged(found, self.filled_in(one, its, unit, unit.symbol_parent[symbol], receiver, fuel))
                continue
            put(found, value, code)
        return found

    def rebuilt(
        self,
        value: Value,
        code: int,
        unit: Unit,
        symbol: int,
        receiver: Value | None,
        positional: Arguments,
        keywords: Arguments,
        fuel: int,
    ) -> Values:
        """A symbolic value with the parameter at its root replaced by what this call passes."""
        if value[0] == PARAM:
            return self.argument(unit, symbol, value[3], receiver, positional, keywords)
        inner = self.rebuilt(value[1], code, unit, symbol, receiver, positional, keywords, fuel)
        if value[0] == PART:
            return self.members(inner, value[2], fuel)
        if value[0] == ITEM:
            return self.items(inner, value[2], fuel)
        if value[0] == KEYED:
            return self._with(self.under_keys(value[2], inner, fuel), code)
        found: Values = {}
        for one, its in inner.items():
            merged(found, self.applied(one, its, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
        return found

    def argument(self, unit: Unit, symbol: int, index: int, receiver: Value | None, positional: Arguments, keywords: Arguments) -> Values:
        """What a call passes for parameter `index` of a function."""
        row = unit.params[symbol][index]
        flags, name = unit.param_flags[row], unit.names[unit.param_name[row]]
        offset = 1 if receiver is not None and not unit.symbol_flags[symbol] & SYMBOL_STATIC else 0
        if flags & ParamFlag.STAR or flags & ParamFlag.DOUBLE_STAR:
            return NOTHING
        by_name = keywords.keyword(name)
        if by_name is not None:
            return by_name
        if flags & ParamFlag.KEYWORD_ONLY:
            return NOTHING
        return positional.at(index - offset)

    def returned(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """What a function gives back, in terms of its own parameters."""
        self.look_at_code(unit, symbol)
        return self.remembered(RESULT, unit, symbol, fuel)

    def returned_to(self, number: int, symbol: int, receiver: Value, fuel: int) -> Values:
        unit = self.program.unit(number)
        summary = self.returned(unit, symbol, fuel)
        return all_stepped(self.substituted(summary, unit, symbol, receiver, NO_ARGUMENTS, NO_ARGUMENTS, fuel), Step.RETURN)

    def overloads(self, unit: Unit, symbol: int) -> list[int]:
        """The `@overload` declarations that stand before a function of the same name."""
        if unit.is_script or not unit.has_overloads:
            return []
        name, parent, flags = unit.symbol_name[symbol], unit.symbol_parent[symbol], unit.symbol_flags
        return [
            other
            for other in unit.has_overloads
            if other != symbol
            and unit.symbol_name[other] == name
            and unit.symbol_parent[other] == parent
            and flags[other] & SYMBOL_OVERLOAD
        ]

    def _returned(self, unit: Unit, symbol: int, fuel: int) -> Values:
        overloads = self.overloads(unit, symbol)
        if overloads and not unit.symbol_flags[symbol] & SYMBOL_OVERLOAD:
            found: Values = {}
            for one in overloads:
                node = self.return_type(unit, one)
                if node >= 0:
                    merged(found, self.declared_result(unit, one, node, fuel))
            if found:
                found = all_stepped(found, Step.RETURN, PROVED if len(found) == 1 else POSSIBLE)
                if any(value[0] == GIVES for value in found):
                    merged(found, {value: weakened(code, POSSIBLE) for value, code in self.closures(unit, symbol, fuel).items()})
                return found
        declared_node = self.return_type(unit, symbol)
        generic: Values = {}
        if declared_node >= 0:
            declared = self.declared_result(unit, symbol, declared_node, fuel)
            if any(value[0] == GIVES or self.is_protocol(value) for value in declared):
                declared = {**declared, **self.closures(unit, symbol, fuel)}
            tags = {value[0] for value in declared}
            if tags and tags <= _GENERIC and not unit.is_script:
                # A container by its interface, or a type variable: what the function makes says more.
                generic = all_stepped(declared, Step.RETURN)
            elif declared:
                return all_stepped(declared, Step.RETURN)
        elif stubbed := self.stubbed(unit, symbol, fuel):
            return all_stepped(stubbed, Step.RETURN)
        if unit.symbol_flags[symbol] & SYMBOL_GENERATOR:
            return generic or {(GENERATOR, unit.number, symbol): stepped(LIKELY, Step.RETURN)}
        found = {}
        for node, _ in unit.returns.get(symbol, ()):
            merged(found, self.values(unit, node, fuel))
        if any(value[0] == TYPED for value in generic):
            found = {value: code for value, code in found.items() if value[0] in _INSTANCES}
        found = all_stepped(self.spread_out(found), Step.RETURN, LIKELY)
        return {**found, **generic}

    def is_protocol(self, value: Value) -> bool:
        """Whether something is known only by a protocol that may be met by functions."""
        if value[0] != INSTANCE or not self.program.unit(value[1]).symbol_flags[value[2]] & SYMBOL_PROTOCOL:
            return False
        return self.find_member(value, "__call__") is not None

    def declared_result(self, unit: Unit, symbol: int, node: int, fuel: int) -> Values:
        """What a function is declared to return, type variables of its own and of its class as such."""
        if unit.is_script:
            return self.annotated(unit, node, fuel)
        of_class = unit.type_parameters.get(unit.symbol_parent[symbol])
        before, self.variables = self.variables, frozenset((*of_class, _OF_CALL)) if of_class else _OWN
        found = self.annotated(unit, node, fuel)
        self.variables = before
        return found

    def filled_in(self, value: Value, code: int, unit: Unit, owner: int, receiver: Value | None, fuel: int) -> Values:
        """A value with the type variables of class `owner` replaced by what the receiver's class says they are."""
        if value[0] == VARIABLE:
            return self._with(self.type_argument(unit, owner, value[2], receiver, fuel), code) if receiver is not None else NOTHING
        if not any(one[0] == VARIABLE or one[0] == TYPED or len(one) > 3 for part in _parts(value) for one in part):
            return {value: code}
        return self._with(_rebuilt(value, lambda one: self.filled_in(one, PROVED, unit, owner, receiver, fuel)), code)

    def as_called(
        self, values: Values, unit: Unit, symbol: int, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int
    ) -> Values:
        """Values with the type variables of a function replaced by what this call's arguments say they are: `def first(of: list[T]) -> T`.
        Where these say nothing, by what the variable is declared to be at least."""
        if not any(_names_own(value) for value in values):
            return values
        known: dict[str, Values] = {}

        def meant(value: Value) -> Values:
            found = known.get(value[2])
            if found is None:
                found = known[value[2]] = self.said_by_arguments(unit, symbol, value[2], receiver, positional, keywords, fuel)
            found = all_stepped(found, Step.RETURN)
            if all(is_symbolic(one) for one in found):
                found = {**dict.fromkeys(value[4], stepped(PROVED, Step.DECLARED)), **found}
            return found if not value[3] else {self.class_of(one): code for one, code in found.items() if one[0] in _INSTANCES}

        def filled(value: Value) -> Values:
            if not _names_own(value):
                return {value: PROVED}
            return meant(value) if value[0] == VARIABLE else _rebuilt(value, filled)

        found: Values = {}
        for value, code in values.items():
            merged(found, self._with(filled(value), code))
        return found

    def said_by_arguments(
        self, unit: Unit, symbol: int, name: str, receiver: Value | None, positional: Arguments, keywords: Arguments, fuel: int
    ) -> Values:
        """What the arguments of a call say that a type variable of the function is."""
        found: Values = {}
        offset = 1 if receiver is not None and not unit.symbol_flags[symbol] & SYMBOL_STATIC else 0
        for index, row in enumerate(unit.params.get(symbol, ())):
            node = unit.param_type[row]
            if node < 0 or not any(unit.kind[one] == Kind.NAME and unit.text(one) == name for one in range(node, unit.next[node])):
                continue
            if unit.param_flags[row] & ParamFlag.STAR:
                given = positional.at(index - offset)
            else:
                given = self.argument(unit, symbol, index, receiver, positional, keywords)
            if given:
                merged(found, self.matched(unit, node, name, given, fuel))
        return capped(found)

    def matched(self, unit: Unit, node: int, name: str, given: Values, fuel: int) -> Values:
        """A parameter's type and what is passed for it -> what a type variable in that type must be then."""
        if not given or self.spent(fuel):
            return NOTHING
        kind = unit.kind[node]
        if kind == Kind.TYPE:
            return self.matched(unit, node + 1, name, given, fuel) if unit.next[node] > node + 1 else NOTHING
        if kind == Kind.NAME:
            return given if unit.text(node) == name else NOTHING
        found: Values = {}
        if kind in (Kind.BINARY, Kind.UNION):
            for part in unit.kids(node):
                merged(found, self.matched(unit, part, name, given, fuel))
        if kind not in (Kind.GENERIC, Kind.SUBSCRIPT):
            return found
        base, *arguments = unit.kids(node)
        if len(arguments) == 1 and unit.kind[arguments[0]] in (Kind.TYPE_ARGS, Kind.TUPLE):
            arguments = unit.kids(arguments[0])
        text = self.last_name(unit, base)
        if text in TRANSPARENT:
            for at in TRANSPARENT[text]:
                if at < len(arguments):
                    merged(found, self.matched(unit, arguments[at], name, given, fuel))
        elif text in ELEMENT_OF and ELEMENT_OF[text] < len(arguments):
            found = self.matched(unit, arguments[ELEMENT_OF[text]], name, self.elements(given, fuel - 1), fuel - 1)
        elif text in ("type", "Type") and arguments:
            made: Values = {}
            for value, code in given.items():
                if value[0] in _CLASSES or value[0] >= PARAM:
                    merged(made, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1))
            found = self.matched(unit, arguments[0], name, made, fuel - 1)
        elif text == "Callable" and len(arguments) == 2:
            made = {}
            for value, code in given.items():
                merged(made, self.applied(value, code, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1))
            found = self.matched(unit, arguments[1], name, made, fuel - 1)
        return found

    def type_argument(self, unit: Unit, owner: int, name: str, receiver: Value, fuel: int) -> Values:
        """What a class, or a base of it, gives class `owner` for one of its type parameters: `class Carts(Store[Cart])`."""
        names = unit.type_parameters.get(owner, [])
        if receiver[0] not in _INSTANCES and receiver[0] not in _CLASSES:
            return NOTHING
        if len(receiver) > 3 and receiver[1:3] == (unit.number, owner):
            self.look("header", unit, owner, "")
            at = names.index(name) if name in names else len(receiver[3])
            return dict.fromkeys(receiver[3][at], stepped(PROVED, Step.DECLARED)) if at < len(receiver[3]) else NOTHING
        for file, symbol in self.order(receiver[1], receiver[2]):
            other = self.program.unit(file)
            self.look("header", other, symbol, "")
            for base in self.base_nodes(other, symbol):
                generic = other.parent[base]
                if other.kind[generic] not in (Kind.SUBSCRIPT, Kind.GENERIC) or generic != base - 1:
                    continue
                if not any(value[0] == CLASS and value[1:3] == (unit.number, owner) for value in self.values(other, base, fuel)):
                    continue
                given = other.kids(generic)[1:]
                if len(given) == 1 and other.kind[given[0]] in (Kind.TYPE_ARGS, Kind.TUPLE):
                    given = other.kids(given[0])
                at = names.index(name) if name in names else len(given)
                return self._passed_on(other, symbol, given[at], receiver, fuel) if at < len(given) else NOTHING
        return NOTHING

    def _passed_on(self, unit: Unit, symbol: int, node: int, receiver: Value, fuel: int) -> Values:
        """What a class gives a base for a type parameter; type variables of its own are what the receiver's class gives for them. Each may
        be named several times, in every class on the way, so this takes as much fuel as leaves few of these."""
        own = unit.type_parameters.get(symbol)
        if not own:
            return self.annotated(unit, node, fuel)
        before, self.variables = self.variables, frozenset(own)
        given = self.annotated(unit, node, fuel)
        self.variables = before
        found: Values = {}
        for value, code in given.items():
            is_open = value[0] in _GENERIC or len(value) > 3
            merged(found, self.filled_in(value, code, unit, symbol, receiver, max(fuel - PASSED_ON, 0)) if is_open else {value: code})
        return found

    def stubbed(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """What the stub file beside a Python file declares that a function returns."""
        if unit.is_script or unit.path.endswith(".pyi"):
            return NOTHING
        self.look_for("/" + unit.path.rpartition(".")[0])
        number = self.program.number.get(unit.path + "i")
        if number is None:
            return NOTHING
        stub, qualified = self.program.unit(number), unit.qualified(symbol)
        self.used.append(self.gateways.fact("code", f"{stub.path}\0{qualified}", ""))  # there or not
        for other, kind in enumerate(stub.symbol_kind):
            if kind == unit.symbol_kind[symbol] and stub.symbol_name[other] >= 0 and stub.qualified(other) == qualified:
                self.look_at_code(stub, other)
                node = self.return_type(stub, other)
                return self.annotated(stub, node, fuel) if node >= 0 else NOTHING
        return NOTHING

    def closures(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """The functions that a function declared to return a callable does return."""
        self.look_at_code(unit, symbol)
        return self.remembered(CLOSURES, unit, symbol, fuel)

    def _closures(self, unit: Unit, symbol: int, fuel: int) -> Values:
        found: Values = {}
        for node, _ in unit.returns.get(symbol, ()):
            merged(found, {value: code for value, code in self.values(unit, node, fuel).items() if value[0] in _CALLABLE})
        return all_stepped(found, Step.RETURN, LIKELY)

    def yielded(self, unit: Unit, symbol: int, fuel: int) -> Values:
        """What iterating over a generator function's result gives."""
        self.look_at_code(unit, symbol)
        return self.remembered(YIELDED, unit, symbol, fuel)

    def _yielded(self, unit: Unit, symbol: int, fuel: int) -> Values:
        declared_node = self.return_type(unit, symbol)
        if declared_node >= 0:
            declared = self.elements(self.annotated(unit, declared_node, fuel), fuel)
            if declared:
                return all_stepped(declared, Step.RETURN)
        found: Values = {}
        for node, how in unit.returns.get(symbol, ()):
            if how == 1:
                merged(found, self.values(unit, node, fuel))
            elif how == 2:
                merged(found, self.elements(self.values(unit, node, fuel), fuel))
        return all_stepped(self.spread_out(found), Step.RETURN, LIKELY)

    def sent(self, unit: Unit, node: int, fuel: int) -> Values:
        """`yield` gives what is sent to the generator: the second argument of Generator[...]."""
        owner = unit.owner[node]
        if unit.is_script or owner <= 0 or not unit.symbol_flags[owner] & SYMBOL_GENERATOR or self.spent(fuel):
            return NOTHING
        sent = self.generator_part(unit, owner, 1)
        return all_stepped(self.annotated(unit, sent, fuel - 1), Step.DECLARED) if sent >= 0 else NOTHING

    def generator_part(self, unit: Unit, symbol: int, at: int) -> int:
        """One of the types in the `Generator[yields, is sent, returns]` that a function is declared to return; -1 where it says none."""
        declared = self.return_type(unit, symbol)
        if declared < 0 or unit.kind[declared + 1] not in (Kind.GENERIC, Kind.SUBSCRIPT):
            return -1
        parts = unit.kids(declared + 1)
        arguments = unit.kids(parts[1]) if len(parts) == 2 and unit.kind[parts[1]] in (Kind.TYPE_ARGS, Kind.TUPLE) else parts[1:]
        if unit.dotted(parts[0]).rpartition(".")[2] not in ("Generator", "AsyncGenerator") or len(arguments) <= at:
            return -1
        return arguments[at]

    def return_type(self, unit: Unit, symbol: int) -> int:
        node = unit.symbol_node[symbol]
        if unit.kind[node] == Kind.FUNC or unit.is_script:
            for part in unit.kids(node):
                if unit.kind[part] == Kind.TYPE:
                    return part
        return -1

    def entered(self, values: Values, name: str, fuel: int) -> Values:
        """What `with value as x` gives x. name: of the method that is run."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag in _INSTANCES:
                member = self.member(value, code, name, fuel)
                for one, its in member.items():
                    if one[0] == METHOD:
                        given = self.returned_to(one[1], one[2], one[3], fuel)
                        merged(found, self._with(given, its) or {value: weakened(its, LIKELY)})
                if not member:
                    merged(found, {value: weakened(code, LIKELY)})
            elif tag == GENERATOR:
                merged(found, self._with(self.yielded(self.program.unit(value[1]), value[2], fuel), code))
            elif tag == TYPED:
                merged(found, dict.fromkeys(value[1], code))
            elif tag >= PARAM:
                merged(found, {value: code})
        return all_stepped(found, Step.IMPLICIT)

    def awaited(self, unit: Unit, node: int, fuel: int) -> Values:
        """What `await` gives: of an object whose class says how it is awaited, what that gives in the end; else what a coroutine is."""
        found: Values = {}
        for value, code in self.first(unit, node, fuel).items():
            member = self.find_member(value, "__await__") if value[0] in _INSTANCES else None
            if member is None:
                merged(found, {value: code})
                continue
            for symbol in member[0].defines(member[1]):
                merged(found, self._with(self.given_in_the_end(member[0], symbol, value, fuel), code))
        return found

    def given_in_the_end(self, unit: Unit, symbol: int, receiver: Value, fuel: int) -> Values:
        """What a generator function returns: the third argument of its `Generator[...]`, or what it says."""
        if self.spent(fuel):
            return NOTHING
        self.look_at_code(unit, symbol)
        node = self.generator_part(unit, symbol, 2)
        if node >= 0:
            owner = unit.symbol_parent[symbol]
            before, self.variables = self.variables, frozenset(unit.type_parameters.get(owner, ()))
            declared = self.annotated(unit, node, fuel - 1)
            self.variables = before
            found: Values = {}
            for value, code in declared.items():
                merged(found, self.filled_in(value, code, unit, owner, receiver, fuel - 1) if value[0] in _GENERIC else {value: code})
            return all_stepped(found, Step.RETURN)
        found = {}
        for node, how in unit.returns.get(symbol, ()):
            if how == 0:
                merged(found, self.values(unit, node, fuel - 1))
        return self.substituted(all_stepped(found, Step.RETURN, LIKELY), unit, symbol, receiver, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1)

    # containers

    def container(self, unit: Unit, node: int, fuel: int) -> Values:
        return {(CONTAINER, unit.number, node): PROVED}

    def elements(self, values: Values, fuel: int) -> Values:
        """What iterating over the values gives."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag == TYPED:
                merged(found, dict.fromkeys(value[2] or value[1], code))
            elif tag == SLICED:
                merged(found, self._with(self.container_items(value[1], None, fuel, first=value[2]), code))
            elif tag == CONTAINER:
                merged(found, self._with(self.container_items(value, None, fuel, keys=True), code))
            elif tag == GENERATOR:
                merged(found, self._with(self.yielded(self.program.unit(value[1]), value[2], fuel), code))
            elif tag in _INSTANCES:
                for name in ("__iter__", "__aiter__"):
                    for one, its in self.member(value, code, name, fuel).items():
                        if one[0] == METHOD:
                            given = self.returned_to(one[1], one[2], one[3], fuel)
                            merged(found, self._with(self._iterated(given, value, fuel), its))
            elif tag in _CLASSES:
                unit = self.program.unit(value[1])
                if self.is_enum(unit, value[2]):
                    put(found, (INSTANCE, value[1], value[2]), code)
            elif tag >= PARAM and depth_of(value) < MAX_SYMBOLIC:
                put(found, (ITEM, value, "*"), stepped(code, Step.ELEMENT))
        return found

    def _iterated(self, iterators: Values, owner: Value, fuel: int) -> Values:
        if self.spent(fuel):
            return NOTHING
        found: Values = {}
        for value, code in iterators.items():
            if value[0] in _INSTANCES:
                for name in ("__next__", "__anext__"):
                    for one, its in self.member(value, code, name, fuel - 1).items():
                        if one[0] == METHOD:
                            merged(found, self._with(self.returned_to(one[1], one[2], one[3], fuel - 1), its))
            else:
                merged(found, self.elements({value: code}, fuel - 1))
        return found

    def is_enum(self, unit: Unit, symbol: int) -> bool:
        def is_enum() -> bool:
            return any(
                value[0] == EXTERNAL and value[1].startswith("enum.")
                for file, base in self.order(unit.number, symbol)
                for node in self.base_nodes(self.program.unit(file), base)
                for value in self.values(self.program.unit(file), node, 3)
            )

        return self.settled(self._enums, (unit.number, symbol), is_enum, False)

    def items(self, values: Values, key: str, fuel: int) -> Values:
        """What `value[key]` gives; "*" for a key that is not known."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag == TYPED:
                at = index_of(key)
                if len(value) > 3 and at is not None and at < len(value[3]):
                    merged(found, dict.fromkeys(value[3][at], code))
                else:
                    merged(found, dict.fromkeys(value[1], code))
            elif tag == SLICED:
                at = index_of(key)
                moved = None if at is None or value[2] < 0 else f"#{at + value[2]}"
                merged(found, self._with(self.container_items(value[1], moved, fuel, first=value[2]), code))
            elif tag == CONTAINER:
                merged(found, self._with(self.container_items(value, None if key == "*" else key, fuel), code))
            elif tag in _INSTANCES:
                getters = self.member(value, code, "__getitem__", fuel)
                for one, its in getters.items():
                    if one[0] == METHOD:
                        merged(found, self._with(self.returned_to(one[1], one[2], one[3], fuel), its))
                if not getters and index_of(key) is not None:
                    merged(found, self.field_at(value, code, index_of(key) or 0, fuel))
            elif tag == MODULE and key != "*":  # globals()["name"]
                merged(found, self.member(value, weakened(code, LIKELY), key, fuel))
            elif tag == GENERATOR:
                merged(found, self.elements({value: code}, fuel))
            elif tag in _CLASSES:
                if self.is_enum(self.program.unit(value[1]), value[2]):
                    put(found, (INSTANCE, value[1], value[2]), code)
                else:
                    put(found, value, code)  # Generic[...]
            elif tag == EXTERNAL:
                put(found, value, code)
            elif tag >= PARAM and depth_of(value) < MAX_SYMBOLIC:
                put(found, (ITEM, value, key), stepped(code, Step.ELEMENT))
        return found

    def field_at(self, value: Value, code: int, index: int, fuel: int) -> Values:
        """Field number `index` of a named tuple that is written as a class."""
        for file, symbol in self.order(value[1], value[2]):
            unit = self.program.unit(file)
            self.look("header", unit, symbol, "")
            if self.settled(self._tuples, (file, symbol), partial(self._is_tuple, unit, symbol), False):
                self.look("order", unit, symbol, "")
                fields = unit.fields_in_order(symbol)
                return self.member(value, code, fields[index], fuel) if index < len(fields) else NOTHING
        return NOTHING

    def _is_tuple(self, unit: Unit, symbol: int) -> bool:
        return any(one == (EXTERNAL, "typing.NamedTuple") for node in self.base_nodes(unit, symbol) for one in self.values(unit, node, 3))

    def subscript(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.of_node(SUBSCRIPT, unit, node, fuel + 1)

    def _subscript(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        if len(parts) < 2:
            return NOTHING
        base = self.values(unit, parts[0], fuel)
        if not base:
            return NOTHING
        if unit.kind[parts[1]] == Kind.SLICE:
            bounds = unit.kids(parts[1])
            return self.sliced(base, self.first_of_slice(unit, parts[1], bounds))
        if not unit.is_script and not self.flat and (unit.stores or unit.mutations) and (last := self.stored_last(unit, node)):
            return self.of_stores(unit, last, fuel)
        found: Values = {}
        if parts[1] in unit.keys_passed:
            return self.keyed(base, (PARAM, unit.number, *unit.keys_passed[parts[1]]), fuel)
        for key in self.keys_of(unit, parts[1], fuel):
            if unit.is_script:
                for value, code in base.items():
                    if value[0] not in _DATA and key != "*":
                        merged(found, self.member(value, code, key, fuel))
            merged(found, self.items(base, key, fuel))
        return found

    def keyed(self, base: Values, parameter: Value, fuel: int) -> Values:
        """What `base[parameter]` gives: of a table that holds functions or the like, that hangs on what callers pass as the key."""
        found: Values = {}
        for value, code in base.items():
            if value[0] == CONTAINER and self.program.unit(value[1]).holds_values(value[2]):
                found[KEYED, parameter, value] = stepped(code, Step.ELEMENT)
            else:
                merged(found, self.items({value: code}, "*", fuel))
        return found

    def under_keys(self, container: Value, keys: Values, fuel: int) -> Values:
        """The elements of a container under constant keys; all of them where not all keys are known, or none of them is there."""
        if not all(key[0] == TEXT and key != ANY_KEY for key in keys):
            return self.items({container: PROVED}, "*", fuel)
        found: Values = {}
        for key in sorted(keys):
            if key != NO_KEY:
                merged(found, self.items({container: PROVED}, str(key[1]), fuel))
        return all_stepped(found, Step.ARGUMENT, LIKELY) or self.items({container: PROVED}, "*", fuel)

    def stored_last(self, unit: Unit, node: int) -> list[int]:
        """`table["a"]` after `table["a"] = x` in the same code: the last value that was stored there for certain, and what may have come
        after it; nothing where that is not known."""
        path = unit.item_path(node)
        stores = unit.item_stores.get(path) if path is not None else None
        if not stores or path is None:
            return []
        self.look("stores", unit, 0, "")
        found: list[int] = []
        last = -1
        for place, value in stores:
            if self.code_of(unit, place) != self.code_of(unit, node):
                return []
            block = self.block_of(unit, place)
            if place < node < unit.next[unit.parent[place] if unit.kind[place] in (Kind.SUBSCRIPT, Kind.ATTRIBUTE) else place]:
                continue  # x["a"] = f(x["a"])
            if place > node:
                above = unit.parent[node]
                while above > 0:
                    if unit.kind[above] in _LOOPS and place < unit.next[above]:
                        return []
                    above = unit.parent[above]
            elif block == 0 or block <= node < unit.next[block]:
                found, last = [value], place
            elif found:
                found.append(value)
        return found if found and not unit.is_handed_on(path[0], last, node) else []

    def of_stores(self, unit: Unit, nodes: list[int], fuel: int) -> Values:
        """What was stored last: see `stored_last`."""
        stored: Values = {}
        for one in nodes:
            merged(stored, self.values(unit, one, fuel - 1))
        return all_stepped(self.spread_out(stored), Step.ELEMENT, LIKELY)

    @staticmethod
    def code_of(unit: Unit, node: int) -> int:
        """The function (or module) that the code at a node runs in."""
        owner: int = unit.owner[node]
        return owner

    @staticmethod
    def first_of_slice(unit: Unit, node: int, bounds: list[int]) -> int:
        """Where a slice starts, if each element of it follows the one before: else MOVED. Bounds that do not touch the colon between them
        may have another one there, and so a step."""
        if not bounds:
            return 0
        start = unit.start[node]
        if unit.start[bounds[0]] != start:  # [:n]
            return 0 if len(bounds) == 1 and unit.start[bounds[0]] == start + 1 else MOVED
        first = index_of(unit.text(bounds[0])) if unit.kind[bounds[0]] == Kind.NUMBER else None
        if first is None or len(bounds) > 2 or (len(bounds) == 2 and unit.start[bounds[1]] != unit.end[bounds[0]] + 1):
            return MOVED
        return first

    @staticmethod
    def sliced(values: Values, first: int) -> Values:
        """What `values[first:]` gives: containers keep their elements, moved down; with MOVED nobody knows which is where."""
        if not first:
            return values
        found: Values = {}
        for value, code in values.items():
            if value[0] == CONTAINER:
                value = (SLICED, value, first)
            elif value[0] == SLICED:
                value = (SLICED, value[1], value[2] + first if value[2] >= 0 and first >= 0 else MOVED)
            elif value[0] == TYPED and len(value) == 4:  # the types of a tuple by place
                columns = value[3][first:] if first > 0 else ()
                value = (*value[:3], columns) if columns else value[:3]
            found[value] = code
        return found

    def keys_of(self, unit: Unit, node: int, fuel: int) -> list[str]:
        """The constant keys that an index may be; ["*"] where it is not known."""
        if unit.kind[node] == Kind.UNARY:
            return ["*"]
        keys = sorted(str(value[1]) for value in self.values(unit, node, fuel) if value[0] == TEXT)
        return keys or ["*"]

    def container_items(self, value: Value, key: str | None, fuel: int, keys: bool = False, first: int = 0, whole: bool = False) -> Values:
        """The elements of a container literal: as written, and as stored later in the same file. `key` None: any of them. Too many
        are one value that stands for all, unless the `whole` is asked for."""
        unit, asked = self.program.unit(value[1]), (value[2], key, keys, first, whole)
        if whole:  # more than an answer that is kept may hold
            return NOTHING if self.spent(fuel) else self._container_items(unit, asked, fuel - 1)
        return self.remembered(ITEMS, unit, asked, fuel)

    def _container_items(self, unit: Unit, asked: Any, fuel: int) -> Values:
        node, key, keys, first, whole = asked
        value, fuel = (CONTAINER, unit.number, node), fuel + 1
        kind = unit.kind[node]
        found: Values = {}
        self.look("stores", unit, 0, "")
        if unit.owner[node]:
            self.look_at_code(unit, unit.owner[node])
        if kind == Kind.COMPREHENSION:
            inner = node + 1
            if inner < unit.next[node]:
                if unit.kind[inner] == Kind.PAIR:
                    parts = unit.kids(inner)
                    inner = parts[0] if keys else parts[-1]
                merged(found, self.values(unit, inner, fuel - 1))
            return found
        is_map = kind == Kind.DICT
        items = unit.kids(node)
        if key is not None and not is_map and not self.flat and (MOVED, *value) in self.stored_in(unit):
            key, first = None, 0
        if key is None and len(items) > MAX_VALUES and (len(items) > MAX_ITEMS or not unit.holds_values(node)):
            items = []  # more different things than are told apart
        spreads = 0  # each may stand for any number of elements, or for none
        for index, item in enumerate(items):
            what = unit.kind[item]
            if is_map:
                if what in (Kind.PAIR, Kind.METHOD_PAIR):
                    parts = unit.kids(item)
                    if len(parts) >= 2 and (key is None or self._key_matches(unit, parts[0], key, fuel - 1)):
                        merged(found, self.values(unit, parts[0] if keys and not unit.is_script else parts[-1], fuel - 1))
                elif what in (Kind.SPREAD, Kind.KEYWORD_SPREAD) and unit.next[item] > item + 1:
                    spread = self.values(unit, item + 1, fuel - 1)
                    merged(found, self.items(spread, key or "*", fuel - 1))
                elif what == Kind.SHORTHAND:
                    if key is None or unit.text(item) == key:
                        merged(found, self.values(unit, item, fuel - 1))
                elif what == Kind.FUNC and unit.is_script and (key is None or unit.symbol_text(unit.symbol_of_node.get(item, 0)) == key):
                    merged(found, self.values(unit, item, fuel - 1))
            elif what == Kind.SPREAD:
                spreads += 1
                if unit.next[item] > item + 1:
                    merged(found, self.elements(self.values(unit, item + 1, fuel - 1), fuel - 1))
            elif (index >= first or spreads) and (key is None or stands_at(index_of(key), index, spreads)):
                merged(found, self.values(unit, item, fuel - 1))
        if not (is_map and keys and not unit.is_script) and not self.flat:
            for stored_key, stored, is_spread in self.stored_in(unit).get(value, ()):
                if key is None or stored_key in ("*", key):
                    more = self.values(unit, stored, fuel - 1)
                    merged(
                        found,
                        self.elements(more, fuel - 1)
                        if is_spread and not is_map
                        else self.items(more, key or "*", fuel - 1)
                        if is_spread
                        else more,
                    )
        if len(found) > MAX_VALUES and not self.flat and not whole:
            return {(ONE_OF, value): POSSIBLE}
        if len(found) > 1:
            return {one: weakened(code, LIKELY) for one, code in found.items()}
        return found

    def _key_matches(self, unit: Unit, node: int, key: str, fuel: int) -> bool:
        what = unit.kind[node]
        if what == Kind.PROPERTY_NAME or (what == Kind.NUMBER and unit.is_script):
            return unit.text(node) == key
        keys = self.keys_of(unit, node, fuel)
        return key in keys or keys == ["*"]

    def stored_in(self, unit: Unit) -> Stored:
        """Everything that this file stores in each container and object.

        Made with what containers hold as written, so that it does not depend on itself.
        """
        self.look("stores", unit, 0, "")
        return self._settled_stores((unit.number, _ALL_STORES), partial(self._stores, unit))

    def assigned_as(self, unit: Unit, name: str) -> list[Stored]:
        """Of `stored_in` what may be an attribute of that name: nobody has to know all that a file stores for it."""
        self.look("stores", unit, 0, "")
        some, with_key = unit.attribute_stores.get(name), unit.attribute_stores.get("")
        found = [self._settled_stores((unit.number, name), partial(self._assigned, unit, some))] if some else []
        if with_key:
            found.append(self._settled_stores((unit.number, ""), partial(self._assigned, unit, with_key)))
        return found

    def _settled_stores(self, key: tuple[int, str], make: Callable[[], Stored]) -> Stored:
        known = self._stored.get(key)
        if known is None:
            # Nothing that is asked here leads back here: while `flat`, nobody looks at what is stored.
            before, begin = (self.low, self.flat, self.depth, self.deep), len(self.used)
            self.flat, self.depth = True, 0
            made = make()
            self._stored[key] = (made, self.gateways.joined(self.used, begin))
            self.low, self.flat, self.depth, self.deep = before
            return made
        self.saw(known[1])
        return known[0]

    def _assigned(self, unit: Unit, stores: list[tuple[int, int]]) -> Stored:
        made: Stored = {}
        for target, value in stores:
            owner = target + 1
            if unit.kind[target] == Kind.SUBSCRIPT and unit.kind[owner] == Kind.ATTRIBUTE and unit.text(unit.next[owner + 1]) == "__dict__":
                owner += 1  # self.__dict__["name"] = value
            base = self.values(unit, owner, 6)
            if unit.kind[target] == Kind.SUBSCRIPT:
                index = unit.next[target + 1]
                keys = self.keys_of(unit, index, 6) if index < unit.next[target] else ["*"]
            else:
                keys = [unit.text(unit.next[target + 1])]
            for one in base:
                if one[0] in (CONTAINER, INSTANCE, CLASS, FUNCTION, MODULE, SELF, SELF_CLASS):
                    made.setdefault(one, []).extend((key, value, False) for key in keys)
        return made

    def _stores(self, unit: Unit) -> Stored:
        made = self._assigned(unit, unit.stores)
        for node in unit.mutations:
            attribute = node + 1
            name = unit.text(unit.next[attribute + 1])
            positional, _ = self.arguments(unit, node)
            if len(positional) <= MUTATORS[name]:
                continue
            for one in self.values(unit, attribute + 1, 6):
                one = one[1] if one[0] == SLICED else one
                if one[0] == CONTAINER:
                    key = "*"
                    if name in ("setdefault", "set"):
                        key = self.keys_of(unit, positional[0], 6)[0]
                    made.setdefault(one, []).append((key, positional[MUTATORS[name]], name in SPREADS))
                    if name in PUTS_BEFORE:
                        made.setdefault((MOVED, *one), [])
        self._note_moved(unit, made)
        return made

    def _note_moved(self, unit: Unit, made: Stored) -> None:
        """Notes of which lists the elements change places: `steps.reverse()`."""
        for node in unit.reorders:
            for one in self.values(unit, node + 2, 6):
                one = one[1] if one[0] == SLICED else one
                if one[0] == CONTAINER:
                    made.setdefault((MOVED, *one), [])

    def stored_members(self, value: Value, code: int, name: str, fuel: int) -> Values:
        """Attributes that the file of a class, function or object gives it from outside its methods."""
        if self.spent(fuel):
            return NOTHING
        if value[0] == SUPER or self.flat:
            return NOTHING
        unit = self.program.unit(value[1])
        tables = [self.stored_in(unit)] if value[0] == CONTAINER else self.assigned_as(unit, name)
        if not tables:
            return NOTHING
        found: Values = {}
        for node in self._stored_under(tables, value, name):
            merged(found, self.values(unit, node, fuel - 1))
        return all_stepped(found, Step.ASSIGN, LIKELY)

    @staticmethod
    def _stored_under(tables: list[Stored], value: Value, name: str) -> list[int]:
        """The nodes of what is stored as attribute `name` of a class, function or object."""
        keys = [value]
        if value[0] in (INSTANCE, SELF):
            keys = [(INSTANCE, value[1], value[2]), (SELF, value[1], value[2]), (CLASS, value[1], value[2])]
        return [node for table in tables for key in keys for stored, node, _ in table.get(key, ()) if stored == name]

    def is_stored(self, value: Value, name: str) -> bool:
        """Whether its file gives an object an attribute from outside its methods, or through `__dict__`."""
        tables = self.assigned_as(self.program.unit(value[1]), name)
        return bool(tables) and bool(self._stored_under(tables, value, name))

    def object_member(self, value: Value, code: int, name: str, fuel: int) -> Values:
        unit = self.program.unit(value[1])
        if unit.kind[value[2]] != Kind.DICT:
            return NOTHING
        return self._with(all_stepped(self.container_items(value, name, fuel), Step.ATTRIBUTE), code)

    def container_call(self, callee: Value, code: int, positional: Arguments, fuel: int) -> Values:
        container, name = callee[1], callee[2]
        if name in COPY_METHODS:
            if name == "values":
                return self.listed(self.items({container: code}, "*", fuel))
            if name == "items":
                return self._pairs(container, code, fuel)
            return {container: code}
        if name in ELEMENT_METHODS:
            key = "*"
            if name in ("get", "pop", "setdefault", "__getitem__"):
                constants = sorted(str(value[1]) for value in positional.at(0) if value[0] == TEXT)
                key = constants[0] if len(constants) == 1 else "*"
            found = all_stepped(self.items({container: code}, key, fuel), Step.ELEMENT)
            if name in ("get", "pop", "setdefault"):
                merged(found, self.spread_out({**found, **positional.at(1)}))
            return found
        return NOTHING

    def _pairs(self, container: Value, code: int, fuel: int) -> Values:
        keys = in_order(self.elements({container: code}, fuel))
        values = in_order(self.items({container: code}, "*", fuel))
        pair: Value = (TYPED, in_order({*keys, *values}), (), (keys, values))
        return {(TYPED, (pair,), ()): code}

    @staticmethod
    def listed(values: Values) -> Values:
        if not values:
            return NOTHING
        return {(TYPED, in_order(values), ()): max(values.values())}

    # what is outside

    def external_call(
        self, unit: Unit, node: int, callee: Value, code: int, positional: list[int], keywords: dict[str, int], fuel: int
    ) -> Values:
        """What calling something outside the project gives, where we know it."""
        name: str = callee[1]
        if name not in _KNOWN_CALLS and not name.startswith("functools.wraps().") and not name.endswith("defaultdict"):
            return {(EXTERNAL_INSTANCE, name): code}  # as nearly always
        if name == "builtins.super":
            return self.super_value(unit, node, code)
        if name in ("functools.partial", "functools.partialmethod") and positional:
            given = self.values(unit, positional[0], fuel)
            return {(PARTIAL, value, len(positional) - 1): stepped(its, Step.ARGUMENT) for value, its in given.items()}
        if name == "builtins.object.__new__" and positional:
            made: Values = {}
            for value, its in self.values(unit, positional[0], fuel).items():
                merged(made, self.applied(value, its, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
            return made
        if name == "builtins.type" and len(positional) == 1:
            return {self.class_of(value): its for value, its in self.values(unit, positional[0], fuel).items() if value[0] in _INSTANCES}
        if name in ("typing.cast", "typing_extensions.cast") and len(positional) == 2:
            cast = all_stepped(self.annotated(unit, positional[0], fuel), Step.DECLARED)
            if self.is_of_outside(cast):  # what is given may be one of ours that stands for it
                given = self.values(unit, positional[1], fuel)
                cast |= {value: weakened(stepped(its, Step.ARGUMENT), LIKELY) for value, its in given.items() if value[0] in _INSTANCES}
            return cast
        if name in ("typing.NewType", "typing_extensions.NewType") and len(positional) == 2:
            return {(GIVES, in_order(self.annotated(unit, positional[1], fuel))): stepped(code, Step.DECLARED)}
        if name == "builtins.globals":
            return {(MODULE, unit.number): code}
        if name == "pytest.param" and positional:  # a row of parametrized data
            return (
                {(CONTAINER, unit.number, unit.next[node + 1]): PROVED} if len(positional) > 1 else self.values(unit, positional[0], fuel)
            )
        if name == "builtins.getattr" and len(positional) >= 2:
            found: Values = {}
            base = self.values(unit, positional[0], fuel)
            keys = self.keys_of(unit, positional[1], fuel)
            for key in keys:
                if key != "*":
                    merged(found, all_stepped(self.members(base, key, fuel), Step.ATTRIBUTE, LIKELY))
            if keys == ["*"] and (like := self.pattern_of(unit, positional[1])):
                for value, its in base.items():
                    if value[0] in _INSTANCES or value[0] in _CLASSES:
                        found[LIKE, value, *like] = weakened(stepped(its, Step.ATTRIBUTE), POSSIBLE)
            if found and len(positional) == 3:
                merged(found, {value: weakened(its, LIKELY) for value, its in self.values(unit, positional[2], fuel).items()})
            return found
        if name in ("importlib.import_module", "builtins.__import__") and positional:
            found = {}
            for key in self.keys_of(unit, positional[0], fuel):
                if key != "*":
                    level = len(key) - len(key.lstrip("."))
                    merged(found, self.module_value(unit, key[level:] if level else key, level))
            return all_stepped(found, Step.IMPORT)
        if name in RETURNS_ARGUMENT and positional:
            given = self.values(unit, positional[RETURNS_ARGUMENT[name]], fuel)
            return all_stepped(given, Step.ARGUMENT)
        if name.startswith("functools.wraps().") or name in DECORATOR_FACTORIES:
            return {(EXTERNAL, "functools.wraps.result"): code}
        if name == "functools.wraps.result" and positional:
            return self.values(unit, positional[0], fuel)
        if name in COLLECTS and positional:
            gathered: Values = {}
            for argument in positional if name == "itertools.chain" else positional[:1]:
                source = self.values(unit, argument, fuel)
                if name == "builtins.dict":
                    return source
                merged(gathered, self.elements(source, fuel))
            return self.listed(gathered)
        if name in ONE_ELEMENT and positional:
            return all_stepped(self.elements(self.values(unit, positional[0], fuel), fuel), Step.ELEMENT)
        if name == "builtins.map" and len(positional) >= 2:
            found = {}
            for value, its in self.values(unit, positional[0], fuel).items():
                each = Given([self.elements(self.values(unit, one, fuel), fuel) for one in positional[1:]])
                merged(found, self.applied(value, its, each, NO_ARGUMENTS, fuel))
            return self.listed(found)
        if name == "builtins.filter" and len(positional) == 2:
            return self.listed(self.elements(self.values(unit, positional[1], fuel), fuel))
        if name == "builtins.enumerate" and positional:
            inner = in_order(self.elements(self.values(unit, positional[0], fuel), fuel))
            return {(TYPED, ((TYPED, inner, (), ((), inner)),), ()): code} if inner else NOTHING
        if name == "builtins.zip" and positional:
            columns = tuple(in_order(self.elements(self.values(unit, one, fuel), fuel)) for one in positional)
            every = in_order({value for column in columns for value in column})
            return {(TYPED, ((TYPED, every, (), columns),), ()): code} if every else NOTHING
        if name == "dataclasses.field" or name.endswith("defaultdict"):
            maker = keywords.get("default_factory", positional[0] if positional else -1)
            if maker >= 0:
                found = {}
                for value, its in self.values(unit, maker, fuel).items():
                    if value[0] != EXTERNAL:
                        merged(found, self.applied(value, its, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
                return self.listed(found) if name.endswith("defaultdict") else found
        if name == "operator.attrgetter":
            return NOTHING
        if name == "asyncio.gather":
            found = {}
            for argument in positional:
                merged(found, self.values(unit, argument, fuel))
            return self.listed(found)
        return {(EXTERNAL_INSTANCE, name): code}

    @staticmethod
    def pattern_of(unit: Unit, node: int) -> tuple[str, str] | None:
        """`"visit_" + kind`, `f"visit_{kind}_done"`, `"visit_%s" % kind` -> how the text begins and ends; None where neither is known."""
        kind = unit.kind
        if kind[node] == Kind.COMPUTED and unit.next[node] > node + 1:
            node += 1
        if kind[node] == Kind.NAME and (value := Evaluator._text_of(unit, node)) >= 0:
            node = value
        recased = ""
        while kind[node] == Kind.CALL and kind[node + 1] == Kind.ATTRIBUTE:
            method = unit.text(unit.next[node + 2])
            if method not in _KEEPS_TEXT:
                break
            recased = method if method != "format" else recased
            node = node + 2
            if method != "format" and kind[node] == Kind.NAME and (value := Evaluator._text_of(unit, node)) >= 0:
                node = value
        if recased:
            like = Evaluator.pattern_of(unit, node)
            return (getattr(like[0], recased)(), getattr(like[1], recased)()) if like is not None else None
        if kind[node] == Kind.BINARY:
            parts = unit.kids(node)
            texts = [unit.text(part + 1) if kind[part] == Kind.STRING and unit.next[part] == part + 2 else "" for part in parts]
            if unit.text(node) == "+" or unit.is_script:  # of the operators of scripts only those that choose have names
                return (texts[0], texts[-1]) if any(texts) else None
            text = texts[0] if unit.text(node) == "%" else ""
        elif kind[node] == Kind.STRING or kind[node] == Kind.TEMPLATE:
            parts = unit.kids(node)
            if any(kind[part] == Kind.INTERPOLATION for part in parts):
                first, last = (unit.text(part) if kind[part] == Kind.TEXT else "" for part in (parts[0], parts[-1]))
                return (first, last) if first or last else None
            text = unit.text(parts[0]) if len(parts) == 1 else ""
        else:
            return None
        parts_of_text = re.split(r"%s|\{\w*\}", text)
        return (parts_of_text[0], parts_of_text[-1]) if len(parts_of_text) > 1 and (parts_of_text[0] or parts_of_text[-1]) else None

    @staticmethod
    def _text_of(unit: Unit, node: int) -> int:
        """The node of the value that a name is given, where it is given only one; else -1."""
        group = unit.group[node]
        if group < 0 or not unit.group_is_plain[group]:
            return -1
        row = unit.group_first[group]
        return unit.value[row] if unit.how[row] == How.ASSIGN else -1

    def super_value(self, unit: Unit, node: int, code: int) -> Values:
        """`super()`: the class whose method this is written in, and what `self` is there."""
        symbol = unit.owner[node]
        while symbol > 0 and unit.symbol_kind[unit.symbol_parent[symbol]] not in (SymbolKind.CLASS, SymbolKind.ENUM):
            symbol = unit.symbol_parent[symbol]
        if symbol <= 0:
            return NOTHING
        owner = unit.symbol_parent[symbol]
        by_class = unit.symbol_flags[symbol] & SYMBOL_CLASSMETHOD or unit.symbol_text(symbol) == "__new__"
        receiver = (SELF_CLASS if by_class else SELF, unit.number, owner)
        return {(SUPER, unit.number, owner, receiver): stepped(code, Step.SUPER)}

    # small expressions

    def conditional(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        if len(parts) != 3:
            return NOTHING
        found: Values = {}
        for part in (parts[1], parts[2]) if unit.is_script else (parts[0], parts[2]):
            merged(found, self.values(unit, part, fuel))
        return self.spread_out(found)

    def either(self, unit: Unit, node: int, fuel: int) -> Values:
        found: Values = {}
        for part in unit.kids(node):
            merged(found, self.values(unit, part, fuel))
        return self.spread_out(found)

    def walrus(self, unit: Unit, node: int, fuel: int) -> Values:
        return self.last(unit, node, fuel)

    def string(self, unit: Unit, node: int, fuel: int) -> Values:
        if unit.next[node] == node + 2 and unit.kind[node + 1] == Kind.TEXT and unit.name[node + 1] >= 0:
            return {(TEXT, unit.text(node + 1)): PROVED}
        return NOTHING if unit.is_script else {(EXTERNAL_INSTANCE, "builtins.str"): PROVED}

    def number(self, unit: Unit, node: int, fuel: int) -> Values:
        return {(TEXT, unit.text(node) if unit.is_script else f"#{unit.text(node)}"): PROVED} if unit.name[node] >= 0 else NOTHING

    def binary(self, unit: Unit, node: int, fuel: int) -> Values:
        """`a | b` and `a + b` of containers; operators of project classes give what their dunder returns."""
        parts = unit.kids(node)
        if len(parts) != 2:
            return NOTHING
        left = self.values(unit, parts[0], fuel)
        found: Values = {}
        for value, code in left.items():
            if value[0] in _DATA:
                merged(found, {value: code})
            elif value[0] in _INSTANCES:
                name = unit.operator(parts[0], parts[1])
                if name:
                    for one, its in self.member(value, code, f"__{name}__", fuel).items():
                        if one[0] == METHOD:
                            merged(found, self._with(self.returned_to(one[1], one[2], one[3], fuel), its))
        return found

    def dotted(self, unit: Unit, node: int, fuel: int) -> Values:
        """`a.b.C` in a pattern."""
        parts = unit.kids(node)
        found = self.values(unit, parts[0], fuel) if parts else NOTHING
        for part in parts[1:]:
            found = self.members(found, unit.text(part), fuel)
        return found

    def cast(self, unit: Unit, node: int, fuel: int) -> Values:
        parts = unit.kids(node)
        if len(parts) == 2:
            declared = self.annotated(unit, parts[1], fuel)
            if declared:
                return all_stepped(declared, Step.DECLARED)
        return self.first(unit, node, fuel)

    def this(self, unit: Unit, node: int, fuel: int) -> Values:
        """Scripts: `this` of the nearest function that has its own."""
        return NOTHING

    def script_super(self, unit: Unit, node: int, fuel: int) -> Values:
        return NOTHING

    # types

    def instances(self, values: Values) -> Values:
        """What an annotation that evaluates to these stands for."""
        found: Values = {}
        for value, code in values.items():
            tag: int = value[0]
            if tag == CLASS:
                found[INSTANCE, value[1], value[2]] = code
            elif tag == SELF_CLASS:
                found[SELF, value[1], value[2]] = code
            elif tag == EXTERNAL and (
                value[1] in PLAIN_TYPES or not value[1].startswith(("typing.", "builtins.", "typing_extensions.", "collections.abc."))
            ):
                found[EXTERNAL_INSTANCE, value[1]] = code
        return found

    @staticmethod
    def is_of_outside(declared: Values) -> bool:
        """Whether a type names classes outside the project, and nothing else that has members: what is made there may be of one of ours."""
        found = False
        for value in declared:
            if value[0] != EXTERNAL_INSTANCE:
                return False
            found = found or value[1] not in PLAIN_TYPES
        return found

    def settles(self, unit: Unit, node: int, declared: Values) -> bool:
        """Whether a type expression that allows these values leaves nothing to what is assigned or passed: a type that also names
        something callable, or something that says nothing, does."""
        tags = {value[0] for value in declared if value[0] != EXTERNAL_INSTANCE or value[1] not in PLAIN_TYPES}
        if tags or not declared:
            return not tags & {GIVES, VARIABLE} and bool(declared) and not any(holds_callables(value) for value in declared)
        words = {
            word
            for part in range(node, unit.next[node])
            if unit.kind[part] in (Kind.NAME, Kind.TEXT)
            for word in _WORD.findall(unit.text(part))
        }
        return words <= PLAIN_WORDS

    def annotated(self, unit: Unit, node: int, fuel: int) -> Values:
        """The values that a type expression allows; nothing where it says nothing about project classes."""
        if self.spent(fuel):
            return NOTHING
        kind = unit.kind[node]
        if kind == Kind.TYPE:
            return self.annotated(unit, node + 1, fuel) if unit.next[node] > node + 1 else NOTHING
        if kind in (Kind.NAME, Kind.ATTRIBUTE):
            return self.named_type(unit, node, fuel)
        if kind in (Kind.GENERIC, Kind.SUBSCRIPT):
            parts = unit.kids(node)
            arguments = parts[1:]
            if len(arguments) == 1 and unit.kind[arguments[0]] in (Kind.TYPE_ARGS, Kind.TUPLE):
                arguments = unit.kids(arguments[0])
            return self.generic_type(unit, parts[0], arguments, fuel)
        if kind in (Kind.BINARY, Kind.UNION, Kind.INTERSECTION):
            found: Values = {}
            for part in unit.kids(node):
                merged(found, self.annotated(unit, part, fuel))
            return self.spread_out(found)
        if kind == Kind.STRING and unit.next[node] == node + 2:
            return self.text_type(unit, node, unit.text(node + 1), fuel)
        if kind == Kind.ARRAY_TYPE and unit.next[node] > node + 1:
            inner = self.annotated(unit, node + 1, fuel)
            return {(TYPED, tuple(sorted(inner)), ()): PROVED} if inner else NOTHING
        return NOTHING

    def named_type(self, unit: Unit, node: int, fuel: int) -> Values:
        text = unit.text(node) if unit.kind[node] == Kind.NAME else unit.text(unit.kids(node)[-1])
        if text == "Self" or (text == "this" and unit.is_script):
            owner = unit.owner[node]
            while owner > 0 and unit.symbol_kind[owner] not in (SymbolKind.CLASS, SymbolKind.INTERFACE):
                owner = unit.symbol_parent[owner]
            return {(SELF, unit.number, owner): PROVED} if owner > 0 else NOTHING
        variables, self.variables = self.variables, frozenset()  # they are this annotation's own
        values = self.values(unit, node, fuel)
        self.variables = variables
        found = self.instances(values)
        if not found:
            for value, code in values.items():
                if text in self.variables:
                    found[VARIABLE, unit.number, text] = PROVED
                if value[0] in (INSTANCE, SELF, TYPED):  # an alias of a type
                    merged(found, {value: code})
                elif value[0] == GIVES:  # a NewType
                    merged(found, dict.fromkeys(value[1], code))
                elif value[0] == EXTERNAL_INSTANCE and value[1].endswith("TypeVar"):
                    bound = self.type_variable(unit, node, fuel)
                    if _OF_CALL in self.variables and text not in self.variables:
                        bound = {(VARIABLE, unit.number, text, False, in_order(bound)): PROVED}
                    merged(found, bound)
            if not found and unit.kind[node] == Kind.NAME and unit.group[node] >= 0:
                merged(found, self.type_alias(unit, unit.group[node], fuel))
            elif not found and unit.kind[node] == Kind.NAME:
                merged(found, self.bound_of(unit, node, text, fuel))
                if text in self.variables:
                    found[VARIABLE, unit.number, text] = PROVED
                elif _OF_CALL in self.variables and (of := self.declares(unit, node, text)) and unit.kind[of[0]] == Kind.FUNC:
                    found = {(VARIABLE, unit.number, text, False, in_order(found)): PROVED}
            elif not found and unit.kind[node] == Kind.ATTRIBUTE:
                for value in self.values(unit, node + 1, fuel):
                    if value[0] == MODULE:
                        merged(found, self.alias_in(self.program.unit(value[1]), text, fuel - 1))
        return found

    def bound_of(self, unit: Unit, node: int, name: str, fuel: int) -> Values:
        """The bound of `T` inside `def f[T: Bound]` or `class C[T: Bound]`."""
        found = self.declares(unit, node, name)
        if found is None:
            return NOTHING
        parts = unit.kids(found[1])
        return self.annotated(unit, parts[1], fuel - 1) if len(parts) == 2 else NOTHING

    @staticmethod
    def declares(unit: Unit, node: int, name: str) -> tuple[int, int] | None:
        """The function or class round a node that has a type parameter of that name, and the node of this: `T` or `T: Bound`."""
        while node > 0:
            node = unit.parent[node]
            if unit.kind[node] not in (Kind.FUNC, Kind.CLASS):
                continue
            for part in unit.kids(node):
                if unit.kind[part] != Kind.TYPE_ARGS:
                    continue
                for one in unit.kids(part):
                    inside = range(one + 1, min(one + 3, unit.next[one]))  # with a bound, both are types of their own
                    if any(unit.kind[at] == Kind.NAME and unit.text(at) == name for at in inside):
                        return node, one
        return None

    def type_variable(self, unit: Unit, node: int, fuel: int) -> Values:
        """The bound of a type variable that this file makes."""
        group = unit.group[node]
        if group < 0:
            return NOTHING
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            value = unit.value[row]
            if unit.how[row] == How.ASSIGN and value >= 0 and unit.kind[value] == Kind.CALL:
                _, keywords = self.arguments(unit, value)
                if "bound" in keywords:
                    return self.annotated(unit, keywords["bound"], fuel - 1)
        return NOTHING

    def type_alias(self, unit: Unit, group: int, fuel: int) -> Values:
        """`Alias = Union[A, B]`: a name that stands for a type expression. Kept, since one that names another twice would ask it twice as
        often at each step; where type variables of a class stand for themselves it says something else."""
        if self.variables and self.variables != _OWN:
            return self._aliased(unit, group, fuel)
        return self.remembered(OWN_ALIAS if self.variables else ALIAS, unit, group, fuel + 1)

    def _aliased(self, unit: Unit, group: int, fuel: int) -> Values:
        found: Values = {}
        for row in range(unit.group_first[group], unit.group_first[group + 1]):
            value = unit.value[row]
            if (
                unit.how[row] == How.ASSIGN
                and value >= 0
                and unit.kind[value] in (Kind.SUBSCRIPT, Kind.BINARY, Kind.STRING, Kind.TYPE, Kind.GENERIC)
            ):
                merged(found, self.annotated(unit, value, fuel - 1))
            elif unit.how[row] == How.MEMBER and not unit.is_script and not self.spent(fuel):
                imported = unit.extra[row]
                module, level = unit.names[unit.import_module[imported]], unit.import_level[imported]
                for one in self.module_value(unit, module, level):
                    if one[0] == MODULE:
                        merged(found, self.alias_in(self.program.unit(one[1]), unit.names[unit.import_member[imported]], fuel - 1))
        return found

    def alias_in(self, unit: Unit, name: str, fuel: int) -> Values:
        """The type expression that a name stands for in another file."""
        self.look("top", unit, 0, name)
        group = unit.module_names.get(name)
        return self.type_alias(unit, group, fuel) if group is not None else NOTHING

    @staticmethod
    def last_name(unit: Unit, node: int) -> str:
        """`List` of `List` and of `typing.List`."""
        if unit.kind[node] == Kind.ATTRIBUTE:
            node = unit.kids(node)[-1]
        return unit.text(node) if unit.kind[node] == Kind.NAME else ""

    def generic_type(self, unit: Unit, base: int, arguments: list[int], fuel: int) -> Values:
        text = self.last_name(unit, base)
        variables, self.variables = self.variables, frozenset()
        own = self.values(unit, base, fuel)
        self.variables = variables
        classes = {value: code for value, code in own.items() if value[0] == CLASS}
        if classes:
            found = self.instances(classes)
            return found if unit.is_script else self.given_types(found, [partial(self.annotated, unit, one, fuel) for one in arguments])
        return self.known_generic(text, [partial(self.annotated, unit, one, fuel) for one in arguments], own)

    def given_types(self, found: Values, arguments: Sequence[Callable[[], Values]]) -> Values:
        """Instances of a class of Python with type parameters -> the same with what it is given for these: `Store[Cart]`."""
        if len(found) != 1 or not arguments:
            return found
        ((value, code),) = found.items()
        unit = self.program.unit(value[1])
        self.look("header", unit, value[2], "")
        if value[0] != INSTANCE or not unit.type_parameters.get(value[2]):
            return found
        rows = tuple(in_order([_untyped(one) for one in argument()]) for argument in arguments[:MAX_TYPES])
        return {(*value, rows): code} if any(rows) else found

    def known_generic(self, text: str, arguments: Sequence[Callable[[], Values]], own: Values) -> Values:
        """list[X], Optional[X], ... of the library, from thunks of their arguments."""
        if text in TRANSPARENT:
            found: Values = {}
            for index in TRANSPARENT[text]:
                if index < len(arguments):
                    merged(found, arguments[index]())
            return self.spread_out(found)
        if text in ELEMENT_OF:
            at = ELEMENT_OF[text]
            inner = arguments[at]() if at < len(arguments) else NOTHING
            keys = arguments[0]() if at == 1 else NOTHING
            return {(TYPED, in_order(inner), in_order(keys)): PROVED} if inner or keys else NOTHING
        if text in ("tuple", "Tuple"):
            columns = tuple(in_order(one()) for one in arguments)
            every = in_order({value for column in columns for value in column})
            return {(TYPED, every, (), columns): PROVED} if every else NOTHING
        if text == "Callable" and len(arguments) == 2:
            given = in_order(arguments[1]())
            return {(GIVES, given): PROVED}
        if text in ("type", "Type"):
            found = {}
            for one in arguments[:1]:
                for value, code in one().items():
                    if value[0] in _INSTANCES:
                        found[self.class_of(value)] = code
                    elif value[0] == VARIABLE and len(value) > 3:
                        found[VARIABLE, value[1], value[2], True, value[4]] = code
            return found
        return self.instances(own)

    def text_type(self, unit: Unit, node: int, text: str, fuel: int) -> Values:
        """A type written in a string."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return NOTHING
        return self._parsed_type(unit, node, tree, fuel)

    def _parsed_type(self, unit: Unit, node: int, tree: ast.expr, fuel: int) -> Values:
        if isinstance(tree, ast.Name | ast.Attribute):
            if isinstance(tree, ast.Name) and tree.id == "Self":
                owner = unit.owner[node]
                while owner > 0 and unit.symbol_kind[owner] != SymbolKind.CLASS:
                    owner = unit.symbol_parent[owner]
                return {(SELF, unit.number, owner): PROVED} if owner > 0 else NOTHING
            values = self._parsed_name(unit, node, tree, fuel)
            found = self.instances(values)
            is_variable = any(value[0] == EXTERNAL_INSTANCE and value[1].endswith("TypeVar") for value in values)
            if is_variable and not found and isinstance(tree, ast.Name):
                if tree.id in self.variables:
                    found = {(VARIABLE, unit.number, tree.id): PROVED}
                elif _OF_CALL in self.variables:
                    found = {(VARIABLE, unit.number, tree.id, False, ()): PROVED}
            return found
        if isinstance(tree, ast.Subscript):
            base = self._parsed_name(unit, node, tree.value, fuel)
            items = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
            arguments = [partial(self._parsed_type, unit, node, one, fuel) for one in items]
            if any(value[0] == CLASS for value in base):
                return self.given_types(self.instances(base), arguments)
            text = tree.value.attr if isinstance(tree.value, ast.Attribute) else getattr(tree.value, "id", "")
            return self.known_generic(text, arguments, base)
        if isinstance(tree, ast.BinOp):
            found = {}
            for side in (tree.left, tree.right):
                merged(found, self._parsed_type(unit, node, side, fuel))
            return self.spread_out(found)
        if isinstance(tree, ast.Constant) and isinstance(tree.value, str) and not self.spent(fuel):
            return self.text_type(unit, node, tree.value, fuel - 1)
        return NOTHING

    def _parsed_name(self, unit: Unit, node: int, tree: ast.expr, fuel: int) -> Values:
        if isinstance(tree, ast.Name):
            symbol = unit.owner[node]
            while symbol > 0:
                scope = unit.symbol_scope[symbol]
                group = unit.scope_names.get(scope, {}).get(tree.id) if scope >= 0 and unit.scope_kind[scope] == ScopeKind.CLASS else None
                if group is not None:
                    return self.group_at(unit, group, -1, fuel)
                symbol = unit.symbol_parent[symbol]
            group = unit.module_names.get(tree.id)
            return self.group_at(unit, group, -1, fuel) if group is not None else self.global_name(unit, tree.id, fuel)
        if isinstance(tree, ast.Attribute):
            return self.members(self._parsed_name(unit, node, tree.value, fuel), tree.attr, fuel)
        return NOTHING

    # what callers pass

    def expanded(self, values: Values, fuel: int = EXPANSIONS, most: int = MAX_VALUES) -> Values:
        """Symbolic values replaced by what `params` says callers pass; others as they are. Of more than `most` none is told."""
        if not has_symbolic(values):
            return values
        if len(values) == 1:
            for value, code in values.items():
                its_values = self._expanded(value, fuel)
                if _are_no_better(its_values, code):
                    return capped(its_values, most)
        found: Values = {}
        for value, code in values.items():
            if not is_symbolic(value):
                put(found, value, code)
                continue
            tier = code & ~CHAIN_MASK
            for one, its in self._expanded(value, fuel).items():
                put(found, one, max(its, tier) if its >= code else weakened(its, max(LIKELY, tier)))
        return capped(found, most)

    def _expanded(self, value: Value, fuel: int) -> Values:
        if value[0] == PARAM:
            return self.params.get(value) if fuel > 0 else NOTHING
        key = (value, fuel)
        known = self.expansions.get(key)
        if known is None:
            begin = len(self.used)
            found = self._expand(value, fuel) if fuel > 0 else NOTHING
            self.expansions[key] = (found, self.gateways.joined(self.used, begin))
            return found
        self.saw(known[1])
        return known[0]

    def _expand(self, value: Value, fuel: int) -> Values:
        tag: int = value[0]
        if tag == KEYED:
            return self.expanded(self.under_keys(value[2], self.params.get(value[1]), FUEL), fuel - 1)
        if tag == METHOD:
            found: Values = {}
            for one, code in capped(self._expanded(value[3], fuel - 1)).items():
                found[METHOD, value[1], value[2], one] = code
            return found
        if tag == PARTIAL:
            return {(PARTIAL, one, value[2]): code for one, code in capped(self._expanded(value[1], fuel - 1)).items()}
        if tag == CONTAINER_METHOD:
            return {(CONTAINER_METHOD, one, value[2]): code for one, code in capped(self._expanded(value[1], fuel - 1)).items()}
        inner = capped(self._expanded(value[1], fuel - 1))
        if tag == PART:
            return self.expanded(self.members(inner, value[2], FUEL), fuel - 1)
        if tag == ITEM:
            return self.expanded(self.items(inner, value[2], FUEL) if value[2] != "*" else self.elements(inner, FUEL), fuel - 1)
        found = {}
        for one, code in inner.items():
            merged(found, self.applied(one, code, NO_ARGUMENTS, NO_ARGUMENTS, FUEL))
        return self.expanded(found, fuel - 1)


def _are_no_better(values: Values, code: int) -> bool:
    """Whether the codes of all values are as doubtful as one, or more so."""
    return all(its >= code for its in values.values())


def _untyped(value: Value) -> Value:
    """An instance without the types that it is given."""
    return value[:3] if value[0] == INSTANCE else value


def _parts(value: Value) -> tuple[tuple[Value, ...], ...]:
    """What a value is made of and may be a type variable: elements of a container, what a callable gives, what a class is given."""
    tag: int = value[0]
    if tag == TYPED:
        return value[1:3]
    if tag == GIVES:
        return value[1:2]
    return value[3] if tag == INSTANCE and len(value) > 3 else ()


def _rebuilt(value: Value, change: Callable[[Value], Values]) -> Values:
    """A value with its parts changed; one that nothing is left of says nothing, but that something is callable or an instance."""
    rows: list[tuple[Value, ...]] = []
    for part in _parts(value):
        inner: Values = {}
        for one in part:
            merged(inner, change(one))
        rows.append(in_order(inner))
    if value[0] == INSTANCE:
        return {(*value[:3], tuple(rows)) if any(rows) else value[:3]: PROVED}
    return {(value[0], *rows): PROVED} if any(rows) or value[0] == GIVES else NOTHING


def _names_own(value: Value) -> bool:
    """Whether a value is, or holds, a type variable that a call's arguments bind."""
    if value[0] == VARIABLE:
        return len(value) > 3
    for part in _parts(value):
        for one in part:
            if _names_own(one):
                return True
    return False


def stands_at(asked: int | None, index: int, spreads: int) -> bool:
    """Whether an element that is written at `index`, behind some spread ones, may be the one that is asked for (None: any)."""
    return asked is None or asked == index or (spreads > 0 and asked >= index - spreads)


def holds_callables(value: Value) -> bool:
    """Is it a container whose elements are something callable, by its declared type?"""
    return value[0] == TYPED and any(one[0] == GIVES for one in value[1])


def index_of(key: str) -> int | None:
    """The place in a sequence that a constant key means, where it is one."""
    key = key.removeprefix("#")
    return int(key) if key.isascii() and key.isdigit() and len(key) < 9 else None  # "²" is a digit too, and no number
