"""Syntax tree of a definition -> what it means apart from how it is written.

The fingerprint is the sequence of leaves with a mark where each inner node opens and closes, without comments, docstrings,
line breaks, trailing commas and parentheses (the tree says what belongs together), and with one way to write strings and numbers.
Two definitions with equal fingerprints have equal syntax trees, so they do the same thing when the names in them mean the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from tree_sitter import Node

from index.impact.syntax import parse, text_of
from index.impact.written_types import MAX_TEXT, TypeNames, canonical, canonical_value

OPEN, CLOSE = "\x02", "\x03"
SELF: Final = "\x04"  # stands for the definition's own name, so that a rename leaves the fingerprint as it is

_COMMENTS: Final = frozenset({"comment", "html_comment", "hash_bang_line"})
_QUOTES: Final = frozenset({'"', "'", '"""', "'''"})
_DROPPED: Final = frozenset({";", "line_continuation"})
_CLOSERS: Final = frozenset({")", "]", "}"})
_KEEPS_COMMA: Final = frozenset(
    {"tuple", "tuple_pattern", "subscript", "expression_list", "pattern_list", "array_pattern"}
)  # (x,) is not (x)
_BLOCKS: Final = frozenset({"block", "class_body", "statement_block"})
_NOTHING: Final = frozenset({"empty_statement", "pass_statement"})
_PREFIX: Final = re.compile(r"^([A-Za-z]*)(\"\"\"|'''|\"|')$")
_STRING: Final = re.compile(r"^([A-Za-z]*)(\"\"\"|'''|\"|')(.*)\2$", re.S)
_ESCAPED_QUOTE: Final = re.compile(r"\\(?:(['\"])|.)", re.S)  # the second arm steps over an escaped backslash
_CHAINS: Final = frozenset({"member_expression", "subscript_expression", "call_expression"})
_MAY_BE_BRACED: Final = frozenset({"if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement", "do_statement"})
_OPTIONAL_PARENTHESES: Final = frozenset({"with_clause", "import_from_statement"})
_NUMBERS: Final = frozenset({"integer", "float", "number"})
_SAYS_NOTHING: Final = _COMMENTS | _NOTHING
_IMPORTS: Final = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_TYPES_AS_VALUES: Final = frozenset({"subscript", "binary_operator"})  # `Optional[int]` and `int | None`, where no annotation stands
_MOST_WRITTEN: Final = 8 * MAX_TEXT  # bytes of a type with the white space in it
_ARRAYS: Final = {"Array": (), "ReadonlyArray": ("readonly_type",)}  # `Array<T>` is `T[]`, `ReadonlyArray<T>` is `readonly T[]`


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`tokens` in order; `digest` of them."""

    tokens: tuple[str, ...]
    digest: bytes

    @property
    def weight(self) -> int:
        """How many leaves: short definitions are alike by chance."""
        return sum(token not in (CLOSE, SELF) and not token.startswith(OPEN) for token in self.tokens)


class Holes:
    """Byte spans to leave out, overlapping ones joined."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self.spans and start < self.spans[-1][1]:
                self.spans[-1] = (self.spans[-1][0], max(end, self.spans[-1][1]))
            else:
                self.spans.append((start, end))
        self._starts = [start for start, _ in self.spans]

    def hold(self, node: Node) -> bool:
        """Does the node lie within one of them?"""
        if not self._starts:
            return False
        start = node.start_byte
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and start < node.end_byte <= self.spans[at][1]


def fingerprint(
    node: Node, without: Sequence[tuple[int, int]] = (), name: str = "", imports: bool = True, types: TypeNames | None = None
) -> Fingerprint:
    """A node, the byte spans inside it to leave out (definitions of their own), and the name to hide -> its fingerprint.

    `imports=False` leaves import statements out: what they mean is compared apart. `types`, of a Python file: its annotations are read
    as types, whichever way they are written."""
    tokens: list[str] = []
    _collect(node, Holes(without), name, imports, types, tokens)
    return Fingerprint(tuple(tokens), digest_of(tokens))


def digest_of(tokens: Sequence[str]) -> bytes:
    return blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def similarity(first: Counter[str], second: Counter[str]) -> float:
    """Two bags of tokens -> shared part of all (multiset Jaccard), 0 to 1."""
    total = (first | second).total()
    return (first & second).total() / total if total else 1.0


def bag(found: Fingerprint) -> Counter[str]:
    return Counter(token for token in found.tokens if token != CLOSE)


