"""What all files pass to functions -> what each parameter may be, and the edges that follow from it.

A parameter's values are the least solution of "everything that some call passes", calls that pass a parameter on
included. New edges from it may pass more on, so both are repeated a fixed number of rounds; each step is a pure function
of the one before, so the result depends on the facts alone.

There are two kinds of cells: the sites of a file that hang on arguments, and the parameters of a file's functions. What a cell gives at a
step hangs on what the parameters that it looked at were then. So the solution of the commit before is recorded step by step
(`index.resolver.keep`), and of the next commit only the cells are solved that looked at something that is different now, the rest standing
as recorded; if that changes what a cell gives, those that looked at it are added, and all of them are solved again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from librt.vecs import vec
from mypy_extensions import i32

from index.numbers import Step
from index.resolver.evaluate import Known
from index.resolver.gateways import Seen, fact_key, fact_name
from index.resolver.keep import Flow, Recorded, StandingSites, Trajectory
from index.resolver.link import Linked, Linker
from index.resolver.values import (
    CLASS,
    FUNCTION,
    LIKELY,
    MAX_CALLED,
    MAX_VALUES,
    METHOD,
    NOTHING,
    PARTIAL,
    POSSIBLE,
    Value,
    Values,
    is_symbolic,
    merged,
    root_of,
    stepped,
    weakened,
)

ROUNDS: Final = 3
PASSES: Final = 8
_CALLED: Final = (FUNCTION, METHOD, CLASS, PARTIAL)
RESTS: Final = 16  # files; what was looked at of the facts is let go of after so many
RESTS_OF_PARAMETERS: Final = 256
SURE_VALUES: Final = 3  # a parameter that may be more than this is only possibly any of them
Passed = tuple[Value, Values]  # a parameter, and what is passed to it
_ROUND: Final = 16  # steps are numbered round * _ROUND + pass; the sites of a round come after all passes of the one before


@dataclass(slots=True)
class Sites:
    """What the sites of a file gave: edges by node in the last round that looked at them, and what they passed in each round. stood: what
    of it was known, of sites that nobody looked at again."""

    given: dict[int, vec[i32]] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    stood: StandingSites | None = None


@dataclass(slots=True)
class Parameters:
    """What the parameters of a file's functions were from step to step."""

    solved: dict[Value, Trajectory] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)


@dataclass(slots=True)
class Solution:
    """By file number, the cells that were solved."""

    sites: dict[int, Sites] = field(default_factory=dict)
    parameters: dict[int, Parameters] = field(default_factory=dict)


def solve(linker: Linker, linked: Mapping[int, Linked], recorded: Recorded | None, belongs: frozenset[int]) -> Solution:
    """linked: files that were linked now. recorded: the commit before, where there is one; all files that are not in `linked` stand as
    they were. belongs: numbers of all files that this linker links."""
    if recorded is None:
        return _Solver(linker, linked, None, set(), set(), belongs, {}).run()
    sites, owners = _first_cells(linked, recorded, belongs)
    looked = recorded.that_looked("late_facts", recorded.keys)
    stand = {number: its for number, its in recorded.kept.standing_sites.items() if number in sites and number not in looked}
    while True:
        solution = _Solver(linker, linked, recorded, sites, owners, belongs, stand).run()
        more_sites, more_owners = _what_hangs_on(solution, recorded, belongs)
        if more_sites <= sites and more_owners <= owners and more_sites.isdisjoint(stand):
            return solution
        sites, owners = sites | more_sites, owners | more_owners
        stand = {number: its for number, its in stand.items() if number not in more_sites}


def _first_cells(linked: Mapping[int, Linked], recorded: Recorded, belongs: frozenset[int]) -> tuple[set[int], set[int]]:
    """Files whose sites, and files whose parameters, have to be solved at any rate."""
    kept = recorded.kept
    unsettled = recorded.numbers(kept.unsettled)
    gone = set(kept.move.symbols) - linked.keys()
    sites = recorded.that_looked("late_facts", recorded.keys) | unsettled | linked.keys()
    owners = recorded.that_looked("solved_facts", recorded.keys) | unsettled
    for number in gone:  # deleted files, and those that are not parsed any more
        owners |= recorded.old_targets(number)
    for number, one in linked.items():
        before = recorded.passed(number)
        if before is None:
            owners |= recorded.old_targets(number) | {parameter[1] for parameter, _ in one.flows}
        else:
            owners |= _differing(before.flows, one.flows)
    return sites & belongs, owners & belongs


