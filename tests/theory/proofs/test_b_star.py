"""B* as it is defined, against a route that shares no code: dense orders, in mpmath at forty digits."""

from fractions import Fraction

import mpmath as mp
import pytest
from flint import arb, ctx, fmpq

import filterproof.theory.thresholds.b_star as b_star_module
from filterproof.theory.proofs.threshold import threshold
from filterproof.theory.thresholds.b_star import (
    BStar,
    b_star,
    binary_pair_rho_upper_bound,
    rho_lower_bound_from_slopes,
)

#: (epsilon, delta) and the case.
POINTS = {
    ("1", "1e-5"): "one order",
    ("0.3", "1e-5"): "one order",
    ("10", "1e-5"): "one order",
    ("1", "0.01"): "one order",
    ("5", "0.5"): "one order",
    ("20", "1e-10"): "one order",
    ("0.01", "1e-20"): "one order",
    ("0.1", "0.3"): "order 1",
    ("3", "0.869"): "order 1",
    ("50", "0.99"): "order 1",  # 1 - x is 2e-20
    ("0.5", "0.9"): "randomised response",
    ("0", "0.001"): "randomised response",
}


def _enclosed(epsilon: str, delta: str) -> BStar:
    eps, goal = Fraction(epsilon), Fraction(delta)
    with ctx.workprec(128):
        return b_star(fmpq(eps.numerator, eps.denominator), fmpq(goal.numerator, goal.denominator))


def _mpf(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def _real(x: arb) -> mp.mpf:
    return mp.mpf(x.str(60, radius=False))


def _over_order(a: mp.mpf, x: mp.mpf, y: mp.mpf) -> mp.mpf:
    """D_a / a of two outcomes by its definition, a sum over both."""
    if a == 1:
        return x * mp.log(x / y) + (1 - x) * mp.log((1 - x) / (1 - y))
    return mp.log(x**a / y ** (a - 1) + (1 - x) ** a / (1 - y) ** (a - 1)) / (a * (a - 1))


@pytest.mark.parametrize(("at", "case"), POINTS.items(), ids=str)
def test_both_ends_meet_and_dense_orders_agree(at: tuple[str, str], case: str) -> None:
    bounds = _enclosed(*at)
    assert bounds.case == case
    with mp.workdps(40):
        low, high = _real(bounds.low), _real(bounds.high)
        assert 0 < low <= high < low * (1 + mp.mpf(10) ** -30)
        assert at[0] == "0" or _mpf(threshold("CKS", *at, digits=20).high) < low
        x, y, epsilon, delta = _mpf(bounds.p), _mpf(bounds.q), mp.mpf(at[0]), mp.mpf(at[1])
        past = (x - mp.exp(epsilon) * y) / delta - 1
        assert 0 < past < mp.mpf(10) ** -30 or abs(past) < mp.mpf(10) ** -35
        # from above: no order of a grid, refined at the order that is said to bind, passes the upper end
        orders = [1 + mp.mpf(10) ** (mp.mpf(k) / 20) for k in range(-120, 100)]
        both = [(p, q) for p, q in ((x, y), (y, x))]
        reached = max(_over_order(a, p, q) for p, q in both for a in [*orders, _mpf(bounds.order)])
        assert high * (1 - mp.mpf(10) ** -20) < reached <= high * (1 + mp.mpf(10) ** -30)
        # from below: other masses with the same delta have a larger supremum over the same orders
        for share in ("0.5", "0.9", "0.999", "1.001", "1.1", "2"):
            other = y * mp.mpf(share)
            mass = delta + mp.exp(epsilon) * other
            if mass < 1:
                binding = [mp.mpf(1), _mpf(bounds.order)]
                worst = max(_over_order(a, *pq) for a in binding for pq in ((mass, other), (other, mass)))
                assert worst > low


def test_without_the_second_slope_it_is_the_conversion_of_canonne_kamath_and_steinke() -> None:
    delta, order = fmpq(1, 100), Fraction(6187, 1000)
    slope = Fraction(order / (order - 1)) * Fraction(271828182845, 10**11)
    with ctx.workprec(128):
        near = rho_lower_bound_from_slopes(fmpq(1), delta, order, (slope, Fraction(1, 10**30)))
    cks = threshold("CKS", "1", "0.01")
    assert float(near) == pytest.approx(float(cks), rel=1e-6)
    assert float(near) < float(cks)


def test_a_wrong_certificate_is_refused() -> None:
    bounds = _enclosed("1", "1e-5")
    c, other = bounds.slopes
    with ctx.workprec(128), pytest.raises(ArithmeticError, match="slopes must touch one line"):
        rho_lower_bound_from_slopes(fmpq(1), fmpq(1, 100_000), bounds.order, (2 * c, other))
    # the upper end is refused one part in 10^25 below the supremum, and at an order that is not guessed
    x, y = (fmpq(v.numerator, v.denominator) for v in (bounds.p, bounds.q))
    a = fmpq(bounds.order.numerator, bounds.order.denominator)
    with ctx.workprec(400):
        assert b_star_module._certifies_rho_bound(bounds.high * (1 + arb(10) ** -20), x, y, a)
        assert not b_star_module._certifies_rho_bound(bounds.high * (1 - arb(10) ** -20), x, y, a)
    with ctx.workprec(128):
        assert binary_pair_rho_upper_bound(x, y, bounds.high, a + 1) >= bounds.low


def test_an_epsilon_that_no_precision_reaches_is_refused_in_a_sentence() -> None:
    with pytest.raises(ArithmeticError, match="4096 bits give no digit of B\\* at epsilon='1e400'"):
        threshold("B*", "1e400", "1e-5")
