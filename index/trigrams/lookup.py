"""Where something is written: the ways to look, all in one place.

find_identifier   a whole word -> every place
find_literal      any bytes -> places, whole words first
find_regex        a regular expression (RE2) -> lines
bm25              words of a question -> chunks that speak of them
"""

from __future__ import annotations

from index.trigrams.addresses import LIMIT, Matches
from index.trigrams.literals import find_identifier, find_literal
from index.trigrams.patterns import find_regex
from index.trigrams.ranking import Ranked, bm25

__all__ = ["LIMIT", "Matches", "Ranked", "bm25", "find_identifier", "find_literal", "find_regex"]
