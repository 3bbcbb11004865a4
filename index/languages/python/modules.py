"""All paths of a tree -> `ModuleMap`, which says what file an `import` of Python means. Nothing is imported or run.

A module is looked for under *roots*, the folders that end up on `sys.path`:

    own         the nearest folder above the importing file that has no `__init__.py`: the folder of a script, and of a test
                under pytest (its default "prepend" import mode), and the parent of the package a module is in
    installed   the repository itself; a folder with pyproject.toml, setup.py, setup.cfg or manage.py, its `src`, `lib` and `python`
                folder; what package-dir, packages.find, pythonpath, mypy_path and the like of the configuration name
    conftest    the own root of a conftest.py, for the files beneath it
    package     the parent of any other package with an `__init__.py`

Roots that hold the importing file come first, nearest first; then installed ones and then package ones, those that share most of their
path with the importing file first, then the shortest.
"""

from __future__ import annotations

import configparser
import re
import sys
import tomllib
from collections.abc import Iterable
from typing import Any, Final

from index.files.paths import shown
from index.languages.modules import (
    MAX_CONFIG_BYTES,
    MAX_CONFIG_FILES,
    MISSING,
    MOST_CONFIG_BYTES,
    Configs,
    Found,
    Resolution,
    config_text,
    folder_of,
    folders_above,
    joined,
    normalised,
    tails,
    words,
)
from index.types import Problem

CONFIG_NAMES: Final = frozenset({"pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", "mypy.ini"})
CONFIG_ENDINGS: Final = (".toml", ".cfg", ".ini", ".txt", ".in", "setup.py")  # every file that `is_config` picks ends in one of these
_REQUIREMENTS: Final = re.compile(r"requirements[^/]*\.(?:txt|in)\Z")

# Python never looks on disk for these: they are in memory before the first line of a program runs.
_ALWAYS_STANDARD: Final = words(
    """
    __future__ _thread abc builtins codecs encodings errno gc genericpath importlib io itertools marshal os posix posixpath signal site
    stat sys time types warnings weakref zipimport
    """
)
# In the library of some supported version, not in every one.
_STANDARD: Final = sys.stdlib_module_names | words(
    """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr imp lib2to3 mailcap msilib nis
    nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib
    """
)

_SOURCE: Final = (".py", ".pyx", ".pyw")
_STUB: Final = ".pyi"
_MOST_PLUGINS: Final = 20
_EXTENSIONS: Final = frozenset(ending[1:] for ending in (*_SOURCE, _STUB))
_PROJECT_FILES: Final = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "manage.py"})
_PROJECT_MODULES: Final = frozenset(name.removesuffix(".py") for name in _PROJECT_FILES if name.endswith(".py"))
_READ: Final = (*_SOURCE, _STUB, *(name for name in sorted(_PROJECT_FILES) if not name.endswith(_SOURCE)))
_SOURCE_FOLDERS: Final = ("src", "lib", "python")
# Packages here belong to their own little world: nothing outside it imports them by name.
_ENCLOSED: Final = words(
    """
    test tests testing fixtures testdata test_data data samples sample examples example vendor _vendor vendored third_party thirdparty
    node_modules site-packages dist-packages templates cookiecutter build dist
    """
)
_INSTALLED, _CONFTEST, _PACKAGE = range(3)


def is_config(path: bytes | str) -> bool:
    """Whether `ModuleMap` wants the text of this file."""
    name = (shown(path) if isinstance(path, bytes) else path).rpartition("/")[2]
    return name in CONFIG_NAMES or (name.startswith("requirements") and _REQUIREMENTS.match(name) is not None)


