"""Files of a commit, and what is known of the commit before -> the next `Snapshot`.

    read      which files are parsed, searched as text or skipped (`reading_of`)
    facts     each parsed file by itself (index.parsing)
    link      facts -> edges of every file; of the commit before, what still holds is taken over (index.resolver)
    assemble  edges in files' own terms -> rows of the whole commit, and the parts that follow from them

The snapshot is the same, byte for byte, whether it was made from nothing or from the one before.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, count, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.at_rest import field
from index.content import bytes_of, file_bytes, update_content
from index.distinct import distinct, one_of, union
from index.edges import Before, Tree, parts_of_edges
from index.files.kinds import kind_of
from index.files.paths import all_shown, shown
from index.graph.centrality import pagerank
from index.languages import BY_NUMBER, language_of
from index.languages.language import Language
from index.languages.modules import MOST_CONFIG_BYTES, Resolution
from index.languages.python import modules as python_modules
from index.languages.typescript import modules as script_modules
from index.layers import MOST_SINCE, Layer, Parts, fits, layer_over
from index.links import different_since
from index.parsing.facts import COLUMNS, FAILED, Facts, facts_of, facts_of_many, line_starts
from index.parsing.names import Names
from index.progress import Progress, Silent
from index.resolver.fingerprints import Span, Version, differing, fingerprints, moved_nodes, standing
from index.resolver.gateways import UNFINISHED, fact_key
from index.resolver.keep import (
    Behind,
    FileLinks,
    Gone,
    Kept,
    LinkedFile,
    Move,
    Recorded,
    as_bytes,
    edges_of,
    first_table,
    flows_as_json,
    links_of,
    solved_as_json,
    with_mentions,
)
from index.resolver.limits import UNLINKED, unfollowed
from index.resolver.link import Linked, Standing
from index.resolver.linkers import Linkers
from index.resolver.program import Program, Unit
from index.slices import ranges
from index.snapshot import Columns, Snapshot
from index.sources import Following, Source
from index.spliced import Late, Spliced, ragged, row_runs
from index.stack import on_a_large_stack
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import text_of, update_text
from index.types import BINARY, EdgeKind, Problem, SymbolKind, Tier
from index.vectors.model import ROW_BYTES, model_of, update_vectors, vectors_part

PARSED, TEXT_ONLY, SKIPPED = 0, 1, 2
MAX_PARSED = 1_000_000  # bytes; larger files are data or bundles
MAX_LINE = 5_000  # a source file with a longer average line is minified
CHUNK_LINES = 120
READ_TOGETHER = 128  # files
LINES_TOGETHER = 1 << 22  # bytes of files that are not parsed
EMBEDDED_TOGETHER = 64  # files
KEPT_TOGETHER = 64  # files whose links become columns together; of more, what linking made is no longer in the processor's cache
RESTS = 64  # files; what was looked at of the facts is let go of after so many
MANY_FILES = 500  # new or changed ones, from which on memory matters more than the milliseconds of tidying it
MAX_CHANGED = 0.3  # of the parsed files: above it everything is linked anew, which is cheaper than finding out what need not be
RECURSION = 400_000  # frames; syntax (400 levels), fuel and nesting are bounded, and their product is half of this
STACK = 256 << 20  # bytes of address space for linking; deeply nested code takes 8 MB of it, the bound some 50, all other code next to none
_UNREAD = {
    -1: "could not be parsed: searched as text only",
    FAILED: "could not be analysed because of a mistake of ours: searched as text only",
}


@dataclass(frozen=True)
class Previous:
    """The commit before: its snapshot, and the links that were kept with it. most_changed: of the parsed files; when more are
    changed, everything is linked anew. most_since: see `index.layers`."""

    snapshot: Snapshot
    links: Columns
    most_changed: float = MAX_CHANGED
    most_since: float = MOST_SINCE


@dataclass(frozen=True)
class Built:
    snapshot: Snapshot
    links: Columns  # to be kept for the next commit; not part of the answer
    problems: tuple[Problem, ...]
    linked: int  # files whose names were resolved anew
    failures: Mapping[str, Exception]  # by path: mistakes of ours, each of which cost one file its links


FactsMaker = Callable[[Sequence[tuple[Source, Language]]], Sequence[Facts]]
FactsLoader = Callable[[int, Source, Language], Facts]  # of an unchanged file, by its row in the commit before
StoredFacts = Callable[[Source, Language], Facts | None]  # of a file of this commit whose facts were made before and let go; None: not kept
FactsWanted = Callable[[Sequence[tuple[str, Language]]], None]  # told the blobs whose facts will be asked for, to read them in one go
Blob = tuple[bytes, NDArray[np.int32], NDArray[np.int32], list[str], bytes]  # data, chunk starts and ends, names of their symbols, path


class Aside(Protocol):
    """See `index.storage.aside`."""

    @property
    def holds(self) -> bool:
        """Whether what is put there is elsewhere."""

    def put(self, arrays: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Arrays -> the same, read-only, elsewhere."""

    def rest(self) -> None:
        """Few of them are needed for a while."""


class Embed(Protocol):
    """Makes the vectors of a file's chunks."""

    @property
    def name(self) -> str:
        """Of the model, with everything that its vectors depend on."""

    def embed(self, blobs: Sequence[Blob]) -> Sequence[NDArray[np.uint8]]:
        """For each blob of n chunks uint8[n, ROW_BYTES], the same whatever it comes together with."""

    def forget(self) -> None:
        """What it remembers of the blobs takes memory, and no more will come for now."""


def is_binary(data: bytes) -> bool:
    """Whether git would call it binary: a NUL among the first 8,000 bytes."""
    return data.find(b"\0", 0, 8000) >= 0


def reading_of(source: Source) -> tuple[int, str]:
    """PARSED, TEXT_ONLY or SKIPPED, and why not more."""
    if source.data is None:
        return SKIPPED, source.why or "not read"
    if is_binary(source.data):
        return SKIPPED, BINARY
    if len(source.data) > MAX_PARSED:
        return SKIPPED, f"larger than {MAX_PARSED // 1_000_000} MB"
    if language_of(source.path) is None:
        return TEXT_ONLY, ""
    least = len(source.data) // MAX_LINE  # lines
    if source.data.count(b"\n", 0, MAX_LINE) < least and len(source.data) / (source.data.count(b"\n") + 1) > MAX_LINE:
        return TEXT_ONLY, "minified: searched as text, not parsed"
    return PARSED, ""


def build(files: Mapping[bytes, bytes]) -> Snapshot:
    """A whole tree held in memory, path -> content -> its snapshot, vectors left out. For tests, benches and small trees."""
    sources = [Source(path, "", len(data), data) for path, data in files.items()]
    return build_snapshot("", sources).snapshot


def parse_all(asked: Sequence[tuple[Source, Language]]) -> Sequence[Facts]:
    """Many files at once: in batches their columns are made with a fraction of the calls."""
    return facts_of_many([(source.data or b"", language) for source, language in asked])


