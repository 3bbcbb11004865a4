"""Event -> the jobs it causes, or why none."""

from __future__ import annotations

from dataclasses import dataclass

from bot.types import Event, Plan


@dataclass(frozen=True, slots=True)
class Policy:
    """What the settings say about planning."""

    app_id: str
    login: str = ""  # "<slug>[bot]": our own comments; "": not known yet
    drafts: bool = False


def plan(event: Event, policy: Policy) -> Plan:
    """Never raises; every event has its row."""
    raise NotImplementedError
