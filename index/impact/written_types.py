"""Types as written -> one way to write each: `Optional[int]`, `"int | None"` and `Union[None, int]` are the same type.

What a type is called decides nothing when the program runs, so two spellings of one type are no change."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from tree_sitter import Node, Tree

from index.impact.syntax import WITHOUT_IMPORTS, text_of, walk

MAX_TEXT: Final = 600  # characters: a longer type is compared as it is written
TYPING: Final = frozenset({"typing", "typing_extensions", "collections.abc"})
# Names of `typing` that newer Python writes as something else (PEP 585).
_BUILTIN: Final = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Tuple": "tuple",
    "Type": "type",
    "Text": "str",
    "Deque": "collections.deque",
    "DefaultDict": "collections.defaultdict",
}
_OF_ABC: Final = {"Set": "AbstractSet"}  # collections.abc.Set is typing.AbstractSet
_OPTIONAL, _UNION, _LITERAL, _ANNOTATED = "typing.Optional", "typing.Union", "typing.Literal", "typing.Annotated"
_IMPORTS: Final = frozenset({"import_statement", "import_from_statement"})
_CLOSED: Final = frozenset({"function_definition", "class_definition", *WITHOUT_IMPORTS})


@dataclass(frozen=True)
class TypeNames:
    """How one Python file names what `typing` holds: `prefixes` (t -> typing) and single `names` (Opt -> typing.Optional)."""

    prefixes: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def meaning(self, written: str) -> str:
        """`t.List` -> `list`, `t.Any` -> `typing.Any`, `Cart` -> `Cart`."""
        if written in self.names:
            return self.names[written]
        prefix, _, last = written.rpartition(".")
        return _known(self.prefixes[prefix], last) if prefix in self.prefixes else written

    def holds(self, written: str) -> bool:
        """Is it a name that came from `typing`?"""
        return self.meaning(written) != written

    def same(self, other: TypeNames, before: str, after: str) -> bool:
        """Do two texts, each read with the names of its own file, mean one type?"""
        return before == after or canonical(before, self) == canonical(after, other)


def _known(module: str, name: str) -> str:
    if module == "collections.abc":
        return f"typing.{_OF_ABC.get(name, name)}"
    return _BUILTIN.get(name, f"typing.{name}")


def type_names(tree: Tree) -> TypeNames:
    """The syntax tree of a Python file -> its names for what `typing` holds, from its imports wherever they stand."""
    prefixes: dict[str, str] = {}
    names: dict[str, str] = {}
    for statement in walk(tree.root_node, lambda node: node.type in _CLOSED):
        if statement.type not in _IMPORTS:
            continue
        module = text_of(statement.child_by_field_name("module_name"))
        if statement.type == "import_from_statement" and module not in TYPING:
            continue
        for name, local in _imported(statement):
            if module:
                names[local] = _known(module, name)
            elif name in TYPING:
                prefixes[local] = name
    return TypeNames(prefixes, names)


def _imported(statement: Node) -> Iterator[tuple[str, str]]:
    """(name, local name) of each thing that an import names."""
    for child in statement.children_by_field_name("name"):
        if child.type == "aliased_import":
            yield text_of(child.child_by_field_name("name")), text_of(child.child_by_field_name("alias"))
        else:
            yield text_of(child), text_of(child)


def canonical(text: str, names: TypeNames) -> str:
    """A Python annotation -> its canonical text; what can't be read stays as it is."""
    return _canonical(text, names, annotation=True)


def canonical_value(text: str, names: TypeNames) -> str:
    """The same for an expression, where a text in quotes is a text and the order of `|` may matter."""
    return _canonical(text, names, annotation=False)


def _canonical(text: str, names: TypeNames, annotation: bool) -> str:
    with contextlib.suppress(RecursionError):  # `----...x` can be read, but not written
        if (read := _parsed(text)) is not None:
            return _type(read, names, annotation)
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr | None:
    if len(text) > MAX_TEXT or "\\" in text:  # Python warns of `\d` in a text on standard error, while it only reads it
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _type(node: ast.expr, names: TypeNames, annotation: bool = True) -> str:
    arms = list(_arms(node, names, annotation))
    if len(arms) > 1 or arms[0] is not node:
        said = [_type(arm, names, annotation) for arm in arms]
        return " | ".join(sorted(set(said)) if annotation else said)
    if isinstance(node, ast.Name | ast.Attribute):
        return names.meaning(ast.unparse(node))
    if isinstance(node, ast.Subscript):
        given = _given(node)
        owner = _type(node.value, names, annotation)
        if owner == _LITERAL:
            return f"Literal[{', '.join(map(ast.unparse, given))}]"
        if owner == _ANNOTATED:
            return f"Annotated[{', '.join([_type(given[0], names, annotation), *map(ast.unparse, given[1:])])}]"
        return f"{owner}[{', '.join(_type(one, names, annotation) for one in given)}]"
    if isinstance(node, ast.List):
        return f"[{', '.join(_type(one, names, annotation) for one in node.elts)}]"
    return ast.unparse(node)


def _arms(node: ast.expr, names: TypeNames, annotation: bool) -> Iterator[ast.expr]:
    """What a union is made of, unions inside it and types in quotes opened; the node itself where it is no union."""
    quoted = _parsed(node.value) if annotation and isinstance(node, ast.Constant) and isinstance(node.value, str) else None
    if quoted is not None:
        yield from _arms(quoted, names, annotation)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _arms(node.left, names, annotation)
        yield from _arms(node.right, names, annotation)
    elif isinstance(node, ast.Subscript) and (join := _owner(node, names)) in (_OPTIONAL, _UNION):
        for one in _given(node):
            yield from _arms(one, names, annotation)
        if join == _OPTIONAL:
            yield ast.Constant(None)
    else:
        yield node


def _owner(node: ast.Subscript, names: TypeNames) -> str:
    """What the name before the brackets means; "" where no name stands there: `a[b][c]...` would be written again at each bracket."""
    return names.meaning(ast.unparse(node.value)) if isinstance(node.value, ast.Name | ast.Attribute) else ""


def _given(node: ast.Subscript) -> list[ast.expr]:
    """The arguments in the brackets; `tuple[()]` has none, and keeps its parentheses."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) and node.slice.elts else [node.slice]
