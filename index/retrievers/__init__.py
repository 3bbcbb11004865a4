"""Four ways to find code, and what its history says: each (query, snapshot, limit) -> list[Hit], best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from index.past import Past
from index.retrievers.graph import graph
from index.retrievers.past import Historical
from index.retrievers.semantic import Semantic
from index.retrievers.structural import Structural
from index.retrievers.textual import textual
from index.retrievers.trees import Matcher
from index.snapshot import Snapshot
from index.types import Hit, Query
from index.vectors.model import Embedder

Retriever = Callable[[Query, Snapshot, int], list[Hit]]

RETRIEVERS: Mapping[str, Retriever] = MappingProxyType(
    {"semantic": Semantic(None), "text": textual, "structural": Structural(None), "graph": graph}
)


def retrievers_with(
    embedder: Embedder | None, matcher: Matcher | None = None, past: Callable[[Snapshot], Past] | None = None
) -> Mapping[str, Retriever]:
    """The table, its semantic retriever reading questions with `embedder`, its structural one reading syntax trees with `matcher`; and
    `history`, where `past` gives that of a snapshot, or raises CannotLook."""
    held: dict[str, Retriever] = {"semantic": Semantic(embedder), "structural": Structural(matcher)}
    if past is not None:
        held["history"] = Historical(past)
    return MappingProxyType({**RETRIEVERS, **held})
