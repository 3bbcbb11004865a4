"""ImpactReport -> SARIF 2.1.0, for code scanning and editors. Only what will break is in it: a list of alerts is no place for doubts."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final
from urllib.parse import quote

from bot.rendering.comment import change_lines
from bot.rendering.cutting import breadth_first
from bot.rendering.escaping import printable, shortened
from bot.rendering.grouping import grouped, is_acknowledged
from index.files.paths import raw
from index.impact.nouns import ChangedSymbol, ChangeKind, ImpactReport, Verdict
from index.impact.related_files import package_of
from index.types import SymbolKind

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS: Final = 5_000  # code scanning shows no more of one run
MAX_TEXT: Final = 1_000  # characters of a message
FINGERPRINT: Final = "maguyvaVerdict/v1"

# What is said of each kind of change in the list of rules; the first kind of a change that is here names its rule.
RULES: Final = (
    (ChangeKind.REMOVED, "UseOfRemoved", "Uses a definition that the change removes."),
    (ChangeKind.RENAMED, "UseOfRenamed", "Uses a definition by the name that it had before."),
    (ChangeKind.MOVED, "UseOfMoved", "Uses a definition in the place where it was before."),
    (ChangeKind.REEXPORT, "UseOfReexport", "Imports a definition from a module that no longer passes it on."),
    (ChangeKind.SIGNATURE, "CallOfOldSignature", "Calls a definition with arguments that it does not take any more."),
    (ChangeKind.BASES, "UseOfOtherBases", "Uses what a class inherited before and does not inherit now."),
    (ChangeKind.SHAPE, "UseOfOtherShape", "Uses a member that a type does not have any more."),
)
OTHER: Final = ("UseOfChanged", "Uses a definition in a way that the change breaks.")


def render_sarif(
    report: ImpactReport, engine: str = "", repository_url: str = "", acknowledged: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The breaks of a report. `engine`: our version; `repository_url`: where the code is, "" where that is not known."""
    accepted = {one.id for row in grouped(report.breaks, report) if is_acknowledged(row, acknowledged) for one in row}
    chosen = breadth_first(report.breaks, lambda one: package_of(one.site.path), MAX_RESULTS)
    rules = [*((name, text) for _, name, text in RULES), OTHER]
    names = [name for name, _ in rules]
    seen: Counter[str] = Counter()
    results = []
    for one in chosen:
        seen[one.id] += 1
        results.append(_result(one, report, names, seen[one.id], one.id in accepted))
    left_out = len(report.breaks) - len(chosen)
    notes = [f"{left_out:,} of {len(report.breaks):,} uses that will break are left out"] if left_out else []
    driver = {"name": "Maguyva", **({"version": engine} if engine else {}), "rules": [_rule(name, text) for name, text in rules]}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "maguyva/impact/"},
        "invocations": [
            {
                "executionSuccessful": True,
                **({"toolExecutionNotifications": [{"level": "note", "message": {"text": note}} for note in notes]} if notes else {}),
            }
        ],
        "results": results,
        "properties": {"base": report.base, "head": report.head},
    }
    if repository_url:
        run["versionControlProvenance"] = [{"repositoryUri": repository_url, "revisionId": report.head}]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, text: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": name,
        "shortDescription": {"text": text},
        "help": {"text": f"{text} Every one is proved: the result says by which chain of scopes, imports and types."},
        "defaultConfiguration": {"level": "error"},
    }


def _rule_of(changed: ChangedSymbol) -> str:
    return next((name for kind, name, _ in RULES if kind in changed.kinds), OTHER[0])


def _result(one: Verdict, report: ImpactReport, names: list[str], number: int, accepted: bool) -> dict[str, Any]:
    changed, site = report.changed[one.changed], one.site
    rule = _rule_of(changed)
    chain = ", ".join(step.name.lower() for step in site.chain)
    said = [f"{_message(one.reason)}.", f"Proved by {chain}." if chain else "Proved."]
    place = _location(site.path, site.line)
    place["physicalLocation"]["region"]["snippet"] = {"text": _plain(site.text)}
    if site.source.kind != SymbolKind.MODULE:
        place["logicalLocations"] = [{"fullyQualifiedName": _plain(site.source.qualified), "kind": _logical(site.source.kind)}]
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": names.index(rule),
        "level": "error",
        "message": {"text": " ".join(said)},
        "locations": [place],
        # the same use keeps its fingerprint when lines move; a second use of one kind in one definition has a number
        "partialFingerprints": {FINGERPRINT: one.id if number == 1 else f"{one.id}:{number}"},
    }
    if changed.after is not None:
        words = "; ".join(change_lines(changed))
        related = _location(changed.after.path, changed.after.line)
        result["relatedLocations"] = [{"id": 1, **related, "message": {"text": _message(f"{changed.after.qualified}: {words}")}}]
    if accepted:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "acknowledged in the pull request"}]
    return result


def _location(path: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(raw(path), safe="/"), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(line, 1)},
        }
    }


def _logical(kind: SymbolKind) -> str:
    """Words that SARIF has for kinds of definitions."""
    members = (SymbolKind.METHOD, SymbolKind.PROPERTY)
    if kind in members:
        return "member"
    return {SymbolKind.CLASS: "type", SymbolKind.INTERFACE: "type", SymbolKind.FUNCTION: "function"}.get(kind, "declaration")


def _plain(text: str) -> str:
    return shortened(printable(text), MAX_TEXT)


def _message(text: str) -> str:
    """SARIF reads `[text](target)` as a link and `{0}` as a place to fill, also in plain text: both are escaped as it asks."""
    return re.sub(r"([\\\[\]])", r"\\\1", _plain(text)).replace("{", "{{").replace("}", "}}")
