"""docs/operating.md: prose from here, the tables from the code."""

from __future__ import annotations

from collections.abc import Iterable

from bot import metrics
from bot.engines.pool import Limits
from bot.jobs.queues import QUEUES
from bot.jobs.retry import HOUR, MINUTE, RETRIES, End
from bot.jobs.service import ASK_SECONDS, BUILD_SECONDS, PULL_SECONDS, STOP_SECONDS
from bot.pace import Pace

ENDS = {End.TELL: "the check or the answer says why", End.DROP: "nothing more is done", End.DEAD: "a dead letter"}

INTRO = """\
For whoever runs the App: how much it carries, what to watch, what to back up, and what to do when something is wrong.
[deploy/README.md](../deploy/README.md) says how to start it, [configuration](configuration.md) lists the settings.

## How it works, in six lines

GitHub's delivery is checked, planned and put in a durable queue; only then it is answered with 202.
A job reads the pull request as it is now, fetches two commits, and has an engine process compare them.
The report becomes a draft, and one writer per installation brings drafts to GitHub, slower than GitHub's limits.
Our comment is found by its marker before anything is written, and the head is read once more, so a repetition changes nothing.
A newer push takes the place of an older job of the same pull request, wherever that stands.
What was answered with 202 survives a kill; what was not is asked for again from GitHub's own list, every five minutes.

`maguyva serve` is two processes: one receives and answers, and starts the other, which works and stands back for it, as engines and git do for both.
When the second dies, it is started again within seconds and deliveries wait; when the first dies, the second ends at once.
"""

CAPACITY = f"""\
## Capacity

One service with SQLite carries a hundred repositories on two cores, and a thousand on eight.
Beyond that, put the queue into PostgreSQL (`MAGUYVA_DATABASE_URL`), run receivers with `--role web` and workers with `--role worker`, and let the workers share indexes through a bucket.
A worker needs no disk that outlives it and no name of its own: where one dies, another one under any name does its jobs, and fetches from the bucket what was indexed.
`make kills` shows it: one receiver and two workers that are killed twenty times while 500 deliveries come in, none of which is lost, and every comment is there once and reads as if nothing had happened.
Give each App a bucket or a prefix of its own: what is there of repositories that it does not know is deleted within thirty hours: once a day somebody looks, and what is younger than six hours is left alone.
Analysis decides how many cores you need: count its seconds with `maguyva_engine_seconds_total`.

The image has the resolver and the front ends as machine code, which takes nearly half off what a first index costs (Django: 17 seconds of CPU, compiled 9); `maguyva doctor` and `maguyva --version` say "compiled" then.
`docker build --build-arg FORM=text` leaves it out, `make compiled` makes it in a clone (with a C compiler and Python's headers; some minutes), `make text` deletes it there, and `make wheel` packages what is there.
Compiling fetches the source of the parser's library, by its pinned hash; where that can't be had, it says so, and syntax trees are walked in Python as before.
Both forms give the same index, byte for byte: whatever does not is deleted by the script that compiles (`deploy/compile.py`), and indexes and caches of one are read by the other.

The queue is not the limit: about 5 ms of processor time a job in the worker, 3 ms in PostgreSQL, and 2 kB that stay for eight days.
GitHub's limits on writing are: we keep below {Pace().minute} writes a minute and {Pace().hour:,} an hour for each installation, with a second between two.

| what | how much |
| --- | --- |
| engine processes | one a core for analyses and indexes, one more for questions; they end after two idle minutes |
| memory of an engine process | at most {Limits({}).memory >> 30} GB of its own (`RLIMIT_DATA`); mapped indexes come on top and can be dropped by the system |
| time for an analysis, an index, an answer | {PULL_SECONDS:.0f} s, {BUILD_SECONDS:,.0f} s, {ASK_SECONDS:.0f} s |
| disk for clones | `MAGUYVA_CLONE_SPACE`; the least recently used go first |
| disk for indexes | about twice the text of each repository, with what was parsed; eight commits share most of it |

SQLite needs a local disk: it does not work on NFS, and never with more than one service.
"""

BACKUP = """\
## Backup

Everything can be made again from GitHub but for what was acknowledged, so losing the data folder costs time, not truth.
Back up the database if you want to keep acknowledgements: `sqlite3 queue.sqlite '.backup copy.sqlite'`, or `pg_dump`.
Never copy `queue.sqlite` alone while the service runs: its newest rows are in `queue.sqlite-wal`.
Keep the App's private key and webhook secret where you keep other secrets; with `/setup` they are in `app.pem` in the data folder.

## Upgrade

Stop, replace, start: `SIGTERM` lets running jobs end within {stop} seconds and leaves the rest in the queue.
Jobs of the old version are done by the new one.
With several workers, replace one after the other; the jobs of one that is gone are taken over within seconds.
A new version of the index format makes indexes anew when they are next needed.

To go back to an older version is as safe: the queue's format has a number of its own, and the changelog says when it changes.
"""

