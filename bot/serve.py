"""The words after `maguyva serve` -> the service, until it is told to stop.

By default that is two processes: this one receives deliveries, and starts the one that works on them (`bot.worker`).
"""

from __future__ import annotations

import argparse
import gc
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.applications import Starlette

from bot import logs
from bot.app import create_app
from bot.errors import SettingsError
from bot.jobs.service import ALL, STOP_SECONDS, WEB, database_url, make_tables
from bot.records import Records
from bot.settings import Settings, read_settings, secrets_of
from bot.worker import COMMAND, Worker

SWITCH_SECONDS = 0.001  # how long a thread may keep the interpreter from the others: at Python's 5 ms a webhook waits for several of them


def serve(options: argparse.Namespace, environment: Mapping[str, str], worker: Sequence[str] = COMMAND, **service: Any) -> int:
    """`worker`: what starts the process that works, for role "all". `service`: for the JobService of this one. Raises SettingsError."""
    os.umask(0o077)
    sys.setswitchinterval(SWITCH_SECONDS)
    while True:
        settings = settings_of(options, environment)
        logs.set_up(settings.log_level, settings.log_format, secrets_of(settings))
        if settings.app is not None:
            look_at_database(settings)
        is_set_up = threading.Event()
        beside = Worker(worker, environment) if options.role == ALL and settings.app is not None else None
        app = create_app(settings, options.role, on_setup=is_set_up.set, worker=beside, **service)
        server = server_of(app, settings, is_set_up, beside)
        gc.collect()
        server.run()
        if beside is not None and beside.failed is not None:
            return beside.failed
        if not is_set_up.is_set():
            return 0 if server.started else 1


def look_at_database(settings: Settings) -> None:
    """Before anything is started: who has no database is told so in a sentence. Raises DatabaseAway."""
    url = database_url(settings.database_url)
    records = Records(url)
    try:
        make_tables(url, records)
    finally:
        records.close()


class _Server(uvicorn.Server):
    """Ends also when the App was set up, so that the service begins anew with it, and when the worker could not begin."""

    def __init__(self, config: uvicorn.Config, is_set_up: threading.Event, worker: Worker | None) -> None:
        super().__init__(config)
        self._is_set_up, self._worker = is_set_up, worker

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.freeze()  # what is there by now stays: no collection has to look at it again, which would stop everything for 50 ms

    async def on_tick(self, counter: int) -> bool:
        failed = self._worker is not None and self._worker.failed is not None
        return failed or self._is_set_up.is_set() or await super().on_tick(counter)


def server_of(app: Starlette, settings: Settings, is_set_up: threading.Event, worker: Worker | None = None) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        lifespan="on",
    )
    return _Server(config, is_set_up, worker)


def settings_of(options: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    settings = read_settings(environment)
    if options.role != ALL and settings.database_url.startswith("sqlite"):
        raise SettingsError([f"--role {options.role} shares the queue with other processes: set MAGUYVA_DATABASE_URL to a PostgreSQL."])
    if options.role == WEB and settings.app is None:
        raise SettingsError(["--role web needs the App's credentials: create the App with a service of one process first."])
    port = settings.port if options.port < 0 else options.port
    return replace(settings, host=options.host or settings.host, port=port)
