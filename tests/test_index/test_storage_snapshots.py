"""Snapshots on the disk: found again whole, or missed with a reason."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from index.errors import SnapshotDamaged, StorageError
from index.storage.segments import digest_of, open_segment, segment_blocks, segment_digest, write_segment
from index.storage.snapshots import SnapshotStore, part_digest

ROOT = Path(__file__).resolve().parents[2]


def parts(seed: int = 0) -> dict[str, dict[str, np.ndarray]]:
    return {
        "symbols": {"line": np.arange(5, dtype=np.int32) + seed, "name_bytes": np.frombuffer(b"rate", np.uint8)},
        "edges": {"source": np.zeros(0, np.int32)},
    }


def publish(store: SnapshotStore, seed: int = 0, ref: str = "main") -> str:
    return store.publish("shop", ref, f"commit{seed}", parts(seed))


# -- segments ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.text(max_size=8),
        npst.arrays(
            st.sampled_from([np.uint8, np.bool_, np.int32, np.int64, np.uint64, np.float32, np.float64]),
            npst.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=9),
        ),
        max_size=6,
    )
)
def test_arrays_come_back_as_they_were_on_aligned_addresses(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("segment") / "file"

    blocks = segment_blocks(columns, {"made by": "a test"})
    size = write_segment(path, blocks)

    found = open_segment(path, size)
    assert set(found) == set(columns)
    for name, array in columns.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()
        assert not found[name].flags.writeable
        assert array.size == 0 or found[name].ctypes.data % 64 == 0
    again = segment_blocks(dict(reversed(columns.items())), {"made by": "a test"})
    assert segment_digest(again) == segment_digest(blocks) == digest_of(path.read_bytes())


def test_an_array_of_objects_is_refused(tmp_path):
    with pytest.raises(TypeError, match="column names has dtype object"):
        segment_blocks({"names": np.asarray(["a", None], object)})


# -- publishing and opening ------------------------------------------------------------------------------------------------


def test_what_was_published_is_opened(tmp_path):
    store = SnapshotStore(tmp_path / "home")

    publish(store)

    snapshot = store.open("shop", "main")
    assert snapshot is not None
    assert snapshot.commit == "commit0"
    assert sorted(snapshot.parts) == ["edges", "symbols"]
    assert snapshot.parts["symbols"]["line"].tolist() == [0, 1, 2, 3, 4]


def test_nothing_published_opens_as_none(tmp_path):
    assert SnapshotStore(tmp_path / "home").open("shop", "main") is None


@pytest.mark.parametrize("name", ["refs/heads/main", "..", ".", "", "pr/12", "ü" * 300, "a\x00b", "\ud800"])
def test_any_name_is_a_ref(tmp_path, name):
    store = SnapshotStore(tmp_path / "home")

    store.publish(name, name, "c", parts())

    assert store.open(name, name) is not None
    assert len(store.refs(name)) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"home"}


def test_a_part_that_did_not_change_is_not_written_again(tmp_path):
    store = SnapshotStore(tmp_path)
    publish(store)
    before = {path.name: path.stat().st_ino for path in (tmp_path / "parts").iterdir()}

    store.publish("shop", "next", "c2", {**parts(), "symbols": parts(1)["symbols"]})

    after = {path.name: path.stat().st_ino for path in (tmp_path / "parts").iterdir()}
    assert len(after) == 3
    assert before.items() <= after.items()


def test_parts_can_be_taken_over_by_their_digest(tmp_path):
    store = SnapshotStore(tmp_path)
    publish(store)
    known = store.part_digests("shop", "main")

    store.publish("shop", "next", "c2", {"symbols": parts(7)["symbols"]}, reuse=known)

    snapshot = store.open("shop", "next")
    assert snapshot is not None
    assert snapshot.parts["symbols"]["line"][0] == 7
    assert snapshot.parts["edges"]["source"].tolist() == []
    assert known["edges"][0] == part_digest(parts()["edges"])


def test_an_index_of_an_older_engine_is_as_good_as_none(tmp_path):
    publish(SnapshotStore(tmp_path, engine="1"))

    assert SnapshotStore(tmp_path, engine="2").open("shop", "main") is None


def test_refs_are_listed_and_forgotten(tmp_path):
    store = SnapshotStore(tmp_path)
    digests = {ref: publish(store, seed, ref) for seed, ref in enumerate(["main", "pr/1"])}

    assert store.refs("shop") == digests
    assert store.forget("shop", "pr/1") is True
    assert store.forget("shop", "pr/1") is False
    assert store.refs("shop") == {"main": digests["main"]}


# -- damage ----------------------------------------------------------------------------------------------------------------


def only_file(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def largest(folder: Path) -> Path:
    return max(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name))


DAMAGES = {
    "a part is gone": lambda home: largest(home / "parts").unlink(),
    "a part is cut short": lambda home: os.truncate(largest(home / "parts"), 100),
    "a part is empty": lambda home: os.truncate(largest(home / "parts"), 0),
    "a part has no header": lambda home: largest(home / "parts").write_bytes(b"\xff" * largest(home / "parts").stat().st_size),
    "the manifest changed": lambda home: only_file(home / "manifests").write_bytes(b"{}"),
    "the manifest is gone": lambda home: only_file(home / "manifests").unlink(),
    "the ref is garbage": lambda home: (home / "refs/shop/main").write_bytes(b"\x00\xff"),
    "the ref is empty": lambda home: (home / "refs/shop/main").write_bytes(b""),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_never_read_as_if_it_were_whole(tmp_path, damage):
    store = SnapshotStore(tmp_path)
    publish(store)

    DAMAGES[damage](tmp_path)

    with pytest.raises(SnapshotDamaged, match=r"buil[td] anew"):
        snapshot = store.open("shop", "main")
        assert snapshot is not None
        for name in snapshot.parts:
            snapshot.parts[name]


@pytest.mark.parametrize("damage", DAMAGES)
def test_publishing_again_repairs_it(tmp_path, damage):
    store = SnapshotStore(tmp_path)
    publish(store)
    DAMAGES[damage](tmp_path)

    publish(store)

    snapshot = store.open("shop", "main")
    assert snapshot is not None
    assert {name: part_digest(snapshot.parts[name]) for name in snapshot.parts} == {
        name: part_digest(part) for name, part in parts().items()
    }


def test_a_changed_byte_is_found_by_verify(tmp_path):
    store = SnapshotStore(tmp_path)
    publish(store)
    store.verify("shop", "main")
    path = largest(tmp_path / "parts")
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")

    with pytest.raises(SnapshotDamaged, match="changed on the disk"):
        store.verify("shop", "main")


# -- collecting ------------------------------------------------------------------------------------------------------------


def test_only_what_a_ref_or_a_recent_manifest_names_is_kept(tmp_path):
    store = SnapshotStore(tmp_path, keep_manifests=2)
    for seed in range(5):
        publish(store, seed)
        os.utime(tmp_path / "manifests" / store.refs("shop")["main"], ns=(seed, seed))
    (tmp_path / "parts" / "left over").write_bytes(b"x")

    gone = store.collect()

    assert gone == 3 + 3 + 1  # manifests, their symbols, the waste; the edges are shared
    assert len(list((tmp_path / "manifests").iterdir())) == 2
    assert len(list((tmp_path / "parts").iterdir())) == 3
    assert store.open("shop", "main").parts["symbols"]["line"][0] == 4


def test_a_reader_keeps_what_it_opened_after_it_was_deleted(tmp_path):
    store = SnapshotStore(tmp_path, keep_manifests=0)
    publish(store, 1)
    snapshot = store.open("shop", "main")
    publish(store, 2)

    store.collect()

    assert len(list((tmp_path / "manifests").iterdir())) == 1
    assert snapshot.parts["symbols"]["line"][0] == 1  # first use of this part


# -- trouble ---------------------------------------------------------------------------------------------------------------


def child(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    setup = "import sys, numpy as np\nfrom pathlib import Path\nfrom index.storage.snapshots import SnapshotStore\n"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", setup + code, *arguments], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)


def test_a_second_writer_is_told_that_another_update_runs(tmp_path):
    holder = child("with SnapshotStore(Path(sys.argv[1])).updating():\n    print(flush=True)\n    sys.stdin.read()", str(tmp_path))
    try:
        assert holder.stdout is not None
        holder.stdout.readline()

        with pytest.raises(StorageError, match="Another update of the index"):
            SnapshotStore(tmp_path).publish("shop", "main", "c", parts(), lock_seconds=0.05)
    finally:
        holder.kill()
        holder.communicate()
    publish(SnapshotStore(tmp_path))  # the lock died with its holder


def test_a_file_where_the_folder_should_be_is_said(tmp_path):
    (tmp_path / "home").write_bytes(b"")

    with pytest.raises(StorageError, match="a file stands where a folder should be"):
        publish(SnapshotStore(tmp_path / "home"))
    assert SnapshotStore(tmp_path / "home").open("shop", "main") is None


FULL = """
import resource
store = SnapshotStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    store.publish("shop", "main", "new", {"small": {"a": np.zeros(10)}, "tall": {"a": np.zeros(100_000)}})
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_write_that_fails_half_way_leaves_the_old_snapshot(tmp_path):
    publish(SnapshotStore(tmp_path))

    said = child(FULL, str(tmp_path)).communicate()[0].decode()

    assert said.startswith("StorageError The index could not be written")
    assert "larger than this system allows" in said
    assert "Traceback" not in said
    assert SnapshotStore(tmp_path).open("shop", "main").commit == "commit0"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device that is always full")
