"""A tree-sitter query and files -> what it captures, from a process that is killed when its time is up."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from index.errors import CannotLook
from index.retrievers.trees import Captures, Refused
from index.syntax.worker import read_answer

SECONDS = 3.0
MOST_CAPTURES = 2_000
_ROOT = str(Path(__file__).parents[2])


class TreeQueries:
    """Runs queries in one process of its own, started when it is first needed and kept warm. Calls come one at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __call__(self, language: int, query: str, sources: Sequence[bytes]) -> Captures:
        """Language number, query, files -> captures. Raises Refused for a query that the grammar does not know, CannotLook when
        time was up."""
        with self._lock:
            process = self._started()
            assert process.stdin is not None and process.stdout is not None
            killer = threading.Timer(self.seconds, process.kill)
            killer.start()
            try:
                head = {"language": language, "query": query, "sizes": [len(data) for data in sources], "most": MOST_CAPTURES}
                process.stdin.write(json.dumps(head).encode() + b"\n")
                for data in sources:
                    process.stdin.write(data)
                process.stdin.flush()
                said = read_answer(process.stdout)
            except (EOFError, OSError, ValueError) as error:
                self._end()
                raise CannotLook(
                    f"The query over syntax trees was stopped: it needed more than {self.seconds:g} seconds or too much memory. "
                    "Make it more specific, or look in fewer files with --path."
                ) from error
            finally:
                killer.cancel()
        if "error" in said:
            raise Refused(said["error"])
        return Captures(tuple((file, start, end, name) for file, start, end, name in said["found"]), bool(said["more"]))

    def close(self) -> None:
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH", "")]))
            kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "SYSTEMROOT", "VIRTUAL_ENV")}
            self._process = subprocess.Popen(
                [sys.executable, "-m", "index.syntax.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**kept, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},  # no secret of ours is in it
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what it did not read any more
                    stream.close()
        process.wait()
