"""Tests of the loss against thresholds have the hits and false alarms that closed forms give, and bound all others."""

from __future__ import annotations

import math

import pytest
from scipy import special

import filterproof as fp
from mc.estimate.threshold_tests import threshold_tests
from theory.pairs.base import Direction

LEVELS = (-1.0, 0.0, 1.0, 2.0)


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_gaussian_has_the_hits_and_false_alarms_of_two_normal_laws(direction: Direction) -> None:
    found = threshold_tests(
        fp.GaussianFilter(mu=1.0),
        fp.OneShot(),
        thresholds=LEVELS,
        n=40_000,
        workers=1,
        seed=3,
        direction=direction,
    )
    for one in found.at:
        t = one.threshold
        assert special.ndtr(0.5 - t) in one.hits
        assert special.ndtr(-0.5 - t) in one.false_alarms
        assert special.ndtr(0.5 - t) - math.exp(t) * special.ndtr(-0.5 - t) in one.gain
        # as wide as a coin of the same mean, to the error of the normal limit
        for mean in (one.hits, one.gain):
            normal = math.sqrt(2 * math.log(2 / mean.failure) / (mean.value * mean.n))
            assert mean.relative_half_width < 1.1 * normal
        # at the very rate of a test nothing is lost but the width of its intervals
        rate = one.false_alarms.high
        assert found.hits_low(rate) >= one.hits.low * (1 - 1e-9)
        assert found.hits_high(rate) <= one.gain.high + math.exp(t) * rate + 1e-9
    assert found.advantage is not None
    assert math.erf(0.5 / math.sqrt(2)) in found.advantage
    for alarms in (1e-4, 1e-3, 0.02, 0.3, 0.9):
        exact = special.ndtr(special.ndtri(alarms) + 1)
        assert found.hits_low(alarms) <= exact <= found.hits_high(alarms)


def test_what_reveals_all_is_hit_without_a_false_alarm() -> None:
    with fp.knowingly():
        filt = fp.NaiveRealisationFilter(1.0, 0.01)
    found = threshold_tests(
        filt, fp.EraserForever(0.01), thresholds=(0.0, 2.0), n=8192, rounds=20, workers=1, seed=5
    )
    gone = 1 - 0.99**20
    for one in found.at:
        assert one.false_alarms.value == 0
        assert gone in one.hits
    assert 0.8 * gone < found.hits_low(0.01) <= gone + 0.01 <= found.hits_high(0.01) < 1.3 * gone


def test_rows_name_each_interval_and_only_zero_gives_an_advantage() -> None:
    found = threshold_tests(fp.GaussianFilter(mu=1.0), fp.OneShot(), thresholds=[1.0], n=1000, workers=1)
    assert found.advantage is None
    (row,) = found.rows()
    one = found.at[0]
    assert row["false_alarms_high"] == one.false_alarms.high
    assert row["joint_failure"] == pytest.approx(1e-6)
    # three intervals share the failure probability
    assert one.hits.failure == pytest.approx(1e-6 / 3)
