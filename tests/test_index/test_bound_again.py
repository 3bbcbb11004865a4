"""A function that is defined again under its name: each call goes to the one that holds there."""

from __future__ import annotations

from index.build import build
from index.types import EdgeKind

TWICE = b"""\
def work():
    return 1


work()


def work():
    return 2


work()


def late():
    work()
"""


def test_each_call_goes_to_the_definition_before_it() -> None:
    snapshot = build({b"a.py": TWICE})

    edges, line = snapshot.parts["edges"], snapshot.parts["symbols"]["line"]
    calls = edges["kind"] == EdgeKind.CALL
    found = {(int(at), int(line[target])) for at, target in zip(edges["line"][calls], edges["target"][calls], strict=True)}

    assert found == {(5, 1), (12, 8), (16, 8)}
