"""A PostgreSQL of our own for a test: in a folder of its own, on the loopback, gone afterwards. For machines that have the programs."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = ("/usr/lib/postgresql", "/usr/local/lib/postgresql", "/usr/pgsql")


def program(name: str) -> str | None:
    """The newest one of that name on this machine."""
    found = sorted((path for place in PLACES for path in Path(place).glob(f"*/bin/{name}")), key=lambda path: path.parts, reverse=True)
    return str(found[0]) if found else shutil.which(name)


def is_there() -> bool:
    return all(program(name) for name in ("initdb", "postgres")) and (os.getuid() != 0 or _servant() is not None)


def _servant() -> str | None:
    """PostgreSQL refuses to run as root: as whom then?"""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None


@contextmanager
def a_postgres() -> Iterator[str]:
    """-> the address of an empty database."""
    user = _servant() if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="maguyva-postgres-", dir="/tmp"))
    if user is not None:
        shutil.chown(folder, user)
    common: dict[str, object] = {"user": user, "cwd": "/", "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    initdb, postgres = program("initdb"), program("postgres")
    assert initdb is not None and postgres is not None
    made = subprocess.run(
        [initdb, "-D", str(folder / "data"), "-U", "maguyva", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"],
        stderr=subprocess.PIPE, check=False, **common,  # type: ignore[call-overload]
    )  # fmt: skip
    assert made.returncode == 0, made.stderr.decode()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"-p{port}", "-h127.0.0.1", f"-k{folder}", "-cfsync=off", "-cmax_connections=60", "-cshared_buffers=32MB"]
    server = subprocess.Popen([postgres, "-D", str(folder / "data"), *options], stderr=subprocess.DEVNULL, **common)  # type: ignore[call-overload]
    try:
        _wait_for(port, server)
        yield f"postgresql://maguyva@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    import psycopg

    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(f"postgresql://maguyva@127.0.0.1:{port}/postgres", connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.05)
