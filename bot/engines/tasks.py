"""The name of a task and its arguments -> what the engine says, as JSON. Runs in an engine process; `TASKS` is all it can be asked.

What comes out is rendered already: an analysis can reach ten thousand places, and neither they nor the Markdown of them are the business
of the process that answers GitHub.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bot.rendering.answer import render_answer
from bot.rendering.check import render_check
from bot.rendering.comment import CommentOptions, headline, render_comment
from bot.rendering.links import github_links
from bot.rendering.replies import path_reply, tests_reply, why_reply
from bot.rendering.run_summary import RunSummary, summary_of
from index.engine import Engine, voyage_with
from index.errors import StorageError

MOST_RESULTS = 10  # of an answer in a thread
OPEN_ENGINES = 4  # repositories that a process keeps open: a warm one answers without reading its index again

Given = Mapping[str, Any]
Task = Callable[[Engine, Given], dict[str, Any]]


class Desk:
    """The engines of one process, the last used kept open."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, str], Engine] = OrderedDict()

    def do(self, task: str, given: Given) -> dict[str, Any]:
        """`clone` and `home` say which repository. Raises MaguyvaErrors."""
        began = time.perf_counter()
        engine = self._engine(str(given["clone"]), str(given["home"]), given.get("voyage"))
        answer = TASKS[task](engine, given)
        engine.let_go()
        return {**answer, "seconds": round(time.perf_counter() - began, 3)}

    def _engine(self, clone: str, home: str, voyage: Mapping[str, Any] | None) -> Engine:
        engine = self._open.pop((clone, home), None) or _opened(clone, Path(home), voyage)
        engine.notes.clear()
        self._open[clone, home] = engine
        while len(self._open) > OPEN_ENGINES:
            self._open.popitem(last=False)[1].close()
        return engine

    def forget(self) -> None:
        """Closes everything: what a task that ran out of memory left behind can't be trusted."""
        while self._open:
            self._open.popitem()[1].close()


def _opened(clone: str, home: Path, voyage: Mapping[str, Any] | None) -> Engine:
    """`voyage`: with the operator's key, repositories whose settings ask for it get vectors of Voyage."""
    asked = None if voyage is None else voyage_with(voyage["key"], voyage["url"], voyage["model"], rerank=bool(voyage["rerank"]))
    return Engine(clone, home, key=home.name, voyage=asked, by_settings=asked is not None)


def index_commit(engine: Engine, given: Given) -> dict[str, Any]:
    """`commit` -> its snapshot is there."""
    snapshot = engine.update(str(given["commit"]))
    return {"files": len(snapshot.paths), "symbols": snapshot.symbol_count, "notes": list(engine.notes)}


def is_indexed(engine: Engine, given: Given) -> dict[str, Any]:
    """`commit` -> whether its snapshot is there already."""
    try:
        return {"is_indexed": engine.store.open(engine.key, str(given["commit"])) is not None}
    except StorageError:
        return {"is_indexed": False}


def impact(engine: Engine, given: Given) -> dict[str, Any]:
    """`base` and `head` -> the comment and the check, and the figures that the next run compares itself with."""
    report = engine.impact(_compared(given))
    previous = _summary(given["previous"]) if given["previous"] else None
    options = replace(
        _options(given),
        engine=str(given["engine"]),
        previous=previous,
        rewritten=bool(given["rewritten"]),
        author=str(given["author"]),
    )
    comment = render_comment(report, options)
    check = render_check(report, options, fail_on_breaks=given["fail_on_breaks"])
    return {
        "body": comment.body,
        "silent": comment.silent,
        "check": asdict(check),
        "summary": asdict(summary_of(report, options.engine, options.acknowledged, previous)),
        "headline": "no impact" if report.quiet else headline(report, options.acknowledged),
    }


def _summary(stored: Mapping[str, Any]) -> RunSummary:
    """As `asdict` made it, through JSON."""
    lists = {name: tuple(stored[name]) for name in ("breaks", "acknowledged")}
    before = _summary(stored["before"]) if stored["before"] else None
    return RunSummary(**{**stored, **lists, "before": before})


def why(engine: Engine, given: Given) -> dict[str, Any]:
    """`argument`: a symbol -> how the change reaches it; or two -> how the second uses the first."""
    words = str(given["argument"]).replace(" from ", " ").replace(" depuis ", " ").split()
    if len(words) > 1:
        return {"body": path_reply(list(engine.why(_bare(words[0]), _bare(words[-1]), str(given["head"]))))}
    return {"body": why_reply(engine.impact(_compared(given)), words[0] if words else "", _options(given))}


def answer(engine: Engine, given: Given) -> dict[str, Any]:
    """`argument`: a question in anybody's words -> what the code at the head says to it."""
    reply = engine.ask(str(given["argument"]), str(given["head"]), limit=MOST_RESULTS)
    return {"body": render_answer(reply, github_links(str(given["url"])))}


def impact_of(engine: Engine, given: Given) -> dict[str, Any]:
    """`argument`: a symbol -> what a change of it could reach."""
    reply = engine.ask(str(given["argument"]), str(given["head"]), intent="impact_analysis", limit=MOST_RESULTS)
    return {"body": render_answer(reply, github_links(str(given["url"])))}


def tests(engine: Engine, given: Given) -> dict[str, Any]:
    return {"body": tests_reply(engine.impact(_compared(given)), _options(given))}


def _bare(word: str) -> str:
    return word.strip("`")


def _options(given: Given) -> CommentOptions:
    return CommentOptions(link=github_links(str(given["url"])), acknowledged=frozenset(given["acknowledged"]))


def _compared(given: Given) -> str:
    """Both ends by their ids: the merge base is GitHub's word, since a shallow clone can't tell."""
    return f"{given['base']}..{given['head']}"


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "index": index_commit,
        "is indexed": is_indexed,
        "impact": impact,
        "why": why,
        "tests": tests,
        "answer": answer,
        "impact of": impact_of,
    }
)
