"""A draft -> what stands on GitHub. One at a time per installation, at a pace below GitHub's limits.

Everything here may be repeated: our comment is found by its marker before one is written, and a check by the id we gave it. Before
anything is written, the head of the pull request is read once more; a report of another head is not published, and a new analysis takes
its place.
"""

from __future__ import annotations

import json
from typing import Any, assert_never

from bot.errors import NotAllowed, NotFound
from bot.flows.drafts import CheckDraft, Draft, ReplyDraft, ReportDraft, read_draft
from bot.flows.pull_request import CHECK, is_superseded
from bot.flows.tools import Outcome, State, Tools
from bot.plan import REFRESH
from bot.rendering.check import CheckRun
from bot.rendering.run_summary import MARKER
from bot.types import (
    Annotation,
    CheckButton,
    CheckOutput,
    Conclusion,
    Job,
    JobKind,
    Level,
    PullRequest,
    PullState,
    RepositoryRef,
    WriteResult,
)

NO_CHECKS = "the permission to write checks is missing"
AGAIN = CheckButton("Analyse again", "Look at this head once more", REFRESH)
NO_COMMENTS = "the conversation is locked, or the permission to write comments is missing"


async def publish(draft_id: str, tools: Tools) -> Outcome:
    """Raises GitHubErrors."""
    stored = await tools.records.draft(draft_id)
    if stored is None:
        return Outcome(State.SKIPPED, "it was published already")
    outcome = await _brought(read_draft(stored), tools)
    await tools.records.drop_draft(draft_id)
    return outcome


async def give_up(draft_id: str, tools: Tools) -> None:
    """A draft that can't be brought to GitHub: the next job of its pull request must not think that it will be."""
    stored = await tools.records.draft(draft_id)
    if stored is not None and stored.get("kind") == "report":
        await tools.records.note_pull(stored["repository"]["id"], stored["number"], drafted="")


async def _brought(draft: Draft, tools: Tools) -> Outcome:
    match draft:
        case ReportDraft():
            return await _report(draft, tools)
        case CheckDraft():
            return await _check(draft, tools)
        case ReplyDraft():
            return await _reply(draft, tools)
        case _:
            assert_never(draft)


async def _report(draft: ReportDraft, tools: Tools) -> Outcome:
    repository, number = draft.repository, draft.number
    if await is_superseded(tools, draft.key, draft.turn, draft.head):
        return Outcome(State.SUPERSEDED)
    pull = await tools.github.pull_request(repository, number)
    if (pull.head_sha, pull.base_ref) != (draft.head, draft.base_ref):
        # The event that told of the new head may be lost, or come later: this does no harm then.
        again = Job(JobKind.ANALYSE, draft.key, "the head moved", repository.installation, repository, number, pull.head_sha)
        return Outcome(State.SUPERSEDED, "the head moved", jobs=(again,))
    before = await tools.records.pull(repository.id, number)
    problems = []
    comment_id = before.comment_id
    if pull.state is PullState.OPEN:
        try:
            comment_id = await _comment(tools, pull, draft, comment_id, before.head)
        except NotAllowed:
            problems.append(NO_COMMENTS)
    values: dict[str, Any] = {"head": draft.head, "comment_id": comment_id, "summary": json.dumps(draft.report.summary)}
    try:
        await _conclude(tools, repository, number, draft.head, draft.report.check)
    except NotAllowed:
        problems.append(NO_CHECKS)
    # Last, so that an end in the middle leaves a report that is still to be published.
    await tools.records.note_pull(repository.id, number, **values, done=draft.done)
    return Outcome(State.DONE, "; ".join(problems))


async def _comment(tools: Tools, pull: PullRequest, draft: ReportDraft, known: int, last_head: str) -> int:
    """-> the id of our comment; 0 where there is none. One that somebody deleted comes back with the next push, not before."""
    known = known if last_head == draft.head else 0
    written = await tools.github.upsert_comment(
        draft.repository, pull.number, MARKER, draft.report.body, create=not draft.report.silent, known=known
    )
    return known if written.result is WriteResult.GONE else written.id


async def _check(draft: CheckDraft, tools: Tools) -> Outcome:
    try:
        await _conclude(tools, draft.repository, draft.number, draft.head, draft.check)
    except (NotAllowed, NotFound) as error:
        return Outcome(State.SKIPPED, str(error))
    return Outcome(State.DONE)


async def _conclude(tools: Tools, repository: RepositoryRef, number: int, head: str, check: CheckRun) -> None:
    """The check of that head says `check` from now on, and has a button for who wants it made once more."""
    before = await tools.records.pull(repository.id, number)
    if before.check_open and before.check_head not in ("", head):
        await end_checks(tools, repository, before.check_head, CheckOutput("Superseded", "A newer head is looked at."))
    # Noted before it is begun: whoever dies in between leaves a place to look at.
    await tools.records.note_pull(repository.id, number, check_head=head, check_open=True)
    run = await tools.github.start_check(repository, head, CHECK, repository.key_of_pull(number))
    annotations = tuple(Annotation(one.path, one.line, one.end_line, Level(one.level), one.message, one.title) for one in check.annotations)
    conclusion = Conclusion(check.conclusion)
    buttons = () if conclusion is Conclusion.CANCELLED else (AGAIN,)
    await tools.github.finish_check(repository, run, conclusion, CheckOutput(check.title, check.summary, check.text, annotations, buttons))
    await tools.records.note_pull(repository.id, number, check_open=False)


async def end_checks(tools: Tools, repository: RepositoryRef, head: str, output: CheckOutput) -> None:
    """Our checks of a head that are not concluded are cancelled: its pull request has moved on, or nobody works on it any more."""
    for run in await tools.github.checks(repository, head, CHECK):
        if not run.completed:
            await tools.github.finish_check(repository, run, Conclusion.CANCELLED, output)


async def _reply(draft: ReplyDraft, tools: Tools) -> Outcome:
    try:
        await tools.github.reply(draft.comment, draft.marker, draft.body)
        await tools.github.react(draft.comment, draft.reaction)
    except (NotAllowed, NotFound) as error:
        return Outcome(State.SKIPPED, str(error))
    return Outcome(State.DONE)
