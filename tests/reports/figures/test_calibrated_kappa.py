"""The calibrated kappa: what `calibrate` finds, and a certificate that is solved again."""

from __future__ import annotations

import pytest

import filterproof as fp
from filters.rules.kappa import KappaFilter
from reports.figures.calibrated_kappa import calibrated_kappa
from theory.thresholds.stopped_walk import stopped_hockey_stick


def test_the_divergence_at_the_kappa_found_is_delta_by_nystrom() -> None:
    found = calibrated_kappa(2.0, 0.02, sigma=2.0, rounds=8)
    value = float(stopped_hockey_stick(found.threshold, mu=0.5, rounds=8, epsilon=2.0))
    assert value == pytest.approx(0.02, rel=1e-5)
    assert value <= found.certificate.high * (1 + 1e-9)
    assert found.certificate.high <= 0.02
    assert found.recheck().high <= 0.02
    assert "Gaussian(0.5)" in found.certificate.scope


@pytest.mark.slow
def test_it_is_the_kappa_that_calibrate_finds() -> None:
    found = calibrated_kappa(2.0, 0.02, sigma=2.0, rounds=4)
    slow = fp.calibrate(
        lambda kappa: KappaFilter(kappa, 4), 2.0, 0.02, menu=[fp.Gaussian(0.5)], rounds=4, relative=1e-2
    )
    assert slow.threshold <= found.threshold <= slow.threshold * (1 + 1e-2)


def test_a_larger_kappa_breaks_the_promise() -> None:
    found = calibrated_kappa(2.0, 0.02, sigma=2.0, rounds=6)
    beyond = fp.worst_case(
        KappaFilter(found.threshold * (1 + 1e-5), 6), [fp.Gaussian(0.5)], epsilon=2.0, rounds=6
    )
    assert beyond.low > 0.02


def test_a_promise_that_needs_no_filter_is_refused() -> None:
    with pytest.raises(ValueError, match="rounds must pass the promise, got rounds=2"):
        calibrated_kappa(10.0, 1e-3, sigma=2.0, rounds=2)


def test_a_promise_that_one_release_breaks_is_refused() -> None:
    with pytest.raises(ValueError, match="delta must be in reach, got delta=1e-09"):
        calibrated_kappa(0.5, 1e-9, sigma=1.0, rounds=3)
