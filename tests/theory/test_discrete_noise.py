"""Whole noise beside its definition: sums over all of its values by mpmath, and cuts between them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from scipy.special import ndtri

import filterproof as fp
from tests.theory import reference


def least_mu(masses) -> float:
    """The largest z(Q above) + z(P below) over the cuts between values, in the order of the loss."""
    z = lambda p: mp.sqrt(2) * mp.erfinv(1 - 2 * p)  # noqa: E731
    rough = lambda p: -ndtri(float(p)) if p < 0.5 else ndtri(float(1 - p))  # noqa: E731
    above, below, cuts = mp.zero, mp.one, []
    for p, q in masses:
        above, below = above + q, below - p
        if mp.mpf(10) ** -40 < min(above, below):
            cuts.append((rough(above) + rough(below), above, below))
    most = max(cuts)[0]  # in doubles, to choose where digits are spent
    return float(max(z(above) + z(below) for near, above, below in cuts if near > most - 1e-6))


@pytest.mark.parametrize("pair", [fp.DiscreteLaplace(b, s) for b in (0.3, 4.5) for s in (1, 2, 3)], ids=repr)
def test_the_mu_of_discrete_laplace_is_that_of_its_worst_cut(pair: fp.DiscreteLaplace) -> None:
    with mp.workdps(40):
        assert pair.gdp_mu == pytest.approx(least_mu(reference.masses(pair)), rel=1e-13)
    low, high = pair.least("zcdp_rho")
    assert pair.renyi(1.0) * (1 - 1e-9) <= high <= pair.zcdp_rho
    assert high <= low * (1 + 1e-8)


def test_much_noise_and_little_keep_the_digits_of_mu() -> None:
    # (s/b)-DP and nearly nothing: the density at the middle is 1/(2b), of Gaussian noise sqrt(2 pi)/2 times that
    assert fp.DiscreteLaplace(1e12, 3).gdp_mu == pytest.approx(3e-12 * math.sqrt(math.pi / 2), rel=1e-11)
    assert fp.DiscreteLaplace(1e-3, 2).gdp_mu == pytest.approx(
        float(fp.DiscreteLaplace(1e-3, 2).truths.gdp_mu.ball().mid()), rel=1e-12
    )


def test_another_sensitivity_is_another_pair() -> None:
    one, two = fp.DiscreteLaplace(4.0), fp.DiscreteLaplace(4.0, 2)
    assert not one.dominates(two)
    assert not two.alike(one)
    assert two.dominates(fp.DiscreteLaplace(np.array([3.0, 5.0]), 2)).tolist() == [False, True]


def test_wide_noise_is_gaussian() -> None:
    # a cut between whole numbers is off by half a step at most: second order in s / sigma
    wide = fp.DiscreteGaussian(1000.0, 2)
    assert wide.hockey_stick(0.001) == pytest.approx(fp.Gaussian(0.002).hockey_stick(0.001), rel=1e-5)


def test_wide_noise_is_charged_its_hockey_stick_though_most_of_two_sums_cancels() -> None:
    sigma, at = 1024, 0.004267578125
    first = math.floor(at * sigma**2 - 0.5) + 1
    with mp.workdps(40):
        masses = [mp.exp(-mp.mpf(k * k) / (2 * sigma**2)) for k in range(14 * sigma)]
        above, moved = mp.fsum(masses[first:]), mp.fsum(masses[first + 1 :])
        due = (above - mp.exp(at) * moved) / (2 * mp.fsum(masses) - 1)
        assert (
            due <= mp.mpf(float(fp.DiscreteGaussian(sigma).delta_beyond(at))) <= due * (1 + mp.mpf(10) ** -8)
        )
