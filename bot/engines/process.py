"""One engine process: `python -m bot.engines.process FD`, where FD is a socket that messages come from and answers go to.

It holds no secret: its environment is made from nothing by the pool, and it never talks to anyone but the pool. When the pool's end of the
socket closes, however that came about, it ends at once, with every git process it has started.
"""

from __future__ import annotations

import contextlib
import os
import queue
import resource
import signal
import socket
import sys
import threading
from typing import Any, BinaryIO

from bot.engines.wire import framed, read_message
from index.errors import MaguyvaError


def main(arguments: list[str]) -> int:
    descriptor, memory, niceness = (int(word) for word in arguments)
    os.nice(niceness)
    if memory:
        # Of the data, not of the address space: snapshots are files that are mapped, and cost nothing.
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service decides when we end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as wire:
        work(wire.makefile("rb"), wire.makefile("wb"))
    return 0


def work(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answers one message after the other, until there are no more."""
    waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, waiting), daemon=True).start()
    from bot.engines.tasks import Desk  # a second of imports: the listener is there before it

    desk = Desk()
    while True:
        answers.write(framed(_answer(desk, waiting.get())))
        answers.flush()


def _listen(asked: BinaryIO, waiting: queue.SimpleQueue[dict[str, Any]]) -> None:
    with contextlib.suppress(Exception):
        while (message := read_message(asked)) is not None:
            waiting.put(message)
    _end_everything()


def _end_everything() -> None:
    """Ends this process and the git processes it has started: they are one group, which the pool made for it."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _answer(desk: Any, message: dict[str, Any]) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = {"ok": desk.do(str(message["task"]), message["with"])}
    except MaguyvaError as error:
        answer = {"error": type(error).__name__, "says": str(error)}
    except MemoryError:
        desk.forget()
        answer = {"error": "MemoryError", "says": ""}
    except Exception as error:  # a fault of ours; the place tells us where, and holds nothing of the repository
        answer = {"error": "Fault", "says": f"{type(error).__name__} at {_place(error)}"}
    return answer


def _place(error: BaseException) -> str:
    trace, place = error.__traceback__, "?"
    while trace is not None:
        place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
