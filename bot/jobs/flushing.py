"""SQLite without waiting for the disk at every step, and a delivery that is on the disk all the same before it is answered.

With `synchronous = normal` a commit is safe from the death of the process at once, and from a power cut only with the next flush of the
write-ahead log. For the steps of jobs that is enough: one that is forgotten is repeated. For a delivery it is not, since GitHub would not
send it again, so the log is flushed before the answer; deliveries that come together share one flush.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


class QuickConnection(sqlite3.Connection):
    """For `sqlite3.connect(factory=...)`."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.execute("pragma synchronous = normal")


class Flusher:
    """`database`: the SQLite file; None where the database sees to it itself. For one event loop."""

    def __init__(self, database: Path | None) -> None:
        self._log = None if database is None else database.with_name(f"{database.name}-wal")
        self._thread = ThreadPoolExecutor(1, "flush")  # of its own: it must not stand in line behind the steps of jobs
        self._running: asyncio.Future[None] | None = None
        self._next: asyncio.Future[None] | None = None

    async def flush(self) -> None:
        """What was committed before this call is on the disk when it returns. Raises OSError."""
        if self._log is None:
            return
        if self._running is None:
            self._running = asyncio.ensure_future(self._flush())
            await asyncio.shield(self._running)
            return
        if self._next is None:  # the one that runs began before our commit, perhaps: the next one is for all who came meanwhile
            self._next = asyncio.ensure_future(self._after(self._running))
        await asyncio.shield(self._next)

    async def _after(self, before: asyncio.Future[None]) -> None:
        with contextlib.suppress(Exception):
            await asyncio.shield(before)
        self._running, self._next = self._next, None
        await self._flush()

    async def _flush(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._sync)
        finally:
            if self._running is asyncio.current_task():
                self._running = None

    def _sync(self) -> None:
        assert self._log is not None
        with contextlib.suppress(FileNotFoundError):  # a checkpoint has moved everything into the database, and flushed that
            descriptor = os.open(self._log, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
