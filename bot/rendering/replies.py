"""What we answer to commands that need no engine. Markdown."""

from __future__ import annotations

from bot.commands import ALL_ROWS, NAME


def help_text() -> str:
    """The commands, as their table says."""
    rows = [f"| `{NAME} {row.shown}` | {row.about} |" for row in ALL_ROWS]
    return "\n".join(["| write | to get |", "| :-- | :-- |", *rows]) + "\n"
