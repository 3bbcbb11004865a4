"""What JavaScript runs without a call being written -> the methods that run, as values: iteration, conversion to text, awaiting.

The language looks for members with fixed names: `for (x of o)`, spreads and array patterns ask for `o[Symbol.iterator]()` and then for
`next()` of what that gives; a template string asks for `toString`, `JSON.stringify` for `toJSON`, `await` for `then`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.numbers import EdgeKind, Step
from index.parsing.facts import How
from index.parsing.kinds import Kind
from index.resolver.arguments import NO_ARGUMENTS
from index.resolver.evaluate import FUEL
from index.resolver.values import (
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    LIKELY,
    METHOD,
    SELF,
    SELF_CLASS,
    TIER_SHIFT,
    Value,
    Values,
    merged,
    stepped,
    weakened,
)

if TYPE_CHECKING:
    from index.resolver.link import Linked
    from index.resolver.program import Unit
    from index.resolver.script import ScriptEvaluator
    from index.resolver.script_link import ScriptLinker

ITERATORS = ("[Symbol.iterator]", "[Symbol.asyncIterator]")
AS_TEXT = ("[Symbol.toPrimitive]", "toString", "valueOf")  # the first that an object has is asked
AS_JSON = ("toJSON",)
AWAITED = ("then",)
# Functions outside the project that iterate over an argument, or turn it into text: position -> the members that are looked for.
ITERATING = frozenset(
    {
        "Array.from", "Map", "Set", "WeakMap", "WeakSet", "Object.fromEntries", "Promise.all", "Promise.race", "Promise.any",
        "Promise.allSettled", "Iterator.from", "Array.fromAsync", "Object.groupBy", "Map.groupBy",
    }
)  # fmt: skip
ASKING: dict[str, tuple[str, ...]] = {
    "String": AS_TEXT,
    "Number": ("[Symbol.toPrimitive]", "valueOf", "toString"),
    "JSON.stringify": AS_JSON,
}
_OBJECTS = (INSTANCE, SELF, CONTAINER, CLASS, SELF_CLASS)
_ITERATED = (INSTANCE, SELF, CONTAINER)
_PATTERNS = (Kind.ARRAY_PATTERN, Kind.OBJECT_PATTERN)
_OPERANDS = frozenset(
    {
        Kind.NAME, Kind.ATTRIBUTE, Kind.CALL, Kind.NEW, Kind.SUBSCRIPT, Kind.CONDITIONAL, Kind.BOOLEAN, Kind.AWAIT, Kind.CAST, Kind.THIS,
        Kind.NON_NULL, Kind.SATISFIES, Kind.ASSIGN, Kind.DICT,
    }
)  # fmt: skip


def iterators_of(evaluator: ScriptEvaluator, value: Value, code: int, fuel: int) -> Values:
    """An object -> what its `[Symbol.iterator]` (or the asynchronous one) gives: a generator, or something with `next`."""
    found: Values = {}
    for name in ITERATORS:
        for one, its in evaluator.member(value, code, name, fuel).items():
            if one[0] in (FUNCTION, METHOD):
                merged(found, evaluator.applied(one, its, NO_ARGUMENTS, NO_ARGUMENTS, fuel))
    return found


def iterated(evaluator: ScriptEvaluator, value: Value, code: int, fuel: int) -> Values:
    """An object -> what iterating over it gives; nothing where it has no iterator."""
    if evaluator.spent(fuel):
        return {}
    found: Values = {}
    for one, its in iterators_of(evaluator, value, code, fuel - 1).items():
        if one[0] in _ITERATED and (steps := steps_of(evaluator, one, its, fuel - 1)):
            for step, of_step in steps.items():
                result = evaluator.applied(step, of_step, NO_ARGUMENTS, NO_ARGUMENTS, fuel - 1)
                merged(found, evaluator.members(evaluator.holders(result), "value", fuel - 1))
        elif one[:3] != value[:3]:
            merged(found, evaluator.elements({one: its}, fuel - 1))
    tier = code >> TIER_SHIFT << TIER_SHIFT
    return {one: weakened(stepped(its, Step.ELEMENT), max(tier, LIKELY)) for one, its in found.items()}


def steps_of(evaluator: ScriptEvaluator, iterator: Value, code: int, fuel: int) -> Values:
    """An iterator -> its `next`, as something to call."""
    return {one: its for one, its in evaluator.member(iterator, code, "next", fuel).items() if one[0] in (FUNCTION, METHOD)}


def runs(linker: ScriptLinker, unit: Unit, operand: int, names: tuple[str, ...], linked: Linked, every: bool = False) -> None:
    """Edges to the first of some members that what stands at `operand` has, or to `every` one of them; iterators run their `next` too."""
    while unit.kind[operand] in (Kind.CAST, Kind.NON_NULL, Kind.SATISFIES) and unit.kind[operand + 1] != Kind.TYPE_ARGS:
        operand += 1
    if unit.kind[operand] not in _OPERANDS:
        return
    evaluator = linker.scripts
    values = evaluator.values(unit, operand, FUEL)
    for value, code in linker._known(values, linked).items() if values else ():
        if value[0] not in _OBJECTS:
            continue
        for name in names:
            members = _callable(linker, value, code, name)
            for one, its in members.items():
                _edge(linker, unit, operand, one, its, linked)
                if name in ITERATORS:
                    _next(linker, unit, operand, one, its, linked)
            if members and not every:
                break


def _callable(linker: ScriptLinker, value: Value, code: int, name: str) -> Values:
    evaluator = linker.scripts
    if value[0] == CONTAINER and linker.program.unit(value[1]).kind[value[2]] not in (Kind.DICT, Kind.OBJECT_TYPE):
        return {}
    return {one: its for one, its in evaluator.member(value, code, name, FUEL).items() if one[0] in (FUNCTION, METHOD)}


def _edge(linker: ScriptLinker, unit: Unit, place: int, callee: Value, code: int, linked: Linked) -> None:
    linked.add_edge(unit.owner[place], callee[1], callee[2], EdgeKind.ACCESS, stepped(code, Step.IMPLICIT), place)
    if callee[0] == METHOD and callee[3][0] in (INSTANCE, SELF):
        linker._hint(unit.owner[place], place, callee[3], callee[1], callee[2], linked)


def _next(linker: ScriptLinker, unit: Unit, place: int, iterator: Value, code: int, linked: Linked) -> None:
    evaluator = linker.scripts
    for value, its in evaluator.applied(iterator, code, NO_ARGUMENTS, NO_ARGUMENTS, FUEL).items():
        if value[0] in _ITERATED:
            for one, of_step in _callable(linker, value, its, "next").items():
                _edge(linker, unit, place, one, of_step, linked)


def loop(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`for (x of o)`, `for await (x of o)`; `for (key in o)` runs nothing."""
    parts = unit.kids(node)
    if len(parts) > 1 and (unit.kind[parts[0]] in _PATTERNS or parts[0] in elements_bound(linker, unit)):
        runs(linker, unit, parts[1], ITERATORS, linked)


