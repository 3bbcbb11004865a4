"""Callers, callees and what a change reaches, from the dependency graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from index.distinct import counted, distinct, one_of, union
from index.graph.reach import reach
from index.intent.rules import CALLEES, IMPORTERS, OVERRIDES, PATH, SUBTYPES, WRITERS
from index.retrievers.names import last_name, look_up, symbols_meant
from index.retrievers.places import RANK_OF_PATH, allowed_files, allowed_symbols, edge_hit, symbol_hit
from index.snapshot import Snapshot
from index.trigrams.lookup import find_identifier
from index.types import EdgeKind, Hit, Query, Symbol, SymbolKind, Tier, UseCount

MOST_SYMBOLS = 64  # meant by one name; a name with more definitions says too little
MOST_REACHED = 5_000
MOST_UNRESOLVED = 200  # uses of a name, in the order of the snapshot, that are looked at
STEPS = 3
MOST_MENTIONS = 50_000  # of one name
MOST_THROUGH_BASES = 20  # calls of what a method overrides that are listed as its own; more of them are only counted
_LOOKS_WRITTEN = re.compile(r"_\w|[a-z][A-Z]|[A-Z]{2}|\d")  # as in code, unlike a word of a sentence
MOST_STARTS = 10  # symbols of a topic whose neighbours are looked at

# How strongly a use ties source to target: running it, then depending on its shape, then naming it.
KIND_ORDER = (
    EdgeKind.CALL,
    EdgeKind.DECORATE,
    EdgeKind.ACCESS,
    EdgeKind.OVERRIDE,
    EdgeKind.IMPLEMENT,
    EdgeKind.INHERIT,
    EdgeKind.WRITE,
    EdgeKind.READ,
    EdgeKind.PASS,
    EdgeKind.TYPE,
    EdgeKind.REEXPORT,
    EdgeKind.IMPORT,
)
RANK_OF_KIND = np.zeros(len(EdgeKind), np.int64)
RANK_OF_KIND[list(KIND_ORDER)] = np.arange(len(KIND_ORDER))

PASSIVE = MappingProxyType(
    {
        EdgeKind.CALL: "is called",
        EdgeKind.DECORATE: "is used as a decorator",
        EdgeKind.ACCESS: "is reached",
        EdgeKind.PASS: "is passed on",
        EdgeKind.READ: "is read",
        EdgeKind.WRITE: "is written",
        EdgeKind.INHERIT: "is inherited",
        EdgeKind.IMPLEMENT: "is implemented",
        EdgeKind.OVERRIDE: "is overridden",
        EdgeKind.TYPE: "is named as a type",
        EdgeKind.IMPORT: "is imported",
        EdgeKind.REEXPORT: "is re-exported",
    }
)

# Who uses what was reached through one of these may feel the change too. Not so behind a write, an override, a type in an annotation
# or an import: who goes on to use the name from there is tied to the name itself.
PASSES_ON = (EdgeKind.CALL, EdgeKind.DECORATE, EdgeKind.ACCESS, EdgeKind.PASS, EdgeKind.READ, EdgeKind.INHERIT, EdgeKind.IMPLEMENT)
ONLY_NAMES = (EdgeKind.IMPORT, EdgeKind.REEXPORT)

_HOLDERS = (SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.NAMESPACE)
_OVERRIDES = (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT)  # of a method: that of a base class, that of an interface
UNRESOLVED = "unresolved"
PATH_STEPS = 12
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})

Starts = NDArray[np.int64]


def graph(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Query -> places, best first: direct uses, reach, or neighbours, by the question's intent; callees or a path where it wants these."""
    return (WANTED.get(query.wants) or WAYS.get(query.intent, neighbours))(query, snapshot, limit)


