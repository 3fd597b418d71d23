"""The divergence of what a realisation filter releases, against simulation, composition and another grid."""

from __future__ import annotations

import math

import pytest

from filters import RealisationFilter
from mc import Constant
from mc.estimate.simulate import simulate
from theory.numerics.stopped_walk import stopped_hockey_stick
from theory.pairs import Gaussian
from theory.realisation import kappa, optimal_split

MU, ROUNDS, DELTA = 0.5, 48, 1e-5


def limit(epsilon: float) -> float:
    split = optimal_split(ROUNDS, DELTA)
    return float(kappa(epsilon, 1 / MU, split.dhat, split.theta))


@pytest.mark.parametrize(
    ("epsilon", "printed"),
    [(8.0, 1.205e-13), (10.0, 9.433e-14), (12.0, 5.964e-14)],
    ids=["eps=8", "eps=10", "eps=12"],
)
def test_the_fixed_strategy_stays_eight_decades_below_the_promise(epsilon: float, printed: float) -> None:
    """Reference values of a separate program, two grids: the filter that promises `epsilon`, judged there."""
    value = stopped_hockey_stick(limit(epsilon), mu=MU, rounds=ROUNDS, epsilon=epsilon)
    assert value == pytest.approx(printed, rel=5e-4)
    finer = stopped_hockey_stick(limit(epsilon), mu=MU, rounds=ROUNDS, epsilon=epsilon, nodes=400)
    assert finer == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 7.0])
def test_it_agrees_with_play_through_the_filters_own_code(epsilon: float) -> None:
    filt = RealisationFilter(10.0, DELTA, ROUNDS, (Gaussian(MU),))
    played = simulate(
        filt, Constant(Gaussian(MU)), epsilon=epsilon, n=100_000, seed=3, rounds=ROUNDS, method="plain"
    )
    assert stopped_hockey_stick(limit(10.0), mu=MU, rounds=ROUNDS, epsilon=epsilon) in played


@pytest.mark.parametrize("rounds", [1, 2, 3, 12])
def test_a_walk_that_is_never_stopped_composes(rounds: int) -> None:
    value = stopped_hockey_stick(60.0, mu=MU, rounds=rounds, epsilon=2.0, nodes=600)
    assert value == pytest.approx(float(Gaussian(math.sqrt(rounds) * MU).hockey_stick(2.0)), rel=1e-9)
