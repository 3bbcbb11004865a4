"""What one file says by itself -> `Facts`: symbols, scopes, bindings and references, as columns that can be stored.

A language's front end walks the few nodes that define or bind something and calls `FactsBuilder`; looking every written
name up in its scopes is then done for the whole file at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from index.parsing.columns import MAX_NODES, Tree, tree_of
from index.parsing.kinds import Kind
from index.types import SymbolKind

if TYPE_CHECKING:
    from index.languages.language import Language

FACTS_VERSION = 2


class How(IntEnum):
    """How a binding gives a name its value."""

    ASSIGN = 0  # the value itself
    UNPACK = 1  # element `extra` of the value
    REST = 2  # what a starred target takes of the value
    ELEMENT = 3  # what iterating over the value gives
    ENTER = 4  # what entering the value as a context manager gives
    CAUGHT = 5  # an exception of the class(es) `value`
    PARAM = 6  # parameter row `extra`
    DEFINE = 7  # symbol row `extra`: a function or class
    MODULE = 8  # import row `extra`: the module itself
    MEMBER = 9  # import row `extra`: a name of the module
    DECLARE = 10  # only a declared type
    AUGMENT = 11
    NARROW = 12  # isinstance(name, value) holds: in Python in the `extra` nodes from the target on, in scripts inside the target
    PATTERN = 13  # bound by a match pattern: class `value`, or nothing known
    PROPERTY = 14  # property `extra` (row of names) of the value: destructuring
    EXCLUDE = 15  # isinstance(name, value) does not hold in the `extra` nodes from the target on


class ScopeKind(IntEnum):
    MODULE = 0
    FUNCTION = 1
    CLASS = 2
    COMPREHENSION = 3
    BLOCK = 4
    INSTANCE = 5  # attributes that methods give to `self`; nothing is looked up here by a bare name
    PROTOTYPE = 6
    NAMESPACE = 7  # names are looked up here from inside, and are members from outside


class ParamFlag(IntEnum):
    STAR = 1
    DOUBLE_STAR = 2
    KEYWORD_ONLY = 4
    HAS_DEFAULT = 8
    SELF = 16


_COLUMNS: dict[str, Any] = {
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
    "export_name": np.int32, "export_local": np.int32, "export_import": np.int32, "export_node": np.int32,
    "line_starts": np.int32, "names": np.uint8, "extra": np.int32,
}  # fmt: skip


class Facts:
    """The columns of one file by name (see `_COLUMNS`), and its `names`.

    Nodes: kind, start, end, next, parent as in `Tree`; group is the binding group a written name means (-1: none in this
    file), owner the symbol whose code holds the node. Symbols are in order of their start, row 0 is the module. Bindings
    of one (scope, name) stand together, in order of position: those of group g are group_first[g] up to group_first[g+1].
    extra = [error line, has `__all__`].
    """

    __slots__ = ("columns", "names")

    def __init__(self, columns: Mapping[str, NDArray[Any]], names: list[str]) -> None:
        self.columns = columns
        self.names = names

    @classmethod
    def of_columns(cls, columns: Mapping[str, NDArray[Any]]) -> Facts:
        text = columns["names"].tobytes()
        return cls(columns, text.decode("utf-8", "surrogatepass").split("\0") if text else [])

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]


class FactsBuilder:
    """Collects what a front end finds. Nodes, scopes, symbols and names are row numbers."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        size = len(tree.kind)
        self.scope = np.zeros(size, np.int32)
        self.owner = np.zeros(size, np.int32)
        self.ignored = np.zeros(size, bool)  # names that are not looked up
        self.rows: dict[str, list[int]] = {column: [] for column in _COLUMNS if column.split("_")[0] in _TABLES}
        self.names = tree.names
        self._name_rows = {name: row for row, name in enumerate(tree.names)}
        self._bindings: list[tuple[int, int, int, int, int, int, int]] = []
        self._redirect: dict[tuple[int, int], int] = {}
        self._instance: dict[int, int] = {}
        self._fields: dict[tuple[int, int], int] = {}
        self.scope_self: list[tuple[int, int]] = []
        self.lookup_parent: list[int] = []
        self.has_all = 0
        self.module = self.symbol(0, -1, SymbolKind.MODULE, -1, 0, len(tree.data), 0)
        self.add_scope(ScopeKind.MODULE, -1, self.module, 0)

    def name_row(self, text: str) -> int:
        row = self._name_rows.get(text)
        if row is None:
            row = self._name_rows[text] = len(self.names)
            self.names.append(text)
        return row

    def symbol(self, node: int, name: int, kind: SymbolKind, parent: int, start: int, end: int, at: int) -> int:
        """A new symbol; `at` is the byte of its name."""
        rows = self.rows
        rows["symbol_node"].append(node)
        rows["symbol_name"].append(name)
        rows["symbol_kind"].append(kind)
        rows["symbol_parent"].append(parent)
        rows["symbol_start"].append(start)
        rows["symbol_end"].append(end)
        rows["symbol_at"].append(at)
        rows["symbol_scope"].append(-1)
        rows["symbol_flags"].append(0)
        return len(rows["symbol_node"]) - 1

    def add_scope(self, kind: ScopeKind, parent: int, symbol: int, node: int) -> int:
        rows = self.rows
        row = len(rows["scope_kind"])
        rows["scope_kind"].append(kind)
        rows["scope_parent"].append(parent)
        rows["scope_symbol"].append(symbol)
        rows["scope_node"].append(node)
        rows["scope_end"].append(int(self.tree.end[node]))
        if (
            kind in (ScopeKind.FUNCTION, ScopeKind.CLASS, ScopeKind.MODULE, ScopeKind.NAMESPACE)
            and symbol >= 0
            and rows["symbol_scope"][symbol] < 0
        ):
            rows["symbol_scope"][symbol] = row
        self.scope_self.append(self.scope_self[parent] if parent >= 0 and kind != ScopeKind.CLASS else (-1, -1))
        above = parent
        while above >= 0 and rows["scope_kind"][above] == ScopeKind.CLASS:
            above = rows["scope_parent"][above]
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

    def bind(self, scope: int, name: int, how: How, target: int, value: int = -1, extra: int = -1, type_node: int = -1) -> None:
        if name < 0:
            return
        scope = self._redirect.get((scope, name), scope)
        self._bindings.append((scope, name, int(self.tree.start[target]), how, target, value, extra * 4_000_000 + type_node + 1))

    def field(self, owner: int, name: int, kind: SymbolKind, node: int, end_node: int, at: int) -> int:
        """The symbol of a constant or field, made at its first binding."""
        key = (owner, name)
        row = self._fields.get(key)
        if row is None:
            tree = self.tree
            row = self._fields[key] = self.symbol(node, name, kind, owner, int(tree.start[node]), int(tree.end[end_node]), at)
        return row

    def add_import(self, module: int, level: int, member: int, node: int, flags: int = 0) -> int:
        rows = self.rows
        rows["import_module"].append(module)
        rows["import_level"].append(level)
        rows["import_member"].append(member)
        rows["import_node"].append(node)
        rows["import_flags"].append(flags)
        return len(rows["import_module"]) - 1

    def add(self, table: str, *values: int) -> int:
        """One row of a plain table, values in the order of `_COLUMNS`."""
        columns = _TABLE_COLUMNS[table]
        for column, value in zip(columns, values, strict=True):
            self.rows[column].append(value)
        return len(self.rows[columns[0]]) - 1

    def facts(self) -> Facts:
        """Everything found so far, names looked up."""
        tree, rows = self.tree, self.rows
        columns: dict[str, NDArray[Any]] = {
            "kind": tree.kind, "start": tree.start, "end": tree.end, "next": tree.next, "parent": tree.parent, "name": tree.name,
        }  # fmt: skip
        remap = self._sort_symbols()
        self._bindings.sort()
        bindings = np.array(self._bindings, np.int64).reshape(-1, 7)
        width = np.int64(max(len(self.names), 1))
        keys = bindings[:, 0] * width + bindings[:, 1]
        first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.empty(0, np.int64)
        group_keys = keys[first]
        columns["group_scope"] = bindings[first, 0].astype(np.int32)
        columns["group_name"] = bindings[first, 1].astype(np.int32)
        columns["group_first"] = np.r_[first, len(keys)].astype(np.int32)
        columns["binding_how"] = bindings[:, 3].astype(np.uint8)
        columns["binding_target"] = bindings[:, 4].astype(np.int32)
        columns["binding_value"] = bindings[:, 5].astype(np.int32)
        extra, type_node = np.divmod(bindings[:, 6], 4_000_000)
        defines = bindings[:, 3] == How.DEFINE
        extra[defines] = remap[extra[defines]]
        columns["binding_extra"] = extra.astype(np.int32)
        columns["binding_type"] = (type_node - 1).astype(np.int32)
        columns["group"] = self._look_up(group_keys, width)
        columns["owner"] = remap[self.owner].astype(np.int32)
        for column, values in rows.items():
            columns[column] = np.array(values, _COLUMNS[column])
        for column in ("symbol_parent", "scope_symbol", "return_symbol", "param_symbol"):
            values = columns[column]
            columns[column] = np.where(values >= 0, remap[values], -1).astype(np.int32)
        order = np.argsort(remap, kind="stable")
        for column in _TABLE_COLUMNS["symbol"]:
            columns[column] = columns[column][order]
        raw = np.frombuffer(tree.data, np.uint8)
        columns["line_starts"] = np.r_[0, np.flatnonzero(raw == 10) + 1].astype(np.int32)
        columns["names"] = np.frombuffer("\0".join(self.names).encode("utf-8", "surrogatepass"), np.uint8)
        columns["extra"] = np.array([tree.error_line, self.has_all], np.int32)
        return Facts(columns, self.names)

    def _sort_symbols(self) -> NDArray[np.int64]:
        """Old symbol row -> its row in order of (start, -end, at)."""
        start, end, at = (np.array(self.rows[f"symbol_{column}"], np.int64) for column in ("start", "end", "at"))
        order = np.lexsort((np.arange(len(start)), at, -end, start))
        order = np.r_[0, order[order != 0]]
        remap = np.empty(len(order), np.int64)
        remap[order] = np.arange(len(order))
        return remap

    def _look_up(self, group_keys: NDArray[np.int64], width: np.int64) -> NDArray[np.int32]:
        """For every name that is written as a reference or a target: its binding group, innermost scope first."""
        tree = self.tree
        group = np.full(len(tree.kind), -1, np.int32)
        if not len(group_keys):
            return group
        wanted = _WRITTEN[tree.kind] & ~self.ignored & (tree.name >= 0)
        rows = np.flatnonzero(wanted)
        above = np.array(self.lookup_parent, np.int64)
        name, scope = tree.name[rows].astype(np.int64), self.scope[rows].astype(np.int64)
        for (inner, redirected), outer in self._redirect.items():
            scope[(scope == inner) & (name == redirected)] = outer
        while len(rows):
            key = scope * width + name
            at = np.minimum(np.searchsorted(group_keys, key), len(group_keys) - 1)
            found = group_keys[at] == key
            group[rows[found]] = at[found]
            scope = above[scope]
            left = ~found & (scope >= 0)
            rows, name, scope = rows[left], name[left], scope[left]
        return group


_WRITTEN = np.zeros(256, bool)
_WRITTEN[[Kind.NAME, Kind.SHORTHAND, Kind.TYPE_NAME, Kind.SHORTHAND_PATTERN]] = True
_TABLES = ("symbol", "scope", "import", "star", "return", "param", "store", "export")
_TABLE_COLUMNS = {table: tuple(column for column in _COLUMNS if column.split("_")[0] == table) for table in _TABLES}


def facts_of(data: bytes, language: Language) -> Facts:
    """Facts of one file's bytes; broken source gives the facts of what could be read."""
    tree = tree_of(data, language)
    if len(tree.kind) > MAX_NODES:
        tree = tree_of(b"", language)
    builder = FactsBuilder(tree)
    language.front_end(tree, builder)
    return builder.facts()
