"""All paths of a tree and its configuration -> `ModuleMap`, which says what file an `import` of TypeScript or JavaScript means.

Where a specifier is looked for, first answer wins:

    ./x ../x /x          the path itself, with the extensions and index files that the language of the importing file tries first;
                         then the same path under the other `rootDirs`
    #x                   `imports` of the nearest package.json
    anything else        `paths` of the nearest tsconfig.json or jsconfig.json (the longest matching prefix), and of the configurations it
                         extends and refers to; a module of Node; `baseUrl`; a package of the workspace or an enclosing one, by name;
                         `@/x` and `~/x` by convention; or it is an installed package

A package's `exports`, `main` and the like often name a file that a build makes. Where that file is not in the tree, the source it is made
from is looked for: `dist/esm/cart.d.ts` -> `src/cart.ts`.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import yaml

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
    words,
)
from index.types import Problem

_TSCONFIG = re.compile(r"(?:tsconfig|jsconfig)(?:\.[^/]+)?\.json\Z")
CONFIG_ENDINGS = (".json", ".yaml")  # every file that `is_config` picks ends in one of these
_NAMED_CONFIGS = frozenset({"package.json", "pnpm-workspace.yaml", "lerna.json"})

# The importing file's own language goes first; a declaration goes last, because it runs nothing.
_TYPESCRIPT_ORDER = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
_JAVASCRIPT_ORDER = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".vue", ".svelte")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_PLATFORMS = (".native", ".ios", ".android", ".web")  # React Native: `x.ios.ts` answers `./x`
_WRITTEN_FOR = {  # what stands in an import -> what it may have been compiled from
    ".js": (".ts", ".tsx", ".js", ".jsx"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
}
_DECLARED_BY = {".js": ".d.ts", ".jsx": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
_EXACT = (*_TYPESCRIPT_ORDER, ".css", ".scss", ".svg", ".png")
_STEM = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]s|[jt]sx|json|vue|svelte)\Z")
_LIKE_RELATIVE = re.compile(r"\.{1,2}(?:/|\Z)|/")

_CONDITIONS = ("source", "types", "import", "module", "require", "default")
_ENTRY_FIELDS = ("source", "module", "main", "browser", "types", "typings")
_BUILT_FOLDERS = words(
    "dist distribution build out output lib libs es esm cjs umd types typings module modern commonjs node browser bundle js"
)
_ALWAYS_BUILT = words("dist distribution build out output")
_SOURCE_FOLDERS = ("src", "source", "lib", "")

_NODE = words(
    """
    assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https
    inspector module net os path perf_hooks process punycode querystring readline repl sea sqlite stream string_decoder sys test timers tls
    trace_events tty url util v8 vm wasi worker_threads zlib
    """
)

_MAX_YAML = 1 << 16
_MAX_EXTENDS = 32
_MAX_GLOB_CHECKS = 2_000_000  # 4 s; a workspace of 1,000 packages and 10 globs takes 10,000
_MAX_PATTERNS = 2_000  # of one `paths`, `exports`, `imports` or `workspaces` table
_MAX_DEPTH = 16  # of nested conditions
_MAX_TARGETS = 64  # of one specifier


def is_config(path: bytes | str) -> bool:
    """Whether `ModuleMap` wants the text of this file."""
    text = shown(path) if isinstance(path, bytes) else path
    name = text.rpartition("/")[2]
    return (name in _NAMED_CONFIGS or _TSCONFIG.match(name) is not None) and "/node_modules/" not in f"/{text}"


@dataclass(frozen=True)
class _Package:
    """A package.json."""

    folder: str
    name: str
    data: dict[str, Any]
    dependencies: frozenset[str]


@dataclass(frozen=True)
class _Config:
    """A tsconfig.json together with what it extends."""

    path: str
    base_url: str | None = None
    exact: dict[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # prefix, suffix, targets; longest prefix first
    root_dirs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


class ModuleMap:
    """What every import of one tree means.

    `paths`: all paths of the tree, bytes as git has them or text as `shown` gives it. `configs`: path -> content of the files that
    `is_config` picks; those that are missing here are taken as empty. Bad ones are in `problems` and otherwise ignored; nothing raises.
    """

    def __init__(self, paths: Iterable[bytes | str], configs: Configs | None = None) -> None:
        self._paths = paths if isinstance(paths, list) else list(paths)
        self._problems: list[Problem] = []
        self._texts: dict[str, bytes | str] = {}
        self._json: dict[str, Any] = {}
        self._packages: dict[str, _Package] = {}  # by folder
        self._members: dict[str, dict[str, str]] = {}  # workspace folder -> name -> package folder
        self._configs: dict[str, _Config] = {}  # by path
        self._folders_by_name: dict[str, list[str]] = {}
        self._glob_checks = 0
        self._answers: dict[tuple[str, str, bool], tuple[Resolution, tuple[str, ...]]] = {}
        self._governing: dict[str, tuple[_Config, ...]] = {}
        self._read(configs or {})
        self.problems: tuple[Problem, ...] = tuple(sorted(set(self._problems), key=lambda problem: (problem.path, problem.message)))

    @cached_property
    def _files(self) -> frozenset[str]:
        """Made when it is asked for: of a change to other languages it is not."""
        return frozenset(shown(path) if isinstance(path, bytes) else path for path in self._paths)

    def resolve(self, importing_path: str, specifier: str) -> Resolution:
        """The file that imports, the text between the quotes -> what it names."""
        return self._answer(importing_path, specifier)[0]

    def lookup_keys(self, importing_path: str, specifier: str) -> tuple[str, ...]:
        """Stems such that `resolve` of the same arguments can only change where one of them is in `changed_keys`.

        A stem is a slash and a path without extension, `/index` dropped; `config:`, `package:` and `name:` keys stand for what
        configuration says about a folder, a package's folder and a package's name.
        """
        return self._answer(importing_path, specifier)[1]

    def _answer(self, importing_path: str, specifier: str) -> tuple[Resolution, tuple[str, ...]]:
        folder = folder_of(importing_path)
        is_javascript = importing_path.endswith((".js", ".jsx", ".mjs", ".cjs"))
        key = folder, specifier, is_javascript
        answer = self._answers.get(key)
        if answer is None:
            lookup = _Lookup(self, folder, _JAVASCRIPT_ORDER if is_javascript else _TYPESCRIPT_ORDER)
            found = lookup.specifier(specifier)
            answer = self._answers[key] = found, tuple(sorted(lookup.keys))
        return answer

    # What configuration says

    def _read(self, configs: Configs) -> None:
        size = 0
        for path, content in sorted((shown(path) if isinstance(path, bytes) else path, content) for path, content in configs.items()):
            size += len(content)
            if size > MOST_CONFIG_BYTES:
                megabytes = MOST_CONFIG_BYTES >> 20
                message = f"more than {megabytes} MB of configuration files: the rest was not read for import paths"
                self._problems.append(Problem(path, 0, message))
                break
            self._texts[path] = content
        for count, path in enumerate(sorted(self._texts)):
            if count == MAX_CONFIG_FILES:
                message = f"more than {MAX_CONFIG_FILES} configuration files: the rest was not read for import paths"
                self._problems.append(Problem(path, 0, message))
                break
            name = path.rpartition("/")[2]
            if name == "package.json":
                self._read_package(path)
        for path in sorted(self._texts):
            if _TSCONFIG.match(path.rpartition("/")[2]) and len(self._configs) < MAX_CONFIG_FILES:
                self._configs[path] = self._read_tsconfig(path)
        self._read_workspaces()

    def _load(self, path: str) -> dict[str, Any]:
        if path not in self._json:
            self._json[path] = self._parsed(path)
        data: dict[str, Any] = self._json[path]
        return data

    def _parsed(self, path: str) -> dict[str, Any]:
        content = self._texts.get(path, "")
        if len(content) > MAX_CONFIG_BYTES:
            self._problems.append(Problem(path, 0, "too large to be read for import paths"))
            return {}
        text = config_text(content)
        if not text.strip():
            return {}
        try:
            data = _from_yaml(text) if path.endswith(".yaml") else _from_json(text)
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            self._problems.append(Problem(path, 0, f"could not be read for import paths: {type(error).__name__}"))
            return {}
        if not isinstance(data, dict):
            self._problems.append(Problem(path, 0, "could not be read for import paths: not an object"))
            return {}
        return data

    def _read_package(self, path: str) -> None:
        data = self._load(path)
        name = data.get("name")
        tables = (data.get(table) for table in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"))
        dependencies = frozenset(key for table in tables if isinstance(table, dict) for key in table)
        folder = folder_of(path)
        self._packages[folder] = package = _Package(folder, name if isinstance(name, str) else "", data, dependencies)
        self._folders_by_name.setdefault(package.name, []).append(folder)

    def _read_workspaces(self) -> None:
        """Which packages can be imported by name from where."""
        for folder, package in self._packages.items():
            self._add_members(folder, _workspace_globs(package.data.get("workspaces")))
        for path in sorted(self._texts):
            if path.rpartition("/")[2] in ("pnpm-workspace.yaml", "lerna.json"):
                self._add_members(folder_of(path), _workspace_globs(self._load(path).get("packages")))

    def _add_members(self, workspace: str, globs: list[str]) -> None:
        if not globs:
            return
        wanted = [glob.split("/") for glob in globs if not glob.startswith("!")]
        unwanted = [glob[1:].split("/") for glob in globs if glob.startswith("!")]
        members = self._members.setdefault(workspace, {})
        for folder in sorted(self._packages):
            if not _holds(workspace, folder):
                continue
            self._glob_checks += len(globs)
            if self._glob_checks > _MAX_GLOB_CHECKS:
                self._problems.append(Problem(joined(workspace, "package.json"), 0, "too many workspace patterns: the rest is not used"))
                return
            inside = folder[len(workspace) :].strip("/")
            parts = inside.split("/") if inside else ["."]
            name = self._packages[folder].name
            if name and any(_glob_matches(glob, parts) for glob in wanted) and not any(_glob_matches(glob, parts) for glob in unwanted):
                members.setdefault(name, folder)

    def _read_tsconfig(self, path: str) -> _Config:
        chain = self._extended(path)
        base_url: str | None = None
        paths: dict[str, Any] = {}
        paths_from = folder_of(path)
        root_dirs: tuple[str, ...] = ()
        for each in chain:  # the base first: what extends it goes over it
            options = self._load(each).get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            here = folder_of(each)
            if isinstance(options.get("baseUrl"), str):
                base_url = _configured(here, options["baseUrl"], path)
            if isinstance(options.get("paths"), dict):
                paths = options["paths"]
                paths_from = here if base_url is None else base_url
            if isinstance(options.get("rootDirs"), list):
                found = (_configured(here, each_dir, path) for each_dir in options["rootDirs"] if isinstance(each_dir, str))
                root_dirs = tuple(each_dir for each_dir in found if each_dir is not None)[:_MAX_PATTERNS]
        if base_url is not None and paths:
            paths_from = base_url
        if len(paths) > _MAX_PATTERNS:
            self._problems.append(Problem(path, 0, f"more than {_MAX_PATTERNS} entries in `paths`: the rest is not used"))
        exact, patterns = {}, []
        for pattern, targets in list(paths.items())[:_MAX_PATTERNS]:
            rows = [targets] if isinstance(targets, str) else targets if isinstance(targets, list) else []
            wheres = tuple(
                where for row in rows[:_MAX_TARGETS] if isinstance(row, str) and (where := _configured(paths_from, row, path)) is not None
            )
            prefix, star, suffix = pattern.partition("*")
            if star:
                patterns.append((prefix, suffix, wheres))
            else:
                exact[pattern] = wheres
        patterns.sort(key=lambda row: (-len(row[0]), row))
        return _Config(path, base_url, exact, tuple(patterns), root_dirs, self._references(path))

    def _references(self, path: str) -> tuple[str, ...]:
        rows = self._load(path).get("references")
        found = []
        for row in rows[:_MAX_PATTERNS] if isinstance(rows, list) else ():
            where = row.get("path") if isinstance(row, dict) else None
            target = normalised(folder_of(path), where) if isinstance(where, str) else None
            if target is not None:
                found.append(target if target in self._texts else joined(target, "tsconfig.json"))
        return tuple(found)

    def _extended(self, path: str) -> list[str]:
        """A configuration -> itself and all that it extends, the furthest first. A circle is cut, and a Problem says so."""
        chain: list[str] = []
        open_: list[str] = []

        def visit(each: str) -> None:
            if each in open_ or len(open_) == _MAX_EXTENDS:
                self._problems.append(Problem(path, 0, "`extends` goes in a circle or too deep: cut there"))
                return
            open_.append(each)
            extends = self._load(each).get("extends")
            for base in [extends] if isinstance(extends, str) else extends[:_MAX_EXTENDS] if isinstance(extends, list) else []:
                target = self._base_config(folder_of(each), base) if isinstance(base, str) else None
                if target is not None and len(chain) < _MAX_TARGETS:
                    visit(target)
            open_.pop()
            chain.append(each)

        visit(path)
        return chain

    def _base_config(self, folder: str, written: str) -> str | None:
        """What `extends` names, if it is in the tree; the configuration of an installed package is not, and holds no paths of ours."""
        if _LIKE_RELATIVE.match(written):
            target = normalised(folder, written)
            folders = [] if target is None else [target]
        else:
            name, subpath = _split_bare(written)
            folders = [joined(owner, subpath) for owner in self._folders_by_name.get(name, ())]
        names = (name for target in folders for name in (target, f"{target}.json", joined(target, "tsconfig.json")))
        return next((name for name in names if name in self._texts), None)

    def governing(self, folder: str) -> tuple[_Config, ...]:
        """The nearest configuration at or above a folder, then those of its references that hold the folder; empty where there is none."""
        known = self._governing.get(folder)
        if known is None:
            known = self._governing[folder] = tuple(self._find_governing(folder))
        return known

    def _find_governing(self, folder: str) -> Iterator[_Config]:
        for above in folders_above(folder):
            nearest = self._configs.get(joined(above, "tsconfig.json")) or self._configs.get(joined(above, "jsconfig.json"))
            if nearest is not None:
                yield nearest
                for reference in nearest.references:
                    config = self._configs.get(reference)
                    if config is not None and _holds(folder_of(reference), folder):
                        yield config
                return

    def package_above(self, folder: str) -> _Package | None:
        return next((self._packages[above] for above in folders_above(folder) if above in self._packages), None)


class _Lookup:
    """One specifier on its way. `keys` gathers what the answer depends on, `tried` the files that would have answered."""

    def __init__(self, tree: ModuleMap, folder: str, order: tuple[str, ...]) -> None:
        self.tree = tree
        self.folder = folder
        self.order = order
        self.keys: set[str] = set()
        self.tried: list[str] = []
        self._entered: set[str] = set()  # packages whose entry is being looked for: `"main": "."` must end
        self._followed = 0  # entries of package.json that led to another specifier

    def specifier(self, written: str) -> Resolution:
        text = written.rpartition("!")[2].partition("?")[0]  # loaders and queries of bundlers: `raw-loader!./x`, `./x?url`
        if not text or "\x00" in text or len(text) > 4096:
            return MISSING
        if _LIKE_RELATIVE.match(text):
            return self._relative(text) or self._missing()
        scheme, colon, _ = text.partition(":")
        if colon and scheme.isalnum():
            return Resolution(Found.EXTERNAL, name=text if scheme in ("http", "https", "data", "file") else text.partition("/")[0])
        return self._bare(text)

    def _missing(self) -> Resolution:
        return Resolution(Found.MISSING, tried=tuple(dict.fromkeys(self.tried)))

    def _relative(self, text: str) -> Resolution | None:
        # A leading slash is the site's root for bundlers: the repository's, or the package's, never the disk's.
        folder = self.folder if text.startswith(".") else ""
        stem = normalised(folder, text)
        if stem is None:
            return None
        found = self.path(stem, is_folder=text.endswith(("/", "/.", "/..")) or text in (".", ".."))
        if found is None and text.startswith("."):
            found = self._in_root_dirs(stem)
        elif found is None:
            found = self._under_package(text)
        return found or self._committed_elsewhere(stem)

    def _in_root_dirs(self, stem: str) -> Resolution | None:
        self._depends_on_config()
        for config in self.tree.governing(self.folder):
            mine = next((root for root in config.root_dirs if _holds(root, stem)), None)
            if mine is not None:
                inside = stem[len(mine) :].strip("/")
                for other in config.root_dirs:
                    found = self.path(joined(other, inside)) if other != mine else None
                    if found is not None:
                        return found
        return None

    def _under_package(self, text: str) -> Resolution | None:
        package = self._package_above()
        for folder in ("", "public", "src"):
            stem = normalised(joined(package.folder if package is not None else "", folder), text)
            found = self.path(stem) if stem is not None else None
            if found is not None:
                return found
        return None

    def _bare(self, text: str) -> Resolution:
        if text.startswith("#"):
            found = self._imported(text)
            if found is not None:
                return found
        found = self._by_paths(text)
        name, subpath = _split_bare(text)
        external = Resolution(Found.EXTERNAL, name=name)
        if found is not None:
            return found
        if name in _NODE:
            return external
        found = self._by_base_url(text) or self._by_package_name(name, subpath) or self._by_convention(text)
        if found is not None:
            return found
        # An alias that names nothing is an error of the project, unless an installed package has that name.
        is_alias = bool(self.tried) and not self._is_dependency(name)
        return self._missing() if is_alias or text.startswith(("#", "@/", "~/")) else external

    def _is_dependency(self, name: str) -> bool:
        packages = [package for above in folders_above(self.folder) if (package := self.tree._packages.get(above)) is not None]
        self.keys.update(f"package:{package.folder}" for package in packages)
        self.keys.add("package:")
        return any(name in package.dependencies for package in packages)

    def _depends_on_config(self) -> None:
        governing = self.tree.governing(self.folder)
        self.keys.add(f"config:{folder_of(governing[0].path)}" if governing else "config:")

    def _by_paths(self, text: str) -> Resolution | None:
        self._depends_on_config()
        for config in self.tree.governing(self.folder):
            matches: list[tuple[tuple[str, ...], str, bool]] = []
            if text in config.exact:
                matches.append((config.exact[text], "", True))
            for prefix, suffix, targets in config.patterns:
                if text.startswith(prefix) and text.endswith(suffix) and len(text) >= len(prefix) + len(suffix):
                    matches.append((targets, text[len(prefix) : len(text) - len(suffix)], bool(prefix)))
                    break
            for targets, middle, says_something in matches[:1]:
                tried = len(self.tried)
                for target in targets:
                    stem = normalised("", target.replace("*", middle, 1))
                    found = self.path(stem) if stem is not None else None
                    if found is not None:
                        return found
                if not says_something:
                    del self.tried[tried:]  # `"*": [...]` is a fallback for everything, no sign that the project means itself
        return None

    def _by_base_url(self, text: str) -> Resolution | None:
        tried = len(self.tried)
        for config in self.tree.governing(self.folder):
            stem = normalised(config.base_url, text) if config.base_url is not None else None
            found = self.path(stem) if stem is not None else None
            if found is not None:
                return found
        del self.tried[tried:]
        return None

    def _by_convention(self, text: str) -> Resolution | None:
        """`@/x` and `~/x` can't be a package: bundlers' templates use them for the sources of the package."""
        if not text.startswith(("@/", "~/")):
            return None
        package = self._package_above()
        for folder in ("src", "app", "") if package is not None else ("src", ""):
            stem = normalised(joined(package.folder if package is not None else "", folder), text[2:])
            found = self.path(stem) if stem is not None else None
            if found is not None:
                return found
        return None

    def _package_above(self) -> _Package | None:
        package = self.tree.package_above(self.folder)
        self.keys.add(f"package:{package.folder if package is not None else ''}")
        return package

    def _imported(self, text: str) -> Resolution | None:
        package = self._package_above()
        table = package.data.get("imports") if package is not None else None
        if package is None or not isinstance(table, dict):
            return None
        return self._first_of(package, _matching_targets(table, text), is_entry=False)

    def _by_package_name(self, name: str, subpath: str) -> Resolution | None:
        self.keys.update((f"name:{name}", "package:"))
        for folder in self._folders_named(name):
            package = self.tree._packages[folder]
            self.keys.add(f"package:{folder}")
            found = self._entry(package, subpath)
            return found or self._missing()
        return None

    def _folders_named(self, name: str) -> Iterator[str]:
        """Folders of packages that this folder can import by that name, best first."""
        above = folders_above(self.folder)
        for folder in above:
            member = self.tree._members.get(folder, {}).get(name)
            if member is not None:
                yield member
        nearest = True
        for folder in above:
            package = self.tree._packages.get(folder)
            if package is None:
                continue
            if package.name == name:
                yield folder
            linked = _linked(package, name) if nearest else None
            nearest = False
            self.keys.add(f"package:{folder}")
            target = normalised(folder, linked) if linked is not None else None
            if target is not None and target in self.tree._packages:
                yield target

    def _entry(self, package: _Package, subpath: str) -> Resolution | None:
        exports = package.data.get("exports")
        if exports is not None:
            table = exports if isinstance(exports, dict) and any(str(key).startswith(".") for key in exports) else {".": exports}
            found = self._first_of(package, _matching_targets(table, f"./{subpath}" if subpath else "."), is_entry=not subpath)
            if found is not None:
                return found
        if subpath:
            stems = (joined(package.folder, subpath), *(joined(package.folder, f"{folder}/{subpath}") for folder in _SOURCE_FOLDERS[:-1]))
            return self._first_path(stems) or self._built(package.folder, subpath, is_entry=False)
        self._entered.add(package.folder)
        found = self._first_of(package, _entry_fields(package), is_entry=True)
        indexes = (joined(package.folder, joined(folder, "index")) for folder in ("", *_SOURCE_FOLDERS[:-1]))
        return found or self._first_path(indexes)

    def _first_path(self, stems: Iterable[str]) -> Resolution | None:
        return next((found for stem in stems if (found := self.path(stem)) is not None), None)

    def _first_of(self, package: _Package, targets: list[str], *, is_entry: bool) -> Resolution | None:
        """Targets of a package.json, as written -> the first that is in the tree, itself or as what it is built from."""
        declared: Resolution | None = None
        for target in targets[:_MAX_TARGETS]:
            if not target.startswith((".", "/")) and not is_entry:
                found = self._follow(target)
            else:
                inside = normalised("", target)
                found = None if inside is None else self._target(package.folder, inside, is_entry)
            if found is not None and found.path.endswith(_DECLARATIONS):
                declared = declared or found  # it runs nothing: another target may
            elif found is not None:
                return found if declared is None else Resolution(Found.FILE, found.path, stub=found.stub or declared.path)
        return declared

    def _follow(self, target: str) -> Resolution | None:
        """`"#db": "pg"`: an entry that names another package."""
        self._followed += 1
        return self._bare(target) if self._followed < _MAX_DEPTH and not target.startswith("#") else None

    def _target(self, folder: str, inside: str, is_entry: bool) -> Resolution | None:
        top = inside.partition("/")[0]
        if top in _ALWAYS_BUILT:  # even if the build is committed: people change the source
            built = self._built(folder, inside, is_entry=is_entry)
            return built or self.path(joined(folder, inside))
        return self.path(joined(folder, inside)) or self._built(folder, inside, is_entry=is_entry)

    def _built(self, folder: str, inside: str, *, is_entry: bool) -> Resolution | None:
        """`dist/esm/cart.d.ts` -> `src/cart.ts`; for a package's entry that is a bundle of another name, `src/index.ts`."""
        parts = inside.split("/")
        built_from = joined(folder, _STEM.sub("", inside))
        for at in range(1, len(parts)):
            if parts[at - 1] not in _BUILT_FOLDERS:
                break
            rest = _STEM.sub("", "/".join(parts[at:])).removesuffix(".min")
            for source in _SOURCE_FOLDERS:
                stem = joined(folder, joined(source, rest))
                if stem != built_from and (found := self.path(stem)) is not None:
                    return found
        return self._first_path(joined(folder, f"{source}/index") for source in _SOURCE_FOLDERS[:-1]) if is_entry else None

    def _committed_elsewhere(self, stem: str) -> Resolution | None:
        """A path into a build that is not in the tree -> its source. A bundle named like its package is the package's entry."""
        package = self.tree.package_above(folder_of(stem))
        inside = stem if package is None or not package.folder else stem[len(package.folder) + 1 :]
        self.keys.add(f"package:{package.folder if package is not None else ''}")
        if inside.partition("/")[0] not in _ALWAYS_BUILT:
            return None
        folder = package.folder if package is not None else ""
        own_name = package.name.rpartition("/")[2] if package is not None else ""
        is_entry = bool(own_name) and inside.rpartition("/")[2].startswith(own_name + ".")
        return self._built(folder, inside, is_entry=is_entry)

    # From a path without extension to a file

    def path(self, stem: str, *, is_folder: bool = False) -> Resolution | None:
        """A repository-relative path as an import has it, extension or not -> the file; None, and `tried` has what was looked for."""
        self.keys.add("/" + _key_stem(stem))
        self.keys.add("/" + stem)
        if not is_folder:
            found = self._file(stem)
            if found is not None:
                return found
        package = self.tree._packages.get(stem)
        if package is not None and stem not in self._entered:
            self._entered.add(stem)
            self.keys.add(f"package:{stem}")
            found = self._first_of(package, _entry_fields(package), is_entry=True)
            if found is not None:
                return found
        found = self._file(joined(stem, "index"))
        if found is None:
            self.tried += [] if is_folder or not stem else list(islice(self._spellings(stem), 2))
            self.tried.append(joined(stem, f"index{self.order[0]}"))
        return found

    def _file(self, stem: str) -> Resolution | None:
        files = self.tree._files
        for path in self._spellings(stem):
            if path in files:
                return Resolution(Found.FILE, path, stub=self._declaration(path))
        return None

    def _spellings(self, stem: str) -> Iterator[str]:
        head, dot, extension = stem.rpartition(".")
        written_for = _WRITTEN_FOR.get(dot + extension, ())
        if stem.endswith(_EXACT) and (not written_for or self.order is _JAVASCRIPT_ORDER):
            yield stem
        for each in written_for:
            yield head + each
        for each in self.order:
            yield stem + each
        yield stem
        for each in _DECLARATIONS:
            yield stem + each
        if written_for:
            yield head + _DECLARED_BY[dot + extension]
        for platform in _PLATFORMS:
            for each in self.order[:2]:
                yield stem + platform + each

    def _declaration(self, path: str) -> str:
        head, dot, extension = path.rpartition(".")
        declared = head + _DECLARED_BY.get(dot + extension, "")
        return declared if declared != head and declared in self.tree._files else ""


