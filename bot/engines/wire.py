"""One message between the service and an engine process <-> bytes: four bytes of length, then JSON. Never pickle: what an engine
process says was made from a stranger's repository."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

HEAD = struct.Struct(">I")
LARGEST = 64 << 20  # bytes of one message; a comment has 60,000 characters, so more than this is a fault


class WireBroken(Exception):
    """The other side is gone, or does not speak our language."""


def framed(message: Mapping[str, Any]) -> bytes:
    """A message -> what goes over the wire."""
    data = json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode()
    return HEAD.pack(len(data)) + data


def size_of(head: bytes) -> int:
    """The first four bytes -> how many follow. Raises WireBroken."""
    size = int(HEAD.unpack(head)[0])
    if size > LARGEST:
        raise WireBroken(f"a message of {size:,} bytes")
    return size


def message_of(data: bytes) -> dict[str, Any]:
    """The bytes of one message -> the message. Raises WireBroken."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise WireBroken(str(error)) from error
    if not isinstance(message, dict):
        raise WireBroken("not an object")
    return message


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message; None where the other side has closed. Waits."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    size = size_of(head)
    data = stream.read(size)
    return message_of(data) if len(data) == size else None
