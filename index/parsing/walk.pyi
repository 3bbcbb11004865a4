# What walk.c makes; deploy/compile.py compiles it.

RELEASE: str  # of tree-sitter, whose source is in it

def walked(data: bytes, grammar: object, opened: bytes, steps: int, most_nodes: int, quotes: bytes, /) -> bytes | None: ...
