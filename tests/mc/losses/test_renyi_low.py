"""Lower bounds on Renyi divergences are never above the truth, and how near they come, by a second route."""

import math
import random
from fractions import Fraction

import mpmath
import pytest

from filterproof.mc.losses.renyi_lower_bound import renyi_lower_bound
from filterproof.theory.pairs import FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from tests.mc.losses.enumerated import random_pair, real, renyi


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


ORDERS = (1 + 1e-9, 1.1, 8.0, 1e4)


@pytest.mark.parametrize("order", ORDERS)
def test_the_renyi_divergence_of_finite_pairs_is_met_from_below(order: float) -> None:
    rng, seen = random.Random(21), 0
    for pair in (random_pair(rng) for _ in range(60)):
        low = renyi_lower_bound(pair, order)
        if any(p > 0 and q == 0 for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)):
            assert low == math.inf
        else:
            true = renyi(pair, order)
            assert true * (1 - 1e-8) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true
            seen += true > 0
    assert seen > 20
    for epsilon in (1e-5, 0.01, 1.0, 30.0, 300.0):
        a, e = real(order), real(epsilon)
        p, q = 1 / (1 + mpmath.exp(-e)), 1 / (1 + mpmath.exp(e))
        true = mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        low = renyi_lower_bound(RandomizedResponse(epsilon), order)
        assert true * (1 - 1e-9) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true


def rare(rng: random.Random) -> tuple[FinitePair, list[float], int]:
    """A rare output, and orders at which its moment is near 1: its loss has lost digits, which the order multiplies.

    Or a tiny loss, and orders so high that it decides; and how many digits tell the truth.
    """
    if rng.random() < 0.5:
        p, q = (Fraction(rng.randint(1, 10**6), 10 ** rng.randint(100, 290)) for _ in range(2))
        p, q = max(p, q), min(p, q)
        loss = float(mpmath.log(real(p) / real(q)))
        orders = [1 + (moment - float(mpmath.log(real(p)))) / loss for moment in (-25.0, -10.0, -1.0, 5.0)]
        digits = 60
    else:
        p = Fraction(rng.uniform(0.1, 0.9)) / 10 ** rng.randrange(250)
        loss = 10 ** rng.uniform(-13, -3)
        q, orders, digits = p / (1 + Fraction(loss)), [1 + 300 / loss, 1 + 3000 / loss], 400
    return FinitePair((p, 1 - p), (q, 1 - q)), [order for order in orders if order > 1], digits


def test_no_bound_exceeds_the_truth_where_an_output_is_rare_or_a_tiny_loss_decides() -> None:
    rng = random.Random(8)
    for _ in range(150):
        pair, orders, digits = rare(rng)
        with mpmath.workdps(digits):
            assert all(renyi_lower_bound(pair, order) <= renyi(pair, order) for order in orders)


@pytest.mark.parametrize("order", [1.5, 2.0, 600.0])
def test_an_output_rarer_than_any_double_is_left_out(order: float) -> None:
    tiny = Fraction(1, 10**400)
    pair = FinitePair(
        (tiny, Fraction(3, 4), Fraction(1, 4) - tiny), (tiny / 2, Fraction(1, 4), Fraction(3, 4) - tiny / 2)
    )
    low, true = renyi_lower_bound(pair, order), renyi(pair, order)
    assert true * (1 - 1e-10) <= low <= true


@pytest.mark.parametrize("order", [1.1, 16.0])
@pytest.mark.parametrize(
    "pair",
    [
        Laplace(0.5),
        Laplace(10.0),
        Gaussian(1.0),
        SubsampledGaussian(0.1, 1.0),
        SubsampledGaussian(0.5, 2.0, adjacency="addition"),
    ],
    ids=repr,
)
def test_the_renyi_divergence_of_a_continuous_pair_is_met_from_below(pair, order: float) -> None:
    true, low = float(pair.renyi(order)), renyi_lower_bound(pair, order)
    assert low <= true * (1 + 1e-9)  # the other side is in doubles
    assert low >= 0.98 * true
