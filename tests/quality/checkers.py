"""A folder of files -> what a type checker says is wrong in them: pyright for Python, tsc for TypeScript.

Both come from `npm install pyright typescript` in a folder of their own; they read the files and run none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# what a caller can't be right with; anything else that is new (a type that no longer fits) is wrong too, but may be meant
HARD = frozenset(
    """
    reportCallIssue reportAttributeAccessIssue reportUndefinedVariable reportMissingImports reportMissingModuleSource reportIndexIssue
    TS1192 TS2304 TS2305 TS2339 TS2459 TS2503 TS2551 TS2552 TS2554 TS2555 TS2614 TS2694 TS2724
    """.split()
)
_TSC = re.compile(r"^(?P<path>[^(\n]+)\((?P<line>\d+),(?P<column>\d+)\): error (?P<rule>TS\d+): (?P<message>.*)$", re.M)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """`line` and `column` count from 1."""

    path: str
    line: int
    column: int
    rule: str
    message: str

    @property
    def is_hard(self) -> bool:
        """What follows from a type that the checker lost sight of elsewhere is no use of what changed."""
        return self.rule in HARD and not self.message.rstrip(".").endswith(("on type '{}'", "on type 'never'"))


def faults(tools: Path, folder: Path, paths: Iterable[str]) -> set[Fault]:
    """The folder with `node_modules` of the checkers, a folder of files and those to look at -> every error in them."""
    paths = sorted(path for path in paths if (folder / path).is_file())
    python = [path for path in paths if path.endswith((".py", ".pyi"))]
    scripts = [path for path in paths if path.endswith((".ts", ".tsx", ".mts", ".cts"))]
    return (_pyright(tools, folder, python) if python else set()) | (_tsc(tools, folder, scripts) if scripts else set())


def _pyright(tools: Path, folder: Path, paths: Sequence[str]) -> set[Fault]:
    settings = {
        "include": list(paths),
        "typeCheckingMode": "basic",
        "pythonVersion": "3.11",
        "reportMissingModuleSource": "none",
        "reportUnsupportedDunderAll": "error",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    program = [*node_program(tools, "pyright/index.js"), "--outputjson", "--pythonpath", sys.executable, "--project", "pyrightconfig.json"]
    ran = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    (folder / "pyrightconfig.json").unlink()
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"pyright failed: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    found = set()
    for one in json.loads(ran.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            path = Path(one["file"]).resolve().relative_to(folder.resolve()).as_posix()
            start = one["range"]["start"]
            found.add(Fault(path, start["line"] + 1, start["character"] + 1, one.get("rule", ""), one["message"]))
    return found


def _tsc(tools: Path, folder: Path, paths: Sequence[str]) -> set[Fault]:
    options = {
        "strict": True,
        "noEmit": True,
        "skipLibCheck": True,
        "allowJs": False,
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "jsx": "react-jsx",
        "lib": ["es2023", "dom", "dom.iterable"],
        "types": [],
        "allowImportingTsExtensions": True,
    }
    options |= _own_paths(folder)
    (folder / "tsconfig.breaks.json").write_text(json.dumps({"compilerOptions": options, "files": list(paths)}))
    program = [*node_program(tools, "typescript/bin/tsc"), "--project", "tsconfig.breaks.json", "--pretty", "false"]
    ran = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    (folder / "tsconfig.breaks.json").unlink()
    if ran.returncode not in (0, 1, 2):
        raise RuntimeError(f"tsc failed: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return {Fault(one["path"], int(one["line"]), int(one["column"]), one["rule"], one["message"]) for one in _TSC.finditer(ran.stdout)}


def _own_paths(folder: Path) -> dict[str, object]:
    """What the repository itself says of where its modules are: tests often import the package by its public name."""
    config = folder / "tsconfig.json"
    plain = re.sub(r"(?m)^\s*//.*$|\s/\*[^*]*\*/", "", config.read_text("utf-8")) if config.is_file() else "{}"
    text = re.sub(r",(?=\s*[}\]])", "", plain)
    try:
        said = json.loads(text).get("compilerOptions", {})
    except ValueError:
        return {}
    paths = {name: [one if one.startswith(".") else f"./{one}" for one in to] for name, to in said.get("paths", {}).items()}
    return {"paths": paths} if paths and said.get("baseUrl", ".").rstrip("/") in (".", "") else {}


def node_program(tools: Path, script: str) -> list[str]:
    path = tools / "node_modules" / script
    if not path.is_file():
        raise FileNotFoundError(f"no {path}: run `npm install` of that package in {tools}")
    return ["node", str(path)]
