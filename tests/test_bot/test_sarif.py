"""What will break as SARIF 2.1.0. The referee is made from the standard's own schema, and refuses what that does not have."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from bot.rendering.grouping import grouped, row_id
from bot.rendering.sarif import FINGERPRINT, MAX_RESULTS, OTHER, RULES, render_sarif
from index.impact.analyse import analyse
from index.impact.nouns import ImpactReport
from support.changes import a_change
from support.reports import SHOP, SHOP_AFTER, hostile_report, large_report, quiet_report, shop_report


def results(made: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = made["runs"][0]["results"]
    return found


@pytest.mark.parametrize("make", [shop_report, quiet_report, large_report, lambda: hostile_report("</x> {0} [a](b)\u202e")])
def test_it_is_valid(make: Any) -> None:
    made = render_sarif(make(), "0.1.0", "https://github.com/shop/shop")

    Sarif.model_validate_json(json.dumps(made))


def test_the_referee_refuses_what_is_no_sarif() -> None:
    made = render_sarif(shop_report())
    made["runs"][0]["results"][0]["severity"] = "high"

    with pytest.raises(ValidationError, match="severity"):
        Sarif.model_validate_json(json.dumps(made))


def test_only_what_breaks_is_in_it() -> None:
    report = shop_report()
    found = results(render_sarif(report))

    places = [
        (one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], one["locations"][0]["physicalLocation"]["region"]["startLine"])
        for one in found
    ]
    assert places == [(one.site.path, one.site.line) for one in report.breaks]
    assert [one["ruleId"] for one in found] == ["CallOfOldSignature", "UseOfRemoved", "UseOfRemoved", "CallOfOldSignature"]
    assert found[0]["message"]["text"] == "calls `price`: missing argument `currency`. Proved by import."
    assert found[0]["relatedLocations"][0]["message"]["text"] == "price: signature: `currency` is now required"
    assert "relatedLocations" not in found[1]  # what was removed is nowhere in the head


def test_every_rule_that_is_named_is_described() -> None:
    made = render_sarif(shop_report())
    rules = made["runs"][0]["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == [*(name for _, name, _ in RULES), OTHER[0]]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in results(made))


def moved_down(lines: int) -> ImpactReport:
    above = "# more\n" * lines
    before = {path: above + text if path.endswith(".py") else text for path, text in SHOP.items()}
    after = {path: above + text if text is not None else None for path, text in SHOP_AFTER.items()}
    return analyse(a_change(before, after))


def test_a_fingerprint_stays_when_lines_move_and_no_two_are_alike() -> None:
    prints = [[one["partialFingerprints"][FINGERPRINT] for one in results(render_sarif(moved_down(lines)))] for lines in (0, 7)]

    assert prints[0] == prints[1]
    assert len(set(prints[0])) == len(prints[0])


def test_two_uses_in_one_definition_have_two_fingerprints() -> None:
    files = {"core.py": "def price(x):\n    return x\n", "a.py": "from core import price\n\n\ndef f(x):\n    price(x)\n    price(x)\n"}
    report = analyse(a_change(files, {"core.py": "def price(x, currency):\n    return x\n"}))

    prints = [one["partialFingerprints"][FINGERPRINT] for one in results(render_sarif(report))]

    assert len(prints) == 2 and prints[1] == f"{prints[0]}:2"


def test_what_was_acknowledged_is_suppressed() -> None:
    report = shop_report()
    first = row_id(grouped(report.breaks, report)[0])

    found = results(render_sarif(report, acknowledged=frozenset({first})))

    assert [bool(one.get("suppressions")) for one in found] == [True, False, False, False]


def test_paths_are_addresses_and_messages_hold_no_links_or_places() -> None:
    report = replace(hostile_report("a b#[x](http://evil.example) {0}%\\xff"), base="1" * 40)
    found = results(render_sarif(report))

    uri = found[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9%/._~-]+", uri) and uri.endswith("%25%FF")
    assert r"\[x\](http" in found[0]["message"]["text"] and "{{0}}" in found[0]["message"]["text"]
    assert not re.search(r"(?<!\\)\[", found[0]["message"]["text"])


def test_more_than_code_scanning_shows_is_cut_and_counted() -> None:
    report = large_report()
    made = render_sarif(replace(report, breaks=report.breaks * 6))
    notes = made["runs"][0]["invocations"][0]["toolExecutionNotifications"]

    assert len(results(made)) == MAX_RESULTS
    assert notes[0]["message"]["text"] == "1,000 of 6,000 uses that will break are left out"


def test_the_same_report_gives_the_same_bytes() -> None:
    assert json.dumps(render_sarif(shop_report())) == json.dumps(render_sarif(shop_report()))
