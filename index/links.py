"""The part `links` of a commit <-> that of an earlier one, and what is different since.

Most of it says what files had to look at, and what their calls pass: it is as large as all that follows from it, and of a small change
nearly all of it stays. What is different (`links.since`):

    was        i32[files]   the row that each file had in the earlier commit, -1: none
    fresh      i32          rows of the files of which some column is different
    numbers, linked         as in `links` (index.resolver.keep)
    <column>, <column>_offsets, <column>_files   of each column the rows that differ, and of which files they are
    moved_numbers i32, moved_offsets i64, moved_symbols i32
                            numbers of files whose symbols have moved, and the new one of each old symbol: for what other files lead to
    name_count i64[1], names_gone i32, names_fresh i32
                            how many names there are, which of the earlier ones are gone, and which there are now that were not: for `loose`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import field, some
from index.distinct import one_of
from index.spliced import Ints, Led, Spliced

Columns = Mapping[str, NDArray[Any]]
Rows = Mapping[int, NDArray[Any]]  # by row of a file, what a column has of it

_LEADING = ("edges", "late")  # columns whose second and third number are the file and the symbol that something leads to
_ENDING = "_offsets"


def names_of(links: Columns) -> list[str]:
    """The columns that have rows of files."""
    return [name for name in links if f"{name}{_ENDING}" in links]


def different_since(
    links: Columns,
    was: Ints,
    made: Mapping[str, Rows],
    moved: Mapping[int, Ints],
    renumbered: NDArray[np.int32],
    name_count: int,
    under: Columns,
    before: Callable[[str, int], NDArray[Any]],
) -> dict[str, NDArray[Any]]:
    """What `links` have otherwise than those below.

    was: of every file its row in the commit before. made: what is not as it was there, by column. moved: symbols of files there -> of
    now, by number. renumbered: its names -> those of now. under: what that commit has otherwise than what lies below it, nothing where
    it lies there itself. before: a column and a row of it -> what is there, moved to now.
    """
    found: dict[str, NDArray[Any]] = {"numbers": links["numbers"], "linked": links["linked"]}
    fresh: set[int] = set()
    there = was >= 0
    below = was.copy()
    if under:
        below[there] = under["was"][was[there]]
    found["was"] = below.astype(np.int32)
    for column in made:
        rows = dict(made[column])
        if under:
            has = np.zeros(len(under["was"]), bool)
            has[under[f"{column}_files"]] = True
            for row in np.flatnonzero(there & has[np.maximum(was, 0)]).tolist():
                if row not in rows:
                    rows[row] = before(column, int(was[row]))
        if column == "loose":  # which are the only ones that have been renumbered meanwhile
            offsets, now = links["loose_offsets"], made[column]
            rows = {row: now[row] if row in now else some(links, "loose", slice(int(offsets[row]), int(offsets[row + 1]))) for row in rows}
        files = sorted(rows)
        fresh.update(files)
        found[f"{column}_files"] = np.array(files, np.int32)
        found[f"{column}{_ENDING}"] = np.cumsum([0, *(len(rows[row]) for row in files)], dtype=np.int64)
        found[column] = np.concatenate([before(column, -1), *(rows[row] for row in files)])
    found["fresh"] = np.array(sorted(fresh), np.int32)
    tables = _tables(under) if under else {}
    tables = {number: _composed(table, moved.get(number)) for number, table in tables.items()}
    tables |= {number: table for number, table in moved.items() if number not in tables}
    numbers = links["numbers"]
    here = numbers[one_of(numbers, tables)].tolist()
    tables = {number: tables[number] for number in sorted(here) if _moves(tables[number])}
    found["moved_numbers"] = np.array(list(tables), np.int32)
    found["moved_offsets"] = np.cumsum([0, *map(len, tables.values())], dtype=np.int64)
    found["moved_symbols"] = np.concatenate([np.empty(0, np.int32), *tables.values()]).astype(np.int32)
    if under:
        renumbered = _composed(_renumbered(under), renumbered).astype(np.int32)
    is_fresh = np.ones(name_count, bool)
    is_fresh[renumbered[renumbered >= 0]] = False
    found["name_count"] = np.array([name_count], np.int64)
    found["names_gone"] = np.flatnonzero(renumbered < 0).astype(np.int32)
    found["names_fresh"] = np.flatnonzero(is_fresh).astype(np.int32)
    return found


def whole(base: Columns, since: Columns) -> Columns:
    """The part of an earlier commit and what is different -> that of now, each column when it is asked for."""
    made: dict[str, Rows] = {}
    for column in names_of(base):
        offsets, own = since[f"{column}{_ENDING}"].tolist(), since[column]
        made[column] = {row: own[offsets[at] : offsets[at + 1]] for at, row in enumerate(since[f"{column}_files"].tolist())}
    more = {name: since[name] for name in ("numbers", "linked")}
    below = Led(base, {name: _led(base, name, since) for name in _LEADING}, _renumbered(since))
    return Spliced(below, since["was"].astype(np.int64), made, more)


def _tables(since: Columns) -> dict[int, Ints]:
    """By number of a file, the new symbol of each old one."""
    offsets, symbols = since["moved_offsets"].tolist(), since["moved_symbols"].astype(np.int64)
    return {number: symbols[offsets[at] : offsets[at + 1]] for at, number in enumerate(since["moved_numbers"].tolist())}


def _composed(first: NDArray[Any], then: NDArray[Any] | None) -> Ints:
    """One table after another; -1 stays."""
    if then is None:
        return first.astype(np.int64)
    return np.where(first >= 0, then[np.maximum(first, 0)], -1).astype(np.int64) if len(then) else np.full(len(first), -1, np.int64)


def _moves(table: Ints) -> bool:
    return not np.array_equal(table, np.arange(len(table)))


def _led(base: Columns, name: str, since: Columns) -> tuple[Ints, NDArray[np.int32]]:
    """Rows of a table that lead to symbols which are numbered otherwise now, and how."""
    numbers = since["moved_numbers"]
    if not len(numbers):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    files = field(base, name, 1)
    touched = np.flatnonzero(one_of(files, numbers.astype(np.int64)))
    at = np.searchsorted(numbers, files[touched])
    place = since["moved_offsets"][at] + field(base, name, 2)[touched]
    inside = place < since["moved_offsets"][at + 1]
    symbols = np.append(since["moved_symbols"], np.int32(-1))
    return touched, symbols[np.where(inside, place, -1)]


def _renumbered(since: Columns) -> NDArray[np.int32]:
    """The row of each name of the earlier commit now, -1: gone."""
    is_fresh = np.zeros(int(since["name_count"][0]), bool)
    is_fresh[since["names_fresh"]] = True
    now = np.flatnonzero(~is_fresh)
    found = np.full(len(now) + len(since["names_gone"]), -1, np.int32)
    stays = np.ones(len(found), bool)
    stays[since["names_gone"]] = False
    found[stays] = now
    return found
