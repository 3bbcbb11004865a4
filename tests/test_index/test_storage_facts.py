"""The cache of facts: it remembers, forgets what is old, and is never the reason that something fails."""

from __future__ import annotations

import signal
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from index.storage.facts import FactsStore
from index.storage.packing import PackedDamaged, pack, unpack

ROOT = Path(__file__).resolve().parents[2]


def blob(number: int) -> str:
    return f"{number:040x}"


# -- packing -----------------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.text(max_size=8),
        npst.arrays(
            st.sampled_from([np.uint8, np.bool_, np.int32, np.int64, np.uint64, np.float32]),
            npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
        ),
        max_size=5,
    )
)
def test_columns_come_back_as_they_were(columns):
    found = unpack(pack(columns))

    assert set(found) == set(columns)
    for name, array in columns.items():
        assert (found[name].dtype, found[name].shape, found[name].tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert found[name].ctypes.data % min(array.itemsize, 8) == 0


@settings(max_examples=200)
@given(st.binary(max_size=60), st.integers(0, 200))
def test_damaged_bytes_are_refused_and_nothing_else(noise, at):
    packed = pack({"line": np.arange(9, dtype=np.int32), "kind": np.zeros(3, np.uint8)})

    for damaged in (noise, packed[:at] + noise + packed[at + len(noise) :], packed[: at % len(packed)]):
        if damaged != packed:
            try:
                unpack(damaged)
            except PackedDamaged:
                continue


def test_a_row_that_claims_more_items_than_can_be_counted_is_refused():
    header = struct.pack("<HB1s3sB3I", 1, 1, b"a", b"<i4", 3, *[2**32 - 1] * 3)

    with pytest.raises(PackedDamaged):
        unpack(zstandard.compress(header))


def test_objects_are_refused():
    with pytest.raises(TypeError, match="column names"):
        pack({"names": np.asarray([None], object)})


# -- the store ---------------------------------------------------------------------------------------------------------


def test_what_was_put_is_found_by_layer_version_and_blob(tmp_path):
    payloads = {blob(n): b"facts %d" % n for n in range(1_234)}
    with FactsStore(tmp_path / "facts.db") as store:
        store.put_many("text", "1", payloads)
    with FactsStore(tmp_path / "facts.db") as store:
        assert store.get_many("text", "1", [*payloads, blob(9_999)]) == payloads
        assert store.get_many("text", "2", payloads) == {}
        assert store.get_many("syntax", "1", payloads) == {}
        assert store.problems == []


def test_older_versions_and_unknown_layers_are_pruned(tmp_path):
    with FactsStore(tmp_path / "facts.db") as store:
        for layer, version in (("text", "1"), ("text", "2"), ("gone", "1")):
            store.put_many(layer, version, {blob(1): b"x"})

        assert store.prune({"text": "2"}, 1_000) == 2
        assert store.get_many("text", "2", [blob(1)]) == {blob(1): b"x"}


def test_only_room_is_made_where_nothing_is_outdated(tmp_path):
    with FactsStore(tmp_path / "facts.db") as store:
        store.put_many("voyage", "voyage-3", {blob(1): b"x" * 100})
        store.put_many("voyage", "voyage-code-3", {blob(2): b"x" * 100, blob(3): b"x" * 100})

        assert store.fit(300) == 0
        assert store.fit(200) == 1
        assert list(store.get_many("voyage", "voyage-code-3", [blob(2), blob(3)])) == [blob(2), blob(3)]


def test_the_least_recently_used_go_when_there_is_too_much(tmp_path):
    path = tmp_path / "facts.db"
    with FactsStore(path) as store:
        store.put_many("text", "1", {blob(n): b"x" * 100 for n in range(10)})
        with sqlite3.connect(path) as database:
            database.execute("update facts set used = used - 30")
        database.close()
        store.get_many("text", "1", [blob(3), blob(7)])  # used today

        assert store.prune({"text": "1"}, 250) == 8
        assert sorted(store.get_many("text", "1", map(blob, range(10)))) == [blob(3), blob(7)]


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_damaged_file_is_moved_aside_and_begun_anew(tmp_path, content):
    path = tmp_path / "facts.db"
    path.write_bytes(content)

    with FactsStore(path) as store:
        store.put_many("text", "1", {blob(1): b"x"})

        assert store.get_many("text", "1", [blob(1)]) == {blob(1): b"x"}
        assert "was damaged" in store.problems[0].message
    assert (tmp_path / "facts.db.damaged").read_bytes() == content


def test_damage_found_while_reading_is_mended_too(tmp_path):
    path = tmp_path / "facts.db"
    with FactsStore(path) as store:
        store.put_many("text", "1", {blob(n): bytes([n % 250]) * 3_000 for n in range(300)})
    data = bytearray(path.read_bytes())
    data[8_192 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 8_192)
    path.write_bytes(data)

    with FactsStore(path) as store:
        store.get_many("text", "1", map(blob, range(300)))
        store.put_many("text", "1", {blob(1): b"new"})

        assert store.get_many("text", "1", [blob(1)]) == {blob(1): b"new"}
        assert len(store.problems) == 1


def test_without_a_place_to_write_it_answers_nothing_and_says_so_once(tmp_path):
    (tmp_path / "file").write_bytes(b"")

    with FactsStore(tmp_path / "file" / "facts.db") as store:
        store.put_many("text", "1", {blob(1): b"x"})
        assert store.get_many("text", "1", [blob(1)]) == {}
        assert store.prune({}, 0) == 0
        assert ["parsed anew this time" in problem.message for problem in store.problems] == [True]


FULL = """
import resource, sys
from pathlib import Path
from index.storage.facts import FactsStore
store = FactsStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
store.put_many("text", "1", {f"{n:040x}": b"x" * 50_000 for n in range(20)})
print(len(store.problems), store.problems[0].message, store.get_many("text", "1", [f"{1:040x}"]))
"""


def test_a_full_disk_turns_the_cache_off(tmp_path):
    made = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "facts.db")], cwd=ROOT, capture_output=True, text=True, check=False)

    assert made.stderr == ""
    assert made.stdout.startswith("1 the cache of parsed files can't be used")
    assert made.stdout.endswith("{}\n")


WRITER = """
import sys
from pathlib import Path
from index.storage.facts import FactsStore
store = FactsStore(Path(sys.argv[1]))
print(flush=True)
n = 0
while True:
    store.put_many("text", "1", {f"{n + i:040x}": b"%d" % (n + i) * 100 for i in range(50)})
    n += 50
    print(n, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_put(tmp_path):
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "facts.db")], cwd=ROOT, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        for _ in range(5):
            put = writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.communicate()

        with FactsStore(tmp_path / "facts.db") as store:
            found = store.get_many("text", "1", map(blob, range(int(put))))
            assert found == {blob(n): b"%d" % n * 100 for n in range(int(put))}
            assert store.problems == []
