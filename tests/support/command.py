"""The words after `maguyva` -> what the real command printed and its exit code, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    errors: str

    def fails_with(self, code: int, *words: str) -> bool:
        """Whether it ended in one clear sentence with that exit code, and not in a traceback."""
        plain = "Traceback" not in self.errors and self.errors.startswith("maguyva: ") and len(self.errors.strip().splitlines()) == 1
        return plain and self.code == code and all(word in self.errors for word in words)


def maguyva(*words: str, repo: Path, home: Path, prefix: Sequence[str] = ()) -> Ran:
    """Runs it on a repository, with its indexes under `home`. `prefix`: a command that runs it, such as `prlimit`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MAGUYVA"))}
    environment |= {"PYTHONPATH": str(ROOT), "HOME": str(home.parent), "NO_COLOR": "1"}
    command = [*prefix, sys.executable, "-m", "bot", *words, "--repo", str(repo), "--index", str(home)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=300, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)
