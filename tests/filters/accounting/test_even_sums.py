"""Sums that are not checked run by run, against exact rationals: with compiled kernels and without."""

import math
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import filters.accounting.ledger
import theory.arguments
import theory.pairs.gaussian
from filters import GaussianFilter, RenyiFilter
from filters.accounting.amounts import Charge, Mixed, Plain, Square
from filters.accounting.error_free import Exact
from filters.accounting.ledger import _NOTHING, _TILE, Allowance, Budget
from filters.contract.state import put, take
from theory.fast import kernels
from theory.pairs import Gaussian

ROUTES = [
    pytest.param(True, id="kernels", marks=pytest.mark.skipif(kernels() is None, reason="no numba")),
    pytest.param(False, id="numpy"),
]
routes = pytest.mark.parametrize("compiled", ROUTES)
SIZES = [1, 2, 31, 32, 33, 40]


@contextmanager
def route(compiled: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (
            () if compiled else (filters.accounting.ledger, theory.pairs.gaussian, theory.arguments)
        ):
            patch.setattr(module, "kernels", lambda: None)
        yield


def marked(state: Exact) -> bool:
    """Whether the ledger takes the sums to be multiples of 2^-50 units."""
    return state[1].base is _NOTHING


def exact(charge: Charge, n: int) -> list[Fraction]:
    """The rational values of a charge in n runs."""
    if isinstance(charge, Mixed):
        each = [exact(member, n) for member in charge.charges]
        return [each[int(pick)][run] for run, pick in enumerate(charge.index)]
    xs = [Fraction(float(x)) for x in np.broadcast_to(charge.x, n)]
    return [Fraction(charge.scale) * x * x for x in xs] if isinstance(charge, Square) else xs


Shape = Callable[[NDArray[np.float64], float], Charge]
SHAPES: dict[str, Shape] = {
    "squares": lambda x, scale: Square(x, scale),
    "named levels": lambda x, scale: Square(x, scale, tuple(sorted(set(x.tolist())))),
    "strided squares": lambda x, scale: Square(np.repeat(x, 2)[::2], scale),
    "one square": lambda x, scale: Square(float(x[0]), scale),
    "shared entry": lambda x, scale: Square(np.broadcast_to(x[0], len(x)), scale),
    "numbers": lambda x, scale: Plain(x * x),
    "one number": lambda x, scale: Plain(float(x[-1] * x[-1])),
    "a menu": lambda x, scale: Mixed((Square(float(x[0]), scale), Square(x, scale)), np.arange(len(x)) % 2),
}


def follow(budget: Budget, limit: Fraction, n: int, rounds: list[Charge]) -> int:
    """Hold every decision and sum of n runs against the rationals, dropping what is denied; how many even rounds."""
    unit, slack = Fraction(4) ** budget.exponent, limit * Fraction(2) ** -51
    state, spent, evens = budget.start(n), [Fraction(0)] * n, 0
    alive = np.arange(n)
    for charge in rounds:
        charge = charge.take(alive)
        cost = exact(charge, len(alive))
        fits, after = budget.step(state, charge)
        assert (fits == budget.fits(state, charge)).all()
        added = budget.add(state, charge)
        for i in range(len(alive)):
            total = spent[i] + cost[i]
            assert total <= limit if fits[i] else total > limit - slack
            if fits[i]:
                for high, low in (after, added):
                    held = (Fraction(float(high[i])) + Fraction(float(low[i]))) * unit
                    # the least root is 2^-480 units, whose charge is more than the exact one
                    assert (
                        total
                        <= held
                        <= total * (1 + Fraction(2) ** -95) + len(rounds) * unit * Fraction(2) ** -958
                    )
                    assert held == total or not marked((high, low))
        evens += marked(after)
        go = np.flatnonzero(fits)
        spent = [spent[i] + cost[i] for i in go]
        state, alive = take(after, go), alive[go]
        if len(alive) == 0:
            break
    return evens


grid = st.builds(lambda k, j: k * 2.0**-j, st.integers(1, 40), st.integers(3, 27))
roots = st.one_of(
    grid, grid, st.floats(0, 1), st.sampled_from([0.1, 0.3, 2.0**-25, 2.0**-26, 3 * 2.0**-26, 2.0**-480])
)
values = st.sampled_from(
    [1.0, 0.7, 1.984375, 1.99, 3.0, 1 / 3, 2.0**-400, 2.0**400, 2.0**401, 1e-150, 1e-100, 1e100]
)


@routes
@settings(deadline=None, max_examples=120)
@given(
    values,
    st.sampled_from(SIZES),
    st.lists(
        st.tuples(st.sampled_from(sorted(SHAPES)), st.lists(roots, min_size=1, max_size=3)), max_size=12
    ),
    st.sampled_from([1.0, 0.5, 1.25, 3.0, 2.0]),
)
def test_steps_of_many_runs_follow_the_rationals(
    compiled: bool, value: float, n: int, asked: list[tuple[str, list[float]]], scale: float
) -> None:
    budget = Budget.square_of(value)
    rounds = []
    for shape, levels in asked:
        x = np.resize(np.array(levels) * budget.root_unit, n)
        rounds.append(SHAPES[shape](x, scale))
    with route(compiled):
        follow(budget, Fraction(value) ** 2, n, rounds)


extremes = st.one_of(
    st.floats(min_value=0, allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 5e-324, 2.0**-1030, 1.7976931348623157e308, 1e-300, 1e300, 1.0, 2.0**-25]),
)


