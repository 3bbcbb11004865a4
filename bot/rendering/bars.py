"""How long work goes on -> one moving line on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars


class TerminalProgress:
    """One bar that disappears when its piece of work is over."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bars = Bars(*columns, console=console, transient=True)
        self._task: TaskID | None = None

    def start(self, label: str, total: int) -> None:
        self.finish()
        self._task = self._bars.add_task(label, total=total or None)
        self._bars.start()

    def advance(self, n: int = 1) -> None:
        if self._task is not None:
            self._bars.advance(self._task, n)

    def finish(self) -> None:
        if self._task is not None:
            self._bars.stop()
            self._bars.remove_task(self._task)
            self._task = None
