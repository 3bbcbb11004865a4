"""The nouns. Frozen, and none computes more than a label. `path` is repository-relative, `line` and `column` start at 1 everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum


def quick_to_name(kind: type[Enum]) -> None:
    """In Python 3.11 `SymbolKind.CLASS` is looked up by a function, for half a microsecond each time; from 3.12 on it is an attribute of
    the class, which takes a tenth of that. Here it is one already."""
    for member in kind:
        type.__setattr__(kind, member.name, member)


class SymbolKind(IntEnum):
    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    METHOD = 3
    PROPERTY = 4  # read like an attribute, runs like a function
    CONSTANT = 5  # a module-level variable
    FIELD = 6  # a class-body or instance attribute
    INTERFACE = 7
    TYPE = 8  # a type alias
    ENUM = 9
    MEMBER = 10  # one value of an enum
    NAMESPACE = 11
    LAMBDA = 12  # a function without a name of its own

    @property
    def label(self) -> str:
        return self.name.lower()


class EdgeKind(IntEnum):
    CALL = 0
    DECORATE = 1  # a decoration is a call
    ACCESS = 2  # reads or writes a property, or reaches a dunder through an operator: runs code without a call
    PASS = 3  # the function or class goes somewhere as a value
    READ = 4
    WRITE = 5
    INHERIT = 6
    IMPLEMENT = 7
    OVERRIDE = 8  # source overrides target
    TYPE = 9  # named in an annotation or another type position
    IMPORT = 10
    REEXPORT = 11

    @property
    def label(self) -> str:
        return EDGE_LABELS[self]


EDGE_LABELS = {
    EdgeKind.CALL: "calls",
    EdgeKind.DECORATE: "is decorated with",
    EdgeKind.ACCESS: "reaches",
    EdgeKind.PASS: "passes",
    EdgeKind.READ: "reads",
    EdgeKind.WRITE: "writes",
    EdgeKind.INHERIT: "inherits from",
    EdgeKind.IMPLEMENT: "implements",
    EdgeKind.OVERRIDE: "overrides",
    EdgeKind.TYPE: "names the type",
    EdgeKind.IMPORT: "imports",
    EdgeKind.REEXPORT: "re-exports",
}


class Tier(IntEnum):
    """How sure an edge is. PROVED: by scope, import or declared type. LIKELY: inferred receiver, or the only override of
    a method that does nothing itself. POSSIBLE: one of several candidates, another override, or the name only."""

    PROVED = 0
    LIKELY = 1
    POSSIBLE = 2

    @property
    def label(self) -> str:
        return self.name.lower()


class Step(IntEnum):
    """One link of the chain that led from a written name to a definition. A chain is up to seven steps packed four bits
    each, first step in the lowest bits (`index.snapshot.steps_of`)."""

    SCOPE = 1  # found in an enclosing scope of the same file
    IMPORT = 2
    REEXPORT = 3
    STAR = 4  # through `from m import *` or `export *`
    ATTRIBUTE = 5  # an attribute of a module, class or object
    SELF = 6  # self, cls, this
    SUPER = 7
    CONSTRUCT = 8  # an instance made by calling a class
    DECLARED = 9  # a declared type
    ASSIGN = 10  # a value assigned earlier
    RETURN = 11  # what a function returns
    ARGUMENT = 12  # what callers pass
    ELEMENT = 13  # an element of a container, or an iteration
    DISPATCH = 14  # a method of a subclass
    IMPLICIT = 15  # an operator, a decorator, a with, a fixture: the language or a framework calls it


class Unresolved(IntEnum):
    """Why a call site leads nowhere we can show."""

    RECEIVER = 0  # the type of the receiver is not known
    NAME = 1  # the name is bound nowhere we can see
    DYNAMIC = 2  # getattr, import by string, eval, a computed member
    MISSING = 3  # the import names a project module or name that is not there
    AMBIGUOUS = 4  # too many candidates to list

    @property
    def label(self) -> str:
        return self.name.lower()


class PathKind(IntEnum):
    SOURCE = 0
    TEST = 1
    VENDOR = 2
    BUILD = 3
    ARCHIVE = 4
    GENERATED = 5
    DOCS = 6

    @property
    def label(self) -> str:
        return self.name.lower()


for _kind in (SymbolKind, EdgeKind, Tier, Step, Unresolved, PathKind):
    quick_to_name(_kind)

BINARY = "binary"  # the message of a file that is no text


@dataclass(frozen=True, slots=True)
class Problem:
    """Something we could not do, in words for the user."""

    path: str
    line: int  # 0: the whole file
    message: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition, as people see it. `id` is its row in the snapshot it came from."""

    id: int
    path: str
    name: str
    qualified: str  # Cart.total; `outer.inner` for nested functions; "<module>" for the file itself
    kind: SymbolKind
    line: int  # of the name
    start_line: int  # of the first decorator or keyword
    end_line: int


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` uses `target` at `path:line:column` (a place in the source's file)."""

    source: Symbol
    target: Symbol
    kind: EdgeKind
    tier: Tier
    line: int
    column: int
    chain: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class UnresolvedSite:
    """A use we kept although we don't know what it reaches."""

    source: Symbol
    name: str
    line: int
    column: int
    reason: Unresolved


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a commit or a working tree. `path` is bytes as git has them; show it with `index.files.paths.shown`."""

    path: bytes
    blob: str  # hex object id; for a file of the working tree, the id it would have
    size: int
    mode: int  # 0o100644, 0o100755, 0o120000 (symlink), 0o160000 (submodule)


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a diff says of one file. Spans are (first line, last line), both included; an empty span between lines n and n+1 is (n+1, n)."""

    old_path: bytes | None  # None: added
    new_path: bytes | None  # None: deleted
    old_blob: str
    new_blob: str
    old_mode: int
    new_mode: int
    similarity: int  # 100 for an exact rename, 0 where git saw none
    old_spans: tuple[tuple[int, int], ...] = ()
    new_spans: tuple[tuple[int, int], ...] = ()
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one retriever gave to one result."""

    retriever: str
    rank: int  # from 0
    weight: float
    score: float  # weight / (k + rank + 1)


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that a retriever or the fusion found."""

    path: str
    line: int
    end_line: int
    chunk: int  # row in the snapshot's chunks
    symbol: int  # row in the snapshot's symbols
    score: float
    why: str  # "calls `rate` on line 4", shown to people as it stands
    parts: tuple[Contribution, ...] = ()
    boost: float = 1.0
    demotion: float = 1.0
    use: str = ""  # of a use of a symbol: its kind ("calls") and
    tier: str = ""  # "proved", "likely", "possible" or "unresolved"
    weak: bool = False  # it has little of what was asked for, in every list that holds it
    placed: tuple[Contribution, ...] = ()  # where code and history were put together, what its place in each gave; `score` is their sum


@dataclass(frozen=True, slots=True)
class Query:
    """A question on its way to the retrievers."""

    text: str  # as the person wrote it
    intent: str  # a key of index.fusion.profiles.WEIGHTS
    subject: str  # the symbol, literal or topic the question is about
    symbols: tuple[int, ...] = ()  # rows of the snapshot's symbols, where the caller knows them
    pattern: str = ""  # a literal or a regular expression for the text retriever
    is_regex: bool = False
    paths: tuple[str, ...] = ()  # only paths that match one of these globs
    languages: tuple[str, ...] = ()
    subject_kind: str = ""  # "symbol", "literal", "pattern", "construct", "tree query" or "topic"; "" where a program asks
    words: str = ""  # to be looked for as words, where that is more than the subject
    how: str = ""  # of a pattern: "i" in any case, "w" whole words
    wants: str = ""  # "tests", "callees" or "path": what of all that is found answers the question
    other: str = ""  # the symbol at the other end of a path


@dataclass(frozen=True, slots=True)
class UseCount:
    """How many uses of the symbols asked about there are, of one kind and tier; "unresolved" ones use the name and may mean them."""

    use: str
    tier: str
    count: int
    files: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got, and how."""

    query: Query
    confidence: float
    rule: str  # the row of the intent table that matched
    fusion_strategy: str  # "direct" or "weighted_rrf"
    preset: str
    retrievers: tuple[str, ...]
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = field(default=())  # what could not be looked at, a fallback, nearest names
    late: tuple[str, ...] = ()  # retrievers that were not waited for
    total: int = 0  # results before `limit` was applied; the retrievers' own limits count
    weaker: int = 0  # how many of them, at the end, are all weak
    uses: tuple[UseCount, ...] = ()  # of find_references: every use there is, whatever is shown
    nearest: tuple[str, ...] = ()  # names near one that no symbol has
