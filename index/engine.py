"""A repository and a folder for indexes -> snapshots, impact reports and answers: fetch, think, store.

with Engine.open("path/to/clone", home) as engine:
    report = engine.impact("main...feature")
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from index.answer import Reply, describe
from index.config import NAME, ConfigFound, RepositoryConfig
from index.content import file_bytes
from index.embedding.by_voyage import Estimate, document, estimate, voyage_part
from index.embedding.static import WEIGHTS_SHA256, BlobChunks, StaticModel, model_name
from index.embedding.voyage import RERANKED, VoyageOptions, VoyageUnavailable
from index.embedding.voyage import Voyage as Voyage
from index.errors import CannotLook, QuestionError, RepositoryError, RepositoryTooLarge, SnapshotDamaged, StorageError, UnknownRevision
from index.files.paths import raw, shown
from index.fusion.profiles import WEIGHTED_RRF
from index.fusion.with_history import HISTORY
from index.git import MOST_FILES, Ends, Repository
from index.impact.analyse import analyse
from index.impact.comparison import Comparison
from index.impact.looking import looking_into
from index.impact.nouns import ImpactReport
from index.impact.owners import MAX_BYTES as MAX_CODEOWNERS
from index.impact.owners import PLACES, CodeOwners, owned, read_codeowners
from index.impact.people import Author, impacted_lines, reviewers
from index.impact.settings import settings_in, settled, told_changes, touches_settings, with_kinds
from index.impact.syntax import grammar_of
from index.languages.language import Language
from index.layers import Columns, Parts
from index.parsing.facts import FACTS_VERSION, FAILED, Facts, collector_paused, elsewhere, facts_of, facts_of_many
from index.parsing.stored import all_stored, of_stored
from index.past import MOST_COMMITS, PART, SHALLOW, STOPPED, Past, Written, history_part
from index.progress import Progress, Silent
from index.resolver.limits import UNLINKED
from index.retrievers import retrievers_with
from index.search import search
from index.snapshot import Snapshot
from index.sources import Following, Source
from index.storage.aside import Aside
from index.storage.facts import FactsStore
from index.storage.packing import pack, unpack
from index.storage.remote import GRACE, RemoteStore
from index.storage.snapshots import SnapshotStore
from index.syntax.asking import TreeQueries
from index.types import BINARY, Answer, Problem, Tier, TreeEntry
from index.vectors.model import Asked, model_of
from index.why import explain, find_symbol

if TYPE_CHECKING:
    from index.build import Blob, Previous

LOG = logging.getLogger("maguyva")
INDEX_VERSION = "31"  # raise it when snapshots of the same commit change: older ones are made anew
KEPT_COMMITS = 8  # snapshots kept per repository; the least recently used goes first
MAX_FACTS = 2 << 30  # bytes of stored facts per repository; the same
MAX_VECTORS = 256 << 20  # bytes of Voyage's vectors per repository: two million pieces of code, of which the least recently used go first
BLAMED_SECONDS = 3 * 365 * 86_400  # lines that nobody touched for longer are nobody's: who wrote them may be gone
HISTORY_READ = 2_000  # commits whose changed paths are read
FEW_COMMITS = 100  # of a shallow clone: a question is told of fewer
MANY_READ = 500  # files; the facts of more are kept where they take no memory of ours while they are not looked at
READ_AT_ONCE = 400  # blobs whose facts are looked up in one go
MOST_OVERLAID = 0.1  # of the files: a head that changes more is kept on the disk, so that this is done once
LARGEST_READ = 1_000_000  # bytes; larger blobs are listed as skipped and never read
MOST_READ = 2 << 30  # bytes of all files of a commit that are read: a few objects of git can stand for any number of large files
DEADLINE = 5.0  # seconds that each retriever has to answer a person; one that is late is named, not waited for

EMBEDDED, VOYAGE = "embedded", "voyage"  # what turns code into vectors; also the name of the part

_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SKIPPED = {0o120000: "a symbolic link", 0o160000: "a submodule"}


Since = tuple[frozenset[bytes], list[TreeEntry]]  # paths that are gone, and the files that are new or changed
Words = ParamSpec("Words")
Answered = TypeVar("Answered")


def made_anew(method: Callable[Words, Answered]) -> Callable[Words, Answered]:
    """What is asked of an index that turns out to be damaged while it is read is asked once more, of one that is made from nothing."""

    @functools.wraps(method)
    def asked(*words: Words.args, **options: Words.kwargs) -> Answered:
        try:
            return method(*words, **options)
        except SnapshotDamaged as error:
            engine = words[0]
            assert isinstance(engine, Engine)
            engine.forget_index(f"{error} It was built anew.")
            return method(*words, **options)

    return asked


class Engine:
    """`home`: where the indexes of all repositories are kept, never inside a repository. `vectors`: whether meaning is indexed too.
    `key`: the repository's name among them, where its clones lie in different places.
    `voyage`: asked for vectors where it was chosen for the repository (`embeds_with`), and to read questions where the index has some.
    `by_settings`: whether the repository's own `.maguyva.yml` may choose it too, as in a service whose key is meant for that."""

    def __init__(
        self,
        repository: Repository | Path | str,
        home: Path,
        progress: Progress | None = None,
        *,
        vectors: bool = True,
        key: str = "",
        voyage: Voyage | None = None,
        by_settings: bool = False,
    ) -> None:
        self.repository = repository if isinstance(repository, Repository) else Repository.open(repository)
        self.home, self.progress, self.vectors = home, progress or Silent(), vectors
        self.store = SnapshotStore(home, engine=index_version(), keep_manifests=KEPT_COMMITS + 1)
        self.key = key or self.repository.identity
        self.voyage, self.by_settings = voyage, by_settings
        self.notes: list[str] = []  # what went wrong with the index and was got round
        self.problems: dict[str, tuple[Problem, ...]] = {}  # commit -> what could not be read when it was indexed now
        self._facts: FactsStore | None = None
        self._trees = TreeQueries()
        self._open: dict[str, Snapshot] = {}
        self._overlays: dict[str, Snapshot] = {}  # not on the disk
        self._pasts: dict[str, Past] = {}
        self.most_overlaid = MOST_OVERLAID
        self.keeps_heads = False  # True: heads are written to the disk too, for the next process that asks about them

    @classmethod
    def open(cls, path: str | os.PathLike[str], home: Path, progress: Progress | None = None, voyage: Voyage | None = None) -> Engine:
        """For a person at a clone, who will ask about the same commits again. Raises NotARepository and other RepositoryErrors."""
        engine = cls(Repository.open(path), home, progress, voyage=voyage)
        engine.keeps_heads = True
        return engine

    def close(self) -> None:
        if self._facts is not None:
            self._facts.close()
        self._trees.close()
        self.repository.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # snapshots

    @made_anew
    def update(self, revision: str = "") -> Snapshot:
        """The snapshot of a commit, or of the files on disk (""), made if it is not there, with Voyage's vectors where they are chosen.
        Raises StorageError if it can't be kept."""
        commit = self._resolved(revision)
        snapshot = self._snapshot(commit, must_store=True)
        wished = self.embeds_with == EMBEDDED and settings_in(snapshot).config.embedding == VOYAGE
        if wished and not self.by_settings:
            self.notes.append(f"`{NAME}` asks for Voyage's vectors, and nobody chose them here: `maguyva update --embed voyage` does")
        if self.voyage is None or not (self.embeds_with == VOYAGE or (wished and self.by_settings)):
            return snapshot
        return self._with_voyage(commit, snapshot, self.voyage)

    # Voyage: only where someone chose it for this repository, by name

    @property
    def embeds_with(self) -> str:
        """EMBEDDED or VOYAGE: what was chosen for this repository's code here."""
        try:
            return VOYAGE if self._choice.read_text() == VOYAGE else EMBEDDED
        except OSError:
            return EMBEDDED

    def embed_with(self, choice: str) -> None:
        """Chooses; it holds until something else is chosen. Raises StorageError where that can't be written down."""
        try:
            self._choice.parent.mkdir(parents=True, exist_ok=True)
            self._choice.write_text(choice)
        except OSError as error:
            raise StorageError(f"The choice of a model can't be kept in {self._choice.parent}: {error.strerror or error}.") from error

    @property
    def _choice(self) -> Path:
        return self.home / "embedding" / self.key

    def cost(self, revision: str = "") -> Estimate | None:
        """What Voyage's vectors of a commit would take. Nothing is sent for it. None without Voyage."""
        if self.voyage is None:
            return None
        snapshot = self._snapshot(self._resolved(revision))
        with self._vectors_store() as kept:
            return estimate(snapshot, self.voyage, kept)

    def _with_voyage(self, commit: str, snapshot: Snapshot, voyage: Voyage) -> Snapshot:
        if VOYAGE in snapshot.parts and model_of(snapshot.parts[VOYAGE]) == voyage.name:
            return snapshot
        try:
            with self._vectors_store() as kept:
                part = voyage_part(snapshot, voyage, kept, self.progress)
                kept.fit(MAX_VECTORS)
        except VoyageUnavailable as error:
            self.notes.append(str(error))
            return snapshot
        self.store.publish(self.key, commit, commit, Parts.beside(snapshot.parts, {VOYAGE: part}))
        made = self._open[commit] = self.store.open(self.key, commit) or Snapshot(commit, Parts.beside(snapshot.parts, {VOYAGE: part}))
        return made

    def _vectors_store(self) -> FactsStore:
        return FactsStore(self.home / "vectors" / f"{self.key}.sqlite")

    def _resolved(self, revision: str) -> str:
        """The id of a commit. For one that is written out and indexed git is not asked: that would take longer than opening the index."""
        if _FULL_ID.fullmatch(revision) and (revision in self._open or self.store.has(self.key, revision)):
            return revision
        return self.repository.resolve(revision)

    def _snapshot(self, commit: str, must_store: bool = False) -> Snapshot:
        known = self._open.get(commit)
        if known is not None:
            return known
        try:
            stored = self.store.open(self.key, commit)
        except SnapshotDamaged as error:
            self.notes.append(f"{error} It was built anew.")
            stored = None
        except StorageError:
            if must_store:
                raise
            stored = None
        else:
            if stored is None and self.store.has(self.key, commit):
                self.notes.append("the index was made by another version of Maguyva: it was built anew")
        if stored is not None and ("vectors" in stored.parts or not self.vectors):
            self._remember(commit)
            self._open[commit] = stored
            return stored
        made = self._build(commit, must_store)
        self._open[commit] = made
        return made

    def _build(self, commit: str, must_store: bool) -> Snapshot:
        made = self._overlays.pop(commit, None)
        if made is None:
            previous = self._previous(commit)
            made = self._made(commit, previous, self._since(previous.snapshot, commit) if previous is not None else None)
        try:
            self.store.publish(self.key, commit, commit, made.parts)
            self._remember(commit)
        except StorageError as error:
            if must_store:
                raise
            self.notes.append(str(error))
        else:
            with contextlib.suppress(StorageError):  # mapped from the disk it takes less memory, and the next commit can stand on it
                if (stored := self.store.open(self.key, commit)) is not None:
                    return stored
        return made

    def _made(self, commit: str, previous: Previous | None, since: Since | None) -> Snapshot:
        """A snapshot that is nowhere yet. since: what the commit has otherwise than the previous one, where git could tell."""
        from index.build import build_snapshot  # the resolver takes a third of a second to import, and a warm index needs none of it

        sources, read, touched = self._sources(commit, previous, since)
        with Aside(self.home / "facts") as aside:
            cache = _FactsCache(self._facts_store(), read, previous, aside)
            built = build_snapshot(
                commit,
                sources if isinstance(sources, Following) else (sources.pop() for _ in range(len(sources))),
                cache.make,
                previous,
                cache.load,
                _Model() if self.vectors else None,
                self.progress,
                self.store.put_away,
                cache.read_ahead,
                cache.stored,
                aside,
            )
        self.problems[commit] = built.problems
        for path, error in built.failures.items():
            LOG.error("could not analyse %r: %s", path, _in_one_line(error))
        cache.flush()
        self.notes += [one.message for one in self._facts_store().problems if one.message not in self.notes]
        more = {"problems": _problems_part(built.problems, previous, touched)}
        return Snapshot(commit, Parts.beside(built.snapshot.parts, more))

    def overlay(self, base: Snapshot, commit: str) -> Snapshot:
        """The snapshot of a commit that is looked at beside another one. If it is not there, it is made from that one and kept in memory
        only: the head of a pull request is soon gone again, and writing it would cost as much as making it."""
        known = self._open.get(commit) or self._overlays.get(commit)
        if known is not None:
            return known
        if self.keeps_heads:
            return self._snapshot(commit)
        stored = "links" not in base.parts or self.store.has(self.key, commit)
        changed = None if stored else self._since(base, commit)
        if changed is None or len(changed[1]) > self.most_overlaid * len(base.parts["files"]["size"]):
            return self._snapshot(commit)
        from index.build import Previous

        with collector_paused():  # as in a report: all objects of the process would be gone through for the few that an overlay leaves
            made = self._overlays[commit] = self._made(commit, Previous(base, base.parts["links"]), changed)
        return made

    def forget_index(self, why: str) -> None:
        """Lets go of everything that is known of this repository but the facts of its files. `why` is said to who asked."""
        self.notes.append(why)
        self._open.clear()
        self._overlays.clear()
        self._pasts.clear()
        with contextlib.suppress(StorageError):
            for name in self.store.refs(self.key):
                self.store.forget(self.key, name)

    def let_go(self, open_ones: int = 4, overlays: int = 1) -> None:
        """Keeps only the snapshots used last: for whoever asks one engine about many commits, one after the other."""
        for kept, most in ((self._open, open_ones), (self._overlays, overlays), (self._pasts, open_ones)):
            for commit in list(kept)[: max(0, len(kept) - most)]:
                del kept[commit]

    def _previous(self, commit: str) -> Previous | None:
        """The snapshot to start from: the one used last."""
        from index.build import Previous

        for name in [*self._open, *self._recent()]:
            if name == commit:
                continue
            try:
                snapshot = self._open.get(name) or self.store.open(self.key, name)
            except StorageError:
                continue
            if snapshot is not None and "links" in snapshot.parts:
                return Previous(snapshot, snapshot.parts["links"])
        return None

    def _sources(
        self, commit: str, previous: Previous | None, since: Since | None
    ) -> tuple[list[Source] | Following, list[str], frozenset[bytes]]:
        """The files of a commit, content read for what the previous snapshot does not have as it is; blobs of those that were read; and the
        paths that are new, changed or gone."""
        before = previous.snapshot if previous is not None else None
        found: list[Source] = []
        gone: frozenset[bytes] = frozenset()
        if before is None or since is None:
            entries = self.repository.tree(commit)
            blobs = before.parts["files"]["blob"] if before is not None else np.empty((0, 20), np.uint8)
            known = {path: blobs[row].tobytes() for row, path in enumerate(before.raw_paths)} if before is not None else {}
            same = {entry.path for entry in entries if known.get(entry.path) == _blob_bytes(entry.blob) and entry.mode not in _SKIPPED}
            found = [Source(entry.path, entry.blob, max(entry.size, 0), None, same=True) for entry in entries if entry.path in same]
            entries = [entry for entry in entries if entry.path not in same]
            touched = frozenset([*(entry.path for entry in entries), *(known.keys() - same)])
            sizes = np.array([source.size for source in found], np.int64)
        else:
            gone, entries = since
            touched = gone.union(entry.path for entry in entries)
            sizes = np.delete(before.parts["files"]["size"], [row for row in map(before.file_at, touched) if row is not None])
        more = [entry.size for entry in entries if entry.mode not in _SKIPPED]
        self._check_size(np.concatenate([sizes, np.array(more, np.int64)]))
        wanted: dict[str, list[TreeEntry]] = {}
        for entry in entries:
            if entry.mode in _SKIPPED:
                found.append(Source(entry.path, entry.blob, 0, None, _SKIPPED[entry.mode]))
            elif entry.size > LARGEST_READ:
                found.append(Source(entry.path, entry.blob, entry.size, None, f"larger than {LARGEST_READ // 1_000_000} MB"))
            elif entry.size < 0:
                found.append(Source(entry.path, entry.blob, 0, None, "not in this partial clone: fetch it to have it looked at"))
            else:
                wanted.setdefault(entry.blob, []).append(entry)
        self.progress.start("Reading git", len(wanted))
        for blob, data in self.repository.blobs(list(wanted), LARGEST_READ):
            for entry in wanted.pop(blob, ()):
                why = "" if data is not None else "missing or too large"
                found.append(Source(entry.path, blob, entry.size, data, why))
            self.progress.advance()
        self.progress.finish()
        found += [Source(entry.path, blob, entry.size, None, "missing from this clone") for blob, some in wanted.items() for entry in some]
        read = [source.blob for source in found if source.data is not None]
        return (found if before is None or since is None else Following(before, gone, found)), read, touched

    def _check_size(self, sizes: NDArray[np.int64]) -> None:
        """Before anything is read. Raises RepositoryTooLarge."""
        if len(sizes) > MOST_FILES:
            raise RepositoryTooLarge(f"This commit has {len(sizes):,} files, and we agree to index at most {MOST_FILES:,}.")
        read = int(sizes[(sizes > 0) & (sizes <= LARGEST_READ)].sum())
        if read > MOST_READ:
            raise RepositoryTooLarge(f"This commit has {read / (1 << 30):.1f} GiB in files to read, and we read at most {MOST_READ >> 30}.")

    def _since(self, before: Snapshot, commit: str) -> Since | None:
        """What a commit has otherwise than the previous one, where git can tell."""
        if len(before.commit) != 40:  # of longer ids only as much is kept with a snapshot
            return None
        return self.repository.tree_since(before.commit, commit)

    def _facts_store(self) -> FactsStore:
        if self._facts is None:
            self._facts = FactsStore(self.home / "facts" / f"{self.key}.sqlite")
        return self._facts

    # which commits were used last

    def _recent(self) -> list[str]:
        try:
            names = json.loads((self.home / "recent" / f"{self.key}.json").read_text())
        except (OSError, ValueError):
            return []
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def _remember(self, commit: str) -> None:
        """Puts a commit first among those used, and lets the last one go."""
        names = self._recent()
        if names[:1] == [commit]:
            return
        names = [commit, *(name for name in names if name != commit)]
        try:
            for name in names[KEPT_COMMITS:]:
                self.store.forget(self.key, name)
            _write_recent(self.home, self.key, names[:KEPT_COMMITS])
            if len(names) > KEPT_COMMITS:
                self.store.collect()
                self._facts_store().prune(_FactsCache.versions(), MAX_FACTS)
        except (OSError, StorageError):
            return  # only the order of use is lost

    # questions

    def impact(self, compared: str = "", config: ConfigFound | None = None) -> ImpactReport:
        """What `A...B` (`A..B`, `A`, nothing: see `Repository.ends`) can break. Raises RepositoryErrors."""
        return self.impact_between(self.repository.ends(compared), config)

    @made_anew
    def impact_between(self, ends: Ends, config: ConfigFound | None = None) -> ImpactReport:
        """What lies between two commits or trees can break. `config`: settings to use instead of those of the base."""
        with collector_paused():  # nearly all that a report makes stays until its end: looking for what does not took a fifth of the time
            return self._impact_between(ends, config)

    def _impact_between(self, ends: Ends, config: ConfigFound | None) -> ImpactReport:
        at_base = self._snapshot(ends.base)
        at_head = self.overlay(at_base, ends.head)
        found = config or settings_in(at_base)
        base, head = with_kinds(at_base, found.config), with_kinds(at_head, found.config)
        every = self.repository.changes(ends.base, ends.head)
        changes = told_changes(every, found.config)
        self.progress.start("Following the change", 0)
        before = {change.old_path: data for change in changes if change.old_path and (data := _content(base, change.old_path)) is not None}
        after = {change.new_path: data for change in changes if change.new_path and (data := _content(head, change.new_path)) is not None}

        def read(path: str) -> bytes | None:
            row = head.file_of_path.get(path)
            return None if row is None else file_bytes(head, row)

        comparison = Comparison(base, head, changes, before, after, read)
        hidden = found.config.leaves_out
        leaves_out = None if hidden is None else lambda path: hidden(raw(path))
        looking = looking_into(head, self._embedder(head), self._history(ends.base), leaves_out=leaves_out)
        report = self._with_people(analyse(comparison, looking), comparison, found.config, ends)
        self.progress.finish()
        notes = tuple(dict.fromkeys((*report.notes, *self.notes)))
        report = replace(report, problems=(*report.problems, *_telling(_problems_of(head), report)), notes=notes)
        return settled(report, found, len(every) - len(changes), settings_in(head) if touches_settings(every) else None)

    def _with_people(self, report: ImpactReport, comparison: Comparison, config: RepositoryConfig, ends: Ends) -> ImpactReport:
        """The report with owners and reviewers; a history that can't be read is said in its notes."""
        if report.quiet or not (report.breaks or report.at_risk or report.reached):
            return report
        codeowners = CodeOwners()
        for place in PLACES:
            there = place in comparison.base.file_of_path
            data = self.repository.read_file(ends.base, place.encode(), MAX_CODEOWNERS + 1) if there else None
            if data is not None:
                codeowners = read_codeowners(data, place)
                break
        sites = {one.site.path for one in (*report.breaks, *report.at_risk)}
        told = owned(codeowners, {one.symbol.path for one in report.changed} | sites)
        report = replace(report, owners=told, problems=(*report.problems, *codeowners.problems))
        if config.reviewers == 0 or "reviewers" in config.sections_off:
            return report
        written: dict[Author, int] = {}
        notes = list(report.notes)
        authors: list[Author] = []
        base = comparison.base

        def lines_in(path: str) -> int:
            row = base.file_of_path.get(path)
            return 0 if row is None else (file_bytes(base, row) or b"").count(b"\n")

        impacted = impacted_lines(report, comparison.in_base, lines_in)
        try:
            authors = [Author(*one) for one in self.repository.authors(ends.base, self.repository.commit_under(ends.head))]
            since = self.repository.time_of(ends.base) - BLAMED_SECONDS
            for lines in impacted:
                for name, email, count in self.repository.blame(ends.base, lines.path, lines.spans, since):
                    author = Author(name, email)
                    written[author] = written.get(author, 0) + count
        except RepositoryError:
            notes.append("who wrote the impacted lines is not known: the history could not be read")
            written = {}
        total = sum(lines.count for lines in impacted)
        return replace(report, notes=tuple(notes), reviewers=reviewers(report, codeowners, written, total, authors))

    @made_anew
    def search(self, question: str, revision: str = "", **options: object) -> Answer:
        """An answer to a question about a commit or the files on disk. Raises QuestionError."""
        snapshot = self._snapshot(self._resolved(revision))
        embedded = self._embedder(snapshot)
        reader: StaticModel | _VoyageFirst | None = embedded
        if self.voyage is not None and VOYAGE in snapshot.parts and model_of(snapshot.parts[VOYAGE]) == self.voyage.name:
            reader = _VoyageFirst(self.voyage, embedded)
        retrievers = retrievers_with(reader, self._trees, self._past)
        answer = search(question, snapshot, None, retrievers=retrievers, **options)  # type: ignore[arg-type]
        notes = self._told_of_past(answer, snapshot)
        if isinstance(reader, _VoyageFirst):
            assert self.voyage is not None
            if self.voyage.options.rerank and not reader.notes and len(answer.hits) > 1 and answer.fusion_strategy == WEIGHTED_RRF:
                answer = reranked(answer, snapshot, self.voyage, reader.notes)
            notes += reader.notes
        return replace(answer, notes=(*answer.notes, *notes))

    def _told_of_past(self, answer: Answer, snapshot: Snapshot) -> list[str]:
        """A word on a history that is too short to say much, or that was not read to its end."""
        past = self._past(snapshot) if HISTORY in answer.retrievers else None
        if past is not None and past.cut == SHALLOW and past.commits < FEW_COMMITS:
            were = "commit was" if past.commits == 1 else "commits were"
            return [f"This clone is shallow: only {past.commits:,} earlier {were} looked at."]
        if past is not None and past.cut == STOPPED:
            return [f"Of the history only the newest {past.commits:,} commits were read: older ones would be too many changes to read."]
        return []

    def ask(self, question: str, revision: str = "", **options: object) -> Reply:
        """The same for people: each retriever has DEADLINE seconds, and every result comes with its lines and its symbol."""
        options = {"deadline": DEADLINE, **options}
        return describe(self.search(question, revision, **options), self._snapshot(self._resolved(revision)))

    def _past(self, snapshot: Snapshot) -> Past:
        """What is written of the commits that led to a snapshot. It is read with the first question that asks for it, and kept beside the
        rest of what is known of the commit. Raises CannotLook."""
        commit = snapshot.commit
        known = self._pasts.get(commit)
        if known is None:
            kept = snapshot.parts.get(PART)
            if kept is not None and kept["cut"][0] == SHALLOW and (not self.repository.is_shallow or len(kept["commit"]) < FEW_COMMITS):
                kept = None  # the clone may have been completed or deepened since
            known = self._pasts[commit] = Past(snapshot, kept or self._history_part(commit))
        return known

    def _history_part(self, commit: str) -> Columns:
        try:
            log = self.repository.log(self.repository.commit_under(commit), MOST_COMMITS, messages=True)
            written = (Written(one.commit, one.message, one.paths, one.moved) for one in log)
            made = history_part(written, cut=self.repository.is_shallow)
        except UnknownRevision:  # the files on disk, before anything was committed
            return history_part((), cut=False)
        except RepositoryError as error:
            raise CannotLook(f"The history could not be read, so earlier commits were not looked at: {error}") from error
        there = self.store.part_digests(self.key, commit)
        if there:
            with contextlib.suppress(StorageError):  # it is read again then
                self.store.publish(self.key, commit, commit, {PART: made}, there)
        return made

    def _embedder(self, snapshot: Snapshot) -> StaticModel | None:
        return StaticModel.load() if "vectors" in snapshot.parts else None

    def _history(self, commit: str) -> Iterator[list[str]]:
        for entry in self.repository.log(commit, HISTORY_READ):
            yield [shown(path) for path in entry.paths]

    # export

    @made_anew
    def export(self, revision: str, what: str) -> Iterator[str]:
        """The snapshot's edges or symbols as JSON lines."""
        snapshot = self._snapshot(self._resolved(revision))
        for part in ("files", "symbols", "edges"):
            dict(snapshot.parts[part])  # read now, where what is damaged can still be made anew
        return _edge_lines(snapshot) if what == "edges" else _symbol_lines(snapshot)

    @made_anew
    def why(self, source: str, target: str, revision: str = "") -> Iterable[str]:
        """How one symbol is reached from another: the shortest path of uses, with the evidence of each. Raises QuestionError."""
        snapshot = self._snapshot(self._resolved(revision))
        found = explain(snapshot, find_symbol(snapshot, source), find_symbol(snapshot, target))
        if not found:
            raise QuestionError(f"Nothing that is known leads from {source} to {target}.")
        return found


