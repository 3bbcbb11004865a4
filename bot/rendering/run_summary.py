"""ImpactReport -> the few figures that the next run of the same pull request compares itself with; and the sentence of that comparison.

The service keeps them. A copy hides in the comment for callers that keep nothing: anybody who may edit the comment can write it, so it is
read as a hint, decides no more than one line of text, and is never trusted with anything else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from bot.rendering.cutting import counted
from bot.rendering.escaping import code
from index.impact.nouns import ImpactReport

MARKER: Final = "<!-- maguyva:impact:v1 -->"
MAX_IDS: Final = 40  # ids of breaks in the hidden line
MAX_ACKS: Final = 200
MAX_HIDDEN: Final = 10_000  # characters; longer ones are not ours
LARGEST: Final = 10**9
_HIDDEN: Final = re.compile(r"<!-- (\{[^\n]*\}) -->")
_ID: Final = re.compile(r"[0-9a-f]{8}")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")
_VERSION: Final = re.compile(r"[0-9A-Za-z.+]{1,40}")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What one run found. `breaks` are ids, at most `MAX_IDS` of `breaking`; `before` is the run that this one was compared with."""

    head: str = ""
    base: str = ""
    engine: str = ""
    breaking: int = 0
    at_risk: int = 0
    reached: int = 0
    tests: int = 0
    breaks: tuple[str, ...] = ()
    acknowledged: tuple[str, ...] = ()
    before: RunSummary | None = None


def summary_of(
    report: ImpactReport, engine: str = "", acknowledged: frozenset[str] = frozenset(), previous: RunSummary | None = None
) -> RunSummary:
    """The figures of a report. `previous`: the last run, of whatever head; a second run of the same head keeps what the first was compared
    with, so that both give the same bytes."""
    return RunSummary(
        head=report.head if _COMMIT.fullmatch(report.head) else "",
        base=report.base if _COMMIT.fullmatch(report.base) else "",
        engine="".join(c for c in engine if c.isascii() and (c.isalnum() or c in ".+"))[:40],
        breaking=len(report.breaks),
        at_risk=len(report.at_risk),
        reached=total_reached(report),
        tests=len(report.tests),
        breaks=tuple(sorted({one.id for one in report.breaks})[:MAX_IDS]),
        acknowledged=tuple(sorted(one for one in acknowledged if _ID.fullmatch(one))[:MAX_ACKS]),
        before=previous.before if previous is not None and previous.head == report.head else previous,
    )


def total_reached(report: ImpactReport) -> int:
    return sum(one.reached for one in report.packages)


def hidden_line(summary: RunSummary) -> str:
    """JSON of hexadecimal ids and numbers in an HTML comment, which nothing in it can close."""
    facts = _facts(summary) | {"acks": list(summary.acknowledged)}
    if summary.before is not None:
        facts["before"] = _facts(summary.before)
    return f"<!-- {json.dumps(facts, sort_keys=True, separators=(',', ':'))} -->"


def _facts(one: RunSummary) -> dict[str, Any]:
    numbers = {"breaking": one.breaking, "at_risk": one.at_risk, "reached": one.reached, "tests": one.tests}
    return {**numbers, "head": one.head, "base": one.base, "engine": one.engine, "breaks": list(one.breaks)}


def read_hidden(body: str) -> RunSummary | None:
    """The body of a comment -> what its hidden line says; None where it has none of ours, or one that was tampered with."""
    for line in body.splitlines()[:4]:
        found = _HIDDEN.fullmatch(line.strip()[:MAX_HIDDEN])
        if found is None:
            continue
        try:
            facts = json.loads(found[1])
            return _read(facts, _read(facts["before"], None) if "before" in facts else None)
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
    return None


def _read(facts: Any, before: RunSummary | None) -> RunSummary:
    """Raises ValueError, TypeError or KeyError for what we never write."""

    def number(name: str) -> int:
        value = facts[name]
        if type(value) is not int or not 0 <= value <= LARGEST:
            raise ValueError(name)
        return value

    def text(name: str, pattern: re.Pattern[str]) -> str:
        value = facts[name]
        if value != "" and not pattern.fullmatch(value):
            raise ValueError(name)
        return str(value)

    def ids(name: str, most: int) -> tuple[str, ...]:
        values = facts.get(name, [])
        if type(values) is not list or len(values) > most or not all(_ID.fullmatch(value) for value in values):
            raise ValueError(name)
        return tuple(values)

    return RunSummary(
        text("head", _COMMIT),
        text("base", _COMMIT),
        text("engine", _VERSION),
        number("breaking"),
        number("at_risk"),
        number("reached"),
        number("tests"),
        ids("breaks", MAX_IDS),
        ids("acks", MAX_ACKS),
        before,
    )


def since_last_run(now: RunSummary, rewritten: bool = False) -> str:
    """What is different from the run before, as Markdown: "since the last push: 1 break fixed, +2 reachable"; "" for a first run.
    `rewritten`: the head of that run is not among the ancestors of this one."""
    before = now.before
    if before is None or not before.head:
        return ""
    why = [f"since {code(before.head[:10])} was replaced by a force-push" if rewritten else "since the last push"]
    if before.base and now.base and before.base != now.base:
        why.append(f"the base moved from {code(before.base[:10])} to {code(now.base[:10])}")
    if before.engine and now.engine and before.engine != now.engine:
        why.append(f"Maguyva {before.engine} looked then and {now.engine} now")
    said = _breaks_differ(before, now)
    said += _signed(now.at_risk - before.at_risk, "at risk")
    said += _signed(now.reached - before.reached, "reachable")
    return f"{', '.join(why)}: {', '.join(said) or 'no difference'}"


def _breaks_differ(before: RunSummary, now: RunSummary) -> list[str]:
    """By their ids where both runs name all of theirs: one fixed and one new are no difference in number, and matter all the same."""
    complete = all(len(one.breaks) == one.breaking for one in (before, now))
    if not complete:
        return _signed(now.breaking - before.breaking, "break" if abs(now.breaking - before.breaking) == 1 else "breaks")
    fixed, new = set(before.breaks) - set(now.breaks), set(now.breaks) - set(before.breaks)
    said = [f"{counted(len(fixed), 'break')} gone"] if fixed else []
    return said + ([f"{counted(len(new), 'new break')}"] if new else [])


def _signed(difference: int, what: str) -> list[str]:
    return [f"{'+' if difference > 0 else '−'}{abs(difference):,} {what}"] if difference else []
