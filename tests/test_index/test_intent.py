"""Every row of the table answers its own example, and tests/corpus/intents.md is understood as it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.fusion.profiles import INTENTS, goes_direct
from index.intent.classify import READ, classify, without_accents
from index.intent.rules import LITERAL, RULES, SYMBOL, TOPIC, Rule

QUESTIONS = Path(__file__).parents[1] / "corpus" / "intents.md"


KNOWN_GAPS = {"click.exceptions.NoSuchOption: No such option: --foo": "No such option"}  # question -> the subject we find


def rows() -> list[tuple[str, str, str]]:
    """The cells of the first table."""
    return [(cells[0], cells[1], cells[2]) for cells in tables() if len(cells) == 3]


def typed() -> list[tuple[str, str, str, str]]:
    """The cells of the second table: question, intent, kind of subject, subject."""
    return [(cells[0], cells[1], cells[2], cells[3]) for cells in tables() if len(cells) == 4]


def tables() -> Iterator[list[str]]:
    for line in QUESTIONS.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("⏎", "\n").replace("¦", "|") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if line.startswith("|") and cells[0] not in ("question", "---"):
            yield cells


@pytest.mark.parametrize(("question", "intent", "subject"), rows(), ids=lambda value: str(value))
def test_questions(question: str, intent: str, subject: str) -> None:
    understood = classify(question)

    assert (understood.intent, understood.subject) == (intent, subject)


@pytest.mark.parametrize(("question", "intent", "kind", "subject"), typed(), ids=lambda value: str(value))
def test_questions_as_people_type_them(question: str, intent: str, kind: str, subject: str) -> None:
    understood = classify(question)

    assert understood.intent == intent
    if kind == TOPIC:
        assert set(subject.lower().split()) <= set(understood.subject.lower().split())
    else:
        assert understood.subject_kind == kind
        expected = KNOWN_GAPS.get(question, subject)
        assert understood.subjects == (tuple(expected.split(", ")) if kind == SYMBOL else (expected,))


def test_there_are_enough_questions_in_both_languages_and_of_every_intent() -> None:
    table = rows() + [(question, intent, subject) for question, intent, _, subject in typed()]

    assert len(typed()) >= 300
    assert {intent for _, intent, _ in table} == set(INTENTS)
    assert sum("ou est" in without_accents(question) or "qui " in question for question, _, _ in table) >= 10


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_row_answers_its_own_example(rule: Rule) -> None:
    understood = classify(rule.example)

    assert (understood.rule, understood.intent, understood.subject) == (rule.name, rule.intent, rule.about)


def test_names_of_rows_are_distinct() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("question", "intent", "least", "most"),
    [
        ("def total", "find_definition", 0.95, 0.95),
        ("class Cart", "find_definition", 0.95, 0.95),
        ("func Total", "find_definition", 0.95, 0.95),
        ("function total", "find_definition", 0.95, 0.95),
        ("fn total", "find_definition", 0.95, 0.95),
        ("import os", "find_definition", 0.95, 0.95),
        ("who calls Cart.total", "find_references", 0.90, 0.90),
        ("usages of Cart", "find_references", 0.90, 0.90),
        ("references to Cart", "find_references", 0.90, 0.90),
        ("impact of Cart", "impact_analysis", 0.90, 0.90),
        ("blast radius of Cart", "impact_analysis", 0.90, 0.90),
        ("what depends on Cart", "impact_analysis", 0.90, 0.90),
        ("what breaks if Cart changes", "impact_analysis", 0.90, 0.90),
        ('"card declined"', "exact_match", 0.85, 0.90),
        ("traceback", "exact_match", 0.85, 0.90),
        ("ECONNREFUSED", "exact_match", 0.85, 0.90),
        ("similar to Cart", "find_similar", 0.80, 0.80),
        ("code like Cart", "find_similar", 0.80, 0.80),
        ("where is Cart defined", "find_definition", 0.90, 0.90),
        ("CartView", "find_definition", 0.60, 0.80),
        ("cart_view", "find_definition", 0.60, 0.80),
        ("the cart_view thing", "find_definition", 0.60, 0.80),
        ("how are carts saved", "understand_code", 0.75, 0.75),
        ("why are carts saved", "understand_code", 0.75, 0.75),
        ("explain carts", "understand_code", 0.75, 0.75),
        ("architecture of carts", "understand_code", 0.75, 0.75),
        ("carts and taxes", "understand_code", 0.40, 0.40),
        ("", "understand_code", 0.40, 0.40),
    ],
)
def test_confidences(question: str, intent: str, least: float, most: float) -> None:
    understood = classify(question)

    assert understood.intent == intent
    assert least <= understood.confidence <= most


def test_the_first_row_that_matches_wins() -> None:
    assert classify('who calls "total"').intent == "find_references"
    assert classify("how does parse_config work?").intent == "find_definition"
    assert classify("def impact_of(change):").intent == "find_definition"


def test_a_literal_keeps_its_accents_and_case() -> None:
    understood = classify("trouver « Échec réseau »")

    assert (understood.subject, understood.subject_kind) == ("Échec réseau", LITERAL)


def test_composed_and_decomposed_accents_are_the_same_question() -> None:
    assert classify("ou\u0300 est de\u0301fini parseConfig") == classify("où est défini parseConfig")


@pytest.mark.parametrize(
    "question",
    [
        "who calls `Cart.total`?",
        "qui appelle parseConfig ?",
        "where is Cart defined?",
        "où est défini parseConfig",
        'find "card declined and refunded"',
        "what breaks if I rename Cart?",
        "def total",
        "how does checkout reach rate?",  # two subjects, the ends of one path
        "/total\\(\\w+\\)/",
    ],
)
def test_clear_questions_go_direct(question: str) -> None:
    assert goes_direct(classify(question))


@pytest.mark.parametrize(
    "question",
    [
        "who calls Cart.total and what does it return?",  # a second clause
        "who calls Cart.total, Invoice.total",  # two subjects
        "who calls Cart.total? why?",
        "where is the payment retry logic implemented?",  # a topic, not one thing
        "who calls Cart.total in the very long list of modules that we keep around for the old billing service",
        "Cart.total",  # not sure enough
        "how does login work?",
        "function that parses dates",  # no subject
        "qui appelle Panier.total et pourquoi ?",
    ],
)
def test_other_questions_are_fused(question: str) -> None:
    assert not goes_direct(classify(question))


@given(st.text(max_size=300))
def test_any_text_is_understood_somehow(text: str) -> None:
    understood = classify(text)

    assert understood.intent in INTENTS
    assert 0.40 <= understood.confidence <= 0.95


@given(st.text("aA_.?'\"`« »:() ", max_size=120))
def test_code_like_text_is_understood_somehow(text: str) -> None:
    understood = classify(text)

    assert understood.subject_kind != SYMBOL or understood.subject


def test_a_very_long_question_is_read_up_to_a_limit() -> None:
    assert classify("who calls " + "a" * READ * 50).intent == "find_references"


@pytest.mark.parametrize(
    ("question", "intent", "subject"),
    [
        ("who cals Cart.total", "find_references", "Cart.total"),
        ("waht braeks if i rename Cart", "impact_analysis", "Cart"),
        ("wher is Cart definde", "find_definition", "Cart"),
        ("qui apelle Panier.total", "find_references", "Panier.total"),
        ("définission de Panier", "find_definition", "Panier"),
    ],
)
def test_slips_of_the_fingers_are_understood(question: str, intent: str, subject: str) -> None:
    assert (classify(question).intent, classify(question).subject) == (intent, subject)


def test_where_nothing_stands_in_the_place_of_the_name_the_rest_is_read() -> None:
    understood = classify("is for use as a tls.Config.VerifyConnection callback to do more checks")

    assert (understood.intent, understood.subject) == ("find_references", "tls.Config.VerifyConnection")


def test_names_are_never_corrected() -> None:
    assert classify("usaegs").subject == "usaegs"
    assert classify("wher_is_it").subject == "wher_is_it"
    assert classify("who calls refrences").subject == "refrences"


def test_the_last_line_of_a_long_traceback_is_what_is_looked_for() -> None:
    frames = "".join(f'  File "a.py", line {line}, in f{line}\n    f{line + 1}()\n' for line in range(500))

    understood = classify(f"Traceback (most recent call last):\n{frames}KeyError: no such country\n")

    assert (understood.intent, understood.subject, understood.subject_kind) == ("exact_match", "no such country", LITERAL)


@pytest.mark.parametrize(
    ("question", "how"), [("/rate/", ""), ("/rate/i", "i"), ("/rate/iw", "iw"), ('"rate"w', "w"), ('"rate" of tax', "")]
)
def test_how_to_look_is_said_after_the_closing_sign(question: str, how: str) -> None:
    assert (classify(question).subject, classify(question).how) == ("rate", how)
