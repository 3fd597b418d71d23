"""What pairs are charged, by every charge rule, held against the true values of the pair in balls.

>>> from theory.pairs import Laplace
>>> found = CertifiedNumbers.of("Laplace(30)", charges(Laplace(30.0)))
>>> found.holds
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from filters.accounting.amounts import Charge
from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge, upper_quantile
from theory.certified.certified_numbers import CertifiedNumbers
from theory.certified.pair_truths import PairTruth, epsilon, hockey_stick, least_gdp, quantile, renyi
from theory.certified.running_number import Real, RunningNumber, at_least, infinite, near
from theory.drift import drift
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    SubsampledGaussian,
)
from theory.proofs.formula import rational

__all__ = ["CertifiedNumbers", "amount", "charges"]

#: What a charge may lie above the true value, relatively, and in units of one: for squares that underflow.
SLACK, LEAST = 2.0**-44, 2.0**-950
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


def amount(charge: Charge) -> Real:
    """What a charge for one run adds up to, exactly; inf or NaN where it is no number."""
    high, low = charge.exact(1.0)
    top, rest = float(np.ravel(high)[0]), float(np.ravel(low)[0])
    return Fraction(top) + Fraction(rest) if math.isfinite(top) and math.isfinite(rest) else top


def charges(pair: DominatingPair) -> Iterator[RunningNumber]:
    """Every charge of one of the library's single pairs, at the exact doubles of its parameters."""
    yield from _pure(pair)
    yield from _zcdp(pair)
    yield from _gdp(pair)
    yield from _renyi(pair)
    yield from _approximate(pair)
    yield from _quantiles(pair)


def _charged(theorem: str, says: str, value: Real, truth: PairTruth, slack: float = SLACK) -> RunningNumber:
    if truth.formula is None:
        return infinite(theorem, says, float(value))
    return at_least(theorem, says, value, truth.formula, slack=slack, least=LEAST, **truth.at)


def _pure(pair: DominatingPair) -> Iterator[RunningNumber]:
    truth = epsilon(pair)
    yield _charged("basic composition", f"{pair!r}: pure charge", amount(pure_charge(pair)), truth)
    both = approximate_charge(pair, None)
    if not isinstance(pair, (KOV, Erasure)):
        yield _charged("basic composition", f"{pair!r}: epsilon, its delta 0", float(both[0]), truth)
        yield near("basic composition", f"{pair!r}: delta beside its epsilon", float(both[1]), 0)
    if truth.formula is not None and float(both[0]) < 700:
        declared = float(both[0])
        formula = "e*(exp(e) - 1)/2"
        yield at_least(
            "Rogers filter",
            f"{pair!r}: drift",
            float(drift(declared)),
            formula,
            slack=SLACK,
            least=2.0**-1040,
            e=declared,
        )


def _zcdp(pair: DominatingPair) -> Iterator[RunningNumber]:
    charge = amount(zcdp_charge(pair))
    says = f"{pair!r}: zCDP charge"
    yield _charged(_zcdp_theorem(pair), says, charge, _declared_rho(pair))
    if (
        isinstance(charge, Fraction)
        and not isinstance(pair, Gaussian)
        and (charge > 2.0**-100 or charge == 0)
    ):
        yield at_least(
            "Rényi divergences",
            f"{says} times the order, at orders {', '.join(map(str, _GRID))} both ways",
            charge,
            partial(_largest_rate, pair),
            slack=None,
        )


def _zcdp_theorem(pair: DominatingPair) -> str:
    return "Rényi divergences" if isinstance(pair, (Gaussian, SubsampledGaussian)) else "RR zCDP"


def _declared_rho(pair: DominatingPair) -> PairTruth:
    """What the class declares: mu^2/2 of the Gaussian, with or without sampling, epsilon^2/2 of what is pure."""
    match pair:
        case Gaussian():
            return PairTruth("mu**2/2", {"mu": Fraction(pair.mu)})  # type: ignore[arg-type]
        case SubsampledGaussian():
            return PairTruth("1/(2*s**2)", {"s": Fraction(pair.sigma)})  # type: ignore[arg-type]
    truth = epsilon(pair)
    if isinstance(truth.formula, str):
        return PairTruth(f"({truth.formula})**2/2", truth.at)
    return truth if truth.formula is None else PairTruth(partial(_square, truth, 2))


def _square(truth: PairTruth, share: int) -> arb:
    return truth.ball() ** 2 / share


def _largest_rate(pair: DominatingPair) -> arb:
    rates = [renyi(one, a).ball() / arb(rational(Fraction(a))) for one in _directions(pair) for a in _GRID]
    return _most(rates)


def _most(balls: list[arb]) -> arb:
    found = balls[0]
    for ball in balls[1:]:
        found = found.max(ball)
    return found


def _directions(pair: DominatingPair) -> tuple[DominatingPair, ...]:
    return (pair, pair.swapped) if isinstance(pair, (FinitePair, SubsampledGaussian)) else (pair,)


