"""No App yet -> one click that creates it: GitHub is handed a manifest, hands back a code, and the code is changed for the credentials.

Only while nothing is set up, only for who knows the key that was written to the service's log, and each `state` is good for one return
within an hour. The credentials go into one file that nobody else may read, and the service starts anew with them.
"""

from __future__ import annotations

import html
import json
import secrets
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bot.types import NewApp

PERMISSIONS: Mapping[str, str] = MappingProxyType(
    {"metadata": "read", "contents": "read", "pull_requests": "write", "checks": "write", "issues": "read"}
)
EVENTS = ("issue_comment", "pull_request", "pull_request_review_comment", "push", "repository")
STATE_SECONDS = 3_600.0  # GitHub's code lives as long


class States:
    """`state` values we gave out. Each is good once."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.key = secrets.token_urlsafe(24)
        self._clock = clock
        self._given: dict[str, float] = {}

    def knows(self, key: str) -> bool:
        return secrets.compare_digest(key.encode(), self.key.encode())

    def give(self) -> str:
        now = self._clock()
        self._given = {state: until for state, until in self._given.items() if until > now}
        state = secrets.token_urlsafe(32)
        self._given[state] = now + STATE_SECONDS
        return state

    def take(self, state: str) -> bool:
        return self._given.pop(state, 0.0) > self._clock()


def manifest(public_url: str, name: str) -> dict[str, Any]:
    """What GitHub is told of the App: where it is, what it may, what it wants to hear of."""
    return {
        "name": name,
        "url": public_url,
        "hook_attributes": {"url": f"{public_url}/webhook", "active": True},
        "redirect_url": f"{public_url}/setup/done",
        "description": "Says what a pull request can break, where, and why.",
        "public": False,
        "default_permissions": dict(PERMISSIONS),
        "default_events": list(EVENTS),
    }


def setup_page(github: str, public_url: str, state: str, organisation: str = "") -> str:
    """A page with one button. `organisation`: create the App there; "": in the account of whoever clicks."""
    place = f"{github}/organizations/{organisation}/settings/apps/new" if organisation else f"{github}/settings/apps/new"
    told = json.dumps(manifest(public_url, f"maguyva-{secrets.token_hex(3)}"))
    return _page(
        "Create the GitHub App",
        f'<form action="{html.escape(place)}?state={html.escape(state)}" method="post">'
        f'<input type="hidden" name="manifest" value="{html.escape(told)}">'
        f"<p>GitHub will show what the App may do, and send you back here.</p>"
        f"<p><button>Create the App on {html.escape(github)}</button></p></form>",
    )


def done_page(app: NewApp) -> str:
    link = html.escape(app.url)
    return _page("The App is there", f'<p>Now <a href="{link}/installations/new">install it</a> where you want it.</p>')


def refusal_page(why: str) -> str:
    return _page("That did not work", f"<p>{html.escape(why)}</p>")


def _page(title: str, body: str) -> str:
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>{body}</html>'
