"""The walk over arrays against a walk over dictionaries."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from index.graph.reach import reach

Edges = list[tuple[int, int]]
NODES = 12
edge_lists = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=60)
starts = st.lists(st.integers(0, NODES - 1), min_size=1, max_size=3)


def rows_of(edges: Edges, nodes: int = NODES) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    ordered = sorted(edges, key=lambda edge: edge[0])
    sources = np.array([source for source, _ in ordered], np.int64)
    return np.searchsorted(sources, np.arange(nodes + 1)), np.array([target for _, target in ordered], np.int32)


def plain_steps(edges: Edges, start: list[int], max_steps: int) -> dict[int, int]:
    steps, frontier = dict.fromkeys(start, 0), set(start)
    for step in range(1, max_steps + 1):
        frontier = {target for source, target in edges if source in frontier and target not in steps}
        steps |= dict.fromkeys(frontier, step)
    return {node: step for node, step in steps.items() if step}


@given(edge_lists, starts, st.integers(0, 6))
def test_steps_are_those_of_a_plain_walk(edges: Edges, start: list[int], max_steps: int) -> None:
    found = reach(*rows_of(edges), start, max_steps, 1000)

    assert dict(zip(found.rows.tolist(), found.steps.tolist(), strict=True)) == plain_steps(edges, start, max_steps)
    assert list(zip(found.steps.tolist(), found.rows.tolist(), strict=True)) == sorted(
        zip(found.steps.tolist(), found.rows.tolist(), strict=True)
    )
    assert not found.cut
    assert not len(found.hubs)


@given(edge_lists, starts)
def test_everything_reachable_is_what_rustworkx_reaches(edges: Edges, start: list[int]) -> None:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from_no_data(edges)

    found = reach(*rows_of(edges), start, NODES, 1000)

    assert set(found.rows.tolist()) == set().union(*(rustworkx.descendants(graph, node) for node in start)) - set(start)


@given(edge_lists, starts, st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_edge_that_led_there_is_the_preferred_one_from_the_step_before(
    edges: Edges, start: list[int], max_steps: int, random: Random
) -> None:
    offsets, neighbours = rows_of(edges)
    preference = np.array([random.randrange(3) for _ in edges], np.int64)

    found = reach(offsets, neighbours, start, max_steps, 1000, preference=preference)

    steps = plain_steps(edges, start, max_steps) | dict.fromkeys(start, 0)
    source = np.repeat(np.arange(NODES), np.diff(offsets))
    for row, step, via, origin in zip(found.rows, found.steps, found.via, found.origin, strict=True):
        choices = [at for at in range(len(neighbours)) if neighbours[at] == row and steps.get(int(source[at])) == step - 1]
        assert via == min(choices, key=lambda at: (preference[at], at))
        assert origin == source[via]


def test_of_two_edges_to_a_node_the_preferred_one_is_followed() -> None:
    offsets, neighbours = rows_of([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], 4)

    found = reach(offsets, neighbours, [0], 1, 10)
    from_two = reach(offsets, neighbours, [1, 2], 1, 10, preference=np.array([0, 0, 0, 2, 1]))
    by_function = reach(offsets, neighbours, [1, 2], 1, 10, preference=lambda position: -position)

    assert found.rows.tolist() == [1, 2, 3]
    assert (from_two.rows.tolist(), from_two.origin.tolist(), from_two.via.tolist()) == ([3], [2], [4])
    assert by_function.via.tolist() == [4]


@given(edge_lists, starts, st.integers(1, 8))
def test_a_limit_keeps_the_nearest_and_says_so(edges: Edges, start: list[int], limit: int) -> None:
    everything = plain_steps(edges, start, 5)

    found = reach(*rows_of(edges), start, 5, limit)

    assert len(found.rows) == min(limit, len(everything))
    assert found.cut == (len(everything) > limit)
    assert found.steps.tolist() == sorted(everything.values())[:limit]


def test_a_hub_is_reached_but_not_gone_on_from() -> None:
    fans = [(1, node) for node in range(10, 30)]
    offsets, neighbours = rows_of([(0, 1), (0, 2), (2, 3), *fans], 30)

    stopped = reach(offsets, neighbours, [0], 3, 1000, hub=10)
    from_the_hub = reach(offsets, neighbours, [1], 3, 1000, hub=10)

    assert stopped.rows.tolist() == [1, 2, 3]
    assert stopped.hubs.tolist() == [1]
    assert stopped.cut
    assert len(from_the_hub.rows) == 20


def test_nothing_is_reached_through_an_edge_that_does_not_go_on() -> None:
    offsets, neighbours = rows_of([(0, 1), (0, 2), (1, 3), (2, 4)], 5)

    found = reach(offsets, neighbours, [0], 3, 10, goes_on=lambda position: position != 0)

    assert found.rows.tolist() == [1, 2, 4]


def test_one_edge_that_goes_on_is_enough() -> None:
    offsets, neighbours = rows_of([(0, 1), (0, 1), (1, 2)], 3)

    found = reach(offsets, neighbours, [0], 3, 10, goes_on=lambda position: position != 0)

    assert found.rows.tolist() == [1, 2]
    assert found.via.tolist() == [0, 2]


@pytest.mark.parametrize("start", [[], [3]])
def test_no_edges_no_reach(start: list[int]) -> None:
    found = reach(np.zeros(5, np.int64), np.empty(0, np.int32), start, 3, 10)

    assert not len(found.rows)
    assert not found.cut
