"""A repository comes, goes, is renamed, archived or suspended: index it, or delete everything of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.flows.tools import Outcome, State, Ticket, Tools
from bot.types import Job, JobKind, PullRequest, RepositoryRef


async def welcome(ticket: Ticket, tools: Tools) -> Outcome:
    """A repository came to us: remember it, index its default branch, look at its open pull requests. Without a repository: all those of
    the installation."""
    job = ticket.job
    if job.repository is None:
        found = await tools.github.repositories(job.installation)
        return Outcome(State.DONE, f"{len(found)} repositories", jobs=tuple(_welcome(one, job) for one in found))
    now = replace(await tools.github.repository(job.repository), installation=job.installation or job.repository.installation)
    await tools.records.keep_repository(now)
    if now.archived:
        return Outcome(State.SKIPPED, "the repository is archived")
    branch = now.default_branch
    build = Job(JobKind.BUILD, now.key_of_branch(branch), job.because, now.installation, now, branch=branch)
    return Outcome(State.DONE, jobs=((build,) if branch else ()) + await missing_analyses(tools, now, job.because))


def _welcome(repository: RepositoryRef, job: Job) -> Job:
    return Job(JobKind.WELCOME, repository.key, job.because, repository.installation or job.installation, repository)


async def missing_analyses(tools: Tools, repository: RepositoryRef, because: str) -> tuple[Job, ...]:
    """Open pull requests whose head is not the one we published last, as jobs."""
    published = {one.number: one.head for one in await tools.records.open_pulls(repository.id)}
    pulls = await tools.github.open_pull_requests(repository)
    return tuple(_analyse(repository, one, because) for one in pulls if published.get(one.number) != one.head_sha and _wanted(one, tools))


def _wanted(pull: PullRequest, tools: Tools) -> bool:
    return tools.settings.drafts or not pull.draft


def _analyse(repository: RepositoryRef, pull: PullRequest, because: str) -> Job:
    key = repository.key_of_pull(pull.number)
    return Job(JobKind.ANALYSE, key, because, repository.installation, repository, pull.number, pull.head_sha)


async def forget_repository(ticket: Ticket, tools: Tools) -> Outcome:
    """Deletes the index, the clone and every row of a repository."""
    assert ticket.job.repository is not None
    await _forget(tools, ticket.job.installation, [ticket.job.repository.id])
    return Outcome(State.DONE)


async def forget_installation(ticket: Ticket, tools: Tools) -> Outcome:
    """Deletes everything of all repositories of an installation, and the installation."""
    installation = ticket.job.installation
    ids = [one.ref.id for one in await tools.records.all_repositories(installation)]
    await _forget(tools, installation, ids)
    if tools.forget_jobs is not None:
        await tools.forget_jobs(installation, 0)
    await tools.records.forget_installation(installation)
    tools.github.forget(installation)
    return Outcome(State.DONE, f"{len(ids)} repositories")


async def _forget(tools: Tools, installation: int, ids: Sequence[int]) -> None:
    for id in ids:
        await forget_here(tools, [id])
        if tools.forget_jobs is not None:
            await tools.forget_jobs(installation, id)
        await tools.sharing.forget(tools.index_of(id))
    await tools.records.forget_repositories(ids)
    tools.github.forget(installation, ids)


async def forget_here(tools: Tools, ids: Sequence[int]) -> None:
    """Deletes what this disk has of repositories. Raises OSError."""
    for id in ids:
        await asyncio.to_thread(_delete, tools.index_of(id))
        await tools.clones.forget(id)


async def strangers(tools: Tools) -> frozenset[int]:
    """Repositories of which this disk has an index or a clone, and the database nothing: they left while another worker was told."""
    here = await asyncio.to_thread(lambda: tools.indexed() | tools.clones.known())
    return here - {one.ref.id for one in await tools.records.all_repositories()}


def _delete(folder: Path) -> None:
    """Whatever can't be deleted raises OSError, so that this is tried again."""
    if folder.is_dir():
        shutil.rmtree(folder)


async def suspend(ticket: Ticket, tools: Tools) -> Outcome:
    await tools.records.keep_installation(ticket.job.installation, suspended=True)
    tools.github.forget(ticket.job.installation)
    return Outcome(State.DONE)


async def resume(ticket: Ticket, tools: Tools) -> Outcome:
    """The installation may be touched again, perhaps with more permissions: what was missed is looked at now."""
    await tools.records.keep_installation(ticket.job.installation, suspended=False)
    tools.github.forget(ticket.job.installation)
    return await welcome(replace(ticket, job=replace(ticket.job, repository=None)), tools)


async def rename(ticket: Ticket, tools: Tools) -> Outcome:
    if ticket.job.repository is None:
        return Outcome(State.SKIPPED, "only the account is called differently")
    await tools.records.keep_repository(ticket.job.repository)
    return Outcome(State.DONE)


async def pause(ticket: Ticket, tools: Tools) -> Outcome:
    assert ticket.job.repository is not None
    await tools.records.pause_repository(ticket.job.repository.id, True)
    return Outcome(State.DONE)
