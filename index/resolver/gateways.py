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

from index.distinct import distinct

# A fact that no file shows and that always counts as changed: of what was given up half way, it is not known what it hangs on.
UNFINISHED = ("unfinished", "", "")
SHARE_ABOVE = 3  # a set of more than this many is replaced by a gateway

Seen = tuple[
    int, ...
]  # a few facts and gateways; of hundreds of thousands of answers each holds one, and a set takes four times the memory


class Gateways:
    """Numbers for facts and gateways. Keys are 32-bit checksums: should two collide, a file too many is linked anew."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.leads_to: list[Seen] = []
        self._facts: dict[int, int] = {}
        self._gateways: dict[Seen, Seen] = {}  # what one stands for -> the gateway, alone
        self._few: dict[Seen, Seen] = {}

    def fact(self, kind: str, place: str, name: str) -> int:
        """The number of a fact; `place` is the file's path and the symbol's qualified name."""
        return self.fact_at(kind, place_key(place), name)

    def fact_at(self, kind: str, place: int, name: str) -> int:
        """The same for a place whose key is known."""
        key = crc32(f"{kind}\0{name}".encode("utf-8", "surrogatepass"), place) or 1
        known = self._facts.get(key)
        if known is None:
            known = self._facts[key] = self._add(key, ())
        return known

    def shared(self, own: set[int]) -> Seen:
        """The facts and gateways themselves, or a gateway that stands for them. Equal sets come back as one object: most answers hang on
        few things."""
        row = tuple(sorted(own)) if len(own) > 1 else tuple(own)
        if len(row) <= SHARE_ABOVE:
            return self._few.setdefault(row, row)
        known = self._gateways.get(row)
        if known is None:
            known = self._gateways[row] = (self._add(0, row),)
        return known

    def _add(self, key: int, leads_to: Seen) -> int:
        self.keys.append(key)
        self.leads_to.append(leads_to)
        return len(self.keys) - 1

    def facts_behind(self, seen: Iterable[int]) -> NDArray[np.uint32]:
        """Gateways and facts -> the keys of all facts behind them, sorted and distinct."""
        found = set(seen)
        todo, leads_to = found, self.leads_to
        while todo:
            todo = set[int]().union(*[leads_to[one] for one in todo]) - found
            found |= todo
        keys = self.keys
        every = np.fromiter([keys[one] for one in found], np.uint32, len(found))
        return distinct(every[every != 0])


def fact_key(kind: str, place: str, name: str) -> int:
    """A fact's key, never 0."""
    return crc32(f"{kind}\0{name}".encode("utf-8", "surrogatepass"), place_key(place)) or 1


def place_key(place: str) -> int:
    """What the keys of all facts of a place begin with."""
    return crc32(place.encode("utf-8", "surrogatepass"))
