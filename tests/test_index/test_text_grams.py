"""The trigrams of the vocabulary: by hand, from commit to commit, and on our own source."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index import content
from index.trigrams import lookup
from index.trigrams.facts import text_facts_batch
from index.trigrams.grams import WORDS_PER_BUCKET, bucket_bits, buckets_with, grams_of, rows_of, updated_grams
from index.trigrams.postings import build_text, update_text
from index.trigrams.words import hash_of

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path.read_bytes() for path in sorted((ROOT / "index").rglob("*.py"))]


def vocabulary_of(words):
    spelled = sorted(words, key=hash_of)
    hashed = np.asarray([hash_of(word) for word in spelled], np.uint64)
    letters = np.frombuffer(b"".join(word + b"\n" for word in spelled), np.uint8)
    return hashed, letters, np.asarray([len(word) + 1 for word in spelled], np.int64)


def words_numbered(numbers):
    return {b"%s%d" % (("get_", "Rate", "==", "é", "x")[number % 5].encode(), number) for number in numbers}


NUMBERS = st.sets(st.integers(0, 1_000), max_size=400)


@settings(max_examples=60)
@given(NUMBERS)
@example(set(range(12_000)))  # more bytes than are looked at together
def test_every_trigram_of_a_word_leads_to_its_bucket(numbers):
    words = words_numbered(numbers)
    hashed, letters, sizes = vocabulary_of(words)
    bits = bucket_bits(len(words))

    columns = grams_of(hashed, letters, sizes)

    expected = set()
    for word in words:
        spelled = b"\n" + word.lower() + b"\n"
        bucket = hash_of(word) >> (64 - bits) if bits else 0
        expected |= {(int.from_bytes(spelled[at : at + 3], "big"), bucket) for at in range(len(spelled) - 2)}
    counts = np.diff(columns["gram_starts"])
    found = list(zip(np.repeat(columns["gram"], counts).tolist(), columns["gram_buckets"].tolist(), strict=True))
    assert found == sorted(expected)
    first, last = rows_of(hashed, np.arange(1 << bits))
    assert [0, *last.tolist()] == [*first.tolist(), len(words)]
    assert len(words) < WORDS_PER_BUCKET * 2 or 1 << bits > 1


@settings(max_examples=150)
@given(NUMBERS, st.sets(st.integers(0, 1_000), max_size=10), st.sets(st.integers(0, 1_000), max_size=10))
def test_carried_over_they_equal_those_made_anew(numbers, gone, fresh):
    before, after = words_numbered(numbers), words_numbered(numbers - gone | fresh)
    went, came = before - after, after - before

    columns = updated_grams(
        grams_of(*vocabulary_of(before)), len(before), vocabulary_of(went)[0], vocabulary_of(came)[0], *vocabulary_of(after)
    )

    made = grams_of(*vocabulary_of(after))
    assert {name: (column.dtype, column.tolist()) for name, column in columns.items()} == {
        name: (column.dtype, column.tolist()) for name, column in made.items()
    }


def test_a_rare_word_leaves_few_buckets_and_an_unknown_one_none():
    words = words_numbered(range(3_000)) | {b"unheard_of"}
    hashed, letters, sizes = vocabulary_of(words)
    columns = grams_of(hashed, letters, sizes)

    assert buckets_with(columns, len(words), b"unheard").tolist() == [hash_of(b"unheard_of") >> (64 - bucket_bits(len(words)))]
    assert buckets_with(columns, len(words), b"never_was").tolist() == []
    assert buckets_with(columns, len(words), b"rate") is None  # a word in five: nothing is gained
    assert buckets_with(columns, len(words), b"ra") is None


# -- our own source ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ourselves():
    return SimpleNamespace(parts={"text": build_text(text_facts_batch(SOURCES)), "content": content.pack_content(SOURCES)})


def patterns():
    chance = random.Random(5)
    found = [
        b"def ",
        b"self",
        b"==",
        b"np.uint64(",
        b"x",
        b"-> ",
        b"\n\n\n",
        b"return None",
        b"snapshot",
        b"Snapshot",
        b"nowhere at all",
        b"e)",
    ]
    for _ in range(60):
        data = chance.choice(SOURCES)
        if len(data) > 100:
            at = chance.randrange(len(data) - 40)
            found.append(data[at : at + chance.choice((1, 2, 3, 4, 6, 9, 14, 40))])
    return sorted(set(found))


def places(pattern, case_sensitive):
    """(file, line) of every occurrence, overlapping ones too."""
    found = []
    for row, data in enumerate(SOURCES):
        data, wanted = (data, pattern) if case_sensitive else (data.lower(), pattern.lower())
        line, before, at = 1, 0, data.find(wanted)
        while at >= 0:
            line += data.count(b"\n", before, at)
            before = at
            found.append((row, line))
            at = data.find(wanted, at + 1)
    return found


def test_our_own_source_is_searched_like_a_plain_scan(ourselves):
    for pattern in patterns():
        for case_sensitive in (True, False):
            found = lookup.find_literal(ourselves, pattern, case_sensitive=case_sensitive, limit=1 << 20)

            expected = places(pattern, case_sensitive)
            if found.complete:
                assert sorted(zip(found.file.tolist(), found.line.tolist(), strict=True)) == expected, pattern
            else:
                assert "possible places" in found.note
                assert set(zip(found.file.tolist(), found.line.tolist(), strict=True)) <= set(expected)


def test_our_own_source_carried_over_equals_it_built_anew(ourselves):
    chance = random.Random(6)
    for _ in range(5):
        changed = {row: SOURCES[row] + b"\n\ndef brand_new_%d(): ...\n" % row for row in chance.sample(range(len(SOURCES)), 6)}
        rows = np.arange(len(SOURCES))
        rows[list(changed)] = -1
        after = [changed.get(row, data) for row, data in enumerate(SOURCES)]

        updated = update_text(ourselves.parts["text"], rows, dict(zip(changed, text_facts_batch(list(changed.values())), strict=True)))

        built = build_text(text_facts_batch(after))
        assert list(updated) == list(built)
        for name, column in built.items():
            assert updated[name].dtype == column.dtype
            assert np.array_equal(updated[name], column), name
