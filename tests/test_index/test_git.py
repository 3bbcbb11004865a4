"""What we read from a clone, and what a clone can't make us do."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import index.git
from index.errors import NoMergeBase, NotARepository, RepositoryError, RepositoryTooLarge, UnknownRevision
from index.git import FAILURES, Repository
from index.types import TreeEntry
from support.repositories import DELETED, Executable, RenamedFrom, SubmoduleAt, SymlinkTo, TinyRepository, a_repository

HOSTILE_NAMES: list[bytes] = [
    b"-rf",
    b"--output=x",
    b"a\nb.py",
    b'q"uote.py',
    b"\x1b[31mred.py",
    b"caf\xc3\xa9.py",
    b"latin\xe9.py",
    b"sp ace.py",
    b"$(id).py",
    b"back\\slash.py",
    b":(glob)*.py",
    b"tab\there",
    b"deep/" * 40 + b"end.py",
]


@pytest.fixture
def shop(tmp_path: Path) -> TinyRepository:
    return a_repository(tmp_path / "shop")


def paths(entries: list[TreeEntry]) -> list[bytes]:
    return [entry.path for entry in entries]


# ---- opening


def test_every_path_in_a_clone_opens_it(shop: TinyRepository, tmp_path: Path) -> None:
    head = shop.commit({"shop/tax.py": "x\n"})
    worktree, bare = shop.worktree(tmp_path / "second", "second"), shop.clone(tmp_path / "bare.git", bare=True)

    for place in (shop.path, shop.path / "shop", shop.path / ".git", worktree.path, worktree.path / "shop", bare.path):
        with Repository.open(place) as repository:
            assert repository.resolve("HEAD") == head
            assert paths(repository.tree(head)) == [b"shop/tax.py"]
            assert repository.is_bare == (place == bare.path)


def test_worktrees_of_a_clone_are_one_repository_and_another_clone_is_not(shop: TinyRepository, tmp_path: Path) -> None:
    shop.commit({"a": "x"})
    worktree, other = shop.worktree(tmp_path / "second", "second"), shop.clone(tmp_path / "other")
    link = tmp_path / "link"
    link.symlink_to(shop.path)

    first, second, third, linked = (Repository.open(path) for path in (shop.path, worktree.path, other.path, link))

    assert first.identity == second.identity == linked.identity != third.identity
    assert (first.name, third.name) == ("shop", "other")


def test_a_submodule_opens_as_itself(shop: TinyRepository, tmp_path: Path) -> None:
    inner = a_repository(tmp_path / "inner")
    inner_head = inner.commit({"inner.py": "x\n"})
    shop.commit({"a.py": "x\n"})
    shop.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "inner")

    with Repository.open(shop.path / "inner") as repository:
        assert repository.resolve("HEAD") == inner_head
        assert paths(repository.working_tree()) == [b"inner.py"]


def test_what_is_no_repository_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text("gitdir: /nowhere\n")

    for place in (tmp_path, tmp_path / "missing", tmp_path / "broken"):
        with pytest.raises(NotARepository, match="is not a git repository: give the path of a clone"):
            Repository.open(place)


def test_a_git_that_is_missing_or_too_old_is_said(shop: TinyRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.commit({"a": "x"})
    monkeypatch.setenv("PATH", str(tmp_path))
    index.git._git_program.cache_clear()
    with pytest.raises(RepositoryError, match=r"git is not on the PATH: install git 2\.30 or later"):
        Repository.open(shop.path)

    (tmp_path / "git").write_text("#!/bin/sh\necho git version 1.8.3\n")
    (tmp_path / "git").chmod(0o755)
    with pytest.raises(RepositoryError, match=r"2\.30 or later is needed, and here is git version 1\.8\.3"):
        Repository.open(shop.path)
    monkeypatch.undo()
    index.git._git_program.cache_clear()


@contextlib.contextmanager
def someone_else() -> Iterator[None]:
    """Root may read everything, so it becomes nobody for a while; any other user stays who they are."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_clone_that_may_not_be_read_is_said(shop: TinyRepository) -> None:
    shop.commit({"a": "x"})
    (shop.path / ".git").chmod(0)
    try:
        with someone_else(), pytest.raises(RepositoryError, match=r"shop cannot be read: permission denied\. Run as a user who may"):
            Repository.open(shop.path)
    finally:
        (shop.path / ".git").chmod(0o755)


# ---- revisions


def test_a_revision_is_anything_git_understands(shop: TinyRepository) -> None:
    first = shop.commit({"a": "1"})
    shop.git("tag", "-a", "v1", "-m", "one")
    second = shop.commit({"a": "2"}, "Second")

    with Repository.open(shop.path) as repository:
        for name in ("HEAD", "main", "refs/heads/main", second, second[:10], "v1~0", "@", "HEAD^{commit}"):
            assert repository.resolve(name) == (first if name == "v1~0" else second)
        assert repository.resolve("main~1") == repository.resolve("v1") == first


@pytest.mark.parametrize(
    "name", ["nope", "--output=x", "-1", "^main", "main..main", "a\0b", "\ud800", "a\nb", "0" * 40, " ", "v1^{/[}", "main:a"]
)
def test_what_names_no_commit_is_refused_and_writes_nothing(shop: TinyRepository, name: str) -> None:
    shop.commit({"a": "1"})
    before = sorted(shop.path.rglob("*"))

    with Repository.open(shop.path) as repository, pytest.raises(UnknownRevision, match="There is no commit"):
        repository.resolve(name)

    assert sorted(shop.path.rglob("*")) == before


