"""The whole story: two commits -> the report, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import jsonschema_rs
import pytest

from index.impact.analyse import Looking, analyse
from index.impact.as_json import SCHEMA, as_json, schema
from index.impact.nouns import ImpactReport
from index.types import Answer, Hit, Tier
from support.changes import a_change
from support.reports import hostile_report, large_report, quiet_report, shop_report


def test_breaks_risks_reach_and_tests_of_a_small_shop() -> None:
    report = shop_report()

    assert [(one.site.path, one.site.line, one.reason) for one in report.breaks] == [
        ("api/orders.py", 5, "calls `price`: missing argument `currency`"),
        ("jobs/nightly.py", 1, "imports `old_total`, removed here"),
        ("jobs/nightly.py", 5, "calls `old_total`, removed here"),
        ("tests/test_price.py", 5, "calls `price`: missing argument `currency`"),
    ]
    assert [(one.symbol.qualified, one.steps) for one in report.reached] == [
        ("total", 1),
        ("first", 1),
        ("forwarded", 1),
        ("run", 1),
        ("Checkout.pay", 2),
    ]
    assert next((one.path, one.qualified) for one in report.tests) == ("tests/test_price.py", "test_price")


def test_a_use_that_can_not_be_resolved_makes_every_count_a_lower_bound() -> None:
    report = shop_report()

    assert [(one.path, one.line, one.name) for one in report.open_sites] == [("jobs/report.py", 2, "price")]
    assert any(note == "counts are lower bounds: unresolved uses of a changed name: 1" for note in report.notes)


def test_a_place_that_could_use_several_of_what_changed_is_counted_once() -> None:
    change = a_change(
        {
            "acts.py": "def a(row):\n    return 1\ndef b(row):\n    return 2\n",
            "menu.py": "import acts\ndef run(name, row):\n    return getattr(acts, name)(row)\n",
        },
        {"acts.py": "def a(row, x):\n    return 1\ndef b(row, x):\n    return 2\n"},
    )
    report = analyse(change)

    assert [(one.path, one.line, one.changed) for one in report.open_sites] == [("menu.py", 3, 0), ("menu.py", 3, 1)]
    assert [its.unresolved for its in report.ranked] == [1, 1]
    assert "counts are lower bounds: unresolved uses of a changed name: 1" in report.notes


def test_tests_are_counted_apart_from_code() -> None:
    report = shop_report()
    price = next(row for row in report.ranked if report.changed[row.changed].symbol.qualified == "price")

    assert (price.direct, price.total, price.tests) == (3, 4, 1)
    assert not any(one.symbol.path.startswith("tests/") for one in report.reached)


def test_files_that_usually_change_together_are_named_with_their_counts() -> None:
    assert [(one.path, one.with_path, one.commits, one.of) for one in shop_report().together] == [
        ("docs/pricing.md", "billing/price.py", 5, 6)
    ]


def test_what_text_alone_finds_is_a_mention_and_not_a_caller() -> None:
    assert [(one.path, one.because) for one in shop_report().mentions] == [("docs/pricing.md", "holds `price`")]


def test_a_reexport_that_is_dropped_breaks_its_importers() -> None:
    files = {
        "pkg/core.py": "def run(x):\n    return x\n",
        "pkg/__init__.py": "from pkg.core import run\nVERSION = 1\n",
        "user.py": "from pkg import run\n\n\ndef f():\n    return run(1)\n",
    }
    report = analyse(a_change(files, {"pkg/__init__.py": "VERSION = 1\n"}))

    assert next((one.site.path, one.site.line) for one in report.breaks) == ("user.py", 1)


@pytest.mark.parametrize(
    ("after", "quiet"),
    [
        ({"docs/pricing.md": "# Changed\n"}, "Only documentation changed."),
        ({"tests/test_price.py": "def test_nothing():\n    pass\n"}, "Only tests changed."),
        ({"jobs/report.py": "def lines(thing):\n    # why\n    return thing.price(1)\n"}, "Only comments changed."),
        ({"jobs/new.py": "def fresh():\n    return 1\n"}, "Only new definitions, which no other code uses yet."),
        ({"jobs/report.py": "def lines(thing):\n    return thing.price(2)\n"}, "Nothing in this repository uses what changed."),
    ],
)
def test_silence_has_a_reason(after: dict[str, str | None], quiet: str) -> None:
    from support.reports import SHOP

    assert analyse(a_change(SHOP, after)).quiet == quiet


def test_what_could_not_be_read_is_never_silence() -> None:
    report = analyse(a_change({"a.py": "def f():\n    return 1\n"}, {"a.py": "def f(:\n    return\n"}))

    assert report.quiet == ""
    assert report.problems


def test_a_change_of_a_file_we_can_not_read_is_not_called_harmless() -> None:
    assert analyse(a_change({"conf/app.toml": "a = 1\n", "a.py": "X = 1\n"}, {"conf/app.toml": "a = 2\n"})).quiet == ""


def test_missing_ways_of_looking_are_said() -> None:
    assert {"text and meaning were not searched", "the history was not read"} <= set(quiet_report().notes)


def test_words_on_the_changed_lines_lead_to_other_files() -> None:
    files = {
        "billing/price.py": "def price(item):\n    return item.net\n",
        "web/form.py": "FIELDS = ['net', 'currency_code']\n",
        "web/other.py": "FIELDS = ['name']\n",
    }
    report = analyse(a_change(files, {"billing/price.py": "def price(item):\n    return item.net * rates[item.currency_code]\n"}))

    assert report.files[0].path == "web/form.py"
    assert {"identifiers", "words"} <= {part.name for part in report.files[0].parts}


def test_json_holds_everything_and_nothing_that_changes_from_run_to_run() -> None:
    made = as_json(shop_report())
    text = json.dumps(made)

    assert made["schema"] == SCHEMA
    assert made["summary"] == {
        "breaking": 4,
        "at_risk": 1,
        "checked_and_fit": 1,
        "reached": 5,
        "packages": 3,
        "tests": len(made["tests"]),
        "unresolved": 1,
        "lower_bound": True,
    }
    assert "timings" not in text
    assert [one["key"] for one in made["changed"]] == ["billing/price.py::RATE", "billing/price.py::old_total", "billing/price.py::price"]


def test_a_thousand_callers_are_all_counted() -> None:
    report = large_report()

    assert len(report.breaks) == 1_000
    assert sum(one.reached for one in report.packages) == 1_000
    assert len(report.packages) == 40


def test_tests_are_ranked_by_nearness_and_by_their_words() -> None:
    files = {
        "shop/tax.py": "def rate(country):\n    return {'fr': 0.2}[country]\n",
        "shop/cart.py": "from shop.tax import rate\n\n\ndef total(net, country):\n    return net * rate(country)\n",
        "tests/test_cart.py": (
            "from shop.cart import total\n\n\ndef helper():\n    return total(1, 'fr')\n\n\n"
            "def test_total():\n    assert helper()\n\n\ndef test_other():\n    assert True\n"
        ),
        "tests/test_tax.py": "def test_rate_of_country(call):\n    assert call('rate', 'fr')\n",
        "tests/conftest.py": "import pytest\n",
    }
    report = analyse(a_change(files, {"shop/tax.py": "def rate(country):\n    return {'fr': 0.21}[country]\n"}))

    assert [(one.path, one.qualified, one.steps) for one in report.tests][:2] == [
        ("tests/test_cart.py", "test_total", 3),
        ("tests/test_tax.py", "test_rate_of_country", 0),
    ]
    assert report.tests[1].because == "named for a changed file"
    assert "helper" not in [one.qualified for one in report.tests]


def test_a_test_file_of_typescript_is_one_test() -> None:
    files = {
        "src/tax.ts": "export function rate(country: string) {\n  return 0.2\n}\n",
        "src/tax.test.ts": "import { rate } from './tax'\n\nit('has a rate', () => {\n  rate('fr')\n})\n",
    }
    report = analyse(a_change(files, {"src/tax.ts": files["src/tax.ts"].replace("0.2", "0.3")}))

    assert [(one.path, one.qualified, one.steps) for one in report.tests] == [("src/tax.test.ts", "", 1)]


CONVERTERS = {
    "routing/converters.py": """\
