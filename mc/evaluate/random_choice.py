"""The divergence of an adversary who chooses from a menu by his own coins: the mean over fixed sequences.

>>> import filterproof as fp
>>> menu = (fp.Gaussian(0.3), fp.Gaussian(0.6))
>>> found = mean_of_sequences(fp.GaussianFilter(0.6), menu, epsilon=1.0, rounds=16, direction="PQ")
>>> found.low <= fp.GaussianDP(0.6).delta(1.0) and found.high >= found.low > 0
True
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

import flint
import numpy as np

from filters.contract.checks import checked_admits, checked_spend, checked_start
from filters.contract.state import State, join, keys, take
from filters.privacy_filter import PrivacyFilter
from mc.losses.balls import BITS, ball, down, up
from mc.losses.composition import Bounds, Composition
from theory.arguments import check_count
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["mean_of_sequences"]


def mean_of_sequences(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    *,
    epsilon: float,
    rounds: int,
    direction: Direction,
    relative: float = 1e-3,
) -> Bounds:
    """H_{e^epsilon} of the transcript of who asks for a uniform pair of `menu` each round, until denied.

    His coins are known to all and independent of what is released, so that it is the mean, over his sequences, of the
    hockey-stick of what the filter's own code grants of each; sequences of the same counts compose alike. Of a filter
    that looks at losses only the first round is followed, which is a lower bound by data processing, and high is 1.
    Both ends are certified, and aim at a width of `relative`. direction "QP" swaps P and Q; a denial ends the play.
    """
    followed = 1 if filt.looks_at_losses else check_count("rounds", rounds)
    ended = _ended(filt, tuple(menu), followed)
    low, high = flint.arb(0), flint.arb(0)
    with flint.ctx.workprec(BITS):
        for counts, share in ended.items():
            asked = {pair: times for pair, times in zip(menu, counts, strict=True) if times}
            if not asked:
                continue
            one = Composition(asked).delta(epsilon, relative=relative, direction=direction)
            low, high = low + ball(share) * ball(one.low), high + ball(share) * ball(one.high)
        return Bounds(max(down(low), 0.0), 1.0 if filt.looks_at_losses else min(up(high), 1.0))


def _ended(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...], rounds: int
) -> dict[tuple[int, ...], Fraction]:
    """How often each pair was granted -> the probability of that, when the play has ended."""
    ended: dict[tuple[int, ...], Fraction] = {}
    state: State = checked_start(filt, 1)
    reached: list[tuple[tuple[int, ...], Fraction]] = [((0,) * len(menu), Fraction(1))]
    for _ in range(rounds):
        parts: list[State] = []
        after: dict[tuple[tuple[int, ...], Hashable], Fraction] = {}
        for place, pair in enumerate(menu):
            go = checked_admits(filt, state, pair, len(reached))
            for counts, share in (one for one, granted in zip(reached, go, strict=True) if not granted):
                ended[counts] = ended.get(counts, Fraction(0)) + share / len(menu)
            rows = np.flatnonzero(go)
            if not len(rows):
                continue
            charged = checked_spend(filt, take(state, rows), pair, len(rows))
            fresh = []
            for i, (row, key) in enumerate(zip(rows.tolist(), keys(charged), strict=True)):
                counts, share = reached[row]
                counts = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
                if (counts, key) not in after:
                    fresh.append(i)
                after[counts, key] = after.get((counts, key), Fraction(0)) + share / len(menu)
            if fresh:
                parts.append(take(charged, np.array(fresh)))
        if not after:
            return ended
        state, reached = join(parts), [(counts, share) for (counts, _), share in after.items()]
    for counts, share in reached:
        ended[counts] = ended.get(counts, Fraction(0)) + share
    return ended
