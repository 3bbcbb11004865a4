"""A place that names an interface or an object type whose members changed -> can it notice?

Who reads or writes a member has a use of that member, and is judged by it. What is left are objects and classes that must have every
member, and types that are computed from the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from index.impact.syntax import text_of, walk

# A type that is made of another one as a whole: with other members it is another type.
_COMPUTED: Final = frozenset({"index_type_query", "lookup_type", "conditional_type", "mapped_type_clause", "template_literal_type"})
_COMPUTING: Final = frozenset("Exclude Extract Omit Pick Record Required".split())
# Nodes between a type's name and the annotation that it is the whole of.
_WHOLE: Final = frozenset({"generic_type", "nested_type_identifier", "parenthesized_type"})
_FUNCTIONS: Final = frozenset(
    """
    arrow_function function_declaration function_expression generator_function generator_function_declaration method_definition
    """.split()
)
_ONE_AWAITED: Final = "Promise"


def is_optional(member: Node) -> bool:
    """The node of a member of a type: may an object be without it?"""
    return any(child.type == "?" for child in member.children)


def is_computed_from(name: Node) -> bool:
    """Does the type whose name this is serve to compute another one: `keyof Box`, `Box["side"]`, `Omit<Box, "side">`?"""
    around = name.parent
    while around is not None and around.type.endswith(("type", "type_query", "arguments", "clause", "identifier", "annotation")):
        if around.type in _COMPUTED or (around.type == "generic_type" and text_of(around.child_by_field_name("name")) in _COMPUTING):
            return True
        around = around.parent
    return False


def objects_for(name: Node) -> Iterator[Node]:
    """The name of a type in an annotation that is that type and nothing else -> the objects written for it, as far as they stand there:
    the value of a variable, what a function returns, what `satisfies` is said of."""
    type_node = name
    while type_node.parent is not None and type_node.parent.type in _WHOLE:
        type_node = type_node.parent
    around = type_node.parent
    promised = around is not None and around.type == "type_arguments" and around.named_child_count == 1
    if promised and around is not None and around.parent is not None and text_of(around.parent.child_by_field_name("name")) == _ONE_AWAITED:
        type_node, around = around.parent, around.parent.parent
    if around is None:
        return
    if around.type == "satisfies_expression":
        yield from _objects_of(around.named_children[0])
    if around.type != "type_annotation" or around.parent is None:
        return
    holder = around.parent
    if holder.child_by_field_name("type") == around and holder.type != "property_signature":
        yield from _objects_of(holder.child_by_field_name("value"))
    elif holder.type in _FUNCTIONS and holder.child_by_field_name("return_type") == around:
        body = holder.child_by_field_name("body")
        yield from _objects_of(body) if body is None or body.type != "statement_block" else _returned(body)


@dataclass(frozen=True, slots=True)
class Expected:
    """What is written of the type that an object must be of. `annotation` is that of the place; where the object is an argument, that
    is what the call `callee` takes as its argument `at`. `lists` counts the lists round the object."""

    annotation: str = ""
    callee: Node | None = None
    at: int = 0
    lists: int = 0


def expected_of(written: Node) -> Expected | None:
    """An object -> the type that is written for it, as far as it can be seen from there; None where it can't."""
    node, lists = written, 0
    while (around := node.parent) is not None:
        kind = around.type
        if kind == "arguments" and around.parent is not None and around.parent.type in ("call_expression", "new_expression"):
            call = around.parent
            given = [one for one in around.named_children if one.type != "comment"]
            callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
            spread = any(one.type == "spread_element" for one in given[: given.index(node)])
            named = callee.child_by_field_name("property") or callee if callee is not None else None
            return None if spread or call.child_by_field_name("type_arguments") else Expected("", named, given.index(node), lists)
        if kind == "return_statement":
            while around is not None and around.type not in _FUNCTIONS:
                around = around.parent
        if around is None:
            return None
        if around.type in _FUNCTIONS:
            returned = text_of(around.child_by_field_name("return_type")).removeprefix(":").strip()
            awaited = re.fullmatch(r"Promise<(.*)>", returned)
            return Expected(awaited[1] if awaited else returned, None, 0, lists) if returned else None
        if (declared := around.child_by_field_name("type")) is not None and around.child_by_field_name("value") == node:
            return Expected(text_of(declared).removeprefix(":").strip(), None, 0, lists)
        if kind not in ("array", "parenthesized_expression", "ternary_expression"):
            return None
        lists += kind == "array"
        node = around
    return None


def is_exactly(annotation: str, names: Set[str], lists: int) -> bool | None:
    """Does a type as written demand one of the named types whole, in so many lists? None where an object may be less than the whole."""
    text = annotation.removeprefix("readonly ").strip()
    for _ in range(lists):
        found = re.fullmatch(r"(.*)\[\]|(?:Readonly)?Array<(.*)>", text)
        if found is None:
            break
        text, lists = (found[1] or found[2] or "").strip("() "), lists - 1
    plain = re.fullmatch(r"(?:[\w$]+\.)*([\w$]+)(?:<[\w$\s,.]*>)?", text)
    if plain is not None and plain[1] in names and not lists:
        return True
    return None if _LESS.search(annotation) else False


_LESS: Final = re.compile(r"\b(Deep)?Partial\b|\b(Pick|Omit)<")


def may_have_more(holder: Node) -> str:
    """The node of a type -> why values of it may have members that are not listed in it; "" where they can't."""
    alias = next((node for node in walk(holder) if node.type in ("type_alias_declaration", "interface_declaration")), None)
    body = None if alias is None else alias.child_by_field_name("value") or alias.child_by_field_name("body")
    if body is None:
        return ""
    if body.type not in ("object_type", "interface_body"):
        return "is made of other types too"
    return "has members of any name" if any(child.type == "index_signature" for child in body.named_children) else ""


def object_of(key: Node) -> Node | None:
    """The name of a property where an object gives it -> the object."""
    pair = key if key.type == "shorthand_property_identifier" else key.parent
    if pair is not None and pair.type == "pair" and pair.child_by_field_name("key") != key:
        return None
    holder = pair.parent if pair is not None else None
    return holder if holder is not None and holder.type == "object" else None


def keys_of(written: Node) -> tuple[frozenset[str], bool]:
    """An object as written -> the names it gives, and whether it may give others: `...rest`, `[key]: value`."""
    names, open_ended = set(), False
    for child in written.named_children:
        short = child.type == "shorthand_property_identifier"
        key = child if short else child.child_by_field_name("key") or child.child_by_field_name("name")
        if child.type == "spread_element" or (key is not None and key.type == "computed_property_name"):
            open_ended = True
        elif key is not None:
            names.add(text_of(key).strip("'\""))
    return frozenset(names), open_ended


def _returned(body: Node) -> Iterator[Node]:
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement" and node.named_children:
            yield from _objects_of(node.named_children[0])
        elif node.type not in _FUNCTIONS and node.type != "class_body":
            stack += reversed(node.named_children)


def _objects_of(value: Node | None) -> Iterator[Node]:
    """The objects that an expression is, in whatever branch: not those that it hands to something else."""
    stack = [] if value is None else [value]
    while stack:
        node = stack.pop()
        if node.type == "object":
            yield node
        elif node.type == "parenthesized_expression":
            stack += node.named_children
        elif node.type == "ternary_expression":
            stack += [one for one in map(node.child_by_field_name, ("alternative", "consequence")) if one is not None]
