"""The environment -> where things are. No other file reads it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def index_home(environment: Mapping[str, str], chosen: str = "") -> Path:
    """Where indexes are kept: `chosen` (--index), else MAGUYVA_HOME, else `maguyva` in the user's cache folder. Never in the analysed
    repository. A relative XDG_CACHE_HOME is ignored, as the XDG specification asks."""
    if chosen or environment.get("MAGUYVA_HOME"):
        return Path(chosen or environment["MAGUYVA_HOME"]).expanduser().absolute()
    cache = Path(environment.get("XDG_CACHE_HOME", ""))
    return (cache if cache.is_absolute() else Path(environment.get("HOME") or "/tmp", ".cache")) / "maguyva"


def wants_color(environment: Mapping[str, str], is_terminal: bool, refused: bool = False) -> bool:
    """--no-color, then NO_COLOR and FORCE_COLOR (any value that is not empty), then whether it is a terminal that knows colors."""
    if refused or environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (is_terminal and environment.get("TERM") != "dumb")
