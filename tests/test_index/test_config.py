"""`.maguyva.yml`: what it can say, and what is said of one that is wrong."""

from __future__ import annotations

import jsonschema_rs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from index.config import MAX_BYTES, MAX_PROBLEMS, SETTINGS, Setting, read_config, schema
from index.config import RepositoryConfig as Config
from index.types import PathKind

DEFAULTS = Config()


def problems(text: str | bytes) -> list[str]:
    found = read_config(text.encode() if isinstance(text, str) else text)
    return [f"{one.line}: {one.message}" for one in found.problems]


def test_no_file_and_an_empty_one_mean_the_defaults() -> None:
    for data in (None, b"", b"# nothing\n", b"---\n", b"paths:\nsections:\n"):
        found = read_config(data)
        assert (found.config, found.problems) == (DEFAULTS, ())


def test_everything_can_be_said() -> None:
    found = read_config(
        b"""\
paths:
  include: ["src/**"]
  exclude: legacy/
  tests: [checks/**]
  vendor: ["third/**"]
sections: {graph: false, mentions: off, paths: yes}
comment: {when: at_risk, reached_at_least: 5, reviewers: 0}
silence:
  paths: ["*.css"]
  symbols: ["*.__repr__"]
  changes: [body, value]
check:
  fail_on: breaks
  annotations: false
embedding: voyage
"""
    )

    assert found.problems == ()
    assert found.config == Config(
        include=("src/**",),
        exclude=("legacy/",),
        kinds={PathKind.TEST: ("checks/**",), PathKind.VENDOR: ("third/**",)},
        sections_off=frozenset({"graph", "mentions"}),
        comment_when="at_risk",
        reached_at_least=5,
        reviewers=0,
        silent_paths=("*.css",),
        silent_symbols=("*.__repr__",),
        silent_changes=("body", "value"),
        fail_on="breaks",
        annotations=False,
        embedding="voyage",
    )


WRONG = (
    #  what is written                           what is said of it
    ("paths:\n  exlude: [a]", "2: there is no key `paths.exlude`: did you mean `paths.exclude`?"),
    ("graph: off", "1: there is no key `graph`: did you mean `sections.graph`?"),
    ("zzz: 1", "1: there is no key `zzz`; there is `paths`, `sections`, `comment`, `silence`, `check`, `embedding`"),
    ("1: 2", "1: there is no key `1`; there is `paths`, `sections`, `comment`, `silence`, `check`, `embedding`"),
    ("? [a]\n: b", "1: a key must be a word"),
    (
        "check:\n  fail_on: brakes",
        "2: `check.fail_on` must be one of `never`, `breaks`, and there is no `brakes`: did you mean `breaks`?; the default is used",
    ),
    ("sections: {graph: maybe}", "1: `sections.graph` must be true or false; the default is used"),
    ("sections: {graph: 'false'}", "1: `sections.graph` must be true or false; the default is used"),
    ("comment:\n  reached_at_least: -1", "2: `comment.reached_at_least` must be a whole number from 0 to 1,000,000; the default is used"),
    ("comment: {reviewers: 1e3}", "1: `comment.reviewers` must be a whole number from 0 to 10; the default is used"),
    ("comment: {reviewers: '3'}", "1: `comment.reviewers` must be a whole number from 0 to 10; the default is used"),
    ("paths: [a]", "1: `paths` must hold keys with values; it is not used"),
    ("- a", "1: the file must hold keys with values; it is not used"),
    ("embedding: {a: b}", "1: `embedding` must be one of `embedded`, `voyage`; the default is used"),
    ("check: {fail_on: never}\ncheck: {fail_on: breaks}", "2: `check` stands here twice, first on line 1, and that one is used"),
    (
        "paths:\n  exclude:\n    - ok\n    - '[ab]'",
        '4: `paths.exclude` must be a list of patterns as in .gitignore, such as ["gen/**", "*.pb.go"], '
        "but `[ab]` `!` and `[...]` are not supported; the default is used",
    ),
    ("a: [", "1: is no YAML: expected the node content, but found '<stream end>'. The defaults are used."),
    ("a: b: c", "1: is no YAML: mapping values are not allowed here. The defaults are used."),
    ("paths:\n\texclude: []", "2: is no YAML: found character '\\t' that cannot start any token. The defaults are used."),
    ("a: 1\n---\nb: 2", "2: holds more than one document. The defaults are used."),
)


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    assert problems(text) == [said]


def test_a_mistake_does_not_lose_the_rest() -> None:
    found = read_config(b"sections: {grpah: off, graph: off}\ncheck: {fail_on: nothing}\npaths: {exclude: [a], include: ['!b']}\n")

    assert [one.line for one in found.problems] == [1, 2, 3]
    assert (found.config.sections_off, found.config.exclude, found.config.include) == (frozenset({"graph"}), ("a",), ())
    assert found.config.fail_on == "never"


