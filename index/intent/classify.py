"""Question text -> intent, how sure, the row of the table that matched, and what the question is about."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from index.intent.rules import (
    AROUND_A_NAME,
    CONSTRUCT,
    FILE,
    LITERAL,
    PATTERN,
    PRODUCTS,
    REPORT,
    RULES,
    STOP_WORDS,
    SYMBOL,
    TELLING,
    TOPIC,
    TREE_QUERY,
    UNSURE,
    WRITTEN,
    Rule,
)

READ = 500  # characters; the shape of a question is at its beginning, and a millisecond is all it gets
SHORT = 5  # letters of a word that another one may well be but for a letter
READ_WHOLE = 1_500  # of each end of a long text, for the rows that look for the one line of a stack trace that tells

_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(rf"(?!{PRODUCTS}){WRITTEN}")
_FILE = re.compile(FILE)
_WORD = re.compile(r"[\w$@][\w$.#/:@-]*[\w$]|[\w$]")
# the rate function in shop/tax.py: shop/tax.py::rate
_IN_FILE = re.compile(rf"\b(?:in|from|of|inside|dans|de|du fichier) `?((?:[\w.@-]+/)+[\w.@-]+|{FILE})`?")
_QUOTES = " \t\r\n`\"'“”«»"
_TYPED = {"’": "'", "‘": "'", "´": "'", "\u00a0": " ", "\u202f": " "}
_REGEX = re.compile(r"/(.*)/([iw]*)", re.DOTALL)
_FRAME = re.compile(r"(.*?)\"?, line (\d+)")
# beside its subject, a question with one of these says a second thing
_SECOND_CLAUSE = re.compile(
    r"[;\n]|\?.*\?|, |\.\s+\w|(?<=\S)\s(?:and|or|but|then|because|while|et|ou|mais|puis|donc|parce)\s", re.IGNORECASE
)
_INVERTED = re.compile(r"(?<=\w)-(?:t-)?(?:ils?|elles?|on|nous|vous|je|tu|ce)$")  # sont-ils, gère-t-il
_PLAIN_WORD = re.compile(r"(?<![\w.`$/-])[a-zà-ÿ]{3,16}(?![\w.`$/(-])")
_AS_IT_STANDS = frozenset({LITERAL, PATTERN, TREE_QUERY, CONSTRUCT, REPORT})


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question is, as far as its shape says."""

    intent: str
    confidence: float
    rule: str
    subject: str  # the symbol, the literal or the topic; "" where none was found
    subject_kind: str  # "symbol", "literal", "pattern", "construct", "tree query" or "topic"
    subjects: tuple[str, ...]  # every symbol named; the subject first
    words: int  # the subject counts as one
    second_clause: bool
    wants: str = ""  # "tests", "callees" or "path": what of all that is found answers
    how: str = ""  # of a literal or pattern: "i" in any case, "w" whole words
    topic: str = ""  # the telling words, where they are more than the subject

    @property
    def only_tests(self) -> bool:
        return self.wants == "tests"


def classify(text: str) -> Understood:
    """A question, in English or French -> `Understood`. Never raises; what nothing matches is understand_code at 0.40."""
    whole = text if len(text) <= 2 * READ_WHOLE else f"{text[:READ_WHOLE]}\n{text[-READ_WHOLE:]}"
    whole = "".join(_TYPED.get(letter, letter) for letter in unicodedata.normalize("NFC", whole))
    rule, match = first_match(without_accents(whole))
    if rule.name in UNSURE and (corrected := _without_slips(whole[:READ])) != whole[:READ]:
        again, found = first_match(without_accents(corrected))
        if again.confidence > rule.confidence:
            rule, match, whole = again, found, corrected
    text = whole if rule.whole else whole[:READ]
    subject, kind, subjects, how = _subject(rule, match, text)
    around = text
    for one in subjects or (subject,):
        around = around.replace(one, "_", 1) if one else around
    return Understood(
        intent=rule.intent,
        confidence=rule.confidence,
        rule=rule.name,
        subject=subject,
        subject_kind=kind,
        subjects=subjects,
        words=1 if rule.whole else len(around.split()),
        second_clause=not rule.whole and _SECOND_CLAUSE.search(around) is not None,
        wants=rule.wants,
        how=how,
        topic=_topic(rule, subject, kind, text),
    )


def first_match(plain: str) -> tuple[Rule, re.Match[str]]:
    """A question without accents -> the first row that matches; the last one matches everything."""
    start = plain[:READ]
    for rule in RULES:
        if match := rule.compiled.search(plain if rule.whole else start):
            return rule, match
    raise AssertionError("the last row matches everything")


