"""Text -> 1,024 bits, by the model that comes with the package: offline, no warm-up, the same bits on every machine.

A text is the bag of its subtokens' stems. Each stem has a vector of 256 small integers and a learned weight; a chunk is their sum,
each counted as 1 + ln(n) and weighted by where it stands (body, name, owner, path). The sum is brought to 8 bits, turned by four
Hadamard matrices with random signs, and the 1,024 signs are the vector.

All sums are sums of integers, so neither the order of additions, nor the BLAS, nor what else is in the batch can change a bit: a
chunk alone equals the same chunk embedded among a million. float32 holds every whole number below 2^24 exactly, and the weights of
a chunk are cut so that their sum stays below `MOST_WEIGHT`.

The weights: 14,000 stems with their vectors, 17,900 common word forms, and the signs. Learned from 261,326 pairs (the first sentence of
a comment, the function below it) in 461 permissively licensed packages, starting from random numbers; then rounded to integers, the
weight of unknown words halved (docs/model.md, `make model`).
"""

from __future__ import annotations

import hashlib
import io
import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, pairwise, repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from index.distinct import first_places, fresh, grouped
from index.errors import StorageError
from index.vectors.fine import packed
from index.vectors.hamming import BYTES
from index.vectors.model import ROW_BYTES, Asked
from index.vectors.subtokens import Words, split

try:
    from index.embedding import bags as _bags
except ImportError:  # it was not compiled
    bags: Any = None
else:
    bags = _bags

WEIGHTS = Path(__file__).with_name("weights.npz")
WEIGHTS_SHA256 = "899779fd6082d72b17fd8752ba1c063677a18f1232436819750713c038b8f83f"

DIMENSIONS = 256
FIELDS = ("body", "name", "owner", "path")

MOST_WEIGHT = (1 << 24) // 128 - 1  # times the largest value of a vector, 128, is below 2^24: exact in float32
WEIGHT_SHIFT = 21  # brings count x field x stem, in 1/256, 1/256 and 2^-20, to a few hundred for an ordinary word
LARGEST_COUNT = 4_096

TOKENISED_TOGETHER = 1 << 19  # bytes: the arrays stay in the cache
SUMMED_TOGETHER = 48  # chunks: neighbours share words, so their dense matrix is small
TURNED_TOGETHER = 128  # chunks: what they become stays in the second-level cache
MOST_UNKNOWN = 100_000  # stems outside the vocabulary that are remembered, 256 bytes each

STOP_WORDS = frozenset(b"an the of to in for and or is are be by with on at as it its this that from if not no into".split())

# the Snowball English stemmer changes no word that ends in one of these
NEVER_STEMMED = frozenset(b"abfhjkopquvwxz0123456789")

_COUNTS = np.rint(256 * (1 + np.log(np.maximum(np.arange(LARGEST_COUNT + 1), 1)))).astype(np.int64)


class WeightsDamaged(StorageError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} is not the file this version was released with: install the package again.")


class ChunkText(NamedTuple):
    """What one chunk says: its own bytes, its symbol's own name, the qualified name of what holds that symbol, and its path."""

    body: bytes
    name: bytes = b""
    owner: bytes = b""
    path: bytes = b""


@dataclass(frozen=True, slots=True)
class BlobChunks:
    """A blob and where its chunks are: byte spans, and the qualified name of each chunk's symbol (`Cart.total`, or empty)."""

    data: bytes
    starts: NDArray[np.int32] | Sequence[int]
    ends: NDArray[np.int32] | Sequence[int]
    names: Sequence[str]
    path: bytes = b""


Text = TypeVar("Text")
Number = TypeVar("Number", bound=np.generic)
_Told = tuple[bytes, bytes, NDArray[np.int32]]


def model_name(digest: str) -> str:
    """The SHA-256 of the weights -> the model's name, with everything that its vectors depend on."""
    return f"static-{digest[:12]}-{BYTES * 8}-4x{DIMENSIONS}"


