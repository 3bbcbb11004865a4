"""What is measured, each in a process of its own: `python -m speed.jobs NAME ARGUMENTS` prints one line of JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a thread pool would be started at import and never used

GRAMMARS = {
    **dict.fromkeys((".py", ".pyi"), ("tree_sitter_python", "language")),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript")),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
}


def parse(repository: str, commit: str, paths: str) -> dict[str, Any]:
    """Parse the listed files with bare `Parser.parse` and nothing else: the floor. CPU seconds, files, bytes."""
    import importlib

    import tree_sitter

    wanted = Path(paths).read_bytes().split(b"\0")
    sources = [(Path(os.fsdecode(path)).suffix, content) for path, content in _contents(repository, commit, wanted)]
    parsers = {}
    for suffix in {suffix for suffix, _ in sources}:
        module, function = GRAMMARS[suffix]
        parsers[suffix] = tree_sitter.Parser(tree_sitter.Language(getattr(importlib.import_module(module), function)()))
    started = time.process_time()
    for suffix, content in sources:
        parsers[suffix].parse(content)
    return {"cpu": time.process_time() - started, "files": len(sources), "bytes": sum(len(content) for _, content in sources)}


def start() -> dict[str, Any]:
    """Import the engine and do nothing: what every other job pays before it begins."""
    import index.engine  # noqa: F401

    return {}


def build(repository: str, home: str, commit: str, paths: str, vectors: str) -> dict[str, Any]:
    """A full index into an empty home. Writes the paths it parsed, for `parse`."""
    from index.engine import Engine

    before = _cpu()
    snapshot = Engine(Path(repository), Path(home)).update(commit)
    spent = _cpu() - before
    files = snapshot.parts["files"]
    parsed = [path for path, status in zip(snapshot.raw_paths, files["status"].tolist(), strict=True) if status == 0]
    parsed = [path for path in parsed if Path(os.fsdecode(path)).suffix in GRAMMARS]
    Path(paths).write_bytes(b"\0".join(parsed))
    return {
        "cpu": spent,
        "files": len(files["size"]),
        "bytes": int(files["size"].sum()),
        "symbols": snapshot.symbol_count,
        "edges": len(snapshot.parts["edges"]["source"]),
        "unresolved": len(snapshot.parts["open"]["source"]),
    }


def again(repository: str, home: str, commit: str) -> dict[str, Any]:
    """One more commit on top of an index that is there. CPU and wall seconds of the update alone."""
    from index.engine import Engine

    engine = Engine(Path(repository), Path(home))
    before, started = _cpu(), time.perf_counter()
    engine.update(commit)
    return {"cpu": _cpu() - before, "wall": time.perf_counter() - started}


JOBS: Mapping[str, Callable[..., dict[str, Any]]] = {job.__name__: job for job in (parse, start, build, again)}


def _contents(repository: str, commit: str, wanted: list[bytes]) -> list[tuple[bytes, bytes]]:
    import io
    import subprocess
    import tarfile

    archive = subprocess.run(["git", f"--git-dir={repository}", "archive", commit], check=True, capture_output=True).stdout
    keep, found = set(wanted), []
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            name = os.fsencode(member.name)
            if name in keep and (content := tar.extractfile(member)) is not None:
                found.append((name, content.read()))
    return found


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](*sys.argv[2:])))
