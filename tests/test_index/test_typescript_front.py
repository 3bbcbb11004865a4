"""What one TypeScript or JavaScript file says by itself: its symbols, where their names come from, and what JSDoc adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.build import build
from index.languages import language_of
from index.languages.typescript import JAVASCRIPT, TYPESCRIPT
from index.languages.typescript.jsdoc import comments, type_tree
from index.languages.typescript.respelling import respelled
from index.parsing.columns import tree_of
from index.parsing.facts import facts_of
from index.parsing.kinds import Kind
from index.resolver.program import Unit
from index.types import SymbolKind


def unit_of(text: str, path: str = "a.ts") -> Unit:
    language = language_of(path.encode())
    assert language is not None
    return Unit(0, path, language.name, facts_of(text.encode(), language))


def symbols(text: str, path: str = "a.ts") -> list[str]:
    """`kind name` of every symbol but the module, in order."""
    unit = unit_of(text, path)
    return [f"{SymbolKind(unit.symbol_kind[row]).label} {unit.qualified(row)}" for row in range(1, len(unit.symbol_node))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f() {}", ["function f"]),
        ("const f = () => 1", ["function f"]),
        ("const f = async function g() {}", ["function f"]),
        ("let f; f = () => 1", ["constant f", "function f"]),
        ("const C = class { m() {} }", ["class C", "method C.m"]),
        ("export default function () {}", ["function default"]),
        ("export default class { m() {} }", ["class default", "method default.m"]),
        ("export default () => 1", ["function default"]),
        ("export default { run() {} }", ["constant default", "method default.run"]),
        ("class A { #x = 1; m = () => 1; get p() { return 1 } static s() {} constructor(private db: Db) {} }",
         ["class A", "field A.#x", "method A.m", "property A.p", "method A.s", "method A.constructor", "field A.db"]),
        ("class A { constructor() { this.x = 1; this.f = () => 1 } }", ["class A", "method A.constructor", "field A.x", "method A.f"]),
        ("class A { x: number; constructor() { this.x = 1 } }", ["class A", "field A.x", "method A.constructor"]),
        ("enum E { A, B = 2, 'c' }", ["enum E", "member E.A", "member E.B", "member E.c"]),
        ("interface I { a: string; f(): void; g: () => void; (): void }", ["interface I", "field I.a", "method I.f", "method I.g"]),
        ("type T = { a: string; deep: { b: number } }", ["type T", "field T.a", "field T.deep", "field T.deep.b"]),
        ("namespace N { export const a = 1; export function f() {} }", ["namespace N", "constant N.a", "function N.f"]),
        ("const api = { load() {}, save: () => 1, deep: { run() {} }, limit: 1 }",
         ["constant api", "method api.load", "method api.save", "field api.deep", "method api.deep.run", "field api.limit"]),
        ("const h = wrap(() => core())", ["constant h", "lambda h.<lambda>"]),
        ("const { a, b: [c], ...rest } = x", ["constant a", "constant c", "constant rest"]),
        ("call(function named() {})", ["function named"]),
    ],
)  # fmt: skip
def test_what_a_file_defines(text: str, expected: list[str]) -> None:
    assert symbols(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exports.f = function () {}", ["function f"]),
        ("module.exports = function () {}", ["function default"]),
        ("module.exports = class Cart {}", ["class Cart"]),
        ("module.exports = { f() {}, g: () => 1, limit: 2 }", ["function f", "function g", "constant limit"]),
        ("function C() { this.x = 1 }\nC.prototype.m = function () {}\nC.make = () => 1",
         ["function C", "field C.x", "method C.m", "method C.make"]),
        ("function C() {}\nC.prototype = { m() {}, n: () => 1 }", ["function C", "method C.m", "method C.n"]),
        ("const app = {}\napp.use = function use() {}\napp.limit = 1", ["constant app", "method app.use", "field app.limit"]),
        ("const x = require('./x'), { y } = require('./y')", []),
    ],
)  # fmt: skip
def test_what_a_file_in_the_way_of_node_defines(text: str, expected: list[str]) -> None:
    assert symbols(text, "a.js") == expected


def test_overloads_are_one_symbol_that_starts_at_the_first() -> None:
    unit = unit_of("export function f(a: string): void;\nexport function f(a: number): void;\nexport function f(a: any) {}\n")

    assert unit.symbol_text(1) == "f" and len(unit.symbol_node) == 2
    assert unit.facts["symbol_start"][1] == 0
    assert unit.facts["symbol_at"][1] == unit.facts["line_starts"][2] + len("export function ")


def test_overloads_of_a_method_are_one_symbol() -> None:
    assert symbols("class A { f(a: string): void; f(a: number): void; f(a: any) {} g(): void }") == ["class A", "method A.f", "method A.g"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import D, { a, b as c } from 'm'", [("m", "default"), ("m", "a"), ("m", "b")]),
        ("import * as ns from 'm'", [("m", "")]),
        ("import type { T } from 'm'; import 'side'", [("m", "T"), ("side", "")]),
        ("import x = require('m')", [("m", "")]),
        ("export { a as b, default } from 'm'; export * from 'n'; export * as ns from 'o'",
         [("m", "a"), ("m", "default"), ("n", ""), ("o", "")]),
        ("const x = await import('m')", [("m", "")]),
        ("const { a, b: c, ...rest } = require('m')", [("m", "a"), ("m", "b"), ("m", "")]),
        ("const f = require('m').f", [("m", "f")]),
        ("jest.mock('m')", [("m", "")]),
    ],
)  # fmt: skip
def test_what_a_file_imports(text: str, expected: list[tuple[str, str]]) -> None:
    unit = unit_of(text)
    names = unit.names
    rows = zip(unit.listed("import_module"), unit.listed("import_member"), strict=True)
    found = [(names[module], names[member] if member >= 0 else "") for module, member in rows]

    assert found == expected


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_default_is_a_name_like_others_in_an_export_list(path: str) -> None:
    unit = unit_of("import { default as x } from './m'\nexport { x as default, x as other }\nexport { w as y } from './n'", path)

    assert sorted(unit.exports) == ["default", "other", "y"]


def test_a_name_is_looked_up_in_the_block_that_declares_it() -> None:
    unit = unit_of("const a = 1\n{ const a = 2; use(a) }\nuse(a)\nfunction f(a) { use(a) }\n")
    groups = [unit.group[node] for node in range(len(unit.kind)) if unit.kind[node] == Kind.NAME and unit.text(node) == "a"]

    assert groups[0] == groups[3]  # the outer declaration and the use after the block
    assert len({groups[0], groups[1], groups[4]}) == 3
    assert groups[1] == groups[2] and groups[4] == groups[5]


def test_members_parameters_of_types_and_intrinsic_elements_are_not_looked_up() -> None:
    unit = unit_of("const a = 1\nx.a; type F = (a: number) => void; const e = <a>{x}</a>; declare function g(a: number): void", "a.tsx")
    uses = [node for node in range(len(unit.kind)) if unit.kind[node] == Kind.NAME and unit.text(node) == "a" and unit.group[node] >= 0]

    assert len(uses) == 1


def test_signatures_without_separators_are_read() -> None:
    text = (
        b"interface I {\n  <T>(a: T): B<T>\n\n  // another\n  <T, U>(a: U): B<T>\n  <\n    V>(v: V): void\n}\nexport function after() {}\n"
    )

    assert tree_of(text, TYPESCRIPT).error_line == 0
    assert "function after" in symbols(text.decode())


@given(st.binary(max_size=200))
def test_another_spelling_is_as_long(data: bytes) -> None:
    assert len(respelled(data)) == len(data)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Cart", ("name", "Cart")),
        ("?Cart=", ("name", "Cart")),
        ("Cart[]", ("array", ("name", "Cart"))),
        ("Array.<Cart>", ("of", "Array", ("name", "Cart"))),
        ("Promise<Map<string, Cart>>", ("of", "Promise", ("of", "Map", ("name", "string"), ("name", "Cart")))),
        ("Cart|undefined", ("any of", ("name", "Cart"), ("name", "undefined"))),
        ("import('./a').B", ("import", "./a", "B")),
        ("(a: Cart) => Tax", ("function", ("name", "Tax"))),
        ("function(Cart): Tax", ("function", ("name", "Tax"))),
        ("typeof cart", ("typeof", "cart")),
        ("{a: Cart}", ("unknown",)),
        ("", ("unknown",)),
    ],
)
def test_types_in_comments(text: str, tree: tuple[object, ...]) -> None:
    assert type_tree(text) == tree


@given(st.text("Ab<>[](){}|&?!=.,:*'\" ", max_size=60))
def test_any_text_is_read_as_some_type(text: str) -> None:
    assert type_tree(text)


def test_tags_belong_to_the_code_after_the_comment() -> None:
    tags = b"/**\n * @param {Cart} cart\n * @param {int} cart.n\n * @returns {Tax}\n */\n"
    text = b"/** no types */\nlet x\n" + tags + b"// a\nfunction f(cart) {}\n"

    assert list(comments(text)) == [(text.index(b"function"), [("param", "Cart", "cart"), ("returns", "Tax", "")])]


def test_only_javascript_takes_types_from_comments() -> None:
    text = b"/** @type {Cart} */\nlet x\n"

    assert facts_of(text, JAVASCRIPT)["binding_type"].tolist() != facts_of(text, TYPESCRIPT)["binding_type"].tolist()


@given(
    st.lists(
        st.sampled_from(
            "const x = function ( ) { } => class A extends B ; export default import from 'm' * async get #p ` ${ <T> : | & ?. ...".split(
                " "
            )
        ),
        max_size=30,
    )
)
def test_any_source_is_read(words: list[str]) -> None:
    text = " ".join(words)
    for path in ("a.ts", "a.tsx", "a.js"):
        unit = unit_of(text, path)
        assert unit.symbol_kind[0] == SymbolKind.MODULE


def test_types_in_comments_are_read_in_a_file_of_many_parameters_too() -> None:
    functions = "".join(f"/** @param {{Cart}} cart */\nfunction f{at}(cart) {{ cart.total() }}\n" for at in range(100))
    snapshot = build({b"a.js": b"class Cart { total() {} }\n" + functions.encode()})

    (total,) = snapshot.symbols_named("total").tolist()
    assert len(snapshot.edges_to(total)) == 100