def changed_keys(before: ModuleMap, after: ModuleMap) -> frozenset[str]:
    """Two trees -> the keys of what came, went or is configured otherwise; see `ModuleMap.lookup_keys`."""
    keys: set[str] = set()
    for path in before._files ^ after._files:
        keys.add("/" + path)
        keys.add("/" + _key_stem(path))
    keys.update(_changed_packages(before, after))
    for workspace in before._members.keys() | after._members.keys():
        old, new = before._members.get(workspace, {}), after._members.get(workspace, {})
        keys.update(f"name:{name}" for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    paths = before._configs.keys() | after._configs.keys()
    changed = {path for path in paths if before._configs.get(path) != after._configs.get(path)}
    for path in paths:
        configs = [tree._configs[path] for tree in (before, after) if path in tree._configs]
        if path in changed or any(reference in changed for config in configs for reference in config.references):
            keys.add(f"config:{folder_of(path)}")
            for tree in (before, after):  # importers that another configuration governed, or none
                governing = tree.governing(folder_of(path))
                keys.add(f"config:{folder_of(governing[0].path)}" if governing else "config:")
    return frozenset(keys)


def _changed_packages(before: ModuleMap, after: ModuleMap) -> Iterator[str]:
    for folder in before._packages.keys() | after._packages.keys():
        old, new = before._packages.get(folder), after._packages.get(folder)
        if old == new:
            continue
        yield f"package:{folder}"
        yield "/" + folder
        for tree in (before, after):
            above = tree.package_above(folder_of(folder)) if folder else None
            yield f"package:{above.folder if above is not None else ''}"
        yield from (f"name:{package.name}" for package in (old, new) if package is not None)


def _key_stem(path: str) -> str:
    """`a/b/index.ts` -> `a/b`; `a/c.ios.ts` -> `a/c`."""
    stem = _STEM.sub("", path)
    stem = next((stem.removesuffix(platform) for platform in _PLATFORMS if stem.endswith(platform)), stem)
    return "" if stem == "index" else stem.removesuffix("/index")


def _holds(above: str, folder: str) -> bool:
    return not above or folder == above or folder.startswith(above + "/")


def _split_bare(text: str) -> tuple[str, str]:
    """`@acme/cart/line` -> ("@acme/cart", "line")."""
    parts = text.split("/")
    count = 2 if text.startswith("@") and len(parts) > 1 else 1
    return "/".join(parts[:count]), "/".join(parts[count:]).strip("/")


def _configured(folder: str, written: str, leaf: str) -> str | None:
    text = written.replace("${configDir}", "/" + folder_of(leaf), 1) if written.startswith("${configDir}") else written
    return normalised("" if text is not written else folder, text)


def _entry_fields(package: _Package) -> list[str]:
    return [value for key in _ENTRY_FIELDS if isinstance(value := package.data.get(key), str)]


def _linked(package: _Package, name: str) -> str | None:
    """`"cart": "file:../cart"` -> `../cart`."""
    for table in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        rows = package.data.get(table)
        written = rows.get(name) if isinstance(rows, dict) else None
        if isinstance(written, str) and written.startswith(("file:", "link:", "portal:")):
            return written.partition(":")[2]
    return None


_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=\s*+[}\]])', re.DOTALL)


