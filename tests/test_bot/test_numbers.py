"""What waits is counted by the database; DBOS's own list of jobs is the referee."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from dbos import DBOS

from bot.jobs.fleet import lock_of
from bot.jobs.service import WEB, JobService
from bot.settings import read_settings
from bot.types import Job, JobKind, RepositoryRef

pytestmark = pytest.mark.anyio

SHOP = RepositoryRef(42, "acme/shop", 9, False, "main", False)


async def test_jobs_that_wait_are_counted_by_queue(tmp_path: Path) -> None:
    service = JobService(read_settings({"MAGUYVA_DATA": str(tmp_path)}), WEB)  # it puts in, and nobody works
    async with service as jobs:
        before = await jobs.recent_numbers()
        for number in range(3):
            job = Job(JobKind.ANALYSE, SHOP.key_of_pull(number), "opened", 9, SHOP, number, "a" * 40)
            await jobs.receive(f"delivery-{number}", 9, 42, [job])
        build = Job(JobKind.BUILD, SHOP.key_of_branch("main"), "pushed", 9, SHOP, head_sha="b" * 40, branch="main")
        await jobs.receive("delivery-3", 9, 42, [build])  # it waits for a newer one before it begins
        await jobs.receive("delivery-4", 9, 42, [build, build])
        now = await jobs.numbers()
        listed = Counter(one.queue_name for one in await DBOS.list_workflows_async(status=["ENQUEUED", "DELAYED", "PENDING"]))

    assert {name: count for name, count in now.waiting.items() if count} == {"pull": 3, "build": 1, "deliver": 1} == listed
    assert (now.dead, now.repositories, now.indexed) == (0, 0, 0)
    assert sum(before.waiting.values()) == 0


async def test_numbers_for_everybody_are_counted_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.jobs.service.RECENT_SECONDS", 3_600.0)  # however slow the machine is
    service = JobService(read_settings({"MAGUYVA_DATA": str(tmp_path)}), WEB)
    async with service as jobs:
        first = await jobs.recent_numbers()
        await jobs.receive("delivery", 9, 42, [Job(JobKind.ANALYSE, SHOP.key_of_pull(1), "opened", 9, SHOP, 1, "a" * 40)])

        assert await jobs.recent_numbers() is first
        monkeypatch.setattr("bot.jobs.service.RECENT_SECONDS", -1.0)
        assert (await jobs.recent_numbers()).waiting["pull"] == 1
        assert (await jobs.numbers()).waiting["pull"] == 1


def test_every_worker_has_a_lock_of_its_own() -> None:
    names = [f"maguyva-worker-{number}" for number in range(100_000)]

    locks = {lock_of(name) for name in names}

    assert len(locks) == len(names), "with 32 bits, one in a few such fleets has two of the same"
    assert all(-(2**63) <= one < 2**63 for one in locks)
