"""Our nouns -> GitHub's API -> our nouns. The only file that imports githubkit.

    async with GitHub(settings.github, settings.app) as github:        # the service
    async with GitHub(hosts, token=token) as github:                   # the Action

Every method raises one of the GitHubErrors of bot/errors.py and nothing else. None sleeps for long: a limit is `MustWait`, with the time
to come back. A write that may have been done without our knowing (`maybe_done`) is never repeated blindly; `upsert_comment`, `reply`,
`start_check` and `finish_check` look first, so repeating *them* is safe.

githubkit signs the App's tokens and speaks HTTP. What it would do besides is done here, because it must be different: tokens (it keeps
them to the end of their hour even when GitHub refuses them), retries (it repeats POSTs, and sleeps in the call), time limits (it has none),
redirects (it follows them anywhere), the cache (it has no bound), and reading answers (its models refuse real ones).
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final
from urllib.parse import quote, urlsplit
from weakref import WeakValueDictionary

import httpx
from githubkit import AppAuthStrategy
from githubkit import GitHub as Kit
from githubkit.auth.app import AppAuth
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestError, RequestTimeout

from bot.errors import BadCredentials, GitHubBroken, GitHubError, GitHubUnreachable, Gone, MustWait, NotAllowed, NotFound, Refused
from bot.github.failures import Answer, failure
from bot.pace import Tally
from bot.payload import NotThere, Payload, pull_request, repository
from bot.settings import AppCredentials, GitHubHosts, is_this_machine
from bot.types import (
    Annotation,
    AppIdentity,
    CheckOutput,
    CheckRun,
    CommentPlace,
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
    SaidComment,
    SentDelivery,
    WriteResult,
    Written,
)

API_VERSION: Final = "2022-11-28"  # known to github.com and to every Enterprise Server that is maintained; 2026-03-10 is not
TIME_LIMITS: Final = httpx.Timeout(30.0, connect=10.0)
CALL_SECONDS: Final = 90.0  # a whole call, however slowly its answer trickles in
READ_PAUSES: Final = (0.3, 1.0)  # seconds before a read that failed is tried again
FRESH_PAUSES: Final = (0.5, 1.0, 2.0)  # the same for what an event told a moment ago and GitHub does not have yet
LONGEST_PAUSE: Final = 20.0  # seconds that a write waits for its turn inside the call; beyond, it is MustWait
MOST_PAGES: Final = 100  # of 100 each
MOST_REDIRECTS: Final = 3
MOST_BODY: Final = 65_536  # characters of a comment
MOST_OUTPUT: Final = 65_535  # characters of a check's summary, and of its text
ANNOTATIONS_A_CALL: Final = 50
MOST_ANNOTATIONS: Final = 200
MOST_BUTTONS: Final = 3
TOKEN_RESERVE: Final = 60.0  # seconds a token must still live
GIT_RESERVE: Final = 600.0  # the same for git, which may fetch for minutes
PERMISSION_SECONDS: Final = 60.0  # how long a looked-up permission is believed
NARROWED_SECONDS: Final = 600.0  # how long permissions that were not accepted yet are not asked for again
KEPT_TOKENS: Final = 1_000  # beyond, those that are over are dropped
KEPT_ANSWERS: Final = 256  # lists whose ETag is remembered
KEPT_BYTES: Final = 200_000  # of one such answer
ACTIONS_LOGIN: Final = "github-actions[bot]"

# What each sort of call needs: a token carries no more. GitHub takes "issues" or "pull_requests" for the conversation of a pull request.
READING: Final = {"contents": "read", "metadata": "read", "pull_requests": "read"}
WRITING: Final = {"checks": "write", "contents": "read", "metadata": "read", "pull_requests": "write"}
LISTING: Final = {"metadata": "read"}
GIT: Final = {"contents": "read", "metadata": "read"}

_NO_ANCESTOR = re.compile(r"no common ancestor", re.IGNORECASE)
_FOREIGN_PERMISSION = re.compile(r"permission", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Whose token: of an installation, narrowed to one repository (0: all), with these permissions."""

    installation: int
    repository: int
    permissions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str = field(repr=False)
    expires_at: float


@dataclass(frozen=True, slots=True)
class _Reply:
    """A success: its status, its headers (lower case), its JSON (None without a body)."""

    status: int
    headers: Mapping[str, str]
    content: Any


class _Kit(Kit[Any]):
    """githubkit keeps its HTTP client in a context variable, so that a task of another context opens connections of its own for every
    call. This one has one client for all."""

    shared: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def get_async_client(self) -> AsyncIterator[httpx.AsyncClient]:
        if self.shared is None:
            raise GitHubUnreachable("The GitHub client is closed.")
        yield self.shared


