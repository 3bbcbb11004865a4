"""The compiled form is the plain one made faster: the same sources, chosen in one place, and left out of what is packaged as text."""

from __future__ import annotations

import runpy
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index.languages import LANGUAGES
from index.languages.language import Language
from index.languages.python import PYTHON
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


WORDS = """x self f ( ) [ ] { } : , . = def class return if else for in not import
from 'a' "b" '''c''' f'{x}' r'd' 1 ` ${ => < > function const é \0""".split()


@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from([*WORDS, "\n", "\n    "]), max_size=30).map(" ".join))
@example(LANGUAGES[0], "")
@example(LANGUAGES[0], "x = f('a', \"b{c}\") # d\n")
@example(LANGUAGES[0], "[" * 399 + "]" * 399)
@example(LANGUAGES[0], "[" * 3000 + "]" * 3000)
@example(LANGUAGES[-1], "if (a) { b(`${c} d`, 'e', {f}) }\n")
def test_columns_are_the_same_where_c_makes_them(language: Language, text: str) -> None:
    machinery, data = columns._machinery(language), text.encode()
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
    names = [name for name in (b"v%d" % number for number in range(12_800)) if fnv(name) % 512 < 8][:200]
    in_c = columns._machinery(PYTHON).in_c

    assert len(names) > 150
    assert columns.tree_of(b"\n".join(names), PYTHON).names == [name.decode() for name in names]
    assert in_c is None or in_c(b"\n".join(names)) is None


def fnv(name: bytes) -> int:
    """As walk.c does."""
    found = 0xCBF29CE484222325
    for byte in name:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found ^ found >> 32


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

    assert "\nmypy==" in pinned and "\nsetuptools==" in pinned and "\npip==" in pinned
    assert "\nmypy==" not in deployed
