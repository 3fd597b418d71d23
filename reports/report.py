"""The report of the main job: its page, its pictures and its data."""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

import numpy as np
import scipy

from filterproof.mc.examine.replay import counterexample_kind
from filterproof.mc.examine.replay_snippets import replay_command
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.runs.provenance import version
from filterproof.reports.chapter import Chapter
from filterproof.reports.drawing import data_uri, svg_text
from filterproof.reports.finding import Finding, Picture, Told
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.pages.accountant_pages import accountant_pages
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.pages.overview import Row, counted, overview, picture
from filterproof.reports.pages.page import Badge, Page
from filterproof.reports.study import Study
from filterproof.reports.template import rendered, style
from filterproof.theory.agreement import Accord, Agreement
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import above, below

SCHEMA = 3
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
        "counterexample": dict(verdict.counterexample) if verdict.counterexample is not None else None,
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
        **{name: getattr(study, name) for name in ("seed", "quick", "failure", "comparisons")},
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


def rows_of(told: Sequence[tuple[Chapter, Told]], study: Study) -> tuple[Row, ...]:
    """The rows of the overview: a filter each."""
    findings = {finding.claim.key: finding for _, what in told for finding in what.findings}
    return overview(findings, study.games, study.examinations)


def write_report(
    told: Sequence[tuple[Chapter, Told]],
    study: Study,
    out: Path,
    *,
    rows: tuple[Row, ...],
    seconds: float,
) -> None:
    """Write report.html, verdicts.json and every picture as SVG into `out`, all or none."""
    with ThreadPoolExecutor(1) as beside:
        drawing = beside.submit(study.map, _paged, rows, doing="drawing the pages")
        if study.executor is None:  # matplotlib draws one picture at a time in a process
            wait([drawing])
        held, compared = (
            accountant_pages(study.accountant_results),
            (picture(rows, wide=True), picture(rows, wide=False)),
        )
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
        study,
        rows,
        [page for page, _ in pages],
        held,
        overview=compared,
        drawings=shown,
        out=out,
    )
    with OutputFolder(out) as folder:
        for name, svg in shown.items():
            folder.add(f"{name}.svg", svg.encode())
        folder.add("verdicts.json", (json.dumps(verdicts_document(told, study), indent=2) + "\n").encode())
        folder.add("durations.json", (json.dumps(_durations(study, seconds), indent=2) + "\n").encode())
        folder.add("report.html", html.encode())


def _durations(study: Study, seconds: float) -> dict[str, object]:
    """Seconds, which differ from run to run, and stand in a file of their own: verdicts.json is the same on all."""
    examined = {name: round(one.seconds, 3) for name, one in study.examinations.items()}
    return {"seconds": round(seconds, 3), "examinations": examined}


def _paged(row: Row) -> tuple[Page, dict[str, str]]:
    page = filter_page(row)
    return page, {one.name: svg_text(one.figure) for one in page.pictures}


def render_page(
    told: Sequence[tuple[Chapter, Told]],
    study: Study,
    rows: Sequence[Row],
    pages: Sequence[Page],
    accountant_results: Sequence[Page],
    *,
    overview: tuple[Picture, Picture],
    drawings: Mapping[str, str],
    out: Path,
) -> str:
    """The page: one picture and one table of all filters, a page for each, then what every claim rests on, folded.

    `overview` is the picture of all filters for wide and for narrow screens, and `drawings` maps names of pictures to
    SVG text; the page is for the folder `out`.
    """
    findings = [finding for _, what in told for finding in what.findings]
    expected = sum(finding.as_expected for finding in findings)
    typed = {} if study.accountant_results is None else study.accountant_results.typed

    def image(picture: Picture) -> dict[str, object]:
        # in CSS pixels, so that nothing moves when pictures appear
        wide, high = (round(96 * inches) for inches in picture.figure.get_size_inches())
        return {"src": data_uri(drawings[picture.name]), "width": wide, "height": high}

    def replay(finding: Finding) -> str:
        if counterexample_kind(finding.result.counterexample) is None:
            return ""  # a counterexample that only compares numbers has no game to replay
        key = finding.claim.key
        return replay_command(out / "verdicts.json", key, target=typed.get(key))

    return rendered(
        "report.html.j2",
        style=style(),
        answer=counted(rows),
        wide=overview[0],
        narrow=overview[1],
        rows=rows,
        filters=pages,
        accountant_results=accountant_results,
        image=image,
        told=told,
        findings=findings,
        all_expected=expected == len(findings),
        badge=Badge.of,
        badges=lambda what: dict.fromkeys(Badge.of(finding.result) for finding in what.findings),
        data=partial(json.dumps, indent=2),
        replay=replay,
        percent=percent,
        rounded={"down": below, "up": above},
        papers=PAPERS,
        outcomes=list(Outcome),
        accords=list(Accord),
        evidences=list(Evidence),
        words={
            "summary": f"{expected} of {len(findings)} came out as expected",
            "setting": f"{'A quick look with few runs' if study.quick else 'The full study'}, seed {study.seed}.",
            "multiplicity": (
                f"All simulated intervals hold together with probability at least 1 - {study.failure:.0e}: of at most "
                f"{study.comparisons} comparisons {study.made} were made, and each may miss with probability "
                f"{study.failure / study.comparisons:.1e}."
            ),
            "colophon": (
                f"Made by filterproof {version()}, Python {platform.python_version()}, "
                f"NumPy {np.__version__}, SciPy {scipy.__version__}, on {time.strftime('%Y-%m-%d')}. "
                "Losses are in nats."
            ),
            "version": version(),
        },
    )