@routes
@settings(deadline=None, max_examples=120)
@given(
    st.one_of(st.floats(5e-324, 1.7e308), st.sampled_from([1e-300, 1e300, 2.0, 5e-324])),
    st.sampled_from([1, 33]),
    st.lists(st.lists(extremes, min_size=1, max_size=3), max_size=8),
    st.booleans(),
)
def test_extreme_budgets_and_charges_follow_the_rationals(
    compiled: bool, value: float, n: int, asked: list[list[float]], squares: bool
) -> None:
    # scales of no power of two are held to a bound that the product's own underflow may break: none here
    charges: list[Charge] = [(Square if squares else Plain)(np.resize(np.array(x), n)) for x in asked]
    budget, limit = (
        (Budget.square_of(value), Fraction(value) ** 2) if squares else (Budget.of(value), Fraction(value))
    )
    with route(compiled):
        follow(budget, limit, n, charges)


@routes
@pytest.mark.parametrize("n", SIZES)
def test_a_step_finer_than_the_grid_is_added_with_care(compiled: bool, n: int) -> None:
    # sums in [2, 4) units are multiples of 2^-51: one of 2^-52 would be rounded away, thousands of times
    fine, budget = 2.0**-26, Budget.square_of(1.99)
    with route(compiled):
        for last in (fine, 3 * fine):
            rounds: list[Charge] = [Square(np.full(n, 1.5)), *[Square(np.full(n, last))] * 9]
            assert follow(budget, Fraction(1.99) ** 2, n, rounds) == 1


@routes
@pytest.mark.parametrize("n", SIZES)
def test_sums_beyond_the_budget_are_rounded_up_like_any_others(compiled: bool, n: int) -> None:
    # odometers go on adding: from 8 units on, multiples of 2^-50 need not be doubles
    budget, mu = Budget.square_of(1.0), 1.5 + 2.0**-25
    with route(compiled):
        state, spent, evens = budget.start(n), Fraction(0), 0
        for _ in range(30):
            for charge in (Square(np.full(n, mu)), Square(mu)):
                state, spent = budget.add(state, charge), spent + exact(charge, n)[0]
                held = {
                    Fraction(h) + Fraction(low) for h, low in zip(*map(np.ndarray.tolist, state), strict=True)
                }
                assert held == {spent}
                evens += marked(state)
        assert evens == 3


