"""A server on this machine that behaves like Voyage: same paths, same limits, same errors. Tests talk to it with the real client."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEY = "pa-canary0123456789abcdefghijklmnop"
MODELS = ("voyage-code-3", "voyage-4")


@dataclass
class Failure:
    """What the next request gets instead of an answer. `body`: as JSON, or bytes as they are. `slow`: seconds before it."""

    status: int = 500
    body: Any = field(default_factory=lambda: {"detail": "nope"})
    headers: Mapping[str, str] = field(default_factory=dict)
    slow: float = 0.0


@dataclass
class Answered(Failure):
    """No failure: this request is answered."""


@dataclass
class FakeVoyage:
    """Its state. `failures`: one a request, then it works. `most_tokens`: of a request, three characters each."""

    url: str
    failures: list[Failure] = field(default_factory=list)
    most_texts: int = 1_000
    most_tokens: int = 120_000
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def sent(self) -> list[str]:
        """Every text that came and was answered."""
        return [text for request in self.requests if request["answered"] for text in request["body"].get("input", ())]


@contextmanager
def a_voyage(**settings: Any) -> Iterator[FakeVoyage]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = {"path": self.path, "body": body, "answered": False}
            voyage.requests.append(request)
            status, answer, headers = self._failure() or self._answer(body)
            request["answered"] = status == 200
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _failure(self) -> tuple[int, Any, Mapping[str, str]] | None:
            if not voyage.failures:
                return None
            failure = voyage.failures.pop(0)
            if isinstance(failure, Answered):
                return None
            time.sleep(failure.slow)
            return failure.status, failure.body, failure.headers

        def _answer(self, body: dict[str, Any]) -> tuple[int, Any, Mapping[str, str]]:
            if self.headers["Authorization"] != f"Bearer {KEY}":
                return 401, {"detail": f"Provided API key {self.headers['Authorization']} is invalid."}, {}
            if self.path == "/v1/rerank":
                scores = [_shared(body["query"], text) for text in body["documents"]]
                order = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
                data = [{"index": row, "relevance_score": scores[row]} for row in order]
                return 200, {"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": 1}}, {}
            if self.path != "/v1/embeddings" or body["model"] not in MODELS:
                return 404, {"detail": "Not found"}, {}
            texts = body["input"]
            if (body["output_dtype"], body["output_dimension"], body["encoding_format"]) != ("ubinary", 1024, "base64"):
                return 400, {"detail": "these tests ask for 1,024 bits only"}, {}
            if not 1 <= len(texts) <= voyage.most_texts or not all(texts):
                return 400, {"detail": f"The batch size limit is {voyage.most_texts}."}, {}
            if sum(len(text) // 3 for text in texts) > voyage.most_tokens:
                return 400, {"detail": f"The max allowed tokens per submitted batch is {voyage.most_tokens}."}, {}
            vectors = [base64.b64encode(bits_of(text).tobytes()).decode() for text in texts]
            data = [{"object": "embedding", "embedding": vector, "index": at} for at, vector in enumerate(vectors)]
            return 200, {"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": 7}}, {}

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that gave up is no news
    server.daemon_threads = True
    voyage = FakeVoyage(f"http://127.0.0.1:{server.server_port}", **settings)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield voyage
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def words_of(text: str) -> Sequence[str]:
    return re.findall(r"[a-z]{3,}", text.lower())


def bits_of(text: str) -> NDArray[np.uint8]:
    """uint8[128]: each word votes on every bit, so texts that share words have bits in common."""
    votes = np.zeros(1024, np.int64)
    for word in words_of(text):
        votes += np.unpackbits(np.frombuffer(hashlib.shake_128(word.encode()).digest(128), np.uint8)) * 2 - 1
    return np.packbits(votes > 0)


def _shared(question: str, text: str) -> float:
    return len(set(words_of(question)) & set(words_of(text))) / (1 + len(set(words_of(text))))
