"""Slips in the papers: each printed form is false where its correction is true. The papers' pages list them."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filterproof.theory.conversions import BUN_STEINKE
from filterproof.theory.pairs import FinitePair, Gaussian, SubsampledGaussian
from filterproof.theory.stopping_level import optimal_split

#: Heads with probability 2/3 under P and 1/3 under Q.
COIN = FinitePair((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3)))


@pytest.mark.parametrize(
    ("sigma", "epsilon", "printed", "steps"),
    [(170, 0.3, 112, 111), (130, 0.5, 180, 179), (100, 1.0, 420, 416)],
)
def test_steps_of_feldman_zrnic_cost_more_than_printed(
    sigma: int, epsilon: float, printed: int, steps: int
) -> None:
    def cost(k: int) -> float:
        return float(BUN_STEINKE.epsilon(k / (2 * sigma**2), 1e-5))

    assert cost(steps) < epsilon < cost(steps + 1) <= cost(printed)


def test_extra_reports_of_feldman_zrnic_cost_more_than_one_percent() -> None:
    first, few, dozens = (float(BUN_STEINKE.epsilon(k / 20_000, 1e-5)) for k in (420, 428, 444))
    assert few - first < 0.01 < 0.028 < dozens - first


def test_order_one_moment_of_feldman_zrnic_bounds_nothing() -> None:
    assert 0 < float(COIN.renyi(1.0)) < 1 / 3


def test_corollary_4_7_of_feldman_zrnic_counts_skipped_queries() -> None:
    admitted, left = [], Fraction(1)
    squares = (Fraction(9, 10), Fraction(1, 2), Fraction(1, 10))
    for square in squares:
        admitted.append(square <= left)
        left -= square if admitted[-1] else 0
    counted_all = [sum(squares[: t + 1]) <= 1 for t in range(3)]
    counted_asked = [
        sum(s for s, go in zip(squares[:t], admitted, strict=False) if go) + squares[t] <= 1 for t in range(3)
    ]
    assert admitted == counted_asked != counted_all


def removal(rate: float, order: float, distributions: tuple[FinitePair, FinitePair]) -> float:
    """The hockey-stick divergence of (1 - rate) X + rate Y, X and Y the first distributions of two pairs, against P."""
    rows = zip(distributions[0].p, distributions[1].p, COIN.p, strict=True)
    return math.fsum(max((1 - rate) * x + rate * y - order * p, 0.0) for x, y, p in rows)


@given(st.floats(0.01, 1.0), st.floats(1.0, 3.0))
def test_lemma_8_of_koskela_exchanges_the_two_laws(rate: float, order: float) -> None:
    true = rate * float(COIN.swapped.hockey_stick(math.log1p((order - 1) / rate)))
    assert removal(rate, order, (COIN, COIN.swapped)) == pytest.approx(true, abs=1e-12)
    assert removal(0.0, 1.0, (COIN.swapped, COIN)) > 0.3  # as printed, without sampling anybody


def test_mean_of_the_loss_is_bounded_and_not_each_outcome() -> None:
    moment = sum(p**2 / q for p, q in COIN.masses_as_fractions)
    assert max((p / q) ** 2 for p, q in COIN.masses_as_fractions) > moment
    assert math.log(moment) == pytest.approx(COIN.renyi(2.0))


def test_second_gaussian_of_koskela_is_no_point() -> None:
    narrow = 2 * mp.ncdf(-0.001) - mp.e * 2 * mp.ncdf(-0.001 / mp.sqrt("1e-8"))
    assert narrow > float(Gaussian(1.0).hockey_stick(1.0))


@given(st.integers(1, 50), st.floats(0.05, 0.9), st.floats(0.5, 3.0), st.floats(0.1, 0.9))
def test_condition_5_1_of_koskela_asks_what_it_asks_without_sampling(
    rounds: int, rate: float, sigma: float, share: float
) -> None:
    """At the order named the divergence of sampled rounds is above that of Gaussian(mu), mu^2 < T/sigma^2."""
    gap = share * rounds / sigma**2
    order = 2 - 4 * rounds * math.log(rate) / gap
    reached = rounds * float(SubsampledGaussian(rate, sigma).renyi(order))
    assert reached > float(Gaussian(math.sqrt(rounds / sigma**2 - gap)).renyi(order))


def test_split_printed_by_taylor_is_optimal_for_no_delta() -> None:
    def condition(d: float, theta: float) -> float:
        """The first-order condition, whose sides have ratio 1 at the best split of some delta."""
        density = [mp.npdf(mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(p))) for p in (theta, d)]
        return float(48 * density[0] * (1 - d) / ((1 - 48 * theta) * density[1]))

    best = optimal_split(48, 1e-5)
    assert condition(best.dhat, best.theta) == pytest.approx(1, rel=1e-6)
    for exponent in range(-10, -6):
        other = 2.073 * 10.0**exponent
        for d, theta in ((4.797e-6, other), (other, 4.797e-6)):
            assert not 0.5 < condition(d, theta) < 2
