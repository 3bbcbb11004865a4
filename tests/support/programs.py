"""Little modules that import, call, inherit, decorate and pass each other around, and edits of them, for property tests.

Everything is drawn from so few names that what one module does nearly always concerns another. A program is a mapping from paths to
statements; statements are patterns whose capital words are filled in. They need not make sense: code on a branch often does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
Pick = Callable[[Sequence[T]], T]  # one of several, as the test draws it
Program = dict[str, list[str]]

FUNCTIONS, CLASSES, VALUES, METHODS, FIXTURES = ("f", "g", "h"), ("A", "B", "D"), ("x", "y", "t"), ("m", "n", "go"), ("runner", "store")
POOLS = (FUNCTIONS, CLASSES, VALUES, METHODS, FIXTURES)

PYTHON = """
import MODULE
import MODULE as q
from MODULE import NAME
from MODULE import NAME as NAME
from MODULE import *
from RELATIVE import NAME
from RELATIVE import *
from . import SIBLING
__all__ = ["NAME", "NAME"]
__all__ += ["NAME"]
__all__ = []
def FUNCTION():¶    return NAME
def FUNCTION(VALUE):¶    return VALUE
def FUNCTION(VALUE, cb=None):¶    cb(VALUE)¶    return cb
def FUNCTION(VALUE: CLASS) -> CLASS:¶    return VALUE.METHOD()
def FUNCTION(*args, **kw):¶    return NAME(*args)
def FUNCTION():¶    VALUE = NAME()¶    return VALUE
def FUNCTION():¶    yield NAME()
def FUNCTION(fn):¶    def inner(*a):¶        return fn(*a)¶    return inner
def FUNCTION(VALUE=None):¶    def deco(fn):¶        NAME(fn)¶        return fn¶    return deco
def FUNCTION(a, b):¶    a.METHOD(b)¶    NAME(b)
async def FUNCTION(VALUE):¶    return await NAME(VALUE)
def FUNCTION(VALUE):¶    VALUE.extra = NAME¶    return VALUE
def FUNCTION(VALUE):¶    for k in VALUE:¶        k.METHOD()
def FUNCTION():¶    return [NAME, NAME]
def FUNCTION():¶    return {"k": NAME, "l": NAME}
def FUNCTION(VALUE=NAME):¶    return VALUE()
def FUNCTION(a: "Alias", b: "list[CLASS]"):¶    a.METHOD()¶    b[0].METHOD()
@NAME¶def FUNCTION(VALUE):¶    return NAME
@NAME()¶def FUNCTION():¶    return CLASS()
@NAME(NAME)¶def FUNCTION(VALUE):¶    VALUE.METHOD()
from typing import overload¶@overload¶def FUNCTION(a: CLASS) -> CLASS: ...¶@overload¶def FUNCTION(a: str) -> CLASS: ...¶def FUNCTION(a):¶    return a
VALUE = lambda VALUE: VALUE.METHOD()
VALUE = [lambda: NAME(), lambda: NAME]
class CLASS:¶    def METHOD(self):¶        return NAME
class CLASS:¶    pass
class CLASS(NAME):¶    def METHOD(self, a=None):¶        return self.METHOD
class CLASS(NAME):¶    METHOD = NAME
class CLASS:¶    def METHOD(self):¶        raise NotImplementedError
class CLASS:¶    def METHOD(self): ...
class CLASS:¶    def METHOD(self): pass¶    def go(self): pass¶    def METHOD(self): pass
def FUNCTION(a: CLASS):¶    a.METHOD()
class CLASS(NAME, NAME):¶    def METHOD(self):¶        return super().METHOD()
class CLASS:¶    def __init__(self, a):¶        self.VALUE = a¶    def METHOD(self):¶        return self.VALUE.METHOD()
class CLASS:¶    def __init__(self):¶        self.VALUE = NAME()¶    def METHOD(self):¶        self.VALUE.METHOD()
class CLASS(NAME):¶    @property¶    def METHOD(self):¶        return NAME()
class CLASS:¶    @classmethod¶    def METHOD(cls):¶        return cls()¶    @staticmethod¶    def go(a):¶        return a()
class CLASS:¶    VALUE: CLASS¶    def __call__(self, a):¶        return self.VALUE
class CLASS(MODULE.NAME):¶    pass
class CLASS(NAME.NAME):¶    class CLASS:¶        def METHOD(self): return NAME()
class CLASS(metaclass=NAME):¶    pass
@NAME¶class CLASS:¶    def METHOD(self, a): a.METHOD()
class CLASS:¶    def __enter__(self):¶        return NAME()¶    def __exit__(self, *a): pass¶    def __iter__(self):¶        return iter([CLASS()])
class CLASS:¶    def __getattr__(self, n):¶        return NAME
def __getattr__(name):¶    return NAME
class CLASS:¶    VALUE = NAME()¶    y = VALUE¶    METHOD = y
class CLASS(NAME):¶    VALUE = NAME(NAME)¶    METHOD = NAME.METHOD
class CLASS:¶    def __set_name__(self, owner, name):¶        NAME(owner)¶    def __get__(self, a, b):¶        return NAME
class CLASS:¶    def __init_subclass__(cls):¶        NAME(cls)
import enum¶class CLASS(enum.Enum):¶    VALUE = 1¶    def METHOD(self): pass
import dataclasses¶@dataclasses.dataclass¶class CLASS:¶    VALUE: CLASS¶    y: list[CLASS]
import typing¶class CLASS(typing.Protocol):¶    def METHOD(self) -> CLASS: ...
VALUE = NAME
VALUE = NAME()
VALUE = NAME.METHOD
VALUE = [NAME, NAME]
VALUE = {"k": NAME}
VALUE: CLASS = NAME()
VALUE = NAME if VALUE else NAME
VALUE["k"] = NAME
VALUE.append(NAME)
VALUE.update(VALUE)
NAME.extra = NAME
NAME.METHOD = NAME
VALUE = VALUE
VALUE, VALUE = NAME, NAME
if VALUE:¶    VALUE = NAME¶else:¶    VALUE = NAME
for VALUE in NAME():¶    VALUE.METHOD()
with NAME() as VALUE:¶    VALUE.METHOD()
VALUE = getattr(NAME, "METHOD")
import functools¶VALUE = functools.partial(NAME, NAME)
VALUE = type(NAME())
try:¶    from MODULE import NAME¶except ImportError:¶    NAME = None
VALUE = MODULE
del VALUE
globals()["x"] = NAME
assert isinstance(VALUE, CLASS)
assert isinstance(NAME.VALUE, CLASS)
if not isinstance(NAME.VALUE, CLASS):¶    raise NAME
NAME.VALUE.METHOD()
NAME()
NAME(NAME)
NAME(NAME())
NAME().METHOD()
NAME().METHOD(NAME())
NAME.METHOD()
NAME.METHOD(NAME)
NAME()()
VALUE["k"]()
VALUE[0].METHOD()
MODULE.NAME()
MODULE.NAME.METHOD()
q.NAME(NAME)
NAME.extra()
NAME.extra.METHOD()
map(NAME, VALUE)
sorted(VALUE, key=NAME)
NAME(VALUE=NAME)
NAME(*VALUE)
print(NAME() + NAME())
VALUE = NAME() if isinstance(VALUE, CLASS) else VALUE.METHOD
import pytest¶@pytest.fixture¶def FIXTURE():¶    return NAME()
import pytest¶@pytest.fixture¶def FIXTURE(FIXTURE):¶    yield NAME()
def test_FUNCTION(FIXTURE):¶    FIXTURE.METHOD()
import pytest¶class TestIt:¶    @pytest.fixture¶    def FIXTURE(self):¶        return NAME()¶    def test_it(self, FIXTURE):¶        FIXTURE.METHOD()
VALUE = {"k": NAME, "l": NAME}
def FUNCTION(key):¶    return VALUE[key]()
def FUNCTION(key: str = "k"):¶    return VALUE.get(key, NAME)
NAME("k")
NAME("l")()
NAME(VALUE)()
from typing import TypeVar¶T = TypeVar("T", bound=CLASS)¶def FUNCTION(a: T) -> T:¶    a.METHOD()
from typing import Generic, TypeVar¶T = TypeVar("T")¶class CLASS(Generic[T]):¶    VALUE: T¶    def METHOD(self) -> T: ...
class CLASS[T]:¶    def METHOD(self) -> "list[T]": ...
def FUNCTION(a: CLASS[CLASS]):¶    a.METHOD().METHOD()¶    a.METHOD()[0].METHOD()¶    a.VALUE.METHOD()
def FUNCTION[T](a: type[T], b=None) -> T: ...
def FUNCTION(a) -> CLASS[CLASS]: ...
NAME(CLASS).METHOD()
NAME(CLASS, NAME).METHOD().METHOD()
Alias = CLASS | CLASS
"""

TYPESCRIPT = """
import { NAME } from "MODULE";
import { NAME as NAME } from "MODULE";
import * as q from "MODULE";
import NAME from "MODULE";
import NAME, { NAME } from "MODULE";
import type { CLASS } from "MODULE";
import "MODULE";
export * from "MODULE";
export * as ns from "MODULE";
export { NAME } from "MODULE";
export { NAME as NAME } from "MODULE";
export { default } from "MODULE";
export { NAME, NAME };
export { NAME as default };
export default NAME;
export default class { METHOD() { return NAME; } }
export default function (a) { return a.METHOD(); }
export default { FUNCTION() {}, k: NAME };
const VALUE = require("MODULE");
const { NAME } = require("MODULE");
module.exports = { NAME, k: NAME };
module.exports = NAME;
module.exports = require("MODULE");
module.exports = { ...require("MODULE"), NAME };
module.exports = class { METHOD() {} };
exports.NAME = NAME;
exports.FUNCTION = () => NAME();
const VALUE = await import("MODULE");
EXPORT function FUNCTION() { return NAME; }
EXPORT function FUNCTION(VALUE) { return VALUE; }
EXPORT function FUNCTION(VALUE, cb) { cb(VALUE); return cb; }
EXPORT function FUNCTION(VALUE: CLASS): CLASS { return VALUE.METHOD(); }
EXPORT function FUNCTION(VALUE: (VALUE: CLASS) => CLASS) { return VALUE(new CLASS()); }
EXPORT const FUNCTION = (VALUE) => VALUE.METHOD();
EXPORT const FUNCTION = () => new CLASS();
EXPORT function FUNCTION(...args) { return NAME(...args); }
EXPORT function FUNCTION() { const VALUE = NAME(); return VALUE; }
EXPORT function FUNCTION(fn) { return (...a) => fn(...a); }
EXPORT async function FUNCTION(VALUE) { return await NAME(VALUE); }
EXPORT function* FUNCTION() { yield NAME(); }
EXPORT function FUNCTION(VALUE = NAME) { return VALUE(); }
EXPORT function FUNCTION({ VALUE, k: VALUE }) { VALUE.METHOD(); }
EXPORT function FUNCTION(a: CLASS): a is CLASS { return true; }
EXPORT function FUNCTION(VALUE) { if (VALUE instanceof CLASS) { VALUE.METHOD(); } else { VALUE.go(); } }
EXPORT class CLASS { METHOD() { return NAME; } }
EXPORT class CLASS {}
EXPORT class CLASS extends NAME { METHOD(a) { return this.METHOD; } }
EXPORT class CLASS extends NAME { METHOD() { return super.METHOD(); } }
EXPORT class CLASS { constructor(a) { this.VALUE = a; } METHOD() { return this.VALUE.METHOD(); } }
EXPORT class CLASS { constructor(private VALUE: CLASS) {} METHOD() { return this.VALUE.METHOD(); } }
EXPORT class CLASS extends NAME { constructor() { super(NAME); } }
EXPORT class CLASS { VALUE = NAME(); static METHOD() { return new this(); } }
EXPORT class CLASS { VALUE: CLASS; get METHOD() { return this.VALUE; } set METHOD(v) { NAME(v); } }
EXPORT class CLASS { METHOD = () => { NAME(); }; }
EXPORT class CLASS implements CLASS { METHOD() {} }
EXPORT class CLASS extends NAME(NAME) {}
EXPORT const FUNCTION = (Base) => class extends Base { METHOD() {} };
EXPORT class CLASS<T> { METHOD(a: T): T { return a; } }
EXPORT interface CLASS { METHOD(): CLASS; VALUE: CLASS }
EXPORT interface CLASS { METHOD(): CLASS }
EXPORT class CLASS { VALUE = NAME; METHOD() {} METHOD() {} }
EXPORT function FUNCTION() { return { METHOD() { return NAME; }, VALUE: NAME }; }
EXPORT interface CLASS { (a: CLASS): CLASS; METHOD: (a: CLASS) => void }
EXPORT interface CLASS extends CLASS { VALUE?: CLASS }
EXPORT type CLASS = { METHOD(): CLASS; VALUE: CLASS };
EXPORT const VALUE = { METHOD() {}, go() {}, METHOD() {} };
EXPORT type CLASS = CLASS | CLASS;
EXPORT type CLASS = (a: CLASS) => CLASS;
EXPORT type CLASS = ReturnType<typeof FUNCTION>;
EXPORT type CLASS = Record<string, CLASS>;
EXPORT type CLASS = CLASS[];
EXPORT enum CLASS { VALUE = 1 }
EXPORT namespace CLASS { export function FUNCTION() { return NAME; } }
EXPORT const VALUE = NAME;
EXPORT const VALUE = NAME();
EXPORT let VALUE = new CLASS();
EXPORT const VALUE: CLASS = { METHOD() { NAME(); } };
EXPORT const VALUE = { NAME, k: NAME, METHOD() { return this.k; } };
EXPORT const VALUE = { ...VALUE, METHOD: NAME };
EXPORT const VALUE = [NAME, NAME];
EXPORT const VALUE = NAME.METHOD;
EXPORT const { VALUE } = NAME();
EXPORT const VALUE = VALUE ? NAME : NAME;
EXPORT const VALUE = new Map([["k", NAME]]);
EXPORT const VALUE = NAME.bind(null, NAME);
EXPORT const VALUE = NAME as CLASS;
let VALUE;
VALUE = NAME;
VALUE.k = NAME;
VALUE.extra = NAME;
NAME.prototype.METHOD = NAME;
NAME.prototype.METHOD = function () { return this.METHOD(); };
NAME.extra = NAME;
NAME.METHOD = () => NAME;
Object.assign(NAME.prototype, { METHOD() {} });
Object.assign(VALUE, { NAME });
VALUE.push(NAME);
VALUE.set("k", NAME);
CLASS.prototype = new CLASS();
NAME();
NAME(NAME);
NAME(new CLASS());
new CLASS().METHOD();
new CLASS(NAME).METHOD(new CLASS());
NAME.METHOD();
NAME.METHOD(NAME);
NAME()();
VALUE.k();
VALUE["k"]();
VALUE[0].METHOD();
q.NAME();
q.NAME.METHOD();
new q.CLASS();
q.default();
ns.NAME();
NAME.extra();
NAME.extra.METHOD();
VALUE.map(NAME);
VALUE.forEach((VALUE) => VALUE.METHOD());
VALUE.get("k")();
Promise.resolve(NAME()).then(NAME);
NAME.call(null, NAME);
NAME((a) => a.METHOD());
new FUNCTION().METHOD();
const z: CLASS = NAME(); z.METHOD();
for (const VALUE of NAME()) VALUE.METHOD();
"""

ELEMENTS = """
EXPORT function CLASS(props: CLASS) { return <CLASS VALUE={NAME} />; }
EXPORT const CLASS = ({ VALUE }) => <CLASS VALUE={VALUE}><NAME /></CLASS>;
<CLASS VALUE={NAME} />;
"""

# What is written into the body of a function that is there.
PYTHON_INSIDE = """
VALUE = NAME
VALUE = NAME()
VALUE = NAME(VALUE, NAME)
VALUE = VALUE.METHOD()
VALUE = VALUE["k"] if VALUE else NAME
VALUE += NAME()
VALUE: CLASS = NAME()
VALUE = [NAME, VALUE]
VALUE = {"k": VALUE}
VALUE = lambda: VALUE()
VALUE, VALUE = VALUE, NAME
NAME()
NAME(VALUE)
NAME(VALUE, NAME)
NAME(NAME(VALUE, NAME))
NAME([VALUE, NAME])
NAME(lambda: VALUE)
import pytest¶NAME(pytest.param(VALUE, NAME))
NAME.METHOD(VALUE)
VALUE.METHOD(VALUE)
VALUE.append(VALUE)
VALUE.insert(0, NAME)
VALUE.reverse()
VALUE.extra = VALUE
VALUE.METHOD = NAME
VALUE["k"] = VALUE
VALUE["k"]()
VALUE["k"].METHOD()
self.VALUE = VALUE
self.METHOD(VALUE)
"a text"
f"{VALUE}"
assert isinstance(VALUE, CLASS)
assert not isinstance(VALUE.x, CLASS)
if VALUE is None:¶    return NAME
if VALUE:¶    VALUE = NAME¶    NAME(VALUE)
if isinstance(VALUE, CLASS):¶    VALUE.METHOD()
for VALUE in NAME():¶    VALUE = NAME
with NAME() as VALUE:¶    NAME(VALUE)
while VALUE:¶    VALUE = VALUE.METHOD()
return VALUE
return [VALUE]
yield VALUE
raise NAME(VALUE)
global VALUE
del VALUE
def inner():¶    VALUE = NAME¶    return VALUE
def inner(a=VALUE):¶    nonlocal VALUE¶    VALUE = NAME
class CLASS:¶    y = VALUE¶    def METHOD(self):¶        return VALUE
from MODULE import NAME as VALUE
"""

TYPESCRIPT_INSIDE = """
const VALUE = NAME;
const VALUE = NAME();
let VALUE = NAME(VALUE, NAME);
var VALUE = VALUE.METHOD();
VALUE = NAME;
VALUE += NAME();
const VALUE: CLASS = NAME();
const VALUE = [NAME, VALUE];
const VALUE = { VALUE, k: NAME };
NAME();
NAME(VALUE);
NAME(() => VALUE);
NAME([VALUE, NAME]);
NAME.METHOD(VALUE);
VALUE.push(VALUE);
VALUE.extra = VALUE;
this.VALUE = VALUE;
this.METHOD(VALUE);
if (VALUE) { VALUE = NAME; }
if (VALUE instanceof CLASS) { return VALUE; }
if (!(VALUE instanceof CLASS)) return;
for (const VALUE of NAME()) VALUE.METHOD();
return VALUE;
throw new CLASS(VALUE);
function inner() { return VALUE; }
"""


@dataclass(frozen=True)
class Kit:
    """What programs of one language are made of. configs: path -> what the file may be."""

    paths: tuple[str, ...]
    modules: tuple[str, ...]
    comment: str
    configs: Mapping[str, tuple[str, ...]]


KITS = {
    "python": Kit(
        paths=(
            "a.py", "b.py", "c.py", "pkg/__init__.py", "pkg/d.py", "pkg/e.py", "space/w.py", "conftest.py",
            "tests/conftest.py", "tests/test_a.py", "pkg/a.py", "a/__init__.py", "lib/a.py", "space/__init__.py", "pkg/d.pyi", "deep/k.py",
        ),
        modules=("a", "b", "c", "pkg", "pkg.d", "pkg.e", "space.w", "space", "pkg.a", "deep.k", "nowhere", "os"),
        comment="# note\n",
        configs={
            "pyproject.toml": (
                "[tool.pytest.ini_options]\npythonpath = ['lib']", "[project]\ndependencies = ['a', 'pkg']",
                "[tool.setuptools.packages.find]\nwhere = ['lib', 'deep']", "[",
            ),
            "setup.cfg": ("[options]\npackage_dir =\n    = lib", ""),
        },
    ),
    "typescript": Kit(
        paths=(
            "a.ts", "b.ts", "c.js", "d.tsx", "e.mjs", "g.cjs", "lib/index.ts", "lib/k.ts", "lib/a.js", "src/a.ts", "a/index.ts", "a.d.ts",
            "b.test.ts", "c.ts", "pk/src/main.ts",
        ),
        modules=("./a", "./b", "./c", "./d", "./e.mjs", "./g.cjs", "./lib", "./lib/k", "../a", "./k", "./index", "@/a", "pk",
                 "./a.js", "../b", "nowhere"),
        comment="// note\n",
        configs={
            "tsconfig.json": (
                '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
                '{"compilerOptions": {"paths": {"@/*": ["lib/*"], "./a": ["./c"]}}}', "{",
            ),
            "package.json": ('{"name": "top", "type": "module"}', '{"name": "top", "workspaces": ["pk"]}'),
            "pk/package.json": ('{"name": "pk", "main": "src/main.ts"}', '{"name": "pk", "exports": {".": "./src/main.ts"}}',
                                '{"name": "other"}'),
        },
    ),
}  # fmt: skip

_HOLES = {
    "NAME": FUNCTIONS + CLASSES + VALUES, "FUNCTION": FUNCTIONS, "CLASS": CLASSES, "VALUE": VALUES, "METHOD": METHODS, "FIXTURE": FIXTURES,
    "RELATIVE": (".", "..", ".d", ".e", "..a", ".a"), "SIBLING": ("d", "e", "a"), "EXPORT": ("", "export", "export"),
}  # fmt: skip
_HOLE = re.compile("MODULE|" + "|".join(_HOLES))
_WORD = re.compile(r"[A-Za-z_]\w*")


def _statements(table: str) -> tuple[str, ...]:
    return tuple(line.replace("¶", "\n") for line in table.strip().split("\n"))


_PYTHON, _TYPESCRIPT, _ELEMENTS = _statements(PYTHON), _statements(TYPESCRIPT), _statements(ELEMENTS)
_PYTHON_INSIDE, _TYPESCRIPT_INSIDE = _statements(PYTHON_INSIDE), _statements(TYPESCRIPT_INSIDE)


def a_statement(pick: Pick, kit: Kit, path: str) -> str:
    """A statement (or the whole text of a configuration file) for the file at `path`."""
    if path in kit.configs:
        return pick(kit.configs[path])
    table = _PYTHON if _is_python(path) else _TYPESCRIPT + _ELEMENTS if path.endswith(".tsx") else _TYPESCRIPT
    return _filled(pick, kit, pick(table))


def _is_python(path: str) -> bool:
    return path.endswith((".py", ".pyi"))


def _filled(pick: Pick, kit: Kit, pattern: str) -> str:
    return _HOLE.sub(lambda hole: pick(kit.modules if hole[0] == "MODULE" else _HOLES[hole[0]]), pattern).strip()


def a_file(pick: Pick, kit: Kit, path: str) -> list[str]:
    return [a_statement(pick, kit, path) for _ in range(1 if path in kit.configs else pick((2, 3, 4, 6)))]


def a_program(pick: Pick, kit: Kit) -> Program:
    """Five to eight files."""
    found: Program = {}
    for _ in range(pick((5, 6, 8))):
        path = pick((*kit.paths, *kit.paths, *kit.configs))
        found[path] = a_file(pick, kit, path)
    return found


def an_edit(pick: Pick, kit: Kit, program: Program, earlier: Sequence[Program]) -> Program:
    """The program after one change of the kind that people make."""
    after = {path: list(statements) for path, statements in program.items()}
    every = (*kit.paths, *kit.configs)
    edit = pick(_EDITS) if after else "add file"
    path = pick(sorted(after)) if after else ""
    statements = after.get(path, [])
    at = pick(range(len(statements))) if statements else 0
    match edit:
        case "replace" if statements:
            statements[at] = a_statement(pick, kit, path)
        case "insert":
            statements.insert(at, a_statement(pick, kit, path))
        case "delete" if statements:
            del statements[at]
        case "move" if statements:
            statements.insert(pick(range(len(statements))), statements.pop(at))
        case "comment":
            statements.insert(0, kit.comment)
        case "inside" if statements and path in kit.paths:
            statements[:] = _edited_inside(pick, kit, path, statements)
        case "rename" if statements:
            statements[at] = _renamed(pick, statements[at])
        case "rename everywhere":
            pool = pick(POOLS)
            old, new = pick(pool), pick((*pool, "fresh"))
            after = {one: [re.sub(rf"\b{old}\b", new, text) for text in its] for one, its in after.items()}
        case "add file":
            new_path = pick(every)
            after[new_path] = a_file(pick, kit, new_path)
        case "delete file":
            del after[path]
        case "move file":
            new_path = pick(kit.paths)
            if new_path not in after and path in kit.paths:
                after[new_path] = after.pop(path)
        case "revert":
            before = pick(earlier)
            if before:
                old_path = pick(sorted(before))
                after[old_path] = list(before[old_path])
        case "binary" if path in kit.paths:
            after[path] = ["\0"]
    return after


_EDITS = (
    "replace", "replace", "replace", "insert", "insert", "delete", "delete", "move", "comment", "inside", "inside", "inside", "inside", "rename",
    "rename", "rename everywhere", "add file",
    "delete file", "move file", "revert", "revert", "binary",
)  # fmt: skip


def _edited_inside(pick: Pick, kit: Kit, path: str, statements: Sequence[str]) -> list[str]:
    """The statements after one line of a body came, went or became another, where any has a body."""
    found = list(statements)
    bodies = [at for at, text in enumerate(found) if _BODY[_is_python(path)].search(text)]
    if not bodies:
        return found
    at = pick(bodies)
    places = list(_BODY[_is_python(path)].finditer(found[at]))
    place = pick(places)
    line = _filled(pick, kit, pick(_PYTHON_INSIDE if _is_python(path) else _TYPESCRIPT_INSIDE))
    if _is_python(path):
        line = line.replace("\n", place[0])
    text, what = found[at], pick(("insert", "insert", "insert", "replace", "delete"))
    ends = re.compile(r"\n|$" if _is_python(path) else r";(?= )|$").search(text, place.end())
    end = ends.end() - ends[0].count("\n") if ends else len(text)
    if what == "insert":
        end = place.end()
        line += place[0] if _is_python(path) else " "
    found[at] = text[: place.start()] + text[end:] if what == "delete" else text[: place.end()] + line + text[end:]
    return found


_BODY = {True: re.compile(r"\n +"), False: re.compile(r"(?<=\)) \{ |(?<=;) ")}  # where a statement of a body may begin


def _renamed(pick: Pick, statement: str) -> str:
    """The statement with one of its names replaced by another of the same sort."""
    words = [word for word in _WORD.finditer(statement) if any(word[0] in pool for pool in POOLS)]
    if not words:
        return statement
    word = pick(words)
    pool = next(pool for pool in POOLS if word[0] in pool)
    return statement[: word.start()] + pick(pool) + statement[word.end() :]


def contents(program: Program) -> dict[bytes, bytes]:
    """A program -> its files."""
    return {path.encode(): ("\n".join(statements) + "\n").encode() for path, statements in program.items()}
