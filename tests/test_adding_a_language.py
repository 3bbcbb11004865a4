"""The page about adding a language: its example reads Go as it says, and every place that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_index.test_corpus import GRAMMARS as GRAMMARS_OF_THE_CORPUS

from index import languages
from index.build import _Maps, build
from index.impact.analyse import analyse
from index.impact.looking import looking_into
from index.impact.signature import RULES
from index.impact.syntax import FAMILIES, GRAMMARS
from index.languages.language import Language
from index.resolver.structural import REALMS
from support.changes import a_change
from support.corpus import cases_in, differences, edges_of, open_sites_of

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "adding-a-language.md").read_text("utf-8")
CASE = re.findall(r"^````markdown\n(.*?)^````$", PAGE, re.M | re.S)


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Language:
    """The language of the page, known to the engine for one test."""
    code = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    there: dict[str, object] = {}
    exec(compile("\n".join(code), "docs/adding-a-language.md", "exec"), there)  # noqa: S102 - our own page
    made = there["GO"]
    assert isinstance(made, Language)
    for extension in made.extensions:
        monkeypatch.setitem(languages.BY_EXTENSION, extension, made)
    monkeypatch.setitem(languages.BY_NUMBER, made.number, made)
    return made


def test_the_example_finds_what_its_case_promises(go: Language) -> None:
    (case,) = cases_in(CASE[0])

    snapshot = build(case.contents())

    assert differences(case, edges_of(snapshot), open_sites_of(snapshot)) == []
    assert [mark.verb for marks in case.files[0].marks.values() for mark in marks] == ["uses"]


def test_its_number_is_free(go: Language) -> None:
    assert go.number not in {one.number for one in languages.LANGUAGES}


def test_without_rows_in_the_tables_of_the_report_nothing_is_said_of_a_change_also_not_that_it_is_harmless(go: Language) -> None:
    (case,) = cases_in(CASE[0])
    before = {path.decode(): text.decode() for path, text in case.contents().items()}
    change = a_change(before, {path: text.replace("return 21", "return 6") for path, text in before.items()})

    report = analyse(change, looking_into(change.head, None))

    assert report.changed == () and report.quiet == ""
    assert report.changed_files == (("shop.go", "source"),)


@pytest.mark.parametrize("row", re.findall(r"^\| (`index/\S+`) \| (.*?) \|$", PAGE, re.M), ids=lambda row: row[0])
def test_every_table_that_a_language_needs_is_where_the_page_says(row: tuple[str, str]) -> None:
    text = (ROOT / row[0].strip("`")).read_text("utf-8")

    assert [name for name in re.findall(r"`(\w+)`", row[1]) if not re.search(rf"^{name}\b", text, re.M)] == []


def test_every_file_that_the_page_names_is_there() -> None:
    named = {path for path in re.findall(r"`((?:index|tests|docs)/[\w./-]+)`", PAGE) if "NAME" not in path}

    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("language", languages.LANGUAGES, ids=lambda language: language.name)
def test_a_language_that_is_promised_is_in_every_table(language: Language) -> None:
    maps = _Maps([], lambda path: None)

    assert {GRAMMARS.get(extension, language.name) for extension in language.extensions} == {language.name}
    assert FAMILIES[language.name] in RULES
    assert language.name in maps.resolvers and language.name in maps.lookup_keys
    assert REALMS[language.number] > 0
    assert set(language.extensions) & set(GRAMMARS_OF_THE_CORPUS)
    assert list((ROOT / "tests" / "corpus" / language.name.replace("tsx", "typescript")).glob("*.md"))
