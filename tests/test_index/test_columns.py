"""The columns of a file's syntax tree and the facts made of them, against plain walks over the same tree."""

from __future__ import annotations

import gc
import random
import re
import sys
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from index.languages import LANGUAGES
from index.languages.python import PYTHON
from index.languages.typescript import TSX, TYPESCRIPT
from index.parsing.column import (
    Column,
    Growing,
    column_of_nodes,
    column_of_rows,
    fill,
    growing,
    joined,
    last_not_above,
    note_firsts,
    note_firsts_counted,
    rows_by_number,
    rows_by_number_counted,
)
from index.parsing.columns import MAX_DEPTH, MAX_NAME, parsed, tree_of, trees_of
from index.parsing.facts import COLUMNS, FactsBuilder, collector_paused, facts_of, facts_of_many
from index.parsing.kinds import Kind
from index.parsing.stored import all_stored, of_stored, to_stored
from index.resolver.program import Unit
from index.storage.packing import pack, unpack

ROOT = Path(__file__).resolve().parents[2]
OURS = [path.read_bytes() for path in sorted((ROOT / "index").rglob("*.py"))]
LEAVES = {Kind.NAME, Kind.TYPE_NAME, Kind.PROPERTY_NAME, Kind.SHORTHAND, Kind.SHORTHAND_PATTERN, Kind.TEXT, Kind.NUMBER, Kind.PREFIX}
NODE_COLUMNS = ("kind", "start", "end", "next", "parent", "name")


def numbers_of(column):
    """Of a column that has only rows and a length, as what compiled code reads does."""
    return [column[row] for row in range(len(column))]


def written(column, numbers):
    for number in numbers:
        column.append(number)
    return column


STRINGS = st.builds(
    lambda prefix, quote, body: f"{prefix}{quote}{body}{quote}",
    st.sampled_from(["", "", "", "r", "b", "Rb", "u", "f", "rf"]),
    st.sampled_from(["'", '"', "'''", '"""']),
    st.lists(
        st.sampled_from(["a", "é", " ", "\\n", "\\'", '\\"', "{", "}", "{x}", "{y!r:>{w}}", "{'in' if a else f'{b}'}", "#", "\n", "%s"]),
        max_size=4,
    ).map("".join),
)
WORDS = """x y self f ( ) [ ] { } : , . = == + * ** -> := @ ; \\ # ` lambda def class return yield await async if else elif for in is not
and or with as try except import from global nonlocal match case type del pass print None True 1 2.5 0x1f ... isinstance( _""".split()
TOKENS = st.sampled_from([*WORDS, "\n", "\n", "\n\n", "\n    ", "\n        ", " ", "é", "\t"])
SCRAMBLED = st.lists(st.one_of(TOKENS, STRINGS), max_size=60).map(" ".join).map(str.encode)


@st.composite
def pieces_of_our_source(draw: st.DrawFn) -> bytes:
    """Lines of a real file, often with a hole in them."""
    lines = OURS[draw(st.integers(0, len(OURS) - 1))].splitlines(keepends=True)
    first = draw(st.integers(0, max(len(lines) - 1, 0)))
    text = b"".join(lines[first : first + draw(st.integers(1, 40))])
    at, length = draw(st.integers(0, len(text))), draw(st.sampled_from([0, 0, 1, 5, 40]))
    return text[:at] + draw(st.sampled_from([b"", b"(", b")", b'"', b"\n", b"\0", b"\xff"])) + text[at + length :]


SOURCES = st.one_of(SCRAMBLED, pieces_of_our_source())


def plain_nodes(data, language):
    """(start, end, kind) of every node of a kind of ours that covers anything, in the tree's own order, with its ancestors' spans."""
    found = []
    todo = [(parsed(data, language).root_node, ())]
    while todo:
        node, around = todo.pop()
        kind = language.kinds.get(node.type, 0) if node.is_named and not node.is_error else 0
        if kind > Kind.MODULE and node.end_byte > node.start_byte:
            found.append(((node.start_byte, node.end_byte, int(kind)), around))
            around = (*around, (node.start_byte, node.end_byte, int(kind)))
        todo.extend((child, around) for child in node.children)
    return found


