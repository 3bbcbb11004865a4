"""How long the Action's step takes where the cache has an index. Prints one JSON object.

    PYTHONPATH=.:tests python -m tests.speed.action PATH     # of a clone, for example Django's

What is measured is the step "Look" as `action.yml` runs it, `deploy/action/run.sh`, in the Python that runs this. Before each pull request
the runner's disk is empty but for what the cache brings: the step fetches both commits, reads the change, and writes the comment. The
cache is a tar file, as actions/cache keeps it; unpacking it is told apart. GitHub is simulated in this process, on the same cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from speed.app import _change, _changed, a_clone

from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository, Token

ROOT = Path(__file__).parents[2]
PULLS = 3
TOKEN = "ghs_action"
MAY = {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write"}


@dataclass(frozen=True, slots=True)
class Step:
    seconds: float
    cpu_seconds: float  # its own, and of the programs that it ran


async def warm(folder: Path, path: str) -> dict[str, Any]:
    sim = Simulator(folder / "github", clock=Clock(real=True), slug="github-actions")
    async with sim.listening():
        large = a_clone(sim, folder, path)
        sim.tokens[TOKEN] = Token(sim.installation_of(large), {large.id}, MAY, sim.clock() + 86_400)
        files = large.git.run("ls-tree", "-r", "--name-only", "main").decode().splitlines()
        pulls = [sim.open_pull_request(large, {_changed(files): _change(large, files, number)}) for number in range(PULLS + 1)]
        cache, runner = folder / "cache.tar", folder / "runner"
        runner.mkdir()
        first = await _look(sim, large, pulls[0], runner)
        _tar("--create", cache, runner)
        restored, steps = [], []
        for pull in pulls[1:]:
            shutil.rmtree(runner)
            runner.mkdir()
            began = time.perf_counter()
            _tar("--extract", cache, runner)
            restored.append(round(time.perf_counter() - began, 2))
            steps.append(await _look(sim, large, pull, runner))
    return {
        "files": len(files),
        "without_an_index_s": first.seconds,
        "cache_mb": round(cache.stat().st_size / 1e6, 1),
        "cache_unpacked_s": restored,
        "step_s": [one.seconds for one in steps],
        "step_cpu_s": [one.cpu_seconds for one in steps],
    }


async def _look(sim: Simulator, shop: SimulatedRepository, pull: SimulatedPull, runner: Path) -> Step:
    """The step, for a pull request that says nothing yet; it fails where no comment is written."""
    event = runner / "event.json"
    event.write_text(
        json.dumps({"repository": bodies.repository(sim, shop), "number": pull.number, "pull_request": bodies.pull(sim, shop, pull)})
    )
    environment = {
        "PATH": os.environ["PATH"],
        "ACTION": str(ROOT),
        "MAGUYVA_VENV": sys.prefix,
        "MAGUYVA_ACTION_TOKEN": TOKEN,
        "RUNNER_TEMP": str(runner),
        "GITHUB_SERVER_URL": sim.web,
        "GITHUB_API_URL": sim.api,
        "GITHUB_REPOSITORY": shop.full_name,
        "GITHUB_REPOSITORY_ID": str(shop.id),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_OUTPUT": str(runner / "output"),
        "GITHUB_STEP_SUMMARY": str(runner / "summary"),
    }
    step, code, said = await asyncio.to_thread(_timed, ["bash", str(ROOT / "deploy" / "action" / "run.sh")], environment, runner / "log")
    if code != 0 or len(sim.our_comments(shop, pull.number)) != 1:
        raise RuntimeError(f"The step ended with {code} and wrote no comment:\n{said[-3_000:]}")
    return step


def _timed(words: list[str], environment: dict[str, str], log: Path) -> tuple[Step, int, str]:
    with log.open("wb") as output:
        began = time.perf_counter()
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    step = Step(round(time.perf_counter() - began, 2), round(used.ru_utime + used.ru_stime, 2))
    return step, process.returncode, log.read_text("utf-8", "replace")


def _tar(way: str, cache: Path, runner: Path) -> None:
    what = ["maguyva-index"] if way == "--create" else []
    subprocess.run(["tar", way, "--file", str(cache), "--directory", str(runner), *what], check=True)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="maguyva-action-") as folder:
        print(json.dumps(asyncio.run(warm(Path(folder), arguments[0])), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
