"""A snapshot -> the part `voyage`: Voyage's vectors of its chunks, of which each is paid for once.

What came back is kept by a digest of the text that was sent, request by request. So an interrupted run goes on where it stopped, and
the next commit asks only for chunks that nobody has sent before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.content import file_bytes
from index.embedding.voyage import PRICES, Voyage, VoyageUnavailable, tokens_in
from index.progress import Progress
from index.snapshot import Snapshot
from index.vectors.hamming import BYTES
from index.vectors.model import vectors_part

LAYER = "voyage"


class Kept(Protocol):
    """Hex digests -> what is kept under them, by model."""

    def get_many(self, layer: str, version: str, ids: Iterable[str]) -> dict[str, bytes]: ...

    def put_many(self, layer: str, version: str, payloads: Mapping[str, bytes]) -> None: ...


@dataclass(frozen=True, slots=True)
class Estimate:
    """What it would take to have the vectors of a snapshot."""

    model: str
    chunks: int
    missing: int  # of these, how many would be sent
    tokens: int  # that these have, about
    dollars: float | None  # None: the price of this model is not known here

    @property
    def words(self) -> str:
        if not self.missing:
            return f"All {self.chunks:,} pieces of code have vectors of {self.model} already: nothing is sent."
        price = "the price of this model is not known here" if self.dollars is None else f"about ${self.dollars:,.2f}"
        return (
            f"{self.missing:,} of {self.chunks:,} pieces of code are sent to Voyage, about {self.tokens:,} tokens: "
            f"{price}, before what your account has free."
        )


def estimate(snapshot: Snapshot, voyage: Voyage, kept: Kept) -> Estimate:
    """What `voyage_part` would send. Nothing is sent for it."""
    texts = list(documents(snapshot))
    digests = [_digest(text) for text in texts]
    there = kept.get_many(LAYER, voyage.name, digests)
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in there}
    tokens = sum(tokens_in(len(text)) for text in missing.values())
    price = PRICES.get(voyage.options.model)
    return Estimate(voyage.options.model, len(texts), len(missing), tokens, None if price is None else tokens * price / 1e6)


def voyage_part(snapshot: Snapshot, voyage: Voyage, kept: Kept, progress: Progress) -> dict[str, NDArray[Any]]:
    """A snapshot -> the columns of its part `voyage`. Raises VoyageUnavailable, saying how far it came; what came back is kept."""
    texts = list(documents(snapshot))
    digests = [_digest(text) for text in texts]
    found = kept.get_many(LAYER, voyage.name, digests)
    found = {digest: bits for digest, bits in found.items() if len(bits) == BYTES}
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in found}
    names, todo = list(missing), list(missing.values())

    def keep(rows: list[int], bits: NDArray[np.uint8]) -> None:
        made = {names[row]: its.tobytes() for row, its in zip(rows, bits, strict=True)}
        kept.put_many(LAYER, voyage.name, made)
        found.update(made)
        progress.advance(len(rows))

    progress.start("Asking Voyage", len(todo))
    try:
        voyage.embed_documents(todo, keep)
    except VoyageUnavailable as error:
        have = sum(digest in found for digest in digests)
        raise type(error)(
            f"{error}: {have:,} of {len(digests):,} pieces of code have its vectors, and the next `maguyva update` goes on from there. "
            "Until then the embedded model answers."
        ) from None
    finally:
        progress.finish()
    rows = np.frombuffer(b"".join(found[digest] for digest in digests), np.uint8).reshape(-1, BYTES)
    return vectors_part(rows, voyage.name)


def documents(snapshot: Snapshot) -> Iterator[str]:
    """A snapshot -> the text of every chunk as it is sent: its path, the name of its symbol, its code."""
    chunks = snapshot.parts["chunks"]
    columns = (chunks[name].tolist() for name in ("file", "symbol", "start_byte", "end_byte"))
    at, data = -1, b""
    for file, symbol, start, end in zip(*columns, strict=True):
        if file != at:
            at, data = file, file_bytes(snapshot, file) or b""
        yield _document(snapshot, file, symbol, data[start:end])


def document(snapshot: Snapshot, chunk: int) -> str:
    """One of them."""
    chunks = snapshot.parts["chunks"]
    file = int(chunks["file"][chunk])
    code = (file_bytes(snapshot, file) or b"")[int(chunks["start_byte"][chunk]) : int(chunks["end_byte"][chunk])]
    return _document(snapshot, file, int(chunks["symbol"][chunk]), code)


def _document(snapshot: Snapshot, file: int, symbol: int, code: bytes) -> str:
    return f"{snapshot.path(file)}\n{snapshot.symbol(symbol).qualified}\n{code.decode('utf-8', 'replace')}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