def breaks_a_string(data):
    """Whether a line ends inside single quotes. Python forbids it; the grammar reads on, and takes braces that follow for those of an
    f-string, where we don't look."""
    return any(
        kind == Kind.STRING and re.match(rb"('(?!'')|\"(?!\"\"))(?s:\\.|[^\\\n])*\n", data[start:end])
        for (start, end, kind), _ in plain_nodes(data, PYTHON)
    )


def plain_columns(data, language):
    """What `tree_of` is to answer, by a stack: rows of (kind, start, end, next, parent, name)."""
    spans = sorted(((start, -end, kind) for (start, end, kind), _ in plain_nodes(data, language)))
    rows = [[int(Kind.MODULE), 0, len(data) + 1, 0, -1, -1], *([kind, start, -end, 0, 0, -1] for start, end, kind in spans)]
    open_rows = [0]
    names = []
    for number, row in enumerate(rows[1:], 1):
        while rows[open_rows[-1]][2] <= row[1]:
            rows[open_rows.pop()][3] = number
        row[4] = open_rows[-1]
        open_rows.append(number)
        if row[0] in LEAVES and row[2] - row[1] <= MAX_NAME:
            text = data[row[1] : row[2]]
            names += [text] if text not in names else []
            row[5] = names.index(text)
    for number in open_rows:
        rows[number][3] = len(rows)
    return rows, [name.decode("utf-8", "backslashreplace").replace("\0", "\\0") for name in names]


def rows_of(tree):
    return np.stack([getattr(tree, column) for column in NODE_COLUMNS], 1).tolist()


def equal(one, other):
    return one.names == other.names and all(
        one[column].dtype == other[column].dtype and np.array_equal(one[column], other[column]) for column in COLUMNS
    )


@settings(max_examples=300)
@given(SOURCES)
@example(b"")
@example(b"x")
@example(b"''")
@example(b'""""""')
@example(b"'a' \"b\" '''c''' \"\"\"d'\"\"\" r'e' b'' f'{x}{'y'}'")
@example(b"`a` + ''")
def test_columns_are_those_of_a_plain_walk(data):
    assume(not breaks_a_string(data))
    tree = tree_of(data, PYTHON)
    rows, names = plain_columns(data, PYTHON)
    assert rows_of(tree) == rows
    assert tree.names == names
    assert [list(tree.children(node)) for node in range(len(rows))] == [
        [child for child, row in enumerate(rows) if row[4] == node] for node in range(len(rows))
    ]


@settings(max_examples=100)
@given(SOURCES)
def test_a_parent_is_the_nearest_node_around_that_has_a_kind(data):
    tree = tree_of(data, PYTHON)
    spans = list(zip(tree.start.tolist(), tree.end.tolist(), tree.kind.tolist(), strict=True))
    parent_of = {span: spans[parent] for span, parent in zip(spans, tree.parent.tolist(), strict=True) if parent > 0}
    times = Counter(span[:2] for span in spans)
    for span, around in plain_nodes(data, PYTHON):
        if around and times[span[:2]] == times[around[-1][:2]] == 1:  # of nodes of the same bytes, the order is ours
            assert parent_of[span] == around[-1]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_columns_of_every_language_are_those_of_a_plain_walk(language):
    data = b"""
        import a, {b as c} from './d'; export const f = (x: T<U>, {y, z = 1}) => <Tag a="b">{x?.y[0]}</Tag>;
        class A extends B.C { static #p = `t${1 + 2}e`; get q() { return /r/.test('s\\n') && this } } // comment
    """
    if language is TYPESCRIPT:
        data = data.replace(b'<Tag a="b">{x?.y[0]}</Tag>', b"x?.y[0]")
    rows, names = plain_columns(data, language)
    tree = tree_of(data, language)
    assert rows_of(tree) == rows
    assert tree.names == names
    assert len(rows) > 20


def test_columns_of_our_own_source_are_those_of_a_plain_walk():
    chosen = random.Random(1).sample(OURS, 8)
    for tree, data in zip(trees_of(chosen, PYTHON), chosen, strict=True):
        rows, names = plain_columns(data, PYTHON)
        assert rows_of(tree) == rows
        assert tree.names == names
        assert tree.error_line == 0


