"""What we ask GitHub and write there, against the simulated one: never twice, within its limits, for the right repository only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.errors import BadCredentials, GitHubBroken, GitHubError, GitHubUnreachable, Gone, MustWait, NotAllowed, NotFound, Refused
from bot.github.client import GitHub
from bot.github.failures import ROWS, Answer, failure
from bot.pace import Tally
from bot.settings import AppCredentials, GitHubHosts
from bot.types import (
    Annotation,
    CheckButton,
    CheckOutput,
    CheckRun,
    CommentPlace,
    CommentRef,
    Conclusion,
    Level,
    Permission,
    PullState,
    Reaction,
    RepositoryRef,
    WriteResult,
    Written,
)
from github.git import BareRepository
from github.make_data import OPERATIONS
from github.simulator import HANDLERS, OnlyUs, Simulator, key_pair
from github.state import Clock, Fault, SimulatedComment, SimulatedPull, SimulatedRepository

pytestmark = pytest.mark.anyio
MARKER = "<!-- maguyva:impact:v1 -->"
BODY = f"{MARKER}\n### Nothing breaks\n"
FILES = {"price.py": "def price():\n    return 1\n", "docs/notes.md": "# Notes\n"}
CHANGE = {"price.py": "def price(tax):\n    return 1 + tax\n", "vat.py": "RATE = 0.2\n", "docs/notes.md": None}


class Scene:
    """A repository with an open pull request."""

    def __init__(self, folder: Path) -> None:
        self.sim = Simulator(folder)
        self.shop: SimulatedRepository = self.sim.repository("acme/shop", FILES)
        self.pull: SimulatedPull = self.sim.open_pull_request(self.shop, CHANGE)

    @property
    def ref(self) -> RepositoryRef:
        return self.sim.ref(self.shop)

    def comments(self) -> list[str]:
        return [one.body for one in self.sim.our_comments(self.shop, 1)]

    def comment_ref(self, one: SimulatedComment) -> CommentRef:
        place = CommentPlace.REVIEW if one.review else CommentPlace.CONVERSATION
        return CommentRef(self.ref, one.number, one.id, place, (one.in_reply_to or one.id) if one.review else 0)

    def fails(self, calls: str, status: int = 502, **more: Any) -> Fault:
        fault = Fault(calls, status, **more)
        self.sim.faults.append(fault)
        return fault


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Whatever a test does, no rule of GitHub's is broken by it."""
    made = Scene(tmp_path)
    yield made
    assert made.sim.violations == []


# ---- the App


async def test_who_we_are(scene: Scene) -> None:
    async with scene.sim.client() as github:
        found = await github.identity()

    assert (found.id, found.slug, found.permissions["checks"]) == (12_345, "maguyva", "write")
    assert abs(found.clock_skew) < 2


async def test_a_clock_that_is_wrong_is_noticed(scene: Scene) -> None:
    async with scene.sim.client(clock=lambda: scene.sim.clock() + 90) as github:
        found = await github.identity()

    assert 88 < found.clock_skew < 92


async def test_where_we_are_installed(scene: Scene) -> None:
    scene.sim.repository("acme/tools", {}, installation=100, private=False)
    scene.sim.installation(7, "umbrella").suspended = True

    async with scene.sim.client() as github:
        installations = await github.installations()
        repositories = await github.repositories(100)

    assert [(one.id, one.account, one.suspended) for one in installations] == [(7, "umbrella", True), (100, "acme", False)]
    assert [(one.full_name, one.private, one.installation) for one in repositories] == [
        ("acme/shop", True, 100),
        ("acme/tools", False, 100),
    ]


@pytest.mark.parametrize(
    "credentials",
    [
        AppCredentials("999", key_pair()[0], ("x" * 16,)),
        AppCredentials("12345", "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n", ("x" * 16,)),
    ],
    ids=["another id", "a broken key"],
)
async def test_wrong_credentials_say_what_to_check(scene: Scene, credentials: AppCredentials) -> None:
    async with scene.sim.client(app=credentials) as github:
        with pytest.raises((BadCredentials, NotFound)) as caught:
            await github.identity()

    assert "MIIB" not in str(caught.value)


async def test_deliveries_since_a_moment_oldest_first(scene: Scene) -> None:
    for event in ("ping", "push", "issues"):
        await scene.sim.deliver(event, {"zen": "x"})
        scene.sim.clock.advance(60)
    since = scene.sim.clock() - 130

    async with scene.sim.client() as github:
        found = await github.deliveries(since)

    assert [(one.event, one.failed) for one in found] == [("push", True), ("issues", True)]


async def test_a_delivery_is_sent_again_under_the_same_id(scene: Scene) -> None:
    heard: list[str] = []

    async def hook(headers: dict[str, str], body: bytes) -> int:
        heard.append(headers["X-GitHub-Delivery"])
        return 500 if len(heard) == 1 else 202

    scene.sim.hook = hook
    await scene.sim.deliver("ping", {"zen": "x"})
    async with scene.sim.client() as github:
        (lost,) = await github.deliveries(0)
        await github.redeliver(lost)
        await asyncio.gather(*scene.sim.background)
        again = await github.deliveries(0)

    assert heard[0] == heard[1] == lost.delivery
    assert [(one.status_code, one.redelivery) for one in again] == [(500, False), (202, True)]


