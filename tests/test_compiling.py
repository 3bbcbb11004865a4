"""The compiled form is the plain one made faster: the same sources, chosen in one place, and left out of what is packaged as text."""

from __future__ import annotations

import gc
import runpy
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index.build import build
from index.embedding import static
from index.embedding.static import BlobChunks, StaticModel
from index.languages import LANGUAGES
from index.languages.language import Language
from index.languages.python import PYTHON
from index.parsing import columns
from index.trigrams import postings
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import build_text, text_of
from index.trigrams.words import PAD, hashes
from index.vectors.subtokens import split
from index.version import VERSION, compiled, form

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "deploy" / "compile.py"))


def test_every_module_that_is_compiled_is_there() -> None:
    named = SCRIPT["modules"]()

    assert len(named) == len(set(named)) > 10
    assert [one for one in named if not (ROOT / one).is_file()] == []


def test_the_version_says_which_form_it_is() -> None:
    assert compiled() == bool(SCRIPT["made"]())
    assert form() == (f"{VERSION} (compiled)" if compiled() else VERSION)


def test_what_was_compiled_of_c_is_what_runs() -> None:
    made = {one.name.partition(".")[0] for one in SCRIPT["made"]()}

    assert (postings.placing is not None, static.bags is not None) == ("placing" in made, "bags" in made) == (compiled(), compiled())


def test_two_copies_of_the_program_give_the_same_index_of_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("from tax import rate\n\ndef total(net):\n    return net * rate()\n")
    (tmp_path / "tax.py").write_text("def rate():\n    return 2\n")
    first, again = (SCRIPT["digest"](ROOT, tmp_path) for _ in range(2))

    assert first == again
    assert first[0] == ("compiled" if compiled() else "plain") and int(first[1]) >= 2


WORDS = """x self f ( ) [ ] { } : , . = def class return if else for in not import
from 'a' "b" '''c''' f'{x}' r'd' 1 ` ${ => < > function const é \0 \udcff \ufeff""".split()


@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from([*WORDS, "\n", "\r\n", "\r", "\n    "]), max_size=30).map(" ".join))
@example(LANGUAGES[0], "")
@example(LANGUAGES[0], "x = f('a', \"b{c}\") # d\n")
@example(LANGUAGES[0], "\ufeffx = 'a\udcff'\r\ny = 'a\udcff\\xff'\r\n")
@example(LANGUAGES[0], "[" * 399 + "]" * 399)
@example(LANGUAGES[0], "[" * 3000 + "]" * 3000)
@example(LANGUAGES[0], "if x:\n" + " " * 300 + "if y:\n" + " " * 556 + "f(f'{a}{{', x) # d\n\n" + " " * 300 + "z = 1\n  # e\n")
@example(LANGUAGES[-1], "if (a) { b(`${c} d`, 'e', {f}) }\n")
def test_columns_are_the_same_where_c_makes_them(language: Language, text: str) -> None:
    machinery, data = columns._machinery(language), text.encode("utf-8", "surrogateescape")
    (tree,) = columns._trees([data], language)
    found = machinery.in_c(data) if machinery.in_c is not None else None

    assert (machinery.in_c is None) == (not any("walk" in one.name for one in SCRIPT["made"]()))
    if found is not None:
        assert (found.data, found.names, found.error_line) == (tree.data, tree.names, tree.error_line)
        for name in ("kind", "start", "end", "next", "parent", "name"):
            assert getattr(found, name).dtype == getattr(tree, name).dtype
            assert getattr(found, name).tolist() == getattr(tree, name).tolist()
    else:
        assert machinery.in_c is None or tree.error_line  # of a file with errors, or that is nested too deep, C says nothing


def test_names_that_were_chosen_to_take_long_are_numbered_in_python() -> None:
    names = [name for name in (b"v%d" % number for number in range(12_800)) if hashed(name) % 512 < 8][:200]
    in_c = columns._machinery(PYTHON).in_c

    assert len(names) > 150
    assert columns.tree_of(b"\n".join(names), PYTHON).names == [name.decode() for name in names]
    assert in_c is None or in_c(b"\n".join(names)) is None


