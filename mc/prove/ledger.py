"""Rules for `Budget` and charges: a sum in two doubles is one exact number, which no rounding lowers.

A budget's state is a pair of arrays. The first is traced as the exact sum, of the kind "sum E" (E is the exponent
of the budget's unit), and the second as the same sum, of the kind "rest E". Only a budget of the same unit computes
with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from filterproof.filters.accounting.charge_kinds import (
    LinearCharge,
    PerRunCharge,
    SquaredCharge,
    is_power_of_two,
)
from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    RenyiCharges,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.accounting.ledger import Budget
from filterproof.mc.prove.numpy_rules import Caller, number
from filterproof.mc.prove.paths import Atom, NotTraced, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import Request
from filterproof.mc.prove.values import Array, elementwise, has_runs
from filterproof.theory.pairs import DominatingPair

CHARGES = (LinearCharge, SquaredCharge, PerRunCharge)


@dataclass(frozen=True, eq=False)
class TracedCharge:
    """A charge: the exact numbers, infinite or NaN where none is finite."""

    amount: Array


def linear(own: Caller, x: Any) -> TracedCharge:
    value = number(own, x)
    return TracedCharge(elementwise(lambda entry: own.arithmetic.convert(entry, "f8"), "exact", value))


def squared(own: Caller, x: Any, scale: Any = 1.0) -> TracedCharge:
    if not isinstance(scale, float) or not is_power_of_two(scale):
        raise NotTraced("a charge has a rule for scales that are powers of two")

    def square(entry: Value) -> Value:
        return entry * entry * Fraction(scale) if isinstance(entry, Polynomial) else entry * entry

    return TracedCharge(elementwise(square, "exact", linear(own, x).amount))


def by_rule(own: Caller, request: Any, rule: ChargeRule) -> TracedCharge:
    """What a rule of the library charges a request: a number that is at least the true one."""
    if not isinstance(request, Request):
        raise NotTraced("a charge rule is called with what is no request")
    runs = request.style == "array"
    return TracedCharge(Array("exact", runs, (), [request.charge(repr(rule))], writable=False))


def start(own: Caller, budget: Budget, n: Any) -> tuple[Array, Array]:
    zero = Polynomial.constant(0)
    return pair(budget, Array("f8", True, (), [zero]))


def pair(budget: Budget, total: Array) -> tuple[Array, Array]:
    """The state of which the exact sum is `total`."""
    kinds = (f"{part} {budget.exponent}" for part in ("sum", "rest"))
    first, second = (Array.of(kind, total.runs, total.data.copy()) for kind in kinds)
    first.data.flags.writeable = second.data.flags.writeable = False
    return first, second


def _after(own: Caller, budget: Budget, state: Any, charge: Any) -> Array:
    """The exact sums with a charge added, which rounding may raise; NaN where the charge is no finite number."""
    if not (isinstance(state, tuple | list) and len(state) == 2 and isinstance(charge, TracedCharge)):
        raise NotTraced("a budget is given what is no state or no charge of its own")
    first, second = state
    own_kinds = [f"{part} {budget.exponent}" for part in ("sum", "rest")]
    if [getattr(s, "kind", None) for s in state] != own_kinds or first.items != second.items:
        raise NotTraced("a budget is given the sum of another")
    has_runs((first, charge.amount))

    def added(total: Polynomial, amount: Value) -> Value:
        if not isinstance(amount, Polynomial) or not own.path.at_least(amount):
            return math.nan
        name = f"sum {budget.exponent}"
        made: Polynomial = own.path.new(Atom("ledger", name, (total, amount), False, Fraction(0), units=0))
        if (made - total - amount, False) not in own.path.assumed:
            own.path.assume(made - total - amount, False)
        return made

    return elementwise(added, "exact", first, charge.amount)


def fits(own: Caller, budget: Budget, state: Any, charge: Any) -> Array:
    limit = (Fraction(budget.high) + Fraction(budget.low)) * Fraction(4) ** budget.exponent

    def within(total: Value) -> bool:
        return isinstance(total, Polynomial) and own.path.at_least(-total + limit)

    return elementwise(within, "b1", _after(own, budget, state, charge))


def add(own: Caller, budget: Budget, state: Any, charge: Any) -> tuple[Array, Array]:
    after = _after(own, budget, state, charge)
    if any(not isinstance(total, Polynomial) for total in after.items):
        raise NotTraced("a charge that is no finite number is added to a sum")
    return pair(budget, after)


def step(own: Caller, budget: Budget, state: Any, charge: Any) -> tuple[Array, Any]:
    granted = fits(own, budget, state, charge)
    return granted, add(own, budget, state, charge) if granted.items == [True] else state


def declared_charge(name: str, pair_: DominatingPair) -> Fraction | float:
    """What the rule of a name charges a pair, exactly."""
    rules = {repr(rule): rule for rule in (pure_charge, zcdp_charge, gdp_charge)}
    rule = rules[name] if name in rules else renyi_charge.at(float(name.partition("(")[2].rstrip(")")))
    with np.errstate(all="ignore"):
        parts = [float(np.ravel(part)[0]) for part in rule(pair_).exact(1.0)]
    return sum(map(Fraction, parts), Fraction(0)) if all(map(math.isfinite, parts)) else math.inf


RULES: dict[Any, Any] = {
    LinearCharge: linear,
    SquaredCharge: squared,
    Budget.start: start,
    Budget.fits: fits,
    Budget.add: add,
    Budget.step: step,
}


def charge_rule(function: Any) -> Any:
    """The rule for calling a charge rule; None for what is none."""
    if isinstance(function, ChargeRule):
        return partial(by_rule, rule=function)
    if isinstance(function, RenyiCharges):
        return lambda own, request, alpha: by_rule(own, request, function.at(alpha))
    return None
