"""No App yet: one click creates it, once, for who has the key."""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot import setup
from bot.app import create_app
from bot.settings import read_settings
from github.simulator import Simulator, key_pair
from github.state import Clock
from support.service import settings_for

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parent.parent.parent
MADE = {"id": 77, "slug": "maguyva-acme", "pem": key_pair()[0], "webhook_secret": "a-secret-that-github-made"}


@dataclass
class New:
    sim: Simulator
    web: httpx.AsyncClient
    home: Path
    key: str
    set_up: list[bool] = field(default_factory=list)


@pytest.fixture
async def new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[New]:
    sim = Simulator(tmp_path / "github", clock=Clock(real=True))
    async with sim.listening():
        settings = settings_for(sim, tmp_path / "data", app=None, public_url="https://maguyva.example.com")
        called: list[bool] = []
        app = create_app(settings, on_setup=lambda: called.append(True))
        async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as web:
            (key,) = re.findall(r"/setup\?key=(\S+)", capsys.readouterr().out)
            yield New(sim, web, settings.home, key, called)


async def begun(new: New) -> tuple[str, dict[str, Any]]:
    """The page with the button -> the state it hands to GitHub, and the manifest."""
    page = (await new.web.get("/setup", params={"key": new.key})).text
    state = re.search(r"state=([^\"]+)\"", page)
    told = re.search(r'name="manifest" value="([^"]+)"', page)
    assert state is not None and told is not None
    return html.unescape(state[1]), json.loads(html.unescape(told[1]))


async def test_the_way_back_from_github_makes_credentials_that_the_next_start_reads(new: New) -> None:
    new.sim.codes["abc123"] = dict(MADE)
    state, manifest = await begun(new)

    answer = await new.web.get("/setup/done", params={"code": "abc123", "state": state})

    assert answer.status_code == 200 and "installations/new" in answer.text
    assert manifest["hook_attributes"]["url"] == "https://maguyva.example.com/webhook"
    assert (new.home / "app.pem").stat().st_mode & 0o777 == 0o600
    found = read_settings({"MAGUYVA_DATA": str(new.home)}).app
    assert found is not None and (found.id, found.webhook_secrets) == ("77", ("a-secret-that-github-made",))
    assert new.set_up == [True]


async def test_a_state_is_good_once_and_a_made_up_one_never(new: New) -> None:
    new.sim.codes["abc123"] = dict(MADE)
    state, _ = await begun(new)
    assert (await new.web.get("/setup/done", params={"code": "abc123", "state": "made-up"})).status_code == 403
    assert (await new.web.get("/setup/done", params={"code": "abc123", "state": state})).status_code == 200

    again = await new.web.get("/setup/done", params={"code": "abc123", "state": state})

    assert again.status_code == 403


async def test_without_the_key_there_is_no_button_and_nothing_is_received(new: New) -> None:
    assert (await new.web.get("/setup", params={"key": "guess"})).status_code == 403
    assert (await new.web.post("/webhook", content=b"{}")).status_code == 503
    assert (await new.web.get("/readyz")).status_code == 503
    assert (await new.web.get("/healthz")).status_code == 200


def test_the_manifest_in_deploy_asks_for_the_same() -> None:
    written = json.loads((ROOT / "deploy" / "app-manifest.json").read_text())

    assert written["default_permissions"] == dict(setup.PERMISSIONS)
    assert sorted(written["default_events"]) == sorted(setup.EVENTS)
