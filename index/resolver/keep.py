"""What linking gave each file -> columns that are kept with a snapshot, and back, moved to the next commit.

Everything is kept in the file's own terms: places as bytes, targets as (file number, symbol of that file), values as in
`index.resolver.values`. A file keeps its number from commit to commit; in a changed file symbols move, and `Move` says where
to. A file whose links name something that is gone is linked anew.

Every column has `<name>_offsets`: the rows (or bytes) of file row r are column[offsets[r] : offsets[r + 1]].

    linked          u1[files]   whether the file was linked
    numbers         i8[files]   its number
    edges           i4[n, 6]    owner, target file, target symbol, EdgeKind, code, start
    loose           i4[n, 5]    owner, start, is a call, Unresolved, row of the snapshot's names: sites that stay open
    facts           u4          keys of what was looked at while linking, see `index.resolver.gateways`
    passed          u1          JSON: what its calls pass, its sites that hang on arguments, and as text `Linked.places`
    late            i4[n, 6]    edges of those sites
    late_facts      u4          keys of what they looked at, arguments too
    late_passed     u1          JSON: what their calls pass, by round, and the nodes that do
    solved          u1          JSON: what the parameters of its functions were from step to step
    solved_facts    u4          keys of what was looked at for that
    targets, late_targets  i4   numbers of the files to whose parameters `passed` and `late_passed` pass something
    mentions        i4          numbers of all files that the JSON names
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from librt.vecs import vec
from mypy_extensions import i32
from numpy.typing import NDArray

from index.at_rest import field as field_of
from index.at_rest import some, where
from index.distinct import distinct, fresh, one_of, union
from index.numbers import EdgeKind
from index.parsing.facts import Facts
from index.parsing.names import Names
from index.resolver import values as v
from index.resolver.fingerprints import Span
from index.resolver.gateways import Seen
from index.resolver.generics import TYPEVAR
from index.resolver.link import HINT_FROM, HINT_HELD, HINT_NEXT, Linked, Standing, numbers
from index.resolver.values import Value, Values
from index.slices import ranges
from index.spliced import Led, Spliced

Int32s = NDArray[np.int32]
Ints = NDArray[np.int64]
Flow = tuple[int, Value, Values, int]  # round, parameter, what is passed, the node that passes it
Edge = tuple[int, int, int, int, int, int]  # owner, target file, target symbol, EdgeKind, code, node
Trajectory = list[tuple[int, Values | None]]  # (step, what the parameter may be from then on); None: too much
Columns = Mapping[str, NDArray[Any]]
Behind = Callable[[Sequence[list[Seen]]], list[NDArray[np.uint32]]]  # see `index.resolver.gateways.Gateways.facts_behind`

_WIDTHS = {"edges": 6, "late": 6, "loose": 5}
_TYPES: dict[str, Any] = {
    "edges": np.int32, "late": np.int32, "loose": np.int32, "targets": np.int32, "late_targets": np.int32, "mentions": np.int32,
    "facts": np.uint32, "late_facts": np.uint32, "solved_facts": np.uint32, "passed": np.uint8, "late_passed": np.uint8, "solved": np.uint8,
}  # fmt: skip
_JSON = ("passed", "late_passed", "solved")


def empty(column: str) -> NDArray[Any]:
    """No rows of a column."""
    return np.empty((0, _WIDTHS[column]) if column in _WIDTHS else 0, _TYPES[column])


# one file


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Columns of one file by name, those that are missing unchanged (or empty); and the names of its open sites, for `loose`."""

    columns: Mapping[str, NDArray[Any]]
    names: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> NDArray[Any]:
        found = self.columns.get(column)
        return empty(column) if found is None else found


def edges_of(start: Int32s, found: Iterable[vec[i32]]) -> Int32s:
    """The edges that a linker found in a file, nodes as bytes; by owner and place, so that those of all files are nearly in order."""
    tables = [as_rows(edges, 6) for edges in found if edges]
    return _edges_of_files([start], [np.concatenate(tables)]) if tables else empty("edges")


def _edges_of_files(starts: Sequence[Int32s], found: Sequence[Int32s]) -> Int32s:
    """The same of many files, one after the other."""
    table, file, place = _placed(starts, found, 5)
    table[:, 5] = place
    return table[np.lexsort((place, (file << 32) + table[:, 0]))]


