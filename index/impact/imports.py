"""Syntax tree of a file -> what its imports call what: `from shop import tax as t` -> {"t": ("shop.tax", 1)}. Imports of types aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tree_sitter import Node, Tree

from index.impact.syntax import WITHOUT_IMPORTS, text_of, walk
from index.impact.written_types import TYPING

_PYTHON: Final = frozenset({"import_statement", "import_from_statement"})
# imports in the first four are not the file's
_INNER: Final = frozenset({"function_definition", "class_definition", "statement_block", "class_body", *WITHOUT_IMPORTS})


class Imported(NamedTuple):
    """What a local name stands for, as the import writes it, and the line of that import."""

    what: str
    line: int


def imported(tree: Tree, grammar: str) -> dict[str, Imported]:
    """Local name -> what it stands for. Of a name that is imported twice, as in `try` and `except`, nothing."""
    found: dict[str, Imported] = {}
    twice: set[str] = set()
    for statement in walk(tree.root_node, lambda node: node.type in _INNER):
        for local, what, node in _of_statement(statement, grammar):
            if found.setdefault(local, Imported(what, node.start_point.row + 1)).what != what:
                twice.add(local)
    return {local: what for local, what in found.items() if local not in twice}


def other_meanings(before: Mapping[str, Imported], after: Mapping[str, Imported]) -> list[str]:
    """Local names that stand for something else after the change; two modules that hold the same types are one."""
    return [local for local, now in after.items() if local in before and _plain(before[local].what) != _plain(now.what)]


def _plain(what: str) -> str:
    module, _, name = what.rpartition(".")
    return f"typing.{name}" if module in TYPING else what


def _of_statement(statement: Node, grammar: str) -> Iterator[tuple[str, str, Node]]:
    if grammar == "python" and statement.type in _PYTHON:
        module = text_of(statement.child_by_field_name("module_name"))
        for child in statement.children_by_field_name("name"):
            name = text_of(child.child_by_field_name("name") if child.type == "aliased_import" else child)
            alias = text_of(child.child_by_field_name("alias"))
            if module:
                yield alias or name, f"{module}.{name}", child
            else:
                yield alias or name.split(".")[0], name if alias else name.split(".")[0], child
    elif grammar != "python" and statement.type == "import_statement":
        if any(child.type == "type" for child in statement.children):
            return
        module = text_of(statement.child_by_field_name("source")).strip("'\"`")
        for node in walk(statement):
            if node.type == "import_specifier" and not any(child.type == "type" for child in node.children):
                name = text_of(node.child_by_field_name("name"))
                yield text_of(node.child_by_field_name("alias")) or name, f"{module}.{name}", node
            elif node.type == "namespace_import":
                yield text_of(node.named_children[-1]), f"{module}.*", node
            elif node.type == "import_clause" and node.named_children and node.named_children[0].type == "identifier":
                yield text_of(node.named_children[0]), f"{module}.default", node
