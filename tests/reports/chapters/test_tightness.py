"""The worst cases over menus, and the rounds of the potential filter, beside values computed another way."""

import pytest

from filterproof.filters import RogersFilter
from filterproof.reports.chapters.potential_filter_rounds import potential_filter_findings
from filterproof.reports.chapters.tightness import (
    DELTA,
    EPSILON,
    ROGERS,
    filter_tightness_rows,
)
from filterproof.reports.package_data import recorded_data
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome
from filterproof.theory.pairs import RandomizedResponse
from tests.instruments.bench.references import reference


@pytest.mark.slow
def test_the_menu_for_rogers_passes_epsilon_and_is_worth_the_binomial_tail() -> None:
    played = {row.name: row for row in filter_tightness_rows(Study(quick=True))}
    filt = RogersFilter(EPSILON, DELTA)
    state, rounds = filt.start(1), 0
    while filt.admits(state, RandomizedResponse(ROGERS))[0]:
        state, rounds = filt.spend(state, RandomizedResponse(ROGERS)), rounds + 1
    assert rounds * ROGERS > EPSILON
    tail = reference(RandomizedResponse(ROGERS), rounds, EPSILON)  # the binomial tail
    # two levels can do no less than the smaller one repeated
    assert played["Rogers et al."].worst.low >= float(tail) * (1 - 1e-9)


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    (finding,) = potential_filter_findings(Study())
    assert finding.result.outcome is Outcome.HOLDS
    granted = recorded_data("accountant")["rates"]["rows"][0]["rules"][-1]["rounds"]
    assert all(f"{n} of Subsampled" in finding.result.detail for n in granted)
