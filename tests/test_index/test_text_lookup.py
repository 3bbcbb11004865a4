"""The text index against a plain scan of the bytes."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from index import content
from index.engine import Engine
from index.errors import QuestionError
from index.trigrams import addresses, literals, lookup, ranking, required
from index.trigrams.facts import text_facts, text_facts_batch
from index.trigrams.postings import build_text
from index.trigrams.words import MAX_WORD
from index.types import PathKind
from support.repositories import a_repository


def snapshot_of(*files: bytes) -> SimpleNamespace:
    """Files -> a snapshot with its text and content, and one chunk per file."""
    text = build_text(text_facts_batch(files))
    sizes = np.asarray([len(data) for data in files], np.int32)
    chunks = {"file": np.arange(len(files), dtype=np.int32), "start_byte": np.zeros(len(files), np.int32), "end_byte": sizes}
    return SimpleNamespace(parts={"text": text, "content": content.pack_content(files), "chunks": chunks})


def places(matches: lookup.Matches) -> list[tuple[int, int, int]]:
    return list(zip(matches.file.tolist(), matches.line.tolist(), matches.column.tolist(), strict=True))


def place(file: int, data: bytes, at: int) -> tuple[int, int, int]:
    return file, data.count(b"\n", 0, at) + 1, at - (data.rfind(b"\n", 0, at) + 1) + 1


def scan(files: tuple[bytes, ...], pattern: bytes, whole_word: bool = False) -> list[tuple[int, int, int]]:
    word = rb"[A-Za-z0-9_\x80-\xff]"
    escaped = re.escape(pattern)
    if whole_word and re.match(word, pattern):
        escaped = rb"(?<!%b)%b" % (word, escaped)
    if whole_word and re.match(word, pattern[-1:]):
        escaped = rb"%b(?!%b)" % (escaped, word)
    return [place(row, data, m.start()) for row, data in enumerate(files) for m in re.finditer(rb"(?=%b)" % escaped, data)]


PIECES = st.sampled_from(
    [
        b"rate",
        b"tax",
        b"Rate",
        b"_",
        b" ",
        b".",
        b"(",
        b"\n",
        b"\n\n",
        b"x",
        b"1",
        "é".encode(),
        b"\xff",
        b"=",
        b"\r\n",
        b"ra",
        b"w" * 130,
        b"):",
        b"=" * 129,
        b"):",
        b"=" * 129,
        b"\x00",
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map(b"".join)
FILES = st.lists(TEXTS, max_size=5).map(tuple)
PATTERNS = st.lists(PIECES, min_size=1, max_size=5).map(b"".join).filter(bool)


@settings(max_examples=300)
@given(FILES, PATTERNS, st.booleans(), st.booleans())
def test_a_literal_is_found_where_a_plain_scan_finds_it(files, pattern, case_sensitive, whole_word):
    found = lookup.find_literal(snapshot_of(*files), pattern, case_sensitive=case_sensitive, whole_word=whole_word, limit=10_000)

    searched = files if case_sensitive else tuple(data.lower() for data in files)
    assert sorted(places(found)) == scan(searched, pattern if case_sensitive else pattern.lower(), whole_word)
    assert found.complete


@settings(max_examples=200)
@given(FILES, st.sampled_from([b"rate", b"tax", b"x", b"ra", b"rate_tax", b"w" * 130]))
def test_an_identifier_is_found_wherever_it_stands_as_a_whole_word(files, name):
    found = lookup.find_identifier(snapshot_of(*files), name.decode())

    assert places(found) == scan(files, name, whole_word=True)


ATOMS = [
    "rate",
    "tax",
    "x",
    ".",
    r"\w",
    r"\s",
    "[ax]",
    "[^a]",
    r"\(",
    "é",
    "^",
    "$",
    r"\b",
    "(?:tax|rate)",
    "(rate|x)",
    r"\.",
    "ra",
    " ",
    r"\d",
    "(?i:RATE)",
]
REGEXES = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,2}"])), min_size=1, max_size=6
).map(lambda parts: "".join(atom + ("" if atom in ("^", "$", r"\b") else times) for atom, times in parts))


def scan_lines(files: tuple[bytes, ...], pattern: str, case_sensitive: bool) -> list[tuple[int, int, int]]:
    options = re2.Options()
    options.case_sensitive = case_sensitive
    compiled = re2.compile(pattern.encode(), options)
    found = []
    for row, data in enumerate(files):
        lines = data.split(b"\n")
        for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
            if match := compiled.search(line):
                found.append((row, number, match.start() + 1))
    return found


@settings(max_examples=400)
@given(FILES, REGEXES, st.booleans(), st.booleans())
def test_a_regex_finds_the_lines_it_finds_line_by_line(files, pattern, case_sensitive, whole_files):
    before, addresses.WHOLE_FILE = addresses.WHOLE_FILE, 1 if whole_files else 8
    try:
        found = lookup.find_regex(snapshot_of(*files), pattern, case_sensitive=case_sensitive, limit=10_000)
    finally:
        addresses.WHOLE_FILE = before

    assert places(found) == scan_lines(files, pattern, case_sensitive)
    assert found.complete


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("rate", [("rate",)]),
        ("get_(a|b)_list", [("get_a_list", "get_b_list")]),
        (r"def \w+_list\(", [("_list(",), ("def ",)]),
        ("colou?r", [("color", "colour")]),
        ("(foo|ba.)x", [("ba", "foo"), ("x",)]),
        ("a*b+", [("b",)]),
        ("(?i)RATE", [("rate",)]),
        ("[ab]c", [("ac", "bc")]),
        ("(?P<name>foo)bar", [("foobar",)]),
        (r"foo\.bar", [("foo.bar",)]),
        ("x{2,}y", [("xx",), ("y",)]),
        (r"\bfoo\b", [("foo",)]),
        (".*", []),
        ("a|.", []),
        (r"\pL+foo", []),
        (r"foo\Q.\E", []),
        ("a?", []),
    ],
)
def test_what_a_match_must_hold(pattern, literals):
    assert required.required_literals(pattern).literals == tuple(tuple(text.encode() for text in strings) for strings in literals)


def test_whole_words_come_first_and_a_cut_is_said():
    snapshot = snapshot_of(b"generate\nrated\n", b"rate\n", b"rate rates\n")

    found = lookup.find_literal(snapshot, b"rate", limit=3)

    assert places(found) == [(1, 1, 1), (2, 1, 1), (0, 1, 5)]
    assert found.whole_word.tolist() == [True, True, False]
    assert (found.complete, found.note) == (False, "only the first 3 are listed")


def test_only_in_some_files():
    snapshot = snapshot_of(b"rate = 1\n", b"rate = 2\n", b"rate = 3\n")
    only = np.asarray([False, True, False])

    assert places(lookup.find_literal(snapshot, b"rate =", files=only)) == [(1, 1, 1)]
    assert places(lookup.find_literal(snapshot, b"rate", files=only)) == [(1, 1, 1)]
    assert places(lookup.find_literal(snapshot, b"=", files=only)) == [(1, 1, 6)]
    assert places(lookup.find_regex(snapshot, r"rate\s=", files=only)) == [(1, 1, 1)]
    assert places(lookup.find_regex(snapshot, ".", files=only)) == [(1, 1, 1)]
    assert places(lookup.find_identifier(snapshot, "rate", files=only)) == [(1, 1, 1)]


def test_a_file_whose_text_is_not_indexed_is_never_found():
    files = [b"rate\n", None]
    snapshot = SimpleNamespace(parts={"text": build_text([text_facts(b"rate\n"), None]), "content": content.pack_content(files)})

    assert places(lookup.find_regex(snapshot, "r?")) == [(0, 1, 1)]
    assert places(lookup.find_literal(snapshot, b"\n")) == [(0, 1, 5)]


@pytest.mark.parametrize("pattern", ["(", "a{2000}", r"(?=x)", r"\1", "a)|(b"])
def test_a_pattern_that_cannot_run_is_refused_in_words(pattern):
    with pytest.raises(QuestionError, match="no regular expression"):
        lookup.find_regex(snapshot_of(b"x"), pattern)


def test_nothing_to_look_for_is_refused():
    with pytest.raises(QuestionError, match="nothing to look for"):
        lookup.find_literal(snapshot_of(b"x"), b"")
    with pytest.raises(QuestionError, match="at most 1000"):
        lookup.find_regex(snapshot_of(b"x"), "x" * 1001)


def test_a_pattern_that_makes_much_work_reads_less_and_says_so():
    snapshot = snapshot_of(*[b"abcdefgh" * 120_000 + b"\n"] * 24)

    found = lookup.find_regex(snapshot, "[a-q][^u-z]{900}x")

    assert (len(found), found.complete, found.note) == (0, False, "only the first 2 MiB were searched")


def test_an_evil_pattern_takes_linear_time():
    found = lookup.find_regex(snapshot_of(b"a" * 60_000 + b"b\n"), "(a+)+$")

    assert len(found) == 0


def test_a_very_long_word_is_found_from_any_piece_of_it():
    data = b"key = '" + bytes(65 + at % 26 for at in range(5 * MAX_WORD)) + b"END'\n"

    assert places(lookup.find_literal(snapshot_of(b"x\n", data), b"NOPEND'")) == [(1, 1, data.index(b"NOPEND'") + 1)]
    assert places(lookup.find_literal(snapshot_of(b"x\n", data), b"ABC"))[0] == (1, 1, 8)


# -- ranking by the words of a question ---------------------------------------------------------------------------------------------------


def test_the_chunk_that_speaks_of_it_most_comes_first():
    snapshot = snapshot_of(
        b"def sub_total(cart): return 0\n" * 3, b"def tax_rate(country): return rates[country]\n", b"class CartView: pass\n" * 5
    )

    found = lookup.bm25(snapshot, ["taxes", "rate", "nothing"])

    assert found.rows.tolist() == [1]
    assert found.scores[0] > 0
    assert (found.terms, found.counts.tolist()) == (("taxes", "rate", "nothing"), [[1, 2, 0]])


def test_what_a_chunk_defines_says_more_than_what_it_mentions():
    mentions, defines = b"rate(1); rate(2); rate(3)\n", b"def rate(x): return x\n"
    snapshot = snapshot_of(mentions, defines)
    assert lookup.bm25(snapshot, ["rate"]).rows.tolist() == [0, 1]

    snapshot.parts["symbols"] = {
        "file": np.asarray([1, 1]),
        "line": np.asarray([1, 1]),
        "column": np.asarray([1, 5]),
    }  # the file, and `rate`

    found = lookup.bm25(snapshot, ["rate"])
    assert found.rows.tolist() == [1, 0]
    assert found.counts.tolist() == [[1], [3]]


def test_a_path_that_names_it_counts():
    snapshot = snapshot_of(b"rate = 1\n", b"rate = 1\n")
    paths = [b"shop/cart.py", b"shop/taxes.py"]
    snapshot.parts["files"] = {
        "path_bytes": np.frombuffer(b"".join(paths), np.uint8),
        "path_offsets": np.asarray([0, 12, 25]),
        "kind": np.zeros(2, np.uint8),
    }

    assert lookup.bm25(snapshot, ["tax", "rate"]).rows.tolist() == [1, 0]


def test_stop_words_count_only_where_there_is_nothing_else():
    snapshot = snapshot_of(b"is this the end\n", b"rate\n")

    assert lookup.bm25(snapshot, ["how", "is", "the", "rate"]).rows.tolist() == [1]
    assert lookup.bm25(snapshot, ["is", "the"]).rows.tolist() == [0]


def test_nothing_asked_is_nothing_found():
    assert len(lookup.bm25(snapshot_of(b"x"), ["?", ""])) == len(lookup.bm25(snapshot_of(), ["rate"])) == 0


@pytest.mark.parametrize("word", ["calculated", "calculate", "Calculation", "calculates"])
def test_other_forms_of_a_word_are_found(word):
    snapshot = snapshot_of(b"pass\n", b"def calculate_rates(): ...\n")

    assert lookup.bm25(snapshot, [word]).rows.tolist() == [1]


def test_equal_scores_go_to_the_lower_row_and_the_limit_keeps_it():
    snapshot = snapshot_of(*[b"tax = 1\n"] * 6)

    assert lookup.bm25(snapshot, ["tax"], limit=3).rows.tolist() == [0, 1, 2]


@settings(max_examples=100)
@given(FILES, st.lists(st.sampled_from(["rate", "tax", "x1", "rateTax"]), min_size=1, max_size=3))
def test_bm25_is_the_formula(files, words):
    snapshot = snapshot_of(*files)

    found = lookup.bm25(snapshot, words, limit=100)

    expected = bm25_by_hand(files, words)
    scores = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    assert scores == pytest.approx(expected)
    assert list(scores) == sorted(scores, key=lambda row: (-scores[row], row))


def bm25_by_hand(files: tuple[bytes, ...], words: list[str]) -> dict[int, float]:
    """Of files that are one chunk each. A word counts for a term once, however often it holds it; a word too long for the vocabulary does
    not count. Half of the file's own BM25 comes to the chunk's, and of the words as they are written what each says."""
    part = re.compile(rb"[A-Z]+(?![a-z\x80-\xff])[0-9]*|[A-Z]?[a-z0-9\x80-\xff]+|[A-Z]")
    vocabulary = {w for data in files for w in re.findall(rb"[A-Za-z0-9_\x80-\xff]+", data) if len(w) <= MAX_WORD}
    terms = dict.fromkeys(p.lower().decode("utf-8", "replace") for word in words for p in part.findall(word.encode()) if len(p) > 1)
    average = max(sum(map(len, files)) / max(len(files), 1), 1.0)
    scores: dict[int, float] = {}
    for term in terms:
        having = {w for w in vocabulary if any(same_stem(p.lower(), term) for p in part.findall(w))}
        counts = [sum(w in having for w in re.findall(rb"[A-Za-z0-9_\x80-\xff]+", data)) for data in files]
        df = sum(count > 0 for count in counts)
        weight = np.log(1 + (len(files) - df + 0.5) / (df + 0.5))
        for row, count in enumerate(counts):
            if count:
                chunk, file = (2.0 * (1 - b + b * len(files[row]) / average) for b in (0.6, 0.3))
                both = count * 3.0 / (count + chunk) + 0.5 * count * 3.0 / (count + file)
                scores[row] = scores.get(row, 0) + weight * both
    for word in {word.encode() for word in words if len(word) > 2}:
        holding = [row for row, data in enumerate(files) if word in re.findall(rb"[A-Za-z0-9_\x80-\xff]+", data)]
        for row in holding:
            scores[row] = scores.get(row, 0) + 0.5 * 0.8 * np.log(1 + len(files) / len(holding))
    return scores


def test_words_as_they_are_written_are_worth_more():
    snapshot = snapshot_of(b"thread_local = local_thread\n", b"ThreadLocal = value\n", b"pass\n")

    assert lookup.bm25(snapshot, ["ThreadLocal"]).rows.tolist() == [1, 0]


def test_what_the_whole_file_speaks_of_counts_for_its_chunks():
    files = b"tax\n", b"tax\nrate and rate\n"
    snapshot = snapshot_of(*files)
    alone = lookup.bm25(snapshot, ["tax"]).rows.tolist()
    chunks = {"file": [0, 1, 1], "start_byte": [0, 0, 4], "end_byte": [4, 4, 18]}
    snapshot.parts["chunks"] = {name: np.asarray(values, np.int32) for name, values in chunks.items()}

    assert alone == [0, 1]
    assert lookup.bm25(snapshot, ["tax", "rate"]).rows.tolist()[-1] == 0


def test_words_of_a_wish_count_for_less():
    snapshot = snapshot_of(b"fix = 1\n", b"rate = 1\n", b"pass\n")

    assert lookup.bm25(snapshot, ["fix", "rate"]).rows.tolist() == [1, 0]


def test_documents_and_tests_come_after_sources():
    snapshot = snapshot_of(b"rate = 1\n", b"rate = 1\n", b"rate = 1\n")
    paths = [b"a.md", b"b_test.py", b"c.py"]
    snapshot.parts["files"] = {
        "path_bytes": np.frombuffer(b"".join(paths), np.uint8),
        "path_offsets": np.asarray([0, 4, 13, 17]),
        "kind": np.asarray([PathKind.DOCS, PathKind.TEST, PathKind.SOURCE]),
    }

    assert lookup.bm25(snapshot, ["rate"]).rows.tolist() == [2, 1, 0]


def same_stem(part: bytes, term: str) -> bool:
    return part == term.encode() or (len(term) >= 4 and ranking.stem_of(part) == ranking.stem_of(term.encode()))


def test_words_too_long_for_the_vocabulary_are_looked_through_in_every_open_index(tmp_path: Path) -> None:
    """Files that hold such words are kept unpacked: those of one index must not answer for another, nor for what a pull request changed."""
    repository = a_repository(tmp_path / "repo")
    long = "rate" + "x" * 2 * MAX_WORD
    others = set(literals._kept)
    before = repository.commit({"a.txt": f"{long}\n", "b.txt": "nothing\n"})
    after = repository.commit({"a.txt": "none\n", "b.txt": f"a\n{long}\n"})
    with Engine(repository.path, tmp_path / "home", vectors=False) as engine:
        old = engine.update(before)
        beside = engine.overlay(old, after)
        for _ in range(2):
            assert places(lookup.find_literal(old, b"ratex")) == [(0, 1, 1)]
            assert places(lookup.find_literal(beside, b"ratex")) == [(1, 2, 1)]
        new = engine.update(after)
        assert places(lookup.find_literal(new, b"ratex")) == [(1, 2, 1)]

    assert set(literals._kept) - others
    del old, beside, new, engine
    gc.collect()
    assert set(literals._kept) <= others, "what is closed is let go of"
