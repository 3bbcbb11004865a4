"""What the person at a terminal types, and what comes back: text, one sentence of error, an exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bot.__main__ as command_line
import index.errors
from bot.__main__ import COMMANDS, EXIT_CODES, main
from bot.settings import index_home, wants_color
from index.errors import MaguyvaError, NotARepository, SnapshotDamaged

ROOT = Path(__file__).parents[2]


def run(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own; `code` runs first in it."""
    program = f"import sys; {code or 'pass'}; from bot.__main__ import main; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def exit_code(arguments: Sequence[str]) -> int | str | None:
    try:
        return main(arguments)
    except SystemExit as stop:
        return stop.code


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself(command: command_line.Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code([command.name, "--help"]) == 0

    told = capsys.readouterr().out
    for line, meaning in command.examples:
        assert f"  {line}\n      {meaning}" in told
    for code, meaning in EXIT_CODES:
        assert f"{code:>5}  {meaning}" in told


@pytest.mark.parametrize("line", [line for command in COMMANDS for line, _ in command.examples])
def test_every_example_is_a_command_line_that_we_accept(line: str) -> None:
    program, *words = line.split()

    assert program == "maguyva"
    assert command_line.parser().parse_args(words).run


def test_the_version_is_told_without_loading_the_engine() -> None:
    loaded = run("--version", code="import atexit; atexit.register(lambda: print(*sorted({m.split('.')[0] for m in sys.modules})))")

    assert loaded.returncode == 0 and loaded.stdout.startswith("maguyva 0")
    assert not {"numpy", "rich", "rustworkx", "tree_sitter", "sqlite3", "asyncio"} & set(loaded.stdout.split())


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nonsense"],
        ["impact", "--json", "--markdown"],
        ["impact", "a", "b"],
        ["impact", "--fail-on", "everything"],
        ["export"],
        ["why", "one"],
        ["impact", "--js"],
    ],
)
def test_a_wrong_command_line_is_refused_with_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(words) == 2
    assert "usage: maguyva" in capsys.readouterr().err


def errors() -> Iterator[type[MaguyvaError]]:
    waiting: list[type[MaguyvaError]] = [MaguyvaError]
    while waiting:
        waiting += (one := waiting.pop()).__subclasses__()
        yield one


def test_every_error_ends_with_a_code_of_the_table() -> None:
    assert index.errors.MaguyvaError in set(errors())
    assert {error.exit_code for error in errors()} <= {code for code, _ in EXIT_CODES}


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (NotARepository("here"), 3, "maguyva: here is not a git repository: give the path of a clone, bare or not.\n"),
        (SnapshotDamaged("The index is damaged."), 4, "maguyva: The index is damaged.\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_can_be_expected_to_fail_ends_in_one_sentence(
    error: BaseException, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(options: object) -> int:
        raise error

    monkeypatch.setattr(command_line, "_engine", fail)

    assert main(["impact"]) == code
    assert capsys.readouterr().err == told


PRINTING = "import bot.__main__ as m; object.__setattr__(m.COMMANDS[0], 'run', lambda options: print({text}) or 0)"  # for `impact`


def test_a_reader_that_went_away_is_no_error() -> None:
    printing = PRINTING.format(text="100_000 * 'line of text'")
    program = f"import sys; {printing}; sys.exit(m.main(['impact']))"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        told = child.stderr.read()

    assert (child.returncode, told) == (141, b"")


def test_a_terminal_that_lacks_a_letter_gets_its_number() -> None:
    ascii_only = "import io; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'ascii')"

    shown = run("impact", code=f"{ascii_only}; {PRINTING.format(text='chr(233)')}")

    assert (shown.returncode, shown.stdout) == (0, "\\xe9\n")


@pytest.mark.parametrize(
    ("environment", "chosen", "place"),
    [
        ({"HOME": "/home/me"}, "", "/home/me/.cache/maguyva"),
        ({"HOME": "/home/me", "XDG_CACHE_HOME": "/cache"}, "", "/cache/maguyva"),
        ({"HOME": "/home/me", "XDG_CACHE_HOME": "cache"}, "", "/home/me/.cache/maguyva"),
        ({"HOME": "/home/me", "MAGUYVA_HOME": "/indexes"}, "", "/indexes"),
        ({"HOME": "/home/me", "MAGUYVA_HOME": "/indexes"}, "/mine", "/mine"),
    ],
)
def test_indexes_are_kept_where_the_person_says_else_in_their_cache(environment: dict[str, str], chosen: str, place: str) -> None:
    assert index_home(environment, chosen) == Path(place)


@given(st.sampled_from(["", "1"]), st.sampled_from(["", "1"]), st.booleans(), st.booleans(), st.sampled_from(["dumb", "xterm"]))
def test_colors_are_never_shown_to_who_refuses_them(no_color: str, force: str, terminal: bool, refused: bool, term: str) -> None:
    shown = wants_color({"NO_COLOR": no_color, "FORCE_COLOR": force, "TERM": term}, terminal, refused)

    assert shown == (not refused and not no_color and (bool(force) or (terminal and term != "dumb")))


def test_bash_completes_a_command_and_its_options(tmp_path: Path) -> None:
    (tmp_path / "maguyva").write_text(run("completion", "bash").stdout)
    asked = """source maguyva
        complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_maguyva; echo "${COMPREPLY[@]}"; }
        complete_words maguyva imp; complete_words maguyva impact --fail"""

    done = subprocess.run(["bash", "-c", asked], cwd=tmp_path, capture_output=True, text=True)

    assert done.stdout.split() == ["impact", "--fail-on"], done.stderr
