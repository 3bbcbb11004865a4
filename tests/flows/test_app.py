"""The GitHub App from a delivery to what people see, against the simulated GitHub: real git, real engine processes, the real queue."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot import doctor, status
from bot.jobs.upkeep import Upkeep
from bot.rendering.run_summary import MARKER, read_hidden
from github import bodies, payloads
from github.simulator import Simulator
from github.state import Fault, SimulatedPull, SimulatedRepository
from index.version import VERSION
from support.service import Service, a_service
from support.shop import NEEDS_TAX, SHOP

pytestmark = pytest.mark.anyio

MAY_HAVE_TAX = {"shop/price.py": "def price(net, tax=1):\n    return net * (1 + tax)\n"}
ONLY_A_COMMENT = {"shop/price.py": "# net of everything\ndef price(net):\n    return net * 2\n"}


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """One for all tests of this file, each with a repository of its own."""
    async with a_service(tmp_path_factory.mktemp("app"), parsers=1) as service:
        assert service.jobs.upkeep is not None
        await service.jobs.upkeep.looked.wait()  # else it finds the first test's pull request before the test tells of it
        await service.settled()
        yield service


@pytest.fixture
async def sim(service: Service) -> AsyncIterator[Simulator]:
    sim = service.sim
    sim.faults.clear()
    sim.violations.clear()
    yield sim
    await service.settled()
    assert sim.violations == []
    assert await service.dead() == []


@pytest.fixture
def shop(sim: Simulator, request: pytest.FixtureRequest) -> SimulatedRepository:
    return sim.repository(f"acme/{request.node.name[5:60]}", SHOP)


async def opened(service: Service, shop: SimulatedRepository, files: Any = NEEDS_TAX, **more: Any) -> SimulatedPull:
    pull = service.sim.open_pull_request(shop, files, **more)
    assert await service.tell_pull(shop, pull, "opened") == 202
    await service.settled()
    return pull


# ---- the comment and the check


async def test_an_opened_pull_request_gets_one_comment_and_one_check(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)

    (comment,) = sim.our_comments(shop, pull.number)
    assert "1 site will break" in comment.body and "shop/cart.py:5" in comment.body
    (check,) = sim.checks(shop, pull.head_sha)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert {one["path"] for one in check["output"]["annotations"]} == {"shop/cart.py", "shop/price.py"}


async def test_a_push_rewrites_the_comment_and_says_what_is_different(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    sim.push(shop, pull.head_ref, MAY_HAVE_TAX)

    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()

    (comment,) = sim.our_comments(shop, pull.number)
    assert "since the last push: 1 break gone" in comment.body
    assert len(sim.checks(shop)) == 2


async def test_a_force_push_is_named(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    shop.git.set_ref(f"refs/heads/{pull.head_ref}", shop.git.resolve("refs/heads/main"))
    sim.push(shop, pull.head_ref, MAY_HAVE_TAX)

    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()

    (comment,) = sim.our_comments(shop, pull.number)
    assert "was replaced by a force-push" in comment.body


async def test_nothing_to_say_is_not_said(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop, ONLY_A_COMMENT)

    assert sim.our_comments(shop, pull.number) == []
    (check,) = sim.checks(shop, pull.head_sha)
    assert check["output"]["title"] == "No impact"


async def test_what_no_longer_matters_becomes_one_line(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    sim.push(shop, pull.head_ref, ONLY_A_COMMENT)

    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()

    (comment,) = sim.our_comments(shop, pull.number)
    assert "**No impact.**" in comment.body and "Blast radius" not in comment.body


async def test_breaks_fail_the_check_only_where_the_repository_asks_for_it(service: Service, sim: Simulator, request: Any) -> None:
    strict = sim.repository("acme/strict", {**SHOP, ".maguyva.yml": "check:\n  fail_on: breaks\n"})

    pull = await opened(service, strict)

    assert [one["conclusion"] for one in sim.checks(strict, pull.head_sha)] == ["failure"]


async def test_the_button_of_a_check_has_it_made_once_more(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    (shown,) = sim.checks(shop, pull.head_sha)
    (button,) = shown["actions"]

    pressed = payloads.check_run(sim, shop, shown, "requested_action", button["identifier"])
    assert (await sim.deliver("check_run", pressed)).status == 202
    await service.settled()

    assert button["label"] == "Analyse again"
    analyses = [one for one in await service.jobs.records.last_runs() if (one.kind, one.repository) == ("analyse", shop.id)]
    assert [(one.outcome, one.because) for one in analyses] == [("done", "asked for again"), ("done", "opened")]
    assert len(sim.our_comments(shop, pull.number)) == 1
    assert {run["status"] for run in sim.checks(shop, pull.head_sha)} == {"completed"}


async def test_a_draft_waits_until_it_is_ready(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop, draft=True)
    assert sim.our_comments(shop, pull.number) == []

    pull.draft = False
    await service.tell_pull(shop, pull, "ready_for_review")
    await service.settled()

    assert len(sim.our_comments(shop, pull.number)) == 1


async def test_a_fork_is_looked_at_through_the_repository_it_goes_into(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop, fork="mallory/shop")

    assert len(sim.our_comments(shop, pull.number)) == 1


# ---- never twice


async def test_twenty_deliveries_at_once_make_one_comment(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = sim.open_pull_request(shop, NEEDS_TAX)
    before = len(await service.runs())

    actions = ["opened", "reopened", "synchronize", "synchronize"] * 5
    assert set(await asyncio.gather(*(service.tell_pull(shop, pull, action) for action in actions))) == {202}
    await service.settled()

    assert len(sim.our_comments(shop, pull.number)) == 1
    assert (await service.runs())[before:].count(("analyse", "done")) <= 2


async def test_the_same_delivery_again_does_nothing(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = sim.open_pull_request(shop, NEEDS_TAX)
    guid = "72d3162e-cc78-11e3-81ab-4c9367dc0958"

    answers = await asyncio.gather(*(service.tell_pull(shop, pull, "opened", guid=guid) for _ in range(5)))
    await service.settled()
    writes = len(sim.writes())
    answers.append(await service.tell_pull(shop, pull, "opened", guid=guid))
    await service.settled()

    assert set(answers) == {202}
    assert len(sim.our_comments(shop, pull.number)) == 1 and len(sim.writes()) == writes


async def test_an_old_event_that_comes_late_changes_nothing(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    old = bodies.pull(sim, shop, pull)
    sim.push(shop, pull.head_ref, MAY_HAVE_TAX)
    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()
    (comment,) = sim.our_comments(shop, pull.number)
    body = comment.body

    await sim.deliver("pull_request", service.payload(shop, "synchronize", number=pull.number, pull_request=old))
    await service.settled()

    assert comment.body == body


async def test_a_lost_answer_leaves_one_comment(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    sim.faults += [Fault("POST /repos/acme", status=0, after=True), Fault("PATCH /repos/acme", status=502, after=True)]

    pull = await opened(service, shop)

    assert len(sim.our_comments(shop, pull.number)) == 1
    assert [one["status"] for one in sim.checks(shop, pull.head_sha)] == ["completed"]


async def test_a_strangers_comment_with_our_marker_is_left_alone(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = sim.open_pull_request(shop, NEEDS_TAX)
    theirs = sim.write_comment(shop, pull.number, f"{MARKER}\nfake", "mallory")

    await service.tell_pull(shop, pull, "opened")
    await service.settled()

    assert theirs.body == f"{MARKER}\nfake"
    assert len(sim.our_comments(shop, pull.number)) == 1


async def test_a_deleted_comment_comes_back_with_the_next_push(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    (comment,) = sim.our_comments(shop, pull.number)
    del sim.all_comments[comment.id]

    await service.tell_pull(shop, pull, "reopened")
    await service.settled()
    assert sim.our_comments(shop, pull.number) == []

    sim.push(shop, pull.head_ref, MAY_HAVE_TAX)
    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()
    assert len(sim.our_comments(shop, pull.number)) == 1


# ---- what goes wrong


async def test_without_the_permission_for_checks_there_is_still_a_comment(service: Service, sim: Simulator) -> None:
    narrow = sim.repository("narrow/shop", SHOP, installation=200)
    sim.installations[200].permissions = {"contents": "read", "metadata": "read", "pull_requests": "write"}

    pull = await opened(service, narrow)

    assert len(sim.our_comments(narrow, pull.number)) == 1
    assert sim.checks(narrow) == []


async def test_a_delivery_that_can_not_be_kept_in_time_is_refused_and_asked_for_again(
    service: Service, sim: Simulator, shop: SimulatedRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull = sim.open_pull_request(shop, NEEDS_TAX)
    with monkeypatch.context() as away:
        away.setattr("bot.app.KEEP_SECONDS", 0.05)
        away.setattr(service.jobs, "receive", lambda *_: asyncio.sleep(60))  # as DBOS does while the database is away

        assert await service.tell_pull(shop, pull, "opened") == 503

    await Upkeep(service.jobs, service.tools).redeliver()
    await service.settled()
    assert len(sim.our_comments(shop, pull.number)) == 1


async def test_a_suspended_installation_is_not_touched(service: Service, sim: Simulator) -> None:
    away = sim.repository("away/shop", SHOP, installation=300)
    await service.tell_installation("suspend", 300)
    sim.installations[300].suspended = True
    await service.settled()
    calls = len(sim.calls)

    pull = await opened(service, away)
    assert len(sim.calls) == calls

    sim.installations[300].suspended = False
    await service.tell_installation("unsuspend", 300)
    await service.settled()
    assert len(sim.our_comments(away, pull.number)) == 1


async def test_uninstalling_deletes_everything(service: Service, sim: Simulator) -> None:
    gone = sim.repository("leaving/zebracrossing", SHOP, installation=400)
    await opened(service, gone)
    home = service.jobs.settings.home
    assert (home / "indexes" / str(gone.id)).exists() and list((home / "clones").glob(f"*{gone.id}*"))

    await service.tell_installation("deleted", 400)
    await service.settled()

    assert not (home / "indexes" / str(gone.id)).exists() and not list((home / "clones").glob(f"{gone.id}*"))
    tables = await asyncio.to_thread(_dump, service)
    assert "zebracrossing" not in tables


def _dump(service: Service) -> str:
    """Every row of every table: the queue's and ours."""
    found = []
    with service.jobs.records.engine.connect() as connection:
        tables = connection.exec_driver_sql("select name from sqlite_master where type = 'table'").scalars().all()
        for table in tables:
            found += [str(row) for row in connection.exec_driver_sql(f'select * from "{table}"')]
    return "\n".join(found)


