"""The compiled form is the plain one made faster: the same sources, chosen in one place, and left out of what is packaged as text."""

from __future__ import annotations

import runpy
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.languages import LANGUAGES
from index.parsing import columns
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


def test_two_copies_of_the_program_give_the_same_index_of_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("from tax import rate\n\ndef total(net):\n    return net * rate()\n")
    (tmp_path / "tax.py").write_text("def rate():\n    return 2\n")
    first, again = (SCRIPT["digest"](ROOT, tmp_path) for _ in range(2))

    assert first == again
    assert first[0] == ("compiled" if compiled() else "plain") and int(first[1]) >= 2


def test_nodes_are_the_same_where_c_collects_them() -> None:
    for language in LANGUAGES:
        machinery = columns._machinery(language)
        assert (machinery.walked is None) == (not any("walk" in one.name for one in SCRIPT["made"]()))
        for source in (b"", b"x = f('a', \"b{c}\") # d\n", b"\0\xff", b"[" * 3000 + b"]" * 3000 + b"\n", b"if (a) { b(`${c} d`) }\n"):
            tree = columns._parsed(source, machinery)
            assert tree is not None
            found = machinery.walked(source) if machinery.walked is not None else None
            if found is not None:
                nodes, kinds = columns._collected(source, tree.root_node, machinery.opened)
                rows = [(node.start_byte, node.end_byte, kind) for node, kind in zip(nodes, kinds, strict=True)]
                assert sorted(map(tuple, found.tolist())) == sorted(rows)
            else:
                assert machinery.walked is None or tree.root_node.has_error


@given(st.binary(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12))
def test_texts_are_numbered_alike_in_c(data: bytes, places: list[tuple[int, int]]) -> None:
    inside = [sorted(min(one, len(data)) for one in place) for place in places]
    begins, stops = np.array(inside, np.int32).reshape(-1, 2).T.copy()
    rows, texts = columns._numbered(data, begins, stops)

    assert [texts[row] for row in rows] == [columns._decoded([data[a:b]])[0] for a, b in inside]
    if columns.walk is not None:
        again, same = columns._numbered_in_c(data, begins, stops)
        assert (list(again), same) == (list(rows), texts)


def test_names_that_were_chosen_to_take_long_are_numbered_in_python() -> None:
    names = [name for name in (b"v%d" % number for number in range(12_800)) if fnv(name) % 512 < 8][:200]
    begins = np.cumsum([0, *(len(name) for name in names[:-1])], dtype=np.int32)
    stops = np.cumsum([len(name) for name in names], dtype=np.int32)

    assert len(names) > 150
    if columns.walk is not None:
        assert columns.walk.numbered(b"".join(names), begins, stops) is None
        rows, texts = columns._numbered_in_c(b"".join(names), begins, stops)
        assert (list(rows), texts) == (list(range(len(names))), [name.decode() for name in names])


def fnv(name: bytes) -> int:
    """As walk.c does."""
    found = 0xCBF29CE484222325
    for byte in name:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found ^ found >> 32


def test_a_parser_of_another_release_does_not_walk_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "walk", types.SimpleNamespace(RELEASE="0.0.1"))

    assert columns._in_c(None, b"") is None


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

    assert "\nmypy==" in pinned and "\nsetuptools==" in pinned and "\npip==" in pinned
    assert "\nmypy==" not in deployed
