"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tree_sitter_python

from index.languages.language import Language
from index.languages.python.kinds import KINDS

if TYPE_CHECKING:
    from index.parsing.columns import Tree
    from index.parsing.facts import FactsBuilder


def _front_end(tree: Tree, builder: FactsBuilder) -> None:
    from index.languages.python.front import front_end  # who only asks which files are Python's needs none of it

    front_end(tree, builder)


PYTHON = Language(
    name="python",
    number=1,
    extensions=(".py", ".pyi", ".pyw"),
    grammar=tree_sitter_python.language,
    kinds=KINDS,
    front_end=_front_end,
    version=4,
    closed_strings="string",
)
