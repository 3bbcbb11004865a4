"""Event -> the jobs it causes, or why none.

One function an event, in `ROWS`; what it decides for each action is a table. Nothing is asked here: an event is a hint, and the job looks
at how things are when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bot.commands import OUR_MARK, commands_in, new_commands
from bot.types import (
    CheckEvent,
    CommentEvent,
    Event,
    IgnoredEvent,
    InstallationAction,
    InstallationEvent,
    InstallationRepositoriesEvent,
    Job,
    JobKind,
    PingEvent,
    Plan,
    PullAction,
    PullRequestEvent,
    PullState,
    PushEvent,
    RepositoryAction,
    RepositoryEvent,
    RepositoryRef,
)

MOST_JOBS: Final = 100  # of one event; an installation with more repositories is one job that lists them itself
REFRESH: Final = "refresh"  # identifier of the check's button


@dataclass(frozen=True, slots=True)
class Policy:
    """What the settings say about planning."""

    app_id: str  # the number, as `GitHub.identity` tells it
    login: str = ""  # "<slug>[bot]": our own comments; "": not known yet
    drafts: bool = False


def plan(event: Event, policy: Policy) -> Plan:
    """Never raises; every event has its row."""
    return ROWS[type(event)](event, policy)


def _none(why: str) -> Plan:
    return Plan((), why)


# ---- pull requests

# What each action asks for, and in which words.
PULL_ACTIONS: Final = {
    #                     job               because
    PullAction.OPENED: (JobKind.ANALYSE, "opened"),
    PullAction.PUSHED: (JobKind.ANALYSE, "pushed to"),
    PullAction.REOPENED: (JobKind.ANALYSE, "reopened"),
    PullAction.READY: (JobKind.ANALYSE, "ready for review"),
    PullAction.EDITED: (JobKind.ANALYSE, "another base"),
    PullAction.DRAFTED: (JobKind.SETTLE, "a draft again"),
    PullAction.CLOSED: (JobKind.SETTLE, "closed"),
}


def _pull_request(event: PullRequestEvent, policy: Policy) -> Plan:
    pull = event.pull_request
    kind, because = PULL_ACTIONS[event.action]
    reasons = (
        (not pull.repository.installation, "it did not come through an installation of the App"),
        (pull.repository.archived, "the repository is archived: nothing can be written there"),
        (event.action is PullAction.EDITED and not event.base_changed, "only its title or text changed"),
        (event.action is PullAction.DRAFTED and policy.drafts, "drafts are looked at like others"),
        (kind is JobKind.ANALYSE and pull.state is not PullState.OPEN, "it is closed"),
        (kind is JobKind.ANALYSE and pull.draft and not policy.drafts, "a draft: looked at when it is ready"),
    )
    for holds, why in reasons:
        if holds:
            return _none(why)
    return Plan((_of_pull_request(kind, pull.repository, pull.number, because, head_sha=pull.head_sha),), because)


def _of_pull_request(kind: JobKind, repository: RepositoryRef, number: int, because: str, **more: Any) -> Job:
    return Job(kind, repository.key_of_pull(number), because, repository.installation, repository, number, **more)


# ---- comments


def _comment(event: CommentEvent, policy: Policy) -> Plan:
    repository = event.comment.repository
    ours = policy.login.lower()
    reasons = (
        # People write through other Apps as well, so `by_app` decides nothing.
        (event.author.is_bot or event.sender.is_bot, "a program wrote it: programs that answer programs never end"),
        (bool(ours) and ours in (event.author.login.lower(), event.sender.login.lower()), "we wrote it"),
        (OUR_MARK in event.body, "it quotes a comment of ours"),
        (not event.on_pull_request, "it is on an issue, where there is no change to look at"),
        (not repository.installation, "it did not come through an installation of the App"),
        (repository.archived, "the repository is archived: nothing can be written there"),
    )
    for holds, why in reasons:
        if holds:
            return _none(why)
    commands = new_commands(event.body, event.body_before) if event.edited else commands_in(event.body)
    if not commands:
        return _none("the edit added no command" if event.edited else "there is no command in it")
    because = "a command in a comment"
    jobs = tuple(
        Job(
            JobKind.ANSWER,
            f"{event.comment.place} comment {event.comment.id} line {command.line}",
            because,
            repository.installation,
            repository,
            event.comment.number,
            command=command,
            comment=event.comment,
            asked_by=event.sender if event.edited else event.author,
        )
        for command in commands
    )
    return Plan(jobs, because)


# ---- branches


def _push(event: PushEvent, policy: Policy) -> Plan:
    repository = event.repository
    reasons = (
        (not repository.installation, "it did not come through an installation of the App"),
        (not event.branch, "a tag"),
        (set(event.after) == {"0"}, "the branch is gone"),
    )
    for holds, why in reasons:
        if holds:
            return _none(why)
    because = "pushed to the default branch" if event.branch == repository.default_branch else "pushed to a branch"
    return Plan((_of_branch(repository, event.branch, because, event.after),), because)


def _of_branch(repository: RepositoryRef, branch: str, because: str, head_sha: str = "") -> Job:
    key = repository.key_of_branch(branch)
    return Job(JobKind.BUILD, key, because, repository.installation, repository, head_sha=head_sha, branch=branch)


# ---- checks


def _check(event: CheckEvent, policy: Policy) -> Plan:
    repository = event.repository
    reasons = (
        (event.app != policy.app_id, "it is a check of another App"),
        (event.identifier not in ("", REFRESH), "we have no such button"),
        (event.sender.is_bot, "a program asked"),
        (not repository.installation, "it did not come through an installation of the App"),
    )
    for holds, why in reasons:
        if holds:
            return _none(why)
    because = "asked for again"
    # A fork's pull requests are not listed: number 0 lets the job find them by their head.
    numbers = event.pull_requests[:MOST_JOBS]
    jobs = [_of_pull_request(JobKind.ANALYSE, repository, one, because, head_sha=event.head_sha, forced=True) for one in numbers]
    if not jobs:
        key = f"{repository.key} commit {event.head_sha}"
        jobs = [Job(JobKind.ANALYSE, key, because, repository.installation, repository, head_sha=event.head_sha, forced=True)]
    return Plan(tuple(jobs), because)


# ---- installations and repositories

INSTALLATION_ACTIONS: Final = {
    InstallationAction.CREATED: (JobKind.WELCOME, "installed"),
    InstallationAction.DELETED: (JobKind.FORGET_INSTALLATION, "uninstalled"),
    InstallationAction.SUSPENDED: (JobKind.SUSPEND, "suspended"),
    InstallationAction.RESUMED: (JobKind.RESUME, "no longer suspended"),
    InstallationAction.PERMISSIONS: (JobKind.RESUME, "permissions accepted"),
    InstallationAction.RENAMED: (JobKind.RENAME, "the account has another name"),
}


def _installation(event: InstallationEvent, policy: Policy) -> Plan:
    kind, because = INSTALLATION_ACTIONS[event.action]
    if kind is JobKind.WELCOME and 0 < len(event.repositories) <= MOST_JOBS:
        return Plan(tuple(_of_repository(kind, one, because) for one in event.repositories), because)
    return Plan((Job(kind, f"installation {event.installation}", because, event.installation),), because)


def _installation_repositories(event: InstallationRepositoriesEvent, policy: Policy) -> Plan:
    added, removed = "added to the installation", "removed from the installation"
    if len(event.added) > MOST_JOBS:
        jobs = [Job(JobKind.WELCOME, f"installation {event.installation}", added, event.installation)]
    else:
        jobs = [_of_repository(JobKind.WELCOME, one, added) for one in event.added]
    jobs += [_of_repository(JobKind.FORGET_REPOSITORY, one, removed) for one in event.removed]
    return Plan(tuple(jobs), added if event.added else removed) if jobs else _none("it names no repository")


REPOSITORY_ACTIONS: Final = {
    RepositoryAction.RENAMED: (JobKind.RENAME, "renamed"),
    RepositoryAction.TRANSFERRED: (JobKind.RENAME, "transferred"),
    RepositoryAction.PRIVATIZED: (JobKind.RENAME, "made private"),
    RepositoryAction.PUBLICIZED: (JobKind.RENAME, "made public"),
    RepositoryAction.DELETED: (JobKind.FORGET_REPOSITORY, "deleted"),
    RepositoryAction.ARCHIVED: (JobKind.PAUSE_REPOSITORY, "archived"),
    RepositoryAction.UNARCHIVED: (JobKind.WELCOME, "no longer archived"),
    RepositoryAction.EDITED: (JobKind.BUILD, "its settings changed"),
}


def _repository(event: RepositoryEvent, policy: Policy) -> Plan:
    repository = event.repository
    kind, because = REPOSITORY_ACTIONS[event.action]
    if not repository.installation:
        return _none("it did not come through an installation of the App")
    if kind is JobKind.BUILD:
        if not repository.default_branch:
            return _none("its default branch is not told")
        return Plan((_of_branch(repository, repository.default_branch, because),), because)
    return Plan((_of_repository(kind, repository, because),), because)


def _of_repository(kind: JobKind, repository: RepositoryRef, because: str) -> Job:
    return Job(kind, repository.key, because, repository.installation, repository)


# ---- the rest


def _ping(event: PingEvent, policy: Policy) -> Plan:
    return _none("GitHub says hello")


def _ignored(event: IgnoredEvent, policy: Policy) -> Plan:
    return _none(event.why)


ROWS: Final[dict[type, Callable[[Any, Policy], Plan]]] = {
    PullRequestEvent: _pull_request,
    CommentEvent: _comment,
    PushEvent: _push,
    CheckEvent: _check,
    InstallationEvent: _installation,
    InstallationRepositoriesEvent: _installation_repositories,
    RepositoryEvent: _repository,
    PingEvent: _ping,
    IgnoredEvent: _ignored,
}