def return_memory() -> None:
    """What was freed goes back to the system, where the C library can: it keeps hundreds of megabytes of arrays that are gone."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def without_collection() -> Iterator[None]:
    """The cyclic garbage collector off: millions of small objects live until the end, and going through them again and again took
    a third of the time."""
    was, limit = gc.isenabled(), sys.getrecursionlimit()
    gc.disable()
    sys.setrecursionlimit(max(limit, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if was:
            gc.enable()


@dataclass(frozen=True)
class _OwnNames:
    """Of a commit that follows on none: the first symbol row of every file, and the names of its symbols as they are numbered meanwhile."""

    base: NDArray[np.int64]
    names: Sequence[str]


PutAway = Callable[[str, Columns], Columns]  # a finished part, by name -> the same where it takes less memory


def build_snapshot(
    commit: str,
    sources: Iterable[Source] | Following,
    make_facts: FactsMaker = parse_all,
    previous: Previous | None = None,
    load_facts: FactsLoader | None = None,
    embed: Embed | None = None,
    progress: Progress | None = None,
    put_away: PutAway = lambda name, part: part,
    facts_wanted: FactsWanted = lambda blobs: None,
    stored_facts: StoredFacts = lambda source, language: None,
    aside: Aside | None = None,
) -> Built:
    """The next snapshot. A source that is `same` must be in `previous` under its path. Contents are let go as soon as they are in the part
    `content`: whoever hands over an iterator that keeps nothing has that memory back.

    make_facts: parses files that are new or changed. load_facts: facts of a file that is the same. embed: makes
    the part `vectors`, which is left out without it. Without `previous` every source is new. stored_facts: of a file that was parsed for
    this snapshot, once more, so that it need not be parsed again. aside: where arrays of many files take no memory while they are not used;
    facts that `make_facts` gave may be there too.
    """
    with without_collection():
        ordered: list[Source] | Following
        if previous is None:
            ordered = sorted(sources, key=lambda source: source.path)
        else:
            ordered = sources if isinstance(sources, Following) else Following.of(previous.snapshot, sources)
        work = _Build(commit, ordered, make_facts, previous, load_facts, progress or Silent(), put_away, facts_wanted, stored_facts, aside)
        return work.run(embed)


class _Build:
    def __init__(
        self,
        commit: str,
        sources: list[Source] | Following,
        make_facts: FactsMaker,
        previous: Previous | None,
        load_facts: FactsLoader | None,
        progress: Progress,
        put_away: PutAway,
        facts_wanted: FactsWanted,
        stored_facts: StoredFacts,
        aside: Aside | None,
    ) -> None:
        self.aside = aside
        self.put_away, self.facts_wanted, self.stored_facts = put_away, facts_wanted, stored_facts
        self.unparsed_lines: Mapping[int, NDArray[np.int32]] = {}  # where lines begin in files that are new or changed and not parsed
        self.commit, self.sources, self.make_facts, self.progress = commit, sources, make_facts, progress
        self.previous, self.load_facts = previous, load_facts
        before = previous.snapshot if previous is not None else None
        self.old_count = before.file_count if before is not None else 0
        if isinstance(sources, Following):
            self.paths, self.kept, self.fresh = sources.shown(), sources.kept, sources.fresh
            # Of every file its row in the commit before, where its path was there.
            self.before = self.kept.copy()
            self.before[self.fresh] = sources.was
        else:
            self.paths = all_shown([source.path for source in sources])
            self.kept = self.before = np.full(len(sources), -1, np.int64)
            self.fresh = list(range(len(sources)))  # rows of files that are new or changed
        is_there = np.zeros(self.old_count, bool)
        is_there[self.before[self.before >= 0]] = True
        self.gone: list[int] = np.flatnonzero(~is_there).tolist()  # files of the commit before whose paths are not there
        old_files = before.parts["symbols"]["file"] if before is not None else np.empty(0, np.int32)
        self.old_base = np.searchsorted(old_files, np.arange(self.old_count + 1, dtype=np.int32))  # first symbol row of each old file
        self.problems: list[Problem] = []
        self.failures: dict[str, Exception] = {}
        self.stopped = False
        self.facts: dict[int, Facts] = {}
        self.standing: dict[int, tuple[Standing | None, NDArray[np.uint32]]] = {}  # by row, and the facts that these functions looked at
        self.relinked: set[int] = set()  # rows of files whose edges or open sites were made anew
        self.renumber: NDArray[np.int32] = np.empty(0, np.int32)  # the row of each name of the commit before
        self.names = Names.of(())
        self.parts: dict[str, Columns] = {}
        self.layers: dict[str, Callable[[], Layer]] = {}
        self.taken: Kept | None = None  # None: everything was linked anew
        self.fresh_chunks: dict[int, Columns] = {}  # by row, of files that are new or changed
        self.status = np.zeros(len(sources), np.uint8)

    def run(self, embed: Embed | None) -> Built:
        self.sort_out()
        self.text_parts()  # first of all: what each step needs for a while is not held together with what later ones make
        self.read()
        self.unparsed_lines = self.lines_of_unparsed()
        parts = self.parts
        symbols: dict[str, NDArray[Any]] = {}
        own: _OwnNames | None = None
        if self.previous is None:
            parts["files"] = self.files_part()
            symbols, own = self.symbols_of_all()
            parts["symbols"] = symbols
            parts["chunks"] = chunks_part(parts["files"], parts["symbols"])
            if embed is not None:  # before linking too: contents are at hand, and the memory is not yet in pieces
                self.vectors_part(embed, own.names)
        self.let_go()
        links, names, linked = on_a_large_stack(self.link, STACK, self.stop)
        if own is None:
            parts["files"] = self.files_part()
            parts["symbols"], base, self.names = self.symbols_part(links, names)
        else:
            base, self.names = own.base, self.named(symbols, own, links, names)
        if len(self.facts) > MANY_FILES:
            self.facts = {}
            gc.collect()  # what linking made holds itself, and is a third of all memory
            return_memory()
        tree = Tree(parts["symbols"], parts["files"], base, self.names, links)
        parts.update(parts_of_edges(tree, self.edges_before(tree)))
        edges, size = parts["edges"], len(parts["symbols"]["file"])
        later = {"rank": lambda: rank_part(edges, size)}
        if own is None:
            parts["chunks"] = self.chunks_following(base)
            if embed is not None:
                self.vectors_part(embed, self.names)
        parts["links"] = links
        if self.taken is not None and (layer := self.links_layer(links, self.taken)) is not None:
            self.layers["links"] = lambda: layer
        snapshot = Snapshot(self.commit, Parts(parts, self.layers, later))
        if len(self.fresh) > MANY_FILES:
            return_memory()
        return Built(snapshot, links, tuple(self.problems), linked, self.failures)

    def let_go(self) -> None:
        """Of all contents, which are packed by now, but for those that say what an import means: these are read next."""
        fresh = self.fresh
        for row in fresh if len(fresh) > MANY_FILES else ():
            if not _is_config(self.paths[row]):
                self.let_go_of(row)
        if len(fresh) > MANY_FILES:
            if self.previous is None:
                self.unparsed_lines = {}  # they are in the part `files`
                self.put_parts_aside()
            self.rest()
            return_memory()

    def let_go_of(self, row: int) -> None:
        """Of the content of a file that is new or changed."""
        if isinstance(self.sources, Following):
            self.sources.let_go(row)
        else:
            path, blob, size, _, why, same = self.sources[row]
            self.sources[row] = Source(path, blob, size, None, why, same)  # `_replace` takes five times as long

    def put_parts_aside(self) -> None:
        """Of a commit that follows on none: parts that nobody looks at while names are resolved."""
        if self.aside is not None:
            for name in ("files", "symbols", "chunks"):
                part = self.parts[name]
                assert isinstance(part, dict)
                part.update(zip(part, self.aside.put(list(part.values())), strict=True))

    def rest(self) -> None:
        if self.aside is not None:
            self.aside.rest()

    def linked_last(self, recent: dict[int, LinkedFile], behind: Behind, are_many: bool) -> dict[int, FileLinks]:
        """Files that were linked, by row -> what that gave them, aside where there are many. `recent` is empty after it."""
        if not recent:
            return {}
        rows, files = list(recent), list(recent.values())
        recent.clear()
        found = links_of(files, behind, self.aside.put) if are_many and self.aside is not None else links_of(files, behind)
        for one in files:
            one.linked.let_go()
        if are_many:
            self.rest()
        return dict(zip(rows, found, strict=True))

    def stop(self) -> None:
        self.stopped = True

    # reading

    def sort_out(self) -> None:
        """Which files are parsed, searched as text or skipped."""
        if self.previous is not None:
            same = self.kept >= 0
            self.status[same] = self.previous.snapshot.parts["files"]["status"][self.kept[same]]
        for row in self.fresh:
            source = self.sources[row]
            self.status[row], why = reading_of(source)
            if why:
                self.problems.append(Problem(shown(source.path), 0, why))

    def read(self) -> None:
        """Facts of every file that is new or changed."""
        todo = self.fresh
        self.progress.start("Reading files", len(todo))
        parsed = [row for row in todo if self.status[row] == PARSED]
        self.progress.advance(len(todo) - len(parsed))
        for rows in (parsed[at : at + READ_TOGETHER] for at in range(0, len(parsed), READ_TOGETHER)):
            asked = [(self.sources[row], language) for row in rows if (language := language_of(self.sources[row].path)) is not None]
            for row, made in zip(rows, self.make_facts(asked), strict=True):
                made.names[:] = map(sys.intern, made.names)  # most are those of other files too
                self.facts[row] = made
                if line := int(made["extra"][0]):
                    why = "could not be parsed here; what stands around it was read" if line > 0 else _UNREAD[line]
                    self.problems.append(Problem(shown(self.sources[row].path), max(line, 0), why))
            self.progress.advance(len(rows))
        self.progress.finish()

    def facts_at(self, row: int) -> Facts:
        """Facts of any parsed file of this commit."""
        facts = self.facts.get(row)
        if facts is None:
            source, language = self.sources[row], language_of(self.sources[row].path)
            assert language is not None
            if self.previous is None:
                facts = self.stored_facts(source, language) or facts_of(bytes_of(self.parts["content"], row) or b"", language)
                facts.names[:] = map(sys.intern, facts.names)
            elif self.load_facts is not None:
                facts = self.load_facts(int(self.kept[row]), source, language)
            else:
                facts = facts_of(file_bytes(self.previous.snapshot, int(self.kept[row])) or b"", language)
            self.facts[row] = facts
        return facts

    # linking

    def link(self) -> tuple[Columns, dict[int, tuple[str, ...]], int]:
        """Links of every file as `index.resolver.keep` has them, the names of open sites by row of the files that were linked anew (for
        them the last of `loose` is an index of these; of a commit that follows on none all are in row 0), and how many files that were."""
        numbers = self.numbers()
        fresh, kept, linked = self.resolved(numbers)
        are_many = len(self.facts) > MANY_FILES and self.previous is None
        if are_many:
            self.facts = {}
            return_memory()
        names = {row: one.names for row, one in fresh.items() if "loose" in one.columns}
        if self.previous is None:
            names = {0: tuple(chain.from_iterable(names[row] for row in sorted(names)))}
        self.relinked = {row for row, its in fresh.items() if not {"edges", "late", "loose"}.isdisjoint(its.columns)}
        is_linked = (self.status == PARSED).astype(np.uint8)
        if kept is None:
            table: Columns = first_table(len(self.sources), {row: with_mentions(its, lambda _: b"") for row, its in fresh.items()}) | {
                "numbers": numbers, "linked": is_linked,
            }  # fmt: skip
        else:
            old_rows = self.linked_before()
            made = {row: with_mentions(its, partial(kept.text, row=int(old_rows[row]))) for row, its in fresh.items()}
            table = kept.table(old_rows, made, numbers, is_linked)
            self.taken = kept
        if are_many:
            # What linking made is two thirds of all memory, and some of it holds itself. A small object that stays keeps a megabyte around
            # it from going back: a few of every file, and those that the interpreter has at hand for the next ones, which only a collection
            # lets go.
            fresh.clear()
            gc.collect()
            return_memory()
        return table, names, linked

    def links_layer(self, links: Columns, kept: Kept) -> Layer | None:
        """The links as what is different from those of the commit before; None where they are better written whole."""
        previous = self.previous
        assert previous is not None
        parts, size = previous.snapshot.parts, len(previous.links["numbers"])
        under = parts.layer("links") if isinstance(parts, Parts) else None
        stored = parts.stored.get("links") if isinstance(parts, Parts) else None
        old_rows = self.linked_before()
        below = Layer(previous.links, {}, stored) if under is None else under
        since = different_since(
            links, old_rows, kept.different, kept.move.symbols, self.renumber, len(self.names), below.since, kept.moved_part
        )
        return Layer(below.base, since, below.stored) if len(since["fresh"]) <= previous.most_since * max(size, 1) else None

    def linked_before(self) -> NDArray[np.int64]:
        """Of every file that is linked its row in the commit before, else -1."""
        return np.where(self.status == PARSED, self.before, -1)

    def resolved(self, numbers: NDArray[np.int64]) -> tuple[dict[int, FileLinks], Kept | None, int]:
        """By row, the links of files that were linked anew, or differ otherwise from those of the commit before; these; and how many files
        were linked."""
        rows = np.flatnonzero(self.status == PARSED).tolist()
        row_of = self.rows_by_number(numbers)
        named = np.full((2, len(row_of)), "", object)  # by number, path and language
        named[:, numbers[rows]] = np.array(self.paths, object)[rows], _LANGUAGES[self.languages()[rows]]
        paths, languages = named.tolist()
        maps = self.module_maps(None)
        self.problems += [*maps.python.problems, *maps.script.problems]
        program = Program(
            paths, languages, lambda number: self.facts_at(row_of[number]), maps.resolvers, maps.python.conftest_chain, maps.lookup_keys
        )
        unparsed = np.flatnonzero(self.status != PARSED).tolist()
        program.others = dict(zip([self.paths[row] for row in unparsed], numbers[unparsed].tolist(), strict=True))
        program.rest = self.rest
        linkers = Linkers(program)
        kept, keys, dirty = self.taken_over(rows, numbers, maps, program) if self.previous is not None else (None, set(), rows)
        if kept is not None:
            self.ask_for_facts(dirty, row_of)
        self.progress.start("Resolving names", len(dirty))
        fresh: dict[int, FileLinks] = {}
        linked: dict[int, Linked] = {}
        behind = linkers.gateways.facts_behind
        are_many = len(dirty) > MANY_FILES
        recent: dict[int, LinkedFile] = {}  # by row, the files linked last
        # What lies aside takes no memory, and as numbers that are made again it would.
        in_memory = self.previous is None and not (self.aside is not None and self.aside.holds)
        done = _Tests(program, self.facts if in_memory else {}, self.sources)
        for row in dirty:
            number = int(numbers[row])
            why = unfollowed(self.facts_at(row))
            if why:
                self.problems.append(Problem(shown(self.sources[row].path), 0, why))
            stands, facts = self.standing.pop(row, (None, _NO_FACTS))
            linked[number] = one = Linked() if why else linkers.link(number, stands)
            if kept is not None and (why or number in linkers.failed):
                kept.standing_sites.pop(number, None)  # nothing of it stands
            if self.stopped:
                raise KeyboardInterrupt
            recent[row] = LinkedFile(self.facts[row]["start"], one, facts)
            if are_many:
                done.add(row, number, one)
            if len(recent) == KEPT_TOGETHER:
                fresh.update(self.linked_last(recent, behind, are_many))
            self.progress.advance()
        fresh.update(self.linked_last(recent, behind, are_many))
        self.progress.finish()
        if are_many:
            return_memory()
        recorded = None
        if kept is not None:
            program.qualified = self.qualified_before(row_of)
            recorded = Recorded(kept, keys, program.place_of)
        solution = linkers.late(linked, recorded)
        looked_at = behind([its.seen for its in solution.sites.values()])
        for at, ((number, sites), seen) in enumerate(zip(solution.sites.items(), looked_at, strict=True)):
            if at % RESTS == 0:
                self.rest()
            row = row_of[number]
            start = self.facts_at(row)["start"] if sites.given else np.empty(0, np.int32)
            flows = flows_as_json(sites.flows)
            targets = distinct(np.array([parameter[1] for _, parameter, *_ in sites.flows], np.int32))
            fresh[row] = with_columns(
                fresh.get(row),
                {
                    "late": edges_of(start, sites.given.values()),
                    "late_facts": seen if sites.stood is None else union(seen, sites.stood.facts),
                    "late_passed": as_bytes(flows), "late_targets": targets,
                },
            )  # fmt: skip
        looked_at = behind([its.seen for its in solution.parameters.values()])
        for (number, parameters), seen in zip(solution.parameters.items(), looked_at, strict=True):
            row = row_of[number]
            fresh[row] = with_columns(
                fresh.get(row),
                {"solved": as_bytes(solved_as_json(parameters.solved)), "solved_facts": seen},
            )
        self.failures = {self.paths[row_of[number]]: error for number, error in sorted(linkers.failed.items())}
        self.problems += [Problem(path, 0, UNLINKED) for path in self.failures]
        linkers.close()
        self.rest()
        return fresh, kept, len(dirty)

    @staticmethod
    def rows_by_number(numbers: NDArray[np.int64]) -> Sequence[int]:
        """A file's number -> its row, -1: none has it."""
        rows = np.arange(len(numbers))
        if np.array_equal(numbers, rows):  # as long as no file came or went
            return range(len(numbers))
        found = np.full(int(numbers.max(initial=-1)) + 1, -1, np.int64)
        found[numbers] = rows
        every: list[int] = found.tolist()
        return every

    def ask_for_facts(self, dirty: Sequence[int], row_of: Sequence[int]) -> None:
        """Files that are linked anew will mostly look into those that they led to before."""
        assert self.previous is not None
        links = self.previous.links
        offsets = links["edges_offsets"]
        old = self.before[dirty]
        old = old[old >= 0]
        files = distinct(field(links, "edges", 1, ranges(offsets[:-1][old], np.diff(offsets)[old]))).tolist()
        led_to = [row_of[number] for number in files if number < len(row_of)]
        wanted = [
            self.sources[row] for row in sorted({*dirty, *led_to}) if row >= 0 and row not in self.facts and self.status[row] == PARSED
        ]
        self.facts_wanted([(one.blob, language) for one in wanted if (language := language_of(one.path)) is not None])

    def qualified_before(self, row_of: Sequence[int]) -> Callable[[int, int], str | None]:
        """A file's number and a symbol of it -> its qualified name, of files that are as they were; None of others."""
        assert self.previous is not None
        symbols = self.previous.snapshot.parts["symbols"]
        names = Names(symbols["name_bytes"], symbols["name_offsets"])
        parents, name = symbols["parent"], symbols["name"]

        def qualified(number: int, symbol: int) -> str | None:
            now = row_of[number] if number < len(row_of) else -1
            old = int(self.kept[now]) if now >= 0 else -1
            if old < 0:
                return None
            row, found = int(self.old_base[old]) + symbol, []
            while parents[row] >= 0:
                found.append(names[int(name[row])])
                row = int(parents[row])
            return ".".join(reversed(found)) or "<module>"

        return qualified

    def languages(self) -> NDArray[np.uint8]:
        """The number of every file's language, 0 for those that none reads."""
        found = np.zeros(len(self.sources), np.uint8)
        if self.previous is not None:
            same = self.kept >= 0
            found[same] = self.previous.snapshot.parts["files"]["language"][self.kept[same]]
        found[self.fresh] = [0 if (its := language_of(self.sources[row].path)) is None else its.number for row in self.fresh]
        return found

    def numbers(self) -> NDArray[np.int64]:
        """A number for every file, the one it had before where its path was there."""
        found = np.full(len(self.sources), -1, np.int64)
        following = 0
        if self.previous is not None:
            before = self.previous.links["numbers"]
            following = int(before.max()) + 1 if len(before) else 0
            known = self.before >= 0
            found[known] = before[self.before[known]]
        fresh = np.flatnonzero(found < 0)
        found[fresh] = following + np.arange(len(fresh))
        return found

    def module_maps(self, snapshot: Snapshot | None) -> _Maps:
        """Module maps of this commit, or of the one before."""
        if snapshot is not None:
            return _Maps(snapshot.paths, partial(file_bytes, snapshot))

        def content(row: int) -> bytes | None:
            old = int(self.kept[row])
            return self.sources[row].data if old < 0 or self.previous is None else file_bytes(self.previous.snapshot, old)

        return _Maps(self.paths, content)

    def taken_over(
        self, rows: Sequence[int], numbers: NDArray[np.int64], maps: _Maps, program: Program
    ) -> tuple[Kept | None, set[int], list[int]]:
        """Links of the commit before, moved to this one (None: not worth it), keys of what changed, and the rows to be linked anew, all or
        but for what `standing` says."""
        previous = self.previous
        assert previous is not None
        before = previous.snapshot
        changed = [row for row in self.fresh if self.status[row] == PARSED]
        old_status = before.parts["files"]["status"]
        gone = [old for old in self.gone if old_status[old] == PARSED]
        if len(changed) + len(gone) > previous.most_changed * max(len(rows), 1):
            return None, set(), list(rows)
        keys = {fact_key(*UNFINISHED)}
        symbols: dict[int, NDArray[np.int64]] = {}
        nodes: dict[int, Callable[[int], int]] = {}
        old_numbers = previous.links["numbers"]
        stale = list(gone)
        now: dict[int, int] = {}
        for row in self.fresh:
            old = int(self.before[row])
            if old < 0:
                continue
            if (old_status[old] == PARSED) != (self.status[row] == PARSED):
                return None, set(), list(rows)  # imports of it mean something else, although the file was and is there
            if old_status[old] == PARSED:
                stale.append(old)
                now[old] = row
        for row in changed:
            if self.before[row] < 0:
                keys.update(fingerprints(Version(program.unit(int(numbers[row])))))
        spans: dict[int, tuple[list[Span], Unit]] = {}
        blobs, old_languages = before.parts["files"]["blob"], before.parts["files"]["language"]
        self.facts_wanted([(blobs[old].tobytes().hex(), BY_NUMBER[int(old_languages[old])]) for old in stale])
        for old in stale:
            row = now.get(old, -1)
            version = Version(self.old_unit(old))
            prints = fingerprints(version)
            number = int(old_numbers[old])
            if row >= 0 and row in self.facts:
                after = Version(program.unit(number))
                prints_now = fingerprints(after)
                different = differing(prints, prints_now)
                keys.update(different)
                symbols[number] = moved = moved_symbols(version, after)
                nodes[number] = Lazily(partial(moved_nodes, version, after, moved))
                if not unfollowed(version.unit.facts):
                    kinds = [its[:2] for key in different for its in (prints.get(key), prints_now.get(key)) if its is not None]
                    spans[old] = standing(version, after, moved, kinds), version.unit
            else:
                keys.update(prints)
                symbols[number] = np.full(len(version.unit.symbol_node), -1, np.int64)
        if self.gone or (self.before < 0).any() or self.config_changed():
            old_maps = self.module_maps(before)
            for stem in old_maps.changed(maps):
                keys.add(fact_key("path", "", stem))
        for old in self.gone:
            symbols.setdefault(int(old_numbers[old]), np.full(1, -1, np.int64))  # files that are not parsed can be imported too
        kept = Kept(previous.links, Move(symbols, nodes))
        again = set(kept.rows_with("facts", keys)) | kept.gone
        old_symbols = before.parts["symbols"]
        names = Names(old_symbols["name_bytes"], old_symbols["name_offsets"])
        stand = {old: its for old, its in spans.items() if its[0] and old not in again}
        kept.read_ahead(np.array(sorted(stand), np.int64))
        for old, (some, unit) in stand.items():
            row = now[old]
            with suppress(Gone):
                stands = kept.standing(old, some, self.facts[row], unit.facts, names)
                self.standing[row] = stands, kept.part("facts", old)
        is_again = np.zeros(len(old_status) + 1, bool)  # the last one: what is new or changed
        is_again[list(again)] = True
        dirty = sorted({*changed, *np.array(rows, np.int64)[is_again[self.kept[rows]]].tolist()})
        return kept, keys, dirty

    def config_changed(self) -> bool:
        """Whether a file that module maps read was touched."""
        gone = map(self.previous.snapshot.raw_path, self.gone) if self.previous is not None else ()
        return any(map(_is_config, (*(self.paths[row] for row in self.fresh), *map(shown, gone))))

    def old_unit(self, old: int) -> Unit:
        """A changed or deleted file as it was."""
        assert self.previous is not None
        before = self.previous.snapshot
        path = before.raw_path(old)
        language = BY_NUMBER[int(before.parts["files"]["language"][old])]
        source = Source(path, before.parts["files"]["blob"][old].tobytes().hex(), 0, None)
        if self.load_facts is not None:
            facts = self.load_facts(old, source, language)
        else:
            facts = facts_of(file_bytes(before, old) or b"", language)
        return Unit(old, shown(path), language.name, facts)

    # parts

    def files_part(self) -> Columns:
        if self.previous is not None:
            return self.files_following(self.previous.snapshot.parts["files"])
        paths = [source.path for source in self.sources]
        starts = [self.line_starts(row) for row in range(len(paths))]
        return {
            "path_bytes": np.frombuffer(b"".join(paths), np.uint8),
            "path_offsets": offsets([len(path) for path in paths]),
            **file_columns(self.sources),
            "status": self.status,
            "line_starts": np.concatenate([np.empty(0, np.int32), *starts]),
            "line_starts_offsets": offsets([len(its) for its in starts]),
        }

    def files_following(self, before: Columns) -> Columns:
        """The same of a commit that follows on another; where lines begin is put together when it is asked for."""
        kept, same = self.kept, np.flatnonzero(self.kept >= 0)
        found: dict[str, NDArray[Any]] = {"status": self.status}
        for column, values in file_columns([self.sources[row] for row in self.fresh]).items():
            found[column] = np.zeros((len(kept), *values.shape[1:]), values.dtype)
            found[column][same] = before[column][kept[same]]
            found[column][self.fresh] = values
        paths = {row: np.frombuffer(self.sources[row].path, np.uint8) for row in self.fresh}
        found["path_bytes"], found["path_offsets"] = ragged(before["path_bytes"], before["path_offsets"], kept, paths)
        return Spliced(before, kept, {"line_starts": {row: self.line_starts(row) for row in self.fresh}}, found)

    def line_starts(self, row: int) -> NDArray[np.int32]:
        """Of a file that is new or changed."""
        if row in self.facts:
            made: NDArray[np.int32] = self.facts[row]["line_starts"]
            return made
        return self.unparsed_lines[row]

    def lines_of_unparsed(self) -> dict[int, NDArray[np.int32]]:
        """Of files that are new or changed and have no facts, by row: together, some megabytes at a time."""
        found: dict[int, NDArray[np.int32]] = {}
        rows: list[int] = []
        texts: list[bytes] = []
        size = 0
        for row in self.fresh:
            if row in self.facts:
                continue
            data = self.sources[row].data
            rows.append(row)
            texts.append(b"" if data is None or self.status[row] == SKIPPED else data)
            size += len(texts[-1])
            if size > LINES_TOGETHER:
                found.update(zip(rows, cut_lines(texts), strict=True))
                rows, texts, size = [], [], 0
        found.update(zip(rows, cut_lines(texts), strict=True))
        return found

    def symbols_of_all(self) -> tuple[dict[str, NDArray[Any]], _OwnNames]:
        """The part of a commit that follows on none; the names of its symbols are numbered as they come until `named`."""
        parsed = sorted(self.facts)
        counts = np.ones(len(self.sources), np.int64)
        counts[parsed] = [len(self.facts[row]["symbol_node"]) for row in parsed]
        base = offsets(counts.tolist())
        part: dict[str, NDArray[Any]] = {column: np.empty(int(base[-1]), dtype) for column, dtype in _SYMBOL_COLUMNS.items()}
        number: defaultdict[str, int] = defaultdict(count().__next__)
        part["file"][:] = np.repeat(np.arange(len(self.sources)), counts)

        others = np.flatnonzero([row not in self.facts for row in range(len(self.sources))])
        lines = [len(self.unparsed_lines[row]) for row in others.tolist()]
        columns = files_as_symbols([self.sources[row] for row in others.tolist()], lines)
        for column, values in columns.items():
            part[column][base[others]] = values
        is_parsed = np.ones(int(base[-1]), bool)
        is_parsed[base[others]] = False
        for column, values in symbols_of_files([self.facts[row] for row in parsed], base[parsed]).items():
            part[column][is_parsed] = values
        modules = [number[module_name(path)] for path in self.paths]
        names: list[int] = []
        for row in parsed:
            facts = self.facts[row]
            own = [*facts.names, ""]  # -1, the name of what has none, is the last one
            names.extend(map(number.__getitem__, map(own.__getitem__, facts["symbol_name"].tolist())))
        part["name"][is_parsed] = names
        part["name"][base[:-1]] = modules
        return part, _OwnNames(base, list(number))

    def named(
        self,
        symbols: dict[str, NDArray[Any]],
        own: _OwnNames,
        links: Columns,
        names_of: Mapping[int, tuple[str, ...]],
    ) -> Names:
        """All names, and rows of them in place of the numbers that `symbols_of_all` gave, and in the last column of `loose`."""
        names, number = Names.numbered({"", *own.names, *chain.from_iterable(names_of.values())})
        symbols["name"] = np.array([*map(number.__getitem__, own.names)], np.int32)[symbols["name"]]
        symbols["name_bytes"], symbols["name_offsets"] = names.content, names.offsets
        if names_of:
            links["loose"][:, 4] = [*map(number.__getitem__, chain.from_iterable(names_of[row] for row in sorted(names_of)))]
        return names

    def symbols_part(self, links: Columns, names_of: Mapping[int, tuple[str, ...]]) -> tuple[Columns, NDArray[np.int64], Names]:
        """The part of a commit that follows on another, each column put together when it is asked for; the first symbol row of every file,
        and all names. The last column of `loose` becomes rows of them."""
        assert self.previous is not None
        old_symbols, old_base, kept = self.previous.snapshot.parts["symbols"], self.old_base, self.kept
        counts = np.ones(len(self.sources), np.int64)
        same = kept >= 0
        counts[same] = np.diff(old_base)[kept[same]]
        every: set[str] = {""}
        for row in self.fresh:
            every.add(module_name(self.paths[row]))
            if row in self.facts:
                counts[row] = len(self.facts[row]["symbol_node"])
                own = self.facts[row].names
                every.update(own[at] for at in self.facts[row]["symbol_name"].tolist() if at >= 0)
        every.update(name for some in names_of.values() for name in some)
        base = offsets(counts)
        names, number = self.names_following(links, names_of, every)
        renumber = self.renumber
        made = {
            row: file_symbols(self.sources[row], self.facts.get(row), number, row, int(base[row]), len(self.line_starts(row)))
            for row in self.fresh
        }
        self.fresh_chunks = chunks_of(made, base, self.status, {row: self.sources[row].size for row in made}, self.line_starts)

        def spliced(column: str) -> NDArray[Any]:
            values: NDArray[Any] = old_symbols[column]
            if column == "name":
                values = renumber[values]
            dtype = _SYMBOL_COLUMNS[column]
            found = ragged(values, old_base, kept, {row: its[column].astype(dtype, copy=False) for row, its in made.items()})[0]
            if column == "parent":
                move_with(found, old_base, base, kept)
            return found

        makers: dict[str, Callable[[], NDArray[Any]]] = {column: partial(spliced, column) for column in _SYMBOL_COLUMNS}
        makers["file"] = lambda: np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        return Late({**makers, "name_bytes": lambda: names.content, "name_offsets": lambda: names.offsets}), base, names

    def names_following(self, links: Columns, names_of: Mapping[int, tuple[str, ...]], every: set[str]) -> tuple[Names, dict[str, int]]:
        """All names, and the rows of those that new and changed files have (`every`)."""
        assert self.previous is not None
        old_symbols, old_base = self.previous.snapshot.parts["symbols"], self.old_base
        old_names, name = Names(old_symbols["name_bytes"], old_symbols["name_offsets"]), old_symbols["name"]
        used = np.zeros(len(old_names), bool)
        for a, b in runs(self.kept):
            used[name[old_base[a] : old_base[b]]] = True
        changed = self.before[(self.before >= 0) & (self.kept < 0)].tolist()
        had = {one for row in changed for one in name[int(old_base[row]) : int(old_base[row + 1])].tolist()}
        if self.taken is not None:
            had.update(self.taken.open_names(np.delete(self.linked_before(), list(names_of)), used).tolist())
        names, self.renumber, number = old_names.replaced(used, every, {old_names[row]: row for row in had})
        if self.taken is not None:
            self.taken.columns.names, made = self.renumber, self.taken.different["loose"]
            for row, its in names_of.items():
                made[row] = np.column_stack([made[row][:, :4], np.array([number[name] for name in its], np.int32)])
        elif names_of:
            links["loose"][:, 4] = [number[name] for row in sorted(names_of) for name in names_of[row]]
        return names, number

    def chunks_following(self, base: NDArray[np.int64]) -> Columns:
        """The part of a commit that follows on another: see `chunks_part`."""
        assert self.previous is not None
        before, old_base, kept, made = self.previous.snapshot.parts["chunks"], self.old_base, self.kept, self.fresh_chunks
        first = np.searchsorted(before["file"], np.arange(len(old_base), dtype=np.int32))
        counts = np.zeros(len(kept), np.int64)
        counts[kept >= 0] = np.diff(first)[kept[kept >= 0]]
        for row, its in made.items():
            counts[row] = len(its["file"])

        def spliced(column: str) -> NDArray[Any]:
            values: NDArray[Any] = before[column]
            if column == "symbol":
                shift = np.zeros(len(old_base) - 1, np.int64)
                shift[kept[kept >= 0]] = (base[:-1] - old_base[kept])[kept >= 0]
                values = (values + np.repeat(shift, np.diff(first))).astype(np.int32)
            return ragged(values, first, kept, {row: its[column] for row, its in made.items()})[0]

        makers: dict[str, Callable[[], NDArray[Any]]] = {column: partial(spliced, column) for column in before}
        return Late(makers | {"file": lambda: np.repeat(np.arange(len(kept), dtype=np.int32), counts)})

    def edges_before(self, tree: Tree) -> Before | None:
        """What the edges of the commit before can be taken from; None where everything was linked anew."""
        if self.previous is None or self.taken is None:
            return None
        before, old_links = self.previous.snapshot.parts, self.previous.links
        old = Tree(
            before["symbols"],
            before["files"],
            self.old_base,
            Names(before["symbols"]["name_bytes"], before["symbols"]["name_offsets"]),
            old_links,
        )
        same = self.kept.copy()
        same[list(self.relinked)] = -1
        symbol = np.full(int(self.old_base[-1]), -1, np.int32)
        for a, b in row_runs(self.kept):
            first, last = int(self.old_base[self.kept[a]]), int(self.old_base[self.kept[b - 1] + 1])
            symbol[first:last] = np.arange(last - first) + tree.base[a]
        # A file that changed stays what imports of it lead to, also one of no language of ours, of which nothing was linked.
        stays = np.flatnonzero((self.before >= 0) & (self.kept < 0))
        symbol[self.old_base[self.before[stays]]] = tree.base[stays]
        for number, moved in self.taken.move.symbols.items():
            old_row, row = int(old.row_of[number]), int(tree.row_of[number]) if number < len(tree.row_of) else -1
            if row >= 0:
                first, last = int(self.old_base[old_row]), int(self.old_base[old_row + 1])
                symbol[first:last] = np.where(moved >= 0, moved + tree.base[row], -1)
        return Before(old, before["edges"], before["open"], before["classes"], same, symbol, self.renumber)

    def moved_files(self) -> NDArray[np.int64]:
        """The row that each file of the commit before has now, -1 where it is gone or changed."""
        moved = np.full(self.old_count, -1, np.int64)
        moved[self.kept[self.kept >= 0]] = np.flatnonzero(self.kept >= 0)
        return moved

    def text_parts(self) -> None:
        """The parts `text` and `content`."""
        fresh = self.fresh
        readable = {row: self.sources[row].data if self.status[row] != SKIPPED else None for row in fresh}
        moved = self.moved_files()
        if self.previous is None:
            self.parts["text"] = self.put_away("text", text_of(list(readable.values())))
        else:

            def facts() -> dict[int, Columns | None]:
                found = iter(text_facts_batch([data for data in readable.values() if data is not None]))
                return {row: None if data is None else next(found) for row, data in readable.items()}

            before, most = self.previous.snapshot.parts, self.previous.most_since
            if len(fresh) <= MANY_FILES and fits(before, "text", moved, fresh, most):  # made when somebody asks for it
                self.layers["text"] = cache(lambda: _layer(before, "text", moved, facts(), most))
            else:
                made = facts()
                self.add_part("text", moved, made, lambda before: update_text(before or {}, moved, made))
        self.add_part("content", moved, readable, lambda before: update_content(before or _NO_CONTENT, moved, readable))

    def add_part(
        self, name: str, moved: NDArray[np.int64], changed: Mapping[int, Any], make: Callable[[Columns | None], Columns], known: bool = True
    ) -> None:
        """A part as what is different from that of the commit before (where it is `known`), or whole."""
        if self.previous is None or not known:
            self.parts[name] = self.put_away(name, make(None))
            return
        before = self.previous.snapshot.parts
        layer = layer_over(before, name, moved, changed, self.previous.most_since)
        if layer is None:
            self.parts[name] = self.put_away(name, make(before[name]))
        else:
            self.layers[name] = lambda: layer

    def vectors_part(self, embed: Embed, names: Sequence[str]) -> None:
        """The part `vectors`: of unchanged files as they were. Those of a few changed files are made when somebody asks for them."""
        chunks, symbols = self.parts["chunks"], self.parts["symbols"]
        before = self.previous.snapshot.parts if self.previous is not None else {}
        known = "vectors" in before and _model_before(before) == embed.name
        first = np.searchsorted(chunks["file"], np.arange(len(self.sources) + 1, dtype=np.int32))
        todo = np.flatnonzero(~((self.kept >= 0) & known)).tolist()
        moved = self.moved_files()
        texts = {row: self.sources[row].data for row in todo}
        paths = {row: self.sources[row].path for row in todo}

        def made(content: Callable[[int], bytes], progress: Progress) -> dict[int, NDArray[np.uint8]]:
            changed = dict.fromkeys(todo, np.empty((0, ROW_BYTES), np.uint8))
            asked = [row for row in todo if first[row + 1] > first[row]]
            qualified = qualified_names(symbols, names)
            progress.start("Reading meanings", len(asked))
            for at in range(0, len(asked), EMBEDDED_TOGETHER):
                batch = asked[at : at + EMBEDDED_TOGETHER]
                blobs = []
                for row in batch:
                    a, b = int(first[row]), int(first[row + 1])
                    of_chunks = [qualified(symbol) for symbol in chunks["symbol"][a:b].tolist()]
                    blobs.append((content(row), chunks["start_byte"][a:b], chunks["end_byte"][a:b], of_chunks, paths[row]))
                changed.update(zip(batch, embed.embed(blobs), strict=True))
                progress.advance(len(batch))
            if len(asked) > MANY_FILES:
                embed.forget()
            progress.finish()
            return changed

        most = self.previous.most_since if self.previous is not None else 0.0
        if known and len(todo) <= MANY_FILES and fits(before, "vectors", moved, todo, most):
            self.layers["vectors"] = cache(lambda: _layer(before, "vectors", moved, made(lambda row: texts[row] or b"", Silent()), most))
            return

        contents = Parts(self.parts, self.layers)

        def content(row: int) -> bytes:
            data = texts[row]
            return (bytes_of(contents["content"], row) if data is None else data) or b""

        changed = made(content, self.progress)

        def whole(before: Columns | None) -> Columns:
            if before is not None:
                return update_vectors(before, moved, changed)
            nothing = np.empty((0, ROW_BYTES), np.uint8)
            return vectors_part(np.concatenate([nothing, *changed.values()]), embed.name, np.diff(first))

        self.add_part("vectors", moved, changed, whole, known)