def _placed(starts: Sequence[Int32s], found: Sequence[Int32s], column: int) -> tuple[Int32s, Ints, Int32s]:
    """Rows of some files, one after the other; of each which file it is of, and the byte of the node in a column."""
    places = [start[rows[:, column]] for start, rows in zip(starts, found, strict=True)]
    return np.concatenate(found), np.arange(len(found)).repeat([len(rows) for rows in found]), np.concatenate(places)


def as_rows(flat: vec[i32] | list[int], width: int) -> Int32s:
    """What a linker found, number after number."""
    found = np.fromiter(flat, np.int32, len(flat)) if isinstance(flat, list) else np.frombuffer(memoryview(flat), np.int32)
    return found.reshape(-1, width)


def _open_sites(starts: Sequence[Int32s], found: Sequence[Linked]) -> tuple[Int32s, list[int], list[str]]:
    """The sites of some files that stay open, as in `loose`, each once, in order; how many each file has; and their names."""
    table, file, place = _placed(starts, [as_rows(one.loose, 4) for one in found], 1)
    names = [name for one in found for name in one.names]
    where_to, what = (file << 32) + table[:, 0], (place.astype(np.int64) << 32) + (table[:, 2] << 8) + table[:, 3]
    order = np.lexsort((what, where_to))
    if not (
        fresh(where_to[order]) | fresh(what[order])
    ).all():  # several names at one place, which happens now and then, or a site that was told twice
        rank = {name: number for number, name in enumerate(sorted(set(names)))}
        of_name = np.array([rank[name] for name in names])
        order = np.lexsort((of_name, what, where_to))
        order = order[fresh(where_to[order]) | fresh(what[order]) | fresh(of_name[order])]
    counts = np.bincount(file[order], minlength=len(found))
    table = table[order]
    nth = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    loose = np.column_stack([table[:, 0], place[order], table[:, 2:], nth]).astype(np.int32)
    return loose, counts.tolist(), [sys.intern(names[at]) for at in order.tolist()]  # most are names of the file, there before linking


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """What linking one file gave. start: where its nodes begin. stood: keys of what was looked at for what stands as it was."""

    start: Int32s
    linked: Linked
    stood: NDArray[np.uint32]


