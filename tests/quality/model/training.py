"""Pairs of a sentence and a function -> the embedded model's weights, by contrast: each sentence must be nearer to its own function
than to the others of its batch.

A text is a bag of stems, as in `index.embedding.static`: one vector a stem, one weight a stem for questions and one for chunks, and one
weight a field. Only numpy, one thread, fixed seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import snowballstemmer
from numpy.typing import NDArray
from quality.model.mining import Function

from index.embedding.static import DIMENSIONS, FIELDS, NEVER_STEMMED, STOP_WORDS
from index.vectors.subtokens import split

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

MOST_OF_A_FIELD = 192  # distinct stems of one field that count, the most frequent first
TOKENISED_TOGETHER = 2_000  # pairs


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    stems: int = 14_000  # the most frequent ones
    rarest: int = 5  # pairs that a stem must occur in
    epochs: int = 2
    batch: int = 768  # pairs
    smallest_batch: int = 64
    rate: float = 0.004
    temperature: float = 0.05
    without_name: float = 0.3  # share of chunks whose own name is hidden, so that bodies are read too
    without_word: float = 0.3  # share of words that are hidden
    warm_up: int = 100  # steps


@dataclass(frozen=True)
class Bags:
    """n texts as bags of stems: entries from offsets[i] to offsets[i + 1] are those of text i."""

    offsets: Ints
    stem: NDArray[np.int32]
    field: NDArray[np.int8]
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Stems:
    """Word -> number of its stem, as the model will see it; -1 for what says nothing."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._number: dict[bytes, int] = {}
        self.of_word: dict[bytes, int] = {}
        self.times: dict[bytes, int] = {}
        self._stemmer = snowballstemmer.stemmer("english")

    def number(self, word: bytes) -> int:
        found = self.of_word.get(word)
        if found is None:
            found = self.of_word[word] = self._new(word)
        return found

    def _new(self, word: bytes) -> int:
        if word in STOP_WORDS or (len(word) == 1 and not word.isdigit()):
            return -1
        stem = word if word[-1] in NEVER_STEMMED else self._stemmer.stemWord(word.decode("ascii")).encode("ascii")
        number = self._number.setdefault(stem, len(self.names))
        if number == len(self.names):
            self.names.append(stem)
        return number

    def bags(self, texts: Sequence[Sequence[bytes]]) -> Bags:
        """n texts of the same number of fields -> their bags, all stems numbered."""
        pieces = [self._bags(texts[at : at + TOKENISED_TOGETHER]) for at in range(0, len(texts), TOKENISED_TOGETHER)]
        lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(piece.offsets) for piece in pieces)])
        return Bags(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([np.empty(0, np.int32), *(piece.stem for piece in pieces)]),
            np.concatenate([np.empty(0, np.int8), *(piece.field for piece in pieces)]),
            np.concatenate([np.empty(0, np.int32), *(piece.count for piece in pieces)]),
        )

    def _bags(self, texts: Sequence[Sequence[bytes]]) -> Bags:
        fields = len(texts[0])
        pieces = [field for text in texts for field in text]
        data = b"\n".join(pieces)
        borders = np.concatenate([[0], np.cumsum([len(piece) + 1 for piece in pieces])])
        words = split(data)
        _, first, again, times = np.unique(words.key, return_index=True, return_inverse=True, return_counts=True)
        distinct = [data[a : a + n].lower() for a, n in zip(words.start[first], words.length[first], strict=True)]
        for word, more in zip(distinct, times.tolist(), strict=True):
            self.times[word] = self.times.get(word, 0) + more
        numbers = [self.number(word) for word in distinct]
        stem = np.array(numbers, np.int64)[again]
        piece = np.repeat(np.arange(len(pieces)), np.diff(np.searchsorted(words.start, borders)))
        code, count = np.unique((piece << 32 | stem)[stem >= 0], return_counts=True)
        piece, stem = code >> 32, code & 0xFFFFFFFF
        order = np.lexsort((stem, -count, piece))
        piece, stem, count = piece[order], stem[order], count[order]
        at = np.arange(len(piece)) - np.searchsorted(piece, piece)
        piece, stem, count = (column[at < MOST_OF_A_FIELD] for column in (piece, stem, count))
        offsets = np.searchsorted(piece, np.arange(0, len(pieces) + fields, fields))
        return Bags(offsets.astype(np.int64), stem.astype(np.int32), (piece % fields).astype(np.int8), count.astype(np.int32))


