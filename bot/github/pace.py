"""When an installation may write again: GitHub's limits on bursts, kept on our side so that they are never reached."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

# GitHub's rules: at least a second between writes, 80 a minute and 500 an hour that others are notified of. We stay below, because the
# App's other processes and people using its token are not counted here.
GAP: Final = 1.0  # seconds
WINDOWS: Final = ((60.0, 70), (3_600.0, 450))  # seconds, writes


@dataclass(slots=True)
class Pace:
    """The writes of one installation during the last hour. The time is an argument: seconds since the epoch."""

    done: deque[float] = field(default_factory=deque)

    def reserve(self, now: float, longest: float) -> float:
        """Seconds until the next write is fine, 0: now. Up to `longest`, that moment is taken; beyond, it is left to others."""
        if self.done and self.done[-1] > now + 2 * longest:  # the clock was set back
            self.done.clear()
        while self.done and self.done[0] <= now - WINDOWS[-1][0]:
            self.done.popleft()
        wait = max(0.0, self.done[-1] + GAP - now) if self.done else 0.0
        for seconds, most in WINDOWS:
            if len(self.done) >= most:
                wait = max(wait, self.done[-most] + seconds - now)
        if wait <= longest:
            self.done.append(now + wait)
        return wait