def _layer(before: Mapping[str, Columns], name: str, moved: NDArray[np.int64], changed: Mapping[int, Any], most_since: float) -> Layer:
    layer = layer_over(before, name, moved, changed, most_since)
    assert layer is not None  # that it fits was asked before
    return layer


def _model_before(parts: Mapping[str, Columns]) -> str:
    """The model that made the vectors of the commit before; these are not put together for it."""
    layer = parts.layer("vectors") if isinstance(parts, Parts) else None
    return model_of(layer.base if layer is not None else parts["vectors"])


_LANGUAGES = np.full(256, "", object)  # their names by number
_LANGUAGES[list(BY_NUMBER)] = [language.name for language in BY_NUMBER.values()]
_NO_FACTS = np.empty(0, np.uint32)
CONFIG_ENDINGS = (*python_modules.CONFIG_ENDINGS, *script_modules.CONFIG_ENDINGS)


_CONFIG_TAILS = [ending[-4:].encode() for ending in CONFIG_ENDINGS]


def _is_config(path: str) -> bool:
    return any(path.endswith(its.CONFIG_ENDINGS) and its.is_config(path) for its in (python_modules, script_modules))


def _ending_like_configs(paths: Sequence[str]) -> list[int]:
    """Rows of the paths, as `shown` gives them, that `_is_config` has to look at: the last letters of all are looked at together."""
    text = np.frombuffer("\0".join(["\0\0\0", *paths, ""]).encode("utf-8", "surrogatepass"), np.uint8)
    ends = np.flatnonzero(text == 0)[4:]  # before the first path stand four
    tail: NDArray[Any] = np.zeros(len(ends), np.uint32)
    for back in range(4, 0, -1):
        tail = tail << 8 | text[ends - back]
    found = np.zeros(len(ends), bool)
    for ending in _CONFIG_TAILS:
        found |= tail & ((1 << 8 * len(ending)) - 1) == int.from_bytes(ending, "big")
    rows: list[int] = np.flatnonzero(found).tolist()
    return rows


