"""Where the words of a question, a literal or a pattern are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from index.content import file_bytes
from index.distinct import one_of
from index.errors import CannotLook
from index.intent.french import english_of
from index.retrievers.names import asked_for_more_of, symbols_meant
from index.retrievers.places import RANK_OF_PATH, allowed_files
from index.snapshot import Snapshot
from index.trigrams.lookup import Matches, Ranked, bm25, find_identifier, find_literal, find_regex
from index.types import Hit, PathKind, Query

READ_OF_IT = 600  # characters of a definition that more of the same is looked for by
LISTED = 4  # lines or words named in a reason
DEPTH = 5  # matches looked at for each one wanted, so that ranking has a choice
LEAST_SHARE = 0.5  # of the words asked for, by rarity: a chunk with less of them is a weak match;
LEAST_TRANSLATED = 0.2  # of a question that was asked in its translation as well, where one word in two languages is one of four or five
MOST_MENTIONS = 50_000  # of one name; a name written more often than that says nothing about a place

_NAME = re.compile(r"[\w$@.#:/\\\[\]-]+(?:\(\))?")
_LAST_NAME = re.compile(r"(\$?[^\W\d][\w$]*)(?:\(\))?$")
_LOOKS_WRITTEN = re.compile(r"[_.:#(]|[a-z][A-Z]|[A-Z]{2}|\d")  # as in code, unlike a word of a sentence


def textual(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Query -> hits, best first: a pattern's lines, a symbol's mentions by chunk, or the chunks that speak of the question's words.

    Raises CannotLook without a text index, QuestionError for a pattern that can't be run.
    """
    if "text" not in snapshot.parts:
        raise CannotLook("This index has no text index, so nothing was looked for in the text.")
    files = allowed_files(query, snapshot)
    if query.pattern:
        lines = _lines(query, snapshot, limit, files)
        if query.is_regex or not query.words:
            return lines
        return [*lines, *_speaking(query, snapshot, limit, files, {hit.chunk for hit in lines})][:limit]
    if own := asked_for_more_of(query, snapshot):
        return _like_it(query, snapshot, own, limit, files)
    if not query.words:
        for name, symbols in _names(query, snapshot):
            if hits := _mentions(snapshot, name, symbols, limit, files):
                return hits
    return _speaking(query, snapshot, limit, files, set())


def _speaking(query: Query, snapshot: Snapshot, limit: int, files: NDArray[np.bool_] | None, shown: set[int]) -> list[Hit]:
    """Chunks that speak of the question's words, but those that are shown already."""
    english = english_of(query.text)
    found = bm25(snapshot, [query.words or query.subject or query.text, english], limit, files)
    before = f"nowhere is `{query.pattern}` written, but this " if query.pattern and not shown else ""
    weak = _shares(found, translated=bool(english)) < (LEAST_TRANSLATED if english else LEAST_SHARE)
    return [_spoken_of(snapshot, found, at, before, bool(weak[at])) for at in range(len(found)) if int(found.rows[at]) not in shown]


# -- a literal or a regular expression --------------------------------------------------------------------------------------


def _lines(query: Query, snapshot: Snapshot, limit: int, files: NDArray[np.bool_] | None) -> list[Hit]:
    """One hit a line: whole words first, then lines that define a symbol of that name, source files, more matches, path, line."""
    any_case = "i" in query.how
    matches, other_case = _searched(query, snapshot, limit * DEPTH, files, case_sensitive=not any_case), False
    if not query.is_regex and not any_case and not any(map(len, matches)):
        matches, other_case = _searched(query, snapshot, limit * DEPTH, files, case_sensitive=False), True
    file, line, column, whole = (
        np.concatenate([np.empty(0, np.int32), *(getattr(found, name) for found in matches)])
        for name in ("file", "line", "column", "whole_word")
    )
    whole = whole.astype(np.bool_)
    order = np.lexsort((column, ~whole, line, file))
    file, line, column, whole = file[order], line[order], column[order], whole[order]
    first = np.flatnonzero(np.diff(file, prepend=-1) | np.diff(line, prepend=-1))
    count = np.diff(first, append=len(file))
    file, line, column, whole = file[first], line[first], column[first], whole[first]
    defines = _defines(snapshot, file, line, snapshot.symbols_named("" if query.is_regex else query.pattern))
    kind = RANK_OF_PATH[snapshot.parts["files"]["kind"][file]]
    ranked = np.lexsort((line, file, -count, kind, ~defines, ~whole))[:limit]
    shown = f"matches `{query.pattern}`" if query.is_regex else f"has `{query.pattern}`{' in another case' if other_case else ''}"
    return [
        _line_hit(
            snapshot,
            int(file[at]),
            int(line[at]),
            _step(int(~whole[at]), int(~defines[at]), int(kind[at])),
            _on_one_line(f"defines `{query.pattern}`" if defines[at] else shown, int(line[at]), int(count[at])),
        )
        for at in ranked.tolist()
    ]


