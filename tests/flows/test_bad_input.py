"""Bad input through the real command: one clear sentence and the documented exit code, or a report that says what was left out."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from index.engine import Engine
from index.storage.snapshots import SnapshotStore
from support.command import ROOT, maguyva
from support.repositories import SubmoduleAt, SymlinkTo, TinyRepository, a_repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def repository(tmp_path: Path) -> TinyRepository:
    return a_repository(tmp_path / "repository")


def test_a_folder_that_is_no_repository(tmp_path: Path, home: Path) -> None:
    (tmp_path / "plain").mkdir()

    assert maguyva("impact", repo=tmp_path / "plain", home=home).fails_with(3, "not a git repository")


def test_a_repository_without_commits(repository: TinyRepository, home: Path) -> None:
    assert maguyva("update", "HEAD", repo=repository.path, home=home).fails_with(3)


def test_a_revision_that_is_not_there(repository: TinyRepository, home: Path) -> None:
    repository.commit({"a.py": "x = 1\n"}, "One")

    assert maguyva("impact", "nowhere...main", repo=repository.path, home=home).fails_with(3, "nowhere")


def test_a_revision_that_looks_like_an_option(repository: TinyRepository, home: Path) -> None:
    repository.commit({"a.py": "x = 1\n"}, "One")

    assert maguyva("update", "--", "--output=x", repo=repository.path, home=home).code in (2, 3)
    assert not (repository.path / "x").exists()


def test_histories_without_a_common_commit(repository: TinyRepository, home: Path) -> None:
    repository.commit({"a.py": "x = 1\n"}, "One")
    tree = repository.git("rev-parse", "main^{tree}").strip()
    alone = repository.git("commit-tree", tree, "-m", "Another beginning").strip()
    repository.git("update-ref", "refs/heads/stranger", alone)

    assert maguyva("impact", "main...stranger", repo=repository.path, home=home).fails_with(3, "merge base")


def test_nothing_that_we_can_parse(repository: TinyRepository, home: Path) -> None:
    repository.commit({"notes.txt": "words\n", "main.zig": "pub fn main() void {}\n"}, "Words")
    repository.branch("feature")
    repository.commit({"notes.txt": "other words\n"}, "Other words")

    ran = maguyva("impact", "main...feature", "--json", repo=repository.path, home=home)

    report = json.loads(ran.out)
    assert (ran.code, report["breaks"], report["at_risk"], report["reached"]) == (0, [], [], [])


ODD_FILES: dict[str, str | bytes] = {
    "nul.py": b"x = 1\0\ndef f(): pass\n",
    "latin.py": b"def caf\xe9():\n    return '\xff'\n",
    "utf16.py": "def f(): pass\n".encode("utf-16"),
    "brackets.py": "x = " + "[" * 10_000 + "]" * 10_000 + "\n",
    "calls.py": "x = " + "f(" * 3_000 + ")" * 3_000 + "\n",
    "brackets.js": "const x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";\n",
    "broken.py": "def f(:\n  class ]\n\ndef good(): return 1\n",
    "broken.ts": "export function f(: { class ]\nexport const good = () => 1;\n",
    "line.js": "var a=1;" * 100_000,
    "names.py": "".join(f"n{at} = {at}\n" for at in range(20_000)),
    "cycle_a.py": "from cycle_b import *\nfrom cycle_b import A as B\nclass A(B): pass\n",
    "cycle_b.py": "from cycle_a import *\nfrom cycle_a import A as B\nclass A(B): pass\n",
    "self.py": "class A(A): pass\nx = x\ndef f(): return f()\n",
    "chain.py": "a0 = len\n" + "".join(f"a{at + 1} = a{at}\n" for at in range(1_000)),
    "again.py": "x = 0\n" + "x = x + 1\n" * 5_000 + "x.run()\n",
    "digits.py": "def f(): pass\nd = {'²': f}\nd['²']()\nt = (f, f)\nt['²']()\nt['٣']()\nt[" + "9" * 5_000 + ":][0]()\n'{²}'.format(f)()\n",
    "digits.js": "function f() {}\nconst t = [f, f];\nt['²'](); t['٣'](); t.at(" + "9" * 5_000 + ")();\nconst {'²': g} = t; g();\n",
    "empty.py": "",
    "cr.py": "def f():\r\n    return 1\r\n",
    "package.json": '{"exports": {"exports": {}}, "workspaces": 7, "main": []',
    "tsconfig.json": '{"extends": "./tsconfig.json", "compilerOptions": {"paths": 3}}',
    "pyproject.toml": "[tool\n",
}


def test_odd_files_are_read_as_far_as_they_go_and_named(repository: TinyRepository, home: Path) -> None:
    repository.commit(
        {**ODD_FILES, "link.py": SymlinkTo("link.py"), "sub": SubmoduleAt(), "ok.py": "from broken import good\ngood()\n"}, "Odd"
    )

    ran = maguyva("export", "HEAD", "--edges", repo=repository.path, home=home)

    assert (ran.code, ran.errors) == (0, "")
    edges = [json.loads(line) for line in ran.out.splitlines()]
    assert any(edge["from"]["path"] == "ok.py" and edge["to"]["symbol"] == "good" for edge in edges)


def test_a_name_that_would_break_a_line_is_shown_escaped(repository: TinyRepository, home: Path) -> None:
    repository.commit(
        {b"a\nb.py": "def f(): pass\n", b"\xff.py": "def g(): pass\n", "-rf": "x\n", "--output=y.py": "def h(): pass\n"}, "Names"
    )

    ran = maguyva("export", "HEAD", "--symbols", repo=repository.path, home=home)

    assert {json.loads(line)["path"] for line in ran.out.splitlines()} == {"a\\u000ab.py", "\\xff.py", "-rf", "--output=y.py"}


def test_a_file_of_fifty_megabytes_is_listed_as_skipped(repository: TinyRepository, home: Path) -> None:
    repository.commit({"big.py": "x = 1\n" * 8_500_000, "a.py": "def f(): pass\n"}, "Big")
    repository.branch("feature")
    repository.commit({"a.py": "def f(x): pass\n"}, "Change")

    ran = maguyva("impact", "main...feature", "--json", repo=repository.path, home=home)

    assert ran.code == 0
    assert "big.py" in ran.out


def test_a_file_where_the_index_should_be(repository: TinyRepository, tmp_path: Path) -> None:
    repository.commit({"a.py": "x = 1\n"}, "One")
    (tmp_path / "taken").write_text("")

    assert maguyva("update", "HEAD", repo=repository.path, home=tmp_path / "taken").fails_with(4)


def test_a_full_disk_loses_nothing_and_is_told(repository: TinyRepository, home: Path) -> None:
    repository.commit({f"m{at}.py": f"def f{at}(): return {at}\n" * 50 for at in range(40)}, "Many")

    ran = maguyva("update", "HEAD", repo=repository.path, home=home, prefix=["prlimit", "--fsize=20000"])

    assert "Traceback" not in ran.errors
    assert ran.code == 4
    assert maguyva("update", "HEAD", repo=repository.path, home=home).code == 0


def test_a_kill_in_the_middle_leaves_an_index_as_good_as_new(repository: TinyRepository, home: Path, tmp_path: Path) -> None:
    repository.commit(
        {f"p/m{at}.py": f"from p.m{(at + 1) % 60} import f{(at + 1) % 60}\ndef f{at}(): return f{(at + 1) % 60}()\n" for at in range(60)},
        "P",
    )
    command = [sys.executable, "-m", "bot", "update", "HEAD", "--repo", str(repository.path), "--index", str(home)]
    for delay in (0.3, 0.5, 0.7, 0.9, 1.1):
        with subprocess.Popen(
            command, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}, stderr=subprocess.DEVNULL
        ) as child:
            time.sleep(delay)
            child.send_signal(signal.SIGKILL)

    after = maguyva("export", "HEAD", "--edges", repo=repository.path, home=home)
    clean = maguyva("export", "HEAD", "--edges", repo=repository.path, home=tmp_path / "clean")

    assert (after.code, after.errors) == (0, "")
    assert after.out == clean.out != ""


@pytest.mark.parametrize("pattern", ["parts/*", "manifests/*", "refs/*/*", "facts/*.sqlite", "recent/*.json"])
def test_a_damaged_file_of_the_index_is_made_anew(repository: TinyRepository, home: Path, pattern: str) -> None:
    repository.commit({"a.py": "def f(): pass\n", "b.py": "from a import f\nf()\n"}, "Two")
    before = maguyva("export", "HEAD", "--edges", repo=repository.path, home=home)
    for path in home.glob(pattern):
        path.write_bytes(path.read_bytes()[:20] + b"damaged")

    after = maguyva("export", "HEAD", "--edges", repo=repository.path, home=home)

    assert after.code == 0
    assert after.out == before.out != ""


@pytest.mark.parametrize("words", [("export", "HEAD", "--edges"), ("impact", "HEAD~...HEAD", "--json"), ("ask", "f", "--json")])
def test_bits_that_turned_over_on_the_disk_are_noticed(repository: TinyRepository, home: Path, words: tuple[str, ...]) -> None:
    many = {f"m{n}.py": f"from a import f\n\ndef g{n}(x):\n    return f(x) + {n}\n" for n in range(120)}
    repository.commit({"a.py": "def f(x): return x\n", **many}, "Many")
    repository.commit({"a.py": "def f(x, y): return x\n"}, "Another")
    before = maguyva(*words, repo=repository.path, home=home)
    for path in home.glob("parts/*"):
        data = bytearray(path.read_bytes())
        for at in range(len(data) // 2, len(data), 64):
            data[at] ^= 0x55
        path.write_bytes(data)

    after = maguyva(*words, repo=repository.path, home=home)

    assert (before.code, after.code) == (0, 0)
    assert "Traceback" not in after.errors
    assert _answer(after.out) == _answer(before.out)


def _answer(out: str) -> object:
    """What was printed, without the notes that say what the index went through."""
    lines = [json.loads(line) for line in (out.splitlines() if out.startswith('{"from"') else [out])]
    return [{name: value for name, value in line.items() if name not in ("notes", "took_ms", "seconds", "timings")} for line in lines]


def test_an_index_of_another_version_is_made_anew_and_that_is_said(repository: TinyRepository, home: Path) -> None:
    repository.commit({"a.py": "def f(): pass\n"}, "One")
    with Engine.open(repository.path, home) as engine:
        engine.store = SnapshotStore(home, engine="an older one")
        engine.update("HEAD")

    ran = maguyva("update", "HEAD", repo=repository.path, home=home)

    assert (ran.code, "made by another version of Maguyva: it was built anew" in ran.errors) == (0, True)


@pytest.mark.parametrize("pattern", ["/f{1,²}/", "/f{٣}/", "/f{1,٣}/", "/f{" + "9" * 900 + "}/"])
def test_a_pattern_with_digits_that_are_no_number_is_looked_for_as_it_is(repository: TinyRepository, home: Path, pattern: str) -> None:
    repository.commit({"a.py": "def f(): pass\n"}, "One")

    ran = maguyva("ask", pattern, repo=repository.path, home=home)

    assert ran.code in (0, 2) and "Traceback" not in ran.errors
