"""How the embedded model is made: what is taken out of packages, what is learned from it, and that the same comes out twice."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from quality.model import mining, packages, training, weights
from quality.model.mining import Function, first_sentence, functions_of, pairs_of

from index.embedding.static import WEIGHTS, ChunkText, StaticModel

SOURCES = {
    "shop/tax.py": (
        'class Tax:\n    def rate(self, country):\n        """Look up the rate of a country, in percent.\n\n        More words."""\n'
        "        return self.rates[country]\n"
    ),
    "lib/cart.js": (
        "/**\n * Adds up the prices of all items.\n * @param {Item[]} items\n */\n"
        "export const total = (items) => {\n  return sum(items);\n};\n"
    ),
    "src/mail.ts": (
        "class Mail {\n  /** Sends a letter to a customer by post. */\n"
        "  async send(letter: Letter): Promise<void> {\n    post(letter);\n  }\n}\n"
    ),
    "server.go": (
        "package shop\n\n// ServeHTTP answers requests for the pages of the shop.\n// More words.\n"
        "func (s *Server) ServeHTTP(w Writer) {\n\tw.Write(s.page)\n}\n"
    ),
    "src/Stock.java": (
        "class Stock {\n  /**\n   * Returns how many pieces of an item are left.\n   * @return a number\n   */\n  @Override\n"
        "  int left(Item item) {\n    return pieces.get(item);\n  }\n}\n"
    ),
    "src/lib.rs": (
        "impl Order {\n    /// Cancels the order and gives the money back.\n    #[inline]\n"
        "    pub fn cancel(&mut self) {\n        self.paid = 0;\n    }\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("path", "owner", "name", "query"),
    [
        ("shop/tax.py", "Tax", "rate", "Look up the rate of a country, in percent"),
        ("lib/cart.js", "", "total", "Adds up the prices of all items"),
        ("src/mail.ts", "Mail", "send", "Sends a letter to a customer by post"),
        ("server.go", "Server", "ServeHTTP", "answers requests for the pages of the shop"),
        ("src/Stock.java", "Stock", "left", "Returns how many pieces of an item are left"),
        ("src/lib.rs", "Order", "cancel", "Cancels the order and gives the money back"),
    ],
)
def test_a_function_and_the_first_sentence_of_its_comment(path: str, owner: str, name: str, query: str) -> None:
    (found,) = functions_of(path, SOURCES[path].encode())

    assert (found.owner, found.name, found.query) == (owner, name, query)
    assert query.split()[-2].encode() not in found.code  # the comment is not in it


@pytest.mark.parametrize(
    ("comment", "sentence"),
    [
        ("Return the :class:`~shop.cart.Cart` of a user. It is empty at first.", "Return the shop.cart.Cart of a user"),
        ("Returns {@link Cart the cart} of `user`.", "Returns Cart the cart of user"),
        ("/**\n * See the <b>first</b> page\n * of the shop.\n *\n * @deprecated\n */", "See the first page of the shop"),
    ],
)
def test_marks_are_taken_out_of_sentences(comment: str, sentence: str) -> None:
    assert first_sentence(comment, "") == sentence


@pytest.mark.parametrize(
    "sentence",
    ["Too short", "TODO find out what this does here", "calls foo() and then bar() for it", "deprecated since the last version"],
)
def test_a_sentence_that_says_nothing_is_no_question(sentence: str) -> None:
    assert not mining.says_something(sentence)


def an_archive(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_tests_copies_and_bundles_of_a_package_are_left_out(tmp_path: Path) -> None:
    code = SOURCES["lib/cart.js"]
    left_out = ["tests/cart.js", "node_modules/x/cart.js", "vendor/cart.js", "dist/cart.min.js", "lib/cart.test.js"]

    found = pairs_of(an_archive(tmp_path, {"lib/cart.js": code, **dict.fromkeys(left_out, code)}))

    assert [pair.path for pair in found] == ["package/lib/cart.js"]


def test_of_several_builds_of_one_function_one_is_taken(tmp_path: Path) -> None:
    code = SOURCES["lib/cart.js"]

    found = pairs_of(an_archive(tmp_path, {"esm/cart.js": code, "cjs/cart.js": code + "// another\n", "src/cart.ts": code}))

    assert [(pair.path, pair.language) for pair in found] == [("package/src/cart.ts", "typescript")]


# ---- learning

WORDS = "apple bread cheese dough eagle flour grape honey island juice kettle lemon mango nutmeg olive pepper quince raisin salt".split()


def a_package(number: int, pairs: int = 80) -> list[Function]:
    """Questions and functions that never share a word: what is asked for as `find apple` is written as `x_apple`."""
    draw = np.random.default_rng(number)
    made = []
    for _ in range(pairs):
        chosen = draw.choice(len(WORDS), 3, replace=False)
        question = " ".join(["find", *(WORDS[at] for at in chosen)])
        code = "def go(self):\n    return " + " + ".join(f"q{WORDS[at][::-1]}z" for at in chosen)
        made.append(Function("python", f"p{number}/go.py", "", "go", code.encode(), question))
    return made


SMALL = training.Settings(stems=100, rarest=2, epochs=12, batch=40, smallest_batch=10, rate=0.02, warm_up=5)


def learned(packages_: list[list[Function]]) -> tuple[training.Examples, training.Weights, list[float]]:
    data = training.examples(packages_, SMALL)
    losses: list[float] = []
    found = training.train(data, training.first_weights(data, SMALL), SMALL, [len(packages_) - 1], lambda _, loss, __: losses.append(loss))
    return data, found, losses


def test_what_is_learned_holds_for_a_package_that_was_held_back() -> None:
    data, found, losses = learned([a_package(number) for number in range(5)])
    rows = np.flatnonzero(data.package == 4)

    def rank(now: training.Weights) -> float:
        queries = training.embedded(data.queries, rows, now, query=True)
        return training.mean_reciprocal_rank(queries @ training.embedded(data.chunks, rows, now, query=False).T)

    assert losses[-1] < losses[0] / 2
    assert rank(training.first_weights(data, SMALL)) < 0.3
    assert rank(found) > 0.7


def test_the_same_pairs_give_the_same_bytes_and_the_model_reads_them() -> None:
    made = []
    for _ in range(2):
        data, found, _ = learned([a_package(number) for number in range(3)])
        made.append(weights.packed(weights.rounded(found, data)))
    model = StaticModel(made[0])

    assert made[0] == made[1]
    bits = model.embed_chunks([ChunkText(b"return qelppaz + qdaerbz"), ChunkText(b"return qtlasz")])
    away = np.bitwise_count(bits ^ model.embed_query("find apple and bread")).sum(axis=1)
    assert away[0] < away[1]


def test_the_gradient_is_that_of_the_loss() -> None:
    """One step's gradients beside what a small change of each number does to the loss."""
    settings = replace(SMALL, without_name=0.0, without_word=0.0, temperature=0.5)
    data = training.examples([a_package(1, 30)], settings)
    start = training.first_weights(data, settings)
    batch = np.arange(30)
    seen: dict[str, np.ndarray] = {}

    class Watching(training._Moments):
        def step(self, values, rows, gradient, rate, time):  # type: ignore[no-untyped-def]
            full = np.zeros(self.mean.shape)
            full[rows] = gradient
            seen[self.name] = full

    def loss(now: training.Weights, watch: bool = False) -> float:
        kind = Watching if watch else training._Moments
        moments = {}
        for name in ("vectors", "query", "document", "fields"):
            moments[name] = kind.of(getattr(now, name))
            moments[name].name = name
        return training._step(data, batch, now, moments, settings, np.random.default_rng(0), 0.0, 1)

    loss(start, watch=True)
    for name, at in (("vectors", (3, 7)), ("query", 2), ("document", 4), ("fields", 0), ("fields", 3)):
        moved = []
        for by in (0.05, -0.05):
            values = getattr(start, name).copy()
            values[at] += by
            moved.append(loss(replace(start, **{name: values})))
        assert (moved[0] - moved[1]) / 0.1 == pytest.approx(float(seen[name][at]), rel=0.05, abs=2e-4), (name, at)


