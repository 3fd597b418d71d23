"""Charges after an observed output, compared with their theorems in balls.

>>> from filterproof.filters.rules.hockey_stick import HockeyStickFilter
>>> all(one.fits for one in hockey_stick_filter_comparisons(HockeyStickFilter(1.0, 1e-3), "it"))
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import FAMILIES, last_admitted
from filterproof.filters.certified.double_double import exact_charge_sum
from filterproof.filters.rules.ex_post import ExPostFilter
from filterproof.filters.rules.hockey_stick import HockeyStickFilter
from filterproof.theory.pairs import KOV, DominatingPair, Gaussian, Laplace, RandomizedResponse
from filterproof.theory.pairs.reference_values import ball_of

#: Realised losses, in units of epsilon.
_SHARES = (0.0, 0.5, 0.875, 1.0, 1.25, -0.5)
#: The allowed excess of the charge: it covers the rounding of a loss, which moves steep curves further.
_SLACK = 2.0**-20
#: The allowed relative error of an observed loss.
_ROUNDED = Fraction(1, 2**39)
#: The largest change of a charge by a loss within 2^-37 of itself.
_MOVED = 2.0**-36
#: The first request of a family that fits: formulas of its increase before any release.
_FIRST = {
    "Gaussian(x)": "tail(epsilon/x - x/2) - exp(epsilon)*tail(epsilon/x + x/2)",
    "RandomizedResponse(x)": "(exp(x) - exp(epsilon))/(1 + exp(x))",
    "Erasure(x)": "x",
}


def hockey_stick_filter_comparisons(filt: HockeyStickFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the hockey-stick filter's charges after losses, and of its first grants."""
    of, at = Comparisons("hockey-stick filter", name), {"epsilon": filt.epsilon, "delta": filt.delta}
    yield of.at_most("the budget of charges", filt._delta.limit, "delta", delta=filt.delta)
    for family, formula in _FIRST.items():
        last, margin = last_admitted(filt, [], FAMILIES[family]), f"delta - ({formula})"
        used = {key: value for key, value in at.items() if key in margin}
        yield of.by_margin(f"last x of {family} admitted", last, "<=", margin, slack=_SLACK, **used)
    last = last_admitted(filt, [], FAMILIES["Gaussian(x)"])
    if math.isfinite(last):
        # all of delta fits at a loss of zero, so more than that is requested in one direction
        runs = filt.observe(filt.start(2), np.array([0.5, -0.5]) * filt.epsilon)
        says = f"how many of two runs admit Gaussian({last!r}) once half of epsilon was lost, one each way"
        yield of.near_truth(says, int(filt.admits(runs, Gaussian(last)).sum()), 0)
    pairs = Gaussian(0.5), Gaussian(2.0**-5), RandomizedResponse(0.75), Laplace(2.0), KOV(0.25, 2.0**-12)
    for pair in pairs:
        for share in _SHARES:
            loss, half = share * filt.epsilon, np.array([share * filt.epsilon / 2])
            state = filt.spend(filt.observe(filt.observe(filt.start(1), half), half), pair)
            for way, side, signed, spent in (
                ("forwards", pair, loss, (state[2], state[3])),
                ("backwards", pair.swapped, -loss, (state[4], state[5])),
            ):
                room = _nearest_to_zero(
                    Fraction(filt.epsilon) - Fraction(signed), abs(Fraction(loss)) * _ROUNDED
                )
                says = f"charge of {pair!r} {way} after the loss {loss!r}"
                truth = partial(_hockey_stick_increase, side, room)
                yield of.at_least(
                    says, exact_charge_sum(filt._delta, spent), truth, slack=_SLACK, least=_MOVED
                )


def _nearest_to_zero(room: Fraction, off: Fraction) -> Fraction:
    """Return the point within `off` of room that is nearest to zero, where a release adds the most."""
    return room - max(-off, min(off, room))


def _hockey_stick_increase(pair: DominatingPair, room: Fraction) -> arb:
    """Return H_{e^room}(P||Q) - (1 - e^room)_+, which is e^room H_{e^-room}(Q||P) below zero, enclosed both ways."""
    ratio = ball_of(room).exp()
    increase = pair.reference_values.hockey_stick(room).ball() - arb(0).max(1 - ratio)
    if room >= 0:
        return increase
    return increase.intersection(ratio * pair.swapped.reference_values.hockey_stick(-room).ball())


def ex_post_comparisons(filt: ExPostFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the ex-post filter's charges with the realised losses, finite and infinite."""
    of, pair = Comparisons("ex-post filter", name), RandomizedResponse(0.75)
    for loss in (0.0, 0.3, -0.7, 0.75, math.inf, -math.inf):
        state = filt.observe(filt.spend(filt.start(1), pair), np.array([loss]))
        says = f"charge of an output of {pair!r} with loss {loss!r}"
        spent = exact_charge_sum(filt._sum_budgets[0], state[:2])
        yield of.at_least(says, spent, Fraction(min(abs(loss), 0.75)), slack=2.0**-40)
