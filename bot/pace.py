"""When an installation may be written to again: GitHub's limits, kept on our side so that they are never reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one installation may be written to. GitHub's own limits are 80 writes a minute, 500 an hour, and a second between two; ours
    stay below, because its clock is not ours. `urgent` writes (a reaction to a person who waits) may use the rest of the minute."""

    minute: int = 66
    hour: int = 450
    gap: float = 1.0
    urgent_minute: int = 76
    minute_seconds: float = 60.0  # tests shorten both
    hour_seconds: float = 3_600.0


def next_slot(earlier: Sequence[float], now: float, pace: Pace, urgent: bool = False) -> float:
    """Times of the writes of the last hour, sorted, some perhaps still to come -> when the next one may be made: not before `now`."""
    at = now
    most, gap = (pace.urgent_minute, 0.0) if urgent else (pace.minute, pace.gap)
    if not urgent and earlier:
        at = max(at, earlier[-1] + gap)
    for limit, seconds in ((most, pace.minute_seconds), (pace.hour, pace.hour_seconds)):
        if len(earlier) >= limit:
            at = max(at, earlier[len(earlier) - limit] + seconds)
    return at


@dataclass(slots=True)
class Tally:
    """The writes to one installation during the last hour, where one process makes them all. The service counts them in its database,
    for all its processes (`Records.reserve_write`)."""

    pace: Pace = Pace()
    done: list[float] = field(default_factory=list)

    def reserve(self, now: float, longest: float) -> float:
        """Seconds until the next write is fine, 0: now. Up to `longest`, that moment is taken; beyond, it is left to others."""
        if self.done and self.done[-1] > now + 2 * longest:  # the clock was set back
            self.done.clear()
        self.done = [at for at in self.done if at > now - self.pace.hour_seconds]
        wait = next_slot(self.done, now, self.pace) - now
        if wait <= longest:
            self.done.append(now + wait)
        return wait
