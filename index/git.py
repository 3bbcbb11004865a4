"""A clone on this machine and a revision -> files, bytes, changes and history, by asking the git program.

Nothing of the clone is ever executed. A clone's own configuration can name programs (fsmonitor, filters, hooks, external
diffs, ssh commands, includes of other files), and `git status` on a stranger's clone runs them. So git never works *in* the
clone here: it works in an empty repository of our own, in a temporary folder, that only borrows the clone's objects
(GIT_ALTERNATE_OBJECT_DIRECTORIES) and, for the working tree, a copy of its index. Of the clone's configuration, a fixed list
of harmless values (`INHERITED`) is copied. Two commands look at the clone itself, `rev-parse` and `for-each-ref`,
because only git knows every way refs are stored; they start no program, and hooks, fsmonitor and every transport are switched off.

The same arrangement makes a clone that another user owns readable: git's ownership check (`safe.directory`) exists because
of what configuration can execute. It also means that objects missing from a partial clone are never fetched.

The working tree becomes a tree object like any other: changed and untracked files are read by us (never through a link),
written as blobs into our own repository, and from there on every function takes that tree's id like a commit's.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import hashlib
import os
import re
import select
import shutil
import stat
import subprocess
import tempfile
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NoReturn

from index.errors import NoMergeBase, NotARepository, RepositoryError, RepositoryTooLarge, UnknownRevision
from index.files.diff import Spans, parse_raw, spans_by_blobs
from index.files.paths import shown
from index.types import FileChange, TreeEntry

OLDEST_GIT = (2, 30)  # rev-parse --end-of-options
MOST_FILES = 200_000
MOST_PATH_BYTES = 64 << 20  # of all paths together: a tree bomb has few objects and any number of long paths
FEW_BLOBS = 200  # that are read along with their sizes
MOST_AHEAD = 16 << 20  # bytes of these
LARGEST_BLOB = 1 << 20  # what `blobs` hands out unless told otherwise; the largest hand-written file of our corpora has 0.9 MB
LARGEST_DIFFED = 8 << 20  # larger files are compared by id only
MOST_PATCH_BYTES = 256 << 20
MOST_AUTHORS = 2_000  # commits of one change whose authors are read
MOST_WRITTEN = 10_000  # bytes of the message of a commit that are read
MOST_IGNORED = 1 << 20  # bytes of a list of commits that no blame is put on
BLAME_SECONDS = 10.0  # who wrote a line is good to know and not worth more
MOST_ARGUMENT_BYTES = 1 << 20  # half of what Linux lets a command line have
RENAME_CANDIDATES = 1_000  # git's own default since 2.34: more than this and only exact renames are found
SECONDS = 120.0  # how long git may be silent while we wait for it

REGULAR, EXECUTABLE, SYMLINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000

# The only keys of a clone's configuration that reach our commands: how its files are to be read, never what is to be run.
INHERITED = (
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.autocrlf",
    "core.eol",
    "core.trustctime",
    "core.checkstat",
)

# For the one command that reads the clone's own configuration.
SWITCHED_OFF = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.pager=cat",
    "credential.helper=",
    "protocol.allow=never",
    "advice.objectNameWarning=false",
)

# What git says when it cannot go on -> what we say. First row that matches wins; {path} is the clone.
FAILURES: tuple[tuple[str, str, str], ...] = (
    #  pattern, what we say, an example that only this row answers
    (
        r"permission denied",
        "{path} cannot be read: permission denied. Run as a user who may read it.",
        'error: open(".git/objects/12/34"): Permission denied',
    ),
    (
        r"unknown repository extension|repo version|unknown ref storage",
        "{path} needs a newer git than the one here.",
        "fatal: unknown repository extension found:\n\trefstorage",
    ),
    (
        r"bad (boolean |numeric )?config|invalid key",
        "The git configuration of {path} cannot be read: correct its `config` file.",
        "fatal: bad config line 1 in file .git/config",
    ),
    (
        r"corrupt|inflate|unable to (unpack|parse)|hash mismatch|bad (tree|object|index|signature)|garbage|too-short|malformed|index file",
        "{path} has damaged objects: run `git fsck` there, or clone it anew.",
        "error: inflate: data stream error (incorrect header check)",
    ),
    (
        r"unable to read|missing|could not read|not a tree object|not found",
        "{path} lacks objects that this needs (a partial or damaged clone): fetch them with `git fetch --refetch`, or clone it anew.",
        "fatal: unable to read tree 1234",
    ),
)
_FAILURES = tuple((re.compile(pattern, re.IGNORECASE), message) for pattern, message, _ in FAILURES)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit of the history, and the paths it touched compared with its first parent. A rename is its two paths."""

    commit: str
    time: int  # seconds since the epoch, of the committer
    paths: tuple[bytes, ...]
    message: str = ""  # only where it was asked for, and with it
    moved: tuple[tuple[bytes, bytes], ...] = ()  # the two paths of a file that was moved as it was


@dataclass(frozen=True, slots=True)
class Ends:
    """The two sides of a comparison: what to compare, and what people call them."""

    base: str  # a commit id
    head: str  # a commit id, or the id of the tree that holds the working tree
    base_name: str
    head_name: str  # "working tree" where it is that