@pytest.mark.parametrize("language", [PYTHON, TSX])
def test_a_file_as_the_resolver_reads_it_has_the_numbers_of_its_columns(language):
    """Lists of small files share their numbers, those of large files have their own."""
    small = b"".join(b"def f%d(a, *b, c=1):\n    (x, *y), z = a\n    return x\nimport m%d as n\n" % (at, at) for at in range(200))
    for data in (b"", small, small * 4, small.replace(b"a", b"a" * 200)):
        facts = facts_of(data, language)
        unit = Unit(0, "a", language.name, facts)
        for name in ("target", "value", "extra", "type"):
            assert numbers_of(getattr(unit, name)) == facts[f"binding_{name}"].tolist()
        for column in ("symbol_node", "symbol_at", "scope_node", "group_first", "import_node", "param_node", "param_default"):
            assert numbers_of(getattr(unit, column)) == facts[column].tolist()


# many files at once


@settings(max_examples=60)
@given(st.lists(st.tuples(SOURCES, st.sampled_from([PYTHON, PYTHON, TSX])), max_size=6))
@example([(b"", PYTHON), (b"", PYTHON), (b"x = 1", PYTHON), (b"", TSX)])
def test_files_read_together_have_the_facts_they_have_alone(files):
    for together, (data, language) in zip(facts_of_many(files), files, strict=True):
        assert equal(together, facts_of(data, language))


def test_no_files_have_no_facts():
    assert facts_of_many([]) == []


def test_the_collector_is_as_it_was_afterwards():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), collector_paused():
        _ = 1 / 0
    assert gc.isenabled()


# looking names up


@settings(max_examples=100)
@given(SOURCES)
@example(b"def f(a):\n    global g\n    g = a\n    def h():\n        nonlocal a\n        a = g\n    return [g for g in a if g]\ng = f\n")
@example(b"class C:\n    x = 1\n    def m(self, x=x): return x, C, y\n")
def test_a_name_means_the_binding_of_the_innermost_scope_that_has_one(data):
    tree = tree_of(data, PYTHON)
    builder = FactsBuilder(tree)
    PYTHON.front_end(tree, builder)
    facts = facts_of(data, PYTHON)
    groups = {key: group for group, key in enumerate(zip(facts["group_scope"].tolist(), facts["group_name"].tolist(), strict=True))}
    assert list(groups) == sorted(set(builder.bound()))
    expected = []
    for node in range(len(tree.kind)):
        name, scope = int(tree.name[node]), int(builder.scope[node])
        above = int(tree.parent[node])
        first_only = builder.members.get(int(tree.kind[above])) if tree.kind[node] == Kind.NAME else None
        if builder.ignored[node] or first_only is (node == above + 1):
            expected.append(-2)
            continue
        scope = builder._redirect.get((scope, name), scope)
        while scope >= 0 and (scope, name) not in groups:
            scope = builder.lookup_parent[scope]
        expected.append(groups.get((scope, name), -1) if tree.kind[node] == Kind.NAME else -1)
    assert facts["group"].tolist() == expected


@settings(max_examples=100)
@given(SOURCES)
def test_symbols_are_in_order_and_everything_that_points_at_one_still_does(data):
    tree = tree_of(data, PYTHON)
    builder = FactsBuilder(tree)
    PYTHON.front_end(tree, builder)
    facts = facts_of(data, PYTHON)

    def known(rows, columns):
        return list(zip(*(numbers_of(rows[f"symbol_{column}"]) for column in columns), strict=True))

    what = ("node", "name", "kind", "start", "end", "at", "scope", "flags")
    before = known(builder.rows, what)
    after = known({column: values.tolist() for column, values in facts.columns.items()}, what)
    assert sorted(before) == sorted(after)
    assert [(one[3], -one[4], one[5]) for one in after[1:]] == sorted((one[3], -one[4], one[5]) for one in before[1:])
    assert after[0] == before[0]
    assert [after[row] for row in facts["owner"].tolist()] == [before[row] for row in numbers_of(builder.owner)]
    parents = {(one, after[parent]) for one, parent in zip(after, facts["symbol_parent"].tolist(), strict=True) if parent >= 0}
    parent_before = numbers_of(builder.rows["symbol_parent"])
    assert parents == {(one, before[parent]) for one, parent in zip(before, parent_before, strict=True) if parent >= 0}


# bad input


