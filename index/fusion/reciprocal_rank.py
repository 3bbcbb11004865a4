"""Ranked lists of several retrievers -> one list by weighted reciprocal rank.

Raw scores are thrown away: a cosine of 0.82, a trigram score of 137 and a centrality of 0.004 have no common scale. What a
retriever gives to a result is `weight / (k + rank + 1)`, rank from 0 (Cormack, Clarke and Büttcher, SIGIR 2009, with weights).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from index.fusion.factors import order
from index.types import Contribution, Hit

# Retrievers that find a whole chunk: they speak for every place in it. The others point at a line.
OF_WHOLE_CHUNKS = frozenset({"semantic"})

_Key = tuple[int, str, int]


def fuse(lists: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], k: int, *, every_site: bool = False) -> list[Hit]:
    """Each retriever's list, its weight and k -> one list, best first; ties by path, then line.

    Results are chunks: hits of one chunk are one result, shown at the place of the hit that contributed most. With `every_site`
    results are lines: two call sites in one chunk stay two results, and a retriever of whole chunks contributes to both.
    """
    sites: dict[_Key, dict[str, tuple[int, Hit]]] = {}
    whole: dict[_Key, dict[str, tuple[int, Hit]]] = {}
    for name, hits in lists.items():
        by_chunk = not every_site or name in OF_WHOLE_CHUNKS
        into = whole if every_site and name in OF_WHOLE_CHUNKS else sites
        for rank, hit in enumerate(hits):
            into.setdefault(_chunk(hit) if by_chunk else _line(hit), {}).setdefault(name, (rank, hit))
    found = [{**whole.get(_chunk(next(iter(site.values()))[1]), {}), **site} for site in sites.values()]
    covered = {_chunk(hit) for site in sites.values() for _, hit in site.values()}
    found += [chunk for key, chunk in whole.items() if key not in covered]
    return sorted((_result(ranked, weights, k) for ranked in found), key=order)


def _result(ranked: Mapping[str, tuple[int, Hit]], weights: Mapping[str, float], k: int) -> Hit:
    """Who ranked one result where -> the result, which can explain itself."""
    parts = tuple(
        sorted(
            (Contribution(name, rank, weights[name], weights[name] / (k + rank + 1)) for name, (rank, _) in ranked.items()),
            key=lambda part: (-part.score, part.retriever),
        )
    )
    of_lines = [part for part in parts if part.retriever not in OF_WHOLE_CHUNKS] or parts
    _, shown = ranked[of_lines[0].retriever]
    return replace(shown, score=sum(part.score for part in parts), parts=parts)


def _chunk(hit: Hit) -> _Key:
    return (hit.chunk, "", 0) if hit.chunk >= 0 else _line(hit)


def _line(hit: Hit) -> _Key:
    return (-1, hit.path, hit.line)
