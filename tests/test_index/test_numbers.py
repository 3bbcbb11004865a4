"""The plain numbers of hot code are those of the enums that people see the names of."""

from __future__ import annotations

from enum import IntEnum

import pytest

from index import numbers, types


@pytest.mark.parametrize("enum", [types.SymbolKind, types.EdgeKind, types.Step, types.Unresolved], ids=lambda enum: enum.__name__)
def test_numbers_and_enums_say_the_same(enum: type[IntEnum]) -> None:
    plain = vars(getattr(numbers, enum.__name__))

    assert {name: number for name, number in plain.items() if not name.startswith("_")} == {one.name: int(one) for one in enum}
