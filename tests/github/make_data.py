"""Packages of GitHub's own descriptions -> the slices in tests/github/data that the simulator is refereed by.

    npm pack @octokit/openapi@23.0.2 @octokit/webhooks-examples@7.6.1 @octokit/app-permissions@2.1.0 @octokit/graphql-schema@15.26.1
    python -m github.make_data FOLDER_WITH_THE_TGZ_FILES        (PYTHONPATH=tests)

To use another operation of the API, add its row to `OPERATIONS` and run this again. data/README.md names sources and licence.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from graphql import build_schema

DATA = Path(__file__).parent / "data"
PACKAGES = {
    "openapi": "octokit-openapi-23.0.2.tgz",
    "webhooks": "octokit-webhooks-examples-7.6.1.tgz",
    "permissions": "octokit-app-permissions-2.1.0.tgz",
    "graphql": "octokit-graphql-schema-15.26.1.tgz",
}

# Every operation that bot/github/client.py uses, and no other.
OPERATIONS = """
GET /app
GET /app/installations
POST /app/installations/{installation_id}/access_tokens
GET /app/hook/deliveries
POST /app/hook/deliveries/{delivery_id}/attempts
POST /app-manifests/{code}/conversions
GET /installation/repositories
GET /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/{pull_number}
GET /repos/{owner}/{repo}/compare/{basehead}
GET /repos/{owner}/{repo}/git/ref/{ref}
GET /repos/{owner}/{repo}/collaborators/{username}/permission
GET /repos/{owner}/{repo}/issues/{issue_number}/comments
POST /repos/{owner}/{repo}/issues/{issue_number}/comments
GET /repos/{owner}/{repo}/issues/comments/{comment_id}
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}
POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
GET /repos/{owner}/{repo}/pulls/{pull_number}/comments
POST /repos/{owner}/{repo}/pulls/{pull_number}/comments
PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}
POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions
GET /repos/{owner}/{repo}/commits/{ref}/check-runs
GET /repos/{owner}/{repo}/check-runs/{check_run_id}
GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations
POST /repos/{owner}/{repo}/check-runs
PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}
""".split("\n")[1:-1]


def sliced(full: dict[str, Any]) -> dict[str, Any]:
    """GitHub's OpenAPI description -> the operations we use, with the schemas, parameters, answers and examples they reach."""
    out: dict[str, Any] = {"openapi": full["openapi"], "info": full["info"], "paths": {}, "components": {}}
    todo: list[Any] = []
    for line in OPERATIONS:
        method, path = line.split(" ")
        operation = full["paths"][path][method.lower()]
        out["paths"].setdefault(path, {})[method.lower()] = operation
        todo.append(operation)
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            node.pop("x-github-breaking-changes", None)
            node.pop("externalDocs", None)
            for key, kind in (("description", str), ("summary", str), ("tags", list)):  # words; a property of that name is an object
                if isinstance(node.get(key), kind):
                    del node[key]
            ref = node.get("$ref")
            if isinstance(ref, str) and ref.startswith("#/components/"):
                kind, name = ref.split("/")[2:]
                if name not in out["components"].setdefault(kind, {}):
                    out["components"][kind][name] = full["components"][kind][name]
                    todo.append(full["components"][kind][name])
            todo += [value for key, value in node.items() if key not in ("$ref", "value", "example")]
    return out


def permissions(full: dict[str, Any]) -> dict[str, list[list[str]]]:
    """GitHub's table of what each permission allows -> for each of our operations, the permissions of which one is enough."""
    found: dict[str, list[list[str]]] = {}
    known = {_anonymous(line): line for line in OPERATIONS}
    for permission, levels in full["permissions"].items():
        for level in ("read", "write"):
            for line in levels.get(level) or []:
                ours = known.get(_anonymous(line))
                if ours and [permission, level] not in found.setdefault(ours, []):
                    found[ours].append([permission, level])
    return {line: found[line] for line in OPERATIONS if line in found}


def _anonymous(line: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", line).replace("{}...{}", "{}")


def recorded(package: tarfile.TarFile) -> Iterator[str]:
    """Every recorded payload, one JSON object a line: {"group": …, "event": …, "body": …}."""
    for group in ("api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"):
        for event in json.loads(_read(package, f"package/{group}/index.json")):
            for body in event["examples"]:
                row = {"group": group, "event": event["name"], "body": body}
                yield json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n"


def of_viewer(text: str) -> str:
    """GitHub's GraphQL schema -> the one question we ask."""
    schema = build_schema(text, assume_valid=True, no_location=True)
    assert str(schema.query_type.fields["viewer"].type) == "User!"  # type: ignore[union-attr]
    assert str(schema.type_map["User"].fields["login"].type) == "String!"  # type: ignore[attr-defined]
    return "type Query {\n  viewer: User!\n}\n\ntype User {\n  login: String!\n}\n"


def _read(package: tarfile.TarFile, name: str) -> str:
    file = package.extractfile(name)
    assert file is not None, name
    return file.read().decode()


def _pack(name: str, text: str) -> None:
    raw = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    (DATA / name).write_bytes(raw)
    print(f"{name}: {len(raw):,} bytes")


def main(folder: Path) -> None:
    with ExitStack() as stack:
        write({name: stack.enter_context(tarfile.open(folder / file)) for name, file in PACKAGES.items()})


def write(opened: dict[str, tarfile.TarFile]) -> None:
    _pack("openapi.json.xz", json.dumps(sliced(json.loads(_read(opened["openapi"], "package/generated/api.github.com.json"))), indent=0))
    _pack("webhooks.jsonl.xz", "".join(recorded(opened["webhooks"])))
    table = permissions(json.loads(_read(opened["permissions"], "package/generated/api.github.com.json")))
    rows = ",\n".join(f"  {json.dumps(line)}: {json.dumps(needed)}" for line, needed in table.items())
    (DATA / "permissions.json").write_text(f"{{\n{rows}\n}}\n")
    (DATA / "schema.graphql").write_text(of_viewer(_read(opened["graphql"], "package/schema.graphql")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
