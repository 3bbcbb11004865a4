"""Attributes that must mean the same are evaluated once: the answer is the one that each would get by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from index.languages.python import PYTHON
from index.languages.python.modules import ModuleMap
from index.parsing.column import column_of_nodes
from index.parsing.facts import facts_of
from index.parsing.kinds import Kind
from index.resolver.evaluate import FUEL, Evaluator
from index.resolver.program import Program
from index.resolver.values import Values

SHOP = b"""
import billing

class Base:
    def rate(self): return billing.Rate()

class Cart(Base):
    limit = 3
    def __init__(self, owner): self.owner = owner; self.total = billing.Total()
    def pay(self): return self.total.pay(self.rate(), self.limit, self.owner)
    def again(self, other): return self.total.pay(other.rate(), self.rate(), other.rate)
    @classmethod
    def make(cls): return cls.limit, cls.rate, cls.make
    def __new__(cls): return cls.limit, cls.pay
    def told(self, thing):
        if isinstance(self.owner, Base):
            return self.owner.rate()
        thing = thing or self
        return thing.rate(), self.owner.rate()

class Other:
    def pay(self): return self.total, self.rate, billing.Rate, billing.Total, billing.missing
"""
BILLING = b"class Rate: pass\nclass Total:\n    def pay(self, *given): return self\n"


def read(sources: dict[str, bytes], told_apart: bool) -> dict[tuple[str, int], Values]:
    """What every attribute of some files may be; told apart: each for itself."""
    paths = sorted(sources)
    facts = [facts_of(sources[path], PYTHON) for path in paths]
    modules = ModuleMap(paths)
    program = Program(
        paths,
        ["python"] * len(paths),
        facts.__getitem__,
        {"python": modules.resolve},
        modules.conftest_chain,
        {"python": modules.lookup_keys},
    )
    evaluator, found = Evaluator(program), {}
    for number, path in enumerate(paths):
        unit = program.unit(number)
        if told_apart:
            unit.alike = column_of_nodes(np.arange(len(unit.kind), dtype=np.int32), False)
        for node, kind in enumerate(unit.kind):
            if kind == Kind.ATTRIBUTE:
                found[path, node] = evaluator.values(unit, node, FUEL)
    return found


def test_attributes_that_are_alike_are_what_each_of_them_is() -> None:
    sources = {"shop.py": SHOP, "billing.py": BILLING}

    assert read(sources, told_apart=False) == read(sources, told_apart=True)


def test_so_it_is_in_our_own_code() -> None:
    folder = Path(__file__).parents[2] / "index" / "resolver"
    sources = {f"index/resolver/{path.name}": path.read_bytes() for path in sorted(folder.glob("*.py"))}

    assert read(sources, told_apart=False) == read(sources, told_apart=True)
