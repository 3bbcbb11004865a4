"""What is measured, each in a process of its own: `python -m speed.jobs NAME ARGUMENTS` prints one line of JSON."""

from __future__ import annotations

import json
import os
import resource
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
    """Import the engine and what indexes, and do nothing: what every other job pays before it begins."""
    import index.build
    import index.engine  # noqa: F401

    return {}


def build(repository: str, home: str, commit: str, paths: str, vectors: str) -> dict[str, Any]:
    """A full index into an empty home. Writes the paths it parsed, for `parse`."""
    from index.engine import Engine

    phases = _Phases()
    with Engine(Path(repository), Path(home), phases, vectors=vectors == "vectors") as engine:
        before = _cpu()
        snapshot = engine.update(commit)
        spent = _cpu() - before
        files = snapshot.parts["files"]
        sizes = {name: size for name, (_, size) in engine.store.part_digests(engine.key, commit).items()}
        columns = {name: _largest(snapshot.parts[name]) for name in sizes}
        parsed = [path for path, status in zip(snapshot.raw_paths, files["status"].tolist(), strict=True) if status == 0]
    parsed = [path for path in parsed if Path(os.fsdecode(path)).suffix in GRAMMARS]
    Path(paths).write_bytes(b"\0".join(parsed))
    return {
        "cpu": spent,
        "files": len(files["size"]),
        "bytes": int(files["size"].sum()),
        "parts": sizes | {"facts of files": sum(path.stat().st_size for path in (Path(home) / "facts").iterdir())},
        "columns": columns,
        "peaks": phases.peaks,
        "symbols": snapshot.symbol_count,
        "edges": len(snapshot.parts["edges"]["source"]),
        "unresolved": len(snapshot.parts["open"]["source"]),
    }


class _Phases:
    """Progress that notes how much memory had been used at most when each phase ended, in bytes."""

    def __init__(self) -> None:
        self.peaks: dict[str, int] = {}
        self._title = ""

    def start(self, title: str, total: int) -> None:
        self._title = title

    def advance(self, count: int = 1) -> None: ...

    def finish(self) -> None:
        self.peaks[self._title] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _largest(part: Any) -> list[tuple[str, int]]:
    """The three columns of a part that take the most bytes on the disk."""
    sizes = {name: part.stored_bytes(name) if hasattr(part, "stored_bytes") else part[name].nbytes for name in part}
    return sorted(sizes.items(), key=lambda one: (-one[1], one[0]))[:3]


def again(repository: str, home: str, base: str, head: str) -> dict[str, Any]:
    """One more commit on top of an index that is there and open. CPU and wall seconds of the update alone."""
    import index.build  # noqa: F401  (the first update of a process pays for it, whatever it does)
    from index.engine import Engine

    with Engine(Path(repository), Path(home)) as engine:
        engine.update(base)
        before, started = _cpu(), time.perf_counter()
        engine.update(head)
        return {"cpu": _cpu() - before, "wall": time.perf_counter() - started}


def impact(repository: str, home: str, base: str, head: str) -> dict[str, Any]:
    """What a change can break, from the index of its base: what a pull request costs. Its overlay alone, both together, and then the
    same once more, when both ends are there."""
    import index.build  # noqa: F401
    from index.engine import Engine

    with Engine(Path(repository), Path(home)) as engine:
        snapshot = engine.update(base)
        before, started = _cpu(), time.perf_counter()
        engine.overlay(snapshot, head)
        overlaid = _cpu() - before
        report = engine.impact(f"{base}..{head}")
        spent, elapsed = _cpu() - before, time.perf_counter() - started
        before, started = _cpu(), time.perf_counter()
        engine.impact(f"{base}..{head}")
        once_more, elapsed_again = _cpu() - before, time.perf_counter() - started
        engine.update(head)  # for the command line, which finds both ends indexed
        return {
            "overlay": overlaid,
            "cpu": spent,
            "wall": elapsed,
            "again": once_more,
            "again wall": elapsed_again,
            "changed": len(report.changed),
            "reached": len(report.reached),
        }


def queries(repository: str, home: str, commit: str) -> dict[str, Any]:
    """Open the index, then ask for the impact of 200 symbols: milliseconds to open, and of each answer; those of the first call apart."""
    import numpy as np

    from index.engine import Engine
    from index.retrievers.graph import impact as reached
    from index.types import Query, SymbolKind

    with Engine(Path(repository), Path(home)) as engine:
        started = time.perf_counter()
        snapshot = engine.update(commit)
        opened = time.perf_counter() - started
        kinds = np.isin(snapshot.parts["symbols"]["kind"], [SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS])
        used = np.flatnonzero(kinds & (np.diff(snapshot.reverse["offsets"]) > 0))
        asked = used[np.linspace(0, len(used) - 1, 200).astype(int)].tolist()
        times, found = [], 0
        for row in asked:
            query = Query(text="", intent="impact_analysis", subject=snapshot.qualified(row), symbols=(row,))
            started = time.perf_counter()
            found += len(reached(query, snapshot, 50))
            times.append(time.perf_counter() - started)
    first, rest = times[0], sorted(times[1:])
    return {
        "open": opened,
        "first": first,
        "p50": rest[len(rest) // 2],
        "p95": rest[int(len(rest) * 0.95)],
        "max": rest[-1],
        "found": found,
    }


def asking(repository: str, home: str, commit: str, ripgrep: str = "") -> dict[str, Any]:
    """Every kind of question to an open index: see `speed.asking`."""
    from speed.asking import asking as measured

    return measured(repository, home, commit, ripgrep)


JOBS: Mapping[str, Callable[..., dict[str, Any]]] = {job.__name__: job for job in (parse, start, build, again, impact, queries, asking)}


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
    """Seconds of this process and of its children that ended, to the microsecond: `os.times` counts in hundredths."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](*sys.argv[2:])))