def references(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Every direct use of the symbols asked about: by how sure, kind of use, sort of file (sources before tests), path, line; then the
    uses of that name that could not be resolved, by path and line, unless the caller named the symbols by row."""
    columns, symbols = snapshot.parts["edges"], snapshot.parts["symbols"]
    edges = _uses(query, snapshot)
    source = columns["source"][edges]
    order = np.lexsort(
        (
            columns["column"][edges],
            columns["line"][edges],
            symbols["file"][source],
            RANK_OF_PATH[snapshot.parts["files"]["kind"][symbols["file"][source]]],
            RANK_OF_KIND[columns["kind"][edges]],
            columns["tier"][edges],
        )
    )
    edges = _once_a_site(snapshot, edges[order])[:limit]
    hits = [edge_hit(snapshot, edge, 1.0 / (1 + int(columns["tier"][edge])), _why(snapshot, edge)) for edge in edges.tolist()]
    for edge, meant in _calls_of_bases(query, snapshot)[: limit - len(hits)]:
        hits.append(_through_base(edge_hit(snapshot, edge, 1.0 / (1 + Tier.POSSIBLE), _why(snapshot, edge)), snapshot, edge, meant))
    return hits if query.symbols or query.wants in OF_KIND else hits + _unresolved(query, snapshot, limit - len(hits))


def _uses(query: Query, snapshot: Snapshot) -> NDArray[np.int64]:
    """Edge rows of every direct use of the symbols asked about, in files that are asked about."""
    columns = snapshot.parts["edges"]
    starts = _starts(query, snapshot)
    if query.wants == IMPORTERS:  # `from shop.tax import rate` imports the file that is asked about
        starts = _with_members(snapshot, starts)
    edges = _edges_to(snapshot, _with_constructors(snapshot, starts))
    if query.wants in OF_KIND:
        edges = edges[one_of(columns["kind"][edges], [int(kind) for kind in OF_KIND[query.wants]])]
    source = columns["source"][edges]
    kept: NDArray[np.int64] = edges[allowed_symbols(query, snapshot, source) & (source != columns["target"][edges])]
    return kept  # a recursive call is no other user


def _calls_of_bases(query: Query, snapshot: Snapshot) -> list[tuple[int, int]]:
    """(edge, method asked about) of calls that lead to a base's method and may run one of so many overrides that there are no edges to
    these: by path and line. None where they are many: see `called_as`."""
    if query.symbols or query.wants:
        return []
    columns, file = snapshot.parts["edges"], snapshot.parts["symbols"]["file"]
    meant, position = snapshot.open_calls.of(_starts(query, snapshot))
    if len(distinct(position)) > MOST_THROUGH_BASES:
        return []
    edges = snapshot.reverse["edge"][position].astype(np.int64)
    keep = allowed_symbols(query, snapshot, columns["source"][edges]) & ~one_of(columns["source"][edges], meant)
    found: dict[int, int] = {}
    for edge, method in zip(edges[keep].tolist(), meant[keep].tolist(), strict=True):
        found.setdefault(edge, method)
    return sorted(found.items(), key=lambda one: (file.item(columns["source"].item(one[0])), one[0]))


def called_as(query: Query, snapshot: Snapshot) -> list[tuple[str, int]]:
    """Methods that the ones asked about override, and that so many others override too that calls of them lead to none of these: how
    each is called, and how many calls of it there are. Empty where these are so few that `references` lists them."""
    open_calls, names = snapshot.open_calls, dict[str, int]()
    if len(distinct(open_calls.of(_starts(query, snapshot))[1])) <= MOST_THROUGH_BASES:
        return []
    for start in _starts(query, snapshot).tolist():
        for base in open_calls.bases[start]:
            names[_shown(snapshot.symbol(base))] = len(open_calls.calls[base])
    return sorted(names.items())


def _once_a_site(snapshot: Snapshot, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edge rows in some order -> the first one of each place and kind: a call of a function with three signatures is one use."""
    columns = snapshot.parts["edges"]
    source, line, column, kind = (columns[name][edges].astype(np.int64) for name in ("source", "line", "column", "kind"))
    order = np.lexsort((kind, column, line, source))
    site = np.stack([source, line, column, kind])[:, order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (site[:, 1:] != site[:, :-1]).any(axis=0)
    return edges[np.sort(order[fresh])]


def count_uses(query: Query, snapshot: Snapshot) -> tuple[UseCount, ...]:
    """Query -> how many direct uses there are of each kind and tier, surest and strongest first, then the unresolved uses of the name."""
    columns, symbols = snapshot.parts["edges"], snapshot.parts["symbols"]
    edges = _uses(query, snapshot)
    edges = _once_a_site(snapshot, edges[np.argsort(columns["tier"][edges], kind="stable")])
    through = np.array([edge for edge, _ in _calls_of_bases(query, snapshot)], np.int64)
    tier = np.concatenate([columns["tier"][edges].astype(np.int64), np.full(len(through), int(Tier.POSSIBLE))])
    edges = np.concatenate([edges, through])
    kind, file = columns["kind"][edges].astype(np.int64), symbols["file"][columns["source"][edges]]
    counts = []
    for key in distinct(tier * len(KIND_ORDER) + RANK_OF_KIND[kind]).tolist():
        of_tier, rank = divmod(key, len(KIND_ORDER))
        here = (tier == of_tier) & (RANK_OF_KIND[kind] == rank)
        counts.append(UseCount(KIND_ORDER[rank].label, Tier(of_tier).label, int(here.sum()), len(distinct(file[here]))))
    sites = np.empty(0, np.int64) if query.symbols or query.wants in OF_KIND else _open_sites(query, snapshot)
    if len(sites):
        files = symbols["file"][snapshot.parts["open"]["source"][sites]]
        counts.append(UseCount("uses some", UNRESOLVED, len(sites), len(distinct(files))))
    return tuple(counts)


def mentions_beside_uses(query: Query, snapshot: Snapshot) -> tuple[str, int, int]:
    """The last name of the symbols asked about, on how many lines it stands beside its definitions, known uses and unclear uses, and in how
    many files. 0 where the name has another meaning too, or is an everyday word."""
    name, starts = last_name(query.subject), _starts(query, snapshot)
    if not _LOOKS_WRITTEN.search(name) or len(starts) != len(snapshot.symbols_named(name)) or not len(starts):
        return name, 0, 0
    columns, symbols, waiting = snapshot.parts["edges"], snapshot.parts["symbols"], snapshot.parts["open"]
    edges, sites = _edges_to(snapshot, _with_constructors(snapshot, starts)), _open_sites(query, snapshot)
    file = [symbols["file"][columns["source"][edges]], symbols["file"][waiting["source"][sites]], symbols["file"][starts]]
    line = [columns["line"][edges], waiting["line"][sites], symbols["line"][starts]]
    known = np.concatenate(file).astype(np.int64) << 32 | np.concatenate(line)
    found = find_identifier(snapshot, name, MOST_MENTIONS, allowed_files(query, snapshot))
    lines = found.file.astype(np.int64) << 32 | found.line
    left = distinct(lines[~one_of(lines, known)])
    return name, len(left), len(distinct(left >> 32))


def _open_sites(query: Query, snapshot: Snapshot) -> NDArray[np.int64]:
    """Rows of the unresolved uses of the asked name."""
    row = snapshot.name_row(last_name(query.subject))
    sites: NDArray[np.int64] = np.flatnonzero(snapshot.parts["open"]["name"] == row) if row is not None else np.empty(0, np.int64)
    return sites[allowed_symbols(query, snapshot, snapshot.parts["open"]["source"][sites])]


def _unresolved(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Places that use the asked name and may mean it."""
    name = last_name(query.subject)
    sites = _open_sites(query, snapshot)
    found = [snapshot.open_site(at) for at in sites[:MOST_UNRESOLVED].tolist()]
    found.sort(key=lambda site: (site.source.path, site.line, site.column, site.source.id))
    hits = []
    for site in found[: max(limit, 0)]:
        path, line = site.source.path, site.line
        why = f"uses some `{name}` on line {line}, unclear which ({site.reason.label})"
        chunk = snapshot.chunk_at(snapshot.file_of_path[path], line)
        hits.append(Hit(path, line, line, chunk, site.source.id, 0.1, why, use="uses some", tier=UNRESOLVED))
    return hits


def callees(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """What the symbols asked about use, each once and where it is defined: calls first, then by the line that uses it; then what they use
    and could not be resolved."""
    columns = snapshot.parts["edges"]
    starts = _with_inner(snapshot, _starts(query, snapshot))
    edges = np.concatenate([np.empty(0, np.int64), *(snapshot.edges_from(int(start)) for start in starts)])
    target = columns["target"][edges].astype(np.int64)
    edges = edges[~one_of(target, starts) & allowed_symbols(query, snapshot, target)]
    order = np.lexsort(
        (
            columns["target"][edges],
            columns["tier"][edges],
            columns["line"][edges],
            columns["source"][edges],
            RANK_OF_KIND[columns["kind"][edges]],
        )
    )
    hits: dict[int, Hit] = {}
    for edge in edges[order].tolist():
        row = int(columns["target"][edge])
        if row in hits or len(hits) >= limit:
            continue
        kind, sure = EdgeKind(int(columns["kind"][edge])), Tier(int(columns["tier"][edge]))
        user = snapshot.symbol(int(columns["source"][edge]))
        doubt = "" if sure is Tier.PROVED else f" ({sure.label})"
        why = f"{PASSIVE[kind]} by `{_shown(user)}` on line {int(columns['line'][edge])} of `{user.path}`{doubt}"
        hits[row] = replace(symbol_hit(snapshot, row, 1.0 / (1 + sure), why), use=kind.label, tier=sure.label)
    return [*hits.values(), *_unresolved_callees(snapshot, starts, limit - len(hits))]


def _unresolved_callees(snapshot: Snapshot, starts: Starts, limit: int) -> list[Hit]:
    sites = np.flatnonzero(one_of(snapshot.parts["open"]["source"], starts))
    hits: dict[str, Hit] = {}
    for at in sites.tolist():
        site = snapshot.open_site(at)
        if len(hits) >= max(limit, 0):
            break
        file = snapshot.file_of_path[site.source.path]
        why = f"uses some `{site.name}` on line {site.line}, unclear which ({site.reason.label})"
        hit = Hit(
            site.source.path,
            site.line,
            site.line,
            snapshot.chunk_at(file, site.line),
            site.source.id,
            0.1,
            why,
            use="uses some",
            tier=UNRESOLVED,
        )
        hits.setdefault(site.name, hit)
    return list(hits.values())


def path_between(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """How the first symbol reaches the other: the shortest chain of uses, one hit a use, from the first symbol on. Among equally short
    ones the surest, strongest uses. Empty where none of at most PATH_STEPS uses is known."""
    starts, ends = (
        _with_inner(snapshot, _starts(query, snapshot)),
        _with_constructors(snapshot, symbols_meant(snapshot, query.other)[:MOST_SYMBOLS]),
    )
    if not len(starts) or not len(ends):
        return []
    columns, reverse = snapshot.parts["edges"], snapshot.reverse

    def surest(position: NDArray[np.int64]) -> NDArray[np.int64]:
        edges = reverse["edge"][position]
        return columns["tier"][edges].astype(np.int64) * len(EdgeKind) + RANK_OF_KIND[columns["kind"][edges]]

    found = reach(
        reverse["offsets"],
        snapshot.callers,
        ends,
        PATH_STEPS,
        snapshot.symbol_count,
        preference=surest,
        more=snapshot.open_calls.of,
        hub=snapshot.symbol_count,
    )
    at = np.flatnonzero(one_of(found.rows, starts))
    if not len(at):
        return []
    came = dict(zip(found.rows.tolist(), zip(found.via.tolist(), found.origin.tolist(), strict=True), strict=True))
    row, hits = int(found.rows[at[0]]), list[Hit]()
    while row in came and len(hits) < limit:
        via, following = came[row]
        edge = int(reverse["edge"][via])
        user = snapshot.symbol(int(columns["source"][edge]))
        hit = edge_hit(snapshot, edge, 1.0 / (1 + len(hits)), f"step {len(hits) + 1}: `{_shown(user)}` {_why(snapshot, edge)}")
        hits.append(_through_base(hit, snapshot, edge, following))
        row = following
    return hits


def _shown(symbol: Symbol) -> str:
    return symbol.path if symbol.kind == SymbolKind.MODULE else symbol.qualified


def _with_inner(snapshot: Snapshot, starts: Starts) -> Starts:
    """What a function does, its inner functions and lambdas do too, and what a class does, its members do."""
    parent = snapshot.parts["symbols"]["parent"]
    grown = distinct(starts)
    while True:
        more = union(grown, np.flatnonzero(one_of(parent, grown)))
        if len(more) == len(grown):
            return grown
        grown = more


def impact(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """Everything that uses the symbols asked about, up to three steps away: by steps, how sure the last step is, centrality, path, line;
    imports after all else."""
    starts = _starts(query, snapshot)
    starts = starts if query.symbols else _with_members(snapshot, starts)
    columns, symbols, reverse = snapshot.parts["edges"], snapshot.parts["symbols"], snapshot.reverse

    def tier_then_kind(position: NDArray[np.int64]) -> NDArray[np.int64]:
        edges = reverse["edge"][position]
        return columns["tier"][edges].astype(np.int64) * len(EdgeKind) + RANK_OF_KIND[columns["kind"][edges]]

    def passes_on(position: NDArray[np.int64]) -> NDArray[np.bool_]:
        return one_of(columns["kind"][reverse["edge"][position]], PASSES_ON)

    found = reach(
        reverse["offsets"],
        snapshot.callers,
        starts,
        STEPS,
        MOST_REACHED,
        preference=tier_then_kind,
        goes_on=passes_on,
        more=snapshot.open_calls.of,
    )
    edges = reverse["edge"][found.via]
    keep = np.flatnonzero(allowed_symbols(query, snapshot, found.rows))
    order = keep[
        np.lexsort(
            (
                columns["line"][edges[keep]],
                symbols["file"][found.rows[keep]],
                -snapshot.parts["rank"]["score"][found.rows[keep]].astype(np.float64),
                columns["tier"][edges[keep]],
                found.steps[keep],
                one_of(columns["kind"][edges[keep]], ONLY_NAMES),
            )
        )
    ][:limit]
    hits = []
    for at in order.tolist():
        steps, edge = int(found.steps[at]), int(edges[at])
        why = _why(snapshot, edge) + (f", {steps} steps away" if steps > 1 else "")
        hit = edge_hit(snapshot, edge, 1.0 / (steps + int(columns["tier"][edge])), why)
        hits.append(_through_base(hit, snapshot, edge, int(found.origin[at])))
    return hits


def _through_base(hit: Hit, snapshot: Snapshot, edge: int, meant: int) -> Hit:
    """The hit of an edge that was followed from `meant`: where that only overrides what the edge leads to, it is possible, and is told."""
    if int(snapshot.parts["edges"]["target"][edge]) == meant:
        return hit
    may_run = f"{hit.why.removesuffix(f' ({hit.tier})')}, may run `{_shown(snapshot.symbol(meant))}` ({Tier.POSSIBLE.label})"
    return replace(hit, why=may_run, tier=Tier.POSSIBLE.label)


def neighbours(query: Query, snapshot: Snapshot, limit: int) -> list[Hit]:
    """What uses, and what is used by, the symbols whose names fit the question: by how many of them it is tied to, then centrality."""
    starts = distinct(_starts_or_topic(query, snapshot))
    columns, score = snapshot.parts["edges"], snapshot.parts["rank"]["score"]
    incoming = _edges_to(snapshot, starts)
    outgoing = np.concatenate([snapshot.edges_from(int(start)) for start in starts]) if len(starts) else np.empty(0, np.int64)
    edges = np.concatenate([incoming, outgoing])
    other = np.concatenate([columns["source"][incoming], columns["target"][outgoing]]).astype(np.int64)
    near = np.concatenate([columns["target"][incoming], columns["source"][outgoing]]).astype(np.int64)
    keep = (
        ~one_of(other, starts) & (snapshot.parts["symbols"]["kind"][other] != SymbolKind.MODULE) & allowed_symbols(query, snapshot, other)
    )
    edges, other, near = edges[keep], other[keep], near[keep]
    pairs = distinct(other * snapshot.symbol_count + near)
    rows, ties = counted(pairs // max(snapshot.symbol_count, 1))
    order = np.lexsort((rows, -score[rows].astype(np.float64), -ties))[:limit]
    hits = []
    for at in order.tolist():
        row = int(rows[at])
        edge = int(edges[other == row].min())
        named = snapshot.qualified(int(columns["target"][edge]))
        source_is_near = int(columns["source"][edge]) != row
        why = f"is used by `{snapshot.qualified(int(columns['source'][edge]))}`" if source_is_near else f"uses `{named}`"
        hits.append(symbol_hit(snapshot, row, float(ties[at]), why))
    return hits


WAYS: Mapping[str, Callable[[Query, Snapshot, int], list[Hit]]] = MappingProxyType(
    {
        "find_references": references,
        "impact_analysis": impact,
        "find_definition": neighbours,
        "understand_code": neighbours,
        "find_similar": neighbours,
    }
)


# Of the uses of a symbol, those of one kind alone answer some questions.
OF_KIND: Mapping[str, tuple[EdgeKind, ...]] = MappingProxyType(
    {
        SUBTYPES: (EdgeKind.INHERIT, EdgeKind.IMPLEMENT),
        OVERRIDES: _OVERRIDES,
        IMPORTERS: (EdgeKind.IMPORT, EdgeKind.REEXPORT),
        WRITERS: (EdgeKind.WRITE,),
    }
)
WANTED: Mapping[str, Callable[[Query, Snapshot, int], list[Hit]]] = MappingProxyType({CALLEES: callees, PATH: path_between})


def _starts(query: Query, snapshot: Snapshot) -> Starts:
    if query.symbols:
        return distinct(np.asarray(query.symbols, np.int64))
    return symbols_meant(snapshot, query.subject)[:MOST_SYMBOLS]


def _starts_or_topic(query: Query, snapshot: Snapshot) -> Starts:
    """The symbols asked about, or those whose names hold at least half of the topic's words, the most central first."""
    starts = _starts(query, snapshot)
    if len(starts):
        return starts[:MOST_STARTS]
    found = look_up(snapshot, query.subject or query.text)
    order = np.lexsort((found.rows, -snapshot.parts["rank"]["score"][found.rows].astype(np.float64), -found.share, found.exactness))
    return found.rows[order][:MOST_STARTS]


def _with_members(snapshot: Snapshot, starts: Starts) -> Starts:
    """A class or a file is used through its members: starts and, for these, what they hold, at any depth."""
    columns = snapshot.parts["symbols"]
    holds = np.zeros(snapshot.symbol_count, np.bool_)
    holds[starts[one_of(columns["kind"][starts], _HOLDERS)]] = True
    if not holds.any():
        return starts
    parent = columns["parent"]
    while True:
        grown = holds | ((parent >= 0) & holds[parent])
        if (grown == holds).all():
            return union(starts, np.flatnonzero(holds))
        holds = grown


def _with_constructors(snapshot: Snapshot, starts: Starts) -> Starts:
    """Who uses a class also makes instances of it: starts and the constructors of the classes among them."""
    columns = snapshot.parts["symbols"]
    constructors = np.flatnonzero(one_of(columns["parent"], starts) & one_of(columns["name"], _name_rows(snapshot, CONSTRUCTORS)))
    of_class = constructors[columns["kind"][columns["parent"][constructors]] == SymbolKind.CLASS]
    return union(starts, of_class)


def _name_rows(snapshot: Snapshot, names: frozenset[str]) -> list[int]:
    return [row for name in sorted(names) if (row := snapshot.name_row(name)) is not None]


def _edges_to(snapshot: Snapshot, symbols: Starts) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *(snapshot.edges_to(int(symbol)) for symbol in symbols)])


def _why(snapshot: Snapshot, edge: int) -> str:
    """ "calls `rate` on line 4", and how sure where it is not certain."""
    columns = snapshot.parts["edges"]
    target = int(columns["target"][edge])
    symbols = snapshot.parts["symbols"]
    name = snapshot.names[int(symbols["name"][target])]
    if name in CONSTRUCTORS and symbols["kind"][symbols["parent"][target]] == SymbolKind.CLASS:
        name = snapshot.names[int(symbols["name"][symbols["parent"][target]])]  # what the caller writes
    sure = Tier(int(columns["tier"][edge]))
    doubt = "" if sure is Tier.PROVED else f" ({sure.label})"
    return f"{EdgeKind(int(columns['kind'][edge])).label} `{name}` on line {int(columns['line'][edge])}{doubt}"
