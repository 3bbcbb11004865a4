"""Work that nests calls as deeply as hostile source can make it, on a stack that has room for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


def on_a_large_stack(work: Callable[[], T], size: int, stop: Callable[[], None] = lambda: None) -> T:
    """`work()`, in a thread with a stack of `size` bytes of address space. `stop`: whoever waits for it was interrupted."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    try:
        thread.join()
    except BaseException:
        stop()
        thread.join()
        raise
    if failed:
        raise failed[0]
    return done[0]
