"""A question and a snapshot -> an answer: what kind of question it is, who looks, and one ranked list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from threading import Thread
from time import monotonic
from types import MappingProxyType

from index.errors import CannotLook, QuestionError
from index.fusion.best_per_file import best_per_file
from index.fusion.factors import REPORTED, demotion_of, with_factors
from index.fusion.profiles import (
    CHEAPEST_FIRST,
    DIRECT,
    GRAPH,
    INTENTS,
    LOCATE_PROBLEM,
    PRESETS,
    QUICK,
    REPORT_K,
    REPORT_LISTS,
    SEMANTIC,
    STRATEGIES,
    STRUCTURAL,
    TEXT,
    TITLE,
    VOTES_FROM,
    WEIGHTED_RRF,
    WEIGHTS,
    WHOLE,
    dominant,
    goes_direct,
    retrievers_for,
)
from index.fusion.reciprocal_rank import alone, fuse
from index.fusion.with_history import HISTORY, with_history
from index.fusion.with_history import ORDINARY as WITH_HISTORY
from index.intent.classify import Understood, classify, place_named
from index.intent.report import MOST_READ, read_report
from index.intent.rules import (
    CALLEES,
    CONSTRUCT,
    IMPORTERS,
    LITERAL,
    OVERRIDES,
    PATH,
    PATTERN,
    REPORT,
    SUBTYPES,
    SYMBOL,
    TESTS,
    TOPIC,
    TREE_QUERY,
    WRITERS,
)
from index.retrievers import Retriever, retrievers_with
from index.retrievers.graph import OF_KIND, called_as, count_uses, mentions_beside_uses
from index.retrievers.names import is_file_name, nearest_names, stands_in, symbols_meant
from index.retrievers.places import allowed_files
from index.snapshot import Snapshot
from index.types import Answer, Hit, PathKind, Query, SymbolKind
from index.vectors.model import Embedder, OtherModel

DEPTH = 2  # a retriever is asked for this many times the results wanted: fusion gains from what two lists agree on further down
LEAST_DEPTH = 100
MANY_NOT_TESTS = 5  # and for more again where only tests are wanted
LONGEST = 2_000  # characters of a question that are read, but for the line of a stack trace that tells

IN_TURN = (*CHEAPEST_FIRST, HISTORY)

# What each retriever looked at, for an answer that found nothing.
LOOKED_AT = MappingProxyType(
    {
        TEXT: "the text",
        STRUCTURAL: "the definitions",
        GRAPH: "who uses what",
        SEMANTIC: "the meaning of the code",
        HISTORY: "earlier commits",
    }
)
# The one way to look that a clear question is answered by found nothing, and the others were tried.
SAID_OF_THE_REST = MappingProxyType(
    {
        TEXT: "It is written nowhere, so its words were looked for in other ways too.",
        STRUCTURAL: "No definition fits, so the text and the meaning were searched too.",
        GRAPH: "No use of it is known, so the text and the definitions were searched too.",
        SEMANTIC: "Nothing is near it in meaning, so the text and the definitions were searched too.",
    }
)
# Where one retriever found nothing, what that means.
SAID_OF_NOTHING = MappingProxyType(
    {
        PATH: "No chain of known uses leads from the one to the other; an unclear use may.",
        CALLEES: "It is not known to use anything of this repository.",
        TESTS: "No test is known to reach it.",
        SUBTYPES: "Nothing is known to extend or implement it.",
        OVERRIDES: "Nothing is known to override it.",
        IMPORTERS: "Nothing is known to import it.",
        WRITERS: "Nothing is known to write to it.",
    }
)

# Rows that stand in no table, because only the snapshot or the caller can tell.
ASKED_BY_NAME = "asked by name"
A_NAME_HERE = "a name that is here"
AS_WRITTEN = "other letters"
NOTHING_MATCHED = "nothing matched"

LONGEST_QUOTED = 60  # characters of a question in an error
_READ = re.compile(r"[A-Za-z0-9]")
_CAPITALISED = re.compile(r"[A-Z]\w+\??")


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
    paths: Sequence[str] = (),
    languages: Sequence[str] = (),
    retrievers: Mapping[str, Retriever] | None = None,
    out_of_time: Callable[[], bool] = never,
    deadline: float | None = None,
) -> Answer:
    """A question (or a query already understood) -> `Answer`, best first.

    strategy: "direct" or "weighted_rrf" where the caller wants one; otherwise a clear question goes direct, all else is fused.
    every_site: lines instead of chunks, and all of a file's instead of its best.
    paths, languages: look only there, besides what the query itself says.
    out_of_time: asked before each retriever; those left out are named in the notes.
    deadline: seconds that a retriever has. They run in parallel then, and one that is late is named and not waited for. Without it they run
        one after the other, the cheapest first, which gives the same bytes whatever else the machine does: a report needs that, a person
        does not. It costs nothing: all four over django took 8.5 ms in threads and 8.2 ms in a row (ten questions, best of 15).
    Raises QuestionError for an empty question, an unknown preset, strategy, intent or language, a pattern that can't be run.
    """
    _check(question, preset, strategy, intent)
    if isinstance(question, Query) and strategy is not None:
        query, understood = _as_asked(question, intent)
        notes: list[str] = []
    else:
        query, understood, notes = _understand(question, snapshot, intent)
    if understood.subject_kind == TOPIC and isinstance(question, str):
        query, understood = _of_words(query, understood, snapshot, notes)
    query = replace(query, paths=(*query.paths, *paths), languages=(*query.languages, *languages))
    if query.paths or query.languages:
        notes += _nothing_to_look_at(query, snapshot)
    depth = max(limit * DEPTH, LEAST_DEPTH) * (MANY_NOT_TESTS if understood.only_tests else 1)
    look = _Looking(query, snapshot, retrievers or retrievers_with(embedder), depth, understood.only_tests, out_of_time, deadline)
    answer = _Answering(query, understood, snapshot, preset, limit, notes, look)
    k = PRESETS[preset].k
    notes += (unknown := _unknown_names(query, understood, snapshot)).notes
    answer.nearest = unknown.nearest
    notes += _called_as(query, understood, snapshot)
    notes += _written_elsewhere(query, understood, snapshot)
    direct = strategy == DIRECT or preset == QUICK or (strategy is None and goes_direct(understood))
    if direct:
        names = retrievers_for(query.intent, QUICK) if preset == QUICK else (dominant(query.intent),)
        lists = look.with_(names, notes)
        found = [hit for name, hits in lists.items() for hit in alone(name, hits, WEIGHTS[query.intent][name], k)]
        if hits := _demoted(found, snapshot):
            return answer.of(DIRECT, tuple(lists), hits)
        if preset == QUICK or strategy == DIRECT:
            return answer.of(DIRECT, tuple(lists), ())
        if lists:
            notes += [SAID_OF_NOTHING[understood.wants]] if understood.wants in SAID_OF_NOTHING else []
            notes.append(SAID_OF_THE_REST[names[0]])
        look.query = replace(query, words=query.words or understood.topic or query.pattern)
    elif query.intent == LOCATE_PROBLEM and not query.symbols:
        return _of_report(answer, every_site)
    elif understood.subject_kind == LITERAL:
        look.query = replace(query, words=query.words or understood.topic or query.pattern)
    lists = look.with_(retrievers_for(query.intent, preset), notes)
    hits = with_factors(fuse(_with_a_vote(lists), WEIGHTS[query.intent], k, every_site=every_site), snapshot)
    if every_site:
        return answer.of(WEIGHTED_RRF, tuple(lists), hits)
    hits = best_per_file(hits)
    if _is_of_words(query, understood) and look.can(HISTORY):
        look.query = query
        past = look.with_((HISTORY,), notes)
        hits, lists = with_history(hits, past.get(HISTORY, ()), limit), {**lists, **past}
    return answer.of(WEIGHTED_RRF, tuple(lists), hits)


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


def _of_report(answer: _Answering, every_site: bool) -> Answer:
    """A report is asked in several ways, whole, by its title and by what it names, and the lists are fused file by file."""
    query, snapshot = answer.query, answer.snapshot
    running = retrievers_for(LOCATE_PROBLEM, answer.preset)
    said = replace(query, subject_kind=TOPIC, pattern="", is_regex=False, words="")
    reads = {WHOLE: query.text[:LONGEST], TITLE: read_report(query.text).title[:LONGEST]}
    asked = {one.name: one for one in REPORT_LISTS if one.retriever in running}
    for name, one in asked.items():
        text = reads.get(one.reads, query.text)
        answer.look.ask_as(name, one.retriever, replace(said, text=text, subject=text, wants="" if one.reads in reads else one.reads))
    lists = answer.look.with_(list(asked), answer.notes)
    fused = fuse(lists, {name: one.weight for name, one in asked.items()}, REPORT_K, every_site=every_site, by_file=not every_site)
    looked = tuple(name for name in running if any(asked[one].retriever == name for one in lists))
    return answer.of(WEIGHTED_RRF, looked, with_factors(fused, snapshot, REPORTED))


def _is_of_words(query: Query, understood: Understood) -> bool:
    """Is it a sentence, as people write of a change, for which the history is asked too?"""
    asks = query.intent in WITH_HISTORY.intents and not query.symbols and not query.wants and not understood.only_tests
    return asks and len(query.text.split()) >= WITH_HISTORY.least_words


def _with_a_vote(lists: Mapping[str, list[Hit]]) -> Mapping[str, list[Hit]]:
    """The lists, that by meaning only as far as it is really near, unless nobody else found anything."""
    if SEMANTIC not in lists or not any(hits for name, hits in lists.items() if name != SEMANTIC):
        return lists
    return {name: [hit for hit in hits if name != SEMANTIC or hit.score >= VOTES_FROM] for name, hits in lists.items()}


class _Looking:
    """Asks each retriever once, again where it found nothing and the query has changed; says which could not look or were late."""

    def __init__(
        self,
        query: Query,
        snapshot: Snapshot,
        retrievers: Mapping[str, Retriever],
        depth: int,
        only_tests: bool,
        out_of_time: Callable[[], bool],
        deadline: float | None,
    ) -> None:
        self.query = query
        self.late: list[str] = []
        self._snapshot, self._retrievers, self._depth = snapshot, retrievers, depth
        self._only_tests, self._out_of_time, self._deadline = only_tests, out_of_time, deadline
        self._found: dict[str, list[Hit]] = {}
        self._with: dict[str, Query] = {}  # what each was asked
        self._as: dict[str, tuple[str, Query]] = {}  # lists that are a retriever's answer to another query than the question's own

    def ask_as(self, name: str, retriever: str, query: Query) -> None:
        """From now on `name` is the list of that retriever for that query."""
        self._as[name] = (retriever, query)

    def can(self, retriever: str) -> bool:
        return retriever in self._retrievers

    def with_(self, names: Sequence[str], notes: list[str]) -> dict[str, list[Hit]]:
        """Names of retrievers -> the list of each that could look, in the order of the names."""
        again = [name for name in names if self._with.get(name) is not self.query and not self._found.get(name) and name not in self.late]
        asked = sorted(again, key=lambda name: IN_TURN.index(self._as[name][0] if name in self._as else name))
        self._with |= dict.fromkeys(asked, self.query)
        for name, found in self._asked_in_turn(asked, notes) if self._deadline is None else self._asked_together(asked, notes):
            if isinstance(found, (CannotLook, OtherModel)):
                notes += [str(found)] if name not in self._as or str(found) not in notes else []
            elif isinstance(found, BaseException):
                raise found
            else:
                self._found[name] = [hit for hit in found if not self._only_tests or self._is_test(hit)]
        return {name: self._found[name] for name in names if name in self._found}

    def _asked_in_turn(self, names: Sequence[str], notes: list[str]) -> Iterator[tuple[str, list[Hit] | BaseException]]:
        for name in names:
            if self._out_of_time():
                notes.append(f"Time was up before {self._looks_at(name)} could be looked at.")
            else:
                yield name, self._ask(name)

    def _asked_together(self, names: Sequence[str], notes: list[str]) -> Iterator[tuple[str, list[Hit] | BaseException]]:
        """Each in a thread that is left behind when it is late: it ends by itself, and the end of the program does not wait for it."""
        assert self._deadline is not None
        answers: dict[str, list[Hit] | BaseException] = {}
        threads = {name: Thread(target=lambda name=name: answers.update({name: self._ask(name)}), daemon=True) for name in names}
        for thread in threads.values():
            thread.start()
        ends = monotonic() + self._deadline
        for name, thread in threads.items():
            thread.join(max(ends - monotonic(), 0))
            if (found := answers.get(name)) is None:
                self.late.append(name)
                notes.append(f"Looking at {self._looks_at(name)} took more than {self._deadline:g} seconds, and was not waited for.")
            else:
                yield name, found

    def _ask(self, name: str) -> list[Hit] | BaseException:
        try:
            retriever, query = self._as.get(name, (name, self.query))
            found = self._retrievers[retriever](query, self._snapshot, self._depth)
            return [replace(hit, weak=True) if hit.score < VOTES_FROM else hit for hit in found] if retriever == SEMANTIC else found
        except Exception as problem:
            return problem

    def _looks_at(self, name: str) -> str:
        return LOOKED_AT.get(name, f"the {name}")

    def _is_test(self, hit: Hit) -> bool:
        return self._snapshot.path_kind(self._snapshot.file_of_path[hit.path]) is PathKind.TEST


@dataclass
class _Answering:
    """All that an answer says beside its hits."""

    query: Query
    understood: Understood
    snapshot: Snapshot
    preset: str
    limit: int
    notes: list[str]
    look: _Looking
    nearest: tuple[str, ...] = ()

    def of(self, strategy: str, retrievers: tuple[str, ...], hits: Sequence[Hit]) -> Answer:
        query, understood = self.query, self.understood
        references = query.intent == "find_references" and query.wants in ("", *OF_KIND) and GRAPH in retrievers
        if not hits and retrievers:
            self.notes.append(self._nothing(retrievers))
        return Answer(
            query=query,
            confidence=understood.confidence,
            rule=understood.rule,
            fusion_strategy=strategy,
            preset=self.preset,
            retrievers=retrievers,
            hits=tuple(hits[: self.limit]),
            notes=tuple(self.notes),
            late=tuple(self.look.late),
            total=len(hits),
            weaker=sum(1 for _ in takewhile(lambda hit: hit.weak, reversed(hits))),
            uses=count_uses(query, self.snapshot) if references else (),
            nearest=self.nearest,
        )

    def _nothing(self, retrievers: Sequence[str]) -> str:
        files = allowed_files(self.query, self.snapshot)
        count = len(self.snapshot.paths) if files is None else int(files.sum())
        looked = ", ".join(LOOKED_AT[name] for name in IN_TURN if name in retrievers)
        return f"Nothing was found. Looked at: {looked} of {count:,} {'file' if count == 1 else 'files'}."


def _check(question: str | Query, preset: str, strategy: str | None, intent: str | None) -> None:
    text, intent = (question, intent) if isinstance(question, str) else (question.text, intent or question.intent)
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise QuestionError("Ask something: the question is empty.")
    for value, known, what in ((preset, tuple(PRESETS), "preset"), (strategy, STRATEGIES, "strategy"), (intent, INTENTS, "intent")):
        if value is not None and value not in known:
            raise QuestionError(f"There is no {what} {value!r}: choose one of {', '.join(known)}.")


def _understand(question: str | Query, snapshot: Snapshot, intent: str | None) -> tuple[Query, Understood, list[str]]:
    """Text is classified; a query keeps what its maker said of it, and only its shape is read."""
    understood = classify(question if isinstance(question, str) else question.text)
    notes: list[str] = []
    if isinstance(question, str):
        text, kind = question, understood.subject_kind
        report = (intent or understood.intent) == LOCATE_PROBLEM
        longest = MOST_READ if report else LONGEST
        if report and len(text) > LONGEST:
            notes.append(
                f"The report has {len(text):,} characters; the words of the first {LONGEST:,} and the names and places of the first "
                f"{MOST_READ:,} were read."
            )
        elif len(text) > LONGEST and kind not in (LITERAL, PATTERN, TREE_QUERY):
            notes.append(f"The question has {len(text):,} characters; the first {LONGEST:,} were read.")
        query = Query(
            text=_one_text(text[:longest]),
            intent=understood.intent,
            subject=understood.subject[:LONGEST],
            pattern=understood.subject if kind in (LITERAL, PATTERN) else "",
            is_regex=kind == PATTERN,
            subject_kind=kind,
            words="" if kind == LITERAL else understood.topic,  # of a literal, only when others are asked too
            how=understood.how,
            wants=understood.wants,
            other=understood.subjects[1] if understood.wants == PATH and len(understood.subjects) > 1 else "",
        )
        query = _placed(query, snapshot)
        if kind in (CONSTRUCT, TOPIC) and (place := place_named(text)) and _is_here(snapshot, place):
            query = replace(query, paths=(*query.paths, place))
    else:
        query = question
        intent = intent or query.intent
        understood = replace(understood, subject=query.subject, subjects=(query.subject,) if query.subject else (), wants="")
    if intent is not None and intent != understood.intent:
        understood = replace(understood, intent=intent, confidence=1.0, rule=ASKED_BY_NAME)
        query = replace(query, intent=intent)
    return query, understood, notes


def _as_asked(query: Query, intent: str | None) -> tuple[Query, Understood]:
    """A query whose maker chose how it is answered: nothing is left for its text to tell, so that is not read. A report asks dozens of
    these, and making the tables for it alone would take longer than ten of its questions."""
    query = query if intent is None else replace(query, intent=intent)
    kind, subjects = query.subject_kind or SYMBOL, (query.subject,) if query.subject else ()
    return query, Understood(query.intent, 1.0, ASKED_BY_NAME, query.subject, kind, subjects, words=1, second_clause=False)


def _of_words(query: Query, understood: Understood, snapshot: Snapshot, notes: list[str]) -> tuple[Query, Understood]:
    """A question that is words and nothing else: they are looked for, unless none tells, or one is a name here, or they are written in
    letters that no word of code is. Raises QuestionError."""
    if not understood.subject:
        raise QuestionError(f"Ask something: no word of “{_quoted(query.text)}” tells what to look for.")
    if not _READ.search(query.text):
        notes.append("Words are read in Latin letters, so this was looked for as it is written.")
        subject = understood.subject
        understood = replace(understood, intent="exact_match", subject_kind=LITERAL, rule=AS_WRITTEN)
        return replace(query, intent="exact_match", subject_kind=LITERAL, pattern=subject, words=""), understood
    if understood.rule == NOTHING_MATCHED and _CAPITALISED.fullmatch(query.text.strip()) and _is_named(snapshot, understood.subject):
        understood = replace(understood, intent="find_definition", confidence=0.6, subject_kind=SYMBOL, rule=A_NAME_HERE)
        return replace(query, intent="find_definition", subject_kind=SYMBOL), understood
    return query, understood


def _is_named(snapshot: Snapshot, name: str) -> bool:
    rows = snapshot.symbols_named(name)
    return bool((snapshot.parts["symbols"]["kind"][rows] != SymbolKind.MODULE).any())


def _quoted(text: str) -> str:
    """A question on one line, short enough to be quoted."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTED else f"{line[: LONGEST_QUOTED - 1]}…"