def test_an_unknown_revision_comes_with_the_nearest_help(shop: TinyRepository, tmp_path: Path) -> None:
    def message(repository: TinyRepository, name: str) -> str:
        with Repository.open(repository.path) as opened, pytest.raises(UnknownRevision) as caught:
            opened.resolve(name)
        return str(caught.value)

    assert message(shop, "main") == "There is no commit main here: this repository has no commits yet."
    shop.commit({"a": "1"})
    shop.branch("feature")
    shop.commit({"a": "2"})
    assert message(shop, "featrue") == "There is no commit featrue here, but there is feature: name that if you meant it."
    assert message(shop, "zzz") == "There is no commit zzz here: check the name, or fetch it first."
    clone = shop.clone(tmp_path / "clone", depth=1)
    assert message(clone, "main") == "There is no commit main here, but there is origin/main: name that."
    assert "git fetch --unshallow" in message(clone, "v9.9")


def test_the_merge_base_is_where_two_branches_part(shop: TinyRepository) -> None:
    base = shop.commit({"a": "1"})
    shop.branch("feature")
    shop.commit({"b": "1"})
    shop.switch("main")
    shop.commit({"c": "1"})
    shop.switch("feature")

    with Repository.open(shop.path) as repository:
        assert repository.merge_base("main", "feature") == repository.merge_base("main", "") == base


def test_no_merge_base_says_why(shop: TinyRepository, tmp_path: Path) -> None:
    shop.commit({"a": "1"})
    shop.branch("feature")
    shop.commit({"b": "1"})
    shop.switch("main")
    shop.commit({"c": "1"})
    shop.switch("alone")
    shop.commit({"z": "1"})
    shallow = shop.clone(tmp_path / "shallow", depth=1, bare=True)

    with (
        Repository.open(shop.path) as repository,
        pytest.raises(NoMergeBase, match=r"main and alone have no merge base: their histories are unrelated"),
    ):
        repository.merge_base("main", "alone")
    with Repository.open(shallow.path) as repository:
        assert repository.is_shallow
        with pytest.raises(NoMergeBase, match=r"this clone is shallow.*git fetch --unshallow"):
            repository.merge_base("main", "feature")


def test_the_two_sides_of_what_people_write(shop: TinyRepository, tmp_path: Path) -> None:
    base = shop.commit({"a": "1"})
    shop.branch("feature")
    feature = shop.commit({"b": "1"})
    shop.switch("main")
    main = shop.commit({"c": "1"})
    shop.switch("feature")

    with Repository.open(shop.path) as repository:
        on_disk = repository.resolve("")
        for text, sides in {
            "main...feature": (base, feature, "main", "feature"),
            "main..feature": (main, feature, "main", "feature"),
            "...feature": (base, feature, "main", "feature"),
            "main...": (base, on_disk, "main", "working tree"),
            "main": (base, on_disk, "main", "working tree"),
            "": (base, on_disk, "main", "working tree"),
            "main..": (main, on_disk, "main", "working tree"),
        }.items():
            ends = repository.ends(text)
            assert (ends.base, ends.head, ends.base_name, ends.head_name) == sides
    bare = shop.clone(tmp_path / "bare", bare=True)
    with Repository.open(bare.path) as repository, pytest.raises(RepositoryError, match="bare and has no files on disk: name the head"):
        repository.ends("main")


def test_the_default_branch_is_what_origin_says_then_main_then_master(shop: TinyRepository, tmp_path: Path) -> None:
    shop.current = "trunk"
    shop.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    shop.commit({"a": "1"})
    clone = shop.clone(tmp_path / "clone")

    with Repository.open(clone.path) as repository:
        assert repository.default_branch() == "origin/HEAD"
    with Repository.open(shop.path) as repository, pytest.raises(UnknownRevision, match="name the base"):
        repository.default_branch()
    shop.git("branch", "master")
    with Repository.open(shop.path) as repository:
        assert repository.default_branch() == "master"


# ---- trees and blobs


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_commit_is_listed_with_every_kind_of_entry(tmp_path: Path, object_format: str) -> None:
    shop = a_repository(tmp_path / "shop", object_format=object_format)
    submodule = "1" * (64 if object_format == "sha256" else 40)
    files = {
        b"b/x.py": "xx\n",
        b"b-c": "",
        b"b.py": "y",
        b"run": Executable("#!"),
        b"link": SymlinkTo("b.py"),
        b"sub": SubmoduleAt(submodule),
    }
    head = shop.commit(files)

    with Repository.open(shop.path) as repository:
        entries = repository.tree(head)
        assert repository.object_format == object_format

    assert [(entry.path, entry.size, oct(entry.mode)) for entry in entries] == [
        (b"b-c", 0, "0o100644"),
        (b"b.py", 1, "0o100644"),
        (b"b/x.py", 3, "0o100644"),
        (b"link", 4, "0o120000"),
        (b"run", 2, "0o100755"),
        (b"sub", 0, "0o160000"),
    ]
    assert entries[2].blob == hashlib.new(object_format, b"blob 3\0xx\n").hexdigest()
    assert entries[5].blob == submodule


