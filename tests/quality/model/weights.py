"""Learned weights -> the file that the package carries, all in whole numbers, the same bytes for the same weights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from quality.model.training import Examples, Weights

from index.embedding.static import DIMENSIONS

COMMON_FORM = 20  # times that a form of a word was met; rarer ones are stemmed when they come
MIDDLE = 14_000  # what the middle weight of a stem becomes: some thousand times smaller than 2^24, some thousand times larger than 1
UNKNOWN = 0.5  # what a word outside the vocabulary counts, beside a rare one inside
RARE = 2_000  # stems at the end of the vocabulary that stand for what is rare
LENGTH_OF_NOISE = np.sqrt(DIMENSIONS * 128**2 / 3)  # of a vector that is drawn from the letters of an unknown word


def rounded(weights: Weights, data: Examples, seed: int = 1) -> dict[str, NDArray[Any]]:
    """Weights -> the columns that `index.embedding.static` reads. Each row's largest value becomes 127; what that scales away goes into
    the stem's weights, whose common factor means nothing, as only directions are compared."""
    scale = np.maximum(np.abs(weights.vectors).max(axis=1), 1e-12) / 127
    vectors = np.rint(weights.vectors / scale[:, None]).astype(np.int8)
    length = np.linalg.norm(vectors.astype(np.float64), axis=1)
    columns: dict[str, NDArray[Any]] = {"vectors": vectors}
    unknown = []
    for name in ("document", "query"):
        weight = np.exp(getattr(weights, name).astype(np.float64)) * scale
        weight *= MIDDLE / np.median(weight)
        columns[name] = np.rint(weight).astype(np.int32)
        unknown.append(UNKNOWN * np.median((weight * length)[-RARE:]) / LENGTH_OF_NOISE)
    forms = sorted(word for word, times in data.times.items() if times >= COMMON_FORM and data.forms[word] >= 0)
    return columns | {
        "words": np.frombuffer(b"\n".join(data.stems), np.uint8),
        "unknown": np.rint(unknown).astype(np.int32),
        "fields": np.rint(256 * np.exp(weights.fields.astype(np.float64))).astype(np.int32),
        "signs": (np.random.default_rng(seed).integers(0, 2, (4, DIMENSIONS)) * 2 - 1).astype(np.int8),
        "forms": np.frombuffer(b"\n".join(forms), np.uint8),
        "form_rows": np.array([data.forms[word] for word in forms], np.int32),
    }


def packed(columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Columns -> an .npz file without times and without compression, which differs between versions of zlib."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name in sorted(columns):
            column = io.BytesIO()
            npy.write_array(column, np.ascontiguousarray(columns[name]), version=(1, 0))
            file.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), column.getvalue())
    return out.getvalue()


def write(columns: Mapping[str, NDArray[Any]], path: Path) -> None:
    path.write_bytes(packed(columns))
