"""Reply -> Markdown for a comment, or a terminal. The same reply gives the same bytes; nothing of the repository is read as markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from bot.rendering.cutting import counted
from bot.rendering.escaping import code, link, printable, prose, shortened
from bot.rendering.links import LinkTo, no_links
from index.answer import Reply, Result
from index.types import UseCount

BUDGET: Final = 60_000  # characters; GitHub refuses a body of more than 65,536
FEWER: Final = (1.0, 0.5, 0.25, 0.1, 0.0)  # shares of the results that are tried until the text fits
PIPED_WIDTH: Final = 200
UNRESOLVED: Final = "unresolved"
CALLED: Final = {
    "find_definition": "a definition",
    "find_references": "who uses it",
    "impact_analysis": "what a change reaches",
    "exact_match": "exactly this text",
    "find_similar": "more of the same",
    "understand_code": "how something works",
    "locate_problem": "a report of a problem",
}
SHAPES: Final = {
    "tests": "which tests reach it",
    "callees": "what it uses",
    "path": "how one reaches the other",
    "subtypes": "what extends it",
    "overrides": "what overrides it",
    "importers": "who imports it",
    "writers": "who writes to it",
}
NOT_BY_FILE: Final = ("tests", "callees", "path")
LOOKED_AT: Final = {
    "text": "the text",
    "structural": "the definitions",
    "graph": "the known uses",
    "semantic": "the meaning of the code",
    "history": "earlier commits",
}
CLEAR: Final = 0.6  # confidence from which on the question itself says what kind of question it is
MOST_WEAK: Final = 5  # weaker matches shown after the results


def render_answer(reply: Reply, link_to: LinkTo = no_links, *, explain: bool = False, budget: int = BUDGET) -> str:
    """A reply -> Markdown of at most `budget` characters; results at the end are left out first, and counted."""
    body = ""
    for share in FEWER:
        body = _markdown(reply, reply.results[: round(_worth_showing(reply) * share)], link_to, explain)
        if len(body) <= budget:
            return body
    return body[:budget]


def print_answer(reply: Reply, console: Console, *, explain: bool = False) -> None:
    """Prints a reply; where it is piped: no colours, no line folded before `PIPED_WIDTH`, no spaces at the ends of lines."""
    if console.is_terminal:
        console.print(terminal(reply, explain=explain))
        return
    plain = Console(file=console.file, width=max(console.width, PIPED_WIDTH), no_color=True, force_terminal=False, highlight=False)
    with plain.capture() as captured:
        plain.print(terminal(reply, explain=explain))
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


# -- what both say ----------------------------------------------------------------------------------------------------------


def headline(reply: Reply) -> str:
    """One sentence with `names` in backticks."""
    answer = reply.answer
    about = f"`{shortened(answer.query.subject, 80)}`" if answer.query.subject else "this question"
    if answer.uses:
        known = [one for one in answer.uses if one.tier != UNRESOLVED]
        files = len({one.hit.path for one in reply.results if one.hit.use and one.hit.tier != UNRESOLVED})
        said = f"{about}: {counted(sum(one.count for one in known), 'use')}"
        if files and len(reply.results) == answer.total:
            said += f" in {counted(files, 'file')}"
        open_ones = sum(one.count for one in answer.uses if one.tier == UNRESOLVED)
        return said + (f", and {counted(open_ones, 'unclear use')} of that name" if open_ones else "")
    if not reply.results:
        return f"{about}: nothing found"
    if answer.query.wants == "path" and answer.fusion_strategy == "direct":
        return f"{about} reaches `{shortened(answer.query.other, 80)}` in {counted(answer.total, 'step')}"
    if not answer.weaker:
        return f"{about}: {counted(answer.total, 'result')}"
    good = answer.total - answer.weaker
    said = counted(good, "result") + "," if good else "nothing fits well;"
    return f"{about}: {said} {answer.weaker:,} weaker {'match' if answer.weaker == 1 else 'matches'}"


def _worth_showing(reply: Reply) -> int:
    return min(len(reply.results), reply.answer.total - reply.answer.weaker + MOST_WEAK)


def _first_weak(reply: Reply) -> int:
    """The place of the first of the weaker matches, where some stand before them; -1 otherwise: the headline says that nothing fits."""
    good = reply.answer.total - reply.answer.weaker
    return good if reply.answer.weaker and good else -1


def _left_out(reply: Reply, shown: int) -> str:
    """What is not shown, in words; "" where everything is."""
    left_out, good = reply.answer.total - shown, reply.answer.total - reply.answer.weaker
    return (
        "" if left_out <= 0 else f"… and {left_out:,} more" if shown < good or not reply.answer.weaker else f"… and {left_out:,} like these"
    )


def use_counts(uses: Sequence[UseCount]) -> str:
    """`calls 9 (8 proved, 1 likely), imports 2 (proved)`."""
    by_use: dict[str, list[UseCount]] = {}
    for one in uses:
        by_use.setdefault(one.use, []).append(one)
    said = []
    for use, some in by_use.items():
        tiers = ", ".join(f"{one.count:,} {one.tier}" for one in some) if len(some) > 1 else some[0].tier
        said.append(f"{use} {sum(one.count for one in some):,} ({tiers})")
    return ", ".join(said)


def how(reply: Reply) -> str:
    """How the question was understood, and where was looked, in one line."""
    answer = reply.answer
    shape = SHAPES.get(answer.query.wants) or CALLED.get(answer.query.intent, answer.query.intent)
    *most, last = [LOOKED_AT.get(name, name) for name in answer.retrievers] or ["nothing: nobody could look"]
    looked = f"{', '.join(most)} and {last}" if most else last
    understood = (
        f"Understood as: {shape}" if answer.confidence >= CLEAR else f"Nothing says what kind of question this is. Taken as: {shape}"
    )
    return f"{understood}. Looked at: {looked}."


def how_exactly(reply: Reply) -> str:
    """The same as the tables of docs/ranking.md have it, `names` in backticks."""
    answer = reply.answer
    asked = " + ".join(answer.retrievers) or "nobody"
    return f"`{answer.query.intent}`, {answer.confidence:.2f} sure by the row `{answer.rule}`; `{answer.fusion_strategy}` by {asked}"


def parts(one: Result) -> str:
    """`structural 1st of weight 0.6, text 4th of weight 0.1; centrality ×1.21; path ×0.30`."""
    hit = one.hit
    said, placed = (
        ", ".join(f"{part.retriever} place {part.rank + 1} × {part.weight:g} = {part.score:.5f}" for part in some)
        for some in (hit.parts, hit.placed)
    )
    factors = [f"centrality × {hit.boost:.2f}"] if hit.boost != 1 else []
    # a source that is put back is one of no language that we read
    factors += [f"{'no code' if one.path_kind == 'source' else one.path_kind} × {hit.demotion:.2f}"] if hit.demotion != 1 else []
    return "; ".join([*([said] if said else []), *factors, *([placed] if placed else []), f"score {hit.score:.5f}"])


def by_file(results: Sequence[Result]) -> list[list[Result]]:
    """Results of one file together, files in the order of their first result, places of a file by line."""
    found: dict[str, list[Result]] = {}
    for one in results:
        found.setdefault(one.hit.path, []).append(one)
    return [sorted(some, key=lambda one: one.hit.line) for some in found.values()]


def is_listed_by_file(reply: Reply) -> bool:
    return (
        any(one.hit.use for one in reply.results)
        and reply.answer.query.intent == "find_references"
        and reply.answer.query.wants not in NOT_BY_FILE
    )


# -- Markdown ---------------------------------------------------------------------------------------------------------------


def _markdown(reply: Reply, shown: Sequence[Result], link_to: LinkTo, explain: bool) -> str:
    answer = reply.answer
    blocks = [f"**{prose(headline(reply), 400)}**"]
    if answer.uses:
        blocks.append(prose(use_counts(answer.uses), 600))
    notes = list(answer.notes)
    if answer.nearest and not shown:
        notes.append("Did you mean " + " or ".join(f"`{name}`" for name in answer.nearest) + "?")
    if notes:  # before the results: they say what these are worth
        blocks.append("\n".join(f"- {prose(note, 600)}" for note in notes))
    if is_listed_by_file(reply):
        blocks += [_file_block(some, reply, link_to, explain) for some in by_file(shown)]
    else:
        first_weak = _first_weak(reply)
        for at, one in enumerate(shown):
            blocks += ["*Weaker matches:*"] if at == first_weak else []
            blocks.append(_result_block(at + 1, one, reply, link_to, explain))
    if left_out := _left_out(reply, len(shown)):
        blocks.append(f"{left_out}.")
    blocks.append(f"<sub>{prose(how(reply))}</sub>")
    if explain:
        blocks.append(f"<sub>{prose(how_exactly(reply))}</sub>")
    return "\n\n".join(blocks) + "\n"


def _file_block(some: Sequence[Result], reply: Reply, link_to: LinkTo, explain: bool) -> str:
    path = some[0].hit.path
    test = " (test)" if some[0].path_kind == "test" else ""
    lines = [f"**{link(code(path), link_to(reply.commit, path, 0))}**{test}"]
    for one in some:
        hit = one.hit
        place = link(f"line {hit.line}", link_to(reply.commit, path, hit.line))
        inside = f" in {code(one.symbol)}" if one.symbol else ""
        said = f"{prose(hit.use)} ({hit.tier})" if hit.use else prose(hit.why)
        lines.append(f"- {place}{inside}: {said} {_line_of_code(one)}".rstrip())
        if explain:
            lines.append(f"  <br><sub>{prose(hit.why)}; {prose(parts(one), 600)}</sub>")
    return "\n".join(lines)


def _result_block(number: int, one: Result, reply: Reply, link_to: LinkTo, explain: bool) -> str:
    hit = one.hit
    place = link(code(f"{hit.path}:{hit.line}"), link_to(reply.commit, hit.path, hit.line))
    named = f" {code(one.symbol)} ({one.kind})" if one.symbol else ""
    lines = [f"{number}\\. {place}{named}: {prose(hit.why)}"]
    if one.snippet:
        lines.append(_fenced([text for _, text in one.snippet]))
    if explain:
        lines.append(f"<sub>{prose(parts(one), 600)}</sub>")
    return "\n\n".join(lines)


def _line_of_code(one: Result) -> str:
    text = one.snippet[0][1].strip() if one.snippet else ""
    return code(text, 120) if text else ""


def _fenced(lines: Sequence[str]) -> str:
    """Lines of a file as a block of code that nothing in them can end."""
    shown = [printable(line.replace("\t", "    ")) for line in _dedented(lines)]
    longest = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence, *shown, fence])


def _dedented(lines: Sequence[str]) -> list[str]:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[indent:] for line in lines]


# -- terminal ---------------------------------------------------------------------------------------------------------------


def terminal(reply: Reply, *, explain: bool = False) -> RenderableType:
    """The reply as something rich can print at any width."""
    answer = reply.answer
    said: list[Text] = [_sentence(headline(reply), "bold")]
    if answer.uses:
        said.append(Text(use_counts(answer.uses), "dim"))
    notes = [_sentence(note, "yellow") for note in answer.notes]
    if answer.nearest and not reply.results:
        notes.append(_sentence("Did you mean " + " or ".join(f"`{name}`" for name in answer.nearest) + "?", "yellow"))
    said += [Text(), *notes] if notes else []  # before the results: they say what these are worth
    rows: Callable[[], Iterator[Text]] = (lambda: _files(reply, explain)) if is_listed_by_file(reply) else (lambda: _places(reply, explain))
    said += rows()
    shown = _worth_showing(reply)
    if left_out := _left_out(reply, shown):
        said += [Text(), Text(left_out + (": ask with a larger --limit" if shown == len(reply.results) else ""), "dim")]
    said += [Text(), _sentence(how(reply), "dim")]
    said += [_sentence(how_exactly(reply), "dim")] if explain else []
    return Group(*said)


def _files(reply: Reply, explain: bool) -> Iterator[Text]:
    for some in by_file(reply.results):
        head = Text(f"\n{_safe(some[0].hit.path)}", "bold cyan")
        if some[0].path_kind != "source":
            head.append(f"  ({some[0].path_kind})", "not bold dim")
        yield head
        width = len(str(some[-1].hit.line))
        for one in some:
            hit = one.hit
            text = Text(f"  {hit.line:>{width}}  ")
            text.append(
                f"{hit.use} ({hit.tier})" if hit.use else printable(hit.why.replace("`", "")), "" if hit.tier == "proved" else "yellow"
            )
            if one.symbol:
                text.append(f" in {_safe(one.symbol)}", "bold")
            if one.snippet:
                text.append(f"  {shortened(printable(one.snippet[0][1].strip()), 100)}", "dim")
            yield text
            if explain:
                yield Text(f"  {'':{width}}  {printable(hit.why.replace('`', ''))}; {parts(one)}", "dim")


def _places(reply: Reply, explain: bool) -> Iterator[Text]:
    first_weak = _first_weak(reply)
    for number, one in enumerate(reply.results[: _worth_showing(reply)], 1):
        if number == first_weak + 1 and first_weak > 0:
            yield Text("\nWeaker matches:", "bold")
        hit = one.hit
        text = Text(f"\n{number:>2}  ")
        text.append(f"{_safe(hit.path)}:{hit.line}", "bold cyan")
        if one.symbol:
            text.append(f"  {_safe(one.symbol)}", "bold")
            text.append(f" ({one.kind})", "dim")
        yield text
        yield Text("    ").append_text(_sentence(hit.why, "dim"))
        for line in _dedented([line for _, line in one.snippet]):
            yield Text(f"    │ {printable(line.replace(chr(9), '    '))}")
        if explain:
            yield Text(f"    {parts(one)}", "dim")


def _sentence(text: str, style: str = "") -> Text:
    """A sentence with `names` in backticks -> the names in bold, without the backticks."""
    made = Text(style=style)
    for at, piece in enumerate(printable(text).split("`")):
        made.append(piece, "bold" if at % 2 else "")
    return made


def _safe(text: str) -> str:
    return shortened(printable(text))
