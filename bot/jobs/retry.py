"""An error and how often it was met -> try again when, or give up and how. One table, for every job.

Waits grow, so that a GitHub that is down is not asked more often than it can bear; a limit says itself when it ends, and waiting for it is
no attempt. Whoever asked for something that can't be done is told. What failed for a reason that nobody here can judge becomes a dead
letter: it is kept, shown on the status page, and can be taken up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import (
    BadCredentials,
    EngineFailed,
    EngineOverran,
    EngineRefused,
    FetchFailed,
    GitHubBroken,
    GitHubUnreachable,
    Gone,
    MustWait,
    NotAllowed,
    NotFound,
    Refused,
)
from index.errors import MaguyvaError, RepositoryError, StorageError


class End(StrEnum):
    """What becomes of a job whose attempts are used up."""

    TELL = "tell"  # conclude the check with the reason, answer the question with it
    DROP = "drop"  # there is nobody to tell, or nothing to do any more
    DEAD = "dead"  # keep it, and show it to the operator


@dataclass(frozen=True, slots=True)
class Row:
    error: type[BaseException]
    waits: tuple[float, ...]  # seconds before the second, third, ... attempt
    end: End
    why: str  # as the documentation says it


MINUTE, HOUR = 60.0, 3_600.0
LONGEST_WAIT = 2 * HOUR  # for a limit; GitHub's own resets are an hour away at most

RETRIES: tuple[Row, ...] = (
    # the first row whose class fits decides
    Row(MustWait, (), End.DEAD, "a limit of GitHub's: at the time it names, however often"),
    Row(Gone, (), End.DROP, "the installation is suspended or removed"),
    Row(NotFound, (5, 30), End.DROP, "it is not there: right after an event it may only be too early"),
    Row(NotAllowed, (), End.DROP, "a permission is missing, and asking again does not give it"),
    Row(BadCredentials, (MINUTE, 10 * MINUTE, HOUR), End.DEAD, "the key or the clock is wrong: somebody may be correcting it"),
    Row(GitHubUnreachable, (5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR), End.DEAD, "no answer from GitHub"),
    Row(GitHubBroken, (5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR), End.DEAD, "GitHub is broken"),
    Row(Refused, (), End.DEAD, "GitHub says that what we sent is wrong: a fault of ours"),
    Row(FetchFailed, (5, 30, 2 * MINUTE, 10 * MINUTE), End.TELL, "git could not get the commits"),
    Row(EngineOverran, (), End.TELL, "more time or memory than a repository may have"),
    Row(EngineRefused, (), End.TELL, "the engine says what is wrong, in words for people"),
    Row(EngineFailed, (2, 20), End.TELL, "the engine's process died"),
    Row(StorageError, (10, MINUTE, 10 * MINUTE, HOUR), End.DEAD, "the disk is full or can't be read"),
    Row(OSError, (10, MINUTE, 10 * MINUTE, HOUR), End.DEAD, "the system refuses: mostly a full disk"),
    Row(RepositoryError, (2,), End.TELL, "the clone can't be read"),
    Row(MaguyvaError, (), End.TELL, "anything else that has words for people"),
    Row(Exception, (5, MINUTE, 10 * MINUTE), End.DEAD, "a fault of ours"),
)


@dataclass(frozen=True, slots=True)
class Decision:
    wait: float | None  # seconds until the next attempt; None: that was the last
    end: End
    counts: bool = True  # as an attempt


def decide(error: BaseException, attempt: int, now: float, table: Sequence[Row] = RETRIES) -> Decision:
    """`attempt`: how many were made before this one, from 0. `now`: seconds since the epoch."""
    row = next(row for row in table if isinstance(error, row.error))
    if isinstance(error, MustWait):
        return Decision(min(max(1.0, error.until - now), LONGEST_WAIT), row.end, counts=False)
    if isinstance(error, FetchFailed) and error.gone:
        return Decision(None, row.end)
    return Decision(row.waits[attempt] if attempt < len(row.waits) else None, row.end)
