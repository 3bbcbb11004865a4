"""Everything the engine raises on purpose. Each message says what to do.

MaguyvaError
├── RepositoryError      git could not give us what we asked for
│   ├── NotARepository
│   ├── UnknownRevision
│   ├── NoMergeBase
│   └── RepositoryTooLarge
├── StorageError         our own files could not be written or read
│   └── SnapshotDamaged
├── ConfigError          the repository's `.maguyva.yml` has bad keys
├── OutputError          a file that was asked for could not be written
└── QuestionError        a question that can't be asked
"""

from __future__ import annotations


class MaguyvaError(Exception):
    """Base of everything we raise on purpose. `exit_code` is what the command line ends with."""

    exit_code = 2


class RepositoryError(MaguyvaError):
    """git could not give us what we asked for."""

    exit_code = 3


class NotARepository(RepositoryError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is not a git repository: give the path of a clone, bare or not.")


class UnknownRevision(RepositoryError):
    def __init__(self, revision: str, hint: str = "") -> None:
        super().__init__(f"There is no commit {revision} here{hint or ': check the name, or fetch it first'}.")


class NoMergeBase(RepositoryError):
    def __init__(self, base: str, head: str, shallow: bool) -> None:
        why = (
            "this clone is shallow, so the commit where they part is missing: run `git fetch --unshallow`"
            if shallow
            else "their histories are unrelated: compare with a base that shares history, or use BASE..HEAD to compare the two trees"
        )
        super().__init__(f"{base} and {head} have no merge base: {why}.")


class RepositoryTooLarge(RepositoryError):
    """More files than we agree to index."""


class StorageError(MaguyvaError):
    """Our own files could not be written or read."""

    exit_code = 4


class SnapshotDamaged(StorageError):
    """A stored part does not match its manifest. The caller rebuilds and says so."""


class ConfigError(MaguyvaError):
    """The repository's settings have bad keys; the message names each with its line."""


class OutputError(MaguyvaError):
    """A file that was asked for could not be written."""


class QuestionError(MaguyvaError):
    """A question that can't be asked: empty, too long, or a pattern that is refused."""


class CannotLook(MaguyvaError):
    """A retriever lacks what it needs. Its answer is unknown, which is not the same as empty."""
