"""Patterns of paths, written as in .gitignore -> a matcher. The patterns come from analysed repositories, so they run in a linear engine.

    *.js          at any depth              docs/      a folder of that name and all below it, at any depth
    /build        at the top only           a/*.py     a slash inside means: from the top
    src/**/gen    any folders between       docs/*     the files of docs, not those of its folders

A pattern that names a folder takes everything below it. `!` and `[a-z]` are not supported, as in CODEOWNERS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import re2

MAX_PATTERN: Final = 500  # characters
_UNSUPPORTED: Final = re.compile(r"[\[\]]|^!")


class BadGlob(ValueError):
    """A pattern that can't be used; the message says why."""


def matcher(patterns: Iterable[str]) -> Callable[[bytes], bool]:
    """Patterns -> whether a path, as git has it, matches any of them. Raises BadGlob."""
    sources = [glob_source(pattern) for pattern in patterns]
    if not sources:
        return lambda path: False
    compiled = _compiled("|".join(sources))
    return lambda path: compiled.fullmatch(path) is not None


def name_matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Names in which `*` stands for anything -> whether a name matches any of them, whole. Raises BadGlob."""
    sources = [".*".join(re2.escape(part) for part in pattern.split("*")) for pattern in patterns]
    if not sources:
        return lambda name: False
    compiled = _compiled("|".join(sources))
    return lambda name: compiled.fullmatch(name.encode("utf-8", "surrogatepass")) is not None


def glob_source(pattern: str) -> str:
    """One pattern -> the source of a regular expression that a whole path must match. Raises BadGlob."""
    if not pattern.strip() or pattern.strip("/") == "":
        raise BadGlob("is empty")
    if len(pattern) > MAX_PATTERN:
        raise BadGlob(f"is longer than {MAX_PATTERN} characters")
    if not pattern.isprintable():
        raise BadGlob("holds a character that can't be shown")
    if _UNSUPPORTED.search(pattern):
        raise BadGlob("`!` and `[...]` are not supported")
    is_folder, body = pattern.endswith("/"), pattern.strip("/")
    from_top = pattern.startswith("/") or "/" in body
    segments = re.sub(r"(?:^|(?<=/))\*\*(?:/\*\*)+(?=/|$)", "**", body).split("/")
    out = "" if from_top else "(?:.*/)?"
    for at, segment in enumerate(segments):
        last = at == len(segments) - 1
        if segment == "**":
            out += ".*" if last else "(?:.*/)?"
        else:
            out += _segment(segment) + ("" if last else "/")
    if segments[-1] == "**" or (segments[-1] == "*" and len(segments) > 1 and not is_folder):
        return out
    return out + ("/.*" if is_folder else "(?:/.*)?")


def _segment(segment: str) -> str:
    """What stands between two slashes."""
    out, at = "", 0
    while at < len(segment):
        c = segment[at]
        if c == "\\" and at + 1 < len(segment):
            at += 1
            out += re2.escape(segment[at])
        elif c == "*":
            out += "[^/]*" if not out.endswith("[^/]*") else ""
        else:
            out += "[^/]" if c == "?" else re2.escape(c)
        at += 1
    return out


def _compiled(source: str) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are: names of files need not be UTF-8
    options.dot_nl = True
    options.log_errors = False
    try:
        return re2.compile(source.encode("utf-8", "surrogateescape"), options)
    except re2.error as error:
        raise BadGlob("is too large") from error
