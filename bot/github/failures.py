"""What GitHub answered -> which of our errors that is. One table; GitHub says the same thing in several ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from bot.errors import BadCredentials, GitHubBroken, GitHubError, Gone, MustWait, NotAllowed, NotFound, Refused

FIRST_WAIT: Final = 60.0  # seconds after a limit that does not say how long; doubled each time
LONGEST_WAIT: Final = 900.0
MOST_SAID: Final = 300  # characters of GitHub's own words in a message


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that is no success."""

    asked: str  # "POST /repos/…"
    status: int
    headers: Mapping[str, str]  # names in lower case
    said: str  # the `message` of its body, and those of its `errors`
    now: float  # seconds since the epoch
    refusals: int = 0  # limits without a time that this installation met in a row, before this one


def failure(answer: Answer) -> GitHubError:
    """First row that matches says what it is."""
    row = next(row for row in ROWS if row.matches(answer))
    return row.error(answer)


def _told(answer: Answer, lead: str) -> str:
    said = re.sub(r"[^\S ]+|[\x00-\x1f\x7f]+", " ", answer.said)[:MOST_SAID].strip()
    request = re.sub(r"[^0-9A-Za-z:.-]", "", answer.headers.get("x-github-request-id", ""))[:64]
    about = f"{answer.asked}, status {answer.status}{f', request {request}' if request else ''}"
    return f"{lead} ({about}){f': {said}' if said else ''}"


def seconds_told(answer: Answer) -> float | None:
    """Retry-After, in seconds from now: a number, or a date. None: it does not say."""
    text = answer.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,7}", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - answer.now)
    except (ValueError, TypeError, OverflowError):
        return None


def resets_at(answer: Answer) -> float | None:
    text = answer.headers.get("x-ratelimit-reset", "")
    return float(text) if re.fullmatch(r"[0-9]{1,12}", text) else None


def _spent(answer: Answer) -> bool:
    return answer.headers.get("x-ratelimit-remaining") == "0"


def _limit(answer: Answer) -> MustWait:
    """`Retry-After` first, then the reset of a spent budget, then a growing guess: GitHub bans those who keep asking."""
    wait = seconds_told(answer)
    spent, reset = _spent(answer), resets_at(answer)
    secondary = not spent or "secondary" in answer.said.lower() or wait is not None
    if wait is None and spent and reset is not None:
        wait = reset - answer.now
    if wait is None:
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(answer.refusals, 10))
    until = answer.now + max(1.0, wait)
    return MustWait(_told(answer, "GitHub's limit is reached: this goes on by itself later"), answer.status, until, secondary=secondary)


_LIMIT_WORDS: Final = re.compile(r"rate limit|abuse detection|too many requests|submitted too quickly", re.IGNORECASE)
_NO_PERMISSION: Final = re.compile(r"not accessible by (integration|personal access token)", re.IGNORECASE)
_SUSPENDED: Final = re.compile(r"suspended", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    matches: Callable[[Answer], bool]
    error: Callable[[Answer], GitHubError]
    example: str  # an answer that this row is for; the tests ask each row for its own


def _status(*statuses: int) -> Callable[[Answer], bool]:
    return lambda answer: answer.status in statuses


def _refusal(*, limit: bool) -> Callable[[Answer], bool]:
    """A 403 or 429: is it a limit? With `Retry-After`, a spent budget, or only the words (scala-steward-org/scala-steward#2355)."""

    def matches(answer: Answer) -> bool:
        if answer.status not in (403, 429):
            return False
        named = "retry-after" in answer.headers or _spent(answer) or bool(_LIMIT_WORDS.search(answer.said))
        return limit == (named or answer.status == 429)

    return matches


ROWS: Final = (
    Row(
        _status(401),
        lambda a: BadCredentials(
            _told(a, "GitHub does not know us: check the App's id, its private key and this machine's clock"), a.status
        ),
        "401 Bad credentials",
    ),
    Row(_refusal(limit=True), _limit, "403 You have exceeded a secondary rate limit."),
    Row(
        lambda a: a.status == 403 and bool(_SUSPENDED.search(a.said)),
        lambda a: Gone(_told(a, "The installation is suspended: its owner can resume it"), a.status),
        "403 This installation has been suspended",
    ),
    Row(
        lambda a: a.status == 403 and bool(_NO_PERMISSION.search(a.said)),
        lambda a: NotAllowed(_told(a, "A permission is missing: the owner has to accept what the App asks for"), a.status),
        "403 Resource not accessible by integration",
    ),
    Row(
        _refusal(limit=False),
        lambda a: NotAllowed(_told(a, "GitHub does not allow it"), a.status),
        "403 Unable to create comment because issue is locked.",
    ),
    Row(
        lambda a: a.status == 409 and "empty" in a.said.lower(),
        lambda a: NotFound(_told(a, "The repository is empty"), a.status),
        "409 Git Repository is empty.",
    ),
    Row(_status(404, 410), lambda a: NotFound(_told(a, "GitHub has no such thing, or not for us"), a.status), "404 Not Found"),
    Row(_status(408), lambda a: GitHubBroken(_told(a, "GitHub is in trouble"), a.status), "408 Request Timeout"),
    Row(lambda a: a.status >= 500, lambda a: GitHubBroken(_told(a, "GitHub is in trouble"), a.status), "502 Server Error"),
    Row(lambda a: True, lambda a: Refused(_told(a, "GitHub refused"), a.status), "422 Validation Failed"),
)