def _what_hangs_on(solution: Solution, recorded: Recorded, belongs: frozenset[int]) -> tuple[set[int], set[int]]:
    """Files whose sites, and files whose parameters, looked at something that the solution has otherwise than the commit before."""
    keys: set[int] = set()
    owners: set[int] = set()
    for number, parameters in solution.parameters.items():
        before = recorded.solved(number)
        changed = {one for one in before.keys() | parameters.solved.keys() if before.get(one, ()) != parameters.solved.get(one, ())}
        keys.update(parameter_key(recorded.name_of(one[1], one[2]), one[3]) for one in changed)
    for number, sites in solution.sites.items():
        flows = recorded.late_flows(number)
        if flows is None:
            owners |= recorded.old_targets(number) | {parameter[1] for _, parameter, *_ in sites.flows}
        else:
            owners |= _differing(_by_step(flows), _by_step(sites.flows))
    return recorded.that_looked("late_facts", keys) & belongs, (recorded.that_looked("solved_facts", keys) | owners) & belongs


def _differing(before: Iterable[Passed], after: Iterable[Passed]) -> set[int]:
    """Owners of the parameters to which something else is passed."""
    one, other = _joined(before), _joined(after)
    return {parameter[1] for parameter in one.keys() | other.keys() if one.get(parameter) != other.get(parameter)}


def _joined(flows: Iterable[Passed]) -> dict[Value, Values]:
    found: dict[Value, Values] = {}
    for parameter, values in flows:
        merged(found.setdefault(parameter, {}), values)
    return found


def _by_step(flows: Iterable[Flow]) -> list[Passed]:
    return [((*parameter, step), values) for step, parameter, values, _ in flows]


def _by_roots(later: list[tuple[int, frozenset[Value]]]) -> dict[frozenset[Value], list[int]]:
    """Nodes by the parameters that they hang on: many of a file hang on the same."""
    found: dict[frozenset[Value], list[int]] = {}
    for node, roots in later:
        nodes = found.get(roots)
        if nodes is None:
            found[roots] = [node]
        else:
            nodes.append(node)
    return found


def parameter_key(place: str, index: int) -> int:
    """The key of a parameter as something that was looked at. place: path and qualified name of its function."""
    return fact_key("param", place, str(index))


_NAMED: Final = [fact_name("param", str(index)) for index in range(16)]  # nearly all parameters


class Parameter:
    """A parameter that is solved or looked at, as one object: to find what is known of it by its value takes longer than all else."""

    __slots__ = ("changing", "given", "made", "passed", "present", "seen", "sites", "value", "watched")

    def __init__(self, value: Value, seen: Seen) -> None:
        self.value = value
        self.seen = seen  # the parameter as something that is looked at
        self.passed: Values = {}  # what it may be, as far as that does not hang on others
        self.made: Values = {}  # what it is passed that is made from others
        self.given: list[Parameter] = []  # those that are passed something made from it, each at least once
        self.sites: list[tuple[int, list[int]]] = []  # by file, those that hang on it
        self.present: Values | None = None  # its values as they may be used
        self.changing: Trajectory | None = None  # what it was from step to step, where it is solved
        self.watched = False  # whether what is recorded of it has happened


def _by_value(parameter: Parameter) -> Value:
    return parameter.value


class Arguments(Known):
    """What callers pass to each parameter at the present step. Looking is noted."""

    def __init__(self, linker: Linker, recorded: Recorded | None, owners: set[int]) -> None:
        self.evaluator, self.program = linker.evaluator, linker.program
        self.recorded, self.owners = recorded, owners
        self.step = 0
        self._known: dict[Value, Parameter] = {}

    def get(self, parameter: Value) -> Values:
        its = self.of(parameter)
        self.evaluator.used.append(its.seen)
        found: Values | None = None
        if self.recorded is None or parameter[1] in self.owners:
            found = its.present
        else:
            for step, values in self.recorded.trajectory(parameter):
                if step > self.step:
                    break
                found = values
        return NOTHING if found is None else found

    def of(self, value: Value) -> Parameter:
        """What is known of a parameter."""
        found = self._known.get(value)
        if found is None:
            place = self.program.key_of_place(value[1], value[2])
            index: int = value[3]
            named = _NAMED[index] if 0 <= index < len(_NAMED) else fact_name("param", str(index))
            found = self._known[value] = Parameter(value, self.evaluator.gateways.fact_of(named, place))
        return found

    def close(self) -> None:
        """Lets parameters go that are passed to each other: they hold themselves, and the collector may be off."""
        for parameter in self._known.values():
            parameter.given = []


