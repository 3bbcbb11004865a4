"""The embedded model: the same bits whatever else is in the batch, and near for what is about the same thing."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer
from Stemmer import Stemmer

from index.embedding import static
from index.embedding.static import BlobChunks, ChunkText, StaticModel
from index.vectors.fine import cosines, packed, unpacked
from index.vectors.model import ROW_BYTES
from index.vectors.subtokens import LONGEST, split

MODEL = StaticModel.load()
ENDINGS = "s es ied eed ed ing ly ment ness ful al ive ous izer ational ism ity iti ble ant ence y e ll x".split()

IDENTIFIER = re.compile(rb"[A-Za-z0-9]+")
PART = re.compile(rb"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

identifier_like = st.text("aAbBzZ019_ $.é\n", max_size=80).map(lambda text: text.encode())
code_words = st.sampled_from(["return", "Cart", "parseConfig", "HTTPServer", "ghost_writer", "self", "zzyzx", "x1", "the", "404"])
code = st.lists(code_words, max_size=60).map(lambda words: " ".join(words).encode())
chunk_texts = st.builds(ChunkText, body=code, name=code, owner=code, path=code)


@given(st.one_of(identifier_like, st.binary(max_size=200)))
def test_words_are_those_of_the_plain_expression(text: bytes) -> None:
    words = split(text)

    found = [text[start : start + length] for start, length in zip(words.start.tolist(), words.length.tolist(), strict=True)]

    assert found == [part[:LONGEST] for piece in IDENTIFIER.findall(text) for part in PART.findall(piece)]


@given(st.lists(st.text("aB", min_size=1, max_size=50), min_size=1, max_size=20))
def test_keys_are_equal_where_words_are_equal_but_for_case(texts: list[str]) -> None:
    plain = [text.lower().capitalize().encode() for text in texts]
    words = split(b" ".join(plain))

    folded = [text.lower()[:LONGEST] for text in plain]
    assert len(words.key) == len(plain)
    assert [[a == b for a in words.key] for b in words.key] == [[a == b for a in folded] for b in folded]
    assert (words.key >> np.uint64(63)).tolist() == [len(text) > 8 for text in folded]  # a hash never looks like a short word


@settings(max_examples=40)
@given(st.lists(chunk_texts, min_size=1, max_size=120), st.integers(1, 300), st.integers(1, 60))
def test_a_chunk_alone_equals_the_chunk_in_any_batch(chunks: list[ChunkText], bytes_together: int, summed_together: int) -> None:
    together = MODEL.embed_chunks(chunks)

    with pytest.MonkeyPatch.context() as sizes:
        sizes.setattr(static, "TOKENISED_TOGETHER", bytes_together)
        sizes.setattr(static, "SUMMED_TOGETHER", summed_together)
        other_sizes = MODEL.embed_chunks(chunks)
    alone = np.concatenate([MODEL.embed_chunks([chunk]) for chunk in reversed(chunks)])[::-1]

    assert np.array_equal(together, alone)
    assert np.array_equal(together, other_sizes)


def plain_vector(chunk: ChunkText, model: StaticModel) -> list[int]:
    """What `embed_chunks` adds up, in whole numbers of Python: float32, the batch and the BLAS have no say here."""
    vocabulary = model._vocabulary
    counts: Counter[tuple[int, int]] = Counter()
    for field, text in enumerate((chunk.body, chunk.name, chunk.owner, chunk.path)):
        for piece in IDENTIFIER.findall(text):
            for part in PART.findall(piece):
                if len(part) > 1 or part.isdigit():
                    words = split(part)
                    counts[int(vocabulary.ids(words, part)[0]), field] += 1
    weights = {}
    for (row, field), count in counts.items():
        if row >= 0:
            tf = int(static._COUNTS[min(count, static.LARGEST_COUNT)])
            weights[row, field] = tf * int(model._fields[field]) * int(vocabulary.document[row]) >> static.WEIGHT_SHIFT
    shift = 0
    while sum(weights.values()) > static.MOST_WEIGHT << shift:
        shift += 1
    sums = [0] * static.DIMENSIONS
    for (row, _), weight in weights.items():
        for at, value in enumerate(vocabulary.vectors[row].tolist()):
            sums[at] += (weight >> shift) * value
    assert all(abs(value) < 1 << 24 for value in sums)
    largest = max(1, *map(abs, sums))
    return [round(value * 127 / largest) for value in sums]


def words_of_three_letters() -> bytes:
    return b" ".join(bytes((a, b, c)) for a in b"bcdfghklmnprst" for b in b"aeiou" for c in b"bcdfghklmnprst")


@pytest.mark.parametrize(
    "chunk",
    [
        ChunkText(b"def rate(country):\n    return RATES.get(country, 0.21)", b"rate", b"Tax", b"shop/tax.py"),
        ChunkText(b"import os, sys; from . import zork_frobnicate as quux", b"", b"", b"a/b/c.ts"),
        ChunkText(b"zebra quartz mailbox session cookie " * 300, b"session", b"cookie", b"cookie/session.py"),
        ChunkText(words_of_three_letters() + b" configure schedule exception " * 90, b"huge", b"", b"src/huge.py"),
        ChunkText(b"", b"", b"", b""),
    ],
    ids=["small", "imports", "repeated", "huge", "empty"],
)
def test_the_sums_are_exact(chunk: ChunkText) -> None:
    fast = MODEL._vectors([chunk, ChunkText(b"something else")], query=False)[0].tolist()

    plain = plain_vector(chunk, MODEL)

    assert max(abs(a - b) for a, b in zip(fast, plain, strict=True)) <= 1  # only the last rounding is in float32
    assert sum(a != b for a, b in zip(fast, plain, strict=True)) <= 2


def test_a_huge_chunk_alone_equals_the_chunk_in_a_batch() -> None:
    words = [f"{a}{b}{c}" for a in "bcdfghklmnprst" for b in "aeiou" for c in "bcdfghklmnprst"]
    huge = ChunkText(" ".join(words * 40).encode(), b"huge", b"", b"src/huge.py")
    small = ChunkText(b"def rate(country): return 0.21")

    together = MODEL.embed_chunks([small, huge, small])

    assert np.array_equal(together[1:2], MODEL.embed_chunks([huge]))
    assert np.array_equal(together[0], together[2])


def test_the_order_in_which_words_are_met_changes_nothing() -> None:
    chunks = [ChunkText(f"def zork{n}(quux{n}): return frobnicate{n % 7}()".encode()) for n in range(300)]
    one, other = StaticModel(static.WEIGHTS.read_bytes()), StaticModel(static.WEIGHTS.read_bytes())

    forward = one.embed_chunks(chunks)
    backward = other.embed_chunks(chunks[::-1])[::-1]

    assert np.array_equal(forward, backward)


def test_forgetting_unknown_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [ChunkText(f"qzx{'abcdefgh'[n % 8]}{'jklmnpqr'[n // 8]}vv".encode()) for n in range(64)]
    remembering = MODEL.embed_chunks(chunks)

    monkeypatch.setattr(static, "MOST_UNKNOWN", 3)
    forgetful = StaticModel(static.WEIGHTS.read_bytes())
    bits = np.concatenate([forgetful.embed_chunks(chunks[at : at + 5]) for at in range(0, 64, 5)])

    assert np.array_equal(bits, remembering)
    assert len(forgetful._vocabulary._stems) - forgetful._vocabulary._learned <= 3 + 5


def test_blobs_together_equal_blobs_alone() -> None:
    tax = b"def rate(country):\n    return 0.21\n\nclass Cart:\n    def total(self): ...\n"
    blobs = [
        BlobChunks(tax, [0, 39], [39, len(tax)], ["rate", "Cart.total"], b"shop/tax.py"),
        BlobChunks(b"", [], [], [], b"empty.py"),
        BlobChunks(b"x = 1\n", [0], [6], [""], b"x.py"),
    ]

    together = MODEL.embed_blobs(blobs)

    assert [bits.shape for bits in together] == [(2, ROW_BYTES), (0, ROW_BYTES), (1, ROW_BYTES)]
    for blob, bits in zip(blobs, together, strict=True):
        assert np.array_equal(bits, MODEL.embed_blob(blob.data, blob.starts, blob.ends, blob.names, blob.path))


def test_bits_are_these_on_every_machine() -> None:
    """If this fails, stored vectors and new ones no longer match: release new weights under a new name instead."""
    chunk = ChunkText(b"def rate(country):\n    return RATES.get(country, 0.21)  # VAT of the country", b"rate", b"Tax", b"shop/tax.py")

    assert MODEL.embed_chunks([chunk])[0, :16].tobytes().hex() == "63b036ad881e836f13b6e82236fc4ad0"
    assert MODEL.embed_query("which VAT rate does a country have?")[:16].tobytes().hex() == "e334738da80f8b6f77bee845f0de49e4"


def test_a_text_without_words_is_all_zeros() -> None:
    assert not MODEL.embed_chunks([ChunkText(b""), ChunkText(b"\x00\xff ()[]{}"), ChunkText(b"the of a")]).any()
    assert MODEL.embed_query("").shape == (128,)


def test_a_question_is_nearest_to_the_chunk_that_answers_it() -> None:
    chunks = {
        "parse_cookies": b"def parse_cookies(header):\n    for part in header.split(';'):\n        name, value = part.split('=')\n"
        b"        jar[name] = value\n    return jar",
        "send_mail": b"def send_mail(to, subject, body):\n    smtp = connect(HOST)\n    smtp.send(message(to, subject, body))",
        "open_socket": b"def open_socket(host, port, timeout):\n    s = socket()\n    s.settimeout(timeout)\n    s.connect((host, port))",
        "render_template": b"def render_template(name, **context):\n    return environment.get_template(name).render(context)",
    }
    bits = MODEL.embed_chunks([ChunkText(body, name.encode()) for name, body in chunks.items()])
    questions = {
        "where are cookies read from the header": "parse_cookies",
        "email a message to someone": "send_mail",
        "connecting to a host with a timeout": "open_socket",
        "fill in the template": "render_template",
    }

    answers = {}
    for question in questions:
        away = np.bitwise_count(bits ^ MODEL.embed_query(question)).sum(axis=1)
        answers[question] = list(chunks)[int(np.argmin(away))]

    assert answers == questions


def test_unknown_names_match_themselves() -> None:
    chunks = [ChunkText(b"def frobnicatrix(): return 1"), ChunkText(b"def zzyzxer(): return 1")]
    bits = MODEL.embed_chunks(chunks)

    away = np.bitwise_count(bits ^ MODEL.embed_query("zzyzxer")).sum(axis=1)

    assert int(np.argmin(away)) == 1


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "WEIGHTS_SHA256", "0" * 64)
    static._load.cache_clear()
    try:
        with pytest.raises(static.WeightsDamaged, match="install the package again"):
            StaticModel.load()
    finally:
        static._load.cache_clear()


def test_bits_are_the_signs_of_products_with_hadamard_matrices() -> None:
    random = np.random.default_rng(7)
    vectors = random.integers(-127, 128, (300, 256)).astype(np.int8)
    vectors[0], vectors[1] = 127, -127
    signs = random.choice([-1, 1], (256, 4)).astype(np.int16)
    hadamard = np.ones((1, 1), np.int64)
    while len(hadamard) < 256:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])

    turned = np.concatenate([(vectors * signs[:, column].astype(np.int64)) @ hadamard for column in range(4)], axis=1)

    assert (static._bits(vectors, signs) == np.packbits(turned > 0, axis=1)).all()


def test_the_name_says_weights_and_bits() -> None:
    assert MODEL.name == f"static-{static.WEIGHTS_SHA256[:12]}-1024-4x256"


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12), st.sampled_from(sorted(static.NEVER_STEMMED)))
def test_words_with_these_endings_are_never_stemmed(start: str, last: int) -> None:
    word = start + chr(last)

    assert snowballstemmer.stemmer("english").stemWord(word) == word


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12), min_size=1), st.sampled_from(ENDINGS))
def test_the_quick_stemmer_says_what_the_plain_one_says(starts: list[str], ending: str) -> None:
    words = [start + ending for start in starts]

    assert Stemmer("english").stemWords(words) == EnglishStemmer().stemWords(words)


def test_the_forms_that_come_with_the_weights_are_what_the_stemmer_says() -> None:
    with np.load(static.WEIGHTS) as weights:
        words = weights["words"].tobytes().decode().split("\n")
        forms, rows = weights["forms"].tobytes().decode().split("\n"), weights["form_rows"].tolist()

    stemmer = snowballstemmer.stemmer("english")
    sample = list(zip(forms, rows, strict=True))[::23]
    assert [words[row] for _, row in sample] == [form if form.isdigit() else stemmer.stemWord(form) for form, _ in sample]
    assert not static.STOP_WORDS & {form.encode() for form in forms}


@given(st.lists(st.lists(st.integers(-128, 127), min_size=256, max_size=256), min_size=1, max_size=3))
def test_four_bits_say_which_step_a_value_is_on(values: list[list[int]]) -> None:
    vectors = np.array(values, np.int8)

    found = unpacked(packed(vectors))

    assert np.array_equal(found, np.clip(np.rint(vectors / np.float32(11)), -7, 7).astype(np.int8))


def test_four_bits_keep_directions() -> None:
    chunk = ChunkText(b"def parse_cookies(header):\n    return [part.split('=') for part in header.split(';')]", b"parse_cookies")
    row = MODEL.rows_of([chunk, ChunkText(b"")])
    exact = MODEL._vectors([chunk], query=False)[0]
    asked = MODEL.read("where are the cookies of a header parsed")

    close, nothing = cosines(row[:, 128:], asked.fine)

    assert close == pytest.approx(float(exact @ asked.fine.astype(float) / np.linalg.norm(exact) / np.linalg.norm(asked.fine)), abs=0.03)
    assert nothing == 0
