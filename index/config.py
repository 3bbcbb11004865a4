"""The text of a repository's `.maguyva.yml` -> `RepositoryConfig`, and every bad key with its line.

The file is read at the base commit: a pull request can't change how it is judged. It is hostile input all the same, so it is checked as a
stream of events before any node is built: no anchors, aliases or tags, and few and shallow nodes. What is wrong falls back to its default
and is named; `SETTINGS` is the whole of what can be said, and the JSON Schema and docs/configuration.md are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final

import yaml

from index.files.globs import MAX_PATTERN, BadGlob, matcher, name_matcher
from index.types import PathKind, Problem

NAME: Final = ".maguyva.yml"
SCHEMA_ID: Final = "https://json-schema.org/draft/2020-12/schema"
MAX_BYTES: Final = 64 << 10
MAX_EVENTS: Final = 5_000  # of YAML: about two for every value
MAX_DEPTH: Final = 6
MAX_ITEMS: Final = 200  # in one list
MAX_PROBLEMS: Final = 20
MAX_NAME: Final = 60  # characters of a word that a message repeats

# Sections of a report that can be switched off. What breaks and what was not looked at are always told.
SECTIONS: Final = ("ranked", "run_first", "reviewers", "at_risk", "paths", "graph", "mentions", "neutral")
CHANGES: Final = ("added", "bases", "body", "decorators", "moved", "overrides", "renamed", "shape", "signature", "value")


@dataclass(frozen=True, slots=True)
class RepositoryConfig:
    """How a repository wants to be judged and told about. The defaults are what an empty file means."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[PathKind, tuple[str, ...]] = field(default_factory=dict)
    sections_off: frozenset[str] = frozenset()
    comment_when: str = "reached"
    reached_at_least: int = 1
    silent_paths: tuple[str, ...] = ()
    silent_symbols: tuple[str, ...] = ()
    silent_changes: tuple[str, ...] = ()
    fail_on: str = "never"
    annotations: bool = True
    reviewers: int = 5
    embedding: str = "embedded"

    @property
    def leaves_out(self) -> Callable[[bytes], bool] | None:
        """Path as git has it -> whether the report passes over what is there; None where it passes over nothing."""
        if not self.include and not self.exclude:
            return None
        included, excluded = matcher(self.include), matcher(self.exclude)
        everything = not self.include
        return lambda path: not (everything or included(path)) or excluded(path)


@dataclass(frozen=True, slots=True)
class ConfigFound:
    """What a file says, and what is wrong with it in words for its author."""

    config: RepositoryConfig
    problems: tuple[Problem, ...] = ()


# ---- what a value may be


@dataclass(frozen=True, slots=True)
class Globs:
    """A list of patterns of paths."""

    says: str = 'a list of patterns as in .gitignore, such as ["gen/**", "*.pb.go"]'

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN}, "maxItems": MAX_ITEMS}

    def read(self, node: yaml.Node) -> tuple[str, ...]:
        return _usable(node, matcher)


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names that may hold `*`."""

    says: str = 'a list of names, such as ["Cart.__repr__", "*.debug"]'

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN}, "maxItems": MAX_ITEMS}

    def read(self, node: yaml.Node) -> tuple[str, ...]:
        return _usable(node, name_matcher)


@dataclass(frozen=True, slots=True)
class Some:
    """A list of words out of a few."""

    choices: tuple[str, ...]

    @property
    def says(self) -> str:
        return f"a list of {_listed(self.choices)}"

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"enum": list(self.choices)}, "uniqueItems": True}

    def read(self, node: yaml.Node) -> tuple[str, ...]:
        found = _texts(node)
        for item, text in found:
            if text not in self.choices:
                raise _Wrong(item, f"and there is no {_named(text)}{_meant(text, self.choices)}")
        return tuple(dict.fromkeys(text for _, text in found))


@dataclass(frozen=True, slots=True)
class One:
    """One word out of a few."""

    choices: tuple[str, ...]

    @property
    def says(self) -> str:
        return f"one of {_listed(self.choices)}"

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.choices)}

    def read(self, node: yaml.Node) -> str:
        text = _text(node)
        if text not in self.choices:
            raise _Wrong(node, f"and there is no {_named(text)}{_meant(text, self.choices)}")
        return text


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    says: str = "true or false"

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def read(self, node: yaml.Node) -> bool:
        if node.tag != "tag:yaml.org,2002:bool" or node.value.lower() not in _FLAGS:
            raise _Wrong(node, "")
        return _FLAGS[node.value.lower()]


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number."""

    least: int
    most: int

    @property
    def says(self) -> str:
        return f"a whole number from {self.least} to {self.most:,}"

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def read(self, node: yaml.Node) -> int:
        digits = node.value if isinstance(node, yaml.ScalarNode) and node.style is None else ""
        if not digits.isascii() or not digits.isdigit() or len(digits) > 9 or not self.least <= int(digits) <= self.most:
            raise _Wrong(node, "")
        return int(digits)


Value = Globs | Names | Some | One | Flag | Count
_FLAGS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Setting:
    """One key: where it stands, what it may be, where it goes, and what it is for in words."""

    key: str  # dotted
    value: Value
    default: Any  # as it is written in YAML
    meaning: str
    put: Callable[[RepositoryConfig, Any], RepositoryConfig]


