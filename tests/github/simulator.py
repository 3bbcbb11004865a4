"""A GitHub in this process: stateful, refereed by GitHub's own descriptions, with faults on request.

    sim = Simulator(tmp_path)
    shop = sim.repository("acme/shop", {"price.py": "def price(): ...\\n"})
    pull = sim.open_pull_request(shop, {"price.py": "def price(tax): ...\\n"})
    async with sim.client() as github:
        await github.upsert_comment(sim.ref(shop), pull.number, MARKER, body)

    assert [one.body for one in sim.comments(shop, pull.number)] == [body]
    assert sim.violations == []

Answers start from GitHub's examples and are overlaid with our state; every request and every answer is held against GitHub's OpenAPI
description, tokens against GitHub's table of permissions, GraphQL against its schema, and git is served by git. Whatever breaks a rule is
in `violations`: each test ends by looking there. It serves github.com's addresses in process, and an Enterprise Server's on a socket.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import jwt
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from graphql import build_schema, parse, validate
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.github.client import GitHub
from bot.settings import AppCredentials, GitHubHosts
from bot.types import RepositoryRef
from github import bodies
from github.contract import DATA, Contract, Match
from github.git import BareRepository, FileDifference
from github.state import (
    Call,
    Clock,
    Fault,
    SentHook,
    SimulatedComment,
    SimulatedInstallation,
    SimulatedPull,
    SimulatedRepository,
    Token,
)

LEVELS = {"read": 1, "write": 2, "admin": 3}
ROLES = {"triage": "read", "maintain": "write"}  # what the permission endpoint says of the roles that came later
CONTENT_A_MINUTE, CONTENT_AN_HOUR = 80, 500
MOST_BODY = 65_536


@cache
def key_pair() -> tuple[str, str]:
    """One for all tests of a process: making it takes a while."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


class Lost(Exception):
    """The connection breaks: no answer at all."""


@dataclass
class _Asked:
    """One call with what is known of it: the match in the description, the repository, the token."""

    call: Call
    match: Match
    query: Mapping[str, str]
    request: Request
    repository: SimulatedRepository | None = None
    token: Token | None = None
    arguments: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        return self.call.body or {}

    @property
    def there(self) -> SimulatedRepository:
        assert self.repository is not None
        return self.repository

    def number(self, name: str) -> int:
        text = self.arguments[name]
        if not text.isdigit():
            raise LookupError(name)
        return int(text)

    @property
    def pull(self) -> SimulatedPull:
        name = "pull_number" if "pull_number" in self.arguments else "issue_number"
        return self.there.pulls[self.number(name)]


