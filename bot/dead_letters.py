"""The words after `maguyva jobs` -> what waits, what failed for good, and taking it up again. For whoever runs the service."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from bot import logs, status
from bot.jobs.service import WEB as LOOKING  # it puts in and looks, and works on nothing
from bot.jobs.service import JobService
from bot.settings import read_settings
from index.errors import MaguyvaError


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Raises SettingsError, and MaguyvaError for a job that is not there."""
    settings = read_settings(environment)
    logs.set_up("error", "text")
    return asyncio.run(_run(options, JobService(settings, LOOKING)))


async def _run(options: argparse.Namespace, service: JobService) -> int:
    async with service as jobs:
        if options.key:
            print(await status.key(jobs.records))
            return 0
        if options.revive:
            await _revive(jobs, options.revive)
            return 0
        numbers = await jobs.numbers()
        for queue, count in sorted(numbers.waiting.items()):
            print(f"{queue:<10} {count:>6,} waiting or running")
        dead = await jobs.dead_letters()
        newest = f"; the newest {len(dead)}" if numbers.dead > len(dead) else ""
        print(f"\n{numbers.dead:,} failed for good{newest}" + (":" if dead else "."))
        for one in dead:
            print(f"  {datetime.fromtimestamp(one.at, UTC):%Y-%m-%d %H:%M}  {one.id}\n      {one.says}")
        return 0


async def _revive(jobs: JobService, id: str) -> None:
    ids = await jobs.dead_ids() if id == "all" else [id]
    for one in ids:
        try:
            print(f"{one} waits again as {await jobs.revive(one)}")
        except KeyError:
            raise MaguyvaError(f"There is no failed job {one}: `maguyva jobs` lists them.") from None
    if not ids:
        print("Nothing has failed for good.")
