"""What the engine asks of a language: a grammar, its node types as our kinds, and a front end that finds scopes and bindings.

Every grammar is folded to one small set of node kinds (`index.parsing.kinds.Kind`), so that the resolver reads all
languages alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from index.parsing.columns import Tree
    from index.parsing.facts import FactsBuilder


@dataclass(frozen=True, eq=False)
class Language:
    """One language. `grammar` is called once per process; `kinds` maps the grammar's named node types to ours."""

    name: str
    number: int  # stored in snapshots: never reuse one
    extensions: tuple[str, ...]
    grammar: Callable[[], Any]
    kinds: Mapping[str, int]
    front_end: Callable[[Tree, FactsBuilder], None]  # finds symbols, scopes and bindings
    version: int  # raise it when the facts of a file change: cached facts of older versions are made anew
    respelled: Callable[[bytes], bytes] | None = None  # source that does not parse -> the same, written so that the grammar understands it
    closed_strings: str = ""  # node type of strings that are one text between quotes, unless a prefix stands before the first quote