class _Model:
    """The embedded model as `build_snapshot` wants it, loaded when it is first needed."""

    name = model_name(WEIGHTS_SHA256)

    def embed(self, blobs: Sequence[Blob]) -> Sequence[NDArray[np.uint8]]:
        return StaticModel.load().embed_blobs([BlobChunks(data, starts, ends, names, path) for data, starts, ends, names, path in blobs])

    def forget(self) -> None:
        StaticModel.let_go()


def voyage_with(key: str, url: str = "", model: str = "voyage-code-3", *, rerank: bool = False) -> Voyage:
    """What `Engine` takes as `voyage`. Its client is loaded when a request goes out."""
    return Voyage(VoyageOptions(key, url, model, rerank))


class _VoyageFirst:
    """Voyage reads the question; where it can't, the embedded model does, and `notes` say so."""

    def __init__(self, voyage: Voyage, embedded: StaticModel | None) -> None:
        self._voyage, self._embedded = voyage, embedded
        self.notes: list[str] = []

    @property
    def name(self) -> str:
        return self._voyage.name

    @property
    def least_similarity(self) -> float:
        return self._voyage.least_similarity

    def read(self, text: str) -> Asked:
        try:
            return self._voyage.read(text)
        except VoyageUnavailable as error:
            if self._embedded is None:
                raise CannotLook(f"{error}, so nothing was looked for by meaning.") from None
            self.notes = [f"{error}: the embedded model looked for the meaning instead."]
            return self._embedded.read(text)


