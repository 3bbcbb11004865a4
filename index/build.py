"""Files of a commit -> `Snapshot`: facts of each, linked, and every part laid out as columns.

plan      which files are read, and how (`Source`)
link      facts -> edges of every file (index.resolver)
assemble  edges of files in their own terms -> rows of the whole commit
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.content import pack_content
from index.files.kinds import kind_of
from index.files.paths import shown
from index.graph.centrality import pagerank
from index.languages import language_of
from index.languages.language import Language
from index.languages.modules import Resolution
from index.languages.python import modules as python_modules
from index.languages.typescript import modules as script_modules
from index.parsing.facts import Facts, facts_of
from index.resolver.flows import link_late
from index.resolver.link import Linked, Linker
from index.resolver.program import Program
from index.resolver.script_link import ScriptLinker
from index.resolver.values import CHAIN_MASK, TIER_SHIFT
from index.snapshot import Columns, Snapshot
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import build_text
from index.types import EdgeKind, PathKind, Problem, Step, SymbolKind, Tier, Unresolved

PARSED, TEXT_ONLY, SKIPPED = 0, 1, 2
MAX_PARSED = 1_000_000  # bytes; larger files are data or bundles
MAX_TEXT = 1_000_000
MAX_LINE = 5_000  # a source file with a longer average line is minified
CHUNK_LINES = 120
SCRIPTS = ("typescript", "tsx", "javascript")
MAX_CANDIDATES = 4  # a bare method name with more definitions than this says nothing
MAX_OVERRIDERS = 6

# Methods of the built-in types: `x.get()` on something unknown is more often a dict than a class of the project.
COMMON_MEMBERS = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, frozenset, type(iter([])), object, Exception) for name in dir(kind)
) | frozenset(
    "read write close open flush seek tell readline readlines fileno push pop shift unshift slice splice concat map filter reduce forEach find "
    "findIndex some every includes indexOf then catch finally has set get delete add keys values entries toString valueOf replace match test exec "
    "trim toLowerCase toUpperCase apply call bind hasOwnProperty length name send put start stop run join wait acquire release group log error warn "
    "info debug warning exception emit on off once next throw addEventListener removeEventListener append submit result cancel done".split()
)


@dataclass(frozen=True, slots=True)
class Source:
    """One file to be indexed. `data` None: it was not read, and `why` says so."""

    path: bytes
    blob: str
    size: int
    data: bytes | None
    why: str = ""


def is_binary(data: bytes) -> bool:
    """Whether git would call it binary: a NUL among the first 8,000 bytes."""
    return b"\0" in data[:8000]


def reading_of(source: Source) -> tuple[int, str]:
    """PARSED, TEXT_ONLY or SKIPPED, and why not more."""
    if source.data is None:
        return SKIPPED, source.why or "not read"
    if is_binary(source.data):
        return SKIPPED, "binary"
    if source.size > MAX_TEXT:
        return SKIPPED, f"larger than {MAX_TEXT // 1_000_000} MB"
    if language_of(source.path) is None:
        return TEXT_ONLY, ""
    if len(source.data) / (source.data.count(b"\n") + 1) > MAX_LINE:
        return TEXT_ONLY, "minified: searched as text, not parsed"
    return PARSED, ""


def build(files: Mapping[bytes, bytes]) -> Snapshot:
    """A whole tree held in memory, path -> content -> its snapshot, vectors left out. For tests, benches and small trees."""
    sources = [Source(path, "", len(data), data) for path, data in files.items()]
    return build_snapshot("", sources, lambda row, data, language: facts_of(data, language)).snapshot


FactsMaker = Callable[[int, bytes, Language], Facts]
Step_ = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Built:
    snapshot: Snapshot
    problems: tuple[Problem, ...]


def build_snapshot(
    commit: str, sources: Sequence[Source], make_facts: FactsMaker, vectors: Callable[[Snapshot, Sequence[Source]], Columns] | None = None
) -> Built:
    """Everything from nothing. `make_facts(row, data, language)` parses, or takes facts from a cache."""
    sources = sorted(sources, key=lambda source: source.path)
    readings = [reading_of(source) for source in sources]
    problems = [Problem(shown(source.path), 0, why) for source, (_, why) in zip(sources, readings, strict=True) if why]
    facts: dict[int, Facts] = {}
    for row, (source, (status, _)) in enumerate(zip(sources, readings, strict=True)):
        language = language_of(source.path)
        if status == PARSED and language is not None and source.data is not None:
            facts[row] = made = make_facts(row, source.data, language)
            if line := int(made["extra"][0]):
                problems.append(Problem(shown(source.path), line, "could not be parsed here; what stands around it was read"))
    links = link_all(sources, facts)
    parts: dict[str, Columns] = {}
    parts["files"] = files_part(sources, readings, facts)
    parts["symbols"], base, names = symbols_part(sources, facts, links)
    parts["edges"], parts["open"] = edges_part(parts["symbols"], base, names, facts, links)
    finish_parts(parts, sources, readings, facts)
    if vectors is not None:
        parts["vectors"] = vectors(Snapshot(commit, parts), sources)
    return Built(Snapshot(commit, parts), tuple(problems))


def finish_parts(
    parts: dict[str, Columns], sources: Sequence[Source], readings: Sequence[tuple[int, str]], facts: Mapping[int, Facts]
) -> None:
    """The parts that follow from files, symbols and edges."""
    edges, size = parts["edges"], len(parts["symbols"]["file"])
    parts["reverse"] = reverse_part(edges, size)
    counted = (edges["tier"] < Tier.POSSIBLE) & (edges["kind"] != EdgeKind.OVERRIDE)
    parts["rank"] = {"score": pagerank(edges["source"][counted], edges["target"][counted], size)}
    parts["chunks"] = chunks_part(parts["files"], parts["symbols"])
    readable = [source.data if status != SKIPPED else None for source, (status, _) in zip(sources, readings, strict=True)]
    found = iter(text_facts_batch([data for data in readable if data is not None]))
    parts["text"] = build_text([None if data is None else next(found) for data in readable])
    parts["content"] = pack_content(readable)


# linking


def resolvers_of(sources: Sequence[Source]) -> tuple[dict[str, Callable[[str, str, int], Resolution]], Callable[[str], tuple[str, ...]]]:
    """Module maps of the tree, as functions (importing path, module, level)."""
    paths = [shown(source.path) for source in sources]
    python_configs = {shown(s.path): s.data for s in sources if s.data is not None and python_modules.is_config(s.path)}
    script_configs = {shown(s.path): s.data for s in sources if s.data is not None and script_modules.is_config(s.path)}
    python = python_modules.ModuleMap(paths, python_configs)
    script = script_modules.ModuleMap(paths, script_configs)

    def by_specifier(path: str, module: str, level: int) -> Resolution:
        return script.resolve(path, module)

    scripts = dict.fromkeys(SCRIPTS, by_specifier)
    return {"python": python.resolve, **scripts}, python.conftest_chain


@dataclass(frozen=True, slots=True)
class FileLinks:
    """What linking gave one file, as columns. Targets are (file row, symbol of that file).

    edges: owner, file, symbol, kind, tier, start (byte), chain, each int32; loose: owner, start, is_call, reason, with `names`.
    """

    edges: NDArray[np.int32]  # (n, 7)
    loose: NDArray[np.int32]  # (n, 4)
    names: list[str]


def link_all(sources: Sequence[Source], facts: Mapping[int, Facts]) -> dict[int, FileLinks]:
    """Facts of every parsed file, by row -> its links."""
    rows = sorted(facts)
    number = {row: at for at, row in enumerate(rows)}
    resolvers, conftests = resolvers_of(sources)
    languages = [language.name for row in rows if (language := language_of(sources[row].path)) is not None]
    program = Program([shown(sources[row].path) for row in rows], languages, lambda at: facts[rows[at]], resolvers, conftests)
    linked: dict[int, Linked] = {}
    late: dict[int, list[Linked]] = {}
    for linker, is_script in ((Linker(program), False), (ScriptLinker(program), True)):
        own = {at: linker.link(at) for at in range(len(rows)) if (languages[at] in SCRIPTS) == is_script}
        linked |= own
        late |= link_late(linker, own)
    return {row: file_links(facts[row], [linked[number[row]], *late.get(number[row], ())], rows) for row in rows}


def file_links(facts: Facts, linked: Sequence[Linked], rows: Sequence[int]) -> FileLinks:
    """Rows that the linker found -> columns: one edge per (owner, target, kind, place), the best of its codes."""
    found = [edge for one in linked for edge in one.edges]
    start = facts["start"]
    if found:
        table = np.array(found, np.int64)
        code = table[:, 4]
        code = np.where(code & CHAIN_MASK, code, code | Step.SCOPE)
        columns = np.stack(
            [
                table[:, 0],
                np.asarray(rows, np.int64)[table[:, 1]],
                table[:, 2],
                table[:, 3],
                code >> TIER_SHIFT,
                start[table[:, 5]],
                code & CHAIN_MASK,
            ],
            1,
        )
        order = np.lexsort((columns[:, 6], columns[:, 4], columns[:, 3], columns[:, 2], columns[:, 1], columns[:, 5], columns[:, 0]))
        columns = columns[order]
        key = columns[:, [0, 1, 2, 3, 5]]
        fresh = np.r_[True, (key[1:] != key[:-1]).any(1)]
        edges = columns[fresh].astype(np.int32)
    else:
        edges = np.empty((0, 7), np.int32)
    loose = sorted(
        {(owner, int(start[node]), int(is_call), reason, name) for one in linked for owner, name, node, is_call, reason in one.loose}
    )
    # A site that arguments resolved after all is not open any more.
    known = {(int(owner), int(at)) for owner, at in edges[:, [0, 5]]} if loose else set()
    loose = [site for site in loose if (site[0], site[1]) not in known]
    return FileLinks(edges, np.array([site[:4] for site in loose], np.int32).reshape(-1, 4), [site[4] for site in loose])


# parts


def files_part(sources: Sequence[Source], readings: Sequence[tuple[int, str]], facts: Mapping[int, Facts]) -> dict[str, NDArray[Any]]:
    paths = [source.path for source in sources]
    languages = [language_of(path) for path in paths]
    starts = [
        facts[row]["line_starts"]
        if row in facts
        else line_starts(source.data)
        if status == TEXT_ONLY and source.data is not None
        else np.zeros(1, np.int32)
        for row, (source, (status, _)) in enumerate(zip(sources, readings, strict=True))
    ]
    blobs = b"".join(bytes.fromhex(source.blob[:40].ljust(40, "0")) for source in sources)
    return {
        "path_bytes": np.frombuffer(b"".join(paths), np.uint8),
        "path_offsets": offsets([len(path) for path in paths]),
        "blob": np.frombuffer(blobs, np.uint8).reshape(-1, 20),
        "language": np.array([0 if language is None else language.number for language in languages], np.uint8),
        "kind": np.array([kind_of(path) for path in paths], np.uint8),
        "size": np.array([source.size for source in sources], np.int64),
        "status": np.array([status for status, _ in readings], np.uint8),
        "line_starts": np.concatenate(starts) if starts else np.empty(0, np.int32),
        "line_starts_offsets": offsets([len(one) for one in starts]),
    }


def line_starts(data: bytes) -> NDArray[np.int32]:
    return np.r_[0, np.flatnonzero(np.frombuffer(data, np.uint8) == 10) + 1].astype(np.int32)


def offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


def symbols_part(
    sources: Sequence[Source], facts: Mapping[int, Facts], links: Mapping[int, FileLinks]
) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64], dict[str, int]]:
    """The part, the first symbol row of every file, and every name's row."""
    counts = [len(facts[row]["symbol_node"]) if row in facts else 1 for row in range(len(sources))]
    base = offsets(counts)
    every: set[str] = {module_name(source.path) for source in sources}
    for row, one in facts.items():
        names = one.names
        every.update(names[at] for at in one["symbol_name"].tolist() if at >= 0)
        every.update(links[row].names)
    every.add("")
    ordered = sorted(every)
    number = {name: at for at, name in enumerate(ordered)}
    columns: dict[str, list[NDArray[Any]]] = {column: [] for column in _SYMBOL_COLUMNS}
    for row, source in enumerate(sources):
        for column, values in file_symbols(source, facts.get(row), number, row, int(base[row])).items():
            columns[column].append(values)
    encoded = [name.encode("utf-8", "surrogatepass") for name in ordered]
    part: dict[str, NDArray[Any]] = {
        column: np.concatenate(values) if values else np.empty(0, _SYMBOL_COLUMNS[column]) for column, values in columns.items()
    }
    part["name_bytes"] = np.frombuffer(b"".join(encoded), np.uint8)
    part["name_offsets"] = offsets([len(name) for name in encoded])
    return part, base, number