LAUGHS = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20))
HOSTILE = (
    (LAUGHS, "anchor"),
    ("a: &x [*x]", "anchor"),
    ("paths: *x", "anchor"),
    ("!!python/object/apply:os.system ['touch ran']", "tag"),
    ("paths: !include /etc/passwd", "tag"),
    ("paths: {exclude: !!binary aGk=}", "tag"),
    ("[" * 30_000, "nested deeper"),
    ("{a: " * 9_000, "nested deeper"),
    ("- " * 30_000, "nested deeper"),
    ("? " * 30_000, "nested deeper"),
    ("".join(f"k{n}: 1\n" for n in range(5_000)), "more than 5,000"),
    ("#" * (MAX_BYTES + 1), "larger than 64 kB"),
    ("'" + "a" * 60_000, "is no YAML"),
    (b"\xff\xfe", "is not UTF-8"),
    ("a: \x00", "does not allow"),
    ("a: \x1b[2J", "does not allow"),
    ("%YAML 9.9\n---\na: 1", "is no YAML"),
    (f"{'k' * 60_000}: 1", "is no YAML"),
    ("paths: {exclude: [" + "a, " * 300 + "]}", "at most 200 entries"),
    ("".join(f"k{n}: 1\n" for n in range(100)), "there is no key"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "said"), HOSTILE, ids=[said + str(at) for at, (_, said) in enumerate(HOSTILE)])
def test_a_hostile_file_is_refused_in_words_and_the_defaults_are_used(text: str | bytes, said: str) -> None:
    found = read_config(text.encode() if isinstance(text, str) else text)

    assert said in found.problems[0].message
    assert found.config == DEFAULTS
    assert len(found.problems) <= MAX_PROBLEMS + 1
    assert all(len(one.message) < 300 and one.message.isprintable() for one in found.problems)


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))))
def test_nothing_that_is_written_raises(data: bytes) -> None:
    read_config(data)


# ---- the schema

VALIDATOR = jsonschema_rs.validator_for(schema())


def values(setting: Setting) -> st.SearchStrategy[object]:
    made = setting.value.schema()
    if "enum" in made:
        return st.sampled_from(made["enum"])
    if made["type"] == "boolean":
        return st.booleans()
    if made["type"] == "integer":
        return st.integers(made["minimum"], made["maximum"])
    if "enum" in made["items"]:
        return st.lists(st.sampled_from(made["items"]["enum"]), unique=True)
    return st.lists(st.text(alphabet="ab*/.", min_size=1, max_size=8).filter(lambda text: text.strip("/")), max_size=4)


@st.composite
def files(draw: st.DrawFn) -> dict[str, object]:
    made: dict[str, object] = {}
    for setting in draw(st.lists(st.sampled_from(SETTINGS), unique_by=lambda setting: setting.key)):
        group, _, name = setting.key.rpartition(".")
        place = made.setdefault(group, {}) if group else made
        assert isinstance(place, dict)
        place[name] = draw(values(setting))
    return made


@given(files())
@settings(max_examples=60)
def test_what_the_schema_allows_is_understood(file: dict[str, object]) -> None:
    VALIDATOR.validate(file)

    assert read_config(yaml.safe_dump(file).encode()).problems == ()


# To a schema a pattern with brackets is a text like any other, and of a key that stands twice it sees one.
BEYOND_A_SCHEMA = ("is no YAML", "document", "twice", "a key must", "no key `1`", "[ab]")


@pytest.mark.parametrize("text", [text for text, said in WRONG if not any(part in said for part in BEYOND_A_SCHEMA)])
def test_what_we_refuse_the_schema_refuses_too(text: str) -> None:
    assert not VALIDATOR.is_valid(yaml.safe_load(text))


def test_the_defaults_of_the_schema_are_those_of_an_empty_file() -> None:
    file: dict[str, object] = {}
    for setting in SETTINGS:
        group, _, name = setting.key.rpartition(".")
        place = file.setdefault(group, {}) if group else file
        assert isinstance(place, dict)
        place[name] = setting.default
    found = read_config(yaml.safe_dump(file).encode())

    assert found.problems == ()
    assert {kind: patterns for kind, patterns in found.config.kinds.items() if patterns} == {}
    assert Config(**{name: getattr(found.config, name) for name in Config.__slots__} | {"kinds": {}}) == DEFAULTS


def test_every_setting_changes_something() -> None:
    other = {"true": "false", "embedded": "voyage", "never": "breaks", "reached": "breaks", "[]": "[body]"}
    for setting in SETTINGS:
        written = str(setting.default).lower()
        value = other.get(written, "7")
        *groups, name = setting.key.split(".")
        text = f"{groups[0]}: {{{name}: {value}}}" if groups else f"{name}: {value}"

        found = read_config(text.encode())

        assert found.problems == (), setting.key
        assert found.config != DEFAULTS, setting.key
