"""What all files pass to functions -> what each parameter may be, and the edges that follow from it.

A parameter's values are the least solution of "everything that some call passes", calls that pass a parameter on
included. New edges from it may pass more on, so both are repeated a fixed number of rounds; each round is a pure function
of the one before, so the result depends on the facts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from index.numbers import Step
from index.resolver.link import Linked, Linker
from index.resolver.values import LIKELY, MAX_VALUES, POSSIBLE, Value, Values, is_symbolic, merged, root_of, stepped, weakened

ROUNDS = 3
PASSES = 8
SURE_VALUES = 3  # a parameter that may be more than this is only possibly any of them


class Passed:
    """Parameter -> what calls pass to it."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker
        self.concrete: dict[Value, Values] = {}
        self.symbolic: dict[Value, Values] = {}
        self.hang_on: dict[Value, set[Value]] = {}  # parameter -> parameters that are passed something made from it

    def add(self, flows: Iterable[tuple[Value, Values]]) -> set[Value]:
        """Takes in what calls pass and solves anew; returns the parameters whose values changed."""
        todo: set[Value] = set()
        changed: set[Value] = set()
        for parameter, values in flows:
            for value, code in values.items():
                table = self.concrete
                if is_symbolic(value):
                    table = self.symbolic
                    root = root_of(value)
                    if root is not None:
                        self.hang_on.setdefault(root, set()).add(parameter)
                    todo.add(parameter)
                else:
                    changed.add(parameter)
                merged(table.setdefault(parameter, {}), {value: stepped(weakened(code, LIKELY), Step.ARGUMENT)})
        self._settle(changed)
        every = set(changed)
        for hanging in changed:
            todo |= self.hang_on.get(hanging, set())
        for _ in range(PASSES):
            grown = {parameter: found for parameter in sorted(todo) if (found := self._grown(parameter))}
            for parameter, found in grown.items():
                self.concrete.setdefault(parameter, {}).update(found)
            self._settle(grown)
            every.update(grown)
            todo = {hanging for parameter in grown for hanging in self.hang_on.get(parameter, ())}
            if not todo:
                break
        return every

    def _grown(self, parameter: Value) -> Values:
        """What a parameter gets through others and does not have yet."""
        own = self.concrete.get(parameter, {})
        if len(own) > MAX_VALUES:
            return {}
        return {
            value: stepped(weakened(code, LIKELY), Step.ARGUMENT)
            for value, code in self.linker.evaluator.expanded(self.symbolic.get(parameter, {})).items()
            if value not in own and not is_symbolic(value)
        }

    def _settle(self, parameters: Iterable[Value]) -> None:
        """Makes values available as they may be used: none of too many, and many are only possible."""
        params = self.linker.evaluator.params
        self.linker.evaluator.expansions.clear()
        for parameter in parameters:
            values = self.concrete[parameter]
            if len(values) > MAX_VALUES:
                params.pop(parameter, None)
                continue
            tier = LIKELY if len(values) <= SURE_VALUES else POSSIBLE
            params[parameter] = {value: weakened(code, tier) for value, code in sorted(values.items(), key=repr)}


def link_late(linker: Linker, linked: Mapping[int, Linked]) -> dict[int, list[Linked]]:
    """File -> what its put-off sites gave in the last round that looked at them."""
    passed = Passed(linker)
    changed = passed.add(flow for number in sorted(linked) for flow in linked[number].flows)
    found: dict[int, dict[int, Linked]] = {}
    for _ in range(ROUNDS):
        more: list[tuple[Value, Values]] = []
        for number in sorted(linked):
            nodes = sorted({node for node, roots in linked[number].later if not roots.isdisjoint(changed)})
            if nodes:
                for node, one in linker.link_late(number, nodes).items():
                    found.setdefault(number, {})[node] = one
                    more += one.flows
        if not more:
            break
        changed = passed.add(more)
        if not changed:
            break
    return {number: list(sites.values()) for number, sites in found.items()}
