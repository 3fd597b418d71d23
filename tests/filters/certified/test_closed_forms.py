"""The closed forms of theory at doubles: all of them fit, and the formulas they are held against are the right ones."""

import pytest
from flint import arb, ctx

from filterproof.filters.certified.conversion_references import cks_log_delta, cks_order_less_one
from filterproof.theory import CKS
from filterproof.theory.conversions import CONVERSIONS
from filterproof.theory.proofs import THEOREMS
from tests.filters.certified.groups import CLOSED_FORMS, SUMS
from tests.theory import reference


@pytest.mark.parametrize("group", [*CLOSED_FORMS, *SUMS])
def test_every_number_of_the_house_fits(group: str) -> None:
    checked = [number.checked() for number in {**CLOSED_FORMS, **SUMS}[group]()]
    assert [one.number.says for one in checked if not one.fits] == []
    assert len(checked) >= 10
    assert {one.number.theorem for one in checked} <= set(THEOREMS)


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
