"""Code that is made to lead the resolver astray, and mistakes of ours: neither costs more than the files that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from index.build import Built, Previous, build, build_snapshot, parse_all
from index.impact import analyse as analysing
from index.impact import chosen_at_run_time
from index.languages.language import Language
from index.languages.python import PYTHON
from index.languages.python import front as python_front
from index.languages.typescript import TYPESCRIPT
from index.languages.typescript import front as typescript_front
from index.parsing.facts import FAILED, Facts, facts_of, facts_of_many
from index.resolver import closures, dispatch, fingerprints, structural
from index.resolver.common import MEETS
from index.resolver.evaluate import FUEL, LONGEST_CHAIN, MAX_NESTING, Evaluator
from index.resolver.limits import UNLINKED
from index.resolver.program import Unit
from index.resolver.script import ScriptEvaluator
from index.sources import Source
from index.types import EdgeKind, Unresolved
from index.version import compiled
from support.changes import a_change

DEEP = 380  # levels of syntax, which is nearly all that is read
CHAINS = {"attributes": ".a" * DEEP, "calls": "()" * DEEP, "methods": ".a()" * (DEEP // 2), "items": "[0]" * DEEP}


def towers(chain: str) -> dict[bytes, bytes]:
    """Files whose expressions are as deep as can be; each ends in one of the next file, every few of them in a base of a class."""
    files: dict[bytes, bytes] = {}
    number = 0
    for _ in range(MAX_NESTING + 1):
        for hop in range(FUEL):
            defined = f"class x(y{chain}): pass" if hop + 1 == FUEL else f"x = y{chain}"
            files[f"m{number:03}.py".encode()] = f"from m{number + 1:03} import x as y\n{defined}\n".encode()
            number += 1
    return files | {f"m{number:03}.py".encode(): b"class x: pass\n"}


@pytest.mark.parametrize("kind", CHAINS)
def test_expressions_as_deep_as_can_be_are_followed_to_their_end(kind: str) -> None:
    files = towers(CHAINS[kind])
    snapshot = build(files)

    imported = snapshot.parts["edges"]["kind"] == EdgeKind.IMPORT
    assert imported.sum() >= len(files) - 1


def test_a_chain_of_imports_without_end_is_followed_for_long_and_the_rest_is_open() -> None:
    size = 1_500
    files = {f"m{number:05}.py".encode(): f"from m{number + 1:05} import x\n".encode() for number in range(size)}
    snapshot = build(files | {f"m{size:05}.py".encode(): b"x = 1\n"})

    followed = int((snapshot.parts["edges"]["kind"] == EdgeKind.IMPORT).sum())

    assert LONGEST_CHAIN < followed < LONGEST_CHAIN * FUEL
    assert len(snapshot.parts["open"]["reason"]) == size - followed
    assert set(snapshot.parts["open"]["reason"].tolist()) == {Unresolved.DYNAMIC}


def test_classes_that_stand_on_each_other_a_thousand_times_have_their_bases() -> None:
    size = 1_000
    lines = ["class C0: pass", *(f"class C{number}(C{number - 1}): pass" for number in range(1, size))]
    snapshot = build({b"a.py": "\n".join(lines).encode()})

    assert (snapshot.parts["edges"]["kind"] == EdgeKind.INHERIT).sum() == size - 1


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    """Grows by one with each call of a function or method."""
    calls: list[str] = []
    original = getattr(owner, name)

    def counting(*arguments: Any) -> Any:
        calls.append(name)
        return original(*arguments)

    monkeypatch.setattr(owner, name, counting)
    return calls


def test_lists_that_are_put_together_from_each_other_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["function f() {}", "const b0: any = [f];"]
    lines += [f"const b{at + 1} = b{at}.concat(b{at}, [f], b{at});\nb{at + 1}[0]();" for at in range(6)]
    calls = counted(monkeypatch, ScriptEvaluator, "_call")

    built = build_snapshot("", sources({b"a.ts": "\n".join(lines).encode()}))

    assert callers(built, "f") == {"a.ts"}
    assert len(calls) < 20  # once for each call that is written


def test_objects_that_are_spread_into_each_other_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 12
    lines = ["function f() {}", "const a0 = { f };"]
    lines += [f"const a{at + 1} = {{ ...a{at}, ...a{at}, ...a{at} }};" for at in range(size)]
    calls = counted(monkeypatch, ScriptEvaluator, "object_items")

    built = build_snapshot("", sources({b"a.ts": "\n".join([*lines, "a4.f();", f"a{size}.f();"]).encode()}))

    assert callers(built, "f") == {"a.ts"}
    assert len(calls) < 20 * size  # for each amount of fuel at most


def test_type_parameters_that_classes_pass_on_are_not_followed_again_for_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "".join(f'{letter} = TypeVar("{letter}")\n' for letter in "TABCD")
    text = f"from typing import Generic, TypeVar\n{letters}def f(): ...\nclass Thing:\n    def run(self): f()\n"
    text += "class Box(Generic[A, B, C, D]): ...\nclass L0(Generic[T]):\n    def get(self) -> T: ...\nclass Near(L0[T]): ...\n"
    text += "".join(f"class L{at + 1}(L{at}[Box[T, T, T, T]]): ...\n" for at in range(6))
    text += "def near(it: Near[Thing]):\n    it.get().run()\ndef deep(it: L6[Thing]):\n    it.get().run()\n"
    calls = counted(monkeypatch, Evaluator, "type_argument")

    built = build_snapshot("", sources({b"a.py": text.encode()}))

    assert callers(built, "Thing.run") == {"a.py"}
    assert len(calls) < 500  # not four times as many for each class


def test_an_object_that_is_copied_onto_many_classes_is_of_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 30
    lines = ["const Rings: any = {", *(f"  ring{at}() {{ return this.ring{(at + 1) % size}(); }}," for at in range(size)), "};"]
    lines += [f"class Door{at} {{}}\nObject.assign(Door{at}.prototype, Rings);" for at in range(size)]
    calls = counted(monkeypatch, ScriptEvaluator, "mixed_in")

    built = build_snapshot("", sources({b"a.ts": "\n".join(lines).encode()}))

    assert callers(built, "Rings.ring1") == {"a.ts"}
    assert len(calls) < size


def test_a_long_chain_of_local_names_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 200
    lines = ["def f(a0):", *(f"    a{at + 1} = a{at}" for at in range(size)), "    b = a0", f"    return a{size}"]
    version = fingerprints.Version(Unit(0, "a.py", "python", facts_of("\n".join(lines).encode(), PYTHON)))
    calls = counted(monkeypatch, fingerprints, "one_of")

    silent = version.silent()

    assert [version.unit.text(node + 1) for node in silent] == ["b"]
    assert len(calls) < 20


# mistakes of ours

FILES = {
    b"shop.py": b"from tax import rate\n\ndef total(net):\n    return net * rate()\n",
    b"tax.py": b"def rate():\n    return 2\n",
    b"web.py": b"from shop import total\n\ntotal(3)\n",
}


def sources(files: dict[bytes, bytes], same: Sequence[bytes] = ()) -> list[Source]:
    return [Source(path, "", len(data), None if path in same else data, same=path in same) for path, data in files.items()]


def damaged(asked: Sequence[tuple[Source, Language]]) -> Sequence[Facts]:
    """Facts that make no sense in one file, as a mistake in a front end would make them."""
    made = list(parse_all(asked))
    for row, (source, _) in enumerate(asked):
        if source.path == b"shop.py":
            made[row] = Facts({**made[row].columns, "import_member": np.full(1, 9_999, np.int32)}, made[row].names)
    return made


def callers(built: Built, name: str) -> set[str]:
    snapshot = built.snapshot
    edges = [snapshot.edge(row) for row in range(len(snapshot.parts["edges"]["source"]))]
    return {edge.source.path for edge in edges if edge.target.qualified == name and edge.kind == EdgeKind.CALL}


def test_a_mistake_of_ours_in_one_file_costs_that_file_its_links_and_is_said() -> None:
    built = build_snapshot("", sources(FILES), damaged)

    assert [(one.path, one.message) for one in built.problems] == [("shop.py", UNLINKED)]
    assert list(built.failures) == ["shop.py"]
    assert callers(built, "total") == {"web.py"}
    assert callers(built, "rate") == set()


def test_such_a_file_is_tried_again_with_the_next_commit() -> None:
    before = build_snapshot("", sources(FILES), damaged)
    after = FILES | {b"web.py": b"from shop import total\n\ntotal(4)\n"}
    previous = Previous(before.snapshot, before.links, most_changed=1.0)
    built = build_snapshot("", sources(after, same=[b"shop.py", b"tax.py"]), parse_all, previous)

    assert built.problems == ()
    assert callers(built, "rate") == {"shop.py"}


def test_a_front_end_that_fails_costs_one_file_its_facts_and_no_line_its_number() -> None:
    def front_end(tree: object, builder: object) -> None:
        assert b"boom" not in tree.data  # type: ignore[attr-defined]
        PYTHON.front_end(tree, builder)  # type: ignore[arg-type]

    language = replace(PYTHON, front_end=front_end)
    good, bad = b"def total(): pass\n", b"def boom():\n    pass\n"
    made = facts_of_many([(good, language), (bad, language), (good, language)])

    assert [int(facts["extra"][0]) for facts in made] == [0, FAILED, 0]
    assert [len(facts["symbol_node"]) for facts in made] == [2, 1, 2]
    assert made[1]["line_starts"].tolist() == [0, 12, 21]


def met_by(files: dict[bytes, bytes]) -> int:
    """How many methods meet methods of protocols and types that their classes do not name."""
    edges = build(files).parts["edges"]
    return int(((edges["kind"] == EdgeKind.IMPLEMENT) & (edges["chain"] == MEETS)).sum())


def test_many_interfaces_with_the_members_of_many_classes_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class meets each of them: edges in the cube of what is written."""
    monkeypatch.setattr(structural, "MOST_PAIRS", 1_000)
    members, bodies = "".join(f"m{at}(): void; " for at in range(12)), "".join(f"m{at}() {{}} " for at in range(12))
    many = "".join(f"interface I{at} {{ {members} }}\nclass C{at} {{ {bodies} }}\n" for at in range(12))
    few = "interface Ship { embark(): void }\nclass Boat { embark() {} }\n"

    assert met_by({b"few.ts": few.encode()}) == 1
    assert met_by({b"few.ts": few.encode(), b"many.ts": many.encode()}) == 1


