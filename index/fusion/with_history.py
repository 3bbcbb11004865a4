"""What the code says and what its history says -> one list of files.

The retrievers read the code as it is and are fused by the tables of `profiles`. What commits with the words of a question changed is of
another kind: a second opinion of whole files. So the fused list and that one are put together by place, with a small k, because the first
places of each carry the signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from index.types import Contribution, Hit

CODE, HISTORY = "code", "history"


@dataclass(frozen=True, slots=True)
class WithHistory:
    """When the history is asked too, and what it counts for."""

    intents: frozenset[str] = frozenset({"understand_code", "find_definition"})
    least_words: int = 3  # of the question; one or two are a name, and its definition is what is asked for
    code: float = 1.0
    history: float = 0.5
    k: int = 5


ORDINARY = WithHistory()


def with_history(code: Sequence[Hit], past: Sequence[Hit], shown: int, how: WithHistory = ORDINARY) -> list[Hit]:
    """Files by what their code says and by their history, each best first, one hit a file -> one list, best first; ties by path.

    A file that both found is shown at the place in its code, and its history is said too. A history alone is a weak match. The first
    `shown` can explain themselves; those that nobody sees are in their order and otherwise as they came, which is a millisecond less.
    """
    own = {hit.path: rank for rank, hit in enumerate(code)}
    its = {hit.path: rank for rank, hit in enumerate(past)}
    score = {path: how.code / (how.k + rank + 1) for path, rank in own.items()}
    for path, rank in its.items():
        score[path] = score.get(path, 0.0) + how.history / (how.k + rank + 1)
    found = []
    for at, path in enumerate(sorted(score, key=lambda path: (-score[path], path))):
        hit = code[own[path]] if path in own else past[its[path]]
        if at < shown or path not in own:
            placed, why = list[Contribution](), list[str]()
            for name, weight, ranks, hits in ((CODE, how.code, own, code), (HISTORY, how.history, its, past)):
                if path in ranks:
                    placed.append(Contribution(name, ranks[path], weight, weight / (how.k + ranks[path] + 1)))
                    why.append(hits[ranks[path]].why)
            hit = _placed(hit, "; ".join(why), score[path], tuple(placed), weak=hit.weak or path not in own)
        found.append(hit)
    return found


def _placed(hit: Hit, why: str, score: float, placed: tuple[Contribution, ...], *, weak: bool) -> Hit:
    """The same hit with its reason and its places. `replace` takes three times as long, and there are hundreds of hits to a question."""
    place = hit.path, hit.line, hit.end_line, hit.chunk, hit.symbol
    return Hit(*place, score, why, hit.parts, hit.boost, hit.demotion, hit.use, hit.tier, weak, placed)