def test_a_full_disk_is_said(tmp_path):
    store = SnapshotStore(tmp_path)
    with store.updating():
        (tmp_path / "tmp" / f"part-{os.getpid()}").symlink_to("/dev/full")

        with pytest.raises(StorageError, match=r"the disk is full\. Nothing was changed"):
            publish(store)
    assert store.open("shop", "main") is None


WRITER = """
store = SnapshotStore(Path(sys.argv[1]), keep_manifests=1)
print(flush=True)
seed = int(sys.argv[2])
while True:
    seed += 1
    store.publish("shop", "main", str(seed), {name: {"a": np.full(3000 + seed % 500, seed)} for name in ("one", "two", "three")})
    store.collect()
"""


def test_a_writer_killed_at_any_moment_never_tears_a_read(tmp_path):
    chance = random.Random(7)
    store = SnapshotStore(tmp_path)
    store.publish("shop", "main", "0", {name: {"a": np.full(3000, 0)} for name in ("one", "two", "three")})
    reads = 0
    for round_ in range(20):
        writer = child(WRITER, str(tmp_path), str(round_ * 10_000))
        assert writer.stdout is not None
        writer.stdout.readline()
        end = time.monotonic() + chance.random() * 0.06
        while True:
            snapshot = store.open("shop", "main")
            assert snapshot is not None
            seed = int(snapshot.commit)
            for name in ("one", "two", "three"):
                assert (snapshot.parts[name]["a"] == seed).all()
                assert len(snapshot.parts[name]["a"]) == 3000 + seed % 500
            reads += 1
            if time.monotonic() > end:
                break
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    assert reads >= 20
    store.verify("shop", "main")
    store.collect()
    assert len(list((tmp_path / "tmp").iterdir())) == 0
