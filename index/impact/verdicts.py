"""Changed symbols and both graphs -> what becomes of every use: "missing argument `currency`", "imports `old_total`, removed here".

Two graphs: what the head removed, renamed or moved is looked up among the uses at the base that still stand in the head; what it
re-signed, among the uses at the head. Only a site that is PROVED, in a call we can read, may be called broken."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Node, Tree

from index.distinct import one_of
from index.files.paths import raw
from index.impact.calls import Call, Misfit, call_at, guard_of, misfits, node_at, shifted
from index.impact.comparison import Comparison, Sites
from index.impact.families import INHERITING, TYPES, above, bases_of, below, is_closed, member_in
from index.impact.nouns import (
    IN_TYPES_ALONE,
    MAY_LACK,
    MEANS_NOW,
    MUST_HAVE,
    PASSES_ON,
    TYPE_WAS,
    CallSite,
    ChangedSymbol,
    ChangeKind,
    Parameter,
    ParameterKind,
    Severity,
    Signature,
    SignatureChangeKind,
    Verdict,
)
from index.impact.shapes import expected_of, is_computed_from, is_exactly, keys_of, may_have_more, object_of, objects_for
from index.impact.signature import RULES, base_names, callers_view, is_required, record_signature, runs_alone, signature_in, views
from index.impact.syntax import FAMILIES, MAX_BYTES, can_be_parsed, grammar_of, is_binding, node_of_span, parse, text_of, walk
from index.resolver.common import OF_A_PAGE, WELL_KNOWN
from index.snapshot import Snapshot, steps_of
from index.types import EDGE_LABELS, EdgeKind, PathKind, Step, Symbol, SymbolKind, Tier, Unresolved

MAX_SITES: Final = 20_000  # uses read per changed symbol
MAX_PARSED: Final = 1_500  # files parsed to read the calls in them: about 10 s at the worst

MAX_BASES: Final = 10  # classes over one that are asked for their constructor
_WITHOUT_CONSTRUCTOR: Final = frozenset({"object", "Generic", "Protocol", "ABC"})

CALLED_ELSEWHERE: Final = "it is called elsewhere, with arguments we do not see"
MAX_RECEIVER: Final = 24  # characters of a receiver that are shown

# Decorators that leave what callers must pass as it is. Any other may replace the function, so a misfit is not proved.
_PLAIN: Final = """
    staticmethod classmethod property abstractmethod abc.abstractmethod cache lru_cache functools.cache functools.lru_cache
    override typing.override final typing.final contextmanager contextlib.contextmanager asynccontextmanager
    contextlib.asynccontextmanager deprecated warnings.deprecated typing_extensions.deprecated typing_extensions.override
    cached_property functools.cached_property
