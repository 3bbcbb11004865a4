"""A branch was pushed to: index its tip, so that the next pull request finds it there. Only branches that pull requests start from."""

from __future__ import annotations

from bot.flows.indexing import index_commit
from bot.flows.tools import Outcome, State, Ticket, Tools
from bot.repositories import HISTORY, Want
from index.errors import MaguyvaError


async def build(ticket: Ticket, tools: Tools) -> Outcome:
    """Raises MaguyvaErrors."""
    job, repository = ticket.job, ticket.job.repository
    assert repository is not None
    if 0 < ticket.turn < (await tools.records.newest_turn(job.key))[0]:
        return Outcome(State.SUPERSEDED)
    known = await tools.records.repository(repository.id)
    if known is None:
        return Outcome(State.SKIPPED, "the repository is not ours to look after")
    if known.paused or await tools.records.is_suspended(repository.installation):
        return Outcome(State.SKIPPED, "the repository is archived, or the installation suspended")
    is_default = job.branch == known.ref.default_branch
    if not is_default and job.branch not in {one.base_ref for one in await tools.records.open_pulls(repository.id)}:
        return Outcome(State.SKIPPED, f"no pull request starts from {job.branch}")
    tip = await tools.github.branch_tip(known.ref, job.branch)
    if is_default and tip == known.indexed and not job.forced:
        return Outcome(State.SKIPPED, "its tip is indexed")
    access = await tools.github.git_access(known.ref)
    try:
        async with tools.clones.holding(repository.id, access, [Want(tip, f"refs/heads/{job.branch}", HISTORY)]) as clone:
            made = await index_commit(tools, repository.id, clone, tip)
    except MaguyvaError as error:
        if is_default:
            await tools.records.note_index(repository.id, problem=str(error))
        raise
    if is_default:
        await tools.records.note_index(repository.id, tip)
    return Outcome(State.DONE, f"{made['files']:,} files, {made['symbols']:,} symbols in {made['seconds']:.1f} s")
