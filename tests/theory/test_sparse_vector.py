"""The sparse vector's stop: its exact distribution beside a plain sum, and its own code beside that distribution."""

from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.estimate.sparse_vector_stop import simulate_sparse_vector_stop
from filterproof.theory.pairs.sparse_vector_stopping import stop_distribution

Q = Fraction
CASES = [([0], Q(3)), ([-1, -1, 1], Q(3, 2)), ([2, -3, 1, 5], Q(2)), ([-4, -4], Q(11, 10))]


def by_a_plain_sum(values: list[int], ratio: Fraction, most: int = 400) -> list[float]:
    """Over the noise of the threshold as far as doubles see it, and that of each value from its masses."""
    at = np.arange(-2 * most, 2 * most + 1)
    mass = float((ratio - 1) / (ratio + 1)) * float(ratio) ** -np.abs(at)
    tail = np.cumsum(mass[::-1])[::-1]
    stops, left = [], np.ones(2 * most + 1)
    for value in values:
        reached = tail[np.arange(-most, most + 1) - value + 2 * most]
        stops.append(float((mass[most:-most] * left * reached).sum()))
        left *= 1 - reached
    return stops


@pytest.mark.parametrize(("values", "ratio"), CASES)
def test_the_law_of_the_stop_is_that_of_a_plain_sum(values: list[int], ratio: Fraction) -> None:
    distribution = stop_distribution(values, ratio=ratio)
    assert sum(distribution) == 1
    assert [float(mass) for mass in distribution[:-1]] == pytest.approx(
        by_a_plain_sum(values, ratio), rel=1e-9
    )


@pytest.mark.parametrize(("values", "ratio"), CASES)
def test_its_own_code_stops_as_often_as_the_law_says(values: list[int], ratio: Fraction) -> None:
    estimate = simulate_sparse_vector_stop(values, ratio=ratio, n=2000, seed=3, failure=1e-9)
    assert estimate.low <= stop_distribution(values, ratio=ratio)[len(values) - 1] <= estimate.high


def test_the_loss_of_a_late_stop_comes_near_the_price_and_is_far_above_two_thirds_of_it() -> None:
    pair = fp.FinitePair(*(stop_distribution(values, ratio=Q(3, 2)) for values in ([-1] * 6 + [1], [0] * 7)))
    loss = float(pair.pure_epsilon)
    request = fp.people.AboveThreshold(0, ratio=Q(3, 2), rng=np.random.default_rng(1)).request
    assert 0.94 * float(request.pure_epsilon) < loss <= float(request.pure_epsilon)
    assert pair.hockey_stick(float(request.pure_epsilon)) == 0


def test_after_the_first_yes_nothing_is_answered() -> None:
    rng = np.random.default_rng(1)
    stop = fp.people.AboveThreshold(0, ratio=Q(3), rng=rng)
    assert stop.is_above(1000, rng)
    with pytest.raises(ValueError, match="value must come before the first True"):
        stop.is_above(-1000, rng)
