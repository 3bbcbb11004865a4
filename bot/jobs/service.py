"""Settings -> the running queue: what the web side puts deliveries into, and what works them off.

    async with JobService(settings, role) as jobs:
        await jobs.receive(delivery, plan)          # durable when it returns

Processes of the role `web` only receive, those of the role `worker` only work; `maguyva serve` runs one of each, and with Postgres there
may be more. `all` does both in one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa
import structlog
from dbos import DBOS, DBOSConfig
from dbos._serialization import DBOSPortableJSON
from sqlalchemy.engine import make_url

from bot import metrics
from bot.engines.pool import EnginePool, Lane, Limits
from bot.errors import DatabaseAway
from bot.flows.sharing import Sharing
from bot.flows.tools import Tools, paced
from bot.github.client import GitHub
from bot.jobs import workflows
from bot.jobs.fleet import Alone, Guard
from bot.jobs.flushing import Flusher, QuickConnection, ReceivingConnection, lengthen_log
from bot.jobs.numbers import DEAD, Numbers, numbers
from bot.jobs.queues import QUEUES, prefix_of
from bot.jobs.upkeep import LOOK_SECONDS, Upkeep
from bot.pace import Pace
from bot.records import Records
from bot.repositories import Clones
from bot.settings import Settings
from bot.types import Job
from bot.written import to_json

log = structlog.get_logger("maguyva.jobs")

ALL, WEB, WORKER = "all", "web", "worker"

BUILD_SECONDS, PULL_SECONDS, ASK_SECONDS = 1_800.0, 300.0, 60.0
STOP_SECONDS = 25  # that jobs get to end when the service is told to stop; what is not done by then is taken up at the next start
RECENT_SECONDS = 5.0  # that numbers for everybody may be old
POLL_SQLITE, POLL_POSTGRES = 0.2, 1.0  # seconds between two looks at a queue


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that failed for good."""

    id: str
    name: str
    says: str
    at: float  # seconds since the epoch


