"""A snapshot made from the one before equals one made from nothing, whatever was changed in between.

More examples, with other seeds: `MAGUYVA_EXAMPLES=2000 pytest tests/test_index/test_incremental.py --hypothesis-seed=7`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from index.build import MANY_FILES, Blob, Built, Previous, build_snapshot
from index.engine import Engine
from index.errors import RepositoryTooLarge
from index.languages.python import PYTHON
from index.layers import Parts
from index.links import whole
from index.parsing.facts import facts_of
from index.resolver import evaluate
from index.resolver.common import MAX_OVERRIDERS
from index.resolver.fingerprints import Version, standing
from index.resolver.program import Unit
from index.snapshot import Snapshot
from index.sources import Source
from index.vectors.model import ROW_BYTES
from support.programs import KITS, Program, a_program, an_edit, contents
from support.repositories import DELETED, a_repository

EXAMPLES = int(os.environ.get("MAGUYVA_EXAMPLES", "30"))
PHASES = tuple(phase for phase in Phase if phase is not Phase.shrink or "MAGUYVA_SHRINK" in os.environ)  # which takes minutes
often = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=PHASES)


NOTHING_MORE = [0] * (ROW_BYTES - 2)


class LengthsAsVectors:
    """Stands in for the embedded model: what a chunk says of itself is its length and the name of its symbol."""

    name = "lengths"

    def embed(self, blobs: Sequence[Blob]) -> Sequence[NDArray[np.uint8]]:
        return [
            np.array(
                [[*(end - start, len(name)), *NOTHING_MORE] for start, end, name in zip(starts, ends, names, strict=True)], np.int64
            ).astype(np.uint8)
            for _, starts, ends, names, _ in blobs
        ]

    def forget(self) -> None: ...


def built(
    files: Mapping[bytes, bytes], before: Mapping[bytes, bytes] | None = None, previous: Built | None = None, most_since: float = 2.0
) -> Built:
    """`files` indexed; with `before` and its index, from there. most_since: 0.0 for parts that are all written whole."""
    sources = []
    for path, data in files.items():
        same = before is not None and before.get(path) == data
        sources.append(Source(path, "", len(data), None if same else data, same=same))
    # Such small programs change by more than the share from which everything would be made anew.
    start = None if previous is None else Previous(previous.snapshot, previous.links, most_changed=2.0, most_since=most_since)
    return build_snapshot("", sources, previous=start, embed=LengthsAsVectors())


def differences(ours: Snapshot, theirs: Snapshot) -> list[str]:
    """Every column of every part that is not the same to the last byte, and the edges that are in one only."""
    found = [f"{part}: other columns" for part in ours.parts.keys() ^ theirs.parts.keys() if part not in ("links", "problems")]
    for part in sorted((ours.parts.keys() & theirs.parts.keys()) - {"links"}):
        mine, other = ours.parts[part], theirs.parts[part]
        found += [f"{part}.{column}: in one only" for column in sorted(mine.keys() ^ other.keys())]
        found += [
            f"{part}.{column}" for column in sorted(mine.keys() & other.keys()) if described(mine[column]) != described(other[column])
        ]
    if found:
        found += [f"only from the one before: {edge}" for edge in sorted(edges(ours) - edges(theirs))]
        found += [f"only from nothing: {edge}" for edge in sorted(edges(theirs) - edges(ours))]
    return found


def there_and_back(files: Mapping[bytes, bytes], edited: Mapping[bytes, bytes]) -> list[str]:
    """What differs from an index made from nothing after an edit, and after it is taken back."""
    there = built(edited, files, built(files))
    back = built(files, edited, there)
    return differences(there.snapshot, built(edited).snapshot) + differences(back.snapshot, built(files).snapshot)


def different_links(after: Built) -> list[str]:
    """Columns of the links that are others when they are put together of what is kept of them: those of an earlier commit, and what is
    different since."""
    parts = after.snapshot.parts
    layer = parts.layer("links") if isinstance(parts, Parts) else None
    kept = after.links if layer is None else whole(layer.base, layer.since)
    return [name for name in after.links if name not in kept or described(kept[name]) != described(after.links[name])]


def described(column: NDArray[Any]) -> tuple[str, tuple[int, ...], bytes]:
    return column.dtype.str, column.shape, column.tobytes()


def edges(snapshot: Snapshot) -> set[str]:
    rows = (snapshot.edge(row) for row in range(len(snapshot.parts["edges"]["source"])))
    return {f"{e.source.path}:{e.line}:{e.column} {e.kind.name} {e.target.path}::{e.target.qualified} {e.tier.name}" for e in rows}


# Files of no language of ours that code imports, and the code that does: what they may hold; nothing, and they are not there.
BESIDE = {
    b"looks/look.css": (b"a { color: red }\n", b"a { color: blue }\n", b""),
    b"looks/Page.vue": (b"<template/>\n", b"<template><p/></template>\n", b""),
    b"looks/index.ts": (b"import './look.css'\nimport Page from './Page.vue'\nexport const page = Page\n",),
}


@pytest.mark.parametrize("language", sorted(KITS))
@often
@given(st.data())
def test_whatever_is_edited(language: str, data: st.DataObject) -> None:
    kit = KITS[language]

    def pick(options: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(options))

    def drawn(program: Program) -> dict[bytes, bytes]:
        return contents(program) | {path: text for path, text in ((one, pick(versions)) for one, versions in BESIDE.items()) if text}

    programs: list[Program] = [a_program(pick, kit)]
    files = drawn(programs[0])
    before = built(files)
    for _ in range(pick((1, 2, 4))):
        program = programs[-1]
        for _ in range(pick((1, 1, 1, 3))):
            program = an_edit(pick, kit, program, programs)
        programs.append(program)
        edited = drawn(program)
        after = built(edited, files, before, most_since=pick((0.0, 0.5, 2.0)))

        assert differences(after.snapshot, built(edited).snapshot) == []
        assert different_links(after) == []
        files, before = edited, after


@pytest.mark.parametrize("language", sorted(KITS))
@often
@given(st.data())
def test_an_answer_is_the_same_whatever_was_asked_before(language: str, data: st.DataObject) -> None:
    """Answers that were cut short are kept from one file to the next, or forgotten: links are the same, and what they hang on."""
    program = contents(a_program(lambda options: data.draw(st.sampled_from(options)), KITS[language]))
    kept = built(program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "MOST_CUT_OFF", -1)
        forgotten = built(program)

    assert differences(kept.snapshot, forgotten.snapshot) == []
    assert {name: described(column) for name, column in kept.links.items()} == {
        name: described(column) for name, column in forgotten.links.items()
    }


def test_only_what_a_body_edit_concerns_is_linked_anew() -> None:
    files = {
        b"shop/__init__.py": b"",
        b"shop/tax.py": b"def rate(country):\n    return 0.2\n",
        b"shop/notes.py": b"def note():\n    return 1\n",
    }
    files |= {b"shop/user%d.py" % at: b"from shop.tax import rate\n\n\ndef use():\n    return rate('be')\n" for at in range(20)}
    before = built(files)
    edited = files | {b"shop/notes.py": b"def note():\n    return 2\n"}

    after = built(edited, files, before)

    assert before.linked == len(files)
    assert after.linked == 1


def test_a_style_sheet_that_changed_is_still_what_its_import_leads_to() -> None:
    files = {b"app/index.ts": b"import './look.css'\nexport const app = 1\n", b"app/look.css": b"a { color: red }\n"}
    files |= {b"app/part%d.ts" % at: b"export const part = 1\n" for at in range(5)}
    edited = files | {b"app/look.css": b"a { color: blue }\n"}

    after = built(edited, files, built(files))

    assert "app/index.ts:1:9 IMPORT app/look.css::<module> PROVED" in edges(after.snapshot)
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_type_parameters_of_a_signature_move_with_the_code_around_them() -> None:
    store = b"export interface Atom<V> {\n  read: () => V\n}\n\nexport type Store = {\n  get: <Value>(atom: Atom<Value>) => Value\n}\n"
    user = b"""import type {Atom, Store} from './store'

