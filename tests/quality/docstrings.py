"""The first sentence of a function's comment as a question, the function without its comment as the answer: who finds it?

Eleven repositories that the embedded model has not learned from. Every function is a chunk; the comments are cut out; each question has
one right answer. MRR@10 and R@10, averaged over the repositories. `gap`: only questions that share no word with the function's name.
"""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from quality.model import packages
from quality.model.mining import Function, code_key, files_of, files_of_tar, functions_of
from quality.tables import Row

from index.build import build
from index.embedding.static import ChunkText, StaticModel
from index.fusion.reciprocal_rank import fuse
from index.layers import Parts
from index.search import search
from index.snapshot import Snapshot
from index.trigrams.ranking import bm25
from index.types import Hit
from index.vectors.fine import cosines
from index.vectors.hamming import BYTES, distances, pack_planes
from index.vectors.model import vectors_part
from index.vectors.subtokens import split

MOST_QUESTIONS = 300  # of one repository, drawn with a fixed seed
DEPTH = 200  # results of each list that are fused
RESCORED = 100
K = 40
LANGUAGES = (".py", ".js", ".mjs", ".jsx", ".ts", ".tsx", ".go")
LEFT_OUT = re.compile(r"(^|/)(docs_src|site|website|sandbox|play|perf|dist|build)/")

DJANGO = packages.Package(
    registry="pypi",
    name="Django",
    version="5.2.19",
    licence="BSD-3-Clause",
    file="django-5.2.19-py3-none-any.whl",
    sha256="5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
)
REPOSITORIES: Mapping[str, tuple[str, str]] = {  # name: the repository and its commit
    "requests": ("psf/requests", "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e"),
    "click": ("pallets/click", "2c8cd3ac958a7eb316d67f2d316c27086c4c0369"),
    "httpx": ("encode/httpx", "ae1b9f66238f75ced3ced5e4485408435de10768"),
    "express": ("expressjs/express", "a3714473feb3d2908add734d340e7755fd85e0a3"),
    "zod": ("colinhacks/zod", "e516c3baf22615e20934116abebfed6c000222c2"),
    "lodash": ("lodash/lodash", "9429a4ee03056e5b7be9a85a54571d7630f05983"),
    "typeorm": ("typeorm/typeorm", "281bfba42a5813b106bcf5ba79bc7f7251bd1e73"),
    "cobra": ("spf13/cobra", "adbc8813901bba65827259daa8e22ff94ec1f30e"),
    "gin": ("gin-gonic/gin", "dcaa4296d111981ffb31ac3eba90bb63e1eb5ab9"),
    "caddy": ("caddyserver/caddy", "0cf03d32f7d99cf160d5375e8a40fbe3d910d515"),
}


@dataclass(frozen=True)
class Questions:
    """One repository: its functions, and for each question the row of its function."""

    name: str
    chunks: list[Function]
    answers: list[int]

    @property
    def texts(self) -> list[str]:
        return [self.chunks[row].query for row in self.answers]


def scores(mirror: Path, repositories: Sequence[str] = ()) -> list[Row]:
    """A folder of clones -> one row per way of looking, averaged over the repositories."""
    found: dict[str, list[NDArray[np.float64]]] = {}
    gaps: dict[str, list[NDArray[np.float64]]] = {}
    for asked in question_sets(mirror, repositories):
        gap = np.array([not (words_of(asked.chunks[row].query) & words_of(asked.chunks[row].name)) for row in asked.answers])
        for who, ranks in ranks_of(asked).items():
            found.setdefault(who, []).append(ranks)
            gaps.setdefault(who, []).append(ranks[gap])
    return [
        Row(
            "docstrings",
            who,
            {
                "MRR@10": round(mean(map(reciprocal, of_each)), 4),
                "R@10": round(mean(float((ranks <= 10).mean()) for ranks in of_each), 4),
                "gap MRR@10": round(mean(reciprocal(ranks) for ranks in gaps[who] if len(ranks)), 4),
                "questions": sum(map(len, of_each)),
            },
        )
        for who, of_each in found.items()
    ]


def reciprocal(ranks: NDArray[np.float64]) -> float:
    return float(np.where(ranks <= 10, 1 / ranks, 0).mean())


def words_of(text: str) -> set[str]:
    data = text.encode()
    words = split(data)
    return {stem(data[at : at + n].decode().lower()) for at, n in zip(words.start, words.length, strict=True)}


def stem(word: str) -> str:
    import snowballstemmer

    return str(snowballstemmer.stemmer("english").stemWord(word))


# -- questions


def question_sets(mirror: Path, repositories: Sequence[str] = ()) -> Iterator[Questions]:
    for name, (slug, commit) in REPOSITORIES.items():
        if not repositories or name in repositories:
            folder = mirror / slug.replace("/", "+") / "repo"
            tar = subprocess.run(["git", "-C", str(folder), "archive", "--format=tar", commit], check=True, capture_output=True).stdout
            yield questions_of(name, files_of_tar(tar))
    if not repositories or "django" in repositories:
        yield questions_of("django", files_of(packages.fetched([DJANGO], packages.CACHE)[0]))


