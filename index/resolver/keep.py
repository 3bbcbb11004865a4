"""What linking gave each file -> columns that are kept with a snapshot, and back, moved to the next commit.

Everything is kept in the file's own terms: places as bytes, targets as (file number, symbol of that file), values as in
`index.resolver.values`. A file keeps its number from commit to commit; in a changed file symbols move, and `Move` says where
to. A file whose links name something that is gone is linked anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.resolver import values as v
from index.resolver.link import Linked
from index.resolver.values import Value

Int32s = NDArray[np.int32]
_NO_EDGES = np.empty((0, 6), np.int32)


@dataclass(frozen=True, slots=True)
class FileLinks:
    """One file's links. edges and late: (n, 6) owner, target file, target symbol, EdgeKind, code, start; late ones hang on arguments.
    loose: (n, 4) owner, start, is a call, Unresolved, with `names`. facts: u4, keys of what was looked at, sorted.
    passed: JSON of what calls pass (`flows`) and of the sites put off (`later`)."""

    edges: Int32s
    late: Int32s
    loose: Int32s
    names: tuple[str, ...]
    facts: NDArray[np.uint32]
    passed: bytes

    def with_late(self, start: Int32s | None, late: Sequence[Linked]) -> FileLinks:
        """The same with other late edges; `start` is that of the file's nodes, None where there are none."""
        edges = _NO_EDGES if start is None else edges_of(start, late)
        return FileLinks(self.edges, edges, self.loose, self.names, self.facts, self.passed)


def edges_of(start: Int32s, linked: Sequence[Linked]) -> Int32s:
    """The edges that a linker found in a file, nodes as bytes."""
    rows = [edge for one in linked for edge in one.edges]
    if not rows:
        return _NO_EDGES
    table = np.array(rows, np.int64)
    table[:, 5] = start[table[:, 5]]
    return table.astype(np.int32)


def file_links(start: Int32s, linked: Linked, late: Sequence[Linked], facts: NDArray[np.uint32]) -> FileLinks:
    """What linking one file gave -> its links."""
    loose = sorted({(owner, int(start[node]), int(is_call), reason, name) for owner, name, node, is_call, reason in linked.loose})
    return FileLinks(
        edges_of(start, [linked]),
        edges_of(start, late),
        np.array([site[:4] for site in loose], np.int32).reshape(-1, 4),
        tuple(site[4] for site in loose),
        facts,
        passed_as_json(linked),
    )


def passed_as_json(linked: Linked) -> bytes:
    if not linked.flows and not linked.later:
        return b""
    flows = [(parameter, list(values.items())) for parameter, values in linked.flows]
    later = [(node, sorted(roots)) for node, roots in linked.later]
    return json.dumps([flows, later], separators=(",", ":")).encode()


def passed_from_json(data: bytes) -> Linked:
    """`passed` -> a `Linked` with only flows and sites put off."""
    linked = Linked()
    if data:
        flows, later = json.loads(data)
        linked.flows = [(_tuple(parameter), {_tuple(value): code for value, code in values}) for parameter, values in flows]
        linked.later = [(node, frozenset(_tuple(root) for root in roots)) for node, roots in later]
    return linked


def _tuple(value: Any) -> Any:
    return tuple(_tuple(one) for one in value) if isinstance(value, list) else value


class Gone(Exception):
    """A value or target that the next commit does not have."""


