"""The main job by the command line: a whole report, and the status that its verdicts call for."""

import json
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from filterproof import mc
from filterproof.reports import report
from filterproof.reports.chapters import CLAIMS
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome
from tests.reports import made_up
from tests.reports.reading import check_size
from tests.reports.typed import filterproof

#: A filter that keeps its guarantee and one that does not.
SHOWN = tuple(
    subject for subject in SUBJECTS if subject.name in ("BasicFilter", "NonadaptiveCompositionFilter")
)
WRONG = Claim("a-claim", "What comes out otherwise", "here", Outcome.UNDECIDED)


def otherwise(study: Study) -> tuple[Finding, ...]:
    return (Finding(WRONG, replace(made_up.HOLDS, citations=())),)


def few() -> None:
    """Leave the main job two filters and one claim, in one process."""
    report.make_report = partial(
        report.make_report, subjects=SHOWN, accountants=(), others={"wrong": otherwise}
    )
    mc.LocalPool = lambda **more: nullcontext()


def check_report(out: Path) -> dict[str, dict[str, object]]:
    """The verdicts by key, after what is true of every report of the main job."""
    verdicts = {
        verdict["key"]: verdict for verdict in json.loads((out / "verdicts.json").read_text())["verdicts"]
    }
    assert verdicts["examined-basicfilter"]["outcome"] == "HOLDS"
    assert verdicts["examined-nonadaptivecompositionfilter"]["outcome"] == "REFUTED"
    check_size(out)
    again = filterproof(
        "replay", "out/verdicts.json", "examined-nonadaptivecompositionfilter", cwd=out.parent
    )
    assert again.returncode == 0, again.stderr
    return verdicts


def test_one_unexpected_claim_gives_status_one_and_is_named_in_a_whole_report(tmp_path: Path) -> None:
    result = filterproof("report", "--quick", "--out", "out", cwd=tmp_path, before=few)
    assert result.returncode == 1, result.stderr
    assert f"Not as expected, UNDECIDED: {WRONG.sentence}" in result.stdout
    assert "out/index.html" in result.stdout
    verdicts = check_report(tmp_path / "out")
    assert [key for key, row in verdicts.items() if not row["as_expected"]] == [WRONG.key]
    page = (tmp_path / "out" / "filter-nonadaptivecompositionfilter.html").read_text("utf-8")
    assert "filterproof replay out/verdicts.json examined-nonadaptivecompositionfilter" in page


def test_expected_claims_alone_give_status_zero(tmp_path: Path) -> None:
    def patch() -> None:
        report.make_report = lambda *_, **more: made_up.report_of(made_up.chapter())
        mc.LocalPool = lambda **more: nullcontext()

    result = filterproof("report", "--out", "out", cwd=tmp_path, before=patch)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 of 1 claims came out as expected." in result.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_whole_main_job_leaves_a_whole_report_and_status_zero(tmp_path: Path) -> None:
    result = filterproof("report", "--quick", "--out", "out", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    verdicts = check_report(tmp_path / "out")
    assert all(row["as_expected"] for row in verdicts.values())
    claims = json.loads((tmp_path / "out" / "claims.json").read_text())["claims"]
    assert [row["key"] for row in claims] == [claim.key for claim in CLAIMS]
    assert all("{" not in str(row["detail"]) for row in verdicts.values())
    times = json.loads((tmp_path / "out" / "durations.json").read_text())["processor_seconds"]
    assert {row.name for row in SUBJECTS} <= set(times)


@pytest.mark.slow
@pytest.mark.timeout(3600)  # two whole main jobs, one of which may take 600 s on a busy machine
def test_the_same_seed_gives_the_same_verdicts_to_the_byte(tmp_path: Path) -> None:
    first, second = (filterproof("report", "--quick", "--json", cwd=tmp_path) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
