"""What kind of file a path names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.files.kinds import KINDS, Row, kind_of, row_of
from index.types import PathKind


@pytest.mark.parametrize("row", KINDS, ids=lambda row: row.example)
def test_every_row_answers_its_own_example(row: Row) -> None:
    assert row_of(row.example.encode()) == row


@pytest.mark.parametrize(
    "path",
    [
        "latest.py",
        "contests/round.py",
        "src/latest/app.py",
        "shop/protest.py",
        "shop/attest.ts",
        "shop/testing.py",
        "numpy/testing/_private/tools.py",
        "django/test/client.py",
        "unittest/case.py",
        "shop/test.py",
        "shop/greatest_test_cases/x.py",
        "shop/spec/parser.py",
        "src/inspect.ts",
        "shop/contest.ts",
        "src/build/env.py",
        "pip/_internal/operations/build/wheel.py",
        "shop/target/select.py",
        "shop/archive/zip.py",
        "distutils/core.py",
        "coverage/data.py",
        "threshold/bold.py",
        "shop/migrations/0001_initial.py",
        "src/types.d.ts",
        "requirements.txt",
        "Lib/venv/__init__.py",
        "vendoring.py",
        "shop/docs.py",
        "examples/cart.py",
        "",
    ],
)
def test_names_that_only_look_like_something_else_are_source(path: str) -> None:
    assert kind_of(path.encode()) == PathKind.SOURCE


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("node_modules/left-pad/test/index.test.js", PathKind.VENDOR),
        ("node_modules/left-pad/dist/index.min.js", PathKind.VENDOR),
        ("tests/api/order_pb2.py", PathKind.GENERATED),
        ("dist/tests/cart.js", PathKind.BUILD),
        ("tests/README.md", PathKind.TEST),
        ("docs/test_examples.py", PathKind.TEST),
        ("test/cart.js", PathKind.TEST),
        ("Lib/test/support.py", PathKind.TEST),
        ("packages/@shop/cart/test/total.ts", PathKind.TEST),
        ("src/cart.spec.tsx", PathKind.TEST),
        ("tests.py", PathKind.TEST),
        ("README", PathKind.DOCS),
    ],
)
def test_where_two_rows_match_the_earlier_one_wins(path: str, kind: PathKind) -> None:
    assert kind_of(path.encode()) == kind


@given(
    st.binary(max_size=60) | st.lists(st.sampled_from([b"test", b"tests", b"/", b"vendor", b"\n", b"\xff", b".py", b"dist"])).map(b"".join)
)
def test_any_bytes_have_a_kind_and_it_is_the_first_row_that_matches(path: bytes) -> None:
    first = next((row.kind for row in KINDS if row.compiled.search(path)), PathKind.SOURCE)

    assert kind_of(path) == first


def test_a_path_made_to_be_slow_is_sorted_at_once() -> None:
    began = time.process_time()

    kinds = [kind_of(folder * 20_000 + b"x") for folder in (b"dist/", b"a_tests", b"test_", b"projects/@a/", b"_spec")]

    assert len(kinds) == 5
    assert time.process_time() - began < 1.0
