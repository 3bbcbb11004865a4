"""ImpactReport -> a plain dictionary for `json.dumps`. `REPORT` is the whole of it: the dictionary, its JSON Schema and its description
in docs/json.md are made from these tables. Lists keep the report's order; timings are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from index.impact.nouns import ChangeKind, ImpactReport, ParameterKind, Part, Severity, SignatureChangeKind
from index.impact.runners import id_of_test
from index.types import EdgeKind, PathKind, Step, SymbolKind, Tier, Unresolved

SCHEMA: Final = "maguyva.impact/1"
SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Get = Callable[[Any], Any]


# ---- what a value may be


@dataclass(frozen=True, slots=True)
class Plain:
    """A value that JSON has itself."""

    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Many:
    of: Type


@dataclass(frozen=True, slots=True)
class Maybe:
    """null where there is none."""

    of: Type


@dataclass(frozen=True, slots=True)
class Key:
    name: str
    type: Type
    meaning: str
    get: Get | None = None  # None: the attribute of that name


@dataclass(frozen=True, slots=True)
class Record:
    """An object, by its keys in order."""

    name: str
    keys: tuple[Key, ...]


Type = Plain | Many | Maybe | Record

TEXT: Final = Plain({"type": "string"})
FLAG: Final = Plain({"type": "boolean"})
COUNT: Final = Plain({"type": "integer", "minimum": 0})
LINE: Final = Plain({"type": "integer", "minimum": 1})
LINE_OR_FILE: Final = Plain({"type": "integer", "minimum": 0})
NUMBER: Final = Plain({"type": "number"})
PARTS: Final = Plain({"type": "object", "additionalProperties": {"type": "number"}})


def _words(labels: Iterable[str]) -> Plain:
    return Plain({"enum": list(labels)})


TIER: Final = _words(one.label for one in Tier)
USE: Final = _words(one.label for one in EdgeKind)
PATH_KIND: Final = _words(one.label for one in PathKind)


def _parts(one: Any) -> dict[str, float]:
    parts: tuple[Part, ...] = one.parts
    return {part.name: part.value for part in parts}


def _label(name: str) -> Get:
    return attrgetter(f"{name}.label")


# ---- the records, those that others hold first

SYMBOL: Final = Record(
    "symbol",
    (
        Key("path", TEXT, "its file"),
        Key("qualified", TEXT, "`Cart.total`; `<module>` for the file itself"),
        Key("kind", _words(one.label for one in SymbolKind), "what it is", _label("kind")),
        Key("line", LINE, "of its name"),
        Key("start_line", LINE, "of its first decorator or keyword"),
        Key("end_line", LINE, "its last"),
    ),
)
PARAMETER: Final = Record(
    "parameter",
    (
        Key("name", TEXT, "the source text for a destructured one"),
        Key("kind", _words(one.value for one in ParameterKind), "how it is passed", attrgetter("kind.value")),
        Key("optional", FLAG, "whether a call may leave it out", attrgetter("has_default")),
        Key("annotation", TEXT, "as written"),
        Key("default", TEXT, "as written"),
    ),
)
SIGNATURE: Final = Record(
    "signature",
    (
        Key("parameters", Many(PARAMETER), "in order, the receiver among them"),
        Key("returns", TEXT, "the annotation of the result"),
        Key("async", FLAG, "", attrgetter("is_async")),
        Key("generator", FLAG, "", attrgetter("is_generator")),
        Key("decorators", Many(TEXT), "without the `@`"),
        Key("static", FLAG, "", attrgetter("is_static")),
        Key("visibility", TEXT, "`public`, `private` or `protected` where the language says so"),
    ),
)
SIGNATURE_CHANGE: Final = Record(
    "signature_change",
    (
        Key("kind", _words(one.value for one in SignatureChangeKind), "what is different", attrgetter("kind.value")),
        Key("name", TEXT, "the parameter; empty where it is about the whole"),
        Key("breaking", FLAG, "whether a caller can notice"),
        Key("why", TEXT, "in words"),
    ),
)
CHANGED: Final = Record(
    "changed",
    (
        Key("key", TEXT, "`path::Qualified.name`"),
        Key("kinds", Many(_words(one.value for one in ChangeKind)), "how it changed", lambda one: [kind.value for kind in one.kinds]),
        Key("before", Maybe(SYMBOL), "the definition at the base, or null"),
        Key("after", Maybe(SYMBOL), "the definition at the head, or null"),
        Key("path_kind", PATH_KIND, "what its file is", _label("path_kind")),
        Key("inside", FLAG, "whether it changed only because the definition around it did"),
        Key("details", Many(TEXT), "other differences, in words"),
        Key("signature_before", Maybe(SIGNATURE), "where the signature changed"),
        Key("signature_after", Maybe(SIGNATURE), "where the signature changed"),
        Key("signature_changes", Many(SIGNATURE_CHANGE), "each difference of the signatures", attrgetter("signature")),
    ),
)
TIERS: Final = Record("tiers", tuple(Key(one.label, COUNT, "", lambda counts, at=int(one): counts[at]) for one in Tier))  # type: ignore[misc]
RANKED: Final = Record(
    "ranked",
    (
        Key("changed", COUNT, "row of `changed`"),
        Key("score", NUMBER, "the sum of its parts"),
        Key("parts", PARTS, "by name", _parts),
        Key("direct", COUNT, "definitions that use it themselves, outside of tests"),
        Key("reached", COUNT, "definitions that are reached, outside of tests", attrgetter("total")),
        Key("breaks", COUNT, "uses that will break"),
        Key("tests", COUNT, "definitions that are reached in tests"),
        Key("tiers", TIERS, "direct users by how sure they are"),
        Key("unresolved", COUNT, "uses that could reach it too: the counts are at least"),
        Key("hub", FLAG, "whether it is used more than 99 % of all definitions", attrgetter("is_hub")),
    ),
)
VERDICT: Final = Record(
    "verdict",
    (
        Key("id", Plain({"type": "string", "pattern": "^[0-9a-f]{8}$"}), "stays the same when lines move"),
        Key("changed", COUNT, "row of `changed`"),
        Key("severity", _words(one.label for one in Severity), "only a use that is proved can be `will break`", _label("severity")),
        Key("reason", TEXT, "why, in words"),
        Key("hedge", TEXT, "what speaks against it, in words"),
        Key("path", TEXT, "the place in the head", attrgetter("site.path")),
        Key("line", LINE, "", attrgetter("site.line")),
        Key("column", LINE, "", attrgetter("site.column")),
        Key("in", TEXT, "the definition that holds the place", attrgetter("site.source.qualified")),
        Key("target", TEXT, "what is used", attrgetter("site.target")),
        Key("use", USE, "how", _label("site.kind")),
        Key("tier", TIER, "how sure", _label("site.tier")),
        Key(
            "chain",
            Many(_words(one.name.lower() for one in Step)),
            "how the written name leads to the definition",
            lambda one: [step.name.lower() for step in one.site.chain],
        ),
        Key("text", TEXT, "the line", attrgetter("site.text")),
        Key("path_kind", PATH_KIND, "what the file is", _label("site.path_kind")),
    ),
)
HOP: Final = Record(
    "hop",
    (
        Key("source", TEXT, "who uses"),
        Key("target", TEXT, "what is used"),
        Key("path", TEXT, "where"),
        Key("line", LINE, ""),
        Key("use", USE, "how", _label("kind")),
        Key("tier", TIER, "how sure", _label("tier")),
    ),
)
REACHED: Final = Record(
    "reached",
    (
        Key("symbol", SYMBOL, "the definition that is reached"),
        Key("steps", LINE, "1: it uses the changed definition itself"),
        Key("tier", TIER, "of the weakest hop", _label("tier")),
        Key("changed", COUNT, "row of `changed`"),
        Key("because", TEXT, "in words"),
        Key("package", TEXT, ""),
        Key("path_kind", PATH_KIND, "what its file is", _label("path_kind")),
        Key("score", NUMBER, "the sum of its parts"),
        Key("parts", PARTS, "by name", _parts),
        Key("hops", Many(HOP), "the path from the definition back to the change"),
    ),
)
PACKAGE: Final = Record(
    "package",
    (
        Key("package", TEXT, ""),
        Key("breaks", COUNT, "uses that will break"),
        Key("at_risk", COUNT, "uses at risk"),
        Key("reached", COUNT, "definitions that are reached"),
    ),
)
TEST: Final = Record(
    "test",
    (
        Key("id", TEXT, "as its runner takes it", lambda one: id_of_test(one.path, one.qualified, one.runner)),
        Key("path", TEXT, ""),
        Key("qualified", TEXT, "empty for the whole file"),
        Key("line", LINE, ""),
        Key("score", NUMBER, "the sum of its parts"),
        Key("parts", PARTS, "by name", _parts),
        Key("steps", COUNT, "0: the graph does not reach it"),
        Key("tier", TIER, "of the weakest hop", _label("tier")),
        Key("because", TEXT, "in words"),
        Key("runner", TEXT, "empty where only the project knows"),
    ),
)
FILE: Final = Record(
    "file",
    (
        Key("path", TEXT, ""),
        Key("kind", PATH_KIND, "", _label("path_kind")),
        Key("score", NUMBER, "the sum of its parts"),
        Key("parts", PARTS, "by point of view", _parts),
    ),
)
TOGETHER: Final = Record(
    "together",
    (
        Key("path", TEXT, "what does not change here"),
        Key("with", TEXT, "what does", attrgetter("with_path")),
        Key("commits", COUNT, "in which both changed"),
        Key("of", COUNT, "in which `with` changed"),
    ),
)
MENTION: Final = Record(
    "mention",
    (Key("path", TEXT, ""), Key("line", LINE, ""), Key("because", TEXT, "in words"), Key("score", NUMBER, "orders the list")),
)
OPEN_SITE: Final = Record(
    "unresolved",
    (
        Key("path", TEXT, ""),
        Key("line", LINE, ""),
        Key("column", LINE, ""),
        Key("name", TEXT, "what is used there"),
        Key("reason", _words(one.label for one in Unresolved), "why it leads nowhere", _label("reason")),
        Key("changed", COUNT, "row of `changed` that it could reach"),
    ),
)
NEUTRAL: Final = Record(
    "neutral", (Key("path", TEXT, ""), Key("qualified", TEXT, ""), Key("line", LINE, ""), Key("reason", TEXT, "in words"))
)
OWNED: Final = Record(
    "owned",
    (Key("path", TEXT, ""), Key("owners", Many(TEXT), "without the `@`"), Key("rule", TEXT, "the pattern of CODEOWNERS that names them")),
)
REVIEWER: Final = Record(
    "reviewer",
    (
        Key("name", TEXT, "as people know them"),
        Key("login", TEXT, "the account, or `organisation/team`; empty where it is not known"),
        Key("team", FLAG, ""),
        Key("why", TEXT, "in words"),
        Key("share", Plain({"type": "number", "minimum": 0, "maximum": 1}), "of the impacted lines that they wrote"),
    ),
)
CHANGED_FILE: Final = Record(
    "changed_file",
    (
        Key("path", TEXT, "in the head", lambda one: one[0]),
        Key("kind", _words([*(one.label for one in PathKind), "unknown"]), "", lambda one: one[1]),
    ),
)
SKIPPED: Final = Record("skipped", (Key("path", TEXT, ""), Key("reason", TEXT, "in words")))
PROBLEM: Final = Record(
    "problem", (Key("path", TEXT, ""), Key("line", LINE_OR_FILE, "0: the whole file"), Key("message", TEXT, "in words"))
)
SUMMARY: Final = Record(
    "summary",
    (
        Key("breaking", COUNT, "uses that will break", lambda report: len(report.breaks)),
        Key("at_risk", COUNT, "uses at risk", lambda report: len(report.at_risk)),
        Key("checked_and_fit", COUNT, "uses of re-signed definitions that still fit", attrgetter("fits")),
        Key("reached", COUNT, "definitions that are reached, outside of tests", lambda report: sum(one.reached for one in report.packages)),
        Key("packages", COUNT, "with anything to tell", lambda report: len(report.packages)),
        Key("tests", COUNT, "worth running first", lambda report: len(report.tests)),
        Key("unresolved", COUNT, "uses that could add to it", lambda report: sum(row.unresolved for row in report.ranked)),
        Key("lower_bound", FLAG, 'whether every count of uses means "at least"', lambda report: bool(report.open_sites)),
    ),
)
REPORT: Final = Record(
    "report",
    (
        Key("schema", Plain({"const": SCHEMA}), "changes when a key is removed or changes its meaning", lambda report: SCHEMA),
        Key("base", TEXT, "the commit it starts from"),
        Key("head", TEXT, "the commit, or the tree, that it leads to"),
        Key("quiet", TEXT, "why there is nothing to say, in one sentence; empty where there is something"),
        Key("silent", TEXT, "why the settings of the repository want no comment; empty where they want one"),
        Key("summary", SUMMARY, "counts", lambda report: report),
        Key("changed", Many(CHANGED), "the definitions that changed in a way that can matter"),
        Key("ranked", Many(RANKED), "the same by how much depends on them: what to look at first"),
        Key("breaks", Many(VERDICT), "uses that will break"),
        Key("at_risk", Many(VERDICT), "uses that may break, with the doubt, and uses of what behaves differently now"),
        Key("reached", Many(REACHED), "definitions up to a few steps away, outside of tests"),
        Key("packages", Many(PACKAGE), "counts per package"),
        Key("tests", Many(TEST), "tests worth running first"),
        Key("files", Many(FILE), "other files that the change may concern"),
        Key("together", Many(TOGETHER), "files that usually change with the changed ones, and don't here"),
        Key("mentions", Many(MENTION), "places found by text or meaning alone; never counted as callers"),
        Key("unresolved", Many(OPEN_SITE), "uses that lead nowhere we can show and could reach the change", attrgetter("open_sites")),
        Key("neutral", Many(NEUTRAL), "definitions that the diff touches and that were left out, with the reason"),
        Key("owners", Many(OWNED), "whom CODEOWNERS names for changed and impacted files"),
        Key("reviewers", Many(REVIEWER), "who knows what is impacted; never whoever made the change, never a program"),
        Key("changed_files", Many(CHANGED_FILE), "every changed file with its kind"),
        Key("skipped", Many(SKIPPED), "files that were not looked at, and why"),
        Key("problems", Many(PROBLEM), "what could not be read, and what is wrong with the settings"),
        Key("notes", Many(TEXT), "what was capped or could not be looked at"),
    ),
)


# ---- what is made of them


def as_json(report: ImpactReport) -> dict[str, Any]:
    """The whole report. Symbols are named by `path` and `qualified`; `changed` elsewhere is a row of the list `changed`."""
    made: dict[str, Any] = _MAKE_REPORT(report)
    return made


def _maker(kind: Type) -> Get:
    """What makes the JSON of a value: put together once, because a report has tens of thousands of values."""
    if isinstance(kind, Record):
        keys = [(key.name, key.get or attrgetter(key.name), _maker(key.type)) for key in kind.keys]
        return lambda value: {name: make(get(value)) for name, get, make in keys}
    if isinstance(kind, Many):
        each = _maker(kind.of)
        return list if isinstance(kind.of, Plain) else lambda values: [each(one) for one in values]
    if isinstance(kind, Maybe):
        present = _maker(kind.of)
        return lambda value: None if value is None else present(value)
    return lambda value: value


_MAKE_REPORT: Final = _maker(REPORT)


def schema(strict: bool = False) -> dict[str, Any]:
    """The tables as a JSON Schema (draft 2020-12). `strict`: no key that they do not have; a reader should allow for more."""
    definitions: dict[str, Any] = {}

    def of(kind: Type) -> dict[str, Any]:
        if isinstance(kind, Plain):
            return kind.schema
        if isinstance(kind, Many):
            return {"type": "array", "items": of(kind.of)}
        if isinstance(kind, Maybe):
            return {"anyOf": [{"type": "null"}, of(kind.of)]}
        if kind.name not in definitions:
            definitions[kind.name] = record(kind)
        return {"$ref": f"#/$defs/{kind.name}"}

    def record(kind: Record) -> dict[str, Any]:
        made = {
            "type": "object",
            "required": [key.name for key in kind.keys],
            "properties": {key.name: {**({"description": key.meaning} if key.meaning else {}), **of(key.type)} for key in kind.keys},
        }
        return {**made, "additionalProperties": False} if strict else made

    top = record(REPORT)
    return {"$schema": SCHEMA_DIALECT, "title": "What a change can break (impact.json)", **top, "$defs": definitions}