@dataclass(frozen=True)
class Examples:
    """What is learned from: for each pair its sentence, its chunk and its package."""

    queries: Bags
    chunks: Bags
    package: NDArray[np.int32]
    stems: list[bytes]  # those of the vocabulary, the most frequent first
    pairs_with: Ints  # in how many pairs each occurs
    forms: dict[bytes, int]  # words and the row of their stem, -1 for those that say nothing
    times: dict[bytes, int]  # how often each of these was met


def examples(packages: Sequence[Sequence[Function]], settings: Settings) -> Examples:
    """Pairs by package -> bags over the vocabulary they give."""
    stems = Stems()
    flat = [pair for pairs in packages for pair in pairs]
    queries = stems.bags([(pair.query.encode(),) for pair in flat])
    chunks = stems.bags([(pair.code, pair.name.encode(), pair.owner.encode(), pair.path.encode()) for pair in flat])
    frequency = np.bincount(queries.stem, minlength=len(stems.names)) + np.bincount(chunks.stem, minlength=len(stems.names))
    order = np.lexsort((np.argsort(np.argsort(np.array(stems.names))), -frequency))
    kept = order[: settings.stems][frequency[order[: settings.stems]] >= settings.rarest]
    row = np.full(len(stems.names), -1, np.int32)
    row[kept] = np.arange(len(kept))
    forms = {word: int(row[number]) if number >= 0 else -1 for word, number in stems.of_word.items() if number < 0 or row[number] >= 0}
    return Examples(
        _only(queries, row),
        _only(chunks, row),
        np.repeat(np.arange(len(packages)), [len(pairs) for pairs in packages]).astype(np.int32),
        [stems.names[number] for number in kept],
        frequency[kept],
        forms,
        {word: stems.times[word] for word in forms},
    )


def _only(bags: Bags, row: NDArray[np.int32]) -> Bags:
    """Bags over all stems -> over those that have a row."""
    kept = row[bags.stem] >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    return Bags(before[bags.offsets].astype(np.int64), row[bags.stem[kept]], bags.field[kept], bags.count[kept])


@dataclass(frozen=True)
class Weights:
    """What is learned. Weights of stems and fields are logarithms."""

    vectors: Floats  # [stems, 256]
    query: Floats  # [stems]
    document: Floats  # [stems]
    fields: Floats  # [4]


def first_weights(data: Examples, settings: Settings, vectors: Floats | None = None) -> Weights:
    """Vectors drawn at random (or those given), weights by how rare a stem is."""
    draw = np.random.default_rng(settings.seed)
    if vectors is None:
        vectors = draw.standard_normal((len(data.stems), DIMENSIONS), np.float32) / np.float32(DIMENSIONS**0.5)
    rare = np.log((len(data.package) + 1) / (data.pairs_with + 0.5)).astype(np.float32)
    # a stem of both sides may be counted more often than there are pairs
    weight = np.log(np.maximum(rare + np.float32(0.1), np.float32(0.001)))
    return Weights(vectors, weight, weight.copy(), np.array([0.0, 1.0, 0.3, 0.0], np.float32))


@dataclass
class _Moments:
    """Adam's running means of one array."""

    mean: Floats
    square: Floats

    @classmethod
    def of(cls, values: Floats) -> _Moments:
        return cls(np.zeros_like(values), np.zeros_like(values))

    def step(self, values: Floats, rows: Ints | slice, gradient: Floats, rate: float, time: int) -> None:
        """Only the rows that a batch spoke of move."""
        mean, square = self.mean[rows], self.square[rows]
        mean += np.float32(0.1) * (gradient - mean)
        square += np.float32(0.01) * (gradient * gradient - square)
        self.mean[rows], self.square[rows] = mean, square
        scale = np.float32(rate / (1 - 0.9**time))
        values[rows] -= scale * mean / (np.sqrt(square / np.float32(1 - 0.99**time)) + np.float32(1e-8))


