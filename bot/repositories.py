"""A repository's id and commits on GitHub -> a bare clone on this disk that has them.

    async with clones.holding(repository.id, access, [Want(base), Want(head, "refs/pull/7/head")]) as path:
        ...

Bare, shallow, without files over 1 MiB: what an analysis reads is there. For a repository with 27 MB of files (SQLAlchemy) that is 6 MB,
and 13 MB with three hundred commits of history, instead of 84.
Nothing of it is ever checked out or executed: no work tree, no hooks, no submodules, no filters, no protocol but the one of the address,
and none of the user's configuration. The token reaches git by its environment alone: not by the command line, not on disk.

Each clone is git's own folder and two lock files beside it. Whoever reads holds one lock shared; whoever deletes needs it alone. Whoever
fetches holds the other. Both are the kernel's, so they hold between processes and end with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bot.errors import FetchFailed
from bot.settings import is_this_machine
from bot.types import GitAccess

LARGEST_FILE: Final = "1m"  # larger blobs stay where they are; the engine reads none of that size
FETCH_SECONDS: Final = 600.0  # for one fetch
SILENT_SECONDS: Final = 60  # git gives up on a line that carries less than a kilobyte a second for so long
LOCK_SECONDS: Final = 900.0  # waiting for another fetch of the same repository
MOST_PACKS: Final = 60  # each fetch adds one; then the clone begins anew, which takes a second and needs no garbage collection
MOST_WANTED: Final = 64
MOST_HISTORY: Final = 10_000
HISTORY: Final = 300  # commits before a base: who wrote the impacted lines, and what changes together. Twice the bytes of none
STANDS_BACK = 5  # how far git is nicer than the process that starts it: a large fetch keeps a core busy
MOST_SAID: Final = 16_384  # bytes kept of what git says

# What git may learn of the world around: proxies and certificates of the company, and where programs are.
PASSED_ON: Final = (
    "PATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)

# Written once into the clone's own `config`. Nothing in it depends on where the repository came from.
CONFIG: Final = """\
[core]
	repositoryformatversion = 1
	bare = true
	filemode = true
	hooksPath = /dev/null
	fsmonitor = false
	symlinks = false
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	partialclonefilter = blob:limit=1m
"""

# Given with every fetch, by environment.
SAFE: Final = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.askPass", ""),
    ("credential.helper", ""),
    ("fetch.fsckObjects", "true"),  # folders called .git or .., and other tricks, are refused
    # Mistakes of old programs that hurt nobody; real histories have them.
    ("fetch.fsck.zeroPaddedFilemode", "ignore"),
    ("fetch.fsck.badTimezone", "ignore"),
    ("fetch.fsck.missingSpaceBeforeDate", "ignore"),
    ("fetch.fsck.missingSpaceBeforeEmail", "ignore"),
    ("fetch.fsck.missingNameBeforeEmail", "ignore"),
    ("fetch.fsck.badEmail", "ignore"),
    ("fetch.fsck.badDateOverflow", "ignore"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("fetch.unpackLimit", "1"),  # always a pack, which appears whole or not at all
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("http.followRedirects", "false"),  # the API says where a renamed repository is
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", str(SILENT_SECONDS)),
    ("protocol.version", "2"),
    ("transfer.credentialsInUrl", "die"),
)

# What git says -> what we say, and whether asking again is of no use. First row that matches.
FAILURES: Final = (
    # pattern, sentence, gone, an example that only this row answers
    (
        r"not our ref|unadvertised object|couldn't find remote ref|did not send all necessary objects|no such remote ref",
        "The commit is not there (any more)",
        True,
        "fatal: remote error: upload-pack: not our ref 1234",
    ),
    (
        r"error in object|fsck|hasdot|is not a valid object name|fullpathname",
        "git refuses the objects of this repository: they could harm whoever unpacks them",
        True,
        "error: object 12: hasDotgit: contains '.git'\nfatal: fsck error in pack objects",
    ),
    (r"error: 30\d", "The repository has moved", False, "fatal: unable to access 'https://x/': The requested URL returned error: 301"),
    (
        r"repository .*not found|error: (404|410)|not found",
        "There is no such repository, or not for us",
        True,
        "fatal: repository 'https://github.com/a/b.git/' not found",
    ),
    (
        r"authentication failed|could not read (username|password)|terminal prompts disabled|error: (401|403)",
        "GitHub does not let us read this repository",
        False,
        "fatal: Authentication failed for 'https://github.com/a/b.git/'",
    ),
    (r"no space left|disk quota", "The disk is full", False, "fatal: write error: No space left on device"),
    (r"", "git could not fetch", False, "fatal: early EOF"),
)

_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REF = re.compile(r"refs/(heads|pull)/[^\x00-\x20\x7f~^:?*\[\\]{1,400}")


@dataclass(frozen=True, slots=True)
class Want:
    """A commit, and a ref of the remote under which it can be had where asking for the id alone is refused."""

    sha: str
    ref: str = ""  # "refs/pull/7/head", "refs/heads/main"
    history: int = 1  # commits of history with their files, for who wrote what and what changes together; 1: only this one


class Clones:
    """`folder`: one bare clone a repository id. `space`: bytes for all together; the least recently used that nobody holds go first."""

    def __init__(
        self, folder: Path, space: int, *, clock: Callable[[], float] = time.time, environment: Mapping[str, str] = os.environ
    ) -> None:
        self.folder, self.space = folder, space
        self._clock = clock
        self._sizes: dict[Path, tuple[int, int]] = {}
        self._around = {name: environment[name] for name in PASSED_ON if name in environment}

    @asynccontextmanager
    async def holding(self, repository_id: int, access: GitAccess, wants: Sequence[Want]) -> AsyncIterator[Path]:
        """`async with clones.holding(...) as path:` the clone has all `wants`, and is not evicted meanwhile. Only what is missing is
        fetched. One fetch of a repository at a time, over all processes of this machine. Raises FetchFailed."""
        wanted = _checked(wants)
        path = self._path(repository_id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise FetchFailed(f"The folder of clones cannot be made: {error.strerror}.") from error
        await self._begin_anew_if_crowded(path)
        async with _locked(_use_lock(path), fcntl.LOCK_SH):
            if self._missing(path, wanted):
                async with _locked(_fetch_lock(path), fcntl.LOCK_EX):
                    self._prepare(path)
                    missing = self._missing(path, wanted)
                    if missing:
                        await self._fetch(path, access, missing)
                await self._make_room(except_for=path)
            with contextlib.suppress(OSError):
                os.utime(path, (self._clock(), self._clock()))
            yield path

    async def forget(self, repository_id: int) -> None:
        """Deletes the clone; none there is fine. Waits for whoever holds it."""
        path = self._path(repository_id)
        if not self.folder.is_dir():
            return
        async with _locked(_use_lock(path), fcntl.LOCK_EX):
            await asyncio.to_thread(_remove, path)
        for lock in (_use_lock(path), _fetch_lock(path)):
            lock.unlink(missing_ok=True)

    def known(self) -> frozenset[int]:
        """Repositories of which there is a clone."""
        return frozenset(int(path.stem) for path in self._all() if path.stem.isdecimal())

    def used(self) -> int:
        """Bytes on disk of all clones."""
        return sum(self._known_size(path) for path in self._all())

    def _known_size(self, path: Path) -> int:
        """Looked at again only where a pack came or went."""
        try:
            changed = (path / "objects" / "pack").stat().st_mtime_ns
        except OSError:
            changed = -1
        known = self._sizes.get(path)
        if known is None or known[0] != changed:
            known = self._sizes[path] = (changed, _size(path))
        return known[1]

    # ---- where things are

    def _path(self, repository_id: int) -> Path:
        return self.folder / f"{int(repository_id)}.git"

    def _all(self) -> list[Path]:
        """The least recently used first."""
        found = []
        for path in self.folder.glob("*.git"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
        return [path for _, path in sorted(found)]

    def _missing(self, path: Path, wants: Sequence[Want]) -> list[Want]:
        """A ref of ours says that a fetch of that commit was finished, with as much of its history."""
        longer = {(sha, int(depth)) for sha, _, depth in (one.name.partition("-") for one in (path / "refs/history").glob("*-*"))}
        return [
            want
            for want in wants
            if not (path / _ref(want)).is_file() and not any(sha == want.sha and depth >= want.history for sha, depth in longer)
        ]

    def _prepare(self, path: Path) -> None:
        """An empty bare repository, written by us: `git init` would copy templates of the user's."""
        if (path / "HEAD").is_file():
            return
        _remove(path)
        new = path.with_suffix(".new")
        _remove(new)
        for inside in ("objects/pack", "objects/info", "refs/have", "refs/history", "info"):
            (new / inside).mkdir(parents=True)
        (new / "config").write_text(CONFIG)
        (new / "HEAD").write_text("ref: refs/heads/none\n")
        new.rename(path)

    async def _begin_anew_if_crowded(self, path: Path) -> None:
        packs = sum(1 for _ in (path / "objects" / "pack").glob("*.pack"))
        if packs >= MOST_PACKS:
            with contextlib.suppress(_Busy):
                async with _locked(_use_lock(path), fcntl.LOCK_EX, seconds=0):
                    await asyncio.to_thread(_remove, path)

    async def _make_room(self, except_for: Path) -> None:
        """Deletes what was not used for longest, until all fits."""
        sizes = {path: await asyncio.to_thread(self._known_size, path) for path in self._all()}
        over = sum(sizes.values()) - self.space
        for path, size in sizes.items():
            if over <= 0:
                return
            if path == except_for:
                continue
            with contextlib.suppress(_Busy):
                async with _locked(_use_lock(path), fcntl.LOCK_EX, seconds=0):
                    await asyncio.to_thread(_remove, path)
                    over -= size

    # ---- fetching

    async def _fetch(self, path: Path, access: GitAccess, wants: Sequence[Want]) -> None:
        try:
            await self._git_fetch(path, access, wants, [f"{want.sha}:{_ref(want)}" for want in wants])
        except FetchFailed as error:
            if not error.gone or not any(want.ref for want in wants):
                raise
            await self._fetch_by_name(path, access, wants)

    async def _fetch_by_name(self, path: Path, access: GitAccess, wants: Sequence[Want]) -> None:
        """For servers that hand out only what a ref points to. What a ref points to by now may be another commit."""
        specs = [f"+{want.ref or want.sha}:refs/try/{number}" for number, want in enumerate(wants)]
        await self._git_fetch(path, access, wants, specs)
        for number, want in enumerate(wants):
            if (path / f"refs/try/{number}").read_text().strip() != want.sha:
                raise FetchFailed(f"{want.ref} is no longer at {want.sha[:10]}.", gone=True)
        for number, want in enumerate(wants):
            (path / f"refs/try/{number}").rename(path / _ref(want))

    async def _git_fetch(self, path: Path, access: GitAccess, wants: Sequence[Want], specs: Sequence[str]) -> None:
        """One `git fetch`, ended when it takes too long, grows too large, or nobody waits for it any more."""
        depth = max(want.history for want in wants)
        command = ["git", "--no-pager", "fetch", f"--depth={depth}", f"--filter=blob:limit={LARGEST_FILE}"]
        command += ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--refmap="]
        command += ["--end-of-options", "origin", *specs]
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=path,
                env=self._environment(path, access),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                process_group=0,  # not a session: Linux would give that a share of the processor as large as the whole service's
            )
        except OSError as error:
            raise FetchFailed(f"git cannot be started: {error.strerror or error}.") from error
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpriority(os.PRIO_PROCESS, process.pid, min(19, os.getpriority(os.PRIO_PROCESS, 0) + STANDS_BACK))
        watch = asyncio.create_task(self._watch(path, process.pid))
        try:
            said = await _read_end(process)
            await process.wait()
        finally:
            watch.cancel()
            if process.returncode is None:
                _kill(process.pid)
                await process.wait()
        ended = (await asyncio.gather(watch, return_exceptions=True))[0]
        if isinstance(ended, str):
            raise FetchFailed(ended)
        if process.returncode:
            raise _failed(said)

    def _environment(self, path: Path, access: GitAccess) -> dict[str, str]:
        scheme = urlsplit(access.url).scheme
        if scheme not in ("https", "http") or "@" in urlsplit(access.url).netloc:
            raise FetchFailed("That is not an address to fetch from.", gone=True)
        settings = [*SAFE, ("remote.origin.url", access.url)]
        if access.header:
            parts = urlsplit(access.url)
            settings.append((f"http.{parts.scheme}://{parts.netloc}/.extraHeader", access.header))
        pairs = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(settings)}
        values = {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(settings)}
        around = self._around
        if is_this_machine(urlsplit(access.url).hostname or ""):  # a proxy of the company does not know this machine
            around = {name: value for name, value in around.items() if not name.lower().endswith("_proxy")}
        return {
            **around,
            "LC_ALL": "C",
            "HOME": os.devnull,
            "GIT_DIR": str(path.absolute()),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": scheme,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_CONFIG_COUNT": str(len(settings)),
            **pairs,
            **values,
        }

    async def _watch(self, path: Path, pid: int) -> str:
        """Ends git when it takes too long or fills the disk -> why."""
        until = time.monotonic() + FETCH_SECONDS
        while time.monotonic() < until:
            await asyncio.sleep(1.0)
            if await asyncio.to_thread(_size, path) > self.space:
                _kill(pid)
                return f"The repository is larger than the {self.space >> 30:,} GB that clones may take."
        _kill(pid)
        return f"The fetch took more than {FETCH_SECONDS:,.0f} s."