def database_url(url: str) -> str:
    """postgresql://… -> the same with the driver we have."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1).replace("postgres://", "postgresql+psycopg://", 1)


def executor_of(settings: Settings) -> str:
    """What this process is called among those that share the queue; the same after a restart."""
    if settings.database_url.startswith("sqlite"):
        return "local"
    return settings.executor or os.uname().nodename


def limits_of(settings: Settings) -> Limits:
    """Engine processes: one a core, and one more for questions. They stand back behind the worker, and builds behind everything else."""
    cores = settings.parsers or os.cpu_count() or 1
    half = max(1, cores // 2)
    return Limits(
        {
            "build": Lane(half, BUILD_SECONDS, nice=15),
            "pull": Lane(max(1, cores - half), PULL_SECONDS, nice=10),
            "ask": Lane(1, ASK_SECONDS, nice=5),
        }
    )


class JobService:
    def __init__(
        self,
        settings: Settings,
        role: str = ALL,
        *,
        github: Callable[..., GitHub] = GitHub,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        poll_seconds: float = 0.0,
        stop_seconds: int = STOP_SECONDS,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._look_seconds, self._sleep = look_seconds, sleep
        self.stop_seconds = stop_seconds
        self.settings, self.role, self.clock = settings, role, clock
        self.url = database_url(settings.database_url)
        self.records = Records(self.url, clock)
        self.ready = False
        self._file = Path(make_url(self.url).database or "") if self.url.startswith("sqlite") else None
        self._flusher = Flusher(self._file)
        self._background: set[asyncio.Task[None]] = set()
        self._pace = pace or Pace()
        self._counting, self._counted_at = asyncio.Lock(), 0.0
        self._counted: Numbers | None = None
        self._poll = poll_seconds or (POLL_SQLITE if self.url.startswith("sqlite") else POLL_POSTGRES)
        self._make_github = github
        self._stack = contextlib.AsyncExitStack()
        self.tools: Tools | None = None
        self.upkeep: Upkeep | None = None

    async def __aenter__(self) -> JobService:
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def _start(self) -> None:
        await asyncio.to_thread(make_tables, self.url, self.records)
        self._stack.callback(self.records.close)
        if self.role != WEB:
            await self._start_tools()
        guard = None
        if self._file is not None and self.role != WEB:
            await asyncio.to_thread(self._stack.enter_context, Alone(self._file))
        elif self.role != WEB:
            guard = self._stack.enter_context(Guard(self.url, executor_of(self.settings)))
        DBOS(config=self._config())
        self._stack.push_async_callback(self._stop_dbos)
        if self.role == WEB:
            DBOS.listen_queues([])
        DBOS.launch()
        for row in QUEUES:
            one_each = {"partition_concurrency": 1} if row.per_key else {}
            await DBOS.register_queue_async(row.name, worker_concurrency=row.at_once, polling_interval_sec=self._poll, **one_each)  # type: ignore[arg-type]
        if self.role != WEB:
            assert self.tools is not None
            if guard is not None:
                guard.watch()
            self.upkeep = Upkeep(self, self.tools, self._look_seconds)
            self._stack.push_async_callback(self.upkeep.stop)
            self.upkeep.start()
        if self._file is not None and self.role != WORKER:
            await asyncio.to_thread(lengthen_log, self._file)
        self.ready = True

    async def _start_tools(self) -> None:
        settings = self.settings
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        pool = EnginePool(limits_of(settings))
        self._stack.push_async_callback(pool.close)
        pacer = paced(self.records, self._pace, self.clock, self._sleep)
        made = self._make_github(settings.github, settings.app, before_write=pacer, clock=self.clock)
        github = await self._stack.enter_async_context(made)
        clones = Clones(settings.clones, settings.clone_space)
        self.tools = Tools(settings, github, clones, pool, self.records, self._pace, self.clock, self.forget, Sharing(settings.store_url))
        workflows.use(self.tools)
        self._stack.callback(workflows.use, None)

    def _config(self) -> DBOSConfig:
        quick = ReceivingConnection if self.role == WEB else QuickConnection
        return {
            "name": "maguyva",
            "system_database_url": self.url,
            "application_version": workflows.VERSION,
            "executor_id": executor_of(self.settings) if self.role != WEB else f"web-{os.uname().nodename}-{os.getpid()}",
            "log_level": "WARNING",
            "serializer": DBOSPortableJSON,
            "max_executor_threads": 32,
            "sys_db_pool_size": 8,
            "use_listen_notify": False,
            **({"db_engine_kwargs": {"connect_args": {"factory": quick}}} if self._file is not None else {}),
        }

    async def _stop_dbos(self) -> None:
        # Not in the loop's threads, which are DBOS's own and end with it.
        ending = asyncio.get_running_loop().create_future()
        threading.Thread(target=self._destroy, args=(ending,), name="stop", daemon=True).start()
        await ending

    def _destroy(self, ending: asyncio.Future[None]) -> None:
        try:
            DBOS.destroy(workflow_completion_timeout_sec=self.stop_seconds)
        finally:
            ending.get_loop().call_soon_threadsafe(ending.set_result, None)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.ready = False
        await self._stack.aclose()

    # ---- receiving

    async def receive(self, delivery: str, installation: int, repository: int, jobs: Sequence[Job]) -> None:
        """The jobs of a delivery, durable when this returns. The same delivery again changes nothing."""
        with metrics.KEEP_SECONDS.labels("database").time():
            await self._receive(delivery, installation, repository, jobs)
        with metrics.KEEP_SECONDS.labels("disk").time():
            await self._flusher.flush()

    async def _receive(self, delivery: str, installation: int, repository: int, jobs: Sequence[Job]) -> None:
        if len(jobs) == 1:
            turn = await workflows.put_job(jobs[0], f"{delivery}:0", self.clock(), only_new=True)
            if turn:  # only so that older jobs give way: whoever waits for our answer need not wait for it
                self._in_background(workflows.note_turn(self.records, jobs[0], turn))
            return
        await DBOS.enqueue_workflow_with_options_async(
            {
                "workflow_name": "deliver",
                "queue_name": "deliver",
                "workflow_id": f"{prefix_of(installation, repository)}deliver:{delivery}",
            },
            delivery,
            [to_json(job) for job in jobs],
        )

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a turn could not be noted", error=type(error).__name__, says=str(error))

    # ---- looking

    async def numbers(self) -> Numbers:
        """What waits and what failed, as it is now."""
        return await self.records.reading(numbers)

    async def recent_numbers(self) -> Numbers:
        """The same, a few seconds old at most: for a page that anybody may ask for as often as he likes."""
        async with self._counting:
            if time.monotonic() - self._counted_at > RECENT_SECONDS or self._counted is None:
                self._counted, self._counted_at = await self.numbers(), time.monotonic()
            return self._counted

    async def dead_ids(self) -> list[str]:
        """The ids of all jobs that failed for good, oldest first."""
        found = await DBOS.list_workflows_async(status=list(DEAD), load_input=False, load_output=False)
        return [one.workflow_id for one in found]

    async def dead_letters(self, limit: int = 100) -> list[DeadLetter]:
        """Jobs that failed for good, newest first."""
        found = await DBOS.list_workflows_async(status=list(DEAD), sort_desc=True, limit=limit, load_input=False)
        return [DeadLetter(one.workflow_id, one.name, _said(one), (one.updated_at or one.created_at or 0) / 1e3) for one in found]

    async def revive(self, id: str) -> str:
        """A dead letter is put in its queue once more, as a job of its own -> its new id. Raises KeyError where there is none."""
        found = await DBOS.list_workflows_async(workflow_ids=[id], status=list(DEAD))
        one = found[0] if found else None
        if one is None or one.input is None or one.queue_name is None:
            raise KeyError(id)
        arguments: list[Any] = list(one.input["args"])
        again = f"+{int(self.clock())}"
        options: Any = {"workflow_name": one.name, "queue_name": one.queue_name, "workflow_id": f"{id}{again}"}
        if one.name in ("job", "publish"):
            arguments[-2:] = [0, self.clock()]  # attempts and age begin anew
        if one.name == "job":
            arguments[1] += again  # its origin, so that nothing that follows has an id of its first life
        if one.queue_partition_key:
            options["queue_partition_key"] = one.queue_partition_key
        await DBOS.enqueue_workflow_with_options_async(options, *arguments)
        await DBOS.delete_workflows_async([id])
        return str(options["workflow_id"])

    async def forget(self, installation: int, repository: int = 0) -> int:
        """Deletes all jobs of an installation, or of one of its repositories, but for the one that runs now -> how many."""
        found = await DBOS.list_workflows_async(workflow_id_prefix=prefix_of(installation, repository), load_input=False, load_output=False)
        ids = [one.workflow_id for one in found if one.workflow_id != DBOS.workflow_id]
        if ids:
            await DBOS.delete_workflows_async(ids)
        return len(ids)


def _said(one: Any) -> str:
    return str(one.error) if one.error is not None else str(one.status).replace("_", " ").lower()


def make_tables(url: str, records: Records) -> None:
    """The database is there, and has our tables. Raises DatabaseAway."""
    try:
        prepare_database(url)
        records.create()
    except (OSError, sqlite3.Error, sa.exc.OperationalError) as error:
        place = make_url(url)
        where = f"{place.host}:{place.port or 5432}/{place.database}" if place.host else str(place.database)
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise DatabaseAway(where, reason) from error


def prepare_database(url: str) -> None:
    """SQLite: the folder is made, and the file is set to WAL before anybody opens it; without that everything is five times slower."""
    if not url.startswith("sqlite"):
        return
    path = Path(make_url(url).database or "")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
