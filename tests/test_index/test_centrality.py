"""PageRank, against rustworkx as the slow and certain way."""

from __future__ import annotations

import numpy as np
import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from index.graph.centrality import pagerank

Edges = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    """Nodes without any edge, loops, parallel edges and dead ends included."""
    size = draw(st.integers(1, 12))
    node = st.integers(0, size - 1)
    return size, draw(st.lists(st.tuples(node, node), max_size=40))


def ours(size: int, edges: Edges) -> list[float]:
    table = np.array(edges, np.int32).reshape(-1, 2)
    return [float(score) for score in pagerank(table[:, 0], table[:, 1], size)]


def theirs(size: int, edges: Edges) -> list[float]:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from([(source, target, None) for source, target in sorted(set(edges))])
    scores = rustworkx.pagerank(graph, alpha=0.85, tol=1e-9, max_iter=1_000)
    return [scores[node] * size for node in range(size)]


@given(graphs())
def test_every_score_is_the_one_of_rustworkx(graph: tuple[int, Edges]) -> None:
    size, edges = graph

    assert np.allclose(ours(size, edges), theirs(size, edges), atol=1e-3)


@given(graphs())
def test_the_average_node_has_a_score_of_one(graph: tuple[int, Edges]) -> None:
    size, edges = graph

    assert np.isclose(np.mean(ours(size, edges)), 1.0, atol=1e-4)


@given(graphs())
def test_an_edge_that_is_there_twice_counts_once(graph: tuple[int, Edges]) -> None:
    size, edges = graph

    assert ours(size, edges) == ours(size, edges + edges[::-1])


def test_without_symbols_there_are_no_scores() -> None:
    assert ours(0, []) == []


def test_without_edges_all_are_average() -> None:
    assert np.allclose(ours(3, []), [1.0, 1.0, 1.0])


def test_what_a_dead_end_holds_goes_to_all_alike() -> None:
    first, other, end = ours(3, [(0, 2), (1, 2)])

    assert first == other < 1.0 < end


def test_what_many_use_stands_above_what_one_uses() -> None:
    _, _, _, shared, lonely = ours(5, [(0, 3), (1, 3), (2, 3), (2, 4)])

    assert shared > lonely
