"""One run of the Action: fetch, index, look, say. Nothing of the workspace is read, imported or executed."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.action.inputs import COMMENT, NO_COMMIT, Asked, Compared, FailOn, read_inputs
from bot.action.outputs import Runner
from bot.errors import GitHubError, NotAllowed, SettingsError
from index.errors import MaguyvaError, StorageError
from index.version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    import httpx

    from bot.github.client import GitHub
    from bot.rendering.comment import CommentOptions
    from bot.types import GitAccess
    from index.engine import Engine
    from index.impact.nouns import ImpactReport

CLONE_SPACE: Final = 20 << 30  # bytes
LARGEST_EVENT: Final = 30 << 20  # bytes
FOUND, USAGE = 1, 2
RISKS: Final = ("breaks", "at-risk", "reachable", "none")
NOTHING: Final = {"risk": "none", "breaking": "0", "impacted-count": "0", "tests": "", "save": "false"}
READ_ONLY: Final = (
    "The token of this run may not write to the pull request, as for every pull request from a fork: the report is in the summary of the "
    "job. docs/action.md has the recipe for comments on forks."
)


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """The words after `maguyva action` -> the exit code of the step."""
    runner = Runner.of(environment)
    try:
        event = _event_file(environment)
        if arguments[:1] == ["--prepare"]:
            return prepare(read_inputs(environment, event, without_token=True), runner, "".join(arguments[1:2]))
        asked = read_inputs(environment, event)
        runner.mask(asked.token)
        return asyncio.run(act(asked, runner))
    except MaguyvaError as error:
        runner.notice(str(error), "error")
        return USAGE if isinstance(error, SettingsError) else error.exit_code


def _event_file(environment: Mapping[str, str]) -> bytes:
    """Nothing where there is none. Raises SettingsError."""
    path = environment.get("GITHUB_EVENT_PATH", "")
    if not path:
        return b""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_EVENT + 1)
    except OSError as error:
        raise SettingsError([f"GITHUB_EVENT_PATH names no event that can be read ({error.strerror})."]) from error
    if len(data) > LARGEST_EVENT:
        raise SettingsError(["GITHUB_EVENT_PATH names no event that can be read (it is too large)."])
    return data


def prepare(asked: Asked, runner: Runner, wanted: str) -> int:
    """The key of the index in the workflow's cache. `wanted`: the version that the workflow was written for, "" for any."""
    if wanted and wanted != VERSION:
        raise SettingsError([f"The input version asks for {wanted[:40]}, and this action is {VERSION}: pin the action to that release."])
    prefix, key = cache_key(asked)
    runner.set_outputs({"cache-prefix": prefix, "cache-key": key})
    return 0


def cache_key(asked: Asked) -> tuple[str, str]:
    """(what keys of earlier runs begin with, the key of this run): everything that the index depends on, and the commit that later
    runs will start from."""
    from index.engine import index_version

    prefix = f"maguyva-{index_version()}-{platform.system()}-{platform.machine()}-{asked.repository.id}-"
    compared = asked.compared
    start = NO_COMMIT if compared is None else compared.head if asked.event == "push" else compared.base
    return prefix, f"{prefix}{start}"


async def act(asked: Asked, runner: Runner, transport: httpx.AsyncBaseTransport | None = None) -> int:
    """What the event asks for, done -> the exit code. Raises MaguyvaErrors."""
    from bot.github.client import GitHub

    async with GitHub(asked.hosts, token=asked.token, transport=transport) as github:
        if asked.why == COMMENT:
            from bot.action.answers import answer

            return await answer(asked, runner, github)
        if asked.compared is None:
            runner.notice(asked.why)
            runner.set_outputs(NOTHING)
            return 0
        compared = await _with_pull_request(asked, asked.compared, github)
        if compared is None:
            runner.notice("No open pull request has this head: there is nobody to tell.")
            runner.set_outputs(NOTHING)
            return 0
        compared = await _with_merge_base(asked, compared, github)
        report = await look(asked, compared, runner, github)
        return await tell(asked, compared, report, runner, github)


async def _with_pull_request(asked: Asked, compared: Compared, github: GitHub) -> Compared | None:
    if not compared.find_pull_request:
        return compared
    pulls = await github.pull_requests_of(asked.repository, compared.head)
    if not pulls:
        return None
    pull = pulls[0]
    return replace(
        compared,
        base=pull.base_sha,
        number=pull.number,
        from_fork=pull.from_fork,
        author=pull.author.login,
        find_pull_request=False,
    )