def _searched(query: Query, snapshot: Snapshot, wanted: int, files: NDArray[np.bool_] | None, case_sensitive: bool = True) -> list[Matches]:
    """Matches in source files, then in others where those are not enough: a search that stops early stops in the tests."""
    source = snapshot.parts["files"]["kind"] == PathKind.SOURCE
    allowed = np.ones(len(source), np.bool_) if files is None else files
    literal, whole_word = query.pattern.encode("utf-8", "surrogatepass"), "w" in query.how
    pattern = rf"\b(?:{query.pattern})\b" if whole_word else query.pattern
    found: list[Matches] = []
    for among in (allowed & source, allowed & ~source):
        left = wanted - sum(map(len, found))
        if left <= 0 or not among.any():
            continue
        if query.is_regex:
            found.append(find_regex(snapshot, pattern, case_sensitive=case_sensitive, limit=left, files=among))
        else:
            found.append(find_literal(snapshot, literal, case_sensitive=case_sensitive, whole_word=whole_word, limit=left, files=among))
    return found


def _defines(snapshot: Snapshot, file: NDArray[np.int32], line: NDArray[np.int32], symbols: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which places are the line on which one of these symbols is named."""
    columns = snapshot.parts["symbols"]
    named = (columns["file"][symbols].astype(np.int64) << 32) | columns["line"][symbols]
    return one_of((file.astype(np.int64) << 32) | line, named)


def _on_one_line(what: str, line: int, times: int) -> str:
    return f"{what} on line {line}" + (f", {times} times" if times > 1 else "")


# -- a symbol ---------------------------------------------------------------------------------------------------------------


def _names(query: Query, snapshot: Snapshot) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Last names of the symbols that the question is about, each with the rows it means; none where the question is about words."""
    if query.symbols:
        names = snapshot.parts["symbols"]["name"][list(query.symbols)]
        for row in dict.fromkeys(names.tolist()):
            yield snapshot.names[row], np.asarray(query.symbols, np.int64)[names == row]
        return
    subject = query.subject.strip("` ")
    if not _NAME.fullmatch(subject) or not (last := _LAST_NAME.search(subject)):
        return
    if _LOOKS_WRITTEN.search(subject) or len(snapshot.symbols_named(last[1])):
        yield last[1], symbols_meant(snapshot, subject.removesuffix("()"))


def _mentions(snapshot: Snapshot, name: str, symbols: NDArray[np.int64], limit: int, files: NDArray[np.bool_] | None) -> list[Hit]:
    """One hit a chunk: those that define the symbols first, then source files, more mentions, path, line."""
    found = find_identifier(snapshot, name, MOST_MENTIONS, files)
    chunks = snapshot.parts["chunks"]
    if not len(found) or not len(chunks["file"]):
        return []
    place = (found.file.astype(np.int64) << 32) | found.line
    start = (chunks["file"].astype(np.int64) << 32) | chunks["start_line"]
    chunk = np.searchsorted(start, place, "right") - 1
    inside = (chunk >= 0) & (chunks["file"][np.maximum(chunk, 0)] == found.file)
    chunk = np.where(inside, chunk, -1 - found.file)  # lines before a file's first chunk: one group a file
    order = np.argsort(chunk, kind="stable")
    chunk, file, line = chunk[order], found.file[order], found.line[order]
    defines = _defines(snapshot, file, line, symbols)
    first = np.flatnonzero(np.diff(chunk, prepend=np.int64(-(1 << 40))))
    count = np.diff(first, append=len(chunk))
    defining = np.logical_or.reduceat(defines, first)
    kind = RANK_OF_PATH[snapshot.parts["files"]["kind"][file[first]]]
    ranked = np.lexsort((line[first], file[first], -count, kind, ~defining))[:limit]
    hits = []
    for at in ranked.tolist():
        group = slice(first[at], first[at] + count[at])
        defined = sorted(set(line[group][defines[group]].tolist()))
        mentioned = sorted(set(line[group].tolist()) - set(defined))
        said = [f"defines `{name}` on {_listed_lines(defined)}"] if defined else []
        if mentioned:
            said.append(f"mentions {'it' if said else f'`{name}`'} on {_listed_lines(mentioned)}")
        score = _step(int(~defining[at]), int(kind[at])) * (1 - 1 / (1 + int(count[at])))
        shown = (defined or mentioned)[0]
        hits.append(_line_hit(snapshot, int(file[first[at]]), shown, score, " and ".join(said), max(shown, *mentioned, *defined)))
    return hits


def _listed_lines(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:LISTED]))
    more = f" and {len(lines) - LISTED} more" if len(lines) > LISTED else ""
    return f"line{'s' if len(lines) > 1 else ''} {shown}{more}"


