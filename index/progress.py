"""How long work tells whoever is waiting that it goes on."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """One bar at a time: `start`, any number of `advance`, `finish`. Called from one thread."""

    def start(self, label: str, total: int) -> None:
        """A new piece of work of `total` units begins ("Reading files"); 0: nobody knows how many."""

    def advance(self, n: int = 1) -> None:
        """`n` more units are done."""

    def finish(self) -> None:
        """The piece of work is over, whether or not all units were."""


class Silent:
    """Progress that nobody watches."""

    def start(self, label: str, total: int) -> None:
        pass

    def advance(self, n: int = 1) -> None:
        pass

    def finish(self) -> None:
        pass