class _Tests:
    """Tests that are linked: few files look into them from outside their folder, so what is known of them takes memory for nothing when
    their folder is done. Facts that will hardly be asked for go too, and are made again where they are.

    facts: those that take memory."""

    def __init__(self, program: Program, facts: dict[int, Facts], sources: Sequence[Source]) -> None:
        self._program, self._facts, self._sources = program, facts, sources
        self._folder = b""
        self._done: list[tuple[int, int, bool]] = []

    def add(self, row: int, number: int, linked: Linked) -> None:
        folder = self._sources[row].path.rpartition(b"/")[0]
        if folder != self._folder:
            self.let_go()
            self._folder = folder
        if self._program.unit(number).is_test:
            self._done.append((row, number, bool(linked.later)))

    def let_go(self) -> None:
        for row, number, is_solved_later in self._done:
            if is_solved_later:
                self._program.unit(number).let_go()
            else:
                self._program.forget(number)
                self._facts.pop(row, None)
        self._done = []


class _Maps:
    """Module maps of a tree, as the resolver asks for them."""

    def __init__(self, paths: list[str], content: Callable[[int], bytes | None]) -> None:
        """content: of a file, by its row among the paths."""
        candidates = {paths[row]: row for row in _ending_like_configs(paths) if _is_config(paths[row])}

        def configs(is_config: Callable[[bytes | str], bool]) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            size = 0
            for path in sorted(filter(is_config, candidates)):
                data = content(candidates[path])
                if data is not None:
                    found[path] = data
                    size += len(data)
                if size > MOST_CONFIG_BYTES:  # the maps say it
                    break
            return found

        self.paths = paths
        self.python = python_modules.ModuleMap(paths, configs(python_modules.is_config))
        self.script = script_modules.ModuleMap(paths, configs(script_modules.is_config))
        script, scripts = self.script, ("typescript", "tsx", "javascript")  # not of `self`: what holds itself waits for the collector
        self.resolvers: dict[str, Callable[[str, str, int], Resolution]] = {"python": self.python.resolve}
        self.resolvers |= dict.fromkeys(scripts, lambda path, module, level: script.resolve(path, module))
        self.lookup_keys: dict[str, Callable[[str, str, int], tuple[str, ...]]] = {"python": self.python.lookup_keys}
        self.lookup_keys |= dict.fromkeys(scripts, lambda path, module, level: script.lookup_keys(path, module))

    def changed(self, after: _Maps) -> set[str]:
        """Stems under which an import may now mean something else."""
        found = {"conftest"} if self.python.have_fixtures() != after.python.have_fixtures() else set()
        return found | python_modules.changed_keys(self.python, after.python) | script_modules.changed_keys(self.script, after.script)