class _Solver:
    """Solves some cells, or all where nothing is recorded."""

    def __init__(
        self,
        linker: Linker,
        linked: Mapping[int, Linked],
        recorded: Recorded | None,
        sites: set[int],
        owners: set[int],
        belongs: frozenset[int],
        stand: Mapping[int, StandingSites],
    ) -> None:
        self.stand = stand  # of these sites, those that need not be asked
        self.linker, self.evaluator, self.linked, self.belongs = linker, linker.evaluator, linked, belongs
        self.recorded, self.sites, self.owners = recorded, sites, owners
        self.arguments = self.evaluator.params = Arguments(linker, recorded, owners)
        self.happened: dict[int, list[Parameter]] = {}  # step -> those that were set then, recorded ones too where anything hangs on them
        self.todo: set[Parameter] = set()  # those that were passed something symbolic since they were solved
        self.changed: set[Parameter] = set()  # the same of what is told as it stands
        self.written: dict[Value, str] = {}  # values that are put in order: to write one takes longer than all else that is done with it
        self.solution = Solution()

    def run(self) -> Solution:
        self.evaluator.forget_cut_off(0)
        self.evaluator.is_late = True
        later, late_flows = self.inputs()
        self.solve(0)
        for number, its in self.stand.items():
            self.solution.sites[number] = Sites({-1: its.edges}, list(its.flows), stood=its)
        for number in sorted(later):
            cell = self.solution.sites.setdefault(number, Sites())
            for roots, nodes in _by_roots(later[number]).items():
                for root in roots:
                    parameter = self.arguments.of(root)
                    parameter.sites.append((number, nodes))
                    cell.seen.append(parameter.seen)
                    self.watch(parameter)
        for turn in range(1, ROUNDS + 1):
            asked: dict[int, set[int]] = {}
            for step in range((turn - 1) * _ROUND, (turn - 1) * _ROUND + PASSES + 1):
                for parameter in self.happened.get(step, ()):
                    for number, nodes in parameter.sites:
                        asked.setdefault(number, set()).update(nodes)
            self.at(turn * _ROUND - 1)
            more = late_flows.get(turn, [])
            for at, number in enumerate(sorted(asked)):
                if at % RESTS == 0:
                    self.linker.program.rest()
                more += self.asked(number, sorted(asked[number]), turn)
            if not more and self.recorded is None:
                break
            self.add(more)
            self.solve(turn)
        for number in self.sites:
            self.solution.sites.setdefault(number, Sites())
        for number in self.stand:
            self.solution.sites[number].flows.sort(key=lambda flow: (flow[0], flow[3]))  # as if all had been asked
        for number in self.owners:
            self.solution.parameters.setdefault(number, Parameters())
        self.evaluator.params, self.evaluator.is_late = Known(), False
        self.arguments.close()
        return self.solution

    def inputs(self) -> tuple[dict[int, list[tuple[int, frozenset[Value]]]], dict[int, list[Passed]]]:
        """Takes in what calls pass to parameters that are solved -> the sites that are, and what other sites pass to those parameters, by
        round."""
        recorded, owners = self.recorded, self.owners
        if recorded is None:
            for number in sorted(self.linked):
                one = self.linked[number]
                self.add(one.flows)
                one.flows = []  # together they take as much memory as what is made of them
            return {number: one.later for number, one in self.linked.items() if one.later}, {}
        later = {}
        late: dict[int, list[Passed]] = {turn: [] for turn in range(1, ROUNDS + 1)}
        sources = recorded.sources(owners) & self.belongs
        for number in sorted(sources | self.linked.keys() | self.sites):
            known_one = self.linked.get(number)
            one = known_one if known_one is not None else recorded.passed(number) or Linked()
            self.add([flow for flow in one.flows if flow[0][1] in owners])
            stood = self.stand.get(number)
            if number in self.sites:
                asked = one.later if stood is None else [site for site in one.later if not stood.inside[site[0]]]
                if asked:
                    later[number] = asked
            known = (
                stood.flows if stood is not None else recorded.late_flows(number) if number not in self.sites and number in sources else ()
            )
            for turn, parameter, values, _ in known or ():
                if parameter[1] in owners:
                    late[turn].append((parameter, values))
        return later, late

    def watch(self, parameter: Parameter) -> None:
        """Something hangs on a parameter: if it is not solved here, what is recorded of it happens."""
        if self.recorded is None or parameter.watched or parameter.value[1] in self.owners:
            return
        parameter.watched = True
        for step, _ in self.recorded.trajectory(parameter.value):
            self.happened.setdefault(step, []).append(parameter)

    def at(self, step: int) -> None:
        self.arguments.step = step
        self.evaluator.expansions.clear()
        self.linker.program.rest()

    def asked(self, number: int, nodes: list[int], turn: int) -> list[Passed]:
        """Some sites of a file, asked now -> what they pass to parameters that are solved."""
        sites = self.solution.sites[number]
        self.evaluator.used = sites.seen
        passed: list[Passed] = []
        for node, one in self.answers(number, nodes).items():
            sites.given[node] = one.edges
            if one.flows:
                sites.flows += [(turn, parameter, values, node) for parameter, values in one.flows]
                passed += [flow for flow in one.flows if self.recorded is None or flow[0][1] in self.owners]
        sites.seen = self.evaluator.used
        return passed

    def answers(self, number: int, nodes: list[int]) -> dict[int, Linked]:
        """What each of these nodes gives; nothing where asking failed, which is a mistake of ours: see `Linker.given_up`."""
        if number in self.linker.failed:
            return {}
        try:
            return self.linker.link_late(number, nodes)
        except MemoryError:
            raise
        except Exception as error:
            self.linker.given_up(number, error)
            return {}

    def add(self, flows: list[Passed]) -> None:
        """Takes in what calls pass."""
        for passed_to, values in flows:
            parameter = self.arguments.of(passed_to)
            for value, code in values.items():
                is_made = is_symbolic(value)
                (self.todo if is_made else self.changed).add(parameter)
                into = parameter.made if is_made else parameter.passed
                its = stepped(weakened(code, LIKELY), Step.ARGUMENT)
                old = into.get(value)
                if old is None:
                    into[value] = its
                    if is_made:
                        self.hangs(parameter, value)
                elif its < old:
                    into[value] = its

    def hangs(self, parameter: Parameter, value: Value) -> None:
        """Notes on what a parameter hangs that is passed something symbolic."""
        root = root_of(value)
        if root is not None:
            its = self.arguments.of(root)
            its.given.append(parameter)
            self.cell(parameter).seen.append(its.seen)
            self.watch(its)

    def solve(self, turn: int) -> None:
        """Solves anew with what was taken in."""
        todo, changed, self.todo, self.changed = self.todo, self.changed, set(), set()
        first = turn * _ROUND
        self.set(list(changed), first)
        todo |= self.hanging_on(first)
        for at in range(first + 1, first + PASSES + 1):
            self.at(at - 1)
            grown: list[tuple[Parameter, Values]] = []
            for number, parameter in enumerate(sorted(todo, key=_by_value)):
                if number % RESTS_OF_PARAMETERS == 0:
                    self.linker.program.rest()
                if found := self.grown(parameter):
                    grown.append((parameter, found))
            for parameter, found in grown:
                parameter.passed.update(found)
            self.set([parameter for parameter, _ in grown], at)
            todo = self.hanging_on(at)
            if not todo and self.recorded is None:
                break

    def hanging_on(self, step: int) -> set[Parameter]:
        """Parameters that hang on what happened at a step."""
        found: set[Parameter] = set()
        for parameter in self.happened.get(step, ()):
            found.update(parameter.given)
        return found

    def grown(self, parameter: Parameter) -> Values:
        """What a parameter gets through others and does not have yet."""
        own = parameter.passed
        if len(own) > MAX_CALLED:
            return NOTHING
        cell = self.cell(parameter)
        self.evaluator.used = cell.seen
        try:
            expanded = self.evaluator.expanded(parameter.made, most=MAX_CALLED)
        except MemoryError:
            raise
        except Exception as error:
            self.linker.given_up(parameter.value[1], error)
            return NOTHING
        cell.seen = self.evaluator.used
        return {
            value: stepped(weakened(code, LIKELY), Step.ARGUMENT)
            for value, code in expanded.items()
            if value not in own and not is_symbolic(value)
        }

    def set(self, parameters: list[Parameter], step: int) -> None:
        """Makes values available as they may be used: many are only possible, of too many only what can be called is told, or nothing."""
        self.happened.setdefault(step, []).extend(parameters)
        for parameter in parameters:
            values = parameter.passed
            found: Values | None = None
            if len(values) > MAX_VALUES:
                values = {value: code for value, code in values.items() if value[0] in _CALLED}
            if len(values) <= MAX_CALLED:
                tier = LIKELY if len(values) <= SURE_VALUES else POSSIBLE
                found = {value: weakened(values[value], tier) for value in self.ordered(values)}
            parameter.present = found
            if parameter.changing is None:
                parameter.changing = self.cell(parameter).solved[parameter.value] = []
            parameter.changing.append((step, found))

    def ordered(self, values: Values) -> list[Value]:
        """The values in the order of how they are written."""
        if len(values) < 2:
            return list(values)
        written = self.written
        for value in values:
            if value not in written:
                written[value] = repr(value)
        return sorted(values, key=written.__getitem__)

    def cell(self, parameter: Parameter) -> Parameters:
        number: int = parameter.value[1]
        found = self.solution.parameters.get(number)
        if found is None:
            found = self.solution.parameters[number] = Parameters()
        return found
