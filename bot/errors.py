"""Everything the GitHub side raises on purpose. Each message says what to do.

index.errors.MaguyvaError
├── SettingsError        the environment is wrong; names every problem
├── DatabaseAway         the queue's database does not answer (a StorageError)
├── FetchFailed          git could not get a commit from GitHub
├── EngineError          the engine gave no answer
│   ├── EngineRefused        it said why, in words for a user
│   ├── EngineOverran        it ran out of time or memory
│   └── EngineFailed         its process died, or we have made a mistake
└── GitHubError          GitHub did not do what we asked
    ├── GitHubUnreachable    no answer, or none in time; a write may have been done
    ├── GitHubBroken         it answered 5xx, or something that is no answer; a write may have been done
    ├── MustWait             a limit is reached: come back at `until`
    ├── NotAllowed           a permission is missing
    ├── NotFound             no such thing, or not for us (yet)
    ├── Gone                 the installation is suspended or removed
    ├── BadCredentials       the App's id or key is wrong, or the clock
    └── Refused              it understood and said no: repeating is no use
"""

from __future__ import annotations

from collections.abc import Sequence

from index.errors import MaguyvaError, StorageError


class SettingsError(MaguyvaError):
    """The environment is wrong. `problems`: one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("The settings are wrong:\n" + "\n".join(f"  - {problem}" for problem in self.problems))


class DatabaseAway(StorageError):
    """The queue's database does not answer. `where`: its address without credentials."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"The database {where} does not answer: start it, or correct MAGUYVA_DATABASE_URL or MAGUYVA_DATA ({reason}).")


class FetchFailed(MaguyvaError):
    """git could not get a commit from GitHub. `gone`: it is not there (any more), so that repeating it is no use."""

    exit_code = 3

    def __init__(self, message: str, *, gone: bool = False) -> None:
        self.gone = gone
        super().__init__(message)


class EngineError(MaguyvaError):
    """The engine gave no answer."""


class EngineRefused(EngineError):
    """It said why, in words for a user. `kind`: the class of `index.errors` it raised."""

    def __init__(self, message: str, kind: str = "") -> None:
        self.kind = kind
        super().__init__(message)


class EngineOverran(EngineError):
    """It ran out of time or memory, and was ended."""


class EngineFailed(EngineError):
    """Its process died, or we have made a mistake. A second attempt may do better."""


class GitHubError(MaguyvaError):
    """GitHub did not do what we asked. `status` is its HTTP status, 0 without an answer; `maybe_done` says that a write may have
    been done all the same, so look before repeating it."""

    maybe_done = False

    def __init__(self, message: str, status: int = 0) -> None:
        self.status = status
        super().__init__(message)


class GitHubUnreachable(GitHubError):
    """No answer, or none in time."""

    maybe_done = True


class GitHubBroken(GitHubError):
    """It answered 5xx, or something that is no answer."""

    maybe_done = True


class MustWait(GitHubError):
    """A limit is reached. `until`: seconds since the epoch. `secondary`: one of the limits on bursts and writes."""

    def __init__(self, message: str, status: int, until: float, *, secondary: bool) -> None:
        self.until, self.secondary = until, secondary
        super().__init__(message, status)


class NotAllowed(GitHubError):
    """A permission is missing: its owner has to accept it, or the token is read-only."""


class NotFound(GitHubError):
    """No such thing, or not for us. Right after an event it may only be too early."""


class Gone(GitHubError):
    """The installation is suspended or removed: nothing can be read or written until that changes."""


class BadCredentials(GitHubError):
    """The App's id or key is wrong, or this machine's clock is."""


class Refused(GitHubError):
    """GitHub understood and said no; repeating it as it is is no use."""
