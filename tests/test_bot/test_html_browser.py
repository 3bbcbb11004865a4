"""The page in a real browser: what a person does with it. Needs Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.rendering.comment import CommentOptions
from bot.rendering.html import render_html
from bot.rendering.links import github_links
from index.impact.nouns import ImpactReport
from support.browser import Browser, chromium
from support.reports import hostile_report, large_report, shop_report

if not chromium():
    pytest.skip(
        "the interactive report was not looked at: no Chromium here (Debian, Ubuntu: apt-get install chromium)", allow_module_level=True
    )

LINKED = CommentOptions(link=github_links("https://github.com/shop/shop"))
HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def shown(browser: Browser, folder: Path, report: ImpactReport) -> None:
    page = folder / "report.html"
    page.write_text(render_html(report, LINKED), "utf-8")
    browser.open(page)


def names(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.run(
        f"[...document.querySelectorAll('{selector}')].map(e => e.querySelector('.name')?.textContent ?? e.textContent)"
    )
    return sorted(found)


def node(browser: Browser, name: str) -> str:
    at = browser.run(f"[...document.querySelectorAll('.node')].find(n => n.querySelector('.name').textContent === '{name}').dataset.node")
    return f".node[data-node='{at}']"


def test_it_draws_without_asking_anything_of_a_network(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())

    assert names(browser, ".node.changed") == ["old_total", "price"]
    assert names(browser, ".node.break") == ["nightly.py", "run", "test_price", "total"]
    assert names(browser, ".node.risk") == ["forwarded"]
    assert browser.run("document.querySelectorAll('.edge').length") == 7
    assert browser.requests == [(tmp_path / "report.html").resolve().as_uri()]
    assert browser.complaints == []


def test_a_click_on_a_node_shows_the_evidence(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())

    browser.click(node(browser, "Checkout.pay"))
    told = browser.run("document.getElementById('panel').innerText")

    assert "Checkout.pay calls total" in told and "total calls price" in told and "api/checkout.py:6" in told
    assert names(browser, ".node:not(.dimmed)") == ["Checkout.pay", "price", "total"]
    assert browser.run("document.querySelectorAll('.edge.lit').length") == 2

    browser.click(node(browser, "Checkout.pay"))  # once more: let go

    assert "Choose a node" in browser.run("document.getElementById('panel').innerText")
    assert browser.run("document.querySelectorAll('.dimmed').length") == 0


def test_a_node_in_the_evidence_and_a_row_of_a_table_lead_to_their_node(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())

    browser.click(node(browser, "Checkout.pay"))
    browser.click("#panel button[data-goes]:nth-of-type(2)")
    first = names(browser, ".node.chosen")
    browser.click("#breaks tr[data-node]:last-child td:nth-child(2)")

    assert (first, names(browser, ".node.chosen")) == (["total"], ["test_price"])


def test_it_can_be_walked_with_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())
    press = "new KeyboardEvent('keydown', {key: '%s', bubbles: true})"
    svg, where = "document.querySelector('#canvas svg')", "document.querySelector('.world').getAttribute('transform')"

    browser.run(f'document.querySelector("{node(browser, "run")}").dispatchEvent({press % "Enter"})')
    chosen = names(browser, ".node.chosen")
    places = []
    for key in ("0", "+", "ArrowRight", "0"):
        browser.run(f"{svg}.dispatchEvent({press % key})")
        places.append(browser.run(where))

    assert chosen == ["run"]
    assert len(set(places)) == 3 and places[0] == places[3]


def test_the_wheel_zooms_and_dragging_moves_without_choosing(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())
    where = "document.querySelector('.world').getAttribute('transform')"
    x, y = browser.run("(() => { const r = document.querySelector('.node').getBoundingClientRect(); return [r.x + 20, r.y + 10]; })()")
    before = browser.run(where)

    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    zoomed = browser.run(where)
    browser.mouse("mousePressed", x, y)
    for step in range(1, 5):
        browser.mouse("mouseMoved", x + 30 * step, y + 10 * step)
    browser.mouse("mouseReleased", x + 120, y + 40)
    moved = browser.run(where)

    assert len({before, zoomed, moved}) == 3
    assert names(browser, ".node.chosen") == []


def test_tiers_and_words_are_filtered(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())

    browser.click("#tier-proved")
    without = browser.run("document.querySelectorAll('.edge').length")
    browser.click("#tier-proved")
    browser.run("search.value = 'jobs/'; search.dispatchEvent(new Event('input'))")
    found = names(browser, ".node:not(.dimmed)")
    browser.run("sift.value = 'nightly'; sift.dispatchEvent(new Event('input'))")

    assert without == 0
    assert found == ["nightly.py", "run"]
    assert browser.run("[...document.querySelectorAll('#breaks tbody tr')].filter(row => !row.hidden).length") == 2


def test_tabs_show_one_part_at_a_time(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())
    visible = "[...document.querySelectorAll('section.part')].filter(part => !part.hidden).map(part => part.id)"

    first = browser.run(visible)
    browser.click("[data-tab=tests]")

    assert (first, browser.run(visible)) == (["breaks"], ["tests"])


def test_light_and_dark(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, shop_report())
    ground = "getComputedStyle(document.body).backgroundColor"

    light = browser.run(ground)
    browser.click("#theme")

    assert (light, browser.run(ground)) == ("rgb(246, 247, 249)", "rgb(14, 17, 22)")


def test_of_a_thousand_callers_some_are_drawn_and_more_on_request(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, large_report())

    first = browser.run("document.querySelectorAll('.node').length")
    browser.click("#more")

    assert (first, browser.run("document.querySelectorAll('.node').length")) == (41, 101)
    assert browser.complaints == []


def test_no_hostile_name_runs(browser: Browser, tmp_path: Path) -> None:
    shown(browser, tmp_path, hostile_report(HOSTILE))

    browser.click(".node")

    assert browser.run("document.title").startswith("Blast radius")
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert HOSTILE in browser.run("document.getElementById('panel').innerText")
    assert browser.complaints == []
