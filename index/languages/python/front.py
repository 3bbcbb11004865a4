"""Tree of a Python file -> its symbols, scopes, bindings, imports, parameters and returns."""

from __future__ import annotations

import builtins
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from index.numbers import SymbolKind
from index.parsing.column import column_of_nodes, fill
from index.parsing.columns import Tree
from index.parsing.facts import FactsBuilder, How, ParamFlag, ScopeKind
from index.parsing.kinds import Kind

_PROPERTY_DECORATORS: Final = frozenset(
    {"property", "cached_property", "setter", "getter", "deleter", "abstractproperty", "hybrid_property"}
)
SYMBOL_ASYNC, SYMBOL_STATIC, SYMBOL_CLASSMETHOD, SYMBOL_GENERATOR, SYMBOL_ABSTRACT, SYMBOL_OVERLOAD, SYMBOL_DECORATED = (
    1,
    2,
    4,
    8,
    16,
    32,
    64,
)
# An operator stands after its left operand, its parentheses and comments.
_OPERATOR: Final = re.compile(
    rb"(?:[\s()\\]|#[^\n]*+)*+(not\s+in|is\s+not|\*\*|//|<<|>>|<=|>=|==|!=|<>|[-+*/%@&|^<>]|in\b|is\b|and\b|or\b)"
)
_LONGEST_FORMAT: Final = 200  # bytes: from every `=` of a long text the search below would go through to its end
_REPR: Final = re.compile(rb"(?:![ra]|=)\s*(?::[^}]*)?\}$")
_SAYS_NOTHING: Final = (Kind.RAISE, Kind.LITERAL)
_PARAM: Final = 6  # numbers of a row in the table of parameters
_RETURN: Final = 3  # and in that of results
_GUARD: Final = 3  # and in that of results that hang on an argument
_STUB: Final = re.compile(rb"raise\s+NotImplementedError\b|\.\.\.")
_JUMP: Final = re.compile(rb"(?:^|[\s;])(?:continue|break)\b")
SYMBOL_DISPATCH: Final = 128  # functools.singledispatch
SYMBOL_SETTER: Final = 256  # of a property, or its deleter
SYMBOL_PROTOCOL: Final = 1 << 12
SYMBOL_RECORD: Final = 1 << 13  # a class whose fields are the parameters of its constructor
_RECORDS: Final = frozenset({"dataclass", "define", "frozen", "mutable", "attrs", "s"})
_FLAGS: Final = {
    "setter": SYMBOL_SETTER,
    "deleter": SYMBOL_SETTER,
    "singledispatch": SYMBOL_DISPATCH,
    "singledispatchmethod": SYMBOL_DISPATCH,
    "staticmethod": SYMBOL_STATIC,
    "classmethod": SYMBOL_CLASSMETHOD,
    "abstractmethod": SYMBOL_ABSTRACT,
    "overload": SYMBOL_OVERLOAD,
}


_WITH_PARTS: Final = frozenset({Kind.PARAM_TYPED, Kind.PARAM_DEFAULT, Kind.PARAM_TYPED_DEFAULT})
_SPREADS: Final = frozenset({Kind.SPREAD, Kind.KEYWORD_SPREAD})
_BUILTINS: Final = frozenset(dir(builtins))
_MOST_GUARDS: Final = 10_000  # of a file: each result of a function may hang on each condition before it


def front_end(tree: Tree, b: FactsBuilder) -> None:
    """Fills the builder. Nodes come in preorder, so an outer scope is known before what it holds."""
    reader = _Reader(tree, b)
    nodes = _LOOKED_AT[tree.kind].nonzero()[0]
    for node, kind in zip(nodes.tolist(), tree.kind[nodes].tolist(), strict=True):
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(reader, node)
        if kind in _TOLD_BY_NAME:
            reader.told_by_name.append(node)
    reader.narrow()
    reader.guard()
    b.members = _MEMBERS
    b.everywhere = _BUILTINS
    reader.tell_operators()


