"""FileChanges, both snapshots and the bytes of both sides -> the definitions that changed in a way that can matter."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from tree_sitter import Node, Tree

from index.distinct import one_of
from index.files.paths import shown
from index.impact.fingerprint import Fingerprint, Holes, bag, fingerprint, same_script_type, similarity
from index.impact.imports import Imported, imported, other_meanings
from index.impact.lines import touches
from index.impact.local_names import only_locals_renamed
from index.impact.nouns import (
    IN_TYPES_ALONE,
    MAY_LACK,
    MEANS_NOW,
    MUST_HAVE,
    TYPE_WAS,
    ChangedSymbol,
    ChangeKind,
    Members,
    Neutral,
    Signature,
    SkippedFile,
)
from index.impact.shapes import is_optional
from index.impact.signature import callable_in, class_in, compare, implementation_in, is_overload, record_signature, signature_in
from index.impact.syntax import MAX_BYTES, can_be_parsed, grammar_of, node_of_span, parse, text_of, walk
from index.impact.written_types import TypeNames, type_names
from index.snapshot import Snapshot
from index.types import EdgeKind, FileChange, Problem, Symbol, SymbolKind, Tier

CALLABLE_KINDS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
VALUE_KINDS: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER})
SHAPE_KINDS: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.ENUM})
KIND_GROUPS: Final = {  # a rename or a move stays within one group
    **dict.fromkeys(CALLABLE_KINDS, "callable"),
    **dict.fromkeys(VALUE_KINDS, "value"),
    SymbolKind.CLASS: "class",
    **dict.fromkeys(SHAPE_KINDS, "shape"),
    SymbolKind.NAMESPACE: "namespace",
}

# When is a definition that is gone the same as one that is new? The first row that holds wins.
# Short definitions are alike by chance (`def name(self): return self._name`), so they need their old place as well.
SAMENESS: Final = (
    #  same name, same parent, least leaves, least similarity
    (True, False, 4, 1.0),
    (True, False, 15, 0.6),
    (False, True, 1, 1.0),
    (False, True, 20, 0.7),
    (False, False, 15, 1.0),
    (False, False, 60, 0.85),
)
MAX_COMPARED: Final = 250_000  # pairs of definitions compared by similarity; beyond it only equal ones are matched, and we say so
MAX_SHOWN_VALUE: Final = 60


@dataclass(frozen=True, slots=True)
class Changes:
    """What `changed_symbols` found."""

    symbols: tuple[ChangedSymbol, ...]
    neutral: tuple[Neutral, ...]
    skipped: tuple[SkippedFile, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class _Side:
    """One side of one file, parsed."""

    snapshot: Snapshot
    file: int
    path: str
    grammar: str
    source: bytes
    tree: Tree
    types: TypeNames | None  # how a file of Python names types; None for scripts


@dataclass(eq=False)
class _Definition:
    """One definition on one side. `children` are the definitions directly in it; functions without a name belong to the one around them."""

    side: _Side
    symbol: Symbol
    span: tuple[int, int]
    ordinal: int = 0
    parent: _Definition | None = None
    children: list[_Definition] = field(default_factory=list)
    overloads: tuple[_Definition, ...] = ()  # of Python: the ones before it that only type checkers read
    _node: Node | None = None
    _own: Fingerprint | None = None
    _full: Fingerprint | None = None
    _bag: Counter[str] | None = None
    _body: Fingerprint | None = None
    _signature: tuple[Signature | None] | None = None

    @property
    def node(self) -> Node:
        if self._node is None:
            whole = self.symbol.kind == SymbolKind.MODULE
            self._node = self.side.tree.root_node if whole else node_of_span(self.side.tree, self.side.source, *self.span)
        return self._node

    @property
    def spans_below(self) -> list[tuple[int, int]]:
        return [one.span for child in self.children for one in (child, *child.overloads)]

    @property
    def own(self) -> Fingerprint:
        """Without the definitions in it and, for a module, without imports."""
        if self._own is None:
            imports = self.symbol.kind != SymbolKind.MODULE
            self._own = fingerprint(self.node, self.spans_below, self.symbol.name, imports, self.side.types)
        return self._own

    @property
    def full(self) -> Fingerprint:
        """With everything in it."""
        if self._full is None:
            self._full = fingerprint(self.node, (), self.symbol.name, types=self.side.types)
        return self._full

    @property
    def bag(self) -> Counter[str]:
        if self._bag is None:
            self._bag = bag(self.full)
        return self._bag

    @property
    def body(self) -> Fingerprint:
        """The own body of a function or class; the whole of anything else."""
        if self._body is None:
            kind, holder = self.symbol.kind, None
            if kind in CALLABLE_KINDS:
                holder = implementation_in(self.node, self.span, self.side.grammar)
            elif kind == SymbolKind.CLASS:
                holder = class_in(self.node)
            found = holder.child_by_field_name("body") if holder is not None else None
            without = self.spans_below
            self._body = self.own if found is None else fingerprint(found, without, self.symbol.name, types=self.side.types)
        return self._body

    @property
    def signature(self) -> Signature | None:
        if self._signature is None:
            self._signature = (self._read_signature(),)
        return self._signature[0]

    def _read_signature(self) -> Signature | None:
        if self.symbol.kind == SymbolKind.CLASS:
            return record_signature(self.node, self.side.grammar)
        own = signature_in(self.node, self.span, self.side.grammar) if self.symbol.kind in CALLABLE_KINDS else None
        if own is None or not self.overloads:
            return own
        known = [one.signature for one in self.overloads]
        return replace(own, overloads=tuple(one for one in (*known, *([own] if is_overload(own) else [])) if one is not None))

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line, overloads included."""
        return min(one.symbol.start_line for one in (self, *self.overloads)), self.symbol.end_line


