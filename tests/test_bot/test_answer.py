"""Answers as Markdown and in a terminal. What people see stands in tests/rendered."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from bot.rendering.answer import print_answer, render_answer
from bot.rendering.links import github_links
from index.answer import Reply, as_json, describe
from index.search import search
from index.snapshot import Snapshot
from support.snapshots import a_snapshot

Check = Callable[[str, str], None]
LINKS = github_links("https://github.com/shop/shop")
FILES = {
    "shop/tax.py": "def rate(country):\n    '''The VAT rate of a country.'''\n    return RATES[country]\n",
    "shop/cart.py": "class Cart:\n    def total(self):\n        return sum(self.prices) * rate(self.country)\n",
    "shop/invoice.py": "def invoice(cart):\n    net = cart.total()\n    log(net)\n    return cart.total() + shipping(cart)\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total() == 0\n",
}
SYMBOLS = [
    ("shop/tax.py", "rate", "function", 1, 3),
    ("shop/cart.py", "Cart", "class", 1, 3),
    ("shop/cart.py", "Cart.total", "method", 2, 3),
    ("shop/invoice.py", "invoice", "function", 1, 4),
    ("tests/test_cart.py", "test_total", "function", 1, 2),
]
EDGES = [
    ("shop/cart.py::Cart.total", "shop/tax.py::rate", "call", "proved", 3),
    ("shop/invoice.py::invoice", "shop/cart.py::Cart.total", "call", "likely", 2),
    ("shop/invoice.py::invoice", "shop/cart.py::Cart.total", "call", "likely", 4),
    ("tests/test_cart.py::test_total", "shop/cart.py::Cart.total", "call", "proved", 2),
]
SHOP = a_snapshot(
    FILES, SYMBOLS, EDGES, [("shop/invoice.py::invoice", "total", 3, "receiver")], languages=dict.fromkeys(FILES, 1), commit="a" * 40
)


def reply(question: str, shop: Snapshot = SHOP, **options: object) -> Reply:
    return describe(search(question, shop, None, **options), shop)  # type: ignore[arg-type]


def in_a_terminal(one: Reply, **options: bool) -> str:
    out = io.StringIO()
    print_answer(one, Console(file=out, width=100, no_color=True, highlight=False), **options)
    return out.getvalue()


QUESTIONS = {
    "references": "who calls Cart.total?",
    "definition": "where is rate defined?",
    "path": "how does invoice reach rate?",
    "nothing": "/no such text/",
    "misspelt": "who calls Cart.totla?",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_in_a_thread(name: str, check_rendered: Check) -> None:
    check_rendered(f"answers/{name}.md", render_answer(reply(QUESTIONS[name]), LINKS))


def test_an_answer_that_explains_itself(check_rendered: Check) -> None:
    one = reply("the rate of total", intent="understand_code")

    check_rendered("answers/explained.md", render_answer(one, LINKS, explain=True))
    check_rendered("answers/explained.txt", in_a_terminal(one, explain=True))


REPORT = """\
Wrong VAT after a move

When a customer moves to another country, the rate is that of the old country, and `invoice` shows a total that is too low:

  File "/home/me/venv/site-packages/shop/cart.py", line 3, in total
    return sum(self.prices) * rate(self.country)
"""


def test_an_answer_to_a_pasted_report(check_rendered: Check) -> None:
    check_rendered("answers/report.md", render_answer(reply(REPORT), LINKS, explain=True))


@pytest.mark.parametrize("name", ["references", "path"])
def test_answers_in_a_terminal(name: str, check_rendered: Check) -> None:
    check_rendered(f"answers/{name}.txt", in_a_terminal(reply(QUESTIONS[name])))


HOSTILE = "@everyone fixes #1 `|` <img src=x> [x](http://evil.example) \u202e--> </details> ``` ~~~"


def hostile_reply() -> Reply:
    path = "shop/`|@everyone <b>.py"
    code = f"def total(): # {HOSTILE}\n    '''```\n    </code></pre> @everyone\n    '''\n"
    shop = a_snapshot({path: code}, [(path, "total", "function", 1, 4)], commit="b" * 40)
    one = reply("where is total defined?", shop)
    query = replace(one.answer.query, subject=HOSTILE)
    return replace(one, answer=replace(one.answer, query=query, notes=(HOSTILE, f"`{HOSTILE}`"), nearest=(HOSTILE,)))


def test_hostile_names_and_code_are_shown_and_harmless(check_rendered: Check) -> None:
    text = render_answer(hostile_reply(), LINKS)

    check_rendered("answers/hostile.md", text)
    outside_of_code = re.sub(r"(?s)(`{3,})\n.*?\n\1\n|`[^`\n]*`|<code>.*?</code>|\]\([^)\s]*\)", "", text)
    assert not re.search(r"@everyone|<img|evil\.example|#1\b|-->|</details>|\u202e", outside_of_code)


def test_an_answer_in_a_terminal_has_no_control_characters() -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", in_a_terminal(hostile_reply()))


def test_a_long_answer_stays_within_its_budget_and_counts_what_it_leaves_out() -> None:
    many = {f"shop/file_{at:04}.py": f"def rate():\n    return '{'x' * 180}'\n" for at in range(500)}
    shop = a_snapshot(many, [(path, "rate", "function", 1, 2) for path in many])
    one = reply("where is rate defined?", shop, limit=500)

    text = render_answer(one, LINKS, budget=20_000)

    assert len(text) <= 20_000
    shown = text.count("file_") // 2
    assert f"… and {500 - shown:,} more." in text or f"… and {one.answer.total - shown:,} more." in text


def test_the_same_reply_gives_the_same_bytes() -> None:
    assert render_answer(reply(QUESTIONS["references"]), LINKS) == render_answer(reply(QUESTIONS["references"]), LINKS)


def test_json_has_the_promised_keys() -> None:
    found = as_json(reply("who calls Cart.total?"))

    assert {"intent", "confidence", "subject", "fusion_strategy", "preset", "retrievers", "results"} <= found.keys()
    assert found["uses"] == [
        {"use": "calls", "tier": "proved", "count": 1, "files": 1},
        {"use": "calls", "tier": "likely", "count": 2, "files": 1},
        {"use": "uses some", "tier": "unresolved", "count": 1, "files": 1},
    ]
    first = found["results"][0]
    assert (first["path"], first["line"], first["symbol"], first["use"], first["tier"]) == (
        "tests/test_cart.py",
        2,
        "test_total",
        "calls",
        "proved",
    )
    assert first["contributions"] == [{"retriever": "graph", "rank": 0, "weight": 0.5, "score": 0.5 / 41}]
