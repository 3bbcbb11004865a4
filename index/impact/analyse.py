"""Two snapshots, their diff and the other ways of looking -> `ImpactReport`: changed, asked, judged, reached, ranked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.distinct import counted, distinct, one_of
from index.files.paths import raw, shown
from index.impact.changed import Changes, changed_symbols
from index.impact.chosen_at_run_time import ChosenAtRunTime
from index.impact.comparison import Comparison, Sites
from index.impact.history import CoChange, cochange, ranked
from index.impact.nouns import (
    PASSES_ON,
    ChangedSymbol,
    ChangeKind,
    Hop,
    ImpactReport,
    Mention,
    OpenSite,
    PackageCount,
    RankedFile,
    RankedSymbol,
    Reached,
    Severity,
    SuggestedTest,
    Together,
    Verdict,
)
from index.impact.questions import MAX_ASKED, questions_for
from index.impact.rank import Measures, rank_changed, rank_reached, relative
from index.impact.reach import TRAVELS, Walks, Wave, hop_of, hub_degree
from index.impact.related_files import fuse, named_for, near, package_of, recent, stem
from index.impact.runners import Runners
from index.impact.shared_words import FileWords
from index.impact.subtokens import changed_lines, identifiers
from index.impact.syntax import grammar_of
from index.impact.tool_pins import pins_only_tools
from index.impact.unknown_reads import is_told_by_text, realm_of, unknown_reads
from index.impact.verdicts import CONSTRUCTORS, GONE, Judged, verdicts
from index.impact.which_tests import MAX_TEST_STEPS, suggest_tests
from index.resolver.common import COMMON_MEMBERS, MEETS, SCRIPT_MEMBERS
from index.snapshot import Snapshot
from index.trigrams.lookup import find_identifier
from index.types import EDGE_LABELS, Answer, EdgeKind, PathKind, Query, Symbol, SymbolKind, Tier, Unresolved, UnresolvedSite

MAX_OPEN: Final = 200  # unresolved sites listed; the counts are of all
MAX_REACHED: Final = 5_000  # reached symbols kept with their evidence; the counts are of all
MAX_MENTIONS: Final = 50
MAX_LINES: Final = 20_000  # changed lines whose words are compared with other files
MAX_TEXT: Final = 20_000  # bytes of one definition whose words are compared with tests
MAX_SPANS: Final = 500  # changed places of one file
MAX_WAVES: Final = 1_000  # changed symbols whose reach is walked
TOGETHER_SHARE: Final = 0.5  # a file "usually changes together" from this share of at least TOGETHER_COMMITS commits on
TOGETHER_COMMITS: Final = 4
MAX_NAMED: Final = 5  # names in one note
SHORTEST_TELLING: Final = 5  # characters: `main`, `test` and `run` are in tests of anything
MAX_BY_MEANING: Final = 3  # mentions that hold none of the words asked for
LAMBDA: Final = int(SymbolKind.LAMBDA)  # a number of numpy is compared with a number twenty times faster than with a member
TIERS: Final = tuple(Tier)  # by value
MOST_NAMES: Final = 50_000  # places of one name that are looked at
MEMBERS: Final = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FIELD})
HOLDERS: Final = {
    SymbolKind.FUNCTION: ChangeKind.BODY,
    SymbolKind.METHOD: ChangeKind.BODY,
    SymbolKind.PROPERTY: ChangeKind.BODY,
    SymbolKind.CONSTANT: ChangeKind.VALUE,
    SymbolKind.FIELD: ChangeKind.VALUE,
}
MAKES: Final = frozenset({EdgeKind.CALL, EdgeKind.DECORATE, EdgeKind.PASS, EdgeKind.INHERIT})
MENTIONING: Final = frozenset({"text", "semantic"})  # retrievers whose finds are mentions where the graph has nothing
NOT_SOURCE: Final = frozenset({PathKind.TEST, PathKind.DOCS})


@dataclass(frozen=True)
class Looking:
    """The other ways of looking, each optional: what is missing weighs nothing and is said in the report's notes."""

    ask: Callable[[Query], Answer] | None = None  # the full fusion over the head's snapshot
    commits: Sequence[Sequence[str]] = ()  # paths that each earlier commit changed, newest first
    progress: Callable[[str], None] = lambda phase: None
    leaves_out: Callable[[str], bool] | None = None  # paths that are walked through and not told about


def analyse(comparison: Comparison, looking: Looking | None = None) -> ImpactReport:
    """The story of one change. Never raises for what is in the repository; what could not be looked at is in the report."""
    looking = looking or Looking()
    looking.progress("compare definitions")
    changes = changed_symbols(comparison.changes, comparison.base, comparison.head, comparison.before, comparison.after)
    new = frozenset(one.after.id for one in changes.symbols if one.kinds == (ChangeKind.ADDED,) and one.after is not None)
    found = [_overriding(one, comparison.head, new) for one in changes.symbols]
    changed = (*found, *_makers(found, comparison), *lost_reexports(changes.symbols, comparison))
    changed = (*changed, *moved_reexports(changed, comparison))
    looking.progress("check every use")
    judged = verdicts(changed, comparison)
    looking.progress("follow what is reached")
    by_changed: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in judged.verdicts:
        by_changed[verdict.changed].append(verdict)
    walks = Walks(comparison.head)
    waves = [_wave_of(one, by_changed[at], walks) for at, one in enumerate(changed[:MAX_WAVES])]
    everywhere = _reached(changed, waves, comparison, looking.leaves_out or _nothing)
    looking.progress("ask the index")
    answers = [looking.ask(query) for one in changed[:MAX_ASKED] for query in questions_for(one)] if looking.ask else []
    history = cochange(looking.commits, {path for path, _ in _changed_files(comparison)})
    looking.progress("rank")
    files_words = FileWords(comparison.head) if "text" in comparison.head.parts else None
    shared = shared_words(changed, comparison, files_words)
    measures = _measures(answers, shared["words"], history, comparison)
    outside = rank_reached(everywhere.outside, measures)
    files = related_files(changed, comparison, looking, shared, history)
    tests = _tests(changed, waves, walks, comparison, files_words)
    mentions = _mentions(answers, comparison, everywhere.paths)
    return _report(comparison, looking, changes, changed, judged, waves, outside, measures, files, tests, mentions, answers, history)


