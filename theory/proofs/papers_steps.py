"""The epsilon of k Gaussian steps at the parameters of papers 000 and 003, certified to the digits shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from theory.claims.theorem import Check, Step, Theorem
from theory.proofs.engines import certified
from theory.proofs.symbolic import signed

__all__ = ["PRINTED", "THEOREM"]

#: (sigma, k): epsilon at delta = 1e-5 in millionths, by the simple conversion, by CKS, and exactly.
PRINTED = {
    (170, 112): (300660, 224940, 203269),
    (130, 180): (500548, 388259, 352572),
    (100, 420): (1004405, 815623, 745138),
}

_LOG_DELTA = "(-5*log(10))"


def _rho(sigma: int, k: int) -> str:
    return f"({Fraction(k, 2 * sigma**2)})"


def _log_cks(rho: str, epsilon: str) -> str:
    """Log of the CKS bound at order 1 + t, minus log delta."""
    return f"(t*((1+t)*{rho} - {epsilon}) + t*log(t) - (1+t)*log(1+t) - {_LOG_DELTA})"


def _slope(rho: str, epsilon: str) -> str:
    return f"((2*t+1)*{rho} - {epsilon} + log(t) - log(1+t))"


def _gaussian_delta(sigma: int, k: int | str, epsilon: str) -> str:
    """delta_mu(epsilon) at mu = sqrt(k) / sigma, in the Mills form."""
    mu = f"(sqrt({k})/{sigma})"
    t = f"({epsilon}/{mu} - {mu}/2)"
    return f"(exp(-{t}**2/2)/sqrt(2*pi)*(mills({t}) - mills({t}+{mu})))"


def _orders_near(sigma: int, k: int, millionths: int) -> tuple[Fraction, Fraction]:
    """An interval of t around the root of the slope; later steps check the slope's sign at both ends."""
    rho, epsilon = k / (2 * sigma**2), millionths / 10**6
    low, high = 1e-3, 1e4
    for _ in range(200):
        t = (low * high) ** 0.5
        if (2 * t + 1) * rho - epsilon + math.log(t / (1 + t)) > 0:
            high = t
        else:
            low = t
    middle = Fraction(low).limit_denominator(10**6)
    return middle * Fraction(9999, 10000), middle * Fraction(10001, 10000)


def _half(millionths: int, sign: int, shift: int) -> str:
    """The upper (sign 1) or lower (sign -1) end of the rounding interval, moved by `shift` millionths."""
    return f"({Fraction(2 * (millionths + shift) + sign, 2 * 10**6)})"