async def _with_merge_base(asked: Asked, compared: Compared, github: GitHub) -> Compared:
    from bot.types import PullRequest

    if not compared.find_merge_base:
        return compared
    pull = PullRequest(asked.repository, compared.number, compared.head, compared.base, from_fork=compared.from_fork)
    return replace(compared, base=await github.merge_base(pull), find_merge_base=False)


def holding(asked: Asked, compared: Compared, access: GitAccess) -> AbstractAsyncContextManager[Path]:
    """A bare clone that has both commits."""
    from bot.repositories import Clones, Want

    ref = f"refs/pull/{compared.number}/head" if compared.number else ""
    wants = [Want(compared.base), Want(compared.head, ref)]
    return Clones(asked.clones, CLONE_SPACE).holding(asked.repository.id, access, wants)


async def look(asked: Asked, compared: Compared, runner: Runner, github: GitHub) -> ImpactReport:
    """Fetches both commits and compares them. An index that the cache brought is not trusted: where it is damaged, or anything goes
    wrong with it, it is thrown away and the report is made from nothing."""
    brought = asked.home.is_dir() and any(asked.home.iterdir())
    async with holding(asked, compared, await github.git_access(asked.repository)) as clone:
        try:
            return _report(asked, compared, clone, runner, brought)
        except Exception as error:
            if not brought or (isinstance(error, MaguyvaError) and not isinstance(error, StorageError)):
                raise
            runner.notice(f"The index from the cache can't be used ({type(error).__name__}): it is made anew.", "warning")
        shutil.rmtree(asked.home, ignore_errors=True)
        return _report(asked, compared, clone, runner, False)


def _report(asked: Asked, compared: Compared, clone: Path, runner: Runner, brought: bool) -> ImpactReport:
    from bot.rendering.terminal_progress import terminal_progress
    from index.engine import Engine

    with runner.plain_log(), Engine(clone, asked.home, terminal_progress(sys.stderr), key=engine_key(asked)) as engine:
        if brought:
            _checked(engine)
        return engine.impact(f"{compared.base}..{compared.head}")


def engine_key(asked: Asked) -> str:
    return f"github-{asked.repository.id}"


def _checked(engine: Engine) -> None:
    """Every byte of what the cache brought is what its name says. Raises SnapshotDamaged."""
    for name in engine.store.refs(engine.key):
        engine.store.verify(engine.key, name)


async def tell(
    asked: Asked, compared: Compared, report: ImpactReport, runner: Runner, github: GitHub, acknowledged: frozenset[str] = frozenset()
) -> int:
    """The report -> files, summary, annotations, comment, outputs; and whether the step fails. `acknowledged`: ids of breaks that
    somebody just accepted; earlier ones stand in the comment."""
    from bot.rendering.check import log_commands, render_check
    from bot.rendering.comment import CommentOptions, render_comment
    from bot.rendering.links import github_links

    options = CommentOptions(
        link=github_links(f"{asked.hosts.web}/{asked.repository.full_name}"),
        engine=VERSION,
        author=compared.author,
        commands=asked.commands,
        acknowledged=acknowledged,
    )
    url = ""
    if compared.number:
        options = await _with_last_run(asked, compared, options, runner, github)
        url = await _comment(asked, compared, report, options, runner, github) if asked.comment else ""
    check = render_check(report, options, fail_on_breaks=None if asked.fail_on is None else asked.fail_on is FailOn.BREAKS)
    failed = check.conclusion == "failure"
    runner.write_summary(render_comment(report, options).body)
    if asked.annotations:
        runner.commands(log_commands(check.annotations))
    files = write_files(asked.reports, report, options, f"{asked.hosts.web}/{asked.repository.full_name}")
    runner.set_outputs({**figures(report), **files, "comment-url": url, "save": str(asked.may_save).lower()})
    runner.notice(check.title, "error" if failed else "notice")
    return FOUND if failed else 0


async def _with_last_run(asked: Asked, compared: Compared, options: CommentOptions, runner: Runner, github: GitHub) -> CommentOptions:
    """What our comment of the last run says: its figures, and what was acknowledged. Without it the report is the same but for these.

    Every workflow of the repository writes under the same name, also one that repeats what a stranger said. So an acknowledged break
    counts only if somebody who may write to the repository asked for it in this pull request."""
    from bot.rendering.run_summary import MARKER, read_hidden

    try:
        ours = await github.our_comments(asked.repository, compared.number, MARKER)
    except GitHubError as error:
        runner.notice(f"The comment of the last run could not be read: {error} Breaks that it has as accepted are shown as new.", "warning")
        return options
    previous = read_hidden(ours[-1].body) if ours else None
    if previous is None:
        return options
    told = frozenset(previous.acknowledged) - options.acknowledged
    confirmed = await _confirmed(asked, compared.number, told, runner, github)
    return replace(options, previous=previous, acknowledged=options.acknowledged | confirmed)


