"""The text of a comment -> the `/maguyva` commands in it."""

from __future__ import annotations

from bot.types import Command


def commands_in(text: str) -> tuple[Command, ...]:
    """Those in quotes, code and HTML comments are not ours to obey. At most `MOST_COMMANDS`, in order, each once."""
    raise NotImplementedError


def new_commands(text: str, before: str) -> tuple[Command, ...]:
    """After an edit: those that were not there before."""
    raise NotImplementedError
