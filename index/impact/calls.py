"""A place in a file -> the call that stands there and its arguments; a call and a signature -> what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node, Tree

from index.impact.nouns import Parameter, ParameterKind
from index.impact.signature import GATHERING_KINDS, POSITIONAL_KINDS, CallRules, is_required
from index.impact.syntax import text_of

# node type -> (field of what is called, field of the arguments)
CALLS: Final = {
    "call": ("function", "arguments"),
    "call_expression": ("function", "arguments"),
    "new_expression": ("constructor", "arguments"),
    "decorator": ("", ""),
}
ATTRIBUTES: Final = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "subscript_expression": ("object", "index"),
}
_SPREADS: Final = {"list_splat": "*", "dictionary_splat": "**", "spread_element": "..."}
_IGNORED: Final = frozenset({"comment"})
_EXPECTS: Final = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})  # `with pytest.raises(TypeError):`
_EVERYTHING: Final = frozenset({"Exception", "BaseException"})
# What a mistake raises in Python: the names that catch it, besides those that catch everything.
FAULTS: Final = {
    "call": frozenset({"TypeError"}),
    "import": frozenset({"ImportError", "ModuleNotFoundError"}),
    "name": frozenset({"NameError", "AttributeError"}),
}
# Where a mistake is expected or kept from mattering, besides blocks that catch it: node type, words in it, what we say.
GUARDS: Final = (
    ("call_expression", ("toThrow", "rejects"), "inside an expectation of an error"),
    ("if_statement", ("if TYPE_CHECKING", "if typing.TYPE_CHECKING", "if t.TYPE_CHECKING", "hasattr("), "under a condition"),
)
_EXPECTED_BY_COMPILER: Final = ("@ts-expect-error", "@ts-ignore")


@dataclass(frozen=True, slots=True)
class Call:
    """One call as written."""

    positional: int
    keywords: tuple[str, ...]
    star: bool  # *args or ...args: more positional arguments than we can count
    double_star: bool  # **kwargs: more names than we can see
    receiver: str  # the text before the last dot; "" for a plain name
    name: str  # the last name of what is called
    is_new: bool
    is_decorator: bool
    awaited: bool
    used_as_argument: bool  # handed to another call, returned or yielded: awaited elsewhere, perhaps
    opaque: bool = False  # a tagged template, or an argument list that could not be parsed


@dataclass(frozen=True, slots=True)
class Misfit:
    """One reason why a call does not fit a signature."""

    reason: str
    certain: bool  # False where *args or **kwargs may still make it fit


def node_at(tree: Tree, source: bytes, line: int, column: int) -> Node | None:
    """`line` and `column` (from 1, in bytes) -> the smallest node there; None outside of the file."""
    starts = source.split(b"\n")
    if not 1 <= line <= len(starts):
        return None
    at = (line - 1, max(0, min(column - 1, len(starts[line - 1]))))
    return tree.root_node.descendant_for_point_range(at, at)


def call_at(node: Node, name: str = "") -> Call | None:
    """The call whose callee holds the node, innermost first; among several the one that calls `name`, else the one that calls what
    another call gives: in `type(self)(1)` nothing called `Cart` is called by name."""
    candidates = [found for found in _ancestors(node) if found.type in CALLS and _holds_callee(found, node)]
    named = [found for found in candidates if name and _callee_name(found)[1] == name]
    of_results = [found for found in candidates if (callee := _callee(found)) is not None and callee.type in CALLS]
    chosen = (named or of_results or candidates)[:1]
    return _read(chosen[0]) if chosen else None


def guard_of(node: Node, fault: str, compiled: bool) -> str:
    """Why a mistake at this place may not matter: it is expected, caught, or only runs under a condition. "" for none.

    `fault`: a key of `FAULTS`. `compiled`: a compiler finds it before anything runs, so nothing can catch it."""
    if compiled:
        return "under a comment that expects an error" if _is_expected_by_compiler(node) else ""
    for around in _ancestors(node):
        inside = _is_in(node, around.child_by_field_name("body"))
        if inside and around.type == "with_statement" and any(_catches(given, fault) for given in _expected_in(around)):
            return "inside a block that expects an error"
        clauses = [child for child in around.children if child.type == "except_clause"] if inside else []
        if any(_catches(_caught_by(clause), fault) for clause in clauses):
            return "inside a `try` that catches it"
        for kind, words, reason in GUARDS:
            if around.type != kind or around.text is None:
                continue
            body = around.child_by_field_name("body") or around.child_by_field_name("consequence")
            inside = kind == "call_expression" or (body is not None and body.start_byte <= node.start_byte < body.end_byte)
            text = around.text.decode("utf-8", "replace")
            outside = text if body is None else text.replace(body.text.decode("utf-8", "replace") if body.text else "", "", 1)
            if inside and any(word in outside for word in words):
                return reason
    return ""


def _is_in(node: Node, body: Node | None) -> bool:
    return body is not None and body.start_byte <= node.start_byte < body.end_byte


def _expected_in(block: Node) -> Iterator[list[Node]]:
    """The arguments of each `raises(...)` and its like that opens a `with` block."""
    body = block.child_by_field_name("body")
    stack = [child for child in block.children if child != body]
    while stack:
        found = stack.pop()
        if found.type == "call" and text_of(found.child_by_field_name("function")).rpartition(".")[2] in _EXPECTS:
            yield _arguments(found.child_by_field_name("arguments"))
        stack += found.children


def _caught_by(clause: Node) -> list[Node]:
    """`except (A, B) as error:` -> A and B; nothing for a bare `except:`."""
    found = [child for child in clause.named_children if child.type not in ("block", "comment")][:1]
    return [child.named_children[0] if child.type == "as_pattern" else child for child in found]


def _catches(given: Sequence[Node], fault: str) -> bool:
    """Do these catch such a mistake? Nothing at all catches everything, and what a variable holds is unknown. A class of the project is
    never over an exception of the language."""
    names: list[str] = []
    stack = list(given)
    while stack:
        found = stack.pop()
        if found.type == "keyword_argument":
            continue  # `match="..."`
        if found.type in ("tuple", "parenthesized_expression", "list"):
            stack += found.named_children
        else:
            names.append(text_of(found).rpartition(".")[2] if found.type in ("identifier", "attribute") else "")
    return not names or any(name in FAULTS[fault] | _EVERYTHING or not name[:1].isupper() for name in names)


def _is_expected_by_compiler(node: Node) -> bool:
    """Does the line over the statement, or over a part of it, say that the compiler finds fault with it?"""
    for around in _ancestors(node):
        before = around.prev_sibling
        if before is not None and before.type == "comment" and any(word in text_of(before) for word in _EXPECTED_BY_COMPILER):
            return True
        if around.type == "statement_block":
            return False
    return False


def _ancestors(node: Node | None) -> Iterator[Node]:
    while node is not None:
        yield node
        node = node.parent


def _holds_callee(call: Node, node: Node) -> bool:
    callee = _callee(call)
    if callee is None:
        return False
    return (callee.start_byte <= node.start_byte and node.end_byte <= callee.end_byte) or node.id == call.id


def _callee(call: Node) -> Node | None:
    if call.type == "decorator":
        inside = call.named_children[0] if call.named_children else None
        return None if inside is None or inside.type in CALLS else inside  # `@name(...)` is a call of its own
    return call.child_by_field_name(CALLS[call.type][0])


def _callee_name(call: Node) -> tuple[str, str]:
    """(receiver, name) of what is called."""
    callee = _callee(call)
    if callee is None:
        return "", ""
    fields = ATTRIBUTES.get(callee.type)
    if fields is None:
        return "", text_of(callee)
    return text_of(callee.child_by_field_name(fields[0])), text_of(callee.child_by_field_name(fields[1]))


def _read(call: Node) -> Call:
    receiver, name = _callee_name(call)
    decorator = call.type == "decorator"
    arguments = None if decorator else call.child_by_field_name("arguments")
    listed = _arguments(arguments)
    keywords = tuple(text_of(node.child_by_field_name("name")) for node in listed if node.type == "keyword_argument")
    spreads = {_SPREADS[node.type] for node in listed if node.type in _SPREADS}
    plain = sum(node.type not in _SPREADS and node.type != "keyword_argument" for node in listed)
    around = call.parent
    return Call(
        positional=1 if decorator else plain,
        keywords=keywords,
        star=bool(spreads & {"*", "..."}),
        double_star="**" in spreads,
        receiver=receiver,
        name=name,
        is_new=call.type == "new_expression",
        is_decorator=decorator,
        awaited=around is not None and around.type in ("await", "await_expression"),
        used_as_argument=around is not None
        and around.type
        in ("argument_list", "arguments", "keyword_argument", "return_statement", "yield", "arrow_function", "lambda", "list"),
        opaque=arguments is not None
        and (arguments.type not in ("argument_list", "arguments", "generator_expression") or arguments.has_error),
    )


def _arguments(arguments: Node | None) -> list[Node]:
    if arguments is None:
        return []
    if arguments.type == "generator_expression":  # f(x for x in y): one argument
        return [arguments]
    return [child for child in arguments.named_children if child.type not in _IGNORED]


def misfits(call: Call, parameters: Sequence[Parameter], rules: CallRules) -> list[Misfit]:
    """A call and the parameters that callers fill in (`signature.callers_view`) -> everything that does not fit, worst first.

    Follows the binding rules of Python's reference, section 6.3.4 (Calls); for TypeScript, the compiler's rule that every parameter
    that is not optional needs an argument and that there is none to spare."""
    places = [one for one in parameters if one.kind in POSITIONAL_KINDS]
    takes_more = any(one.kind in (ParameterKind.STAR, ParameterKind.REST) for one in parameters)
    takes_names = any(one.kind is ParameterKind.STAR_STAR for one in parameters)
    by_name = {one.name: one for one in parameters if one.kind in (ParameterKind.POSITIONAL, ParameterKind.KEYWORD_ONLY)}
    filled = {one.name for one in places[: call.positional]}
    found: list[Misfit] = []
    if rules.keywords:
        for keyword in call.keywords:
            if keyword in filled and keyword in by_name:
                found.append(Misfit(f"`{keyword}` is given twice: by place and by name", True))
            elif keyword not in by_name and not takes_names:
                found.append(Misfit(f"unknown keyword `{keyword}`", True))
    filled |= set(call.keywords) & set(by_name)
    for one in parameters:
        if one.kind in GATHERING_KINDS or not is_required(one) or one.name in filled:
            continue
        may_be_filled = (call.star and one.kind in POSITIONAL_KINDS) or (call.double_star and one.name in by_name)
        found.append(Misfit(f"missing argument `{one.name}`", not may_be_filled))
    if call.positional > len(places) and not takes_more and (rules.strict or not places):
        many = f"{call.positional} given, {len(places)} taken"
        if rules.strict:
            found.append(Misfit(f"too many positional arguments: {many}", True))
    return sorted(found, key=lambda one: not one.certain)


def shifted(call: Call, before: Sequence[Parameter], after: Sequence[Parameter]) -> list[str]:
    """Arguments that still fit and now mean something else: "argument 2 was `tax`, is now `currency`"."""
    old = [one.name for one in before if one.kind in POSITIONAL_KINDS][: call.positional]
    new = [one.name for one in after if one.kind in POSITIONAL_KINDS][: call.positional]
    old_names, new_names = {one.name for one in before}, {one.name for one in after}
    return [
        f"argument {at} was `{was}`, is now `{now}`"
        for at, (was, now) in enumerate(zip(old, new, strict=False), 1)
        if was != now and (now in old_names or was in new_names)
    ]
