"""What an expression may be, and how we know: `Values` maps each value to a code that packs tier and chain.

A value is a tuple whose first item is a tag. File numbers are rows of the program's files, symbols rows of a file's facts.

    (FUNCTION, file, symbol)                  a function or lambda
    (CLASS, file, symbol)                     a class
    (INSTANCE, file, symbol)                  an instance of a class
    (SELF, file, symbol)                      an instance of that class or of a subclass: `self`
    (SELF_CLASS, file, symbol)                likewise `cls`
    (METHOD, file, symbol, receiver)          a function bound to a receiver (a value)
    (MODULE, file)    (FOLDER, path)          a module, a namespace package
    (EXTERNAL, "os.path.join")                something outside the project
    (EXTERNAL_INSTANCE, "pathlib.Path")       what calling something outside gives
    (SUPER, file, symbol, receiver)           super() in a method of that class
    (CONTAINER, file, node)                   a list, tuple, set, dict, comprehension or object literal written there
    (TYPED, elements, keys)                   a container known only by its declared element values (tuples of values)
    (GENERATOR, file, symbol)                 what calling a generator function gives
    (CONTAINER_METHOD, container, name)       `d.get` of a container
    (TEXT, "name")                            a constant string; a number as "#1" in Python, where 1 and "1" are different keys
    (SLICED, container, first)                a container from its element `first` on; -1: its elements in another order
    (GIVES, values)                           something callable that gives these, by its declared type
    (PARTIAL, value, n)                       functools.partial with n positional arguments given
    (LIKE, receiver, prefix, suffix)          getattr(receiver, prefix + ... + suffix): any member of such a name
    (ONE_OF, container)                       any element of a container that holds too many to list
    (VARIABLE, file, name)                    a type variable: what it stands for hangs on the receiver's class
    (PARAM, file, symbol, index)              whatever the callers pass: resolved once their arguments are known; of a class: its fields
    (PART, value, name)   (CALLED, value)   (ITEM, value, key)     an attribute, result or element of such a value
    (KEYED, parameter, container)             the element of a container under a key that is a parameter

Codes: the tier in the bits from 28 on, the chain (up to seven steps of four bits, first one lowest) below. Of two codes for
one value the smaller stays, so that the better tier wins and ties are settled alike everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from index.numbers import Step
from index.types import Tier

FUNCTION: Final = 0
CLASS: Final = 1
INSTANCE: Final = 2
SELF: Final = 3
SELF_CLASS: Final = 4
METHOD: Final = 5
MODULE: Final = 6
FOLDER: Final = 7
EXTERNAL: Final = 8
EXTERNAL_INSTANCE: Final = 9
SUPER: Final = 10
CONTAINER: Final = 11
TYPED: Final = 12
GENERATOR: Final = 13
CONTAINER_METHOD: Final = 14
TEXT: Final = 15
PARTIAL: Final = 16
SLICED: Final = 17
GIVES: Final = 18
LIKE: Final = 19
ONE_OF: Final = 20
VARIABLE: Final = 21
PARAM: Final = 22
PART: Final = 23
CALLED: Final = 24
ITEM: Final = 25
KEYED: Final = 26

Value = tuple[Any, ...]
Values = dict[Value, int]

NOTHING: Final[Values] = {}
MAX_VALUES: Final = 12  # an expression that may be more than this is not narrowed down at all
MAX_CALLED: Final = 100  # but a parameter that is called may be as many functions as this
TIER_SHIFT: Final = 28
CHAIN_MASK: Final = (1 << TIER_SHIFT) - 1
PROVED: Final = int(Tier.PROVED) << TIER_SHIFT
LIKELY: Final = int(Tier.LIKELY) << TIER_SHIFT
POSSIBLE: Final = int(Tier.POSSIBLE) << TIER_SHIFT


NAMING: Final = frozenset({Step.SCOPE, Step.IMPORT, Step.REEXPORT, Step.STAR, Step.ATTRIBUTE})  # steps that only say how a name was found


def stepped(code: int, step: int) -> int:
    """The code with one more step at the end of its chain, where it is not repeated. In a full chain a step that says what a value is takes
    the place of the last one; one that only says how a name was found is left out."""
    chain = code & CHAIN_MASK
    bits = (chain.bit_length() + 3) & ~3
    if bits and (chain >> (bits - 4)) == step:
        return code
    if bits >= TIER_SHIFT:
        return code if step in NAMING else code & ~(15 << (TIER_SHIFT - 4)) | step << (TIER_SHIFT - 4)
    return code | step << bits


def weakened(code: int, tier: int) -> int:
    """The code at `tier` (PROVED, LIKELY or POSSIBLE) or worse."""
    return code if code >= tier else (code & CHAIN_MASK) | tier


def put(into: Values, value: Value, code: int) -> None:
    """Adds one value, keeping the better code if it is there already."""
    old = into.get(value)
    if old is None or code < old:
        into[value] = code


def merged(into: Values, more: Values) -> None:
    """Adds `more`, keeping the better code of a value that is there already."""
    if not more:
        return
    if not into:
        into.update(more)
        return
    all_of = cast("dict[Value, object]", into)  # codes are passed on as the objects that they are
    for value, code in cast("dict[Value, object]", more).items():
        old = all_of.get(value)
        if old is None or cast(int, code) < cast(int, old):
            all_of[value] = code


def in_order(values: Iterable[Value]) -> tuple[Value, ...]:
    """Values as elements of a container: the same ones in the same order, whatever they were found in."""
    found = tuple(values)
    return found if len(found) < 2 else tuple(sorted(found, key=repr))


def all_stepped(values: Values, step: int, tier: int = PROVED) -> Values:
    if len(values) == 1:  # as nearly always: without a comprehension, which is a call of its own
        for value, code in values.items():
            return {value: weakened(stepped(code, step), tier)}
    return {value: weakened(stepped(code, step), tier) for value, code in values.items()}


def capped(values: Values, most: int = MAX_VALUES) -> Values:
    return values if len(values) <= most else NOTHING


def is_symbolic(value: Value) -> bool:
    """Whether the value still depends on what some caller passes."""
    tag: int = value[0]
    if tag >= PARAM:
        return True
    if tag in (METHOD, CONTAINER_METHOD, PARTIAL):
        return is_symbolic(value[3] if tag == METHOD else value[1])
    return False


def has_symbolic(values: Values) -> bool:
    """Whether any of the values is symbolic."""
    for value in values:
        tag: int = value[0]
        if tag >= PARAM or (tag in (METHOD, CONTAINER_METHOD, PARTIAL) and is_symbolic(value)):
            return True
    return False


def root_of(value: Value) -> Value | None:
    """The parameter that a symbolic value is made from, None for other values."""
    while True:
        tag: int = value[0]
        if tag == PARAM:
            return value
        if tag > PARAM or tag in (CONTAINER_METHOD, PARTIAL):
            value = value[1]
        elif tag == METHOD:
            value = value[3]
        else:
            return None


def depth_of(value: Value) -> int:
    """How many parts, calls and items a symbolic value is made of."""
    depth = 0
    tag: int = value[0]
    while tag > PARAM:
        depth += 1
        value = value[1]
        tag = value[0]
    return depth


MAX_SYMBOLIC: Final = 3
ANY_KEY: Final[Value] = (TEXT, "*")  # passed as a key: something that is not known
NO_KEY: Final[Value] = (TEXT, "?")  # nothing is passed: says that there is such a parameter
