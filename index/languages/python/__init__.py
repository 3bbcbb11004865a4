"""Python."""

from __future__ import annotations

import tree_sitter_python

from index.languages.language import Language
from index.languages.python.front import front_end
from index.languages.python.kinds import KINDS

PYTHON = Language(
    name="python",
    number=1,
    extensions=(".py", ".pyi", ".pyw"),
    grammar=tree_sitter_python.language,
    kinds=KINDS,
    front_end=front_end,
    version=2,
    closed_strings="string",
)