def changed_symbols(
    changes: Sequence[FileChange],
    base: Snapshot,
    head: Snapshot,
    before: Mapping[bytes, bytes],
    after: Mapping[bytes, bytes],
) -> Changes:
    """The diff, both snapshots, and the bytes of the changed files (path on that side -> content) -> what changed, sorted by place.

    Definitions are matched by (path after rename, qualified name, ordinal); what is left over on both sides is matched by equal or similar
    content: a rename or a move."""
    skipped: list[SkippedFile] = []
    problems: list[Problem] = []
    pairs: list[tuple[_Definition | None, _Definition | None, FileChange]] = []
    for change in sorted(changes, key=lambda change: (change.new_path or b"", change.old_path or b"")):
        old = _module(base, change.old_path, before, skipped, problems)
        new = _module(head, change.new_path, after, skipped, problems)
        if old is not None or new is not None:
            pairs.append((old, new, change))
    matched, gone, fresh = _match(pairs, problems)
    spans = {id(side): change for old, new, change in pairs for side in (old, new) if side is not None}
    found: list[ChangedSymbol] = []
    neutral: list[Neutral] = []
    partner = {id(one): other for one, other in matched}
    partner_rows = {one.symbol.id: other.symbol.id for one, other in matched}
    renames = {
        one.symbol.name: other.symbol.name
        for one, other in matched
        if one.symbol.kind != SymbolKind.MODULE and one.symbol.name != other.symbol.name
    }
    meanings = {
        id(new): names for old, new, _ in pairs if old is not None and new is not None and (names := _other_names(old, new, partner_rows))
    }
    for one, other in matched:
        change = spans[id(_top(other))] if id(_top(other)) in spans else spans[id(_top(one))]
        with_parent = one.parent is not None and other.parent is not None and partner.get(id(one.parent)) is other.parent
        result = _difference(one, other, change, with_parent, renames)
        if isinstance(result, ChangedSymbol) and set(result.kinds) <= _ELSEWHERE and one.side.path != other.side.path:
            result = _meaning_the_same(result, one, other, partner_rows)
        elif not isinstance(result, ChangedSymbol) and id(_top(other)) in meanings:
            result = _meaning_another(one, other, meanings[id(_top(other))]) or result
        if isinstance(result, ChangedSymbol):
            found.append(result)
        elif result is not None:
            neutral.append(result)
    found += _reshaped(matched, found, gone, fresh)
    gone_set, fresh_set = set(map(id, gone)), set(map(id, fresh))
    found += [_alone(one, ChangeKind.REMOVED, id(one.parent) in gone_set) for one in gone]
    found += [_alone(one, ChangeKind.ADDED, id(one.parent) in fresh_set) for one in fresh]
    found.sort(key=lambda one: (one.symbol.path, one.symbol.start_line, one.symbol.qualified, one.after is None))
    matters = {(one.symbol.path, one.symbol.qualified) for one in found}
    neutral = sorted(
        (one for one in neutral if (one.path, one.qualified) not in matters), key=lambda one: (one.path, one.line, one.qualified)
    )
    return Changes(tuple(found), tuple(neutral), tuple(_distinct(skipped)), tuple(problems))


def _distinct(skipped: Iterable[SkippedFile]) -> list[SkippedFile]:
    return sorted(set(skipped), key=lambda one: (one.path, one.reason))


def _module(
    snapshot: Snapshot, path: bytes | None, content: Mapping[bytes, bytes], skipped: list[SkippedFile], problems: list[Problem]
) -> _Definition | None:
    """One side of a changed file -> its MODULE definition with everything in it; None where there is nothing to parse."""
    if path is None:
        return None
    name = shown(path)
    file, grammar, source = snapshot.file_of_path.get(name), grammar_of(name), content.get(path)
    if grammar is None:
        return None
    if source is None:
        problems.append(Problem(name, 0, "its content could not be read, so its definitions were not compared"))
        return None
    if file is None or len(source) > MAX_BYTES:
        skipped.append(SkippedFile(name, "not in the index" if file is None else f"larger than {MAX_BYTES // 1000:,} kB"))
        return None
    if not can_be_parsed(snapshot, name, grammar, source):
        problems.append(Problem(name, 0, "could not be parsed, so its definitions were not compared"))
        return None
    tree = parse(grammar, source)
    if tree.root_node.has_error:
        broken = next((node for node in walk(tree.root_node) if node.is_error or node.is_missing), tree.root_node)
        problems.append(
            Problem(name, broken.start_point.row + 1, "could not be parsed from here; what could be read around it was compared")
        )
    types = type_names(tree) if grammar == "python" else None
    return _definitions(_Side(snapshot, file, name, grammar, source, tree, types))


