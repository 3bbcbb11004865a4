"""The nouns of impact analysis: what changed, where it is used, what becomes of each use, and the report that holds it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final

from index.config import RepositoryConfig
from index.types import EdgeKind, PathKind, Problem, Step, Symbol, Tier, Unresolved, quick_to_name

MEANS_NOW: Final = " now"  # so ends the detail of a body in which a name means something else: "`go` is `slow.go` now"
PASSES_ON: Final = "now passes on"  # stands in the detail of a definition that a module passed on, and something else now
IN_TYPES_ALONE: Final = ", in types alone"  # so ends the detail of other bases that are the same ones of other types: `Generic[T]`
MAY_LACK: Final = "may be absent now"  # the detail of a member of a type that got a `?`
MUST_HAVE: Final = "is required now"  # of one that lost it
TYPE_WAS: Final = "its type was"  # so begins the detail of a variable that holds what it held and is declared otherwise


class ChangeKind(StrEnum):
    """How a symbol changed; one symbol can have several."""

    REMOVED = "removed"
    RENAMED = "renamed"
    MOVED = "moved"
    SIGNATURE = "signature"
    BASES = "bases"
    DECORATORS = "decorators"
    SHAPE = "shape"  # the members of a type, an interface or an enum, or the fields of a class
    VALUE = "value"  # of a constant, a field or an enum member
    BODY = "body"
    REEXPORT = "re-export"  # the definition stands, but a module no longer passes it on
    ADDED = "added"
    OVERRIDES = "overrides"  # added, and runs from now on where an inherited member ran


class Severity(IntEnum):
    """What becomes of one use. Only a PROVED site may be WILL_BREAK."""

    WILL_BREAK = 0
    MAY_BREAK = 1
    FITS = 2

    @property
    def label(self) -> str:
        return ("will break", "may break", "fits")[self]


class ParameterKind(StrEnum):
    POSITIONAL_ONLY = "positional-only"
    POSITIONAL = "positional"
    KEYWORD_ONLY = "keyword-only"
    STAR = "star"  # *args
    STAR_STAR = "star-star"  # **kwargs
    REST = "rest"  # ...args
    DESTRUCTURED = "destructured"  # {a, b} or [a, b]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str  # the source text for a destructured one
    kind: ParameterKind
    has_default: bool = False  # also an optional `x?` of TypeScript
    annotation: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """What callers must agree with. The receiver (`self`, `cls`) is among the parameters, as written."""

    parameters: tuple[Parameter, ...]
    returns: str = ""
    is_async: bool = False
    is_generator: bool = False
    decorators: tuple[str, ...] = ()  # without the @
    is_static: bool = False
    visibility: str = ""  # public, private, protected where the language says so
    type_parameters: str = ""  # "<T extends X>", as written
    overloads: tuple[Signature, ...] = ()  # what type checkers see instead, where there are several; see `index.impact.signature.views`
    family: str = "python"  # a key of `index.impact.signature.RULES`


class SignatureChangeKind(StrEnum):
    ADDED_REQUIRED = "parameter added, required"
    ADDED_OPTIONAL = "parameter added, optional"
    REMOVED = "parameter removed"
    RENAMED = "parameter renamed"
    REORDERED = "parameters reordered"
    KEYWORD_ONLY = "became keyword-only"
    POSITIONAL_ONLY = "became positional-only"
    KIND = "parameter kind changed"
    DEFAULT_REMOVED = "default removed"
    DEFAULT_ADDED = "default added"
    DEFAULT_CHANGED = "default changed"
    ANNOTATION = "annotation changed"
    RETURN = "return type changed"
    TYPE_PARAMETERS = "type parameters changed"
    OVERLOADS = "overloads changed"
    ASYNC = "async changed"
    GENERATOR = "generator changed"
    DECORATORS = "decorators changed"
    STATIC = "static changed"
    VISIBILITY = "visibility changed"


for _kind in (ChangeKind, Severity, ParameterKind, SignatureChangeKind):
    quick_to_name(_kind)


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """One difference between two signatures, and whether a caller can notice."""

    kind: SignatureChangeKind
    name: str  # the parameter; "" where it is about the whole
    breaking: bool
    why: str  # "`currency` is now required", shown to people as it stands


@dataclass(frozen=True, slots=True)
class Members:
    """Members of an interface or an object type that are not what they were, by name."""

    required: tuple[str, ...]  # every object must have them from now on: new, or optional before
    others: tuple[str, ...]  # gone, of another type, or new and optional


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One definition that the change touched in a way that can matter. `before` is a row of the base, `after` of the head."""

    before: Symbol | None
    after: Symbol | None
    kinds: tuple[ChangeKind, ...]
    signature: tuple[SignatureChange, ...] = ()
    signature_before: Signature | None = None
    signature_after: Signature | None = None
    details: tuple[str, ...] = ()  # "value `0.2` is now `0.21`"
    path_kind: PathKind = PathKind.SOURCE
    inside: bool = False  # only because the definition around it was added, removed, renamed or moved
    members: Members | None = None  # of an interface or an object type of which nothing but members changed

    @property
    def symbol(self) -> Symbol:
        """Where people should look: the head's definition, or the base's where it is gone."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def key(self) -> str:
        """`path::qualified`, unique enough to name it and the same in every run."""
        return f"{self.symbol.path}::{self.symbol.qualified}"


@dataclass(frozen=True, slots=True)
class Neutral:
    """A definition that the diff touches and that we left out, with the reason."""

    path: str
    qualified: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class CallSite:
    """One use of a changed symbol. `path:line:column` is in the head; `source` is the definition that holds it."""

    path: str
    line: int
    column: int
    source: Symbol
    target: str  # the name as people know it
    kind: EdgeKind
    tier: Tier
    chain: tuple[Step, ...]
    text: str  # the line, trimmed
    path_kind: PathKind = PathKind.SOURCE


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one use."""

    id: str  # eight hex digits of (changed symbol, place by name, reason): survives line moves, so that it can be acknowledged
    changed: int  # row of the report's `changed`
    site: CallSite
    severity: Severity
    reason: str  # "`currency` is now required", shown to people as it stands
    hedge: str = ""  # why it is not proved: "the call passes *args"