def _gdp(pair: DominatingPair) -> Iterator[RunningNumber]:
    says = f"{pair!r}: GDP charge"
    charge, mu = amount(gdp_charge(pair)), float(pair.gdp_mu)
    least = _of_pure(pair) if isinstance(pair, FinitePair) else least_gdp(pair)
    if least.formula is None:
        yield infinite("GDP filter", says, float(charge))
        return
    squared = (
        PairTruth(f"({least.formula})**2", least.at)
        if isinstance(least.formula, str)
        else PairTruth(partial(_square, least, 1))
    )
    yield _charged("GDP filter", says, charge, squared)
    itself = isinstance(pair, Gaussian) or (isinstance(pair, SubsampledGaussian) and pair.q == 1)
    if isinstance(charge, Fraction) and _MODERATE[0] < mu < _MODERATE[1] and not itself:
        yield RunningNumber(
            "Gaussian hockey-stick",
            f"{says} dominates both ways at epsilon {', '.join(f'{unit * mu:.4g}' for unit in _UNITS)}",
            charge,
            ">=",
            partial(_dominates, pair, mu),
            {},
            None,
        )


def _of_pure(pair: DominatingPair) -> PairTruth:
    """The mu of randomised response at the pair's epsilon."""
    pure = epsilon(pair)
    if pure.formula is None:
        return pure

    return PairTruth(partial(_coin_mu, pure))


def _coin_mu(pure: PairTruth) -> arb:
    return 2 * arb(2).sqrt() * (2 / (1 + pure.ball().exp())).erfcinv()


def _dominates(pair: DominatingPair, unit: float, square: arb) -> arb:
    """The least of Gaussian(sqrt(square)) less the pair over the grid of epsilons."""
    mu, gaps = square.sqrt(), []
    for one in _directions(pair):
        for at in [share * unit for share in _UNITS]:
            e = arb(rational(Fraction(at)))
            stick = (
                ((e / mu - mu / 2) / arb(2).sqrt()).erfc()
                - e.exp() * ((e / mu + mu / 2) / arb(2).sqrt()).erfc()
            ) / 2
            gap = stick - hockey_stick(one, at).ball()
            gaps.append(-gap)
    return -_most(gaps)


def _renyi(pair: DominatingPair) -> Iterator[RunningNumber]:
    for order in _ORDERS:
        if isinstance(pair, SubsampledGaussian) and order not in _INTEGRATED:
            continue
        says = f"{pair!r}: Rényi charge of order {order:.6g}"
        charge = amount(renyi_charge(pair, order))
        truths = [renyi(one, order) for one in _directions(pair)]
        if any(truth.formula is None for truth in truths):
            yield infinite("RDP filter", says, float(charge))
        elif len(truths) == 1:
            yield _charged("RDP filter", says, charge, truths[0])
        else:
            truth = PairTruth(partial(_larger, tuple(truths)))
            yield _charged("RDP filter", says, charge, truth)


def _larger(truths: tuple[PairTruth, ...]) -> arb:
    return _most([truth.ball() for truth in truths])


def _approximate(pair: DominatingPair) -> Iterator[RunningNumber]:
    name = "basic composition"
    if isinstance(pair, KOV):
        own = {"epsilon": pair.epsilon, "delta": pair.delta}
    elif isinstance(pair, Erasure):
        own = {"epsilon": 0.0, "delta": pair.p}
    else:
        own = {}
    both = approximate_charge(pair, 0.5)
    if own:
        for word, value in zip(own, both, strict=True):
            yield at_least(name, f"{pair!r}: its own {word}", float(value), Fraction(own[word]), slack=0)  # type: ignore[arg-type]
        rho, xi = approximate_zcdp_charge(pair)
        square = Fraction(own["epsilon"]) ** 2 / 2  # type: ignore[arg-type]
        theorem = "approximate zCDP filter"
        yield at_least(theorem, f"{pair!r}: rho beside xi", amount(rho), square, slack=SLACK, least=LEAST)
        yield at_least(theorem, f"{pair!r}: xi", amount(xi), Fraction(own["delta"]), slack=0, least=LEAST)  # type: ignore[arg-type]
        return
    rho, xi = approximate_zcdp_charge(pair)
    yield _charged(
        "approximate zCDP filter", f"{pair!r}: rho beside xi = 0", amount(rho), _declared_rho(pair)
    )
    yield near("approximate zCDP filter", f"{pair!r}: xi", amount(xi), 0)
    if epsilon(pair).formula is None:
        truths = tuple(hockey_stick(one, 0.5) for one in _directions(pair))
        at, delta = (float(value) for value in both)
        yield at_least(name, f"{pair!r}: the epsilon at which it is charged", at, Fraction(1, 2), slack=0)
        truth = PairTruth(partial(_larger, truths))
        yield _charged(name, f"{pair!r}: its delta at epsilon 0.5", delta, truth, _RAISED)


def _quantiles(pair: DominatingPair) -> Iterator[RunningNumber]:
    for one in _directions(pair):
        for tail in _TAILS:
            says = f"{one!r}: upper {tail:g}-quantile of the loss"
            value, truth = float(upper_quantile(one, tail)), quantile(one, tail)
            if truth.formula is None:
                yield infinite("realisation filter", says, value)
            else:
                yield near(
                    "realisation filter",
                    says,
                    value,
                    truth.formula,
                    slack=2.0**-44,
                    least=2.0**-50,
                    **truth.at,
                )
