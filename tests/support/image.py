"""An image that deploy/Dockerfile built -> does it do its work as it is deployed: without root, on a read-only root?

    docker build -f deploy/Dockerfile -t maguyva . && PYTHONPATH=.:tests python -m support.image maguyva

Starts the simulated GitHub on this machine and the service in a container beside it, opens a pull request, and waits for its comment.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from github import bodies
from github.simulator import Simulator
from github.state import Clock, SimulatedPull, SimulatedRepository
from support.shop import NEEDS_TAX, SHOP

READY_SECONDS, COMMENT_SECONDS = 60, 120


def opened(sim: Simulator, shop: SimulatedRepository, pull: SimulatedPull) -> dict[str, Any]:
    return {
        "action": "opened",
        "repository": bodies.repository(sim, shop),
        "installation": {"id": sim.installation_of(shop)},
        "sender": bodies.user("octocat"),
        "number": pull.number,
        "pull_request": bodies.pull(sim, shop, pull),
    }


async def smoke(image: str, folder: Path) -> str:
    """-> the comment. Raises TimeoutError, and prints the log of the service."""
    sim = Simulator(folder / "github", clock=Clock(real=True))
    async with sim.listening():
        shop = sim.repository("acme/shop", SHOP)
        pull = sim.open_pull_request(shop, NEEDS_TAX)
        name, port = start(image, sim, folder)
        try:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as web:
                async with asyncio.timeout(READY_SECONDS):
                    while not await answers(web):
                        await asyncio.sleep(0.3)
                headers, body = sim.signed("pull_request", opened(sim, shop, pull))
                assert (await web.post("/webhook", content=body, headers=headers)).status_code == 202
            async with asyncio.timeout(COMMENT_SECONDS):
                while not sim.our_comments(shop, pull.number):
                    await asyncio.sleep(0.3)
            return sim.our_comments(shop, pull.number)[0].body
        except TimeoutError:
            print(subprocess.run(["docker", "logs", name], capture_output=True, text=True).stdout[-4_000:])
            raise
        finally:
            subprocess.run(["docker", "stop", "--time", "20", name], capture_output=True)


def start(image: str, sim: Simulator, folder: Path) -> tuple[str, int]:
    """-> the container's name, and the port that the service listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    secrets = folder / "secrets"
    secrets.mkdir()
    secrets.chmod(0o755)
    (secrets / "key.pem").write_text(sim.credentials.private_key)
    (secrets / "webhook").write_text(sim.credentials.webhook_secrets[0])
    name = f"maguyva-smoke-{port}"
    settings = {
        "MAGUYVA_GITHUB_URL": sim.web,
        "MAGUYVA_APP_ID": sim.credentials.id,
        "MAGUYVA_PRIVATE_KEY_FILE": "/run/secrets/key.pem",
        "MAGUYVA_WEBHOOK_SECRET_FILE": "/run/secrets/webhook",
        "MAGUYVA_LISTEN": f"127.0.0.1:{port}",
    }
    words = ["docker", "run", "--detach", "--rm", "--name", name, "--network", "host", "--read-only", "--tmpfs", "/tmp"]
    words += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--volume", f"{secrets}:/run/secrets:ro"]
    words += [word for key, value in settings.items() for word in ("--env", f"{key}={value}")]
    subprocess.run([*words, image], check=True, capture_output=True)
    return name, port


async def answers(web: httpx.AsyncClient) -> bool:
    try:
        return (await web.get("/readyz")).status_code == 200
    except httpx.TransportError:
        return False


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(asyncio.run(smoke(sys.argv[1], Path(folder))))