WATCH = """\
## What to watch

`/healthz` says that the process lives, `/readyz` that it may be given deliveries; it is 503 while starting, while stopping, and when the database does not answer.
`/metrics` is for Prometheus and holds no names; `/` shows the same in a page.
`/details` shows repositories, the last jobs and failures with their reasons, for who has the key that `maguyva jobs --key` prints.
The log is one JSON object a line on standard error, without secrets.

Alerts worth having:

| alert | when | what to do |
| --- | --- | --- |
| deliveries are refused or not kept | `rate(maguyva_deliveries_total{result=~"refused\\|not kept"}[10m]) > 0` | `maguyva doctor`: a wrong secret, or the database is gone |
| jobs wait | `maguyva_queue_waiting{queue="pull"} > 100` for 10 minutes | more cores or workers |
| dead letters | `maguyva_dead_letters > 0` | `maguyva jobs` says why; `maguyva jobs --revive all` when the reason is gone |
| engines die | `rate(maguyva_jobs_total{kind="analyse",outcome="gave up"}[1h]) > 0` | `/details` names the repository; it may be larger than the limits |
| slow answers | `histogram_quantile(0.99, rate(maguyva_answer_seconds_bucket[5m])) > 1` | `maguyva_keep_seconds` says whether it is the database or the disk; if neither, the machine has too little processor |
| the worker dies | `increase(maguyva_worker_restarts_total[1h]) > 0` | the log has its last words; without any, look for the system's out-of-memory killer |
| the disk fills | `maguyva_disk_free_bytes < 2e9` | lower `MAGUYVA_CLONE_SPACE`, or a larger disk |
"""

WRONG = """\
## When something is wrong

| you see | why, and what to do |
| --- | --- |
| no comment on a pull request | `/details` lists its last job: superseded, skipped with the reason, or failed; a change that can't break anything gets a check and no comment |
| nothing at all happens | `maguyva doctor`: its last line says whether GitHub's deliveries arrive |
| a check stays yellow | it is concluded within an hour; `/maguyva refresh` begins anew |
| "GitHub does not know us" | the key is of another App or was revoked, or this machine's clock is wrong: `maguyva doctor` tells which |
| "The database … does not answer" | the queue waits, deliveries are refused and asked for again later; everything goes on by itself when it is back |
| "No space left on device" | deliveries are kept all the same as long as the database can be written; make room: jobs are tried again for an hour, and then wait as dead letters |
| "a permission is missing" | the App was given more permissions and the owner has not accepted them yet |
| the same pull request fails again and again | its commits can't be fetched, or its repository is too large: the check says which |
| a worker ends with exit code 75 | it lost its connection to PostgreSQL and with it the right to its jobs; whoever supervises it starts it again |
| comments come late, nothing fails | the installation writes as fast as GitHub lets it: `maguyva_github_write_wait_seconds` |

To remove everything of one installation, uninstall the App there: rows and queued jobs, the index and the clone go at once, and copies on the disks of other workers within twenty minutes.
To remove everything, stop the service and delete the data folder and the database.
"""


def operating_blocks() -> list[str]:
    return [
        INTRO,
        "## Queues\n\nEach is worked on by itself, so that none waits for another.\n",
        _table(("queue", "at a time", "why"), ((one.name, _at_once(one.per_key, one.at_once), one.why) for one in QUEUES)),
        "## Retries\n\nThe first row that fits an error decides; waits are between attempts.\n",
        _table(
            ("error", "tried again after", "then", "what it is"),
            ((one.error.__name__, _waits(one.waits), ENDS[one.end], one.why) for one in RETRIES),
        ),
        CAPACITY,
        BACKUP.replace("{stop}", str(STOP_SECONDS)),
        WATCH,
        "### Metrics\n",
        _table(("metric", "what it counts"), _metrics()),
        WRONG,
    ]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _at_once(per_key: bool, at_once: int | None) -> str:
    return ("one of a kind" if per_key else "any") + (f", {at_once} in all" if at_once else "")


def _waits(waits: tuple[float, ...]) -> str:
    return (
        ", ".join(f"{one / HOUR:g} h" if one >= HOUR else f"{one / MINUTE:g} min" if one >= MINUTE else f"{one:g} s" for one in waits)
        or "–"
    )


def _metrics() -> list[tuple[str, str]]:
    found = {one.name: one for registry in (metrics.WEB, metrics.WORK) for one in registry.collect()}
    return [(f"`{name}{'_total' if one.type == 'counter' else ''}`", one.documentation) for name, one in sorted(found.items())]