def _report(
    comparison: Comparison,
    looking: Looking,
    changes: Changes,
    changed: tuple[ChangedSymbol, ...],
    judged: Judged,
    waves: Sequence[_Reach],
    outside: tuple[Reached, ...],
    measures: Measures,
    files: tuple[RankedFile, ...],
    tests: tuple[SuggestedTest, ...],
    mentions: tuple[Mention, ...],
    answers: Sequence[Answer],
    history: CoChange,
) -> ImpactReport:
    head = comparison.head
    in_change = {one.key for one in changed}
    hidden = looking.leaves_out or _nothing
    told = tuple(one for one in judged.verdicts if not hidden(one.site.path))
    breaks = tuple(one for one in told if one.severity is Severity.WILL_BREAK)
    at_risk = tuple(one for one in told if one.severity is Severity.MAY_BREAK and _is_news(one, changed[one.changed], in_change))
    open_sites, open_counts, unresolved = _open_sites(
        changed, comparison, {(one.site.path, one.site.line) for one in judged.verdicts}, hidden
    )
    report = ImpactReport(
        base=comparison.base.commit,
        head=head.commit,
        changed=changed,
        ranked=rank_changed(changed, _counts(changed, waves, breaks, open_counts, comparison, hidden), measures),
        neutral=changes.neutral,
        breaks=breaks,
        at_risk=at_risk,
        fits=judged.fits,
        reached=outside[:MAX_REACHED],
        packages=_packages(breaks, at_risk, outside),
        tests=tuple(one for one in tests if not hidden(one.path)),
        files=tuple(one for one in files if not hidden(one.path)),
        together=tuple(one for one in _together(history, comparison) if not hidden(one.path)),
        mentions=tuple(one for one in mentions if not hidden(one.path)),
        open_sites=open_sites,
        changed_files=_changed_files(comparison),
        skipped=changes.skipped,
        problems=tuple(sorted(changes.problems, key=lambda one: (one.path, one.line, one.message))),
        notes=_notes(looking, judged, changed, len(outside), answers, unresolved, comparison),
    )
    return replace(report, quiet=why_quiet(report, _pins_of_tools(comparison)))


def _nothing(path: str) -> bool:
    return False


def _is_news(one: Verdict, changed: ChangedSymbol, in_change: Set[str]) -> bool:
    """Worth a look? What merely behaves differently is told by the tests when they run, the author has seen the definitions that the
    change touches, and a test's own helpers matter to that test alone."""
    if changed.path_kind is PathKind.TEST and changed.symbol.path == one.site.path:
        return False
    if one.hedge:
        return True
    return one.site.path_kind is not PathKind.TEST and f"{one.site.path}::{one.site.source.qualified}" not in in_change


# ── what is new and was inherited before ─────────────────────────────────────────────────────────────────────────────


def _overriding(one: ChangedSymbol, head: Snapshot, new: Set[int]) -> ChangedSymbol:
    """A member that is new in a class that was there: calls that ran an inherited one may run it from now on, though no caller changed."""
    if one.kinds != (ChangeKind.ADDED,) or one.inside or one.after is None:
        return one
    columns = head.parts["edges"]
    if one.after.name in CONSTRUCTORS:
        return replace(one, kinds=(ChangeKind.ADDED, ChangeKind.OVERRIDES), details=("new: the class was made without it",))
    rows = [row for row in head.edges_from(one.after.id).tolist() if columns["kind"][row] in (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT)]
    rows = [row for row in rows if columns["chain"][row] != MEETS]  # where a protocol is met anew, nothing ran before
    targets = [target for target in map(int, columns["target"][rows].tolist()) if target not in new]
    if one.path_kind is PathKind.TEST:  # what a test stands in for runs in tests alone
        files = head.parts["symbols"]["file"]
        targets = [target for target in targets if head.path_kind(int(files[target])) is PathKind.TEST]
    bases = sorted({head.qualified(target) for target in targets})
    if not bases:
        return one
    return replace(one, kinds=(ChangeKind.ADDED, ChangeKind.OVERRIDES), details=(f"new, overrides `{bases[0]}`",))


# ── what is made by what is round it ─────────────────────────────────────────────────────────────────────────────────


def _makers(known: Sequence[ChangedSymbol], comparison: Comparison) -> list[ChangedSymbol]:
    """Definitions round a changed one that hand it out unnamed: `return {onError(cause) {...}}`, `new Proxy(target, {apply() {...}})`.

    No edge leads to such an inner definition, so what it does is what the function or object round it does."""
    head, base = comparison.head, comparison.base
    columns = head.parts["symbols"]
    base_path = {new: old for old, new in comparison.head_path.items() if new is not None}
    seen = {one.after.id for one in known if one.after is not None}
    made: dict[int, ChangedSymbol] = {}
    for one in known:
        row = one.after.id if one.after is not None else -1
        while row >= 0 and not one.inside and one.path_kind is not PathKind.TEST:
            holder = int(columns["parent"][row])
            while holder >= 0 and columns["kind"][holder] == LAMBDA:
                holder = int(columns["parent"][holder])
            if holder < 0 or columns["kind"].item(holder) not in HOLDERS or holder in seen or _is_named_within(row, holder, head):
                break
            symbol = head.symbol(holder)
            before = base.find(base_path.get(symbol.path, symbol.path), symbol.qualified)
            if before is None:
                break
            kind = HOLDERS[SymbolKind(int(columns["kind"][holder]))]
            details = (f"in `{head.names[columns['name'][row]]}`",)
            made[holder] = ChangedSymbol(base.symbol(before), symbol, (kind,), details=details, path_kind=one.path_kind)
            seen.add(holder)
            row = holder
    return [made[row] for row in sorted(made)]


