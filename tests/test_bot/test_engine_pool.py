"""Engine processes: what they answer, and what becomes of those that hang, die or eat memory."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.engines.pool import EnginePool, Lane, Limits
from bot.errors import EngineFailed, EngineOverran, EngineRefused
from support.repositories import a_repository

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def a_pool(slots: int = 1, seconds: float = 30.0, **limits: float) -> AsyncIterator[EnginePool]:
    pool = EnginePool(Limits({"pull": Lane(slots, seconds, 0)}, **limits))  # type: ignore[arg-type]
    try:
        yield pool
    finally:
        await pool.close()


@pytest.fixture
def shop(tmp_path: Path) -> dict[str, str]:
    repository = a_repository(tmp_path / "shop")
    commit = repository.commit({"tax.py": "def rate():\n    return 1\n"})
    return {"clone": str(repository.path), "home": str(tmp_path / "index"), "commit": commit}


async def test_a_process_answers_and_is_used_again(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        first = await pool.ask("pull", "index", "1", shop)
        again = await pool.ask("pull", "index", "1", shop)

        assert (first["files"], first["symbols"]) == (again["files"], again["symbols"]) == (1, 2)
        assert pool.started == 1


async def test_what_the_engine_refuses_arrives_in_its_own_words(tmp_path: Path) -> None:
    async with a_pool() as pool:
        with pytest.raises(EngineRefused, match="is not a git repository") as refused:
            await pool.ask("pull", "index", "1", {"clone": str(tmp_path), "home": str(tmp_path / "index"), "commit": "main"})

    assert refused.value.kind == "NotARepository"


async def test_a_fault_of_ours_is_told_from_a_refusal_and_shows_no_content(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        with pytest.raises(EngineFailed, match=r"KeyError at \w+\.py:\d+"):
            await pool.ask("pull", "no such task", "1", shop)


async def test_a_task_that_takes_too_long_is_ended_with_its_process(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        await pool.ask("pull", "index", "1", shop)
        (stopped,) = pool.processes
        os.kill(stopped, signal.SIGSTOP)

        with pytest.raises(EngineOverran, match=r"longer than 0\.2 seconds"):
            await pool.ask("pull", "index", "1", shop, seconds=0.2)

        assert (await pool.ask("pull", "index", "1", shop))["files"] == 1
        assert pool.started == 2


async def test_a_process_that_dies_is_replaced(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        await pool.ask("pull", "index", "1", shop)
        (dying,) = pool.processes
        os.kill(dying, signal.SIGSTOP)
        asked = asyncio.create_task(pool.ask("pull", "index", "1", shop))
        await asyncio.sleep(0.1)
        os.kill(dying, signal.SIGKILL)

        with pytest.raises(EngineFailed, match="ended in the middle of `index`"):
            await asked
        assert (await pool.ask("pull", "index", "1", shop))["files"] == 1


async def test_memory_has_an_end_and_the_next_task_has_it_all(shop: dict[str, str]) -> None:
    async with a_pool(memory=60 << 20) as pool:  # less than the engine's own modules need
        with pytest.raises((EngineOverran, EngineFailed)):
            await pool.ask("pull", "index", "1", shop)


async def test_cancelling_kills_the_process(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        await pool.ask("pull", "index", "1", shop)
        (stopped,) = pool.processes
        os.kill(stopped, signal.SIGSTOP)
        asked = asyncio.create_task(pool.ask("pull", "index", "1", shop))
        await asyncio.sleep(0.1)
        asked.cancel()

        with pytest.raises(asyncio.CancelledError):
            await asked
        await pool.settle()
        assert not Path(f"/proc/{stopped}").exists()


async def test_idle_processes_end_by_themselves(shop: dict[str, str]) -> None:
    async with a_pool(idle_seconds=0.2) as pool:
        await pool.ask("pull", "index", "1", shop)
        (idle,) = pool.processes
        async with asyncio.timeout(10):
            while Path(f"/proc/{idle}").exists():
                await asyncio.sleep(0.05)

        assert pool.processes == ()


async def test_a_process_ends_when_the_service_is_gone(shop: dict[str, str]) -> None:
    async with a_pool() as pool:
        await pool.ask("pull", "index", "1", shop)
        (orphan,) = pool.processes
        pool.hang_up()
        async with asyncio.timeout(10):
            while _is_running(orphan):
                await asyncio.sleep(0.05)


async def test_no_secret_of_the_service_reaches_a_process(shop: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAGUYVA_PRIVATE_KEY", "canary-3141")
    async with a_pool() as pool:
        await pool.ask("pull", "index", "1", shop)
        (process,) = pool.processes
        there = Path(f"/proc/{process}/environ").read_bytes() + Path(f"/proc/{process}/cmdline").read_bytes()

    assert b"canary" not in there


def _is_running(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
