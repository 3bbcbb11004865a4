"""All files of a program, whatever their language -> their edges: each language family has its own linker and its own solution."""

from __future__ import annotations

from collections.abc import Mapping

from index.resolver.flows import Solution, solve
from index.resolver.gateways import Gateways
from index.resolver.keep import Recorded
from index.resolver.link import Linked, Linker, Standing
from index.resolver.program import Program
from index.resolver.script_link import ScriptLinker


class Linkers:
    """`link` one file at a time, then `late` with everything that was linked: see `Linker.link` and `index.resolver.flows`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.python, self.script = Linker(program), ScriptLinker(program)
        self.gateways: Gateways = self.python.evaluator.gateways
        self.script.evaluator.gateways = self.gateways

    def link(self, number: int, standing: Standing | None = None) -> Linked:
        """Never fails but for want of memory: see `failed`."""
        linker = self.of(number)
        try:
            return linker.link(number, standing)
        except MemoryError:
            raise
        except Exception as error:
            return linker.given_up(number, error)

    @property
    def failed(self) -> dict[int, Exception]:
        """By number of the file: what linking it ended in. Such a file has no links, or none of those that hang on arguments."""
        return {**self.python.failed, **self.script.failed}

    def late(self, linked: Mapping[int, Linked], recorded: Recorded | None = None) -> Solution:
        """What hangs on arguments: of all files, or with `recorded` of those where it may differ from the commit before."""
        found = Solution()
        languages = self.program.languages
        files = [number for number, language in enumerate(languages) if language]
        python = frozenset([number for number in files if languages[number] == "python"])
        script = frozenset([number for number in files if languages[number] != "python"])
        for linker, belongs in ((self.python, python), (self.script, script)):
            one = solve(linker, {number: its for number, its in linked.items() if number in belongs}, recorded, belongs)
            found.sites.update(one.sites)
            found.parameters.update(one.parameters)
        return found

    def close(self) -> None:
        """Lets go of everything: what is known of a program holds itself, and the collector may be off."""
        self.program.close()
        for linker in (self.python, self.script):
            linker.close()

    def of(self, number: int) -> Linker:
        return self.python if self.program.languages[number] == "python" else self.script
