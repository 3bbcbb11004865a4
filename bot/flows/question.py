"""`/maguyva …` was written below a pull request: answer in the thread.

The eyes go up at once, the right to ask is looked up, the engine answers at the head the pull request has now, and the answer is
published like everything else: at the installation's pace, and found again by its marker, so that there is one however often this runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from bot.commands import ACK_ID
from bot.errors import EngineRefused, GitHubError
from bot.flows.drafts import Draft, ReplyDraft
from bot.flows.tools import Outcome, State, Ticket, Tools
from bot.rendering.escaping import prose
from bot.rendering.replies import answer_marker, help_reply
from bot.repositories import HISTORY, Want
from bot.types import PERMISSIONS, Command, CommandKind, CommentRef, Job, JobKind, Permission, PullRequest, Reaction, RepositoryRef

MOST_ANSWERS = 30  # in one pull request and hour: beyond that somebody is playing, or two programs talk to each other
HOUR = 3_600.0

Handler = Callable[["Asked"], Awaitable[Outcome]]


class Asked:
    """One command with everything its handler needs."""

    def __init__(self, ticket: Ticket, tools: Tools) -> None:
        job = ticket.job
        assert job.repository is not None and job.command is not None and job.comment is not None
        self.ticket, self.tools = ticket, tools
        self.repository: RepositoryRef = replace(job.repository, installation=job.installation or job.repository.installation)
        self.command: Command = job.command
        self.comment: CommentRef = job.comment

    def reply(self, body: str, reaction: Reaction = Reaction.DONE) -> Outcome:
        body = f"{body.rstrip()}\n\n{prose(self.command.note)}\n" if self.command.note else body
        return Outcome(State.DONE, self.command.kind.value, draft=reply_draft(self.comment, self.command, body, reaction))

    def analysis(self, because: str) -> Job:
        key = self.repository.key_of_pull(self.comment.number)
        return Job(
            JobKind.ANALYSE, key, because, self.repository.installation, self.repository, self.comment.number, forced=True
        )  # fmt: skip


async def answer(ticket: Ticket, tools: Tools) -> Outcome:
    """Raises MaguyvaErrors."""
    asked = Asked(ticket, tools)
    if await tools.records.is_suspended(asked.repository.installation):
        return Outcome(State.SKIPPED, "the installation is suspended")
    # What was not answered does not count: strangers could use up the answers of those who may ask.
    answered = await tools.records.count_runs(asked.repository.id, asked.comment.number, "answer", HOUR, but=State.SKIPPED)
    if answered >= MOST_ANSWERS:
        return Outcome(State.SKIPPED, f"more than {MOST_ANSWERS} answers in this pull request within an hour")
    if ticket.attempt == 0:
        await _react(tools, asked.comment, Reaction.SEEN)
    if not await _may_ask(asked):
        await _react(tools, asked.comment, Reaction.FAILED)
        return Outcome(State.SKIPPED, "whoever asked has no permission to")
    try:
        return await HANDLERS[asked.command.kind](asked)
    except EngineRefused as error:
        return asked.reply(prose(str(error)), Reaction.FAILED)


async def apologise(ticket: Ticket, tools: Tools, says: str) -> Draft | None:
    """A question that can't be answered -> the draft of a reply that says why."""
    asked = Asked(ticket, tools)
    return reply_draft(asked.comment, asked.command, f"This could not be answered. {prose(says)}", Reaction.FAILED)


def reply_draft(comment: CommentRef, command: Command, body: str, reaction: Reaction) -> ReplyDraft:
    marker = answer_marker(comment.id, command.line)
    return ReplyDraft(comment, marker, f"{marker}\n{body}", reaction)


async def _react(tools: Tools, comment: CommentRef, reaction: Reaction) -> None:
    """A courtesy: nothing depends on it."""
    with suppress(GitHubError), tools.urgent():
        await tools.github.react(comment, reaction)


async def _may_ask(asked: Asked) -> bool:
    """Reading a private repository is permission enough to ask about it; a public one everybody can read. What was acknowledged no longer
    fails the check, so that is for those who may merge."""
    job, tools = asked.ticket.job, asked.tools
    if job.asked_by is None:
        return False
    needed = Permission.READ if asked.repository.private else Permission(tools.settings.who_may_ask)
    if asked.command.kind is CommandKind.ACK:
        needed = max(needed, Permission.WRITE, key=PERMISSIONS.index)
    found = await tools.github.permission(asked.repository, job.asked_by.login)
    return PERMISSIONS.index(found) >= PERMISSIONS.index(needed)


# ---- the commands


async def _help(asked: Asked) -> Outcome:
    return asked.reply(help_reply())


async def _refresh(asked: Asked) -> Outcome:
    return Outcome(State.DONE, "refresh", jobs=(asked.analysis("somebody asked for it"),))


async def _acknowledge(asked: Asked) -> Outcome:
    for id in ACK_ID.findall(asked.command.argument.lower()):
        await asked.tools.records.acknowledge(asked.repository.id, asked.comment.number, id)
    await _react(asked.tools, asked.comment, Reaction.AGREED)
    return Outcome(State.DONE, "ack", jobs=(asked.analysis("acknowledged"),))


def _engine_task(task: str) -> Handler:
    async def handle(asked: Asked) -> Outcome:
        tools, repository = asked.tools, asked.repository
        pull = await tools.github.pull_request(repository, asked.comment.number)
        base = await tools.github.merge_base(pull)
        before = await tools.records.pull(repository.id, pull.number)
        access = await tools.github.git_access(repository)
        async with tools.clones.holding(repository.id, access, _wants(pull, base)) as clone:
            given = {
                **tools.given(repository.id, clone),
                "base": base,
                "head": pull.head_sha,
                "url": tools.link(pull.repository),
                "argument": asked.command.argument,
                "acknowledged": sorted(before.acknowledged),
            }
            found = await tools.engines.ask("ask", task, str(repository.id), given)
        return asked.reply(found["body"])

    return handle


def _wants(pull: PullRequest, base: str) -> list[Want]:
    return [Want(base, history=HISTORY), Want(pull.head_sha, f"refs/pull/{pull.number}/head")]


HANDLERS: Mapping[CommandKind, Handler] = MappingProxyType(
    {
        CommandKind.ASK: _engine_task("answer"),
        CommandKind.WHY: _engine_task("why"),
        CommandKind.IMPACT: _engine_task("impact of"),
        CommandKind.TESTS: _engine_task("tests"),
        CommandKind.HELP: _help,
        CommandKind.REFRESH: _refresh,
        CommandKind.ACK: _acknowledge,
    }
)
