"""The report as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mc.examine.replay import witness_kind
from reports.audit.audited import recorded_audit
from reports.chapter import Chapter
from reports.drawing import data_uri
from reports.finding import Finding, Picture, Told
from reports.pages.audit_page import audit_section
from reports.pages.overview import Row, counted
from reports.pages.page import Badge, Page
from reports.shown.numbers import percent
from reports.template import mathml, rendered, style
from theory.agreement import Accord
from theory.evidence import Checked, Evidence, Outcome
from theory.numerics.decimals import above, below

__all__ = ["render_page"]

#: The papers, by the numbers that the project cites them by.
PAPERS: tuple[tuple[str, str], ...] = (
    ("000", "Vitaly Feldman and Tijana Zrnic, Individual Privacy Accounting via a Rényi Filter"),
    ("001", "the same, as the abstract of a conference"),
    ("002", "the supplement to 001, with other numbers: Theorem 4.9 of 000 is 4.8 there, Algorithm 5 is 4"),
    (
        "003",
        "Antti Koskela, Marlon Tobaben and Antti Honkela, Individual Privacy Accounting with Gaussian Differential "
        "Privacy",
    ),
    (
        "004",
        "Sophie Taylor, Praneeth Kumar Vippathalla and Justin P. Coon, Realisation-Level Privacy Filtering",
    ),
)


def render_page(
    told: Sequence[tuple[Chapter, Told]],
    rows: Sequence[Row],
    pages: Sequence[Page],
    holders: Sequence[Page] = (),
    *,
    overview: tuple[Picture, Picture],
    drawings: Mapping[str, str],
    words: Mapping[str, str],
    replay: Callable[[Finding], str],
) -> str:
    """The page: one picture and one table of all filters, a page for each, then what every claim rests on, folded.

    `overview` is the picture of all filters for wide and for narrow screens, `drawings` maps names of pictures to SVG
    text, and `replay` a finding to the command that replays its witness. `words` are the sentences that depend on how
    the page was made: summary, setting, multiplicity, colophon and version.
    """
    wide, narrow = overview
    findings = [finding for _, what in told for finding in what.findings]
    return rendered(
        "report.html.j2",
        style=style(),
        answer=counted(rows),
        wide=wide,
        narrow=narrow,
        rows=rows,
        filters=pages,
        holders=holders,
        image=partial(_image, drawings),
        math=mathml,
        audit=audit_section(recorded_audit()),
        told=told,
        findings=findings,
        all_expected=all(finding.as_expected for finding in findings),
        badge=Badge.of,
        badges=lambda what: dict.fromkeys(Badge.of(finding.result) for finding in what.findings),
        data=partial(json.dumps, indent=2),
        # a witness that only compares numbers has no game to replay
        replay=lambda finding: replay(finding) if witness_kind(finding.result.witness) is not None else "",
        percent=percent,
        rounded={"down": below, "up": above},
        papers=PAPERS,
        outcomes=list(Outcome),
        accords=list(Accord),
        evidences=list(Evidence),
        checked=list(Checked),
        words=words,
    )


def _image(drawings: Mapping[str, str], picture: Picture) -> dict[str, Any]:
    return {
        "src": data_uri(drawings[picture.name]),
        # in CSS pixels, so that nothing moves when pictures appear
        "width": round(96 * picture.figure.get_figwidth()),
        "height": round(96 * picture.figure.get_figheight()),
    }