_NO_CONTENT: Columns = {
    "data": np.empty(0, np.uint8), "frame_offsets": np.zeros(1, np.int64),
    "file_frames": np.zeros(1, np.int64), "file_sizes": np.empty(0, np.int64),
}  # fmt: skip


def moved_symbols(old: Version, new: Version) -> NDArray[np.int64]:
    """Old symbol -> the new one of the same qualified name and kind; -1 where there is none. Where there are several of one name
    (overloads, lambdas), it is the one with the same code, and none if that does not tell them apart."""
    before, after = namesakes(old.unit), namesakes(new.unit)
    found = np.full(len(old.unit.symbol_kind), -1, np.int64)
    for key, symbols in before.items():
        candidates = after.get(key, [])
        if len(symbols) == 1 and len(candidates) == 1:
            found[symbols[0]] = candidates[0]
        elif candidates:
            mine, theirs = [old.whole_code(one) for one in symbols], [new.whole_code(one) for one in candidates]
            for symbol, code in zip(symbols, mine, strict=True):
                if mine.count(code) == 1 and theirs.count(code) == 1:
                    found[symbol] = candidates[theirs.index(code)]
    return found


class Lazily:
    """A function from node to node that is made when it is first needed."""

    def __init__(self, make: Callable[[], Callable[[int], int]]) -> None:
        self._make = make
        self._made: Callable[[int], int] | None = None

    def __call__(self, node: int) -> int:
        if self._made is None:
            self._made = self._make()
        return self._made(node)