def deep(n):
    return {
        "lists": b"x = " + b"[" * n + b"]" * n,
        "targets": b"[" * n + b"a" + b"]" * n + b" = y",
        "for targets": b"for " + b"[" * n + b"a" + b"]" * n + b" in z: pass",
        "calls": b"f(" * n + b")" * n,
        "attributes": b"a" + b".b" * n,
        "subscripts": b"a" + b"[0]" * n,
        "sums": b"+".join([b"a"] * n),
        "comparisons": b"<".join([b"a"] * n),
        "negations": b"if " + b"not " * n + b"isinstance(x, int): pass",
        "lambdas": b"x = " + b"lambda: " * n + b"1",
        "conditions": b"x = " + b"a if b else " * n + b"c",
        "assignments": b"a = " * n + b"1",
        "types": b"x: " + b"a[" * n + b"int" + b"]" * n,
        "patterns": b"match x:\n    case " + b"A(" * n + b"a" + b")" * n + b": pass",
        "elifs": b"if a: pass\n" + b"elif a: pass\n" * n,
        "decorators": b"@a\n" * n + b"def f(): pass",
        "interpolations": b"f'{" * 300 + b"x" + b"}'" * 300,
        "only opened": b"(" * n,
        "only closed": b"]" * n,
    }


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@pytest.mark.parametrize("shape", deep(1))
def test_ten_thousand_levels_are_cut_off_and_said(shape, language):
    data = b"first = 1\n" + deep(10_000)[shape]
    facts = facts_of(data, language)
    depth = depths(facts["parent"])
    assert depth.max() <= MAX_DEPTH
    cut = (depth == MAX_DEPTH) & (facts["kind"] == Kind.ERROR)
    assert not cut.any() or facts["extra"][0] in (1, 2, 3)
    assert "first" in facts.names or facts["extra"][0]


def depths(parent):
    depth = np.zeros(len(parent), np.int64)
    for node, above in enumerate(parent.tolist()):
        depth[node] = depth[above] + 1 if above >= 0 else 0
    return depth


def test_what_is_cut_off_is_an_error_and_what_stands_beside_it_is_kept():
    facts = facts_of(b"a = 1\nb = [" + b"[" * 600 + b"inner" + b"]" * 600 + b", beside]\nc = 2\n", PYTHON)
    assert facts["extra"][0] == 2
    assert "inner" not in facts.names
    assert {"a", "b", "beside", "c"} <= set(facts.names)
    error = np.flatnonzero(facts["kind"] == Kind.ERROR)
    assert len(error) == 1
    assert facts["next"][error[0]] == error[0] + 1


ODD = {
    "empty": b"",
    "no last newline": b"def f():\n    return 1",
    "CRLF": b"def f():\r\n    x = 'a'\r\n    return x\r\n",
    "CR only": b"x = 1\ry = 2\r",
    "BOM": b"\xef\xbb\xbfdef f(): pass\n",
    "UTF-16": "def f(): pass\n".encode("utf-16"),
    "invalid UTF-8": b"x = '\xff\xfe'\ncaf\xe9 = 1\ny = 2\n",
    "NUL in a string": b"x = 'a\0b'\ny = 1\n",
    "NUL outside": b"x = 1\0\ny = 2\n",
    "only NUL": b"\0" * 100,
    "64 KB line": b"x = [" + b"a, " * 22_000 + b"]\ny = 1\n",
    "70,000 lines": b"x = 1\n" * 70_000,
    "long name": b"a" * 500 + b" = '" + b"b" * 500 + b"'\n",
    "form feed": b"x = 1\n\x0c\ny = 2\n",
    "tabs": b"if x:\n\ty = 1\n        z = 2\n",
    "not Python": b"<html><body>&nbsp;</body></html>\n" * 20,
    "comment only": b"# nothing\n",
    "backslashes": b"\\\n" * 50,
    "star import": b"from . import *\n",
}


