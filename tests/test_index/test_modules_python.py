"""What an import of Python names, as a table: the tree, the importing file, the import, the answer."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index.languages.modules import Found
from index.languages.python.modules import ModuleMap, changed_keys, is_config

FLAT = "shop/__init__.py shop/tax.py shop/cart/__init__.py shop/cart/line.py tests/test_tax.py tests/tools.py setup.py"
SRC = "pyproject.toml src/shop/__init__.py src/shop/tax.py tests/conftest.py tests/unit/test_tax.py tests/tools.py"
TWO = (
    "libs/a/pyproject.toml libs/a/src/common/__init__.py libs/a/src/common/a.py libs/a/tests/test_a.py libs/a/tests/tools.py "
    "libs/b/pyproject.toml libs/b/src/common/__init__.py libs/b/src/common/b.py libs/b/tests/test_b.py libs/b/tests/tools.py "
    "libs/b/src/only_b.py app/main.py"
)
NAMESPACE = "pyproject.toml src/acme/tax/rates.py src/acme/cart/__init__.py plugins/setup.py plugins/acme/gift/wrap.py"

#   tree       importing file                    import                    answer
TABLE = (
    # absolute, relative
    (FLAT, "shop/cart/line.py", "shop.tax", "shop/tax.py"),
    (FLAT, "shop/cart/line.py", "shop", "shop/__init__.py"),
    (FLAT, "shop/cart/line.py", "shop.cart", "shop/cart/__init__.py"),
    (FLAT, "shop/cart/line.py", "..tax", "shop/tax.py"),
    (FLAT, "shop/cart/line.py", ".", "shop/cart/__init__.py"),
    (FLAT, "shop/cart/__init__.py", ".line", "shop/cart/line.py"),
    (FLAT, "shop/cart/line.py", ".gift", "missing shop/cart/gift/__init__.py"),
    (FLAT, "shop/cart/line.py", "...", "folder "),
    (FLAT, "shop/cart/line.py", "....x", "missing"),
    (FLAT, "tests/test_tax.py", "shop.tax", "shop/tax.py"),
    (FLAT, "tests/test_tax.py", "shop.gift", "missing shop/gift/__init__.py"),
    (FLAT, "tests/test_tax.py", "tools", "tests/tools.py"),
    (FLAT, "tests/test_tax.py", "tests.tools", "tests/tools.py"),
    (FLAT, "shop/tax.py", "tools", "external tools"),
    (FLAT, "shop/tax.py", "cart", "external cart"),  # not Python 2
    (FLAT, "shop/tax.py", "", "missing"),
    (FLAT, "shop/tax.py", "a..b", "missing"),
    # src layout; a folder with a conftest.py is on the path of the tests below it
    (SRC, "src/shop/tax.py", "shop.tax", "src/shop/tax.py"),
    (SRC, "tests/unit/test_tax.py", "shop.tax", "src/shop/tax.py"),
    (SRC, "tests/unit/test_tax.py", "tools", "tests/tools.py"),
    (SRC, "src/shop/tax.py", "conftest", "external conftest"),
    # several projects in one repository
    (TWO, "libs/a/tests/test_a.py", "common.a", "libs/a/src/common/a.py"),
    (TWO, "libs/b/tests/test_b.py", "common.b", "libs/b/src/common/b.py"),
    (TWO, "libs/b/tests/test_b.py", "common.a", "missing libs/b/src/common/a/__init__.py"),
    (TWO, "libs/b/tests/test_b.py", "tools", "libs/b/tests/tools.py"),
    (TWO, "app/main.py", "only_b", "libs/b/src/only_b.py"),
    (TWO, "app/main.py", "common", "libs/a/src/common/__init__.py"),
    # packages of folders only
    (NAMESPACE, "src/acme/cart/__init__.py", "acme.tax.rates", "src/acme/tax/rates.py"),
    (NAMESPACE, "src/acme/cart/__init__.py", "acme.tax", "folder src/acme/tax"),
    (NAMESPACE, "src/acme/cart/__init__.py", "acme.gift.wrap", "plugins/acme/gift/wrap.py"),
    (NAMESPACE, "src/acme/tax/rates.py", ".", "folder src/acme/tax"),
    (NAMESPACE, "src/acme/tax/rates.py", "acme.nothing", "missing src/acme/nothing/__init__.py"),
    (NAMESPACE, "plugins/setup.py", "acme.nothing", "external acme"),  # an installed package may hold that part
    ("shop/__init__.py tests/shop/test_a.py", "tests/shop/test_a.py", "shop", "shop/__init__.py"),  # a package hides a mere folder
    # the standard library
    (FLAT, "shop/tax.py", "json", "external json"),
    (FLAT, "shop/tax.py", "os.path", "external os"),
    ("json/__init__.py app.py", "app.py", "json", "json/__init__.py"),
    ("json/data.py app.py", "app.py", "json", "external json"),
    ("pkg/__init__.py pkg/json.py pkg/a.py", "pkg/a.py", "json", "external json"),
    ("json.py tests/test_a.py", "tests/test_a.py", "json", "external json"),
    ("types.py app.py", "app.py", "types", "external types"),
    ("distutils.py app/a.py", "app/a.py", "distutils", "external distutils"),
    # installed packages
    (FLAT, "shop/tax.py", "requests.adapters", "external requests"),
    ("hooks/__init__.py hooks/redis.py", "hooks/redis.py", "redis", "external redis"),
    ("redis.py", "redis.py", "redis", "external redis"),  # never itself
    ("shop/__init__.py", "shop/__init__.py", "shop", "shop/__init__.py"),
    ("app/a.py tests/fixtures/django/__init__.py", "app/a.py", "django", "external django"),
    ("app/a.py app/__init__.py app/_vendor/six.py", "app/a.py", "six", "external six"),
    ("app/a.py tests/data/p/setup.py tests/data/p/flask/__init__.py", "app/a.py", "flask", "external flask"),
    (
        "tests/data/p/setup.py tests/data/p/src/f/__init__.py tests/data/p/t/test_f.py",
        "tests/data/p/t/test_f.py",
        "f",
        "tests/data/p/src/f/__init__.py",
    ),
    ("app/a.py tools/gen/__init__.py", "app/a.py", "gen", "tools/gen/__init__.py"),  # nothing better answers
    ("examples/eventlet/crawl.py examples/app/__init__.py", "examples/eventlet/crawl.py", "eventlet", "external eventlet"),
    # stubs
    ("shop/__init__.py shop/fast.pyx shop/fast.pyi", "shop/__init__.py", ".fast", "shop/fast.pyx with shop/fast.pyi"),
    ("shop/__init__.py shop/tax.py shop/tax.pyi", "shop/__init__.py", "shop.tax", "shop/tax.py with shop/tax.pyi"),
    ("shop/__init__.py shop-stubs/__init__.pyi", "a.py", "shop", "shop/__init__.py with shop-stubs/__init__.pyi"),
    ("typings/yaml/__init__.pyi a.py", "a.py", "yaml", "typings/yaml/__init__.pyi"),
    ("yaml-stubs/nodes.pyi yaml-stubs/__init__.pyi a.py", "a.py", "yaml.nodes", "yaml-stubs/nodes.pyi"),
    # a module and a package of the same name: Python takes the package
    ("shop.py shop/__init__.py a.py", "a.py", "shop", "shop/__init__.py"),
    # Django
    ("web/manage.py web/shop/__init__.py web/shop/models.py", "web/shop/models.py", "shop.models", "web/shop/models.py"),
    # paths that are not text
    ("a.py b\udcff.py", "a.py", "b", "external b"),
)


def answer(tree: ModuleMap, importing: str, written: str) -> str:
    dotted = written.lstrip(".")
    found = tree.resolve(importing, dotted, len(written) - len(dotted))
    if found.found == Found.MISSING:
        return " ".join(("missing", *found.tried[:1]))
    words = {Found.FOLDER: f"folder {found.path}", Found.EXTERNAL: f"external {found.name}"}
    return words.get(found.found, found.path + (f" with {found.stub}" if found.stub else ""))


@pytest.mark.parametrize(("files", "importing", "written", "expected"), TABLE)
def test_an_import_names(files: str, importing: str, written: str, expected: str) -> None:
    assert answer(ModuleMap(files.split()), importing, written) == expected


CONFIGURED = (
    ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "code"', "shop", "code/shop/__init__.py"),
    ("pyproject.toml", '[tool.setuptools.package-dir]\nstore = "code/shop"', "store.tax", "code/shop/tax.py"),
    ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code"]', "shop.tax", "code/shop/tax.py"),
    ("pyproject.toml", '[tool.poetry]\npackages = [{include = "shop", from = "code"}]', "shop.tax", "code/shop/tax.py"),
    ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["code/shop"]', "shop.tax", "code/shop/tax.py"),
    ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["code", "."]', "loose", "code/loose.py"),
    ("setup.cfg", "[options]\npackage_dir =\n  =code", "loose", "code/loose.py"),
    ("setup.cfg", "[options.packages.find]\nwhere = code", "loose", "code/loose.py"),
    ("setup.py", "setup(packages=find_packages('code'), package_dir={'': 'code'})", "loose", "code/loose.py"),
    ("setup.py", "setup(package_dir={'': \"code\"})", "loose", "code/loose.py"),
    ("tox.ini", "[pytest]\npythonpath = code", "loose", "code/loose.py"),
    ("mypy.ini", "[mypy]\nmypy_path = other:code", "loose", "code/loose.py"),
    ("pyproject.toml", "", "loose", "external loose"),
    # a folder of that name is not the package that the project installs
    ("requirements.txt", "# none\nflask>=2", "docker", "folder docker"),
    ("requirements.txt", "Docker==7.1 ; python_version > '3'", "docker", "external docker"),
    ("requirements-dev.txt", "docker[ssh]", "docker.errors", "external docker"),
    ("pyproject.toml", '[project]\ndependencies = ["docker>=7"]', "docker", "external docker"),
    ("pyproject.toml", '[tool.poetry.dependencies]\ndocker = "^7"', "docker", "external docker"),
)


@pytest.mark.parametrize(("config", "text", "written", "expected"), CONFIGURED)
def test_configuration_names_roots(config: str, text: str, written: str, expected: str) -> None:
    files = ["code/shop/__init__.py", "code/shop/tax.py", "code/loose.py", "app/main.py", "docker/entry.py", config]

    assert is_config(config)
    tree = ModuleMap(files, {config: text})
    assert tree.problems == ()
    assert answer(tree, "app/main.py", written) == expected


HOSTILE = (
    ("pyproject.toml", "[", True),
    ("pyproject.toml", "x = " + "[" * 100_000, True),
    ("pyproject.toml", "tool = 3", False),
    ("pyproject.toml", "[tool]\nsetuptools = [1]\npoetry = {packages = [3, {from = 4}]}", False),
    ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["../../..", "/etc", "", 3]', False),
    ("pyproject.toml", "a = " + "9" * 5000, True),
    ("setup.cfg", "no section = 1", True),
    ("setup.cfg", "[options]\npackage_dir = =\n = \n a = = b", False),
    ("setup.py", "package_dir={" * 50_000, False),
    ("requirements.txt", "\x00\n-r other\n#\n@", False),
    ("setup.cfg", "x" * (2 << 20), True),
    ("setup.cfg", f"[options]\na{' ' * 90_000}b\n", True),
    ("setup.cfg", "[options]\n" + f"a{' ' * 1_000}b\n" * 90, True),
    ("tox.ini", "".join(f"[a{at}]\n" for at in range(100_000)), True),
    ("pyproject.toml", "".join(f"[a.b{at}.c]\n" for at in range(60_000)), True),
)


@pytest.mark.parametrize(("config", "text", "told"), HOSTILE)
def test_a_bad_configuration_is_a_problem_and_nothing_worse(config: str, text: str, told: bool) -> None:
    tree = ModuleMap([config, "shop/__init__.py", "a.py"], {config: text})

    assert [problem.path for problem in tree.problems] == [config] * told
    assert answer(tree, "a.py", "shop") == "shop/__init__.py"


def test_one_large_file_under_many_paths_is_read_as_often_as_there_is_room() -> None:
    text = f"# {'x' * 900_000}\n[tool.pytest.ini_options]\npythonpath = ['lib']\n"[:199_000]
    configs = {f"p{at:04}/pyproject.toml": text for at in range(400)}

    tree = ModuleMap([*configs, "a.py"], configs)

    assert [problem.message for problem in tree.problems] == [
        "more than 32 MB of configuration files: the rest was not read for import roots"
    ]


NAMED = (
    (FLAT, "shop/cart/line.py", "shop.cart.line"),
    (FLAT, "shop/cart/__init__.py", "shop.cart"),
    (FLAT, "tests/tools.py", "tests.tools"),
    (SRC, "src/shop/tax.py", "shop.tax"),
    (TWO, "libs/b/src/only_b.py", "only_b"),
    (NAMESPACE, "src/acme/tax/rates.py", "acme.tax.rates"),
    ("back/shop/__init__.py", "back/shop/__init__.py", "shop"),
    ("__init__.py", "__init__.py", "__init__"),
)


@pytest.mark.parametrize(("files", "path", "name"), NAMED)
def test_a_file_is_imported_as(files: str, path: str, name: str) -> None:
    assert ModuleMap(files.split()).module_name(path) == name


def test_modules_of_a_package() -> None:
    tree = ModuleMap(
        ["shop/__init__.py", "shop/tax.py", "shop/tax.pyi", "shop/cart/__init__.py", "shop/data/rates.py", "shop/not-one.py", "shop/a.txt"]
    )

    assert tree.submodules("shop") == {"cart": "shop/cart/__init__.py", "data": "shop/data", "tax": "shop/tax.py"}
    assert tree.submodules("") == {"shop": "shop/__init__.py"}
    assert tree.submodules("nowhere") == {}


def test_a_test_sees_the_fixtures_of_every_folder_above_it() -> None:
    tree = ModuleMap(["conftest.py", "a/b/conftest.py", "a/b/test_x.py", "a/c/conftest.py"])

    assert tree.conftest_chain("a/b/test_x.py") == ("a/b/conftest.py", "conftest.py")
    assert tree.conftest_chain("a/b/conftest.py") == ("conftest.py",)


folders = st.sampled_from(["", "a", "a/b", "src", "src/a", "src/a/b", "tests", "tests/a", "p", "p/src/a", "p/tests", "a-stubs"])
names = st.sampled_from(["__init__.py", "a.py", "b.py", "c.py", "a.pyi", "json.py", "conftest.py", "setup.py", "x.txt", "__init__.pyi"])
files = st.builds(lambda folder, name: f"{folder}/{name}".lstrip("/"), folders, names)
configs = st.sampled_from(
    [None, '[tool.setuptools.package-dir]\na = "p/src"', '[project]\ndependencies = ["a"]', '[tool.mypy]\nmypy_path="p"']
)
IMPORTS = [(name, level) for name in ("a", "a.b", "a.b.c", "b", "c", "json", "x.y", "") for level in (0, 1, 2)]


@settings(max_examples=300)
@example({"tests/a/a.py", "tests/x.txt"}, set(), set(), None, '[project]\ndependencies = ["a"]')
@given(st.sets(files, max_size=14), st.sets(files, max_size=3), st.sets(files, max_size=3), configs, configs)
def test_whatever_changes_an_answer_is_among_the_changed_keys(
    tree: set[str], added: set[str], removed: set[str], config: str | None, new_config: str | None
) -> None:
    def map_of(paths: set[str], text: str | None) -> ModuleMap:
        return ModuleMap([*paths, *(["pyproject.toml"] if text else [])], {"pyproject.toml": text} if text else {})

    before, after = map_of(tree, config), map_of((tree - removed) | added, new_config)
    changed = changed_keys(before, after)

    for importing in sorted(tree - removed):
        for dotted, level in IMPORTS:
            if before.resolve(importing, dotted, level) != after.resolve(importing, dotted, level):
                assert changed & set(before.lookup_keys(importing, dotted, level)), (importing, dotted, level)


def test_the_order_of_the_paths_does_not_matter() -> None:
    one, other = ModuleMap(TWO.split()), ModuleMap(reversed(TWO.split()))

    assert all(one.resolve(a, b, 0) == other.resolve(a, b, 0) for a in TWO.split() for b in ("common", "only_b", "tools", "common.a"))
