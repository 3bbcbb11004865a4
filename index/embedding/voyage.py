"""Texts -> 1,024 bits each, made by Voyage's model: the texts are sent there. Only with a key, and only for repositories that ask for it.

The real client is imported when a request is about to go out: it takes more than half a second and 64 packages. It repeats a request
without regard to `Retry-After`, so it is told not to, and we do. Its errors may hold whatever a server sent back, so none of their words
reach a message of ours, and none is chained to one.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from index.errors import MaguyvaError
from index.vectors.hamming import BITS, BYTES
from index.vectors.model import Asked

T = TypeVar("T")

# Limits of one request to voyage-code-3, as published by Voyage in 2026.
MOST_TEXTS = 1_000
MOST_TOKENS = 120_000
CHARACTERS_PER_TOKEN = 3  # of code, a little less than there are; counting for real needs a tokenizer from a model hub
LONGEST_TEXT = 60_000  # characters; the model reads 32,000 tokens and cuts off the rest
LEAST_TOKENS = 8_000  # of a batch under a rate limit: a key without a payment method gets 10,000 a minute

DOCUMENT_SECONDS = 60.0  # one request may take
PATIENCE = 300.0  # seconds that one batch may wait for its turn
QUESTION_SECONDS = 2.5
QUESTION_PATIENCE = 2.0  # together less than a retriever has: the embedded model still gets its turn
LONGEST_PAUSE = 60.0
DOWN_SECONDS = 60.0  # after a failure, so long questions go straight to the embedded model

LIMIT_REACHED = "Voyage's limit for this key is reached"

RERANK_MODEL = "rerank-2.5-lite"
RERANKED = 50

# Dollars for a million tokens, as published in 2026. Voyage gives away the first tokens of an account.
PRICES = {
    "voyage-code-3": 0.18,
    "voyage-4-large": 0.12,
    "voyage-4": 0.06,
    "voyage-4-lite": 0.02,
    "voyage-3-large": 0.18,
    "voyage-3.5": 0.06,
    "voyage-3.5-lite": 0.02,
}


class VoyageUnavailable(MaguyvaError):
    """Voyage can't answer now; the embedded model answers instead."""


class VoyageRefused(VoyageUnavailable):
    """Voyage won't answer, however often it is asked: something has to be changed first."""


class _TooMuch(Exception):
    """A request was refused for what is in it; a smaller one may go through."""


@dataclass(frozen=True, slots=True)
class VoyageOptions:
    """How Voyage is reached. `url`: "" for Voyage itself, else that of a proxy or gateway that speaks like it."""

    key: str = field(repr=False)
    url: str = ""
    model: str = "voyage-code-3"
    rerank: bool = False  # put the first results of a question in order by Voyage's reranker

    @property
    def base_url(self) -> str | None:
        """As the client wants it: with its version. None: the client's own choice for this kind of key."""
        if not self.url:
            return None
        parts = urlsplit(self.url.rstrip("/"))
        return urlunsplit(parts._replace(path=parts.path or "/v1"))


