"""Snapshots <-> an object store that many machines share; each machine's own folder is the cache before it.

    parts/<blake2b>                          as in the folder, by content: what two commits have in common is stored once
    manifests/<blake2b>
    refs/<engine>/<repository>/<name>        the digest of a manifest; versions of the engine do not see each other's
    recent/<engine>/<repository>             JSON: names, the one used last first; a hint where to start from

A commit has one snapshot, whoever makes it, so two writers of the same name write the same bytes and need no lock. Parts are written
before the manifest and the manifest before the ref: a reader sees all of a snapshot or none. What is read is checked against its digest
before it enters the folder, because a bucket may be written by others.
"""

from __future__ import annotations

import contextlib
import json
import re
import urllib.parse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from index.errors import SnapshotDamaged, StorageError
from index.storage.segments import digest_of
from index.storage.snapshots import SnapshotStore, file_name

if TYPE_CHECKING:
    from obstore.store import ObjectStore

RECENT = 8  # names kept as hints per repository
GRACE = timedelta(hours=6)  # what nothing names is left alone for so long: its writer may not have come to the ref yet
RETRIES = 4
MAX_MANIFEST = 1 << 20
_DIGEST = re.compile(rb"[0-9a-f]{64}")


class RemoteStore:
    """`url`: s3://bucket/prefix, gs://…, az://…, or file:///folder. Credentials and endpoints come from where the cloud's own tools
    take them: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, AWS_ALLOW_HTTP and so on."""

    def __init__(self, url: str, engine: str = "1") -> None:
        self.engine = engine
        self.shown = _without_credentials(url)
        self._store = _opened(url, self.shown)

    def push(self, local: SnapshotStore, repository_key: str, ref_name: str) -> int:
        """A snapshot of the folder -> the store; returns how many parts had to be sent. Raises StorageError."""
        manifest = local.manifest_of(repository_key, ref_name)
        if manifest is None:
            return 0
        sent = 0
        with self._said("written to"):
            for digest, size in json.loads(manifest)["parts"].values():
                if self._size(f"parts/{digest}") != size:
                    self._put(f"parts/{digest}", bytes(local.part_bytes(digest, size)))
                    sent += 1
            digest = digest_of(manifest)
            self._put(f"manifests/{digest}", manifest)
            self._put(self._ref(repository_key, ref_name), digest.encode())
            names = [ref_name, *(name for name in self.recent(repository_key) if name != ref_name)][:RECENT]
            self._put(self._recent(repository_key), json.dumps(names).encode())
        return sent

    def pull(self, local: SnapshotStore, repository_key: str, ref_name: str) -> bool:
        """The store -> the folder; False where the store has no such snapshot. Parts that the folder has are not fetched again.

        Raises StorageError; SnapshotDamaged when something is missing or not what its name says, and then the folder is as it was."""
        with self._said("read from"):
            digest = self._get(self._ref(repository_key, ref_name), 100)
            if digest is None:
                return False
            if not _DIGEST.fullmatch(digest):
                raise SnapshotDamaged(f"{self.shown} has a name that leads nowhere: {ref_name[:10]} has to be indexed anew.")
            manifest = self._get(f"manifests/{digest.decode()}", MAX_MANIFEST)
            if manifest is None or digest_of(manifest) != digest.decode():
                raise SnapshotDamaged(f"The snapshot of {ref_name[:10]} in {self.shown} is damaged: it has to be made anew.")
            local.adopt(repository_key, ref_name, manifest, self._part)
        return True

    def recent(self, repository_key: str) -> list[str]:
        """Names of a repository's snapshots, the one used last first; none where that is not known."""
        with self._said("read from"):
            data = self._get(self._recent(repository_key), 10_000)
        try:
            names = json.loads(data or b"[]")
        except ValueError:
            return []
        return [name for name in names if isinstance(name, str)][:RECENT] if isinstance(names, list) else []

    def forget(self, repository_key: str) -> int:
        """Removes every name of a repository, of all versions of the engine; its parts go with the next `collect`. Returns how many."""
        own = file_name(repository_key)
        with self._said("written to"):
            paths = [path for path, _, _ in self._list("refs/") if path.split("/")[2:3] == [own]]
            paths += [path for path, _, _ in self._list("recent/") if path.split("/")[2:] == [own]]
            self._delete(paths)
        return len(paths)

    def collect(self, now: datetime, keep: Callable[[str, datetime], bool] = lambda _, __: True) -> int:
        """Deletes refs that `keep` (key of the repository, when it was written) refuses, then what nothing names; returns how many objects
        went."""
        with self._said("written to"):
            refs = list(self._list("refs/"))
            gone = [path for path, _, written in refs if not keep(urllib.parse.unquote(path.split("/")[2]), written)]
            left = {path for path, _, _ in refs} - set(gone)
            in_use, old = {tuple(path.split("/")[1:3]) for path in left}, now - GRACE
            gone += [path for path, _, written in self._list("recent/") if tuple(path.split("/")[1:]) not in in_use and written < old]
            self._delete(gone)
            named = {(self._get(path, 100) or b"").decode("ascii", "replace") for path in sorted(left)}
            manifests = {path.rsplit("/", 1)[1]: written for path, _, written in self._list("manifests/")}
            unnamed = [digest for digest, written in manifests.items() if digest not in named and written < old]
            parts: set[str] = set()
            for digest in sorted(manifests.keys() - set(unnamed)):
                with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                    parts.update(part for part, _ in json.loads(self._get(f"manifests/{digest}", MAX_MANIFEST) or b"{}")["parts"].values())
            waste = [path for path, _, written in self._list("parts/") if path.rsplit("/", 1)[1] not in parts and written < old]
            waste += [f"manifests/{digest}" for digest in unnamed]
            self._delete(waste)
        return len(gone) + len(waste)

    # one object

    def _part(self, digest: str, size: int) -> bytes:
        data = self._get(f"parts/{digest}", size)
        if data is None or len(data) != size or digest_of(data) != digest:
            raise SnapshotDamaged(f"Part {digest[:12]} in {self.shown} is missing or damaged: the snapshot has to be made anew.")
        return data

    def _get(self, path: str, most: int) -> bytes | None:
        """An object's bytes; None where there is none, or more than `most`."""
        import obstore

        try:
            found = obstore.get(self._store, path)
        except FileNotFoundError:
            return None
        return bytes(found.bytes()) if found.meta["size"] <= most else None

    def _put(self, path: str, data: bytes) -> None:
        import obstore

        obstore.put(self._store, path, data)

    def _size(self, path: str) -> int:
        import obstore

        try:
            return int(obstore.head(self._store, path)["size"])
        except FileNotFoundError:
            return -1

    def _list(self, prefix: str) -> Iterator[tuple[str, int, datetime]]:
        import obstore

        for some in obstore.list(self._store, prefix):
            for one in some:
                yield one["path"], int(one["size"]), one["last_modified"].astimezone(UTC)

    def _delete(self, paths: list[str]) -> None:
        import obstore

        if paths:
            obstore.delete(self._store, sorted(paths))

    def _ref(self, repository_key: str, ref_name: str) -> str:
        return f"refs/{file_name(self.engine)}/{file_name(repository_key)}/{file_name(ref_name)}"

    def _recent(self, repository_key: str) -> str:
        return f"recent/{file_name(self.engine)}/{file_name(repository_key)}"

    @contextlib.contextmanager
    def _said(self, done: str) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError) as error:
            kind = type(error).__name__  # its message may hold a signed address
            what_to_do = "check its address, credentials and network"
            raise StorageError(f"The store {self.shown} could not be {done} ({kind}): {what_to_do}.") from None


def _opened(url: str, shown: str) -> ObjectStore:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ImportError:
        raise StorageError(f"To use {shown}, the package obstore is needed: install maguyva[s3].") from None
    options: dict[str, Any] = {"retry_config": {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=60)}}
    if url.startswith("file:"):
        options = {"mkdir": True}
    try:
        return from_url(url, **options)
    except (BaseError, ValueError) as error:
        raise StorageError(f"{shown} is no store that can be opened ({type(error).__name__}): s3://bucket/prefix is one.") from None


def _without_credentials(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
