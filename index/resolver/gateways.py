"""What the resolver looked at, so that a change re-links only the files whose answers could differ.

A *fact* is one thing that a file shows to others: a name at its top, a member of a class, the header of a class, the code of
a function, what it stores in containers, a fixture. A *gateway* stands for a set of facts and other gateways, so that long
chains of look-ups are written down once. Which file leads to which facts is a graph; a change marks facts and walks it back.
"""

from __future__ import annotations

from typing import Final, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct

# A fact that no file shows and that always counts as changed: of what was given up half way, it is not known what it hangs on.
UNFINISHED: Final = ("unfinished", "", "")
MANY: Final = 32  # a row that is longer has each of its facts and gateways once

# A fact, a gateway, or None where nothing was looked at. Numbers, kept as the objects that they are: they are only passed on, and compiled
# code would make an object anew for each list that a number is put into.
Seen = object


class Gateways:
    """A fact is its key, a 32-bit checksum: should two collide, a file too many is linked anew. Gateways are numbered from -1 down."""

    def __init__(self) -> None:
        self._led_to: list[Seen] = []  # the rows of all gateways, one after the other
        self._ends: list[int] = [0]
        self._marks: list[object] = []  # by gateway, who went through it last

    def fact(self, kind: str, place: str, name: str) -> Seen:
        """A fact; `place` is the file's path and the symbol's qualified name."""
        return fact_key(kind, place, name)

    def joined(self, seen: list[Seen]) -> Seen:
        """One that stands for all. Whether there is another one for the same is not asked: to find out takes longer than to go through
        both."""
        if not seen:
            return None
        if len(seen) == 1:
            return seen[0]
        self._led_to += seen if len(seen) <= MANY else set(seen)
        self._ends.append(len(self._led_to))
        return 1 - len(self._ends)

    def facts_behind(self, seen: list[Seen]) -> NDArray[np.uint32]:
        """Gateways and facts -> the facts behind them, sorted and distinct."""
        led_to, ends, marks = self._led_to, self._ends, self._marks
        marks += [None] * (len(ends) - 1 - len(marks))
        found: list[Seen] = []
        todo, mark = list(seen), object()
        while todo:
            one = todo.pop()
            number = cast(int, one)
            if number >= 0:
                found.append(one)
            elif marks[-1 - number] is not mark:
                marks[-1 - number] = mark
                todo += led_to[ends[-1 - number] : ends[-number]]
        return distinct(np.fromiter(found, np.uint32, len(found)))


def fact_key(kind: str, place: str, name: str) -> int:
    """A fact's key, never 0."""
    return fact_at(kind, place_key(place), name)


def fact_at(kind: str, place: int, name: str) -> int:
    """The same for a place whose key is known."""
    return crc32(f"{kind}\0{name}".encode("utf-8", "surrogatepass"), place) or 1


def place_key(place: str) -> int:
    """What the keys of all facts of a place begin with."""
    return crc32(place.encode("utf-8", "surrogatepass"))
