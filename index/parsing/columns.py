"""Bytes and a `Language` -> `Tree`: the syntax tree as numpy columns, in preorder, folded to our kinds.

A loop collects the nodes, and nothing else runs once for each: nesting, depth and parents follow from the byte spans by sorting and
counting. That is done for many files at once: at 6 KB a file, forty calls of numpy would cost as much as half the parse. Where
deploy/compile.py has compiled walk.c, that makes the columns of files without errors, each in one go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tree_sitter
from numpy.typing import NDArray

from index.distinct import first_places
from index.parsing.bounded import LARGE, PIECE, STACK, BoundedParser, most_reads, most_steps
from index.parsing.kinds import Kind
from index.stack import on_a_large_stack

try:
    from index.parsing import walk as _walk
except ImportError:  # it was not compiled
    walk: Any = None
else:
    walk = _walk

if TYPE_CHECKING:
    from index.languages.language import Language

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_NODES = 2_000_000
MAX_BYTES = 1 << 26  # of all files given at once; callers stop far below
MAX_DEPTH = 400  # levels; what lies deeper is left out, so that whoever recurses over a tree never overflows
MAX_NAME = 120  # bytes of a name or string that is kept; longer ones are no one's identifier
_SPAN_BITS = 27
_SPAN_MASK = (1 << _SPAN_BITS) - 1
_KIND_BITS = 8
_KIND_MASK = (1 << _KIND_BITS) - 1
_TYPES = 1 << 16  # of nodes; errors have the last one
_QUOTES = b"\"'"
_IS_QUOTE = np.zeros(256, np.bool_)
_IS_QUOTE[list(_QUOTES)] = True
_LEAVES = (
    Kind.NAME, Kind.TYPE_NAME, Kind.PROPERTY_NAME, Kind.SHORTHAND, Kind.SHORTHAND_PATTERN, Kind.TEXT, Kind.NUMBER, Kind.PREFIX,
    Kind.PREDEFINED,
)  # fmt: skip
_LEAF = np.zeros(256, bool)
_LEAF[[int(kind) for kind in _LEAVES]] = True
_IS_LEAF = _LEAF.tobytes()
_MODULE = int(Kind.MODULE)


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
    error_line: int  # line of the first syntax error or of the first node that was left out, 0 for none, -1 where all was

    def children(self, node: int) -> Iterator[int]:
        child, stop, following = node + 1, int(self.next[node]), self.next
        while child < stop:
            yield child
            child = int(following[child])


_LEFT, _OPENED, _STRING = 0, 1, 2  # what is done with a node's children: see `_collected`


@dataclass(frozen=True, slots=True)
class _Machinery:
    """What parses a language. The tables have a row for every number that a node type may have."""

    parser: BoundedParser
    kinds: Longs  # our kind, 0 for nodes that are dropped
    opened: bytes  # _LEFT, _OPENED or _STRING
    in_c: Callable[[bytes], Tree | None] | None  # the columns of a file, where they can be made in C


@cache
def _machinery(language: Language) -> _Machinery:
    capsule = language.grammar()
    grammar = tree_sitter.Language(capsule)
    kinds, opened = np.zeros(_TYPES, np.int64), np.full(_TYPES, _OPENED, np.uint8)
    for number in range(grammar.node_kind_count):
        if grammar.node_kind_is_named(number) and grammar.node_kind_is_visible(number):
            name = grammar.node_kind_for_id(number) or ""
            kinds[number] = language.kinds.get(name, Kind.DROP)
            if name == language.closed_strings:
                opened[number] = _STRING
    kinds[kinds == Kind.MODULE] = Kind.DROP  # we make the module ourselves, and of all bytes
    opened[_LEAF[kinds]] = _LEFT
    return _Machinery(BoundedParser(grammar), kinds, opened.tobytes(), _in_c(language, capsule, kinds, opened))


def _in_c(language: Language, capsule: object, kinds: Longs, opened: NDArray[np.uint8]) -> Callable[[bytes], Tree | None] | None:
    """What `_trees` does, without an object for every node and a call of numpy for every step: in half the time. None where it was not
    compiled, or with the source of another release than the one that parses here.

    Of a file with errors, or with too many nodes, levels, steps or reads, it says nothing (None), and the rest of this module has to."""
    if walk is None or type(capsule).__name__ != "PyCapsule":
        return None
    if not Path(tree_sitter.__file__).parents[1].joinpath(f"tree_sitter-{walk.RELEASE}.dist-info").is_dir():
        return None  # to ask importlib.metadata for the release takes as long as to parse a few files
    kind_of, opened_of = kinds.astype(np.uint8).tobytes(), opened.tobytes()
    closed = language.kinds[language.closed_strings] if language.closed_strings else -1

    tables = (kind_of, opened_of, _IS_LEAF, _QUOTES, closed, Kind.TEXT, _MODULE)

    def columns_of(data: bytes) -> Any:
        bounds = (most_steps(len(data)), most_reads(len(data)), PIECE, MAX_NODES, MAX_DEPTH, MAX_NAME)
        return walk.columns(data, capsule, *tables, *bounds)

    def tree_of(data: bytes) -> Tree | None:
        found = columns_of(data) if len(data) < LARGE else on_a_large_stack(lambda: columns_of(data), STACK)
        if found is None:
            return None
        start, end, following, parent, name = np.frombuffer(found[0], np.int32).reshape(5, -1)
        return Tree(data, np.frombuffer(found[1], np.uint8), start, end, following, parent, name, found[2], 0)

    return tree_of


def parsed(data: bytes, language: Language) -> Any:
    """The tree-sitter tree of some source, however long it takes; never raises for bad source."""
    return _machinery(language).parser.parser.parse(data)


def tree_of(data: bytes, language: Language) -> Tree:
    """Columns of one syntax tree. Broken source gives what the parser recovered, with the line of the first error."""
    return trees_of([data], language)[0]


def trees_of(files: Sequence[bytes], language: Language) -> list[Tree]:
    """Columns of the syntax tree of each file, all of one language and below MAX_BYTES in all. A file with more than
    MAX_NODES nodes has only its module."""
    in_c = _machinery(language).in_c
    if in_c is None:
        return _trees(files, language)
    made = [in_c(data) for data in files]
    rest = iter(_trees([data for data, tree in zip(files, made, strict=True) if tree is None], language) if None in made else ())
    return [tree or next(rest) for tree in made]


def _trees(files: Sequence[bytes], language: Language) -> list[Tree]:
    """The same in Python, for all files together."""
    # Places and rows count through all files, each file one byte longer than it is so that its module holds all of it.
    offset = np.array([0, *(len(data) + 1 for data in files)], np.int64).cumsum()
    walked = _walked(files, language)
    keys = _keys(files, offset, walked, language)
    start, end, following, depth = _nesting(keys)
    if (depth > MAX_DEPTH).any():
        keys = _cut(keys, following, depth)
        _tell(walked.error_lines, files, offset, start[depth > MAX_DEPTH])
        start, end, following, depth = _nesting(keys)
    kind = keys.astype(np.uint8)
    parent = _parents(following, depth)

    first = np.flatnonzero(kind == _MODULE)
    size = np.diff(first, append=len(keys))
    byte, row = offset[:-1].repeat(size), first.repeat(size)
    starts, ends, nexts, parents = (
        (column - base).astype(np.int32) for column, base in ((start, byte), (end, byte), (following, row), (parent, row))
    )
    parents[first] = -1
    name, names = _names(files, first, kind, starts, ends)
    trees = []
    for data, a, b, text, line in zip(files, first.tolist(), (first + size).tolist(), names, walked.error_lines, strict=True):
        trees.append(Tree(data, kind[a:b], starts[a:b], ends[a:b], nexts[a:b], parents[a:b], name[a:b], text, line))
    return trees


@dataclass(frozen=True, slots=True)
class _Walked:
    """The nodes of several files, file after file: how many each has, and of every node the bytes and the type. `error_lines`
    has the line of each file's first error, 0 for none."""

    counts: list[int]
    start: Longs
    end: Longs
    type: Longs
    error_lines: list[int]