@pytest.mark.parametrize("language", [PYTHON, TYPESCRIPT], ids=lambda language: language.name)
@pytest.mark.parametrize("name", ODD)
def test_odd_files_have_facts_that_hang_together(name, language):
    data = ODD[name]
    facts = facts_of(data, language)
    size = len(facts["kind"])
    assert facts["line_starts"].tolist() == [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    assert (facts["kind"][0], facts["start"][0], facts["end"][0], facts["next"][0], facts["parent"][0]) == (
        Kind.MODULE,
        0,
        len(data) + 1,
        size,
        -1,
    )
    rows = np.arange(size)
    assert ((facts["next"] > rows) & (facts["next"] <= size)).all()
    assert (facts["parent"][1:] < rows[1:]).all()
    above = facts["parent"][1:]
    assert ((facts["start"][above] <= facts["start"][1:]) & (facts["end"][above] >= facts["end"][1:])).all()
    assert ((facts["name"] >= -1) & (facts["name"] < len(facts.names))).all()
    assert ((facts["owner"] >= 0) & (facts["owner"] < len(facts["symbol_node"]))).all()
    assert facts["symbol_parent"][0] == -1
    assert not any("\0" in one for one in facts.names)


def test_bytes_that_are_no_text_are_spelled_out():
    assert facts_of(ODD["BOM"], PYTHON).names[0] == "f"
    assert "\\xff\\xfe" in facts_of(ODD["invalid UTF-8"], PYTHON).names


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\n", 0),
        ("", 0),
        ("x = 1\ny = )\n", 2),
        ("x = 1\n\n\ndef f(:\n    pass\n", 4),
        ("x = 1\nprint('a'\n", 2),
        ("x = 1\ndef f():\n    if x:\n        1syntax_error\n", 4),  # a line break is missing in the block
        ("def f():\n    return 1\n\nclass\n", 4),
    ],
)
def test_the_first_line_that_makes_no_sense(source, line):
    assert facts_of(source.encode(), PYTHON)["extra"][0] == line


def test_broken_files_keep_what_can_be_read():
    facts = facts_of(b"def good():\n    return 1\n\ndef bad(:\n\nclass Also:\n    def fine(self): return good()\n", PYTHON)
    assert {"good", "Also", "fine"} <= {facts.names[row] for row in facts["symbol_name"].tolist() if row >= 0}


# stored


@settings(max_examples=100)
@given(SOURCES)
@example(b"")
@example(b"from . import *")
@example(ODD["NUL in a string"])
@example(ODD["70,000 lines"])
@example(ODD["invalid UTF-8"])
def test_stored_facts_come_back_as_they_were(data):
    facts = facts_of(data, PYTHON)
    assert equal(of_stored(unpack(pack(to_stored(facts)))), facts)


@settings(max_examples=50)
@given(st.lists(SOURCES, max_size=6))
@example([*ODD.values(), b"", b"x = 1", b"from . import *"])
@example([b"x = 1", b"y = 2\n" * 20_000, b"x = 1"])  # the second needs four bytes
def test_facts_that_were_made_together_are_stored_as_each_alone(files):
    made = facts_of_many([(data, PYTHON) for data in files])
    alone = [pack(to_stored(facts_of(data, PYTHON))) for data in files]

    assert [pack(stored) for stored in all_stored(made)] == alone
    assert [pack(to_stored(facts)) for facts in made] == alone


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_source_is_let_go_of_when_it_was_read(language):
    data = b"x = 1\n" * 500
    held = sys.getrefcount(data)

    trees_of([data], language)

    assert sys.getrefcount(data) == held


@pytest.mark.parametrize("lines", [3, 5_000])
def test_columns_of_nodes_are_as_wide_as_their_file_needs(lines):
    facts = facts_of(b"def f(x):\n    return x\n" * lines, PYTHON)

    assert {facts[column].dtype for column in (*NODE_COLUMNS[1:], "owner", "group")} == {np.dtype(np.int16 if lines == 3 else np.int32)}
    assert set(facts.columns) == set(COLUMNS)
    assert facts["next"][0] == len(facts["kind"])


def test_large_numbers_take_four_bytes():
    assert len(to_stored(facts_of(b"x = 1\n", PYTHON))["numbers"]) == 2
    assert len(to_stored(facts_of(ODD["70,000 lines"], PYTHON))["numbers"]) == 4


def test_what_is_not_the_facts_of_a_file_is_not_taken_for_them():
    stored = to_stored(facts_of(b"def f(a): return a\n", PYTHON))
    damaged = [
        {},
        stored | {"numbers": stored["numbers"][:, :-1]},
        stored | {"numbers": stored["numbers"][:, :3]},
        stored | {"numbers": stored["numbers"][:, :0]},
        stored | {"kind": stored["kind"][1:]},
        stored | {"names": stored["names"][:0]},
        stored | {"names": np.full(9, 0xFF, np.uint8)},
    ]
    for one in damaged:
        with pytest.raises(ValueError):
            of_stored(one)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 3)), max_size=60))
