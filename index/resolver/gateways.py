"""What the resolver looked at, so that a change re-links only the files whose answers could differ.

A *fact* is one thing that a file shows to others: a name at its top, a member of a class, the header of a class, the code of
a function, what it stores in containers, a fixture. A *gateway* stands for a set of facts and other gateways, so that long
chains of look-ups are written down once. Which file leads to which facts is a graph; a change marks facts and walks it back.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

# A fact that no file shows and that always counts as changed: of what was given up half way, it is not known what it hangs on.
UNFINISHED = ("unfinished", "", "")
SHARE_ABOVE = 3  # a set of more than this many is replaced by a gateway

Seen = tuple[
    int, ...
]  # a few facts and gateways; of hundreds of thousands of answers each holds one, and a set takes four times the memory


class Gateways:
    """A fact is its key, a 32-bit checksum: should two collide, a file too many is linked anew. Gateways are numbered from -1 down."""

    def __init__(self) -> None:
        self.leads_to: list[Seen] = []
        self._gateways: dict[Seen, Seen] = {}  # what one stands for -> the gateway, alone
        self._few: dict[Seen, Seen] = {}

    def fact(self, kind: str, place: str, name: str) -> int:
        """A fact; `place` is the file's path and the symbol's qualified name."""
        return fact_key(kind, place, name)

    def shared(self, own: set[int]) -> Seen:
        """The facts and gateways themselves, or a gateway that stands for them. Equal sets come back as one object: most answers hang on
        few things."""
        row = tuple(sorted(own)) if len(own) > 1 else tuple(own)
        if len(row) <= SHARE_ABOVE:
            return self._few.setdefault(row, row)
        known = self._gateways.get(row)
        if known is None:
            self.leads_to.append(row)
            known = self._gateways[row] = (-len(self.leads_to),)
        return known

    def facts_behind(self, seen: Iterable[int]) -> NDArray[np.uint32]:
        """Gateways and facts -> the facts behind them, sorted and distinct."""
        found, leads_to = set(seen), self.leads_to
        todo = [one for one in found if one < 0]
        known = set(todo)
        while todo:
            row = leads_to[-1 - todo.pop()]
            found.update(row)
            for one in row:
                if one >= 0:
                    break  # they rise: gateways come first
                if one not in known:
                    known.add(one)
                    todo.append(one)
        every = np.fromiter(found, np.int64, len(found))
        every.sort()
        return every[np.searchsorted(every, 0) :].astype(np.uint32)


def fact_key(kind: str, place: str, name: str) -> int:
    """A fact's key, never 0."""
    return fact_at(kind, place_key(place), name)


def fact_at(kind: str, place: int, name: str) -> int:
    """The same for a place whose key is known."""
    return crc32(f"{kind}\0{name}".encode("utf-8", "surrogatepass"), place) or 1


def place_key(place: str) -> int:
    """What the keys of all facts of a place begin with."""
    return crc32(place.encode("utf-8", "surrogatepass"))
