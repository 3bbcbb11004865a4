"""The runner's environment and the event's payload -> what this run of the Action is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from bot.errors import SettingsError
from bot.settings import GitHubHosts
from bot.types import RepositoryRef

PREFIX: Final = "MAGUYVA_ACTION_"  # the step hands its inputs over in the environment: nothing is ever put into a script
NO_COMMIT: Final = "0" * 40
_SHA: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_YES: Final = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False, "": False}

# Events that run with the default branch's secrets and its cache, whoever caused them: what they find is not saved for others.
PRIVILEGED: Final = frozenset({"pull_request_target", "workflow_run", "issue_comment", "pull_request_review_comment"})


class FailOn(StrEnum):
    NEVER = "never"
    BREAKS = "breaks"


@dataclass(frozen=True, slots=True)
class Compared:
    """The two commits. `base` is where they part, or the tip of the base branch with `find_merge_base`; "" with `find_pull_request`:
    the event names a head alone, and GitHub has to be asked which pull request it is of."""

    base: str
    head: str
    find_merge_base: bool = False
    find_pull_request: bool = False
    number: int = 0  # of the pull request; 0: there is none, and so no comment
    from_fork: bool = False
    author: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One run. `compared` None: nothing to look at, and `why` says so."""

    hosts: GitHubHosts
    repository: RepositoryRef
    event: str
    token: str = field(repr=False)
    compared: Compared | None = None
    why: str = ""
    payload: bytes = field(default=b"", repr=False)  # as it came
    comment: bool = True
    annotations: bool = True
    commands: bool = False  # whether the comment shows what may be asked: nobody answers without the workflow for questions
    fail_on: FailOn | None = None  # None: as the settings of the repository say
    home: Path = Path()  # indexes: what the workflow's cache keeps
    reports: Path = Path()  # where the files go
    clones: Path = Path()

    @property
    def may_save(self) -> bool:
        """Whether the index of this run may be saved for later ones."""
        return self.event not in PRIVILEGED


def read_inputs(environment: Mapping[str, str], event_file: bytes, *, without_token: bool = False) -> Asked:
    """`environment` as the runner and the step set it, and the event file -> what is asked. `without_token`: the step talks to nobody, and
    was given none. Raises one SettingsError that names every problem."""
    problems: list[str] = []
    payload = _parsed(event_file, problems)
    given = {name[len(PREFIX) :]: value.strip() for name, value in environment.items() if name.startswith(PREFIX)}

    def flag(name: str, default: bool) -> bool:
        value = given.get(name, "").lower()
        if value and value not in _YES:
            problems.append(f"The input {name.lower().replace('_', '-')} must be true or false, not {value[:40]!r}.")
        return _YES.get(value, default) if value else default

    fail_on = given.get("FAIL_ON", "").lower()
    if fail_on and fail_on not in tuple(FailOn):
        problems.append(f"The input fail-on must be one of {', '.join(FailOn)}, not {fail_on[:40]!r}.")
    hosts = _hosts(environment.get("GITHUB_SERVER_URL") or "https://github.com", environment.get("GITHUB_API_URL", ""), problems)
    repository = _repository(environment, payload, problems)
    token = given.get("TOKEN", "")
    if not token and not without_token:
        problems.append("The input token is empty: leave it out to use the workflow's own, or give one that may read the contents.")
    event = environment.get("GITHUB_EVENT_NAME", "")
    temporary = Path(environment.get("RUNNER_TEMP") or "/tmp")
    comment, annotations, commands = flag("COMMENT", True), flag("ANNOTATIONS", True), flag("COMMANDS", False)
    compared, why = _compared(event, payload, given, problems)
    if problems:
        raise SettingsError(problems)
    return Asked(
        hosts=hosts,
        repository=repository,
        event=event,
        token=token,
        compared=compared,
        why=why,
        payload=event_file,
        comment=comment,
        annotations=annotations,
        commands=commands,
        fail_on=FailOn(fail_on) if fail_on else None,
        home=Path(given.get("INDEX") or temporary / "maguyva-index"),
        reports=Path(given.get("REPORTS") or temporary / "maguyva-report"),
        clones=temporary / "maguyva-clones",
    )


def _parsed(event_file: bytes, problems: list[str]) -> Mapping[str, Any]:
    try:
        payload = json.loads(event_file or b"{}")
        if not isinstance(payload, dict):
            raise ValueError("it is no object")
        return payload
    except (ValueError, RecursionError) as error:
        problems.append(f"GITHUB_EVENT_PATH names no event that can be read ({str(error)[:100]}).")
        return {}