class Converter:
    def to_url(self, value):
        return str(value)


class Float(Converter):
    limit = 1
""",
    "routing/rules.py": """\
from routing.converters import Converter


def build(converter: Converter, value):
    return converter.to_url(value)
""",
}


def test_a_new_method_in_place_of_an_inherited_one_is_no_silence() -> None:
    after = CONVERTERS["routing/converters.py"] + "\n    def to_url(self, value):\n        return f'{value:f}'\n"
    report = analyse(a_change(CONVERTERS, {"routing/converters.py": after}))

    assert not report.quiet
    assert [one.details for one in report.changed] == [("new, overrides `Converter.to_url`",)]
    assert [(one.site.path, one.site.line, one.reason) for one in report.at_risk] == [
        ("routing/rules.py", 5, "calls `Float.to_url`: `to_url` is new there, instead of what was inherited")
    ]


def test_calls_of_a_method_with_many_overrides_may_run_each() -> None:
    many = "".join(f"\n\nclass Kind{at}(Converter):\n    def to_url(self, value):\n        return {at}\n" for at in range(9))
    files = {**CONVERTERS, "routing/converters.py": CONVERTERS["routing/converters.py"] + many}
    report = analyse(a_change(files, {"routing/converters.py": files["routing/converters.py"].replace("return 8", "return 80")}))

    assert [(one.symbol.qualified, one.steps, one.tier) for one in report.reached] == [("build", 1, Tier.POSSIBLE)]
    assert report.at_risk == ()

    wider = files["routing/converters.py"].replace("value):\n        return 8", "value, base):\n        return 8")
    report = analyse(a_change(files, {"routing/converters.py": wider}))

    assert [(one.site.path, one.site.line, one.site.tier, one.reason) for one in report.at_risk] == [
        ("routing/rules.py", 5, Tier.POSSIBLE, "calls `converter.to_url`: missing argument `base`")
    ]


def test_a_base_and_its_override_that_are_both_new_are_new_definitions() -> None:
    before = "class Converter:\n    kind = 1\n\n\nclass Float(Converter):\n    limit = 1\n"
    after = "class Converter:\n    kind = 1\n\n    def run(self):\n        return 1\n\n\nclass Float(Converter):\n    limit = 1\n\n    def run(self):\n        return 2\n"  # noqa: E501

    assert analyse(a_change({"a.py": before}, {"a.py": after})).quiet == "Only new definitions, which no other code uses yet."


PROXY = {
    "src/proxy.ts": """\
