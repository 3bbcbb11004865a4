"""Questions to an index that is open and warm, in one process: how long each kind of question takes, and ripgrep beside them."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

BUCKETS = ((1, 1), (2, 5), (6, 20), (21, 60), (61, 200), (201, 2_000))  # files that hold an identifier
OF_A_BUCKET = 8
FIRST = 200
ROUNDS = 5  # of each question; the fastest counts, because all else is somebody else's load
QUESTIONS = (
    "how are migrations applied?",
    "how does the session expire",
    "why is the csrf token rotated on login",
    "validate an email address",
    "render a form as a table",
    "comment sont signés les cookies ?",
    "cache a view for some minutes",
    "escape html in templates",
    "how does the autoreloader watch files",
    "fix crash in QuerySet.bulk_create with empty list",
    "send mail through smtp",
    "paginate a list of objects",
    "the select_related thing",
    "lazy translation of strings",
    "upload files in chunks",
)
PATTERNS = (
    r"def test_\w+_timeout",
    r"raise (Value|Type)Error\(",
    r"class \w+Mixin\b",
    r"return self\.\w+_cache",
    r"https?://[\w.]+/\w+",
    r"(get|set)_\w+_display",
    r"except \(\w+, \w+\) as",
    r"warnings\.warn\($",
    r"isinstance\(\w+, str\) and",
    r"\bself\.assertRaises\w*\(",
)


def asking(repository: str, home: str, commit: str, ripgrep: str = "") -> dict[str, Any]:
    """The index of a commit in `home` -> p50 and p95 of every kind of question, in milliseconds, and how many times sooner than ripgrep."""
    from index.embedding.static import StaticModel
    from index.engine import Engine
    from index.intent.classify import classify
    from index.retrievers import retrievers_with
    from index.retrievers.structural import structural
    from index.search import search
    from index.trigrams.lookup import find_identifier, find_literal, find_regex
    from index.types import Query

    with Engine(Path(repository), Path(home)) as engine:
        snapshot = engine.update(commit)
        identifiers = _identifiers(snapshot)
        pieces = [f"{word}(" for word in identifiers[::3]] + [word[1:-1] for word in identifiers[1::3] if len(word) > 6]
        literals = identifiers + pieces
        retrievers = retrievers_with(_Given(StaticModel.load()))
        names = [snapshot.names[row] for row in range(0, len(snapshot.names), max(len(snapshot.names) // 100, 1))]

        def fused(question: str) -> object:
            return search(question, snapshot, None, preset="thorough", strategy="weighted_rrf", retrievers=retrievers)

        def defined(name: str) -> object:
            return structural(Query(name, "find_definition", name), snapshot, 20)

        kinds: dict[str, tuple[Callable[[str], object], Sequence[str]]] = {
            "classify": (classify, QUESTIONS),
            "literal": (lambda text: find_literal(snapshot, text.encode(), limit=FIRST), literals),
            "references": (lambda name: find_identifier(snapshot, name), identifiers),
            "definition": (defined, names),
            "regex": (lambda pattern: find_regex(snapshot, pattern, limit=FIRST), PATTERNS),
            "fused": (fused, QUESTIONS),
        }
        found: dict[str, Any] = {name: _percentiles(_fastest(ask, asked)) for name, (ask, asked) in kinds.items()}
        found["against ripgrep"] = (
            _against(ripgrep, repository, commit, Path(home), literals[::4], kinds["literal"][0]) if ripgrep else None
        )
    return found


class _Given:
    """The embedded model, with the questions already read: what the vector of a question costs is measured elsewhere."""

    def __init__(self, model: Any) -> None:
        self._model, self._read = model, dict[str, Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def read(self, text: str) -> Any:
        if text not in self._read:
            self._read[text] = self._model.read(text)
        return self._read[text]


def _identifiers(snapshot: Any) -> list[str]:
    """Names of the snapshot that from one to two thousand files hold, some of each bucket, by name."""
    from index.trigrams.lookup import find_identifier

    chosen: dict[tuple[int, int], list[str]] = {bucket: [] for bucket in BUCKETS}
    for name in snapshot.names[:: max(len(snapshot.names) // 4_000, 1)]:
        if not re.fullmatch(r"[A-Za-z_]\w{3,40}", name):
            continue
        files = len(set(find_identifier(snapshot, name).file.tolist()))
        for bucket, some in chosen.items():
            if bucket[0] <= files <= bucket[1] and len(some) < OF_A_BUCKET:
                some.append(name)
    return [name for some in chosen.values() for name in some]


def _fastest(ask: Callable[[str], object], asked: Iterable[str]) -> list[float]:
    """Seconds of CPU that each question takes, the fastest of some rounds over all of them. A question that is warm takes no disk and waits
    for nobody, so on a machine that is free this is its wall time."""
    questions = list(asked)
    rounds = [[_seconds(lambda one=one: ask(one), time.process_time) for one in questions] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _seconds(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    run()
    return clock() - started


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    rising = sorted(1_000 * one for one in seconds)
    return {"p50": rising[len(rising) // 2], "p95": rising[min(int(len(rising) * 0.95), len(rising) - 1)], "max": rising[-1]}


def _against(
    ripgrep: str, repository: str, commit: str, home: Path, literals: Sequence[str], ask: Callable[[str], object]
) -> dict[str, float]:
    """How many times longer ripgrep's full scan of the same files takes, by wall time: the median and the least."""
    tree = home / "ripgrep"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    archive = subprocess.run(["git", "-C", repository, "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
    ratios = []
    for text in literals:
        scan = lambda text=text: subprocess.run([ripgrep, "-F", "-n", "--no-ignore", "-e", text, str(tree)], capture_output=True)  # noqa: E731
        theirs = min(_seconds(scan) for _ in range(3))
        ours = min(_seconds(lambda text=text: ask(text)) for _ in range(ROUNDS))
        ratios.append(theirs / ours)
    shutil.rmtree(tree)
    return {"median": median(ratios), "least": min(ratios)}
