"""Rows of several values each, and which of them are different in the next commit -> those of that commit."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.at_rest import Fields, field, some, where
from index.distinct import distinct, one_of

Columns = Mapping[str, NDArray[Any]]
Ints = NDArray[np.int64]


class Late(Mapping[str, NDArray[Any]]):
    """Columns, each made when it is first asked for. Two threads that meet here do the same work twice, no more."""

    def __init__(self, makers: Mapping[str, Callable[[], NDArray[Any]]]) -> None:
        self._makers = makers
        self._made: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = self._makers[name]()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Spliced(Late, Fields):
    """Columns of which each file has several rows, from those of another commit and what is different: whole, or some of it, which costs
    as much as it is long."""

    def __init__(self, base: Columns, was: Ints, made: Mapping[str, Mapping[int, NDArray[Any]]], more: Mapping[str, NDArray[Any]]) -> None:
        """base: the other commit's. was: of every file its row there, -1: none. made: by column, what is different, by row of the file.
        more: columns that are there."""
        self._columns = {name: _Column(base, name, was, its) for name, its in made.items()}
        makers: dict[str, Callable[[], NDArray[Any]]] = {}
        for name, column in self._columns.items():
            makers[name] = column.whole
            makers[f"{name}_offsets"] = column.offsets
        for name, values in more.items():
            makers[name] = functools.partial(_itself, values)
        super().__init__(makers)

    def field(self, name: str, number: int, rows: Ints | None = None) -> NDArray[Any]:
        column = self._columns.get(name)
        if name in self._made or column is None:
            made: NDArray[Any] = self[name][:, number]
            return made if rows is None else made[rows]
        return column.field(number) if rows is None else column.some(rows, number)

    def some(self, name: str, rows: Ints | slice) -> NDArray[Any]:
        column = self._columns.get(name)
        if name in self._made or column is None:
            made: NDArray[Any] = self[name][rows]
            return made
        return column.some(rows)

    def where(self, name: str, number: int, wanted: Collection[int]) -> Ints:
        column = self._columns.get(name)
        return super().where(name, number, wanted) if name in self._made or column is None else column.where(number, wanted)


def _itself(values: NDArray[Any]) -> NDArray[Any]:
    return values


class _Column:
    """A column of `Spliced`: pieces of the other commit's, and of its own, in the order of the files."""

    def __init__(self, base: Columns, name: str, was: Ints, made: Mapping[int, NDArray[Any]]) -> None:
        self._base, self._name, self._was, self._made = base, name, was, made

    @functools.cached_property
    def _pieces(self) -> tuple[Ints, list[tuple[int, int, NDArray[Any] | None]]]:
        """Where the rows of each file begin; and of each piece where it begins here and, if it is the other commit's, there."""
        begins = self._base[f"{self._name}_offsets"]
        source = self._was.copy()
        if self._made:
            source[list(self._made)] = -1
        lengths = np.zeros(len(source), np.int64)
        taken = source >= 0
        lengths[taken] = np.diff(begins)[source[taken]]
        for row, its in self._made.items():
            lengths[row] = len(its)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        pieces: list[tuple[int, int, NDArray[Any] | None]] = [(int(offsets[row]), 0, its) for row, its in self._made.items() if len(its)]
        for a, b in row_runs(source):
            if offsets[b] > offsets[a]:
                pieces.append((int(offsets[a]), int(begins[source[a]]), None))
        pieces.sort(key=lambda piece: piece[0])
        return offsets, pieces

    @functools.cached_property
    def _arrays(self) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """The pieces: where they begin here, and there, and whether they are its own."""
        pieces = self._pieces[1]
        begins, theres = (np.array([piece[at] for piece in pieces], np.int64) for at in (0, 1))
        return begins, theres, np.array([own is not None for _, _, own in pieces])

    def offsets(self) -> Ints:
        return self._pieces[0]

    def whole(self) -> NDArray[Any]:
        """Never a view: the other commit's may be a file's, which are read-only."""
        return self._joined(self._base[self._name], lambda its: its)

    def field(self, number: int) -> NDArray[Any]:
        return self._joined(field(self._base, self._name, number), lambda its: its[:, number])

    def _joined(self, values: NDArray[Any], of: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        offsets, pieces = self._pieces
        if not pieces:
            return values[:0].copy()
        ends = [*(begin for begin, _, _ in pieces[1:]), int(offsets[-1])]
        found = [
            of(own) if own is not None else values[there : there + end - begin]
            for (begin, there, own), end in zip(pieces, ends, strict=True)
        ]
        return np.concatenate(found)

    def some(self, rows: Ints | slice, number: int | None = None) -> NDArray[Any]:
        """number: of a table only that column."""
        offsets, pieces = self._pieces

        def theirs(places: Ints) -> NDArray[Any]:
            return some(self._base, self._name, places) if number is None else field(self._base, self._name, number, places)

        if not pieces:
            return theirs(np.empty(0, np.int64))
        begins, theres, own_piece = self._arrays
        if isinstance(rows, slice) and number is None:
            at = max(int(np.searchsorted(begins, rows.start, "right")) - 1, 0)
            begin, there, own = pieces[at]
            if begin <= rows.start <= rows.stop <= int(begins[at + 1] if at + 1 < len(pieces) else offsets[-1]):
                its = slice(rows.start - begin + there, rows.stop - begin + there)
                return own[its] if own is not None else some(self._base, self._name, its)
        asked = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        piece = np.searchsorted(begins, asked, "right") - 1
        is_own = own_piece[piece]
        place = asked - begins[piece] + theres[piece]
        old = theirs(place[~is_own])
        found = np.empty((len(asked), *old.shape[1:]), old.dtype)
        found[~is_own] = old
        for at in distinct(piece[is_own]).tolist():
            own = pieces[at][2]
            if own is not None:
                its = piece == at
                found[its] = own[place[its]] if number is None else own[place[its], number]
        return found

    def where(self, number: int, wanted: Collection[int]) -> Ints:
        pieces = self._pieces[1]
        found = [begin + np.flatnonzero(one_of(own[:, number], wanted)) for begin, _, own in pieces if own is not None]
        taken = [(begin, there) for begin, there, own in pieces if own is None]
        if taken:
            begins, theres = np.array(taken, np.int64).T
            offsets = self._pieces[0]
            after = np.append([begin for begin, _, _ in pieces[1:]], offsets[-1])[[own is None for _, _, own in pieces]]
            theirs = where(self._base, self._name, number, wanted)
            piece = np.searchsorted(theres, theirs, "right") - 1  # those of the other commit rise too
            rows = theirs - theres[piece] + begins[piece]
            found.append(rows[(piece >= 0) & (rows < after[piece])])
        return np.sort(np.concatenate([np.empty(0, np.int64), *found]))


class Led(Fields):
    """Columns of links of another commit, in which symbols and names are numbered as they are now.

    targets: by name of a table, the rows of it that lead to another symbol now, and to which, its third number. names: the row of each of
    that commit's names now, for the last number of `loose`; None as long as that is not known."""

    def __init__(
        self, columns: Columns, targets: Mapping[str, tuple[Ints, NDArray[np.int32]]], names: NDArray[np.int32] | None = None
    ) -> None:
        self._columns, self.names = columns, names
        self.targets = {name: its for name, its in targets.items() if len(its[0])}
        self._made: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name == "loose":
            return self._renamed(self._columns[name])
        if name not in self.targets:
            return self._columns[name]
        found = self._made.get(name)
        if found is None:
            rows, symbols = self.targets[name]
            found = self._made[name] = self._columns[name].copy()
            found[rows, 2] = symbols
        return found

    def field(self, name: str, number: int, rows: Ints | None = None) -> NDArray[Any]:
        found = field(self._columns, name, number, rows)
        if number == 2 and name in self.targets:
            return self._led(found, name, rows)
        return self.names[found] if self.names is not None and (name, number) == ("loose", 4) else found

    def some(self, name: str, rows: Ints | slice) -> NDArray[Any]:
        found = some(self._columns, name, rows)
        if name == "loose":
            return self._renamed(found)
        if name in self.targets:
            found = found.copy()
            found[:, 2] = self._led(found[:, 2], name, np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows)
        return found

    def _led(self, found: NDArray[Any], name: str, rows: Ints | None) -> NDArray[Any]:
        """What rows of a table, or all, lead to now. found: what they led to."""
        places, symbols = self.targets[name]
        made: NDArray[Any] = found.copy()
        if rows is None:
            made[places] = symbols
        else:
            at = np.minimum(np.searchsorted(places, rows), len(places) - 1)
            moved = places[at] == rows
            made[moved] = symbols[at[moved]]
        return made

    def where(self, name: str, number: int, wanted: Collection[int]) -> Ints:
        is_other = (number == 2 and name in self.targets) or (name, number) == ("loose", 4)
        return super().where(name, number, wanted) if is_other else where(self._columns, name, number, wanted)

    def _renamed(self, loose: NDArray[Any]) -> NDArray[Any]:
        if self.names is None:
            return loose
        found = loose.copy()
        found[:, 4] = self.names[loose[:, 4]]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def ragged(values: NDArray[Any], offsets: Ints, old: Ints, made: Mapping[int, NDArray[Any]]) -> tuple[NDArray[Any], Ints]:
    """Rows of several values each -> the same for other rows: those of row `old[r]` for row r, unless `made[r]` is there; none for -1."""
    source = old.copy()
    if made:
        source[list(made)] = -1
    lengths = np.zeros(len(old), np.int64)
    taken = source >= 0
    lengths[taken] = np.diff(offsets)[source[taken]]
    pieces: list[tuple[int, NDArray[Any]]] = [(row, its) for row, its in made.items() if len(its)]
    for row, its in pieces:
        lengths[row] = len(its)
    pieces += [(a, values[int(offsets[source[a]]) : int(offsets[source[b - 1] + 1])]) for a, b in row_runs(source)]
    pieces.sort(key=lambda piece: piece[0])
    whole = np.concatenate([its for _, its in pieces]) if pieces else values[:0].copy()  # the old ones may be a file's, which are read-only
    return whole, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def row_runs(kept: Ints) -> Iterator[tuple[int, int]]:
    """Rows whose old rows follow each other -> (first, last + 1) of each run."""
    rows = np.flatnonzero(kept >= 0)
    if not len(rows):
        return
    breaks = np.flatnonzero((np.diff(rows) != 1) | (np.diff(kept[rows]) != 1)) + 1
    for a, b in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
        yield int(rows[a]), int(rows[b - 1]) + 1
