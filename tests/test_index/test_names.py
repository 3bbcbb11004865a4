"""Names of a commit that come and go, checked against the same done with all of them in a list."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from index.parsing.names import Names, encoded

WORDS = st.sets(st.text(st.sampled_from("abé\ud800𝕏_"), max_size=3), max_size=12)


def in_order(names: set[str]) -> list[str]:
    return sorted(names, key=encoded)


@given(before=WORDS, more=WORDS, left=WORDS, knows=st.booleans())
def test_replaced_names_are_those_of_a_new_list(before: set[str], more: set[str], left: set[str], knows: bool) -> None:
    old = in_order(before)
    used = np.array([name not in left for name in old], bool)
    known = {name: row for row, name in enumerate(old)} if knows else {}

    names, renumbered, number = Names.of(before).replaced(used, more, known)

    expected = in_order((before - left) | more)
    whole = Names.of(expected)
    assert list(names) == expected
    assert renumbered.tolist() == [expected.index(name) if name in expected else -1 for name in old]
    assert number == {name: expected.index(name) for name in more}
    assert [names.place(encoded(name)) for name in in_order(before | left)] == [
        (bisect_left([encoded(one) for one in expected], encoded(name)), name in expected) for name in in_order(before | left)
    ]
    assert names.content.tobytes() == whole.content.tobytes() and names.offsets.tolist() == whole.offsets.tolist()


@given(first=WORDS, second=WORDS, third=WORDS)
def test_names_are_replaced_again_and_again(first: set[str], second: set[str], third: set[str]) -> None:
    names, _, _ = Names.of(first).replaced(np.zeros(len(first), bool), second, {})
    names, _, _ = names.replaced(np.ones(len(names), bool), third, {})

    assert list(names) == in_order(second | third)
