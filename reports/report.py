"""The report of every filter: the chapters, run one by one or on an executor, and the files of the result."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filterproof.mc.examine.replay import counterexample_kind
from filterproof.mc.examine.replay_snippets import replay_command
from filterproof.mc.runs.executors import iter_completed
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.runs.provenance import version
from filterproof.reports.agreement import Agreement
from filterproof.reports.chapters.accountant_chapter import PAGES, AccountantChapter, accountant_chapter
from filterproof.reports.chapters.filter_chapter import FilterChapter, filter_chapter, simulation_finding
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS, FilterPageSubject
from filterproof.reports.chapters.potential_filter_rounds import potential_filter_findings
from filterproof.reports.chapters.tightness import tightness_findings
from filterproof.reports.finding import Finding, Picture
from filterproof.reports.pages.accountant_pages import accountant_page
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.pages.overview import OverviewRow, counts_sentence, overview_picture
from filterproof.reports.pages.page import Page, VerdictBadge
from filterproof.reports.pages.simulation_page import simulation_page
from filterproof.reports.study import Study
from filterproof.reports.template import page_style, render_template
from filterproof.theory.evidence import Verdict

SCHEMA = 3
#: The columns of claims.csv.
_COLUMNS = ("key", "claim", "source", "expected", "got", "evidence", "scope", "detail")
#: Pages that take longest, which are begun first so that no worker is left idle at the end.
_LONG = ("tightness", "trainings", "NaiveRealisationFilter", "CentralLimitFilter", "PotentialFilter")


@dataclass(frozen=True, slots=True)
class LibraryReport:
    """The results of all chapters, their pages, and the processor seconds of each."""

    study: Study
    filters: tuple[FilterChapter, ...]
    pages: tuple[Page, ...]
    accountants: tuple[Page, ...]
    findings: tuple[Finding, ...]
    seconds: Mapping[str, float]

    @property
    def rows(self) -> tuple[OverviewRow, ...]:
        """The rows of the front page."""
        return tuple(map(OverviewRow.of, self.filters))

    @property
    def unexpected(self) -> tuple[Finding, ...]:
        """The findings whose outcome is not the expected one."""
        return tuple(finding for finding in self.findings if not finding.as_expected)

    @property
    def summary(self) -> str:
        """How many claims came out as expected."""
        right = len(self.findings) - len(self.unexpected)
        return f"{right} of {len(self.findings)} claims came out as expected."

    def write(self, out: Path, *, seconds: float) -> None:
        """Write the pages, pictures and data into `out`, all or none; `seconds` is the time since the start."""
        wide, narrow = (overview_picture(self.rows, wide=is_wide) for is_wide in (True, False))
        before, data = previous_claims(out), verdicts_document(self)
        claims = claim_rows(self.findings)
        document = {"schema": SCHEMA, "filterproof": version(), "seed": self.study.seed, "claims": claims}
        pages = {
            "index": index_page(self, wide, narrow),
            "simulation": simulation_page(self.filters),
            "claims": claims_page(self, before, claims),
            **{page.key: _page_html(page, self, out) for page in (*self.pages, *self.accountants)},
        }
        pictures = (
            wide,
            narrow,
            *(picture for page in (*self.pages, *self.accountants) for picture in page.pictures),
        )
        times = {"seconds": round(seconds, 3), "processor_seconds": dict(self.seconds)}
        with OutputFolder(out) as folder:
            for name, text in pages.items():
                folder.add(f"{name}.html", text.encode())
            for picture in pictures:
                folder.add(f"{picture.name}.svg", picture.svg.encode())
            folder.add("claims.csv", claims_csv(claims).encode())
            for name, content in (("claims", document), ("verdicts", data), ("durations", times)):
                folder.add(f"{name}.json", (json.dumps(content, indent=2) + "\n").encode())


#: What else is decided, beside filters and accountants.
OTHER_CHAPTERS: Mapping[str, Callable[[Study], tuple[Finding, ...]]] = {
    "tightness": tightness_findings,
    "rates": potential_filter_findings,
}


def make_report(
    study: Study,
    *,
    subjects: Sequence[FilterPageSubject] = SUBJECTS,
    accountants: Sequence[str] = PAGES,
    others: Mapping[str, Callable[[Study], tuple[Finding, ...]]] = OTHER_CHAPTERS,
    executor: Executor | None = None,
    on_progress: Callable[[str, int, int], object] = lambda words, done, of: None,
) -> LibraryReport:
    """Run every chapter; `on_progress` gets the pages in progress, how many are done, and of how many."""
    jobs: dict[str, partial[Any]] = {
        **{subject.name: partial(_filter_chapter_and_page, study, subject) for subject in subjects},
        **{page: partial(_accountant_chapter_and_page, study, page) for page in accountants},
        **{name: partial(decide, study) for name, decide in others.items()},
    }
    tasks = sorted(jobs, key=lambda name: _LONG.index(name) if name in _LONG else len(_LONG))
    waiting, timed_results = dict.fromkeys(tasks), dict[str, tuple[Any, float]]()
    on_progress(_progress_text(waiting), 0, len(tasks))
    for name, timed in iter_completed(
        executor, partial(_job_with_processor_seconds, jobs), tasks, window=len(tasks)
    ):
        timed_results[name] = timed
        del waiting[name]
        on_progress(_progress_text(waiting), len(timed_results), len(tasks))
    result: dict[str, Any] = {name: item for name, (item, _) in timed_results.items()}
    filters = [result[subject.name] for subject in subjects]
    kinds = [result[page] for page in accountants]
    _check_failure_probability(study, [chapter.failure for chapter, _ in (*filters, *kinds)])
    findings = (
        *(chapter.finding for chapter, _ in filters),
        *(finding for chapter, _ in kinds for finding in chapter.findings),
        simulation_finding([chapter for chapter, _ in filters]),
        *(finding for name in others for finding in result[name]),
    )
    return LibraryReport(
        study,
        tuple(chapter for chapter, _ in filters),
        tuple(page for _, page in filters),
        tuple(page for _, page in kinds),
        findings,
        {name: round(timed_results[name][1], 3) for name in jobs},
    )


def _progress_text(waiting: Mapping[str, None]) -> str:
    """Return the names of the next pages, or that the report is being written."""
    return f"next of the report: {', '.join(list(waiting)[:3])}" if waiting else "writing the report"


def _filter_chapter_and_page(study: Study, subject: FilterPageSubject) -> tuple[FilterChapter, Page]:
    """Compute a filter's chapter and make its page."""
    chapter = filter_chapter(study, subject)
    return chapter, filter_page(chapter)


