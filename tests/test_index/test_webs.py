"""Names that modules pass on in circles, and classes with many bases: what they mean, and that the work grows with what is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_index.test_incremental import built, differences, edges

import index
from index.build import build
from index.languages.python import PYTHON
from index.parsing.facts import facts_of
from index.resolver.evaluate import MAX_MRO, Target, linearised
from index.resolver.limits import LIMITS, inheritance
from index.resolver.webs import ONE_BY_ONE

Files = Mapping[bytes, bytes]
RESOLVER = str(Path(index.__file__).parent / "resolver")


def a_web(language: str, modules: int, neighbours: int = 8) -> dict[bytes, bytes]:
    """Modules in a ring, each of which passes on the names of those near it, and for each of them one that uses three names."""
    files = {}
    for at in range(modules):
        near = [(at + step) % modules for step in range(-neighbours // 2, neighbours // 2 + 1) if step]
        used = [(at * 7 + 3 * step) % modules for step in range(3)]
        if language == "python":
            passed_on = "".join(f"from m{one} import *\n" for one in near)
            own = f"def own{at}():\n    return 1\n"
            asked = "".join(f"from m{at} import own{one}\nown{one}()\n" for one in used)
            files |= {b"m%d.py" % at: (passed_on + own).encode(), b"u%d.py" % at: asked.encode()}
        else:
            passed_on = "".join(f"export * from './m{one}';\n" for one in near)
            own = f"export function own{at}() {{ return 1; }}\n"
            asked = "".join(f"import {{ own{one} }} from './m{at}';\nown{one}();\n" for one in used)
            files |= {b"m%d.ts" % at: (passed_on + own).encode(), b"u%d.ts" % at: asked.encode()}
    return files


def a_ladder(language: str, classes: int) -> dict[bytes, bytes]:
    """Classes each of which has the six before it as bases."""
    lines = ["class C0:\n    def m(self): ...\n"]
    for at in range(1, classes):
        bases = ", ".join(f"C{one}" for one in range(at - 1, max(at - 7, -1), -1))
        lines.append(f"class C{at}({bases}):\n    def m(self): super().m()\n")
    return {b"ladder.py": "".join(lines).encode()}


def a_chain(language: str, modules: int) -> dict[bytes, bytes]:
    """Modules each of which passes on one name of the one before."""
    if language == "python":
        files = {b"m%d.py" % at: b"from m%d import f\nf()\n" % (at - 1) for at in range(1, modules)}
        return files | {b"m0.py": b"def f():\n    return 1\n"}
    files = {b"m%d.ts" % at: b"export { f } from './m%d';\n" % (at - 1) for at in range(1, modules)}
    return files | {b"m0.ts": b"export function f() { return 1; }\n"}


def calls_in_the_resolver(files: Files) -> int:
    """How many functions of the resolver are called while the files are indexed. What a file hangs on is written down for each file, four
    bytes a module of its circle; that generator is not counted."""
    count = 0

    def counted(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_name != "<genexpr>" and frame.f_code.co_filename.startswith(RESOLVER)

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        build(files)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("made", "language"), [(a_web, "python"), (a_web, "typescript"), (a_chain, "python"), (a_chain, "typescript"), (a_ladder, "python")]
)
def test_four_times_the_modules_are_four_times_the_work(made: Callable[[str, int], Files], language: str) -> None:
    few, many = (calls_in_the_resolver(made(language, size)) for size in (100, 400))

    assert many < 5 * few


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_name_is_found_wherever_it_stands_in_a_circle(language: str) -> None:
    ending = "py" if language == "python" else "ts"
    found = edges(build(a_web(language, 60)))

    missing = [
        (at, one)
        for at in range(60)
        for one in [(at * 7 + 3 * step) % 60 for step in range(3)]
        if not any(edge.startswith(f"u{at}.{ending}:") and f" CALL m{one}.{ending}::own{one} PROVED" in edge for edge in found)
    ]

    assert missing == []


def own_lines(module: bytes) -> bytes:
    """A module without what it passes on."""
    return b"".join(line for line in module.splitlines(keepends=True) if b"*" not in line)


@pytest.mark.parametrize("modules", [6, 2 * ONE_BY_ONE])
@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_circle_that_changes_is_looked_through_again(language: str, modules: int) -> None:
    files = a_web(language, modules, 4)
    ending, comment = (b".py", b"#") if language == "python" else (b".ts", b"//")
    one, other = b"m1" + ending, b"m2" + ending
    added = b"def own3():\n    return 2\n" if language == "python" else b"export function own3() { return 2; }\n"
    edits = {
        "a name that another module has too": {other: files[other] + added},
        "a name less": {other: files[other].replace(b"own2", b"gone2")},
        "the circle is opened": {
            at: data[data.rindex(b"own") - 4 :] for at, data in files.items() if at[:1] == b"m" and b"export" not in data
        },
        "a comment": {one: files[one] + comment + b" nothing else\n"},
    }
    before = built(files)
    for what, edit in edits.items():
        edited = {**files, **edit}
        after = built(edited, files, before)
        assert differences(after.snapshot, built(edited).snapshot) == [], what
        if what == "a comment":
            assert after.linked == 1


def in_the_order_of_the_reference(own: Target, lines: list[tuple[Target, ...]]) -> tuple[Target, ...]:
    """C3 as Python's reference writes it; the head of the first line where it has no answer."""
    order, left = [own], [list(line) for line in lines]
    while any(left) and len(order) < MAX_MRO:
        left = [line for line in left if line]
        head = next((line[0] for line in left if not any(line[0] in other[1:] for other in left)), left[0][0])
        if head not in order:
            order.append(head)
        left = [[one for one in line if one != head] for line in left]
    return tuple(order)


@given(st.lists(st.lists(st.integers(0, 7), unique=True, max_size=6), max_size=5))
def test_the_order_of_bases_is_that_of_the_reference(lines: list[list[int]]) -> None:
    written = [tuple((0, one) for one in line) for line in lines]

    assert linearised((0, 0), written) == in_the_order_of_the_reference((0, 0), written)


def test_bases_are_counted_for_the_limit() -> None:
    facts = facts_of(b"class A: ...\nclass B(A): ...\nclass C(A, B): ...\nf(A, B, A)\n", PYTHON)

    assert inheritance(facts) == 1 + 4


def test_nothing_is_counted_beyond_what_it_is_held_against_first() -> None:
    sources = [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "index" / "resolver").glob("*.py"))]
    sources.append(b"@a\n@b\ndef f(): ...\nclass A(B, C[D], e=(1, 2)): ...\nx = [1, [2, 3], {4: 5}]\n")

    for facts in (facts_of(source, PYTHON) for source in sources):
        for counted, at_most, _, _ in LIMITS:
            assert counted(facts) <= at_most(facts)