class GitHub:
    """`app`: act as this App, with a token of its own for each repository. `token`: act with this one, as the Action does; `login` is whose
    it is, and "" asks GitHub. It belongs to the event loop it was opened in."""

    def __init__(
        self,
        hosts: GitHubHosts,
        app: AppCredentials | None = None,
        token: str = "",
        *,
        login: str = "",
        transport: httpx.AsyncBaseTransport | None = None,  # tests: a GitHub in this process
        before_write: Callable[[int], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`before_write` is awaited with the installation's id before each single request that writes there (POST, PATCH, PUT, DELETE;
        not for tokens), and may wait: the service paces all its processes with it. Without, this client keeps its own pace."""
        self.hosts = hosts
        self._before_write = before_write
        self._app, self._token, self._login = app, token, login
        self._clock, self._sleep = clock, sleep
        self._kit = _Kit(
            base_url=hosts.api,
            user_agent="maguyva",
            timeout=TIME_LIMITS,
            follow_redirects=False,
            trust_env=not is_this_machine(urlsplit(hosts.api).hostname or ""),  # a proxy of the company does not know this machine
            async_transport=transport,
            cache_strategy=MemCacheStrategy(),
            http_cache=False,
            auto_retry=False,
        )
        self._identity: AppIdentity | None = None
        self._tokens: dict[_Scope, _Token] = {}
        self._names: dict[int, str] = {}  # repository id -> the name it was last seen under
        self._moved: set[int] = set()  # ids of repositories that GitHub sent us elsewhere for
        self._narrowed: dict[int, float] = {}  # installations that have not accepted all permissions yet -> when that was seen
        self._permissions: dict[tuple[int, str], tuple[float, Permission]] = {}
        self._rates: dict[int, RateState] = {}
        self._refusals: dict[int, int] = {}
        self._written: dict[int, Tally] = {}  # installation -> what was written there, where nobody else counts
        self._locks: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()  # each for as long as somebody wants it
        self._answers: OrderedDict[tuple[int, str], tuple[str, _Reply]] = OrderedDict()

    async def __aenter__(self) -> GitHub:
        if self._kit.shared is None:
            self._kit.shared = await self._kit._create_async_client()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        client, self._kit.shared = self._kit.shared, None
        if client is not None:
            await client.aclose()

    # ---- the App itself

    async def identity(self) -> AppIdentity:
        """Who we are, with the difference of the clocks. Kept after the first call. Raises BadCredentials."""
        if self._identity is None:
            reply = await self._as_app("GET", "/app")
            app = Payload(_object(reply))
            with _reading("the App"):
                permissions = {name: level for name, level in app.mapping("permissions").items() if isinstance(level, str)}
                self._identity = AppIdentity(
                    id=app.id("id"),
                    slug=app.text("slug"),
                    name=app.text("name", ""),
                    permissions=permissions,
                    events=tuple(sorted(one for one in app.items("events") if isinstance(one, str))),
                    clock_skew=self._skew(reply.headers),
                )
        return self._identity

    async def installations(self) -> list[Installation]:
        """Where the App is installed, suspended ones too, sorted by id."""
        found = []
        async for one in self._pages("/app/installations", self._as_app):
            with _reading("an installation"):
                permissions = {name: level for name, level in one.mapping("permissions").items() if isinstance(level, str)}
                account = one.text("account.login", one.text("account.slug", ""))
                found.append(Installation(one.id("id"), account, one.has("suspended_at"), permissions))
        return sorted(found, key=lambda one: one.id)

    async def repositories(self, installation: int) -> list[RepositoryRef]:
        """All repositories an installation lets us read, sorted by id."""
        found = []

        async def ask(method: str, path: str, **more: Any) -> _Reply:
            return await self._as_installation(_Scope(installation, 0, _frozen(LISTING)), method, path, **more)

        async for one in self._pages("/installation/repositories", ask, inside="repositories"):
            with _reading("a repository"):
                found.append(repository(one, installation))
        self._names.update((one.id, one.full_name) for one in found)
        return sorted(found, key=lambda one: one.id)

    async def deliveries(self, since: float) -> list[SentDelivery]:
        """GitHub's own list of what it sent us after `since` (seconds since the epoch), oldest first."""
        found = []
        async for one in self._pages("/app/hook/deliveries", self._as_app):
            with _reading("a delivery"):
                sent = SentDelivery(
                    id=one.id("id"),
                    delivery=one.text("guid"),
                    event=one.text("event", ""),
                    action=one.text("action", ""),
                    sent_at=_seconds(one.text("delivered_at")),
                    status_code=one.count("status_code", 0),
                    redelivery=one.yes("redelivery"),
                )
            if sent.sent_at < since:  # the list is newest first
                break
            found.append(sent)
        return found[::-1]

    async def redeliver(self, delivery: SentDelivery) -> None:
        """GitHub sends it once more, under the same id in the header."""
        await self._as_app("POST", f"/app/hook/deliveries/{int(delivery.id)}/attempts")

    async def convert_manifest(self, code: str) -> NewApp:
        """The code GitHub handed to /setup -> the new App. Needs no credentials; a code works once."""
        if not re.fullmatch(r"[0-9A-Za-z_-]{1,200}", code):
            raise Refused("That is not a code of GitHub's: begin again at /setup.")
        made = Payload(_object(await self._send("POST", f"/app-manifests/{code}/conversions", {}, 0)))
        with _reading("the new App"):
            slug = made.text("slug")
            return NewApp(
                id=made.id("id"),
                slug=slug,
                url=f"{self.hosts.web}/apps/{quote(slug, safe='')}",
                private_key=made.text("pem", most=20_000),
                webhook_secret=made.text("webhook_secret"),
            )

    # ---- reading a repository

    async def repository(self, repository: RepositoryRef) -> RepositoryRef:
        """The same repository under the name, the default branch and the visibility it has now."""
        try:
            found = await self._read_repository(repository, self._path(repository))
        except NotFound:
            found = None
        if found is None or found.id != repository.id:  # renamed, and another one took the name
            found = await self._read_repository(repository, f"/repositories/{repository.id}")
        if found.id != repository.id:
            raise NotFound(f"GitHub has no repository {repository.id}, or not for us.")
        self._names[found.id] = found.full_name
        self._moved.discard(found.id)
        return found

    async def _read_repository(self, wanted: RepositoryRef, path: str) -> RepositoryRef:
        reply = await self._ask(wanted, READING, "GET", path)
        with _reading("a repository"):
            return repository(Payload(_object(reply)), wanted.installation)

    async def open_pull_requests(self, repository: RepositoryRef) -> list[PullRequest]:
        """All open ones, sorted by number."""
        found = []
        async for one in self._pages(f"{self._path(repository)}/pulls?state=open", self._reader(repository)):
            with _reading("a pull request"):
                found.append(self._checked(pull_request(one, repository), one))
        return sorted(found, key=lambda one: one.number)

    async def pull_request(self, repository: RepositoryRef, number: int, *, just_told: bool = False) -> PullRequest:
        """As it is now. `just_told`: an event about it came seconds ago, so that a NotFound is asked again, three times."""
        path = f"{self._path(repository)}/pulls/{int(number)}"
        pauses = iter(FRESH_PAUSES if just_told else ())
        while True:
            try:
                found = Payload(_object(await self._ask(repository, READING, "GET", path)))
            except NotFound:
                pause = next(pauses, None)
                if pause is None:
                    raise
                await self._sleep(pause)
                continue
            with _reading("a pull request"):
                return self._checked(pull_request(found, repository), found)

    def _checked(self, pull: PullRequest, found: Payload) -> PullRequest:
        """A repository's old name may belong to another one by now."""
        if found.id("base.repo.id", pull.repository.id) != pull.repository.id:
            raise NotFound(f"{pull.repository.full_name} is another repository now.")
        return pull

    async def pull_requests_of(self, repository: RepositoryRef, head_sha: str) -> list[PullRequest]:
        """The open pull requests whose head is this commit, from forks too, sorted by number."""
        return [one for one in await self.open_pull_requests(repository) if one.head_sha == head_sha]

    async def merge_base(self, pull_request: PullRequest) -> str:
        """The id of the commit where head and base part. Raises Refused where they have nothing in common."""
        path = f"{self._path(pull_request.repository)}/compare/{pull_request.base_sha}...{pull_request.head_sha}"
        try:
            reply = await self._ask(pull_request.repository, READING, "GET", f"{path}?per_page=1")
        except NotFound as error:
            if _NO_ANCESTOR.search(str(error)):
                raise Refused(
                    f"The histories of {pull_request.base_sha[:10]} and {pull_request.head_sha[:10]} are unrelated.", 404
                ) from None
            raise
        with _reading("a comparison"):
            return Payload(_object(reply)).sha("merge_base_commit.sha")

    async def branch_tip(self, repository: RepositoryRef, branch: str) -> str:
        """A branch's name -> the id of its newest commit. Raises NotFound."""
        ref = quote(f"heads/{branch}", safe="")
        reply = await self._ask(repository, READING, "GET", f"{self._path(repository)}/git/ref/{ref}")
        with _reading("a branch"):
            return Payload(_object(reply)).sha("object.sha")

    async def permission(self, repository: RepositoryRef, login: str) -> Permission:
        """What an account may do there. What can't be found out is NONE; limits and outages are raised."""
        key = (repository.id, login.lower())
        until, known = self._permissions.get(key, (0.0, Permission.NONE))
        if self._clock() < until:
            return known
        if not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}(\[bot\])?", login):
            return Permission.NONE
        path = f"{self._path(repository)}/collaborators/{quote(login, safe='')}/permission"
        found = Permission.NONE
        with suppress(NotFound, NotAllowed, Refused):
            told = _object(await self._ask(repository, READING, "GET", path)).get("permission")
            found = Permission(told) if told in set(Permission) else Permission.NONE
        if len(self._permissions) > 10_000:
            self._permissions.clear()
        self._permissions[key] = (self._clock() + PERMISSION_SECONDS, found)
        return found

    async def git_access(self, repository: RepositoryRef) -> GitAccess:
        """An address and a header with which git may fetch this repository, and no other, for at least ten minutes."""
        url = f"{self.hosts.web}/{self._name(repository)}.git"
        token = await self._token_for(self._scope(repository, GIT), GIT_RESERVE)
        if not token.text:
            return GitAccess(url, "", token.expires_at)
        both = base64.b64encode(f"x-access-token:{token.text}".encode()).decode()
        return GitAccess(url, f"Authorization: Basic {both}", token.expires_at)

    # ---- comments

    async def our_comments(self, repository: RepositoryRef, number: int, marker: str) -> list[PostedComment]:
        """Our comments of a pull request that begin with `marker`, oldest first. Others' are never among them, whatever they contain."""
        found = []
        login, app = await self._ourselves()
        async for one in self._pages(f"{self._path(repository)}/issues/{int(number)}/comments", self._reader(repository)):
            with _reading("a comment"):
                if _is_ours(one, login, app) and one.text("body", "", 1 << 20).lstrip().startswith(marker):
                    found.append(_posted(one))
        return sorted(found, key=lambda one: one.id)

    async def said_by_people(self, repository: RepositoryRef, number: int) -> list[SaidComment]:
        """What people wrote below a pull request and at its lines. Nothing that a program wrote, whatever its name."""
        found = []
        for kind in ("issues", "pulls"):
            async for one in self._pages(f"{self._path(repository)}/{kind}/{int(number)}/comments", self._reader(repository)):
                with _reading("a comment"):
                    if one.text("user.type", "") == "User" and not one.has("performed_via_github_app"):
                        found.append(SaidComment(one.text("user.login"), one.text("body", "", 1 << 20)))
        return found

    async def upsert_comment(
        self, repository: RepositoryRef, number: int, marker: str, body: str, *, create: bool = True, known: int = 0
    ) -> Written:
        """Makes `body`, which begins with `marker`, our one comment there: written, rewritten, or left alone where it stands already;
        further copies are removed. `create=False`: only an existing one is touched. `known`: the id we wrote before, 0 if never; where
        that one was deleted by somebody, nothing is written (GONE) and the caller decides."""
        _check_body(marker, body)
        found = await self.our_comments(repository, number, marker)
        if known and all(one.id != known for one in found):
            # GitHub's lists can be behind: the comment itself is the truth.
            seen = await self._comment(repository, known, marker)
            found = sorted([*found, *seen], key=lambda one: one.id)
            if not found:
                return Written(WriteResult.GONE)
        if not found:
            if not create:
                return Written(WriteResult.ABSENT)
            made = await self._create_comment(repository, number, marker, body)
            return Written(WriteResult.CREATED, made.id, made.url)
        kept = next((one for one in found if one.id == known), found[0])
        result = await self._rewrite(repository, kept, body)
        if result is WriteResult.GONE:
            return Written(WriteResult.GONE)
        copies = [one for one in found if one.id != kept.id]
        for copy in copies:
            await self.delete_comment(repository, copy.id)
        return Written(result, kept.id, kept.url, len(copies))

    async def _comment(self, repository: RepositoryRef, comment: int, marker: str) -> list[PostedComment]:
        login, app = await self._ourselves()
        try:
            one = Payload(_object(await self._ask(repository, READING, "GET", f"{self._path(repository)}/issues/comments/{int(comment)}")))
        except NotFound:
            return []
        with _reading("a comment"):
            ours = _is_ours(one, login, app) and one.text("body", "", 1 << 20).lstrip().startswith(marker)
            return [_posted(one)] if ours else []

    async def _create_comment(self, repository: RepositoryRef, number: int, marker: str, body: str) -> PostedComment:
        """One comment, also where the answer to the first attempt is lost on its way."""
        for last in (False, True):
            try:
                path = f"{self._path(repository)}/issues/{int(number)}/comments"
                made = Payload(_object(await self._ask(repository, WRITING, "POST", path, {"body": body})))
                with _reading("a comment"):
                    return _posted(made)
            except GitHubError as error:
                if not error.maybe_done:
                    raise
                await self._sleep(1.0)
                if found := await self.our_comments(repository, number, marker):
                    return found[-1]
                if last:
                    raise
        raise AssertionError  # the loop always ends above

    async def _rewrite(self, repository: RepositoryRef, comment: PostedComment, body: str) -> WriteResult:
        if comment.body.replace("\r\n", "\n").rstrip() == body.rstrip():  # GitHub may keep line ends and trailing space its own way
            return WriteResult.UNCHANGED
        try:
            await self._ask(repository, WRITING, "PATCH", f"{self._path(repository)}/issues/comments/{comment.id}", {"body": body})
        except NotFound:
            return WriteResult.GONE
        return WriteResult.UPDATED

    async def delete_comment(self, repository: RepositoryRef, comment: int) -> None:
        """One of our comments below a pull request; none there is fine."""
        with suppress(NotFound):
            await self._ask(repository, WRITING, "DELETE", f"{self._path(repository)}/issues/comments/{int(comment)}")

    async def reply(self, comment: CommentRef, marker: str, body: str) -> Written:
        """Answers in the conversation, or in the review thread. `marker` names what is answered: an answer that begins with it is
        rewritten, so that repeating it leaves one."""
        if comment.place is CommentPlace.CONVERSATION:
            return await self.upsert_comment(comment.repository, comment.number, marker, body)
        _check_body(marker, body)
        for last in (False, True):
            thread, ours = await self._thread(comment, marker)
            if ours:
                return await self._rewrite_answer(comment, ours, body)
            if not thread:
                raise NotFound(f"Comment {comment.id} is gone.")
            # With `in_reply_to` GitHub looks at nothing else, but its description requires these two.
            given = {
                "body": body,
                "in_reply_to": comment.thread,
                "commit_id": thread.text("commit_id", ""),
                "path": thread.text("path", ""),
            }
            try:
                path = f"{self._path(comment.repository)}/pulls/{comment.number}/comments"
                made = Payload(_object(await self._ask(comment.repository, WRITING, "POST", path, given)))
                with _reading("a comment"):
                    return Written(WriteResult.CREATED, made.id("id"), made.text("html_url", ""))
            except GitHubError as error:
                if not error.maybe_done or last:
                    raise
                await self._sleep(1.0)
        raise AssertionError  # the loop always ends above

    async def _thread(self, comment: CommentRef, marker: str) -> tuple[Payload | None, PostedComment | None]:
        """The comment that began the thread, and our answer in it; None where they are not there."""
        login, app = await self._ourselves()
        first, ours = None, None
        path = f"{self._path(comment.repository)}/pulls/{comment.number}/comments"
        async for one in self._pages(path, self._reader(comment.repository)):
            with _reading("a comment"):
                if one.id("id") == comment.thread:
                    first = one
                elif one.id("in_reply_to_id", 0) == comment.thread and _is_ours(one, login, app):
                    ours = _posted(one) if one.text("body", "", 1 << 20).lstrip().startswith(marker) else ours
        return first, ours

    async def _rewrite_answer(self, comment: CommentRef, ours: PostedComment, body: str) -> Written:
        if ours.body.replace("\r\n", "\n").rstrip() == body.rstrip():
            return Written(WriteResult.UNCHANGED, ours.id, ours.url)
        path = f"{self._path(comment.repository)}/pulls/comments/{ours.id}"
        await self._ask(comment.repository, WRITING, "PATCH", path, {"body": body})
        return Written(WriteResult.UPDATED, ours.id, ours.url)

    async def react(self, comment: CommentRef, reaction: Reaction) -> None:
        """Repeating it changes nothing. A comment that is gone is fine."""
        kind = "issues" if comment.place is CommentPlace.CONVERSATION else "pulls"
        path = f"{self._path(comment.repository)}/{kind}/comments/{comment.id}/reactions"
        for last in (False, True):
            try:
                with suppress(NotFound):
                    await self._ask(comment.repository, WRITING, "POST", path, {"content": str(reaction)})
                return
            except GitHubError as error:
                if not error.maybe_done or last:
                    raise

    # ---- checks

    async def checks(self, repository: RepositoryRef, head_sha: str, name: str) -> list[CheckRun]:
        """Our runs of that name on a commit, newest first."""
        found = []
        _, app = await self._ourselves()
        path = f"{self._path(repository)}/commits/{head_sha}/check-runs?check_name={quote(name, safe='')}&filter=all"
        async for one in self._pages(path, self._asker(repository, WRITING), inside="check_runs"):
            with _reading("a check"):
                if not app or one.id("app.id", 0) == app:
                    found.append(_check(one))
        return sorted(found, key=lambda one: -one.id)

    async def start_check(
        self, repository: RepositoryRef, head_sha: str, name: str, external_id: str, *, title: str = "", details_url: str = ""
    ) -> CheckRun:
        """A run in progress; one of the same `external_id` is taken up again."""
        given: dict[str, Any] = {"status": "in_progress", "started_at": _iso(self._clock())}
        if details_url:
            given["details_url"] = details_url
        if title:
            given["output"] = {"title": title, "summary": title}
        for last in (False, True):
            known = next((one for one in await self.checks(repository, head_sha, name) if one.external_id == external_id), None)
            try:
                if known is not None and not known.completed:
                    return known
                if known is not None:
                    reply = await self._ask(repository, WRITING, "PATCH", f"{self._path(repository)}/check-runs/{known.id}", given)
                else:
                    new = {"name": name, "head_sha": head_sha, "external_id": external_id, **given}
                    reply = await self._ask(repository, WRITING, "POST", f"{self._path(repository)}/check-runs", new)
                with _reading("a check"):
                    return _check(Payload(_object(reply)))
            except GitHubError as error:
                if not error.maybe_done or last:
                    raise
                await self._sleep(1.0)
        raise AssertionError  # the loop always ends above

    async def finish_check(self, repository: RepositoryRef, check: CheckRun, conclusion: Conclusion, output: CheckOutput) -> CheckRun:
        """Ends a run: annotations 50 a request, at most 200 -> the run that shows it. Repeating it does not add them twice. GitHub only
        ever adds annotations, so where this run has others than these already, a new one of that name takes its place."""
        if max(len(output.summary), len(output.text)) > MOST_OUTPUT:
            raise Refused(f"The summary or text of a check has more than {MOST_OUTPUT:,} characters.")
        annotations = [_annotation(one) for one in output.annotations[:MOST_ANNOTATIONS]]
        path = f"{self._path(repository)}/check-runs/{check.id}"
        shown: dict[str, Any] = {"title": output.title[:255] or check.name, "summary": output.summary}
        if output.text:
            shown["text"] = output.text
        end: dict[str, Any] = {"status": "completed", "conclusion": str(conclusion), "completed_at": _iso(self._clock())}
        if output.buttons:
            end["actions"] = [
                {"label": one.label[:20], "description": one.description[:40], "identifier": one.identifier[:20]}
                for one in output.buttons[:MOST_BUTTONS]
            ]
        if annotations and not await self._are_first(repository, path, annotations):
            new = {"name": check.name, "head_sha": check.head_sha, "external_id": check.external_id, "status": "in_progress"}
            made = await self._ask(repository, WRITING, "POST", f"{self._path(repository)}/check-runs", new)
            with _reading("a check"):
                path = f"{self._path(repository)}/check-runs/{_check(Payload(_object(made))).id}"
        failures = 0
        while True:
            # How many are there decides which come next.
            sent = await self._annotation_count(repository, path) if annotations else 0
            batch = annotations[sent : sent + ANNOTATIONS_A_CALL]
            is_last = sent + ANNOTATIONS_A_CALL >= len(annotations)
            more = {"annotations": batch} if batch else {}
            try:
                reply = await self._ask(repository, WRITING, "PATCH", path, {**(end if is_last else {}), "output": {**shown, **more}})
            except GitHubError as error:
                failures += 1
                if not error.maybe_done or failures > 1:
                    raise
                await self._sleep(1.0)
                continue
            if is_last:
                with _reading("a check"):
                    return _check(Payload(_object(reply)))

    async def _are_first(self, repository: RepositoryRef, path: str, wanted: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the annotations of a run are the first of these."""
        if await self._annotation_count(repository, path) == 0:
            return True
        keys = ("path", "start_line", "end_line", "annotation_level", "message", "title")
        there = []
        async for one in self._pages(f"{path}/annotations", self._asker(repository, WRITING)):
            there.append([one.mapping("").get(key) or "" for key in keys])
        return there == [[one.get(key, "") for key in keys] for one in wanted[: len(there)]]

    async def _annotation_count(self, repository: RepositoryRef, path: str) -> int:
        return Payload(_object(await self._ask(repository, WRITING, "GET", path))).count("output.annotations_count", 0)

    # ---- limits

    def rate(self, installation: int) -> RateState:
        """What GitHub last said of this installation's limits. No call is made."""
        return self._rates.get(installation, RateState())

    def forget(self, installation: int, repositories: Sequence[int] = ()) -> None:
        """Drops tokens and everything kept of an installation, or of these repositories of it."""
        chosen = set(repositories)
        gone = [one for one in self._tokens if one.installation == installation and (not chosen or one.repository in chosen)]
        for scope in gone:
            del self._tokens[scope]
        ids = chosen or {scope.repository for scope in gone}
        self._names = {one: name for one, name in self._names.items() if one not in ids}
        self._permissions = {key: known for key, known in self._permissions.items() if key[0] not in ids}
        for key in [key for key in self._answers if key[0] in ids or not chosen]:
            del self._answers[key]
        if not chosen:
            tables: tuple[dict[int, Any], ...] = (self._rates, self._refusals, self._narrowed, self._written)
            for kept in tables:
                kept.pop(installation, None)

    # ---- who is calling

    async def _ourselves(self) -> tuple[str, int]:
        """The login our comments are written by, and the App's id (0: not known, with a token)."""
        if self._app is None:
            self._login = self._login or await self._holder()
            return self._login.lower(), 0
        identity = await self.identity()
        return f"{identity.slug}[bot]".lower(), identity.id

    async def _holder(self) -> str:
        """Whose token we were given: that of a workflow, of some other App, or of a person. Only GraphQL tells it to all three."""
        query = {"query": "query { viewer { login } }"}
        try:
            reply = await self._send("POST", self.hosts.graphql, {"Authorization": f"Bearer {self._token}"}, 0, query)
            return Payload(_object(reply)).text("data.viewer.login", ACTIONS_LOGIN, 100)
        except (NotFound, NotAllowed, Refused, NotThere):
            return ACTIONS_LOGIN

    def _name(self, repository: RepositoryRef) -> str:
        name = self._names.get(repository.id, repository.full_name)
        if not re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", name):
            raise Refused("That is not the name of a repository.")
        return name

    def _path(self, repository: RepositoryRef) -> str:
        return f"/repositories/{repository.id}" if repository.id in self._moved else f"/repos/{self._name(repository)}"

    def _scope(self, repository: RepositoryRef, permissions: Mapping[str, str]) -> _Scope:
        return _Scope(repository.installation, repository.id, _frozen(permissions))

    def _reader(self, repository: RepositoryRef) -> Callable[..., Awaitable[_Reply]]:
        return self._asker(repository, READING)

    def _asker(self, repository: RepositoryRef, permissions: Mapping[str, str]) -> Callable[..., Awaitable[_Reply]]:
        async def ask(method: str, path: str, **more: Any) -> _Reply:
            return await self._ask(repository, permissions, method, path, **more)

        return ask

    async def _ask(
        self, repository: RepositoryRef, permissions: Mapping[str, str], method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> _Reply:
        return await self._as_installation(self._scope(repository, permissions), method, path, body)

    async def _as_app(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> _Reply:
        return await self._send(method, path, {"Authorization": f"Bearer {await self._jwt()}"}, 0, body)

    async def _jwt(self) -> str:
        if self._app is None:
            raise BadCredentials("This needs an App's id and private key, and none is set.")
        strategy = AppAuthStrategy(self._app.id, self._app.private_key)
        try:
            return await AppAuth(self._kit, strategy.app_id, strategy.private_key).aget_jwt()
        except Exception as error:  # whatever the libraries below find wrong with a key: each has its own errors, and they quote it
            raise BadCredentials(
                f"The App's private key cannot be used ({type(error).__name__}): give the .pem file GitHub made."
            ) from None

    async def _as_installation(self, scope: _Scope, method: str, path: str, body: Mapping[str, Any] | None = None) -> _Reply:
        """One call; a token that GitHub does not know any more is replaced once."""
        lock = self._lock(("write", scope.installation)) if method != "GET" else None
        for last in (False, True):
            token = await self._token_for(scope, TOKEN_RESERVE)
            headers = {"Authorization": f"Bearer {token.text}"} if token.text else {}
            try:
                if lock is None:
                    return await self._send(method, path, headers, scope.installation, body, scope.repository)
                self._check_waiting(scope.installation)
                await self._turn(scope.installation)
                async with lock:  # GitHub asks for one write at a time
                    return await self._send(method, path, headers, scope.installation, body, scope.repository)
            except BadCredentials:
                if last or self._app is None:
                    raise
                if self._tokens.get(scope) == token:
                    del self._tokens[scope]
        raise AssertionError  # the loop always ends above

    async def _turn(self, installation: int) -> None:
        """Waits until this installation may write again; where that is too long, leaves its place to others."""
        if self._before_write is not None:
            await self._before_write(installation)
            return
        now = self._clock()
        wait = self._written.setdefault(installation, Tally()).reserve(now, LONGEST_PAUSE)
        if wait > LONGEST_PAUSE:
            raise MustWait("Enough was written for now: this goes on by itself later.", 0, now + wait, secondary=True)
        if wait:
            await self._sleep(wait)

    def _lock(self, key: object) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())

    async def _token_for(self, scope: _Scope, reserve: float) -> _Token:
        if self._app is None:
            return _Token(self._token, float("inf"))
        known = self._tokens.get(scope)
        if known is not None and known.expires_at - self._clock() > reserve:
            return known
        async with self._lock(scope):
            known = self._tokens.get(scope)
            if known is None or known.expires_at - self._clock() <= reserve:
                known = self._tokens[scope] = await self._mint(scope)
            return known

    async def _mint(self, scope: _Scope) -> _Token:
        """A token for one repository with the permissions of the call; where the owner has not accepted one of them, with those he has."""
        path = f"/app/installations/{int(scope.installation)}/access_tokens"
        body: dict[str, Any] = {"repository_ids": [scope.repository]} if scope.repository else {}
        seen = self._narrowed.get(scope.installation, float("-inf"))
        narrow = {} if self._clock() - seen < NARROWED_SECONDS else {"permissions": dict(scope.permissions)}
        try:
            reply = await self._as_app("POST", path, {**body, **narrow})
        except Refused as error:
            if not narrow or not _FOREIGN_PERMISSION.search(str(error)):
                raise NotFound(f"The installation does not include this repository (any more): {error}", error.status) from None
            self._narrowed[scope.installation] = self._clock()
            reply = await self._as_app("POST", path, body)
        except NotFound as error:
            raise Gone(f"The App is not installed there (any more): {error}", error.status) from None
        if len(self._tokens) >= KEPT_TOKENS:
            self._tokens = {known: one for known, one in self._tokens.items() if one.expires_at > self._clock() + TOKEN_RESERVE}
        made = Payload(_object(reply))
        with _reading("a token"):
            return _Token(made.text("token", most=8_192), _seconds(made.text("expires_at")))

    # ---- one call

    async def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        installation: int,
        body: Mapping[str, Any] | None = None,
        repository: int = 0,
    ) -> _Reply:
        """A call, and again where that is safe: reads after an outage, and all after a redirect on the same host."""
        self._check_waiting(installation)
        pauses: Iterator[float] = iter(READ_PAUSES if method == "GET" else ())
        url = path if path.startswith(self.hosts.graphql) else f"{self.hosts.api}{path}"
        redirects = 0
        while True:
            try:
                reply = await self._once(method, url, headers, installation, body, repository)
            except (GitHubUnreachable, GitHubBroken):
                pause = next(pauses, None)
                if pause is None:
                    raise
                await self._sleep(pause)
                continue
            if reply.status not in (301, 302, 307, 308):
                return reply
            redirects += 1
            url = self._redirect(reply.headers.get("location", ""), url, repository, redirects)

    def _check_waiting(self, installation: int) -> None:
        until = self._rates.get(installation, RateState()).wait_until
        if until > self._clock():
            raise MustWait("GitHub asked us to wait: this goes on by itself later.", 0, until, secondary=True)

    def _redirect(self, location: str, url: str, repository: int, redirects: int) -> str:
        """Where a renamed repository is now. Nothing but the same host is followed, and nothing that is another repository."""
        try:
            target = httpx.URL(url).join(location)
        except (httpx.InvalidURL, ValueError):
            target = None
        if target is None or redirects > MOST_REDIRECTS or not location or not self._is_ours(str(target)):
            raise Refused("GitHub points somewhere else, where we do not go.")
        moved = re.match(rf"{re.escape(urlsplit(self.hosts.api).path)}/repositories/([0-9]+)(/|$)", target.path)
        if moved and repository:
            if int(moved[1]) != repository:
                raise NotFound("Another repository has that name now.")
            self._moved.add(repository)
        return str(target)

    def _is_ours(self, url: str) -> bool:
        try:
            target, api = httpx.URL(url), httpx.URL(self.hosts.api)
        except (httpx.InvalidURL, ValueError):
            return False
        same = (target.scheme, target.host, target.port) == (api.scheme, api.host, api.port)
        return same and target.path.startswith(api.path.rstrip("/") + "/") and not target.userinfo

    async def _once(
        self, method: str, url: str, headers: Mapping[str, str], installation: int, body: Mapping[str, Any] | None, repository: int
    ) -> _Reply:
        asked = f"{method} {urlsplit(url).path}"
        sent = {"X-GitHub-Api-Version": API_VERSION, **headers}
        key = (repository, url)
        etag, kept = self._answers.get(key, ("", None)) if method == "GET" else ("", None)
        if etag:
            sent["If-None-Match"] = etag
        try:
            async with asyncio.timeout(CALL_SECONDS):
                raw = await self._kit._arequest(method, url, headers=sent, json=dict(body) if body is not None else None)
        except (TimeoutError, RequestTimeout):
            raise GitHubUnreachable(f"GitHub did not answer in time ({asked}).") from None
        except RequestError as error:
            raise GitHubUnreachable(f"GitHub cannot be reached ({asked}, {type(error.exc).__name__}).") from None
        told = {name.lower(): value for name, value in raw.headers.items()}
        self._remember_rate(installation, told)
        if raw.status_code == 304 and kept is not None:
            self._answers.move_to_end(key)
            return kept
        if raw.is_redirect:
            return _Reply(raw.status_code, told, None)
        content = _content(raw)
        if not raw.is_success:
            raise self._failed(Answer(asked, raw.status_code, told, _message(content), self._clock()), installation)
        if content is _NO_JSON:
            raise GitHubBroken(f"GitHub answered with something that is not JSON ({asked}, status {raw.status_code}).", raw.status_code)
        self._refusals.pop(installation, None)
        reply = _Reply(raw.status_code, told, content)
        if method == "GET" and told.get("etag") and len(raw.content) <= KEPT_BYTES:
            self._answers[key] = (told["etag"], reply)
            while len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)
        return reply

    def _failed(self, answer: Answer, installation: int) -> GitHubError:
        refusals = self._refusals.get(installation, 0)
        error = failure(replace(answer, refusals=refusals))
        if isinstance(error, MustWait):
            self._refusals[installation] = refusals + 1
            self._rates[installation] = replace(self.rate(installation), wait_until=error.until)
        return error

    def _remember_rate(self, installation: int, told: Mapping[str, str]) -> None:
        numbers = [told.get(f"x-ratelimit-{name}", "") for name in ("limit", "remaining", "reset")]
        if told.get("x-ratelimit-resource", "core") != "core" or not all(re.fullmatch(r"[0-9]{1,12}", one) for one in numbers):
            return
        limit, remaining, reset = map(int, numbers)
        wait = self.rate(installation).wait_until
        self._rates[installation] = RateState(limit, remaining, float(reset), wait)

    async def _pages(self, path: str, ask: Callable[..., Awaitable[_Reply]], inside: str = "") -> AsyncIterator[Payload]:
        """Every object of a list, page after page as GitHub's `Link` says. `inside`: the key that holds the list."""
        next_path = f"{path}{'&' if '?' in path else '?'}per_page=100"
        for _ in range(MOST_PAGES):
            reply = await ask("GET", next_path)
            listed = reply.content.get(inside) if inside and isinstance(reply.content, dict) else reply.content
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                raise GitHubBroken(f"GitHub answered with something that is not a list ({urlsplit(path).path}).")
            for one in listed:
                yield Payload(one)
            link = re.search(r'<([^>]+)>;\s*rel="next"', reply.headers.get("link", ""))
            if link is None:
                return
            if not self._is_ours(link[1]):
                raise Refused("GitHub's next page is somewhere else, where we do not go.")
            next_path = link[1].removeprefix(self.hosts.api)
        raise Refused(f"The list has more than {MOST_PAGES} pages ({urlsplit(path).path}).")

    def _skew(self, told: Mapping[str, str]) -> float:
        with suppress(ValueError, TypeError, OverflowError):
            return self._clock() - parsedate_to_datetime(told.get("date", "")).timestamp()
        return 0.0


