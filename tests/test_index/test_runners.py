"""Settings of a repository -> which program runs its tests, and the line to paste."""

from __future__ import annotations

import time

import pytest

from index.impact.runners import COMMANDS, Runners, command_for, id_of_test


def runner_of(files: dict[str, str], kind: str, path: str) -> str:
    return Runners(lambda name: files[name].encode() if name in files else None).of(kind, path)


@pytest.mark.parametrize(
    ("files", "kind", "path", "runner"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]"}, "python", "tests/test_a.py", "pytest"),
        ({"tests/test_a.py": "import unittest\n"}, "python", "tests/test_a.py", "unittest"),
        ({"tests/test_a.py": "import unittest\n", "tox.ini": "commands = pytest"}, "python", "tests/test_a.py", "pytest"),
        ({"tests/test_a.py": "def test_a(): ...\n"}, "python", "tests/test_a.py", "pytest"),
        ({"manage.py": "# manage", "shop/tests.py": "from django.test import TestCase\n"}, "python", "shop/tests.py", "django"),
        ({"package.json": '{"scripts": {"test": "vitest run"}}'}, "script", "test/a.test.ts", "vitest"),
        ({"package.json": '{"devDependencies": {"jest": "^29"}}'}, "script", "a.test.js", "jest"),
        ({"package.json": '{"scripts": {"test": "xo && ava"}, "devDependencies": {"vitest": "1"}}'}, "script", "test/a.ts", "ava"),
        ({"package.json": '{"scripts": {"test": "node --import tsx --test"}}'}, "script", "test/a.ts", "node"),
        (
            {"package.json": "{}", "packages/a/package.json": '{"scripts": {"test:unit": "mocha"}}'},
            "script",
            "packages/a/test/x.js",
            "mocha",
        ),
        ({"package.json": '{"scripts": {"test": "vitest"}}', "a/package.json": "{}"}, "script", "a/x.test.js", "vitest"),
        ({"package.json": '{"description": "a rival of jest"}'}, "script", "a.test.js", ""),
        ({"package.json": "not JSON"}, "script", "a.test.js", ""),
        ({}, "go", "pkg/a_test.go", "go"),
        ({"pom.xml": "<project/>"}, "java", "src/test/java/ATest.java", "maven"),
        ({"build.gradle.kts": "plugins"}, "java", "src/test/java/ATest.java", "gradle"),
        ({}, "java", "src/test/java/ATest.java", ""),
    ],
)
def test_a_runner_is_recognized_by_what_the_repository_says(files: dict[str, str], kind: str, path: str, runner: str) -> None:
    assert runner_of(files, kind, path) == runner


@pytest.mark.parametrize(
    ("runner", "tests", "line"),
    [
        ("pytest", [("tests/test_a.py", "TestCart.test_b")], "pytest tests/test_a.py::TestCart::test_b"),
        ("pytest", [("tests/a b.py", "")], "pytest 'tests/a b.py'"),
        ("unittest", [("tests/test_a.py", "TestCart.test_b")], "python -m unittest tests.test_a.TestCart.test_b"),
        ("django", [("shop/tests.py", "TestCart")], "python manage.py test shop.tests.TestCart"),
        ("vitest", [("a.test.ts", ""), ("b.test.ts", "")], "npx vitest run a.test.ts b.test.ts"),
        ("go", [("pkg/a/x_test.go", "")], "go test ./pkg/a"),
        ("maven", [("src/test/java/ATest.java", ""), ("src/test/java/BTest.java", "")], "mvn test -Dtest=ATest,BTest"),
        ("gradle", [("src/ATest.kt", ""), ("src/BTest.kt", "")], "./gradlew test --tests ATest --tests BTest"),
        ("jest", [("a;rm -rf.test.js", "")], "npx jest 'a;rm -rf.test.js'"),
        ("jest", [("--config=x.test.js", "")], "npx jest ./--config=x.test.js"),
        ("pytest", [("-pevil_test.py", "test_a")], "pytest ./-pevil_test.py::test_a"),
        ("", [("a.test.js", "")], ""),
    ],
)
def test_each_runner_has_its_line(runner: str, tests: list[tuple[str, str]], line: str) -> None:
    assert command_for(runner, [id_of_test(path, qualified, runner) for path, qualified in tests]) == line


def test_every_runner_is_named_once() -> None:
    assert len({row.runner for row in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize(
    ("files", "kind", "path"),
    [
        ({"test_a.py": "\n" * 900_000}, "python", "test_a.py"),
        ({"test_a.py": "\n \t" * 300_000}, "python", "test_a.py"),
        ({"test_a.py": " " * 900_000}, "python", "test_a.py"),
        ({"package.json": '{"scripts": {"test": "%s"}}' % ("node " * 30_000)}, "script", "test/a.js"),
        ({"package.json": '{"scripts": {"test": "%s' % ("\\" * 150_000)}, "script", "test/a.js"),
        ({"package.json": '"test":' * 25_000}, "script", "test/a.js"),
    ],
)
def test_files_made_to_be_slow_are_read_at_once(files: dict[str, str], kind: str, path: str) -> None:
    began = time.process_time()

    assert runner_of(files, kind, path) in ("pytest", "")
    assert time.process_time() - began < 2.0
