"""The whole App on this machine: a simulated GitHub, the real service, a pull request, its comment, a question and its answer.

    python -m support.demo                              a small shop, made here
    python -m support.demo PATH [BASE [HEAD]]           any clone; BASE and HEAD: HEAD~1 and HEAD if not said

Nothing leaves the machine, nothing stays on it, and it ends by itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.rule import Rule

from bot import logs
from bot.rendering.cutting import counted
from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.service import Service, a_service

SHOP = {
    "billing/__init__.py": "",
    "billing/price.py": (
        '"""What things cost."""\n\n\ndef price(net: int) -> int:\n    return net * 121 // 100\n\n\n'
        "def label(net: int) -> str:\n    return f'{price(net)} cents'\n"
    ),
    "shop/__init__.py": "",
    "shop/cart.py": (
        "from billing.price import price\n\n\nclass Cart:\n    def __init__(self, nets: list[int]) -> None:\n        self.nets = nets\n\n"
        "    def total(self) -> int:\n        return sum(price(net) for net in self.nets)\n"
    ),
    "shop/checkout.py": ("from shop.cart import Cart\n\n\ndef pay(nets: list[int]) -> str:\n    return f'paid {Cart(nets).total()}'\n"),
    "jobs/nightly.py": "from billing.price import price\n\n\ndef report() -> int:\n    return price(1) + price(net=2)\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart([100]).total() == 121\n",
    "tests/test_checkout.py": "from shop.checkout import pay\n\n\ndef test_pay():\n    assert pay([100]) == 'paid 121'\n",
}
CHANGE = {
    "billing/price.py": (
        '"""What things cost."""\n\n\ndef price(net: int, country: str) -> int:\n'
        '    return net * (119 if country == "de" else 121) // 100\n\n\n'
        "def label(net: int) -> str:\n    return f'{price(net, \"be\")} cents'\n"
    ),
}
OPENED = (
    ("<details>", ""),
    ("</details>", ""),
    ("<summary>", "\n**"),
    ("</summary>", "**\n"),
    ("<sub>", ""),
    ("</sub>", ""),
    ("<br>", " "),
)
QUESTION = "/maguyva who calls price?"

console = Console(highlight=False)


async def demo(path: str, base: str, head: str) -> int:
    with tempfile.TemporaryDirectory(prefix="maguyva-demo-") as folder:
        sim = Simulator(Path(folder) / "github", clock=Clock(real=True))
        async with a_service(Path(folder), sim=sim) as service:
            shop, pull = _from_clone(sim, Path(folder), path, base, head) if path else _small(sim)
            shop.roles["you"] = "write"
            files = shop.git.run("ls-tree", "-r", "--name-only", "main").splitlines()
            said("A repository is installed", f"{shop.full_name}: {len(files):,} files")
            began = time.monotonic()
            await service.tell_installation("created", sim.installation_of(shop), [shop])
            await _until_quiet(service)
            said("It is indexed, and its open pull request is looked at", f"{time.monotonic() - began:.1f} s")
            _show_comment(service, shop, pull)
            await _ask(service, shop, pull, path)
            await _push(service, shop, pull, path)
            runs = await service.jobs.records.last_runs(100)
            said("In the end", f"{len(runs)} jobs, {len(sim.writes())} writes on GitHub, {len(await service.dead())} failures")
        for violation in sim.violations:
            console.print(f"GitHub would have objected: {violation}", markup=False)
        return 1 if sim.violations else 0


def said(what: str, detail: str = "") -> None:
    console.print(Rule(style="dim"))
    console.print(f"[bold]{what}[/bold]" + (f"  [dim]{detail}[/dim]" if detail else ""))


def _small(sim: Simulator) -> tuple[SimulatedRepository, SimulatedPull]:
    shop = sim.repository("acme/shop", SHOP)
    return shop, sim.open_pull_request(shop, CHANGE, title="Prices depend on the country", author="you")


def _from_clone(sim: Simulator, folder: Path, path: str, base: str, head: str) -> tuple[SimulatedRepository, SimulatedPull]:
    bare = folder / "clone.git"
    if subprocess.run(["git", "-C", path, "rev-parse", "--git-dir"], capture_output=True, check=False, stdin=subprocess.DEVNULL).returncode:
        sys.exit(f"{path} is no git repository: give the path of a clone, as make demo REPO=path BASE=main HEAD=feature.")
    _git("clone", "--quiet", "--bare", "--shared", "--", os.path.abspath(path), str(bare))
    ids = {name: _commit(bare, name) for name in (base, head)}
    for branch, revision in (("main", base), ("feature", head)):
        _git("-C", str(bare), "update-ref", f"refs/heads/{branch}", ids[revision])
    name = Path(os.path.abspath(path)).name.removesuffix(".git") or "clone"
    shop = sim.repository(f"local/{name if name.replace('-', '').replace('_', '').replace('.', '').isalnum() else 'clone'}", git=bare)
    return shop, sim.open_pull_request(shop, head="feature", base="main", author="you")


def _commit(bare: Path, name: str) -> str:
    command = ["git", "-C", str(bare), "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"There is no commit {name} in that clone: check the name. Branches of its remote are not looked at.")
    return done.stdout.strip()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


async def _until_quiet(service: Service) -> None:
    """As `settled`, for as long as an index of a large repository takes."""
    await service.settled(1_800)


def _show_comment(service: Service, shop: SimulatedRepository, pull: SimulatedPull) -> None:
    for comment in service.sim.our_comments(shop, pull.number)[:1]:
        said("The comment")
        console.print(Markdown(_readable(comment.body)))
        break
    else:
        said("No comment: nothing to say")
    for check in service.sim.checks(shop, pull.head_sha):
        marks = counted(len(check["output"]["annotations"]), "annotation")
        said("The check", f"{check['conclusion']}, {marks}: {check['output']['title']}")


def _readable(body: str) -> str:
    """Markdown as a terminal can show it: what GitHub folds stands open, without the drawing."""
    lines, skipped = [], False
    for line in body.splitlines():
        if line.startswith("```mermaid"):
            skipped = True
        if not skipped and not line.startswith("<!--"):
            for old, new in OPENED:
                line = line.replace(old, new)
            lines.append(line)
        if skipped and line == "```":
            skipped = False
    return "\n".join(lines)


async def _ask(service: Service, shop: SimulatedRepository, pull: SimulatedPull, path: str) -> None:
    question = QUESTION if not path else "/maguyva tests"
    said("Somebody asks", question)
    comment = service.sim.write_comment(shop, pull.number, question, "you")
    began = time.monotonic()
    await service.tell_comment(shop, comment)
    await _until_quiet(service)
    for one in service.sim.our_comments(shop, pull.number):
        if one.body.startswith("<!-- maguyva:answer"):
            said("The answer in the thread", f"{time.monotonic() - began:.1f} s")
            console.print(Markdown(_readable(one.body)))


async def _push(service: Service, shop: SimulatedRepository, pull: SimulatedPull, path: str) -> None:
    if path:
        return
    said("A push gives `country` a default")
    service.sim.push(shop, pull.head_ref, {"billing/price.py": CHANGE["billing/price.py"].replace("country: str)", "country: str = 'be')")})
    await service.sim.deliver(
        "pull_request", service.payload(shop, "synchronize", number=pull.number, pull_request=bodies.pull(service.sim, shop, pull))
    )
    await _until_quiet(service)
    (first, *_) = service.sim.our_comments(shop, pull.number)
    said("The same comment, rewritten", "its first lines")
    console.print(Markdown("\n".join(_readable(first.body).splitlines()[:2])))


def main(arguments: list[str]) -> int:
    path, base, head = (arguments + ["", "", ""][len(arguments) :])[:3]
    logs.set_up("error", "text")
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    return asyncio.run(demo(path, base or "HEAD~1", head or "HEAD"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