def _is_named_within(row: int, holder: int, head: Snapshot) -> bool:
    """Does something use the definition: anything at all where an object holds it, the function itself where a function does?

    That it is handed on where it is written names it nowhere."""
    parents, edges = head.parts["symbols"]["parent"], head.parts["edges"]
    by_function = HOLDERS[SymbolKind(int(head.parts["symbols"]["kind"][holder]))] is ChangeKind.BODY
    rows, its = head.edges_to(row), head.symbol(row)
    in_place = (edges["kind"][rows] == EdgeKind.PASS) & (edges["line"][rows] >= its.start_line) & (edges["line"][rows] <= its.line)
    for source in edges["source"][rows[~in_place]].tolist():
        if not by_function:
            return True
        while source >= 0 and source != holder:
            source = int(parents[source])
        if source == holder:
            return True
    return False


# ── what is passed on no longer ──────────────────────────────────────────────────────────────────────────────────────


def _is_gone(one: ChangedSymbol) -> bool:
    return any(kind in one.kinds for kind in GONE)


def lost_reexports(known: Sequence[ChangedSymbol], comparison: Comparison) -> tuple[ChangedSymbol, ...]:
    """Definitions that stand as they were, and that an import which worked at the base no longer finds: a module stopped passing them on.

    Found by looking at the head's failing imports and at what the same place reached at the base."""
    base, head = comparison.base, comparison.head
    columns = head.parts["open"]
    gone = {one.before.id for one in known if one.before is not None and _is_gone(one)}
    at_base = Sites(base)
    found: dict[int, ChangedSymbol] = {}
    for row in np.flatnonzero(columns["reason"] == Unresolved.MISSING).tolist():
        site = head.open_site(row)
        place = comparison.in_base(site.source.path, site.line)
        if place is None or any(_is_missing(base, row, site.name) for row in at_base.open(*place).tolist()):
            continue  # written here, or in vain at the base as well
        for edge in at_base.edges(*place).tolist():
            target = int(base.parts["edges"]["target"][edge])
            if (
                base.names[base.parts["symbols"]["name"][target]] != site.name
                or target in gone
                or target in found
                or base.parts["symbols"]["kind"][target] == SymbolKind.MODULE
            ):
                continue
            before = base.symbol(target)
            after = head.find(comparison.head_path.get(before.path, before.path) or "", before.qualified)
            if after is not None:
                found[target] = ChangedSymbol(
                    before, head.symbol(after), (ChangeKind.REEXPORT,), details=("no longer passed on to every importer",)
                )
    return tuple(sorted(found.values(), key=lambda one: (one.symbol.path, one.symbol.line)))


def moved_reexports(known: Sequence[ChangedSymbol], comparison: Comparison) -> tuple[ChangedSymbol, ...]:
    """Definitions that stand as they were, and that a file which the change does not touch no longer reaches: a module passes on something
    else under their name. Only modules whose imports changed can do that."""
    base, head = comparison.base, comparison.head
    gone = {one.before.id for one in known if one.before is not None and _is_gone(one)}
    at_head = Sites(head)
    found: dict[int, ChangedSymbol] = {}
    for path in sorted(comparison.line_maps):
        before = comparison.base_path.get(path)
        for target in sorted(_imported_by(base, before or "") - gone - set(found)):
            symbol = base.symbol(target)
            after = head.find(comparison.head_path.get(symbol.path, symbol.path) or "", symbol.qualified)
            if after is None or symbol.kind == SymbolKind.MODULE or after in _imported_by(head, path):
                continue
            elsewhere = _reached_instead(target, after, comparison, at_head)
            if elsewhere:
                says = f"`{path}` {PASSES_ON} `{elsewhere}`"
                found[target] = ChangedSymbol(symbol, head.symbol(after), (ChangeKind.REEXPORT,), details=(says,))
    return tuple(sorted(found.values(), key=lambda one: (one.symbol.path, one.symbol.line)))


def _imported_by(snapshot: Snapshot, path: str) -> set[int]:
    """What a module imports or passes on by name, as rows."""
    file = snapshot.file_of_path.get(path)
    if file is None:
        return set()
    rows = snapshot.edges_from(snapshot.symbols_in(file).start)
    columns = snapshot.parts["edges"]
    return set(columns["target"][rows[one_of(columns["kind"][rows], (EdgeKind.IMPORT, EdgeKind.REEXPORT))]].tolist())


def _reached_instead(target: int, after: int, comparison: Comparison, at_head: Sites) -> str:
    """What a use of a definition of the base reaches in the head, in a file that the change does not touch; "" where each use stays."""
    base, head = comparison.base, comparison.head
    columns = base.parts["edges"]
    for row in base.edges_to(target)[:MAX_WAVES].tolist():
        edge = base.edge(row)
        if edge.tier is not Tier.PROVED or edge.source.path in comparison.head_path:
            continue
        there = head.parts["edges"]["target"][at_head.edges(edge.source.path, int(columns["line"][row]), int(columns["column"][row]))]
        others = [head.symbol(int(one)) for one in there if one != after]
        keys = sorted(f"{one.path}::{one.qualified}" for one in others if one.kind != SymbolKind.MODULE)
        if keys and after not in there:
            return keys[0]
    return ""


def _is_missing(snapshot: Snapshot, row: int, name: str) -> bool:
    site = snapshot.open_site(row)
    return site.reason is Unresolved.MISSING and site.name == name


# ── reach ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Reach:
    wave: Wave
    entries: dict[int, Hop]


