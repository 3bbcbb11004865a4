"""Blob ids -> the facts we stored of them, or which are missing: one SQLite file (WAL) per repository.

A cache, and treated as one: a damaged file is moved aside and begun anew, a file that can't be read or written answers nothing, and
either is said once in `problems`. It never raises for the state of the disk.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from index.types import Problem

CHUNK = 500  # ids per statement: below SQLite's oldest limit of 999 variables
BUSY_SECONDS = 10.0
SECONDS_PER_DAY = 86_400
_DAMAGED = ("malformed", "not a database", "file is encrypted", "corrupt")


class FactsStore:
    """`path`: the SQLite file, made when missing. `problems`: what went wrong, in words for the user."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._open()

    def get_many(self, layer: str, version: str, ids: Iterable[str]) -> dict[str, bytes]:
        """Hex object ids -> their payloads; an id that is not in the answer has to be computed."""
        wanted = sorted(set(ids))
        found: dict[str, bytes] = {}
        today = _today()
        with self._lock:
            for chunk in _chunks(wanted):
                marks = ",".join("?" * len(chunk))
                where = f"layer = ? and version = ? and blob in ({marks})"
                key = (layer, version, *map(bytes.fromhex, chunk))
                rows = self._run(f"select blob, payload, used from facts where {where}", key)
                found.update((blob.hex(), payload) for blob, payload, _ in rows)
                # At most one write a day and row: reading stays reading.
                if any(used < today for *_, used in rows):
                    self._run(f"update facts set used = ? where {where}", (today, *key))
        return found

    def put_many(self, layer: str, version: str, payloads: Mapping[str, bytes]) -> None:
        """Hex object id -> payload; an id that is already there is replaced. All in one transaction."""
        today = _today()
        rows = [(layer, version, bytes.fromhex(blob), payloads[blob], today) for blob in sorted(payloads)]
        with self._lock:
            self._run_many("insert or replace into facts (layer, version, blob, payload, used) values (?, ?, ?, ?, ?)", rows)

    def prune(self, current: Mapping[str, str], max_bytes: int) -> int:
        """Deletes the rows of layers and versions that are not in `current` (layer -> version), then the least recently used until
        the payloads fit `max_bytes`. Returns how many rows went."""
        with self._lock:
            before = self._count()
            known = self._run("select distinct layer, version from facts", ())
            for layer, version in known:
                if current.get(layer) != version:
                    self._run("delete from facts where layer = ? and version = ?", (layer, version))
            return self._fit(max_bytes, before)

    def fit(self, max_bytes: int) -> int:
        """Deletes the least recently used rows, of whatever layer, until the payloads fit `max_bytes`. Returns how many went."""
        with self._lock:
            return self._fit(max_bytes, self._count())

    def _fit(self, max_bytes: int, before: int) -> int:
        # Newest first, running total of the sizes: what lies beyond the cap goes. The row id breaks ties, so the answer is one.
        self._run(
            "delete from facts where rowid in (select rowid from (select rowid, sum(length(payload)) over "
            "(order by used desc, rowid desc) as total from facts) where total > ?)",
            (max_bytes,),
        )
        gone = before - self._count()
        if gone:
            self._run("pragma incremental_vacuum", ())
        return gone

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def __enter__(self) -> FactsStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _count(self) -> int:
        rows = self._run("select count(*) from facts", ())
        return int(rows[0][0]) if rows else 0

    def _open(self) -> None:
        for attempt in range(2):
            database: sqlite3.Connection | None = None
            try:
                self.path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds what was read of the files
                self.path.parent.mkdir(exist_ok=True)
                database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
                database.executescript(
                    # auto_vacuum only takes effect before the first table exists, so it comes first.
                    "pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = normal;"
                    + Path(__file__).with_name("schema.sql").read_text("utf-8")
                )
                self._database = database
                return
            except (sqlite3.Error, OSError) as error:
                if database is not None:
                    with contextlib.suppress(sqlite3.Error):
                        database.close()
                if not _is_damage(error) or attempt:
                    self._give_up(error)
                    return
                self._move_aside(error)

    def _run(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        if self._database is None:
            return []
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            self._failed(error)
            return []

    def _run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if self._database is None or not rows:
            return
        try:
            self._database.execute("begin immediate")
            self._database.executemany(statement, rows)
            self._database.execute("commit")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("rollback")
            self._failed(error)

    def _failed(self, error: sqlite3.Error) -> None:
        database, self._database = self._database, None
        if database is not None:
            with contextlib.suppress(sqlite3.Error):
                database.close()
        if _is_damage(error):
            self._move_aside(error)
            self._open()
        else:
            self._give_up(error)

    def _move_aside(self, error: Exception) -> None:
        aside = self.path.with_name(f"{self.path.name}.damaged")
        try:
            os.replace(self.path, aside)  # one copy is kept to look at; an older one is overwritten
        except OSError as failure:
            self._give_up(failure)
            return
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self._note(f"the cache of parsed files was damaged ({error}); it was moved to {aside.name} and is being filled anew")

    def _give_up(self, error: Exception) -> None:
        self._note(f"the cache of parsed files can't be used ({error}); everything is parsed anew this time")

    def _note(self, message: str) -> None:
        problem = Problem(str(self.path), 0, message)
        if problem not in self.problems:
            self.problems.append(problem)


def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and any(sign in str(error) for sign in _DAMAGED)


def _chunks(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[at : at + CHUNK] for at in range(0, len(ids), CHUNK))


def _today() -> int:
    return int(time.time()) // SECONDS_PER_DAY
