"""The bytes of one file -> what the text index needs to know of it; a pure function of the bytes, cached per blob.

Facts (d = distinct words and signs of the file, n = all of them; see `index.trigrams.words`):

    size          u32[1]
    line_starts   u32        byte offset of every line: 0, and after each newline but a final one
    word_hash     u64[d]     rising
    word_lengths  u8[d]      bytes of each word
    word_bytes    u8         the words, one after the other
    word_counts   u32[d]     how often each occurs
    positions     u32[n]     byte offsets: those of the first word, rising, then those of the second, ...
    long_words    u32        byte offsets of runs longer than `MAX_WORD`, rising
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.slices import gathered
from index.trigrams.words import MAX_WORD, PAD, hashes, words_in

BATCH = 1 << 19  # bytes handled at once: large enough that numpy's cost per call vanishes, small enough to stay in the second-level cache

TextFacts = Mapping[str, NDArray[Any]]


def text_facts(data: bytes) -> dict[str, NDArray[Any]]:
    """One file's bytes -> its facts."""
    return text_facts_batch([data])[0]


def text_facts_batch(blobs: Sequence[bytes]) -> list[dict[str, NDArray[Any]]]:
    """Many files' bytes -> the facts of each, the same as one by one, for a fifth of the time. Views on arrays of the batch: pack or
    copy what is to be kept for long."""
    found: list[dict[str, NDArray[Any]]] = []
    first, size = 0, 0
    for at, blob in enumerate(blobs):
        size += len(blob)
        if size >= BATCH:
            found += _facts(blobs[first : at + 1])
            first, size = at + 1, 0
    if first < len(blobs):
        found += _facts(blobs[first:])
    return found


def _facts(blobs: Sequence[bytes]) -> list[dict[str, NDArray[Any]]]:
    # A newline before, between and after keeps words apart and makes every file begin a line.
    buffer = b"\n" + b"\n".join(blobs) + b"\n" + bytes(PAD)
    array = np.frombuffer(buffer, np.uint8)
    sizes = np.fromiter(map(len, blobs), np.int64, len(blobs))
    ends = np.cumsum(sizes + 1)
    base = ends - sizes
    lines, line_of_blob = _lines(array, base, ends, sizes)

    starts, lengths = words_in(buffer)
    is_long = lengths > MAX_WORD
    long_words = starts[is_long]
    if len(long_words):
        starts, lengths = starts[~is_long], lengths[~is_long]
    long_of_blob = _borders(long_words, base)
    long_words = (long_words - np.repeat(base, np.diff(long_of_blob))).astype(np.uint32)

    hashed = hashes(array, starts, lengths)
    by_hash = np.argsort(hashed)
    in_order = hashed[by_hash]
    begins = np.ones(len(hashed), np.bool_)
    begins[1:] = in_order[1:] != in_order[:-1]
    rank = np.empty(len(hashed), np.int64)  # of the word among the batch's distinct words, in hash order
    rank[by_hash] = np.cumsum(begins) - 1
    distinct = in_order[begins]

    # One sort of packed (file, word, place) is several times faster than an argsort by three keys.
    word_of_blob = _borders(starts, base)
    blob = np.repeat(np.arange(len(blobs)), np.diff(word_of_blob))
    place_bits, rank_bits = len(starts).bit_length(), len(distinct).bit_length()
    packed = (((blob << rank_bits) | rank) << place_bits) | np.arange(len(starts))
    packed.sort()
    place = packed & ((1 << place_bits) - 1)
    pair = packed >> place_bits
    begins[1:] = pair[1:] != pair[:-1]
    first = np.flatnonzero(begins)
    pair = pair[first]
    pair_of_blob = np.searchsorted(pair, np.arange(len(blobs) + 1) << rank_bits)
    pair_hash = distinct[pair & ((1 << rank_bits) - 1)]
    pair_place = place[first]
    pair_lengths = lengths[pair_place]
    pair_counts = np.diff(first, append=len(place)).astype(np.uint32)
    positions = (starts[place] - np.repeat(base, np.diff(word_of_blob))).astype(np.uint32)
    word_bytes = gathered(array, starts[pair_place], pair_lengths)
    byte_of_pair = np.concatenate([np.zeros(1, np.int64), np.cumsum(pair_lengths)])
    byte_of_blob = byte_of_pair[pair_of_blob].tolist()
    pair_lengths = pair_lengths.astype(np.uint8)
    size_column = sizes.astype(np.uint32)

    spans = zip(
        _slices(line_of_blob.tolist()),
        _slices(pair_of_blob.tolist()),
        _slices(byte_of_blob),
        _slices(word_of_blob.tolist()),
        _slices(long_of_blob.tolist()),
        strict=True,
    )
    return [
        {
            "size": size_column[row : row + 1],
            "line_starts": lines[line],
            "word_hash": pair_hash[pairs],
            "word_lengths": pair_lengths[pairs],
            "word_bytes": word_bytes[letters],
            "word_counts": pair_counts[pairs],
            "positions": positions[words],
            "long_words": long_words[long],
        }
        for row, (line, pairs, letters, words, long) in enumerate(spans)
    ]


def _lines(
    array: NDArray[np.uint8], base: NDArray[np.int64], ends: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    starts = np.flatnonzero(array == 10) + 1
    # The newline at the very end of a file begins no line.
    at_end = np.searchsorted(starts, ends)
    empty_line = (starts[np.minimum(at_end, len(starts) - 1)] == ends) & (sizes > 0)
    starts = np.delete(starts, at_end[empty_line])[:-1]  # nor does the newline after the last file
    line_of_blob = _borders(starts, base)
    return (starts - np.repeat(base, np.diff(line_of_blob))).astype(np.uint32), line_of_blob


def _borders(rising: NDArray[np.int64], base: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places in the batch, where each file begins -> how the places divide among the files, int64[files + 1]."""
    return np.append(np.searchsorted(rising, base), len(rising))


def _slices(borders: list[int]) -> list[slice]:
    return [slice(a, b) for a, b in itertools.pairwise(borders)]


_COLUMNS: Mapping[str, Any] = {
    "size": np.uint32, "line_starts": np.uint32, "word_hash": np.uint64, "word_lengths": np.uint8, "word_bytes": np.uint8,
    "word_counts": np.uint32, "positions": np.uint32, "long_words": np.uint32,
}  # fmt: skip


def joined_facts(files: Sequence[TextFacts | None]) -> dict[str, NDArray[Any]]:
    """Facts of several files (None: the text is not indexed) -> one table: `known` u8[files], and each column of all of them, that of
    file i from `<column>_offsets`[i] to [i+1]."""
    found: dict[str, NDArray[Any]] = {"known": np.array([facts is not None for facts in files], np.uint8)}
    for column, dtype in _COLUMNS.items():
        pieces = [np.empty(0, dtype) if facts is None else facts[column] for facts in files]
        found[column] = np.concatenate([np.empty(0, dtype), *pieces])
        found[f"{column}_offsets"] = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return found


def separate_facts(joined: TextFacts) -> list[TextFacts | None]:
    """What `joined_facts` made -> the facts of each file."""
    borders = {column: joined[f"{column}_offsets"].tolist() for column in _COLUMNS}
    return [
        {column: joined[column][borders[column][at] : borders[column][at + 1]] for column in _COLUMNS} if known else None
        for at, known in enumerate(joined["known"].tolist())
    ]
