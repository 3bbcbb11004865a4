"""The whole service in this process, with the simulated GitHub beside it.

    async with a_service(tmp_path) as service:
        shop = service.sim.repository("acme/shop", {"price.py": "..."})
        pull = service.sim.open_pull_request(shop, {"price.py": "..."})
        await service.tell_pull(shop, pull, "opened")
        await service.settled()

        assert len(service.sim.our_comments(shop, pull.number)) == 1

It is the service that `maguyva serve` runs, with its queue, its engine processes and its git; only uvicorn is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette

from bot.app import create_app
from bot.flows.tools import Tools
from bot.jobs.numbers import DEAD
from bot.jobs.service import JobService
from bot.pace import Pace
from bot.settings import Settings, read_settings
from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedComment, SimulatedPull, SimulatedRepository

AT_ONCE = Pace(minute=10**6, hour=10**6, gap=0.0, urgent_minute=10**6)
SETTLED_SECONDS = 60.0


def settings_for(sim: Simulator, home: Path, **changes: Any) -> Settings:
    """What `maguyva serve` reads, for the App of the simulator."""
    read = read_settings({"MAGUYVA_GITHUB_URL": sim.web, "MAGUYVA_DATA": str(home), "PATH": "/usr/bin:/bin"})
    return replace(read, **{"app": sim.credentials, "parsers": 2, **changes})


class Service:
    def __init__(self, sim: Simulator, app: Starlette) -> None:
        self.sim, self.app = sim, app
        self.jobs: JobService = app.state.jobs
        self.web = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service")

    @property
    def tools(self) -> Tools:
        assert self.jobs.tools is not None
        return self.jobs.tools

    async def post(self, headers: dict[str, str], body: bytes) -> int:
        return (await self.web.post("/webhook", content=body, headers=headers)).status_code

    # ---- what GitHub tells us

    def payload(self, where: SimulatedRepository, action: str, sender: str = "octocat", **more: Any) -> dict[str, Any]:
        return {
            "action": action,
            "repository": bodies.repository(self.sim, where),
            "installation": {"id": self.sim.installation_of(where)},
            "sender": bodies.user(sender),
            **more,
        }

    async def tell_pull(self, where: SimulatedRepository, pull: SimulatedPull, action: str = "opened", guid: str = "", **more: Any) -> int:
        content = {"number": pull.number, "pull_request": bodies.pull(self.sim, where, pull), **more}
        return (await self.sim.deliver("pull_request", self.payload(where, action, **content), guid=guid)).status

    async def tell_comment(self, where: SimulatedRepository, comment: SimulatedComment, action: str = "created", **more: Any) -> int:
        pull = where.pulls[comment.number]
        content: dict[str, Any] = {"comment": bodies.comment(self.sim, comment), **more}
        if comment.review:
            event, content = "pull_request_review_comment", content | {"pull_request": bodies.pull(self.sim, where, pull)}
        else:
            issue = {"number": pull.number, "pull_request": {}, "user": bodies.user(pull.author)}
            event, content = "issue_comment", content | {"issue": issue}
        return (await self.sim.deliver(event, self.payload(where, action, comment.login, **content))).status

    async def tell_push(self, where: SimulatedRepository, branch: str, before: str, after: str) -> int:
        told = {"ref": f"refs/heads/{branch}", "before": before, "after": after, "forced": False, "created": False, "deleted": False}
        payload = self.payload(where, "", **told)
        payload.pop("action")
        return (await self.sim.deliver("push", payload)).status

    async def tell_installation(self, action: str, number: int = 100, repositories: list[SimulatedRepository] | None = None) -> int:
        one = self.sim.installation(number)
        told = [{"id": repo.id, "name": repo.name, "full_name": repo.full_name, "private": repo.private} for repo in repositories or []]
        who = {"installation": bodies.installation(self.sim, one), "sender": bodies.user("octocat")}
        payload = {"action": action, **who, "repositories": told}
        return (await self.sim.deliver("installation", payload)).status

    # ---- until nothing is left to do

    async def settled(self, seconds: float = SETTLED_SECONDS) -> None:
        """Waits until nothing that GitHub sends again is under way and no job waits or runs; what waits for a time to come counts too."""
        async with asyncio.timeout(seconds):
            await asyncio.gather(*self.sim.background)
            while any((await self.jobs.numbers()).waiting.values()):
                await asyncio.sleep(0.03)

    async def runs(self) -> list[tuple[str, str]]:
        """(kind, outcome) of all jobs, first one first."""
        return [(one.kind, one.outcome) for one in reversed(await self.jobs.records.last_runs(1_000))]

    async def dead(self) -> list[str]:
        return [f"{one.id}: {one.says}" for one in await self.jobs.dead_letters()]


@asynccontextmanager
async def a_service(
    folder: Path, *, sim: Simulator | None = None, pace: Pace = AT_ONCE, more: Mapping[str, Any] | None = None, **changes: Any
) -> AsyncIterator[Service]:
    """`more`: for JobService. `changes`: of the settings."""
    sim = sim or Simulator(folder / "github", clock=Clock(real=True))
    async with sim.listening(), running(sim, folder / "data", pace, changes, more) as service:
        yield service


@asynccontextmanager
async def running(
    sim: Simulator, home: Path, pace: Pace, changes: Mapping[str, Any], more: Mapping[str, Any] | None = None
) -> AsyncIterator[Service]:
    """One life of the service; another one with the same `home` goes on where it ended."""
    app = create_app(settings_for(sim, home, **changes), pace=pace, **{"poll_seconds": 0.03, "stop_seconds": 5, **(more or {})})
    service = Service(sim, app)
    sim.hook = service.post
    async with service.web, app.router.lifespan_context(app):
        yield service


__all__ = ["AT_ONCE", "DEAD", "Service", "a_service", "running", "settings_for"]