class Simulator:
    """`folder`: where the repositories are. See the top of this file."""

    def __init__(
        self,
        folder: Path,
        *,
        app_id: int = 12_345,
        slug: str = "maguyva",
        secret: str = "a-secret-for-tests-only",
        clock: Clock | None = None,
    ) -> None:
        self.folder, self.app_id, self.slug, self.secret = folder, app_id, slug, secret
        self.clock = clock or Clock()
        self.contract = Contract.shared()
        self.permissions = {"checks": "write", "contents": "read", "issues": "read", "metadata": "read", "pull_requests": "write"}
        self.web = "https://github.com"
        self.installations: dict[int, SimulatedInstallation] = {}
        self.repositories: dict[int, SimulatedRepository] = {}
        self.moved: dict[str, int] = {}  # old names
        self.tokens: dict[str, Token] = {}
        self.all_comments: dict[int, SimulatedComment] = {}
        self.all_checks: dict[int, dict[str, Any]] = {}
        self.reactions: set[tuple[str, int, str]] = set()  # login, comment, content
        self.codes: dict[str, dict[str, Any]] = {}  # of manifests
        self.sent: list[SentHook] = []
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.violations: list[str] = []
        self.background: set[asyncio.Future[Any]] = set()  # redeliveries under way
        self.stale_lists = 0  # how many lists of comments still lack the newest one
        self.most_parallel_writes = 0
        self.hook: Callable[[dict[str, str], bytes], Any] | None = None  # who gets deliveries; an async function -> status
        self.app = Starlette(routes=[Route("/{path:path}", self._serve, methods=["GET", "POST", "PATCH", "PUT", "DELETE"])])
        self._ids = iter(range(1_000, 10**9))
        self._needs: dict[str, list[list[str]]] = json.loads((DATA / "permissions.json").read_text())
        self._schema = build_schema((DATA / "schema.graphql").read_text())

    # ---- what a test sets up

    @property
    def api(self) -> str:
        return "https://api.github.com" if self.web == "https://github.com" else f"{self.web}/api/v3"

    @property
    def hosts(self) -> GitHubHosts:
        return GitHubHosts.of(self.web)

    @property
    def credentials(self) -> AppCredentials:
        return AppCredentials(str(self.app_id), key_pair()[0], (self.secret,))

    def client(self, **changes: Any) -> GitHub:
        """The project's own client, talking to us: in process, or over the socket while we listen."""
        given: dict[str, Any] = {"app": self.credentials, "clock": self.clock, "sleep": self.clock.sleep}
        if self.web == "https://github.com":
            given["transport"] = OnlyUs(self)
        return GitHub(self.hosts, **given | changes)

    def iso(self, seconds: float = 0.0) -> str:
        return datetime.fromtimestamp(self.clock() + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def installation(self, number: int = 100, account: str = "acme") -> SimulatedInstallation:
        if number not in self.installations:
            self.installations[number] = SimulatedInstallation(number, account, reset_at=self.clock() + 3_600)
        return self.installations[number]

    def repository(
        self,
        full_name: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        installation: int = 100,
        git: Path | None = None,
        **more: Any,
    ) -> SimulatedRepository:
        """A repository of an installation (0: of none). `git`: a bare repository that is there already."""
        number = next(self._ids)
        bare = BareRepository(git or self.folder / f"{number}.git")
        one = SimulatedRepository(number, full_name, bare, **more)
        if files is not None:
            bare.commit(one.default_branch, files, message="the beginning")
        self.repositories[number] = one
        if installation:
            self.installation(installation, one.owner).repositories.add(number)
        return one

    def ref(self, one: SimulatedRepository) -> RepositoryRef:
        """As our side names it."""
        return RepositoryRef(one.id, one.full_name, self.installation_of(one), one.private, one.default_branch, one.archived)

    def installation_of(self, one: SimulatedRepository) -> int:
        return next((number for number, known in self.installations.items() if one.id in known.repositories), 0)

    def rename(self, one: SimulatedRepository, full_name: str) -> None:
        self.moved[one.full_name.lower()] = one.id
        one.full_name = full_name

    def open_pull_request(
        self,
        where: SimulatedRepository,
        files: Mapping[str, str | bytes | None] | None = None,
        *,
        head: str = "",
        base: str = "",
        author: str = "octocat",
        title: str = "A change",
        fork: str | None = "",
        draft: bool = False,
        association: str = "CONTRIBUTOR",
    ) -> SimulatedPull:
        """From a branch that is there (`head`), or from a new one with these changes."""
        where.highest += 1
        head, base = head or f"feature-{where.highest}", base or where.default_branch
        if files is not None:
            where.git.commit(head, files, start=base, message=title)
        one = SimulatedPull(where.highest, head, base, author, title, fork=fork, draft=draft, association=association)
        where.pulls[one.number] = one
        self._look(where, one)
        return one

    def push(self, where: SimulatedRepository, branch: str, files: Mapping[str, str | bytes | None], message: str = "more") -> str:
        """A commit on a branch; pull requests from it or into it see that -> its id."""
        sha = where.git.commit(branch, files, message=message)
        for one in where.pulls.values():
            if one.state == "open" and branch in (one.head_ref, one.base_ref):
                self._look(where, one)
        return sha

    def _look(self, where: SimulatedRepository, one: SimulatedPull) -> None:
        one.head_sha = where.git.resolve(f"refs/heads/{one.head_ref}")
        one.base_sha = where.git.resolve(f"refs/heads/{one.base_ref}")
        where.git.set_ref(f"refs/pull/{one.number}/head", one.head_sha)

    def differences(self, where: SimulatedRepository, one: SimulatedPull) -> list[FileDifference]:
        base = where.git.merge_base(one.base_sha, one.head_sha)
        return where.git.differences(base, one.head_sha) if base else []

    def write_comment(
        self, where: SimulatedRepository, number: int, body: str, login: str = "octocat", *, review: bool = False, in_reply_to: int = 0
    ) -> SimulatedComment:
        """Somebody writes one on the web page."""
        pull = where.pulls[number]
        place = {"path": "price.py", "line": 1, "commit": pull.head_sha} if review else {}
        return self._comment(where, number, body, login, review=review, in_reply_to=in_reply_to, **place)

    def _comment(self, where: SimulatedRepository, number: int, body: str, login: str, **more: Any) -> SimulatedComment:
        one = SimulatedComment(next(self._ids), where.id, number, login, body, self.iso(), self.iso(), **more)
        self.all_comments[one.id] = one
        return one

    # ---- what a test looks at

    def comments(self, where: SimulatedRepository, number: int, *, review: bool = False) -> list[SimulatedComment]:
        return [one for one in self.all_comments.values() if (one.repository, one.number, one.review) == (where.id, number, review)]

    def our_comments(self, where: SimulatedRepository, number: int) -> list[SimulatedComment]:
        return [one for one in self.comments(where, number) if one.login == self.login]

    def checks(self, where: SimulatedRepository, head_sha: str = "") -> list[dict[str, Any]]:
        """Runs with their annotations, in the order they were made."""
        return [run for run in self.all_checks.values() if run["repository"] == where.id and head_sha in ("", run["head_sha"])]

    @property
    def login(self) -> str:
        return f"{self.slug}[bot]"

    def writes(self) -> list[Call]:
        return [one for one in self.calls if one.writes]

    # ---- deliveries

    async def deliver(self, event: str, payload: Mapping[str, Any], *, guid: str = "", secret: str = "") -> SentHook:
        """Signs and sends one, as GitHub does, to `hook`; what it answered is in the list of deliveries."""
        headers, body = self.signed(event, payload, guid=guid, secret=secret)
        return await self._post(headers, body, str(payload.get("action", "")), redelivery=False)

    def signed(self, event: str, payload: Mapping[str, Any], *, guid: str = "", secret: str = "") -> tuple[dict[str, str], bytes]:
        """The headers and bytes of a delivery."""
        from bot.events import signature

        body = json.dumps(payload, separators=(",", ":")).encode()
        headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/simulated",
            "X-GitHub-Delivery": guid or str(uuid.uuid4()),
            "X-GitHub-Event": event,
            "X-GitHub-Hook-ID": "1",
            "X-GitHub-Hook-Installation-Target-ID": str(self.app_id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": signature(body, secret or self.secret),
        }
        return headers, body

    async def _post(self, headers: dict[str, str], body: bytes, action: str, *, redelivery: bool) -> SentHook:
        try:
            status = int(await asyncio.wait_for(self.hook(headers, body), 10)) if self.hook else 0  # GitHub hangs up after 10 s
        except (TimeoutError, OSError, httpx.HTTPError):
            status = 0
        sent = SentHook(
            next(self._ids),
            headers["X-GitHub-Delivery"],
            headers["X-GitHub-Event"],
            action,
            headers,
            body,
            self.clock(),
            status,
            redelivery,
        )
        self.sent.append(sent)
        return sent

    # ---- the server

    @asynccontextmanager
    async def listening(self, port: int = 0) -> AsyncIterator[str]:
        """On the loopback, as an Enterprise Server -> its address."""
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", port))
        server = uvicorn.Server(uvicorn.Config(self.app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))
        task = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started:
            await asyncio.sleep(0.005)
        before, self.web = self.web, f"http://127.0.0.1:{bound.getsockname()[1]}"
        try:
            yield self.web
        finally:
            self.web = before
            server.should_exit = True
            await task
            bound.close()

    async def _serve(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode() if "raw_path" in request.scope else request.url.path
        path = path.partition("?")[0]
        body = await request.body()
        if found := re.fullmatch(r"/([^/]+/[^/]+)\.git/(.+)", path):
            return await self._git(request, found[1], found[2], body)
        prefix = "" if self.web == "https://github.com" else "/api/v3"
        graphql = "/graphql" if not prefix else "/api/graphql"
        try:
            content = json.loads(body) if body else None
        except ValueError:
            return self._no(400, "Problems parsing JSON")
        query = dict(request.query_params)
        shown = path.removeprefix(prefix)
        call = Call(request.method, shown, request.url.query, dict(request.headers), content, self.clock())
        self.calls.append(call)
        if path != graphql and not path.startswith(prefix + "/"):
            self.violations.append(f"{call.line}: there is nothing at this address")
            return self._no(404, "Not Found")
        answer = await self._faulty(call, lambda: self._answer(call, request, query, path == graphql))
        call.status = answer.status_code
        answer.headers["x-github-request-id"] = uuid.uuid4().hex[:12].upper()
        answer.headers["date"] = formatdate(self.clock(), usegmt=True)
        return answer

    async def _faulty(self, call: Call, work: Callable[[], Any]) -> Response:
        fault = next((one for one in self.faults if one.times > 0 and one.calls in call.line), None)
        if fault is None:
            return await work()  # type: ignore[no-any-return]
        fault.times -= 1
        await asyncio.sleep(fault.delay)
        if fault.after:
            await work()
        elif fault.delay:
            return await work()  # type: ignore[no-any-return]
        if not fault.status:
            raise Lost(call.line)
        retry_after = fault.headers.get("Retry-After", "")
        if retry_after.isdigit() and (installation := self._caller(call)):
            installation.quiet_until = max(installation.quiet_until, self.clock() + int(retry_after))
        if isinstance(fault.body, str | bytes):
            return Response(fault.body, fault.status, headers=dict(fault.headers))
        return JSONResponse(fault.body, fault.status, headers=dict(fault.headers))

    def _caller(self, call: Call) -> SimulatedInstallation | None:
        token = self.tokens.get(call.headers.get("authorization", "").partition(" ")[2])
        return self.installations.get(token.installation) if token else None

    async def _answer(self, call: Call, request: Request, query: Mapping[str, str], graphql: bool) -> Response:
        """Who asks, whether he may, whether the question is right; then the answer, held against the description as well."""
        if call.headers.get("x-github-api-version") != "2022-11-28":
            self.violations.append(f"{call.line}: the version of the API is not pinned")
        if graphql:
            return await self._limited(call, self._caller(call), True, lambda: self._graphql(call))
        path, repository, moved = self._located(call.path, call.method)
        match = self.contract.match(call.method, path)
        if match is None:
            self.violations.append(f"{call.line}: GitHub describes no such operation")
            return self._no(404, "Not Found")
        operation = match.operation
        asked = _Asked(call, match, query, request, repository, arguments=match.arguments)
        refusal = self._authorize(asked)
        if refusal is not None:
            return refusal
        if moved is not None:
            return moved
        complaints = self.contract.complaints_about_request(operation, request.query_params.multi_items(), call.body)
        self.violations += [f"request {call.line}: {one}" for one in complaints]
        if any(not one.startswith("query") for one in complaints):
            return self._no(422, "Validation Failed", errors=[{"message": one} for one in complaints])
        installation = self.installations.get(asked.token.installation) if asked.token else None
        answer = await self._limited(call, installation, operation.notifies, lambda: self._handled(asked))
        if isinstance(answer, JSONResponse):
            wrong = self.contract.complaints_about_answer(operation, answer.status_code, json.loads(bytes(answer.body)))
            self.violations += [f"answer {call.line} {answer.status_code}: {one}" for one in wrong]
        return answer

    def _located(self, path: str, method: str) -> tuple[str, SimulatedRepository | None, Response | None]:
        """A path -> the same with the repository's name of today, the repository, and where GitHub says it moved to."""
        if found := re.fullmatch(r"/repositories/([0-9]+)(/.*)?", path):
            one = self.repositories.get(int(found[1]))
            return f"/repos/{one.full_name if one else 'no/such'}{found[2] or ''}", one, None
        if found := re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", path):
            name = found[1].lower()
            one = next((known for known in self.repositories.values() if known.full_name.lower() == name), None)
            if one is None and name in self.moved:
                one = self.repositories.get(self.moved[name])
                return path, one, self._moved_to(one, found[2] or "", method) if one else None
            return path, one, None
        return path, None, None

    def _moved_to(self, one: SimulatedRepository, rest: str, method: str) -> Response:
        where = f"{self.api}/repositories/{one.id}{rest}"
        return JSONResponse({"message": "Moved Permanently", "url": where}, 301 if method == "GET" else 307, headers={"Location": where})

    def _authorize(self, asked: _Asked) -> Response | None:
        """The App by its signed token, an installation by the one it was given, and only for what that one is for."""
        path, operation = asked.call.path, asked.match.operation
        given = asked.call.headers.get("authorization", "").partition(" ")[2]
        if path.startswith("/app-manifests/"):
            return None
        if path == "/app" or path.startswith("/app/"):
            return self._refuse_app(given)
        token = self.tokens.get(given)
        if token is None or token.expires_at <= self.clock():
            return self._no(401, "Bad credentials")
        asked.token, asked.call.installation = token, token.installation
        if not operation.is_for_apps:
            self.violations.append(f"{asked.call.line}: GitHub does not offer this to Apps")
        installation = self.installations.get(token.installation)
        if installation is None:
            return self._no(401, "Bad credentials")
        if installation.suspended:
            return self._no(403, "This installation has been suspended")
        needed = self._needs.get(operation.line, [["metadata", "read"]])
        if path.startswith("/installation/"):
            return None
        one = asked.repository
        if one is None:
            return self._no(404, "Not Found")
        if one.id not in token.repositories and (one.private or asked.call.method != "GET"):
            self.violations.append(f"{asked.call.line}: the token is for other repositories")
            return self._no(404, "Not Found")
        if not any(LEVELS[token.permissions.get(name, "read")] >= LEVELS[level] for name, level in needed if name in token.permissions):
            return self._no(403, "Resource not accessible by integration")
        if one.archived and asked.call.writes:
            return self._no(403, "Repository was archived so is read-only.")
        return None

    def _refuse_app(self, given: str) -> Response | None:
        try:
            claims = jwt.decode(given, key_pair()[1], ["RS256"], options={"require": ["exp", "iat", "iss"]}, leeway=5)
        except jwt.PyJWTError as error:
            return self._no(401, f"A JSON web token could not be decoded ({error})")
        if claims["exp"] - claims["iat"] > 600:
            self.violations.append("the App's token is good for more than ten minutes")
            return self._no(401, "'Expiration time' claim ('exp') is too far in the future")
        if str(claims["iss"]) != str(self.app_id):
            return self._no(404, "Integration not found")
        return None

    async def _limited(
        self, call: Call, installation: SimulatedInstallation | None, notifies: bool, work: Callable[[], Response]
    ) -> Response:
        """The budgets of an installation, GitHub's two sorts."""
        if installation is None:
            return work()
        now = self.clock()
        if now < installation.quiet_until:
            self.violations.append(f"{call.line}: asked {installation.quiet_until - now:.0f} s before the time it was told")
            wait = str(int(installation.quiet_until - now) + 1)
            return self._no(403, "You have exceeded a secondary rate limit.", headers={"Retry-After": wait})
        if now >= installation.reset_at:
            installation.remaining, installation.reset_at = installation.limit, now + 3_600
        if installation.remaining <= 0:
            return self._counted(installation, self._no(403, "API rate limit exceeded for installation."))
        if call.writes:
            installation.writing += 1
            self.most_parallel_writes = max(self.most_parallel_writes, installation.writing)
            await asyncio.sleep(0)
        try:
            if notifies:
                installation.written = [*(at for at in installation.written if at > now - 3_600), now]
                last_minute = sum(at > now - 60 for at in installation.written)
                if last_minute > CONTENT_A_MINUTE or len(installation.written) > CONTENT_AN_HOUR:
                    self.violations.append(f"{call.line}: {last_minute} writes in a minute, {len(installation.written)} in an hour")
                    installation.quiet_until = now + 60
                    return self._no(403, "You have exceeded a secondary rate limit.", headers={"Retry-After": "60"})
            answer = work()
        finally:
            installation.writing -= call.writes
        if answer.status_code != 304:
            installation.remaining -= 1
        return self._counted(installation, answer)

    def _counted(self, installation: SimulatedInstallation, answer: Response) -> Response:
        numbers = {"limit": installation.limit, "remaining": installation.remaining, "reset": int(installation.reset_at)}
        for name, value in {**numbers, "used": installation.limit - installation.remaining, "resource": "core"}.items():
            answer.headers[f"x-ratelimit-{name}"] = str(value)
        return answer

    def _no(self, status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
        body = {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status), **more}
        return JSONResponse(body, status, headers=dict(headers or {}))

    def _handled(self, asked: _Asked) -> Response:
        try:
            return HANDLERS[asked.match.operation.line](self, asked)
        except LookupError:
            return self._no(404, "Not Found")

    # ---- lists

    def page(self, asked: _Asked, items: Sequence[Any], inside: str = "") -> Response:
        """One page, with `Link` as GitHub writes it and an ETag that makes asking again free."""
        size, number = int(asked.query.get("per_page", 30)), int(asked.query.get("page", 1))
        shown = list(items[(number - 1) * size : number * size])
        answer = JSONResponse({"total_count": len(items), inside: shown} if inside else shown)
        if number * size < len(items):
            path = asked.call.path
            if asked.repository is not None:
                path = re.sub(r"^/(repos/[^/]+/[^/]+|repositories/[0-9]+)", f"/repositories/{asked.repository.id}", path)
            url = httpx.URL(f"{self.api}{path}?{asked.call.query}").copy_merge_params({"page": str(number + 1)})
            answer.headers["Link"] = f'<{url}>; rel="next", <{url}>; rel="last"'
        return self._tagged(asked, answer)

    def one(self, asked: _Asked, body: Any) -> Response:
        return self._tagged(asked, JSONResponse(body))

    def _tagged(self, asked: _Asked, answer: JSONResponse) -> Response:
        tag = f'W/"{hashlib.sha256(bytes(answer.body)).hexdigest()}"'
        if asked.call.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        answer.headers["ETag"] = tag
        answer.headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
        return answer

    # ---- GraphQL and git

    def _graphql(self, call: Call) -> Response:
        if self._caller(call) is None:
            return self._no(401, "Bad credentials")
        errors = validate(self._schema, parse(call.body["query"]))
        self.violations += [f"graphql: {error.message}" for error in errors]
        if errors:
            return JSONResponse({"data": None, "errors": [{"message": str(error)} for error in errors]})
        return JSONResponse({"data": {"viewer": {"login": self.login}}})

    async def _git(self, request: Request, name: str, rest: str, body: bytes) -> Response:
        _, one, moved = self._located(f"/repos/{name}", "GET")
        call = Call("GIT", request.url.path, request.url.query, dict(request.headers), None, self.clock())
        self.calls.append(call)
        fault = next((known for known in self.faults if known.times > 0 and known.calls in call.line), None)
        if fault is not None:
            fault.times -= 1
            await asyncio.sleep(fault.delay)
            if fault.status:
                return Response("The server is in trouble", fault.status)
        _, _, given = request.headers.get("authorization", "").partition(" ")
        user, _, secret = base64.b64decode(given or "").decode().partition(":")
        token = self.tokens.get(secret)
        is_good = token is not None and token.expires_at > self.clock() and user == "x-access-token"
        if given and not is_good:
            return Response("Invalid username or token", 401, headers={"WWW-Authenticate": 'Basic realm="GitHub"'})
        may = one is not None and (
            not one.private or (token is not None and one.id in token.repositories and "contents" in token.permissions)
        )
        if one is None or not may:
            if one is not None and token is not None:
                self.violations.append(f"{call.line}: the token is for other repositories")
            status = 404 if given else 401
            return Response("Repository not found.", status, headers={"WWW-Authenticate": 'Basic realm="GitHub"'} if status == 401 else {})
        if moved is not None:
            return Response("", 301, headers={"Location": f"{self.web}/{one.full_name}.git/{rest}?{request.url.query}"})
        status, told, content = await one.git.serve(rest, request.method, request.url.query, dict(request.headers), body)
        call.status = status
        return Response(content, status, headers=told)


class OnlyUs(httpx.ASGITransport):
    """Serves github.com's addresses from the simulator. Any other address is a call that must not have happened."""

    def __init__(self, sim: Simulator) -> None:
        super().__init__(app=sim.app)
        self._sim = sim

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host not in ("api.github.com", "github.com") or request.url.scheme != "https":
            self._sim.violations.append(f"a call to {request.url.host}")
            raise httpx.ConnectError("there is nobody", request=request)
        try:
            return await super().handle_async_request(request)
        except Lost as error:
            raise httpx.ReadError("the connection broke", request=request) from error


# ---- what each operation does


def _token(sim: Simulator, asked: _Asked) -> Response:
    installation = sim.installations[asked.number("installation_id")]
    if installation.suspended:
        return sim._no(403, "This installation has been suspended")
    wanted = asked.body.get("permissions") or installation.permissions
    if any(LEVELS[level] > LEVELS.get(installation.permissions.get(name, ""), 0) for name, level in wanted.items()):
        return sim._no(422, "The permissions requested are not granted to this installation.")
    chosen = set(asked.body.get("repository_ids") or installation.repositories)
    if not chosen <= installation.repositories:
        message = "There is at least one repository that does not exist or is not accessible to the parent installation."
        return sim._no(422, message)
    text = f"ghs_{uuid.uuid4().hex}{uuid.uuid4().hex}"
    sim.tokens[text] = Token(installation.id, chosen, dict(wanted), sim.clock() + 3_600)
    if not asked.body.get("repository_ids") and set(wanted) != {"metadata"}:
        sim.violations.append("a token for all repositories of an installation")
    body = sim.contract.example("installation-token")
    body.pop("repositories", None)
    return JSONResponse({**body, "token": text, "expires_at": sim.iso(3_600), "permissions": wanted}, 201)


def _deliveries(sim: Simulator, asked: _Asked) -> Response:
    found = []
    for one in reversed(sim.sent):
        found.append(
            {
                **sim.contract.example("hook-delivery-items")[0],
                "id": one.id,
                "guid": one.guid,
                "delivered_at": datetime.fromtimestamp(one.at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "redelivery": one.redelivery,
                "status": "OK" if 200 <= one.status < 300 else "Invalid HTTP Response: " + str(one.status),
                "status_code": one.status,
                "event": one.event,
                "action": one.action or None,
            }
        )
    return sim.page(asked, found)


def _redeliver(sim: Simulator, asked: _Asked) -> Response:
    one = next((sent for sent in sim.sent if sent.id == asked.number("delivery_id")), None)
    if one is None:
        raise LookupError
    sim.background.add(asyncio.ensure_future(sim._post(one.headers, one.body, one.action, redelivery=True)))
    return JSONResponse({}, 202)


def _conversion(sim: Simulator, asked: _Asked) -> Response:
    made = sim.codes.pop(asked.arguments["code"])  # a code works once
    return JSONResponse({**sim.contract.example("integration-from-manifest"), **made}, 201)


def _installations(sim: Simulator, asked: _Asked) -> Response:
    return sim.page(asked, [bodies.installation(sim, one) for one in sim.installations.values()])


def _installation_repositories(sim: Simulator, asked: _Asked) -> Response:
    assert asked.token is not None
    found = [bodies.repository(sim, one) for number, one in sim.repositories.items() if number in asked.token.repositories]
    return sim.page(asked, found, "repositories")


def _pulls(sim: Simulator, asked: _Asked) -> Response:
    wanted = asked.query.get("state", "open")
    found = [one for one in asked.there.pulls.values() if wanted in ("all", one.state)]
    return sim.page(asked, [bodies.pull(sim, asked.there, one, brief=True) for one in reversed(found)])


def _compare(sim: Simulator, asked: _Asked) -> Response:
    git = asked.there.git
    base, _, head = asked.arguments["basehead"].partition("...")
    ours, theirs = git.resolve(base), git.resolve(head)
    common = git.merge_base(ours, theirs)
    if not common:
        return sim._no(404, f"No common ancestor between {base} and {head}.")
    body = sim.contract.example("commit-comparison")
    body["merge_base_commit"]["sha"] = common
    body["base_commit"]["sha"] = ours
    return sim.one(asked, {**body, "files": [bodies.file(one) for one in git.differences(common, theirs)[:300]]})


def _branch(sim: Simulator, asked: _Asked) -> Response:
    sha = asked.there.git.tip(f"refs/{asked.arguments['ref']}")
    if not sha:
        raise LookupError
    body = sim.contract.example("git-ref")
    return sim.one(asked, {**body, "ref": f"refs/{asked.arguments['ref']}", "object": {**body["object"], "sha": sha, "type": "commit"}})


def _permission(sim: Simulator, asked: _Asked) -> Response:
    login = asked.arguments["username"]
    role = asked.there.roles.get(login, "none" if asked.there.private else "read")
    body = sim.contract.example("repository-collaborator-permission-response-if-user-has-admin-permissions")
    person = {**body["user"], "login": login, "role_name": role}
    return sim.one(asked, {**body, "permission": ROLES.get(role, role), "role_name": role, "user": person})


def _comments(sim: Simulator, asked: _Asked) -> Response:
    found = sim.comments(asked.there, asked.pull.number)
    if sim.stale_lists and found:
        sim.stale_lists -= 1
        found = found[:-1]
    return sim.page(asked, [bodies.comment(sim, one) for one in found])


def _too_long(sim: Simulator, asked: _Asked) -> Response | None:
    if len(asked.body["body"]) <= MOST_BODY:
        return None
    message = f"Body is too long (maximum is {MOST_BODY} characters)"
    sim.violations.append(f"{asked.call.line}: {message}")
    return sim._no(422, "Validation Failed", errors=[{"resource": "IssueComment", "code": "unprocessable", "message": message}])


def _new_comment(sim: Simulator, asked: _Asked) -> Response:
    number = asked.pull.number
    if refused := _too_long(sim, asked):
        return refused
    made = sim._comment(asked.there, number, asked.body["body"], sim.login, by_app=True)
    return JSONResponse(bodies.comment(sim, made), 201)


def _known_comment(sim: Simulator, asked: _Asked, *, review: bool) -> SimulatedComment:
    one = sim.all_comments[asked.number("comment_id")]
    if one.repository != asked.there.id or one.review != review:
        raise LookupError
    return one


def _one_comment(sim: Simulator, asked: _Asked) -> Response:
    return sim.one(asked, bodies.comment(sim, _known_comment(sim, asked, review=False)))


def _edit(review: bool) -> Callable[[Simulator, _Asked], Response]:
    def edit(sim: Simulator, asked: _Asked) -> Response:
        one = _known_comment(sim, asked, review=review)
        if one.login != sim.login:
            sim.violations.append(f"{asked.call.line}: it is {one.login}'s comment")
            return sim._no(403, "Resource not accessible by integration")
        if refused := _too_long(sim, asked):
            return refused
        one.body, one.updated_at, one.edits = asked.body["body"], sim.iso(), one.edits + 1
        return JSONResponse(bodies.comment(sim, one))

    return edit


def _delete(sim: Simulator, asked: _Asked) -> Response:
    one = _known_comment(sim, asked, review=False)
    if one.login != sim.login:
        sim.violations.append(f"{asked.call.line}: it is {one.login}'s comment")
    del sim.all_comments[one.id]
    return Response(status_code=204)


def _reaction(review: bool) -> Callable[[Simulator, _Asked], Response]:
    def react(sim: Simulator, asked: _Asked) -> Response:
        one = _known_comment(sim, asked, review=review)
        made = (sim.login, one.id, asked.body["content"])
        again = made in sim.reactions
        sim.reactions.add(made)
        body = {**sim.contract.example("reaction"), "content": asked.body["content"], "user": bodies.user(sim.login)}
        return JSONResponse(body, 200 if again else 201)

    return react


def _review_comments(sim: Simulator, asked: _Asked) -> Response:
    return sim.page(asked, [bodies.comment(sim, one) for one in sim.comments(asked.there, asked.pull.number, review=True)])


def _new_review_comment(sim: Simulator, asked: _Asked) -> Response:
    number = asked.pull.number
    if refused := _too_long(sim, asked):
        return refused
    first = sim.all_comments.get(asked.body.get("in_reply_to", 0))
    if first is None or not first.review or first.in_reply_to:  # replies to replies are refused
        return sim._no(422, "Validation Failed", errors=[{"message": "in_reply_to is not the first comment of a thread"}])
    made = sim._comment(
        asked.there,
        number,
        asked.body["body"],
        sim.login,
        by_app=True,
        review=True,
        in_reply_to=first.id,
        path=first.path,
        line=first.line,
        commit=first.commit,
    )
    return JSONResponse(bodies.comment(sim, made), 201)


def _checks(sim: Simulator, asked: _Asked) -> Response:
    sha, name = asked.there.git.resolve(asked.arguments["ref"]), asked.query.get("check_name")
    found = [run for run in sim.checks(asked.there, sha) if name in (None, run["name"])]
    if asked.query.get("filter", "latest") == "latest":
        found = list({run["name"]: run for run in found}.values())
    return sim.page(asked, [bodies.check(sim, _shown(run)) for run in reversed(found)], "check_runs")


def _shown(run: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in run.items() if key not in ("repository", "actions")}


def _one_check(sim: Simulator, asked: _Asked) -> Response:
    run = sim.all_checks[asked.number("check_run_id")]
    if run["repository"] != asked.there.id:
        raise LookupError
    return sim.one(asked, bodies.check(sim, _shown(run)))


def _annotations(sim: Simulator, asked: _Asked) -> Response:
    run = sim.all_checks[asked.number("check_run_id")]
    if run["repository"] != asked.there.id:
        raise LookupError
    example = sim.contract.example("check-annotation-items")[0]
    more = {"title": None, "raw_details": None, "start_column": None, "end_column": None}
    return sim.page(asked, [{**example, **more, **one} for one in run["output"]["annotations"]])


def _write_check(sim: Simulator, asked: _Asked) -> Response:
    given, is_new = asked.body, "check_run_id" not in asked.arguments
    if given.get("status") == "completed" and "conclusion" not in given:
        sim.violations.append(f"{asked.call.line}: completed without a conclusion")
        return sim._no(422, "Invalid request. conclusion is required")
    if is_new:
        asked.there.git.resolve(given["head_sha"])
        run = {
            **sim.contract.example("check-run-example-of-in-progress-conclusion"),
            "id": next(sim._ids),
            "repository": asked.there.id,
            "status": "queued",
            "conclusion": None,
            "completed_at": None,
            "external_id": "",
            "output": {"title": None, "summary": None, "text": None, "annotations": []},
            "actions": [],
            "pull_requests": [],
        }
        run["app"] = {**bodies.app(sim), "permissions": {"metadata": "read"}}
    else:
        run = sim.all_checks[asked.number("check_run_id")]
        if run["repository"] != asked.there.id:
            raise LookupError
    for name in ("name", "head_sha", "status", "conclusion", "external_id", "details_url", "started_at", "completed_at", "actions"):
        if name in given:
            run[name] = given[name]
    if given.get("status") in ("queued", "in_progress"):
        run["conclusion"] = run["completed_at"] = None
    if "conclusion" in given:
        run["status"] = "completed"
        run["completed_at"] = run["completed_at"] or sim.iso()
    output = given.get("output", {})
    run["output"] = {
        **run["output"],
        **{name: output[name] for name in ("title", "summary", "text") if name in output},
        "annotations": [*run["output"]["annotations"], *output.get("annotations", [])],
    }
    sim.all_checks[run["id"]] = run
    return JSONResponse(bodies.check(sim, _shown(run)), 201 if is_new else 200)


HANDLERS: dict[str, Callable[[Simulator, _Asked], Response]] = {
    "GET /app": lambda sim, asked: sim.one(asked, bodies.app(sim)),
    "GET /app/installations": _installations,
    "POST /app/installations/{installation_id}/access_tokens": _token,
    "GET /app/hook/deliveries": _deliveries,
    "POST /app/hook/deliveries/{delivery_id}/attempts": _redeliver,
    "POST /app-manifests/{code}/conversions": _conversion,
    "GET /installation/repositories": _installation_repositories,
    "GET /repos/{owner}/{repo}": lambda sim, asked: sim.one(asked, bodies.full_repository(sim, asked.there)),
    "GET /repos/{owner}/{repo}/pulls": _pulls,
    "GET /repos/{owner}/{repo}/pulls/{pull_number}": lambda sim, asked: sim.one(asked, bodies.pull(sim, asked.there, asked.pull)),
    "GET /repos/{owner}/{repo}/compare/{basehead}": _compare,
    "GET /repos/{owner}/{repo}/git/ref/{ref}": _branch,
    "GET /repos/{owner}/{repo}/collaborators/{username}/permission": _permission,
    "GET /repos/{owner}/{repo}/issues/{issue_number}/comments": _comments,
    "POST /repos/{owner}/{repo}/issues/{issue_number}/comments": _new_comment,
    "GET /repos/{owner}/{repo}/issues/comments/{comment_id}": _one_comment,
    "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}": _edit(review=False),
    "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}": _delete,
    "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": _reaction(review=False),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments": _review_comments,
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments": _new_review_comment,
    "PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}": _edit(review=True),
    "POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions": _reaction(review=True),
    "GET /repos/{owner}/{repo}/commits/{ref}/check-runs": _checks,
    "GET /repos/{owner}/{repo}/check-runs/{check_run_id}": _one_check,
    "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations": _annotations,
    "POST /repos/{owner}/{repo}/check-runs": _write_check,
    "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}": _write_check,
}