def _wave_of(one: ChangedSymbol, judged: Sequence[Verdict], walks: Walks) -> _Reach:
    """From the head's definition, and from the uses of a name that is gone: those that stand in the head and lead nowhere."""
    head = walks.snapshot
    starts = _starts(one, head)
    entries: dict[int, Hop] = {}
    if _is_gone(one):
        for site in (verdict.site for verdict in judged):
            if TRAVELS[site.kind][0] and site.source.id not in starts:
                hop = Hop(head.label(site.source.id), site.target, site.path, site.line, site.kind, site.tier)
                for row in _with_holders(head, site.source.id):
                    entries.setdefault(row, hop)
    for edge in _uses_of_constructor(one, head):
        source = int(head.parts["edges"]["source"][edge])
        if source not in starts:
            entries |= {row: hop_of(head, edge) for row in _with_holders(head, source) if row not in entries}
    for edge in _imports_of_names(one, head):
        source = int(head.parts["edges"]["source"][edge])
        entries.setdefault(source, replace(hop_of(head, edge), target=one.symbol.path))
    tiers = [(row, int(hop.tier)) for row, hop in sorted(entries.items())]
    return _Reach(walks.wave(starts, tiers), entries)


def _with_holders(head: Snapshot, symbol: int) -> list[int]:
    """The symbol and, for a function without a name, what it stands in."""
    columns = head.parts["symbols"]
    found = [symbol]
    while columns["kind"][found[-1]] == LAMBDA and columns["parent"][found[-1]] >= 0:
        found.append(int(columns["parent"][found[-1]]))
    return found


# What does the same as before for everybody who still finds it.
STAYS: Final = frozenset({ChangeKind.ADDED, ChangeKind.REEXPORT, ChangeKind.MOVED, ChangeKind.RENAMED})


def _starts(one: ChangedSymbol, head: Snapshot) -> list[int]:
    return [] if one.after is None or set(one.kinds) <= STAYS else [one.after.id]


def _imports_of_names(one: ChangedSymbol, head: Snapshot) -> list[int]:
    """What runs at the top of a changed module runs in whoever imports a name from it, too. -> edge rows"""
    if one.after is None or one.after.kind != SymbolKind.MODULE or not _starts(one, head):
        return []
    columns, owner = head.parts["edges"], head.parts["symbols"]["file"]
    file = int(owner[one.after.id])
    rows = np.concatenate([head.edges_to(symbol) for symbol in head.symbols_in(file)])
    others = one_of(columns["kind"][rows], (EdgeKind.IMPORT, EdgeKind.REEXPORT)) & (owner[columns["source"][rows]] != file)
    return sorted(map(int, rows[others].tolist()))


def _uses_of_constructor(one: ChangedSymbol, head: Snapshot) -> list[int]:
    """Calling a class, or inheriting from it, reaches its constructor; naming it in an annotation does not. -> edge rows"""
    parent = int(head.parts["symbols"]["parent"][one.after.id]) if one.after is not None else -1
    if not _starts(one, head) or parent < 0 or one.after is None or one.after.name not in CONSTRUCTORS:
        return []
    kinds = head.parts["edges"]["kind"]
    return [edge for edge in head.edges_to(parent).tolist() if EdgeKind(int(kinds[edge])) in MAKES]


@dataclass(frozen=True)
class _Everywhere:
    """What all changed symbols together reach."""

    outside: list[Reached]  # neither in tests, nor in the change, nor in what is left out: what people are told
    paths: frozenset[str]  # of the files of all of it


def _reached(
    changed: Sequence[ChangedSymbol], waves: Sequence[_Reach], comparison: Comparison, hidden: Callable[[str], bool]
) -> _Everywhere:
    """Every reached symbol once: fewest steps, then surest, then the first changed symbol."""
    best: dict[int, tuple[int, int, int, int]] = {}
    for at, reach in enumerate(waves):
        rows = zip(reach.wave.symbols.tolist(), reach.wave.steps.tolist(), reach.wave.tiers.tolist(), strict=True)
        for row, (symbol, steps, tier) in enumerate(rows):
            if symbol not in best or (steps, tier, at) < best[symbol][:3]:
                best[symbol] = (steps, tier, at, row)
    head = comparison.head
    starts = {row for one in changed for row in ([one.after.id] if one.after is not None else [])}
    found = []
    in_change = {one.key for one in changed}
    kinds, files = head.parts["symbols"]["kind"].tolist(), head.parts["symbols"]["file"]
    nearest = sorted((value, symbol) for symbol, value in best.items() if symbol not in starts and kinds[symbol] != LAMBDA)
    of_file: dict[int, tuple[str, PathKind, bool]] = {}  # package, kind, is it told?
    for (steps, tier, at, row), number in nearest[: 2 * MAX_REACHED]:
        file = files.item(number)
        its = of_file.get(file)
        if its is None:
            path, path_kind = head.path(file), head.path_kind(file)
            its = of_file[file] = package_of(path), path_kind, path_kind is not PathKind.TEST and not hidden(path)
        package, path_kind, is_told = its
        if not is_told or f"{head.path(file)}::{head.qualified(number)}" in in_change:
            continue
        hops = waves[at].wave.hops(head, row, waves[at].entries)
        because = f"{EDGE_LABELS[hops[0].kind]} `{hops[0].target}` on line {hops[0].line}"
        found.append(Reached(head.symbol(number), steps, TIERS[tier], at, because, hops, package, path_kind))
    return _Everywhere(found, frozenset(map(head.path, of_file)))


