"""Ids of jobs in the queue."""

from __future__ import annotations

from bot.jobs.queues import following_id, id_of, place_of
from bot.types import Job, JobKind, RepositoryRef

SHOP = RepositoryRef(42, "acme/shop", 9)


def test_a_job_that_was_taken_up_again_meets_no_id_of_its_first_life() -> None:
    first = id_of(Job(JobKind.ANALYSE, SHOP.key_of_pull(7), "opened", 9, SHOP, 7), "a-delivery:0")
    lived = [first]
    for _ in range(3):
        lived.append(following_id(lived[-1]))

    again = [f"{lived[-1]}+1700000000"]
    for _ in range(3):
        again.append(following_id(again[-1]))

    assert lived[1:] == [f"{first}~1", f"{first}~2", f"{first}~3"]
    assert again[1:] == [f"{first}~3+1700000000~{number}" for number in (1, 2, 3)]
    assert {place_of(id) for id in (*lived, *again)} == {(42, 7)}
