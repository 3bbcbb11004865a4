"""Facts of a file -> why its names are not followed: generated or hostile code whose work would grow with the square of its size.

Each row counts pairs that resolving would go through one by one. The largest counts in real code (Django, SQLAlchemy, axios, Vite and
others) are a
hundred times below the limit; a file of a megabyte at the limit takes some ten seconds. Such a file keeps its symbols and its text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from index.distinct import one_of
from index.parsing.facts import Facts, ScopeKind
from index.parsing.kinds import Kind

UNLINKED = "could not be analysed because of a mistake of ours: its names are not followed"
_CONTAINERS = (Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT)
MOST_REBINDINGS = 1_000_000
_MEMBERS = (ScopeKind.CLASS, ScopeKind.INSTANCE, ScopeKind.PROTOTYPE, ScopeKind.NAMESPACE)
_BASES = (Kind.ARGS, Kind.HERITAGE)
_READS = (Kind.ATTRIBUTE, Kind.SUBSCRIPT, Kind.CALL, Kind.FOR, Kind.FOR_IN)


def unfollowed(facts: Facts) -> str:
    """What there is too much of, in words; "" where the file can be followed."""
    size = len(facts["kind"]) + len(facts["binding_how"]) + len(facts["store_target"])  # of whatever is counted there are no more
    for counted, at_most, most, message in LIMITS:
        if size * size > most and at_most(facts) > most and counted(facts) > most:
            return f"its names are not followed: {message}"
    return ""


def _many(facts: Facts) -> int:
    """More than any count, where nothing is known that is found more quickly than what is counted."""
    return 1 << 62


def _most_decorations(facts: Facts) -> int:
    """All decorators at one definition."""
    return facts["kind"].tobytes().count(Kind.DECORATOR) ** 2


def _most_bases(facts: Facts) -> int:
    """Every node in what classes name as a base, and all of them at one class."""
    kinds = facts["kind"]
    rows = np.flatnonzero(one_of(kinds, _BASES))
    rows = rows[kinds[facts["parent"][rows]] == Kind.CLASS]
    return int((facts["next"][rows] - rows).sum()) ** 2


def _most_reads(facts: Facts) -> int:
    """Every node in the container with the most of them as an element, and every node as a read."""
    rows = np.flatnonzero(one_of(facts["kind"], _CONTAINERS))
    largest = int((facts["next"][rows] - rows).max(initial=0))
    return max(largest, len(facts["store_target"])) * len(facts["kind"])


def rebindings(facts: Facts) -> int:
    """For each name that is bound several times: its bindings times its uses; members count as used wherever their name is written."""
    names, most = facts["name"], len(facts["binding_how"])
    if most * len(names) < MOST_REBINDINGS:
        return 0  # whatever these are, it is not too much
    groups, bindings = facts["group"], np.diff(facts["group_first"]).astype(np.int64)
    if int(bindings[bindings > 1].sum()) * len(names) < MOST_REBINDINGS:
        return 0
    uses = np.bincount(groups[groups >= 0], minlength=len(bindings))
    written = np.bincount(names[names >= 0], minlength=int(facts["group_name"].max(initial=-1)) + 1)
    is_member = one_of(facts["scope_kind"][facts["group_scope"]], _MEMBERS)
    uses = np.where(is_member, written[facts["group_name"]], uses)
    return int((uses * bindings)[bindings > 1].sum())


def decorations(facts: Facts) -> int:
    """For each definition the square of how many decorators it has."""
    parents = facts["parent"][facts["kind"] == Kind.DECORATOR]
    return int((np.bincount(parents).astype(np.int64) ** 2).sum()) if len(parents) else 0


def element_reads(facts: Facts) -> int:
    """The elements of the largest container, or all that is stored in containers and objects later, times everything that reads members."""
    kinds, parents = facts["kind"], facts["parent"]
    if not len(kinds):
        return 0
    inside = parents[one_of(kinds[np.maximum(parents, 0)], _CONTAINERS) & (parents >= 0)]
    largest = int(np.bincount(inside).max()) if len(inside) else 0
    return max(largest, len(facts["store_target"])) * int(one_of(kinds, _READS).sum())


def inheritance(facts: Facts) -> int:
    """For each class the square of how many bases it names: the order of its members is found by comparing the orders of all of them."""
    kinds, parents = facts["kind"], facts["parent"]
    above = np.maximum(parents, 0)
    is_base = one_of(kinds[above], _BASES) & (parents > 0) & (kinds[np.maximum(parents[above], 0)] == Kind.CLASS)
    counts = np.bincount(parents[is_base]) if is_base.any() else np.zeros(1, np.int64)
    return int((counts.astype(np.int64) ** 2).sum())


# What is counted, no less than that and found sooner, how much of it is too much, and what is said then.
LIMITS: tuple[tuple[Callable[[Facts], int], Callable[[Facts], int], int, str], ...] = (
    (rebindings, _many, MOST_REBINDINGS, "it binds one name too many times"),
    (decorations, _most_decorations, 1_000_000, "one definition has too many decorators"),
    (inheritance, _most_bases, 5_000_000, "its classes name too many bases"),
    (element_reads, _most_reads, 50_000_000, "too many reads of too large containers"),
)
