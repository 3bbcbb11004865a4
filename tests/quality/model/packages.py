"""Which packages the embedded model learns from, and how they are got: by the registries' own clients, checked by hash, never run.

`packages.tsv` names each with its version, licence and the digest of its one file. Wheels, npm's tarballs and Debian's packages hold
sources that nobody has to build; no install script, hook or setup file of theirs is executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TABLE = HERE / "packages.tsv"
CACHE = ROOT / ".cache" / "model"
APT = Path("/etc/apt")
TOGETHER = 15  # packages that one call of pip fetches

# What a licence may be made of: all of it lets anyone use, change and pass on, at most with the notice kept.
PERMISSIVE = frozenset(
    "MIT Expat ISC 0BSD Zlib CC0-1.0 Unlicense BlueOak-1.0.0 Go Python-2.0 PSF-based BSD-2-Clause BSD-3-Clause Apache-2.0 MIT-CMU HPND "
    "Apache-2.0-LLVM Biopython Repoze Unicode-DFS-2016 Unicode-3.0 BSL-1.0".split()
)


class NotFetched(Exception):
    """Packages that could not be had as they are written down."""


@dataclass(frozen=True, slots=True)
class Package:
    registry: str  # pypi, npm, debian, debian-source
    name: str
    version: str
    licence: str
    file: str
    sha256: str


def read_table(path: Path = TABLE) -> list[Package]:
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    return [Package(*row) for row in rows]


def fetched(wanted: Sequence[Package], cache: Path = CACHE) -> list[Path]:
    """Packages -> their files, in the same order; those that are not in `cache` yet are fetched. Raises NotFetched, naming every one that
    could not be had or is not what was written down."""
    cache.mkdir(parents=True, exist_ok=True)
    missing = [package for package in wanted if not is_there(package, cache)]
    for registry, fetch in FETCH.items():
        these = [package for package in missing if package.registry == registry]
        if these:
            print(f"fetching {len(these)} packages ({registry})", file=sys.stderr)
            fetch(these, cache)
    wrong = [f"{package.name} {package.version}" for package in missing if not is_there(package, cache)]
    if wrong:
        raise NotFetched(f"Not to be had, or not what packages.tsv says: {', '.join(wrong)}.")
    return [cache / package.file for package in wanted]


def is_there(package: Package, cache: Path) -> bool:
    with contextlib.suppress(OSError), (cache / package.file).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == package.sha256
    return False


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


_WHEELS = ("--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=abi3", "--abi=none")
_PLATFORMS = tuple(f"--platform={name}" for name in ("any", "manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64"))


def _from_pypi(wanted: Sequence[Package], cache: Path) -> None:
    pip = (sys.executable, "-m", "pip") if _run(sys.executable, "-m", "pip", "--version") else ("pip",)
    fetch = (*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:", *_WHEELS, *_PLATFORMS, f"--dest={cache}")
    for at in range(0, len(wanted), TOGETHER):
        names = [f"{package.name}=={package.version}" for package in wanted[at : at + TOGETHER]]
        if not _run(*fetch, *names):
            for name in names:
                _run(*fetch, name)


def _from_npm(wanted: Sequence[Package], cache: Path) -> None:
    for package in wanted:
        _run("npm", "pack", "--silent", "--ignore-scripts", f"--pack-destination={cache}", f"{package.name}@{package.version}")


def _from_debian(wanted: Sequence[Package], cache: Path) -> None:
    for package in wanted:
        subprocess.run(("apt-get", "download", "--quiet", f"{package.name}={package.version}"), cwd=cache, check=False, capture_output=True)


def _from_debian_sources(wanted: Sequence[Package], cache: Path) -> None:
    with _lists_with_sources() as options:
        for package in wanted:
            command = ("apt-get", *options, "source", "--quiet", "--only-source", "--download-only", f"{package.name}={package.version}")
            subprocess.run(command, cwd=cache, check=False, capture_output=True)


@contextlib.contextmanager
def _lists_with_sources() -> Iterator[tuple[str, ...]]:
    """Options with which apt knows source packages too, without a change to the machine's own lists."""
    with tempfile.TemporaryDirectory() as folder:
        parts, lists = Path(folder, "parts"), Path(folder, "lists")
        parts.mkdir()
        lists.mkdir()
        for path in sorted(APT.glob("sources.list.d/debian.sources")):
            (parts / path.name).write_text(re.sub(r"(?m)^Types: deb$", "Types: deb deb-src", path.read_text()))
        options = ("-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={parts}", "-o", f"Dir::State::Lists={lists}")
        _run("apt-get", *options, "update", "--quiet")
        yield options


FETCH: Mapping[str, Callable[[Sequence[Package], Path], None]] = {
    "pypi": _from_pypi,
    "npm": _from_npm,
    "debian": _from_debian,
    "debian-source": _from_debian_sources,
}


def is_permissive(licence: str) -> bool:
    """`MIT OR Apache-2.0` -> True: every alternative or part is one of PERMISSIVE."""
    parts = re.split(r"\s+(?:or|and)\s+|[()]", licence, flags=re.I)
    return all(part.strip() in PERMISSIVE for part in parts if part.strip())
