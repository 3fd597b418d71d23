"""Epsilon of k Gaussian steps, certified to the shown digits, as in Feldman & Zrnic and Koskela et al."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from filterproof.theory.proofs.ball_engine import (
    certified_all_positive_check,
    certified_positive_check,
    rounding_check_and_control,
)
from filterproof.theory.theorems.theorem import Check, ProofStep, Theorem, supporting_steps

#: (sigma, k): epsilon at delta = 1e-5 in millionths, by the simple conversion, by CKS, and exactly.
PRINTED = {
    (170, 112): (300660, 224940, 203269),
    (130, 180): (500548, 388259, 352572),
    (100, 420): (1004405, 815623, 745138),
}

_LOG_DELTA = "(-5*log(10))"


def _rho_formula(sigma: int, k: int | Fraction) -> str:
    return f"({Fraction(k) / (2 * sigma**2)})"


def _gaussian_delta_formula(sigma: int, k: int, epsilon: str) -> str:
    """Return delta_mu(epsilon) at mu = sqrt(k) / sigma, in the Mills form."""
    mu = f"(sqrt({k})/{sigma})"
    t = f"({epsilon}/{mu} - {mu}/2)"
    return f"(exp(-{t}**2/2)/sqrt(2*pi)*(mills({t}) - mills({t}+{mu})))"


def _best_cks_order_minus_one(rho: float, epsilon: float) -> float:
    """Return the t for which the budget with best CKS order 1 + t is rho."""
    low, high = 1e-3, 1e4
    for _ in range(200):
        t = (low * high) ** 0.5
        low, high = (low, t) if (2 * t + 1) * rho > epsilon + math.log1p(1 / t) else (t, high)
    return low


def _rounding_interval_end(millionths: int, sign: int) -> str:
    """Return the upper (sign 1) or lower (sign -1) end of the rounding interval."""
    return f"({Fraction(2 * millionths + sign, 2 * 10**6)})"


def _simple_epsilon_formula(sigma: int, k: Fraction) -> str:
    rho = _rho_formula(sigma, k)
    return f"{rho} + 2*sqrt(-{rho}*{_LOG_DELTA})"


# formulas that are > 0 if a curve's epsilon is below `end` (side 1), or above it (side -1)


def _cks_conversion_check(sigma: int, k: int, end: str, side: int) -> tuple[str, ...]:
    """Return a check that epsilon of k steps by CKS is below `end` (side 1) or above it (side -1)."""
    near = Fraction(_best_cks_order_minus_one(k / (2 * sigma**2), float(Fraction(end[1:-1]))))
    t = f"({(near * Fraction(10**9 - side, 10**9)).limit_denominator(10**12)})"
    budget = f"({end} + log(1 + 1/{t}))/(2*{t} + 1)"
    return (
        f"{side}*({budget} - {_rho_formula(sigma, k)})",
        f"{side}*({_LOG_DELTA} + {t}**2*{budget} + log(1 + {t}))",
    )


def _gaussian_delta_check(sigma: int, k: int, end: str, side: int) -> tuple[str, ...]:
    return (f"{side}*(1/10**5 - {_gaussian_delta_formula(sigma, k, end)})",)


def _rounds(
    curve: Callable[[int, int, str, int], tuple[str, ...]], sigma: int, k: int, millionths: int
) -> Check:
    """Return a check that the curve's epsilon is in the rounding interval."""
    sides = [
        formula
        for side in (1, -1)
        for formula in curve(sigma, k, _rounding_interval_end(millionths, side), side)
    ]
    return certified_all_positive_check(lambda: sides)


def _printed_epsilon_steps() -> Iterator[ProofStep]:
    for (sigma, k), (simple, cks, exact) in PRINTED.items():
        where = f"sigma = {sigma}, k = {k}: epsilon by"
        yield ProofStep(
            f"{where} the simple conversion is {simple / 10**6:.6f}.",
            *rounding_check_and_control(_simple_epsilon_formula(sigma, Fraction(k)), simple, 6),
        )
        for name, curve, value in (
            ("CKS", _cks_conversion_check, cks),
            ("the exact Gaussian curve", _gaussian_delta_check, exact),
        ):
            yield ProofStep(
                f"{where} {name} is {value / 10**6:.6f}.",
                _rounds(curve, sigma, k, value),
                {f"{unit:+d} in the last digit": _rounds(curve, sigma, k, value + unit) for unit in (1, -1)},
            )


