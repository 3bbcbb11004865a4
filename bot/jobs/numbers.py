"""The queue's table -> how much waits and how much failed, counted by the database and not by us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.jobs.queues import QUEUES
from bot.records import repositories

DEAD = ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
IN_FLIGHT = ("ENQUEUED", "PENDING")
DELAYED = ("DELAYED",)


@dataclass(frozen=True, slots=True)
class Numbers:
    waiting: Mapping[str, int]  # jobs that wait or run, by queue
    dead: int  # jobs that failed for good
    repositories: int
    indexed: int
    with_problem: int


def numbers(connection: Connection) -> Numbers:
    """One look at the database; each count goes along an index that DBOS has for it."""
    of = repositories.c
    row = connection.execute(
        sa.select(
            sa.func.count(),
            sa.func.coalesce(sa.func.sum(sa.case((of.indexed != "", 1), else_=0)), 0),
            sa.func.coalesce(sa.func.sum(sa.case((of.problem != "", 1), else_=0)), 0),
        ).select_from(repositories)
    ).one()
    waiting = dict.fromkeys([one.name for one in QUEUES], 0)
    for statuses in (IN_FLIGHT, DELAYED):
        for name, count in _counts(connection, statuses).items():
            if name in waiting:
                waiting[name] += count
    return Numbers(waiting, sum(_counts(connection, DEAD).values()), int(row[0]), int(row[1]), int(row[2]))


def _counts(connection: Connection, statuses: tuple[str, ...]) -> dict[str, int]:
    """By queue."""
    schema = "dbos" if connection.dialect.name == "postgresql" else None
    table = sa.table("workflow_status", sa.column("queue_name"), sa.column("status"), schema=schema)
    # The statuses are written out: a partial index is not used for what is known only when the statement runs.
    among: list[sa.ColumnElement[str]] = [sa.literal_column(f"'{one}'") for one in statuses]
    query = sa.select(table.c.queue_name, sa.func.count()).where(table.c.status.in_(among)).group_by(table.c.queue_name)
    return {str(name): int(count) for name, count in connection.execute(query)}
