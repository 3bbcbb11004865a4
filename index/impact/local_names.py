"""Two versions of a function's syntax -> whether they differ in nothing but the names of local variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from index.impact.fingerprint import Holes
from index.impact.syntax import text_of, walk

_COMMENTS: Final = frozenset({"comment"})
# node type -> the field that binds a local name
_BINDERS: Final = {
    "assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "as_pattern": "alias",
    "variable_declarator": "name",
    "for_in_statement": "left",
}
_PATTERNS: Final = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "array_pattern", "as_pattern_target", "parenthesized_expression"}
)
_SHARED: Final = frozenset({"global_statement", "nonlocal_statement"})
# parent -> the field whose identifier is not a variable
_NOT_VARIABLES: Final = {"attribute": "attribute", "keyword_argument": "name"}
_SEES_NAMES: Final = frozenset({"locals", "vars", "eval", "exec", "dir", "inspect"})  # code that can tell what its variables are called
_SHOWN: Final = "\x03"  # f"{name=}" shows the name


def only_locals_renamed(before: Node, after: Node, before_holes: Holes, after_holes: Holes) -> bool:
    """Bodies of one function on both sides, and the definitions inside to leave out. Parameters are no locals: callers can name them."""
    old_names, new_names = locals_of(before, before_holes), locals_of(after, after_holes)
    if not old_names or not new_names:
        return False
    old, new = list(_leaves(before, before_holes)), list(_leaves(after, after_holes))
    if len(old) != len(new) or any(text in _SEES_NAMES or text == _SHOWN for text, _ in (*old, *new)):
        return False
    forward: dict[str, str] = {}
    backward: dict[str, str] = {}
    for (was, was_variable), (now, now_variable) in zip(old, new, strict=True):
        if was_variable != now_variable:
            return False
        if was_variable and was in old_names and now in new_names:
            if forward.setdefault(was, now) != now or backward.setdefault(now, was) != was:
                return False
        elif was != now or (was_variable and (was in forward or now in backward)):
            return False
    # a name that a definition inside may read from here must not have changed: its own text is not compared
    inside = {
        text_of(node)
        for body, holes in ((before, before_holes), (after, after_holes))
        for node in walk(body)
        if holes.hold(node) and not node.children
    }
    return not any(was != now and (was in inside or now in inside) for was, now in forward.items())


def locals_of(body: Node, holes: Holes) -> frozenset[str]:
    """Names that the body binds itself."""
    bound: set[str] = set()
    shared: set[str] = set()
    for node in walk(body):
        if holes.hold(node):
            continue
        if node.type in _SHARED:
            shared.update(text_of(child) for child in node.named_children)
        elif node.type in _BINDERS and (target := node.child_by_field_name(_BINDERS[node.type])) is not None:
            bound.update(_targets(target))
    return frozenset(bound - shared)


def _targets(target: Node) -> Iterator[str]:
    if target.type == "identifier":
        yield text_of(target)
    elif target.type in _PATTERNS:
        for child in target.named_children:
            yield from _targets(child)


def _leaves(body: Node, holes: Holes) -> Iterator[tuple[str, bool]]:
    """(text, is it a variable?) of every leaf, and the type of every inner node, so that equal leaves mean equal trees."""
    for node in walk(body):
        if node.type in _COMMENTS or holes.hold(node):
            continue
        if node.children:
            yield f"\x02{node.type} {len(node.children)}", False
            continue
        parent = node.parent
        variable = node.type == "identifier"
        if variable and parent is not None and parent.type in _NOT_VARIABLES:
            variable = parent.child_by_field_name(_NOT_VARIABLES[parent.type]) != node
        if parent is not None and parent.type == "interpolation" and node.type == "=":
            yield _SHOWN, False
        yield (node.text or b"").decode("utf-8", "replace"), variable
