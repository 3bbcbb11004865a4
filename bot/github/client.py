"""Our nouns -> GitHub's API -> our nouns. The only file that imports githubkit.

    async with GitHub(settings.github, settings.app) as github:        # the service
    async with GitHub(hosts, token=token) as github:                   # the Action

Every method raises one of the GitHubErrors of bot/errors.py and nothing else. None sleeps for long: a limit is `MustWait`, with the time
to come back. A write that may have been done without our knowing (`maybe_done`) is never repeated blindly; `upsert_comment` and
`start_check` look first, so repeating *them* is safe.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from bot.settings import AppCredentials, GitHubHosts
from bot.types import (
    AppIdentity,
    ChangedFile,
    CheckOutput,
    CheckRun,
    CommentRef,
    Conclusion,
    GitAccess,
    Installation,
    NewApp,
    Permission,
    PostedComment,
    PullRequest,
    RateState,
    Reaction,
    RepositoryRef,
    SentDelivery,
    Written,
)

if TYPE_CHECKING:
    import httpx


class GitHub:
    """`app`: act as this App, with a token of its own for each repository. `token`: act with this one, as the Action does."""

    def __init__(
        self,
        hosts: GitHubHosts,
        app: AppCredentials | None = None,
        token: str = "",
        *,
        transport: httpx.AsyncBaseTransport | None = None,  # tests: a GitHub in this process
        before_write: Callable[[int], Awaitable[None]] | None = None,  # the pace of writing: see below
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`before_write` is awaited with the installation's id right before each single request that writes there (POST, PATCH, PUT or
        DELETE; not for tokens, not for GraphQL queries that only read), and may wait: the service keeps its pace below GitHub's with it."""
        self.hosts = hosts

    async def __aenter__(self) -> GitHub:
        raise NotImplementedError

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        raise NotImplementedError

    # ---- the App itself

    async def identity(self) -> AppIdentity:
        """Who we are, with the difference of the clocks. Kept after the first call. Raises BadCredentials."""
        raise NotImplementedError

    async def installations(self) -> list[Installation]:
        """Where the App is installed, suspended ones too, sorted by id."""
        raise NotImplementedError

    async def repositories(self, installation: int) -> list[RepositoryRef]:
        """All repositories an installation lets us read, sorted by id."""
        raise NotImplementedError

    async def deliveries(self, since: float) -> list[SentDelivery]:
        """GitHub's own list of what it sent us after `since` (seconds since the epoch), oldest first."""
        raise NotImplementedError

    async def redeliver(self, delivery: SentDelivery) -> None:
        """GitHub sends it once more, under the same id in the header."""
        raise NotImplementedError

    async def convert_manifest(self, code: str) -> NewApp:
        """The code GitHub handed to /setup -> the new App. Needs no credentials; a code works once."""
        raise NotImplementedError

    # ---- reading a repository

    async def repository(self, repository: RepositoryRef) -> RepositoryRef:
        """The same repository under the name, the default branch and the visibility it has now."""
        raise NotImplementedError

    async def open_pull_requests(self, repository: RepositoryRef) -> list[PullRequest]:
        """All open ones, sorted by number."""
        raise NotImplementedError

    async def pull_request(self, repository: RepositoryRef, number: int, *, just_told: bool = False) -> PullRequest:
        """As it is now. `just_told`: an event about it came seconds ago, so that a NotFound is asked again, three times."""
        raise NotImplementedError

    async def pull_requests_of(self, repository: RepositoryRef, head_sha: str) -> list[PullRequest]:
        """The open pull requests whose head is this commit, from forks too, sorted by number."""
        raise NotImplementedError

    async def merge_base(self, pull_request: PullRequest) -> str:
        """The id of the commit where head and base part."""
        raise NotImplementedError

    async def changed_files(self, pull_request: PullRequest) -> list[ChangedFile]:
        """GitHub's list of its files: at most 3,000, in GitHub's order."""
        raise NotImplementedError

    async def branch_tip(self, repository: RepositoryRef, branch: str) -> str:
        """A branch's name -> the id of its newest commit. Raises NotFound."""
        raise NotImplementedError

    async def permission(self, repository: RepositoryRef, login: str) -> Permission:
        """What an account may do there. What can't be found out is NONE; limits and outages are raised."""
        raise NotImplementedError

    async def git_access(self, repository: RepositoryRef) -> GitAccess:
        """An address and a header with which git may fetch this repository, and no other, for at least ten minutes."""
        raise NotImplementedError

    # ---- writing

    async def our_comments(self, repository: RepositoryRef, number: int, marker: str) -> list[PostedComment]:
        """Our comments of a pull request that begin with `marker`, oldest first. Others' are never among them, whatever they contain."""
        raise NotImplementedError

    async def upsert_comment(
        self, repository: RepositoryRef, number: int, marker: str, body: str, *, create: bool = True, known: int = 0
    ) -> Written:
        """Makes `body`, which begins with `marker`, our one comment there: written, rewritten, or left alone where it stands already;
        further copies are removed. `create=False`: only an existing one is touched. `known`: the id we wrote before, 0 if never; where
        that one was deleted by somebody, nothing is written (GONE) and the caller decides."""
        raise NotImplementedError

    async def delete_comment(self, repository: RepositoryRef, comment: int) -> None:
        """One of our comments below a pull request; none there is fine."""
        raise NotImplementedError

    async def minimize_comment(self, repository: RepositoryRef, comment: int) -> bool:
        """Folds one of our comments away as outdated -> whether that worked. Only limits and outages are raised."""
        raise NotImplementedError

    async def reply(self, comment: CommentRef, marker: str, body: str) -> Written:
        """Answers in the conversation, or in the review thread. `marker` names what is answered: an answer that begins with it is
        rewritten, so that repeating it leaves one."""
        raise NotImplementedError

    async def react(self, comment: CommentRef, reaction: Reaction) -> None:
        """Repeating it changes nothing. A comment that is gone is fine."""
        raise NotImplementedError

    async def checks(self, repository: RepositoryRef, head_sha: str, name: str) -> list[CheckRun]:
        """Our runs of that name on a commit, newest first."""
        raise NotImplementedError

    async def start_check(
        self, repository: RepositoryRef, head_sha: str, name: str, external_id: str, *, title: str = "", details_url: str = ""
    ) -> CheckRun:
        """A run in progress; one of the same `external_id` is taken up again."""
        raise NotImplementedError

    async def finish_check(self, repository: RepositoryRef, check: CheckRun, conclusion: Conclusion, output: CheckOutput) -> CheckRun:
        """Ends a run: annotations 50 a request, at most 200. Repeating it does not add them twice."""
        raise NotImplementedError

    # ---- limits

    def rate(self, installation: int) -> RateState:
        """What GitHub last said of this installation's limits. No call is made."""
        raise NotImplementedError

    def forget(self, installation: int, repositories: Sequence[int] = ()) -> None:
        """Drops tokens and everything kept of an installation, or of these repositories of it."""
        raise NotImplementedError
