"""The speed bench's own plumbing: the same ten edits every time, and no child's work left uncounted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from speed import children, scratch

from support.repositories import a_repository


def a_tree(folder: Path) -> Path:
    for number in range(12):
        (folder / "shop").mkdir(parents=True, exist_ok=True)
        padding = "# a line that makes the file long enough\n" * 20
        (folder / "shop" / f"part{number}.py").write_text(f"{padding}def part(value):\n    other = value\n    return other + {number}\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_part.py").write_text("def test_part():\n    return 1\n" * 40)
    return folder


def test_ten_files_are_edited_and_each_gains_a_line_and_a_function(tmp_path: Path) -> None:
    made = scratch.scratch_repository(a_tree(tmp_path / "tree"), tmp_path / "scratch.git")

    edits = scratch.edited_files(made.repository, made.base)

    assert len(made.edited) == 10 and not [path for path in made.edited if path.startswith("tests/")]
    assert len(made.widely_edited) == 12 and made.widely_edited[:10] == made.edited
    content = edits[made.edited[0]]
    assert "\n    edited_by_the_bench = 1\n    return other + " in content
    assert content.endswith("def added_by_the_bench(value):\n    return value\n")


def test_the_same_tree_gives_the_same_commits(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree")

    first, second = (scratch.scratch_repository(tree, tmp_path / name) for name in ("one.git", "two.git"))

    assert (first.base, first.head, first.edited) == (second.base, second.head, second.edited)


def test_of_a_repository_the_head_is_taken_and_nothing_is_written(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "shop")
    base = repository.commit({"shop/tax.py": "# tax\n" * 100 + "def rate():\n    x = 1\n    return x\n"})
    before = sorted(str(path) for path in (tmp_path / "shop").rglob("*"))

    made = scratch.scratch_repository(tmp_path / "shop", tmp_path / "scratch.git")

    assert made.base == base and made.edited == ("shop/tax.py",)
    assert sorted(str(path) for path in (tmp_path / "shop").rglob("*")) == before


def test_the_work_of_a_grandchild_is_counted() -> None:
    burn = "import time\nstop = time.process_time() + 0.3\nwhile time.process_time() < stop: pass"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}]); print('{{\"done\": 1}}')"

    measured = children.run([sys.executable, "-c", outer])

    assert measured.answer == {"done": 1} and measured.cpu >= 0.3 and measured.peak > 1_000_000


def test_a_job_that_fails_says_what_it_said() -> None:
    with pytest.raises(children.JobFailed, match="no such thing"):
        children.run([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_the_middle_of_the_runs_counts() -> None:
    runs = [children.Measured(None, cpu, 0, 0) for cpu in (3.0, 1.0, 2.0)]

    assert children.middle(runs).cpu == 2.0
    assert children.middle(runs[:2]).cpu == 1.0
    assert children.middle(runs[:1]).cpu == 3.0
