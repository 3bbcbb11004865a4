"""Path -> what kind of file it is: one ordered table of patterns, the first row that matches wins, and source is what none matches.

A kind never hides a file: it decides how far down a list it goes, and what is called a test. So where a name could mean two
things (`django/test/client.py` is shipped code, `test/client.js` is a test) a row asks for more than the name: that the folder
stands at the top of the repository, or at the top of one package of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import re2

from index.types import PathKind


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are
    options.never_capture = True
    return options


def _compiled(pattern: str) -> Any:
    """In a linear engine: a stranger chooses the paths, and they may be as long as they like."""
    return re2.compile(pattern.encode(), _options())


def _together(patterns: Iterable[str]) -> Any:
    """Patterns -> a set that says in one search which of them a path matches: in a tenth of the time that one after the other takes."""
    found = re2.Set.SearchSet(_options())
    for pattern in patterns:
        found.Add(pattern.encode())
    found.Compile()
    return found


ANYWHERE = r"(?:^|/)"
TOP = (
    r"^(?:(?:packages|apps|libs|modules|crates|services|plugins|projects)/(?:@[^/]+/)?[^/]+/)?"  # of the repository, or of a package in it
)


@dataclass(frozen=True, slots=True)
class Row:
    pattern: str
    kind: PathKind
    example: str  # a path that only this row answers
    compiled: Any = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", _compiled(self.pattern))


KINDS: tuple[Row, ...] = (
    # other people's code
    Row(ANYWHERE + r"(?:node_modules|bower_components|jspm_packages|\.yarn)/", PathKind.VENDOR, "web/node_modules/react/index.js"),
    Row(ANYWHERE + r"(?:site-packages|dist-packages|\.venv|\.tox|\.nox|__pypackages__)/", PathKind.VENDOR, "lib/site-packages/six.py"),
    Row(ANYWHERE + r"(?:_?vendor|_?vendored|vendors|third[-_]?party)/", PathKind.VENDOR, "pip/_vendor/urllib3/response.py"),
    Row(TOP + r"(?:venv|virtualenv|Pods)/", PathKind.VENDOR, "venv/bin/activate_this.py"),
    # made by a program from something else
    Row(r"_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|_pb\.(?:js|d\.ts)$", PathKind.GENERATED, "api/order_pb2.py"),
    Row(r"\.min\.(?:js|mjs|cjs|css)$|[-.]bundle\.js$|\.(?:js|mjs|cjs|css)\.map$", PathKind.GENERATED, "static/jquery.min.js"),
    Row(r"\.generated\.|\.gen\.(?:go|ts|js|py)$|\.g\.dart$|\.designer\.cs$", PathKind.GENERATED, "schema/types.generated.ts"),
    Row(ANYWHERE + r"[^/]*_generated\.[a-z]+$", PathKind.GENERATED, "api/zz_generated.go"),
    Row(ANYWHERE + r"(?:__generated__|generated|autogen)/", PathKind.GENERATED, "app/__generated__/query.ts"),
    Row(ANYWHERE + r"(?:dist|build|out)/(?:.*/)?[^/]+\.d\.[cm]?ts$", PathKind.GENERATED, "dist/index.d.ts"),
    Row(
        ANYWHERE + r"(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.lock|[^/]+\.lockb)$",
        PathKind.GENERATED,
        "web/package-lock.json",
    ),
    # what a build leaves behind
    Row(
        ANYWHERE + r"(?:(?:[a-z0-9]+[_-])?dist|_build|\.next|\.nuxt|\.output|\.svelte-kit|\.turbo|__pycache__|[^/]+\.egg-info)/",
        PathKind.BUILD,
        "web/dist/app.js",
    ),
    Row(TOP + r"(?:build|out|target)/", PathKind.BUILD, "packages/web/build/app.js"),
    # kept, no longer used
    Row(ANYWHERE + r"(?:archived|legacy|deprecated|obsolete|attic|old|_old)/", PathKind.ARCHIVE, "shop/legacy/cart.py"),
    Row(TOP + r"_?archives?/", PathKind.ARCHIVE, "archive/2019/report.py"),
    # tests
    Row(
        ANYWHERE + r"(?:tests|__tests__|__mocks__|__snapshots__|__fixtures__|testdata|test[-_]data|e2e|cypress)/",
        PathKind.TEST,
        "shop/tests/factories.py",
    ),
    Row(ANYWHERE + r"[^/]+[-_]tests/", PathKind.TEST, "integration_tests/checkout.py"),
    Row(ANYWHERE + r"(?:src/|Lib/)test/", PathKind.TEST, "billing/src/test/java/TaxCase.java"),
    Row(TOP + r"(?:test|spec)/", PathKind.TEST, "packages/ky/test/helpers/server.ts"),
    Row(r"^t/", PathKind.TEST, "t/integration/tasks.py"),
    Row(ANYWHERE + r"test_[^/]*\.pyi?$", PathKind.TEST, "shop/test_cart.py"),
    Row(ANYWHERE + r"[^/]+_tests?\.(?:py|go|rs|rb|exs|cc|cpp|dart)$", PathKind.TEST, "shop/cart_test.py"),
    Row(ANYWHERE + r"(?:conftest|tests)\.py$", PathKind.TEST, "shop/conftest.py"),
    Row(r"[.-](?:test|spec|test-d|e2e)\.[cm]?[jt]sx?$", PathKind.TEST, "src/cart.test.ts"),
    Row(ANYWHERE + r"(?:tests?|spec)\.[cm]?[jt]sx?$", PathKind.TEST, "src/addDays/test.ts"),
    Row(ANYWHERE + r"[^/]+_spec\.(?:rb|lua)$", PathKind.TEST, "models/cart_spec.rb"),
    Row(ANYWHERE + r"[^/]*[a-z0-9](?:Tests?|IT)\.(?:java|kt|cs|scala|swift|php)$", PathKind.TEST, "shop/CartTest.java"),
    # for people
    Row(TOP + r"docs?/", PathKind.DOCS, "docs/conf.py"),
    Row(r"\.(?:md|mdx|rst|adoc|asciidoc)$", PathKind.DOCS, "shop/README.md"),
    Row(
        ANYWHERE + r"(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|LICEN[CS]E|COPYING|AUTHORS|CONTRIBUTING|NOTICE)(?:\.txt)?$",
        PathKind.DOCS,
        "LICENSE",
    ),
)

_ROWS = _together(row.pattern for row in KINDS)
_ANY_ROW = _compiled("|".join(f"(?:{row.pattern})" for row in KINDS))


def kind_of(path: bytes) -> PathKind:
    """A repository-relative path, as git has it -> its kind."""
    row = row_of(path)
    return PathKind.SOURCE if row is None else row.kind


def row_of(path: bytes) -> Row | None:
    """A path -> the row of the table that says its kind; None for source."""
    rows: list[int] | None = _ROWS.Match(path)
    if rows:
        return KINDS[min(rows)]
    if _ANY_ROW.search(path) is None:  # a set of patterns finds nothing either where its memory does not suffice
        return None
    return next(row for row in KINDS if row.compiled.search(path))
