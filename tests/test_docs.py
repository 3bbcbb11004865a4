"""The pages of docs/ that are made from code, corpus and scores, and the README's example, are what `make docs` would write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from quality.__main__ import PARTS, WITHOUT_BENCH

from index.impact.nouns import ChangeKind
from support.accuracy import BENCHES, NEEDS, meanings, sections
from support.pages import EXAMPLE, GENERATED, PAGES, ROOT, known_gaps


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_make_docs_writes(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == PAGES[name](), f"{name} is out of date: run `make docs`"


def test_every_page_that_says_it_is_made_is_made() -> None:
    made = (GENERATED, "`make docs` writes them -->")
    said = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if any(word in path.read_text("utf-8") for word in made)}

    assert said == {name for name in PAGES if name.startswith("docs/") and name.endswith(".md")}


def test_the_readme_has_one_example_and_it_shows_a_break() -> None:
    blocks = EXAMPLE.findall((ROOT / "README.md").read_text("utf-8"))

    assert len(blocks) == 1 and "Will break (1)" in blocks[0]


def test_a_known_gap_of_the_corpus_is_listed_with_its_first_paragraph(tmp_path: Path) -> None:
    document = tmp_path / "gaps.md"
    document.write_text(
        "# Gaps\n\n## One that is right\n\nText.\n\n## One that is not\n\n**Known gap:** we say\nnothing.\n\n`a.py`\n", "utf-8"
    )

    assert known_gaps(document) == [("One that is not", "we say nothing.")]


def test_every_figure_that_was_measured_is_shown_and_says_how_it_is_measured() -> None:
    measured = set(sections((ROOT / "tests" / "quality" / "scores.md").read_text("utf-8")))

    assert measured - {bench.name for bench in BENCHES} == set()
    assert {bench.part for bench in BENCHES} == {part for parts, _ in NEEDS for part in parts.split(",")}
    assert {part for parts, needs in NEEDS for part in parts.split(",") if "BENCH" not in needs} == WITHOUT_BENCH
    assert {bench.part for bench in BENCHES} == set(PARTS)


def test_a_column_that_nobody_explained_stops_the_page() -> None:
    assert meanings(["R@5", "wrong", "R@10"]) == [
        ("`R@5` `R@10`", "recall among the first so many"),
        ("`wrong`", "how many are said and are not right"),
    ]
    with pytest.raises(KeyError, match="zeal"):
        meanings(["R@5", "zeal"])


def test_every_kind_of_change_is_in_the_description_of_the_report() -> None:
    told = set(re.findall(r"`([a-z-]+)`", (ROOT / "docs" / "json.md").read_text("utf-8")))

    assert {kind.value for kind in ChangeKind} - told == set()


def test_prose_has_one_sentence_per_line() -> None:
    crowded = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.M | re.S)
        prose = [line for line in text.splitlines() if not line.startswith(("|", "- ", "#"))]
        crowded += [f"{path.name}: {line}" for line in prose if re.search(r"[a-z)`]\. [A-Z][a-z]", line)]

    assert crowded == []


def test_every_command_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", ROOT / "deploy" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    code = [word for path in pages for word in re.findall(r"`([^`\n]+)`|^(?![#|])(.*)$", path.read_text("utf-8"), re.M)]
    text = "\n".join(one or other for one, other in code)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    ours = ("index", "bot", "tests", "support", "quality", "speed")
    modules = {name for name in re.findall(r"python3? -m ([\w.]+)", text) if name.split(".")[0] in ours}

    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M))
    assert named >= {"demo", "bench-quality", "kills"} and named - targets == set()
    assert modules >= {"tests.speed.app", "tests.quality"}
    places = {name: [ROOT / folder / name.replace(".", "/") for folder in (".", "tests")] for name in modules}
    assert [name for name, some in places.items() if not any(one.with_suffix(".py").exists() or one.is_dir() for one in some)] == []


def test_every_picture_is_there_and_every_one_is_shown() -> None:
    shown = {
        f"docs/{name}" for path in (ROOT / "docs").glob("*.md") for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", path.read_text("utf-8"))
    }

    assert shown == {f"docs/images/{path.name}" for path in (ROOT / "docs" / "images").iterdir()}


def test_a_picture_asks_nothing_of_a_network() -> None:
    for path in (ROOT / "docs" / "images").glob("*.svg"):
        assert re.findall(r"(?:https?:)?//[^\"' )]*", path.read_text("utf-8")) == ["http://www.w3.org/2000/svg"]
