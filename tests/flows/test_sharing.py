"""Two workers, one store: what one has indexed, the other only fetches."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.jobs.upkeep import Upkeep
from github.simulator import Simulator
from github.state import Clock, SimulatedRepository
from support.service import AT_ONCE, running
from support.shop import SHOP


def a_life(sim: Simulator, shop: SimulatedRepository, home: Path, store: str, *told: str) -> None:
    """A worker that is told of a repository, in an event loop of its own, as in a process of its own."""

    async def live() -> None:
        async with sim.listening(), running(sim, home, AT_ONCE, {"store_url": store}) as service:
            for action in told or ("created",):
                await service.tell_installation(action, repositories=[shop])
                await service.settled()
            assert await service.dead() == []

    asyncio.run(live())


def read_anything(home: Path) -> bool:
    """Whether a file of the repository was ever parsed there."""
    return any(home.glob("indexes/*/facts/*"))


def test_the_second_worker_reads_nothing_itself(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    shop = sim.repository("acme/shop", SHOP)
    store = (tmp_path / "store").as_uri()

    a_life(sim, shop, tmp_path / "one", store)
    a_life(sim, shop, tmp_path / "two", store)

    assert read_anything(tmp_path / "one") and not read_anything(tmp_path / "two")
    assert list((tmp_path / "two").glob(f"indexes/{shop.id}/refs/*/*"))
    assert sim.violations == []


def test_a_store_that_is_gone_costs_time_and_nothing_else(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    shop = sim.repository("acme/shop", SHOP)
    (tmp_path / "store").write_text("a file where a folder should be")

    a_life(sim, shop, tmp_path / "one", (tmp_path / "store").as_uri())

    assert read_anything(tmp_path / "one")


def test_a_repository_that_leaves_is_forgotten_in_the_store_too(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    shop = sim.repository("acme/shop", SHOP)
    store = tmp_path / "store"

    a_life(sim, shop, tmp_path / "one", store.as_uri())
    there = list(store.glob("refs/*/*/*"))
    a_life(sim, shop, tmp_path / "one", store.as_uri(), "deleted")

    assert there and list(store.glob("refs/*/*/*")) == []


def test_a_worker_that_was_not_told_deletes_its_own_copy_of_a_repository_that_left(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    shop, bank = (sim.repository(f"acme/{name}", SHOP) for name in ("shop", "bank"))
    left = sim.repository("acme/left", SHOP)
    disk, store = tmp_path / "two", (tmp_path / "store").as_uri()

    async def live() -> None:
        async with sim.listening(), running(sim, disk, AT_ONCE, {"store_url": store}) as service:
            await service.tell_installation("created", repositories=[shop, bank, left])
            await service.settled()
            await service.tools.records.forget_repositories([left.id])  # as the worker does that was told, of its own disk and the database
            upkeep = Upkeep(service.jobs, service.tools)
            assert await upkeep.leftovers() == ""  # it may be one that comes just now
            assert len(list(disk.glob("indexes/*"))) == len(list(disk.glob("clones/*.git"))) == 3

            assert await upkeep.leftovers() == "deleted 1 repository no longer ours"

    asyncio.run(live())

    assert {path.name for path in disk.glob("indexes/*")} == {str(shop.id), str(bank.id)}
    assert {path.name for path in disk.glob("clones/*.git")} == {f"{shop.id}.git", f"{bank.id}.git"}


def test_a_worker_begins_with_no_disk_at_all(tmp_path: Path) -> None:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    elsewhere = f"sqlite:///{tmp_path / 'database' / 'queue.sqlite'}"

    async def live() -> None:
        async with sim.listening(), running(sim, tmp_path / "disk", AT_ONCE, {"database_url": elsewhere}) as service:
            await Upkeep(service.jobs, service.tools).gauges()

    asyncio.run(live())
