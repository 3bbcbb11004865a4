"""Columns of a part <-> the fewer bytes that they take on the disk, and single lists and rows out of these without the rest.

Most numbers of an index are small, or close to the one before: lines, columns, rows of a table that is sorted. How a column is stored
follows from its name and its numbers, so the same columns make the same bytes, and is written down in a `Recipe`:

    as it is   `name` itself: hashes, letters, floats, and whatever is small or gains nothing
    narrow     numbers less a lowest one, in one or two bytes each (`name|n`); those that do not fit stand apart, with their places
               (`name|v`, `name|p`). `steps`: not of the numbers, but of the differences from one to the next
    table      of two dimensions: each of its columns by itself (`name|0`, `name|1`, ...)
    lists      rising lists one after the other, cut by another column (`LISTS`): the differences within a list, in as many bytes as each
               needs (`name|data`); how many that are, in one or two bits each (`name|widths`); the bytes of each list (`name|sizes`)
    squeezed   text (`TEXTS`), as zstd frames (`name|z`), each of so many bytes of it, and where each begins and the last one ends
               (`name|at`)

Arithmetic is modulo the size of the numbers, so that whatever they are, they come back. A column is made again when it is first asked for,
and `lists_of`, `some` and `where` make those lists and rows alone that are wanted: they cost their own length, not that of the index.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from index.distinct import grouped, one_of
from index.errors import SnapshotDamaged
from index.slices import gathered, ranges

Columns = Mapping[str, NDArray[Any]]
Recipe = dict[str, dict[str, Any]]  # by name of a column: {"as": how, "dtype": ..., "shape": [...], ...}
Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Made = TypeVar("Made")

LISTS = {"word_at": "word_starts", "gram_buckets": "gram_starts", "part_words": "part_starts"}  # a column -> where its lists begin
TEXTS = frozenset({"passed", "late_passed", "solved", "json"})
SMALLEST = 1_024  # bytes; below it a recipe would be larger than what it saves
GAIN = 0.9  # of its bytes: what takes more is kept as it is, which costs nothing to open
MOST_COLUMNS = 8  # of a table; what is wider is a matrix
LEVEL = 1  # of zstd; level 3 saves 4 % of what it is used for
MOST_BYTES = 1 << 32  # of one column
MOST_GROWTH, FREE_GROWTH = 256, 1 << 24  # a text is squeezed to no less than a 256th, unless it has at most 16 MB: no frame is a bomb
TEXT_FRAME = 1 << 14  # bytes of a text in one frame: a line or two of it are mostly all that is wanted
AT_ONCE = 1 << 16  # bytes of widths that are looked at together, to stay in the cache
ASKING = 4_000  # numbers of a whole column that are made in the time it takes to ask for a list
BLOCK = 256  # steps that are added up to know one number
BLOCK_COSTS = 6  # times as much as the same numbers where all are made
PADDING = 4  # bytes after the last list: numbers are read four bytes at a time
_MARK = "|"
_HEADROOM = 4  # bytes of a place among numbers that do not fit


# to the disk


def packed(columns: Columns) -> tuple[dict[str, NDArray[Any]], Recipe]:
    """Columns of any shape and plain dtype -> the arrays that are stored, and how to make the columns of them."""
    stored: dict[str, NDArray[Any]] = {}
    recipe: Recipe = {}
    may_pack = not any(_MARK in name for name in columns)
    for name in sorted(columns):
        column = np.asarray(columns[name])
        if may_pack:
            _pack(name, column, columns.get(LISTS.get(name, "")), stored, recipe)
        else:
            stored[name] = column
    return stored, recipe


def _pack(name: str, column: NDArray[Any], starts: NDArray[Any] | None, stored: dict[str, NDArray[Any]], recipe: Recipe) -> None:
    made: dict[str, Any] | None = None
    is_number = column.dtype.kind in "iu" and column.dtype.itemsize > 1 and column.dtype != np.uint64  # those are hashes and bits
    if column.nbytes < SMALLEST:
        pass
    elif name in TEXTS and column.dtype == np.uint8:
        squeeze, text = zstandard.ZstdCompressor(level=LEVEL, write_checksum=False).compress, memoryview(column.tobytes())
        frames = [squeeze(text[at : at + TEXT_FRAME]) for at in range(0, len(text), TEXT_FRAME)]
        places = np.cumsum([0, *map(len, frames)], dtype=np.int64)
        if column.nbytes <= _most_text(int(places[-1])):
            made = {"as": "squeezed"}
            stored[f"{name}|z"], stored[f"{name}|at"] = np.frombuffer(b"".join(frames), np.uint8), places
    elif starts is not None and column.dtype in (np.uint16, np.uint32) and _cuts(starts, len(column)):
        made = {"as": "lists"}
        stored[f"{name}|data"], stored[f"{name}|widths"], sizes = _lists(column, starts.astype(np.int64))
        _pack(f"{name}|sizes", sizes, None, stored, recipe)
    elif is_number and column.ndim == 2 and 1 < column.shape[1] <= MOST_COLUMNS:
        made = {"as": "table"}
        for number in range(column.shape[1]):
            _pack(f"{name}|{number}", np.ascontiguousarray(column[:, number]), None, stored, recipe)
    elif is_number and column.ndim == 1:
        made = _narrow(name, column, stored)
    if made is None:
        stored[name] = column
    else:
        recipe[name] = made | {"dtype": column.dtype.str, "shape": list(column.shape)}


def _most_text(frame: int) -> int:
    """How long a text may be that is squeezed to so many bytes."""
    return max(FREE_GROWTH, MOST_GROWTH * frame)


def _cuts(starts: NDArray[Any], size: int) -> bool:
    """Whether these are the starts of lists that follow each other to the end of so many numbers."""
    return len(starts) > 1 and int(starts[0]) == 0 and int(starts[-1]) == size and bool((starts[1:] >= starts[:-1]).all())


def _narrow(name: str, column: NDArray[Any], stored: dict[str, NDArray[Any]]) -> dict[str, Any] | None:
    """The way that takes the fewest bytes; None where none takes few enough."""
    unsigned = np.dtype(f"u{column.dtype.itemsize}")
    numbers = column.view(unsigned)
    lowest = int(column.min())
    plain = numbers - np.asarray(lowest, column.dtype).view(unsigned)
    ways = [("plain", lowest, plain)]
    if int(plain.max()) > 0xFF:
        steps = numbers.copy()
        np.subtract(numbers[1:], numbers[:-1], out=steps[1:])
        signed = steps[1:].view(column.dtype.str.replace("u", "i"))
        low, high = int(signed.min()), int(signed.max())
        low = low if low < 0 and high - low <= 0xFF else 0
        ways.append(("steps", low, steps - np.asarray(low, signed.dtype).view(unsigned)))
    best: tuple[float, int, str, int, NDArray[Any]] | None = None
    for width in (1, 2):
        for way, low, values in ways if width < column.dtype.itemsize else ():
            apart = len(values) - int(np.count_nonzero(values < (1 << 8 * width)))
            cost = len(values) * width + apart * (_HEADROOM + column.dtype.itemsize)
            if best is None or cost < best[0]:
                best = cost, width, way, low, values
    if best is None or best[0] > GAIN * column.nbytes:
        return None
    _, width, way, low, values = best
    places = np.flatnonzero(values >= (1 << 8 * width))
    stored[f"{name}|n"] = values.astype(f"u{width}")
    stored[f"{name}|n"][places] = 0
    if len(places):
        stored[f"{name}|p"], stored[f"{name}|v"] = places.astype(np.uint32), values[places]
    return {"as": "narrow", "steps": way == "steps", "low": low}


def _lists(column: NDArray[Any], starts: Longs) -> tuple[Bytes, Bytes, NDArray[np.uint32]]:
    """Rising lists -> bytes of the differences, how many each takes (less one), and how many each list takes."""
    size, width = len(column), column.dtype.itemsize
    steps = column.copy()
    np.subtract(column[1:], column[:-1], out=steps[1:])
    filled = starts[:-1][starts[1:] > starts[:-1]]
    steps[filled] = column[filled]  # each list begins anew
    widths = np.zeros(-(-size // 8) * 8, np.uint8)
    of_width = np.array([[byte <= more for byte in range(width)] for more in range(width)]).view(column.dtype)[:, 0]
    pieces = [np.empty(0, np.uint8)]
    for at in range(0, size, AT_ONCE):
        some = steps[at : at + AT_ONCE]
        taken = widths[at : at + len(some)]
        for more in range(1, width):
            taken += (some >= (1 << 8 * more)).view(np.uint8)  # bools are made numbers by and by
        # `compress` takes a third of the time of an index of bools, where these change from byte to byte.
        pieces.append(some.astype(f"<u{width}", copy=False).view(np.uint8).compress(of_width.take(taken).view(bool)))
    sizes = np.zeros(len(starts) - 1, np.uint32)
    if len(filled):
        sizes[starts[1:] > starts[:-1]] = np.add.reduceat(widths[:size], filled, dtype=np.uint32) + np.diff(filled, append=size)
    pieces.append(np.zeros(PADDING, np.uint8))
    if width == 2:
        return np.concatenate(pieces), np.packbits(widths, bitorder="little"), sizes
    fours = widths.reshape(-1, 4)
    joined = np.asarray(fours[:, 0] | fours[:, 1] << 2 | fours[:, 2] << 4 | fours[:, 3] << 6, np.uint8)
    return np.concatenate(pieces), joined, sizes


@functools.cache
def _width_table(width: int) -> Bytes:
    """A byte of widths -> how many bytes each of its numbers takes, [256, numbers]."""
    byte = np.arange(256)[:, None]
    widths = byte >> np.arange(8) & 1 if width == 2 else byte >> np.arange(0, 8, 2) & 3
    return (widths + 1).astype(np.uint8)


# and back


def lists_of(columns: Columns, name: str, rows: Longs) -> NDArray[Any]:
    """Some lists of a column of `LISTS`, one after the other, from a part that is in the memory or on the disk. Raises SnapshotDamaged."""
    found = columns.lists(name, rows) if isinstance(columns, Lists) else None
    if found is not None:
        return found
    starts = columns[LISTS[name]]
    if len(rows) == 1:
        one: NDArray[Any] = columns[name][int(starts[rows[0]]) : int(starts[rows[0] + 1])]
        return one
    first = starts[rows].astype(np.int64)
    return gathered(columns[name], first, starts[rows + 1].astype(np.int64) - first)


class Lists(Mapping[str, NDArray[Any]]):
    """Columns of which single lists can be made without the others, as long as few are asked for."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}

    def enough(self, name: str, size: int, wanted: int) -> bool:
        """`wanted` numbers of a column of `size` are asked for. Were so many before that making all of it would have been as quick?"""
        before = self._asked.get(name, 0)
        self._asked[name] = before + ASKING + wanted
        return before > size

    def lists(self, name: str, rows: Longs) -> NDArray[Any] | None:
        """Of a column of lists those of these rows, one after the other; None where the column is there as it is, and slices of it cost
        nothing. Raises IndexError for rows that are none."""
        raise NotImplementedError


