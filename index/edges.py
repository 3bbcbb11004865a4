"""Links of all files, in the files' own terms -> the parts `edges` and `open` of a commit.

Most edges follow from one file's links. Those that hang on which classes and members there are (overrides as dispatch, members found by
name) follow from the links of one file and the classes of the commit. So of the commit before, the edges of a file still hold, rows
renumbered, where its links do, and no class or member is new or gone that its sites could mean: see `Before.holds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import field, some, where
from index.distinct import distinct, one_of
from index.languages.python.front import SYMBOL_ABSTRACT, SYMBOL_PROTOCOL, SYMBOL_SETTER
from index.parsing.names import Names
from index.resolver.closures import Grouped, first_of_each
from index.resolver.common import COMMON_MEMBERS, SCRIPT_MEMBERS
from index.resolver.dispatch import CLASSES, Dispatch, Relations, heirs, place_key
from index.resolver.link import HINT_FIELD, HINT_FROM, HINT_HELD, HINT_LIKE, HINT_NEXT, HINT_RECEIVER
from index.resolver.structural import MEMBERS, METHODS, REALMS, SCRIPTS, is_member, is_protocol, meeting
from index.resolver.values import CHAIN_MASK, TIER_SHIFT
from index.slices import ranges
from index.spliced import Late, row_runs
from index.types import EdgeKind, PathKind, Step, SymbolKind, Tier, Unresolved

Columns = Mapping[str, NDArray[Any]]
Ints = NDArray[np.int64]

MAX_CANDIDATES = 4  # a bare method name with more definitions than this says nothing

_EDGE_COLUMNS: dict[str, Any] = {
    "source": np.int32, "target": np.int32, "kind": np.uint8, "tier": np.uint8, "line": np.int32, "column": np.int32, "chain": np.int32,
}  # fmt: skip
_OPEN_COLUMNS: dict[str, Any] = {"source": np.int32, "name": np.int32, "line": np.int32, "column": np.int32, "reason": np.uint8}
_OF_CLASSES = (EdgeKind.INHERIT, EdgeKind.IMPLEMENT, EdgeKind.OVERRIDE)
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.LAMBDA)
_ORDER = (*_OF_CLASSES, HINT_FROM, HINT_NEXT, HINT_HELD)  # kinds of rows that say how classes stand to each other


@dataclass(frozen=True)
class Tree:
    """What edges are made of. base: first symbol row of every file, and of the one after the last. links: see `index.resolver.keep`,
    the last column of `loose` rows of `names`."""

    symbols: Columns
    files: Columns
    base: Ints
    names: Names
    links: Columns

    def symbols_of(self, files: NDArray[np.bool_]) -> Ints:
        """Rows of the symbols of some files."""
        rows = np.flatnonzero(files)
        return ranges(self.base[rows], self.base[rows + 1] - self.base[rows])

    @cached_property
    def row_of(self) -> Ints:
        """A file's number -> its row."""
        numbers = self.links["numbers"]
        found = np.full(int(numbers.max()) + 1 if len(numbers) else 0, -1, np.int64)
        found[numbers] = np.arange(len(numbers))
        return found


