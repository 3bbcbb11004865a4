"""Text of a definition -> Signature, and what callers can notice when it changes."""

from __future__ import annotations

import inspect
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.impact.nouns import Signature
from index.impact.nouns import SignatureChangeKind as Kind
from index.impact.signature import compare, read_signature, record_signature
from index.impact.syntax import parse


def read(text: str, grammar: str = "python") -> Signature:
    found = read_signature(text.encode(), grammar)
    assert found is not None
    return found


def written(signature: Signature) -> list[tuple[str, str, bool, str]]:
    return [(one.name, one.kind.value, one.has_default, one.annotation) for one in signature.parameters]


def changes(before: str, after: str, grammar: str = "python") -> list[tuple[Kind, str, bool]]:
    return [(one.kind, one.name, one.breaking) for one in compare(read(before, grammar), read(after, grammar))]


def test_every_kind_of_python_parameter_is_told_apart() -> None:
    found = read("def f(a, b=1, /, c: int = 2, *args, d, e: str = 'x', **kw) -> int: ...")

    assert written(found) == [
        ("a", "positional-only", False, ""),
        ("b", "positional-only", True, ""),
        ("c", "positional", True, "int"),
        ("args", "star", False, ""),
        ("d", "keyword-only", False, ""),
        ("e", "keyword-only", True, "str"),
        ("kw", "star-star", False, ""),
    ]
    assert found.returns == "int"


def test_every_kind_of_typescript_parameter_is_told_apart() -> None:
    found = read(
        "private static async m(this: X, a: number, b?: string, { c, d }: Y = {}, ...rest: any[]): Promise<void> { }", "typescript"
    )

    assert written(found) == [
        ("a", "positional", False, "number"),
        ("b", "positional", True, "string"),
        ("{ c, d }", "destructured", True, "Y"),
        ("rest", "rest", False, "any[]"),
    ]
    assert (found.is_async, found.is_static, found.visibility, found.returns) == (True, True, "private", "Promise<void>")


@pytest.mark.parametrize(
    ("text", "grammar", "names"),
    [
        ("@staticmethod\n    @x.y(1)\n    async def f(a): pass", "python", ["a"]),
        ("x = lambda a, b=1: a", "python", ["a", "b"]),
        ("export const f = async <T>(a: T, b = 2): Promise<T> => a", "typescript", ["a", "b"]),
        ("f = a => 1", "javascript", ["a"]),
        ("*g(a, [b, c], d = 1) {}", "javascript", ["a", "[b, c]", "d"]),
        ("abstract m(a: string): void;", "typescript", ["a"]),
        ("m: function (a, b) {}", "javascript", ["a", "b"]),
        ("constructor(private readonly a: X, b: Y) { super() }", "typescript", ["a", "b"]),
        ("@Get('x') find(@Query() q: Q) {}", "typescript", ["q"]),
        ("def f(a,  # the first\n      b): pass", "python", ["a", "b"]),
    ],
)
def test_a_definition_cut_out_of_its_file_can_be_read(text: str, grammar: str, names: list[str]) -> None:
    assert [one.name for one in read(text, grammar).parameters] == names


def test_what_can_not_be_called_has_no_signature() -> None:
    assert read_signature(b"RATE = 0.2", "python") is None
    assert read_signature(b"TABLE = sorted(rows, key=lambda row: row.x)", "python") is None
    assert read_signature(b"const h = wrap((a) => a)", "typescript") is None


def test_generators_async_and_decorators_are_seen() -> None:
    found = read("@cache\n@app.route('/x')\nasync def f():\n    def inner():\n        yield 1\n    return inner")

    assert (found.is_async, found.is_generator, found.decorators) == (True, False, ("cache", "app.route('/x')"))
    assert read("def f():\n    if x:\n        yield 1").is_generator


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def f(a): ...", "def f(a, b): ...", [(Kind.ADDED_REQUIRED, "b", True)]),
        ("def f(a): ...", "def f(a, b=1): ...", [(Kind.ADDED_OPTIONAL, "b", False)]),
        (
            "def f(a): ...",
            "def f(b=1, a=2): ...",
            [(Kind.ADDED_OPTIONAL, "b", False), (Kind.DEFAULT_ADDED, "a", False), (Kind.REORDERED, "", True)],
        ),
        ("def f(a, b): ...", "def f(a): ...", [(Kind.REMOVED, "b", True)]),
        ("def f(a, b): ...", "def f(a, c): ...", [(Kind.RENAMED, "c", True)]),
        ("def f(a, /): ...", "def f(b, /): ...", [(Kind.RENAMED, "b", False)]),
        ("def f(a, b): ...", "def f(b, a): ...", [(Kind.REORDERED, "", True)]),
        ("def f(a, b=1): ...", "def f(a, *, b=1): ...", [(Kind.KEYWORD_ONLY, "b", True)]),
        ("def f(a, *, b=1): ...", "def f(a, b=1): ...", [(Kind.KIND, "b", False)]),
        ("def f(a): ...", "def f(a, /): ...", [(Kind.POSITIONAL_ONLY, "a", True)]),
        ("def f(a=1): ...", "def f(a): ...", [(Kind.DEFAULT_REMOVED, "a", True)]),
        ("def f(a=1): ...", "def f(a=2): ...", [(Kind.DEFAULT_CHANGED, "a", False)]),
        ("def f(a: int): ...", "def f(a: str): ...", [(Kind.ANNOTATION, "a", False)]),
        ("def f() -> int: ...", "def f() -> str: ...", [(Kind.RETURN, "", False)]),
        ("def f(): ...", "async def f(): ...", [(Kind.ASYNC, "", True)]),
        ("def f(): ...", "@cache\ndef f(): ...", [(Kind.DECORATORS, "", True)]),
        ("def f(*, a): ...", "def f(**kw): ...", [(Kind.ADDED_OPTIONAL, "kw", False), (Kind.REMOVED, "a", False)]),
        ("def f(a): ...", "def f(a): ...", []),
    ],
)
def test_each_difference_is_named_and_marked_breaking_or_not(before: str, after: str, expected: list[tuple[Kind, str, bool]]) -> None:
    assert changes(before, after) == expected