class Fields(Mapping[str, NDArray[Any]]):
    """Columns that need not be made whole: single columns of a table, or some rows of any."""

    def field(self, name: str, number: int, rows: Longs | None = None) -> NDArray[Any]:
        """One column of a table, or some rows of it."""
        raise NotImplementedError

    def some(self, name: str, rows: Longs | slice) -> NDArray[Any]:
        """Rows of a table, or of any other column."""
        raise NotImplementedError

    def where(self, name: str, number: int, wanted: Collection[int]) -> Longs:
        """Rows of a table in which one of its columns is any of some numbers, rising."""
        return np.flatnonzero(one_of(self.field(name, number), wanted))


def field(columns: Columns, name: str, number: int, rows: Longs | None = None) -> NDArray[Any]:
    """One column of a table, or some rows of it, from a part that is in the memory or on the disk. Raises SnapshotDamaged."""
    if isinstance(columns, Fields):
        return columns.field(name, number, rows)
    return columns[name][:, number] if rows is None else columns[name][rows, number]


def some(columns: Columns, name: str, rows: Longs | slice) -> NDArray[Any]:
    """Rows of a column, likewise."""
    return columns.some(name, rows) if isinstance(columns, Fields) else columns[name][rows]


def where(columns: Columns, name: str, number: int, wanted: Collection[int]) -> Longs:
    """Rows of a table in which one of its columns is any of some numbers, likewise."""
    return columns.where(name, number, wanted) if isinstance(columns, Fields) else np.flatnonzero(one_of(columns[name][:, number], wanted))