const waits = (x: unknown) => (x as any)?.then()

const make = <T>(value: () => Promise<T> | T) => waits(value())

export const show = <T>(store: Store, atom: Atom<T>) => make(() => store.get(atom))
"""
    files = {b"app/store.ts": store, b"app/user.ts": user} | {b"app/part%d.ts" % at: b"export const part = 1\n" for at in range(5)}
    before = built(files)
    for edited_store in (b"export const first = [1]\n" + store, store.replace(b"get: <Value>", b"size: number\n  get: <Value>"), b""):
        edited = files | {b"app/store.ts": edited_store}

        assert differences(built(edited, files, before).snapshot, built(edited).snapshot) == []


def test_a_function_that_nobody_uses_concerns_its_own_file_only() -> None:
    files = {b"shop/tax.py": b"def rate(country):\n    return 0.2\n"}
    files |= {b"shop/user%d.py" % at: b"from shop.tax import rate\n\n\ndef use():\n    return rate('be')\n" for at in range(20)}
    before = built(files)
    edited = files | {b"shop/tax.py": b"def other():\n    return 1\n\n\ndef rate(country):\n    return 0.2\n"}

    after = built(edited, files, before)

    assert after.linked == 1
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_who_only_passes_arguments_is_not_concerned_by_a_body() -> None:
    files = {b"shop/tax.py": b"class Book:\n    def shelve(self): ...\n\n\ndef keep(item, times=1):\n    item.shelve()\n"}
    files |= {b"shop/user%d.py" % at: b"from shop.tax import Book, keep\n\n\ndef use():\n    keep(Book())\n" for at in range(20)}
    before = built(files)
    other_body = files | {b"shop/tax.py": files[b"shop/tax.py"] + b"    print(times)\n"}
    other_parameters = files | {b"shop/tax.py": files[b"shop/tax.py"].replace(b"item, times", b"times, item")}

    assert built(other_body, files, before).linked == 1
    assert differences(built(other_body, files, before).snapshot, built(other_body).snapshot) == []
    assert built(other_parameters, files, before).linked == 21
    assert differences(built(other_parameters, files, before).snapshot, built(other_parameters).snapshot) == []


FACTORY = b"""from shop.book import Book, log