def hashed(name: bytes) -> int:
    """As walk.c does with names of up to seven bytes."""
    first, last = (int.from_bytes(part, sys.byteorder) for part in (name[:4], name[-4:]))
    part = first << 32 | last if len(name) >= 4 else name[0] << 16 | name[len(name) // 2] << 8 | name[-1]
    found = (len(name) ^ part) * 0x9E3779B97F4A7C15 % 2**64
    return found ^ found >> 32


pieces = st.sampled_from(
    [b"rate", b"getRate", b"HTTPServer2", b"_", b"\n", b"):", b"x", b"7", b"the", b"-" * 129, b"w" * 128, b"vV" * 40, b"\xc3\xa9"]
)
texts = st.one_of(st.lists(pieces, max_size=30).map(b"".join), st.lists(pieces, max_size=30).map(b" ".join), st.binary(max_size=60))


@given(st.lists(st.one_of(texts, st.none()), max_size=6))
def test_words_are_placed_alike_in_c(files: list[bytes | None]) -> None:
    facts = iter(text_facts_batch([data for data in files if data is not None]))
    expected = build_text([None if data is None else next(facts) for data in files])
    found = text_of(files)

    assert list(found) == list(expected)
    assert [(name, values.dtype, values.tolist()) for name, values in found.items()] == [
        (name, values.dtype, values.tolist()) for name, values in expected.items()
    ]


cuts = st.lists(st.integers(0, 2_000), max_size=4)
names = st.text("aB9._é\ud800", max_size=12)


@given(st.lists(st.tuples(texts, cuts, names, texts), max_size=6), st.integers(1, 200))
def test_chunks_are_summed_alike_in_c(files: list[tuple[bytes, list[int], str, bytes]], together: int) -> None:
    blobs = []
    for data, places, name, path in files:
        borders = [0, *sorted(places), len(data)]
        blobs.append(BlobChunks(data, borders[:-1], borders[1:], [name] * (len(borders) - 1), path))
    model = StaticModel.load()
    expected = model.rows_of([chunk for blob in blobs for chunk in static._chunks_of(blob)])
    with pytest.MonkeyPatch.context() as sizes:
        sizes.setattr(static, "TOKENISED_TOGETHER", together)
        found = model.embed_blobs(blobs)

    assert [rows.tolist() for rows in found if len(rows)] == [
        expected[at : at + size].tolist() for at, size in ends_of([len(blob.names) for blob in blobs]) if size
    ]


def ends_of(sizes: list[int]) -> list[tuple[int, int]]:
    return list(zip((np.cumsum(sizes) - sizes).tolist(), sizes, strict=True))


def numbered(many: int) -> tuple[bytes, np.ndarray[Any, Any]]:
    """Words of seven letters, each after a blank, and where they begin."""
    letters = np.frombuffer(b"abcdefghijklmnop", np.uint8)[np.arange(many)[:, None] >> np.arange(0, 28, 4) & 15]
    return np.insert(letters, 0, ord(" "), axis=1).tobytes() + bytes(PAD), np.arange(many) * 8 + 1


def test_words_that_were_chosen_to_take_long_are_placed_in_numpy() -> None:
    data, starts = numbered(300_000)
    chosen = np.flatnonzero(hashes(np.frombuffer(data, np.uint8), starts, np.full(len(starts), 7)) % 4096 < 8)[:500]
    text = b" ".join(data[at : at + 7] for at in starts[chosen].tolist())

    assert len(chosen) == 500
    if postings.placing is not None:
        assert postings.placing.placed([text], np.zeros(1, np.int64)) is None
        assert text_of([text])["word_at"].tolist() == build_text(text_facts_batch([text]))["word_at"].tolist()


def test_words_that_were_chosen_to_take_long_are_summed_in_numpy() -> None:
    data, starts = numbered(300_000)
    key = split(data[:-PAD]).key
    model = StaticModel(static.WEIGHTS.read_bytes())
    home, bits = model._vocabulary._home(key), len(model._vocabulary._keys).bit_length() - 1
    chosen = np.flatnonzero(home >> bits - 10 < 4)[:500]
    text = b" ".join(data[at : at + 7] for at in starts[chosen].tolist())
    blob = BlobChunks(text, [0], [len(text)], [""], b"")

    assert len(key) == len(starts) and len(chosen) == 500
    if static.bags is not None:
        assert model._rows_in_c([blob]) is None
        assert model.embed_blob(text, [0], [len(text)], [""]).tolist() == model.rows_of(list(static._chunks_of(blob))).tolist()


def test_no_one_can_choose_words_that_are_looked_for_at_the_same_place() -> None:
    data, _ = numbered(300_000)
    key = split(data[:-PAD]).key
    one, other = (StaticModel(static.WEIGHTS.read_bytes())._vocabulary for _ in range(2))
    chosen = key[one._home(key) < 256]

    assert len(chosen) > 100
    assert len(np.unique(other._home(chosen))) > 0.9 * len(chosen)


def test_c_is_given_what_it_can_read() -> None:
    numbers, nothing = np.zeros(2, np.int32), np.zeros(0, np.int32)
    if postings.placing is not None:
        for arguments in (
            ([b"a"], np.zeros(2, np.int64)),
            (["a"], np.zeros(1, np.int64)),
            ([b"ab"], np.array([2**32 - 1])),
            ([b"a"], np.array([-1])),
            ([b"a"], np.array([2**63 - 1])),
        ):
            with pytest.raises(ValueError):
                postings.placing.placed(*arguments)
        for rows, values, starts in (([0], [1, 2], [0]), ([1], [1], [0]), ([0, 0], [1, 2], [1]), ([0], [1], [])):
            with pytest.raises(ValueError):
                postings.placing.dealt(*(np.array(some, np.uint32) for some in (rows, values, starts)))
    if static.bags is not None:
        keys, fields, counts, vectors = np.zeros(2, np.uint64), np.ones(4, np.int64), np.ones(3, np.int64), np.ones((2, 256), np.int8)
        for blobs, some in (
            ([(b"a", nothing, nothing, ["x"], b"")], keys),
            ([(b"a", numbers[:1] - 1, numbers[:1], ["x"], b"")], keys),
            ([], keys[:1]),
        ):
            with pytest.raises(ValueError):
                static.bags.told(blobs, some, numbers, 1)
        for words, borders, learned in (
            ([2], [1, 1, 1, 1], []),
            ([-2], [1, 1, 1, 1], []),
            ([-2], [1] * 4, [2]),
            ([0], [2, 2, 2, 2], []),
            ([0], [1, 0, 1, 1], []),
        ):
            with pytest.raises(ValueError):
                static.bags.summed(
                    np.array(words, np.int32),
                    np.array(borders),
                    np.array(learned, np.int32),
                    np.ones(2, np.int64),
                    fields,
                    counts,
                    vectors,
                    0,
                    9,
                )
        with pytest.raises(ValueError):
            static.bags.turned(bytes(255), np.ones((256, 4), np.int16))


def test_the_source_of_a_release_that_was_not_read_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setitem(SCRIPT["source_of_parser"].__globals__, "version", lambda _: "0.26.2")

    assert SCRIPT["source_of_parser"](tmp_path) is None
    assert "index/parsing/walk.c was written for 0.26.1, and 0.26.2 is installed" in capsys.readouterr().err


def test_a_parser_of_another_release_does_not_walk_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "walk", types.SimpleNamespace(RELEASE="0.0.1"))

    assert columns._machinery.__wrapped__(PYTHON).in_c is None


