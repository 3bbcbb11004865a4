"""A commit -> its index is there. Two jobs that need the same one wait for the same work."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bot.flows.tools import Tools


async def is_indexed(tools: Tools, repository: int, clone: Path, commit: str, lane: str = "pull") -> bool:
    home = tools.index_of(repository)
    given = {**tools.given(repository, clone), "commit": commit}
    if (await tools.engines.ask(lane, "is indexed", str(repository), given))["is_indexed"]:
        return True
    return await tools.sharing.fetch(home, commit)


async def index_commit(tools: Tools, repository: int, clone: Path, commit: str) -> dict[str, Any]:
    """What the index holds, as the engine says it. Raises EngineErrors."""
    key = f"{repository}:{commit}"
    running: asyncio.Future[dict[str, Any]] | None = tools.building.get(key)
    if running is None:
        running = asyncio.ensure_future(_index(tools, repository, clone, commit))
        tools.building[key] = running
        running.add_done_callback(lambda done: _let_go(tools, key, done))
    # One who no longer waits must not end it for the others; it is not lost either, whoever comes next finds it done.
    return await asyncio.shield(running)


async def _index(tools: Tools, repository: int, clone: Path, commit: str) -> dict[str, Any]:
    home = tools.index_of(repository)
    is_there = await tools.sharing.fetch(home, commit)
    given = {**tools.given(repository, clone), "commit": commit}
    made = await tools.engines.ask("build", "index", str(repository), given)
    if not is_there:
        await tools.sharing.send(home, commit)
    return made


def _let_go(tools: Tools, key: str, done: asyncio.Future[dict[str, Any]]) -> None:
    tools.building.pop(key, None)
    if not done.cancelled():
        done.exception()  # looked at, even if nobody waits any more
