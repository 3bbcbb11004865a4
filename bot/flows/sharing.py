"""Indexes of one worker <-> the store that all of them share. Without the store everything works, only more is made anew: whatever goes
wrong with it is logged and got round, but for what has to be deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import structlog

from index.errors import StorageError

if TYPE_CHECKING:
    from index.engine import SharedIndexes

T = TypeVar("T")
log = structlog.get_logger("maguyva.sharing")


class Sharing:
    """`url`: the store; "": there is none, and nothing is done."""

    def __init__(self, url: str = "") -> None:
        self.url = url
        self._indexes: SharedIndexes | None = None

    async def fetch(self, home: Path, commit: str) -> bool:
        """Whether the commit's index is in the folder `home` afterwards, as far as this can help."""
        return await self._do(lambda indexes: indexes.fetch(home, key_of(home), commit), False)

    async def send(self, home: Path, commit: str) -> None:
        await self._do(lambda indexes: indexes.send(home, key_of(home), commit), 0)

    async def forget(self, home: Path) -> None:
        """Deletes what the store has of a repository. Raises StorageError: what has to go is not got round."""
        if self.url:
            await asyncio.to_thread(lambda: self._opened().forget(key_of(home)))

    async def collect(self, keep_days: int, known: Iterable[int]) -> int:
        """`known`: the repositories that are ours -> how many objects were deleted."""
        keys = {str(id) for id in known}
        return await self._do(lambda indexes: indexes.collect(datetime.now(UTC), timedelta(days=keep_days), keys), 0)

    async def _do(self, work: Callable[[SharedIndexes], T], otherwise: T) -> T:
        if not self.url:
            return otherwise
        try:
            return await asyncio.to_thread(lambda: work(self._opened()))
        except (StorageError, OSError) as error:
            log.warning("the shared store", error=type(error).__name__, says=str(error))
            return otherwise

    def _opened(self) -> SharedIndexes:
        if self._indexes is None:
            from index.engine import SharedIndexes  # numpy and all: only where there is a store

            self._indexes = SharedIndexes(self.url)
        return self._indexes


def key_of(home: Path) -> str:
    """What a repository's index is called in its own folder, the same on every machine."""
    return home.name
