"""Voyage through its own client, against a server on this machine that behaves like it: batches, waits, failures, cost, and the key."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bot.__main__ import main
from index.embedding.voyage import LEAST_TOKENS, Voyage, VoyageOptions, VoyageRefused, VoyageUnavailable, batches, tokens_in
from index.engine import EMBEDDED, VOYAGE, Engine
from index.vectors.model import model_of
from support.repositories import a_repository
from support.voyage import KEY, Answered, Failure, FakeVoyage, a_voyage, bits_of

FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)\n",
    "shop/mail.py": "def send_receipt(customer, letter):\n    smtp = connect(HOST)\n    smtp.send(customer.address, letter)\n",
    "README.md": "Hello.\n",
}


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[FakeVoyage]:
    with a_voyage() as server:
        yield server


def a_client(server: FakeVoyage, time: Time | None = None, key: str = KEY, **options: object) -> Voyage:
    time = time or Time()
    return Voyage(VoyageOptions(key, server.url, **options), sleep=time.sleep, clock=time.clock)  # type: ignore[arg-type]


def embedded(voyage: Voyage, texts: list[str]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    voyage.embed_documents(texts, lambda rows, bits: found.update(zip(rows, (its.tobytes() for its in bits), strict=True)))
    return found


# ---- what is sent


def test_documents_and_questions_are_asked_for_as_bits(server: FakeVoyage) -> None:
    voyage = a_client(server)

    found = embedded(voyage, ["def total(): ...", "def send(): ..."])
    asked = voyage.read("where is the total made?")

    assert found == {0: bits_of("def total(): ...").tobytes(), 1: bits_of("def send(): ...").tobytes()}
    assert np.array_equal(asked.bits, bits_of("where is the total made?"))
    assert asked.model == voyage.name == "voyage-code-3-1024"
    assert [request["body"]["input_type"] for request in server.requests] == ["document", "query"]
    assert {request["body"]["model"] for request in server.requests} == {"voyage-code-3"}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", None),
        ("https://api.voyageai.com", "https://api.voyageai.com/v1"),
        ("https://api.voyageai.com/", "https://api.voyageai.com/v1"),
        ("https://gateway.example/voyage/v1", "https://gateway.example/voyage/v1"),
    ],
)
def test_the_address_may_be_given_with_or_without_its_version(url: str, expected: str | None) -> None:
    assert VoyageOptions("k", url).base_url == expected


def test_batches_keep_within_both_limits() -> None:
    assert [len(batch) for batch in batches([3] * 2_500)] == [1_000, 1_000, 500]
    assert [len(batch) for batch in batches([30_000] * 25)] == [12, 12, 1]
    assert list(batches([1, 10**9, 1])) == [[0, 1, 2]]  # a text is cut before it is sent
    assert list(batches([])) == []
    assert [tokens_in(length) for length in (0, 1, 3, 4, 10**9)] == [0, 1, 1, 2, 20_000]


def test_a_batch_that_is_too_large_after_all_is_halved(server: FakeVoyage) -> None:
    server.most_tokens = 20
    texts = [f"word{n} " * 5 for n in range(9)]

    found = embedded(a_client(server), texts)

    assert found == {n: bits_of(text).tobytes() for n, text in enumerate(texts)}
    assert server.sent == texts  # in order, each once


def test_one_text_that_is_refused_ends_it(server: FakeVoyage) -> None:
    server.most_tokens = 20

    with pytest.raises(VoyageRefused, match="however small"):
        embedded(a_client(server), ["short", "long " * 100])


# ---- failures


def failed_once(failure: Failure) -> tuple[dict[int, bytes], list[float]]:
    time = Time()
    with a_voyage(failures=[failure]) as server:
        return embedded(a_client(server, time), ["text"]), time.slept


@pytest.mark.parametrize(
    ("failure", "slept"),
    [
        (Failure(429, headers={"Retry-After": "7"}), [7.0]),
        (Failure(429), [1.0]),
        (Failure(429, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), [1.0]),
        (Failure(429, headers={"Retry-After": "-5"}), [1.0]),
        (Failure(429, {"error": "a proxy's own words"}), [1.0]),
        (Failure(500), [1.0]),
        (Failure(502), [1.0]),
        (Failure(503, headers={"retry-after": "3"}), [3.0]),
        (Failure(200, b"<html>"), [1.0]),
        (Failure(200, {"data": []}), [1.0]),
        (Failure(200, {"data": [{"embedding": "AAAA", "index": 0}], "usage": {"total_tokens": 1}}), [1.0]),
        (Failure(200, {"data": [{"embedding": "!!", "index": 0}], "usage": {"total_tokens": 1}}), [1.0]),
        (Failure(200, ["what"]), [1.0]),
    ],
    ids=lambda value: f"{value.status}-{str(value.body)[:20]}-{dict(value.headers)}" if isinstance(value, Failure) else "",
)
def test_what_may_pass_is_asked_again(failure: Failure, slept: list[float]) -> None:
    found, waits = failed_once(failure)

    assert found == {0: bits_of("text").tobytes()}
    assert waits == slept


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Failure(401), "does not accept the key"),
        (Failure(403), "does not let this key"),
        (Failure(404), "no Voyage at the address"),
        (Failure(422), "does not understand"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Failure) else "",
)
def test_what_will_not_pass_is_said_at_once(server: FakeVoyage, failure: Failure, said: str) -> None:
    time = Time()
    server.failures = [failure]

    with pytest.raises(VoyageRefused, match=said):
        embedded(a_client(server, time), ["text"])

    assert len(server.requests) == 1
    assert time.slept == []


def test_a_server_that_never_answers_is_given_up(server: FakeVoyage) -> None:
    time = Time()
    server.failures = [Failure(503)] * 99

    with pytest.raises(VoyageUnavailable, match="not available"):
        embedded(a_client(server, time), ["text"])

    assert time.slept == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert time.now <= 300


def test_a_wait_longer_than_we_have_is_not_begun(server: FakeVoyage) -> None:
    time = Time()
    server.failures = [Failure(429, headers={"Retry-After": "86400"})]

    with pytest.raises(VoyageUnavailable, match="limit for this key"):
        embedded(a_client(server, time), ["text"])

    assert time.slept == []


def test_under_a_rate_limit_the_batches_become_smaller(server: FakeVoyage) -> None:
    texts = [f"word{n} " + "x" * 3_000 for n in range(60)]
    server.failures = [Failure(429)] * 4

    found = embedded(a_client(server), texts)

    assert found == {n: bits_of(text).tobytes() for n, text in enumerate(texts)}
    sizes = [sum(tokens_in(len(text)) for text in request["body"]["input"]) for request in server.requests]
    assert sizes[0] > 2 * LEAST_TOKENS
    assert max(sizes[4:]) <= LEAST_TOKENS


def test_a_limit_that_one_text_alone_is_above_ends_it(server: FakeVoyage) -> None:
    server.failures = [Failure(429)] * 9

    with pytest.raises(VoyageUnavailable, match="limit for this key"):
        embedded(a_client(server), ["x" * 4 * LEAST_TOKENS])
    assert len(server.requests) == 2


def test_a_slow_answer_and_no_server_count_as_not_there(server: FakeVoyage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.embedding.voyage.QUESTION_SECONDS", 0.2)
    monkeypatch.setattr("index.embedding.voyage.QUESTION_PATIENCE", 0.0)
    server.failures = [Failure(200, slow=1.0)]

    with pytest.raises(VoyageUnavailable, match="takes too long"):
        a_client(server).read("where is the total?")
    nowhere = FakeVoyage("http://127.0.0.1:9")
    with pytest.raises(VoyageUnavailable, match="can't be reached"):
        a_client(nowhere).read("where is the total?")


def test_after_a_failure_questions_do_not_wait_for_a_minute(server: FakeVoyage) -> None:
    time = Time()
    voyage = a_client(server, time)
    server.failures = [Failure(503)] * 4

    for _ in range(3):
        with pytest.raises(VoyageUnavailable):
            voyage.read("where is the total?")
    asked_while_down = len(server.requests)
    server.failures = []
    time.now += 61

    assert np.array_equal(voyage.read("total").bits, bits_of("total"))
    assert asked_while_down == 2  # both by the first question


# ---- the engine


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    repository = a_repository(tmp_path / "repo")
    repository.commit(FILES)
    return repository.path


def test_nothing_is_sent_unless_the_repository_chose_it(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        assert engine.embeds_with == EMBEDDED
        assert VOYAGE not in engine.update("HEAD").parts
        engine.search("how is the total made", "HEAD")
        engine.impact("HEAD")

    assert server.requests == []


@pytest.mark.parametrize(("by_settings", "sent"), [(True, True), (False, False)])
def test_settings_of_the_repository_choose_only_where_they_may(
    by_settings: bool, sent: bool, server: FakeVoyage, repository: Path, tmp_path: Path
) -> None:
    (repository / ".maguyva.yml").write_text("embedding: voyage\n")
    with Engine(repository, tmp_path / "home", voyage=a_client(server), by_settings=by_settings) as engine:
        snapshot = engine.update()
        notes = list(engine.notes)

    assert (VOYAGE in snapshot.parts, bool(server.requests)) == (sent, sent)
    assert any("asks for Voyage's vectors" in note for note in notes) is not sent


def test_a_chosen_repository_gets_voyages_vectors_and_answers_with_them(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        snapshot = engine.update("HEAD")
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.update("HEAD")
        answer = engine.search("how does the shop send a letter to a customer", "HEAD")

    assert model_of(snapshot.parts[VOYAGE]) == "voyage-code-3-1024"
    assert len(server.sent) == len(snapshot.parts["chunks"]["file"]) + 1  # each chunk once, and the question
    assert any(text.startswith("shop/cart.py\nCart.total\n    def total(self)") for text in server.sent)
    assert answer.hits[0].path == "shop/mail.py"
    assert answer.notes == ()


def test_the_cost_is_known_before_anything_is_sent(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        before = engine.cost("HEAD")
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
        after = engine.cost("HEAD")
        requests = len(server.requests)

    assert before is not None and before.missing == before.chunks and before.tokens > 0
    assert before.dollars == pytest.approx(before.tokens * 0.18 / 1e6)
    assert "are sent to Voyage" in before.words
    assert after is not None and after.missing == after.tokens == 0
    assert "nothing is sent" in after.words
    assert requests == 1


def test_an_interrupted_run_goes_on_where_it_stopped(
    server: FakeVoyage, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.embedding.voyage.MOST_TEXTS", 1)
    server.failures = [Answered(), Answered(), Failure(401)]
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        first = engine.update("HEAD")
        note = engine.notes[-1]
        answer = engine.search("how is the total made", "HEAD")
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        second = engine.update("HEAD")

    assert VOYAGE not in first.parts
    assert "does not accept the key" in note and "2 of 4 pieces of code have its vectors" in note
    assert answer.hits  # by the embedded model
    assert VOYAGE in second.parts
    assert sorted(server.sent) == sorted(set(server.sent))  # nothing twice
    assert len(server.sent) == 4


def test_a_later_commit_sends_only_what_is_new(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
        before = len(server.sent)
        (repository / "shop" / "mail.py").write_text("def send_receipt(customer):\n    post(customer)\n")
        snapshot = engine.update("")

    assert VOYAGE in snapshot.parts
    assert [text.partition("\n")[0] for text in server.sent[before:]] == ["shop/mail.py"]


def test_when_voyage_is_down_the_embedded_model_answers_and_says_so(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
        server.failures = [Failure(429)] * 99
        answer = engine.search("how does the shop send a letter to a customer", "HEAD")
    with Engine(repository, tmp_path / "home") as engine:  # and without a key
        without = engine.search("how does the shop send a letter to a customer", "HEAD")

    assert answer.notes == ("Voyage's limit for this key is reached: the embedded model looked for the meaning instead.",)
    assert [hit.path for hit in answer.hits] == [hit.path for hit in without.hits]
    assert without.notes == ()


def test_a_pull_requests_report_asks_nobody(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
        before = len(server.requests)
        (repository / "shop" / "cart.py").write_text("class Cart:\n    def total(self, currency):\n        return 0\n")
        engine.impact("HEAD..")

    assert len(server.requests) == before


def test_the_reranker_decides_the_order_where_it_is_wanted(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    question = "how does the shop send a letter to a customer"
    with Engine(repository, tmp_path / "home", voyage=a_client(server, rerank=True)) as engine:
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
        plain = engine.search(question, "HEAD")
        server.failures = [Answered(), *[Failure(500)] * 9]  # the question is read, the reranker fails
        failing = engine.search(question, "HEAD")

    reranks = [request["body"] for request in server.requests if request["path"] == "/v1/rerank"]
    assert reranks[0]["model"] == "rerank-2.5-lite"
    assert reranks[0]["query"] == question
    assert plain.hits[0].path == "shop/mail.py"
    assert "stay in the order of the fusion" in failing.notes[-1]


def test_the_vectors_of_another_model_are_made_anew_and_never_mixed(server: FakeVoyage, repository: Path, tmp_path: Path) -> None:
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        engine.update("HEAD")
    with Engine(repository, tmp_path / "home", voyage=a_client(server, model="voyage-4")) as engine:
        before = len(server.requests)
        engine.search("how is the total made", "HEAD")
        asked_meanwhile = len(server.requests) - before
        snapshot = engine.update("HEAD")

    assert asked_meanwhile == 0  # the index has other vectors, so the embedded model answers
    assert model_of(snapshot.parts[VOYAGE]) == "voyage-4-1024"


# ---- the key


def test_the_key_is_in_no_message_log_or_file(
    server: FakeVoyage, repository: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"detail": f"The key {KEY} is out of money.", "key": KEY}
    said = [repr(VoyageOptions(KEY)), str(VoyageOptions(KEY))]
    with Engine(repository, tmp_path / "home", voyage=a_client(server)) as engine:
        engine.embed_with(VOYAGE)
        for status in (400, 401, 403, 404, 418, 422, 429, 500, 503):
            server.failures = [Failure(status, echo, {"X-Key": KEY, "request-id": KEY})] * 99
            with pytest.raises(VoyageUnavailable) as caught:
                embedded(a_client(server), ["text"])
            said += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
            assert caught.value.__suppress_context__
        server.failures = [Failure(401, echo)]
        engine.update("HEAD")
        said += engine.notes
        server.failures = []
        engine.update("HEAD")

    files = [path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()]
    printed = capfd.readouterr()
    assert files
    assert not any(KEY.encode() in data for data in files)
    assert not any(KEY in text for text in [*said, caplog.text, printed.out, printed.err])


# ---- the command line


def update(server: FakeVoyage | None, repository: Path, home: Path, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    if server is not None:
        monkeypatch.setenv("MAGUYVA_VOYAGE_API_KEY", KEY)
        monkeypatch.setenv("MAGUYVA_VOYAGE_URL", server.url)
    return main(["update", "HEAD", "--repo", str(repository), "--index", str(home), "--quiet", *arguments])


def test_the_command_shows_the_cost_and_sends_only_what_was_agreed_to(
    server: FakeVoyage, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    home = tmp_path / "home"

    assert update(server, repository, home, "--embed", "voyage", monkeypatch=monkeypatch) == 1
    refused = capsys.readouterr().err
    assert server.requests == []
    assert update(server, repository, home, "--embed", "voyage", "--yes", monkeypatch=monkeypatch) == 0
    assert len(server.sent) == 4
    assert update(server, repository, home, "--embed", "voyage", monkeypatch=monkeypatch) == 0  # nothing is missing, so nobody is asked
    assert "4 of 4 pieces of code are sent to Voyage" in refused
    assert "about $0.00" in refused and "say --yes" in refused


def test_without_a_key_the_command_says_what_is_missing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MAGUYVA_VOYAGE_API_KEY", raising=False)

    assert update(None, repository, tmp_path / "home", "--embed", "voyage", monkeypatch=monkeypatch) == 2
    assert "MAGUYVA_VOYAGE_API_KEY" in capsys.readouterr().err
