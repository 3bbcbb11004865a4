"""Deliveries are posted while the service is killed again and again -> what was lost, what was done twice, what people see in the end.

    python -m support.kills 500 20            # deliveries, kills; one process, on SQLite
    python -m support.kills 500 20 postgres   # one process, on PostgreSQL
    python -m support.kills 500 20 fleet      # one web process and two workers, on PostgreSQL and S3

The service is a process of its own, or several, killed with SIGKILL at random moments. GitHub is the simulator, in this process. What was
answered with 202 must be done; what was not is GitHub's to send again, when it is asked to. In the fleet each worker has a disk of its
own, and one that is killed is never seen again: another one takes its place, with a new name and an empty disk.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import sqlalchemy as sa

from bot.jobs.service import database_url
from github import bodies
from github.simulator import Simulator, key_pair
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.shop import SHOP

ROOT = Path(__file__).parent.parent.parent
SECRET = "a-secret-of-the-kill-tests"
SINCE = re.compile(r" · since .*|^<!-- \{.*$", re.MULTILINE)  # what depends on how many heads were seen in between


@dataclass
class Result:
    deliveries: int = 0
    answered: int = 0  # with 202
    lost: list[str] = field(default_factory=list)  # answered and not done
    kills: int = 0
    comments: dict[str, int] = field(default_factory=dict)  # pull request -> how many of ours
    different: list[str] = field(default_factory=list)  # pull requests whose comment is not that of an undisturbed run
    unfinished: list[str] = field(default_factory=list)  # whose check is not concluded
    dead: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)  # snapshots of the shared store that can't be had whole
    shared: int = 0  # snapshots that are in the shared store
    seconds: float = 0.0

    @property
    def is_perfect(self) -> bool:
        ones = all(count == 1 for count in self.comments.values())
        return ones and not (self.lost or self.different or self.unfinished or self.dead or self.violations or self.damaged)


class Victim:
    """The service as a process that can be killed and started again."""

    def __init__(self, sim: Simulator, home: Path, database: str, *, role: str = "all", name: str = "victim", store: Store | None = None):
        self.sim, self.home, self.database = sim, home, database
        self.role, self.name, self.store = role, name, store
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.log = home.with_suffix(".log")

    async def start(self) -> None:
        """Returns when it is ready, or was killed."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
            "MAGUYVA_GITHUB_URL": self.sim.web,
            "MAGUYVA_APP_ID": str(self.sim.app_id),
            "MAGUYVA_PRIVATE_KEY": key_pair()[0],
            "MAGUYVA_WEBHOOK_SECRET": SECRET,
            "MAGUYVA_DATA": str(self.home),
            "MAGUYVA_DATABASE_URL": self.database,
            "MAGUYVA_EXECUTOR": self.name,
            "MAGUYVA_PARSERS": "2",
            **(self.store.environment if self.store is not None else {}),
        }
        self.port = self.port or _free_port()
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "support.quick_serve", str(self.port), self.role]
            process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.process = process
        async with asyncio.timeout(120), httpx.AsyncClient() as client:
            while process.poll() != -signal.SIGKILL:
                if process.poll() is not None:
                    raise RuntimeError(self.log.read_text()[-3_000:])
                try:
                    if (await client.get(f"http://127.0.0.1:{self.port}/readyz")).status_code == 200:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """The process that receives, without warning; the one that works has to see it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    async def disturb(self, chance: random.Random, posting: Sequence[asyncio.Task[None]]) -> None:
        """It dies and comes again; `posting` is what it may be answering just then. One time of two it is only the process that works: the
        other one starts it again, and answers meanwhile."""
        if self.role == "all" and chance.random() < 0.5:
            for pid in await self.workers():
                os.kill(pid, signal.SIGKILL)
            return
        self.kill()
        await asyncio.gather(*posting)
        await self.start()

    async def workers(self) -> list[int]:
        """Process ids of those that work beside it: one, as soon as it is there."""
        assert self.process is not None
        async with asyncio.timeout(60):
            while True:
                files = Path(f"/proc/{self.process.pid}/task").glob("*/children")
                if found := [int(word) for file in files for word in file.read_text().split()]:
                    return found
                await asyncio.sleep(0.02)

    async def stop(self) -> int:
        """As a supervisor would: SIGTERM -> the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.to_thread(self.process.wait, 60)


@dataclass(frozen=True)
class Store:
    """A bucket that workers share."""

    url: str
    environment: Mapping[str, str]


