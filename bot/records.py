"""What the service remembers between jobs <-> a database: SQLite or Postgres, the same one that holds the queue.

GitHub is the truth; this is what GitHub can't tell us, or can't be asked each time: which repositories we look after, which event of a
pull request was the newest, what was last said there, what was acknowledged, and how much was written lately. Every method is one short
transaction, may be repeated, and runs in a thread. Nothing of a repository's content is here but what a comment says.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from bot.pace import Pace, next_slot
from bot.types import RepositoryRef

T = TypeVar("T")

SCHEMA = "1"  # of the tables below: raise it when one changes
KEPT_RUNS = 2_000
MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0

_meta = sa.MetaData()

installations = sa.Table(
    "maguyva_installations",
    _meta,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("account", sa.Text, nullable=False, default=""),
    sa.Column("suspended", sa.Boolean, nullable=False, default=False),
)

repositories = sa.Table(
    "maguyva_repositories",
    _meta,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation", sa.BigInteger, nullable=False, index=True),
    sa.Column("full_name", sa.Text, nullable=False),
    sa.Column("private", sa.Boolean, nullable=False, default=True),
    sa.Column("default_branch", sa.Text, nullable=False, default=""),
    sa.Column("paused", sa.Boolean, nullable=False, default=False),
    sa.Column("indexed", sa.Text, nullable=False, default=""),  # the commit of the default branch that is indexed
    sa.Column("indexed_at", sa.Float, nullable=False, default=0.0),
    sa.Column("problem", sa.Text, nullable=False, default=""),  # why the last index failed
)

turns = sa.Table(
    "maguyva_turns",
    _meta,
    sa.Column("key", sa.Text, primary_key=True),  # "repository 42 pull 7": what at most one job may work on
    sa.Column("repository", sa.BigInteger, nullable=False, index=True),
    sa.Column("turn", sa.BigInteger, nullable=False, default=0),
    sa.Column("head", sa.Text, nullable=False, default=""),  # the commit that the newest is about; "": it matters in any case
)

pulls = sa.Table(
    "maguyva_pulls",
    _meta,
    sa.Column("repository", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("open", sa.Boolean, nullable=False, default=True),
    sa.Column("base_ref", sa.Text, nullable=False, default=""),
    sa.Column("head", sa.Text, nullable=False, default=""),  # of what was last published
    sa.Column("done", sa.Text, nullable=False, default=""),  # digest of all that went into it
    sa.Column("drafted", sa.Text, nullable=False, default=""),  # the same of what is on its way
    sa.Column("summary", sa.Text, nullable=False, default=""),  # JSON, for the line "since the last push"
    sa.Column("acknowledged", sa.Text, nullable=False, default="[]"),  # JSON
    sa.Column("comment_id", sa.BigInteger, nullable=False, default=0),
    sa.Column("check_head", sa.Text, nullable=False, default=""),
    sa.Column("check_open", sa.Boolean, nullable=False, default=False),
    sa.Column("updated", sa.Float, nullable=False, default=0.0),
)

drafts = sa.Table(
    "maguyva_drafts",
    _meta,
    sa.Column("id", sa.Text, primary_key=True),  # of the job that will publish it
    sa.Column("repository", sa.BigInteger, nullable=False, index=True),
    sa.Column("content", sa.Text, nullable=False),  # JSON
    sa.Column("written", sa.Float, nullable=False),
)

writes = sa.Table(
    "maguyva_writes",
    _meta,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("installation", sa.BigInteger, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("maguyva_writes_at", "installation", "at"),
)

runs = sa.Table(
    "maguyva_runs",
    _meta,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("job", sa.Text, nullable=False, default=""),  # id in the queue
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("repository", sa.BigInteger, nullable=False, default=0, index=True),
    sa.Column("number", sa.Integer, nullable=False, default=0),
    sa.Column("because", sa.Text, nullable=False, default=""),
    sa.Column("at", sa.Float, nullable=False, index=True),
    sa.Column("seconds", sa.Float, nullable=False, default=0.0),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("says", sa.Text, nullable=False, default=""),
)

facts = sa.Table(
    "maguyva_facts",
    _meta,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """A repository we look after."""

    ref: RepositoryRef
    paused: bool = False
    indexed: str = ""
    indexed_at: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PullRecord:
    """What we last did about a pull request."""

    repository: int
    number: int
    open: bool = True
    base_ref: str = ""
    head: str = ""
    done: str = ""
    drafted: str = ""
    summary: str = ""
    acknowledged: frozenset[str] = frozenset()
    comment_id: int = 0
    check_head: str = ""
    check_open: bool = False
    updated: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """One job that ended, for the status page."""

    kind: str
    outcome: str  # "done", "superseded", "failed", ...
    job: str = ""
    repository: int = 0
    number: int = 0
    because: str = ""
    at: float = 0.0
    seconds: float = 0.0
    says: str = ""


class Records:
    """`url`: sqlite:///… or postgresql+psycopg://…"""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self.engine = _engine(url)
        self._reader = self.engine.execution_options(reads=True)
        self.clock = clock
        self._insert: Any = postgresql.insert if self.engine.dialect.name == "postgresql" else sqlite.insert
        self._locked = self.engine.dialect.name == "postgresql"

    def create(self) -> None:
        """Makes the tables that are missing, and anew those that another version made: GitHub can tell all of it again but for what was
        acknowledged."""
        with self.engine.begin() as connection:
            if self._locked:  # many processes start at once
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(0x6D6179)))
            facts.create(connection, checkfirst=True)
            found = connection.execute(sa.select(facts.c.value).where(facts.c.name == "schema")).scalar()
            if found not in (None, SCHEMA):
                _meta.drop_all(connection, [table for table in _meta.sorted_tables if table is not facts])
            _meta.create_all(connection)
            self._put(connection, facts, {"name": "schema", "value": SCHEMA})

    def close(self) -> None:
        self.engine.dispose()

    async def _in_thread(self, work: Callable[[Connection], T]) -> T:
        def run() -> T:
            with self.engine.begin() as connection:
                return work(connection)

        return await asyncio.to_thread(run)

    async def reading(self, work: Callable[[Connection], T]) -> T:
        """The same for what changes nothing, and waits for nobody."""

        def run() -> T:
            with self._reader.begin() as connection:
                return work(connection)

        return await asyncio.to_thread(run)

    def _put(self, connection: Connection, table: sa.Table, values: Mapping[str, Any], keep: Iterable[str] = ()) -> None:
        """Inserts a row, or updates what `values` says of it but for the columns in `keep`."""
        keys = [column.name for column in table.primary_key]
        changed = {name: value for name, value in values.items() if name not in keys and name not in set(keep)}
        statement = self._insert(table).values(**values)
        if changed:
            statement = statement.on_conflict_do_update(index_elements=keys, set_=changed)
        else:
            statement = statement.on_conflict_do_nothing(index_elements=keys)
        connection.execute(statement)

    # ---- installations and repositories

    async def keep_installation(self, id: int, account: str = "", suspended: bool | None = None) -> None:
        values: dict[str, Any] = {"id": id, "account": account, "suspended": bool(suspended)}
        keep = [name for name, unsaid in (("account", not account), ("suspended", suspended is None)) if unsaid]
        await self._in_thread(lambda connection: self._put(connection, installations, values, keep))

    async def is_suspended(self, installation: int) -> bool:
        query = sa.select(installations.c.suspended).where(installations.c.id == installation)
        return bool(await self.reading(lambda connection: connection.execute(query).scalar()))

    async def keep_repository(self, ref: RepositoryRef) -> None:
        """Remembers a repository, or what it is called and where it belongs by now."""
        values = {
            "id": ref.id,
            "installation": ref.installation,
            "full_name": ref.full_name,
            "private": ref.private,
            "default_branch": ref.default_branch,
            "paused": ref.archived,
        }

        def work(connection: Connection) -> None:
            self._put(connection, installations, {"id": ref.installation, "account": ref.owner, "suspended": False}, ("suspended",))
            self._put(connection, repositories, values, () if ref.default_branch else ("default_branch",))

        await self._in_thread(work)

    async def repository(self, id: int) -> RepositoryRecord | None:
        query = sa.select(repositories).where(repositories.c.id == id)

        def work(connection: Connection) -> RepositoryRecord | None:
            row = connection.execute(query).first()
            return None if row is None else _repository(row)

        return await self.reading(work)

    async def all_repositories(self, installation: int | None = None) -> list[RepositoryRecord]:
        query = sa.select(repositories).order_by(repositories.c.full_name, repositories.c.id)
        if installation is not None:
            query = query.where(repositories.c.installation == installation)
        return await self.reading(lambda connection: [_repository(row) for row in connection.execute(query)])

    async def pause_repository(self, id: int, paused: bool) -> None:
        statement = sa.update(repositories).where(repositories.c.id == id).values(paused=paused)
        await self._in_thread(lambda connection: connection.execute(statement))

    async def note_index(self, id: int, commit: str = "", problem: str = "") -> None:
        """The default branch was indexed at `commit`, or could not be, and why."""
        values: dict[str, Any] = {"problem": problem}
        if commit:
            values |= {"indexed": commit, "indexed_at": self.clock()}
        statement = sa.update(repositories).where(repositories.c.id == id).values(**values)
        await self._in_thread(lambda connection: connection.execute(statement))

    async def forget_repositories(self, ids: Sequence[int]) -> None:
        """Deletes every row of these repositories."""

        def work(connection: Connection) -> None:
            for table in (turns, pulls, drafts, runs):
                connection.execute(sa.delete(table).where(table.c.repository.in_(ids)))
            connection.execute(sa.delete(repositories).where(repositories.c.id.in_(ids)))

        await self._in_thread(work)

    async def forget_installation(self, id: int) -> None:
        """Deletes the installation itself and what was counted for it; its repositories have to be gone before."""

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(writes).where(writes.c.installation == id))
            connection.execute(sa.delete(installations).where(installations.c.id == id))

        await self._in_thread(work)

    # ---- whose turn it is

    async def note_turn(self, key: str, repository: int, turn: int, head: str = "") -> None:
        """There is a job of that `turn` for `key`: older ones see that they are no longer wanted, unless it is about the same `head`."""

        row = {"key": key, "repository": repository, "turn": turn, "head": head}
        statement = self._insert(turns).values(**row)
        changed = {"turn": turn, "head": head}
        statement = statement.on_conflict_do_update(index_elements=["key"], set_=changed, where=turns.c.turn < turn)
        await self._in_thread(lambda connection: connection.execute(statement))

    async def newest_turn(self, key: str) -> tuple[int, str]:
        """The number of the newest job of `key` and the head it is about; 0 where there was none."""
        query = sa.select(turns.c.turn, turns.c.head).where(turns.c.key == key)

        def work(connection: Connection) -> tuple[int, str]:
            row = connection.execute(query).first()
            return (0, "") if row is None else (int(row.turn), str(row.head))

        return await self.reading(work)

    # ---- pull requests

    async def pull(self, repository: int, number: int) -> PullRecord:
        query = sa.select(pulls).where(pulls.c.repository == repository, pulls.c.number == number)

        def work(connection: Connection) -> PullRecord:
            row = connection.execute(query).first()
            return PullRecord(repository, number) if row is None else _pull(row)

        return await self.reading(work)

    async def open_pulls(self, repository: int) -> list[PullRecord]:
        query = sa.select(pulls).where(pulls.c.repository == repository, pulls.c.open).order_by(pulls.c.number)
        return await self.reading(lambda connection: [_pull(row) for row in connection.execute(query)])

    async def unfinished_checks(self, before: float) -> list[PullRecord]:
        """Pull requests whose check was begun and not concluded, and that nobody touched since `before`."""
        query = sa.select(pulls).where(pulls.c.check_open, pulls.c.updated < before).order_by(pulls.c.repository, pulls.c.number)
        return await self.reading(lambda connection: [_pull(row) for row in connection.execute(query)])

    async def note_pull(self, repository: int, number: int, **values: Any) -> None:
        """Remembers some columns of a pull request; `acknowledged` as a set."""
        if "acknowledged" in values:
            values["acknowledged"] = json.dumps(sorted(values["acknowledged"]))
        row = {"repository": repository, "number": number, "updated": self.clock(), **values}
        await self._in_thread(lambda connection: self._put(connection, pulls, row))

    async def acknowledge(self, repository: int, number: int, id: str) -> frozenset[str]:
        """Adds one id to those acknowledged -> all of them."""

        def work(connection: Connection) -> frozenset[str]:
            query = sa.select(pulls.c.acknowledged).where(pulls.c.repository == repository, pulls.c.number == number)
            known = {id, *json.loads(connection.execute(query.with_for_update() if self._locked else query).scalar() or "[]")}
            row = {"repository": repository, "number": number, "acknowledged": json.dumps(sorted(known)), "updated": self.clock()}
            self._put(connection, pulls, row)
            return frozenset(known)

        return await self._in_thread(work)

    # ---- what is to be published

    async def keep_draft(self, id: str, repository: int, content: Mapping[str, Any]) -> None:
        row = {"id": id, "repository": repository, "content": json.dumps(content), "written": self.clock()}
        await self._in_thread(lambda connection: self._put(connection, drafts, row))

    async def draft(self, id: str) -> dict[str, Any] | None:
        query = sa.select(drafts.c.content).where(drafts.c.id == id)
        found = await self.reading(lambda connection: connection.execute(query).scalar())
        return None if found is None else dict(json.loads(found))

    async def drop_draft(self, id: str) -> None:
        await self._in_thread(lambda connection: connection.execute(sa.delete(drafts).where(drafts.c.id == id)))

    # ---- how much was written

    async def reserve_write(self, installation: int, pace: Pace, urgent: bool = False, longest: float = math.inf) -> float:
        """Takes the next free moment for one write -> how many seconds to wait until then. The moment is taken for all processes; one
        that is further away than `longest` is told and not taken."""

        def work(connection: Connection) -> float:
            if self._locked:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(0x6D6177, sa.cast(installation % 2**31, sa.Integer))))
            now = self.clock()
            of = writes.c.installation == installation
            connection.execute(sa.delete(writes).where(of, writes.c.at < now - pace.hour_seconds))
            earlier = list(connection.execute(sa.select(writes.c.at).where(of).order_by(writes.c.at)).scalars())
            at = next_slot(earlier, now, pace, urgent)
            if at - now <= longest:
                connection.execute(sa.insert(writes).values(installation=installation, at=at))
            return at - now

        return await self._in_thread(work)

    # ---- runs and facts

    async def note_run(self, run: Run) -> None:
        row = {name: getattr(run, name) for name in Run.__slots__}
        row["at"] = row["at"] or self.clock()
        await self._in_thread(lambda connection: connection.execute(sa.insert(runs).values(**row)))

    async def count_runs(self, repository: int, number: int, kind: str, seconds: float, but: str = "") -> int:
        """How many jobs of a kind were worked on for a pull request lately. `but`: an outcome that does not count."""
        query = sa.select(sa.func.count()).where(
            runs.c.repository == repository,
            runs.c.number == number,
            runs.c.kind == kind,
            runs.c.outcome != but,
            runs.c.at > self.clock() - seconds,
        )
        return await self.reading(lambda connection: int(connection.execute(query).scalar_one()))

    async def last_runs(self, count: int = 50, outcome: str = "") -> list[Run]:
        query = sa.select(runs).order_by(runs.c.id.desc()).limit(count)
        if outcome:
            query = query.where(runs.c.outcome == outcome)
        return await self.reading(lambda connection: [_run(row) for row in connection.execute(query)])

    async def fact(self, name: str) -> str:
        query = sa.select(facts.c.value).where(facts.c.name == name)
        return str(await self.reading(lambda connection: connection.execute(query).scalar()) or "")

    async def note_fact(self, name: str, value: str) -> None:
        await self._in_thread(lambda connection: self._put(connection, facts, {"name": name, "value": value}))

    async def due(self, name: str, every: float) -> bool:
        """Whether `every` seconds have passed since the last time this was true for that name; then it is not, until they have again."""

        def work(connection: Connection) -> bool:
            now = self.clock()
            if self._locked:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(0x6D6178, sa.func.hashtext(name))))
            last = connection.execute(sa.select(facts.c.value).where(facts.c.name == name)).scalar()
            if last is not None and now - float(last) < every:
                return False
            self._put(connection, facts, {"name": name, "value": repr(now)})
            return True

        return await self._in_thread(work)

    async def claim(self, name: str, value: str = "1") -> bool:
        """Notes a fact that nobody noted before -> whether that is so: for what is made or used once."""

        def work(connection: Connection) -> bool:
            statement = self._insert(facts).values(name=name, value=value).on_conflict_do_nothing(index_elements=["name"])
            return bool(connection.execute(statement).rowcount)

        return await self._in_thread(work)

    async def tidy(self, keep_days: float) -> None:
        """Deletes what is too old to be of use."""
        now = self.clock()

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(runs).where(runs.c.at < now - keep_days * DAY))
            newest = connection.execute(sa.select(sa.func.max(runs.c.id))).scalar() or 0
            connection.execute(sa.delete(runs).where(runs.c.id <= newest - KEPT_RUNS))
            connection.execute(sa.delete(drafts).where(drafts.c.written < now - 7 * DAY))
            connection.execute(sa.delete(pulls).where(sa.not_(pulls.c.open), pulls.c.updated < now - keep_days * DAY))
            connection.execute(sa.delete(writes).where(writes.c.at < now - HOUR))

        await self._in_thread(work)

    async def answers(self) -> bool:
        """Whether the database can be reached."""
        return bool(await self.reading(lambda connection: connection.execute(sa.select(1)).scalar()))


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return sa.create_engine(url, pool_size=4, max_overflow=4, pool_pre_ping=True)
    engine = sa.create_engine(url, pool_size=4, max_overflow=4)

    # One writer at a time, told from the start: a transaction that begins by reading could not become a writer later.
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma busy_timeout = 30000")
        connection.execute("pragma synchronous = normal")  # what a power cut takes away is done again

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("begin" if reads else "begin immediate")

    return engine


def _repository(row: Any) -> RepositoryRecord:
    ref = RepositoryRef(row.id, row.full_name, row.installation, row.private, row.default_branch, row.paused)
    return RepositoryRecord(ref, row.paused, row.indexed, row.indexed_at, row.problem)


def _pull(row: Any) -> PullRecord:
    values = dict(row._mapping)
    values["acknowledged"] = frozenset(json.loads(values["acknowledged"]))
    return PullRecord(**values)


def _run(row: Any) -> Run:
    return Run(**{name: row._mapping[name] for name in Run.__slots__})
