"""The theorems that turn a bound on a sum of charges into a guarantee: what a proof about source code has to bound.

>>> from filterproof.theory.guarantees import ZCDP
>>> (theorem,), *_ = theorems_for_guarantee(ZCDP(0.5), ())
>>> str(theorem), theorem.kernel, theorem.evidence.name
('sum of rho <= 0.5', 'kept_zcdp', 'EXACT')
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from scipy.optimize import minimize_scalar

from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.certified.admission_conditions import verify_implication
from filterproof.filters.certified.double_double import exact_limit
from filterproof.filters.rules.guarantee_budget import promised_budget
from filterproof.mc.prove.monotone_functions import NUMPY
from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.polynomials import number_text
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.rounding import next_below
from filterproof.theory.theorems.theorem import RefusedError

#: How much larger a divergence may be than the double that a pair computes.
COMPUTED = 1 + Fraction(1, 10**12)


@dataclass(frozen=True)
class SumTheorem:
    """If the charges sum to at most `budget` on every path, the transcript keeps the guarantee.

    Parameters
    ----------
    measure : str
        "pure", "zcdp", "gdp" (mu^2), "renyi" (at `alpha`), "epsilon", "delta", "hazard" (-log(1 - delta)), "kept" and
        "lost" (the divergence at `alpha`, but for what is lost), or "loss" (the realised loss, whose size is bounded).
    budget : Fraction
        The largest sum, exact.
    kernel : str
        The kernel's statement about every filter that keeps such a sum.
    evidence : Evidence
        EXACT if fractions show that the budget gives the guarantee, CERTIFIED if balls do.
    alpha : Fraction, optional
        The order of a Rényi divergence.
    """

    measure: str
    budget: Fraction
    kernel: str
    evidence: Evidence = Evidence.EXACT
    alpha: Fraction | None = None
    #: The epsilon of the guarantee that "kept" and "lost" give together.
    epsilon: float = 0.0
    #: The kernel's statement that leads on from the guarantee of the sum, where it is not yet the promise.
    then: str = ""

    @property
    def bounded_signs(self) -> tuple[int, ...]:
        """The signs with which the sum is bounded: (1, -1) for a loss, which is bounded on both sides."""
        return (1, -1) if self.measure == "loss" else (1,)

    @property
    def charge(self) -> str:
        """The summand, in words."""
        names = {
            "pure": "epsilon",
            "zcdp": "rho",
            "gdp": "mu^2",
            "loss": "the realised loss",
            "lost": "lost mass",
            "hazard": "-log(1 - delta)",
        }
        return names.get(self.measure, self.measure) if self.alpha is None else f"D_{float(self.alpha):g}"

    @property
    def sum(self) -> str:
        """The sum that is bounded, in words."""
        return "size of the realised loss" if self.measure == "loss" else f"sum of {self.charge}"

    def __str__(self) -> str:
        return f"{self.sum} <= {number_text(self.budget)}"


def declared_within(measure: str) -> Fraction:
    """By what factor a charge may pass what a pair declares: divergences are not rounded up."""
    return COMPUTED if measure in ("renyi", "delta", "kept") else Fraction(1)


def theorems_for_guarantee(
    promise: Guarantee,
    orders: Iterable[Fraction],
    constants: Iterable[Fraction] = (),
    read: Collection[str] = (),
) -> list[tuple[SumTheorem, ...]]:
    """Return the sum theorems that give a guarantee; where several sums are needed, one tuple of them.

    The constants of the code are the parts of epsilon and delta that are tried where several theorems share them, and
    what it reads of requests says which sums it may keep.

    Raises NotTraced for a guarantee that has none.
    """
    rules = _charge_rules_for_guarantee(promise, orders)
    groups: list[tuple[SumTheorem, ...]] = [
        (theorem,) for rule in rules if (theorem := _theorem_with_largest_budget(rule, promise))
    ]
    match promise:
        case PureDP(epsilon):
            groups.append((SumTheorem("loss", Fraction(epsilon), "kept_losses"),))
        case ApproxDP(epsilon):
            sums = (("epsilon", epsilon), ("delta", promise.delta_at_epsilon))
            groups.append(
                tuple(SumTheorem(name, Fraction(most), "kept_epsilon_delta") for name, most in sums)
            )
            groups += _theorems_that_split_budget(promise, sorted(constants))
            groups += _theorem_on_failures(promise, read)
    if not groups:
        raise NotTraced(f"no theorem of the prover speaks of {promise}")
    return groups


def conversion_statements(theorem: SumTheorem, read: Iterable[str]) -> set[str]:
    """Return the kernel's statements that bound the theorem's charge by other numbers that the code reads."""
    if theorem.measure not in ("zcdp", "renyi", "kept"):
        return {theorem.then} - {""}
    bounds = {"gdp_mu": "gdp_is_zcdp", "Gaussian.mu": "gdp_is_zcdp"}
    bounds |= dict.fromkeys(("pure_epsilon", "RandomizedResponse.epsilon", "Laplace.b"), "pure_is_zcdp_any")
    if theorem.measure == "kept":
        bounds |= {"KOV.delta": "private_is_mixture", "Erasure.p": "private_is_mixture"}
    statements = {bounds[name] for name in read if name in bounds}
    return statements | (
        {"pure_is_renyi_any"} if "pure_is_zcdp_any" in statements and theorem.alpha is not None else set()
    )


def _theorems_that_split_budget(
    promise: ApproxDP, constants: Sequence[Fraction]
) -> Iterator[tuple[SumTheorem, ...]]:
    """Yield theorems that split epsilon and delta among pure charges, lost mass and a Rényi charge.

    A pure answer has a divergence of at most its epsilon, so that the best order is that for the rest of epsilon.
    """
    epsilon, delta = promise.epsilon, promise.delta_at_epsilon
    shares = [[c for c in constants if Fraction(total) / 100 < c < total][-3:] for total in (epsilon, delta)]
    for lost in (Fraction(0), *shares[1]):
        rest = next_below(float(Fraction(delta) - lost)) if lost else delta
        for pure in shares[0]:
            order = _best_cks_order(epsilon - float(pure), rest)
            if (
                theorem := _theorem_with_largest_budget(renyi_charge.at(order), ApproxDP(epsilon, rest))
            ) is None:
                continue
            renyi = replace(theorem, measure="kept", kernel="kept_lossy", epsilon=epsilon)
            yield (renyi, SumTheorem("lost", lost, "kept_lossy", epsilon=epsilon)) if lost else (theorem,)


def _theorem_on_failures(promise: ApproxDP, read: Collection[str]) -> Iterator[tuple[SumTheorem, ...]]:
    """Yield the theorem on failures whose chances multiply, if the code reads such chances."""
    delta = promise.delta_at_epsilon
    if {"KOV.delta", "Erasure.p"} & set(read) and 0 < delta < 1:
        hazard = -NUMPY["log1p"].enclosed(-Fraction(delta))[1]
        budgets = (("epsilon", Fraction(promise.epsilon)), ("hazard", hazard))
        yield tuple(
            SumTheorem(name, most, "kept_epsilon_hazard", Evidence.CERTIFIED) for name, most in budgets
        )


def theorems_on_either_sum(promise: Guarantee, read: Collection[str]) -> tuple[SumTheorem, ...]:
    """Return the sums of which one is within its budget after each request; none if the code does not read both."""
    charges = (
        {"pure_epsilon", "charge pure_charge", "RandomizedResponse.epsilon", "Laplace.b"},
        {"zcdp_rho", "charge zcdp_charge", "gdp_mu", "Gaussian.mu"},
    )
    if not isinstance(promise, ApproxDP) or not all(names & set(read) for names in charges):
        return ()
    at = renyi_charge.at(_best_cks_order(promise.epsilon, promise.delta_at_epsilon))
    theorem = _theorem_with_largest_budget(at, promise)
    pure = SumTheorem("pure", Fraction(promise.epsilon), "kept_either")
    return (pure, replace(theorem, kernel="kept_either")) if theorem is not None else ()


def _best_cks_order(epsilon: float, delta: float) -> float:
    """Return about the order at which the CKS conversion allows the largest zCDP parameter."""

    def negative_rho(log: float) -> float:
        """Return minus the largest rho that the CKS conversion allows at the order 1 + e^log."""
        order = 1 + math.exp(log)
        gained = math.log(delta) + log - order * math.log1p(-1 / order)  # by the conversion CKS
        return -(epsilon + gained / math.exp(log)) / order

    return 1 + math.exp(
        minimize_scalar(negative_rho, bounds=(-4.0, 16.0), method="bounded", options={"xatol": 1e-9}).x
    )


def _charge_rules_for_guarantee(promise: Guarantee, orders: Iterable[Fraction]) -> list[ChargeRule]:
    """Return the charge rules whose sums give a guarantee by a statement of the kernel."""
    at = [renyi_charge.at(float(alpha)) for alpha in sorted(orders) if alpha > 1]
    match promise:
        case PureDP():
            return [pure_charge]
        case ZCDP():
            return [zcdp_charge, pure_charge]
        case GaussianDP():
            return [gdp_charge]
        case RenyiDP(alpha) if alpha > 1:
            return [renyi_charge.at(alpha), zcdp_charge, pure_charge]
        case ApproxDP():
            return [zcdp_charge, gdp_charge, *at]
    return []


def _theorem_with_largest_budget(rule: ChargeRule, promise: Guarantee) -> SumTheorem | None:
    """Return the theorem at the largest budget that is certified for the guarantee, or None."""
    try:
        budget = exact_limit(promised_budget(rule, promise))
        _, bits = verify_implication(rule, budget, promise)
    except (ValueError, RefusedError):
        return None
    delta = "_delta" if isinstance(promise, ApproxDP) else ""
    measure, kernel, alpha = {
        pure_charge: ("pure", "kept_pure", None),
        zcdp_charge: ("zcdp", "kept_approximate_dp" if delta else "kept_zcdp", None),
        gdp_charge: ("gdp", "kept_gdp", None),
    }.get(rule) or ("renyi", f"kept_renyi{delta}", Fraction(rule.alpha))  # type: ignore[attr-defined, call-overload]
    then = "pure_is_zcdp_any" if measure == "pure" and not isinstance(promise, PureDP) else ""
    return SumTheorem(
        measure, budget, kernel, Evidence.CERTIFIED if bits else Evidence.EXACT, alpha, then=then
    )
