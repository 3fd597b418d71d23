"""One failure probability shared by many comparisons."""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import filterproof as fp


@pytest.mark.parametrize("counts", [(1, 1), (3, 7), (17, 11), (1000, 999)])
@pytest.mark.parametrize("failure", [1e-2, 1e-6, 1e-300])
def test_the_shares_of_a_family_never_sum_to_more_than_its_failure_probability(counts, failure):
    family = fp.Family.crossing(failure, adversaries=counts[0], epsilons=counts[1])
    spent = family.size * Fraction(family.each)
    assert Fraction(failure) * (1 - Fraction(1, 10**14)) < spent <= Fraction(failure)


def test_a_family_says_how_it_divides():
    family = fp.Family.crossing(1e-6, adversaries=["a", "b", "c"], epsilons=5, directions=2)
    assert str(family) == (
        "failure probability 1e-06 divided equally over 3 adversaries x 5 epsilons x 2 directions = 30 "
        "comparisons, 3.4e-08 each (union bound, no independence assumed)"
    )
    assert str(fp.Family.crossing(1e-6, pairs=1)) == "one comparison, failure probability 1e-06"


def test_an_empty_family_or_axis_is_refused():
    with pytest.raises(ValueError, match="axes must name what is compared"):
        fp.Family.crossing(1e-6)
    with pytest.raises(ValueError, match="adversaries must be an integer >= 1, got adversaries=0"):
        fp.Family.crossing(1e-6, adversaries=[])


GDP = fp.GaussianFilter(1.0)
TRAINING = fp.LogisticTraining(np.array([[3.0], [2.0], [0.5]]), np.array([0, 1, 1]), rate=0.1)
TRAINED = {
    "training": TRAINING,
    "make": fp.ClippedSums.making(GDP, clip=1.0, sigma=2.0),
    "epsilon": 1.0,
    "steps": 2,
}
WORLDS = {"norms": [1.0, 2.0], "epsilon": 1.0, "rounds": 2, "n": 100}
QUERIES = {"norm_budget": 12.0, "kappa": 0.5}
#: Estimates of more than one interval, and of one.
ESTIMATES: dict[str, Callable[..., object]] = {
    "survival": partial(fp.survival, GDP, fp.Constant(0.5), n=100, rounds=5, workers=1),
    "crossing": partial(
        fp.crossing, fp.LineOdometer(0.05, target=4.0), fp.Constant(0.1), rounds=3, n=100, workers=1
    ),
    "person": partial(fp.simulate_person, GDP, sigma=1.0, **WORLDS),
    "queries": partial(fp.simulate_queries, **WORLDS, **QUERIES),
    "misses": partial(fp.answer_misses, 5, dimension=3, delta=0.3, answers=10, **QUERIES),
    "training": partial(fp.simulate_training, **TRAINED, n=100),
    "guarded training": partial(fp.simulate_training, **TRAINED, n=100, squares=1.0),
    "audit": partial(fp.audit_training, **TRAINED, n=40),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_the_failures_of_the_intervals_of_an_estimate_are_together_what_it_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[float] = []

    def counted(interval: Callable[..., fp.Estimate], *given: object, failure: float) -> fp.Estimate:
        spent.append(failure)
        return interval(*given, failure=failure)

    rooms = [room for place, room in sys.modules.items() if place.startswith("mc.")]
    for interval in (fp.clopper_pearson, fp.empirical_bernstein, fp.kl_chernoff, fp.betting):
        for room in rooms:
            if vars(room).get(interval.__name__) is interval:
                monkeypatch.setattr(room, interval.__name__, partial(counted, interval))
    ESTIMATES[name](confidence=1 - 1e-3)
    assert math.fsum(spent) == pytest.approx(1e-3)
