"""A test file and the files round it -> which program runs it; a program and tests -> the command to paste.

Nothing is run: a runner is recognized by what the repository's own settings name, and where they name none, none is guessed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import re2

Read = Callable[[str], bytes | None]  # a path of the head -> its bytes, None where there is none


@dataclass(frozen=True, slots=True)
class Command:
    """{ids} stands for the tests, each as `name_one` writes it, with `between` between them."""

    runner: str
    command: str
    named: str  # how one test is named: a key of `_NAMES`
    between: str = " "
    sign: str = ""  # what names the runner, in scripts or dependencies of a package.json; a regular expression


COMMANDS: Final = (
    #        runner        command                               a test is named by
    Command("pytest", "pytest {ids}", "pytest"),
    Command("unittest", "python -m unittest {ids}", "dotted"),
    Command("django", "python manage.py test {ids}", "dotted"),
    Command("vitest", "npx vitest run {ids}", "path", sign=r"\bvitest\b"),
    Command("jest", "npx jest {ids}", "path", sign=r"\bjest\b|\breact-scripts\b"),
    Command("ava", "npx ava {ids}", "path", sign=r"\bava\b"),
    Command("mocha", "npx mocha {ids}", "path", sign=r"\bmocha\b"),
    Command("playwright", "npx playwright test {ids}", "path", sign=r"\bplaywright test\b|@playwright/test"),
    Command("tape", "npx tape {ids}", "path", sign=r"\btape\b"),
    Command("bun", "bun test {ids}", "path", sign=r"\bbun test\b"),
    Command("node", "node --test {ids}", "path", sign=r"\bnode (\S+ )*--test\b"),
    Command("go", "go test {ids}", "folder"),
    Command("rspec", "bundle exec rspec {ids}", "path"),
    Command("phpunit", "vendor/bin/phpunit {ids}", "path"),
    Command("maven", "mvn test -Dtest={ids}", "class", between=","),
    Command("gradle", "./gradlew test --tests {ids}", "class", between=" --tests "),
)
BY_RUNNER: Final = {row.runner: row for row in COMMANDS}
# kind of test file -> the runner that it has whatever the repository says
FIXED: Final = {"go": "go", "ruby": "rspec", "php": "phpunit"}
_PYTEST: Final = re.compile(rb"\bpytest\b|\[tool:pytest\]|conftest")
_PYTHON_SETTINGS: Final = ("pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "noxfile.py", "Makefile", "setup.py")
_LISTS: Final = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements/tests.txt",
    "requirements/test.txt",
    "requirements/dev.txt",
)
_BY_UNITTEST: Final = re.compile(rb"(?m)^[ \t]*(import unittest\b|from (unittest|django\.test)\b)")
_BY_PYTEST: Final = re.compile(rb"(?m)^[ \t]*(import pytest\b|from pytest\b|def test_)")
MAX_FOLDERS: Final = 12


def id_of_test(path: str, qualified: str, runner: str = "pytest") -> str:
    """How the runner names one test, or a whole file where `qualified` is "": `tests/test_a.py::TestCart::test_total` for pytest."""
    name = _NAMES[BY_RUNNER[runner].named if runner in BY_RUNNER else "pytest"](path, qualified)
    return f"./{name}" if name.startswith("-") else name  # a file's name is no option of the runner


def command_for(runner: str, ids: Iterable[str]) -> str:
    """Names from `id_of_test` -> one line for a shell; "" where the runner is not known."""
    row = BY_RUNNER.get(runner)
    names = row.between.join(shlex.quote(one) for one in ids) if row is not None else ""
    return row.command.format(ids=names) if row is not None and names else ""


def _dotted(path: str, qualified: str) -> str:
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{module}.{qualified}" if qualified else module


def _folder(path: str, qualified: str) -> str:
    return "./" + path.rpartition("/")[0]


def _stem(path: str, qualified: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


_NAMES: Final[dict[str, Callable[[str, str], str]]] = {
    "pytest": lambda path, qualified: f"{path}::{qualified.replace('.', '::')}" if qualified else path,
    "dotted": _dotted,
    "path": lambda path, qualified: path,
    "folder": _folder,
    "class": _stem,
}


class Runners:
    """The runners of one commit, each looked up once."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self._packages: dict[str, str] = {}
        self._python: str | None = None

    def of(self, kind: str, path: str) -> str:
        """A kind of test file (`index.impact.which_tests.RUNNERS`) and its path -> a row of `COMMANDS`, "" where nobody can say."""
        if kind == "python":
            return self._of_python(path)
        if kind == "script":
            return self._of_package(path)
        if kind == "java":
            return "maven" if self.read("pom.xml") else "gradle" if self.read("build.gradle") or self.read("build.gradle.kts") else ""
        return FIXED.get(kind, "")

    def _of_python(self, path: str) -> str:
        """pytest, which runs tests of unittest too, unless nothing in the repository speaks of it."""
        if self._python is None:
            settings = [self.read(name) or b"" for name in (*_PYTHON_SETTINGS, *_LISTS)]
            named = any(_PYTEST.search(text) for text in settings) or self.read("conftest.py") or self.read("tests/conftest.py")
            self._python = "pytest" if named else "django" if self.read("manage.py") else ""
        if self._python:
            return self._python
        text = self.read(path) or b""
        return "unittest" if _BY_UNITTEST.search(text) and not _BY_PYTEST.search(text) else "pytest"

    def _of_package(self, path: str) -> str:
        """What the nearest package.json names, or one further up."""
        folder = path.rpartition("/")[0]
        for _ in range(MAX_FOLDERS):
            if folder not in self._packages:
                self._packages[folder] = _runner_in(self.read(f"{folder}/package.json" if folder else "package.json") or b"")
            if self._packages[folder] or not folder:
                return self._packages[folder]
            folder = folder.rpartition("/")[0]
        return ""


_SCRIPTS: Final = re.compile(r'"test[\w:.-]*"\s*:\s*"((?:[^"\\]|\\.)*)"')
_DEPENDENCY: Final = re.compile(r'"(@?[\w./-]+)"\s*:\s*"[^"\n]*"')


def _runner_in(package: bytes) -> str:
    """The text of a package.json -> the runner that its test scripts name, else one it depends on."""
    text = package[:200_000].decode("utf-8", "replace")
    scripts = " ; ".join(_SCRIPTS.findall(text))
    rows = [row for row in COMMANDS if row.sign]
    for row in rows:
        if re2.search(row.sign, scripts):  # a linear engine: the scripts are a stranger's words
            return row.runner
    names = set(_DEPENDENCY.findall(text))
    return next((row.runner for row in rows if any(re.fullmatch(row.sign, name) for name in names)), "")
