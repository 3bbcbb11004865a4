"""Bytes and a `Language` -> `Tree`: the syntax tree as numpy columns, in preorder, folded to our kinds.

One query captures every named node; nesting, depth and parents follow from the byte spans with a few sorts, so there is
no Python walk over the nodes. Parsing and capturing run in C and take two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import tree_sitter
from numpy.typing import NDArray

from index.parsing.kinds import Kind

if TYPE_CHECKING:
    from index.languages.language import Language

Ints = NDArray[np.int32]

MAX_NODES = 2_000_000
MAX_BYTES = 1 << 26  # a file of 64 MiB or more has no columns; callers stop far below
_SPAN_BITS = 28
_SPAN_MASK = (1 << _SPAN_BITS) - 1
_LEAVES = (Kind.NAME, Kind.TYPE_NAME, Kind.PROPERTY_NAME, Kind.SHORTHAND, Kind.SHORTHAND_PATTERN, Kind.TEXT, Kind.NUMBER, Kind.PREFIX, Kind.PREDEFINED)
_LEAF = np.zeros(256, bool)
_LEAF[[int(kind) for kind in _LEAVES]] = True
MAX_NAME = 120  # bytes of a name or string that is kept; longer ones are no one's identifier


@dataclass(frozen=True, slots=True)
class Tree:
    """Columns of n nodes in preorder; node 0 is the module. `next` is the first node after a node's subtree, so the
    children of i are i+1, next[i+1], ... below next[i]. `name` is a row of `names`, -1 for nodes without text."""

    data: bytes
    kind: NDArray[np.uint8]
    start: Ints
    end: Ints
    next: Ints
    parent: Ints
    name: Ints
    names: list[str]
    error_line: int  # line of the first syntax error, 0 for none

    def children(self, node: int) -> Iterator[int]:
        child, stop, following = node + 1, int(self.next[node]), self.next
        while child < stop:
            yield child
            child = int(following[child])


@lru_cache(maxsize=None)
def _machinery(language: Language) -> tuple[tree_sitter.Parser, tree_sitter.Query, NDArray[np.uint8], int]:
    grammar = tree_sitter.Language(language.grammar())
    table = np.zeros(max(grammar.node_kind_count, 1), np.uint8)
    for number in range(grammar.node_kind_count):
        if grammar.node_kind_is_named(number):
            table[number] = language.kinds.get(grammar.node_kind_for_id(number) or "", Kind.DROP)
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, "(_) @n"), table, 65535


def parsed(data: bytes, language: Language) -> Any:
    """The tree-sitter tree of some source; never raises for bad source."""
    return _machinery(language)[0].parse(data)


def tree_of(data: bytes, language: Language) -> Tree:
    """Columns of the syntax tree. Broken source gives what the parser recovered, with the line of the first error."""
    parser, query, table, error_id = _machinery(language)
    tree = parser.parse(data)
    root = tree.root_node
    if root.has_error and language.respelled is not None:
        other = language.respelled(data)
        if other != data and len(other) == len(data):
            second = parser.parse(other)
            if _broken(second.root_node) < _broken(root):
                tree, root = second, second.root_node
    nodes = tree_sitter.QueryCursor(query).captures(root).get("n", [])
    identity = np.array([node.kind_id for node in nodes], np.uint16)
    start = np.array([node.start_byte for node in nodes], np.int32)
    end = np.array([node.end_byte for node in nodes], np.int32)
    error_line = _first_error(data, identity, start, error_id) if root.has_error else 0
    del nodes
    kind = table[np.minimum(identity, len(table) - 1)]
    kind[identity == error_id] = 0
    kept = (kind > Kind.MODULE) & (end > start)
    # Preorder is (start ascending, end descending, kind ascending): packed into one number each, so that a plain sort
    # (vectorised in numpy, no argsort) puts the nodes in order and the columns are read back from it.
    key = start[kept].astype(np.uint64) << np.uint64(_SPAN_BITS + 8)
    key |= (np.uint64(_SPAN_MASK) - end[kept].astype(np.uint64)) << np.uint64(8)
    key |= kind[kept]
    key.sort()
    size = len(key) + 1
    kinds = np.empty(size, np.uint8)
    starts, ends = np.empty(size, np.int32), np.empty(size, np.int32)
    kinds[0], starts[0], ends[0] = Kind.MODULE, 0, len(data) + 1
    kinds[1:] = key & np.uint64(255)
    starts[1:] = key >> np.uint64(_SPAN_BITS + 8)
    ends[1:] = np.uint64(_SPAN_MASK) - ((key >> np.uint64(8)) & np.uint64(_SPAN_MASK))
    following = np.searchsorted(starts, ends).astype(np.int32)
    following[0] = size
    name, names = _names(data, kinds, starts, ends)
    return Tree(data, kinds, starts, ends, following, _parents(starts, ends), name, names, error_line)


def _broken(root: Any) -> int:
    """Bytes that the parser could not make sense of."""
    found, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            found += node.end_byte - node.start_byte
        elif node.is_missing:
            found += 1
        elif node.has_error:
            todo.extend(node.children)
    return found


def _parents(start: Ints, end: Ints) -> Ints:
    """Preorder spans -> the row of each node's parent, -1 for the root. A node's depth is the number of earlier nodes
    that have not ended before it starts; its parent is the last earlier node one level up."""
    size = len(start)
    rows = np.arange(size, dtype=np.int64)
    depth = rows - np.searchsorted(np.sort(end), start, "right")
    key = depth * size + rows
    by_depth = np.sort(key)
    at = np.searchsorted(by_depth, key - size) - 1
    parent = (by_depth[np.maximum(at, 0)] % size).astype(np.int32)
    parent[0] = -1
    return parent


def _names(data: bytes, kind: NDArray[np.uint8], start: Ints, end: Ints) -> tuple[Ints, list[str]]:
    name = np.full(len(kind), -1, np.int32)
    rows = np.flatnonzero(_LEAF[kind] & (end - start <= MAX_NAME))
    seen: dict[bytes, int] = {}
    add = seen.setdefault
    name[rows] = [add(data[a:b], len(seen)) for a, b in zip(start[rows].tolist(), end[rows].tolist(), strict=True)]
    return name, [text.decode("utf-8", "backslashreplace") for text in seen]


def _first_error(data: bytes, identity: NDArray[np.uint16], start: Ints, error_id: int) -> int:
    errors = start[identity == error_id]
    return data.count(b"\n", 0, int(errors.min())) + 1 if len(errors) else 1