def test_members_of_a_class_are_not_counted_out_for_all_that_inherit_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members times heirs: both fit into one file, and their product into no memory."""
    monkeypatch.setattr(structural, "MOST_PAIRS", 1_000)
    looked_at: list[int] = []

    class Counted(closures.Grouped):
        def of(self, keys, rows):
            found = super().of(keys, rows)
            looked_at.append(len(found[0]))
            return found

    monkeypatch.setattr(dispatch, "Grouped", Counted)
    body = "".join(f"    def m{at}(self): ...\n" for at in range(40))
    heirs = "".join(f"class C{at}(B): pass\n" for at in range(60))
    program = f"from typing import Protocol\nclass P(Protocol):\n{body}class B:\n{body}{heirs}"

    build({b"a.py": program.encode()})
    assert looked_at and max(looked_at) < 1_000


def test_aliases_that_name_others_twice_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    aliased = Evaluator._aliased

    def counted(self, unit, group, fuel):
        asked.append(group)
        return aliased(self, unit, group, fuel)

    monkeypatch.setattr(Evaluator, "_aliased", counted)
    aliases = "".join(f"A{at} = Dict[List[A{at - 1}], Callable[[], A{at - 1}]]\n" for at in range(1, 20))
    build({b"a.py": f"from typing import Callable, Dict, List\nclass A: ...\nA0 = Dict[A, A]\n{aliases}def f(x: A19): x[0]()\n".encode()})

    assert len(asked) <= 20 * FUEL
    assert compiled() or len(asked) >= 10  # compiled code calls its own method


def children_asked_for(monkeypatch: pytest.MonkeyPatch, front: Any) -> list[int]:
    """How many children a front end was told with each question for those of a node."""
    found: list[int] = []
    kids = front._Reader.kids

    def counted(self, node):
        answer = kids(self, node)
        found.append(len(answer))
        return answer

    monkeypatch.setattr(front._Reader, "kids", counted)
    return found


SIZE = 500
SIBLINGS = {
    "conditions": (PYTHON, "isinstance(a, b)\n" * SIZE),
    "items": (PYTHON, f"[{'isinstance(a, b), ' * SIZE}]\n"),
    "branches": (PYTHON, "if isinstance(a, b):\n    raise\n" + "elif isinstance(a, b):\n    raise\n" * SIZE),
    "results": (PYTHON, "def f(a=None):\n" + "    if a is None: return 1\n" * SIZE),
    "functions": (TYPESCRIPT, "function f() {}\n" * SIZE),
    "signatures": (TYPESCRIPT, "function f(): void;\n" * SIZE + "function f() {}\n"),
}


@pytest.mark.parametrize("kind", SIBLINGS)
def test_what_stands_among_many_is_not_looked_for_among_all_of_them_each_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    language, text = SIBLINGS[kind]
    asked = children_asked_for(monkeypatch, typescript_front if language is TYPESCRIPT else python_front)

    assert facts_of(text.encode(), language)["extra"][0] == 0
    assert sum(asked) < 30 * SIZE


def test_results_that_hang_on_conditions_are_told_up_to_a_bound() -> None:
    most = python_front._MOST_GUARDS
    text = "def f(a=None):\n" + "    if a is None: return 1\n" * SIZE

    assert most <= len(facts_of(text.encode(), PYTHON)["guard_return"]) < most + 2 * SIZE


LIKE_VALUES = {
    "py": """TABLE = {"[9,NUMBER]": 1, "[9,0,1]": use}

