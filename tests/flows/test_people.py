"""Who should look at a change, from real repositories: CODEOWNERS of the base, and who wrote the impacted lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.rendering.comment import CommentOptions, render_comment
from index.engine import BLAMED_SECONDS, Engine
from index.git import Repository
from index.impact.nouns import ImpactReport
from support.repositories import FIRST_COMMIT_AT, TinyRepository, a_repository

ADA, GRACE, BOT = "Ada Lovelace <ada@example.com>", "Grace Hopper <7+grace@users.noreply.github.com>", "dependabot[bot] <bot@example.com>"
TAX = "def rate(country):\n    first = 1\n    second = 2\n    return first * second\n"
INVOICE = "from shop.tax import rate\n\n\ndef total(net, country):\n    return net * rate(country)\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> TinyRepository:
    """Ada wrote three of the four lines that change, Grace one of them and the five round its use."""
    repository = a_repository(tmp_path / "shop")
    repository.commit({"shop/tax.py": TAX.replace("second = 2", "second = 3"), ".github/CODEOWNERS": "* @octo/core\n"}, author=ADA)
    repository.commit({"shop/tax.py": TAX, "shop/invoice.py": INVOICE}, author=GRACE)
    repository.branch("feature")
    return repository


def report_of(repository: TinyRepository, home: Path, compared: str = "main...feature") -> ImpactReport:
    with Engine.open(repository.path, home) as engine:
        return engine.impact(compared)


def people(report: ImpactReport) -> list[str]:
    return [f"{one.name}: {one.why}" for one in report.reviewers]


def test_owners_and_authors_of_impacted_lines_are_named(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})

    report = report_of(shop, home)

    assert people(report) == [
        "core: owns all of 2 impacted files",
        "Grace Hopper: wrote 57 % of the impacted lines",  # one of four, and three round the call
        "Ada Lovelace: wrote 43 % of the impacted lines",
    ]
    assert {one.path: one.owners for one in report.owners} == {"shop/invoice.py": ("core",), "shop/tax.py": ("core",)}


def test_who_made_the_change_is_not_asked_to_review_it(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")}, author=GRACE)

    assert people(report_of(shop, home)) == ["core: owns all of 2 impacted files", "Ada Lovelace: wrote 43 % of the impacted lines"]


def test_the_comment_leaves_out_the_account_that_opened_the_pull_request(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})
    report = report_of(shop, home)

    body = render_comment(report, CommentOptions(author="grace")).body

    line = next(line for line in body.splitlines() if line.startswith("**Reviewers**"))
    assert line == "**Reviewers**: `core` team (owns all of 2 impacted files), Ada Lovelace (wrote 43 % of the impacted lines)"
    assert "@" not in re.sub(r"<!--.*?-->", "", body)


def test_the_owners_of_the_head_are_not_believed(shop: TinyRepository, home: Path) -> None:
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)"), ".github/CODEOWNERS": "* @mallory\n"})

    assert not any("mallory" in line for line in people(report_of(shop, home)))


def test_programs_and_ignored_commits_wrote_nothing(shop: TinyRepository, home: Path) -> None:
    shop.switch("main")
    shop.commit({"shop/tax.py": TAX.replace("    first", "    first  ").replace("first * second", "second * first")}, author=BOT)
    formatted = shop.commit({"shop/tax.py": TAX}, author="Form Atter <f@example.com>")
    shop.commit({".git-blame-ignore-revs": f"# formatting\n{formatted}\nnot a commit\n{'f' * 40}\n"}, author=ADA)
    shop.branch("later")
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})

    named = people(report_of(shop, home, "main...later"))

    assert not any("Form" in line or "bot" in line for line in named)


def test_the_mailmap_says_who_is_who(shop: TinyRepository, home: Path) -> None:
    shop.switch("main")
    shop.commit({".mailmap": "Augusta King <ada@example.com>\n"})
    shop.branch("later")
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})

    assert "Augusta King: wrote 43 % of the impacted lines" in people(report_of(shop, home, "main...later"))


def test_a_shallow_clone_blames_nobody(shop: TinyRepository, home: Path, tmp_path: Path) -> None:
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})
    shallow = shop.clone(tmp_path / "shallow", depth=1)
    with Repository.open(shallow.path) as repository:
        head = repository.resolve("feature" if not shallow.bare else "origin/feature")
        found = repository.blame(head, b"shop/tax.py", [(1, 4)], 0)

    assert found == []


def test_lines_that_are_old_are_nobodys(shop: TinyRepository) -> None:
    with Repository.open(shop.path) as repository:
        head = repository.resolve("main")

        recent = repository.blame(head, b"shop/tax.py", [(1, 2), (3, 3)], FIRST_COMMIT_AT)
        late = repository.blame(head, b"shop/tax.py", [(1, 4)], FIRST_COMMIT_AT + 100)

    assert recent == [("Ada Lovelace", "ada@example.com", 2), ("Grace Hopper", "7+grace@users.noreply.github.com", 1)]
    assert late == [("Grace Hopper", "7+grace@users.noreply.github.com", 1)]
    assert BLAMED_SECONDS > 365 * 86_400


def test_settings_can_want_nobody_named(shop: TinyRepository, home: Path) -> None:
    shop.switch("main")
    shop.commit({".maguyva.yml": "comment: {reviewers: 0}"})
    shop.branch("later")
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})

    assert report_of(shop, home, "main...later").reviewers == ()


@pytest.mark.parametrize("name", ["@everyone fixes #1", "`x` | [y](http://z)", "a\u202eb", "closes GH-1 --"])
def test_a_hostile_name_of_an_author_does_nothing(name: str, shop: TinyRepository, home: Path) -> None:
    shop.switch("main")
    shop.commit({"shop/tax.py": TAX.replace("    first = 1", "    first = 4")}, author=f"{name} <x@example.com>")
    shop.branch("later")
    shop.commit({"shop/tax.py": TAX.replace("rate(country)", "rate(country, year)")})

    body = render_comment(report_of(shop, home, "main...later")).body

    line = next(line for line in body.splitlines() if line.startswith("**Reviewers**"))
    assert re.search(r"@|#\d|\]\(|\u202e|GH-|closes", re.sub(r"`[^`]*`|<code>.*?</code>", "", line)) is None