def test_hostile_names_come_through_whole(shop: TinyRepository) -> None:
    base = shop.commit({"keep": "x"})
    head = shop.commit({name: name for name in HOSTILE_NAMES})
    shop.write({name: name + b"!" for name in HOSTILE_NAMES})

    with Repository.open(shop.path) as repository:
        assert set(paths(repository.tree(head))) == {*HOSTILE_NAMES, b"keep"}
        assert [change.new_path for change in repository.changes(base, head)] == sorted(HOSTILE_NAMES)
        assert [change.new_path for change in repository.changes(head, "")] == sorted(HOSTILE_NAMES)
        last = {name: name.count(b"\n") + 1 for name in HOSTILE_NAMES}
        assert {change.new_path: change.new_spans for change in repository.changes(head, "")} == {
            name: ((n, n),) for name, n in last.items()
        }
        assert {repository.read_file(head, name) for name in HOSTILE_NAMES} == set(HOSTILE_NAMES)
        assert set(next(repository.log(head)).paths) == set(HOSTILE_NAMES)


def test_more_files_than_the_limit_are_refused_before_they_are_all_listed(shop: TinyRepository) -> None:
    """A tree bomb: 10^8 paths in a repository of a few kilobytes."""
    blob = put(shop, b"blob", b"x")
    tree = put(shop, b"tree", b"".join(b"100644 f%d\0%s" % (n, bytes.fromhex(blob)) for n in range(10)))
    for _ in range(7):
        tree = put(shop, b"tree", b"".join(b"40000 d%d\0%s" % (n, bytes.fromhex(tree)) for n in range(10)))

    with Repository.open(shop.path) as repository, pytest.raises(RepositoryTooLarge, match="more than 1,000 files"):
        repository.tree(tree, limit=1_000)


def test_a_tree_that_git_would_never_write_is_read_as_well_as_can_be(shop: TinyRepository) -> None:
    blob, other = put(shop, b"blob", b"x"), put(shop, b"blob", b"yy")
    entries = [
        (b"100664", b"group.py", blob),
        (b"100755", b"b/c", blob),
        (b"100644", b"a", blob),
        (b"100644", b"a", other),
        (b"100644", b"..", blob),
    ]
    tree = put(shop, b"tree", b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(one)) for mode, name, one in entries))

    with Repository.open(shop.path) as repository:
        found = repository.tree(tree)

    assert [(entry.path, oct(entry.mode)) for entry in found] == [
        (b"..", "0o100644"),
        (b"a", "0o100644"),
        (b"b/c", "0o100755"),
        (b"group.py", "0o100644"),
    ]