def _walked(files: Sequence[bytes], language: Language) -> _Walked:
    machinery = _machinery(language)
    counts: list[int] = []
    error_lines: list[int] = []
    columns: tuple[list[NDArray[Any]], list[NDArray[Any]], list[NDArray[Any]]] = ([], [], [])
    for data in files:
        tree = machinery.parser.parse(data)
        if tree is not None and tree.root_node.has_error and language.respelled is not None:
            tree = _read_anew(data, tree, language.respelled(data), machinery)
        if tree is None:
            counts.append(0)
            error_lines.append(-1)
            continue
        root = tree.root_node
        error_lines.append(_first_error(data, root) if root.has_error else 0)
        nodes, types = _every(root) if root.has_error else _collected(data, root, machinery.opened)
        if len(nodes) > MAX_NODES:
            nodes, types, error_lines[-1] = [], [], -1
        counts.append(len(nodes))
        # `map` with an attrgetter takes two thirds of the time of a comprehension.
        for column, values in zip(columns, (map(_START, nodes), map(_END, nodes), types), strict=True):
            column.append(np.fromiter(values, np.int64, len(nodes)))
    start, end, kind = (np.concatenate([np.empty(0, np.int64), *column]) for column in columns)
    return _Walked(counts, start, end, kind, error_lines)


