"""The budget of every charge for every promise that a theorem joins to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.certified.admission_conditions import budget_theorem
from filterproof.filters.certified.comparison import Comparison
from filterproof.filters.certified.guarantee_checks import promised_budget_comparison
from filterproof.filters.rules.guarantee_budget import promised_budget
from filterproof.theory.conversions import BUN_STEINKE, CKS
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP


def budgets(epsilon: float, delta: float) -> Iterator[Comparison]:
    """`promised_budget` for every charge and every promise that it joins, by both conversions."""
    approximate = ApproxDP(epsilon, delta)
    promises = (PureDP(epsilon), approximate, ZCDP(epsilon), RenyiDP(2.5, epsilon), GaussianDP(epsilon))
    rules = (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(2.5), renyi_charge.at(64.0))
    for rule, promise, conversion in product(rules, promises, (CKS, BUN_STEINKE)):
        if budget_theorem(rule, promise, conversion) is None:
            continue
        if conversion is BUN_STEINKE and promise is not approximate:
            continue
        try:
            budget = promised_budget(rule, promise, conversion)
        except ValueError:  # nothing above zero is left at this order
            continue
        says = f"promised_budget({rule!r}, {promise!r}, {conversion})"
        yield from promised_budget_comparison(says, budget, rule, promise, conversion)
