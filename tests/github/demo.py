"""A simulated GitHub on the loopback with a real repository and open pull requests, for trying the service without GitHub.

    async with demo_github(folder, shop_repository(folder)) as demo:
        start `maguyva serve` with demo.environment, then
        await demo.say_opened("http://127.0.0.1:8080/webhook")
        body = await demo.comment(demo.pulls[0])

`python -m github.demo --webhook http://127.0.0.1:8080/webhook` (PYTHONPATH=.:tests) does that with a service that you started, and shows
the comments as they come. `--repo PATH --base REV --head REV` takes a clone of yours.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bot.types import PullState
from github import payloads
from github.git import ALONE, BareRepository
from github.simulator import Simulator, key_pair
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.pages import CHANGE_OF_PRICE, SHOP

INSTALLATION = 100
MARKER = "<!-- maguyva:"


@dataclass
class Demo:
    """`environment`: what `maguyva serve` needs to take this for its GitHub."""

    sim: Simulator
    repository: SimulatedRepository
    pulls: list[SimulatedPull]
    environment: Mapping[str, str] = field(repr=False)

    async def say_installed(self, webhook: str) -> int:
        """What the service answered to the delivery that GitHub sends when an App is installed."""
        return await self._send(webhook, "installation", payloads.installation(self.sim, self.sim.installation(INSTALLATION), "created"))

    async def say_opened(self, webhook: str) -> list[int]:
        """What the service answered to `pull_request` deliveries, one for each that is open."""
        opened = [one for one in self.pulls if one.state == PullState.OPEN]
        told = [payloads.pull_request(self.sim, self.repository, one, "opened", one.author) for one in opened]
        return [await self._send(webhook, "pull_request", one) for one in told]

    async def ask(self, webhook: str, pull: SimulatedPull, text: str, login: str = "octocat") -> int:
        """Somebody with write access comments `text`."""
        self.repository.roles[login] = "write"
        written = self.sim.write_comment(self.repository, pull.number, text, login)
        return await self._send(webhook, "issue_comment", payloads.issue_comment(self.sim, self.repository, written))

    async def comment(self, pull: SimulatedPull, seconds: float = 120.0, *, newer_than: int = 0) -> str:
        """The text of our newest comment there, as soon as there is one. Raises TimeoutError."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = [one for one in self.sim.our_comments(self.repository, pull.number) if one.id > newer_than]
            if found:
                return found[-1].body
            await asyncio.sleep(0.05)
        raise TimeoutError(f"no comment on pull request {pull.number} after {seconds:.0f} s")

    async def _send(self, webhook: str, event: str, payload: Mapping[str, object]) -> int:
        self.sim.hook = http_hook(webhook)
        return (await self.sim.deliver(event, payload)).status


def http_hook(url: str) -> Callable[[dict[str, str], bytes], Awaitable[int]]:
    """Deliveries go there by HTTP."""

    async def post(headers: dict[str, str], body: bytes) -> int:
        async with httpx.AsyncClient(timeout=10.0, trust_env=False) as client:
            return (await client.post(url, headers=headers, content=body)).status_code

    return post


@asynccontextmanager
async def demo_github(
    folder: Path, git: Path, changes: Sequence[tuple[str, str]] = (("main", "feature"),), *, name: str = "acme/shop", port: int = 0
) -> AsyncIterator[Demo]:
    """Serves the bare repository `git` as `name`, with one open pull request for each (base branch, head branch)."""
    sim = Simulator(folder / "github", clock=Clock(real=True))
    where = sim.repository(name, installation=INSTALLATION, git=git, default_branch=changes[0][0])
    pulls = [sim.open_pull_request(where, head=head, base=base, title=f"Merge {head}") for base, head in changes]
    async with sim.listening(port) as url:
        environment = {
            "MAGUYVA_GITHUB_URL": url,
            "MAGUYVA_APP_ID": str(sim.app_id),
            "MAGUYVA_PRIVATE_KEY": key_pair()[0],
            "MAGUYVA_WEBHOOK_SECRET": sim.secret,
            "MAGUYVA_DATA": str(folder / "data"),
        }
        yield Demo(sim, where, pulls, environment)


def shop_repository(folder: Path) -> Path:
    """The README's example as a bare repository, with its change on the branch `feature`."""
    bare = BareRepository(folder / "shop.git")
    for branch, files, start in (("main", SHOP, ""), ("feature", CHANGE_OF_PRICE, "main")):
        bare.commit(branch, {str(path): str(content) for path, content in files.items()}, start=start)
    return bare.folder


def repository_of(folder: Path, clone: Path, base: str, head: str) -> Path:
    """A bare copy of somebody's clone, with two of its revisions as the branches `base` and `head`. The clone is only read."""
    bare = folder / "copy.git"
    run = [["git", "clone", "--quiet", "--bare", "--no-local", "--no-tags", str(clone.absolute()), str(bare)]]
    run += [["git", "-C", str(bare), "branch", "--force", name, rev] for name, rev in (("demo-base", base), ("demo-head", head))]
    for command in run:
        done = subprocess.run(command, env=ALONE, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr.strip())
    return bare


async def _show(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="maguyva-demo-") as made:
        folder = Path(made)
        if options.repo:
            git, changes = repository_of(folder, Path(options.repo), options.base, options.head), (("demo-base", "demo-head"),)
        else:
            git, changes = shop_repository(folder), (("main", "feature"),)
        async with demo_github(folder, git, changes, port=options.port) as demo:
            print(f"GitHub is at {demo.environment['MAGUYVA_GITHUB_URL']}. Start the service with these settings:\n", flush=True)
            for name, value in demo.environment.items():
                print(f"export {name}='{value}'", flush=True)
            if not options.webhook:
                await asyncio.Event().wait()
            statuses = [await demo.say_installed(options.webhook), *await demo.say_opened(options.webhook)]
            print(f"\nThe service answered {', '.join(map(str, statuses))} to {options.webhook}.\n", flush=True)
            for pull in demo.pulls:
                print(await demo.comment(pull), flush=True)


def main() -> None:
    command = argparse.ArgumentParser(prog="python -m github.demo", description="A simulated GitHub with a real repository.")
    command.add_argument("--webhook", default="", metavar="URL", help="where the service takes deliveries; without, GitHub only waits")
    command.add_argument("--port", type=int, default=0, help="where GitHub listens (default: any free port)")
    command.add_argument("--repo", default="", metavar="PATH", help="a clone; without, the README's example")
    command.add_argument("--base", default="main", metavar="REV")
    command.add_argument("--head", default="HEAD", metavar="REV")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_show(command.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
