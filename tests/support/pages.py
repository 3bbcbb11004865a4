"""Tables of the code, cases of the corpus and scores of the bench -> the pages of docs/ that show them, and the README's example.

`python -m support.pages` writes them; `tests/test_docs.py` fails where one differs from what this module makes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import yaml

from bot.__main__ import COMMANDS, DESCRIPTION, EXIT_CODES, parser
from bot.commands import ALL_ROWS, NAME
from bot.events import EVENTS
from bot.settings import FIELDS, PREFIX
from bot.setup import PERMISSIONS
from index.config import SETTINGS, schema
from index.embedding import static
from index.fusion.factors import BOOST_PER_LOG, DEMOTIONS, LARGEST_BOOST, REPORTED
from index.fusion.profiles import (
    INTENTS,
    ORDINARY,
    PRESETS,
    REPORT_K,
    REPORT_LISTS,
    STRATEGIES,
    VOTES_FROM,
    WEIGHTS,
    retrievers_for,
)
from index.fusion.with_history import ORDINARY as WITH_HISTORY
from index.impact.as_json import REPORT, Many, Maybe, Plain, Record, Type
from index.impact.as_json import schema as schema_of_report
from index.impact.rank import CHANGE, PLACE_WEIGHTS, SURE, SYMBOL_WEIGHTS, USE
from index.impact.reach import MAX_STEPS, TRAVELS
from index.impact.related_files import WEIGHTS as FILE_WEIGHTS
from index.impact.which_tests import FAR, LESS_SURE
from index.impact.which_tests import WEIGHTS as TEST_WEIGHTS
from index.intent.rules import REPORT_FROM, RULES
from index.languages import LANGUAGES
from index.past import FLOOR, HALF, MOST_CHANGES, MOST_COMMITS, NO_CODE, TOP
from index.past import K1 as PAST_K1
from index.past import KINDS as PAST_KINDS
from index.past import MOST_FILES as PAST_MOST_FILES
from index.past import B as PAST_B
from index.trigrams.ranking import AS_WRITTEN, B_OF_FILE, IN_PATH, K1, KINDS, NAMED, OF_FILE, WISH, B
from index.types import EDGE_LABELS, PathKind
from support.accuracy import accuracy_blocks
from support.operating import operating_blocks
from support.repositories import Files, a_repository
from support.tables import table

ROOT = Path(__file__).parents[2]
GENERATED = "<!-- `make docs` writes this page: change what it is made from. -->\n"
EXAMPLE = re.compile(r"(?<=<!-- example: `make docs` writes it -->\n).*?(?=<!-- end of the example -->)", re.S)
TABLES = re.compile(r"(?<=<!-- tables: `make docs` writes them -->\n).*?(?=<!-- end of the tables -->)", re.S)
GAP = "**Known gap:**"

# The repository of the README's example, and what its branch changes.
SHOP: Files = {
    "billing/__init__.py": "",
    "billing/price.py": (
        "RATE = 0.2\n\n\ndef price(item, tax=RATE):\n    return item.cost * (1 + tax)\n\n\ndef label(item):\n    return item.name.title()\n"
    ),
    "shop/checkout.py": (
        "from billing.price import price\n\n\nclass Checkout:\n    def __init__(self, items):\n        self.items = items\n\n"
        "    def total(self):\n        return sum(price(item) for item in self.items)\n\n"
        "    def pay(self, card):\n        return card.charge(self.total())\n"
    ),
    "shop/invoice.py": (
        "from billing import price as prices\n\n\n"
        "def lines(order, *rest):\n    return [prices.price(item, *rest) for item in order.items]\n"
    ),
    "tests/test_checkout.py": (
        "from shop.checkout import Checkout\n\n\ndef test_an_empty_cart_costs_nothing():\n    assert Checkout([]).total() == 0\n"
    ),
}
CHANGE_OF_PRICE: Files = {
    "billing/price.py": (
        "RATE = 0.2\n\n\ndef price(item, currency, tax=RATE):\n    return currency.round(item.cost * (1 + tax))\n\n\n"
        "def label(item):\n    return item.name.title()\n"
    ),
}


def page(title: str, *blocks: str) -> str:
    return f"# {title}\n\n{GENERATED}\n" + "\n".join(block.rstrip("\n") + "\n" for block in blocks)


# ---- operating


def operating_page() -> str:
    return page("Running the App", *operating_blocks())


# ---- commands


def commands_page() -> str:
    found = parser()
    blocks = [
        f"{DESCRIPTION}\n",
        table(["command", "what it does"], [(f"[`{one.name}`](#{one.name})", one.summary) for one in COMMANDS]),
    ]
    subparsers = next(action for action in found._actions if action.nargs == "A...")
    for command in COMMANDS:
        one = subparsers.choices[command.name]
        rows = []
        for action in one._actions:
            name = ", ".join(f"`{option}`" for option in action.option_strings) or f"`{action.metavar or action.dest}`"
            value = (
                action.metavar if action.option_strings and isinstance(action.metavar, str) else "|".join(map(str, action.choices or ()))
            )
            rows.append((f"{name} `{value}`" if value and action.option_strings else name, action.help or ""))
        blocks += [f"## {command.name}\n\n{command.summary[0].upper()}{command.summary[1:]}.\n", table(["word", "meaning"], rows)]
        blocks += ["```sh\n" + "".join(f"{line}  # {meaning}\n" for line, meaning in command.examples) + "```\n"]
    blocks += ["## Exit codes\n", table(["exit code", "meaning"], EXIT_CODES)]
    return page("Commands", *blocks)


# ---- languages


def documents() -> list[Path]:
    """Of languages: what happens to changes and pull requests is told elsewhere."""
    return sorted(path for path in (ROOT / "tests" / "corpus").glob("*/*.md") if path.parent.name not in ("impact", "pull_requests"))


def known_gaps(path: Path) -> list[tuple[str, str]]:
    """A document of the corpus -> heading and first sentences of each case that says what we get wrong."""
    gaps = []
    for heading, body in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", path.read_text("utf-8"), re.M | re.S):
        said = body.lstrip()
        if said.startswith(GAP):
            gaps.append((heading, " ".join(said.removeprefix(GAP).split("\n\n", 1)[0].split())))
    return gaps


def languages_page() -> str:
    blocks = [
        "Every language is read by its grammar, folded to one small set of node kinds, and resolved by the same evaluator.\n"
        "Files of other languages are searched as text: they can be mentioned, and never count as callers.\n",
        table(["language", "files"], [(one.name, " ".join(f"`{extension}`" for extension in one.extensions)) for one in LANGUAGES]),
        "## What is promised\n\n"
        "The corpus is the promise: small programs in Markdown, each line marked with what it uses.\n"
        "Every mark must be found, and nothing unmarked may be found.\n",
        table(
            ["document", "known gaps"],
            [
                (
                    f"[{path.parent.name}: {path.stem}](../tests/corpus/{path.parent.name}/{path.name})",
                    len(known_gaps(path)),
                )
                for path in documents()
            ],
        ),
        "## Known gaps\n\nWhat we know to be wrong, and what we answer instead.\n",
    ]
    gaps = [f"- **{path.parent.name}, {heading}**: {said}\n" for path in documents() for heading, said in known_gaps(path)]
    blocks += ["".join(gaps) or "No case of the corpus is marked as one at present.\n"]
    return page("Languages", *blocks)


# ---- ranking


def ranking_page() -> str:
    kinds = [kind.name.lower() for kind in PathKind]
    blocks = [
        "Every number that decides an order, as the code has it.\nEvery ranked list ends with a fixed tie-break: path, then line.\n",
        "## What a change reaches\n\n"
        f"A change travels against the edges, from what is used to who uses it, at most {MAX_STEPS} steps.\n"
        "Not every use passes a change on.\n",
        table(
            ["use", "reaches the user", "and the user's users"],
            [(EDGE_LABELS[kind], *("yes" if goes else "no" for goes in TRAVELS[kind])) for kind in TRAVELS],
        ),
        "## Reached places\n\nA score is a sum of parts, weight times a measure between 0 and 1.\n"
        "It orders the rows of one report and is no probability.\n",
        table(["part", "weight"], PLACE_WEIGHTS.items()),
        "`sure` by the tier of the weakest hop:\n",
        table(["tier", "measure"], [(tier.label, value) for tier, value in SURE.items()]),
        "`use` by what is done with the thing that changed:\n",
        table(["use", "measure"], [(EDGE_LABELS[kind], value) for kind, value in USE.items()]),
        "## Changed symbols\n",
        table(["part", "weight"], SYMBOL_WEIGHTS.items()),
        "`change` by the kind of change:\n",
        table(["change", "measure"], [(str(kind.value), value) for kind, value in CHANGE.items()]),
        "## Tests to run first\n\nA sum of parts, weight times a measure between 0 and 1.\n",
        table(["part", "weight"], TEST_WEIGHTS.items()),
        f"`graph` is `1 / ({FAR:g} + steps + {LESS_SURE:g} tier)` for a test that the graph reaches.\n"
        "`words`, `name` and `callers` are BM25 of the test's own text, relative to the best test: "
        "with the names and the text of what changed, with the names alone, and with the names of the code that reaches it in two steps.\n",
        "## Other files\n\nWeighted reciprocal rank over several points of view.\n",
        table(["point of view", "weight"], FILE_WEIGHTS),
        "## Questions\n\nA question is asked of up to four retrievers, and their lists are fused by weighted reciprocal rank.\n",
        table(["intent", *next(iter(WEIGHTS.values()))], [(intent, *WEIGHTS[intent].values()) for intent in INTENTS]),
        table(
            ["preset", "retrievers", "k"],
            [(one.name, one.retrievers, one.k) for one in PRESETS.values()],
        ),
        f"Strategies: {', '.join(STRATEGIES)}.\n"
        f"A question that is understood with a confidence of at least {ORDINARY.confidence}, has at most {ORDINARY.words} words and one "
        f"clear subject is answered by one retriever alone, for `find_definition` {retrievers_for('find_definition', 'default')[0]}.\n",
        f"Beside other retrievers the semantic one has a vote for what is at least {VOTES_FROM} similar, unless nobody else finds "
        "anything.\n",
        "The text retriever ranks words by BM25 over parts of words, of the chunk and of its file, and looks for the words as they are "
        "written.\n",
        table(
            ["part", "value"],
            [
                ("k1", K1),
                ("b of a chunk, of a file", f"{B}, {B_OF_FILE}"),
                ("a name that is defined, counted as so many mentions more", NAMED),
                ("a word of the path, likewise", IN_PATH),
                ("the file's own BM25, beside the chunk's", OF_FILE),
                ("a word as it is written, beside the file's BM25", AS_WRITTEN),
                ("a word of a wish, such as fix or support", WISH),
                *((f"in {kind.label} files", factor) for kind, factor in KINDS.items()),
            ],
        ),
        f"A result's score is multiplied by `min(1 + {BOOST_PER_LOG} ln(1 + centrality), {LARGEST_BOOST})` and by what its path is:\n",
        table(["path", "factor"], [(kind, DEMOTIONS.get(PathKind[kind.upper()], 1.0)) for kind in kinds]),
        "### With history\n\n"
        f"A question of at least {WITH_HISTORY.least_words} words that is fused for "
        f"{' or '.join(f'`{intent}`' for intent in sorted(WITH_HISTORY.intents))} is asked of the history too: "
        f"its words are looked for in the messages of the last {MOST_COMMITS:,} commits before the one asked "
        "about, and what these changed is put together with what the code says, file by file, by place:\n",
        table(["list", "weight", "k"], [("code", WITH_HISTORY.code, WITH_HISTORY.k), ("history", WITH_HISTORY.history, WITH_HISTORY.k)]),
        table(
            ["part of the history's own order", "value"],
            [
                ("k1, b of a message, the subject read twice", f"{PAST_K1}, {PAST_B}"),
                ("a word of a wish, such as fix or support", WISH),
                ("a commit of long ago counts for at least", FLOOR),
                ("the rest of it is halved with every so many commits", HALF),
                ("commits that are most like the question", TOP),
                ("files that one of these may have changed", PAST_MOST_FILES),
                *((f"{kind.label} files", factor) for kind, factor in PAST_KINDS.items()),
                ("files of no language that we read, at most", NO_CODE),
            ],
        ),
        "The square of what a commit scores is divided by the root of how many files it changed, and given to each of them.\n"
        "Files that were moved without a change keep their history; a shallow clone has as much as it holds, for the App 300 commits.\n"
        f"Where these commits changed more than {MOST_CHANGES:,} paths in all, only the newest of them are read.\n",
        "## Reports of problems\n\n"
        f"An issue that is pasted whole, a title with at least {REPORT_FROM} characters of prose below it, is asked in several ways, "
        f"and the lists are fused file by file with k = {REPORT_K}:\n",
        table(["list", "retriever", "reads", "weight"], [(one.name, one.retriever, one.reads, one.weight) for one in REPORT_LISTS]),
        "What is to be changed is the source, though tests and docs speak of it in the same words, so paths count differently here; "
        "centrality does not count, because a result is a whole file:\n",
        table(["path", "factor"], [(kind, REPORTED.kinds.get(PathKind[kind.upper()], 1.0)) for kind in kinds]),
        f"A file of no language that we read, such as settings or translations, has at most {REPORTED.no_code}.\n"
        "Nothing is left out: where only a test fits, it is the answer.\n",
        "## How a question is understood\n\nThe first row that matches wins.\n",
        table(
            ["shape", "intent", "sure", "a question that only this row answers"],
            [(r.name, r.intent, r.confidence, " ⏎ ".join(r.example.split("\n"))) for r in RULES],
        ),
    ]
    return page("Ranking", *blocks)


# ---- settings

CONFIGURATION = """\
A repository says how it wants to be judged in `.maguyva.yml` at its top.
There need not be one: every key has a default, and an empty file means the defaults.

