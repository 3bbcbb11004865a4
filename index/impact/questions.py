"""A changed symbol -> the questions to ask of the index. All of them go through every retriever."""

from __future__ import annotations

from typing import Final

from index.impact.nouns import ChangedSymbol, ChangeKind
from index.types import Query, SymbolKind

# kind of change -> (intent, the question in words; {was} and {name} are the old and the new name)
QUESTIONS: Final = (
    (ChangeKind.REMOVED, ("find_references", "who uses {was}")),
    (ChangeKind.REMOVED, ("impact_analysis", "what breaks if {was} is removed")),
    (ChangeKind.RENAMED, ("find_references", "who uses {was}")),
    (ChangeKind.RENAMED, ("impact_analysis", "what breaks if {was} is renamed to {name}")),
    (ChangeKind.MOVED, ("find_references", "who uses {was}")),
    (ChangeKind.REEXPORT, ("find_references", "who imports {was}")),
    (ChangeKind.SIGNATURE, ("find_references", "who calls {name}")),
    (ChangeKind.SIGNATURE, ("impact_analysis", "what breaks if the signature of {name} changes")),
    (ChangeKind.BASES, ("impact_analysis", "what depends on {name}")),
    (ChangeKind.DECORATORS, ("impact_analysis", "what depends on {name}")),
    (ChangeKind.SHAPE, ("find_references", "who uses {name}")),
    (ChangeKind.SHAPE, ("impact_analysis", "what depends on {name}")),
    (ChangeKind.VALUE, ("find_references", "who uses {name}")),
    (ChangeKind.VALUE, ("impact_analysis", "what depends on {name}")),
    (ChangeKind.BODY, ("impact_analysis", "what depends on {name}")),
    (ChangeKind.BODY, ("find_references", "who uses {name}")),
    (ChangeKind.OVERRIDES, ("find_references", "who uses {name}")),
)
MAX_ASKED: Final = 40  # changed symbols that are asked about; the rest is said in the report's notes


def questions_for(one: ChangedSymbol) -> tuple[Query, ...]:
    """The queries that this change calls for, in the order of the table, each once. A module as a whole is not asked about."""
    if one.symbol.kind == SymbolKind.MODULE or one.inside:
        return ()
    was, name = (one.before or one.symbol).qualified, one.symbol.qualified
    found: dict[tuple[str, str], Query] = {}
    for kind, (intent, words) in QUESTIONS:
        if kind not in one.kinds:
            continue
        subject = was if "{was}" in words else name
        rows = (one.after.id,) if one.after is not None else ()
        found.setdefault((intent, subject), Query(words.format(was=was, name=name), intent, subject, rows))
    return tuple(found.values())
