"""What a call passes, as whoever applies a function asks for it: by position or by keyword."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from index.parsing.kinds import Kind
from index.resolver.values import CLASS, FUNCTION, METHOD, NOTHING, TEXT, Values

if TYPE_CHECKING:
    from index.resolver.evaluate import Evaluator
    from index.resolver.program import Unit

_SPREADS: Final = (Kind.SPREAD, Kind.KEYWORD_SPREAD)
_TEXTS: Final = (Kind.STRING, Kind.TEMPLATE)
_CALLABLES: Final = (FUNCTION, CLASS, METHOD)


class Arguments(Protocol):
    """`names`: of the keywords. `written`: how many positional arguments are there to ask for, spread ones counted as one."""

    @property
    def names(self) -> Collection[str]: ...

    @property
    def written(self) -> int: ...

    def at(self, index: int) -> Values:
        """The positional argument; nothing where there is none, or a spread one may stand before it."""

    def keyword(self, name: str) -> Values | None:
        """None where the call does not name it."""

    def count(self) -> int:
        """How many positional arguments there are, -1 where that is not known."""

    def looks(self, index: int) -> tuple[bool, bool]:
        """Whether one sees at once that a positional argument is text, and that it is a function or class."""


class Written:
    """Arguments of a written call, evaluated when asked for."""

    __slots__ = ("evaluator", "fuel", "names", "nodes", "unit")

    def __init__(self, evaluator: Evaluator, unit: Unit, positional: list[int], keywords: Mapping[str, int], fuel: int) -> None:
        self.evaluator, self.unit, self.nodes, self.names, self.fuel = evaluator, unit, positional, keywords, fuel

    @property
    def written(self) -> int:
        return len(self.nodes)

    def at(self, index: int) -> Values:
        nodes = self.nodes
        if not 0 <= index < len(nodes) or any(self.unit.kind[node] in _SPREADS for node in nodes[: index + 1]):
            return NOTHING
        return self.evaluator.values(self.unit, nodes[index], self.fuel)

    def keyword(self, name: str) -> Values | None:
        node = self.names.get(name)
        return None if node is None else self.evaluator.values(self.unit, node, self.fuel)

    def count(self) -> int:
        return -1 if any(self.unit.kind[node] in _SPREADS for node in self.nodes) else len(self.nodes)

    def looks(self, index: int) -> tuple[bool, bool]:
        return self.unit.kind[self.nodes[index]] in _TEXTS, False


class Given:
    """Positional arguments whose values are known: what a library function passes to the function it is given."""

    __slots__ = ("values",)
    names: Collection[str] = ()

    def __init__(self, values: Sequence[Values]) -> None:
        self.values = values

    @property
    def written(self) -> int:
        return len(self.values)

    def at(self, index: int) -> Values:
        return self.values[index] if 0 <= index < len(self.values) else NOTHING

    def keyword(self, name: str) -> Values | None:
        return None

    def count(self) -> int:
        return len(self.values)

    def looks(self, index: int) -> tuple[bool, bool]:
        tags = {value[0] for value in self.at(index)}
        return TEXT in tags, not tags.isdisjoint(_CALLABLES)


class Shifted:
    """Arguments seen from behind some that were given before; how many there are in all is not known."""

    __slots__ = ("by", "inner")
    names: Collection[str] = ()
    written = 0

    def __init__(self, inner: Arguments, by: int) -> None:
        self.inner, self.by = inner, by

    def at(self, index: int) -> Values:
        return self.inner.at(index + self.by)

    def keyword(self, name: str) -> Values | None:
        return None

    def count(self) -> int:
        return -1

    def looks(self, index: int) -> tuple[bool, bool]:
        return self.inner.looks(index + self.by)


NO_ARGUMENTS: Final = Given(())