def _definitions(side: _Side) -> _Definition:
    columns = side.snapshot.parts["symbols"]
    by_row: dict[int, _Definition] = {}
    seen: Counter[tuple[int, str]] = Counter()
    rows = side.snapshot.symbols_in(side.file)
    whole = slice(rows.start, rows.stop)
    kinds, parents, starts, ends = (columns[name][whole].tolist() for name in ("kind", "parent", "start_byte", "end_byte"))
    unnamed = {row for row, kind in zip(rows, kinds, strict=True) if kind == SymbolKind.LAMBDA}
    for row in rows:
        if row in unnamed:
            continue
        parent = parents[row - rows.start]
        while parent in unnamed:
            parent = parents[parent - rows.start]
        symbol = side.snapshot.symbol(row)
        key = (parent, symbol.name)
        span = (starts[row - rows.start], ends[row - rows.start])
        span = _statement_of(side, span) if symbol.kind in VALUE_KINDS else span
        made = _Definition(side, symbol, span, seen[key], by_row.get(parent))
        by_row[row] = made
        above = made.parent.children[-1] if made.parent is not None and made.parent.children else None
        if above is not None and above.symbol.name == symbol.name and (signature := above.signature) and is_overload(signature):
            made.overloads, made.ordinal = (*above.overloads, above), above.ordinal
            _parent_of(made).children[-1] = made
            continue
        seen[key] += 1
        if made.parent is not None:
            made.parent.children.append(made)
    return by_row[rows.start]


def _statement_of(side: _Side, span: tuple[int, int]) -> tuple[int, int]:
    """A variable's or a field's own span may be its name alone: the statement that gives it its value belongs to it."""
    node = node_of_span(side.tree, side.source, *span)
    while node.parent is not None and node.parent.type in _AROUND_VALUES and node.parent.named_child_count <= MAX_TARGETS:
        node = node.parent
    return node.start_byte, node.end_byte


_AROUND_VALUES: Final = frozenset(
    {
        "attribute",
        "pattern_list",
        "tuple_pattern",
        "assignment",
        "augmented_assignment",
        "expression_statement",
        "variable_declarator",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "public_field_definition",
        "field_definition",
        "member_expression",
        "assignment_expression",
    }
)
MAX_TARGETS: Final = 3  # target, type, value


def _top(definition: _Definition) -> _Definition:
    while definition.parent is not None:
        definition = definition.parent
    return definition


# ── matching ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _match(
    pairs: Sequence[tuple[_Definition | None, _Definition | None, FileChange]], problems: list[Problem]
) -> tuple[list[tuple[_Definition, _Definition]], list[_Definition], list[_Definition]]:
    """Both sides -> (the same definition on both), gone, new. Outer definitions are matched before the ones in them."""
    matched: list[tuple[_Definition, _Definition]] = []
    queue = deque((old, new) for old, new, _ in pairs if old is not None and new is not None)
    gone = [old for old, new, _ in pairs if old is not None and new is None]
    fresh = [new for old, new, _ in pairs if new is not None and old is None]
    opened: set[int] = set()  # unmatched definitions whose inner ones are in the lists too
    while True:
        while queue:
            old, new = queue.popleft()
            matched.append((old, new))
            inner_gone, inner_fresh = _match_children(old, new, queue)
            gone += inner_gone
            fresh += inner_fresh
        # what was opened has its inner definitions in the lists already, so it can no longer be matched as a whole
        whole = [[one for one in side if not one.children or id(one) not in opened] for side in (gone, fresh)]
        found = _same(whole[0], whole[1], problems)
        taken = {id(one) for pair in found for one in pair}
        gone, fresh = [one for one in gone if id(one) not in taken], [one for one in fresh if id(one) not in taken]
        queue.extend(found)
        closed = [one for one in (*gone, *fresh) if id(one) not in opened]
        if not found and not closed:
            return matched, gone, fresh
        if not found:
            gone += [child for one in gone if id(one) not in opened for child in one.children]
            fresh += [child for one in fresh if id(one) not in opened for child in one.children]
            opened.update(map(id, closed))


