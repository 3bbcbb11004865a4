"""Paths as people see them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from index.files.paths import all_shown, raw, shown

PATHS = st.binary(max_size=12).filter(lambda path: b"\0" not in path) | st.sampled_from(
    (b"a/b.py", "caf\u00e9/\u2297.txt".encode(), b"a\\b", b"\xe2", b"\x8a\x97", b"tab\there", "right\u202eleft".encode(), b"\x7f", b"")
)


@given(st.lists(PATHS, max_size=6))
def test_many_paths_are_shown_as_each_alone(paths: list[bytes]) -> None:
    assert all_shown(paths) == [shown(path) for path in paths]
    assert [raw(path) for path in all_shown(paths)] == paths
