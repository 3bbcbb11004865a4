"""The process that works on jobs beside the one that receives deliveries: started, watched, asked for its numbers, told to stop.

    async with Worker(command, environment) as worker: ...      in the process that receives
    python -m bot.worker FD                                     the process that works; FD is its socket to the first

Two processes, because Python runs one thread at a time: whoever waits for the answer to a delivery must not wait for jobs. The worker ends
when its socket closes, however that came about, so there is never one without the service that started it; one that ends by itself is
started again, and until then deliveries wait in the queue.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO

import structlog

from bot import logs, metrics
from bot.engines.pool import PACKAGE
from bot.engines.wire import HEAD, WireBroken, framed, message_of, read_message, size_of
from bot.jobs.service import STOP_SECONDS, WORKER, JobService
from bot.settings import Settings, read_settings, secrets_of
from index.errors import MaguyvaError

log = structlog.get_logger("maguyva.worker")

COMMAND = (sys.executable, "-P", "-m", "bot.worker")  # -P: whatever is called `bot` where the service was started is not ours
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a new start; twice as long after each that did not last
LASTING = 30.0  # seconds at work, after which the end of one says nothing about the next
MORE_SECONDS = 10.0  # beyond STOP_SECONDS, before one that was told to stop is killed
STANDS_BACK = 5  # how far it is nicer than the process that receives, which needs little and needs it at once
ANSWER_SECONDS = 2.0  # that it may take to tell its numbers


class Worker:
    """`command`: a program that takes a descriptor as its last word and does what `work` does."""

    def __init__(self, command: Sequence[str] = COMMAND, environment: Mapping[str, str] | None = None) -> None:
        given = dict(os.environ if environment is None else environment)
        path = os.pathsep.join(filter(None, (str(PACKAGE), given.get("PYTHONPATH"))))
        self.command, self.environment = tuple(command), {**given, "PYTHONPATH": path}
        self.failed: int | None = None  # the exit code of one that gave up before it came to work: there is no use in starting it again
        self._stopping = False
        self._ready_at: float | None = None  # by the loop's clock
        self._answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue(1)
        self._asking = asyncio.Lock()

    async def __aenter__(self) -> Worker:
        await self._start()
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopping = True
        self._send({"ask": "stop"})
        try:
            async with asyncio.timeout(STOP_SECONDS + MORE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            log.warning("the worker did not stop in time and was killed")
        finally:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._keeper.cancel()
            self._listener.cancel()
            await asyncio.gather(self._keeper, self._listener, return_exceptions=True)
            self._writer.close()

    async def numbers(self) -> bytes:
        """Its page of metrics; empty while it is away."""
        async with self._asking:
            if self._ready_at is None:
                return b""
            while not self._answers.empty():
                self._answers.get_nowait()  # of somebody who did not wait for it
            self._send({"ask": "numbers"})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    return str((await self._answers.get()).get("numbers", "")).encode()
            return b""

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self.command, str(theirs.fileno()), pass_fds=(theirs.fileno(),), stdin=asyncio.subprocess.DEVNULL, env=self.environment
                )
            except OSError:
                ours.close()
                raise
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._listener = asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError, WireBroken):
            while True:
                message = message_of(await reader.readexactly(size_of(await reader.readexactly(HEAD.size))))
                if "ready" in message:
                    self._ready_at = asyncio.get_running_loop().time()
                elif not self._answers.full():  # one at a time is asked for
                    self._answers.put_nowait(message)

    async def _keep(self) -> None:
        """Starts it again when it ends."""
        pause, worked = 0.0, False
        while True:
            code = await self._process.wait()
            if self._stopping:
                return
            ready_at, self._ready_at = self._ready_at, None
            if not worked and ready_at is None and code > 0:
                self.failed = code
                return
            lasted = ready_at is not None and asyncio.get_running_loop().time() - ready_at >= LASTING
            pause = PAUSE if lasted else min(max(2 * pause, PAUSE), LONGEST_PAUSE)
            worked = worked or ready_at is not None
            log.error("the worker ended; it is started again", code=code, wait=pause)
            metrics.WORKERS_ENDED.inc()
            self._writer.close()
            pause = await self._started_after(pause)

    async def _started_after(self, pause: float) -> float:
        """Starts it after so many seconds, and later where the system has no room for it yet -> the seconds that it waited last."""
        while True:
            await asyncio.sleep(pause)
            try:
                await self._start()
                return pause
            except OSError as error:
                pause = min(2 * pause, LONGEST_PAUSE)
                log.error("the worker could not be started", says=str(error), wait=pause)

    def _send(self, message: Mapping[str, Any]) -> None:
        if not self._writer.is_closing():
            self._writer.write(framed(message))


# ---- the process itself


def work(settings: Settings, descriptor: int, **service: Any) -> int:
    """Works on jobs until it is told to stop, or the socket closes. `service`: for JobService."""
    os.umask(0o077)
    os.nice(STANDS_BACK)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the other process decides when we end
    logs.set_up(settings.log_level, settings.log_format, secrets_of(settings))
    with socket.socket(fileno=descriptor) as wire:
        try:
            asyncio.run(_work(JobService(settings, WORKER, **service), wire.makefile("rb"), wire.makefile("wb")))
        except MaguyvaError as error:
            log.error("the worker cannot begin", error=type(error).__name__, says=str(error))
            return error.exit_code
    return 0


async def _work(jobs: JobService, asked: BinaryIO, answers: BinaryIO) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    threading.Thread(target=_listen, args=(asked, answers, lambda: loop.call_soon_threadsafe(stop.set)), daemon=True).start()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    async with jobs:
        gc.collect()
        gc.freeze()
        answers.write(framed({"ready": True}))
        answers.flush()
        log.info("at work")
        await stop.wait()
        log.info("stopping")


def _listen(asked: BinaryIO, answers: BinaryIO, stop: Callable[[], object]) -> None:
    """In a thread: the other process is heard whatever the loop does."""
    with contextlib.suppress(Exception):
        while (message := read_message(asked)) is not None:
            if message.get("ask") == "stop":
                stop()
            else:
                answers.write(framed({"numbers": metrics.of_worker().decode()}))
                answers.flush()
    os._exit(1)  # whoever started us is gone, and its successor may be at work already: a job that is cut off is repeated


def main(arguments: Sequence[str]) -> int:
    return work(read_settings(os.environ), int(arguments[-1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
