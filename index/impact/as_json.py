"""ImpactReport -> a plain dictionary for `json.dumps`, described in docs/json.md. Lists keep the report's order; timings are left out."""

from __future__ import annotations

from typing import Any, Final

from index.impact.nouns import (
    ChangedSymbol,
    Hop,
    ImpactReport,
    Parameter,
    Part,
    RankedSymbol,
    Reached,
    Signature,
    Verdict,
)
from index.impact.which_tests import id_of_test
from index.types import Symbol

SCHEMA: Final = "maguyva.impact/1"


def as_json(report: ImpactReport) -> dict[str, Any]:
    """The whole report. Symbols are named by `path` and `qualified`; `changed` elsewhere is a row of the list `changed`."""
    return {
        "schema": SCHEMA,
        "base": report.base,
        "head": report.head,
        "quiet": report.quiet,
        "summary": {
            "breaking": len(report.breaks),
            "at_risk": len(report.at_risk),
            "checked_and_fit": report.fits,
            "reached": sum(one.reached for one in report.packages),
            "packages": len(report.packages),
            "tests": len(report.tests),
            "unresolved": sum(row.unresolved for row in report.ranked),
            "lower_bound": bool(report.open_sites),
        },
        "changed": [_changed(one) for one in report.changed],
        "ranked": [_ranked(one) for one in report.ranked],
        "breaks": [_verdict(one) for one in report.breaks],
        "at_risk": [_verdict(one) for one in report.at_risk],
        "reached": [_reached(one) for one in report.reached],
        "packages": [
            {"package": one.package, "breaks": one.breaks, "at_risk": one.at_risk, "reached": one.reached} for one in report.packages
        ],
        "tests": [
            {
                "id": id_of_test(one.path, one.qualified),
                "path": one.path,
                "qualified": one.qualified,
                "line": one.line,
                "score": one.score,
                "steps": one.steps,
                "tier": one.tier.label,
                "because": one.because,
                "runner": one.runner,
                "parts": _parts(one.parts),
            }
            for one in report.tests
        ],
        "files": [{"path": one.path, "kind": one.path_kind.label, "score": one.score, "parts": _parts(one.parts)} for one in report.files],
        "together": [{"path": one.path, "with": one.with_path, "commits": one.commits, "of": one.of} for one in report.together],
        "mentions": [{"path": one.path, "line": one.line, "because": one.because, "score": one.score} for one in report.mentions],
        "unresolved": [
            {"path": one.path, "line": one.line, "column": one.column, "name": one.name, "reason": one.reason.label, "changed": one.changed}
            for one in report.open_sites
        ],
        "neutral": [{"path": one.path, "qualified": one.qualified, "line": one.line, "reason": one.reason} for one in report.neutral],
        "changed_files": [{"path": path, "kind": kind} for path, kind in report.changed_files],
        "skipped": [{"path": one.path, "reason": one.reason} for one in report.skipped],
        "problems": [{"path": one.path, "line": one.line, "message": one.message} for one in report.problems],
        "notes": list(report.notes),
    }


def _symbol(symbol: Symbol | None) -> dict[str, Any] | None:
    if symbol is None:
        return None
    return {
        "path": symbol.path,
        "qualified": symbol.qualified,
        "kind": symbol.kind.label,
        "line": symbol.line,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
    }


def _changed(one: ChangedSymbol) -> dict[str, Any]:
    return {
        "key": one.key,
        "kinds": [kind.value for kind in one.kinds],
        "before": _symbol(one.before),
        "after": _symbol(one.after),
        "path_kind": one.path_kind.label,
        "inside": one.inside,
        "details": list(one.details),
        "signature_before": _signature(one.signature_before),
        "signature_after": _signature(one.signature_after),
        "signature_changes": [{"kind": c.kind.value, "name": c.name, "breaking": c.breaking, "why": c.why} for c in one.signature],
    }


def _signature(signature: Signature | None) -> dict[str, Any] | None:
    if signature is None:
        return None
    return {
        "parameters": [_parameter(one) for one in signature.parameters],
        "returns": signature.returns,
        "async": signature.is_async,
        "generator": signature.is_generator,
        "decorators": list(signature.decorators),
        "static": signature.is_static,
        "visibility": signature.visibility,
    }


def _parameter(one: Parameter) -> dict[str, Any]:
    return {"name": one.name, "kind": one.kind.value, "optional": one.has_default, "annotation": one.annotation, "default": one.default}


def _ranked(one: RankedSymbol) -> dict[str, Any]:
    return {
        "changed": one.changed,
        "score": one.score,
        "parts": _parts(one.parts),
        "direct": one.direct,
        "reached": one.total,
        "breaks": one.breaks,
        "tests": one.tests,
        "tiers": dict(zip(("proved", "likely", "possible"), one.tiers, strict=True)),
        "unresolved": one.unresolved,
        "hub": one.is_hub,
    }


def _verdict(one: Verdict) -> dict[str, Any]:
    site = one.site
    return {
        "id": one.id,
        "changed": one.changed,
        "severity": one.severity.label,
        "reason": one.reason,
        "hedge": one.hedge,
        "path": site.path,
        "line": site.line,
        "column": site.column,
        "in": site.source.qualified,
        "target": site.target,
        "use": site.kind.label,
        "tier": site.tier.label,
        "chain": [step.name.lower() for step in site.chain],
        "text": site.text,
        "path_kind": site.path_kind.label,
    }


def _reached(one: Reached) -> dict[str, Any]:
    return {
        "symbol": _symbol(one.symbol),
        "steps": one.steps,
        "tier": one.tier.label,
        "changed": one.changed,
        "because": one.because,
        "package": one.package,
        "path_kind": one.path_kind.label,
        "score": one.score,
        "parts": _parts(one.parts),
        "hops": [_hop(hop) for hop in one.hops],
    }


def _hop(hop: Hop) -> dict[str, Any]:
    return {"source": hop.source, "target": hop.target, "path": hop.path, "line": hop.line, "use": hop.kind.label, "tier": hop.tier.label}


def _parts(parts: tuple[Part, ...]) -> dict[str, float]:
    return {part.name: part.value for part in parts}