# ---- packages


def test_every_package_is_pinned_and_permissive() -> None:
    table = packages.read_table()

    assert len(table) > 400
    assert len({package.file for package in table}) == len(table)
    assert [package.name for package in table if not packages.is_permissive(package.licence)] == []
    assert all(len(package.sha256) == 64 and package.version for package in table)


def test_nothing_is_learned_from_what_is_asked_about() -> None:
    asked_about = set("requests click httpx django express zod lodash typeorm flask pytest sphinx pylint scrapy vite hono".split())
    ours = {package.name.lower() for package in packages.read_table()}

    assert not ours & (asked_about | {"typer"})  # which has a copy of click inside
    assert not any(name in package for package in ours for name in ("cobra", "gin-gonic", "caddy", "mockito"))


def test_a_package_that_is_not_what_it_was_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = packages.Package("npm", "cart", "1.0.0", "MIT", "cart-1.0.0.tgz", "0" * 64)
    (tmp_path / package.file).write_bytes(b"something else")
    monkeypatch.setattr(packages, "_run", lambda *command: True)

    with pytest.raises(packages.NotFetched, match=r"cart 1\.0\.0"):
        packages.fetched([package], tmp_path)


@pytest.mark.parametrize(
    ("licence", "permissive"), [("MIT", True), ("MIT OR Apache-2.0", True), ("MIT AND GPL-3.0", False), ("LGPL-2.1", False)]
)
def test_a_licence_is_permissive_where_all_of_it_is(licence: str, permissive: bool) -> None:
    assert packages.is_permissive(licence) is permissive


def test_the_committed_weights_are_written_as_the_script_writes_them() -> None:
    """Whole numbers only, no times, no compression: what `weights.packed` makes of the columns is the file."""
    with np.load(WEIGHTS) as file:
        columns = {name: file[name] for name in file}

    assert weights.packed(columns) == WEIGHTS.read_bytes()
