"""A diff, from git or from anywhere -> the files and lines it touches."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.files.diff import parse_raw, parse_unified, spans_by_blobs
from index.types import FileChange
from support.repositories import DELETED, Executable, RenamedFrom, SymlinkTo, a_repository


def test_changed_lines_are_told_without_the_context_around_them() -> None:
    diff = """\
diff --git a/shop/tax.py b/shop/tax.py
index 1111111..2222222 100755
--- a/shop/tax.py
+++ b/shop/tax.py
@@ -1,5 +1,6 @@ def rate():
 one
-two
+TWO
+two and a half
 three

-five
"""

    assert parse_unified(diff) == [
        FileChange(
            old_path=b"shop/tax.py",
            new_path=b"shop/tax.py",
            old_blob="1111111",
            new_blob="2222222",
            old_mode=0o100755,
            new_mode=0o100755,
            similarity=0,
            old_spans=((2, 2), (5, 5)),
            new_spans=((2, 3), (6, 5)),
        )
    ]


@pytest.mark.parametrize(
    ("header", "old_span", "new_span"),
    [
        ("@@ -4,0 +5,2 @@", (5, 4), (5, 6)),
        ("@@ -4,2 +3,0 @@", (4, 5), (4, 3)),
        ("@@ -0,0 +1 @@", (1, 0), (1, 1)),
        ("@@ -1 +0,0 @@", (1, 1), (1, 0)),
        ("@@ -7 +7 @@", (7, 7), (7, 7)),
    ],
)
def test_where_nothing_stands_on_one_side_its_span_is_empty(header: str, old_span: tuple[int, int], new_span: tuple[int, int]) -> None:
    lines = "-x\n" * (old_span[1] - old_span[0] + 1) + "+y\n" * (new_span[1] - new_span[0] + 1)

    (change,) = parse_unified(f"--- a/f\n+++ b/f\n{header}\n{lines}")

    assert (change.old_spans, change.new_spans) == ((old_span,), (new_span,))


def test_a_line_that_looks_like_a_header_inside_a_hunk_is_content() -> None:
    (change,) = parse_unified("--- a/f.sql\n+++ b/f.sql\n@@ -1,2 +1,2 @@\n--- a comment\n-- b\n+++ c\n+@@ -1 +1 @@\n")

    assert change.old_path == change.new_path == b"f.sql"
    assert (change.old_spans, change.new_spans) == (((1, 2),), ((1, 2),))


@pytest.mark.parametrize(
    ("diff", "old_path", "new_path"),
    [
        ("--- old/f.py\t2024-01-01\n+++ new/f.py\t2024-01-02\n@@ -1 +1 @@\n-x\n+y\n", b"old/f.py", b"new/f.py"),
        ("--- /dev/null\n+++ b/f.py\n@@ -0,0 +1 @@\n+y\n", None, b"f.py"),
        ("--- a/f.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n", b"f.py", None),
        ("diff --git i/f.py w/f.py\n--- i/f.py\n+++ w/f.py\n@@ -1 +1 @@\n-x\n+y\n", b"f.py", b"f.py"),
        ("diff --git b/f.py b/f.py\nnew file mode 100644\n--- /dev/null\n+++ b/f.py\n@@ -0,0 +1 @@\n+y\n", None, b"b/f.py"),
        ("diff --git f.py f.py\n--- f.py\n+++ f.py\n@@ -1 +1 @@\n-x\n+y\n", b"f.py", b"f.py"),
        ("diff --git a/a b/c b/a b/c\nold mode 100644\nnew mode 100755\n", b"a b/c", b"a b/c"),
        ('diff --git "a/x\\ny" "b/x\\ny"\nold mode 100644\nnew mode 100755\n', b"x\ny", b"x\ny"),
        ('diff --git a/x "b/\\303\\251"\nsimilarity index 90%\nrename from x\nrename to "\\303\\251"\n', b"x", "é".encode()),
        ("diff --git a/f.py b/f.py\r\n--- a/f.py\r\n+++ b/f.py\r\n@@ -1 +1 @@\r\n-x\r\n+y\r\n", b"f.py", b"f.py"),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", None, b"y"),
    ],
)
def test_every_way_to_write_names_is_read(diff: str, old_path: bytes | None, new_path: bytes | None) -> None:
    (change,) = parse_unified(diff)

    assert (change.old_path, change.new_path) == (old_path, new_path)


def test_a_binary_file_is_told_as_one() -> None:
    (change,) = parse_unified("diff --git a/x.png b/x.png\nindex 1111..2222 100644\nBinary files a/x.png and b/x.png differ\n")

    assert change.binary and change.old_spans == ()


def test_a_hunk_that_is_cut_short_keeps_what_it_told() -> None:
    cut, following = parse_unified("--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n x\n-y\ndiff --git a/g b/g\ndeleted file mode 100644\n")

    assert cut.old_spans == ((2, 2),)
    assert (following.old_path, following.new_path) == (b"g", None)


def test_what_git_prints_is_read_back(tmp_path: Path) -> None:
    repository = a_repository(tmp_path)
    text = "".join(f"line {n}\n" for n in range(30))
    names = {b"plain.py": text, b"sp ace.py": text, b'q"uote\n\x1b\xff.py': text, b"mode.sh": "x\n", b"gone": "x\n", b"link": "x\n"}
    base = repository.commit({**names, b"moved": text * 3})
    changed = text.replace("line 7\n", "").replace("line 20\n", "line 20\nmore\n")
    head = repository.commit(
        {
            **dict.fromkeys([b"plain.py", b"sp ace.py", b'q"uote\n\x1b\xff.py'], changed),
            b"mode.sh": Executable("x\n"),
            b"gone": DELETED,
            b"link": SymlinkTo("plain.py"),
            b"to/there": RenamedFrom(b"moved", text * 3 + "end\n"),
            b"empty": "",
            b"new": "a\nb",
        }
    )

    def git_diff(*how: str) -> bytes:
        return subprocess.run(["git", "-C", tmp_path, "diff", "-M", *how, base, head], check=True, capture_output=True).stdout

    listed = sorted(parse_raw(git_diff("--raw", "-z", "--no-abbrev")), key=lambda change: change.new_path or change.old_path or b"")
    with_context, exact = git_diff("--full-index"), git_diff("--full-index", "-U0")
    spans = spans_by_blobs(exact)

    for change in parse_unified(with_context):
        if change.old_path != b"link" and change.new_path != b"link":  # git shows a file that became a link as gone and come
            told = next(other for other in listed if (other.old_path, other.new_path) == (change.old_path, change.new_path))
            assert (change.old_mode, change.new_mode, change.similarity) == (told.old_mode, told.new_mode, told.similarity)
            if change.old_spans:
                assert (change.old_blob, change.new_blob) == (told.old_blob, told.new_blob)
                assert spans[change.old_blob, change.new_blob] == (change.old_spans, change.new_spans)
    assert [change.new_path for change in listed if change.old_path != change.new_path] == [b"empty", None, b"new", b"to/there"]
    assert {change.new_path for change in listed if change.old_spans} == set(), "the listing alone has no lines"
    assert parse_unified(exact) == parse_unified(with_context)


@pytest.mark.parametrize(
    "cut",
    [b":100644 100644 1111 2222 M", b":100644 100644 1111 2222 R100\0x\0", b"nonsense\0x\0", b":100644 100644 1111 2222 M\0x"],
)
def test_a_listing_that_is_cut_is_refused(cut: bytes) -> None:
    with pytest.raises(ValueError):
        parse_raw(cut)


PIECES = [
    b"diff --git a/x b/x",
    b'diff --git "a/x',
    b"diff --cc x",
    b"--- a/x",
    b"+++ b/x",
    b"+++ /dev/null",
    b"--- /dev/null",
    b"@@ -1,3 +1,3 @@",
    b"@@ -0,0 +999999999,999999999 @@",
    b"@@@ -1 -1 +1,2 @@@",
    b"@@ nonsense @@",
    b"-",
    b"+",
    b" ",
    b"\\ No newline at end of file",
    b"index 1111..2222 999999",
    b"old mode x",
    b"new file mode 100644",
    b"deleted file mode 100644",
    b"similarity index 99999999999%",
    b'rename to "\\999\\',
    b"GIT binary patch",
    b"",
    b"\r",
    b"\xff",
]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=30).map(b"\n".join))
def test_nothing_makes_the_reader_raise_and_spans_come_in_order(diff: bytes) -> None:
    for change in parse_unified(diff):
        assert change.old_path is not None or change.new_path is not None
    spans_by_blobs(diff)


@given(st.text(max_size=80))
def test_text_with_stray_surrogates_is_read(diff: str) -> None:
    parse_unified("diff --git a/\ud800 b/\ud800\n" + diff)


LINES = st.lists(st.sampled_from(["a\n", "b\n", "-c\n", "+d\n", "\n", "@@ -1 +1 @@\n", "--- a/x\n"]), max_size=12)


@given(LINES, LINES, st.integers(0, 3))
def test_the_spans_are_the_lines_that_a_plain_comparison_finds(old: list[str], new: list[str], context: int) -> None:
    diff = "".join(difflib.unified_diff(old, new, "a/f", "b/f", n=context))

    changes = parse_unified(diff)

    rebuilt = list(old)
    for change in changes:
        for (old_first, old_last), (new_first, new_last) in reversed(list(zip(change.old_spans, change.new_spans, strict=True))):
            rebuilt[old_first - 1 : old_last] = new[new_first - 1 : new_last]
    assert rebuilt == new
