"""Files, symbols and edges written as short tuples -> a `Snapshot` with every column, without a parser.

shop = a_snapshot(
    files={"shop/tax.py": "def rate(country):\n    return 0.21\n"},
    symbols=[("shop/tax.py", "rate", "function", 1, 2)],
    edges=[("shop/invoice.py::total", "shop/tax.py::rate", "call", "proved", 4)],
)
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.content import pack_content
from index.snapshot import Snapshot
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import build_text
from index.types import EdgeKind, PathKind, Step, SymbolKind, Tier, Unresolved

KIND_BY_PREFIX = (("vendor/", PathKind.VENDOR), ("build/", PathKind.BUILD), ("archive/", PathKind.ARCHIVE), ("tests/", PathKind.TEST))


def a_snapshot(
    files: Mapping[str, str] | Sequence[str],
    symbols: Sequence[tuple[str, str, str, int, int]] = (),
    edges: Sequence[tuple[Any, ...]] = (),
    open_sites: Sequence[tuple[str, str, int, str]] = (),
    rank: Mapping[str, float] | None = None,
    kinds: Mapping[str, PathKind] | None = None,
    languages: Mapping[str, int] | None = None,
    parts: Mapping[str, Mapping[str, NDArray[Any]]] | None = None,
    commit: str = "0" * 40,
) -> Snapshot:
    """Short tuples -> Snapshot.

    files: path -> text, or only paths (then each has as many empty lines as its symbols need).
    symbols: (path, qualified name, kind, first line, last line). Every file also gets its MODULE symbol. `Cart.total` hangs on `Cart`.
    edges: (source, target, kind, tier, line[, column[, steps]]), a place being "path::Qualified.name" or "path" for the file itself.
    open_sites: (source, written name, line, reason).
    rank: place -> score; 1.0 where nothing is said.
    kinds: path -> PathKind; else by first folder (vendor/, build/, archive/, tests/).
    parts: more parts, or other ones in place of these, added as they are. Vectors are not made.
    Chunks: a file is cut at the first line of every symbol; each piece belongs to the symbol that starts there.
    """
    texts = dict(files) if isinstance(files, Mapping) else {path: _blank(path, symbols, edges) for path in files}
    paths = sorted(texts, key=lambda path: path.encode())
    raw = {path: texts[path].encode() for path in paths}
    lines = {path: _line_starts(raw[path]) for path in paths}

    rows: list[tuple[int, int, int, str, SymbolKind, str, int, int]] = []  # file, start byte, -end byte, qualified, kind, name, lines
    for at, path in enumerate(paths):
        rows.append((at, -1, 0, "", SymbolKind.MODULE, path.rsplit("/", 1)[-1].rsplit(".", 1)[0], 1, len(lines[path])))
    for path, qualified, kind, first, last in symbols:
        start = lines[path][first - 1]
        rows.append((paths.index(path), start, -last, qualified, SymbolKind[kind.upper()], qualified.rsplit(".", 1)[-1], first, last))
    rows.sort(key=lambda row: (row[0], row[1], row[2], row[3]))
    place: dict[str, int] = {}
    for number, row in enumerate(rows):
        place[paths[row[0]] + ("::" + row[3] if row[3] else "")] = number

    names = sorted({row[5] for row in rows} | {name for _, name, _, _ in open_sites})
    name_row = {name: at for at, name in enumerate(names)}
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]

    symbol_columns: dict[str, list[int]] = {
        key: [] for key in ("file", "parent", "kind", "name", "line", "column", "start_line", "end_line", "start_byte", "end_byte")
    }
    for at, start, _, qualified, symbol_kind, name, first, last in rows:
        path = paths[at]
        module = symbol_kind == SymbolKind.MODULE
        text_line = raw[path][lines[path][first - 1] :].split(b"\n", 1)[0] if lines[path] else b""
        found = text_line.find(name.encode()) if not module else 0
        values = {
            "file": at,
            "parent": -1 if module else place.get(f"{path}::{qualified.rpartition('.')[0]}", place[path]),
            "kind": int(symbol_kind),
            "name": name_row[name],
            "line": first,
            "column": max(found, 0) + 1,
            "start_line": first,
            "end_line": last,
            "start_byte": max(start, 0),
            "end_byte": lines[path][last] if last < len(lines[path]) else len(raw[path]),
        }
        for key, value in values.items():
            symbol_columns[key].append(value)

    all_parts: dict[str, Mapping[str, NDArray[Any]]] = {
        "files": {
            "path_bytes": np.frombuffer("".join(paths).encode(), np.uint8),
            "path_offsets": _offsets([path.encode() for path in paths]),
            "blob": np.array([list(blob_id(raw[path])) for path in paths], np.uint8).reshape(-1, 20),
            "language": np.array([(languages or {}).get(path, 0) for path in paths], np.uint8),
            "kind": np.array([(kinds or {}).get(path, _kind(path)) for path in paths], np.uint8),
            "size": np.array([len(raw[path]) for path in paths], np.int64),
            "status": np.zeros(len(paths), np.uint8),
            "line_starts": np.array([start for path in paths for start in lines[path]], np.int32),
            "line_starts_offsets": np.concatenate([[0], np.cumsum([len(lines[path]) for path in paths])]).astype(np.int64),
        },
        "symbols": {
            **{key: np.array(values, np.uint8 if key == "kind" else np.int32) for key, values in symbol_columns.items()},
            "name_bytes": np.frombuffer(b"".join(encoded), np.uint8),
            "name_offsets": _offsets(encoded),
        },
        "open": {
            "source": np.array([place[source] for source, _, _, _ in open_sites], np.int32),
            "name": np.array([name_row[name] for _, name, _, _ in open_sites], np.int32),
            "line": np.array([line for _, _, line, _ in open_sites], np.int32),
            "column": np.ones(len(open_sites), np.int32),
            "reason": np.array([int(Unresolved[reason.upper()]) for _, _, _, reason in open_sites], np.uint8),
        },
        "rank": {"score": np.ones(len(rows), np.float32)},
        "chunks": _chunks(paths, raw, lines, rows),
        "text": build_text(text_facts_batch([raw[path] for path in paths])),
        "content": pack_content([raw[path] for path in paths]),
    }
    for name, score in (rank or {}).items():
        all_parts["rank"]["score"][place[name]] = score
    all_parts |= _edges(edges, place)
    all_parts |= parts or {}
    return Snapshot(commit, all_parts)


def blob_id(data: bytes) -> bytes:
    """The id that git gives to these bytes, 20 bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def place_of(snapshot: Snapshot, symbol: int) -> str:
    """Symbol row -> "path::Qualified.name", the way edges are written."""
    found = snapshot.symbol(symbol)
    return found.path if found.kind == SymbolKind.MODULE else f"{found.path}::{found.qualified}"


