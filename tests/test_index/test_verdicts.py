"""Changed symbols and both graphs -> what becomes of every use."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.impact.calls import Call, call_at, misfits, node_at
from index.impact.changed import changed_symbols
from index.impact.signature import RULES, read_signature
from index.impact.syntax import parse
from index.impact.verdicts import Judged, verdicts
from support.changes import a_change

Files = dict[str, str]


def judged(before: Files, after: dict[str, str | None], renamed: Files | None = None, tiers: Files | None = None) -> Judged:
    made = a_change(before, after, renamed, tiers=tiers)
    return verdicts(changed_symbols(made.changes, made.base, made.head, made.before, made.after).symbols, made)


def said(found: Judged) -> list[str]:
    return [
        f"{one.severity.label}: {one.site.path}:{one.site.line} {one.reason}{f' ({one.hedge})' if one.hedge else ''}"
        for one in found.verdicts
    ]


def resigned(before: str, after: str, call: str, name: str = "price", ending: str = "py", top: str = "") -> list[str]:
    """What is said of one call when a function changes."""
    if ending == "py":
        user = f"{top}from a import {name}\n\n\ndef use(x, xs, kw):\n    {call}\n"
    else:
        user = f"import {{ {name} }} from './a'\n\n\nexport function use(x, xs) {{\n  {call}\n}}\n"
    found = judged({f"a.{ending}": before, f"b.{ending}": user}, {f"a.{ending}": after})
    return [line.split(" ", 2)[0] + " " + line.split(" ", 3)[3] if line.startswith(("may", "will")) else line for line in said(found)]


def test_the_missing_argument_is_named_and_the_call_that_passes_it_is_not_listed() -> None:
    files = {
        "a.py": "def price(x):\n    return x\n",
        "b.py": "from a import price\n\ndef f():\n    price(1)\n\ndef g():\n    price(1, currency='EUR')\n",
    }
    found = judged(files, {"a.py": "def price(x, currency):\n    return x\n"})

    assert said(found) == ["will break: b.py:4 calls `price`: missing argument `currency`"]
    assert found.fits == 1


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("def price(x, tax=0): ...", "def price(x): ...", "price(1, tax=2)", "will calls `price`: unknown keyword `tax`"),
        (
            "def price(x, tax=0): ...",
            "def price(x): ...",
            "price(1, 2)",
            "will calls `price`: too many positional arguments: 2 given, 1 taken",
        ),
        ("def price(x): ...", "def price(x, y): ...", "price(*xs)", "may calls `price`: missing argument `y` (the call passes `*args`)"),
        (
            "def price(x): ...",
            "def price(x, y): ...",
            "price(1, **kw)",
            "may calls `price`: missing argument `y` (the call passes `**kwargs`)",
        ),
        ("def price(x, tax): ...", "def price(x, *, tax): ...", "price(1, tax=2)", None),
        (
            "def price(a, b): ...",
            "def price(b, a): ...",
            "price(1, 2)",
            "may calls `price`: argument 1 was `a`, is now `b`; argument 2 was `b`, is now `a`",
        ),
        ("def price(x): ...", "def price(x, y=1): ...", "price(1)", None),
        ("def price(x): ...", "def price(y): ...", "price(x=1)", "will calls `price`: unknown keyword `x`; missing argument `y`"),
        ("def price(x): ...", "def price(y): ...", "price(1)", None),
        ("def price(x): ...", "async def price(x): ...", "y = price(1)", "will calls `price` without await: it is now async"),
        (
            "def price(x): ...",
            "async def price(x): ...",
            "return price(1)",
            "may calls `price` without await: it is now async (it may be awaited elsewhere)",
        ),
        (
            "def price(x): ...",
            "@magic\ndef price(x, y): ...",
            "price(1)",
            "may calls `price`: missing argument `y` (`@magic` may change what is passed)",
        ),
        (
            "def price(x): ...",
            "def price(x, y): ...",
            "price(1, 2, 3)",
            "may calls `price`: too many positional arguments: 3 given, 2 taken (it did not fit before either)",
        ),
        (
            "def price(x): ...",
            "def price(x, y): ...",
            "xs.map(price)",
            "may calls `price`: `y` is now required (it is called elsewhere, with arguments we do not see)",
        ),
    ],
)
def test_each_python_call_gets_its_verdict(before: str, after: str, call: str, expected: str | None) -> None:
    found = [line.replace("break: ", "") for line in resigned(before + "\n", after + "\n", call)]

    assert found == ([expected] if expected is not None else [])


def test_a_parameter_that_became_keyword_only_breaks_calls_by_place() -> None:
    found = resigned("def price(x, tax): ...\n", "def price(x, *, tax): ...\n", "price(1, 2)")

    assert found == ["will calls `price`: missing argument `tax`; too many positional arguments: 2 given, 1 taken"]


@pytest.mark.parametrize(
    ("call", "hedge"),
    [
        ("with pytest.raises(TypeError):\n        price(1)", "inside a block that expects an error"),
        ("try:\n        price(1)\n    except TypeError:\n        pass", "inside a `try` that catches it"),
    ],
)
def test_a_call_whose_failure_is_expected_is_not_called_broken(call: str, hedge: str) -> None:
    (found,) = resigned("def price(x): ...\n", "def price(x, y): ...\n", call, top="import pytest\n")

    assert found == f"may calls `price`: missing argument `y` ({hedge})"


def test_only_a_proved_site_may_be_called_broken() -> None:
    files = {"a.py": "def price(x): ...\n", "b.py": "from a import price\n\ndef f():\n    price(1)\n"}
    found = judged(files, {"a.py": "def price(x, y): ...\n"}, tiers={"a.py::price": "likely"})

    assert said(found) == ["may break: b.py:4 calls `price`: missing argument `y` (likely, not proved)"]


def test_typescript_does_not_compile_and_javascript_gets_undefined() -> None:
    before, after = "export function price(a) { return a }\n", "export function price(a, b) { return a }\n"

    assert resigned(before, after, "price(1)", ending="ts") == ["will calls `price`: missing argument `b`"]
    assert resigned(before, after, "price(1)", ending="js") == ["may calls `price`: missing argument `b` (the value is `undefined`)"]
    assert resigned(before, after, "price(...xs)", ending="ts") == ["may calls `price`: missing argument `b` (the call passes `*args`)"]


def test_methods_are_bound_to_their_receiver() -> None:
    before = "class Cart:\n    def add(self, x):\n        return x\n\n    def both(self):\n        self.add(1)\n        Cart.add(self, 1)\n"
    found = judged({"a.py": before}, {"a.py": before.replace("def add(self, x)", "def add(self, x, n)")})

    assert said(found) == [
        "will break: a.py:6 calls `self.add`: missing argument `n`",
        "will break: a.py:7 calls `Cart.add`: missing argument `n`",
    ]


def test_calling_a_class_calls_its_constructor() -> None:
    files = {
        "a.py": "class Cart:\n    def __init__(self, x):\n        self.x = x\n",
        "b.py": "from a import Cart\n\ndef f():\n    return Cart(1)\n",
    }
    found = judged(files, {"a.py": files["a.py"].replace("self, x)", "self, x, y)")})

    assert said(found) == ["will break: b.py:4 calls `Cart`: missing argument `y`"]


def test_what_is_removed_breaks_its_import_and_its_calls() -> None:
    files = {
        "a.py": "def old_total(x):\n    return x\n\nX = 1\n",
        "jobs/b.py": "from a import old_total\n\ndef f():\n    return old_total(1)\n",
    }
    found = judged(files, {"a.py": "X = 1\n"})

    assert said(found) == [
        "will break: jobs/b.py:1 imports `old_total`, removed here",
        "will break: jobs/b.py:4 calls `old_total`, removed here",
    ]


def test_a_caller_that_the_change_adapts_is_not_listed() -> None:
    files = {"a.py": "def old(x):\n    return x\n\nX = 1\n", "b.py": "from a import old\n\ndef f():\n    return old(1)\n"}

    assert said(judged(files, {"a.py": "X = 1\n", "b.py": "def f():\n    return 1\n"})) == []


def test_a_caller_that_now_gets_the_name_from_elsewhere_is_not_listed() -> None:
    files = {"a.py": "def old(x):\n    return [x, x, x]\n\nX = 1\n", "b.py": "from a import old\n\ndef f():\n    return old(1)\n"}

    assert said(judged(files, {"a.py": "X = 1\n", "b.py": "from elsewhere import old\n\ndef f():\n    return old(1)\n"})) == []


def test_a_rename_lists_the_callers_of_the_old_name() -> None:
    body = "    total = 0\n    for item in items:\n        total += item.price\n    return total\n"
    files = {"a.py": f"def total_of(items):\n{body}", "b.py": "from a import total_of\n\ndef f():\n    return total_of([])\n"}
    found = judged(files, {"a.py": f"def sum_of(items):\n{body}"})

    assert said(found) == [
        "will break: b.py:1 imports `total_of`, renamed to `sum_of` here",
        "will break: b.py:4 calls `total_of`, renamed to `sum_of` here",
    ]


def test_a_move_with_a_reexport_breaks_nothing() -> None:
    body = "    total = 0\n    for item in items:\n        total += item.price\n    return total\n"
    files = {"a.py": f"def total_of(items):\n{body}", "b.py": "from a import total_of\n\ndef f():\n    return total_of([])\n"}

    assert said(judged(files, {"a.py": "from c import total_of\n", "c.py": f"def total_of(items):\n{body}"})) == []
    assert said(judged(files, {"a.py": "X = 1\n", "c.py": f"def total_of(items):\n{body}"}))[0] == (
        "will break: b.py:1 imports `total_of`, moved to `c.py` here"
    )


def test_an_import_added_beside_the_removal_is_found_too() -> None:
    files = {"a.py": "def old(x):\n    return x\n\nX = 1\n", "b.py": "Y = 1\n"}
    found = judged(files, {"a.py": "X = 1\n", "b.py": "from a import old\n\nY = 1\n"})

    assert said(found) == ["will break: b.py:1 imports `old`, removed here"]


def test_an_import_that_is_allowed_to_fail_is_not_called_broken() -> None:
    files = {"a.py": "def old(x):\n    return x\n\nX = 1\n", "b.py": "try:\n    from a import old\nexcept ImportError:\n    old = None\n"}
    found = judged(files, {"a.py": "X = 1\n"})

    assert [line for line in said(found) if line.startswith("will")] == []


def test_an_override_that_does_not_take_a_new_parameter_is_at_risk() -> None:
    files = {
        "a.py": "class Gateway:\n    def pay(self, x):\n        return x\n",
        "b.py": (
            "from a import Gateway\n\nclass Card(Gateway):\n    def pay(self, x):\n        return 1\n\n"
            "class Cash(Gateway):\n    def pay(self, x, **kw):\n        return 1\n"
        ),
    }
    found = judged(files, {"a.py": files["a.py"].replace("self, x)", "self, x, currency=None)")})

    assert said(found) == ["may break: b.py:4 overrides `Gateway.pay` without `currency` (only calls through the base class pass it)"]


def test_a_new_abstract_method_is_a_duty_for_subclasses() -> None:
    base = "from abc import abstractmethod\n\nclass Gateway:\n    def pay(self):\n        return 1\n"
    files = {
        "a.py": base,
        "b.py": (
            "from a import Gateway\n\nclass Card(Gateway):\n    def refund(self):\n        return 1\n\nclass Cash(Gateway):\n    pass\n"
        ),
    }
    found = judged(files, {"a.py": base + "\n    @abstractmethod\n    def refund(self): ...\n"})

    assert [(one.site.line, one.reason) for one in found.verdicts] == [(7, "inherits from `Gateway` without its new abstract `refund`")]


def test_a_changed_body_puts_its_callers_at_risk_and_breaks_none() -> None:
    files = {"a.py": "def price(x):\n    return x\n", "b.py": "from a import price\n\ndef f():\n    return price(1)\n"}

    assert said(judged(files, {"a.py": "def price(x):\n    return x + 1\n"})) == [
        "may break: b.py:4 calls `price`: the body of `price` changed"
    ]


def test_ids_survive_when_lines_move() -> None:
    files = {"a.py": "def price(x): ...\n", "b.py": "from a import price\n\ndef f():\n    price(1)\n"}
    moved = {**files, "b.py": "from a import price\n\n\n\n\ndef f():\n    price(1)\n"}
    after: dict[str, str | None] = {"a.py": "def price(x, y): ...\n"}

    assert [one.id for one in judged(files, after).verdicts] == [one.id for one in judged(moved, after).verdicts]


def test_nested_calls_are_told_apart_by_name() -> None:
    source = b"outer(inner(1), 2)(3)\n"
    tree = parse("python", source)

    def at(column: int, name: str) -> Call | None:
        node = node_at(tree, source, 1, column)
        return None if node is None else call_at(node, name)

    inner, outer = at(7, "inner"), at(1, "outer")
    assert inner is not None and (inner.name, inner.positional) == ("inner", 1)
    assert outer is not None and (outer.name, outer.positional) == ("outer", 2)


arguments = st.lists(st.sampled_from(["1", "2", "a=1", "b=1", "c=1", "d=1"]), max_size=5)
signatures = st.sampled_from(
    [
        "",
        "a",
        "a, b",
        "a, b=1",
        "a, *, b",
        "a, *, b=1",
        "*args",
        "**kw",
        "a, *args, b",
        "a, /, b",
        "a, /, **kw",
        "a=1, b=2",
        "*, a, b=1, **kw",
        "a, b, c, d",
    ]
)


@given(signatures, arguments)
@settings(max_examples=300)
def test_a_call_fits_exactly_when_python_binds_it(listed: str, given_arguments: list[str]) -> None:
    placed = [one for one in given_arguments if "=" not in one]
    named = list(dict.fromkeys(one for one in given_arguments if "=" in one))
    source = f"f({', '.join([*placed, *named])})\n".encode()
    namespace: dict[str, object] = {}
    exec(f"def f({listed}): ...", namespace)  # noqa: S102 - one of the signatures above
    try:
        namespace["f"](*placed, **{one[0]: 1 for one in named})  # type: ignore[operator]
        binds = True
    except TypeError:
        binds = False
    signature = read_signature(f"def f({listed}): ...".encode(), "python")
    node = node_at(parse("python", source), source, 1, 1)
    call = call_at(node, "f") if node is not None else None
    assert signature is not None and call is not None

    assert (misfits(call, signature.parameters, RULES["python"]) == []) is binds
