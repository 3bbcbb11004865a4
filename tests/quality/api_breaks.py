"""Source files -> mechanical breaks of their API: a definition removed or renamed, a required parameter added, an optional one dropped.

Each break is the new text of one file. Its own definition stays valid: a parameter that is dropped becomes a local variable.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from index.files.kinds import kind_of
from index.impact.syntax import grammar_of, parse, text_of
from index.types import PathKind

KINDS = ("remove", "rename", "require", "drop")
NEW = "added_by_the_test"
SHORTEST = 3  # characters of a name
PASSED_OVER = ("overload", "typing.overload", "t.overload", "te.overload", "property", "cached_property", "abstractmethod")
_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_FUNCTIONS = frozenset({"function_definition", "function_declaration", "generator_function_declaration", "method_definition"})
_CLASSES = frozenset({"class_definition", "class_declaration", "abstract_class_declaration"})
_OTHERS = frozenset({"enum_declaration", "interface_declaration", "type_alias_declaration"})


@dataclass(frozen=True, slots=True)
class Break:
    """`text` is the file after the change; `lines` are those of the definition in it (1-based, last one included)."""

    kind: str
    path: str
    qualified: str
    what: str
    text: bytes
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    source: bytes
    node: Node  # with decorators and `export`
    definition: Node
    name: Node
    owner: str

    @property
    def qualified(self) -> str:
        return f"{self.owner}.{text_of(self.name)}" if self.owner else text_of(self.name)


def breaks_of(files: Mapping[str, bytes], seed: int, kind: str) -> Iterator[Break]:
    """Path to content, a number and one of `KINDS` -> breaks in a random order that the number decides. Only definitions of source files
    whose name is written elsewhere too."""
    written = Counter(word for path, source in files.items() if grammar_of(path) for word in _WORD.findall(source))
    places = [
        place
        for path, source in sorted(files.items())
        if grammar_of(path) and kind_of(path.encode()) is PathKind.SOURCE and not path.endswith(".pyi")
        for place in _places(path, source)
    ]
    random.Random(f"{seed} {kind}").shuffle(places)
    for place in places:
        name = text_of(place.name)
        constructor = name in ("__init__", "constructor")
        if (name.startswith("__") or constructor) and (kind not in ("require", "drop") or not constructor):
            continue
        if len(name) < SHORTEST or (not constructor and written[name.encode()] < 2):
            continue
        made = _MAKERS[kind](place)
        if made is not None:
            yield made


def _places(path: str, source: bytes) -> Iterator[_Place]:
    grammar = grammar_of(path)
    assert grammar is not None
    root = parse(grammar, source).root_node
    if not root.has_error:
        yield from _in_body(path, source, root, "")


def _in_body(path: str, source: bytes, body: Node, owner: str) -> Iterator[_Place]:
    names = Counter(_name_of(child) for child in body.named_children)
    for outer in body.named_children:
        inner = outer.child_by_field_name("definition") or outer.child_by_field_name("declaration") or outer
        name = inner.child_by_field_name("name")
        if inner.type in _FUNCTIONS | _CLASSES | _OTHERS and name is not None and names[_name_of(outer)] == 1:
            decorators = [text_of(child)[1:].split("(")[0] for child in outer.children if child.type == "decorator"]
            if not any(one.rpartition(".")[2] in PASSED_OVER or one in PASSED_OVER or ("." in one and owner) for one in decorators):
                yield _Place(path, source, outer, inner, name, owner)
        if inner.type in _CLASSES and not owner and name is not None and (inside := inner.child_by_field_name("body")) is not None:
            yield from _in_body(path, source, inside, text_of(name))


def _name_of(outer: Node) -> str:
    inner = outer.child_by_field_name("definition") or outer.child_by_field_name("declaration") or outer
    return text_of(inner.child_by_field_name("name"))


# ── the four kinds ───────────────────────────────────────────────────────────────────────────────────────────────────


def _edited(kind: str, place: _Place, what: str, *edits: tuple[int, int, bytes]) -> Break:
    """`edits`: (first byte, last byte + 1, new text), not overlapping."""
    text = place.source
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    first = place.node.start_point.row + 1
    grown = text.count(b"\n") - place.source.count(b"\n")
    return Break(kind, place.path, place.qualified, what, text, (first, place.node.end_point.row + 1 + grown))


def _remove(place: _Place) -> Break | None:
    node, parent = place.node, place.node.parent
    if node.type == "ambient_declaration" or parent is None:
        return None
    alone = place.path.endswith(".py") and len([one for one in parent.named_children if one.type != "comment"]) == 1
    rest = place.source[: node.start_byte] + place.source[node.end_byte :]
    # a script without any export is no module, and all that it had would be missing, not this alone
    instead = b"pass" if alone else b"export {}" if node.type == "export_statement" and not re.search(rb"(?m)^export\b", rest) else b""
    return _edited("remove", place, "removed", (node.start_byte, node.end_byte, instead))


def _rename(place: _Place) -> Break | None:
    if place.name.type == "private_property_identifier":
        return None
    new = text_of(place.name) + "_renamed"
    return _edited("rename", place, f"renamed to {new}", (place.name.start_byte, place.name.end_byte, new.encode()))


def _require(place: _Place) -> Break | None:
    """A required parameter more, by place or by name only, as the name of the function decides."""
    listed = _parameters(place)
    if listed is None:
        return None
    given = [one for one in listed.named_children if one.type != "comment"]
    python = place.path.endswith(".py")
    new = NEW if python else f"{NEW}: number"
    stars = [one for one in given if one.type in ("list_splat_pattern", "keyword_separator") or text_of(one).startswith("*")]
    named = python and not any(one.type == "positional_separator" for one in given) and len(place.qualified) % 2 == 0
    if named:
        single = [one for one in stars if not text_of(one).startswith("**")]
        if single:
            at, text = single[0].end_byte, f", {new}"
        else:
            last = [one for one in given if not text_of(one).startswith("**")]
            at, text = (last[-1].end_byte, f", *, {new}") if last else (listed.start_byte + 1, f"*, {new}, ")
        return _edited("require", place, f"{NEW} is required, by name", (at, at, text.encode()))
    required = [
        one
        for one in given
        if one.child_by_field_name("value") is None
        and one.type != "optional_parameter"
        and one not in stars
        and "..." not in text_of(one)[:3]
    ]
    if any(one.type in ("positional_separator",) for one in given):
        return None
    optional = [at for at, one in enumerate(given) if one.child_by_field_name("value") is not None or one.type == "optional_parameter"]
    star_at = min((at for at, one in enumerate(given) if one in stars), default=len(given))
    before = [one for at, one in enumerate(given) if one in required and at < min([*optional, star_at])]
    if before:
        return _edited("require", place, f"{NEW} is required", (before[-1].end_byte, before[-1].end_byte, f", {new}".encode()))
    text = f"{new}, " if given else new
    return _edited("require", place, f"{NEW} is required", (listed.start_byte + 1, listed.start_byte + 1, text.encode()))


def _drop(place: _Place) -> Break | None:
    """An optional parameter less, or under another name where a caller can name it."""
    listed, body = _parameters(place), place.definition.child_by_field_name("body")
    if listed is None or body is None:
        return None
    given = [one for one in listed.named_children if one.type != "comment"]
    optional = [
        one
        for one in given
        if one.type in ("default_parameter", "typed_default_parameter", "optional_parameter")
        or (one.type == "required_parameter" and one.child_by_field_name("value") is not None)
    ]
    if not optional:
        return None
    chosen = optional[len(place.qualified) % len(optional)]
    name_node = chosen.child_by_field_name("name") or chosen.child_by_field_name("pattern")
    name, value = text_of(name_node), chosen.child_by_field_name("value")
    if name_node is None or not name.isidentifier():
        return None
    default = place.source[value.start_byte : value.end_byte].decode() if value is not None else "undefined"
    if place.path.endswith(".py"):
        if len(place.qualified) % 2:
            new = f"{name}_renamed"
            return _edited(
                "drop",
                place,
                f"{name} is now {new}",
                (name_node.start_byte, name_node.end_byte, new.encode()),
                _at_top(body, f"{name} = {new}"),
            )
        keep = _at_top(body, f"{name} = ({default})")
    else:
        keep = (body.start_byte + 1, body.start_byte + 1, f" let {name}: any = {default};".encode())
        if body.type != "statement_block":
            return None
    start, end = chosen.start_byte, chosen.end_byte
    follows = re.match(rb"\s*,", place.source[end:])
    separators = [one for one in given if one.type == "keyword_separator"]
    if separators and given[-1] is chosen and given[-2] is separators[0]:
        start = separators[0].start_byte  # a lone * may not stand last
    if follows:
        end += follows.end()
    elif (precedes := re.search(rb",\s*$", place.source[:start])) is not None:
        start = precedes.start()
    return _edited("drop", place, f"{name} is gone", (start, end, b""), keep)


def _at_top(body: Node, statement: str) -> tuple[int, int, bytes]:
    ending = "\n" + " " * body.start_point.column if body.start_point.row != (body.parent or body).start_point.row else "; "
    return body.start_byte, body.start_byte, (statement + ending).encode()


def _parameters(place: _Place) -> Node | None:
    return place.definition.child_by_field_name("parameters") if place.definition.type in _FUNCTIONS else None


_MAKERS = {"remove": _remove, "rename": _rename, "require": _require, "drop": _drop}