def train(
    data: Examples,
    start: Weights,
    settings: Settings,
    held_out: Sequence[int] = (),
    say: Callable[[int, float, Weights], None] = lambda epoch, loss, weights: None,
) -> Weights:
    """Examples and first weights -> learned weights. Pairs of the packages `held_out` are never learned from."""
    weights = replace(start, **{name: getattr(start, name).copy() for name in ("vectors", "query", "document", "fields")})
    moments = {name: _Moments.of(getattr(weights, name)) for name in ("vectors", "query", "document", "fields")}
    draw = np.random.default_rng(settings.seed + 1)
    usable = (np.diff(data.queries.offsets) > 0) & (np.diff(data.chunks.offsets) > 0) & ~np.isin(data.package, list(held_out))
    rows = np.flatnonzero(usable)
    steps = settings.epochs * len(list(_batches(data, rows, settings, np.random.default_rng(0))))
    step = 0
    for epoch in range(settings.epochs):
        losses = []
        for batch in _batches(data, rows, settings, draw):
            rate = settings.rate * min(1.0, step / settings.warm_up) * max(0.02, 1 - step / steps)
            losses.append(_step(data, batch, weights, moments, settings, draw, rate, step + 1))
            step += 1
        say(epoch, float(np.mean(losses)), weights)
    return weights


def _batches(data: Examples, rows: Ints, settings: Settings, draw: np.random.Generator) -> Iterator[Ints]:
    """Every pair twice: once among those of its own package, which are the hardest to tell apart, and once among any."""
    every = draw.permutation(rows)
    found = [every[at : at + settings.batch] for at in range(0, len(every), settings.batch)]
    mixed = draw.permutation(rows)
    mixed = mixed[np.argsort(data.package[mixed], kind="stable")]
    for own in np.split(mixed, np.flatnonzero(np.diff(data.package[mixed])) + 1):
        found += [own[at : at + settings.batch] for at in range(0, len(own), settings.batch)]
    found = [batch for batch in found if len(batch) >= settings.smallest_batch]
    yield from (found[at] for at in draw.permutation(len(found)))


@dataclass(frozen=True)
class _Side:
    """One side of a batch, as a matrix of n texts and the distinct stems they have."""

    stems: Ints  # distinct
    matrix: Floats  # [n, distinct]: count x weights
    total: Floats  # [n, 256]
    length: Floats  # [n, 1]
    unit: Floats  # [n, 256]


def _step(
    data: Examples,
    batch: Ints,
    weights: Weights,
    moments: dict[str, _Moments],
    settings: Settings,
    draw: np.random.Generator,
    rate: float,
    time: int,
) -> float:
    text, stem, field, value = _entries(data.chunks, batch)
    hidden = draw.random(len(stem)) < settings.without_word
    nameless = draw.random(len(batch)) < settings.without_name
    own = np.isin((text << 32) | stem, ((text << 32) | stem)[field == 1])  # words of the body that the name is made of
    hidden |= nameless[text] & ((field == 1) | ((field == 0) & own))
    text, stem, field, value = text[~hidden], stem[~hidden], field[~hidden], value[~hidden]
    value = value * np.exp(weights.fields)[field]
    chunks = _side(text, stem, value, len(batch), weights.vectors, weights.document)
    q_text, q_stem, _, q_value = _entries(data.queries, batch)
    queries = _side(q_text, q_stem, q_value, len(batch), weights.vectors, weights.query)

    similar = queries.unit @ chunks.unit.T / np.float32(settings.temperature)
    down, across = _softmax(similar, 0), _softmax(similar, 1)
    right = np.arange(len(batch))
    loss = -float(np.mean(np.log(down[right, right] + 1e-30) + np.log(across[right, right] + 1e-30))) / 2
    gradient = (down + across) / np.float32(2 * len(batch) * settings.temperature)
    gradient[right, right] -= np.float32(1 / (len(batch) * settings.temperature))

    to_queries, to_chunks = _through_length(queries, gradient @ chunks.unit), _through_length(chunks, gradient.T @ queries.unit)
    of_queries, of_chunks = queries.matrix.T @ to_queries, chunks.matrix.T @ to_chunks
    to_weight = np.einsum("ij,ij->i", weights.vectors[chunks.stems], of_chunks)
    to_query = np.einsum("ij,ij->i", weights.vectors[queries.stems], of_queries)
    # of each field: the sum over its words of what they add to their chunk, along the gradient
    along = np.zeros(len(FIELDS), np.float32)
    for one in range(1, len(FIELDS)):
        chosen = np.flatnonzero(field == one)
        if len(chosen):
            added = weights.vectors[stem[chosen]] * (value[chosen] * np.exp(weights.document[stem[chosen]]))[:, None]
            along[one] = np.einsum("ij,ij->", added, to_chunks[text[chosen]])
    along[0] = np.einsum("ij,ij->", chunks.total, to_chunks) - along.sum()

    both, place = np.unique(np.concatenate([queries.stems, chunks.stems]), return_inverse=True)
    of_both = np.zeros((len(both), DIMENSIONS), np.float32)
    of_both[place[: len(queries.stems)]] = of_queries
    of_both[place[len(queries.stems) :]] += of_chunks
    moments["vectors"].step(weights.vectors, both, of_both, rate, time)
    moments["query"].step(weights.query, queries.stems, to_query, rate, time)
    moments["document"].step(weights.document, chunks.stems, to_weight, rate, time)
    moments["fields"].step(weights.fields, slice(None), along, rate, time)
    np.clip(weights.query, -6, 4, out=weights.query)
    np.clip(weights.document, -6, 4, out=weights.document)
    return loss


