"""Columns of one commit -> `Snapshot`, read-only. A snapshot is a handful of named parts, each a table of numpy arrays,
so that it can be written as immutable files and opened again by mapping them.

Parts and columns (n = rows; every file, symbol, edge and chunk is a row number):

    files    path_bytes u8, path_offsets i64[n+1]  paths as git has them, sorted bytewise
             blob u8[n,20]  language u8  kind u8 (PathKind)  size i64  status u8 (0 parsed, 1 text only, 2 skipped)
             line_starts i32, line_starts_offsets i64[n+1]   byte offset of every line
    symbols  file i32  parent i32 (-1: none)  kind u8 (SymbolKind)  name i32 (row of `names`)
             line i32  column i32  start_line i32  end_line i32  start_byte i32  end_byte i32
             name_bytes u8, name_offsets i64     the names themselves, utf-8
             Rows are sorted by (file, start_byte); the first row of every file is its MODULE symbol.
    edges    source i32  target i32  kind u8  tier u8  line i32  column i32  chain i32
             sorted by (source, line, column, target, kind)
    open     source i32  name i32  line i32  column i32  reason u8     unresolved sites
    rank     score f4[symbols]   PageRank times the number of symbols: 1.0 is the average symbol
    chunks   file i32  symbol i32  start_line i32  end_line i32  start_byte i32  end_byte i32   sorted by (file, start_byte)
    text     made and read by index.trigrams alone
    vectors  made and read by index.vectors and index.embedding alone
    content  every file's bytes, made and read by index.content alone
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.distinct import distinct
from index.files.paths import PLAIN, all_shown, shown
from index.graph.reverse import reverse_part
from index.resolver.open_calls import OpenCalls
from index.types import Edge, EdgeKind, PathKind, Step, Symbol, SymbolKind, Tier, Unresolved, UnresolvedSite
from index.vectors.subtokens import split

Columns = Mapping[str, NDArray[Any]]
_MODULE, _LAMBDA = int(SymbolKind.MODULE), int(SymbolKind.LAMBDA)  # comparing a number of numpy with a member takes twenty times as long
# by value: calling the class for a member takes four times as long
_SYMBOL_KINDS, _EDGE_KINDS, _TIERS, _PATH_KINDS = tuple(SymbolKind), tuple(EdgeKind), tuple(Tier), tuple(PathKind)


def steps_of(chain: int) -> tuple[Step, ...]:
    """Packed chain -> its steps, first one first."""
    found = []
    while chain:
        found.append(Step(chain & 15))
        chain >>= 4
    return tuple(found)


@dataclass(frozen=True, slots=True)
class NameWords:
    """Which names hold which words: those of word w are names[offsets[w] : offsets[w + 1]]."""

    words: list[str]  # in lower case, distinct, sorted
    offsets: NDArray[np.int64]
    names: NDArray[np.int64]  # rows of the snapshot's names
    sizes: NDArray[np.int64]  # of each name, how many distinct words it holds


MOST_ESCAPED = 1_000  # paths; more of them are looked at together
_ESCAPED = bytes(byte not in PLAIN for byte in range(256))  # 1 for each that is escaped or decoded where a path is shown


@dataclass(frozen=True)
class Snapshot:
    """All we know of one commit."""

    commit: str
    parts: Mapping[str, Columns]

    @cached_property
    def paths(self) -> list[str]:
        """Every file's path, escaped for people (`shown`), by file row."""
        files = self.parts["files"]
        raw, offsets = files["path_bytes"].tobytes(), files["path_offsets"].tolist()
        escaped = np.flatnonzero(np.frombuffer(raw.translate(_ESCAPED), bool))
        rows = distinct(np.searchsorted(files["path_offsets"], escaped, "right") - 1).tolist()
        if len(rows) > MOST_ESCAPED:
            return all_shown(self.raw_paths)
        text = raw.decode("latin-1")  # a character for every byte
        found = [text[a:b] for a, b in pairwise(offsets)]
        for row in rows:
            found[row] = shown(raw[offsets[row] : offsets[row + 1]])
        return found

    @cached_property
    def raw_paths(self) -> list[bytes]:
        files = self.parts["files"]
        raw, offsets = files["path_bytes"].tobytes(), files["path_offsets"].tolist()
        return [raw[a:b] for a, b in pairwise(offsets)]

    @property
    def file_count(self) -> int:
        return len(self.parts["files"]["path_offsets"]) - 1

    @cached_property
    def file_of_path(self) -> dict[str, int]:
        return {path: row for row, path in enumerate(self.paths)}

    def raw_path(self, file: int) -> bytes:
        """One path, as git has it, without making all of them."""
        files = self.parts["files"]
        first, last = files["path_offsets"][file : file + 2].tolist()
        return files["path_bytes"][first:last].tobytes()

    def place_of(self, path: bytes) -> tuple[int, bool]:
        """The row of a path, as git has it, or the one before which it would stand, and whether it is there: without going through all of
        them, which are in order."""
        if "raw_paths" in self.__dict__:
            row = bisect_left(self.raw_paths, path)
        else:
            row = bisect_left(range(self.file_count), path, key=self.raw_path)
        return row, row < self.file_count and self.raw_path(row) == path

    def file_at(self, path: bytes) -> int | None:
        """The row of one path, likewise."""
        row, is_there = self.place_of(path)
        return row if is_there else None

    @cached_property
    def names(self) -> list[str]:
        """Every distinct name, sorted; `symbols.name` and `open.name` are rows of it."""
        symbols = self.parts["symbols"]
        raw, offsets = symbols["name_bytes"].tobytes(), symbols["name_offsets"].tolist()
        return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offsets)]

    @property
    def symbol_count(self) -> int:
        return len(self.parts["symbols"]["file"])

    def path(self, file: int) -> str:
        return self.paths[file]

    def path_kind(self, file: int) -> PathKind:
        return _PATH_KINDS[int(self.parts["files"]["kind"][file])]

    def qualified(self, symbol: int) -> str:
        """`Cart.total`; "<module>" for a file's own symbol."""
        found = self._qualified.get(symbol)
        if found is None:
            found = self._qualified[symbol] = self._joined(symbol)
        return found

    @cached_property
    def _qualified(self) -> dict[int, str]:
        """Those that were asked for: a report asks for the same ones ten times."""
        return {}

    def _joined(self, symbol: int) -> str:
        columns = self.parts["symbols"]
        kind, name, parent = columns["kind"], columns["name"], columns["parent"]
        if kind.item(symbol) == _MODULE:
            return "<module>"
        found = []
        while symbol >= 0 and kind.item(symbol) != _MODULE:
            found.append(self.names[name.item(symbol)])
            symbol = parent.item(symbol)
        return ".".join(reversed(found))

    def holder(self, symbol: int) -> int:
        """The definition with a name that a function without one stands in; any other symbol itself."""
        columns = self.parts["symbols"]
        kind, parent = columns["kind"], columns["parent"]
        while kind.item(symbol) == _LAMBDA and (above := parent.item(symbol)) >= 0:
            symbol = above
        return symbol

    def label(self, symbol: int) -> str:
        """`Cart.total`; the path for a module; what is round it for a function without a name."""
        found = self._labels.get(symbol)
        if found is None:
            holder, columns = self.holder(symbol), self.parts["symbols"]
            of_module = columns["kind"].item(holder) == _MODULE
            found = self._labels[symbol] = self.path(columns["file"].item(holder)) if of_module else self.qualified(holder)
        return found

    @cached_property
    def _labels(self) -> dict[int, str]:
        """Those that were asked for."""
        return {}

    def symbol(self, row: int) -> Symbol:
        columns = self.parts["symbols"]
        return Symbol(
            id=int(row),
            path=self.paths[columns["file"].item(row)],
            name=self.names[columns["name"].item(row)],
            qualified=self.qualified(int(row)),
            kind=_SYMBOL_KINDS[columns["kind"].item(row)],
            line=columns["line"].item(row),
            start_line=columns["start_line"].item(row),
            end_line=columns["end_line"].item(row),
        )

    def symbols_in(self, file: int) -> range:
        """Rows of the symbols of a file, its MODULE symbol first."""
        column = self.parts["symbols"]["file"]
        first, last = np.searchsorted(column, np.asarray([file, file + 1], column.dtype))  # of another type, the whole column is converted
        return range(int(first), int(last))

    def name_row(self, name: str) -> int | None:
        """The row of a name, or None where nothing here has it."""
        return self._name_rows.get(name)

    def symbols_named(self, name: str) -> NDArray[np.int64]:
        """Rows of the symbols whose last name is `name`, in row order."""
        row = self._name_rows.get(name)
        return np.empty(0, np.int64) if row is None else np.flatnonzero(self.parts["symbols"]["name"] == row)

    @cached_property
    def _name_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def folded_names(self) -> tuple[bytes, NDArray[np.int64]]:
        """Every name in lower case without underscores, each between two newlines, and where each starts: i64[names]."""
        folded = [name.lower().replace("_", "").replace("\n", "").encode("utf-8", "surrogatepass") for name in self.names]
        lengths = np.fromiter(map(len, folded), np.int64, len(folded)) + 1
        return b"\n" + b"\n".join(folded) + b"\n", np.cumsum(lengths) - lengths + 1

    @cached_property
    def name_words(self) -> NameWords:
        """The words inside names: `parseConfig` holds parse and config."""
        names = self.names
        spaced = b"\n".join(name.encode("utf-8", "surrogatepass") for name in names)
        words = split(spaced)
        ends = np.cumsum(np.diff(self.parts["symbols"]["name_offsets"]) + 1)
        _, first, word = np.unique(words.key, return_index=True, return_inverse=True)
        places = zip(words.start[first].tolist(), words.length[first].tolist(), strict=True)
        texts = [spaced[start : start + length].decode("ascii").lower() for start, length in places]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts), np.int64)
        rank[order] = np.arange(len(texts))
        pairs = distinct(rank[word] * len(names) + np.searchsorted(ends, words.start, "right"))
        held_by, name = np.divmod(pairs, max(len(names), 1))
        return NameWords(
            words=[texts[at] for at in order],
            offsets=np.searchsorted(held_by, np.arange(len(texts) + 1)),
            names=name,
            sizes=np.bincount(name, minlength=len(names)),
        )

    def find(self, path: str, qualified: str) -> int | None:
        """The symbol of that qualified name in that file, the last one where a name is defined again; None if there is none."""
        file = self.file_of_path.get(path)
        if file is None:
            return None
        found = [row for row in self.symbols_in(file) if self.qualified(row) == qualified]
        return found[-1] if found else None

    def symbol_at(self, file: int, line: int) -> int:
        """The innermost symbol whose lines hold `line`; of several with the same lines the last, which stands in the others."""
        rows = self.symbols_in(file)
        columns = self.parts["symbols"]
        start, end = columns["start_line"][rows.start : rows.stop], columns["end_line"][rows.start : rows.stop]
        inside = np.flatnonzero((start <= line) & (line <= end))
        lines = end[inside] - start[inside]
        return rows.start + int(inside[np.flatnonzero(lines == lines.min())[-1]]) if len(inside) else rows.start

    def edge(self, row: int) -> Edge:
        columns = self.parts["edges"]
        return Edge(
            source=self.symbol(int(columns["source"][row])),
            target=self.symbol(int(columns["target"][row])),
            kind=_EDGE_KINDS[columns["kind"][row]],
            tier=_TIERS[columns["tier"][row]],
            line=int(columns["line"][row]),
            column=int(columns["column"][row]),
            chain=steps_of(int(columns["chain"][row])),
        )

    def edges_from(self, symbol: int) -> NDArray[np.int64]:
        """Edge rows whose source is `symbol`."""
        source = self.parts["edges"]["source"]
        return np.arange(np.searchsorted(source, np.int32(symbol)), np.searchsorted(source, np.int32(symbol + 1)))

    @cached_property
    def reverse(self) -> Columns:
        """Who is used by whom: edge rows by target, edge[offsets[s] : offsets[s + 1]]. It follows from the edges in the time that it would
        take to read it, so it is no part."""
        return reverse_part(self.parts["edges"], self.symbol_count)

    @cached_property
    def callers(self) -> NDArray[np.int32]:
        """Sources of the edges in the order of `reverse`: with its offsets, the compressed rows of who uses whom."""
        return np.asarray(self.parts["edges"]["source"][self.reverse["edge"]])

    def edges_to(self, symbol: int) -> NDArray[np.int64]:
        """Edge rows whose target is `symbol`."""
        reverse = self.reverse
        return np.asarray(reverse["edge"][int(reverse["offsets"][symbol]) : int(reverse["offsets"][symbol + 1])])

    @cached_property
    def open_calls(self) -> OpenCalls:
        """Calls that lead to a base's method and may run any of many overrides."""
        return OpenCalls(self.parts["symbols"], self.parts["edges"], self.reverse)

    def open_site(self, row: int) -> UnresolvedSite:
        columns = self.parts["open"]
        return UnresolvedSite(
            source=self.symbol(int(columns["source"][row])),
            name=self.names[columns["name"][row]],
            line=int(columns["line"][row]),
            column=int(columns["column"][row]),
            reason=Unresolved(int(columns["reason"][row])),
        )

    def chunk_of_symbol(self, symbol: int) -> int:
        """The chunk that holds the symbol's name, or the file's first chunk; -1 where the file has none."""
        columns, chunks = self.parts["symbols"], self.parts["chunks"]
        file, line = int(columns["file"][symbol]), int(columns["line"][symbol])
        return self.chunk_at(file, line) if len(chunks["file"]) else -1

    def chunk_at(self, file: int, line: int) -> int:
        """The last chunk of the file that starts at or before `line`; -1 where the file has none."""
        chunks = self.parts["chunks"]
        first, last = np.searchsorted(chunks["file"], np.asarray([file, file + 1], chunks["file"].dtype))
        if first == last:
            return -1
        return int(max(first, first + np.searchsorted(chunks["start_line"][first:last], np.int32(line), "right") - 1))
