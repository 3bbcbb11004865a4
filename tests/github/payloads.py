"""What happened on the simulated GitHub -> the payload of the delivery that tells of it: a recorded one, overlaid with our state."""

from __future__ import annotations

import copy
import json
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from github import bodies
from github.contract import DATA
from github.state import SimulatedComment, SimulatedInstallation, SimulatedPull, SimulatedRepository

if TYPE_CHECKING:
    from github.simulator import Simulator

NOBODY = "0" * 40
REACTIONS = {"url": "https://api.github.com/none", "total_count": 0} | dict.fromkeys(
    ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"), 0
)


@dataclass(frozen=True)
class Recorded:
    """One payload that GitHub really sent. `group`: "api.github.com", or an Enterprise Server such as "ghes-35"."""

    group: str
    event: str
    body: Any

    @property
    def action(self) -> str:
        return str(self.body.get("action") or "")


@cache
def all_recorded() -> tuple[Recorded, ...]:
    lines = lzma.decompress((DATA / "webhooks.jsonl.xz").read_bytes()).decode().splitlines()
    return tuple(Recorded(**json.loads(line)) for line in lines)


def recorded(event: str, action: str = "") -> dict[str, Any]:
    """A fresh copy of the first one of api.github.com with that action, or of any of that event: not every action was recorded."""
    known = [one for one in all_recorded() if one.group == "api.github.com" and one.event == event]
    chosen = next((one for one in known if one.action == action), known[0])
    return copy.deepcopy(chosen.body)  # type: ignore[no-any-return]


def _of(sim: Simulator, where: SimulatedRepository, event: str, action: str, sender: str) -> dict[str, Any]:
    body = recorded(event, action)
    installation = sim.installation_of(where)
    body.pop("installation", None)
    body.pop("changes", None)
    if action:
        body["action"] = action
    if installation:
        body["installation"] = {"id": installation, "node_id": f"installation {installation}"}
    return {**body, "repository": {**body["repository"], **bodies.repository(sim, where)}, "sender": bodies.user(sender)}


def pull_request(
    sim: Simulator, where: SimulatedRepository, pull: SimulatedPull, action: str, sender: str = "octocat", **more: Any
) -> dict[str, Any]:
    """`more`: `before` and `after` of a push, `changes` of an edit."""
    body = _of(sim, where, "pull_request", action, sender)
    return {**body, "number": pull.number, "pull_request": bodies.pull(sim, where, pull), **more}


def push(
    sim: Simulator, where: SimulatedRepository, branch: str, before: str = NOBODY, after: str = "", sender: str = "octocat"
) -> dict[str, Any]:
    """`after`: by default the branch's tip; `NOBODY` for a branch that is gone."""
    body = _of(sim, where, "push", "", sender)
    after = after or where.git.tip(f"refs/heads/{branch}")
    return {
        **body,
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": before == NOBODY,
        "deleted": after == NOBODY,
    }


def issue_comment(
    sim: Simulator, where: SimulatedRepository, one: SimulatedComment, action: str = "created", before: str | None = None
) -> dict[str, Any]:
    body = _of(sim, where, "issue_comment", action, one.login)
    page = f"{sim.api}/repos/{where.full_name}/pulls/{one.number}"
    more = {"number": one.number, "pull_request": {"url": page}, "labels": [], "reactions": REACTIONS, "active_lock_reason": None}
    body["issue"] = {**body["issue"], **more}
    changes = {} if before is None else {"changes": {"body": {"from": before}}}
    return {**body, "comment": {**bodies.comment(sim, one), "reactions": REACTIONS}, **changes}


def review_comment(
    sim: Simulator, where: SimulatedRepository, one: SimulatedComment, action: str = "created", before: str | None = None
) -> dict[str, Any]:
    body = _of(sim, where, "pull_request_review_comment", action, one.login)
    changes = {} if before is None else {"changes": {"body": {"from": before}}}
    pull = bodies.pull(sim, where, where.pulls[one.number], brief=True)
    return {**body, "comment": {**bodies.comment(sim, one), "reactions": REACTIONS}, "pull_request": pull, **changes}


def check_run(
    sim: Simulator,
    where: SimulatedRepository,
    run: dict[str, Any],
    action: str = "rerequested",
    identifier: str = "",
    sender: str = "octocat",
) -> dict[str, Any]:
    """Somebody pressed "re-run", or the button with that identifier. Pull requests of forks are not listed, as on GitHub."""
    body = _of(sim, where, "check_run", action, sender)
    listed = [{"number": one.number} for one in where.pulls.values() if one.head_sha == run["head_sha"] and one.fork == ""]
    body["check_run"] = {**body["check_run"], **bodies.check(sim, run), "pull_requests": listed, "app": bodies.app(sim)}
    body["check_run"].pop("repository", None)
    return {**body, "requested_action": {"identifier": identifier}} if identifier else body


def installation(sim: Simulator, one: SimulatedInstallation, action: str, *, listed: bool = True) -> dict[str, Any]:
    body = {**recorded("installation", action), "action": action, "installation": bodies.installation(sim, one)}
    body.pop("repositories", None)
    return {**body, "repositories": [_brief(sim.repositories[number]) for number in sorted(one.repositories)]} if listed else body


def installation_repositories(
    sim: Simulator,
    one: SimulatedInstallation,
    added: Sequence[SimulatedRepository] = (),
    removed: Sequence[SimulatedRepository] = (),
) -> dict[str, Any]:
    action = "added" if added else "removed"
    body = {**recorded("installation_repositories", action), "action": action, "installation": bodies.installation(sim, one)}
    body.setdefault("requester", None)
    return {**body, "repositories_added": [_brief(some) for some in added], "repositories_removed": [_brief(some) for some in removed]}


def repository(sim: Simulator, where: SimulatedRepository, action: str, changes: Any = None, sender: str = "octocat") -> dict[str, Any]:
    body = _of(sim, where, "repository", action, sender)
    return {**body, "changes": changes} if changes is not None else body


def _brief(one: SimulatedRepository) -> dict[str, Any]:
    return {"id": one.id, "node_id": f"R_{one.id}", "name": one.name, "full_name": one.full_name, "private": one.private}
