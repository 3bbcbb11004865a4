"""The corpus itself: documents are read as they are meant, and no mark promises something that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript

from index.types import EdgeKind, Tier
from support import happenings, stories
from support.corpus import BadCase, Case, FoundEdge, Mark, cases_in, differences, rewritten, with_differences

CORPUS = Path(__file__).parents[1] / "corpus"
DOCUMENTS = sorted(path for path in CORPUS.glob("*/*.md") if path.parent.name not in ("impact", "pull_requests"))
STORIES = sorted(CORPUS.glob("impact/*.md"))
CASES = [
    pytest.param(case, id=f"{document.parent.name}/{document.name}: {case.name}")
    for document in DOCUMENTS
    for case in cases_in(document.read_text("utf-8"))
]
GRAMMARS = {
    ".py": tree_sitter_python.language,
    ".pyi": tree_sitter_python.language,
    ".ts": tree_sitter_typescript.language_typescript,
    ".mts": tree_sitter_typescript.language_typescript,
    ".cts": tree_sitter_typescript.language_typescript,
    ".tsx": tree_sitter_typescript.language_tsx,
    ".js": tree_sitter_javascript.language,
    ".jsx": tree_sitter_javascript.language,
    ".mjs": tree_sitter_javascript.language,
    ".cjs": tree_sitter_javascript.language,
}

DOCUMENT = """# Title

`not/a/case.py`

```python
x = 1
```

## One use of two

**Known gap:** the second is not found.

`a.py`

```python
def rate():
    return 1


rate()  # uses ::rate (proved); passes ::rate by <module>
rate()  # nothing
```

`b.ts`

