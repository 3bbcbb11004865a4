"""Questions about the shape of code -> the places that have it: queries over syntax trees, and phrases such as
"async functions that catch KeyError", which are rows of a table of such queries.

The trees themselves are another process's business (`index.syntax`): it is given in as a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from index.content import bytes_of
from index.distinct import distinct, one_of
from index.errors import CannotLook, MaguyvaError, QuestionError
from index.intent.classify import without_accents
from index.intent.rules import CONSTRUCT, TREE_QUERY
from index.languages import BY_NUMBER
from index.retrievers.places import RANK_OF_PATH, allowed_files, symbol_hit
from index.snapshot import Snapshot
from index.trigrams.lookup import find_identifier
from index.types import Hit, Query, SymbolKind

MOST_FILES = 2_000
MOST_BYTES = 24 << 20
MOST_QUERY = 2_000  # characters


@dataclass(frozen=True, slots=True)
class Captures:
    """What a query captured: (number of the file in the request, start byte, end byte, capture), in order of file and place."""

    found: tuple[tuple[int, int, int, str], ...]
    more: bool  # there is more than these


class Refused(MaguyvaError):
    """The grammar of a language does not know the query."""


Matcher = Callable[[int, str, Sequence[bytes]], Captures]  # language number, query, files; raises Refused or CannotLook

# -- what is asked ----------------------------------------------------------------------------------------------------------

FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.LAMBDA})
METHODS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})
WHAT: Mapping[str, frozenset[SymbolKind]] = MappingProxyType(
    {
        **dict.fromkeys(("function", "fonction", "coroutine", "generator", "generateur"), FUNCTIONS),
        **dict.fromkeys(("method", "methode"), METHODS),
        **dict.fromkeys(("class", "classe"), CLASSES),
    }
)

_PYTHON_PARAMETERS = (
    "(parameters [(identifier) @named (default_parameter name: (identifier) @named) (typed_parameter (identifier) @named) "
    "(typed_default_parameter name: (identifier) @named) (list_splat_pattern (identifier) @named) "
    "(dictionary_splat_pattern (identifier) @named)])"
)
_PARAMETERS = (
    "(formal_parameters [(identifier) @named (assignment_pattern left: (identifier) @named) (rest_pattern (identifier) @named) "
    "(object_pattern (shorthand_property_identifier_pattern) @named)])"
)
_TYPED_PARAMETERS = (
    "(required_parameter pattern: (identifier) @named) (optional_parameter pattern: (identifier) @named) "
    "(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @named))"
)


@dataclass(frozen=True, slots=True)
class Trait:
    """Something that code has or does. `@named` captures what must hold the asked name, `@place` a place inside the code that has it."""

    name: str
    said: str  # after accents and endings are gone
    python: str
    script: str  # JavaScript and TypeScript
    typed: str = ""  # TypeScript, where it differs
    word: str = ""  # of the file's text, where no name is asked for
    why: str = "{}"

    def asked_of(self, language: str) -> str:
        """The name of a language -> the query that shows the trait there, "" where it has none."""
        return {
            "python": self.python,
            "javascript": self.script,
            "typescript": self.typed or self.script,
            "tsx": self.typed or self.script,
        }.get(language, "")


TRAITS = (
    Trait("catch", r"catch(?:es)?|attrapent", "(except_clause) @named", "(catch_clause) @named", why="catches `{}`"),
    Trait("raise", r"raises?|throws?|levent|lancent", "(raise_statement) @named", "(throw_statement) @named", why="raises `{}`"),
    Trait("yield", r"yields?", "(yield) @named", "(yield_expression) @named", why="yields `{}`"),
    Trait("await", r"awaits?", "(await) @named", "(await_expression) @named", why="awaits `{}`"),
    Trait("return", r"returns?|renvoient", "(return_statement) @named", "(return_statement) @named", why="returns `{}`"),
    Trait(
        "decorated",
        r"decorated (?:with|by)|decoree?s (?:avec|par)",
        "(decorator) @named",
        "(decorator) @named",
        why="is decorated with `{}`",
    ),
    Trait(
        "parameter",
        r"with (?:an? )?(?:parameter|argument)s?(?: (?:named|called))?",
        _PYTHON_PARAMETERS,
        _PARAMETERS,
        _TYPED_PARAMETERS,
        why="has a parameter `{}`",
    ),
)
MODIFIERS = (
    Trait(
        "async",
        "async|coroutines?|asynchrones?",
        '(function_definition "async" @place)',
        '(function_declaration "async" @place) (method_definition "async" @place) (arrow_function "async" @place) '
        '(function_expression "async" @place)',
        word="async",
        why="is async",
    ),
    Trait("generator", "generators?|generateurs?", "(yield) @place", "(yield_expression) @place", word="yield", why="is a generator"),
    Trait(
        "static",
        "static",
        '(decorated_definition (decorator (identifier) @place (#eq? @place "staticmethod")))',
        '(method_definition "static" @place)',
        word="static",
        why="is static",
    ),
    Trait(
        "abstract",
        "abstract",
        '(decorated_definition (decorator (_) @place (#match? @place "abstract")))',
        "",
        "(abstract_method_signature) @place (abstract_class_declaration) @place",
        word="abstract",
        why="is abstract",
    ),
)
_NAMED = re.compile(r"\b(?:named|called|nommee?s)\s+`?(?P<name>[\w$.*]+)`?$")
_MEMBER = re.compile(r"\bwith (?:an? )?(?:method|attribute)s?(?: (?:named|called))?\s+`?(?P<name>[\w$.*]+)`?$")
_TOKEN = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_EQUAL = re.compile(r'#eq\?\s+@[\w.]+\s+"(\w{3,100})"')


@dataclass(frozen=True, slots=True)
class Construct:
    """A phrase about code, taken apart."""

    kinds: frozenset[SymbolKind]
    modifiers: tuple[Trait, ...]
    trait: Trait | None
    name: str  # what the trait must hold; may have a *
    named: str  # what the code itself is called; may have a *
    member: str  # what one of its members is called


def taken_apart(phrase: str) -> Construct | None:
    """ "async functions that catch KeyError" -> its parts; None where a word is not understood."""
    plain = without_accents(phrase).strip()
    lowered = plain.lower()
    said = sorted((found.start(), word) for word in WHAT if (found := re.search(rf"\b{word}(?:e?s)?\b", lowered)))
    if not said:
        return None
    kinds = WHAT[said[0][1]]
    modifiers = tuple(trait for trait in MODIFIERS if re.search(rf"\b(?:{trait.said})\b", lowered))
    if found := _MEMBER.search(plain):
        return Construct(kinds, modifiers, None, "", "", found["name"])
    if found := _NAMED.search(plain):
        for trait in TRAITS:  # with a parameter named timeout
            if re.search(rf"\b(?:{trait.said})\s+`?{re.escape(found['name'])}", lowered, re.IGNORECASE):
                return Construct(kinds, modifiers, trait, found["name"], "", "")
        return Construct(kinds, modifiers, None, "", found["name"], "")
    for trait in TRAITS:
        if found := re.search(rf"\b(?:{trait.said})\s+`?(?P<name>[\w$.*]+)`?$", plain, re.IGNORECASE):
            return Construct(kinds, modifiers, trait, found["name"], "", "")
    return Construct(kinds, modifiers, None, "", "", "") if modifiers else None


# -- where it is ------------------------------------------------------------------------------------------------------------


def by_shape(query: Query, snapshot: Snapshot, limit: int, matcher: Matcher | None) -> list[Hit]:
    """A phrase about code, or a query over syntax trees -> the places. Raises CannotLook without a matcher or when time is
    up, QuestionError for a query that no language understands."""
    if query.subject_kind == TREE_QUERY:
        return _captured(query, snapshot, limit, _needed(matcher))
    construct = taken_apart(query.subject) if query.subject_kind == CONSTRUCT else None
    return [] if construct is None else _constructs(construct, query, snapshot, limit, matcher)


def _needed(matcher: Matcher | None) -> Matcher:
    if matcher is None:
        raise CannotLook("Nothing that reads syntax trees is at hand, so the shape of code was not looked at.")
    return matcher


def _captured(query: Query, snapshot: Snapshot, limit: int, matcher: Matcher) -> list[Hit]:
    """Captures of a query that somebody wrote: one hit a line, sources before tests, by path and line."""
    if len(query.subject) > MOST_QUERY:
        raise QuestionError(f"The query over syntax trees has {len(query.subject):,} characters: ask in at most {MOST_QUERY:,}.")
    required = _EQUAL.findall(query.subject) if _one_pattern(query.subject) else []
    refusals: dict[str, str] = {}
    found: dict[tuple[int, int], list[str]] = {}
    stands_in: dict[tuple[int, int], int] = {}
    asked = False
    for language in _languages(snapshot, query):
        files = _files(snapshot, query, language, required)
        try:
            asked = True
            captures = matcher(language, query.subject, [bytes_of(snapshot.parts["content"], file) or b"" for file in files])
        except Refused as refused:
            refusals[BY_NUMBER[language].name] = str(refused).strip().partition("\n")[0]
            continue
        for number, start, _, name in captures.found:
            place = files[number], _line_at(snapshot, files[number], start)
            names = found.setdefault(place, [])
            stands_in.setdefault(place, _innermost(snapshot, files[number], start))
            if name not in names:
                names.append(name)
    if asked and refusals and len(refusals) == len(_languages(snapshot, query)):
        said = "; ".join(f"{name}: {why}" for name, why in sorted(refusals.items()))
        raise QuestionError(f"No language that is indexed here understands this query ({said}).")
    kinds = RANK_OF_PATH[snapshot.parts["files"]["kind"]]
    ranked = sorted(found, key=lambda place: (int(kinds[place[0]]), place))
    return [
        Hit(
            snapshot.path(file),
            line,
            line,
            snapshot.chunk_at(file, line),
            stands_in[file, line],
            1.0 / (1 + int(kinds[file])),
            f"is captured as {', '.join(f'`@{name}`' for name in found[file, line])} on line {line}",
        )
        for file, line in ranked[:limit]
    ]


def _constructs(construct: Construct, query: Query, snapshot: Snapshot, limit: int, matcher: Matcher | None) -> list[Hit]:
    columns = snapshot.parts["symbols"]
    allowed = allowed_files(query, snapshot)
    of_kind = one_of(columns["kind"], [int(kind) for kind in construct.kinds])
    if allowed is not None:
        of_kind &= allowed[columns["file"]]
    rows: NDArray[np.int64] = np.flatnonzero(of_kind)
    why: list[str] = []
    if construct.named:
        rows = rows[_named_like(snapshot, rows, construct.named)]
        why.append(f"is named like `{construct.named}`")
    if construct.member:
        members = np.flatnonzero(one_of(columns["parent"], rows))
        rows = np.intersect1d(rows, columns["parent"][members[_named_like(snapshot, members, construct.member)]])
        why.append(f"has a member `{construct.member}`")
    place: dict[int, int] = {}
    for trait, name in [*((one, "") for one in construct.modifiers), *([(construct.trait, construct.name)] if construct.trait else [])]:
        holders = dict(_with_trait(trait, name, query, snapshot, construct.kinds, _needed(matcher)))
        rows = np.intersect1d(rows, np.fromiter(sorted(holders), np.int64, len(holders)))
        place = holders if name else place
        why.append(trait.why.format(name))
    kind = RANK_OF_PATH[snapshot.parts["files"]["kind"][columns["file"][rows]]]
    order = np.lexsort((rows, -snapshot.parts["rank"]["score"][rows].astype(np.float64), kind))[:limit]
    said = " and ".join(why)
    return [
        symbol_hit(snapshot, row, 1.0 / (1 + at), f"{said} on line {place[row]}" if row in place else said)
        for at, row in enumerate(rows[order].tolist())
    ]


def _with_trait(
    trait: Trait, name: str, query: Query, snapshot: Snapshot, kinds: frozenset[SymbolKind], matcher: Matcher
) -> Iterator[tuple[int, int]]:
    """Symbols that have a trait, each with the first line that shows it."""
    columns = snapshot.parts["symbols"]
    last = name.rpartition(".")[2]
    words = [last] if last and "*" not in last else [trait.word] if trait.word else []
    wanted = {int(kind) for kind in kinds}
    seen: set[int] = set()
    for language in _languages(snapshot, query):
        text = trait.asked_of(BY_NUMBER[language].name)
        if not text:
            continue
        files = _files(snapshot, query, language, words)
        sources = [bytes_of(snapshot.parts["content"], file) or b"" for file in files]
        for number, start, end, capture in _all_captures(matcher, language, text, sources):
            if capture == "named" and not _holds(sources[number][start:end], name):
                continue
            line = _line_at(snapshot, files[number], start)
            row = _innermost(snapshot, files[number], start)
            while row >= 0 and int(columns["kind"][row]) not in wanted:
                row = int(columns["parent"][row])
            if row >= 0 and row not in seen:
                seen.add(row)
                yield row, line


def _all_captures(matcher: Matcher, language: int, text: str, sources: Sequence[bytes]) -> list[tuple[int, int, int, str]]:
    """Everything that a query captures in some files: where it is more than one answer holds, the files are asked about in halves."""
    captures = matcher(language, text, sources)
    if not captures.more or len(sources) == 1:
        return list(captures.found)
    half = len(sources) // 2
    later = [(half + number, start, end, name) for number, start, end, name in _all_captures(matcher, language, text, sources[half:])]
    return [*_all_captures(matcher, language, text, sources[:half]), *later]


def _holds(code: bytes, name: str) -> bool:
    """Whether a name, or its last part, stands in a piece of code; * stands for anything."""
    for token in _TOKEN.findall(code[:20_000]):
        written = token.decode("utf-8", "replace")
        if fnmatchcase(written, name) or ("." not in name and any(fnmatchcase(part, name) for part in written.split("."))):
            return True
        if "." in name and written.endswith(f".{name}"):
            return True
    return False


def _named_like(snapshot: Snapshot, rows: NDArray[np.int64], glob: str) -> NDArray[np.bool_]:
    names = snapshot.parts["symbols"]["name"][rows]
    fitting = [row for row in distinct(names).tolist() if fnmatchcase(snapshot.names[row], glob)]
    return one_of(names, fitting)


def _languages(snapshot: Snapshot, query: Query) -> list[int]:
    files = snapshot.parts["files"]
    allowed = allowed_files(query, snapshot)
    there = files["language"][(files["status"] == 0) if allowed is None else allowed & (files["status"] == 0)]
    return [number for number in distinct(there).tolist() if number in BY_NUMBER]


def _files(snapshot: Snapshot, query: Query, language: int, words: Iterable[str]) -> list[int]:
    """Rows of the files of a language that are asked about and hold every one of some words, sources first. Raises CannotLook for too
    many."""
    files = snapshot.parts["files"]
    asked = (files["language"] == language) & (files["status"] == 0)
    allowed = allowed_files(query, snapshot)
    asked = asked if allowed is None else asked & allowed
    for word in words:
        holding = np.zeros(len(asked), np.bool_)
        holding[find_identifier(snapshot, word).file] = True
        asked &= holding
    rows = np.flatnonzero(asked)
    rows = rows[np.lexsort((rows, RANK_OF_PATH[files["kind"][rows]]))]
    if len(rows) > MOST_FILES or int(files["size"][rows].sum()) > MOST_BYTES:
        raise CannotLook(
            f"{len(rows):,} files would have to be parsed for this, and we parse at most {MOST_FILES:,} or {MOST_BYTES >> 20} MB "
            "for a question: name something that must stand there, or look in fewer files with --path."
        )
    return [int(row) for row in rows]


def _innermost(snapshot: Snapshot, file: int, byte: int) -> int:
    """The innermost symbol that a byte stands in: of those that hold it, the one that begins last."""
    rows, columns = snapshot.symbols_in(file), snapshot.parts["symbols"]
    start, end = columns["start_byte"][rows.start : rows.stop], columns["end_byte"][rows.start : rows.stop]
    holding = np.flatnonzero((start <= byte) & (byte < end))
    return rows.start + (int(holding[-1]) if len(holding) else 0)


def _line_at(snapshot: Snapshot, file: int, byte: int) -> int:
    files = snapshot.parts["files"]
    first, last = (int(at) for at in files["line_starts_offsets"][file : file + 2])
    return int(np.searchsorted(files["line_starts"][first:last], byte, "right"))


def _one_pattern(text: str) -> bool:
    """Whether a query is one pattern without alternatives or optional parts, so that every `#eq?` in it must hold."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    depth = patterns = 0
    for letter in bare:
        patterns += letter == "(" and depth == 0
        depth += (letter == "(") - (letter == ")")
    return patterns == 1 and "[" not in bare and re.search(r"\)\s*(?:@\S+\s*)*[?*]", bare) is None
