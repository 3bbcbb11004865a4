"""Definitions: symbols whose name fits the question, the exact ones first; or code of the shape that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from index.distinct import distinct, one_of
from index.intent.classify import written_names
from index.intent.rules import CONSTRUCT, NAMES_IN_IT, PLACES_IN_IT, SYMBOL, TREE_QUERY
from index.retrievers.names import RANK_OF_KIND, Exactness, Found, asked_for_more_of, exactly, look_up, place_meant, with_slips
from index.retrievers.places import allowed_symbols, symbol_hit
from index.retrievers.reported import reported_names, reported_places
from index.retrievers.trees import Matcher, by_shape
from index.snapshot import Snapshot
from index.trigrams.patterns import names_matching
from index.types import Hit, Query

# Beside the meaning and the words of whole chunks, a name that only shares a word with the question is noise: on 725 first lines of
# docstrings it took 2 points of MRR from the fused list, while names held by the question whole added half a point.
LOOSEST = MappingProxyType({"understand_code": Exactness.PREFIX, "find_similar": Exactness.PREFIX})

OF_A_REPORT = MappingProxyType({PLACES_IN_IT: reported_places, NAMES_IN_IT: reported_names})

MOST_CONSIDERED = 2_000  # symbols of a common word that are ranked


@dataclass(frozen=True, slots=True)
class Structural:
    """The retriever, holding what reads syntax trees. `None`: nothing does."""

    matcher: Matcher | None

    def __call__(self, query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        """Query -> places of the shape asked for, or definitions. Raises CannotLook and QuestionError as `by_shape` does."""
        if query.subject_kind in (TREE_QUERY, CONSTRUCT) and not query.symbols:
            return by_shape(query, snapshot, limit, self.matcher)
        return structural(query, snapshot, limit)


def structural(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Query -> definitions, best first: by how exactly the name fits, how much of the question it holds, kind, centrality, path, line."""
    if query.wants in OF_A_REPORT:
        return OF_A_REPORT[query.wants](query, snapshot, limit)
    written = query.subject or query.text
    if query.is_regex:
        return _matching(query, snapshot, limit)
    if not query.symbols and (place := place_meant(snapshot, written)):
        said = f"is what `{written}` stands in" if place.line else f"is `{written}`"
        here = np.asarray(place.rows, np.int64)
        hits = [symbol_hit(snapshot, row, 1.0, said) for row in here[allowed_symbols(query, snapshot, here)][:limit].tolist()]
        return [replace(hit, line=place.line) for hit in hits] if place.line else hits
    if query.words and query.subject_kind == SYMBOL and not query.symbols:
        return _named(query, snapshot, limit)
    return _definitions(query, snapshot, limit, LOOSEST.get(query.intent, Exactness.SOME_WORDS))


def _definitions(query: Query, snapshot: Snapshot, limit: int, loosest: Exactness) -> list[Hit]:
    """The definitions that a name or words may mean, at most as loosely as that."""
    written = query.subject or query.text
    found = _known(query) if query.symbols else exactly(snapshot, written)
    if not allowed_symbols(query, snapshot, found.rows).any():  # beside a whole name, nothing looser is worth showing
        found = look_up(snapshot, written)
    if query.intent == "find_definition" and query.subject_kind == SYMBOL and not (found.exactness <= Exactness.FOLDED).any():
        found = with_slips(snapshot, found, written)
    rows, exactness, share = found.rows, found.exactness.astype(np.int64), found.share
    keep = allowed_symbols(query, snapshot, rows)
    rows, exactness, share = rows[keep], exactness[keep], share[keep]
    if len(rows):
        keep = exactness <= min(loosest, _loosest_beside(int(exactness.min())))
        rows, exactness, share = rows[keep], exactness[keep], share[keep]
    if own := asked_for_more_of(query, snapshot):  # itself is what is known
        keep = ~one_of(rows, list(own))
        rows, exactness, share = rows[keep], exactness[keep], share[keep]
    columns = snapshot.parts["symbols"]
    order = np.lexsort(
        (
            columns["line"][rows],
            columns["file"][rows],
            -snapshot.parts["rank"]["score"][rows].astype(np.float64),
            RANK_OF_KIND[columns["kind"][rows]],
            -share,
            exactness,
        )
    )[: min(limit, MOST_CONSIDERED)]
    found_here = zip(rows[order].tolist(), exactness[order].tolist(), share[order].tolist(), strict=True)
    return [
        symbol_hit(snapshot, row, held / (1 + level), Exactness(level).label.format(written), weak=level > Exactness.ALL_WORDS)
        for row, level, held in found_here
    ]


def _named(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Definitions of the names in a sentence, in their order; none that only share a word with one, because the sentence has more to say
    of what it is about than a name that is not here."""
    hits: dict[int, Hit] = {}
    for name in dict.fromkeys([query.subject, *written_names(query.text)]):
        for hit in _definitions(replace(query, subject=name), snapshot, limit, Exactness.NEARLY):
            hits.setdefault(hit.symbol, hit)
    return list(hits.values())[:limit]


def _matching(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Definitions whose whole name a regular expression matches: by kind, centrality, path, line."""
    fitting = names_matching(query.pattern, snapshot.names, case_sensitive="i" not in query.how)
    columns = snapshot.parts["symbols"]
    rows = np.flatnonzero(one_of(columns["name"], fitting))
    rows = rows[allowed_symbols(query, snapshot, rows)]
    order = np.lexsort((rows, -snapshot.parts["rank"]["score"][rows].astype(np.float64), RANK_OF_KIND[columns["kind"][rows]]))[:limit]
    return [symbol_hit(snapshot, row, 1.0, f"has a name that `{query.pattern}` matches") for row in rows[order].tolist()]


def _known(query: Query) -> Found:
    """The symbols that the caller names by row are the answer."""
    rows = distinct(np.asarray(query.symbols, np.int64))
    return Found(rows, np.full(len(rows), int(Exactness.QUALIFIED), np.uint8), np.ones(len(rows)))


def _loosest_beside(best: int) -> int:
    """What is still worth showing beside the best: nothing looser beside a qualified name, no part of a name beside a whole one."""
    if best == Exactness.QUALIFIED:
        return Exactness.QUALIFIED
    return Exactness.FOLDED if best <= Exactness.FOLDED else Exactness.SOME_WORDS
