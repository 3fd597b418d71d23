"""The closed forms of theory at doubles: all of them fit, and the formulas they are held against are the right ones."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from filters.certified.conversion_truths import cks_log_delta, cks_order_less_one, entropy_delta
from filters.certified.running_number import Claims, Found
from tests.filters.certified.closed_form import called
from tests.filters.certified.groups import CLOSED_FORMS, SUMS
from tests.theory import reference
from theory import CKS
from theory.conversions import CONVERSIONS
from theory.pairs import Gaussian
from theory.pairs.normal_law import hockey_stick
from theory.proofs import THEOREMS


@pytest.mark.parametrize("group", [*CLOSED_FORMS, *SUMS])
def test_every_number_of_the_house_fits(group: str) -> None:
    checked = [number.checked() for number in {**CLOSED_FORMS, **SUMS}[group]()]
    assert [one.number.says for one in checked if not one.fits] == []
    assert len(checked) >= 10
    assert {one.number.theorem for one in checked} <= set(THEOREMS)


def test_a_part_in_a_trillion_is_told_apart() -> None:
    truth = lambda: hockey_stick(arb(1), arb(1))  # noqa: E731
    value = float(Gaussian(1.0).hockey_stick(1.0))
    assert (
        Claims("Gaussian hockey-stick").near("itself", value, truth, slack=1e-12).checked().found
        is Found.FITS
    )
    off = Claims("Gaussian hockey-stick").near("more", value * (1 + 2e-12), truth, slack=1e-12)
    assert off.checked().found is Found.OFF


def test_a_function_that_gives_other_bits_for_arrays_is_held_at_both() -> None:
    def other(x: object) -> object:
        return x if isinstance(x, float) else x + 1  # type: ignore[operator]

    assert list(called(other, [(1.0,), (2.0,)])) == [
        ((1.0,), 1.0),
        ((1.0,), 2.0),
        ((2.0,), 2.0),
        ((2.0,), 3.0),
    ]


@pytest.mark.parametrize(("rho", "epsilon"), [(0.03, 1.0), (1e-8, 1e-3), (300.0, 400.0), (8.0, 0.0)])
def test_the_infimum_over_orders_is_that_of_a_search_in_mpmath(rho: float, epsilon: float) -> None:
    for conversion in CONVERSIONS:
        found = float(reference.conversion_delta(conversion, rho, epsilon, 30))
        assert conversion.delta(rho, epsilon) == pytest.approx(found, rel=1e-12)
    with ctx.workprec(128):
        delta = cks_log_delta(arb(rho), arb(epsilon)).exp()
        order = 1 + cks_order_less_one(arb(rho), arb(epsilon))
    expected = reference.conversion_delta(CKS, rho, epsilon, 40)
    assert abs(float(delta.mid()) / float(expected) - 1) < 1e-14
    assert float(delta.rad()) < 1e-20
    assert float(order.mid()) == pytest.approx(float(CKS.order(rho, epsilon)), rel=1e-12)


def test_the_best_coins_lie_between_a_coin_and_a_dual_bound_that_meet() -> None:
    with ctx.workprec(64):
        ball = entropy_delta(0.5, 0.0)
    assert float(ball.rad()) < 1e-17
    p, q = Fraction(float(ball.mid())), Fraction(1, 2)  # p - q at most sqrt(rho/2), Pinsker
    assert p < q
    assert math.sqrt(0.5 / 2) - 0.02 < p
