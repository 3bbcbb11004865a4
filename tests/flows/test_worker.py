"""`maguyva serve` is two processes: one receives, the other works. Each may end at any time, and the other knows what to do."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families

from bot.errors import DatabaseAway
from bot.jobs.fleet import Alone
from bot.serve import look_at_database
from bot.settings import read_settings
from bot.worker import Worker
from github import bodies
from github.simulator import Simulator, key_pair
from github.state import Clock
from support import kills
from support.kills import Victim, a_victim
from support.shop import SHOP

pytestmark = pytest.mark.anyio


async def test_a_worker_that_dies_is_started_again_and_deliveries_wait_for_it(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", secret=kills.SECRET, clock=Clock(real=True))
    async with sim.listening():
        shop = sim.repository("acme/shop", SHOP)
        pull = sim.open_pull_request(shop, {"shop/price.py": "def price(net, tax):\n    return net * tax\n"})
        async with a_victim(sim, tmp_path / "data") as victim:
            [first] = await victim.workers()
            os.kill(first, signal.SIGKILL)

            payload = {
                "action": "opened",
                "number": pull.number,
                "pull_request": bodies.pull(sim, shop, pull),
                "repository": bodies.repository(sim, shop),
                "installation": {"id": sim.installation_of(shop)},
                "sender": bodies.user("octocat"),
            }
            answered = await sim.deliver("pull_request", payload)
            await kills._settled(victim.database, sim)
            [second] = await victim.workers()
            numbers = await _numbers(victim)
            code = await victim.stop()

    assert answered.status == 202
    assert len(sim.our_comments(shop, pull.number)) == 1
    assert second != first
    assert numbers["maguyva_worker_restarts_total"] == 1
    assert numbers["maguyva_deliveries_total"] == 1, "counted by the one that receives"
    assert numbers["maguyva_github_writes_total"] > 0, "counted by the one that works"
    assert numbers["maguyva_worker_process_resident_memory_bytes"] > 0
    assert code == -signal.SIGTERM, "it ended because it was told to"
    assert not Path(f"/proc/{second}").exists(), "told to stop, with the service"
    log = victim.log.read_text()
    secrets = [kills.SECRET, *sim.tokens, *(line for line in key_pair()[0].splitlines() if not line.startswith("-----"))]
    assert "a job ended" in log and "a delivery" in log and [secret for secret in secrets if secret in log] == []


async def test_a_worker_ends_with_the_service_that_started_it(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", secret=kills.SECRET, clock=Clock(real=True))
    async with sim.listening(), a_victim(sim, tmp_path / "data") as victim:
        [worker] = await victim.workers()
        victim.kill()
        async with asyncio.timeout(60):
            while Path(f"/proc/{worker}").exists() and "\nState:\tZ" not in Path(f"/proc/{worker}/status").read_text():
                await asyncio.sleep(0.02)


async def test_a_worker_that_cannot_begin_is_not_started_for_ever() -> None:
    async with Worker((sys.executable, "-c", "raise SystemExit(7)")) as worker:
        async with asyncio.timeout(60):
            while worker.failed is None:
                await asyncio.sleep(0.02)

    assert worker.failed == 7


async def test_a_worker_that_dies_as_soon_as_it_is_ready_is_started_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.worker.PAUSE", 0.01)
    dies = (
        "import socket, sys; from bot.engines.wire import framed; socket.socket(fileno=int(sys.argv[1])).sendall(framed({'ready': True}))"
    )

    with structlog.testing.capture_logs() as told:
        async with Worker((sys.executable, "-c", dies)), asyncio.timeout(60):
            while len(told) < 4:
                await asyncio.sleep(0.02)

    assert [one["wait"] for one in told[:4]] == [0.01, 0.02, 0.04, 0.08]


async def test_a_worker_that_the_system_has_no_room_for_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of processes or memory for a moment: the service goes on receiving, and must not stay without a worker for ever."""
    monkeypatch.setattr("bot.worker.PAUSE", 0.01)
    start, refused = asyncio.create_subprocess_exec, 0

    async def starting(*command: str, **more: Any) -> asyncio.subprocess.Process:
        nonlocal refused
        if refused < 2 and worker._process.returncode is not None:
            refused += 1
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return await start(*command, **more)

    async with Worker((sys.executable, "-c", "import time; time.sleep(600)")) as worker:
        monkeypatch.setattr("asyncio.create_subprocess_exec", starting)
        first = worker._process
        first.kill()
        async with asyncio.timeout(60):
            while worker._process is first:
                await asyncio.sleep(0.02)
        second = worker._process.returncode
        worker._process.kill()

    assert refused == 2
    assert second is None, "at work"


async def test_a_second_worker_of_a_sqlite_database_waits_for_the_end_of_the_first(tmp_path: Path) -> None:
    with Alone(tmp_path / "queue.sqlite"), (tmp_path / "queue.sqlite.worker").open() as second, pytest.raises(BlockingIOError):
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)

    with Alone(tmp_path / "queue.sqlite"):
        pass


@pytest.mark.parametrize(
    ("database", "named"),
    [
        ("postgresql://me:hunter2hunter2@127.0.0.1:9/maguyva", "127.0.0.1:9/maguyva"),
        ("sqlite:////dev/null/queue.sqlite", "/dev/null/queue"),
    ],
)
async def test_a_database_that_is_away_is_told_in_a_sentence(database: str, named: str) -> None:
    with pytest.raises(DatabaseAway, match=re.escape(named)) as told:
        look_at_database(read_settings({"MAGUYVA_DATABASE_URL": database}))

    assert "MAGUYVA_DATABASE_URL" in str(told.value) and "hunter2" not in str(told.value) and "\n" not in str(told.value)


async def _numbers(victim: Victim) -> dict[str, float]:
    """Sums over all labels, by name."""
    async with httpx.AsyncClient() as client:
        text = (await client.get(f"http://127.0.0.1:{victim.port}/metrics")).text
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0.0) + sample.value
    return found
