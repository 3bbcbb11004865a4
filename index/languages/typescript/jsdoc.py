"""What JSDoc comments say about types: comments of a JavaScript file -> tags, and the text of a type -> a small tree.

The tree of a type is a tuple: ("name", "a.B"), ("of", "Promise", trees...) for `Promise<T>`, ("array", tree), ("any of", trees...),
("import", "./cart", "Cart"), ("function", result tree or None), ("typeof", "name"), or ("unknown",).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

TypeTree = tuple[Any, ...]

_COMMENT: Final = re.compile(rb"/\*\*(?=[^/])(?:[^*]|\*(?!/))*\*/")
_WANTED: Final = re.compile(rb"@(?:param|arg|argument|returns?|type|typedef|this)\b")
_TAG: Final = re.compile(rb"@(param|arg|argument|returns?|type|typedef|this)\s*\{")
_NAME: Final = re.compile(rb"\s*\[?\s*([A-Za-z_$][\w$]*)(\.)?")
_SPACE: Final = re.compile(rb"(?:\s|//[^\n]*\n|/\*(?!\*)(?:[^*]|\*(?!/))*\*/)*")
_STAR: Final = re.compile(rb"\n[ \t]*\*")
_TOKEN: Final = re.compile(r"""\s*(\.\.\.|=>|\.<|[A-Za-z_$][\w$]*(?:[.~#][A-Za-z_$][\w$]*)*|"[^"]*"|'[^']*'|[0-9][0-9.]*|.)""", re.DOTALL)
MAX_TYPE: Final = 400  # bytes of a type that is read
_MAX_DEPTH: Final = 8


def comments(data: bytes) -> Iterator[tuple[int, list[tuple[str, str, str]]]]:
    """(where the code after the comment starts, its tags as (tag, type, name)) of every comment that names a type."""
    for match in _COMMENT.finditer(data):
        text = match[0]
        if _WANTED.search(text) is None:
            continue
        found = list(_tags(_STAR.sub(b"\n", text[3:-2])))
        space = _SPACE.match(data, match.end())
        if found:
            yield (space.end() if space is not None else match.end()), found


def _tags(text: bytes) -> Iterator[tuple[str, str, str]]:
    for match in _TAG.finditer(text):
        at, depth = match.end(), 1
        while at < len(text) and depth and at - match.end() < MAX_TYPE:
            depth += {123: 1, 125: -1}.get(text[at], 0)
            at += 1
        if depth:
            continue
        name = _NAME.match(text, at)
        if name is not None and name[2]:
            continue  # @param {string} options.name: a part of a parameter
        tag = {"arg": "param", "argument": "param", "return": "returns"}.get(match[1].decode(), match[1].decode())
        yield tag, text[match.end() : at - 1].decode("utf-8", "replace").strip(), name[1].decode() if name is not None else ""


@lru_cache(maxsize=4096)
def type_tree(text: str) -> TypeTree:
    """The tree of a type as it stands between the braces; ("unknown",) where it can't be read."""
    tokens = [match[1] for match in _TOKEN.finditer(text[:MAX_TYPE]) if match[1].strip()]
    tree, _ = _union(tokens, 0, 0)
    return tree


def _union(tokens: list[str], at: int, depth: int) -> tuple[TypeTree, int]:
    trees = []
    while True:
        tree, at = _postfix(tokens, at, depth)
        trees.append(tree)
        if at < len(tokens) and tokens[at] in "|&":
            at += 1
            continue
        break
    return (trees[0] if len(trees) == 1 else ("any of", *trees)), at


def _postfix(tokens: list[str], at: int, depth: int) -> tuple[TypeTree, int]:
    while at < len(tokens) and tokens[at] in ("?", "!", "...", "readonly", "|"):
        at += 1
    tree, at = _primary(tokens, at, depth + 1)
    while at < len(tokens):
        if tokens[at] == "[" and at + 1 < len(tokens) and tokens[at + 1] == "]":
            tree, at = ("array", tree), at + 2
        elif tokens[at] in ("=", "?", "!"):
            at += 1
        else:
            break
    return tree, at


def _primary(tokens: list[str], at: int, depth: int) -> tuple[TypeTree, int]:
    if at >= len(tokens) or depth > _MAX_DEPTH:
        return ("unknown",), len(tokens)
    token = tokens[at]
    if token == "(":
        inner, after = _union(tokens, at + 1, depth)
        if after < len(tokens) and tokens[after] == ")":
            after += 1
        else:
            after = _close(tokens, at)
        if after < len(tokens) and tokens[after] == "=>":
            result, after = _union(tokens, after + 1, depth)
            return ("function", result), after
        return inner, after
    if token in ("{", "["):
        return ("unknown",), _close(tokens, at)
    if token == "import" and at + 2 < len(tokens) and tokens[at + 1] == "(":
        after = _close(tokens, at + 1)
        name = ""
        if after + 1 < len(tokens) and tokens[after] == ".":
            name, after = tokens[after + 1], after + 2
        return ("import", tokens[at + 2].strip("'\""), name), after
    if token == "typeof" and at + 1 < len(tokens):
        return ("typeof", tokens[at + 1]), at + 2
    if token == "function" and at + 1 < len(tokens) and tokens[at + 1] == "(":
        after = _close(tokens, at + 1)
        if after < len(tokens) and tokens[after] == ":":
            result, after = _postfix(tokens, after + 1, depth)
            return ("function", result), after
        return ("function", None), after
    if not (token[0].isalpha() or token[0] in "_$"):
        return ("unknown",), at + 1
    at += 1
    if at < len(tokens) and tokens[at] in ("<", ".<"):
        arguments = []
        at += 1
        while at < len(tokens):
            argument, at = _union(tokens, at, depth)
            arguments.append(argument)
            if at < len(tokens) and tokens[at] == ",":
                at += 1
                continue
            break
        return ("of", token, *arguments), min(at + 1, len(tokens))
    return ("name", token), at


def _close(tokens: list[str], at: int) -> int:
    """The place after the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth, closing = 0, pairs.get(tokens[at], ")")
    for place in range(at, len(tokens)):
        if tokens[place] == tokens[at]:
            depth += 1
        elif tokens[place] == closing:
            depth -= 1
            if not depth:
                return place + 1
    return len(tokens)
