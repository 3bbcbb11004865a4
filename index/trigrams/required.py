"""A regular expression (RE2 syntax) -> literals that any line it matches must hold, so that only those lines are read.

After Russ Cox, "Regular Expression Matching with a Trigram Index" (2012): every piece of the pattern has either a small set of strings
it matches exactly, or a list of sets of which one string each must occur. What is not understood requires nothing, which is always right.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_EXACT = 16  # strings an exact piece may stand for before it is turned into a requirement
MAX_CLASS = 4  # characters of a class that is still spelled out
MAX_DEPTH = 50
MAX_REPEAT = 32  # x{3,} requires xxx; beyond this the piece once

_NEUTRAL = frozenset("bBAz")  # \b and the like match without a character
_CLASSES = frozenset("dDwWsS")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Required:
    """`literals`: of each set at least one string occurs in every match. `fold`: in any mix of case."""

    literals: tuple[tuple[bytes, ...], ...]
    fold: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    exact: frozenset[str] | None  # all strings it matches, where they are few
    must: tuple[frozenset[str], ...] = ()


class _NotUnderstood(Exception):
    """Syntax we don't take apart."""


_EMPTY = _Piece(frozenset([""]))
_ANYTHING = _Piece(None)


def required_literals(pattern: str) -> Required:
    """A pattern that RE2 accepts -> what its matches must hold; no literals where we can't say."""
    fold = False
    try:
        reader = _Reader(pattern)
        piece = reader.alternation(0)
        fold = reader.fold
        if reader.at < len(pattern):
            raise _NotUnderstood
    except _NotUnderstood:
        return Required((), False)
    found = {strings for strings in _must(piece) if all(strings) and "" not in strings}
    spelled = sorted(tuple(sorted(text.encode("utf-8", "surrogatepass") for text in strings)) for strings in found)
    if fold:
        # RE2 folds Unicode letters, we fold ASCII only.
        spelled = [tuple(sorted({text.lower() for text in strings})) for strings in spelled if all(text.isascii() for text in strings)]
    return Required(tuple(spelled), fold)


def _must(piece: _Piece) -> tuple[frozenset[str], ...]:
    return piece.must if piece.exact is None else (*piece.must, piece.exact)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.fold = False

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def alternation(self, depth: int) -> _Piece:
        if depth > MAX_DEPTH:
            raise _NotUnderstood
        branches = [self.concatenation(depth)]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.concatenation(depth))
        return branches[0] if len(branches) == 1 else _either(branches)

    def concatenation(self, depth: int) -> _Piece:
        pieces = []
        while self.at < len(self.pattern) and self.peek() not in "|)":
            pieces.append(self.repeated(self.atom(depth)))
        return _sequence(pieces)

    def repeated(self, piece: _Piece) -> _Piece:
        while (sign := self.peek()) and sign in "*+?{":
            least, most = 0, -1
            if sign == "{":
                end = self.pattern.find("}", self.at)
                numbers = self.pattern[self.at + 1 : end].split(",") if end > 0 else []
                if not 1 <= len(numbers) <= 2 or not numbers[0].isascii() or not numbers[0].isdigit():
                    raise _NotUnderstood  # a brace that stands for itself
                least = int(numbers[0])
                most = least if len(numbers) == 1 else int(numbers[1]) if numbers[1].isascii() and numbers[1].isdigit() else -1
                self.at = end
            elif sign == "+":
                least = 1
            elif sign == "?":
                most = 1
            self.at += 1
            if self.peek() == "?":  # not greedy: matches the same strings
                self.at += 1
            if least == 0:
                optional = most == 1 and piece.exact is not None and not piece.must
                piece = _Piece((piece.exact or frozenset()) | {""}) if optional else _ANYTHING
            elif (least, most) != (1, 1):
                piece = _Piece(None, _must(_sequence([piece] * least) if least <= MAX_REPEAT else piece))
        return piece

    def atom(self, depth: int) -> _Piece:
        sign = self.peek()
        self.at += 1
        if sign == "(":
            return self.group(depth)
        if sign == "[":
            return self.character_class()
        if sign == "\\":
            return self.escape()
        if sign == ".":
            return _ANYTHING
        if sign in "^$":
            return _EMPTY
        if sign in "*+?{":
            raise _NotUnderstood
        return _Piece(frozenset([sign]))

    def group(self, depth: int) -> _Piece:
        if self.peek() == "?":
            end = self.at + 1
            if self.pattern.startswith(("P<", "<"), end):
                end = self.pattern.find(">", end)
            else:
                while self.pattern[end : end + 1].isalpha() or self.pattern[end : end + 1] == "-":
                    self.fold |= self.pattern[end] == "i"
                    end += 1
            closing = self.pattern[end : end + 1]
            self.at = end + 1
            if closing == ")":
                return _EMPTY
            if end < 0 or closing not in (":", ">"):
                raise _NotUnderstood
        piece = self.alternation(depth + 1)
        if self.peek() != ")":
            raise _NotUnderstood
        self.at += 1
        return piece

    def escape(self) -> _Piece:
        sign = self.peek()
        self.at += 1
        if sign in _NEUTRAL and sign:
            return _EMPTY
        if sign in _CLASSES:
            return _ANYTHING
        if sign in _CONTROL:
            return _Piece(frozenset([_CONTROL[sign]]))
        if sign and not sign.isalnum():
            return _Piece(frozenset([sign]))
        raise _NotUnderstood

    def character_class(self) -> _Piece:
        start = self.at
        if self.peek() == "^":
            self.at += 1
        if self.peek() == "]":
            self.at += 1
        while (sign := self.peek()) != "]":
            if not sign or self.pattern.startswith("[:", self.at):
                raise _NotUnderstood
            self.at += 2 if sign == "\\" else 1
        self.at += 1
        body = self.pattern[start : self.at - 1]
        plain = body and body[0] not in "^]" and not set(body) & {"\\", "-"}
        return _Piece(frozenset(body)) if plain and len(body) <= MAX_CLASS else _ANYTHING


def _sequence(pieces: list[_Piece]) -> _Piece:
    must: list[frozenset[str]] = []
    exact: frozenset[str] = frozenset([""])
    whole = True  # no piece so far was without an exact set
    for piece in pieces:
        must += piece.must
        if piece.exact is None:
            must.append(exact)
            exact, whole = frozenset([""]), False
        elif len(exact) * len(piece.exact) > MAX_EXACT:
            must.append(exact)
            exact, whole = piece.exact, False
        else:
            exact = frozenset(a + b for a in exact for b in piece.exact)
    useful = tuple(strings for strings in must if "" not in strings)
    if whole:
        return _Piece(exact, useful)
    return _Piece(None, useful if "" in exact else (*useful, exact))


def _either(branches: list[_Piece]) -> _Piece:
    if all(branch.exact is not None and not branch.must for branch in branches):
        exact = frozenset().union(*(branch.exact or () for branch in branches))
        if len(exact) <= MAX_EXACT:
            return _Piece(exact)
    # One requirement of each branch, the one whose shortest string is longest, holds for the whole.
    best: list[frozenset[str]] = []
    for branch in branches:
        usable = [strings for strings in _must(branch) if strings and "" not in strings]
        if not usable:
            return _ANYTHING
        best.append(max(usable, key=lambda strings: (min(map(len, strings)), sorted(strings))))
    together = frozenset().union(*best)
    return _Piece(None, (together,)) if len(together) <= 4 * MAX_EXACT else _ANYTHING
