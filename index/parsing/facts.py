"""What one file says by itself -> `Facts`: symbols, scopes, bindings and references, as columns that can be stored.

A language's front end walks the few nodes that define or bind something and calls `FactsBuilder`; looking every written
name up in its scopes is then done for the whole file at once.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from index.numbers import SymbolKind
from index.parsing.column import Growing, column_of_nodes, growing, joined
from index.parsing.columns import MAX_BYTES, Tree, trees_of
from index.parsing.kinds import Kind

if TYPE_CHECKING:
    from index.languages.language import Language

FACTS_VERSION: Final = 5


class How:
    """How a binding gives a name its value."""

    ASSIGN: Final = 0  # the value itself
    UNPACK: Final = 1  # element `extra` of the value
    REST: Final = 2  # what a starred target takes of the value
    ELEMENT: Final = 3  # what iterating over the value gives
    ENTER: Final = 4  # what entering the value as a context manager gives
    CAUGHT: Final = 5  # an exception of the class(es) `value`
    PARAM: Final = 6  # parameter row `extra`
    DEFINE: Final = 7  # symbol row `extra`: a function or class
    MODULE: Final = 8  # import row `extra`: the module itself
    MEMBER: Final = 9  # import row `extra`: a name of the module
    DECLARE: Final = 10  # only a declared type
    AUGMENT: Final = 11
    NARROW: Final = 12  # isinstance(name, value) holds: in Python in the `extra` nodes from the target on, in scripts inside the target
    PATTERN: Final = 13  # bound by a match pattern: class `value`, or nothing known
    PROPERTY: Final = 14  # property `extra` (row of names) of the value: destructuring
    EXCLUDE: Final = 15  # isinstance(name, value) does not hold in the `extra` nodes from the target on


class ScopeKind:
    MODULE: Final = 0
    FUNCTION: Final = 1
    CLASS: Final = 2
    COMPREHENSION: Final = 3
    BLOCK: Final = 4
    INSTANCE: Final = 5  # attributes that methods give to `self`; nothing is looked up here by a bare name
    PROTOTYPE: Final = 6
    NAMESPACE: Final = 7  # names are looked up here from inside, and are members from outside


class ParamFlag:
    STAR: Final = 1
    DOUBLE_STAR: Final = 2
    KEYWORD_ONLY: Final = 4
    HAS_DEFAULT: Final = 8
    SELF: Final = 16


_BLANK: Final = bytes(byte if byte == 10 else 32 for byte in range(256))  # every byte but a line feed -> a space
FAILED: Final = -2  # in place of the line of the first error: the file could not be analysed, which is our mistake
_BINDING: Final = 7  # numbers of a binding
_SMALL: Final = 32_000  # bytes and nodes: the columns of the nodes of smaller files are i2, so that most take half the memory
BATCH_BYTES: Final = 1 << 18  # of sources whose columns are made together; more gains nothing

COLUMNS: Final[dict[str, Any]] = {
    "kind": np.uint8, "start": np.int32, "end": np.int32, "next": np.int32, "parent": np.int32, "name": np.int32,
    "group": np.int32, "owner": np.int32,
    "symbol_node": np.int32, "symbol_name": np.int32, "symbol_parent": np.int32, "symbol_kind": np.uint8, "symbol_start": np.int32,
    "symbol_end": np.int32, "symbol_at": np.int32, "symbol_scope": np.int32, "symbol_flags": np.int32,
    "scope_parent": np.int32, "scope_kind": np.uint8, "scope_symbol": np.int32, "scope_node": np.int32, "scope_end": np.int32,
    "group_scope": np.int32, "group_name": np.int32, "group_first": np.int32,
    "binding_how": np.uint8, "binding_target": np.int32, "binding_value": np.int32, "binding_extra": np.int32, "binding_type": np.int32,
    "import_module": np.int32, "import_level": np.int32, "import_member": np.int32, "import_node": np.int32, "import_flags": np.int32,
    "star_scope": np.int32, "star_import": np.int32,
    "return_symbol": np.int32, "return_node": np.int32, "return_yields": np.uint8,
    "param_symbol": np.int32, "param_name": np.int32, "param_flags": np.int32, "param_type": np.int32, "param_default": np.int32,
    "param_node": np.int32,
    "store_target": np.int32, "store_value": np.int32,
    "narrow_node": np.int32, "narrow_value": np.int32, "narrow_first": np.int32, "narrow_count": np.int32, "narrow_holds": np.uint8,
    "guard_return": np.int32, "guard_param": np.int32, "guard_given": np.uint8,
    "export_name": np.int32, "export_local": np.int32, "export_import": np.int32, "export_node": np.int32,
    "line_starts": np.int32, "extra": np.int32,
}  # fmt: skip


Shared = Mapping[str, tuple[NDArray[Any], list[int]]]  # the columns of a batch, and where the rows of each file end


class Facts:
    """The columns of one file by name (see `COLUMNS`), and its `names`.

    Nodes: kind, start, end, next, parent as in `Tree`; group is the binding group a written name means (-1: none in this
    file), owner the symbol whose code holds the node. Symbols are in order of their start, row 0 is the module. Bindings
    of one (scope, name) stand together, in order of position: those of group g are group_first[g] up to group_first[g+1].
    extra = [error line, has `__all__`]. A narrow row says that the attribute at `node` is (`holds`) or is not of class `value` in `count`
    nodes from `first` on; a guard row that the value at node `return` is returned only if parameter `param` is given, or not given.
    """

    __slots__ = ("columns", "names")

    def __init__(self, columns: Mapping[str, NDArray[Any]], names: list[str]) -> None:
        self.columns = columns
        self.names = names

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]


class FactsBuilder:
    """Collects what a front end finds. Nodes, scopes, symbols and names are row numbers."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.start, self.end = column_of_nodes(tree.start, False), column_of_nodes(tree.end, False)
        size = len(tree.kind)
        self.scope, self.owner = growing(size), growing(size)
        self.ignored = np.zeros(size, bool)  # names that are not looked up
        # Names that are there in every file, where what stands in a class body is looked up outside until the body has bound it.
        self.everywhere: frozenset[str] | None = None
        self.members: dict[int, bool] = {}  # the same by kind of parent: its first child if it is a name (True), or names after that
        self.rows: dict[str, Growing] = {
            column: growing() for columns in _OPEN.values() for column in columns
        }  # of symbols and scopes, which may still change
        rows = self.rows  # and those that each of them is added to, at hand
        self._symbol_node, self._symbol_name, self._symbol_kind = rows["symbol_node"], rows["symbol_name"], rows["symbol_kind"]
        self._symbol_parent, self._symbol_scope, self._symbol_flags = rows["symbol_parent"], rows["symbol_scope"], rows["symbol_flags"]
        self._symbol_start, self._symbol_end, self._symbol_at = rows["symbol_start"], rows["symbol_end"], rows["symbol_at"]
        self._scope_kind, self._scope_parent, self._scope_symbol = rows["scope_kind"], rows["scope_parent"], rows["scope_symbol"]
        self._scope_node, self._scope_end = rows["scope_node"], rows["scope_end"]
        self.plain: dict[str, Growing] = {table: growing() for table in _PLAIN}  # the other tables, row after row
        self.names = tree.names
        self._name_rows = dict(zip(tree.names, count(), strict=False))
        self.binding = growing()  # row after row: scope, name, how, target, value, extra, type
        self._redirect: dict[tuple[int, int], int] = {}
        self._instance: dict[int, int] = {}
        self._fields: dict[tuple[int, int], int] = {}
        self.scope_self: list[tuple[int, int]] = []
        self.lookup_parent: list[int] = []
        self.has_all = 0
        self.module = self.symbol(0, -1, SymbolKind.MODULE, -1, 0, len(tree.data), 0)
        self.add_scope(ScopeKind.MODULE, -1, self.module, 0)

    def find_name(self, text: str) -> int:
        """The row of a name that the file has, -1 for others."""
        return self._name_rows.get(text, -1)

    def name_row(self, text: str) -> int:
        row = self._name_rows.get(text)
        if row is None:
            row = self._name_rows[text] = len(self.names)
            self.names.append(text)
        return row

    def symbol(self, node: int, name: int, kind: int, parent: int, start: int, end: int, at: int) -> int:
        """A new symbol; `at` is the byte of its name."""
        self._symbol_node.append(node)
        self._symbol_name.append(name)
        self._symbol_kind.append(kind)
        self._symbol_parent.append(parent)
        self._symbol_start.append(start)
        self._symbol_end.append(end)
        self._symbol_at.append(at)
        self._symbol_scope.append(-1)
        self._symbol_flags.append(0)
        return len(self._symbol_node) - 1

    def add_scope(self, kind: int, parent: int, symbol: int, node: int) -> int:
        row = len(self._scope_kind)
        self._scope_kind.append(kind)
        self._scope_parent.append(parent)
        self._scope_symbol.append(symbol)
        self._scope_node.append(node)
        self._scope_end.append(self.end[node])
        if symbol >= 0 and kind in _OF_SYMBOLS and self._symbol_scope[symbol] < 0:
            self._symbol_scope[symbol] = row
        self.scope_self.append(self.scope_self[parent] if parent >= 0 and kind != ScopeKind.CLASS else (-1, -1))
        above = parent
        while above >= 0 and self._scope_kind[above] == ScopeKind.CLASS:
            above = self._scope_parent[above]
        self.lookup_parent.append(above)
        return row

    def instance_scope(self, class_symbol: int) -> int:
        """The scope that holds what methods assign to `self`."""
        row = self._instance.get(class_symbol)
        if row is None:
            row = self._instance[class_symbol] = self.add_scope(ScopeKind.INSTANCE, -1, class_symbol, 0)
        return row

    def redirect(self, scope: int, name: int, to: int) -> None:
        """`global` and `nonlocal`: bindings of `name` in `scope` belong to scope `to`."""
        self._redirect[scope, name] = to

    def bind(self, scope: int, name: int, how: int, target: int, value: int = -1, extra: int = -1, type_node: int = -1) -> None:
        if name < 0:
            return
        if self._redirect:
            scope = self._redirect.get((scope, name), scope)
        rows = self.binding
        rows.append(scope)
        rows.append(name)
        rows.append(how)
        rows.append(target)
        rows.append(value)
        rows.append(extra)
        rows.append(type_node)

    def bound(self) -> Iterator[tuple[int, int]]:
        """Scope and name of each binding."""
        rows = self.binding
        for at in range(0, len(rows), _BINDING):
            yield rows[at], rows[at + 1]

    def bindings(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Scope, name, how, value and extra of each."""
        rows = self.binding
        for at in range(0, len(rows), _BINDING):
            yield rows[at], rows[at + 1], rows[at + 2], rows[at + 4], rows[at + 5]

    def field(self, owner: int, name: int, kind: int, node: int, end_node: int, at: int) -> int:
        """The symbol of a constant or field, made at its first binding."""
        key = (owner, name)
        row = self._fields.get(key)
        if row is None:
            row = self._fields[key] = self.symbol(node, name, kind, owner, self.start[node], self.end[end_node], at)
        return row

    def add_import(self, module: int, level: int, member: int, node: int, flags: int = 0) -> int:
        return self.add("import", module, level, member, node, flags)

    def add(self, table: str, *values: int) -> int:
        """One row of a plain table, values in the order of `COLUMNS`."""
        rows = self.plain[table]
        row = len(rows) // len(values)
        for value in values:
            rows.append(value)
        return row


# All files of a batch are finished together: a column of a table is one array that holds the rows of every file, and row
# numbers are moved up by the rows of the files before ("global") while names are looked up.


def facts_of(data: bytes, language: Language) -> Facts:
    """Facts of one file's bytes; broken source gives the facts of what could be read."""
    return facts_of_many([(data, language)])[0]


def facts_of_many(files: Sequence[tuple[bytes, Language]]) -> list[Facts]:
    """Facts of each file, in their order. Per file this costs a quarter less than `facts_of`; give it a megabyte or two at
    a time. The columns of files that were given together share memory."""
    found: list[Facts | None] = [None] * len(files)
    with collector_paused():
        for rows in _batches(files):
            language = files[rows[0]][1]
            try:
                made = _facts_of_batch([files[row][0] for row in rows], language)
            except MemoryError:
                raise
            except Exception:  # a mistake of ours, which must not cost the other files theirs
                made = [_facts_or_none(files[row][0], language) for row in rows]
            for row, facts in zip(rows, made, strict=True):
                found[row] = facts
    return [facts for facts in found if facts is not None]


def _facts_or_none(data: bytes, language: Language) -> Facts:
    """Facts of one file; where making them fails, those of as many empty lines, with FAILED."""
    try:
        return _facts_of_batch([data], language)[0]
    except MemoryError:
        raise
    except Exception:
        facts = _facts_of_batch([data.translate(_BLANK)], language)[0]
        extra = np.array([FAILED, *facts["extra"][1:].tolist()], facts["extra"].dtype)
        return Facts({**facts.columns, "extra": extra}, facts.names)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Holds off the cyclic garbage collector: it costs a third of the time where millions of small objects are made, and
    what is made here has no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _batches(files: Sequence[tuple[bytes, Language]]) -> Iterator[list[int]]:
    """Rows of files of one language, BATCH_BYTES or one larger file at a time."""
    by_language: dict[Language, list[int]] = {}
    for row, (_, language) in enumerate(files):
        by_language.setdefault(language, []).append(row)
    for rows in by_language.values():
        batch: list[int] = []
        size = 0
        for row in rows:
            length = len(files[row][0])
            if batch and size + length > BATCH_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(row)
            size += length
        yield batch


def _facts_of_batch(files: list[bytes], language: Language) -> list[Facts]:
    builders = []
    for tree in trees_of([data if len(data) < MAX_BYTES else b"" for data in files], language):
        builder = FactsBuilder(tree)
        language.front_end(tree, builder)
        builders.append(builder)
    return _finished(builders)


def _finished(builders: list[FactsBuilder]) -> list[Facts]:
    """Everything that was found, names looked up."""
    nodes = _Rows([len(builder.tree.kind) for builder in builders])
    tables = {table: _Rows([len(builder.rows[columns[0]]) for builder in builders]) for table, columns in _OPEN.items()}
    tables |= {table: _Rows([len(builder.plain[table]) // len(names) for builder in builders]) for table, names in _PLAIN.items()}
    columns: dict[str, NDArray[Any]] = {}
    for table, names in _OPEN.items():
        every = joined([builder.rows[column] for column in names for builder in builders])
        columns.update(zip(names, every.reshape(len(names), tables[table].total), strict=True))
    for table, names in _PLAIN.items():
        every = joined([builder.plain[table] for builder in builders])
        columns.update(zip(names, np.ascontiguousarray(every.reshape(-1, len(names)).T), strict=True))
    order, moved = _sorted_symbols(columns, tables["symbol"])
    for table, column in (("symbol", "symbol_parent"), ("scope", "scope_symbol"), ("return", "return_symbol"), ("param", "param_symbol")):
        values = columns[column]
        columns[column] = np.where(values >= 0, moved[values + tables["symbol"].first_of(tables[table])], -1).astype(np.int32)
    for column in _OPEN["symbol"]:
        columns[column] = columns[column][order]
    trees = [builder.tree for builder in builders]
    columns["kind"] = np.concatenate([tree.kind for tree in trees])
    columns["start"], columns["end"] = np.concatenate([tree.start for tree in trees]), np.concatenate([tree.end for tree in trees])
    columns["next"], columns["parent"] = np.concatenate([tree.next for tree in trees]), np.concatenate([tree.parent for tree in trees])
    columns["name"] = np.concatenate([tree.name for tree in trees])
    owner = joined([builder.owner for builder in builders])
    columns["owner"] = moved[owner + tables["symbol"].first_of(nodes)]
    groups, tables["group"], tables["binding"] = _sorted_bindings(builders, columns, nodes, tables, moved)
    columns["group"] = _looked_up(builders, groups, nodes, tables, columns)
    tables["group_first"] = _Rows((tables["group"].size + 1).tolist())
    return _facts_of_files(builders, columns, tables, nodes)


class _Rows:
    """Rows of one table in each file of a batch: how many, the first, and the file of each."""

    def __init__(self, sizes: list[int]) -> None:
        self.size = np.array(sizes, np.int64)
        self.bounds = np.zeros(len(sizes) + 1, np.int64)
        self.size.cumsum(out=self.bounds[1:])
        self.first, self.total = self.bounds[:-1], int(self.bounds[-1])
        self.ends = self.bounds.tolist()

    def first_of(self, other: _Rows) -> NDArray[np.int64]:
        """For each row of another table, the first row that its file has here."""
        return self.first.repeat(other.size)

    def files(self) -> NDArray[np.int64]:
        """The number of each row's file."""
        return np.arange(len(self.size)).repeat(self.size)


def _sorted_symbols(columns: Mapping[str, NDArray[Any]], rows: _Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order of symbols by (start, -end, at) in each file, its module first; and for each global row, its new row in its file."""
    start = columns["symbol_start"].astype(np.int64)
    start[rows.first] = -1
    order = np.lexsort((columns["symbol_at"], -columns["symbol_end"], start, rows.files()))
    moved = np.empty(rows.total, np.int64)
    moved[order] = np.arange(rows.total) - rows.first_of(rows)
    return order, moved


def _sorted_bindings(
    builders: Sequence[FactsBuilder], columns: dict[str, NDArray[Any]], nodes: _Rows, tables: Mapping[str, _Rows], moved: NDArray[np.int64]
) -> tuple[_Groups, _Rows, _Rows]:
    """Adds the columns of bindings and their groups. Returns what the groups are found by, and the rows of both tables."""
    rows = _Rows([len(builder.binding) // _BINDING for builder in builders])
    table = joined([builder.binding for builder in builders]).reshape(-1, _BINDING)
    width = max(len(builder.names) for builder in builders) + 1
    all_keys = (table[:, 0] + tables["scope"].first_of(rows)) * width + table[:, 1]
    places = columns["start"][table[:, 3] + nodes.first_of(rows)].astype(np.int64) << 6 | table[:, 2]
    order = np.lexsort((places, all_keys))
    key, place = all_keys[order], places[order]
    if ((key[1:] == key[:-1]) & (place[1:] == place[:-1])).any():
        order = np.lexsort((*table[:, :2:-1].T, places, all_keys))
    table, place = table[order], places[order]
    fresh = np.ones(rows.total, np.bool_)
    fresh[1:] = key[1:] != key[:-1]
    first = np.flatnonzero(fresh)
    file = rows.files()[first]
    groups = _Rows(np.bincount(file, minlength=len(builders)).tolist())
    columns["group_scope"], columns["group_name"] = table[first, 0], table[first, 1]
    group_first = np.empty(groups.total + len(builders), np.int32)  # one more in each file
    group_first[np.arange(groups.total) + file] = first - rows.first[file]
    group_first[groups.bounds[1:] + np.arange(len(builders))] = rows.size
    columns["group_first"] = group_first
    columns["binding_how"] = table[:, 2].astype(np.uint8)
    columns["binding_target"], columns["binding_value"], extra, columns["binding_type"] = np.ascontiguousarray(table[:, 3:].T)
    defines = table[:, 2] == How.DEFINE
    extra[defines] = moved[extra[defines] + tables["symbol"].first_of(rows)[defines]]
    columns["binding_extra"] = extra
    return _Groups(key[first], width, place[first] >> 6), groups, rows


class _Groups:
    """Binding groups of a batch by (global scope, name)."""

    def __init__(self, keys: NDArray[np.int64], width: int, starts: NDArray[np.int64]) -> None:
        self.keys, self.width, self.starts = keys, width, starts  # starts: of the first binding of each

    def find(self, scope: NDArray[np.int64], name: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Whether each name is bound in its scope, and by which group."""
        key = scope * self.width + name
        at = np.minimum(self.keys.searchsorted(key), len(self.keys) - 1)
        return self.keys[at] == key, at


def _looked_up(
    builders: Sequence[FactsBuilder], groups: _Groups, nodes: _Rows, tables: Mapping[str, _Rows], columns: Mapping[str, NDArray[Any]]
) -> NDArray[np.int32]:
    """For every name that is written as a reference or a target: its binding group, innermost scope first; -1 for all others, -2
    for those that are not looked up (the name after a dot, ...)."""
    kind, every_name, scope_kind = columns["kind"], columns["name"], columns["scope_kind"]
    ignored = np.concatenate([builder.ignored for builder in builders])
    if builders[0].members:
        ignored |= _is_member(builders[0].members, kind, columns["parent"], nodes)
    group = np.full(nodes.total, -1, np.int32)
    group[ignored] = -2
    if not len(groups.keys):
        return group
    rows = np.flatnonzero(_WRITTEN[kind] & ~ignored & (every_name >= 0))
    scopes = tables["scope"]
    name = every_name[rows].astype(np.int64)
    scope = joined([builder.scope for builder in builders])[rows] + scopes.first_of(nodes)[rows]
    above = np.fromiter(chain.from_iterable([builder.lookup_parent for builder in builders]), np.int64, scopes.total)
    above = np.where(above >= 0, above + scopes.first_of(scopes), -1)
    for number, builder in enumerate(builders):
        at = scopes.ends[number]
        for (inner, redirected), outer in builder._redirect.items():
            scope[(scope == at + inner) & (name == redirected)] = at + outer
    shift = tables["group"].first_of(nodes)
    start = columns["start"] if builders[0].everywhere is not None else None
    ahead: list[tuple[int, int]] = []  # names in class bodies that are bound only further down, and their groups
    while len(rows):
        found, at_group = groups.find(scope, name)
        group[rows[found]] = at_group[found] - shift[rows[found]]
        if start is not None:
            later = found & (scope_kind[scope] == ScopeKind.CLASS) & (groups.starts[at_group] > start[rows])
            ahead += zip(rows[later].tolist(), group[rows[later]].tolist(), strict=True)
            found &= ~later
        scope = above[scope]
        left = ~found & (scope >= 0)
        rows, name, scope = rows[left], name[left], scope[left]
    for row, own in ahead:
        builder = builders[int(nodes.bounds.searchsorted(row, "right")) - 1]
        if group[row] == own and builder.everywhere is not None and builder.names[every_name[row]] in builder.everywhere:
            group[row] = -1
    return group


def _is_member(members: Mapping[int, bool], kind: NDArray[np.uint8], parent: NDArray[np.int32], nodes: _Rows) -> NDArray[np.bool_]:
    """See `FactsBuilder.members`."""
    rows = np.flatnonzero(kind == Kind.NAME)
    above = parent[rows] + nodes.first_of(nodes)[rows]
    is_first = rows == above + 1
    table = np.zeros((2, 256), np.bool_)
    for of, first in members.items():
        table[int(first), of] = True
    found = np.zeros(len(kind), np.bool_)
    found[rows] = table[is_first.astype(np.uint8), kind[above]]
    return found


def _facts_of_files(
    builders: Sequence[FactsBuilder], columns: Mapping[str, NDArray[Any]], tables: Mapping[str, _Rows], nodes: _Rows
) -> list[Facts]:
    """The part that each file has of every column."""
    lines, line_rows = line_starts([builder.tree.data for builder in builders])
    extra = np.array([(builder.tree.error_line, builder.has_all) for builder in builders], np.int32)
    are_small = [_is_small(nodes.ends[at + 1] - nodes.ends[at], len(builder.tree.data)) for at, builder in enumerate(builders)]
    of_small = [columns[column] for column in OF_NODES]
    small = nodes
    if not all(are_small):
        of_small = [column[np.array(are_small).repeat(nodes.size)] for column in of_small]
        small = _Rows([size if is_small else 0 for size, is_small in zip(nodes.size.tolist(), are_small, strict=True)])
    shared = {
        column: (columns[column].astype(COLUMNS[column], copy=False), tables[table].ends)
        for table, names in _ALL_TABLES.items()
        for column in names
    } | {
        "kind": (columns["kind"], nodes.ends),
        "line_starts": (lines, line_rows.ends),
        "extra": (extra.ravel(), list(range(0, extra.size + 1, 2))),
    }
    shared |= {column: (values, small.ends) for column, values in zip(OF_NODES, np.array(of_small, np.int16), strict=True)}
    found = []
    for number, builder in enumerate(builders):
        rows = slice(nodes.ends[number], nodes.ends[number + 1])
        own = _NOTHING if are_small[number] else of_nodes([columns[column][rows] for column in OF_NODES])
        found.append(Facts(Cut(own, shared, number), builder.names))
    return found


def of_nodes(columns: Sequence[NDArray[np.int32]]) -> dict[str, NDArray[Any]]:
    """The columns of `OF_NODES` by name, in the type that is wide enough for their file: the first node is all of it."""
    is_small = _is_small(len(columns[0]), max(int(column[0]) for column in columns[:2]) if len(columns[0]) else 0)
    return dict(zip(OF_NODES, np.array(columns, np.int16 if is_small else np.int32), strict=True))


def _is_small(nodes: int, size: int) -> bool:
    """Whether the numbers of a file's nodes take two bytes each; the columns of others are not those of their batch."""
    return max(nodes, size) <= _SMALL


class Cut(Mapping[str, NDArray[Any]]):
    """The columns of one file, cut out of those of its batch when they are asked for: sixty arrays of every file would take a fifth of the
    memory of all facts for saying where they are. `own`: those that it has for itself."""

    __slots__ = ("number", "own", "shared")

    def __init__(self, own: dict[str, NDArray[Any]], shared: Shared, number: int) -> None:
        self.own, self.shared, self.number = own, shared, number

    def __getitem__(self, column: str) -> NDArray[Any]:
        found = self.own.get(column)
        if found is not None:
            return found
        values, ends = self.shared[column]
        return values[ends[self.number] : ends[self.number + 1]]

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __len__(self) -> int:
        return len(COLUMNS)


def elsewhere(files: Sequence[Facts], put: Callable[[Sequence[NDArray[Any]]], Sequence[NDArray[Any]]]) -> list[Facts]:
    """Facts of files, and what puts arrays somewhere else -> the same facts, with most of their numbers there."""
    batches: dict[int, Shared] = {}
    own: list[dict[str, NDArray[Any]]] = []
    for facts in files:
        columns = facts.columns
        if isinstance(columns, Cut):
            batches.setdefault(id(columns.shared), columns.shared)
            own.append(columns.own)
        else:
            own.append({column: columns[column] for column in ("kind", *OF_NODES)})
    wanted = list(chain.from_iterable([one.values() for one in own]))
    for shared in batches.values():
        wanted += [values for values, _ in shared.values()]
    found = iter(put(wanted))
    own = [{column: next(found) for column in one} for one in own]
    moved = {number: {column: (next(found), ends) for column, (_, ends) in shared.items()} for number, shared in batches.items()}
    made: list[Facts] = []
    for facts, one in zip(files, own, strict=True):
        columns = facts.columns
        if isinstance(columns, Cut):
            made.append(Facts(Cut(one, moved[id(columns.shared)], columns.number), facts.names))
        else:
            made.append(Facts({**columns, **one}, facts.names))
    return made


def line_starts(files: Sequence[bytes]) -> tuple[NDArray[np.int32], _Rows]:
    """Where each line of each file starts. Joined by a line break, the files are one text: a file's first line follows a break too."""
    offset = _Rows([len(data) + 1 for data in files])
    breaks = np.flatnonzero(np.frombuffer(b"\n".join(files), np.uint8) == 10)
    starts = np.zeros(len(breaks) + 1, np.int64)
    np.add(breaks, 1, out=starts[1:])
    rows = _Rows(np.diff(starts.searchsorted(offset.bounds)).tolist())
    return (starts - offset.first_of(rows)).astype(np.int32), rows


_WRITTEN: Final = np.zeros(256, bool)
_WRITTEN[[Kind.NAME, Kind.SHORTHAND, Kind.TYPE_NAME, Kind.SHORTHAND_PATTERN]] = True
_OPEN, _PLAIN = (
    {table: tuple(column for column in COLUMNS if column.partition("_")[0] == table) for table in tables}
    for tables in (("symbol", "scope"), ("import", "star", "return", "param", "store", "export", "narrow", "guard"))
)
_OF_SYMBOLS: Final = frozenset({ScopeKind.FUNCTION, ScopeKind.CLASS, ScopeKind.MODULE, ScopeKind.NAMESPACE})  # a symbol's own scope
_ALL_TABLES: Final = {
    **_OPEN,
    **_PLAIN,
    "group": ("group_scope", "group_name"),
    "group_first": ("group_first",),
    "binding": ("binding_how", "binding_target", "binding_value", "binding_extra", "binding_type"),
}
_NOTHING: Final[dict[str, NDArray[Any]]] = {}
OF_NODES: Final = ("start", "end", "next", "parent", "name", "group", "owner")