"""
PLAIN_DECORATORS: Final = frozenset(_PLAIN.split())
CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "constructor"})
IMPORT_KINDS: Final = frozenset({EdgeKind.IMPORT, EdgeKind.REEXPORT})
# A chain of these alone is read off the text: modules and the names in them, no types.
STATIC: Final = frozenset({Step.SCOPE, Step.IMPORT, Step.REEXPORT, Step.STAR, Step.ATTRIBUTE})
# Steps that hang on other functions and values: what they give may be another type in the head.
INFERRED: Final = frozenset({Step.RETURN, Step.ARGUMENT, Step.ELEMENT})
GONE: Final = (ChangeKind.REMOVED, ChangeKind.RENAMED, ChangeKind.MOVED, ChangeKind.REEXPORT)
# What a use of a changed symbol may notice, by kind of change; first row that the symbol has wins.
#   kind                    said of a use                         kinds of use that can't notice
RISKS: Final = (
    (ChangeKind.BASES, "`{name}` has other base classes", IMPORT_KINDS),
    (ChangeKind.SHAPE, "`{name}` has other members", IMPORT_KINDS),
    (ChangeKind.VALUE, "the value of `{name}` changed", IMPORT_KINDS | {EdgeKind.TYPE}),
    (ChangeKind.DECORATORS, "`{name}` is decorated differently", IMPORT_KINDS | {EdgeKind.TYPE}),
    (ChangeKind.BODY, "the body of `{name}` changed", IMPORT_KINDS | {EdgeKind.TYPE, EdgeKind.OVERRIDE}),
    (ChangeKind.OVERRIDES, "`{name}` is new there, instead of what was inherited", IMPORT_KINDS | {EdgeKind.TYPE, EdgeKind.OVERRIDE}),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """`verdicts` sorted: surest and worst first. `fits` counts the checked uses that still fit."""

    verdicts: tuple[Verdict, ...]
    fits: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Use:
    """One edge, with its place in the head."""

    source: Symbol
    kind: EdgeKind
    tier: Tier
    path: str
    line: int
    column: int
    chain: tuple[Step, ...]
    path_kind: PathKind


@dataclass(frozen=True, slots=True)
class _Finding:
    severity: Severity
    reason: str
    hedge: str = ""


_FITS: Final = _Finding(Severity.FITS, "still fits")


def verdicts(changed: Sequence[ChangedSymbol], comparison: Comparison) -> Judged:
    """Every changed symbol -> a verdict per use, in one list."""
    reader = _Reader(comparison)
    reader.doubt_of_types = _doubt_of_types(changed)
    head_sites = Sites(comparison.head)
    found: list[Verdict] = []
    told: dict[tuple[str, str], set[str]] = {}  # (path, name) of what is gone -> files that have a verdict on it
    fits = 0
    for row, one in enumerate(changed):
        for use, finding in _judge(one, comparison, head_sites, reader):
            if finding.severity is not Severity.FITS and _is_member_of_what_is_gone(one):
                if use.path in _told_of_owners(one, told) or _may_be_of_a_library(one, comparison):
                    continue
                finding = _Finding(Severity.MAY_BREAK, finding.reason, finding.hedge or "through a value made elsewhere")
            if finding.severity is Severity.FITS:
                fits += 1
                continue
            found.append(_verdict(row, one, use, finding, reader))
            if one.before is not None:
                told.setdefault((one.before.path, one.before.qualified), set()).add(use.path)
    found += _lost_names(changed, comparison, head_sites, reader, {(one.site.path, one.site.line, one.changed) for one in found})
    found.sort(key=_order)
    return Judged(tuple(found), fits, tuple(reader.notes))


def _doubt_of_types(changed: Sequence[ChangedSymbol]) -> str:
    """Does the change give values of other types than before, somewhere? Then what was inferred at the base need not hold in the head."""
    for one in changed:
        if one.path_kind is PathKind.TEST or one.before is None or one.after is None or one.inside:
            continue
        kinds = {change.kind for change in one.signature}
        declared = one.signature_after is not None and one.signature_after.returns
        if kinds & {SignatureChangeKind.RETURN, SignatureChangeKind.DECORATORS} or (ChangeKind.BODY in one.kinds and not declared):
            return f"`{named(one.after)}` changed too, and may give another type"
    return ""


def _is_member_of_what_is_gone(one: ChangedSymbol) -> bool:
    """Gone only because its class is: whoever names the class is told of the class, and a value of it is another one from now on."""
    return one.inside and one.before is not None and "." in one.before.qualified and any(kind in one.kinds for kind in GONE)


def _may_be_of_a_library(one: ChangedSymbol, comparison: Comparison) -> bool:
    """A field of a class that is gone, where a base of that class is not in this repository: the class may only have set what the base
    has, and values are of the base from now on."""
    base = comparison.base
    if one.before is None or one.before.kind != SymbolKind.FIELD:
        return False
    owner = int(base.parts["symbols"]["parent"][one.before.id])
    source, grammar = comparison.before.get(raw(one.before.path)), grammar_of(one.before.path)
    if owner < 0 or source is None or grammar is None:
        return False
    columns = base.parts["symbols"]
    node = node_of_span(parse(grammar, source), source, int(columns["start_byte"][owner]), int(columns["end_byte"][owner]))
    named_bases = [name for name in base_names(node) if name.split("[")[0].rpartition(".")[2] not in _WITHOUT_CONSTRUCTOR]
    return len(named_bases) > len(bases_of(base, owner))


def _told_of_owners(one: ChangedSymbol, told: Mapping[tuple[str, str], Set[str]]) -> Set[str]:
    assert one.before is not None
    parts = one.before.qualified.split(".")
    owners = (".".join(parts[:depth]) for depth in range(1, len(parts)))
    return {path for owner in owners for path in told.get((one.before.path, owner), ())}


def _order(one: Verdict) -> tuple[object, ...]:
    site = one.site
    return (
        one.severity,
        site.path_kind != PathKind.SOURCE,
        site.tier,
        site.path,
        site.line,
        site.column,
        one.changed,
        site.kind,
        one.reason,
    )


def _judge(one: ChangedSymbol, comparison: Comparison, sites: Sites, reader: _Reader) -> Iterator[tuple[_Use, _Finding]]:
    if one.before is not None and any(kind in one.kinds for kind in GONE):
        yield from _judge_gone(one, one.before, comparison, sites, reader)
    if ChangeKind.ADDED in one.kinds and one.after is not None:
        yield from _judge_new_duty(one, one.after, comparison.head, reader)
    if one.after is None or one.kinds == (ChangeKind.ADDED,):
        return
    seen: set[tuple[str, int, int]] = set()
    through_bases = _calls_of_bases(one.after, comparison.head) if one.signature else ()
    for use in (*_uses_at_head(one.after, comparison.head, reader), *through_bases):
        if (use.path, use.line, use.column) in seen:
            continue
        seen.add((use.path, use.line, use.column))
        finding = _judge_use(one, one.after, use, reader)
        if finding is not None:
            yield use, finding
    yield from _judge_objects(one, one.after, sites, reader)


# ── what is gone ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _judge_gone(
    one: ChangedSymbol, before: Symbol, comparison: Comparison, sites: Sites, reader: _Reader
) -> Iterator[tuple[_Use, _Finding]]:
    """The uses at the base of a name that the head no longer has, if they still stand there and lead nowhere."""
    owner = _owner_at_head(before, comparison)
    standing: list[tuple[_Use, bool]] = []
    mended: set[str] = set()  # files whose import of the name was changed or leads somewhere again
    lost: set[str] = set()  # files that still import the name in vain
    for use in _uses(before, comparison.base, reader):
        place = comparison.in_head(use.path, use.line)
        if place is None:
            if use.kind in IMPORT_KINDS:
                mended.add(comparison.head_path.get(use.path, use.path) or "")
            continue
        path, line = place
        if path not in comparison.head.file_of_path:
            continue
        rows = sites.edges(path, line, use.column)
        if use.tier is Tier.PROVED and owner is not None:  # another method of that name, found by its name alone
            rows = rows[comparison.head.parts["edges"]["tier"][rows] != Tier.POSSIBLE]
        edge_kinds = comparison.head.parts["edges"]["kind"][rows]
        resolved = bool(len(rows)) and (use.kind in IMPORT_KINDS or not one_of(edge_kinds, IMPORT_KINDS).all())
        if use.kind in IMPORT_KINDS:
            (mended if resolved else lost).add(path)
        if resolved and one.after is None and before.name in CONSTRUCTORS and use.kind is EdgeKind.CALL:
            yield from _made_without(one, before, replace(use, path=path, line=line), comparison, reader)
            continue
        if resolved:
            yield from _now_elsewhere(one, use, path, line, rows, comparison)
            continue
        unresolved = len(sites.open(path, line, use.column)) > 0
        moved = _Use(
            _source_at(comparison.head, path, line, use.source), use.kind, use.tier, path, line, use.column, use.chain, use.path_kind
        )
        standing.append((moved, unresolved))
    for use, unresolved in standing:
        if use.path in mended - lost:
            continue
        what = f"{_verb(use)} `{named(before)}`, {_gone_words(one)}"
        if use.kind in (EdgeKind.OVERRIDE, EdgeKind.IMPLEMENT):
            yield use, _unneeded(use, what, reader)
            continue
        static = set(use.chain) <= STATIC and use.path not in comparison.line_maps
        unbound = set(use.chain) == {Step.SCOPE} and not reader.binds(use.path, before.name)
        certain = unresolved or static or unbound or use.path in lost or use.kind in IMPORT_KINDS
        doubt = "" if certain else "what it means in the head could not be found"
        if owner is not None:
            doubt = _doubt_of_member(before, owner, use, comparison, reader)
        elif use.kind not in IMPORT_KINDS and _is_there_anyway(before.name, use):
            doubt = f"`{before.name}` is there without it too, as something else"
        yield use, _weighed(use, what, reader, doubt or _supplied_on_demand(before, use, comparison.head, reader))


def _is_there_anyway(name: str, use: _Use) -> bool:
    """Is a name that stands alone one of the language, or of a page, where nothing of the project hides it?"""
    named_alone = not set(use.chain) & {Step.ATTRIBUTE, Step.SELF, Step.SUPER}
    return named_alone and name in (dir(builtins) if grammar_of(use.path) == "python" else WELL_KNOWN | OF_A_PAGE)


def _unneeded(use: _Use, what: str, reader: _Reader) -> _Finding:
    """A member that has nothing to override any more: an error where `override` is written, else only calls through the base miss it."""
    if grammar_of(use.path) != "python" and re.search(r"\boverride\b", reader.line(use.path, use.line)):
        return _weighed(use, what, reader)
    return _Finding(Severity.MAY_BREAK, what, "calls through the base no longer reach it")


def _owner_at_head(before: Symbol, comparison: Comparison) -> int | None:
    """The class that lost a member and is still there, as a row of the head; None for anything else."""
    name = before.qualified.rpartition(".")[0]
    parent = int(comparison.base.parts["symbols"]["parent"][before.id])
    if not name or comparison.base.parts["symbols"]["kind"][parent] not in TYPES:
        return None
    return comparison.head.find(comparison.head_path.get(before.path, before.path) or "", name)


def _doubt_of_member(before: Symbol, owner: int, use: _Use, comparison: Comparison, reader: _Reader) -> str:
    """Why a use of a member that its class lost may still find one; "" where nothing can supply it.

    Where the receiver was proved to be of the class, and the head knows of no edge from there, the member is missing, if nothing over the
    class has it and nothing that the change did makes the receiver another one."""
    head = comparison.head
    name = before.name
    family = above(head, owner)
    for answering in ("__getattr__", "__getattribute__"):
        if grammar_of(use.path) == "python" and (found := member_in(head, family, answering)) is not None:
            return f"`{found.qualified}` may supply it"
    node = reader.node(head.symbol(owner))
    if node is not None and (more := may_have_more(node)):
        return f"`{head.qualified(owner)}` {more}"
    if not is_closed(head, owner, reader.bases, name):
        return f"a base of `{head.qualified(owner)}` is not in this repository"
    if Step.SELF in use.chain and (found := member_in(head, below(head, owner)[1:], name)) is not None:
        return f"`{found.qualified}` may be what is called"
    return reader.doubt_of_types if set(use.chain) & INFERRED else ""


def _made_without(
    one: ChangedSymbol, before: Symbol, use: _Use, comparison: Comparison, reader: _Reader
) -> Iterator[tuple[_Use, _Finding]]:
    """A call of a class that lost its constructor: what is inherited instead decides, where that can be read."""
    head = comparison.head
    owner = before.qualified.rpartition(".")[0]
    row = head.find(comparison.head_path.get(before.path, before.path) or "", owner)
    signature = reader.constructor(head.symbol(row)) if row is not None else None
    there = replace(use, source=_source_at(head, use.path, use.line, use.source))
    gone = f"`{before.name}` is gone"
    if signature is None:
        if use.path not in comparison.line_maps:
            yield there, _Finding(Severity.MAY_BREAK, f"calls `{owner}`: {gone}", "what is inherited instead could not be read")
        return
    finding = _judge_making(before, there, signature, gone, reader)
    if finding.severity is not Severity.FITS:
        yield there, finding


def _supplied_on_demand(before: Symbol, use: _Use, head: Snapshot, reader: _Reader) -> str:
    """A doubt where a module that the name is asked of makes names when they are asked for (PEP 562): the one that had it, for who asks
    from outside; one that passed it on, for who asks there."""
    from_outside = bool(set(use.chain) - {Step.SCOPE})
    passed_on = bool(set(use.chain) & {Step.REEXPORT, Step.STAR})
    if before.qualified.count(".") or not from_outside:
        return ""
    columns = head.parts["symbols"]
    for row in head.symbols_named("__getattr__").tolist():
        top = columns["kind"][columns["parent"][row]] == SymbolKind.MODULE
        path = head.path(int(columns["file"][row]))
        over = path.rsplit("/", 1)[0] in (before.path.rsplit("/", 1)[0], *_folders(before.path)) and path.endswith("__init__.py")
        if top and (path == before.path or (over and passed_on)) and _may_answer(reader.node(head.symbol(row)), before.name):
            return f"`__getattr__` of `{path}` may supply it"
    return ""


def _may_answer(function: Node | None, name: str) -> bool:
    """Does a module's `__getattr__` write the name, or look names up in something?"""
    text = "" if function is None else text_of(function.child_by_field_name("body") or function)
    return function is None or re.search(rf"\b{re.escape(name)}\b", text) is not None or _LOOKS_UP.search(text) is not None


