"""Audits of a curve that holds refuse it no more often than they say, and the larger the curve, the sooner."""

import numpy as np
import pytest
from scipy import stats

from tests.instruments.bench.audits import audits, band, bets


@pytest.mark.parametrize("audit", [band, bets])
def test_a_curve_that_is_reached_exactly_is_refused_in_few_streams(audit):
    """Null: each of 200 streams is refused with probability .05; more than this in fewer than one case in a million."""
    refused = sum(audit(np.random.default_rng(seed), mu=1.0, most=5000) is not None for seed in range(200))
    assert refused <= stats.binom.isf(1e-6, 200, 0.05)


def test_a_larger_violation_takes_fewer_draws_by_every_way():
    near, _, far = audits(9)
    for more, fewer in ((near[way], far[way]) for way in list(near)[1:]):
        assert fewer is not None
        assert more is None or fewer < more


def test_bets_on_the_curve_lie_between_those_on_its_best_and_its_worst_epsilon_but_for_their_price():
    for row in audits(9):
        assert row["best_epsilon"] <= row["curve"] <= 2 * row["worst_epsilon"]