def _match_children(
    old: _Definition, new: _Definition, queue: deque[tuple[_Definition, _Definition]]
) -> tuple[list[_Definition], list[_Definition]]:
    there = {(child.symbol.name, child.ordinal): child for child in new.children}
    left = []
    for child in old.children:
        other = there.pop((child.symbol.name, child.ordinal), None)
        if other is None:
            left.append(child)
        else:
            queue.append((child, other))
    return left, list(there.values())


def _same(gone: list[_Definition], fresh: list[_Definition], problems: list[Problem]) -> list[tuple[_Definition, _Definition]]:
    """What is gone and what is new -> pairs that are one definition under another name or in another place.

    Best pairs first; each definition is used once."""
    groups: dict[str, tuple[list[_Definition], list[_Definition]]] = defaultdict(lambda: ([], []))
    for at, side in enumerate((gone, fresh)):
        for one in side:
            if group := KIND_GROUPS.get(one.symbol.kind):
                groups[group][at].append(one)
    found: list[tuple[_Definition, _Definition]] = []
    for group, (old, new) in sorted(groups.items()):
        only_equal = len(old) * len(new) > MAX_COMPARED
        if only_equal:
            problems.append(
                Problem("", 0, f"{len(old)} {group} definitions are gone and {len(new)} are new: only identical ones were matched as moved")
            )
        scored = []
        for at, one in enumerate(old):
            for number, other in enumerate(new):
                score = _sameness(one, other, only_equal)
                if score:
                    scored.append((-score, at, number))
        used_old, used_new = set(), set()
        for _, at, number in sorted(scored):
            if at not in used_old and number not in used_new:
                used_old.add(at)
                used_new.add(number)
                found.append((old[at], new[number]))
    return found


def _sameness(old: _Definition, new: _Definition, only_equal: bool) -> float:
    """0 where they are not the same definition; else 1 to 4, higher for a surer pair."""
    equal = old.full.digest == new.full.digest
    if only_equal and not equal:
        return 0.0
    weight = min(old.full.weight, new.full.weight)
    same_name, same_parent = old.symbol.name == new.symbol.name, _parent_key(old) == _parent_key(new)
    alike = 1.0 if equal else similarity(old.bag, new.bag) if weight >= 15 else 0.0
    for needs_name, needs_parent, least_leaves, least_similarity in SAMENESS:
        if (same_name or not needs_name) and (same_parent or not needs_parent) and weight >= least_leaves and alike >= least_similarity:
            return alike + same_name + same_parent + 1.0
    return 0.0


def _parent_key(one: _Definition) -> tuple[str, str]:
    return (one.side.path, one.parent.symbol.qualified if one.parent is not None else "")


# ── what differs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _alone(one: _Definition, kind: ChangeKind, inside: bool) -> ChangedSymbol:
    removed = kind is ChangeKind.REMOVED
    return ChangedSymbol(
        before=one.symbol if removed else None,
        after=None if removed else one.symbol,
        kinds=(kind,),
        signature_before=one.signature if removed else None,
        signature_after=None if removed else one.signature,
        path_kind=one.side.snapshot.path_kind(one.side.file),
        inside=inside,
    )


def _difference(
    old: _Definition, new: _Definition, change: FileChange, with_parent: bool, renames: Mapping[str, str]
) -> ChangedSymbol | Neutral | None:
    """One definition on both sides -> what changed, why it can't matter, or None where the diff does not touch it. `with_parent`: it stands
    in the same definition on both sides. `renames`: of the definitions that the change renames, old name -> new name."""
    kinds: list[ChangeKind] = []
    moved_with_parent = with_parent and old.parent is not None and _renamed_or_moved(old.parent, _parent_of(new))
    if old.symbol.name != new.symbol.name and old.symbol.kind != SymbolKind.MODULE:
        kinds.append(ChangeKind.RENAMED)
    if _parent_key(old) != _parent_key(new):
        kinds.append(ChangeKind.MOVED)
    if not kinds and not _touched(old, new, change):
        return None
    signature_before, signature_after = old.signature, new.signature
    signature = compare(signature_before, signature_after, _same_type(old, new)) if signature_before and signature_after else ()
    details: list[str] = []
    harmless = ""
    export = _export_change(old, new)
    if export.startswith("is no") or "default" in export:
        kinds.append(ChangeKind.REEXPORT)
        details.append(export)
    if signature or (not _written_the_same(old, new) and old.own.digest != new.own.digest):
        if not signature:
            harmless = _only_follows(old, new, renames) or _harmless(old, new)
        same = _value(old.node) == _value(new.node) if new.symbol.kind in VALUE_KINDS else old.body.digest == new.body.digest
        if export and not signature and same:
            harmless = "only its export changed"
        kinds += [] if harmless else _inner_kinds(old, new, bool(signature), details)
    if not kinds:
        return Neutral(new.side.path, new.symbol.qualified, new.symbol.line, harmless) if harmless else _neutral(old, new)
    inside = moved_with_parent and kinds == [ChangeKind.MOVED]
    return ChangedSymbol(
        before=old.symbol,
        after=new.symbol,
        kinds=tuple(kinds),
        signature=signature,
        signature_before=signature_before,
        signature_after=signature_after,
        details=tuple(details),
        path_kind=new.side.snapshot.path_kind(new.side.file),
        inside=inside,
    )