def batches(lengths: Sequence[int], most_tokens: int = MOST_TOKENS) -> Iterator[list[int]]:
    """Lengths of texts in characters -> rows of those that go into one request, in order."""
    batch: list[int] = []
    tokens = 0
    for row, length in enumerate(lengths):
        more = tokens_in(length)
        if batch and (len(batch) == MOST_TEXTS or tokens + more > most_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(row)
        tokens += more
    if batch:
        yield batch


def tokens_in(characters: int) -> int:
    return -(-min(characters, LONGEST_TEXT) // CHARACTERS_PER_TOKEN)


class Voyage:
    """Voyage's model, as the engine asks it. `sleep` and `clock`: time, for tests."""

    least_similarity = 0.0  # nobody measured from where on a chunk has nothing to do with a question

    def __init__(
        self, options: VoyageOptions, *, sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.options, self._sleep, self._clock = options, sleep, clock
        self._clients: dict[float, Any] = {}
        self._down_until = float("-inf")
        self._most_tokens = MOST_TOKENS

    @property
    def name(self) -> str:
        return f"{self.options.model}-{BITS}"

    def read(self, text: str) -> Asked:
        """A question -> what chunks are compared with. Raises VoyageUnavailable, soon."""
        if self._clock() < self._down_until:
            raise VoyageUnavailable("Voyage did not answer a moment ago")
        try:
            bits = self._embed([text[:LONGEST_TEXT]], "query", QUESTION_SECONDS, QUESTION_PATIENCE)[0]
        except _TooMuch:
            raise VoyageRefused("Voyage refuses this question") from None
        except VoyageUnavailable:
            self._down_until = self._clock() + DOWN_SECONDS
            raise
        return Asked(self.name, bits, None, self.least_similarity)

    def embed_documents(self, texts: Sequence[str], keep: Callable[[list[int], NDArray[np.uint8]], None]) -> None:
        """Texts -> `keep` is called with rows and uint8[rows, 128] whenever a request was answered, until all are done.

        Raises VoyageUnavailable when Voyage has no more for us now, VoyageRefused when it never will: what was kept stays kept."""
        left = deque(batches([len(text) for text in texts], self._most_tokens))
        while left:
            rows = left.popleft()
            try:
                bits = self._embed([texts[row][:LONGEST_TEXT] or " " for row in rows], "document", DOCUMENT_SECONDS, PATIENCE)
            except _TooMuch:
                if len(rows) == 1:
                    raise VoyageRefused("Voyage refuses a piece of code, however small the request") from None
                left.extendleft([rows[len(rows) // 2 :], rows[: len(rows) // 2]])
                continue
            except _RateLimited:
                if len(rows) == 1:
                    raise VoyageUnavailable(LIMIT_REACHED) from None
                # What it refuses may be the size: a small key never gets a large batch through.
                self._most_tokens = max(self._most_tokens // 4, LEAST_TOKENS)
                rest = [row for batch in (rows, *left) for row in batch]
                left = deque([rest[at] for at in batch] for batch in batches([len(texts[row]) for row in rest], self._most_tokens))
                continue
            keep(rows, bits)

    def rerank(self, question: str, texts: Sequence[str]) -> list[int]:
        """A question and texts -> the rows of the texts, the one that answers it best first. Raises VoyageUnavailable."""

        def send() -> list[int]:
            client = self._client(QUESTION_SECONDS)
            found = client.rerank(question[:LONGEST_TEXT], [text[:8_000] or " " for text in texts], model=RERANK_MODEL)
            rows = [int(one.index) for one in found.results]
            if sorted(rows) != list(range(len(texts))):
                raise ValueError
            return rows

        try:
            return self._patiently(send, QUESTION_PATIENCE, size=0)
        except _TooMuch:
            raise VoyageRefused("Voyage refuses to put these results in order") from None

    # -- requests

    def _embed(self, texts: list[str], kind: str, seconds: float, patience: float) -> NDArray[np.uint8]:
        def send() -> NDArray[np.uint8]:
            answer = self._client(seconds).embed(
                texts, model=self.options.model, input_type=kind, output_dtype="ubinary", output_dimension=BITS
            )
            bits = np.array(answer.embeddings, np.uint8)
            if bits.shape != (len(texts), BYTES):
                raise ValueError
            return bits

        return self._patiently(send, patience, sum(tokens_in(len(text)) for text in texts))

    def _client(self, seconds: float) -> Any:
        client = self._clients.get(seconds)
        if client is None:
            try:
                import voyageai
            except ImportError:
                raise VoyageRefused("Voyage's client is not installed (`pip install maguyva[voyage]`)") from None
            logging.getLogger("voyage").disabled = True  # it logs what a server sends back
            client = voyageai.Client(  # type: ignore[attr-defined]  # there, as its documentation says
                api_key=self.options.key, max_retries=0, timeout=seconds, base_url=self.options.base_url
            )
            self._clients[seconds] = client
        return client

    def _patiently(self, send: Callable[[], T], patience: float, size: int) -> T:
        """Asks again as long as that may help and `patience` lasts, when the server says so or after 1, 2, 4 ... seconds. `size`:
        tokens of the request, where a smaller one could go through."""
        deadline = self._clock() + patience
        attempt = 0
        while True:
            try:
                return send()
            except VoyageUnavailable:
                raise
            except Exception as error:
                failure = _failure(error)
            if failure.refused:
                raise VoyageRefused(failure.what) from None
            if failure.too_much:
                raise _TooMuch from None
            if failure.limited and attempt >= 1 and size > LEAST_TOKENS:
                raise _RateLimited from None
            pause = min(2.0**attempt, LONGEST_PAUSE) if failure.after is None else failure.after
            if self._clock() + pause > deadline:
                raise VoyageUnavailable(failure.what) from None
            self._sleep(pause)
            attempt += 1


class _RateLimited(Exception):
    """Refused twice for asking too much at a time."""


@dataclass(frozen=True, slots=True)
class _Failure:
    what: str  # in words for the user, never those of the server
    refused: bool = False
    too_much: bool = False
    limited: bool = False
    after: float | None = None  # seconds until the server wants to be asked again


# The client's error -> what it means. What it raises besides these is its trouble with an answer that is not what was promised.
_FAILURES = {
    "AuthenticationError": _Failure("Voyage does not accept the key (MAGUYVA_VOYAGE_API_KEY)", refused=True),
    "MalformedRequestError": _Failure("Voyage does not understand the request: is the model's name right?", refused=True),
    "InvalidRequestError": _Failure("Voyage refuses the request", too_much=True),
    "RateLimitError": _Failure(LIMIT_REACHED, limited=True),
    "ServerError": _Failure("Voyage has an error of its own"),
    "ServiceUnavailableError": _Failure("Voyage is not available"),
    "Timeout": _Failure("Voyage takes too long"),
    "APIConnectionError": _Failure("Voyage can't be reached"),
    "TryAgain": _Failure("Voyage is busy"),
}
_OF_STATUS = {
    400: _FAILURES["InvalidRequestError"],
    401: _FAILURES["AuthenticationError"],
    403: _Failure("Voyage does not let this key do this (is it a key of this host?)", refused=True),
    404: _Failure("There is no Voyage at the address that is set (MAGUYVA_VOYAGE_URL)", refused=True),
    422: _FAILURES["MalformedRequestError"],
    429: _FAILURES["RateLimitError"],
}
_NOT_AS_PROMISED = _Failure("Voyage sent something that is not an answer")


def _failure(error: Exception) -> _Failure:
    """What a request ended in -> what that means. Nothing of the error's own text is kept: a server decides what is in it."""
    status = getattr(error, "http_status", None)
    found = _FAILURES.get(type(error).__name__)
    if found is None:
        found = _OF_STATUS.get(status, _NOT_AS_PROMISED) if isinstance(status, int) else _NOT_AS_PROMISED
    headers = getattr(error, "headers", None) or {}
    return _Failure(found.what, found.refused, found.too_much, found.limited, _seconds(headers))


def _seconds(headers: Any) -> float | None:
    """`Retry-After`, where it is a number of seconds; dates and nonsense count as not said."""
    try:
        value = next(str(headers[name]) for name in headers if str(name).lower() == "retry-after")
        seconds = float(value)
    except (StopIteration, ValueError, TypeError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
