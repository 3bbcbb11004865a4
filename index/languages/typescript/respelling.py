"""Source that the grammar does not understand -> the same source, byte for byte as long, that it does.

Tried only where parsing failed; the tree with fewer errors is taken, and positions are those of the original.
"""

from __future__ import annotations

import re

# Signatures in a type that are separated by line breaks only, the next one starting with type parameters: the grammar takes `<` for the
# type arguments of the line before.
_UNSEPARATED = re.compile(
    rb"""^(?![ \t]*(?:\*|/\*))((?:(?!//)[^\n])*[>)\]}\w'"])\n(?=\s*(?://[^\n]*\n\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)*<\s*[A-Za-z_])""",
    re.MULTILINE,
)
_EXPORT_TYPE_STAR = re.compile(rb"\bexport type(?=\s*\*)")


def respelled(data: bytes) -> bytes:
    data = _UNSEPARATED.sub(rb"\1;", data)
    return _EXPORT_TYPE_STAR.sub(b"export     ", data)
