"""What makes the ledger fast, held to its general route bit for bit: one sum in floats, many sums in compiled loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge
from filterproof.filters.accounting.compiled import SUMS_PER_BLOCK, quotients_round_up, step
from filterproof.filters.accounting.ledger import Budget
from filterproof.theory.fast.compiler import compiler
from filterproof.theory.numerics.error_free import Exact, quotient_round_up
from tests.filters.accounting.charge_draws import ROUNDS, SCALES, SIZES, VALUES, charges

COMPILED = pytest.mark.skipif(compiler() is None, reason="no numba")


def compare(budget: Budget, state: Exact, charge: Charge) -> Exact:
    """Hold one step to the general step; return the sums after what fits is charged."""
    fits, after = budget.general_step(state, charge)
    found = budget.step(state, charge)
    assert found[0].tolist() == fits.tolist()
    for ours, theirs in zip(found[1], after, strict=True):
        finite = np.isfinite(after[0]) & np.isfinite(after[1])
        assert ours[finite].tobytes() == theirs[finite].tobytes()
        assert np.isfinite(ours[~finite]).sum() == np.isfinite(theirs[~finite]).sum()
    return np.where(fits, after[0], state[0]), np.where(fits, after[1], state[1])


ODD = [0.0, -0.0, 5e-324, -1e-310, 1e-300, 2.0**-481, 1.7e308, math.inf, -math.inf, math.nan, -0.3]


@settings(deadline=None)
@given(
    VALUES,
    st.sampled_from(SIZES),
    ROUNDS,
    SCALES,
    st.lists(st.sampled_from(ODD), max_size=2),
    st.booleans(),
)
def test_the_fast_routes_give_the_bits_of_the_general_one(
    value: float,
    n: int,
    asked: list[tuple[str, list[float]]],
    scale: float,
    odd: list[float],
    all_odd: bool,
) -> None:
    budget = Budget.square_of(value)
    rounds = charges(asked, n, budget.sqrt_unit, scale)
    for bad in odd:
        x = np.full(n, bad if all_odd else 0.25 * budget.sqrt_unit)
        x[-1] = bad
        rounds += [SquaredCharge(x, scale), LinearCharge(x), SquaredCharge(bad, scale), LinearCharge(bad)]
    with np.errstate(all="ignore"):
        state = budget.start(n)
        for charge in rounds * 3:
            state = compare(budget, state, charge)


def test_more_runs_than_a_block_are_added_as_few_are() -> None:
    n, budget, rng = 2 * SUMS_PER_BLOCK + 40, Budget.square_of(1.0), np.random.default_rng(2)
    x, state = rng.random(n), budget.start(n)
    few = [SquaredCharge(x), LinearCharge(x**2 / 3), SquaredCharge(x, 0.3), SquaredCharge(0.1)]
    for charge in (*few, PerRunCharge((SquaredCharge(x), LinearCharge(0.1)), np.arange(n) % 2)):
        for _ in range(2):
            state = compare(budget, state, charge)
    assert 0 < np.count_nonzero(budget.covers((state[0] + 0.2, state[1]))) < n
    assert state[1].any()


@COMPILED
def test_there_is_a_compiled_loop_for_every_charge_of_many_runs() -> None:
    # else the property above would hold of nothing
    budget, many = Budget.of(1.0), np.full(40, 0.1)
    for kind in (SquaredCharge, LinearCharge, lambda x: SquaredCharge(x, 0.3)):
        for x in (0.1, many):
            assert step(budget, budget.start(40), kind(x)) is not None


@COMPILED
@pytest.mark.parametrize("y", [1.0, 0.7, 1.25, 1 / 3, 3e-5, 2.0**40, 1e200])
def test_quotients_are_rounded_up_as_the_definition_rounds_them(y: float) -> None:
    """That the definition rounds up is tested by fractions beside the other sums and products."""
    x = np.concatenate([np.random.default_rng(1).lognormal(0, 20, 20_000), [0.0], y * np.arange(1, 2000)])
    found = quotients_round_up(x, y)
    assert found is not None
    assert found[0][x > 0].tobytes() == quotient_round_up(x, y)[x > 0].tobytes()
    assert found[0][x == 0].tolist() == [0.0]
    assert found[1] == 1


@COMPILED
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, 1e-300, 5e-324, 1e308, -0.5, 1e-200, 1e200])
def test_what_is_out_of_range_is_left_to_the_definition(bad: float) -> None:
    for y in (0.5, 1e-200, 1e200):
        x = np.full(40, 0.25)
        x[17] = bad
        found = quotients_round_up(x, y)
        assert found is None or (2.0**-900 < bad / y < 2.0**900 and bad >= 2.0**-900)
    assert quotients_round_up(np.ones(40), 2.0**-901) is None
    assert quotients_round_up(np.ones(40), 2.0**901) is None


def test_one_sum_is_charged_what_a_charge_of_ones_own_costs() -> None:
    class Double(SquaredCharge):
        """Its `exact` is the cost."""

        __slots__ = ()

        def exact(self, root: float) -> Exact:
            high, low = SquaredCharge(self.x, self.scale).exact(root)
            return 2 * high, 2 * low

    budget = Budget.square_of(1.0)
    fits, after = budget.step(budget.start(1), Double(0.5))
    assert (bool(fits[0]), after[0][0]) == (True, 0.5)
    assert not budget.step(after, Double(0.75))[0][0]
