"""The snapshots that other tests build by hand keep the promises of index/snapshot.py."""

from __future__ import annotations

import numpy as np

from index.types import EdgeKind, PathKind, Step, SymbolKind, Tier
from support.snapshots import a_snapshot, place_of, row_of


def test_columns_are_sorted_and_readable() -> None:
    shop = a_snapshot(
        files={
            "b.py": "from a import Cart\n\ndef pay():\n    Cart().total()\n",
            "a.py": "class Cart:\n    def total(self):\n        pass\n",
        },
        symbols=[("a.py", "Cart", "class", 1, 3), ("a.py", "Cart.total", "method", 2, 3), ("b.py", "pay", "function", 3, 4)],
        edges=[
            ("b.py::pay", "a.py::Cart.total", "call", "likely", 4, 5, ("import", "attribute")),
            ("b.py", "a.py::Cart", "import", "proved", 1),
        ],
        open_sites=[("b.py::pay", "ghost", 4, "name")],
        rank={"a.py::Cart": 7.5},
    )

    assert shop.paths == ["a.py", "b.py"]
    assert [place_of(shop, row) for row in range(shop.symbol_count)] == ["a.py", "a.py::Cart", "a.py::Cart.total", "b.py", "b.py::pay"]
    assert shop.symbol(2).kind is SymbolKind.METHOD
    assert shop.parts["symbols"]["column"][2] == 9
    (edge,) = [shop.edge(int(row)) for row in shop.edges_to(row_of(shop, "a.py::Cart.total"))]
    assert (edge.source.qualified, edge.kind, edge.tier, edge.line, edge.chain) == (
        "pay",
        EdgeKind.CALL,
        Tier.LIKELY,
        4,
        (Step.IMPORT, Step.ATTRIBUTE),
    )
    assert [shop.edge(int(row)).line for row in shop.edges_from(row_of(shop, "b.py"))] == [1]
    assert shop.open_site(0).name == "ghost"
    assert shop.parts["rank"]["score"][1] == np.float32(7.5)
    assert shop.symbol_at(0, 3) == 2
    assert shop.chunk_of_symbol(2) == 1
    assert shop.parts["chunks"]["start_line"].tolist() == [1, 2, 1, 3]


def test_paths_alone_are_enough() -> None:
    shop = a_snapshot(files=["vendor/x.py", "y.py"], symbols=[("y.py", "f", "function", 9, 12)])

    assert shop.path_kind(0) is PathKind.VENDOR
    assert shop.symbol(2).end_line == 12
    assert len(shop.edges_to(2)) == 0
