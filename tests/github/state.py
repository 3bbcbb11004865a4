"""What the simulated GitHub knows: accounts, installations, repositories, pull requests, comments, checks, deliveries, faults."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from github.git import BareRepository

ALL_PERMISSIONS = {"checks": "write", "contents": "read", "issues": "read", "metadata": "read", "pull_requests": "write"}


IDLE_TURNS = 60  # of the event loop: more than any call in this process takes


class Clock:
    """Time that moves only when everybody waits, so that an hour of limits takes a moment. `real=True`: the machine's."""

    def __init__(self, *, real: bool = False) -> None:
        self.offset = 0.0
        self._start = None if real else time.time()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._moves = 0

    def __call__(self) -> float:
        return (time.time() if self._start is None else self._start) + self.offset

    def advance(self, seconds: float) -> None:
        self.offset += seconds

    async def sleep(self, seconds: float) -> None:
        """Of those who wait, whoever is to wake first moves the time on to that moment; the others wait on."""
        if self._start is None:
            await asyncio.sleep(seconds)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self() + seconds, next(self._numbers), woken))
        while not woken.done():
            seen = self._moves
            for _ in range(IDLE_TURNS):  # let everybody else come as far as they can without waiting
                await asyncio.sleep(0)
            if self._moves == seen and self._sleepers[0][2] is woken:
                until, _, _ = heapq.heappop(self._sleepers)
                self.advance(max(0.0, until - self()))
                self._moves += 1
                woken.set_result(None)


@dataclass
class Fault:
    """What goes wrong with the next `times` calls whose "METHOD /path" has `calls` in it: `status` and `body` instead of the answer (0: no
    answer at all). `after`: the work is done first and its answer is lost, which is how a comment comes twice. `delay`: seconds."""

    calls: str
    status: int = 502
    body: Any = field(default_factory=lambda: {"message": "Server Error"})
    headers: Mapping[str, str] = field(default_factory=dict)
    after: bool = False
    delay: float = 0.0
    times: int = 1


@dataclass
class SimulatedInstallation:
    id: int
    account: str
    repositories: set[int] = field(default_factory=set)
    permissions: dict[str, str] = field(default_factory=lambda: dict(ALL_PERMISSIONS))
    suspended: bool = False
    limit: int = 5_000
    remaining: int = 5_000
    reset_at: float = 0.0
    quiet_until: float = 0.0  # we said Retry-After: whoever asks before is a nuisance
    written: list[float] = field(default_factory=list)  # when something was written that people hear of
    writing: int = 0  # writes under way


@dataclass
class Token:
    installation: int
    repositories: set[int]
    permissions: dict[str, str]
    expires_at: float


@dataclass
class SimulatedPull:
    number: int
    head_ref: str
    base_ref: str
    author: str
    title: str
    head_sha: str = ""
    base_sha: str = ""
    fork: str | None = ""  # "": the same repository; None: its fork was deleted; else the fork's name
    draft: bool = False
    state: str = "open"
    merged: bool = False
    association: str = "CONTRIBUTOR"


@dataclass
class SimulatedComment:
    id: int
    repository: int
    number: int
    login: str
    body: str
    created_at: str
    updated_at: str
    by_app: bool = False
    review: bool = False
    in_reply_to: int = 0
    path: str = ""
    line: int = 0
    commit: str = ""
    edits: int = 0


@dataclass
class SimulatedRepository:
    id: int
    full_name: str
    git: BareRepository
    private: bool = True
    archived: bool = False
    default_branch: str = "main"
    pulls: dict[int, SimulatedPull] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)  # login -> none, read, triage, write, maintain, admin
    highest: int = 0  # number of the newest pull request

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.partition("/")[2]


@dataclass
class Call:
    """One request that reached us."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any
    at: float
    installation: int = 0
    status: int = 0

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def writes(self) -> bool:
        return self.method in ("POST", "PATCH", "PUT", "DELETE") and not self.path.endswith("/access_tokens")


@dataclass
class SentHook:
    """A delivery we sent."""

    id: int
    guid: str
    event: str
    action: str
    headers: dict[str, str]
    body: bytes
    at: float
    status: int
    redelivery: bool = False
