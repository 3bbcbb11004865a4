"""However much there is to say at once, an installation is never written to faster than GitHub lets anybody write."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from bot.pace import Pace
from bot.rendering.run_summary import MARKER
from github.simulator import Simulator
from github.state import Clock
from support.service import a_service

pytestmark = pytest.mark.anyio


class Hurried(Clock):
    """Time that goes fifteen times as fast, for GitHub and for us, with all limits as they are."""

    def __init__(self) -> None:
        super().__init__(real=True)
        self.began = time.time()

    def __call__(self) -> float:
        return self.began + 15 * (time.time() - self.began)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 15)


async def test_ninety_pull_requests_at_once_are_written_to_one_after_the_other(tmp_path: Path) -> None:
    clock = Hurried()
    sim = Simulator(tmp_path / "github", clock=clock)
    async with a_service(tmp_path, sim=sim, pace=Pace(), parsers=1, more={"clock": clock, "sleep": clock.sleep}) as service:
        await service.settled()
        shop = sim.repository("acme/shop", {"price.py": "def price():\n    return 1\n"})
        shop.git.commit("feature", {"price.py": "def price(tax):\n    return tax\n"}, start="main")
        pulls = [sim.open_pull_request(shop, head="feature") for _ in range(90)]

        where = sim.ref(shop)
        writing = (service.tools.github.upsert_comment(where, pull.number, MARKER, f"{MARKER}\nhello") for pull in pulls)
        refused = [error for error in await asyncio.gather(*writing, return_exceptions=True) if isinstance(error, Exception)]

        # Those whose turn is more than 90 seconds away go back to the queue.
        at = [call.at for call in sim.writes() if call.path.endswith("/comments")]
        assert len(at) + len(refused) == 90 and len(at) > 60
        assert max(sum(first <= other < first + 60 for other in at) for first in at) <= 80
        assert sim.violations == []