def reranked(answer: Answer, snapshot: Snapshot, voyage: Voyage, notes: list[str]) -> Answer:
    """An answer -> the same with its first RERANKED results in the order of Voyage's reranker; as it was where that can't be had."""
    first = [hit for hit in answer.hits[:RERANKED] if hit.chunk >= 0]
    try:
        order = voyage.rerank(answer.query.text, [document(snapshot, hit.chunk) for hit in first])
    except VoyageUnavailable as error:
        notes.append(f"{error}: the results stay in the order of the fusion.")
        return answer
    moved = iter([first[row] for row in order])
    return replace(answer, hits=tuple(next(moved) if hit.chunk >= 0 and at < RERANKED else hit for at, hit in enumerate(answer.hits)))


class _FactsCache:
    """Facts by blob: from the store where they are there, parsed otherwise, and put there at the end."""

    def __init__(self, store: FactsStore, wanted: list[str], previous: Previous | None, aside: Aside) -> None:
        """wanted: blobs of the files that were read."""
        self.store, self.previous, self.aside = store, previous, aside
        self.packed: dict[str, dict[str, bytes]] = {}
        self.fresh: dict[str, dict[str, bytes]] = {}
        self.ahead: dict[str, dict[str, bytes]] = {}
        self.wanted = wanted
        self.looked: set[str] = set()

    @staticmethod
    def layer(language: Language) -> tuple[str, str]:
        return f"facts-{language.name}", f"{FACTS_VERSION}.{language.version}"

    def make(self, asked: Sequence[tuple[Source, Language]]) -> Sequence[Facts]:
        """Facts of each file: those that are not stored are made together, and of files that are the same only once."""
        of_blobs = {(source.blob, language): source for source, language in asked}
        distinct = [(source, language) for (_, language), source in of_blobs.items()]
        found = [self._stored(source, language) for source, language in distinct]
        missing = [row for row, facts in enumerate(found) if facts is None]
        made = facts_of_many([(distinct[row][0].data or b"", distinct[row][1]) for row in missing])
        for row, facts, stored in zip(missing, made, all_stored(made), strict=True):
            source, language = distinct[row]
            found[row] = facts
            if int(facts["extra"][0]) != FAILED:
                self.fresh.setdefault(self.layer(language)[0], {})[source.blob] = pack(stored)
        if sum(map(len, self.fresh.values())) >= READ_AT_ONCE:
            self.flush()
        every = [facts for facts in found if facts is not None]
        if len(self.wanted) > MANY_READ:
            every = elsewhere(every, self.aside.put)
        made_of = dict(zip(of_blobs, every, strict=True))
        return [made_of[source.blob, language] for source, language in asked]

    def _stored(self, source: Source, language: Language) -> Facts | None:
        layer, version = self.layer(language)
        if layer not in self.looked:
            self.looked.add(layer)
            self.packed[layer] = self.store.get_many(layer, version, self.wanted)
        return self._unpacked(self.packed[layer].pop(source.blob, None))

    def read_ahead(self, blobs: Sequence[tuple[str, Language]]) -> None:
        """Facts that will soon be asked for, read in one go."""
        for layer, version in sorted({self.layer(language) for _, language in blobs}):
            wanted = [blob for blob, language in blobs if self.layer(language)[0] == layer]
            self.ahead.setdefault(layer, {}).update(self.store.get_many(layer, version, wanted))

    def stored(self, source: Source, language: Language) -> Facts | None:
        """Of a file of this commit, once more; None where the store does not have them."""
        self.flush()
        layer, version = self.layer(language)
        return self._unpacked(self.store.get_many(layer, version, [source.blob]).get(source.blob))

    def load(self, row: int, source: Source, language: Language) -> Facts:
        layer, version = self.layer(language)
        packed = self.ahead.get(layer, {}).get(source.blob) or self.store.get_many(layer, version, [source.blob]).get(source.blob)
        facts = self._unpacked(packed)
        if facts is None and self.previous is not None:
            facts = facts_of(file_bytes(self.previous.snapshot, row) or b"", language)
        return facts if facts is not None else facts_of(b"", language)

    @staticmethod
    def _unpacked(packed: bytes | None) -> Facts | None:
        if packed is None:
            return None
        try:
            return of_stored(unpack(packed))
        except ValueError:  # also PackedDamaged
            return None

    def flush(self) -> None:
        for layer, payloads in self.fresh.items():
            version = self.versions()[layer]
            self.store.put_many(layer, version, payloads)
        self.fresh = {}

    @staticmethod
    def versions() -> Mapping[str, str]:
        """Layer -> the version that is read and written."""
        from index.languages import LANGUAGES

        return {layer: version for language in LANGUAGES for layer, version in [_FactsCache.layer(language)]}


