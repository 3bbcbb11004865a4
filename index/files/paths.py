"""Path bytes as git has them -> text that is safe to show, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")


PLAIN = bytes(byte for byte in range(0x20, 0x7F) if byte != 0x5C)  # what stays as it is
_JOINED = b"\0" + PLAIN  # and what stands between paths


def shown(path: bytes) -> str:
    r"""Undecodable bytes as \xNN, control, bidi and zero-width characters and the backslash escaped: one line, reversible by `raw`."""
    text = path.decode("utf-8", "surrogateescape")
    return _UNSHOWN.sub(_escape, text)


def all_shown(paths: Sequence[bytes]) -> list[str]:
    """The same for many: where nothing has to be escaped, only what is not plain ASCII is looked at."""
    joined = b"\0".join(paths)
    try:
        text, rest = joined.decode(), joined.translate(None, _JOINED).decode()
    except UnicodeDecodeError:
        return [shown(path) for path in paths]
    if not paths or _UNSHOWN.search(rest) is not None or joined.count(b"\0") != len(paths) - 1:
        return [shown(path) for path in paths]
    return text.split("\0")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return "\\\\" if match[0] == "\\" else f"\\u{code:04x}"


def raw(path: str) -> bytes:
    r"""What `shown` gave -> the bytes it was made of."""
    out, at = bytearray(), 0
    for match in re.finditer(r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4}))", path):
        out += path[at : match.start()].encode("utf-8", "surrogatepass")
        if match[1]:
            out.append(int(match[1], 16))
        else:
            out += (chr(int(match[2], 16)) if match[2] else "\\").encode("utf-8", "surrogatepass")
        at = match.end()
    return bytes(out + path[at:].encode("utf-8", "surrogatepass"))
