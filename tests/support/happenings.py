"""Markdown -> what happens on a simulated GitHub and what must then be seen there. The format is in tests/corpus/README.md.

This module reads and plays; `tests/conftest.py` makes pytest tests of it. What can happen is the table `HAPPENINGS`, what can be seen is
the table `SIGHTS`: a sentence of the document is matched by a row, and a sentence that no row matches is a mistake in the document."""

from __future__ import annotations

import asyncio
import html
import itertools
import re
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.rendering.run_summary import MARKER
from github import bodies
from github.git import ALONE
from github.state import Fault, SimulatedComment, SimulatedPull, SimulatedRepository
from support.command import Ran, maguyva
from support.corpus import BadCase
from support.markdown import html_of
from support.service import Service, a_service

STAGES = {  # what stands behind a file's name -> when its content is that
    "": "before",
    ", in the pull request": "pull",
    ", in the next push": "push",
    ", on main meanwhile": "main",
}
_FILE = re.compile(r"`([^`]+)`(.*)$")
_FENCE = re.compile(r"(`{3,})\s*(\w*)\s*$")
_ROW = re.compile(r"\|\s*(.*?)\s*\|\s*(.*?)\s*\|$")
_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")


@dataclass
class Happening:
    name: str
    line: int  # of the heading in the document, from 1
    known_gap = False
    files: dict[str, dict[str, str]] = field(default_factory=lambda: {stage: {} for stage in STAGES.values()})
    rows: list[tuple[str, str]] = field(default_factory=list)  # (what happens, what is then seen)


def happenings_in(document: str) -> list[Happening]:
    """A Markdown document -> its cases, in order. Files above the first heading belong to every case that has none of its own of that
    stage. Raises BadCase."""
    lines = document.split("\n")
    common = Happening("", 0)
    found: list[Happening] = []
    at, said = 0, ""
    while at < len(lines):
        line, here = lines[at], found[-1] if found else common
        if line.startswith("## "):
            found.append(Happening(line[3:].strip(), at + 1))
        elif fence := _FENCE.match(line):
            end = next((row for row in range(at + 1, len(lines)) if lines[row].rstrip() == fence[1]), None)
            named = _FILE.match(said)
            if end is None or named is None or named[2] not in STAGES:
                raise BadCase(f"line {at + 1}: a block is closed, and stands under a file's name{' or '.join(STAGES)}")
            here.files[STAGES[named[2]]][named[1]] = "".join(f"{row}\n" for row in lines[at + 1 : end])
            at = end
        elif (row := _ROW.match(line)) and not set(line) <= set("|- :") and row[1] != "happens":
            here.rows.append((row[1], row[2].replace("\\|", "|")))
        said = line.strip() or said
        at += 1
    for one in found:
        if not one.rows:
            raise BadCase(f"line {one.line}: “{one.name}” needs a table")
        for stage, files in one.files.items():
            one.files[stage] = dict(_expanded(files or common.files[stage]))
        for happens, sees in one.rows:
            _row_for(happens, HAPPENINGS, one)
            for sight in _sights(sees):
                _row_for(sight, SIGHTS, one)
    return found


def _expanded(files: Mapping[str, str]) -> list[tuple[str, str]]:
    """`team{1..3}/job{1..2}.py` -> six files with that content."""
    found = []
    for path, text in files.items():
        ranges = [range(int(first), int(last) + 1) for first, last in _RANGE.findall(path)]
        found += [(_RANGE.sub("{}", path).format(*numbers), text) for numbers in itertools.product(*ranges)]
    return found


def _sights(sees: str) -> list[str]:
    return [part.strip() for part in re.split(r";\s+(?![^“]*”)", sees) if part.strip()]


def _row_for(sentence: str, table: Mapping[str, Any], one: Happening) -> tuple[Any, tuple[str, ...]]:
    for pattern, act in table.items():
        if matched := re.fullmatch(pattern, sentence):
            return act, matched.groups()
    raise BadCase(f"line {one.line}: “{sentence}” is none of: {'; '.join(table)}")


# ── playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class NotSeen(Exception):
    """What the document promises is not what is there."""


@dataclass
class Scene:
    """One case as it is played."""

    case: Happening
    service: Service
    shop: SimulatedRepository
    folder: Path
    pull: SimulatedPull | None = None
    first: dict[str, Any] = field(default_factory=dict)  # the pull request as the first delivery told of it
    calls_before: int = 0  # when the last thing happened
    answers_before: int = 0
    ran: Ran | None = None

    @property
    def opened(self) -> SimulatedPull:
        assert self.pull is not None, "no pull request was opened"
        return self.pull

    @property
    def ours(self) -> list[SimulatedComment]:
        """Our comments, answers to commands aside."""
        return [one for one in self.service.sim.our_comments(self.shop, self.opened.number) if one.body.startswith(MARKER)]

    @property
    def answers(self) -> list[str]:
        return [one.body for one in self.service.sim.our_comments(self.shop, self.opened.number) if "maguyva:answer" in one.body[:40]]

    @property
    def body(self) -> str:
        if len(self.ours) != 1:
            raise NotSeen(f"{len(self.ours)} comments")
        return self.ours[0].body

    @property
    def calls(self) -> list[str]:
        """What GitHub was asked since the last thing happened."""
        return [f"{one.method} {one.path}" for one in self.service.sim.calls[self.calls_before :]]


