"""Odometers never fall behind the loss, trackers count blocks."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
import numpy as np
import pytest

import filterproof as fp
from tests.filters.own import saying

DELTA = 0.05
Odometer: TypeAlias = fp.odometers.Odometer | fp.odometers.RogersOdometer
ODOMETERS: list[Odometer] = [
    fp.odometers.LineOdometer(DELTA, target=4.0),
    fp.odometers.MixtureOdometer(DELTA, scale=0.5),
    fp.odometers.StitchedOdometer(DELTA, first=0.1),
    fp.odometers.DoublingOdometer(DELTA, first=0.05),
    fp.odometers.RogersOdometer(DELTA, records=1000),
]

each_odometer = pytest.mark.parametrize("odometer", ODOMETERS, ids=lambda odometer: type(odometer).__name__)


def crossing(odometer: Odometer, epsilon: float, rounds: int) -> float:
    """P(L_t > epsilon_t for some t <= rounds) for RR(epsilon), by dynamic programming over the walk."""
    keep = 1 / (1 + math.exp(-epsilon))
    distribution = {0: 1.0}
    crossed, state = 0.0, odometer.start(1)
    for _ in range(rounds):
        state = odometer.spend(state, fp.RandomizedResponse(epsilon))
        bound = float(odometer.epsilon(state)[0])
        after: dict[int, float] = {}
        for k, mass in distribution.items():
            for step, chance in ((1, keep), (-1, 1 - keep)):
                if (k + step) * epsilon > bound:
                    crossed += mass * chance
                else:
                    after[k + step] = after.get(k + step, 0.0) + mass * chance
        distribution = after
    return crossed


@each_odometer
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.5])
def test_the_loss_overtakes_the_bound_with_probability_below_delta(
    odometer: Odometer, epsilon: float
) -> None:
    assert crossing(odometer, epsilon, 200) <= DELTA


def test_a_filter_that_is_passed_by_an_ulp_has_halted() -> None:
    """The logarithm of first 2^j (1 + 2^-52) is rounded to j: the bound is that of filter j + 1 all the same."""
    odometer = fp.odometers.DoublingOdometer(0.05, 0.01)
    for j in range(2, 40):
        size = 0.01 * 2.0**j
        at, passed, next_size = odometer.bound(2 * np.array([size, math.nextafter(size, math.inf), 2 * size]))
        assert at < passed == next_size


def test_the_stitched_bound_is_that_of_the_lowest_line() -> None:
    """Of all lines j = 0, 1, ..., each as the docstring defines it."""
    first = 0.1

    def line(j: int, squares: float) -> mpmath.mpf:
        log = mpmath.log((j + 1) ** 1.4 * mpmath.zeta(1.4) / DELTA)
        k = mpmath.sqrt(2 * log / (first * mpmath.mpf(2) ** (j + 0.5)))
        return (k + 1) * squares / 2 + log / k

    squares = np.geomspace(first, first * 2.0**12, 60)
    lowest = [float(min(line(j, x) for j in range(20))) for x in squares.tolist()]
    assert fp.odometers.StitchedOdometer(DELTA, first).bound(squares) == pytest.approx(lowest, rel=1e-12)


@pytest.mark.parametrize("xi", [0.0, 1e-20, 0.01, 0.1])
def test_an_odometer_promises_no_less_than_both_of_its_failures_come_to(xi: float) -> None:
    due = Fraction(DELTA) + Fraction(xi)
    for odometer in ODOMETERS[:-1]:
        failure = Fraction(replace(odometer, xi=xi).promise.failure)  # type: ignore[type-var]
        assert due <= failure <= due * (1 + Fraction(2) ** -52)
    assert ODOMETERS[-1].promise.failure == DELTA


#: A user's pair whose charges come out below zero, and one of which they are no numbers.
BelowZero = saying(fp.Laplace, -1.0, "zcdp_rho", "renyi")
Undefined = saying(fp.Laplace, math.nan, "zcdp_rho", "pure_epsilon", "gdp_mu", "renyi")
TRACKERS = [fp.odometers.RenyiTracker(2.0, 1.0), fp.odometers.GaussianTracker(1.0)]
#: Who adds up, and the bound that it reads from a state.
READ: list[tuple[Any, Any]] = [
    *((odometer, odometer.epsilon) for odometer in ODOMETERS),
    *((tracker, tracker.value) for tracker in TRACKERS),
]
each_bound = pytest.mark.parametrize(
    ("adding", "read"), READ, ids=[type(adding).__name__ for adding, _ in READ]
)


@each_bound
def test_a_charge_that_is_none_never_lowers_a_bound(adding: Any, read: Any) -> None:
    # a rho of 2, from which 1 could be taken
    spent = adding.spend(adding.start(1), fp.RandomizedResponse(2.0))
    for pair in (Undefined(1.0), BelowZero(1.0)):
        after = adding.spend(spent, pair)
        assert read(after)[0] >= read(spent)[0]
        # and what is lost stays lost
        assert read(adding.spend(after, pair))[0] >= read(after)[0]
    assert read(adding.spend(spent, Undefined(1.0)))[0] == math.inf


@each_bound
def test_a_state_that_no_releases_lead_to_has_no_bound(adding: Any, read: Any) -> None:
    spent = adding.spend(adding.start(1), fp.RandomizedResponse(0.5))
    assert np.isfinite(read(spent)[0])
    assert read(adding.spend(spent, fp.Erasure(0.1)))[0] == math.inf  # more than xi, or delta/2
    for place in range(len(spent)):
        for number in (-1000.0, math.nan, -math.inf, math.inf):
            assert (
                read(tuple(np.array([number]) if i == place else part for i, part in enumerate(spent)))[0]
                == math.inf
            )


ENDS = [(0.3, 3, 1.0), (0.3, 3, 1 / 3), (1e-300, 1024, 1 / 1024), (0.1, 50, 0.3)]


@pytest.mark.parametrize(("delta", "records", "epsilon"), [*ENDS, (1e-9, 1024, math.nextafter(1 / 1024, 0))])
def test_the_bound_of_rogers_is_that_of_the_theorem_at_the_ends_of_its_range_too(
    delta: float, records: int, epsilon: float
) -> None:
    odometer = fp.odometers.RogersOdometer(delta, records)
    bound = float(odometer.epsilon(odometer.spend(odometer.start(1), fp.RandomizedResponse(epsilon)))[0])
    with mpmath.workdps(40):
        e, d, n = mpmath.mpf(epsilon), mpmath.mpf(delta), mpmath.mpf(records)
        s = e**2
        if 1 / n**2 <= s <= 1:
            spread = 2 * s * (mpmath.log(110 * mpmath.e) + 2 * mpmath.log(mpmath.log(n) / d))
        else:
            spread = (
                2 * (1 / n**2 + s) * (1 + mpmath.log(1 + n**2 * s) / 2) * mpmath.log(4 * mpmath.log(n, 2) / d)
            )
        theorem = e * mpmath.expm1(e) / 2 + mpmath.sqrt(spread)
    # at an end the larger of the two lines, which are a sixth apart at most
    assert theorem <= bound <= 7 / 6 * theorem
