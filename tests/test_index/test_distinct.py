"""Sets of numbers in arrays, checked against numpy's own slow ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.build import CONFIG_ENDINGS
from index.distinct import counted, distinct, first_places, grouped, one_of
from index.languages.python import modules as python_modules
from index.languages.typescript import modules as script_modules

RANGES = {
    np.int8: (-128, 127),
    np.int16: (-(2**15), 2**15 - 1),
    np.uint16: (0, 2**16 - 1),
    np.uint8: (0, 255),
    np.int32: (-(2**31), 2**31 - 1),
    np.uint32: (0, 2**32 - 1),
    np.int64: (-(2**40), 2**40),
    np.uint64: (0, 2**40),
}


@pytest.mark.parametrize("dtype", list(RANGES))
@given(st.data())
def test_numbers_are_told_apart_as_numpy_does(dtype: type, data: st.DataObject) -> None:
    low, high = RANGES[dtype]
    number = st.one_of(st.integers(low, high), st.integers(0, 9), st.sampled_from([65_536, 65_537]) if high > 65_537 else st.just(1))
    numbers = np.array(data.draw(st.lists(number, max_size=60)), dtype)
    few = data.draw(st.lists(st.one_of(number, st.sampled_from(numbers.tolist() or [0])), max_size=30))

    assert distinct(numbers).tolist() == sorted(set(numbers.tolist()))
    assert distinct(numbers).dtype == dtype
    for ours, numpys in (
        (counted(numbers), np.unique(numbers, return_counts=True)),
        (first_places(numbers), np.unique(numbers, return_index=True)),
        (grouped(numbers), np.unique(numbers, return_inverse=True)),
    ):
        assert [one.tolist() for one in ours] == [one.tolist() for one in numpys]
    assert one_of(numbers, few).tolist() == [one in set(few) for one in numbers.tolist()]
    assert one_of(numbers, np.array(few, dtype)).tolist() == one_of(numbers, few).tolist()


@pytest.mark.parametrize("dtype", list(RANGES))
@pytest.mark.parametrize("most", [3, 300, 2**40, 2**62])  # the last leaves no room for places beside the numbers
def test_many_numbers_are_told_apart_as_few_are(dtype: type, most: int) -> None:
    low, high = RANGES[dtype]
    top = high if dtype is not np.uint64 else 2**63 - 1
    numbers = np.random.default_rng(7).integers(max(low, -most), min(top, most), 4_000, dtype=np.int64).astype(dtype)
    positive = numbers[numbers >= 0]

    for some in (numbers, positive):
        assert [one.tolist() for one in first_places(some)] == [one.tolist() for one in np.unique(some, return_index=True)]
        assert [one.tolist() for one in grouped(some)] == [one.tolist() for one in np.unique(some, return_inverse=True)]


@pytest.mark.parametrize(
    "path",
    [
        *python_modules.CONFIG_NAMES,
        "requirements-dev.txt",
        "requirements/base.in",
        "package.json",
        "a/tsconfig.base.json",
        "pnpm-workspace.yaml",
    ],
)
def test_no_configuration_is_passed_over_for_how_its_name_ends(path: str) -> None:
    assert path.endswith(CONFIG_ENDINGS)
    assert path == "requirements/base.in" or python_modules.is_config(path) or script_modules.is_config(path)
