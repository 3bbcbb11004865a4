"""The process that runs tree-sitter queries: requests on standard input, answers on standard output, both length-prefixed.

A query is text from anyone: it may match a million nodes, and its `#match?` is a regular expression that may never end. Nothing in
tree-sitter's Python binding can be interrupted safely (a progress callback crashes the interpreter), so all of it happens here, with a
limit on memory, and whoever asked kills the process when its time is up.

Request: a line of JSON {language, query, sizes, most} and then the files' bytes. Answer: a line of JSON, {"error": text} or
{"found": [[file, start byte, end byte, capture], ...], "more": bool}.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import IO, Any

import tree_sitter

from index.languages import BY_NUMBER

MEMORY = 2 << 30  # bytes of address space
MATCH_LIMIT = 4_096  # states a cursor keeps at a time; beyond it the earliest are given up


def main() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    asked, told = sys.stdin.buffer, sys.stdout.buffer
    while line := asked.readline():
        request = json.loads(line)
        sources = [asked.read(size) for size in request["sizes"]]
        told.write(json.dumps(answer(request["language"], request["query"], sources, request["most"])).encode() + b"\n")
        told.flush()


def answer(language: int, query: str, sources: list[bytes], most: int) -> dict[str, Any]:
    """The number of a language, a query and files -> the captures, in order of file and place, or why there are none."""
    grammar = tree_sitter.Language(BY_NUMBER[language].grammar())
    try:
        compiled = tree_sitter.Query(grammar, query)
    except (tree_sitter.QueryError, ValueError) as error:
        return {"error": str(error)}
    parser = tree_sitter.Parser(grammar)
    found: list[tuple[int, int, int, str]] = []
    exceeded = False
    for file, data in enumerate(sources):
        cursor = tree_sitter.QueryCursor(compiled, match_limit=MATCH_LIMIT)
        captured = cursor.captures(parser.parse(data).root_node)
        exceeded |= cursor.did_exceed_match_limit
        found += sorted((file, node.start_byte, node.end_byte, name) for name, nodes in captured.items() for node in nodes)
        if len(found) > most:
            break
    return {"found": found[:most], "more": exceeded or len(found) > most}


def read_answer(stream: IO[bytes]) -> dict[str, Any]:
    """What `main` wrote for one request. Raises EOFError where the process is gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    loaded: dict[str, Any] = json.loads(line)
    return loaded


if __name__ == "__main__":
    main()