def test_where_no_compiler_is_the_text_stays_and_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    cleaned, failure = [], type("CompileError", (Exception,), {})
    errors = types.SimpleNamespace(CompileError=failure, LinkError=failure, PlatformError=failure)

    def build() -> None:
        raise failure("command 'cc' failed")

    monkeypatch.chdir(ROOT)
    for name in ("setuptools", "setuptools.errors"):
        monkeypatch.setitem(sys.modules, name, errors)
    monkeypatch.setitem(SCRIPT["main"].__globals__, "build", build)
    monkeypatch.setitem(SCRIPT["main"].__globals__, "clean", lambda: cleaned.append(True))

    assert SCRIPT["main"]([]) == 1
    assert len(cleaned) == 2  # nothing of half a compilation is left
    assert "the text runs as before: the C compiler failed or is not there. command 'cc' failed" in capsys.readouterr().err


def test_the_index_of_another_program_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "tax.py").write_text("def rate():\n    return 2\n")
    before = SCRIPT["digest"](ROOT, tmp_path)
    (tmp_path / "tax.py").write_text("def rate():\n    return rate()\n")

    assert SCRIPT["digest"](ROOT, tmp_path)[1:] != before[1:]


def test_the_compiler_is_pinned_and_not_deployed() -> None:
    pinned = (ROOT / "deploy" / "constraints-compile.txt").read_text("utf-8")
    deployed = (ROOT / "deploy" / "constraints-serve.txt").read_text("utf-8")

    # Where this fails: read what walk.c says it does in its own way in the parser's new source, then change READ in deploy/compile.py.
    assert f"\n{SCRIPT['PARSER']}=={SCRIPT['READ']} " in pinned and f"\n{SCRIPT['PARSER']}=={SCRIPT['READ']} " in deployed
    assert "\nmypy==" in pinned and "\nsetuptools==" in pinned and "\npip==" in pinned
    assert "\nmypy==" not in deployed


def test_what_linking_made_is_given_back() -> None:
    """What compiled code keeps outside of objects can be lost where text hands it over: see `index.resolver.link.numbers`."""
    files = {f"m{at}.py".encode(): b"import m0\nclass A:\n    def f(self, g): return g(self.f, m0.A())\n" for at in range(200)}
    grown = []
    for _ in range(6):
        before = sys.getallocatedblocks()
        build(files)
        gc.collect()
        grown.append(sys.getallocatedblocks() - before)

    assert sorted(grown[1:])[2] < len(files) // 2
