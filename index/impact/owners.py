"""The text of CODEOWNERS -> who owns which path. The last rule that matches wins, as on GitHub; GitLab's sections are understood too.

Where both differ, GitHub is followed: a line whose pattern holds `!` or `[...]`, or whose owner is no owner, is skipped and named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import re2

from index.files.globs import BadGlob, glob_source
from index.files.paths import raw
from index.impact.nouns import Owned
from index.types import Problem

# Where the file may be; the first that is there is the one.
PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MAX_BYTES: Final = 3 << 20  # GitHub reads no larger one
MAX_RULES: Final = 20_000
MAX_LINE: Final = 2_000  # characters
MAX_OWNERS: Final = 20  # of one rule
MAX_PROBLEMS: Final = 10
TOGETHER: Final = 500  # rules that are matched in one go

_SECTION: Final = re.compile(r"\^?\[(?P<name>[^\]\[]+)\](?:\[\d+\])?(?P<owners>(?:\s+[@\w].*)?)$")
_TEAM: Final = re.compile(r"@([A-Za-z0-9][A-Za-z0-9-]{0,99})/([A-Za-z0-9._/-]{1,100})")
_LOGIN: Final = re.compile(r"@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38})?)")
_EMAIL: Final = re.compile(r"([^@\s]{1,64})@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}")


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom a rule names. `login` is the account, or `organisation/team`; "" for an e-mail address, which is never repeated."""

    name: str
    login: str = ""
    team: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: str
    owners: tuple[Owner, ...]  # none: whoever owned it before does no longer
    line: int
    section: str = ""


@dataclass(frozen=True)
class CodeOwners:
    """All rules, in their order."""

    path: str = ""
    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    _together: list[_Together] = field(default_factory=list, compare=False, repr=False)

    def of(self, path: bytes) -> tuple[tuple[Owner, ...], str]:
        """A path as git has it -> its owners and the pattern that names them. Every section has its own last match."""
        last: dict[str, Rule] = {}
        for at in self._matching(path):
            rule = self.rules[at]
            last[rule.section] = rule
        named = [rule for rule in last.values() if rule.owners]
        owners = dict.fromkeys(owner for rule in named for owner in rule.owners)
        return tuple(owners), named[-1].pattern if named else ""

    def _matching(self, path: bytes) -> list[int]:
        """Rows of the rules that match, in their order: many patterns at once, so that a file of thousands is no slower to ask."""
        if not self._together:
            for start in range(0, len(self.rules), TOGETHER):
                self._together.append(_Together(start, [glob_source(rule.pattern) for rule in self.rules[start : start + TOGETHER]]))
        return [row for some in self._together for row in some.matching(path)]


class _Together:
    """Patterns of neighbouring rules, asked in one pass. RE2's sets say nothing where they run out of memory, so silence is checked."""

    def __init__(self, start: int, sources: Sequence[str]) -> None:
        self._start = start
        self._sources = [source.encode("utf-8", "surrogateescape") for source in sources]
        self._set = re2.Set.FullMatchSet(_options())
        for source in self._sources:
            self._set.Add(source)
        self._set.Compile()
        self._any = re2.compile(b"|".join(self._sources), _options())

    def matching(self, path: bytes) -> list[int]:
        found = self._set.Match(path)
        if not found and self._any.fullmatch(path) is not None:
            found = [at for at, source in enumerate(self._sources) if re2.compile(source, _options()).fullmatch(path) is not None]
        return [self._start + at for at in sorted(found or ())]


def read_codeowners(data: bytes, path: str) -> CodeOwners:
    """Bytes of the file -> its rules; lines that can't be used are skipped, as GitHub does, and named."""
    problems: list[Problem] = []
    rules: list[Rule] = []

    def wrong(line: int, message: str) -> None:
        if len(problems) < MAX_PROBLEMS:
            problems.append(Problem(path, line, message))

    if len(data) > MAX_BYTES:
        return CodeOwners(path, (), (Problem(path, 0, f"is larger than {MAX_BYTES >> 20} MB: owners are not known"),))
    section, inherited = "", ()  # type: tuple[str, tuple[Owner, ...]]
    for number, line in enumerate(data.decode("utf-8-sig", "surrogateescape").splitlines(), 1):
        words = _words(line[:MAX_LINE])
        if not words:
            continue
        heading = _SECTION.fullmatch(line.partition(" #")[0].strip())
        if heading is not None:
            section = heading["name"].strip().casefold()
            inherited = tuple(owner for word in heading["owners"].split() if (owner := owner_of(word)) is not None)
            continue
        pattern, named = words[0], words[1:]
        unknown = [word for word in named if owner_of(word) is None]
        try:
            glob_source(pattern)
        except BadGlob as error:
            wrong(number, f"the pattern `{_short(pattern)}` {error}: the line is skipped")
            continue
        if unknown:
            wrong(number, f"`{_short(unknown[0])}` is no account or team with its `@`, and no e-mail address: the line is skipped")
            continue
        owners = tuple(owner for word in named[:MAX_OWNERS] if (owner := owner_of(word)) is not None)
        rules.append(Rule(pattern, owners or inherited, number, section))
    if len(rules) > MAX_RULES:
        wrong(0, f"has {len(rules):,} rules: the last {MAX_RULES:,} are used")
    return CodeOwners(path, tuple(rules[-MAX_RULES:]), tuple(problems))


def owner_of(word: str) -> Owner | None:
    """`@octocat`, `@organisation/team`, `docs@example.com` -> whom it means; None for anything else."""
    if found := _TEAM.fullmatch(word):
        return Owner(found[2].rpartition("/")[2], f"{found[1]}/{found[2]}", True)
    if found := _LOGIN.fullmatch(word):
        return Owner(found[1], found[1])
    if found := _EMAIL.fullmatch(word):
        return Owner(found[1])
    return None


def owned(found: CodeOwners, paths: Iterable[str]) -> tuple[Owned, ...]:
    """Paths as they are shown -> those that have owners, sorted."""
    made = []
    for path in sorted(set(paths)):
        owners, pattern = found.of(raw(path))
        if owners:
            made.append(Owned(path, tuple(owner.name for owner in owners), pattern))
    return tuple(made)


def _words(line: str) -> Sequence[str]:
    """A line without its comment, cut at spaces; `\\ ` is a space within a word."""
    line = re.sub(r"(?:^|(?<=\s))#.*", "", line)
    return [word for word in re.split(r"(?<!\\)\s+", line.strip()) if word]


def _short(word: str) -> str:
    plain = "".join(c if c.isprintable() and c != "`" else "\ufffd" for c in word)
    return plain if len(plain) <= 60 else f"{plain[:60]}…"


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    options.log_errors = False
    options.max_mem = 64 << 20
    return options
