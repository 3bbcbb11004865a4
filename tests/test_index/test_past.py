"""What earlier commits say of a question, and how it is put together with what the code says."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from index.engine import Engine
from index.errors import CannotLook
from index.fusion.with_history import WithHistory, with_history
from index.git import Repository
from index.past import FLOOR, HALF, MOST_FILES, TOP, Past, Written, history_part
from index.retrievers import retrievers_with
from index.search import search
from index.snapshot import Snapshot
from index.types import Answer, Contribution, Hit, PathKind
from support.repositories import RenamedFrom, TinyRepository, a_repository
from support.snapshots import a_snapshot

SHOP = {"cart.py": "def total(): ...\n", "tax.py": "def rate(): ...\n", "README.md": "A shop\n", "test_tax.py": "def test_rate(): ...\n"}

KINDS = {"README.md": PathKind.DOCS, "test_tax.py": PathKind.TEST}


def a_past(commits: Sequence[tuple[str, Sequence[str]]], files: dict[str, str] = SHOP) -> Past:
    """Messages and the paths that each commit changed, newest first -> what is known of them."""
    written = [
        Written(f"{number:040x}", message, tuple(path.encode() for path in paths)) for number, (message, paths) in enumerate(commits, 1)
    ]
    python = {path: 1 for path in files if path.endswith(".py")}
    return Past(a_snapshot(files, languages=python, kinds=KINDS), history_part(written, cut=False))


def found(past: Past, words: str) -> list[str]:
    return [SHOWN[one.file] for one in past.ranked([words], 10)]


SHOWN = sorted(SHOP)


def test_the_numbers_are_those_that_were_measured() -> None:
    rule = WithHistory()

    assert (FLOOR, HALF, TOP, MOST_FILES) == (0.5, 300, 50, 30)
    assert (rule.code, rule.history, rule.k, rule.least_words) == (1.0, 0.5, 5, 3)
    assert rule.intents == {"understand_code", "find_definition"}


# ---- words -> files


def test_a_commit_with_the_words_names_its_files_in_any_form_of_a_word() -> None:
    past = a_past([("Tidy up", ["cart.py"]), ("fix(vat): rounding of French rates", ["tax.py"])])

    (only,) = past.ranked(["round a rate"], 10)

    assert (SHOWN[only.file], only.commits, only.best, only.subject) == ("tax.py", 1, f"{2:040x}", "fix(vat): rounding of French rates")


def test_a_rare_word_says_more_than_one_that_every_commit_has() -> None:
    past = a_past([*[("Change the shop", ["cart.py"])] * 5, ("Change the rounding", ["tax.py"])])

    assert found(past, "rounding in the shop") == ["tax.py", "cart.py"]


def test_a_commit_of_few_files_says_more_of_each_and_one_of_too_many_nothing() -> None:
    few, many = ("Round it", ["tax.py"]), ("Round it", ["cart.py", "test_tax.py", "README.md"])
    far_too_many = ("Round it", ["cart.py", *(f"f{number}.py" for number in range(MOST_FILES))])

    assert found(a_past([many, few]), "round")[:2] == ["tax.py", "cart.py"]
    assert found(a_past([far_too_many, few]), "round") == ["tax.py"]


def test_source_comes_before_tests_and_what_is_no_code() -> None:
    past = a_past([("Round rates", ["README.md", "cart.py", "test_tax.py"])])

    assert found(past, "round")[0] == "cart.py"


def test_a_newer_commit_counts_for_more_and_an_old_one_for_half_at_the_least() -> None:
    between = [("Nothing of it", ["README.md"])] * (20 * HALF)
    past = a_past([("Round rates", ["cart.py"]), *between, ("Round rates", ["tax.py"])])

    new, old = past.ranked(["round"], 10)

    assert [SHOWN[one.file] for one in (new, old)] == ["cart.py", "tax.py"]
    assert math.isclose(old.score / new.score, FLOOR**2, rel_tol=0.01)


def test_files_that_are_gone_are_not_named_and_where_to_look_is_kept() -> None:
    past = a_past([("Round rates", ["gone.py", "cart.py", "tax.py"])])
    only_tax = [path == "tax.py" for path in SHOWN]

    assert found(past, "round") == ["cart.py", "tax.py"]
    assert [SHOWN[one.file] for one in past.ranked(["round"], 10, np.asarray(only_tax))] == ["tax.py"]


def test_trailers_are_no_words_of_the_change() -> None:
    past = a_past([("Round rates\n\nCo-authored-by: Total <total@example.com>\nSigned-off-by: Total", ["tax.py"])])

    assert found(past, "total") == []


@pytest.mark.parametrize("commits", [[], [("", ["tax.py"])], [("\x00\ud800 ``` @all #1", [])], [("the and of", ["tax.py"])]])
def test_a_history_that_says_nothing_finds_nothing(commits: list[tuple[str, list[str]]]) -> None:
    assert found(a_past(commits), "round the rates") == []


# ---- two lists -> one


def a_hit(path: str, why: str = "") -> Hit:
    return Hit(path, 1, 1, -1, -1, 1.0, why)


def test_places_in_code_and_history_add_up_and_each_result_can_say_so() -> None:
    both = with_history([a_hit("a.py", "speaks of `x`"), a_hit("b.py")], [a_hit("b.py", "changed by `1 x`"), a_hit("c.py")], 10)

    assert [hit.path for hit in both] == ["b.py", "a.py", "c.py"]
    assert both[0].placed == (Contribution("code", 1, 1.0, 1 / 7), Contribution("history", 0, 0.5, 0.5 / 6))
    assert [hit.score for hit in both] == pytest.approx([1 / 7 + 0.5 / 6, 1 / 6, 0.5 / 7])
    assert [hit.weak for hit in both] == [False, False, True]


def test_a_result_says_both_why_its_code_and_why_its_history_fit() -> None:
    (both,) = with_history([a_hit("a.py", "speaks of `x`")], [a_hit("a.py", "changed by `1 x`")], 10)

    assert both.why == "speaks of `x`; changed by `1 x`"


def test_what_nobody_sees_is_in_its_order_and_as_it_came() -> None:
    code = [a_hit("a.py"), a_hit("b.py"), a_hit("c.py")]

    both = with_history(code, [a_hit("c.py")], 1)

    assert [hit.path for hit in both] == ["c.py", "a.py", "b.py"]
    assert [bool(hit.placed) for hit in both] == [True, False, False]


# ---- questions to a repository


@pytest.fixture
def shop(tmp_path: Path) -> TinyRepository:
    repository = a_repository(tmp_path / "shop")
    repository.commit({"cart.py": "def total():\n    return 1\n", "old.py": "def rate():\n    return 0.2\n"}, "Begin")
    repository.commit({"old.py": "def rate():\n    return 0.21\n"}, "fix(vat): honour the luxury surcharge")
    repository.commit({"tax.py": RenamedFrom("old.py")}, "Call it what it is")
    repository.commit({"cart.py": "def total():\n    return 2\n"}, "Speed up")
    return repository


def asked(repository: TinyRepository, home: Path, question: str, revision: str = "HEAD") -> Answer:
    with Engine.open(repository.path, home) as engine:
        return engine.search(question, revision)


def test_words_that_only_a_commit_has_lead_to_the_file_it_changed_also_after_a_move(shop: TinyRepository, tmp_path: Path) -> None:
    answer = asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere")

    assert answer.hits[0].path == "tax.py"
    assert answer.hits[0].why.endswith("fix(vat): honour the luxury surcharge`")
    assert "history" in answer.retrievers


def test_later_commits_are_never_read(shop: TinyRepository, tmp_path: Path) -> None:
    answer = asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere", "HEAD~3")

    assert not [hit for hit in answer.hits if "surcharge" in hit.why]


def test_the_files_on_disk_have_the_history_of_the_commit_they_stand_on(shop: TinyRepository, tmp_path: Path) -> None:
    shop.write({"tax.py": "def rate():\n    return 0.25\n"})

    assert asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere", "").hits[0].path == "tax.py"


def test_before_the_first_commit_there_is_no_history_to_speak_of(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "new")
    repository.write({"tax.py": "def rate():\n    return 0.25\n"})

    answer = asked(repository, tmp_path / "home", "where are the rates rounded", "")

    assert (answer.hits[0].path, answer.notes) == ("tax.py", ())


def test_the_history_is_read_once(shop: TinyRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the history was read again")

    monkeypatch.setattr(Repository, "log", never)

    assert asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere") == first


@pytest.mark.parametrize("question", ["rate", "who calls rate", "where is rate defined", "`surcharge`"])
def test_a_name_or_a_clear_question_is_not_asked_of_the_history(shop: TinyRepository, tmp_path: Path, question: str) -> None:
    assert "history" not in asked(shop, tmp_path / "home", question).retrievers


def test_a_shallow_clone_says_how_little_it_knows(shop: TinyRepository, tmp_path: Path) -> None:
    answer = asked(shop.clone(tmp_path / "shallow", depth=2), tmp_path / "home", "wrong luxury surcharge somewhere")

    assert "This clone is shallow: only 1 earlier commit was looked at." in answer.notes


def test_a_history_that_is_not_read_to_its_end_is_said(shop: TinyRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.engine.history_part", partial(history_part, most=2))

    for _ in range(2):  # read, and taken from the index
        notes = asked(shop, tmp_path / "home", "wrong luxury surcharge somewhere").notes
        assert any(re.fullmatch(r"Of the history only the newest \d commits were read: .*", note) for note in notes), notes


def test_a_clone_that_was_completed_is_read_again(shop: TinyRepository, tmp_path: Path) -> None:
    shallow, home = shop.clone(tmp_path / "shallow", depth=2), tmp_path / "home"
    asked(shallow, home, "wrong luxury surcharge somewhere")
    shallow.git("fetch", "-q", "--unshallow")

    answer = asked(shallow, home, "wrong luxury surcharge somewhere")

    assert "surcharge" in answer.hits[0].why and not any("shallow" in note for note in answer.notes)


def test_a_clone_that_was_deepened_is_read_again(shop: TinyRepository, tmp_path: Path) -> None:
    shallow, home = shop.clone(tmp_path / "shallow", depth=2), tmp_path / "home"
    asked(shallow, home, "wrong luxury surcharge somewhere")
    shallow.git("fetch", "-q", "--depth=4")
    assert shallow.git("rev-parse", "--is-shallow-repository").strip() == "true"

    assert "surcharge" in asked(shallow, home, "wrong luxury surcharge somewhere").hits[0].why


def test_of_a_message_without_end_the_beginning_is_read(shop: TinyRepository, tmp_path: Path) -> None:
    shop.commit({"cart.py": "def total():\n    return 3\n"}, f"Gift wrap\n\n{'a very long story ' * 200_000}")

    with Engine.open(shop.path, tmp_path / "home") as engine:
        newest, *others = engine.repository.log(engine.repository.resolve("HEAD"), messages=True)
        answer = engine.search("wrong luxury surcharge somewhere", "HEAD")

    assert newest.message.startswith("Gift wrap\n\na very long story") and len(newest.message) < 20_000
    assert (newest.paths, len(others)) == ((b"cart.py",), 4)
    assert "surcharge" in answer.hits[0].why and not answer.notes


def test_what_a_commit_of_too_many_files_changed_is_not_kept_but_what_it_moved_is() -> None:
    moved = tuple((f"old/f{number}.py".encode(), f"f{number}.py".encode()) for number in range(MOST_FILES + 1))
    large = Written("1" * 40, "Move", tuple(path for pair in moved for path in pair), moved)
    small = Written("2" * 40, "Round", (b"old/f7.py",))

    part = history_part(iter([large, small]), cut=False)

    assert bytes(part["path_bytes"]) == b"f7.py"
    assert part["change_offsets"].tolist() == [0, 0, 1]


def test_no_older_commit_is_read_once_too_many_paths_have_changed() -> None:
    def commits() -> Iterator[Written]:
        yield Written("1" * 40, "Round", (b"a.py", b"b.py"))
        yield Written("2" * 40, "Round all", tuple(f"f{number}.py".encode() for number in range(9)))
        raise AssertionError("an older commit was read")

    assert len(history_part(commits(), cut=False, most=10)["commit"]) == 1


def test_a_history_that_can_not_be_read_is_said_and_the_code_answers() -> None:
    def unreadable(_: Snapshot) -> Past:
        raise CannotLook("The history could not be read, so earlier commits were not looked at: gone.")

    answer = search("the total of a cart", a_snapshot(SHOP), None, retrievers=retrievers_with(None, None, unreadable))

    assert "The history could not be read, so earlier commits were not looked at: gone." in answer.notes
    assert [hit.path for hit in answer.hits][:1] == ["cart.py"]


def test_what_somebody_wrote_of_a_commit_is_shown_on_one_line_and_short(tmp_path: Path) -> None:
    repository = a_repository(tmp_path / "shop")
    repository.commit({"tax.py": "def rate():\n    return 1\n"}, f"surcharge `x` \x1b[31m @all #12 {'long ' * 40}\n\nmore")

    why = asked(repository, tmp_path / "home", "wrong luxury surcharge somewhere").hits[0].why

    assert why.count("`") % 2 == 0 and "\x1b" not in why and "\n" not in why and len(why) < 200
