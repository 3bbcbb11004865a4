"""How fast the App is, and how large. Prints one JSON object.

    PYTHONPATH=.:tests python -m tests.speed.app webhook|push|idle [PATH of a clone]

webhook: fifty deliveries a second for ten seconds while the clone is indexed from nothing: how long each answer took, and how late the
    event loop was.
push: from a push to the new comment, for that clone, with its index there.
idle: memory of the service when nothing is to do, with 200 repositories.

The service is a process of its own, GitHub is simulated in this one; both share the machine's cores, and so does whatever else runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.kills import SECRET, SHOP, Victim, _settled, a_victim

SECONDS, RATE = 10, 50
REPOSITORIES = 200


def a_simulator(folder: Path) -> Simulator:
    return Simulator(folder / "github", secret=SECRET, clock=Clock(real=True))


def a_clone(sim: Simulator, folder: Path, path: str) -> SimulatedRepository:
    bare = folder / "clone.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", "--shared", "--", path, str(bare)], check=True)
    head = subprocess.run(["git", "-C", str(bare), "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["git", "-C", str(bare), "update-ref", "refs/heads/main", head], check=True)
    return sim.repository("acme/large", git=bare)


def payload(sim: Simulator, shop: SimulatedRepository, pull: SimulatedPull, action: str) -> dict[str, Any]:
    return {
        "action": action,
        "number": pull.number,
        "pull_request": bodies.pull(sim, shop, pull),
        "repository": bodies.repository(sim, shop),
        "installation": {"id": sim.installation_of(shop)},
        "sender": bodies.user("octocat"),
    }


async def installed(sim: Simulator, number: int, shops: list[SimulatedRepository]) -> None:
    told = [{"id": one.id, "name": one.name, "full_name": one.full_name, "private": one.private} for one in shops]
    who = {"installation": bodies.installation(sim, sim.installation(number)), "sender": bodies.user("octocat")}
    assert (await sim.deliver("installation", {"action": "created", **who, "repositories": told})).status == 202


async def webhook(folder: Path, path: str) -> dict[str, Any]:
    sim = a_simulator(folder)
    async with sim.listening():
        shop = sim.repository("acme/shop", SHOP)
        pulls = [sim.open_pull_request(shop, {"shop/price.py": f"def price(net, tax_{n}):\n    return net\n"}) for n in range(5)]
        large = a_clone(sim, folder, path)
        ready = [sim.signed("pull_request", payload(sim, shop, pulls[n % 5], "synchronize")) for n in range(SECONDS * RATE)]
        async with a_victim(sim, folder / "data") as victim, httpx.AsyncClient(timeout=10) as client:
            await installed(sim, sim.installation_of(large), [large])
            await asyncio.sleep(1)
            address = f"http://127.0.0.1:{victim.port}"
            took: list[float] = []
            spent = _cpu(victim, alone=True)

            async def one(headers: dict[str, str], body: bytes) -> None:
                began = time.perf_counter()
                answer = await client.post(f"{address}/webhook", content=body, headers=headers)
                took.append(time.perf_counter() - began)
                assert answer.status_code == 202

            began, posting = time.perf_counter(), []
            for number, (headers, body) in enumerate(ready):
                await asyncio.sleep(max(0.0, began + number / RATE - time.perf_counter()))
                posting.append(asyncio.create_task(one(headers, body)))
            await asyncio.gather(*posting)
            building = _processes(victim)
            spent = _cpu(victim, alone=True) - spent
            numbers = (await client.get(f"{address}/metrics")).text
    took.sort()
    inside = _histogram(numbers, "maguyva_answer_seconds")
    return {
        "deliveries": len(took),
        "per_second": RATE,
        "service_cpu_s": round(spent, 2),
        "engine_processes_meanwhile": building,
        "answer_ms": {"p50": _ms(took, 0.5), "p99": _ms(took, 0.99), "longest": round(took[-1] * 1e3, 1)},
        "answer_inside_at_most": {name: share for name, share in inside.items() if name in ("0.025", "0.05", "0.1", "0.25")},
        "loop_late_at_most": _histogram(numbers, "maguyva_loop_stall_seconds"),
    }


async def push(folder: Path, path: str) -> dict[str, Any]:
    sim = a_simulator(folder)
    async with sim.listening():
        large = a_clone(sim, folder, path)
        files = large.git.run("ls-tree", "-r", "--name-only", "main").decode().splitlines()
        async with a_victim(sim, folder / "data") as victim:
            began = time.perf_counter()
            await installed(sim, sim.installation_of(large), [large])
            await _settled(victim.database, sim, 900)
            first = time.perf_counter() - began
            pull = sim.open_pull_request(large, {_changed(files): _change(large, files, 0)})
            opened = await _until_said(sim, large, pull, "opened")
            pushes, spent = [], []
            for number in range(1, 4):
                sim.push(large, pull.head_ref, {_changed(files): _change(large, files, number)})
                before = _cpu(victim)
                pushes.append(await _until_said(sim, large, pull, "synchronize"))
                spent.append(round(_cpu(victim) - before, 2))
    figures = {"first_index_s": round(first, 1), "opened_to_comment_s": opened, "push_to_comment_s": pushes}
    return {"files": len(files), **figures, "push_to_comment_cpu_s": spent}


def _changed(files: list[str]) -> str:
    known = [one for one in files if one.endswith("utils/text.py")] or [one for one in files if one.endswith(".py") and "test" not in one]
    return known[0]


def _change(large: SimulatedRepository, files: list[str], number: int) -> bytes:
    """The first function of a file gets one more parameter."""
    content = large.git.run("cat-file", "blob", f"main:{_changed(files)}")
    return re.sub(rb"(?m)^def (\w+)\(", rb"def \1(more_%d, " % number, content, count=1)


async def _until_said(sim: Simulator, shop: SimulatedRepository, pull: SimulatedPull, action: str) -> float:
    began = time.perf_counter()
    assert (await sim.deliver("pull_request", payload(sim, shop, pull, action))).status == 202
    while not any(pull.head_sha[:10] in one.body for one in sim.our_comments(shop, pull.number)):
        await asyncio.sleep(0.01)
        assert time.perf_counter() - began < 120
    return round(time.perf_counter() - began, 2)


async def idle(folder: Path, path: str) -> dict[str, Any]:
    sim = a_simulator(folder)
    async with sim.listening():
        shops = [sim.repository(f"acme/shop-{number}", SHOP) for number in range(REPOSITORIES)]
        async with a_victim(sim, folder / "data") as victim:
            started = _memory(victim)
            for first in range(0, REPOSITORIES, 100):
                await installed(sim, sim.installation_of(shops[0]), shops[first : first + 100])
            await _settled(victim.database, sim, 1_200)
            busy, processes = _memory(victim), _processes(victim)
            await asyncio.sleep(150)
            return {
                "repositories": REPOSITORIES,
                "just_started_mb": started,
                "after_indexing_mb": busy,
                "engine_processes_then": processes,
                "idle_mb": _memory(victim),
                "engine_processes_idle": _processes(victim),
            }


def _memory(victim: Victim) -> float:
    """Megabytes resident, of the service's process alone."""
    assert victim.process is not None
    status = Path(f"/proc/{victim.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found is not None
    return round(int(found[1]) / 1024, 1)


def _cpu(victim: Victim, alone: bool = False) -> float:
    """Seconds of processor time of the service and, unless `alone`, of its engine processes that live."""
    assert victim.process is not None
    pids = [str(victim.process.pid)]
    for one in [] if alone else Path(f"/proc/{victim.process.pid}/task").glob("*/children"):
        pids += one.read_text().split()
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(fields[at]) for at in (11, 12, 13, 14))  # its own, and of children that ended: git
    return ticks / os.sysconf("SC_CLK_TCK")


def _processes(victim: Victim) -> int:
    assert victim.process is not None
    children = Path(f"/proc/{victim.process.pid}/task").glob("*/children")
    return sum(len(one.read_text().split()) for one in children)


def _ms(sorted_seconds: list[float], share: float) -> float:
    return round(sorted_seconds[min(len(sorted_seconds) - 1, int(len(sorted_seconds) * share))] * 1e3, 1)


def _histogram(text: str, name: str) -> dict[str, str]:
    """Upper bound in seconds -> the share of observations up to it."""
    rows = re.findall(rf'^{name}_bucket{{le="([^"]+)"}} (\S+)$', text, re.M)
    total = float(rows[-1][1]) if rows else 0.0
    return {bound: f"{float(count) / total:.4f}" for bound, count in rows} if total else {}


MEASURES = {"webhook": webhook, "push": push, "idle": idle}


def main(arguments: list[str]) -> int:
    what, path = (arguments + ["", ""][len(arguments) :])[:2]
    with tempfile.TemporaryDirectory(prefix="maguyva-speed-") as folder:
        found = asyncio.run(MEASURES[what](Path(folder), os.path.abspath(path or ".")))
    print(json.dumps({"measured": what, "load": round(os.getloadavg()[0], 1), **found}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
