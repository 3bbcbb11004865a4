"""TypeScript and JavaScript: three grammars, one front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tree_sitter_javascript
import tree_sitter_typescript

from index.languages.language import Language
from index.languages.typescript.kinds import JAVASCRIPT_KINDS, TYPESCRIPT_KINDS
from index.languages.typescript.respelling import respelled

if TYPE_CHECKING:
    from index.parsing.columns import Tree
    from index.parsing.facts import FactsBuilder


def _front_end(tree: Tree, builder: FactsBuilder) -> None:
    from index.languages.typescript.front import front_end  # who only asks which files are TypeScript's needs none of it

    front_end(tree, builder)


def _javascript_front_end(tree: Tree, builder: FactsBuilder) -> None:
    from index.languages.typescript.front import javascript_front_end

    javascript_front_end(tree, builder)


TYPESCRIPT = Language(
    name="typescript",
    number=2,
    extensions=(".ts", ".mts", ".cts"),
    grammar=tree_sitter_typescript.language_typescript,
    kinds=TYPESCRIPT_KINDS,
    front_end=_front_end,
    version=7,
    respelled=respelled,
)

TSX = Language(
    name="tsx",
    number=3,
    extensions=(".tsx",),
    grammar=tree_sitter_typescript.language_tsx,
    kinds=TYPESCRIPT_KINDS,
    front_end=_front_end,
    version=7,
    respelled=respelled,
)

JAVASCRIPT = Language(
    name="javascript",
    number=4,
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    grammar=tree_sitter_javascript.language,
    kinds=JAVASCRIPT_KINDS,
    front_end=_javascript_front_end,
    version=7,
)
