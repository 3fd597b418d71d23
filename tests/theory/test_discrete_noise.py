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


@pytest.mark.parametrize("pair", [fp.DiscreteLaplace(b, s) for b in (0.3, 4.5) for s in (2, 3)], ids=repr)
def test_the_mu_of_discrete_laplace_is_that_of_its_worst_cut(pair: fp.DiscreteLaplace) -> None:
    with mp.workdps(40):
        assert pair.gdp_mu == pytest.approx(least_mu(reference.masses(pair)), rel=1e-13)
    low, high = pair.least("zcdp_rho")
    assert pair.renyi(1.0) * (1 - 1e-9) <= high <= pair.zcdp_rho
    assert high <= low * (1 + 1e-8)


@pytest.mark.parametrize("x", [-9.0, -1.5, -0.5, 0.0, 0.4, 1.4, 1.5])
def test_tails_are_sums_over_all_whole_numbers(x: float) -> None:
    pair = fp.DiscreteLaplace(2.0, 3)
    p, q = pair.truths.above(x)
    with mp.workdps(40):
        rows = [both for both in reference.masses(pair) if mp.log(both[0] / both[1]) > x + mp.mpf(10) ** -20]
        for ours, way in ((p, 0), (q, 1)):
            assert float(ours.mid()) == pytest.approx(float(mp.fsum(row[way] for row in rows)), rel=1e-12)
    assert sum(float(mass.ball().mid()) for _, mass in pair.truths.atoms) == pytest.approx(1)
    assert [float(loss) for loss, _ in pair.truths.atoms] == [1.5, 0.5, -0.5, -1.5]


def test_at_sensitivity_one_it_is_randomised_response() -> None:
    noise, response = fp.DiscreteLaplace(4.0), fp.RandomizedResponse(0.25)
    assert (noise.pure_epsilon, noise.gdp_mu) == (0.25, response.gdp_mu)
    assert noise.renyi(3.0) == pytest.approx(response.renyi(3.0), rel=1e-14)


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


@pytest.mark.parametrize(("scale", "sensitivity"), [(0.0, 1), (1.0, 0), (1.0, 2000), (1e-308, 2), (1.0, 1.5)])
def test_what_is_no_noise_is_refused(scale: float, sensitivity: int) -> None:
    with pytest.raises((ValueError, TypeError), match=r"scale|sensitivity"):
        fp.DiscreteLaplace(scale, sensitivity)


def test_wide_noise_is_gaussian() -> None:
    # a cut between whole numbers is off by half a step at most: second order in s / sigma
    wide = fp.DiscreteGaussian(1000.0, 2)
    assert wide.hockey_stick(0.001) == pytest.approx(fp.Gaussian(0.002).hockey_stick(0.001), rel=1e-5)


def test_rounds_of_discrete_gaussian_noise_are_convolutions_of_its_masses() -> None:
    pair, rounds, epsilon = fp.DiscreteGaussian(2.0), 6, 1.0
    y = np.arange(-60, 61)
    mass = np.exp(-((y / 2.0) ** 2) / 2)
    law = mass / mass.sum()
    total = np.array([1.0])
    for _ in range(rounds):
        total = np.convolve(total, law)
    losses = (rounds + 2 * np.arange(-60 * rounds, 60 * rounds + 1)) / 8.0
    exact = float(np.sum(total * -np.expm1(np.minimum(epsilon - losses, 0.0))))
    found = fp.Composition({pair: rounds}).delta(epsilon)
    assert found.low <= exact * (1 + 1e-9)
    assert exact * (1 - 1e-9) <= found.high <= exact * 1.001
    # a filter charges what it charges Gaussian noise, and its promise holds of this noise
    granted = fp.ZCDPFilter(0.75).open()
    assert [granted.request(pair) for _ in range(rounds)] == [True] * rounds
    assert fp.ZCDP(0.75).delta(epsilon) >= exact


@pytest.mark.parametrize("given", [(0.0, 1), (2.0**-11, 1), (2.0**21, 1), (1.0, 0), (1.0, 2**21), (1.0, 1.5)])
def test_what_is_no_whole_gaussian_noise_is_refused(given: tuple[float, int]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"sigma|sensitivity"):
        fp.DiscreteGaussian(*given)