_START, _END = attrgetter("start_byte"), attrgetter("end_byte")


def _collected(data: bytes, root: tree_sitter.Node, opened: bytes) -> tuple[list[tree_sitter.Node], list[int]]:
    """All named nodes and their types, outer ones first, but those in leaves of ours and in closed strings (see `_texts`).

    Against a query that captures only nodes that have a kind this finds some more, and takes a fifth less time: a captured node
    costs a set and an entry in another. A tenth of the nodes of a Python file are the quotes and texts of plain strings."""
    nodes, types = [root], []
    for node in nodes:  # and those that are added meanwhile
        kind = node.kind_id
        types.append(kind)
        what = opened[kind]
        if what == _OPENED or (what == _STRING and data[node.start_byte] not in _QUOTES):
            nodes += node.named_children
    return nodes, types


def _every(root: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[int]]:
    """All nodes of a file with errors: what the parser skipped may be in places where a file without errors has nothing to look
    for, even in a keyword of two words."""
    nodes = [root]
    for node in nodes:
        nodes += node.children
    return nodes, [node.kind_id for node in nodes]


def _keys(files: Sequence[bytes], offset: Longs, walked: _Walked, language: Language) -> Longs:
    """One number for each node that has a kind, sorted. Preorder is (start ascending, end descending, kind ascending): packed
    into one number each, so that a plain sort (vectorised in numpy, no argsort) puts the nodes in order and the columns are
    read back from it."""
    shift = offset[:-1].repeat(walked.counts)
    start, end = walked.start + shift, walked.end + shift
    kind = _machinery(language).kinds[walked.type]
    if language.closed_strings:
        closed = (kind == language.kinds[language.closed_strings]) & (np.array(walked.error_lines) == 0).repeat(walked.counts)
        texts = _texts(files, start[closed], end[closed])
        start, end = np.concatenate([start, texts[0]]), np.concatenate([end, texts[1]])
        kind = np.concatenate([kind, np.full(len(texts[0]), Kind.TEXT)])
    kept = (kind > 0) & (end > start)
    keys = np.concatenate([_packed(offset[:-1], offset[1:], _MODULE), _packed(start, end, kind)[kept]])
    keys.sort()
    return keys


def _packed(start: Longs, end: Longs, kind: Longs | int) -> Longs:
    return start << (_SPAN_BITS + _KIND_BITS) | (_SPAN_MASK - end) << _KIND_BITS | kind


def _texts(files: Sequence[bytes], start: Longs, end: Longs) -> tuple[Longs, Longs]:
    """Places of strings in all files, each file followed by one byte -> of those that start with a quote, the places of their texts."""
    data = np.frombuffer(b"\n".join([*files, b"\n\n"]), np.uint8)
    plain = _IS_QUOTE[data[start]]
    start, end = start[plain], end[plain]
    width = np.where((end - start >= 6) & (data[start] == data[start + 1]) & (data[start] == data[start + 2]), 3, 1)
    return start + width, end - width


def _cut(keys: Longs, following: Longs, depth: Longs) -> Longs:
    """Without what lies too deep. A node that loses its children so is an error: no one takes it for what has to have children."""
    cut = (depth == MAX_DEPTH) & (following > np.arange(1, len(keys) + 1))
    return np.where(cut, (keys & ~_KIND_MASK) | Kind.ERROR, keys)[depth <= MAX_DEPTH]


