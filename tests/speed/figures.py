"""A tree -> the figures: how much more than bare parsing an index costs, what a change costs, how quickly a question is answered.

CPU time is user and system time of the process and all its children, so that a pool of workers hides nothing. Of every figure
the run with the median CPU counts. Times depend on the machine; the ratios to bare parsing in the same run do not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from speed.children import Measured, job, middle, run
from speed.scratch import Scratch, scratch_repository

from index.version import compiled

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    value: float
    unit: str
    said: str = ""


def measure(tree: Path, folder: Path, *, runs: int, peer: Path | None, progress: Callable[[str], object]) -> list[Figure]:
    """Everything, in an order that lets each step use the index of the one before. `folder` is empty and ours."""
    progress(f"copying {tree} into a scratch repository")
    scratch = scratch_repository(tree, folder / "scratch.git")
    figures = _building(scratch, folder, runs, progress)
    if peer is not None:
        figures += _peer(scratch, folder, peer, figures[0].value, progress)
    return figures


def _building(scratch: Scratch, folder: Path, runs: int, progress: Callable[[str], object]) -> list[Figure]:
    parsed, repository = folder / "parsed", scratch.repository
    progress("indexing from nothing")
    with_vectors = [_fresh("build", scratch, folder / f"home-{number}", parsed, "vectors") for number in range(runs)]
    without = [_fresh("build", scratch, folder / f"bare-{number}", parsed, "no-vectors") for number in range(runs)]
    progress("parsing, and nothing else")
    floor = middle([job("parse", repository, scratch.base, parsed) for _ in range(runs)]).answer
    start = middle([job("start") for _ in range(runs)])
    built, plain = middle(with_vectors), middle(without)
    home = folder / "home-0"
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    progress("one commit more")
    changed: list[Measured] = []
    few: list[Measured] = []
    many: list[Measured] = []
    homes: list[Path] = []
    for _ in range(runs):
        for name, found, head in (("again", changed, scratch.head), ("impact", few, scratch.head), ("impact", many, scratch.wide)):
            homes.append(folder / f"changed-{len(homes)}")
            shutil.copytree(home, homes[-1])
            found.append(job(name, repository, homes[-1], scratch.base, head))
    answers = [job("queries", repository, home, scratch.base) for _ in range(runs)]
    progress("questions")
    asking = [job("asking", repository, home, scratch.base, shutil.which("rg") or "").answer for _ in range(runs)]
    progress("the command line")
    cli, wide = _command_line(scratch, homes[1], scratch.head, runs), _command_line(scratch, homes[2], scratch.wide, runs)
    other = _other_form(scratch, folder, parsed, floor["cpu"], start.cpu, runs, progress)
    cost, plain_cost = built.cpu - start.cpu, plain.cpu - start.cpu
    files, text = built.answer["files"], built.answer["bytes"]
    return [
        Figure("bare parsing", floor["cpu"], "s CPU", f"{floor['files']} files, {floor['bytes'] / 1e6:.1f} MB: the floor"),
        Figure(
            "full index",
            cost,
            "s CPU",
            f"{files} files, {text / 1e6:.1f} MB of text, {_counts(built)}; start-up of {start.cpu:.2f} s not counted",
        ),
        Figure("  as a ratio to bare parsing", cost / floor["cpu"], "×", "compiled" if compiled() else "in plain Python"),
        Figure("full index without vectors", plain_cost, "s CPU"),
        Figure("  as a ratio to bare parsing", plain_cost / floor["cpu"], "×"),
        Figure("  wall", built.wall, "s"),
        Figure("  peak memory", built.peak / 1e6, "MB", f"of the largest process; {_phases(built)}"),
        Figure("index on disk", size / 1e6, "MB", f"{size / text:.2f} bytes per byte of text"),
        Figure("  without contents", (size - built.answer["parts"]["content"]) / text, "bytes", "per byte of text: what was made of it"),
        *_parts(built),
        Figure(f"{len(scratch.edited)} changed files, new snapshot", 1000 * _least(changed, "cpu"), "ms CPU"),
        Figure("  as an overlay of a pull request", 1000 * _least(few, "overlay"), "ms CPU", "the rest is put together when asked for"),
        *_reports(scratch.edited, few),
        *_reports(scratch.widely_edited, many),
        *other,
        Figure("open an index", 1000 * _least(answers, "open"), "ms wall", "warm page cache"),
        Figure("impact of a symbol, p50", 1000 * _least(answers, "p50"), "ms wall", "three steps, 50 places, 200 symbols"),
        Figure("  p95", 1000 * _least(answers, "p95"), "ms wall", f"largest {1000 * _least(answers, 'max'):.1f}"),
        *_asking(asking),
        Figure("maguyva impact, start to end", 1000 * cli.wall, "ms wall", f"{1000 * cli.cpu:.0f} ms CPU; both ends indexed, run before"),
        Figure(f"  of {len(scratch.widely_edited)} files", 1000 * wide.wall, "ms wall", f"{1000 * wide.cpu:.0f} ms CPU"),
    ]


def _phases(built: Measured) -> str:
    """How much had been used at most when each phase ended."""
    return "at the end of " + ", ".join(f"{title.lower()} {peak / 1e6:.0f}" for title, peak in built.answer["peaks"].items())


def _parts(built: Measured) -> Iterator[Figure]:
    """What each part of the index takes on the disk, the largest first; those below a hundredth of the whole together."""
    sizes, text = built.answer["parts"], built.answer["bytes"]
    small = {name for name, size in sizes.items() if size * 100 < sum(sizes.values())}
    for name, size in sorted(sizes.items(), key=lambda one: (-one[1], one[0])):
        if name not in small:
            columns = [f"{column} {its / size:.0%}" for column, its in built.answer["columns"].get(name, ()) if its * 20 > size]
            said = "; ".join([f"{size / text:.3f} bytes per byte of text", *([", ".join(columns)] if columns else [])])
            yield Figure(f"    {name}", size / 1e6, "MB", said)
    yield Figure("    other parts", sum(sizes[name] for name in small) / 1e6, "MB", ", ".join(sorted(small)))


def _reports(edited: tuple[str, ...], runs: list[Measured]) -> list[Figure]:
    """What a pull request costs a process that has its base open, and the same again when its head is indexed too."""
    said = f"{1000 * _least(runs, 'cpu'):.0f} ms CPU; the overlay included"
    again = f"{1000 * _least(runs, 'again'):.0f} ms CPU"
    return [
        Figure(f"report of a pull request of {len(edited)} files", 1000 * _least(runs, "wall"), "ms wall", said),
        Figure("  both ends indexed", 1000 * _least(runs, "again wall"), "ms wall", again),
    ]


def _command_line(scratch: Scratch, home: Path, head: str, runs: int) -> Measured:
    """As a person runs it who ran it before: Python has kept the bytecode of the modules, which takes a quarter of a second to make.
    Elsewhere it may be told not to (`PYTHONDONTWRITEBYTECODE`), so here it is told where."""
    where = ["--repo", str(scratch.repository), "--index", str(home), "--json", "--quiet"]
    command = [sys.executable, "-m", "bot", "impact", *where, f"{scratch.base}..{head}"]
    kept = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home.parent / "bytecode")}
    run(command, kept)
    return min((run(command, kept) for _ in range(runs)), key=lambda one: one.wall)


# What `speed.asking` measures, and what it is called.
KINDS_OF_QUESTION = (
    ("classify", "classification of a question"),
    ("literal", "literal, first 200 places"),
    ("references", "every place of an identifier"),
    ("definition", "definition of a name"),
    ("regex", "regular expression, first 200 lines"),
    ("fused", "question to all four retrievers, vector given"),
)


def _asking(runs: list[dict[str, Any]]) -> Iterator[Figure]:
    """Of each figure the smallest of the runs."""
    for name, called in KINDS_OF_QUESTION:
        for at in ("p50", "p95"):
            value = min(float(one[name][at]) for one in runs)
            yield Figure(f"{called}, p50" if at == "p50" else "  p95", value, "ms CPU")
    if scans := [one["against ripgrep"] for one in runs if one["against ripgrep"]]:
        best = max(scans, key=lambda one: float(one["median"]))
        yield Figure("literal against ripgrep's full scan", float(best["median"]), "×", f"median of wall times; least {best['least']:.0f}")


def _least(runs: list[Measured], name: str) -> float:
    """The smallest of the runs: of something this short, all else is somebody else's load."""
    return float(min(one.answer[name] for one in runs))