def use(name):
    return TABLE[name]()

use("[9,NUMBER,")
use("[9,0,1]")
""",
    "js": """const TABLE = {"[9,NUMBER]": 1, "[9,0,1]": use}
function use(name) { return TABLE[name]() }
use("[9,NUMBER,")
use("[9,0,1]")
""",
}


@pytest.mark.parametrize("language", sorted(LIKE_VALUES))
@pytest.mark.parametrize("number", [0, 2**31, 2**64])
def test_a_text_that_looks_like_what_is_kept_of_links_is_a_text(language: str, number: int) -> None:
    files = {
        f"table.{language}".encode(): LIKE_VALUES[language].replace("NUMBER", str(number)).encode(),
        f"more.{language}".encode(): b"a = 1\n",
    }
    before = build_snapshot("", [Source(path, "", len(data), data) for path, data in files.items()])
    moved = b"import os\n\n\n" if language == "py" else b"const first = 1\n\n\n"
    files[f"table.{language}".encode()] = moved + files[f"table.{language}".encode()]
    sources = [Source(path, "", len(data), data) for path, data in files.items()]

    after = build_snapshot("", sources, previous=Previous(before.snapshot, before.links, most_changed=2.0))

    whole = build_snapshot("", sources)
    assert not before.failures and not after.failures
    assert [whole.links[column].tolist() for column in ("edges", "loose")] == [
        after.links[column].tolist() for column in ("edges", "loose")
    ]


def test_who_chooses_a_member_of_a_class_is_found_once_for_all_that_changed_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else members that changed times places that choose one times classes of the family."""
    asked: list[int] = []
    below = chosen_at_run_time.below

    def counted(head, owner):
        asked.append(owner)
        return below(head, owner)

    monkeypatch.setattr(chosen_at_run_time, "below", counted)
    methods, heirs = "".join(f"    def m{at}(self): return 1\n" for at in range(30)), "".join(f"class C{at}(B): pass\n" for at in range(9))
    text = f"class B:\n{methods}{heirs}def use(name):\n    getattr(C7, name)\n    getattr(use, name)\n"
    report = analysing.analyse(a_change({"a.py": text}, {"a.py": text.replace("return 1", "return 2")}))

    assert {(site.line, site.changed) for site in report.open_sites} == {(42, at) for at in range(30)}
    assert len(asked) == 1


