"""A question and a snapshot -> an answer: what kind of question it is, who looks, and one ranked list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from index.errors import CannotLook, QuestionError
from index.fusion.best_per_file import best_per_file
from index.fusion.factors import demotion_of, with_factors
from index.fusion.profiles import (
    CHEAPEST_FIRST,
    DIRECT,
    INTENTS,
    PRESETS,
    QUICK,
    STRATEGIES,
    WEIGHTED_RRF,
    WEIGHTS,
    dominant,
    goes_direct,
    retrievers_for,
)
from index.fusion.reciprocal_rank import alone, fuse
from index.intent.classify import Understood, classify
from index.intent.rules import LITERAL, SYMBOL
from index.retrievers import Retriever, retrievers_with
from index.retrievers.names import nearest_names, stands_in, symbols_meant
from index.snapshot import Snapshot
from index.types import Answer, Hit, PathKind, Query
from index.vectors.model import Embedder, OtherModel

DEPTH = 2  # a retriever is asked for this many times the results wanted: fusion gains from what two lists agree on further down
LEAST_DEPTH = 100
MANY_NOT_TESTS = 5  # and for more again where only tests are wanted
LONGEST = 2_000  # characters of a question

ASKED_BY_NAME = "asked by name"


def never() -> bool:
    return False


def search(
    question: str | Query,
    snapshot: Snapshot,
    embedder: Embedder | None,
    *,
    preset: str = "default",
    strategy: str | None = None,
    intent: str | None = None,
    limit: int = 20,
    every_site: bool = False,
    retrievers: Mapping[str, Retriever] | None = None,
    out_of_time: Callable[[], bool] = never,
) -> Answer:
    """A question (or a query already understood) -> `Answer`, best first.

    strategy: "direct" or "weighted_rrf" where the caller wants one; otherwise a clear question goes direct, all else is fused.
    every_site: lines instead of chunks, and all of a file's instead of its best.
    out_of_time: asked before each retriever; those left out are named in the notes.
    Retrievers run one after the other, the cheapest first: each is a few milliseconds of short numpy calls that hold the interpreter
    lock, and four threads took 8.5 ms where one took 8.2 (all four over django, ten questions, best of 15).
    Raises QuestionError for an empty or overlong question, an unknown preset, strategy or intent.
    """
    _check(question, preset, strategy, intent)
    query, understood = _understand(question, snapshot, intent)
    depth = max(limit * DEPTH, LEAST_DEPTH) * (MANY_NOT_TESTS if understood.only_tests else 1)
    look = _Looking(query, snapshot, retrievers or retrievers_with(embedder), depth, understood.only_tests, out_of_time)
    k = PRESETS[preset].k
    notes = _unknown_name(query, understood, snapshot)
    direct = strategy == DIRECT or preset == QUICK or (strategy is None and goes_direct(understood))
    if direct:
        names = retrievers_for(query.intent, QUICK) if preset == QUICK else (dominant(query.intent),)
        lists = look.with_(names, notes)
        found = [hit for name, hits in lists.items() for hit in alone(name, hits, WEIGHTS[query.intent][name], k)]
        if hits := _demoted(found, snapshot):
            return _answer(query, understood, DIRECT, preset, tuple(lists), hits[:limit], notes)
        if preset == QUICK or strategy == DIRECT:
            return _answer(query, understood, DIRECT, preset, tuple(lists), (), notes)
        if lists:
            notes.append(f"The {names[0]} retriever alone found nothing, so the others were asked too.")
    lists = look.with_(retrievers_for(query.intent, preset), notes)
    hits = with_factors(fuse(lists, WEIGHTS[query.intent], k, every_site=every_site), snapshot)
    hits = hits if every_site else best_per_file(hits)
    return _answer(query, understood, WEIGHTED_RRF, preset, tuple(lists), hits[:limit], notes)


def full_fusion(
    query: Query,
    snapshot: Snapshot,
    embedder: Embedder | None,
    *,
    limit: int = 100,
    every_site: bool = True,
    retrievers: Mapping[str, Retriever] | None = None,
    out_of_time: Callable[[], bool] = never,
) -> Answer:
    """What a pull request asks about a changed symbol (`query.symbols`, impact_analysis or find_references) -> `Answer`.

    Always all four retrievers and the weighted fusion; every site counts, because each may be a place that breaks.
    """
    return search(
        query,
        snapshot,
        embedder,
        preset="thorough",
        strategy=WEIGHTED_RRF,
        limit=limit,
        every_site=every_site,
        retrievers=retrievers,
        out_of_time=out_of_time,
    )


class _Looking:
    """Asks each retriever at most once, and says which could not look."""

    def __init__(
        self,
        query: Query,
        snapshot: Snapshot,
        retrievers: Mapping[str, Retriever],
        depth: int,
        only_tests: bool,
        out_of_time: Callable[[], bool],
    ) -> None:
        self._query, self._snapshot, self._retrievers, self._depth = query, snapshot, retrievers, depth
        self._only_tests, self._out_of_time = only_tests, out_of_time
        self._found: dict[str, list[Hit]] = {}

    def with_(self, names: Sequence[str], notes: list[str]) -> dict[str, list[Hit]]:
        """Names of retrievers -> the list of each that could look, in the order of the names."""
        for name in sorted(names, key=CHEAPEST_FIRST.index):
            if name in self._found:
                continue
            if self._out_of_time():
                notes.append(f"Time was up before the {name} retriever could look.")
                continue
            try:
                found = self._retrievers[name](self._query, self._snapshot, self._depth)
                self._found[name] = [hit for hit in found if not self._only_tests or self._is_test(hit)]
            except (CannotLook, OtherModel) as problem:
                notes.append(str(problem))
        return {name: self._found[name] for name in names if name in self._found}

    def _is_test(self, hit: Hit) -> bool:
        return self._snapshot.path_kind(self._snapshot.file_of_path[hit.path]) is PathKind.TEST


def _check(question: str | Query, preset: str, strategy: str | None, intent: str | None) -> None:
    text, intent = (question, intent) if isinstance(question, str) else (question.text, intent or question.intent)
    if not text.strip():
        raise QuestionError("Ask something: the question is empty.")
    if len(text) > LONGEST:
        raise QuestionError(f"The question has {len(text):,} characters: ask in at most {LONGEST:,}.")
    for value, known, what in ((preset, tuple(PRESETS), "preset"), (strategy, STRATEGIES, "strategy"), (intent, INTENTS, "intent")):
        if value is not None and value not in known:
            raise QuestionError(f"There is no {what} {value!r}: choose one of {', '.join(known)}.")


def _understand(question: str | Query, snapshot: Snapshot, intent: str | None) -> tuple[Query, Understood]:
    """Text is classified; a query keeps what its maker said of it, and only its shape is read."""
    understood = classify(question if isinstance(question, str) else question.text)
    if isinstance(question, str):
        pattern = understood.subject if understood.subject_kind == LITERAL else ""
        query = _placed(Query(question, understood.intent, understood.subject, pattern=pattern), snapshot)
    else:
        query = question
        intent = intent or query.intent
        understood = replace(understood, subject=query.subject, subjects=(query.subject,) if query.subject else (), only_tests=False)
    if intent is not None and intent != understood.intent:
        understood = replace(understood, intent=intent, confidence=1.0, rule=ASKED_BY_NAME)
        query = replace(query, intent=intent)
    return query, understood


def _placed(query: Query, snapshot: Snapshot) -> Query:
    """ "who calls rate in shop/cart.py": where that file has no `rate`, it is where to look, not what to look for."""
    file, separator, name = query.subject.rpartition("::")
    if not separator or stands_in(snapshot, symbols_meant(snapshot, query.subject), file):
        return query
    return replace(query, subject=name, paths=(f"*/{file}",))


def _unknown_name(query: Query, understood: Understood, snapshot: Snapshot) -> list[str]:
    """A question about a symbol that is not there: say so, and what it may be a slip of."""
    if understood.subject_kind != SYMBOL or query.symbols or not query.subject or len(symbols_meant(snapshot, query.subject)):
        return []
    alike = nearest_names(snapshot, query.subject)
    return [f"No symbol here is named `{query.subject}`." + (f" Near it: {', '.join(f'`{name}`' for name in alike)}." if alike else "")]


def _demoted(hits: Sequence[Hit], snapshot: Snapshot) -> list[Hit]:
    """One retriever's own order, except that results in vendored, built, archived and generated paths come last."""
    lowered = [replace(hit, score=hit.score * factor, demotion=factor) for hit in hits for factor in (demotion_of(snapshot, hit.path),)]
    return sorted(lowered, key=lambda hit: -hit.demotion)


def _answer(
    query: Query,
    understood: Understood,
    strategy: str,
    preset: str,
    retrievers: tuple[str, ...],
    hits: Sequence[Hit],
    notes: Sequence[str],
) -> Answer:
    return Answer(query, understood.confidence, understood.rule, strategy, preset, retrievers, tuple(hits), tuple(notes))