def _simple_above(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    rho = _rho(sigma, k)
    return certified(f"{_half(millionths, 1, shift)} - ({rho} + 2*sqrt(-{rho}*{_LOG_DELTA}))", precision=128)


def _simple_below(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    rho = _rho(sigma, k)
    return certified(f"{rho} + 2*sqrt(-{rho}*{_LOG_DELTA}) - {_half(millionths, -1, shift)}", precision=128)


def _cks_above(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    # one order at which the bound is below delta suffices
    low, high = _orders_near(sigma, k, millionths)
    t = (low + high) / 2
    return certified("-" + _log_cks(_rho(sigma, k), _half(millionths, 1, shift)), precision=128, t=(t, t))


def _cks_below(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    orders = _orders_near(sigma, k, millionths)
    return certified(_log_cks(_rho(sigma, k), _half(millionths, -1, shift)), precision=128, t=orders)


def _cks_turns(sigma: int, k: int, millionths: int, *, end: int, sign: str) -> Check:
    # outside the interval the convex log-objective only rises
    t = _orders_near(sigma, k, millionths)[end]
    return certified(sign + _slope(_rho(sigma, k), _half(millionths, -1, 0)), precision=128, t=(t, t))


def _exact_above(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    return certified(f"1/10**5 - {_gaussian_delta(sigma, k, _half(millionths, 1, shift))}", precision=128)


def _exact_below(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    return certified(f"{_gaussian_delta(sigma, k, _half(millionths, -1, shift))} - 1/10**5", precision=128)


def _table_steps(sigma: int, k: int) -> tuple[Step, ...]:
    simple, cks, exact = PRINTED[sigma, k]
    unit = "one unit in the last digit"
    at = f"sigma = {sigma}, k = {k}"

    def two_sided(
        name: str, value: int, above: Callable[..., Check], below: Callable[..., Check]
    ) -> tuple[Step, ...]:
        printed = f"{value / 10**6:.6f}"
        return (
            Step(
                f"{at}: epsilon by {name} is below the upper end of {printed}'s rounding interval.",
                above(sigma, k, value),
                {unit: above(sigma, k, value, -1)},
            ),
            Step(
                f"{at}: epsilon by {name} is above the lower end of {printed}'s rounding interval.",
                below(sigma, k, value),
                {unit: below(sigma, k, value, +1)},
            ),
        )

    return (
        *two_sided("the simple conversion", simple, _simple_above, _simple_below),
        *two_sided("CKS", cks, _cks_above, _cks_below),
        Step(
            f"{at}: below the orders just checked the CKS log-objective falls.",
            _cks_turns(sigma, k, cks, end=0, sign="-"),
            {"it rises": _cks_turns(sigma, k, cks, end=0, sign="")},
        ),
        Step(
            f"{at}: above the orders just checked the CKS log-objective rises.",
            _cks_turns(sigma, k, cks, end=1, sign=""),
            {"it falls": _cks_turns(sigma, k, cks, end=1, sign="-")},
        ),
        *two_sided("the exact Gaussian curve", exact, _exact_above, _exact_below),
    )


_t, _r, _e = sp.symbols("t rho epsilon", positive=True)
_LOG_OBJECTIVE = _t * ((1 + _t) * _r - _e) + _t * sp.log(_t) - (1 + _t) * sp.log(1 + _t)
_CURVATURE = (2 * _r, 1 / (_t * (1 + _t)))
_LEVEL = PRINTED[100, 420][1]

THEOREM = Theorem(
    name="papers' steps",
    title="420 steps by CKS cost what 495 cost by GDP",
    source="Koskela et al., Section 4.1; Feldman & Zrnic, Section 5",
    hypotheses="k Gaussian steps of unit sensitivity and noise sigma at delta = 1e-5; (sigma, k) in "
    "{(170, 112), (130, 180), (100, 420)}",
    claim="The epsilons are those printed, to six digits, and at the CKS epsilon of 420 steps with "
    "sigma = 100 the exact curve allows 495 steps and not 496",
    # these prove the three curves, and that the Gaussian one falls in epsilon and rises in mu
    uses=("B*", "CKS", "Gaussian hockey-stick"),
    steps=(
        Step(
            "The CKS log-objective is strictly convex in t = alpha - 1.",
            *signed(
                lambda: sp.diff(_LOG_OBJECTIVE, _t, 2), lambda: _CURVATURE, strict=True, wrong="wrong sign"
            ),
            r"\frac{d^2}{dt^2} = 2\rho + \frac{1}{t(1+t)} > 0",
        ),
        *(step for sigma, k in PRINTED for step in _table_steps(sigma, k)),
        Step(
            "At the lower end of the CKS epsilon of 420 steps, 495 steps stay below delta.",
            certified(f"1/10**5 - {_gaussian_delta(100, 495, _half(_LEVEL, -1, 0))}", precision=128),
            {
                "496 steps": certified(
                    f"1/10**5 - {_gaussian_delta(100, 496, _half(_LEVEL, -1, 0))}", precision=128
                )
            },
            r"\delta_{\sqrt{495}/100}(0.815623) < 10^{-5}",
        ),
        Step(
            "At the upper end of it, 496 steps pass delta.",
            certified(f"{_gaussian_delta(100, 496, _half(_LEVEL, 1, 0))} - 1/10**5", precision=128),
            {
                "495 steps": certified(
                    f"{_gaussian_delta(100, 495, _half(_LEVEL, 1, 0))} - 1/10**5", precision=128
                )
            },
            r"\delta_{\sqrt{496}/100}(0.815623) > 10^{-5}",
        ),
    ),
)
