"""Ready-made reports, small and large, for everything that shows one."""

from __future__ import annotations

from functools import cache

from index.impact.analyse import Looking, analyse
from index.impact.nouns import ImpactReport
from index.types import Answer, Hit, Query
from support.changes import a_change

SHOP = {
    "billing/price.py": """\
RATE = 0.2


def old_total(items):
    return sum(items)


def price(item, *, tax=0):
    '''What an item costs.'''
    return item.net * (1 + RATE)


def _label(item):
    return item.name
""",
    "api/orders.py": """\
from billing.price import price


def total(order):
    return sum(price(item) for item in order)


def first(order):
    return price(order[0], currency="EUR")


def forwarded(*args, **kwargs):
    return price(*args, **kwargs)
""",
    "api/checkout.py": """\
from api.orders import total


class Checkout:
    def pay(self, order):
        return total(order)
""",
    "jobs/nightly.py": """\
from billing.price import old_total


def run(rows):
    return old_total(rows)
""",
    "jobs/report.py": """\
def lines(thing):
    return thing.price(1)
""",
    "docs/pricing.md": "# How `price` works\n",
    "tests/test_price.py": """\
from billing.price import price


def test_price():
    assert price(1, tax=2)
""",
    "tests/test_checkout.py": """\
from api.checkout import Checkout


def test_pay():
    assert Checkout
""",
}
SHOP_AFTER: dict[str, str | None] = {
    "billing/price.py": """\
RATE = 0.21


def price(item, currency, *, tax=0):
    '''What an item costs in a currency.'''
    return item.net * (1 + RATE)


def _label(item):
    return item.name  # as shown
""",
}
HISTORY: list[list[str]] = (
    [["billing/price.py", "docs/pricing.md"]] * 5 + [["billing/price.py", "api/orders.py"]] + [["jobs/report.py"]] * 3
)


def answers(query: Query) -> Answer:
    """The same two places for every question: one that the graph knows, and a page of the docs."""
    hits = (
        Hit("api/orders.py", 4, 5, 0, 0, 0.02, "calls `price` on line 5"),
        Hit("docs/pricing.md", 1, 1, 0, 0, 0.01, "holds `price`"),
    )
    return Answer(query, 1.0, "given", "weighted_rrf", "thorough", ("text", "graph"), hits)


@cache
def shop_report() -> ImpactReport:
    """A change that removes a function, makes a parameter required and changes a constant."""
    return analyse(a_change(SHOP, SHOP_AFTER), Looking(ask=answers, commits=HISTORY))


@cache
def quiet_report() -> ImpactReport:
    """A change of comments alone."""
    return analyse(a_change(SHOP, {"billing/price.py": SHOP["billing/price.py"].replace("sum(items)", "sum(items)  # all of them")}))


@cache
def large_report(packages: int = 40, per_package: int = 25) -> ImpactReport:
    """One function with a thousand callers that all break."""
    body = "".join(f"def f{number}(x):\n    return price(x)\n\n\n" for number in range(per_package))
    files = {
        f"pkg{number:02}/users_of_the_price_function_with_a_long_name.py": f"from core import price\n\n\n{body}"
        for number in range(packages)
    }
    return analyse(a_change({"core.py": "def price(x):\n    return x\n", **files}, {"core.py": "def price(x, currency):\n    return x\n"}))


def hostile_report(text: str) -> ImpactReport:
    """Every string of a report that comes from the repository, replaced by `text`."""
    from dataclasses import replace

    from index.impact.nouns import Mention, OpenSite, Owned, Reviewer, SkippedFile, Together
    from index.types import Problem, Unresolved

    report = shop_report()

    def symbol(one):  # type: ignore[no-untyped-def]
        return None if one is None else replace(one, path=text, name=text, qualified=text)

    quoted = f"calls `{text}`: missing argument `{text}`"
    return replace(
        report,
        changed=tuple(
            replace(
                one,
                before=symbol(one.before),
                after=symbol(one.after),
                details=(f"was `{text}`, is `{text}`",) if one.details else (),
                signature=tuple(replace(change, why=f"`{text}` is now required", name=text) for change in one.signature),
            )
            for one in report.changed
        ),
        breaks=tuple(
            replace(one, reason=quoted, site=replace(one.site, path=text, text=text, source=symbol(one.site.source)))
            for one in report.breaks
        ),
        at_risk=tuple(
            replace(one, reason=quoted, hedge=f"`@{text}` may change what is passed", site=replace(one.site, path=text, text=text))
            for one in report.at_risk
        ),
        reached=tuple(
            replace(
                one,
                symbol=symbol(one.symbol),
                because=quoted,
                package=text,
                hops=tuple(replace(hop, source=text, target=text, path=text) for hop in one.hops),
            )
            for one in report.reached
        ),
        neutral=tuple(replace(one, path=text, qualified=text) for one in report.neutral),
        tests=tuple(replace(one, path=text, qualified=text, because=quoted) for one in report.tests),
        together=(Together(text, text, 4, 5),),
        mentions=(Mention(text, 3, quoted, 0.1),),
        open_sites=(OpenSite(text, 1, 1, text, Unresolved.NAME, 0),),
        skipped=(SkippedFile(text, "larger than 1,000 kB"),),
        problems=(Problem(text, 3, f"could not read `{text}`"),),
        notes=(f"`{text}` has 9,000 uses",),
        owners=(Owned(text, (text, text), text),),
        reviewers=(Reviewer(text, text, True, quoted), Reviewer(text, text, False, text)),
    )