def _reshaped(
    matched: Sequence[tuple[_Definition, _Definition]],
    found: Sequence[ChangedSymbol],
    gone: Sequence[_Definition],
    fresh: Sequence[_Definition],
) -> list[ChangedSymbol]:
    """Interfaces, types and enums whose members changed, appeared or went: users can notice, though its own text is the same."""
    known = {one.after.id for one in found if one.after is not None}
    changed = known | {one.symbol.id for one in fresh}
    lost = {id(one) for one in gone}
    made = []
    for old, new in matched:
        if new.symbol.kind not in SHAPE_KINDS or new.symbol.id in known:
            continue
        names = [child.symbol.name for child in new.children if child.symbol.id in changed]
        names += [child.symbol.name for child in old.children if id(child) in lost]
        if names:
            details = (_short("members: " + ", ".join(f"`{name}`" for name in dict.fromkeys(names))),)
            kind = new.side.snapshot.path_kind(new.side.file)
            members = _members(old, new, changed)
            made.append(ChangedSymbol(old.symbol, new.symbol, (ChangeKind.SHAPE,), details=details, path_kind=kind, members=members))
    return made


def _members(old: _Definition, new: _Definition, changed: Set[int]) -> Members | None:
    """What became of the members of an interface or an object type; None for enums, and where the language has other rules."""
    if new.symbol.kind == SymbolKind.ENUM or new.side.grammar == "python":
        return None
    here = {child.symbol.name for child in old.children if not is_optional(child.node)}
    demanded = [child.symbol.name for child in new.children if child.symbol.id in changed and not is_optional(child.node)]
    required = [name for name in demanded if name not in here]
    names = [child.symbol.name for child in new.children if child.symbol.id in changed]
    names += [child.symbol.name for child in old.children if child.symbol.name not in {one.symbol.name for one in new.children}]
    return Members(tuple(dict.fromkeys(required)), tuple(name for name in dict.fromkeys(names) if name not in required))


def _parent_of(one: _Definition) -> _Definition:
    assert one.parent is not None
    return one.parent


def _renamed_or_moved(old: _Definition, new: _Definition) -> bool:
    return (old.side.path, old.symbol.qualified) != (new.side.path, new.symbol.qualified)


def _touched(old: _Definition, new: _Definition, change: FileChange) -> bool:
    if not change.old_spans and not change.new_spans:
        return change.old_blob != change.new_blob and old.side.source != new.side.source
    return touches(change.old_spans, *old.lines) or touches(change.new_spans, *new.lines)


def _same_type(old: _Definition, new: _Definition) -> Callable[[str, str], bool]:
    """Do a type of the old side and one of the new side, as written, mean the same?"""
    before, after = old.side.types, new.side.types
    return same_script_type if before is None or after is None else lambda was, now: before.same(after, was, now)


_OF_TYPES: Final = re.compile(r"\A([\w.]+)\[.*\]\Z", re.DOTALL)  # `Generic[T]`, and not `namedtuple("Pair", ["a", "b"])`


def _inner_kinds(old: _Definition, new: _Definition, signature: bool, details: list[str]) -> list[ChangeKind]:
    kind = new.symbol.kind
    if kind in VALUE_KINDS:
        details += _value_detail(old, new)
        of_a_type = new.parent is not None and new.parent.symbol.kind in SHAPE_KINDS and kind != SymbolKind.MEMBER
        if of_a_type and is_optional(old.node) != is_optional(new.node):
            details.append(MAY_LACK if is_optional(new.node) else MUST_HAVE)
        return [ChangeKind.SHAPE if of_a_type else ChangeKind.VALUE]
    found = [ChangeKind.SIGNATURE] if signature else []
    if kind == SymbolKind.CLASS:
        bases = _bases(old.node), _bases(new.node)
        if bases[0] != bases[1]:
            found.append(ChangeKind.BASES)
            before, after = ([_OF_TYPES.sub(r"\1", base) for base in some] for some in bases)
            same = new.side.grammar == "python" and before == after
            details.append(f"inherits from `{_listed(bases[1])}`, was `{_listed(bases[0])}`{IN_TYPES_ALONE if same else ''}")
        decorators = _decorators(old.node), _decorators(new.node)
        if decorators[0] != decorators[1]:
            found.append(ChangeKind.DECORATORS)
            details.append(f"decorated with `{_listed(decorators[1])}`, was `{_listed(decorators[0])}`")
    if kind in SHAPE_KINDS:
        return [*found, ChangeKind.SHAPE]
    if (old.body.digest != new.body.digest and not _only_types_within(old, new)) or not found:
        found.append(ChangeKind.BODY)
    return found