class StaticModel:
    """The embedded model. Safe to share between threads."""

    # Of a question and chunks that have nothing to do with it the similarity is 0.00 with a deviation of 0.04: among 43,000 chunks of
    # django the tenth best for nonsense is at 0.14 to 0.17, for questions about django at 0.24 to 0.54.
    least_similarity = 0.15

    def __init__(self, weights: bytes) -> None:
        with np.load(io.BytesIO(weights)) as file:
            words = file["words"].tobytes().split(b"\n")
            forms, form_rows = file["forms"].tobytes(), file["form_rows"]
            vectors = file["vectors"]
            document, query, unknown = file["document"], file["query"], file["unknown"]
            self._fields = file["fields"].astype(np.int64)
            self._signs = np.ascontiguousarray(file["signs"].astype(np.int16).T)
        self.name = model_name(hashlib.sha256(weights).hexdigest())
        self._vocabulary = _Vocabulary(words, vectors, document, query, unknown, split(forms).key, form_rows)
        self._lock = threading.Lock()

    @classmethod
    def load(cls) -> StaticModel:
        """The model of this version, read once. Raises WeightsDamaged where the file is not the one that was released."""
        return _load()

    def read(self, text: str) -> Asked:
        """A question -> what chunks are compared with."""
        with self._lock:
            vector = self._vectors([ChunkText(text.encode("utf-8", "replace"))], query=True)
            return Asked(self.name, _bits(vector, self._signs)[0], vector[0], self.least_similarity)

    @staticmethod
    def let_go() -> None:
        """Of what was loaded and read nothing stays; loading it anew takes some twenty milliseconds and gives the same vectors."""
        _load.cache_clear()

    def embed_query(self, text: str) -> NDArray[np.uint8]:
        """A question -> uint8[128]."""
        return self.read(text).bits

    def embed_chunks(self, chunks: Sequence[ChunkText]) -> NDArray[np.uint8]:
        """n chunks -> uint8[n, 128], most significant bit first. A chunk without any word has only zeros."""
        return self.rows_of(chunks)[:, :BYTES]

    def rows_of(self, chunks: Sequence[ChunkText]) -> NDArray[np.uint8]:
        """n chunks -> uint8[n, ROW_BYTES]: their bits, then the same vectors in more detail."""
        out = np.empty((len(chunks), ROW_BYTES), np.uint8)
        at = 0
        for batch in _batches(chunks, [len(chunk.body) + 64 for chunk in chunks]):
            with self._lock:  # taken per batch, so that a question never waits behind a whole repository
                vectors = self._vectors(batch, query=False)
                out[at : at + len(batch), :BYTES] = _bits(vectors, self._signs)
                out[at : at + len(batch), BYTES:] = packed(vectors)
            at += len(batch)
        return out

    def embed_blob(
        self, data: bytes, starts: Sequence[int], ends: Sequence[int], names: Sequence[str], path: bytes = b""
    ) -> NDArray[np.uint8]:
        """A blob, its n chunks' byte spans and the qualified names of their symbols -> uint8[n, ROW_BYTES]. Depends on nothing else."""
        return self.embed_blobs([BlobChunks(data, starts, ends, names, path)])[0]

    def embed_blobs(self, blobs: Sequence[BlobChunks]) -> list[NDArray[np.uint8]]:
        """Many blobs at once -> uint8[n, ROW_BYTES] for each, the same bytes as one by one."""
        rows = self._rows_in_c(blobs) if bags is not None else None
        if rows is None:
            rows = self.rows_of([chunk for blob in blobs for chunk in _chunks_of(blob)])
        ends = np.cumsum([len(blob.names) for blob in blobs])
        return [rows[end - len(blob.names) : end] for blob, end in zip(blobs, ends.tolist(), strict=True)]

    def _rows_in_c(self, blobs: Sequence[BlobChunks]) -> NDArray[np.uint8] | None:
        """What `rows_of` gives for the chunks of these blobs, in a third of the time. None: their words were chosen to take C long."""
        out = np.empty((sum(len(blob.names) for blob in blobs), ROW_BYTES), np.uint8)
        at = 0
        for batch in _batches(blobs, [len(blob.data) for blob in blobs]):
            with self._lock:
                found = self._vocabulary.told([_for_c(blob) for blob in batch])
                if found is None:
                    return None
                vectors = bags.summed(
                    *found, self._vocabulary.document, self._fields, _COUNTS, self._vocabulary.vectors, WEIGHT_SHIFT, MOST_WEIGHT
                )
            some = out[at : at + len(vectors) // DIMENSIONS]
            some[:, :BYTES] = np.frombuffer(bags.turned(vectors, self._signs), np.uint8).reshape(-1, BYTES)
            some[:, BYTES:] = packed(np.frombuffer(vectors, np.int8).reshape(-1, DIMENSIONS))
            at += len(some)
        return out

    def _vectors(self, chunks: Sequence[ChunkText], query: bool) -> NDArray[np.int8]:
        """n chunks -> int8[n, 256], each scaled so that its largest value is 127."""
        text, segments = _joined(chunks)
        words = split(text)
        vocabulary = self._vocabulary
        ids = vocabulary.ids(words, text)
        per_segment = np.diff(np.searchsorted(words.start, segments))
        of_segment = np.tile(np.arange(len(chunks)) << 40, len(FIELDS)) | np.repeat(np.arange(len(FIELDS)), len(chunks))
        # one number a word, sorted: equal words of a chunk's field stand together, and a chunk's words too
        code = ids.astype(np.int64) << 2
        code |= np.repeat(of_segment, per_segment)
        code = code[ids >= 0]
        code.sort()
        first = np.flatnonzero(fresh(code))
        count = np.diff(first, append=len(code))
        code = code[first]
        chunk, row, field = code >> 40, (code >> 2) & 0x3FFFFFFFF, code & 3
        of_word = (vocabulary.query if query else vocabulary.document)[row]
        of_field = 256 if query else self._fields[field]
        weight = (_COUNTS[np.minimum(count, LARGEST_COUNT)] * of_field * of_word) >> WEIGHT_SHIFT
        weight >>= _shift(np.bincount(chunk, weight, len(chunks)).astype(np.int64))[chunk]
        sums = np.empty((len(chunks), DIMENSIONS), np.float32)
        borders = np.searchsorted(chunk, np.arange(0, len(chunks) + SUMMED_TOGETHER, SUMMED_TOGETHER)).tolist()
        for at, (low, high) in enumerate(pairwise(borders)):
            rows = sums[at * SUMMED_TOGETHER : (at + 1) * SUMMED_TOGETHER]
            rows[:] = vocabulary.sum(chunk[low:high] - at * SUMMED_TOGETHER, row[low:high], weight[low:high], len(rows))
        largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), 1)
        return np.asarray(np.rint(sums * np.float32(127) / largest), np.int8)


