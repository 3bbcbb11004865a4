"""docs/, README.md and what they link to -> a web site in .cache/site, built strictly: a link that leads nowhere fails.

`python -m support.site`. The pages are the repository's own files, laid out as they are there, so that every link that works on GitHub
works here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE = ROOT / ".cache" / "site"
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")

SECTIONS = (
    ("Start", ("docs/start.md", "docs/comment.md", "docs/reports.md", "docs/commands.md", "docs/configuration.md")),
    ("On GitHub", ("docs/action.md", "deploy/README.md", "docs/github.md", "docs/operating.md", "docs/security.md")),
    ("How good it is", ("docs/languages.md", "docs/accuracy.md", "docs/model.md", "docs/ranking.md")),
    ("For programs", ("docs/json.md",)),
    ("Inside", ("docs/architecture.md", "docs/adding-a-language.md", "docs/changelog.md")),
)

CONFIG = """[project]
site_name = "Maguyva"
site_description = "Says what a change can break, where, and why, before it is merged."
docs_dir = "pages"
site_dir = "out"
use_directory_urls = false
nav = {nav}

[project.theme]
language = "en"
features = ["content.code.copy", "navigation.footer", "navigation.sections", "navigation.top", "search.highlight"]
font = false
palette = [
  {{ media = "(prefers-color-scheme: light)", scheme = "default", toggle = {{ icon = "lucide/sun", name = "Dark" }} }},
  {{ media = "(prefers-color-scheme: dark)", scheme = "slate", toggle = {{ icon = "lucide/moon", name = "Light" }} }},
]
"""


def title_of(page: Path) -> str:
    found = re.search(r"^# (.+)$", page.read_text("utf-8"), re.M)
    return found[1] if found else page.stem


def stage(folder: Path) -> None:
    """Copies the pages, and every file that one of them links to."""
    pages = ["README.md", *(page for _, some in SECTIONS for page in some if (ROOT / page).exists())]
    todo = [ROOT / page for page in pages]
    done: set[Path] = set()
    while todo:
        source = todo.pop()
        if source in done or not source.is_file() or ROOT not in source.parents:
            continue
        done.add(source)
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        if source.suffix == ".md" and "corpus" not in source.parts:
            todo += [(source.parent / link).resolve() for link in LINK.findall(source.read_text("utf-8"))]
    (folder / "README.md").rename(folder / "index.md")
    for page in (folder / "docs").rglob("*.md"):
        page.write_text(page.read_text("utf-8").replace("](../README.md", "](../index.md"), "utf-8")


def config() -> str:
    nav = ['{ "Maguyva" = "index.md" }']
    for section, pages in SECTIONS:
        entries = ", ".join(f'{{ "{title_of(ROOT / page)}" = "{page}" }}' for page in pages if (ROOT / page).exists())
        nav.append(f'{{ "{section}" = [{entries}] }}')
    return CONFIG.format(nav=f"[{', '.join(nav)}]")


def build(site: Path = SITE) -> subprocess.CompletedProcess[str]:
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    stage(site / "pages")
    (site / "zensical.toml").write_text(config(), "utf-8")
    tool = str(Path(sys.executable).with_name("zensical"))
    words = [tool, "build", "--strict", "--clean", "-f", str(site / "zensical.toml")]
    return subprocess.run(words, cwd=site, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})


if __name__ == "__main__":
    done = build()
    print(done.stdout + done.stderr, end="")
    sys.exit(done.returncode)
