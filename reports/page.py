"""The report as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from markupsafe import Markup

from mc.examine.witness import witness_kind
from reports.drawing import data_uri
from reports.finding import Chapter, Finding, Told
from theory.evidence import Checked, Evidence, Outcome
from theory.proofs.theorem import JOIN

if TYPE_CHECKING:
    from theory.proofs.theorem import Proof

__all__ = ["render_page"]


def render_page(
    told: Sequence[tuple[Chapter, Told]],
    *,
    drawings: Mapping[str, str],
    summary: str,
    setting: str,
    multiplicity: str,
    colophon: str,
    version: str,
    replay: Callable[[Finding], str],
) -> str:
    """The page: verdict table first, then a section per chapter.

    `drawings` maps picture names to SVG text, `replay` a finding to the command that replays its witness.
    """
    environment = Environment(
        loader=PackageLoader("reports", "templates"),
        autoescape=select_autoescape(default_for_string=True, default=True),
        undefined=StrictUndefined,
    )
    style = resources.files("reports").joinpath("templates", "report.css").read_text("utf-8")
    return environment.get_template("report.html.j2").render(
        style=Markup(style),
        chapters=[_chapter(chapter, what, drawings, replay) for chapter, what in told],
        findings=[finding for _, what in told for finding in what.findings],
        outcomes=list(Outcome),
        evidences=list(Evidence),
        checked=list(Checked),
        join=JOIN,
        summary=summary,
        setting=setting,
        multiplicity=multiplicity,
        colophon=colophon,
        version=version,
    )


def _chapter(
    chapter: Chapter, told: Told, drawings: Mapping[str, str], replay: Callable[[Finding], str]
) -> dict[str, Any]:
    return {
        "key": chapter.key,
        "title": chapter.title,
        "promise": chapter.promise,
        "story": chapter.story,
        "pictures": [
            {
                "name": p.name,
                "caption": p.caption,
                "alt": p.alt,
                "src": data_uri(drawings[p.name]),
                "inches": f"{p.figure.get_figwidth():g}",
            }
            for p in told.pictures
        ],
        "findings": [_finding(finding, replay) for finding in told.findings],
        "proofs": [_proof(proof) for proof in told.proofs],
        "tables": told.tables,
        "notes": told.notes,
    }


def _finding(finding: Finding, replay: Callable[[Finding], str]) -> dict[str, Any]:
    witness = finding.verdict.witness
    return {
        "claim": finding.claim,
        "verdict": finding.verdict,
        "witness": json.dumps(witness, indent=2) if witness is not None else "",
        # a witness that only compares numbers has no game to replay
        "replay": replay(finding) if witness_kind(witness) is not None else "",
        "proof": _proof(finding.proof) if finding.proof is not None else None,
    }


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "title": proof.theorem.title,
        "source": proof.theorem.source,
        "evidence": proof.evidence.name,
        "hypotheses": proof.theorem.hypotheses,
        "claim": proof.theorem.claim,
        "steps": [
            {
                "statement": step.statement,
                "evidence": step.evidence.name,
                "checked": step.checked.word,
                "math": _mathml(step.latex),
            }
            for step in proof.steps
        ],
    }


def _mathml(latex: str | None) -> Markup:
    """The formula as MathML; `convert` escapes text that it does not recognise, so the result is safe HTML."""
    return Markup(convert(latex, display="block")) if latex else Markup("")