@routes
@pytest.mark.parametrize("n", SIZES)
def test_the_last_step_on_the_grid_decides_by_the_rationals(compiled: bool, n: int) -> None:
    """Budgets whose double is above, at and below the square: a grid point next to it is told apart."""
    unit = Fraction(2) ** -50
    seen = set()
    with route(compiled):
        for value in (1.0, 1.25, 1.1, 1.7, 1.9, 1.3, 1.0000000001, 1.6):
            limit = Fraction(value) ** 2
            budget, most = Budget.square_of(value), limit // unit
            for steps in range(-2, 3):
                target = float((most + steps) * unit)
                state = budget.start(n)
                fits, after = budget.step(state, Plain(np.full(n, target)))
                assert marked(after)
                assert set(fits) == {Fraction(target) <= limit}
            seen.add(float(np.sign(budget.low)))
    assert seen == {-1.0, 0.0, 1.0}


@routes
@pytest.mark.parametrize("bad", [math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, -0.5])
@pytest.mark.parametrize("n", [2, 31, 32, 40])
@pytest.mark.parametrize("place", [0, -1])
def test_one_odd_charge_among_even_ones_is_judged_by_itself(
    compiled: bool, bad: float, n: int, place: int
) -> None:
    x = np.full(n, 0.5)
    x[place] = bad
    budget = Budget.square_of(1.0)
    good = np.arange(n) != place % n
    with route(compiled), np.errstate(all="ignore"):
        state = budget.add(budget.start(n), Square(0.5))
        assert marked(state)
        for charge in (Square(x), Plain(x)):
            fits, after = budget.step(state, charge)
            assert fits[good].all()
            assert fits[place] == (math.isfinite(bad) and (bad >= 0 or isinstance(charge, Square)))
            assert not marked(after)
            if fits[place]:  # a root below zero is charged its square
                assert after[0][place] == 0.25 + (bad * bad if isinstance(charge, Square) else bad)


@routes
@pytest.mark.parametrize("n", [3, 40])
def test_no_charge_is_so_small_that_a_full_budget_admits_it(compiled: bool, n: int) -> None:
    with route(compiled):
        for value in (1.0, 2.0, 3.0, 1e10):  # units above 1 make subnormal roots vanish
            budget = Budget.square_of(value)
            full = budget.add(budget.start(n), Square(value))
            for root in (5e-324, 1e-310, 1e-300, 1e-160, 2.0**-490, -5e-324, -1e-300):
                assert not budget.step(full, Square(np.full(n, root)))[0].any()
                assert not budget.fits(full, Square(np.full(n, root))).any()
                assert not budget.step(full, Square(root))[0].any()


@routes
@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("odd", [math.nan, math.inf, 0.0, 1.7e308])
@pytest.mark.parametrize("root", [2.0**-600, 1e-300])
def test_an_odd_charge_makes_no_others_free(compiled: bool, n: int, odd: float, root: float) -> None:
    budget = Budget.square_of(1.0)
    x = np.full(n, root)
    x[1] = odd
    with route(compiled):
        full = budget.add(budget.start(n), Square(1.0))
        for charge in (Square(x), Square(x[::-1]), Plain(x)):
            answers = budget.step(full, charge)[0], budget.fits(full, charge)
            assert [fits.sum() for fits in answers] == [odd == 0] * 2


@routes
@pytest.mark.parametrize("n", [5, 40])
def test_charges_of_the_wrong_length_are_no_charges(compiled: bool, n: int) -> None:
    budget = Budget.square_of(1.0)
    with route(compiled):
        for x in (0.5, 0.1):
            shared, each = (budget.step(budget.start(n), Square(np.full(k, x))) for k in (1, n))
            for one, other in zip((shared[0], *shared[1]), (each[0], *each[1]), strict=True):
                np.testing.assert_array_equal(one, other)
            for wrong in (n - 1, n + 1, 2):
                with pytest.raises(ValueError, match="broadcast"):
                    budget.step(budget.start(n), Square(np.full(wrong, x)))


