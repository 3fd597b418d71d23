"""The report of the main job: its page, its pictures and its data."""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import scipy

from mc.runs.output import OutputFolder
from reports.chapter import Chapter
from reports.drawing import svg_text
from reports.examination_words import version
from reports.finding import Finding, Told
from reports.pages.filter_page import filter_page
from reports.pages.holder_pages import holder_pages
from reports.pages.overview import Row, overview, picture
from reports.pages.page import Page
from reports.replaying import replay_command
from reports.report_page import render_page
from reports.study import Study
from theory.agreement import Agreement
from theory.evidence import Verdict

__all__ = ["verdicts_document", "write_report"]

SCHEMA = 2


def _finding(finding: Finding) -> dict[str, object]:
    verdict = finding.result
    told: dict[str, object] = {
        "key": finding.claim.key,
        "claim": finding.claim.sentence,
        "source": finding.claim.source,
        "outcome": verdict.outcome.name,
        "expected": finding.claim.expected.name,
        "as_expected": finding.as_expected,
        "scope": verdict.scope,
        "detail": verdict.detail,
        "witness": dict(verdict.witness) if verdict.witness is not None else None,
    }
    if isinstance(verdict, Agreement):
        return told | {
            "compared": len(verdict.compared),
            "within": verdict.within,
            "share": verdict.share if math.isfinite(verdict.share) else None,
            "failure": verdict.failure,
        }
    return told | {"evidence": verdict.evidence.name, "citations": list(verdict.citations)}


def verdicts_document(told: Sequence[tuple[Chapter, Told]], study: Study) -> dict[str, object]:
    """All verdicts, comparisons and reproducible tables as JSON-able data; the same seed gives the same document."""
    found = [finding for _, what in told for finding in what.findings]
    return {
        "schema": SCHEMA,
        "filterproof": version(),
        "seed": study.seed,
        "quick": study.quick,
        "failure": study.failure,
        "comparisons": study.comparisons,
        "verdicts": [_finding(one) for one in found if isinstance(one.result, Verdict)],
        "agreements": [_finding(one) for one in found if isinstance(one.result, Agreement)],
        "tables": [
            {
                "chapter": chapter.key,
                "caption": t.caption,
                "columns": list(t.columns),
                "rows": [list(r) for r in t.rows],
            }
            for chapter, what in told
            for t in what.tables
            if t.reproducible
        ],
    }


def write_report(
    told: Sequence[tuple[Chapter, Told]], study: Study, out: Path, *, seconds: float
) -> tuple[Row, ...]:
    """Write report.html, verdicts.json and every picture as SVG into `out`, all or none; return its rows."""
    findings = {finding.claim.key: finding for _, what in told for finding in what.findings}
    expected = sum(finding.as_expected for finding in findings.values())
    rows = overview(findings, study.games, study.examinations)
    typed = {} if study.holders is None else study.holders.typed
    with ThreadPoolExecutor(1) as beside:
        drawing = beside.submit(study.map, _paged, rows, doing="drawing the pages")
        if study.executor is None:  # matplotlib draws one picture at a time in a process
            wait([drawing])
        held, compared = holder_pages(study.holders), (picture(rows, wide=True), picture(rows, wide=False))
        shown = dict(study.drawn)
        for each in (
            *compared,
            *(each for page in held for each in page.pictures),
            *(each for _, what in told for each in what.pictures),
        ):
            if each.name not in shown:
                shown[each.name] = svg_text(each.figure)
        pages = drawing.result()
    shown |= {name: svg for _, pictures in pages for name, svg in pictures.items()}
    html = render_page(
        told,
        rows,
        [page for page, _ in pages],
        held,
        overview=compared,
        drawings=shown,
        words={
            "summary": f"{expected} of {len(findings)} came out as expected",
            "setting": f"{'A quick look with few runs' if study.quick else 'The full study'}, seed {study.seed}.",
            "multiplicity": (
                f"All simulated intervals hold together with probability at least 1 - {study.failure:.0e}: of at most "
                f"{study.comparisons} comparisons {study.made} were made, and each may miss with probability "
                f"{study.failure / study.comparisons:.1e}."
            ),
            "colophon": (
                f"Made in {seconds:.0f} s by filterproof {version()}, Python {platform.python_version()}, "
                f"NumPy {np.__version__}, SciPy {scipy.__version__}, on {time.strftime('%Y-%m-%d')}. "
                "Losses are in nats."
            ),
            "version": version(),
        },
        replay=lambda finding: replay_command(
            out / "verdicts.json", finding.claim.key, target=typed.get(finding.claim.key)
        ),
    )
    with OutputFolder(out) as folder:
        for name, svg in shown.items():
            folder.add(f"{name}.svg", svg.encode())
        folder.add("verdicts.json", (json.dumps(verdicts_document(told, study), indent=2) + "\n").encode())
        folder.add("report.html", html.encode())
    return rows


def _paged(row: Row) -> tuple[Page, dict[str, str]]:
    page = filter_page(row)
    return page, {one.name: svg_text(one.figure) for one in page.pictures}
