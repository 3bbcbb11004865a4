"""Edges -> PageRank per symbol."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85  # Brin and Page 1998
TOLERANCE = 1e-6  # of the summed change, as in networkx and rustworkx
MAX_ROUNDS = 60


def pagerank(source: NDArray[Any], target: NDArray[Any], size: int) -> NDArray[np.float32]:
    """Edges source -> target between `size` nodes -> f4[size], PageRank times `size`: 1.0 is the average node.

    Parallel edges count once. Power iteration over the edges; what nodes without outgoing edges hold is spread evenly. The
    same numbers as rustworkx, which its test asks, for about what building its graph object costs: 87 against 75 + 27 ms
    with 45,000 nodes and 150,000 edges.
    """
    if not size:
        return np.empty(0, np.float32)
    pairs = np.unique(source.astype(np.uint64) << np.uint64(32) | target.astype(np.uint64))
    tail, head = (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    out = np.bincount(tail, minlength=size).astype(np.float64)
    # Nodes without incoming edges all have the same score, so only those that have some are gone through.
    order = np.argsort(head, kind="stable")
    head, tail = head[order], tail[order]
    first = np.flatnonzero(np.r_[True, head[1:] != head[:-1]]) if len(head) else np.empty(0, np.int64)
    reached = head[first]
    place = np.full(size, len(reached), np.int64)  # of a node among those, and one more for all the others
    place[reached] = np.arange(len(reached))
    tail_place, tail_share = place[tail], DAMPING / out[tail]
    others = size - len(reached)
    ends = np.r_[out[reached] == 0, False]
    other_ends = int((out == 0).sum() - ends.sum())
    score = np.full(len(reached) + 1, 1.0 / size)
    for _ in range(MAX_ROUNDS):
        flow = np.zeros(len(reached) + 1)
        if len(first):
            flow[:-1] = np.add.reduceat(score[tail_place] * tail_share, first)
        flow += (1.0 - DAMPING + DAMPING * (score[ends].sum() + other_ends * score[-1])) / size
        moved = np.abs(flow - score)
        change = moved[:-1].sum() + others * moved[-1]
        score = flow
        if change < TOLERANCE:
            break
    return (score[place] * size).astype(np.float32)
