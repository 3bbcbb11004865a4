"""Makes the embedded model's weights anew: `make model`.

    python -m tests.quality.model [--cache FOLDER] [--check]            (about fifteen minutes of one core, and 1 GB of packages at first)

Fetches the packages of `packages.tsv`, takes pairs of a comment's first sentence and its function out of them, learns, and writes
`index/embedding/weights.npz` and the digest that `index/embedding/static.py` expects. The same packages give the same bytes on every
x86-64 machine with AVX2: one thread, fixed seeds, and one set of instructions for all. `--check` only compares.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
# Sums of floats depend on the order of additions, so on the instructions that a library chooses for the processor it runs on.
SAME_SUMS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "PYTHONHASHSEED": "0",
}
if __name__ == "__main__" and any(os.environ.get(name) != value for name, value in SAME_SUMS.items()):
    os.environ.update(SAME_SUMS)
    os.execv(sys.executable, [sys.executable, "-W", "ignore::ImportWarning", str(HERE / "__main__.py"), *sys.argv[1:]])
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import argparse  # noqa: E402
import hashlib  # noqa: E402
import re  # noqa: E402
import time  # noqa: E402
from collections import Counter  # noqa: E402

import numpy as np  # noqa: E402
from quality.docstrings import digest  # noqa: E402
from quality.model import mining, packages, training, weights  # noqa: E402

from index.embedding import static  # noqa: E402

# Packages that nothing is learned from while settings are chosen. None of them is one of those that docs/accuracy.md tells figures of.
HELD_BACK = frozenset(
    "kombu starlette networkx ioredis cheerio yjs commons-io golang-github-nats-io-go-nats-dev librust-petgraph-dev".split()
)


def main() -> int:
    asked = _arguments()
    table = packages.read_table()
    files = packages.fetched(table, asked.cache)
    pairs, names = _pairs(table, files)
    settings = training.Settings()
    data = training.examples(pairs, settings)
    _say(f"{len(data.package):,} pairs of {len(names)} packages, {len(data.stems):,} stems")
    held = [row for row, name in enumerate(names) if name in HELD_BACK] if asked.hold_back else []

    def said(epoch: int, loss: float, now: training.Weights) -> None:
        found = []
        for package in held:
            rows = np.flatnonzero(data.package == package)[:1000]
            queries = training.embedded(data.queries, rows, now, query=True)
            chunks = training.embedded(data.chunks, rows, now, query=False)
            found.append(training.mean_reciprocal_rank(queries @ chunks.T))
        _say(f"epoch {epoch + 1}: loss {loss:.4f}" + (f", MRR@10 of packages held back {np.mean(found):.4f}" if found else ""))

    learned = training.train(data, training.first_weights(data, settings), settings, held, said)
    made = weights.packed(weights.rounded(learned, data))
    digest_of_made = hashlib.sha256(made).hexdigest()
    _say(f"{len(made):,} bytes, sha256 {digest_of_made}, {time.process_time():.0f} s of CPU")
    if asked.check:
        same = digest_of_made == static.WEIGHTS_SHA256
        _say("the same as the committed one" if same else "NOT the same as the committed one")
        return 0 if same else 1
    asked.out.write_bytes(made)
    if asked.out == static.WEIGHTS:
        source = Path(static.__file__)
        source.write_text(re.sub(r'(?m)^WEIGHTS_SHA256 = "\w+"', f'WEIGHTS_SHA256 = "{digest_of_made}"', source.read_text()))
    return 0


def _pairs(table: list[packages.Package], files: list[Path]) -> tuple[list[list[mining.Function]], list[str]]:
    """Packages -> their pairs, none that a bench asks about, no code twice; and the names of the packages that have some."""
    held_out = frozenset((HERE / "held_out.txt").read_text().split())
    seen: set[bytes] = set()
    found, names = [], []
    languages: Counter[str] = Counter()
    for package, file in zip(table, files, strict=True):
        pairs = [pair for pair in mining.without(mining.pairs_of(file), seen) if not _is_held_out(pair, held_out)]
        if pairs:
            found.append(pairs)
            names.append(package.name)
            languages.update(pair.language for pair in pairs)
    _say(", ".join(f"{language} {count:,}" for language, count in languages.most_common()))
    return found, names


def _is_held_out(pair: mining.Function, held_out: frozenset[str]) -> bool:
    return digest(pair.query.lower().encode()) in held_out or digest(mining.code_key(pair.code)) in held_out


def _say(text: str) -> None:
    print(f"{time.process_time():6.0f} s  {text}", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make model", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=packages.CACHE, help="where packages are kept")
    parser.add_argument("--out", type=Path, default=static.WEIGHTS, help="write the weights here")
    parser.add_argument("--hold-back", action="store_true", help="learn nothing from a few packages, and say how well they are answered")
    parser.add_argument("--check", action="store_true", help="write nothing: are the weights the committed ones?")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
