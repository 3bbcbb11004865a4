"""Tests to run -> the command that runs them, and in words why these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.rendering.cutting import counted
from index.impact.nouns import SuggestedTest
from index.impact.runners import COMMANDS, command_for, id_of_test
from index.impact.which_tests import SHARES_WORDS, WRITTEN_HERE

MAX_IDS: Final = 8
WHOLE_FILE_FROM: Final = 4  # so many tests of one file are run as the file


@dataclass(frozen=True, slots=True)
class RunCommands:
    """`commands` to type, `files` that no known command runs, and `why` in words. `chosen` of all tests are in them."""

    commands: tuple[str, ...]
    files: tuple[str, ...]
    why: str
    chosen: int


def run_commands(tests: Sequence[SuggestedTest], limit: int = MAX_IDS) -> RunCommands:
    """Ranked tests -> commands for the first of them. Where the change edits some or the graph reaches some, the others are left out;
    sharing words with the change alone is never enough."""
    reached = [one for one in tests if one.steps > 0 or one.because == WRITTEN_HERE]
    wanted = reached or [one for one in tests if one.because != SHARES_WORDS][:limit]
    per_file = Counter(one.path for one in wanted)
    ids: dict[str, dict[str, int]] = {}
    chosen: list[SuggestedTest] = []
    for one in wanted:
        whole = per_file[one.path] >= WHOLE_FILE_FROM or not one.qualified
        name = id_of_test(one.path, "" if whole else one.qualified, one.runner)
        ids.setdefault(one.runner, {})
        if name in ids[one.runner] or sum(map(len, ids.values())) < limit:
            ids[one.runner][name] = ids[one.runner].get(name, 0) + 1
            chosen.append(one)
    commands = tuple(command_for(row.runner, ids[row.runner]) for row in COMMANDS if ids.get(row.runner))
    return RunCommands(commands, tuple(ids.get("", ())), _why(chosen), len(chosen))


def reached_tests(tests: Sequence[SuggestedTest]) -> tuple[SuggestedTest, ...]:
    """Those that the graph reaches or that the change itself edits: what is worth running where nothing else is said of a change."""
    return tuple(one for one in tests if one.steps > 0 or one.because == WRITTEN_HERE)


def _why(wanted: Sequence[SuggestedTest]) -> str:
    direct, further, other = (
        sum(one.steps == 1 and one.because != WRITTEN_HERE for one in wanted),
        sum(one.steps > 1 and one.because != WRITTEN_HERE for one in wanted),
        Counter(one.because for one in wanted if one.steps == 0 or one.because == WRITTEN_HERE),
    )
    said = [f"{direct} by direct use"] if direct else []
    said += [f"{further} through other code"] if further else []
    said += [f"{count} {because}" for because, count in sorted(other.items())]
    return f"{counted(len(wanted), 'test')}: {', '.join(said)}" if wanted else ""
