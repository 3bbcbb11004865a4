"""Bytes of a file -> its syntax tree, or nothing where that would take more work than source of that size may: work is counted, not
timed, so the answer is the same everywhere.

The parser counts its steps and can be stopped after each hundred of them. What it reads is not in them: its lexer may look as far ahead as
it likes, and where every second byte begins what only the end of the file can end, a few steps read the file a thousand times. So it gets
the file in pieces, and those that it asks for are counted too, each time again. index/parsing/walk.c does the same.
"""

from __future__ import annotations

import tree_sitter

from index.stack import on_a_large_stack

MOST_STEPS, STEPS_PER_BYTE = 2_000, 0.03  # in hundreds; real code takes 0.013 a byte, minified code 0.022, some errors 0.08
PIECE = 1_024  # bytes; within a piece, what is read again is not counted
MOST_READS, READS_PER_BYTE = 5_000, 0.05  # of 44,000 real files none takes 1,600, nor a twentieth of what it may
LARGE = 1 << 16  # bytes of a file that may nest so deeply that the usual stack, of 8 MB, has no room for it
STACK = 1 << 27  # bytes; joining two readings of nested code takes a hundred of them for each level, and a level is a byte long or more


def most_steps(size: int) -> int:
    """How many steps the parser may take for a file of so many bytes, in hundreds."""
    return MOST_STEPS + int(size * STEPS_PER_BYTE)


def most_reads(size: int) -> int:
    """How many pieces of a file of so many bytes the parser may ask for."""
    return MOST_READS + int(size * READS_PER_BYTE)


class BoundedParser:
    """Parses one file at a time."""

    def __init__(self, grammar: tree_sitter.Language) -> None:
        self.parser = tree_sitter.Parser(grammar)
        # tree-sitter 0.26.1 never lets go of what a reader answers. So that is always this, which costs nothing more.
        self._piece = bytearray()

    def parse(self, data: bytes) -> tree_sitter.Tree | None:
        """Never raises for bad source. `Node.text` is not to be asked of this tree."""
        return self._parsed(data) if len(data) < LARGE else on_a_large_stack(lambda: self._parsed(data), STACK)

    def _parsed(self, data: bytes) -> tree_sitter.Tree | None:
        piece = self._piece
        steps, reads = most_steps(len(data)), most_reads(len(data))
        first = end = 0

        def is_enough(_: int, __: bool) -> bool:
            nonlocal steps
            steps -= 1
            return steps < 0 or reads < 0

        def read(byte: int, _: object) -> bytearray:
            """Nothing once that is enough, which ends the file for the parser, in the middle of a step too: but where it reads on in the
            piece that it has, it takes for granted that there is something."""
            nonlocal reads, first, end
            reads -= 1
            size = PIECE if reads >= 0 or first <= byte < end else 0
            piece[:] = data[byte : byte + size]
            first, end = byte, byte + len(piece)
            return piece

        try:
            tree = self.parser.parse(read, progress_callback=is_enough)
        except ValueError:
            self.parser.reset()
            return None
        return tree if reads >= 0 else None
