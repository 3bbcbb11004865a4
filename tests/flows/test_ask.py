"""Questions through the real command, on a small real repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import Ran, maguyva
from support.repositories import TinyRepository, a_repository

SHOP = {
    "shop/__init__.py": "from shop.tax import rate\n",
    "shop/tax.py": "RATES = {'BE': 0.21}\n\n\ndef rate(country):\n    '''The VAT rate of a country.'''\n    return RATES[country]\n",
    "shop/invoice.py": "from shop import rate\n\n\ndef total(net, country):\n    return net + net * rate(country)\n",
    "shop/pay.ts": "export async function charge(card: string) {\n  throw new Error('card declined');\n}\n",
    "tests/test_invoice.py": "from shop.invoice import total\n\n\ndef test_total():\n    assert total(100, 'BE') == 121\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[TinyRepository, Path]:
    folder = tmp_path_factory.mktemp("ask")
    repository = a_repository(folder / "shop")
    repository.commit(SHOP, "A shop")
    return repository, folder / "home"


def ask(place: tuple[TinyRepository, Path], *words: str) -> Ran:
    return maguyva("ask", *words, repo=place[0].path, home=place[1])


def asked(place: tuple[TinyRepository, Path], *words: str) -> dict[str, Any]:
    ran = ask(place, "--json", *words)
    assert (ran.code, ran.errors) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_who_calls_it(place: tuple[TinyRepository, Path]) -> None:
    found = asked(place, "who calls rate?", "--at", "main")

    assert (found["intent"], found["subject"], found["fusion_strategy"], found["preset"]) == (
        "find_references",
        "rate",
        "direct",
        "default",
    )
    assert [(one["path"], one["line"], one["use"], one["tier"]) for one in found["results"] if one["use"] == "calls"] == [
        ("shop/invoice.py", 5, "calls", "proved")
    ]
    assert found["commit"] == place[0].heads["main"]
    assert found["results"][0]["snippet"] == [{"line": 5, "text": "    return net + net * rate(country)"}]


def test_a_literal_a_pattern_and_code_of_a_shape(place: tuple[TinyRepository, Path]) -> None:
    assert [one["path"] for one in asked(place, '"card declined"')["results"]] == ["shop/pay.ts"]
    assert [(one["path"], one["line"]) for one in asked(place, r"/VAT \w+ of/")["results"]] == [("shop/tax.py", 5)]
    assert [one["symbol"] for one in asked(place, "async functions that throw Error")["results"]] == ["charge"]
    assert [one["line"] for one in asked(place, "(throw_statement) @thrown")["results"]] == [2]


def test_the_words_need_no_quotes(place: tuple[TinyRepository, Path]) -> None:
    assert asked(place, "who", "calls", "rate")["subject"] == "rate"


def test_intent_strategy_preset_path_language_and_limit(place: tuple[TinyRepository, Path]) -> None:
    assert asked(place, "rate", "--intent", "find_references")["intent"] == "find_references"
    assert asked(place, "rate", "--strategy", "weighted_rrf", "--preset", "thorough")["retrievers"] == [
        "semantic",
        "text",
        "structural",
        "graph",
    ]
    assert {one["path"] for one in asked(place, "total", "--path", "tests")["results"]} == {"tests/test_invoice.py"}
    assert {one["path"] for one in asked(place, "card", "--language", "typescript")["results"]} == {"shop/pay.ts"}
    assert len(asked(place, "rate of total", "--limit", "1")["results"]) == 1


def test_people_get_words(place: tuple[TinyRepository, Path]) -> None:
    shown = ask(place, "who calls rate?", "--explain")
    markdown = ask(place, "who calls rate?", "--markdown")

    assert shown.code == markdown.code == 0
    assert "shop/invoice.py" in shown.out and "calls (proved) in total" in shown.out and "score" in shown.out
    assert markdown.out.startswith("**`rate`: ")


def test_a_name_that_is_not_there_is_no_error(place: tuple[TinyRepository, Path]) -> None:
    shown = ask(place, "who calls rtae?")

    assert shown.code == 0
    assert "No symbol here is named rtae. Near it: rate." in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((" ",), "Ask something"),
        (("rate", "--preset", "deep"), "no preset 'deep'"),
        (("rate", "--intent", "guess"), "no intent 'guess'"),
        (("rate", "--language", "klingon"), "'klingon' is not a language"),
        (("/(/",), "no regular expression we can run"),
        (("(nonsense) @x",), "No language that is indexed here understands this query"),
    ],
)
def test_what_cannot_be_asked_ends_in_one_sentence(place: tuple[TinyRepository, Path], words: tuple[str, ...], said: str) -> None:
    assert ask(place, *words).fails_with(2, said)


def test_the_files_on_disk_are_asked_where_no_commit_is_named(place: tuple[TinyRepository, Path]) -> None:
    place[0].write({"shop/fresh.py": "def brand_new():\n    pass\n"})

    assert asked(place, "where is brand_new defined?")["results"][0]["path"] == "shop/fresh.py"
