"""A pull request was opened or pushed to: say what it reaches.

    the head as GitHub has it now -> clone -> the engine, in a process of its own -> a draft, which `publish` brings to GitHub

Events are hints. What is analysed is what GitHub says at that moment, and if nothing of it is different from what was published last,
nothing is done. A newer job of the same pull request stops an older one wherever it stands.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from bot.errors import GitHubError, MustWait, NotFound
from bot.flows.drafts import CheckDraft, Draft, Report, ReportDraft, only_title
from bot.flows.indexing import index_commit, is_indexed
from bot.flows.tools import Outcome, State, Ticket, Tools, engine_version
from bot.records import PullRecord
from bot.repositories import HISTORY, Want
from bot.types import Conclusion, PullRequest, PullState, RepositoryRef
from bot.written import of_json

T = TypeVar("T")

CHECK = "Maguyva"  # the name of our check
LOOK_SECONDS = 1.0  # how often a running analysis looks whether it is still wanted
RULES = "1"  # raise it when the same report is rendered differently without a new version


class Superseded(Exception):
    """A newer job of the same pull request is there."""


async def analyse(ticket: Ticket, tools: Tools) -> Outcome:
    """What the pull request reaches, as a draft; or why nothing is to be said. Raises MaguyvaErrors."""
    repository = _repository(ticket)
    if 0 < ticket.turn < (await tools.records.newest_turn(ticket.job.key))[0]:
        return Outcome(State.SUPERSEDED)  # not begun: the newer one may as well do it
    why = await _not_now(repository, tools)
    if why:
        return Outcome(State.SKIPPED, why)
    if not ticket.job.number:
        return await _by_head(ticket, tools)
    pull = await tools.github.pull_request(repository, ticket.job.number, just_told=ticket.attempt == 0)
    if pull.state is not PullState.OPEN or (pull.draft and not tools.settings.drafts and not ticket.job.forced):
        return await settle(ticket, tools)
    await tools.records.keep_repository(_named_as_now(repository, pull))
    base = await tools.github.merge_base(pull)
    before = await tools.records.pull(repository.id, pull.number)
    done = digest_of(pull, base, before, tools)
    await tools.records.note_pull(repository.id, pull.number, open=True, base_ref=pull.base_ref)
    if done in (before.done, before.drafted) and not ticket.job.forced:
        return Outcome(State.SKIPPED, "nothing is different from what was published, or is about to be")
    try:
        found = await _report(ticket, tools, pull, base, before)
    except Superseded:
        return Outcome(State.SUPERSEDED)
    await tools.records.note_pull(repository.id, pull.number, drafted=done)
    where = replace(pull.repository, installation=repository.installation)
    draft = ReportDraft(where, pull.number, ticket.job.key, ticket.turn, pull.head_sha, pull.base_ref, done, found)
    return Outcome(State.DONE, f"{found.headline} in {found.seconds:.1f} s", draft=draft)


async def _by_head(ticket: Ticket, tools: Tools) -> Outcome:
    """GitHub does not tell the pull requests of a fork's check: find them by their head."""
    repository, head = _repository(ticket), ticket.job.head_sha
    pulls = await tools.github.pull_requests_of(repository, head)
    keys = {pull.number: repository.key_of_pull(pull.number) for pull in pulls}
    jobs = tuple(replace(ticket.job, key=key, number=number) for number, key in sorted(keys.items()))
    return Outcome(State.DONE, f"{len(jobs)} pull requests have this head", jobs=jobs)


async def settle(ticket: Ticket, tools: Tools) -> Outcome:
    """A pull request that was closed, or became a draft: what we began there is brought to its end."""
    repository, number = _repository(ticket), ticket.job.number
    before = await tools.records.pull(repository.id, number)
    await tools.records.note_pull(repository.id, number, open=False)
    if not before.check_open:
        return Outcome(State.SKIPPED, "closed, or a draft")
    says = "The pull request was closed or became a draft before it was looked at."
    check = only_title("Not looked at", says, Conclusion.CANCELLED)
    return Outcome(State.DONE, "closed, or a draft", draft=CheckDraft(repository, number, before.check_head, check))