def make(title):
    label = title.strip()
    found = Book(label)
    return found
"""


@pytest.mark.parametrize(
    ("old", "new", "linked"),
    [
        pytest.param(b"    return", b"    log(found)\n    return", 1, id="a call more"),
        pytest.param(b"    return", b"    seen = log(title, 1)\n    return", 1, id="a name that nothing reads"),
        pytest.param(b"    return", b"    seen = log(title)\n    log(seen)\n    return", 1, id="a name that only such a call reads"),
        pytest.param(b"    label", b'    """Makes a book."""\n    label', 1, id="a text that says what it does"),
        pytest.param(b"Book(label)", b"Book(title)", 21, id="what it gives is made otherwise"),
        pytest.param(b"    return", b"    label = log\n    return", 21, id="a name that what it gives is made of"),
        pytest.param(b"    return", b"    log([found])\n    return", 21, id="a list that someone else may look into"),
        pytest.param(b"    return", b"    found.author = log\n    return", 21, id="something that is stored"),
        pytest.param(b"    return", b"    assert isinstance(found, str)\n    return", 21, id="what narrows a name"),
        pytest.param(b"    return", b"    if title:\n        return log\n    return", 21, id="another result"),
    ],
)
def test_who_uses_a_result_is_concerned_by_what_makes_it(old: bytes, new: bytes, linked: int) -> None:
    files = {
        b"shop/book.py": b"class Book:\n    def __init__(self, title): ...\n    def shelve(self): ...\n\n\ndef log(what, n=0): ...\n",
        b"shop/make.py": FACTORY,
    }
    files |= {b"shop/user%d.py" % at: b"from shop.make import make\n\n\ndef use():\n    make('a').shelve()\n" for at in range(20)}
    edited = files | {b"shop/make.py": FACTORY.replace(old, new)}

    after = built(edited, files, built(files))

    assert after.linked == linked
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_a_function_beside_others_that_are_declared_several_times_now() -> None:
    shop = b"from typing import overload\n\n\ndef rate(): ...\n\n\ndef other(a): ...\n"
    files = {b"shop.py": shop, b"use.py": b"import shop\n\n\ndef use():\n    shop.rate()\n"}
    edited = files | {b"shop.py": shop.replace(b"def other", b"@overload\ndef other(a: int): ...\n\n\ndef other")}

    after = built(edited, files, built(files))

    assert after.linked == 1
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_a_container_that_is_handed_on_between_storing_and_using() -> None:
    files = {b"a.py": b"def f(): ...\n\n\ndef g(): ...\n\n\ndef fill(table): ...\n"}
    maker = b"""from a import f, fill, g


def make():
    table = {"k": f}
    table["k"] = g
    return table["k"]