def _hosts(server: str, api: str, problems: list[str]) -> GitHubHosts:
    try:
        found = GitHubHosts.of(server)
    except ValueError as error:
        problems.append(f"GITHUB_SERVER_URL {error}.")
        return GitHubHosts.of("https://github.com")
    # The runner names the API itself; it is taken where it is one that the server's own address would lead to, or of this machine.
    if api and api.rstrip("/") != found.api:
        try:
            return GitHubHosts(found.web, _checked_api(api), f"{api.rstrip('/')}/graphql".replace("/v3/graphql", "/graphql"))
        except ValueError as error:
            problems.append(f"GITHUB_API_URL {error}.")
    return found


def _checked_api(api: str) -> str:
    GitHubHosts.of("/".join(api.split("/")[:3]))  # its scheme and host
    return api.rstrip("/")


def _repository(environment: Mapping[str, str], payload: Mapping[str, Any], problems: list[str]) -> RepositoryRef:
    name, number = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_REPOSITORY_ID", "")
    told = payload.get("repository")
    told = told if isinstance(told, dict) else {}
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        problems.append("GITHUB_REPOSITORY is not set: this command runs inside a workflow of GitHub Actions.")
    if not (number.isascii() and number.isdecimal()):
        number = str(told.get("id", ""))
    if not (number.isascii() and number.isdecimal()):
        problems.append("GITHUB_REPOSITORY_ID is not set: this command runs inside a workflow of GitHub Actions.")
        number = "0"
    branch = told.get("default_branch")
    branch = branch if isinstance(branch, str) else ""
    return RepositoryRef(int(number), name, private=told.get("private") is not False, default_branch=branch)


# ---- which commits, by event

Read = Callable[[Mapping[str, Any], Mapping[str, str]], "Compared | str"]


def _compared(event: str, payload: Mapping[str, Any], given: Mapping[str, str], problems: list[str]) -> tuple[Compared | None, str]:
    read = _of_inputs if given.get("BASE") or given.get("HEAD") else EVENTS.get(event, _of_inputs)
    try:
        found = read(payload, given)
    except (KeyError, TypeError, ValueError):
        problems.append(f"The payload of the event {event[:40]!r} is not what GitHub describes: is GITHUB_EVENT_PATH that of this run?")
        return None, ""
    return (None, found) if isinstance(found, str) else (found, "")


def _of_pull_request(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    pull = payload["pull_request"]
    head, base = pull["head"], pull["base"]
    home, fork = base.get("repo") or {}, head.get("repo")
    user = pull.get("user") or {}
    return Compared(
        base=_sha(base["sha"]),
        head=_sha(head["sha"]),
        find_merge_base=True,
        number=_number(pull["number"]),
        from_fork=fork is None or fork.get("id") != home.get("id"),
        author=str(user.get("login", ""))[:100],
    )


def _of_merge_group(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    group = payload["merge_group"]
    return Compared(_sha(group["base_sha"]), _sha(group["head_sha"]))


def _of_workflow_run(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    run = payload["workflow_run"]
    if run["event"] != "pull_request":
        return "The workflow that ended was not one of a pull request."
    return Compared("", _sha(run["head_sha"]), find_merge_base=True, find_pull_request=True)


def _of_push(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    before, after = _sha(payload["before"]), _sha(payload["after"])
    if after == NO_COMMIT:
        return "The branch was deleted."
    if before == NO_COMMIT:
        return "The branch is new: there is nothing to compare it with. Give the input base to choose."
    return Compared(before, after)


def _of_inputs(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    base, head = given.get("BASE", ""), given.get("HEAD", "")
    if not base or not head:
        return "This event names no two commits to compare: give the inputs base and head."
    for one in (base, head):
        if not _SHA.fullmatch(one):
            return "The inputs base and head take full commit ids, 40 hexadecimal digits."
    return Compared(base, head, find_merge_base=True)


def _of_comment(payload: Mapping[str, Any], given: Mapping[str, str]) -> Compared | str:
    return COMMENT


COMMENT: Final = "A comment: questions in it are answered."
EVENTS: Final[dict[str, Read]] = {
    "pull_request": _of_pull_request,
    "pull_request_target": _of_pull_request,
    "merge_group": _of_merge_group,
    "workflow_run": _of_workflow_run,
    "push": _of_push,
    "workflow_dispatch": _of_inputs,
    "issue_comment": _of_comment,
    "pull_request_review_comment": _of_comment,
}


def _sha(value: Any) -> str:
    if not isinstance(value, str) or not _SHA.fullmatch(value):
        raise ValueError(value)
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value <= 0:
        raise ValueError(value)
    return value