def _counts(
    changed: Sequence[ChangedSymbol],
    waves: Sequence[_Reach],
    breaks: Sequence[Verdict],
    open_counts: Mapping[int, int],
    comparison: Comparison,
    hidden: Callable[[str], bool],
) -> list[RankedSymbol]:
    head = comparison.head
    file_kinds = head.parts["files"]["kind"]
    is_told = (
        np.asarray([not hidden(path) for path in head.paths], np.bool_) if hidden is not _nothing else np.ones(len(head.paths), np.bool_)
    )
    broken = Counter(one.changed for one in breaks)
    hub = hub_degree(head)
    found = []
    for at, reach in enumerate(waves):
        if changed[at].inside and not broken[at]:
            continue
        file = head.parts["symbols"]["file"][reach.wave.symbols]
        told = is_told[file] & (head.parts["symbols"]["kind"][reach.wave.symbols] != LAMBDA)
        is_test = (file_kinds[file] == PathKind.TEST) & told
        code = (file_kinds[file] != PathKind.TEST) & told
        direct = code & (reach.wave.steps == 1)
        tiers = np.bincount(reach.wave.tiers[direct], minlength=3)[:3].tolist()
        found.append(
            RankedSymbol(
                changed=at,
                score=0.0,
                direct=int(direct.sum()),
                total=int(code.sum()),
                breaks=broken[at],
                tests=int(is_test.sum()),
                tiers=(tiers[0], tiers[1], tiers[2]),
                unresolved=open_counts.get(at, 0),
                is_hub=int(direct.sum()) > hub,
            )
        )
    return found


def _open_sites(
    changed: Sequence[ChangedSymbol], comparison: Comparison, judged: Set[tuple[str, int]], hidden: Callable[[str], bool]
) -> tuple[tuple[OpenSite, ...], dict[int, int], int]:
    """Unresolved uses of the name of a changed symbol: each could be a use of it; how many each has; and how many there are, those that
    could be uses of several once. Names of modules are not looked for, lines that have a verdict (path, line) are known already, and a name
    that stands alone never means a member of a class."""
    head = comparison.head
    columns = head.parts["open"]
    is_counted = np.zeros(len(columns["name"]), np.bool_)
    chosen: set[tuple[str, int, int]] = set()
    lines: dict[str, list[bytes]] = {}
    counts: dict[int, int] = {}
    found: list[OpenSite] = []
    at_run_time = ChosenAtRunTime(head, comparison.read)
    for at, one in enumerate(changed):
        in_test = one.path_kind is PathKind.TEST
        if one.symbol.kind == SymbolKind.MODULE or one.kinds == (ChangeKind.ADDED,) or one.inside or in_test:
            continue
        name = (
            one.symbol.qualified.split(".")[-2]
            if one.symbol.name in CONSTRUCTORS and "." in one.symbol.qualified
            else (one.before or one.symbol).name
        )
        row = head._name_rows.get(name)
        rows = np.flatnonzero(columns["name"] == row) if row is not None else np.empty(0, np.int64)
        known: list[int] = []
        for place, site_row in enumerate(rows[:MAX_OPEN].tolist()):
            site = head.open_site(site_row)
            asks_in_vain = site.reason == Unresolved.MISSING and not _is_gone(one)  # it imports the name from where it is not
            alone = _is_member(one.symbol, head) and _stands_alone(site, comparison, lines)
            if asks_in_vain or alone or (site.source.path, site.line) in judged or hidden(site.source.path):
                known.append(place)
            else:
                found.append(OpenSite(site.source.path, site.line, site.column, site.name, site.reason, at))
        dynamic = [site for site in at_run_time.reaching(one) if (site.source.path, site.line) not in judged]
        if len(found) < MAX_OPEN:  # those of one that changed later come later
            found += [OpenSite(site.source.path, site.line, site.column, site.name, site.reason, at) for site in dynamic]
        is_counted[np.delete(rows, known)] = True
        chosen.update((site.source.path, site.line, site.column) for site in dynamic)
        if len(rows) + len(dynamic) > len(known):
            counts[at] = len(rows) + len(dynamic) - len(known)
    found.sort(key=lambda site: (site.changed, site.path, site.line, site.column))
    return tuple(found[:MAX_OPEN]), counts, int(is_counted.sum()) + len(chosen)


def _is_member(symbol: Symbol, head: Snapshot) -> bool:
    return "." in symbol.qualified and symbol.name not in CONSTRUCTORS and symbol.kind in MEMBERS


def _stands_alone(site: UnresolvedSite, comparison: Comparison, lines: dict[str, list[bytes]]) -> bool:
    """Is `send` there written as a name of its own, and not as `node.send` or in a text?"""
    path = site.source.path
    if path not in lines:
        lines[path] = (comparison.read(path) or b"").split(b"\n")
    if not 0 < site.line <= len(lines[path]):
        return False
    line, name = lines[path][site.line - 1], site.name.encode("utf-8", "surrogatepass")
    before = line[: site.column - 1].rstrip() or (lines[path][site.line - 2].rstrip() if site.line > 1 else b"")
    return line[site.column - 1 : site.column - 1 + len(name)] == name and before[-1:] not in _JOINTS


_JOINTS: Final = (b".", b'"', b"'", b"`", b"[")


# ── files and measures ───────────────────────────────────────────────────────────────────────────────────────────────


def shared_words(changed: Sequence[ChangedSymbol], comparison: Comparison, files: FileWords | None) -> dict[str, dict[str, float]]:
    """What each file shares with the change: by `words`, by `identifiers`, by names of changed definitions (`uses`), by the words of the
    changed files' paths (`path`); path -> score. All empty where the snapshot has no text."""
    if files is None:
        return {"words": {}, "identifiers": {}, "uses": {}, "path": {}}
    lines = _changed_lines(comparison)
    around = _around(comparison)
    names = [part for one in changed for side in (one.before, one.after) if side is not None for part in side.qualified.split(".")[-2:]]
    names = [name for name in names if name not in CONSTRUCTORS and name != "<module>"]
    return {
        "words": files.by_parts([*lines, *around, *sorted(set(names))]),
        "identifiers": files.by_identifiers(identifiers(lines)),
        "uses": files.by_names(names),
        "path": files.by_parts(path for path, _ in _changed_files(comparison)),
    }


