"""Bare git repositories of the simulated GitHub: made by `git fast-import`, read by plumbing, served by `git http-backend`."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ALONE = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
# What GitHub's own servers allow. Written by us: `git init` and `git config` would take longer than most tests.
CONFIG = """
[core]
	repositoryformatversion = 0
	bare = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[http]
	receivepack = false
"""
STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed", "C": "copied"}


@dataclass(frozen=True)
class FileDifference:
    path: str
    status: str
    old_path: str
    blob: str
    patch: str


class BareRepository:
    """`folder` is made if it is not there; an existing bare repository is served as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = 0
        if not (folder / "HEAD").exists():
            for inside in ("objects/pack", "refs/heads", "info"):
                (folder / inside).mkdir(parents=True)
            (folder / "HEAD").write_text("ref: refs/heads/main\n")
            (folder / "config").write_text("")
        with (folder / "config").open("r+") as config:
            if CONFIG not in config.read():
                config.write(CONFIG)

    def run(self, *arguments: str, given: bytes = b"", accept: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=ALONE, input=given, capture_output=True, check=False)
        if done.returncode not in accept:
            raise LookupError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def commit(self, branch: str, files: Mapping[str, str | bytes | None], *, start: str = "", message: str = "a change") -> str:
        """Writes files (None: deleted) on a branch, which begins at `start` if it is new -> the commit's id."""
        ref = f"refs/heads/{branch}"
        parent = self.tip(ref) or (self.resolve(start) if start else "")
        self.commits += 1
        who = f"Someone <someone@example.com> {1_700_000_000 + 60 * self.commits} +0000".encode()
        text = message.encode()
        lines = [b"commit %s\nauthor %s\ncommitter %s\ndata %d\n%s\n" % (ref.encode(), who, who, len(text), text)]
        lines += [b"from %s\n" % parent.encode()] if parent else []
        for path, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            quoted = b'"%s"' % path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode()
            lines += [b"D %s\n" % quoted] if raw is None else [b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(raw), raw)]
        self.run("fast-import", "--quiet", "--force", given=b"".join(lines))
        return self.tip(ref)

    def tip(self, ref: str) -> str:
        """ "" where there is no such ref."""
        loose = self.folder / ref
        if loose.is_file():
            return loose.read_text().strip()
        return self.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref, accept=(0, 1, 128)).decode().strip()

    def resolve(self, revision: str) -> str:
        """Raises LookupError."""
        if revision.startswith("refs/") and (found := self.tip(revision)):
            return found
        return self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()

    def merge_base(self, base: str, head: str) -> str:
        """ "" where they have nothing in common."""
        return self.run("merge-base", self.resolve(base), self.resolve(head), accept=(0, 1)).decode().strip()

    def set_ref(self, ref: str, commit: str) -> None:
        (self.folder / ref).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / ref).write_text(f"{commit}\n")

    def delete_ref(self, ref: str) -> None:
        self.run("update-ref", "-d", ref)

    def differences(self, base: str, head: str) -> list[FileDifference]:
        raw = self.run("diff", "--raw", "-z", "-M", "--no-abbrev", base, head).decode()
        parts = raw.split("\0")[:-1]
        found, at = [], 0
        while at < len(parts):
            _, _, old, new, status = parts[at].lstrip(":").split(" ")
            count = 2 if status[0] in "RC" else 1
            paths = parts[at + 1 : at + 1 + count]
            at += 1 + count
            text = self.run("diff", "-M", base, head, "--", *paths).decode(errors="replace")
            patch = text[text.index("@@") :].rstrip("\n") if "\n@@" in text else ""
            blob = old if status[0] == "D" else new
            found.append(FileDifference(paths[-1], STATUS[status[0]], paths[0] if count == 2 else "", blob, patch))
        return found

    async def serve(self, rest: str, method: str, query: str, headers: Mapping[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        """One request of git's smart HTTP protocol -> what git's own server program answers."""
        environment = ALONE | {
            "GIT_PROJECT_ROOT": str(self.folder.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/{self.folder.name}/{rest}",
            "REQUEST_METHOD": method,
            "QUERY_STRING": query,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "GIT_PROTOCOL": headers.get("git-protocol", ""),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        out, _ = await process.communicate(body)
        head, _, content = out.partition(b"\r\n\r\n")
        told = dict(re.findall(r"^([\w-]+): (.*?)\r?$", head.decode("latin-1"), re.M))
        return int(told.pop("Status", "200").split()[0]), told, content
