"""What every story needs: GitHub, clones, the engine, what we remember. And what a story comes to: an `Outcome`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot import metrics
from bot.engines.pool import EnginePool
from bot.errors import MustWait
from bot.flows.drafts import Draft
from bot.flows.sharing import Sharing
from bot.github.client import GitHub
from bot.pace import Pace
from bot.records import Records
from bot.repositories import Clones
from bot.settings import Settings
from bot.types import Job, RepositoryRef
from index.version import VERSION

LONGEST_WAIT = 90.0  # seconds that a story waits for its turn to write; what takes longer goes back to the queue

_urgent: ContextVar[bool] = ContextVar("urgent", default=False)


class State(StrEnum):
    DONE = "done"
    SKIPPED = "skipped"  # there was nothing to do, and `says` tells why
    SUPERSEDED = "superseded"  # a newer job of the same key does it
    GAVE_UP = "gave up"  # it can't be done, and whoever asked was told
    FAILED = "failed"  # it could not be done: a dead letter, for the operator to look at
    AGAIN = "again"  # it is tried again after `wait` seconds


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a story came to. It is written down before anything follows from it, so that a crash changes nothing."""

    state: State
    says: str = ""
    jobs: tuple[Job, ...] = ()  # what is to be done now
    draft: Draft | None = None  # what is to be published, for `flows.publish`
    wait: float = 0.0
    counts: bool = True  # as an attempt; a limit that GitHub told us to wait for does not


@dataclass(frozen=True, slots=True)
class Ticket:
    """A job with its place in the queue."""

    job: Job
    id: str  # unique, the same in every repetition
    turn: int = 0  # among the jobs of its key; 0: it has none
    attempt: int = 0


@dataclass(slots=True)
class Tools:
    settings: Settings
    github: GitHub
    clones: Clones
    engines: EnginePool
    records: Records
    pace: Pace = field(default_factory=Pace)
    clock: Callable[[], float] = time.time
    forget_jobs: Callable[[int, int], Awaitable[int]] | None = None  # (installation, repository or 0) -> how many were deleted
    sharing: Sharing = field(default_factory=Sharing)
    building: dict[str, Any] = field(default_factory=dict)  # what is being indexed now, so that nobody indexes it a second time

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Within it, writes may use the part of the pace that is kept for people who wait."""
        token = _urgent.set(True)
        try:
            yield
        finally:
            _urgent.reset(token)

    def index_of(self, repository: int) -> Path:
        """The folder of one repository's index: its own, so that it can be deleted as one."""
        return self.settings.home / "indexes" / str(repository)

    def indexed(self) -> frozenset[int]:
        """Repositories of which this disk has an index."""
        return frozenset(int(path.name) for path in (self.settings.home / "indexes").glob("*") if path.name.isdecimal())

    def given(self, repository: int, clone: Path) -> dict[str, Any]:
        """What every task of the engine is told. The key goes over the pool's own socket: never into an environment or a command line."""
        voyage = self.settings.voyage
        told = None if voyage is None else {"key": voyage.api_key, "url": voyage.url, "model": voyage.model, "rerank": voyage.rerank}
        return {"clone": str(clone), "home": str(self.index_of(repository)), "voyage": told}

    def link(self, repository: RepositoryRef) -> str:
        return f"{self.settings.github.web}/{repository.full_name}"


def paced(
    records: Records, pace: Pace, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Callable[[int], Awaitable[None]]:
    """What `GitHub` awaits before each request that writes: the installation's next free moment. Raises MustWait where that is far away."""

    async def wait_for_turn(installation: int) -> None:
        seconds = await records.reserve_write(installation, pace, urgent=_urgent.get(), longest=LONGEST_WAIT)
        if seconds > LONGEST_WAIT:
            raise MustWait("So much was written lately that GitHub would refuse more.", 0, clock() + seconds, secondary=True)
        metrics.WRITES.inc()
        metrics.WRITE_WAITS.observe(seconds)
        await sleep(seconds)

    return wait_for_turn


def engine_version() -> str:
    return VERSION
