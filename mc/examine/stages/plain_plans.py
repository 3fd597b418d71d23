"""Adaptive plans that people read: over a few plain requests, or a menu's game written out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import decode, nameable
from mc.examine.admitted import admits
from mc.examine.attack import Attack, goals_of, ratio_at, solved_game
from mc.examine.witness import TELLING, Witness
from theory.arguments import beyond
from theory.pairs import DominatingPair, Erasure, RandomizedResponse

__all__ = ["plain_plans", "written"]

#: e^epsilon of plain responses, and shares of erasures.
_RATIOS = tuple(
    Fraction(*one) for one in ((3, 1), (2, 1), (3, 2), (5, 4), (11, 10), (21, 20), (101, 100), (1001, 1000))
)
#: The rounds of a menu's game that is written out.
_WRITTEN = 6
_PARTS = tuple(Fraction(d, 10**k) for k in range(1, 8) for d in (5, 1))


def plain_plans(filt: PrivacyFilter) -> Iterator[Attack]:
    """Solved games over one or two plain requests that a fresh run grants, few rounds first."""
    start = filt.start(1)
    responses: list[DominatingPair] = [RandomizedResponse.from_ratio(ratio) for ratio in _RATIOS]
    responses = [pair for pair in responses if admits(filt, start, pair)][:4]
    erasures: list[DominatingPair] = [Erasure(beyond(p), exact=p) for p in _PARTS]
    erasures = [pair for pair in erasures if admits(filt, start, pair)][:1]
    menus = [[pair] for pair in (*responses, *erasures)] + [
        list(two) for two in combinations((*responses, *erasures), 2)
    ]
    for rounds in (2, 3, 4, 5, 7, 10):
        for menu in menus:
            for epsilon, ratio in goals_of(filt):
                if (solved := solved_game(filt, menu, rounds, epsilon, ratio)) is not None:
                    yield solved[1]


def written(filt: PrivacyFilter, best: Witness) -> Witness | None:
    """The plan that is best over a menu's pairs that have rational masses; None where much is lost by the others."""
    if best.measure.kind != "hockey-stick" or best.rounds > _WRITTEN:
        return None
    menu = decode(best.data["menu"], nameable())
    pairs = [exact for pair in menu if (exact := pair.rational) is not None]
    if not pairs:
        return None
    epsilon = best.measure.at
    solved = solved_game(filt, pairs, best.rounds, epsilon, ratio_at(filt, epsilon))
    if solved is None or not solved[1].refuted or solved[1].share < min(TELLING, 0.9 * best.factor):
        return None
    return Witness(filt, solved[1].witness)