def _accountant_chapter_and_page(study: Study, page: str) -> tuple[AccountantChapter, Page]:
    """Compute the chapter of an accountants' page and make the page."""
    chapter = accountant_chapter(study, page)
    return chapter, accountant_page(chapter)


def _job_with_processor_seconds(jobs: Mapping[str, Callable[[], Any]], name: str) -> tuple[Any, float]:
    """The result of a job, and its processor seconds, those of its child processes included."""
    began = sum(os.times()[:4])
    result = jobs[name]()
    return result, sum(os.times()[:4]) - began


def _check_failure_probability(study: Study, failures: Sequence[float]) -> None:
    """Raise RuntimeError if the intervals together may miss more often than the study allows."""
    total = math.fsum(failures)
    if total > study.failure * (1 + 1e-9):
        raise RuntimeError(
            f"the intervals of the report may miss with probability {total:.3g}, more than failure={study.failure:g}; "
            f"raise comparisons={study.comparisons}"
        )


# -- data ------------------------------------------------------------------------------------------------


def _finding_data(finding: Finding) -> dict[str, object]:
    """Return a finding as JSON data."""
    result = finding.result
    row: dict[str, object] = {
        "key": finding.claim.key,
        "claim": finding.claim.sentence,
        "source": finding.claim.source,
        "outcome": result.outcome.name,
        "expected": finding.claim.expected.name,
        "as_expected": finding.as_expected,
        "scope": result.scope,
        "detail": result.detail,
        "counterexample": dict(result.counterexample) if result.counterexample is not None else None,
    }
    if isinstance(result, Agreement):
        return row | {
            "compared": len(result.compared),
            "within": result.farthest_apart.difference,
            "failure": result.failure,
        }
    return row | {"evidence": result.evidence.name, "citations": list(result.citations)}


def verdicts_document(report: LibraryReport) -> dict[str, object]:
    """All verdicts and comparisons as JSON-able data; the same seed gives the same document."""
    study = report.study
    return {
        "schema": SCHEMA,
        "filterproof": version(),
        **{name: getattr(study, name) for name in ("seed", "quick", "failure", "comparisons")},
        "verdicts": [
            _finding_data(finding) for finding in report.findings if isinstance(finding.result, Verdict)
        ],
        "agreements": [
            _finding_data(finding) for finding in report.findings if isinstance(finding.result, Agreement)
        ],
        "comparisons": [
            {
                "filter": comparison.filter,
                "adversary": comparison.adversary,
                "divergence": comparison.measure.kind,
                "at": comparison.measure.at,
                "direction": comparison.measure.direction,
                "low": estimate.low,
                "high": estimate.high,
                "runs": estimate.n,
                "rests_on": estimate.rests_on,
                "certified_low": comparison.low,
                "certified_high": comparison.high,
                "promised": comparison.promised,
            }
            for chapter in report.filters
            for comparison in chapter.all_comparisons
            for estimate in comparison.estimates
        ],
    }


