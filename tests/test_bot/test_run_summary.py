"""What one run tells the next: the hidden line of a comment, and the sentence about what is different."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering.comment import CommentOptions, render_comment
from bot.rendering.run_summary import MARKER, MAX_IDS, RunSummary, hidden_line, read_hidden, since_last_run, summary_of
from support.reports import large_report, quiet_report, shop_report

BASE, FIRST, SECOND = "1" * 40, "2" * 40, "3" * 40
RUN = RunSummary(FIRST, BASE, "0.1.0", 2, 3, 10, 4, ("aaaaaaaa", "bbbbbbbb"))


def test_a_summary_is_read_back_from_the_comment() -> None:
    options = CommentOptions(engine="0.1.0", previous=RUN, acknowledged=frozenset({"aaaaaaaa"}))

    body = render_comment(replace(shop_report(), head=SECOND), options).body

    found = read_hidden(body)
    assert found is not None
    assert (found.head, found.breaking, found.reached, found.acknowledged, found.before) == (SECOND, 4, 5, ("aaaaaaaa",), RUN)


def test_a_silent_comment_has_a_summary_too() -> None:
    found = read_hidden(render_comment(quiet_report()).body)

    assert found is not None and (found.breaking, found.reached) == (0, 0)


def test_a_second_run_of_the_same_head_gives_the_same_bytes() -> None:
    report = replace(shop_report(), head=SECOND)
    first = render_comment(report, CommentOptions(previous=RUN)).body

    again = render_comment(report, CommentOptions(previous=read_hidden(first))).body

    assert again == first
    assert "since the last push" in first


def test_a_first_run_says_nothing_of_a_last_one() -> None:
    assert since_last_run(summary_of(shop_report())) == ""
    assert "since" not in render_comment(shop_report()).body


@pytest.mark.parametrize(
    ("changed", "rewritten", "said"),
    [
        ({}, False, "since the last push: no difference"),
        ({"breaking": 1, "breaks": ("aaaaaaaa",), "reached": 12}, False, "since the last push: 1 break gone, +2 reachable"),
        ({"breaks": ("aaaaaaaa", "cccccccc")}, False, "since the last push: 1 break gone, 1 new break"),
        ({"at_risk": 1, "reached": 8}, False, "since the last push: −2 at risk, −2 reachable"),
        ({"breaking": 1_300, "breaks": ("aaaaaaaa",)}, False, "since the last push: +1,298 breaks"),
        ({}, True, "since `2222222222` was replaced by a force-push: no difference"),
        ({"base": SECOND}, False, "since the last push, the base moved from `1111111111` to `3333333333`: no difference"),
        ({"engine": "0.2.0"}, False, "since the last push, Maguyva 0.1.0 looked then and 0.2.0 now: no difference"),
    ],
)
def test_what_is_different_is_said_in_one_line(changed: dict[str, object], rewritten: bool, said: str) -> None:
    now = replace(RUN, head=SECOND, before=RUN, **changed)  # type: ignore[arg-type]

    assert since_last_run(now, rewritten) == said


def test_ids_are_capped_and_then_only_numbers_are_compared() -> None:
    many = summary_of(large_report(4, 15))

    assert (many.breaking > MAX_IDS, len(many.breaks)) == (True, MAX_IDS)
    assert since_last_run(replace(many, head=SECOND, before=many)) == "since the last push: no difference"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<!-- [] -->",
        "<!-- {} -->",
        "<!-- {" + '"a":' * 50_000 + " -->",
        "<!-- " + '{"before":' * 3_000 + "{}" + "}" * 3_000 + " -->",
        hidden_line(RUN).replace('"breaking":2', '"breaking":true'),
        hidden_line(RUN).replace('"breaking":2', '"breaking":-2'),
        hidden_line(RUN).replace('"breaking":2', '"breaking":1e999'),
        hidden_line(RUN).replace("aaaaaaaa", "@everyone"),
        hidden_line(RUN).replace(FIRST, "main`; rm -rf /"),
        hidden_line(RUN).replace('"engine":"0.1.0"', '"engine":["0.1.0"]'),
        hidden_line(RUN).replace('"engine":"0.1.0"', '"engine":"@everyone fixes #1"'),
    ],
)
def test_a_line_that_we_never_wrote_is_no_summary(line: str) -> None:
    assert read_hidden(f"{MARKER}\n{line}\ntext") is None


@given(st.text(max_size=200))
def test_no_comment_of_a_stranger_stops_us(text: str) -> None:
    assert read_hidden(text) is None
    assert read_hidden(f"{MARKER}\n<!-- {{{text}}} -->") is None
