"""Parts of a snapshot that differ little from those of an earlier commit: kept as what is different, whole when first asked for.

The text of a repository is by far the largest thing that is kept of it, and most commits change a thousandth of it. Writing it anew would
cost more than all else that a small change needs. So beside such a part of an earlier commit, `text`, stands `text.since`:

    rows       i32[files of that commit]   the row that each file has now, -1 where it is gone or changed
    fresh      i32   rows of the files that are new or changed
    ...        what the part needs to know of these, see `_KINDS`

The part that is made of the two is the same, byte for byte, as one that was made from nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index import links
from index.content import bytes_of, pack_content, update_content
from index.trigrams.facts import joined_facts, separate_facts, text_facts_batch
from index.trigrams.postings import updated_text
from index.vectors.hamming import BYTES
from index.vectors.model import ROW_BYTES, update_vectors

Columns = Mapping[str, NDArray[Any]]
Ints = NDArray[np.int64]
Stored = tuple[str, int]  # digest and size of a part on the disk

SINCE = ".since"
MOST_SINCE = 1 / 16  # of the files of a part: with more that are different, it is written whole


@dataclass(frozen=True)
class Layer:
    """A part of an earlier commit, where it is on the disk (None: nowhere), and what is different since."""

    base: Columns
    since: Columns
    stored: Stored | None


class Parts(Mapping[str, Columns]):
    """Part name -> its columns. `made` are there, `layers` and `later` are made when they are first asked for. Two threads that meet
    here do the same work twice, no more. stored: where on the disk parts are."""

    def __init__(
        self,
        made: Mapping[str, Columns],
        layers: Mapping[str, Callable[[], Layer]] | None = None,
        later: Mapping[str, Callable[[], Columns]] | None = None,
        stored: Mapping[str, Stored] | None = None,
    ) -> None:
        self._made, self._layers, self._later, self.stored = made, layers or {}, later or {}, stored or {}
        self._whole: dict[str, Columns] = dict(made)

    @classmethod
    def beside(cls, parts: Mapping[str, Columns], more: Mapping[str, Columns]) -> Parts:
        """The same parts with some more, or others in their place; nothing is made for it, and what is made later is shared."""
        if not isinstance(parts, Parts):
            return cls({**parts, **more})
        later = {name: functools.partial(parts.__getitem__, name) for name in parts if name not in more}
        return cls(
            more,
            {name: layer for name, layer in parts._layers.items() if name in later},
            later,
            {name: its for name, its in parts.stored.items() if name in later},
        )

    def layer(self, name: str) -> Layer | None:
        """The part as what is different, where it is kept so."""
        return self._layers[name]() if name in self._layers else None

    def __getitem__(self, name: str) -> Columns:
        found = self._whole.get(name)
        if found is None:
            if name in self._later:
                found = self._later[name]()
            else:
                layer = self._layers[name]()
                found = _WHOLE[name](layer, self.layer)
            self._whole[name] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._made, *self._layers, *self._later]))

    def __contains__(self, name: object) -> bool:  # without making it
        return name in self._made or name in self._layers or name in self._later

    def __len__(self) -> int:
        return len(list(iter(self)))


def layer_over(before: Mapping[str, Columns], name: str, moved: Ints, changed: Mapping[int, Any], most: float = MOST_SINCE) -> Layer | None:
    """A part of the commit before, the row that each of its files has now (-1: gone or changed) and what new and changed files add, by
    row -> the part as a layer over a whole one of some earlier commit; None where it is better written whole."""
    if not fits(before, name, moved, changed.keys(), most):
        return None
    under = before.layer(name) if isinstance(before, Parts) else None
    if under is None:
        stored = before.stored.get(name) if isinstance(before, Parts) else None
        base, rows, fresh = before[name], moved, dict(changed)
    else:
        stored, base = under.stored, under.base
        before_rows = under.since["rows"].astype(np.int64)
        rows = np.where(before_rows >= 0, moved[before_rows], -1)
        fresh = {int(moved[row]): its for row, its in _KINDS[name].changed(under.since).items() if moved[row] >= 0} | dict(changed)
    ordered = {row: fresh[row] for row in sorted(fresh)}
    since = {"rows": rows.astype(np.int32), "fresh": np.fromiter(ordered, np.int32, len(ordered)), **_KINDS[name].columns(base, ordered)}
    return Layer(base, since, stored)


def fits(before: Mapping[str, Columns], name: str, moved: Ints, changed: Collection[int], most: float = MOST_SINCE) -> bool:
    """Whether little enough is different for a layer; of new and changed files only the rows are needed for it."""
    under = before.layer(name) if isinstance(before, Parts) else None
    if under is None:
        return len(changed) <= most * max(len(moved), 1)
    still = moved[under.since["fresh"]]
    return len({*still[still >= 0].tolist(), *changed}) <= most * max(len(under.since["rows"]), 1)


@dataclass(frozen=True)
class _Kind:
    """What a part needs to know of the files that are new or changed."""

    columns: Callable[[Columns, Mapping[int, Any]], dict[str, NDArray[Any]]]  # the whole part below, and by row what they add
    changed: Callable[[Columns], dict[int, Any]]  # and back
    whole: Callable[[Layer, Callable[[str], Layer | None]], Columns]  # what is different, and other parts -> the whole part of now


def _text_columns(base: Columns, changed: Mapping[int, Columns | None]) -> dict[str, NDArray[Any]]:
    return joined_facts(list(changed.values()))


def _text_changed(since: Columns) -> dict[int, Columns | None]:
    return dict(zip(since["fresh"].tolist(), separate_facts(since), strict=True))


def _text(layer: Layer, other: Callable[[str], Layer | None]) -> Columns:
    rows = layer.since["rows"].astype(np.int64)
    texts = _gone(layer, other("content"))
    facts = None if texts is None else text_facts_batch(texts)
    return updated_text(layer.base, rows, _text_changed(layer.since), facts)


def _gone(text: Layer, content: Layer | None) -> list[bytes] | None:
    """The texts of the files below that are gone or changed, those alone that were indexed; None where they are not at hand."""
    if content is None or not all(np.array_equal(text.since[name], content.since[name]) for name in ("rows", "fresh")):
        return None  # the two do not stand on the same commit
    kept = content.base["file_sizes"]
    if not np.array_equal(np.maximum(kept, 0), text.base["file_sizes"]):
        return None
    rows = np.flatnonzero((text.since["rows"] < 0) & (kept >= 0)).tolist()
    return [data for row in rows if (data := bytes_of(content.base, row)) is not None]


def _content_columns(base: Columns, changed: Mapping[int, bytes | None]) -> dict[str, NDArray[Any]]:
    return pack_content(list(changed.values()))


def _content_changed(since: Columns) -> dict[int, bytes | None]:
    return {row: bytes_of(since, at) for at, row in enumerate(since["fresh"].tolist())}


def _content(layer: Layer, other: Callable[[str], Layer | None]) -> Columns:
    return update_content(layer.base, layer.since["rows"].astype(np.int64), _content_changed(layer.since))


def _vectors_columns(base: Columns, changed: Mapping[int, NDArray[np.uint8]]) -> dict[str, NDArray[Any]]:
    counts = np.array([len(bits) for bits in changed.values()], np.int32)
    return {"counts": counts, "bits": np.concatenate([np.empty((0, ROW_BYTES if "fine" in base else BYTES), np.uint8), *changed.values()])}


def _vectors_changed(since: Columns) -> dict[int, NDArray[np.uint8]]:
    ends = np.cumsum(since["counts"])
    pieces = (since["bits"][end - count : end] for end, count in zip(ends.tolist(), since["counts"].tolist(), strict=True))
    return dict(zip(since["fresh"].tolist(), pieces, strict=True))


def _vectors(layer: Layer, other: Callable[[str], Layer | None]) -> Columns:
    return update_vectors(layer.base, layer.since["rows"].astype(np.int64), _vectors_changed(layer.since))


def _links(layer: Layer, other: Callable[[str], Layer | None]) -> Columns:
    return links.whole(layer.base, layer.since)


_KINDS = {
    "text": _Kind(_text_columns, _text_changed, _text),
    "content": _Kind(_content_columns, _content_changed, _content),
    "vectors": _Kind(_vectors_columns, _vectors_changed, _vectors),
}
_WHOLE = {name: kind.whole for name, kind in _KINDS.items()} | {"links": _links}  # what is different in links is made by who links
