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
from typing import Final, NoReturn

from bot.payload import NotThere, Payload, actor, pull_request, repository
from bot.types import (
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
    PullRequestEvent,
    PushEvent,
    RepositoryAction,
    RepositoryEvent,
    RepositoryRef,
)

MAX_BODY: Final = 25 << 20  # bytes: GitHub sends no larger payload
MAX_COMMENT: Final = 262_144  # characters kept of a comment's text; GitHub takes 65,536, an Enterprise Server may take more
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
        return row.read(Payload(payload), action)
    except NotThere as error:
        return Refusal(422, f"{delivery.event}: {error}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _said(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else re.sub(r"\s+", " ", str(error))[:120]


# ---- one reader an event


def _where(payload: Payload) -> RepositoryRef:
    return repository(payload.part("repository"), payload.id("installation.id", 0))


def _ping(payload: Payload, action: str) -> Event:
    return PingEvent(payload.text("zen", ""))


def _pull_request_event(payload: Payload, action: str) -> Event:
    return PullRequestEvent(
        action=PullAction(action),
        pull_request=pull_request(payload.part("pull_request"), _where(payload)),
        sender=actor(payload, "sender"),
        before_sha=payload.sha("before", ""),
        base_changed=payload.has("changes.base"),
    )


def _issue_comment(payload: Payload, action: str) -> Event:
    comment = payload.part("comment")
    place = CommentRef(_where(payload), payload.id("issue.number"), comment.id("id"))
    return _comment_event(payload, comment, place, action, payload.has("issue.pull_request"))


def _review_comment(payload: Payload, action: str) -> Event:
    comment = payload.part("comment")
    place = CommentRef(
        repository=_where(payload),
        number=payload.id("pull_request.number"),
        id=comment.id("id"),
        place=CommentPlace.REVIEW,
        thread=comment.id("in_reply_to_id", comment.id("id")),
        path=comment.text("path", "", 4_096),
        line=comment.count("line", 0),
    )
    return _comment_event(payload, comment, place, action, True)


def _comment_event(payload: Payload, comment: Payload, place: CommentRef, action: str, on_pull_request: bool) -> CommentEvent:
    return CommentEvent(
        comment=place,
        body=comment.text("body", "", MAX_COMMENT),
        author=actor(comment, "user"),
        sender=actor(payload, "sender"),
        edited=action == "edited",
        body_before=payload.text("changes.body.from", "", MAX_COMMENT),
        on_pull_request=on_pull_request,
        by_app=comment.has("performed_via_github_app"),
        association=comment.text("author_association", ""),
    )


def _push(payload: Payload, action: str) -> Event:
    ref = payload.text("ref")
    return PushEvent(
        repository=_where(payload),
        branch=ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else "",
        before=payload.sha("before"),
        after=payload.sha("after"),
        sender=actor(payload, "sender"),
        forced=payload.yes("forced"),
    )


def _check_run(payload: Payload, action: str) -> Event:
    run = payload.part("check_run")
    return CheckEvent(
        repository=_where(payload),
        head_sha=run.sha("head_sha"),
        sender=actor(payload, "sender"),
        app=str(run.id("app.id", 0) or ""),
        check_run=run.id("id"),
        external_id=run.text("external_id", ""),
        identifier=payload.text("requested_action.identifier", "", 20) if action == "requested_action" else "",
        pull_requests=_numbers(run),
    )


def _check_suite(payload: Payload, action: str) -> Event:
    suite = payload.part("check_suite")
    return CheckEvent(
        repository=_where(payload),
        head_sha=suite.sha("head_sha"),
        sender=actor(payload, "sender"),
        app=str(suite.id("app.id", 0) or ""),
        pull_requests=_numbers(suite),
    )


def _numbers(payload: Payload) -> tuple[int, ...]:
    """Those of this repository; a fork's own pull requests are listed as well, with numbers of the fork."""
    return tuple(sorted({one.id("number") for one in payload.parts("pull_requests")}))


def _installation(payload: Payload, action: str) -> Event:
    installation = payload.id("installation.id")
    return InstallationEvent(
        action=InstallationAction(action),
        installation=installation,
        account=payload.text("installation.account.login", payload.text("account.login", ""), 100),
        sender=actor(payload, "sender"),
        repositories=_listed(payload, "repositories", installation),
    )


def _installation_repositories(payload: Payload, action: str) -> Event:
    installation = payload.id("installation.id")
    return InstallationRepositoriesEvent(
        installation=installation,
        added=_listed(payload, "repositories_added", installation),
        removed=_listed(payload, "repositories_removed", installation),
        sender=actor(payload, "sender"),
    )


def _listed(payload: Payload, path: str, installation: int) -> tuple[RepositoryRef, ...]:
    return tuple(RepositoryRef(one.id("id"), one.full_name(), installation, one.yes("private", True)) for one in payload.parts(path))


def _repository_event(payload: Payload, action: str) -> Event:
    there = _where(payload)
    owner = payload.text("changes.owner.from.organization.login", payload.text("changes.owner.from.user.login", there.owner, 100), 100)
    before = f"{owner}/{payload.text('changes.repository.name.from', there.name, 200)}"
    return RepositoryEvent(
        action=RepositoryAction(action),
        repository=there,
        sender=actor(payload, "sender"),
        old_name=before if before != there.full_name else "",
    )


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event of GitHub's -> who reads it, for which actions, and why its other actions are ignored."""

    event: str
    actions: tuple[str, ...]  # (): it has none, or any
    read: Callable[[Payload, str], Event] | None
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
