"""What the parser may do for a file is counted: source that is made to be read again and again is given up, in both forms alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index.build import build_snapshot
from index.impact.changed import changed_symbols
from index.languages import LANGUAGES
from index.languages.language import Language
from index.languages.python import PYTHON
from index.languages.typescript import JAVASCRIPT, TSX, TYPESCRIPT
from index.parsing import bounded, columns
from index.parsing.columns import tree_of
from index.sources import Source
from support.changes import a_change

ROOT = Path(__file__).resolve().parents[2]
OURS = [path.read_bytes() for path in sorted((ROOT / "index").rglob("*.py"))]
STOPPED = -1  # in place of the line of the first error


class Counted(bytes):
    """Source, and how many pieces of it were asked for."""

    pieces = 0

    def __getitem__(self, key: Any) -> Any:
        self.pieces += 1
        return super().__getitem__(key)


def parser_of(language: Language) -> bounded.BoundedParser:
    return columns._machinery(language).parser


def may_ask_for(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bounded, columns):
        monkeypatch.setattr(module, "most_reads", lambda _: pieces)


def in_pieces_of(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bounded, columns):
        monkeypatch.setattr(module, "PIECE", size)


# Every second byte or so begins what nothing ends.
AGAIN_AND_AGAIN = [
    *((language, piece) for language in (JAVASCRIPT, TYPESCRIPT, TSX) for piece in (b"/[", b"/* ")),
    (PYTHON, b"\\\n"),
    (PYTHON, b"\\\r\n"),
]


@pytest.mark.parametrize(("language", "piece"), AGAIN_AND_AGAIN, ids=lambda one: getattr(one, "name", str(one)))
@pytest.mark.parametrize("size", [60_000, 120_000, 900_000])
def test_source_that_is_read_again_and_again_is_given_up_in_time_that_grows_with_it(language: Language, piece: bytes, size: int) -> None:
    data = Counted(piece * (size // len(piece)))

    assert parser_of(language).parse(data) is None
    assert bounded.most_reads(size) < data.pieces < bounded.most_reads(size) + 100


# A step costs more, the more stands in the error that it belongs to.
def test_source_that_is_an_error_from_end_to_end_is_given_up_where_its_size_makes_that_dear() -> None:
    def lines(size: int) -> bytes:
        return b"<a b={c}/>;\n" * (size // 12)

    assert parser_of(TYPESCRIPT).parse(lines(10_000)) is not None
    assert parser_of(TYPESCRIPT).parse(lines(60_000)) is None
    assert tree_of(lines(60_000), TYPESCRIPT).error_line == STOPPED


def test_a_file_that_is_given_up_is_one_module_and_said() -> None:
    files = {b"a.js": b"/[" * 30_000 + b"\n" * 100, b"b.js": b"function f() {}\nf();\n"}
    built = build_snapshot("", [Source(path, "", len(data), data) for path, data in files.items()])

    assert [(one.path, one.line, one.message) for one in built.problems] == [("a.js", 0, "could not be parsed: searched as text only")]
    assert [len(built.snapshot.symbols_in(built.snapshot.file_of_path[path])) for path in ("a.js", "b.js")] == [1, 2]
    assert tree_of(files[b"a.js"], JAVASCRIPT).error_line == STOPPED


def test_one_more_such_file_takes_nothing_from_the_next_one() -> None:
    hostile, good = b"/[" * 30_000, b"const a = `b${c}`;\n" * 200
    alone = tree_of(good, JAVASCRIPT)

    assert parser_of(JAVASCRIPT).parse(hostile) is None
    assert tree_of(good, JAVASCRIPT).kind.tolist() == alone.kind.tolist()


def test_a_definition_is_not_compared_where_its_file_is_given_up() -> None:
    made = a_change({"a.js": "export function f() { return 1; }\n"}, {"a.js": "/[" * 30_000 + "\n" * 100})
    found = changed_symbols(made.changes, made.base, made.head, made.before, made.after)

    assert [(one.path, one.message) for one in found.problems] == [("a.js", "could not be parsed, so its definitions were not compared")]


def test_real_source_needs_a_twentieth_of_what_it_may_have() -> None:
    for data in OURS:
        source = Counted(data)

        assert parser_of(PYTHON).parse(source) is not None
        assert 20 * source.pieces < bounded.most_reads(len(data))


# Where both readings of `{a: ...` are still possible, the parser joins them by calling itself once for each level.
def test_readings_that_are_joined_a_hundred_thousand_times_do_not_end_the_process() -> None:
    assert tree_of(b"{a:\n" * 100_000, TYPESCRIPT).error_line == 1


WORDS = """x f ( ) [ ] { } : , . = def class return if for in import async from 'a' "b" ''' f'{ r'd' 1 ` ${ /* // /[ <a < => > function \\
# é 𝒳 \0 \udcff \udcf0 \udcf0\udc9d \ufeff""".split()
SCRAMBLED = st.lists(st.sampled_from([*WORDS, "\n", "\r\n", "\n    ", " "]), max_size=60).map("".join)


def nodes_of(tree: Any) -> list[tuple[str, int, int, bool]]:
    found, todo = [], [tree.root_node]
    while todo:
        node = todo.pop()
        found.append((node.type, node.start_byte, node.end_byte, node.is_missing))
        todo += node.children
    return found


@settings(max_examples=300)
@given(st.sampled_from(LANGUAGES), SCRAMBLED, st.integers(4, 20))
@example(PYTHON, "x = 'é𝒳" * 3, 4)
@example(PYTHON, "\udcff" * 30, 4)
def test_a_file_in_pieces_has_the_tree_of_the_whole(language: Language, text: str, size: int) -> None:
    data, parser = text.encode("utf-8", "surrogateescape"), parser_of(language)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces_of(size, patched)
        tree = parser.parse(data)

    assert tree is None or nodes_of(tree) == nodes_of(parser.parser.parse(data))


@settings(max_examples=300)
@given(st.sampled_from(LANGUAGES), SCRAMBLED, st.integers(4, 20), st.integers(0, 80))
@example(PYTHON, "\udcff" * 30, 4, 3)
@example(JAVASCRIPT, "`a", 4, 1)
def test_reads_are_counted_alike_in_c(language: Language, text: str, size: int, fewer: int) -> None:
    data = text.encode("utf-8", "surrogateescape")
    machinery = columns._machinery(language)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces_of(size, patched)
        may_ask_for(1_000_000, patched)
        source = Counted(data)
        tree, made = machinery.parser.parse(source), machinery.in_c and machinery.in_c(data)
        for most in {source.pieces, source.pieces - 1, max(source.pieces - fewer, 0)}:
            may_ask_for(most, patched)
            is_enough = most >= source.pieces

            assert (machinery.parser.parse(data) is not None) == (is_enough and tree is not None)
            assert (machinery.in_c is not None and machinery.in_c(data) is not None) == (is_enough and made is not None)