def _tests(
    changed: Sequence[ChangedSymbol], waves: Sequence[_Reach], walks: Walks, comparison: Comparison, files: FileWords | None
) -> tuple[SuggestedTest, ...]:
    """One walk from everything that changed and from the uses of what is gone: tests are worth finding further away than code."""
    head = comparison.head
    code = [at for at, one in enumerate(changed) if one.path_kind is not PathKind.TEST and at < len(waves)]
    starts = [start for at in code for start in _starts(changed[at], head)]
    # who imports a changed module is found below, by file
    entered = [at for at in code if changed[at].symbol.kind != SymbolKind.MODULE]
    entries = [(row, int(hop.tier)) for at in entered for row, hop in sorted(waves[at].entries.items())]
    reached = walks.wave(starts, entries, MAX_TEST_STEPS)
    words = [text for at in code if not changed[at].inside for text in _words_of(changed[at], comparison)]
    paths = [path for path, kind in _changed_files(comparison) if kind != PathKind.TEST.label]
    edited = {one.after.id for one in changed if one.after is not None and one.path_kind is PathKind.TEST}
    names = [changed[at].symbol.name for at in code if changed[at].symbol.kind != SymbolKind.MODULE and not changed[at].inside]
    names = [name for name in names if len(name) >= SHORTEST_TELLING]
    naming = frozenset(files.by_names(names)) if files is not None else frozenset()
    called = [changed[at].symbol.qualified for at in code if changed[at].symbol.kind != SymbolKind.MODULE and not changed[at].inside]
    return suggest_tests(head, reached, paths, words, files, edited, naming, called, Runners(comparison.read))


def _words_of(one: ChangedSymbol, comparison: Comparison) -> list[str]:
    """Its name, twice as telling as its text; the name of its file; its text."""
    symbol = one.symbol
    side = comparison.after if one.after is not None else comparison.before
    source = side.get(raw(symbol.path), b"").split(b"\n")
    text = b"\n".join(source[symbol.start_line - 1 : symbol.end_line]) if symbol.kind != SymbolKind.MODULE else b""
    return [symbol.qualified, symbol.qualified, stem(symbol.path), text[:MAX_TEXT].decode("utf-8", "replace")]


def related_files(
    changed: Sequence[ChangedSymbol], comparison: Comparison, looking: Looking, shared: Mapping[str, Mapping[str, float]], history: CoChange
) -> tuple[RankedFile, ...]:
    """The other files of the head that the change may concern, from nine points of view."""
    head = comparison.head
    own = {path for path, _ in _changed_files(comparison)}
    seeds = _seeds(comparison, own)
    used = Counter(dict(_uses_by_file(changed, head)))
    views = {
        "words": _best_first(shared["words"]),
        "identifiers": _best_first(shared["identifiers"]),
        "uses": _best_first(shared["uses"]) or [path for path, _ in sorted(used.items(), key=lambda one: (-one[1], one[0]))],
        "path": _best_first(shared["path"]),
        "changes together": [path for path in ranked(history, own) if path in head.file_of_path],
        "recent": [path for path in recent(looking.commits) if path in head.file_of_path],
        "graph": _neighbours(seeds, head),
        "near": near(seeds[0], head.paths) if seeds else [],
        "test of": list(dict.fromkeys(path for seed in seeds for path in named_for(seed, head.paths))),
    }
    kinds = {path: head.path_kind(file) for file, path in enumerate(head.paths)}
    return fuse(views, own, kinds)


def _seeds(comparison: Comparison, own: set[str]) -> list[str]:
    """The changed files that stand in the head, most changed lines first."""
    size = {
        shown(change.new_path): sum(last - first + 1 for first, last in (*change.old_spans, *change.new_spans))
        for change in comparison.changes
        if change.new_path is not None
    }
    return sorted((path for path in own if path in comparison.head.file_of_path), key=lambda path: (-size.get(path, 0), path))[:20]


def _uses_by_file(changed: Sequence[ChangedSymbol], head: Snapshot) -> Iterable[tuple[str, int]]:
    rows = [head.edges_to(one.after.id) for one in changed if one.after is not None]
    if not rows:
        return []
    edges = np.concatenate(rows)
    files, counts = counted(head.parts["symbols"]["file"][head.parts["edges"]["source"][edges]])
    return [(head.path(int(file)), int(count)) for file, count in zip(files, counts, strict=True)]


def _neighbours(seeds: Sequence[str], head: Snapshot) -> list[str]:
    """Files with an edge into the seeds, then files with an edge out of them; most edges first."""
    columns, owner = head.parts["edges"], head.parts["symbols"]["file"]
    wanted = np.asarray([head.file_of_path[seed] for seed in seeds], owner.dtype)
    source, target = owner[columns["source"]], owner[columns["target"]]
    found: list[str] = []
    for here, there in ((target, source), (source, target)):
        files, counts = counted(there[one_of(here, wanted) & (source != target)])
        order = np.lexsort((files, -counts))
        found += [head.path(int(file)) for file in files[order]]
    return list(dict.fromkeys(found))


def _changed_lines(comparison: Comparison) -> list[str]:
    found: list[str] = []
    for change in comparison.changes:
        if not change.binary:
            before = comparison.before.get(change.old_path) if change.old_path is not None else None
            after = comparison.after.get(change.new_path) if change.new_path is not None else None
            found += changed_lines(change, before, after)
    return found[:MAX_LINES]


def _around(comparison: Comparison) -> list[str]:
    """The first line of every definition that the diff touches in the head: what its parameters are called says what it is about."""
    head = comparison.head
    found: dict[tuple[str, int], str] = {}
    for change in comparison.changes:
        path = shown(change.new_path or b"")
        file, after = head.file_of_path.get(path), comparison.after.get(change.new_path or b"")
        if file is None or after is None or change.binary:
            continue
        lines = after.split(b"\n")
        for first, _ in change.new_spans[:MAX_SPANS]:
            line = int(head.parts["symbols"]["line"][head.symbol_at(file, first)])
            if 1 < line <= len(lines):
                found[path, line] = lines[line - 1].decode("utf-8", "replace")
    return list(found.values())


