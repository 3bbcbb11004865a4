"""A path -> the language that reads it, or None."""

from __future__ import annotations

from index.languages.language import Language
from index.languages.python import PYTHON
from index.languages.typescript import JAVASCRIPT, TSX, TYPESCRIPT

LANGUAGES: tuple[Language, ...] = (PYTHON, TYPESCRIPT, TSX, JAVASCRIPT)
BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
BY_NUMBER = {language.number: language for language in LANGUAGES}


def language_of(path: bytes) -> Language | None:
    """The language by the path's extension; case does not matter."""
    dot = path.rfind(b".")
    return BY_EXTENSION.get(path[dot:].lower().decode("latin-1")) if dot > path.rfind(b"/") + 1 else None
