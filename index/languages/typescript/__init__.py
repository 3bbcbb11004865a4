"""TypeScript and JavaScript: three grammars, one front end."""

from __future__ import annotations

import tree_sitter_javascript
import tree_sitter_typescript

from index.languages.language import Language
from index.languages.typescript.front import front_end, javascript_front_end
from index.languages.typescript.kinds import JAVASCRIPT_KINDS, TYPESCRIPT_KINDS
from index.languages.typescript.respelling import respelled

TYPESCRIPT = Language(
    name="typescript",
    number=2,
    extensions=(".ts", ".mts", ".cts"),
    grammar=tree_sitter_typescript.language_typescript,
    kinds=TYPESCRIPT_KINDS,
    front_end=front_end,
    version=1,
    respelled=respelled,
)

TSX = Language(
    name="tsx",
    number=3,
    extensions=(".tsx",),
    grammar=tree_sitter_typescript.language_tsx,
    kinds=TYPESCRIPT_KINDS,
    front_end=front_end,
    version=1,
    respelled=respelled,
)

JAVASCRIPT = Language(
    name="javascript",
    number=4,
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    grammar=tree_sitter_javascript.language,
    kinds=JAVASCRIPT_KINDS,
    front_end=javascript_front_end,
    version=1,
)
