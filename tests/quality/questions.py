"""Questions to real repositories -> how often the right place is among the first three results, and how often there is none at all.

`questions.md` holds them. They are asked as `maguyva ask` asks, with nothing set; an answer is found where its path and symbol (or one
inside it) are a result's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from quality.tables import Row
from quality.trees import clone_of

from index.answer import Result, describe
from index.engine import Engine
from index.snapshot import Snapshot

QUESTIONS = Path(__file__).parent / "questions.md"
FIRST = 3
NONE = "–"


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the places that answer it; none where it must only not come back empty."""

    text: str
    places: tuple[str, ...]  # path, or path::symbol


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question got."""

    question: Question
    intent: str
    rank: int  # of the first right result, from 1; 0: there is none
    results: tuple[str, ...]  # path::symbol of the first few


def scores(mirror: Path, *, repositories: Sequence[str] = (), work: Path | None = None, details: Path | None = None) -> list[Row]:
    """The folder of clones -> one row per repository and one for all. `details`: a folder for the questions that were answered wrong."""
    if work is None:
        with tempfile.TemporaryDirectory() as scratch:
            return scores(mirror, repositories=repositories, work=Path(scratch), details=details)
    every: list[Asked] = []
    rows = []
    for repository, commit, questions in documents():
        if repositories and repository.rpartition("/")[2] not in repositories:
            continue
        with Engine(clone_of(mirror, repository), work / "questions") as engine:
            snapshot = engine.update(commit)
            unknown = [place for question in questions for place in question.places if not _is_there(snapshot, place)]
            if unknown:
                raise ValueError(f"{repository} has no {', '.join(unknown)}: correct questions.md")
            asked = [ask(engine, snapshot, commit, question) for question in questions]
        every += asked
        rows.append(Row("questions", repository, figures(asked)))
        if details is not None:
            details.mkdir(parents=True, exist_ok=True)
            (details / f"questions-{repository.replace('/', '+')}.md").write_text("".join(_wrong(asked)))
    return [*rows, Row("questions", "all", figures(every))]


def documents(text: str = "") -> Iterator[tuple[str, str, list[Question]]]:
    """`questions.md` -> repository, commit and questions of each."""
    for part in (text or QUESTIONS.read_text("utf-8")).split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        repository, commit = heading.split()
        questions = []
        for line in body.splitlines():
            # a vertical bar may stand in the question: the answer never holds one
            question, bar, answer = line.strip().removeprefix("|").removesuffix("|").rpartition("|")
            if bar and question.strip() not in ("question", "---"):
                answer = answer.strip()
                questions.append(Question(question.strip(), () if answer == NONE else tuple(answer.split(" or "))))
        yield repository, commit, questions


def ask(engine: Engine, snapshot: Snapshot, commit: str, question: Question) -> Asked:
    reply = describe(engine.search(question.text, commit), snapshot)
    rank = next((at for at, result in enumerate(reply.results, 1) if any(_answers(result, place) for place in question.places)), 0)
    shown = tuple(f"{one.hit.path}::{one.symbol}:{one.hit.line}" for one in reply.results[:FIRST])
    return Asked(question, reply.answer.query.intent, rank, shown)


def figures(asked: Sequence[Asked]) -> dict[str, float | int]:
    checked = [one for one in asked if one.question.places]
    empty = sum(not one.results for one in asked)
    return {
        "questions": len(asked),
        "checked": len(checked),
        "empty": round(empty / max(len(asked), 1), 4),
        "first": round(sum(one.rank == 1 for one in checked) / max(len(checked), 1), 4),
        f"first {FIRST}": round(sum(0 < one.rank <= FIRST for one in checked) / max(len(checked), 1), 4),
        "MRR": round(sum(1 / one.rank for one in checked if one.rank) / max(len(checked), 1), 4),
    }


def _answers(result: Result, place: str) -> bool:
    path, _, symbol = place.partition("::")
    return result.hit.path == path and (not symbol or result.symbol == symbol or result.symbol.startswith(f"{symbol}."))


def _is_there(snapshot: Snapshot, place: str) -> bool:
    path, _, symbol = place.partition("::")
    return path in snapshot.file_of_path and (not symbol or snapshot.find(path, symbol) is not None)


def _wrong(asked: Sequence[Asked]) -> Iterator[str]:
    for one in asked:
        if not one.results or (one.question.places and not 0 < one.rank <= FIRST):
            wanted = " or ".join(one.question.places) or "anything"
            found = "".join(f"    {at}. {place}\n" for at, place in enumerate(one.results, 1)) or "    nothing\n"
            yield f"- {one.question.text} ({one.intent}; right at {one.rank or 'no place'})\n  wanted {wanted}\n{found}"