class SharedIndexes:
    """The store that machines share, for a service whose engines run in processes that know no credentials. `url`: see RemoteStore."""

    def __init__(self, url: str) -> None:
        self._remote = RemoteStore(url, index_version())

    def fetch(self, home: Path, key: str, commit: str) -> bool:
        """Brings the snapshot of a commit into a folder of indexes, or, where there is none, that of the commit used last to start from
        if the folder has nothing -> whether the commit's own is there now. Raises StorageError."""
        store = SnapshotStore(home, engine=index_version())
        if store.manifest_of(key, commit) is not None or self._remote.pull(store, key, commit):
            return True
        if not store.refs(key):
            for name in self._remote.recent(key):
                if self._remote.pull(store, key, name):
                    _write_recent(home, key, [name])
                    break
        return False

    def send(self, home: Path, key: str, commit: str) -> int:
        """A snapshot of the folder -> the store; returns how many parts were new there. Raises StorageError."""
        return self._remote.push(SnapshotStore(home, engine=index_version()), key, commit)

    def forget(self, key: str) -> None:
        """Everything of a repository. Raises StorageError."""
        self._remote.forget(key)

    def collect(self, now: datetime, keep: timedelta, known: Set[str]) -> int:
        """Deletes what was written longer ago than `keep`, what is of a repository that is not `known`, and what nothing names -> how many
        objects. A repository that came just now may be known and not be told here: its own stay for a while. Raises StorageError."""
        return self._remote.collect(now, lambda key, written: now - written < (keep if key in known else min(keep, GRACE)))


