"""The bench folder's own scorers, loaded by path. They judge us, so they are neither copied nor changed here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType


def graph_scorer(bench: Path, name: str) -> ModuleType:
    """`score_callgraph` or `score_refs` of BENCH/graph. Raises FileNotFoundError where the folder holds none."""
    folder = bench / "graph"
    if not (folder / f"{name}.py").is_file():
        raise FileNotFoundError(f"{folder} holds no {name}.py: give the bench folder with BENCH=path")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))  # the scorers import each other by bare name
    return importlib.import_module(name)


def impact_scorer(bench: Path, name: str) -> ModuleType:
    """A module of BENCH/impact/scripts. Raises FileNotFoundError where the folder holds none."""
    folder = bench / "impact" / "scripts"
    if not (folder / f"{name}.py").is_file():
        raise FileNotFoundError(f"{folder} holds no {name}.py: give the bench folder with BENCH=path")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(name)
