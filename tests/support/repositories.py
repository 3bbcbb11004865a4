"""Files by name -> real git repositories, with fixed dates and identity, so the same calls make the same commit ids.

repository = a_repository(tmp_path / "shop")
base = repository.commit({"shop/tax.py": "def rate(): ...\\n", "run.sh": Executable("#!/bin/sh\\n")})
repository.branch("feature")
head = repository.commit({"shop/vat.py": RenamedFrom("shop/tax.py"), "run.sh": DELETED}, "Call it VAT")
repository.write({"shop/vat.py": "not committed\\n"})
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Name = str | bytes
A_PERSON = "A Person <person@example.com>"
FIRST_COMMIT_AT = 1_700_000_000  # seconds since the epoch; every commit is a minute after the one before


@dataclass(frozen=True)
class Executable:
    content: str | bytes


@dataclass(frozen=True)
class SymlinkTo:
    target: Name


@dataclass(frozen=True)
class SubmoduleAt:
    commit: str = "1" * 40


@dataclass(frozen=True)
class RenamedFrom:
    """The file that was at `old`, with the same content unless another is given."""

    old: Name
    content: str | bytes | None = None


@dataclass(frozen=True)
class _Deleted:
    pass


DELETED = _Deleted()
Content = str | bytes | Executable | SymlinkTo | SubmoduleAt | RenamedFrom | _Deleted
Files = (
    Mapping[Name, Content]
    | Mapping[str, Content]
    | Mapping[bytes, Content]
    | Mapping[str, str]
    | Mapping[str, bytes]
    | Mapping[bytes, bytes]
)


def a_repository(path: Path, *, bare: bool = False, object_format: str = "sha1") -> TinyRepository:
    """An empty repository at `path`, on branch `main`."""
    path.mkdir(parents=True, exist_ok=True)
    repository = TinyRepository(path, bare)
    repository.git("init", "-q", "-b", "main", f"--object-format={object_format}", *(["--bare"] if bare else []))
    return repository


@dataclass
class TinyRepository:
    path: Path
    bare: bool = False
    current: str = "main"
    heads: dict[str, str] = field(default_factory=dict)
    made: int = 0

    def commit(self, files: Files, message: str = "A change", *, parents: Sequence[str] | None = None, author: str = A_PERSON) -> str:
        """Changes to the current branch -> the id of the commit that holds them. `parents` replaces the branch's head.
        The working tree, if there is one, is set to the commit."""
        parents = parents if parents is not None else [self.heads[self.current]] if self.current in self.heads else []
        self.made += 1
        stamp = f"{author} {FIRST_COMMIT_AT + 60 * self.made} +0000".encode()
        text = message.encode()
        out = [b"feature done", b"commit refs/heads/" + self.current.encode(), b"mark :1", b"author " + stamp, b"committer " + stamp]
        out += [b"data %d" % len(text), text]
        out += [(b"merge " if number else b"from ") + parent.encode() for number, parent in enumerate(parents)]
        if not parents:
            out.append(b"deleteall")
        for name, content in files.items():
            out += _instructions(name, content)
        out += [b"get-mark :1", b"done", b""]
        if not parents and self.current in self.heads:  # a second root on this branch
            self.git("update-ref", "-d", f"refs/heads/{self.current}")
        commit = self.git("fast-import", "--quiet", "--force", input=b"\n".join(out))
        self.heads[self.current] = commit
        if not self.bare:
            self.git("reset", "-q", "--hard", commit)
        return commit

    def merge(self, branch: str, files: Files | None = None, message: str = "Merge") -> str:
        """A merge of `branch` into the current one. Its tree is the current one's with `files` over it."""
        return self.commit(files or {}, message, parents=[self.heads[self.current], self.heads[branch]])

    def write(self, files: Files) -> None:
        """Changes to the working tree only: nothing is staged or committed."""
        for name, content in files.items():
            target = os.path.join(os.fsencode(self.path), os.fsencode(name))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if isinstance(content, RenamedFrom):
                os.rename(os.path.join(os.fsencode(self.path), os.fsencode(content.old)), target)
                if content.content is None:
                    continue
                content = content.content
            if os.path.lexists(target) and not isinstance(content, SubmoduleAt):
                os.unlink(target)
            if isinstance(content, _Deleted):
                continue
            if isinstance(content, SymlinkTo):
                os.symlink(os.fsencode(content.target), target)
            elif isinstance(content, SubmoduleAt):
                os.makedirs(target, exist_ok=True)
            else:
                data = content.content if isinstance(content, Executable) else content
                with open(target, "wb") as file:
                    file.write(data.encode() if isinstance(data, str) else data)
                os.chmod(target, 0o755 if isinstance(content, Executable) else 0o644)

    def branch(self, name: str, at: str | None = None) -> None:
        """A new branch at the current head, or at a commit; it becomes the current one."""
        commit = at or self.heads[self.current]
        self.git("update-ref", f"refs/heads/{name}", commit)
        self.heads[name] = commit
        self.switch(name)

    def switch(self, name: str) -> None:
        """`name` becomes the current branch; one that has no commit yet starts with none."""
        self.current = name
        self.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
        if not self.bare and name in self.heads:
            self.git("reset", "-q", "--hard", self.heads[name])

    def clone(self, path: Path, *, depth: int | None = None, bare: bool = False, partial: str | None = None) -> TinyRepository:
        """A clone of all branches, of the last `depth` commits of each, or with only the objects that the filter `partial` lets through."""
        path.parent.mkdir(parents=True, exist_ok=True)
        more = ["--no-single-branch", f"--depth={depth}"] if depth else []
        if partial:
            self.git("config", "uploadpack.allowFilter", "true")
            more += [f"--filter={partial}", "--no-checkout"]
        self.git("clone", "-q", "--no-local", *(["--bare"] if bare else []), *more, self.path.resolve().as_uri(), str(path.resolve()))
        return TinyRepository(path, bare, self.current, dict(self.heads), self.made)

    def worktree(self, path: Path, name: str) -> TinyRepository:
        """A second working tree, on the new branch `name`."""
        self.git("worktree", "add", "-q", "-b", name, str(path.resolve()), self.heads[self.current])
        return TinyRepository(path, False, name, {**self.heads, name: self.heads[self.current]}, self.made)

    def git(self, *arguments: str, input: bytes | None = None) -> str:
        """What git prints, without the last newline."""
        done = subprocess.run(["git", "-C", str(self.path), *arguments], input=input, env=_environment(), capture_output=True, check=False)
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")