"""
    files |= {b"make.py": maker, b"use.py": b"from make import make\n\n\ndef use():\n    make()()\n"}
    edited = files | {b"make.py": maker.replace(b"    return", b"    fill(table)\n    return")}

    after = built(edited, files, built(files))

    assert "use.py:5:5 CALL a.py::f LIKELY" not in edges(built(files).snapshot)
    assert "use.py:5:5 CALL a.py::f LIKELY" in edges(after.snapshot)
    assert differences(after.snapshot, built(edited).snapshot) == []


@pytest.mark.parametrize(
    "after", [b'fill(table)\ntable["k"]()\n', b'table["k"]()\ntable["k"] = h\n', b'if g:\n    table["k"] = h\ntable["k"]()\n']
)
def test_a_container_that_is_handed_on_at_the_top_of_a_file(after: bytes) -> None:
    files = {b"a.py": b"def f(): ...\n\n\ndef g(): ...\n\n\ndef h(): ...\n\n\ndef fill(table): ...\n"}
    maker = b'from a import f, fill, g, h\n\ntable = {"k": f}\ntable["k"] = g\n'
    files |= {b"make.py": maker + b'table["k"]()\n', b"use.py": b"import make\n\n\ndef use():\n    make.table['k']()\n"}
    edited = files | {b"make.py": maker + after}

    there = built(edited, files, built(files))
    back = built(files, edited, there)

    assert edges(there.snapshot) != edges(built(files).snapshot)
    assert differences(there.snapshot, built(edited).snapshot) == []
    assert differences(back.snapshot, built(files).snapshot) == []


@pytest.mark.parametrize("line", [b"T = int", b"from shop import Other as T"])
def test_a_name_that_a_class_gives_its_base_and_that_is_a_type_variable_now(line: bytes) -> None:
    variable = b'T = TypeVar("T")'
    files = {
        b"store.py": b"from typing import Generic, TypeVar\n\n" + variable + b"\n\n\n"
        b"class Store(Generic[T]):\n    def first(self) -> T: ...\n",
        b"shop.py": b"class Cart:\n    def pay(self): ...\n\n\nclass Other: ...\n",
        b"carts.py": b"from typing import TypeVar\n\nfrom store import Store\n\n" + line + b"\n\n\nclass Carts(Store[T]): ...\n",
        b"take.py": b"def take(carts):\n    carts.first().pay()\n",
        b"use.py": b"from carts import Carts\nfrom shop import Cart\nfrom take import take\n\n\n"
        b"def use(carts: Carts[Cart]):\n    take(carts)\n",
    }
    edited = files | {b"carts.py": files[b"carts.py"].replace(line, variable)}

    there = built(edited, files, built(files))
    back = built(files, edited, there)

    assert "take.py:2:19 CALL shop.py::Cart.pay LIKELY" in edges(there.snapshot)
    assert differences(there.snapshot, built(edited).snapshot) == []
    assert differences(back.snapshot, built(files).snapshot) == []


def test_a_default_value_whose_name_a_class_binds_further_down_now() -> None:
    above = b"from a import f, g\n\nkind = f\n\n\nclass Shelf:\n    kind = g\n\n    def sort(self, by=kind):\n        by()\n"
    below = above.replace(b"    kind = g\n\n", b"") + b"\n    kind = g\n"
    files = {b"a.py": b"def f(): ...\n\n\ndef g(): ...\n", b"shelf.py": above}
    edited = files | {b"shelf.py": below}

    after = built(edited, files, built(files))

    assert edges(built(files).snapshot) != edges(after.snapshot)
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_a_constant_of_a_script_to_which_a_member_is_assigned_now() -> None:
    files = {b"a.ts": b"export function f() {}\n", b"use.ts": b"import { x } from './table'\nexport function use() { x() }\n"}
    table = b"import { f } from './a'\nimport { out } from 'out'\n\nconst table: any = out()\nexport const x = table['a']\n"
    files |= {b"table.ts": table}
    edited = files | {b"table.ts": table.replace(b"out()\n", b"out()\ntable.a = f\n")}

    after = built(edited, files, built(files))

    assert any("CALL a.ts::f" in edge for edge in edges(after.snapshot) - edges(built(files).snapshot))
    assert differences(after.snapshot, built(edited).snapshot) == []
    assert differences(built(files, edited, after).snapshot, built(files).snapshot) == []


def test_a_local_name_that_only_a_class_inside_a_function_reads() -> None:
    files = {b"a.py": b"class A:\n    def m(self): ...\n\n\nclass B:\n    def m(self): ...\n"}
    maker = b"""from a import A, B


def make():
    kind = A
    class Inner:
        def go(self):
            return kind()
    return Inner()
