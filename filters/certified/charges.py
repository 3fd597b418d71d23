"""What pairs are charged, by every charge rule, held against the true values of the pair in balls.

>>> from filters.certified.certified_numbers import CertifiedNumbers
>>> from theory.pairs import Laplace
>>> found = CertifiedNumbers.of("Laplace(30)", charges(Laplace(30.0)))
>>> found.holds
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce

from flint import arb

from filters.accounting.amounts import Charge
from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge, upper_quantile
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import amounts
from theory.drift import drift
from theory.pairs import DominatingPair, normal_law
from theory.pairs.truths import Exact, TrueValue, ball_of

__all__ = ["charges"]

#: What a charge may lie above the true value, relatively, and in units of one: for squares that underflow.
SLACK, LEAST = 2.0**-44, 2.0**-950
#: Exponents from which on their rounding is charged, and the largest that can be lost by.
_ROUNDED, _LARGEST = 48.0, 1500.0
#: A hockey-stick is raised by 2^-40 when it is charged.
_RAISED = 2.0**-38
_ORDERS = (1.0, 1.0000152587890625, 1.5, 2.0, 8.0, 16.0, 64.0, 128.0)
_INTEGRATED = (1.0, 1.5, 8.0)
#: Orders at which the zCDP charge is held against the divergences: a sup over all orders is a theorem's, not a grid's.
_GRID = (1.5, 3.0)
#: Epsilons, in units of mu, at which the GDP charge is held against the hockey-sticks, where mu is moderate.
_UNITS = (0.0, 0.25, 1.0, 3.0)
_MODERATE = (2.0**-10, 30.0)
_TAILS = (1e-9, 1e-3, 0.13, 0.61)


def _amount(charge: Charge) -> Exact:
    return amounts(charge)[0]


def charges(pair: DominatingPair) -> Iterator[RunningNumber]:
    """Every charge of one of the library's single pairs, at the exact doubles of its parameters."""
    yield from _pure(pair)
    yield from _zcdp(pair)
    yield from _gdp(pair)
    yield from _renyi(pair)
    yield from _approximate(pair)
    yield from _quantiles(pair)


def _charged(theorem: str, says: str, value: Exact, truth: TrueValue, slack: float = SLACK) -> RunningNumber:
    return Claims(theorem).at_least(says, value, truth, slack=slack, least=LEAST)


def _pure(pair: DominatingPair) -> Iterator[RunningNumber]:
    truth = pair.truths.pure_epsilon
    yield _charged("basic composition", f"{pair!r}: pure charge", _amount(pure_charge(pair)), truth)
    charged = approximate_charge(pair, None)
    if pair.truths.approximate is None:
        yield _charged("basic composition", f"{pair!r}: epsilon, its delta 0", float(charged[0]), truth)
        yield Claims("basic composition").near(f"{pair!r}: delta beside its epsilon", float(charged[1]), 0)
    if truth.formula is not None and float(charged[0]) < 700:
        declared = float(charged[0])
        formula = "e*(exp(e) - 1)/2"
        yield Claims("Rogers filter").at_least(
            f"{pair!r}: drift",
            float(drift(declared)),
            formula,
            slack=SLACK,
            least=2.0**-1040,
            e=declared,
        )


def _zcdp(pair: DominatingPair) -> Iterator[RunningNumber]:
    charge, truths = _amount(zcdp_charge(pair)), pair.truths
    says = f"{pair!r}: zCDP charge"
    yield _charged(truths.zcdp_theorem, says, charge, truths.zcdp_rho, truths.zcdp_slack)
    if isinstance(charge, Fraction) and not truths.is_gaussian and (charge > 2.0**-100 or charge == 0):
        yield Claims("Rényi divergences").at_least(
            f"{says} times the order, at orders {', '.join(map(str, _GRID))} both ways",
            charge,
            partial(_largest_rate, pair),
            slack=None,
        )


def _largest_rate(pair: DominatingPair) -> arb:
    return reduce(
        arb.max, (one.truths.renyi(a).ball() / ball_of(a) for one in _directions(pair) for a in _GRID)
    )


def _directions(pair: DominatingPair) -> tuple[DominatingPair, ...]:
    return (pair,) if pair.swapped is pair else (pair, pair.swapped)


