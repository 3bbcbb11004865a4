"""What of a comment is a command: tests/corpus/commands.md, and GitHub's own renderer as the referee of what is code or a quote."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import ALL_ROWS, COMMANDS, MOST_CHARACTERS, MOST_COMMANDS, commands_in, new_commands
from bot.types import Command, CommandKind

DOCUMENT = (Path(__file__).parents[1] / "corpus" / "commands.md").read_text("utf-8")
CASE = re.compile(r"^## (.+?)\n+(`{3,})text\n(.*?)\n\2\n+(.*?)\n*(?=^## |\Z)", re.M | re.S)
CASES = [(name, text, expected) for name, _, text, expected in CASE.findall(DOCUMENT)]


def told(commands: tuple[Command, ...]) -> str:
    lines = []
    for one in commands:
        argument = f": {one.argument}" if one.argument else ""
        note = f" ({one.note})" if one.note else ""
        lines.append(f"- {one.line} {one.kind}{argument}{note}")
    return "\n".join(lines) or "nothing"


def test_every_case_of_the_document_is_read() -> None:
    assert len(CASES) == DOCUMENT.count("\n## ")


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_document(text: str, expected: str) -> None:
    assert told(commands_in(text)) == expected


@pytest.mark.parametrize("row", ALL_ROWS, ids=[row.kind for row in ALL_ROWS])
def test_a_row_answers_its_own_example(row: object) -> None:
    assert [one.kind for one in commands_in(row.example)] == [row.kind]  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", COMMANDS, ids=[row.kind for row in COMMANDS])
def test_every_word_of_a_row_means_it(row: object) -> None:
    rest = row.example.split(maxsplit=2)[2:]  # type: ignore[attr-defined]
    written = [" ".join(["/maguyva", word, *rest]) for word in row.words]  # type: ignore[attr-defined]

    assert {commands_in(one)[0].kind for one in written} == {row.kind}  # type: ignore[attr-defined]


def test_line_ends_of_every_system_are_line_ends() -> None:
    assert [one.line for one in commands_in("hello\r\n/maguyva help\r/maguyva tests")] == [2, 3]


def test_an_edit_asks_only_what_it_adds() -> None:
    before = "/maguyva help\n/maguyva tests"

    assert [one.kind for one in new_commands(before + "\n/maguyva refresh", before)] == [CommandKind.REFRESH]
    assert new_commands("a word in front\n" + before, before) == ()


def test_a_long_question_is_cut_and_says_so() -> None:
    (one,) = commands_in("/maguyva " + "word " * 1_000)

    assert len(one.argument) <= MOST_CHARACTERS
    assert "2,000 characters" in one.note


def test_hostile_text_takes_no_time() -> None:
    pieces = ["`" * 5_000, "<!--" * 5_000, "> " * 5_000, "/maguyva why " + "a.(" * 5_000, "/maguyva " + "a " * 20_000, "~~~\n" * 5_000]
    spent = time.process_time()

    for piece in pieces:
        commands_in(piece + "\n/maguyva help\n" + piece)
        commands_in(" ".join([piece] * 3))

    assert time.process_time() - spent < 5  # CPU seconds; a pattern that backtracks takes hours


def test_nothing_beyond_the_cap_is_obeyed() -> None:
    assert len(commands_in("\n".join(f"/maguyva who calls a{number}?" for number in range(500)))) == MOST_COMMANDS


# ---- GitHub's renderer as the referee


class _Shown(HTMLParser):
    """The text of a rendered comment that is neither code, nor quoted, nor preformatted, nor in a list."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("pre", "code", "blockquote", "li", "script", "style", "textarea"):
            self.inside.append(tag)
        if tag == "br":
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.inside = [one for one in self.inside if one != tag or tag in ("blockquote", "li")]
        if tag in self.inside:
            self.inside.remove(tag)
        self.text += "\n" if tag in ("p", "h1", "h2") else ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self.inside else data


def shown_lines(text: str) -> list[str]:
    """The lines that a reader of the rendered comment sees as plain text."""
    page = _Shown()
    page.feed(cmarkgfm.github_flavored_markdown_to_html(text, options=cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))
    page.close()
    return [line.strip() for line in page.text.split("\n")]


LINES = st.sampled_from(
    [
        "/maguyva help",
        "/maguyva tests",
        "  /maguyva refresh",
        "    /maguyva help",
        "> quoted",
        "> /maguyva help",
        "```",
        "````",
        "~~~",
        "``` py",
        "`",
        "``",
        "a `b",
        "c` d",
        "<!--",
        "-->",
        "<!-- x -->",
        "text",
        "",
        "",
        "<pre>",
        "</pre>",
    ]
)


@given(st.lists(LINES, max_size=12))
def test_what_we_obey_is_what_a_reader_sees_as_text(lines: list[str]) -> None:
    """We may obey less than is shown, where it is hard to see what is code; never more."""
    text = "\n".join(lines)

    obeyed = {"/maguyva " + one.kind for one in commands_in(text)}

    assert obeyed <= set(shown_lines(text))