_ELSEWHERE: Final = frozenset({ChangeKind.MOVED, ChangeKind.RENAMED})


def _export_change(old: _Definition, new: _Definition) -> str:
    """How the module of a script hands a definition out, where that is another way now."""
    before, after = _export_of(old), _export_of(new)
    if before == after or "" in (old.side.grammar, new.side.grammar) or old.side.grammar == "python":
        return ""
    return {"": "is no longer exported", "named": "is exported by its name now", "default": "is the default export now"}[after] + (
        ", was the default export" if before == "default" else ""
    )


def _export_of(one: _Definition) -> str:
    if one.parent is None or one.parent.symbol.kind != SymbolKind.MODULE or one.side.grammar == "python":
        return ""
    node: Node | None = one.node
    while node is not None and node.type in ("identifier", "variable_declarator", "lexical_declaration", "variable_declaration"):
        node = node.parent
    if node is not None and node.type != "export_statement":
        node = node.parent
    if node is None or node.type != "export_statement":
        return ""
    return "default" if any(child.type == "default" for child in node.children) else "named"


def _meaning_the_same(found: ChangedSymbol, old: _Definition, new: _Definition, partner: Mapping[int, int]) -> ChangedSymbol:
    """A definition in another file: names in it may mean something else there, and then it does something else."""
    head = new.side.snapshot
    lost, fresh = _lost_and_fresh(old, new, partner)
    # what the base could not resolve is no other meaning: only a name that led elsewhere there
    other = sorted(head.qualified(row) for row in fresh if head.symbol(row).name in {symbol.name for symbol in lost})
    if not other:
        return found
    return replace(found, kinds=(*found.kinds, ChangeKind.BODY), details=(f"`{other[0]}` is another one there",))


def _lost_and_fresh(old: _Definition, new: _Definition, partner: Mapping[int, int]) -> tuple[list[Symbol], set[int]]:
    """What a definition certainly used at the base and uses no more, and the rows of the head that it uses instead or besides."""
    base, head = old.side.snapshot, new.side.snapshot
    before, after = (_targets_of(side.snapshot, one.symbol.id) for side, one in ((old.side, old), (new.side, new)))
    mapped = {row: partner[row] if row in partner else _same_place(base, head, row) for row in before}
    return [base.symbol(row) for row, there in mapped.items() if there not in after], after - set(mapped.values()) - {new.symbol.id}


def _other_names(old: _Definition, new: _Definition, partner: Mapping[int, int]) -> dict[str, str]:
    """Names that the imports of a module give to something else now -> to what. Another way to the same definition is nothing else."""
    before, after = (imported(one.side.tree, one.side.grammar) for one in (old, new))
    found = {}
    for name in other_meanings(before, after):
        led = {
            partner[row] if row in partner else _same_place(old.side.snapshot, new.side.snapshot, row)
            for row in _imported_at(old, before[name])
        }
        if not led or led != _imported_at(new, after[name]):
            found[name] = after[name].what
    return found


def _imported_at(module: _Definition, one: Imported) -> set[int]:
    """Where an import leads, as rows of the snapshot: nowhere, if it names something from outside."""
    snapshot, last = module.side.snapshot, one.what.rpartition(".")[2]
    columns = snapshot.parts["edges"]
    rows = snapshot.edges_from(module.symbol.id)
    rows = rows[(columns["line"][rows] == one.line) & one_of(columns["kind"][rows], (EdgeKind.IMPORT, EdgeKind.REEXPORT))]
    targets = {int(row) for row in columns["target"][rows]}
    return {row for row in targets if snapshot.symbol(row).name == last} or targets


def _meaning_another(old: _Definition, new: _Definition, names: Mapping[str, str]) -> ChangedSymbol | None:
    """A definition whose text is the same, and that uses something else, because an import of its file says so now."""
    tokens = set(new.own.tokens)
    written = [name for name in names if name in tokens]
    if not written:
        return None
    kind = ChangeKind.VALUE if new.symbol.kind in VALUE_KINDS else ChangeKind.BODY
    says = f"`{written[0]}` is `{names[written[0]]}`{MEANS_NOW}"
    path_kind = new.side.snapshot.path_kind(new.side.file)
    return ChangedSymbol(old.symbol, new.symbol, (kind,), details=(says,), path_kind=path_kind)


def _targets_of(snapshot: Snapshot, row: int) -> set[int]:
    """What it certainly uses; candidates may be others whenever the tree is another."""
    rows = snapshot.edges_from(row)
    columns = snapshot.parts["edges"]
    return set(columns["target"][rows[columns["tier"][rows] == Tier.PROVED]].tolist())


def _same_place(base: Snapshot, head: Snapshot, row: int) -> int:
    symbol = base.symbol(row)
    if symbol.kind == SymbolKind.MODULE:
        file = head.file_of_path.get(symbol.path)
        return -1 if file is None else head.symbols_in(file).start
    found = head.find(symbol.path, symbol.qualified)
    return -1 if found is None else found


