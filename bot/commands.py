"""The text of a comment -> the `/maguyva` commands in it.

A command is a line that begins with `/maguyva`, where a reader sees it as text of the comment itself: not in a quote, in code, in a list or
in an HTML comment. So nobody's words become a command by being quoted. Nothing a comment says reaches the settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from bot.types import Command, CommandKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NAME: Final = "/maguyva"
OUR_MARK: Final = "<!-- maguyva:"  # every comment of ours begins with it; a comment that has it anywhere asks nothing
MOST_COMMANDS: Final = 5  # of one comment
MOST_CHARACTERS: Final = 2_000  # of one line; the rest is cut, and the command says so
MOST_TEXT: Final = 32_000  # characters of one comment that are looked at, of the 65,536 that GitHub takes

ACK_ID: Final = re.compile(r"\b[0-9a-f]{4,16}\b")  # of a break, as the comment shows it

_SYMBOL = r"`?[\w$.:/#<>\[\]()*@-]{1,300}`?"


@dataclass(frozen=True, slots=True)
class CommandRow:
    """One command: the words for it, what may follow, what it does, and an example that only this row answers."""

    kind: CommandKind
    words: tuple[str, ...]  # English, French
    follows: str  # a pattern for all that follows the word
    shown: str  # how people are told to write it
    about: str
    example: str


# First row that fits wins; what fits none is a question. `/maguyva help` and docs/github.md are made from these rows.
COMMANDS: Final = (
    CommandRow(CommandKind.HELP, ("help", "aide"), r"", "help", "what can be asked", "/maguyva help"),
    CommandRow(
        CommandKind.WHY,
        ("why", "pourquoi"),
        rf"{_SYMBOL}(\s+(from|depuis)?\s*{_SYMBOL})?",
        "why SYMBOL",
        "the path by which the change reaches a symbol",
        "/maguyva why shop.checkout.pay",
    ),
    CommandRow(
        CommandKind.IMPACT,
        ("impact",),
        _SYMBOL,
        "impact SYMBOL",
        "what a change of one symbol could reach",
        "/maguyva impact billing.price",
    ),
    CommandRow(CommandKind.TESTS, ("tests", "test"), rf"({_SYMBOL})?", "tests", "the tests to run first", "/maguyva tests"),
    CommandRow(
        CommandKind.ACK,
        ("ack", "acknowledge", "accepter"),
        r"[0-9A-Fa-f]{4,16}([\s,]+[0-9A-Fa-f]{4,16}){0,19}",
        "ack ID",
        "accept a break that is meant; the id is in the report",
        "/maguyva ack 1f3a77bc",
    ),
    CommandRow(
        CommandKind.REFRESH,
        ("refresh", "rerun", "relancer", "actualiser"),
        r"",
        "refresh",
        "look at the pull request again",
        "/maguyva refresh",
    ),
)
_QUESTION: Final = CommandRow(CommandKind.ASK, (), "", "QUESTION", "an answer from the code at the head", "/maguyva who calls Cart.total?")
ALL_ROWS: Final = (_QUESTION, *COMMANDS)


def _patterns() -> Iterator[tuple[CommandKind, re.Pattern[str]]]:
    for row in COMMANDS:
        end = rf"\s+(?P<rest>{row.follows})" if row.follows else ""
        end = rf"({end})?" if row.kind is CommandKind.TESTS else end
        yield row.kind, re.compile(rf"(?:{'|'.join(row.words)}){end}\s*[.!]?", re.IGNORECASE)


_PATTERNS: Final = tuple(_patterns())
_LINE: Final = re.compile(rf"{NAME}(?![\w/-])[:,]?(?P<rest>.*)", re.IGNORECASE)


def commands_in(text: str) -> tuple[Command, ...]:
    """Those in quotes, code and HTML comments are not ours to obey. At most `MOST_COMMANDS`, in order, each once; `note` of the last one
    says what was left out."""
    if OUR_MARK in text:
        return ()
    found: dict[tuple[CommandKind, str], Command] = {}
    for number, line in _plain_lines(text):
        match = _LINE.fullmatch(line)
        if match:
            command = _command(" ".join(match["rest"].split()), number)
            found.setdefault((command.kind, command.argument), command)
    commands = list(found.values())
    if len(commands) > MOST_COMMANDS:
        left = len(commands) - MOST_COMMANDS
        said = f"{left} more {'command' if left == 1 else 'commands'} of this comment {'was' if left == 1 else 'were'} left out."
        last = commands[MOST_COMMANDS - 1]
        commands[MOST_COMMANDS - 1 :] = [replace(last, note=f"{last.note} {said}".strip())]
    return tuple(commands)


def new_commands(text: str, before: str) -> tuple[Command, ...]:
    """After an edit: those that were not there before."""
    known = {(command.kind, command.argument) for command in commands_in(before)}
    return tuple(command for command in commands_in(text) if (command.kind, command.argument) not in known)


def _command(written: str, line: int) -> Command:
    note = ""
    if len(written) > MOST_CHARACTERS:
        written, note = written[:MOST_CHARACTERS].rstrip(), f"Only the first {MOST_CHARACTERS:,} characters were read."
    if not written:
        return Command(CommandKind.HELP, line=line)
    for kind, pattern in _PATTERNS:
        match = pattern.fullmatch(written)
        if match:
            rest = match.groupdict().get("rest") or ""
            return Command(kind, rest.replace("`", ""), line, note)
    return Command(CommandKind.ASK, written, line, note)


# ---- what of a comment is plain text


_MAYBE: Final = re.compile(rf"(?:^|[\n\r]) {{0,3}}{NAME}", re.IGNORECASE)
_PARAGRAPH_END: Final = re.compile(r"(?:\n|\r\n?)[ \t]*(?:\n|\r)")


def _up_to_the_last_command(text: str) -> str:
    """Nothing where nothing looks like a command; else what must be read to know whether it is one, not the rest of a long log."""
    last = 0
    for found in _MAYBE.finditer(text, 0, MOST_TEXT):
        last = found.end()
    end = _PARAGRAPH_END.search(text, last) if last else None
    return text[: min(end.start() if end else len(text), MOST_TEXT)] if last else ""


def _plain_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line that begins a command for a reader of the rendered comment."""
    text = _up_to_the_last_command(text)
    if not text:
        return
    tokens = _markdown().parse(text)
    inside: dict[str, int] = {}  # HTML elements that are open: people quote with `<blockquote>` as well
    for opened, inline in pairwise([*tokens, *tokens[-1:]]):
        _follow_html(opened, inside)
        # Paragraphs, and lines that `---` below made a heading; not in a list, a quote or a table, which have a level.
        is_text = opened.type == "paragraph_open" or (opened.type == "heading_open" and opened.markup in ("-", "="))
        if opened.level or not is_text or any(inside.values()):
            continue
        first = (opened.map or [0])[0] + 1
        lines = [(first + number, line.strip(" \t")) for number, line in enumerate(inline.content.split("\n"))]
        yield from _as_shown(_without_code(lines), list(_beginnings(inline.children or [])))


