"""A job in a process of its own -> its answer, the CPU time and the peak memory of that process and all its children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a job did. Times in seconds, memory in bytes."""

    answer: Any  # what it printed, read as JSON; None where it printed none
    cpu: float  # user and system, children that ended included
    wall: float
    peak: int  # of the largest single process


class JobFailed(Exception):
    """A job ended with an error; the message holds the end of what it said."""


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Measured:
    """Run a command to its end. Raises JobFailed when it ends with another code than 0."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, cwd=folder, env=os.environ | dict(environment or {})
        )
        _, status, usage = os.wait4(process.pid, 0)  # its figures include every descendant it waited for
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            raise JobFailed(f"{' '.join(command)} ended with {process.returncode}:\n{errors.read().decode(errors='replace')[-2000:]}")
        printed = out.read().decode(errors="replace").strip().rpartition("\n")[2]
    answer = json.loads(printed) if printed[:1] in ("{", "[") else None
    return Measured(answer, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def job(name: str, *arguments: str | Path, program: Path = TESTS.parent) -> Measured:
    """Run one of `speed.jobs` in a fresh interpreter, of the program in that folder."""
    paths = os.pathsep.join([str(program), str(TESTS)])
    return run([sys.executable, "-m", "speed.jobs", name, *map(str, arguments)], {"PYTHONPATH": paths}, program)


def middle(runs: Sequence[Measured]) -> Measured:
    """The run whose CPU time is the median."""
    wanted = median(sorted(one.cpu for one in runs)[: len(runs) - (len(runs) + 1) % 2])  # of an even number, without the largest
    return next(one for one in runs if one.cpu == wanted)
