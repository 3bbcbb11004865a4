"""The enums that hot code compares, as plain whole numbers at run time.

Comparing a number with a member of an IntEnum costs three times what comparing two numbers does (0.21 against 0.06
microseconds), and reading a member from its class is slower too; the resolver does both millions of times. For the type
checker, and wherever a label is wanted, they are the enums they are.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from index import types


def plain(members: type[IntEnum]) -> Any:
    """An enum -> a class whose attributes are its members' numbers."""
    return type(members.__name__, (), {name: int(member) for name, member in members.__members__.items()})


if TYPE_CHECKING:
    from index.types import EdgeKind as EdgeKind
    from index.types import Step as Step
    from index.types import SymbolKind as SymbolKind
    from index.types import Unresolved as Unresolved
else:
    EdgeKind = plain(types.EdgeKind)
    Step = plain(types.Step)
    SymbolKind = plain(types.SymbolKind)
    Unresolved = plain(types.Unresolved)