def test_files_of_a_small_difference_are_the_same_whether_they_were_read_along_or_asked_for(shop: TinyRepository) -> None:
    before = shop.commit({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    after = shop.commit({"a.py": "x = 2\n", "c.py": "z = 3\n" * 50})

    with Repository.open(shop.path) as repository:
        since = repository.tree_since(before, after)
        assert since is not None
        ids = [entry.blob for entry in since[1]]
        along, again = list(repository.blobs(ids)), list(repository.blobs(ids))
        repository.tree_since(before, after)
        small = dict(repository.blobs(ids, limit=10))

    assert along == again
    assert sorted(data for _, data in along if data is not None) == [b"x = 2\n", b"z = 3\n" * 50]
    assert set(small.values()) == {b"x = 2\n", None}
    assert {entry.path: entry.size for entry in since[1]} == {b"a.py": 6, b"c.py": 300}


def test_a_path_without_end_is_refused_at_once(shop: TinyRepository) -> None:
    blob = shop.git("hash-object", "-w", "--stdin", input=b"x")
    tree = shop.git("mktree", "-z", input=f"100644 blob {blob}\t{'long' * 500_000}\0".encode())

    with Repository.open(shop.path) as repository, pytest.raises(RepositoryError, match="more than 1 MB"):
        list(repository.tree(tree))


def test_a_name_that_stands_twice_in_a_tree_is_no_difference_that_can_be_told(shop: TinyRepository) -> None:
    blob, other = put(shop, b"blob", b"x"), put(shop, b"blob", b"yy")
    once = put(shop, b"tree", b"100644 a\0" + bytes.fromhex(blob))
    twice = put(shop, b"tree", b"".join(b"100644 a\0" + bytes.fromhex(one) for one in (other, other)))

    with Repository.open(shop.path) as repository:
        assert repository.tree_since(once, twice) is None
        assert repository.tree_since(twice, once) is None


@pytest.mark.parametrize("committer", ["A <a@b> notadate", "A <a@b>", "A", "", "A <a@b> -5 +9999", "A <a@b> " + "9" * 40 + " +0000"])
def test_a_commit_without_a_date_that_can_be_read_is_of_the_beginning_of_time(shop: TinyRepository, committer: str) -> None:
    tree = put(shop, b"tree", b"100644 a\0" + bytes.fromhex(put(shop, b"blob", b"x")))
    commit = put(shop, b"commit", f"tree {tree}\nauthor {committer}\ncommitter {committer}\n\nOdd\n".encode())

    with Repository.open(shop.path) as repository:
        entries = list(repository.log(commit))

        assert [(entry.commit, entry.paths) for entry in entries] == [(commit, (b"a",))]
        assert entries[0].time == repository.time_of(commit)


def test_a_clone_that_borrows_objects_is_read(shop: TinyRepository, tmp_path: Path) -> None:
    head = shop.commit({"a.py": "x\n"})
    for depth, source in enumerate(["shop", "0"]):
        subprocess.run(["git", "clone", "-q", "--shared", tmp_path / source, tmp_path / str(depth)], check=True)

    with Repository.open(tmp_path / "1") as repository:
        assert repository.read_file(head, b"a.py") == b"x\n"


def test_a_pipe_in_the_place_of_an_object_does_not_hold_us_for_ever(shop: TinyRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    head = shop.commit({"a.py": "x\n"})
    with Repository.open(shop.path) as repository:
        (entry,) = repository.tree(head)
    file = shop.path / ".git" / "objects" / entry.blob[:2] / entry.blob[2:]
    file.unlink()
    os.mkfifo(file)
    monkeypatch.setattr(index.git, "SECONDS", 0.2)

    with Repository.open(shop.path) as repository:
        for ask in (
            lambda: list(repository.blobs([entry.blob])),
            lambda: repository.read_file(head, b"a.py"),
            lambda: repository.tree(head),
        ):
            with pytest.raises(RepositoryError, match=r"git gave no answer for 0.2 seconds \(git .*cat-file|ls-tree"):
                ask()


def test_blobs_come_in_the_order_asked_and_what_is_large_or_missing_is_told(shop: TinyRepository) -> None:
    big = bytes(3 << 20)
    head = shop.commit({"a": "first\n", "b": b"\0\n\xff", "c": "", "big": big, "sub": SubmoduleAt("2" * 40)})

    with Repository.open(shop.path) as repository:
        entries = {entry.path: entry for entry in repository.tree(head)}
        asked = [entries[name].blob for name in (b"b", b"big", b"a", b"sub", b"c", b"b")]
        found = list(repository.blobs(asked))

        assert [name for name, _ in found] == asked
        assert [content for _, content in found] == [b"\0\n\xff", None, b"first\n", None, b"", b"\0\n\xff"]
        assert dict(repository.blobs(asked, limit=4 << 20))[entries[b"big"].blob] == big
        assert list(repository.blobs([])) == []


def test_many_blobs_are_read_without_holding_them_all(shop: TinyRepository) -> None:
    head = shop.commit({f"f{n}": f"{n}\n" * 500 for n in range(3_000)})

    with Repository.open(shop.path) as repository:
        entries = repository.tree(head)
        contents = repository.blobs(entry.blob for entry in entries)
        assert next(contents)[1] == b"0\n" * 500
        contents.close()  # type: ignore[attr-defined]
        assert sum(len(content or b"") for _, content in repository.blobs(entry.blob for entry in entries)) == sum(
            entry.size for entry in entries
        )


def test_a_name_that_is_no_id_never_reaches_git(shop: TinyRepository) -> None:
    shop.commit({"a": "x"})
    with Repository.open(shop.path) as repository:
        for name in ("--batch-all-objects", "main", "a" * 39, "A" * 40, ""):
            with pytest.raises(ValueError, match="not an object id"):
                list(repository.blobs([name]))
            with pytest.raises(ValueError, match="not an object id"):
                repository.tree(name)


def test_a_file_is_read_by_its_path(shop: TinyRepository) -> None:
    head = shop.commit({"a/b.py": "x\n", "link": SymlinkTo("a/b.py")})

    with Repository.open(shop.path) as repository:
        assert repository.read_file(head, b"a/b.py") == b"x\n"
        assert repository.read_file(head, b"a/b.py", limit=1) is None
        for path in (b"a", b"nope", b"", b"../a/b.py", b"a/../a/b.py", b"/etc/passwd", b"a\0b"):
            assert repository.read_file(head, path) is None


def test_damaged_objects_are_said_and_never_pass_for_missing_ones(shop: TinyRepository) -> None:
    head = shop.commit({"a.py": "some content\n"})
    with Repository.open(shop.path) as repository:
        (entry,) = repository.tree(head)
    file = shop.path / ".git" / "objects" / entry.blob[:2] / entry.blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"\0" + file.read_bytes()[1:])

    with Repository.open(shop.path) as repository, pytest.raises(RepositoryError, match="has damaged objects: run `git fsck`"):
        list(repository.blobs([entry.blob]))


@pytest.mark.parametrize(("pattern", "message", "example"), FAILURES, ids=lambda value: value[:20])
def test_every_failure_of_git_answers_its_own_example(shop: TinyRepository, pattern: str, message: str, example: str) -> None:
    with Repository.open(shop.path) as repository, pytest.raises(RepositoryError) as caught:
        repository._fail("log", example)

    assert str(caught.value) == message.format(path=shop.path)


# ---- changes


def test_changes_tell_renames_modes_and_the_lines_of_both_sides(shop: TinyRepository) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 31))
    base = shop.commit(
        {"a.py": text, "moved.py": text + "moved\n", "gone.py": "x\ny\n", "run": "#!", "bin": b"\0\1", "link": "a.py", "sub": SubmoduleAt()}
    )
    head = shop.commit(
        {
            "a.py": text.replace("line 3\n", "").replace("line 20\n", "line 20\nnew\n"),
            "there.py": RenamedFrom("moved.py", text + "moved!\n"),
            "gone.py": DELETED,
            "come.py": "1\n2\n3\n",
            "empty.py": "",
            "run": Executable("#!"),
            "bin": b"\0\2",
            "link": SymlinkTo("a.py"),
            "sub": SubmoduleAt("2" * 40),
        }
    )

    with Repository.open(shop.path) as repository:
        found = {change.new_path or change.old_path: change for change in repository.changes(base, head)}

    assert list(found) == sorted(found, key=lambda path: path or b"")
    assert (found[b"a.py"].old_spans, found[b"a.py"].new_spans) == (((3, 3), (21, 20)), ((3, 2), (20, 20)))
    assert found[b"there.py"].old_path == b"moved.py" and 90 < found[b"there.py"].similarity < 100
    assert (found[b"there.py"].old_spans, found[b"there.py"].new_spans) == (((31, 31),), ((31, 31),))
    assert (found[b"gone.py"].new_path, found[b"gone.py"].new_blob, found[b"gone.py"].old_spans) == (None, "", ((1, 2),))
    assert (found[b"come.py"].old_path, found[b"come.py"].old_blob, found[b"come.py"].new_spans) == (None, "", ((1, 3),))
    assert found[b"empty.py"].new_spans == () and not found[b"empty.py"].binary
    assert (found[b"run"].old_mode, found[b"run"].new_mode, found[b"run"].old_spans) == (0o100644, 0o100755, ())
    assert found[b"bin"].binary and found[b"bin"].old_spans == ()
    assert (found[b"link"].old_mode, found[b"link"].new_mode) == (0o100644, 0o120000)
    assert found[b"sub"].old_spans == ()


