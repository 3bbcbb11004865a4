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

# A fact that no file shows and that always counts as changed: of what was given up half way, it is not known what it hangs on.
UNFINISHED: Final = ("unfinished", "", "")
FEW: Final = 3  # facts and gateways that an answer keeps as they are
FEW_OF_ONE_FILE: Final = 8  # the same of one about one node, which is forgotten after its file
MANY: Final = 8  # of more than these each is kept once

# What an answer hangs on: a fact or a gateway, a list of a few, or None. Numbers are kept as the objects that they are: they are only
# passed on, and compiled code would make an object anew for each list that a number is put into.
Seen = object


class Gateways:
    """A fact is its key, a 32-bit checksum: should two collide, a file too many is linked anew. Gateways are numbered from -1 down."""

    def __init__(self) -> None:
        self.leads_to: list[tuple[Seen, ...]] = []

    def fact(self, kind: str, place: str, name: str) -> Seen:
        """A fact; `place` is the file's path and the symbol's qualified name."""
        return fact_key(kind, place, name)

    def joined(self, looked_at: list[Seen], first: int, few: int = FEW) -> Seen:
        """What an answer hangs on that looked at the facts and gateways from `first` on. Where a gateway stands for them, it takes their
        place. Whether there is a gateway for the same already is not asked: to find out takes longer than to go through both."""
        count = len(looked_at) - first
        if count == 0:
            return None
        if count == 1:
            return looked_at[first]
        its = looked_at[first:]
        if count <= few:
            return its
        self.leads_to.append(tuple(its) if count <= MANY else tuple(set(its)))
        gateway: Seen = -len(self.leads_to)
        del looked_at[first:]
        looked_at.append(gateway)
        return gateway

    def facts_behind(self, looked_at: list[Seen]) -> NDArray[np.uint32]:
        """Facts and gateways -> these facts and those behind the gateways, sorted and distinct."""
        leads_to = self.leads_to
        found = set(looked_at)
        todo = [one for one in found if cast(int, one) < 0]
        while todo:
            row = leads_to[-1 - cast(int, todo.pop())]
            for one in row:
                if cast(int, one) < 0 and one not in found:
                    todo.append(one)
            found.update(row)
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