The file is read at the base commit, so that a pull request can't change how it is judged; what it changes there holds once it is merged.
`maguyva impact --config FILE` tries out other settings.

Whatever can't be understood keeps its default, and is named with its line in the comment, the check and the terminal.
The file may have 64 kB; anchors, aliases and tags are not read.

Editors complete and check it by its JSON Schema, [maguyva.schema.json](maguyva.schema.json).
"""
CONFIGURATION_EXAMPLE = """\
# .maguyva.yml
paths:
  exclude: ["migrations/**"]    # not reported on
  generated: ["*_client.ts"]    # ranked last
  tests: ["checks/**"]          # tests that no rule recognises by name
sections:
  graph: false
comment:
  when: at_risk                 # no comment where things are merely reached
silence:
  symbols: ["*.__repr__"]       # a change of these alone is no reason for a comment
check:
  fail_on: breaks               # what is proved to break, and nobody has acknowledged, fails the check
"""
CONFIGURATION_MORE = """\
## Patterns

Patterns of paths are written as in `.gitignore`: `*.js` at any depth, `/build` at the top only, `docs/` with all that is below it,
`src/**/gen` with any folders between.
`!` and `[a-z]` are not supported.
Where a file matches several kinds, `source` wins, then `tests`.
In names, `*` stands for anything.

