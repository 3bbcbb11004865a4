"""Files before and after, as text -> a `Comparison`, with symbols read from the text and edges by the plainest scoping rules.

    shop = a_change(
        {"shop/tax.py": "def rate(country): ...\n", "shop/cart.py": "from shop.tax import rate\n\ndef total():\n    return rate('fr')\n"},
        {"shop/tax.py": "def rate(country, year): ...\n"},
        renamed={"shop/tax.py": "shop/vat.py"},
    )

What `after` does not name stays, None deletes. It knows `from m import a as b`, `import m`, `import { a as b } from './m'`, re-exports of
both, names of the file itself, `self.m()`, `Class.m()`, base classes, decorators, annotations and plain reads. Everything else it leaves as
an unresolved site. It stands in for the index, in tests only.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from index.files.kinds import kind_of
from index.impact.comparison import Comparison
from index.impact.syntax import grammar_of, parse
from index.snapshot import Snapshot
from index.trigrams.facts import text_facts_batch
from index.trigrams.postings import build_text
from index.types import FileChange
from support.snapshots import a_snapshot

Place = str  # "path::Qualified.name", or "path" for the file itself
DEFINITIONS = {
    "function_definition": "function",
    "class_definition": "class",
    "function_declaration": "function",
    "class_declaration": "class",
    "method_definition": "method",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
}


def a_change(
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    renamed: Mapping[str, str] | None = None,
    extra_edges: Sequence[tuple[Any, ...]] = (),
    tiers: Mapping[Place, str] | None = None,
) -> Comparison:
    """`extra_edges` (as `a_snapshot` takes them) stand on both sides where both ends exist; `tiers` sets the tier of edges to a place."""
    moves = dict(renamed or {})
    full = {moves.get(path, path): text for path, text in before.items()}
    for path, text in after.items():
        if text is None:
            full.pop(path, None)
        else:
            full[path] = text
    base, head = index_of(before, "1" * 40, extra_edges, tiers), index_of(full, "2" * 40, extra_edges, tiers)
    changes = []
    for old in sorted(before):
        new = moves.get(old, old)
        if new not in full:
            changes.append(_file_change(old, None, before[old], ""))
        elif full[new] != before[old] or new != old:
            changes.append(_file_change(old, new, before[old], full[new]))
    changes += [_file_change(None, new, "", full[new]) for new in sorted(full) if new not in before and new not in moves.values()]
    return Comparison(
        base=base,
        head=head,
        changes=changes,
        before={path.encode(): text.encode() for path, text in before.items()},
        after={path.encode(): text.encode() for path, text in full.items()},
        read=lambda path: full[path].encode() if path in full else None,
    )


def index_of(
    files: Mapping[str, str], commit: str, extra: Sequence[tuple[Any, ...]] = (), tiers: Mapping[Place, str] | None = None
) -> Snapshot:
    made = {path: _File(path, text) for path, text in files.items()}
    for one in made.values():
        one.read()
    edges: list[tuple[Any, ...]] = []
    open_sites: list[tuple[str, str, int, str]] = []
    for one in made.values():
        _Linker(one, made, edges, open_sites).link()
    places = {f"{path}::{symbol[1]}" for path, one in made.items() for symbol in one.symbols} | set(made)
    edges += [edge for edge in extra if edge[0] in places and edge[1] in places]
    edges = [(e[0], e[1], e[2], (tiers or {}).get(e[1], e[3]), e[4], e[5] if len(e) > 5 else 1, ()) for e in edges]
    return a_snapshot(
        files,
        [symbol for one in made.values() for symbol in one.symbols],
        sorted(set(edges)),
        sorted(set(open_sites)),
        kinds={path: kind_of(path.encode()) for path in files},
        parts={"text": build_text(text_facts_batch([files[path].encode() for path in sorted(files)]))},
        commit=commit,
    )


def _file_change(old: str | None, new: str | None, before: str, after: str) -> FileChange:
    old_lines, new_lines = before.splitlines(), after.splitlines()
    spans = [op[1:] for op in difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes() if op[0] != "equal"]
    return FileChange(
        old_path=old.encode() if old is not None else None,
        new_path=new.encode() if new is not None else None,
        old_blob="a" * 40 if old is not None else "",
        new_blob=("a" if before == after else "b") * 40 if new is not None else "",
        old_mode=0o100644 if old is not None else 0,
        new_mode=0o100644 if new is not None else 0,
        similarity=90 if old and new and old != new else 0,
        old_spans=tuple((a + 1, b) for a, b, _, _ in spans),
        new_spans=tuple((c + 1, d) for _, _, c, d in spans),
    )


@dataclass
class _File:
    path: str
    text: str
    symbols: list[tuple[str, str, str, int, int]] = field(default_factory=list)
    nodes: list[tuple[Node, str]] = field(default_factory=list)  # definition, qualified
    bases: dict[str, list[str]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str, Node]] = field(default_factory=dict)  # local name -> (module path without ending, name or "", node)
    root: Node | None = None

    def read(self) -> None:
        grammar = grammar_of(self.path)
        if grammar is None:
            return
        self.root = parse(grammar, self.text.encode()).root_node
        self._symbols(self.root, "", "module")
        self._imports(self.root)

    def _symbols(self, node: Node, prefix: str, inside: str) -> None:
        for child in node.children:
            kind = DEFINITIONS.get(child.type)
            named = child.child_by_field_name("name")
            value = child.child_by_field_name("value")
            if (
                child.type == "variable_declarator"
                and inside in ("module", "namespace")
                and named is not None
                and named.type == "identifier"
            ):
                callable_value = value is not None and value.type in ("arrow_function", "function_expression")
                kind = "function" if callable_value else "constant"
            if child.type == "assignment" and inside in ("module", "class"):
                left = child.child_by_field_name("left")
                if left is not None and left.type == "identifier":
                    kind, named = ("constant" if inside == "module" else "field"), left
            if kind is None or named is None:
                self._symbols(child, prefix, inside)
                continue
            kind = "method" if kind == "function" and inside == "class" else kind
            qualified = prefix + _text(named)
            span = child
            while span.parent is not None and span.parent.type in (
                "decorated_definition",
                "export_statement",
                "lexical_declaration",
                "expression_statement",
            ):
                span = span.parent
            self.symbols.append((self.path, qualified, kind, span.start_point.row + 1, span.end_point.row + 1))
            self.nodes.append((child, qualified))
            self._symbols(child, qualified + ".", "class" if kind == "class" else "function")

    def _imports(self, node: Node) -> None:
        for child in node.children:
            if child.type == "import_from_statement":
                module = _text(child.child_by_field_name("module_name"))
                for name in child.children_by_field_name("name"):
                    alias = name.child_by_field_name("alias")
                    real = name.child_by_field_name("name") or name
                    self.imports[_text(alias or real)] = (_python_module(self.path, module), _text(real), real)
            elif child.type == "import_statement" and child.child_by_field_name("source") is None:
                for name in child.children_by_field_name("name"):
                    self.imports[_text(name)] = (_python_module(self.path, _text(name)), "", name)
            elif child.child_by_field_name("source") is not None and child.type in ("import_statement", "export_statement"):
                source = posixpath.normpath(
                    posixpath.join(posixpath.dirname(self.path), _text(child.child_by_field_name("source")).strip("'\""))
                )
                for name in _all(child, ("import_specifier", "export_specifier")):
                    real, alias = name.child_by_field_name("name"), name.child_by_field_name("alias")
                    if real is not None:
                        self.imports[_text(alias or real)] = (re.sub(r"\.[jt]sx?$", "", source), _text(real), real)
            else:
                self._imports(child)


class _Linker:
    def __init__(
        self, file: _File, files: Mapping[str, _File], edges: list[tuple[Any, ...]], open_sites: list[tuple[str, str, int, str]]
    ) -> None:
        self.file, self.files, self.edges, self.open_sites = file, files, edges, open_sites

    def link(self) -> None:
        if self.file.root is None:
            return
        for name, (module, real, node) in sorted(self.file.imports.items()):
            target = self._bound(name)
            if target is not None:
                self._edge(node, target, "import")
            elif self._module(module) is not None and real:
                self._open(node, real, "missing")
        self._walk(self.file.root)
        self._overrides()

    def _walk(self, node: Node) -> None:
        for child in node.children:
            if child.type in ("import_from_statement", "import_statement", "comment"):
                continue
            if child.type in ("attribute", "member_expression"):
                self._member(child)
            elif child.type in ("identifier", "type_identifier"):
                target = self._bound(_text(child))
                if target is not None and not self._is_name_of_definition(child) and not _is_keyword(child):
                    self._edge(child, target, _use_of(child))
            self._walk(child)

    def _member(self, node: Node) -> None:
        owner = node.child_by_field_name("object")
        name = node.child_by_field_name("attribute") or node.child_by_field_name("property")
        if owner is None or name is None:
            return
        place = self._bound(_text(owner))
        target = None
        if _text(owner) in ("self", "this", "cls"):
            target = self._method(f"{self.file.path}::{self._class_around(node)}", _text(name))
        elif place is not None and place in self.files:
            target = self._export(self.files[place], _text(name))
        elif place is not None:
            target = self._method(place, _text(name))
        if target is not None:
            self._edge(name, target, _use_of(node))
        elif _use_of(node) == "call":
            self._open(name, _text(name), "receiver")

    def _overrides(self) -> None:
        for _, qualified, kind, line, _ in self.file.symbols:
            owner, _, name = qualified.rpartition(".")
            if kind == "method":
                for base in self._bases(f"{self.file.path}::{owner}"):
                    target = self._method(base, name)
                    if target is not None:
                        self.edges.append((f"{self.file.path}::{qualified}", target, "override", "proved", line, 1))

    def _bases(self, place: Place) -> list[Place]:
        path, _, qualified = place.partition("::")
        found = []
        for node, name in self.files[path].nodes if path in self.files else ():
            listed = node.child_by_field_name("superclasses")
            heritage = [listed] if listed is not None else [child for child in node.children if child.type == "class_heritage"]
            if name == qualified:
                linker = _Linker(self.files[path], self.files, [], [])
                found += [base for part in heritage for one in _all(part, ("identifier",)) for base in [linker._bound(_text(one))] if base]
        return found

    def _method(self, place: Place, name: str) -> Place | None:
        path, _, qualified = place.partition("::")
        if path in self.files and any(symbol[1] == f"{qualified}.{name}" for symbol in self.files[path].symbols):
            return f"{path}::{qualified}.{name}"
        return next((found for base in self._bases(place) for found in [self._method(base, name)] if found), None)

    def _bound(self, name: str) -> Place | None:
        if any(symbol[1] == name for symbol in self.file.symbols):
            return f"{self.file.path}::{name}"
        if name not in self.file.imports:
            return None
        module, real, _ = self.file.imports[name]
        if not real:
            return self._module(module)
        found = self._module(module)
        exported = self._export(self.files[found], real) if found is not None else None
        return exported or self._module(f"{module}/{real}")

    def _export(self, file: _File, name: str) -> Place | None:
        return _Linker(file, self.files, [], [])._bound(name)

    def _module(self, module: str) -> str | None:
        endings = (".py", "/__init__.py", ".ts", ".js", ".tsx", "/index.ts")
        return next((module + ending for ending in endings if module + ending in self.files), None)

    def _class_around(self, node: Node) -> str:
        line = node.start_point.row + 1
        around = [symbol for symbol in self.file.symbols if symbol[2] == "class" and symbol[3] <= line <= symbol[4]]
        return around[-1][1] if around else ""

    def _source(self, node: Node) -> Place:
        found = ""
        around = node.parent
        while around is not None:
            named = next((qualified for one, qualified in self.file.nodes if one.id == around.id and one.type != "assignment"), None)
            if (named is not None and around.type != "variable_declarator") or (named and around.type == "variable_declarator"):
                found = named or found
                break
            around = around.parent
        return f"{self.file.path}::{found}" if found else self.file.path

    def _is_name_of_definition(self, node: Node) -> bool:
        parent = node.parent
        return parent is not None and node in (
            parent.child_by_field_name("name"),
            parent.child_by_field_name("left"),
            parent.child_by_field_name("attribute"),
        )

    def _edge(self, node: Node, target: Place, kind: str) -> None:
        self.edges.append((self._source(node), target, kind, "proved", node.start_point.row + 1, node.start_point.column + 1))

    def _open(self, node: Node, name: str, reason: str) -> None:
        self.open_sites.append((self._source(node), name, node.start_point.row + 1, reason))


def _use_of(node: Node) -> str:
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type in ("call", "call_expression", "new_expression") and node in (
        parent.child_by_field_name("function"),
        parent.child_by_field_name("constructor"),
    ):
        return "call"
    if parent.type == "decorator":
        return "decorate"
    if parent.type in ("type", "type_annotation"):
        return "type"
    if (
        parent.type == "argument_list" and parent.parent is not None and parent.parent.type == "class_definition"
    ) or parent.type == "class_heritage":
        return "inherit"
    if parent.type in ("argument_list", "arguments"):
        return "pass"
    return "read"


def _is_keyword(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "keyword_argument" and node == node.parent.child_by_field_name("name")


def _all(node: Node, kinds: Sequence[str]) -> list[Node]:
    found = [node] if node.type in kinds else []
    return found + [one for child in node.children for one in _all(child, kinds)]


def _python_module(path: str, module: str) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module.replace(".", "/")
    folder = posixpath.dirname(path)
    for _ in range(dots - 1):
        folder = posixpath.dirname(folder)
    return posixpath.join(folder, module.lstrip(".").replace(".", "/")).rstrip("/")


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode()