@dataclass(frozen=True)
class Before:
    """The commit before.

    classes: its part of that name. same: of every file its row there, if its links are the same, else -1.
    symbol: the row that each of its symbols has now, -1 where it is gone. name: likewise of names.
    """

    tree: Tree
    edges: Columns
    open: Columns
    classes: Columns
    same: Ints
    symbol: NDArray[np.int32]
    name: NDArray[np.int32]

    def holds(self, now: Tree) -> NDArray[np.bool_] | None:
        """Files whose edges are as they were. None: of none can that be said, or how classes stand to each other is not as it was."""
        if self.relations is None:
            return None
        same = self.same >= 0
        was = np.ones(len(self.tree.base) - 1, bool)
        was[self.same[same]] = False
        moved = self.symbol[self.tree.symbols_of(was)]
        moved = moved[moved >= 0]
        if (np.diff(moved) < 0).any():
            return None  # symbols of a file changed places, and edges are ordered by them
        if not np.array_equal(_order(self.tree, np.flatnonzero(was), self.symbol), _order(now, np.flatnonzero(~same), None)):
            return None
        names = self._members_that_differ(now, was, ~same)
        if names is None or not self._meet_the_same(now, was, ~same):
            return None
        if len(names):
            meant = np.zeros(len(now.names) + 1, bool)
            meant[names] = True
            same &= ~_files_with(np.flatnonzero(meant[field(now.links, "loose", 4)]), now.links["loose_offsets"])
            same &= ~_files_with(where(now.links, "edges", 3, (HINT_LIKE,)), now.links["edges_offsets"])
            called = where(now.links, "edges", 3, (HINT_FIELD,))
            edges = some(now.links, "edges", called)
            fields = now.base[now.row_of[edges[:, 1]]] + edges[:, 2]
            same &= ~_files_with(called[meant[now.symbols["name"][fields]]], now.links["edges_offsets"])
        return same

    def _members_that_differ(self, now: Tree, was: NDArray[np.bool_], new: NDArray[np.bool_]) -> Ints | None:
        """Names of the methods and properties that are new, gone, or of another class or kind. None: protocols are concerned, or a class
        has become something else."""
        before, after = self._members(self.tree, was, self.symbol, self.name), self._members(now, new, None, None)
        gone, fresh = _rows_only_in(before, after), _rows_only_in(after, before)
        differing = np.concatenate([gone, fresh])
        is_class = one_of(differing[:, 1], CLASSES)
        if (differing[:, 4] > 0).any() or (gone[one_of(gone[:, 1], CLASSES), 0] >= 0).any():
            return None
        names = distinct(np.concatenate([differing[~is_class, 2], self._fields_that_differ(now, was, new)]))
        return names[names >= 0]

    def _meet_the_same(self, now: Tree, was: NDArray[np.bool_], new: NDArray[np.bool_]) -> bool:
        """Do the same methods as before meet those of protocols and types? Asked where classes stand to each other as before."""
        relations = self.relations
        if relations is None:
            return False
        tables = []
        for tree, files, symbol, name in ((self.tree, was, self.symbol, self.name), (now, new, None, None)):
            kind, parent, rows = tree.symbols["kind"], tree.symbols["parent"], tree.symbols_of(files)
            rows = rows[one_of(kind[rows], MEMBERS) & (parent[rows] >= 0)]
            its: NDArray[Any] = rows
            parents, names = parent[rows], tree.symbols["name"][rows]
            if symbol is not None and name is not None:
                its, parents, names = symbol[its], symbol[parents], name[names]
            # The symbol too: of several members of one name and code, nobody can say which is which, and each of them meets something.
            tables.append(np.stack([its, parents, names, kind[rows]], 1).astype(np.int64))
        before, after = tables
        differing = np.concatenate([_rows_only_in(before, after), _rows_only_in(after, before)])[:, 2]
        if not len(differing):
            return True
        asked = np.zeros(len(now.names) + 1, bool)
        asked[self.name[_members_of_protocols(self.tree.symbols)]] = True  # a name that is gone is the last, which no member of now has
        asked[_members_of_protocols(now.symbols)] = True
        if not asked[differing].any():
            return True
        size = len(now.symbols["kind"])
        return np.array_equal(relations.met, meeting(now.symbols, now.files, now.names, lambda: heirs(relations.inherits, size)))

    @cached_property
    def relations(self) -> Relations | None:
        """How classes and their members stand to each other, if that is as it was. None: something of it is gone."""
        return Relations.of(self.classes).moved(self.symbol)

    def _fields_that_differ(self, now: Tree, was: NDArray[np.bool_], new: NDArray[np.bool_]) -> Ints:
        """Names of plain attributes of which some are new or gone: a property of that name may be meant by its name now, or no more."""
        found = []
        for tree, files in ((self.tree, was), (now, new)):
            rows = tree.symbols_of(files)
            found.append(tree.symbols["name"][rows[tree.symbols["kind"][rows] == SymbolKind.FIELD]].astype(np.int64))
        before, after = distinct(self.name[found[0]]), distinct(found[1])
        return np.concatenate([before[~one_of(before, after)], after[~one_of(after, before)]])

    @staticmethod
    def _members(tree: Tree, files: NDArray[np.bool_], symbol: NDArray[np.int32] | None, name: NDArray[np.int32] | None) -> Ints:
        """Classes and their methods in some files: row, kind, name, row of what holds them, whether a protocol is concerned, and whether
        a method is abstract."""
        symbols = tree.symbols
        rows = tree.symbols_of(files)
        rows = rows[one_of(symbols["kind"][rows], (*CLASSES, *METHODS))]
        parents, names = symbols["parent"][rows].astype(np.int64), symbols["name"][rows].astype(np.int64)
        is_class = one_of(symbols["kind"][rows], CLASSES)
        concerned = (symbols["flags"][np.maximum(parents, 0)] | np.where(is_class, symbols["flags"][rows], 0)) & SYMBOL_PROTOCOL != 0
        is_abstract = (symbols["flags"][rows] & SYMBOL_ABSTRACT) != 0
        table = np.stack([rows, symbols["kind"][rows], names, parents, concerned, is_abstract], 1).astype(np.int64)
        if symbol is not None and name is not None:
            table[:, 0] = symbol[table[:, 0]]
            table[:, 2] = name[table[:, 2]]
            table[:, 3] = np.where(table[:, 3] >= 0, symbol[table[:, 3]], -1)
        return table