def same_script_type(before: str, after: str) -> bool:
    """Do two TypeScript types, as text, mean the same: `Array<Cart>` and `Cart[]`?"""
    if before == after or not (before and after) or max(len(before), len(after)) > MAX_TEXT:
        return before == after
    trees = [parse("typescript", f"type _ = {text};".encode("utf-8", "surrogatepass")) for text in (before, after)]
    return not any(tree.root_node.has_error for tree in trees) and len({fingerprint(tree.root_node).digest for tree in trees}) == 1


def _collect(top: Node, without: Holes, name: str, imports: bool, types: TypeNames | None, out: list[str]) -> None:
    """An explicit stack: deep nesting in a hostile file must not end in a RecursionError. None closes a node."""
    stack: list[tuple[Node | None, str]] = [(top, "")]
    casts: set[int] = set()
    above = top.parent.type if top.parent is not None else ""  # of the others it is known: a node finds its parent from the root
    while stack:
        node, parent = stack.pop()
        if node is None:
            if out[-1][:1] == OPEN and out[-1][1:] in _BLOCKS:  # nothing is left in it: as good as no block
                out.pop()
            else:
                out.append(CLOSE)
            continue
        kind = node.type
        if kind in _SAYS_NOTHING or (node is not top and without.hold(node)):
            continue
        if not imports and ((kind in _IMPORTS and not _runs_alone(node)) or is_import_for_types(node)):
            continue
        if kind == "expression_statement" and _is_docstring(node):
            continue
        if types is not None:
            if kind == "call":
                casts |= _type_of_cast(node, types)
            if spelled := _spelled(node, types, name, node.id in casts):
                out.append(spelled)
                continue
        if kind in ("array_type", "generic_type") and (element := _element_of_array(node)) is not None:
            around = (*_ARRAYS.get(text_of(node.child_by_field_name("name")), ()), "array_type")
            out.extend(part for name_of in around for part in (OPEN + name_of, *(["readonly"] if name_of == "readonly_type" else [])))
            stack.extend((None, "") for _ in around)
            stack.append((element, "array_type"))
            continue
        if kind == "string" and not any(child.type == "interpolation" for child in node.children):
            out.append(_string(node))
            continue
        if kind == "concatenated_string" and (joined := _joined(node)) is not None:
            out.append(joined)
            continue
        if not node.child_count:
            out.extend(_leaf(node, kind, parent, name))
            continue
        held_by = above if node is top else parent
        if (kind == "parenthesized_expression" and not _ends_a_chain(node, held_by)) or _is_braced_alone(node, held_by):
            stack.extend((child, kind) for child in reversed(node.named_children))
            continue
        if kind == "formal_parameters" and held_by == "arrow_function" and (only := _only_name(node)) is not None:
            stack.append((only, "arrow_function"))
            continue
        out.append(OPEN + kind)
        stack.append((None, ""))
        children = node.children
        for at in range(len(children) - 1, -1, -1):
            child = children[at]
            if child.type == "," and _is_trailing(children, at, kind):
                continue
            stack.append((child, kind))


def _runs_alone(statement: Node) -> bool:
    """`import './polyfill'` of a script: there for what it does, not for a name."""
    return statement.child_by_field_name("source") is not None and not any(
        child.type.startswith("import_") and child.is_named for child in statement.children
    )


def is_import_for_types(node: Node) -> bool:
    """`if TYPE_CHECKING:` with nothing but imports under it: never run, and read for its types alone."""
    if node.type != "if_statement" or text_of(node.child_by_field_name("condition")).rpartition(".")[2] != "TYPE_CHECKING":
        return False
    body = node.child_by_field_name("consequence")
    said = [child for child in body.named_children if child.type not in _COMMENTS | _NOTHING] if body is not None else []
    return node.child_by_field_name("alternative") is None and all(child.type in _IMPORTS for child in said)


def _spelled(node: Node, types: TypeNames, name: str, is_cast_to: bool) -> str:
    """An annotation of Python, or a type that stands as a value, in its one spelling; "" for anything else."""
    if not node.is_named or (node.type != "type" and node.type not in _TYPES_AS_VALUES and not is_cast_to):
        return ""
    text = text_of(node) if node.end_byte - node.start_byte <= _MOST_WRITTEN else ""  # of a long one every part would be copied again
    if not text or len(text) > MAX_TEXT or (name and name in text and re.search(rf"\b{re.escape(name)}\b", text)):
        return ""
    if node.type not in _TYPES_AS_VALUES:
        return canonical(text, types)
    if node.type == "binary_operator":
        return canonical_value(text, types) if text_of(node.child_by_field_name("operator")) == "|" else ""
    return canonical_value(text, types) if types.holds(text_of(node.child_by_field_name("value"))) else ""


