"""How fast the App is, and how large. Prints one JSON object.

    PYTHONPATH=.:tests python -m tests.speed.app webhook|push|idle [PATH of a clone]

webhook: fifty deliveries a second for ten seconds while the clone is indexed from nothing: how long each answer took, and how late the
    event loop was.
push: from a push to the new comment, for that clone, with its index there.
idle: memory of the service when nothing is to do, with 200 repositories.

The service is a process of its own, GitHub is simulated in this one, which stands back: in life it is another machine. Deliveries come from
a third (`speed.load`). All share the machine's cores, and so does whatever else runs; "load" says how much that was.
"""

from __future__ import annotations

import asyncio
import base64
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
from speed.load import request

from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.kills import ROOT, SECRET, SHOP, Victim, _settled, a_victim

SECONDS, RATE = 10, 50
REPOSITORIES = 200
STANDS_BACK = 10  # the simulated GitHub for the service and the sender: its packing of a large clone is not this machine's work in life


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
        async with a_victim(sim, folder / "data") as victim:
            sender = await _sender(victim.port)
            os.nice(STANDS_BACK)
            await installed(sim, sim.installation_of(large), [large])
            await asyncio.sleep(1)
            spent, began = [_spent(one) for one in _service(victim)], time.perf_counter()
            posted = await _posted(sender, victim.port, ready)
            seconds, building = time.perf_counter() - began, _processes(victim)
            spent = [round(_spent(one) - before, 2) for one, before in zip(_service(victim), spent, strict=True)]
            async with httpx.AsyncClient() as client:
                numbers = (await client.get(f"http://127.0.0.1:{victim.port}/metrics")).text
    took, late = sorted(posted["took"]), sorted(posted["late"])
    inside = _histogram(numbers, "maguyva_answer_seconds")
    return {
        "deliveries": len(took),
        "per_second": RATE,
        "seconds": round(seconds, 1),
        "cpu_s": {"receiving": spent[0], "working": spent[1]},
        "engine_processes_meanwhile": building,
        "answer_ms": {"p50": _ms(took, 0.5), "p99": _ms(took, 0.99), "longest": round(took[-1] * 1e3, 1)},
        "of_this_the_sender_was_late_ms": {"p50": _ms(late, 0.5), "p99": _ms(late, 0.99), "longest": round(late[-1] * 1e3, 1)},
        "answer_inside_at_most": {name: share for name, share in inside.items() if name in ("0.025", "0.05", "0.1", "0.25")},
        "of_this_kept_at_most": {part: _histogram(numbers, "maguyva_keep_seconds", f'part="{part}",') for part in ("database", "disk")},
        "loop_late_at_most": _histogram(numbers, "maguyva_loop_stall_seconds"),
    }


async def _sender(port: int) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "speed.load", str(port), str(RATE)]
    return await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT / "tests")


async def _posted(sender: asyncio.subprocess.Process, port: int, ready: list[tuple[dict[str, str], bytes]]) -> dict[str, list[float]]:
    """The deliveries, posted by a process of its own."""
    requests = [base64.b64encode(request(port, headers, body)).decode() for headers, body in ready]
    said, _ = await sender.communicate(json.dumps({"requests": requests}).encode())
    assert sender.returncode == 0
    found: dict[str, list[float]] = json.loads(said)
    return found


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


def _service(victim: Victim) -> list[int]:
    """The service's own processes: the one that receives first, then the one that works; without engines and git."""
    assert victim.process is not None
    return [victim.process.pid, *_children(victim.process.pid)]


def _children(pid: int) -> list[int]:
    return [int(word) for one in Path(f"/proc/{pid}/task").glob("*/children") for word in one.read_text().split()]


def _memory(victim: Victim) -> float:
    """Megabytes resident, of the service's processes together; what they share is counted once (PSS)."""
    found = [re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M) for pid in _service(victim)]
    return round(sum(int(one[1]) for one in found if one is not None) / 1024, 1)


def _cpu(victim: Victim, alone: bool = False) -> float:
    """Seconds of processor time of the service and, unless `alone`, of its engine processes that live."""
    service = _service(victim)
    engines = [] if alone else [pid for one in service[1:] for pid in _children(one)]
    return sum(map(_spent, service + engines))


def _spent(pid: int) -> float:
    """Seconds of processor time of a process, and of its children that ended: git."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[at]) for at in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")


def _processes(victim: Victim) -> int:
    return sum(len(_children(one)) for one in _service(victim)[1:])


def _ms(sorted_seconds: list[float], share: float) -> float:
    return round(sorted_seconds[min(len(sorted_seconds) - 1, int(len(sorted_seconds) * share))] * 1e3, 1)


def _histogram(text: str, name: str, label: str = "") -> dict[str, str]:
    """Upper bound in seconds -> the share of observations up to it. `label`: of which row, as it is written there."""
    rows = re.findall(rf'^{name}_bucket{{(?:{label})?le="([^"]+)"(?:,{label.rstrip(",")})?}} (\S+)$', text, re.M)
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
