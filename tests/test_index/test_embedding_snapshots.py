"""Vectors of a commit: each chunk's own, and the same whether or not the commit before lent some."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from index.embedding.snapshots import embed_snapshot
from index.embedding.static import StaticModel
from index.snapshot import Snapshot
from index.vectors.hamming import BYTES, unpack_planes
from index.vectors.model import model_of, vectors_part
from support.snapshots import a_snapshot

MODEL = StaticModel.load()
NAMES = ("rate", "total", "add", "parse_cookie", "zork")


def a_commit(files: dict[str, list[str]]) -> Snapshot:
    """path -> names of its functions."""
    texts = {path: "".join(f"def {name}():\n    return {name}er({at})\n" for at, name in enumerate(names)) for path, names in files.items()}
    symbols = [(path, name, "function", 2 * at + 1, 2 * at + 2) for path, names in files.items() for at, name in enumerate(names)]
    return a_snapshot(files=texts, symbols=symbols)


def with_vectors(snapshot: Snapshot, previous: Snapshot | None = None) -> Snapshot:
    return Snapshot(snapshot.commit, {**snapshot.parts, "vectors": embed_snapshot(snapshot, MODEL, previous)})


def same(one: Snapshot, other: Snapshot) -> bool:
    return np.array_equal(one.parts["vectors"]["planes"], other.parts["vectors"]["planes"])


commits = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "c/d.py"]), st.lists(st.sampled_from(NAMES), unique=True, max_size=4), max_size=3
)


@settings(max_examples=30, deadline=None)
@given(commits, commits)
def test_an_update_equals_a_fresh_start(before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    previous = with_vectors(a_commit(before))

    assert same(with_vectors(a_commit(after), previous), with_vectors(a_commit(after)))


def test_a_vector_is_made_of_text_name_and_path() -> None:
    snapshot = a_snapshot(
        files={"shop/cart.py": "import tax\nclass Cart:\n    def total(self):\n        return 1\n"},
        symbols=[("shop/cart.py", "Cart", "class", 2, 4), ("shop/cart.py", "Cart.total", "method", 3, 4)],
    )

    bits = unpack_planes(embed_snapshot(snapshot, MODEL)["planes"])

    data = b"import tax\nclass Cart:\n    def total(self):\n        return 1\n"
    assert np.array_equal(bits, MODEL.embed_blob(data, [0, 11, 23], [11, 23, len(data)], ["", "Cart", "Cart.total"], b"shop/cart.py"))


def test_only_changed_files_are_embedded_again() -> None:
    previous = with_vectors(a_commit({"a.py": ["rate", "total"], "b.py": ["add"]}))
    planted = np.full((4, BYTES), 7, np.uint8)
    previous = Snapshot("0", {**previous.parts, "vectors": vectors_part(planted[: len(previous.parts["chunks"]["file"])], MODEL.name)})

    lent = embed_snapshot(a_commit({"a.py": ["rate", "total"], "b.py": ["add", "zork"], "c.py": ["add"]}), MODEL, previous)

    assert (unpack_planes(lent["planes"]) == 7).all(axis=1).tolist() == [True, True, False, False, False]


def test_blobs_are_the_same_only_where_every_byte_of_their_id_is() -> None:
    before, after = a_commit({"a.py": ["rate"]}), a_commit({"a.py": ["note"]})
    blob = before.parts["files"]["blob"].copy()
    blob[0, 7] ^= 1
    after = Snapshot("1", {**after.parts, "files": {**after.parts["files"], "blob": blob}})

    assert same(with_vectors(after, with_vectors(before)), with_vectors(after))


def test_a_file_that_was_cut_otherwise_is_embedded_again() -> None:
    text = "def rate():\n    return 1\ndef total():\n    return 2\ndef add():\n    return 3\n"
    whole = [("a.py", "rate", "function", 1, 2), ("a.py", "total", "function", 3, 4), ("a.py", "add", "function", 5, 6)]
    before, after = a_snapshot(files={"a.py": text}, symbols=whole[:2]), a_snapshot(files={"a.py": text}, symbols=whole)
    cut_elsewhere = a_snapshot(files={"a.py": text}, symbols=whole[::2])

    assert same(with_vectors(after, with_vectors(before)), with_vectors(after))
    assert same(with_vectors(before, with_vectors(after)), with_vectors(before))
    assert same(with_vectors(cut_elsewhere, with_vectors(before)), with_vectors(cut_elsewhere))


def test_vectors_of_another_model_lend_nothing() -> None:
    commit = a_commit({"a.py": ["rate"]})
    previous = Snapshot("0", {**commit.parts, "vectors": vectors_part(np.zeros((1, BYTES), np.uint8), "another-1024")})

    found = embed_snapshot(commit, MODEL, previous)

    assert model_of(found) == MODEL.name
    assert found["planes"].any()


def test_an_empty_commit() -> None:
    assert embed_snapshot(a_snapshot(files={}), MODEL)["planes"].shape == (16, 0)