def _write_recent(home: Path, key: str, names: Sequence[str]) -> None:
    path = home / "recent" / f"{key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps(names))
    temporary.replace(path)


def index_version() -> str:
    """What snapshots of the same commit depend on besides the commit: others are not read."""
    return f"{INDEX_VERSION}.{FACTS_VERSION}.{WEIGHTS_SHA256[:8]}"


def _in_one_line(error: Exception) -> str:
    """What an error was and where it was raised, without anything of what was analysed."""
    places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-3:]]
    return f"{type(error).__name__} in {' > '.join(places)}"


def _blob_bytes(blob: str) -> bytes:
    """As `files.blob` keeps it: twenty bytes."""
    return bytes.fromhex(blob[:40].ljust(40, "0"))


def _content(snapshot: Snapshot, path: bytes) -> bytes | None:
    row = snapshot.file_of_path.get(shown(path))
    return None if row is None else file_bytes(snapshot, row)


def _problems_part(problems: Sequence[Problem], previous: Previous | None, touched: frozenset[bytes]) -> dict[str, NDArray[np.uint8]]:
    """Problems of this commit: those found now, and those of files that are as they were."""
    rows = {(one.path, one.line, one.message) for one in problems}
    if previous is not None:
        changed = {shown(path) for path in touched}
        there = previous.snapshot.parts.get("problems")
        text = there["json"].tobytes() if there is not None else b""
        if there is not None and not rows and not any(json.dumps(one).encode() in text for one in (*changed, UNLINKED)):
            return dict(there)  # without reading all of them
        before = {(one.path, one.line, one.message) for one in _problems_of(previous.snapshot)}
        # A file that could not be analysed is tried again with every commit.
        rows |= {one for one in before if one[0] not in changed and one[2] != UNLINKED}
        if rows == before and "problems" in previous.snapshot.parts:
            return dict(previous.snapshot.parts["problems"])
    return {"json": np.frombuffer(json.dumps(sorted(rows)).encode(), np.uint8)}


