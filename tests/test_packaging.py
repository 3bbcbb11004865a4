"""What is installed: the wheel holds all that the program reads of itself, the source archive all that its tests read."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from support.repositories import a_repository

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OURS = ("index", "bot")
MADE = {one.relative_to(ROOT).as_posix() for one in runpy.run_path(str(ROOT / "deploy" / "compile.py"))["made"]()}  # none as a rule


pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what belongs to the project is known in a clone only")


def tracked(*below: str) -> set[str]:
    told = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--", *below], capture_output=True, text=True, check=True)
    return {path for path in told.stdout.split("\0") if (ROOT / path).is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_is_the_two_packages_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert held == tracked(*OURS) | MADE


def test_the_source_archive_has_every_file(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}

    assert tracked() - held == set()


def test_what_was_installed_says_what_a_change_reaches(built: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
        points = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("entry_points.txt"))
    module, _, function = re.search(r"^maguyva = (\S+)$", points, re.M)[1].partition(":")  # type: ignore[index]
    shop = a_repository(tmp_path / "shop")
    till = "from tax import rate\n\n\ndef total():\n    return rate('BE')\n"
    base = shop.commit({"tax.py": "def rate(country):\n    return 1\n", "till.py": till})
    head = shop.commit({"tax.py": "def rate(country, day):\n    return 1\n"})

    def maguyva(*words: str) -> str:
        start = f"import sys; sys.argv[0] = 'maguyva'; from {module} import {function}; sys.exit({function}())"
        alone = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "installed"), "PYTHONSAFEPATH": "1"}
        words_of = [sys.executable, "-W", "error", "-c", start, *words]
        done = subprocess.run(words_of, cwd=tmp_path / "shop", env=alone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    version = re.search(r"-([0-9.]+)-(?:py3|cp)", str(next(built.glob("*.whl"))))[1]  # type: ignore[index]
    assert maguyva("--version").strip() == f"maguyva {version}{' (compiled)' if MADE else ''}"
    assert "till.py:5" in maguyva("impact", f"{base}...{head}")


def test_the_versions_of_python_that_are_promised_are_those_that_are_asked_for() -> None:
    told = {found[1] for one in PROJECT["classifiers"] if (found := re.search(r"Python :: (3\.\d+)$", one))}

    assert told == {"3.11", "3.12", "3.13"} and PROJECT["requires-python"] == ">=3.11"
