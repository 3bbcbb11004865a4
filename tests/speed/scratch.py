"""A tree -> a bare scratch repository with two commits: the tree as it is, and with ten files edited. The tree is only read."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EDITED_FILES = 10
EDITABLE = {".py": ("{indent}edited_by_the_bench = 1\n", "\n\ndef added_by_the_bench(value):\n    return value\n")} | dict.fromkeys(
    (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
    ("{indent}const editedByTheBench = 1;\n", "\nexport function addedByTheBench(value) {\n  return value;\n}\n"),
)
LIKELY_TESTS = re.compile(r"(^|/)(tests?|__tests__|docs?|examples?)/|(^|/)test_|\.(test|spec)\.")
A_RETURN = re.compile(r"^([ \t]+)return\b.*[\w)\]}'\";]$", re.MULTILINE)
FIXED = {
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.invalid",
    "GIT_AUTHOR_DATE": "2025-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.invalid",
    "GIT_COMMITTER_DATE": "2025-01-01T00:00:00Z",
}


@dataclass(frozen=True, slots=True)
class Scratch:
    """A bare repository and its two commits."""

    repository: Path
    base: str
    head: str
    edited: tuple[str, ...]


def scratch_repository(tree: Path, folder: Path) -> Scratch:
    """A git repository (its HEAD is taken) or a plain folder, and an empty folder -> the scratch repository in it.
    The ten edited files are chosen by a hash of their path among those with a function that returns something."""
    git_in_tree = subprocess.run(["git", "-C", str(tree), "rev-parse", "--git-dir"], capture_output=True).returncode == 0
    if git_in_tree:
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", str(tree), str(folder)], check=True)
        base = _git(folder, "rev-parse", "HEAD")
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
        _git(folder, "--work-tree", str(tree.resolve()), "add", "--all", "--force", ".")
        base = _commit(folder, [], "The tree as it is")
    index = {"GIT_INDEX_FILE": str(folder / "bench-index")}
    _git(folder, "read-tree", base, environment=index)
    edits = edited_files(folder, base)
    for path, content in edits.items():
        blob = _git(folder, "hash-object", "-w", "--stdin", given=content)
        _git(folder, "update-index", "--cacheinfo", f"100644,{blob},{path}", environment=index)
    head = _commit(folder, ["-p", base], "Ten files edited", environment=index)
    _git(folder, "update-ref", "refs/heads/bench-base", base)
    _git(folder, "update-ref", "refs/heads/bench-head", head)
    return Scratch(folder, base, head, tuple(edits))


def edited_files(repository: Path, commit: str) -> dict[str, str]:
    """Path -> new content of the ten chosen files: a line more in one function, and one function more."""
    listed = _git(repository, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")
    paths = [path for path in listed if Path(path).suffix in EDITABLE and not LIKELY_TESTS.search(path)]
    edits: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: hashlib.sha1(path.encode()).hexdigest()):
        content = _git(repository, "show", f"{commit}:{path}", strip=False)
        if len(edits) < EDITED_FILES and 500 < len(content) < 200_000 and (found := A_RETURN.search(content)):
            line, function = EDITABLE[Path(path).suffix]
            edits[path] = content[: found.start()] + line.format(indent=found[1]) + content[found.start() :] + function
    return edits


def _commit(repository: Path, parents: list[str], message: str, environment: Mapping[str, str] | None = None) -> str:
    tree = _git(repository, "write-tree", environment=environment)
    return _git(repository, "commit-tree", tree, *parents, "-m", message, environment={**FIXED, **(environment or {})})


def _git(repository: Path, *arguments: str, given: str = "", environment: Mapping[str, str] | None = None, strip: bool = True) -> str:
    command = ["git", f"--git-dir={repository}", *arguments]
    done = subprocess.run(command, input=given.encode(), check=True, capture_output=True, env=os.environ | dict(environment or {}))
    text = done.stdout.decode(errors="replace")
    return text.strip() if strip else text
