"""Ten thousand callers of one function -> one comment within the budget, with the true totals."""

from __future__ import annotations

import pytest

from bot.rendering.comment import BUDGET, render_comment
from index.impact.nouns import ImpactReport
from support.reports import large_report


@pytest.fixture(scope="module")
def report() -> ImpactReport:
    return large_report(packages=100, per_package=100)


def test_every_caller_is_counted(report: ImpactReport) -> None:
    (row,) = [one for one in report.ranked if report.changed[one.changed].symbol.name == "price"]

    assert row.direct == len(report.breaks) == 10_000
    assert sum(one.reached for one in report.packages) == sum(one.breaks for one in report.packages) == 10_000


def test_one_comment_says_so_within_its_budget(report: ImpactReport) -> None:
    body = render_comment(report).body

    assert len(body) <= BUDGET
    assert "10,000 sites will break" in body


def test_every_package_shows_before_any_shows_twice(report: ImpactReport) -> None:
    body = render_comment(report).body

    assert sum(f"pkg{number:02}/" in body for number in range(100)) >= 25
