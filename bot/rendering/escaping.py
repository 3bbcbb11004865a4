"""Untrusted text (names, paths, values, commit ids) -> Markdown and HTML that show it and do nothing else.

A repository's author chooses these strings, and a comment speaks with our name. GitHub links mentions, issue numbers, commit ids, closing
keywords and addresses after rendering, in all text outside of code; entities don't stop it. So untrusted text is always code."""

from __future__ import annotations

import re
from typing import Final

LIMIT: Final = 160  # characters of one name or value; longer ones lose their middle
REPLACED: Final = "\ufffd"
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ,.;:()%'!?≥×·–—−+=-]*")
# What GitHub would turn into a link, a reference or an emoji.
_LIVE: Final = re.compile(
    r"(?i)\bgh-\d|\b[0-9a-f]{7,64}\b|www\.|\b(?:https?|ftp|mailto|xmpp):|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b|:[a-z0-9_+-]+:"
)


def printable(text: str) -> str:
    """One line without control, bidi, zero-width or lone-surrogate characters: each is shown as U+FFFD."""
    return "".join(c if c.isprintable() else REPLACED for c in text)


def shortened(text: str, limit: int = LIMIT) -> str:
    """At most `limit` characters; the middle goes, because both ends of a path or a qualified name tell more."""
    if len(text) <= limit:
        return text
    keep = limit - 1
    return f"{text[: keep // 2]}…{text[len(text) - (keep - keep // 2) :]}"


def code(text: str, limit: int = LIMIT) -> str:
    """Untrusted text as inline code that is safe in a paragraph and in a table cell.

    Backticks, pipes and a last backslash fight with code spans in tables, so such text becomes <code> with entities instead."""
    text = shortened(printable(text), limit)
    if not text.strip(" \u00a0"):
        text = REPLACED
    if "`" in text or "|" in text or text.endswith("\\"):
        return f"<code>{entities(text)}</code>"
    return f"`{text}`"


def entities(text: str) -> str:
    """Every character but letters, digits and spaces as a numeric entity. Addresses are recognised after entities are read, as long as they
    stand in one piece of text: <wbr>, which shows nothing and copies as nothing, cuts them at the @."""
    return "".join(c if c.isalnum() or c == " " else "<wbr>&#64;<wbr>" if c == "@" else f"&#{ord(c)};" for c in text)


def prose(text: str, limit: int = 400) -> str:
    """A sentence of ours with `names` in backticks -> the same with every name as safe code. Whatever stands outside of backticks and is
    not plain words becomes code too, so a stray backtick in a value can't free what follows it."""
    pieces = shortened(printable(text), limit).split("`")
    out = []
    for at, piece in enumerate(pieces):
        if not piece:
            continue
        named = at % 2 == 1 and at < len(pieces) - 1
        plain = _PLAIN.fullmatch(piece) is not None and _LIVE.search(piece) is None
        if plain and not named:
            out.append(piece)
        elif named or not piece.strip():
            out.append(code(piece))
        else:
            lead, tail = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
            out.append(f"{lead}{code(piece.strip())}{tail}")
    return "".join(out)


def person(name: str) -> str:
    """Somebody's name, which is their own words: letters of any script and what stands between them as text, anything else as code."""
    plain = all(c.isalpha() or c in " .'’-/" for c in name) and _LIVE.search(name) is None
    return shortened(name) if plain and name.strip() else code(name)


def link(shown_as: str, url: str) -> str:
    """Text that is Markdown already, and an address made by `bot.rendering.links` -> a link."""
    return f"[{shown_as}]({url})" if url else shown_as


def label(text: str, limit: int = 48) -> str:
    """Untrusted text -> what may stand between double quotes in a mermaid label: ASCII without anything mermaid or HTML reads."""
    return re.sub(r"[^A-Za-z0-9 _.:/()-]", "_", shortened(printable(text), limit).replace("…", "...")) or "_"
