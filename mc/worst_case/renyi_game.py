"""Lower bounds on the largest Renyi divergence of a transcript over adaptive adversaries with finite menus.

e^{(a-1) D_a} = E_P[e^{(a-1) L}] is a product over rounds, so that the best strategy depends on the filter's state:

    V(state) = max(1, max over admitted m of E_{P_m} [e^{(a-1) loss} V(state after m and its loss)]).

>>> import filterproof as fp
>>> low, _ = renyi_worst_case_lower_bound(fp.RenyiFilter(2.0, 1.0), (fp.RandomizedResponse(0.5),), order=2.0, rounds=8)
>>> 4 * fp.RandomizedResponse(0.5).renyi(2.0) >= low > 3.99 * fp.RandomizedResponse(0.5).renyi(2.0)  # four are granted
True
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.finite_outputs import FiniteOutputs, NoFiniteDistributionError, loss_as_ball
from filterproof.mc.worst_case.strategy import TreeStrategy
from filterproof.mc.worst_case.tree import GameTree, branches_of
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction, check_direction
from filterproof.theory.rounding import round_down


def renyi_worst_case_lower_bound(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    *,
    order: float,
    rounds: int,
    direction: Direction = "PQ",
    max_positions: int = 200_000,
) -> tuple[float, TreeStrategy]:
    """Return a lower bound on the largest Rényi divergence over adaptive adversaries, and a strategy.

    Every rounding error is included. The strategy may stop at any time. Raises TypeError for pairs that are not finite,
    TooLargeError beyond `max_positions` states.
    """
    check_direction(direction)
    drawn = [_rational_outputs(pair if direction == "PQ" else pair.swapped) for pair in menu]
    # the loss so far does not matter: positions are states
    branches = [branches_of(each, [int] * len(each.outputs), direction) for each in drawn]
    tree = GameTree.of(filt, menu, branches, 0, rounds=rounds, max_positions=max_positions)
    with np.errstate(over="ignore", invalid="ignore"):  # a NaN gain is skipped
        value, choices = tree.solve(
            [_weighted_masses(each, order) for each in drawn], lambda losses: np.ones(len(losses))
        )
    strategy = tree.strategy(choices)
    if any(drawn[move.request].erased_p for layer in tree.layers for move in layer.moves):
        return math.inf, strategy
    value = min(float(value), sys.float_info.max)  # a moment beyond the doubles is not infinite
    # each round multiplies and adds as many positive terms as the widest request has outcomes
    slack = (tree.rounds + 1) * (max(map(len, branches)) + 2) * 2.0**-52
    if value <= 1 + slack:
        return 0.0, strategy
    return math.log(value) / (order - 1) * (1 - 1e-12) - 2 * slack / (order - 1), strategy


def _rational_outputs(pair: DominatingPair) -> FiniteOutputs:
    """Return a pair's outputs, its doubles of losses and masses taken as exact rationals."""
    try:
        return FiniteOutputs.of_pair(pair)
    except NoFiniteDistributionError:
        if pair.outputs is None:
            raise TypeError(
                f"menu must hold pairs with finitely many outcomes, got {pair!r}; pass e.g. RandomizedResponse(0.5)"
            ) from None
    loss_masses = [
        (float(loss), to_fmpq(Fraction(float(mass)))) for loss, mass in pair.outputs if float(mass) > 0
    ]
    finite = [
        ((Fraction(loss), Fraction(1)), mass, loss) for loss, mass in loss_masses if math.isfinite(loss)
    ]
    erased = sum((mass for loss, mass in loss_masses if math.isinf(loss)), start=flint.fmpq(0))
    return FiniteOutputs(tuple(finite), erased, flint.fmpq(0))


def _weighted_masses(drawn: FiniteOutputs, order: float) -> list[float]:
    """Return the mass of each output times e^{(order-1) loss}, rounded down, and inf for an infinite loss.

    It is reduced by 2^-50, because doubles may be rounded versions of the intended numbers.
    """
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        less, share = to_ball(order) - 1, 1 - flint.arb(2) ** -50
        finite = [
            round_down(flint.arb(mass) * (less * loss_as_ball(loss)).exp() * share)
            for loss, mass, _ in drawn.outputs
        ]
    return [*finite, *([math.inf] if drawn.erased_p else [])]
