"""GitHub's own OpenAPI description as the referee of requests and answers: what breaks it comes back as sentences."""

from __future__ import annotations

import copy
import functools
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

DATA = Path(__file__).parent / "data"
METHODS = ("get", "post", "put", "patch", "delete")
NOT_AS_DESCRIBED = {"head/repo"}  # null where a fork was deleted: GitHub sends that, and describes an object
UNDOCUMENTED = {301, 302, 307, 401, 403, 404, 410, 422, 429}  # statuses that GitHub gives everywhere without saying so


@dataclass(frozen=True)
class Operation:
    method: str  # "GET"
    template: str  # "/repos/{owner}/{repo}"
    pattern: re.Pattern[str]
    described: dict[str, Any]
    parameters: tuple[dict[str, Any], ...]

    @property
    def line(self) -> str:
        return f"{self.method} {self.template}"

    @property
    def is_for_apps(self) -> bool:
        return bool(self.described["x-github"]["enabledForGitHubApps"])

    @property
    def notifies(self) -> bool:
        """Whether people hear of it, which is what GitHub counts as content creation."""
        return bool(self.described["x-github"].get("triggersNotification"))


@dataclass(frozen=True)
class Match:
    operation: Operation
    arguments: dict[str, str]


class Contract:
    def __init__(self) -> None:
        document = json.loads(lzma.decompress((DATA / "openapi.json.xz").read_bytes()))
        self._examples = document["components"].pop("examples")
        self._document = _with_null_types(document)
        self._registry = jsonschema_rs.Registry([("urn:github", self._document)])
        self.operations = tuple(self._operations())

    @classmethod
    @functools.cache
    def shared(cls) -> Contract:
        """One for all tests of a process: it holds no state."""
        return cls()

    def _operations(self) -> Iterator[Operation]:
        for template, item in self._document["paths"].items():
            for method in METHODS:
                if method in item:
                    found = tuple(self._resolved(one) for one in item.get("parameters", []) + item[method].get("parameters", []))
                    yield Operation(method.upper(), template, _pattern(template, found), item[method], found)

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            node = functools.reduce(lambda at, key: at[key], node["$ref"].lstrip("#/").split("/"), self._document)
        return node

    def match(self, method: str, path: str) -> Match | None:
        """`path` as it was sent, percent signs and all."""
        for operation in self.operations:
            found = operation.pattern.fullmatch(path) if operation.method == method else None
            if found:
                return Match(operation, {name: unquote(value) for name, value in found.groupdict().items()})
        return None

    def complaints_about_request(self, operation: Operation, query: Iterable[tuple[str, str]], body: Any) -> list[str]:
        """What GitHub would not take, and what it would silently ignore (those begin with "query")."""
        found = list(_query_complaints(operation, query))
        described = operation.described.get("requestBody")
        content = (described or {}).get("content", {}).get("application/json")
        if content is None:
            return [*found, "a body where none is described"] if body not in (None, {}) else found
        if body is None:
            return [*found, "the body is missing"] if described.get("required") else found
        keys = ("paths", operation.template, operation.method.lower(), "requestBody", "content", "application/json", "schema")
        found += self._errors(_pointer(*keys), body)
        allowed = self._properties(content["schema"])
        return found + [f"{name}: no such property" for name in (body if isinstance(body, dict) else ()) if allowed and name not in allowed]

    def complaints_about_answer(self, operation: Operation, status: int, body: Any) -> list[str]:
        described = operation.described["responses"].get(str(status))
        if described is None:
            return [] if status in UNDOCUMENTED or status >= 500 else [f"status {status} is not described"]
        keys = ["paths", operation.template, operation.method.lower(), "responses", str(status)]
        if "$ref" in described:
            keys = described["$ref"].lstrip("#/").split("/")
            described = self._resolved(described)
        content = described.get("content", {}).get("application/json")
        if content is None:
            return []
        pointer = _pointer(*keys, "content", "application/json", "schema")
        disputed = self._disputed(pointer, json.dumps(content.get("examples", {})))
        return [said for place, said in self._found(pointer, body) if place not in disputed | NOT_AS_DESCRIBED]

    def example(self, name: str) -> Any:
        """A fresh copy of one of GitHub's examples."""
        return copy.deepcopy(self._examples[name]["value"])

    def _errors(self, pointer: str, value: Any) -> list[str]:
        return [said for _, said in self._found(pointer, value)]

    def _found(self, pointer: str, value: Any) -> list[tuple[str, str]]:
        """Where (without the numbers in lists), and what is wrong there."""
        found = []
        for one in self._validator(pointer).iter_errors(value):
            place = "/".join("*" if isinstance(part, int) else str(part) for part in one.instance_path)
            found.append((place, f"{place or 'body'}: {one.message[:200]}"))
        return found

    @functools.cache  # noqa: B019  as many as there are operations
    def _disputed(self, pointer: str, examples: str) -> frozenset[str]:
        """Where GitHub's own example breaks GitHub's own description, nothing is asked of us. (228 of its 1,038 examples do.)"""
        named = [one["$ref"].split("/")[-1] for one in json.loads(examples).values() if "$ref" in one]
        given = [one["value"] for one in json.loads(examples).values() if "value" in one] + [self.example(name) for name in named]
        return frozenset(place for value in given for place, _ in self._found(pointer, value) if place)

    @functools.cache  # noqa: B019  as many as there are operations
    def _validator(self, pointer: str) -> Any:
        return jsonschema_rs.Draft4Validator({"$ref": f"urn:github#{pointer}"}, registry=self._registry, validate_formats=True)

    def _properties(self, schema: dict[str, Any]) -> set[str]:
        schema = self._resolved(schema)
        names = set(schema.get("properties", ()))
        for key in ("oneOf", "anyOf", "allOf"):
            for part in schema.get(key, ()):
                names |= self._properties(part)
        return names


def _query_complaints(operation: Operation, query: Iterable[tuple[str, str]]) -> Iterator[str]:
    known: Mapping[str, dict[str, Any]] = {one["name"]: one.get("schema", {}) for one in operation.parameters if one["in"] == "query"}
    for name, value in query:
        schema = known.get(name)
        if schema is None:
            yield f"query {name}: no such parameter"
        elif schema.get("type") == "integer" and not re.fullmatch(r"-?[0-9]+", value):
            yield f"query {name}: {value!r} is not a whole number"
        elif name == "per_page" and int(value) > 100:
            yield "query per_page: at most 100 are served"
        elif "enum" in schema and value not in schema["enum"]:
            yield f"query {name}: {value!r} is not one of {schema['enum']}"


def _pattern(template: str, parameters: Iterable[dict[str, Any]]) -> re.Pattern[str]:
    wide = {one["name"] for one in parameters if one.get("x-multi-segment")}
    parts = re.split(r"\{(\w+)\}", template)
    named = (re.escape(part) if at % 2 == 0 else f"(?P<{part}>{'.+' if part in wide else '[^/]+'})" for at, part in enumerate(parts))
    return re.compile("".join(named))


def _pointer(*keys: str) -> str:
    return "".join("/" + quote(key.replace("~", "~0").replace("/", "~1"), safe="~") for key in keys)


def _with_null_types(node: Any) -> Any:
    """OpenAPI 3.0's `nullable: true` as JSON Schema says it."""
    if isinstance(node, list):
        return [_with_null_types(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: _with_null_types(value) for key, value in node.items()}
    if node.pop("nullable", None) is not True:
        return node
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
        if "enum" in node and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
        return node
    return {"anyOf": [node, {"type": "null"}]}
