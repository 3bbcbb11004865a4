"""What an import of TypeScript or JavaScript names, as a table: the tree, the importing file, the specifier, the answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.languages.modules import Found
from index.languages.typescript.modules import ModuleMap, changed_keys, is_config

Tree = dict[str, object]  # path -> text, or an object that is written as JSON


def tree_of(files: str) -> Tree:
    return dict.fromkeys(files.split(), "")


def map_of(tree: Tree) -> ModuleMap:
    texts = {path: text if isinstance(text, str) else json.dumps(text) for path, text in tree.items()}
    return ModuleMap(texts, {path: text for path, text in texts.items() if is_config(path)})


def answer(tree: ModuleMap, importing: str, specifier: str) -> str:
    found = tree.resolve(importing, specifier)
    if found.found == Found.MISSING:
        return " ".join(("missing", *found.tried[:1]))
    if found.found == Found.EXTERNAL:
        return f"external {found.name}"
    return found.path + (f" with {found.stub}" if found.stub else "")


#   files                                importing        specifier        answer
RELATIVE = (
    ("src/tax.ts", "src/a.ts", "./tax", "src/tax.ts"),
    ("src/tax.ts", "src/a.ts", "./tax.js", "src/tax.ts"),  # ES modules name what a build makes
    ("src/tax.tsx", "src/a.ts", "./tax.jsx", "src/tax.tsx"),
    ("src/tax.tsx", "src/a.ts", "./tax.js", "src/tax.tsx"),
    ("src/tax.mts", "src/a.mts", "./tax.mjs", "src/tax.mts"),
    ("src/tax.cts", "src/a.ts", "./tax.cjs", "src/tax.cts"),
    ("src/tax.ts", "src/a.ts", "./tax.ts", "src/tax.ts"),
    ("src/tax.js src/tax.ts", "src/a.ts", "./tax", "src/tax.ts"),
    ("src/tax.js src/tax.ts", "src/a.ts", "./tax.js", "src/tax.ts"),
    ("src/tax.js src/tax.ts", "src/a.js", "./tax", "src/tax.js"),
    ("src/tax.js src/tax.ts", "src/a.js", "./tax.js", "src/tax.js"),
    ("src/tax.js src/tax.d.ts", "src/a.ts", "./tax", "src/tax.js with src/tax.d.ts"),
    ("src/tax.d.ts", "src/a.ts", "./tax", "src/tax.d.ts"),
    ("src/tax.d.mts", "src/a.ts", "./tax.mjs", "src/tax.d.mts"),
    ("src/tax/index.ts", "src/a.ts", "./tax", "src/tax/index.ts"),
    ("src/tax/index.ts", "src/a.ts", "./tax/", "src/tax/index.ts"),
    ("src/tax/index.ts src/tax.ts", "src/a.ts", "./tax", "src/tax.ts"),
    ("src/tax/index.ts src/tax.ts", "src/a.ts", "./tax/", "src/tax/index.ts"),
    ("src/index.ts", "src/a.ts", ".", "src/index.ts"),
    ("src/index.ts", "src/x/a.ts", "..", "src/index.ts"),
    ("src/index.ts", "src/x/a.ts", "../index.js", "src/index.ts"),
    ("index.ts", "src/a.ts", "..", "index.ts"),
    ("index.ts", "src/a.ts", "../../x", "missing"),  # out of the repository
    ("src/tax.config.ts", "src/a.ts", "./tax.config", "src/tax.config.ts"),
    ("src/rates.json", "src/a.ts", "./rates.json", "src/rates.json"),
    ("src/rates.json", "src/a.js", "./rates", "src/rates.json"),
    ("src/Page.vue", "src/a.ts", "./Page.vue", "src/Page.vue"),
    ("src/a.css", "src/a.ts", "./a.css", "src/a.css"),
    ("src/worker.ts", "src/a.ts", "./worker?worker&inline", "src/worker.ts"),
    ("src/a.txt", "src/a.ts", "!!raw-loader!./a.txt", "src/a.txt"),
    ("src/Button.ios.tsx src/Button.android.tsx", "src/a.ts", "./Button", "src/Button.ios.tsx"),
    ("src/gift.py", "src/a.ts", "./gift", "missing src/gift.ts"),
    ("source/index.ts", "test/a.ts", "../distribution/index.js", "source/index.ts"),  # a build that is not committed
    ("src/a.ts", "test/a.ts", "../dist/b.js", "missing dist/b.ts"),
    ("web/src/main.ts web/package.json", "web/a.ts", "/src/main.ts", "web/src/main.ts"),
    ("a.ts", "b.ts", "", "missing"),
    ("a.ts", "b.ts", "./\x00", "missing"),
    ("a.ts", "b.ts", "fs", "external fs"),
    ("a.ts fs.ts", "b.ts", "node:fs/promises", "external node:fs"),
    ("a.ts", "b.ts", "fs/promises", "external fs"),
    ("a.ts", "b.ts", "lodash/get", "external lodash"),
    ("a.ts", "b.ts", "@acme/cart/line", "external @acme/cart"),
    ("a.ts lodash.ts", "b.ts", "lodash", "external lodash"),
    ("a.ts", "b.ts", "https://deno.land/std/a.ts", "external https://deno.land/std/a.ts"),
    ("a.ts", "b.ts", "virtual:icons", "external virtual:icons"),
    ("src/tax.ts", "src/x/a.ts", "@/tax", "src/tax.ts"),  # no configuration says so, but nothing else can be meant
    ("src/tax.ts", "src/x/a.ts", "@/gift", "missing src/gift.ts"),
    ("web/package.json web/src/tax.ts", "web/src/x/a.ts", "~/tax", "web/src/tax.ts"),
)


@pytest.mark.parametrize(("files", "importing", "specifier", "expected"), RELATIVE)
def test_an_import_names(files: str, importing: str, specifier: str, expected: str) -> None:
    assert answer(map_of(tree_of(files)), importing, specifier) == expected


PATHS = """{
  // aliases of the app
  "compilerOptions": {
    "paths": {
      "@app/*": ["./src/*", "./generated/*"], /* two places */
      "@app/core/*": ["./core/*"],
      "config": ["./src/config.ts"],
      "*.css": ["./styles/*.css",],
    },
  },
}"""
CONFIGURED = (
    # paths
    ({"tsconfig.json": PATHS}, "src/tax.ts", "@app/tax", "src/tax.ts"),
    ({"tsconfig.json": PATHS}, "generated/api.ts", "@app/api", "generated/api.ts"),
    ({"tsconfig.json": PATHS}, "core/x.ts src/core/x.ts", "@app/core/x", "core/x.ts"),  # the longest prefix
    ({"tsconfig.json": PATHS}, "src/core/x.ts", "@app/core/x", "missing core/x.ts"),
    ({"tsconfig.json": PATHS}, "src/config.ts", "config", "src/config.ts"),
    ({"tsconfig.json": PATHS}, "styles/a.css", "a.css", "styles/a.css"),
    ({"tsconfig.json": PATHS}, "", "@app/gift", "missing src/gift.ts"),
    ({"tsconfig.json": PATHS}, "", "react", "external react"),
    ({"tsconfig.json": PATHS, "package.json": {"dependencies": {"@app/gift": "1"}}}, "", "@app/gift", "external @app/gift"),
    ({"jsconfig.json": PATHS}, "src/tax.js", "@app/tax", "src/tax.js"),
    ({"tsconfig.json": {"compilerOptions": {"paths": {"*": ["./types/*"]}}}}, "types/left.d.ts", "left", "types/left.d.ts"),
    ({"tsconfig.json": {"compilerOptions": {"paths": {"*": ["./types/*"]}}}}, "", "left", "external left"),
    # baseUrl
    ({"tsconfig.json": {"compilerOptions": {"baseUrl": "src"}}}, "src/shop/tax.ts", "shop/tax", "src/shop/tax.ts"),
    ({"tsconfig.json": {"compilerOptions": {"baseUrl": "src"}}}, "src/fs.ts", "fs", "external fs"),
    (
        {"tsconfig.json": {"compilerOptions": {"baseUrl": "src", "paths": {"#/*": ["shop/*"]}}}},
        "src/shop/tax.ts",
        "#/tax",
        "src/shop/tax.ts",
    ),
    # extends
    ({"tsconfig.json": {"extends": "./base"}, "base.json": ""}, "", "react", "external react"),
    (
        {"tsconfig.json": {"extends": "./conf/tsconfig.base.json"}, "conf/tsconfig.base.json": PATHS},
        "conf/src/tax.ts",
        "@app/tax",
        "conf/src/tax.ts",
    ),
    (
        {"tsconfig.json": {"extends": ["./tsconfig.a.json", "./tsconfig.b.json"]}, "tsconfig.a.json": PATHS, "tsconfig.b.json": "{}"},
        "src/tax.ts",
        "@app/tax",
        "src/tax.ts",
    ),
    (
        {
            "tsconfig.json": {"extends": "@acme/conf/tsconfig.app.json"},
            "conf/package.json": {"name": "@acme/conf"},
            "conf/tsconfig.app.json": {"compilerOptions": {"paths": {"~/*": ["${configDir}/src/*"]}}},
        },
        "src/tax.ts",
        "~/tax",
        "src/tax.ts",
    ),
    (
        {"tsconfig.json": {"extends": "@tsconfig/node20/tsconfig.json", "compilerOptions": {"baseUrl": "."}}},
        "src/tax.ts",
        "src/tax",
        "src/tax.ts",
    ),
    # a folder's own configuration; one that only refers to others
    (
        {"tsconfig.json": PATHS, "app/tsconfig.json": {"compilerOptions": {"paths": {"@app/*": ["./*"]}}}},
        "app/tax.ts src/tax.ts",
        "@app/tax",
        "app/tax.ts",
    ),
    (
        {"tsconfig.json": {"files": [], "references": [{"path": "./tsconfig.app.json"}]}, "tsconfig.app.json": PATHS},
        "src/tax.ts",
        "@app/tax",
        "src/tax.ts",
    ),
    ({"tsconfig.json": {"references": [{"path": "app"}]}, "app/package.json": "{}"}, "", "react", "external react"),
    # rootDirs
    ({"tsconfig.json": {"compilerOptions": {"rootDirs": ["app", "generated"]}}}, "generated/x/made.ts", "./x/made", "generated/x/made.ts"),
    # imports of the package
    ({"app/package.json": {"imports": {"#db": {"node": "./db.js", "default": "./db-web.js"}}}}, "app/db.ts", "#db", "app/db.ts"),
    ({"app/package.json": {"imports": {"#lib/*": "./src/lib/*.js"}}}, "app/src/lib/a/b.ts", "#lib/a/b", "app/src/lib/a/b.ts"),
    ({"app/package.json": {"imports": {"#pg": "pg"}}}, "", "#pg", "external pg"),
    ({"app/package.json": {"imports": {"#lib/*": "./src/lib/*.js"}}}, "", "#lib/a", "missing app/src/lib/a.ts"),
)


@pytest.mark.parametrize(("configs", "files", "specifier", "expected"), CONFIGURED)
def test_configuration_says_where(configs: Tree, files: str, specifier: str, expected: str) -> None:
    tree = map_of(configs | tree_of(files))

    assert tree.problems == ()
    assert answer(tree, "app/main.ts", specifier) == expected


def cart(**said: object) -> Tree:
    return {"package.json": {"workspaces": ["packages/*"]}, "packages/cart/package.json": {"name": "@acme/cart", **said}}


PNPM = {"pnpm-workspace.yaml": "packages:\n  - 'packages/**'\n  - '!**/test/**'\n"}
CART = {"packages/cart/package.json": {"name": "@acme/cart"}}
WORKSPACES = (
    (cart(), "packages/cart/index.ts", "@acme/cart", "packages/cart/index.ts"),
    (cart(), "packages/cart/src/index.ts", "@acme/cart", "packages/cart/src/index.ts"),
    (cart(), "packages/cart/line.ts", "@acme/cart/line", "packages/cart/line.ts"),
    (cart(), "packages/cart/src/line.ts", "@acme/cart/dist/line", "packages/cart/src/line.ts"),
    (cart(), "", "@acme/cart/line", "missing packages/cart/line.ts"),
    (cart(main="lib"), "packages/cart/lib/index.js", "@acme/cart", "packages/cart/lib/index.js"),
    (cart(main="./dist/index.js"), "packages/cart/src/index.ts", "@acme/cart", "packages/cart/src/index.ts"),
    (cart(main="./dist/index.js"), "packages/cart/dist/index.js", "@acme/cart", "packages/cart/dist/index.js"),
    (cart(main="./dist/index.js"), "packages/cart/dist/index.js packages/cart/src/index.ts", "@acme/cart", "packages/cart/src/index.ts"),
    (
        cart(main="lib/cart.js", types="lib/cart.d.ts"),
        "packages/cart/lib/cart.js packages/cart/lib/cart.d.ts",
        "@acme/cart",
        "packages/cart/lib/cart.js with packages/cart/lib/cart.d.ts",
    ),
    (cart(types="types.d.ts", main="cart.js"), "packages/cart/types.d.ts packages/cart/cart.js", "@acme/cart", "packages/cart/cart.js"),
    (cart(main="dist/cart.umd.js"), "packages/cart/src/index.ts", "@acme/cart", "packages/cart/src/index.ts"),
    (cart(source="src/cart.ts", main="dist/x.js"), "packages/cart/src/cart.ts", "@acme/cart", "packages/cart/src/cart.ts"),
    (cart(main="."), "packages/cart/index.js", "@acme/cart", "packages/cart/index.js"),
    (cart(exports="./cart.js"), "packages/cart/cart.ts", "@acme/cart", "packages/cart/cart.ts"),
    (
        cart(exports={"types": "./distribution/index.d.ts", "default": "./distribution/index.js"}),
        "packages/cart/source/index.ts",
        "@acme/cart",
        "packages/cart/source/index.ts",
    ),
    (
        cart(exports={".": {"import": {"types": "./dist/esm/index.d.mts", "default": "./dist/esm/index.mjs"}}}),
        "packages/cart/src/index.ts",
        "@acme/cart",
        "packages/cart/src/index.ts",
    ),
    (
        cart(exports="./dist/node/index.js"),
        "packages/cart/src/node/index.ts packages/cart/src/index.ts",
        "@acme/cart",
        "packages/cart/src/node/index.ts",
    ),
    (cart(), "packages/cart/src/index.ts", "../packages/cart/dist/cart.cjs.js", "packages/cart/src/index.ts"),
    (cart(exports={".": [None, "./cart.js"]}), "packages/cart/cart.js", "@acme/cart", "packages/cart/cart.js"),
    (cart(exports={"./*": "./dist/*.js"}), "packages/cart/src/a/b.ts", "@acme/cart/a/b", "packages/cart/src/a/b.ts"),
    (
        cart(exports={"./*": "./dist/*.js", "./in/*": "./inner/*.js"}),
        "packages/cart/inner/a.ts packages/cart/src/in/a.ts",
        "@acme/cart/in/a",
        "packages/cart/inner/a.ts",
    ),
    (cart(exports={"./": "./src/"}), "packages/cart/src/a.js", "@acme/cart/a.js", "packages/cart/src/a.js"),
    (
        cart(exports={"./line": {"source": "./src/line.ts", "default": "./dist/line.js"}}),
        "packages/cart/src/line.ts",
        "@acme/cart/line",
        "packages/cart/src/line.ts",
    ),
    (
        {"package.json": {"workspaces": {"packages": ["./packages/{cart,tax}"]}}, **CART},
        "packages/cart/index.ts",
        "@acme/cart",
        "packages/cart/index.ts",
    ),
    (PNPM | CART, "packages/cart/index.ts", "@acme/cart", "packages/cart/index.ts"),
    (
        PNPM | {"packages/cart/test/p/package.json": {"name": "@acme/cart"}},
        "packages/cart/test/p/index.ts",
        "@acme/cart",
        "external @acme/cart",
    ),
    ({"lerna.json": {"packages": ["packages/*"]}, **CART}, "packages/cart/index.ts", "@acme/cart", "packages/cart/index.ts"),
    (CART, "packages/cart/index.ts", "@acme/cart", "external @acme/cart"),  # nothing makes it a member
    (
        {"app/package.json": {"dependencies": {"@acme/cart": "file:../packages/cart"}}, **CART},
        "packages/cart/index.ts",
        "@acme/cart",
        "packages/cart/index.ts",
    ),
    ({"package.json": {"name": "shop", "main": "dist/index.js"}}, "src/index.ts", "shop", "src/index.ts"),  # a package under its own name
    ({"package.json": {"name": "shop", "main": "dist/index.js"}}, "src/index.ts", "..", "src/index.ts"),
    ({"package.json": {"name": "shop"}, "lib/package.json": {"main": "./start.js"}}, "lib/start.js", "../lib", "lib/start.js"),
)


@pytest.mark.parametrize(("configs", "files", "specifier", "expected"), WORKSPACES)
def test_a_package_of_the_repository_is_found_by_name(configs: Tree, files: str, specifier: str, expected: str) -> None:
    tree = map_of(configs | tree_of(files))

    assert tree.problems == ()
    assert answer(tree, "app/main.ts", specifier) == expected


DEEP = 100_000
HOSTILE: tuple[tuple[Tree, bool], ...] = (
    ({"tsconfig.json": "{"}, True),
    ({"tsconfig.json": "[]"}, True),
    ({"tsconfig.json": "[" * DEEP}, True),
    ({"tsconfig.json": '{"a":' * DEEP}, True),
    ({"tsconfig.json": "/*" * DEEP}, True),
    ({"tsconfig.json": '"' + "\\" * DEEP}, True),
    ({"tsconfig.json": '{"a": ' + "9" * 5000 + "}"}, True),
    ({"tsconfig.json": " " * (2 << 20)}, True),
    ({"tsconfig.json": {"extends": "./tsconfig.json"}}, True),
    ({"tsconfig.json": {"extends": "./tsconfig.a.json"}, "tsconfig.a.json": {"extends": ["./tsconfig.json"] * 50}}, True),
    ({"tsconfig.json": {"extends": [3, None, {}], "references": [3, {"path": 4}, {"path": "../../.."}], "compilerOptions": []}}, False),
    (
        {"tsconfig.json": {"compilerOptions": {"paths": {"*": 3, "@/*": [4, "../../../*"], "": ""}, "baseUrl": 5, "rootDirs": [6, ".."]}}},
        False,
    ),
    ({"tsconfig.json": {"compilerOptions": {"paths": {f"p{i}/*": ["x/*"] for i in range(3000)}}}}, True),
    ({"package.json": {"name": 3, "workspaces": {"packages": 4}, "exports": 5, "imports": [], "dependencies": "x", "main": {}}}, False),
    (
        {
            "package.json": {
                "name": "b",
                "exports": {".": {"import": [[[["./c"]]]]}},
                "workspaces": ["{" * 400, "{a,b}" * 40, "!", "", "**/" * 100],
            }
        },
        False,
    ),
    ({"package.json": {"name": "b", "main": "../../b", "imports": {"#a": "#a", "#*": "*"}, "exports": {"./*": "*" * 4000}}}, False),
    ({"pnpm-workspace.yaml": "packages: [" + "[" * 5000}, True),
    ({"pnpm-workspace.yaml": "a: &a {x: y}\nb: &b {<<: [*a, *a]}\npackages: 3"}, False),
    ({"pnpm-workspace.yaml": "packages: 2024-99-99\n\t-"}, True),
    ({"lerna.json": "null"}, True),
)


@pytest.mark.parametrize(("configs", "told"), HOSTILE)
def test_a_bad_configuration_is_a_problem_and_nothing_worse(configs: Tree, told: bool) -> None:
    tree = map_of(configs | tree_of("src/a.ts"))

    assert bool(tree.problems) == told
    assert answer(tree, "src/main.ts", "./a") == "src/a.ts"
    for specifier in ("react", "#a", "b", "b/c", "@/x", "..", "", "/"):
        tree.resolve("src/main.ts", specifier)
        tree.lookup_keys("src/main.ts", specifier)


folders = st.sampled_from(["", "src", "src/x", "app", "app/src", "libs/cart", "libs/cart/src"])
names = st.sampled_from(["a.ts", "a.js", "a.d.ts", "index.ts", "b.tsx", "a.ios.ts", "x.json", "main.ts", "index.js", "a.vue"])
plain = st.builds(lambda folder, name: f"{folder}/{name}".lstrip("/"), folders, names)
CONFIGS: tuple[Tree, ...] = (
    {"tsconfig.json": {"compilerOptions": {"baseUrl": "src"}}},
    {"tsconfig.json": {"compilerOptions": {"paths": {"@/*": ["./src/*"], "cart": ["./libs/cart"]}}}},
    {"app/tsconfig.json": {"extends": "../tsconfig.json", "compilerOptions": {"rootDirs": ["src", "../src"]}}},
    {"package.json": {"name": "shop", "workspaces": ["libs/*"], "main": "dist/a.js", "imports": {"#a": "./src/a.js"}}},
    {"package.json": {"name": "shop", "dependencies": {"cart": "file:libs/cart", "@/a": "1"}}},
    {"libs/cart/package.json": {"name": "cart", "exports": {".": "./dist/a.js", "./*": "./dist/*.js"}}},
    {"libs/cart/package.json": {"name": "@acme/cart", "types": "a.d.ts"}},
    {"app/package.json": {"name": "cart"}},
    {"src/x/package.json": {"main": "../a"}},
)
configs = st.lists(st.sampled_from(CONFIGS), max_size=4)
SPECIFIERS = (
    "./a",
    "./a.js",
    "..",
    ".",
    "./x",
    "../src/a",
    "@/a",
    "cart",
    "cart/a",
    "shop",
    "#a",
    "@acme/cart",
    "a",
    "/src/a",
    "../libs/cart",
)


@settings(max_examples=400)
@given(st.sets(plain, max_size=10), st.sets(plain, max_size=3), st.sets(plain, max_size=3), configs, configs)
def test_whatever_changes_an_answer_is_among_the_changed_keys(
    files: set[str], added: set[str], removed: set[str], old: list[Tree], new: list[Tree]
) -> None:
    def tree(paths: set[str], rows: list[Tree]) -> ModuleMap:
        return map_of(dict.fromkeys(sorted(paths), "") | {path: text for row in rows for path, text in row.items()})

    before, after = tree(files, old), tree((files - removed) | added, new)
    changed = changed_keys(before, after)

    for importing in ("src/main.ts", "src/x/main.js", "app/main.ts", "main.ts", "libs/cart/src/main.ts"):
        for specifier in SPECIFIERS:
            if before.resolve(importing, specifier) != after.resolve(importing, specifier):
                assert changed & set(before.lookup_keys(importing, specifier)), (importing, specifier)


def test_one_large_file_under_many_paths_is_read_as_often_as_there_is_room() -> None:
    text = '{"name": "a", "x": "%s"}' % ("x" * 900_000)
    configs = {f"p{at:04}/package.json": text for at in range(100)}

    tree = ModuleMap([*configs, "a.ts"], configs)

    assert [problem.message for problem in tree.problems] == [
        "more than 32 MB of configuration files: the rest was not read for import paths"
    ]
