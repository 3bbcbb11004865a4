"""Markdown -> HTML as GitHub makes it, by its own library; raw HTML stays, so that a test sees what would get through."""

from __future__ import annotations

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options

EXTENSIONS = ("table", "autolink", "strikethrough")


def html_of(markdown: str, *more: str) -> str:
    """`more`: further extensions."""
    return str(markdown_to_html_with_extensions(markdown, options=Options.CMARK_OPT_UNSAFE, extensions=[*EXTENSIONS, *more]))
