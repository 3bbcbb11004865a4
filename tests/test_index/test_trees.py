"""Code of a shape: phrases about code, and queries over syntax trees that run in a process which can be killed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from index.errors import CannotLook, QuestionError
from index.retrievers.structural import Structural
from index.retrievers.trees import Refused, taken_apart
from index.search import search
from index.syntax.asking import TreeQueries
from index.types import Query
from support.snapshots import a_snapshot, place_of

PYTHON, TYPESCRIPT = 1, 2
FILES = {
    "shop/pay.py": (
        "async def pay(card):\n"
        "    try:\n"
        "        await card.charge()\n"
        "    except (KeyError, errors.CardDeclined) as error:\n"
        "        raise PaymentError(card) from error\n"
        "\n"
        "def refund(card, timeout=3):\n"
        "    try:\n"
        "        return card.back()\n"
        "    except ValueError:\n"
        "        yield None\n"
        "\n"
        "class Till:\n"
        "    @cached\n"
        "    def close(self):\n"
        "        raise PaymentError\n"
    ),
    "shop/pay.ts": (
        "export async function charge(card: Card, timeout?: number) {\n  if (!card) throw new PaymentError(card);\n  return card;\n}\n"
    ),
    "tests/test_pay.py": "def test_pay():\n    raise PaymentError\n",
}
SYMBOLS = [
    ("shop/pay.py", "pay", "function", 1, 5),
    ("shop/pay.py", "refund", "function", 7, 11),
    ("shop/pay.py", "Till", "class", 13, 16),
    ("shop/pay.py", "Till.close", "method", 14, 16),
    ("shop/pay.ts", "charge", "function", 1, 4),
    ("tests/test_pay.py", "test_pay", "function", 1, 2),
]
LANGUAGES = {"shop/pay.py": PYTHON, "shop/pay.ts": TYPESCRIPT, "tests/test_pay.py": PYTHON}
SHOP = a_snapshot(FILES, SYMBOLS, languages=LANGUAGES)


@pytest.fixture(scope="module")
def trees() -> Iterator[TreeQueries]:
    matcher = TreeQueries(seconds=30)  # of a loaded machine; the tests of time have their own
    yield matcher
    matcher.close()


def found(trees: TreeQueries, question: str) -> list[str]:
    answer = search(question, SHOP, None, strategy="direct", retrievers={"structural": Structural(trees)})
    return [f"{place_of(SHOP, hit.symbol)}:{hit.line} {hit.why}" for hit in answer.hits]


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("async functions that catch KeyError", ["shop/pay.py::pay:1 is async and catches `KeyError` on line 4"]),
        ("functions that catch CardDeclined", ["shop/pay.py::pay:1 catches `CardDeclined` on line 4"]),
        ("functions that catch errors.CardDeclined", ["shop/pay.py::pay:1 catches `errors.CardDeclined` on line 4"]),
        ("fonctions async qui attrapent KeyError", ["shop/pay.py::pay:1 is async and catches `KeyError` on line 4"]),
        (
            "functions that raise PaymentError",
            [
                "shop/pay.py::pay:1 raises `PaymentError` on line 5",
                "shop/pay.py::Till.close:14 raises `PaymentError` on line 16",
                "shop/pay.ts::charge:1 raises `PaymentError` on line 2",
                "tests/test_pay.py::test_pay:1 raises `PaymentError` on line 2",
            ],
        ),
        ("methods that raise PaymentError", ["shop/pay.py::Till.close:14 raises `PaymentError` on line 16"]),
        (
            "functions with a parameter named timeout",
            ["shop/pay.py::refund:7 has a parameter `timeout` on line 7", "shop/pay.ts::charge:1 has a parameter `timeout` on line 1"],
        ),
        ("all async functions", ["shop/pay.py::pay:1 is async", "shop/pay.ts::charge:1 is async"]),
        ("classes with a method named cl*", ["shop/pay.py::Till:13 has a member `cl*`"]),
        ("functions named re*", ["shop/pay.py::refund:7 is named like `re*`"]),
        ("methods decorated with cached", ["shop/pay.py::Till.close:14 is decorated with `cached` on line 14"]),
        ("generators that yield None", ["shop/pay.py::refund:7 is a generator and yields `None` on line 11"]),
        ("functions that raise NothingOfTheKind", []),
    ],
)
def test_phrases_about_code(trees: TreeQueries, question: str, places: list[str]) -> None:
    assert found(trees, question) == places


def test_more_than_one_answer_holds_is_asked_for_in_parts(trees: TreeQueries, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found(trees, "functions that raise PaymentError")
    monkeypatch.setattr("index.syntax.asking.MOST_CAPTURES", 2)

    assert found(trees, "functions that raise PaymentError") == whole


def test_a_query_over_syntax_trees(trees: TreeQueries) -> None:
    assert found(trees, '(raise_statement (identifier) @raised (#eq? @raised "PaymentError"))') == [
        "shop/pay.py::Till.close:16 is captured as `@raised` on line 16",
        "tests/test_pay.py::test_pay:2 is captured as `@raised` on line 2",
    ]
    assert found(trees, "(throw_statement) @thrown") == ["shop/pay.ts::charge:2 is captured as `@thrown` on line 2"]


def test_a_query_that_no_language_understands_is_refused_with_the_reason(trees: TreeQueries) -> None:
    with pytest.raises(QuestionError, match=r"No language that is indexed here understands this query .python: .*nonsense.*typescript: "):
        found(trees, "(nonsense) @x")


def test_the_process_gives_back_captures_in_order_and_says_when_a_query_is_wrong(trees: TreeQueries) -> None:
    captures = trees(PYTHON, "(identifier) @a", [b"x = y\n", b"z\n"])

    assert captures.found == ((0, 0, 1, "a"), (0, 4, 5, "a"), (1, 0, 1, "a"))
    with pytest.raises(Refused):
        trees(PYTHON, "(", [b""])


def test_a_query_that_does_not_end_is_killed_and_the_next_one_is_answered() -> None:
    matcher = TreeQueries(seconds=2.0)
    try:
        began = time.monotonic()
        with pytest.raises(CannotLook, match="more than 2 seconds"):
            matcher(PYTHON, '((string) @s (#match? @s "^.(a+)+$"))', [b"x = '" + b"a" * 60 + b"'\n"])
        assert time.monotonic() - began < 60

        assert matcher(PYTHON, "(identifier) @a", [b"x\n"]).found
    finally:
        matcher.close()


def test_the_process_sees_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch, trees: TreeQueries) -> None:
    monkeypatch.setenv("MAGUYVA_SECRET", "s")
    matcher = TreeQueries()
    try:
        matcher(PYTHON, "(identifier) @a", [b"x\n"])
        process = matcher._process
        assert process is not None
        if os.path.exists(f"/proc/{process.pid}/environ"):
            with open(f"/proc/{process.pid}/environ", "rb") as environment:
                assert b"MAGUYVA_SECRET" not in environment.read()
    finally:
        matcher.close()


def test_without_anything_that_reads_trees_the_answer_says_so() -> None:
    with pytest.raises(CannotLook):
        Structural(None)(Query("x", "find_definition", "(identifier) @a", subject_kind="tree query"), SHOP, 10)


def test_what_is_not_understood_is_not_guessed() -> None:
    assert taken_apart("functions that handle file uploads") is None
    assert taken_apart("everything that raises X") is None


def test_too_long_a_query_is_refused(trees: TreeQueries) -> None:
    with pytest.raises(QuestionError, match="at most 2,000"):
        Structural(trees)(Query("x", "find_definition", "(identifier) @a" * 200, subject_kind="tree query"), SHOP, 10)
