"""The fast kernel against a plain count of bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from index.vectors import hamming, model


def plain_nearest(bits: NDArray[np.uint8], query: NDArray[np.uint8], k: int) -> list[tuple[int, int]]:
    away = np.bitwise_count(bits ^ query).sum(axis=1, dtype=np.int64)
    return sorted(((int(distance), row) for row, distance in enumerate(away)))[:k]


def some_bits(seed: int, rows: int, kinds: int) -> NDArray[np.uint8]:
    """Rows drawn from a few patterns, so that many distances are equal."""
    random = np.random.default_rng(seed)
    patterns = random.integers(0, 256, (kinds, hamming.BYTES), np.uint8)
    return patterns[random.integers(0, kinds, rows)]


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), rows=st.integers(0, 1500), kinds=st.integers(1, 40), k=st.integers(0, 60))
def test_nearest_is_what_a_plain_count_finds(seed: int, rows: int, kinds: int, k: int) -> None:
    bits = some_bits(seed, rows, kinds)
    query = some_bits(seed + 1, 1, 1)[0]

    found, away = hamming.nearest(hamming.pack_planes(bits), query, k)

    assert list(zip(away.tolist(), found.tolist(), strict=True)) == plain_nearest(bits, query, k)


@pytest.mark.parametrize("rows", [hamming.BLOCK - 1, hamming.BLOCK, hamming.BLOCK + 1, 3 * hamming.BLOCK + 77])
@pytest.mark.parametrize("k", [1, 10, 100])
def test_borders_of_blocks(rows: int, k: int) -> None:
    bits = some_bits(rows, rows, 5000)
    query = bits[rows // 2]

    found, away = hamming.nearest(hamming.pack_planes(bits), query, k)

    assert list(zip(away.tolist(), found.tolist(), strict=True)) == plain_nearest(bits, query, k)


def test_equal_distances_come_by_row() -> None:
    bits = np.zeros((1000, hamming.BYTES), np.uint8)

    found, away = hamming.nearest(hamming.pack_planes(bits), bits[0], 5)

    assert found.tolist() == [0, 1, 2, 3, 4]
    assert away.tolist() == [0] * 5


def test_the_largest_distance_is_every_bit() -> None:
    ones = np.full((1, hamming.BYTES), 255, np.uint8)

    assert hamming.distances(hamming.pack_planes(ones), np.zeros(hamming.BYTES, np.uint8)).tolist() == [1024]


def test_only_allowed_rows_are_answered() -> None:
    bits = some_bits(3, 900, 30)
    among = np.arange(900) % 7 == 3

    found, _ = hamming.nearest(hamming.pack_planes(bits), bits[0], 20, among)

    expected = [row for _, row in plain_nearest(bits, bits[0], 900) if row % 7 == 3][:20]
    assert found.tolist() == expected


@given(seed=st.integers(0, 2**32), rows=st.integers(0, 50))
def test_planes_can_be_unpacked(seed: int, rows: int) -> None:
    bits = some_bits(seed, rows, 20)

    assert np.array_equal(hamming.unpack_planes(hamming.pack_planes(bits)), bits)


@pytest.mark.parametrize("wrong", [np.zeros((3, 127), np.uint8), np.zeros((3, 128), np.int8), np.zeros(128, np.uint8)])
def test_other_shapes_are_refused(wrong: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="uint8"):
        hamming.pack_planes(wrong)


def test_vectors_of_another_model_are_refused() -> None:
    part = model.vectors_part(np.zeros((2, hamming.BYTES), np.uint8), "voyage-code-3-1024")

    assert model.planes_of(part, "voyage-code-3-1024").shape == (16, 2)
    with pytest.raises(model.OtherModel, match=r"voyage-code-3-1024.*static-abc-1024"):
        model.planes_of(part, "static-abc-1024")
