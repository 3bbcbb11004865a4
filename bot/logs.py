"""What happens -> one JSON object a line (or text for people) on standard error, without a secret in it.

Everything goes through here: our own lines, and those that DBOS, uvicorn and httpx write with the standard library. Secrets are taken out
by what they look like and, for those we were given, by what they are; a token that nobody thought of is still caught by its prefix.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any, TextIO

import structlog

HIDDEN = "[hidden]"
SHORTEST_SECRET = 6  # characters of a given secret that is looked for: shorter ones would hide ordinary words

PATTERNS: tuple[tuple[str, str], ...] = (
    # what it is, how it looks
    ("a GitHub token", r"\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_.\-]{10,}"),
    ("a JSON web token", r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?"),
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("an Authorization header", r"(?i)\b(?:authorization|proxy-authorization)['\"]?\s*[:=]\s*['\"]?(?:[a-z]+\s+)?[^\s'\",;]+"),
    ("credentials of a header", r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9+/_.\-]{12,}=*"),
    ("a password in an address", r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"),
    ("a Voyage key", r"\bpa-[A-Za-z0-9_\-]{20,}"),
    ("an AWS key", r"\bAKIA[0-9A-Z]{16}\b"),
    ("a signature of a delivery", r"\bsha(?:1|256)=[0-9a-f]{40,64}\b"),
)
_PATTERNS = re.compile("|".join(f"(?:{pattern})" for _, pattern in PATTERNS if not pattern.startswith("(?i)")), re.DOTALL)
_ANY_CASE = re.compile("|".join(f"(?:{pattern[4:]})" for _, pattern in PATTERNS if pattern.startswith("(?i)")), re.IGNORECASE)

SELDOM_SECONDS = 60.0
_ERROR = re.compile(r"[\w.]+(?:Error|Exception)\b")  # where a traceback says what it was
QUIET = ("uvicorn.access", "httpx", "httpcore", "hpack", "asyncio")  # loggers that say at "info" what we say better


class Redactor:
    """`secrets`: those we were given, to be hidden wherever they appear, also in parts of a line that look harmless."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        given = {line for secret in secrets for line in [secret, *secret.splitlines()] if len(line) >= SHORTEST_SECRET}
        known = sorted((one for one in given if not one.startswith("-----")), key=lambda one: (-len(one), one))
        self._given = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        if self._given is not None:
            text = self._given.sub(HIDDEN, text)
        return _ANY_CASE.sub(HIDDEN, _PATTERNS.sub(HIDDEN, text))

    def anything(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, MutableMapping):
            return {key: self.anything(one) for key, one in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.anything(one) for one in value]
        return value if isinstance(value, int | float | bool | type(None)) else self.text(str(value))

    def __call__(self, _: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        return {key: value if key.startswith("_") else self.anything(value) for key, value in event.items()}


class Seldom(logging.Filter):
    """Lets a line of one place through once a minute, without the traceback in it: while a database is away, every thread of the queue says
    so every second."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        place = (record.pathname, record.lineno)
        if record.created - self._said.get(place, float("-inf")) < SELDOM_SECONDS:
            return False
        self._said[place] = record.created
        first, *others = record.getMessage().splitlines() or [""]
        error = next((line for line in others if _ERROR.match(line)), "")
        record.msg, record.args = f"{first.removesuffix('Traceback (most recent call last):')}{error}", ()
        return True


def set_up(level: str = "info", form: str = "json", secrets: Sequence[str] = (), stream: TextIO | None = None) -> None:
    """Sends every line of this process through one formatter. May be called again."""
    redact = Redactor(secrets)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    last: Any = structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, redact, last],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    queue = logging.getLogger("dbos")  # gives itself a handler, past all of this, where it has none
    queue.handlers, queue.filters, queue.propagate = [logging.NullHandler()], [Seldom()], True