def namesakes(unit: Unit) -> dict[tuple[str, int], list[int]]:
    """Qualified name and kind -> the symbols that have them."""
    found: dict[tuple[str, int], list[int]] = {}
    for symbol, kind in enumerate(unit.symbol_kind):
        found.setdefault((unit.qualified(symbol), kind), []).append(symbol)
    return found


def qualified_names(symbols: Columns, names: Sequence[str]) -> Callable[[int], str]:
    """The part and its names -> a function from symbol to qualified name, "" for a file's own; each is made once."""
    parent, name = symbols["parent"].tolist(), symbols["name"].tolist()
    known: dict[int, str] = {}

    def qualified(symbol: int) -> str:
        inside = []
        while symbol >= 0 and symbol not in known:
            inside.append(symbol)
            symbol = parent[symbol]
        found = known.get(symbol, "")
        for one in reversed(inside):  # not by calling itself: what holds itself would stay until the collector is on again
            own = names[name[one]] if parent[one] >= 0 else ""
            found = known[one] = f"{found}.{own}" if found else own
        return found

    return qualified


def move_with(symbols: NDArray[np.int32], old_base: NDArray[np.int64], base: NDArray[np.int64], kept: NDArray[np.int64]) -> None:
    """Of every symbol another one of its file, -1: none, and of the files that are kept it is the row that it had: now it is the one that
    it has."""
    for a, b in row_runs(kept):
        if shift := int(base[a] - old_base[kept[a]]):
            its = symbols[base[a] : base[b]]
            np.add(its, shift, out=its, where=its >= 0)


