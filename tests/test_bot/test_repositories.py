"""What git fetches from the simulated GitHub, what it must never do with it, and what two processes may do at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.errors import FetchFailed
from bot.repositories import FAILURES, Clones, Want, _failed
from bot.types import GitAccess
from github.git import ALONE
from github.simulator import Simulator
from github.state import Clock, Fault, SimulatedPull, SimulatedRepository
from index.engine import Engine
from index.errors import RepositoryTooLarge
from index.git import Repository

pytestmark = pytest.mark.anyio
GB = 1 << 30
FILES = {
    "price.py": "def price(item):\n    return item.cost\n",
    "shop.py": "from price import price\n\n\ndef total(items):\n    return sum(price(item) for item in items)\n",
    "data.bin": b"\0" * (2 << 20),
}
CHANGE = {"price.py": "def price(item, tax):\n    return item.cost * tax\n"}
ROOT = Path(__file__).parents[2]


class Scene:
    def __init__(self, folder: Path) -> None:
        self.sim = Simulator(folder / "github", clock=Clock(real=True))
        self.shop: SimulatedRepository = self.sim.repository("acme/shop", FILES)
        self.pull: SimulatedPull = self.sim.open_pull_request(self.shop, CHANGE)
        self.clones = Clones(folder / "clones", 5 * GB)

    @property
    def wants(self) -> list[Want]:
        return [Want(self.pull.base_sha), Want(self.pull.head_sha, "refs/pull/1/head")]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[GitAccess]:
        async with self.sim.listening(), self.sim.client() as github:
            yield await github.git_access(self.sim.ref(self.shop))

    def fetches(self) -> int:
        return sum("git-upload-pack" in call.path and call.method == "GIT" and not call.query for call in self.sim.calls)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    assert made.sim.violations == []


# ---- what arrives


async def test_both_sides_of_a_pull_request_are_there_and_large_files_are_not(scene: Scene) -> None:
    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        with Repository.open(path) as repository:
            sizes = {entry.path: entry.size for entry in repository.tree(scene.pull.head_sha)}
            changes = repository.changes(scene.pull.base_sha, scene.pull.head_sha)

    assert sizes == {b"data.bin": -1, b"price.py": len(CHANGE["price.py"]), b"shop.py": len(FILES["shop.py"])}
    assert [(change.new_path, change.new_spans) for change in changes] == [(b"price.py", ((1, 2),))]
    assert scene.clones.used() < 20_000


async def test_the_engine_answers_from_it(scene: Scene, tmp_path: Path) -> None:
    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        with Engine.open(path, tmp_path / "index") as engine:
            report = engine.impact(f"{scene.pull.base_sha}..{scene.pull.head_sha}")

    assert [one.reason for one in report.breaks] == ["calls `price`: missing argument `tax`"]


async def test_what_is_there_is_not_fetched_again(scene: Scene) -> None:
    async with scene.open() as access:
        for _ in range(3):
            async with scene.clones.holding(scene.shop.id, access, scene.wants):
                pass
        once = scene.fetches()
        scene.sim.push(scene.shop, "feature-1", {"price.py": "def price():\n    return 2\n"})
        async with scene.clones.holding(scene.shop.id, access, scene.wants) as path:
            with Repository.open(path) as repository:
                assert repository.read_file(scene.pull.head_sha, b"price.py") == b"def price():\n    return 2\n"

    assert (once, scene.fetches()) == (1, 2)


async def test_a_forks_head_comes_from_the_repository_itself(scene: Scene) -> None:
    scene.pull.fork = "mallory/shop"
    scene.shop.git.delete_ref("refs/heads/feature-1")

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        assert (path / "refs/have" / scene.pull.head_sha).is_file()


async def test_a_server_that_gives_only_what_a_ref_points_to(scene: Scene) -> None:
    scene.shop.git.run("config", "--unset", "uploadpack.allowAnySHA1InWant")
    scene.shop.git.run("config", "protocol.version", "0")
    scene.shop.git.run("config", "uploadpack.hideRefs", "refs/none")
    wants = [Want(scene.pull.head_sha, "refs/pull/1/head"), Want(scene.pull.base_sha, "refs/heads/main")]

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, wants) as path:
        assert (path / "refs/have" / scene.pull.head_sha).is_file()


async def test_history_comes_along_where_it_is_wanted(scene: Scene) -> None:
    for number in range(5):
        scene.sim.push(scene.shop, "main", {"price.py": f"x = {number}\n"})
    tip, head = scene.shop.git.tip("refs/heads/main"), scene.pull.head_sha

    async with scene.open() as access:
        async with scene.clones.holding(scene.shop.id, access, [Want(tip)]) as path:
            with Repository.open(path) as repository:
                alone = list(repository.log(tip))
        async with scene.clones.holding(scene.shop.id, access, [Want(tip, history=4), Want(head, "refs/pull/1/head")]) as path:
            with Repository.open(path) as repository:
                told = list(repository.log(tip))
                written = repository.blame(tip, b"price.py", [(1, 1)], 1_600_000_000)

        before = scene.fetches()
        async with scene.clones.holding(scene.shop.id, access, [Want(tip, history=3), Want(tip)]):
            assert scene.fetches() == before

    assert alone == []
    assert [entry.paths for entry in told] == [(b"price.py",)] * 3  # the oldest is cut off
    assert [lines for _, _, lines in written] == [1]


# ---- what cannot be had


@pytest.mark.parametrize(
    ("want", "says"),
    [
        (Want("1" * 40), "not there"),
        (Want("1" * 40, "refs/pull/1/head"), "no longer at"),
        (Want("1" * 40, "refs/pull/99/head"), "not there"),
    ],
)
async def test_a_commit_that_is_gone_is_no_use_asking_for_again(scene: Scene, want: Want, says: str) -> None:
    async with scene.open() as access:
        with pytest.raises(FetchFailed, match=says) as caught:
            async with scene.clones.holding(scene.shop.id, access, [want]):
                pass

    assert caught.value.gone


@pytest.mark.parametrize(
    "want",
    [
        Want("HEAD"),
        Want("--upload-pack=touch /tmp/x"),
        Want(""),
        Want("a" * 40, "--output=x"),
        Want("a" * 40, "refs/heads/../x"),
        Want("a" * 40, "refs/heads/a:refs/b"),
        Want("a" * 40, "refs/tags/v1"),
        Want("a" * 40, history=0),
        Want("a" * 40, history=1_000_000),
    ],
)
async def test_nothing_but_ids_and_refs_reaches_git(scene: Scene, want: Want) -> None:
    access = GitAccess("https://github.com/acme/shop.git", "")

    with pytest.raises(FetchFailed):
        async with scene.clones.holding(1, access, [want]):
            pass

    assert not scene.clones.folder.exists()


@pytest.mark.parametrize(
    "url", ["ext::sh -c true", "file:///etc", "ssh://git@github.com/a/b", "git://x/y", "https://u:p@github.com/a/b", "-x", ""]
)
async def test_no_address_but_http(scene: Scene, url: str) -> None:
    with pytest.raises(FetchFailed, match="address"):
        async with scene.clones.holding(1, GitAccess(url, ""), [Want("a" * 40)]):
            pass


async def test_a_wrong_token_is_said_and_nothing_asks_for_a_password(scene: Scene) -> None:
    async with scene.open() as access:
        with pytest.raises(FetchFailed, match="does not let us read") as caught:
            async with scene.clones.holding(scene.shop.id, GitAccess(access.url, "Authorization: Basic eDp5"), scene.wants):
                pass

    assert not caught.value.gone


async def test_a_token_for_another_repository(scene: Scene) -> None:
    other = scene.sim.repository("acme/other", FILES)
    async with scene.open() as access:
        with pytest.raises(FetchFailed, match="no such repository"):
            async with scene.clones.holding(other.id, GitAccess(access.url.replace("shop", "other"), access.header), [Want("a" * 40)]):
                pass

    assert scene.sim.violations.pop().endswith("the token is for other repositories")


async def test_a_redirect_is_not_followed(scene: Scene) -> None:
    async with scene.open() as access:
        scene.sim.rename(scene.shop, "acme/store")
        with pytest.raises(FetchFailed, match="moved"):
            async with scene.clones.holding(scene.shop.id, access, scene.wants):
                pass


async def test_a_server_in_trouble_is_worth_another_try(scene: Scene) -> None:
    scene.sim.faults.append(Fault("git-upload-pack", 503, times=9))

    async with scene.open() as access:
        with pytest.raises(FetchFailed) as caught:
            async with scene.clones.holding(scene.shop.id, access, scene.wants):
                pass

    assert not caught.value.gone


async def test_a_fetch_that_takes_too_long_is_ended(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.repositories.FETCH_SECONDS", 0.5)
    scene.sim.faults.append(Fault("GIT", 0, delay=2, times=9))

    async with scene.open() as access:
        with pytest.raises(FetchFailed, match="took more than"):
            async with scene.clones.holding(scene.shop.id, access, scene.wants):
                pass
        scene.sim.faults.clear()


async def test_a_fetch_that_nobody_waits_for_any_more_is_ended(scene: Scene) -> None:
    scene.sim.faults.append(Fault("GIT", 0, delay=1))

    async def fetch(access: GitAccess) -> None:
        async with scene.clones.holding(scene.shop.id, access, scene.wants):
            pass

    async with scene.open() as access:
        task = asyncio.create_task(fetch(access))
        while not any(call.method == "GIT" for call in scene.sim.calls):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        scene.sim.faults.clear()
        await fetch(access)  # the locks are free


async def test_a_repository_that_would_fill_the_disk_is_ended(scene: Scene, tmp_path: Path) -> None:
    scene.sim.push(scene.shop, "feature-1", {f"noise{number}.py": os.urandom(900_000) for number in range(6)})
    scene.clones = Clones(tmp_path / "small", 100_000)
    scene.sim.faults.append(Fault("GIT", 0, delay=1.2))

    async with scene.open() as access:
        try:
            async with scene.clones.holding(scene.shop.id, access, scene.wants) as path:
                assert path.exists()  # it was faster than the watch; then it is the one that stays
        except FetchFailed as error:
            assert "larger than" in str(error)


@pytest.mark.parametrize("row", FAILURES, ids=[row[1] for row in FAILURES])
def test_a_row_is_the_first_for_its_own_example(row: tuple[str, str, bool, str]) -> None:
    found = _failed(row[3].encode())

    assert str(found).startswith(row[1]) and found.gone is row[2]


def test_what_git_says_is_made_harmless_and_short() -> None:
    found = _failed(b"fatal: \x1b[31m" + b"x" * 9_000 + b"\xff\n")

    assert str(found).isprintable() and len(str(found)) < 300


# ---- hostile repositories


async def test_trees_that_would_harm_whoever_unpacks_them_are_refused(scene: Scene) -> None:
    for number, name in enumerate((".git", "..", ".GIT"), start=2):
        blob = scene.shop.git.run("hash-object", "-w", "--stdin", given=b"[core]\n\tfsmonitor = touch /tmp/pwned\n").decode().strip()
        inner = scene.shop.git.run("mktree", given=f"100644 blob {blob}\tconfig\n".encode()).decode().strip()
        raw = b"40000 %s\0%s" % (name.encode(), bytes.fromhex(inner))
        tree = scene.shop.git.run("hash-object", "-t", "tree", "-w", "--literally", "--stdin", given=raw).decode().strip()
        who = "a <a@example.com> 0 +0000"
        text = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode()
        commit = scene.shop.git.run("hash-object", "-t", "commit", "-w", "--stdin", given=text).decode().strip()
        scene.shop.git.set_ref(f"refs/pull/{number}/head", commit)

    async with scene.open() as access:
        for number in (2, 3, 4):
            head = scene.shop.git.tip(f"refs/pull/{number}/head")
            with pytest.raises(FetchFailed, match="could harm"):
                async with scene.clones.holding(scene.shop.id, access, [Want(head, f"refs/pull/{number}/head")]):
                    pass


async def test_odd_names_attributes_and_modules_do_nothing(scene: Scene, tmp_path: Path) -> None:
    files = {
        ".gitattributes": "*.py filter=evil diff=evil\n",
        ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = ext::sh -c "touch {tmp_path}/ran"\n',
        "--output=x": "a\n",
        'q"uote\\.py': "b\n",
        "new\nline.py": "c\n",
        "$(id).py": "d\n",
    }
    scene.sim.push(scene.shop, "feature-1", files)

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        with Repository.open(path) as repository:
            names = {os.fsdecode(entry.path) for entry in repository.tree(scene.pull.head_sha)}
        inside = {one.name for one in path.iterdir()}

    assert set(files) <= names
    assert inside <= {"HEAD", "config", "objects", "refs", "info", "shallow"}
    assert not (tmp_path / "ran").exists()


async def test_the_users_own_configuration_is_not_used(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text(f'[core]\n\tsshCommand = touch {tmp_path}/ran\n[url "ext::sh -c true"]\n\tinsteadOf = http\n')
    around = {
        **ALONE,
        "http_proxy": "http://127.0.0.1:1",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
    }
    clones = Clones(tmp_path / "clones", GB, environment=around)

    async with scene.open() as access, clones.holding(scene.shop.id, access, scene.wants):
        pass

    assert not (tmp_path / "ran").exists()


async def test_the_token_is_nowhere_but_in_the_environment_of_git(scene: Scene, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    spy.write_text(f'#!/bin/sh\ntr "\\0" " " < /proc/$$/cmdline >> {seen}\nexec {real} "$@"\n')
    spy.chmod(0o755)
    scene.clones = Clones(tmp_path / "clones", GB, environment={**os.environ, "PATH": f"{spy.parent}:{os.environ['PATH']}"})

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        secret = access.header.rpartition(" ")[2].encode()
        on_disk = b"".join(file.read_bytes() for file in path.parent.rglob("*") if file.is_file())

    assert b"fetch" in seen.read_bytes()
    for hidden in (secret, *(token.encode() for token in scene.sim.tokens)):
        assert hidden not in seen.read_bytes() and hidden not in on_disk


# ---- many at once


async def test_twenty_at_once_fetch_once(scene: Scene) -> None:
    others = [Clones(scene.clones.folder, GB) for _ in range(4)]

    async def hold(clones: Clones, access: GitAccess) -> None:
        async with clones.holding(scene.shop.id, access, scene.wants) as path:
            assert (path / "refs/have" / scene.pull.base_sha).is_file()

    async with scene.open() as access:
        await asyncio.gather(*(hold(clones, access) for clones in others * 5))

    assert scene.fetches() == 1


async def test_the_least_recently_used_make_room_and_held_ones_stay(scene: Scene, tmp_path: Path) -> None:
    shops = [scene.shop, *(scene.sim.repository(f"acme/shop{number}", {"noise.py": os.urandom(200_000)}) for number in range(3))]
    clones = Clones(tmp_path / "small", 500_000, clock=iter(range(10**9)).__next__)

    async with scene.sim.listening(), scene.sim.client() as github:

        def holding(one: SimulatedRepository, access: GitAccess):  # type: ignore[no-untyped-def]
            return clones.holding(one.id, access, [Want(one.git.tip("refs/heads/main"))])

        accesses = [await github.git_access(scene.sim.ref(one)) for one in shops]
        async with holding(shops[1], accesses[1]) as held:
            async with holding(shops[2], accesses[2]):
                pass
            async with holding(shops[3], accesses[3]) as newest:
                left = {path.name for path in clones.folder.glob("*.git")}
            assert held.exists() and newest.exists()

    assert left == {f"{shops[1].id}.git", f"{shops[3].id}.git"}


async def test_forgetting_waits_for_who_reads_and_leaves_nothing(scene: Scene) -> None:
    async with scene.open() as access:
        async with scene.clones.holding(scene.shop.id, access, scene.wants) as path:
            forgetting = asyncio.create_task(scene.clones.forget(scene.shop.id))
            await asyncio.sleep(0.1)
            assert path.exists() and not forgetting.done()
        await forgetting
    await scene.clones.forget(999)

    assert list(scene.clones.folder.iterdir()) == []


async def test_a_clone_of_many_fetches_begins_anew(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.repositories.MOST_PACKS", 2)

    async with scene.open() as access:
        for number in range(4):
            scene.sim.push(scene.shop, "feature-1", {"price.py": f"x = {number}\n"})
            async with scene.clones.holding(scene.shop.id, access, scene.wants) as path:
                packs = len(list((path / "objects" / "pack").glob("*.pack")))
                assert packs <= 2


async def test_a_clone_whose_making_was_cut_off_is_made_anew(scene: Scene) -> None:
    broken = scene.clones.folder / f"{scene.shop.id}.git"
    (broken / "objects").mkdir(parents=True)
    (broken.with_suffix(".new") / "refs").mkdir(parents=True)

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, scene.wants) as path:
        assert (path / "HEAD").is_file()


async def test_locks_end_with_the_process_that_held_them(scene: Scene) -> None:
    """A worker is killed while it reads: the clone can be deleted at once."""
    scene.clones.folder.mkdir()
    code = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom bot.repositories import _locked, _use_lock\nimport fcntl\n"
        "async def hold():\n    async with _locked(_use_lock(Path(sys.argv[1])), fcntl.LOCK_SH):\n        print('held', flush=True)\n"
        "        await asyncio.sleep(600)\nasyncio.run(hold())\n"
    )
    path = scene.clones.folder / f"{scene.shop.id}.git"
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    forgetting = asyncio.create_task(scene.clones.forget(scene.shop.id))
    await asyncio.sleep(0.2)
    assert not forgetting.done()

    child.kill()
    child.wait()
    child.stdout.close()
    begun = time.monotonic()
    await forgetting

    assert time.monotonic() - begun < 30


async def test_a_tree_with_a_hundred_million_paths_is_small_to_fetch_and_refused_to_read(scene: Scene) -> None:
    git = scene.shop.git
    blob = git.run("hash-object", "-w", "--stdin", given=b"x = 1\n").decode().strip()
    lines = [f"100644 blob {blob}\tf{number}.py" for number in range(10)]
    for _ in range(8):
        tree = git.run("mktree", given="\n".join([*lines, ""]).encode()).decode().strip()
        lines = [f"040000 tree {tree}\td{number}" for number in range(10)]
    who = "a <a@example.com> 0 +0000"
    text = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode()
    commit = git.run("hash-object", "-t", "commit", "-w", "--stdin", given=text).decode().strip()
    git.set_ref("refs/pull/2/head", commit)

    async with scene.open() as access, scene.clones.holding(scene.shop.id, access, [Want(commit, "refs/pull/2/head")]) as path:
        with Repository.open(path) as repository, pytest.raises(RepositoryTooLarge):
            repository.tree(commit)

    assert scene.clones.used() < 20_000
