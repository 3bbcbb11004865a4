"""A report and the repository's settings -> why they want no comment; "" where they want one. What is proved to break is never silenced."""

from __future__ import annotations

from index.config import NAME, RepositoryConfig
from index.files.globs import matcher, name_matcher
from index.files.paths import raw
from index.impact.nouns import ChangedSymbol, ChangeKind, ImpactReport


def why_silent(report: ImpactReport, config: RepositoryConfig) -> str:
    """The first of the settings that applies, in one sentence."""
    if report.quiet or report.breaks:
        return ""
    reached = sum(one.reached for one in report.packages)
    if config.comment_when == "breaks":
        return f"Nothing will break, and `{NAME}` asks for a comment only then."
    if config.comment_when == "at_risk" and not report.at_risk:
        return f"Nothing is at risk, and `{NAME}` asks for a comment only then."
    if not any(one.hedge for one in report.at_risk) and reached < config.reached_at_least and config.reached_at_least > 1:
        return f"{reached:,} reached, and `{NAME}` asks for a comment from {config.reached_at_least:,} on."
    by_path, by_name = matcher(config.silent_paths), name_matcher(config.silent_symbols)
    kinds = {ChangeKind(name) for name in config.silent_changes}

    def is_silent(one: ChangedSymbol) -> bool:
        return by_path(raw(one.symbol.path)) or by_name(one.symbol.qualified) or set(one.kinds) <= kinds

    if report.changed and all(map(is_silent, report.changed)):
        return f"`{NAME}` asks for no comment on changes of this kind."
    paths = [path for path, _ in report.changed_files]
    if not report.changed and paths and all(by_path(raw(path)) for path in paths):
        return f"`{NAME}` asks for no comment on changes of these files."
    return ""