def test_first_places_are_found_by_counting_as_with_a_table(given: list[tuple[int, int, int]]) -> None:
    places = list(accumulate(step for _, _, step in given))
    size = places[-1] + 1 if places else 0
    by_counting, by_table = Column(np.arange(size, dtype=np.int32)), Column(np.arange(size, dtype=np.int32))

    one, other = [one for one, _, _ in given], [other for _, other, _ in given]
    note_firsts_counted(by_counting, *(written(Growing(0), numbers) for numbers in (places, one, other)))
    note_firsts(by_table, *(written(growing(), numbers) for numbers in (places, one, other)))

    assert numbers_of(by_counting) == numbers_of(by_table)


@given(st.lists(st.tuples(st.integers(-2, 5), st.integers(0, 4)), max_size=60))
def test_rows_are_put_in_order_by_counting_as_by_sorting(given: list[tuple[int, int]]) -> None:
    numbers, kinds = np.array([number for number, _ in given], np.int16), bytes(kind for _, kind in given)
    wanted = bytes((0, 1, 1)).ljust(256, b"\0")

    counted, its_ends = rows_by_number_counted(Column(numbers), kinds, wanted, 6)
    ordered, ends = rows_by_number(column_of_nodes(numbers, True), kinds, wanted, 6)

    assert [counted[at] for at in range(len(counted))] == [ordered[at] for at in range(len(ordered))]
    assert [its_ends[at] for at in range(7)] == [ends[at] for at in range(7)]


@given(st.lists(st.integers(-2, 70_000), max_size=200).map(sorted), st.integers(-3, 70_001))
def test_a_column_that_compiled_code_reads_holds_what_the_one_of_the_text_does(numbers: list[int], asked: int) -> None:
    column = np.array(numbers, np.int32)
    compiled, text = Column(column), column_of_rows(column, False)
    assert numbers_of(compiled) == numbers_of(text) == numbers
    assert last_not_above(compiled, asked) == last_not_above(text, asked) == bisect_right(numbers, asked) - 1
    small = np.array([number for number in numbers if number < 32_768], np.int32)
    assert numbers_of(Column(small.astype(np.int16))) == small.tolist()


@given(st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50), max_size=5))
def test_a_column_that_compiled_code_adds_to_holds_what_the_one_of_the_text_does(columns: list[list[int]]) -> None:
    compiled, text = [Growing(0) for _ in columns], [growing() for _ in columns]
    for made in (compiled, text):
        for column, numbers in zip(made, columns, strict=True):
            for number in numbers:
                column.append(number)
            if numbers:
                column[0] = column[0] // 2
    told = [[numbers[0] // 2, *numbers[1:]] if numbers else [] for numbers in columns]
    assert [[column[row] for row in range(len(column))] for column in compiled] == told
    assert joined(text).tolist() == [number for numbers in told for number in numbers]


@given(
    st.integers(0, 40).flatmap(lambda size: st.tuples(st.just(size), st.lists(st.tuples(*[st.integers(0, size)] * 2, st.integers(-3, 3)))))
)
def test_a_column_that_is_filled_in_compiled_code_holds_what_the_one_of_the_text_does(
    given: tuple[int, list[tuple[int, int, int]]],
) -> None:
    size, parts = given
    compiled, text, told = Growing(size), growing(size), [0] * size
    for first, end, number in parts:
        compiled.fill(first, end, number)
        fill(text, first, end, number)
        told[first:end] = [number] * (end - first) if first < end else told[first:end]
    assert numbers_of(compiled) == numbers_of(text) == joined([text]).tolist() == told


def test_a_file_of_many_names_is_read_as_others_are() -> None:
    """Rows of its nodes and names do not fit into two bytes."""
    names = [f"v{number}" for number in range(17_000)]
    unit = Unit(0, "a.py", "python", facts_of("\n".join(f"{name} = 1" for name in names).encode(), PYTHON))
    assert [unit.text(unit.target[unit.group_first[group]]) for group in range(len(unit.group_scope))] == names
    assert unit.parent[unit.target[-1 + len(unit.how)]] > 32_767
