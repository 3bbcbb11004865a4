"""Progress is for people who watch: a terminal shows it, anything else stays clean."""

from __future__ import annotations

import io

from rich.console import Console

from bot.rendering.bars import TerminalProgress
from bot.rendering.terminal_progress import terminal_progress
from index.progress import Silent


def test_what_is_no_terminal_gets_nothing() -> None:
    stream = io.StringIO()

    progress = terminal_progress(stream)
    progress.start("Reading files", 3)
    progress.advance(3)
    progress.finish()

    assert isinstance(progress, Silent)
    assert stream.getvalue() == ""


def test_a_terminal_sees_what_is_going_on_and_keeps_nothing_of_it() -> None:
    stream = io.StringIO()
    progress = TerminalProgress(Console(file=stream, force_terminal=True, width=80))

    progress.start("Reading files", 3)
    progress.advance()
    progress.start("Linking", 0)
    progress.advance()
    progress.finish()
    progress.finish()

    assert "Reading files" in stream.getvalue() and "Linking" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K") or "\x1b[?25h" in stream.getvalue(), "the line is taken away and the cursor shown"