# ---- branches and repositories


async def test_a_new_repository_is_indexed_and_its_open_pull_requests_are_looked_at(service: Service, sim: Simulator) -> None:
    new = sim.repository("newcomer/shop", SHOP, installation=500)
    pull = sim.open_pull_request(new, NEEDS_TAX)

    await service.tell_installation("created", 500, [new])
    await service.settled()

    assert len(sim.our_comments(new, pull.number)) == 1
    known = await service.jobs.records.repository(new.id)
    assert known is not None and known.indexed == new.git.resolve("refs/heads/main")


async def test_a_push_to_the_default_branch_is_indexed(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    await opened(service, shop)
    before = shop.git.resolve("refs/heads/main")
    after = sim.push(shop, "main", {"shop/tax.py": "def tax():\n    return 1\n"})

    await service.tell_push(shop, "main", before, after)
    await service.settled()

    known = await service.jobs.records.repository(shop.id)
    assert known is not None and known.indexed == after


async def test_a_renamed_repository_keeps_its_comment(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    sim.rename(shop, "acme/boutique")
    sim.push(shop, pull.head_ref, MAY_HAVE_TAX)

    await service.tell_pull(shop, pull, "synchronize")
    await service.settled()

    (comment,) = sim.our_comments(shop, pull.number)
    assert "acme/boutique/blob" in comment.body


# ---- commands in threads


async def asked(service: Service, shop: SimulatedRepository, text: str, *, role: str = "write", **more: Any) -> tuple[SimulatedPull, str]:
    """Somebody writes `text` below a pull request -> the pull request and what we answered, "" for nothing."""
    shop.roles["ada"] = role
    pull = shop.pulls.get(1) or await opened(service, shop)
    comment = service.sim.write_comment(shop, pull.number, text, "ada", **more)
    assert await service.tell_comment(shop, comment) == 202
    await service.settled()
    review = bool(more.get("review"))
    answers = [one.body for one in service.sim.comments(shop, pull.number, review=review) if one.login == service.sim.login]
    return pull, next((one for one in answers if one.startswith("<!-- maguyva:answer:v1")), "")


async def test_help_is_answered_and_the_eyes_go_up(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    _, answer = await asked(service, shop, "/maguyva help")

    assert "`/maguyva why SYMBOL`" in answer
    assert {content for login, _, content in sim.reactions if login == sim.login} >= {"eyes", "rocket"}


async def test_a_question_is_answered_from_the_code_at_the_head(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull, answer = await asked(service, shop, "Let me see.\n\n/maguyva who calls price?")

    assert f"blob/{pull.head_sha}/shop/cart.py#L5" in answer


async def test_what_a_change_of_a_symbol_could_reach(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    _, answer = await asked(service, shop, "/maguyva impact price")

    assert "shop/cart.py" in answer


async def test_why_shows_the_path(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    _, answer = await asked(service, shop, "/maguyva why total")

    assert "**will break**: `shop/cart.py:5`" in answer and "`price` ← `total`" in answer


async def test_tests_are_named_in_the_thread_of_a_review(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    _, answer = await asked(service, shop, "/maguyva tests", review=True)

    assert "pytest tests/test_cart.py" in answer


async def test_an_acknowledged_break_is_told_as_such(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    (comment,) = sim.our_comments(shop, pull.number)
    summary = read_hidden(comment.body)
    assert summary is not None

    await asked(service, shop, f"/maguyva ack {summary.breaks[0]}")

    assert "acknowledged" in comment.body


async def test_who_may_not_ask_gets_no_answer(service: Service, sim: Simulator) -> None:
    open_shop = sim.repository("acme/open", SHOP, private=False)

    _, answer = await asked(service, open_shop, "/maguyva help", role="read")

    assert answer == ""
    assert "confused" in {content for login, _, content in sim.reactions if login == sim.login}


async def test_who_only_reads_a_private_repository_may_ask_and_accept_no_break(service: Service, sim: Simulator) -> None:
    hidden = sim.repository("acme/hidden", SHOP, private=True)
    pull = await opened(service, hidden)
    (comment,) = sim.our_comments(hidden, pull.number)
    summary = read_hidden(comment.body)
    assert summary is not None

    _, answer = await asked(service, hidden, "/maguyva tests", role="read")
    await asked(service, hidden, f"/maguyva ack {summary.breaks[0]}", role="read")

    assert "pytest tests/test_cart.py" in answer
    assert "acknowledged" not in comment.body


async def test_strangers_do_not_use_up_the_answers_of_others(service: Service, sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.flows.question.MOST_ANSWERS", 2)
    open_shop = sim.repository("acme/crowded", SHOP, private=False)
    pull = await opened(service, open_shop)
    for _ in range(3):
        await service.tell_comment(open_shop, sim.write_comment(open_shop, pull.number, "/maguyva help", "eve"))
        await service.settled()

    _, answer = await asked(service, open_shop, "/maguyva help")

    assert "/maguyva why SYMBOL" in answer


async def test_our_own_words_are_no_command(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    pull = await opened(service, shop)
    ours = sim.write_comment(shop, pull.number, "/maguyva help", sim.login)

    await service.tell_comment(shop, ours)
    await service.settled()

    assert len(sim.our_comments(shop, pull.number)) == 2  # the report, and what was written above


# ---- what failed for good, and the doctor


async def test_a_job_that_failed_for_good_is_shown_and_can_be_taken_up_again(
    service: Service, sim: Simulator, shop: SimulatedRepository
) -> None:
    sim.faults.append(Fault("/issues/1/comments", status=422))
    pull = await opened(service, shop)
    (dead,) = await service.jobs.dead_letters()
    assert (await service.jobs.numbers()).dead == 1 and await service.jobs.dead_ids() == [dead.id]
    assert dead.name == "publish" and sim.our_comments(shop, pull.number) == []

    await service.jobs.revive(dead.id)
    await service.settled()

    assert len(sim.our_comments(shop, pull.number)) == 1


async def test_the_pages_show_names_only_to_who_has_the_key(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    await opened(service, shop)
    key = await status.key(service.jobs.records)

    public, refused = await service.web.get("/"), await service.web.get("/details", auth=("me", "wrong"))
    private = await service.web.get("/details", auth=("me", key))

    assert public.status_code == 200 and shop.full_name not in public.text
    assert re.search(r"[1-9]\d* repositor(y|ies), \d+ indexed, 0 with a problem\. 0 dead letters\.", public.text)
    assert refused.status_code == 401 and shop.full_name not in refused.text
    assert private.status_code == 200 and f"{shop.full_name}#1" in private.text
    assert shop.full_name not in (await service.web.get("/metrics")).text


async def test_health_is_told_and_strangers_are_refused(service: Service, sim: Simulator) -> None:
    assert [(await service.web.get(path)).status_code for path in ("/healthz", "/readyz", "/metrics", "/setup")] == [200, 200, 200, 404]

    headers, body = sim.signed("ping", {"zen": "Keep it logically awesome."})
    answers = [
        await service.web.post("/webhook", content=body, headers=headers),
        await service.web.post("/webhook", content=body, headers=headers | {"X-Hub-Signature-256": "sha256=" + "0" * 64}),
        await service.web.post("/webhook", content=body + b" ", headers=headers),
        await service.web.post("/webhook", content=b"x", headers=headers | {"Content-Length": str(26 << 20)}),
        await service.web.post("/webhook", content=b"x", headers=headers | {"Content-Length": "9" * 5_000}),
        await service.web.post("/webhook", content=b"x", headers=[("Content-Length", "²".encode("latin-1"))]),
    ]
    assert [one.status_code for one in answers] == [200, 401, 401, 413, 413, 413]
    assert answers[0].json() == {"maguyva": VERSION}


async def test_the_doctor_finds_everything_right(service: Service, sim: Simulator, shop: SimulatedRepository) -> None:
    await opened(service, shop)

    findings = dict(await doctor.examine(service.jobs.settings))

    assert {name: finding.says for name, finding in findings.items() if finding.state in (doctor.BAD, doctor.UNKNOWN)} == {}
    assert "maguyva" in findings["App"].says and findings["clock"].state == doctor.GOOD


async def test_the_doctor_says_what_is_missing(service: Service, sim: Simulator) -> None:
    settings = service.jobs.settings
    assert settings.app is not None
    wrong_key = replace(settings, app=replace(settings.app, id="999"))

    findings = dict(await doctor.examine(wrong_key))

    sim.violations.clear()  # it looked at /meta too, which the simulated GitHub does not have
    assert findings["App"].state == doctor.BAD and "MAGUYVA_APP_ID" in findings["App"].do
    assert findings["permissions"].state == doctor.UNKNOWN
    assert findings["clock"].state == doctor.GOOD, "a wrong clock is why a right key is refused, so it is looked at without one"
