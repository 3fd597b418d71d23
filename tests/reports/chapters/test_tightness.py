"""The worst cases over menus, and the rounds of the potential filter, beside values computed another way."""

import mpmath
import pytest

from filterproof.filters import RogersFilter
from filterproof.reports.chapters.potential_filter_rounds import potential_filter_findings
from filterproof.reports.chapters.tightness import (
    DELTA,
    EPSILON,
    ON_GAUSSIANS,
    ROGERS,
    FilterTightness,
    filter_tightness_rows,
    tightness_findings,
)
from filterproof.reports.package_data import recorded_data
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome
from filterproof.theory.pairs import RandomizedResponse


@pytest.fixture(scope="module")
def played() -> dict[str, FilterTightness]:
    return {one.name: one for one in filter_tightness_rows(Study(quick=True))}


@pytest.mark.slow
def test_no_worst_case_is_above_its_guarantee_and_enclosures_are_narrow(
    played: dict[str, FilterTightness],
) -> None:
    for one in played.values():
        assert one.over_all.low <= one.over_all.high
        # on Gaussians the worst case is the guarantee itself, enclosed to 1 in 1000
        slack = 1e-3 if one.name == ON_GAUSSIANS else 1e-11
        assert one.worst.low <= one.worst.high <= one.promised * (1 + slack)
    assert played["basic"].worst.low == 0  # no loss of pure mechanisms exceeds their sum


@pytest.mark.slow
def test_the_menu_for_rogers_passes_epsilon_and_is_worth_the_binomial_tail(
    played: dict[str, FilterTightness],
) -> None:
    filt = RogersFilter(EPSILON, DELTA)
    state, rounds = filt.start(1), 0
    while filt.admits(state, RandomizedResponse(ROGERS))[0]:
        state, rounds = filt.spend(state, RandomizedResponse(ROGERS)), rounds + 1
    assert rounds * ROGERS > EPSILON
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(ROGERS)))
        worth = mpmath.fsum(
            mpmath.binomial(rounds, k) * p**k * (1 - p) ** (rounds - k) * -mpmath.expm1(EPSILON - loss)
            for k in range(rounds + 1)
            if (loss := (2 * k - rounds) * mpmath.mpf(ROGERS)) > EPSILON
        )
    # two levels can do no less than the smaller one repeated
    assert played["Rogers et al."].worst.low >= float(worth) * (1 - 1e-9)


@pytest.mark.slow
def test_every_claim_about_tightness_holds() -> None:
    assert [one.as_expected for one in tightness_findings(Study(quick=True))] == [True] * 3


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    (finding,) = potential_filter_findings(Study())
    assert finding.verdict.outcome is Outcome.HOLDS
    granted = recorded_data("accountant")["rates"]["rows"][0]["rules"][-1]["rounds"]
    assert all(f"{n} of Subsampled" in finding.verdict.detail for n in granted)