def test_nothing_changed_is_an_empty_list(shop: TinyRepository) -> None:
    head = shop.commit({"a": "x"})
    with Repository.open(shop.path) as repository:
        assert repository.changes(head, head) == repository.changes(head, "") == []


def test_attributes_of_the_clone_hide_no_change(shop: TinyRepository) -> None:
    base = shop.commit({".gitattributes": "*.py binary -diff\n", "a.py": "x\n"})
    head = shop.commit({"a.py": "y\n"})
    (shop.path / ".git" / "info" / "attributes").write_text("*.py -diff\n")

    with Repository.open(shop.path) as repository:
        (change,) = repository.changes(base, head)

    assert not change.binary and change.new_spans == ((1, 1),)


# ---- the working tree


def test_the_working_tree_is_what_is_on_disk_now(shop: TinyRepository) -> None:
    head = shop.commit(
        {"same.py": "x\n", "edited.py": "x\n", "gone.py": "x\n", "staged.py": "x\n", ".gitignore": "*.log\nbuild/\n", "kept.log": "x\n"}
    )
    shop.write(
        {"edited.py": "y\ny\n", "gone.py": DELETED, "new/file.py": "n\n", "noise.log": "n", "build/out.py": "n", "run": Executable("#!")}
    )
    shop.write({"link": SymlinkTo("/etc/passwd"), "staged.py": "first\n"})
    shop.git("add", "staged.py")
    shop.write({"staged.py": "second\n"})

    with Repository.open(shop.path) as repository:
        entries = repository.working_tree()
        contents = dict(repository.blobs(entry.blob for entry in entries))
        changes = repository.changes(head, "")

    assert paths(entries) == [b".gitignore", b"edited.py", b"kept.log", b"link", b"new/file.py", b"run", b"same.py", b"staged.py"]
    by_path = {entry.path: contents[entry.blob] for entry in entries}
    assert by_path[b"edited.py"] == b"y\ny\n" and by_path[b"staged.py"] == b"second\n"
    assert by_path[b"link"] == b"/etc/passwd", "a link is its target's name, never its content"
    assert {entry.path: entry.mode for entry in entries}[b"run"] == 0o100755
    assert all(entry.blob == hashlib.sha1(b"blob %d\0" % entry.size + (contents[entry.blob] or b"")).hexdigest() for entry in entries)
    assert [change.new_path for change in changes] == [b"edited.py", None, b"link", b"new/file.py", b"run", b"staged.py"]
    assert changes[0].new_spans == ((1, 2),)


