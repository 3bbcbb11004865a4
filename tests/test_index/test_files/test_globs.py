"""Patterns of paths as in .gitignore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.files.globs import MAX_PATTERN, BadGlob, matcher, name_matcher

CASES = (
    # pattern            matches                                             does not match
    ("*", "a.py docs/a.py", ""),
    ("*.js", "a.js web/src/a.js", "a.jsx js"),
    ("docs", "docs docs/a.md web/docs/a.md", "docs2/a.md mydocs"),
    ("docs/", "docs/a.md web/docs/a/b.md", "docs"),
    ("/docs/", "docs/a.md", "web/docs/a.md"),
    ("/build", "build build/a", "web/build"),
    ("docs/*", "docs/a.md", "docs/guide/a.md web/docs/a.md"),
    ("docs/**", "docs/a.md docs/guide/a.md", "web/docs/a.md docs"),
    ("**/docs/*.md", "docs/a.md web/docs/a.md", "docs/guide/a.md"),
    ("src/**/gen", "src/gen/a.py src/a/b/gen/c.py", "gen/a.py other/gen/a"),
    ("a/**/**/b", "a/b a/x/y/b", "ab"),
    ("apps/*/github", "apps/x/github/a", "apps/github apps/x/y/github"),
    ("a?c", "abc", "ac a/c"),
    ("a\\*", "a*", "ab"),
    ("a.py", "a.py", "axpy"),
    ("(a|b)+", "(a|b)+", "a aa"),
    ("é", "é x/é/y", "e"),
)


@pytest.mark.parametrize(("pattern", "hits", "misses"), CASES)
def test_a_pattern_matches_what_gitignore_says(pattern: str, hits: str, misses: str) -> None:
    matches = matcher([pattern])

    assert [path for path in hits.split() if not matches(path.encode())] == []
    assert [path for path in misses.split() if matches(path.encode())] == []


@pytest.mark.parametrize("pattern", ["my files/", "my\\ files/"])
def test_a_space_may_be_escaped(pattern: str) -> None:
    assert matcher([pattern])(b"my files/a.py")


def test_names_of_files_need_not_be_utf8() -> None:
    assert matcher(["*.py"])(b"a\xff.py")
    assert matcher(["docs/**"])(b"docs/a\nb.md")


def test_no_pattern_matches_nothing_and_any_of_several_is_enough() -> None:
    assert not matcher([])(b"a")
    assert matcher(["b", "a"])(b"a")


@pytest.mark.parametrize("pattern", ["", "  ", "/", "!a", "[ab]", "a[0-9].py", "x" * (MAX_PATTERN + 1), "a\nb", "a\x00"])
def test_a_pattern_that_can_not_be_used_says_why(pattern: str) -> None:
    with pytest.raises(BadGlob, match=r"is empty|not supported|longer than|can't be shown"):
        matcher([pattern])


@given(st.text(alphabet="ab*/?\\.(|+$^", min_size=1, max_size=40), st.text(alphabet="ab/.", max_size=40))
def test_any_pattern_is_refused_or_answers(pattern: str, path: str) -> None:
    try:
        matches = matcher([pattern])
    except BadGlob:
        return
    assert matches(path.encode()) in (True, False)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    assert not matcher(["*a" * 200])(b"a" * 4_000 + b"b")


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("Cart.total", "Cart.total", True),
        ("Cart.*", "Cart.total", True),
        ("*.__repr__", "Cart.__repr__", True),
        ("total", "Cart.total", False),
        ("C*t", "Carts", False),
        (".", "x", False),
    ],
)
def test_names(pattern: str, name: str, expected: bool) -> None:
    assert name_matcher([pattern])(name) is expected
