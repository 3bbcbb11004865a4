"""The numbers of the fusion: weights per intent, presets, and when one retriever answers alone."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from index.intent.classify import Understood
from index.intent.rules import CONSTRUCT, LITERAL, NAMES_IN_IT, PATH, PATTERN, PLACES_IN_IT, SYMBOL, TREE_QUERY

SEMANTIC, TEXT, STRUCTURAL, GRAPH = "semantic", "text", "structural", "graph"

#                       semantic  text  structural  graph
_WEIGHTS = {
    "find_definition": (0.2, 0.1, 0.6, 0.1),
    "find_references": (0.1, 0.2, 0.2, 0.5),
    "understand_code": (0.5, 0.2, 0.2, 0.1),
    "find_similar": (0.4, 0.3, 0.2, 0.1),
    "impact_analysis": (0.1, 0.1, 0.1, 0.7),
    "exact_match": (0.0, 0.9, 0.1, 0.0),
    "locate_problem": (0.3, 0.3, 0.4, 0.0),
}
WEIGHTS = MappingProxyType({intent: dict(zip((SEMANTIC, TEXT, STRUCTURAL, GRAPH), row, strict=True)) for intent, row in _WEIGHTS.items()})
INTENTS = tuple(WEIGHTS)

LOCATE_PROBLEM = "locate_problem"
WHOLE, TITLE = "whole text", "first line"


@dataclass(frozen=True, slots=True)
class ReportList:
    """One of the lists that are fused for a report: a retriever, what of the report it reads, and what the list counts for."""

    name: str
    retriever: str
    reads: str
    weight: float


# The weights of one retriever add up to its weight in the table above. A title is a person's own summary, and says where as often as the
# whole text; a file of a stack trace is seldom far from the fault.
# Set on 31 of the 48 issues of part D of the impact bench: the share with all files to be changed among the first five is 0.774 there, and
# 0.774 to 0.806 with ten other choices of weights and k. On the 17 of pytest and sphinx that were held out it is 0.941.
REPORT_LISTS = (
    ReportList("text", TEXT, WHOLE, 0.1),
    ReportList("semantic", SEMANTIC, WHOLE, 0.1),
    ReportList("text of the title", TEXT, TITLE, 0.2),
    ReportList("semantic of the title", SEMANTIC, TITLE, 0.2),
    ReportList("places", STRUCTURAL, PLACES_IN_IT, 0.3),
    ReportList("names", STRUCTURAL, NAMES_IN_IT, 0.1),
)
REPORT_K = 10  # of their fusion: what stands first in one list is worth more than what stands somewhere in several

CHEAPEST_FIRST = (TEXT, STRUCTURAL, GRAPH, SEMANTIC)  # among equal weights the cheaper retriever stays

DIRECT, WEIGHTED_RRF = "direct", "weighted_rrf"
STRATEGIES = (DIRECT, WEIGHTED_RRF)


@dataclass(frozen=True, slots=True)
class Preset:
    """How many retrievers run, those with the largest weights first, and the k of their fusion."""

    name: str
    retrievers: int
    k: int


QUICK = "quick"  # semantic alone: nothing to fuse
PRESETS = MappingProxyType({preset.name: preset for preset in (Preset(QUICK, 1, 40), Preset("default", 3, 40), Preset("thorough", 4, 60))})


@dataclass(frozen=True, slots=True)
class DirectPath:
    """A question this clear is answered by the dominant retriever alone."""

    confidence: float = 0.85  # at least
    words: int = 12  # at most; the subject counts as one
    subjects: int = 1  # exactly
    ends_of_a_path: int = 2  # subjects of a question how one is reached from another
    subject_kinds: tuple[str, ...] = (SYMBOL, LITERAL, PATTERN, CONSTRUCT, TREE_QUERY)  # a topic is not one thing to look up
    second_clause: bool = False


ORDINARY = DirectPath()

# Beside other retrievers only what is really near in meaning has a vote (similarity: 1.0 the same, 0.0 nothing in common). A list by
# meaning never ends, and with its weight of 0.5 the ninetieth of it would stand before the first that only the text found. Subjects of 150
# commits in six repositories, the share of their changed files among the first five and MRR: 0.66 and 0.59 from 0.45 on, 0.68 and 0.60
# from here on.
VOTES_FROM = 0.6


def goes_direct(question: Understood, rule: DirectPath = ORDINARY) -> bool:
    """Is the question so clear that one retriever answers alone?"""
    return (
        question.confidence >= rule.confidence
        and question.words <= rule.words
        and len(question.subjects) == (rule.ends_of_a_path if question.wants == PATH else rule.subjects)
        and question.subject_kind in rule.subject_kinds
        and question.second_clause == rule.second_clause
    )


def by_weight(intent: str) -> tuple[str, ...]:
    """An intent -> its retrievers, largest weight first, the cheaper first among equals. A weight of 0.0 never runs."""
    weights = WEIGHTS[intent]
    return tuple(sorted((name for name in CHEAPEST_FIRST if weights[name] > 0), key=lambda name: -weights[name]))


def dominant(intent: str) -> str:
    """An intent -> the retriever that answers alone on the direct path."""
    return by_weight(intent)[0]


def retrievers_for(intent: str, preset: str) -> tuple[str, ...]:
    """An intent and a preset -> the retrievers that run, largest weight first.

    quick is semantic alone, except where semantic weighs 0.0 (an exact string is not looked for by meaning): then the dominant one.
    """
    if preset == QUICK:
        return (SEMANTIC,) if WEIGHTS[intent][SEMANTIC] > 0 else (dominant(intent),)
    return by_weight(intent)[: PRESETS[preset].retrievers]