def _telling(problems: Sequence[Problem], report: ImpactReport) -> Iterator[Problem]:
    """Without the pictures and archives that the change does not touch: nothing in them can use it."""
    touched = {path for path, _ in report.changed_files}
    return (one for one in problems if one.message != BINARY or one.path in touched or grammar_of(one.path) is not None)


def _problems_of(snapshot: Snapshot) -> tuple[Problem, ...]:
    if "problems" not in snapshot.parts:
        return ()
    return tuple(Problem(path, line, message) for path, line, message in json.loads(snapshot.parts["problems"]["json"].tobytes()))


def _edge_lines(snapshot: Snapshot) -> Iterator[str]:
    for row in range(len(snapshot.parts["edges"]["source"])):
        edge = snapshot.edge(row)
        ends = {
            name: {"path": end.path, "line": end.line, "symbol": end.qualified}
            for name, end in (("from", edge.source), ("to", edge.target))
        }
        why = [step.name.lower() for step in edge.chain]
        yield json.dumps(
            {**ends, "kind": edge.kind.name.lower(), "tier": Tier(edge.tier).label, "line": edge.line, "column": edge.column, "why": why},
            ensure_ascii=False,
        )


def _symbol_lines(snapshot: Snapshot) -> Iterator[str]:
    for row in range(snapshot.symbol_count):
        one = snapshot.symbol(row)
        yield json.dumps(
            {
                "path": one.path,
                "line": one.line,
                "start_line": one.start_line,
                "end_line": one.end_line,
                "symbol": one.qualified,
                "kind": one.kind.label,
            },
            ensure_ascii=False,
        )
