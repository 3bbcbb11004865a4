"""The text of a report -> what it names: its title, the places of its stack traces, and the names that are written like code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from index.intent.rules import FILE, PRODUCTS, WRITTEN

MOST_READ = 8_000  # characters in which places and names are looked for: a stack trace stands after the story
MOST_PLACES, MOST_NAMES = 200, 200

_PLACE = re.compile(rf"File \"(?P<frame>[^\"\n]{{1,300}})\", line (?P<line>\d{{1,7}})|(?<![\w./@+-])(?P<path>(?:[A-Za-z]:)?/?{FILE})")
_LINE = re.compile(r":(\d{1,7})$")
_CODE = re.compile(rf"`(?P<ticked>[^`\n]{{1,200}})`|(?!{PRODUCTS})(?P<written>{WRITTEN})")
_NAME = re.compile(r"[A-Za-z_$][\w$]{1,99}")


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says beside its words."""

    title: str  # its first line
    places: tuple[tuple[str, int], ...]  # path as it is written and line (0: none), the last one first: a stack trace ends where it fails
    names: tuple[str, ...]  # each part of each name, in the order of the text, each once


def read_report(text: str) -> Report:
    """The text of a report -> `Report`. Never raises; of a long text the first `MOST_READ` characters are read."""
    title = next((line.strip("# \t*") for line in text.splitlines() if line.strip("# \t*")), text)
    start = text[:MOST_READ]
    places = [_place(found) for found in _PLACE.finditer(start)]
    names = [name for found in _CODE.finditer(start) for name in _NAME.findall(found["ticked"] or found["written"])]
    return Report(title, tuple(dict.fromkeys(reversed(places)))[:MOST_PLACES], tuple(dict.fromkeys(names))[:MOST_NAMES])


def _place(found: re.Match[str]) -> tuple[str, int]:
    written = (found["frame"] or found["path"]).replace("\\", "/")
    if found["frame"]:
        return written, int(found["line"])
    line = _LINE.search(written)
    return written.partition("::")[0].removesuffix(line[0] if line else ""), int(line[1]) if line else 0
