"""Can a name or a path from an untrusted repository break out of our comment? The referee is GitHub's own Markdown library (cmark-gfm)."""

from __future__ import annotations

import html.parser
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.rendering.escaping import REPLACED, code, label, link, person, printable, prose, shortened
from bot.rendering.links import github_links, no_links, permalink
from support.hostile import HOSTILE
from support.markdown import html_of

LIVE = re.compile(
    r"(?i)@[a-z0-9]|(^|[^&\w])#\d|\bgh-\d|\b[0-9a-f]{7,40}\b|https?:|www\.|\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b|:[a-z0-9_+-]+:|\$"
)


class Walk(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.loose: list[str] = []
        self.in_code: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in ("br", "img", "hr", "input", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_comment(self, data: str) -> None:
        self.tags.append("!comment")

    def handle_data(self, data: str) -> None:
        (self.in_code if {"code", "pre"} & set(self.open) else self.loose).append(data)


def rendered(markdown: str) -> Walk:
    walk = Walk()
    walk.feed(html_of(markdown, "tagfilter", "tasklist"))
    return walk


def in_a_cell(cell: str) -> Walk:
    return rendered(f"| n | symbol |\n| - | - |\n| 1 | {cell} |\n| 2 | tail |\n")


def assert_harmless(walk: Walk) -> None:
    assert [tag for tag in walk.tags if tag in ("td", "th")] == ["th", "th", "td", "td", "td", "td"], "the table is broken"
    assert set(walk.tags) <= {"table", "thead", "tbody", "tr", "td", "th", "code", "wbr"}
    assert LIVE.search(" ".join(walk.loose)) is None, f"live text: {walk.loose}"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_is_shown_and_does_nothing(text: str) -> None:
    walk = in_a_cell(code(text))

    assert_harmless(walk)
    assert "".join(walk.in_code) == (printable(text) if printable(text).strip(" \u00a0") else REPLACED)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_sentence_with_a_name_does_nothing(text: str) -> None:
    assert_harmless(in_a_cell(prose(f"calls `{text}`: missing argument `{text}`")))
    assert_harmless(in_a_cell(prose(text)))


@given(st.text(alphabet=st.sampled_from("`|\\<>[]()!@#:/.-_*~$&;ab1 \n\u202e\u200b"), max_size=30))
@settings(max_examples=400)
@example("`|`\\")
def test_no_text_gets_out(text: str) -> None:
    assert_harmless(in_a_cell(code(text)))
    assert_harmless(in_a_cell(prose(text)))
    assert_harmless(in_a_cell(prose(f"overrides `{text}` without `x`")))


def test_plain_sentences_are_left_as_they_are() -> None:
    assert prose("calls `price`: missing argument `currency`") == "calls `price`: missing argument `currency`"
    assert prose("≥ 9 sites, 2 % of them (proved)") == "≥ 9 sites, 2 % of them (proved)"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_of_a_person_does_nothing(text: str) -> None:
    assert_harmless(in_a_cell(person(text)))


def test_ordinary_names_are_text() -> None:
    for name in ("Ada Lovelace", "José Ángel d'Ávila-Núñez", "Alex / KATT", "山田 太郎", "J. R. R. Tolkien"):
        assert person(name) == name


def test_long_text_loses_its_middle() -> None:
    assert shortened("a" * 50 + "b" * 50, 11) == "aaaaa…bbbbb"
    assert len(code("x" * 10_000)) <= 170


def test_a_permalink_points_to_bytes_and_not_to_what_they_look_like() -> None:
    url = permalink("https://github.com/o/r/", "ab" * 20, "src/a (1)#?\\xff.py", 3)

    assert url == f"https://github.com/o/r/blob/{'ab' * 20}/src/a%20%281%29%23%3F%FF.py#L3"
    assert permalink("https://github.com/o/r", "ab" * 20, "docs/a.md", 3).endswith("a.md?plain=1#L3")
    assert permalink("", "ab" * 20, "a.py", 1) == permalink("https://x", "not a commit", "a.py", 1) == ""
    assert no_links("ab" * 20, "a.py", 1) == ""
    assert github_links("https://github.com/o/r")("ab" * 20, "a.py", 0).endswith("a.py")
    assert link("`a`", "") == "`a`"


@given(st.text(max_size=40))
def test_a_mermaid_label_is_plain_ascii(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9 _.:/()-]+", label(text))