@contextmanager
def a_store() -> Iterator[Store]:
    """An empty bucket on a server of our own."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line per request, otherwise
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        with httpx.Client() as client:
            client.put(f"{endpoint}/maguyva").raise_for_status()
        address = {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
        who = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        yield Store("s3://maguyva/indexes", {"MAGUYVA_STORE_URL": "s3://maguyva/indexes", **address, **who})
    finally:
        server.stop()


class Fleet:
    """One web process and some workers that share a database and a bucket, and nothing else."""

    def __init__(self, sim: Simulator, folder: Path, database: str, store: Store, workers: int = 2) -> None:
        self.sim, self.folder, self.database, self.store = sim, folder, database, store
        self._hired = 0
        self.web = self._member("web")
        self.workers = [self._member("worker") for _ in range(workers)]
        self._starting: dict[int, asyncio.Future[Any]] = {}  # what a worker's place waits for

    def _member(self, role: str) -> Victim:
        self._hired += 1
        name = f"{role}-{self._hired}"
        return Victim(self.sim, self.folder / name, self.database, role=role, name=name, store=self.store)

    @property
    def port(self) -> int:
        return self.web.port

    async def start(self) -> None:
        await asyncio.gather(*(one.start() for one in (self.web, *self.workers)))

    async def disturb(self, chance: random.Random, posting: Sequence[asyncio.Task[None]]) -> None:
        """One time of five it is the web process; deliveries find nobody until it is back. Work goes on while a worker is replaced, by the
        other one or, if that is still starting, by nobody. One that is starting is mostly left to begin its work first."""
        if chance.random() < 0.2:
            await self.web.disturb(chance, posting)
            return
        number, at_work = chance.randrange(len(self.workers)), chance.random() < 0.75
        if number in self._starting and at_work:
            await self._starting[number]
            await asyncio.sleep(chance.uniform(0, 0.5))
        self.replace(number)

    def replace(self, number: int) -> None:
        """A worker is killed, perhaps while it starts; its disk is gone, and one of another name comes."""
        before, after = self.workers[number], self._member("worker")
        before.kill()
        shutil.rmtree(before.home, ignore_errors=True)
        self.workers[number] = after
        self._starting[number] = asyncio.gather(after.start(), *([self._starting[number]] if number in self._starting else []))

    async def started(self) -> None:
        await asyncio.gather(*self._starting.values())

    async def stop(self) -> None:
        await self.started()
        await asyncio.gather(*(one.stop() for one in (self.web, *self.workers)))

    def kill(self) -> None:
        for one in (self.web, *self.workers):
            one.kill()


@asynccontextmanager
async def a_victim(sim: Simulator, home: Path, database: str = "") -> AsyncIterator[Victim]:
    home.parent.mkdir(parents=True, exist_ok=True)
    victim = Victim(sim, home, database or f"sqlite:///{home / 'queue.sqlite'}")
    async with _serving(sim, victim):
        yield victim


@asynccontextmanager
async def a_fleet(sim: Simulator, folder: Path, database: str, store: Store) -> AsyncIterator[Fleet]:
    folder.mkdir(parents=True, exist_ok=True)
    fleet = Fleet(sim, folder, database, store)
    async with _serving(sim, fleet):
        yield fleet


@asynccontextmanager
async def _serving(sim: Simulator, deployment: Victim | Fleet) -> AsyncIterator[None]:
    async with httpx.AsyncClient(timeout=10) as client:

        async def post(headers: dict[str, str], body: bytes) -> int:
            return (await client.post(f"http://127.0.0.1:{deployment.port}/webhook", content=body, headers=headers)).status_code

        sim.hook = post
        await deployment.start()
        try:
            yield
        finally:
            deployment.kill()


async def run(
    folder: Path, deliveries: int, kills: int, database: str = "", seed: int = 1, pulls: int = 25, store: Store | None = None
) -> Result:
    """`store`: with one it is a fleet, on the PostgreSQL at `database`."""
    began, chance = time.monotonic(), random.Random(seed)
    sim = Simulator(folder / "github", secret=SECRET, clock=Clock(real=True))
    result = Result(deliveries=deliveries, kills=kills)
    async with sim.listening():
        every = _pull_requests(sim, pulls)
        deployed: AbstractAsyncContextManager[Victim | Fleet] = (
            a_victim(sim, folder / "killed", database) if store is None else a_fleet(sim, folder / "fleet", database, store)
        )
        async with deployed as victim:
            answered = await _post(sim, every, victim, deliveries, kills, chance)
            if isinstance(victim, Fleet):
                # What was answered by nobody is asked for by each worker that begins, and every five minutes: this one need not wait.
                await victim.started()
                victim.replace(0)
                result.kills += 1
            result.answered = len(answered)
            await _settled(victim.database, sim)
            result.lost = sorted(answered - _delivered(victim.database))
            result.dead = _dead(victim.database)
            await victim.stop()
        seen = {_name(shop, pull): [one.body for one in sim.our_comments(shop, pull.number)] for shop, pull in every}
        result.comments = {name: len(some) for name, some in seen.items()}
        result.unfinished = [_name(*one) for one in every if not _is_concluded(sim, *one)]
        result.different = await _different(sim, every, folder, seen)
        result.violations = [one for one in sim.violations if "query page" not in one][:5]  # GitHub's list of deliveries pages by a cursor
    if store is not None:
        result.shared, result.damaged = _state_of(store, {str(shop.id) for shop, _ in every}, folder / "read")
    result.seconds = time.monotonic() - began
    return result


def _pull_requests(sim: Simulator, count: int) -> list[tuple[SimulatedRepository, SimulatedPull]]:
    shops = [sim.repository(f"acme/shop-{number}", SHOP) for number in range(max(1, count // 5))]
    found = []
    for number in range(count):
        shop = shops[number % len(shops)]
        changed = f"def price(net, tax_{number}):\n    return net * tax_{number}\n"
        found.append((shop, sim.open_pull_request(shop, {"shop/price.py": changed})))
    return found


async def _post(
    sim: Simulator,
    every: list[tuple[SimulatedRepository, SimulatedPull]],
    victim: Victim | Fleet,
    deliveries: int,
    kills: int,
    chance: random.Random,
) -> set[str]:
    """All deliveries, five at a time, some twice; a kill falls into as many of the batches -> ids of those answered with 202."""
    batches = [range(first, min(first + 5, deliveries)) for first in range(0, deliveries, 5)]
    deadly = set(chance.sample(range(1, len(batches)), min(kills, len(batches) - 1)))
    answered: set[str] = set()

    async def one(number: int) -> None:
        shop, pull = every[number % len(every)]
        if number % 7 == 3:  # somebody pushes meanwhile
            sim.push(shop, pull.head_ref, {"shop/price.py": f"def price(net, rate_{number}):\n    return net * rate_{number}\n"})
        payload = {
            "action": ("opened", "synchronize", "reopened")[number % 3],
            "number": pull.number,
            "pull_request": bodies.pull(sim, shop, pull),
            "repository": bodies.repository(sim, shop),
            "installation": {"id": sim.installation_of(shop)},
            "sender": bodies.user("octocat"),
        }
        await told("pull_request", payload, number)
        if number % 23 == 22:  # something is merged: the default branch is indexed anew
            await told("push", _merged(sim, shop, number), deliveries + number)

    async def told(event: str, payload: Mapping[str, Any], number: int) -> None:
        sent = await sim.deliver(event, payload, guid=f"00000000-0000-4000-8000-{number:012d}")
        if sent.status == 202:
            answered.add(sent.guid)

    for at, batch in enumerate(batches):
        posting = [asyncio.create_task(one(number)) for number in batch]
        if at in deadly:
            await asyncio.sleep(chance.uniform(0, 0.4))
            await victim.disturb(chance, posting)
        await asyncio.gather(*posting)
        await asyncio.sleep(chance.uniform(0, 0.05))
    return answered


def _merged(sim: Simulator, shop: SimulatedRepository, number: int) -> dict[str, Any]:
    before = shop.git.resolve("refs/heads/main")
    more = f"from shop.price import price\n\n\ndef more():\n    return price({number}, 0.1)\n"
    after = sim.push(shop, "main", {f"shop/more_{number}.py": more})
    told = {"ref": "refs/heads/main", "before": before, "after": after, "forced": False, "created": False, "deleted": False}
    where = {"repository": bodies.repository(sim, shop), "installation": {"id": sim.installation_of(shop)}}
    return {**told, **where, "sender": bodies.user("octocat")}


def _state_of(store: Store, keys: Set[str], folder: Path) -> tuple[int, list[str]]:
    """What a machine that has nothing finds there -> how many snapshots, and those that are not whole."""
    from index.engine import index_version
    from index.errors import MaguyvaError
    from index.storage.remote import RemoteStore
    from index.storage.snapshots import SnapshotStore

    count, damaged = 0, []
    with mock.patch.dict(os.environ, store.environment):
        remote, local = RemoteStore(store.url, index_version()), SnapshotStore(folder, engine=index_version())
        for key in sorted(keys):
            for name in remote.recent(key):
                count += 1
                try:
                    assert remote.pull(local, key, name)
                    local.verify(key, name)
                except (MaguyvaError, AssertionError) as error:
                    damaged.append(f"{key} {name}: {error}")
    return count, damaged


async def _different(
    sim: Simulator, every: list[tuple[SimulatedRepository, SimulatedPull]], folder: Path, seen: dict[str, list[str]]
) -> list[str]:
    """The same pull requests told once to a service that nobody disturbs -> those it says something else of."""
    sim.all_comments.clear()
    sim.all_checks.clear()
    sim.sent.clear()
    async with a_victim(sim, folder / "undisturbed") as victim:
        for shop, pull in every:
            payload = {
                "action": "opened",
                "number": pull.number,
                "pull_request": bodies.pull(sim, shop, pull),
                "repository": bodies.repository(sim, shop),
                "installation": {"id": sim.installation_of(shop)},
                "sender": bodies.user("octocat"),
            }
            assert (await sim.deliver("pull_request", payload)).status == 202
        await _settled(victim.database, sim)
        await victim.stop()
    wanted = {_name(shop, pull): [one.body for one in sim.our_comments(shop, pull.number)] for shop, pull in every}
    return [name for name in sorted(seen) if [SINCE.sub("", body) for body in seen[name]] != [SINCE.sub("", body) for body in wanted[name]]]


def _name(shop: SimulatedRepository, pull: SimulatedPull) -> str:
    return f"{shop.full_name}#{pull.number}"


def _is_concluded(sim: Simulator, shop: SimulatedRepository, pull: SimulatedPull) -> bool:
    runs = sim.checks(shop, pull.head_sha)
    return bool(runs) and all(run["status"] == "completed" for run in sim.checks(shop))


# ---- the queue, seen from outside


def _rows(database: str, statement: str) -> list[Any]:
    engine = sa.create_engine(database_url(database))
    table = "dbos.workflow_status" if engine.dialect.name == "postgresql" else "workflow_status"
    try:
        with engine.connect() as connection:
            return list(connection.exec_driver_sql(statement.format(table=table)))
    finally:
        engine.dispose()


async def _settled(database: str, sim: Simulator, seconds: float = 300.0) -> None:
    """Until nothing waits, twice in a row, and every delivery that failed was sent again and answered."""
    calm = 0
    async with asyncio.timeout(seconds):
        while calm < 3:
            left = await asyncio.to_thread(
                _rows, database, "select count(*) from {table} where status in ('ENQUEUED', 'PENDING', 'DELAYED')"
            )
            open_ones = {one.guid for one in sim.sent} - {one.guid for one in sim.sent if one.status == 202}
            calm = calm + 1 if left[0][0] == 0 and not open_ones else 0
            await asyncio.sleep(0.3)


def _delivered(database: str) -> set[str]:
    """Ids of deliveries whose job was done: the job's own id has it, and how often it was put in again behind it."""
    rows = _rows(database, "select workflow_uuid from {table} where name = 'job' and status = 'SUCCESS'")
    return {found[1] for row in rows if (found := re.search(r":(00000000-0000-4000-8000-[0-9]{12}):0(~|$)", str(row[0])))}


def _dead(database: str) -> list[str]:
    return [str(row[0]) for row in _rows(database, "select workflow_uuid from {table} where status not in ('SUCCESS', 'CANCELLED')")]


def _free_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def main(arguments: list[str]) -> int:
    from support.postgres import a_postgres, is_there

    deliveries, kills = (int(word) for word in (arguments + ["500", "20"][len(arguments) :])[:2])
    kind = arguments[2] if len(arguments) > 2 else "sqlite"
    if kind != "sqlite" and not is_there():
        print("PostgreSQL's programs are not on this machine: install them first.", file=sys.stderr)
        return 2
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = "" if kind == "sqlite" else stack.enter_context(a_postgres())
        store = stack.enter_context(a_store()) if kind == "fleet" else None
        result = asyncio.run(run(Path(folder), deliveries, kills, database, store=store))
    shown = {**vars(result), "comments": f"{len(result.comments)} pull requests, {sum(result.comments.values())} comments"}
    print(json.dumps(shown, indent=2))
    return 0 if result.is_perfect else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
