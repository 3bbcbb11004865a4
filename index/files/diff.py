"""Unified diff, or what `git diff --raw -z` prints -> list of FileChange. Nothing it is given makes it raise or hang:
what can't be understood is left out of the spans, never out of the list of files.

Spans count lines from 1, both ends included; where nothing stands on one side, between lines n and n+1, its span is (n+1, n).
The i-th old span and the i-th new span of a file are the two sides of one replacement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from index.types import FileChange

Span = tuple[int, int]
Spans = tuple[tuple[Span, ...], tuple[Span, ...]]

REGULAR = 0o100644
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_COMBINED = re.compile(rb"@@@+(?: -\d{1,9}(?:,\d{1,9})?)+ \+(\d{1,9})(?:,(\d{1,9}))? @@@+")  # a merge shown against all its parents
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{1,6}))?")
# The prefixes git can write before the two names: its default, and those of diff.mnemonicPrefix.
_PREFIXES = {(b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"), (b"1/", b"2/")}
_PREFIX_LETTERS = (b"a/", b"b/", b"i/", b"w/", b"c/", b"o/", b"1/", b"2/")
_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


def parse_unified(diff: bytes | str) -> list[FileChange]:
    """A unified diff with any number of context lines, git's or plain -> its files in the order they stand.
    Ids and modes that the diff does not tell are "" and 100644 (0 on the side that is not there)."""
    data = _as_bytes(diff)
    return [section.change() for section in _sections(data.split(b"\n"))]


def parse_raw(data: bytes) -> list[FileChange]:
    """What `git diff --raw -z --no-abbrev` prints -> its files in the order they stand, without spans.
    Raises ValueError for anything else, so that a cut listing never passes for a short one."""
    fields = data.split(b"\0")
    if fields.pop() != b"":
        raise ValueError("a listing of changes that ends in the middle")
    found: list[FileChange] = []
    at = 0
    while at < len(fields):
        match = _RAW.fullmatch(fields[at])
        if match is None or at + 1 >= len(fields):
            raise ValueError(f"not a listing of changes: {fields[at][:80]!r}")
        old_mode, new_mode, old_blob, new_blob, status, score = match.groups()
        two_names = status in b"RC"
        if two_names and at + 2 >= len(fields):
            raise ValueError("a rename without its new name")
        old_path, new_path = fields[at + 1], fields[at + 1 + two_names]
        added, deleted = status in b"AC", status == b"D"
        found.append(
            FileChange(
                old_path=None if added else old_path,
                new_path=None if deleted else new_path,
                old_blob="" if added else _id(old_blob),
                new_blob="" if deleted else _id(new_blob),
                old_mode=0 if added else int(old_mode, 8),
                new_mode=0 if deleted else int(new_mode, 8),
                similarity=min(int(score or 0), 100) if status == b"R" else 0,
            )
        )
        at += 2 + two_names
    return found


_RAW = re.compile(rb":([0-7]{6}) ([0-7]{6}) ([0-9a-f]{4,64}) ([0-9a-f]{4,64}) ([ADMTRCUX])(\d{1,4})?")


def spans_by_blobs(patch: bytes) -> dict[tuple[str, str], Spans | None]:
    """What `git diff -p -U0 --full-index` prints -> the spans of every pair of (old id, new id); None where git calls it binary.

    The spans depend on the two contents alone, so no name has to be read. Only header lines are looked at: without context
    every line of content begins with + - or a backslash, and git quotes a name that holds a newline."""
    found: dict[tuple[str, str], Spans | None] = {}
    pair, old, new = ("", ""), list[Span](), list[Span]()
    for match in _HEADERS.finditer(patch):
        old_blob, new_blob, *numbers = match.groups()
        if old_blob is not None:
            pair, old, new = (_id(old_blob), _id(new_blob)), [], []
            found[pair] = ((), ())  # an empty file that came or went has no hunk
        elif numbers[0] is not None:
            old.append(_span(numbers[0], numbers[1]))
            new.append(_span(numbers[2], numbers[3]))
            found[pair] = (tuple(old), tuple(new))
        else:
            found[pair] = None
    return found


_HEADERS = re.compile(rb"^(?:index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})|" + _HUNK.pattern + rb"|Binary files )", re.MULTILINE)


@dataclass(slots=True)
class _Section:
    """What the lines about one file have told so far."""

    old_path: bytes | None = None
    new_path: bytes | None = None
    added: bool = False
    deleted: bool = False
    copied: bool = False
    binary: bool = False
    similarity: int = 0
    old_blob: str = ""
    new_blob: str = ""
    old_mode: int = REGULAR
    new_mode: int = REGULAR
    old_spans: list[Span] = field(default_factory=list)
    new_spans: list[Span] = field(default_factory=list)

    def change(self) -> FileChange:
        added = self.added or self.copied
        deleted = self.deleted and not added
        return FileChange(
            old_path=None if added else self.old_path,
            new_path=None if deleted else self.new_path,
            old_blob="" if added else self.old_blob,
            new_blob="" if deleted else self.new_blob,
            old_mode=0 if added else self.old_mode,
            new_mode=0 if deleted else self.new_mode,
            similarity=0 if added or deleted else self.similarity,
            old_spans=tuple(self.old_spans),
            new_spans=tuple(self.new_spans),
            binary=self.binary,
        )


def _sections(lines: list[bytes]) -> Iterator[_Section]:
    """The lines of a diff -> one section a file."""
    section: _Section | None = None
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix(b"\r")
        if line.startswith((b"diff --git ", b"diff --cc ", b"diff --combined ")):
            if section is not None:
                yield section
            section = _Section()
            _names_of_header(section, line)
        elif line.startswith(b"--- ") and at + 1 < len(lines) and lines[at + 1].startswith(b"+++ "):
            if section is None or section.old_spans or section.new_spans:  # a plain diff has no line before these two
                if section is not None:
                    yield section
                section = _Section()
            _names_of_pair(section, line[4:], lines[at + 1].removesuffix(b"\r")[4:])
            at += 1
        elif section is not None and line.startswith(b"@@"):
            at = _read_hunk(section, lines, at)
            continue
        elif section is not None:
            _read_extended_header(section, line)
        at += 1
    if section is not None:
        yield section


def _names_of_header(section: _Section, line: bytes) -> None:
    """`diff --git a/x b/x`: the only place that names a file whose content did not change. Other lines correct it later."""
    if not line.startswith(b"diff --git "):
        section.old_path = section.new_path = _unquoted(line.split(b" ", 2)[2])
        return
    names = line[len(b"diff --git ") :]
    if names.startswith(b'"'):
        match = _QUOTED.match(names)
        end = match.end() if match else len(names)
        pair = names[:end], names[end + 1 :]
    elif names.endswith(b'"') and b' "' in names:
        start = names.index(b' "')
        pair = names[:start], names[start + 1 :]
    else:  # both names are the same here unless a later line tells them, so the blank in the middle separates them
        middle = len(names) // 2
        pair = (names[:middle], names[middle + 1 :]) if names[middle : middle + 1] == b" " else (names, names)
    section.old_path, section.new_path = _without_prefixes(_unquoted(pair[0]), _unquoted(pair[1]))


def _names_of_pair(section: _Section, old: bytes, new: bytes) -> None:
    """The lines `--- a/x` and `+++ b/x`. A plain diff may add a tab and a date."""
    old_path, new_path = (_unquoted(name if name.startswith(b'"') else name.split(b"\t", 1)[0]) for name in (old, new))
    section.added |= old_path == b"/dev/null"
    section.deleted |= new_path == b"/dev/null" and not section.added
    if section.added or section.deleted:
        written, told = (new_path, section.new_path) if section.added else (old_path, section.old_path)
        if told is None or not written.endswith(told):  # git's first line has told it already, and knows which prefixes there are
            section.old_path = section.new_path = written[2:] if written.startswith(_PREFIX_LETTERS) else written
    else:
        section.old_path, section.new_path = _without_prefixes(old_path, new_path)


def _without_prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    return (old[2:], new[2:]) if (old[:2], new[:2]) in _PREFIXES or (new[:2], old[:2]) in _PREFIXES else (old, new)


def _read_extended_header(section: _Section, line: bytes) -> None:
    for prefix, read in _EXTENDED:
        if line.startswith(prefix):
            read(section, line[len(prefix) :])
            return


def _read_index(section: _Section, rest: bytes) -> None:
    match = _INDEX.match(rest)
    if match:
        section.old_blob, section.new_blob = _id(match[1]), _id(match[2])
        if match[3]:
            section.old_mode = section.new_mode = int(match[3], 8)


def _read_old_mode(section: _Section, rest: bytes) -> None:
    section.old_mode = _mode(rest)


def _read_new_mode(section: _Section, rest: bytes) -> None:
    section.new_mode = _mode(rest)


def _read_added(section: _Section, rest: bytes) -> None:
    section.added, section.new_mode = True, _mode(rest)


def _read_deleted(section: _Section, rest: bytes) -> None:
    section.deleted, section.old_mode = True, _mode(rest)


def _read_similarity(section: _Section, rest: bytes) -> None:
    digits = rest.rstrip(b"%")
    section.similarity = min(int(digits), 100) if digits.isdigit() and len(digits) < 9 else 0


def _read_old_name(section: _Section, rest: bytes) -> None:
    section.old_path = _unquoted(rest)


def _read_new_name(section: _Section, rest: bytes) -> None:
    section.new_path = _unquoted(rest)


def _read_copy_name(section: _Section, rest: bytes) -> None:
    section.new_path, section.copied = _unquoted(rest), True


def _read_binary(section: _Section, rest: bytes) -> None:
    section.binary = True


_EXTENDED: tuple[tuple[bytes, Callable[[_Section, bytes], None]], ...] = (
    (b"index ", _read_index),
    (b"old mode ", _read_old_mode),
    (b"new mode ", _read_new_mode),
    (b"new file mode ", _read_added),
    (b"deleted file mode ", _read_deleted),
    (b"similarity index ", _read_similarity),
    (b"rename from ", _read_old_name),
    (b"rename to ", _read_new_name),
    (b"copy from ", _read_old_name),
    (b"copy to ", _read_copy_name),
    (b"Binary files ", _read_binary),
    (b"GIT binary patch", _read_binary),
)


def _read_hunk(section: _Section, lines: list[bytes], at: int) -> int:
    """The hunk whose header is `lines[at]` -> the number of the line after it; its runs of changed lines go to the section.
    A hunk that is shorter or longer than its header says ends where its lines stop looking like a hunk's."""
    match = _HUNK.match(lines[at])
    if match is None:
        combined = _COMBINED.match(lines[at])
        if combined is not None:  # which lines are new differs by parent: all that the hunk shows is taken as changed
            section.new_spans.append(_span(combined[1], combined[2]))
        return at + 1
    old_line, old_left = int(match[1]), int(match[2] or 1)
    new_line, new_left = int(match[3]), int(match[4] or 1)
    old_line += old_left == 0
    new_line += new_left == 0
    run: tuple[int, int] | None = None
    at += 1
    while at < len(lines) and (old_left > 0 or new_left > 0):
        sign = lines[at][:1]
        if sign in (b"-", b"+"):
            run = run or (old_line, new_line)
            old_line, old_left = (old_line + 1, old_left - 1) if sign == b"-" else (old_line, old_left)
            new_line, new_left = (new_line + 1, new_left - 1) if sign == b"+" else (new_line, new_left)
        elif sign in (b" ", b"", b"\r"):  # editors and mailers strip the blank of an empty line
            if sign != b" " and at == len(lines) - 1:
                break
            _end_run(section, run, old_line, new_line)
            run = None
            old_line, old_left, new_line, new_left = old_line + 1, old_left - 1, new_line + 1, new_left - 1
        elif sign != b"\\":  # "\ No newline at end of file"
            break
        at += 1
    _end_run(section, run, old_line, new_line)
    return at


