"""What the code says and what its history says -> one list of files.

The retrievers read the code as it is and are fused by the tables of `profiles`. What commits with the words of a question changed is of
another kind: a second opinion of whole files. So the fused list and that one are put together by place, with a small k, because the first
places of each carry the signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from index.fusion.factors import order
from index.types import Contribution, Hit

CODE, HISTORY = "code", "history"


@dataclass(frozen=True, slots=True)
class WithHistory:
    """When the history is asked too, and what it counts for."""

    intents: frozenset[str] = frozenset({"understand_code", "find_definition"})
    least_words: int = 3  # of the question; one or two are a name, and its definition is what is asked for
    depth: int = 100  # files of the history that have a vote
    code: float = 1.0
    history: float = 0.5
    k: int = 5


ORDINARY = WithHistory()


def with_history(code: Sequence[Hit], past: Sequence[Hit], how: WithHistory = ORDINARY) -> list[Hit]:
    """Files by what their code says and by their history, each best first, one hit a file -> one list, best first; ties by path.

    A file that both found is shown at the place in its code, and its history is said too. A history alone is a weak match.
    """
    voted = {hit.path: (Contribution(HISTORY, rank, how.history, how.history / (how.k + rank + 1)), hit) for rank, hit in enumerate(past)}
    found = []
    for rank, hit in enumerate(code):
        placed = [Contribution(CODE, rank, how.code, how.code / (how.k + rank + 1))]
        why = hit.why
        if hit.path in voted:
            part, its = voted.pop(hit.path)
            placed.append(part)
            why = f"{why}; {its.why}"
        found.append(replace(hit, why=why, placed=tuple(placed), score=sum(part.score for part in placed)))
    found += [replace(hit, placed=(part,), score=part.score, weak=True) for part, hit in voted.values()]
    return sorted(found, key=order)
