"""What each event asks for: recorded payloads, those of the simulator, and what must never be answered."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.events import Refusal, read_event
from bot.plan import MOST_JOBS, ROWS, Policy, plan
from bot.types import (
    Actor,
    CheckEvent,
    CommentEvent,
    CommentPlace,
    CommentRef,
    Delivery,
    Event,
    InstallationAction,
    InstallationEvent,
    InstallationRepositoriesEvent,
    JobKind,
    PullAction,
    PullRequest,
    PullRequestEvent,
    PullState,
    PushEvent,
    RepositoryAction,
    RepositoryEvent,
    RepositoryRef,
)
from github.payloads import all_recorded

SHOP = RepositoryRef(42, "acme/shop", 9, private=True, default_branch="main")
HEAD, BASE, GONE = "a" * 40, "b" * 40, "0" * 40
SOMEONE, BOT = Actor("octocat", 1), Actor("dependabot[bot]", 2, is_bot=True)
PULL = PullRequest(SHOP, 7, HEAD, BASE, "feature", "main", SOMEONE)
POLICY = Policy("12345", "maguyva[bot]")
OPENED = PullRequestEvent(PullAction.OPENED, PULL, SOMEONE)
COMMENT = CommentEvent(CommentRef(SHOP, 7, 1_234), "/maguyva help", SOMEONE, SOMEONE)
PUSH = PushEvent(SHOP, "main", BASE, HEAD, SOMEONE)
CHECK = CheckEvent(SHOP, HEAD, SOMEONE, "12345", 5, "", "", (7,))


def jobs(event: Event, policy: Policy = POLICY) -> list[str]:
    """Kind and key of each job."""
    return [f"{job.kind}: {job.key}" for job in plan(event, policy).jobs]


def pull(action: PullAction, **changes: Any) -> PullRequestEvent:
    event = {name: changes.pop(name) for name in ("base_changed",) if name in changes}
    return replace(OPENED, action=action, pull_request=replace(PULL, **changes), **event)


ANALYSE, SETTLE = ["analyse: repository 42 pull 7"], ["settle: repository 42 pull 7"]
CASES: list[tuple[str, Event, list[str]]] = [
    ("opened", OPENED, ANALYSE),
    ("opened by a bot", replace(OPENED, sender=BOT, pull_request=replace(PULL, author=BOT)), ANALYSE),
    ("opened from a fork", pull(PullAction.OPENED, from_fork=True), ANALYSE),
    ("opened as a draft", pull(PullAction.OPENED, draft=True), []),
    ("pushed to", pull(PullAction.PUSHED), ANALYSE),
    ("a draft pushed to", pull(PullAction.PUSHED, draft=True), []),
    ("pushed to after it was closed", pull(PullAction.PUSHED, state=PullState.CLOSED), []),
    ("reopened", pull(PullAction.REOPENED), ANALYSE),
    ("ready for review", pull(PullAction.READY), ANALYSE),
    ("a draft again", pull(PullAction.DRAFTED, draft=True), SETTLE),
    ("another title", pull(PullAction.EDITED), []),
    ("another base", pull(PullAction.EDITED, base_changed=True), ANALYSE),
    ("closed", pull(PullAction.CLOSED, state=PullState.CLOSED), SETTLE),
    ("merged", pull(PullAction.CLOSED, state=PullState.MERGED), SETTLE),
    ("in an archived repository", pull(PullAction.OPENED, repository=replace(SHOP, archived=True)), []),
    ("through a webhook of the repository itself", pull(PullAction.OPENED, repository=replace(SHOP, installation=0)), []),
    ("a command", COMMENT, ["answer: conversation comment 1234 line 1"]),
    (
        "a command in a review",
        replace(COMMENT, comment=replace(COMMENT.comment, place=CommentPlace.REVIEW)),
        ["answer: review comment 1234 line 1"],
    ),
    (
        "two commands",
        replace(COMMENT, body="/maguyva help\n\n/maguyva who calls price?"),
        ["answer: conversation comment 1234 line 1", "answer: conversation comment 1234 line 3"],
    ),
    ("a comment without a command", replace(COMMENT, body="Looks good"), []),
    ("an edit that adds a command", replace(COMMENT, edited=True, body_before="hello"), ["answer: conversation comment 1234 line 1"]),
    ("an edit beside a command", replace(COMMENT, edited=True, body_before="/maguyva help\nhello"), []),
    ("a command on an issue", replace(COMMENT, on_pull_request=False), []),
    ("pushed to the default branch", PUSH, ["build: repository 42 branch main"]),
    ("pushed to another branch", replace(PUSH, branch="next"), ["build: repository 42 branch next"]),
    ("a tag", replace(PUSH, branch=""), []),
    ("a branch that is gone", replace(PUSH, after=GONE), []),
    ("run again", CHECK, ANALYSE),
    ("run again, two pull requests", replace(CHECK, pull_requests=(7, 8)), [*ANALYSE, "analyse: repository 42 pull 8"]),
    ("run again, from a fork", replace(CHECK, pull_requests=()), [f"analyse: repository 42 commit {HEAD}"]),
    ("our button", replace(CHECK, identifier="refresh"), ANALYSE),
    ("a button we do not have", replace(CHECK, identifier="deploy"), []),
    ("a check of another App", replace(CHECK, app="1"), []),
    ("a check that a program runs again", replace(CHECK, sender=BOT), []),
    ("installed", InstallationEvent(InstallationAction.CREATED, 9, "acme", SOMEONE, (SHOP,)), ["welcome: repository 42"]),
    ("installed, on what is not told", InstallationEvent(InstallationAction.CREATED, 9, "acme", SOMEONE), ["welcome: installation 9"]),
    ("uninstalled", InstallationEvent(InstallationAction.DELETED, 9, "acme", SOMEONE, (SHOP,)), ["forget_installation: installation 9"]),
    ("suspended", InstallationEvent(InstallationAction.SUSPENDED, 9, "acme", SOMEONE), ["suspend: installation 9"]),
    ("no longer suspended", InstallationEvent(InstallationAction.RESUMED, 9, "acme", SOMEONE), ["resume: installation 9"]),
    ("permissions accepted", InstallationEvent(InstallationAction.PERMISSIONS, 9, "acme", SOMEONE), ["resume: installation 9"]),
    ("an account renamed", InstallationEvent(InstallationAction.RENAMED, 9, "acme", SOMEONE), ["rename: installation 9"]),
    ("a repository added", InstallationRepositoriesEvent(9, (SHOP,), (), SOMEONE), ["welcome: repository 42"]),
    ("a repository removed", InstallationRepositoriesEvent(9, (), (SHOP,), SOMEONE), ["forget_repository: repository 42"]),
    ("no repository at all", InstallationRepositoriesEvent(9, (), (), SOMEONE), []),
    ("renamed", RepositoryEvent(RepositoryAction.RENAMED, SHOP, SOMEONE, "acme/old"), ["rename: repository 42"]),
    ("transferred", RepositoryEvent(RepositoryAction.TRANSFERRED, SHOP, SOMEONE), ["rename: repository 42"]),
    ("deleted", RepositoryEvent(RepositoryAction.DELETED, SHOP, SOMEONE), ["forget_repository: repository 42"]),
    ("archived", RepositoryEvent(RepositoryAction.ARCHIVED, SHOP, SOMEONE), ["pause_repository: repository 42"]),
    ("no longer archived", RepositoryEvent(RepositoryAction.UNARCHIVED, SHOP, SOMEONE), ["welcome: repository 42"]),
    ("made private", RepositoryEvent(RepositoryAction.PRIVATIZED, SHOP, SOMEONE), ["rename: repository 42"]),
    ("made public", RepositoryEvent(RepositoryAction.PUBLICIZED, SHOP, SOMEONE), ["rename: repository 42"]),
    ("another default branch", RepositoryEvent(RepositoryAction.EDITED, SHOP, SOMEONE), ["build: repository 42 branch main"]),
]


@pytest.mark.parametrize(("event", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_it_asks_for(event: Event, expected: list[str]) -> None:
    found = plan(event, POLICY)

    assert [f"{job.kind}: {job.key}" for job in found.jobs] == expected
    assert found.why


def test_every_kind_of_job_is_asked_for_by_something() -> None:
    assert {kind.partition(":")[0] for _, _, expected in CASES for kind in expected} == set(JobKind)


def test_every_recorded_payload_has_a_plan() -> None:
    events = [read_event(Delivery("72d3162e", one.event, json.dumps(one.body).encode())) for one in all_recorded()]
    plans = [plan(event, POLICY) for event in events if not isinstance(event, Refusal)]

    assert len(plans) == 726
    assert all(found.why for found in plans)
    assert {type(event) for event in events} == set(ROWS)


def test_drafts_are_looked_at_where_that_is_wanted() -> None:
    wanted = replace(POLICY, drafts=True)

    assert jobs(pull(PullAction.OPENED, draft=True), wanted) == ANALYSE
    assert jobs(pull(PullAction.DRAFTED, draft=True), wanted) == []


def test_the_head_that_an_event_told_goes_along() -> None:
    (job,) = plan(OPENED, POLICY).jobs

    assert (job.head_sha, job.number, job.installation, job.repository) == (HEAD, 7, 9, SHOP)


def test_whoever_asks_again_wants_it_done_again() -> None:
    assert [job.forced for event in (CHECK, OPENED) for job in plan(event, POLICY).jobs] == [True, False]


def test_who_edits_a_comment_is_who_asks() -> None:
    maintainer = Actor("maintainer", 3)
    edit = replace(COMMENT, edited=True, sender=maintainer)

    assert [job.asked_by for event in (COMMENT, edit) for job in plan(event, POLICY).jobs] == [SOMEONE, maintainer]


# ---- programs that answer programs never end

OURSELVES = Actor("maguyva[bot]", 4, is_bot=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"author": OURSELVES, "sender": OURSELVES},
        {"author": BOT},
        {"sender": BOT},
        {"author": Actor("Maguyva[bot]", 4)},
        {"body": "> <!-- maguyva:impact:v1 -->\n\n/maguyva help"},
    ],
    ids=["ourselves", "a bot wrote it", "a bot edited it", "ourselves, not marked as a bot", "our comment, quoted"],
)
def test_no_answer_to_a_program(changes: dict[str, Any]) -> None:
    assert jobs(replace(COMMENT, **changes)) == []


def test_a_person_who_writes_through_an_app_is_a_person() -> None:
    assert len(jobs(replace(COMMENT, by_app=True))) == 1


def test_our_own_comments_ask_nothing() -> None:
    for command in ("/maguyva help", "/maguyva tests"):
        assert jobs(replace(COMMENT, body=f"<!-- maguyva:answer:1 -->\n{command}")) == []


# ---- many at once


def many(count: int) -> tuple[RepositoryRef, ...]:
    return tuple(RepositoryRef(number, f"acme/r{number}", 9) for number in range(1, count + 1))


def test_an_installation_with_thousands_of_repositories_is_one_job() -> None:
    event = InstallationEvent(InstallationAction.CREATED, 9, "acme", SOMEONE, many(3_000))

    assert jobs(event) == ["welcome: installation 9"]
    assert len(jobs(replace(event, repositories=many(MOST_JOBS)))) == MOST_JOBS


def test_every_repository_that_is_removed_is_forgotten() -> None:
    assert len(jobs(InstallationRepositoriesEvent(9, (), many(3_000), SOMEONE))) == 3_000