async def test_a_manifest_becomes_an_app_once(scene: Scene) -> None:
    scene.sim.codes["a1b2"] = {"id": 5, "slug": "shop-impact", "pem": key_pair()[0], "webhook_secret": "w" * 40}

    async with scene.sim.client(app=None) as github:
        made = await github.convert_manifest("a1b2")
        with pytest.raises(NotFound):
            await github.convert_manifest("a1b2")
        with pytest.raises(Refused):
            await github.convert_manifest("../app")

    assert (made.id, made.slug, made.url) == (5, "shop-impact", "https://github.com/apps/shop-impact")
    assert "PRIVATE" not in repr(made) and "wwww" not in repr(made)


# ---- reading


async def test_a_pull_request_as_it_is_now(scene: Scene) -> None:
    scene.pull.draft, scene.pull.title = True, "Tax | `x`"

    async with scene.sim.client() as github:
        found = await github.pull_request(scene.ref, 1)

    assert (found.head_sha, found.base_sha) == (scene.pull.head_sha, scene.pull.base_sha)
    assert (found.draft, found.title, found.state, found.from_fork, found.changed_files) == (True, "Tax | `x`", PullState.OPEN, False, 3)


@pytest.mark.parametrize("fork", ["mallory/shop", None], ids=["a fork", "a fork that is gone"])
async def test_a_pull_request_from(scene: Scene, fork: str | None) -> None:
    scene.pull.fork = fork

    async with scene.sim.client() as github:
        found = await github.pull_request(scene.ref, 1)

    assert found.from_fork and found.repository == scene.ref


async def test_what_an_event_told_a_moment_ago_is_asked_for_again(scene: Scene) -> None:
    scene.fails("/pulls/1", 404, times=2)

    async with scene.sim.client() as github:
        found = await github.pull_request(scene.ref, 1, just_told=True)
        with pytest.raises(NotFound):
            await github.pull_request(scene.ref, 9)

    assert found.number == 1


async def test_open_pull_requests_over_all_pages(scene: Scene) -> None:
    for _ in range(120):
        scene.sim.open_pull_request(scene.shop, head="feature-1")
    scene.shop.pulls[5].state = "closed"
    scene.shop.pulls[9].fork = "mallory/shop"

    async with scene.sim.client() as github:
        found = await github.open_pull_requests(scene.ref)
        same_head = await github.pull_requests_of(scene.ref, scene.pull.head_sha)

    assert [one.number for one in found] == [number for number in range(1, 122) if number != 5]
    assert 9 in [one.number for one in same_head]


async def test_where_two_branches_part(scene: Scene) -> None:
    scene.sim.push(scene.shop, "main", {"other.py": "x = 1\n"})

    async with scene.sim.client() as github:
        pull = await github.pull_request(scene.ref, 1)
        found = await github.merge_base(pull)

    assert found == scene.shop.git.merge_base(pull.base_sha, pull.head_sha) != pull.base_sha


async def test_branches_that_have_nothing_in_common(scene: Scene) -> None:
    scene.shop.git.commit("island", {"a.py": "a\n"})
    scene.sim.open_pull_request(scene.shop, head="island")

    async with scene.sim.client() as github:
        pull = await github.pull_request(scene.ref, 2)
        with pytest.raises(Refused, match="unrelated"):
            await github.merge_base(pull)


async def test_the_tip_of_a_branch_with_slashes(scene: Scene) -> None:
    sha = scene.shop.git.commit("feature/tax#1", {"a.py": "a\n"}, start="main")

    async with scene.sim.client() as github:
        assert await github.branch_tip(scene.ref, "feature/tax#1") == sha
        with pytest.raises(NotFound):
            await github.branch_tip(scene.ref, "feature")


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("read", Permission.READ),
        ("triage", Permission.READ),
        ("write", Permission.WRITE),
        ("maintain", Permission.WRITE),
        ("admin", Permission.ADMIN),
        ("", Permission.NONE),
    ],
)
async def test_what_somebody_may_do(scene: Scene, role: str, expected: Permission) -> None:
    scene.shop.roles.update({"octocat": role} if role else {})

    async with scene.sim.client() as github:
        found = [await github.permission(scene.ref, "octocat") for _ in range(3)]

    assert found == [expected] * 3
    assert sum("/collaborators/" in call.path for call in scene.sim.calls) == 1


async def test_what_a_name_that_is_none_may_do(scene: Scene) -> None:
    async with scene.sim.client() as github:
        found = [await github.permission(scene.ref, name) for name in ("", "..", "a/b", "x" * 300, "é")]

    assert set(found) == {Permission.NONE}
    assert not any("/collaborators/" in call.path for call in scene.sim.calls)


async def test_an_outage_is_no_answer_about_permissions(scene: Scene) -> None:
    scene.fails("/collaborators/", 502, times=9)

    async with scene.sim.client() as github:
        with pytest.raises(GitHubBroken):
            await github.permission(scene.ref, "octocat")


# ---- the one comment


