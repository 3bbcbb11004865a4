"""The words after `maguyva doctor` -> what is right with this installation, what is wrong, and what to do about it.

Every check is a row of `CHECKS` and says one thing. What can't be looked at because something before it is wrong is said to be so, never
passed over. Nothing is changed anywhere, but for a file that is written and removed.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

import httpx

from bot import setup
from bot.engines.pool import EnginePool, Lane, Limits
from bot.errors import EngineError, GitHubBroken, GitHubError, GitHubUnreachable, SettingsError
from bot.github.client import GitHub
from bot.jobs.service import database_url, prepare_database
from bot.records import Records
from bot.settings import Settings, read_settings
from bot.types import AppIdentity
from index.version import form

REMEDY: Final = "check MAGUYVA_APP_ID and MAGUYVA_PRIVATE_KEY: they must be of the same App, and not be revoked"
OLDEST_GIT: Final = (2, 36)  # `safe.directory=*` by environment, and partial fetches that behave
UNIT: Final = Path("/etc/systemd/system/maguyva.service")  # as deploy/README.md says
LEAST_FREE: Final = 2 << 30
LONGEST_CHECK: Final = 30.0  # seconds
AWAY: Final = "GitHub does not answer"
MOST_SKEW: Final = 30.0  # seconds: GitHub refuses tokens that are made more than a minute ahead
GOOD, BAD, UNKNOWN, NOTE = "ok", "wrong", "not looked at", "note"


@dataclass(frozen=True, slots=True)
class Finding:
    state: str
    says: str
    do: str = ""  # what to do about it


NO_APP: Final = Finding(UNKNOWN, "GitHub has to know the App first")


@dataclass(frozen=True)
class Patient:
    """What the checks look at; None where something before went wrong."""

    settings: Settings
    github: GitHub | None
    identity: AppIdentity | None
    trouble: str  # why there is no identity


Check = Callable[[Patient], Awaitable[Finding]]


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prints a line for each check -> 0, or 1 where something is wrong."""
    try:
        settings = read_settings(environment)
    except SettingsError as error:
        for problem in error.problems:
            print(_line("settings", Finding(BAD, problem)))
        return 1
    print(_line("settings", Finding(GOOD, f"version {form()}, data in {settings.home}, {settings.github.web}")))
    findings = asyncio.run(examine(settings, lambda name, finding: print(_line(name, finding), flush=True)))
    wrong = sum(finding.state == BAD for _, finding in findings)
    print(f"\n{wrong} wrong." if wrong else "\nNothing is wrong.")
    return 1 if wrong else 0


def _line(name: str, finding: Finding) -> str:
    todo = f"\n{'':>29}→ {finding.do}" if finding.do else ""
    return f"{finding.state:<14} {name:<13} {finding.says}{todo}"


async def examine(settings: Settings, tell: Callable[[str, Finding], None] = lambda name, finding: None) -> list[tuple[str, Finding]]:
    """`tell` hears each finding as soon as it is made: some take a while."""
    async with _patient(settings) as patient:
        found = []
        for name, check in CHECKS:
            try:
                async with asyncio.timeout(LONGEST_CHECK):
                    finding = await check(patient)
            except TimeoutError:
                finding = Finding(BAD, f"no answer within {LONGEST_CHECK:.0f} s")
            except Exception as error:  # a check that fails is a finding, and the others go on
                finding = Finding(BAD, f"could not be looked at: {type(error).__name__}: {error}")
            tell(name, finding)
            found.append((name, finding))
        return found


@asynccontextmanager
async def _patient(settings: Settings) -> AsyncIterator[Patient]:
    if settings.app is None:
        yield Patient(settings, None, None, "no App is set up")
        return
    try:
        async with GitHub(settings.github, settings.app) as github:
            try:
                async with asyncio.timeout(LONGEST_CHECK):
                    identity, trouble = await github.identity(), ""
            except (GitHubUnreachable, GitHubBroken, TimeoutError):
                identity, trouble = None, AWAY
            except GitHubError as error:
                identity, trouble = None, str(error)
            yield Patient(settings, github, identity, trouble)
    except ValueError:  # a key that is no key
        yield Patient(settings, None, None, "the private key can't be read")


