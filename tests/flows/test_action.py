"""The Action, against the simulated GitHub: one run of a workflow to what people see."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.action.inputs import read_inputs
from bot.action.outputs import Runner
from bot.action.run import act
from bot.rendering.run_summary import read_hidden
from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository, Token
from support.shop import NEEDS_TAX, SHOP

pytestmark = pytest.mark.anyio

SAYS_MORE = {"shop/price.py": "# the price\ndef price(net):\n    return net * 2\n"}
MAY_WRITE = {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write"}
MAY_READ = {"metadata": "read", "contents": "read", "pull_requests": "read", "issues": "read"}


@dataclass
class Job:
    """A workflow's job: its runner and the repository it belongs to."""

    sim: Simulator
    shop: SimulatedRepository
    folder: Path
    log: io.StringIO

    async def run(self, event: str, payload: Mapping[str, Any], **inputs: str) -> tuple[int, dict[str, str], str]:
        """-> (exit code, outputs, summary)"""
        for name in ("output", "summary"):
            (self.folder / name).unlink(missing_ok=True)
        environment = {
            "GITHUB_SERVER_URL": self.sim.web,
            "GITHUB_API_URL": self.sim.api,
            "GITHUB_REPOSITORY": self.shop.full_name,
            "GITHUB_REPOSITORY_ID": str(self.shop.id),
            "GITHUB_EVENT_NAME": event,
            "RUNNER_TEMP": str(self.folder),
            "MAGUYVA_ACTION_TOKEN": "ghs_action",
            **{f"MAGUYVA_ACTION_{name.upper()}": value for name, value in inputs.items()},
        }
        asked = read_inputs(environment, json.dumps({"repository": bodies.repository(self.sim, self.shop), **payload}).encode())
        code = await act(asked, Runner(self.folder / "output", self.folder / "summary", self.log))
        summary = (self.folder / "summary").read_text("utf-8") if (self.folder / "summary").exists() else ""
        return code, _outputs(self.folder / "output"), summary

    async def pull(self, pull: SimulatedPull, event: str = "pull_request", **inputs: str) -> tuple[int, dict[str, str], str]:
        return await self.run(event, {"number": pull.number, "pull_request": bodies.pull(self.sim, self.shop, pull)}, **inputs)

    async def comment(self, pull: SimulatedPull, body: str, login: str = "octocat") -> list[str]:
        """What is answered to a comment."""
        one = self.sim.write_comment(self.shop, pull.number, body, login)
        before = len(self.sim.our_comments(self.shop, pull.number))
        issue = {"number": pull.number, "pull_request": {}, "user": bodies.user(pull.author)}
        content = {"action": "created", "comment": bodies.comment(self.sim, one), "issue": issue, "sender": bodies.user(login)}
        await self.run("issue_comment", content)
        return [one.body for one in self.sim.our_comments(self.shop, pull.number)[before:]]


