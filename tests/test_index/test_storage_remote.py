"""Snapshots in a store that machines share: a folder, and S3 as moto's server speaks it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from index.engine import KEPT_COMMITS, Engine, SharedIndexes, index_version
from index.errors import SnapshotDamaged, StorageError
from index.storage.facts import FactsStore
from index.storage.remote import GRACE, RemoteStore
from index.storage.snapshots import SnapshotStore
from support.repositories import a_repository

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
LATER = dt.datetime.now(dt.UTC) + 2 * GRACE


def parts(seed: int) -> dict[str, dict[str, np.ndarray]]:
    return {"symbols": {"line": np.arange(5, dtype=np.int32)}, "edges": {"source": np.full(seed, seed, np.int32)}}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "folder":
        return (tmp_path / "shared").as_uri()
    endpoint = request.getfixturevalue("s3")
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    import urllib.request

    bucket = f"b{abs(hash(tmp_path)) % 10**9}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{bucket}", method="PUT"), timeout=10).close()
    return f"s3://{bucket}/indexes"


def test_what_one_machine_pushed_another_one_opens(url: str, tmp_path: Path) -> None:
    here, there = SnapshotStore(tmp_path / "here"), SnapshotStore(tmp_path / "there")
    here.publish("shop", "c1", "c1", parts(1))

    RemoteStore(url).push(here, "shop", "c1")
    found = RemoteStore(url).pull(there, "shop", "c1")

    opened, wanted = there.open("shop", "c1"), here.open("shop", "c1")
    assert found and opened is not None and wanted is not None
    assert opened.parts["edges"]["source"].tobytes() == wanted.parts["edges"]["source"].tobytes()
    there.verify("shop", "c1")


def test_only_parts_that_are_new_are_sent(url: str, tmp_path: Path) -> None:
    local, remote = SnapshotStore(tmp_path / "here"), RemoteStore(url)
    local.publish("shop", "c1", "c1", parts(1))
    local.publish("shop", "c2", "c2", parts(2))

    assert [remote.push(local, "shop", name) for name in ("c1", "c2", "c2")] == [2, 1, 0]
    assert remote.recent("shop") == ["c2", "c1"]


def test_what_is_not_there_is_none(url: str, tmp_path: Path) -> None:
    local, remote = SnapshotStore(tmp_path / "here"), RemoteStore(url)

    assert not remote.pull(local, "shop", "c1")
    assert remote.recent("shop") == []
    assert remote.push(local, "shop", "c1") == 0


def test_another_version_of_the_engine_does_not_see_it(url: str, tmp_path: Path) -> None:
    local = SnapshotStore(tmp_path / "here", engine="1")
    local.publish("shop", "c1", "c1", parts(1))
    RemoteStore(url, "1").push(local, "shop", "c1")

    assert not RemoteStore(url, "2").pull(SnapshotStore(tmp_path / "there", engine="2"), "shop", "c1")


def test_a_repository_that_leaves_takes_its_parts_with_it_and_no_others(url: str, tmp_path: Path) -> None:
    local, remote = SnapshotStore(tmp_path / "here"), RemoteStore(url)
    local.publish("shop", "c1", "c1", parts(1))
    local.publish("bank", "c2", "c2", parts(2))
    remote.push(local, "shop", "c1")
    remote.push(local, "bank", "c2")

    remote.forget("shop")
    young = remote.collect(NOW)
    gone = remote.collect(LATER)

    assert young == 0 and gone == 2  # the part that only the shop had, and its manifest
    assert not remote.pull(SnapshotStore(tmp_path / "1"), "shop", "c1")
    assert remote.pull(SnapshotStore(tmp_path / "2"), "bank", "c2")


def test_what_is_no_longer_wanted_goes_with_its_names(url: str, tmp_path: Path) -> None:
    local, remote = SnapshotStore(tmp_path / "here"), RemoteStore(url)
    for seed, key in enumerate(("acme/shop", "bank")):
        local.publish(key, "c1", "c1", parts(seed))
        remote.push(local, key, "c1")

    remote.collect(LATER, lambda key, _: key != "acme/shop")

    assert not remote.pull(SnapshotStore(tmp_path / "1"), "acme/shop", "c1") and remote.recent("acme/shop") == []
    assert remote.pull(SnapshotStore(tmp_path / "2"), "bank", "c1") and remote.recent("bank") == ["c1"]


def test_of_a_repository_that_nobody_knows_only_what_is_new_stays(tmp_path: Path) -> None:
    shared = SharedIndexes((tmp_path / "shared").as_uri())
    store = SnapshotStore(tmp_path / "here", engine=index_version())
    for key in ("7", "8"):
        store.publish(key, "c1", "c1", parts(1))
        shared.send(tmp_path / "here", key, "c1")
    a_month = dt.timedelta(days=30)

    young = shared.collect(NOW, a_month, {"7"})
    shared.collect(LATER, a_month, {"7"})

    assert young == 0
    assert [shared.fetch(tmp_path / key, key, "c1") for key in ("7", "8")] == [True, False]


@pytest.mark.parametrize("harm", ["cut", "changed", "gone", "foreign manifest", "foreign name"])
def test_what_others_changed_in_the_store_is_not_taken(harm: str, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    here, there = SnapshotStore(tmp_path / "here"), SnapshotStore(tmp_path / "there")
    here.publish("shop", "c1", "c1", parts(900))
    RemoteStore(shared.as_uri()).push(here, "shop", "c1")
    there.publish("shop", "old", "old", parts(3))
    largest = max((shared / "parts").iterdir(), key=lambda path: path.stat().st_size)
    manifest, ref = next((shared / "manifests").iterdir()), next((shared / "refs" / "1" / "shop").iterdir())
    if harm == "cut":
        largest.write_bytes(largest.read_bytes()[:-1])
    elif harm == "changed":
        largest.write_bytes(largest.read_bytes()[:-1] + b"x")
    elif harm == "gone":
        largest.unlink()
    elif harm == "foreign manifest":
        manifest.write_bytes(b'{"parts": {"../../x": ["../../x", 1]}}')
    else:
        ref.write_text("../../etc/passwd")

    with pytest.raises(SnapshotDamaged, match="anew"):
        RemoteStore(shared.as_uri()).pull(there, "shop", "c1")
    assert there.open("shop", "c1") is None
    there.verify("shop", "old")


def test_a_store_that_is_away_is_said_without_its_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "a"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    monkeypatch.setattr("index.storage.remote.RETRIES", 0)

    with pytest.raises(StorageError) as told:
        RemoteStore("s3://user:canary@bucket/x").recent("shop")
    assert "s3://bucket/x" in str(told.value) and "canary" not in str(told.value)


def test_a_machine_without_an_index_starts_from_what_another_one_made(tmp_path: Path) -> None:
    tiny = a_repository(tmp_path / "repository")
    first = tiny.commit({"a.py": "def rate(): return 1\n", "b.py": "from a import rate\nrate()\n"})
    second = tiny.commit({"b.py": "from a import rate\nrate() + 1\n"})
    shared = SharedIndexes((tmp_path / "shared").as_uri())
    with Engine(tmp_path / "repository", tmp_path / "one", key="7") as engine:
        engine.update(first)
    shared.send(tmp_path / "one", "7", first)

    is_there = [shared.fetch(tmp_path / "two", "7", commit) for commit in (second, first)]
    with Engine(tmp_path / "repository", tmp_path / "two", key="7") as engine:
        after = engine.update(second)

    with Engine(tmp_path / "repository", tmp_path / "three", key="7") as engine:
        alone = engine.update(second)
    assert is_there == [False, True]
    assert after.parts["edges"]["source"].tobytes() == alone.parts["edges"]["source"].tobytes()


def test_facts_of_older_versions_go_with_the_commits_that_are_let_go(tmp_path: Path) -> None:
    tiny = a_repository(tmp_path / "repository")
    commits = [tiny.commit({"a.py": f"def rate(): return {number}\n"}) for number in range(KEPT_COMMITS + 1)]
    facts = tmp_path / "home" / "facts" / "7.sqlite"
    with FactsStore(facts) as store:
        store.put_many("facts-python", "an older version", {"00" * 20: b"x"})

    with Engine(tmp_path / "repository", tmp_path / "home", key="7") as engine:
        for commit in commits:
            engine.update(commit)

    with FactsStore(facts) as store:
        assert store.get_many("facts-python", "an older version", ["00" * 20]) == {}
