"""What all files pass to functions -> what each parameter may be, and the edges that follow from it.

A parameter's values are the least solution of "everything that some call passes", calls that pass a parameter on
included. New edges from it may pass more on, so both are repeated a fixed number of rounds; each round is a pure function
of the one before, so the result depends on the facts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from index.resolver.link import Linked, Linker
from index.resolver.values import LIKELY, MAX_VALUES, POSSIBLE, Value, Values, is_symbolic, merged, stepped, weakened
from index.types import Step

ROUNDS = 3
PASSES = 8
SURE_VALUES = 3  # a parameter that may be more than this is only possibly any of them


def solved(linker: Linker, flows: Iterable[tuple[Value, Values]], before: Mapping[Value, Values]) -> dict[Value, Values]:
    """Parameter -> its values: concrete ones first, then what other parameters pass on, until nothing is added."""
    concrete: dict[Value, Values] = {parameter: dict(values) for parameter, values in before.items()}
    passed_on: dict[Value, Values] = {}
    for parameter, values in flows:
        for value, code in values.items():
            table = passed_on if is_symbolic(value) else concrete
            merged(table.setdefault(parameter, {}), {value: stepped(weakened(code, LIKELY), Step.ARGUMENT)})
    linker.evaluator.params = _settled(concrete)
    for _ in range(PASSES):
        grew = False
        for parameter in sorted(passed_on):
            found = {
                value: stepped(weakened(code, LIKELY), Step.ARGUMENT)
                for value, code in linker.evaluator.expanded(passed_on[parameter]).items()
                if not is_symbolic(value)
            }
            own = concrete.setdefault(parameter, {})
            size = len(own)
            for value, code in found.items():
                own.setdefault(value, code)
            grew = grew or len(own) > size
        linker.evaluator.params = _settled(concrete)
        if not grew:
            break
    return concrete


def _settled(table: Mapping[Value, Values]) -> dict[Value, Values]:
    """Values as they may be used: none of too many, and many are only possible."""
    settled = {}
    for parameter, values in table.items():
        if 0 < len(values) <= MAX_VALUES:
            tier = LIKELY if len(values) <= SURE_VALUES else POSSIBLE
            settled[parameter] = {value: weakened(code, tier) for value, code in sorted(values.items(), key=repr)}
    return settled


def link_late(linker: Linker, linked: Mapping[int, Linked]) -> dict[int, list[Linked]]:
    """File -> what its put-off sites gave, one `Linked` a round."""
    flows = [flow for number in sorted(linked) for flow in linked[number].flows]
    later = {number: sorted(set(one.later)) for number, one in sorted(linked.items()) if one.later}
    found: dict[int, list[Linked]] = {}
    known: dict[Value, Values] = {}
    for _ in range(ROUNDS):
        known = solved(linker, flows, known)
        found = {number: [linker.link_late(number, nodes)] for number, nodes in later.items()}
        more = [flow for number in sorted(found) for one in found[number] for flow in one.flows]
        if not more:
            break
        flows = flows + more
    return found
