"""The closed forms of theory at doubles: all of them fit, and the formulas they are held against are the right ones."""

from typing import Any

import pytest
from flint import arb, ctx
from mpmath import mp

from filterproof.filters.certified.conversion_references import cks_log_delta, cks_order_less_one
from filterproof.theory.conversions import CKS, CONVERSIONS, Conversion
from filterproof.theory.numerics.golden_section import lowest_at
from filterproof.theory.proofs import THEOREMS
from tests.filters.certified.groups import CLOSED_FORMS, SUMS


@pytest.mark.parametrize("group", [*CLOSED_FORMS, *SUMS])
def test_every_number_of_the_house_fits(group: str) -> None:
    checked = list({**CLOSED_FORMS, **SUMS}[group]())
    assert [one.says for one in checked if not one.fits] == []
    assert len(checked) >= 10
    assert {one.theorem for one in checked} <= set(THEOREMS)


def searched_delta(conversion: Conversion, rho: float, epsilon: float, digits: int) -> Any:
    """The conversion's infimum over the order by its definition, by golden-section search in mpmath."""

    def log_delta(x: Any) -> Any:
        t = mp.exp(x)
        markov = t * ((t + 1) * mp.mpf(rho) - mp.mpf(epsilon))
        return markov + (t * mp.log(t / (1 + t)) - mp.log1p(t) if conversion is CKS else 0)

    with mp.workdps(digits + 20):
        # to half of the working digits, because the objective is flat there
        at = lowest_at(log_delta, mp.mpf(-750), mp.mpf(750), steps=3 * mp.dps)
        return mp.exp(min(log_delta(at), mp.zero))


@pytest.mark.parametrize(("rho", "epsilon"), [(0.03, 1.0), (1e-8, 1e-3), (300.0, 400.0), (8.0, 0.0)])
def test_the_infimum_over_orders_is_that_of_a_search_in_mpmath(rho: float, epsilon: float) -> None:
    for conversion in CONVERSIONS:
        found = float(searched_delta(conversion, rho, epsilon, 30))
        assert conversion.delta(rho, epsilon) == pytest.approx(found, rel=1e-12)
    with ctx.workprec(128):
        delta = cks_log_delta(arb(rho), arb(epsilon)).exp()
        order = 1 + cks_order_less_one(arb(rho), arb(epsilon))
    expected = searched_delta(CKS, rho, epsilon, 40)
    assert abs(float(delta.mid()) / float(expected) - 1) < 1e-14
    assert float(delta.rad()) < 1e-20
    assert float(order.mid()) == pytest.approx(float(CKS.order(rho, epsilon)), rel=1e-12)
