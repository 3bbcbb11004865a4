"""The pictures of the documentation, from a report of the tests: `make pictures` writes docs/images. Three of them need Chromium."""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options
from rich.console import Console
from rich.terminal_theme import TerminalTheme

from bot.rendering.comment import CommentOptions, render_comment
from bot.rendering.html import render_html
from bot.rendering.links import github_links
from bot.rendering.run_summary import RunSummary
from bot.rendering.terminal import terminal
from index.impact.nouns import ImpactReport, Owned, Reviewer
from support.browser import Browser, chromium
from support.reports import shop_report

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH = 112  # columns of the terminal

THEME = TerminalTheme(
    (22, 27, 34),
    (230, 237, 243),
    [(72, 79, 88), (255, 123, 114), (63, 185, 80), (227, 179, 65), (121, 192, 255), (210, 168, 255), (86, 211, 221), (177, 186, 196)],
    [(110, 118, 129), (255, 161, 152), (86, 211, 100), (242, 204, 96), (165, 214, 255), (226, 197, 255), (179, 240, 255), (240, 246, 252)],
)
# As rich's own, without the fonts that it would have a reader fetch.
SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
    .{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: ui-sans-serif, system-ui, sans-serif; }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""
# Near enough to how GitHub shows a comment.
COMMENT = """\
<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 24px; background: #f6f8fa; color: #1f2328;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.box { background: #fff; border: 1px solid #d1d9e0; border-radius: 6px; max-width: 1000px; margin: 0 auto; }
.head { padding: 8px 16px; border-bottom: 1px solid #d1d9e0; background: #f6f8fa; border-radius: 6px 6px 0 0; color: #59636e; }
.head b { color: #1f2328; }
.head i { border: 1px solid #d1d9e0; border-radius: 99px; font-style: normal; font-size: 12px; padding: 0 7px; margin-left: 4px; }
.body { padding: 16px; }
h3 { font-size: 1.25em; margin: 0 0 12px; } a { color: #0969da; text-decoration: none; }
table { border-collapse: collapse; display: block; overflow: auto; margin: 0 0 16px; }
th, td { padding: 6px 13px; border: 1px solid #d1d9e0; }
tr:nth-child(2n) { background: #f6f8fa; } p, details { margin: 0 0 16px; } sub { font-size: 75%; }
code { background: #818b981f; padding: .2em .4em; border-radius: 6px;
  font: 85% ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; padding: 16px; border-radius: 6px; overflow: auto; } pre code { background: none; padding: 0; }
</style><div class="box"><div class="head"><b>maguyva</b><i>bot</i> commented</div><div class="body">BODY</div></div>
"""


def a_report() -> ImpactReport:
    report = shop_report()
    paths = sorted({one.symbol.path for one in report.changed} | {one.site.path for one in (*report.breaks, *report.at_risk)})
    return replace(
        report,
        owners=tuple(Owned(path, ("payments",), "billing/") for path in paths if path.startswith("billing/")),
        reviewers=(
            Reviewer("payments", "shop/payments", True, "owns 1 of 4 impacted files"),
            Reviewer("Ada Lovelace", "ada", False, "wrote 62 % of the impacted lines", 0.62),
        ),
    )


def terminal_svg(report: ImpactReport) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False)
    console.print(terminal(report))
    return console.export_svg(title="maguyva impact main...feature", theme=THEME, code_format=SVG, unique_id="maguyva")


def comment_page(report: ImpactReport) -> str:
    before = RunSummary("3" * 40, report.base, "", 5, 1, 3, 2, ("0" * 8, *sorted(one.id for one in report.breaks)))
    body = render_comment(report, CommentOptions(link=github_links("https://github.com/shop/shop"), previous=before)).body
    made = markdown_to_html_with_extensions(body, options=Options.CMARK_OPT_UNSAFE, extensions=["table", "strikethrough"])
    return COMMENT.replace("BODY", made)


def main() -> int:
    IMAGES.mkdir(exist_ok=True)
    report = a_report()
    (IMAGES / "terminal.svg").write_text(terminal_svg(report), "utf-8")
    if not chromium():
        print("docs/images/terminal.svg is written; the others need Chromium (Debian, Ubuntu: apt-get install chromium).", file=sys.stderr)
        return 1
    pages = {
        "page": render_html(report, CommentOptions(link=github_links("https://github.com/shop/shop"))),
        "comment": comment_page(report),
    }
    for name, page, dark, choose, height in (
        ("page-light", "page", False, True, 1_000),
        ("page-dark", "page", True, True, 1_000),
        ("comment", "comment", False, False, 940),
    ):
        with tempfile.TemporaryDirectory() as folder, Browser(Path(folder), 1_280, height, dark) as browser:
            shown = Path(folder) / "shown.html"
            shown.write_text(pages[page], "utf-8")
            browser.open(shown)
            if choose:
                at = browser.run("[...document.querySelectorAll('.node')].find(n => n.textContent.includes('Checkout.pay')).dataset.node")
                browser.click(f".node[data-node='{at}']")
            browser.screenshot(IMAGES / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
