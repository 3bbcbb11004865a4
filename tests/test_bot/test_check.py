"""Reports as a check run, and as the log commands of a workflow where no check run may be written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from bot.rendering.check import BATCH, BUDGET, MAX_ANNOTATIONS, log_commands, render_check
from bot.rendering.comment import CommentOptions
from bot.rendering.grouping import grouped, open_breaks, row_id
from bot.rendering.links import github_links
from index.impact.analyse import analyse
from index.impact.nouns import ImpactReport
from support.changes import a_change
from support.hostile import HOSTILE
from support.markdown import html_of
from support.reports import hostile_report, large_report, quiet_report, shop_report

LINKED = CommentOptions(link=github_links("https://github.com/shop/shop"))


def test_the_check_of_a_small_shop(check_rendered: Callable[[str, str], None]) -> None:
    check = render_check(shop_report(), LINKED)
    told = "\n".join(json.dumps(asdict(one), ensure_ascii=False, indent=2) for one in check.annotations)

    check_rendered(
        "shop_check.md",
        f"# {check.title}\n\nConclusion: {check.conclusion}\n\n{check.summary}\n---\n\n{check.text}\n\n```json\n{told}\n```\n",
    )


def test_impact_is_information_unless_a_gate_is_asked_for() -> None:
    report = shop_report()
    every = frozenset(one.id for one in report.breaks)

    assert render_check(report).conclusion == "neutral"
    assert render_check(report, fail_on_breaks=True).conclusion == "failure"
    assert render_check(report, replace(LINKED, acknowledged=every), fail_on_breaks=True).conclusion == "success"
    assert render_check(quiet_report(), fail_on_breaks=True).conclusion == "success"
    assert render_check(replace(report, breaks=()), fail_on_breaks=True).conclusion == "success"


def test_nothing_to_say() -> None:
    check = render_check(quiet_report())

    assert (check.title, check.annotations, check.batches) == ("No impact", (), ((),))
    assert check.summary == "**No impact.** Only comments changed.\n"


def test_annotations_stand_on_changed_definitions_and_breaking_sites_only() -> None:
    report = shop_report()
    sites = {(one.site.path, one.site.line) for one in report.breaks}
    definitions = {(one.after.path, one.after.line) for one in report.changed if one.after is not None}

    found = render_check(report).annotations

    assert {(one.path, one.line) for one in found} <= sites | definitions
    assert {(one.path, one.line) for one in found} >= sites
    assert [one.level for one in found] == ["warning"] * len(report.breaks) + ["notice"] * (len(found) - len(report.breaks))
    assert {one.level for one in render_check(report, fail_on_breaks=True).annotations} == {"failure", "notice"}


def test_an_acknowledged_break_is_a_notice() -> None:
    report = shop_report()
    row = grouped(report.breaks, report)[0]

    found = render_check(report, replace(LINKED, acknowledged=frozenset({row_id(row)})), fail_on_breaks=True).annotations

    assert [one.level for one in found if one.title.startswith("Will break (acknowledged)")] == ["notice"] * len(row)


def test_a_thousand_breaks_are_two_hundred_annotations_in_batches_of_fifty() -> None:
    check = render_check(large_report(), LINKED)

    assert [len(batch) for batch in check.batches] == [BATCH] * (MAX_ANNOTATIONS // BATCH)
    assert len({one.path for one in check.annotations}) == 40  # every package before any twice
    assert check.left_out == 801  # and the definition itself
    assert "801 annotations left out" in check.summary
    assert max(len(check.summary), len(check.text)) <= BUDGET
    assert all("1,000" in text for text in (check.title, check.summary))


def test_a_name_can_not_start_a_log_command() -> None:
    found = render_check(hostile_report("a,b:c%\n::error::x\r\n::set-output name=x::y")).annotations

    lines = log_commands(found)

    assert lines and all(re.fullmatch(r"::(notice|warning|error) [^\r\n]*", line) for line in lines)
    assert all(line.count("::") >= 2 and re.match(r"::\w+ file=[^:,\n]*,line=\d+,endLine=\d+,title=[^:,\n]*::", line) for line in lines)


def test_ten_annotations_are_logged() -> None:
    assert len(log_commands(render_check(large_report()).annotations)) == 10
    assert log_commands(()) == []


def test_a_file_whose_name_github_can_not_be_told_is_counted() -> None:
    report = shop_report()
    odd = replace(report, breaks=tuple(replace(one, site=replace(one.site, path="a\\xff.py")) for one in report.breaks))

    check = render_check(odd)

    assert check.left_out == len(report.breaks)
    assert all(one.path == "billing/price.py" for one in check.annotations)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_hostile_name_gets_out_of_a_check(text: str) -> None:
    check = render_check(hostile_report(text))
    made = html_of(f"{check.summary}\n\n{check.text}")
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>|<[^>]*>", " ", made, flags=re.S)

    assert made.count("<details>") == made.count("</details>")
    assert re.search(r"@[a-z]|GH-\d|#\d|\b[0-9a-f]{7,40}\b", outside) is None
    assert not {"b", "a", "img", "script"} & set(re.findall(r"<([a-z0-9]+)", made))


def users_in_one_file(users: int) -> ImpactReport:
    text = "from core import price\n" + "".join(f"\n\ndef f{number}(x):\n    return price(x)\n" for number in range(users))
    files = {"core.py": "def price(x):\n    return x\n", "pkg/a.py": text}
    return analyse(a_change(files, {"core.py": "def price(x, currency):\n    return x\n"}))


def test_a_row_that_was_acknowledged_does_not_hide_a_use_that_came_later() -> None:
    before, after = users_in_one_file(2), users_in_one_file(3)
    accepted = frozenset(row_id(row) for row in grouped(before.breaks, before))

    assert open_breaks(before, accepted) == []
    assert len(open_breaks(after, accepted)) == 3
    assert len(open_breaks(after, frozenset(one.id for one in before.breaks))) == 3
    assert open_breaks(after, frozenset(one.id for one in after.breaks)) == []