def parts_of_edges(tree: Tree, before: Before | None) -> dict[str, Columns]:
    """The parts `edges` (resolved ones, those by name only, overrides as dispatch), `open` and `classes` (see `Relations`)."""
    holds = before.holds(tree) if before is not None else None
    if before is None or holds is None:
        edges, sites, relations = _made(tree, np.ones(len(tree.base) - 1, bool), None)
        return {"edges": edges, "open": sites, "classes": relations.columns()}
    taken = np.where(holds, before.same, -1)
    edges, sites, relations = _made(tree, ~holds, before.relations)
    renumbered = {"source": before.symbol, "target": before.symbol, "name": before.name}
    return {
        "edges": _joined(before.edges, edges, before.tree.base, tree.base, taken, renumbered, _EDGE_COLUMNS),
        "open": _joined(before.open, sites, before.tree.base, tree.base, taken, renumbered, _OPEN_COLUMNS),
        "classes": relations.columns(),
    }


def _joined(old: Columns, new: Columns, old_base: Ints, base: Ints, taken: Ints, renumbered: Columns, types: Mapping[str, Any]) -> Late:
    """Rows by source: of files with a row in `taken` the old ones, of the others the new ones; each column when it is asked for."""

    @cache
    def pieces() -> list[tuple[bool, slice]]:
        first_old, first_new = (  # of the column's own type, without which all of it is converted
            np.searchsorted(source, first.astype(source.dtype)) for source, first in ((old["source"], old_base), (new["source"], base))
        )
        found: list[tuple[bool, slice]] = []
        at = 0
        for a, b in [*row_runs(taken), (len(taken), len(taken))]:
            if a > at:
                found.append((False, slice(int(first_new[at]), int(first_new[a]))))
            if b > a:
                found.append((True, slice(int(first_old[taken[a]]), int(first_old[taken[b - 1] + 1]))))
            at = b
        return found

    def joined(column: str) -> NDArray[Any]:
        values, table, fresh = old[column], renumbered.get(column), new[column]
        if table is not None:
            values = table[values]
        parts = [values[rows] if is_old else fresh[rows] for is_old, rows in pieces()]
        return np.concatenate([np.empty(0, types[column]), *(part.astype(types[column], copy=False) for part in parts)])

    return Late({column: partial(joined, column) for column in types})


