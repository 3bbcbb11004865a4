"""Snapshots of commits <-> a folder of immutable files and a few small names that point at them.

    parts/<blake2b>       one segment file per part, named for its content: a part that did not change is not written again; one that
                          changed little stays, with a small part beside it that says what is different (`index.layers`)
    manifests/<blake2b>   JSON: schema and engine version, commit, part name -> [digest, size]
    refs/<repository>/<name>   the digest of a manifest, swapped atomically
    lock                  held by the one update that is running
    tmp/                  files being written; whatever lies here while the lock is free is waste

Every file is written to tmp/, flushed, renamed and its folder flushed, in the order parts, manifest, ref. So a reader sees the old
snapshot or the new one whole, whenever the writer dies. Readers take no lock, and keep what they opened after it is deleted.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import json
import mmap
import os
import re
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from index.errors import SnapshotDamaged, StorageError
from index.layers import SINCE, Layer, Parts, Stored
from index.snapshot import Columns, Snapshot
from index.storage.segments import columns_of, digest_of, is_written, map_segment, segment_blocks, segment_digest, write_segment

SCHEMA = 2  # of the manifest and the columns: raise it when either changes
KEEP_MANIFESTS = 3  # newest snapshots that stay although no ref names them: a base that moved back costs nothing
LOCK_SECONDS = 60.0
OPEN_ATTEMPTS = 5
_POLL_SECONDS = 0.02
_MAX_MANIFEST = 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")

REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than this system allows",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "we may not write there",
    errno.EPERM: "we may not write there",
    errno.ENOTDIR: "a file stands where a folder should be",
    errno.EEXIST: "a file stands where a folder should be",
    errno.EIO: "the disk reports an error",
}


class SnapshotStore:
    """`home`: the folder, made by the first `publish`. `engine`: version of the code whose snapshots may be read."""

    def __init__(self, home: Path, engine: str = "1", keep_manifests: int = KEEP_MANIFESTS) -> None:
        self.home = home
        self.engine = engine
        self.keep_manifests = keep_manifests
        self._threads = threading.RLock()  # flock knows processes only
        self._held = 0
        self._away: dict[str, tuple[Columns, str, int]] = {}  # by `put_away`, until they are published

    def publish(
        self,
        repository_key: str,
        ref_name: str,
        commit: str,
        parts: Mapping[str, Columns],
        reuse: Mapping[str, tuple[str, int]] | None = None,
        lock_seconds: float = LOCK_SECONDS,
    ) -> str:
        """Named parts of a commit -> stored, and `ref_name` of that repository points at them; returns the manifest's digest.

        `reuse`: parts that are taken over from an earlier snapshot as they are (name -> (digest, size), from `part_digests`). Of a part
        that is a layer over one that is stored, only what is different is written.
        Raises StorageError, and then nothing has changed for readers.
        """
        with self.updating(lock_seconds), self._said("written to"):
            listed: dict[str, list[Any]] = {}
            for name, (digest, size) in (reuse or {}).items():
                if name in parts:
                    continue
                if self._size_of(digest) != size:
                    raise SnapshotDamaged(f"Part {name} of the index in {self.home} is gone: the index has to be built anew.")
                listed[name] = [digest, size]
            away, self._away = self._away, {}
            for name in sorted(parts):
                layer = parts.layer(name) if isinstance(parts, Parts) else None
                if layer is not None and layer.stored is not None and self._size_of(layer.stored[0]) == layer.stored[1]:
                    listed[name] = list(layer.stored)
                    listed[name + SINCE] = list(self._store_part(layer.since))
                elif name in away and away[name][0] is parts[name] and self._size_of(away[name][1]) == away[name][2]:
                    listed[name] = list(away[name][1:])
                else:
                    listed[name] = list(self._store_part(parts[name]))
            _flush_folder(self.home / "parts")
            manifest = {"schema": SCHEMA, "engine": self.engine, "commit": commit, "parts": listed}
            data = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
            digest = digest_of(data)
            self._place(data, self.home / "manifests" / digest)
            self._place(digest.encode() + b"\n", self._ref(repository_key, ref_name))
            return digest

    def put_away(self, name: str, columns: Columns) -> Columns:
        """A part that will be published, written now and mapped from the disk, where it takes no memory of ours; as it is where that can't
        be done. `collect` deletes it where it is never published."""
        try:
            with self.updating():
                digest, size = self._store_part(columns)
            away = columns_of(map_segment(self.home / "parts" / digest, size), name)
            self._away[name] = (away, digest, size)
            return away
        except (OSError, StorageError):
            return columns

    def open(self, repository_key: str, ref_name: str) -> Snapshot | None:
        """The snapshot that `ref_name` points at; None when there is none, or an other version of the engine made it.

        Maps every part at once, so that what is open survives `collect`; reads the header of a part when it is first used.
        Raises SnapshotDamaged when a file is missing, cut short or not what its name says.
        """
        # A ref may move, and what it pointed at be collected, between reading the ref and opening the files: begin again.
        for attempt in range(OPEN_ATTEMPTS):
            digest = self._read_ref(self._ref(repository_key, ref_name))
            if digest is None:
                return None
            try:
                return self._open_manifest(digest)
            except FileNotFoundError as error:
                if attempt == OPEN_ATTEMPTS - 1 or self._read_ref(self._ref(repository_key, ref_name)) == digest:
                    raise SnapshotDamaged(f"{error.filename} is missing from the index: the index has to be built anew.") from error
            except OSError as error:
                raise StorageError(f"The index in {self.home} can't be read: {_reason(error)}.") from error
        raise AssertionError("unreachable")

    def part_digests(self, repository_key: str, ref_name: str) -> dict[str, tuple[str, int]]:
        """Part name -> (digest, size) of what `ref_name` points at, for `publish(reuse=...)`; empty when there is none."""
        digest = self._read_ref(self._ref(repository_key, ref_name))
        if digest is None:
            return {}
        try:
            manifest = self._manifest(digest)
        except FileNotFoundError:
            return {}
        return {} if manifest is None else {name: (str(part), int(size)) for name, (part, size) in manifest["parts"].items()}

    def manifest_of(self, repository_key: str, ref_name: str) -> bytes | None:
        """The manifest that `ref_name` points at, as it is stored; None when there is none. For another store to take over."""
        digest = self._read_ref(self._ref(repository_key, ref_name))
        if digest is None or self._manifest(digest) is None:
            return None
        return (self.home / "manifests" / digest).read_bytes()

    def part_bytes(self, digest: str, size: int) -> mmap.mmap:
        """A part as it is stored. Raises SnapshotDamaged, FileNotFoundError."""
        return map_segment(self.home / "parts" / digest, size)

    def adopt(self, repository_key: str, ref_name: str, manifest: bytes, part: Callable[[str, int], bytes]) -> None:
        """A manifest from another store, and a function that gets a part by digest and size -> published here as it is there.

        Raises SnapshotDamaged when the manifest makes no sense, and whatever `part` raises; then nothing has changed for readers.
        """
        try:
            listed = [(str(digest), int(size)) for digest, size in json.loads(manifest)["parts"].values()]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SnapshotDamaged("A manifest from another store can't be read: the index has to be built anew.") from error
        if not all(_DIGEST.fullmatch(digest) for digest, _ in listed):
            raise SnapshotDamaged("A manifest from another store names files that are none: the index has to be built anew.")
        with self.updating(), self._said("written to"):
            for digest, size in listed:
                if self._size_of(digest) != size:
                    self._place(part(digest, size), self.home / "parts" / digest)
            self._place(manifest, self.home / "manifests" / digest_of(manifest))
            self._place(digest_of(manifest).encode() + b"\n", self._ref(repository_key, ref_name))

    def has(self, repository_key: str, ref_name: str) -> bool:
        """Whether there is such a ref, whatever it points at."""
        return self._ref(repository_key, ref_name).is_file()

    def refs(self, repository_key: str) -> dict[str, str]:
        """Ref name -> manifest digest, sorted by name."""
        folder = self.home / "refs" / file_name(repository_key)
        found = {}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for path in sorted(folder.iterdir()):
                digest = self._read_ref(path)
                if digest is not None:
                    found[urllib.parse.unquote(path.name)] = digest
        return found

    def forget(self, repository_key: str, ref_name: str) -> bool:
        """Removes the ref; its files go with the next `collect`. False when there was none."""
        with self.updating(), self._said("written to"):
            try:
                self._ref(repository_key, ref_name).unlink()
            except FileNotFoundError:
                return False
            return True

    def verify(self, repository_key: str, ref_name: str) -> None:
        """Reads every byte of the snapshot and compares it with its digest. Raises SnapshotDamaged; says nothing when all is well."""
        for name, (digest, size) in self.part_digests(repository_key, ref_name).items():
            path = self.home / "parts" / digest
            try:
                data = map_segment(path, size)
            except FileNotFoundError as error:
                raise SnapshotDamaged(f"Part {name} ({path}) is missing: the index has to be built anew.") from error
            if digest_of(memoryview(data)) != digest:
                raise SnapshotDamaged(f"Part {name} ({path}) has changed on the disk: the index has to be built anew.")

    def collect(self) -> int:
        """Deletes manifests that no ref names, but for the newest few, then parts that no manifest names, then waste; returns how
        many files went. Readers keep what they have open."""
        with self.updating(), self._said("written to"):
            named = {digest for path in self._files("refs/*/*") if (digest := self._read_ref(path))}
            manifests = sorted(self._files("manifests/*"), key=lambda path: (-path.stat().st_mtime_ns, path.name))
            kept = {path.name for path in manifests[: self.keep_manifests]} | named
            parts: set[str] = set()
            for path in manifests:
                if path.name in kept:
                    # A manifest that can't be read keeps nothing: opening it fails anyway.
                    with contextlib.suppress(StorageError, ValueError, KeyError):
                        parts.update(digest for digest, _ in json.loads(path.read_bytes())["parts"].values())
            gone = 0
            for path in (*manifests, *self._files("parts/*"), *self._files("tmp/*")):
                if path.name not in (kept if path.parent.name == "manifests" else parts):
                    path.unlink(missing_ok=True)
                    gone += 1
            return gone

    @contextlib.contextmanager
    def updating(self, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        """Holds the writer lock; may be nested. The system drops it when the process dies. Raises StorageError after `timeout` seconds."""
        if not self._threads.acquire(timeout=timeout):
            raise self._busy(timeout)
        try:
            self._held += 1
            if self._held > 1:
                yield
                return
            with self._said("written to"):
                self.home.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds the text of what was indexed
                for folder in ("parts", "manifests", "refs", "tmp"):
                    (self.home / folder).mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self.home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                self._wait_for(descriptor, timeout)
                # We alone write now, so whatever lies in tmp was left by a writer that died.
                with contextlib.suppress(OSError):
                    for path in self._files("tmp/*"):
                        path.unlink(missing_ok=True)
                yield
            finally:
                os.close(descriptor)
        finally:
            self._held -= 1
            self._threads.release()

    def _busy(self, timeout: float) -> StorageError:
        return StorageError(
            f"Another update of the index in {self.home} has been running for more than {timeout:g} s: "
            "wait until it ends, or end it, and try again."
        )

    def _wait_for(self, descriptor: int, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise self._busy(timeout) from None
                time.sleep(_POLL_SECONDS)

    def _open_manifest(self, digest: str) -> Snapshot | None:
        manifest = self._manifest(digest)
        if manifest is None:
            return None
        folder = self.home / "parts"
        stored = {name: (str(part), int(size)) for name, (part, size) in manifest["parts"].items()}
        mapped = {name: (map_segment(folder / part, size), str(folder / part)) for name, (part, size) in stored.items()}
        return Snapshot(commit=manifest["commit"], parts=_parts_of(_Mapped(mapped), stored))

    def _manifest(self, digest: str) -> dict[str, Any] | None:
        """The manifest, checked against its digest; None when another version wrote it. Raises FileNotFoundError."""
        with (self.home / "manifests" / digest).open("rb") as file:
            data = file.read(_MAX_MANIFEST)
        if digest_of(data) != digest:
            raise SnapshotDamaged(f"Manifest {digest[:12]} of the index in {self.home} has changed on the disk: it has to be built anew.")
        manifest: dict[str, Any] = json.loads(data)  # as we wrote it: the digest says so
        return manifest if (manifest.get("schema"), manifest.get("engine")) == (SCHEMA, self.engine) else None

    def _store_part(self, columns: Columns) -> tuple[str, int]:
        temporary = self.home / "tmp" / f"part-{os.getpid()}"
        blocks = segment_blocks(columns)
        digest = segment_digest(blocks)
        target = self.home / "parts" / digest
        # Compared, not only found: a part that was damaged on the disk is replaced here.
        size = is_written(target, blocks)
        if size is not None:
            return digest, size
        try:
            size = write_segment(temporary, blocks)
            os.replace(temporary, target)
            return digest, size
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise

    def _size_of(self, digest: str) -> int:
        try:
            return (self.home / "parts" / digest).stat().st_size
        except FileNotFoundError:
            return -1

    def _place(self, data: bytes, target: Path) -> None:
        """Writes the file whole or not at all."""
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.home / "tmp" / f"name-{os.getpid()}"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _flush_folder(target.parent)

    def _ref(self, repository_key: str, ref_name: str) -> Path:
        return self.home / "refs" / file_name(repository_key) / file_name(ref_name)

    def _read_ref(self, path: Path) -> str | None:
        try:
            with path.open("rb") as file:
                text = file.read(100).strip().decode("ascii", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StorageError(f"The index in {self.home} can't be read: {_reason(error)}.") from error
        if not _DIGEST.fullmatch(text):
            raise SnapshotDamaged(f"{path} does not name a snapshot: the index has to be built anew.")
        return text

    def _files(self, pattern: str) -> list[Path]:
        return [path for path in sorted(self.home.glob(pattern)) if path.is_file()]

    @contextlib.contextmanager
    def _said(self, done: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"The index could not be {done} {self.home}: {_reason(error)}. Nothing was changed; make room or choose another folder."
            ) from error


class _Mapped(Mapping[str, Columns]):
    """Part name -> its columns as they are on the disk, the header read at first use."""

    def __init__(self, mapped: Mapping[str, tuple[mmap.mmap, str]]) -> None:
        self._mapped = mapped

    def __getitem__(self, name: str) -> Columns:
        return columns_of(*self._mapped[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapped)

    def __len__(self) -> int:
        return len(self._mapped)


def _parts_of(mapped: Mapping[str, Columns], stored: Mapping[str, Stored]) -> Parts:
    def layer(name: str) -> Layer:
        return Layer(mapped[name], mapped[name + SINCE], stored[name])

    layers = {name: functools.partial(layer, name) for one in stored if (name := one.removesuffix(SINCE)) != one and name in stored}
    later = {name: functools.partial(mapped.__getitem__, name) for name in stored if name not in layers and not name.endswith(SINCE)}
    return Parts({}, layers, later, {name: its for name, its in stored.items() if name in later})


def part_digest(columns: Columns) -> str:
    """The name a part would be stored under."""
    return segment_digest(segment_blocks(columns))


def file_name(name: str) -> str:
    """Any text -> one file name: readable its digest where the system would refuse it. Never empty, "." or ".."."""
    quoted = urllib.parse.quote(name, safe="", errors="surrogatepass")
    if not quoted.strip("."):
        quoted = quoted.replace(".", "%2E") or "%00"
    return quoted if len(quoted) <= 200 else digest_of(name.encode("utf-8", "surrogatepass"))


def _reason(error: OSError) -> str:
    return REASONS.get(error.errno or 0, error.strerror or str(error))


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
