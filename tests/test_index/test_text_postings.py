"""The text part: made at once, and carried from commit to commit."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import content
from index.at_rest import lists_of
from index.trigrams.facts import text_facts, text_facts_batch
from index.trigrams.postings import PAGE, build_text, update_text, updated_text
from index.trigrams.words import MAX_WORD, hash_of, hashes, parts_in

WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[!-/:-@\[-^`{-~]{2,}")

PIECES = st.sampled_from(
    [
        b"rate",
        b"getRate",
        b"tax_rate",
        b"HTTPServer2",
        b"_",
        b" ",
        b"\n",
        b"(",
        b"a",
        b"\x80\xff",
        b"w" * 129,
        b"):",
        b"-" * 130,
        b"v" * 128,
        b" " * 1024,
        b"\x00",
        b"__",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map(b"".join), st.none())


def same(one, other):
    assert list(one) == list(other)
    for name in one:
        assert one[name].dtype == other[name].dtype, name
        assert one[name].tolist() == other[name].tolist(), name


# -- facts -------------------------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.lists(st.one_of(st.lists(PIECES, max_size=12).map(b"".join), st.binary(max_size=40)), max_size=5))
def test_the_facts_of_a_file_are_its_lines_and_the_places_of_its_words(blobs):
    for data, facts in zip(blobs, text_facts_batch(blobs), strict=True):
        found, at, place = [], 0, 0
        for hashed, length, count in zip(*(facts[name].tolist() for name in ("word_hash", "word_lengths", "word_counts")), strict=True):
            word = facts["word_bytes"][at : at + length].tobytes()
            assert hash_of(word) == hashed
            found += [(start, word) for start in facts["positions"][place : place + count].tolist()]
            at, place = at + length, place + count
        assert sorted(found) == [(m.start(), m[0]) for m in WORD.finditer(data) if len(m[0]) <= MAX_WORD]
        assert facts["long_words"].tolist() == [m.start() for m in WORD.finditer(data) if len(m[0]) > MAX_WORD]
        assert (np.diff(facts["word_hash"].astype(object)) > 0).all()
        assert facts["line_starts"].tolist() == [0, *(m.end() for m in re.finditer(rb"\n", data) if m.end() < len(data))]
        assert facts["size"].tolist() == [len(data)]
        same(facts, text_facts(data))


@given(st.lists(st.binary(min_size=1, max_size=MAX_WORD), min_size=1, max_size=5))
def test_one_word_and_many_words_hash_alike(words):
    joined = b"".join(words)
    lengths = np.asarray([len(word) for word in words])

    found = hashes(np.frombuffer(joined + bytes(8), np.uint8), np.cumsum(lengths) - lengths, lengths)

    assert found.tolist() == [hash_of(word) for word in words]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserName", "get user name"),
        ("get_user_name", "get user name"),
        ("HTTPServer", "http server"),
        ("XMLHttpRequest", "xml http request"),
        ("sha256sum", "sha256sum"),
        ("UTF8Decoder", "utf8 decoder"),
        ("__init__", "init"),
        ("MAX_SIZE", "max size"),
        ("größeÄnderung", "größeÄnderung"),  # letters beyond ASCII are small letters to us
        ("x_y", ""),
        ("aB", ""),
    ],
)
def test_parts_of_a_word(word, parts):
    lowered, starts, lengths = parts_in(f"\n{word}\n".encode())

    found = [lowered[a : a + n].decode() for a, n in zip(starts.tolist(), lengths.tolist(), strict=True)]
    assert found == parts.split()


# -- the part ----------------------------------------------------------------------------------------------------------


def text_of(files):
    """The text part as one would write it down: no sorting tricks, no numpy."""
    bases, base = [], 0
    for data in files:
        bases.append(base)
        base += PAGE * (len(data or b"") // PAGE + 1)
    words: dict[bytes, list[int]] = {}
    for base, data in zip(bases, files, strict=True):
        for match in WORD.finditer(data or b""):
            if len(match[0]) <= MAX_WORD:
                words.setdefault(match[0], []).append(base + match.start())
    spelled = sorted(words, key=hash_of)
    parts: dict[bytes, list[int]] = {}
    for row, word in enumerate(spelled):
        lowered, starts, lengths = parts_in(b"\n" + word + b"\n")
        for part in {lowered[a : a + n] for a, n in zip(starts.tolist(), lengths.tolist(), strict=True)}:
            parts.setdefault(part, []).append(row)
    lines = [
        [base + a for a in text_facts(data)["line_starts"].tolist()] if data is not None else []
        for base, data in zip(bases, files, strict=True)
    ]
    return {
        "file_sizes": [len(data or b"") for data in files],
        "line_at": [address for found in lines for address in found],
        "line_offsets": [0, *np.cumsum([len(found) for found in lines]).tolist()],
        **table("word", "word_at", words),
        **table("part", "part_words", parts),
        "long_words": [
            base + m.start() for base, data in zip(bases, files, strict=True) for m in WORD.finditer(data or b"") if len(m[0]) > MAX_WORD
        ],
    }


def table(prefix, values, strings):
    order = sorted(strings, key=hash_of)
    joined = b"\n" + b"".join(text + b"\n" for text in order)
    return {
        f"{prefix}_hash": [hash_of(text) for text in order],
        f"{prefix}_bytes": list(joined),
        f"{prefix}_offsets": np.cumsum([1, *(len(text) + 1 for text in order)]).tolist(),
        f"{prefix}_starts": np.cumsum([0, *(len(strings[text]) for text in order)]).tolist(),
        values: [value for text in order for value in strings[text]],
    }


def facts_of(files):
    return [None if data is None else text_facts(data) for data in files]


@settings(max_examples=100)
@given(st.lists(TEXTS, max_size=5))
def test_the_part_holds_what_a_plain_count_finds(files):
    built = build_text(facts_of(files))

    assert {name: column.tolist() for name, column in built.items() if not name.startswith("gram")} == text_of(files)


def commits_of(fates):
    """Fates of files -> two commits' files, and the row of the second that each file of the first has, or -1."""
    before, after, rows = [], [], []
    for fate, old, new in fates:
        if fate != "comes":
            before.append(old)
            rows.append(len(after) if fate == "stays" else -1)
        if fate != "goes":
            after.append(old if fate == "stays" else new)
    return before, after, np.asarray(rows, np.int64)


