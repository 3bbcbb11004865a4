"""A commit of a bare clone, or a folder -> its files as bytes. Nothing of the files is run, imported or checked out."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path


def clone_of(mirror: Path, repository: str) -> Path:
    """`owner/name` -> the folder under `mirror` that holds its clone, as `owner+name/repo`, `owner+name`, `owner/name` or `name`. Raises
    FileNotFoundError that names what is missing."""
    owner_name = repository.replace("/", "+")
    for folder in (f"{owner_name}/repo", owner_name, repository, repository.rpartition("/")[2]):
        if (mirror / folder / "HEAD").is_file() or (mirror / folder / ".git").exists():
            return mirror / folder
    raise FileNotFoundError(f"no clone of {repository} under {mirror}: fetch it first")


def files_of_commit(clone: Path, commit: str) -> dict[bytes, bytes]:
    """A clone and a commit -> path to content of every ordinary file, in path order."""
    archive = subprocess.run(["git", "-C", str(clone), "archive", "--format=tar", commit], check=True, capture_output=True).stdout
    return dict(sorted(_files_in(archive)))


def write_commit(clone: Path, commit: str, under: str, folder: Path) -> Path:
    """Write the part of a commit that is under a path into `folder`, for scorers that read it from disk; returns the folder."""
    for path, content in files_of_commit(clone, commit).items():
        name = path.decode()
        if name.startswith(under) and ".." not in Path(name).parts:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def files_of_folder(folder: Path) -> dict[bytes, bytes]:
    """A folder -> path (relative to it) to content of every ordinary file below it, in path order."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return dict(sorted((path.relative_to(folder).as_posix().encode(), path.read_bytes()) for path in found))


def _files_in(archive: bytes) -> Iterator[tuple[bytes, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            if member.isreg() and (content := tar.extractfile(member)) is not None:
                yield member.name.encode("utf-8", "surrogateescape"), content.read()
