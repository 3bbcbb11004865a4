"""Who should look: owners of impacted files, authors of impacted lines, never whoever made the change, never a program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from index.impact.owners import CodeOwners, read_codeowners
from index.impact.people import MAX_FILES, MAX_LINES, Author, Lines, impacted_lines, reviewers
from support.reports import large_report, shop_report

ADA = Author("Ada Lovelace", "ada@example.com")
GRACE = Author("Grace Hopper", "12345+grace@users.noreply.github.com")
NOBODY = CodeOwners()


def named(found: object) -> list[str]:
    return [f"{one.name}: {one.why}" for one in found]  # type: ignore[attr-defined]


def test_people_are_named_by_their_share_of_the_lines() -> None:
    found = reviewers(shop_report(), NOBODY, {ADA: 62, GRACE: 30, Author("Rare", "r@x.org"): 5}, 100, [])

    assert named(found) == ["Ada Lovelace: wrote 62 % of the impacted lines", "Grace Hopper: wrote 30 % of the impacted lines"]
    assert [(one.login, one.share) for one in found] == [("", 0.62), ("grace", 0.3)]


def test_one_person_under_several_addresses_counts_once() -> None:
    written = {ADA: 20, Author("Ada Lovelace", "ada@home.org"): 20, Author("ada", "ADA@example.com"): 5, GRACE: 30}

    assert named(reviewers(shop_report(), NOBODY, written, 100, []))[0] == "Ada Lovelace: wrote 45 % of the impacted lines"


@pytest.mark.parametrize("author", [ADA, Author("ada lovelace", "other@x.org"), Author("A. L.", "Ada@Example.com")])
def test_the_author_of_the_change_is_never_named(author: Author) -> None:
    assert named(reviewers(shop_report(), NOBODY, {ADA: 80, GRACE: 20}, 100, [author])) == [
        "Grace Hopper: wrote 20 % of the impacted lines"
    ]


def test_an_author_who_owns_the_file_is_not_named_either() -> None:
    owners = read_codeowners(b"* @grace @octo/payments\n", "CODEOWNERS")

    found = reviewers(shop_report(), owners, {}, 0, [GRACE])

    assert [(one.name, one.login, one.team) for one in found] == [("payments", "octo/payments", True)]


@pytest.mark.parametrize(
    "name",
    ["dependabot[bot]", "renovate", "Renovate Bot", "github-actions[bot]", "pre-commit-ci[bot]", "my-bot", "GitHub", "web-flow", " ", "CI"],
)
def test_a_program_is_never_named(name: str) -> None:
    assert reviewers(shop_report(), NOBODY, {Author(name, "x@example.com"): 100}, 100, []) == ()


@pytest.mark.parametrize("name", ["Abbot", "Travis Oliphant", "Robot Jones", "Cicero", "Jenkins Smith"])
def test_people_are_not_taken_for_programs(name: str) -> None:
    assert len(reviewers(shop_report(), NOBODY, {Author(name, "x@example.com"): 100}, 100, [])) == 1


def test_owners_come_first_and_are_counted_by_files() -> None:
    owners = read_codeowners(b"* @octo/core\nbilling/ @octo/payments @grace\n", "CODEOWNERS")

    found = reviewers(shop_report(), owners, {GRACE: 50}, 100, [])

    assert named(found) == [
        "core: owns 3 of 4 impacted files",
        "payments: owns 1 of 4 impacted files",
        "Grace Hopper: owns 1 of 4 impacted files, wrote 50 % of the impacted lines",
    ]


def test_no_name_brings_an_at_or_an_address() -> None:
    found = reviewers(shop_report(), NOBODY, {Author("@everyone Bob <bob@x.org>", "b@x.org"): 100}, 100, [])

    assert [one.name for one in found] == ["Bob"]


# ---- which lines


def test_lines_of_what_changed_and_round_its_uses() -> None:
    found = impacted_lines(shop_report(), lambda path, line: (path, line), lambda path: 30)

    assert found == [
        Lines(b"api/orders.py", ((3, 7), (11, 15))),
        Lines(b"jobs/nightly.py", ((1, 7),)),
        Lines(b"billing/price.py", ((1, 1), (4, 5), (8, 10))),
    ]


def test_a_place_that_is_new_has_no_history() -> None:
    report = replace(shop_report(), changed=())

    assert impacted_lines(report, lambda path, line: None, lambda path: 30) == []


def test_files_and_lines_are_capped() -> None:
    found = impacted_lines(large_report(), lambda path, line: (path, line), lambda path: 10_000)
    wide = impacted_lines(
        replace(
            shop_report(),
            breaks=(),
            at_risk=(),
            changed=tuple(replace(one, before=replace(one.symbol, start_line=1, end_line=5_000)) for one in shop_report().changed),
        ),
        lambda path, line: (path, line),
        lambda path: 10_000,
    )

    assert len(found) == MAX_FILES
    assert [one.count for one in wide] == [MAX_LINES]
