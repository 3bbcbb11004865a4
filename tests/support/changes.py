"""Files before and after, as text -> a `Comparison`.

    shop = a_change(
        {"shop/tax.py": "def rate(country): ...\n", "shop/cart.py": "from shop.tax import rate\n\ndef total():\n    return rate('fr')\n"},
        {"shop/tax.py": "def rate(country, year): ...\n"},
        renamed={"shop/tax.py": "shop/vat.py"},
    )

What `after` does not name stays, None deletes.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from index.build import build
from index.impact.comparison import Comparison
from index.layers import Parts
from index.snapshot import Snapshot
from index.types import FileChange, Tier


def a_change(
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    renamed: Mapping[str, str] | None = None,
    tiers: Mapping[str, str] | None = None,
) -> Comparison:
    """`tiers` sets the tier of the edges to a place, on both sides."""
    moves = dict(renamed or {})
    full = {moves.get(path, path): text for path, text in before.items()}
    for path, text in after.items():
        if text is None:
            full.pop(path, None)
        else:
            full[path] = text
    base, head = index_of(before, "1" * 40, tiers), index_of(full, "2" * 40, tiers)
    changes = []
    for old in sorted(before):
        new = moves.get(old, old)
        if new not in full:
            changes.append(_file_change(old, None, before[old], ""))
        elif full[new] != before[old] or new != old:
            changes.append(_file_change(old, new, before[old], full[new]))
    changes += [_file_change(None, new, "", full[new]) for new in sorted(full) if new not in before and new not in moves.values()]
    return Comparison(
        base=base,
        head=head,
        changes=changes,
        before={path.encode(): text.encode() for path, text in before.items()},
        after={path.encode(): text.encode() for path, text in full.items()},
        read=lambda path: full[path].encode() if path in full else None,
    )


def index_of(files: Mapping[str, str], commit: str, tiers: Mapping[str, str] | None = None) -> Snapshot:
    """Files -> their snapshot. `tiers`: "path::Qualified.name" -> the tier that every edge to it gets."""
    made = build({path.encode(): text.encode() for path, text in files.items()})
    edges = {name: column.copy() for name, column in made.parts["edges"].items()}
    for place, tier in (tiers or {}).items():
        path, _, qualified = place.partition("::")
        edges["tier"][edges["target"] == made.find(path, qualified)] = Tier[tier.upper()]
    return Snapshot(commit, Parts.beside(made.parts, {"edges": edges}))


def _file_change(old: str | None, new: str | None, before: str, after: str) -> FileChange:
    old_lines, new_lines = before.splitlines(), after.splitlines()
    spans = [op[1:] for op in difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes() if op[0] != "equal"]
    return FileChange(
        old_path=old.encode() if old is not None else None,
        new_path=new.encode() if new is not None else None,
        old_blob="a" * 40 if old is not None else "",
        new_blob=("a" if before == after else "b") * 40 if new is not None else "",
        old_mode=0o100644 if old is not None else 0,
        new_mode=0o100644 if new is not None else 0,
        similarity=90 if old and new and old != new else 0,
        old_spans=tuple((a + 1, b) for a, b, _, _ in spans),
        new_spans=tuple((c + 1, d) for _, _, c, d in spans),
    )