# ---- the checks


async def _git(patient: Patient) -> Finding:
    try:
        said = subprocess.run(["git", "version"], capture_output=True, text=True, check=True, timeout=20).stdout
        version = tuple(int(part) for part in said.split()[2].split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return Finding(BAD, "git does not run", "install git")
    wanted = ".".join(map(str, OLDEST_GIT))
    if version < OLDEST_GIT:
        return Finding(BAD, said.strip(), f"install git {wanted} or later")
    return Finding(GOOD, said.strip())


async def _data(patient: Patient) -> Finding:
    home = patient.settings.home
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=home) as file:
            file.write(b"x")
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        todo = "make room, or lower MAGUYVA_CLONE_SPACE" if full else "give the service's user that folder, or set MAGUYVA_DATA"
        return Finding(BAD, f"{home} can't be written: {error.strerror}", todo)
    if home.stat().st_mode & 0o077:
        return Finding(NOTE, f"others on this machine may look into {home}", f"chmod 700 {home}")
    return Finding(GOOD, f"{home} can be written")


async def _disk(patient: Patient) -> Finding:
    usage = shutil.disk_usage(patient.settings.home if patient.settings.home.exists() else os.sep)
    says = f"{usage.free / 2**30:.1f} GB free of {usage.total / 2**30:.1f}"
    if usage.free < LEAST_FREE:
        return Finding(BAD, says, "make room, or lower MAGUYVA_CLONE_SPACE")
    if patient.settings.clone_space > usage.free:
        return Finding(NOTE, f"{says}; clones may take {patient.settings.clone_space / 2**30:.0f}", "lower MAGUYVA_CLONE_SPACE")
    return Finding(GOOD, says)


async def _database(patient: Patient) -> Finding:
    url = database_url(patient.settings.database_url)
    kind = "SQLite" if url.startswith("sqlite") else "PostgreSQL"
    try:
        await asyncio.to_thread(prepare_database, url)
        records = Records(url)
        try:
            await records.answers()
        finally:
            records.close()
    except Exception as error:
        reason = str(error).splitlines()[0]
        return Finding(BAD, f"{kind} does not answer: {reason}", "check MAGUYVA_DATABASE_URL, and that it can be reached")
    return Finding(GOOD, f"{kind} answers")


async def _engine(patient: Patient) -> Finding:
    """An engine process starts, and says that an empty folder is no repository."""
    pool = EnginePool(Limits({"ask": Lane(1, 60.0)}))
    try:
        await pool.ask("ask", "is indexed", "doctor", {"clone": os.sep, "home": os.sep, "commit": "0" * 40})
    except EngineError as error:
        if "is not a git repository" in str(error):
            return Finding(GOOD, "an engine process starts and answers")
        return Finding(BAD, str(error), "see whether the machine lets the service start processes, and has memory")
    finally:
        await pool.close()
    return Finding(GOOD, "an engine process starts and answers")


async def _credentials(patient: Patient) -> Finding:
    if patient.settings.app is None:
        unit = " (this shell has not the settings of maguyva.service: ask with `maguyva-admin doctor`)" if UNIT.exists() else ""
        return Finding(BAD, "no App is set up", f"open the address that `maguyva serve` prints, or set MAGUYVA_APP_ID and the others{unit}")
    return Finding(GOOD, f"App {patient.settings.app.id}, {len(patient.settings.app.webhook_secrets)} webhook secret(s)")


async def _reachable(patient: Patient) -> Finding:
    api = patient.settings.github.api
    if patient.identity is not None:
        return Finding(GOOD, f"{api} answers")
    try:
        async with httpx.AsyncClient(timeout=15) as client:
            answer = await client.get(f"{api}/meta", headers={"Accept": "application/vnd.github+json"})
    except httpx.HTTPError as error:
        return Finding(BAD, f"{api} does not answer ({type(error).__name__})", "check the network, a proxy, or MAGUYVA_GITHUB_URL")
    return Finding(GOOD, f"{api} answers ({answer.status_code})")


