"""When the settings of a repository want no comment."""

from __future__ import annotations

import pytest

from index.config import ConfigFound, read_config
from index.impact.analyse import analyse
from index.impact.settings import settled
from support.changes import a_change

SHOP = {
    "shop/tax.py": "def rate(country):\n    return 0.21\n",
    "shop/invoice.py": "from shop.tax import rate\n\n\ndef total(net, country):\n    return net * rate(country)\n",
    "shop/report.py": "from shop.invoice import total\n\n\ndef lines(rows):\n    return [total(row, 'BE') for row in rows]\n",
}
BREAKS = "def rate(country, year):\n    return 0.21\n"
OTHER_BODY = "def rate(country):\n    return 0.22\n"
OF_THIS_KIND = "`.maguyva.yml` asks for no comment on changes of this kind."

SILENT = (
    #  settings                                           a change    why no comment is written; "" where one is
    ("", OTHER_BODY, ""),
    ("comment: {when: breaks}", OTHER_BODY, "Nothing will break, and `.maguyva.yml` asks for a comment only then."),
    ("comment: {when: breaks}", BREAKS, ""),
    ("comment: {when: at_risk}", OTHER_BODY, ""),
    ("comment: {reached_at_least: 3}", OTHER_BODY, "2 reached, and `.maguyva.yml` asks for a comment from 3 on."),
    ("comment: {reached_at_least: 3}", BREAKS, ""),
    ("comment: {reached_at_least: 2}", OTHER_BODY, ""),
    ("silence: {symbols: ['r*e']}", OTHER_BODY, OF_THIS_KIND),
    ("silence: {symbols: ['r*e']}", BREAKS, ""),
    ("silence: {symbols: [other]}", OTHER_BODY, ""),
    ("silence: {changes: [body, value]}", OTHER_BODY, OF_THIS_KIND),
    ("silence: {changes: [value]}", OTHER_BODY, ""),
    ("silence: {paths: ['*.py']}", OTHER_BODY, OF_THIS_KIND),
    ("silence: {paths: ['*.js']}", OTHER_BODY, ""),
)


def settings(text: str) -> ConfigFound:
    found = read_config(text.encode())
    assert found.problems == ()
    return found


@pytest.mark.parametrize(("text", "tax", "why"), SILENT)
def test_silence(text: str, tax: str, why: str) -> None:
    report = analyse(a_change(SHOP, {"shop/tax.py": tax}))

    assert settled(report, settings(text), 0).silent == why


def test_a_report_that_is_quiet_anyway_keeps_its_own_reason() -> None:
    report = analyse(a_change(SHOP, {"shop/tax.py": SHOP["shop/tax.py"] + "# more\n"}))

    found = settled(report, settings("comment: {when: breaks}"), 0)

    assert (found.quiet, found.silent) == ("Only comments changed.", "")
