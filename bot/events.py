"""Headers and the bytes of a delivery -> a Delivery whose signature was right, or a Refusal; a Delivery -> an Event.

Only the fields we use are read, each by its path, because no published description of GitHub's payloads fits all that is really sent: of
329 recorded ones, a third misses a field that a model declares as required. What we need and do not find is named in the refusal.
Addresses in payloads are never read: whoever can forge or change one could make us fetch it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bot.types import (
    Actor,
    CheckEvent,
    CommentEvent,
    CommentPlace,
    CommentRef,
    Delivery,
    Event,
    IgnoredEvent,
    InstallationAction,
    InstallationEvent,
    InstallationRepositoriesEvent,
    PingEvent,
    PullAction,
    PullRequest,
    PullRequestEvent,
    PullState,
    PushEvent,
    RepositoryAction,
    RepositoryEvent,
    RepositoryRef,
)

MAX_BODY: Final = 25 << 20  # bytes: GitHub sends no larger payload
MAX_COMMENT: Final = 262_144  # characters kept of a comment's text; GitHub takes 65,536, an Enterprise Server may take more
MAX_TEXT: Final = 1_024  # characters kept of a title or a name
MAX_LISTED: Final = 10_000  # repositories read from one payload
UNSIGNED: Final = "the signature is missing or wrong"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is no delivery of GitHub's, or none we can read, and the HTTP status that says so."""

    status: int
    why: str


# ---- is it from GitHub?


def checked_delivery(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> Delivery | Refusal:
    """What a stranger sent to /webhook -> the delivery, or why not. Header names are taken in any case. Never raises.
    The bytes are looked at only after their signature was right, and a stranger is told nothing but that it was not."""
    if len(body) > MAX_BODY:
        return Refusal(413, f"the body has more than {MAX_BODY >> 20} MB")
    told = {name.lower(): value for name, value in headers.items()}
    if not is_signed(body, told.get("x-hub-signature-256", ""), secrets):
        return Refusal(401, UNSIGNED)
    if told.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "the content type is not application/json: choose it in the webhook's settings")
    delivery, event = told.get("x-github-delivery", ""), told.get("x-github-event", "")
    if not re.fullmatch(r"[0-9A-Za-z-]{8,64}", delivery):
        return Refusal(400, "X-GitHub-Delivery is missing or is not an id")
    if not re.fullmatch(r"[a-z0-9_]{1,64}", event):
        return Refusal(400, "X-GitHub-Event is missing or is not the name of an event")
    return Delivery(delivery, event, body)