def questions_of(name: str, files: Iterable[tuple[str, bytes]]) -> Questions:
    """Source files -> every function once, and the questions: sentences that only one function has, of functions of three lines or more."""
    chunks: dict[bytes, Function] = {}
    for path, data in files:
        if PurePosixPath(path).suffix in LANGUAGES and not LEFT_OUT.search(path):
            for function in functions_of(path, data):
                if function.name:
                    chunks.setdefault(code_key(function.code), function)
    every = list(chunks.values())
    said = Counter(function.query.lower() for function in every)
    rows = [row for row, function in enumerate(every) if function.query and function.code.count(b"\n") >= 2]
    usable = [row for row in rows if said[every[row].query.lower()] == 1]
    random.Random(7).shuffle(usable)
    return Questions(name, every, sorted(usable[:MOST_QUESTIONS]))


def held_out(mirror: Path) -> list[str]:
    """What the model must not learn from: digests of every question, and of the code of every function with a comment."""
    found = set()
    for asked in question_sets(mirror):
        found |= {digest(function.query.lower().encode()) for function in asked.chunks if function.query}
        found |= {digest(code_key(function.code)) for function in asked.chunks if function.query}
    return sorted(found)


def digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=6).hexdigest()


# -- answers


def ranks_of(asked: Questions) -> dict[str, NDArray[np.float64]]:
    """Questions -> for each way of looking the rank of each right answer, from 1; ties halfway."""
    snapshot, function_of = snapshot_with(asked)
    model = StaticModel.load()
    rows = model.rows_of([chunk_text(function) for function in asked.chunks])
    planes = pack_planes(rows[:, :BYTES])
    found: dict[str, list[float]] = {}
    for question, answer in zip(asked.texts, asked.answers, strict=True):
        words = np.full(len(rows), -np.inf)
        ranked = bm25(snapshot, [question], limit=2 * DEPTH)
        np.maximum.at(words, function_of[ranked.rows], ranked.scores)
        read = model.read(question)
        bits = -distances(planes, read.bits).astype(np.float64)
        fine = np.full(len(rows), -np.inf)
        nearest = np.argsort(-bits, kind="stable")[:RESCORED]
        assert read.fine is not None
        fine[nearest] = cosines(rows[nearest, BYTES:], read.fine)
        lists = {"text": hits(words), "semantic": hits(fine)}
        fused = [hit.chunk for hit in fuse(lists, {"text": 1.0, "semantic": 1.0}, K)]
        reply = search(question, snapshot, model, preset="thorough", limit=10)
        places = [int(function_of[hit.chunk]) for hit in reply.hits if hit.chunk >= 0]
        for who, rank in (
            ("BM25 over words", rank_in(words, answer)),
            ("embedded model, bits alone", rank_in(bits, answer)),
            ("embedded model, nearest in detail", rank_in(fine, answer)),
            ("words and model fused, 1 : 1", place_in(fused, answer)),
            ("`ask`, thorough", place_in(list(dict.fromkeys(places)), answer)),
        ):
            found.setdefault(who, []).append(rank)
    return {who: np.array(ranks) for who, ranks in found.items()}


def chunk_text(function: Function) -> ChunkText:
    return ChunkText(function.code, function.name.encode(), function.owner.encode(), function.path.encode())


def hits(values: NDArray[np.float64]) -> list[Hit]:
    order = np.argsort(-values, kind="stable")[:DEPTH]
    return [Hit(f"{row:06d}", 1, 1, row, row, 0.0, "") for row in order.tolist() if np.isfinite(values[row])]


def rank_in(values: NDArray[np.float64], answer: int) -> float:
    if not np.isfinite(values[answer]):
        return float("inf")
    return float((values > values[answer]).sum() + ((values == values[answer]).sum() - 1) / 2 + 1)


def place_in(rows: list[int], answer: int) -> float:
    return rows.index(answer) + 1.0 if answer in rows else float("inf")


def snapshot_with(asked: Questions) -> tuple[Snapshot, NDArray[np.int64]]:
    """Functions as files of their own, named after them, in folders named after their files -> a snapshot with vectors, and of each of
    its chunks the function."""
    files, rows = {}, {}
    for row, function in enumerate(asked.chunks):
        path = f"{function.path}/{row}/{function.owner or '_'}.{function.name}{PurePosixPath(function.path).suffix}"
        files[path.encode("utf-8", "replace")] = textwrap.dedent(function.code.decode("utf-8", "replace")).encode()
        rows[path] = row
    plain = build(files)
    chunks = plain.parts["chunks"]
    function_of = np.array([rows[plain.path(file)] for file in chunks["file"].tolist()], np.int64)
    texts = []
    for file, start, end, row in zip(chunks["file"].tolist(), chunks["start_byte"], chunks["end_byte"], function_of.tolist(), strict=True):
        whole = chunk_text(asked.chunks[row])
        texts.append(ChunkText(files[plain.raw_paths[file]][start:end], whole.name, whole.owner, whole.path))
    vectors = vectors_part(StaticModel.load().rows_of(texts), StaticModel.load().name)
    return Snapshot(plain.commit, Parts.beside(plain.parts, {"vectors": vectors})), function_of
