"""Chapters about filters of samples."""

from types import SimpleNamespace

import pytest

from filterproof.mc.examine.replay import replayed
from filterproof.reports.chapters import chapter
from filterproof.reports.pages.simulated_games import SolvedPoint
from filterproof.reports.study import Study
from filterproof.reports.words import record
from filterproof.theory.evidence import Evidence, Outcome, Verdict


def verdict_of(key: str, study: Study | None = None) -> Verdict:
    one = chapter(key)
    return one.tell(study or Study(), one.claims).findings[0].verdict


@pytest.mark.parametrize(
    ("low", "outcome"), [(3.00016e-5, Outcome.REFUTED), (0.99e-5, Outcome.UNDECIDED)], ids=str
)
def test_the_accountants_rule_is_judged_by_the_solved_game_of_its_page(low: float, outcome: Outcome) -> None:
    study = Study()
    solved = SolvedPoint(2.0, low, 3.99974e-5, 1e-5, Evidence.CERTIFIED, 20, "a scope")
    study.games["AccountantFilter"] = SimpleNamespace(main=solved)  # type: ignore[assignment]
    verdict = verdict_of("accountant", study)
    assert verdict.outcome is outcome
    assert (verdict.counterexample is None) == (outcome is Outcome.UNDECIDED)
    assert "and 3.9998 times" in verdict.detail  # rounded up
    assert "between 3.0001 and" in verdict.detail or outcome is Outcome.UNDECIDED


def test_the_central_limit_is_refuted_and_its_counterexample_plays_again() -> None:
    verdict = verdict_of("central-limit")
    assert (verdict.outcome, verdict.evidence) == (Outcome.REFUTED, Evidence.CERTIFIED)
    assert "365 of SubsampledGaussian(q=0.02" in verdict.detail
    assert "at least 8.6" in verdict.detail  # 8.65 by inversion, 8.55 by cells
    assert replayed(verdict.counterexample).refutes


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    verdict = verdict_of("rates")
    assert verdict.outcome is Outcome.HOLDS
    granted = record("accountant")["rates"]["rows"][0]["rules"][-1]["rounds"]
    assert all(f"{n} of Subsampled" in verdict.detail for n in granted)
