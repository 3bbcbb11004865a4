"""action.yml really run: a workflow's job on this machine, with the simulated GitHub as its server.

Two things are ours instead of GitHub's: the cache (a folder, by an action of the same inputs and outputs), and the Python environment,
which is the one that runs these tests instead of one that is installed first.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository, Token
from support.repositories import a_repository
from support.shop import NEEDS_TAX, SHOP

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOW = """
on: [pull_request, merge_group]
jobs:
  impact:
    runs-on: ubuntu-latest
    steps:
      - id: impact
        uses: owner/maguyva@v1
        with: INPUTS
      - if: always()
        shell: bash
        run: printf '%s' "$OUTPUTS" > "$SEEN"
        env:
          OUTPUTS: ${{ toJSON(steps.impact.outputs) }}
"""
RESTORE = """
name: restore
description: the cache as a folder
inputs: {path: {description: x}, key: {description: x}, restore-keys: {description: x}}
outputs: {cache-hit: {description: x, value: "${{ steps.it.outputs.cache-hit }}"}}
runs:
  using: composite
  steps:
    - id: it
      shell: bash
      env: {KEPT: "FOLDER/${{ inputs.key }}", TO: "${{ inputs.path }}"}
      run: if [ -d "$KEPT" ]; then rm -rf "$TO"; cp -r "$KEPT" "$TO"; echo cache-hit=true >> "$GITHUB_OUTPUT"; fi