def _one_text(text: str) -> str:
    """What can't be printed says nothing: control characters become spaces."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)


def _nothing_to_look_at(query: Query, snapshot: Snapshot) -> list[str]:
    files = allowed_files(query, snapshot)
    if files is None or files.any():
        return []
    asked = [*(f"path {glob}" for glob in query.paths), *(f"language {name}" for name in query.languages)]
    return [f"No file here fits {' and '.join(asked)}, so there was nothing to look at."]


def _placed(query: Query, snapshot: Snapshot) -> Query:
    """ "who calls rate in shop/cart.py": where that file has no `rate`, it is where to look, not what to look for."""
    file, separator, name = query.subject.rpartition("::")
    if not separator or query.subject_kind == REPORT or stands_in(snapshot, symbols_meant(snapshot, query.subject), file):
        return query
    return replace(query, subject=name, paths=(f"*/{file}",))


def _is_here(snapshot: Snapshot, place: str) -> bool:
    """Is it a file, or a folder with something in it, by its whole path or the end of it?"""
    return any(f"/{place}/" in f"/{path}/" for path in snapshot.paths)


@dataclass(frozen=True, slots=True)
class _Unknown:
    notes: list[str]
    nearest: tuple[str, ...]


def _unknown_names(query: Query, understood: Understood, snapshot: Snapshot) -> _Unknown:
    """A question about a symbol that is not there: say so, and what it may be a slip of."""
    if understood.subject_kind != SYMBOL or query.symbols or not query.subject:
        return _Unknown([], ())
    notes, nearest = [], list[str]()
    for name in dict.fromkeys([query.subject, *([query.other] if query.other else [])]):
        if len(symbols_meant(snapshot, name)):
            continue
        alike = nearest_names(snapshot, name)
        nearest += [one for one in alike if one not in nearest]
        what = "file here is called" if is_file_name(name) else "symbol here is named"
        notes.append(f"No {what} `{name}`." + (f" Near it: {', '.join(f'`{one}`' for one in alike)}." if alike else ""))
    return _Unknown(notes, tuple(nearest))


def _called_as(query: Query, understood: Understood, snapshot: Snapshot) -> list[str]:
    """Who uses a method that many classes have of one base: calls of the base's may run it, and are no uses of each of them."""
    if understood.subject_kind != SYMBOL or query.symbols or query.intent != "find_references" or query.wants:
        return []
    return [
        f"{count:,} {'call' if count == 1 else 'calls'} of `{base}`, which many override, may run it too: ask who calls that."
        for base, count in called_as(query, snapshot)
    ]


def _written_elsewhere(query: Query, understood: Understood, snapshot: Snapshot) -> list[str]:
    """Who uses a name that means one thing only: where it stands besides, in strings, comments and docs, it may be used by name."""
    asked = understood.subject_kind == SYMBOL and query.intent == "find_references" and not query.symbols and not query.wants
    if not asked or "text" not in snapshot.parts:
        return []
    name, lines, files = mentions_beside_uses(query, snapshot)
    if not lines:
        return []
    where = f"{lines:,} {'line' if lines == 1 else 'lines'} of {files:,} {'file' if files == 1 else 'files'}"
    return [f'`{name}` also stands on {where} where no use of it is known, as in strings and comments: ask for `"{name}"` to see them.']


def _demoted(hits: Sequence[Hit], snapshot: Snapshot) -> list[Hit]:
    """One retriever's own order, except that results in vendored, built, archived and generated paths come last."""
    lowered = [replace(hit, score=hit.score * factor, demotion=factor) for hit in hits for factor in (demotion_of(snapshot, hit.path),)]
    return sorted(lowered, key=lambda hit: -hit.demotion)