"""
    files |= {b"make.py": maker, b"use.py": b"from make import make\n\n\ndef use():\n    make().go().m()\n"}
    edited = files | {b"make.py": maker.replace(b"kind = A", b"kind = B")}

    after = built(edited, files, built(files))

    assert "use.py:5:17 CALL a.py::B.m LIKELY" in edges(after.snapshot)
    assert differences(after.snapshot, built(edited).snapshot) == []


def test_members_of_one_name_that_nobody_can_tell_apart_and_that_a_type_has() -> None:
    """Which of the two was which cannot be said of a file that was edited elsewhere: what they meet is looked for anew."""
    types = b"export interface Asked { fake(): void; load(): void }\nexport function use(asked: Asked) { asked.fake(); }\n"
    server = b"export const server = {\n  fake() {},\n  load() {},\n  fake() {},\n};\n"
    files = {b"types.ts": types, b"server.ts": server, b"more.ts": b""}
    before = built(files)
    edited = files | {b"server.ts": b"import './more'\n" + server}

    after = built(edited, files, before)

    assert differences(after.snapshot, built(edited).snapshot) == []


def test_objects_that_say_which_type_they_are_and_meet_it_too() -> None:
    """What says so hides that it meets the type: how many may run where its method is called is the same as from nothing."""
    said = b"".join(b"export const o%d: Asked = { fake() {}, load() {} };\n" % at for at in range(MAX_OVERRIDERS))
    types = b"export interface Asked { fake(): void; load(): void }\n"
    use = b"import { Asked } from './types'\nexport function use(asked: Asked) { asked.fake(); }\n"
    files = {b"types.ts": types, b"use.ts": use, b"said.ts": b"import { Asked } from './types'\n" + said}
    edited = files | {b"use.ts": use + b"export const more = 1;\n"}

    assert differences(built(edited, files, built(files)).snapshot, built(edited).snapshot) == []


def test_a_file_that_others_waited_for() -> None:
    files = {b"user%d.py" % at: b"from late import rate\n\n\nrate()\n" for at in range(4)} | {b"z%d.py" % at: b"" for at in range(20)}
    before = built(files)
    arrived = files | {b"late.py": b"def rate():\n    pass\n"}

    after = built(arrived, files, before)

    assert after.linked == 5
    assert differences(after.snapshot, built(arrived).snapshot) == []


@settings(max_examples=max(EXAMPLES // 10, 2), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(st.data())
def test_through_git_and_the_caches_on_disk_and_beside_the_one_before(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    def pick(options: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(options))

    folder = tmp_path_factory.mktemp("program")
    kit = KITS[pick(sorted(KITS))]
    programs = [a_program(pick, kit)]
    filler = {f"filler/z{at}.txt": f"file {at}\n" for at in range(3)}
    repository = a_repository(folder / "repository")
    repository.commit({**{path.decode(): text for path, text in contents(programs[0]).items()}, **filler})
    for number in range(3):
        program = an_edit(pick, kit, programs[-1], programs)
        was, now = contents(programs[-1]), contents(program)
        commit = repository.commit(
            {path.decode(): now.get(path, DELETED) for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
        )
        programs.append(program)

        with Engine(repository.path, folder / "home", vectors=False) as engine:
            engine.most_overlaid = 2.0
            beside = engine.overlay(engine.update(f"{commit}~1"), commit)
            assert commit not in engine.store.refs(engine.key)
            report = engine.impact(f"{commit}~1..{commit}")
            from_the_one_before = engine.update(commit)
        with Engine(repository.path, folder / f"other{number}", vectors=False) as engine:
            from_nothing = engine.update(commit)

        assert differences(from_the_one_before, from_nothing) == []
        assert differences(beside, from_nothing) == []
        with Engine(repository.path, folder / f"other{number}", vectors=False) as engine:
            engine.update(f"{commit}~1")
            assert report == engine.impact(f"{commit}~1..{commit}")
    with Engine(repository.path, folder / "home", vectors=False) as engine:
        assert differences(engine.update(commit), from_nothing) == []


def test_a_repository_of_which_nothing_is_parsed_can_be_updated(tmp_path):
    repository = a_repository(tmp_path / "repo")
    repository.commit({"main.go": "package main\n\nfunc main() {}\n", "README.md": "Says hello.\n"})
    with Engine(repository.path, tmp_path / "home", vectors=False) as engine:
        engine.update()
    repository.commit({"main.go": 'package main\n\nfunc main() { println("hello") }\n'})

    with Engine(repository.path, tmp_path / "home", vectors=False) as engine:
        from_the_one_before = engine.update("HEAD")
    with Engine(repository.path, tmp_path / "other", vectors=False) as engine:
        assert differences(from_the_one_before, engine.update("HEAD")) == []


@pytest.mark.parametrize(("limit", "most"), [("MOST_READ", 50_000), ("MOST_FILES", 40)])
def test_a_commit_of_too_many_copies_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(f"index.engine.{limit}", most)
    repository = a_repository(tmp_path / "repository")
    repository.commit({f"a{at}.py": f"x = {at}\n" for at in range(30)})
    repository.commit({f"copy{at}.txt": "word " * 1_000 for at in range(20)})

    for home in ("from nothing", "from the one before"):
        with Engine(repository.path, tmp_path / home, vectors=False) as engine:
            if home == "from the one before":
                engine.update("HEAD~1")
            with pytest.raises(RepositoryTooLarge, match="at most"):
                engine.update("HEAD")
    with Engine(repository.path, tmp_path / "both", vectors=False) as engine, pytest.raises(RepositoryTooLarge):
        engine.impact("HEAD~1..HEAD")


def test_a_first_index_of_many_files_knows_what_imports_mean_by_the_configuration() -> None:
    """Contents are let go early there, to save memory."""
    files = {
        b"tsconfig.json": b'{"compilerOptions": {"paths": {"@shop/*": ["./packages/*/src"]}}}',
        b"packages/tax/src/index.ts": b"export function rate() {}\n",
        b"packages/cart/src/cart.ts": b'import { rate } from "@shop/tax"\nrate()\n',
    }
    many = files | {b"notes/%d.ts" % at: b"export {}\n" for at in range(MANY_FILES)}

    assert edges(built(many).snapshot) == edges(built(files).snapshot) != set()


SHELVES = b"""import shop.book
from shop.book import Book, log


