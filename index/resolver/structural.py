"""Symbols of a commit -> which methods meet a method of a protocol or interface whose name their class does not say.

A class or object that has all members of a protocol (`typing.Protocol`) or of an interface or object type can stand wherever that is
asked for. What is in a test meets what is in tests only: doubles stand in for everything, and run nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct, one_of
from index.languages import BY_NUMBER
from index.languages.python.front import SYMBOL_PROTOCOL
from index.resolver.closures import MOST_PAIRS, Grouped, Ints, first_of_each, packed, unpacked
from index.resolver.common import COMMON_MEMBERS, MAX_OVERRIDERS, SCRIPT_MEMBERS
from index.types import PathKind, SymbolKind

MAX_MEETING = 200  # classes and objects that have the rarest method of a protocol; more of them say too little
METHODS = (SymbolKind.METHOD, SymbolKind.PROPERTY)
MEMBERS = (*METHODS, SymbolKind.FIELD)
_TYPES = (SymbolKind.INTERFACE, SymbolKind.TYPE)
# What has members when it runs: an object without a name has those that it is written with in the function it stands in.
_TOLD = (SymbolKind.CLASS, SymbolKind.CONSTANT)  # all that these have is known; of an object without a name only its methods are
_OWNERS = (*_TOLD, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.LAMBDA)

# language number -> which languages share objects: JavaScript and both kinds of TypeScript do
SCRIPTS = 2
REALMS = np.zeros(256, np.uint8)
for _language in BY_NUMBER.values():
    REALMS[_language.number] = SCRIPTS if _language.name in ("typescript", "tsx", "javascript") else 1


def meeting(
    symbols: Mapping[str, NDArray[Any]], files: Mapping[str, NDArray[Any]], names: Sequence[str], descendants: Callable[[], Grouped]
) -> Ints:
    """int64 [n, 3], sorted: a method of a protocol, a method that meets it, and whether they are of a script.

    descendants: class -> what inherits from it, asked for where there are protocols. Fields count as members in scripts alone: in Python
    they may be anywhere."""
    kind, flags, parent, name, file = (symbols[column] for column in ("kind", "flags", "parent", "name", "file"))
    owner = np.maximum(parent, 0)
    is_python = (kind == SymbolKind.CLASS) & ((flags & SYMBOL_PROTOCOL) != 0)
    is_asked = is_protocol(symbols)
    is_method, is_of_any = one_of(kind, METHODS), is_member(symbols)
    rows = np.flatnonzero(is_of_any & is_asked[owner] & (is_method | ~is_python[owner]))
    told = np.zeros(len(kind), bool)  # of protocols: does one of its methods say something? `read` and `close` alone say little
    told[owner[rows[is_method[rows] & _is_telling(name[rows], is_python[owner[rows]], names)]]] = True
    wanted = rows[told[owner[rows]] | is_python[owner[rows]]]
    if not len(wanted):
        return np.empty((0, 3), np.int64)
    below = descendants()
    asked = np.zeros(len(names), bool)
    asked[name[wanted]] = True
    having = np.flatnonzero(is_of_any & asked[name] & ~is_asked[owner] & one_of(kind[owner], _OWNERS)).astype(np.int64)
    owners = owner[having].astype(np.int64)
    heirs_of = below.counts(owners)
    passing = _few(heirs_of, heirs_of)
    inherited, heirs = below.of(owners[passing], having[passing])
    members = np.concatenate([having, inherited])
    key = packed(name[members], np.concatenate([owners, heirs]))
    order = np.argsort(key, kind="stable")
    key, members = key[order], members[order]
    known = distinct(key)
    methods = wanted[is_method[wanted]]
    protocols, found = _candidates(unpacked(distinct(packed(owner[methods], name[methods]))), known)
    realm, in_test = REALMS[files["language"]][file], (files["kind"] == PathKind.TEST)[file]
    fits = (realm[protocols] == realm[found]) & (in_test[protocols] | ~in_test[found])
    fits &= ~one_of(packed(protocols, found), packed(below.key, below.value))
    protocols, found = protocols[fits], found[fits]
    asking, meant = (np.bincount(rows, minlength=len(kind))[protocols] for rows in (owner[wanted], protocols))
    few = _few(asking * meant, asking)
    protocols, found = protocols[few], found[few]
    of_protocol = Grouped(owner[wanted], wanted, len(kind))
    at, member = of_protocol.of(protocols, np.arange(len(protocols)))
    pair = packed(name[member], found[at])
    first, last = np.searchsorted(key, pair, "left"), np.searchsorted(key, pair, "right")
    lacks = np.zeros(len(protocols), bool)
    excused = ~is_method[member] & ~one_of(kind[found[at]], _TOLD) & (np.bincount(owner[methods], minlength=len(kind)) > 1)[protocols[at]]
    lacks[at[(first == last) & ~excused]] = True
    number = np.bincount(protocols[~lacks], minlength=len(kind))
    lacks |= ~told[protocols] & (number[protocols] > MAX_OVERRIDERS)
    kept = ~lacks[at]
    kept[kept] = _few((last - first)[kept], (last - first)[kept])
    member, first, counts = member[kept], first[kept], (last - first)[kept]
    target = np.repeat(member, counts)
    source = members[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(len(target))]
    meant = np.where(is_method[target], is_method[source], kind[source] == SymbolKind.PROPERTY)  # an accessor may stand for a field
    target, source = target[meant], source[meant]
    pairs = unpacked(distinct(packed(target, source)))
    return np.column_stack([pairs, realm[pairs[:, 0]] == SCRIPTS])


def _few(size: Ints, weight: Ints) -> NDArray[np.bool_]:
    """Of every row: is its size below that from which on all would weigh more than MOST_PAIRS? Of the largest little can be said, and what
    is written to have many of them would fill the memory from a small file."""
    order = np.argsort(size, kind="stable")
    over = np.cumsum(weight[order]) > MOST_PAIRS
    found: NDArray[np.bool_] = size < size[order[np.argmax(over)]] if over.any() else np.ones(len(size), bool)
    return found


def is_protocol(symbols: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Of every symbol: is it a protocol, an interface or an object type?"""
    declared: NDArray[np.bool_] = (symbols["kind"] == SymbolKind.CLASS) & ((symbols["flags"] & SYMBOL_PROTOCOL) != 0)
    return declared | one_of(symbols["kind"], _TYPES)


