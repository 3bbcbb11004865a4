"""Workers that share one Postgres: the jobs of one that died are taken over by another.

Each worker holds an advisory lock on its own name from before it begins until it dies; the database drops the lock with the connection, so
no clock and no heartbeat is involved. Whoever can take the lock of a worker that has unfinished jobs knows that it is dead, and puts its
jobs back. A worker that loses its own connection has lost its lock, and ends at once: somebody else may be doing its jobs already.

DBOS itself takes up only the jobs of a worker that starts again under the same name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from pathlib import Path
from types import TracebackType

import psycopg
import structlog
from dbos import DBOS
from sqlalchemy.engine import make_url

from bot import metrics

log = structlog.get_logger("maguyva.jobs")

SPACE = b"maguyva worker"  # our name among the users of advisory locks in this database
LOOK_SECONDS = 2.0
LOST = 75  # exit code: "temporary failure", so whoever supervises us starts us again


def lock_of(executor: str) -> int:
    """The name of a worker -> the number of its lock: all 64 bits that PostgreSQL has, so that no two names share one."""
    return int.from_bytes(hashlib.blake2b(executor.encode(), digest_size=8, key=SPACE).digest(), "big", signed=True)


class Alone:
    """On SQLite: at most one worker of a database, whoever starts a second service by mistake, or one while the last one is still ending.
    The lock is the system's and goes with the process."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.worker")

    def __enter__(self) -> Alone:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.warning("another worker of this database is running or ending; this one waits for its end", lock=str(self._path))
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._descriptor)


class Guard:
    """Enter it before DBOS is launched, and `watch` after."""

    def __init__(self, url: str, executor: str) -> None:
        self.executor = executor
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Guard:
        self._connection = psycopg.connect(
            self._dsn, autocommit=True, keepalives=1, keepalives_idle=5, keepalives_interval=2, keepalives_count=3
        )
        taken = self._connection.execute("select pg_try_advisory_lock(%s)", (lock_of(self.executor),)).fetchone()
        if not taken or not taken[0]:
            log.warning("another worker of this name is running or ending", executor=self.executor)
            self._connection.execute("select pg_advisory_lock(%s)", (lock_of(self.executor),))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._connection.close()

    def watch(self) -> None:
        """From now on looks for workers that are gone."""
        self._thread = threading.Thread(target=self._watch, name="fleet", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        try:
            while not self._stop.wait(LOOK_SECONDS):
                self._connection.execute("select 1")  # an idle connection does not notice that it died
                for owner in sorted(self._owners() - {self.executor}):
                    self._take_over(owner)
        except psycopg.OperationalError:
            if not self._stop.is_set():
                log.error("the connection to the database is gone, and with it the right to work", executor=self.executor)
                os._exit(LOST)

    def _owners(self) -> set[str]:
        pending = DBOS.list_workflows(status="PENDING", load_input=False, load_output=False)
        return {one.executor_id for one in pending if one.executor_id}

    def _take_over(self, owner: str) -> None:
        row = self._connection.execute("select pg_try_advisory_lock(%s)", (lock_of(owner),)).fetchone()
        if not row or not row[0]:
            return
        try:
            found = DBOS._recover_pending_workflows([owner])
            if found:
                metrics.RECOVERED.inc()
                log.warning("took over the jobs of a worker that is gone", executor=owner, jobs=len(found))
        finally:
            self._connection.execute("select pg_advisory_unlock(%s)", (lock_of(owner),))