_HTML: Final = re.compile(r"<(/?)(blockquote|code|kbd|li|pre|samp|script|style|textarea)(?![\w-])", re.IGNORECASE)


def _follow_html(token: Token, inside: dict[str, int]) -> None:
    """Counts the elements that begin and end in a token of raw HTML."""
    pieces = [token, *(token.children or [])]
    for text in (piece.content for piece in pieces if piece.type in ("html_block", "html_inline")):
        for closes, name in _HTML.findall(text):
            inside[name.lower()] = 0 if closes else inside.get(name.lower(), 0) + 1


def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 50 ms, and most comments do not need it

    return MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")


def _beginnings(children: Sequence[Token]) -> Iterator[str]:
    """What plain text each line of a paragraph begins with."""
    at_start = True
    for child in children:
        if at_start and child.type == "text" and child.content.strip():
            yield child.content.strip(" \t")
        at_start = child.type in ("softbreak", "hardbreak") or (at_start and child.type == "text" and not child.content.strip())


def _as_shown(lines: Sequence[tuple[int, str]], beginnings: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The source lines that the renderer shows as they begin, in order."""
    at = 0
    for beginning in beginnings:
        if not beginning.lower().startswith(NAME):
            continue
        found = next((number for number in range(at, len(lines)) if lines[number][1].startswith(beginning)), None)
        if found is not None:
            yield lines[found]
            at = found + 1


def _without_code(paragraph: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines of a paragraph that do not begin inside a code span of several lines."""
    text = "\n".join(line for _, line in paragraph)
    if "`" not in text:
        return paragraph
    runs = [(match.start(), match.end()) for match in re.finditer(r"`+", text) if text[max(match.start() - 1, 0)] != "\\"]
    spans, position, closers = [], 0, _closers(runs)
    while position < len(runs):
        closer = closers[position]
        if closer is not None:
            spans.append((runs[position][0], runs[closer][1]))
            position = closer
        position += 1
    kept, start, span = [], 0, 0
    for number, line in paragraph:
        while span < len(spans) and spans[span][1] <= start:
            span += 1
        if span == len(spans) or spans[span][0] >= start:
            kept.append((number, line))
        start += len(line) + 1
    return kept


def _closers(runs: list[tuple[int, int]]) -> list[int | None]:
    """For each run of backticks, the next one of the same length."""
    found: list[int | None] = []
    latest: dict[int, int] = {}
    for position in range(len(runs) - 1, -1, -1):
        length = runs[position][1] - runs[position][0]
        found.append(latest.get(length))
        latest[length] = position
    return found[::-1]
