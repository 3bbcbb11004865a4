"""What a condition on a member says about a value of several types: `x.kind === "circle"`, `"radius" in x`, `if (result.ok)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index.parsing.kinds import Kind
from index.resolver.values import CLASS, CONTAINER, INSTANCE, SELF, TEXT, Value
from index.types import SymbolKind

if TYPE_CHECKING:
    from index.resolver.program import Unit
    from index.resolver.script import ScriptEvaluator

Keys = frozenset[tuple[str | int, ...]]  # literals, and members of enums

DISCRIMINANTS: Final = (Kind.STRING, Kind.NUMBER, Kind.LITERAL, Kind.ATTRIBUTE, Kind.NAME)
_UNDEFINED: Final = ("literal", "undefined")
_FALSY: Final[Keys] = frozenset(
    {_UNDEFINED, ("literal", "null"), ("literal", "false"), ("text", ""), ("number", "0")},
)
_WRAPPERS: Final = (Kind.CAST, Kind.SATISFIES, Kind.NON_NULL)


class Narrowing:
    """Asks an evaluator what members are declared to be."""

    def __init__(self, evaluator: ScriptEvaluator) -> None:
        self.evaluator = evaluator

    def may_hold(self, unit: Unit, condition: int, labels: int, value: Value, holds: bool, fuel: int) -> bool:
        """Whether the condition may hold (or fail) for a value; for a case of a switch, it and the `labels - 1` cases before it."""
        kind = unit.kind[condition]
        if kind == Kind.ATTRIBUTE:
            return self._truth(self._declared(value, unit.text(unit.next[condition + 1]), fuel), holds)
        if kind == Kind.CASE:
            of = unit.parent[unit.parent[condition]] + 1
            before = [case for case in unit.kids(unit.parent[condition]) if case <= condition]
            wanted: Keys | None = frozenset()
            for case in before[-labels:]:
                keys = self.literal(unit, case + 1, fuel)
                wanted = None if wanted is None or keys is None else wanted | keys
            return wanted is None or self._equals(self._declared(value, unit.text(unit.next[of + 1]), fuel), wanted, holds)
        left, right = unit.kids(condition)
        for side, other in ((left, right), (right, left)):
            if unit.kind[side] == Kind.ATTRIBUTE and unit.kind[side + 1] == Kind.NAME and unit.kind[other] in DISCRIMINANTS:
                wanted = self.literal(unit, other, fuel)
                return wanted is None or self._equals(self._declared(value, unit.text(unit.next[side + 1]), fuel), wanted, holds)
        has, _ = self._declared(value, unit.text(left + 1), fuel)
        return has is None or has == holds

    @staticmethod
    def _truth(declared: tuple[bool | None, Keys | None], holds: bool) -> bool:
        has, keys = declared
        if has is False:
            return not holds
        return keys is None or (bool(keys - _FALSY) if holds else bool(keys & _FALSY))

    @staticmethod
    def _equals(declared: tuple[bool | None, Keys | None], wanted: Keys, holds: bool) -> bool:
        has, keys = declared
        if has is False:
            return (_UNDEFINED in wanted) == holds
        return keys is None or (bool(keys & wanted) if holds else not keys <= wanted)

    def _declared(self, value: Value, name: str, fuel: int) -> tuple[bool | None, Keys | None]:
        """Whether a value has a member of that name (None: not known), and the literals that it may be (None: anything)."""
        if value[0] in (INSTANCE, SELF):
            order, complete = self.evaluator.mro(value[1], value[2])
            member = self.evaluator.find_member(value, name)
            if member is None:
                return (False if complete else None), None
            above = self.evaluator.order(member[0].number, member[2])
            if any(each not in above and self.evaluator.find_member((INSTANCE, *each), name) is not None for each in order[1:]):
                return True, None  # a base that is one of several
            unit, group, _ = member
            found: Keys | None = frozenset()
            for row in range(unit.group_first[group], unit.group_first[group + 1]):
                keys = None
                if unit.type[row] >= 0:
                    keys = self.of_type(unit, unit.type[row], fuel)
                elif unit.value[row] >= 0:
                    keys = self.literal(unit, self._inner(unit, unit.value[row]), fuel)
                found = None if found is None or keys is None else found | keys
            return True, found
        if value[0] != CONTAINER:
            return None, None
        unit, node = self.evaluator.program.unit(value[1]), value[2]
        if unit.kind[node] == Kind.OBJECT_TYPE:
            for member_node in self.evaluator.type_members(unit, node, name):
                declared = next((part for part in unit.kids(member_node) if unit.kind[part] == Kind.TYPE), -1)
                return True, self.of_type(unit, declared, fuel) if declared >= 0 else None
            return False, None
        return self._written(unit, node, name, fuel) if unit.kind[node] == Kind.DICT else (None, None)

    def _written(self, unit: Unit, node: int, name: str, fuel: int) -> tuple[bool | None, Keys | None]:
        has: bool | None = False
        for item in unit.kids(node):
            kind = unit.kind[item]
            if kind == Kind.PAIR and unit.kind[item + 1] == Kind.PROPERTY_NAME and unit.text(item + 1) == name:
                return True, self.literal(unit, self._inner(unit, unit.kids(item)[-1]), fuel)
            if kind == Kind.SHORTHAND and unit.text(item) == name:
                return True, None
            if kind == Kind.SPREAD:
                has = None
        return has, None

    @staticmethod
    def _inner(unit: Unit, node: int) -> int:
        while unit.kind[node] in _WRAPPERS and unit.next[node] > node + 1:
            node += 1
        return node

    def literal(self, unit: Unit, node: int, fuel: int) -> Keys | None:
        """What an expression is that something is compared with; None if that is not told."""
        kind = unit.kind[node]
        if kind in (Kind.STRING, Kind.TEMPLATE):
            if unit.next[node] == node + 1:
                return frozenset({("text", "")})
            return frozenset({("text", unit.text(node + 1))}) if unit.next[node] == node + 2 and unit.kind[node + 1] == Kind.TEXT else None
        if kind == Kind.NUMBER:
            return frozenset({("number", unit.text(node))})
        if kind == Kind.LITERAL:
            return frozenset({("literal", unit.text(node))}) if unit.text(node) else None
        if kind == Kind.ATTRIBUTE:
            found = self._member_of_enum(unit, node, fuel)
            if found is not None:
                return found
        if kind in (Kind.NAME, Kind.ATTRIBUTE):
            values = self.evaluator.values(unit, node, fuel - 1)
            if values and all(value[0] == TEXT for value in values):
                return frozenset(("text", str(value[1])) for value in values)
        return None

    def _member_of_enum(self, unit: Unit, node: int, fuel: int) -> Keys | None:
        name = unit.text(unit.next[node + 1])
        for value in self.evaluator.values(unit, node + 1, fuel - 1):
            if value[0] == CLASS and self.evaluator.program.unit(value[1]).symbol_kind[value[2]] == SymbolKind.ENUM:
                return frozenset({("member", value[1], value[2], name)})
        return None

    def of_type(self, unit: Unit, node: int, fuel: int) -> Keys | None:
        """The literals that a type allows; None where it is no type of literals."""
        if not 0 <= node < len(unit.kind) or self.evaluator.spent(fuel):  # or written in a comment
            return None
        kind = unit.kind[node]
        if kind == Kind.TYPE:
            return self.of_type(unit, node + 1, fuel) if unit.next[node] > node + 1 else None
        if kind == Kind.UNION:
            found: Keys = frozenset()
            for part in unit.kids(node):
                keys = self.of_type(unit, part, fuel)
                if keys is None:
                    return None
                found |= keys
            return found
        if kind == Kind.TYPE_NAME:
            for value in self.evaluator.values(unit, node, fuel - 1):
                if value[0] == CLASS:
                    other = self.evaluator.program.unit(value[1])
                    if other.symbol_kind[value[2]] == SymbolKind.TYPE and value[2] not in other.class_scopes:
                        self.evaluator.look("header", other, value[2], "")
                        return self.of_type(other, other.kids(other.symbol_node[value[2]])[-1], fuel - 1)
            return None
        if kind == Kind.ATTRIBUTE:
            return self._member_of_enum(unit, node, fuel)
        return self.literal(unit, node, fuel) if kind in (Kind.STRING, Kind.TEMPLATE, Kind.NUMBER, Kind.LITERAL) else None