def _measures(answers: Iterable[Answer], words: Mapping[str, float], history: CoChange, comparison: Comparison) -> Measures:
    search: dict[str, float] = defaultdict(float)
    for answer in answers:
        for hit in answer.hits:
            search[hit.path] = max(search[hit.path], hit.score)
    paths = {path for counts in history.together.values() for path in counts}
    own = {path for path, _ in _changed_files(comparison)}
    score = comparison.head.parts["rank"]["score"]
    return Measures(
        search=relative(search),
        words=relative({path: value for path, value in words.items() if path not in own}),
        together={path: history.score(path) for path in sorted(paths - own) if path in comparison.head.file_of_path},
        central=_Column(score),
    )


class _Column(Mapping[int, float]):
    """A column of numbers, read by row without copying it."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self._values = values

    def __getitem__(self, row: int) -> float:
        if not 0 <= row < len(self._values):
            raise KeyError(row)
        return float(self._values[row])

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._values)))

    def __len__(self) -> int:
        return len(self._values)


def _best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda path: (-scores[path], path))


def _kind_of(head: Snapshot, path: str) -> PathKind | None:
    file = head.file_of_path.get(path)
    return None if file is None else head.path_kind(file)


# ── the rest of the report ───────────────────────────────────────────────────────────────────────────────────────────


def _changed_files(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    found = []
    for change in comparison.changes:
        path = shown(change.new_path or change.old_path or b"")
        snapshot = comparison.head if change.new_path is not None else comparison.base
        kind = _kind_of(snapshot, path)
        found.append((path, kind.label if kind is not None else "unknown"))
    return tuple(sorted(found))


def _packages(breaks: Sequence[Verdict], at_risk: Sequence[Verdict], reached: Sequence[Reached]) -> tuple[PackageCount, ...]:
    """Counts per package, the most breaks first."""
    counts = (Counter(package_of(one.site.path) for one in breaks), Counter(package_of(one.site.path) for one in at_risk))
    far = Counter(one.package for one in reached)
    names = {*counts[0], *counts[1], *far}
    found = [PackageCount(name, counts[0][name], counts[1][name], far[name]) for name in names]
    return tuple(sorted(found, key=lambda one: (-one.breaks, -one.at_risk, -one.reached, one.package)))


def _together(history: CoChange, comparison: Comparison) -> tuple[Together, ...]:
    own = {path for path, _ in _changed_files(comparison)}
    best: dict[str, Together] = {}
    for seed in sorted(history.together):
        for path, commits in sorted(history.together[seed].items()):
            of = history.seen[seed]
            if path in own or path not in comparison.head.file_of_path or commits < TOGETHER_COMMITS or commits < TOGETHER_SHARE * of:
                continue
            found = Together(path, seed, commits, of)
            if path not in best or commits * best[path].of > best[path].commits * of:
                best[path] = found
    return tuple(sorted(best.values(), key=lambda one: (-one.commits / one.of, -one.commits, one.path))[:20])


def _mentions(answers: Iterable[Answer], comparison: Comparison, reached: Set[str]) -> tuple[Mention, ...]:
    """Hits in files that the graph does not reach: text and meaning only."""
    own = {path for path, _ in _changed_files(comparison)} | reached
    best: dict[str, Mention] = {}
    by_meaning: set[str] = set()  # files whose best find does not hold the name that was asked for
    holding: dict[str, frozenset[str]] = {}
    for answer in answers:
        if not _is_telling(answer.query.subject, comparison.head):
            continue
        name = answer.query.subject.rsplit(".", 1)[-1]
        if name not in holding:
            holding[name] = _files_with(name, comparison.head)
        for hit in answer.hits:
            by_graph_alone = bool(hit.parts) and not any(part.retriever in MENTIONING for part in hit.parts)
            if hit.path in own or by_graph_alone:
                continue
            if hit.path not in best or hit.score > best[hit.path].score:
                best[hit.path] = Mention(hit.path, hit.line, hit.why, round(hit.score, 6))
                (by_meaning.discard if hit.path in holding[name] else by_meaning.add)(hit.path)
    test = {one.path: _kind_of(comparison.head, one.path) is PathKind.TEST for one in best.values()}
    chosen = sorted(best.values(), key=lambda one: (one.path in by_meaning, test[one.path], -one.score, one.path, one.line))
    said = [one for one in chosen if one.path not in by_meaning]
    alike = [one for one in chosen if one.path in by_meaning and not test[one.path] and _is_prose_or_code(one.path, comparison.head)]
    alike = alike[:MAX_BY_MEANING]
    return tuple([*said, *alike][:MAX_MENTIONS])


def _is_prose_or_code(path: str, head: Snapshot) -> bool:
    """Of an empty marker or a list of numbers nobody can say that it means the same."""
    return grammar_of(path) is not None or _kind_of(head, path) is PathKind.DOCS


def _files_with(name: str, head: Snapshot) -> frozenset[str]:
    """The files that hold the name, whole."""
    if "text" not in head.parts:
        return frozenset(head.paths)
    return frozenset(head.path(file) for file in distinct(find_identifier(head, name, MOST_NAMES).file).tolist())


def _is_telling(name: str, head: Snapshot) -> bool:
    """Is a name rare enough that finding it in a text means something? `create` and `get` are words."""
    last = name.rsplit(".", 1)[-1]
    return len(last) >= 4 and len(head.symbols_named(last)) <= 2 and (not last.islower() or "_" in last or len(last) >= 10)


def _notes(
    looking: Looking,
    judged: Judged,
    changed: Sequence[ChangedSymbol],
    reached: int,
    answers: Sequence[Answer],
    unresolved: int,
    comparison: Comparison,
) -> tuple[str, ...]:
    found = list(judged.notes)
    if len(changed) > MAX_WAVES:
        found.append(f"{len(changed):,} definitions changed; what the first {MAX_WAVES:,} reach was followed")
    if looking.ask and len(changed) > MAX_ASKED:
        found.append(f"text and meaning were searched for the first {MAX_ASKED} of {len(changed):,} changed definitions")
    if reached > MAX_REACHED:
        found.append(f"{reached:,} definitions are reached; the nearest {MAX_REACHED:,} are kept")
    if unresolved:
        found.append(f"counts are lower bounds: unresolved uses of a changed name: {unresolved:,}")
    common = sorted({one.symbol.name for one in changed if _is_called_by_a_common_name(one)})
    if common:
        names = ", ".join(f"`{name}`" for name in common[:MAX_NAMED])
        found.append(f"calls of {names} on objects of unknown type are not counted: many types have a method of that name")
    found += _reads_not_counted(changed, comparison)
    if looking.ask is None:
        found.append("text and meaning were not searched")
    if not looking.commits:
        found.append("the history was not read")
    # that the index has no symbol of a name that the change removed is no news
    found += sorted({note for answer in answers for note in answer.notes if f"`{answer.query.subject}`" not in note})
    return tuple(dict.fromkeys(found))


_READS: Final = "reads of "  # how a note of these begins


def _reads_not_counted(changed: Sequence[ChangedSymbol], comparison: Comparison) -> list[str]:
    """A note for each of the first properties whose name plain attributes have too, where somebody reads that from something unknown."""
    found: dict[str, str] = {}
    in_vain: set[tuple[str, int | None]] = set()
    lines: dict[int, list[bytes]] = {}
    for one in changed if "text" in comparison.head.parts else ():
        name = (one.before or one.symbol).name
        if name in found or len(found) == MAX_NAMED or not is_told_by_text(one, comparison.head):
            continue
        key = (name, realm_of(one, comparison.head))
        reads = unknown_reads(one, comparison.head, comparison.read, lines) if key not in in_vain else []
        if not reads:
            in_vain.add(key)
        else:
            path, line = reads[0]
            found[name] = (
                f"{_READS}`{name}` on objects of unknown type are not counted, since others have a plain attribute of that name;"
                f" lines that may be one: {len(reads):,}, the first {path}:{line}"
            )
    return list(found.values())


def _is_called_by_a_common_name(one: ChangedSymbol) -> bool:
    method = one.symbol.kind == SymbolKind.METHOD and not one.inside and one.kinds != (ChangeKind.ADDED,)
    common = COMMON_MEMBERS if grammar_of(one.symbol.path) == "python" else SCRIPT_MEMBERS
    return method and one.path_kind is not PathKind.TEST and one.symbol.name in common and one.symbol.name not in CONSTRUCTORS


def _pins_of_tools(comparison: Comparison) -> frozenset[str]:
    """Changed lists of packages where only versions of formatters, checkers and their like differ."""
    found = set()
    for change in comparison.changes:
        path = change.new_path or change.old_path or b""
        if change.old_path is None or change.new_path is None or change.binary or grammar_of(shown(path)) is not None:
            continue
        lines = changed_lines(change, comparison.before.get(change.old_path), comparison.after.get(change.new_path))
        if pins_only_tools(shown(path), lines):
            found.add(shown(path))
    return frozenset(found)


def why_quiet(report: ImpactReport, of_tools: Set[str] = frozenset()) -> str:
    """Why there is nothing to say of a change, in one sentence; "" where there is something, or where we could not look.
    `of_tools`: changed files that matter to tools round the project alone."""
    if report.breaks or report.at_risk or report.reached or report.open_sites:
        return ""
    kinds = {kind for _, kind in report.changed_files}
    others = [path for path, kind in report.changed_files if kind in ("source", "unknown") and grammar_of(path) is None]
    unread = [path for path in others if not _is_of_tools(path) and path not in of_tools]
    if not report.changed_files:
        return "Nothing changed."
    if kinds <= {PathKind.DOCS.label}:
        return "Only documentation changed."
    if kinds <= {PathKind.DOCS.label, PathKind.TEST.label}:
        return "Only tests changed." if PathKind.DOCS.label not in kinds else "Only tests and documentation changed."
    if report.problems or report.skipped or unread:
        return ""
    code = [one for one in report.changed if one.path_kind not in NOT_SOURCE]
    if not code and not report.neutral and others:
        return "Only the settings of tools changed."
    if not code:
        reasons = sorted({one.reason.removeprefix("only ").removesuffix(" changed") for one in report.neutral})
        return f"Only {', '.join(reasons) or 'formatting'} changed."
    if all(one.kinds == (ChangeKind.ADDED,) for one in code):
        return "Only new definitions, which no other code uses yet."
    if all(set(one.kinds) <= STAYS for one in code):
        return "Only new places and names, which every use we know of follows."
    if any(note.startswith(_READS) for note in report.notes):
        return ""
    by_tests = any(row.tests for row in report.ranked if report.changed[row.changed].path_kind not in NOT_SOURCE)
    by_change = any(row.total for row in report.ranked if report.changed[row.changed].path_kind not in NOT_SOURCE)
    return USED_BY[by_tests, by_change]


USED_BY: Final = {  # (do tests?, does what the change itself touches?)
    (False, False): "Nothing in this repository uses what changed.",
    (True, False): "Only tests use what changed.",
    (False, True): "Only what the change itself touches uses what changed.",
    (True, True): "Only tests, and what the change itself touches, use what changed.",
}


def _is_of_tools(path: str) -> bool:
    """`.github/workflows/tests.yaml`, `.pre-commit-config.yaml`: read by the tools round a project, by none of its code."""
    return any(part.startswith(".") and part.strip(".") for part in path.split("/"))
