"""The changed lines of a list of packages -> do they name nothing but tools that read code and never run with it?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LISTS: Final = re.compile(r"(^|/)((requirements|constraints|dev-requirements)[^/]*\.(txt|in)|requirements/[^/]+\.(txt|in)|package\.json)$")
_TOOLS: Final = """
    autoflake autopep8 bandit black blacken-docs codespell commitizen flake8[\\w-]* flynt interrogate isort mypy pep8-naming pre-commit
    pycodestyle pydocstyle pyflakes pylint pyright basedpyright pyupgrade ruff tox twine types-[\\w-]+ yamllint zizmor
    eslint[\\w-]* @eslint/[\\w-]+ @typescript-eslint/[\\w-]+ prettier[\\w-]* @biomejs/biome stylelint[\\w-]* husky lint-staged
    commitlint @commitlint/[\\w-]+ cspell markdownlint[\\w-]* standard xo
"""
_NAME: Final = "|".join(_TOOLS.split())
_LINE: Final = re.compile(
    rf"""^\s*(\#.*|(?P<python>(?:{_NAME}))\s*(\[[\w,\s-]*\])?\s*([=<>~!;@ ].*)?|"(?P<script>{_NAME})"\s*:\s*"[^"]*",?)?\s*\\?$"""
)


def pins_only_tools(path: str, lines: Iterable[str]) -> bool:
    """A path and the lines that a change removed or added in it."""
    found = list(lines)
    return bool(found) and _LISTS.search(path) is not None and all(_LINE.match(line) for line in found)