def _end_run(section: _Section, run: tuple[int, int] | None, old_line: int, new_line: int) -> None:
    if run is not None:
        section.old_spans.append((run[0], old_line - 1))
        section.new_spans.append((run[1], new_line - 1))


def _span(start: bytes, count: bytes | None) -> Span:
    """The two numbers of one side of a hunk header: "5,0" stands between lines 5 and 6."""
    first, lines = int(start), 1 if count is None else int(count)
    return (first, first + lines - 1) if lines else (first + 1, first)


_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


def _unquoted(name: bytes) -> bytes:
    """A name as git writes it, in C quotes where it has to -> its bytes."""
    match = _QUOTED.match(name)
    return name if match is None else _ESCAPE.sub(_unescaped, match[1])


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if code[:1].isdigit() and code[:1] < b"8" else bytes([_ESCAPES.get(code, code[0])])


def _id(written: bytes) -> str:
    """An object id; "" for git's all zeros, which mean that there is no object."""
    return "" if not written.strip(b"0") else written.decode("ascii")


def _mode(written: bytes) -> int:
    return int(written, 8) if re.fullmatch(rb"[0-7]{1,6}", written) else REGULAR


def _as_bytes(diff: bytes | str) -> bytes:
    if isinstance(diff, bytes):
        return diff
    try:
        return diff.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that no byte stands behind
        return diff.encode("utf-8", "surrogatepass")