def without_accents(text: str) -> str:
    """Composed text -> the same number of characters, each without its accent."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


# -- what it is about -------------------------------------------------------------------------------------------------------


def _subject(rule: Rule, match: re.Match[str], text: str) -> tuple[str, str, tuple[str, ...], str]:
    """What is looked at: the named part of the match, else what follows the match, else what stands before it."""
    groups = {name: text[slice(*match.span(name))] for name, value in match.groupdict().items() if value is not None}
    how, other = groups.pop("how", ""), groups.pop("other", "")
    named = groups.get("subject") or next(iter(groups.values()), None)
    if rule.subject in _AS_IT_STANDS:
        literal = text if named is None else named
        if rule.subject == PATTERN and (regex := _REGEX.fullmatch(literal)):
            literal, how = regex[1], regex[2]
        elif rule.subject == REPORT:
            literal = literal.strip("#* \t\r")
        elif rule.subject == LITERAL:
            literal = literal.strip(_QUOTES).rstrip(" ?")
        return literal, rule.subject, (literal,), how
    if frame := _FRAME.fullmatch(named or ""):
        named = f"{frame[1]}:{frame[2]}"
    if other:
        ends = tuple(one.strip("`").removesuffix("()") for one in (named or "", other))
        return ends[0], SYMBOL, ends, ""
    if named is not None and rule.subject == SYMBOL and (_FILE.fullmatch(named) or frame):
        return named, SYMBOL, (named,), ""
    around = [text] if rule.name in UNSURE else [text[match.end() :], text[: match.start()]]
    parts = [named, *around] if named else around  # "is for use as a pool.Factory": nothing stands where the name would
    where = _IN_FILE.search(text) if rule.subject == SYMBOL else None
    rest = [part.replace(where[0], " ").replace(where[1], " ") for part in parts] if where else []
    if where and any(_symbols(part) or _plain_words(part, AROUND_A_NAME) for part in rest[:1]):
        file, parts = f"{where[1]}::", rest
    else:
        file = ""  # the file itself is what is asked about
    # a name may be a word that usually stands around one: which tests cover `edit`?
    for left_out in (AROUND_A_NAME, STOP_WORDS) if rule.subject == SYMBOL else (STOP_WORDS,):
        for part in parts:
            if symbols := _symbols(part):
                return file + symbols[0], SYMBOL, (file + symbols[0], *symbols[1:]), how
            if words := _plain_words(part, left_out):
                kind = SYMBOL if rule.subject == SYMBOL and len(words) == 1 else TOPIC
                subject = (file if kind == SYMBOL else "") + " ".join(dict.fromkeys(words))
                return subject, kind, (subject,), how
    return "", TOPIC, (), how


def _topic(rule: Rule, subject: str, kind: str, text: str) -> str:
    """A sentence that a name or a literal stands in says more than these: "fix crash in Cart.total when the cart is empty"."""
    if kind == TOPIC or (rule.name not in UNSURE and kind != LITERAL):
        return ""
    words = _plain_words(text.replace("`", " "), STOP_WORDS)
    return " ".join(dict.fromkeys(words)) if any(word not in subject for word in words) else ""


def _plain_words(part: str, left_out: frozenset[str]) -> list[str]:
    words = [_INVERTED.sub("", word) for word in _WORD.findall(_elided(part))]
    return [word for word in words if without_accents(word).lower() not in left_out]


def place_named(text: str) -> str:
    """ "async functions in shop/cart": the file or folder that a question names as where to look; "" where it names none."""
    found = _IN_FILE.search(text[:READ])
    return found[1] if found else ""


def written_names(text: str) -> tuple[str, ...]:
    """Every name in a text that is written like code, in its order, each once."""
    return _symbols(text[:READ])


def _symbols(part: str) -> tuple[str, ...]:
    """Names that are written like code, in the order of the text, each once."""
    found = [name.strip() for name in _BACKTICKED.findall(part)] or [name.group() for name in _WRITTEN.finditer(part)]
    return tuple(dict.fromkeys(name.removesuffix("()") for name in found if name.strip()))


def _elided(part: str) -> str:
    """l'index, d'un, the cart's -> index, un, the cart."""
    return re.sub(r"\b(?:[ldjnmtsc]|qu)'|'(?:s|re|ll|ve|t)\b", " ", part, flags=re.IGNORECASE)


# -- slips of the fingers ---------------------------------------------------------------------------------------------------


def _without_slips(text: str) -> str:
    """The same question, its small-letter words that nearly spell a telling word spelt as that word."""
    return _PLAIN_WORD.sub(lambda word: _meant(word[0]), text)


@lru_cache(maxsize=4_096)
def _meant(written: str) -> str:
    word = without_accents(written)
    if word in TELLING or word in STOP_WORDS:
        return written
    most = 2 if len(word) >= 8 else 1
    best = min(((_slips(word, telling, most), telling) for telling in TELLING if abs(len(telling) - len(word)) <= most), default=(9, ""))
    return best[1] if best[0] <= most else written


def _slips(a: str, b: str, most: int) -> int:
    """Letters missing, added, wrong or swapped with their neighbour (optimal string alignment); at most `most` + 1. Of short words of the
    same length no letter is wrong: `user` is not a slip of `used`."""
    if len(a) == len(b) <= SHORT and sorted(a) != sorted(b):
        return most + 1
    if a[0] != b[0] and a[:2] != b[1::-1]:  # the first letter is seldom wrong
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