_SYMBOL_COLUMNS: dict[str, Any] = {
    "file": np.int32, "parent": np.int32, "kind": np.uint8, "name": np.int32, "line": np.int32, "column": np.int32, "start_line": np.int32,
    "end_line": np.int32, "start_byte": np.int32, "end_byte": np.int32, "flags": np.int32,
}  # fmt: skip


def module_name(path: bytes) -> str:
    """`a/b/cart.py` -> cart; of an `__init__.py` or an index file, its folder."""
    parts = shown(path).split("/")
    stem = parts[-1].partition(".")[0] or parts[-1]
    return parts[-2] if stem in ("__init__", "index") and len(parts) > 1 else stem


def file_symbols(source: Source, facts: Facts | None, number: Mapping[str, int], row: int, base: int) -> dict[str, NDArray[Any]]:
    if facts is None:
        lines = source.data.count(b"\n") + 1 if source.data is not None else 1
        values = {"file": row, "parent": -1, "kind": SymbolKind.MODULE, "name": number[module_name(source.path)], "line": 1, "column": 1,
                  "start_line": 1, "end_line": lines, "start_byte": 0, "end_byte": min(source.size, 2**31 - 1), "flags": 0}  # fmt: skip
        return {column: np.array([value], _SYMBOL_COLUMNS[column]) for column, value in values.items()}
    size = len(facts["symbol_node"])
    starts, at = facts["line_starts"], facts["symbol_at"]
    line = np.searchsorted(starts, at, "right")
    names = facts.names
    name = np.array([number[names[one]] if one >= 0 else number[""] for one in facts["symbol_name"].tolist()], np.int32)
    name[0] = number[module_name(source.path)]
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