def _type_of_cast(call: Node, types: TypeNames) -> set[int]:
    """The type in `cast("int | None", value)`, quoted or not, by its id. Asked of the call: a node finds its parent from the root."""
    function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or given is None or given.type != "argument_list" or function.end_byte - function.start_byte > MAX_TEXT:
        return set()
    return {one.id for one in given.children[1:2]} if types.meaning(text_of(function)) == "typing.cast" else set()


def _element_of_array(node: Node) -> Node | None:
    """`T` of `Array<T>` and of `T[]`, without parentheses round it."""
    if node.type == "array_type":
        found = node.named_children[0] if node.named_children else None
    else:
        given = node.child_by_field_name("type_arguments")
        of_one = given is not None and len(given.named_children) == 1 and text_of(node.child_by_field_name("name")) in _ARRAYS
        found = given.named_children[0] if given is not None and of_one else None
    while found is not None and found.type == "parenthesized_type" and found.named_children:
        found = found.named_children[0]
    return found


def _ends_a_chain(node: Node, around: str) -> bool:
    """`(a?.b).c`: there the parentheses end what `?.` leaves out."""
    if around not in _CHAINS:
        return False
    inner: Node | None = node.named_children[0] if node.named_children else None
    while inner is not None:
        if any(child.type == "optional_chain" for child in inner.children):
            return True
        inner = inner.child_by_field_name("object") or inner.child_by_field_name("function") if inner.type in _CHAINS else None
    return False


def _is_braced_alone(node: Node, around: str) -> bool:
    """The braces round the one statement of an `if` or a loop."""
    if node.type != "statement_block" or around not in _MAY_BE_BRACED:
        return False
    inner = [child for child in node.named_children if child.type not in _COMMENTS]
    return len(inner) == 1 and not inner[0].type.endswith("declaration")


def _only_name(parameters: Node) -> Node | None:
    """`(a) => a`: the `a`, for it may be written without parentheses."""
    inner = [child for child in parameters.named_children if child.type not in _COMMENTS]
    if len(inner) != 1:
        return None
    found = inner[0]
    if found.type == "required_parameter":
        found = found.named_children[0] if len(found.children) == 1 else found
    return found if found.type == "identifier" else None


def _joined(node: Node) -> str | None:
    """Strings side by side, as one; None where one is made at run time or they are of different kinds."""
    parts = [_string(child) for child in node.named_children if child.type not in _COMMENTS]
    plain = all(
        child.type == "string" and not any(inner.type == "interpolation" for inner in child.children)
        for child in node.named_children
        if child.type not in _COMMENTS
    )
    found = [_STRING.match(part) for part in parts]
    prefixes = {one[1] for one in found if one is not None}
    if not plain or None in found or len(prefixes) != 1:
        return None
    return f"{prefixes.pop()}'{''.join(one[3] for one in found if one is not None)}'"


def _is_docstring(node: Node) -> bool:
    """A string on its own: a docstring where it stands first in a body, and without effect anywhere else."""
    children = [child for child in node.children if child.type not in _COMMENTS]
    if len(children) != 1 or children[0].type not in ("string", "concatenated_string"):
        return False
    owner = node.parent
    return (
        owner is not None and owner.type in ("block", "module") and not any(child.type == "interpolation" for child in children[0].children)
    )


def _is_trailing(children: list[Node], at: int, kind: str) -> bool:
    if kind in _KEEPS_COMMA or at + 1 >= len(children):
        return False
    following = next((child for child in children[at + 1 :] if child.type not in _COMMENTS), None)
    before = next((child for child in reversed(children[:at]) if child.type not in _COMMENTS), None)
    return following is not None and following.type in _CLOSERS and before is not None and before.type not in (",", "[")  # [1,,] has a hole


def _string(node: Node) -> str:
    """A string without interpolation, in one style of quotes. In a raw string a backslash before a quote belongs to the value."""
    text = (node.text or b"").decode("utf-8", "replace")
    found = _STRING.match(text)
    if found is None:
        return text
    prefix = found[1].lower().replace("u", "")
    return f"{prefix}'{found[3] if 'r' in prefix else _ESCAPED_QUOTE.sub(_unescaped, found[3])}'"


def _unescaped(found: re.Match[str]) -> str:
    return found[1] or found[0]


def _leaf(node: Node, kind: str, parent: str, name: str) -> list[str]:
    if kind in _DROPPED and parent != "for_statement":
        return []
    text = (node.text or b"").decode("utf-8", "replace")
    if kind in ("(", ")") and parent in _OPTIONAL_PARENTHESES:
        return []
    if kind in _NUMBERS:
        return [text.replace("_", "").lower()]
    if kind in _QUOTES:
        return ["'"]
    if kind in ("string_start", "string_end"):
        found = _PREFIX.match(text)
        return [(found[1].lower().replace("u", "") if found else "") + "'"]
    return [SELF] if name and text == name else [text] if text else []
