"""The running sums themselves: products and sums of doubles without error, ledgers after many charges, what is left.

>>> all(one.checked().fits for one in running_sums())
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from filters.accounting.amounts import Charge, Plain, Square
from filters.accounting.directed import within
from filters.accounting.ledger import Budget
from filters.certified.running_number import RunningNumber, at_least, at_most, near
from filters.contract.state import copied
from theory.numerics.error_free import add_up, round_up, square, two_product, two_sum

__all__ = ["running_sums"]

_THEOREM = "running sums"
#: Doubles whose products and sums need every bit, and some that do not.
_DOUBLES = (0.1, 1 / 3, math.pi, 1 + 2.0**-52, 1e16 + 2, 7e-9, 1.5)
_CHARGES: tuple[Charge, ...] = (
    Square(0.1),
    Plain(0.07),
    Square(1 / 3, 0.5),
    Plain(1e-9),
    Square(1e-7, 4.1),
    Square(0.9999999999999999),
)
#: One addition rounds up by at most 2^-102 of the sum.
_ADDED = 2.0**-90


def running_sums() -> Iterator[RunningNumber]:
    """Error-free sums and products, and ledgers: never below the exact sum, and hardly above it."""
    for a in _DOUBLES:
        for b in _DOUBLES:
            high, low = two_sum(a, b)
            yield near(
                _THEOREM,
                f"two_sum({a!r}, {b!r})",
                Fraction(high) + Fraction(low),
                Fraction(a) + Fraction(b),
                slack=0,
            )
            high, low = two_product(a, b)
            yield near(
                _THEOREM,
                f"two_product({a!r}, {b!r})",
                Fraction(high) + Fraction(low),
                Fraction(a) * Fraction(b),
                slack=0,
            )
            tiny = b * 2.0**-55 * (1 + a / 1e17)
            above = Fraction(b) + Fraction(tiny)
            yield at_least(
                _THEOREM, f"round_up({b!r}, {tiny!r})", float(round_up(b, tiny)), above, slack=2.0**-50
            )
            pair = add_up((a, a * 2.0**-54), (b, -b * 2.0**-55))
            exact = Fraction(a) + Fraction(a * 2.0**-54) + Fraction(b) - Fraction(b * 2.0**-55)
            yield at_least(
                _THEOREM,
                f"add_up of {a!r} and {b!r}",
                Fraction(pair[0]) + Fraction(pair[1]),
                exact,
                slack=2.0**-100,
            )
        high, low = square(a)
        yield near(_THEOREM, f"square({a!r})", Fraction(high) + Fraction(low), Fraction(a) ** 2, slack=0)
    for x in (Fraction(1, 10), Fraction(2, 3), Fraction(10**20 + 1)):
        declared: Any = x  # no double
        yield at_least(_THEOREM, f"the charge {x}", float(Plain(declared).x), x, slack=2.0**-51)
        yield at_most(_THEOREM, f"within({x})", within(x), x, slack=2.0**-51)
    for value in (1e-300, 0.3, 7.0, 1e18):
        budget = Budget.of(value)
        yield near(
            _THEOREM,
            f"Budget.of({value!r})",
            _units(budget, budget.high, budget.low),
            Fraction(value),
            slack=0,
        )
    for value in (1e-140, 0.3, 7.0, 1e9):
        budget = Budget.square_of(value)
        says = f"Budget.square_of({value!r})"
        yield near(_THEOREM, says, _units(budget, budget.high, budget.low), Fraction(value) ** 2, slack=0)
    yield from _ledgers()


def _ledgers() -> Iterator[RunningNumber]:
    for runs in (1, 3):
        budget = Budget.of(1e3)
        state, exact = budget.start(runs), Fraction(0)
        for round_ in range(1, 41):
            for charge in _CHARGES:
                state = budget.add(state, charge)
                exact += _exactly(charge)
            if round_ in (1, 7, 40):
                says = f"a ledger of {runs} after {round_} rounds of six charges"
                found = _units(budget, float(state[0][-1]), float(np.broadcast_to(state[1], runs)[-1]))
                yield at_least(_THEOREM, says, found, exact, slack=_ADDED)
                left = Fraction(1000) - exact
                yield at_most(
                    _THEOREM, f"{says}: what is left", float(budget.left(state)[-1]), left, slack=2.0**-46
                )
                yield near(
                    _THEOREM, f"{says}: its value", float(budget.value(state)[-1]), exact, slack=2.0**-50
                )
    many = np.full(5, 0.1)
    state = copied(Budget.of(1.0).start(5))
    for _ in range(9):
        Budget.of(1.0).charge(state, Plain(many))
    took = Budget.of(1.0).charge(state, Plain(many))
    yield near(
        _THEOREM, "how many of five take 0.1 for the tenth time within 1.0", int(np.count_nonzero(took)), 0
    )


def _exactly(charge: Charge) -> Fraction:
    if isinstance(charge, Square):
        return Fraction(charge.scale) * Fraction(charge.x) ** 2  # type: ignore[arg-type]
    assert isinstance(charge, Plain)
    return Fraction(charge.x)  # type: ignore[arg-type]


def _units(budget: Budget, high: float, low: float) -> Fraction:
    return (Fraction(high) + Fraction(low)) * Fraction(4) ** budget.exponent
