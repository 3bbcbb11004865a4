"""Bytes of a file -> syntax tree, for the few files a change touches. The one place where this package makes a parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Tree

from index.parsing.bounded import LARGE, STACK, BoundedParser
from index.snapshot import Snapshot
from index.stack import on_a_large_stack

MAX_BYTES: Final = 1_000_000  # above it a file is data more often than code, and parsing takes 0.1 s a megabyte

GRAMMARS: Final = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
FAMILIES: Final = {"python": "python", "javascript": "javascript", "typescript": "typescript", "tsx": "typescript"}


def grammar_of(path: str) -> str | None:
    """A path -> the grammar that reads it, or None."""
    found = re.search(r"\.[A-Za-z]+$", path)
    return GRAMMARS.get(found[0].lower()) if found else None


def parse(grammar: str, source: bytes) -> Tree:
    """Source -> tree; broken source gives a tree with ERROR nodes, never an exception. Of whole files those that are `can_be_parsed`."""
    parser = _parser(grammar).parser
    return parser.parse(source) if len(source) < LARGE else on_a_large_stack(lambda: parser.parse(source), STACK)


def can_be_parsed(snapshot: Snapshot, path: str, grammar: str, source: bytes) -> bool:
    """Whether the parser comes to an end with a file of a snapshot in as much work as it may take. Where it did for the index there are
    definitions, and it need not be tried."""
    file = snapshot.file_of_path.get(path)
    return (file is not None and len(snapshot.symbols_in(file)) > 1) or _parser(grammar).parse(source) is not None


@cache
def _parser(grammar: str) -> BoundedParser:
    languages = {
        "python": tree_sitter_python.language,
        "javascript": tree_sitter_javascript.language,
        "typescript": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
    }
    return BoundedParser(Language(languages[grammar]()))


def text_of(node: Node | None) -> str:
    """The node's source on one line, runs of white space as one space; "" for None."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())


# In these no import stands: what a walk that looks for imports need not open.
WITHOUT_IMPORTS: Final = frozenset(
    """
    expression_statement return_statement assert_statement delete_statement raise_statement global_statement decorator comment
    lexical_declaration variable_declaration type_alias_declaration interface_declaration
    """.split()
)


def walk(node: Node, left_out: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """The node and everything below it, in source order, without what is `left_out` and all that is below that."""
    stack = [node]
    while stack:
        found = stack.pop()
        if left_out(found):
            continue
        yield found
        stack.extend(reversed(found.children))


# Where a name is written to be bound: node type -> its field, or "" for any place in it.
_BINDS: Final = {
    "aliased_import": "alias",
    "import_specifier": "",
    "import_clause": "",
    "namespace_import": "",
    "import_from_statement": "name",
    "function_definition": "name",
    "class_definition": "name",
    "function_declaration": "name",
    "generator_function_declaration": "name",
    "function_signature": "name",
    "class_declaration": "name",
    "abstract_class_declaration": "name",
    "class": "name",
    "interface_declaration": "name",
    "type_alias_declaration": "name",
    "enum_declaration": "name",
    "internal_module": "name",
    "module": "name",
    "variable_declarator": "name",
    "type_parameter": "",
    "infer_type": "",
    "mapped_type_clause": "name",
    "parameters": "",
    "lambda_parameters": "",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "typed_parameter": "",
    "list_splat_pattern": "",
    "dictionary_splat_pattern": "",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "formal_parameters": "",
    "rest_pattern": "",
    "arrow_function": "parameter",
    "assignment": "left",
    "augmented_assignment": "left",
    "assignment_expression": "left",
    "named_expression": "name",
    "for_statement": "left",
    "for_in_statement": "left",
    "for_in_clause": "left",
    "as_pattern_target": "",
    "catch_clause": "parameter",
    "global_statement": "",
    "nonlocal_statement": "",
    "wildcard_import": "",
    "type_alias_statement": "left",
}
_PATTERNS: Final = frozenset(
    """
    pattern_list tuple_pattern list_pattern array_pattern object_pattern shorthand_property_identifier_pattern pair_pattern
    assignment_pattern object_assignment_pattern dotted_name
    """.split()
)


def is_binding(name: Node) -> bool:
    """Is a name written where it is bound: an import, a declaration, a parameter, an assignment?"""
    node = name
    while node.parent is not None and node.parent.type in _PATTERNS:
        node = node.parent
    around = node.parent
    if around is None or around.type not in _BINDS:
        return node.type == "shorthand_property_identifier_pattern"
    wanted = _BINDS[around.type]
    return not wanted or node in around.children_by_field_name(wanted)


def node_of_span(tree: Tree, source: bytes, start_byte: int, end_byte: int) -> Node:
    """The widest node that fills the span (white space at its ends aside), or the smallest one around it."""
    inside = source[start_byte:end_byte]
    start_byte += len(inside) - len(inside.lstrip())
    end_byte = max(start_byte + 1, start_byte + len(inside.strip()))
    node = tree.root_node.descendant_for_byte_range(start_byte, end_byte - 1) or tree.root_node
    while node.end_byte < end_byte and node.parent is not None:
        node = node.parent
    while node.parent is not None and node.parent.start_byte >= start_byte and node.parent.end_byte <= end_byte:
        node = node.parent
    return node
