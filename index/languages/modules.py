"""What an import can turn out to name. Shared by the languages that resolve modules; holds no rule of any of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

Configs = Mapping[bytes, bytes] | Mapping[str, str] | Mapping[str, bytes]  # path -> content


class Found(IntEnum):
    FILE = 0  # a file of the project
    FOLDER = 1  # a folder of the project that is a package without a file of its own
    EXTERNAL = 2  # the standard library, or a package that is installed and not part of the project
    MISSING = 3  # it can only mean a file of the project, and there is none


class Resolution:
    """What one import names: written out, since one is made for every import, and a dataclass is slow at it where it is compiled.

    path   FILE: the file that runs; FOLDER: the folder, "" is the repository's own
    stub   FILE: the file beside it that only declares types (`.pyi`, `.d.ts`), if there is one
    name   EXTERNAL: the package's name
    tried  MISSING: the files that would have answered, best first
    """

    __slots__ = ("found", "name", "path", "stub", "tried")

    def __init__(self, found: Found, path: str = "", stub: str = "", name: str = "", tried: tuple[str, ...] = ()) -> None:
        self.found: Final = found
        self.path: Final = path
        self.stub: Final = stub
        self.name: Final = name
        self.tried: Final = tried

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resolution) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def _all(self) -> tuple[Found, str, str, str, tuple[str, ...]]:
        return self.found, self.path, self.stub, self.name, self.tried


MISSING = Resolution(Found.MISSING)
MAX_CONFIG_BYTES: Final = 1 << 20  # a configuration file above this is not read, and a Problem says so
MAX_CONFIG_FILES: Final = 20_000
MOST_CONFIG_BYTES: Final = 32 << 20  # of all together: one content can stand under any number of paths


def config_text(content: bytes | str) -> str:
    """Bytes of a configuration file -> its text without a byte order mark; undecodable bytes are replaced."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return text.removeprefix("\ufeff")


def folder_of(path: str) -> str:
    """`a/b/c.py` -> `a/b`; a file at the top -> ""."""
    return path.rpartition("/")[0]


def joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def normalised(folder: str, relative: str) -> str | None:
    """A folder and a path relative to it -> the repository-relative path, "" for the top; None if it leads out of the repository."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def folders_above(folder: str) -> list[str]:
    """`a/b` -> ["a/b", "a", ""]."""
    found = [folder]
    while folder:
        folder = folder_of(folder)
        found.append(folder)
    return found


def tails(path: str) -> list[str]:
    """`a/b/c` -> ["a/b/c", "b/c", "c"]: every way to end in it."""
    parts = path.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def words(text: str) -> frozenset[str]:
    """A table of names, written as words."""
    return frozenset(text.split())
