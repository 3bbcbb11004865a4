"""Makes every case of tests/corpus/LANGUAGE/*.md, every story of tests/corpus/impact/*.md and everything that happens in
tests/corpus/pull_requests/*.md a test.

`--write-marks` puts in the marks, or the rows, that the engine answers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support import stories
from support.corpus import BadCase, Case, cases_in, differences, edges_of, open_sites_of, rewritten, with_differences

CORPUS = Path(__file__).parent / "corpus"

# A busy machine makes no answer wrong: neither a slow example nor one that was slow to think of is a fault.
settings.register_profile("whatever the machine does", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("whatever the machine does")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """What asynchronous tests run on: the one loop that the service runs on."""
    return "asyncio"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-marks", action="store_true", help="rewrite the marks of the selected corpus cases to what the engine answers")
    parser.addoption("--write-rendered", action="store_true", help="rewrite tests/rendered/* to what is rendered now")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".md" or file_path.parent.parent != CORPUS:
        return None
    kind = KINDS.get(file_path.parent.name, CorpusDocument)
    return kind.from_parent(parent, path=file_path)


class CorpusDocument(pytest.File):
    def collect(self) -> Iterator[CorpusCase]:
        try:
            cases = cases_in(self.path.read_text("utf-8"))
        except BadCase as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        for case in cases:
            yield CorpusCase.from_parent(self, name=case.name, case=case)


class CorpusCase(pytest.Item):
    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self.case = case

    def runtest(self) -> None:
        from index.build import build

        snapshot = build(self.case.contents())
        edges, sites = edges_of(snapshot), open_sites_of(snapshot)
        found = differences(self.case, edges, sites)
        if found and self.config.getoption("--write-marks"):
            self.path.write_text(rewritten(self.path.read_text("utf-8"), self.case, edges, sites), "utf-8")
        elif found:
            raise Differs(with_differences(self.case, found))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Differs) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.case.name


class ImpactDocument(pytest.File):
    def collect(self) -> Iterator[ImpactCase]:
        try:
            found = stories.stories_in(self.path.read_text("utf-8"))
        except BadCase as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        for story in found:
            yield ImpactCase.from_parent(self, name=story.name, story=story)


class ImpactCase(pytest.Item):
    def __init__(self, *, story: stories.Story, **others: Any) -> None:
        super().__init__(**others)
        self.story = story

    def runtest(self) -> None:
        from index.impact.analyse import analyse
        from index.impact.looking import looking_into
        from support.changes import a_change

        change = a_change(self.story.before, self.story.after, self.story.moved)
        report = analyse(change, looking_into(change.head, None))
        found = stories.differences(self.story, report)
        if found and self.config.getoption("--write-marks"):
            self.path.write_text(stories.rewritten(self.path.read_text("utf-8"), self._now(), report), "utf-8")
        elif found:
            raise Differs("\n".join(found))

    def _now(self) -> stories.Story:
        """The story as the document has it now: rows above it may have been written since."""
        return next(one for one in stories.stories_in(self.path.read_text("utf-8")) if one.name == self.story.name)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Differs) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.story.line - 1, self.story.name


class HappeningsDocument(pytest.File):
    def collect(self) -> Iterator[HappeningsCase]:
        from support.happenings import happenings_in

        try:
            found = happenings_in(self.path.read_text("utf-8"))
        except BadCase as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        for case in found:
            yield HappeningsCase.from_parent(self, name=case.name, case=case)

    def setup(self) -> None:
        from support.happenings import Theatre

        self.folder = tempfile.TemporaryDirectory()
        self.theatre = Theatre(Path(self.folder.name))

    def teardown(self) -> None:
        self.theatre.close()
        self.folder.cleanup()


class HappeningsCase(pytest.Item):
    def __init__(self, *, case: Any, **others: Any) -> None:
        super().__init__(**others)
        self.case = case

    def runtest(self) -> None:
        assert isinstance(self.parent, HappeningsDocument)
        wrong = self.parent.theatre.play(self.case)
        if wrong:
            raise Differs("\n".join(wrong))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Differs) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.case.name


KINDS = {"impact": ImpactDocument, "pull_requests": HappeningsDocument}


class Differs(Exception):
    """The engine's answer is not what the case says."""
