"""The report as one page: what is in it, and that nothing of it can do anything but show. test_html_browser looks at it in a browser."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from bot.rendering.comment import CommentOptions
from bot.rendering.html import MAX_NODES, render_html
from bot.rendering.links import github_links
from support.hostile import HOSTILE
from support.reports import hostile_report, large_report, quiet_report, shop_report

LINKED = CommentOptions(link=github_links("https://github.com/shop/shop"), engine="0.1.0")
MARKUP = ("</script><script>alert(1)</script>", '" onmouseover="alert(1)', "]]><!--", "&amp;lt;", "</title><b>", "</style><b>")


class Page(html.parser.HTMLParser):
    """Tags with their attributes, the text of each script and style, and the rest of the text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag if tag in ("script", "style") else self._in
        if tag in ("script", "style"):
            self.blocks.append((dict(attrs).get("type") or tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._in = "" if tag == self._in else self._in

    def handle_data(self, data: str) -> None:
        if self._in:
            kind, text = self.blocks[-1]
            self.blocks[-1] = (kind, text + data)
        else:
            self.words.append(data)

    @property
    def code(self) -> list[str]:
        return [text for kind, text in self.blocks if kind != "application/json"]

    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(next(text for kind, text in self.blocks if kind == "application/json"))
        return found


def test_one_script_and_one_style_may_run_by_their_hashes_and_nothing_may_be_fetched() -> None:
    page = Page(render_html(shop_report(), LINKED))
    policy = next(attributes["content"] or "" for tag, attributes in page.tags if attributes.get("http-equiv"))

    def is_named(text: str) -> bool:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy

    assert [kind for kind, _ in page.blocks] == ["style", "application/json", "script"]
    assert [is_named(text) for kind, text in page.blocks if kind != "application/json"] == [True, True]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert not {"src", "style", "onclick"} & {name for _, attributes in page.tags for name in attributes}
    assert not {"link", "img", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in page.tags}


def test_the_script_only_sets_text() -> None:
    script = next(text for kind, text in Page(render_html(shop_report())).blocks if kind == "script")

    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|new Function|fetch\(|XMLHttp|import\(", script)
    assert re.findall(r"https?://[^\"]*", script) == ["http://www.w3.org/2000/svg"]  # a name, not an address


def test_the_tables_are_there_without_a_script() -> None:
    page = Page(render_html(shop_report(), LINKED))
    told = " ".join(" ".join(page.words).split())

    for part in ("Will break (4)", "At risk (1)", "Changed (3)", "Reached (5)", "Tests (2)", "Not covered"):
        assert part in told
    assert "missing argument currency" in told
    assert "pytest tests/test_price.py::test_price" in told
    assert "docs/pricing.md – 5 of 6 commits with billing/price.py" in told
    assert "https://github.com/shop/shop/blob/" + "2" * 40 + "/api/orders.py#L5" in [attributes.get("href") for _, attributes in page.tags]


def test_the_graph_leads_from_every_node_to_a_change() -> None:
    data = Page(render_html(shop_report())).data()
    names = [node["name"] for node in data["nodes"]]

    assert {(names[edge["from"]], edge["use"], names[edge["to"]]) for edge in data["edges"]} >= {
        ("total", "calls", "price"),
        ("Checkout.pay", "calls", "total"),
        ("run", "calls", "old_total"),
    }
    for at, node in enumerate(data["nodes"]):
        if node["kind"] == "changed":
            assert node["steps"] == 0
            continue
        path = [data["edges"][edge] for edge in node["path_edges"]]
        assert path[0]["from"] == at and data["nodes"][path[-1]["to"]]["kind"] == "changed"
        assert all(one["to"] == other["from"] for one, other in pairwise(path))
        assert node["tier"] == max(edge["tier"] for edge in path)


def test_states_tell_breaks_from_risks() -> None:
    data = Page(render_html(shop_report())).data()
    states = {node["name"]: node["state"] for node in data["nodes"]}

    assert (states["total"], states["forwarded"], states["Checkout.pay"], states["test_price"]) == ("break", "risk", "", "break")
    says = next(node["says"] for node in data["nodes"] if node["name"] == "run")
    assert says[0]["text"] == "calls `old_total`, removed here" and says[0]["source"] == "return old_total(rows)"


def test_a_thousand_callers_fit_on_a_page_with_true_totals() -> None:
    text = render_html(large_report(), LINKED)
    data = Page(text).data()

    assert len(data["nodes"]) <= 2 * MAX_NODES + 1
    assert "Will break (1,000)" in text and "reachable in 40 packages" in text
    assert len(text) < 4_000_000


@pytest.mark.parametrize("hostile", [*MARKUP, *HOSTILE])
def test_no_hostile_name_becomes_markup(hostile: str) -> None:
    plain, page = Page(render_html(shop_report(), LINKED)), Page(render_html(hostile_report(hostile), LINKED))

    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags}
    assert {name for _, attributes in page.tags for name in attributes} == {name for _, attributes in plain.tags for name in attributes}
    assert [kind for kind, _ in page.blocks] == ["style", "application/json", "script"]
    assert [text for kind, text in page.blocks if kind != "application/json"] == [
        text for kind, text in plain.blocks if kind != "application/json"
    ]
    assert not set("\u202e\u200b\u2028\x00\ud800") & set("".join(page.words))


def test_nothing_to_say_is_one_sentence() -> None:
    text = render_html(quiet_report())

    assert "<strong>No impact.</strong> Only comments changed." in text
    assert 'id="canvas"' not in text


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render_html(shop_report(), LINKED) == render_html(shop_report(), LINKED)
    assert render_html(replace(shop_report(), timings={"x": 1.0}), LINKED) == render_html(shop_report(), LINKED)
