"""Our state -> the bodies GitHub would answer with: its own examples, overlaid. Where an example breaks GitHub's own description, it is
put right here, and nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from github.contract import Contract
from github.git import FileDifference
from github.state import SimulatedComment, SimulatedInstallation, SimulatedPull, SimulatedRepository

if TYPE_CHECKING:
    from github.simulator import Simulator

CONTRACT = Contract.shared()


def user(login: str) -> dict[str, Any]:
    body = CONTRACT.example("issue-comment")["user"]
    number = sum(ord(letter) * 31**at for at, letter in enumerate(login)) % 1_000_000 + 1
    return {**body, "login": login, "id": number, "type": "Bot" if login.endswith("[bot]") else "User"}


def app(sim: Simulator) -> dict[str, Any]:
    events = ["check_run", "issue_comment", "pull_request", "pull_request_review_comment", "push", "repository"]
    about = {"id": sim.app_id, "slug": sim.slug, "name": sim.slug.title(), "permissions": dict(sim.permissions), "events": events}
    return {**CONTRACT.example("integration"), **about}


def installation(sim: Simulator, one: SimulatedInstallation) -> dict[str, Any]:
    body = CONTRACT.example("base-installation-items")[0]
    return {
        **body,
        "id": one.id,
        "account": {**user(one.account), "type": "Organization"},
        "app_id": sim.app_id,
        "app_slug": sim.slug,
        "permissions": dict(one.permissions),
        "suspended_at": sim.iso() if one.suspended else None,
        "suspended_by": user(one.account) if one.suspended else None,
    }


def repository(sim: Simulator, one: SimulatedRepository) -> dict[str, Any]:
    body = CONTRACT.example("repository-paginated-2")["repositories"][0]
    return {
        **body,
        "id": one.id,
        "name": one.name,
        "full_name": one.full_name,
        "owner": user(one.owner),
        "private": one.private,
        "visibility": "private" if one.private else "public",
        "archived": one.archived,
        "default_branch": one.default_branch,
        "html_url": f"{sim.web}/{one.full_name}",
        "clone_url": f"{sim.web}/{one.full_name}.git",
        "fork": False,
        "has_discussions": False,
        "language": "Python",
    }


def full_repository(sim: Simulator, one: SimulatedRepository) -> dict[str, Any]:
    body = CONTRACT.example("full-repository-default-response")
    here = {**repository(sim, one), "language": "Python"}
    for related in ("parent", "source", "template_repository"):
        body.pop(related, None)
    return {**body, **here}


def pull(sim: Simulator, where: SimulatedRepository, one: SimulatedPull, *, brief: bool = False) -> dict[str, Any]:
    """`brief`: as in lists, which lack what only a single one has."""
    body = CONTRACT.example("pull-request-simple-items")[0] if brief else CONTRACT.example("pull-request")
    for team in body["requested_teams"]:
        team.setdefault("type", "organization")  # required, and missing in the example
    there = repository(sim, where)
    for side, ref, sha in (("head", one.head_ref, one.head_sha), ("base", one.base_ref, one.base_sha)):
        body[side].update(ref=ref, sha=sha, repo=there, label=f"{where.owner}:{ref}", user=user(where.owner))
    if one.fork is None:
        body["head"]["repo"] = None
    elif one.fork:
        owner, _, name = one.fork.partition("/")
        body["head"]["repo"] = {**there, "id": where.id + 500_000, "name": name, "full_name": one.fork, "owner": user(owner), "fork": True}
    numbers = {} if brief else {"merged": one.merged, "changed_files": len(sim.differences(where, one))}
    return {
        **body,
        "number": one.number,
        "title": one.title,
        "state": one.state,
        "draft": one.draft,
        "user": user(one.author),
        "author_association": one.association,
        "html_url": f"{sim.web}/{where.full_name}/pull/{one.number}",
        "closed_at": sim.iso() if one.state == "closed" else None,
        "merged_at": sim.iso() if one.merged else None,
        **numbers,
    }


def file(one: FileDifference) -> dict[str, Any]:
    body = CONTRACT.example("commit-comparison")["files"][0]
    body.pop("patch", None)
    added, gone = len(re.findall(r"(?m)^\+", one.patch)), len(re.findall(r"(?m)^-", one.patch))
    body.update(sha=one.blob, filename=one.path, status=one.status, additions=added, deletions=gone, changes=added + gone)
    if one.patch:
        body["patch"] = one.patch
    if one.old_path:
        body["previous_filename"] = one.old_path
    return body


def comment(sim: Simulator, one: SimulatedComment) -> dict[str, Any]:
    where = sim.repositories[one.repository]
    page = f"{sim.web}/{where.full_name}/pull/{one.number}"
    body = {
        **CONTRACT.example("pull-request-review-comment-2" if one.review else "issue-comment"),
        "id": one.id,
        "node_id": f"{'PRRC' if one.review else 'IC'}_{one.id}",
        "body": one.body,
        "user": user(one.login),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "html_url": f"{page}#{'discussion_r' if one.review else 'issuecomment-'}{one.id}",
    }
    if one.review:
        body.pop("in_reply_to_id", None)
        body.update(path=one.path, line=one.line or None, commit_id=one.commit, original_commit_id=one.commit)
        if one.in_reply_to:
            body["in_reply_to_id"] = one.in_reply_to
    else:
        body["performed_via_github_app"] = app(sim) if one.by_app else None
    return body


def check(sim: Simulator, run: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a run, without its annotations."""
    output = {key: value for key, value in run["output"].items() if key != "annotations"}
    return {**run, "output": {**output, "annotations_count": len(run["output"]["annotations"]), "annotations_url": f"{sim.api}/none"}}