## Voyage

`embedding: voyage` sends code to Voyage where a service has a key that is meant for it.
On a machine of one's own it sends nothing: `maguyva update` then says that the settings ask for it.
`maguyva update --embed voyage` tells the cost first, and sends the code once somebody agreed.
What a pull request adds is never sent.

## Left out, or silent

What `paths` leaves out is still walked through: a use in a file that is left out is not told, and what it leads to is.
The note at the end of a report says how many changed files were left out.

`comment` and `silence` decide whether a comment is written, and change nothing about the report.
The terminal shows it all the same, and says why a comment would not be written.
A use that is proved to break is never silenced.
"""


def configuration_page() -> str:
    rows = [
        (f"`{one.key}`", one.value.says.replace(", such as", "<br>such as"), f"`{json.dumps(one.default)}`", one.meaning)
        for one in SETTINGS
    ]
    blocks = [
        CONFIGURATION,
        f"```yaml\n{CONFIGURATION_EXAMPLE}```\n",
        "## Keys\n",
        table(["key", "what it may be", "default", "meaning"], rows),
    ]
    return page("Configuration", *blocks, CONFIGURATION_MORE)


def configuration_schema() -> str:
    return json.dumps(schema(), indent=2) + "\n"


# ---- the GitHub App

GITHUB = """\
What the App asks of GitHub, what it hears from it, and what it writes there.
[deploy/README.md](../deploy/README.md) says how to run it.

