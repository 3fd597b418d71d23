"""Adaptive plans that people read: over a few plain requests, or a menu's game written out, in masses of few digits.

>>> masses = (Fraction(16539331, 33554432), Fraction(17015101, 33554432)), (Fraction(1, 470), Fraction(469, 470))
>>> [plan.request.p[0] for plan in round_plans(Plan(FinitePair(*masses), (None, None)))]
[Fraction(2, 5), Fraction(49, 100), Fraction(123, 250)]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import decode, decode_fraction, nameable
from mc.examine.admitted import admits
from mc.examine.attack import Attack, goals_of, ratio_above, solved_game
from mc.examine.witness import TELLING, Witness
from mc.worst_case.plan import DeniedError, Plan
from theory.arguments import beyond
from theory.pairs import DominatingPair, Erasure, FinitePair, RandomizedResponse

__all__ = ["plain_plans", "round_plans", "written"]

#: e^epsilon of plain responses, and shares of erasures.
_RATIOS = tuple(
    Fraction(*one) for one in ((3, 1), (2, 1), (3, 2), (5, 4), (11, 10), (21, 20), (101, 100), (1001, 1000))
)
#: The rounds of a menu's game that is written out, and the digits of masses.
_WRITTEN, _DIGITS = 6, (1, 2, 3)
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


def written(filt: PrivacyFilter, best: Witness) -> Witness | None:
    """A witness that holds a menu as the plan that is best, one with a plan in fewer digits; None where neither is."""
    found = _of_menu(filt, best) if best.kind == "menu" else best
    return None if found is None or found.kind != "plan" else _in_few_digits(filt, found)


def _of_menu(filt: PrivacyFilter, best: Witness) -> Witness | None:
    """The game of those of its pairs that have rational masses, solved exactly; None where much is lost by that."""
    if best.measure.kind != "hockey-stick" or best.rounds > _WRITTEN:
        return None
    menu = decode(best.data["menu"], nameable())
    pairs = [exact for pair in menu if (exact := pair.rational) is not None]
    if not pairs:
        return None
    epsilon = best.measure.at
    tried = solved_game(filt, pairs, best.rounds, epsilon, ratio_above(epsilon))[0].followed(filt)
    return Witness(filt, tried.witness) if tried.refuted and _enough(tried, best) else None


def _in_few_digits(filt: PrivacyFilter, best: Witness) -> Witness:
    ratio, way = decode_fraction(best.data["ratio"]), best.measure.direction
    for plan in round_plans(Plan.from_data(best.data["plan"], nameable())):
        try:
            value = plan.worth(filt, ratio, way)
        except DeniedError:
            continue
        tried = Attack(filt, best.measure.at, ratio, best.promised, value, way, plan, 1)
        if tried.refuted and _enough(tried, best):
            return Witness(filt, tried.witness)
    return best


def _enough(tried: Attack, best: Witness) -> bool:
    return tried.share >= min(TELLING, 0.9 * best.factor)


def round_plans(plan: Plan) -> Iterator[Plan]:
    """The plan with masses of one digit, then two, then three; none where nothing is to be rounded."""
    for digits in _DIGITS:
        tried = _rounded(plan, digits)
        if tried != plan:
            yield tried


def _rounded(plan: Plan, digits: int) -> Plan:
    then = tuple(None if part is None else _rounded(part, digits) for part in plan.then)
    return Plan(_pair(plan.request, digits), then)


def _pair(pair: DominatingPair, digits: int) -> DominatingPair:
    """A pair of two outputs, no response, drawn together, so that a filter that grants it grants that, too."""
    exact = pair.exact_masses
    if pair.kov is not None or exact is None or len(exact.p) != 2:
        return pair
    (a, _), (b, _) = exact.p, exact.q
    down, up = (a, b) if a > b else (b, a)
    down, up = _digits(Fraction(down), digits, above=False), _digits(Fraction(up), digits, above=True)
    if not down > up:
        return pair
    a, b = (down, up) if a > b else (up, down)
    return FinitePair((a, 1 - a), (b, 1 - b))


def _digits(mass: Fraction, digits: int, *, above: bool) -> Fraction:
    """A mass of so many digits, or one minus such a mass, at or above it or at or below it."""
    if mass > Fraction(1, 2):
        return 1 - _digits(1 - mass, digits, above=not above)
    if mass <= 0:
        return mass
    unit = Fraction(10) ** (math.floor(math.log10(mass)) + 1 - digits)
    return (math.ceil if above else math.floor)(mass / unit) * unit