def test_a_scale_and_a_unit_out_of_range_together_are_no_overflow() -> None:
    filt = RenyiFilter(alpha=1e90, rho=1e-240)
    for mu in (0.5, np.array([0.5, 0.25])):
        assert not filt.decide(filt.start(2), Gaussian(mu))[0].any()
    for scale, exponent in ((2.0**300, -400), (2.0**-300, 400), (2.0**201, 0)):
        assert Square(1.0, scale).even(exponent) is None


@routes
def test_only_sums_of_even_charges_are_marked(compiled: bool) -> None:
    n, budget = 40, Budget.square_of(1.5)
    x = np.resize([0.25, 0.5], n)
    with route(compiled):
        state = budget.add(budget.start(n), Square(x))
        assert marked(state)
        go = np.arange(0, n, 3)
        parts: list[Any] = [(state[0][3:9], state[1][3:9]), take(state, go), take(state, x > 0.3)]
        for part in parts:
            assert marked(part)
            assert not marked(budget.add(part, Square(0.1)))
            assert marked(budget.add(part, Square(0.125)))
        off = budget.add(state, Square(0.1))
        joined = tuple(np.concatenate(pair) for pair in zip(state, off, strict=True))
        for other in (
            pickle.loads(pickle.dumps(state)),  # noqa: S301 - our own bytes
            joined,
            put(state, go, take(off, go)),
            put(off, go, take(state, go)),
            off,
            budget.add(off, Square(0.25)),
            budget.step(off, Square(np.full(n, 0.25)))[1],
        ):
            assert not marked(other)
        assert not state[1].flags.writeable


@routes
def test_more_runs_than_a_tile_are_added_as_few_are(compiled: bool) -> None:
    n, budget = _TILE + 40, Budget.square_of(1.0)
    with route(compiled):
        for levels in ([0.25, 0.75], [0.1, 0.7], [0.5, 0.1]):
            x = np.resize(levels, n)
            states = [budget.start(n), budget.start(40)]
            for _ in range(3):
                both = [budget.step(state, Square(x[-len(state[0]) :])) for state in states]
                np.testing.assert_array_equal(both[0][0][-40:], both[1][0])
                states = [budget.add(state, Square(x[-len(state[0]) :])) for state in states]
                for many, few in zip(*states, strict=True):
                    np.testing.assert_array_equal(many[-40:], few)


@routes
def test_no_runs_are_a_state_too(compiled: bool) -> None:
    budget = Budget.square_of(1.0)
    with route(compiled):
        for charge in (Square(0.5), Square(np.empty(0)), Plain(np.empty(0)), Square(0.1)):
            fits, after = budget.step(budget.start(0), charge)
            assert fits.shape == after[0].shape == after[1].shape == (0,)


def test_an_allowance_of_nothing_admits_no_even_charge() -> None:
    nothing = Allowance(0.0)
    for n in (3, 40):
        for charge, fits in ((Plain(2.0**-50), False), (Plain(5e-324), False), (Plain(0.0), True)):
            assert set(nothing.fits(nothing.start(n), charge)) == {fits}
            assert set(nothing._budget.step(nothing.start(n), charge)[0]) == {fits}


class Louder(Gaussian):
    """A user's pair that charges for more than its mu."""

    __slots__ = ()

    @property
    def gdp_mu(self) -> Any:
        return self.mu * 1.1


@pytest.mark.parametrize("n", [3, 40])
def test_levels_of_mu_are_not_taken_for_those_of_another_charge(n: int) -> None:
    filt = GaussianFilter(mu=1.9)
    with route(False):
        pair = Louder.either(0.25, 0.5, np.arange(n) % 2 > 0)
        state = filt.decide(filt.start(n), pair)[1]
    assert state is not None
    for i in range(n):
        held = (Fraction(float(state[0][i])) + Fraction(float(state[1][i]))) * Fraction(
            4
        ) ** filt._budget.exponent
        assert held == Fraction(float(pair.gdp_mu[i])) ** 2