class Theatre:
    """The real service with a simulated GitHub beside it, for one case after the other; each has a repository of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._played = folder, 0
        self._runner = asyncio.Runner()
        self._open = AsyncExitStack()
        self._service = self._runner.run(self._open.enter_async_context(a_service(folder, parsers=1)))

    def close(self) -> None:
        self._runner.run(self._open.aclose())
        self._runner.close()

    def play(self, case: Happening) -> list[str]:
        """-> what was not as the case promises, a line each; empty if it holds."""
        self._played += 1
        return self._runner.run(_play(case, self._service, f"acme/shop{self._played}", self._folder / f"case{self._played}"))


async def _play(case: Happening, service: Service, name: str, folder: Path) -> list[str]:
    wrong = []
    await service.settled(PATIENCE)
    service.sim.faults.clear()
    service.sim.violations.clear()
    dead = len(await service.dead())
    shop = service.sim.repository(name, case.files["before"])
    shop.git.commit(BRANCH, case.files["pull"], start="main", message="what the pull request does")
    scene = Scene(case, service, shop, folder)
    for happens, sees in case.rows:
        scene.calls_before = len(service.sim.calls)
        scene.answers_before = len(scene.answers) if scene.pull else 0
        act, given = _row_for(happens, HAPPENINGS, case)
        await act(scene, *given)
        if "while GitHub is slow" not in happens:
            await service.settled(PATIENCE)
        for sight in _sights(sees):
            look, values = _row_for(sight, SIGHTS, case)
            try:
                holds = look(scene, *values)
            except NotSeen as error:
                holds, sight = False, f"{sight} (there are {error})"
            if not holds:
                wrong.append(f"after “{happens}”: not so: {sight}")
    wrong += [f"GitHub's rules were broken: {one}" for one in service.sim.violations]
    wrong += [f"a job failed: {one}" for one in (await service.dead())[dead:]]
    return wrong


# ── what can happen ──────────────────────────────────────────────────────────────────────────────────────────────────


BRANCH = "topic"
PATIENCE = 300.0  # seconds: a case that hangs ends, a slow machine does not fail
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def _branch(scene: Scene) -> SimulatedPull:
    """The pull request of the case, from the branch that left main before anything else happened."""
    return scene.service.sim.open_pull_request(scene.shop, head=BRANCH)


async def _opens(scene: Scene) -> None:
    scene.pull = _branch(scene)
    scene.first = bodies.pull(scene.service.sim, scene.shop, scene.pull)
    await scene.service.tell_pull(scene.shop, scene.pull, "opened", guid=GUID)


async def _again(scene: Scene) -> None:
    await scene.service.tell_pull(scene.shop, scene.opened, "opened", guid=GUID)


async def _at_once(scene: Scene, count: str) -> None:
    scene.pull = _branch(scene)
    actions = itertools.islice(itertools.cycle(("opened", "reopened", "synchronize")), int(count))
    await asyncio.gather(*(scene.service.tell_pull(scene.shop, scene.pull, action) for action in actions))


async def _slow(scene: Scene) -> None:
    scene.service.sim.faults.append(Fault(f"GET /repos/{scene.shop.full_name}/compare", status=502, delay=0.4))
    await _opens(scene)
    while not any("/compare/" in call for call in scene.calls):
        await asyncio.sleep(0.01)


async def _pushes(scene: Scene) -> None:
    scene.service.sim.push(scene.shop, scene.opened.head_ref, scene.case.files["push"])
    await scene.service.tell_pull(scene.shop, scene.opened, "synchronize")


async def _late(scene: Scene) -> None:
    payload = scene.service.payload(scene.shop, "synchronize", number=scene.opened.number, pull_request=scene.first)
    await scene.service.sim.deliver("pull_request", payload)


async def _lost(scene: Scene) -> None:
    scene.service.sim.faults += [Fault("POST /repos/acme", status=0, after=True), Fault("PATCH /repos/acme", status=502, after=True)]
    await _opens(scene)


async def _main_moves(scene: Scene) -> None:
    scene.service.sim.push(scene.shop, "main", scene.case.files["main"])


async def _others_write(scene: Scene, before: str, ours: str, after: str) -> None:
    """A pull request from before the service knew of it: with comments of others round one of ours."""
    sim = scene.service.sim
    scene.pull = _branch(scene)
    for number in range(int(before) + int(after)):
        if number == int(before) and ours:
            sim.write_comment(scene.shop, scene.pull.number, f"{MARKER}\nwritten long ago", sim.login)
        sim.write_comment(scene.shop, scene.pull.number, f"Comment {number}", "octocat")


async def _writes(scene: Scene, who: str, role: str, text: str) -> None:
    scene.shop.roles[who] = {"may": "write", "may not": "none"}[role]
    await scene.service.tell_comment(scene.shop, scene.service.sim.write_comment(scene.shop, scene.opened.number, text, who))


async def _we_write(scene: Scene, text: str) -> None:
    sim = scene.service.sim
    await scene.service.tell_comment(scene.shop, sim.write_comment(scene.shop, scene.opened.number, text, sim.login))


async def _clone(scene: Scene, depth: str) -> None:
    """What a checkout of so many commits can say of the branch."""
    clone = scene.folder / "clone"
    where = f"file://{scene.shop.git.folder}"
    command = ["git", "clone", "--quiet", f"--depth={depth}", "--no-single-branch", where, str(clone)]
    subprocess.run(command, env=ALONE, check=True, capture_output=True)
    words = ("impact", f"origin/main...origin/{BRANCH}")
    scene.ran = await asyncio.to_thread(maguyva, *words, repo=clone, home=scene.folder / "home")


HAPPENINGS: dict[str, Callable[..., Awaitable[None]]] = {
    r"the pull request is opened": _opens,
    r"the same delivery comes again": _again,
    r"(\d+) deliveries of a new pull request come at once": _at_once,
    r"the pull request is opened, and while GitHub is slow to say what it is about": _slow,
    r"the next push is made": _pushes,
    r"the delivery from before the push comes once more": _late,
    r"the pull request is opened, and GitHub's answers to what we write are lost": _lost,
    r"main moves on": _main_moves,
    r"a pull request has (\d+) comments of others, (one of ours, )?and (\d+) more": _others_write,
    r"(\w+), who (may|may not) write here, comments `(.+)`": _writes,
    r"our own account comments `(.+)`": _we_write,
    r"`maguyva impact` runs in a clone of depth (\d+)": _clone,
}


# ── what can be seen ─────────────────────────────────────────────────────────────────────────────────────────────────


def _shown(markdown: str) -> str:
    """The words that a reader sees; what only looks like another character is that character."""
    text = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"(?s)<!--.*?-->", "", html_of(markdown))))
    return re.sub("[\u200b\u2060]", "", text)


def _is_harmless(scene: Scene) -> bool:
    """As GitHub shows it: outside of code nobody is named with an @, no issue is closed or linked, and every link is one of ours."""
    shown = html_of(scene.body)
    links = re.findall(r'href="([^"]*)"', shown)
    text = re.sub(r"<[^>]*>", "", re.sub(r"(?s)<(code|pre)\b.*?</\1>|<!--.*?-->", "", shown))
    ours = all(link.startswith(f"{scene.service.sim.web}/{scene.shop.full_name}/blob/") for link in links)
    return ours and not re.search(r"@\w|\b(fix|clos|resolv)\w*\s+#\d|\w/\w+#\d|(?<!&)#\d|\bGH-\d", text)


def _packages(scene: Scene, first: str, last: str) -> bool:
    stem, start = re.fullmatch(r"(\D+)(\d+)", first).groups()  # type: ignore[union-attr]
    end = int(last.removeprefix(stem))
    return all(f"`{stem}{number}/" in scene.body for number in range(int(start), end + 1))


def _asked_before_answer(scene: Scene, who: str) -> bool:
    asked = [at for at, call in enumerate(scene.calls) if call.startswith("GET") and call.endswith(f"/collaborators/{who}/permission")]
    wrote = [at for at, call in enumerate(scene.calls) if call.startswith("POST") and call.endswith("/comments")]
    return bool(asked) and (not wrote or asked[0] < wrote[0])


def _ran(scene: Scene) -> Ran:
    assert scene.ran is not None, "nothing was run"
    return scene.ran


SIGHTS: dict[str, Callable[..., bool]] = {
    r"there is no comment of ours": lambda scene: not scene.ours,
    r"there is one comment of ours": lambda scene: len(scene.ours) == 1,
    r"the comment says “(.+)”": lambda scene, text: text in scene.body,
    r"as GitHub shows it, the comment says “(.+)”": lambda scene, text: text in _shown(scene.body),
    r"the comment does not say “(.+)”": lambda scene, text: text not in scene.body,
    r"the comment is about the newest push": lambda scene: scene.opened.head_sha[:10] in scene.body,
    r"nothing is written": lambda scene: not any(one.writes for one in scene.service.sim.calls[scene.calls_before :]),
    r"the comment is shorter than ([\d,]+) characters": lambda scene, most: len(scene.body) < int(most.replace(",", "")),
    r"the comment shows a place of each folder from `(\w+)` to `(\w+)`": _packages,
    r"as GitHub shows it, the comment names nobody, closes nothing, and links to our files alone": _is_harmless,
    r"GitHub was asked where the two branches part": lambda scene: any("/compare/" in call for call in scene.calls),
    r"GitHub was asked neither for the diff nor for the list of files": lambda scene: (
        not any(call.endswith("/files") or ".diff" in call or ".patch" in call for call in scene.calls)
    ),
    r"GitHub was asked what (\w+) may do before anything was answered": _asked_before_answer,
    r"there is no answer": lambda scene: len(scene.answers) == scene.answers_before,
    r"an answer says “(.+)”": lambda scene, text: any(text in one for one in scene.answers[scene.answers_before :]),
    r"it ends with (\d+) and says “(.+)”": lambda scene, code, text: _ran(scene).fails_with(int(code), text),
}
