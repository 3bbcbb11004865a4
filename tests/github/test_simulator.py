"""The simulated GitHub refuses what GitHub refuses. Were it too kind, the tests that talk to it would prove nothing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.events import Refusal, checked_delivery, read_event
from github.contract import Contract
from github.demo import demo_github, repository_of, shop_repository
from github.simulator import OnlyUs, Simulator, key_pair
from github.state import Clock, Fault, SimulatedRepository

pytestmark = pytest.mark.anyio
VERSION = {"X-GitHub-Api-Version": "2022-11-28"}
FILES = {"price.py": "def price():\n    return 1\n"}


@pytest.fixture
def sim(tmp_path: Path) -> Simulator:
    return Simulator(tmp_path)


@pytest.fixture
def shop(sim: Simulator) -> SimulatedRepository:
    made = sim.repository("acme/shop", FILES)
    sim.open_pull_request(made, {"price.py": "def price(tax):\n    return 1\n"})
    return made


def signed(**changes: Any) -> dict[str, str]:
    now = int(time.time())
    claims = {"iss": "12345", "iat": now - 60, "exp": now + 500} | changes
    return {**VERSION, "Authorization": f"Bearer {jwt.encode(claims, key_pair()[0], algorithm='RS256')}"}


@asynccontextmanager
async def web(sim: Simulator) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=OnlyUs(sim), base_url="https://api.github.com") as client:
        yield client


async def token(sim: Simulator, client: httpx.AsyncClient, **body: Any) -> dict[str, str]:
    made = await client.post("/app/installations/100/access_tokens", headers=signed(), json=body)
    assert made.status_code == 201, made.text
    return {**VERSION, "Authorization": f"Bearer {made.json()['token']}"}


# ---- who may


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (lambda now: {}, 401),
        (lambda now: {"Authorization": "Bearer nonsense"}, 401),
        (lambda now: signed(exp=now + 3_600), 401),
        (lambda now: signed(iat=now + 600, exp=now + 900), 401),
        (lambda now: signed(exp=now - 60, iat=now - 600), 401),
        (lambda now: signed(iss="1"), 404),
        (lambda now: signed(), 200),
    ],
    ids=["nothing", "nonsense", "good for an hour", "from the future", "too old", "another App", "right"],
)
async def test_the_apps_own_token(sim: Simulator, headers: Callable[[int], dict[str, str]], status: int) -> None:
    async with web(sim) as client:
        assert (await client.get("/app", headers=VERSION | headers(int(time.time())))).status_code == status


async def test_a_token_is_for_its_repositories_permissions_and_hour(sim: Simulator, shop: SimulatedRepository) -> None:
    other = sim.repository("acme/other", FILES)
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id], permissions={"pull_requests": "read"})
        assert (await client.get("/repos/acme/shop/pulls/1", headers=mine)).status_code == 200
        assert (await client.post("/repos/acme/shop/issues/1/comments", headers=mine, json={"body": "x"})).status_code == 403
        assert (await client.get(f"/repos/{other.full_name}", headers=mine)).status_code == 404
        too_much = {"repository_ids": [shop.id], "permissions": {"administration": "write"}}
        assert (await client.post("/app/installations/100/access_tokens", headers=signed(), json=too_much)).status_code == 422
        not_ours = {"repository_ids": [999_999]}
        assert (await client.post("/app/installations/100/access_tokens", headers=signed(), json=not_ours)).status_code == 422
        sim.clock.advance(3_601)
        assert (await client.get("/repos/acme/shop/pulls/1", headers=mine)).status_code == 401

    assert sim.violations == ["GET /repos/acme/other: the token is for other repositories"]


# ---- what GitHub's description does not allow

REFUSED = [
    ("POST", "/repos/acme/shop/issues/1/comments", {}, "body"),
    ("POST", "/repos/acme/shop/issues/1/comments", {"body": "x", "colour": "red"}, "colour"),
    ("POST", "/repos/acme/shop/issues/1/comments", {"body": "x" * 65_537}, "too long"),
    ("POST", "/repos/acme/shop/check-runs", {"name": "x"}, "head_sha"),
    ("POST", "/repos/acme/shop/check-runs", {"name": "x", "head_sha": "HEAD", "status": "completed"}, "conclusion"),
    ("GET", "/repos/acme/shop/pulls?per_page=500", None, "per_page"),
    ("GET", "/repos/acme/shop/pulls?colour=red", None, "colour"),
    ("GET", "/repos/acme/shop/pulls?state=broken", None, "state"),
    ("GET", "/repos/acme/shop/contents/price.py", None, "no such operation"),
]


@pytest.mark.parametrize(("method", "path", "body", "names"), REFUSED, ids=[f"{row[1].partition('shop/')[2]}, {row[3]}" for row in REFUSED])
async def test_what_is_not_described_is_a_violation(
    sim: Simulator, shop: SimulatedRepository, method: str, path: str, body: Any, names: str
) -> None:
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id])
        answer = await client.request(method, path, headers=mine, json=body)

    assert [names in one for one in sim.violations] == [True], sim.violations
    assert answer.status_code in (404, 422) or method == "GET"


NOTE = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}


@pytest.mark.parametrize(
    ("output", "actions"),
    [
        ({"title": "t", "summary": "s" * 65_536}, []),
        ({"title": "t", "summary": "s", "annotations": [NOTE] * 51}, []),
        ({"title": "t", "summary": "s", "annotations": [NOTE | {"annotation_level": "red"}]}, []),
        ({"title": "t", "summary": "s"}, [{"label": "l" * 21, "description": "d", "identifier": "i"}]),
        ({"title": "t", "summary": "s"}, [{"label": "l", "description": "d", "identifier": "i"}] * 4),
    ],
    ids=["a long summary", "51 annotations", "an invented level", "a long label", "four buttons"],
)
async def test_a_check_beyond_githubs_limits(sim: Simulator, shop: SimulatedRepository, output: Any, actions: Any) -> None:
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id])
        body = {"name": "x", "head_sha": shop.pulls[1].head_sha, "output": output, "actions": actions}
        answer = await client.post("/repos/acme/shop/check-runs", headers=mine, json=body)

    assert answer.status_code == 422 and sim.violations and not sim.checks(shop)


async def test_a_version_that_is_not_pinned_is_a_violation(sim: Simulator) -> None:
    async with web(sim) as client:
        await client.get("/app", headers=signed() | {"X-GitHub-Api-Version": ""})

    assert sim.violations == ["GET /app: the version of the API is not pinned"]


async def test_a_query_that_the_schema_does_not_know(sim: Simulator, shop: SimulatedRepository) -> None:
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id])
        answer = await client.post("/graphql", headers=mine, json={"query": "query { viewer { logins } }"})

    assert len(sim.violations) == 1 and "errors" in answer.json()


# ---- limits


async def test_whoever_does_not_wait_is_noticed(sim: Simulator, shop: SimulatedRepository) -> None:
    sim.faults.append(Fault("/pulls/1", 403, headers={"Retry-After": "30"}))
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id])
        statuses = [(await client.get("/repos/acme/shop/pulls/1", headers=mine)).status_code for _ in range(2)]

    assert statuses == [403, 403]
    assert sim.violations == ["GET /repos/acme/shop/pulls/1: asked 30 s before the time it was told"]


async def test_eighty_one_comments_in_a_minute_are_too_many(sim: Simulator, shop: SimulatedRepository) -> None:
    async with web(sim) as client:
        mine = await token(sim, client, repository_ids=[shop.id])
        path = "/repos/acme/shop/issues/1/comments"
        statuses = [(await client.post(path, headers=mine, json={"body": "x"})).status_code for _ in range(81)]

    assert statuses == [201] * 80 + [403]
    assert len(sim.violations) == 1 and "81 writes in a minute" in sim.violations[0]


# ---- the referee, the clock, the deliveries


def test_what_githubs_own_examples_get_wrong_is_little() -> None:
    """Where they break GitHub's description, our answers are not held against it. It must not become a way round the referee."""
    contract, found = Contract.shared(), set()
    for operation in contract.operations:
        for status, answer in operation.described["responses"].items():
            content = answer.get("content", {}).get("application/json")
            if status.startswith("2") and content:
                pointer = "/paths/" + operation.template.replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
                pointer += f"/{operation.method.lower()}/responses/{status}/content/application~1json/schema"
                found |= contract._disputed(pointer, json.dumps(content.get("examples", {})))

    assert found == {"*/account", "*/requested_teams/*", "requested_teams/*", "source", "user"}