def links_of(
    files: Sequence[LinkedFile],
    behind: Behind,
    put: Callable[[Sequence[NDArray[Any]]], Sequence[NDArray[Any]]] = lambda arrays: arrays,
) -> list[FileLinks]:
    """What linking gave each of some files -> its columns. The last one of `loose` is a row of `names` until the snapshot has names.

    The columns of a file are slices of those of all: made and put aside (`put`) together they take a third of the time."""
    starts, found = [one.start for one in files], [one.linked for one in files]
    facts = [
        union(seen, one.stood) if len(one.stood) else seen for one, seen in zip(files, behind([one.seen for one in found]), strict=True)
    ]
    loose, open_sites, names = _open_sites(starts, found)
    targets = [sorted({parameter[1] for parameter, _ in one.flows}) for one in found]
    passed = [passed_as_json(one) for one in found]
    made: tuple[NDArray[Any], ...] = (
        _edges_of_files(starts, [as_rows(one.edges, 6) for one in found]),
        loose,
        np.concatenate(facts),
        np.array(list(chain.from_iterable(targets)), np.int32),
        as_bytes(b"".join(passed)),
    )
    columns = dict(zip(_OF_FILE, put(made), strict=True))
    edges = [len(one.edges) // 6 for one in found]
    counts = (edges, open_sites, *([len(rows) for rows in column] for column in (facts, targets, passed)))
    ends = {column: np.cumsum([0, *sizes]).tolist() for column, sizes in zip(_OF_FILE, counts, strict=True)}
    return [
        FileLinks(
            {column: values[ends[column][at] : ends[column][at + 1]] for column, values in columns.items()},
            tuple(names[ends["loose"][at] : ends["loose"][at + 1]]),
        )
        for at in range(len(files))
    ]


_OF_FILE = ("edges", "loose", "facts", "targets", "passed")


def as_bytes(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text, np.uint8)


def mentioned(texts: Iterable[bytes]) -> Int32s:
    """Numbers of the files that values in JSON name."""
    return np.array(sorted(map(int, set(_FILE.findall(b"\n".join(texts))))), np.int32)


_TEXT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_FILE = re.compile(rb"\[-?\d+,(\d{1,9})(?=[,\]])")  # a text may look like a value, and say any number


# values as JSON


def passed_as_json(linked: Linked) -> bytes:
    if not linked.flows and not linked.later:
        return b""
    flows = [(parameter, list(values.items())) for parameter, values in linked.flows]
    later = [(node, sorted(roots)) for node, roots in linked.later]
    return _json([flows, later, " ".join(f"{node}:{count}" for node, count in linked.places)])


def flows_as_json(flows: Sequence[Flow]) -> bytes:
    return _json([(step, parameter, list(values.items()), node) for step, parameter, values, node in flows]) if flows else b""


def solved_as_json(solved: Mapping[Value, Trajectory]) -> bytes:
    """Trajectories of one file's parameters."""
    if not solved:
        return b""

    def steps(trajectory: Trajectory) -> list[tuple[int, list[tuple[Value, int]] | None]]:
        return [(step, None if found is None else list(found.items())) for step, found in trajectory]

    return _json([(parameter, steps(solved[parameter])) for parameter in sorted(solved)])


def _json(rows: Any) -> bytes:
    return _encoded(rows).encode()


_encoded = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # tuples hold nothing that holds them


def _tuple(value: Any) -> Any:
    return tuple(_tuple(one) for one in value) if isinstance(value, list) else value


class Gone(Exception):
    """A value or target that the next commit does not have."""


@dataclass(frozen=True)
class Move:
    """From the commit before to the next. Files keep their numbers. `symbols`: for changed and deleted files the new symbol of
    each old one, -1 where it is gone (deleted files: all of them); other files keep theirs. `nodes`: for changed files a function
    from an old node to the same one now, -1 where it is gone."""

    symbols: Mapping[int, NDArray[np.int64]]
    nodes: Mapping[int, Callable[[int], int]] = field(default_factory=dict)

    def value(self, value: Sequence[Any]) -> Value:
        """A value as JSON has it (lists) or as it was -> moved. Raises Gone."""
        tag = value[0]
        if tag in _OF_SYMBOL:
            file, symbol = value[1], value[2]
            if symbol < 0:  # a type parameter of a signature without a symbol: the node, negative
                symbol = -self._node(file, -symbol)
            elif (table := self._tables.get(file)) is not None:
                symbol = table[symbol] if symbol < len(table) else -1
                if symbol < 0:
                    raise Gone
            return (tag, file, symbol) if len(value) == 3 else (tag, file, symbol, *map(self._inner, value[3:]))
        if tag == v.CONTAINER:
            return (tag, value[1], self._node(value[1], value[2]), *map(self._inner, value[3:]))
        if tag == v.MODULE:
            symbols = self.symbols.get(value[1])
            if symbols is not None and not (symbols >= 0).any():
                raise Gone
            return tuple(value)
        return (tag, *map(self._inner, value[1:]))

    @cached_property
    def _tables(self) -> Mapping[int, list[int]]:
        """`symbols`: of a list a number is had in a fourth of the time."""
        return {file: table.tolist() for file, table in self.symbols.items()}

    def _node(self, file: int, node: int) -> int:
        if file in self.symbols:
            moved = self.nodes.get(file)
            node = moved(node) if moved is not None else -1
            if node < 0:
                raise Gone
        return node

    def _inner(self, item: Any) -> Any:
        if not isinstance(item, list | tuple):
            return item
        if item and not isinstance(item[0], list | tuple):
            return self.value(item)
        return tuple(map(self._inner, item))

    def values(self, rows: Sequence[Sequence[Any]]) -> Values:
        """[[value, code], ...] -> values. Raises Gone."""
        return {self.value(value): code for value, code in rows}

    def passed(self, data: bytes) -> Linked:
        """A `Linked` with only flows, their places and sites put off, nodes as they were. Raises Gone."""
        linked = Linked()
        if data:
            flows, later, places = json.loads(data)
            linked.places = [(int(node), int(count)) for node, _, count in (one.partition(":") for one in places.split())]
            linked.flows = [(self.value(parameter), self.values(values)) for parameter, values in flows]
            linked.later = [(node, frozenset(self.value(root) for root in roots)) for node, roots in later]
        return linked

    def flows(self, data: bytes) -> list[Flow]:
        """Raises Gone."""
        rows = json.loads(data) if data else []
        return [(step, self.value(parameter), self.values(values), node) for step, parameter, values, node in rows]

    def solved(self, data: bytes) -> dict[Value, Trajectory]:
        """Raises Gone."""
        return {self.value(parameter): self.trajectory(steps) for parameter, steps in json.loads(data)} if data else {}

    def trajectory(self, steps: Sequence[Sequence[Any]]) -> Trajectory:
        """Raises Gone."""
        return [(step, None if found is None else self.values(found)) for step, found in steps]

    def json(self, column: str, data: bytes) -> bytes:
        """A JSON column of a file, moved. Raises Gone."""
        if self._named.search(data) is None:
            return data
        if not any(b"[" in text for text in _TEXT.findall(data)):
            return self._named.sub(self._moved, data)  # values are found by how they are written; a text may look like one
        if column == "passed":
            return passed_as_json(self.passed(data))
        return flows_as_json(self.flows(data)) if column == "late_passed" else solved_as_json(self.solved(data))

    @cached_property
    def _named(self) -> re.Pattern[bytes]:
        """How values that name something in these files begin: of files whose symbols stay where they are only those that name a node."""
        moved = b"|".join(b"%d" % file for file in self.symbols if file not in self.in_place)
        parts = [rb"(-?\d+),(%s)" % moved] if moved else []
        if in_place := b"|".join(b"%d" % file for file in self.in_place):
            parts.append(rb"(%d|%d),(%s)" % (v.CONTAINER, TYPEVAR, in_place))
        return re.compile(rb"\[(?:%s)(?:,(-?\d+))?(?=[,\]])" % b"|".join(parts))

    @cached_property
    def in_place(self) -> frozenset[int]:
        """Files whose old symbols all have the number that they had."""
        return frozenset(file for file, table in self.symbols.items() if np.array_equal(table, np.arange(len(table))))

    def _moved(self, found: re.Match[bytes]) -> bytes:
        named = [int(one) for one in found.groups() if one is not None]
        if named[0] not in _NAMING:
            return found[0]
        value = self.value(named)
        return b"[" + b",".join(b"%d" % one for one in value)

    def targets(self, columns: Columns, name: str) -> tuple[Ints, Int32s]:
        """A table of edges -> the rows of it that lead to a symbol of another number now, and these, -1 where it is gone."""
        moving = sorted(self.symbols.keys() - self.in_place)
        if not moving:
            return np.empty(0, np.int64), np.empty(0, np.int32)
        rows = where(columns, name, 1, moving)
        files, symbols = (field_of(columns, name, number, rows) for number in (1, 2))
        found = np.full(len(rows), -1, np.int32)
        for file in distinct(files).tolist():
            after = self.symbols[file]
            at = np.flatnonzero((files == file) & (symbols < len(after)))
            found[at] = after[symbols[at]]
        other = found != symbols
        return rows[other], found[other]


_OF_SYMBOL = frozenset({v.FUNCTION, v.CLASS, v.INSTANCE, v.SELF, v.SELF_CLASS, v.METHOD, v.SUPER, v.GENERATOR, v.PARAM, TYPEVAR})
_NAMING = _OF_SYMBOL | {v.MODULE, v.CONTAINER}


# all files


@dataclass(frozen=True, slots=True)
class StandingSites:
    """Of a changed file what the sites gave that hang on arguments, of the functions that stand as they were: those inside. facts: keys of
    what all its sites looked at."""

    inside: NDArray[np.bool_]
    edges: vec[i32]
    flows: list[Flow]
    facts: NDArray[np.uint32]


class Kept:
    """The columns of the commit before, by row of its files, with everything moved to the next one.

    gone: rows of files whose edges or what they pass name something that is gone. unsettled: the same for what hangs on arguments.
    """

    def __init__(self, columns: Columns, move: Move) -> None:
        self.columns, self.move = Led(columns, {name: move.targets(columns, name) for name in ("edges", "late")}), move
        self._numbers = columns["numbers"]
        self._passed: dict[int, Linked] = {}  # of those that were asked for
        self._ahead: dict[tuple[str, int], NDArray[Any]] = {}
        self._order = np.argsort(self._numbers, kind="stable")
        self.moved: dict[int, dict[str, NDArray[Any]]] = {}  # row -> its JSON columns that changed
        self.gone: set[int] = set()
        self.unsettled: set[int] = set()
        self.standing_sites: dict[int, StandingSites] = {}  # by number of the file
        self.different: dict[str, dict[int, NDArray[Any]]] = {}  # column -> by row of the next commit, what is not as it was: see `table`
        for column, rows in (("edges", self.gone), ("late", self.unsettled)):
            if column in self.columns.targets:
                at, symbols = self.columns.targets[column]
                rows.update(self.rows(column, at[symbols < 0]).tolist())
        mentioning = np.array(self.rows_with("mentions", move.symbols), np.int64)
        for column, rows in (("passed", self.gone), ("late_passed", self.unsettled), ("solved", self.unsettled)):
            self._move(column, mentioning, rows)

    def _move(self, column: str, mentioning: Ints, gone: set[int]) -> None:
        """JSON of the files that name others of which symbols have moved. gone: rows of those that name what is gone are put there."""
        offsets = self.columns[f"{column}_offsets"]
        firsts, lasts = offsets[mentioning].tolist(), offsets[mentioning + 1].tolist()
        for row, first, last in zip(mentioning.tolist(), firsts, lasts, strict=True):
            if first == last:
                continue
            text = some(self.columns, column, slice(first, last)).tobytes()
            try:
                made = self.move.json(column, text)
            except Gone:
                gone.add(row)
                continue
            if made != text:
                self.moved.setdefault(row, {})[column] = as_bytes(made)

    def row_of(self, number: int) -> int | None:
        """A file's row in the commit before; None where it had none."""
        at = int(np.searchsorted(self._numbers, number, sorter=self._order))
        row = int(self._order[at]) if at < len(self._order) else -1
        return row if row >= 0 and self._numbers[row] == number else None

    def read_ahead(self, rows: Ints) -> None:
        """Files of which `standing` will be asked: their rows of tables are read together, which takes a fraction of the time."""
        for column in _WIDTHS:
            offsets = self.columns[f"{column}_offsets"]
            counts = np.diff(offsets)[rows]
            ends = np.cumsum(counts).tolist()
            table = some(self.columns, column, ranges(offsets[:-1][rows], counts))
            for row, first, last in zip(rows.tolist(), [0, *ends], ends, strict=False):
                self._ahead[column, row] = table[first:last]

    def part(self, column: str, row: int) -> NDArray[Any]:
        """A file's rows of a column, as they were."""
        known = self._ahead.get((column, row))
        if known is not None:
            return known
        first, last = self.columns[f"{column}_offsets"][row : row + 2].tolist()
        return some(self.columns, column, slice(first, last)) if last > first else empty(column)

    def moved_part(self, column: str, row: int) -> NDArray[Any]:
        """A file's rows of a column, as they are now; none for row -1."""
        if row < 0:
            return empty(column)
        found = self.moved.get(row, {}).get(column)
        return self.part(column, row) if found is None else found

    def standing(self, row: int, spans: Sequence[Span], facts: Facts, facts_before: Facts, names: Names) -> Standing:
        """Of a changed file what linking gave for what stands. facts: now, and before. names: those of the snapshot before. Raises Gone."""
        starts, starts_before = facts["start"], facts_before["start"]
        number = int(self._numbers[row])
        symbols, linked = self.move.symbols[number].tolist(), Linked()
        inside = np.zeros(len(starts), bool)
        moved = np.full(len(starts_before), -1, np.int64)
        for before, now, size in spans:
            inside[now : now + size] = True
            moved[before : before + size] = np.arange(now, now + size)
        stay = np.flatnonzero(moved >= 0)
        stay = stay[np.argsort(starts_before[stay], kind="stable")]
        starts_of, nodes_of = starts_before[stay], moved[stay]
        node_now = moved.tolist()

        def nodes_at(starts: NDArray[Any]) -> list[int]:
            """The innermost node that begins at each place, -1 where none stands."""
            at = np.searchsorted(starts_of, starts, "right") - 1
            found = np.where((at >= 0) & (starts_of[at] == starts), nodes_of[at], -1) if len(stay) else np.full(len(starts), -1)
            return list(found.tolist())

        def edges(table: NDArray[Any]) -> Iterator[Edge]:
            for (owner, file, symbol, kind, code, _), node in zip(table.tolist(), nodes_at(table[:, 5]), strict=True):
                if node >= 0 and kind not in _OF_FILES:
                    yield _still(symbols, owner), file, symbol, kind, code, node

        table = self.part("edges", row)
        of_members = table[one_of(table[:, 3], _OF_MEMBERS)]
        of_classes, again = self._of_classes(of_members.tolist(), nodes_at(of_members[:, 5]), symbols, node_now, facts, facts_before)
        for edge in chain(edges(table), of_classes):
            linked.add_edge(*edge)
        sites = self.part("loose", row)
        for (owner, _, is_call, reason, name), node in zip(sites.tolist(), nodes_at(sites[:, 1]), strict=True):
            if node >= 0:
                linked.leave_open(_still(symbols, owner), names[name], node, bool(is_call), reason)
        passed = self.passed(row)
        linked.later = [(node_now[node], roots) for node, roots in passed.later if node_now[node] >= 0]
        first = 0
        for place, last in passed.places:
            if node_now[place] >= 0:
                linked.flows += passed.flows[first:last]
                linked.places.append((node_now[place], len(linked.flows)))
            first = last
        if row not in self.unsettled:
            late = self.move.flows(self.part("late_passed", row).tobytes())
            flows = [(step, parameter, values, node_now[node]) for step, parameter, values, node in late if node_now[node] >= 0]
            self.standing_sites[number] = StandingSites(
                inside, numbers(chain.from_iterable(edges(self.part("late", row)))), flows, self.part("late_facts", row)
            )
        return Standing(inside, linked, again)

    def _of_classes(
        self,
        rows: Sequence[Sequence[int]],
        at: Sequence[int],
        symbols: Sequence[int],
        node_now: Sequence[int],
        facts: Facts,
        facts_before: Facts,
    ) -> tuple[list[Edge], frozenset[int]]:
        """Of the classes whose heads stand what their members stand in for, and what their fields hold; and those of them of which the
        latter has to be looked at again, since it stands in something that changed. at: the node of each row, -1 where it does not stand.
        Raises Gone."""
        parents, nodes_before, nodes = facts_before["symbol_parent"], facts_before["symbol_node"], facts["symbol_node"]
        found: list[Edge] = []
        again: set[int] = set()
        held: list[tuple[int, Edge]] = []
        for (owner, file, symbol, kind, code, _), node in zip(rows, at, strict=True):
            of = int(parents[owner])
            if node_now[int(nodes_before[of])] < 0:
                continue
            mine = _still(symbols, owner)
            if kind != HINT_HELD:
                found.append((mine, file, symbol, kind, code, int(nodes[mine]) + 1))
            elif node >= 0:
                held.append((symbols[of], (mine, file, symbol, kind, code, node)))
            else:
                again.add(symbols[of])
        return found + [edge for of, edge in held if of not in again], frozenset(again)

    def open_names(self, stay: Ints, used: NDArray[np.bool_]) -> Int32s:
        """Rows of the files whose open sites stay as they are, -1: none; the names of these sites are marked -> rows of the names of all
        others."""
        offsets, names = self.columns["loose_offsets"], field_of(self.columns, "loose", 4)
        left = offsets[1:] > offsets[:-1]
        left[stay[stay >= 0]] = False
        first = 0
        rows = np.flatnonzero(left)
        for begin, end in zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True):
            used[names[first:begin]] = True
            first = end
        used[names[first:]] = True
        others: Int32s = names[ranges(offsets[rows], offsets[rows + 1] - offsets[rows])]
        return others

    def passed(self, row: int) -> Linked:
        """What the calls of a file passed: see `Move.passed`. Raises Gone."""
        found = self._passed.get(row)
        if found is None:
            found = self._passed[row] = self.move.passed(self.part("passed", row).tobytes())
        return found

    def text(self, column: str, row: int) -> bytes:
        """A file's JSON, moved; nothing for row -1."""
        return self.moved_part(column, row).tobytes()

    def rows(self, column: str, at: Ints) -> Ints:
        """Places in a column -> the rows of their files, distinct."""
        return distinct(np.searchsorted(self.columns[f"{column}_offsets"], at, "right") - 1)

    def rows_with(self, column: str, wanted: Iterable[int]) -> list[int]:
        """Rows of the files that have any of these numbers in a column."""
        numbers = np.fromiter(wanted, np.int64)
        found: list[int] = self.rows(column, np.flatnonzero(one_of(self.columns[column], numbers))).tolist() if len(numbers) else []
        return found

    def table(self, old: Ints, fresh: Mapping[int, FileLinks], numbers: Ints, linked: NDArray[np.uint8]) -> Spliced:
        """Columns of the next commit, each put together when it is asked for. old: of every file its row in the commit before, -1 where it
        is not linked. fresh: by row, columns that were made anew."""
        there = np.flatnonzero(old >= 0)
        new_row = np.full(len(self._numbers), -1, np.int64)
        new_row[old[there]] = there
        for column in _TYPES:
            made = self.different[column] = {row: links[column] for row, links in fresh.items() if column in links.columns}
            for row, moved in self.moved.items():
                if column in moved and new_row[row] >= 0:
                    made.setdefault(int(new_row[row]), moved[column])

        return Spliced(self.columns, old, self.different, {"numbers": numbers, "linked": linked})