def first(title, make=Book):
    found = make(title)
    found.shelve()
    return found


class Shelf:
    kind = Book

    def __init__(self, size):
        self.size = size
        self.books = [Book("a")]

    @staticmethod
    def other(key=None):
        def inner():
            return Book(key).shelve()
        return inner

    def sort(self, by):
        by(self.books[0]).shelve()
        for book in self.books:
            log(book)
            helper(book)


def last(shelf: Shelf):
    shelf.sort(first)
    shelf.other()()
    return shelf.books


last(Shelf(1))
"""

INSIDE = {
    "a body": (b"found.shelve()\n", b"found.shelve()\n    log(found)\n"),
    "another first function": (b"def first(title, make=Book):", b"def zeroth():\n    return Book\n\n\ndef first(title, make=Book):"),
    "a default value": (b"make=Book", b"make=log"),
    "a decorator": (b"    @staticmethod\n", b"    @log\n"),
    "a nested function": (b"return Book(key).shelve()", b"return Book(key)"),
    "a field": (b"self.books = [Book", b"self.books = [log, Book"),
    "a field that comes earlier": (b"    kind = Book\n", b"    kind = Book\n    def early(self):\n        self.books = log\n"),
    "a class attribute": (b"kind = Book", b"kind = log"),
    "a base": (b"class Shelf:", b"class Shelf(Book):"),
    "code at the top": (b"last(Shelf(1))", b"first('b').shelve()"),
    "a name that was not bound": (b"\n\nlast(Shelf", b"\n\ndef helper(it):\n    it.shelve()\n\n\nlast(Shelf"),
    "a name that is bound once more": (b"\n\nlast(Shelf", b"\n\nlog = first\nlast(Shelf"),
    "another import": (b"import Book, log", b"import Book, Book as log"),
    "a star": (b"import Book, log\n", b"import Book, log\nfrom shop.more import *\n"),
    "what is passed": (b"shelf.sort(first)", b"shelf.sort(log)"),
    "another name for a local": (b"found", b"made"),
    "a comment": (b"    found = make(title)", b"    # a comment\n    found = make( title )"),
    "what a field holds": (b"        self.size = size\n", b"        self.size = log\n"),
    "a field that is called": (b"            log(book)\n", b"            self.kind(book)\n"),
    "another signature": (b"def sort(self, by):", b"def sort(self, then, by=None):"),
}


@pytest.mark.parametrize("edit", INSIDE)
def test_functions_that_stand_as_they_were(edit: str) -> None:
    files = {
        b"shop/__init__.py": b"",
        b"shop/book.py": b"class Book:\n    def __init__(self, title): ...\n    def shelve(self): ...\n\n\ndef log(what, n=0): ...\n",
        b"shop/more.py": b"def helper(it):\n    it.shelve()\n",
        b"shop/shelf.py": SHELVES,
        b"use.py": b"from shop.shelf import Shelf, last\n\n\ndef use():\n    last(Shelf(2))[0].shelve()\n",
    }
    edited = files | {b"shop/shelf.py": SHELVES.replace(*INSIDE[edit])}
    assert edited != files

    there = built(edited, files, built(files))
    back = built(files, edited, there)
    elsewhere = built(edited | {b"shop/book.py": files[b"shop/book.py"].replace(b"n=0", b"n")}, edited, there)

    assert differences(there.snapshot, built(edited).snapshot) == []
    assert differences(back.snapshot, built(files).snapshot) == []
    assert differences(elsewhere.snapshot, built(edited | {b"shop/book.py": files[b"shop/book.py"].replace(b"n=0", b"n")}).snapshot) == []


def test_only_the_function_that_was_edited_is_looked_at_again() -> None:
    edited = SHELVES.replace(b"log(book)", b"print(book)")
    old, new = (Version(Unit(0, "a.py", "python", facts_of(text, PYTHON))) for text in (SHELVES, edited))
    symbols = np.arange(len(old.unit.symbol_kind))

    spans = standing(old, new, symbols, [("code", ""), ("stores", "")])
    none = standing(old, new, symbols, [("header", "")])
    but_for_a_name = standing(old, new, symbols, [("top", "Book")])

    def shown(spans: list[tuple[int, int, int]]) -> list[str]:
        starts, ends = old.unit.start, old.unit.end
        return [SHELVES[starts[node] : ends[node]].decode().partition("\n")[0] for node, _, _ in sorted(spans)]

    assert shown(spans) == [
        "import shop.book",
        "from shop.book import Book, log",
        "def first(title, make=Book):",
        "class Shelf:",
        "kind = Book",
        "def __init__(self, size):",
        "def other(key=None):",
        "def sort(self, by):",
        "by(self.books[0]).shelve()",
        "for book in self.books:",
        "helper(book)",
        "def last(shelf: Shelf):",
        "last(Shelf(1))",
    ]
    assert none == []
    assert {"kind = Book", "def first(title, make=Book):"}.isdisjoint(shown(but_for_a_name))
    assert {"class Shelf:", "self.size = size", "def last(shelf: Shelf):"} < set(shown(but_for_a_name))


AROUND = b"""from shop.book import Book, Given, Shop, log, lost
import shop.none

