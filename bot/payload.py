"""A JSON object of GitHub's -> values of a promised kind, by paths such as "pull_request.head.sha", and the nouns that both deliveries and
answers hold. Only fields that we use are looked at; addresses never are."""

from __future__ import annotations

import re
from typing import Any, Final, NoReturn

from bot.types import Actor, PullRequest, PullState, RepositoryRef

MAX_TEXT: Final = 1_024  # characters kept of a title or a name
MAX_LISTED: Final = 10_000  # objects read from one list


class NotThere(Exception):
    """A field we need is missing or is of another kind."""


_ABSENT: Final = object()
_SHA: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class Payload:
    """A JSON object, read by paths such as "pull_request.head.sha". A reader gives a value of its kind, its default, or raises."""

    __slots__ = ("_content", "_place")

    def __init__(self, content: dict[str, Any], place: str = "") -> None:
        self._content, self._place = content, place

    def _at(self, path: str) -> Any:
        found: Any = self._content
        for part in path.split(".") if path else ():
            if not isinstance(found, dict):
                return _ABSENT
            found = found.get(part, _ABSENT)
        return found

    def _wrong(self, path: str, wanted: str) -> NoReturn:
        raise NotThere(f"`{self._place}{path}` is {'missing' if self._at(path) in (_ABSENT, None) else f'not {wanted}'}")

    def has(self, path: str) -> bool:
        return self._at(path) not in (_ABSENT, None)

    def id(self, path: str, default: int | None = None) -> int:
        found = self._at(path)
        if found in (_ABSENT, None) and default is not None:
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not 0 < found < 1 << 63:
            self._wrong(path, "an id")
        return found

    def count(self, path: str, default: int) -> int:
        found = self._at(path)
        return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 31 else default

    def yes(self, path: str, default: bool = False) -> bool:
        found = self._at(path)
        if found in (_ABSENT, None):
            return default
        if not isinstance(found, bool):
            self._wrong(path, "true or false")
        return found

    def text(self, path: str, default: str | None = None, most: int = MAX_TEXT) -> str:
        """Without lone surrogates and NULs, which neither UTF-8 nor Postgres can hold."""
        found = self._at(path)
        if found in (_ABSENT, None) and default is not None:
            return default
        if not isinstance(found, str):
            self._wrong(path, "text")
        return found[:most].encode("utf-8", "replace").decode().replace("\0", "")

    def sha(self, path: str, default: str | None = None) -> str:
        found = self._at(path)
        if found in (_ABSENT, None) and default is not None:
            return default
        if not isinstance(found, str) or not _SHA.fullmatch(found):
            self._wrong(path, "a commit id")
        return found

    def full_name(self, path: str = "full_name") -> str:
        found = self.text(path, most=310)
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,200}", found) or re.search(r"/\.{1,2}$|^\.{1,2}/", found):
            self._wrong(path, "the name of a repository")
        return found

    def mapping(self, path: str) -> dict[str, Any]:
        """An object whose keys are not known beforehand; {} where there is none. "": this one."""
        found = self._at(path)
        return found if isinstance(found, dict) else {}

    def items(self, path: str) -> list[Any]:
        """A list of anything; [] where there is none."""
        found = self._at(path)
        return found[:MAX_LISTED] if isinstance(found, list) else []

    def part(self, path: str) -> Payload:
        found = self._at(path)
        if not isinstance(found, dict):
            self._wrong(path, "an object")
        return Payload(found, f"{self._place}{path}.")

    def parts(self, path: str) -> list[Payload]:
        """The objects of a list; none where there is no list."""
        found = self._at(path)
        if found in (_ABSENT, None):
            return []
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._wrong(path, "a list of objects")
        return [Payload(one, f"{self._place}{path}[{number}].") for number, one in enumerate(found[:MAX_LISTED])]


# ---- our nouns


def actor(payload: Payload, path: str) -> Actor:
    """Accounts that were deleted come as null or as `ghost`."""
    login = payload.text(f"{path}.login", "ghost", 100)
    kind = payload.text(f"{path}.type", "", 20)
    return Actor(login, payload.id(f"{path}.id", 0), kind == "Bot" or login.endswith("[bot]"))


def repository(found: Payload, installation: int) -> RepositoryRef:
    return RepositoryRef(
        id=found.id("id"),
        full_name=found.full_name(),
        installation=installation,
        private=found.yes("private", True),
        default_branch=found.text("default_branch", ""),
        archived=found.yes("archived", False),
    )


def pull_request(pull: Payload, where: RepositoryRef) -> PullRequest:
    """The pull request's own object, and the repository it was opened in."""
    closed = PullState.MERGED if pull.yes("merged") or pull.has("merged_at") else PullState.CLOSED
    return PullRequest(
        repository=where,
        number=pull.id("number"),
        head_sha=pull.sha("head.sha"),
        base_sha=pull.sha("base.sha"),
        head_ref=pull.text("head.ref", ""),
        base_ref=pull.text("base.ref"),
        author=actor(pull, "user"),
        title=pull.text("title", ""),
        state=closed if pull.text("state", "open") == "closed" else PullState.OPEN,
        draft=pull.yes("draft"),
        from_fork=pull.id("head.repo.id", 0) != where.id,
        changed_files=pull.count("changed_files", -1),
    )
