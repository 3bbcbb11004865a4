"""What a story wants published: waits in a table of ours, as JSON, until the installation's writer takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from bot.rendering.check import CheckRun
from bot.types import CommentRef, Conclusion, Reaction, RepositoryRef
from bot.written import of_json
from index.errors import StorageError


@dataclass(frozen=True, slots=True)
class Report:
    """What the engine says of a pull request, rendered (`bot/engines/tasks.py`, "impact")."""

    body: str  # of the comment
    silent: bool  # it is worth no comment of its own
    check: CheckRun
    summary: dict[str, Any]  # the figures that the next run compares itself with
    headline: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """A comment and a check of one head."""

    repository: RepositoryRef
    number: int
    key: str  # of the job, with its turn: whether it is still wanted
    turn: int
    head: str
    base_ref: str
    done: str  # digest of all that went into it
    report: Report
    kind: Literal["report"] = "report"


@dataclass(frozen=True, slots=True)
class CheckDraft:
    """A check alone: why there is no report."""

    repository: RepositoryRef
    number: int
    head: str
    check: CheckRun
    kind: Literal["check"] = "check"


@dataclass(frozen=True, slots=True)
class ReplyDraft:
    """An answer in a thread, and the reaction to the comment that asked."""

    comment: CommentRef
    marker: str
    body: str
    reaction: Reaction
    kind: Literal["reply"] = "reply"


Draft = ReportDraft | CheckDraft | ReplyDraft
KINDS: Mapping[str, type[ReportDraft] | type[CheckDraft] | type[ReplyDraft]] = MappingProxyType(
    {"report": ReportDraft, "check": CheckDraft, "reply": ReplyDraft}
)


def read_draft(stored: Mapping[str, Any]) -> Draft:
    """As `to_json` wrote it. Raises StorageError."""
    kind = KINDS.get(str(stored.get("kind")))
    if kind is None:
        raise StorageError("A stored draft is of no kind that this version knows.")
    return of_json(kind, dict(stored))


def only_title(title: str, summary: str, conclusion: Conclusion) -> CheckRun:
    """A check that says one thing."""
    return CheckRun(title, summary, "", conclusion.value, ())
