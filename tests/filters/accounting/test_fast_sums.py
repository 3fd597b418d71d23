"""What makes the ledger fast, held to its general route bit for bit: one sum, many sums, compiled or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filters.accounting.fast.compiled
from filters.accounting import Budget, Charge, Plain, Square
from filters.accounting.error_free import Exact
from filters.accounting.fast import blocks, step
from tests.filters.accounting.asked import ROUNDS, SCALES, SIZES, VALUES, charges
from theory.fast.compiler import compiler

ROUTES = pytest.mark.parametrize(
    "kernels",
    [
        pytest.param(True, marks=pytest.mark.skipif(compiler() is None, reason="no numba"), id="compiled"),
        pytest.param(False, id="numpy"),
    ],
)


@contextmanager
def route(kernels: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if not kernels:
            patch.setattr(filters.accounting.fast.compiled, "kernels", lambda: None)
        yield


def compare(budget: Budget, state: Exact, charge: Charge) -> Exact:
    """Hold one fast step to the general one; what the general one gives, where it fits."""
    fits, after = budget.general_step(state, charge)
    found = step(budget, state, charge)
    if found is not None:
        assert found[0].tolist() == fits.tolist()
        for ours, theirs in zip(found[1], after, strict=True):
            finite = np.isfinite(after[0]) & np.isfinite(after[1])
            assert ours[finite].tobytes() == theirs[finite].tobytes()
            assert np.isfinite(ours[~finite]).sum() == np.isfinite(theirs[~finite]).sum()
    return tuple(np.where(fits, new, old) for new, old in zip(after, state, strict=True))  # type: ignore[return-value]


ODD = [0.0, -0.0, 5e-324, -1e-310, 1e-300, 2.0**-481, 1.7e308, math.inf, -math.inf, math.nan, -0.3]


@ROUTES
@settings(deadline=None, max_examples=400)
@given(
    VALUES, st.sampled_from(SIZES), ROUNDS, SCALES, st.lists(st.sampled_from(ODD), max_size=2), st.booleans()
)
def test_the_fast_routes_give_the_bits_of_the_general_one(
    kernels: bool,
    value: float,
    n: int,
    asked: list[tuple[str, list[float]]],
    scale: float,
    odd: list[float],
    all_odd: bool,
) -> None:
    budget = Budget.square_of(value)
    rounds = charges(asked, n, budget.root_unit, scale)
    for bad in odd:
        x = np.full(n, bad if all_odd else 0.25 * budget.root_unit)
        x[-1] = bad
        rounds += [Square(x, scale), Plain(x), Square(bad, scale), Plain(bad)]
    with route(kernels), np.errstate(all="ignore"):
        state = budget.start(n)
        for charge in rounds * 3:
            state = compare(budget, state, charge)


@ROUTES
def test_more_runs_than_a_block_are_added_as_few_are(kernels: bool) -> None:
    n, budget = blocks.BLOCK + 40, Budget.square_of(1.0)
    with route(kernels):
        for levels in ([0.25, 0.5], [0.07, 0.14], [0.1, 0.2, 0.3], [0.5, 0.1]):
            state = budget.start(n)
            for _ in range(3):
                for charge in (Square(np.resize(levels, n)), Plain(np.resize(levels, n) ** 2 / 3)):
                    state = compare(budget, state, charge)


@ROUTES
def test_there_is_a_fast_route_for_one_run_and_for_many(kernels: bool) -> None:
    # else the property above would hold of nothing
    budget = Budget.of(1.0)
    with route(kernels):
        for n, x in ((1, 0.1), (40, 0.1), (40, np.full(40, 0.1))):
            for charge in (Square(x), Plain(x)):
                assert step(budget, budget.start(n), charge) is not None
