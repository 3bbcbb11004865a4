"""What becomes of a job that met an error."""

from __future__ import annotations

import pytest

from bot import errors
from bot.jobs.retry import LONGEST_WAIT, RETRIES, End, decide
from index.errors import MaguyvaError, StorageError

NOW = 1_000.0


def test_every_error_we_raise_is_judged_by_a_row_and_none_by_the_last_one() -> None:
    known = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, MaguyvaError)]

    assert len(known) > 10
    assert all(next(row for row in RETRIES if issubclass(one, row.error)).error is not Exception for one in known)


def test_no_row_is_swallowed_by_an_earlier_one() -> None:
    for number, row in enumerate(RETRIES):
        assert not any(issubclass(row.error, earlier.error) for earlier in RETRIES[:number]), row.error


def test_a_limit_is_waited_for_until_the_time_it_names_and_is_no_attempt() -> None:
    limit = errors.MustWait("", 403, NOW + 90, secondary=True)

    decision = decide(limit, 100, NOW)

    assert (decision.wait, decision.counts) == (90, False)
    assert decide(errors.MustWait("", 403, NOW + 10**6, secondary=False), 0, NOW).wait == LONGEST_WAIT
    assert decide(errors.MustWait("", 403, NOW - 5, secondary=False), 0, NOW).wait == 1.0


def test_waits_grow_and_end() -> None:
    waits = [decide(errors.GitHubBroken(""), attempt, NOW).wait for attempt in range(9)]

    assert waits == [5, 30, 120, 600, 1800, 3600, 7200, None, None]
    assert decide(errors.GitHubBroken(""), 7, NOW).end is End.DEAD


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (errors.Gone(""), End.DROP),
        (errors.NotAllowed(""), End.DROP),
        (errors.EngineOverran(""), End.TELL),
        (errors.FetchFailed("", gone=True), End.TELL),
    ],
)
def test_what_no_repetition_helps_is_not_repeated(error: BaseException, end: End) -> None:
    decision = decide(error, 0, NOW)

    assert (decision.wait, decision.end) == (None, end)


def test_a_full_disk_and_a_fault_of_ours_end_as_dead_letters() -> None:
    assert decide(StorageError(""), 9, NOW).end is End.DEAD
    assert decide(ValueError(""), 9, NOW).end is End.DEAD
