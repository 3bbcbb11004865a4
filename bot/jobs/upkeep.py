"""What is done now and then, without anybody asking: what GitHub could not deliver is asked for again, pull requests that were missed are
looked at, checks that nobody concluded are concluded, and what is too old is deleted.

One worker at a time does it: the time of the last run is kept in the database, and whoever finds it old enough claims the next one. A run
that dies is repeated by the next. What is about a worker's own process or disk, each worker does.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from dbos import DBOS

from bot import metrics
from bot.errors import GitHubError, Gone, NotAllowed, NotFound, Refused
from bot.flows.installation import forget_here, missing_analyses, strangers
from bot.flows.publish import end_checks
from bot.flows.tools import Tools
from bot.jobs.numbers import DEAD
from bot.rendering.cutting import counted
from bot.types import CheckOutput, Job, JobKind

if TYPE_CHECKING:
    from bot.jobs.service import JobService

log = structlog.get_logger("maguyva.upkeep")

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
LOOK_SECONDS = 15.0
GITHUB_KEEPS = 3 * DAY  # deliveries can be asked for again within this time
MOST_REDELIVERIES = 5  # of one delivery
ABANDONED = HOUR  # a check nobody touched for so long is concluded
DEDUPLICATION = 8 * DAY  # how long a finished delivery is remembered, so that its repetition is recognised: GitHub repeats for 7 at most
DELETED_AT_ONCE = 500
LOGIN = "login"  # the fact that says who we are: "<id> <slug>[bot]"


@dataclass(frozen=True, slots=True)
class Chore:
    name: str
    every: float  # seconds
    work: Callable[[], Awaitable[str]]  # -> what it did, for the log
    at_start: bool = True  # whether a worker that starts has it done soon, and not only when its time has come
    own: bool = False  # each worker does it for itself


class Upkeep:
    def __init__(self, jobs: JobService, tools: Tools, look_seconds: float = LOOK_SECONDS) -> None:
        self.jobs, self.tools, self.look_seconds = jobs, tools, look_seconds
        self.chores = (
            Chore("gauges", 15.0, self.gauges, own=True),
            Chore("identity", HOUR, self.identity),
            Chore("leftovers", 10 * MINUTE, self.leftovers, own=True),
            Chore("redeliver", 5 * MINUTE, self.redeliver),
            Chore("reconcile", HOUR, self.reconcile),
            Chore("checks", 10 * MINUTE, self.checks),
            Chore("retention", HOUR, self.retention),
            Chore("store", DAY, self.store, at_start=False),  # it lists the whole store: not whenever somebody is replaced
        )
        self._done: dict[str, float] = {}  # by this worker: chore -> when, seconds since the epoch
        self._strangers: frozenset[int] = frozenset()  # as of the last look
        self._task: asyncio.Task[None] | None = None
        self.looked = asyncio.Event()  # all chores have been asked once whether it is their time

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        # What was missed while we were away is looked for once at the start, but not more often than this if we start all the time.
        new = {chore.name for chore in self.chores if chore.at_start}
        while True:
            for chore in self.chores:
                every = min(self.look_seconds, chore.every) if chore.name in new else chore.every
                if self._is_due_here(chore) if chore.own else await self.tools.records.due(f"upkeep {chore.name}", every):
                    new.discard(chore.name)
                    await self.do(chore)
            self.looked.set()
            await asyncio.sleep(self.look_seconds)

    def _is_due_here(self, chore: Chore) -> bool:
        now = self.tools.clock()
        if chore.name in self._done and now - self._done[chore.name] < chore.every:
            return False
        self._done[chore.name] = now
        return True

    async def do(self, chore: Chore) -> None:
        """Whatever goes wrong here is said and tried again at the next time."""
        try:
            says = await chore.work()
        except Exception as error:
            log.warning("upkeep failed", chore=chore.name, error=type(error).__name__, says=str(error))
            return
        if says:
            log.info("upkeep", chore=chore.name, says=says)

    # ---- the chores

    async def gauges(self) -> str:
        numbers = await self.jobs.numbers()
        for queue, count in numbers.waiting.items():
            metrics.WAITING.labels(queue).set(count)
        metrics.DEAD.set(numbers.dead)
        metrics.REPOSITORIES.set(numbers.repositories)
        metrics.DISK_FREE.set(shutil.disk_usage(self.tools.settings.home).free)
        metrics.ENGINES.set(len(self.tools.engines.processes))
        return ""

    async def leftovers(self) -> str:
        """A repository leaves, and one worker is told: the others find out here that they still have its index and clone."""
        before, self._strangers = self._strangers, await strangers(self.tools)
        gone = sorted(before & self._strangers)  # twice in a row: not one that comes just now
        await forget_here(self.tools, gone)
        return f"deleted {counted(len(gone), 'repository', 'repositories')} no longer ours" if gone else ""

    async def identity(self) -> str:
        """What the App is called, which its owner may change."""
        one = await self.tools.github.identity()
        await self.tools.records.note_fact(LOGIN, f"{one.id} {one.slug}[bot]")
        return ""

    async def redeliver(self) -> str:
        """GitHub does not repeat by itself what we did not answer: ask for it."""
        now, records = self.tools.clock(), self.tools.records
        since = max(float(await records.fact("redelivered until") or 0.0) - HOUR, now - GITHUB_KEEPS)
        sent = await self.tools.github.deliveries(since)
        done = {one.delivery for one in sent if not one.failed}
        tried: dict[str, int] = {}
        latest = {}
        for one in sent:
            if one.delivery not in done:
                tried[one.delivery] = tried.get(one.delivery, 0) + 1
                latest[one.delivery] = one
        missed = [one for id, one in sorted(latest.items()) if tried[id] < MOST_REDELIVERIES]
        for one in missed:
            with contextlib.suppress(NotFound, Refused):  # GitHub has dropped it; the others are still to be had
                await self.tools.github.redeliver(one)
        await records.note_fact("redelivered until", str(min([now, *(one.sent_at for one in missed)])))
        return f"asked for {len(missed)} deliveries again" if missed else ""

    async def reconcile(self) -> str:
        """What no event told us: new repositories, and open pull requests whose head is not the one we published."""
        tools, count = self.tools, 0
        stamp = str(int(tools.clock()))
        known = {one.ref.id for one in await tools.records.all_repositories()}
        for installation in await tools.github.installations():
            await tools.records.keep_installation(installation.id, installation.account, installation.suspended)
            if installation.suspended:
                continue
            with contextlib.suppress(Gone, NotFound):
                for repository in await tools.github.repositories(installation.id):
                    if repository.archived:
                        continue
                    found: tuple[Job, ...] = ()
                    if repository.id not in known:
                        found = (Job(JobKind.WELCOME, repository.key, "reconciliation", installation.id, repository),)
                    else:
                        with contextlib.suppress(NotAllowed, NotFound):  # the others of this installation can be looked at
                            found = await missing_analyses(tools, repository, "reconciliation")
                    if found:
                        await self.jobs.receive(f"reconcile-{stamp}", installation.id, repository.id, found)
                        count += len(found)
        return f"{count} jobs that no event told of" if count else ""

    async def checks(self) -> str:
        """A check that was begun and that nobody concludes any more stays yellow for two weeks: conclude it."""
        tools, count = self.tools, 0
        for pull in await tools.records.unfinished_checks(tools.clock() - ABANDONED):
            known = await tools.records.repository(pull.repository)
            if known is None:
                continue
            output = CheckOutput("Not finished", "The analysis did not come to an end. Write `/maguyva refresh` to begin it anew.")
            try:
                await end_checks(tools, known.ref, pull.check_head, output)
            except (Gone, NotAllowed, NotFound, Refused):
                pass  # it is not there, or not ours to conclude any more
            except GitHubError:
                continue  # GitHub is away, or wants us to wait: the next time
            await tools.records.note_pull(pull.repository, pull.number, check_open=False)
            count += 1
        return f"concluded {counted(count, 'check')}" if count else ""

    async def store(self) -> str:
        """Deletes from the shared store what no worker has written for long, and what is of repositories that left."""
        known = [one.ref.id for one in await self.tools.records.all_repositories()]
        count = await self.tools.sharing.collect(self.tools.settings.keep_days, known)
        return f"deleted {counted(count, 'object')}" if count else ""

    async def retention(self) -> str:
        """Deletes finished jobs that are too old to be needed; failed ones stay as long as the status page shows them."""
        keep = self.tools.settings.keep_days * DAY
        await self.tools.records.tidy(self.tools.settings.keep_days)
        count = 0
        for statuses, age in ((["SUCCESS", "CANCELLED"], DEDUPLICATION), (list(DEAD), max(keep, DEDUPLICATION))):
            before = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
            while old := await DBOS.list_workflows_async(
                status=statuses, completed_before=before, limit=DELETED_AT_ONCE, load_input=False, load_output=False
            ):
                await DBOS.delete_workflows_async([one.workflow_id for one in old])
                count += len(old)
                await asyncio.sleep(0)
        return f"deleted {counted(count, 'job')}" if count else ""
