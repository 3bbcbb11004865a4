"""The nouns of the GitHub side. All frozen; read this file first.

    bytes of a delivery -> Delivery -> Event -> Job -> what is written on GitHub
    bot/app.py    bot/events.py  bot/plan.py  bot/flows -> bot/github

Repositories are known by GitHub's id: names change, ids do not. What an event says of a pull request is a hint, because deliveries come
late and in any order; `GitHub.pull_request` says how it is now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# ---- who and where


@dataclass(frozen=True, slots=True)
class Actor:
    """An account of GitHub, a person's or a program's."""

    login: str  # "octocat", "dependabot[bot]"
    id: int = 0  # 0: not told
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class RepositoryRef:
    """A repository, and the installation through which we may read it."""

    id: int
    full_name: str  # "owner/name" as last heard: to show, and to build addresses that GitHub redirects
    installation: int = 0  # 0: none, as in the Action, which has a token of its own
    private: bool = True
    default_branch: str = ""  # "": not told
    archived: bool = False

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.partition("/")[2]

    @property
    def key(self) -> str:
        """What its jobs are called; those of a pull request, a branch or a commit begin with it."""
        return f"repository {self.id}"

    def key_of_pull(self, number: int) -> str:
        return f"{self.key} pull {number}"

    def key_of_branch(self, branch: str) -> str:
        return f"{self.key} branch {branch}"


class PullState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request at one moment."""

    repository: RepositoryRef  # where it was opened, also when its head is in a fork
    number: int
    head_sha: str
    base_sha: str  # the tip of the base branch, not the merge base
    head_ref: str = ""
    base_ref: str = ""
    author: Actor = Actor("")
    title: str = ""
    state: PullState = PullState.OPEN
    draft: bool = False
    from_fork: bool = False  # also where the fork is gone
    changed_files: int = -1  # -1: not told


# ---- what is written


class CommentPlace(StrEnum):
    """The two sorts of comments have ids of their own and other addresses."""

    CONVERSATION = "conversation"  # below the pull request
    REVIEW = "review"  # at a line of the diff


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment somebody wrote: where to answer and react."""

    repository: RepositoryRef
    number: int  # of the pull request
    id: int
    place: CommentPlace = CommentPlace.CONVERSATION
    thread: int = 0  # id of the comment that began the review thread; its own id if it did. 0 in a conversation
    path: str = ""  # of the reviewed file; "" in a conversation
    line: int = 0  # in the head's file; 0: not told, or the line is gone


@dataclass(frozen=True, slots=True)
class PostedComment:
    """One of our own comments as it stands on GitHub. People with write access can edit it: a hint, never a fact."""

    id: int
    body: str
    url: str  # to show, never to fetch
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class SaidComment:
    """What a person wrote in a pull request."""

    login: str
    body: str


class WriteResult(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"  # the same text stood there already: nothing was sent
    ABSENT = "absent"  # there was no comment of ours, and none was wanted
    GONE = "gone"  # somebody deleted ours, and it was not wanted back yet


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a comment we wanted there."""

    result: WriteResult
    id: int = 0
    url: str = ""
    removed: int = 0  # further copies of ours that were deleted


class Reaction(StrEnum):
    SEEN = "eyes"
    DONE = "rocket"
    FAILED = "confused"
    AGREED = "+1"


class Conclusion(StrEnum):
    NEUTRAL = "neutral"
    SUCCESS = "success"
    FAILURE = "failure"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    ACTION_REQUIRED = "action_required"


