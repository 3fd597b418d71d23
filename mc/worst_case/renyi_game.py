"""The most that an adaptive adversary can make of the Rényi divergence of a transcript, from below, on finite menus.

e^{(a-1) D_a} = E_P[e^{(a-1) L}] is a product over rounds, so that the best strategy depends on the filter's state:

    V(state) = max(1, max over admitted m of E_{P_m} [e^{(a-1) loss} V(state after m and its loss)]).

>>> import filterproof as fp
>>> low = renyi_game(fp.RenyiFilter(2.0, 1.0), (fp.RandomizedResponse(0.5),), order=2.0, rounds=8)
>>> 4 * fp.RandomizedResponse(0.5).renyi(2.0) >= low > 3.99 * fp.RandomizedResponse(0.5).renyi(2.0)  # four are granted
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np

from filters.privacy_filter import PrivacyFilter
from mc.evaluate.walk import Branch
from mc.losses.balls import BITS, ball, down
from mc.losses.outputs import exact_outputs
from mc.worst_case.tree import GameTree
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["renyi_game"]


def renyi_game(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    *,
    order: float,
    rounds: int,
    direction: Direction = "PQ",
    max_positions: int = 200_000,
) -> float:
    """A number not above the largest D_order(P || Q) of a transcript over adaptive adversaries on the menu.

    Every rounding error is included. A strategy is counted that may stop at any time. Raises TypeError for pairs that
    are not finite, TooLargeError beyond `max_positions` states.
    """
    laws = [_outputs(pair, order, direction) for pair in menu]
    # the loss so far does not matter: positions are states
    outcomes = [[Branch(_nothing, seen) for _, seen in law] for law in laws]
    tree = GameTree.of(filt, menu, outcomes, 0, rounds=rounds, max_positions=max_positions)
    value, _ = tree.solve(
        [[weight for weight, _ in law] for law in laws], lambda losses: np.ones(len(losses))
    )
    if math.isinf(value):
        return math.inf
    # each round multiplies and adds as many terms as the widest request has outcomes, all positive
    slack = (tree.rounds + 1) * (max(map(len, laws)) + 2) * 2.0**-52
    if value <= 1 + slack:
        return 0.0
    return math.log(value) / (order - 1) * (1 - 1e-12) - 2 * slack / (order - 1)


def _nothing(loss: int) -> int:
    return loss


def _outputs(pair: DominatingPair, order: float, direction: Direction) -> list[tuple[float, float]]:
    """(p e^{(order-1) loss} rounded down, the loss log dP/dQ that the filter sees) of each output."""
    if pair.outputs is None:
        raise TypeError(f"menu must hold finite pairs, got {pair!r}; pass RandomizedResponse(0.5), say")
    with flint.ctx.workprec(BITS):
        if (exact := exact_outputs(pair, direction)) is not None:
            return [(_grown(output.mass, output.tilt, order), output.seen) for output in exact]
        weights = []
        drawn = pair if direction == "PQ" else pair.swapped
        for loss, mass in drawn.outputs or ():
            if float(mass) > 0:
                seen = float(loss) if direction == "PQ" else -float(loss)
                grown = ball(float(mass)) * (ball(order - 1) * ball(float(loss))).exp()
                weight = math.inf if math.isinf(float(loss)) else down(grown * (1 - flint.arb(2) ** -50))
                weights.append((weight, seen))
        return weights


def _grown(mass: Fraction, tilt: Fraction, order: float) -> float:
    """mass e^{(order-1) loss}, rounded down; the loss is -log(tilt)."""
    return down(ball(mass) * (ball(1 - order) * ball(tilt).log()).exp()) if tilt else math.inf
