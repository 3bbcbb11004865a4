"""The queue and what we remember -> two small pages: numbers for everybody, names and reasons for who has the key."""

from __future__ import annotations

import html
import secrets
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.flows.tools import engine_version
from bot.records import Records
from bot.rendering.cutting import counted

if TYPE_CHECKING:
    from bot.jobs.numbers import Numbers
    from bot.jobs.service import JobService

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #8884;vertical-align:top}"
    "h2{margin-top:2rem}.bad{color:#b00020}"
)


async def key(records: Records) -> str:
    """The password of the page with names; made at the first call."""
    await records.claim("status key", secrets.token_urlsafe(24))
    return await records.fact("status key")


async def overview(jobs: JobService) -> str:
    numbers = await jobs.recent_numbers()
    body = [
        f"<p>Version {_text(engine_version())}. {counted(numbers.repositories, 'repository', 'repositories')}, "
        f"{numbers.indexed:,} indexed, {numbers.with_problem:,} with a problem. {counted(numbers.dead, 'dead letter')}.</p>",
        _queues(numbers),
        '<p><a href="/details">Names and reasons</a> need the key that <code>maguyva jobs --key</code> prints.</p>',
    ]
    return _page("Maguyva", body)


async def details(jobs: JobService, web: str) -> str:
    records = jobs.records
    names = {one.ref.id: one.ref.full_name for one in await records.all_repositories()}
    dead = [(_when(one.at), one.id, one.says) for one in await jobs.dead_letters()]
    runs = [
        (_when(one.at), one.kind, _place(names, one.repository, one.number), one.because, f"{one.seconds:.1f} s", one.outcome, one.says)
        for one in await records.last_runs(60)
    ]
    repositories = [
        (one.ref.full_name, one.indexed[:10], _when(one.indexed_at) if one.indexed_at else "", "archived" if one.paused else one.problem)
        for one in await records.all_repositories()
    ]
    numbers = await jobs.numbers()
    newest = f": the newest {len(dead)} of {numbers.dead:,}" if numbers.dead > len(dead) else ""
    body = [
        _queues(numbers),
        _table(f"Dead letters{newest}", ("when", "job", "why"), dead),
        "<p>Take one up again with <code>maguyva jobs --revive ID</code>, all with <code>--revive all</code>.</p>" if dead else "",
        _table("Last runs", ("when", "kind", "where", "because", "took", "outcome", "says"), runs),
        _table("Repositories", ("name", "indexed at", "when", "problem"), repositories),
    ]
    return _page(f"Maguyva on {web}", body)


def _queues(numbers: Numbers) -> str:
    return _table("Queues", ("queue", "waiting or running"), ((name, f"{count:,}") for name, count in sorted(numbers.waiting.items())))


def _place(names: dict[int, str], repository: int, number: int) -> str:
    return f"{names.get(repository, repository or '')}{f'#{number}' if number else ''}"


def _when(at: float) -> str:
    return datetime.fromtimestamp(at or time.time(), UTC).strftime("%Y-%m-%d %H:%M:%S")


def _text(text: object) -> str:
    return html.escape(str(text))


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["".join(f"<td>{_text(cell)}</td>" for cell in row) for row in rows]
    if not lines:
        return f"<h2>{_text(title)}</h2><p>None.</p>"
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    return f"<h2>{_text(title)}</h2><table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _page(title: str, body: Sequence[str]) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="refresh" content="30"><title>{_text(title)}</title>'
        f"<style>{STYLE}</style><h1>{_text(title)}</h1>{''.join(body)}</html>"
    )
