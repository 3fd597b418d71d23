"""The report as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mc.examine.witness import witness_kind
from reports.audit.audited import recorded_audit
from reports.chapter import Chapter
from reports.drawing import data_uri
from reports.finding import Finding, Picture, Told
from reports.pages.audit_page import audit_section
from reports.pages.overview import Row, counted
from reports.pages.page import Badge, Page
from reports.pages.papers import PAPERS
from reports.shown.formulas import mathml
from reports.shown.numbers import above, agreed_within, below, percent
from reports.template import rendered, style
from theory.agreement import Accord, Agreement
from theory.evidence import Checked, Evidence, Outcome

__all__ = ["Words", "render_page"]


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of the page that depend on how it was made."""

    summary: str
    setting: str
    multiplicity: str
    colophon: str
    version: str


def render_page(
    told: Sequence[tuple[Chapter, Told]],
    rows: Sequence[Row],
    pages: Sequence[Page],
    holders: Sequence[Page] = (),
    *,
    overview: tuple[Picture, Picture],
    drawings: Mapping[str, str],
    words: Words,
    replay: Callable[[Finding], str],
) -> str:
    """The page: one picture and one table of all filters, a page for each, then what every claim rests on, folded.

    `overview` is the picture of all filters for wide and for narrow screens, `drawings` maps names of pictures to SVG
    text, and `replay` a finding to the command that replays its witness.
    """
    chapters = [_chapter(chapter, what, replay) for chapter, what in told]
    wide, narrow = overview
    return rendered(
        "report.html.j2",
        style=style(),
        answer=counted(rows),
        wide=wide,
        narrow=narrow,
        rows=[_row(row) for row in rows],
        filters=pages,
        holders=holders,
        image=partial(_image, drawings),
        math=mathml,
        audit=audit_section(recorded_audit()),
        chapters=chapters,
        findings=[finding for chapter in chapters for finding in chapter["findings"]],
        all_expected=all(finding.as_expected for _, what in told for finding in what.findings),
        papers=PAPERS,
        outcomes=list(Outcome),
        accords=list(Accord),
        evidences=list(Evidence),
        checked=list(Checked),
        words=words,
    )


def _row(row: Row) -> dict[str, Any]:
    _, low, high = row.simulated
    return {
        "key": row.subject.key,
        "name": row.subject.name,
        "promise": row.promise,
        "badge": row.badge,
        "evidence": row.evidence,
        "most": "" if row.most is None else percent(row.most),
        "least": percent(row.least),
        "simulated": f"{percent(low, below)} to {percent(high, above)}",
        "says": row.line,
    }


def _image(drawings: Mapping[str, str], picture: Picture) -> dict[str, Any]:
    return {
        "src": data_uri(drawings[picture.name]),
        # in CSS pixels, so that nothing moves when pictures appear
        "width": round(96 * picture.figure.get_figwidth()),
        "height": round(96 * picture.figure.get_figheight()),
    }


def _chapter(chapter: Chapter, told: Told, replay: Callable[[Finding], str]) -> dict[str, Any]:
    findings = [_finding(finding, replay) for finding in told.findings]
    return {
        "key": chapter.key,
        "title": chapter.title,
        "promise": chapter.promise,
        "story": chapter.story,
        "badges": tuple(dict.fromkeys(finding["badge"] for finding in findings)),
        "pictures": told.pictures,
        "findings": findings,
        "proofs": told.proofs,
        "tables": told.tables,
        "notes": told.notes,
    }


def _finding(finding: Finding, replay: Callable[[Finding], str]) -> dict[str, Any]:
    verdict = finding.result
    witness = verdict.witness
    return {
        "claim": finding.claim,
        "scope": verdict.scope,
        "detail": verdict.detail,
        "cites": "" if isinstance(verdict, Agreement) else verdict.joined_by,
        "evidence": "two routes" if isinstance(verdict, Agreement) else verdict.evidence.name,
        "badge": Badge.of(verdict),
        "agreed": agreed_within(verdict) if isinstance(verdict, Agreement) else "",
        "said": finding.said,
        "as_expected": finding.as_expected,
        "witness": json.dumps(witness, indent=2) if witness is not None else "",
        # a witness that only compares numbers has no game to replay
        "replay": replay(finding) if witness_kind(witness) is not None else "",
        "proof": finding.proof,
    }
