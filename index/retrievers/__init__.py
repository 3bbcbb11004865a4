"""Four ways to find code, each (query, snapshot, limit) -> list[Hit], best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from index.retrievers.graph import graph
from index.retrievers.semantic import Semantic
from index.retrievers.structural import structural
from index.retrievers.textual import textual
from index.snapshot import Snapshot
from index.types import Hit, Query
from index.vectors.model import Embedder

Retriever = Callable[[Query, Snapshot, int], list[Hit]]

RETRIEVERS: Mapping[str, Retriever] = MappingProxyType(
    {"semantic": Semantic(None), "text": textual, "structural": structural, "graph": graph}
)


def retrievers_with(embedder: Embedder | None) -> Mapping[str, Retriever]:
    """The table, its semantic retriever reading questions with `embedder`."""
    return MappingProxyType({**RETRIEVERS, "semantic": Semantic(embedder)})