def chunks_of(
    made: Mapping[int, Columns],
    base: NDArray[np.int64],
    status: NDArray[np.uint8],
    sizes: Mapping[int, int],
    line_starts: Callable[[int], NDArray[np.int32]],
) -> dict[int, Columns]:
    """Symbols of some files, by row -> their chunks. base: first symbol row of every file. sizes: in bytes, by row. See `chunks_part`."""
    rows = np.fromiter(made, np.int64, len(made))
    if not len(rows):
        return {}
    own = offsets([len(its["kind"]) for its in made.values()])
    shift = base[rows] - own[:-1]
    starts = [line_starts(row) for row in made]
    symbols: dict[str, NDArray[Any]] = {
        column: np.concatenate([its[column] for its in made.values()]) for column in ("kind", "parent", "start_line")
    }
    symbols["file"] = np.repeat(np.arange(len(rows)), np.diff(own))
    symbols["parent"] = np.where(symbols["parent"] >= 0, symbols["parent"] - shift[symbols["file"]], -1)
    files: Columns = {
        "status": status[rows], "size": np.fromiter(sizes.values(), np.int64, len(rows)),
        "line_starts": np.concatenate(starts), "line_starts_offsets": offsets([len(its) for its in starts]),
    }  # fmt: skip
    chunks = chunks_part(files, symbols)
    of_file = chunks["file"]
    chunks |= {"file": rows[of_file].astype(np.int32), "symbol": (chunks["symbol"] + shift[of_file]).astype(np.int32)}
    first = np.searchsorted(of_file, np.arange(len(rows) + 1, dtype=np.int32)).tolist()
    return {row: {column: values[first[at] : first[at + 1]] for column, values in chunks.items()} for at, row in enumerate(made)}