def signature(body: bytes, secret: str) -> str:
    """What X-Hub-Signature-256 says of these bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def is_signed(body: bytes, told: str, secrets: Sequence[str]) -> bool:
    """Whether any of the secrets made this signature. Every secret is tried, in the same time whichever fits."""
    given = told.encode("utf-8", "replace")
    fits = [hmac.compare_digest(signature(body, secret).encode(), given) for secret in secrets if secret]
    return any(fits)


# ---- what does it say?


def read_event(delivery: Delivery) -> Event | Refusal:
    """A genuine delivery -> what it says; a Refusal where the body is not what GitHub describes. Never raises."""
    try:
        payload = json.loads(delivery.body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        return Refusal(400, f"the body is not JSON ({_said(error)})")
    if not isinstance(payload, dict):
        return Refusal(400, "the body is not a JSON object")
    action = payload.get("action")
    action = action if isinstance(action, str) and re.fullmatch(r"[a-z_-]{1,64}", action) else ""
    row = _ROWS.get(delivery.event)
    if row is None:
        return IgnoredEvent(delivery.event, action, "nothing we do depends on this event")
    if row.read is None or (row.actions and action not in row.actions):
        return IgnoredEvent(delivery.event, action, row.otherwise)
    try:
        return row.read(_Payload(payload), action)
    except _NotThere as error:
        return Refusal(422, f"{delivery.event}: {error}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _said(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else re.sub(r"\s+", " ", str(error))[:120]


class _NotThere(Exception):
    """A field we need is missing or is of another kind."""


_ABSENT: Final = object()
_SHA: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class _Payload:
    """A JSON object, read by paths such as "pull_request.head.sha". A reader gives a value of its kind, its default, or raises."""

    def __init__(self, content: dict[str, Any], place: str = "") -> None:
        self._content, self._place = content, place

    def _at(self, path: str) -> Any:
        found: Any = self._content
        for part in path.split("."):
            if not isinstance(found, dict):
                return _ABSENT
            found = found.get(part, _ABSENT)
        return found

    def _wrong(self, path: str, wanted: str) -> NoReturn:
        raise _NotThere(f"`{self._place}{path}` is {'missing' if self._at(path) in (_ABSENT, None) else f'not {wanted}'}")

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

    def part(self, path: str) -> _Payload:
        found = self._at(path)
        if not isinstance(found, dict):
            self._wrong(path, "an object")
        return _Payload(found, f"{self._place}{path}.")

    def parts(self, path: str) -> list[_Payload]:
        """The objects of a list; none where there is no list."""
        found = self._at(path)
        if found in (_ABSENT, None):
            return []
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._wrong(path, "a list of objects")
        return [_Payload(one, f"{self._place}{path}[{number}].") for number, one in enumerate(found[:MAX_LISTED])]


# ---- our nouns


def _actor(payload: _Payload, path: str) -> Actor:
    """Accounts that were deleted come as null or as `ghost`."""
    login = payload.text(f"{path}.login", "ghost", 100)
    kind = payload.text(f"{path}.type", "", 20)
    return Actor(login, payload.id(f"{path}.id", 0), kind == "Bot" or login.endswith("[bot]"))


def _repository(payload: _Payload, path: str = "repository") -> RepositoryRef:
    found = payload.part(path)
    return RepositoryRef(
        id=found.id("id"),
        full_name=found.full_name(),
        installation=payload.id("installation.id", 0),
        private=found.yes("private", True),
        default_branch=found.text("default_branch", ""),
        archived=found.yes("archived", False),
    )


def _pull_request(payload: _Payload) -> PullRequest:
    pull, repository = payload.part("pull_request"), _repository(payload)
    closed = PullState.MERGED if pull.yes("merged") or pull.has("merged_at") else PullState.CLOSED
    return PullRequest(
        repository=repository,
        number=pull.id("number"),
        head_sha=pull.sha("head.sha"),
        base_sha=pull.sha("base.sha"),
        head_ref=pull.text("head.ref", ""),
        base_ref=pull.text("base.ref"),
        author=_actor(pull, "user"),
        title=pull.text("title", ""),
        state=closed if pull.text("state", "open") == "closed" else PullState.OPEN,
        draft=pull.yes("draft"),
        from_fork=pull.id("head.repo.id", 0) != repository.id,
        changed_files=pull.count("changed_files", -1),
    )


# ---- one reader an event


def _ping(payload: _Payload, action: str) -> Event:
    return PingEvent(payload.text("zen", ""))


def _pull_request_event(payload: _Payload, action: str) -> Event:
    return PullRequestEvent(
        action=PullAction(action),
        pull_request=_pull_request(payload),
        sender=_actor(payload, "sender"),
        before_sha=payload.sha("before", ""),
        base_changed=payload.has("changes.base"),
    )


def _issue_comment(payload: _Payload, action: str) -> Event:
    comment = payload.part("comment")
    place = CommentRef(_repository(payload), payload.id("issue.number"), comment.id("id"))
    return _comment_event(payload, comment, place, action, payload.has("issue.pull_request"))


def _review_comment(payload: _Payload, action: str) -> Event:
    comment = payload.part("comment")
    place = CommentRef(
        repository=_repository(payload),
        number=payload.id("pull_request.number"),
        id=comment.id("id"),
        place=CommentPlace.REVIEW,
        thread=comment.id("in_reply_to_id", comment.id("id")),
        path=comment.text("path", "", 4_096),
        line=comment.count("line", 0),
    )
    return _comment_event(payload, comment, place, action, True)


def _comment_event(payload: _Payload, comment: _Payload, place: CommentRef, action: str, on_pull_request: bool) -> CommentEvent:
    return CommentEvent(
        comment=place,
        body=comment.text("body", "", MAX_COMMENT),
        author=_actor(comment, "user"),
        sender=_actor(payload, "sender"),
        edited=action == "edited",
        body_before=payload.text("changes.body.from", "", MAX_COMMENT),
        on_pull_request=on_pull_request,
        by_app=comment.has("performed_via_github_app"),
        association=comment.text("author_association", ""),
    )


def _push(payload: _Payload, action: str) -> Event:
    ref = payload.text("ref")
    return PushEvent(
        repository=_repository(payload),
        branch=ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else "",
        before=payload.sha("before"),
        after=payload.sha("after"),
        sender=_actor(payload, "sender"),
        forced=payload.yes("forced"),
    )


def _check_run(payload: _Payload, action: str) -> Event:
    run = payload.part("check_run")
    return CheckEvent(
        repository=_repository(payload),
        head_sha=run.sha("head_sha"),
        sender=_actor(payload, "sender"),
        app=str(run.id("app.id", 0) or ""),
        check_run=run.id("id"),
        external_id=run.text("external_id", ""),
        identifier=payload.text("requested_action.identifier", "", 20) if action == "requested_action" else "",
        pull_requests=_numbers(run),
    )


def _check_suite(payload: _Payload, action: str) -> Event:
    suite = payload.part("check_suite")
    return CheckEvent(
        repository=_repository(payload),
        head_sha=suite.sha("head_sha"),
        sender=_actor(payload, "sender"),
        app=str(suite.id("app.id", 0) or ""),
        pull_requests=_numbers(suite),
    )


def _numbers(payload: _Payload) -> tuple[int, ...]:
    """Those of this repository; a fork's own pull requests are listed as well, with numbers of the fork."""
    return tuple(sorted({one.id("number") for one in payload.parts("pull_requests")}))