class Repository:
    """A clone, open for reading. Use it with `with`, or let it go: its temporary folder goes with it.
    Every id it takes or gives is a full object id in lower-case hex (40 digits, 64 in a SHA-256 repository)."""

    def __init__(self, git_dir: Path, common_dir: Path, top: Path | None) -> None:
        self.git_dir = git_dir  # of this working tree
        self.common_dir = common_dir  # shared by all working trees of the clone
        self.top = top  # the working tree; None: bare
        self._program = _git_program()
        self._folder = tempfile.TemporaryDirectory(prefix="maguyva-git-", ignore_cleanup_errors=True)
        self._own = Path(self._folder.name)
        self._ahead: dict[str, bytes] = {}  # blobs that were read before anybody asked for them, see `_read_ahead`
        self._unread: dict[str, int] = {}  # placeholder blobs of files too large to read -> the file's size
        self._ignored_at: dict[str, list[str]] = {}  # of the commit that was asked for last
        self._set_up()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Repository:
        """Any path in a clone, a worktree or a bare repository -> the repository. Raises NotARepository, RepositoryError."""
        start = Path(os.path.abspath(path))
        try:
            found = _discover(start)
            if found is None:
                raise NotARepository(_shown_path(start))
            repository = cls(*found)
        except PermissionError as error:
            raise RepositoryError(f"{_shown_path(start)} cannot be read: permission denied. Run as a user who may read it.") from error
        except OSError as error:
            raise RepositoryError(f"{_shown_path(start)} cannot be read: {error.strerror or error}.") from error
        return repository

    def close(self) -> None:
        """Removes the temporary folder. Nothing can be asked any more."""
        self._folder.cleanup()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- what it is

    @property
    def identity(self) -> str:
        """32 hex digits that stay the same for this clone and all its worktrees, for as long as it stays where it is."""
        return hashlib.blake2b(os.fsencode(os.path.realpath(self.common_dir)), digest_size=16).hexdigest()

    @property
    def name(self) -> str:
        """What people call the clone: the folder it is in."""
        place = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
        return _shown_path(Path(place.name)).removesuffix(".git") or "repository"

    @property
    def is_bare(self) -> bool:
        return self.top is None

    @property
    def is_shallow(self) -> bool:
        with contextlib.suppress(OSError):
            return (self.common_dir / "shallow").stat().st_size > 0
        return False

    # ---- revisions

    def resolve(self, revision: str) -> str:
        """Any way git has to name a commit -> its id; "" -> the id of a tree that holds the working tree as it is now.
        Raises UnknownRevision, RepositoryError."""
        if revision == "":
            return self._write_working_tree(MOST_FILES)
        found = self._rev_parse(f"{revision}^{{commit}}")
        if found is None:
            raise UnknownRevision(_shown_name(revision), self._hint(revision))
        return found

    def default_branch(self) -> str:
        """The name of the branch that others start from: what origin says, main or master. Raises UnknownRevision."""
        names = ["origin/HEAD", "main", "origin/main", "master", "origin/master"]
        if self.is_bare:
            names.append("HEAD")
        for name in names:
            if self._rev_parse(f"{name}^{{commit}}") is not None:
                return name
        raise UnknownRevision("origin/HEAD, main or master", ", so the default branch is not known: name the base")

    def merge_base(self, base: str, head: str) -> str:
        """Two revisions ("" as head: the working tree, which stands on HEAD) -> the id of the commit where they part.
        Raises NoMergeBase, UnknownRevision, RepositoryError."""
        ours, theirs = self.resolve(base), self.resolve(head or "HEAD")
        done = self._run("merge-base", ours, theirs, accept=(0, 1))
        if not done.strip():
            raise NoMergeBase(_shown_name(base), _shown_name(head or "HEAD"), self.is_shallow)
        return done.split()[0].decode()

    def ends(self, compared: str = "") -> Ends:
        """What people write -> the two sides. `A...B`: from where they part to B. `A..B`: the two trees. Without B, or as `A` alone: to the
        working tree; without A: from the default branch. Raises UnknownRevision, NoMergeBase, RepositoryError."""
        base, dots, head = (compared, "...", "") if ".." not in compared else _RANGE.fullmatch(compared).groups()  # type: ignore[union-attr]
        base = base or self.default_branch()
        if not head and self.is_bare:
            raise self._no_files()
        start = self.resolve(base) if dots == ".." else self.merge_base(base, head)
        return Ends(start, self.resolve(head), _shown_name(base), _shown_name(head) or "working tree")

    # ---- files

    def tree(self, commit: str, limit: int = MOST_FILES) -> list[TreeEntry]:
        """A commit or tree id -> all its files, sorted bytewise by path. `size` is -1 where the blob is not in this (partial) clone.
        Symlinks and submodules are listed by mode; their size is that of the link, and 0. Raises RepositoryTooLarge, RepositoryError."""
        found: list[TreeEntry] = []
        paths = 0
        for record in self._records(["ls-tree", "-r", "-l", "-z", "--full-tree", _checked(commit)]):
            facts, _, path = record.partition(b"\t")
            mode, _, blob, size = facts.split()
            blob_id = blob.decode()
            found.append(TreeEntry(path, blob_id, self._unread.get(blob_id, _size(size)), _mode(int(mode, 8))))
            paths += len(path)
            if len(found) > limit or paths > MOST_PATH_BYTES:
                raise self._too_large(limit)
        found.sort(key=lambda entry: entry.path)  # as git has them already, but for trees that git itself would refuse
        return [entry for entry, before in zip(found, [None, *found], strict=False) if before is None or before.path != entry.path]

    def tree_since(self, old: str, new: str) -> tuple[frozenset[bytes], list[TreeEntry]] | None:
        """Two commit or tree ids -> paths that only the first has, and the files of the second that are new or changed there, in no order
        that means anything. None where `tree` has to be asked instead: `old` is not in this clone, or contents are missing from it."""
        try:
            listed = parse_raw(self._run("diff-tree", "-r", "--no-renames", "--raw", "-z", "--no-abbrev", _checked(old), _checked(new)))
        except RepositoryError:
            return None
        gone = frozenset(change.old_path for change in listed if change.old_path is not None and change.new_path is None)
        named = [change.new_path or change.old_path for change in listed]
        if len(set(named)) < len(named):  # a tree that git itself would refuse has one name twice
            return None
        ids = sorted({change.new_blob for change in listed if change.new_path is not None and change.new_mode != SUBMODULE})
        sizes = self._read_ahead(ids) if 0 < len(ids) <= FEW_BLOBS else self._sizes(ids)
        if sizes is None:
            return None
        found = [
            TreeEntry(change.new_path, change.new_blob, self._unread.get(change.new_blob, sizes.get(change.new_blob, 0)), change.new_mode)
            for change in listed
            if change.new_path is not None
        ]
        return gone, found

    def _sizes(self, ids: Sequence[str]) -> dict[str, int] | None:
        """None where one is missing."""
        sizes: dict[str, int] = {}
        if ids:
            told = self._run("cat-file", "--batch-check=%(objectname) %(objectsize)", given="\n".join([*ids, ""]).encode())
            for line in told.splitlines():
                blob, _, size = line.decode().partition(" ")
                if not size.isdecimal():
                    return None
                sizes[blob] = int(size)
        return sizes

    def _read_ahead(self, ids: Sequence[str]) -> dict[str, int] | None:
        """The same of a few, whose bytes are kept for `blobs`, which is asked for them next: a process of git takes longer to begin than to
        read them."""
        sizes: dict[str, int] = {}
        ahead: dict[str, bytes] = {}
        held = 0
        child = self._start(["cat-file", "--batch", "--buffer"], given="\n".join([*ids, ""]).encode())
        try:
            for name in ids:
                fields = child.line().split()
                if len(fields) != 3:
                    return None
                size = sizes[name] = int(fields[2])
                if fields[1] != b"blob" or name in self._unread or size > LARGEST_BLOB or held + size > MOST_AHEAD:
                    child.pass_over(size + 1)
                    continue
                content = child.read(size + 1)
                if len(content) != size + 1:
                    return None
                ahead[name] = content[:-1]
                held += size
        finally:
            child.end()
        self._ahead = ahead
        return sizes

    def working_tree(self, limit: int = MOST_FILES) -> list[TreeEntry]:
        """The files on disk as they are now, tracked or not, but for ignored ones, sorted bytewise by path.
        `blob` is the id that the file would have; `blobs` hands out its content as it was at this moment. A submodule is listed
        with the commit that the index has. Filters (LFS) are never run: a changed file that needs one is taken as it is on disk."""
        return self.tree(self._write_working_tree(limit), limit)

    def read_file(self, commit: str, path: bytes, limit: int = LARGEST_DIFFED) -> bytes | None:
        """A commit or tree id and a path -> the file's bytes; None where there is no such file, or where it is larger than `limit`."""
        name = b"%s:%s" % (_checked(commit).encode(), path)
        if not path or b"\0" in path or self._run("cat-file", "-t", os.fsdecode(name), accept=(0, 128)).strip() != b"blob":
            return None
        if int(self._run("cat-file", "-s", os.fsdecode(name))) > limit:
            return None
        return self._run("cat-file", "blob", os.fsdecode(name))

    def blobs(self, ids: Iterable[str], limit: int = LARGEST_BLOB) -> Iterator[tuple[str, bytes | None]]:
        """Blob ids -> (id, bytes) in the order asked, by one `git cat-file --batch` however many there are. None instead of the
        bytes where the blob is larger than `limit` (it is passed over, never held) or is not in this clone: `TreeEntry.size` tells which.
        Raises RepositoryError for damaged objects."""
        asked = [_checked(name) for name in ids]
        if not asked:
            return
        ahead, self._ahead = self._ahead, {}
        if all(name in ahead for name in asked):
            for name in asked:
                yield name, ahead[name] if len(ahead[name]) <= limit else None
            return
        child = self._start(["cat-file", "--batch", "--buffer"], given="\n".join([*asked, ""]).encode())
        missing = False
        try:
            for name in asked:
                fields = child.line().split()
                if len(fields) == 2:  # "ID missing"
                    missing = True
                    yield name, None
                    continue
                if len(fields) != 3:
                    break
                size = int(fields[2])
                if size > limit or name in self._unread or fields[1] != b"blob":
                    child.pass_over(size + 1)
                    yield name, None
                    continue
                content = child.read(size + 1)
                if len(content) != size + 1:
                    break
                yield name, content[:-1]
            else:
                # git says "missing" of a damaged object too, and only its errors tell them apart
                if not missing or not (errors := child.finish()):
                    return
                self._fail("cat-file", errors)
            self._fail("cat-file", child.finish())
        finally:
            child.end()

    # ---- changes and history

    def changes(self, old: str, new: str) -> list[FileChange]:
        """Two commit or tree ids ("": the working tree) -> what differs, sorted by path, renames found, with the changed lines.
        Files over 8 MiB and binary ones are told as `binary`, without lines. Raises RepositoryTooLarge, RepositoryError."""
        trees = [_checked(old or self.resolve("")), _checked(new or self.resolve(""))]
        how = ["diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color"]
        unseen = self._changes_without_content([*how, *trees]) if self._is_partial() else []
        # Paths are named to git only to leave them out; with no positive one, it takes all others.
        others = ["--", *(f":(exclude,top,literal){os.fsdecode(_only_path(change))}" for change in unseen)] if unseen else []
        some = {"GIT_LITERAL_PATHSPECS": "0"}
        how += ["-M50%", f"-l{RENAME_CANDIDATES}"]
        listed = parse_raw(self._run(*how, "--raw", "-z", "--no-abbrev", *trees, *others, environment=some))
        patch = b""
        if listed:
            lines = ["-p", "-U0", "--full-index", "--diff-algorithm=histogram"]
            patch = self._run(*how, *lines, *trees, *others, environment=some, limit=MOST_PATCH_BYTES)
        spans = spans_by_blobs(patch)
        found = [*(_with_spans(change, spans) for change in listed), *unseen]
        found.sort(key=lambda change: (_only_path(change), change.old_path or b""))
        return found

    def _changes_without_content(self, how: list[str]) -> list[FileChange]:
        """The changes of a partial clone where a content to compare is not here: told as binary, so that the rest can be compared."""
        listed = parse_raw(self._run(*how, "--no-renames", "--raw", "-z", "--no-abbrev"))
        ids = sorted({blob for change in listed for blob in (change.old_blob, change.new_blob) if blob})
        if not ids:
            return []
        told = self._run("cat-file", "--batch-check", given="\n".join([*ids, ""]).encode()).split(b"\n")
        missing = {line.split()[0].decode() for line in told if line.endswith(b" missing")}
        found = [
            replace(change, binary=True)
            for change in listed
            if SUBMODULE not in (change.old_mode, change.new_mode) and not missing.isdisjoint((change.old_blob, change.new_blob))
        ]
        if sum(len(_only_path(change)) + 32 for change in found) > MOST_ARGUMENT_BYTES:
            self._fail("diff-tree", "missing")
        return found

    def _is_partial(self) -> bool:
        return any((self.common_dir / "objects" / "pack").glob("*.promisor"))

    def log(self, commit: str, limit: int = 2_000, *, merges: bool = False, messages: bool = False) -> Iterator[LogEntry]:
        """A commit id -> it and its ancestors, newest first, at most `limit`, each with the paths it changed. Merges are left out
        unless asked for, and so are the oldest commits of a shallow clone, which would seem to add every file. `messages`: with what was
        written of each, of which the first `MOST_WRITTEN` bytes are read, and the files that it moved."""
        said = " %B" if messages else ""
        how = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-color", f"--format=%x01%H %ct{said}", f"--max-count={limit}"]
        how += ["--encoding=UTF-8", "--no-notes", "--no-show-signature"] if messages else []
        how += ["--diff-merges=first-parent"] if merges else ["--no-merges"]
        oldest = self._cut_off()
        entry = ("", 0, "")
        longest = MOST_WRITTEN if messages else 0
        changes: list[tuple[bytes, bytes]] = []  # what git says of it, and its path
        change = b""

        def read() -> LogEntry:
            commit, time, message = entry
            return LogEntry(commit, time, tuple(path for _, path in changes), message, _moved(changes) if messages else ())

        for record in self._records([*how, _checked(commit)], longest=longest):
            if change:
                changes.append((change, record))
                change = b""
            elif record.startswith(b"\x01"):
                if entry[0] and entry[0] not in oldest:
                    yield read()
                name, _, rest = record[1:].partition(b" ")
                time, _, message = rest.partition(b" ")  # of a commit without a date that can be read, git tells none
                entry, changes = (name.decode(), int(time or 0), message.decode("utf-8", "replace").strip()), []
            elif record.lstrip(b"\n").startswith(b":"):
                change = record.lstrip(b"\n")
        if entry[0] and entry[0] not in oldest:
            yield read()

    def authors(self, base: str, head: str, limit: int = MOST_AUTHORS) -> list[tuple[str, str]]:
        """Two commit ids -> (name, address) of who wrote the commits that lead from the first to the second, each once, newest first."""
        how = ["log", "--no-color", f"--max-count={limit}", "--format=%aN%x00%aE%x00", "--no-show-signature"]
        out = self._run(*self._mailmap(head), *how, f"{_checked(base)}..{_checked(head)}")
        fields = out.decode("utf-8", "replace").split("\0")
        return list(dict.fromkeys((name.strip(), email.strip()) for name, email in zip(fields[::2], fields[1::2], strict=False)))

    def commit_under(self, head: str) -> str:
        """A commit id -> itself; the id of the working tree's tree -> the commit that it stands on."""
        kind = self._run("cat-file", "-t", _checked(head)).strip()
        return head if kind == b"commit" else self.resolve("HEAD")

    def time_of(self, commit: str) -> int:
        """Seconds since the epoch at which a commit was made."""
        return int(self._run("log", "--max-count=1", "--no-show-signature", "--format=%ct", _checked(commit)).strip() or 0)

    def blame(self, commit: str, path: bytes, spans: Sequence[tuple[int, int]], since: int) -> list[tuple[str, str, int]]:
        """Lines of a file at a commit -> (name, address, lines) of who last wrote them, most lines first. What is older than `since`
        (seconds since the epoch), or than a shallow clone knows, is nobody's. Changes of spaces alone do not count, nor do the commits
        that `.git-blame-ignore-revs` lists. Raises RepositoryError where an object that this needs is not in this clone."""
        how = ["blame", "--porcelain", "-w", "--root", "--no-progress", f"--since={since}"]
        if known := self._ignored(commit):
            (self._own / "ignored").write_text("\n".join([*known, ""]))
            how.append(f"--ignore-revs-file={self._own / 'ignored'}")
        how += [f"-L{first},{last}" for first, last in spans]
        out = self._run(*self._mailmap(commit), *how, _checked(commit), "--", os.fsdecode(path), patience=BLAME_SECONDS)
        return _blamed(out, self._cut_off())

    def _ignored(self, commit: str) -> list[str]:
        """The commits that a commit's `.git-blame-ignore-revs` lists. A report asks for the same ones with each file."""
        if commit not in self._ignored_at:
            data = self.read_file(commit, b".git-blame-ignore-revs", MOST_IGNORED) or b""
            names = [line.strip().decode("ascii", "ignore") for line in data.splitlines()]
            self._ignored_at = {commit: [name for name in names if _ID.fullmatch(name)]}
        return self._ignored_at[commit]

    def _mailmap(self, commit: str) -> tuple[str, str]:
        """So that `.mailmap` is that of the commit."""
        return "-c", f"mailmap.blob={commit}:.mailmap"

    def _cut_off(self) -> frozenset[str]:
        """The commits of a shallow clone whose parents are not here."""
        with contextlib.suppress(OSError):
            return frozenset((self.common_dir / "shallow").read_text("ascii", "replace").split())
        return frozenset()

    # ---- the working tree as a tree object

    def _write_working_tree(self, limit: int) -> str:
        """Index, changed and untracked files -> the id of a tree that we write into our own repository."""
        if self.top is None:
            raise self._no_files()
        own_index = self._own / "index"
        _copy_file(self.git_dir / "index", own_index)
        _copy_file(self.common_dir / "info" / "exclude", self._own / "info" / "exclude")
        for shared in self.git_dir.glob("sharedindex.*"):  # the other half of a split index
            _copy_file(shared, self._own / shared.name)
        on_disk = {"GIT_WORK_TREE": str(self.top), "GIT_INDEX_FILE": str(own_index)}
        listed = self._run("diff-files", "--raw", "-z", "--no-abbrev", "--ignore-submodules=all", environment=on_disk, cwd=self.top)
        tracked = {change.new_path or change.old_path or b"": change for change in parse_raw(listed)}
        untracked: list[bytes] = []
        ignore = f"core.excludesFile={_user_ignore_file(self._program)}"
        for path in self._records(["-c", ignore, "ls-files", "--others", "--exclude-standard", "-z"], environment=on_disk, cwd=self.top):
            if not path.endswith(b"/"):  # a repository inside this one
                untracked.append(path)
            if len(untracked) > limit:
                raise self._too_large(limit)
        files: dict[bytes, tuple[int, str]] = {}
        for record in self._records(["ls-files", "--stage", "-z"], environment=on_disk, cwd=self.top):
            facts, _, path = record.partition(b"\t")
            mode, blob, _ = facts.split()
            files[path] = int(mode, 8), blob.decode()
        top = os.open(self.top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for path in sorted({*tracked, *untracked}):
                entry = self._store_file(top, path, tracked.get(path))
                if entry is None:
                    files.pop(path, None)
                else:
                    files[path] = entry
        finally:
            os.close(top)
        return self._write_trees(files)

    def _write_trees(self, files: Mapping[bytes, tuple[int, str]]) -> str:
        """Path -> (mode, blob id) of every file -> the id of their tree. Trees that the clone has are not written again: `git write-tree`
        would write them all (2.5 s on Django), or touch the times of the clone's own files."""
        folders: dict[bytes, list[tuple[bytes, bytes]]] = {b"": []}  # folder -> (name to sort by, entry) of what is in it
        for path, (mode, blob) in files.items():
            folder, _, name = path.rpartition(b"/")
            if folder not in folders:
                parts = folder.split(b"/")
                for depth in range(len(parts)):
                    folders.setdefault(b"/".join(parts[: depth + 1]), [])
            folders[folder].append((name, b"%o %s\0%s" % (mode, name, bytes.fromhex(blob))))
        trees: dict[str, bytes] = {}
        tree = ""
        for folder in sorted(folders, key=lambda one: one.count(b"/") + bool(one), reverse=True):
            tree, raw = self._hashed(b"tree", b"".join(entry for _, entry in sorted(folders[folder])))
            trees[tree] = raw
            if folder:
                above, _, name = folder.rpartition(b"/")
                folders[above].append((name + b"/", b"40000 %s\0%s" % (name, bytes.fromhex(tree))))  # git sorts a folder as if it ended so
        told = self._run("cat-file", "--batch-check", given="\n".join([*trees, ""]).encode())
        for line in told.split(b"\n"):
            if line.endswith(b" missing"):
                new = line.split()[0].decode()
                self._write_object(new, trees[new])
        return tree

    def _store_file(self, top: int, path: bytes, tracked: FileChange | None) -> tuple[int, str] | None:
        """A file on disk -> its mode and the id of the blob we wrote for it; None where there is no file (any more).
        No link is followed on the way, so nothing outside the working tree is read."""
        *folders, name = path.split(b"/")
        folder = os.dup(top)
        try:
            for part in folders:
                deeper = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                os.close(folder)
                folder = deeper
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(facts.st_mode):
                return SYMLINK, self._write_blob(os.fsencode(os.readlink(name, dir_fd=folder)))
            if not stat.S_ISREG(facts.st_mode):
                return None
            mode = self._mode(facts.st_mode, tracked)
            if facts.st_size > LARGEST_DIFFED:
                return mode, self._write_placeholder(path, facts)
            try:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            except PermissionError:
                return mode, self._write_placeholder(path, facts)
            with open(file, "rb") as stream:
                content = stream.read(LARGEST_DIFFED + 1) if stat.S_ISREG(os.fstat(file).st_mode) else b""
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                return None
            raise RepositoryError(f"{shown(path)} cannot be read: {error.strerror}.") from error
        finally:
            os.close(folder)
        if tracked is not None and b"\r\n" in content:
            content = self._with_line_ends_of_git(path, content)
        return mode, self._write_blob(content)

    def _mode(self, mode: int, tracked: FileChange | None) -> int:
        """The mode git would give, where the clone says that its disk cannot hold executable bits or links."""
        if tracked is not None and tracked.old_mode:
            if self._inherited.get("core.symlinks") == "false" and tracked.old_mode == SYMLINK:
                return SYMLINK
            if self._inherited.get("core.filemode") == "false" and tracked.old_mode in (REGULAR, EXECUTABLE):
                return tracked.old_mode
        return EXECUTABLE if mode & stat.S_IXUSR else REGULAR

    def _with_line_ends_of_git(self, path: bytes, content: bytes) -> bytes:
        """Attributes can say that git stores \n where the disk has \r\n. git decides, without any filter; we convert."""
        on_disk = {"GIT_WORK_TREE": str(self.top), "GIT_INDEX_FILE": str(self._own / "index")}
        asked = self._run("hash-object", "--stdin", f"--path={os.fsdecode(path)}", environment=on_disk, cwd=self.top, given=content)
        converted = content.replace(b"\r\n", b"\n")
        return converted if asked.strip().decode() == self._hashed(b"blob", converted)[0] else content

    def _write_placeholder(self, path: bytes, facts: os.stat_result) -> str:
        """A file we did not read -> a blob that stands for it, and differs whenever the file does."""
        blob = self._write_blob(b"%s: %d bytes at %d, not read\n" % (path, facts.st_size, facts.st_mtime_ns))
        self._unread[blob] = facts.st_size
        return blob

    def _write_blob(self, content: bytes) -> str:
        blob, raw = self._hashed(b"blob", content)
        self._write_object(blob, raw)
        return blob

    def _write_object(self, name: str, raw: bytes) -> None:
        file = self._own / "objects" / name[:2] / name[2:]
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(raw, 1))

    def _hashed(self, kind: bytes, content: bytes) -> tuple[str, bytes]:
        """An object's content -> its id, and the bytes that the id is the hash of."""
        raw = b"%s %d\0%s" % (kind, len(content), content)
        return hashlib.new(self.object_format, raw, usedforsecurity=False).hexdigest(), raw

    # ---- the repository of our own

    def _set_up(self) -> None:
        for folder in ("objects", "refs", "info"):
            (self._own / folder).mkdir()
        (self._own / "HEAD").write_text("ref: refs/heads/none\n")
        self._environment = {
            "PATH": _search_path(),
            "LC_ALL": "C",
            "HOME": os.devnull,
            "GIT_DIR": str(self._own),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _c_quoted(os.fsencode(os.path.realpath(self.common_dir / "objects"))),
            "GIT_SHALLOW_FILE": str(self.common_dir / "shallow"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_PAGER": "cat",
        }
        self._inherited = self._read_inherited()
        self.object_format = "sha256" if self._inherited.pop("extensions.objectformat", "") == "sha256" else "sha1"
        version = int(self.object_format == "sha256")
        lines = ["[core]", "\tbare = true", f"\trepositoryFormatVersion = {version}", f"\tbigFileThreshold = {LARGEST_DIFFED}"]
        lines += [f"\t{key.removeprefix('core.')} = {value}" for key, value in sorted(self._inherited.items())]
        lines += ["[extensions]", "\tobjectFormat = sha256"] if self.object_format == "sha256" else []
        (self._own / "config").write_text("\n".join([*lines, ""]))

    def _read_inherited(self) -> dict[str, str]:
        """The few values of the clone's own `config` file that we keep. `git config --file` follows no include."""
        file = self.common_dir / "config"
        if not file.is_file():
            return {}
        pairs: dict[str, str] = {}
        for record in self._records(["config", "--file", str(file.resolve()), "--no-includes", "-z", "--list"]):
            key, equals, value = record.decode("utf-8", "replace").partition("\n")
            pairs[key] = value.lower() if equals else "true"
        return {key: pairs[key] for key in (*INHERITED, "extensions.objectformat") if re.fullmatch(r"[a-z0-9]{1,16}", pairs.get(key, ""))}

    # ---- asking git

    def _rev_parse(self, revision: str) -> str | None:
        """A revision, as `git rev-parse` takes it -> its id; None where git knows no such revision."""
        try:
            if b"\0" in os.fsencode(revision):
                return None
        except UnicodeEncodeError:
            return None
        found, errors, code = self._ask_clone("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        if code and errors and not _NO_SUCH_REVISION.search(errors):
            self._fail("rev-parse", errors)
        name = found.strip().decode("ascii", "replace")
        return name if not code and _ID.fullmatch(name) else None

    def _hint(self, revision: str) -> str:
        """What may help someone who named a revision that is not here."""
        if self._rev_parse(f"origin/{revision}^{{commit}}") is not None:
            return f", but there is origin/{_shown_name(revision)}: name that"
        names = self._ask_clone("for-each-ref", "--count=5000", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")[0]
        known = names.decode("utf-8", "surrogateescape").split("\n")[:-1]
        if not known and self._rev_parse("HEAD^{commit}") is None:
            return ": this repository has no commits yet"
        near = difflib.get_close_matches(revision, known, n=1)
        if near:
            return f", but there is {_shown_name(near[0])}: name that if you meant it"
        return ": this clone is shallow, so it may only need to be fetched: `git fetch --unshallow`" if self.is_shallow else ""

    def _ask_clone(self, *arguments: str) -> tuple[bytes, str, int]:
        """The only way git is ever called on the clone itself, for what its refs say -> output, errors, exit code."""
        off = [part for setting in SWITCHED_OFF for part in ("-c", setting)]
        child = self._start([*off, *arguments], environment={"GIT_DIR": str(self.git_dir), "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""})
        out, errors = child.read_all(MOST_PATH_BYTES)
        return out, errors, child.returncode

    def _run(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        given: bytes = b"",
        accept: tuple[int, ...] = (0,),
        limit: int = MOST_PATCH_BYTES,
        patience: float | None = None,
    ) -> bytes:
        """One git command -> what it prints. Raises RepositoryTooLarge beyond `limit` bytes."""
        child = self._start(arguments, environment=environment, cwd=cwd, given=given)
        child.patience = patience or SECONDS
        out, errors = child.read_all(limit)
        if len(out) > limit:
            raise RepositoryTooLarge(f"The change has more than {limit >> 20} MB of text: compare in smaller steps.")
        if child.returncode not in accept:
            self._fail(next(word for word in arguments if word != "-c" and "=" not in word), errors)
        return out

    def _records(
        self, arguments: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None, *, longest: int = 0
    ) -> Iterator[bytes]:
        """One git command -> the records it prints, each ended by a NUL, while it runs. `longest`: bytes of a record that are kept; without
        it, one of more than 1 MB is refused."""
        child = self._start(arguments, environment=environment, cwd=cwd)
        try:
            rest = b""
            while piece := child.piece():
                *records, rest = (rest + piece).split(b"\0")
                if longest:
                    records, rest = [record[:longest] for record in records], rest[:longest]
                yield from records
                if len(rest) > 1 << 20:
                    self._fail(arguments[0], "a path or value in it has more than 1 MB")
            errors = child.finish()
            if child.returncode or rest:
                self._fail(arguments[0], errors)
        finally:
            child.end()

    def _start(
        self, arguments: Sequence[str], *, environment: Mapping[str, str] | None = None, cwd: Path | None = None, given: bytes = b""
    ) -> _Child:
        return _Child([self._program, "--no-pager", *arguments], {**self._environment, **(environment or {})}, cwd or self._own, given)

    def _fail(self, command: str, errors: str) -> NoReturn:
        """What git said -> one sentence that tells what to do."""
        place = _shown_path(self.top or self.git_dir)
        for pattern, message in _FAILURES:
            if pattern.search(errors):
                raise RepositoryError(message.format(path=place))
        said = shown(" ".join(errors.split())[:300].encode("utf-8", "replace")) or "it said nothing and stopped"
        raise RepositoryError(f"git {command} failed in {place}: {said}.")

    def _no_files(self) -> RepositoryError:
        return RepositoryError(f"{_shown_path(self.git_dir)} is bare and has no files on disk: name the head, as in main...feature.")

    def _too_large(self, limit: int) -> RepositoryTooLarge:
        place = _shown_path(self.top or self.git_dir)
        return RepositoryTooLarge(f"{place} has more than {limit:,} files: that is more than we agree to index.")


class _Child:
    """One git process and what it prints. Whoever starts one ends it. It is given up when it is silent for too long while we wait:
    a clone can hold pipes in the place of files, and git would wait for them for ever."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], cwd: Path, given: bytes) -> None:
        self._command = command
        self.patience = SECONDS  # how long it may print nothing while we wait
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        try:
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                cwd=cwd,
                stdin=subprocess.PIPE if given else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
            )
        except OSError as error:
            self._errors.close()
            raise RepositoryError(f"git could not be started: {error.strerror or error}.") from error
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        self._ready = select.poll()
        self._ready.register(self._out, select.POLLIN | select.POLLHUP)
        self._held, self._at = b"", 0  # what it printed last, and how much of that was asked for
        self._feeder: threading.Thread | None = None
        if given:
            self._feeder = threading.Thread(target=self._feed, args=(given,), daemon=True)
            self._feeder.start()

    @property
    def returncode(self) -> int:
        return self._process.returncode

    def piece(self) -> bytes:
        """Some of what it prints, as it comes; b"" at the end."""
        if self._at == len(self._held):
            self._next()
        found, self._at = self._held[self._at :], len(self._held)
        return found

    def _next(self) -> None:
        """Waits for more in the place of what is held; nothing at the end."""
        if not self._ready.poll(self.patience * 1_000):
            raise self._silent()
        self._held, self._at = os.read(self._out, 1 << 16), 0

    def line(self) -> bytes:
        """The next line with its end; b"" at the end."""
        pieces: list[bytes] = []
        while not (end := self._held.find(b"\n", self._at) + 1):
            pieces.append(self._held[self._at :])
            self._next()
            if not self._held:
                return b"".join(pieces)
        pieces.append(self._held[self._at : end])
        self._at = end
        return b"".join(pieces)

    def read(self, count: int) -> bytes:
        """The next `count` bytes; fewer only at the end."""
        pieces: list[bytes] = []
        while count > len(self._held) - self._at:
            pieces.append(self._held[self._at :])
            count -= len(pieces[-1])
            self._next()
            if not self._held:
                return b"".join(pieces)
        pieces.append(self._held[self._at : self._at + count])
        self._at += count
        return b"".join(pieces)

    def pass_over(self, count: int) -> None:
        """Forgets the next `count` bytes without holding them."""
        while count > len(self._held) - self._at:
            count -= len(self._held) - self._at
            self._next()
            if not self._held:
                return
        self._at += count

    def read_all(self, limit: int) -> tuple[bytes, str]:
        """All it prints, but at most `limit` + 1 bytes, and its errors."""
        try:
            out = self.read(limit + 1)
            if len(out) > limit:
                self._process.kill()
            return out, self.finish()
        finally:
            self.end()

    def finish(self) -> str:
        """Waits for its end -> its errors."""
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired as error:
            raise self._silent() from error
        self._errors.seek(0)
        return self._errors.read(1 << 16).decode("utf-8", "replace")

    def end(self) -> None:
        """Whatever it does, it stops now."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._feeder is not None:
            self._feeder.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def _feed(self, given: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(given)
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
            while view:
                view = view[stdin.write(view) :]

    def _silent(self) -> RepositoryError:
        words = " ".join(word for word in self._command[1:] if word.isascii() and word.isprintable())[:80]
        return RepositoryError(f"git gave no answer for {self.patience:g} seconds (git {words}): check that the disk can be read.")


_RANGE = re.compile(r"(.*?)(\.\.\.?)(.*)", re.DOTALL)
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_SUCH_REVISION = re.compile(
    r"unknown revision|single revision|not a valid|ambiguous|expected commit|log for|upstream|no such"
    r"|lazy fetch|could not fetch|not allowed",  # a partial clone that would have asked its origin
    re.IGNORECASE,
)


def _moved(changes: Sequence[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """What git says of each change of a commit, and its path -> (old, new) of each file whose content went to exactly one other path."""
    gone: dict[bytes, list[bytes]] = {}
    came: dict[bytes, list[bytes]] = {}
    for said, path in changes:
        _, _, old, new, status = said.split(b" ")
        if status == b"D":
            gone.setdefault(old, []).append(path)
        elif status == b"A":
            came.setdefault(new, []).append(path)
    return tuple((paths[0], came[blob][0]) for blob, paths in gone.items() if len(paths) == 1 == len(came.get(blob, ())))


def _blamed(porcelain: bytes, cut_off: Set[str]) -> list[tuple[str, str, int]]:
    """What `git blame --porcelain` prints -> (name, address, lines), most lines first. `cut_off`: commits whose parents are not here."""
    people: dict[bytes, tuple[str, str]] = {}
    boundary = {name.encode() for name in cut_off}
    lines: Counter[bytes] = Counter()
    commit, name = b"", ""
    for line in porcelain.split(b"\n"):
        if line.startswith(b"\t"):
            lines[commit] += 1
            continue
        word, _, rest = line.partition(b" ")
        if word == b"author":
            name = rest.decode("utf-8", "replace").strip()
        elif word == b"author-mail":
            people[commit] = (name, rest.decode("utf-8", "replace").strip().strip("<>"))
        elif word == b"boundary":
            boundary.add(commit)
        elif _ID.fullmatch(word.decode("ascii", "replace")):
            commit = word
    counts: Counter[tuple[str, str]] = Counter()
    for found, count in lines.items():
        if found not in boundary and found in people:
            counts[people[found]] += count
    return [(*person, count) for person, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def _checked(name: str) -> str:
    """Only full ids reach a command line or a pipe, so nothing a repository says can be taken for an option."""
    if not _ID.fullmatch(name):
        raise ValueError(f"not an object id: {name!r}")
    return name


def _mode(written: int) -> int:
    """A mode as a tree has it -> one of the four there are. Old trees also have 100664 and the like."""
    if stat.S_ISREG(written):
        return EXECUTABLE if written & stat.S_IXUSR else REGULAR
    return written


def _size(written: bytes) -> int:
    """The size column of `git ls-tree -l`: "-" for a submodule, "BAD" for a blob that is not here."""
    return int(written) if written.isdigit() else 0 if written == b"-" else -1


def _only_path(change: FileChange) -> bytes:
    return change.new_path or change.old_path or b""


def _with_spans(change: FileChange, spans: Mapping[tuple[str, str], Spans | None]) -> FileChange:
    if change.old_blob == change.new_blob or SUBMODULE in (change.old_mode, change.new_mode):
        return change
    pair = (change.old_blob, change.new_blob)
    if pair in spans:
        both = spans[pair]
    else:  # a file that became a link, or the other way round, is shown as gone and come
        gone, come = spans.get((change.old_blob, ""), ((), ())), spans.get(("", change.new_blob), ((), ()))
        both = None if gone is None or come is None else (gone[0], come[1])
    return replace(change, binary=True) if both is None else replace(change, old_spans=both[0], new_spans=both[1])


def _discover(start: Path) -> tuple[Path, Path, Path | None] | None:
    """A path -> the git folder it belongs to, the folder that all worktrees share, and the top of the working tree.
    In Python rather than by git, so that no configuration is read before we know what to switch off."""
    for folder in (start, *start.parents):
        dot_git = folder / ".git"
        if dot_git.is_file():  # a worktree, a submodule, or a clone with its git folder elsewhere
            told = dot_git.read_bytes()[:8192].strip()
            git_dir = folder / os.fsdecode(told.removeprefix(b"gitdir:").strip())
            if told.startswith(b"gitdir:") and _is_git_folder(git_dir):
                return Path(os.path.abspath(git_dir)), _common(git_dir), folder
            return None
        if dot_git.is_dir() and _is_git_folder(dot_git):
            return dot_git, _common(dot_git), folder
        if _is_git_folder(folder):
            return folder, _common(folder), folder.parent if folder.name == ".git" else None
    return None


def _is_git_folder(folder: Path) -> bool:
    if not os.path.lexists(folder / "HEAD"):
        return False
    common = _common(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def _common(git_dir: Path) -> Path:
    file = git_dir / "commondir"
    told = os.fsdecode(file.read_bytes()[:8192].strip()) if file.is_file() else "."
    return Path(os.path.abspath(git_dir / told))


def _copy_file(source: Path, target: Path) -> None:
    """A plain file, with its times: git tells by the index's time which of its entries may be out of date. No file, no copy."""
    target.unlink(missing_ok=True)
    if source.is_file():
        shutil.copyfile(source, target)
        facts = source.stat()
        os.utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@cache
def _user_ignore_file(program: str) -> str:
    """The ignore file of the person who runs us, from their own configuration: their editor's files are not part of a change."""
    mine = {key: os.environ[key] for key in ("HOME", "XDG_CONFIG_HOME") if key in os.environ}
    told = _asked(program, "config", "--global", "--type=path", "--get", "core.excludesFile", **mine)
    configured = Path(os.environ.get("XDG_CONFIG_HOME") or Path(os.environ.get("HOME", os.sep), ".config"))
    return os.fsdecode(told) or str(configured / "git" / "ignore")


@cache
def _git_program() -> str:
    """Where git is. Raises RepositoryError where it is missing or too old."""
    found = shutil.which("git", path=_search_path())
    oldest = ".".join(map(str, OLDEST_GIT))
    if found is None:
        raise RepositoryError(f"git is not on the PATH: install git {oldest} or later.")
    said = _asked(found, "version")
    version = re.search(rb"git version (\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_GIT:
        raise RepositoryError(f"git {oldest} or later is needed, and here is {shown(said[:80]) or 'one that does not run'}.")
    return found


def _asked(program: str, *arguments: str, **environment: str) -> bytes:
    """One question to git that is about no repository -> its answer, b"" where it has none."""
    environment = {"PATH": _search_path(), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", **environment}
    asked = [program, *arguments]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(
            asked, env=environment, cwd=os.sep, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        ).stdout.strip()
    return b""


def _search_path() -> str:
    """PATH without entries that depend on the current folder, which may be the clone."""
    return os.pathsep.join(part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part)) or os.defpath


def _c_quoted(path: bytes) -> str:
    """A path for GIT_ALTERNATE_OBJECT_DIRECTORIES, where a colon separates and a leading quote means C quoting."""
    return '"' + "".join(f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in path) + '"'


def _shown_name(revision: str) -> str:
    return shown(revision.encode("utf-8", "surrogatepass"))


def _shown_path(path: Path) -> str:
    return shown(os.fsencode(path))