def row_of(snapshot: Snapshot, place: str) -> int:
    """ "path::Qualified.name" or "path" -> symbol row. Raises KeyError where there is none."""
    path, _, qualified = place.partition("::")
    row = snapshot.find(path, qualified or "<module>")
    if row is None:
        raise KeyError(place)
    return row


def _edges(edges: Sequence[tuple[Any, ...]], place: Mapping[str, int]) -> dict[str, Mapping[str, NDArray[Any]]]:
    table = []
    for source, target, kind, tier, line, *rest in edges:
        column, steps = (*rest, 1, ())[:2] if len(rest) < 2 else rest
        chain = sum(int(Step[step.upper()]) << 4 * at for at, step in enumerate(steps))
        table.append((place[source], line, column, place[target], int(EdgeKind[kind.upper()]), int(Tier[tier.upper()]), chain))
    table.sort()
    grid = np.array(table, np.int64).reshape(-1, 7)
    return {
        "edges": {
            "source": grid[:, 0].astype(np.int32),
            "target": grid[:, 3].astype(np.int32),
            "kind": grid[:, 4].astype(np.uint8),
            "tier": grid[:, 5].astype(np.uint8),
            "line": grid[:, 1].astype(np.int32),
            "column": grid[:, 2].astype(np.int32),
            "chain": grid[:, 6].astype(np.int32),
        },
    }


def _chunks(
    paths: Sequence[str],
    raw: Mapping[str, bytes],
    lines: Mapping[str, list[int]],
    rows: Sequence[tuple[int, int, int, str, SymbolKind, str, int, int]],
) -> Mapping[str, NDArray[Any]]:
    table = []
    for at, path in enumerate(paths):
        starts: dict[int, int] = {}
        for number, row in enumerate(rows):
            if row[0] == at:
                starts[row[6]] = number
        firsts = sorted(starts)
        for first, following in zip(firsts, [*firsts[1:], len(lines[path]) + 1], strict=True):
            last = following - 1
            end = lines[path][last] if last < len(lines[path]) else len(raw[path])
            table.append((at, starts[first], first, last, lines[path][first - 1], end))
    grid = np.array(table, np.int32).reshape(-1, 6)
    return {key: grid[:, at].copy() for at, key in enumerate(("file", "symbol", "start_line", "end_line", "start_byte", "end_byte"))}


def _line_starts(text: bytes) -> list[int]:
    starts = [0]
    for at, byte in enumerate(text):
        if byte == 10 and at + 1 < len(text):
            starts.append(at + 1)
    return starts


def _blank(path: str, symbols: Sequence[tuple[str, str, str, int, int]], edges: Sequence[tuple[Any, ...]]) -> str:
    last = [symbol[4] for symbol in symbols if symbol[0] == path] + [edge[4] for edge in edges if edge[0].partition("::")[0] == path]
    return "\n" * max(last, default=1)


def _kind(path: str) -> PathKind:
    return next((kind for prefix, kind in KIND_BY_PREFIX if path.startswith(prefix)), PathKind.SOURCE)


def _offsets(pieces: Sequence[bytes]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
