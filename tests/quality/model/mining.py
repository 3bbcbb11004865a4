"""Archives of packages -> pairs of a comment's first sentence and the function it stands at, the comment itself taken out.

Nothing of a package is run or unpacked to disk: archives are read file by file, in memory, and only parsed.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

LARGEST_FILE = 600_000  # bytes; above it stand bundles and generated tables
LONGEST_CODE = 6_000  # bytes of a function that are kept
LONGEST_READ = 20_000  # bytes of a function that are looked at: bundles nest thousands of functions in one
SHORTEST_CODE = 40
MOST_OF_A_PACKAGE = 4_000  # pairs: no package says more than that about how people write

# Folders and files that hold tests, copies of other projects, builds or examples.
LEFT_OUT = re.compile(
    r"(^|/)(tests?|__tests__|testing|testdata|testcases|test-suite|spec|specs|__mocks__|examples?|samples?|demos?|docs?|benchmarks?|bench"
    r"|fixtures?|vendor|vendored|_vendor|third_party|thirdparty|externals?|extern|node_modules|umd|min|site-packages|locale|locales"
    r"|migrations|\.git|debian)(/|$)"
    r"|(^|/)(test_[^/]*|conftest|[^/]*(_test|\.test|\.spec|Test|[.-]min|\.bundle|\.umd|\.d|_pb2|\.pb))\.[a-z]+$"
)

_FUNCTION = "[(arrow_function) (function_expression)]"
_SCRIPT = f"""
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: (_) @name) @function
(variable_declarator name: (_) @name value: {_FUNCTION}) @function
(assignment_expression left: (_) @name right: {_FUNCTION}) @function
(pair key: (_) @name value: {_FUNCTION}) @function
"""


@dataclass(frozen=True)
class Grammar:
    """How one language writes functions and their comments."""

    language: str
    grammar: Callable[[], object]
    query: str
    comments: tuple[str, ...] = ("comment",)
    opens: tuple[str, ...] = ("/**",)  # what a documentation comment begins with
    many_lines: bool = False  # a comment of several lines is several nodes
    owners: tuple[str, ...] = ("class_declaration", "class", "abstract_class_declaration", "interface_declaration")
    inside: bool = False  # the comment is the body's first statement


_SCRIPT_FIELD = f"(field_definition property: (_) @name value: {_FUNCTION}) @function"
_TYPED_FIELD = f"(public_field_definition name: (_) @name value: {_FUNCTION}) @function"
_JAVASCRIPT = Grammar("javascript", tree_sitter_javascript.language, _SCRIPT + _SCRIPT_FIELD)
GRAMMARS: Mapping[str, Grammar] = {
    ".py": Grammar(
        "python", tree_sitter_python.language, "(function_definition name: (_) @name) @function", owners=("class_definition",), inside=True
    ),
    ".js": _JAVASCRIPT,
    ".mjs": _JAVASCRIPT,
    ".jsx": _JAVASCRIPT,
    ".ts": Grammar("typescript", tree_sitter_typescript.language_typescript, _SCRIPT + _TYPED_FIELD),
    ".tsx": Grammar("tsx", tree_sitter_typescript.language_tsx, _SCRIPT + _TYPED_FIELD),
    ".go": Grammar(
        "go",
        tree_sitter_go.language,
        "(function_declaration name: (_) @name) @function (method_declaration name: (_) @name) @function",
        opens=("//",),
        many_lines=True,
    ),
    ".java": Grammar(
        "java",
        tree_sitter_java.language,
        "(method_declaration name: (_) @name) @function (constructor_declaration name: (_) @name) @function",
        comments=("block_comment",),
        owners=("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
    ),
    ".rs": Grammar(
        "rust",
        tree_sitter_rust.language,
        "(function_item name: (_) @name) @function",
        comments=("line_comment",),
        opens=("///",),
        many_lines=True,
        owners=("impl_item", "trait_item"),
    ),
}


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a package. `query`: the first sentence of its comment, "" where it has none that says something."""

    language: str
    path: str
    owner: str
    name: str
    code: bytes
    query: str


