"""Repositories that nothing was tuned on -> precision and recall of our references against indexes that type checkers make of them (SCIP).

Both indexers come from `npm install @sourcegraph/scip-typescript @sourcegraph/scip-python` in a folder of their own; they read the files
and run none. The index becomes the truth that the bench's `score_refs` takes; made of click and ky it agrees with the bench's own. What an
index says is which places name which symbol. What a place is (a call, a decorator, a type, an import), and what a symbol is (a function, a
method, a class), is read off the grammar's tree, by rules that share nothing with the engine's.

What a variable or member holds is no reference for a type checker, so a right call of it is counted as wrong here.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tree_sitter
import tree_sitter_python
import tree_sitter_typescript
from quality.checkers import node_program
from quality.positions import TIER_SETS, uses
from quality.references import positions_read, write_details
from quality.scorers import graph_scorer
from quality.tables import Figure, Row
from quality.trees import clone_of, files_of_commit, write_commit

from index.build import build

Place = tuple[str, int]

DEFINES, IMPORTS = 1, 2  # roles of an occurrence, as SCIP numbers them
CALL, DECORATOR, BASE, OTHER, TYPE, IMPORT = KINDS = "cdbrti"  # the scorer's kinds of reference; of several on a line the first counts
DESCRIPTOR = re.compile(r"\w+(#|\(\)\.|\.)")  # what stands in a module itself
CONSTRUCTOR = "`<constructor>`()."  # what `new` names, where the class writes one
FUNCTIONS = frozenset(
    """
    function_definition function_declaration generator_function_declaration function_signature method_definition
    arrow_function function_expression generator_function
    """.split()
)
CLASSES = frozenset({"class_definition", "class_declaration", "abstract_class_declaration", "class"})
HOLDERS = frozenset({"variable_declarator", "pair", "public_field_definition", "assignment_expression"})  # of a function written as a value
TYPES = frozenset(
    """
    type_annotation type_arguments type_alias_declaration interface_declaration type type_parameters type_predicate
    type_predicate_annotation as_type
    """.split()
)
BASES = frozenset({"class_heritage", "extends_clause", "implements_clause", "extends_type_clause"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place that names a symbol. `line` and `column` count from 0, as the index writes them."""

    line: int
    column: int
    symbol: str
    roles: int