def _instructions(name: Name, content: Content) -> list[bytes]:
    """One entry of `commit`'s dictionary -> lines of git's fast-import language."""
    path = _quoted(name)
    if isinstance(content, _Deleted):
        return [b"D " + path]
    if isinstance(content, SubmoduleAt):
        return [b"M 160000 " + content.commit.encode() + b" " + path]
    if isinstance(content, RenamedFrom):
        return [b"R " + _quoted(content.old) + b" " + path, *(_instructions(name, content.content) if content.content is not None else [])]
    mode, data = b"100644", content
    if isinstance(content, Executable):
        mode, data = b"100755", content.content
    elif isinstance(content, SymlinkTo):
        mode, data = b"120000", content.target
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    assert isinstance(raw, bytes)
    return [b"M " + mode + b" inline " + path, b"data %d" % len(raw), raw]


def _quoted(name: Name) -> bytes:
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte < 32 or byte > 126 or byte in b'"\\' else bytes([byte]) for byte in os.fsencode(name))
        + b'"'
    )


def _environment() -> dict[str, str]:
    moment = f"{FIRST_COMMIT_AT} +0000"
    person = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A Person"), ("EMAIL", "person@example.com"), ("DATE", moment))
    }
    alone = {
        "HOME": os.devnull,
        "XDG_CONFIG_HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    return {"PATH": os.environ["PATH"], **person, **alone}
