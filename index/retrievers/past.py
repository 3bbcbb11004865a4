"""Files that earlier commits with the words of a question changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from index.past import Past, Voted
from index.retrievers.places import allowed_files
from index.snapshot import Snapshot
from index.types import Hit, Query

SHOWN_OF_AN_ID = 9
MOST = 50  # files; what comes after them changes no place that anybody looks at
LONGEST = 72  # characters of a subject that are shown


@dataclass(frozen=True, slots=True)
class Historical:
    """The retriever, holding what knows the history of a snapshot."""

    past: Callable[[Snapshot], Past]

    def __call__(self, query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
        """Query -> one hit a file, at its top, best first. Raises CannotLook where the history can't be read."""
        found = self.past(snapshot).ranked([query.words or query.subject or query.text], min(limit, MOST), allowed_files(query, snapshot))
        symbols = snapshot.parts["symbols"]
        rows = np.searchsorted(symbols["file"], np.asarray([one.file for one in found], symbols["file"].dtype))
        lines = zip(rows.tolist(), symbols["line"][rows].tolist(), symbols["end_line"][rows].tolist(), strict=True)
        return [
            Hit(snapshot.path(one.file), line, end, -1, row, one.score, _why(one))
            for one, (row, line, end) in zip(found, lines, strict=True)
        ]


def _why(one: Voted) -> str:
    subject = one.subject.replace("`", "'")
    if not subject.isprintable():
        subject = "".join(letter if letter.isprintable() else " " for letter in subject)
    subject = " ".join(subject.split())
    shown = subject if len(subject) <= LONGEST else f"{subject[: LONGEST - 1]}…"
    others = f" and {one.commits - 1} more {'commits' if one.commits > 2 else 'commit'} like it" if one.commits > 1 else ""
    return f"changed by `{one.best[:SHOWN_OF_AN_ID]} {shown}`{others}"