async def test_a_comment_is_written_then_rewritten_then_left_alone(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        second = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more")
        third = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more")

    assert [one.result for one in (first, second, third)] == [WriteResult.CREATED, WriteResult.UPDATED, WriteResult.UNCHANGED]
    assert first.id == second.id == third.id and first.url.startswith("https://github.com/acme/shop/pull/1#")
    assert scene.comments() == [BODY + "more"]
    assert [one.method for one in scene.sim.writes()] == ["POST", "PATCH"]


@pytest.mark.parametrize("status", [0, 500, 502, 504])
async def test_an_answer_that_is_lost_makes_no_second_comment(scene: Scene, status: int) -> None:
    scene.fails("POST /repos/acme/shop/issues/1/comments", status, after=True)

    async with scene.sim.client() as github:
        found = await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert found.result is WriteResult.CREATED
    assert scene.comments() == [BODY]


@pytest.mark.parametrize("status", [0, 502])
async def test_a_write_that_never_arrived_is_made(scene: Scene, status: int) -> None:
    scene.fails("POST /repos/acme/shop/issues/1/comments", status)

    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert scene.comments() == [BODY]


async def test_a_github_that_stays_broken_is_said_and_leaves_nothing_double(scene: Scene) -> None:
    scene.fails("POST /repos/acme/shop/issues/1/comments", 502, times=2)

    async with scene.sim.client() as github:
        with pytest.raises(GitHubBroken) as caught:
            await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert caught.value.maybe_done
    assert scene.comments() == [BODY]


async def test_a_strangers_comment_with_our_marker_is_his(scene: Scene) -> None:
    for login in ("mallory", "evil[bot]", "maguyva"):
        scene.sim.write_comment(scene.shop, 1, BODY, login)

    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY + "ours")

    assert scene.comments() == [BODY + "ours"]
    assert [one.body for one in scene.sim.comments(scene.shop, 1)][:3] == [BODY] * 3


async def test_our_comment_is_found_on_the_last_page(scene: Scene) -> None:
    for number in range(250):
        scene.sim.write_comment(scene.shop, 1, f"comment {number}")

    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        found = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more")

    assert found.result is WriteResult.UPDATED
    assert scene.comments() == [BODY + "more"]


async def test_further_copies_of_ours_are_removed(scene: Scene) -> None:
    for text in ("one", "two", "three"):
        scene.sim._comment(scene.shop, 1, BODY + text, "maguyva[bot]", by_app=True)
    other = scene.sim._comment(scene.shop, 1, "<!-- maguyva:answer:1 -->", "maguyva[bot]", by_app=True)

    async with scene.sim.client() as github:
        found = await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert (found.result, found.removed) == (WriteResult.UPDATED, 2)
    assert scene.comments() == [BODY, other.body]


