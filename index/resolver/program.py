"""The files of one tree as the resolver reads them: `Unit` is one file's facts with quick look-ups, `Program` all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from index.languages.modules import Resolution
from index.languages.python.front import SYMBOL_CLASSMETHOD, SYMBOL_DECORATED, SYMBOL_DISPATCH, SYMBOL_OVERLOAD
from index.numbers import SymbolKind
from index.parsing.column import (
    Column,
    Growing,
    column_of_any,
    column_of_nodes,
    column_of_rows,
    growing,
    last_not_above,
    note_firsts,
)
from index.parsing.facts import Facts, How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind
from index.resolver.externals import BINARY_DUNDERS, MUTATORS, REORDERS
from index.resolver.gateways import Seen, place_key
from index.resolver.values import Values

OF_CLASS: Final = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})  # methods whose first parameter is the class
Kept = tuple[Values, int, Seen]  # an answer of the evaluator, the fuel that it took, what was looked at
Passed = tuple[list[int], dict[str, int]]  # argument nodes of a call: positional ones, and keyword ones by name
NO_NAMES: Final[tuple[dict[str, int], dict[str, int]]] = ({}, {})  # of a class that has none: see `Unit.class_names`
NO_ANSWERS: Final[dict[int, Kept]] = {}  # of a kind that nobody asked yet; never written to


class Unit:
    """One file. Columns are quick to read one by one; tables by name are made when first asked for."""

    def __init__(self, number: int, path: str, language: str, facts: Facts) -> None:
        self.number, self.path, self.language, self.facts, self.names = number, path, language, facts, facts.names
        self.is_script = language != "python"
        columns = facts.columns
        self.kind = columns["kind"].tobytes()  # bytes are read faster than anything else
        self.symbol_kind, self.scope_kind = columns["symbol_kind"].tobytes(), columns["scope_kind"].tobytes()
        self.how = columns["binding_how"].tobytes()
        is_small = max(len(self.kind), len(self.symbol_kind), len(columns["group_scope"]), len(facts.names)) <= _SMALL
        self.start, self.end = columns["start"].data, columns["end"].data  # hardly read
        self.next, self.parent = column_of_nodes(columns["next"], is_small), column_of_nodes(columns["parent"], is_small)
        self.name = column_of_nodes(columns["name"], is_small)
        self.group, self.owner = column_of_nodes(columns["group"], is_small), column_of_nodes(columns["owner"], is_small)
        is_small = is_small and columns["start"].dtype == np.int16
        self.symbol_node = column_of_rows(columns["symbol_node"], is_small)
        self.symbol_name = column_of_rows(columns["symbol_name"], is_small)
        self.symbol_parent = column_of_rows(columns["symbol_parent"], is_small)
        self.symbol_at = column_of_rows(columns["symbol_at"], is_small)
        self.symbol_scope = column_of_rows(columns["symbol_scope"], is_small)
        self.symbol_flags = column_of_any(columns["symbol_flags"])
        self.scope_symbol = column_of_rows(columns["scope_symbol"], is_small)
        self.scope_node = column_of_rows(columns["scope_node"], is_small)
        self.group_scope = column_of_rows(columns["group_scope"], is_small)
        self.group_name = column_of_rows(columns["group_name"], is_small)
        self.group_first = column_of_rows(columns["group_first"], is_small)
        self.target = column_of_rows(columns["binding_target"], is_small)
        self.value = column_of_rows(columns["binding_value"], is_small)
        self.extra = column_of_any(columns["binding_extra"])  # also the place in an unpacking
        self.type = column_of_rows(columns["binding_type"], False)  # types that stand in comments have large numbers
        self.import_module = column_of_rows(columns["import_module"], is_small)
        self.import_level = column_of_any(columns["import_level"])
        self.import_member = column_of_rows(columns["import_member"], is_small)
        self.import_node = column_of_rows(columns["import_node"], is_small)
        self.import_flags = column_of_any(columns["import_flags"])
        self.param_symbol = column_of_rows(columns["param_symbol"], is_small)
        self.param_name = column_of_rows(columns["param_name"], is_small)
        self.param_flags = column_of_any(columns["param_flags"])
        self.param_type = column_of_rows(columns["param_type"], False)
        self.param_default = column_of_rows(columns["param_default"], is_small)
        self.param_node = column_of_rows(columns["param_node"], is_small)
        self.has_all = int(columns["extra"][1])
        first, how = columns["group_first"], columns["binding_how"]
        is_plain = first[1:] - first[:-1] == 1
        is_plain[is_plain] = ~_DECLARES[how[first[:-1][is_plain]]]
        # Whether a group's bindings hold everywhere alike: a single one that is more than a declaration.
        self.group_is_plain: bytes = is_plain.tobytes()
        name = path.rpartition("/")[2]
        self.is_test = name.startswith("test") or name.endswith("_test.py") or name == "conftest.py" or "/tests/" in f"/{path}"
        self.let_go()

    def let_go(self) -> None:
        """Forgets every answer and table: each is made again when it is asked for. They take twice the memory of the facts."""
        self.memo: list[dict[int, Kept]] = [NO_ANSWERS] * 40  # of the evaluator, by kind of question: most are never asked
        self.answers: list[Kept | None] | None = None  # the same about nodes, while the file is linked
        self._bound: list[Kept | None] | None = None  # the same about bindings
        self.top_memo: dict[str, Kept] = {}
        self.paths_looked_at: dict[tuple[str, int, str], Seen] = {}
        self.modules: dict[tuple[str, int], tuple[Values, Seen]] = {}  # what is imported, and its level -> what it is, what was looked at
        self.looked_at: dict[str, dict[str, Seen]] = {}  # kind of fact about the file -> name -> the fact
        self.members_looked_at: dict[int, dict[str, Seen]] = {}  # class -> name of a member -> the fact
        # The same of all its symbols: kind -> symbol -> name -> the fact.
        self.looked_at_in: dict[str, dict[int, dict[str, Seen]]] = {"member": self.members_looked_at}
        self.base_nodes: dict[int, list[int]] = {}  # class -> see `Evaluator.base_nodes`
        self.metaclass_nodes: dict[int, list[int]] = {}  # class -> what it names as its metaclass
        self.code_looked_at: dict[int, Seen] = {}
        self.parameters_looked_at: dict[int, Seen] = {}
        self.row_places: dict[int, tuple[int, int]] = {}  # binding row -> the block and the statement that it stands in
        self.reached: dict[int, list[int]] = {}  # name that is bound several times -> the rows that may hold there
        self.written: dict[int, Passed] = {}  # call -> its arguments: see `Evaluator.arguments`
        self.written_here: list[Passed | None] | None = None  # the same of all nodes, while the file is linked
        self._place_keys: dict[int, int] = {}
        self._values_before: Column | None = None
        # Tables of the properties below, made when they are first asked for: a compiled class has no room for `cached_property`.
        self.alike: Column | None = None  # see `make_alike`
        self._says_super: bool | None = None
        self._class_names: dict[int, tuple[dict[str, int], dict[str, int]]] | None = None
        self._group_needs_care: bytes | None = None
        self._scope_names: dict[int, dict[str, int]] | None = None
        self._module_names: dict[str, int] | None = None
        self._class_scopes: dict[int, tuple[int, ...]] | None = None
        self._symbol_of_node: dict[int, int] | None = None
        self._fields: dict[tuple[int, str], int] | None = None
        self._data_fields: dict[tuple[int, str], int] | None = None
        self._params: dict[int, list[int]] | None = None
        self._keys_passed: dict[int, tuple[int, int]] | None = None
        self._key_params: dict[int, list[int]] | None = None
        self._returns: dict[int, list[tuple[int, int]]] | None = None
        self._stars: list[tuple[int, int]] | None = None
        self._conditions: dict[str, list[tuple[int, int, int, bool, str]]] | None = None
        self._guards: dict[int, dict[int, list[tuple[int, bool]]]] | None = None
        self._delegated: frozenset[int] | None = None
        self._type_parameters: dict[int, list[str]] | None = None
        self._patched: dict[int, set[str]] | None = None
        self._star_order: list[tuple[int, bool]] | None = None
        self._registered: dict[int, list[int]] | None = None
        self._exports: dict[str, tuple[int, int, int]] | None = None
        self._stores: list[tuple[int, int]] | None = None
        self._attribute_stores: dict[str, list[tuple[int, int]]] | None = None
        self._store_targets: frozenset[int] | None = None
        self._fixtures: dict[str, list[int]] | None = None
        self._has_overloads: list[int] | None = None
        self._fixture_symbols: frozenset[int] | None = None
        self._mutations: list[int] | None = None
        self._called: list[tuple[int, int]] | None = None
        self._reorders: list[int] | None = None
        self._described: list[int] | None = None
        self._mixes: list[tuple[int, int]] | None = None
        self._item_stores: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]] | None = None
        self._public: frozenset[str] | None = None

    @property
    def bound(self) -> list[Kept | None]:
        """Binding row -> what is kept of what it gives its name."""
        found = self._bound
        if found is None:
            found = self._bound = [None] * len(self.how)
        return found

    def listed(self, column: str) -> list[int]:
        """All numbers of a column of the facts."""
        found: list[int] = self.facts.columns[column].tolist()
        return found

    def kids(self, node: int) -> list[int]:
        child, stop, following, found = node + 1, self.next[node], self.next, []
        while child < stop:
            found.append(child)
            child = following[child]
        return found

    def text(self, node: int) -> str:
        row = self.name[node]
        return self.names[row] if row >= 0 else ""

    def symbol_text(self, symbol: int) -> str:
        row = self.symbol_name[symbol]
        return self.names[row] if row >= 0 else ""

    def qualified(self, symbol: int) -> str:
        found = []
        while symbol > 0:
            found.append(self.symbol_text(symbol))
            symbol = self.symbol_parent[symbol]
        return ".".join(reversed(found)) or "<module>"

    def place_key(self, symbol: int) -> int:
        """The place of a fact about the file (0 or less) or one of its symbols: see `index.resolver.gateways.place_key`."""
        key = self._place_keys.get(symbol)
        if key is None:
            key = self._place_keys[symbol] = self._made_place_key(symbol)
        return key

    def _made_place_key(self, symbol: int) -> int:
        if symbol <= 0:
            return place_key(self.path)
        above = self.symbol_parent[symbol]
        if above > 0 and self.symbol_text(above):  # its qualified name begins with that of what it stands in
            return place_key(f".{self.symbol_text(symbol)}", self.place_key(above))
        return place_key(f"\0{self.qualified(symbol)}", self.place_key(0))

    def make_alike(self) -> Column:
        """Python: node of `x.name` -> the first node of the file that must mean the same, since `x` is bound once and for all of its
        places, or is `self` of the same class; other nodes -> themselves. Attributes that conditions speak of are left out."""
        # Loops: the steps of numpy took longer for the few hundred nodes of a file, where this is compiled three times as long.
        numbers = np.arange(len(self.kind), dtype=self.facts.columns["next"].dtype)
        found = column_of_nodes(numbers, len(numbers) <= _SMALL)
        following, group, name = self.next, self.group, self.name
        whose = self._whose()
        told = {self.names.index(text) for text in self.conditions}
        places, first, second = growing(), growing(), growing()
        for at in self._places(_ATTRIBUTE_OF_NAME):
            of, last = group[at + 1], following[at + 1]
            if of < 0 or last >= following[at] or whose[of] < 0:
                continue
            row = name[last]
            if row >= 0 and not (told and row in told):
                places.append(at)
                first.append(whose[of])
                second.append(row)
        note_firsts(found, places, first, second)
        self.alike = found
        return found

    def _whose(self) -> Growing:
        """Binding group -> a number of what the name means wherever it is read: the group itself, one number for the `self` of all methods
        of a class; -1 where that hangs on the place."""
        found, of_class = growing(), dict[int, int]()
        is_plain, how = self.group_is_plain, self.how
        for group in range(len(is_plain)):
            number = group if is_plain[group] else -1
            row = self.group_first[group]
            if number >= 0 and how[row] == How.PARAM and self.param_flags[self.extra[row]] & ParamFlag.SELF:
                method = self.param_symbol[self.extra[row]]
                owner = self.symbol_parent[method]
                is_method = self.symbol_kind[owner] in _CLASSES and not self.symbol_flags[method] & SYMBOL_CLASSMETHOD
                if is_method and self.symbol_text(method) not in OF_CLASS:
                    number = of_class.setdefault(owner, group)
            found.append(number)
        return found

    @property
    def says_super(self) -> bool:
        """Whether `super` is written anywhere in the file."""
        if self._says_super is None:
            self._says_super = "super" in self.names
        return self._says_super

    @property
    def class_names(self) -> dict[int, tuple[dict[str, int], dict[str, int]]]:
        """Class symbol -> name -> binding group: of what an instance has, and of what the class itself has."""
        if self._class_names is None:
            self._class_names = self._made_class_names()
        return self._class_names

    def _made_class_names(self) -> dict[int, tuple[dict[str, int], dict[str, int]]]:
        found = {}
        for symbol, scopes in self.class_scopes.items():
            of_class: dict[str, int] = {}
            of_instance: dict[str, int] = {}
            for scope in scopes:
                names = self.scope_names.get(scope, {})
                of_instance = names | of_instance
                if self.scope_kind[scope] != ScopeKind.INSTANCE:
                    of_class = names | of_class
            found[symbol] = (of_instance, of_class)
        return found

    @property
    def group_needs_care(self) -> bytes:
        """Whether a group has a narrowing or a declared type among its bindings."""
        if self._group_needs_care is None:
            self._group_needs_care = self._made_group_needs_care()
        return self._group_needs_care

    def _made_group_needs_care(self) -> bytes:
        hows, types = self.how, self.listed("binding_type")
        found = bytearray(len(self.group_scope))
        if max(types, default=-1) >= 0 or How.NARROW in hows or How.EXCLUDE in hows:
            for row, how in enumerate(hows):
                if how == How.NARROW or how == How.EXCLUDE or types[row] >= 0:
                    found[self.group_of(row)] = 1
        return bytes(found)

    def group_of(self, row: int) -> int:
        """Binding row -> its group."""
        return last_not_above(self.group_first, row)

    def outermost(self, symbol: int) -> int:
        """The function (or class) at the top of the file or of a class that holds a symbol."""
        while self.symbol_parent[symbol] > 0 and self.symbol_kind[self.symbol_parent[symbol]] not in (1, 7, 8, 9, 11):
            symbol = self.symbol_parent[symbol]
        return symbol

    @property
    def scope_names(self) -> dict[int, dict[str, int]]:
        """Scope -> name -> binding group, of the scopes that other files or objects are asked for."""
        if self._scope_names is None:
            self._scope_names = self._made_scope_names()
        return self._scope_names

    def _made_scope_names(self) -> dict[int, dict[str, int]]:
        found: dict[int, dict[str, int]] = {}
        names, wanted = self.names, (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.INSTANCE, ScopeKind.PROTOTYPE, ScopeKind.NAMESPACE)
        kinds = self.scope_kind
        for group, scope in enumerate(self.listed("group_scope")):
            if kinds[scope] in wanted:
                found.setdefault(scope, {})[names[self.group_name[group]]] = group
        return found

    @property
    def module_names(self) -> dict[str, int]:
        if self._module_names is None:
            self._module_names = self._made_module_names()
        return self._module_names

    def _made_module_names(self) -> dict[str, int]:
        return self.scope_names.get(0, {})

    @property
    def class_scopes(self) -> dict[int, tuple[int, ...]]:
        """Class symbol -> its scopes: class body, then what methods and prototypes add."""
        if self._class_scopes is None:
            self._class_scopes = self._made_class_scopes()
        return self._class_scopes

    def _made_class_scopes(self) -> dict[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        for scope, kind in enumerate(self.scope_kind):
            if kind in (ScopeKind.CLASS, ScopeKind.INSTANCE, ScopeKind.PROTOTYPE, ScopeKind.NAMESPACE):
                found.setdefault(self.scope_symbol[scope], []).append(scope)
        return {symbol: tuple(scopes) for symbol, scopes in found.items()}

    @property
    def symbol_of_node(self) -> dict[int, int]:
        if self._symbol_of_node is None:
            self._symbol_of_node = self._made_symbol_of_node()
        return self._symbol_of_node

    def _made_symbol_of_node(self) -> dict[int, int]:
        return {node: symbol for symbol, node in enumerate(self.listed("symbol_node")) if symbol and self.symbol_kind[symbol] not in (5, 6)}

    @property
    def fields(self) -> dict[tuple[int, str], int]:
        """(owner symbol, name) -> the symbol of a constant, field or other member of that name; the last one where there are more."""
        if self._fields is None:
            self._fields = self._made_fields()
        return self._fields

    def _made_fields(self) -> dict[tuple[int, str], int]:
        return {(parent, self.symbol_text(symbol)): symbol for symbol, parent in enumerate(self.listed("symbol_parent")) if symbol}

    @property
    def data_fields(self) -> dict[tuple[int, str], int]:
        """Of `fields`, the constants and fields themselves, where a function that is assigned to one has its name too."""
        if self._data_fields is None:
            self._data_fields = self._made_data_fields()
        return self._data_fields

    def _made_data_fields(self) -> dict[tuple[int, str], int]:
        of_data = (SymbolKind.CONSTANT, SymbolKind.FIELD)
        kinds = self.symbol_kind
        return {key: symbol for symbol, key in self._named if kinds[symbol] in of_data and kinds[self.fields[key]] not in of_data}

    @property
    def _named(self) -> Iterator[tuple[int, tuple[int, str]]]:
        return ((symbol, (parent, self.symbol_text(symbol))) for symbol, parent in enumerate(self.listed("symbol_parent")) if symbol)

    @property
    def params(self) -> dict[int, list[int]]:
        """Function symbol -> its parameter rows."""
        if self._params is None:
            self._params = self._made_params()
        return self._params

    def _made_params(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for row, symbol in enumerate(self.listed("param_symbol")):
            found.setdefault(symbol, []).append(row)
        return found

    @property
    def keys_passed(self) -> dict[int, tuple[int, int]]:
        """The key in `TABLE[key]` or `TABLE.get(key)`, where it is a parameter and the table a name at the top of the file ->
        (function, index of the parameter). Only of plain functions: who calls a method, or what a decorator makes, is less well known."""
        if self._keys_passed is None:
            self._keys_passed = self._made_keys_passed()
        return self._keys_passed

    def _made_keys_passed(self) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        kind, following, groups = self.kind, self.next, self.group
        asked: list[tuple[int, int]] = []  # table, key
        for at in self._places(_ITEM_OF_NAME):
            key = following[at + 1]
            if key < following[at]:
                asked.append((at + 1, key))
        if "get" in self.names:
            get, names = self.names.index("get"), self.name
            for at in self._places(_METHOD_OF_NAME):
                arguments = following[at + 1]
                if names[following[at + 2]] == get and arguments < following[at] and arguments + 1 < following[arguments]:
                    asked.append((at + 2, arguments + 1))
        for at, key in asked:
            group, of_table = groups[key], groups[at]
            if kind[key] != Kind.NAME or group < 0:
                continue
            row = self.group_first[group]
            if not self.group_is_plain[group] or self.how[row] != How.PARAM or (of_table >= 0 and self.group_scope[of_table] != 0):
                continue
            param = self.extra[row]
            symbol = self.param_symbol[param]
            flags = self.param_flags[param] & (ParamFlag.STAR | ParamFlag.DOUBLE_STAR)
            if self.symbol_kind[symbol] == SymbolKind.FUNCTION and not flags and not self.symbol_flags[symbol] & SYMBOL_DECORATED:
                found[key] = symbol, self.params[symbol].index(param)
        return found

    def _places(self, kinds: bytes) -> list[int]:
        """Where nodes of these two or three kinds follow on each other."""
        own = self.facts.columns["kind"]
        at = np.flatnonzero((own[:-1] == kinds[0]) & (own[1:] == kinds[1]))
        if len(kinds) > 2:
            at = at[at < len(own) - 2]
            at = at[own[at + 2] == kinds[2]]
        found: list[int] = at.tolist()
        return found

    @property
    def key_params(self) -> dict[int, list[int]]:
        """Function -> indexes of its parameters that are keys of tables."""
        if self._key_params is None:
            self._key_params = self._made_key_params()
        return self._key_params

    def _made_key_params(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for symbol, index in sorted(set(self.keys_passed.values())):
            found.setdefault(symbol, []).append(index)
        return found

    @property
    def returns(self) -> dict[int, list[tuple[int, int]]]:
        """Function symbol -> (node, 0 return, 1 yield, 2 yield from)."""
        if self._returns is None:
            self._returns = self._made_returns()
        return self._returns

    def _made_returns(self) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        columns = self.facts.columns
        for symbol, node, yields in zip(
            columns["return_symbol"].tolist(), columns["return_node"].tolist(), columns["return_yields"].tolist(), strict=True
        ):
            found.setdefault(symbol, []).append((node, yields))
        return found

    @property
    def stars(self) -> list[tuple[int, int]]:
        if self._stars is None:
            self._stars = self._made_stars()
        return self._stars

    def _made_stars(self) -> list[tuple[int, int]]:
        columns = self.facts.columns
        return list(zip(columns["star_scope"].tolist(), columns["star_import"].tolist(), strict=True))

    @property
    def conditions(self) -> dict[str, list[tuple[int, int, int, bool, str]]]:
        """Last name of an attribute -> what is known of it: (first node, node after the last, class, whether it is of it, all of it)."""
        if self._conditions is None:
            self._conditions = self._made_conditions()
        return self._conditions

    def _made_conditions(self) -> dict[str, list[tuple[int, int, int, bool, str]]]:
        columns = self.facts.columns
        found: dict[str, list[tuple[int, int, int, bool, str]]] = {}
        table = (columns[f"narrow_{column}"].tolist() for column in ("node", "value", "first", "count", "holds"))
        for node, value, first, count, holds in zip(*table, strict=True):
            text = self.dotted(node)
            if text:
                found.setdefault(text.rpartition(".")[2], []).append((first, first + count, value, bool(holds), text))
        return found

    def dotted(self, node: int) -> str:
        """`self.a.b` as it is written; "" for anything else than names."""
        parts = []
        while self.kind[node] == Kind.ATTRIBUTE:
            parts.append(self.text(self.next[node + 1]))
            node += 1
        return ".".join([self.text(node), *reversed(parts)]) if self.kind[node] == Kind.NAME else ""

    @property
    def guards(self) -> dict[int, dict[int, list[tuple[int, bool]]]]:
        """Function -> returned node -> the parameters that have to be given for it, or not given."""
        if self._guards is None:
            self._guards = self._made_guards()
        return self._guards

    def _made_guards(self) -> dict[int, dict[int, list[tuple[int, bool]]]]:
        columns = self.facts.columns
        found: dict[int, dict[int, list[tuple[int, bool]]]] = {}
        table = (columns[f"guard_{column}"].tolist() for column in ("return", "param", "given"))
        for node, row, given in zip(*table, strict=True):
            found.setdefault(self.param_symbol[row], {}).setdefault(node, []).append((row, bool(given)))
        return found

    @property
    def delegated(self) -> frozenset[int]:
        """What `yield from` iterates over."""
        if self._delegated is None:
            self._delegated = self._made_delegated()
        return self._delegated

    def _made_delegated(self) -> frozenset[int]:
        columns = self.facts.columns
        return frozenset(columns["return_node"][columns["return_yields"] == 2].tolist())

    @property
    def type_parameters(self) -> dict[int, list[str]]:
        """Class -> its type parameters in order: those of Generic[...] or Protocol[...], of `class C[T]`, or else the type variables of
        this file that its bases are given: `class Carts(Store[T])`."""
        if self._type_parameters is None:
            self._type_parameters = self._made_type_parameters()
        return self._type_parameters

    def _made_type_parameters(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for symbol, kind in enumerate(self.symbol_kind):
            if kind != SymbolKind.CLASS:
                continue
            passed: list[str] = []
            for part in self.kids(self.symbol_node[symbol]):
                if self.kind[part] == Kind.TYPE_ARGS:
                    found[symbol] = [
                        self.text(next((at for at in range(one, self.next[one]) if self.kind[at] == Kind.NAME), one))
                        for one in self.kids(part)
                    ]
                for base in self.kids(part) if self.kind[part] == Kind.ARGS else ():
                    if self.kind[base] != Kind.SUBSCRIPT:
                        continue
                    inner = [node for node in range(self.next[base + 1], self.next[base]) if self.kind[node] == Kind.NAME]
                    if self.dotted(base + 1).rpartition(".")[2] in ("Generic", "Protocol"):
                        found[symbol] = [self.text(node) for node in inner]
                    else:
                        passed += [self.text(node) for node in inner if self._is_type_variable(node)]
            if passed and symbol not in found:
                found[symbol] = list(dict.fromkeys(passed))
        return found

    def _is_type_variable(self, node: int) -> bool:
        """Whether a name is a `TypeVar(...)` of this file."""
        group = self.group[node]
        value = self.value[self.group_first[group]] if group >= 0 and self.how[self.group_first[group]] == How.ASSIGN else -1
        return value >= 0 and self.kind[value] == Kind.CALL and self.dotted(value + 1).rpartition(".")[2] == "TypeVar"

    def fields_in_order(self, symbol: int) -> list[str]:
        """Names that the body of a class declares with a type, in the order in which they stand."""
        groups = self.scope_names.get(self.symbol_scope[symbol], {})
        fields = [(self.target[row], name) for name, group in groups.items() if self.type[row := self.group_first[group]] >= 0]
        return [name for _, name in sorted(fields)]

    @property
    def patched(self) -> dict[int, set[str]]:
        """Class of this file -> the names that code outside it assigns: `Cart.total = faster`."""
        if self._patched is None:
            self._patched = self._made_patched()
        return self._patched

    def _made_patched(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for target, _ in self.stores:
            if self.kind[target] == Kind.ATTRIBUTE and self.kind[target + 1] == Kind.NAME and self.group[target + 1] >= 0:
                for symbol in self.defines(self.group[target + 1]):
                    if self.symbol_kind[symbol] == SymbolKind.CLASS:
                        found.setdefault(symbol, set()).add(self.text(self.next[target + 1]))
        return found

    @property
    def star_order(self) -> list[tuple[int, bool]]:
        """Rows of star imports, the last one first, and whether it always runs: names that it brings hide those of the ones before it."""
        if self._star_order is None:
            self._star_order = self._made_star_order()
        return self._star_order

    def _made_star_order(self) -> list[tuple[int, bool]]:
        return [(row, self.parent[self.parent[self.import_node[row]]] == 0) for _, row in reversed(self.stars)]

    @property
    def registered(self) -> dict[int, list[int]]:
        """Single-dispatch function -> what `@function.register` adds to it in this file."""
        if self._registered is None:
            self._registered = self._made_registered()
        return self._registered

    def _made_registered(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for symbol, node in enumerate(self.listed("symbol_node")):
            if not self.symbol_flags[symbol] & SYMBOL_DECORATED or self.kind[node] != Kind.FUNC:
                continue
            for decorator in self.kids(self.parent[node]):
                expression = decorator + 1
                if self.kind[decorator] != Kind.DECORATOR:
                    continue
                if self.kind[expression] == Kind.CALL:
                    expression += 1
                name = expression + 1
                if self.kind[expression] != Kind.ATTRIBUTE or self.kind[name] != Kind.NAME or self.group[name] < 0:
                    continue
                if self.text(self.next[name]) == "register":
                    for base in self.defines(self.group[name]):
                        if self.symbol_flags[base] & SYMBOL_DISPATCH:
                            found.setdefault(base, []).append(symbol)
        return found

    @property
    def public(self) -> frozenset[str] | None:
        """The names in `__all__`; None where there is none, or it is made by code."""
        if self._public is None and self.has_all == 1:
            self._public = frozenset(self.names[row] for row in self.facts.columns["export_name"].tolist() if row >= 0)
        return self._public

    @property
    def exports(self) -> dict[str, tuple[int, int, int]]:
        """Scripts: exported name -> (name row of the local, import row, node); -1 where it does not apply."""
        if self._exports is None:
            self._exports = self._made_exports()
        return self._exports

    def _made_exports(self) -> dict[str, tuple[int, int, int]]:
        columns = self.facts.columns
        rows = zip(
            columns["export_name"].tolist(),
            columns["export_local"].tolist(),
            columns["export_import"].tolist(),
            columns["export_node"].tolist(),
            strict=True,
        )
        return {self.names[name]: (local, row, node) for name, local, row, node in rows if name >= 0}

    @property
    def stores(self) -> list[tuple[int, int]]:
        """(target, value) of every assignment to an attribute or an item, but those to `self`."""
        if self._stores is None:
            self._stores = self._made_stores()
        return self._stores

    def _made_stores(self) -> list[tuple[int, int]]:
        columns = self.facts.columns
        return list(zip(columns["store_target"].tolist(), columns["store_value"].tolist(), strict=True))

    @property
    def store_targets(self) -> frozenset[int]:
        """What `stores` assign to."""
        if self._store_targets is None:
            self._store_targets = frozenset(target for target, _ in self.stores)
        return self._store_targets

    @property
    def attribute_stores(self) -> dict[str, list[tuple[int, int]]]:
        """Attribute name -> the `stores` that assign it; "" -> those of an item, whose key may be any name."""
        if self._attribute_stores is None:
            self._attribute_stores = self._made_attribute_stores()
        return self._attribute_stores

    def _made_attribute_stores(self) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for target, value in self.stores:
            name = self.text(self.next[target + 1]) if self.kind[target] == Kind.ATTRIBUTE else ""
            found.setdefault(name, []).append((target, value))
        return found

    @property
    def fixtures(self) -> dict[str, list[int]]:
        """Name -> the functions that `@pytest.fixture` (of any spelling) makes a fixture of that name."""
        if self._fixtures is None:
            self._fixtures = self._made_fixtures()
        return self._fixtures

    def _made_fixtures(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        if self.is_script:
            return found
        for symbol, node in enumerate(self.listed("symbol_node")):
            if self.kind[node] != Kind.FUNC or self.kind[self.parent[node]] != Kind.DECORATED:
                continue
            for decorator in self.kids(self.parent[node]):
                if self.kind[decorator] == Kind.DECORATOR and self._is_fixture(decorator + 1):
                    found.setdefault(self._fixture_name(decorator + 1) or self.symbol_text(symbol), []).append(symbol)
        return found

    @property
    def has_overloads(self) -> list[int]:
        if self._has_overloads is None:
            self._has_overloads = self._made_has_overloads()
        return self._has_overloads

    def _made_has_overloads(self) -> list[int]:
        return [symbol for symbol, flags in enumerate(self.listed("symbol_flags")) if flags & SYMBOL_OVERLOAD]

    @property
    def fixture_symbols(self) -> frozenset[int]:
        if self._fixture_symbols is None:
            self._fixture_symbols = self._made_fixture_symbols()
        return self._fixture_symbols

    def _made_fixture_symbols(self) -> frozenset[int]:
        return frozenset(symbol for symbols in self.fixtures.values() for symbol in symbols)

    def _is_fixture(self, node: int) -> bool:
        if self.kind[node] == Kind.CALL:
            node += 1
        if self.kind[node] == Kind.ATTRIBUTE:
            node = self.kids(node)[-1]
        return self.text(node) in ("fixture", "yield_fixture")

    def _fixture_name(self, node: int) -> str:
        for part in range(node, self.next[node]):
            if self.kind[part] == Kind.KEYWORD and self.text(part + 1) == "name" and self.next[part] > part + 2:
                value = self.next[part + 1]
                return self.text(value + 1) if self.kind[value] == Kind.STRING and self.next[value] == value + 2 else ""
        return ""

    def holds_values(self, node: int) -> bool:
        """Whether a container literal holds anything but constants (or might, being filled later)."""
        following = self.next[node]
        if following == node + 1:
            return True
        if self._values_before is None:
            kinds = self.facts.columns["kind"]
            before = np.zeros(len(kinds) + 1, np.int32)
            np.cumsum(_VALUE[kinds], out=before[1:])
            self._values_before = column_of_nodes(before, len(before) <= _SMALL)
        return self._values_before[following] > self._values_before[node + 1]

    @property
    def mutations(self) -> list[int]:
        """Calls such as `items.append(x)`, by the name of the method."""
        if self._mutations is None:
            self._mutations = self._made_mutations()
        return self._mutations

    def _made_mutations(self) -> list[int]:
        return self._calls_of(1)

    @property
    def reorders(self) -> list[int]:
        """Calls such as `items.reverse()`, by the name of the method."""
        if self._reorders is None:
            self._reorders = self._calls_of(2)
        return self._reorders

    @property
    def described(self) -> list[int]:
        """Calls of `Object.defineProperty` and `Object.defineProperties`."""
        if self._described is None:
            self._described = self._calls_of(4) if self.is_script else []
        return self._described

    @property
    def mixes(self) -> list[tuple[int, int]]:
        """Scripts: (`C.prototype`, what is copied there) of every `Object.assign` and the like."""
        if self._mixes is None:
            self._mixes = [
                (target, source) for target, source in (self.stores if self.is_script else ())
                if self.kind[self.parent[target]] == Kind.ARGS and self.kind[target] == Kind.ATTRIBUTE
                and self.text(self.next[target + 1]) == "prototype"
            ]  # fmt: skip
        return self._mixes

    def is_handed_on(self, group: int, first: int, last: int) -> bool:
        """Whether a name that stands for a container is used as a whole between two nodes: then others may change what it holds."""
        found = np.flatnonzero(self.facts.columns["group"][first:last] == group) + first
        holders = (Kind.SUBSCRIPT, Kind.ATTRIBUTE)
        return any(
            self.kind[above := self.parent[node]] not in holders and not (self.kind[above] == Kind.ARGS and node < self.next[first])
            for node in found.tolist()
        )

    def _calls_of(self, what: int) -> list[int]:
        """Calls of methods of these names: bits of `_METHODS`."""
        if self._called is None:
            wanted = {self.names.index(name): _METHODS[name] for name in _METHOD_NAMES.intersection(self.names)}
            calls: list[tuple[int, int]] = []
            if wanted:
                following, names = self.next, self.name
                for call in self._places(_METHOD):
                    of = wanted.get(names[following[call + 2]])
                    if of is not None:
                        calls.append((call, of))
            self._called = calls
        return [call for call, of in self._called if of & what]

    def item_path(self, node: int) -> tuple[int, tuple[str, ...]] | None:
        """`table["a"][1]` -> the binding group of `table`, if it is bound once, and the keys, if they are constants."""
        keys = []
        while self.kind[node] == Kind.SUBSCRIPT or (self.is_script and self.kind[node] == Kind.ATTRIBUTE):
            index = self.next[node + 1]
            if index >= self.next[node]:
                return None
            inside = index + 1
            if self.is_script and self.kind[index] in (Kind.PROPERTY_NAME, Kind.NUMBER):
                keys.append(self.text(index))
            elif self.kind[index] == Kind.STRING and self.next[index] == inside + 1 and self.kind[inside] == Kind.TEXT:
                keys.append(self.text(inside))
            elif self.kind[index] == Kind.NUMBER:
                keys.append("#" + self.text(index))
            else:
                return None
            node += 1
        group = self.group[node] if self.kind[node] == Kind.NAME else -1
        return (group, tuple(reversed(keys))) if group >= 0 and self.group_is_plain[group] else None

    @property
    def item_stores(self) -> dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]]:
        """What is stored under constant keys of a named container: (place, value), in order."""
        if self._item_stores is None:
            self._item_stores = self._made_item_stores()
        return self._item_stores

    def _made_item_stores(self) -> dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]]:
        found: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]] = {}
        kinds = (Kind.SUBSCRIPT, Kind.ATTRIBUTE) if self.is_script else (Kind.SUBSCRIPT,)
        for target, value in self.stores:
            if self.kind[target] in kinds and self.kind[self.parent[target]] == Kind.ASSIGN and (path := self.item_path(target)):
                found.setdefault(path, []).append((target, value))
            elif self.is_script and self.kind[self.parent[target]] == Kind.ARGS and (path := self.item_path(target)):
                self._copied(target, value, path, found)
        for call in self.mutations:
            receiver, arguments = call + 2, self.next[call + 1]
            path = self.item_path(receiver) if self.text(self.next[receiver]) == "update" and arguments < self.next[call] else None
            for argument in self.kids(arguments) if path is not None else ():
                for pair in self.kids(argument) if self.kind[argument] == Kind.DICT else ():
                    parts = self.kids(pair)
                    if path is not None and self.kind[pair] == Kind.PAIR and len(parts) == 2 and self.next[parts[0]] == parts[0] + 2:
                        found.setdefault((path[0], (*path[1], self.text(parts[0] + 1))), []).append((call, parts[1]))
        for stores in found.values():
            stores.sort()
        return found

    def _copied(
        self, target: int, source: int, path: tuple[int, tuple[str, ...]], found: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]]
    ) -> None:
        """`Object.assign(table, {a: x})` stores x under "a"."""
        for pair in self.kids(source) if self.kind[source] == Kind.DICT else ():
            parts = self.kids(pair)
            if self.kind[pair] == Kind.PAIR and len(parts) == 2 and self.kind[parts[0]] in (Kind.PROPERTY_NAME, Kind.STRING):
                key = self.text(parts[0] if self.kind[parts[0]] == Kind.PROPERTY_NAME else parts[0] + 1)
                found.setdefault((path[0], (*path[1], key)), []).append((self.parent[self.parent[target]], parts[1]))

    def operator(self, left: int, right: int) -> str:
        """The dunder stem of a binary operator, from the name its node carries."""
        row = self.name[self.parent[left]]
        return BINARY_DUNDERS.get(self.names[row], "") if row >= 0 else ""

    def is_async(self, node: int) -> bool:
        """Whether a loop or a `with`, or the one that the node is an item of, is asynchronous."""
        while self.kind[node] not in _TOLD_ASYNC:
            node = self.parent[node]
        return self.name[node] >= 0

    def defines(self, group: int) -> list[int]:
        """The symbols that a binding group defines, in order."""
        return [self.extra[row] for row in range(self.group_first[group], self.group_first[group + 1]) if self.how[row] == How.DEFINE]


Resolver = Callable[[str, str, int], Resolution]


class Program:
    """All files of a tree. `load(number)` gives the facts of a file; units are kept until `forget`."""

    def __init__(
        self,
        paths: list[str],
        languages: list[str],
        load: Callable[[int], Facts],
        resolvers: Mapping[str, Resolver],
        conftests: Callable[[str], tuple[str, ...]],
        keys: Mapping[str, Callable[[str, str, int], tuple[str, ...]]] | None = None,
    ) -> None:
        self.keys = keys or {}
        self.paths, self.languages = paths, languages
        self.number = {path: number for number, path in enumerate(paths) if path}  # others are not parsed
        self.others: Mapping[str, int] = {}  # files that are not parsed: they can be imported all the same
        self.qualified: Callable[[int, int], str | None] | None = None  # says names of symbols without reading the file
        self.rest: Callable[[], None] = _nothing  # told now and then that of all facts few are needed for a while
        self.load, self.resolvers, self.conftests = load, resolvers, conftests
        self._folders: frozenset[str] | None = None
        self._units: list[Unit | None] = [None] * len(paths)
        self._resolved: dict[tuple[str, str, int], Resolution] = {}

    @property
    def folders(self) -> frozenset[str]:
        """Those that hold a file, at any depth."""
        if self._folders is None:
            own = {path.rpartition("/")[0] + "/" for path in self.paths}
            self._folders = frozenset(folder for path in own for folder in _folders(path))
        return self._folders

    def unit(self, number: int) -> Unit:
        """A file, read when it is first asked for."""
        found = self._units[number]
        if found is None:
            found = self._units[number] = Unit(number, self.paths[number], self.languages[number], self.load(number))
        return found

    def place_of(self, number: int, symbol: int) -> str:
        """The path and qualified name of a symbol, as looks at it are noted; a file is not read for it where that can be helped."""
        unit = self._units[number]
        name = self.qualified(number, symbol) if unit is None and self.qualified is not None else None
        return f"{self.paths[number]}\0{name if name is not None else self.unit(number).qualified(symbol)}"

    def key_of_place(self, number: int, symbol: int) -> int:
        """The key of that place: see `index.resolver.gateways.place_key`."""
        unit = self._units[number]
        if symbol > 0 and (unit is not None or self.qualified is None):
            return self.unit(number).place_key(symbol)
        return place_key(self.place_of(number, symbol))

    def forget(self, number: int) -> None:
        """Lets go of a file, which is read again when it is asked for."""
        unit = self._units[number]
        if unit is not None:
            unit.let_go()  # an answer elsewhere may hold it
            self._units[number] = None

    def close(self) -> None:
        """Lets go of all units."""
        self._units.clear()

    def lookup_keys(self, unit: Unit, module: str, level: int) -> tuple[str, ...]:
        """Stems of the files that could change what an import names."""
        keys = self.keys.get(unit.language)
        return keys(unit.path, module, level) if keys is not None else ()

    def resolve(self, unit: Unit, module: str, level: int) -> Resolution:
        key = (unit.path, module, level)
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = self.resolvers[unit.language](unit.path, module, level)
        return found


_SMALL: Final = 32_767  # nodes, names, symbols and groups: the columns of the nodes of smaller files take half the memory
_CLASSES: Final = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})
_TOLD_ASYNC: Final = frozenset({Kind.FOR, Kind.FOR_IN, Kind.WITH, Kind.MODULE})
_DECLARES: Final = np.zeros(256, bool)
_DECLARES[[How.DECLARE, How.NARROW]] = True
_ATTRIBUTE_OF_NAME: Final = bytes((Kind.ATTRIBUTE, Kind.NAME))
_ITEM_OF_NAME: Final = bytes((Kind.SUBSCRIPT, Kind.NAME))
_METHOD_OF_NAME: Final = bytes((Kind.CALL, Kind.ATTRIBUTE, Kind.NAME))
_METHOD: Final = bytes((Kind.CALL, Kind.ATTRIBUTE))
_METHODS: Final = dict.fromkeys(MUTATORS, 1) | dict.fromkeys(REORDERS, 2) | dict.fromkeys(("defineProperty", "defineProperties"), 4)
_METHOD_NAMES: Final = frozenset(_METHODS)
_VALUE: Final = np.zeros(256, bool)
_VALUE[[Kind.NAME, Kind.CALL, Kind.NEW, Kind.LAMBDA, Kind.FUNC, Kind.CLASS, Kind.ATTRIBUTE, Kind.SHORTHAND, Kind.THIS]] = True


def _nothing() -> None: ...


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
