"""Question text -> intent, how sure, the row of the table that matched, and what the question is about."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from index.intent.rules import AROUND_A_NAME, LITERAL, PRODUCTS, RULES, STOP_WORDS, SYMBOL, TOPIC, WRITTEN, Rule

READ = 500  # characters; the shape of a question is at its beginning, and a millisecond is all it gets

_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(rf"(?!{PRODUCTS}){WRITTEN}")
_WORD = re.compile(r"[\w$@][\w$.#/:@-]*[\w$]|[\w$]")
# the rate function in shop/tax.py: shop/tax.py::rate
_IN_FILE = re.compile(
    r"\b(?:in|from|of|inside|dans|de|du fichier) "
    r"`?((?:[\w.@-]+/)+[\w.@-]+|[\w@-]+\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|rb|php|c|h|cc|cpp|cs|kt)\b)`?"
)
_QUOTES = " \t\r\n`\"'“”«»"
_TYPED = {"’": "'", "‘": "'", "´": "'", "\u00a0": " ", "\u202f": " "}
# beside its subject, a question with one of these says a second thing
_SECOND_CLAUSE = re.compile(
    r"[;\n]|\?.*\?|, |\.\s+\w|(?<=\S)\s(?:and|or|but|then|because|while|et|ou|mais|puis|donc|parce)\s", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question is, as far as its shape says."""

    intent: str
    confidence: float
    rule: str
    subject: str  # the symbol, the literal or the topic; "" where none was found
    subject_kind: str  # "symbol", "literal" or "topic"
    subjects: tuple[str, ...]  # every symbol named; the subject first
    words: int  # the subject counts as one
    second_clause: bool
    only_tests: bool  # the question is which tests


def classify(text: str) -> Understood:
    """A question, in English or French -> `Understood`. Never raises; what nothing matches is understand_code at 0.40."""
    text = "".join(_TYPED.get(letter, letter) for letter in unicodedata.normalize("NFC", text[:READ]))
    plain = without_accents(text)
    rule, match = first_match(plain)
    subject, kind, subjects = _subject(rule, match, text)
    around = text.replace(subject, "_", 1) if subject else text
    return Understood(
        intent=rule.intent,
        confidence=rule.confidence,
        rule=rule.name,
        subject=subject,
        subject_kind=kind,
        subjects=subjects,
        words=len(around.split()),
        second_clause=_SECOND_CLAUSE.search(around) is not None,
        only_tests=rule.only_tests,
    )


def first_match(plain: str) -> tuple[Rule, re.Match[str]]:
    """A question without accents -> the first row that matches; the last one matches everything."""
    for rule in RULES:
        if match := rule.compiled.search(plain):
            return rule, match
    raise AssertionError("the last row matches everything")


def without_accents(text: str) -> str:
    """Composed text -> the same number of characters, each without its accent."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def _subject(rule: Rule, match: re.Match[str], text: str) -> tuple[str, str, tuple[str, ...]]:
    """What is looked at: the named part of the match, else what follows the match, else what stands before it."""
    named = next((name for name, value in match.groupdict().items() if value is not None), None)
    if rule.subject == LITERAL:
        literal = (text[slice(*match.span(named))] if named else text).strip(_QUOTES).rstrip(" ?")
        return literal, LITERAL, (literal,)
    parts = [text[slice(*match.span(named))]] if named else [text[match.end() :], text[: match.start()]]
    if not match.group():
        parts = [text]
    where = _IN_FILE.search(text) if rule.subject == SYMBOL else None
    file = f"{where[1]}::" if where else ""
    parts = [part.replace(where[0], " ") if where else part for part in parts]
    # a name may be a word that usually stands around one: which tests cover `edit`?
    for left_out in (AROUND_A_NAME, STOP_WORDS) if rule.subject == SYMBOL else (STOP_WORDS,):
        for part in parts:
            if symbols := _symbols(part):
                return file + symbols[0], SYMBOL, (file + symbols[0], *symbols[1:])
            words = [word for word in _WORD.findall(_elided(part)) if without_accents(word).lower() not in left_out]
            if words:
                kind = SYMBOL if rule.subject == SYMBOL and len(words) == 1 else TOPIC
                subject = (file if kind == SYMBOL else "") + " ".join(words)
                return subject, kind, (subject,)
    return "", TOPIC, ()


def _symbols(part: str) -> tuple[str, ...]:
    """Names that are written like code, in the order of the text, each once."""
    found = [name.strip() for name in _BACKTICKED.findall(part)] or [name.group() for name in _WRITTEN.finditer(part)]
    return tuple(dict.fromkeys(name.removesuffix("()") for name in found if name.strip()))


def _elided(part: str) -> str:
    """l'index, d'un, the cart's -> index, un, the cart."""
    return re.sub(r"\b(?:[ldjnmtsc]|qu)'|'(?:s|re|ll|ve|t)\b", " ", part, flags=re.IGNORECASE)
