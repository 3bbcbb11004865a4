"""A commit, a path and a line -> an address that shows it, for whoever has one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

from index.files.paths import raw

LinkTo = Callable[[str, str, int], str]
"""(commit, path as `index.files.paths.shown` gives it, line or 0) -> an address, or "" where there is none."""


def no_links(commit: str, path: str, line: int) -> str:
    """Places stay text."""
    return ""


def github_links(repository_url: str) -> LinkTo:
    """`https://github.com/owner/name`, or the same on a server of one's own -> permalinks into it."""
    return partial(permalink, repository_url)


def permalink(repository_url: str, commit: str, path: str, line: int) -> str:
    """The address of a line at a commit; "" without a repository or a real commit id."""
    if not repository_url or not re.fullmatch(r"[0-9a-f]{7,64}", commit):
        return ""
    plain = "?plain=1" if path.lower().endswith((".md", ".markdown", ".rst", ".ipynb")) else ""
    return f"{repository_url.rstrip('/')}/blob/{commit}/{quote(raw(path), safe='/')}{plain}" + (f"#L{line}" if line > 0 else "")
