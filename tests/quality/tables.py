"""Figures -> Markdown tables, ours beside the baselines'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Figure = float | int | str | None


@dataclass(frozen=True, slots=True)
class Row:
    """What one predictor got in one part of the bench."""

    part: str
    who: str
    figures: Mapping[str, Figure]


def parts_of(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by part, parts in the order they first come."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row.part, []).append(row)
    return parts


def table(rows: Sequence[Row]) -> str:
    """Rows of one part -> a Markdown table whose columns are all their figures, in the order they first come."""
    columns = list(dict.fromkeys(name for row in rows for name in row.figures))
    lines = ["| who | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    lines += ["| " + " | ".join([row.who, *(_shown(row.figures.get(name)) for name in columns)]) + " |" for row in rows]
    return "\n".join(lines)


def _shown(figure: Figure) -> str:
    if figure is None:
        return "–"
    return f"{figure:.3f}" if isinstance(figure, float) else str(figure)


def read_tables(text: str) -> list[Row]:
    """Markdown with `## part` headings and tables that `table` could have written -> its rows, figures as they stand."""
    rows, part, columns = [], "", list[str]()
    for line in text.splitlines():
        if line.startswith("## "):
            part, columns = line[3:].strip(), []
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not columns:
                columns = cells[1:]
            elif not set(line) <= set("|-: "):
                rows.append(Row(part, cells[0], dict(zip(columns, cells[1:], strict=True))))
    return rows