async def _confirmed(asked: Asked, number: int, ids: frozenset[str], runner: Runner, github: GitHub) -> frozenset[str]:
    """Those of `ids` that a command in the pull request names, of an account that may write. What can't be looked up is not confirmed."""
    from bot.commands import ACK_ID, commands_in
    from bot.types import PERMISSIONS, CommandKind, Permission

    if not ids:
        return ids
    found: set[str] = set()
    may_write: dict[str, bool] = {}  # by account: who asks a hundred times is looked up once
    try:
        for said in await github.said_by_people(asked.repository, number):
            acks = [one.argument.lower() for one in commands_in(said.body) if one.kind is CommandKind.ACK]
            named = (ids & {id for text in acks for id in ACK_ID.findall(text)}) - found
            if named and said.login not in may_write:
                permission = await github.permission(asked.repository, said.login)
                may_write[said.login] = PERMISSIONS.index(permission) >= PERMISSIONS.index(Permission.WRITE)
            if named and may_write[said.login]:
                found |= named
    except GitHubError as error:
        runner.notice(f"Who accepted breaks could not be looked up: {error} They are shown as new.", "warning")
    return frozenset(found)


async def _comment(asked: Asked, compared: Compared, report: ImpactReport, options: CommentOptions, runner: Runner, github: GitHub) -> str:
    """Writes the one comment of the pull request -> its address. A token that may not write is no failure: the summary has it all."""
    from bot.rendering.comment import render_comment
    from bot.rendering.run_summary import MARKER

    try:
        now = await github.pull_request(asked.repository, compared.number)
        if now.head_sha != compared.head:
            runner.notice("The pull request was pushed to meanwhile: the comment is left to the run of the newer head.")
            return ""
        comment = render_comment(report, options)
        written = await github.upsert_comment(asked.repository, compared.number, MARKER, comment.body, create=not comment.silent)
        return written.url
    except NotAllowed:
        runner.notice(READ_ONLY)
    except GitHubError as error:
        runner.notice(f"The comment could not be written: {error} The report is in the summary of the job.", "warning")
    return ""


@dataclass(frozen=True, slots=True)
class Selected:
    """Tests to run: ids for their runner, or `every` where that can't be bounded."""

    ids: tuple[str, ...]
    every: bool


def selected_tests(report: ImpactReport) -> Selected:
    """Recall first: every test that is reached, or has another reason; all of them where a use that could reach the change is unknown."""
    from index.impact.runners import id_of_test

    ids = tuple(dict.fromkeys(id_of_test(one.path, one.qualified, one.runner) for one in report.tests))
    return Selected(ids, bool(report.open_sites) and not report.quiet)


def figures(report: ImpactReport) -> dict[str, str]:
    from bot.rendering.run_summary import total_reached

    reached = total_reached(report)
    at = next(row for row, found in enumerate((report.breaks, report.at_risk, reached, True)) if found)
    tests = selected_tests(report)
    return {
        "risk": RISKS[at],
        "breaking": str(len(report.breaks)),
        "impacted-count": str(reached),
        "tests": "all" if tests.every else "\n".join(_one_line(name) for name in tests.ids),
    }


def _one_line(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)


def write_files(folder: Path, report: ImpactReport, options: CommentOptions, url: str) -> dict[str, str]:
    """Output name -> the path of the file that was written. `url`: of the repository."""
    from bot.rendering.comment import render_comment
    from bot.rendering.html import render_html
    from bot.rendering.sarif import render_sarif
    from index.impact.as_json import as_json

    folder.mkdir(parents=True, exist_ok=True)
    pytest_ids = [name for name in selected_tests(report).ids if ".py" in name and name == _one_line(name)]
    sarif = render_sarif(report, VERSION, url, options.acknowledged)
    made = {
        "report-json": ("impact.json", json.dumps(as_json(report), indent=2, ensure_ascii=False) + "\n"),
        "report-html": ("impact.html", render_html(report, options)),
        "report-sarif": ("impact.sarif", json.dumps(sarif, indent=2, ensure_ascii=False) + "\n"),
        "report-markdown": ("impact.md", render_comment(report, options).body),
        "tests-file": ("tests.txt", "".join(f"{name}\n" for name in pytest_ids)),
    }
    for name, text in made.values():
        (folder / name).write_text(text, "utf-8", errors="replace")
    return {output: str(folder / name) for output, (name, _) in made.items()}
