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
    same numbers as rustworkx, which its test asks, in a fifth of the time that building its graph object takes: 15 against 75 + 27 ms
    with 45,000 nodes and 150,000 edges.
    """
    if not size:
        return np.empty(0, np.float32)
    pairs = np.sort(target.astype(np.uint64) << np.uint64(32) | source.astype(np.uint64))  # np.unique takes forty times as long
    pairs = pairs[np.r_[True, pairs[1:] != pairs[:-1]]] if len(pairs) else pairs
    head, tail = (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    out = np.bincount(tail, minlength=size).astype(np.float64)
    # Nodes without incoming edges all have the same score: only the others are gone through, and of edges only those between them,
    # which in most repositories is a third (tests use everything, and nothing uses tests).
    first = np.flatnonzero(np.r_[True, head[1:] != head[:-1]]) if len(head) else np.empty(0, np.int64)
    reached = head[first]
    place = np.full(size, len(reached), np.int64)  # of a node among those, and one more for all the others
    place[reached] = np.arange(len(reached))
    tail_place, head_place, share = place[tail], place[head], DAMPING / out[tail]
    inner = tail_place < len(reached)
    from_others = np.bincount(head_place[~inner], share[~inner], len(reached) + 1)
    tail_place, head_place, share = tail_place[inner], head_place[inner], share[inner]
    others = size - len(reached)
    ends = np.flatnonzero(out[reached] == 0)
    other_ends = int((out == 0).sum() - len(ends))
    score = np.full(len(reached) + 1, 1.0 / size)
    for _ in range(MAX_ROUNDS):
        flow = np.bincount(head_place, score[tail_place] * share, len(reached) + 1) + from_others * score[-1]
        flow += (1.0 - DAMPING + DAMPING * (score[ends].sum() + other_ends * score[-1])) / size
        moved = np.abs(flow - score)
        change = moved[:-1].sum() + others * moved[-1]
        score = flow
        if change < TOLERANCE:
            break
    return (score[place] * size).astype(np.float32)