def _checked(wants: Sequence[Want]) -> list[Want]:
    """Nothing but ids and plain refs ever reaches git's command line."""
    for want in wants:
        if not _ID.fullmatch(want.sha) or (want.ref and (not _REF.fullmatch(want.ref) or ".." in want.ref)):
            raise FetchFailed("That is not a commit id, or not a ref.", gone=True)
    found = list(dict.fromkeys(wants))
    if any(not 1 <= want.history <= MOST_HISTORY for want in found):
        raise FetchFailed(f"History of more than {MOST_HISTORY:,} commits.", gone=True)
    if len(found) > MOST_WANTED:
        raise FetchFailed(f"More than {MOST_WANTED} commits at once.", gone=True)
    return found


def _ref(want: Want) -> str:
    return f"refs/have/{want.sha}" if want.history == 1 else f"refs/history/{want.sha}-{want.history}"


def _failed(said: bytes) -> FetchFailed:
    text = said.decode("utf-8", "replace")
    sentence, gone = next((sentence, gone) for pattern, sentence, gone, _ in FAILURES if re.search(pattern, text, re.IGNORECASE))
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "it said nothing and stopped")
    shown = "".join(letter if letter.isprintable() else " " for letter in last)[:200].strip().rstrip(".")
    return FetchFailed(f"{sentence} ({shown}).", gone=gone)