def _to(name: str) -> Callable[[RepositoryConfig, Any], RepositoryConfig]:
    return lambda config, value: replace(config, **{name: value})


def _kind(kind: PathKind) -> Callable[[RepositoryConfig, Any], RepositoryConfig]:
    return lambda config, value: replace(config, kinds={**config.kinds, kind: value})


def _section(name: str) -> Callable[[RepositoryConfig, Any], RepositoryConfig]:
    return lambda config, value: replace(config, sections_off=config.sections_off - {name} if value else config.sections_off | {name})


_SECTION_MEANS: Final = {
    "ranked": "the table of changed definitions, most dependents first",
    "run_first": "tests to run, as a command, and files that usually change together",
    "reviewers": "who owns or knows what is impacted",
    "at_risk": "uses that may break, with the doubt",
    "paths": "the evidence of each impacted place",
    "graph": "the drawing",
    "mentions": "places found by text or meaning alone",
    "neutral": "what was left out because it can't matter",
}

# In the order of the schema and of the page.
SETTINGS: Final = (
    Setting("paths.include", Globs(), [], "only these files are reported on; empty: all", _to("include")),
    Setting("paths.exclude", Globs(), [], "these files are not reported on: neither changes in them nor uses", _to("exclude")),
    Setting("paths.source", Globs(), [], "ordinary code, whatever the name suggests", _kind(PathKind.SOURCE)),
    Setting("paths.tests", Globs(), [], "tests, besides what is recognised by name", _kind(PathKind.TEST)),
    Setting("paths.vendor", Globs(), [], "other people's code, kept here: ranked last", _kind(PathKind.VENDOR)),
    Setting("paths.generated", Globs(), [], "written by a program: ranked last", _kind(PathKind.GENERATED)),
    Setting("paths.docs", Globs(), [], "documentation", _kind(PathKind.DOCS)),
    *(Setting(f"sections.{name}", Flag(), True, _SECTION_MEANS[name], _section(name)) for name in SECTIONS),
    Setting(
        "comment.when",
        One(("reached", "at_risk", "breaks")),
        "reached",
        "what must be there before a comment is written: anything that is reached, a use at risk, or one that will break",
        _to("comment_when"),
    ),
    Setting(
        "comment.reached_at_least",
        Count(0, 1_000_000),
        1,
        "where nothing may break: how many places must be reached before a comment is written",
        _to("reached_at_least"),
    ),
    Setting("comment.reviewers", Count(0, 10), 5, "how many people and teams are named at most", _to("reviewers")),
    Setting("silence.paths", Globs(), [], "changes in these files alone are no reason for a comment", _to("silent_paths")),
    Setting("silence.symbols", Names(), [], "changes of these definitions alone are no reason for a comment", _to("silent_symbols")),
    Setting("silence.changes", Some(CHANGES), [], "changes of these kinds alone are no reason for a comment", _to("silent_changes")),
    Setting(
        "check.fail_on",
        One(("never", "breaks")),
        "never",
        "what fails the check: nothing, or a use that is proved to break",
        _to("fail_on"),
    ),
    Setting("check.annotations", Flag(), True, "mark changed definitions and breaking sites in the files", _to("annotations")),
    Setting(
        "embedding",
        One(("embedded", "voyage")),
        "embedded",
        "the model that turns code into vectors: the one inside, or Voyage's, which a service with a key for it then gets code sent to",
        _to("embedding"),
    ),
)


def read_config(data: bytes | None, name: str = NAME) -> ConfigFound:
    """Bytes of the file (None: there is none) -> what it says. Never raises; whatever is wrong keeps its default and is a problem."""
    if data is None:
        return ConfigFound(RepositoryConfig())
    problems: list[Problem] = []

    def wrong(line: int, message: str) -> None:
        if len(problems) < MAX_PROBLEMS:
            problems.append(Problem(name, line, message))
        elif len(problems) == MAX_PROBLEMS:
            problems.append(Problem(name, 0, "has more problems than these"))

    try:
        root = _composed(data)
    except _Refused as refused:
        wrong(refused.line, f"{refused} The defaults are used.")
        return ConfigFound(RepositoryConfig(), tuple(problems))
    config = RepositoryConfig()
    if root is not None:
        for setting, node in _settings(root, wrong):
            try:
                config = setting.put(config, setting.value.read(node))
            except _Wrong as error:
                why = f", {error}" if str(error) else ""
                wrong(error.line, f"`{setting.key}` must be {setting.value.says}{why}; the default is used")
    return ConfigFound(config, tuple(problems))


# ---- YAML, as little of it as we need


class _Refused(Exception):
    """The whole file can't be used."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Wrong(Exception):
    """One value can't be used."""

    def __init__(self, node: yaml.Node, message: str) -> None:
        super().__init__(message)
        self.line = _line(node)