def _tell(error_lines: list[int], files: Sequence[bytes], offset: Longs, places: Longs) -> None:
    """The first of some places of all files is an error of its file, unless there is one before it."""
    number = offset.searchsorted(places, "right") - 1
    for file, at in zip(*first_places(number), strict=True):
        line = files[file].count(b"\n", 0, int(places[at] - offset[file])) + 1
        error_lines[file] = min(error_lines[file] or line, line)


def _names(files: Sequence[bytes], first: Longs, kind: NDArray[np.uint8], start: Ints, end: Ints) -> tuple[Ints, list[list[str]]]:
    """The row of each leaf's text in its file's list, -1 for other nodes; and the texts of each file in the order they come in."""
    leaves = np.flatnonzero(_LEAF[kind] & (end - start <= MAX_NAME))
    begins, stops = start[leaves], end[leaves]
    bounds = [*leaves.searchsorted(first).tolist(), len(leaves)]
    name = np.full(len(kind), -1, np.int32)
    names: list[list[str]] = []
    for number, data in enumerate(files):
        a, b = bounds[number], bounds[number + 1]
        # A dict that numbers what it has not seen: a third less time than `setdefault(text, len(seen))`.
        seen: defaultdict[bytes, int] = defaultdict(count().__next__)
        name[leaves[a:b]] = [seen[data[begin:stop]] for begin, stop in zip(begins[a:b].tolist(), stops[a:b].tolist(), strict=True)]
        names.append(_decoded(list(seen)))
    return name, names


def _decoded(texts: list[bytes]) -> list[str]:
    """Texts of source, all at once where that can be done: one by one takes four times as long."""
    try:
        found = b"\0".join(texts).decode().split("\0") if texts else []
    except UnicodeDecodeError:
        found = []
    if len(found) == len(texts):
        return found
    # NUL stands between names where they are stored.
    return [text.decode("utf-8", "backslashreplace").replace("\0", "\\0") for text in texts]


def _read_anew(data: bytes, tree: tree_sitter.Tree, respelled: bytes, machinery: _Machinery) -> tree_sitter.Tree:
    """Of the trees of a source with errors and of the same source in another spelling, the one with less that makes no sense."""
    if respelled == data or len(respelled) != len(data):
        return tree
    other = machinery.parser.parse(respelled)
    return other if other is not None and _senseless(other.root_node) < _senseless(tree.root_node) else tree


def _senseless(root: tree_sitter.Node) -> int:
    """Bytes that the parser could make nothing of, and places where something is missing."""
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


def _first_error(data: bytes, root: tree_sitter.Node) -> int:
    """The line of the first thing that the parser could make nothing of, or that it found missing. A query for them takes time in
    the square of a node's children."""
    places, todo = [], [root]
    while todo:
        node = todo.pop()
        inner = [] if node.is_error or node.is_missing else [child for child in node.children if child.has_error]
        if not inner:  # this is it, or a token that is missing and is no node, as a line break may be
            places.append(node.start_byte)
        todo += inner
    return data.count(b"\n", 0, min(places)) + 1


def _nesting(keys: Longs) -> tuple[Longs, Longs, Longs, Longs]:
    """Sorted keys -> start, end, the row after each node's subtree, and how many nodes hold it."""
    start = keys >> (_SPAN_BITS + _KIND_BITS)
    end = _SPAN_MASK - (keys >> _KIND_BITS & _SPAN_MASK)
    following = start.searchsorted(end)
    depth = np.arange(len(keys)) - np.bincount(following, minlength=len(keys))[: len(keys)].cumsum()
    return start, end, following, depth


def _parents(following: Longs, depth: Longs) -> Longs:
    """Of nodes in preorder, the row after the subtree, and the depth -> the row of each node's parent; not set for roots.

    Level by level, the nodes that have children come in the same order as their first children, and a node is a first child
    exactly where the row before it has children."""
    by_level = depth.astype(np.int16).argsort(kind="stable")  # a radix sort, since the numbers are small
    has_children = following > np.arange(1, len(depth) + 1)
    is_first = np.zeros(len(depth), np.bool_)
    is_first[1:] = has_children[:-1]
    parents = by_level[has_children[by_level]]
    nth = is_first[by_level].cumsum() - 1
    parent = np.empty(len(depth), np.int64)
    parent[by_level] = parents[nth] if len(parents) else -1  # roots are given some parent by nth = -1
    return parent
