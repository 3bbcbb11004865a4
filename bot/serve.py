"""The words after `maguyva serve` -> the service, until it is told to stop."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.applications import Starlette

from bot import logs
from bot.app import create_app
from bot.errors import SettingsError
from bot.jobs.service import ALL, STOP_SECONDS, WEB
from bot.settings import Settings, read_settings

SWITCH_SECONDS = 0.001  # how long a thread may keep the interpreter from the others: at Python's 5 ms a webhook waits for several of them


def serve(options: argparse.Namespace, environment: Mapping[str, str], **service: Any) -> int:
    """`service`: for JobService. Raises SettingsError."""
    os.umask(0o077)
    sys.setswitchinterval(SWITCH_SECONDS)
    while True:
        settings = settings_of(options, environment)
        logs.set_up(settings.log_level, settings.log_format, secrets_of(settings))
        is_set_up = threading.Event()
        app = create_app(settings, options.role, on_setup=is_set_up.set, **service)
        server = server_of(app, settings, is_set_up)
        server.run()
        if not is_set_up.is_set():
            return 0 if server.started else 1


class _Server(uvicorn.Server):
    """Ends also when the App was set up, so that the service begins anew with it."""

    def __init__(self, config: uvicorn.Config, is_set_up: threading.Event) -> None:
        super().__init__(config)
        self._is_set_up = is_set_up

    async def on_tick(self, counter: int) -> bool:
        return self._is_set_up.is_set() or await super().on_tick(counter)


def server_of(app: Starlette, settings: Settings, is_set_up: threading.Event) -> uvicorn.Server:
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
    return _Server(config, is_set_up)


def settings_of(options: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    settings = read_settings(environment)
    if options.role != ALL and settings.database_url.startswith("sqlite"):
        raise SettingsError([f"--role {options.role} shares the queue with other processes: set MAGUYVA_DATABASE_URL to a PostgreSQL."])
    if options.role == WEB and settings.app is None:
        raise SettingsError(["--role web needs the App's credentials: create the App with a service of one process first."])
    port = settings.port if options.port < 0 else options.port
    return replace(settings, host=options.host or settings.host, port=port)


def secrets_of(settings: Settings) -> list[str]:
    """All that no line of the log may contain."""
    found = [settings.voyage.api_key] if settings.voyage is not None else []
    if settings.app is not None:
        found += [settings.app.private_key, *settings.app.webhook_secrets]
    return found

