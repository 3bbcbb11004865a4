"""Every payload that GitHub was recorded sending, posted to the service: each is answered with 2xx, and asks for what it should.

tests/rendered/deliveries.md is the list of what each event and action asks for; a change of it is to be read.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.app import create_app
from bot.events import Refusal, read_event
from bot.jobs.service import WEB, JobService
from bot.plan import Policy, plan
from bot.types import Delivery
from github.payloads import Recorded, all_recorded
from github.simulator import Simulator
from github.state import Clock
from support.service import settings_for

pytestmark = pytest.mark.anyio

RENDERED = Path(__file__).parent.parent / "rendered" / "deliveries.md"
INSTALLATION, APP = 9, 12345
OURS = Policy(str(APP), "maguyva[bot]")
HEAD = """\
# What each delivery asks for

The {count} payloads that GitHub was recorded sending, as they would come through an installation of the App.
Checks are told as if they were the App's own.
`pytest tests/flows/test_recorded.py --write-rendered` writes this file.

| event | action | recorded | asks for | because |
| --- | --- | --- | --- | --- |
"""


@pytest.fixture(scope="module")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[httpx.AsyncClient, JobService, str]]:
    """The process that receives, alone: what it puts in stays there."""
    folder = tmp_path_factory.mktemp("recorded")
    settings = settings_for(Simulator(folder / "github", clock=Clock(real=True)), folder / "data")
    assert settings.app is not None
    app = create_app(settings, WEB)
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service")
    async with client, app.router.lifespan_context(app):
        yield client, app.state.jobs, settings.app.webhook_secrets[0]


def headers(event: str, body: bytes, secret: str, number: int) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": f"72d3162e-cc78-11e3-81ab-{number:012d}",
        "X-Hub-Signature-256": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
    }


async def test_every_recorded_payload_is_answered_with_2xx(web: tuple[httpx.AsyncClient, JobService, str]) -> None:
    client, _, secret = web

    async def post(number: int, one: Recorded) -> tuple[str, int]:
        body = json.dumps(one.body).encode()
        return one.group, (await client.post("/webhook", content=body, headers=headers(one.event, body, secret, number))).status_code

    answers: list[tuple[str, int]] = []
    for first in range(0, len(all_recorded()), 50):
        some = all_recorded()[first : first + 50]
        answers += await asyncio.gather(*(post(first + number, one) for number, one in enumerate(some)))

    assert {status for _, status in answers} == {200, 202}
    assert Counter(group == "api.github.com" for group, _ in answers) == {True: 329, False: 397}


async def test_a_forged_signature_puts_nothing_in(web: tuple[httpx.AsyncClient, JobService, str]) -> None:
    client, jobs, secret = web
    opened = next(one for one in all_recorded() if (one.event, one.action) == ("pull_request", "opened"))
    body = json.dumps(through_us(opened).body).encode()
    right = headers("pull_request", body, secret, 999)
    before = await jobs.numbers()
    forged = [
        right | {"X-Hub-Signature-256": f"sha256={'0' * 64}"},
        right | {"X-Hub-Signature-256": right["X-Hub-Signature-256"].upper()},
        right | {"X-Hub-Signature-256": right["X-Hub-Signature-256"][:-1]},
        right | {"X-Hub-Signature-256": f"sha1={hmac.new(secret.encode(), body, hashlib.sha1).hexdigest()}"},
        {name: value for name, value in right.items() if name != "X-Hub-Signature-256"},
        headers("pull_request", body, "another secret", 999),
        headers("pull_request", body + b" ", secret, 999),
    ]

    answers = [(await client.post("/webhook", content=body, headers=one)).status_code for one in forged]
    between = await jobs.numbers()
    accepted = (await client.post("/webhook", content=body, headers=right)).status_code

    assert answers == [401] * len(forged) and between.waiting == before.waiting
    assert accepted == 202 and (await jobs.numbers()).waiting["pull"] == before.waiting["pull"] + 1


def through_us(one: Recorded) -> Recorded:
    """As if it had come through our installation; a check as if it were ours."""
    body: dict[str, Any] = copy.deepcopy(one.body)
    if "repository" in body or "installation" in body:
        body["installation"] = {**(body.get("installation") or {}), "id": INSTALLATION}
    for name in ("check_run", "check_suite"):
        if isinstance(body.get(name), dict) and isinstance(body[name].get("app"), dict):
            body[name]["app"]["id"] = APP
    return Recorded(one.group, one.event, body)


def asked_for(one: Recorded) -> tuple[str, str]:
    event = read_event(Delivery("72d3162e", one.event, json.dumps(one.body).encode()))
    assert not isinstance(event, Refusal), event
    planned = plan(event, OURS)
    kinds: Mapping[str, int] = Counter(job.kind.value for job in planned.jobs)
    return ", ".join(f"{kind} × {count}" if count > 1 else kind for kind, count in sorted(kinds.items())) or "–", planned.why


def test_every_recorded_payload_asks_for_what_it_should(request: pytest.FixtureRequest) -> None:
    every = [one for one in all_recorded() if one.group == "api.github.com"]
    rows = Counter((one.event, one.action or "–", *asked_for(through_us(one))) for one in every)
    lines = [f"| `{event}` | {action} | {count} | {asks} | {why} |\n" for (event, action, asks, why), count in sorted(rows.items())]
    text = HEAD.format(count=len(every)) + "".join(lines)

    if request.config.getoption("--write-rendered"):
        RENDERED.write_text(text, "utf-8")
    assert len(every) == 329 and text == RENDERED.read_text("utf-8")