def _entries(bags: Bags, rows: Ints) -> tuple[Ints, Ints, NDArray[np.int8], Floats]:
    """Texts -> of each entry its text (from 0), stem, field, and 1 + ln(count)."""
    lengths = bags.offsets[rows + 1] - bags.offsets[rows]
    text = np.repeat(np.arange(len(rows)), lengths)
    at = np.arange(len(text)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(bags.offsets[rows], lengths)
    return text, bags.stem[at].astype(np.int64), bags.field[at], (1 + np.log(bags.count[at])).astype(np.float32)


def _side(text: Ints, stem: Ints, value: Floats, size: int, vectors: Floats, weight: Floats) -> _Side:
    stems, column = np.unique(stem, return_inverse=True)
    matrix = np.bincount(text * len(stems) + column, value * np.exp(weight[stem]), size * len(stems))
    matrix = matrix.astype(np.float32).reshape(size, len(stems))
    total = matrix @ vectors[stems]
    length = np.maximum(np.sqrt(np.einsum("ij,ij->i", total, total)), np.float32(1e-6))[:, None]
    return _Side(stems, matrix, total, length, total / length)


def _softmax(values: Floats, axis: int) -> Floats:
    out = np.exp(values - values.max(axis=axis, keepdims=True))
    out /= out.sum(axis=axis, keepdims=True)
    return out


def _through_length(side: _Side, gradient: Floats) -> Floats:
    """The gradient by unit vectors -> by the sums they were made of."""
    along = np.einsum("ij,ij->i", gradient, side.unit)[:, None]
    return (gradient - side.unit * along) / side.length


def embedded(bags: Bags, rows: Ints, weights: Weights, *, query: bool) -> Floats:
    """Texts -> unit vectors, nothing hidden, nothing rounded."""
    out = np.empty((len(rows), DIMENSIONS), np.float32)
    for at in range(0, len(rows), 512):
        text, stem, field, value = _entries(bags, rows[at : at + 512])
        if not query:
            value = value * np.exp(weights.fields)[field]
        side = _side(text, stem, value, len(rows[at : at + 512]), weights.vectors, weights.query if query else weights.document)
        out[at : at + 512] = side.unit
    return out


def mean_reciprocal_rank(similar: Floats) -> float:
    """Square matrix, right answers on the diagonal -> MRR@10, ties halfway."""
    right = similar.diagonal()[:, None]
    rank = (similar > right).sum(axis=1) + ((similar == right).sum(axis=1) - 1) / 2 + 1
    return float(np.where(rank <= 10, 1 / rank, 0).mean())