class Opened(Lists, Fields):
    """The columns of a part that lies on the disk, read-only; each is made when it is first asked for.

    stored: arrays as they are there. check: called with the name of each before it is first used, raises ValueError. shown: names the file
    in errors, which are SnapshotDamaged where arrays and recipe do not fit together. Two threads that meet here do the same work twice.
    """

    def __init__(self, stored: Columns, recipe: Recipe, shown: str, check: Callable[[str], None] = lambda name: None) -> None:
        super().__init__()
        self._stored, self._recipe, self._shown, self._check = stored, recipe, shown, check
        self._names = sorted({*(name for name in stored if _top(name) not in recipe), *(name for name in recipe if name == _top(name))})
        self._made: dict[str, NDArray[Any]] = {}
        self._fields: dict[str, NDArray[Any]] = {}  # single columns of tables
        self._offsets: dict[str, Longs] = {}
        self._known: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {}  # what the recipe says of columns, checked
        self._before: dict[str, NDArray[Any]] = {}  # of numbers that are kept as steps, the one before each block
        self._frame: dict[str, tuple[int, bytes]] = {}  # of texts the frame read last: what is asked for next is mostly in it too

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._made.get(name)
        if found is None:
            if name not in self._names:
                raise KeyError(name)
            found = self._guarded(lambda: self._column(name))
            found.flags.writeable = False
            self._made[name] = found
        return found

    def stored_bytes(self, name: str) -> int:
        """What a column takes on the disk."""
        return sum(array.nbytes for one, array in self._stored.items() if one == name or one.startswith(name + _MARK))

    def lists(self, name: str, rows: Longs) -> NDArray[Any] | None:
        if name in self._made or self._recipe.get(name, {}).get("as") != "lists":
            return None
        starts = self[LISTS[name]]
        first = starts[rows].astype(np.int64)
        counts = starts[rows + 1].astype(np.int64) - first
        if self.enough(name, int(starts[-1]), int(counts.sum())):
            return None
        return self._guarded(lambda: self._some_lists(name, rows, first, counts))

    def field(self, name: str, number: int, rows: Longs | None = None) -> NDArray[Any]:
        if not self._is_table(name):
            made: NDArray[Any] = self[name][:, number]
            return made if rows is None else made[rows]
        if rows is not None:
            return self._guarded(lambda: self._some_of_field(name, number, rows))
        stored = f"{name}|{number}"
        found = self._fields.get(stored)
        if found is None:
            found = self._guarded(lambda: self._field(name, number))
            found.flags.writeable = False
            self._fields[stored] = found
        return found

    def some(self, name: str, rows: Longs | slice) -> NDArray[Any]:
        if self._is_table(name):
            return self._guarded(lambda: self._some_rows(name, rows))
        how = None if name in self._made else self._recipe.get(name, {}).get("as")
        found: NDArray[Any] | None = None
        if how == "narrow":
            found = self._guarded(lambda: self._some_of(name, rows))
        elif how == "squeezed" and isinstance(rows, slice):
            size = math.prod(self._guarded(lambda: self._said(name))[1])
            first, last, _ = rows.indices(size)
            is_at_hand = name in self._frame and first // TEXT_FRAME == (last - 1) // TEXT_FRAME == self._frame[name][0]
            if is_at_hand or not self.enough(name, size, TEXT_FRAME + last - first):
                found = self._guarded(lambda: self._some_text(name, first, max(first, last)))
        return self[name][rows] if found is None else found

    def where(self, name: str, number: int, wanted: Collection[int]) -> Longs:
        stored = f"{name}|{number}"
        how = self._recipe.get(stored, {})
        if not self._is_table(name) or stored in self._fields or how.get("as") != "narrow" or how["steps"]:
            return super().where(name, number, wanted)
        return self._guarded(lambda: self._where(name, stored, wanted))

    def _where(self, name: str, stored: str, wanted: Collection[int]) -> Longs:
        """The same of a narrow column: a fourth of the bytes is looked at."""
        dtype, shape = self._said(stored)
        narrow = self._array(f"{stored}|n")
        if narrow.shape != shape or narrow.dtype.kind != "u" or shape != self._said(name)[1][:1]:
            raise ValueError(f"column {name} is not as long as it should be")
        low, size = int(self._recipe[stored]["low"]), 1 << 8 * dtype.itemsize
        kept = [(one - low) % size for one in wanted]
        found = one_of(narrow, [one for one in kept if one < 1 << 8 * narrow.itemsize])
        if f"{stored}|p" in self._stored:
            found[self._array(f"{stored}|p")] = one_of(self._array(f"{stored}|v"), np.array(kept, f"u{dtype.itemsize}"))
        return np.flatnonzero(found)

    def _is_table(self, name: str) -> bool:
        """Whether it is a table that has not been made yet."""
        return name not in self._made and self._recipe.get(name, {}).get("as") == "table"

    def _some_rows(self, name: str, rows: Longs | slice) -> NDArray[Any]:
        dtype, shape = self._said(name)
        if not isinstance(rows, slice) and not len(rows):
            return np.empty((0, *shape[1:]), dtype)
        return np.stack([self._some_of_field(name, number, rows) for number in range(shape[1])], 1)

    def _field(self, name: str, number: int) -> NDArray[Any]:
        column = self._column(f"{name}|{number}")
        if column.shape != self._said(name)[1][:1]:
            raise ValueError(f"column {name} is not as long as it should be")
        return column

    def _some_of_field(self, name: str, number: int, rows: Longs | slice) -> NDArray[Any]:
        stored, found = f"{name}|{number}", None
        if self._recipe.get(stored, {}).get("as") == "narrow" and stored not in self._fields:
            if self._said(stored)[1] != self._said(name)[1][:1]:
                raise ValueError(f"column {name} is not as long as it should be")
            found = self._some_of(stored, rows)
        return self.field(name, number)[rows] if found is None else found

    def _some_of(self, name: str, rows: Longs | slice) -> NDArray[Any] | None:
        """Numbers of a narrow column; of steps only those in the blocks of these rows are added up. None where all are made as quickly."""
        dtype, shape = self._said(name)
        narrow = self._array(f"{name}|n")
        if narrow.shape != shape or narrow.dtype.kind != "u":
            raise ValueError(f"column {name} is not as long as it should be")
        if isinstance(rows, slice):
            first, last, _ = rows.indices(len(narrow))
            return (
                None if self.enough(name, len(narrow), last - first) else self._slice_of(name, narrow, first, max(first, last)).view(dtype)
            )
        if not len(rows):
            return np.empty(0, dtype)
        asked = rows.astype(np.int64, copy=False)
        if not 0 <= asked.min() <= asked.max() < len(narrow):
            raise ValueError(f"column {name} has no such rows")
        if not self._recipe[name]["steps"]:
            return None if self.enough(name, len(narrow), len(asked)) else self._widened(name, narrow, asked).view(dtype)
        blocks, block = grouped(asked // BLOCK)
        work = BLOCK_COSTS * len(blocks) * BLOCK
        if self.enough(name, len(narrow), work) or work > len(narrow):
            return None
        before = self._before_blocks(name, narrow)
        at = np.minimum(blocks[:, None] * BLOCK + np.arange(BLOCK), len(narrow) - 1)  # nothing is asked of what comes after the last one
        steps = self._widened(name, narrow, at.reshape(-1)).reshape(at.shape)
        numbers = np.cumsum(steps, axis=1, dtype=steps.dtype) + before[blocks][:, None]
        found: NDArray[Any] = numbers[block, asked % BLOCK].view(dtype)
        return found

    def _widened(self, name: str, narrow: NDArray[Any], rows: Longs) -> NDArray[Any]:
        """Some numbers of a narrow column, or the steps to them, unsigned."""
        unsigned = np.dtype(f"u{self._said(name)[0].itemsize}")
        found: NDArray[Any] = narrow[rows].astype(unsigned)
        if f"{name}|p" in self._stored and len(found):
            apart, values = self._array(f"{name}|p"), self._array(f"{name}|v")
            at = np.minimum(np.searchsorted(apart, rows.astype(apart.dtype)), len(apart) - 1)
            theirs = apart[at] == rows
            found[theirs] = values[at[theirs]]
        found += np.asarray(int(self._recipe[name]["low"]), np.int64).astype(unsigned)
        return found

    def _slice_of(self, name: str, narrow: NDArray[Any], first: int, last: int) -> NDArray[Any]:
        """The same of rows that follow each other."""
        how = self._recipe[name]
        begin = first - first % BLOCK if how["steps"] else first
        found: NDArray[Any] = narrow[begin:last].astype(f"u{self._said(name)[0].itemsize}")
        if f"{name}|p" in self._stored:
            apart = self._array(f"{name}|p")
            here = slice(*np.searchsorted(apart, np.array([begin, last], apart.dtype)).tolist())
            found[apart[here] - begin] = self._array(f"{name}|v")[here]
        if low := int(how["low"]):
            found += np.asarray(low, np.int64).astype(found.dtype)
        if how["steps"] and len(found):
            np.cumsum(found, dtype=found.dtype, out=found)
            found += self._before_blocks(name, narrow)[begin // BLOCK]
        return found[first - begin :]

    def _before_blocks(self, name: str, narrow: NDArray[Any]) -> NDArray[Any]:
        """Of numbers that are kept as steps the one before each block."""
        found = self._before.get(name)
        if found is None:
            found = self._before[name] = self._made_before_blocks(name, narrow)
        return found

    def _made_before_blocks(self, name: str, narrow: NDArray[Any]) -> NDArray[Any]:
        unsigned = np.dtype(f"u{self._said(name)[0].itemsize}")
        full = len(narrow) // BLOCK
        sums = np.zeros(-(-len(narrow) // BLOCK), unsigned)
        # `reduceat` would make all of them as wide as their sums first.
        np.einsum("ij->i", narrow[: full * BLOCK].reshape(full, BLOCK), dtype=unsigned, out=sums[:full])
        sums[full:] = narrow[full * BLOCK :].sum(dtype=unsigned)
        if f"{name}|p" in self._stored:  # in whose place among the narrow ones is nothing
            np.add.at(sums, self._array(f"{name}|p") // BLOCK, self._array(f"{name}|v"))
        sums += np.asarray(int(self._recipe[name]["low"]) * BLOCK, np.int64).astype(unsigned)
        found = np.zeros(len(sums), unsigned)
        np.cumsum(sums[:-1], dtype=unsigned, out=found[1:])
        return found

    def _guarded(self, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except (KeyError, ValueError, TypeError, IndexError, OverflowError, MemoryError, zstandard.ZstdError) as error:
            raise SnapshotDamaged(f"{self._shown} holds what can't be read ({error}): the index has to be built anew.") from error

    def _array(self, name: str) -> NDArray[Any]:
        self._check(name)
        return self._stored[name]

    def _column(self, name: str) -> NDArray[Any]:
        how = self._recipe.get(name)
        if how is None:
            return self._array(name)
        dtype, shape = self._said(name)
        made = self._makers[how["as"]](self, name, how, dtype, math.prod(shape))
        return made.reshape(shape)

    def _said(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Dtype and shape of a packed column. Whoever wrote the file may have meant harm: of numbers that are pointers to objects, reading
        one runs what lies there."""
        known = self._known.get(name)
        if known is not None:
            return known
        how = self._recipe[name]
        dtype, shape = np.dtype(how["dtype"]), tuple(map(int, how["shape"]))
        if (
            dtype.kind not in "iu"
            or min(shape, default=0) < 0
            or math.prod(shape) * dtype.itemsize > MOST_BYTES
            or (how["as"] == "lists" and dtype not in (np.uint16, np.uint32))
            or (how["as"] != "narrow" and name != _top(name))  # what others are made of is made of nothing else
        ):
            raise ValueError(f"column {name} is {dtype}{list(shape)}")
        self._known[name] = dtype, shape
        return dtype, shape

    def _of_narrow(self, name: str, how: Mapping[str, Any], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        unsigned = np.dtype(f"u{dtype.itemsize}")
        found = self._array(f"{name}|n").astype(unsigned)
        if f"{name}|p" in self._stored:
            found[self._array(f"{name}|p")] = self._array(f"{name}|v")
        low = np.asarray(int(how["low"]), np.int64).astype(unsigned)
        if low:
            found += low
        if how["steps"]:
            np.cumsum(found, dtype=unsigned, out=found)
        return found.view(dtype)

    def _of_table(self, name: str, how: Mapping[str, Any], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        rows, wide = map(int, how["shape"])
        found = np.empty((rows, wide), dtype)
        for number in range(wide):
            column = self._column(f"{name}|{number}")
            if column.shape != (rows,):
                raise ValueError(f"column {name} is not as long as it should be")
            found[:, number] = column
        return found

    def _of_squeezed(self, name: str, how: Mapping[str, Any], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        return self._some_text(name, 0, size)

    def _some_text(self, name: str, first: int, last: int) -> NDArray[Any]:
        """Of a text so much, from the frames that it is in."""
        data, starts, size = self._array(f"{name}|z"), self._array(f"{name}|at"), math.prod(self._said(name)[1])
        if size > _most_text(len(data)) or not _cuts(starts, len(data)) or (len(starts) - 1) * TEXT_FRAME - size not in range(TEXT_FRAME):
            raise ValueError(f"column {name} is not as long as it should be")
        begin, end = first // TEXT_FRAME, -(-last // TEXT_FRAME)
        at, unpack = starts[begin : end + 1].tolist(), decompressor().decompress
        found = []
        known, its = self._frame.get(name, (-1, b""))
        for number, (a, b) in enumerate(pairwise(at), begin):
            if number == known:
                found.append(its)
                continue
            frame = data[a:b].data
            if zstandard.frame_content_size(frame) != min(TEXT_FRAME, size - number * TEXT_FRAME):
                raise ValueError(f"column {name} has a frame that is not as long as it should be")
            found.append(unpack(frame))
        if found:
            self._frame[name] = end - 1, found[-1]
        return np.frombuffer(b"".join(found), np.uint8)[first - begin * TEXT_FRAME : last - begin * TEXT_FRAME]

    def _of_lists(self, name: str, how: Mapping[str, Any], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        starts = self[LISTS[name]].astype(np.int64)
        if not _cuts(starts, size):
            raise ValueError(f"column {name} is not cut into lists")
        data, widths = self._array(f"{name}|data"), self._array(f"{name}|widths")
        found = np.empty(size, dtype)
        at = 0
        for first in range(0, size, AT_ONCE):
            last = min(first + AT_ONCE, size)
            taken = _widths(widths, first, last, dtype)
            ends = np.cumsum(taken, dtype=np.int64)
            found[first:last] = _read(data, at + ends - taken, taken, dtype)
            at += int(ends[-1])
        if at + PADDING != len(data):
            raise ValueError(f"column {name} is not as long as it should be")
        return _summed(found, starts[:-1], np.diff(starts))

    def _some_lists(self, name: str, rows: Longs, first: Longs, counts: Longs) -> NDArray[Any]:
        dtype, shape = self._said(name)
        data, widths = self._array(f"{name}|data"), self._array(f"{name}|widths")
        offsets = self._offsets.get(name)
        if offsets is None:
            offsets = np.concatenate([[0], np.cumsum(self._column(f"{name}|sizes"), dtype=np.int64)])
            starts = self[LISTS[name]]
            if not _cuts(starts, math.prod(shape)) or len(offsets) != len(starts) or offsets[-1] + PADDING != len(data):
                raise ValueError(f"column {name} is not as long as it should be")
            self._offsets[name] = offsets
        begins = np.cumsum(counts) - counts  # of each list among what is asked for
        if len(rows) == 1:
            taken = _widths(widths, int(first[0]), int(first[0] + counts[0]), dtype)
        else:
            at = ranges(first, counts)
            per_byte = _width_table(dtype.itemsize).shape[1]
            taken = _width_table(dtype.itemsize)[widths[at // per_byte], at % per_byte]
        ends = np.concatenate([[0], np.cumsum(taken, dtype=np.int64)])
        if (ends[begins + counts] - ends[begins] != offsets[rows + 1] - offsets[rows]).any():
            raise ValueError(f"column {name} has lists that are not as long as they should be")
        at_byte = ends[:-1] + (offsets[rows[0]] if len(rows) == 1 else np.repeat(offsets[rows] - ends[begins], counts))
        return _summed(_read(data, at_byte, taken, dtype), begins, counts)

    _makers: ClassVar[Mapping[str, Callable[..., NDArray[Any]]]] = {
        "narrow": _of_narrow, "table": _of_table, "squeezed": _of_squeezed, "lists": _of_lists,
    }  # fmt: skip


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


_per_thread = _PerThread()


def decompressor() -> zstandard.ZstdDecompressor:
    """A decompressor costs six times what a small frame does, and must not be shared between threads."""
    return _per_thread.decompressor


def _widths(widths: Bytes, first: int, last: int, dtype: np.dtype[Any]) -> Bytes:
    """How many bytes each of some numbers takes."""
    table = _width_table(dtype.itemsize)
    per_byte = table.shape[1]
    begin = first // per_byte
    return table[widths[begin : -(-last // per_byte)]].reshape(-1)[first - begin * per_byte : last - begin * per_byte]


def _read(data: Bytes, at: Longs, taken: Bytes, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers of so many bytes each, at these places: all bytes of a number are read, and those that are the next one's are taken off."""
    every = np.ndarray((max(len(data) - dtype.itemsize + 1, 0),), dtype.newbyteorder("<"), np.ascontiguousarray(data), strides=(1,))
    found: NDArray[Any] = every[at].astype(dtype, copy=False)
    found &= _masks(dtype.itemsize)[taken]
    return found


@functools.cache
def _masks(width: int) -> NDArray[Any]:
    return np.array([(1 << 8 * taken) - 1 for taken in range(width + 1)], f"u{width}")


def _summed(steps: NDArray[Any], first: Longs, counts: Longs) -> NDArray[Any]:
    """Differences within lists, each of which begins anew -> the numbers."""
    found = np.cumsum(steps, dtype=steps.dtype)
    if len(counts) > 1:
        filled = counts > 0
        first = first[filled]
        found -= np.repeat(np.where(first > 0, found[first - 1], 0).astype(found.dtype), counts[filled])
    return found


def _top(name: str) -> str:
    """The column that an array is stored for."""
    return name.partition(_MARK)[0]