def _fresh(name: str, scratch: Scratch, home: Path, parsed: Path, how: str, program: Path = ROOT) -> Measured:
    home.mkdir()
    return job(name, scratch.repository, home, scratch.base, parsed, how, program=program)


# What is copied of the program to be run in its other form: what `deploy/compile.py` reads.
PROGRAM = ("index", "bot", "deploy", "tests/corpus", "pyproject.toml")


def _other_form(
    scratch: Scratch, folder: Path, parsed: Path, floor: float, start: float, runs: int, progress: Callable[[str], object]
) -> list[Figure]:
    """The same work by the program in the form that this is not: compiled if this is its text, and the other way round."""
    form = "in plain Python" if compiled() else "compiled"
    progress(f"the same {form}" if compiled() else "the same compiled: compiling takes a few minutes")
    program = folder / "other"
    for name in PROGRAM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, program / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
        else:
            shutil.copy2(ROOT / name, program / name)
    if not compiled():
        made = subprocess.run([sys.executable, "deploy/compile.py"], cwd=program, capture_output=True, text=True)
        if made.returncode:
            progress(f"the compiled form is not measured, because it could not be made here: {made.stderr.strip().rpartition(chr(10))[2]}")
            return []
    homes = [folder / f"other-{number}" for number in range(runs)]
    built = middle([_fresh("build", scratch, home, parsed, "vectors", program) for home in homes])
    changed, few = [], []
    for name, found in (("again", changed), ("impact", few)):
        for number in range(runs):
            home = folder / f"other-{name}-{number}"
            shutil.copytree(homes[0], home)
            found.append(job(name, scratch.repository, home, scratch.base, scratch.head, program=program))
    return [
        Figure(f"{form}: full index", built.cpu - start, "s CPU"),
        Figure("  as a ratio to bare parsing", (built.cpu - start) / floor, "×"),
        Figure("  peak memory", built.peak / 1e6, "MB", f"of the largest process; {_phases(built)}"),
        Figure(f"  {len(scratch.edited)} changed files, new snapshot", 1000 * _least(changed, "cpu"), "ms CPU"),
        Figure("  as an overlay of a pull request", 1000 * _least(few, "overlay"), "ms CPU"),
    ]