def claim_rows(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """A row for each claim: what is claimed, expected, got, and how it is known."""
    return [
        {
            "key": finding.claim.key,
            "claim": finding.claim.sentence,
            "source": finding.claim.source,
            "expected": finding.claim.expected.name,
            "got": finding.result.outcome.name,
            "evidence": finding.evidence,
            "scope": finding.result.scope,
            "detail": finding.result.detail,
        }
        for finding in findings
    ]


def claims_csv(claims: Sequence[Mapping[str, str]]) -> str:
    """The claims as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(claims)
    return text.getvalue()


def previous_claims(out: Path) -> dict[str, dict[str, Any]] | None:
    """The claims of an earlier report in that folder, by key; None where there is none that can be read."""
    try:
        rows = json.loads((out / "claims.json").read_text("utf-8"))["claims"]
        return {str(row["key"]): dict(row) for row in rows}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def changes_since(before: Mapping[str, Mapping[str, Any]], claims: Sequence[Mapping[str, str]]) -> list[str]:
    """What changed since an earlier report, a sentence for each claim."""
    now = {row["key"]: row for row in claims}
    lines = [f"{key}: new." for key in now if key not in before]
    lines += [f"{key}: no longer claimed." for key in before if key not in now]
    for key, row in now.items():
        for name in ("expected", "got", "evidence", "scope"):
            if key in before and before[key].get(name) != row[name]:
                lines.append(f"{key}: {name} was {before[key].get(name)}, is {row[name]}.")
    return lines


# -- pages -----------------------------------------------------------------------------------------------


def index_page(report: LibraryReport, wide: Picture, narrow: Picture) -> str:
    """The front page."""
    study, rows = report.study, report.rows
    return render_template(
        "index.html.j2",
        style=page_style(),
        answer=counts_sentence(rows),
        setting=_SETTING,
        wide=wide,
        narrow=narrow,
        rows=rows,
        accountants=report.accountants,
        finite=_FINITE,
        all_expected=not report.unexpected,
        summary=report.summary,
        multiplicity=(
            "At 100 % a filter is tight: some adversary gets all that is guaranteed. The simulated interval is for the "
            'adversary of "at least", whose runs are drawn by chance, so its end may pass 100 %. With probability at '
            f"least 1 - {study.failure:.0e} every simulated interval contains its true value."
        ),
        colophon=(
            f"{time.strftime('%Y-%m-%d')}, filterproof {version()}, seed {study.seed}, "
            f"{'quick, a twentieth of the runs' if study.quick else 'full effort'}, "
            f"Python {platform.python_version()} on {platform.machine()} with {os.cpu_count()} processors, "
            f"{sum(report.seconds.values()):.0f} processor seconds."
        ),
    )


_SETTING = (
    "Neighbouring data sets differ in one person, and every bound holds in both directions. The adversary chooses each "
    "request after seeing all earlier outputs; the filter grants or denies it before the release, by the loss that the "
    "request declares truly. Losses are in nats."
)
_FINITE = (
    '"Finite outcomes" means that the proof covers every mechanism with finitely many outcomes, however many: every '
    "Gaussian that a computer samples is one of them. For filters marked † the proof assistant (Rocq) accepted the "
    "theorem for outcomes of any kind too, real numbers among them. EXACT bounds are computed in fractions, "
    "CERTIFIED ones in balls that enclose every rounding error."
)


def _page_html(page: Page, report: LibraryReport, out: Path) -> str:
    """The page of a filter or accountant, with the command that replays its counterexample."""
    replay = ""
    for chapter in report.filters:
        if (
            chapter.subject.key == page.key
            and counterexample_kind(chapter.verdict.counterexample) is not None
        ):
            replay = replay_command(out / "verdicts.json", chapter.subject.guarantee_claim_key)
    return render_template("page.html.j2", style=page_style(), page=page, replay=replay)


def claims_page(
    report: LibraryReport, before: Mapping[str, Mapping[str, Any]] | None, claims: Sequence[Mapping[str, str]]
) -> str:
    """The page of all claims, with what changed since an earlier report."""
    changed = [] if before is None else changes_since(before, claims)
    if before is None:
        words = "There is no earlier report in this folder to compare with."
    else:
        words = (
            "Since the earlier report in this folder:"
            if changed
            else "Nothing changed since the earlier report."
        )
    return render_template(
        "claims.html.j2",
        style=page_style(),
        findings=report.findings,
        badge=VerdictBadge.of,
        changed=words,
        changes=changed,
        all_expected=not report.unexpected,
        summary=report.summary,
    )
