"""The worst case over a menu of one Gaussian against a filter that looks at losses: to ask until the game ends.

With one request to ask for, an adversary only chooses when to stop asking. What it sees up to there is a function
of what it would see by asking on, so asking on never lowers the divergence (post-processing), whatever the filter
looks at.
"""

from __future__ import annotations

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversaries import Constant
from mc.engine.game import Game
from mc.evaluate.certified_law import CertifiedLaw
from mc.losses.log_ratio import Epsilon
from mc.worst_case.enclosure import Enclosure
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["one_level"]

#: A game that is not over after so many rounds counts as one without end.
_LONGEST = 1000


def one_level(
    filt: PrivacyFilter, pair: DominatingPair, epsilon: Epsilon, *, direction: Direction, rounds: int | None
) -> Enclosure:
    """The enclosure of the worst case in one direction; ValueError for a game without end."""
    strategy = Constant(pair)
    game = Game.between(filt, strategy, rounds=_LONGEST if rounds is None else rounds)
    (played,) = CertifiedLaw.evaluations(game, [epsilon], (direction,), "")
    if rounds is None and played.rounds >= _LONGEST:
        raise ValueError(
            f"rounds must be given, got rounds=None for a game that is not over after {_LONGEST} rounds; pass a number"
        )
    return Enclosure(
        played.low,
        played.high,
        strategy,
        played.rounds,
        played.positions,
        note=played.scope.removeprefix("; "),
    )
