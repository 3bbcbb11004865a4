"""Compiles the modules that `tool.maguyva.compiled` in pyproject.toml names, in place: `python deploy/compile.py [--clean | --check]`.

mypyc makes machine code of them as they stand, and Python imports that instead of the text beside it: the same program with the same
answers, in less time. Three files in C are compiled too. index/parsing/walk.c, which reads syntax trees, needs the source of the parser's
own library, which pip fetches by its pinned hash; without it trees are walked in Python. Nothing else is different, and deleting what was
made (`--clean`) brings the text back. Needs mypy, setuptools, pip and a C compiler. What was compiled is kept only if it gives the same
index as the text does, byte for byte (`--check` asks that alone).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GROUP = "maguyva"  # the library that holds the code of all modules is GROUP + "__mypyc"
WALK = "index/parsing/walk.c"
BY_ITSELF = ("index/trigrams/placing.c", "index/embedding/bags.c")  # in C, and needs nothing else
PARSER = "tree-sitter"  # whose source is compiled with it
READ = "0.26.1"  # the release whose source was read when WALK was written: of its lexer, counters and look-ups WALK has its own
PINNED = "deploy/constraints-compile.txt"
OPTIMISED = "1"  # of gcc: at 2 it takes twice as long, and what comes of it is a few per cent faster
COMPILED = (".so", ".pyd")
left_out = shutil.ignore_patterns("__pycache__", *(f"*{one}" for one in COMPILED))
# Files with the names of pieces of a case of tests/corpus, and their content.
CASE = re.compile(r"^`([\w./-]+)`\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A folder with files -> the form of the program, the edges of their index, a digest of every part of it, and what of C was at work.
DIGEST = """
import hashlib, sys
from pathlib import Path
from index.build import build
from index.embedding import static
from index.embedding.static import BlobChunks, StaticModel
from index.languages.python import PYTHON
from index.parsing.columns import _machinery
from index.trigrams import postings
from index.version import compiled