class _Reader:
    def __init__(self, tree: Tree, b: FactsBuilder) -> None:
        self.tree, self.b = tree, b
        self.kind, self.name = tree.kind.tobytes(), column_of_nodes(tree.name, False)
        self.next, self.parent = column_of_nodes(tree.next, False), column_of_nodes(tree.parent, False)
        self.start, self.end = b.start, b.end
        self.scope, self.owner = b.scope, b.owner
        self.functions: dict[int, int] = {}  # function scope -> its symbol
        self.named: set[int] = set()  # lambdas that have been given the name they are assigned to
        self.cases: list[tuple[int, int]] = []  # clauses of match statements and their patterns
        self._parts: dict[int, list[int]] = {}  # see `parts_of`
        self._ending: dict[int, int] = {}  # see `all_end`
        self.told_by_name: list[int] = []  # nodes whose name says more of them: see `tell_operators`

    def kids(self, node: int) -> list[int]:
        child, stop, following, found = node + 1, self.next[node], self.next, []
        while child < stop:
            found.append(child)
            child = following[child]
        return found

    def text(self, node: int) -> str:
        row = self.name[node]
        return self.b.names[row] if row >= 0 else ""

    # definitions

    def function(self, node: int) -> None:
        b, kind = self.b, self.kind
        name = params = block = returns = -1
        for child in self.kids(node):
            what = kind[child]
            if what == Kind.NAME:
                name = child
            elif what == Kind.PARAMS:
                params = child
            elif what == Kind.TYPE:
                returns = child
            elif what == Kind.BLOCK:
                block = child
        outer = self.scope[node]
        in_class = b.rows["scope_kind"][outer] == ScopeKind.CLASS
        decorated = kind[self.parent[node]] == Kind.DECORATED
        whole = self.parent[node] if decorated else node
        flags, is_property = 0, False
        if decorated:
            flags = SYMBOL_DECORATED
            for decorator in self.kids(whole):
                if kind[decorator] == Kind.DECORATOR:
                    last = self.last_name(decorator + 1)
                    flags |= _FLAGS.get(last, 0)
                    is_property = is_property or last in _PROPERTY_DECORATORS
        if self.tree.data.startswith(b"async", self.start[node]):
            flags |= SYMBOL_ASYNC
        if in_class and block >= 0 and self.is_stub(block):
            flags |= SYMBOL_ABSTRACT
        what = SymbolKind.FUNCTION if not in_class else SymbolKind.PROPERTY if is_property else SymbolKind.METHOD
        at = name if name >= 0 else node
        symbol = b.symbol(
            node, self.name[name] if name >= 0 else -1, what, self.owner[node], self.start[whole], self.end[node], self.start[at]
        )
        b.rows["symbol_flags"][symbol] = flags
        if name >= 0:
            b.bind(outer, self.name[name], How.DEFINE, name, node, symbol, returns)
            b.ignored[name] = True
        if decorated:
            self.own_decorators(whole, node, symbol)
        self.enter_function(node, symbol, outer, params, block, in_class and not flags & SYMBOL_STATIC)

    def is_stub(self, block: int) -> bool:
        """Whether a body only says that subclasses have to have their own: `...` or `raise NotImplementedError`."""
        first, end = block + 1, self.next[block]
        if first < end and self.kind[first] == Kind.STRING:
            first = self.next[first]
        if first < end:
            is_stub = self.next[first] == end and self.kind[first] in _SAYS_NOTHING
            return is_stub and _STUB.match(self.tree.data, self.start[first]) is not None
        return first == block + 1 and _STUB.match(self.tree.data, self.start[block]) is not None

    def own_decorators(self, whole: int, node: int, symbol: int) -> None:
        """Decorators belong to what they stand on, lambdas among their arguments to themselves."""
        owner, around = self.owner, self.owner[node]
        for one in range(whole, node):
            if owner[one] == around:
                owner[one] = symbol

    def enter_function(self, node: int, symbol: int, outer: int, params: int, body: int, is_method: bool) -> None:
        b = self.b
        inner = b.add_scope(ScopeKind.FUNCTION, outer, symbol, node)
        self.functions[inner] = symbol
        for part in (params, body):
            if part >= 0:
                fill(b.scope, part, self.next[part], inner)
                fill(b.owner, part, self.next[part], symbol)
        if params >= 0:
            self.parameters(params, symbol, inner, outer, is_method)

    def parameters(self, params: int, symbol: int, inner: int, outer: int, is_method: bool) -> None:
        b, kind, keyword_only = self.b, self.kind, False
        children = [params] if kind[params] != Kind.PARAMS else self.kids(params)
        first = True
        for child in children:
            what = kind[child]
            if what == Kind.KEYWORD_MARK:
                keyword_only = True
                continue
            if what == Kind.POSITIONAL_MARK:
                continue
            target, annotation, default = child, -1, -1
            if what in _WITH_PARTS:
                target = child + 1
                for part in self.kids(child)[1:]:
                    if kind[part] == Kind.TYPE:
                        annotation = part
                    else:
                        default = part
                    fill(b.scope, part, self.next[part], outer)
                    fill(b.owner, part, self.next[part], b.rows["symbol_parent"][symbol] if part == default else symbol)
            flags = ParamFlag.KEYWORD_ONLY if keyword_only else 0
            if kind[target] in _SPREADS:
                flags = ParamFlag.STAR if kind[target] == Kind.SPREAD else ParamFlag.DOUBLE_STAR
                keyword_only = True
                target += 1
            if default >= 0:
                flags |= ParamFlag.HAS_DEFAULT
            if first and is_method:
                flags |= ParamFlag.SELF
                b.scope_self[inner] = (self.name[target], b.rows["symbol_parent"][symbol])
            first = False
            if kind[target] == Kind.NAME:
                row = b.add("param", symbol, self.name[target], flags, annotation, default, target)
                b.bind(inner, self.name[target], How.PARAM, target, default, row, annotation)

    def function_value(self, node: int) -> None:
        """A lambda without a name."""
        if node not in self.named:
            at = self.start[node]
            symbol = self.b.symbol(node, self.b.name_row("<lambda>"), SymbolKind.LAMBDA, self.owner[node], at, self.end[node], at)
            self.enter_lambda(node, symbol, False)

    def named_lambda(self, name: int, node: int, scope: int) -> None:
        """A lambda that an assignment gives a name is that name's function."""
        b = self.b
        in_class = b.rows["scope_kind"][scope] == ScopeKind.CLASS
        statement = self.parent[name]
        symbol = b.symbol(
            node, self.name[name], SymbolKind.METHOD if in_class else SymbolKind.FUNCTION, self.owner[node],
            self.start[statement], self.end[node], self.start[name],
        )  # fmt: skip
        b.bind(scope, self.name[name], How.DEFINE, name, node, symbol)
        b.ignored[name] = True
        self.named.add(node)
        self.enter_lambda(node, symbol, in_class)

    def enter_lambda(self, node: int, symbol: int, is_method: bool) -> None:
        children = self.kids(node)
        params = children[0] if children and self.kind[children[0]] == Kind.PARAMS else -1
        body = children[-1] if children and children[-1] != params else -1
        self.enter_function(node, symbol, self.scope[node], params, body, is_method)
        if body >= 0:
            self.b.add("return", symbol, body, 0)

    def class_(self, node: int) -> None:
        b, kind = self.b, self.kind
        name = block = bases = -1
        for child in self.kids(node):
            what = kind[child]
            if what == Kind.NAME and name < 0:
                name = child
            elif what == Kind.ARGS:
                bases = child
            elif what == Kind.BLOCK:
                block = child
        outer = self.scope[node]
        decorated = kind[self.parent[node]] == Kind.DECORATED
        whole = self.parent[node] if decorated else node
        at = name if name >= 0 else node
        symbol = b.symbol(
            node,
            self.name[name] if name >= 0 else -1,
            SymbolKind.CLASS,
            self.owner[node],
            self.start[whole],
            self.end[node],
            self.start[at],
        )
        names = [
            self.last_name(self.kids(base)[0] if kind[base] == Kind.SUBSCRIPT else base)
            for base in (self.kids(bases) if bases >= 0 else ())
        ]
        decorators = {self.last_name(one + 1) for one in self.kids(whole) if kind[one] == Kind.DECORATOR} if decorated else set()
        is_record = "NamedTuple" in names or not decorators.isdisjoint(_RECORDS)
        b.rows["symbol_flags"][symbol] = (
            (SYMBOL_DECORATED if decorated else 0) | (SYMBOL_PROTOCOL if "Protocol" in names else 0) | (SYMBOL_RECORD if is_record else 0)
        )
        if name >= 0:
            b.bind(outer, self.name[name], How.DEFINE, name, node, symbol)
            b.ignored[name] = True
        if decorated:
            self.own_decorators(whole, node, symbol)
        if bases >= 0:
            fill(b.owner, bases, self.next[bases], symbol)
        inner = b.add_scope(ScopeKind.CLASS, outer, symbol, node)
        if block >= 0:
            fill(b.scope, block, self.next[block], inner)
            fill(b.owner, block, self.next[block], symbol)

    # bindings

    def comprehension(self, node: int) -> None:
        b = self.b
        outer = self.scope[node]
        fill(b.scope, node, self.next[node], b.add_scope(ScopeKind.COMPREHENSION, outer, -1, node))
        for child in self.kids(node):
            if self.kind[child] == Kind.FOR_IN:
                parts = self.kids(child)
                if len(parts) > 1:
                    fill(b.scope, parts[1], self.next[parts[1]], outer)
                break

    def loop(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) > 1:
            self.target(parts[0], parts[1], How.ELEMENT, self.scope[parts[0]])

    def assign(self, node: int) -> None:
        parts = self.kids(node)
        annotation = value = -1
        for part in parts[1:]:
            if self.kind[part] == Kind.TYPE:
                annotation = part
            else:
                value = part
        if not parts:
            return
        scope = self.scope[node]
        if value >= 0 and self.kind[value] == Kind.ASSIGN:  # a = b = c: both get the innermost value
            inner = value
            while self.kind[inner] == Kind.ASSIGN:
                inner = self.kids(inner)[-1]
            value = inner
        if value < 0 and annotation < 0:
            return
        if self.kind[parts[0]] == Kind.NAME and value >= 0:
            if self.kind[value] == Kind.LAMBDA and self.parent[value] == node and self.kind[self.parent[node]] != Kind.ASSIGN:
                self.named_lambda(parts[0], value, scope)
                return
            if scope == 0 and self.text(parts[0]) == "__all__":
                self.exports(value)
        self.target(parts[0], value, How.ASSIGN if value >= 0 else How.DECLARE, scope, annotation)

    def exports(self, value: int) -> None:
        b = self.b
        known = self.kind[value] in (Kind.LIST, Kind.TUPLE)
        b.has_all = 1 if known and b.has_all != 2 else 2  # 2: made by code, so every public name may be meant
        if known:
            for item in self.kids(value):
                if self.kind[item] == Kind.STRING and self.next[item] == item + 2 and self.kind[item + 1] == Kind.TEXT:
                    b.add("export", self.name[item + 1], -1, -1, item)
                else:
                    b.has_all = 2

    def augment(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 2:
            if self.kind[parts[0]] == Kind.NAME:
                if self.text(parts[0]) == "__all__" and self.scope[node] == 0:
                    self.exports(parts[1])
                self.b.bind(self.scope[node], self.name[parts[0]], How.AUGMENT, parts[0], parts[1])
            elif self.kind[parts[0]] in (Kind.ATTRIBUTE, Kind.SUBSCRIPT):
                self.b.add("store", parts[0], parts[1])

    def walrus(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 2:
            scope = self.scope[node]
            while self.b.rows["scope_kind"][scope] == ScopeKind.COMPREHENSION:
                scope = self.b.rows["scope_parent"][scope]
            self.target(parts[0], parts[1], How.ASSIGN, scope)

    def with_item(self, node: int) -> None:
        if self.next[node] > node + 1 and self.kind[node + 1] == Kind.AS:
            parts = self.kids(node + 1)
            if len(parts) == 2:
                self.target(parts[1], parts[0], How.ENTER, self.scope[node])

    def except_(self, node: int) -> None:
        if self.next[node] > node + 1 and self.kind[node + 1] == Kind.AS:
            parts = self.kids(node + 1)
            if len(parts) == 2:
                self.target(parts[1], parts[0], How.CAUGHT, self.scope[node])

    def case(self, node: int) -> None:
        """Names in patterns are bound; classes in patterns are references."""
        for child in self.kids(node):
            if self.kind[child] in (Kind.CASE_PATTERN, Kind.AS):
                self.pattern(child, -1)
                self.cases.append((node, child))

    def pattern(self, node: int, of_class: int) -> None:
        kind, b = self.kind, self.b
        children = self.kids(node)
        if kind[node] == Kind.CLASS_PATTERN:
            for child in children[1:]:
                self.pattern(child, -1)
            return
        if kind[node] == Kind.KEYWORD_PATTERN and children:
            b.ignored[children[0]] = True
            children = children[1:]
        if kind[node] == Kind.DOTTED and len(children) == 1:
            b.bind(self.scope[node], self.name[children[0]], How.PATTERN, children[0], of_class)
            b.ignored[children[0]] = False
            return
        if kind[node] == Kind.AS and len(children) == 1:
            children = self.kids(children[0])
        if kind[node] == Kind.AS and len(children) == 2:
            inner = children[0]
            while kind[inner] == Kind.CASE_PATTERN and self.next[inner] > inner + 1:
                inner += 1
            self.pattern(children[0], -1)
            self.pattern_name(children[1], inner + 1 if kind[inner] == Kind.CLASS_PATTERN else -1)
            return
        for child in children:
            if kind[child] not in (Kind.STRING, Kind.NUMBER, Kind.LITERAL):
                self.pattern(child, -1)

    def pattern_name(self, node: int, of_class: int) -> None:
        while self.kind[node] != Kind.NAME and self.next[node] > node + 1:
            node += 1
        if self.kind[node] == Kind.NAME:
            self.b.bind(self.scope[node], self.name[node], How.PATTERN, node, of_class)

    def type_alias(self, node: int) -> None:
        parts = self.kids(node)
        if len(parts) == 2:
            left = parts[0]
            while self.kind[left] != Kind.NAME and self.next[left] > left + 1:
                left += 1
            self.target(left, parts[1], How.ASSIGN, self.scope[node])

    def target(self, target: int, value: int, how: int, scope: int, annotation: int = -1, extra: int = -1) -> None:
        b, what = self.b, self.kind[target]
        if what == Kind.NAME:
            owner_kind = b.rows["scope_kind"][scope]
            name = self.name[target]
            if name >= 0 and owner_kind in (ScopeKind.MODULE, ScopeKind.CLASS) and how != How.DEFINE:
                statement = self.parent[target]
                node = statement if self.kind[statement] == Kind.ASSIGN else target
                symbol = b.field(
                    b.rows["scope_symbol"][scope], name, SymbolKind.CONSTANT if owner_kind == ScopeKind.MODULE else SymbolKind.FIELD,
                    node, node, self.start[target],
                )  # fmt: skip
                if how == How.ASSIGN and value >= 0 and b.scope[value] == scope:
                    fill(b.owner, value, self.next[value], symbol)
            b.bind(scope, name, how, target, value, extra, annotation)
        elif what in (Kind.TUPLE, Kind.LIST):
            self.unpack(target, value, how, scope)
        elif what == Kind.SPREAD:
            self.target(target + 1, value, How.REST, scope, -1, extra)
        elif what in (Kind.ATTRIBUTE, Kind.SUBSCRIPT):
            if what == Kind.ATTRIBUTE and self.kind[target + 1] == Kind.NAME and self.name[target + 1] == b.scope_self[scope][0] >= 0:
                class_symbol = b.scope_self[scope][1]
                attribute = self.next[target + 1]
                statement = self.parent[target] if self.kind[self.parent[target]] == Kind.ASSIGN else target
                b.field(class_symbol, self.name[attribute], SymbolKind.FIELD, statement, statement, self.start[attribute])
                b.bind(b.instance_scope(class_symbol), self.name[attribute], how, target, value, extra, annotation)
            elif value >= 0:
                b.add("store", target, value)

    def unpack(self, target: int, value: int, how: int, scope: int) -> None:
        targets = self.kids(target)
        plain = how == How.ASSIGN and value >= 0 and self.kind[value] in (Kind.TUPLE, Kind.LIST)
        values = self.kids(value) if plain else []
        starred = any(self.kind[node] == Kind.SPREAD for node in (*targets, *values))
        if plain and len(values) == len(targets) and not starred:
            for one, its in zip(targets, values, strict=True):
                self.target(one, its, How.ASSIGN, scope)
            return
        stars = [index for index, one in enumerate(targets) if self.kind[one] == Kind.SPREAD]
        if plain and len(stars) == 1 and not any(self.kind[node] == Kind.SPREAD for node in values) and len(values) >= len(targets) - 1:
            after = len(targets) - 1 - stars[0]
            for one, its in zip(targets[: stars[0]], values, strict=False):
                self.target(one, its, How.ASSIGN, scope)
            self.target(targets[stars[0]] + 1, value, How.REST, scope, -1, stars[0])
            for one, its in zip(targets[len(targets) - after :], values[len(values) - after :], strict=True):
                self.target(one, its, How.ASSIGN, scope)
            return
        for index, one in enumerate(targets):
            if how == How.ASSIGN:
                self.target(one, value, How.REST if self.kind[one] == Kind.SPREAD else How.UNPACK, scope, -1, index)
            else:  # for a, b in pairs: element `index` of an element
                self.target(one, value, How.ELEMENT, scope, -1, index)

    # imports

    def ignore(self, node: int) -> None:
        self.b.ignored[node : self.next[node]] = True

    def dotted(self, node: int) -> tuple[str, ...]:
        if self.kind[node] == Kind.NAME:
            return (self.text(node),)
        if self.next[node] == node + 2:  # one name, as nearly always
            return (self.text(node + 1),) if self.kind[node + 1] == Kind.NAME else ()
        return tuple(self.text(child) for child in self.kids(node) if self.kind[child] == Kind.NAME)

    def import_(self, node: int) -> None:
        b, scope = self.b, self.scope[node]
        self.ignore(node)
        for child in self.kids(node):
            if self.kind[child] == Kind.ALIASED:
                parts = self.kids(child)
                if len(parts) == 2:
                    path = self.dotted(parts[0])
                    row = b.add_import(b.name_row(".".join(path)), 0, -1, parts[0])
                    b.bind(scope, self.name[parts[1]], How.MODULE, parts[1], -1, row)
            else:
                path = self.dotted(child)
                if path:
                    # `import a.b` binds `a`, and makes `a.b` there to be reached
                    row = b.add_import(b.name_row(".".join(path)), 0, -1, child, 1 if len(path) > 1 else 0)
                    b.bind(scope, b.name_row(path[0]), How.MODULE, child, -1, row)

    def import_from(self, node: int) -> None:
        b, scope, children = self.b, self.scope[node], self.kids(node)
        self.ignore(node)
        if not children:
            return
        level, module, first = 0, "", children[0]
        if self.kind[first] == Kind.RELATIVE:
            for part in self.kids(first):
                if self.kind[part] == Kind.PREFIX:
                    level = self.tree.data.count(b".", self.start[part], self.end[part])
                else:
                    module = ".".join(self.dotted(part))
        else:
            module = ".".join(self.dotted(first))
        module_row = b.name_row(module)
        for child in children[1:]:
            if self.kind[child] == Kind.WILDCARD:
                row = b.add_import(module_row, level, -1, child)
                b.add("star", scope, row)
                continue
            member, alias = child, child
            if self.kind[child] == Kind.ALIASED:
                parts = self.kids(child)
                if len(parts) != 2:
                    continue
                member, alias = parts
            path = self.dotted(member)
            bound = self.dotted(alias)
            if path and bound:
                row = b.add_import(module_row, level, b.name_row(path[0]), member)
                b.bind(scope, b.name_row(bound[0]), How.MEMBER, alias, -1, row)

    # statements

    def global_(self, node: int) -> None:
        self.ignore(node)
        for child in self.kids(node):
            self.b.redirect(self.scope[node], self.name[child], 0)

    def nonlocal_(self, node: int) -> None:
        self.ignore(node)
        b = self.b
        for child in self.kids(node):
            scope = b.lookup_parent[self.scope[node]]
            while scope > 0 and not self._binds(scope, self.name[child]):
                scope = b.lookup_parent[scope]
            if scope > 0:
                b.redirect(self.scope[node], self.name[child], scope)

    def _binds(self, scope: int, name: int) -> bool:
        return any(one == (scope, name) for one in self.b.bound())

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
        if symbol >= 0:
            self.b.rows["symbol_flags"][symbol] |= SYMBOL_GENERATOR
            if self.next[node] > node + 1:
                delegates = self.tree.data[self.start[node] + 5 : self.start[node + 1]].strip() == b"from"
                self.b.add("return", symbol, node + 1, 2 if delegates else 1)

    # what conditions say

    def narrow(self) -> None:
        """`isinstance(x, C)` and class patterns say what a name is wherever they hold, or what it is not."""
        tests = self.calls_of("isinstance")
        if not tests and not self.cases:
            return
        arguments_of = [(node, self.next[node + 1]) for node in tests]
        names = {self.name[arguments + 1] for node, arguments in arguments_of if arguments + 1 < self.next[node]}
        names |= {self.name[self.parent[self.parent[case]] + 1] for case, _ in self.cases}
        bound = {(scope, name) for scope, name in self.b.bound() if name in names}
        for node in tests:
            arguments = self.next[node + 1]
            parts = self.kids(arguments) if arguments < self.next[node] else []
            if len(parts) == 2 and self.kind[parts[0]] == Kind.NAME:
                for holds, first, last in self.regions(node):
                    self.say(bound, parts[0], parts[1], holds, first, last)
            elif len(parts) == 2 and self.kind[parts[0]] == Kind.ATTRIBUTE:
                for holds, first, last in self.regions(node):
                    self.b.add("narrow", parts[0], parts[1], first, last - first, int(holds))
        for case, pattern in self.cases:
            match = self.parent[self.parent[case]]
            subjects = [part for part in self.kids(match) if self.kind[part] != Kind.BLOCK]
            if self.kind[match] == Kind.MATCH and len(subjects) == 1 and self.kind[subjects[0]] == Kind.NAME:
                self.narrow_case(bound, subjects[0], case, pattern)

    def calls_of(self, name: str) -> list[int]:
        """Calls of a plain name. Asking every call for its callee's name takes ten times as long: one node of ten is a call."""
        row, kind = self.b.find_name(name), self.tree.kind
        if row < 0:
            return []
        found = np.flatnonzero(self.tree.name == row)
        calls: list[int] = (found[(kind[found] == Kind.NAME) & (kind[found - 1] == Kind.CALL)] - 1).tolist()
        return calls

    def narrow_case(self, bound: set[tuple[int, int]], subject: int, case: int, pattern: int) -> None:
        while self.kind[pattern] in (Kind.CASE_PATTERN, Kind.AS) and self.kids(pattern) and self.kind[pattern + 1] != Kind.CLASS_PATTERN:
            pattern += 1
        options = self.kids(pattern)
        if not options or any(self.kind[option] != Kind.CLASS_PATTERN for option in options):
            return
        value = options[0] + 1 if len(options) == 1 else pattern
        self.say(bound, subject, value, True, self.next[pattern], self.next[case])
        guarded = [part for part in self.kids(case)[1:] if self.kind[part] != Kind.BLOCK]
        if not guarded and all(self.next[option] == self.next[option + 1] for option in options):
            self.say(bound, subject, value, False, self.next[case], self.next[self.parent[case]])

    def say(self, bound: set[tuple[int, int]], name: int, value: int, holds: bool, first: int, last: int) -> None:
        """Between two nodes a name is, or is not, of the class(es) `value`; where nothing in the file binds it, no one is told."""
        scope = self.scope[name]
        scope = self.b._redirect.get((scope, self.name[name]), scope)
        while scope >= 0 and (scope, self.name[name]) not in bound:
            scope = self.b.lookup_parent[scope]
        if scope >= 0 and first < last:
            self.b.bind(scope, self.name[name], How.NARROW if holds else How.EXCLUDE, first, value, last - first)

    def guard(self) -> None:
        """Which results a function gives only if an optional argument is given, or is not: `if function is None: return decorate`."""
        params = self.b.plain["param"]
        optional: dict[tuple[int, int], int] = {}  # (function, name) -> parameter
        for row in range(0, len(params), _PARAM):
            symbol, name, default = params[row], params[row + 1], params[row + 4]
            if default >= 0 and self.kind[default] == Kind.LITERAL and self.tree.data[self.start[default] : self.end[default]] == b"None":
                optional[symbol, name] = row // _PARAM
        if not optional:
            return
        results: dict[int, list[int]] = {}
        returns = self.b.plain["return"]
        for row in range(0, len(returns), _RETURN):
            if not returns[row + 2]:
                results.setdefault(returns[row], []).append(returns[row + 1])
        for given in results.values():
            given.sort()
        for node in self.told_by_name:
            if self.kind[node] != Kind.COMPARE:
                continue
            name = node + 1
            parameter = optional.get((self.owner[name], self.name[name])) if self.kind[name] == Kind.NAME else None
            literal = self.next[name]
            if parameter is None or self.kind[literal] != Kind.LITERAL or self.next[literal] != self.next[node]:
                continue
            operator = self.operator(name)
            if operator in ("is", "is not") and self.tree.data[self.start[literal] : self.end[literal]] == b"None":
                given = results.get(params[_PARAM * parameter], [])
                for holds, first, last in self.regions(node):
                    for result in given[bisect_left(given, first) : bisect_left(given, last)]:
                        self.b.add("guard", result, parameter, int(holds == (operator == "is not")))
                if len(self.b.plain["guard"]) >= _GUARD * _MOST_GUARDS:
                    return

    def regions(self, node: int) -> Iterator[tuple[bool, int, int]]:
        """Where the truth of a condition is known: (whether it holds, first node, node after the last)."""
        kind, following = self.kind, self.next
        child, above = node, self.parent[node]
        if_true: bool | None = True  # what the truth of `child` says of the condition
        if_false: bool | None = False
        while above >= 0 and (if_true is not None or if_false is not None):
            what = kind[above]
            if what in (Kind.BLOCK, Kind.MODULE):  # assert
                yield from self.told((if_true, following[child], following[above]))
                return
            if what not in (Kind.NOT, Kind.BOOLEAN, Kind.IF, Kind.WHILE, Kind.CONDITIONAL, Kind.COMPREHENSION, Kind.CASE):
                return
            parts = self.parts_of(above)
            at = bisect_left(parts, child)
            if what == Kind.NOT:
                if_true, if_false = if_false, if_true
            elif what == Kind.BOOLEAN and len(parts) == 2:
                is_and = self.operator(parts[0]) == "and"
                told = if_true if is_and else if_false
                if at == 0 and told is not None:
                    yield told, following[child], following[above]
                if_true, if_false = (if_true, None) if is_and else (None, if_false)
            else:
                if what in (Kind.IF, Kind.WHILE) and at + 1 < len(parts) and kind[parts[at + 1]] == Kind.BLOCK != kind[child]:
                    yield from self.branches(above, parts, at, if_true, if_false)
                elif what == Kind.CONDITIONAL and at == 1 and len(parts) == 3:
                    yield from self.told((if_true, parts[0], following[parts[0]]), (if_false, parts[2], following[parts[2]]))
                elif what == Kind.COMPREHENSION and at > 0:
                    yield from self.told((if_true, parts[0], following[parts[0]]), (if_true, following[child], following[above]))
                elif what == Kind.CASE:
                    yield from self.told((if_true, parts[-1], following[parts[-1]]))
                return
            child, above = above, self.parent[above]

    def branches(
        self, node: int, parts: list[int], at: int, if_true: bool | None, if_false: bool | None
    ) -> Iterator[tuple[bool, int, int]]:
        """What the condition parts[at] of an `if` or `while` says inside it, and after it where no other way leads there."""
        block, around = parts[at + 1], self.parent[node]
        yield from self.told((if_true, block, self.next[block]))
        if self.kind[node] != Kind.IF:
            return
        yield from self.told((if_false, self.next[block], self.next[node]))
        if self.kind[around] not in (Kind.BLOCK, Kind.MODULE):
            return
        if self.all_end(node, parts, at + 2):
            yield from self.told((if_false, self.next[node], self.next[around]))
        elif at == 0 and len(parts) == 3 and self.ends(parts[2]):
            yield from self.told((if_true, self.next[node], self.next[around]))

    def parts_of(self, node: int) -> list[int]:
        """The children of what a condition stands in: they are asked for once for each of the conditions, which may be thousands."""
        parts = self._parts.get(node)
        if parts is None:
            parts = self._parts[node] = self.kids(node)
        return parts

    def all_end(self, node: int, parts: list[int], many: int) -> bool:
        """Whether after none of the first blocks of an `if` goes on what follows it; those that were looked at are not again."""
        at = self._ending.get(node, 0)
        while at < many and (self.kind[parts[at]] != Kind.BLOCK or self.ends(parts[at])):
            at += 1
        self._ending[node] = at
        return at >= many

    @staticmethod
    def told(*regions: tuple[bool | None, int, int]) -> Iterator[tuple[bool, int, int]]:
        for holds, first, last in regions:
            if holds is not None:
                yield holds, first, last

    def ends(self, block: int) -> bool:
        """Whether what stands after a block is not reached from its end."""
        parts = self.kids(block)
        last = parts[-1] if parts else block
        tail = self.tree.data[self.end[last] if parts else self.start[block] : self.end[block]]
        if _JUMP.search(tail) or (parts and self.kind[last] in (Kind.RETURN, Kind.RAISE)):
            return True
        inner = self.kids(last) if parts and self.kind[last] == Kind.IF else []
        blocks = [part for part in inner if self.kind[part] == Kind.BLOCK]
        return len(inner) > 2 and self.kind[inner[-2]] == Kind.BLOCK and all(self.ends(part) for part in blocks)

    def last_name(self, node: int) -> str:
        """The last name of a decorator's expression: `cache` of `@functools.cache(size=3)`."""
        if self.kind[node] == Kind.CALL:
            node += 1
        if self.kind[node] == Kind.ATTRIBUTE:
            node = self.kids(node)[-1]
        return self.text(node)

    def operator(self, left: int) -> str:
        """The operator after an operand."""
        found = _OPERATOR.match(self.tree.data, self.end[left])
        return b" ".join(found[1].split()).decode() if found else ""

    def tell_operators(self) -> None:
        """The name of an operator's node is the operator; of `a < b <= c` it is `<,<=`. That of a loop or `with` is `async` where it is.
        Nobody asks for a name after it."""
        data, kind, name, b = self.tree.data, self.kind, self.tree.name.data, self.b
        unary: list[int] = []
        formatted: list[int] = []
        perhaps_async: list[int] = []
        for node in self.told_by_name:
            what = kind[node]
            if what == Kind.UNARY:
                unary.append(node)
            elif what == Kind.INTERPOLATION:
                formatted.append(node)
            elif what in _MAY_BE_ASYNC:
                perhaps_async.append(node)
            else:
                operators = [self.operator(part) for part in self.kids(node)[:-1]]
                if all(operators) and operators:
                    name[node] = b.name_row(",".join(operators))
        for node in unary:
            name[node] = b.name_row(chr(data[self.start[node]]))
        for node in formatted:
            if _REPR.search(data, max(self.start[node], self.end[node] - _LONGEST_FORMAT), self.end[node]):
                name[node] = b.name_row("!r")
        for node in perhaps_async:
            if data[self.start[node]] == ord("a"):  # not that of `for` or `with`
                name[node] = b.name_row("async")


_HANDLERS: Final[dict[int, Callable[[_Reader, int], None]]] = {
    Kind.FUNC: _Reader.function, Kind.LAMBDA: _Reader.function_value, Kind.CLASS: _Reader.class_,
    Kind.COMPREHENSION: _Reader.comprehension, Kind.FOR_IN: _Reader.loop, Kind.FOR: _Reader.loop, Kind.ASSIGN: _Reader.assign,
    Kind.AUGMENT: _Reader.augment, Kind.WALRUS: _Reader.walrus, Kind.IMPORT: _Reader.import_, Kind.IMPORT_FROM: _Reader.import_from,
    Kind.FUTURE: _Reader.ignore, Kind.WITH_ITEM: _Reader.with_item, Kind.EXCEPT: _Reader.except_, Kind.GLOBAL: _Reader.global_,
    Kind.NONLOCAL: _Reader.nonlocal_, Kind.RETURN: _Reader.return_, Kind.YIELD: _Reader.yield_, Kind.CASE: _Reader.case,
    Kind.TYPE_ALIAS: _Reader.type_alias,
}  # fmt: skip
_MEMBERS: Final[dict[int, bool]] = {
    Kind.ATTRIBUTE: False,
    Kind.KEYWORD: True,
}  # the name after a dot and that of an argument are never looked up in a scope
_MAY_BE_ASYNC: Final = frozenset({Kind.FOR, Kind.FOR_IN, Kind.WITH})
_TOLD_BY_NAME: Final = _MAY_BE_ASYNC | {Kind.BINARY, Kind.COMPARE, Kind.AUGMENT, Kind.UNARY, Kind.INTERPOLATION}
_LOOKED_AT: Final = np.zeros(256, bool)
_LOOKED_AT[[*_HANDLERS, *_TOLD_BY_NAME]] = True