def runs(kept: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Old rows that are kept -> (first, last + 1) of each run that stays together, in the order of the new rows."""
    for a, b in row_runs(kept):
        yield int(kept[a]), int(kept[b - 1]) + 1


def with_columns(links: FileLinks | None, columns: Mapping[str, NDArray[Any]]) -> FileLinks:
    return FileLinks(columns) if links is None else FileLinks({**links.columns, **columns}, links.names)


def offsets(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


_SYMBOL_COLUMNS: dict[str, Any] = {
    "file": np.int32, "parent": np.int32, "kind": np.uint8, "name": np.int32, "line": np.int32, "column": np.int32, "start_line": np.int32,
    "end_line": np.int32, "start_byte": np.int32, "end_byte": np.int32, "flags": np.int32,
}  # fmt: skip


def file_columns(sources: Sequence[Source]) -> dict[str, NDArray[Any]]:
    """What the part `files` says of each, but for its path and its lines."""
    blobs = bytes.fromhex("".join([source.blob[:40].ljust(40, "0") for source in sources]))
    languages = [language_of(source.path) for source in sources]
    return {
        "blob": np.frombuffer(blobs, np.uint8).reshape(-1, 20),
        "language": np.array([0 if language is None else language.number for language in languages], np.uint8),
        "kind": np.array([kind_of(source.path) for source in sources], np.uint8),
        "size": np.array([source.size for source in sources], np.int64),
    }


def cut_lines(texts: Sequence[bytes]) -> list[NDArray[np.int32]]:
    """Where the lines of each text begin."""
    starts, rows = line_starts(texts)
    return [starts[first:last] for first, last in pairwise(rows.ends)]


def module_name(path: str) -> str:
    """`a/b/cart.py` -> cart; of an `__init__.py` or an index file, its folder."""
    folders, slash, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    return folders.rpartition("/")[2] if stem in ("__init__", "index") and slash else stem


def file_symbols(
    source: Source, facts: Facts | None, number: Mapping[str, int], row: int, base: int, lines: int
) -> dict[str, NDArray[Any]]:
    module = number[module_name(shown(source.path))]
    if facts is None:
        values = {"file": row, "parent": -1, "kind": SymbolKind.MODULE, "name": module, "line": 1, "column": 1,
                  "start_line": 1, "end_line": lines, "start_byte": 0, "end_byte": min(source.size, 2**31 - 1), "flags": 0}  # fmt: skip
        return {column: np.array([value], _SYMBOL_COLUMNS[column]) for column, value in values.items()}
    size = len(facts["symbol_node"])
    starts, at = facts["line_starts"], facts["symbol_at"]
    line = np.searchsorted(starts, at, "right")
    names = facts.names
    name = np.array([number[names[one]] if one >= 0 else number[""] for one in facts["symbol_name"].tolist()], np.int32)
    name[0] = module
    parent = facts["symbol_parent"]
    return {
        "file": np.full(size, row, np.int32),
        "parent": np.where(parent >= 0, parent + base, -1).astype(np.int32),
        "kind": facts["symbol_kind"],
        "name": name,
        "line": line.astype(np.int32),
        "column": (at - starts[line - 1] + 1).astype(np.int32),
        "start_line": np.searchsorted(starts, facts["symbol_start"], "right").astype(np.int32),
        "end_line": np.searchsorted(starts, np.maximum(facts["symbol_end"] - 1, facts["symbol_start"]), "right").astype(np.int32),
        "start_byte": facts["symbol_start"],
        "end_byte": facts["symbol_end"],
        "flags": facts["symbol_flags"],
    }


def files_as_symbols(sources: Sequence[Source], lines: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Of files that were not parsed, and how many lines they have: the columns of one symbol each, but its file and name."""
    size = np.array([source.size for source in sources], np.int64)
    one, nothing = np.ones(len(sources), np.int32), np.zeros(len(sources), np.int32)
    return {
        "parent": nothing - 1, "kind": (nothing + SymbolKind.MODULE).astype(np.uint8), "line": one, "column": one, "start_line": one,
        "end_line": np.array(lines, np.int32), "start_byte": nothing, "end_byte": np.minimum(size, 2**31 - 1).astype(np.int32),
        "flags": nothing,
    }  # fmt: skip


def symbols_of_files(files: Sequence[Facts], base: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Facts of files, and the first symbol row of each -> the columns of all their symbols, but file and name; what `file_symbols` gives
    one by one, in a tenth of the time."""

    def every(column: str) -> NDArray[Any]:
        return np.concatenate([np.empty(0, COLUMNS[column]), *(facts[column] for facts in files)])

    starts, start, end, at, parent = map(every, ("line_starts", "symbol_start", "symbol_end", "symbol_at", "symbol_parent"))
    symbols = np.array([len(facts["symbol_node"]) for facts in files], np.int64)
    lines = np.array([len(facts["line_starts"]) for facts in files], np.int64)
    # Of all files one text, in which each has one byte more than it has: so a place at its end is not in the next.
    sizes = end[np.cumsum(symbols) - symbols].astype(np.int64) + 1 if len(files) else symbols
    offset = np.cumsum(sizes) - sizes
    every_start = starts + np.repeat(offset, lines)
    shift, first_line = np.repeat(offset, symbols), np.repeat(np.cumsum(lines) - lines, symbols)

    def row_of(places: NDArray[Any]) -> NDArray[np.int64]:
        rows: NDArray[np.int64] = np.searchsorted(every_start, places + shift, "right")
        return rows

    row = row_of(at)
    return {
        "parent": np.where(parent >= 0, parent + np.repeat(base, symbols), -1).astype(np.int32),
        "kind": every("symbol_kind"),
        "line": (row - first_line).astype(np.int32),
        "column": (at - starts[row - 1] + 1).astype(np.int32),
        "start_line": (row_of(start) - first_line).astype(np.int32),
        "end_line": (row_of(np.maximum(end - 1, start)) - first_line).astype(np.int32),
        "start_byte": start,
        "end_byte": end,
        "flags": every("symbol_flags"),
    }


def rank_part(edges: Columns, size: int) -> dict[str, NDArray[Any]]:
    """PageRank over what is not merely possible; an override does not use what it overrides."""
    counted = (edges["tier"] < Tier.POSSIBLE) & (edges["kind"] != EdgeKind.OVERRIDE)
    return {"score": pagerank(edges["source"][counted], edges["target"][counted], size)}


_CHUNKED = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)


def chunks_part(files: Columns, symbols: Columns) -> dict[str, NDArray[Any]]:
    """Files cut where a function, method or class begins that is not inside a function, and every CHUNK_LINES lines.

    Skipped files have none.
    """
    kind, parent = symbols["kind"], symbols["parent"]
    outer = kind[np.maximum(parent, 0)]
    cut = one_of(kind, _CHUNKED) & one_of(outer, (SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.NAMESPACE))
    module = kind == SymbolKind.MODULE
    at = np.flatnonzero(cut | module)
    file, start = symbols["file"][at].astype(np.int64), symbols["start_line"][at].astype(np.int64)
    lines = np.diff(files["line_starts_offsets"])
    start = np.minimum(start, np.maximum(lines[file], 1))
    key = file << 32 | start
    fresh = np.r_[key[1:] != key[:-1], True] if len(key) else np.zeros(0, bool)  # of several on one line the innermost
    at, file, start = at[fresh], file[fresh], start[fresh]
    following = np.r_[file[1:] != file[:-1], True] if len(file) else np.zeros(0, bool)
    end = np.where(following, lines[file] + 1, np.r_[start[1:], 0]) if len(file) else start
    pieces = np.maximum(-(-(end - start) // CHUNK_LINES), 1)
    again = np.repeat(np.arange(len(at)), pieces)
    nth = np.arange(len(again)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    file, symbol = file[again], at[again]
    first = start[again] + nth * CHUNK_LINES
    last = np.minimum(first + CHUNK_LINES, end[again])  # exclusive
    kept = files["status"][file] != SKIPPED
    file, symbol, first, last = file[kept], symbol[kept], first[kept], last[kept]
    offset = files["line_starts_offsets"][file]
    starts = files["line_starts"]
    start_byte = starts[offset + first - 1] if len(file) else np.empty(0, np.int32)
    final = last > lines[file]
    end_byte = np.where(final, files["size"][file], starts[np.minimum(offset + last - 1, len(starts) - 1)]) if len(file) else np.empty(0)
    return {
        "file": file.astype(np.int32), "symbol": symbol.astype(np.int32), "start_line": first.astype(np.int32),
        "end_line": (last - 1).astype(np.int32), "start_byte": start_byte.astype(np.int32), "end_byte": end_byte.astype(np.int32),
    }  # fmt: skip