```typescript
run(rate); // uses a.py::rate; a.py::other
const page = <Page />; {/* calls a.py */}
// uses of nothing in this comment: it stands inside a text, not at the end
```
"""


def edge(line: int, target: str = "a.py::rate", kind: EdgeKind = EdgeKind.CALL, tier: Tier = Tier.PROVED, path: str = "a.py") -> FoundEdge:
    return FoundEdge(path, line, target, kind, tier, "<module>")


def test_a_document_is_read() -> None:
    (case,) = cases_in(DOCUMENT.replace("// uses of nothing", "// used for nothing"))

    assert (case.name, case.line, case.known_gap) == ("One use of two", 9, True)
    assert [file.path for file in case.files] == ["a.py", "b.ts"]
    assert case.contents()[b"a.py"].startswith(b"def rate():\n")
    assert case.files[0].marks == {5: (Mark("uses", "a.py::rate", "proved"), Mark("passes", "a.py::rate", "", "<module>"))}
    assert case.files[1].marks == {1: (Mark("uses", "a.py::rate"), Mark("uses", "a.py::other")), 2: (Mark("calls", "a.py"),)}


BAD = (
    ("## a\n", "has no files"),
    ("## a\n\n```python\n```\n", "file's name"),
    ("## a\n\n`a.py`\n\n```python\n", "never closed"),
    ("## a\n\n`a.py`\n\n```python\n```\n\n`a.py`\n\n```python\n```\n", "a file a.py already"),
    ("## a\n\n`a.py`\n\n```python\n```\n## a\n\n`a.py`\n\n```python\n```\n", "already"),
    ("## a\n\n`a.py`\n\n```python\nx()  # uses the cache\n```\n", "can't read the mark"),
    ("## a\n\n`a.py`\n\n```python\nx()  # uses ::x (surely)\n```\n", "can't read the mark"),
)


@pytest.mark.parametrize(("document", "says"), BAD)
def test_a_bad_document_says_where(document: str, says: str) -> None:
    with pytest.raises(BadCase, match=says):
        cases_in(document)


def case_of(code: str) -> Case:
    return cases_in(f"## case\n\n`a.py`\n\n```python\n{code}\n```\n")[0]


#   marked                                     found                                                 differences
COMPARED: tuple[tuple[str, list[FoundEdge], list[str]], ...] = (
    ("rate()  # uses ::rate", [edge(1)], []),
    ("rate()  # uses ::rate", [edge(1, tier=Tier.LIKELY)], []),
    ("rate()  # uses ::rate", [], ["missing: uses ::rate"]),
    ("rate()  # uses ::rate", [edge(1, tier=Tier.POSSIBLE)], ["differs: uses ::rate is found possible by <module>"]),
    ("rate()  # uses ::rate (possible)", [edge(1)], ["differs: uses ::rate (possible) is found proved by <module>"]),
    ("rate()  # uses ::rate (inferred)", [edge(1, tier=Tier.POSSIBLE)], []),
    ("rate()  # uses ::rate by run", [edge(1)], ["differs: uses ::rate by run is found proved by <module>"]),
    ("rate()  # calls ::rate", [edge(1, kind=EdgeKind.DECORATE)], ["extra:   uses ::rate", "missing: calls ::rate"]),
    ("rate()", [edge(1)], ["extra:   uses ::rate"]),
    ("rate()", [edge(1, tier=Tier.POSSIBLE)], ["extra:   uses ::rate (possible)"]),
    ("rate()", [edge(1, kind=EdgeKind.READ)], []),  # of reads, only those to a symbol that the case marks
    ("rate  # reads ::rate\nrate", [edge(1, kind=EdgeKind.READ), edge(2, kind=EdgeKind.READ)], ["extra:   reads ::rate"]),
    ("rate  # reads ::rate\nother", [edge(1, kind=EdgeKind.READ), edge(2, "a.py::other", EdgeKind.READ)], []),
)


@pytest.mark.parametrize(("code", "found", "expected"), COMPARED)
def test_what_is_found_is_compared_with_what_is_marked(code: str, found: list[FoundEdge], expected: list[str]) -> None:
    assert [difference.message for difference in differences(case_of(code), found, set())] == expected


def test_open_sites_are_compared_by_name() -> None:
    case = case_of("x.run()  # open run (receiver)\ny.run()")

    assert differences(case, [], {("a.py", 1, "run", "receiver"), ("a.py", 2, "walk", "receiver")}) == []
    assert [d.message for d in differences(case, [], {("a.py", 2, "run", "dynamic")})] == [
        "missing: open run (receiver)",
        "extra:   open run (dynamic)",
    ]


def test_a_difference_is_shown_under_its_line() -> None:
    case = case_of("one()\ntwo()  # uses ::two")

    text = with_differences(case, differences(case, [], set()))

    assert text.splitlines()[2:] == ["    1 one()", "    2 two()  # uses ::two", "   →  missing: uses ::two"]


WRITTEN: tuple[tuple[str, list[FoundEdge], str], ...] = (
    ("rate()", [edge(1)], "rate()  # uses ::rate"),
    ("rate()", [edge(1, "b.py::x", EdgeKind.INHERIT), edge(1, tier=Tier.POSSIBLE)], "rate()  # inherits b.py::x; uses ::rate (possible)"),
    ("rate()  # uses ::gone", [], "rate()"),
    ("rate()  # uses ::rate", [edge(1), edge(1, "b.py"), edge(1, "b.py::x")], "rate()  # uses ::rate; b.py; b.py::x"),
    ("rate()  # uses ::rate; passes ::gone", [edge(1)], "rate()  # uses ::rate"),
    ("rate()  # uses ::rate (likely)", [edge(1, tier=Tier.POSSIBLE)], "rate()  # uses ::rate (possible)"),
    ("rate()  # nothing", [], "rate()  # nothing"),
    ("rate()  # calls ::rate", [edge(1)], "rate()  # calls ::rate"),
)


@pytest.mark.parametrize(("line", "found", "expected"), WRITTEN)
def test_marks_are_written(line: str, found: list[FoundEdge], expected: str) -> None:
    document = f"## case\n\n`a.py`\n\n```python\n{line}\n```\n"
    case = cases_in(document)[0]

    assert rewritten(document, case, found, set()) == f"## case\n\n`a.py`\n\n```python\n{expected}\n```\n"
    assert differences(cases_in(rewritten(document, case, found, set()))[0], found, set()) == []


@pytest.mark.parametrize("case", CASES)
def test_the_code_of_a_case_can_be_parsed(case: Case) -> None:
    for file in case.files:
        text = "\n".join(file.lines)
        extension = "." + file.path.rpartition(".")[2]
        if extension in GRAMMARS:
            parser = tree_sitter.Parser(tree_sitter.Language(GRAMMARS[extension]()))
            assert not parser.parse(text.encode()).root_node.has_error, file.path


@pytest.mark.parametrize("case", CASES)
def test_the_marks_of_a_case_name_what_is_there(case: Case) -> None:
    texts = {file.path: "\n".join(file.lines) for file in case.files}
    for file in case.files:
        for line, marks in file.marks.items():
            for mark in marks:
                path, _, qualified = mark.target.partition("::")
                name = qualified.rpartition(".")[2]
                if mark.verb != "open":
                    assert path in texts, f"{file.path}:{line}: {mark.target}"
                    assert name in (*texts[path].replace(".", " ").split(), "<lambda>", "default") or name in texts[path], (
                        f"{file.path}:{line}: {mark.target}"
                    )


@pytest.mark.parametrize("document", STORIES, ids=lambda path: path.name)
def test_the_code_of_a_story_can_be_parsed(document: Path) -> None:
    for story in stories.stories_in(document.read_text("utf-8")):
        for path, text in [*story.before.items(), *((path, text) for path, text in story.after.items() if text is not None)]:
            extension = "." + path.rpartition(".")[2]
            if extension in GRAMMARS and "can not be parsed" not in story.name:
                parser = tree_sitter.Parser(tree_sitter.Language(GRAMMARS[extension]()))
                assert not parser.parse(text.encode()).root_node.has_error, f"{story.name}: {path}"


STORY = """## A caller