# -- more of the same ---------------------------------------------------------------------------------------------------------


def _like_it(query: Query, snapshot: Snapshot, own: frozenset[int], limit: int, files: NDArray[np.bool_] | None) -> list[Hit]:
    """Chunks that speak of what the definition asked about speaks of, by its name and its first lines; not itself."""
    chunk = snapshot.chunk_of_symbol(min(own))
    chunks = snapshot.parts["chunks"]
    data = file_bytes(snapshot, int(chunks["file"][chunk])) or b""
    said = data[int(chunks["start_byte"][chunk]) : int(chunks["end_byte"][chunk])][:READ_OF_IT].decode("utf-8", "replace")
    found = bm25(snapshot, [query.subject, said], limit + 1, files)
    weak = _shares(found, translated=False) < LEAST_SHARE
    return [_spoken_of(snapshot, found, at, "", bool(weak[at])) for at in range(len(found)) if int(found.rows[at]) != chunk][:limit]


# -- words --------------------------------------------------------------------------------------------------------------------


def _shares(found: Ranked, translated: bool) -> NDArray[np.float64]:
    """Of what was looked for, by rarity, how much each chunk holds: 0 to 1. Words that occur nowhere count too, but for those of a question
    that was asked in its translation as well."""
    weights = np.where(found.known | (not translated), found.rarity, 0.0)
    total = float(weights.sum())
    return np.asarray((found.counts > 0) @ weights / total) if total else np.ones(len(found))


def _spoken_of(snapshot: Snapshot, found: Ranked, at: int, before: str, weak: bool) -> Hit:
    chunks = snapshot.parts["chunks"]
    row = int(found.rows[at])
    words = [f"`{term}`" for term, count in zip(found.terms, found.counts[at].tolist(), strict=True) if count]
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return Hit(
        path=snapshot.path(int(chunks["file"][row])),
        line=int(chunks["start_line"][row]),
        end_line=int(chunks["end_line"][row]),
        chunk=row,
        symbol=int(chunks["symbol"][row]),
        score=float(found.scores[at]),
        why=f"{before}speaks of {', '.join(words[:LISTED])}{more}",
        weak=weak,
    )


# -- hits -----------------------------------------------------------------------------------------------------------------------


def _line_hit(snapshot: Snapshot, file: int, line: int, score: float, why: str, end_line: int = 0) -> Hit:
    return Hit(snapshot.path(file), line, end_line or line, snapshot.chunk_at(file, line), snapshot.symbol_at(file, line), score, why)


def _step(*worse: int) -> float:
    """Ranks on several scales, the most important first -> a score in (0, 1] that falls with each."""
    score = 1.0
    for rank in worse:
        score /= 1 + rank
    return score
