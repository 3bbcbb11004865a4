"""Modules that pass on each other's names in circles (`export *`, `from m import *`) -> which of them have a name.

Looking for a name through star exports follows one after the other. Where each of a hundred modules passes on the names of all others, that
is a hundred ways from each, and a hundred from there. But whatever one of a circle passes on, all of them do: so a circle is looked
through once, and afterwards a name is one look in a table. In a circle there is no order of which name hides which; all are meant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from index.resolver.gateways import Seen
from index.resolver.program import Unit
from index.resolver.values import MODULE

if TYPE_CHECKING:
    from index.resolver.evaluate import Evaluator

MOST_STEPS: Final = 12  # from a module back to itself: longer circles are followed as if they were none, as far as the fuel reaches
ONE_BY_ONE: Final = 32  # modules whose names are looked at one by one; of more, the list of their names


@dataclass(slots=True)
class Web:
    """A circle of modules, and those outside that they lead to. `circle`, `beyond`: name -> the numbers of those that have it themselves;
    `seen`: what that hangs on; `every`: all of these modules, where their names are looked at one by one."""

    number: int  # the smallest number of a module in the circle
    circle: dict[str, list[int]] = field(default_factory=dict)
    beyond: dict[str, list[int]] = field(default_factory=dict)
    seen: Seen = None
    every: list[int] = field(default_factory=list)

    def owners(self, name: str) -> list[int]:
        """Modules whose own the name is: in the circle, or else beyond."""
        return self.circle.get(name) or self.beyond.get(name) or []


class Webs:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.looked_through = 0  # modules, each time that the stars of one are gone through: the work that is done here
        self._targets: dict[int, tuple[frozenset[int], Seen]] = {}
        self._in_circle: dict[int, tuple[bool, Seen]] = {}
        self._web_of: dict[int, Web] = {}

    def of(self, unit: Unit) -> Web | None:
        """The circle that a module is in. What was looked at is noted."""
        known = self._in_circle.get(unit.number)
        if known is None:
            known = self._in_circle[unit.number] = self._is_in_circle(unit.number)
        self.evaluator.saw(known[1])
        if not known[0]:
            return None
        web = self._web_of.get(unit.number)
        if web is None:
            web = self._made(unit.number)
        self.evaluator.saw(web.seen)
        return web

    def note(self, web: Web, name: str) -> None:
        """Notes that a name was looked for in all of its modules."""
        for number in web.every:
            self.evaluator.look("top", self.evaluator.program.unit(number), 0, name)

    def _passes_on(self, number: int) -> frozenset[int]:
        """The modules of the project whose names a module passes on."""
        known = self._targets.get(number)
        self.looked_through += 1
        if known is None:
            evaluator = self.evaluator
            unit, used = evaluator.program.unit(number), evaluator.used
            evaluator.used = []
            evaluator.look("face", unit, 0, "")
            found = frozenset(value[1] for row, _ in unit.star_order for value in evaluator.imported_star(unit, row) if value[0] == MODULE)
            known = self._targets[number] = (found, evaluator.gateways.joined(evaluator.used, 0))
            evaluator.used = used
        return known[0]

    def _is_in_circle(self, number: int) -> tuple[bool, Seen]:
        """Whether a module passes on its own names to itself, in MOST_STEPS steps."""
        visited: set[int] = {number}
        latest = {number}
        found = False
        for _ in range(MOST_STEPS):
            following: set[int] = set()
            for one in sorted(latest):
                targets = self._passes_on(one)
                following |= targets
                if number in targets:
                    found = True
                    break
            if found:
                break
            latest = following - visited
            visited |= latest
            if not latest:
                break
        looked_at = [one for one in visited if one in self._targets]
        return found, self._behind(looked_at)

    def _behind(self, numbers: list[int], *more: Seen) -> Seen:
        evaluator = self.evaluator
        used, evaluator.used = evaluator.used, [*more]
        for number in numbers:
            evaluator.saw(self._targets[number][1])
        found, evaluator.used = evaluator.gateways.joined(evaluator.used, 0), used
        return found

    def _made(self, number: int) -> Web:
        """The web of a module in a circle, which is that of all modules of the circle."""
        reached = {number}
        todo = [number]
        led_from: dict[int, list[int]] = {}
        while todo:
            one = todo.pop()
            for target in self._passes_on(one):
                led_from.setdefault(target, []).append(one)
                if target not in reached:
                    reached.add(target)
                    todo.append(target)
        circle = {number}
        todo = [number]
        while todo:
            for one in led_from.get(todo.pop(), ()):
                if one not in circle:
                    circle.add(one)
                    todo.append(one)
        evaluator = self.evaluator
        web = Web(min(circle))
        used, evaluator.used = evaluator.used, []
        for one in sorted(reached):
            unit = evaluator.program.unit(one)
            table = web.circle if one in circle else web.beyond
            for name in evaluator.passed_on(unit):
                table.setdefault(name, []).append(one)
            if len(reached) > ONE_BY_ONE:
                evaluator.look("listing", unit, 0, "")
        web.seen = self._behind(sorted(reached), *evaluator.used)
        evaluator.used = used
        if len(reached) <= ONE_BY_ONE:
            web.every = sorted(reached)
        for one in circle:
            self._web_of[one] = web
        return web
