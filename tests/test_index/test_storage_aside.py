"""Arrays that lie in a file while nobody uses them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from index.build import MANY_FILES, build_snapshot, parse_all
from index.layers import Parts
from index.parsing.facts import elsewhere
from index.sources import Source
from index.storage import aside as module
from index.storage.aside import Aside

ARRAYS = arrays_of.arrays(st.sampled_from([np.uint8, np.int16, np.int32, np.int64]), arrays_of.array_shapes(min_side=0, max_side=5))


@given(st.lists(st.lists(ARRAYS, max_size=4), max_size=4))
def test_arrays_are_what_they_were(tmp_path_factory, several):
    with Aside(tmp_path_factory.mktemp("aside")) as aside:
        found = [aside.put(arrays) for arrays in several]
        aside.rest()

    for put, arrays in zip(found, several, strict=True):
        assert [(one.dtype, one.shape, one.tolist()) for one in put] == [(one.dtype, one.shape, one.tolist()) for one in arrays]


def test_they_may_take_more_room_than_is_mapped_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SEGMENT", 1 << 16)
    several = [np.arange(size, dtype=np.int32) for size in (10_000, 10_000, 100_000, 5)]

    with Aside(tmp_path) as aside:
        found = [aside.put([array])[0] for array in several]
        aside.rest()

    assert all(np.array_equal(one, array) for one, array in zip(found, several, strict=True))
    assert not any(one.flags.writeable for one in found)
    assert list(tmp_path.iterdir()) == []  # the file has no name


def test_where_there_is_no_room_for_a_file_they_stay_where_they_are(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    aside, array = Aside(tmp_path / "file"), np.arange(3)

    assert aside.put([array])[0] is array
    aside.rest()


def test_the_room_that_the_index_will_need_is_left(tmp_path, monkeypatch):
    """The file is there until the index is written beside it: one that takes the last of a disk would leave no room for that."""
    free = module.LEAVES + 10_000
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(free, 0, free))
    some, more = np.zeros(1_000, np.int64), np.zeros(1_500, np.int64)
    with Aside(tmp_path) as aside:
        assert aside.put([some])[0] is not some
        assert aside.put([more])[0] is more
        assert aside.put([some])[0] is some  # nothing that comes later either


@pytest.mark.parametrize("name", ["py", "ts"])
def test_an_index_is_the_same_with_and_without(tmp_path: Path, name: str) -> None:
    first = {"py": b"class Cart:\n    def pay(self, by):\n        by(self)\n", "ts": b"export class Cart { pay(by) { by(this) } }\n"}[name]
    using = {
        "py": b"from cart import Cart\n\n\ndef hand(cart):\n    pass\n\n\nCart().pay(hand)\n",
        "ts": b'import { Cart } from "../../cart"\nfunction hand(cart) {}\nnew Cart().pay(hand)\n',
    }[name]
    files = {b"cart.%s" % name.encode(): first}
    files |= {b"tests/use%d/test.%s" % (at, name.encode()): using for at in range(MANY_FILES + 1)}
    sources = [Source(path, "", len(data), data) for path, data in files.items()]

    plain = build_snapshot("", sources).snapshot.parts
    with Aside(tmp_path) as aside:
        same = build_snapshot("", sources, lambda asked: elsewhere(parse_all(asked), aside.put), aside=aside).snapshot.parts

    assert same_parts(plain, same)
    assert len(plain["edges"]["source"]) > 3 * MANY_FILES


def same_parts(one: Parts, other: Parts) -> bool:
    return one.keys() == other.keys() and all(
        one[part].keys() == other[part].keys() and all(np.array_equal(one[part][column], other[part][column]) for column in one[part])
        for part in one
    )
