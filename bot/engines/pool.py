"""A task and its arguments -> the engine's answer, from a pool of processes that are started when needed and killed when they must be.

A lane is a number of tasks that may run at the same time, so that a question never waits behind a build. A process does one task at a
time, and any process may do any task; one that has the repository open already is taken first. A task that runs out of time or is
cancelled takes its process with it, and so does a process that dies: the next task gets a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import metrics
from bot.engines.wire import HEAD, WireBroken, framed, message_of, size_of
from bot.errors import EngineFailed, EngineOverran, EngineRefused

PACKAGE = Path(__file__).resolve().parent.parent.parent
MOST_TASKS = 500  # after these a process is replaced: whatever it leaks is bounded


@dataclass(frozen=True, slots=True)
class Lane:
    """`slots`: tasks at the same time. `nice`: how far they stand back for the service (0 to 19)."""

    slots: int
    seconds: float  # a task of this lane may take
    nice: int = 10


@dataclass(frozen=True, slots=True)
class Limits:
    lanes: Mapping[str, Lane]
    memory: int = 4 << 30  # bytes of data per process
    kept_memory: int = 1 << 30  # a process that holds more than this after a task is replaced
    idle_seconds: float = 120.0  # a process without work this long is ended


@dataclass(slots=True, eq=False)
class _Process:
    popen: subprocess.Popen[bytes]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    lane: str
    key: str = ""
    tasks: int = 0
    idle_since: float = 0.0

    async def ask(self, task: str, given: Mapping[str, Any]) -> dict[str, Any]:
        self.writer.write(framed({"task": task, "with": given}))
        await self.writer.drain()
        head = await self.reader.readexactly(HEAD.size)
        return message_of(await self.reader.readexactly(size_of(head)))

    def kill(self) -> None:
        """Ends it and whatever it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.writer.close()


class EnginePool:
    """Use it within one event loop, and `close` it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.started = 0  # processes so far
        self._slots = {name: asyncio.Semaphore(lane.slots) for name, lane in limits.lanes.items()}
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Future[Any]] = set()
        self._threads = ThreadPoolExecutor(4, "engines")  # of our own: the loop's may be gone before we are
        self._closed = False

    @property
    def processes(self) -> tuple[int, ...]:
        """Process ids of those that live, sorted."""
        return tuple(sorted(one.popen.pid for one in [*self._idle, *self._busy]))

    async def ask(self, lane: str, task: str, key: str, given: Mapping[str, Any], seconds: float = 0.0) -> dict[str, Any]:
        """`key` names the repository. Raises EngineRefused for what a user can understand (the message of a MaguyvaError),
        EngineOverran when time or memory ran out, and EngineFailed when the process died or we have made a mistake."""
        async with self._slots[lane]:
            allowed = seconds or self.limits.lanes[lane].seconds
            began = time.monotonic()
            async with self._process(lane, key) as process:
                try:
                    async with asyncio.timeout(allowed):
                        answer = await process.ask(task, given)
                except TimeoutError:
                    raise EngineOverran(f"It took longer than {allowed:g} seconds.") from None
                except (WireBroken, asyncio.IncompleteReadError, OSError) as error:
                    raise EngineFailed(f"The engine process ended in the middle of `{task}`.") from error
                finally:
                    metrics.ENGINE_SECONDS.labels(task).inc(time.monotonic() - began)
            return _unpacked(answer)

    @contextlib.asynccontextmanager
    async def _process(self, lane: str, key: str) -> AsyncIterator[_Process]:
        """A process for one task. It goes back to the idle ones if the task came to its end, and is killed otherwise."""
        process = self._take(lane, key) or await self._start(lane)
        process.key = key
        self._busy.add(process)
        whole = False
        try:
            yield process
            whole = True
        finally:
            self._busy.discard(process)
            process.tasks += 1
            if not whole or self._closed or process.tasks >= MOST_TASKS or _held(process.popen.pid) > self.limits.kept_memory:
                self._end(process)
            else:
                process.idle_since = time.monotonic()
                self._idle.append(process)
                if self._sweeper is None or self._sweeper.done():
                    self._sweeper = asyncio.create_task(self._sweep())

    def _take(self, lane: str, key: str) -> _Process | None:
        """An idle process of the lane: with the repository open, else the one that was idle longest."""
        alive = []
        for process in self._idle:
            if process.popen.poll() is None and not process.reader.at_eof():
                alive.append(process)
            else:
                self._end(process)
        self._idle = alive
        fitting = [one for one in self._idle if one.lane == lane]
        found = next((one for one in fitting if one.key == key), fitting[0] if fitting else None)
        if found is not None:
            self._idle.remove(found)
        return found

    async def _start(self, lane: str) -> _Process:
        ours, theirs = socket.socketpair()
        with theirs:
            limits = self.limits
            command = [sys.executable, "-m", "bot.engines.process", str(theirs.fileno()), str(limits.memory), str(limits.lanes[lane].nice)]
            popen = await asyncio.get_running_loop().run_in_executor(self._threads, _spawn, command, theirs.fileno())
        self.started += 1
        reader, writer = await asyncio.open_connection(sock=ours)
        return _Process(popen, reader, writer, lane)

    async def _sweep(self) -> None:
        """Ends processes that have been idle for too long; itself ends when there are none."""
        while self._idle:
            await asyncio.sleep(max(0.05, self.limits.idle_seconds / 4))
            now = time.monotonic()
            for process in [one for one in self._idle if now - one.idle_since >= self.limits.idle_seconds]:
                self._idle.remove(process)
                self._end(process)

    def _end(self, process: _Process) -> None:
        process.kill()
        metrics.ENGINES_ENDED.inc()
        # The kernel needs a moment to take a process apart, and nobody should wait for it here.
        ending = asyncio.get_running_loop().run_in_executor(self._threads, process.popen.wait)
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Ends all processes, whatever they do."""
        self._closed = True
        for process in [*self._idle, *self._busy]:
            self._end(process)
        self._idle = []
        if self._sweeper is not None:
            self._sweeper.cancel()
        await self.settle()
        self._threads.shutdown(wait=False)

    async def settle(self) -> None:
        """Waits until the processes that were ended are gone."""
        while self._ending:
            await asyncio.gather(*self._ending)

    def hang_up(self) -> None:
        """Closes our ends of all sockets, as the death of the service would."""
        for process in [*self._idle, *self._busy]:
            process.writer.close()


def _spawn(command: list[str], descriptor: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=_environment(),
        cwd=os.sep,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        process_group=0,
    )


def _environment() -> dict[str, str]:
    """Made from nothing, so that no secret of the service is in it."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV", "TZ") if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONPATH": str(PACKAGE), "HOME": os.devnull}


def _held(pid: int) -> int:
    """Bytes of its own memory a process holds; 0 where that can't be told."""
    with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/statm") as file:
        fields = file.read().split()
        return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _unpacked(answer: Mapping[str, Any]) -> dict[str, Any]:
    if "ok" in answer:
        found: dict[str, Any] = answer["ok"]
        return found
    if answer.get("error") == "MemoryError":
        raise EngineOverran("It needed more memory than it may have.")
    if answer.get("error") == "Fault":
        raise EngineFailed(f"A fault of ours: {answer.get('says')}.")
    raise EngineRefused(str(answer.get("says")), kind=str(answer.get("error")))