async def _who(patient: Patient) -> Finding:
    if patient.identity is None:
        judged = patient.github is not None and patient.trouble != AWAY
        return Finding(BAD if judged else UNKNOWN, patient.trouble, REMEDY if judged else "")
    return Finding(GOOD, f"{patient.identity.name} ({patient.settings.github.web}/apps/{patient.identity.slug})")


async def _clock(patient: Patient) -> Finding:
    skew = patient.identity.clock_skew if patient.identity is not None else await _skew(patient.settings)
    if skew is None:
        return Finding(UNKNOWN, "GitHub does not tell its time")
    says = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} GitHub's"
    if abs(skew) > MOST_SKEW:
        return Finding(BAD, says, "set this machine's clock, for instance with chrony: GitHub refuses tokens of another time")
    return Finding(GOOD, says)


async def _skew(settings: Settings) -> float | None:
    """Seconds that this machine is ahead of GitHub, from an answer that needs no credentials: a wrong clock is why some are refused."""
    try:
        async with httpx.AsyncClient(timeout=15) as client:
            answer = await client.get(f"{settings.github.api}/meta", headers={"Accept": "application/vnd.github+json"})
        return time.time() - parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except (httpx.HTTPError, ValueError):
        return None


async def _permissions(patient: Patient) -> Finding:
    if patient.identity is None:
        return NO_APP
    given, levels = patient.identity.permissions, ("", "read", "write", "admin")
    missing = [
        f"{name}: {level}" for name, level in sorted(setup.PERMISSIONS.items()) if levels.index(given.get(name, "")) < levels.index(level)
    ]
    if missing:
        return Finding(BAD, f"missing: {', '.join(missing)}", "grant them on the App's page; every owner has to accept them then")
    return Finding(GOOD, ", ".join(f"{name}: {level}" for name, level in sorted(given.items())))


async def _events(patient: Patient) -> Finding:
    if patient.identity is None:
        return NO_APP
    missing = sorted(set(setup.EVENTS) - set(patient.identity.events))
    if missing:
        return Finding(BAD, f"not subscribed: {', '.join(missing)}", "tick them on the App's page, under permissions and events")
    return Finding(GOOD, f"subscribed: {', '.join(sorted(patient.identity.events))}")


async def _installations(patient: Patient) -> Finding:
    if patient.identity is None or patient.github is None:
        return NO_APP
    found = await patient.github.installations()
    if not found:
        return Finding(NOTE, "installed nowhere yet", f"open {patient.settings.github.web}/apps/{patient.identity.slug}/installations/new")
    suspended = sum(one.suspended for one in found)
    return Finding(GOOD, f"{len(found)} installations" + (f", {suspended} suspended" if suspended else ""))


async def _deliveries(patient: Patient) -> Finding:
    """What GitHub says of the last day: the one thing that tells whether it reaches us."""
    if patient.identity is None or patient.github is None:
        return NO_APP
    sent = await patient.github.deliveries(time.time() - 86_400)
    done = {one.delivery for one in sent if not one.failed}
    failed = {one.delivery for one in sent} - done
    if not sent:
        return Finding(NOTE, "GitHub sent nothing within a day", "check the webhook's address on the App's page: it ends with /webhook")
    if failed and len(failed) >= len(done):
        says = f"{len(failed)} of {len(done) + len(failed)} deliveries of the last day failed"
        return Finding(BAD, says, "check that GitHub can reach /webhook")
    return Finding(GOOD, f"{len(done)} deliveries of the last day arrived, {len(failed)} did not")


CHECKS: Sequence[tuple[str, Check]] = (
    ("git", _git),
    ("data", _data),
    ("disk", _disk),
    ("database", _database),
    ("engine", _engine),
    ("credentials", _credentials),
    ("GitHub", _reachable),
    ("App", _who),
    ("clock", _clock),
    ("permissions", _permissions),
    ("events", _events),
    ("installations", _installations),
    ("deliveries", _deliveries),
)