shop = Shop()
shop.open.shelve()


class Shelf(Book):
    kind = Given(log)
    size = log(2)

    def sort(self):
        self.kind()


class Board:
    kind = Shelf


log(Shelf.kind)
lost()
shop.open.shelve()
"""

WITHIN = b"""from shop.book import Book, Given, Shop, log


def fill(shop, size, *more):
    made = Book()
    if size:
        made = Given(size)
        made.shelve()
    else:
        log(made)
    made.shelve()
    kind = made
    log(kind.shelve())
    for one in more:
        last = one
        log(last)
    with shop as open:
        open.shelve()
    shop.open.shelve()
    shop.open.count.shelve()
    try:
        import shop.none
        from shop.book import lost
        lost()
    except ValueError as error:
        error.shelve()

    def inner(a):
        return a, made

    table = {"k": log}
    table["k"](size)
    shop["k"](size)
    inner(size)[1].shelve()
    [log(each) for each in more if each]
    return made
"""

# The same without what the file looks at its own code for, which has all of it linked anew.
ALONE = (
    WITHIN[: WITHIN.index(b"    def inner")]
    + b"""    for each in more:
        size.shelve()
    return made


def typed(shop: Shop, size: Given):
    made = Book()
    shop.open.shelve()
    made.shelve()
    kind = made
    kind.shelve()
    if size:
        made = shop
    other = made
    other.shelve()
"""
)

IN_A_FUNCTION = {
    "a use that moves down": (b"    made.shelve()\n    kind = made\n    kind", b"    kind = made\n    kind"),
    "a use that moves below a binding": (
        b"    made.shelve()\n    kind = made\n    kind.shelve()\n    if size:\n        made = shop\n",
        b"    kind = made\n    kind.shelve()\n    if size:\n        made = shop\n    made.shelve()\n",
    ),
    "a binding that moves above a use": (
        b"    kind.shelve()\n    if size:\n        made = shop\n",
        b"    if size:\n        made = shop\n    kind.shelve()\n",
    ),
    "a binding that moves above another": (
        b"    kind = made\n    kind.shelve()\n    if size:\n        made = shop\n",
        b"    if size:\n        made = shop\n    kind = made\n    kind.shelve()\n",
    ),
    "a condition above all": (b"size: Given):\n", b"size: Given):\n    assert isinstance(shop.open, Book)\n"),
    "a condition that excludes": (b"size: Given):\n", b"size: Given):\n    if isinstance(shop.open, Given):\n        return\n"),
    "what another name is made of": (b"        made = shop\n", b"        made = size\n"),
    "a statement that says nothing": (b"    kind = made\n", b"    count = 1\n    kind = made\n"),
    "a name is given something else": (b"made = Book()", b"made = Shop()"),
    "and once more": (b"    kind = made\n", b"    made = Shop()\n    kind = made\n"),
    "and before": (b"    made = Book()\n", b"    made = Book()\n    kind = log\n"),
    "what a name is made of": (b"    kind = made\n", b"    kind = made or size\n"),
    "a use that moves into a block": (b"        made.shelve()\n    else:\n", b"    else:\n        made.shelve()\n"),
    "a use that moves out of one": (b"    else:\n        log(made)\n    made", b"    log(made)\n    made"),
    "a binding under a condition": (b"    kind = made\n", b"    if size:\n        made = log\n    kind = made\n"),
    "a condition on a name": (b"    kind = made\n", b"    assert isinstance(made, Book)\n    kind = made\n"),
    "a condition on an attribute": (b"    shop.open.shelve()\n", b"    assert isinstance(shop.open, Book)\n    shop.open.shelve()\n"),
    "and on one of that": (b"    shop.open.shelve()\n", b"    assert isinstance(shop.open.count, Book)\n    shop.open.shelve()\n"),
    "a condition with an end": (b"    kind = made\n", b"    if isinstance(made, Book):\n        return\n    kind = made\n"),
    "a loop round more": (b"        log(last)\n", b"        log(last)\n        last = made\n"),
    "what is looped over": (b"in more:\n", b"in [made]:\n"),
    "what is entered": (b"with shop as open", b"with made as open"),
    "a name that is global": (b"    made = Book()\n", b"    global made\n    made = Book()\n"),
    "a name that is another function's": (b"        return a, made\n", b"        nonlocal made\n        made = a\n        return a\n"),
    "a nested function": (b"return a, made", b"return made, a"),
    "a parameter": (b"size, *more", b"size, open, *more"),
    "what a parameter may be": (b"shop, size", b"shop: Shop, size"),
    "what it gives": (b"*more):", b"*more) -> Book:"),
    "a decorator": (b"def fill", b"@log\ndef fill"),
    "a generator": (b"    return made\n", b"    yield made\n"),
    "what a table holds": (b"    table = {", b"    table = {**more, "),
    "what is put into something else": (b"    shop.open.shelve()\n", b'    shop["k"] = log\n    shop.open.shelve()\n'),
    "what is put into it": (b'    table["k"](', b'    table["k"] = Book\n    table["k"]('),
    "an import that is not there": (b"import lost\n", b"import lost, gone\n"),
    "a use of it": (b"        lost()\n", b"        lost()\n        lost(1)\n"),
    "a name that is left out": (b"        last = one\n        log(last)\n", b"        log(one)\n"),
    "a name that is deleted": (b"    kind = made\n", b"    kind = made\n    del made\n"),
    "a name in a comprehension": (b"for each in more if each", b"for each in more if (made := each)"),
    "a name with a type": (b"    kind = made\n", b"    kind: Shop = made\n"),
    "a comment": (b"    kind = made\n", b"    # so\n    kind = made\n"),
}


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        pytest.param(text, edit, id=f"{edit}, {name}")
        for edit, (old, _) in IN_A_FUNCTION.items() for name, text in (("whole", WITHIN), ("alone", ALONE)) if old in text
    ],
)  # fmt: skip
def test_statements_of_a_function_that_stand_as_they_were(text: bytes, edit: str) -> None:
    book = b"""class Book:
    def shelve(self): ...
    def __enter__(self): return Book()


