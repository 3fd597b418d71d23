"""Adaptive plans over a few plain requests, solved exactly, for a filter whose decisions depend on realised losses."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from filters.privacy_filter import PrivacyFilter
from mc.examine.admitted import admits
from mc.examine.attack import Attack, goals_of, solved_game
from theory.arguments import beyond
from theory.pairs import DominatingPair, Erasure, RandomizedResponse

__all__ = ["plain_plans"]

#: e^epsilon of plain responses, and shares of erasures.
_RATIOS = tuple(
    Fraction(*one) for one in ((3, 1), (2, 1), (3, 2), (5, 4), (11, 10), (21, 20), (101, 100), (1001, 1000))
)
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
                lead, longest = solved_game(filt, menu, rounds, epsilon, ratio)
                if longest:
                    yield lead.followed(filt)