class ModuleMap:
    """What every import of one tree means.

    `paths`: all paths of the tree, bytes as git has them or text as `shown` gives it. `configs`: path -> content of the files that
    `is_config` picks; those that are missing here are taken as empty. Bad ones are in `problems` and otherwise ignored; nothing raises.
    """

    def __init__(self, paths: Iterable[bytes | str], configs: Configs | None = None) -> None:
        self.problems: tuple[Problem, ...] = ()
        self._files: list[str] = []  # Python files
        self._modules: dict[str, list[str]] = {}  # "a/b" -> ["a/b.py", "a/b.pyi"], the one that runs first
        self._packages: dict[str, list[str]] = {}  # "a/b" -> ["a/b/__init__.py"]
        self._folders: set[str] = {""}  # that hold a Python file, at any depth
        self._conftests: set[str] = set()  # folders with a conftest.py
        self._plugins: list[str] = []  # files that are plugins of pytest by their name: `pytest_plugin.py`, `pytest_cart.py`
        self._roots: dict[str, int] = {}
        self._tops: dict[str, list[str]] = {}  # top-level name -> the stems it may mean, of every root
        self._mounts: dict[str, set[str]] = {}  # top-level name -> folders that a package-dir table gives it
        self._requirements: set[str] = set()  # declared dependencies, normalised
        self._children: dict[str, dict[str, str]] | None = None
        self._own_roots: dict[str, str] = {}
        self._above_keys: dict[str, tuple[str, ...]] = {}  # see `_keys_above`
        self._answers: dict[tuple[str, str, int], Resolution] = {}
        projects, inside = self._read_paths(paths)
        problems: list[Problem] = []
        configured = _read_configs(configs or {}, self._mounts, self._requirements, problems)
        self._find_roots(projects, configured, inside)
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.path, problem.line, problem.message)))

    def resolve(self, importing_path: str, dotted: str, level: int = 0) -> Resolution:
        """The file that imports, the name after `import` or `from`, and its leading dots -> what it names.

        `from .a import b` is ("a", 1); ask for `b` as "a.b" where `a` has no such name. A module never means itself.
        """
        folder = folder_of(importing_path)
        key = (folder, dotted, level)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._look(folder, dotted, level, "")
        if level == 0 and answer.path == importing_path and not _is_init(importing_path):
            return self._look(folder, dotted, level, importing_path)
        return answer

    def lookup_keys(self, importing_path: str, dotted: str, level: int = 0) -> tuple[str, ...]:
        """Stems such that `resolve` of the same arguments can only change where one of them is in `changed_keys`.

        A stem is a path without extension, `/__init__` dropped. With a leading slash it starts at the top of the repository, without one
        it is the end of a path.
        """
        folder = folder_of(importing_path)
        if level > 0:
            base = _above(folder, level)
            return () if base is None else ("/" + joined(base, dotted.replace(".", "/")),)
        top, _, rest = dotted.partition(".")
        keys = {top, dotted.replace(".", "/"), *self._keys_above(folder)}
        for mount in self._mounts.get(top, ()):
            keys.add("/" + joined(mount, rest.replace(".", "/")))
        return tuple(sorted(keys))

    def _keys_above(self, folder: str) -> tuple[str, ...]:
        """What says where the own root of a folder is."""
        known = self._above_keys.get(folder)
        if known is None:
            own = self.own_root(folder)
            known = tuple("/" + joined(above, "__init__") for above in folders_above(folder) if len(above) >= len(own))
            self._above_keys[folder] = known
        return known

    def module_name(self, path: str) -> str:
        """A file -> the dotted name people import it by."""
        folder, _, name = path.rpartition("/")
        stem = folder if _is_init(path) else joined(folder, name.partition(".")[0])
        top = self.own_root(folder_of(path))
        installed = next((root for root in folders_above(top) if self._roots.get(root) == _INSTALLED), "")
        root = installed or (top if folder in self._packages else "")
        return stem[len(root) :].strip("/").replace("/", ".") or name.partition(".")[0]

    def submodules(self, package_folder: str) -> dict[str, str]:
        """A folder -> name of each module and package in it, sorted, with its file; a package without `__init__.py` has its folder."""
        if self._children is None:
            self._children = {}
            for stem in sorted(self._folders):
                self._add_child(stem, stem)
            for stem, files in self._modules.items():
                self._add_child(stem, files[0])
            for stem, files in self._packages.items():
                self._add_child(stem, files[0])
        return dict(sorted(self._children.get(package_folder, {}).items()))

    def conftest_chain(self, path: str) -> tuple[str, ...]:
        """A test file -> the conftest.py files whose fixtures it sees, nearest first; for a conftest.py, those above it. Behind these the
        plugins of the project, which are installed where its tests run."""
        chain = [joined(folder, "conftest.py") for folder in folders_above(folder_of(path)) if folder in self._conftests]
        return tuple(found for found in (*chain, *self._plugins) if found != path)

    def have_fixtures(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """Folders with a conftest.py, and plugins: what `conftest_chain` hangs on."""
        return frozenset(self._conftests), tuple(self._plugins)

    def own_root(self, folder: str) -> str:
        """A folder -> itself, or the nearest one above that has no `__init__.py`."""
        known = self._own_roots.get(folder)
        if known is None:
            known = next((above for above in folders_above(folder) if above not in self._packages), "")
            self._own_roots[folder] = known
        return known

    def _look(self, folder: str, dotted: str, level: int, besides: str) -> Resolution:
        parts = dotted.split(".") if dotted else []
        if not all(parts) or (level == 0 and not parts) or level < 0:
            return MISSING
        if level:
            base = _above(folder, level)
            if base is None:
                return MISSING
            stem = joined(base, "/".join(parts))
            return self._at(stem) or Resolution(Found.MISSING, tried=_would_be(stem))
        return self._look_from_roots(folder, parts, besides)

    def _look_from_roots(self, folder: str, parts: list[str], besides: str) -> Resolution:
        top, rest = parts[0], parts[1:]
        external = Resolution(Found.EXTERNAL, name=top)
        if top in _ALWAYS_STANDARD:
            return external
        if top in _STANDARD:
            own = joined(self.own_root(folder), top)
            # A folder without `__init__.py` never hides a module of the library, wherever it stands.
            candidates = [own] if self._runs(own, besides) else []
        else:
            candidates = self._candidates(folder, top)
        for stem in candidates:
            if self._runs(stem, besides):
                full = joined(stem, "/".join(rest))
                return self._at(full) or Resolution(Found.MISSING, tried=_would_be(full))
        return self._look_in_namespaces(folder, candidates, top, rest, besides) or external

    def _look_in_namespaces(self, folder: str, candidates: list[str], top: str, rest: list[str], besides: str) -> Resolution | None:
        """A package of folders only: several roots may each hold a part of it, and an installed package of that name goes first."""
        if _canonical(top) in self._requirements:
            return None
        for stem in candidates:
            found = self._at(joined(stem, "/".join(rest)))
            if found is not None and found.path != besides:
                return found
        inside = [stem for stem in candidates if folder == stem or folder.startswith(stem + "/")]
        return Resolution(Found.MISSING, tried=_would_be(joined(inside[0], "/".join(rest)))) if inside else None

    def _candidates(self, folder: str, top: str) -> list[str]:
        """Stems that a top-level name may mean, best first. Package roots elsewhere come in only where nothing better answers."""
        own = self.own_root(folder)
        above = {root: depth for depth, root in enumerate(folders_above(own))}
        mine = joined(own, top)
        ranked: list[tuple[tuple[int, int, int, str], str]] = [((0, 0, 0, own), mine)] if self._exists(mine) else []
        for stem in self._tops.get(top, ()):
            root = folder_of(stem)
            mounted = stem in self._mounts.get(top, ())
            kind = _INSTALLED if mounted else self._roots[root]
            shared = _shared(root, folder)
            if root in above and not mounted:
                if kind == _PACKAGE and stem not in self._packages:
                    continue  # nothing but its packages says that it is on the path
                rank = 0, above[root]
            elif kind != _INSTALLED and (kind == _CONFTEST or stem not in self._packages or _is_enclosed(root, shared)):
                continue
            else:
                rank = 1 if kind == _INSTALLED else 2, -shared
            if stem != mine:
                ranked.append(((*rank, len(root), root), stem))
        ranked.sort()
        return [stem for rank, stem in ranked if rank[0] < 2] or [stem for _, stem in ranked]

    def _at(self, stem: str) -> Resolution | None:
        files = self._packages.get(stem) or self._modules.get(stem)
        if files:
            stub = next((file for file in files[1:] if file.endswith(_STUB)), "")
            return Resolution(Found.FILE, files[0], stub=stub or self._stub_package(stem))
        stub = self._stub_package(stem)
        if stub:
            return Resolution(Found.FILE, stub)
        return Resolution(Found.FOLDER, stem) if stem in self._folders else None

    def _stub_package(self, stem: str) -> str:
        """`lib/foo/bar` -> the `bar` of a `lib/foo-stubs` package beside it."""
        if not self._has_stub_packages:
            return ""
        parts = stem.split("/")
        for at in range(len(parts)):
            name = "/".join((*parts[:at], parts[at] + "-stubs", *parts[at + 1 :]))
            files = self._packages.get(name) or self._modules.get(name)
            if files:
                return files[0]
        return ""

    def _exists(self, stem: str) -> bool:
        return stem in self._packages or stem in self._modules or stem in self._folders or bool(self._stub_package(stem))

    def _runs(self, stem: str, besides: str) -> bool:
        """There is a file to run, not just a folder, and it is not the importing one."""
        files = self._packages.get(stem) or self._modules.get(stem)
        return (bool(files) and files[0] != besides) if files else bool(self._stub_package(stem))

    def _read_paths(self, paths: Iterable[bytes | str]) -> tuple[set[str], dict[str, list[str]]]:
        """Fills files, modules, packages and folders; returns the folders that are projects of their own, and by folder the names of the
        modules and folders in it."""
        projects: set[str] = set()
        inside: dict[str, list[str]] = {}
        files, folders, modules, packages = self._files, self._folders, self._modules, self._packages
        before: str | None = None  # the folder of the path before: in order, most stand in the same one
        names: list[str] = []  # of the modules in it
        for raw_path in paths:
            path = shown(raw_path) if isinstance(raw_path, bytes) else raw_path
            if not path.endswith(_READ):
                continue
            folder, _, name = path.rpartition("/")
            stem, _, extension = name.partition(".")
            if extension == "py":
                if stem in _PROJECT_MODULES:
                    projects.add(folder)
            else:
                if name in _PROJECT_FILES:
                    projects.add(folder)
                if extension not in _EXTENSIONS:
                    continue
            files.append(path)
            if folder != before:
                before = folder
                names = inside.setdefault(folder, [])
                above = folder
                while above not in folders:
                    folders.add(above)
                    above, _, last = above.rpartition("/")
                    inside.setdefault(above, []).append(last)
            if stem == "__init__":
                table, key = packages, folder
            elif stem:
                table, key = modules, path[: -len(extension) - 1]
                names.append(stem)
            else:
                table, key = modules, folder
            if stem == "conftest" and name == "conftest.py":
                self._conftests.add(folder)
            elif stem.startswith("pytest_"):
                self._plugins.append(path)
            others = table.get(key)
            if others is None:
                table[key] = [path]
            else:
                others.append(path)
                others.sort(key=lambda path: (path.endswith(_STUB), path))  # .py, .pyw, .pyx, .pyi
        self._plugins = sorted(self._plugins)[:_MOST_PLUGINS]
        self._has_stub_packages = any(folder.endswith("-stubs") for folder in self._folders)
        return projects, inside

    def _find_roots(self, projects: set[str], configured: set[tuple[str, str]], inside: dict[str, list[str]]) -> None:
        for package in self._packages:
            if package and folder_of(package) not in self._packages:
                self._roots[folder_of(package)] = _PACKAGE
        for folder in sorted(self._conftests):
            self._roots.setdefault(self.own_root(folder), _CONFTEST)
        standing = {(project, joined(project, source)) for project in projects for source in ("", *_SOURCE_FOLDERS)}
        for project, root in sorted(standing | configured, reverse=True):
            # A package named `src` is imported as `src.x`, whatever stands beside it.
            if root in self._folders and (root not in self._packages or root == project or (project, root) in configured):
                self._roots[root] = _PACKAGE if _is_enclosed(project) else _INSTALLED
        self._roots[""] = _INSTALLED
        tops: dict[str, set[str]] = {name: set(stems) for name, stems in self._mounts.items()}
        for root in self._roots:
            for name in inside.get(root, ()):
                name = name.removesuffix("-stubs")
                tops.setdefault(name, set()).add(joined(root, name))
        self._tops = {name: sorted(stems) for name, stems in tops.items()}

    def _add_child(self, stem: str, path: str) -> None:
        folder, _, name = stem.rpartition("/")
        if self._children is not None and name.isidentifier():
            self._children.setdefault(folder, {})[name] = path


def changed_keys(before: ModuleMap, after: ModuleMap) -> frozenset[str]:
    """Two trees -> the stems whose files came, went or moved to another root; see `ModuleMap.lookup_keys`."""
    keys: set[str] = set()
    for path in {*before._files} ^ {*after._files}:
        stem = path[: path.rindex(".")]
        keys.add("/" + stem)
        stem = "" if stem == "__init__" else stem.removesuffix("/__init__")
        keys.add("/" + stem)
        keys.update(tails(stem))
    for folder in before._folders ^ after._folders:
        keys.add("/" + folder)
        keys.update(tails(folder))
    moved = {root for root in before._roots.keys() | after._roots.keys() if before._roots.get(root) != after._roots.get(root)}
    names = before._tops.keys() | after._tops.keys()
    keys.update(name for name in names if before._tops.get(name) != after._tops.get(name))
    keys.update(name for name in names if moved & {folder_of(stem) for stem in after._tops.get(name, ())})
    if differing := before._requirements ^ after._requirements:
        # Any folder without `__init__.py` may be a package for the files beside it: see `_look_in_namespaces`.
        folders = {folder.rpartition("/")[2] for folder in before._folders | after._folders}
        keys.update(name for name in names | folders if _canonical(name) in differing)
    keys.update(name.replace("-stubs", "") for name in sorted(keys) if "-stubs" in name)
    return frozenset(keys)


def _is_init(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] == "__init__"


def _above(folder: str, level: int) -> str | None:
    """The folder that `level` dots in a file of `folder` mean; None above the top."""
    above = folders_above(folder)
    return above[level - 1] if level <= len(above) else None


def _would_be(stem: str) -> tuple[str, ...]:
    return (f"{stem}/__init__.py", f"{stem}.py", f"{stem}/__init__.pyi", f"{stem}.pyi")


def _is_enclosed(folder: str, shared: int = 0) -> bool:
    """Beyond its first `shared` parts, the folder leads into tests, examples or somebody else's code."""
    return not _ENCLOSED.isdisjoint(folder.split("/")[shared:])


def _canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _shared(root: str, folder: str) -> int:
    """How many leading folders two paths share."""
    count = 0
    for one, other in zip(root.split("/"), folder.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count


def _read_configs(configs: Configs, mounts: dict[str, set[str]], requirements: set[str], problems: list[Problem]) -> set[tuple[str, str]]:
    """Configuration files -> (their folder, a root they name); mounts and requirements are added to, and problems told."""
    roots: set[tuple[str, str]] = set()
    shown_configs = {(shown(path) if isinstance(path, bytes) else path): content for path, content in configs.items()}
    size = 0
    for count, path in enumerate(sorted(shown_configs)):
        if count == MAX_CONFIG_FILES:
            problems.append(Problem(path, 0, f"more than {MAX_CONFIG_FILES} configuration files: the rest was not read for import roots"))
            break
        content = shown_configs[path]
        size += len(content)
        if size > MOST_CONFIG_BYTES:
            megabytes = MOST_CONFIG_BYTES >> 20
            problems.append(Problem(path, 0, f"more than {megabytes} MB of configuration files: the rest was not read for import roots"))
            break
        if len(content) > MAX_CONFIG_BYTES:
            problems.append(Problem(path, 0, "too large to be read for import roots"))
            continue
        folder, _, name = path.rpartition("/")
        reader = _REQUIREMENT_READER if _REQUIREMENTS.match(name) else _READERS.get(name)
        if reader is None:
            continue
        try:
            said = reader(config_text(content))
        except (tomllib.TOMLDecodeError, configparser.Error, ValueError, RecursionError) as error:
            problems.append(Problem(path, 0, f"could not be read for import roots: {type(error).__name__}"))
            continue
        for kind, subject, value in said:
            where = normalised(folder, value)
            if kind == "requires":
                requirements.add(_canonical(subject))
            elif where is not None and kind == "root":
                roots.add((folder, where))
            elif where is not None and subject.isidentifier():
                mounts.setdefault(subject, set()).add(where)
    return roots


Said = tuple[str, str, str]  # ("root", "", folder) | ("mount", package, folder) | ("requires", distribution, "")


# Time and memory of `tomllib` grow with the square of a dotted key's length.
_TOO_DEEP: Final = re.compile(r"""(?<![\w\-"'])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")


_MOST_OF_TOML: Final = 200_000  # characters; time also grows with the square of how many tables stand in one
_MOST_OF_SETUP: Final = 100_000  # characters
_GAP: Final = re.compile(r"(?<=\S)[^\S\n]{32,}")  # where `configparser` would try every two places of a line


def _from_pyproject(text: str) -> list[Said]:
    if len(text) > _MOST_OF_TOML:
        raise ValueError("too large")
    if _TOO_DEEP.search(text):
        raise ValueError("a key with too many dots")
    data = tomllib.loads(text)
    said = _from_package_dir(_get(data, "tool", "setuptools", "package-dir"))
    for keys in _PYPROJECT_ROOTS:
        said += [("root", "", where) for where in _strings(_get(data, *keys))]
    for package in _strings(_get(data, "tool", "hatch", "build", "targets", "wheel", "packages")):
        said.append(("root", "", folder_of(package.strip("/"))))
    for row in _list(_get(data, "tool", "poetry", "packages")):
        said += [("root", "", where) for where in _strings(_get(row, "from"))]
    said += [("requires", name, "") for name in _requirement_names(_strings(_get(data, "project", "dependencies")))]
    for group in (_get(data, "project", "optional-dependencies"), _get(data, "dependency-groups")):
        for rows in group.values() if isinstance(group, dict) else ():
            said += [("requires", name, "") for name in _requirement_names(_strings(rows))]
    for table in (_get(data, "tool", "poetry", "dependencies"), _get(data, "tool", "poetry", "dev-dependencies")):
        said += [("requires", name, "") for name in (table if isinstance(table, dict) else ())]
    return said


_PYPROJECT_ROOTS: Final = (
    ("tool", "setuptools", "packages", "find", "where"),
    ("tool", "pytest", "ini_options", "pythonpath"),
    ("tool", "hatch", "build", "targets", "wheel", "sources"),
    ("tool", "hatch", "build", "sources"),
    ("tool", "pdm", "build", "package-dir"),
    ("tool", "maturin", "python-source"),
    ("tool", "uv", "build-backend", "module-root"),
    ("tool", "pyright", "extraPaths"),
    ("tool", "mypy", "mypy_path"),
)


def _from_ini(text: str) -> list[Said]:
    if len(text) > _MOST_OF_SETUP:
        raise ValueError("too large")
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(_GAP.sub(" ", text))
    pairs = []
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        package, equals, where = line.partition("=")
        if equals:
            pairs.append((package.strip(), where.strip()))
    said = _from_package_dir(dict(pairs))
    for section, option in _INI_ROOTS:
        said += [("root", "", where) for where in re.split(r"[\s,:]+", parser.get(section, option, fallback="")) if where]
    said += [("requires", name, "") for name in _requirement_names(parser.get("options", "install_requires", fallback="").splitlines())]
    return said


_INI_ROOTS: Final = (
    ("options.packages.find", "where"),
    ("tool:pytest", "pythonpath"),
    ("pytest", "pythonpath"),
    ("mypy", "mypy_path"),
)

# What setup.py passes to setup(), as text: the file is never run.
_SETUP_ROOT: Final = re.compile(r"""find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?['"]([^'"\n]{1,200})['"]""")
_SETUP_DIR: Final = re.compile(r"""package_dir\s*=\s*\{([^}]{0,2000})\}""")
_SETUP_PAIR: Final = re.compile(r"""['"]([^'"\n]{0,200})['"]\s*:\s*['"]([^'"\n]{0,200})['"]""")


def _from_setup_py(text: str) -> list[Said]:
    text = text[:_MOST_OF_SETUP]
    said: list[Said] = [("root", "", where) for where in _SETUP_ROOT.findall(text)]
    for table in _SETUP_DIR.findall(text):
        said += _from_package_dir(dict(_SETUP_PAIR.findall(table)))
    return said


def _from_requirements(text: str) -> list[Said]:
    return [("requires", name, "") for name in _requirement_names(text.splitlines())]


_READERS: Final = {
    "pyproject.toml": _from_pyproject,
    "setup.cfg": _from_ini,
    "tox.ini": _from_ini,
    "pytest.ini": _from_ini,
    "mypy.ini": _from_ini,
    "setup.py": _from_setup_py,
}
_REQUIREMENT_READER: Final = _from_requirements


def _from_package_dir(table: Any) -> list[Said]:
    said: list[Said] = []
    for package, where in table.items() if isinstance(table, dict) else ():
        if isinstance(where, str) and package:
            said.append(("mount", str(package), where))
        elif isinstance(where, str):
            said.append(("root", "", where))
    return said


def _requirement_names(rows: Iterable[str]) -> list[str]:
    found = (re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", row) for row in rows)
    return [match[1] for match in found if match]


def _get(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    """A string, of several values by space, comma or colon, or a list of them."""
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,:]+", value) if part]
    return [part for part in _list(value) if isinstance(part, str)]