def _from_json(text: str) -> Any:
    """JSON, or JSON as people write it in tsconfig.json: with comments and trailing commas."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(_without_comments(text))


def _from_yaml(text: str) -> Any:
    """The plain loader makes strings only, and does not expand merge keys, which a few lines can make endless."""
    if len(text) > _MAX_YAML:
        raise ValueError("too large")
    return yaml.load(text, Loader=yaml.BaseLoader)


def _without_comments(text: str) -> str:
    text = _COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)
    return _TRAILING.sub(lambda match: match[0] if match[0].startswith('"') else "", text)


def _workspace_globs(value: Any) -> list[str]:
    rows = value.get("packages") if isinstance(value, dict) else value
    found: list[str] = []
    for row in rows[:_MAX_PATTERNS] if isinstance(rows, list) else ():
        if isinstance(row, str) and len(row) < 500:
            negated = "!" if row.startswith("!") else ""
            found += [negated + each for each in _braces(row.removeprefix("!").removeprefix("./").rstrip("/"))]
    return found[:_MAX_PATTERNS]


def _braces(glob: str) -> list[str]:
    """`{apps,libs}/*` -> [`apps/*`, `libs/*`]."""
    found = [glob]
    for _ in range(8):
        if len(found) > _MAX_TARGETS or "{" not in found[0]:
            break
        match = re.search(r"\{([^{}]*)\}", found[0])
        if match is None:
            break
        found = [one.replace(match[0], each, 1) for one in found for each in match[1].split(",")]
    return found[:_MAX_TARGETS]


def _glob_matches(glob: list[str], parts: list[str]) -> bool:
    """Folder parts against glob parts; `**` is any number of folders. Takes the product of their lengths at most."""
    reachable = {0}
    for piece in glob:
        if piece == "**":
            reachable = set(range(min(reachable), len(parts) + 1))
        else:
            reachable = {each + 1 for each in reachable if each < len(parts) and fnmatch.fnmatchcase(parts[each], piece)}
        if not reachable:
            return False
    return len(parts) in reachable


def _matching_targets(table: dict[str, Any], wanted: str) -> list[str]:
    """An `exports` or `imports` table and a key -> the targets, best condition first."""
    if wanted in table and "*" not in wanted:
        return _targets(table[wanted], "", _MAX_DEPTH)
    best: tuple[int, Any, str] | None = None
    for pattern, value in list(table.items())[:_MAX_PATTERNS]:
        prefix, star, suffix = pattern.partition("*")
        if not star and pattern.endswith("/"):  # the older way: "./lib/": "./src/"
            prefix, star, value = pattern, "*", _with_star(value)
        fits = star and wanted.startswith(prefix) and wanted.endswith(suffix) and len(wanted) > len(prefix) + len(suffix)
        if fits and (best is None or len(prefix) > best[0]):
            best = len(prefix), value, wanted[len(prefix) : len(wanted) - len(suffix)]
    return [] if best is None else _targets(best[1], best[2], _MAX_DEPTH)


def _with_star(value: Any) -> Any:
    return value + "*" if isinstance(value, str) else value


def _targets(value: Any, middle: str, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value.replace("*", middle)] if value.count("*") * len(middle) < 4096 else []
    if depth == 0:
        return []
    if isinstance(value, list):
        return [target for each in value[:_MAX_TARGETS] for target in _targets(each, middle, depth - 1)][:_MAX_TARGETS]
    if isinstance(value, dict):
        known = [key for key in _CONDITIONS if key in value]
        others = [key for key in value if key not in _CONDITIONS]
        return [target for key in (*known, *others[:_MAX_TARGETS]) for target in _targets(value[key], middle, depth - 1)][:_MAX_TARGETS]
    return []