@dataclass
class Named:
    """A symbol of the truth as it is put together."""

    name: str
    kind: str
    path: str
    first: int
    lines: set[int] = field(default_factory=set)
    uses: dict[Place, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Repository:
    """What is indexed of a commit: folders, and for TypeScript where the package's own names lead."""

    name: str
    commit: str
    folders: tuple[str, ...]
    paths: Mapping[str, str] = field(default_factory=dict)


REPOSITORIES = (
    Repository("encode/httpx", "ae1b9f66238f75ced3ced5e4485408435de10768", ()),
    Repository("pallets/flask", "2ac89889f4cc330eabd50f295dcef02828522c69", ()),
    Repository("pallets/werkzeug", "1b00618e787f40dfb21eba29caf8f8be7c8e1d93", ()),
    Repository("honojs/hono", "28a9c128912de19f3fb28b00ae289c9b93f6f392", ("src",)),
    Repository(
        "pmndrs/zustand",
        "f094eebe9bd3b4b0d77b997f69ab1d273f69a877",
        ("src", "tests"),
        {"zustand": "./src/index.ts", "zustand/*": "./src/*.ts"},
    ),
    Repository("sindresorhus/p-queue", "180ab9e25cd10b6f548767d7176076b50d25e188", ("source", "test")),
    Repository(
        "trpc/trpc",
        "340811ba5320637fbaf48fccf3dbfdd258bd34db",
        ("packages/server/src", "packages/client/src"),
        {
            "@trpc/client": "./packages/client/src",
            "@trpc/client/*": "./packages/client/src/*",
            "@trpc/server": "./packages/server/src",
            "@trpc/server/*": "./packages/server/src/*",
        },
    ),
    Repository(
        "vuejs/core",
        "e2bede96134f757aad5c5b33ac9be055022dbfc8",
        ("packages/*/src", "packages/*/__tests__"),
        {"@vue/*": "./packages/*/src", "vue": "./packages/vue/src"},
    ),
)
VIEWS = ("refs", "uses", "calls")


def scores(
    bench: Path, mirror: Path, tools: Path, *, repositories: Sequence[str] = (), work: Path | None = None, details: Path | None = None
) -> list[Row]:
    """The bench folder, the folder of clones and the folder with `node_modules` of the indexers -> rows per repository and set of tiers.
    `work` keeps the indexes, `details` receives what is wrong and missing. Raises FileNotFoundError, RuntimeError."""
    scorer = graph_scorer(bench, "score_refs")
    rows = []
    for one in REPOSITORIES:
        name = one.name.partition("/")[2]
        if repositories and name not in repositories:
            continue
        clone = clone_of(mirror, one.name)
        files = files_of_commit(clone, one.commit)
        kept = None if work is None else work / f"{name}-{one.commit[:10]}.scip"
        if kept is not None and kept.is_file():
            index = kept.read_bytes()
        else:
            with TemporaryDirectory() as folder:
                index = _indexed(tools, write_commit(clone, one.commit, "", Path(folder)), one)
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(index)
        made = truth(one.name, one.commit, {path.decode("utf-8", "surrogateescape"): content for path, content in files.items()}, index)
        found = uses(build(files))
        for label, tiers in TIER_SETS.items():
            views = scorer.score(made, positions_read(scorer, found, tiers))["views"]
            figures: dict[str, Figure] = {
                f"{view} {part}": views[view][key] for view in VIEWS for part, key in (("P", "precision"), ("R", "recall"), ("F1", "f1"))
            }
            rows.append(Row("typed", f"{name}, {label}", figures))
            if details is not None:
                write_details(details / f"{name}-{label}.txt", scorer, made, [use for use in found if use.tier in tiers])
    return rows


def _indexed(tools: Path, folder: Path, one: Repository) -> bytes:
    (folder / "pyproject.toml").unlink(missing_ok=True)  # its settings for other tools would be obeyed
    if one.folders:
        options = {
            "strict": True,
            "noEmit": True,
            "skipLibCheck": True,
            "target": "es2022",
            "module": "esnext",
            "moduleResolution": "bundler",
            "jsx": "react-jsx",
            "lib": ["esnext", "dom", "dom.iterable"],
            "types": [],
            "allowImportingTsExtensions": True,
            "experimentalDecorators": True,
            "paths": {name: [to] for name, to in one.paths.items()},
        }
        settings = {
            "compilerOptions": options,
            "include": [f"{part}/**/*" for part in one.folders],
            "exclude": ["**/node_modules", "**/dist"],
        }
        (folder / "tsconfig.typed.json").write_text(json.dumps(settings))
        program = [
            *node_program(tools, "@sourcegraph/scip-typescript/dist/src/main.js"),
            "index",
            "--no-progress-bar",
            "tsconfig.typed.json",
        ]
    else:
        (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": ["src"], "include": ["."]}))
        (folder / "environment.json").write_text("[]")
        program = [*node_program(tools, "@sourcegraph/scip-python/index.js"), "index", "--project-name", "typed", "--project-version", "1"]
        program += ["--environment", "environment.json", "--quiet"]
    ran = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode or not (folder / "index.scip").is_file():
        raise RuntimeError(f"{one.name} was not indexed: {ran.stdout[-300:]}{ran.stderr[-300:]}")
    return (folder / "index.scip").read_bytes()


def truth(repository: str, commit: str, files: Mapping[str, bytes], index: bytes) -> dict[str, Any]:
    """The files that were indexed, by path, and the index -> symbols, references and spans of functions. Lines count from 1."""
    read = list(_documents(index))
    documents = {path: occurrences for path, occurrences, _ in read if path in files and _parser(path) is not None}
    kin = [pair for path, _, pairs in read if path in documents for pair in pairs]
    trees = {path: _Tree(path, files[path]) for path in documents}
    symbols: dict[tuple[str, str], Named] = {}
    for path, occurrences in sorted(documents.items()):
        for one in occurrences:
            if one.roles & DEFINES and (found := trees[path].definition(one)) is not None:
                name, kind, first = found
                defined = symbols.setdefault(_key(path, one.symbol), Named(name, kind, path, first))
                if defined.path == path:
                    defined.lines.add(one.line + 1)
                    defined.first = min(defined.first, first)
    for path, occurrences in sorted(documents.items()):
        for one in occurrences:
            named = symbols.get(_meant(path, one.symbol, trees[path].text(one), symbols))
            if named is None or one.roles & DEFINES:
                continue
            if trees[path].definition(one) is not None:
                named.lines.add(one.line + 1)  # the setter of a property
                continue
            kind = trees[path].reference(one)
            place = (path, one.line + 1)
            before = named.uses.get(place, kind)
            named.uses[place] = min(before, kind, key=KINDS.index)
    return _written(repository, commit, symbols, trees, kin)


def _written(
    repository: str, commit: str, symbols: Mapping[tuple[str, str], Named], trees: Mapping[str, _Tree], kin: list[tuple[str, str]]
) -> dict[str, Any]:
    paths = sorted(trees)
    number = {path: at for at, path in enumerate(paths)}
    family = _families(list(symbols), kin)
    listed = sorted(symbols.items(), key=lambda one: (one[1].path, min(one[1].lines), one[1].name))
    return {
        "repo": repository,
        "commit": commit,
        "files": paths,
        "symbols": [
            {
                "name": one.name,
                "kind": one.kind,
                "file": number[one.path],
                "first": one.first,
                "defs": sorted(one.lines),
                "family": family[key],
                "refs": sorted([number[path], line, kind] for (path, line), kind in one.uses.items() if (path, line) not in _own(one)),
            }
            for key, one in listed
        ],
        "spans": {str(number[path]): trees[path].spans() for path in paths},
    }


def _own(symbol: Named) -> set[Place]:
    return {(symbol.path, line) for line in symbol.lines}


def _families(keys: list[tuple[str, str]], kin: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Symbols that override or implement one another have one number."""
    over: dict[str, str] = {}

    def top(symbol: str) -> str:
        while symbol in over:
            symbol = over[symbol]
        return symbol

    for lower, upper in kin:
        if top(lower) != top(upper):
            over[top(lower)] = top(upper)
    numbers: dict[tuple[str, str], int] = {}
    return {key: numbers.setdefault((key[0], top(key[1])), len(numbers)) for key in keys}


def _meant(path: str, symbol: str, text: str, symbols: Mapping[tuple[str, str], Named]) -> tuple[str, str]:
    """What is written names another symbol of the same module than the index says: scip-python takes what comes through `import *` for
    the first definition there."""
    key = _key(path, symbol)
    module, slash, rest = symbol.rpartition("/")
    if slash and symbol.startswith("scip-python") and not rest.startswith(text) and DESCRIPTOR.fullmatch(rest):
        meant = next((found for end in ("#", "().", ".") if (found := _key(path, f"{module}/{text}{end}")) in symbols), None)
        return meant or key
    return key


def _key(path: str, symbol: str) -> tuple[str, str]:
    return (path if symbol.startswith("local ") else "", symbol.removesuffix(CONSTRUCTOR))


class _Tree:
    """A file's syntax tree, asked by position."""

    def __init__(self, path: str, content: bytes) -> None:
        parser = _parser(path)
        assert parser is not None
        self.lines = content.split(b"\n")
        self.root = parser.parse(content).root_node

    def node(self, one: Occurrence) -> tree_sitter.Node:
        line = self.lines[one.line] if one.line < len(self.lines) else b""
        text = line.decode("utf-8", "replace")
        units, at = 0, 0  # the index counts UTF-16 units, the grammar bytes
        while units < one.column and at < len(text):
            units += 2 if ord(text[at]) > 0xFFFF else 1
            at += 1
        column = len(text[:at].encode())
        node = self.root.descendant_for_point_range((one.line, column), (one.line, column + 1))
        return node if node is not None else self.root

    def text(self, one: Occurrence) -> str:
        return (self.node(one).text or b"").decode("utf-8", "replace")

    def definition(self, one: Occurrence) -> tuple[str, str, int] | None:
        """Name, kind and first line of what is defined there; None where that is no function, method or class."""
        node = self.node(one)
        holder = node.parent
        if holder is None or node.child_count:
            return None
        named = holder.child_by_field_name("name") or holder.child_by_field_name("key") or holder.child_by_field_name("left")
        if named is None or named.id != node.id:
            return None
        text = (node.text or b"").decode("utf-8", "replace")
        if text == "constructor" or (text.startswith("__") and text.endswith("__")):
            return None  # the language calls these
        if holder.type in CLASSES:
            return text, "class", _first_line(holder)
        value = holder.child_by_field_name("value") or holder.child_by_field_name("right")
        if holder.type in FUNCTIONS or (holder.type in HOLDERS and value is not None and value.type in FUNCTIONS):
            return text, "method" if _in_class(holder) else "function", _first_line(holder)
        return None

    def reference(self, one: Occurrence) -> str:
        node: tree_sitter.Node | None = self.node(one)
        assert node is not None
        callee = node
        while (above := callee.parent) is not None and above.type in {"attribute", "member_expression", "non_null_expression"}:
            if callee.id not in {part.id for name in ("attribute", "property") if (part := above.child_by_field_name(name)) is not None}:
                break
            callee = above
        for name in ("function", "constructor", "tag"):
            if above is not None and above.type in {"call", "call_expression", "new_expression"}:
                part = above.child_by_field_name(name)
                if part is not None and part.id == callee.id:
                    return DECORATOR if above.parent is not None and above.parent.type == "decorator" else CALL
        if above is not None and above.type == "decorator":
            return DECORATOR
        inner: tree_sitter.Node | None = None
        while node is not None:
            if node.type in {"import_statement", "import_from_statement", "export_specifier", "future_import_statement"}:
                return IMPORT
            if node.type in BASES or (node.type == "argument_list" and node.parent is not None and node.parent.type == "class_definition"):
                return BASE
            if node.type in TYPES or (node.type in {"as_expression", "satisfies_expression"} and node.children[-1] == inner):
                return TYPE
            if node.type in FUNCTIONS or node.type in {"block", "statement_block"}:
                break
            inner, node = node, node.parent
        return OTHER

    def spans(self) -> list[list[int]]:
        """First line, last line and line of the name of every function with a name."""
        found = []
        for node in _walk(self.root):
            if node.type in FUNCTIONS:
                holder = node
                if node.child_by_field_name("name") is None:
                    if node.parent is None or node.parent.type not in HOLDERS:
                        continue
                    holder = node.parent
                name = holder.child_by_field_name("name") or holder.child_by_field_name("key") or holder.child_by_field_name("left")
                if name is not None:
                    found.append([holder.start_point[0] + 1, node.end_point[0] + 1, name.start_point[0] + 1])
        return sorted(found)


def _first_line(node: tree_sitter.Node) -> int:
    above = node.parent
    return (above if above is not None and above.type == "decorated_definition" else node).start_point[0] + 1


def _in_class(node: tree_sitter.Node) -> bool:
    above = node.parent
    if above is not None and above.type == "decorated_definition":
        above = above.parent
    if above is None or above.type == "class_body":
        return above is not None
    return above.type == "block" and above.parent is not None and above.parent.type in CLASSES


def _walk(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.children)


def _parser(path: str) -> tree_sitter.Parser | None:
    end = path.rpartition(".")[2]
    grammar = {
        **dict.fromkeys(("py", "pyi"), tree_sitter_python.language),
        **dict.fromkeys(("ts", "mts", "cts"), tree_sitter_typescript.language_typescript),
        **dict.fromkeys(("tsx", "js", "jsx", "mjs", "cjs"), tree_sitter_typescript.language_tsx),
    }.get(end)
    return tree_sitter.Parser(tree_sitter.Language(grammar())) if grammar else None


def _documents(index: bytes) -> Iterator[tuple[str, list[Occurrence], list[tuple[str, str]]]]:
    """Path, occurrences, and pairs of symbols of which the first overrides or implements the second."""
    for number, value in _fields(index):
        if number != 2:
            continue
        path, occurrences, pairs = "", [], []
        for part, inner in _fields(value):
            if part == 1:
                path = inner.decode()
            elif part == 2:
                occurrences.append(_occurrence(inner))
            elif part == 3:
                pairs += _relations(inner)
        yield path, occurrences, pairs


def _occurrence(message: bytes) -> Occurrence:
    place, symbol, roles = [0, 0], "", 0
    for number, value in _fields(message):
        if number == 1:
            place = _numbers(value)
        elif number == 2:
            symbol = value.decode()
        elif number == 3:
            roles = int.from_bytes(value, "little")
    return Occurrence(place[0], place[1], symbol, roles)


def _relations(message: bytes) -> list[tuple[str, str]]:
    symbol, above = "", []
    for number, value in _fields(message):
        if number == 1:
            symbol = value.decode()
        elif number == 4:
            said = dict(_fields(value))
            if 3 in said:
                above.append(said[1].decode())
    return [(symbol, one) for one in above]


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """A protocol buffer's message -> number and content of each field; of a number its bytes, the lowest first."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        if key & 7 == 0:
            value, at = _varint(message, at)
            yield key >> 3, value.to_bytes(8, "little")
        elif key & 7 == 2:
            size, at = _varint(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        else:
            raise ValueError("the index holds a field that SCIP doesn't have")


def _numbers(packed: bytes) -> list[int]:
    found, at = [], 0
    while at < len(packed):
        value, at = _varint(packed, at)
        found.append(value)
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
