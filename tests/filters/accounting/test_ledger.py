"""The ledger against exact rationals: never above the budget, at most 4 ulp below it.

It runs as it is, with what makes it fast; `test_fast_sums` holds that to the general route bit for bit.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, SquaredCharge
from filterproof.filters.accounting.ledger import Budget
from tests.filters.accounting.charge_draws import ROUNDS, SCALES, SIZES, VALUES, charges, exact

LEAST, MOST = 5e-324, 1.7976931348623157e308


def follow(budget: Budget, limit: Fraction, n: int, rounds: list[Charge]) -> None:
    """Hold every decision and sum of n runs against the rationals."""
    unit, slack = Fraction(4) ** budget.exponent, limit * Fraction(2) ** -51  # 4 units in the last place
    state, spent = budget.start(n), [Fraction(0)] * n
    for charge in rounds:
        fits, after = budget.step(state, charge)
        assert (fits == budget.fits(state, charge)).all()
        added = budget.add(state, charge)
        for i, cost in enumerate(exact(charge, n)):
            total = spent[i] + cost
            assert total <= limit if fits[i] else total > limit - slack
            if fits[i]:
                for high, low in (after, added):
                    held = (Fraction(float(high[i])) + Fraction(float(low[i]))) * unit
                    # the least charge is 2^-960 units, where the exact one may be less
                    most = total * (1 + Fraction(2) ** -95) + len(rounds) * unit * Fraction(2) ** -958
                    assert total <= held <= most
                spent[i] = total
        state = tuple(np.where(fits, new, old) for new, old in zip(after, state, strict=True))


@settings(deadline=None)
@given(VALUES, st.sampled_from(SIZES), ROUNDS, SCALES)
def test_any_charges_to_many_runs_follow_the_rationals(
    value: float, n: int, asked: list[tuple[str, list[float]]], scale: float
) -> None:
    budget = Budget.square_of(value)
    follow(budget, Fraction(value) ** 2, n, charges(asked, n, budget.sqrt_unit, scale))


reals = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(
    reals,
    st.sampled_from([1, 33]),
    st.lists(st.lists(reals, min_size=1, max_size=3), max_size=8),
    st.booleans(),
)
@example(0.0, 33, [[LEAST], [0.0], [2.0**-50]], False)
@example(3 * LEAST, 1, [[LEAST]] * 5, False)
@example(1.0, 1, [*[[LEAST]] * 5, [1.0]], False)
@example(MOST, 33, [[MOST / 2], [MOST / 2], [MOST], [1.0]], False)
@example(1e-200, 1, [[5e-201]] * 6, True)
@example(1e-300, 33, [[MOST], [1e-300]], True)
@example(MOST, 33, [*[[MOST / 2]] * 5, [1e-300]], True)
def test_charges_of_any_size_follow_the_rationals(
    value: float, n: int, asked: list[list[float]], squares: bool
) -> None:
    kind = SquaredCharge if squares else LinearCharge
    budget, limit = (Budget.square_of, Fraction(value) ** 2) if squares else (Budget.of, Fraction(value))
    follow(budget(value), limit, n, [kind(np.resize(np.array(x), n)) for x in asked])


@settings(deadline=None)
@given(st.floats(1e-3, 1e3), st.lists(st.floats(0.01, 1), min_size=1, max_size=20), st.booleans())
def test_the_last_charge_may_fill_the_budget_to_the_last_ulps(
    value: float, shares: list[float], squares: bool
) -> None:
    limit = Fraction(value) ** (2 if squares else 1)
    budget = Budget.square_of(value) if squares else Budget.of(value)
    rounds: list[Charge] = []
    for share in shares:
        left = max(float(limit - sum(exact(charge, 1)[0] for charge in rounds)), 0.0)
        rounds.append(SquaredCharge(math.sqrt(share * left / 2)) if squares else LinearCharge(share * left))
    left = max(float(limit - sum(exact(charge, 1)[0] for charge in rounds)), 0.0)
    rest = math.sqrt(left) if squares else left
    for last in (rest, math.nextafter(rest, math.inf), math.nextafter(rest, 0.0), rest * (1 - 2.0**-40)):
        follow(budget, limit, 1, [*rounds, SquaredCharge(last) if squares else LinearCharge(last)])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("value", [1.0, 2.0, 1e10])  # units above 1 make the least roots vanish
def test_no_charge_is_so_small_that_a_full_budget_admits_it(n: int, value: float) -> None:
    rounds: list[Charge] = [SquaredCharge(value)]
    for root in (5e-324, 1e-310, 1e-300, 2.0**-600, 1e-160, 2.0**-490, -5e-324, -1e-300):
        each = np.full(n, root)
        rounds += [SquaredCharge(root), SquaredCharge(each), LinearCharge(abs(root)), LinearCharge(abs(each))]
    follow(Budget.square_of(value), Fraction(value) ** 2, n, rounds)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("bad", [math.nan, -math.nan, math.inf, -math.inf, -0.5, -1e-300])
def test_what_is_no_charge_is_refused_in_its_own_run_only(n: int, bad: float) -> None:
    budget = Budget.square_of(1.0)
    for good in (0.5, 0.1):
        x = np.full(n, good)
        x[n // 2] = bad
        state = budget.add(budget.start(n), SquaredCharge(good))
        assert not budget.fits(state, LinearCharge(bad)).any()
        fits, after = budget.step(state, LinearCharge(x))
        assert fits.tolist() == [i != n // 2 for i in range(n)]
        assert after[0][fits] == pytest.approx(good * good + good, rel=1e-15)
        if not math.isfinite(bad):
            assert budget.fits(state, SquaredCharge(x)).tolist() == fits.tolist()


@pytest.mark.parametrize("n", SIZES)
def test_sums_beyond_the_budget_go_on_being_exact(n: int) -> None:
    """Odometers go on adding."""
    budget, mu, spent = Budget.square_of(1.0), 1.5 + 2.0**-25, Fraction(0)
    state = budget.start(n)
    for _ in range(30):
        for charge in (SquaredCharge(np.full(n, mu)), SquaredCharge(mu)):
            state, spent = budget.add(state, charge), spent + Fraction(mu) ** 2
            assert {Fraction(h) + Fraction(e) for h, e in zip(*map(list, state), strict=True)} == {spent}


def test_a_pair_is_reached_if_it_is_a_sum_within_the_budget() -> None:
    budget = Budget.of(1.0)
    reached = [(0.0, 0.0), (0.5, -1e-18), (0.5, 1e-18), (1.0, 0.0), (1.0, -1e-18)]
    others = [(1.0, 1e-18), (math.nextafter(1, 2), -1e-18), (-0.5, 0.0), (0.5, 0.5), (-math.inf, 0.0)]
    others += [(math.nan, 0.0), (0.5, math.nan), (math.inf, -math.inf), (0.0, -1e-300), (-1e-300, 0.0)]
    others += [(0.5, math.nextafter(2.0**-53, 1.0)), (0.5, -1000.0), (0.5, math.inf)]
    high, low = np.array([*reached, *others]).T
    assert budget.is_reachable_state((high, low)).tolist() == [True] * len(reached) + [False] * len(others)


@pytest.mark.parametrize("value", [1e200, 1e300])
def test_what_is_left_beyond_the_doubles_is_said_to_be_the_largest_of_them(value: float) -> None:
    budget = Budget.square_of(value)
    for state in (budget.start(2), budget.add(budget.start(2), SquaredCharge(1.0))):
        assert budget.left(state).tolist() == [MOST, MOST]
    assert budget.value(budget.add(budget.start(1), SquaredCharge(value / 2))).tolist() == [np.inf]