def _counts(built: Measured) -> str:
    return ", ".join(f"{built.answer[name]:,} {name}" for name in ("symbols", "edges", "unresolved"))


def _peer(scratch: Scratch, folder: Path, venv: Path, floor: float, progress: Callable[[str], object]) -> list[Figure]:
    """code-review-graph on the same commits. It works on a check-out, so it gets one: the only place where a tree is checked out."""
    progress("code-review-graph: build, then update")
    program, tree = str(venv / "bin" / "code-review-graph"), folder / "peer"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(scratch.repository), str(tree)], check=True)
    _check_out(tree, scratch.base)
    built = run([program, "build", "-q", "--repo", str(tree)])
    _check_out(tree, scratch.head)
    updated = run([program, "update", "-q", "--base", scratch.base, "--repo", str(tree)])
    started = run([program, "--version"])
    size = sum(path.stat().st_size for path in (tree / ".code-review-graph").rglob("*") if path.is_file())
    return [
        Figure(
            "code-review-graph, full index",
            built.cpu - started.cpu,
            "s CPU",
            f"peak {built.peak / 1e6:.0f} MB, {size / 1e6:.0f} MB on disk",
        ),
        Figure("  as a ratio to bare parsing", (built.cpu - started.cpu) / floor, "×"),
        Figure(f"code-review-graph, {len(scratch.edited)} changed files", 1000 * (updated.cpu - started.cpu), "ms CPU"),
    ]


def _check_out(tree: Path, commit: str) -> None:
    hooks_off = ["-c", "core.hooksPath=/dev/null"]
    subprocess.run(["git", "-C", str(tree), *hooks_off, "checkout", "-q", "--force", "--detach", commit], check=True, stdout=sys.stderr)
