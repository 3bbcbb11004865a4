"""Headers and the bytes of a delivery -> a Delivery whose signature was right, or a Refusal; a Delivery -> an Event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.types import Delivery, Event

MAX_BODY = 25 << 20  # GitHub's own limit


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is no delivery of GitHub's, or none we can read, and the HTTP status that says so."""

    status: int
    why: str


def checked_delivery(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> Delivery | Refusal:
    """What a stranger sent to /webhook -> the delivery, or why not. Header names are taken in any case. Never raises."""
    raise NotImplementedError


def read_event(delivery: Delivery) -> Event | Refusal:
    """A genuine delivery -> what it says; a Refusal where the body is not what GitHub describes. Never raises."""
    raise NotImplementedError