def elements_bound(linker: ScriptLinker, unit: Unit) -> frozenset[int]:
    """The names of a file that stand for the elements of something: the left of `of`."""
    tables = linker.scripts.tables(unit)
    if tables.elements is None:
        tables.elements = frozenset(unit.target[row] for row, how in enumerate(unit.how) if how == How.ELEMENT)
    return tables.elements


def spread(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`[...o]` and `f(...o)` iterate over o, `{...o}` doesn't."""
    if unit.kind[unit.parent[node]] in (Kind.ARGS, Kind.LIST) and node + 1 < unit.next[node]:
        runs(linker, unit, node + 1, ITERATORS[:1], linked)


def array_pattern(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`const [a, b] = o` iterates over o."""
    above = unit.parent[node]
    if unit.kind[above] in (Kind.DECLARATOR, Kind.ASSIGN):
        parts = unit.kids(above)
        if parts[0] == node and len(parts) > 1 and unit.kind[parts[-1]] != Kind.TYPE:
            runs(linker, unit, parts[-1], ITERATORS[:1], linked)


def delegated(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`yield* o` iterates over o."""
    if node + 1 in unit.delegated:
        runs(linker, unit, node + 1, ITERATORS, linked)


def awaited(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`await o` calls `o.then` where o is an object of the project that has one."""
    if node + 1 < unit.next[node]:
        runs(linker, unit, node + 1, AWAITED, linked)


def interpolated(linker: ScriptLinker, unit: Unit, node: int, linked: Linked) -> None:
    """`${o}` in a template string asks o for its text; a tag gets o as it is."""
    above = unit.parent[node]
    is_tagged = unit.kind[above] == Kind.TEMPLATE and unit.kind[unit.parent[above]] == Kind.CALL
    if node + 1 < unit.next[node] and not is_tagged:
        runs(linker, unit, node + 1, AS_TEXT, linked)


def handed_outside(linker: ScriptLinker, unit: Unit, name: str, positional: list[int], linked: Linked) -> None:
    """What a function outside the project does with what it is given."""
    if name in ITERATING and positional:
        runs(linker, unit, positional[0], ITERATORS[:1], linked)
    elif name in ASKING and positional:
        runs(linker, unit, positional[0], ASKING[name], linked)