"""
NEVER = """
name: never
description: not run
runs: {using: composite, steps: [{shell: bash, run: exit 1}]}
"""
SAVE = """
name: save
description: the cache as a folder
inputs: {path: {description: x}, key: {description: x}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {KEPT: "FOLDER/${{ inputs.key }}", FROM: "${{ inputs.path }}"}
      run: cp -r "$FROM" "$KEPT"
"""


class Machine:
    """A runner of ours, with its folders, its cache and its workflow."""

    def __init__(self, folder: Path, sim: Simulator, shop: SimulatedRepository) -> None:
        self.folder, self.sim, self.shop = folder, sim, shop
        self.venv, self.cache, self.project, self.seen = folder / "venv", folder / "cache", folder / "project", folder / "seen.json"
        for made in (self.venv / "bin", self.cache):
            made.mkdir(parents=True)
        python = self.venv / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
        (self.venv / "ready").touch()
        used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
        self.mapped = sorted({re.sub(r"(actions/[\w-]+)[^@]*@", r"\1@", one) for one in used})
        for name, text in (("restore", RESTORE), ("save", SAVE)):
            (folder / "actions" / name).mkdir(parents=True)
            (folder / "actions" / name / "action.yml").write_text(text.replace("FOLDER", str(self.cache)))
        (folder / "actions" / "action.yml").write_text(NEVER)  # setup-python: asked for by an input that no test gives
        # The action as its users get it: what git has, and nothing else of this folder.
        shutil.copytree(ROOT, folder / "maguyva", ignore=shutil.ignore_patterns(".*", "tests", "docs", "__pycache__"))
        a_repository(self.project).commit({"README": "a project\n"})

    async def run(self, event: str, payload: dict[str, Any], **inputs: str) -> tuple[int, dict[str, str], str]:
        """-> (exit code of the job, outputs of the step, log)"""
        workflow = self.project / ".github" / "workflows" / "impact.yml"
        workflow.parent.mkdir(parents=True, exist_ok=True)
        given = {"token": "ghs_action", **inputs}
        workflow.write_text(WORKFLOW.replace("INPUTS", json.dumps(given)))
        (self.folder / "event.json").write_text(json.dumps({"repository": bodies.repository(self.sim, self.shop), **payload}))
        environment = {
            "GITHUB_SERVER_URL": self.sim.web,
            "GITHUB_API_URL": self.sim.api,
            "GITHUB_REPOSITORY": self.shop.full_name,
            "GITHUB_REPOSITORY_ID": str(self.shop.id),
            "MAGUYVA_VENV": str(self.venv),
            "SEEN": str(self.seen),
        }
        words = [
            *(str(Path(sys.executable).with_name("act")), event, "-C", str(self.project), "-P", "ubuntu-latest=-self-hosted"),
            *("--no-cache-server", "--no-skip-checkout", "-e", str(self.folder / "event.json")),
            *("--local-repository", f"{self.sim.web}/owner/maguyva@v1={self.folder / 'maguyva'}"),
            *(word for one in self.mapped for word in ("--local-repository", f"{self.sim.web}/{one}={self.folder / 'actions'}")),
            *(word for name, value in environment.items() for word in ("--env", f"{name}={value}")),
        ]
        home = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(self.folder / "act")}
        process = await asyncio.create_subprocess_exec(
            *words, env=home, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        log, _ = await asyncio.wait_for(process.communicate(), 120)
        assert self.seen.exists(), log.decode("utf-8", "replace")
        outputs = json.loads(self.seen.read_text())
        self.seen.unlink()
        return process.returncode or 0, outputs, log.decode("utf-8", "replace")

    async def pull(self, pull: SimulatedPull, **inputs: str) -> tuple[int, dict[str, str], str]:
        content = {"action": "opened", "number": pull.number, "pull_request": bodies.pull(self.sim, self.shop, pull)}
        return await self.run("pull_request", content, **inputs)


@asynccontextmanager
async def a_machine(folder: Path) -> AsyncIterator[Machine]:
    sim = Simulator(folder / "github", clock=Clock(real=True), slug="github-actions")
    async with sim.listening():
        shop = sim.repository("acme/shop", SHOP)
        may = {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write"}
        sim.tokens["ghs_action"] = Token(sim.installation_of(shop), {shop.id}, may, sim.clock() + 3_600)
        yield Machine(folder, sim, shop)
    assert sim.violations == []


async def test_a_job_comments_and_the_next_one_starts_from_its_index(tmp_path: Path) -> None:
    async with a_machine(tmp_path) as machine:
        pull = machine.sim.open_pull_request(machine.shop, NEEDS_TAX, title='`touch /tmp/x` $(touch x) "; touch x')

        code, outputs, log = await machine.pull(pull)
        again, warm, second = await machine.pull(pull, **{"fail-on": "breaks"})

        assert (code, outputs["risk"], outputs["tests"]) == (0, "breaks", "tests/test_cart.py::test_total"), log
        assert len(machine.sim.our_comments(machine.shop, pull.number)) == 1
        assert [one.name for one in machine.cache.iterdir() if one.name.endswith(pull.base_sha)] != []
        assert (again, warm["breaking"]) == (1, "1"), second
        assert "ghs_action" not in re.sub(r"(?m)^.*::add-mask::.*$", "", log + second)
        assert not (machine.project / "x").exists()


async def test_inputs_are_text_and_never_run(tmp_path: Path) -> None:
    async with a_machine(tmp_path) as machine:
        pull = machine.sim.open_pull_request(machine.shop, NEEDS_TAX)
        hostile = f'"; touch {tmp_path}/ran; echo "$(touch {tmp_path}/ran)'

        code, _, log = await machine.pull(pull, **{"fail-on": hostile, "base": hostile, "head": hostile})

        assert code != 0 and "fail-on must be one of" in log
        assert not (tmp_path / "ran").exists()


async def test_a_merge_group_is_looked_at_without_a_comment(tmp_path: Path) -> None:
    async with a_machine(tmp_path) as machine:
        pull = machine.sim.open_pull_request(machine.shop, NEEDS_TAX)

        code, outputs, log = await machine.run(
            "merge_group", {"merge_group": {"base_sha": pull.base_sha, "head_sha": pull.head_sha, "head_ref": "refs/heads/x"}}
        )

        assert (code, outputs["risk"], outputs["comment-url"]) == (0, "breaks", ""), log
