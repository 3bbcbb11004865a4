"""Long lists -> the part that is shown, fairly chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import TypeVar

Row = TypeVar("Row")


def breadth_first(rows: Sequence[Row], package: Callable[[Row], str], limit: int) -> list[Row]:
    """At most `limit` rows, one of each package in turn, so that every package shows before any shows twice. The packages stand in the
    order of their first rows; what is chosen keeps the order of `rows`."""
    if len(rows) <= limit:
        return list(rows)
    by_package: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        by_package.setdefault(package(row), []).append(at)
    turns = chain.from_iterable(zip_longest(*by_package.values()))
    chosen = [at for at in turns if at is not None][:limit]
    return [rows[at] for at in sorted(chosen)]


def counted(count: int, one: str, many: str = "") -> str:
    """`1 test`, `2 tests`, `1,200 packages`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shown_of(shown: int, total: int) -> str:
    """`9`, or `5 of 12` where some are left out."""
    return f"{total:,}" if shown >= total else f"{shown:,} of {total:,}"


def lines_of(numbers: Iterable[int], limit: int = 6) -> str:
    """Line numbers in order: `41, 50 and 3 more`."""
    ordered = sorted(set(numbers))
    if len(ordered) <= limit:
        return ", ".join(map(str, ordered))
    return f"{', '.join(map(str, ordered[:limit]))} and {len(ordered) - limit} more"
