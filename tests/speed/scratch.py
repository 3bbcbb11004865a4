"""A tree -> a bare scratch repository with three commits: the tree as it is, with ten files edited, and with three hundred. The tree
is only read."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EDITED_FILES = 10
WIDELY_EDITED_FILES = 300
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
    """A bare repository and its commits: as it is, a few files edited, and many."""

    repository: Path
    base: str
    head: str
    wide: str
    edited: tuple[str, ...]
    widely_edited: tuple[str, ...]


def scratch_repository(tree: Path, folder: Path) -> Scratch:
    """A git repository (its HEAD is taken) or a plain folder, and an empty folder -> the scratch repository in it.
    The edited files are chosen by a hash of their path among those with a function that returns something."""
    git_in_tree = subprocess.run(["git", "-C", str(tree), "rev-parse", "--git-dir"], capture_output=True).returncode == 0
    if git_in_tree:
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", str(tree), str(folder)], check=True)
        base = _git(folder, "rev-parse", "HEAD")
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
        _git(folder, "--work-tree", str(tree.resolve()), "add", "--all", "--force", ".")
        base = _commit(folder, [], "The tree as it is")
    many = edited_files(folder, base, WIDELY_EDITED_FILES)
    few = dict(list(many.items())[:EDITED_FILES])
    head, wide = _edited(folder, base, few, "A few files edited"), _edited(folder, base, many, "Many files edited")
    for name, commit in (("base", base), ("head", head), ("wide", wide)):
        _git(folder, "update-ref", f"refs/heads/bench-{name}", commit)
    return Scratch(folder, base, head, wide, tuple(few), tuple(many))


def _edited(folder: Path, base: str, edits: Mapping[str, str], message: str) -> str:
    index = {"GIT_INDEX_FILE": str(folder / "bench-index")}
    _git(folder, "read-tree", base, environment=index)
    for path, content in edits.items():
        blob = _git(folder, "hash-object", "-w", "--stdin", given=content)
        _git(folder, "update-index", "--cacheinfo", f"100644,{blob},{path}", environment=index)
    return _commit(folder, ["-p", base], message, environment=index)


def edited_files(repository: Path, commit: str, most: int = EDITED_FILES) -> dict[str, str]:
    """Path -> new content of the chosen files, fewer than `most` where there are not more: a line more in one function, and one function
    more."""
    listed = _git(repository, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")
    paths = [path for path in listed if Path(path).suffix in EDITABLE and not LIKELY_TESTS.search(path)]
    edits: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: hashlib.sha1(path.encode()).hexdigest()):
        if len(edits) == most:
            break
        content = _git(repository, "show", f"{commit}:{path}", strip=False)
        if 500 < len(content) < 200_000 and (found := A_RETURN.search(content)):
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
