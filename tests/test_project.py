"""What the project promises about itself: the commands, the pinned packages, the README."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from bot.__main__ import EXIT_CODES

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    alone = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C", **environment}
    return subprocess.run(["make", "--no-print-directory", *arguments], cwd=folder, env=alone, capture_output=True, text=True, check=False)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The Makefile in a folder where everything is set up already and `maguyva` only says what it was given."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    program = tmp_path / ".venv" / "bin" / "maguyva"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor word in "$@"; do printf \'%s\\n\' "$word"; done\n')
    program.chmod(0o755)
    (tmp_path / ".venv" / "ready").touch()
    return tmp_path


@pytest.mark.parametrize(
    "value",
    ["plain", "two words", "a'b\"c", "$(touch ran)", "`touch ran`", "$(shell touch ran)", "a;touch ran", "$$HOME", "*", "a#b", "-x"],
)
def test_make_impact_hands_over_exactly_what_was_typed(installed: Path, value: str) -> None:
    done = make(installed, "impact", f"REPO={value}", f"BASE={value}", f"HEAD={value}")

    assert done.stdout.splitlines() == ["impact", "--repo", value, "--", f"{value}...{value}"]
    assert not (installed / "ran").exists()


def test_make_impact_without_a_head_asks_about_the_files_on_disk(installed: Path) -> None:
    assert make(installed, "impact", "REPO=x", "BASE=main").stdout.splitlines()[-1] == "main..."


def test_make_impact_without_a_repository_says_how(installed: Path) -> None:
    done = make(installed, "impact")

    assert done.returncode != 0 and done.stdout == ""
    assert "make impact REPO=path BASE=main HEAD=feature" in done.stderr


def test_make_help_lists_every_command(installed: Path) -> None:
    commands = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert commands is not None

    told = make(installed).stdout

    assert [name for name in commands[1].split() if f"make {name} " not in told] == []


def test_a_python_that_is_too_old_is_said(installed: Path) -> None:
    (installed / ".venv" / "ready").unlink()
    old = installed / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    done = make(installed, "setup", f"PYTHON={old}")

    assert done.returncode != 0 and "Python 3.11 or later is needed" in done.stderr


def test_every_package_is_pinned_by_hash_and_no_address_is_named() -> None:
    text = (ROOT / "constraints.txt").read_text("utf-8")
    pinned = {name.lower() for name in re.findall(r"^([A-Za-z0-9_.-]+)==", text, re.M)}
    asked = [*PROJECT["project"]["dependencies"], *(one for some in PROJECT["project"]["optional-dependencies"].values() for one in some)]

    assert {re.split(r"[<>=!~;\[ ]", one)[0].lower() for one in asked} - pinned == {"maguyva"}
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.M)[1:])
    assert re.findall(r"\w+://\S+|^-.*", text, re.M) == []


def test_the_readme_tells_the_exit_codes_that_the_program_has() -> None:
    told = (ROOT / "README.md").read_text("utf-8").replace("`", "")

    assert [meaning for code, meaning in EXIT_CODES if f"| {code} | {meaning} |" not in told] == []


def test_every_page_that_a_page_links_to_is_there() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    links = [(page, link) for page in pages for link in re.findall(r"\]\((?!\w+:|#)([^)#]+)", page.read_text("utf-8"))]

    assert [f"{page.relative_to(ROOT)}: {link}" for page, link in links if not (page.parent / link).exists()] == []