def pairs_of(archive: Path) -> list[Function]:
    """An archive -> its functions with a comment, at most MOST_OF_A_PACKAGE, each said once and never the same code twice.

    Which ones are kept where there are too many depends on a hash of their code alone."""
    found: dict[str, list[Function]] = {}
    for path, data in files_of(archive):
        for function in functions_of(path, data):
            if function.query and len(function.code) >= SHORTEST_CODE and function.code.count(b"\n") >= 1:
                found.setdefault(function.query.lower(), []).append(function)
    pairs = {}
    for same in found.values():
        if len({function.name for function in same}) == 1:  # one function, perhaps built for several targets
            best = min(same, key=lambda function: (function.language == "javascript", function.path))
            pairs[code_key(best.code)] = best
    return [function for _, function in sorted(pairs.items(), key=lambda pair: pair[0])[:MOST_OF_A_PACKAGE]]


def code_key(code: bytes) -> bytes:
    """Equal for code that is equal but for white space."""
    return hashlib.blake2b(re.sub(rb"\s+", b"", code), digest_size=12).digest()


# -- archives


def files_of(archive: Path) -> Iterator[tuple[str, bytes]]:
    """A wheel, a tarball or a Debian package -> path and bytes of every source file that is of use, by path."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as file:
            for entry in sorted(file.infolist(), key=lambda entry: entry.filename):
                if wanted(entry.filename, entry.file_size):
                    yield entry.filename, file.read(entry)
    else:
        data = archive.read_bytes()
        yield from files_of_tar(_data_of_deb(data) if archive.suffix == ".deb" else data)


def files_of_tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    """A tarball, compressed or not -> the same."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:  # in the order of the archive: going back would decompress it from its beginning
            name = member.name.removeprefix("./")
            if member.isfile() and wanted(name, member.size) and (content := tar.extractfile(member)) is not None:
                found[name] = content.read()
    yield from sorted(found.items())


def wanted(path: str, size: int) -> bool:
    return 0 < size <= LARGEST_FILE and PurePosixPath(path).suffix in GRAMMARS and not LEFT_OUT.search(path)


def _data_of_deb(deb: bytes) -> bytes:
    """The tarball of files inside a .deb, which is an `ar` archive: 60 bytes of header, content, padding to an even length."""
    at = 8
    while at < len(deb):
        name, size = deb[at : at + 16].decode("ascii").strip(), int(deb[at + 48 : at + 58])
        content = deb[at + 60 : at + 60 + size]
        if name.startswith("data.tar"):
            return lzma.decompress(content) if name.startswith("data.tar.xz") else content
        at += 60 + size + size % 2
    raise ValueError("no files in this .deb")


# -- functions


@cache
def _reader(suffix: str) -> tuple[Grammar, Parser, Query]:
    grammar = GRAMMARS[suffix]
    language = Language(grammar.grammar())
    return grammar, Parser(language), Query(language, grammar.query)


def functions_of(path: str, data: bytes) -> Iterator[Function]:
    """A source file -> its functions, comments taken out of their code."""
    grammar, parser, query = _reader(PurePosixPath(path).suffix)
    tree = parser.parse(data)
    for _, captured in QueryCursor(query).matches(tree.root_node):
        node, name_node = captured["function"][0], captured["name"][0]
        name = _text(name_node).rpartition(".")[2].strip("\"'#")
        code = data[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_READ)]
        if grammar.inside:
            doc, code = _docstring(node, code)
        else:
            doc, code = _comment_above(node, grammar), _NESTED_COMMENT.sub(b"", code)
        sentence = first_sentence(doc, name) if doc else ""
        query = sentence if says_something(sentence) else ""
        yield Function(grammar.language, path, _owner(node, grammar), name, code[:LONGEST_CODE], query)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


_NESTED_DOCSTRING = re.compile(rb"(def [^\n]*:[ \t]*\n[ \t]*)[rRuU]?(\"\"\"|''').*?\2", re.S)


_NESTED_COMMENT = re.compile(rb"/\*\*.*?\*/", re.S)


def _docstring(function: Node, code: bytes) -> tuple[str, bytes]:
    body = function.child_by_field_name("body")
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is not None and first.type == "expression_statement" and first.named_children:
        first = first.named_children[0]
    if first is None or first.type != "string":
        return "", _NESTED_DOCSTRING.sub(rb"\1", code)
    text = re.sub(r"^[rRbBuUfF]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", _text(first))
    low, high = first.start_byte - function.start_byte, first.end_byte - function.start_byte
    return text, _NESTED_DOCSTRING.sub(rb"\1", code[:low] + code[high:])


