"""The chapter on coverage: what it says, and that a method that misses too often is refuted."""

import pytest

from mc.intervals.coverage import METHODS, Coverage
from reports.chapters.coverage import COVERAGE, judge
from reports.study import Study
from theory.evidence import Outcome


def test_the_chapter_measures_every_method_and_claims_no_proof():
    study = Study(quick=True)
    told = COVERAGE.tell(study, COVERAGE.claims)
    (finding,) = told.findings
    assert finding.verdict.outcome is Outcome.UNDECIDED
    assert finding.as_expected
    (table,) = told.tables
    assert {row[0] for row in table.rows} >= {"empirical Bernstein", "betting", "Clopper-Pearson"}
    assert len(table.rows) == sum(len(m.cases) for m in METHODS)
    assert study.made == 1


def test_a_method_that_misses_too_often_is_refuted():
    fine = Coverage("betting", "fair coin", 1000, 1250, 0.01, 2, 1)
    poor = Coverage("normal", "rare hits", 1000, 1250, 0.01, 0, 460)
    verdict = judge([fine, poor], 1e-6)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.witness["method"] == "normal"
    assert judge([fine, fine], 1e-6).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("misses", [12, 60])
def test_the_line_between_them_is_the_binomial_tail(misses):
    """The expected number is 12.5; 60 of 1250 has probability 1e-20 at the nominal rate."""
    one = Coverage("betting", "fair coin", 1000, 1250, 0.01, misses, 0)
    assert (judge([one], 1e-6).outcome is Outcome.REFUTED) == (misses == 60)
