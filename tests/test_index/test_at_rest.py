"""Columns in fewer bytes: whatever they hold comes back, single lists too, and what was changed on the disk is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from index.at_rest import FREE_GROWTH, LISTS, TEXT_FRAME, Opened, field, lists_of, packed, some
from index.errors import SnapshotDamaged
from index.storage.segments import open_segment, segment_blocks, write_segment

WHOLE = ("<i2", "<u2", "<i4", "<u4", "<i8", "<u8")


@st.composite
def columns_of_numbers(draw) -> np.ndarray:
    """What an index is full of, and what it is not: rising numbers, small ones, a few that are far from the others, anything at all."""
    dtype = np.dtype(draw(st.sampled_from(WHOLE)))
    info, size = np.iinfo(dtype), draw(st.sampled_from((1, 2, 600, 3_000)))
    made = np.random.default_rng(draw(st.integers(0, 2**32)))
    high = draw(st.sampled_from((1, 200, 60_000, int(info.max))))
    column = made.integers(0, min(high, int(info.max)), size, dtype, endpoint=True)
    if draw(st.booleans()):
        column = np.cumsum(column, dtype=dtype)
    if draw(st.booleans()):
        column += np.asarray(draw(st.integers(int(info.min), int(info.max))), dtype)
    for at in draw(st.lists(st.integers(0, size - 1), max_size=5)):
        column[at] = draw(st.integers(int(info.min), int(info.max)))
    return column


@st.composite
def lists_of_numbers(draw) -> tuple[np.ndarray, np.ndarray]:
    """Rising lists of any length, and where each begins."""
    made = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = np.dtype(draw(st.sampled_from(("<u2", "<u4"))))
    counts = made.integers(0, draw(st.sampled_from((1, 3, 700))), draw(st.integers(1, 60)), endpoint=True)
    high = draw(st.sampled_from((2, 300, 70_000, int(np.iinfo(dtype).max))))
    lists = [np.sort(made.integers(0, min(high, np.iinfo(dtype).max), count, dtype, endpoint=True)) for count in counts]
    return np.concatenate([np.empty(0, dtype), *lists]), np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def opened(columns: dict[str, np.ndarray]) -> Opened:
    return Opened(*packed(columns), "a test")


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    return found.dtype == wanted.dtype and found.shape == wanted.shape and found.tobytes() == wanted.tobytes()


@settings(max_examples=150)
@given(columns_of_numbers())
def test_numbers_come_back_as_they_were(column):
    found = opened({"line": column})

    assert list(found) == ["line"]
    assert same(found["line"], column)


@settings(max_examples=150)
@given(columns_of_numbers(), st.data())
def test_some_numbers_of_a_column_are_those_of_the_whole(column, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(column) - 1), max_size=9)), np.int64)
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(column)), st.integers(0, len(column)))))

    for asked in (rows, slice(first, last)):
        for part in ({"line": column}, opened({"line": column})):
            assert same(some(part, "line", asked), column[asked])


def test_rows_that_a_column_does_not_have_are_refused():
    part = opened({"line": np.arange(1_000) * 7})

    for row in (-1, 1_000, 2_000):
        with pytest.raises(SnapshotDamaged):
            some(part, "line", np.array([row]))


@settings(max_examples=30)
@given(st.lists(columns_of_numbers(), min_size=2, max_size=4))
def test_a_table_comes_back_as_it_was(columns):
    size = min(map(len, columns))
    table = np.stack([column[:size].astype(np.int32) for column in columns], 1)

    assert same(opened({"edges": table})["edges"], table)


@settings(max_examples=100)
@given(st.lists(columns_of_numbers(), min_size=2, max_size=4), st.data())
def test_columns_and_rows_of_a_table_are_those_of_the_whole(columns, data):
    size = min(map(len, columns))
    table = np.stack([column[:size].astype(np.int32) for column in columns], 1)
    number = data.draw(st.integers(0, len(columns) - 1))
    rows = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=9)) if size else [], np.int64)
    first, last = sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size))))

    for part in ({"edges": table}, opened({"edges": table})):
        assert same(np.ascontiguousarray(some(part, "edges", rows)), table[rows])
        assert same(np.ascontiguousarray(some(part, "edges", slice(first, last))), table[first:last])
        assert same(np.ascontiguousarray(field(part, "edges", number)), np.ascontiguousarray(table[:, number]))
        assert same(np.ascontiguousarray(some(part, "edges", rows)), table[rows])


@settings(max_examples=100)
@given(lists_of_numbers(), st.lists(st.integers(0, 59), max_size=70))
def test_single_lists_are_those_of_the_whole_column(made, wanted):
    values, starts = made
    columns = {"word_at": values, "word_starts": starts}
    rows = np.array([row for row in wanted if row < len(starts) - 1], np.int64)
    plain = [values[starts[row] : starts[row + 1]] for row in rows.tolist()]

    assert same(opened(columns)["word_at"], values)
    for part in (columns, opened(columns)):
        assert same(lists_of(part, "word_at", rows), np.concatenate([np.empty(0, values.dtype), *plain]))


def test_lists_that_do_not_fit_their_starts_are_kept_as_numbers():
    values = np.arange(5_000, dtype=np.uint32)

    for starts in ([0, 7], [0, 9, 3, 5_000], [1, 5_000], [0]):
        assert same(opened({"word_at": values, "word_starts": np.array(starts)})["word_at"], values)


def test_what_an_index_is_full_of_takes_a_fraction_of_its_bytes():
    rng = np.random.default_rng(1)
    lines = np.cumsum(rng.integers(0, 90, 50_000)).astype(np.int32)
    columns = {"line_starts": lines, "passed": np.frombuffer(b"[[1,2,3]]" * 5_000, np.uint8), "score": rng.random(5_000)}

    taken = {name: opened(columns).stored_bytes(name) for name in columns}

    assert taken["line_starts"] == 50_000
    assert taken["passed"] < 1_000
    assert taken["score"] == columns["score"].nbytes


# -- damage ----------------------------------------------------------------------------------------------------------------


def a_part() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    lists = [np.sort(rng.integers(0, 90_000, 40)) for _ in range(50)]
    return {
        "word_at": np.concatenate(lists).astype(np.uint32),
        "word_starts": np.arange(0, 2_001, 40, dtype=np.uint32),
        "edges": rng.integers(0, 300, (400, 5)).astype(np.int32),
        "source": np.cumsum(rng.integers(0, 3, 900)).astype(np.int64),
        "passed": np.frombuffer(json.dumps([[n, n % 7] for n in range(400)]).encode(), np.uint8),
        "score": rng.random(300).astype(np.float32),
    }


def answers(columns) -> dict[str, bytes]:
    found = {"a list": lists_of(columns, "word_at", np.array([3])), "lists": lists_of(columns, "word_at", np.array([0, 9, 48]))}
    return {name: its.tobytes() for name, its in {**columns, **found}.items()}


@settings(max_examples=300)
@given(st.data())
def test_a_file_that_was_changed_anywhere_is_refused_or_read_as_it_was(tmp_path_factory, data):
    part, path = a_part(), tmp_path_factory.mktemp("segment") / "file"
    size = write_segment(path, segment_blocks(part))
    damaged = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, 2_500), st.integers(0, size - 1)))  # the header as often as all that follows
        damaged[at : at + 1] = bytes([data.draw(st.integers(0, 255))])
    path.write_bytes(damaged)

    try:
        found = answers(open_segment(path, size))
    except SnapshotDamaged as error:
        assert "has to be built anew" in str(error)
        return
    assert found == answers(part)


@settings(max_examples=200)
@given(st.data())
def test_a_recipe_that_lies_is_refused(data):
    stored, recipe = packed(a_part())
    name = data.draw(st.sampled_from(sorted(recipe)))
    how = dict(recipe[name])
    key = data.draw(st.sampled_from(sorted(how)))
    how[key] = data.draw(
        st.sampled_from((-1, 0, 1, 7, 2**40, "", "lists", "table", "narrow", "<u8", [2**40], [-3], [0], [3, 3], [2**31, 8], None))
    )
    array = data.draw(st.sampled_from(sorted(stored)))
    cut = {array: stored[array][: data.draw(st.integers(0, len(stored[array])))]} if data.draw(st.booleans()) else {}

    columns = Opened({**stored, **cut}, {**recipe, name: how}, "a test")

    for column in columns:
        try:
            made = columns[column]
        except SnapshotDamaged:
            continue
        assert made.nbytes < 1 << 20
    for rows in ([3], [0, 9, 48]):
        try:
            lists_of(columns, "word_at", np.array(rows))
        except (SnapshotDamaged, IndexError):  # the second where there are fewer lists now
            continue


def test_every_column_of_lists_is_one_of_the_text_part():
    from index.trigrams.facts import text_facts
    from index.trigrams.postings import build_text

    text = build_text([text_facts(b"def rate(country):\n    return rates[country]\n")])

    assert {*LISTS, *LISTS.values()} <= text.keys()


@pytest.mark.parametrize("name", ["a|b", "word_at|data"])
def test_a_name_with_a_mark_in_it_is_kept_as_it_is(name):
    columns = {name: np.arange(4_000, dtype=np.int32), "line": np.arange(4_000, dtype=np.int32)}

    found = opened(columns)

    assert {one: found[one].tolist() for one in found} == {one: its.tolist() for one, its in columns.items()}


# -- harm ------------------------------------------------------------------------------------------------------------------


def lists_that_say(**what) -> Opened:
    """4000 numbers in two lists, at rest; some of what is said of them replaced."""
    stored, recipe = packed({"word_at": np.arange(4_000, dtype=np.uint32), "word_starts": np.array([0, 2_000, 4_000])})
    starts = what.pop("starts", stored["word_starts"])
    return Opened({**stored, "word_starts": np.array(starts)}, {"word_at": recipe["word_at"] | what}, "a test")


@pytest.mark.parametrize("dtype", ["O", "<f8", "|u1", "<u8", "V4", "<i4"])
def test_bytes_of_a_list_are_never_read_as_objects(dtype):
    with pytest.raises(SnapshotDamaged, match="column word_at is"):
        lists_that_say(dtype=dtype).lists("word_at", np.array([0]))


@pytest.mark.parametrize("starts", [[0, 2**40, 4_000], [0, 4_000, 0], [0, -1, 4_000], [0, 2_000]])
def test_lists_that_would_be_longer_than_all_numbers_are_refused_before_they_are_made(starts):
    with pytest.raises(SnapshotDamaged, match="not as long as it should be"):
        lists_that_say(starts=starts).lists("word_at", np.array([0]))


def test_one_number_does_not_fill_a_table():
    table = {"edges": {"as": "table", "dtype": "<u4", "shape": [2**29, 2]}}
    one = np.ones(1, np.uint32)

    with pytest.raises(SnapshotDamaged, match="not as long as it should be"):
        Opened({"edges|0": one, "edges|1": one}, table, "a test")["edges"]


def test_tables_of_tables_are_refused():
    tables = {"edges" + "|0" * depth: {"as": "table", "dtype": "<u4", "shape": [1, 1]} for depth in range(3_000)}

    with pytest.raises(SnapshotDamaged, match=r"column edges\|0 is"):
        Opened({"edges" + "|0" * 3_000: np.ones(1, np.uint32)}, tables, "a test")["edges"]


def test_a_text_that_is_next_to_nothing_when_squeezed_is_kept_as_it_is_and_refused_of_others():
    text = np.zeros(FREE_GROWTH + 1, np.uint8)
    piece = zstandard.compress(bytes(TEXT_FRAME))
    frames = np.frombuffer(piece * (len(text) // TEXT_FRAME) + zstandard.compress(b"\0"), np.uint8)
    starts = np.append(np.arange(0, len(frames), len(piece)), len(frames))
    said = {"json": {"as": "squeezed", "dtype": "|u1", "shape": [len(text)]}}

    assert packed({"json": text})[1] == {}
    with pytest.raises(SnapshotDamaged, match="not as long as it should be"):
        Opened({"json|z": frames, "json|at": starts}, said, "a test")["json"]


@pytest.mark.parametrize("size", [TEXT_FRAME, TEXT_FRAME + 1, 5 * TEXT_FRAME - 1])
@given(st.data())
def test_pieces_of_a_text_are_those_of_the_whole(size, data):
    text = np.tile(np.arange(97, 120, dtype=np.uint8), -(-size // 23))[:size]
    part = opened({"passed": text})

    for _ in range(3):
        first, last = sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size))))
        assert same(some(part, "passed", slice(first, last)), text[first:last])
    assert same(part["passed"], text)


def test_a_frame_of_a_text_that_holds_more_than_it_should_is_refused():
    stored, recipe = packed({"json": np.full(2 * TEXT_FRAME, 97, np.uint8)})
    bomb = np.frombuffer(zstandard.compress(bytes(50 * TEXT_FRAME)), np.uint8)
    stored |= {"json|z": np.concatenate([bomb, bomb]), "json|at": np.arange(3) * len(bomb)}

    with pytest.raises(SnapshotDamaged, match="not as long as it should be"):
        some(Opened(stored, recipe, "a test"), "json", slice(0, 10))
