"""The names of a commit as sorted utf-8, looked up and replaced without decoding them all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Names(Sequence[str]):
    """Distinct names in order; `content` and `offsets` as the part `symbols` has them. utf-8 sorts as its text does."""

    def __init__(self, content: NDArray[np.uint8], offsets: Ints) -> None:
        self._arrays = content, offsets
        self._content, self._offsets = content.data, offsets.data

    @property
    def content(self) -> NDArray[np.uint8]:
        return self._arrays[0]

    @property
    def offsets(self) -> Ints:
        return self._arrays[1]

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        return cls.numbered(names)[0]

    @classmethod
    def numbered(cls, names: Iterable[str]) -> tuple[Names, dict[str, int]]:
        """The same, and the row of each."""
        ordered = sorted(set(names))
        content = encoded("".join(ordered))
        lengths = map(len, ordered if content.isascii() else [name if name.isascii() else encoded(name) for name in ordered])
        offsets = np.concatenate([[0], np.cumsum(np.fromiter(lengths, np.int64, len(ordered)))])
        return cls(np.frombuffer(content, np.uint8), offsets), dict(zip(ordered, range(len(ordered)), strict=True))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...

    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self.raw(row).decode("utf-8", "surrogatepass")

    def raw(self, row: int) -> bytes:
        return bytes(self._content[self._offsets[row] : self._offsets[row + 1]])

    def place(self, name: bytes) -> tuple[int, bool]:
        """The row of a name, or the one before which it would stand, and whether it is there."""
        row = bisect_left(range(len(self)), name, key=self.raw)
        return row, row < len(self) and self.raw(row) == name

    def row(self, name: str) -> int:
        """-1 where it is not there."""
        row, is_there = self.place(encoded(name))
        return row if is_there else -1

    def replaced(
        self, used: NDArray[np.bool_], more: Iterable[str], known: Mapping[str, int]
    ) -> tuple[Names, NDArray[np.int32], dict[str, int]]:
        """Without the names that are not `used` and with more -> the names, the new row of each old one (-1: gone), and of each new one.
        known: rows of some names here, which need not be looked for."""
        used = used.copy()
        fresh: list[bytes] = []
        before: list[int] = []  # of each fresh name the row here before which it stands
        rows: list[tuple[str, int, int]] = []  # of each new name: its row here, or -1 and its place among the fresh ones
        for raw, name in sorted({encoded(name): name for name in more}.items()):
            row, is_there = (known[name], True) if name in known else self.place(raw)
            rows.append((name, row if is_there else -1, len(fresh)))
            if is_there:
                used[row] = True
            else:
                fresh.append(raw)
                before.append(row)
        gone = np.flatnonzero(~used)
        steps = np.zeros(len(self) + 1, np.int32)
        np.add.at(steps, np.array(before, np.int64), 1)
        np.subtract.at(steps, gone + 1, 1)
        renumber = np.arange(len(self), dtype=np.int32)
        renumber += np.cumsum(steps[:-1], dtype=np.int32)
        renumber[gone] = -1
        places = [row - left + at for at, (row, left) in enumerate(zip(before, np.searchsorted(gone, before).tolist(), strict=True))]
        number = {name: int(renumber[row]) if row >= 0 else places[at] for name, row, at in rows}
        return _Replaced(self, gone, fresh, places, renumber) if fresh or len(gone) else self, renumber, number


class _Replaced(Names):
    """Names of another commit, without some and with others; put together when somebody asks for all."""

    def __init__(self, base: Names, gone: Ints, fresh: Sequence[bytes], places: Sequence[int], renumber: NDArray[np.int32]) -> None:
        self._base, self._fresh, self._places, self._renumber = base, fresh, places, renumber
        self._gone_before: list[int] = (gone - np.arange(len(gone))).tolist()  # of each how many stay before it
        self._size = len(base) - len(gone) + len(fresh)

    def __len__(self) -> int:
        return self._size

    def raw(self, row: int) -> bytes:
        at = bisect_left(self._places, row)
        if at < len(self._places) and self._places[at] == row:
            return self._fresh[at]
        return self._base.raw(row - at + bisect_right(self._gone_before, row - at))

    @property
    def content(self) -> NDArray[np.uint8]:
        return self._whole[0]

    @property
    def offsets(self) -> Ints:
        return self._whole[1]

    @cached_property
    def _whole(self) -> tuple[NDArray[np.uint8], Ints]:
        kept = np.flatnonzero(self._renumber >= 0)
        place_of_kept = self._renumber[kept].astype(np.int64)
        before, content_before = self._base.offsets, self._base.content
        lengths = np.zeros(self._size, np.int64)
        lengths[place_of_kept] = np.diff(before)[kept]
        lengths[np.array(self._places, np.int64)] = [len(raw) for raw in self._fresh]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        content = np.empty(int(offsets[-1]), np.uint8)
        # Bytes that stay move in as few runs as there are names that came or went.
        breaks = np.flatnonzero((np.diff(kept) != 1) | (np.diff(place_of_kept) != 1)) + 1
        for a, b in zip([0, *breaks.tolist()], [*breaks.tolist(), len(kept)], strict=True) if len(kept) else ():
            first, last = int(before[kept[a]]), int(before[kept[b - 1] + 1])
            at = int(offsets[place_of_kept[a]])
            content[at : at + last - first] = content_before[first:last]
        for raw, row in zip(self._fresh, self._places, strict=True):
            content[int(offsets[row]) : int(offsets[row + 1])] = np.frombuffer(raw, np.uint8)
        return content, offsets


def encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