def test_a_rename_that_is_not_committed_is_found(shop: TinyRepository) -> None:
    head = shop.commit({"old.py": "".join(f"{n}\n" for n in range(20))})
    shop.write({"new.py": RenamedFrom("old.py")})

    with Repository.open(shop.path) as repository:
        (change,) = repository.changes(head, "")

    assert (change.old_path, change.new_path, change.similarity) == (b"old.py", b"new.py", 100)


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(shop: TinyRepository) -> None:
    head = shop.commit({"a.py": "one\n"})
    facts = (shop.path / "a.py").stat()
    shop.write({"a.py": "two\n"})
    os.utime(shop.path / "a.py", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    os.utime(shop.path / ".git" / "index", ns=(facts.st_atime_ns, facts.st_mtime_ns))

    with Repository.open(shop.path) as repository:
        assert [change.new_path for change in repository.changes(head, "")] == [b"a.py"]


def test_the_working_tree_of_a_clone_without_commits_is_its_files(shop: TinyRepository) -> None:
    shop.write({"a.py": "x\n"})
    with Repository.open(shop.path) as repository:
        assert paths(repository.working_tree()) == [b"a.py"]


def test_reading_the_working_tree_changes_nothing_in_the_clone(shop: TinyRepository) -> None:
    head = shop.commit({"a/b.py": "x\n", "c.py": "x\n"})
    shop.write({"a/b.py": "y\n", "new.py": "n\n"})

    def everything() -> dict[Path, tuple[int, int, bytes]]:
        files = (path for path in shop.path.rglob("*") if path.is_file())
        return {path: (path.stat().st_mtime_ns, path.stat().st_size, path.read_bytes()) for path in files}

    before = everything()
    with Repository.open(shop.path) as repository:
        repository.working_tree()
        repository.changes(head, "")
        own = repository._own
        assert own.exists()

    assert everything() == before
    assert not own.exists()


def test_a_folder_that_became_a_link_is_not_followed(shop: TinyRepository, tmp_path: Path) -> None:
    head = shop.commit({"pkg/a.py": "x\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("secret\n")
    shutil.rmtree(shop.path / "pkg")
    (shop.path / "pkg").symlink_to(outside)

    with Repository.open(shop.path) as repository:
        entries = repository.working_tree()
        contents = [content for _, content in repository.blobs(entry.blob for entry in entries)]
        top = os.open(shop.path, os.O_RDONLY)
        assert repository._store_file(top, b"pkg/a.py", None) is None
        os.close(top)

    assert paths(entries) == [b"pkg"] and contents == [bytes(outside)]
    assert head


def test_what_is_no_plain_file_is_left_out(shop: TinyRepository) -> None:
    shop.commit({"a.py": "x\n"})
    os.mkfifo(shop.path / "pipe")
    (shop.path / "a.py").unlink()
    os.mkfifo(shop.path / "a.py")

    with Repository.open(shop.path) as repository:
        assert paths(repository.working_tree()) == []


def test_a_file_too_large_to_read_is_listed_with_its_size_and_is_not_read(shop: TinyRepository) -> None:
    head = shop.commit({"a.py": "x\n"})
    with (shop.path / "huge.bin").open("wb") as file:
        file.truncate(1 << 34)

    with Repository.open(shop.path) as repository:
        huge = {entry.path: entry for entry in repository.working_tree()}[b"huge.bin"]
        assert huge.size == 1 << 34
        assert list(repository.blobs([huge.blob], limit=1 << 40)) == [(huge.blob, None)]
        assert [change.new_path for change in repository.changes(head, "")] == [b"huge.bin"]


def test_files_that_were_not_checked_out_are_still_there(shop: TinyRepository) -> None:
    head = shop.commit({"in/a.py": "x\n", "out/b.py": "x\n"})
    shop.git("sparse-checkout", "set", "in")
    assert not (shop.path / "out").exists()

    with Repository.open(shop.path) as repository:
        assert paths(repository.working_tree()) == [b"in/a.py", b"out/b.py"]
        assert repository.changes(head, "") == []


def test_a_conflict_is_read_as_it_stands_on_disk(shop: TinyRepository) -> None:
    shop.commit({"a.py": "base\n"})
    shop.branch("other")
    shop.commit({"a.py": "other\n"})
    shop.switch("main")
    shop.commit({"a.py": "main\n"})
    subprocess.run(
        ["git", "-C", shop.path, "-c", "user.name=x", "-c", "user.email=x", "merge", "-q", "other"], capture_output=True, check=False
    )

    with Repository.open(shop.path) as repository:
        (entry,) = repository.working_tree()
        assert dict(repository.blobs([entry.blob]))[entry.blob] == (shop.path / "a.py").read_bytes()


def test_a_split_index_is_read(shop: TinyRepository) -> None:
    shop.commit({"a.py": "x\n", "b.py": "x\n"})
    shop.git("update-index", "--split-index")
    shop.write({"b.py": "y\n"})

    with Repository.open(shop.path) as repository:
        assert paths(repository.working_tree()) == [b"a.py", b"b.py"]


def test_line_ends_that_git_converts_are_no_change(shop: TinyRepository) -> None:
    head = shop.commit({".gitattributes": "*.py text\n", "a.py": "x\ny\n", "b.txt": "x\n"})
    shop.write({"a.py": "x\r\ny\r\n", "b.txt": "x\r\n"})

    with Repository.open(shop.path) as repository:
        assert [change.new_path for change in repository.changes(head, "")] == [b"b.txt"]


def test_a_disk_without_executable_bits_changes_no_mode(shop: TinyRepository) -> None:
    head = shop.commit({"run": Executable("#!\n")})
    shop.git("config", "core.fileMode", "false")
    shop.write({"run": "#!more\n"})

    with Repository.open(shop.path) as repository:
        (change,) = repository.changes(head, "")

    assert change.new_mode == 0o100755


def test_the_ignore_file_of_the_person_counts(shop: TinyRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.commit({"a.py": "x\n"})
    shop.write({".idea/x": "x", "b.py": "x\n", "local.py": "x\n"})
    (shop.path / ".git" / "info").mkdir(exist_ok=True)
    (shop.path / ".git" / "info" / "exclude").write_text("local.py\n")
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "ignore").write_text(".idea/\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    index.git._user_ignore_file.cache_clear()

    with Repository.open(shop.path) as repository:
        assert paths(repository.working_tree()) == [b"a.py", b"b.py"]
    monkeypatch.undo()
    index.git._user_ignore_file.cache_clear()


def small_trees(*more: bytes) -> st.SearchStrategy[dict[bytes, str]]:
    names = [b"a.py", b"b/c.py", b"b/d", b"b.x", b"b-y/z", b"e\n.py", b"f/g/h.py", *more]
    return st.dictionaries(st.sampled_from(names), st.sampled_from(["", "x\n", "x\ny\n", "x\r\n", "z"]), max_size=7)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(small_trees(b"k", b"m/n"), small_trees(b"k/l", b"m"))
def test_the_working_tree_is_what_git_would_commit(
    tmp_path_factory: pytest.TempPathFactory, committed: dict[bytes, str], now: dict[bytes, str]
) -> None:
    """The clever way against the plain one: `git add -A` and `git write-tree`."""
    shop = a_repository(tmp_path_factory.mktemp("shop"))
    shop.commit(committed)
    shop.write({name: DELETED for name in committed if name not in now})
    if b"m" in now:
        shutil.rmtree(shop.path / "m", ignore_errors=True)
    shop.write(now)

    with Repository.open(shop.path) as repository:
        found = repository.resolve("")

    shop.git("add", "-A")
    assert found == shop.git("write-tree")


# ---- history


def test_history_tells_what_changed_together(shop: TinyRepository) -> None:
    first = shop.commit({"a": "1", "b": "1"})
    shop.branch("side")
    side = shop.commit({"c": "1"})
    shop.switch("main")
    second = shop.commit({"a": "2", "moved": RenamedFrom("b")})
    merge = shop.merge("side", {"c": "1"})

    with Repository.open(shop.path) as repository:
        assert [(entry.commit, entry.paths) for entry in repository.log(merge)] == [
            (second, (b"a", b"b", b"moved")),
            (side, (b"c",)),
            (first, (b"a", b"b")),
        ]
        assert [entry.commit for entry in repository.log(merge, limit=1)] == [second]
        assert [entry.paths for entry in repository.log(merge, limit=1, merges=True)] == [(b"c",)]
        assert next(repository.log(first)).time == 1_700_000_060


def test_the_oldest_commit_of_a_shallow_clone_is_not_taken_for_a_change_of_everything(shop: TinyRepository, tmp_path: Path) -> None:
    for n in range(4):
        shop.commit({"a": str(n), f"f{n}": "x"})
    shallow = shop.clone(tmp_path / "shallow", depth=2)

    with Repository.open(shallow.path) as repository:
        assert [entry.paths for entry in repository.log(repository.resolve("HEAD"))] == [(b"a", b"f3")]


# ---- partial clones


def test_a_partial_clone_is_read_as_far_as_it_goes_and_nothing_is_fetched(shop: TinyRepository, tmp_path: Path) -> None:
    base = shop.commit({"small.py": "x\n", "big.py": "big\n" * 1_000})
    head = shop.commit({"small.py": "y\n", "big.py": "big!\n" * 1_000, "new.py": "n\n"})
    partial = shop.clone(tmp_path / "partial", partial="blob:limit=100", bare=True)
    before = sorted(partial.path.rglob("*"))

    with Repository.open(partial.path) as repository:
        entries = {entry.path: entry for entry in repository.tree(head)}
        assert (entries[b"small.py"].size, entries[b"big.py"].size) == (2, -1)
        assert list(repository.blobs([entries[b"big.py"].blob])) == [(entries[b"big.py"].blob, None)]
        assert [(change.new_path, change.binary, change.new_spans) for change in repository.changes(base, head)] == [
            (b"big.py", True, ()),
            (b"new.py", False, ((1, 1),)),
            (b"small.py", False, ((1, 1),)),
        ]
        assert repository.read_file(head, b"big.py") is None

    assert sorted(partial.path.rglob("*")) == before


# ---- hostile clones


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Path]:
    """A file that exists after the test only if a command of the clone ran."""
    file = tmp_path / "ran"
    yield file
    assert not file.exists(), "a command that the clone names was run"


def test_no_command_that_a_clone_names_is_ever_run(shop: TinyRepository, tmp_path: Path, trap: Path) -> None:
    base = shop.commit(
        {".gitattributes": "*.py filter=evil diff=evil merge=evil working-tree-encoding=UTF-8\n", "a.py": "x\n", "sub": SubmoduleAt()}
    )
    head = shop.commit({"a.py": "y\n"})
    shop.write({"a.py": "z\r\n", "new.py": "n\n"})
    command = f"touch {trap}"
    hooks = shop.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-commit", "query-watchman"):
        (hooks / hook).write_text(f"#!/bin/sh\n{command}\n")
        (hooks / hook).chmod(0o755)
    included = tmp_path / "included"
    included.write_text(f"[core]\n\tfsmonitor = {command}\n")
    (shop.path / ".git" / "config").write_text(
        f"""\
[core]
	repositoryformatversion = 0
	fsmonitor = "{command}; false"
	hooksPath = {hooks}
	sshCommand = {command}
	gitProxy = {command}
	askPass = {command}
	editor = {command}
	pager = {command}
	attributesFile = {tmp_path / "attributes"}
	excludesFile = {tmp_path / "nothing"}
	worktree = /
	alternateRefsCommand = {command}
[diff]
	external = {command}
[diff "evil"]
	command = {command}
	textconv = {command}
[filter "evil"]
	clean = {command}
	smudge = {command}
	process = {command}
	required = true
[merge "evil"]
	driver = {command}
[alias]
	rev-parse = "!{command}"
	ls-tree = "!{command}"
	cat-file = "!{command}"
[include]
	path = {included}
[includeIf "gitdir:/"]
	path = {included}
[credential]
	helper = "!{command}"
[remote "origin"]
	url = ext::sh -c "{command}"
	promisor = true
	uploadpack = {command}
	vcs = evil
[extensions]
	partialClone = origin
[uploadpack]
	packObjectsHook = {command}
[gpg]
	program = {command}
[log]
	showSignature = true
[pager]
	log = {command}
	diff-tree = {command}
[trace2]
	eventTarget = {trap}
[submodule "sub"]
	update = !{command}
"""
    )
    (tmp_path / "attributes").write_text("* filter=evil diff=evil\n")

    with Repository.open(shop.path) as repository:
        assert repository.resolve("main") == head
        assert repository.merge_base("main~1", "") == base
        assert paths(repository.working_tree()) == [b".gitattributes", b"a.py", b"new.py", b"sub"]
        assert [change.new_path for change in repository.changes(head, "")] == [b"a.py", b"new.py"]
        assert len(repository.changes(base, head)) == 1
        assert len(list(repository.log(head))) == 2
        assert repository.read_file(head, b"a.py") == b"y\n"
        assert list(repository.blobs(["3" * 40])) == [("3" * 40, None)]
        with pytest.raises(UnknownRevision):
            repository.resolve("3" * 40)
        repository.default_branch()


def test_the_trap_of_the_test_above_works(shop: TinyRepository, tmp_path: Path) -> None:
    """Plain git in the same clone does run what the clone names: the test above can fail."""
    shop.commit({"a.py": "x\n"})
    shop.git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")
    shop.git("status")

    assert (tmp_path / "ran").exists()


def test_a_program_in_the_clone_is_not_taken_for_git(shop: TinyRepository, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = shop.commit({"git": Executable(f"#!/bin/sh\ntouch {trap}\n")})
    monkeypatch.chdir(shop.path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    index.git._git_program.cache_clear()

    with Repository.open(".") as repository:
        assert repository.resolve("HEAD") == head
    index.git._git_program.cache_clear()


def test_the_environment_of_the_caller_changes_nothing(
    shop: TinyRepository, tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = shop.commit({"a.py": "x\n"})
    other = a_repository(tmp_path / "other")
    other.commit({"other.py": "x\n"})
    for key, value in {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": str(other.path / ".git" / "index"),
        "GIT_EXTERNAL_DIFF": f"touch {trap}",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {trap}",
        "GIT_TRACE": str(trap),
        "GIT_PAGER": f"touch {trap}",
    }.items():
        monkeypatch.setenv(key, value)

    with Repository.open(shop.path) as repository:
        assert repository.resolve("HEAD") == head
        assert paths(repository.working_tree()) == [b"a.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a clone to someone else")
def test_a_clone_of_another_user_is_read(shop: TinyRepository) -> None:
    head = shop.commit({"a.py": "x\n"})
    for path in (shop.path, *shop.path.rglob("*")):
        os.chown(path, 12_345, 12_345, follow_symlinks=False)

    with Repository.open(shop.path) as repository:
        assert paths(repository.tree(repository.resolve("main"))) == [b"a.py"]
        assert paths(repository.working_tree()) == [b"a.py"]
        assert repository.resolve("HEAD") == head


def test_a_path_with_a_colon_or_a_newline_is_a_path(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / 'a:b\n"c\xe9')
    head = shop.commit({"a.py": "x\n"})

    with Repository.open(shop.path) as repository:
        assert paths(repository.tree(head)) == paths(repository.working_tree()) == [b"a.py"]


def test_replaced_objects_are_not_believed(shop: TinyRepository) -> None:
    base = shop.commit({"a.py": "x\n"})
    head = shop.commit({"a.py": "y\n"})
    shop.git("replace", head, base)

    with Repository.open(shop.path) as repository:
        assert repository.read_file(repository.resolve("main"), b"a.py") == b"y\n"


@pytest.mark.parametrize("config", ["[core\n", "\0\0\0", "[extensions]\n\tnewThing = true\n[core]\n\trepositoryformatversion = 1\n"])
def test_a_configuration_that_git_refuses_is_said_in_one_sentence(shop: TinyRepository, config: str) -> None:
    shop.commit({"a.py": "x\n"})
    (shop.path / ".git" / "config").write_text(config)

    with pytest.raises(RepositoryError) as caught, Repository.open(shop.path) as repository:
        repository.resolve("HEAD")

    assert str(caught.value).endswith((".",)) and "\n" not in str(caught.value)


def put(repository: TinyRepository, kind: bytes, content: bytes) -> str:
    """A loose object, valid or not, straight to the disk."""
    raw = b"%s %d\0%s" % (kind, len(content), content)
    name = hashlib.sha1(raw).hexdigest()
    file = repository.path / ".git" / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.write_bytes(zlib.compress(raw))
    return name