def _composed(data: bytes) -> yaml.Node | None:
    """Bytes -> the root of the tree; None for an empty file. Raises _Refused."""
    if len(data) > MAX_BYTES:
        raise _Refused(0, f"is larger than {MAX_BYTES >> 10} kB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Refused(data.count(b"\n", 0, error.start) + 1, "is not UTF-8.") from error
    try:
        _check_events(yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Refused(mark.line + 1 if mark else 0, f"is no YAML: {error.problem or error.context}.") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise _Refused(0, "holds a character that YAML does not allow.") from error


def _check_events(events: Iterator[yaml.Event]) -> None:
    """Before any tree is built: nothing in it may be cheap to write and dear to read. Raises _Refused."""
    depth = documents = 0
    for at, event in enumerate(events):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if at > MAX_EVENTS:
            raise _Refused(line, f"has more than {MAX_EVENTS:,} values and keys.")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _Refused(
                line, "has an anchor (`&`) or an alias (`*`), which are not read: write the value out, in quotes if it begins so."
            )
        if getattr(event, "tag", None) is not None:
            raise _Refused(line, "has a tag (`!`), which is not read: put a value that begins so in quotes.")
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _Refused(line, "holds more than one document.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _Refused(line, f"is nested deeper than {MAX_DEPTH} levels.")


def _settings(root: yaml.Node, wrong: Callable[[int, str], None]) -> Iterator[tuple[Setting, yaml.Node]]:
    """The tree -> every known key with its value. What is unknown, twice or in the wrong place goes to `wrong`."""
    by_key = {setting.key: setting for setting in SETTINGS}
    groups = {key.rpartition(".")[0] for key in by_key} - {""}

    def walk(node: yaml.Node, prefix: str) -> Iterator[tuple[Setting, yaml.Node]]:
        if _is_empty(node):
            return
        if not isinstance(node, yaml.MappingNode):
            wrong(_line(node), f"{f'`{prefix}`' if prefix else 'the file'} must hold keys with values; it is not used")
            return
        here = [
            key.removeprefix(f"{prefix}." if prefix else "").split(".")[0] for key in by_key if not prefix or key.startswith(f"{prefix}.")
        ]
        seen: dict[str, int] = {}
        for key_node, value in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                wrong(_line(key_node), "a key must be a word")
                continue
            name = str(key_node.value)
            key = f"{prefix}.{name}" if prefix else name
            if name in seen:
                wrong(_line(key_node), f"{_named(key)} stands here twice, first on line {seen[name]}, and that one is used")
            elif key in by_key:
                yield by_key[key], value
            elif key in groups:
                yield from walk(value, key)
            else:
                wrong(_line(key_node), f"there is no key {_named(key)}{_meant(name, here, prefix, by_key)}")
            seen.setdefault(name, _line(key_node))

    return walk(root, "")


def _meant(word: str, known: Any, prefix: str = "", by_key: Mapping[str, object] | None = None) -> str:
    """What someone may have wanted to write."""
    choices = list(dict.fromkeys(known))
    close = get_close_matches(word[:MAX_NAME], choices, 1, 0.6)
    if close:
        return f": did you mean `{prefix}.{close[0]}`?" if prefix else f": did you mean `{close[0]}`?"
    elsewhere = [key for key in by_key or () if key.rpartition(".")[2] == word]
    if elsewhere:
        return f": did you mean `{elsewhere[0]}`?"
    return f"; there is {_listed(choices)}"


def _named(text: str) -> str:
    """A word of the file, as a message can hold it."""
    plain = "".join(c if c.isprintable() and c != "`" else "\ufffd" for c in text)
    return f"`{plain if len(plain) <= MAX_NAME else plain[:MAX_NAME] + '…'}`"


def _listed(words: Any) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _Wrong(node, "")
    return str(node.value)


def _usable(node: yaml.Node, make: Callable[[Sequence[str]], object]) -> tuple[str, ...]:
    """A list of patterns that a matcher can be made of, each and all together."""
    found = _texts(node)
    for item, text in found:
        try:
            make([text])
        except BadGlob as error:
            raise _Wrong(item, f"but {_named(text)} {error}") from error
    try:
        make([text for _, text in found])
    except BadGlob as error:
        raise _Wrong(node, f"but all together it {error}") from error
    return tuple(text for _, text in found)


def _texts(node: yaml.Node) -> list[tuple[yaml.Node, str]]:
    """A list of texts, or one text alone."""
    if _is_empty(node):
        return []
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if len(items) > MAX_ITEMS:
        raise _Wrong(node, f"with at most {MAX_ITEMS} entries")
    return [(item, _text(item)) for item in items]


# ---- the schema that editors read


def schema() -> dict[str, Any]:
    """`SETTINGS` as a JSON Schema (draft 2020-12)."""
    properties: dict[str, Any] = {}
    for setting in SETTINGS:
        group, _, name = setting.key.rpartition(".")
        place = properties
        if group:
            place = properties.setdefault(group, {"type": ["object", "null"], "additionalProperties": False, "properties": {}})[
                "properties"
            ]
        place[name] = {"description": setting.meaning, "default": setting.default, **setting.value.schema()}
    return {
        "$schema": SCHEMA_ID,
        "title": "Settings of a repository for Maguyva (.maguyva.yml)",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": properties,
    }