## Permissions, and why

It asks for these when it is installed, and for no others.
Every call is made with a token for the one repository it is about, with no more of these permissions than the call needs, good for an hour.
"""

PERMISSION_REASONS = {
    "metadata": "which repositories there are, and what somebody who asks may do there",
    "contents": "to fetch the two commits that are compared; nothing is ever written into a repository",
    "pull_requests": "to read a pull request, to write the one comment, and to answer in its conversation and its review threads",
    "checks": "to show a check with the lines that break; without it there is the comment alone",
    "issues": "GitHub tells of comments below pull requests only to Apps that may read issues; issues themselves are not looked at",
}

GITHUB_EVENTS = """\
## What it hears

GitHub signs every delivery; what is not signed with the webhook's secret is refused before it is read.
Deliveries about the installation and about checks come unasked; the others are those the App subscribes to.
Events and actions that are not listed, or that GitHub adds tomorrow, are answered and ignored.
Comments of programs are never answered, its own least of all.
"""

GITHUB_COMMANDS = """\
## What you can ask

Begin a line of a comment on a pull request with `/maguyva`, in the conversation or in a review thread; the answer comes there.
A line in a quote, in a list, in code or in an HTML comment is no command.
At most five are answered per comment; after an edit, only those that are new.
In a private repository whoever can read it may ask, in a public one whoever can write to it.
"""

GITHUB_WRITES = """\
## What it writes