#: sigma: the number of steps that eight reports of the training accuracy cost less than, and the inverse resolution.
_REPORTS = {170: (1, 100), 130: (1, 100), 100: (23, 1000)}
#: Pictures of MNIST for training, each in one count.
_PEOPLE = 60000


def _cost_of_reports_in_steps(sigma: int, inverse: int) -> Fraction:
    """Return how many steps of noise sigma cost as much as eight counts of deviation 1/inverse."""
    return 8 * sigma**2 / Fraction(_PEOPLE, inverse) ** 2


def _accuracy_report_steps() -> Iterator[ProofStep]:
    for (sigma, k), (steps, inverse) in zip(PRINTED, _REPORTS.values(), strict=True):
        cost, twice = _cost_of_reports_in_steps(sigma, inverse), _cost_of_reports_in_steps(sigma, 2 * inverse)
        some = "one step" if steps == 1 else f"{steps} steps"
        yield ProofStep(
            f"Eight reports of the accuracy with standard deviation {100 / inverse:g} % cost less than {some} at "
            f"sigma = {sigma}.",
            certified_positive_check(f"{steps} - {cost}"),
            {"half the standard deviation": certified_positive_check(f"{steps} - {twice}")},
            rf"8\left(\tfrac{{{inverse}}}{{{_PEOPLE}}}\right)^2 < \tfrac{{{steps}}}{{{sigma}^2}}",
        )
        if steps == 1:
            share = f"({_simple_epsilon_formula(sigma, k + cost)})/({_simple_epsilon_formula(sigma, Fraction(k))}) - 1"
            yield ProofStep(
                f"And less than 0.3 % of epsilon after k = {k} steps, by the simple conversion.",
                certified_positive_check(f"3/1000 - ({share})", precision=128),
                {"less than 0.05 %": certified_positive_check(f"5/10000 - ({share})", precision=128)},
            )


_LEVEL = PRINTED[100, 420][1]

THEOREM = Theorem(
    name="papers' steps",
    title="420 steps by CKS cost what 495 cost by GDP",
    source="Koskela et al., Section 4.1; Feldman & Zrnic, Section 5 and Appendix A",
    hypotheses="k Gaussian steps of unit sensitivity and noise sigma at delta = 1e-5; (sigma, k) in "
    "{(170, 112), (130, 180), (100, 420)}",
    claim="The epsilons are those printed, to six digits; eight reports of the accuracy on 60000 people cost less than "
    "1, 1 and 23 steps; and at the CKS epsilon of 420 steps with sigma = 100 the exact curve allows 495 steps, not 496",
    # these prove the three curves, and that the Gaussian one falls in epsilon and rises in mu
    uses=("B*", "CKS", "Gaussian hockey-stick"),
    steps=(
        *supporting_steps("cks_fits_up_to"),
        *_printed_epsilon_steps(),
        *_accuracy_report_steps(),
        ProofStep(
            "At the lower end of the CKS epsilon of 420 steps 495 steps stay below delta, at the upper 496 pass it.",
            certified_all_positive_check(
                lambda: (
                    _gaussian_delta_check(100, 495, _rounding_interval_end(_LEVEL, -1), 1)
                    + _gaussian_delta_check(100, 496, _rounding_interval_end(_LEVEL, 1), -1)
                )
            ),
            {
                "496 steps": certified_all_positive_check(
                    lambda: _gaussian_delta_check(100, 496, _rounding_interval_end(_LEVEL, -1), 1)
                ),
                "495 steps": certified_all_positive_check(
                    lambda: _gaussian_delta_check(100, 495, _rounding_interval_end(_LEVEL, 1), -1)
                ),
            },
            r"\delta_{\sqrt{495}/100}(0.815623) < 10^{-5} < \delta_{\sqrt{496}/100}(0.815623)",
        ),
    ),
)