@dataclass(frozen=True)
class Move:
    """From the commit before to the next. Files keep their numbers. `symbols`: for changed and deleted files the new symbol of
    each old one, -1 where it is gone (deleted files: all of them); other files keep theirs."""

    symbols: Mapping[int, NDArray[np.int64]]

    def value(self, value: Sequence[Any]) -> Value:
        """A value as JSON has it (lists) or as it was -> moved. Raises Gone."""
        tag = value[0]
        if tag in _OF_SYMBOL:
            table = self.symbols.get(value[1])
            symbol = value[2]
            if table is not None:
                symbol = int(table[symbol]) if symbol < len(table) else -1
                if symbol < 0:
                    raise Gone
            return (tag, value[1], symbol, *(self.value(one) if isinstance(one, list | tuple) else one for one in value[3:]))
        if tag in (v.MODULE, v.CONTAINER):
            table = self.symbols.get(value[1])
            if table is not None and (tag == v.CONTAINER or not (table >= 0).any()):
                raise Gone
            return tuple(value)
        return (tag, *(self._inner(one) for one in value[1:]))

    def _inner(self, item: Any) -> Any:
        if not isinstance(item, list | tuple):
            return item
        if item and not isinstance(item[0], list | tuple):
            return self.value(item)
        return tuple(self._inner(one) for one in item)

    def edges(self, table: Int32s) -> Int32s:
        """Edge rows with their targets moved. Raises Gone."""
        if not len(table) or not self.symbols:
            return table
        touched = np.isin(table[:, 1], np.fromiter(self.symbols, np.int64))
        if not touched.any():
            return table
        moved = table.copy()
        for file in np.unique(table[touched, 1]).tolist():
            symbols = self.symbols[file]
            at = table[:, 1] == file
            if int(table[at, 2].max()) >= len(symbols):
                raise Gone
            moved[at, 2] = symbols[table[at, 2]]
        if int(moved[:, 2].min()) < 0:
            raise Gone
        return moved

    def links(self, links: FileLinks) -> FileLinks:
        """A file's links with targets and values moved. Raises Gone."""
        edges, late, passed = self.edges(links.edges), self.edges(links.late), links.passed
        if passed and any(b",%d," % file in passed for file in self.symbols):
            flows, later = json.loads(passed)
            flows = [(self.value(parameter), [(self.value(value), code) for value, code in values]) for parameter, values in flows]
            later = [(node, [self.value(root) for root in roots]) for node, roots in later]
            passed = json.dumps([flows, later], separators=(",", ":")).encode()
        elif edges is links.edges and late is links.late:
            return links
        return FileLinks(edges, late, links.loose, links.names, links.facts, passed)


_OF_SYMBOL = frozenset({v.FUNCTION, v.CLASS, v.INSTANCE, v.SELF, v.SELF_CLASS, v.METHOD, v.SUPER, v.GENERATOR, v.PARAM})


# all files' links as columns


def to_columns(links: Mapping[int, FileLinks], size: int) -> dict[str, NDArray[Any]]:
    """Links by file row -> columns; `size` is the number of files."""
    rows = [links.get(row) for row in range(size)]
    columns: dict[str, NDArray[Any]] = {"linked": np.array([one is not None for one in rows], np.uint8)}
    for name, width in (("edges", 6), ("late", 6), ("loose", 4)):
        tables = [getattr(one, name) for one in rows if one is not None]
        columns[name] = np.concatenate(tables) if tables else np.empty((0, width), np.int32)
        columns[f"{name}_offsets"] = _offsets([0 if one is None else len(getattr(one, name)) for one in rows])
    columns["facts"] = np.concatenate([one.facts for one in rows if one is not None]) if links else np.empty(0, np.uint32)
    columns["facts_offsets"] = _offsets([0 if one is None else len(one.facts) for one in rows])
    names = [b"" if one is None else "\0".join(one.names).encode("utf-8", "surrogatepass") for one in rows]
    passed = [b"" if one is None else one.passed for one in rows]
    for name, texts in (("names", names), ("passed", passed)):
        columns[name] = np.frombuffer(b"".join(texts), np.uint8)
        columns[f"{name}_offsets"] = _offsets([len(text) for text in texts])
    return columns


class Kept:
    """The columns of `to_columns`, read a file at a time."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self.columns = columns

    def has(self, row: int) -> bool:
        return bool(self.columns["linked"][row])

    def links(self, row: int) -> FileLinks:
        def part(name: str) -> Any:
            offsets = self.columns[f"{name}_offsets"]
            return self.columns[name][int(offsets[row]) : int(offsets[row + 1])]

        text = part("names").tobytes().decode("utf-8", "surrogatepass")
        loose = part("loose")
        names = tuple(text.split("\0")) if len(loose) else ()
        return FileLinks(part("edges"), part("late"), loose, names, part("facts"), part("passed").tobytes())

    def rows_that_looked(self, changed: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Rows of the files that looked at any of these facts."""
        facts, offsets = self.columns["facts"], self.columns["facts_offsets"]
        hits = np.flatnonzero(np.isin(facts, changed))
        return np.unique(np.searchsorted(offsets, hits, "right") - 1)


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)
