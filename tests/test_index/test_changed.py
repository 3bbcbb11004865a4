"""Files before and after -> which definitions changed, how, and which differences can't matter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.impact.changed import Changes, changed_symbols
from index.impact.fingerprint import fingerprint
from index.impact.lines import LineMap, touches
from index.impact.syntax import parse
from support.changes import a_change

LONG = (
    "    total = 0\n    for item in items:\n        if item.price > limit:\n"
    "            total += item.price * item.count\n    return total\n"
)


def changed(before: dict[str, str], after: dict[str, str | None], renamed: dict[str, str] | None = None) -> Changes:
    made = a_change(before, after, renamed)
    return changed_symbols(made.changes, made.base, made.head, made.before, made.after)


def kinds(before: dict[str, str], after: dict[str, str | None], renamed: dict[str, str] | None = None) -> dict[str, list[str]]:
    return {one.key: [kind.value for kind in one.kinds] for one in changed(before, after, renamed).symbols}


def one_file(before: str, after: str, name: str = "a.py") -> dict[str, list[str]]:
    return {key.split("::")[1]: found for key, found in kinds({name: before}, {name: after}).items()}


def test_only_the_definition_that_differs_is_changed() -> None:
    before = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"

    assert one_file(before, before.replace("2", "3")) == {"g": ["body"]}


def test_a_method_is_changed_and_its_class_is_not() -> None:
    before = "class Cart:\n    def total(self):\n        return 1\n\n    def count(self):\n        return 2\n"

    assert one_file(before, before.replace("return 2", "return 3")) == {"Cart.count": ["body"]}


def test_a_signature_a_body_a_base_and_a_value_are_told_apart() -> None:
    before = "RATE = 0.2\n\nclass A:\n    pass\n\nclass B(A):\n    pass\n\ndef f(x):\n    return x\n"
    after = "RATE = 0.21\n\nclass A:\n    pass\n\nclass B:\n    pass\n\ndef f(x, y):\n    return x + y\n"

    assert one_file(before, after) == {"RATE": ["value"], "B": ["bases"], "f": ["signature", "body"]}


def test_a_variable_that_is_declared_otherwise_holds_what_it_held() -> None:
    before = "import typing as t\n\nclass A:\n    one: t.Optional[int]\n    two: t.Optional[int] = None\n    three: int = 3\n"
    after = before.replace("t.Optional[int]", "str | None").replace("= 3", "= 4")
    found = changed({"a.py": before}, {"a.py": after}).symbols

    assert {one.symbol.name: one.details for one in found} == {
        "one": ("its type was `t.Optional[int]`, is `str | None`",),
        "two": ("its type was `t.Optional[int]`, is `str | None`",),
        "three": ("was `3`, is `4`",),
    }


def test_a_type_with_a_backslash_is_compared_as_it_is_written_and_python_is_silent_about_it() -> None:
    """Reading `\\d` as Python, the interpreter warns on standard error: a warning would fail this test."""
    before = "from typing import Literal, Optional\n\ndef f(x: \"Literal['\\d']\", y: Optional[int]) -> None:\n    return\n"

    assert one_file(before, before.replace("Optional[int]", "int | None")) == {}
    assert one_file(before, before.replace("\\d", "\\w")) == {"f": ["signature"]}


def test_a_long_value_that_differs_at_its_end_is_changed_also_where_it_is_exported_now() -> None:
    long = ", ".join(f'"country number {number}"' for number in range(9))

    assert one_file(f"const A = [{long}, 1]\n", f"export const A = [{long}, 2]\n", "a.ts") == {"A": ["value"]}


def test_added_and_removed_definitions_fold_what_is_in_them() -> None:
    before = "class Old:\n    def a(self):\n        return self.one + self.two\n"
    after = "def fresh(x, y, z):\n    return [x, y, z]\n"
    found = changed({"a.py": before}, {"a.py": after}).symbols

    assert [(one.symbol.qualified, one.kinds[0].value, one.inside) for one in found] == [
        ("Old", "removed", False),
        ("fresh", "added", False),
        ("Old.a", "removed", True),
    ]


def test_a_rename_is_one_change_and_not_two() -> None:
    before = f"def total_of(items, limit):\n{LONG}\n\ndef use():\n    return total_of([], 1)\n"
    after = before.replace("total_of", "sum_of")

    found = changed({"a.py": before}, {"a.py": after}).symbols

    assert next((one.before and one.before.name, one.after and one.after.name, one.kinds) for one in found) == (
        "total_of",
        "sum_of",
        ("renamed",),
    )


def test_a_short_function_renamed_in_place_is_a_rename() -> None:
    assert one_file("def a():\n    return 1\n", "def b():\n    return 1\n") == {"b": ["renamed"]}


def test_a_renamed_function_that_also_changed_is_still_a_rename() -> None:
    before = f"def total_of(items, limit):\n{LONG}"
    after = f"def sum_of(items, limit, start):\n{LONG.replace('total = 0', 'total = start')}"

    assert one_file(before, after) == {"sum_of": ["renamed", "signature", "body"]}


def test_a_move_to_another_file_is_a_move() -> None:
    before = {"a.py": f"def total_of(items, limit):\n{LONG}", "b.py": "X = 1\n"}
    after: dict[str, str | None] = {"a.py": "Y = 1\n", "b.py": f"X = 1\n\ndef total_of(items, limit):\n{LONG}"}

    assert kinds(before, after)["b.py::total_of"] == ["moved"]


def test_methods_of_a_renamed_class_move_with_it() -> None:
    before = (
        f"class Cart:\n    def total(self, items, limit):\n        x = 1\n"
        f"{LONG.replace('    ', '        ')}\n    def n(self):\n        return 1\n"
    )
    found = changed({"a.py": before}, {"a.py": before.replace("Cart", "Basket")}).symbols

    assert [(one.symbol.qualified, [kind.value for kind in one.kinds], one.inside) for one in found] == [
        ("Basket", ["renamed"], False),
        ("Basket.total", ["moved"], True),
        ("Basket.n", ["moved"], True),
    ]


def test_a_renamed_file_changes_no_definition_beyond_its_place() -> None:
    text = f"def total_of(items, limit):\n{LONG}"
    found = changed({"a.py": text}, {}, {"a.py": "pkg/b.py"}).symbols

    assert [(one.key, [kind.value for kind in one.kinds]) for one in found] == [
        ("pkg/b.py::<module>", ["moved"]),
        ("pkg/b.py::total_of", ["moved"]),
    ]


def test_unlike_functions_are_not_taken_for_a_rename() -> None:
    assert one_file("def a(x):\n    return open(x).read()\n", "def b(y, z):\n    return [y] * z\n") == {"a": ["removed"], "b": ["added"]}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("def f(a):\n    return a\n", "def f(a):\n    # why\n    return a\n", "only comments changed"),
        ('def f(a):\n    """One."""\n    return a\n', 'def f(a):\n    """Two."""\n    return a\n', "only the docstring changed"),
        ("def f(a):\n    return [a, 1]\n", "def f(\n    a,\n):\n    return [\n        a,\n        1,\n    ]\n", "only formatting changed"),
        ("def f(a):\n    return 'it'\n", 'def f(a):\n    return "it"\n', "only formatting changed"),
        ("import a\nimport b\n", "import b\nimport a\n", "only imports changed"),
        ("def f(a):\n    return a + a\n", "def f(a):\n    return (\n        a\n        + a\n    )\n", "only formatting changed"),
        ("def f():\n    return 'one two'\n", "def f():\n    return 'one ' 'two'\n", "only formatting changed"),
        ("def f():\n    return 1000\n", "def f():\n    return 1_000\n", "only formatting changed"),
    ],
)
def test_what_can_not_matter_is_left_out_with_the_reason(before: str, after: str, reason: str) -> None:
    found = changed({"a.py": before}, {"a.py": after})

    assert found.symbols == ()
    assert [one.reason for one in found.neutral] == [reason]


def test_what_only_looks_like_formatting_is_a_change() -> None:
    assert one_file("def f(a):\n    return (a,)\n", "def f(a):\n    return (a)\n") == {"f": ["body"]}
    assert one_file("def f(a):\n    if a:\n        x()\n    y()\n", "def f(a):\n    if a:\n        x()\n        y()\n") == {"f": ["body"]}
    assert one_file("function f() { return 1 }\n", "function f() { return\n1 }\n", "a.js") == {"f": ["body"]}
    assert one_file("const f = a => (a?.b).c\n", "const f = a => a?.b.c\n", "a.js") == {"f": ["body"]}
    assert one_file("const f = a => a - (1 - a)\n", "const f = a => a - 1 - a\n", "a.js") == {"f": ["body"]}
    assert one_file("def f(a):\n    return a - (1 - a)\n", "def f(a):\n    return a - 1 - a\n") == {"f": ["body"]}
    assert one_file("def f(a):\n    return (a < 1) < 2\n", "def f(a):\n    return a < 1 < 2\n") == {"f": ["body"]}
    assert one_file("def f():\n    return 'a' 'b'\n", "def f():\n    return 'a', 'b'\n") == {"f": ["body"]}
    assert one_file("def f():\n    return 'a' b'b'\n", "def f():\n    return 'ab'\n") == {"f": ["body"]}
    assert one_file("function f(a) { if (a) { let b = 1 } }\n", "function f(a) { if (a) b = 1 }\n", "a.js") == {"f": ["body"]}
    assert one_file("const a = () => [1,,]\n", "const a = () => [1]\n", "a.js") == {"a": ["body"]}
    assert one_file("def f():\n    return r'\\n'\n", "def f():\n    return '\\n'\n") == {"f": ["body"]}


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("def f(a):\n    x = a + 1\n    return x * x\n", "def f(a):\n    y = a + 1\n    return y * y\n", "a.py"),
        ("def f(a):\n    for i, v in a:\n        print(i, v)\n", "def f(a):\n    for at, v in a:\n        print(at, v)\n", "a.py"),
        ("function f(a) {\n  const x = a.x\n  return x\n}\n", "function f(a) {\n  const y = a.x\n  return y\n}\n", "a.js"),
    ],
)
def test_renaming_a_local_variable_is_left_out(before: str, after: str, name: str) -> None:
    found = changed({name: before}, {name: after})

    assert found.symbols == ()
    assert [one.reason for one in found.neutral] == ["only local names changed"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a):\n    x = a.x\n    return x\n", "def f(a):\n    y = a.y\n    return y\n"),  # an attribute too
        ("def f(a):\n    x = 1\n    y = 2\n    return x\n", "def f(a):\n    x = 1\n    y = 2\n    return y\n"),  # another one
        ("def f(a):\n    x = 1\n    return g(x=x)\n", "def f(a):\n    y = 1\n    return g(y=y)\n"),  # a keyword too
        ("def f(a):\n    global x\n    x = 1\n", "def f(a):\n    global y\n    y = 1\n"),
        ("def f(a):\n    x = 1\n    return locals()\n", "def f(a):\n    y = 1\n    return locals()\n"),
        ("def f(a):\n    x = 1\n    return f'{x=}'\n", "def f(a):\n    y = 1\n    return f'{y=}'\n"),
        ("def f(a):\n    x = 1\n    return a + x\n", "def f(a):\n    a = 1\n    return a + a\n"),  # now a parameter
    ],
)
def test_what_is_more_than_a_renamed_local_variable_is_a_change(before: str, after: str) -> None:
    assert one_file(before, after) == {"f": ["body"]}


def test_moving_a_function_within_its_file_is_no_change() -> None:
    assert one_file("def f():\n    return 1\n\n\ndef g():\n    return 2\n", "def g():\n    return 2\n\n\ndef f():\n    return 1\n") == {}


def test_typescript_changes_are_told_apart() -> None:
    before = "export interface P { a: number }\nexport const f = (a: number) => a\nexport class C extends B {\n  m() { return 1 }\n}\n"
    after = (
        "export interface P { a: string }\nexport const f = (a: number, b: number) => a\n"
        "export class C extends D {\n  m() { return 1 }\n}\n"
    )

    assert one_file(before, after, "a.ts") == {"P": ["shape"], "P.a": ["shape"], "f": ["signature"], "C": ["bases"]}


def test_a_broken_file_gives_a_problem_and_what_could_be_read() -> None:
    found = changed(
        {"a.py": "def f():\n    return 1\n\ndef g():\n    return 1\n"}, {"a.py": "def f():\n    return 2\n\ndef g(:\n    return 1\n"}
    )

    assert [one.path for one in found.problems] == ["a.py"]
    assert "f" in [one.symbol.qualified for one in found.symbols]


def test_a_file_too_large_is_listed_and_not_compared() -> None:
    found = changed({"a.py": "X = 1\n"}, {"a.py": "X = 2\n" + "#" * 1_000_001})

    assert [one.path for one in found.skipped] == ["a.py"]


def test_deep_nesting_does_not_end_in_a_recursion_error() -> None:
    deep = "x = " + "[" * 3_000 + "1" + "]" * 3_000 + "\n"

    assert fingerprint(parse("python", deep.encode()).root_node).weight > 3_000


spaces = st.sampled_from([" ", "  ", " \\\n "])
pieces = st.lists(st.sampled_from(["a", "b", "1", "'x'", "f(a, b)", "[a, b]"]), min_size=1, max_size=5)


@given(pieces, st.data())
@settings(max_examples=60)
def test_spaces_never_change_a_fingerprint(parts: list[str], data: st.DataObject) -> None:
    plain = "x = " + " + ".join(parts) + "\n"
    spaced = "x =" + data.draw(spaces) + (data.draw(spaces) + "+" + data.draw(spaces)).join(parts) + "\n"

    assert fingerprint(parse("python", plain.encode()).root_node).digest == fingerprint(parse("python", spaced.encode()).root_node).digest


@st.composite
def edits(draw: st.DrawFn) -> tuple[LineMap, dict[int, int], int]:
    """A line map, with the truth it must give: old line -> new line, and the number of old lines."""
    old_line, new_line, old_spans, new_spans, truth = 1, 1, [], [], {}
    for _ in range(draw(st.integers(0, 5))):
        for _ in range(draw(st.integers(1, 4))):
            truth[old_line] = new_line
            old_line, new_line = old_line + 1, new_line + 1
        gone, fresh = draw(st.integers(0, 3)), draw(st.integers(0, 3))
        if gone or fresh:
            old_spans.append((old_line, old_line + gone - 1))
            new_spans.append((new_line, new_line + fresh - 1))
        old_line, new_line = old_line + gone, new_line + fresh
    return LineMap(tuple(old_spans), tuple(new_spans)), truth, old_line


@given(edits())
def test_lines_map_across_a_diff_as_they_do_one_by_one(case: tuple[LineMap, dict[int, int], int]) -> None:
    lines, truth, count = case

    assert {line: lines.forward(line) for line in range(1, count)} == {line: truth.get(line) for line in range(1, count)}
    assert all(lines.backward(new) == old for old, new in truth.items())


def test_an_insertion_touches_what_it_stands_inside() -> None:
    assert touches([(5, 4)], 4, 6)
    assert not touches([(5, 4)], 1, 4)
    assert not touches([(5, 4)], 5, 9)