_LOOKS_UP: Final = re.compile(r"\bgetattr\(|import_module|globals\(|__import__|\[\s*\w+\s*\]|\.get\(|\bin [a-z_]\w*|\bin _*[A-Z]\w*")


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _now_elsewhere(
    one: ChangedSymbol, use: _Use, path: str, line: int, rows: NDArray[np.int64], comparison: Comparison
) -> Iterator[tuple[_Use, _Finding]]:
    """The same words reach another definition now, in a file that the change does not touch: an inherited method, a hidden name."""
    if path in comparison.line_maps or use.kind in IMPORT_KINDS:
        return
    targets = comparison.head.parts["edges"]["target"][rows]
    gone = one.before or one.symbol
    symbols = [comparison.head.symbol(int(target)) for target in targets if one.after is None or target != one.after.id]
    others = sorted({f"{to.path}::{to.qualified}" if to.qualified == gone.qualified else named(to) for to in symbols})
    if others and (one.after is None or one.after.id not in targets):
        source = _source_at(comparison.head, path, line, use.source)
        there = replace(use, source=source, path=path, line=line)
        yield there, _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{named(gone)}`, {_gone_words(one)}: it now reaches `{others[0]}`")


def _gone_words(one: ChangedSymbol) -> str:
    if ChangeKind.REEXPORT in one.kinds and one.details and PASSES_ON in one.details[0]:
        return f"no longer passed on by {one.details[0].partition(f' {PASSES_ON}')[0]}"
    if ChangeKind.REEXPORT in one.kinds and (said := next((text for text in one.details if "export" in text), "")):
        return f"which {said}"
    if ChangeKind.REEXPORT in one.kinds:
        return "no longer passed on by the module it is imported from"
    if one.after is None:
        return "removed here"
    if ChangeKind.RENAMED in one.kinds:
        return f"renamed to `{one.after.qualified}` here"
    where = f"`{one.after.path}`" if one.before is not None and one.before.path != one.after.path else f"`{one.after.qualified}`"
    return f"moved to {where} here"


def _source_at(head: Snapshot, path: str, line: int, fallback: Symbol) -> Symbol:
    file = head.file_of_path.get(path)
    return fallback if file is None else head.symbol(head.symbol_at(file, line))


def _lost_names(
    changed: Sequence[ChangedSymbol], comparison: Comparison, sites: Sites, reader: _Reader, known: set[tuple[str, int, int]]
) -> Iterator[Verdict]:
    """Names that the head can't find, on lines that the change itself wrote: `from billing import old_total`, added beside its removal."""
    by_name: dict[str, list[int]] = {}
    for row, one in enumerate(changed):
        if one.before is not None and any(kind in one.kinds for kind in GONE):
            by_name.setdefault(one.before.name, []).append(row)
    if not by_name:
        return
    for path in sorted(comparison.line_maps):
        for row in sites.open_in(path).tolist():
            site = comparison.head.open_site(row)
            candidates = by_name.get(site.name, [])
            if (
                not candidates
                or site.reason not in (Unresolved.MISSING, Unresolved.NAME)
                or comparison.in_base(path, site.line) is not None
            ):
                continue
            at = candidates[0]
            if (path, site.line, at) in known:
                continue
            one = changed[at]
            file = comparison.head.file_of_path[path]
            missing = site.reason is Unresolved.MISSING
            kind = EdgeKind.IMPORT if missing else EdgeKind.CALL
            use = _Use(
                site.source,
                kind,
                Tier.PROVED if missing and len(candidates) == 1 else Tier.LIKELY,
                path,
                site.line,
                site.column,
                (),
                comparison.head.path_kind(file),
            )
            finding = _weighed(use, f"{'imports' if missing else 'uses'} `{site.name}`, {_gone_words(one)}", reader)
            yield _verdict(at, one, use, finding, reader)


# ── what is new ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _judge_new_duty(one: ChangedSymbol, after: Symbol, head: Snapshot, reader: _Reader) -> Iterator[tuple[_Use, _Finding]]:
    """A new abstract method: subclasses that lack it can't be made any more."""
    abstract = one.signature_after is not None and any(name.endswith("abstractmethod") for name in one.signature_after.decorators)
    parent = int(head.parts["symbols"]["parent"][after.id])
    if not abstract or parent < 0 or one.inside:
        return
    for use in _uses(head.symbol(parent), head, reader):
        if use.kind is EdgeKind.INHERIT and head.find(use.path, f"{use.source.qualified}.{after.name}") is None:
            reason = f"inherits from `{head.qualified(parent)}` without its new abstract `{after.name}`"
            yield use, _Finding(Severity.MAY_BREAK, reason, "if it is made anywhere, or a subclass of it does not define it either")


# ── what is still there ──────────────────────────────────────────────────────────────────────────────────────────────


def _judge_use(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding | None:
    """One use at the head of a symbol that is still there; None where the use can't notice what changed."""
    if ChangeKind.ADDED in one.kinds and after.name in CONSTRUCTORS and use.kind is EdgeKind.CALL and one.signature_after is not None:
        finding = _judge_making(after, use, one.signature_after, f"`{after.name}` is new", reader)
        if finding.severity is not Severity.FITS:
            return finding
    if one.members is not None and not _names_the_whole(one, use, reader):
        return _judge_class(one, after, use, reader) if use.kind in INHERITING else _FITS
    if one.kinds == (ChangeKind.SHAPE,) and (one.details == (MUST_HAVE,) or (one.details == (MAY_LACK,) and use.kind is EdgeKind.WRITE)):
        return _FITS  # who reads what must be there is better off; who writes objects without it is told of the type
    breaking = any(change.breaking for change in one.signature)
    checked = False
    if one.signature and use.kind not in IMPORT_KINDS:
        finding = (
            _SIGNATURE_JUDGES.get(use.kind, _judge_other)(one, after, use, reader) if breaking or use.kind is EdgeKind.OVERRIDE else _FITS
        )
        if finding.severity is not Severity.FITS:
            return finding
        checked = True
    of_types = use.kind in INHERITING and use.source.kind == SymbolKind.INTERFACE  # `interface Box extends Shape`, also a value's name
    for kind, words, blind in RISKS:
        if kind in one.kinds and use.kind not in blind and not (of_types and kind is ChangeKind.VALUE):
            if kind is ChangeKind.BASES and any(detail.endswith(IN_TYPES_ALONE) for detail in one.details):
                continue
            if kind is ChangeKind.VALUE and one.details and one.details[0].startswith(TYPE_WAS) and reader.is_set_in_a_function(after):
                continue  # of Python: an annotation there says something to checkers alone
            if kind in (ChangeKind.VALUE, ChangeKind.SHAPE) and one.details and one.details[0].startswith(TYPE_WAS):
                words = "the type of `{name}` changed"
            if kind is ChangeKind.SHAPE and after.kind == SymbolKind.TYPE and one.members is None:
                words = "`{name}` is another type"
            if kind is ChangeKind.SHAPE and one.details == (MAY_LACK,):
                words = f"`{{name}}` {MAY_LACK}"
            if kind is ChangeKind.BODY and one.details and one.details[0].endswith(MEANS_NOW):
                return _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{named(one.symbol)}`, where {one.details[0]}")
            return _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{named(one.symbol)}`: {words.format(name=_short_name(after))}")
    return _FITS if checked else None


def _names_the_whole(one: ChangedSymbol, use: _Use, reader: _Reader) -> bool:
    """Is it a use that notices any change of a type's members? Most hand values on, and who reads a member has a use of the member."""
    if use.kind in INHERITING:
        return False
    node = reader.at(use.path, use.line, use.column)
    return use.kind is not EdgeKind.TYPE or node is None or is_computed_from(node)


def _judge_class(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding:
    """A class or a type below a type whose members changed: a class must have what is required now, and what it declares itself must
    agree with what the type says of it."""
    assert one.members is not None
    head = reader.comparison.head
    family = above(head, use.source.id)
    verb = f"{_verb(use)} `{named(after)}`"
    if use.source.kind == SymbolKind.CLASS and use.kind is EdgeKind.IMPLEMENT:
        classes = [row for row in family if head.parts["symbols"]["kind"][row] == SymbolKind.CLASS]
        twins = [twin for row in classes for twin in _merged_with(head, row)]
        having = [*classes, *(row for twin in twins for row in above(head, twin))]
        missing = [name for name in one.members.required if member_in(head, having, name) is None]
        if missing:
            closed = all(is_closed(head, row, reader.bases, name) for row in (use.source.id, *twins) for name in missing)
            doubt = "" if closed else f"a base of `{use.source.qualified}` is not in this repository"
            return _weighed(use, f"{verb} without {_quoted(missing)}, which it must have now", reader, doubt)
    base, before = reader.comparison.base, one.before
    known = [name for name in (*one.members.required, *one.members.others) if before is not None and member_in(base, [before.id], name)]
    own = [name for name in known if member_in(head, [after.id], name) and member_in(head, [use.source.id], name)]
    if own:
        return _Finding(Severity.MAY_BREAK, f"{verb} and has {_quoted(own)} of its own, which changed there")
    return _FITS


def _merged_with(head: Snapshot, row: int) -> list[int]:
    """A class -> the interfaces of its name beside it, whose members and bases it has too."""
    columns = head.parts["symbols"]
    alike = (columns["name"] == columns["name"][row]) & (columns["parent"] == columns["parent"][row])
    return np.flatnonzero(alike & (columns["kind"] == SymbolKind.INTERFACE)).tolist()


def _judge_objects(one: ChangedSymbol, after: Symbol, sites: Sites, reader: _Reader) -> Iterator[tuple[_Use, _Finding]]:
    """Objects written for a type that demands more members than before: those that stand where the type is named, and those of which we
    know that they write another member of it."""
    if one.members is None or not one.members.required:
        return
    seen: set[tuple[str, int]] = set()
    for use, written, exact in _objects_of(after, sites, reader):
        if (use.path, written.start_byte) in seen:
            continue
        seen.add((use.path, written.start_byte))
        names, open_ended = keys_of(written)
        missing = [name for name in one.members.required if name not in names]
        if not missing:
            continue
        line, column = written.start_point.row + 1, written.start_point.column + 1
        there = replace(use, kind=EdgeKind.WRITE, line=line, column=column, source=_source_at(sites.snapshot, use.path, line, use.source))
        doubt = "what it spreads may have it" if open_ended else "" if exact else "if the whole of it is needed there"
        yield there, _weighed(there, f"makes a `{named(after)}` without {_quoted(missing)}, which it must have now", reader, doubt)


def _objects_of(after: Symbol, sites: Sites, reader: _Reader) -> Iterator[tuple[_Use, Node, bool]]:
    """A type of the head -> objects of it, each with a use and whether it certainly must be the whole type."""
    head = sites.snapshot
    names = frozenset(head.symbol(row).name for row in below(head, after.id))
    for use in _uses(after, head, reader):
        node = reader.at(use.path, use.line, use.column) if use.kind is EdgeKind.TYPE else None
        for written in objects_for(node) if node is not None else ():
            yield use, written, True
    for row in np.flatnonzero(head.parts["symbols"]["parent"] == after.id).tolist():
        for use in _uses(head.symbol(row), head, reader):
            node = reader.at(use.path, use.line, use.column) if use.kind is EdgeKind.WRITE else None
            written_there = object_of(node) if node is not None else None
            exact = None if written_there is None else _is_whole(use, written_there, names, sites, reader)
            if written_there is not None and exact is not None:
                yield use, written_there, exact


def _is_whole(use: _Use, written: Node, names: Set[str], sites: Sites, reader: _Reader) -> bool | None:
    """Must an object be one of the named types, with all that these demand? None where it certainly need not."""
    expected = expected_of(written)
    if expected is None:
        return False
    annotation = expected.annotation
    if expected.callee is not None:
        place = expected.callee.start_point
        rows = sites.edges(use.path, place.row + 1, place.column + 1)
        columns = sites.snapshot.parts["edges"]
        rows = rows[(columns["kind"][rows] == EdgeKind.CALL) & (columns["tier"][rows] == Tier.PROVED)]
        signature = reader.signature(sites.snapshot.symbol(int(columns["target"][rows[0]]))) if len(rows) == 1 else None
        if signature is None or signature.overloads or expected.at >= len(signature.parameters):
            return False
        parameter = signature.parameters[expected.at]
        annotation = "" if parameter.kind is ParameterKind.REST else parameter.annotation
    return is_exactly(annotation, names, expected.lists)


def _judge_making(constructor: Symbol, use: _Use, signature: Signature, why: str, reader: _Reader) -> _Finding:
    """A call of a class whose constructor is not the one it had."""
    call = reader.call(use.path, use.line, use.column, constructor.name)
    if call is None or call.opaque or (call.receiver == "super()" or call.receiver.startswith("super")):
        return _FITS
    rules = RULES[signature.family]
    wrong = _least_wrong(call, signature, True)
    if not wrong:
        return _FITS
    said = f"calls `{_written(call)}`: {'; '.join(dict.fromkeys(misfit.reason for misfit in wrong))}; {why}"
    doubt = "" if wrong[0].certain else f"the call passes `{'*args' if call.star else '**kwargs'}`"
    if not rules.strict:
        return _Finding(Severity.MAY_BREAK, said, doubt or rules.fault)
    return _weighed(use, said, reader, doubt or _decorator_doubt(signature), "call")


def _judge_call(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding:
    before, signature = one.signature_before, one.signature_after
    call = reader.call(use.path, use.line, use.column, after.name)
    if before is None or signature is None:
        return _FITS
    if call is None:  # `xs.map(price)`: the resolver knows that map calls what it is given
        return _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{after.qualified}`: {_why(one)}", CALLED_ELSEWHERE)
    if call.opaque:
        return _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{after.qualified}`: {_why(one)}", "the call could not be read")
    rules = RULES[signature.family]
    bound, doubt = _bound(call, after, signature)
    was, now = callers_view(before, bound), callers_view(signature, bound)
    wrong_before = _least_wrong(call, before, bound)
    if use.tier is not Tier.PROVED and any(misfit.certain for misfit in wrong_before):
        return _FITS  # it never fitted: another method of that name is called there
    known = {misfit.reason for misfit in wrong_before}  # what did not fit before is not of this change
    wrong = [misfit for misfit in _least_wrong(call, signature, bound) if misfit.reason not in known]
    what = f"calls `{_written(call)}`"
    if call.name not in (after.name, *after.qualified.split(".")):
        what = f"{what}, which may be `{named(after)}`" if use.tier is Tier.POSSIBLE else f"{what}, that is `{named(after)}`"
    if wrong:
        said = "; ".join(dict.fromkeys(misfit.reason for misfit in wrong))
        if not wrong[0].certain:
            doubt = doubt or f"the call passes `{'*args' if call.star else '**kwargs'}`"
        if any(misfit.certain for misfit in wrong_before):
            doubt = doubt or "it did not fit before either"
        if not rules.strict:
            return _Finding(Severity.MAY_BREAK, f"{what}: {said}", doubt or rules.fault)
        return _weighed(use, f"{what}: {said}", reader, doubt or _decorator_doubt(signature), "call")
    if runs_alone(signature) and _only_checkers_refuse(call, before, signature, bound):
        return _Finding(Severity.MAY_BREAK, f"{what}: none of its overloads takes this call any more", "only type checkers refuse it")
    moved = shifted(call, was, now) if len(views(before)) == len(views(signature)) == 1 else []
    if moved:
        return _Finding(Severity.MAY_BREAK, f"{what}: {'; '.join(moved)}")
    return _judge_await(one, call, use, what, reader, signature)


def _only_checkers_refuse(call: Call, before: Signature, after: Signature, bound: bool) -> bool:
    """Did an overload take the call, as far as its shape goes, and does none of those that are left?"""
    if not before.overloads or not after.overloads:
        return False
    taken = [any(not misfits(call, callers_view(one, bound), RULES[one.family]) for one in side.overloads) for side in (before, after)]
    return taken[0] and not taken[1]


def _least_wrong(call: Call, signature: Signature, bound: bool) -> list[Misfit]:
    """What does not fit the overload that fits best."""
    every = [misfits(call, callers_view(one, bound), RULES[one.family]) for one in views(signature)]
    return min(every, key=len)


def _judge_await(one: ChangedSymbol, call: Call, use: _Use, what: str, reader: _Reader, signature: Signature) -> _Finding:
    kinds = {change.kind for change in one.signature}
    if SignatureChangeKind.ASYNC in kinds:
        if signature.is_async and not call.awaited:
            doubt = "it may be awaited elsewhere" if call.used_as_argument else _decorator_doubt(signature)
            return _weighed(use, f"{what} without await: it is now async", reader, doubt, "call")
        if not signature.is_async and call.awaited:
            return _Finding(Severity.MAY_BREAK, f"{what} with await: it is no longer async", "it may return an awaitable")
    for kind in (SignatureChangeKind.GENERATOR, SignatureChangeKind.DECORATORS, SignatureChangeKind.STATIC):
        if kind in kinds:
            why = next(change.why for change in one.signature if change.kind is kind)
            return _Finding(Severity.MAY_BREAK, f"{what}: {why}")
    return _FITS


def _judge_decorate(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding:
    return _judge_call(one, after, use, reader)


def _judge_override(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding:
    """An override must take what callers of the base method pass."""
    base = one.signature_after
    override = reader.signature(use.source)
    if base is None or override is None:
        return _Finding(Severity.MAY_BREAK, f"overrides `{after.qualified}`: {_why(one)}", "the override could not be read")
    places = [one.name for one in override.parameters if one.kind is not ParameterKind.KEYWORD_ONLY]
    takes = {parameter.kind for parameter in override.parameters}
    names = {parameter.name for parameter in override.parameters}
    fresh = {
        change.name for change in one.signature if change.kind in (SignatureChangeKind.ADDED_REQUIRED, SignatureChangeKind.ADDED_OPTIONAL)
    }
    missing = [
        parameter.name
        for parameter in base.parameters
        if parameter.name in fresh
        and parameter.name not in names
        and not takes & {ParameterKind.STAR, ParameterKind.STAR_STAR, ParameterKind.REST}
        and not (not RULES[base.family].keywords and len(places) >= len(base.parameters))
    ]
    if missing and RULES[base.family].keywords:
        return _Finding(
            Severity.MAY_BREAK, f"overrides `{after.qualified}` without {_quoted(missing)}", "only calls through the base class pass it"
        )
    gone = {change.name for change in one.signature if change.kind is SignatureChangeKind.REMOVED}
    demanded = [parameter.name for parameter in override.parameters if parameter.name in gone and is_required(parameter)]
    if demanded:
        return _Finding(Severity.MAY_BREAK, f"overrides `{after.qualified}` and requires {_quoted(demanded)}, which callers no longer pass")
    if SignatureChangeKind.ASYNC in {change.kind for change in one.signature} and override.is_async != base.is_async:
        return _Finding(Severity.MAY_BREAK, f"overrides `{after.qualified}`, which {'is now' if base.is_async else 'is no longer'} async")
    return _FITS


def _judge_other(one: ChangedSymbol, after: Symbol, use: _Use, reader: _Reader) -> _Finding:
    if use.kind in (EdgeKind.TYPE, EdgeKind.INHERIT, EdgeKind.IMPLEMENT):
        return _FITS
    if one.signature_before and one.signature_after and _is_property(one.signature_before) != _is_property(one.signature_after):
        was = "was a property" if _is_property(one.signature_before) else "is now a property"
        return _Finding(Severity.MAY_BREAK, f"reads `{after.qualified}`, which {was}")
    return _Finding(Severity.MAY_BREAK, f"{_verb(use)} `{after.qualified}`: {_why(one)}", CALLED_ELSEWHERE)


_SIGNATURE_JUDGES: Final = {EdgeKind.CALL: _judge_call, EdgeKind.DECORATE: _judge_decorate, EdgeKind.OVERRIDE: _judge_override}


def _bound(call: Call, after: Symbol, signature: Signature) -> tuple[bool, str]:
    """Does the receiver fill the first parameter? And a doubt, where we can't tell."""
    if after.kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY) or not RULES[signature.family].receiver:
        return False, ""
    owner = after.qualified.split(".")[-2] if "." in after.qualified else ""
    if after.name in CONSTRUCTORS and call.name != after.name:
        return True, ""
    if "classmethod" in signature.decorators or signature.is_static:
        return True, ""
    if not call.receiver:
        return True, "it is called without a receiver"
    if call.receiver.split(".")[-1] == owner:
        return False, ""
    return True, "the receiver may be the class itself" if call.receiver == "cls" else ""


def _decorator_doubt(signature: Signature) -> str:
    unknown = [
        name
        for name in signature.decorators
        if name.split("(")[0].strip() not in PLAIN_DECORATORS and not name.endswith((".setter", ".getter"))
    ]
    return f"`@{unknown[0].split('(')[0]}` may change what is passed" if unknown else ""


def _weighed(use: _Use, reason: str, reader: _Reader, doubt: str = "", fault: str = "") -> _Finding:
    """WILL_BREAK where nothing speaks against it. `fault`: a key of `calls.FAULTS`; by default that of a name that is gone."""
    if use.tier is not Tier.PROVED:
        doubt = doubt or f"{use.tier.label}, not proved"
    if use.kind is EdgeKind.TYPE and grammar_of(use.path) == "python":
        doubt = doubt or "only named in an annotation"
    fault = fault or ("import" if use.kind in IMPORT_KINDS else "name")
    doubt = doubt or reader.guard(use.path, use.line, use.column, fault)
    return _Finding(Severity.MAY_BREAK if doubt else Severity.WILL_BREAK, reason, doubt)


def _why(one: ChangedSymbol) -> str:
    breaking = [change.why for change in one.signature if change.breaking] or [change.why for change in one.signature]
    return "; ".join(breaking[:2])


def named(symbol: Symbol) -> str:
    """What people call it: `Cart.total`; the path for a module."""
    return symbol.path if symbol.kind == SymbolKind.MODULE else symbol.qualified


def _short_name(symbol: Symbol) -> str:
    return symbol.path if symbol.kind == SymbolKind.MODULE else symbol.name


def _is_property(signature: Signature) -> bool:
    return any(name.split("(")[0].rpartition(".")[2] in ("property", "cached_property") for name in signature.decorators)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _verb(use: _Use) -> str:
    return EDGE_LABELS[use.kind]


def _written(call: Call) -> str:
    """What is called, as written, where that is short."""
    return f"{call.receiver}.{call.name}" if 0 < len(call.receiver) <= MAX_RECEIVER else call.name


# ── edges to uses ────────────────────────────────────────────────────────────────────────────────────────────────────


def _uses(symbol: Symbol, snapshot: Snapshot, reader: _Reader) -> Iterator[_Use]:
    rows = snapshot.edges_to(symbol.id)
    if len(rows) > MAX_SITES:
        reader.note(f"`{symbol.qualified}` has {len(rows):,} uses; the first {MAX_SITES:,} were checked")
        rows = np.sort(rows)[:MAX_SITES]
    for row in rows.tolist():
        yield _use(snapshot, row)


def _uses_at_head(after: Symbol, head: Snapshot, reader: _Reader) -> Iterator[_Use]:
    """A constructor is called by calling its class."""
    yield from _uses(after, head, reader)
    parent = int(head.parts["symbols"]["parent"][after.id])
    if after.name in CONSTRUCTORS and parent >= 0:
        for use in _uses(head.symbol(parent), head, reader):
            if use.kind is EdgeKind.CALL:
                yield use


def _calls_of_bases(after: Symbol, head: Snapshot) -> Iterator[_Use]:
    """Calls of what the method overrides that may run it, where too many others override that too for an edge to each."""
    _, positions = head.open_calls.of(np.array([after.id]))
    for row in head.reverse["edge"][positions[:MAX_SITES]].tolist():
        yield replace(_use(head, row), tier=Tier.POSSIBLE)


def _use(snapshot: Snapshot, row: int) -> _Use:
    columns = snapshot.parts["edges"]
    source = snapshot.symbol(int(columns["source"][row]))
    file = int(snapshot.parts["symbols"]["file"][source.id])
    return _Use(
        source,
        EdgeKind(int(columns["kind"][row])),
        Tier(int(columns["tier"][row])),
        source.path,
        int(columns["line"][row]),
        int(columns["column"][row]),
        steps_of(int(columns["chain"][row])),
        snapshot.path_kind(file),
    )


def _verdict(row: int, one: ChangedSymbol, use: _Use, finding: _Finding, reader: _Reader) -> Verdict:
    words = "\0".join((one.key, use.path, use.source.qualified, finding.reason))
    return Verdict(
        id=blake2b(words.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest(),
        changed=row,
        site=CallSite(
            path=use.path,
            line=use.line,
            column=use.column,
            source=use.source,
            target=named(one.before or one.symbol),
            kind=use.kind,
            tier=use.tier,
            chain=use.chain,
            text=reader.line(use.path, use.line),
            path_kind=use.path_kind,
        ),
        severity=finding.severity,
        reason=finding.reason,
        hedge=finding.hedge,
    )


class _Reader:
    """Files of the head, read and parsed when first asked for."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.notes: list[str] = []
        self.doubt_of_types = ""
        self._sources: dict[str, bytes | None] = {}
        self._trees: dict[str, Tree | None] = {}
        self._lines: dict[str, list[bytes]] = {}

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def source(self, path: str) -> bytes | None:
        if path not in self._sources:
            self._sources[path] = self.comparison.read(path)
        return self._sources[path]

    def line(self, path: str, line: int) -> str:
        lines = self._lines.get(path)
        if lines is None:
            source = self.source(path)
            lines = self._lines[path] = source.split(b"\n") if source is not None else []
        return lines[line - 1].decode("utf-8", "replace").strip()[:200] if 0 < line <= len(lines) else ""

    def tree(self, path: str) -> Tree | None:
        if path not in self._trees:
            grammar, source = grammar_of(path), self.source(path)
            if len(self._trees) >= MAX_PARSED:
                self.note(f"calls in more than {MAX_PARSED:,} files: those in the rest could not be checked")
                return None
            self._trees[path] = self._parsed(path, grammar, source) if grammar is not None and source is not None else None
        return self._trees[path]

    def _parsed(self, path: str, grammar: str, source: bytes) -> Tree | None:
        readable = len(source) <= MAX_BYTES and can_be_parsed(self.comparison.head, path, grammar, source)
        return parse(grammar, source) if readable else None

    def at(self, path: str, line: int, column: int) -> Node | None:
        tree, source = self.tree(path), self.source(path)
        return node_at(tree, source, line, column) if tree is not None and source is not None else None

    def call(self, path: str, line: int, column: int, name: str) -> Call | None:
        node = self.at(path, line, column)
        return None if node is None else call_at(node, name)

    def guard(self, path: str, line: int, column: int, fault: str) -> str:
        node = self.at(path, line, column)
        return "" if node is None else guard_of(node, fault, FAMILIES[grammar_of(path) or "python"] == "typescript")

    def binds(self, path: str, name: str) -> bool:
        """May a name of that file be bound there, in any scope? Also where the file can't be read."""
        tree = self.tree(path)
        return tree is None or any(text_of(node) == name and is_binding(node) for node in walk(tree.root_node) if not node.children)

    def constructor(self, owner: Symbol, depth: int = 0) -> Signature | None:
        """The signature that makes a class of the head, receiver included: its own or the inherited one; None where a base is not ours."""
        head = self.comparison.head
        for name in (*sorted(CONSTRUCTORS),):
            own = head.find(owner.path, f"{owner.qualified}.{name}")
            if own is not None:
                return self.signature(head.symbol(own))
        node, grammar = self.node(owner), grammar_of(owner.path)
        if node is None or grammar is None or depth > MAX_BASES:
            return None
        record = record_signature(node, grammar)
        if record is not None:
            return replace(record, parameters=(Parameter("self", ParameterKind.POSITIONAL), *record.parameters))
        columns = head.parts["edges"]
        bases = [int(columns["target"][row]) for row in head.edges_from(owner.id).tolist() if columns["kind"][row] == EdgeKind.INHERIT]
        named = [base for base in base_names(node) if base.split("[")[0].rpartition(".")[2] not in _WITHOUT_CONSTRUCTOR]
        if len(named) != len(set(bases)):
            return None
        family = FAMILIES[grammar]
        empty = Signature((Parameter("self", ParameterKind.POSITIONAL),) if RULES[family].receiver else (), family=family)
        for base in bases:
            found = self.constructor(head.symbol(base), depth + 1)
            if found is None or found.parameters != empty.parameters:
                return found
        return empty

    def bases(self, owner: Symbol) -> list[str] | None:
        """What a class of the head names as its bases, as written; None where it can't be read."""
        node = self.node(owner)
        return None if node is None else list(base_names(node))

    def node(self, symbol: Symbol) -> Node | None:
        tree, source = self.tree(symbol.path), self.source(symbol.path)
        columns = self.comparison.head.parts["symbols"]
        if tree is None or source is None:
            return None
        return node_of_span(tree, source, int(columns["start_byte"][symbol.id]), int(columns["end_byte"][symbol.id]))

    def is_set_in_a_function(self, symbol: Symbol) -> bool:
        """`self.items: list[Item] = []` in a method of Python, or a variable in a function."""
        node = self.node(symbol) if grammar_of(symbol.path) == "python" else None
        while node is not None and node.type not in ("function_definition", "class_definition"):
            node = node.parent
        return node is not None and node.type == "function_definition"

    def signature(self, symbol: Symbol) -> Signature | None:
        node, grammar = self.node(symbol), grammar_of(symbol.path)
        columns = self.comparison.head.parts["symbols"]
        span = (int(columns["start_byte"][symbol.id]), int(columns["end_byte"][symbol.id]))
        return None if node is None or grammar is None else signature_in(node, span, grammar)
