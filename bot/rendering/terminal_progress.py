"""How long work goes on -> one moving line on a terminal, and nothing anywhere else."""

from __future__ import annotations

from typing import TextIO

from index.progress import Progress, Silent


def terminal_progress(stream: TextIO, quiet: bool = False) -> Progress:
    """Standard error -> progress that is shown there where it is a terminal, and that is silent otherwise."""
    if quiet or not stream.isatty():
        return Silent()
    from rich.console import Console  # with its bars it takes as long to import as a small question takes to answer

    from bot.rendering.bars import TerminalProgress

    console = Console(file=stream)
    return TerminalProgress(console) if console.is_terminal and not console.is_dumb_terminal else Silent()
