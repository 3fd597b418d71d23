"""The epsilon of k Gaussian steps at the parameters of papers 000 and 003, certified to the digits shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from theory.claims.kernel_theorem import beside
from theory.claims.theorem import Check, Step, Theorem
from theory.proofs.engines import certified, certified_each

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


def _gaussian_delta(sigma: int, k: int | str, epsilon: str) -> str:
    """delta_mu(epsilon) at mu = sqrt(k) / sigma, in the Mills form."""
    mu = f"(sqrt({k})/{sigma})"
    t = f"({epsilon}/{mu} - {mu}/2)"
    return f"(exp(-{t}**2/2)/sqrt(2*pi)*(mills({t}) - mills({t}+{mu})))"


def _best_order(rho: float, epsilon: float) -> float:
    """The t at which rho is the budget whose best order by CKS is 1 + t."""
    low, high = 1e-3, 1e4
    for _ in range(200):
        t = (low * high) ** 0.5
        low, high = (low, t) if (2 * t + 1) * rho > epsilon + math.log1p(1 / t) else (t, high)
    return low


def _half(millionths: int, sign: int, shift: int) -> str:
    """The upper (sign 1) or lower (sign -1) end of the rounding interval, moved by `shift` millionths."""
    return f"({Fraction(2 * (millionths + shift) + sign, 2 * 10**6)})"


def _simple_above(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    rho = _rho(sigma, k)
    return certified(f"{_half(millionths, 1, shift)} - ({rho} + 2*sqrt(-{rho}*{_LOG_DELTA}))", precision=128)


def _simple_below(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    rho = _rho(sigma, k)
    return certified(f"{rho} + 2*sqrt(-{rho}*{_LOG_DELTA}) - {_half(millionths, -1, shift)}", precision=128)


def _cks_side(sigma: int, k: int, end: str, side: int) -> Check:
    """Near the best order of k steps: theirs is below the budget and its delta below 1e-5 (side 1), or both above."""
    near = Fraction(_best_order(k / (2 * sigma**2), float(Fraction(end[1:-1]))))
    t = f"({(near * Fraction(10**9 - side, 10**9)).limit_denominator(10**12)})"
    budget = f"({end} + log(1 + 1/{t}))/(2*{t} + 1)"
    sign = "" if side > 0 else "-"
    both = (f"{sign}({budget} - {_rho(sigma, k)})", f"{sign}({_LOG_DELTA} + {t}**2*{budget} + log(1 + {t}))")
    return certified_each(lambda: both)


def _cks_above(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    return _cks_side(sigma, k, _half(millionths, 1, shift), 1)


def _cks_below(sigma: int, k: int, millionths: int, shift: int = 0) -> Check:
    return _cks_side(sigma, k, _half(millionths, -1, shift), -1)


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
        *two_sided("the exact Gaussian curve", exact, _exact_above, _exact_below),
    )


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
        *beside("cks_fits_up_to"),
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
