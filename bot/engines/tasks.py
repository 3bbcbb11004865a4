"""The name of a task and its arguments -> what the engine says, as JSON. Runs in an engine process; `TASKS` is all it can be asked.

What comes out is rendered already: an analysis can reach ten thousand places, and neither they nor the Markdown of them are the business
of the process that answers GitHub.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from index.engine import Engine

OPEN_ENGINES = 4  # repositories that a process keeps open: a warm one answers without reading its index again

Given = Mapping[str, Any]
Task = Callable[[Engine, Given], dict[str, Any]]


class Desk:
    """The engines of one process, the last used kept open."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, str], Engine] = OrderedDict()

    def do(self, task: str, given: Given) -> dict[str, Any]:
        """`clone` and `home` say which repository. Raises MaguyvaErrors."""
        began = time.perf_counter()
        answer = TASKS[task](self._engine(str(given["clone"]), str(given["home"])), given)
        return {**answer, "seconds": round(time.perf_counter() - began, 3)}

    def _engine(self, clone: str, home: str) -> Engine:
        engine = self._open.pop((clone, home), None) or Engine.open(clone, Path(home))
        engine.notes.clear()
        self._open[clone, home] = engine
        while len(self._open) > OPEN_ENGINES:
            self._open.popitem(last=False)[1].close()
        return engine

    def forget(self) -> None:
        """Closes everything: what a task that ran out of memory left behind can't be trusted."""
        while self._open:
            self._open.popitem()[1].close()


def index_commit(engine: Engine, given: Given) -> dict[str, Any]:
    """`commit` -> its snapshot is there."""
    snapshot = engine.update(str(given["commit"]))
    return {"files": len(snapshot.paths), "symbols": snapshot.symbol_count, "notes": list(engine.notes)}


TASKS: Mapping[str, Task] = MappingProxyType({"index": index_commit})