def _installation(payload: _Payload, action: str) -> Event:
    installation = payload.id("installation.id")
    return InstallationEvent(
        action=InstallationAction(action),
        installation=installation,
        account=payload.text("installation.account.login", payload.text("account.login", ""), 100),
        sender=_actor(payload, "sender"),
        repositories=_listed(payload, "repositories", installation),
    )


def _installation_repositories(payload: _Payload, action: str) -> Event:
    installation = payload.id("installation.id")
    return InstallationRepositoriesEvent(
        installation=installation,
        added=_listed(payload, "repositories_added", installation),
        removed=_listed(payload, "repositories_removed", installation),
        sender=_actor(payload, "sender"),
    )


def _listed(payload: _Payload, path: str, installation: int) -> tuple[RepositoryRef, ...]:
    return tuple(RepositoryRef(one.id("id"), one.full_name(), installation, one.yes("private", True)) for one in payload.parts(path))


def _repository_event(payload: _Payload, action: str) -> Event:
    repository = _repository(payload)
    owner = payload.text("changes.owner.from.organization.login", payload.text("changes.owner.from.user.login", repository.owner, 100), 100)
    before = f"{owner}/{payload.text('changes.repository.name.from', repository.name, 200)}"
    return RepositoryEvent(
        action=RepositoryAction(action),
        repository=repository,
        sender=_actor(payload, "sender"),
        old_name=before if before != repository.full_name else "",
    )


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event of GitHub's -> who reads it, for which actions, and why its other actions are ignored."""

    event: str
    actions: tuple[str, ...]  # (): it has none, or any
    read: Callable[[_Payload, str], Event] | None
    otherwise: str = ""


_SAME_CODE = "it changes neither the code nor what it is compared with"
EVENTS: Final = (
    EventRow("ping", (), _ping),
    EventRow("pull_request", tuple(PullAction), _pull_request_event, _SAME_CODE),
    EventRow("issue_comment", ("created", "edited"), _issue_comment, "what was deleted asks nothing"),
    EventRow("pull_request_review_comment", ("created", "edited"), _review_comment, "what was deleted asks nothing"),
    EventRow("push", (), _push),
    EventRow("check_run", ("rerequested", "requested_action"), _check_run, "nobody asked for it to be done again"),
    EventRow("check_suite", ("rerequested",), _check_suite, "nobody asked for it to be done again"),
    EventRow("installation", tuple(one for one in InstallationAction if one != "renamed"), _installation, "an action we do not know"),
    EventRow("installation_target", ("renamed",), _installation, "an action we do not know"),
    EventRow("installation_repositories", ("added", "removed"), _installation_repositories, "an action we do not know"),
    EventRow("repository", tuple(RepositoryAction), _repository_event, "what follows comes as an event of its own"),
    # Those that come unasked, or to Apps with more permissions than ours.
    EventRow("meta", (), None, "the webhook itself was removed"),
    EventRow("public", (), None, "`repository` says the same"),
    EventRow("create", (), None, "`push` says the same of branches"),
    EventRow("delete", (), None, "`push` says the same of branches"),
    EventRow("github_app_authorization", (), None, "we act for no user"),
    EventRow("marketplace_purchase", (), None, "nothing is sold"),
)
_ROWS: Final = {row.event: row for row in EVENTS}
