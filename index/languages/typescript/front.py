"""Tree of a TypeScript or JavaScript file -> its symbols, scopes, bindings, imports, exports, parameters and returns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.languages.typescript.jsdoc import comments
from index.numbers import SymbolKind
from index.parsing.column import column_of_nodes, fill
from index.parsing.columns import Tree
from index.parsing.facts import FactsBuilder, How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind

ASYNC, STATIC, GENERATOR, ABSTRACT, SETTER = 1, 2, 8, 16, 256  # symbol flags; those that Python has too have the same bits
REQUIRED, REEXPORTED, TYPE_ONLY = 2, 4, 8  # import flags
MAX_OVERLOADS: Final = 200  # signatures of one function that follow each other
EXPORTED: Final = "="  # the name under which a module exports what `module.exports = x` and `export = x` make of the whole of it
LAMBDA_NAME: Final = "<lambda>"
RETURNS: Final = "<returns>"  # a function's scope binds this to the type of its result where a comment gives it
TEXT_TYPE: Final = 3_000_000  # a type node from here on is text: row `node - TEXT_TYPE` of names

_FUNCTIONS: Final = (Kind.FUNC, Kind.LAMBDA)
_CALLABLES: Final = (*_FUNCTIONS, Kind.CLASS)
_WRAPPERS: Final = (Kind.CAST, Kind.SATISFIES, Kind.NON_NULL)
_PATTERNS: Final = (Kind.OBJECT_PATTERN, Kind.ARRAY_PATTERN)
_TOP: Final = (ScopeKind.MODULE, ScopeKind.NAMESPACE)
_DECLARES: Final = (
    Kind.DECLARATION, Kind.CLASS, Kind.FUNC, Kind.EXPORT, Kind.ENUM, Kind.TYPE_ALIAS, Kind.INTERFACE, Kind.SIGNATURE, Kind.NAMESPACE,
)  # fmt: skip
_GIVES_NAME: Final = (
    Kind.DECLARATOR, Kind.DECLARATION, Kind.EXPORT, Kind.ASSIGN, Kind.PAIR, Kind.FIELD, Kind.CAST, Kind.SATISFIES, Kind.NON_NULL,
)  # fmt: skip
_OWN_SCOPE: Final = (Kind.FUNC, Kind.LAMBDA, Kind.CLASS, Kind.INTERFACE, Kind.ENUM, Kind.NAMESPACE)
_LOADERS: Final = frozenset({"require", "requireActual", "importActual", "requireMock", "importMock", "mock", "doMock", "unmock"})
_COPIERS: Final = frozenset({"assign", "extend", "mixin", "merge", "defaults", "_extend", "mergeDescriptors", "objectAssign"})
_PROTOTYPE_CALLS: Final = frozenset({"inherits", "setPrototypeOf", "defineProperty", "defineProperties", *_COPIERS})
_AMD: Final = frozenset({"define", "require", "requirejs"})
_AMD_OWN: Final = frozenset({"require", "exports", "module"})  # what a module gets under these names is no other module
_TELLING: Final = _LOADERS | _PROTOTYPE_CALLS | _AMD | {"invariant"}
_INSTANCEOF: Final = re.compile(rb"\binstanceof\b")
_EQUALS: Final = re.compile(rb"[=!]==?(?!=)")
_EITHER: Final = re.compile(rb"\|\||&&|\?\?")
_ACCESS: Final = re.compile(rb"\b(public|private|protected|readonly|override)\b")
_LEAVES: Final = re.compile(rb"\b(?:continue|break)\b[\w\s]*;?\s*\}\Z")
_LEAVES_CASE: Final = re.compile(rb"\b(?:continue|break)\b[\w\s]*;?\s*\}?\s*\Z")
_DISCRIMINANTS: Final = (Kind.STRING, Kind.NUMBER, Kind.LITERAL, Kind.ATTRIBUTE, Kind.NAME)
_MAX_FOLLOWING: Final = 300  # statements after a guard that leaves
_MAX_FIELDS: Final = 200  # of one object literal; a longer one is a table of data
_MAX_NESTED: Final = 3


def front_end(tree: Tree, b: FactsBuilder) -> None:
    """Fills the builder. Nodes come in preorder, so an outer scope is known before what it holds."""
    _read(_Reader(tree, b))


def mapped_from(tree: Any, node: int) -> int:
    """The node of T in `{ [K in keyof T]: T[K] }`, whose members are those of T; -1 for other object types. tree: what has the columns of a
    file and `kids` and `text`."""
    kind, members = tree.kind, tree.kids(node)
    parts = tree.kids(members[0]) if len(members) == 1 and kind[members[0]] == Kind.SIGNATURE else []
    if len(parts) != 3 or kind[parts[1]] != Kind.KEYOF or kind[parts[2]] != Kind.TYPE or kind[parts[2] + 1] != Kind.LOOKUP:
        return -1
    looked_up = tree.kids(parts[2] + 1)
    is_own = len(looked_up) == 2 and kind[looked_up[1]] == Kind.TYPE_NAME and tree.text(looked_up[1]) == tree.text(parts[0])
    return int(looked_up[0]) if is_own else -1


def javascript_front_end(tree: Tree, b: FactsBuilder) -> None:
    """The same, with the types that JSDoc comments give."""
    reader = _Reader(tree, b)
    if b"/**" in tree.data:
        reader.docs = dict(comments(tree.data))
    _read(reader)


def _read(reader: _Reader) -> None:
    tree = reader.tree
    reader.tell_operators()
    reader.tell_literals()
    wanted = np.zeros(256, bool)
    handlers = reader.handlers()
    wanted[list(handlers)] = True
    chosen = wanted[tree.kind]
    for kind, rows in ((Kind.BLOCK, reader.scoped_blocks()), (Kind.CALL, reader.telling_calls())):
        chosen[tree.kind == kind] = False
        chosen[rows] = True
    kinds = tree.kind
    for node, kind in zip(np.flatnonzero(chosen).tolist(), kinds[chosen].tolist(), strict=True):
        handlers[kind](node)
    reader.settle()
    reader.ignore_names()


class _Reader:
    def __init__(self, tree: Tree, b: FactsBuilder) -> None:
        self.tree, self.b = tree, b
        self.kind, self.name = tree.kind.data, tree.name.data  # which change while it reads
        self.next, self.parent = column_of_nodes(tree.next, False), column_of_nodes(tree.parent, False)
        self.start, self.end = b.start, b.end
        self.scope, self.owner = b.scope, b.owner
        self.docs: dict[int, list[tuple[str, str, str]]] = {}  # where documented code starts -> tag, type, name
        self.functions: dict[int, int] = {}  # function scope -> its symbol
        self.made: dict[int, int] = {}  # node of a function or class -> its symbol, made by what gives it a name
        self.class_scope: dict[int, int] = {}  # symbol of a class, interface or enum -> the scope of its members
        self.prototypes: dict[int, int] = {}
        self.handled: set[int] = set()  # object patterns and types whose names are taken already
        self.late_assigns: list[tuple[int, int, int, int, int, int, int]] = []  # scope, name, target, value, how, extra, symbol
        self.late_members: list[
            tuple[int, int, int, int, int, int, bool]
        ] = []  # scope, base name, member name, target, value, symbol, prototype
        self.late_this: list[tuple[int, int, int, int, int]] = []  # owner, name, target, value, symbol
        self.late_narrows: list[tuple[int, int, int, int, int]] = []  # scope, name, where it holds, what says so, 1 it is or 2 it is not
        self.symbols: frozenset[int] | None = None
        self.defined_functions: dict[tuple[int, int], int] = {}  # (scope, name) -> symbol of signatures without an implementation

    def handlers(self) -> dict[int, Callable[[int], None]]:
        return {
            Kind.FUNC: self.function, Kind.LAMBDA: self.function, Kind.CLASS: self.class_, Kind.INTERFACE: self.interface,
            Kind.TYPE_ALIAS: self.type_alias, Kind.ENUM: self.enum, Kind.NAMESPACE: self.namespace, Kind.SIGNATURE: self.signature,
            Kind.FUNC_TYPE: self.type_scope,
            Kind.OBJECT_TYPE: self.object_type, Kind.DECLARATION: self.declaration, Kind.ASSIGN: self.assign, Kind.AUGMENT: self.augment,
            Kind.FOR: self.loop_scope, Kind.FOR_IN: self.for_in, Kind.EXCEPT: self.except_, Kind.IMPORT: self.import_,
            Kind.ALIASED: self.import_alias, Kind.EXPORT: self.export, Kind.RETURN: self.return_, Kind.YIELD: self.yield_,
            Kind.BLOCK: self.block, Kind.CALL: self.call, Kind.INFER: self.infer, Kind.IF: self.if_, Kind.WHILE: self.while_,
            Kind.CONDITIONAL: self.conditional, Kind.BOOLEAN: self.boolean, Kind.MATCH: self.switch,
        }  # fmt: skip

    # the tree

    def kids(self, node: int) -> list[int]:
        child, stop, following, found = node + 1, self.next[node], self.next, []
        while child < stop:
            found.append(child)
            child = following[child]
        return found

    def text(self, node: int) -> str:
        row = self.name[node]
        return self.b.names[row] if row >= 0 else ""

    def head(self, node: int, key: int) -> bytes:
        """What is written in front of a part of a definition, without its decorators: `export default`, `static async`."""
        start, child = self.start[node], node + 1
        while child < key and self.kind[child] == Kind.DECORATOR:
            start, child = self.end[child], self.next[child]
        return self.bytes_between(start, self.start[key])

    def bytes_between(self, start: int, end: int) -> bytes:
        return self.tree.data[start:end]

    def kind_of_scope(self, scope: int) -> int:
        return self.b.rows["scope_kind"][scope]

    def symbol_kind(self, symbol: int) -> int:
        return self.b.rows["symbol_kind"][symbol]

    def unwrapped(self, node: int) -> int:
        """The expression inside `as T`, `satisfies T`, `!`; of `a = b = c` the last value."""
        while True:
            what = self.kind[node]
            if what in _WRAPPERS:
                parts = self.kids(node)
                if not parts:
                    return node
                node = parts[-1] if self.kind[parts[0]] == Kind.TYPE_ARGS else parts[0]
            elif what == Kind.ASSIGN:
                node = self.kids(node)[-1]
            else:
                return node

    def key_row(self, node: int) -> int:
        """The name of a member as a row of names, quoted and numeric ones too; `[Symbol.iterator]`, `[kState]` and `[Color.Red]` are called
        as they are written, what is computed in another way has no name: -1."""
        what = self.kind[node]
        if what == Kind.STRING:
            return self.name[node + 1] if self.next[node] == node + 2 else -1
        if what == Kind.COMPUTED:
            inner = node + 1
            if inner < self.next[node]:
                if self.kind[inner] == Kind.STRING:
                    return self.key_row(inner)
                if self.kind[inner] == Kind.NAME:
                    return self.b.name_row(f"[{self.text(inner)}]")
                if self.kind[inner] == Kind.ATTRIBUTE and self.kind[inner + 1] == Kind.NAME:
                    return self.b.name_row(f"[{self.text(inner + 1)}.{self.text(self.next[inner + 1])}]")
            return -1
        return self.name[node]

    def is_key(self, node: int) -> bool:
        return self.kind[node] in (Kind.PROPERTY_NAME, Kind.STRING, Kind.NUMBER, Kind.COMPUTED)

    def constant_text(self, node: int) -> int:
        """The row of the name that a string literal is; -1 for anything else."""
        what = self.kind[node]
        if what in (Kind.STRING, Kind.TEMPLATE) and self.next[node] == node + 2 and self.kind[node + 1] == Kind.TEXT:
            return self.name[node + 1]
        return -1

    # operators and selections: for the whole file at once

    def tell_operators(self) -> None:
        """`||`, `&&` and `??` become BOOLEAN; what `instanceof` says holds inside the block it guards is bound later."""
        tree, data = self.tree, self.tree.data
        binary = np.flatnonzero(tree.kind == Kind.BINARY)
        left = binary + 1
        right = tree.next[left]
        kept = right < tree.next[binary]
        binary, left, right = binary[kept], left[kept], right[kept]
        search = _EITHER.search
        either = [search(data, a, c) is not None for a, c in zip(tree.end[left].tolist(), tree.start[right].tolist(), strict=True)]
        tree.kind[binary[np.array(either, bool)]] = Kind.BOOLEAN

    def tell_literals(self) -> None:
        """`true`, `false`, `null` and `undefined` get their text as a name; parameters of types that may be left out get `?`."""
        tree, data = self.tree, np.frombuffer(self.tree.data, np.uint8)
        literals = np.flatnonzero(tree.kind == Kind.LITERAL)
        first = data[tree.start[literals]]
        for text in ("true", "false", "null", "undefined"):
            rows = literals[(first == ord(text[0])) & (tree.end[literals] - tree.start[literals] == len(text))]
            if len(rows):
                tree.name[rows] = self.b.name_row(text)
        typed = np.flatnonzero(tree.kind == Kind.PARAM_TYPED)
        typed = typed[typed + 1 < len(tree.kind)]
        typed = typed[data[np.minimum(tree.end[typed + 1], len(data) - 1)] == ord("?")]
        if len(typed):
            tree.name[typed] = self.b.name_row("?")

    def scoped_blocks(self) -> NDArray[np.int64]:
        """Blocks that declare something and are no function's or class's own."""
        tree = self.tree
        declares = np.zeros(256, bool)
        declares[[int(kind) for kind in _DECLARES]] = True
        above = tree.parent[declares[tree.kind]].astype(np.int64)
        above = above[above >= 0]
        above = np.where(tree.kind[above] == Kind.CASE, tree.parent[above], above)
        above = distinct(above[tree.kind[above] == Kind.BLOCK])
        own = np.zeros(256, bool)
        own[[int(kind) for kind in _OWN_SCOPE]] = True
        return above[~own[tree.kind[tree.parent[above]]]]

    def telling_calls(self) -> NDArray[np.int64]:
        """Calls that load a module, make a prototype, or say what something is from there on."""
        tree = self.tree
        calls = np.flatnonzero(tree.kind == Kind.CALL)
        calls = calls[calls + 1 < len(tree.kind)]
        callee = calls + 1
        makers = [row for row, name in enumerate(tree.names) if name in _TELLING or name[:6] == "assert"]
        what = tree.kind[callee]
        plain = ((what == Kind.NAME) & one_of(tree.name[callee], makers)) | (what == Kind.DYNAMIC_IMPORT)
        last = np.minimum(tree.next[np.minimum(callee + 1, len(tree.kind) - 1)], len(tree.kind) - 1)
        member = (what == Kind.ATTRIBUTE) & one_of(tree.name[last], makers) & (tree.parent[last] == callee)
        found: NDArray[np.int64] = calls[plain | member]
        return found

    # scopes

    def open(self, kind: int, symbol: int, node: int, first: int = -1) -> int:
        """A scope from child `first` of a node (or all of it) to its end."""
        b = self.b
        first = node if first < 0 else first
        scope = b.add_scope(kind, self.scope[node], symbol, node)
        fill(b.scope, first, self.next[node], scope)
        return scope

    def block(self, node: int) -> None:
        above = self.parent[node]
        if self.kind[above] == Kind.MODULE and self.bytes_between(max(self.start[node] - 16, 0), self.start[node]).split()[-1:] == [
            b"global"
        ]:
            return  # declare global
        self.open(ScopeKind.BLOCK, self.owner_function(node), node)

    def loop_scope(self, node: int) -> None:
        self.open(ScopeKind.BLOCK, self.owner_function(node), node)

    def owner_function(self, node: int) -> int:
        """The symbol whose scope the code at a node belongs to: the owner, constants and fields apart."""
        symbol = self.owner[node]
        while symbol > 0 and self.symbol_kind(symbol) in (SymbolKind.CONSTANT, SymbolKind.FIELD):
            symbol = self.b.rows["symbol_parent"][symbol]
        return symbol

    def variable_scope(self, scope: int) -> int:
        """Where `var` belongs: the nearest function, namespace or the module."""
        rows = self.b.rows
        while rows["scope_kind"][scope] not in (ScopeKind.MODULE, ScopeKind.FUNCTION, ScopeKind.NAMESPACE):
            scope = rows["scope_parent"][scope]
        return scope

    def type_params(self, node: int, scope: int) -> None:
        for each in self.kids(node):
            if self.kind[each] == Kind.TYPE_PARAM:
                parts = self.kids(each)
                if parts:
                    bound = parts[1] if len(parts) > 1 else -1
                    self.b.bind(scope, self.name[parts[0]], How.DECLARE, parts[0], -1, -1, bound)

    def type_scope(self, node: int) -> None:
        """Type parameters of a signature or function type hold inside it."""
        for child in self.kids(node):
            if self.kind[child] == Kind.TYPE_PARAMS:
                self.type_params(child, self.open(ScopeKind.BLOCK, self.owner_function(node), node))

    def infer(self, node: int) -> None:
        scope = self.scope[node]
        if scope and self.next[node] > node + 1:
            self.b.bind(scope, self.name[node + 1], How.DECLARE, node + 1)

    # functions

    def function(self, node: int) -> None:
        b, kind = self.b, self.kind
        children = self.kids(node)
        params = returns = body = types = name = -1
        is_arrow = kind[node] == Kind.LAMBDA
        for child in children:
            what = kind[child]
            if what == Kind.PARAMS:
                params = child
            elif what == Kind.TYPE_PARAMS:
                types = child
            elif what == Kind.TYPE and params >= 0:
                returns = child
            elif params < 0 and what != Kind.DECORATOR and not is_arrow:
                name = child
        if children and children[-1] not in (params, returns, types, name):
            body = children[-1]
        if is_arrow and params < 0 and children and children[0] != body:
            params = children[0]  # x => ...
        symbol = self.made.get(node, -1)
        if symbol < 0:
            symbol = self.declared_function(node, name)
        head = self.bytes_between(self.start[node], self.start[params] if params >= 0 else self.start[node] + 6)
        if name >= 0:
            head = self.bytes_between(self.start[node], self.start[name])
        flags = b.rows["symbol_flags"][symbol]
        if head.startswith(b"async") or b"async" in head.split():
            flags |= ASYNC
        if b"*" in head and not is_arrow:
            flags |= GENERATOR
        b.rows["symbol_flags"][symbol] = flags
        first = types if types >= 0 else params if params >= 0 else body
        if first < 0:
            return
        outer = self.scope[node]
        inner = b.add_scope(ScopeKind.FUNCTION, outer, symbol, node)
        self.functions[inner] = symbol
        fill(b.scope, first, self.next[node], inner)
        fill(b.owner, first, self.next[node], symbol)
        if name >= 0 and kind[name] == Kind.NAME and not self.is_declaration(node):
            b.bind(inner, self.name[name], How.DEFINE, name, node, symbol)
        if types >= 0:
            self.type_params(types, inner)
        docs = self.docs_of(node) if self.docs else []
        if params >= 0:
            self.parameters(params, symbol, inner, [tag for tag in docs if tag[0] == "param"])
        for tag, text, _ in docs:
            if tag == "returns" and returns < 0:
                b.bind(inner, b.name_row(RETURNS), How.DECLARE, first, -1, -1, self.written_type(text))
            elif tag == "this":
                b.bind(inner, b.name_row("this"), How.DECLARE, first, -1, -1, self.written_type(text))
        if is_arrow and body >= 0 and kind[body] != Kind.BLOCK:
            b.add("return", symbol, body, 0)

    def docs_of(self, node: int) -> list[tuple[str, str, str]]:
        """The tags of the comment before the statement or member that gives a name to what stands at a node."""
        while True:
            found = self.docs.get(self.start[node])
            if found is not None:
                return found
            above = self.parent[node]
            if self.kind[above] not in _GIVES_NAME or (node == above + 1 and self.kind[above] == Kind.ASSIGN):
                return []
            node = above

    def written_type(self, text: str) -> int:
        """The number by which a type that is written in a comment stands for a node: see `TEXT_TYPE`."""
        return TEXT_TYPE + self.b.name_row(text)

    def documented_type(self, node: int) -> int:
        """What `@type` before a declaration says; -1 for nothing."""
        for tag, text, _ in self.docs_of(node) if self.docs else ():
            if tag == "type":
                return self.written_type(text)
        return -1

    def is_declaration(self, node: int) -> bool:
        """A statement, not an expression that happens to be a function or class."""
        above = self.parent[node]
        what = self.kind[above]
        if what == Kind.BLOCK:
            return self.kind[self.parent[above]] != Kind.CLASS
        return what in (Kind.MODULE, Kind.EXPORT, Kind.CASE, Kind.IF)

    def declared_function(self, node: int, name: int) -> int:
        """The symbol of a function that nothing else has named yet."""
        b = self.b
        above = self.parent[node]
        if self.is_declaration(node) and self.kind[node] == Kind.FUNC:
            whole = above if self.kind[above] == Kind.EXPORT else node
            row = self.name[name] if name >= 0 else b.name_row("default")
            at = name if name >= 0 else node
            scope, start = self.scope[node], self.start[whole]
            overloads = self.overloads_before(whole, row)
            if overloads:
                start = self.start[overloads[0]]
            symbol = b.symbol(node, row, SymbolKind.FUNCTION, self.owner[node], start, self.end[node], self.start[at])
            for each in overloads:
                fill(b.owner, each, self.next[each], symbol)
            if name >= 0:
                b.bind(scope, row, How.DEFINE, name, node, symbol)
            return symbol
        symbol = self.named_by_place(node)
        if symbol >= 0:
            return symbol
        row, what = b.name_row(LAMBDA_NAME), SymbolKind.LAMBDA
        at = node
        if name >= 0 and self.kind[name] == Kind.NAME:
            row, what, at = self.name[name], SymbolKind.FUNCTION, name
        return b.symbol(node, row, what, self.owner[node], self.start[node], self.end[node], self.start[at])

    def overloads_before(self, whole: int, row: int) -> list[int]:
        """The signatures of the same name that stand right before a function."""
        above = self.parent[whole]
        found: list[int] = []
        while True:
            each = (found[-1] if found else whole) - 1
            while each > above and self.parent[each] != above:
                each = self.parent[each]
            if each <= above:
                break
            inner = each + 1 if self.kind[each] == Kind.EXPORT and self.next[each] > each + 1 else each
            if self.kind[inner] != Kind.SIGNATURE or self.kind[inner + 1] != Kind.NAME or self.name[inner + 1] != row:
                break
            found.append(each)
        return found[::-1]

    def named_by_place(self, node: int) -> int:
        """The symbol of a function or class that is the value of a key in an object literal; -1 anywhere else."""
        b = self.b
        above, value = self.parent[node], node
        while self.kind[above] in _WRAPPERS:
            above, value = self.parent[above], above
        if self.kind[above] == Kind.PAIR and self.next[above + 1] == value:
            return self.object_member(above, above + 1, node)
        if self.kind[above] == Kind.DICT and self.kind[node] == Kind.FUNC:
            key = next((child for child in self.kids(node) if self.is_key(child)), -1)
            if key >= 0:
                return self.object_member(node, key, node)
        if self.kind[above] == Kind.PARAM_DEFAULT and self.kind[above + 1] in (Kind.NAME, Kind.SHORTHAND_PATTERN) and above + 1 != value:
            return b.symbol(
                node, self.name[above + 1], SymbolKind.FUNCTION, self.owner[node], self.start[node], self.end[node], self.start[node]
            )
        return -1

    def object_member(self, whole: int, key: int, node: int) -> int:
        """The symbol of a function or class that stands under a key."""
        b, row = self.b, self.key_row(key)
        if row < 0:
            return -1
        what = SymbolKind.CLASS if self.kind[node] == Kind.CLASS else SymbolKind.METHOD
        flags = 0
        if whole == node:
            words = self.bytes_between(self.start[node], self.start[key]).split()
            if b"get" in words or b"set" in words:
                what, flags = SymbolKind.PROPERTY, SETTER if b"set" in words else 0
        parent = self.owner[node]
        symbol = b.symbol(node, row, what, parent, self.start[whole], self.end[whole], self.start[key])
        b.rows["symbol_flags"][symbol] = flags
        return symbol

    def parameters(self, params: int, symbol: int, inner: int, docs: list[tuple[str, str, str]]) -> None:
        b, kind = self.b, self.kind
        children = self.kids(params) if kind[params] == Kind.PARAMS else [params]
        for place, child in enumerate(children):
            target, annotation, default, flags, is_property = child, -1, -1, 0, False
            if kind[child] == Kind.DECORATOR:
                continue
            if kind[child] == Kind.PARAM_TYPED:
                target = -1
                for part in self.kids(child):
                    what = kind[part]
                    if what == Kind.DECORATOR:
                        continue
                    if target < 0:
                        target = part
                    elif what == Kind.TYPE:
                        annotation = part
                    else:
                        default = part
                if target < 0:
                    continue
                before = self.bytes_between(self.start[child], self.start[target])
                is_property = bool(before) and _ACCESS.search(before) is not None
                if self.bytes_between(self.end[target], self.end[target] + 8).lstrip()[:1] == b"?":
                    flags |= ParamFlag.HAS_DEFAULT
            elif kind[child] == Kind.PARAM_DEFAULT:
                parts = self.kids(child)
                if len(parts) != 2:
                    continue
                target, default = parts
            if kind[target] == Kind.SPREAD:
                flags |= ParamFlag.STAR
                target += 1
            if default >= 0:
                flags |= ParamFlag.HAS_DEFAULT
            if docs and annotation < 0:
                name = self.text(target)
                here = [text for _, text, _ in docs[place : place + 1]]
                said = [text for _, text, of in docs if of == name] if kind[target] == Kind.NAME else here
                annotation = self.written_type(said[0]) if said else -1
            if kind[target] == Kind.THIS:
                b.bind(inner, b.name_row("this"), How.DECLARE, target, -1, -1, annotation)
                continue
            row_name = self.name[target] if kind[target] == Kind.NAME else b.name_row("")
            row = b.add("param", symbol, row_name, flags, annotation, default, target)
            if kind[target] == Kind.NAME:
                b.bind(inner, row_name, How.PARAM, target, default, row, annotation)
                if is_property:
                    self.parameter_property(child, target, symbol, default, row, annotation)
            elif kind[target] in _PATTERNS:
                self.pattern(target, inner)

    def parameter_property(self, child: int, target: int, symbol: int, default: int, row: int, annotation: int) -> None:
        b = self.b
        owner = b.rows["symbol_parent"][symbol]
        if owner in self.class_scope:
            b.field(owner, self.name[target], SymbolKind.FIELD, child, child, self.start[target])
            b.bind(self.class_scope[owner], self.name[target], How.PARAM, target, default, row, annotation)

    # patterns

    def pattern(self, node: int, scope: int, *, late: bool = False) -> list[int]:
        """Binds the names in a pattern: each to the part of the pattern it stands for. Returns the names' nodes."""
        found: list[int] = []
        kind = self.kind
        stack = [node]
        while stack:
            each = stack.pop()
            what = kind[each]
            if what == Kind.OBJECT_PATTERN:
                stack += self.kids(each)
            elif what == Kind.SHORTHAND_PATTERN:
                self.bind_target(scope, each, each, How.ASSIGN, -1, late)
                found.append(each)
            elif what == Kind.PAIR_PATTERN:
                parts = self.kids(each)
                if len(parts) == 2:
                    stack += self.inside(parts[1], each, How.ASSIGN, -1, scope, late, found)
            elif what == Kind.PARAM_DEFAULT:
                parts = self.kids(each)
                if parts:
                    stack += self.inside(parts[0], each, How.ASSIGN, -1, scope, late, found)
            elif what == Kind.ARRAY_PATTERN:
                index = -1
                for part in self.kids(each):
                    index = self.position(each, part, index)
                    stack += self.inside(part, each, How.UNPACK, index, scope, late, found)
            elif what == Kind.SPREAD:
                stack += self.inside(each + 1, each, How.ASSIGN, -1, scope, late, found)
        return found

    def position(self, pattern: int, part: int, last: int) -> int:
        """The place of an element in an array pattern; holes count."""
        if last < 0:
            before = self.bytes_between(self.start[pattern] + 1, self.start[part])
            return before.count(b",")
        previous = part - 1
        while self.parent[previous] != pattern:
            previous = self.parent[previous]
        return last + max(1, self.bytes_between(self.end[previous], self.start[part]).count(b","))

    def inside(self, part: int, wrapper: int, how: int, extra: int, scope: int, late: bool, found: list[int]) -> list[int]:
        if self.kind[part] in (Kind.NAME, Kind.SHORTHAND_PATTERN):
            self.bind_target(scope, part, wrapper, how, extra, late)
            found.append(part)
            return []
        if self.kind[part] in (Kind.ATTRIBUTE, Kind.SUBSCRIPT):
            return []
        return [part]

    def bind_target(self, scope: int, target: int, value: int, how: int, extra: int, late: bool) -> None:
        if late:
            self.late_assigns.append((scope, self.name[target], target, value, how, extra, -1))
        else:
            self.b.bind(scope, self.name[target], how, target, value, extra)

    # classes and types

    def class_(self, node: int) -> None:
        b, kind = self.b, self.kind
        children = self.kids(node)
        name = types = body = -1
        for child in children:
            what = kind[child]
            if what in (Kind.NAME, Kind.TYPE_NAME) and name < 0:
                name = child
            elif what == Kind.TYPE_PARAMS:
                types = child
            elif what == Kind.BLOCK:
                body = child
        declared = self.is_declaration(node)
        above = self.parent[node]
        whole = above if kind[above] == Kind.EXPORT else node
        symbol = self.made.get(node, -1)
        if symbol < 0 and not declared:
            symbol = self.named_by_place(node)
        if symbol < 0:
            row = self.name[name] if name >= 0 else b.name_row("default" if kind[above] == Kind.EXPORT else "<class>")
            at = name if name >= 0 else node
            symbol = b.symbol(node, row, SymbolKind.CLASS, self.owner[node], self.start[whole], self.end[node], self.start[at])
        if b"abstract" in self.head(node, name if name >= 0 else body).split():
            b.rows["symbol_flags"][symbol] |= ABSTRACT
        outer = self.scope[node]
        if name >= 0:
            b.ignored[name] = True
            if declared:
                b.bind(outer, self.name[name], How.DEFINE, name, node, symbol)
        inner = outer
        if types >= 0 or (name >= 0 and not declared):
            inner = self.open(ScopeKind.BLOCK, self.owner_function(node), node)
            if types >= 0:
                self.type_params(types, inner)
            if name >= 0 and not declared:
                b.bind(inner, self.name[name], How.DEFINE, name, node, symbol)
        fill(b.owner, node + 1, self.next[node], symbol)
        if kind[above] == Kind.EXPORT:  # decorators may stand before `export`
            for child in self.kids(above):
                if kind[child] == Kind.DECORATOR:
                    fill(b.owner, child, self.next[child], symbol)
        scope = b.add_scope(ScopeKind.CLASS, inner, symbol, node)
        self.class_scope[symbol] = scope
        if body >= 0:
            self.members(body, symbol, scope)

    def members(self, body: int, symbol: int, scope: int) -> None:
        """Methods, fields and signatures of a class body, with the decorators that stand before them."""
        decorators: list[int] = []
        first: dict[int, int] = {}  # name -> where its first overload starts
        pending: dict[int, list[int]] = {}
        for member in self.kids(body):
            what = self.kind[member]
            if what == Kind.DECORATOR:
                decorators.append(member)
                continue
            start = self.start[decorators[0]] if decorators else self.start[member]
            made = -1
            if what == Kind.SIGNATURE and not self.is_last_signature(member):
                row = self.key_row(member + 1)
                first.setdefault(row, start)
                pending.setdefault(row, []).append(member)
            elif what == Kind.FUNC or what == Kind.SIGNATURE:
                made = self.method(member, symbol, scope, start, first, pending)
            elif what == Kind.FIELD:
                made = self.field(member, symbol, scope, start)
            for each in decorators:
                if made >= 0:
                    fill(self.b.owner, each, self.next[each], made)
            decorators = []

    def is_last_signature(self, member: int) -> bool:
        """No implementation and no other signature of that name follows."""
        following = self.next[member]
        if following >= self.next[self.parent[member]]:
            return True
        what = self.kind[following]
        if what not in (Kind.FUNC, Kind.SIGNATURE):
            return True
        key = next((child for child in self.kids(following) if self.is_key(child)), -1)
        return key < 0 or self.key_row(key) != self.key_row(member + 1)

    def method(self, node: int, owner: int, scope: int, start: int, first: dict[int, int], pending: dict[int, list[int]]) -> int:
        b = self.b
        key = next((child for child in self.kids(node) if self.is_key(child)), -1)
        if key < 0:
            return -1
        row = self.key_row(key)
        words = self.bytes_between(self.start[node], self.start[key]).split()
        flags, what = 0, SymbolKind.METHOD
        if b"static" in words:
            flags |= STATIC
        if b"abstract" in words or self.kind[node] == Kind.SIGNATURE:
            flags |= ABSTRACT
        if b"get" in words or b"set" in words:
            what = SymbolKind.PROPERTY
            flags |= SETTER if b"set" in words else 0
        if row >= 0 and row in first:
            start = min(start, first[row])
        name = row if row >= 0 else b.name_row("[computed]")
        symbol = b.symbol(node, name, what, owner, start, self.end[node], self.start[key])
        b.rows["symbol_flags"][symbol] = flags
        self.made[node] = symbol
        for each in pending.pop(row, ()):
            fill(b.owner, each, self.next[each], symbol)
        if row >= 0:
            b.bind(scope, row, How.DEFINE, key, node, symbol)
        if self.kind[node] == Kind.SIGNATURE:
            fill(b.owner, node, self.next[node], symbol)
        return symbol

    def field(self, node: int, owner: int, scope: int, start: int) -> int:
        b, kind = self.b, self.kind
        parts = [part for part in self.kids(node) if kind[part] != Kind.DECORATOR]
        if not parts or not self.is_key(parts[0]):
            return -1
        key, annotation, value = parts[0], -1, -1
        for part in parts[1:]:
            if kind[part] == Kind.TYPE:
                annotation = part
            else:
                value = part
        row = self.key_row(key)
        if row < 0:
            return -1
        if annotation < 0:
            annotation = self.documented_type(node)
        function = self.unwrapped(value) if value >= 0 else -1
        static = b"static" in self.head(node, key).split()
        if function >= 0 and kind[function] in _CALLABLES:
            what = SymbolKind.CLASS if kind[function] == Kind.CLASS else SymbolKind.METHOD
            symbol = b.symbol(function, row, what, owner, start, self.end[node], self.start[key])
            self.made[function] = symbol
            b.bind(scope, row, How.DEFINE, key, function, symbol, annotation)
        else:
            symbol = b.field(owner, row, SymbolKind.FIELD, node, node, self.start[key])
            b.rows["symbol_start"][symbol] = min(start, b.rows["symbol_start"][symbol])
            b.bind(scope, row, How.ASSIGN if value >= 0 else How.DECLARE, key, value, -1, annotation)
        b.rows["symbol_flags"][symbol] |= STATIC if static else 0
        fill(b.owner, node, self.next[node], symbol)
        return symbol

    def named_type(self, node: int, what: int) -> tuple[int, int]:
        """The symbol and the outer scope of an interface, alias or enum, its name bound."""
        b = self.b
        name = next((child for child in self.kids(node) if self.kind[child] in (Kind.NAME, Kind.TYPE_NAME)), -1)
        above = self.parent[node]
        whole = above if self.kind[above] == Kind.EXPORT else node
        row = self.name[name] if name >= 0 else b.name_row("default")
        at = name if name >= 0 else node
        symbol = b.symbol(node, row, what, self.owner[node], self.start[whole], self.end[node], self.start[at])
        outer = self.scope[node]
        if name >= 0:
            b.ignored[name] = True
            b.bind(outer, row, How.DEFINE, name, node, symbol)
        fill(b.owner, node, self.next[node], symbol)
        return symbol, outer

    def interface(self, node: int) -> None:
        b = self.b
        symbol, _ = self.named_type(node, SymbolKind.INTERFACE)
        inner = self.open(ScopeKind.BLOCK, self.owner_function(self.parent[node]), node)
        scope = b.add_scope(ScopeKind.CLASS, inner, symbol, node)
        self.class_scope[symbol] = scope
        for child in self.kids(node):
            if self.kind[child] == Kind.TYPE_PARAMS:
                self.type_params(child, inner)
            elif self.kind[child] == Kind.BLOCK:
                self.type_members(child, symbol, scope)

    def type_alias(self, node: int) -> None:
        b = self.b
        symbol, _ = self.named_type(node, SymbolKind.TYPE)
        inner = self.open(ScopeKind.BLOCK, self.owner_function(self.parent[node]), node)
        parts = self.kids(node)
        for child in parts:
            if self.kind[child] == Kind.TYPE_PARAMS:
                self.type_params(child, inner)
        value = parts[-1] if parts else -1
        wholes = [value] if value >= 0 else []
        while wholes:
            each = wholes.pop()
            if self.kind[each] == Kind.INTERSECTION:
                wholes += self.kids(each)
            elif self.kind[each] == Kind.OBJECT_TYPE and mapped_from(self, each) < 0:
                if symbol not in self.class_scope:
                    self.class_scope[symbol] = b.add_scope(ScopeKind.CLASS, inner, symbol, node)
                self.type_members(each, symbol, self.class_scope[symbol])

    def object_type(self, node: int) -> None:
        """An object type inside a named one: its members have names too."""
        if node in self.handled:
            return
        owner = self.owner[node]
        if self.symbol_kind(owner) in (SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.FIELD, SymbolKind.CONSTANT):
            self.type_members(node, owner, -1)

    def type_members(self, body: int, owner: int, scope: int) -> None:
        b, kind = self.b, self.kind
        self.handled.add(body)
        seen: dict[int, int] = {}
        for member in self.kids(body):
            if kind[member] != Kind.SIGNATURE or not self.is_key(member + 1):
                continue
            key = member + 1
            row = self.key_row(key)
            if row < 0:
                continue
            parts = self.kids(member)
            annotation = next((part for part in parts if kind[part] == Kind.TYPE), -1)
            words = self.bytes_between(self.start[member], self.start[key]).split()
            callable_ = any(kind[part] == Kind.PARAMS for part in parts)
            of_type = annotation >= 0 and kind[annotation + 1] == Kind.FUNC_TYPE and self.next[annotation + 1] == self.next[annotation]
            if row in seen:
                fill(b.owner, member, self.next[member], seen[row])
                continue
            if callable_ and (b"get" in words or b"set" in words):
                what = SymbolKind.FIELD
                callable_ = False
            else:
                what = SymbolKind.METHOD if callable_ or of_type else SymbolKind.FIELD
            if what == SymbolKind.FIELD:
                symbol = b.field(owner, row, what, member, member, self.start[key])
            else:
                symbol = b.symbol(member, row, what, owner, self.start[member], self.end[member], self.start[key])
                b.rows["symbol_flags"][symbol] |= ABSTRACT
            seen[row] = symbol
            fill(b.owner, member, self.next[member], symbol)
            if scope >= 0:
                if what == SymbolKind.FIELD:
                    b.bind(scope, row, How.DECLARE, key, -1, -1, annotation)
                else:
                    b.bind(scope, row, How.DEFINE, key, member, symbol)

    def signature(self, node: int) -> None:
        """A function without a body: of a declaration file, or an overload, which the implementation takes over."""
        b = self.b
        if (
            self.kind[node + 1] != Kind.NAME
            or self.next[node] <= node + 1
            or b"[" in self.bytes_between(self.start[node], self.start[node + 1])
        ):
            self.type_scope(node)  # the last: of an index signature
            return
        above = self.parent[node]
        if self.kind[above] not in (Kind.MODULE, Kind.BLOCK, Kind.EXPORT):
            return
        whole = above if self.kind[above] == Kind.EXPORT else node
        row = self.name[node + 1]
        following = self.next[whole]
        for _ in range(MAX_OVERLOADS):
            if following >= self.next[self.parent[whole]]:
                break
            inner = following + 1 if self.kind[following] == Kind.EXPORT and self.next[following] > following + 1 else following
            if self.kind[inner] == Kind.FUNC and self.kind[inner + 1] == Kind.NAME and self.name[inner + 1] == row:
                self.type_scope(node)
                return
            if self.kind[inner] != Kind.SIGNATURE or self.kind[inner + 1] != Kind.NAME or self.name[inner + 1] != row:
                break
            following = self.next[following]
        key = (self.scope[node], row)
        symbol = self.defined_functions.get(key)
        if symbol is None:
            symbol = b.symbol(node, row, SymbolKind.FUNCTION, self.owner[node], self.start[whole], self.end[node], self.start[node + 1])
            self.defined_functions[key] = symbol
            b.bind(self.scope[node], row, How.DEFINE, node + 1, node, symbol)
        fill(b.owner, node, self.next[node], symbol)
        for child in self.kids(node):
            if self.kind[child] == Kind.TYPE_PARAMS:
                self.type_params(child, self.open(ScopeKind.BLOCK, symbol, node))

    def enum(self, node: int) -> None:
        b, kind = self.b, self.kind
        symbol, outer = self.named_type(node, SymbolKind.ENUM)
        scope = b.add_scope(ScopeKind.CLASS, outer, symbol, node)
        self.class_scope[symbol] = scope
        for body in self.kids(node):
            if kind[body] != Kind.BLOCK:
                continue
            fill(b.scope, body, self.next[body], scope)  # one member may name another
            for member in self.kids(body):
                key, value = member, -1
                if kind[member] == Kind.ENUM_MEMBER:
                    parts = self.kids(member)
                    key, value = parts[0], parts[1] if len(parts) > 1 else -1
                if self.is_key(key) and self.key_row(key) >= 0:
                    row = self.key_row(key)
                    b.field(symbol, row, SymbolKind.MEMBER, member, member, self.start[key])
                    b.bind(scope, row, How.ASSIGN, key, value)

    def namespace(self, node: int) -> None:
        b, kind = self.b, self.kind
        parts = self.kids(node)
        if not parts:
            return
        name, above = parts[0], self.parent[node]
        whole = above if kind[above] == Kind.EXPORT else node
        row = (
            self.key_row(name)
            if kind[name] in (Kind.NAME, Kind.STRING)
            else b.name_row(self.bytes_between(self.start[name], self.end[name]).decode("utf-8", "replace"))
        )
        outer = self.scope[node]
        symbol = b.symbol(node, row, SymbolKind.NAMESPACE, self.owner[node], self.start[whole], self.end[node], self.start[name])
        b.ignored[name : self.next[name]] = True
        if kind[name] == Kind.NAME:
            b.bind(outer, row, How.DEFINE, name, node, symbol)
        if kind[name] != Kind.STRING:  # what `declare module "m"` declares belongs to another module: it stands at the top here
            fill(b.owner, node, self.next[node], symbol)
        for body in parts[1:]:
            if kind[body] == Kind.BLOCK:
                scope = b.add_scope(ScopeKind.NAMESPACE, outer, symbol, node)
                self.class_scope[symbol] = scope
                fill(b.scope, body, self.next[body], scope)

    # variables

    def declaration(self, node: int) -> None:
        scope = self.scope[node]
        if self.tree.data[self.start[node] : self.start[node] + 3] == b"var":
            scope = self.variable_scope(scope)
        whole = self.parent[node] if self.kind[self.parent[node]] == Kind.EXPORT else node
        for index, declarator in enumerate(self.kids(node)):
            if self.kind[declarator] == Kind.DECLARATOR:
                self.declarator(declarator, scope, whole if index == 0 else declarator)

    def declarator(self, node: int, scope: int, whole: int) -> None:
        b, kind = self.b, self.kind
        parts = self.kids(node)
        target, annotation, value = parts[0], -1, -1
        for part in parts[1:]:
            if kind[part] == Kind.TYPE:
                annotation = part
            else:
                value = part
        if value >= 0 and annotation < 0 and self.required(target, value, scope):
            return
        if annotation < 0:
            annotation = self.documented_type(node)
        top = self.kind_of_scope(scope) in _TOP
        parent = b.rows["scope_symbol"][scope] if top else self.owner[node]
        if kind[target] == Kind.NAME:
            row = self.name[target]
            inner = self.unwrapped(value) if value >= 0 else -1
            if inner >= 0 and kind[inner] in _CALLABLES:
                what = SymbolKind.CLASS if kind[inner] == Kind.CLASS else SymbolKind.FUNCTION
                symbol = b.symbol(inner, row, what, parent, self.start[whole], self.end[node], self.start[target])
                self.made[inner] = symbol
                fill(b.owner, node, self.next[node], symbol if top else self.owner[node])
                b.bind(scope, row, How.DEFINE, target, inner, symbol, annotation)
                return
            if top:
                symbol = b.field(parent, row, SymbolKind.CONSTANT, node, node, self.start[target])
                b.rows["symbol_start"][symbol] = min(self.start[whole], b.rows["symbol_start"][symbol])
                fill(b.owner, node, self.next[node], symbol)
                if inner >= 0 and kind[inner] == Kind.DICT:
                    self.object_fields(inner, symbol, 1)
            b.bind(scope, row, How.ASSIGN if value >= 0 else How.DECLARE, target, value, -1, annotation)
        elif kind[target] in _PATTERNS:
            names = self.pattern(target, scope)
            if top:
                for each in names:
                    b.field(parent, self.name[each], SymbolKind.CONSTANT, node, node, self.start[each])

    def object_fields(self, node: int, parent: int, depth: int) -> None:
        """Data in an object literal that has a name; functions in it get their symbols where they stand."""
        b, kind = self.b, self.kind
        members = self.kids(node)
        if len(members) > _MAX_FIELDS:
            return
        for member in members:
            if kind[member] != Kind.PAIR:
                continue
            parts = self.kids(member)
            row = self.key_row(parts[0]) if len(parts) == 2 else -1
            if row < 0:
                continue
            value = self.unwrapped(parts[1])
            if kind[value] in _CALLABLES:
                continue
            symbol = b.field(parent, row, SymbolKind.FIELD, member, member, self.start[parts[0]])
            fill(b.owner, parts[1], self.next[parts[1]], symbol)
            if kind[value] == Kind.DICT and depth < _MAX_NESTED:
                self.object_fields(value, symbol, depth + 1)

    # modules that are loaded by a call

    def loaded(self, node: int) -> int:
        """The name row of the module that `require("m")` loads; -1 for anything else."""
        if self.kind[node] != Kind.CALL or self.kind[node + 1] != Kind.NAME or self.text(node + 1) != "require":
            return -1
        arguments = self.next[node + 1]
        if arguments >= self.next[node]:
            return -1
        parts = self.kids(arguments)
        return self.constant_text(parts[0]) if parts else -1

    def required(self, target: int, value: int, scope: int) -> bool:
        """`const x = require("m")`, `const {a, b: c} = require("m")`, `const x = require("m").y`."""
        b, kind = self.b, self.kind
        module = self.loaded(value)
        member = -1
        if module < 0 and kind[value] == Kind.ATTRIBUTE:
            module = self.loaded(value + 1)
            member = self.name[self.next[value + 1]] if module >= 0 else -1
        if module < 0:
            return False
        call = value if member < 0 else value + 1
        if kind[target] == Kind.NAME:
            self.handled.add(call)
            at = self.next[call + 1] + 1 if member < 0 else self.next[value + 1]
            row = b.add_import(module, 0, member, at, REQUIRED)
            b.bind(scope, self.name[target], How.MODULE if member < 0 else How.MEMBER, target, -1, row)
            b.ignored[target] = True
            return True
        if kind[target] != Kind.OBJECT_PATTERN or member >= 0:
            return False
        self.handled.add(call)
        for part in self.kids(target):
            name, alias = part, part
            if kind[part] == Kind.PAIR_PATTERN:
                name, alias = self.kids(part)[0], self.kids(part)[-1]
            if kind[name] == Kind.PARAM_DEFAULT:
                name = alias = name + 1
            if kind[part] == Kind.SPREAD:
                row = b.add_import(module, 0, -1, part + 1, REQUIRED)
                b.bind(scope, self.name[part + 1], How.MODULE, part + 1, -1, row)
                continue
            if kind[alias] == Kind.PARAM_DEFAULT:
                alias += 1
            row = b.add_import(module, 0, self.key_row(name), name, REQUIRED)
            if kind[alias] in (Kind.NAME, Kind.SHORTHAND_PATTERN):
                b.bind(scope, self.name[alias], How.MEMBER, alias, -1, row)
            elif kind[alias] in _PATTERNS:
                self.pattern(alias, scope)
        b.ignored[target : self.next[target]] = True
        return True

    def call(self, node: int) -> None:
        """A module that is loaded in the middle of an expression, or a prototype that is set by a call."""
        b, kind = self.b, self.kind
        if node in self.handled:
            return
        function = node + 1
        name = self.text(self.next[function + 1]) if kind[function] == Kind.ATTRIBUTE else self.text(function)
        arguments = self.next[function]
        while arguments < self.next[node] and kind[arguments] == Kind.TYPE_ARGS:
            arguments = self.next[arguments]
        parts = self.kids(arguments) if arguments < self.next[node] else []
        if name in _AMD and kind[function] == Kind.NAME and parts and (name == "define" or kind[parts[0]] == Kind.LIST):
            self.amd_module(node, name, parts)
        elif name in _LOADERS or kind[function] == Kind.DYNAMIC_IMPORT:
            module = self.constant_text(parts[0]) if parts else -1
            if module >= 0:
                b.add_import(module, 0, -1, parts[0] + 1, 0 if kind[function] == Kind.DYNAMIC_IMPORT else REQUIRED)
        elif name[:6] == "assert" or name == "invariant":
            self.asserted(node, parts)
        elif name == "defineProperty":
            if len(parts) == 3 and self.is_exports(parts[0]):
                self.export_by_getter(parts)
            elif len(parts) == 3:
                self.described_member(node, parts[0], parts[1], self.constant_text(parts[1]), parts[2])
        elif name == "defineProperties":
            for member in self.kids(parts[1]) if len(parts) == 2 and kind[parts[1]] == Kind.DICT else ():
                if kind[member] == Kind.PAIR:
                    self.described_member(node, parts[0], member + 1, self.key_row(member + 1), self.kids(member)[-1])
        elif len(parts) >= 2 and name in ("inherits", "setPrototypeOf"):
            base = parts[0]
            if kind[base] == Kind.NAME:
                self.late_members.append((self.scope[node], self.name[base], b.name_row("prototype"), base, parts[1], -1, True))
            else:
                b.add("store", base, parts[1])
        elif name in _COPIERS and len(parts) >= 2:
            base = parts[0]
            on_prototype = kind[base] == Kind.ATTRIBUTE and kind[base + 1] == Kind.NAME and self.text(self.next[base + 1]) == "prototype"
            for source in parts[1:]:
                if on_prototype and kind[source] == Kind.DICT:
                    self.prototype_object(source, self.scope[node], self.name[base + 1])
                elif self.is_exports(base) and kind[source] == Kind.DICT and self.scope[node] == 0:
                    self.export_object(source)
                else:
                    b.add("store", base, source)

    def described_member(self, call: int, base: int, key: int, row: int, descriptor: int) -> None:
        """`Object.defineProperty(C.prototype, "x", { get() {...} })`: an accessor or a method of C."""
        b, kind = self.b, self.kind
        is_prototype = kind[base] == Kind.ATTRIBUTE and kind[base + 1] == Kind.NAME and self.text(self.next[base + 1]) == "prototype"
        if row < 0 or not is_prototype or kind[descriptor] != Kind.DICT:
            return
        for member in self.kids(descriptor):
            part = member + 1 if kind[member] == Kind.PAIR else next((each for each in self.kids(member) if self.is_key(each)), -1)
            function = self.unwrapped(self.kids(member)[-1]) if kind[member] == Kind.PAIR else member
            what = self.text(part) if part >= 0 else ""
            if what not in ("get", "set", "value") or kind[function] not in _FUNCTIONS or function in self.made:
                continue
            made = SymbolKind.METHOD if what == "value" else SymbolKind.PROPERTY
            symbol = b.symbol(function, row, made, self.owner[call], self.start[member], self.end[member], self.start[part])
            b.rows["symbol_flags"][symbol] = SETTER if what == "set" else 0
            self.made[function] = symbol
            self.late_members.append((self.scope[call], self.name[base + 1], row, key, function, symbol, True))

    def amd_module(self, node: int, name: str, parts: list[int]) -> None:
        """`define(["./a"], function (a) { return x; })` imports a and exports x; `require(["./a"], ...)` imports alone."""
        b, kind = self.b, self.kind
        for part in parts[:2]:
            for element in self.kids(part) if kind[part] == Kind.LIST else ():
                module = self.constant_text(element)
                if module >= 0 and b.names[module] not in _AMD_OWN:
                    b.add_import(module, 0, -1, element + 1, REQUIRED)
        factory = parts[-1]
        gives = kind[factory] == Kind.DICT or (
            kind[factory] in _FUNCTIONS and Kind.RETURN in kind[factory : self.next[factory]]
        ) or (kind[factory] == Kind.LAMBDA and kind[self.kids(factory)[-1]] != Kind.BLOCK)  # fmt: skip
        if name == "define" and gives:
            b.add("export", b.name_row(EXPORTED), -1, -1, node)

    def export_by_getter(self, parts: list[int]) -> None:
        """`Object.defineProperty(exports, "x", { get: function () { return m.x; } })`, as compilers write it; or with a `value`."""
        b, kind = self.b, self.kind
        row = self.constant_text(parts[1])
        for member in self.kids(parts[2]) if kind[parts[2]] == Kind.DICT and row >= 0 else ():
            key = self.text(member + 1) if kind[member] in (Kind.PAIR, Kind.FUNC) else ""
            value = -1
            if key in ("get", "value"):
                value = self.unwrapped(self.kids(member)[-1]) if kind[member] == Kind.PAIR else member
            if key == "get" and kind[value] in _FUNCTIONS:
                value = next((node + 1 for node in range(value, self.next[value]) if kind[node] == Kind.RETURN), self.kids(value)[-1])
            if value < 0:
                continue
            if self.exports_loaded(row, value):
                continue
            if kind[value] == Kind.NAME:
                b.add("export", row, self.name[value], -1, value)
            else:
                b.add("export", row, -1, -1, value)

    # assignments

    def assign(self, node: int) -> None:
        b, kind = self.b, self.kind
        parts = self.kids(node)
        if len(parts) != 2:
            return
        left, right = parts
        value = self.unwrapped(right)
        what = kind[left]
        if what == Kind.NAME:
            symbol = -1
            if kind[value] in _CALLABLES and value not in self.made and self.text(left) not in ("exports", "module"):
                symbol = self.function_at(value, self.name[left], self.owner[node], node, left)
            if self.text(left) != "exports":
                self.late_assigns.append(
                    (self.scope[node], self.name[left], left, right, How.ASSIGN if symbol < 0 else How.DEFINE, -1, symbol)
                )
        elif what == Kind.ATTRIBUTE:
            self.assign_member(node, left, right, value)
        elif what in _PATTERNS:
            self.pattern(left, self.scope[node], late=True)
        elif what == Kind.SUBSCRIPT:
            b.add("store", left, right)
            self.assign_symbol(node, left, right, value)

    def assign_symbol(self, node: int, left: int, right: int, value: int) -> None:
        """`this[kState] = value` and `C.prototype[kRun] = function () {}`, where the key is a symbol: a member like another."""
        kind, base, key = self.kind, left + 1, self.next[left + 1]
        on_this = kind[base] == Kind.THIS
        on_prototype = kind[base] == Kind.ATTRIBUTE and kind[base + 1] == Kind.NAME and self.text(self.next[base + 1]) == "prototype"
        if not (on_this or on_prototype) or key >= self.next[left] or kind[key] != Kind.NAME or self.name[key] not in self.symbol_names():
            return
        row = self.b.name_row(f"[{self.text(key)}]")
        is_function = kind[value] in _CALLABLES and value not in self.made
        if on_this:
            symbol = self.function_at(value, row, 0, node, key) if is_function else -1
            self.late_this.append((self.owner[node], row, left, right, symbol))
        else:
            symbol = self.function_at(value, row, self.owner[node], node, key) if is_function else -1
            self.late_members.append((self.scope[node], self.name[base + 1], row, left, right, symbol, True))

    def symbol_names(self) -> frozenset[int]:
        """Name rows of what may be a symbol: `const a = Symbol("a")` of this file, and what is imported."""
        if self.symbols is None:
            self.symbols = frozenset(
                name for scope, name, how, value, _ in self.b.bindings()
                if scope == 0 and (how in (How.MEMBER, How.MODULE) or (how == How.ASSIGN and self.makes_symbol(value)))
            )  # fmt: skip
        return self.symbols

    def makes_symbol(self, value: int) -> bool:
        """`Symbol("a")`, `Symbol.for("a")`."""
        if value < 0 or self.kind[value] != Kind.CALL:
            return False
        callee = value + 1
        return self.text(callee + 1 if self.kind[callee] == Kind.ATTRIBUTE else callee) == "Symbol"

    def function_at(self, value: int, row: int, parent: int, whole: int, name: int) -> int:
        """The symbol of a function or class that an assignment names."""
        b = self.b
        above = self.parent[whole]
        is_method = self.kind[name] != Kind.NAME and parent > 0
        what = SymbolKind.CLASS if self.kind[value] == Kind.CLASS else SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
        while self.kind[above] == Kind.ASSIGN:
            whole, above = above, self.parent[above]
        symbol = b.symbol(value, row, what, parent, self.start[whole], self.end[whole], self.start[name])
        self.made[value] = symbol
        return symbol

    def assign_member(self, node: int, left: int, right: int, value: int) -> None:
        b, kind = self.b, self.kind
        base, name = left + 1, self.next[left + 1]
        if name >= self.next[left]:
            return
        row, text = self.name[name], self.text(name)
        is_function = kind[value] in _CALLABLES and value not in self.made
        if kind[base] == Kind.NAME and self.text(base) == "module" and text == "exports":
            self.export_whole(node, right, value)
        elif self.is_exports(base):
            self.export_member(node, right, value, row, name, is_function)
        elif kind[base] == Kind.THIS:
            symbol = self.function_at(value, row, 0, node, name) if is_function else -1
            self.late_this.append((self.owner[node], row, left, right, symbol))
        elif kind[base] == Kind.ATTRIBUTE and kind[base + 1] == Kind.NAME and self.text(self.next[base + 1]) == "prototype":
            symbol = self.function_at(value, row, self.owner[node], node, name) if is_function else -1
            self.late_members.append((self.scope[node], self.name[base + 1], row, left, right, symbol, True))
        elif kind[base] == Kind.NAME:
            symbol = self.function_at(value, row, self.owner[node], node, name) if is_function else -1
            self.late_members.append((self.scope[node], self.name[base], row, left, right, symbol, text == "prototype"))
            if text == "prototype" and kind[value] == Kind.DICT:
                self.prototype_object(value, self.scope[node], self.name[base])
            else:
                b.add("store", left, right)
        else:
            if is_function:
                self.function_at(value, row, self.owner[node], node, name)
            b.add("store", left, right)

    def is_exports(self, node: int) -> bool:
        if self.kind[node] == Kind.NAME:
            return self.text(node) == "exports"
        return (
            self.kind[node] == Kind.ATTRIBUTE
            and self.kind[node + 1] == Kind.NAME
            and self.text(node + 1) == "module"
            and self.text(self.next[node + 1]) == "exports"
        )

    def prototype_object(self, value: int, scope: int, base: int) -> None:
        """`C.prototype = { m() {} }`."""
        for member in self.kids(value):
            node, key = member, -1
            if self.kind[member] == Kind.PAIR:
                key, node = member + 1, self.unwrapped(self.kids(member)[-1])
            elif self.kind[member] == Kind.FUNC:
                key = next((child for child in self.kids(member) if self.is_key(child)), -1)
            if key >= 0 and self.kind[node] in _FUNCTIONS:
                symbol = self.object_member(member, key, node)
                if symbol >= 0:
                    self.made[node] = symbol
                    self.late_members.append((scope, base, self.key_row(key), key, node, symbol, True))

    def exports_loaded(self, row: int, value: int) -> bool:
        """Whether what is exported under a name is a module that is loaded there, `require("./x")`: then all of it is passed on."""
        module = self.loaded(value)
        if module < 0:
            return False
        self.handled.add(value)
        number = self.b.add_import(module, 0, -1, self.next[value + 1] + 1, REQUIRED | REEXPORTED)
        self.b.add("export", row, -1, number, value)
        return True

    def export_whole(self, node: int, right: int, value: int) -> None:
        """`module.exports = value`."""
        b, kind = self.b, self.kind
        row = b.name_row(EXPORTED)
        if self.exports_loaded(row, value):
            return
        if kind[value] in _CALLABLES and value not in self.made:
            own = next((child for child in self.kids(value) if kind[child] in (Kind.NAME, Kind.TYPE_NAME)), -1)
            named = own >= 0 and kind[value] != Kind.LAMBDA
            name = self.name[own] if named else b.name_row("default")
            what = SymbolKind.CLASS if kind[value] == Kind.CLASS else SymbolKind.FUNCTION
            at = own if named else value
            self.made[value] = b.symbol(value, name, what, 0, self.start[node], self.end[value], self.start[at])
        local = self.name[value] if kind[value] == Kind.NAME else -1
        b.add("export", row, local, -1, value)
        if kind[value] == Kind.DICT and self.scope[node] == 0:
            self.export_object(value)

    def export_object(self, value: int) -> None:
        b, kind = self.b, self.kind
        for member in self.kids(value):
            what = kind[member]
            if what == Kind.SHORTHAND:
                b.add("export", self.name[member], self.name[member], -1, member)
                continue
            key, inner, of = -1, member, member
            if what == Kind.PAIR and self.next[member] > member + 1:
                key, of = member + 1, self.kids(member)[-1]
                inner = self.unwrapped(of)
            elif what == Kind.FUNC:
                key = next((child for child in self.kids(member) if self.is_key(child)), -1)
            row = self.key_row(key) if key >= 0 else -1
            if row < 0:
                continue
            if self.exports_loaded(row, inner):
                continue
            if kind[inner] == Kind.NAME:
                b.add("export", row, self.name[inner], -1, inner)
            elif kind[inner] in _CALLABLES:
                symbol = self.object_member(member, key, inner)
                if symbol >= 0:
                    if b.rows["symbol_kind"][symbol] == SymbolKind.METHOD:
                        b.rows["symbol_kind"][symbol] = SymbolKind.FUNCTION
                    self.made[inner] = symbol
                    b.add("export", row, -1, -1, inner)
            else:
                symbol = b.field(0, row, SymbolKind.CONSTANT, member, member, self.start[key])
                fill(b.owner, of, self.next[of], symbol)
                b.add("export", row, -1, -1, of)

    def export_member(self, node: int, right: int, value: int, row: int, name: int, is_function: bool) -> None:
        """`exports.x = value`."""
        b, kind = self.b, self.kind
        if self.exports_loaded(row, value):
            return
        if kind[value] == Kind.ATTRIBUTE and self.loaded(value + 1) >= 0:
            self.handled.add(value + 1)
            number = b.add_import(self.loaded(value + 1), 0, self.name[self.next[value + 1]], self.next[value + 1], REQUIRED | REEXPORTED)
            b.add("export", row, -1, number, value)
        elif is_function:
            self.function_at(value, row, 0, node, name)
            b.add("export", row, -1, -1, value)
        elif kind[value] == Kind.NAME:
            b.add("export", row, self.name[value], -1, value)
        elif kind[value] not in (Kind.LITERAL, Kind.UNARY):  # exports.a = void 0 comes before the real one
            if self.scope[node] == 0 and value not in self.made:
                symbol = b.field(0, row, SymbolKind.CONSTANT, node, node, self.start[name])
                fill(b.owner, right, self.next[right], symbol)
                if kind[value] == Kind.DICT:
                    self.object_fields(value, symbol, 1)
            b.add("export", row, -1, -1, value)

    def augment(self, node: int) -> None:
        """`x ??= value` may give x the value; other operators give nothing that has members."""
        parts = self.kids(node)
        if len(parts) != 2:
            return
        left, right = parts
        operator = self.bytes_between(self.end[left], self.start[right]).strip()
        if operator not in (b"??=", b"||=", b"&&="):
            return
        if self.kind[left] == Kind.NAME:
            self.late_assigns.append((self.scope[node], self.name[left], left, right, How.AUGMENT, -1, -1))
        elif self.kind[left] == Kind.ATTRIBUTE and self.kind[left + 1] == Kind.THIS:
            self.late_this.append((self.owner[node], self.name[self.next[left + 1]], left, right, -1))
        elif self.kind[left] in (Kind.ATTRIBUTE, Kind.SUBSCRIPT):
            self.b.add("store", left, right)

    # loops and handlers

    def for_in(self, node: int) -> None:
        scope = self.open(ScopeKind.BLOCK, self.owner_function(node), node)
        parts = self.kids(node)
        if len(parts) < 2:
            return
        target, value = parts[0], parts[1]
        fill(self.b.scope, value, self.next[value], self.b.rows["scope_parent"][scope])
        before = self.bytes_between(self.start[node], self.start[target]).rsplit(b"(", 1)[-1].split()
        declared = bool(before) and before[-1] in (b"const", b"let", b"var", b"using")
        if declared and before[-1] == b"var":
            scope = self.variable_scope(scope)
        over_values = b"of" in self.bytes_between(self.end[target], self.start[value]).split()
        if self.kind[target] == Kind.NAME:
            how = How.ELEMENT if over_values else How.DECLARE
            if declared:
                self.b.bind(scope, self.name[target], how, target, value if over_values else -1)
                if self.kind_of_scope(scope) in _TOP:
                    self.b.field(
                        self.b.rows["scope_symbol"][scope], self.name[target], SymbolKind.CONSTANT, target, target, self.start[target]
                    )
            else:
                self.late_assigns.append((self.scope[node], self.name[target], target, value, how, -1, -1))
        elif self.kind[target] in _PATTERNS:
            self.pattern(target, scope if declared else self.scope[node], late=not declared)

    def except_(self, node: int) -> None:
        scope = self.open(ScopeKind.BLOCK, self.owner_function(node), node)
        target = node + 1
        if target < self.next[node]:
            if self.kind[target] == Kind.NAME:
                self.b.bind(scope, self.name[target], How.CAUGHT, target)
            elif self.kind[target] in _PATTERNS:
                self.pattern(target, scope)

    # what conditions say: `x instanceof C` and `isC(x)` hold, or not, in the parts they guard

    def if_(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) < 2:
            return
        otherwise = parts[2:3]
        if not otherwise and self.leaves(parts[1]):
            otherwise = self.behind(node)
        self.guards(parts[0], parts[1:2], otherwise)

    def behind(self, node: int) -> list[int]:
        """The statements of a block after one of them."""
        following, stop, found = self.next[node], self.next[self.parent[node]], list[int]()
        while following < stop and len(found) < _MAX_FOLLOWING:
            found.append(following)
            following = self.next[following]
        return found

    def asserted(self, node: int, parts: list[int]) -> None:
        """`assertIsCart(x)`, `assert(x instanceof Cart)`: what holds in the statements after it."""
        if self.kind[self.parent[node]] != Kind.BLOCK or not parts:
            return
        if self.kind[parts[0]] == Kind.NAME:
            name, names = self.name[parts[0]], self.tree.name
            named = [each for each in self.behind(node) if (names[each : self.next[each]] == name).any()]
            self.narrow(parts[0], node, named, [])
        elif self.kind[parts[0]] in (Kind.BINARY, Kind.CALL, Kind.BOOLEAN, Kind.UNARY):
            self.guards(parts[0], self.behind(node), [])

    def leaves(self, node: int) -> bool:
        """Whether a statement never comes to its end."""
        if self.kind[node] == Kind.BLOCK:
            children = self.kids(node)
            if children and self.kind[children[-1]] in (Kind.RETURN, Kind.RAISE):
                return True
            return _LEAVES.search(self.tree.data, max(self.start[node], self.end[node] - 40), self.end[node]) is not None
        return self.kind[node] in (Kind.RETURN, Kind.RAISE)

    def while_(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 2 and self.tree.data[self.start[node] : self.start[node] + 5] == b"while":
            self.guards(parts[0], parts[1:], [])

    def conditional(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 3:
            self.guards(parts[0], parts[1:2], parts[2:])

    def boolean(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 2:
            between = self.bytes_between(self.end[parts[0]], self.start[parts[1]])
            if b"&&" in between:
                self.guards(parts[0], parts[1:], [])
            elif b"||" in between:
                self.guards(parts[0], [], parts[1:])

    def guards(self, condition: int, holds: list[int], fails: list[int]) -> None:
        what = self.kind[condition]
        if what == Kind.UNARY:
            if self.tree.data[self.start[condition] : self.start[condition] + 1] == b"!" and self.next[condition] > condition + 1:
                self.guards(condition + 1, fails, holds)
        elif what == Kind.BOOLEAN:
            parts = self.kids(condition)
            if len(parts) == 2:
                both = b"&&" in self.bytes_between(self.end[parts[0]], self.start[parts[1]])
                for part in parts:
                    self.guards(part, holds if both else [], [] if both else fails)
        elif what == Kind.BINARY:
            parts = self.kids(condition)
            if len(parts) == 2:
                self.compared(condition, parts[0], parts[1], holds, fails)
        elif what == Kind.ATTRIBUTE and self.kind[condition + 1] == Kind.NAME:
            self.narrow(condition + 1, condition, holds, fails)
        elif what == Kind.CALL:
            arguments = self.next[condition + 1]
            first = arguments + 1
            if arguments < self.next[condition] and self.kind[arguments] == Kind.ARGS and self.next[arguments] > first:
                if self.kind[first] != Kind.NAME:
                    return
                self.narrow(first, condition, holds, fails)

    def compared(self, condition: int, left: int, right: int, holds: list[int], fails: list[int]) -> None:
        """`x instanceof C`, `x.kind === "a"`, `"a" in x`."""
        kind = self.kind
        operator = self.bytes_between(self.end[left], self.start[right])
        if kind[left] == Kind.NAME and _INSTANCEOF.search(operator):
            self.narrow(left, right, holds, fails)
        elif _EQUALS.search(operator):
            if b"!" in operator:
                holds, fails = fails, holds
            for side, other in ((left, right), (right, left)):
                if kind[side] == Kind.ATTRIBUTE and kind[side + 1] == Kind.NAME and kind[other] in _DISCRIMINANTS:
                    self.narrow(side + 1, condition, holds, fails)
                    break
        elif kind[left] == Kind.STRING and kind[right] == Kind.NAME and operator.strip() == b"in":
            self.narrow(right, condition, holds, fails)

    def switch(self, node: int) -> None:
        """`switch (x.kind) { case "a": ... }`: what x is after a label. A case that does not leave runs into the next one."""
        of, body = node + 1, self.next[node + 1]
        if body >= self.next[node] or self.kind[of] != Kind.ATTRIBUTE or self.kind[of + 1] != Kind.NAME:
            return
        labels = 0
        for case in self.kids(body):
            parts = self.kids(case)
            if not parts or self.bytes_between(self.start[case], self.start[case] + 4) != b"case":
                labels = 0
                continue
            labels += 1
            if len(parts) > 1:
                self.late_narrows.append((self.scope[of + 1], self.name[of + 1], case, case, 1 | labels << 2))
                end = self.end[case]
                if self.leaves(parts[-1]) or _LEAVES_CASE.search(self.tree.data, max(self.start[case], end - 40), end):
                    labels = 0

    def narrow(self, name: int, value: int, holds: list[int], fails: list[int]) -> None:
        for places, sign in ((holds, 1), (fails, 2)):
            self.late_narrows += [(self.scope[name], self.name[name], place, value, sign) for place in places]

    # imports and exports

    def source_of(self, node: int) -> int:
        """The name row of the module after `from`; -1 without one."""
        for child in reversed(self.kids(node)):
            if self.kind[child] == Kind.STRING:
                row = self.constant_text(child)
                return row if row >= 0 else self.b.name_row("")
        return -1

    def import_(self, node: int) -> None:
        b, kind, scope = self.b, self.kind, self.scope[node]
        b.ignored[node : self.next[node]] = True
        module = self.source_of(node)
        flags = TYPE_ONLY if self.bytes_between(self.start[node], self.start[node] + 14).split()[1:2] == [b"type"] else 0
        parts = self.kids(node)
        clauses = [part for part in parts if kind[part] == Kind.IMPORT_CLAUSE]
        if not clauses:
            if module >= 0 and parts:
                b.add_import(module, 0, -1, parts[-1] + 1 if self.next[parts[-1]] > parts[-1] + 1 else parts[-1], flags)
            return
        for clause in clauses:
            inside = self.kids(clause)
            required = next((self.constant_text(part) for part in inside if kind[part] == Kind.STRING), -1)
            if required >= 0 and inside:  # import x = require("m")
                row = b.add_import(required, 0, -1, inside[0], flags | REQUIRED)
                b.bind(scope, self.name[inside[0]], How.MODULE, inside[0], -1, row)
                continue
            for part in inside:
                if kind[part] == Kind.NAME:
                    row = b.add_import(module, 0, b.name_row("default"), part, flags)
                    b.bind(scope, self.name[part], How.MEMBER, part, -1, row)
                elif kind[part] == Kind.NAMESPACE_IMPORT and self.next[part] > part + 1:
                    row = b.add_import(module, 0, -1, part + 1, flags)
                    b.bind(scope, self.name[part + 1], How.MODULE, part + 1, -1, row)
                elif kind[part] == Kind.NAMED_IMPORTS:
                    for specifier in self.kids(part):
                        name, _, nodes = self.specified(specifier)
                        if nodes:
                            row = b.add_import(module, 0, name, nodes[0], flags)
                            b.bind(scope, self.name[nodes[-1]], How.MEMBER, nodes[-1], -1, row)

    def specified(self, node: int) -> tuple[int, int, list[int]]:
        """Of `a as b` in braces: the rows of both names and their nodes. `default` may be a keyword without a node of its own."""
        nodes = self.kids(node) if self.kind[node] == Kind.SPECIFIER else []
        default = self.b.name_row("default")
        if not nodes:
            alone = self.kind[node] == Kind.SPECIFIER and self.bytes_between(self.start[node], self.end[node]) == b"default"
            return (default, default, [node]) if alone else (-1, -1, [])
        name, alias = self.key_row(nodes[0]), self.key_row(nodes[-1])
        if len(nodes) == 1:
            if b"default" in self.bytes_between(self.start[node], self.start[nodes[0]]).split():
                name = default
            elif b"default" in self.bytes_between(self.end[nodes[0]], self.end[node]).split():
                alias = default
        return name, alias, nodes

    def import_alias(self, node: int) -> None:
        """`import A = B.C`."""
        parts = self.kids(node)
        if len(parts) == 2:
            self.b.ignored[parts[0]] = True
            self.b.bind(self.scope[node], self.name[parts[0]], How.ASSIGN, parts[0], parts[1])

    def export(self, node: int) -> None:
        b, kind = self.b, self.kind
        parts = [part for part in self.kids(node) if kind[part] != Kind.DECORATOR]
        module = self.source_of(node) if parts and kind[parts[-1]] == Kind.STRING else -1
        if module >= 0:
            self.reexport(node, parts, module)
            return
        if not parts:
            return
        inner = parts[-1]
        head = self.head(node, inner)
        if self.scope[node] != 0:
            self.export_of_namespace(node, inner, head)
            return
        what = kind[inner]
        if what == Kind.NAMED_IMPORTS:
            for specifier in self.kids(inner):
                _, alias, nodes = self.specified(specifier)
                if nodes:
                    b.add("export", alias, self.name[nodes[0]], -1, nodes[0])
                    for each in nodes[1:]:
                        b.ignored[each] = True
        elif b"default" in head.split():
            self.export_default(node, inner)
        elif b"=" in head:
            b.add("export", b.name_row(EXPORTED), self.name[inner] if what == Kind.NAME else -1, -1, inner)
        elif what == Kind.DECLARATION:
            for declarator in self.kids(inner):
                if kind[declarator] == Kind.DECLARATOR:
                    for name in self.declared_names(declarator + 1):
                        b.add("export", self.name[name], self.name[name], -1, name)
        else:
            name = next((child for child in self.kids(inner) if kind[child] in (Kind.NAME, Kind.TYPE_NAME)), -1)
            if what == Kind.ALIASED:
                name = inner + 1
            if name >= 0:
                b.add("export", self.name[name], self.name[name], -1, name)

    def export_of_namespace(self, node: int, inner: int, head: bytes) -> None:
        """`export default x` and `export = x` in `declare module "m"`; what else it declares is exported without a word."""
        scope = self.scope[node]
        if self.kind[inner] == Kind.NAMED_IMPORTS:
            for specifier in self.kids(inner):
                _, alias, nodes = self.specified(specifier)
                if len(nodes) > 1:
                    self.b.ignored[nodes[-1]] = True
                    self.b.bind(scope, alias, How.ASSIGN, nodes[-1], nodes[0])
            return
        name = "default" if b"default" in head.split() else EXPORTED if b"=" in head else ""
        if name and self.kind_of_scope(scope) == ScopeKind.NAMESPACE:
            self.b.bind(scope, self.b.name_row(name), How.ASSIGN, inner, inner)

    def export_default(self, node: int, inner: int) -> None:
        b, kind = self.b, self.kind
        row = b.name_row("default")
        value = self.unwrapped(inner)
        what = kind[value]
        local = -1
        if what == Kind.NAME:
            local = self.name[value]
        elif what in (Kind.FUNC, Kind.CLASS, Kind.INTERFACE, Kind.SIGNATURE):
            name = next((child for child in self.kids(value) if kind[child] in (Kind.NAME, Kind.TYPE_NAME)), -1)
            local = self.name[name] if name >= 0 and kind[self.parent[name]] == what else -1
        elif what == Kind.LAMBDA:
            self.made[value] = b.symbol(value, row, SymbolKind.FUNCTION, 0, self.start[node], self.end[value], self.start[value])
        else:
            symbol = b.field(0, row, SymbolKind.CONSTANT, node, node, self.start[inner])
            fill(b.owner, inner, self.next[inner], symbol)
            if what == Kind.DICT:
                self.object_fields(value, symbol, 1)
        b.add("export", row, local, -1, value)

    def declared_names(self, target: int) -> list[int]:
        """The names that the left of a declaration binds."""
        if self.kind[target] == Kind.NAME:
            return [target]
        return [
            node for node in range(target, self.next[target])
            if self.kind[node] == Kind.SHORTHAND_PATTERN
            or (self.kind[node] == Kind.NAME and self.kind[self.parent[node]] in (Kind.PAIR_PATTERN, Kind.ARRAY_PATTERN, Kind.SPREAD))
        ]  # fmt: skip

    def reexport(self, node: int, parts: list[int], module: int) -> None:
        b, kind = self.b, self.kind
        b.ignored[node : self.next[node]] = True
        flags = REEXPORTED
        if len(parts) == 1:  # export * from "m"
            row = b.add_import(module, 0, -1, parts[0] + 1 if self.next[parts[0]] > parts[0] + 1 else parts[0], flags)
            b.add("star", self.scope[node], row)
            return
        for part in parts[:-1]:
            if kind[part] == Kind.NAMESPACE_IMPORT and self.next[part] > part + 1:
                row = b.add_import(module, 0, -1, part + 1, flags)
                b.add("export", self.key_row(part + 1), -1, row, part + 1)
            elif kind[part] == Kind.NAMED_IMPORTS:
                for specifier in self.kids(part):
                    name, alias, nodes = self.specified(specifier)
                    if nodes:
                        row = b.add_import(module, 0, name, nodes[0], flags)
                        b.add("export", alias, -1, row, nodes[0])

    # statements

    def enclosing_function(self, node: int) -> int:
        scope, rows = self.scope[node], self.b.rows
        while scope > 0 and rows["scope_kind"][scope] != ScopeKind.FUNCTION:
            scope = rows["scope_parent"][scope]
        return self.functions.get(scope, -1)

    def return_(self, node: int) -> None:
        if self.next[node] > node + 1:
            symbol = self.enclosing_function(node)
            if symbol >= 0:
                self.b.add("return", symbol, node + 1, 0)

    def yield_(self, node: int) -> None:
        symbol = self.enclosing_function(node)
        if symbol >= 0 and self.next[node] > node + 1:
            delegates = b"*" in self.bytes_between(self.start[node], self.start[node + 1])
            self.b.add("return", symbol, node + 1, 2 if delegates else 1)

    # what could not be told before the whole file was read

    def settle(self) -> None:
        for tags in self.docs.values():
            for tag, text, called in tags:
                if tag == "typedef" and called:
                    self.b.bind(0, self.b.name_row(called), How.DECLARE, 0, -1, -1, self.written_type(text))
        self.settle_assigns()
        declared = set(self.b.bound())
        for scope, name, place, value, sign in self.late_narrows:
            where = self.declaring_scope(scope, name, declared)
            if (where, name) in declared:
                self.b.bind(where, name, How.NARROW, place, value, sign)
        self.settle_members()
        self.settle_this()

    def settle_assigns(self) -> None:
        """Assignments belong to the scope that declares the name; names that nothing declares are the module's."""
        b = self.b
        declared = set(b.bound())
        for scope, name, target, value, how, extra, symbol in self.late_assigns:
            where = self.declaring_scope(scope, name, declared)
            b.bind(where, name, how, target, value, symbol if symbol >= 0 else extra)

    def declaring_scope(self, scope: int, name: int, declared: set[tuple[int, int]]) -> int:
        b = self.b
        while scope > 0 and (scope, name) not in declared:
            scope = b.lookup_parent[scope]
        return max(scope, 0)

    def settle_members(self) -> None:
        """`C.prototype.m = f` and `C.m = f`: members of what C names in this file."""
        b = self.b
        symbols: dict[tuple[int, int], int] = {}
        declared = set(b.bound())
        for scope, name, how, _, extra in b.bindings():
            if how == How.DEFINE:
                symbols[scope, name] = extra
        stands_for = self.names_of_prototypes() if self.late_members else {}
        for scope, base, member, target, value, symbol, on_prototype in self.late_members:
            where = self.declaring_scope(scope, base, declared)
            if (where, base) in stands_for:
                scope, base, on_prototype = where, stands_for[where, base], True
                where = self.declaring_scope(scope, base, declared)
            owner = symbols.get((where, base), -1)
            if owner < 0 and self.kind_of_scope(where) in _TOP:
                owner = b._fields.get((b.rows["scope_symbol"][where], base), -1)
            if owner < 0:
                continue
            if symbol >= 0:
                b.rows["symbol_parent"][symbol] = owner
                if b.rows["symbol_kind"][symbol] == SymbolKind.FUNCTION:
                    b.rows["symbol_kind"][symbol] = SymbolKind.METHOD
                if not on_prototype and b.rows["symbol_kind"][owner] != SymbolKind.CONSTANT:
                    b.rows["symbol_flags"][symbol] |= STATIC
            elif not on_prototype and self.kind_of_scope(self.scope[target]) in _TOP and value >= 0:
                b.field(owner, member, SymbolKind.FIELD, self.parent[target], self.parent[target], self.start[self.next[target + 1]])
            is_object = b.rows["symbol_kind"][owner] == SymbolKind.CONSTANT
            if is_object and symbol < 0:
                symbol = b._fields.get((owner, member), -1)
            if is_object or (on_prototype and owner in symbols.values()):
                inner = self.prototypes.get(owner)
                if inner is None:
                    inner = self.prototypes[owner] = b.add_scope(ScopeKind.PROTOTYPE, -1, owner, 0)
                if symbol >= 0 and b.rows["symbol_kind"][symbol] != SymbolKind.FIELD:
                    b.bind(inner, member, How.DEFINE, target, value, symbol)
                else:
                    b.bind(inner, member, How.ASSIGN, target, value)

    def names_of_prototypes(self) -> dict[tuple[int, int], int]:
        """(scope, name) -> the name of the class whose prototype it is, after `var proto = C.prototype` or `= C.prototype = {...}`."""
        found: dict[tuple[int, int], int] = {}
        for scope, name, how, value, _ in self.b.bindings():
            if how == How.ASSIGN and value >= 0:
                of = value + 1 if self.kind[value] == Kind.ASSIGN else value
                if self.kind[of] == Kind.ATTRIBUTE and self.kind[of + 1] == Kind.NAME and self.text(self.next[of + 1]) == "prototype":
                    found[scope, name] = self.name[of + 1]
        return found

    def settle_this(self) -> None:
        """`this.x = value` in a method or constructor makes a field."""
        b = self.b
        fields = set(b.bound())
        for owner, name, target, value, symbol in self.late_this:
            whose = self.this_of(owner)
            if whose < 0:
                if symbol >= 0:
                    b.rows["symbol_parent"][symbol] = owner
                b.add("store", target, value)
                continue
            at = self.start[self.next[target + 1]]
            scope = self.class_scope.get(whose, -1)
            if symbol >= 0:
                b.rows["symbol_parent"][symbol] = whose
                b.rows["symbol_kind"][symbol] = SymbolKind.METHOD if b.rows["symbol_kind"][symbol] != SymbolKind.CLASS else SymbolKind.CLASS
                b.bind(b.instance_scope(whose), name, How.DEFINE, target, value, symbol)
                continue
            if (scope, name) not in fields:
                b.field(whose, name, SymbolKind.FIELD, self.parent[target], self.parent[target], at)
            documented = self.documented_type(self.parent[target])
            b.bind(scope if (scope, name) in fields else b.instance_scope(whose), name, How.ASSIGN, target, value, -1, documented)

    def this_of(self, symbol: int) -> int:
        """The class, or the function used as one, whose instance `this` is in the code of a symbol; -1 if that can't be told."""
        rows, kind = self.b.rows, self.kind
        while symbol > 0:
            what = rows["symbol_kind"][symbol]
            if what == SymbolKind.CLASS:
                return symbol
            parent, node = rows["symbol_parent"][symbol], rows["symbol_node"][symbol]
            if kind[node] == Kind.FUNC and what not in (SymbolKind.CONSTANT, SymbolKind.FIELD):
                if rows["symbol_kind"][parent] == SymbolKind.CLASS and what in (SymbolKind.METHOD, SymbolKind.PROPERTY):
                    return -1 if rows["symbol_flags"][symbol] & STATIC else parent
                if parent in self.prototypes and what in (SymbolKind.METHOD, SymbolKind.PROPERTY):
                    return parent
                if symbol in self.prototypes or (what == SymbolKind.FUNCTION and self.b.names[rows["symbol_name"][symbol]][:1].isupper()):
                    return symbol
                return -1
            symbol = parent
        return -1

    def ignore_names(self) -> None:
        """Names that are never looked up in a scope: members after a dot, names of parameters in types, intrinsic elements, labels."""
        tree, ignored = self.tree, self.b.ignored
        names = np.flatnonzero((tree.kind == Kind.NAME) | (tree.kind == Kind.TYPE_NAME))
        above = tree.parent[names]
        what = tree.kind[above]
        first = names == above + 1
        ignored[names[(what == Kind.ATTRIBUTE) & ~first]] = True
        ignored[names[first & one_of(what, (Kind.PREDICATE, Kind.SIGNATURE, Kind.FUNC))]] = True
        typed = np.flatnonzero(tree.kind == Kind.PARAM_TYPED)
        holder = tree.parent[typed]
        of = tree.kind[tree.parent[holder]]
        in_type = (tree.kind[holder] == Kind.TUPLE_TYPE) | (
            (tree.kind[holder] == Kind.PARAMS) & ((of == Kind.FUNC_TYPE) | (of == Kind.SIGNATURE))
        )
        for node in typed[in_type].tolist():
            target = node + 1
            if self.kind[target] != Kind.TYPE:
                for each in range(target, self.next[target]):
                    ignored[each] = True
        for node in names[first & one_of(what, (Kind.JSX_OPENING, Kind.JSX_CLOSING))].tolist():
            if self.text(node)[:1].islower():
                ignored[node] = True