_OF_MEMBERS = (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT, HINT_HELD)
_OF_FILES = frozenset({*_OF_MEMBERS, HINT_FROM, HINT_NEXT})  # edges that are found class by class


def _still(symbols: Sequence[int], symbol: int) -> int:
    """The new number of a symbol. Raises Gone."""
    now = symbols[symbol]
    if now < 0:
        raise Gone
    return now


def first_table(size: int, fresh: Mapping[int, FileLinks]) -> dict[str, NDArray[Any]]:
    """Columns of a commit of which every file was linked."""
    found: dict[str, NDArray[Any]] = {}
    every = [(row, fresh[row].columns) for row in sorted(fresh)]
    for column in _TYPES:
        made = [(row, columns[column]) for row, columns in every if column in columns]
        lengths = np.zeros(size + 1, np.int64)
        lengths[[row + 1 for row, _ in made]] = [len(rows) for _, rows in made]
        found[column] = np.concatenate([empty(column), *(rows for _, rows in made)])
        found[f"{column}_offsets"] = np.cumsum(lengths)
    return found


class Recorded:
    """What the solution of the commit before says of what hangs on arguments, by file number, moved."""

    def __init__(self, kept: Kept, keys: set[int], name_of: Callable[[int, int], str]) -> None:
        self.kept, self.keys, self.name_of = kept, keys, name_of
        self._solved: dict[int, Mapping[Value, Trajectory | None]] = {}

    def numbers(self, rows: Iterable[int]) -> set[int]:
        numbers = self.kept.columns["numbers"]
        return {int(numbers[row]) for row in rows}

    def passed(self, number: int) -> Linked | None:
        """None where it names something that is gone."""
        row = self.kept.row_of(number)
        try:
            return Linked() if row is None else self.kept.passed(row)
        except Gone:
            return None

    def late_flows(self, number: int) -> list[Flow] | None:
        """None where they name something that is gone."""
        row = self.kept.row_of(number)
        try:
            return [] if row is None else self.kept.move.flows(self.kept.part("late_passed", row).tobytes())
        except Gone:
            return None

    def solved(self, number: int) -> Mapping[Value, Trajectory | None]:
        """By parameter that is still there; None for what was made of something that is gone."""
        row = self.kept.row_of(number)
        found: dict[Value, Trajectory | None] = {}
        for parameter, steps in json.loads(self.kept.part("solved", row).tobytes() or b"[]") if row is not None else ():
            try:
                moved = self.kept.move.value(parameter)
            except Gone:
                continue
            try:
                found[moved] = self.kept.move.trajectory(steps)
            except Gone:
                found[moved] = None
        return found

    def trajectory(self, parameter: Value) -> Trajectory:
        """What a parameter was from step to step."""
        number = parameter[1]
        known = self._solved.get(number)
        if known is None:
            known = self._solved[number] = self.solved(number)
        return known.get(parameter) or []

    def old_targets(self, number: int) -> set[int]:
        """Numbers of the files to whose parameters a file passed something."""
        row = self.kept.row_of(number)
        return set() if row is None else {int(one) for column in ("targets", "late_targets") for one in self.kept.part(column, row)}

    def sources(self, owners: set[int]) -> set[int]:
        """Files that pass something to the parameters of any of these files."""
        return self.numbers([*self.kept.rows_with("targets", owners), *self.kept.rows_with("late_targets", owners)])

    def that_looked(self, column: str, keys: set[int]) -> set[int]:
        """Files whose `late_facts` or `solved_facts` hold any of these keys."""
        return self.numbers(self.kept.rows_with(column, keys))


def with_mentions(links: FileLinks, kept: Callable[[str], bytes]) -> FileLinks:
    """The columns with `mentions` to match; `kept`: JSON of a column that is not among them."""
    if not any(column in links.columns for column in _JSON):
        return links
    texts = [links[column].tobytes() if column in links.columns else kept(column) for column in _JSON]
    return FileLinks({**links.columns, "mentions": mentioned(texts)}, links.names)
