"""The numbers of filters that have a menu: Blackwell's, against domination in balls, and the realisation filter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np
from flint import arb

from filters.catalogue import BlackwellFilter, RealisationFilter
from filters.certified.decisions import last_admitted, last_from, last_granted
from filters.certified.domination import gap
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.checks import checked_admits, checked_observe, checked_spend, checked_start
from theory.guarantees import ZCDP
from theory.numerics.exact import rational
from theory.pairs import DominatingPair, FinitePair
from theory.pairs.truths import TrueValue
from theory.realisation import optimal_split

__all__ = ["blackwell", "realisation"]

#: A cover is the least up to its grid of 1025 points, and one part in 10^9.
_GRID = Fraction(1, 2**12)
_MOST = 48


def blackwell(filt: BlackwellFilter, name: str) -> Iterator[RunningNumber]:
    """How often the filter admits the first randomised response of its menu, and what Gaussian it admits beside it."""
    theorem = "Blackwell filter"
    mu = Fraction(filt.mu)
    if isinstance(filt.promise, ZCDP):
        yield Claims(theorem).at_least(f"{name}: promised rho", filt.promise.rho, "mu**2/2", mu=mu)
    gaussians = FAMILIES["Gaussian(x)"]
    says, last = f"{name}: last x of Gaussian(x) admitted, nothing spent", last_admitted(filt, [], gaussians)
    yield Claims(theorem).by_margin(says, last or math.nan, "<=", "mu - x", slack=2.0**-40, mu=mu)
    pair = next((one for one in filt.menu if one.dominates_by == "pure_epsilon"), None)
    if pair is None:
        return
    epsilon, state, times = Fraction(float(pair.pure_epsilon)), checked_start(filt, 1), 0
    while times < _MOST and bool(checked_admits(filt, state, pair, 1)[0]):
        state, times = checked_spend(filt, state, pair, 1), times + 1

    composed, says = partial(_composed, mu, epsilon), f"{name}: how often {pair!r} is admitted"
    slack = None if times == _MOST else 0  # it was asked no more often
    yield Claims(theorem).by_margin(says, times, "<=", composed, slack=slack, least=1)
    history, state = max(times // 2, 1), checked_start(filt, 1)
    for _ in range(history):
        state = checked_spend(filt, state, pair, 1)
    last = last_from(filt, state, gaussians)
    margin = partial(_beside, mu, epsilon, history)
    says = f"{name}: last x of Gaussian(x) admitted after {history} of {pair!r}"
    yield Claims(theorem).by_margin(says, last or math.nan, "<=", margin, slack=_GRID)


def _composed(mu: Fraction, epsilon: Fraction, count: arb) -> arb:
    """Whether Gaussian(mu) dominates so many randomised responses."""
    return gap(arb(rational(mu)), epsilon, int(float(count)))


def _beside(mu: Fraction, epsilon: Fraction, times: int, x: arb) -> arb:
    """Whether what Gaussian(x) leaves of Gaussian(mu) dominates so many randomised responses."""
    return gap((arb(rational(mu * mu)) - x * x).sqrt(), epsilon, times)


def realisation(filt: RealisationFilter, name: str) -> Iterator[RunningNumber]:
    """The split of delta, the losses between which the filter goes on, the requests and the rounds that it admits."""
    theorem = "realisation filter"
    dhat, theta = filt.dhat, filt.theta
    assert dhat is not None
    assert theta is not None
    spent = Fraction(dhat) + Fraction(theta) * (1 - Fraction(dhat)) * filt.rounds
    says = f"{name}: dhat + theta (1 - dhat) N"
    best = optimal_split(filt.rounds, filt.delta) if 0 < filt.delta < 0.5 else None
    chosen = best is not None and (best.dhat, best.theta) == (dhat, theta)
    yield Claims(theorem).at_most(says, spent, Fraction(filt.delta), slack=2.0**-40 if chosen else None)
    if chosen:
        yield _balanced(filt, name, theta)
    pair = filt.menu[0]
    allowed = next((some for one, some in dict(filt.after).items() if one.alike(pair)), filt.menu)
    for sign, word in ((1, "above"), (-1, "below")):
        last = last_granted(lambda x, sign=sign: _goes_on(filt, pair, (sign * x, 0.0)), 1e-9, 1e4)  # type: ignore[misc]
        both = [(one if sign > 0 else one.swapped) for one in (pair, *allowed)]
        quantiles = [
            _quantile(both[0], theta),
            *(_quantile(one, dhat) for one in both[1:]),
        ]
        if any(one.formula is None for one in quantiles):
            continue
        margin = partial(_room, Fraction(filt.epsilon), tuple(quantiles))
        says = f"{name}: the loss {word} zero, before the last release, up to which it goes on"
        yield Claims(theorem).by_margin(says, last or math.nan, "<=", margin, slack=2.0**-40)
        if last is not None:
            unmoved = sum(not _goes_on(filt, pair, (sign * last, sign * own)) for own in (0.0, 50.0, 1e6))
            says = f"{name}: how many of three losses of the last release itself change the decision"
            yield Claims(theorem).near(says, unmoved, 0)
    yield _one_way(filt, name, dhat)
    state, times = checked_start(filt, 1), 0
    while times <= filt.rounds and bool(checked_admits(filt, state, pair, 1)[0]):
        charged = checked_spend(filt, state, pair, 1)
        state, times = checked_observe(filt, charged, np.zeros(1), 1), times + 1
    says = f"{name}: how often {pair!r} is admitted where every loss is zero"
    yield Claims(theorem).at_most(says, times, filt.rounds, slack=0)
    mus = [float(mu) for one in filt.menu if (mu := one.normal_mu) is not None]
    if len(mus) == len(filt.menu):
        last = last_admitted(filt, [], FAMILIES["Gaussian(x)"])
        largest = Fraction(max(mus))
        says = f"{name}: last x of Gaussian(x) admitted, the menu's largest"
        yield Claims(theorem).at_most(says, math.nan if last is None else last, largest, slack=2.0**-40)


def _quantile(pair: DominatingPair, tail: float) -> TrueValue:
    """The upper quantile of the loss; the largest loss as it is declared, an exact number, of a symmetric pair."""
    return pair.truths.pure_epsilon if tail == 0 and pair.swapped is pair else pair.truths.loss_quantile(tail)


def _one_way(filt: RealisationFilter, name: str, dhat: float) -> RunningNumber:
    """A pair that costs next to nothing one way, and is told from the other with more than dhat the other way."""
    mass = 2.0 ** min(math.ceil(math.log2(2 * dhat)), -1) if dhat else 2.0**-20
    pair = FinitePair((1.0, 0.0), (1 - mass, mass))
    admitted = sum(
        int(checked_admits(filt, checked_start(filt, 1), one, 1)[0]) for one in (pair, pair.swapped)
    )
    says = f"{name}: how often {pair!r} is admitted, in two directions, one of them without a finite quantile"
    return Claims("realisation filter").equal(says, admitted, 0)


def _balanced(filt: RealisationFilter, name: str, theta: float) -> RunningNumber:
    """theta where N (1-dhat)^2 phi(z_theta) = (1-delta) phi(z_dhat), which only the best split of delta fulfils."""
    assert filt.dhat is not None
    left, right = "log(rounds) + 2*log(1 - dhat) - quantile(x)**2/2", "log(1 - delta) - quantile(dhat)**2/2"
    at = {
        "rounds": Fraction(filt.rounds),
        "dhat": Fraction(filt.dhat),
        "delta": Fraction(filt.delta),
    }
    says, margin = f"{name}: theta of the best split", f"{right} - ({left})"
    return RunningNumber("kappa", says, Fraction(theta), "=", margin, at, Fraction(1, 2**30))


def _room(epsilon: Fraction, quantiles: Sequence[Any], x: arb) -> arb:
    """epsilon - x - q(theta) - max(0, q(dhat) over the menu)."""
    reach = reduce(arb.max, (one.ball() for one in quantiles[1:]), arb(0))
    return arb(rational(epsilon)) - x - quantiles[0].ball() - reach


def _goes_on(filt: RealisationFilter, pair: DominatingPair, losses: tuple[float, float]) -> bool:
    """Whether a third request is admitted where the first two outputs had these losses."""
    state = filt.start(1)
    for loss in losses:
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return bool(filt.admits(state, pair)[0])
