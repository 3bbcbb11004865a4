"""Jobs in a durable queue, worked off with DBOS: what was put in is done at least once, whoever dies meanwhile.

    deliver   the jobs of one delivery, each put in its queue          id: that of the delivery
    job       one job: its story is run, and what follows is put in    id: of the delivery, and which job
    publish   a draft is brought to GitHub                             id: that of the job

A step is written down when it ends, so a workflow that is taken up again does not repeat it; a step that was cut off is repeated, and
every story is safe to repeat. Names and order of steps are fixed: work that waits in a database outlives the program that put it there.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import structlog
from dbos import DBOS
from dbos import EnqueueOptions as Options
from dbos._error import DBOSWorkflowIDInUseError

from bot import metrics, written
from bot.flows import branch, installation, publish, pull_request, question
from bot.flows.drafts import Draft
from bot.flows.tools import Outcome, State, Ticket, Tools
from bot.jobs.queues import COMMENT, KINDS, QUEUES, following_id, id_of, partition_of, place_of
from bot.jobs.retry import End, decide
from bot.records import Records, Run
from bot.types import Job, JobKind

VERSION = "1"  # of what waits in the queue, not of the program: raise it only if old jobs must not be taken up any more
MOST_RECOVERIES = 8  # a job that kills its process kills at most so many; one that was only near when it was killed gets its turn
OLDEST = 24 * 3_600.0  # seconds after which a limit that never ends becomes a dead letter

Story = Callable[[Ticket, Tools], Awaitable[Outcome]]
Apology = Callable[[Ticket, Tools, str], Awaitable[Draft | None]]

STORIES: Mapping[JobKind, Story] = MappingProxyType(
    {
        JobKind.ANALYSE: pull_request.analyse,
        JobKind.SETTLE: pull_request.settle,
        JobKind.BUILD: branch.build,
        JobKind.ANSWER: question.answer,
        JobKind.WELCOME: installation.welcome,
        JobKind.FORGET_REPOSITORY: installation.forget_repository,
        JobKind.FORGET_INSTALLATION: installation.forget_installation,
        JobKind.SUSPEND: installation.suspend,
        JobKind.RESUME: installation.resume,
        JobKind.RENAME: installation.rename,
        JobKind.PAUSE_REPOSITORY: installation.pause,
    }
)
APOLOGIES: Mapping[JobKind, Apology] = MappingProxyType({JobKind.ANALYSE: pull_request.apologise, JobKind.ANSWER: question.apologise})

log = structlog.get_logger("maguyva.jobs")


class JobFailed(Exception):
    """What makes a job a dead letter. The message is shown on the status page."""


_tools: Tools | None = None


def use(tools: Tools | None) -> None:
    """What the workflows of this process work with; DBOS calls them with nothing but their arguments."""
    global _tools
    _tools = tools


def _with() -> Tools:
    assert _tools is not None, "the service has not started"
    return _tools


# ---- the workflows


@DBOS.workflow(name="deliver", max_recovery_attempts=MOST_RECOVERIES)
async def deliver(delivery: str, jobs: list[dict[str, Any]]) -> int:
    """The jobs of one delivery, as JSON -> each in its queue."""
    for number, job in enumerate(jobs):
        await _put(written.of_json(Job, job), f"{delivery}:{number}")
    return len(jobs)


@DBOS.workflow(name="job", max_recovery_attempts=MOST_RECOVERIES)
async def work(job: dict[str, Any], origin: str, turn: int, attempt: int, since: float) -> str:
    """`origin`: the delivery and which of its jobs. `since`: when it was first tried, seconds since the epoch."""
    ticket = Ticket(written.of_json(Job, job), origin, turn, attempt)
    told = await _tell_story(job, origin, turn, attempt, since)
    outcome = written.of_json(Outcome, {**told, "draft": None})
    if told["draft"] is not None:
        await _put_draft(ticket)
    for number, following in enumerate(outcome.jobs):
        await _put(following, f"{origin}.{attempt}:{number}")
    if outcome.state is State.AGAIN:
        next_attempt = attempt + 1 if outcome.counts else attempt
        await _enqueue(
            "job",
            KINDS[ticket.job.kind].queue,
            _next_id(),
            partition_of(ticket.job),
            outcome.wait,
            (job, origin, turn, next_attempt, since),
        )
    if outcome.state is State.FAILED:
        raise JobFailed(outcome.says)
    return outcome.state.value


@DBOS.workflow(name="publish", max_recovery_attempts=MOST_RECOVERIES)
async def bring(draft_id: str, installation_id: int, attempt: int, since: float) -> str:
    """A draft that a job has kept -> on GitHub."""
    outcome = written.of_json(Outcome, await _publish(draft_id, attempt, since))
    for number, following in enumerate(outcome.jobs):
        await _put(following, f"{draft_id}.{attempt}:{number}")
    if outcome.state is State.AGAIN:
        next_attempt = attempt + 1 if outcome.counts else attempt
        partition = f"installation {installation_id}"
        await _enqueue("publish", COMMENT, _next_id(), partition, outcome.wait, (draft_id, installation_id, next_attempt, since))
    if outcome.state is State.FAILED:
        raise JobFailed(outcome.says)
    return outcome.state.value


def _next_id() -> str:
    """The id under which the running workflow is put in again: its own, with the next number at its end."""
    assert DBOS.workflow_id is not None
    return following_id(DBOS.workflow_id)


# ---- their steps


@DBOS.step(name="story")
async def _tell_story(job: dict[str, Any], origin: str, turn: int, attempt: int, since: float) -> dict[str, Any]:
    """Runs the story of a job. Errors become outcomes here, so that they are written down like everything else."""
    tools, ticket = _with(), Ticket(written.of_json(Job, job), origin, turn, attempt)
    kind, began = ticket.job.kind, time.perf_counter()
    try:
        outcome = await STORIES[kind](ticket, tools)
        if outcome.draft is not None:
            await tools.records.keep_draft(_draft_id(ticket), _repository_id(ticket.job), written.to_json(outcome.draft))
    except Exception as error:
        outcome = _judged(error, attempt, since, tools.clock())
        if outcome.state in (State.GAVE_UP, State.FAILED) and kind in APOLOGIES:
            outcome = await _apologised(ticket, tools, outcome)
        _log_error(error, outcome, kind=kind.value, job=id_of(ticket.job, origin))
    await _note(
        tools,
        Run(
            kind.value,
            outcome.state.value,
            id_of(ticket.job, origin),
            _repository_id(ticket.job),
            ticket.job.number,
            ticket.job.because,
            seconds=time.perf_counter() - began,
            says=outcome.says,
        ),
    )
    # The draft itself waits in our own table, where it can be deleted with everything else of its repository.
    return {**written.to_json(outcome), "draft": None if outcome.draft is None else {}}


async def _apologised(ticket: Ticket, tools: Tools, outcome: Outcome) -> Outcome:
    try:
        draft = await APOLOGIES[ticket.job.kind](ticket, tools, outcome.says)
        if draft is not None:
            await tools.records.keep_draft(_draft_id(ticket), _repository_id(ticket.job), written.to_json(draft))
    except Exception as error:
        _log_error(error, outcome, kind="apology", job=id_of(ticket.job, ticket.id))
        return outcome
    return Outcome(outcome.state, outcome.says, draft=draft)


@DBOS.step(name="publish")
async def _publish(draft_id: str, attempt: int, since: float) -> dict[str, Any]:
    tools, began = _with(), time.perf_counter()
    try:
        outcome = await publish.publish(draft_id, tools)
    except Exception as error:
        outcome = _judged(error, attempt, since, tools.clock())
        if outcome.state is not State.AGAIN:
            await publish.give_up(draft_id, tools)
        _log_error(error, outcome, kind="publish", job=draft_id)
    if outcome.state is not State.SKIPPED:
        repository, number = place_of(draft_id)
        run = Run("publish", outcome.state.value, draft_id, repository, number, seconds=time.perf_counter() - began, says=outcome.says)
        await _note(tools, run)
    return written.to_json(outcome)


@DBOS.step(name="now")
async def _now() -> float:
    return _with().clock()


@DBOS.step(name="turn")
async def _note_turn(job: dict[str, Any], turn: int) -> None:
    await note_turn(_with().records, written.of_json(Job, job), turn)


async def note_turn(records: Records, job: Job, turn: int) -> None:
    """After a job was put in, so that nothing older gives way to a job that is not there."""
    if KINDS[job.kind].takes_turns:
        head = job.head_sha if job.kind is JobKind.ANALYSE and not job.forced else ""
        await records.note_turn(job.key, _repository_id(job), turn, head)


def _judged(error: Exception, attempt: int, since: float, now: float) -> Outcome:
    decision = decide(error, attempt, now)
    says = str(error) or type(error).__name__
    if decision.wait is not None and now - since < OLDEST:
        return Outcome(State.AGAIN, says, wait=decision.wait, counts=decision.counts)
    return Outcome({End.TELL: State.GAVE_UP, End.DROP: State.SKIPPED, End.DEAD: State.FAILED}[decision.end], says)


def _log_error(error: Exception, outcome: Outcome, **about: str) -> None:
    known = decide(error, 0, 0.0).end is not End.DEAD
    (log.info if known else log.warning)(
        "a job met an error", error=type(error).__name__, says=outcome.says, becomes=outcome.state.value, wait=outcome.wait, **about
    )


async def _note(tools: Tools, run: Run) -> None:
    metrics.JOBS.labels(run.kind, run.outcome).inc()
    if run.outcome == State.SUPERSEDED:
        return  # of a hundred pushes, ninety-nine: they are counted, and not kept
    metrics.JOB_SECONDS.labels(run.kind).observe(run.seconds)
    log.info("a job ended", kind=run.kind, outcome=run.outcome, job=run.job, because=run.because, seconds=round(run.seconds, 3))
    try:
        await tools.records.note_run(run)
    except Exception as error:  # the page of last runs lacks a line: no reason to lose what was done
        log.warning("a run could not be noted", job=run.job, error=type(error).__name__, says=str(error))


# ---- putting in


async def _put(job: Job, origin: str) -> None:
    """From within a workflow: a job -> in its queue, with its turn."""
    since = await _now()
    turn = await put_job(job, origin, since)
    if KINDS[job.kind].takes_turns:
        await _note_turn(written.to_json(job), turn)


async def put_job(job: Job, origin: str, now: float, *, only_new: bool = False) -> int:
    """A job -> in its queue, and its turn. That is its time, in microseconds: whichever of two comes last, both look at how things are
    then. `only_new`: 0 where this job is there already."""
    row, turn = KINDS[job.kind], int(now * 1e6)
    arguments = (written.to_json(job), origin, turn, 0, now)
    try:
        await _enqueue("job", row.queue, id_of(job, origin), partition_of(job), row.wait, arguments, only_new=only_new)
    except DBOSWorkflowIDInUseError:
        return 0
    return turn


async def _put_draft(ticket: Ticket) -> None:
    installation_id = ticket.job.installation
    since = await _now()
    arguments = (_draft_id(ticket), installation_id, 0, since)
    await _enqueue("publish", COMMENT, f"{_draft_id(ticket)}:publish", f"installation {installation_id}", 0.0, arguments)


def _draft_id(ticket: Ticket) -> str:
    return f"{id_of(ticket.job, ticket.id)}.{ticket.attempt}"


def _repository_id(job: Job) -> int:
    return job.repository.id if job.repository is not None else 0


async def _enqueue(
    name: str, queue: str, id: str, partition: str, wait: float, arguments: Sequence[Any], *, only_new: bool = False
) -> None:
    row = next(row for row in QUEUES if row.name == queue)
    options: Options = {"workflow_name": name, "queue_name": queue, "workflow_id": id}
    if only_new:
        options["workflow_id_reuse_policy"] = "reject"
    if row.per_key:
        options["queue_partition_key"] = partition
    if wait > 0:
        options["delay_seconds"] = wait
    await DBOS.enqueue_workflow_with_options_async(options, *arguments)
