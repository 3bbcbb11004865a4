# What walk.c makes; deploy/compile.py compiles it.

RELEASE: str  # of tree-sitter, whose source is in it

def columns(
    data: bytes,
    grammar: object,
    kinds: bytes,
    opened: bytes,
    leaves: bytes,
    quotes: bytes,
    closed: int,
    text: int,
    module: int,
    steps: int,
    reads: int,
    piece: int,
    most_nodes: int,
    most_depth: int,
    most_name: int,
    /,
) -> tuple[bytearray, bytearray, list[str]] | None: ...
