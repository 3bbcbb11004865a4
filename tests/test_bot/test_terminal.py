"""The report on a terminal, and piped."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from bot.rendering.terminal import print_report
from index.impact.nouns import SuggestedTest
from index.types import Tier
from support.reports import hostile_report, quiet_report, shop_report


def printed(report: object, **options: object) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, **options))  # type: ignore[arg-type]
    return out.getvalue()


def test_piped_it_is_plain_text(check_rendered: Callable[[str, str], None]) -> None:
    check_rendered("shop_terminal.txt", printed(shop_report(), width=80))


def test_on_a_terminal_it_has_colours_and_folds_at_the_width() -> None:
    text = printed(shop_report(), width=80, force_terminal=True, color_system="standard")

    assert "\x1b[1;31m" in text
    assert "Will break (4)" in text


def test_piped_lines_end_without_spaces_and_without_colours() -> None:
    text = printed(shop_report(), width=80)

    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_nothing_from_the_repository_is_markup_or_control() -> None:
    text = printed(hostile_report("[red]x[/red]\x1b[2J\u202e"), width=80)

    assert "[red]x[/red]" in text
    assert "\x1b" not in text and "\u202e" not in text


def test_silence_is_one_line() -> None:
    assert printed(quiet_report()) == "No impact. Only comments changed.\n"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_command_to_paste_is_one_line_however_narrow_the_terminal_is(is_terminal: bool) -> None:
    tests = tuple(
        SuggestedTest(f"tests/test_{name}.py", f"test_of_a_rather_long_name_{name}", 1, 1.0, 1, Tier.PROVED, "calls it", "pytest")
        for name in "abcdefgh"
    )

    text = printed(replace(shop_report(), tests=tests), width=60, force_terminal=is_terminal)

    assert ["test_h.py" in line for line in text.splitlines() if "pytest tests/" in line] == [True]
