"""An answer and its snapshot -> the same in full: every result with its lines, its symbol, and how it came to its place; and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from index.content import file_bytes
from index.snapshot import Snapshot
from index.types import Answer, Hit, SymbolKind

SCHEMA = "maguyva.answer/1"
SNIPPET_LINES = 3
SNIPPET_WIDTH = 200  # characters of a line


@dataclass(frozen=True, slots=True)
class Result:
    """One place that answers a question."""

    hit: Hit
    symbol: str  # qualified; "" for what stands outside of all definitions
    kind: str  # of the symbol, or "module"
    path_kind: str
    snippet: tuple[tuple[int, str], ...]  # number and text of each line, as it stands in the file


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that can be shown without its snapshot."""

    answer: Answer
    commit: str
    results: tuple[Result, ...]


def describe(answer: Answer, snapshot: Snapshot) -> Reply:
    """An answer and the snapshot it came from -> `Reply`."""
    return Reply(answer, snapshot.commit, tuple(_results(answer.hits, snapshot)))


def _results(hits: Sequence[Hit], snapshot: Snapshot) -> Iterator[Result]:
    texts: dict[int, list[bytes]] = {}
    for hit in hits:
        file = snapshot.file_of_path[hit.path]
        if file not in texts:
            texts[file] = (file_bytes(snapshot, file) or b"").split(b"\n")
        kind = SymbolKind(int(snapshot.parts["symbols"]["kind"][hit.symbol])) if hit.symbol >= 0 else SymbolKind.MODULE
        yield Result(
            hit=hit,
            symbol="" if kind == SymbolKind.MODULE else snapshot.qualified(hit.symbol),
            kind=kind.label,
            path_kind=snapshot.path_kind(file).label,
            snippet=_snippet(hit, texts[file]),
        )


def _snippet(hit: Hit, lines: Sequence[bytes]) -> tuple[tuple[int, str], ...]:
    """The line of the hit, and of a definition the lines after it up to the first that is empty."""
    whole = hit.end_line > hit.line and not hit.use
    found = list[tuple[int, str]]()
    for number in range(hit.line, min(hit.line + (SNIPPET_LINES if whole else 1), hit.end_line + 1, len(lines) + 1)):
        text = lines[number - 1].decode("utf-8", "replace").rstrip()
        if not text and found:
            break
        found.append((number, text if len(text) <= SNIPPET_WIDTH else f"{text[: SNIPPET_WIDTH - 1]}…"))
    return tuple(found)


def as_json(reply: Reply) -> dict[str, Any]:
    """A reply -> what `--json` prints. The keys are a promise: docs/json.md."""
    answer = reply.answer
    query = answer.query
    return {
        "schema": SCHEMA,
        "question": query.text,
        "commit": reply.commit,
        "intent": query.intent,
        "confidence": answer.confidence,
        "rule": answer.rule,
        "subject": query.subject,
        "subject_kind": query.subject_kind,
        "other": query.other,
        "wants": query.wants,
        "fusion_strategy": answer.fusion_strategy,
        "preset": answer.preset,
        "retrievers": list(answer.retrievers),
        "late": list(answer.late),
        "total": answer.total,
        "weaker": answer.weaker,
        "uses": [{"use": one.use, "tier": one.tier, "count": one.count, "files": one.files} for one in answer.uses],
        "nearest": list(answer.nearest),
        "notes": list(answer.notes),
        "results": [_result(one) for one in reply.results],
    }


def _result(one: Result) -> dict[str, Any]:
    hit = one.hit
    return {
        "path": hit.path,
        "line": hit.line,
        "end_line": hit.end_line,
        "symbol": one.symbol,
        "kind": one.kind,
        "path_kind": one.path_kind,
        "use": hit.use,
        "tier": hit.tier,
        "why": hit.why,
        "snippet": [{"line": line, "text": text} for line, text in one.snippet],
        "weak": hit.weak,
        "score": hit.score,
        "boost": hit.boost,
        "demotion": hit.demotion,
        "contributions": [
            {"retriever": part.retriever, "rank": part.rank, "weight": part.weight, "score": part.score} for part in hit.parts
        ],
        "placed": [{"list": part.retriever, "rank": part.rank, "weight": part.weight, "score": part.score} for part in hit.placed],
    }
