"""action.yml and the recipes of docs/action.md, by the tools that GitHub's users check theirs with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/action.md")
RECIPES = [one for page in PAGES for one in re.findall(r"^```yaml\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def run(tool: str, *words: str) -> None:
    done = subprocess.run([str(Path(sys.executable).with_name(tool)), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Every recipe as somebody's workflow, with the action pinned."""
    folder = tmp_path_factory.mktemp("recipes") / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, recipe in enumerate(RECIPES):
        (folder / f"{number}.yml").write_text(recipe.replace("OWNER/maguyva@main", f"owner/maguyva@{'0' * 40} # v1"), "utf-8")
    return sorted(map(str, folder.iterdir()))


def test_every_recipe_is_a_workflow(workflows: list[str]) -> None:
    assert len(workflows) > 5
    run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)


def test_the_readme_and_the_page_begin_with_the_same_workflow() -> None:
    assert RECIPES[0] == RECIPES[1]


def test_no_recipe_opens_a_door(workflows: list[str]) -> None:
    run("zizmor", "--offline", "--quiet", "--min-severity", "low", *workflows)


@pytest.mark.parametrize("recipe", RECIPES, ids=range(len(RECIPES)))
def test_recipes_use_only_inputs_and_outputs_that_there_are(recipe: str) -> None:
    for job in yaml.safe_load(recipe)["jobs"].values():
        ours = next(step for step in job["steps"] if step.get("uses", "").startswith("OWNER/maguyva"))
        assert ours.get("with", {}).keys() <= ACTION["inputs"].keys()
    assert set(re.findall(r"steps\.impact\.outputs\.([\w-]+)", recipe)) <= ACTION["outputs"].keys()


def test_the_action_is_one() -> None:
    run("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml"))
    run("zizmor", "--offline", "--quiet", str(ROOT / "action.yml"))


def test_what_others_made_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]

    assert used and [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one)] == []


def test_no_input_is_put_into_a_script() -> None:
    assert [step["run"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_the_marketplace_would_take_it() -> None:
    """One action.yml at the root, no workflow of our own beside it: GitHub refuses to list a repository that has one."""
    assert not (ROOT / ".github" / "workflows").exists()
    assert {"name", "description", "branding"} <= ACTION.keys()
