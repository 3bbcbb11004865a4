"""A comment of a pull request, read by a workflow -> the answers to the `/maguyva` commands in it. For those who run no App.

There is no queue: what fails is said in the log, and the comment can be edited to ask again. What was acknowledged is kept in the hidden
line of our comment, and counts only where the command that asked for it is still there, of somebody who may write (`run._confirmed`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from bot.action.inputs import Asked, Compared
from bot.action.outputs import Runner
from bot.commands import ACK_ID, commands_in, new_commands
from bot.errors import GitHubError, NotAllowed
from bot.events import Refusal, read_event
from bot.rendering.escaping import prose
from bot.rendering.replies import answer_marker, help_reply
from bot.types import PERMISSIONS, Command, CommandKind, CommentEvent, CommentRef, Delivery, Permission, PullRequest, Reaction
from index.errors import MaguyvaError

if TYPE_CHECKING:
    from bot.github.client import GitHub

NEEDED: Final = Permission.WRITE  # whoever asks spends the minutes of the repository


@dataclass(frozen=True)
class Thread:
    """One command with everything its handler needs."""

    asked: Asked
    command: Command
    comment: CommentRef
    pull: PullRequest
    runner: Runner
    github: GitHub


async def answer(asked: Asked, runner: Runner, github: GitHub) -> int:
    """The exit code: 0, also where nothing was asked of us. Raises GitHubErrors."""
    event = read_event(Delivery("", asked.event, asked.payload))
    if isinstance(event, Refusal):
        runner.notice(f"The comment can't be read: {event.why}.", "warning")
        return 0
    commands = _commands(event) if isinstance(event, CommentEvent) else ()
    if not isinstance(event, CommentEvent) or not commands:
        runner.notice("Nothing was asked of Maguyva.")
        return 0
    comment = replace(event.comment, repository=asked.repository)
    if PERMISSIONS.index(await github.permission(asked.repository, event.author.login)) < PERMISSIONS.index(NEEDED):
        await _react(github, comment, Reaction.FAILED)
        runner.notice("Whoever asked may not write to this repository: no answer.")
        return 0
    await _react(github, comment, Reaction.SEEN)
    pull = await github.pull_request(asked.repository, comment.number)
    for command in commands:
        await _handle(Thread(asked, command, comment, pull, runner, github))
    return 0


def _commands(event: CommentEvent) -> tuple[Command, ...]:
    """Programs are not answered: two of them would never end."""
    if not event.on_pull_request or event.by_app or event.author.is_bot or event.sender.is_bot:
        return ()
    return new_commands(event.body, event.body_before) if event.edited else commands_in(event.body)


async def _handle(thread: Thread) -> None:
    try:
        body, reaction = await HANDLERS[thread.command.kind](thread), Reaction.DONE
    except GitHubError:
        raise
    except MaguyvaError as error:
        body, reaction = prose(str(error)), Reaction.FAILED
    try:
        if body:
            note = f"\n\n{prose(thread.command.note)}\n" if thread.command.note else ""
            marker = answer_marker(thread.comment.id, thread.command.line)
            await thread.github.reply(thread.comment, marker, f"{marker}\n{body.rstrip()}{note}\n")
        await _react(thread.github, thread.comment, reaction)
    except NotAllowed:
        thread.runner.notice("The token of this run may not write comments: it needs pull-requests: write.", "warning")
        thread.runner.write_summary(body)


async def _react(github: GitHub, comment: CommentRef, reaction: Reaction) -> None:
    """A courtesy: nothing depends on it."""
    with suppress(GitHubError):
        await github.react(comment, reaction)


# ---- the commands


async def _help(thread: Thread) -> str:
    return help_reply()


async def _refresh(thread: Thread) -> str:
    await _look_again(thread, frozenset())
    return ""


async def _acknowledge(thread: Thread) -> str:
    ids = frozenset(ACK_ID.findall(thread.command.argument.lower()))
    if not ids:
        return "Which one? The id stands at the end of its row, as in `/maguyva ack 4f38e59d`."
    await _look_again(thread, ids)
    return ""


async def _look_again(thread: Thread, acknowledged: frozenset[str]) -> None:
    """The whole report anew, as for a push."""
    from bot.action.run import look, tell

    compared = await _compared(thread)
    report = await look(thread.asked, compared, thread.runner, thread.github)
    await tell(thread.asked, compared, report, thread.runner, thread.github, acknowledged)


def _engine_task(task: str) -> Callable[[Thread], Awaitable[str]]:
    async def handle(thread: Thread) -> str:
        from bot.action.run import holding
        from bot.engines.tasks import Desk

        asked, compared = thread.asked, await _compared(thread)
        given: Mapping[str, Any] = {
            "home": str(asked.home),
            "base": compared.base,
            "head": compared.head,
            "url": f"{asked.hosts.web}/{asked.repository.full_name}",
            "argument": thread.command.argument,
            "acknowledged": [],
        }
        desk = Desk()
        try:
            async with holding(asked, compared, await thread.github.git_access(asked.repository)) as clone:
                with thread.runner.plain_log():
                    found = await asyncio.to_thread(desk.do, task, {**given, "clone": str(clone)})
        finally:
            desk.forget()
        return str(found["body"])

    return handle


async def _compared(thread: Thread) -> Compared:
    pull = thread.pull
    base = await thread.github.merge_base(pull)
    return Compared(base, pull.head_sha, number=pull.number, from_fork=pull.from_fork, author=pull.author.login)


HANDLERS: Mapping[CommandKind, Callable[[Thread], Awaitable[str]]] = MappingProxyType(
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
