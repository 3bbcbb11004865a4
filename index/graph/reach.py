"""A graph in compressed rows -> what can be reached from some of its nodes, step by step, and through which edge.

`offsets` and `neighbours` are the usual pair: the neighbours of node n are neighbours[offsets[n] : offsets[n + 1]]. For callers the
rows are those of the snapshot's `reverse` part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from index.distinct import distinct, one_of
from index.slices import ranges

# A node that this many others lead to (a logger, a base exception) is reached, but the walk does not go on from it: behind it lies
# nearly everything, and none of it because of the change.
HUB = 2_000


@dataclass(frozen=True, slots=True)
class Reach:
    """What was reached, nearest first, then by row; the starts themselves are not in it."""

    rows: NDArray[np.int64]
    steps: NDArray[np.int64]  # 1: a neighbour of a start
    via: NDArray[np.int64]  # position in `neighbours` of the edge that led here
    origin: NDArray[np.int64]  # the node that this edge comes from
    hubs: NDArray[np.int64]  # nodes the walk did not go on from, because too many neighbours follow
    cut: bool  # more could have been reached: `limit` was met, or a hub stopped the walk


def reach(
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.integer],
    start: ArrayLike,
    max_steps: int,
    limit: int,
    *,
    preference: NDArray[np.integer] | Callable[[NDArray[np.int64]], NDArray[np.integer]] | None = None,
    goes_on: Callable[[NDArray[np.int64]], NDArray[np.bool_]] | None = None,
    more: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
    hub: int = HUB,
) -> Reach:
    """Breadth-first walk from `start` (rows), at most `max_steps` steps and `limit` nodes -> `Reach`.

    preference: one number per position of `neighbours`, or a function from positions to numbers (a walk sees few of them); where
        several edges lead to a node in the same step the smallest wins, then the first position.
    goes_on: positions -> bool for each; a node that is reached only through edges that do not go on is answered, but nothing behind it.
    more: nodes -> (one of them, position of an edge that leads on from it although it stands with another node).
    hub: nodes with more neighbours than this are not gone on from, except the starts.
    """
    nodes = len(offsets) - 1
    seen = np.zeros(nodes, np.bool_)
    frontier = distinct(np.asarray(start, np.int64))
    seen[frontier] = True
    levels: list[tuple[NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64]]] = []
    hubs: list[NDArray[np.int64]] = []
    count, cut = 0, False
    for step in range(1, max_steps + 1):
        degree = offsets[frontier + 1] - offsets[frontier]
        if step > 1 and (too_many := degree > hub).any():
            hubs.append(frontier[too_many])
            frontier, degree = frontier[~too_many], degree[~too_many]
        position, origin = ranges(offsets[frontier], degree), np.repeat(frontier, degree)
        if more is not None:
            others, beside = more(frontier)
            position, origin = np.concatenate([position, beside]), np.concatenate([origin, others])
        target = np.asarray(neighbours[position], np.int64)
        new = ~seen[target]
        position, target, origin = position[new], target[new], origin[new]
        if not len(target):
            break
        rank = _preference(preference, position)
        order = np.lexsort((position, rank, target))
        first = order[np.flatnonzero(np.diff(target[order], prepend=-1))]
        if count + len(first) > limit:  # of the last step, the preferred edges are kept
            cut = True
            first = first[np.lexsort((target[first], rank[first]))[: limit - count]]
            first = first[np.argsort(target[first])]
        reached, through = target[first], position[first]
        seen[reached] = True
        count += len(first)
        levels.append((reached, step, through, origin[first]))
        if cut:
            break
        frontier = reached if goes_on is None else distinct(reached[one_of(reached, target[goes_on(position)])])
    return Reach(
        rows=_joined([rows for rows, _, _, _ in levels]),
        steps=_joined([np.full(len(rows), step, np.int64) for rows, step, _, _ in levels]),
        via=_joined([via for _, _, via, _ in levels]),
        origin=_joined([origin for _, _, _, origin in levels]),
        hubs=_joined(hubs),
        cut=cut or bool(hubs),
    )


def _preference(
    preference: NDArray[np.integer] | Callable[[NDArray[np.int64]], NDArray[np.integer]] | None, position: NDArray[np.int64]
) -> NDArray[np.int64]:
    if preference is None:
        return np.zeros(len(position), np.int64)
    return np.asarray(preference(position) if callable(preference) else preference[position], np.int64)


def _joined(pieces: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(pieces) if pieces else np.empty(0, np.int64)
