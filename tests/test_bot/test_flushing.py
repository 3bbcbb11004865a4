"""A delivery is on the disk before it is answered, and many at once wait for few flushes."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from bot.jobs.flushing import Flusher, QuickConnection, lengthen_log

pytestmark = pytest.mark.anyio


class Counted(Flusher):
    def __init__(self, database: Path, at_once: int = 1) -> None:
        super().__init__(database, at_once)
        self.begun, self.go, self.failing = 0, threading.Event(), False

    def _sync(self) -> None:
        self.begun += 1
        self.go.wait(10)
        if self.failing:
            raise OSError("the disk is gone")


async def test_those_who_come_while_one_runs_share_the_next(tmp_path: Path) -> None:
    flusher = Counted(tmp_path / "queue.sqlite")

    waiting = [asyncio.create_task(flusher.flush()) for _ in range(20)]
    while flusher.begun == 0:
        await asyncio.sleep(0)
    flusher.go.set()
    await asyncio.gather(*waiting)

    assert flusher.begun == 2
    await flusher.flush()
    assert flusher.begun == 3


async def test_a_few_run_side_by_side_and_the_others_share_the_next(tmp_path: Path) -> None:
    flusher = Counted(tmp_path / "queue.sqlite", at_once=3)

    waiting = [asyncio.create_task(flusher.flush()) for _ in range(20)]
    while flusher.begun < 3:
        await asyncio.sleep(0)
    flusher.go.set()
    await asyncio.gather(*waiting)

    assert flusher.begun == 4


async def test_who_comes_after_a_flush_began_is_not_served_by_it(tmp_path: Path) -> None:
    flusher = Counted(tmp_path / "queue.sqlite")
    first = asyncio.create_task(flusher.flush())
    while flusher.begun == 0:
        await asyncio.sleep(0)

    second = asyncio.create_task(flusher.flush())
    await asyncio.sleep(0.01)
    assert not second.done()
    flusher.go.set()
    await asyncio.gather(first, second)

    assert flusher.begun == 2


async def test_whoever_can_not_be_flushed_is_told_and_the_next_one_tries_again(tmp_path: Path) -> None:
    flusher = Counted(tmp_path / "queue.sqlite")
    flusher.go.set()
    flusher.failing = True
    with pytest.raises(OSError, match="gone"):
        await flusher.flush()

    flusher.failing = False
    await flusher.flush()
    assert flusher.begun == 2


async def test_a_log_that_is_not_there_has_nothing_to_flush(tmp_path: Path) -> None:
    await Flusher(tmp_path / "queue.sqlite").flush()
    await Flusher(None).flush()


def test_connections_of_the_queue_do_not_wait_for_the_disk(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "queue.sqlite", factory=QuickConnection)

    assert connection.execute("pragma synchronous").fetchone() == (1,)
    connection.close()


def test_a_longer_log_changes_nothing_in_the_database(tmp_path: Path) -> None:
    database = tmp_path / "queue.sqlite"
    connection = sqlite3.connect(database)
    connection.execute("pragma journal_mode = wal")
    connection.execute("create table kept (number integer)")
    connection.commit()

    lengthen_log(database, 200_000)
    connection.execute("insert into kept values (1)")
    connection.commit()
    connection.execute("insert into kept values (2)")
    connection.commit()

    log = database.with_name("queue.sqlite-wal")
    assert 190_000 < log.stat().st_size < 210_000, "it was long enough for both"
    assert list(sqlite3.connect(database).execute("select number from kept order by number")) == [(1,), (2,)]
    lengthen_log(database, 200_000)
    assert log.stat().st_size < 210_000, "it is long already"


def test_an_sqlite_that_knows_no_fractions_of_a_second_gets_them(tmp_path: Path) -> None:
    connection = QuickConnection(tmp_path / "queue.sqlite", version=(3, 40, 1))
    before = time.time()

    connection.execute("create table jobs (id, at integer not null default (unixepoch('subsec') * 1000))")
    connection.execute("insert into jobs (id) values (1)")

    assert before * 1000 - 1 <= connection.execute("select at from jobs").fetchone()[0] <= time.time() * 1000 + 1
    connection.close()
