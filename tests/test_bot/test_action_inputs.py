"""What a run of the Action is asked, from the runner's environment and the event."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.action.inputs import NO_COMMIT, Asked, read_inputs
from bot.action.outputs import MAX_SUMMARY, Runner
from bot.action.run import cache_key, main
from bot.errors import SettingsError

A, B = "a" * 40, "b" * 40
HERE = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_REPOSITORY": "octo/shop",
    "GITHUB_REPOSITORY_ID": "42",
    "GITHUB_RUN_ID": "7",
    "RUNNER_TEMP": "/runner/temp",
    "MAGUYVA_ACTION_TOKEN": "secret-token",
}
PULL: dict[str, Any] = {
    "number": 5,
    "base": {"sha": A, "ref": "main", "repo": {"id": 42}},
    "head": {"sha": B, "repo": {"id": 42}},
    "user": {"login": "ada"},
}


def asked(event: str, payload: Any, **inputs: str) -> Asked:
    given = {f"MAGUYVA_ACTION_{name.upper()}": value for name, value in inputs.items()}
    return read_inputs({**HERE, **given, "GITHUB_EVENT_NAME": event}, json.dumps(payload).encode())


@pytest.mark.parametrize(
    ("event", "payload", "base", "head", "number"),
    [
        ("pull_request", {"pull_request": PULL}, A, B, 5),
        ("pull_request_target", {"pull_request": PULL}, A, B, 5),
        ("merge_group", {"merge_group": {"base_sha": A, "head_sha": B}}, A, B, 0),
        ("push", {"before": A, "after": B}, A, B, 0),
        ("workflow_run", {"workflow_run": {"event": "pull_request", "head_sha": B}}, "", B, 0),
    ],
)
def test_the_event_says_which_commits(event: str, payload: Any, base: str, head: str, number: int) -> None:
    compared = asked(event, payload).compared

    assert compared is not None
    assert (compared.base, compared.head, compared.number) == (base, head, number)


@pytest.mark.parametrize(
    ("event", "payload", "why"),
    [
        ("push", {"before": NO_COMMIT, "after": B}, "The branch is new"),
        ("push", {"before": A, "after": NO_COMMIT}, "The branch was deleted"),
        ("schedule", {}, "give the inputs base and head"),
        ("workflow_run", {"workflow_run": {"event": "push", "head_sha": B}}, "not one of a pull request"),
        ("issue_comment", {}, "questions in it are answered"),
    ],
)
def test_where_there_is_nothing_to_compare_it_says_why(event: str, payload: Any, why: str) -> None:
    found = asked(event, payload)

    assert found.compared is None and why in found.why


def test_inputs_go_before_the_event() -> None:
    compared = asked("push", {"before": B, "after": B}, base=A, head=B).compared

    assert compared is not None and (compared.base, compared.head, compared.find_merge_base) == (A, B, True)


@pytest.mark.parametrize("head", [None, {"sha": B, "repo": None}, {"sha": B, "repo": {"id": 43}}])
def test_a_head_in_another_repository_is_a_fork_also_where_that_is_gone(head: Any) -> None:
    if head is None:
        compared = asked("pull_request", {"pull_request": PULL}).compared
        assert compared is not None and not compared.from_fork
    else:
        compared = asked("pull_request", {"pull_request": {**PULL, "head": head}}).compared
        assert compared is not None and compared.from_fork


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"pull_request": None},
        {"pull_request": {**PULL, "number": "5; rm"}},
        {"pull_request": {**PULL, "base": {"sha": "--upload-pack=x"}}},
        [],
    ],
    ids=["empty", "null", "a number that is none", "a commit that is an option", "a list"],
)
def test_a_payload_that_is_none_is_refused(payload: Any) -> None:
    with pytest.raises(SettingsError, match=r"not what GitHub describes|can be read"):
        asked("pull_request", payload)


def test_every_problem_is_named_at_once_and_no_secret() -> None:
    with pytest.raises(SettingsError) as told:
        read_inputs({"MAGUYVA_ACTION_TOKEN": "", "MAGUYVA_ACTION_FAIL_ON": "always", "GITHUB_SERVER_URL": "ftp://x"}, b"")

    text = str(told.value)
    assert all(word in text for word in ("fail-on", "token is empty", "GITHUB_REPOSITORY is not set", "GITHUB_SERVER_URL"))


def test_a_flag_takes_yes_and_no_and_nothing_else() -> None:
    assert asked("push", {"before": A, "after": B}, comment="false").comment is False
    with pytest.raises(SettingsError, match="annotations must be true or false"):
        asked("push", {"before": A, "after": B}, annotations="maybe")


def test_what_a_stranger_may_cause_is_not_saved_for_others() -> None:
    assert asked("pull_request", {"pull_request": PULL}).may_save
    assert not asked("pull_request_target", {"pull_request": PULL}).may_save
    assert not asked("workflow_run", {"workflow_run": {"event": "pull_request", "head_sha": B}}).may_save


def test_pull_requests_start_from_the_index_that_a_push_left() -> None:
    prefix, pushed = cache_key(asked("push", {"before": B, "after": A}))
    _, pulled = cache_key(asked("pull_request", {"pull_request": PULL}))

    assert pushed == pulled and pushed.startswith(prefix) and pushed.endswith(A) and len(pushed) <= 512


def test_a_server_of_ones_own_is_the_only_one_talked_to() -> None:
    server = {"GITHUB_SERVER_URL": "https://git.example.com", "GITHUB_API_URL": "https://git.example.com/api/v3"}
    found = read_inputs({**HERE, **server, "GITHUB_EVENT_NAME": "push"}, json.dumps({"before": A, "after": B}).encode())

    assert found.hosts.api == "https://git.example.com/api/v3"


# ---- what the runner reads back


def a_runner(folder: Path) -> tuple[Runner, io.StringIO]:
    log = io.StringIO()
    return Runner(folder / "output", folder / "summary", log), log


def read_outputs(file: Path) -> dict[str, str]:
    """As the runner reads them."""
    found, lines = {}, iter(file.read_text("utf-8").splitlines())
    for line in lines:
        name, _, frame = line.partition("<<")
        value = []
        for one in lines:
            if one == frame:
                break
            value.append(one)
        found[name] = "\n".join(value)
    return found


def test_a_value_can_neither_end_itself_nor_set_another_output(tmp_path: Path) -> None:
    runner, _ = a_runner(tmp_path)
    hostile = "x\nEOF\nend-\nrisk=none\nrisk<<EOF\nnone\nEOF"

    runner.set_outputs({"tests": hostile, "risk": "breaks"})
    runner.set_outputs({"save": "true"})

    assert read_outputs(tmp_path / "output") == {"tests": hostile, "risk": "breaks", "save": "true"}


def test_nothing_that_is_printed_is_obeyed(tmp_path: Path) -> None:
    runner, log = a_runner(tmp_path)

    with runner.plain_log():
        print("::set-env name=PATH::/evil", file=log)
    runner.notice("a name\n::error::x 100%")

    lines = log.getvalue().splitlines()
    word = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0])
    assert word is not None and lines[2] == f"::{word[1]}::"
    assert lines[3:] == ["::notice title=Maguyva::a name%0A::error::x 100%25"]


def test_a_summary_is_cut_where_github_would_drop_it(tmp_path: Path) -> None:
    runner, _ = a_runner(tmp_path)

    runner.write_summary("é" * MAX_SUMMARY)

    written = (tmp_path / "summary").read_bytes()
    assert len(written) <= MAX_SUMMARY + 1 and "cut here" in written.decode("utf-8")


def test_outside_of_a_workflow_it_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {}) == 2
    assert "runs inside a workflow" in capsys.readouterr().out


def test_another_version_than_asked_for_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    environment = {name: value for name, value in HERE.items() if "TOKEN" not in name} | {"GITHUB_EVENT_NAME": "schedule"}

    assert main(["--prepare", "9.9"], environment) == 2
    assert "asks for 9.9" in capsys.readouterr().out
    assert main(["--prepare", ""], environment) == 0