class Level(StrEnum):
    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark at lines of a file of the head."""

    path: str
    start_line: int
    end_line: int
    level: Level
    message: str  # at most 64 KB; longer ones are cut
    title: str = ""  # at most 255 characters; longer ones are cut


@dataclass(frozen=True, slots=True)
class CheckButton:
    """A button below a check. GitHub's limits: label 20, description 40, identifier 20 characters, three buttons."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckOutput:
    title: str
    summary: str  # Markdown; at most 65,535 characters; longer ones are refused before they are sent
    text: str = ""  # the same
    annotations: tuple[Annotation, ...] = ()  # any number: sent 50 at a time, at most 200
    buttons: tuple[CheckButton, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check of ours on a commit."""

    id: int
    name: str
    head_sha: str
    external_id: str = ""
    completed: bool = False
    conclusion: str = ""


class Permission(StrEnum):
    """What an account may do in a repository; custom roles are told as the role they are made from. Ordered by `PERMISSIONS`."""

    NONE = "none"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


PERMISSIONS = (Permission.NONE, Permission.READ, Permission.WRITE, Permission.ADMIN)


# ---- what comes in


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery whose signature was right. The body is kept as it came."""

    id: str  # X-GitHub-Delivery: the same again when GitHub redelivers
    event: str  # X-GitHub-Event
    body: bytes


class CommandKind(StrEnum):
    ASK = "ask"
    WHY = "why"
    IMPACT = "impact"
    TESTS = "tests"
    ACK = "ack"
    REFRESH = "refresh"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Command:
    """One `/maguyva …` line of a comment."""

    kind: CommandKind
    argument: str = ""  # the question, the symbol, the id; "" where there is none. Hostile text
    line: int = 1  # of the comment, from 1
    note: str = ""  # what was cut or left out, in a sentence to show with the answer


class PullAction(StrEnum):
    """GitHub's action, as far as it matters to us."""

    OPENED = "opened"
    PUSHED = "synchronize"
    REOPENED = "reopened"
    READY = "ready_for_review"
    DRAFTED = "converted_to_draft"
    EDITED = "edited"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    action: PullAction
    pull_request: PullRequest
    sender: Actor
    before_sha: str = ""  # the head before a push
    base_changed: bool = False  # with EDITED


@dataclass(frozen=True, slots=True)
class CommentEvent:
    comment: CommentRef
    body: str
    author: Actor
    sender: Actor
    edited: bool = False
    body_before: str = ""  # with `edited`
    on_pull_request: bool = True  # False: on an issue
    by_app: bool = False  # written through some App, by a program or by a person who uses it
    association: str = ""  # GitHub's author_association; private members are told as NONE, so it decides nothing


@dataclass(frozen=True, slots=True)
class PushEvent:
    repository: RepositoryRef
    branch: str  # "" for a tag
    before: str  # 40 zeros: the branch is new
    after: str  # 40 zeros: the branch is gone
    sender: Actor
    forced: bool = False


@dataclass(frozen=True, slots=True)
class CheckEvent:
    """Somebody pressed "re-run" (`identifier` == "") or a button of ours."""

    repository: RepositoryRef
    head_sha: str
    sender: Actor
    app: str = ""  # id of the App whose check it is
    check_run: int = 0  # 0: all of a suite
    external_id: str = ""
    identifier: str = ""
    pull_requests: tuple[int, ...] = ()  # empty for forks


class InstallationAction(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    SUSPENDED = "suspend"
    RESUMED = "unsuspend"
    PERMISSIONS = "new_permissions_accepted"
    RENAMED = "renamed"  # the account that has it


@dataclass(frozen=True, slots=True)
class InstallationEvent:
    action: InstallationAction
    installation: int
    account: str
    sender: Actor
    repositories: tuple[RepositoryRef, ...] = ()  # those told; empty is not "none"


@dataclass(frozen=True, slots=True)
class InstallationRepositoriesEvent:
    installation: int
    added: tuple[RepositoryRef, ...]
    removed: tuple[RepositoryRef, ...]
    sender: Actor


class RepositoryAction(StrEnum):
    RENAMED = "renamed"
    TRANSFERRED = "transferred"
    DELETED = "deleted"
    ARCHIVED = "archived"
    UNARCHIVED = "unarchived"
    PRIVATIZED = "privatized"
    PUBLICIZED = "publicized"
    EDITED = "edited"  # the default branch, among others


@dataclass(frozen=True, slots=True)
class RepositoryEvent:
    action: RepositoryAction
    repository: RepositoryRef
    sender: Actor
    old_name: str = ""  # "owner/name" before; "" where it is the same


@dataclass(frozen=True, slots=True)
class PingEvent:
    zen: str


@dataclass(frozen=True, slots=True)
class IgnoredEvent:
    """A genuine delivery that asks nothing of us."""

    event: str
    action: str
    why: str


Event = (
    PullRequestEvent
    | CommentEvent
    | PushEvent
    | CheckEvent
    | InstallationEvent
    | InstallationRepositoriesEvent
    | RepositoryEvent
    | PingEvent
    | IgnoredEvent
)


# ---- what is to be done


class JobKind(StrEnum):
    ANALYSE = "analyse"  # a pull request: comment and check
    SETTLE = "settle"  # a pull request was closed or became a draft: finish its check, drop what only it needed
    BUILD = "build"  # a branch: index its tip
    ANSWER = "answer"  # a command
    WELCOME = "welcome"  # a repository came to us: index its default branch, look at its open pull requests
    FORGET_REPOSITORY = "forget_repository"  # delete everything of it
    FORGET_INSTALLATION = "forget_installation"  # delete everything of all its repositories
    SUSPEND = "suspend"  # stop touching an installation; keep its data
    RESUME = "resume"  # and begin again
    RENAME = "rename"  # remember another name; nothing else changes
    PAUSE_REPOSITORY = "pause_repository"  # archived: nothing can be written there


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do. Repeating it does no harm. `key` names what at most one job at a time may work on; a newer ANALYSE or BUILD of the
    same key takes the place of one that waits."""

    kind: JobKind
    key: str  # "repository 42 pull 7", "repository 42 branch main", "comment 1234", "installation 9"
    because: str  # "opened", "pushed to", "a command in a comment": for logs and the status page
    installation: int = 0
    repository: RepositoryRef | None = None
    number: int = 0
    head_sha: str = ""  # as the event told it: a hint
    branch: str = ""
    command: Command | None = None
    comment: CommentRef | None = None
    asked_by: Actor | None = None
    forced: bool = False  # do it even if this head was done: somebody asked for it


@dataclass(frozen=True, slots=True)
class Plan:
    """The jobs an event causes, or why none."""

    jobs: tuple[Job, ...]
    why: str


# ---- the App and its limits


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Who we are, as GitHub says."""

    id: int
    slug: str  # our comments are written by "<slug>[bot]"
    name: str
    permissions: Mapping[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    clock_skew: float = 0.0  # seconds our clock is ahead of GitHub's


@dataclass(frozen=True, slots=True)
class Installation:
    id: int
    account: str
    suspended: bool
    permissions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewApp:
    """What GitHub hands over once when an App was made from our manifest. All but `id`, `slug` and `url` are secrets."""

    id: int
    slug: str
    url: str
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SentDelivery:
    """A delivery as GitHub's own list has it."""

    id: int  # for `redeliver`; not the id in the header
    delivery: str  # the id in the header
    event: str
    action: str
    sent_at: float  # seconds since the epoch
    status_code: int  # what we answered; 0: nothing
    redelivery: bool = False

    @property
    def failed(self) -> bool:
        return not 200 <= self.status_code < 300


@dataclass(frozen=True, slots=True)
class RateState:
    """What GitHub last said of an installation's budget, and until when it asked us to wait."""

    limit: int = 0  # 0: not told, as on servers without limits
    remaining: int = 0
    reset_at: float = 0.0  # seconds since the epoch
    wait_until: float = 0.0  # no call before this; 0: go on


@dataclass(frozen=True, slots=True)
class GitAccess:
    """How git reaches a repository for the next minutes."""

    url: str  # without any secret
    header: str = field(repr=False)  # "Authorization: Basic …"; "": none is needed
    expires_at: float = 0.0