def _made(
    tree: Tree, wanted: NDArray[np.bool_], known: Relations | None
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]], Relations]:
    """Edges and open sites of the wanted files, and how classes stand to each other. Where that is not known, all are wanted."""
    table, of_row = _links_of(tree, wanted, ("edges", "late"))
    line, column = places(tree.files, of_row, table[:, 5])
    code = np.where(table[:, 4] & CHAIN_MASK, table[:, 4], table[:, 4] | int(Step.SCOPE))
    values = (
        table[:, 0] + tree.base[of_row],
        tree.base[tree.row_of[table[:, 1]]] + table[:, 2],
        table[:, 3],
        code >> TIER_SHIFT,
        line,
        column,
        code & CHAIN_MASK,
    )
    columns = {name: value.astype(_EDGE_COLUMNS[name]) for name, value in zip(_EDGE_COLUMNS, values, strict=True)}
    del line, column, code, values  # they take more memory than anything that is made here
    is_hint = table[:, 3] >= HINT_RECEIVER
    rows, others = np.flatnonzero(is_hint), np.flatnonzero(~is_hint)  # bools take twice the time
    hints = {name: value[rows] for name, value in columns.items()} | {"code": table[rows, 4]}
    del table
    for name in _EDGE_COLUMNS:
        columns[name] = columns[name][others]
    edges = sorted_edges(columns)
    del columns
    loose, of_row = _links_of(tree, wanted, ("loose",))
    line, column = places(tree.files, of_row, loose[:, 1])
    sites: dict[str, NDArray[Any]] = {
        "source": (loose[:, 0] + tree.base[of_row]).astype(np.int32),
        "name": loose[:, 4].astype(np.int32),
        "line": line.astype(np.int32),
        "column": column.astype(np.int32),
        "reason": loose[:, 3].astype(np.uint8),
        "is_call": loose[:, 2].astype(np.uint8),
    }
    among_classes = one_of(edges["kind"], _OF_CLASSES)
    classes = {name: edges[name][among_classes] for name in ("source", "target", "kind")}
    beside = _beside(tree) if known is None else {}
    dispatch = Dispatch(tree.symbols, tree.files, edges, hints, tree.names, classes, beside, known)
    # A site that arguments resolved after all is not open any more.
    place = place_key(sites["source"], sites["line"], sites["column"])
    settled = one_of(place, dispatch.place_of_edge) & ~one_of(place, dispatch.place_of_hint[hints["kind"] == HINT_LIKE])
    sites = {name: value[~settled] for name, value in sites.items()}
    guided, settled = dispatch.guided(sites)
    sites = {name: value[~settled] for name, value in sites.items()}
    by_name, still_open = edges_by_name(tree.symbols, tree.files, sites, tree.names, dispatch.overriders)
    meets = dispatch.meets(wanted)
    found = [edges | {"chain": dispatch.chains()}, guided, by_name, dispatch.dispatched(), dispatch.beside()]
    found += [dispatch.held_by_subclasses(), dispatch.dispatched_alike(), meets]
    whole = {name: np.concatenate([one[name] for one in found], dtype=dtype, casting="unsafe") for name, dtype in _EDGE_COLUMNS.items()}
    more = dispatch.left_open()
    left = {name: np.concatenate([sites[name][still_open], more[name].astype(dtype)]) for name, dtype in _OPEN_COLUMNS.items()}
    if len(more["source"]):  # by file, as the others are
        order = np.argsort(tree.symbols["file"][left["source"]], kind="stable")
        left = {name: values[order] for name, values in left.items()}
    return sorted_edges(whole), left, dispatch.relations


def _beside(tree: Tree) -> dict[str, NDArray[Any]]:
    """The hints of all files that say what `super()` may run, and what fields hold."""
    rows = where(tree.links, "edges", 3, (HINT_FROM, HINT_NEXT, HINT_HELD))
    of_row = np.searchsorted(tree.links["edges_offsets"], rows, "right") - 1
    owner, file, symbol, kind, code = (field(tree.links, "edges", number, rows).astype(np.int64) for number in range(5))
    return {"source": owner + tree.base[of_row], "target": tree.base[tree.row_of[file]] + symbol, "kind": kind, "code": code}