def is_member(symbols: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = one_of(symbols["kind"], MEMBERS) & (symbols["parent"] >= 0)
    return found


def _is_telling(name: NDArray[Any], is_python: NDArray[np.bool_], names: Sequence[str]) -> NDArray[np.bool_]:
    """Of names of members: do types of the library not have them too?"""
    texts = {row: names[row] for row in distinct(name).tolist()}
    found = np.zeros(len(name), bool)
    for common, of_realm in ((COMMON_MEMBERS, is_python), (SCRIPT_MEMBERS, ~is_python)):
        found |= of_realm & one_of(name, np.array([row for row, text in texts.items() if text not in common], np.int64))
    return found


def _candidates(wanted: Ints, known: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """(protocol, name of a method) by protocol, and (name, owner) packed and sorted -> (protocol, owner that has its rarest method)."""
    name = wanted[:, 1].astype(np.uint64) << np.uint64(32)
    first, last = np.searchsorted(known, name, "left"), np.searchsorted(known, name + np.uint64(1 << 32), "left")
    counts = last - first
    order = np.lexsort((wanted[:, 1], counts, wanted[:, 0]))
    rarest = order[first_of_each(wanted[order, 0])]
    rarest = rarest[counts[rarest] <= MAX_MEETING]
    first, counts = first[rarest], counts[rarest]
    protocols = np.repeat(wanted[rarest, 0], counts)
    at = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(len(protocols))
    return protocols, (known[at] & np.uint64(0xFFFFFFFF)).astype(np.int64)
