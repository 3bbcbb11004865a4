"""Bytes of strangers and of GitHub -> deliveries, events, refusals: with all 726 payloads that GitHub was recorded sending."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import setup
from bot.events import EVENTS, MAX_BODY, UNSIGNED, Refusal, checked_delivery, is_signed, read_event, signature
from bot.types import (
    CheckEvent,
    CommentEvent,
    CommentPlace,
    Delivery,
    Event,
    IgnoredEvent,
    InstallationAction,
    InstallationEvent,
    InstallationRepositoriesEvent,
    PullRequestEvent,
    PullState,
    PushEvent,
    RepositoryAction,
    RepositoryEvent,
)
from github import payloads
from github.payloads import Recorded, all_recorded, recorded
from github.simulator import Simulator

SECRET = "a secret of sixteen or more"


def headers(body: bytes, event: str = "ping", **changes: str) -> dict[str, str]:
    told = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-Hub-Signature-256": signature(body, SECRET),
    }
    return told | {name.replace("_", "-"): value for name, value in changes.items()}


def read(event: str, payload: Any) -> Event | Refusal:
    return read_event(Delivery("72d3162e", event, json.dumps(payload).encode()))


# ---- is it from GitHub?


def test_the_signature_is_the_one_that_github_publishes() -> None:
    told = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    assert signature(b"Hello, World!", "It's a Secret to Everybody") == told
    assert is_signed(b"Hello, World!", told, ["It's a Secret to Everybody"])


def test_a_signed_delivery_is_taken_whatever_the_case_of_its_headers() -> None:
    body = b'{"zen": "Keep it logically awesome."}'
    told = {name.upper(): value for name, value in headers(body).items()}

    assert checked_delivery(told, body, [SECRET]) == Delivery("72d3162e-cc78-11e3-81ab-4c9367dc0958", "ping", body)


def test_a_secret_can_be_replaced_while_deliveries_come() -> None:
    assert isinstance(checked_delivery(headers(b"{}"), b"{}", ["the new secret of today", SECRET]), Delivery)


@pytest.mark.parametrize(
    "told",
    [
        "",
        "sha1=6dcb09b5b57875f334f61aebed695e2e4193db5e",
        signature(b"{ }", SECRET),
        signature(b"{}", "another secret, of others"),
        signature(b"{}", SECRET).removeprefix("sha256="),
        signature(b"{}", SECRET).upper(),
        "sha256=é",
        "sha256=\udce9",
        "sha256=" + "0" * 100_000,
    ],
)
def test_whoever_cannot_sign_is_told_nothing_else(told: str) -> None:
    given = headers(b"{}", X_Hub_Signature_256=told, Content_Type="text/plain", X_GitHub_Event="%%")

    assert checked_delivery(given, b"{}", [SECRET]) == Refusal(401, UNSIGNED)


def test_without_a_secret_nothing_is_taken() -> None:
    assert checked_delivery(headers(b"{}", X_Hub_Signature_256=signature(b"{}", "")), b"{}", [""]) == Refusal(401, UNSIGNED)
    assert checked_delivery(headers(b"{}"), b"{}", []) == Refusal(401, UNSIGNED)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Type": ""}, 415),
        ({"X_GitHub_Event": ""}, 400),
        ({"X_GitHub_Event": "Pull Request"}, 400),
        ({"X_GitHub_Delivery": ""}, 400),
        ({"X_GitHub_Delivery": "../../etc/passwd"}, 400),
        ({"X_GitHub_Delivery": "x" * 65}, 400),
    ],
)
def test_a_signed_request_that_is_no_delivery_is_refused_with_a_reason(changes: dict[str, str], status: int) -> None:
    found = checked_delivery(headers(b"{}", **changes), b"{}", [SECRET])

    assert isinstance(found, Refusal) and found.status == status and found.why


def test_a_body_beyond_githubs_own_limit_is_refused_before_it_is_hashed() -> None:
    found = checked_delivery({}, b" " * (MAX_BODY + 1), [SECRET])

    assert found == Refusal(413, "the body has more than 25 MB")


# ---- what does it say?


@pytest.mark.parametrize("group", sorted({one.group for one in all_recorded()}))
def test_every_payload_that_was_recorded_is_understood(group: str) -> None:
    found = [(one, read(one.event, one.body)) for one in all_recorded() if one.group == group]

    assert [(one.event, one.action, answer.why) for one, answer in found if isinstance(answer, Refusal)] == []
    assert all(answer.why for _, answer in found if isinstance(answer, IgnoredEvent))


def test_what_was_recorded_of_github_com_comes_to_so_many_of_each() -> None:
    found = Counter(type(read(one.event, one.body)).__name__ for one in all_recorded() if one.group == "api.github.com")

    assert found == {
        "IgnoredEvent": 266,
        "PullRequestEvent": 15,
        "CommentEvent": 11,
        "RepositoryEvent": 11,
        "InstallationEvent": 7,
        "PushEvent": 7,
        "CheckEvent": 5,
        "PingEvent": 4,
        "InstallationRepositoriesEvent": 3,
    }


def test_events_of_the_manifest_are_those_that_are_read() -> None:
    """Those about installations come unasked, and those about checks to whoever may write checks. Asking for `check_run` would bring
    every check of every other App as well."""
    manifest = json.loads((Path(__file__).parents[2] / "deploy" / "app-manifest.json").read_text())
    unasked = {"check_run", "check_suite", "installation", "installation_repositories", "installation_target", "ping"}

    assert set(manifest["default_events"]) | unasked == {row.event for row in EVENTS if row.read}
    assert set(setup.EVENTS) == set(manifest["default_events"])
    assert dict(setup.PERMISSIONS) == manifest["default_permissions"]


def test_an_event_of_tomorrow_is_ignored() -> None:
    found = read("quantum_review", {"action": "entangled"})

    assert found == IgnoredEvent("quantum_review", "entangled", "nothing we do depends on this event")


def test_an_action_of_tomorrow_is_ignored() -> None:
    found = read("pull_request", {**recorded("pull_request", "opened"), "action": "teleported"})

    assert isinstance(found, IgnoredEvent) and found.action == "teleported"


def test_a_pull_request_from_a_fork_that_is_gone() -> None:
    body = recorded("pull_request", "opened")
    body["pull_request"]["head"]["repo"] = None

    found = read("pull_request", body)

    assert isinstance(found, PullRequestEvent)
    assert found.pull_request.from_fork
    assert found.pull_request.repository.full_name == body["repository"]["full_name"]


def test_a_pull_request_that_was_merged() -> None:
    body = recorded("pull_request", "closed")
    body["pull_request"].update(state="closed", merged=True)

    found = read("pull_request", body)

    assert isinstance(found, PullRequestEvent) and found.pull_request.state is PullState.MERGED


@pytest.mark.parametrize(("changes", "says"), [({"title": {"from": "x"}}, False), ({"base": {"ref": {"from": "main"}}}, True)])
def test_an_edit_says_whether_the_base_changed(changes: dict[str, Any], says: bool) -> None:
    found = read("pull_request", {**recorded("pull_request", "opened"), "action": "edited", "changes": changes})

    assert isinstance(found, PullRequestEvent) and found.base_changed is says


def test_a_comment_on_an_issue_is_told_from_one_on_a_pull_request() -> None:
    body = recorded("issue_comment", "created")
    body["issue"].pop("pull_request", None)
    on_issue, on_pull = (
        read("issue_comment", body),
        read("issue_comment", {**body, "issue": {**body["issue"], "pull_request": {"url": "x"}}}),
    )

    assert isinstance(on_issue, CommentEvent) and not on_issue.on_pull_request
    assert isinstance(on_pull, CommentEvent) and on_pull.on_pull_request


def test_a_reply_in_a_review_names_its_thread() -> None:
    body = recorded("pull_request_review_comment", "created")
    first = read("pull_request_review_comment", body)
    reply = read("pull_request_review_comment", {**body, "comment": {**body["comment"], "id": 77, "in_reply_to_id": 55, "line": None}})

    assert isinstance(first, CommentEvent) and first.comment.thread == body["comment"]["id"]
    assert isinstance(reply, CommentEvent) and (reply.comment.thread, reply.comment.id, reply.comment.line) == (55, 77, 0)
    assert reply.comment.place is CommentPlace.REVIEW


def test_deleted_accounts_have_a_name_all_the_same() -> None:
    body = recorded("issue_comment", "created")
    body["comment"]["user"] = None

    found = read("issue_comment", body)

    assert isinstance(found, CommentEvent) and found.author.login == "ghost"


def test_a_push_of_a_tag_and_one_that_deletes() -> None:
    body = recorded("push")
    tag = read("push", {**body, "ref": "refs/tags/v1"})
    branch = read("push", {**body, "ref": "refs/heads/feature/a", "after": "0" * 40, "head_commit": None, "pusher": None})

    assert isinstance(tag, PushEvent) and tag.branch == ""
    assert isinstance(branch, PushEvent) and branch.branch == "feature/a"


def test_a_renamed_repository_tells_its_old_name() -> None:
    body = recorded("repository", "renamed")
    renamed = read("repository", {**body, "changes": {"repository": {"name": {"from": "Before"}}}})
    moved = read("repository", recorded("repository", "transferred"))

    assert isinstance(renamed, RepositoryEvent) and renamed.action is RepositoryAction.RENAMED
    assert renamed.old_name == f"{renamed.repository.owner}/Before"
    assert isinstance(moved, RepositoryEvent) and moved.old_name.partition("/")[2] == moved.repository.name


def test_an_installation_without_a_list_of_repositories() -> None:
    body = recorded("installation", "created")
    body.pop("repositories", None)

    found = read("installation", body)

    assert isinstance(found, InstallationEvent) and found.repositories == ()


def test_an_account_that_has_another_name() -> None:
    body = {"action": "renamed", "account": {"login": "new"}, "installation": {"id": 5}, "changes": {"login": {"from": "old"}}}

    found = read("installation_target", body)

    assert isinstance(found, InstallationEvent)
    assert (found.action, found.account, found.installation) == (InstallationAction.RENAMED, "new", 5)


def test_what_the_simulator_sends_is_understood(tmp_path: Path) -> None:
    sim = Simulator(tmp_path)
    shop = sim.repository("acme/shop", {"a.py": "a = 1\n"})
    pull = sim.open_pull_request(shop, {"a.py": "a = 2\n"})
    comment, remark = sim.write_comment(shop, 1, "/maguyva help"), sim.write_comment(shop, 1, "/maguyva help", review=True)
    run = {"id": 7, "head_sha": pull.head_sha, "external_id": "x", "output": {"annotations": []}}
    told: list[tuple[str, Any, type]] = [
        ("pull_request", payloads.pull_request(sim, shop, pull, "opened"), PullRequestEvent),
        ("push", payloads.push(sim, shop, "main"), PushEvent),
        ("issue_comment", payloads.issue_comment(sim, shop, comment), CommentEvent),
        ("pull_request_review_comment", payloads.review_comment(sim, shop, remark, "edited", "before"), CommentEvent),
        ("check_run", payloads.check_run(sim, shop, run, "requested_action", "refresh"), CheckEvent),
        ("installation", payloads.installation(sim, sim.installation(), "suspend"), InstallationEvent),
        ("installation_repositories", payloads.installation_repositories(sim, sim.installation(), [shop]), InstallationRepositoriesEvent),
        ("repository", payloads.repository(sim, shop, "archived"), RepositoryEvent),
    ]

    assert [type(read(event, body)) for event, body, _ in told] == [kind for _, _, kind in told]


# ---- bodies that mean harm

DEEP = b'{"action":' + b"[" * 200_000 + b"]" * 200_000 + b"}"


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'"text"', b"7", b"{", b"\xff\xfe\x00", b"\xed\xa0\x80", b'{"a": NaN}', b'{"a": ' + b"9" * 5_000 + b"}", DEEP],
)
def test_what_is_no_object_is_refused_with_a_reason(body: bytes) -> None:
    found = read_event(Delivery("72d3162e", "pull_request", body))

    assert isinstance(found, Refusal) and found.status == 400 and found.why.isprintable()


@pytest.mark.parametrize(
    ("path", "value", "names"),
    [
        ("number", None, "pull_request.number"),
        ("number", True, "pull_request.number"),
        ("number", -1, "pull_request.number"),
        ("number", 1 << 70, "pull_request.number"),
        ("head.sha", "HEAD; rm -rf /", "pull_request.head.sha"),
        ("head.sha", "A" * 40, "pull_request.head.sha"),
        ("base", [], "pull_request.base.sha"),
        ("draft", "yes", "pull_request.draft"),
    ],
)
def test_a_field_of_another_kind_is_named(path: str, value: Any, names: str) -> None:
    body = recorded("pull_request", "opened")
    *above, last = ("pull_request." + path).split(".")
    part = body
    for key in above:
        part = part[key]
    part[last] = value

    found = read("pull_request", body)

    assert isinstance(found, Refusal) and found.status == 422 and f"`{names}`" in found.why


@pytest.mark.parametrize("name", ["", "shop", "acme/shop/x", "acme/..", "../shop", "acme/shop\n", "acme/sh op", "a" * 200 + "/b", 7])
def test_a_name_that_is_no_repositorys_never_gets_in(name: Any) -> None:
    body = recorded("push")
    body["repository"]["full_name"] = name

    found = read("push", body)

    assert isinstance(found, Refusal) and "`repository.full_name`" in found.why


def test_text_that_cannot_be_stored_is_made_storable() -> None:
    body = recorded("issue_comment", "created")
    body["comment"]["body"] = "a\ud800b\0c"

    found = read("issue_comment", body)

    assert isinstance(found, CommentEvent)
    assert found.body == "a?bc"


def test_addresses_in_a_payload_reach_nothing(tmp_path: Path) -> None:
    """Whoever can forge one could make us fetch it."""
    body = json.loads(json.dumps(recorded("pull_request", "opened")).replace("https://", "http://169.254.169.254/"))

    assert "169.254" not in repr(read("pull_request", body))


PATHS = st.lists(st.integers(0, 30), min_size=1, max_size=5)
VALUES = st.sampled_from([None, True, -1, 0, 1 << 80, 1.5, "", "x" * 5_000, "\ud800", [], [[]], {}, {"id": {}}, {"login": []}])
OURS = [one for one in all_recorded() if one.event in {row.event for row in EVENTS if row.read}]


@given(st.sampled_from(OURS), PATHS, VALUES)
def test_no_change_of_a_real_payload_raises(one: Recorded, path: list[int], value: Any) -> None:
    body = copy.deepcopy(one.body)
    part = body
    for step in path[:-1]:
        keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
        if not keys:
            break
        part = part[keys[step % len(keys)]]
    keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
    if keys:
        part[keys[path[-1] % len(keys)]] = value

    assert read(one.event, body) is not None


@given(st.sampled_from([row.event for row in EVENTS]), st.binary(max_size=200))
def test_no_bytes_raise(event: str, body: bytes) -> None:
    assert read_event(Delivery("72d3162e", event, body)) is not None
    assert checked_delivery(headers(body, event), body, [SECRET]) is not None