async def test_those_who_wait_wake_in_order_and_time_goes_no_further() -> None:
    clock, order = Clock(), []

    async def wait(seconds: float) -> None:
        await clock.sleep(seconds)
        order.append((seconds, round(clock.offset, 6)))

    await asyncio.gather(*(wait(seconds) for seconds in (3.0, 1.0, 2.0, 1.0)))

    assert order == [(1.0, 1.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]


async def test_a_delivery_is_signed_and_listed(sim: Simulator) -> None:
    heard: list[tuple[dict[str, str], bytes]] = []

    async def hook(headers: dict[str, str], body: bytes) -> int:
        heard.append((headers, body))
        return 202

    sim.hook = hook
    sent = await sim.deliver("ping", {"zen": "Keep it logically awesome.", "hook_id": 1})
    delivery = checked_delivery(*heard[0], [sim.secret])

    assert sent.status == 202 and not isinstance(delivery, Refusal) and delivery.id == sent.guid
    assert not isinstance(read_event(delivery), Refusal)
    assert isinstance(checked_delivery(*sim.signed("ping", {}, secret="another secret of theirs"), [sim.secret]), Refusal)


async def test_nobody_listens(sim: Simulator) -> None:
    async def hook(headers: dict[str, str], body: bytes) -> int:
        raise ConnectionRefusedError

    sim.hook = hook

    assert (await sim.deliver("ping", {"zen": "x"})).status == 0


# ---- the demo


async def test_the_demo_speaks_to_a_service_and_shows_its_comment(tmp_path: Path) -> None:
    """The service here only takes deliveries and comments once; the real one is wired by `make demo`."""
    heard: list[str] = []
    async with demo_github(tmp_path, shop_repository(tmp_path)) as demo:

        async def webhook(request: Request) -> Response:
            delivery = checked_delivery(request.headers, await request.body(), [demo.environment["MAGUYVA_WEBHOOK_SECRET"]])
            assert not isinstance(delivery, Refusal) and not isinstance(read_event(delivery), Refusal)
            heard.append(delivery.event)
            if delivery.event == "pull_request":
                demo.sim._comment(demo.repository, 1, "<!-- maguyva:impact:v1 -->\nDone", demo.sim.login, by_app=True)
            return Response(status_code=202)

        other = Simulator(tmp_path / "other", clock=Clock(real=True))
        other.app = Starlette(routes=[Route("/webhook", webhook, methods=["POST"])])
        async with other.listening() as service:
            assert await demo.say_installed(f"{service}/webhook") == 202
            assert await demo.say_opened(f"{service}/webhook") == [202]
            assert await demo.ask(f"{service}/webhook", demo.pulls[0], "/maguyva help") == 202
            text = await demo.comment(demo.pulls[0], seconds=5)

    assert heard == ["installation", "pull_request", "issue_comment"]
    assert text.endswith("Done")


async def test_the_demo_takes_a_clone_of_yours(tmp_path: Path) -> None:
    mine = shop_repository(tmp_path / "mine")
    copy = repository_of(tmp_path, mine, "main", "feature")

    async with demo_github(tmp_path, copy, [("demo-base", "demo-head")]) as demo:
        differences = demo.sim.differences(demo.repository, demo.pulls[0])

    assert [one.path for one in differences] == ["billing/price.py"]
    with pytest.raises(SystemExit):
        repository_of(tmp_path / "again", mine, "main", "no-such-branch")
