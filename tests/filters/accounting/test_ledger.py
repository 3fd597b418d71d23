"""The ledger against exact rationals: never above the budget, at most 4 ulp below it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.accounting.amounts import Charge, Plain, Square
from filters.accounting.error_free import two_product, two_sum
from filters.accounting.ledger import _TILE, Budget


def exact(charge: Charge) -> Fraction:
    """The rational value of a shared charge."""
    x = Fraction(float(charge.x))
    return Fraction(charge.scale) * x * x if isinstance(charge, Square) else x


def play(budget: Budget, limit: Fraction, charges: list[Charge]) -> Fraction:
    """Ask for each charge in turn, hold every decision against the exact sum; the sum admitted."""
    slack = limit * Fraction(2) ** -51  # at most 4 units in the last place of the budget
    state, spent = budget.start(1), Fraction(0)
    for charge in charges:
        after = spent + exact(charge)
        if budget.fits(state, charge)[0]:
            assert after <= limit
            state, spent = budget.add(state, charge), after
        else:
            assert after > limit - slack
    return spent


def test_the_tenth_tenth_is_refused() -> None:
    assert sum([Fraction(0.1)] * 10) > 1  # the double 0.1 is above a tenth
    budget = Budget.of(1.0)
    state = budget.start(1)
    for _ in range(9):
        assert budget.fits(state, Plain(0.1))[0]
        state = budget.add(state, Plain(0.1))
    assert not budget.fits(state, Plain(0.1))[0]


def test_what_fits_exactly_is_admitted() -> None:
    budget = Budget.square_of(1.0)
    state = budget.start(1)
    for _ in range(64):
        assert budget.fits(state, Square(0.125))[0]
        state = budget.add(state, Square(0.125))
    assert not budget.fits(state, Square(2.0**-400))[0]
    third = Budget.square_of(1 / 3)
    assert third.fits(third.start(1), Square(1 / 3))[0]
    assert not third.fits(third.start(1), Square(math.nextafter(1 / 3, 1)))[0]


reals = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
positive = reals.filter(lambda x: x > 0)


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_two_sum_loses_nothing(a: float, b: float) -> None:
    s, e = two_sum(a, b)
    assert Fraction(s) + Fraction(e) == Fraction(a) + Fraction(b)


@given(st.floats(1e-140, 1e140), st.floats(1e-140, 1e140))
def test_two_product_loses_nothing(a: float, b: float) -> None:
    p, e = two_product(a, b)
    assert Fraction(p) + Fraction(e) == Fraction(a) * Fraction(b)


@settings(deadline=None, max_examples=300)
@given(positive, st.lists(st.one_of(reals, st.floats(0, 1)), max_size=30), st.booleans())
def test_plain_charges_follow_the_rationals(value: float, costs: list[float], relative: bool) -> None:
    charges = [Plain(c * value if relative and math.isfinite(c * value) else c) for c in costs]
    play(Budget.of(value), Fraction(value), list(charges))


@settings(deadline=None, max_examples=300)
@given(positive, st.lists(st.one_of(reals, st.floats(0, 1)), max_size=30), st.sampled_from([1.0, 0.5, 1.25]))
def test_squares_follow_the_rationals(value: float, roots: list[float], scale: float) -> None:
    charges = [Square(r * value if r <= 1 else r, scale) for r in roots]
    play(Budget.square_of(value), Fraction(value) ** 2, list(charges))


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-3, 1e3), st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_the_last_charge_may_fill_the_budget_to_the_last_ulps(value: float, roots: list[float]) -> None:
    limit, spent = Fraction(value), Fraction(0)
    costs: list[float] = []
    for root in roots:
        cost = root * max(float(limit - spent), 0.0)
        spent += Fraction(cost)
        costs.append(cost)
    rest = max(float(limit - spent), 0.0)
    for last in (rest, math.nextafter(rest, math.inf), rest * (1 - 2.0**-40)):
        play(Budget.of(value), limit, [Plain(c) for c in [*costs, last]])


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-3, 1e3), st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_the_last_square_may_fill_the_budget_to_the_last_ulps(value: float, shares: list[float]) -> None:
    limit, spent = Fraction(value) ** 2, Fraction(0)
    roots: list[float] = []
    for share in shares:
        roots.append(math.sqrt(share * max(float(limit - spent), 0.0) / 2))
        spent += Fraction(roots[-1]) ** 2
    rest = math.sqrt(max(float(limit - spent), 0.0))
    for last in (rest, math.nextafter(rest, math.inf), math.nextafter(rest, 0.0)):
        play(Budget.square_of(value), limit, [Square(root) for root in [*roots, last]])


def test_denormal_budgets_and_charges() -> None:
    least = 5e-324
    assert play(Budget.of(3 * least), Fraction(3 * least), [Plain(least)] * 5) == 3 * Fraction(least)
    assert (
        play(Budget.square_of(1e-200), Fraction(1e-200) ** 2, [Square(5e-201)] * 6)
        == 4 * Fraction(5e-201) ** 2
    )
    play(Budget.of(1.0), Fraction(1), [Plain(least)] * 5 + [Plain(1.0)])


def test_huge_budgets_and_charges() -> None:
    most = 1.7976931348623157e308
    play(Budget.of(most), Fraction(most), [Plain(most / 2), Plain(most / 2), Plain(most), Plain(1.0)])
    play(Budget.square_of(most), Fraction(most) ** 2, [Square(most / 2)] * 5 + [Square(1e-300)])
    play(Budget.square_of(1e-300), Fraction(1e-300) ** 2, [Square(most), Square(1e-300)])


@pytest.mark.parametrize("cost", [math.inf, math.nan, -1.0, -1e-300])
def test_what_is_no_charge_is_refused(cost: float) -> None:
    budget = Budget.of(1.0)
    assert not budget.fits(budget.start(3), Plain(cost)).any()
    assert not budget.fits(budget.start(2), Plain(np.array([cost, cost]))).any()
    if cost >= 0 or math.isnan(cost):
        assert not budget.fits(budget.start(2), Square(np.array([cost, cost]))).any()
    mixed = budget.fits(budget.start(2), Plain(np.array([cost, 0.5])))
    assert mixed.tolist() == [False, True]


def run_out(rounds: int, value: float, cost: float) -> int:
    """How many charges of one size are admitted, out of so many requests."""
    budget = Budget.of(value)
    state = budget.start(1)
    for done in range(rounds):
        if not budget.fits(state, Plain(cost))[0]:
            return done
        state = budget.add(state, Plain(cost))
    return rounds


@pytest.mark.slow
def test_a_hundred_thousand_rounds_one_by_one() -> None:
    value, cost = 1.0, 1e-5
    allowed = math.floor(Fraction(value) / Fraction(cost))
    assert run_out(100_001, value, cost) == allowed


def long_play(seed: int, runs: int, rounds: int, share: float, first: float) -> None:
    """Ask each run for `rounds` charges up to 2 share after one of `first`, against the exact sums.

    Charges are multiples of 2^-80, so that Python's integers hold the sums; one in ten is near 1e-18.
    """
    rng = np.random.default_rng(seed)
    budget, limit, slack = Budget.of(1.0), 2**80, 2**30  # 2^30 2^-80 = 4 units in the last place of 1
    head = np.full(runs, np.round(first * 2.0**53) * 2.0**-53)
    state = budget.add(budget.start(runs), Plain(head))
    spent = np.array([int(h * 2.0**80) for h in head], dtype=object)
    denied = 0
    for _ in range(rounds):
        small = rng.random(runs) < 0.1
        cost = np.round(rng.uniform(0, np.where(small, 2e-18, 2 * share)) * 2.0**80) * 2.0**-80
        fits = budget.fits(state, Plain(cost))
        after = spent + np.array([int(c * 2.0**80) for c in cost], dtype=object)
        assert all(a <= limit for a in after[fits])
        assert all(a > limit - slack for a in after[~fits])
        denied += int((~fits).sum())
        state = budget.add(state, Plain(np.where(fits, cost, 0.0)))
        spent = np.where(fits, after, spent)
    assert denied > 0


@settings(deadline=None, max_examples=6)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-18, 1e-5, 1e-3]))
def test_long_sequences_follow_the_integers(seed: int, share: float) -> None:
    long_play(seed, runs=100, rounds=800, share=share, first=1.0 - 100 * share)


@pytest.mark.slow
@settings(deadline=None, max_examples=2)
@given(st.integers(0, 2**32 - 1))
def test_a_hundred_thousand_rounds_follow_the_integers(seed: int) -> None:
    long_play(seed, runs=20, rounds=100_000, share=1.2e-5, first=0.0)


def test_runs_do_not_see_each_other() -> None:
    rng = np.random.default_rng(5)
    n = 2 * _TILE + 5_000
    mu = rng.uniform(0, 0.4, (6, n))
    budget = Budget.square_of(1.0)
    state = budget.start(n)
    answers = []
    for row in mu:
        answers.append(budget.fits(state, Square(row)))
        state = budget.add(state, Square(np.where(answers[-1], row, 0.0)))
    for run in (0, _TILE - 1, _TILE, n - 1):
        alone = budget.start(1)
        for row, fits in zip(mu, answers, strict=True):
            assert budget.fits(alone, Square(row[run : run + 1]))[0] == fits[run]
            alone = budget.add(alone, Square(float(row[run]) if fits[run] else 0.0))
        assert (alone[0][0], alone[1][0]) == (state[0][run], state[1][run])


def test_sixteen_bytes_a_run() -> None:
    state = Budget.of(1.0).start(1000)
    state = Budget.of(1.0).add(state, Plain(np.full(1000, 0.1)))
    assert sum(part.nbytes for part in state) == 16 * 1000
    assert all(part.flags.c_contiguous for part in state)


def test_adding_leaves_the_old_state_alone() -> None:
    budget = Budget.of(1.0)
    state = budget.add(budget.start(2), Plain(0.1))
    kept = tuple(part.copy() for part in state)
    budget.add(state, Plain(0.3))
    budget.fits(state, Plain(0.3))
    assert all(np.array_equal(a, b) for a, b in zip(state, kept, strict=True))


@given(st.floats(1e-6, 1e6), st.lists(st.floats(0, 1e-2), max_size=20))
@settings(deadline=None, max_examples=100)
def test_room_is_never_more_than_is_left(value: float, shares: list[float]) -> None:
    budget = Budget.of(value)
    state, spent = budget.start(1), Fraction(0)
    for share in shares:
        state, spent = budget.add(state, Plain(share * value)), spent + Fraction(share * value)
    room = Fraction(float(budget.room(state)[0])) * Fraction(4) ** budget.exponent
    left = Fraction(value) - spent
    assert left * (1 - Fraction(2) ** -49) <= room <= left


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.lists(
            st.one_of(st.sampled_from([0.0, 2.0**-600, 0.125, 0.1, 0.3]), st.floats(0, 0.5)),
            min_size=3,
            max_size=3,
        ),
        max_size=12,
    ),
    st.sampled_from([1.0, 0.5, 1.25]),
)
def test_a_step_is_fits_and_add_whatever_the_other_runs_ask(rounds: list[list[float]], scale: float) -> None:
    budget = Budget.square_of(0.7)
    state, alone = budget.start(3), [budget.start(1) for _ in range(3)]
    for roots in rounds:
        x = np.array(roots)
        fits, after = budget.step(state, Square(x, scale))
        assert (fits == budget.fits(state, Square(x, scale))).all()
        x[~fits] = 0.0
        state = budget.add(state, Square(x, scale))
        for run in range(3):
            alone[run] = budget.add(alone[run], Square(float(x[run]), scale))
            assert (alone[run][0][0], alone[run][1][0]) == (state[0][run], state[1][run])
            if fits[run]:
                assert (after[0][run], after[1][run]) == (state[0][run], state[1][run])
