"""Source text -> the words its identifiers are made of, for ranking by shared vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from index.types import FileChange

_PARTS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORDS: Final = """
    the a an of to in for and or is be on with by as it this that from at not are if when was should can into no use
"""
_STOP: Final = frozenset(_WORDS.split())
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{3,}")


def subtokens(text: str) -> list[str]:
    """`parseHTTPHeader` -> parse, http, header."""
    return [lower for word in _PARTS.findall(text) if len(word) > 1 and (lower := word.lower()) not in _STOP]


@lru_cache(maxsize=1 << 16)
def _parts_of_name(name: str) -> frozenset[str]:
    """Kept: of all paths of a repository, most folders and many names are the same."""
    return frozenset(subtokens(name))


def subtokens_of_path(path: str) -> frozenset[str]:
    """All that the names of its folders and its own are made of."""
    return frozenset().union(*map(_parts_of_name, path.split("/")))


def changed_lines(change: FileChange, before: bytes | None, after: bytes | None) -> list[str]:
    """The lines that the diff removed and added, in that order, without those that differ in white space alone."""
    gone = _lines(before, change.old_spans, whole=change.new_path is None)
    new = _lines(after, change.new_spans, whole=change.old_path is None)
    same = {"".join(line.split()) for line in gone} & {"".join(line.split()) for line in new}
    return [line for line in (*gone, *new) if "".join(line.split()) not in same]


def identifiers(lines: Iterable[str]) -> list[str]:
    """Words of at least four characters, as they stand: names, and words of strings and comments too."""
    return [word for line in lines for word in _IDENTIFIER.findall(line)]


def _lines(source: bytes | None, spans: Iterable[tuple[int, int]], whole: bool) -> list[str]:
    if source is None or b"\0" in source[:8000]:
        return []
    lines = source.decode("utf-8", "replace").split("\n")
    if whole:
        return lines
    return [line for first, last in spans for line in lines[first - 1 : last]]
