"""What names mean at each place, and what is said of those that lead nowhere or to too much."""

from __future__ import annotations

import pytest

from index.build import build
from index.resolver.dispatch import MAX_HELD
from index.types import EdgeKind, Unresolved

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


def test_what_a_package_takes_from_outside_is_not_missing() -> None:
    package = b"from os import path\nimport json as js\n"
    snapshot = build({b"pkg/__init__.py": package, b"use.py": b"from pkg import path, js, gone\npath()\njs.dumps()\ngone()\n"})

    sites = snapshot.parts["open"]
    missing = sites["reason"] == Unresolved.MISSING

    assert {snapshot.names[int(name)] for name in sites["name"][missing]} == {"gone"}
    assert sites["line"][missing].tolist() == [1, 4]


@pytest.mark.parametrize(("subclasses", "told", "left_open"), [(MAX_HELD, MAX_HELD, 0), (MAX_HELD + 1, 0, 1)])
def test_a_field_that_too_many_subclasses_fill_is_an_open_site(subclasses: int, told: int, left_open: int) -> None:
    base = "class View:\n    form = None\n\n    def show(self):\n        return self.form()\n\n\n"
    rest = "".join(f"def form{at}(): ...\n\n\nclass View{at}(View):\n    form = form{at}\n\n\n" for at in range(subclasses))
    snapshot = build({b"views.py": (base + rest).encode()})

    edges, sites = snapshot.parts["edges"], snapshot.parts["open"]
    calls = (edges["kind"] == EdgeKind.CALL) & (edges["line"] == 5) & (snapshot.parts["symbols"]["line"][edges["target"]] > 5)
    is_left = (sites["reason"] == Unresolved.AMBIGUOUS) & (sites["line"] == 5)

    assert (int(calls.sum()), int(is_left.sum())) == (told, left_open)