_WRAPPERS = frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"})
_BETWEEN = frozenset({"decorator", "attribute_item", "marker_annotation", "annotation"})


def _comment_above(function: Node, grammar: Grammar) -> str:
    """The documentation comment that ends right above a function or what wraps it."""
    top = function
    while top.parent is not None and top.parent.type in _WRAPPERS:
        top = top.parent
    line, lines = top.start_point[0], list[str]()
    above = top.prev_sibling
    while above is not None and above.type in _BETWEEN:
        line, above = above.start_point[0], above.prev_sibling
    while above is not None and above.type in grammar.comments:
        text = _text(above).rstrip("\n")
        ends = above.start_point[0] + text.count("\n")
        if line - ends > (1 if grammar.many_lines else 2) or not text.startswith(grammar.opens):
            break
        lines.insert(0, text)
        if not grammar.many_lines:
            break
        line, above = above.start_point[0], above.prev_sibling
    return "\n".join(lines)


def _owner(function: Node, grammar: Grammar) -> str:
    receiver = function.child_by_field_name("receiver")
    if receiver is not None:
        found = re.search(r"\*?\s*([A-Za-z_]\w*)\s*(\[[^\]]*\])?\)", _text(receiver))
        return found[1] if found else ""
    node = function.parent
    while node is not None:
        if node.type in grammar.owners:
            return _text(node.child_by_field_name("name") or node.child_by_field_name("type")).partition("<")[0]
        node = node.parent
    return ""


# -- sentences

_LINE_STARTS = re.compile(r"^\s*(///?|\*(?!/)|/\*\*+)\s?", re.M)
_DIRECTIVE = re.compile(r"^\s*(go:|nolint|\+build|TODO|Deprecated|#|=+$|-+$).*$", re.M)
_ROLES = (
    (re.compile(r":[a-zA-Z:]+:`~?([^`<]*?)(\s*<[^`]*>)?`"), r"\1"),
    (re.compile(r"\{@\w+\s+([^}|]+)[^}]*\}"), r"\1"),
    (re.compile(r"\[([^\]]+)\](\([^)]*\)|\[[^\]]*\])?"), r"\1"),
    (re.compile(r"</?[a-z][^>]*>"), " "),
    (re.compile(r"[`*]|''"), ""),
    (re.compile(r"\s+"), " "),
)
_END_OF_SENTENCE = re.compile(r"(?<=[a-z0-9)\"'])[.!?:](\s|$)")
_SAYS_NOTHING = re.compile(
    r"(?i)\b(deprecated|todo|fixme|internal use|for internal|inherit(ed|doc)|see also|see the|https?|noqa|eslint|copyright|auto-?generated"
    r"|alias (for|of)|same as)\b|@"
)
_CODE = re.compile(r"[<>{}=;|\\]|->|\(\)")


def first_sentence(comment: str, name: str) -> str:
    """A documentation comment -> its first sentence, marks and a leading repetition of the function's name taken out."""
    text = _DIRECTIVE.sub("", _LINE_STARTS.sub("", comment.removesuffix("*/")))
    text = re.split(r"(?m)^\s*@", text)[0].strip()
    text = re.split(r"\n\s*\n", text)[0]
    for pattern, instead in _ROLES:
        text = pattern.sub(instead, text)
    sentence = _END_OF_SENTENCE.split(text.strip())[0].strip().rstrip(".")
    first, _, rest = sentence.partition(" ")
    return rest if name and first.strip("\"'()").lower() == name.lower() else sentence


def says_something(sentence: str) -> bool:
    words = re.findall(r"[A-Za-z]{2,}", sentence)
    return (
        4 <= len(words) <= 40
        and len(sentence) <= 300
        and sentence.isascii()
        and not _SAYS_NOTHING.search(sentence)
        and not _CODE.search(sentence)
    )


def without(pairs: Iterable[Function], seen: set[bytes]) -> list[Function]:
    """Pairs whose code is not in `seen`, which they are added to."""
    kept = []
    for pair in pairs:
        key = code_key(pair.code)
        if key not in seen:
            seen.add(key)
            kept.append(pair)
    return kept