class _Vocabulary:
    """Words -> rows of vectors. The common forms of learned words come with the weights (`forms`); any other word is stemmed when first
    met and remembered. A stem outside the learned vocabulary gets a vector drawn from its own letters, so that rare names still match
    themselves."""

    def __init__(
        self,
        words: list[bytes],
        vectors: NDArray[np.int8],
        document: NDArray[np.int32],
        query: NDArray[np.int32],
        unknown: NDArray[np.int32],
        forms: NDArray[np.uint64],
        form_rows: NDArray[np.int32],
    ) -> None:
        self._learned = len(words)
        self._stems = dict(zip(words, range(len(words)), strict=True))
        self._room = self._learned
        self.vectors = vectors
        self.document = document.astype(np.int64)
        self.query = query.astype(np.int64)
        self._unknown = unknown.astype(np.int64)
        self._stemmer = snowballstemmer.stemmer("english")
        self._stemmer.maxCacheSize = 0  # no word comes twice, and to remember them all took longer than to stem them
        self._forms = forms, form_rows
        self._secret = np.uint64(secrets.randbits(64) | 1)  # where a word is looked for: see `_home`
        self.forget()

    def forget(self) -> None:
        """Everything that was not learned from the weights, and the memory it takes."""
        learned = self._learned
        self._stems = dict(islice(self._stems.items(), learned))
        self._room, self.vectors = learned, self.vectors[:learned].copy()
        self.document, self.query = self.document[:learned].copy(), self.query[:learned].copy()
        self._keys = np.zeros(1 << 16, np.uint64)
        self._rows = np.full(1 << 16, -1, np.int32)
        self._filled = 0
        self._insert(*self._forms)

    def _forget_many(self) -> None:
        if len(self._stems) - self._learned > MOST_UNKNOWN:
            self.forget()

    def told(self, blobs: list[tuple[bytes, NDArray[np.int32], NDArray[np.int32], list[str], bytes]]) -> _Told | None:
        """Words of the chunks of some blobs, as `bags.told` gives them, and the rows of those that are new. None: C gave up."""
        self._forget_many()
        found = bags.told(blobs, self._keys, self._rows, int(self._secret))
        if found is None:
            return None
        words, borders, keys, new = found
        return words, borders, self._learn(np.frombuffer(keys, np.uint64), new) if new else np.empty(0, np.int32)

    def ids(self, words: Words, text: bytes) -> NDArray[np.int32]:
        """Words of `text` -> their rows, int32[n]; -1 for a word that says nothing."""
        self._forget_many()
        long_enough = (words.length > 1) | (words.key <= ord("9"))  # a single letter says nothing, a single digit does
        out = np.full(len(words.key), -1, np.int32)
        at = np.flatnonzero(long_enough)
        key = words.key[at]
        slot, found = self._look_up(key)
        if not found.all():
            new = np.flatnonzero(~found)
            _, first = first_places(key[new])
            first = np.sort(new[first])  # in the order of the text
            start, size = words.start[at[first]].tolist(), words.length[at[first]].tolist()
            before = self._keys
            self._learn(key[first], [text[a : a + n] for a, n in zip(start, size, strict=True)])
            if self._keys is before:
                slot[new], _ = self._look_up(key[new])
            else:  # they have moved
                slot, _ = self._look_up(key)
        out[at] = self._rows[slot]
        return out

    def _look_up(self, key: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Open addressing, all keys at once: (slot of each key or of the empty place where it would go, is it there)."""
        mask = len(self._keys) - 1
        slot = self._home(key)
        there = self._keys[slot]
        unsure = np.flatnonzero((there != key) & (there != 0))
        while len(unsure):
            slot[unsure] = (slot[unsure] + 1) & mask
            there = self._keys[slot[unsure]]
            unsure = unsure[(there != key[unsure]) & (there != 0)]
        return slot, self._keys[slot] == key

    def _home(self, key: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Where each is looked for first. No one knows that before: of 2,000 words that all want the same place, one can be told from the
        others only after minutes. What comes of the words does not depend on it."""
        turned = key * self._secret
        turned ^= turned >> np.uint64(32)
        turned *= np.uint64(0x9E3779B97F4A7C15)
        return (turned >> np.uint64(65 - len(self._keys).bit_length())).astype(np.int64)

    def _learn(self, keys: NDArray[np.uint64], words: list[bytes]) -> NDArray[np.int32]:
        texts = b" ".join(words).lower().split(b" ")
        changing = [text for text in texts if text[-1] not in NEVER_STEMMED]
        stemmed = self._stemmer.stemWords(b" ".join(changing).decode("ascii").split(" ")) if changing else []
        stem_of = dict(zip(changing, " ".join(stemmed).encode("ascii").split(b" "), strict=False))
        stem_of.update(dict.fromkeys(STOP_WORDS.intersection(texts), b""))  # they say nothing
        stems, known = list(map(stem_of.get, texts, texts)), self._stems
        unknown = list(dict.fromkeys(stem for stem in stems if stem and stem not in known))
        known.update(zip(unknown, range(len(known), len(known) + len(unknown)), strict=True))
        self._draw(unknown)
        learned = np.fromiter(map(known.get, stems, repeat(-1)), np.int32, len(stems))
        self._insert(keys, learned)
        return learned

    def _draw(self, stems: list[bytes]) -> None:
        """Vectors of the last stems, which nothing was learned of."""
        last = len(self._stems)
        first = last - len(stems)
        self._make_room(first, last)
        letters = b"".join([hashlib.shake_128(stem).digest(DIMENSIONS) for stem in stems])
        self.vectors[first:last] = np.frombuffer(letters, np.int8).reshape(-1, DIMENSIONS)
        self.document[first:last], self.query[first:last] = self._unknown

    def _insert(self, keys: NDArray[np.uint64], rows: NDArray[np.int32]) -> None:
        if (self._filled + len(keys)) * 2 > len(self._keys):  # half empty at least: probes stay short
            old_keys, old_rows = self._keys, self._rows
            size = 1 << ((self._filled + len(keys)) * 4 - 1).bit_length()
            self._keys, self._rows, self._filled = np.zeros(size, np.uint64), np.full(size, -1, np.int32), 0
            kept = old_keys != 0
            self._insert(old_keys[kept], old_rows[kept])
        self._filled += len(keys)
        while len(keys):  # of those that want the same empty place one gets it, the others look on
            slot, _ = self._look_up(keys)
            self._keys[slot] = keys
            placed = self._keys[slot] == keys
            self._rows[slot[placed]] = rows[placed]
            keys, rows = keys[~placed], rows[~placed]

    def _make_room(self, used: int, rows: int) -> None:
        """For as many rows, of which so many are in use."""
        if rows > self._room:
            self._room = rows * 2
            self.vectors = _longer(self.vectors, used, self._room)
            self.document, self.query = _longer(self.document, used, self._room), _longer(self.query, used, self._room)

    def sum(self, chunk: NDArray[np.int64], ids: NDArray[np.int64], weight: NDArray[np.int64], chunks: int) -> NDArray[np.float32]:
        """Triples (chunk, row, weight) -> float32[chunks, 256], sums of weight x vector, whole numbers below 2^24."""
        distinct, column = grouped(ids)
        width = len(distinct)
        dense = np.bincount(chunk * width + column, weight, chunks * width).astype(np.float32).reshape(chunks, width)
        return dense @ self.vectors[distinct].astype(np.float32)


def _longer(values: NDArray[Number], used: int, rows: int) -> NDArray[Number]:
    """The first rows, and room for more that takes no memory until it is used."""
    found = np.empty((rows, *values.shape[1:]), values.dtype)
    found[:used] = values[:used]
    return found


def _bits(vectors: NDArray[np.int8], signs: NDArray[np.int16]) -> NDArray[np.uint8]:
    """int8[n, 256] and four rows of signs, int16[256, 4] -> uint8[n, 128]: the signs of what Hadamard matrices (Sylvester's) make of the
    vectors, each row of signs before it. Sums of 256 values of at most 127 are exact in 16 bits, and halving the problem eight times
    takes less than half the time of a product with 1,024 columns."""
    out = np.empty((len(vectors), 4, DIMENSIONS // 8), np.uint8)
    for first in range(0, len(vectors), TURNED_TOGETHER):
        part = vectors[first : first + TURNED_TOGETHER]
        now = part.T[:, None, :] * signs[:, :, None]
        then = np.empty_like(now)
        for half in (1, 2, 4, 8, 16, 32, 64, 128):
            shape = (-1, 2, half, 4, len(part))
            old, new = now.reshape(shape), then.reshape(shape)
            np.add(old[:, 0], old[:, 1], out=new[:, 0])
            np.subtract(old[:, 0], old[:, 1], out=new[:, 1])
            now, then = then, now
        # As np.packbits(now > 0, axis=0), in a quarter of the time: eight bytes of a column do not stand together.
        bits = (now > 0).view(np.uint8).reshape(DIMENSIONS // 8, 8, 4, len(part))
        joined = bits[:, 0] << 7
        for place in range(1, 8):
            joined |= bits[:, place] << (7 - place)
        out[first : first + len(part)] = joined.T
    return out.reshape(-1, BYTES)


def _shift(total: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of a chunk's weights -> by how many bits to cut them so that it stays below MOST_WEIGHT."""
    return np.asarray((total[:, None] > np.int64(MOST_WEIGHT) << np.arange(40)).sum(axis=1), np.int64)


def _joined(chunks: Sequence[ChunkText]) -> tuple[bytes, NDArray[np.int64]]:
    """Chunks -> one text, field by field, and where each of its 4n pieces starts, then where the last ends."""
    pieces = list(chain.from_iterable(zip(*chunks, strict=True)))
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)) + 1)
    return b"\n".join(pieces), np.concatenate([[0], ends])


def _batches(texts: Sequence[Text], sizes: Sequence[int]) -> Iterator[Sequence[Text]]:
    total, first = 0, 0
    for at, size in enumerate(sizes):
        total += size
        if total >= TOKENISED_TOGETHER:
            yield texts[first : at + 1]
            total, first = 0, at + 1
    if first < len(texts):
        yield texts[first:]


def _chunks_of(blob: BlobChunks) -> Iterator[ChunkText]:
    for start, end, qualified in zip(np.asarray(blob.starts).tolist(), np.asarray(blob.ends).tolist(), blob.names, strict=True):
        owner, _, name = qualified.rpartition(".")
        yield ChunkText(blob.data[start:end], name.encode("utf-8", "replace"), owner.encode("utf-8", "replace"), blob.path)


def _for_c(blob: BlobChunks) -> tuple[bytes, NDArray[np.int32], NDArray[np.int32], list[str], bytes]:
    return blob.data, np.ascontiguousarray(blob.starts, np.int32), np.ascontiguousarray(blob.ends, np.int32), list(blob.names), blob.path


@cache
def _load() -> StaticModel:
    weights = WEIGHTS.read_bytes()
    if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
        raise WeightsDamaged(WEIGHTS)
    return StaticModel(weights)