def _only_follows(old: _Definition, new: _Definition, renames: Mapping[str, str]) -> str:
    """The reason, where two definitions differ only in names that the change renames elsewhere; "" otherwise."""
    before, after = old.own.tokens, new.own.tokens
    if len(before) != len(after):
        return ""
    followed: dict[str, str] = {}
    for was, now in zip(before, after, strict=True):
        if was != now and renames.get(was) != now:
            return ""
        if was != now:
            followed[was] = now
    if any(was == now and was in followed for was, now in zip(before, after, strict=True)):
        return ""  # one of two uses was changed: they meant different things
    names = ", ".join(f"`{name}`" for name in sorted(followed.values()))
    return f"only follows the new name {names}" if followed else ""


def _harmless(old: _Definition, new: _Definition) -> str:
    """The reason, where two definitions differ in what nobody outside can notice; "" otherwise."""
    for reason, holds in (
        ("only local names changed", _only_locals_renamed),
        ("only types in its body changed", _only_types_within),
        ("only further exports changed", _only_passes_on_more),
    ):
        if holds(old, new):
            return reason
    return ""


def _only_types_within(old: _Definition, new: _Definition) -> bool:
    """Do two functions differ in types in their bodies alone? These are gone when it runs; in TypeScript they may say what is returned,
    unless that is written."""
    signature = new.signature if new.symbol.kind in CALLABLE_KINDS else None
    if signature is None or not (signature.returns or signature.overloads or new.side.grammar == "python"):
        return False
    bodies = []
    for one in (old, new):
        holder = implementation_in(one.node, one.span, one.side.grammar)
        body = holder.child_by_field_name("body") if holder is not None else None
        if body is None:
            return False
        bodies.append((one, body, list(_types_in(body))))
    if not any(types for _, _, types in bodies) and old.side.types == new.side.types and old.body.digest != new.body.digest:
        return False
    digests = [fingerprint(body, [*one.spans_below, *types], one.symbol.name).digest for one, body, types in bodies]
    return digests[0] == digests[1]


def _types_in(body: Node) -> Iterator[tuple[int, int]]:
    for node in walk(body):
        if node.type in _TYPE_NODES or (node.type == "type" and node.parent is not None and node.parent.type == "assignment"):
            yield node.start_byte, node.end_byte
        elif node.type in ("as_expression", "satisfies_expression"):
            yield node.named_children[0].end_byte, node.end_byte


_TYPE_NODES: Final = frozenset({"type_annotation", "type_arguments", "type_parameters", "type_alias_declaration", "interface_declaration"})


def _only_passes_on_more(old: _Definition, new: _Definition) -> bool:
    """Does a module of a script only hand out more of what other modules have?"""
    if new.symbol.kind != SymbolKind.MODULE or new.side.grammar == "python":
        return False
    passed = [list(_passed_on(one.node)) for one in (old, new)]
    rest = [
        fingerprint(one.node, [*one.spans_below, *(span for span, _ in some)], imports=False).digest
        for one, some in zip((old, new), passed, strict=True)
    ]
    return rest[0] == rest[1] and {what for _, what in passed[0]} < {what for _, what in passed[1]}


def _passed_on(module: Node) -> Iterator[tuple[tuple[int, int], str]]:
    """`export {a as b, c} from "x"` -> the span of the statement with each of "x a as b" and "x c"; of `export * from "x"` all it says."""
    for statement in module.children:
        source = statement.child_by_field_name("source") if statement.type == "export_statement" else None
        if source is not None:
            span = (statement.start_byte, statement.end_byte)
            named = [one for child in statement.named_children if child.type == "export_clause" for one in child.named_children]
            for one in named or [child for child in statement.children if child != source]:
                yield span, f"{text_of(source)} {text_of(one)}"


def _only_locals_renamed(old: _Definition, new: _Definition) -> bool:
    # where only names differ, there are as many words: to count these is quicker than to look for the names
    if new.symbol.kind not in CALLABLE_KINDS or len(old.own.tokens) != len(new.own.tokens):
        return False
    callables = [callable_in(one.node, one.side.grammar) for one in (old, new)]
    bodies = [None if found is None else found.child_by_field_name("body") for found in callables]
    if bodies[0] is None or bodies[1] is None or callables[0] is None or callables[1] is None:
        return False
    heads = [
        [(node.type, text_of(node)) for node in found.children if node.type not in ("comment", "block", "statement_block")]
        for found in callables
        if found is not None
    ]
    return heads[0] == heads[1] and only_locals_renamed(bodies[0], bodies[1], Holes(old.spans_below), Holes(new.spans_below))


def _bases(node: Node) -> tuple[str, ...]:
    holder = class_in(node)
    if holder is None:
        return ()
    listed = holder.child_by_field_name("superclasses")
    if listed is not None:
        return tuple(text_of(child) for child in listed.named_children if child.type != "comment")
    return tuple(text_of(child) for child in holder.children if child.type == "class_heritage")


