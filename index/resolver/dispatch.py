"""Edges and hints of a whole commit -> the edges that hang on which classes there are: overrides, mixins, protocols, names made of text.

Files are linked without knowing what inherits from their classes; `Linked.edges` holds hints instead (see `index.resolver.link`), rows
that say what the receiver of a place is. Here all classes are known, and the hints become edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.languages.python.front import SYMBOL_ABSTRACT, SYMBOL_PROTOCOL
from index.resolver.closures import Grouped, Ints, closed, first_of_each, packed, pairs_of, reached_from, unpacked
from index.resolver.common import COMMON_MEMBERS, MAX_OVERRIDERS, MEETS
from index.resolver.link import HINT_BELOW, HINT_FIELD, HINT_FROM, HINT_HELD, HINT_LIKE, HINT_NEXT, HINT_RECEIVER, HINT_SELF, HINT_SUPER
from index.resolver.structural import METHODS, meeting
from index.resolver.values import TIER_SHIFT
from index.types import EdgeKind, Step, SymbolKind, Tier, Unresolved

Columns = Mapping[str, NDArray[Any]]

MAX_LOOKED_AT = 200  # overrides of one method that are sorted out by the receiver's class
MAX_LIKE = 1_000  # members that a name made of text may mean
MAX_BESIDE = 4  # methods of classes beside a mixin
MAX_HELD = 24  # functions and classes that subclasses hold in one field: calls of a field that may be more of them stay open
CLASSES = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE)  # `class Line implements Queue`, an object type
_RUNS = (EdgeKind.CALL, EdgeKind.ACCESS)
_OPEN_RECEIVER = (Step.ARGUMENT, Step.ELEMENT, Step.RETURN)
_ORIGINS = (Step.SELF, Step.DECLARED, Step.CONSTRUCT)


@dataclass(frozen=True)
class Relations:
    """How classes and their members stand to each other in a whole commit: pairs of rows, sorted. As columns they are the part `classes`.

    inherits: base and class. overriders, held, siblings: see `Dispatch`. met: see `index.resolver.structural.meeting`."""

    inherits: NDArray[Any]
    overriders: NDArray[Any]
    held: NDArray[Any]
    siblings: NDArray[Any]
    met: NDArray[Any]

    @classmethod
    def of(cls, part: Columns) -> Relations:
        return cls(**{one.name: part[one.name] for one in fields(cls)})

    def columns(self) -> dict[str, NDArray[Any]]:
        """In 32 bits, as a snapshot has them."""
        return {one.name: getattr(self, one.name).astype(np.int32) for one in fields(self)}

    def moved(self, symbol: NDArray[Any]) -> Relations | None:
        """The same where each symbol has another row; None where one of them is gone."""
        made = {}
        for one in fields(self):
            before = getattr(self, one.name)
            pairs = symbol[before[:, :2]]
            if (pairs < 0).any():
                return None
            order = np.argsort(packed(pairs[:, 0], pairs[:, 1]), kind="stable")
            made[one.name] = np.concatenate([pairs[order], before[order, 2:]], 1)
        return Relations(**made)


class Dispatch:
    """`symbols`, `files`, and of some of these `edges`, as in a snapshot; their `hints` have the columns of edges and `code`; `names` by
    row. Of the whole commit: its `relations`, where they are known; if not, `of_classes`, the edges that say how classes and their members
    stand to each other, and the hints `by_super`, which say what `super()` may run and what fields hold."""

    def __init__(
        self,
        symbols: Columns,
        files: Columns,
        edges: Columns,
        hints: Columns,
        names: Sequence[str],
        of_classes: Columns,
        by_super: Columns,
        known: Relations | None = None,
    ) -> None:
        self.symbols, self.files, self.edges, self.hints, self.names = symbols, files, edges, hints, names
        self.of_classes, self.by_super, self._known = of_classes, by_super, known
        self.size = len(symbols["file"])
        self.left_out: list[int] = []  # rows of `hints`

    def dispatched(self) -> dict[str, NDArray[Any]]:
        """Calls of a method whose receiver may be of a subclass -> edges to what overrides it there. A single one is LIKELY where the
        method itself does nothing (an abstract one); else it is POSSIBLE, as each of several is."""
        at, target, count = self._listed
        told = (count <= MAX_OVERRIDERS) & ~self._is_unlikely(at, count)
        at, target, count = at[told], target[told], count[told]
        base = self.edges["target"][at]
        tier = np.where((count == 1) & self.is_abstract[base] & ~self.is_common[base], Tier.LIKELY, Tier.POSSIBLE)
        found = self.columns(at, target, np.maximum(tier, self.edges["tier"][at]), self.edges)
        return _as_access(found)

    def _is_unlikely(self, at: Ints, count: Ints) -> NDArray[np.bool_]:
        """Rows of `_listed` where nothing but the type of what was returned or passed speaks for the single override. Recorded runs of
        four test suites saw it run at 5 % of such calls (declared types and `self`: 35 %; several overrides: 68 % each)."""
        found: NDArray[np.bool_] = (count == 1) & ~self.is_abstract[self.edges["target"][at]] & (_origin(self.edges["chain"][at]) == 0)
        return found

    def chains(self) -> NDArray[Any]:
        """The chain of every edge; that of a call which may run more overrides than are listed ends with the step DISPATCH, and so says it
        to `index.resolver.open_calls`."""
        at, _, count = self._listed
        left = self.may_vary & one_of(self.edges["kind"], _RUNS) & (self.number > np.where(self.hinted, MAX_LOOKED_AT, MAX_OVERRIDERS))
        more = ((count > MAX_OVERRIDERS) | self._is_unlikely(at, count)) & one_of(self.edges["kind"][at], _RUNS)
        left[at[more]] = True
        left |= self._may_be_alike & one_of(self.edges["kind"], _RUNS) & (self.number + self.number_alike > MAX_OVERRIDERS)
        rows = np.flatnonzero(left)
        chain = self.edges["chain"].copy()
        chain[rows] = _dispatching(chain[rows].astype(np.int64), always=True)
        return chain

    @cached_property
    def number(self) -> NDArray[Any]:
        """Of every edge: how many methods override its target."""
        return self.overriders.counts(self.edges["target"])

    @cached_property
    def number_alike(self) -> NDArray[Any]:
        """Of every edge: how many methods meet its target, one of an interface or object type, by chance or not."""
        return self.alike.counts(self.edges["target"])

    @cached_property
    def _may_be_alike(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.may_vary & (self.number_alike > 0)
        return found

    @cached_property
    def hinted(self) -> NDArray[np.bool_]:
        """Of every edge: is the class of its receiver known?"""
        return one_of(self.place_of_edge, self.receivers[:, 0])

    @cached_property
    def _listed(self) -> tuple[Ints, Ints, Ints]:
        """(edge row, what overrides its target there, how many of these there are) of edges with few enough to sort them out."""
        edges, number = self.edges, self.number
        rows = np.flatnonzero(self.may_vary & (number > 0) & (number <= np.where(self.hinted, MAX_LOOKED_AT, MAX_OVERRIDERS)))
        at, target = self.overriders.of(edges["target"][rows], rows)
        kept = np.ones(len(at), bool)
        asked = np.flatnonzero(self.hinted[at])
        if len(asked):
            kept[asked] = self.fits(self.place_of_edge[at[asked]], self.symbols["parent"][target[asked]])
        kept &= self._is_run(at, target)
        at, target = at[kept], target[kept]
        return at, target, np.bincount(at, minlength=len(edges["source"]))[at]

    def _is_run(self, at: Ints, target: Ints) -> NDArray[np.bool_]:
        """Whether what an edge does runs the target: reading a member runs an accessor, and no method."""
        found: NDArray[np.bool_] = one_of(self.edges["kind"][at], _RUNS) | (self.symbols["kind"][target] == SymbolKind.PROPERTY)
        return found

    def dispatched_alike(self) -> dict[str, NDArray[Any]]:
        """Calls of a method of an interface or object type -> POSSIBLE edges to what meets it without naming it."""
        rows = np.flatnonzero(self._may_be_alike & (self.number + self.number_alike <= MAX_OVERRIDERS))
        at, target = self.alike.of(self.edges["target"][rows], rows)
        kept = ~self.hinted[at]
        asked = np.flatnonzero(~kept)
        kept[asked] = self.fits(self.place_of_edge[at[asked]], self.symbols["parent"][target[asked]])
        kept &= self._is_run(at, target)
        at, target = at[kept], target[kept]
        return _as_access(self.columns(at, target, np.full(len(at), Tier.POSSIBLE), self.edges))

    def beside(self) -> dict[str, NDArray[Any]]:
        """`super().m()` in a class that stands beside others in some subclass -> the methods that come after it there."""
        pairs = self.siblings
        if not len(pairs.key):
            return _none()
        edges = self.edges
        rows = np.flatnonzero((pairs.counts(edges["source"]) > 0) & one_of(edges["kind"], _RUNS))
        through_super = np.any([step == Step.SUPER for step in _steps(edges["chain"][rows])], axis=0)
        rows = rows[through_super & (self.symbols["name"][edges["source"][rows]] == self.symbols["name"][edges["target"][rows]])]
        at, target = pairs.of(edges["source"][rows], rows)
        return self.columns(at, target, np.full(len(at), Tier.POSSIBLE), edges)

    def held_by_subclasses(self) -> dict[str, NDArray[Any]]:
        """Calls of a field on `self` -> edges to what subclasses hold in it, or define under its name. A single one is LIKELY where the
        class itself holds nothing there; else each is POSSIBLE, and of too many none is told: see `left_open`."""
        hints = self.hints
        rows = np.flatnonzero(hints["kind"] == HINT_FIELD)
        known: dict[int, list[tuple[int, int]]] = {}
        found: list[tuple[int, int, int]] = []
        receivers = set(self.receivers[:, 0].tolist()) if len(rows) else set()
        for row, field in zip(rows.tolist(), hints["target"][rows].tolist(), strict=True):
            candidates = known.get(field)
            if candidates is None:
                candidates = known[field] = self._held_below(field)
            place = self.place_of_hint[row]
            if candidates and int(place) in receivers:
                fits = self.fits(np.full(len(candidates), place), np.array([owner for owner, _ in candidates], np.int64)).tolist()
                candidates = [one for one, is_fit in zip(candidates, fits, strict=True) if is_fit]
            targets = sorted({target for _, target in candidates})
            families = {owner for owner, _ in candidates}
            tier = Tier.LIKELY if len(families) == 1 and not self.held[field] else Tier.POSSIBLE
            if len(targets) <= MAX_HELD:
                found += [(row, target, tier) for target in targets]
            else:
                self.left_out.append(row)
        if not found:
            return _none()
        table = np.array(sorted(set(found)), np.int64)
        at, target = table[:, 0], table[:, 1]
        return {
            "source": hints["source"][at], "target": target, "kind": np.full(len(at), EdgeKind.CALL), "tier": table[:, 2],
            "line": hints["line"][at], "column": hints["column"][at], "chain": np.full(len(at), int(Step.SELF) | int(Step.DISPATCH) << 4),
        }  # fmt: skip

    def left_open(self) -> dict[str, NDArray[Any]]:
        """Calls of a field of which `held_by_subclasses` told nothing, since it may be too much, as open sites."""
        rows = np.array(self.left_out, np.int64)
        return {
            "source": self.hints["source"][rows], "name": self.symbols["name"][self.hints["target"][rows]],
            "line": self.hints["line"][rows], "column": self.hints["column"][rows], "reason": np.full(len(rows), Unresolved.AMBIGUOUS),
        }  # fmt: skip

    def _held_below(self, field: int) -> list[tuple[int, int]]:
        """(class, function or class) of what subclasses of a field's class hold in a field of that name, or define as a method."""
        name, owner = int(self.symbols["name"][field]), self.parent[field]
        below = set(self.below(owner)) if owner >= 0 else set()
        if not below:
            return []
        found = [(self.parent[one], target) for one in self.holders[name] if self.parent[one] in below for target in self.held[one]]
        return found + [
            (self.parent[one], one) for one in self.named[name]
            if self.parent[one] in below and self.symbols["kind"][one] == SymbolKind.METHOD
        ]  # fmt: skip

    def guided(self, sites: Columns) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
        """Open sites whose hints say where to look -> edges, and which sites they settle."""
        place = place_key(sites["source"], sites["line"], sites["column"])
        settled = np.zeros(len(place), bool)
        order = np.argsort(place, kind="stable")
        ordered = place[order]
        found: list[tuple[int, int, int, bool]] = []
        hints = self.hints
        rows = np.flatnonzero(one_of(hints["kind"], (HINT_SELF, HINT_SUPER, HINT_LIKE, HINT_BELOW)))
        first = np.searchsorted(ordered, self.place_of_hint[rows], "left")
        count = np.searchsorted(ordered, self.place_of_hint[rows], "right") - first
        hint = np.repeat(rows, count)
        at_site = order[np.repeat(first, count) + np.arange(len(hint)) - np.repeat(np.cumsum(count) - count, count)]
        is_super = hints["kind"][hint] == HINT_SUPER
        asked = zip(
            hints["kind"][hint].tolist(),
            hints["target"][hint].tolist(),
            np.where(is_super, hints["source"][hint], -1).tolist(),
            sites["name"][at_site].tolist(),
            sites["is_call"][at_site].tolist(),
            strict=True,
        )
        answers: dict[tuple[int, int, int, int, int], list[int]] = {}
        for at, question in zip(at_site.tolist(), asked, strict=True):
            members = answers.get(question)
            if members is None:
                members = answers[question] = self.members_for(*question)
            if members:
                found += [(at, target, len(members), question[0] == HINT_BELOW) for target in members]
                settled[at] = True
        if not found:
            return _none(), settled
        table = np.array(sorted(set(found)), np.int64)
        at, target = table[:, 0], table[:, 1]
        kind_of = self.symbols["kind"][target]
        sure = (table[:, 2] == 1) & (sites["reason"][at] == Unresolved.RECEIVER)
        sure &= (table[:, 3] == 0) | (kind_of != SymbolKind.PROPERTY)  # a field of another subclass may be meant as well
        tier = np.where(sure, Tier.LIKELY, Tier.POSSIBLE)
        use = np.where(kind_of == SymbolKind.PROPERTY, EdgeKind.ACCESS, EdgeKind.CALL)
        return {
            "source": sites["source"][at], "target": target, "kind": use, "tier": tier, "line": sites["line"][at],
            "column": sites["column"][at],
            "chain": np.where(table[:, 3] > 0, int(Step.DECLARED), int(Step.SELF)) | int(Step.DISPATCH) << 4,
        }, settled  # fmt: skip

    def members_for(self, hint: int, owner: int, source: int, name: int, is_call: int) -> list[int]:
        """The members that a site may mean, by the kind of its hint."""
        parent = self.parent
        if hint == HINT_SUPER:
            while source >= 0 and parent[source] != owner:
                source = parent[source]
            if source < 0 or self.symbols["name"][source] != name:
                return []
            return sorted(set(self.siblings[source]))
        if hint == HINT_SELF:
            members = self.named[name]
            if members and not is_call:
                members = [one for one in members if self.symbols["kind"][one] == SymbolKind.PROPERTY]
            related = self.related(owner) if members else frozenset()
            found = [one for one in members if parent[one] in related]
            if is_call and (holders := self.holders[name]):  # what subclasses put into a field of that name
                related = related or self.related(owner)
                held = {target for one in holders if parent[one] in related for target in self.held[one]}
                found = sorted({*found, *held})
            return found if len(found) <= MAX_BESIDE else []
        if hint == HINT_BELOW:
            below = set(self.below(owner)) if self.named[name] else set()
            found = [one for one in self.named[name] if parent[one] in below]
            if not is_call:
                found = [one for one in found if self.symbols["kind"][one] == SymbolKind.PROPERTY]
            return found if len(found) <= MAX_OVERRIDERS else []
        prefix, _, suffix = self.names[name].partition("*")
        if len(prefix) + len(suffix) < 3:
            return []
        members = sorted(member for one in self.related(owner) for member in self.methods_of[one])
        found_names = [self.names[row] for row in self.symbols["name"][members].tolist()]
        fitting = [
            member for member, text in zip(members, found_names, strict=True)
            if text.startswith(prefix) and text.endswith(suffix) and len(text) > len(prefix) + len(suffix)
        ]  # fmt: skip
        return fitting if len(fitting) <= MAX_LIKE else []

    # classes

    @cached_property
    def inherits(self) -> NDArray[Any]:
        """(base, class) of every class with a base in the project."""
        if self._known is not None:
            return self._known.inherits
        edges, kind = self.of_classes, self.symbols["kind"]
        rows = one_of(edges["kind"], (EdgeKind.INHERIT, EdgeKind.IMPLEMENT)) & one_of(kind[edges["target"]], CLASSES)
        rows &= one_of(kind[edges["source"]], CLASSES)
        return pairs_of(edges["target"][rows], edges["source"][rows])

    @cached_property
    def descendants(self) -> Grouped:
        """Class -> the classes that inherit from it, directly or not."""
        return heirs(self.inherits, self.size)

    def below(self, owner: int) -> list[int]:
        """The same of one class: of a few that is less work than of all."""
        return reached_from([owner], self._classes_of)[1:]

    def standing_in(self, owner: int) -> list[int]:
        """Protocol or type -> what meets it without naming it, and what that inherits members from."""
        return reached_from(self._meeting[owner], self._bases_of)

    @cached_property
    def _meeting(self) -> Grouped:
        protocol, its = (self.symbols["parent"][self.met[:, column]] for column in (0, 1))
        pairs = pairs_of(protocol, its)
        return Grouped(pairs[:, 0], pairs[:, 1], self.size)

    def related(self, owner: int) -> frozenset[int]:
        """Every class that `self` in a method of `owner` may have members of: it and its subclasses, with all that they inherit from."""
        known = self._related.get(owner)
        if known is None:
            below = reached_from([owner], self._classes_of)
            known = self._related[owner] = frozenset(reached_from(below, self._bases_of))
        return known

    @cached_property
    def _classes_of(self) -> Grouped:
        return Grouped(self.inherits[:, 0], self.inherits[:, 1], self.size)

    @cached_property
    def _bases_of(self) -> Grouped:
        return Grouped(self.inherits[:, 1], self.inherits[:, 0], self.size)

    @cached_property
    def _related(self) -> dict[int, frozenset[int]]:
        return {}

    @cached_property
    def parent(self) -> memoryview:
        return np.ascontiguousarray(self.symbols["parent"]).data

    @cached_property
    def methods_of(self) -> Grouped:
        """Class -> its methods and properties."""
        return Grouped(self.symbols["parent"][self.methods], self.methods, self.size)

    @cached_property
    def methods(self) -> Ints:
        return np.flatnonzero(one_of(self.symbols["kind"], METHODS))

    @cached_property
    def named(self) -> Grouped:
        """Name -> methods and properties of that name."""
        return Grouped(self.symbols["name"][self.methods], self.methods, len(self.names))

    # fields

    @cached_property
    def held(self) -> Grouped:
        """Field -> the functions and classes that it may hold."""
        if self._known is not None:
            return self._grouped(self._known.held)
        rows = self.by_super["kind"] == HINT_HELD
        return self._grouped(pairs_of(self.by_super["source"][rows], self.by_super["target"][rows]))

    @cached_property
    def holders(self) -> Grouped:
        """Name -> the fields of that name that hold something."""
        fields = distinct(self.held.key.astype(np.uint64)).astype(np.int64)
        return Grouped(self.symbols["name"][fields], fields, len(self.names))

    # what overrides what

    @cached_property
    def overriders(self) -> Grouped:
        """Method -> what overrides it, directly or not, and what meets it where it is one of a protocol."""
        if self._known is not None:
            return self._grouped(self._known.overriders)
        edges, kind = self.of_classes, self.symbols["kind"]
        rows = one_of(edges["kind"], (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT)) & ~one_of(kind[edges["target"]], CLASSES)
        closure = closed(pairs_of(edges["target"][rows], edges["source"][rows]))
        met = self.met[self.met[:, 2] == 0]
        if len(met):
            closure = unpacked(distinct(np.concatenate([packed(closure[:, 0], closure[:, 1]), packed(met[:, 0], met[:, 1])])))
        return self._grouped(closure)

    @cached_property
    def met(self) -> NDArray[Any]:
        """What meets methods of protocols and types that its class does not name, as `meeting` gives it."""
        if self._known is not None:
            return self._known.met
        return meeting(self.symbols, self.files, self.names, lambda: self.descendants)

    @cached_property
    def alike(self) -> Grouped:
        """Method of an interface or object type -> what meets it and does not name it. Such types are met by chance more often than what is
        declared a protocol: what is declared to override goes before, and these are never more than POSSIBLE."""
        return self._grouped(self.met[self.met[:, 2] == 1])

    def meets(self, wanted: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """What meets a method of a protocol, in the wanted files -> POSSIBLE edges to that, at its name: who asks for its users is led to
        the protocol's."""
        target, source, _ = self.met[wanted[self.symbols["file"][self.met[:, 1]]]].T
        if not len(source):
            return _none()
        return {
            "source": source, "target": target, "kind": np.full(len(source), EdgeKind.IMPLEMENT),
            "tier": np.full(len(source), Tier.POSSIBLE), "line": self.symbols["line"][source],
            "column": self.symbols["column"][source], "chain": np.full(len(source), MEETS),
        }  # fmt: skip

    # places and hints

    @cached_property
    def is_abstract(self) -> NDArray[np.bool_]:
        """Of every symbol: is it a method that only says that subclasses have it?"""
        says_nothing = (self.symbols["flags"] & SYMBOL_ABSTRACT) != 0
        found: NDArray[np.bool_] = says_nothing | self.of_a_type
        return found

    @cached_property
    def of_a_type(self) -> NDArray[np.bool_]:
        """Of every symbol: is it a member of an interface or an object type?"""
        parent = np.maximum(self.symbols["parent"], 0)
        return one_of(self.symbols["kind"][parent], (SymbolKind.INTERFACE, SymbolKind.TYPE))

    @cached_property
    def is_common(self) -> NDArray[np.bool_]:
        """Of every symbol: is it a method of a protocol that types of the library may meet too, such as `read`?"""
        found = np.zeros(self.size, bool)
        parent = np.maximum(self.symbols["parent"][self.methods], 0)
        rows = self.methods[(self.symbols["flags"][parent] & SYMBOL_PROTOCOL) != 0].tolist()
        found[[row for row in rows if self.names[self.symbols["name"][row]] in COMMON_MEMBERS]] = True
        return found

    @cached_property
    def may_vary(self) -> NDArray[np.bool_]:
        """Of every edge whose target something overrides or meets: may the receiver be of a subclass? It may if what says its class last is
        a declared type or `self`, not that it is made there."""
        rows = np.flatnonzero((self.number > 0) | (self.number_alike > 0))
        chain, kind, target = (self.edges[column][rows] for column in ("chain", "kind", "target"))
        origin = _origin(chain)
        is_open = np.zeros(len(rows), bool)
        through_super = np.zeros(len(rows), bool)
        for step in _steps(chain):
            is_open |= one_of(step, _OPEN_RECEIVER)
            through_super |= step == Step.SUPER
        varies = one_of(origin, (Step.SELF, Step.DECLARED)) | ((origin == 0) & is_open)
        # A getter may stand behind a field.
        read = (kind == EdgeKind.READ) & (self.of_a_type[target] | (self.symbols["kind"][target] == SymbolKind.FIELD))
        found = np.zeros(len(self.edges["chain"]), bool)
        found[rows] = varies & ~through_super & (one_of(kind, _RUNS) | read)
        return found

    @cached_property
    def place_of_edge(self) -> NDArray[np.uint64]:
        return place_key(self.edges["source"], self.edges["line"], self.edges["column"])

    @cached_property
    def place_of_hint(self) -> NDArray[np.uint64]:
        return place_key(self.hints["source"], self.hints["line"], self.hints["column"])

    @cached_property
    def receivers(self) -> NDArray[np.uint64]:
        """(place, class of a receiver), sorted."""
        rows = self.hints["kind"] == HINT_RECEIVER
        places, targets = self.place_of_hint[rows], self.hints["target"][rows].astype(np.uint64)
        order = np.lexsort((targets, places))
        pairs = np.stack([places[order], targets[order]], 1)
        return pairs[first_of_each(pairs)]

    def fits(self, places: NDArray[np.uint64], classes: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether some receiver at each place may be of each class."""
        starts = np.searchsorted(self.receivers[:, 0], places, "left")
        counts = np.searchsorted(self.receivers[:, 0], places, "right") - starts
        at = np.repeat(np.arange(len(places)), counts)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        receiver = self.receivers[starts[at] + offset, 1].astype(np.int64)
        known = [owner << 32 | one for owner in distinct(receiver).tolist() for one in [*self.below(owner), *self.standing_in(owner)]]
        fits = one_of(receiver << 32 | classes[at].astype(np.int64), np.array(known, np.int64))
        found = np.zeros(len(places), bool)
        found[at[fits]] = True
        return found

    @cached_property
    def siblings(self) -> Grouped:
        """Method -> the methods of classes beside its own that `super()` in it may run."""
        if self._known is not None:
            return self._grouped(self._known.siblings)
        hints = self.by_super
        left, right = (np.flatnonzero(hints["kind"] == kind) for kind in (HINT_FROM, HINT_NEXT))
        by_number = [rows[np.lexsort((hints["code"][rows], hints["source"][rows]))] for rows in (left, right)]
        return self._grouped(pairs_of(*(hints["target"][rows] for rows in by_number)))

    @property
    def relations(self) -> Relations:
        """Of the whole commit, for the next one."""
        if self._known is not None:
            return self._known
        overriders, held, siblings = (np.stack([one.key, one.value], 1) for one in (self.overriders, self.held, self.siblings))
        return Relations(self.inherits, overriders, held, siblings, self.met)

    def _grouped(self, pairs: NDArray[Any]) -> Grouped:
        return Grouped(pairs[:, 0], pairs[:, 1], self.size)

    def columns(self, at: Ints, target: Ints, tier: NDArray[Any], edges: Columns) -> dict[str, NDArray[Any]]:
        """Edges like those of rows `at`, to other targets, with the step DISPATCH."""
        chain = _dispatching(edges["chain"][at].astype(np.int64))
        return {
            "source": edges["source"][at], "target": target, "kind": edges["kind"][at], "tier": tier, "line": edges["line"][at],
            "column": edges["column"][at], "chain": chain,
        }  # fmt: skip


def heirs(inherits: NDArray[Any], size: int) -> Grouped:
    """(base, class) of classes -> class -> the classes that inherit from it, directly or not."""
    closure = closed(inherits)
    return Grouped(closure[:, 0], closure[:, 1], size)


def _steps(chain: NDArray[Any]) -> list[NDArray[Any]]:
    """Packed chains -> the first step of each, the second, ..."""
    return [(chain >> (4 * at)) & 15 for at in range(7)]


def _origin(chain: NDArray[Any]) -> NDArray[np.int64]:
    """Of packed chains the last step that says of what class the receiver is, 0 where it is inferred only."""
    found = np.zeros(len(chain), np.int64)
    for step in _steps(chain):
        found = np.where(one_of(step, _ORIGINS), step, found)
    return found


def _dispatching(chain: Ints, *, always: bool = False) -> Ints:
    """Packed chains with one more step, DISPATCH; a full one stays as it is, or `always` gets it as its last."""
    bits = np.zeros(len(chain), np.int64)
    for place in range(7):
        bits = np.where((chain >> (4 * place)) & 15, 4 * (place + 1), bits)
    if always:
        bits = np.minimum(bits, TIER_SHIFT - 4)
        chain = chain & ((1 << bits) - 1)
    return np.where(bits < TIER_SHIFT, chain | (int(Step.DISPATCH) << np.minimum(bits, TIER_SHIFT - 4)), chain)


def _as_access(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Edges that read a member and lead to an accessor now: these run it."""
    return found | {"kind": np.where(found["kind"] == EdgeKind.READ, EdgeKind.ACCESS, found["kind"]).astype(found["kind"].dtype)}


def place_key(source: NDArray[Any], line: NDArray[Any], column: NDArray[Any]) -> NDArray[np.uint64]:
    """A number for a place in a symbol; columns beyond 65,535 count as one."""
    symbol, row = source.astype(np.uint64), line.astype(np.uint64)
    key: NDArray[np.uint64] = symbol << np.uint64(36) | row << np.uint64(16) | np.minimum(column, 65535).astype(np.uint64)
    return key


def _none() -> dict[str, NDArray[Any]]:
    return {column: np.empty(0, np.int64) for column in ("source", "target", "kind", "tier", "line", "column", "chain")}
