"""Whole noise beside its definition: sums over all of its values by mpmath, and cuts between them."""

import math

import pytest
from mpmath import mp

import filterproof as fp


@pytest.mark.parametrize("pair", [fp.DiscreteLaplace(b, s) for b in (0.3, 4.5) for s in (1, 2, 3)], ids=repr)
def test_the_least_rho_of_discrete_laplace_is_between_its_relative_entropy_and_what_is_declared(
    pair: fp.DiscreteLaplace,
) -> None:
    low, high = pair.tight_charge("zcdp_rho")
    assert pair.renyi(1.0) * (1 - 1e-9) <= high <= pair.zcdp_rho
    assert high <= low * (1 + 1e-8)


def test_much_noise_and_little_keep_the_digits_of_mu() -> None:
    # (s/b)-DP and nearly nothing: the density at the middle is 1/(2b), of Gaussian noise sqrt(2 pi)/2 times that
    assert fp.DiscreteLaplace(1e12, 3).gdp_mu == pytest.approx(
        3e-12 * math.sqrt(math.pi / 2), rel=1e-11, abs=0
    )
    assert fp.DiscreteLaplace(1e-3, 2).gdp_mu == pytest.approx(
        float(fp.DiscreteLaplace(1e-3, 2).reference_values.gdp_mu.ball().mid()), rel=1e-12
    )


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
            due
            <= mp.mpf(float(fp.DiscreteGaussian(sigma).hockey_stick_upper_bound(at)))
            <= due * (1 + mp.mpf(10) ** -8)
        )
