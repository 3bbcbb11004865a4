"""Types that somebody wrote to keep us busy: each is read in a bounded way, or compared as it is written."""

from __future__ import annotations

import ast

import pytest

from index.impact import fingerprint, written_types
from index.impact.syntax import parse
from index.impact.written_types import TypeNames, canonical, canonical_value

NAMES = TypeNames({"t": "typing"}, {"Opt": "typing.Optional"})


@pytest.mark.parametrize("text", ["-" * 590 + "x", "x" + "()" * 290, "a[" * 10_000 + "x" + "]" * 10_000, "not " * 145 + "x"])
def test_what_is_nested_too_deep_to_be_written_again_stays_as_it_is(text):
    assert canonical(text, NAMES) == text
    assert canonical_value(text, NAMES) == text


def test_a_row_of_brackets_is_written_once_and_not_once_for_each(monkeypatch):
    written = []
    monkeypatch.setattr(written_types.ast, "unparse", lambda node, real=ast.unparse: written.append(node) or real(node))

    assert canonical("Row" + "[int]" * 150, NAMES) == "Row" + "[int]" * 150
    assert all(isinstance(node, ast.Name) for node in written)


def test_what_typing_holds_is_known_before_brackets_by_its_names():
    assert canonical("Opt[t.List[int]]", NAMES) == canonical("None | list[int]", NAMES) == "None | list[int]"


def test_of_a_long_row_of_brackets_that_is_a_value_no_part_is_copied_again_and_again(monkeypatch):
    copied = []
    monkeypatch.setattr(fingerprint, "text_of", lambda node, real=fingerprint.text_of: copied.append(len(real(node))) or real(node))
    source = b"rows = table" + b"[int]" * 4_000

    fingerprint.fingerprint(parse("python", source).root_node, types=NAMES)

    assert sum(copied) < 200 * len(source)


@pytest.mark.parametrize("call", ["t.cast('Opt[int]', row)", "t.cast('int | None', row)"])
def test_what_is_cast_to_has_one_spelling(call):
    digests = {
        fingerprint.fingerprint(parse("python", text.encode()).root_node, types=NAMES).digest for text in (call, "t.cast(None | int, row)")
    }

    assert len(digests) == 1


def test_a_text_that_only_looks_like_a_type_is_compared_as_it_is():
    one, other = (
        fingerprint.fingerprint(parse("python", text).root_node, types=NAMES) for text in (b"say('Opt[int]')", b"say('int | None')")
    )

    assert one.digest != other.digest


class Counted:
    """A node that counts how often it, or one below it, is asked for its parent: each time costs the way from the root."""

    asked = 0

    def __init__(self, node):
        self.node = node

    def __getattr__(self, name):
        Counted.asked += name == "parent"
        found = getattr(self.node, name)
        return [Counted(one) for one in found] if name in ("children", "named_children") else found


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("python", "x = " + "(" * 300 + "1" + ")" * 300),
        ("typescript", "{" * 300 + "}" * 300),
        ("typescript", "x = " + "(a) => " * 300 + "1"),
    ],
)
def test_of_nested_code_only_the_outermost_is_asked_what_it_stands_in(grammar, text):
    Counted.asked = 0

    fingerprint.fingerprint(Counted(parse(grammar, text.encode()).root_node))

    assert Counted.asked <= 2
