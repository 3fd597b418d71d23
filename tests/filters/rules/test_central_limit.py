"""The central limit's filter: its charges by quadrature, and how it breaks its promise."""

import math

import mpmath as mp
import pytest

import filterproof as fp
from filterproof.filters.accountants.repeats import count_grants
from filterproof.mc.estimate.filter_ranking import largest_gaussian_mu

#: (q, sigma) of the rates in use, and some at which doubles are short of digits.
RATES = [(0.01, 1.0), (0.02, 1.0), (0.05, 1.5), (0.001, 0.8), (0.19, 0.3), (1e-9, 0.05), (0.1, 1e4)]


def limited(mu: float) -> fp.CentralLimitFilter:
    with fp.suppress_unsound_warning():
        return fp.CentralLimitFilter(mu)


def chi_square(q: float, sigma: float) -> mp.mpf:
    """E_Q[(dP/dQ - 1)^2] of a round, by its definition: the trapezoidal rule, whose error here is below e^{-150}."""
    q, s = mp.mpf(q), mp.mpf(sigma)
    step = s / 3

    def gain(x: mp.mpf) -> mp.mpf:
        return (q * mp.expm1((x - mp.mpf(1) / 2) / s**2)) ** 2 * mp.npdf(x, 0, s)

    return step * mp.fsum(gain(k * step) for k in range(-48, 48 + math.ceil(2 / step)))


@pytest.mark.parametrize(("q", "sigma"), RATES)
@pytest.mark.parametrize("adjacency", ["removal", "addition"])
def test_a_charge_is_the_chi_square_divergence_of_the_round_rounded_up(
    q: float, sigma: float, adjacency: str
) -> None:
    pair = fp.SubsampledGaussian(q=q, sigma=sigma, adjacency=adjacency)
    charge = float(limited(1.0).charge(pair).x)  # type: ignore[union-attr]
    with mp.workdps(40):
        exact = mp.mpf(q) ** 2 * mp.expm1(1 / mp.mpf(sigma) ** 2)
        assert mp.almosteq(exact, chi_square(q, sigma), rel_eps=mp.mpf("1e-25"))
        assert exact <= charge <= exact * (1 + mp.mpf("1e-12"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "q", "sigma", "rounds", "times"),
    [
        (2.0, 1e-5, 0.02, 1.0, 365, 8.65),
        (1.0, 1e-6, 0.02, 1.0, 81, 106.4),
        (2.0, 1e-5, 0.05, 1.5, 179, 4.185),
    ],
)
def test_rounds_fixed_in_advance_reach_several_times_delta(
    epsilon: float, delta: float, q: float, sigma: float, rounds: int, times: float
) -> None:
    pair = fp.SubsampledGaussian(q=q, sigma=sigma)
    filt = limited(largest_gaussian_mu(epsilon, delta))
    assert filt.promise.delta(epsilon) <= delta
    assert count_grants(filt, pair, most=10_000) == rounds
    reached = fp.Composition({pair: rounds}).delta(epsilon)
    # dp-accounting's PLD, on a lattice of 1e-3, found the same and at most 2 % more
    assert reached.low == pytest.approx(times * delta, rel=1e-3)
