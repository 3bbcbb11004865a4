"""A repository's id and commits on GitHub -> a bare clone on this disk that has them. Bare, shallow, without large files; nothing of it
is ever checked out or executed, and no secret is written into it or put on a command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from bot.types import GitAccess


@dataclass(frozen=True, slots=True)
class Want:
    """A commit, and a ref of the remote under which it can be had where asking for the id alone is refused."""

    sha: str  # "" with a ref: whatever it points to
    ref: str = ""  # "refs/pull/7/head", "refs/heads/main"
    history: int = 1  # commits of history; 1: only this one


class Clones:
    """`folder`: one bare clone a repository id. `space`: bytes for all together; the least recently used that nobody holds go first."""

    def __init__(self, folder: Path, space: int, *, clock: Callable[[], float] = time.time) -> None:
        self.folder, self.space = folder, space

    def holding(self, repository_id: int, access: GitAccess, wants: Sequence[Want]) -> AbstractAsyncContextManager[Path]:
        """`async with clones.holding(...) as path:` the clone has all `wants`, and is not evicted meanwhile. Only what is missing is
        fetched. One fetch of a repository at a time, over all processes of this machine. Raises RepositoryError, FetchFailed."""
        raise NotImplementedError

    async def forget(self, repository_id: int) -> None:
        """Deletes the clone; none there is fine. Waits for whoever holds it."""
        raise NotImplementedError

    def used(self) -> int:
        """Bytes on disk of all clones."""
        raise NotImplementedError
