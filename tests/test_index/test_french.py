"""A question in French also says its words in English, because code does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.embedding.static import ChunkText, StaticModel
from index.intent.french import ENGLISH, english_of, with_english


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("comment fonctionne la connexion ?", "connexion ? connection login"),
        ("comment sont signés les cookies ?", "signés cookies ? sign cookie"),
        ("pourquoi les prix sont arrondis deux fois ?", "prix arrondis deux fois ? price round rounded"),
        ("comment les utilisateurs sont supprimés ?", "utilisateurs supprimés ? user delete remove"),
        ("où sont analysées les requêtes", "analysées requêtes parse analysis request query"),
        ("qui envoie un courriel", "envoie courriel send email mail"),
        ("comment fonctionne la réactivité ?", "réactivité ? reactivity"),
        ("qui gère un composant asynchrone", "gère composant asynchrone handle manage component asynchronous"),
        ("pourquoi les modules sont compilés", "modules compilés module compile"),
    ],
)
def test_of_french_words_those_that_tell_are_followed_by_english_ones(question: str, read: str) -> None:
    assert with_english(question) == read


def test_comment_is_a_word_of_english_too() -> None:
    assert with_english("how are comment lines parsed").startswith("how are comment lines parsed")


@pytest.mark.parametrize("question", ["how does login work?", "parse_config", "", "file page table", "where is the image port"])
def test_a_question_that_is_not_french_stays_as_it_is(question: str) -> None:
    assert with_english(question) == question


@given(st.text(max_size=200))
def test_any_text_can_be_read(question: str) -> None:
    read = with_english(question)

    assert read == question or read.endswith(english_of(question))


def test_no_row_repeats_its_own_word() -> None:
    assert all(english and french not in english for french, english in ENGLISH.items())


def test_french_questions_find_the_code_that_answers_them() -> None:
    model = StaticModel.load()
    chunks = {
        "login": b"def login(request, username, password):\n    user = authenticate(username, password)\n    request.session.connect(user)",
        "round_price": b"def round_price(price, digits=2):\n    return round(price, digits)",
        "delete_user": b"def delete_user(user_id):\n    users.remove(user_id)",
        "send_mail": b"def send_mail(to, subject):\n    smtp.send(message(to, subject))",
    }
    bits = model.embed_chunks([ChunkText(body, name.encode()) for name, body in chunks.items()])
    questions = {
        "comment fonctionne la connexion ?": "login",
        "où les prix sont-ils arrondis ?": "round_price",
        "comment est supprimé un utilisateur ?": "delete_user",
        "comment envoyer un courriel ?": "send_mail",
    }

    answers = {
        question: list(chunks)[int(np.argmin(np.bitwise_count(bits ^ model.embed_query(with_english(question))).sum(axis=1)))]
        for question in questions
    }

    assert answers == questions
