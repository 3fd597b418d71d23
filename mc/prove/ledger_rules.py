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
from filterproof.filters.contract.library import is_library_class
from filterproof.mc.prove.numpy_arrays import Caller, to_traced_array
from filterproof.mc.prove.paths import Atom, NotTraced, Path, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import Request
from filterproof.mc.prove.values import Array, elementwise
from filterproof.theory.numerics.error_free import add_double_double_round_up
from filterproof.theory.pairs import DominatingPair

CHARGES = (LinearCharge, SquaredCharge, PerRunCharge)


@dataclass(frozen=True, eq=False)
class TracedCharge:
    """A charge: the exact numbers, infinite or NaN where none is finite."""

    amount: Array


def linear(own: Caller, x: Any) -> TracedCharge:
    """Return the traced charge of `LinearCharge(x)`."""
    value = to_traced_array(own, x)
    return TracedCharge(elementwise(lambda entry: own.arithmetic.convert(entry, "f8"), "exact", value))


def squared(own: Caller, x: Any, scale: Any = 1.0) -> TracedCharge:
    """Return the traced charge of `SquaredCharge(x, scale)`."""
    if not isinstance(scale, float) or not is_power_of_two(scale):
        raise NotTraced("a charge has a rule for scales that are powers of two")

    def square(entry: Value) -> Value:
        return entry * entry * Fraction(scale) if isinstance(entry, Polynomial) else entry * entry

    return TracedCharge(elementwise(square, "exact", linear(own, x).amount))


def charge_by_rule(own: Caller, request: Any, rule: ChargeRule) -> TracedCharge:
    """Return what a charge rule of the library charges a request, as a number at least the true one."""
    if not isinstance(request, Request):
        raise NotTraced("a charge rule is called with what is no request")
    runs = request.style == "array"
    return TracedCharge(Array("exact", runs, (), [request.charge(repr(rule))], writable=False))


def start(own: Caller, budget: Budget, n: Any) -> tuple[Array, Array]:
    return state_of_exact_sum(budget, Array("f8", True, (), [Polynomial.constant(0)]))


def state_of_exact_sum(budget: Budget, total: Array) -> tuple[Array, Array]:
    """Return the traced state of a budget whose exact sum is `total`."""
    kinds = (f"{part} {budget.exponent}" for part in ("sum", "rest"))
    first, second = (Array.of(kind, total.runs, total.data.copy()) for kind in kinds)
    first.data.flags.writeable = second.data.flags.writeable = False
    return first, second


def _exact_sum(budget: Budget, state: Any) -> Array:
    """Return the exact sum that a budget's traced state stands for; raise NotTraced for another state."""
    kinds = [f"{part} {budget.exponent}" for part in ("sum", "rest")]
    if type(budget) is not Budget:
        raise NotTraced("a budget of another class has no rule")
    if not isinstance(state, tuple | list) or [getattr(s, "kind", None) for s in state] != kinds:
        raise NotTraced("a budget is given what is no state of its own")
    if state[0].items != state[1].items:
        raise NotTraced("a budget is given the two parts of different sums")
    return state[0]  # type: ignore[no-any-return]


def _after(own: Caller, budget: Budget, state: Any, charge: Any) -> Array:
    """Return the exact sum after a charge is added and rounded up; NaN for a charge that is not finite."""
    if not isinstance(charge, TracedCharge):
        raise NotTraced("a budget is given what is no charge")
    path: Path = own.path

    def added(total: Polynomial, amount: Value) -> Value:
        if not isinstance(amount, Polynomial) or not path.at_least(amount):
            return math.nan
        name, rule = f"sum {budget.exponent}", partial(library_sum, exponent=budget.exponent)
        sum_after = path.intern_atom(
            Atom("ledger", name, (total, amount), low=Fraction(0), units=0, compute=rule)
        )
        if (sum_after - total - amount, False) not in path.assumed:
            path.assume(sum_after - total - amount, False)
        return sum_after

    return elementwise(added, "exact", _exact_sum(budget, state), charge.amount)


def _limit(budget: Budget) -> Fraction:
    return (Fraction(budget.high) + Fraction(budget.low)) * Fraction(4) ** budget.exponent


def fits(own: Caller, budget: Budget, state: Any, charge: Any) -> Array:
    def within(total: Value) -> bool:
        return isinstance(total, Polynomial) and own.path.at_least(-total + _limit(budget))

    return elementwise(within, "b1", _after(own, budget, state, charge))


def add(own: Caller, budget: Budget, state: Any, charge: Any) -> tuple[Array, Array]:
    """Return the traced state after Budget.add: the exact sum, once for each of the budget's two doubles."""
    after = _after(own, budget, state, charge)
    if any(not isinstance(total, Polynomial) for total in after.items):
        raise NotTraced("a charge that is no finite number is added to a sum")
    return state_of_exact_sum(budget, after)


def step(own: Caller, budget: Budget, state: Any, charge: Any) -> tuple[Array, Any]:
    granted = fits(own, budget, state, charge)
    return granted, add(own, budget, state, charge) if granted.items == [True] else state


def value(own: Caller, budget: Budget, state: Any) -> Array:
    """Return the budget's spent sum as a double."""
    return elementwise(lambda total: own.path.rounded(total, of_sum=False), "f8", _exact_sum(budget, state))


def left(own: Caller, budget: Budget, state: Any) -> Array:
    """Return the budget's remaining part, rounded down."""
    path: Path = own.path

    def rest(total: Polynomial) -> Polynomial:
        if not path.at_least(-total + _limit(budget)):
            return Polynomial.constant(0)
        rule = partial(remaining_budget, budget=budget)
        remaining = path.intern_atom(
            Atom("ledger", f"left of {budget!r}", (total,), low=Fraction(0), compute=rule)
        )
        path.assume(-total + _limit(budget) - remaining, False)
        return remaining

    return elementwise(rest, "f8", _exact_sum(budget, state))


def _double_pair(exact: Fraction) -> tuple[Any, Any]:
    """Return an exact sum as the two arrays (high, low) that a budget keeps."""
    high = float(exact)
    return np.array([high]), np.array([float(exact - Fraction(high))])


def library_sum(total: Fraction, amount: Fraction, exponent: int) -> Fraction:
    """Return the exact value of the library's rounded sum of two pairs, in units of 4^exponent."""
    unit = Fraction(4) ** exponent
    try:
        parts = _double_pair(total / unit), _double_pair(amount / unit)
    except OverflowError:  # beyond every budget
        return total + amount
    high, low = add_double_double_round_up(*parts)
    return (Fraction(high.item()) + Fraction(low.item())) * unit


def remaining_budget(total: Fraction, budget: Budget) -> Fraction:
    return Fraction(budget.left(_double_pair(total / Fraction(4) ** budget.exponent)).item())


def charge_by_rule_name(name: str, pair_: DominatingPair) -> Fraction | float:
    """Return what the charge rule of a given name charges a pair, exactly."""
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
    Budget.value: value,
    Budget.left: left,
}


def call_rule_for_charge_rule(function: Any) -> Any:
    """Return the tracing rule for a call of a charge rule; None for any other function."""
    kind: Any = type(function)
    if isinstance(function, ChargeRule) and is_library_class(kind):
        return partial(charge_by_rule, rule=function)
    if kind is RenyiCharges:
        return lambda own, request, alpha: charge_by_rule(own, request, function.at(alpha))
    return None
