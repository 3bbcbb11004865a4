"""Settings -> the web side of the service: GitHub's deliveries are checked, planned, put in the durable queue and answered at once.

    POST /webhook   401 where the signature is wrong; 202 when the jobs are durable; 503 when they can't be made so
    GET  /healthz   alive      GET /readyz   may be given traffic      GET /metrics   for Prometheus
    GET  /          how it goes, in numbers      GET /details   with names and reasons, for who has the key
    GET  /setup     creates the App, while there is none

Nothing here works on a delivery. What GitHub sends is read by our own narrow reader, and no address in it is ever fetched.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import secrets as random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot import metrics, setup, status
from bot.errors import GitHubError
from bot.events import MAX_BODY, Refusal, checked_delivery, read_event
from bot.flows.tools import engine_version
from bot.github.client import GitHub
from bot.jobs.service import ALL, WEB, JobService
from bot.jobs.upkeep import LOGIN
from bot.plan import Policy, plan
from bot.settings import AppCredentials, Settings, save_credentials
from bot.types import Job, PingEvent
from bot.worker import Worker

log = structlog.get_logger("maguyva.web")

LOOP_SECONDS = 0.05
KEEP_SECONDS = 8.0  # that keeping a delivery may take: GitHub waits for ten
IDENTITY_SECONDS, UNKNOWN_SECONDS = 60.0, 1.0  # between two looks at what we are called, and while nobody knows it
WEB_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'"),
)


def create_app(
    settings: Settings,
    role: str = ALL,
    *,
    on_setup: Callable[[], None] | None = None,
    worker: Worker | None = None,
    **service: Any,
) -> Starlette:
    """`on_setup`: called when /setup has saved credentials, so that whoever runs us can start us anew with them. `worker`: the process
    that works on what this one receives; without it, role "all" does both here. `service`: for JobService."""
    if settings.app is None:
        return _Unconfigured(settings, on_setup).app()
    return _Configured(settings, role if worker is None else WEB, worker, service).app()


class _Configured:
    """The service of an App that exists."""

    def __init__(self, settings: Settings, role: str, worker: Worker | None, service: Mapping[str, Any]) -> None:
        assert settings.app is not None
        self.worker = worker
        self.settings, self.role, self.credentials = settings, role, settings.app
        self.jobs = JobService(settings, role, **service)
        self.policy = Policy(self.credentials.id, drafts=settings.drafts)
        self.stopping = False

    def app(self) -> Starlette:
        routes = [
            Route("/webhook", self.webhook, methods=["POST"]),
            Route("/healthz", _healthz),
            Route("/readyz", self.readyz),
            Route("/metrics", self.metrics),
            Route("/", self.overview),
            Route("/details", self.details),
            Route("/setup", _is_set_up),
            Route("/setup/done", _is_set_up),
        ]
        app = Starlette(routes=routes, lifespan=self.lifespan)
        app.state.jobs = self.jobs
        return app

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with self.jobs, self.worker or contextlib.nullcontext():
            beside = [asyncio.create_task(work) for work in (self._learn_name(), _watch_loop())]
            log.info("ready", version=engine_version(), role=self.role if self.worker is None else ALL, app=self.credentials.id)
            try:
                yield
            finally:
                self.stopping = True
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
                log.info("stopping")
        log.info("stopped")

    async def _learn_name(self) -> None:
        """Our own comments are those of "<slug>[bot]", which a worker asks GitHub for now and then: an App can be renamed. Until we know,
        everything a program wrote is left alone all the same."""
        while True:
            known = ""
            with contextlib.suppress(Exception):  # the database is away: what we knew is still the best there is
                known = await self.jobs.records.fact(LOGIN)
            if known:
                id, _, login = known.partition(" ")
                self.policy = Policy(id, login, self.settings.drafts)
            await asyncio.sleep(IDENTITY_SECONDS if known else UNKNOWN_SECONDS)

    async def webhook(self, request: Request) -> Response:
        began = time.perf_counter()
        body = await _body(request)
        if body is None:
            return _refused(413, "larger than GitHub's own limit")
        delivery = checked_delivery(request.headers, body, self.credentials.webhook_secrets)
        if isinstance(delivery, Refusal):
            return _refused(delivery.status, delivery.why)
        event = read_event(delivery)
        if isinstance(event, Refusal):
            log.warning("a delivery could not be read", delivery=delivery.id, event_name=delivery.event, why=event.why)
            return _refused(event.status, event.why)
        if isinstance(event, PingEvent):
            metrics.DELIVERIES.labels("ping").inc()
            return JSONResponse({"maguyva": engine_version()})
        planned = plan(event, self.policy)
        if planned.jobs:
            installation, repository = _whose(planned.jobs[0])
            try:
                async with asyncio.timeout(KEEP_SECONDS):
                    await self.jobs.receive(delivery.id, installation, repository, planned.jobs)
            except Exception as error:
                # Not answered with 2xx, GitHub lists it as failed, and it is asked for again; one kept late is known by its id then.
                says = str(error) or f"the database did not answer within {KEEP_SECONDS:.0f} s"
                log.error("a delivery could not be kept", delivery=delivery.id, error=type(error).__name__, says=says)
                metrics.DELIVERIES.labels("not kept").inc()
                return JSONResponse({"error": "it could not be kept; send it again"}, 503, headers={"Retry-After": "60"})
        metrics.DELIVERIES.labels("queued" if planned.jobs else "nothing to do").inc()
        metrics.ANSWER_SECONDS.observe(time.perf_counter() - began)
        log.info("a delivery", delivery=delivery.id, event_name=delivery.event, jobs=len(planned.jobs), why=planned.why)
        return JSONResponse({"jobs": len(planned.jobs), "why": planned.why}, 202)

    async def readyz(self, request: Request) -> Response:
        if self.stopping or not self.jobs.ready:
            return PlainTextResponse("stopping" if self.stopping else "starting", 503)
        try:
            async with asyncio.timeout(2.0):
                await self.jobs.records.answers()
        except Exception as error:
            return PlainTextResponse(f"the database does not answer ({type(error).__name__})", 503)
        return PlainTextResponse("ready")

    async def metrics(self, request: Request) -> Response:
        of_work = metrics.of_work() if self.worker is None else await self.worker.numbers()
        return Response(metrics.of_web() + of_work, media_type=CONTENT_TYPE_LATEST)

    async def overview(self, request: Request) -> Response:
        return HTMLResponse(await status.overview(self.jobs), headers=dict(WEB_HEADERS))

    async def details(self, request: Request) -> Response:
        key = await status.key(self.jobs.records)
        if not random.compare_digest(_password(request).encode(), key.encode()):
            return PlainTextResponse(
                "The password is what `maguyva jobs --key` prints.", 401, {"WWW-Authenticate": 'Basic realm="maguyva", charset="UTF-8"'}
            )
        return HTMLResponse(await status.details(self.jobs, self.settings.github.web), headers=dict(WEB_HEADERS))


class _Unconfigured:
    """No App yet: the way to one, and nothing else."""

    def __init__(self, settings: Settings, on_setup: Callable[[], None] | None) -> None:
        self.settings, self.on_setup = settings, on_setup
        self.states = setup.States()

    def app(self) -> Starlette:
        routes = [
            Route("/webhook", self.not_yet, methods=["POST"]),
            Route("/healthz", _healthz),
            Route("/readyz", self.not_yet),
            Route("/metrics", _metrics),
            Route("/setup", self.begin),
            Route("/setup/done", self.done),
        ]
        return Starlette(routes=routes, lifespan=self.lifespan)

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        place = self.settings.public_url or f"http://{self.settings.host}:{self.settings.port}"
        # Whoever reads this may create the App; it is good for this start only, and for nothing once the App is there.
        print(f"No App is set up yet. Create it here: {place}/setup?key={self.states.key}", flush=True)
        if not self.settings.public_url:
            print("Set MAGUYVA_PUBLIC_URL first: GitHub has to know where to send its deliveries.", flush=True)
        yield

    async def not_yet(self, request: Request) -> Response:
        return PlainTextResponse("no App is set up yet", 503)

    async def begin(self, request: Request) -> Response:
        if not self.states.knows(request.query_params.get("key", "")):
            return _page(setup.refusal_page("Open the address that the service printed when it started: it has a key."), 403)
        if not self.settings.public_url:
            return _page(setup.refusal_page("Set MAGUYVA_PUBLIC_URL first: GitHub has to know where to send its deliveries."), 409)
        organisation = request.query_params.get("organization", "")
        if organisation and not organisation.replace("-", "").isalnum():
            return _page(setup.refusal_page("That is no name of an organization."), 400)
        return _page(setup.setup_page(self.settings.github.web, self.settings.public_url, self.states.give(), organisation))

    async def done(self, request: Request) -> Response:
        if not self.states.take(request.query_params.get("state", "")):
            return _page(setup.refusal_page("This return was not asked for, or was used already. Begin again at /setup."), 403)
        code = request.query_params.get("code", "")
        if not code.isalnum() or len(code) > 100:
            return _page(setup.refusal_page("GitHub sent no code. Begin again at /setup."), 400)
        try:
            async with GitHub(self.settings.github) as github:
                made = await github.convert_manifest(code)
            save_credentials(self.settings.app_file, AppCredentials(str(made.id), made.private_key, (made.webhook_secret,)))
        except (GitHubError, OSError) as error:
            log.error("the App could not be set up", error=type(error).__name__, says=str(error))
            return _page(setup.refusal_page(f"The App could not be set up: {error}"), 502)
        log.info("the App is set up", app=made.id)
        if self.on_setup is not None:
            self.on_setup()
        return _page(setup.done_page(made))


async def _watch_loop() -> None:
    """How long whoever asks us something may have to wait for the event loop."""
    while True:
        due = time.perf_counter() + LOOP_SECONDS
        await asyncio.sleep(LOOP_SECONDS)
        metrics.STALLS.observe(max(0.0, time.perf_counter() - due))


async def _healthz(request: Request) -> Response:
    return PlainTextResponse("ok")


async def _metrics(request: Request) -> Response:
    return Response(metrics.of_web(), media_type=CONTENT_TYPE_LATEST)


async def _is_set_up(request: Request) -> Response:
    raise HTTPException(404)


async def _body(request: Request) -> bytes | None:
    """The body as it came; None as soon as it is larger than GitHub's own limit."""
    told = request.headers.get("content-length", "0")
    if not re.fullmatch(r"[0-9]{1,12}", told) or int(told) > MAX_BODY:
        return None
    pieces, size = [], 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > MAX_BODY:
                return None
            pieces.append(piece)
    except ClientDisconnect:
        return b""
    return b"".join(pieces)


def _refused(status_code: int, why: str) -> Response:
    metrics.DELIVERIES.labels("refused").inc()
    return JSONResponse({"error": why}, status_code)


def _whose(job: Job) -> tuple[int, int]:
    return job.installation, job.repository.id if job.repository is not None else 0


def _password(request: Request) -> str:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(given, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _page(text: str, status_code: int = 200) -> Response:
    return HTMLResponse(text, status_code, headers=dict(WEB_HEADERS))