COMMITS = st.lists(st.tuples(st.sampled_from(["stays", "changes", "goes", "comes"]), TEXTS, TEXTS), max_size=8).map(commits_of)


@settings(max_examples=400)
@given(COMMITS)
def test_an_update_equals_a_build_from_nothing(pair):
    before, after, rows = pair
    changed = {row: after[row] for row in range(len(after)) if row not in rows}

    previous = build_text(facts_of(before))
    for column in previous.values():
        column.flags.writeable = False  # as when it is mapped from a file

    updated = update_text(previous, rows, dict(zip(changed, facts_of(changed.values()), strict=True)))

    same(updated, build_text(facts_of(after)))


@settings(max_examples=400)
@given(COMMITS, st.lists(st.integers(0, 30), max_size=6), st.booleans())
def test_single_lists_of_an_update_are_those_of_a_build_from_nothing(pair, wanted, told_wrong):
    before, after, rows = pair
    changed = {row: after[row] for row in range(len(after)) if row not in rows}
    gone = [one for one, now in zip(before, rows.tolist(), strict=True) if now < 0 and one is not None]
    built = build_text(facts_of(after))
    asked = np.asarray([row for row in wanted if row < len(built["word_hash"])], np.int64)

    # what never was in the commit before is no help, and does no harm
    facts = facts_of([b"never", b"said_so"] if told_wrong else gone)
    updated = updated_text(build_text(facts_of(before)), rows, dict(zip(changed, facts_of(changed.values()), strict=True)), facts)

    assert lists_of(updated, "word_at", asked).tolist() == lists_of(built, "word_at", asked).tolist()
    for row in asked.tolist():
        assert lists_of(updated, "word_at", np.asarray([row])).tolist() == lists_of(built, "word_at", np.asarray([row])).tolist()
    same(updated, built)


@settings(max_examples=200)
@given(COMMITS)
def test_content_carried_over_equals_content_packed_anew(pair):
    before, after, rows = pair
    changed = {row: after[row] for row in range(len(after)) if row not in rows}

    updated = content.update_content(content.pack_content(before), rows, changed)

    same(updated, content.pack_content(after))
    assert [content.bytes_of(updated, row) for row in range(len(after))] == after


def test_a_part_of_a_large_file_is_read_from_its_frames():
    data = bytes(range(256)) * 1000
    packed = content.pack_content([b"small", data, None])

    for start, end in ((0, 10), (65_530, 65_540), (65_536, 131_072), (100, 200_000), (255_990, 999_999), (7, 7), (-5, 3)):
        assert content.slice_of(packed, 1, start, end) == data[max(start, 0) : end]
    assert content.slice_of(packed, 2, 0, 10) is None
    assert content.slice_of(packed, 0, 2, 100) == b"all"


@pytest.mark.parametrize(("rows", "changed"), [([1, 0], {}), ([0, 0], {}), ([0, 2], {}), ([0, -1], {0: None}), ([0, 1], {5: None})])
def test_rows_that_do_not_fit_together_are_refused(rows, changed):
    with pytest.raises(ValueError, match="file"):
        update_text(build_text(facts_of([b"a", b"b"])), np.asarray(rows), changed)


def test_threads_that_ask_for_the_same_column_do_not_disturb_each_other():
    before, after = [b"rate tax " * 2_000] * 40, [b"rate vat " * 2_000] * 40
    text = build_text(facts_of(before))
    changed = dict(enumerate(facts_of(after[:20])))

    for _ in range(10):
        updated = updated_text(text, [*[-1] * 20, *range(20, 40)], changed)
        together = Barrier(4)

        def asked(updated=updated, together=together):
            together.wait()
            return updated["word_at"].tolist()

        with ThreadPoolExecutor(4) as pool:
            first, *others = [one.result() for one in [pool.submit(asked) for _ in range(4)]]
        assert all(one == first for one in others)
