"""Prepared requests on standard input -> posted at a steady rate to a service on the loopback; how long each took, as JSON.

    python -m speed.load PORT RATE < requests

A process of its own that does nothing else, so that what it measures is the service: each request is bytes that were made and signed
before, goes over a connection of its own at the moment that is its turn whatever became of the others, and is timed from that moment on.
How late this process itself was is told apart: that much of an answer's time is not the service's.

Standard input: one JSON object {"requests": [base64, ...]}.
"""

from __future__ import annotations

import base64
import json
import selectors
import socket
import sys
import time
from dataclasses import dataclass

LONGEST = 30.0  # seconds that an answer may take


@dataclass
class Posting:
    due: float
    socket: socket.socket
    answer: bytes = b""


def post_all(port: int, rate: float, requests: list[bytes]) -> dict[str, list[float]]:
    """Seconds from each request's moment to the end of its answer, and how late it was sent. Raises RuntimeError unless all are 202."""
    took: list[float] = []
    late: list[float] = []
    first = time.perf_counter() + 0.1
    with selectors.DefaultSelector() as waiting:
        while len(took) < len(requests):
            due = first + len(late) / rate
            left = due - time.perf_counter() if len(late) < len(requests) else LONGEST
            if left <= 0:
                late.append(-left)
                waiting.register(link := _sent(port, requests[len(late) - 1]), selectors.EVENT_READ, Posting(due, link))
                continue
            answers = waiting.select(left)
            if not answers and len(late) == len(requests):
                raise RuntimeError(f"{len(requests) - len(took)} requests were not answered")
            for key, _ in answers:
                one: Posting = key.data
                piece = one.socket.recv(65_536)
                one.answer += piece
                if piece:
                    continue  # "Connection: close": the end of the answer is the end of the connection
                took.append(time.perf_counter() - one.due)
                waiting.unregister(one.socket)
                one.socket.close()
                if not one.answer.startswith(b"HTTP/1.1 202"):
                    raise RuntimeError(one.answer[:200].decode(errors="replace"))
    return {"took": took, "late": late}


def _sent(port: int, request: bytes) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=LONGEST)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(request)
    return link


def request(port: int, headers: dict[str, str], body: bytes) -> bytes:
    """A POST to /webhook as it goes over the wire."""
    lines = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body)), "Connection": "close", **headers}
    return b"POST /webhook HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode() + b"\r\n" + body


if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump(post_all(int(sys.argv[1]), float(sys.argv[2]), [base64.b64decode(one) for one in given["requests"]]), sys.stdout)