class Given:
    def __init__(self, kind): self.kind = kind
    def shelve(self): self.kind()


class Shop:
    def __init__(self): self.open = Given(log)
    def __enter__(self): return self.open
    def __getitem__(self, key): return Book()
    def shelve(self): ...


def log(what): ...
"""
    files = {b"shop/__init__.py": b"", b"shop/book.py": book, b"shop/fill.py": text}
    files[b"use.py"] = b"from shop.book import Book, Shop, log\nfrom shop.fill import fill\n\nfill(Shop(), log, Book())[0].shelve()\n"
    edited = files | {b"shop/fill.py": text.replace(*IN_A_FUNCTION[edit])}
    assert edited != files

    assert there_and_back(files, edited) == []


BESIDE_FUNCTIONS = {
    "what a condition says of an attribute": (b"shop = Shop()\n", b"shop = Shop()\nassert isinstance(shop.open, Book)\n"),
    "a call of what is not there": (b"lost()", b"lost(1)"),
    "another module that is not there": (b"import shop.none\n", b"import shop.none\nimport shop.other\n"),
    "a field of the same class": (b"size = log(2)", b"size = log(3)"),
    "a field twice": (b"    size = log(2)\n", b"    size = log(2)\n    size = log(2)\n"),
    "a field that is told its name": (b"kind = Given(log)", b"kind = Given(Book)"),
    "a body": (b"self.kind()", b"self.kind(1)"),
    "a base less": (b"Shelf(Book)", b"Shelf"),
    "a field of another class": (b"kind = Shelf\n", b"kind = Book\n"),
    "a decorator of a class": (b"class Board", b"@log\nclass Board"),
    "a class in a class": (b"class Board:\n", b"class Board:\n    class Inner(Book):\n        kind = Given(Book)\n\n"),
    "a use more": (b"log(Shelf.kind)\n", b"log(Shelf.kind)\nlog(Shelf.size)\n"),
    "the same use twice": (b"log(Shelf.kind)\n", b"log(Shelf.kind)\nlog(Shelf.kind)\n"),
    "a name that was imported": (b"lost()\n", b"lost()\nlost = log\n"),
}


@pytest.mark.parametrize("edit", BESIDE_FUNCTIONS)
def test_statements_and_heads_of_classes_that_stand_as_they_were(edit: str) -> None:
    book = b"""class Book:
    def __init_subclass__(cls): ...
    def shelve(self): ...


class Given:
    def __set_name__(self, owner, name): ...
    def __get__(self, a, b): ...


class Shop:
    def __init__(self): self.open = None


def log(what): ...
"""
    files = {b"shop/__init__.py": b"", b"shop/book.py": book, b"shop/shelf.py": AROUND}
    files[b"use.py"] = b"from shop.shelf import Board, Shelf\n\nShelf().kind\nBoard().kind()\n"
    edited = files | {b"shop/shelf.py": AROUND.replace(*BESIDE_FUNCTIONS[edit])}
    assert edited != files

    assert there_and_back(files, edited) == []
