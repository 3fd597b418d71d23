"""Filters that look at losses, run with chosen losses: the split of delta, and the boundaries of their decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np
from flint import arb

from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.filters.certified.decisions import FAMILIES, decision_boundary, last_admitted
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_observe,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.realisation import RealisationFilter
from filterproof.theory.pairs import DominatingPair, FinitePair
from filterproof.theory.pairs.reference_values import ReferenceValue, ball_of
from filterproof.theory.stopping_level import optimal_split

_THEOREM = "realisation filter"


def state_after_losses(
    filt: FilterBase, pair: DominatingPair, losses: Sequence[float], state: Any = None
) -> Any:
    """Return the state after outputs with these losses, from the start or from a state."""
    state = checked_start(filt, 1) if state is None else state
    for loss in losses:
        state = checked_observe(filt, checked_spend(filt, state, pair, 1), np.array([loss]), 1)
    return state


def admits_after_losses(filt: FilterBase, pair: DominatingPair, losses: Sequence[float]) -> bool:
    """Return whether one more request is admitted after releases with these losses."""
    return bool(checked_admits(filt, state_after_losses(filt, pair, losses), pair, 1)[0])


def count_released(filt: FilterBase, pair: DominatingPair, losses: Sequence[float]) -> int:
    """Return how many outputs with these losses are released before a denial."""
    state, count = checked_start(filt, 1), 0
    while count < len(losses) and checked_admits(filt, state, pair, 1)[0]:
        state, count = state_after_losses(filt, pair, losses[count : count + 1], state), count + 1
    return count


def realisation_comparisons(filt: RealisationFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the split of delta, the stopping losses, and the granted requests and rounds."""
    of, dhat, theta, pair = Comparisons(_THEOREM, name), filt.dhat, filt.theta, filt.menu[0]
    assert dhat is not None
    assert theta is not None
    spent = Fraction(dhat) + Fraction(theta) * (1 - Fraction(dhat)) * filt.rounds
    best = optimal_split(filt.rounds, filt.delta) if 0 < filt.delta < 0.5 else None
    chosen = best is not None and (best.dhat, best.theta) == (dhat, theta)
    slack = 2.0**-40 if chosen else None
    yield of.at_most("dhat + theta (1 - dhat) N", spent, Fraction(filt.delta), slack=slack)
    if chosen:
        yield best_split_comparison(Comparisons("kappa", name), filt.rounds, filt.delta, dhat)
    allowed = next((some for key, some in dict(filt.after).items() if key.same_parameters(pair)), filt.menu)
    ends = True
    for sign, word in ((1, "above"), (-1, "below")):
        first, *rest = (entry if sign > 0 else entry.swapped for entry in (pair, *allowed))
        quantiles = [_loss_quantile(first, theta), *(_loss_quantile(entry, dhat) for entry in rest)]
        if any(entry.formula is None for entry in quantiles):
            continue
        goes_on_with_loss = lambda x, sign=sign: admits_after_losses(filt, pair, (sign * x, 0.0))  # noqa: E731
        last = decision_boundary(goes_on_with_loss, 1e-9, 1e4)
        margin = partial(_room_for_loss, filt.epsilon, quantiles)
        says = f"the loss {word} zero, before the last release, up to which it goes on"
        if math.isnan(last):
            none = of.by_margin(f"{says}: not even 1e-9", 0, "<=", margin, slack=0, least=1e-9)
            if none.sign(Fraction(0)) == -1:  # the theorem allows no second release either
                ends = False
            else:
                yield none
        else:
            yield of.by_margin(says, last, "<=", margin, slack=2.0**-40)
            moved = sum(
                not admits_after_losses(filt, pair, (sign * last, sign * own)) for own in (0.0, 50.0, 1e6)
            )
            yield of.near_truth(
                "how many of three losses of the last release itself change the decision", moved, 0
            )
    # a pair with a small cost in one direction whose other direction has an event of more than dhat
    mass = 2.0 ** min(math.ceil(math.log2(2 * dhat)), -1) if dhat else 2.0**-20
    revealing = FinitePair((1.0, 0.0), (1 - mass, mass))
    admitted = sum(admits_after_losses(filt, entry, ()) for entry in (revealing, revealing.swapped))
    says = f"how often {revealing!r} is admitted, in two directions, one of them without a finite quantile"
    yield of.equal(says, admitted, 0)
    times = count_released(filt, pair, (0.0,) * (filt.rounds + 1))
    says = f"how often {pair!r} is admitted where every loss is zero"
    yield of.at_most(says, times, filt.rounds if ends else 1, slack=0 if ends else None)
    mus = [float(mu) for entry in filt.menu if (mu := entry.normal_mu) is not None]
    if times and len(mus) == len(filt.menu):
        last = last_admitted(filt, [], FAMILIES["Gaussian(x)"])
        says = "last x of Gaussian(x) admitted, the menu's largest"
        yield of.at_most(says, last, Fraction(max(mus)), slack=2.0**-40)


def best_split_comparison(of: Comparisons, rounds: int, delta: float, dhat: float) -> Comparison:
    """Return the comparison of dhat with the condition of the best split of delta."""
    falls = "log(N) + 2*log(1 - x) - quantile((d - x)/(N*(1 - x)))**2/2 - log(1 - d) + quantile(x)**2/2"
    return of.by_margin("dhat of the best split", dhat, "=", falls, slack=CLOSE, N=rounds, d=delta)


def _loss_quantile(pair: DominatingPair, tail: float) -> ReferenceValue:
    """Return the upper quantile of the loss; for a symmetric pair its declared largest loss, an exact number."""
    if tail == 0 and pair.swapped is pair:
        return pair.reference_values.pure_epsilon
    return pair.reference_values.loss_isf(tail)


def _room_for_loss(epsilon: float, quantiles: Sequence[ReferenceValue], x: arb) -> arb:
    """Return epsilon - x - q(theta) - max(0, q(dhat) over the menu)."""
    reach = reduce(arb.max, (quantile.ball() for quantile in quantiles[1:]), arb(0))
    return ball_of(epsilon) - x - quantiles[0].ball() - reach
