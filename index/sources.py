"""The files of a commit that are to be indexed, of one that follows on another without an object for every file that is as it was."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from index.files.paths import shown
from index.snapshot import Snapshot
from index.spliced import row_runs

MANY = 100  # of the files, from which on all paths are looked at together


class Source(NamedTuple):
    """One file. `data` None: it was not read, and `why` says so, or `same`: the commit before has it as it is."""

    path: bytes
    blob: str
    size: int
    data: bytes | None
    why: str = ""
    same: bool = False


class Following(Sequence[Source]):
    """All files of a commit by path, from those of the commit before.

    kept: i64, of every file its row in the commit before, if it is as it was there, else -1. fresh: rows of the others. was: of each of
    these the row that its path had in the commit before, -1: none."""

    def __init__(self, before: Snapshot, gone: Collection[bytes], given: Iterable[Source]) -> None:
        """gone: paths of the commit before that are not there any more. given: all files that are new or changed, and any of the rest."""
        self.before = before
        every = sorted(given, key=lambda source: source.path)
        if len(every) + len(gone) > MANY:
            before.raw_paths  # noqa: B018  (with all paths at hand looking for one takes a tenth)
        fresh = [source for source in every if not source.same]
        places = [before.place_of(source.path) for source in fresh]
        left = [row for row, is_there in (*places, *map(before.place_of, gone)) if is_there]
        stay = np.delete(np.arange(before.file_count), left)
        at = np.searchsorted(stay, np.array([row for row, _ in places], np.int64))
        self.kept: NDArray[np.int64] = np.insert(stay, at, -1)
        self.fresh: list[int] = (at + np.arange(len(at))).tolist()
        self.was = [row if is_there else -1 for row, is_there in places]
        self._given = dict(zip(self.fresh, fresh, strict=True))
        same = [source for source in every if source.same]
        rows = np.searchsorted(stay, np.array([before.place_of(source.path)[0] for source in same], np.int64))
        self._given |= zip((rows + np.searchsorted(at, rows, "right")).tolist(), same, strict=True)

    @classmethod
    def of(cls, before: Snapshot, sources: Iterable[Source]) -> Following:
        """All files of a commit -> the same."""
        given = list(sources)
        return cls(before, set(before.raw_paths) - {source.path for source in given}, given)

    def __len__(self) -> int:
        return len(self.kept)

    @overload
    def __getitem__(self, row: int) -> Source: ...

    @overload
    def __getitem__(self, row: slice) -> Sequence[Source]: ...

    def __getitem__(self, row: int | slice) -> Source | Sequence[Source]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        found = self._given.get(row)
        if found is None:
            files, old = self.before.parts["files"], int(self.kept[row])
            found = Source(self.before.raw_path(old), files["blob"][old].tobytes().hex(), int(files["size"][old]), None, same=True)
        return found

    def let_go(self, row: int) -> None:
        """Of the content of a file that is new or changed."""
        self._given[row] = self._given[row]._replace(data=None)

    def shown(self) -> list[str]:
        """All paths, as `shown` gives them."""
        old, found, at = self.before.paths, list[str](), 0
        for first, last in (*row_runs(self.kept), (len(self), len(self))):
            found += [shown(self[row].path) for row in range(at, first)]
            found += old[int(self.kept[first]) : int(self.kept[last - 1]) + 1] if last > first else ()
            at = last
        return found
