"""What is no message of ours, between the service and the processes that work for it, is said to be that."""

from __future__ import annotations

import pytest

from bot.engines.wire import HEAD, WireBroken, framed, message_of


@pytest.mark.parametrize(
    "sent",
    [b"", b"{", b"\xff\xfe", b"[1, 2]", b"null", b"[" * 200_000, b'{"a":' * 200_000],
    ids=["nothing", "half an object", "no text", "a list", "null", "lists in lists", "objects in objects"],
)
def test_what_is_no_message_of_ours(sent: bytes) -> None:
    with pytest.raises(WireBroken):
        message_of(sent)


def test_a_message_comes_back_as_it_was_sent() -> None:
    said = {"ask": "numbers", "names": ["é", "\N{SNOWMAN}"]}

    assert message_of(framed(said)[HEAD.size :]) == said