def _gdp(pair: DominatingPair) -> Iterator[RunningNumber]:
    says = f"{pair!r}: GDP charge"
    charge, mu, truths = _amount(gdp_charge(pair)), float(pair.gdp_mu), pair.truths
    yield _charged("GDP filter", says, charge, truths.gdp_mu.squared())
    if isinstance(charge, Fraction) and _MODERATE[0] < mu < _MODERATE[1] and not truths.is_gaussian:
        yield Claims("Gaussian hockey-stick").by_margin(
            f"{says} dominates both ways at epsilon {', '.join(f'{unit * mu:.4g}' for unit in _UNITS)}",
            charge,
            ">=",
            partial(_dominates, pair, mu),
            slack=None,
        )


def _dominates(pair: DominatingPair, unit: float, square: arb) -> arb:
    """The least of Gaussian(sqrt(square)) less the pair over the grid of epsilons."""
    mu, gaps = square.sqrt(), []
    for one in _directions(pair):
        for at in [share * unit for share in _UNITS]:
            gap = normal_law.hockey_stick(mu, ball_of(at)) - one.truths.hockey_stick(at).ball()
            gaps.append(-gap)
    return -reduce(arb.max, gaps)


def _renyi(pair: DominatingPair) -> Iterator[RunningNumber]:
    for order in _INTEGRATED if pair.truths.integrated else _ORDERS:
        says = f"{pair!r}: Rényi charge of order {order:.6g}"
        truth = _larger([one.truths.renyi(order) for one in _directions(pair)])
        # what the roundings of large exponents may have lost is charged as well
        exponent = max(order - 1, 1.0) * float(pair.pure_epsilon)
        slack = SLACK + (min(exponent, _LARGEST) * 2.0**-50 if _ROUNDED < exponent < math.inf else 0.0)
        yield _charged("RDP filter", says, _amount(renyi_charge(pair, order)), truth, slack)


def _larger(truths: list[TrueValue]) -> TrueValue:
    """The largest of them; infinite where one is."""
    endless = [truth for truth in truths if truth.formula is None]
    return (
        (endless or truths)[0] if endless or len(truths) == 1 else TrueValue(partial(_most_of, tuple(truths)))
    )


def _most_of(truths: tuple[TrueValue, ...]) -> arb:
    return reduce(arb.max, (truth.ball() for truth in truths))


def _approximate(pair: DominatingPair) -> Iterator[RunningNumber]:
    name, theorem = "basic composition", "approximate zCDP filter"
    declared = approximate_charge(pair, 0.5)
    rho, xi = approximate_zcdp_charge(pair)
    if (own := pair.truths.approximate) is not None:
        for word, value, truth in zip(("epsilon", "delta"), declared, own, strict=True):
            yield Claims(name).at_least(f"{pair!r}: its own {word}", float(value), truth, slack=0)
        square = own[0] ** 2 / 2
        yield Claims(theorem).at_least(
            f"{pair!r}: rho beside xi", _amount(rho), square, slack=SLACK, least=LEAST
        )
        yield Claims(theorem).at_least(f"{pair!r}: xi", _amount(xi), own[1], slack=0, least=LEAST)
        return
    yield _charged(
        theorem, f"{pair!r}: rho beside xi = 0", _amount(rho), pair.truths.zcdp_rho, pair.truths.zcdp_slack
    )
    yield Claims(theorem).near(f"{pair!r}: xi", _amount(xi), 0)
    if pair.truths.pure_epsilon.formula is None:
        at, delta_at = (float(value) for value in declared)
        yield Claims(name).at_least(
            f"{pair!r}: the epsilon at which it is charged", at, Fraction(1, 2), slack=0
        )
        larger = TrueValue(
            partial(_most_of, tuple(one.truths.hockey_stick(0.5) for one in _directions(pair)))
        )
        yield _charged(name, f"{pair!r}: its delta at epsilon 0.5", delta_at, larger, _RAISED)


def _quantiles(pair: DominatingPair) -> Iterator[RunningNumber]:
    for one in _directions(pair):
        for tail in _TAILS:
            says = f"{one!r}: upper {tail:g}-quantile of the loss"
            value, truth = float(upper_quantile(one, tail)), one.truths.loss_quantile(tail)
            yield Claims("realisation filter").near(says, value, truth, slack=2.0**-44, least=2.0**-50)