export function createProxy(callback: () => string) {
  return new Proxy(callback, {
    apply(target, self, args) {
      return target();
    },
  });
}
""",
    "src/client.ts": """\
import { createProxy } from "./proxy";

export function client() {
  return createProxy(() => "");
}
""",
}


def test_what_a_function_hands_out_unnamed_is_what_the_function_does() -> None:
    report = analyse(a_change(PROXY, {"src/proxy.ts": PROXY["src/proxy.ts"].replace("return target();", "return `${target()}`;")}))

    assert [(one.symbol.qualified, one.details) for one in report.changed] == [
        ("createProxy.apply", ()),
        ("createProxy", ("in `apply`",)),
    ]
    assert [(one.site.path, one.site.line) for one in report.at_risk] == [("src/client.ts", 4)]


def test_what_a_function_hands_on_where_it_is_written_is_what_the_function_does() -> None:
    files = {
        "src/stream.ts": """\
import { produce } from "./produce";

export function respond(body: string) {
  return produce({
    body,
    onError(cause: unknown) {
      return String(cause);
    },
  });
}
""",
        "src/produce.ts": "export function produce(given: { body: string; onError(cause: unknown): string }) {\n  return given.body;\n}\n",
        "src/server.ts": 'import { respond } from "./stream";\n\nexport function server() {\n  return respond("");\n}\n',
    }
    report = analyse(a_change(files, {"src/stream.ts": files["src/stream.ts"].replace("String(cause)", "`${cause}`")}))

    assert [(one.symbol.qualified, one.details) for one in report.changed] == [("respond.onError", ()), ("respond", ("in `onError`",))]
    assert [(one.site.path, one.site.line) for one in report.at_risk] == [("src/server.ts", 4)]


def test_what_a_function_calls_itself_does_not_change_the_function() -> None:
    files = {"a.py": "def outer():\n    def inner():\n        return 1\n    return inner()\n\n\ndef user():\n    return outer()\n"}
    report = analyse(a_change(files, {"a.py": files["a.py"].replace("return 1", "return 2")}))

    assert [one.symbol.qualified for one in report.changed] == ["outer.inner"]
    assert [(one.symbol.qualified, one.steps) for one in report.reached] == [("outer", 1), ("user", 2)]


def test_a_name_that_stands_alone_is_no_use_of_a_member() -> None:
    files = {
        "forms.py": "class Parser:\n    def parts(self):\n        return 1\n",
        "views.py": "def check(parts, thing):\n    parts()\n    return getattr(thing, 'parts')()\n",
    }
    report = analyse(a_change(files, {"forms.py": files["forms.py"].replace("return 1", "return 2")}))

    assert {one.line for one in report.open_sites} <= {3}


def test_settings_of_tools_are_not_worth_a_comment() -> None:
    files = {".github/workflows/tests.yaml": "on: push\n", "a.py": "X = 1\n"}
    after = {".github/workflows/tests.yaml": "on: pull_request\n"}

    assert analyse(a_change(files, after)).quiet == "Only the settings of tools changed."
    assert analyse(a_change(files, {**after, "a.py": "X = 1  # one\n"})).quiet == "Only comments changed."


def test_tests_that_the_change_writes_come_first() -> None:
    files = {
        "shop.py": "def price():\n    return 1\n",
        "tests/test_a.py": "from shop import price\n\n\ndef test_price():\n    assert price()\n",
        "tests/test_z.py": "def test_total():\n    assert 1\n",
    }
    report = analyse(a_change(files, {"shop.py": "def price():\n    return 2\n", "tests/test_z.py": "def test_total():\n    assert 2\n"}))

    assert (report.tests[0].path, report.tests[0].because) == ("tests/test_z.py", "changed here")


def test_a_type_whose_members_change_is_not_among_what_stays_the_same() -> None:
    files = {"a.ts": "export interface Options {\n  /** one */\n  one: string;\n}\n"}
    report = analyse(a_change(files, {"a.ts": "export interface Options {\n  /** two */\n  one: string;\n  two: string;\n}\n"}))

    assert "Options" in {one.symbol.qualified for one in report.changed}
    assert "Options" not in {one.qualified for one in report.neutral}


def test_only_files_that_hold_the_name_mention_it() -> None:
    files = {
        "billing.py": "def invoice_total():\n    return 1\n",
        "notes.txt": "see invoice_total\n",
        **{f"other{at}.py": f"def total{at}():\n    return {at}\n" for at in range(9)},
    }
    change = a_change(files, {"billing.py": "def invoice_total():\n    return 2\n"})
    hits = tuple(Hit(path, 1, 1, 0, 0, 1.0, "is near in meaning (0.30)") for path in sorted(files) if path != "billing.py")
    report = analyse(change, Looking(ask=lambda query: Answer(query, 1.0, "given", "weighted_rrf", "thorough", ("semantic",), hits)))

    assert report.mentions[0].path == "notes.txt"
    assert len(report.mentions) == 4


def test_a_method_with_a_common_name_may_have_callers_that_are_not_counted() -> None:
    files = {"a.py": "class Events:\n    def flush(self):\n        return 1\n\n\ndef close(events):\n    events.flush()\n"}
    report = analyse(a_change(files, {"a.py": files["a.py"].replace("return 1", "return 2")}))

    assert "calls of `flush` on objects of unknown type are not counted: many types have a method of that name" in report.notes


@pytest.mark.parametrize("make", [shop_report, quiet_report, large_report, lambda: hostile_report("@everyone\n\u202e</script>")])
def test_the_json_is_what_its_schema_says_and_nothing_more(make: Callable[[], ImpactReport]) -> None:
    made = json.loads(json.dumps(as_json(make())))

    assert [str(error) for error in jsonschema_rs.validator_for(schema(strict=True)).iter_errors(made)] == []
    assert jsonschema_rs.validator_for(schema()).is_valid({**made, "more": 1})


def test_the_schema_refuses_what_is_no_report() -> None:
    validator = jsonschema_rs.validator_for(schema())
    made = as_json(shop_report())

    assert not validator.is_valid({})
    assert not validator.is_valid({**made, "schema": "maguyva.impact/2"})
    assert not validator.is_valid({**made, "breaks": [{**made["breaks"][0], "severity": "doomed"}]})
    assert not validator.is_valid({**made, "reached": [{**made["reached"][0], "hops": None}]})


@pytest.mark.parametrize(
    ("before", "after", "quiet"),
    [
        ("black==22.1\nhttpx==1.0\n", "black==23.1\nhttpx==1.0\n", "Only the settings of tools changed."),
        ("mypy\nruff>=0.1 ; python_version > '3'\n", "mypy==1\nruff>=0.2\n", "Only the settings of tools changed."),
        ("httpx==1.0\n", "httpx==2.0\n", ""),
        ("black==22.1\nhttpx==1.0\n", "black==23.1\nhttpx==2.0\n", ""),
        ("black-magic==1\n", "black-magic==2\n", ""),
    ],
)
def test_a_newer_formatter_is_not_worth_a_comment(before: str, after: str, quiet: str) -> None:
    assert analyse(a_change({"requirements.txt": before, "a.py": "X = 1\n"}, {"requirements.txt": after})).quiet == quiet


def test_an_import_that_was_in_vain_at_the_base_too_is_not_lost_here() -> None:
    files = {
        "a.py": "class Debugger:\n    pass\n",
        "b.py": "from a import Missing\nX = 1\n",
        "c.py": "def f():\n    return 1\n",
    }
    report = analyse(a_change(files, {"c.py": "def f():\n    # one\n    return 1\n"}))

    assert report.quiet == "Only comments changed."


def test_a_constructor_that_moves_with_its_file_is_not_gone() -> None:
    files = {
        "old/errors.py": "class NotFound(LookupError):\n    def __init__(self, name, message=None):\n        self.name = name\n\n\n"
        "class AllGone(NotFound):\n    def __init__(self, names):\n        super().__init__(names[0], 'gone')\n",
        "use.py": "from old.errors import NotFound\n\n\ndef f():\n    raise NotFound('a', 'b')\n",
    }
    moved = {"use.py": files["use.py"].replace("old.", "new.")}
    report = analyse(a_change(files, moved, {"old/errors.py": "new/errors.py"}))

    assert (report.breaks, report.quiet) == ((), "Only new places and names, which every use we know of follows.")
