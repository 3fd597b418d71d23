"""The budgets of filters and of `promised_budget`, and guarantees with their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from filterproof.filters.accounting.charge_rules import ChargeRule
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.certified.admission_conditions import budget_theorem
from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.filters.certified.conversion_references import promised_delta
from filterproof.filters.certified.double_double import exact_limit
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.conversions import Conversion
from filterproof.theory.guarantees import Guarantee

#: A budget by CKS may waste 2^-50 (8 + 8 goal/used).
_SLACK = Fraction(1, 2**38)
#: The epsilons at which the delta of a guarantee is checked.
_EPSILONS = (0.2578125, 1.03125, 3.5)


def promised_budget_comparison(
    says: str, budget: Budget, charge: ChargeRule, promise: Guarantee, conversion: Conversion
) -> Iterator[Comparison]:
    """Yield the comparison of a budget with its theorem's threshold; nothing without a theorem."""
    if (why := budget_theorem(charge, promise, conversion)) is not None:
        yield why.budget_comparison(says, exact_limit(budget), _SLACK)


def filter_budget_comparison(filt: AdditiveFilter, name: str) -> Iterator[Comparison]:
    """Yield the comparison of an additive filter's budget; nothing without a theorem."""
    if isinstance(filt.charge, ChargeRule):
        yield from promised_budget_comparison(
            f"{name}: budget", filt.budget, filt.charge, filt.promise, filt.conversion
        )


def promise_comparisons(filt: FilterBase, name: str, theorem: str) -> Iterator[Comparison]:
    """Yield comparisons of a guarantee's numbers with the filter's parameters, and of its delta."""
    promise: Any = filt.promise
    given: set[str] = {field.name for field in fields(filt) if field.init} if is_dataclass(filt) else set()
    for field in fields(promise):
        own = field.name.removesuffix("_at_epsilon")
        value = getattr(promise, field.name)
        if own in given and isinstance(value, float) and isinstance(getattr(filt, own), float):
            yield Comparisons(theorem, name).equal(f"promised {own}", value, getattr(filt, own))
    yield from promised_delta_comparisons(filt.promise, name, theorem)


def promised_delta_comparisons(promise: Guarantee, name: str, theorem: str) -> Iterator[Comparison]:
    """Yield comparisons of a guarantee's delta at several epsilons, for known classes."""
    for epsilon in _EPSILONS:
        truth = promised_delta(promise, epsilon)
        if truth is not None:
            says, delta = f"{name}: delta at {epsilon}", float(promise.delta(epsilon))
            yield Comparisons(theorem).near_truth(says, delta, truth, slack=CLOSE, least=2.0**-900)