`a.py`

```python
def rate():
    return 1
```

`a.py`, after the change

```python
def rate():
    return 2
```

| what | where | words |
| --- | --- | --- |
| changed | `a.py::rate` | body |
"""


def test_a_story_is_read_and_its_rows_can_be_written_again() -> None:
    (story,) = stories.stories_in(STORY)

    assert (story.before, story.after) == ({"a.py": "def rate():\n    return 1\n"}, {"a.py": "def rate():\n    return 2\n"})
    assert story.rows == [("changed", "a.py::rate", "body")]
    assert [stories.written(row) for row in story.rows] == ["| changed | `a.py::rate` | body |"]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (STORY.replace("| changed", "| changes"), "none of"),
        (STORY.replace("`a.py`, after the change", "after"), "file's name"),
        (STORY[: STORY.index("| what")], "needs files, a change and a table"),
        (STORY + STORY, "already"),
        (STORY + "| bad\n", "write"),
    ],
)
def test_a_bad_story_says_where(document: str, says: str) -> None:
    with pytest.raises(BadCase, match=says):
        stories.stories_in(document)


def test_every_reported_fault_names_a_case_that_exists() -> None:
    rows = re.findall(r"\| \[\w+\]\((\S+)\): (.+) \|$", (CORPUS / "reported.md").read_text("utf-8"), re.M)

    assert len(rows) >= 39
    assert [f"{path}: {case}" for path, case in rows if f"\n## {case}\n" not in (CORPUS / path).read_text("utf-8")] == []


PLAYED = """# Title

`a.py`

```python
x = 1
```

## A case

`b{1..2}/c.py`, in the pull request

```python
y = 1
```

| happens | then |
| --- | --- |
| the pull request is opened | there is one comment of ours; the comment says “a; b” |
"""


def test_what_happens_is_read_with_the_files_of_the_document() -> None:
    (case,) = happenings.happenings_in(PLAYED)

    assert case.files["before"] == {"a.py": "x = 1\n"}
    assert sorted(case.files["pull"]) == ["b1/c.py", "b2/c.py"]
    assert case.rows == [("the pull request is opened", "there is one comment of ours; the comment says “a; b”")]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (PLAYED.replace("is opened", "is closed"), "none of"),
        (PLAYED.replace("one comment", "a comment"), "none of"),
        (PLAYED.replace(", in the pull request", ", some day"), "file's name"),
        (PLAYED[: PLAYED.index("| happens")], "needs a table"),
    ],
)
def test_what_cannot_happen_is_refused(document: str, says: str) -> None:
    with pytest.raises(BadCase, match=says):
        happenings.happenings_in(document)