def test_reads_of_a_property_are_looked_for_once_for_all_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else properties of a name times all symbols and lines that have it."""
    asked: list[object] = []
    unknown_reads = analysing.unknown_reads

    def counted(one, *others):
        asked.append(one)
        return unknown_reads(one, *others)

    monkeypatch.setattr(analysing, "unknown_reads", counted)
    properties = "".join(f"class P{at}:\n    @property\n    def retries(self): return 1\n" for at in range(30))
    text = f"class F:\n    retries = 1\n{properties}"
    report = analysing.analyse(a_change({"a.py": text}, {"a.py": text.replace("return 1", "return 2")}))

    assert len(report.changed) == 30
    assert len(asked) == 1


def test_who_chooses_from_a_module_is_found_once_for_all_that_changed_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    names_module = chosen_at_run_time.ChosenAtRunTime._names_module

    def counted(self, site, *others):
        asked.append(site)
        return names_module(self, site, *others)

    monkeypatch.setattr(chosen_at_run_time.ChosenAtRunTime, "_names_module", counted)
    before = {"m.py": "".join(f"def f{at}(): return 1\n" for at in range(30)), "u.py": "import m\ndef use(name):\n    getattr(m, name)\n"}
    report = analysing.analyse(a_change(before, {"m.py": before["m.py"].replace("return 1", "return 2")}))

    assert {(site.line, site.changed) for site in report.open_sites} == {(3, at) for at in range(30)}
    assert len(asked) == 1


def test_loops_that_copy_into_one_object_are_not_all_looked_into_for_each_of_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [0]
    plain = ScriptEvaluator.of_holders

    def counted(self: ScriptEvaluator, *args: Any) -> Any:
        asked[0] += 1
        return plain(self, *args)

    monkeypatch.setattr(ScriptEvaluator, "of_holders", counted)

    def asked_for(loops: int) -> int:
        asked[0] = 0
        lines = [f"const p{i} = {{m{i}() {{}}}}; for (const n in p{i}) o[n] = p{i}[n]; o.m{i}();" for i in range(loops)]
        build({b"a.js": "\n".join(["const o = {};", *lines]).encode()})
        return asked[0]

    assert compiled() or 0 < asked_for(400) <= 5 * asked_for(100)
