"""Reports as the Markdown of a comment. What people see stands in tests/rendered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.rendering.comment import BUDGET, LADDER, CommentOptions, Limits, mermaid, problem_lines, render_comment
from bot.rendering.cutting import breadth_first, lines_of
from bot.rendering.links import github_links
from bot.rendering.run_commands import run_commands
from bot.rendering.run_summary import MARKER, RunSummary
from index.impact.analyse import analyse
from index.impact.nouns import Owned, Reviewer, SuggestedTest
from index.types import Problem, Tier
from support.changes import a_change
from support.hostile import HOSTILE
from support.markdown import html_of
from support.reports import hostile_report, large_report, quiet_report, shop_report

Check = Callable[[str, str], None]
LINKED = CommentOptions(link=github_links("https://github.com/shop/shop"), engine="0.1.0")


def test_a_small_shop(check_rendered: Check) -> None:
    check_rendered("shop.md", render_comment(shop_report()).body)


def test_a_small_shop_with_links_owners_and_reviewers(check_rendered: Check) -> None:
    report = replace(
        shop_report(),
        owners=(Owned("api/orders.py", ("shop/api",)), Owned("billing/price.py", ("payments", "ada", "grace"), "billing/**")),
        reviewers=(
            Reviewer("payments", "shop/payments", team=True),
            Reviewer("Ada Lovelace", "ada", why="owns 62 % of the impacted lines"),
            Reviewer("Octo Cat", "octocat"),
        ),
    )
    before = RunSummary("3" * 40, "1" * 40, "0.1.0", 5, 1, 3, 2, tuple(sorted(["0" * 8, *(one.id for one in report.breaks)])))
    options = replace(LINKED, previous=before, author="OctoCat", acknowledged=frozenset({report.breaks[0].id}))

    check_rendered("shop_linked.md", render_comment(report, options).body)


def test_nothing_to_say(check_rendered: Check) -> None:
    found = render_comment(quiet_report())

    assert found.silent
    check_rendered("quiet.md", found.body)


def test_a_thousand_callers(check_rendered: Check) -> None:
    check_rendered("thousand_callers.md", render_comment(large_report(), LINKED).body)


def test_hostile_names_are_shown_and_harmless(check_rendered: Check) -> None:
    text = "@everyone fixes #1 `|` <img src=x> [x](http://evil.example) \u202e--> </details>"

    body = render_comment(hostile_report(text), LINKED).body

    check_rendered("hostile.md", body)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_hostile_name_gets_out_of_the_whole_comment(text: str) -> None:
    body = render_comment(hostile_report(text)).body
    made = html_of(body)
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>|<!--.*?-->|<[^>]*>", " ", made, flags=re.S)

    assert set(re.findall(r"<([a-z0-9]+)", made)) <= set(
        "h3 p strong table thead tbody tr th td code wbr details summary ul li br sub pre".split()
    )
    assert made.count("<details>") == made.count("</details>")
    assert re.search(r"@[a-z]|GH-\d|#\d|\b[0-9a-f]{7,40}\b", outside) is None


def test_the_visible_part_is_short() -> None:
    body = render_comment(large_report(), LINKED).body
    visible = re.sub(r"<details>.*?</details>", "", body, flags=re.S)

    assert len([line for line in visible.splitlines() if line.strip() and not line.startswith("<!--")]) <= 25


def test_the_budget_is_kept_and_totals_never_change() -> None:
    report = large_report()
    bodies = [render_comment(report, replace(LINKED, budget=budget)).body for budget in (BUDGET, 20_000, 8_000, 3_000)]

    assert [len(body) <= budget for body, budget in zip(bodies, (BUDGET, 20_000, 8_000, 3_000), strict=True)] == [True] * 4
    assert all("1,000 sites will break" in body and "1,000 reachable in 40 packages" in body for body in bodies)
    assert all(re.search(r"Will break \(\d+ of 1,000\)", body) for body in bodies)
    assert all(body.count("<details>") == body.count("</details>") and body.count("```") % 2 == 0 for body in bodies)


def test_sections_are_given_up_in_order() -> None:
    names = [field for step in LADDER for field in step]

    assert names.index("mentions") < names.index("graph") < names.index("paths") < names.index("ranked") < names.index("breaks")
    assert set(names) <= set(Limits.__dataclass_fields__)


def test_every_package_shows_before_any_shows_twice() -> None:
    rows = [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("b", 2)]

    assert breadth_first(rows, lambda row: row[0], 4) == [("a", 1), ("a", 2), ("b", 1), ("c", 1)]
    assert breadth_first(rows, lambda row: row[0], 9) == rows


def test_a_hub_folds_to_one_row_for_each_package() -> None:
    user = "from core import price\n\n\ndef f(x):\n    price(x)\n    price(x)\n"
    files = {"core.py": "def price(x):\n    return x\n", "pkg/a.py": user, "pkg/b.py": user, "web/c.py": user}
    report = analyse(a_change(files, {"core.py": "def price(x, currency):\n    return x\n"}))
    hub = replace(report, ranked=tuple(replace(row, is_hub=True) for row in report.ranked))

    rows = [line for line in render_comment(hub).body.splitlines() if "missing argument" in line]

    assert [row.split(" | ")[0] for row in rows] == ["| `pkg/a.py:5` and 3 more in 2 files", "| `web/c.py:5`, also 6"]


def test_the_hidden_line_is_json_that_can_not_close_its_comment() -> None:
    body = render_comment(shop_report(), replace(LINKED, engine="1.0-->x", acknowledged=frozenset({"-->", "abc12345"}))).body
    first, second = body.splitlines()[:2]
    facts = json.loads(second.removeprefix("<!-- ").removesuffix(" -->"))

    assert first == MARKER
    assert second.count("-->") == 1
    assert facts["breaking"] == 4
    assert facts["acks"] == ["abc12345"]
    assert facts["head"] == "2" * 40


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render_comment(shop_report(), LINKED) == render_comment(shop_report(), LINKED)


def test_the_graph_stays_within_its_limits() -> None:
    drawing = mermaid(large_report())

    assert len(re.findall(r"^  n\d+\[", drawing, re.M)) <= 25
    assert len(re.findall(r"-->", drawing)) <= 40
    assert drawing.isascii()


def a_test(path: str, qualified: str, steps: int = 1, runner: str = "pytest") -> SuggestedTest:
    return SuggestedTest(path, qualified, 1, 1.0, steps, Tier.PROVED, "named for a changed file", runner)


def test_many_tests_of_one_file_are_run_as_the_file() -> None:
    found = run_commands(
        [a_test("tests/test_a.py", f"test_{number}") for number in range(5)] + [a_test("tests/test_b c.py", "T.test_x", 2)]
    )

    assert found.commands == ("pytest tests/test_a.py 'tests/test_b c.py::T::test_x'",)
    assert found.why == "6 tests: 5 by direct use, 1 through other code"
    assert found.chosen == 6


def test_tests_without_a_known_command_are_listed() -> None:
    found = run_commands([a_test("src/a.test.ts", "", 0, "")])

    assert (found.commands, found.files, found.why) == ((), ("src/a.test.ts",), "1 test: 1 named for a changed file")


def test_line_numbers_are_listed_in_order() -> None:
    assert lines_of([9, 3, 3]) == "3, 9"
    assert lines_of(range(1, 10), 3) == "1, 2, 3 and 6 more"


def test_files_with_the_same_problem_share_a_line() -> None:
    binary = [Problem(f"logo{at}.png", 0, "binary") for at in range(5)]
    broken = Problem("a.py", 3, "could not be parsed from here")

    assert problem_lines([binary[0], broken, *binary[1:]]) == [
        "5 files: binary (`logo0.png`, `logo1.png`, `logo2.png`, …)",
        "`a.py` line 3: could not be parsed from here",
    ]
    assert problem_lines(binary[:1]) == ["`logo0.png`: binary"]


def test_a_test_that_only_shares_words_is_not_worth_running() -> None:
    far = replace(a_test("tests/test_a.py", "test_one", 0), because="shares words with the change")

    assert run_commands([far]).chosen == 0
    assert run_commands([far, replace(far, path="tests/test_b.py", because="names what changed")]).why == "1 test: 1 names what changed"


# ---- rules of the comment that the tests above do not show


def test_every_place_is_a_permalink_at_the_head_and_a_removed_definition_at_the_base() -> None:
    report = shop_report()
    body = render_comment(report, LINKED).body
    linked = set(re.findall(r"\[`([^`]+:\d+)`\]\(https://github.com/shop/shop/blob/(2+)/", body))

    for one in (*report.breaks, *report.at_risk):
        assert (f"{one.site.path}:{one.site.line}", report.head) in linked
    assert {(f"{hop.path}:{hop.line}", report.head) for one in report.reached for hop in one.hops} <= linked
    assert f"[`old_total`](https://github.com/shop/shop/blob/{report.base}/billing/price.py#L4)" in body


def test_ten_thousand_callers_with_names_of_many_bytes_fit_and_are_counted() -> None:
    report = large_report()
    packages = tuple(replace(one, breaks=one.breaks * 10, reached=one.reached * 10) for one in report.packages)
    wide = tuple(replace(one, site=replace(one.site, path=f"{'𝔭' * 150}/{at % 40}/a.py")) for at, one in enumerate(report.breaks * 10))
    many = replace(report, breaks=wide, packages=packages, reached=report.reached * 5)

    body = render_comment(many, LINKED).body

    assert len(body) <= BUDGET and len(body.encode()) <= 262_144
    assert "10,000 sites will break" in body and "10,000 reachable in 40 packages" in body
    assert body.count("<details>") == body.count("</details>") and body.count("```") % 2 == 0


@pytest.mark.parametrize("budget", [60_000, 12_000, 5_000, 1_500, 300, 0])
def test_whatever_the_budget_nothing_is_left_open_and_no_row_is_cut(budget: int) -> None:
    body = render_comment(large_report(), replace(LINKED, budget=budget)).body

    assert body.count("<details>") == body.count("</details>") and body.count("```") % 2 == 0
    assert all(line.endswith("|") for line in body.splitlines() if line.startswith("|"))
    assert "1,000 sites will break" in body


def test_a_name_of_several_nodes_is_told_apart_by_its_file() -> None:
    files = {"core.py": "def price(x):\n    return x\n", "a.py": "from core import price\n\n\ndef f(x):\n    return price(x)\n"}
    files["b.py"] = files["a.py"]
    drawing = mermaid(analyse(a_change(files, {"core.py": "def price(x):\n    return x + 1\n"})))

    assert re.findall(r'\["(.*)"\]', drawing) == ["price", "f in a.py", "f in b.py"]


def test_a_section_that_is_switched_off_is_not_there() -> None:
    body = render_comment(shop_report(), replace(LINKED, without=frozenset({"graph", "mentions"}))).body

    assert "mermaid" not in body and "Mentions outside" not in body
    assert "Will break (4)" in body
