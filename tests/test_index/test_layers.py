"""What a small change adds to the disk, and that parts kept as a difference are read as if they had been written whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from index.engine import Engine
from index.layers import SINCE, Parts
from support.repositories import TinyRepository, a_repository


def a_history(folder: Path) -> tuple[TinyRepository, list[str]]:
    repository = a_repository(folder / "repository")
    files = {f"shop/m{at}.py": f"def price{at}(item):\n    return item.total * {at}\n" for at in range(80)}
    commits = [repository.commit(files)]
    for at in range(3):
        commits.append(repository.commit({f"shop/m{at}.py": f"def price{at}(item):\n    return item.rebate + {at}\n"}))
    return repository, commits


def test_the_text_of_unchanged_files_is_not_written_again(tmp_path: Path) -> None:
    repository, commits = a_history(tmp_path)
    with Engine(repository.path, tmp_path / "home") as engine:
        first = engine.update(commits[0])
        text = engine.store.part_digests(engine.key, commits[0])["text"]

        engine.update(commits[1])
        engine.update(commits[2])

        listed = engine.store.part_digests(engine.key, commits[2])
        assert listed["text"] == text
        assert listed["text" + SINCE][1] < text[1]
        assert "text" in first.parts


def test_layers_stand_on_what_is_whole_and_not_on_each_other(tmp_path: Path) -> None:
    repository, commits = a_history(tmp_path)
    for commit in commits:
        with Engine(repository.path, tmp_path / "home") as engine:
            snapshot = engine.update(commit)
    with Engine(repository.path, tmp_path / "other") as engine:
        whole = engine.update(commits[-1])

    assert isinstance(snapshot.parts, Parts)
    for name in ("text", "content", "vectors"):
        layer = snapshot.parts.layer(name)
        assert layer is not None
        assert len(layer.since["fresh"]) == 3
        assert not isinstance(whole.parts, Parts) or whole.parts.layer(name) is None
        for column, values in whole.parts[name].items():
            assert np.array_equal(snapshot.parts[name][column], values), f"{name}.{column}"


def test_a_snapshot_is_whole_again_where_its_base_is_gone(tmp_path: Path) -> None:
    repository, commits = a_history(tmp_path)
    with Engine(repository.path, tmp_path / "home") as engine:
        engine.update(commits[0])
        engine.store.home.joinpath("parts", engine.store.part_digests(engine.key, commits[0])["text"][0]).unlink()

        engine.update(commits[1])

        assert "text" + SINCE not in engine.store.part_digests(engine.key, commits[1])
        engine.store.verify(engine.key, commits[1])


def test_what_layers_stand_on_is_kept_as_long_as_they_are(tmp_path: Path) -> None:
    repository, commits = a_history(tmp_path)
    with Engine(repository.path, tmp_path / "home") as engine:
        engine.update(commits[0])
        engine.update(commits[1])
        engine.store.forget(engine.key, commits[0])
        engine.store.keep_manifests = 0
        engine.store.collect()

        engine.store.verify(engine.key, commits[1])


def test_one_path_is_found_without_going_through_all(tmp_path: Path) -> None:
    repository, commits = a_history(tmp_path)
    with Engine(repository.path, tmp_path / "home", vectors=False) as engine:
        snapshot = engine.update(commits[0])

    assert [snapshot.file_at(path) for path in snapshot.raw_paths] == list(range(len(snapshot.raw_paths)))
    assert [snapshot.file_at(path) for path in (b"", b"shop", b"shop/m1.pyx", b"zoo.py")] == [None] * 4