async def test_a_list_that_is_behind_makes_no_second_comment(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        scene.sim.stale_lists = 1
        second = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more", known=first.id)

    assert second.result is WriteResult.UPDATED
    assert scene.comments() == [BODY + "more"]


async def test_what_somebody_deleted_is_not_written_at_once(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        del scene.sim.all_comments[first.id]
        gone = await github.upsert_comment(scene.ref, 1, MARKER, BODY, known=first.id)
        again = await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert (gone, again.result) == (Written(WriteResult.GONE), WriteResult.CREATED)


async def test_deleted_while_we_rewrite(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        scene.fails(f"PATCH /repos/acme/shop/issues/comments/{first.id}", 404)
        found = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more", known=first.id)

    assert found.result is WriteResult.GONE


async def test_nothing_is_written_where_only_an_old_one_was_to_change(scene: Scene) -> None:
    async with scene.sim.client() as github:
        absent = await github.upsert_comment(scene.ref, 1, MARKER, BODY, create=False)
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        changed = await github.upsert_comment(scene.ref, 1, MARKER, BODY + "quiet", create=False)

    assert (absent.result, changed.result) == (WriteResult.ABSENT, WriteResult.UPDATED)


async def test_line_ends_that_github_changed_are_no_change(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        scene.sim.all_comments[first.id].body = BODY.replace("\n", "\r\n").rstrip()
        second = await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert second.result is WriteResult.UNCHANGED


async def test_a_comment_that_is_too_long_or_could_not_be_found_again_is_never_sent(scene: Scene) -> None:
    async with scene.sim.client() as github:
        with pytest.raises(Refused, match="65,536"):
            await github.upsert_comment(scene.ref, 1, MARKER, MARKER + "é" * 65_536)
        with pytest.raises(Refused, match="marker"):
            await github.upsert_comment(scene.ref, 1, MARKER, "no marker")
        longest = MARKER + "é" * (65_536 - len(MARKER))
        await github.upsert_comment(scene.ref, 1, MARKER, longest)

    assert scene.comments() == [longest]


async def test_twenty_at_once_make_twenty_or_fewer_writes_and_one_comment_survives(scene: Scene) -> None:
    """The jobs see to it that this never happens; if it does, the next write puts it right."""
    async with scene.sim.client() as github:
        await asyncio.gather(*(github.upsert_comment(scene.ref, 1, MARKER, BODY) for _ in range(15)))
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)

    assert scene.comments() == [BODY]


# ---- answers and reactions


async def test_an_answer_in_the_conversation(scene: Scene) -> None:
    asked = scene.comment_ref(scene.sim.write_comment(scene.shop, 1, "/maguyva help"))

    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        await github.reply(asked, "<!-- maguyva:answer:1 -->", "<!-- maguyva:answer:1 -->\nHelp")
        again = await github.reply(asked, "<!-- maguyva:answer:1 -->", "<!-- maguyva:answer:1 -->\nHelp")

    assert again.result is WriteResult.UNCHANGED
    assert scene.comments() == [BODY, "<!-- maguyva:answer:1 -->\nHelp"]


@pytest.mark.parametrize("lost", [False, True])
async def test_an_answer_in_a_review_thread(scene: Scene, lost: bool) -> None:
    first = scene.sim.write_comment(scene.shop, 1, "Why this?", review=True)
    reply = scene.sim.write_comment(scene.shop, 1, "/maguyva help", review=True, in_reply_to=first.id)
    if lost:
        scene.fails("POST /repos/acme/shop/pulls/1/comments", 502, after=True)

    async with scene.sim.client() as github:
        for text in ("Help", "Help", "Better help"):
            await github.reply(scene.comment_ref(reply), "<!-- maguyva:answer:1 -->", f"<!-- maguyva:answer:1 -->\n{text}")

    ours = [one for one in scene.sim.comments(scene.shop, 1, review=True) if one.login == "maguyva[bot]"]
    assert [(one.body, one.in_reply_to, one.edits) for one in ours] == [("<!-- maguyva:answer:1 -->\nBetter help", first.id, 1)]


async def test_an_answer_to_a_thread_that_is_gone(scene: Scene) -> None:
    first = scene.sim.write_comment(scene.shop, 1, "/maguyva help", review=True)
    del scene.sim.all_comments[first.id]

    async with scene.sim.client() as github:
        with pytest.raises(NotFound):
            await github.reply(scene.comment_ref(first), "<!-- m -->", "<!-- m -->")


@pytest.mark.parametrize("review", [False, True])
async def test_a_reaction_comes_once(scene: Scene, review: bool) -> None:
    asked = scene.sim.write_comment(scene.shop, 1, "/maguyva help", review=review)
    scene.fails("/reactions", 502, after=True)

    async with scene.sim.client() as github:
        for _ in range(2):
            await github.react(scene.comment_ref(asked), Reaction.SEEN)
        del scene.sim.all_comments[asked.id]
        await github.react(scene.comment_ref(asked), Reaction.DONE)

    assert scene.sim.reactions == {("maguyva[bot]", asked.id, "eyes")}


# ---- checks


def notes(count: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("price.py", 1, 2, Level.WARNING, f"note {number}", "A title") for number in range(count))


async def finished(scene: Scene, github: GitHub, output: CheckOutput, job: str = "job 1") -> CheckRun:
    run = await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", job, title="Looking", details_url="https://example.com/1")
    return await github.finish_check(scene.ref, run, Conclusion.NEUTRAL, output)


@pytest.mark.parametrize(("count", "calls"), [(0, 1), (1, 1), (50, 1), (51, 2), (120, 3), (999, 4)])
async def test_annotations_go_fifty_at_a_time(scene: Scene, count: int, calls: int) -> None:
    async with scene.sim.client() as github:
        run = await finished(scene, github, CheckOutput("2 breaks", "text", "more", notes(count)))

    (made,) = scene.sim.checks(scene.shop)
    assert (made["status"], made["conclusion"], run.completed) == ("completed", "neutral", True)
    assert [one["message"] for one in made["output"]["annotations"]] == [f"note {number}" for number in range(min(count, 200))]
    assert sum(one.method == "PATCH" for one in scene.sim.calls) == calls


@pytest.mark.parametrize("after", [False, True])
async def test_no_annotation_comes_twice_when_an_answer_is_lost(scene: Scene, after: bool) -> None:
    scene.fails("PATCH /repos/acme/shop/check-runs", 502, after=after)

    async with scene.sim.client() as github:
        await finished(scene, github, CheckOutput("t", "s", annotations=notes(120)))

    assert [one["message"] for one in scene.sim.checks(scene.shop)[0]["output"]["annotations"]] == [f"note {n}" for n in range(120)]


@pytest.mark.parametrize("after", [False, True])
async def test_a_check_is_started_once(scene: Scene, after: bool) -> None:
    scene.fails("POST /repos/acme/shop/check-runs", 0, after=after)

    async with scene.sim.client() as github:
        first = await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 1")
        second = await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 1")

    assert first.id == second.id
    assert len(scene.sim.checks(scene.shop)) == 1


async def test_a_finished_check_is_taken_up_again_by_its_own_job_only(scene: Scene) -> None:
    async with scene.sim.client() as github:
        done = await finished(scene, github, CheckOutput("t", "s"))
        same = await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 1")
        other = await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 2")
        found = await github.checks(scene.ref, scene.pull.head_sha, "Maguyva")

    assert same.id == done.id and not same.completed
    assert [one.id for one in found] == [other.id, done.id]


async def test_the_same_result_again_adds_nothing(scene: Scene) -> None:
    async with scene.sim.client() as github:
        for _ in range(3):
            await finished(scene, github, CheckOutput("t", "s", annotations=notes(60)))

    (made,) = scene.sim.checks(scene.shop)
    assert len(made["output"]["annotations"]) == 60


async def test_another_result_of_the_same_head_takes_the_place_of_the_first(scene: Scene) -> None:
    """The base moved, say. GitHub keeps annotations, and shows the newest run of a name."""
    async with scene.sim.client() as github:
        first = await finished(scene, github, CheckOutput("t", "s", annotations=notes(3)))
        second = await finished(scene, github, CheckOutput("t", "s", annotations=notes(9)[4:]))
        (newest, _) = await github.checks(scene.ref, scene.pull.head_sha, "Maguyva")

    assert first.id != second.id == newest.id
    assert [one["message"] for one in scene.sim.checks(scene.shop)[-1]["output"]["annotations"]] == [f"note {n}" for n in range(4, 9)]


async def test_buttons_and_titles_fit_into_githubs_limits(scene: Scene) -> None:
    button = CheckButton(
        "A label that is much too long", "A description that is a good deal longer than forty", "an-identifier-of-25-letters"
    )
    note = Annotation("price.py", 9, 3, Level.FAILURE, "é" * 70_000, "t" * 300)

    async with scene.sim.client() as github:
        await finished(scene, github, CheckOutput("t" * 300, "s", annotations=(note,), buttons=(button,) * 5))

    (made,) = scene.sim.checks(scene.shop)
    assert len(made["actions"]) == 3
    assert (made["output"]["annotations"][0]["start_line"], made["output"]["annotations"][0]["end_line"]) == (9, 9)


async def test_a_summary_that_is_too_long_is_never_sent(scene: Scene) -> None:
    async with scene.sim.client() as github:
        with pytest.raises(Refused, match="65,535"):
            await finished(scene, github, CheckOutput("t", "s" * 65_536))


# ---- tokens: one for each repository


async def test_a_token_is_for_one_repository_and_for_what_is_done_with_it(scene: Scene) -> None:
    other = scene.sim.repository("acme/other", FILES)
    async with scene.sim.client() as github:
        await github.pull_request(scene.ref, 1)
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        await github.git_access(scene.ref)
        await github.repository(scene.sim.ref(other))

    granted = [(token.repositories, token.permissions) for token in scene.sim.tokens.values()]
    assert all(len(repositories) == 1 for repositories, _ in granted)
    assert [permissions.get("pull_requests") for _, permissions in granted] == ["read", "write", None, "read"]
    assert all("issues" not in permissions for _, permissions in granted)


async def test_many_calls_at_once_ask_for_one_token(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await asyncio.gather(*(github.pull_request(scene.ref, 1) for _ in range(20)))

    assert len(scene.sim.tokens) == 1


async def test_a_token_is_kept_for_its_hour_and_not_longer(scene: Scene) -> None:
    async with scene.sim.client() as github:
        for minutes in (0, 30, 61, 0):
            scene.sim.clock.advance(60 * minutes)
            await github.pull_request(scene.ref, 1)

    assert len(scene.sim.tokens) == 2


async def test_git_gets_a_token_that_lives_long_enough(scene: Scene) -> None:
    async with scene.sim.client() as github:
        first = await github.git_access(scene.ref)
        scene.sim.clock.advance(55 * 60)
        second = await github.git_access(scene.ref)

    assert first.url == "https://github.com/acme/shop.git" and "ghs_" not in first.url
    assert first.header != second.header and second.expires_at - scene.sim.clock() > 600
    assert "Basic" not in repr(first)


async def test_a_token_that_github_forgot_is_replaced_once(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await github.pull_request(scene.ref, 1)
        scene.sim.tokens.clear()
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        scene.fails("/pulls/1", 401, times=9)
        with pytest.raises(BadCredentials):
            await github.pull_request(scene.ref, 1)

    assert scene.comments() == [BODY]


async def test_permissions_that_the_owner_has_not_accepted_yet(scene: Scene) -> None:
    scene.sim.installation().permissions.pop("checks")

    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        with pytest.raises(NotAllowed):
            await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 1")
        scene.sim.installation().permissions["checks"] = "write"
        github.forget(100)
        await github.start_check(scene.ref, scene.pull.head_sha, "Maguyva", "job 1")

    assert scene.comments() == [BODY]


async def test_an_installation_that_is_suspended_or_gone(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await github.pull_request(scene.ref, 1)
        ref = scene.ref
        scene.sim.installation().suspended = True
        with pytest.raises(Gone):
            await github.upsert_comment(ref, 1, MARKER, BODY)
        del scene.sim.installations[100]
        scene.sim.tokens.clear()
        github.forget(100)
        with pytest.raises(Gone):
            await github.pull_request(ref, 1)


async def test_a_repository_that_was_taken_out_of_the_installation(scene: Scene) -> None:
    ref = scene.ref
    scene.sim.installation().repositories.clear()

    async with scene.sim.client() as github:
        with pytest.raises(NotFound):
            await github.pull_request(ref, 1)


async def test_the_action_uses_the_token_it_was_given(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await github.pull_request(scene.ref, 1)
    token = next(iter(scene.sim.tokens))
    scene.sim.tokens[token].permissions["pull_requests"] = "write"
    scene.sim.slug = "github-actions"

    async with scene.sim.client(app=None, token=token) as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        again = await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        with pytest.raises(BadCredentials):
            await github.installations()

    assert again.result is WriteResult.UNCHANGED


@pytest.mark.parametrize("holder", ["github-actions", "another-app"])
async def test_whose_token_it_is_decides_which_comment_is_ours(scene: Scene, holder: str) -> None:
    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
    token = next(text for text, one in scene.sim.tokens.items() if one.permissions["pull_requests"] == "write")
    scene.sim.slug = holder

    async with scene.sim.client(app=None, token=token) as github:
        for text in ("one", "two"):
            await github.upsert_comment(scene.ref, 1, MARKER, BODY + text)

    assert [(one.login, one.body) for one in scene.sim.comments(scene.shop, 1)] == [
        ("maguyva[bot]", BODY),
        (f"{holder}[bot]", BODY + "two"),
    ]


async def test_a_persons_own_token_finds_that_persons_comment(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
    token = next(text for text, one in scene.sim.tokens.items() if one.permissions["pull_requests"] == "write")
    scene.sim.all_comments.clear()
    scene.sim.write_comment(scene.shop, 1, BODY, "someone")

    async with scene.sim.client(app=None, token=token, login="Someone") as github:
        found = await github.our_comments(scene.ref, 1, MARKER)

    assert [one.body for one in found] == [BODY]


# ---- names change, ids do not


async def test_a_renamed_repository_is_followed_and_written_to_once(scene: Scene) -> None:
    ref = scene.ref
    scene.sim.rename(scene.shop, "acme/store")

    async with scene.sim.client() as github:
        await github.upsert_comment(ref, 1, MARKER, BODY)
        found = await github.repository(ref)
        await github.pull_request(ref, 1)
        access = await github.git_access(ref)

    assert (found.full_name, access.url) == ("acme/store", "https://github.com/acme/store.git")
    assert scene.comments() == [BODY]
    assert scene.sim.calls[-2].path == "/repos/acme/store/pulls/1"


async def test_another_repository_that_took_the_name_is_not_touched(scene: Scene) -> None:
    ref = scene.ref
    scene.sim.rename(scene.shop, "acme/store")
    other = scene.sim.repository("acme/shop", FILES, private=False)
    scene.sim.open_pull_request(other, CHANGE)

    async with scene.sim.client() as github:
        with pytest.raises(NotFound, match="another repository"):
            await github.pull_request(ref, 1)
        assert (await github.repository(ref)).full_name == "acme/store"
        await github.pull_request(ref, 1)


async def test_a_redirect_to_somewhere_else_is_not_followed(scene: Scene) -> None:
    places = (
        "http://169.254.169.254/latest",
        "https://evil.example/repositories/1",
        "https://api.github.com.evil.example/x",
        "https://user@api.github.com/x",
        "",
    )
    for place in places:
        scene.fails("/pulls/1", 301, headers={"Location": place})

    async with scene.sim.client() as github:
        for _ in places:
            with pytest.raises(Refused):
                await github.pull_request(scene.ref, 1)


@pytest.mark.parametrize("place", ["http://[::1", "https://api.github.com:x/"])
async def test_a_redirect_to_nowhere(scene: Scene, place: str) -> None:
    scene.fails("/pulls/1", 301, headers={"Location": place}, times=9)

    async with scene.sim.client() as github:
        with pytest.raises((Refused, GitHubUnreachable)):
            await github.pull_request(scene.ref, 1)


async def test_a_redirect_that_never_ends_ends(scene: Scene) -> None:
    scene.fails("/pulls/1", 301, headers={"Location": "https://api.github.com/repos/acme/shop/pulls/1"}, times=50)

    async with scene.sim.client() as github:
        with pytest.raises(Refused):
            await github.pull_request(scene.ref, 1)

    assert len(scene.sim.calls) < 10


@pytest.mark.parametrize("place", ["https://evil.example/?page=2", "http://[::1", "//evil.example/x"])
async def test_a_next_page_somewhere_else_is_not_followed(scene: Scene, place: str) -> None:
    link = {"Link": f'<{place}>; rel="next"'}
    scene.fails("/issues/1/comments", 200, body=[], headers=link)

    async with scene.sim.client() as github:
        with pytest.raises(Refused):
            await github.our_comments(scene.ref, 1, MARKER)


# ---- limits

SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait", "secondary"),
    [
        (403, {"Retry-After": "17"}, SECONDARY, 17, True),
        (429, {"Retry-After": "17"}, {"message": "Too many requests"}, 17, True),
        (429, {}, {"message": ""}, 60, True),
        (403, {}, SECONDARY, 60, True),
        (403, {"x-ratelimit-remaining": "4290"}, SECONDARY, 60, True),
        (403, {"Retry-After": "soon"}, SECONDARY, 60, True),
    ],
)
async def test_every_form_of_a_secondary_limit(
    scene: Scene, status: int, headers: dict[str, str], body: dict[str, str], wait: float, secondary: bool
) -> None:
    scene.fails("/pulls/1", status, headers=headers, body=body)
    begun = scene.sim.clock()

    async with scene.sim.client() as github:
        with pytest.raises(MustWait) as caught:
            await github.pull_request(scene.ref, 1)
        with pytest.raises(MustWait):  # and nobody else asks meanwhile
            await github.open_pull_requests(scene.ref)
        calls = len(scene.sim.calls)
        scene.sim.clock.advance(wait + 1)
        await github.pull_request(scene.ref, 1)

    assert caught.value.secondary is secondary
    assert abs(caught.value.until - begun - wait) < 2
    assert calls == 2  # the token, and the call that was refused


async def test_the_primary_limit_says_when_it_ends(scene: Scene) -> None:
    installation = scene.sim.installation()
    resets_at = scene.sim.clock() + 1_800
    installation.remaining, installation.reset_at = 0, resets_at

    async with scene.sim.client() as github:
        with pytest.raises(MustWait) as caught:
            await github.pull_request(scene.ref, 1)
        state = github.rate(100)
        scene.sim.clock.advance(1_801)
        await github.pull_request(scene.ref, 1)

    assert abs(caught.value.until - resets_at) <= 1 and not caught.value.secondary
    assert state.remaining == 0 and state.wait_until == caught.value.until


async def test_limits_that_do_not_say_how_long_are_waited_out_longer_each_time(scene: Scene) -> None:
    scene.fails("/pulls/1", 403, body=SECONDARY, times=6)
    waits = []

    async with scene.sim.client() as github:
        for _ in range(6):
            with pytest.raises(MustWait) as caught:
                await github.pull_request(scene.ref, 1)
            waits.append(round(caught.value.until - scene.sim.clock()))
            scene.sim.clock.advance(waits[-1] + 1)

    assert waits == [60, 120, 240, 480, 900, 900]


async def test_limits_of_one_installation_do_not_stop_another(scene: Scene) -> None:
    other = scene.sim.repository("umbrella/app", FILES, installation=7)
    scene.sim.open_pull_request(other, CHANGE)
    scene.fails("/repos/acme/shop/pulls/1", 403, body=SECONDARY)

    async with scene.sim.client() as github:
        with pytest.raises(MustWait):
            await github.pull_request(scene.ref, 1)
        await github.pull_request(scene.sim.ref(other), 1)


async def test_writes_come_one_at_a_time_and_a_second_apart(scene: Scene) -> None:
    async with scene.sim.client() as github:
        await asyncio.gather(*(github.upsert_comment(scene.ref, 1, f"<!-- {n} -->", f"<!-- {n} -->") for n in range(12)))

    times = [one.at for one in scene.sim.writes()]
    assert len(times) == 12 and scene.sim.most_parallel_writes == 1
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.99


async def test_ninety_pull_requests_at_once_stay_below_eighty_writes_a_minute(scene: Scene) -> None:
    for _ in range(90):
        scene.sim.open_pull_request(scene.shop, head="feature-1")

    async def comment(github: GitHub, number: int) -> None:
        while True:
            try:
                await github.upsert_comment(scene.ref, number, MARKER, BODY)
                return
            except MustWait as wait:
                await scene.sim.clock.sleep(wait.until - scene.sim.clock())

    async with scene.sim.client() as github:
        await asyncio.gather(*(comment(github, number) for number in range(1, 91)))

    times = [one.at for one in scene.sim.writes()]
    assert max(sum(start <= at < start + 60 for at in times) for start in times) <= 80
    assert all(len(scene.sim.our_comments(scene.shop, number)) == 1 for number in range(1, 91))


async def test_the_services_own_pace_takes_the_place_of_ours(scene: Scene) -> None:
    asked: list[int] = []

    async def before(installation: int) -> None:
        asked.append(installation)

    async with scene.sim.client(before_write=before) as github:
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        await github.upsert_comment(scene.ref, 1, MARKER, BODY + "more")

    assert asked == [100, 100]
    assert scene.sim.clock.offset == 0


async def test_lists_that_did_not_change_cost_nothing(scene: Scene) -> None:
    async with scene.sim.client() as github:
        for _ in range(3):
            found = await github.our_comments(scene.ref, 1, MARKER)
        left = github.rate(100).remaining
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        changed = await github.our_comments(scene.ref, 1, MARKER)

    assert (found, left) == ([], 4_999)
    assert [one.body for one in changed] == [BODY]


def test_a_pace_recovers_when_the_clock_is_set_back() -> None:
    pace = Tally()
    pace.reserve(1_000_000.0, 20.0)

    assert pace.reserve(500_000.0, 20.0) == 0.0


def test_a_pace_keeps_the_hour_too() -> None:
    pace, now, waits = Tally(), 1_000_000.0, []
    for _ in range(460):
        wait = pace.reserve(now, 5_000.0)
        waits.append(wait)
        now += wait

    assert max(waits[:66]) <= 1.0 and waits[450] > 600


# ---- a GitHub that is not well


@pytest.mark.parametrize("status", [0, 500, 502, 503])
async def test_a_read_is_tried_again(scene: Scene, status: int) -> None:
    scene.fails("/pulls/1", status, times=2)

    async with scene.sim.client() as github:
        assert (await github.pull_request(scene.ref, 1)).number == 1


@pytest.mark.parametrize("status", [0, 502])
async def test_an_outage_has_an_end(scene: Scene, status: int) -> None:
    fault = scene.fails("/pulls/1", status, times=50)

    async with scene.sim.client() as github:
        with pytest.raises((GitHubBroken, GitHubUnreachable)):
            await github.pull_request(scene.ref, 1)

    assert fault.times == 47


@pytest.mark.parametrize(
    "body",
    ["<html>Unicorn!</html>", "", "[]", "null", '{"number": 1}', '{"number": "one"}', "[" * 100_000, b"\xff\xfe"],
)
async def test_an_answer_that_is_none_is_said(scene: Scene, body: str | bytes) -> None:
    scene.fails("/pulls/1", 200, body=body, times=5)

    async with scene.sim.client() as github:
        with pytest.raises(GitHubBroken) as caught:
            await github.pull_request(scene.ref, 1)

    assert str(caught.value).isprintable()


async def test_no_call_waits_for_ever(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.github.client.CALL_SECONDS", 0.05)
    scene.fails("/pulls/1", 0, delay=0.5, times=9)

    async with scene.sim.client() as github:
        with pytest.raises(GitHubUnreachable, match="in time"):
            await github.pull_request(scene.ref, 1)


async def test_a_failing_token_request_is_told_like_any_other(scene: Scene) -> None:
    scene.fails("/access_tokens", 502, times=9)

    async with scene.sim.client() as github:
        with pytest.raises(GitHubBroken):
            await github.pull_request(scene.ref, 1)


async def test_a_closed_client_says_so(scene: Scene) -> None:
    github = scene.sim.client()

    with pytest.raises(GitHubUnreachable):
        await github.identity()


@pytest.mark.parametrize("row", ROWS, ids=[row.example for row in ROWS])
def test_a_row_is_the_first_for_its_own_example(row: Any) -> None:
    status, _, said = row.example.partition(" ")
    answer = Answer("GET /x", int(status), {}, said, 0.0)

    assert next(known for known in ROWS if known.matches(answer)) is row


def test_what_github_says_is_made_harmless_and_short() -> None:
    error = failure(Answer("GET /x", 422, {"x-github-request-id": "AB:12\r\n<x>"}, "a\nb\x1b[31m" + "c" * 9_000, 0.0))

    assert str(error).isprintable() and len(str(error)) < 500 and "AB:12" in str(error)


# ---- the referee


async def test_the_client_uses_every_operation_of_the_slice_and_no_other(tmp_path: Path) -> None:
    """With the permissions of the manifest, so that none is missing and none is for nothing."""
    scene = Scene(tmp_path)
    scene.sim.codes["a1"] = {"pem": key_pair()[0], "webhook_secret": "w" * 40}
    asked = scene.sim.write_comment(scene.shop, 1, "/maguyva help", review=True)
    scene.sim._comment(scene.shop, 1, BODY, "maguyva[bot]", by_app=True)
    async with scene.sim.client() as github:
        await github.installations()
        await github.repositories(100)
        await github.repository(scene.ref)
        await github.open_pull_requests(scene.ref)
        pull = await github.pull_request(scene.ref, 1)
        await github.merge_base(pull)
        await github.branch_tip(scene.ref, "main")
        await github.permission(scene.ref, "octocat")
        await github.said_by_people(scene.ref, 1)
        await github.upsert_comment(scene.ref, 1, MARKER, BODY)
        written = await github.upsert_comment(scene.ref, 1, "<!-- m -->", "<!-- m -->")
        await github.upsert_comment(scene.ref, 1, "<!-- m -->", "<!-- m --> more")
        await github.delete_comment(scene.ref, written.id)
        assert (await github.upsert_comment(scene.ref, 1, "<!-- m -->", "<!-- m -->", known=written.id)).result is WriteResult.GONE
        for text in ("<!-- m -->", "<!-- m --> more"):
            await github.reply(scene.comment_ref(asked), "<!-- m -->", text)
        await github.react(scene.comment_ref(asked), Reaction.SEEN)
        await github.react(CommentRef(scene.ref, 1, scene.sim.our_comments(scene.shop, 1)[0].id), Reaction.SEEN)
        for _ in range(2):
            await finished(scene, github, CheckOutput("t", "s", annotations=notes(1)))
        await scene.sim.deliver("ping", {"zen": "x"})
        await github.redeliver((await github.deliveries(0))[0])
        await github.convert_manifest("a1")

    matches = [scene.sim.contract.match(one.method, one.path) for one in scene.sim.calls if one.path != "/graphql"]
    used = {match.operation.line for match in matches if match}
    assert used == set(OPERATIONS) == set(HANDLERS)
    assert scene.sim.violations == []


def test_every_operation_is_offered_to_apps_or_needs_the_apps_own_token() -> None:
    of_the_app = ("GET /app/hook/", "POST /app/hook/", "POST /app-manifests/")

    for operation in Simulator(Path("/nonexistent")).contract.operations:
        assert operation.is_for_apps or operation.line.startswith(of_the_app), operation.line


async def test_an_enterprise_server_is_one_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # which must not be asked about this machine
    sim = Simulator(tmp_path, clock=Clock(real=True))
    shop = sim.repository("acme/shop", FILES)
    sim.open_pull_request(shop, CHANGE)
    async with sim.listening() as url, sim.client() as github:
        written = await github.upsert_comment(sim.ref(shop), 1, MARKER, BODY)
        access = await github.git_access(sim.ref(shop))

    assert (written.result, access.url) == (WriteResult.CREATED, f"{url}/acme/shop.git")
    assert sim.violations == []


@pytest.mark.parametrize("name", ["..", "acme/../other", "acme/shop/../../app", "acme", "", "acme/sh op", "acme/shop?x"])
async def test_a_name_that_is_no_repositorys_is_never_asked_for(scene: Scene, name: str) -> None:
    async with scene.sim.client() as github:
        with pytest.raises(GitHubError):
            await github.pull_request(RepositoryRef(scene.shop.id, name, 100), 1)

    assert all(call.path.startswith("/app/") for call in scene.sim.calls)


async def test_secrets_are_in_no_error_and_no_representation(scene: Scene) -> None:
    scene.fails("/pulls/1", 403, body={"message": "no"}, times=9)
    async with scene.sim.client() as github:
        with pytest.raises(NotAllowed) as caught:
            await github.pull_request(scene.ref, 1)
        shown = repr(caught.value) + repr(github) + repr(vars(github)) + repr(caught.value.__context__)

    assert "ghs_" not in shown and "PRIVATE KEY" not in shown
    assert scene.sim.tokens


async def test_the_simulator_counts_a_call_to_anybody_else(tmp_path: Path) -> None:
    sim = Simulator(tmp_path)

    async with httpx.AsyncClient(transport=OnlyUs(sim)) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://169.254.169.254/")

    assert sim.violations == ["a call to 169.254.169.254"]


def test_addresses_of_a_github() -> None:
    assert GitHubHosts.of("github.com").api == "https://api.github.com"
    assert GitHubHosts.of("https://GitHub.example.com/").graphql == "https://github.example.com/api/graphql"
    assert GitHubHosts.of("https://acme.ghe.com").api == "https://api.acme.ghe.com"


def test_the_data_of_the_simulator_is_small() -> None:
    folder = Path(__file__).parents[1] / "github" / "data"

    assert sum(path.stat().st_size for path in folder.iterdir()) < 100_000
    assert BareRepository is not None