_EDGE_COLUMNS: dict[str, Any] = {
    "source": np.int32, "target": np.int32, "kind": np.uint8, "tier": np.uint8, "line": np.int32, "column": np.int32, "chain": np.int32,
}  # fmt: skip
_OPEN_COLUMNS: dict[str, Any] = {"source": np.int32, "name": np.int32, "line": np.int32, "column": np.int32, "reason": np.uint8}


def edges_part(
    symbols: Columns, base: NDArray[np.int64], number: Mapping[str, int], facts: Mapping[int, Facts], links: Mapping[int, FileLinks]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Links of all files -> the parts `edges` and `open`: resolved edges, those by name only, and overrides as dispatch."""
    own: dict[str, list[NDArray[Any]]] = {column: [] for column in _EDGE_COLUMNS}
    loose: dict[str, list[NDArray[Any]]] = {column: [] for column in (*_OPEN_COLUMNS, "is_call")}
    for row in sorted(links):
        link, starts = links[row], facts[row]["line_starts"]
        line = np.searchsorted(starts, link.edges[:, 5], "right")
        values = (link.edges[:, 0] + base[row], base[link.edges[:, 1]] + link.edges[:, 2], link.edges[:, 3], link.edges[:, 4], line,
                  link.edges[:, 5] - starts[line - 1] + 1, link.edges[:, 6])  # fmt: skip
        for column, value in zip(_EDGE_COLUMNS, values, strict=True):
            own[column].append(value.astype(_EDGE_COLUMNS[column]))
        line = np.searchsorted(starts, link.loose[:, 1], "right")
        names = np.array([number[name] for name in link.names], np.int32)
        values = (link.loose[:, 0] + base[row], names, line, link.loose[:, 1] - starts[line - 1] + 1, link.loose[:, 3], link.loose[:, 2])
        for column, value in zip(loose, values, strict=True):
            loose[column].append(value.astype(_OPEN_COLUMNS.get(column, np.uint8)))
    edges = {column: np.concatenate(values) if values else np.empty(0, _EDGE_COLUMNS[column]) for column, values in own.items()}
    sites = {
        column: np.concatenate(values) if values else np.empty(0, _OPEN_COLUMNS.get(column, np.uint8)) for column, values in loose.items()
    }
    by_name, still_open = edges_by_name(symbols, sites, number)
    dispatched = dispatch_edges(symbols, edges)
    whole = {column: np.concatenate([edges[column], by_name[column], dispatched[column]]) for column in _EDGE_COLUMNS}
    return sorted_edges(whole), {column: sites[column][still_open] for column in _OPEN_COLUMNS}


def sorted_edges(edges: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """By (source, line, column, target, kind), the best tier of each kept."""
    order = np.lexsort((edges["chain"], edges["tier"], edges["kind"], edges["target"], edges["column"], edges["line"], edges["source"]))
    ordered = {column: values[order] for column, values in edges.items()}
    fresh = np.zeros(len(order), bool)
    fresh[:1] = True
    for column in ("source", "line", "column", "target", "kind"):
        fresh[1:] |= ordered[column][1:] != ordered[column][:-1]
    return {column: values[fresh] for column, values in ordered.items()}


def edges_by_name(
    symbols: Columns, sites: Mapping[str, NDArray[Any]], number: Mapping[str, int]
) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """Members read from something unknown -> POSSIBLE edges to the few members of that name, and which sites stay open.

    Calls may mean any method, other reads only properties. Names of the built-in types' own methods are left alone.
    """
    kind, name = symbols["kind"], symbols["name"]
    common = np.zeros(max(len(number), 1), bool)
    common[[number[one] for one in COMMON_MEMBERS if one in number]] = True
    reason = sites["reason"] == Unresolved.RECEIVER
    is_call = sites["is_call"] == 1
    edges: dict[str, list[NDArray[Any]]] = {column: [] for column in _EDGE_COLUMNS}
    still_open = (is_call | (sites["reason"] == Unresolved.MISSING)) & ~(reason & common[sites["name"]])
    for wanted, kinds in ((is_call, (SymbolKind.METHOD,)), (~is_call, (SymbolKind.PROPERTY,))):
        members = np.flatnonzero(np.isin(kind, kinds))
        order = members[np.argsort(name[members], kind="stable")]
        counts = np.bincount(name[order], minlength=len(number))
        first = np.concatenate([[0], np.cumsum(counts)])
        rows = np.flatnonzero(wanted & reason & ~common[sites["name"]])
        rows = rows[(counts[sites["name"][rows]] > 0) & (counts[sites["name"][rows]] <= MAX_CANDIDATES)]
        repeat = counts[sites["name"][rows]]
        at = np.repeat(rows, repeat)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
        target = order[first[sites["name"][at]] + offset]
        size = len(at)
        values = (sites["source"][at], target, np.full(size, EdgeKind.CALL if wanted is is_call else EdgeKind.ACCESS), np.full(size, Tier.POSSIBLE),
                  sites["line"][at], sites["column"][at], np.full(size, int(Step.ATTRIBUTE)))  # fmt: skip
        for column, value in zip(_EDGE_COLUMNS, values, strict=True):
            edges[column].append(value.astype(_EDGE_COLUMNS[column]))
    return {column: np.concatenate(values) for column, values in edges.items()}, still_open


_OPEN_RECEIVER = (Step.SELF, Step.DECLARED, Step.ARGUMENT, Step.ELEMENT, Step.RETURN)


def dispatch_edges(symbols: Columns, edges: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """A call of a method through a receiver that may be of a subclass -> edges to what overrides the method.

    LIKELY where there is one override and the method itself is abstract or of an interface, POSSIBLE else; a method with more
    than MAX_OVERRIDERS overrides is left to its OVERRIDE edges.
    """
    overriding = np.isin(edges["kind"], (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT)) & (symbols["kind"][edges["target"]] != SymbolKind.CLASS)
    overriding &= symbols["kind"][edges["target"]] != SymbolKind.INTERFACE
    low, high = edges["target"][overriding].astype(np.int64), edges["source"][overriding].astype(np.int64)
    pairs = np.unique(np.stack([low, high], 1), axis=0) if len(low) else np.empty((0, 2), np.int64)
    closure = pairs
    for _ in range(4):  # overrides of overrides
        if not len(closure) or len(closure) > 2_000_000:
            break
        order = np.argsort(pairs[:, 0], kind="stable")
        starts = np.searchsorted(pairs[order, 0], closure[:, 1], "left")
        counts = np.searchsorted(pairs[order, 0], closure[:, 1], "right") - starts
        at = np.repeat(np.arange(len(closure)), counts)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        more = np.stack([closure[at, 0], pairs[order[starts[at] + offset], 1]], 1)
        grown = np.unique(np.concatenate([closure, more]), axis=0)
        if len(grown) == len(closure):
            break
        closure = grown
    size = len(symbols["file"])
    counts = np.bincount(closure[:, 0], minlength=size) if len(closure) else np.zeros(size, np.int64)
    first = np.concatenate([[0], np.cumsum(counts)])
    chain = edges["chain"]
    steps = [(chain >> (4 * at)) & 15 for at in range(7)]
    may_vary = np.zeros(len(chain), bool)
    for step in steps:
        may_vary |= np.isin(step, _OPEN_RECEIVER)
    for step in steps:
        may_vary &= step != Step.SUPER
    may_vary &= np.isin(edges["kind"], (EdgeKind.CALL, EdgeKind.ACCESS))
    number = counts[edges["target"]]
    rows = np.flatnonzero(may_vary & (number > 0) & (number <= MAX_OVERRIDERS))
    repeat = number[rows]
    at = np.repeat(rows, repeat)
    offset = np.arange(len(at)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    target = closure[first[edges["target"][at]] + offset, 1] if len(at) else np.empty(0, np.int64)
    abstract = (symbols["flags"][edges["target"][at]] & 16) != 0
    parents = symbols["parent"][edges["target"][at]]
    abstract |= (parents >= 0) & (symbols["kind"][np.maximum(parents, 0)] == SymbolKind.INTERFACE)
    tier = np.where(abstract & (number[at] == 1), Tier.LIKELY, Tier.POSSIBLE)
    packed = chain[at]
    bits = np.zeros(len(at), np.int64)
    for place in range(7):
        bits = np.where((packed >> (4 * place)) & 15, 4 * (place + 1), bits)
    packed = np.where(bits < TIER_SHIFT, packed | (int(Step.DISPATCH) << np.minimum(bits, 24)), packed)
    values = (
        edges["source"][at],
        target,
        edges["kind"][at],
        np.maximum(tier, edges["tier"][at]),
        edges["line"][at],
        edges["column"][at],
        packed,
    )
    return {column: np.asarray(value).astype(_EDGE_COLUMNS[column]) for column, value in zip(_EDGE_COLUMNS, values, strict=True)}


def reverse_part(edges: Columns, size: int) -> dict[str, NDArray[Any]]:
    """Edge rows by target, in row order within one."""
    key = np.sort(edges["target"].astype(np.uint64) << np.uint64(32) | np.arange(len(edges["target"]), dtype=np.uint64))
    counts = np.bincount(edges["target"], minlength=size)
    return {"offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), "edge": (key & np.uint64(0xFFFFFFFF)).astype(np.int64)}


_CHUNKED = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)


def chunks_part(files: Columns, symbols: Columns) -> dict[str, NDArray[Any]]:
    """Files cut where a function, method or class begins that is not inside a function, and every CHUNK_LINES lines; skipped files have none."""
    count = len(files["kind"])
    kind, parent = symbols["kind"], symbols["parent"]
    outer = kind[np.maximum(parent, 0)]
    cut = np.isin(kind, _CHUNKED) & np.isin(outer, (SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.NAMESPACE))
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
