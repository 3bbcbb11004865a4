"""Which job waits where: the queues, and one row per kind of job."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

from bot.types import Job, JobKind


@dataclass(frozen=True, slots=True)
class QueueRow:
    """`per_key`: at most one job of a key at a time. `at_once`: jobs of all keys that one process works on; they wait for GitHub and for
    the engine most of the time, and the engine has slots of its own."""

    name: str
    per_key: bool
    at_once: int | None
    why: str


DELIVER, PULL, BUILD, ASK, COMMENT, UPKEEP = "deliver", "pull", "build", "ask", "comment", "upkeep"

QUEUES = (
    QueueRow(DELIVER, False, 32, "a delivery becomes jobs; milliseconds"),
    QueueRow(PULL, True, 64, "one analysis per pull request at a time, the newest wins"),
    QueueRow(BUILD, True, 16, "one index per repository at a time"),
    QueueRow(ASK, False, 16, "questions never wait behind builds"),
    QueueRow(COMMENT, True, None, "one writer per installation, below GitHub's limits"),
    QueueRow(UPKEEP, True, 8, "installations come and go; housekeeping"),
)


@dataclass(frozen=True, slots=True)
class KindRow:
    queue: str
    takes_turns: bool = False  # a newer job of the same key takes the place of one that waits or runs
    wait: float = 0.0  # seconds before it starts, in which a newer one may take its place


KINDS = MappingProxyType(
    {
        JobKind.ANALYSE: KindRow(PULL, takes_turns=True),
        JobKind.SETTLE: KindRow(PULL, takes_turns=True),
        JobKind.BUILD: KindRow(BUILD, takes_turns=True, wait=5.0),
        JobKind.WELCOME: KindRow(BUILD),
        JobKind.ANSWER: KindRow(ASK),
        JobKind.FORGET_REPOSITORY: KindRow(UPKEEP),
        JobKind.FORGET_INSTALLATION: KindRow(UPKEEP),
        JobKind.SUSPEND: KindRow(UPKEEP),
        JobKind.RESUME: KindRow(UPKEEP),
        JobKind.RENAME: KindRow(UPKEEP),
        JobKind.PAUSE_REPOSITORY: KindRow(UPKEEP),
    }
)


def partition_of(job: Job) -> str:
    """What at most one job of its queue may work on."""
    queue = KINDS[job.kind].queue
    if queue == BUILD and job.repository is not None:
        return job.repository.key
    return f"installation {job.installation}" if queue == UPKEEP else job.key


def prefix_of(installation: int, repository: int = 0) -> str:
    """How the ids of all jobs of an installation, or of one of its repositories, begin; so they can be found and deleted."""
    return f"i{installation}:r{repository}:" if repository else f"i{installation}:"


def id_of(job: Job, delivery: str) -> str:
    """The id of a job that a delivery (or another job, or a schedule) caused: the same in every repetition, and no other has it."""
    repository = job.repository.id if job.repository is not None else 0
    return f"i{job.installation}:r{repository}:{job.kind.value}:{job.number}:{delivery}"


def following_id(id: str) -> str:
    """The id of a job -> the one under which it is tried again: x, x~1, x~2. A dead letter that was taken up again, x~7+1700000000, counts
    anew under its own name, because the queue drops a job whose id it has seen."""
    first, _, number = id.rpartition("~")
    return f"{first}~{int(number) + 1}" if first and number.isdecimal() else f"{id}~1"


def place_of(id: str) -> tuple[int, int]:
    """The id of a job -> the repository and the number of the pull request it is about; 0 where there is none."""
    found = re.match(r"i\d+:r(\d+):[a-z_]+:(\d+):", id)
    return (int(found[1]), int(found[2])) if found else (0, 0)
