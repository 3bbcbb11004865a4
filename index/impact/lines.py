"""Changed line spans of one file -> where a line of one side stands on the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]  # first line, last line; an empty span between lines n and n+1 is (n+1, n)


@dataclass(frozen=True, slots=True)
class LineMap:
    """Spans come in pairs: `old[i]` was replaced by `new[i]`. What lies between them is the same on both sides."""

    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()

    def forward(self, line: int) -> int | None:
        """A line of the old side -> the same line on the new side; None where the diff replaced or removed it."""
        return _across(self.old, self.new, line)

    def backward(self, line: int) -> int | None:
        return _across(self.new, self.old, line)


def _across(here: Sequence[Span], there: Sequence[Span], line: int) -> int | None:
    at = bisect_right(here, line, key=lambda span: span[0]) - 1
    if at < 0:
        return line
    if line <= here[at][1]:
        return None
    return line - here[at][1] + there[at][1]


def touches(spans: Sequence[Span], first: int, last: int) -> bool:
    """Does any span (sorted) meet the lines first..last? An empty span does where the lines on both of its sides are among them."""
    for start, end in spans:
        if start > last:
            return False
        if end >= first and (start <= end or first <= end):
            return True
    return False