One comment per pull request, rewritten at every push, and left alone where its text would be the same.
Where somebody deleted it, it comes back with the next push.
It is found again by its first line, and only among comments that the App itself has written: a copy of that line in somebody else's comment
is theirs.
A write whose answer was lost is looked for before it is tried again, so nothing comes twice.
Writes of one installation come one at a time, a second apart, and stay below GitHub's limits; where GitHub says when to come back,
nothing is asked before.

## What it fetches

The two commits of a pull request and some history of the first, without files over 1 MiB, into a bare repository that is named by
GitHub's number.
Nothing in it is checked out or run; the token reaches git through its environment alone.
Addresses in deliveries are never called: every address is made from the one of your GitHub.

## Settings

Environment variables of the service.
Those marked with a star can also be given as a file: `MAGUYVA_PRIVATE_KEY_FILE` names the file that holds the key.
`deploy/env.example` lists them all.
"""


def github_page() -> str:
    heard = [(f"`{row.event}`", ", ".join(f"`{action}`" for action in row.actions) or "all") for row in EVENTS if row.read is not None]
    asked = [(f"`{NAME} {row.shown}`", row.about, ", ".join(f"`{word}`" for word in row.words[1:])) for row in ALL_ROWS]
    stars = {True: " \\*", False: ""}
    settings = [(f"`{PREFIX}{one.name}`{stars[one.secret]}", one.shown, one.about) for one in FIELDS]
    return page(
        "The GitHub App",
        GITHUB,
        table(["permission", "level", "why"], [(f"`{one}`", PERMISSIONS[one], why) for one, why in PERMISSION_REASONS.items()]),
        GITHUB_EVENTS,
        table(["event", "actions"], heard),
        GITHUB_COMMANDS,
        table(["command", "what comes back", "also"], asked),
        GITHUB_WRITES,
        table(["setting", "default", "meaning"], settings),
    )


def env_example() -> str:
    """Every setting of the service, each in a comment to be uncommented."""
    lines = ["# Settings of `maguyva serve`. `make docs` writes this file from bot/settings.py.", ""]
    for one in FIELDS:
        also = f" Or {PREFIX}{one.name}_FILE with the path of a file that holds it." if one.secret else ""
        lines += [f"# {one.about}{also} Default: {one.shown}.", f"#{PREFIX}{one.name}={one.example}", ""]
    return "\n".join(lines)


# ---- the report as JSON


def records(kind: Type, found: dict[str, Record]) -> dict[str, Record]:
    """A type of the report -> every record in it, the outer ones first."""
    if isinstance(kind, Record):
        if kind.name not in found:
            found[kind.name] = kind
            for key in kind.keys:
                records(key.type, found)
    elif not isinstance(kind, Plain):
        records(kind.of, found)
    return found


def said_type(kind: Type) -> str:
    if isinstance(kind, Record):
        return f"[{kind.name}](#{kind.name})"
    if isinstance(kind, Many):
        return f"list of {said_type(kind.of)}"
    if isinstance(kind, Maybe):
        return f"{said_type(kind.of)} or null"
    if "enum" in kind.schema:
        return ", ".join(f"`{word}`" for word in kind.schema["enum"])
    if "const" in kind.schema:
        return f"`{kind.schema['const']}`"
    return {"object": "numbers by name"}.get(kind.schema["type"], kind.schema["type"])


def json_page() -> str:
    blocks = []
    for name, record in records(REPORT, {}).items():
        rows = [(f"`{key.name}`", said_type(key.type), key.meaning) for key in record.keys]
        blocks.append(f"## {name}\n\n" + table(["key", "what it is", "what it says"], rows))
    return TABLES.sub(lambda _: "\n" + "\n".join(blocks) + "\n", (ROOT / "docs" / "json.md").read_text("utf-8"))


def json_schema() -> str:
    return json.dumps(schema_of_report(), indent=2) + "\n"


# ---- accuracy


def accuracy_page() -> str:
    return page("Accuracy", *accuracy_blocks(ROOT / "tests" / "quality"))


# ---- the embedded model


REGISTRIES = {
    "pypi": ("PyPI", "Python"),
    "npm": ("npm", "JavaScript and TypeScript"),
    "debian": ("Debian, packages of sources", "Go and Rust"),
    "debian-source": ("Debian, source packages", "Java"),
}
MADE_FROM = re.compile(r"(?<=<!-- packages: `make docs` writes them -->\n).*?(?=<!-- end of the packages -->)", re.S)


def model_page() -> str:
    """The page as it is, with the packages that the table has now, and the file that they made."""
    packages = [line.split("\t") for line in (ROOT / "tests" / "quality" / "model" / "packages.tsv").read_text("utf-8").splitlines()[1:]]
    registries, licences = Counter(row[0] for row in packages), Counter(row[3] for row in packages)
    made = (
        f"The weights have {static.WEIGHTS.stat().st_size / 1e6:.1f} MB and the sha256 `{static.WEIGHTS_SHA256}`.\n"
        f"They come from {len(packages)} packages.\n\n"
        + table(["registry", "packages", "mostly"], [(REGISTRIES[name][0], many, REGISTRIES[name][1]) for name, many in registries.items()])
        + "\n"
        + table(["licence", "packages"], sorted(licences.items(), key=lambda pair: (-pair[1], pair[0])))
    )
    return MADE_FROM.sub(lambda _: made, (ROOT / "docs" / "model.md").read_text("utf-8"))


# ---- README


def example() -> str:
    """What `maguyva impact` says of a branch of a tiny repository."""
    with tempfile.TemporaryDirectory() as folder:
        shop = a_repository(Path(folder) / "shop")
        shop.commit(SHOP)
        shop.branch("feature")
        shop.commit(CHANGE_OF_PRICE, "Prices have a currency")
        words = ["impact", "main...feature", "--repo", str(shop.path), "--index", str(Path(folder) / "index"), "--no-color", "--quiet"]
        done = subprocess.run([sys.executable, "-m", "bot", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return f"```text\n$ maguyva impact main...feature\n{done.stdout.rstrip()}\n```\n"


def readme() -> str:
    return EXAMPLE.sub(lambda _: example(), (ROOT / "README.md").read_text("utf-8"))


# ---- the Action


def action_page() -> str:
    """docs/action.md with the inputs and outputs of action.yml."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    inputs = table(
        ["input", "meaning", "default"],
        [[f"`{name}`", one["description"], f"`{one['default']}`" if one["default"] else ""] for name, one in action["inputs"].items()],
    )
    outputs = table(["output", "meaning"], [[f"`{name}`", one["description"]] for name, one in action["outputs"].items()])
    text = (ROOT / "docs" / "action.md").read_text("utf-8")
    for name, made in (("inputs", inputs), ("outputs", outputs)):
        begin, end = f"<!-- {name}: `make docs` writes them -->\n", f"<!-- end of the {name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{made.rstrip()}\n{end}{rest.partition(end)[2]}"
    return text


PAGES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "README.md": readme,
        "deploy/env.example": env_example,
        "docs/accuracy.md": accuracy_page,
        "docs/action.md": action_page,
        "docs/commands.md": commands_page,
        "docs/configuration.md": configuration_page,
        "docs/maguyva.schema.json": configuration_schema,
        "docs/github.md": github_page,
        "docs/impact.schema.json": json_schema,
        "docs/json.md": json_page,
        "docs/languages.md": languages_page,
        "docs/model.md": model_page,
        "docs/operating.md": operating_page,
        "docs/ranking.md": ranking_page,
    }
)

if __name__ == "__main__":
    for name, make in PAGES.items():
        (ROOT / name).write_text(make(), "utf-8")
