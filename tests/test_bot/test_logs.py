"""Lines of the log: what they look like, and what they never contain."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot import logs

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEcanary3141592653589793\nabcDEF123/+=\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    stream = io.StringIO()
    yield stream
    root.handlers, root.level = before, level
    structlog.reset_defaults()


SECRETS = (
    "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghs_12345_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbb",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJl",
    "pa-1234567890abcdefghijklmnop",
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    KEY,
)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", ["json", "text"])
def test_secrets_are_known_by_what_they_look_like(stream: io.StringIO, secret: str, form: str) -> None:
    logs.set_up("debug", form, stream=stream)
    structlog.get_logger("maguyva").info("met", says=f"git said {secret}!", deep={"list": [secret]})
    logging.getLogger("some.library").warning("with %s in it", secret)

    shown = stream.getvalue()
    assert secret.strip() not in shown and "canary" not in shown
    assert shown.count(logs.HIDDEN) >= 3


@pytest.mark.parametrize("header", ["Authorization: Basic eC1hY2Nlc3M6Z2hzXw==", "authorization='token abcdef'", "Bearer abcdefghijklmnop"])
def test_headers_lose_their_credentials(header: str) -> None:
    shown = logs.Redactor().text(f"sent {header} to them")

    assert not any(word in shown for word in ("eC1h", "abcdef"))


def test_what_we_were_given_is_hidden_wherever_it_stands() -> None:
    redact = logs.Redactor(["hunter2hunter2", KEY, "abc"])

    assert redact.text("xhunter2hunter2y") == f"x{logs.HIDDEN}y"
    assert "canary" not in redact.text("half of it: MIIEcanary3141592653589793")
    assert redact.text("abc stays: too short to be told from a word") == "abc stays: too short to be told from a word"
    assert redact.text("postgresql://user:pass@db/x") == f"postgresql://{logs.HIDDEN}@db/x"


def test_a_traceback_is_hidden_too(stream: io.StringIO) -> None:
    logs.set_up(stream=stream)
    try:
        raise ValueError("ghs_16C7e42F292c6912E7710c838347Ae178B4a")
    except ValueError:
        structlog.get_logger("maguyva").exception("a fault")

    assert "ghs_16" not in stream.getvalue()


def test_a_line_is_one_json_object(stream: io.StringIO) -> None:
    logs.set_up(stream=stream)
    structlog.get_logger("maguyva.jobs").info("a job ended", kind="analyse", seconds=1.5)

    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "a job ended", "level": "info", "logger": "maguyva.jobs", "kind": "analyse", "seconds": 1.5}


def test_a_library_that_says_the_same_every_second_is_heard_once_a_minute(stream: io.StringIO) -> None:
    """Without its traceback, and without the secret in it."""
    logs.set_up("info", "json", (), stream)
    queue = logging.getLogger("dbos")
    trace = "Traceback (most recent call last):\n  File x\n    y\nsqlalchemy.exc.OperationalError: away\n\tMore"
    for _ in range(3):
        queue.warning("Exception polling: %s", trace)
        queue.warning("connection to postgresql://maguyva:hunter2hunter2@db/maguyva lost")

    said = [json.loads(line)["event"] for line in stream.getvalue().splitlines()]

    assert said == ["Exception polling: sqlalchemy.exc.OperationalError: away", "connection to postgresql://[hidden]@db/maguyva lost"]
