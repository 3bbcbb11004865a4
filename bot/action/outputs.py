"""What a step tells the runner: outputs, the job's summary, and a log in which nothing of a repository can pass for a command.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

MAX_SUMMARY: Final = 900_000  # bytes; GitHub drops a summary of more than 1 MiB a step
MAX_OUTPUT: Final = 200_000  # bytes of one output; all outputs of a job share 1 MB


@dataclass(frozen=True, slots=True)
class Runner:
    """The runner's files; None where there is none, as outside of a workflow. `log`: the step's standard output."""

    output: Path | None
    summary: Path | None
    log: TextIO

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Runner:
        def file(name: str) -> Path | None:
            return Path(environment[name]) if environment.get(name) else None

        return cls(file("GITHUB_OUTPUT"), file("GITHUB_STEP_SUMMARY"), sys.stdout)

    def set_outputs(self, values: Mapping[str, str]) -> None:
        """Outputs of the step. A value of several lines is framed by a word that nobody can guess."""
        lines = []
        for name, value in values.items():
            value = _cut(value, MAX_OUTPUT)
            frame = f"end-{secrets.token_hex(16)}"
            lines.append(f"{name}<<{frame}\n{value}\n{frame}\n")
        if self.output is not None:
            with self.output.open("a", encoding="utf-8", errors="replace") as file:
                file.write("".join(lines))

    def write_summary(self, markdown: str) -> None:
        if self.summary is not None:
            with self.summary.open("a", encoding="utf-8", errors="replace") as file:
                file.write(_cut(markdown, MAX_SUMMARY) + "\n")

    def mask(self, secret: str) -> None:
        """The runner hides this text in the log from here on."""
        for line in secret.splitlines():
            if line.strip():
                print(f"::add-mask::{line}", file=self.log, flush=True)

    @contextmanager
    def plain_log(self) -> Iterator[None]:
        """Whatever is printed inside is text: the runner obeys nothing until it reads a word that nobody can guess."""
        word = secrets.token_hex(16)
        print(f"::stop-commands::{word}", file=self.log, flush=True)
        try:
            yield
        finally:
            print(f"::{word}::", file=self.log, flush=True)

    def commands(self, lines: Sequence[str]) -> None:
        """Log commands of ours, already escaped."""
        for line in lines:
            print(line, file=self.log)
        self.log.flush()

    def notice(self, text: str, level: str = "notice") -> None:
        """One line that GitHub shows on the run's page. `level`: notice, warning or error."""
        escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        self.commands([f"::{level} title=Maguyva::{escaped}"])


def _cut(text: str, most: int) -> str:
    """Text of at most so many bytes as UTF-8; a cut is said."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text
    note = "\n\n… cut here: the whole report is in the files of this run.\n"
    return data[: most - len(note.encode())].decode("utf-8", "ignore") + note