def _decorators(node: Node) -> tuple[str, ...]:
    holder = class_in(node)
    around = [node, holder, holder.parent if holder is not None else None]
    found: list[str] = []
    for one in around:
        for child in one.children if one is not None else ():
            if child.type == "decorator" and text_of(child) not in found:
                found.append(text_of(child))
    return tuple(found)


def _listed(names: tuple[str, ...]) -> str:
    return _short(", ".join(names) or "nothing")


def _value_detail(old: _Definition, new: _Definition) -> list[str]:
    before, after = _value(old.node), _value(new.node)
    if before != after:
        return [f"was `{_short(before)}`, is `{_short(after)}`"] if before and after and _short(before) != _short(after) else []
    before, after = _declared_type(old.node), _declared_type(new.node)
    if _same_type(old, new)(before, after):
        return []
    return [f"{TYPE_WAS} `{_short(before)}`, is `{_short(after)}`"] if before and after and _short(before) != _short(after) else []


def _value(node: Node) -> str:
    """The text of what a statement gives to a name; "" where it only declares it. What stands in its type is no value."""
    return next((text_of(value) for found in _outside_types(node) if (value := _given(found)) is not None), "")


def _given(node: Node) -> Node | None:
    return node.child_by_field_name("right") or node.child_by_field_name("value")


def _declared_type(node: Node) -> str:
    found = next((found for found in walk(node) if found.type in _TYPES), None)
    return text_of(found).removeprefix(":").strip() if found is not None else ""


def _outside_types(node: Node) -> Iterator[Node]:
    todo = [node]
    while todo:
        found = todo.pop()
        if found.type not in _TYPES:
            yield found
            todo += reversed(found.named_children)


_TYPES: Final = frozenset({"type", "type_annotation"})


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_VALUE else text[: MAX_SHOWN_VALUE - 1] + "…"


def _neutral(old: _Definition, new: _Definition) -> Neutral | None:
    """Why a touched definition can't matter; None where what the diff touches lies in a definition inside it."""
    same = _own_text(old) == _own_text(new)
    if same and new.side.grammar == "python":  # in a script a type may be written round members that have changed
        return None
    old_notes, new_notes = _notes(old), _notes(new)
    reasons = [
        reason
        for reason, key in (
            ("comments", "comment"),
            ("the docstring", "docstring"),
            ("imports", "import"),
            ("the spelling of types", "type"),
        )
        if old_notes[key] != new_notes[key]
    ]
    if not reasons and same:
        return None
    if not reasons:
        plain = [fingerprint(one.node, one.spans_below, one.symbol.name, one.symbol.kind != SymbolKind.MODULE) for one in (old, new)]
        reasons = ["the spelling of types" if plain[0].digest != plain[1].digest else "formatting"]
    words = " and ".join(reasons)
    return Neutral(new.side.path, new.symbol.qualified, new.symbol.line, f"only {words} changed")


def _notes(one: _Definition) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"comment": [], "docstring": [], "import": [], "type": []}
    below = Holes(one.spans_below)
    for node in (node for side in (one, *one.overloads) for node in walk(side.node, below.hold if side is one else _nowhere)):
        if node.type == "comment":
            found["comment"].append(text_of(node))
        elif node.type == "expression_statement" and [child.type for child in node.children] == ["string"]:
            found["docstring"].append(text_of(node))
        elif node.is_named and node.type in _TYPES:
            found["type"].append(text_of(node))
        elif node.type in ("import_statement", "import_from_statement", "future_import_statement") and one.symbol.kind == SymbolKind.MODULE:
            found["import"].append(text_of(node))
    return found


def _nowhere(node: Node) -> bool:
    return False


def _written_the_same(old: _Definition, new: _Definition) -> bool:
    """Is every byte of two definitions of Python the same, but for those of the definitions in them? Then they mean the same, and their
    syntax need not be read for it: most modules and classes that a diff touches have changed in one of these alone."""
    sides = old.side, new.side
    if any(side.grammar != "python" or side.tree.root_node.has_error for side in sides) or old.symbol.name != new.symbol.name:
        return False
    return sides[0].types == sides[1].types and _pieces(old) == _pieces(new)


def _pieces(one: _Definition) -> list[bytes]:
    """The source of a definition between the definitions in it."""
    found, at = [], one.node.start_byte
    for start, end in Holes(one.spans_below).spans:
        found.append(one.side.source[at:start])
        at = end
    return [*found, one.side.source[at : one.node.end_byte]]


def _own_text(one: _Definition) -> bytes:
    out = bytearray(b"".join(text_of(other.node).encode("utf-8", "surrogatepass") for other in one.overloads))
    at = one.node.start_byte
    for start, end in Holes(one.spans_below).spans:
        out += one.side.source[at:start].strip()
        at = end
    return bytes(out + one.side.source[at : one.node.end_byte].strip())
