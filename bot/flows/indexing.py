"""A commit -> its index is there. Two jobs that need the same one wait for the same work."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bot.flows.tools import Tools


async def is_indexed(tools: Tools, repository: int, clone: Path, commit: str, lane: str = "pull") -> bool:
    given = {"clone": str(clone), "home": str(tools.index_of(repository)), "commit": commit}
    return bool((await tools.engines.ask(lane, "is indexed", str(repository), given))["is_indexed"])


async def index_commit(tools: Tools, repository: int, clone: Path, commit: str) -> dict[str, Any]:
    """What the index holds, as the engine says it. Raises EngineErrors."""
    key = f"{repository}:{commit}"
    running: asyncio.Future[dict[str, Any]] | None = tools.building.get(key)
    if running is None:
        given = {"clone": str(clone), "home": str(tools.index_of(repository)), "commit": commit}
        running = asyncio.ensure_future(tools.engines.ask("build", "index", str(repository), given))
        tools.building[key] = running
        running.add_done_callback(lambda done: _let_go(tools, key, done))
    # One who no longer waits must not end it for the others; it is not lost either, whoever comes next finds it done.
    return await asyncio.shield(running)


def _let_go(tools: Tools, key: str, done: asyncio.Future[dict[str, Any]]) -> None:
    tools.building.pop(key, None)
    if not done.cancelled():
        done.exception()  # looked at, even if nobody waits any more
