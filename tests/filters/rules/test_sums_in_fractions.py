"""Filters of sums beside a ledger of fractions: they never grant what it denies, and deny hardly more."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp
from filterproof.theory.conversions import BUN_STEINKE

#: What a mechanism adds to each sum, from its epsilon (or mu) and its delta.
Charges = Callable[[Fraction, Fraction], Sequence[Fraction]]
DELTA = 2.0**-12


def square(x: Fraction, delta: Fraction) -> Sequence[Fraction]:
    return (x * x,)


def half_square(x: Fraction, delta: Fraction) -> Sequence[Fraction]:
    return (x * x / 2,)


def with_delta(of: Callable[[Fraction], Fraction]) -> Charges:
    return lambda x, delta: (of(x), delta)


def kov(x: float, d: float) -> fp.DominatingPair:
    return fp.KOV(x, d)


def erasure(x: float, d: float) -> fp.DominatingPair:
    return fp.Erasure(d)


GAUSSIANS = (lambda x, d: fp.Gaussian(x),)
PURE = (lambda x, d: fp.RandomizedResponse(x),)
APPROXIMATE = (*PURE, kov, erasure)
_WHITEHOUSE = fp.WhitehouseFilter(1.0, 2.0**-9, tail=2.0**-10, weight=1.5)
_APPROXIMATE_DP = fp.ApproximateDPFilter(1.0, 1e-5)

#: A filter, its mechanisms, what they are charged, and the budget of each sum.
LEDGERS = (
    (fp.ZCDPFilter(0.3), (*GAUSSIANS, *PURE), half_square, (0.3,)),
    (_APPROXIMATE_DP, (*GAUSSIANS, *PURE), half_square, (_APPROXIMATE_DP.threshold,)),
    (fp.GaussianFilter(0.7), GAUSSIANS, square, (Fraction(0.7) ** 2,)),
    (fp.RenyiFilter(3.0, 0.7), GAUSSIANS, lambda x, d: (3 * x * x / 2,), (0.7,)),
    (fp.AllOrdersFilter((2.0, 8.0), (0.3, 1.1)), GAUSSIANS, lambda x, d: (x * x, 4 * x * x), (0.3, 1.1)),
    (fp.BasicFilter(1.1), PURE, with_delta(lambda x: x), (1.1, 0)),
    (fp.BasicFilter(1.1, 2.0**-10), APPROXIMATE, with_delta(lambda x: x), (1.1, 2.0**-10)),
    (fp.ApproximateZCDPFilter(0.3, 2.0**-10), APPROXIMATE, with_delta(lambda x: x * x / 2), (0.3, 2.0**-10)),
    (
        *(_WHITEHOUSE, APPROXIMATE, with_delta(lambda x: x * x)),
        (2 * float(BUN_STEINKE.budget(1.0, 2.0**-10)), Fraction(2, 3) * Fraction(2.0**-10)),
    ),
)


@pytest.mark.parametrize(
    ("filt", "mechanisms", "charges", "budgets"), LEDGERS, ids=[repr(one[0]) for one in LEDGERS]
)
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.floats(1e-9, 0.8), st.floats(0, 1)), max_size=14))
def test_decisions_are_those_of_a_ledger_in_fractions(
    filt: fp.PrivacyFilter,
    mechanisms: Sequence[Callable[[float, float], fp.DominatingPair]],
    charges: Charges,
    budgets: Sequence[float],
    asked: list[tuple[int, float, float]],
) -> None:
    session, spent = filt.open("retry"), [Fraction(0)] * len(budgets)

    def after(kind: int, size: float, delta: float) -> list[Fraction]:
        """The sums with one request more."""
        make = mechanisms[kind]
        x = 0.0 if make is erasure else size
        d = delta if make in (kov, erasure) else 0.0
        return [one + more for one, more in zip(spent, charges(Fraction(x), Fraction(d)), strict=True)]

    def ask(kind: int, size: float, delta: float) -> None:
        """Ask session and fractions, and take what is granted."""
        sums = after(kind, size, delta)
        granted = session.request(mechanisms[kind](size, delta))
        fits = [one <= Fraction(most) for one, most in zip(sums, budgets, strict=True)]
        assert all(fits) or not granted
        # four units in the last place, and what is lifted because its square would underflow
        near = [Fraction(most) * (1 - Fraction(1, 2**50)) - Fraction(1, 2**900) for most in budgets]
        clear = [one <= most or not one for one, most in zip(sums, near, strict=True)]
        assert granted or not all(clear)
        if granted:
            spent[:] = sums

    for kind, size, share in asked:
        ask(kind % len(mechanisms), size, share * DELTA)
    low, high = 1e-9, 4.0
    for _ in range(60):  # what just fits
        middle = (low + high) / 2
        fits = all(one <= Fraction(most) for one, most in zip(after(0, middle, 0.0), budgets, strict=True))
        low, high = (middle, high) if fits else (low, middle)
    for size in (high * (1 + 1e-10), math.nextafter(high, 9.0), low * (1 - 1e-10), 1e-6 * low):
        ask(0, size, 0.0)


def test_what_is_not_pure_is_declared_at_an_epsilon_or_denied() -> None:
    assert not fp.BasicFilter(1.0, 0.1).open().request(fp.Gaussian(0.1))
    filt = fp.BasicFilter(1.0, 0.1, at=0.25)
    delta = float(fp.Gaussian(0.3).hockey_stick(0.25))
    state = filt.spend(filt.start(1), fp.Gaussian(0.3))
    assert state[0].tolist() == [0.25]
    assert fp.Budget.of(0.1).value(state[2:])[0] == pytest.approx(delta)


def test_rogers_grants_while_k_of_what_was_released_is_within_epsilon_and_has_the_rest_left() -> None:
    filt, e, tail = fp.RogersFilter(2.0, 1e-3), 0.125, math.log(2 / 1e-3)

    def k(times: int) -> float:
        squares, h = times * e * e, filt.mixture_scale
        spread = 2 * (squares + h) * (1 + math.log(squares / h + 1) / 2) * tail
        return times * e * (math.exp(e) - 1) / 2 + math.sqrt(spread)

    session = filt.open("retry")
    granted = [session.request(fp.RandomizedResponse(e)) for _ in range(60)]
    times = sum(granted)
    assert granted == [True] * times + [False] * (60 - times)
    assert k(times) <= 2 < k(times + 1)
    assert session.remaining() == pytest.approx(2 - k(times), rel=1e-9)
