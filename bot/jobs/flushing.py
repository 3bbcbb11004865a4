"""SQLite without waiting for the disk at every step, and a delivery that is on the disk all the same before it is answered.

With `synchronous = normal` a commit is safe from the death of the process at once, and from a power cut only with the next flush of the
write-ahead log. For the steps of jobs that is enough: one that is forgotten is repeated. For a delivery it is not, since GitHub would not
send it again, so the log is flushed before the answer; deliveries that come together share few flushes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

LOG_BYTES = 8 << 20  # twice what SQLite lets it grow to before it moves the pages into the database
FRAME_BYTES = 4_096 + 24  # what one small transaction adds
KNOWS_FRACTIONS = (3, 42)  # the first SQLite whose unixepoch('subsec') is more than null


class QuickConnection(sqlite3.Connection):
    """For `sqlite3.connect(factory=...)`."""

    def __init__(self, *arguments: Any, version: tuple[int, ...] = sqlite3.sqlite_version_info, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.execute("pragma synchronous = normal")
        if version < KNOWS_FRACTIONS:
            # DBOS takes it that Python 3.12 and later come with a newer one; in Debian 12, and in the images made of it, they don't.
            self.create_function("unixepoch", 1, _unix_epoch)


def _unix_epoch(modifier: str) -> float | None:
    return time.time() if modifier in ("subsec", "subsecond") else None


class ReceivingConnection(QuickConnection):
    """The same for the process that receives: moving the log into the database takes long on a busy disk, and is left to the worker."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.execute("pragma wal_autocheckpoint = 0")


def lengthen_log(database: Path, size: int = LOG_BYTES) -> None:
    """Makes the write-ahead log `size` bytes long and begins it anew; while somebody has the database open. What is then written over is on
    the disk in a third of the time that it takes where the file becomes longer, because the file system has nothing to note (on ext4 with a
    busy disk: 99 % within 6 ms instead of 22)."""
    log = _log_of(database)
    with contextlib.closing(sqlite3.connect(database, factory=ReceivingConnection, isolation_level=None)) as connection:
        connection.execute("create table if not exists maguyva_room (id integer primary key, times integer)")
        statement = "insert into maguyva_room values (1, 1) on conflict (id) do update set times = times + 1"
        for _ in range(max(0, size - (log.stat().st_size if log.exists() else 0)) // FRAME_BYTES):
            connection.execute(statement)
        connection.execute("pragma wal_checkpoint(restart)")


def _log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


class Flusher:
    """`database`: the SQLite file; None where the database sees to it itself. `at_once`: flushes that may run side by side, so that a slow
    one holds up few. For one event loop."""

    def __init__(self, database: Path | None, at_once: int = 4) -> None:
        self._log = None if database is None else _log_of(database)
        self._at_once = at_once
        self._threads = ThreadPoolExecutor(at_once, "flush")  # of its own: it must not stand in line behind the steps of jobs
        self._running: set[asyncio.Task[None]] = set()
        self._next: asyncio.Task[None] | None = None

    async def flush(self) -> None:
        """What was committed before this call is on the disk when it returns. Raises OSError."""
        if self._log is None:
            return
        task = self._next
        if task is None:
            before = frozenset(self._running) if len(self._running) >= self._at_once else frozenset()
            task = asyncio.create_task(self._flush(before))
            task.add_done_callback(_heard)
            if before:  # those that run began before our commit, perhaps: the next one is for all who come until it begins
                self._next = task
            else:
                self._running.add(task)
        await asyncio.shield(task)

    async def _flush(self, before: frozenset[asyncio.Task[None]]) -> None:
        """When one of `before` has ended."""
        task = asyncio.current_task()
        assert task is not None
        if before:
            await asyncio.wait(before, return_when=asyncio.FIRST_COMPLETED)
            self._next = None
            self._running.add(task)
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._sync)
        finally:
            self._running.discard(task)

    def _sync(self) -> None:
        assert self._log is not None
        with contextlib.suppress(FileNotFoundError):  # a checkpoint has moved everything into the database, and flushed that
            descriptor = os.open(self._log, os.O_RDONLY)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)


def _heard(task: asyncio.Task[None]) -> None:
    """Whoever waited for it may be gone: what it ended with is nobody's then."""
    if not task.cancelled():
        task.exception()