# ---- reading answers

_NO_JSON: Final = object()


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """`with _reading("a comment"):` a field that is missing means that GitHub is not what we take it for."""
    try:
        yield
    except (NotThere, ValueError) as error:
        raise GitHubBroken(f"GitHub described {what} without what we need: {error}.") from None


def _content(raw: httpx.Response) -> Any:
    if not raw.content:
        return None
    try:
        return json.loads(raw.content)
    except (ValueError, RecursionError):
        return _NO_JSON


def _message(content: Any) -> str:
    if not isinstance(content, dict):
        return ""
    said = [content.get("message")]
    errors = content.get("errors")
    said += [one.get("message") if isinstance(one, dict) else one for one in errors[:5]] if isinstance(errors, list) else []
    return "; ".join(one for one in said if isinstance(one, str))


def _object(reply: _Reply) -> dict[str, Any]:
    if not isinstance(reply.content, dict):
        raise GitHubBroken("GitHub answered with something that is not an object.", reply.status)
    return reply.content


def _frozen(permissions: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(permissions.items()))


def _is_ours(comment: Payload, login: str, app: int) -> bool:
    """Written through our App, or by its account. Anyone may copy our marker; nobody can copy who wrote a comment."""
    if app and comment.id("performed_via_github_app.id", 0) == app:
        return True
    is_bot = comment.text("user.type", "") == "Bot"
    return comment.text("user.login", "").lower() == login and is_bot == login.endswith("[bot]")


def _posted(comment: Payload) -> PostedComment:
    return PostedComment(comment.id("id"), comment.text("body", "", 1 << 20), comment.text("html_url", ""), comment.text("updated_at", ""))


def _check(run: Payload) -> CheckRun:
    return CheckRun(
        id=run.id("id"),
        name=run.text("name", ""),
        head_sha=run.sha("head_sha"),
        external_id=run.text("external_id", ""),
        completed=run.text("status", "") == "completed",
        conclusion=run.text("conclusion", ""),
    )


def _check_body(marker: str, body: str) -> None:
    if not marker or not body.startswith(marker):
        raise Refused("A comment of ours must begin with its marker, or it cannot be found again.")
    if len(body) > MOST_BODY:
        raise Refused(f"A comment may have {MOST_BODY:,} characters; this one has {len(body):,}.")


def _annotation(one: Annotation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": one.path,
        "start_line": one.start_line,
        "end_line": max(one.start_line, one.end_line),
        "annotation_level": str(one.level),
        "message": one.message.encode()[: 64 << 10].decode("utf-8", "ignore") or one.title or "-",
    }
    if one.title:
        found["title"] = one.title[:255]
    return found


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(text: str) -> float:
    """GitHub's times, with or without fractions. Raises ValueError."""
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