async def _read_end(process: asyncio.subprocess.Process) -> bytes:
    """The last words of a process; what came before is dropped as it comes."""
    assert process.stderr is not None
    said = b""
    while piece := await process.stderr.read(65_536):
        said = (said + piece)[-MOST_SAID:]
    return said


def _kill(pid: int) -> None:
    """git and the helper it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


# ---- locks and folders


class _Busy(Exception):
    """Somebody else has the lock."""


def _use_lock(path: Path) -> Path:
    return path.with_suffix(".use")


def _fetch_lock(path: Path) -> Path:
    return path.with_suffix(".fetch")


@asynccontextmanager
async def _locked(file: Path, how: int, seconds: float = LOCK_SECONDS) -> AsyncIterator[None]:
    """Waits for the kernel's lock without holding up the event loop. The file may be deleted meanwhile, so the lock counts only if it is
    on the file that is there now."""
    until = time.monotonic() + seconds
    pause = 0.005
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            if _is_there(file, descriptor):
                break
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                raise _Busy if seconds == 0 else FetchFailed("Another fetch of this repository takes too long.") from None
        os.close(descriptor)
        await asyncio.sleep(pause)
        pause = min(0.2, pause * 1.5)
    try:
        yield
    finally:
        os.close(descriptor)


def _is_there(file: Path, descriptor: int) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), file.stat())
    return False


def _remove(path: Path) -> None:
    """Out of the way at once, then gone: a half deleted clone is never taken for one."""
    gone = path.with_suffix(".gone")
    shutil.rmtree(gone, ignore_errors=True)
    with contextlib.suppress(OSError):
        path.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _size(path: Path) -> int:
    return sum(_file_sizes(path))


def _file_sizes(path: Path) -> Iterator[int]:
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                yield os.lstat(os.path.join(folder, name)).st_size
