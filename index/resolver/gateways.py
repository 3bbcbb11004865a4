"""What the resolver looked at, so that a change re-links only the files whose answers could differ.

A *fact* is one thing that a file shows to others: a name at its top, a member of a class, the header of a class, the code of
a function, what it stores in containers, a fixture. A *gateway* stands for a set of facts and other gateways, so that long
chains of look-ups are written down once. Which file leads to which facts is a graph; a change marks facts and walks it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import FunctionType
from typing import Final, cast
from zlib import crc32

import numpy as np
from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64
from numpy.typing import NDArray

from index.distinct import distinct

# A fact that no file shows and that always counts as changed: of what was given up half way, it is not known what it hangs on.
UNFINISHED: Final = ("unfinished", "", "")
FEW: Final = 3  # facts and gateways that an answer keeps as they are
FEW_OF_ONE_FILE: Final = 8  # the same of one about one node, which is forgotten after its file
MANY: Final = 8  # of more than these each is kept once

# What an answer hangs on: a fact or a gateway, a list of a few, or None. Numbers are kept as the objects that they are: they are only
# passed on, and compiled code would make an object anew for each list that a number is put into.
Seen = object


class Gateways:
    """Facts are numbered from 0 up, gateways from -1 down. What outlives a program is the key of a fact, a 32-bit checksum: should two
    collide, a file too many is linked anew."""

    def __init__(self) -> None:
        self._keys = vec[i64]()  # of each fact; of two with one key, nobody knows that they are the same until the end
        self._leads_to = vec[i32]()  # of one gateway after the other
        self._ends = append(vec[i32](), 0)  # where what the first leads to begins, and where that of each ends
        # In which walk a fact or gateway was met last: as long as they are few, a number for each is faster than a set of some.
        self._met_fact, self._met_gateway = vec[i32](), vec[i32]()
        self._walk = 0

    def fact(self, kind: str, place: str, name: str) -> Seen:
        """A fact; `place` is the file's path and the symbol's qualified name."""
        return self.fact_at(kind, place_key(place), name)

    def fact_at(self, kind: str, place: int, name: str) -> Seen:
        """The same for a place whose key is known."""
        return self.fact_of(fact_name(kind, name), place)

    def fact_of(self, named: bytes, place: int) -> Seen:
        """The same for a name as it is asked of several places: see `fact_name`."""
        self._keys = append(self._keys, crc32(named, place) or 1)
        self._met_fact = append(self._met_fact, 0)
        return len(self._keys) - 1

    def joined(self, looked_at: list[Seen], first: int, few: int = FEW) -> Seen:
        """What an answer hangs on that looked at the facts and gateways from `first` on. Where a gateway stands for them, it takes their
        place. Whether there is a gateway for the same already is not asked: to find out takes longer than to go through both."""
        count = len(looked_at) - first
        if count == 0:
            return None
        if count == 1:
            return looked_at[first]
        if count <= few:
            return looked_at[first:]
        if _IS_COMPILED:
            self._lead_to(looked_at, first)
        else:
            numbers = cast("list[i32]", looked_at[first:])
            self._leads_to = extend(self._leads_to, numbers if count <= MANY else set(numbers))
        end: int = len(self._leads_to)
        self._ends = append(self._ends, end)
        self._met_gateway = append(self._met_gateway, 0)
        gateway: Seen = 1 - len(self._ends)
        del looked_at[first:]
        looked_at.append(gateway)
        return gateway

    def _lead_to(self, looked_at: list[Seen], first: int) -> None:
        """Lets the next gateway lead to the facts and gateways from `first` on, each once. One by one: `extend` asks every list first for
        memory that it does not have, which costs more than a list of these is long."""
        self._walk += 1
        walk, leads_to = self._walk, self._leads_to
        for at in range(first, len(looked_at)):
            one = cast(int, looked_at[at])
            if one < 0:
                if self._met_gateway[-1 - one] == walk:
                    continue
                self._met_gateway[-1 - one] = walk
            else:
                if self._met_fact[one] == walk:
                    continue
                self._met_fact[one] = walk
            leads_to = append(leads_to, one)
        self._leads_to = leads_to

    def facts_behind(self, looked_at: Sequence[list[Seen]]) -> list[NDArray[np.uint32]]:
        """Facts and gateways, several times -> the keys of these facts and of those behind the gateways, each time sorted and distinct."""
        found = vec[i64]()
        for row, some in enumerate(looked_at):
            found = self._found(some, row << 32, found)
        keys = distinct(np.frombuffer(memoryview(found), np.int64))
        ends: list[int] = np.searchsorted(keys, np.arange(len(looked_at) + 1) << 32).tolist()
        every = keys.astype(np.uint32)
        return [every[first:last] for first, last in pairwise(ends)]

    def _found(self, looked_at: list[Seen], row: i64, found: vec[i64]) -> vec[i64]:
        """The keys of the facts, together with a row, after those that were found before."""
        self._walk += 1
        walk, keys, met_fact, met_gateway = self._walk, self._keys, self._met_fact, self._met_gateway
        todo = vec[i32]()
        for seen in looked_at:
            one = cast(int, seen)
            if one < 0:
                if met_gateway[-1 - one] != walk:
                    met_gateway[-1 - one] = walk
                    todo = append(todo, -1 - one)
            elif met_fact[one] != walk:
                met_fact[one] = walk
                found = append(found, row | keys[one])
        leads_to, ends = self._leads_to, self._ends
        done: i64 = 0
        while done < len(todo):
            gateway: int = todo[done]
            done += 1
            first: int = ends[gateway]
            last: int = ends[gateway + 1]
            for at in range(first, last):
                one = leads_to[at]
                if one < 0:
                    if met_gateway[-1 - one] != walk:
                        met_gateway[-1 - one] = walk
                        todo = append(todo, -1 - one)
                elif met_fact[one] != walk:
                    met_fact[one] = walk
                    found = append(found, row | keys[one])
        return found


def fact_key(kind: str, place: str, name: str) -> int:
    """A fact's key, never 0."""
    return fact_at(kind, place_key(place), name)


def fact_at(kind: str, place: int, name: str) -> int:
    """The same for a place whose key is known."""
    return crc32(fact_name(kind, name), place) or 1


def fact_name(kind: str, name: str) -> bytes:
    """What a fact is called at its place."""
    return f"{kind}\0{name}".encode("utf-8", "surrogatepass")


def place_key(place: str, before: int = 0) -> int:
    """What the keys of all facts of a place begin with. before: that of what stands in front of the text."""
    return crc32(place.encode("utf-8", "surrogatepass"), before)


_IS_COMPILED: Final = not isinstance(Gateways.joined, FunctionType)
