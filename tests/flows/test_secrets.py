"""No secret of the service is ever in a line of the log, a comment, a check, an index, the queue or a command line."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot import logs
from bot.settings import secrets_of
from github.simulator import Simulator, key_pair
from github.state import Clock, Fault
from support.service import a_service, settings_for

pytestmark = pytest.mark.anyio

SHOP = {"price.py": "def price():\n    return 1\n", "cart.py": "from price import price\n\n\ndef total():\n    return price()\n"}
WEBHOOK_SECRET = "canary-of-the-webhook-271828"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers, root.level = before, level
    structlog.reset_defaults()


async def test_secrets_stay_where_they_belong(tmp_path: Path, log: io.StringIO) -> None:
    sim = Simulator(tmp_path / "github", secret=WEBHOOK_SECRET, clock=Clock(real=True))
    logs.set_up("debug", "json", secrets_of(settings_for(sim, tmp_path)), log)
    seen: set[bytes] = set()
    async with a_service(tmp_path, sim=sim, parsers=1) as service:
        watching = asyncio.create_task(_watch_commands(seen))
        shop = sim.repository("acme/shop", SHOP)
        sim.faults += [Fault("/issues/1/comments", status=500, body={"message": f"with {WEBHOOK_SECRET} in it"}, times=3)]
        pull = sim.open_pull_request(shop, {"price.py": "def price(tax):\n    return tax\n"})
        await service.tell_pull(shop, pull, "opened")
        await service.settled()
        shop.roles["ada"] = "write"
        asked = sim.write_comment(shop, pull.number, f"/maguyva {WEBHOOK_SECRET}?", "ada")
        await service.tell_comment(shop, asked)
        await service.settled()
        watching.cancel()
        assert sim.tokens and len(seen) > 3

    secrets = [WEBHOOK_SECRET, *sim.tokens, *(line for line in key_pair()[0].splitlines() if not line.startswith("-----"))]
    assert [secret for secret in secrets if secret in log.getvalue()] == []
    assert [secret for secret in secrets if any(secret.encode() in line for line in seen)] == []
    written = [path.read_bytes() for path in sorted((tmp_path / "data").rglob("*")) if path.is_file()]
    tokens = [*sim.tokens, *secrets[1 + len(sim.tokens) :]]  # what somebody asked may stand in the queue
    assert [secret for secret in tokens if any(secret.encode() in content for content in written)] == []
    said = [one.body for one in sim.our_comments(shop, 1)] + [str(run["output"]) for run in sim.checks(shop)]
    assert len(said) >= 2 and [secret for secret in tokens if any(secret in one for one in said)] == []


async def _watch_commands(seen: set[bytes]) -> None:
    """The command lines of all processes, looked at all the time."""
    while True:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                seen.add(path.read_bytes())
            except OSError:
                continue
        await asyncio.sleep(0.02)