@dataclass(frozen=True, slots=True)
class Hop:
    """One edge of the path from a reached symbol back to the change."""

    source: str  # qualified name
    target: str
    path: str
    line: int
    kind: EdgeKind
    tier: Tier


@dataclass(frozen=True, slots=True)
class Part:
    """One reason for a score. `value` is weight times what was measured, so that the parts add up to the score."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Reached:
    """One symbol a change reaches, and why we say so."""

    symbol: Symbol
    steps: int  # 1 = uses the changed symbol itself
    tier: Tier  # of the weakest hop
    changed: int  # row of the report's `changed`
    because: str  # "calls `rate` on line 4", shown to people as it stands
    hops: tuple[Hop, ...]  # from the reached symbol to the changed one
    package: str
    path_kind: PathKind = PathKind.SOURCE
    score: float = 0.0
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedSymbol:
    """One changed symbol with what it reaches, as a row of the first table."""

    changed: int
    score: float
    direct: int
    total: int
    breaks: int
    tests: int
    tiers: tuple[int, int, int]  # direct uses that are proved, likely, possible
    unresolved: int  # sites that could reach it too: the counts are at least
    is_hub: bool = False  # used more than 99 % of the repository's definitions
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedFile:
    """Another file that the change may concern."""

    path: str
    score: float
    parts: tuple[Part, ...]
    path_kind: PathKind = PathKind.SOURCE


@dataclass(frozen=True, slots=True)
class SuggestedTest:
    """A test worth running first."""

    path: str
    qualified: str  # "" for the whole file
    line: int
    score: float
    steps: int  # 0: not reached by the graph
    tier: Tier
    because: str
    runner: str = ""  # a row of `index.impact.runners.COMMANDS`
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A place found by text or meaning, never counted as a caller."""

    path: str
    line: int
    because: str
    score: float


@dataclass(frozen=True, slots=True)
class OpenSite:
    """A use that leads nowhere we can show and could reach a changed symbol."""

    path: str
    line: int
    column: int
    name: str
    reason: Unresolved
    changed: int


@dataclass(frozen=True, slots=True)
class Together:
    """A file that usually changes with the ones changed here, and does not this time."""

    path: str
    with_path: str
    commits: int  # in which both changed
    of: int  # in which `with_path` changed


@dataclass(frozen=True, slots=True)
class Owned:
    """A path of the report and whom CODEOWNERS names for it."""

    path: str
    owners: tuple[str, ...]  # as people read them, without the @: `payments`, `octocat`
    rule: str = ""  # the pattern that matched


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Someone who knows what is impacted. Never the author of the change, never a bot."""

    name: str  # as people know them, never with an @
    login: str = ""  # the account or `organisation/team` where it is known, without the @; "" where it is not
    team: bool = False
    why: str = ""  # "owns 62 % of the impacted lines", shown to people as it stands
    share: float = 0.0  # of the impacted lines, 0 to 1


@dataclass(frozen=True, slots=True)
class SkippedFile:
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class PackageCount:
    package: str
    breaks: int
    at_risk: int
    reached: int


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """Everything we can say of a change, with its evidence. The same commits and settings give the same report, to the byte;
    what differs from run to run (`timings`) is kept apart and is not part of any output that must be stable."""

    base: str
    head: str
    changed: tuple[ChangedSymbol, ...]
    ranked: tuple[RankedSymbol, ...]
    neutral: tuple[Neutral, ...]
    breaks: tuple[Verdict, ...]  # WILL_BREAK, most sure first
    at_risk: tuple[Verdict, ...]  # MAY_BREAK, and every other use one step away
    fits: int  # uses of re-signed symbols that were checked and still fit
    reached: tuple[Reached, ...]  # every step, most affected first
    packages: tuple[PackageCount, ...]
    tests: tuple[SuggestedTest, ...]
    files: tuple[RankedFile, ...]
    together: tuple[Together, ...]
    mentions: tuple[Mention, ...]
    open_sites: tuple[OpenSite, ...]
    changed_files: tuple[tuple[str, str], ...]  # (path in the head, kind of path)
    skipped: tuple[SkippedFile, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()  # what was capped or could not be looked at, in words
    quiet: str = ""  # why there is nothing to say; "" where there is
    owners: tuple[Owned, ...] = ()  # of changed and impacted paths, sorted by path
    reviewers: tuple[Reviewer, ...] = ()  # who should look, first who knows most
    silent: str = ""  # why the repository's settings want no comment, though there is something to say
    settings: RepositoryConfig = field(default_factory=RepositoryConfig)  # of the base commit
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)  # seconds by phase
