"""Ranked lists of several retrievers -> one list by weighted reciprocal rank.

Raw scores are thrown away: a cosine of 0.82, a trigram score of 137 and a centrality of 0.004 have no common scale. What a
retriever gives to a result is `weight / (k + rank + 1)`, rank from 0 (Cormack, Clarke and Büttcher, SIGIR 2009, with weights).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from index.fusion.best_per_file import best_per_file
from index.fusion.factors import order
from index.types import Contribution, Hit

# A retriever that finds whole chunks shows a place only where no other one points at a line in it.
OF_WHOLE_CHUNKS = frozenset({"semantic"})

_Key = tuple[int, str, int]
_Ranked = dict[str, tuple[int, Hit]]  # retriever -> its rank and hit
_Ranks = Mapping[str, Sequence[tuple[int, Hit]]]  # retriever -> ranks and hits, best first


def fuse(
    lists: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], k: int, *, every_site: bool = False, by_file: bool = False
) -> list[Hit]:
    """Each retriever's list, its weight and k -> one list, best first; ties by path, then line.

    Results are chunks: hits of one chunk are one result, shown at the place of the hit that contributed most. With `every_site` each
    line that a retriever points at is a result of its own; hits of several lines (a chunk close in meaning, a chunk that mentions a
    name) contribute to every such line inside them, and are results themselves only where there is none. With `by_file` a file is one
    result, and only a retriever's best hit in it counts, so that many hits in one file don't take the places of the next.
    """
    if by_file:
        return sorted((_result(ranked, ranked.keys(), weights, k) for ranked in _by_file(lists)), key=order)
    ranks = {name: list(enumerate(hits)) for name, hits in lists.items()}
    groups = _by_line(ranks) if every_site else _by_chunk(ranks)
    return sorted((_result(ranked, shown, weights, k) for ranked, shown in groups), key=order)


def alone(name: str, hits: Sequence[Hit], weight: float, k: int) -> list[Hit]:
    """The list of the one retriever that was asked -> the same hits in the same order, none merged, with their contributions."""
    parts = (Contribution(name, rank, weight, weight / (k + rank + 1)) for rank in range(len(hits)))
    return [replace(hit, score=part.score, parts=(part,)) for hit, part in zip(hits, parts, strict=True)]


def _by_chunk(ranks: _Ranks) -> Iterator[tuple[_Ranked, Collection[str]]]:
    """Every chunk with each retriever's best hit in it, and whose hits may say where it is shown."""
    chunks: dict[_Key, _Ranked] = {}
    for name, ranked in ranks.items():
        for rank, hit in ranked:
            chunks.setdefault(_chunk(hit), {}).setdefault(name, (rank, hit))
    for found in chunks.values():
        yield found, found.keys() - OF_WHOLE_CHUNKS or found.keys()


def _by_file(lists: Mapping[str, Sequence[Hit]]) -> Iterator[_Ranked]:
    """Every file with each retriever's best hit in it, ranked among such hits."""
    files: dict[str, _Ranked] = {}
    for name, hits in lists.items():
        for rank, hit in enumerate(best_per_file(hits)):
            files.setdefault(hit.path, {})[name] = (rank, hit)
    yield from files.values()


def _by_line(ranks: _Ranks) -> Iterator[tuple[_Ranked, Collection[str]]]:
    """The same for every line that is pointed at, then for the chunks of what is left."""
    lines: dict[_Key, _Ranked] = {}
    wide: dict[_Key, list[tuple[str, int, Hit]]] = {}
    for name, ranked in ranks.items():
        for rank, hit in ranked:
            if hit.end_line > hit.line and hit.chunk >= 0:
                wide.setdefault(_chunk(hit), []).append((name, rank, hit))
            else:
                lines.setdefault(_line(hit), {}).setdefault(name, (rank, hit))
    given: set[tuple[str, int]] = set()
    for found in lines.values():
        own = frozenset(found)
        _, place = next(iter(found.values()))
        for name, rank, hit in wide.get(_chunk(place), ()):
            if hit.line <= place.line <= hit.end_line:
                given.add((name, rank))
                found.setdefault(name, (rank, hit))
        yield found, own
    left: dict[str, list[tuple[int, Hit]]] = {name: [] for name in ranks}
    for hits in wide.values():
        for name, rank, hit in hits:
            if (name, rank) not in given:
                left[name].append((rank, hit))
    yield from _by_chunk({name: sorted(ranked, key=lambda ranked: ranked[0]) for name, ranked in left.items()})


def _result(ranked: _Ranked, shown: Collection[str], weights: Mapping[str, float], k: int) -> Hit:
    """Who ranked one result where -> the result, which can explain itself."""
    parts = [Contribution(name, rank, weights[name], weights[name] / (k + rank + 1)) for name, (rank, _) in ranked.items()]
    parts.sort(key=lambda part: (-part.score, part.retriever))
    _, hit = ranked[next(part.retriever for part in parts if part.retriever in shown)]
    score = sum(part.score for part in parts)
    weak = all(one.weak for _, one in ranked.values())
    place = hit.path, hit.line, hit.end_line, hit.chunk, hit.symbol
    return Hit(*place, score, hit.why, tuple(parts), use=hit.use, tier=hit.tier, weak=weak)


def _chunk(hit: Hit) -> _Key:
    return (hit.chunk, "", 0) if hit.chunk >= 0 else _line(hit)


def _line(hit: Hit) -> _Key:
    return (-1, hit.path, hit.line)