def test_a_rename_can_not_break_callers_that_never_name_parameters() -> None:
    assert changes("function f(a: number) {}", "function f(b: number) {}", "typescript") == [(Kind.RENAMED, "b", False)]


def test_a_private_method_is_a_narrower_one() -> None:
    assert changes("m() {}", "private m() {}", "typescript") == [(Kind.VISIBILITY, "", True)]


names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name) and name != "_")


@st.composite
def python_signatures(draw: st.DrawFn) -> str:
    """Parameter lists that Python accepts."""
    chosen = draw(st.lists(names, unique=True, max_size=6))
    kinds = sorted(draw(st.lists(st.integers(0, 4), min_size=len(chosen), max_size=len(chosen))))
    out, defaulted = [], False
    for at, (name, kind) in enumerate(zip(chosen, kinds, strict=True)):
        if kind in (2, 4):
            kind = 3 if kind == 2 else kind
        if kind == 4 and at != len(chosen) - 1:
            kind = 3
        if kind == 3 and not any(piece.startswith("*") for piece in out):
            out.append("*")
        default = draw(st.booleans()) or (defaulted and kind <= 1)
        defaulted = defaulted or (default and kind <= 1)
        out.append(f"**{name}" if kind == 4 else f"{name}=1" if default else name)
        if kind == 0 and (at + 1 == len(chosen) or kinds[at + 1] != 0):
            out.append("/")
    if out and out[-1].startswith("**") and "*" in out and out.index("*") == len(out) - 2:
        out.remove("*")
    return ", ".join(out)


@given(python_signatures())
def test_parameters_are_what_python_itself_reads(listed: str) -> None:
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional-only",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
        inspect.Parameter.KEYWORD_ONLY: "keyword-only",
        inspect.Parameter.VAR_POSITIONAL: "star",
        inspect.Parameter.VAR_KEYWORD: "star-star",
    }
    namespace: dict[str, object] = {}
    exec(f"def f({listed}): ...", namespace)  # noqa: S102 - a signature that this test made itself
    truth = inspect.signature(namespace["f"])  # type: ignore[arg-type]

    found = read(f"def f({listed}): ...")

    assert [(one.name, one.kind.value, one.has_default) for one in found.parameters] == [
        (one.name, kinds[one.kind], one.default is not inspect.Parameter.empty) for one in truth.parameters.values()
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@dataclass\nclass P:\n    x: int\n    y: int = 1\n    Z: ClassVar[int] = 2\n    def m(self): ...\n", [("x", False), ("y", True)]),
        ("@dataclass(kw_only=True)\nclass P:\n    x: list = field(default_factory=list)\n    y: int = field(init=False)\n", [("x", True)]),
        ("class P(NamedTuple):\n    x: int\n", [("x", False)]),
        ("class P(BaseModel):\n    x: int\n    y: int = Field(..., gt=1)\n", [("x", False), ("y", False), ("extra", False)]),
    ],
)
def test_fields_make_a_constructor(text: str, names: list[tuple[str, bool]]) -> None:
    found = record_signature(parse("python", text.encode()).root_node, "python")

    assert found is not None
    assert [(one.name, one.has_default) for one in found.parameters] == names


@pytest.mark.parametrize(
    "text",
    [
        "class P:\n    x: int\n",
        "@dataclass\nclass P(Other):\n    x: int\n",
        "@dataclass\nclass P:\n    x: int\n    def __init__(self): ...\n",
    ],
)
def test_other_classes_have_no_constructor_made_of_fields(text: str) -> None:
    assert record_signature(parse("python", text.encode()).root_node, "python") is None