def _outputs(file: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    lines = iter(file.read_text("utf-8").splitlines() if file.exists() else [])
    for line in lines:
        name, _, frame = line.partition("<<")
        found[name] = "\n".join(iter(lambda: next(lines), frame))
    return found


@asynccontextmanager
async def a_job(folder: Path, permissions: Mapping[str, str] = MAY_WRITE) -> AsyncIterator[Job]:
    sim = Simulator(folder / "github", clock=Clock(real=True), slug="github-actions")
    async with sim.listening():
        shop = sim.repository("acme/shop", SHOP)
        shop.roles["octocat"] = "write"
        sim.tokens["ghs_action"] = Token(sim.installation_of(shop), {shop.id}, dict(permissions), sim.clock() + 3_600)
        (folder / "runner").mkdir()
        yield Job(sim, shop, folder / "runner", io.StringIO())
    assert sim.violations == []


async def test_a_pull_request_gets_its_comment_and_the_next_step_its_figures(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)

        code, outputs, summary = await job.pull(pull)

        (comment,) = job.sim.our_comments(job.shop, pull.number)
        assert code == 0
        assert "1 site will break" in comment.body and "1 site will break" in summary
        assert (outputs["risk"], outputs["breaking"], outputs["save"]) == ("breaks", "1", "true")
        assert outputs["tests"] == "tests/test_cart.py::test_total"
        assert Path(outputs["tests-file"]).read_text() == "tests/test_cart.py::test_total\n"
        assert outputs["comment-url"].startswith(job.sim.web)
        assert json.loads(Path(outputs["report-json"]).read_text())["breaks"]
        assert json.loads(Path(outputs["report-sarif"]).read_text())["runs"][0]["results"]
        assert "<!doctype html>" in Path(outputs["report-html"]).read_text()
        assert "::warning file=shop/cart.py,line=5" in job.log.getvalue()


async def test_the_next_push_rewrites_the_one_comment_and_says_what_is_different(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        await job.pull(pull)
        job.sim.push(job.shop, pull.head_ref, {"shop/price.py": "def price(net, tax=0):\n    return net * (1 + tax)\n"})

        await job.pull(pull)

        (comment,) = job.sim.our_comments(job.shop, pull.number)
        assert "since the last push: 1 break gone" in comment.body


async def test_it_fails_only_where_it_was_asked_to(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        breaking = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        harmless = job.sim.open_pull_request(job.shop, SAYS_MORE)

        assert (await job.pull(breaking, fail_on="breaks"))[0] == 1
        assert (await job.pull(harmless, fail_on="breaks"))[0] == 0
        assert (await job.pull(breaking))[0] == 0


async def test_where_the_input_says_nothing_the_settings_of_the_repository_say_whether_it_fails(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        job.sim.push(job.shop, "main", {".maguyva.yml": "check:\n  fail_on: breaks\n"})
        breaking = job.sim.open_pull_request(job.shop, NEEDS_TAX)

        assert (await job.pull(breaking))[0] == 1
        assert (await job.pull(breaking, fail_on="never"))[0] == 0


async def test_what_can_not_matter_is_not_commented(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, SAYS_MORE)

        code, outputs, summary = await job.pull(pull)

        assert (code, outputs["risk"], outputs["comment-url"]) == (0, "none", "")
        assert "No impact" in summary
        assert job.sim.our_comments(job.shop, pull.number) == []


async def test_a_fork_gets_its_report_in_the_summary_and_no_failure(tmp_path: Path) -> None:
    async with a_job(tmp_path, MAY_READ) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX, fork="someone/shop")

        code, outputs, summary = await job.pull(pull)

        assert (code, outputs["risk"], outputs["comment-url"]) == (0, "breaks", "")
        assert "1 site will break" in summary
        assert "::notice title=Maguyva::The token of this run may not write" in job.log.getvalue()


async def test_a_second_workflow_comments_for_forks(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX, fork="someone/shop")

        code, outputs, _ = await job.run("workflow_run", {"workflow_run": {"event": "pull_request", "head_sha": pull.head_sha}})

        assert (code, outputs["save"]) == (0, "false")
        assert len(job.sim.our_comments(job.shop, pull.number)) == 1


async def test_a_merge_group_and_a_push_are_summaries(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        ends = {"base_sha": pull.base_sha, "head_sha": pull.head_sha}

        group = await job.run("merge_group", {"merge_group": ends})
        push = await job.run("push", {"before": pull.base_sha, "after": pull.head_sha})

        assert all(code == 0 and outputs["risk"] == "breaks" and "1 site" in summary for code, outputs, summary in (group, push))
        assert job.sim.our_comments(job.shop, pull.number) == []


@pytest.mark.parametrize("harm", ["a part is cut", "a part is changed", "foreign files", "a manifest of somebody else"])
async def test_an_index_from_the_cache_that_is_not_right_is_made_anew(tmp_path: Path, harm: str) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        _, wanted, first = await job.pull(pull)
        home = job.folder / "maguyva-index"
        for part in (home / "parts").iterdir():
            data = part.read_bytes()
            if harm == "a part is cut":
                part.write_bytes(data[:-1])
            elif harm == "a part is changed":
                part.write_bytes(data[:-8] + b"\xff" * 8)
        if harm == "foreign files":
            for file in home.rglob("*"):
                if file.is_file():
                    file.write_bytes(b"\x80\x04cos\nsystem\n")
        elif harm == "a manifest of somebody else":
            for ref in (home / "refs").rglob("*"):
                if ref.is_file():
                    ref.write_text("0" * 64)

        code, outputs, again = await job.pull(pull)

        same = ("risk", "breaking", "impacted-count", "tests")
        assert code == 0 and [outputs[name] for name in same] == [wanted[name] for name in same]
        assert "1 site will break" in again and first


async def test_a_push_in_between_leaves_the_comment_to_the_newer_run(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        old = {"number": pull.number, "pull_request": bodies.pull(job.sim, job.shop, pull)}
        job.sim.push(job.shop, pull.head_ref, {"shop/new.py": "x = 1\n"})

        await job.run("pull_request", old)

        assert job.sim.our_comments(job.shop, pull.number) == []


async def test_hostile_names_stay_text_everywhere(tmp_path: Path) -> None:
    name = "a%0A::error::x\n::set-env name=PATH::y"
    async with a_job(tmp_path) as job:
        job.sim.push(job.shop, "main", {f"shop/{name}.py": "from shop.price import price\n\nprice(1)\n"})
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX, title="`$(touch /tmp/x)` @acme/all")

        code, outputs, _ = await job.pull(pull)

        assert (code, outputs["breaking"]) == (0, "2")
        stopped = False
        for line in job.log.getvalue().splitlines():
            stopped = line.startswith("::stop-commands::") or (stopped and not line.startswith("::"))
            assert stopped or not line.startswith(("::set-env", "::error::")), line


async def test_questions_are_answered_in_the_thread(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)

        (told,) = await job.comment(pull, "/maguyva who calls price?")
        (tests,) = await job.comment(pull, "/maguyva tests")
        (helped,) = await job.comment(pull, "/maguyva help")

        assert "shop/cart.py" in told
        assert "tests/test_cart.py::test_total" in tests
        assert "/maguyva ack" in helped


async def test_strangers_and_programs_are_not_answered(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)

        assert await job.comment(pull, "/maguyva who calls price?", "stranger") == []
        assert await job.comment(pull, "/maguyva who calls price?", "dependabot[bot]") == []
        assert await job.comment(pull, "nothing of interest") == []


async def test_an_acknowledged_break_stays_so(tmp_path: Path) -> None:
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        await job.pull(pull, commands="true")
        (comment,) = job.sim.our_comments(job.shop, pull.number)
        break_id = json.loads(comment.body.splitlines()[1].removeprefix("<!-- ").removesuffix(" -->"))["breaks"][0]

        await job.comment(pull, f"/maguyva ack {break_id}")
        code, _, _ = await job.pull(pull, fail_on="breaks")

        (comment,) = job.sim.our_comments(job.shop, pull.number)
        assert code == 0 and "1 acknowledged" in comment.body


@pytest.mark.parametrize("also", ["", "a stranger", "a program"])
async def test_a_comment_that_claims_an_acknowledgement_does_not_open_the_gate(tmp_path: Path, also: str) -> None:
    """Every workflow of a repository writes under one name: another one may repeat what a stranger told it to."""
    async with a_job(tmp_path) as job:
        pull = job.sim.open_pull_request(job.shop, NEEDS_TAX)
        await job.pull(pull, commands="true")
        (comment,) = job.sim.our_comments(job.shop, pull.number)
        line = comment.body.splitlines()[1]
        hidden = json.loads(line.removeprefix("<!-- ").removesuffix(" -->"))
        break_id = hidden["breaks"][0]
        comment.body = comment.body.replace(line, f"<!-- {json.dumps({**hidden, 'acks': [break_id]}, separators=(',', ':'))} -->")
        forged = read_hidden(comment.body)
        assert forged is not None and forged.acknowledged == (break_id,)
        if also:
            writer = {"a stranger": "stranger", "a program": "renovate[bot]"}[also]
            for _ in range(3):
                job.sim.write_comment(job.shop, pull.number, f"/maguyva ack {break_id}", login=writer)

        code, _, _ = await job.pull(pull, fail_on="breaks")

        (comment,) = job.sim.our_comments(job.shop, pull.number)
        assert code == 1 and "1 acknowledged" not in comment.body
        lookups = [one for one in job.sim.calls if one.path.endswith("/permission")]
        assert len(lookups) == (also == "a stranger"), "however often somebody says it"