root = Path(sys.argv[1])
files = {str(path.relative_to(root)).encode(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
snapshot = build(files)
digest = hashlib.sha256()
for part, columns in sorted(snapshot.parts.items()):
    for column, values in sorted(columns.items()):
        digest.update(f"{part} {column} {values.dtype} {values.shape}".encode())
        digest.update(values.tobytes())
blobs = [BlobChunks(data, [0, 99], [99, len(data)], ["", "Cart.halfTotal2"], path) for path, data in files.items()]
for rows in StaticModel.load().embed_blobs(blobs):
    digest.update(rows.tobytes())
in_c = {"walk": _machinery(PYTHON).in_c, "placing": postings.placing, "bags": static.bags}
at_work = [name for name, one in in_c.items() if one is not None]
print("compiled" if compiled() else "plain", len(snapshot.parts["edges"]["source"]), digest.hexdigest(), *at_work)
"""


def modules() -> list[str]:
    """Paths of the sources, from the root."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        named: list[str] = tomllib.load(file)["tool"]["maguyva"]["compiled"]
    return named


def made() -> list[Path]:
    """What was compiled and is there."""
    beside = [one for module in [*modules(), WALK, *BY_ITSELF] for one in (ROOT / module).parent.glob(f"{Path(module).stem}.*")]
    return sorted(one for one in (*ROOT.glob(f"{GROUP}__mypyc.*"), *beside) if one.suffix in COMPILED)


def clean() -> None:
    for one in made():
        one.unlink()


def build() -> None:
    from mypyc.build import mypycify
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    options = ["--config-file=pyproject.toml", "--cache-dir=.cache/mypyc"]
    extensions = mypycify(
        [*options, *modules()],
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", OPTIMISED),
        debug_level="0",
        group_name=GROUP,
        target_dir=".cache/compiled",
        multi_file=True,  # in one file of 650,000 lines the compiler takes twice as long, for the same speed
    )
    if sys.platform != "win32":  # whatever else a process may load, these functions call each other, and need not look each other up
        for one in extensions:
            one.extra_compile_args.append("-fvisibility=hidden")
    in_c: dict[str, dict[str, list[Any]]] = {one: {"sources": [one]} for one in BY_ITSELF}
    if (library := source_of_parser(Path(".cache/compiled"))) is not None:
        in_c[WALK] = {
            "sources": [WALK],
            "include_dirs": [str(library / folder) for folder in ("include", "src")],
            # Without the second, what else there is of tree-sitter in the process could be called instead.
            "define_macros": [("_DEFAULT_SOURCE", None), ("TREE_SITTER_HIDE_SYMBOLS", None), ("RELEASE", f'"{version(PARSER)}"')],
        }
    flags = ["/std:c11"] if sys.platform == "win32" else ["-O3", "-fvisibility=hidden"]
    for one, its in in_c.items():
        extensions.append(Extension(one.removesuffix(".c").replace("/", "."), extra_compile_args=flags, **its))
    command = build_ext(Distribution({"name": GROUP, "packages": [], "ext_modules": extensions}))
    command.inplace = True
    command.build_temp = ".cache/compiled"
    command.build_lib = ".cache/compiled/lib"
    command.ensure_finalized()
    command.run()


def source_of_parser(folder: Path) -> Path | None:
    """Fetches the source of the release of tree-sitter that is installed -> where its library is; None, and a line that says so, where that
    can't be done."""
    pinned = re.search(rf"^{PARSER}=={re.escape(version(PARSER))} .*?(?<!\\)\n", Path(PINNED).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    target = folder / "parser"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        if version(PARSER) != READ:
            raise ValueError(f"{WALK} was written for {READ}, and {version(PARSER)} is installed")
        if pinned is None:
            raise FileNotFoundError(f"{PINNED} has no {PARSER} {version(PARSER)}")
        (target / "wanted.txt").write_text(pinned[0], "utf-8")
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes"]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, "-r", "wanted.txt"], cwd=target, check=True)
        (packed,) = target.glob("*.tar.gz")
        with tarfile.open(packed) as archive:
            archive.extractall(target, filter="data")
        (found,) = target.glob("*/tree_sitter/core/lib")
    except (OSError, subprocess.CalledProcessError, tarfile.TarError, TypeError, ValueError) as error:  # TypeError: Python 3.11.3
        print(f"Trees are walked in Python, since the source of {PARSER} can't be had: {error}", file=sys.stderr)
        return None
    return found


def check() -> bool:
    """Whether the text and what was compiled of it give the same index, of our own code and of every case of the corpus; and whether all
    that was compiled was at work."""
    with tempfile.TemporaryDirectory(prefix="maguyva-compiled-") as folder:
        files, text = Path(folder, "files"), Path(folder, "text")
        for package in ("index", "bot"):
            for copy in (files, text):
                shutil.copytree(ROOT / package, copy / package, ignore=left_out)
        for case in sorted(ROOT.glob("tests/corpus/*/*.md")):
            for number, (path, content) in enumerate(CASE.findall(case.read_text("utf-8"))):
                place = files / "corpus" / case.parent.name / case.stem / str(number) / path.lstrip("/.")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content, "utf-8")
        told = [digest(where, files) for where in (text, ROOT)]
    for one in told:
        print(" ".join(one))
    in_c = {Path(one).stem for one in (WALK, *BY_ITSELF)} & {one.name.partition(".")[0] for one in made()}
    return [one[0] for one in told] == ["plain", "compiled"] and told[0][1:] == told[1][1:3] and set(told[1][3:]) == in_c


def digest(program: Path, files: Path) -> list[str]:
    """Which form a program is in, how many edges and what digest its index of some files has, and what of C is at work in it."""
    command, environment = [sys.executable, "-c", DIGEST, str(files)], os.environ | {"PYTHONPATH": str(program)}
    return subprocess.run(command, cwd=program, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)
    if arguments != ["--check"]:
        clean()
    if arguments == ["--clean"]:
        return 0
    if arguments != ["--check"]:
        from setuptools.errors import CompileError, LinkError, PlatformError

        try:
            build()
        except (CompileError, LinkError, PlatformError) as error:
            clean()
            print(f"Nothing was compiled, and the text runs as before: the C compiler failed or is not there. {error}", file=sys.stderr)
            return 1
    if not check():
        clean()
        print("What was compiled does not give the same index as the text: it was deleted.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
