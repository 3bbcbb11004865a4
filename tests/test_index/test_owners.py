"""CODEOWNERS: the last rule that matches wins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.impact.owners import MAX_BYTES, MAX_RULES, Owner, owned, owner_of, read_codeowners

# GitHub's own example, in words of our own.
EXAMPLE = """\
# everything, unless a later line says otherwise
*       @global-owner1 @global-owner2

*.js    @js-owner #the comment of a line
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octo-org/logging
/apps/ @octocat
/apps/github
my\\ files/ @spacer
"""


def owners(text: str, path: str) -> list[str]:
    return [one.login or f"{one.name} by mail" for one in read_codeowners(text.encode(), "CODEOWNERS").of(path.encode())[0]]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", ["global-owner1", "global-owner2"]),
        ("web/src/a.js", ["js-owner"]),
        ("cmd/a.go", ["docs by mail"]),
        ("notes/a.txt", ["octo-org/octocats"]),
        ("build/logs/a.py", ["octo-org/logging"]),
        ("x/build/logs/a.py", ["octo-org/logging"]),
        ("build/other.py", ["global-owner1", "global-owner2"]),
        ("docs/a.md", ["doctocat"]),
        ("x/docs/a.md", ["global-owner1", "global-owner2"]),
        ("scripts/deep/er/a.sh", ["doctocat", "octocat"]),
        ("x/apps/a.py", ["octocat"]),
        ("apps/a.py", ["octocat"]),
        ("apps/github/a.py", []),
        ("deep/logs/a.py", ["octo-org/logging"]),
        ("my files/a.py", ["spacer"]),
        ("my/a.py", ["global-owner1", "global-owner2"]),
    ],
)
def test_the_last_match_wins(path: str, expected: list[str]) -> None:
    assert owners(EXAMPLE, path) == expected


def test_one_level_of_a_folder_is_not_the_levels_below() -> None:
    text = "docs/* @writer\n"

    assert owners(text, "docs/start.md") == ["writer"]
    assert owners(text, "docs/guide/start.md") == []


def test_names_are_case_sensitive_and_need_not_be_utf8() -> None:
    found = read_codeowners("*.PY @loud\nsrc/é/ @accent\n".encode(), "CODEOWNERS")

    assert found.of(b"a.py") == ((), "")
    assert found.of("src/é/a.py".encode())[0] == (Owner("accent", "accent"),)
    assert found.of(b"src/\xff.PY")[0] == (Owner("loud", "loud"),)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("!*.py @a", "the pattern `!*.py` `!` and `[...]` are not supported: the line is skipped"),
        ("[a-z].py @a", "the pattern `[a-z].py` `!` and `[...]` are not supported: the line is skipped"),
        ("*.py someone", "`someone` is no account or team with its `@`, and no e-mail address: the line is skipped"),
        ("*.py @a/b/c@d @x", "`@a/b/c@d` is no account or team with its `@`, and no e-mail address: the line is skipped"),
        ("/ @a", "the pattern `/` is empty: the line is skipped"),
    ],
)
def test_a_line_that_github_would_skip_is_skipped_and_named(line: str, said: str) -> None:
    found = read_codeowners(f"* @all\n{line}\n".encode(), ".github/CODEOWNERS")

    assert [(one.path, one.line, one.message) for one in found.problems] == [(".github/CODEOWNERS", 2, said)]
    assert [one.login for one in found.of(b"a.py")[0]] == ["all"]


def test_sections_of_gitlab_each_have_their_own_last_match() -> None:
    text = """\
* @fallback

[Backend][2] @backend/team
*.py
special.py @ada

^[Docs] @writers
*.md
*.py @doc-reviewers

[backend]
late.py @late
"""

    assert owners(text, "a.py") == ["fallback", "backend/team", "doc-reviewers"]
    assert owners(text, "special.py") == ["fallback", "ada", "doc-reviewers"]
    assert owners(text, "late.py") == ["fallback", "late", "doc-reviewers"]
    assert owners(text, "a.md") == ["fallback", "writers"]
    assert read_codeowners(text.encode(), "CODEOWNERS").problems == ()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("@octocat", Owner("octocat", "octocat")),
        ("@octo-org/web/core", Owner("core", "octo-org/web/core", True)),
        ("docs@example.com", Owner("docs")),
        ("octocat", None),
        ("@", None),
        ("@-x", None),
        ("@a b", None),
        ("a@b", None),
        ("@everyone`|", None),
    ],
)
def test_who_may_own(word: str, expected: Owner | None) -> None:
    assert owner_of(word) == expected


def test_nobody_is_shown_with_an_at_or_an_address() -> None:
    told = owned(read_codeowners(EXAMPLE.encode(), "CODEOWNERS"), ["a.go", "a.txt", "a.md", "apps/github/a", "a.go"])

    assert [(one.path, one.owners, one.rule) for one in told] == [
        ("a.go", ("docs",), "*.go"),
        ("a.md", ("global-owner1", "global-owner2"), "*"),
        ("a.txt", ("octocats",), "*.txt"),
    ]


def test_thousands_of_rules_are_asked_at_once() -> None:
    text = "".join(f"/pkg{number}/ @owner{number}\n" for number in range(3_000))
    found = read_codeowners(text.encode(), "CODEOWNERS")

    assert [found.of(f"pkg{number}/a.py".encode())[1] for number in (0, 1_499, 2_999)] == ["/pkg0/", "/pkg1499/", "/pkg2999/"]


def test_what_is_too_much_is_said() -> None:
    large = read_codeowners(b"#" * (MAX_BYTES + 1), "CODEOWNERS")
    many = read_codeowners(b"a @a\n" * (MAX_RULES + 1), "CODEOWNERS")

    assert "larger than 3 MB" in large.problems[0].message and large.rules == ()
    assert "the last 20,000 are used" in many.problems[0].message and len(many.rules) == MAX_RULES


@given(st.binary(max_size=200), st.binary(max_size=40))
def test_any_file_is_read_and_any_path_is_answered(data: bytes, path: bytes) -> None:
    found = read_codeowners(data, "CODEOWNERS")

    assert isinstance(found.of(path)[1], str)
