"""How often a loss crosses a bound: beside enumeration, the reflection formula, and closed forms of one round."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import special

import filterproof as fp

DELTA = 0.05
ODOMETERS = [
    fp.odometers.LineOdometer(DELTA, target=4.0),
    fp.odometers.MixtureOdometer(DELTA, scale=0.5),
    fp.odometers.StitchedOdometer(DELTA, first=0.1),
    fp.odometers.DoublingOdometer(DELTA, first=0.05),
    fp.odometers.RogersOdometer(DELTA, records=1000),
]


RESPONSE = fp.Constant(fp.RandomizedResponse(1.0))
#: That the loss of one response is positive.
POSITIVE = 1 / (1 + math.exp(-1))


@dataclass(frozen=True)
class Bound:
    """A bound that is a function of the numbers of releases, shape (n,)."""

    of: Callable[[Any], Any]

    def start(self, n):
        return np.zeros(n)

    def spend(self, state, request):
        return state + 1

    def epsilon(self, state):
        return self.of(state)


def level(height):
    """A bound that stays where it is, whatever is released."""
    return Bound(lambda state: np.full(len(state), height))


def crossed(odometer, adversary, rounds, n=100, seed=1):
    return fp.odometers.crossing_probability(
        odometer, adversary, rounds=rounds, n=n, seed=seed, failure=1e-6, workers=1
    )


def enumerated(odometer, epsilon, rounds):
    """P(L_t > epsilon_t for some t <= rounds) for a randomised response in every round, over all sums of signs."""
    keep = 1 / (1 + math.exp(-epsilon))
    mass, state, crossed = {0: 1.0}, odometer.start(1), 0.0
    for _ in range(rounds):
        state = odometer.spend(state, fp.RandomizedResponse(epsilon))
        bound, after = float(odometer.epsilon(state)[0]), {}
        for k, p in mass.items():
            for step, chance in ((1, keep), (-1, 1 - keep)):
                if (k + step) * epsilon > bound:
                    crossed += p * chance
                else:
                    after[k + step] = after.get(k + step, 0.0) + p * chance
        mass = after
    return crossed


@pytest.mark.parametrize("odometer", ODOMETERS, ids=lambda o: type(o).__name__)
def test_the_interval_contains_the_probability_that_enumeration_gives(odometer):
    epsilon = 0.2
    adversary = fp.Constant(fp.RandomizedResponse(epsilon))
    assert enumerated(odometer, epsilon, 60) in crossed(odometer, adversary, 60, n=10_000, seed=3)
    assert 10_000 * enumerated(ODOMETERS[0], epsilon, 60) > 100, "many crossings are seen"


@pytest.mark.parametrize(
    ("adversary", "rounds"),
    [(RESPONSE, 1), (fp.OneShot(fp.RandomizedResponse, 1.0), 9)],
    ids=["rounds", "horizon"],
)
def test_the_last_loss_is_looked_at_and_one_on_the_bound_does_not_cross_it(adversary, rounds):
    assert POSITIVE in crossed(level(0.5), adversary, rounds, n=20_000)
    assert crossed(level(1.0), adversary, rounds, n=1000).value == 0


@pytest.mark.parametrize(
    "adversary",
    [fp.Constant(0.05), fp.odometers.BoundApproaching(0.3, 0.02, 10.0)],
    ids=["even", "approaching"],
)
def test_a_line_is_crossed_as_often_as_the_reflection_formula_says_for_small_steps(adversary):
    """P(B_s > a s + b for some s <= S); a walk of steps mu meets the line raised by 0.5826 mu (Siegmund)."""
    odometer = fp.odometers.LineOdometer(DELTA, target=1.0)
    k = math.sqrt(-2 * math.log(DELTA))
    a, b = k / 2, -math.log(DELTA) / k

    def reflected(b, s):
        up, down = (a * s + b) / math.sqrt(s), (a * s - b) / math.sqrt(s)
        return special.ndtr(-up) + math.exp(-2 * a * b) * special.ndtr(down)

    estimate = crossed(odometer, adversary, 400, n=20_000, seed=5)
    if isinstance(adversary, fp.Constant):
        assert reflected(b + 0.5826 * 0.05, 1.0) in estimate
        assert estimate.low <= reflected(b, 1.0)
    else:  # the limit for ever: Ville's inequality is an equality
        assert reflected(b, 1e9) == pytest.approx(DELTA, rel=1e-9)
        assert estimate.value >= 0.9 * DELTA
        assert estimate.low <= DELTA


@pytest.mark.parametrize("before", [-1.0, math.nan])
def test_the_bound_before_the_first_release_is_not_compared(before):
    for rounds, later, truth in ((1, 1e9, 0.0), (5, 1e9, 0.0), (1, 0.5, POSITIVE), (5, 0.5, POSITIVE)):
        bound = Bound(
            lambda state, later=later: np.where(state == 0, before, np.where(state == 1, later, 1e9))
        )
        estimate = crossed(bound, RESPONSE, rounds, n=20_000)
        assert truth in estimate
        assert truth or estimate.value == 0


def test_a_bound_that_is_no_number_is_refused_where_it_is_compared():
    for of in (fp.Constant(0.1), fp.odometers.BoundApproaching()):
        with pytest.raises(ValueError, match="must be a number or inf, got nan at t=1 from Bound"):
            crossed(level(math.nan), of, 3)
    for height, rounds, share in ((math.inf, 3, 0), (-math.inf, 10**13, 1)):
        assert crossed(level(height), fp.Constant(0.1), rounds).value == share
    late = Bound(lambda state: np.where(state > 3, math.nan, 1e9))
    assert crossed(late, fp.Constant(0.1), 3).value == 0
    with pytest.raises(ValueError, match="got nan at t=4 from"):
        crossed(late, fp.Constant(0.1), 4)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"adversary": fp.HighWhileLossPositive()}, ValueError, "^adversary must name its family and levels"),
        ({"on_denial": "retry"}, TypeError, "^on_denial is not allowed"),
        (
            {"odometer": fp.GaussianFilter(1.0)},
            TypeError,
            "^odometer must be an .*, got GaussianFilter.*; pass",
        ),
        *(
            (
                {"odometer": Bound(lambda state, bound=bound: bound)},
                TypeError,
                "^odometer.epsilon must return an array of 100 real numbers, got",
            )
            for bound in (1.0, np.ones((100, 1)))
        ),
    ],
)
def test_what_cannot_be_watched_is_refused_in_one_sentence(changes, error, message):
    given = {"odometer": ODOMETERS[0], "adversary": fp.Constant(0.1), "rounds": 3} | changes
    with pytest.raises(error, match=message):
        fp.odometers.crossing_probability(
            given.pop("odometer"), given.pop("adversary"), n=100, workers=1, **given
        )