async def apologise(ticket: Ticket, tools: Tools, says: str) -> Draft | None:
    """An analysis that can't be had -> the draft of a check that says why. The comment of an earlier head stays: it names its head."""
    repository, number = _repository(ticket), ticket.job.number
    before = await tools.records.pull(repository.id, number)
    head = before.check_head if before.check_open else ticket.job.head_sha
    if not head:
        return None
    check = only_title("Could not be looked at", f"This pull request could not be looked at.\n\n{says}", Conclusion.NEUTRAL)
    return CheckDraft(repository, number, head, check)


# ---- the parts of an analysis


def _repository(ticket: Ticket) -> RepositoryRef:
    assert ticket.job.repository is not None, ticket.job.kind
    return ticket.job.repository


async def is_superseded(tools: Tools, key: str, turn: int, head: str) -> bool:
    """Whether what was begun for `head` is of no use any more: a newer job is about another head, or matters in any case."""
    newest, newest_head = await tools.records.newest_turn(key)
    return 0 < turn < newest and newest_head != head


async def _not_now(repository: RepositoryRef, tools: Tools) -> str:
    """Why a repository is not to be touched; "" where it may be."""
    if await tools.records.is_suspended(repository.installation):
        return "the installation is suspended"
    known = await tools.records.repository(repository.id)
    return "the repository is archived" if known is not None and known.paused else ""


def _named_as_now(repository: RepositoryRef, pull: PullRequest) -> RepositoryRef:
    """What GitHub just said of the repository, in the installation that the event came through."""
    now = pull.repository
    return replace(now, installation=repository.installation or now.installation)


def digest_of(pull: PullRequest, base: str, before: PullRecord, tools: Tools) -> str:
    """All that decides what a report says. The same digest gives the same bytes, so there is nothing to do."""
    parts = [
        *(pull.head_sha, base, pull.author.login, tools.settings.fail_on, tools.link(pull.repository), engine_version(), RULES),
        *sorted(before.acknowledged),
    ]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


async def _report(ticket: Ticket, tools: Tools, pull: PullRequest, base: str, before: PullRecord) -> Report:
    """Raises Superseded."""
    repository = pull.repository
    access = await tools.github.git_access(replace(repository, installation=_repository(ticket).installation))
    wants = [Want(base, history=HISTORY), Want(pull.head_sha, f"refs/pull/{pull.number}/head")]
    async with tools.clones.holding(repository.id, access, wants) as clone:
        if not await is_indexed(tools, repository.id, clone, base):
            await _begin_check(ticket, tools, pull, before)
            await _while_wanted(ticket, tools, pull.head_sha, index_commit(tools, repository.id, clone, base))
        given = {
            **tools.given(repository.id, clone),
            "base": base,
            "head": pull.head_sha,
            "url": tools.link(repository),
            "engine": engine_version(),
            "previous": json.loads(before.summary) if before.summary else None,
            "rewritten": await _is_rewritten(tools, pull, before),
            "author": pull.author.login,
            "acknowledged": sorted(before.acknowledged),
            "fail_on_breaks": True if tools.settings.fail_on == "breaks" else None,  # None: as the repository says
        }
        asking = tools.engines.ask("pull", "impact", str(repository.id), given)
        return of_json(Report, await _while_wanted(ticket, tools, pull.head_sha, asking))


async def _while_wanted(ticket: Ticket, tools: Tools, head: str, work: Coroutine[Any, Any, T]) -> T:
    """Waits for `work`, and ends it as soon as a newer job of the same pull request is there. Raises Superseded."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_SECONDS))[0]:
            if await is_superseded(tools, ticket.job.key, ticket.turn, head):
                raise Superseded
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _is_rewritten(tools: Tools, pull: PullRequest, before: PullRecord) -> bool:
    """Whether the head that was published last is not among the ancestors of this one. What can't be found out is no."""
    if not before.head or before.head == pull.head_sha:
        return False
    try:
        return await tools.github.merge_base(replace(pull, base_sha=before.head)) != before.head
    except NotFound:
        return True
    except MustWait:
        raise
    except GitHubError:
        return False


async def _begin_check(ticket: Ticket, tools: Tools, pull: PullRequest, before: PullRecord) -> None:
    """A repository that has to be indexed first takes a while: show that something is going on. No check is no reason to stop."""
    repository = _repository(ticket)
    if before.check_open:
        return  # one of another head is to be ended first, and `publish` does that
    await tools.records.note_pull(repository.id, pull.number, check_head=pull.head_sha, check_open=True)
    try:
        await tools.github.start_check(repository, pull.head_sha, CHECK, ticket.job.key, title="Indexing the repository")
    except GitHubError:
        return