def _links_of(tree: Tree, wanted: NDArray[np.bool_], columns: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Rows of the wanted files in some columns of the links, and the row of the file that each belongs to."""
    tables, rows = [], []
    for column in columns:
        offsets = tree.links[f"{column}_offsets"]
        counts = np.diff(offsets)
        files = np.flatnonzero(wanted & (counts > 0))
        rows.append(np.repeat(files, counts[files]))
        total = int(counts[files].sum())
        asked = slice(0, total) if total == int(offsets[-1]) else ranges(offsets[:-1][files], counts[files])
        tables.append(some(tree.links, column, asked))
    return np.concatenate(tables, dtype=np.int64), np.concatenate(rows)


def _order(tree: Tree, files: Ints, symbol: NDArray[np.int32] | None) -> Ints:
    """How classes and their members stand to each other, by the links of some files: source, target, kind and number of hints, sorted."""
    wanted = np.zeros(len(tree.base) - 1, bool)
    wanted[files] = True
    table, of_row = _links_of(tree, wanted, ("edges", "late"))
    rows = one_of(table[:, 3], _ORDER)
    table, of_row = table[rows], of_row[rows]
    target = tree.base[tree.row_of[table[:, 1]]] + table[:, 2]
    source = table[:, 0] + tree.base[of_row]
    if symbol is not None:
        source, target = symbol[source], symbol[target]
    number = np.where(table[:, 3] >= HINT_FROM, table[:, 4], 0)
    found = np.stack([source, target, table[:, 3], number], 1)
    found = found[np.lexsort(found.T[::-1])]
    return found[first_of_each(found) | (found[:, 2] >= HINT_FROM)]


def _members_of_protocols(symbols: Columns) -> NDArray[Any]:
    """Rows of their names."""
    rows = np.flatnonzero(is_member(symbols) & is_protocol(symbols)[np.maximum(symbols["parent"], 0)])
    return np.asarray(symbols["name"][rows])


def _rows_only_in(table: Ints, other: Ints) -> Ints:
    """Rows of a table that another does not have."""
    have = {tuple(row) for row in other.tolist()}
    return np.array([row for row in table.tolist() if tuple(row) not in have], np.int64).reshape(-1, table.shape[1])


def _files_with(rows: Ints, offsets: Ints) -> NDArray[np.bool_]:
    """Which files have any of some rows of a column."""
    found = np.zeros(len(offsets) - 1, bool)
    found[np.searchsorted(offsets, rows, "right") - 1] = True
    return found


def places(files: Columns, row: Ints, start: Ints) -> tuple[Ints, Ints]:
    """File rows and bytes -> line and column (in bytes), both from 1."""
    at = files["line_starts_offsets"]
    wanted = np.zeros(len(at) - 1, bool)
    wanted[row] = True
    which = np.flatnonzero(wanted)
    counts = np.diff(at)[which]
    keys = np.repeat(which << 32, counts)
    keys |= some(files, "line_starts", ranges(at[which], counts))
    first = np.zeros(len(at) - 1, np.int64)  # of each wanted file, its first line among the keys
    first[which] = np.cumsum(counts) - counts
    found = np.searchsorted(keys, row << 32 | start, "right") - 1
    return found - first[row] + 1, start - (keys[found] & 0xFFFFFFFF) + 1


def sorted_edges(edges: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """By (source, line, column, target, kind), the best tier of each kept."""
    place = place_key(edges["source"], edges["line"], edges["column"])
    order = np.argsort(place, kind="stable")  # takes next to nothing for what is in order already, as most of it is
    ordered = place[order]
    again = ordered[1:] == ordered[:-1]
    shared = np.flatnonzero(np.r_[again, False] | np.r_[False, again]) if len(order) else order
    rows = order[shared]
    keys = ("chain", "tier", "kind", "target", "column")
    rows = rows[np.lexsort((*(edges[column][rows] for column in keys), ordered[shared]))]
    order[shared] = rows
    kept = np.ones(len(order), bool)  # alone at its place, or the first of those that are the same but for tier and chain
    fresh = first_of_each(place[rows])
    for column in ("column", "target", "kind"):
        fresh |= first_of_each(edges[column][rows])
    kept[shared] = fresh
    order = order[kept]
    return {column: values[order] for column, values in edges.items()}


def edges_by_name(
    symbols: Columns, files: Columns, sites: Mapping[str, NDArray[Any]], names: Names, overriders: Grouped
) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """Members read from something unknown -> POSSIBLE edges to the few members of that name, and which sites stay open.

    A member of another language is out of reach: `this.pin` in a script is not the property of a Python class that serves it.
    Calls may mean any method, other reads only properties, and these only where no class has a plain field of that name. Of what overrides
    each other the base stands for all, its edges ending with the step DISPATCH (`index.resolver.open_calls`). Names of the built-in types'
    own methods are left alone, and what stands in a test is out of others' sight.
    """
    realms = REALMS[files["language"]].astype(np.int64)
    size = len(names) * (int(REALMS.max()) + 1)

    def key(rows: NDArray[Any], name: NDArray[Any]) -> Ints:
        """Names in each realm are numbers of their own."""
        found: Ints = realms[symbols["file"][rows]] * len(names) + name
        return found

    def named(of_kind: int, wanted: NDArray[Any]) -> Ints:
        """Symbols of a kind that have any of these names."""
        is_wanted = np.zeros(len(names), bool)
        is_wanted[wanted] = True
        rows = np.flatnonzero(kind == of_kind)
        return rows[is_wanted[symbols["name"][rows]]]

    kind = symbols["kind"]
    wanted_name = key(sites["source"], sites["name"])
    reason = sites["reason"] == Unresolved.RECEIVER
    is_common = reason & one_of(wanted_name, _common(distinct(wanted_name[reason]), names))
    is_call = sites["is_call"] == 1
    edges: dict[str, list[NDArray[Any]]] = {column: [] for column in _EDGE_COLUMNS}
    still_open = (is_call | one_of(sites["reason"], (Unresolved.MISSING, Unresolved.DYNAMIC))) & ~is_common
    stands_for_all = np.ones(len(kind), bool)
    stands_for_all[overriders.value[one_of(kind[overriders.key], METHODS)]] = False  # a field of a type has no name to be called by
    for wanted, of_kind in ((is_call, SymbolKind.METHOD), (~is_call, SymbolKind.PROPERTY)):
        rows = np.flatnonzero(wanted & reason & ~is_common)
        asked = np.zeros(size, bool)
        asked[wanted_name[rows]] = True
        if of_kind == SymbolKind.PROPERTY:
            fields = named(SymbolKind.FIELD, sites["name"][rows])
            asked[key(fields, symbols["name"][fields])] = False
        members = named(of_kind, sites["name"][rows])
        members = members[stands_for_all[members]]
        name = key(members, symbols["name"][members])
        meant = asked[name]
        if of_kind == SymbolKind.PROPERTY:
            meant &= (symbols["flags"][members] & SYMBOL_SETTER) == 0
        members, name = members[meant], name[meant]
        by_name = np.argsort(name, kind="stable")
        order, name = members[by_name], name[by_name]
        first = np.searchsorted(name, wanted_name[rows], "left")
        repeat = np.searchsorted(name, wanted_name[rows], "right") - first
        few = (repeat > 0) & (repeat <= MAX_CANDIDATES)
        rows, first, repeat = rows[few], first[few], repeat[few]
        at = np.repeat(rows, repeat)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
        target = order[np.repeat(first, repeat) + offset]
        seen = _in_sight(symbols, files, sites["source"][at], target)
        at, target = at[seen], target[seen]
        is_base = overriders.counts(target) > 0
        values = (
            sites["source"][at],
            target,
            np.full(len(at), EdgeKind.CALL if wanted is is_call else EdgeKind.ACCESS),
            np.full(len(at), Tier.POSSIBLE),
            sites["line"][at],
            sites["column"][at],
            np.where(is_base, int(Step.ATTRIBUTE) | int(Step.DISPATCH) << 4, int(Step.ATTRIBUTE)),
        )
        for column, value in zip(_EDGE_COLUMNS, values, strict=True):
            edges[column].append(value.astype(_EDGE_COLUMNS[column]))
    return {column: np.concatenate(values) for column, values in edges.items()}, still_open


def _common(keys: Ints, names: Names) -> Ints:
    """Of names, each in a realm (distinct): those that methods of the language's own types have."""
    library = {1: COMMON_MEMBERS, SCRIPTS: SCRIPT_MEMBERS}
    found = [key for key in keys.tolist() if names[key % len(names)] in library.get(key // len(names), ())]
    return np.array(found, np.int64)


def _in_sight(symbols: Columns, files: Columns, source: Ints, target: Ints) -> NDArray[np.bool_]:
    """Pairs of symbols -> whether the first may have met the second, which it knows by name alone: what stands in a test stays with the
    tests, what stands inside one of their functions in its file, and what was built of the code with itself."""
    is_test, is_built = files["kind"] == PathKind.TEST, files["kind"] == PathKind.BUILD
    is_made = is_built | (files["kind"] == PathKind.GENERATED)
    of_source, of_target = symbols["file"][source].astype(np.int64), symbols["file"][target].astype(np.int64)
    parent, is_inner = symbols["parent"][target].astype(np.int64), np.zeros(len(target), bool)
    while (parent > 0).any():
        is_inner |= (parent >= 0) & one_of(symbols["kind"][parent], _FUNCTIONS)
        parent = np.where(parent >= 0, symbols["parent"][parent].astype(np.int64), parent)
    found: NDArray[np.bool_] = ~is_test[of_target] | (is_test[of_source] & ~is_inner)
    found &= ~is_made[of_source] & ~is_built[of_target]
    found |= of_source == of_target
    return found
