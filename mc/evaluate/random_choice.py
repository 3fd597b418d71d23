"""The divergence of an adversary that draws its requests from a menu at random: the mean over fixed sequences.

>>> import filterproof as fp
>>> menu = (fp.Gaussian(0.3), fp.Gaussian(0.6))
>>> bounds = random_choice_divergence_bounds(fp.GaussianFilter(0.6), menu, epsilon=1.0, rounds=16, direction="PQ")
>>> bounds.low <= fp.GaussianDP(0.6).delta(1.0) and bounds.high >= bounds.low > 0
True
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import flint

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.evaluate.walk import ExhaustiveMenuPlay, OutcomeBranch, walk_layers
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.composition import Bounds, Composition, counts_of
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down, round_up

#: The number of grants of each pair of a menu.
_Counts: TypeAlias = tuple[int, ...]


def random_choice_divergence_bounds(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    *,
    epsilon: float,
    rounds: int,
    direction: Direction,
    relative: float = 1e-3,
) -> Bounds:
    """Return bounds on H_{e^epsilon} for an adversary that draws each request from `menu` at random.

    The adversary's coins are public and independent of the releases, so that the divergence is the mean over its
    sequences of the divergence of the granted requests; sequences with equal counts compose alike. For a filter that
    looks at losses, only the first round is used: this is a lower bound by data processing, and high is 1. Both ends
    are certified, and aim at a width of `relative`. Direction "QP" swaps P and Q; a denial ends the play.
    """
    followed = 1 if filt.looks_at_losses else rounds
    ended = _final_count_masses(filt, tuple(menu), followed)
    low, high = flint.arb(0), flint.arb(0)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        for counts, share in ended.items():
            granted_counts = counts_of(menu, counts)
            if not (granted_counts and share):
                continue
            bounds = Composition(granted_counts).delta(epsilon, relative=relative, direction=direction)
            low, high = (
                low + to_ball(share) * to_ball(bounds.low),
                high + to_ball(share) * to_ball(bounds.high),
            )
        return Bounds(max(round_down(low), 0.0), 1.0 if filt.looks_at_losses else min(round_up(high), 1.0))


def _final_count_masses(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...], rounds: int
) -> dict[_Counts, Fraction]:
    """Return the probability of each number of grants of the pairs at the end of the play."""
    ended: dict[_Counts, Fraction] = {}
    reached = [Fraction(1)]
    branches = [[OutcomeBranch(partial(_counts_after, place), None)] for place in range(len(menu))]
    for layer in walk_layers(ExhaustiveMenuPlay(filt, menu, branches), (0,) * len(menu), rounds=rounds):
        stays, after = list(reached), dict[int, Fraction]()
        for move in layer.moves:
            for row, (child,) in zip(move.rows.tolist(), move.child.tolist(), strict=True):
                share = reached[row] / len(menu)
                stays[row] -= share
                after[child] = after.get(child, Fraction(0)) + share
        for counts, share in zip(layer.losses, stays, strict=True):
            ended[counts] = ended.get(counts, Fraction(0)) + share
        reached = list(after.values())
    return ended


def _counts_after(place: int, counts: _Counts) -> _Counts:
    """Return the counts after one more grant of pair number `place`."""
    return (*counts[:place], counts[place] + 1, *counts[place + 1 :])
