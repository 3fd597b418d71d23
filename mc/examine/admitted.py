"""The largest requests with rational masses that a filter admits in a state."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from filters.contract.checks import checked_admits
from filters.contract.largest_granted import largest_granted
from filters.contract.state import State
from filters.contract.work import count
from filters.privacy_filter import PrivacyFilter
from mc.losses.log_ratio import nearest_log
from mc.worst_case.plan import Plan
from theory.arguments import Real
from theory.pairs import DominatingPair, Erasure, FinitePair, RandomizedResponse
from theory.rounding import away_from_zero

#: The epsilons of randomised responses and the shares of erasures that are tried: a filter may admit middle ones only.
LEVELS = (*(2.0 ** (k / 16) for k in range(-320, 86)), 40.0)
SHARES = (*(2.0 ** (k / 4) for k in range(-240, 0)), 1.0)


#: Units of work of the charges of a pair in rational numbers.
_RATIONAL_UNITS = 8


def admits(filt: PrivacyFilter, state: State, request: DominatingPair) -> bool:
    count(_RATIONAL_UNITS)
    return bool(checked_admits(filt, state, request, 1)[0])


def simple_ratio(epsilon: Real, accept: Callable[[Fraction], bool] = lambda ratio: True) -> Fraction | None:
    """A rational near e^epsilon with terms as small as `accept` allows; None where it accepts none of those tried."""
    epsilon = float(epsilon)
    exact = Fraction(math.exp(epsilon))
    for size in (2, 5, 10, 100, 1000, 10**5, 10**8, 10**12):
        near = exact.limit_denominator(size)
        for tried in (near, near - Fraction(1, near.denominator)):
            if tried > 1 and abs(nearest_log(tried) - epsilon) < 0.05 * epsilon and accept(tried):
                return tried
    return None


def largest_response(filt: PrivacyFilter) -> RandomizedResponse | None:
    """The largest randomised response that the filter admits at the start, up to epsilon = 40."""
    start = filt.start(1)
    top = largest_granted(lambda e: admits(filt, start, RandomizedResponse(e)), LEVELS)
    if top is None:
        return None
    ratio = simple_ratio(top, lambda r: admits(filt, start, RandomizedResponse.from_ratio(r)))
    if ratio is None:
        # no simple rational is admitted: take one whose logarithm is rounded up to the very double `top`
        exact = RandomizedResponse(top).rational
        return exact if exact is not None and admits(filt, start, exact) else None
    return RandomizedResponse.from_ratio(ratio)


def largest_erasure(filt: PrivacyFilter) -> Erasure | None:
    """The largest erasure that the filter admits at the start."""
    start = filt.start(1)
    top = largest_granted(lambda p: admits(filt, start, Erasure(p)), SHARES) or 0.0
    for size in (10**k for k in range(1, 19)):
        p = Fraction(top).limit_denominator(size)
        if p > 0.9 * top > 0 and admits(filt, start, erasure := Erasure(away_from_zero(p), exact=p)):
            return erasure
    return None


@dataclass(frozen=True, slots=True)
class Frontier:
    """The pairs P = (a, 1-a), Q = (b, 1-b) that a filter admits in a state: for each b, all a up to a largest one.

    What was asked is remembered, for the answers do not depend on what an adversary wants. Acceptance is taken to be
    monotone in a; where it is not, a reply may be missed, and none is believed that was not admitted.
    """

    filter: PrivacyFilter
    state: State
    known: dict[Fraction, tuple[float, float]] = field(default_factory=dict)

    def largest(self, b: Fraction, least: float, closeness: float) -> float:
        """About the largest a; 0.0 where it is below `least`, which one question settles."""
        low = max(1.001 * float(b), least)
        return (low < 1 and largest_granted(lambda a: self._admits(a, b), (low, 1.0), closeness)) or 0.0

    def _admits(self, a: float, b: Fraction) -> bool:
        admitted, denied = self.known.get(b, (-math.inf, math.inf))
        if admitted < a < denied:
            answer = admits(self.filter, self.state, _two_points(a, b))
            self.known[b] = (a, denied) if answer else (admitted, a)
            return answer
        return a <= admitted


def best_reply(frontier: Frontier, growth: Fraction) -> Plan | None:
    """A plan asking for the admitted P = (a, 1-a), Q = (b, 1-b) of largest a - growth b; None if stopping pays more."""
    best, plan = max(1 - growth, Fraction(0)), None
    logs = np.linspace(-40.0, -1.0, 27)
    for closeness in (1e-2, 1e-4):
        values = []
        for exponent in logs:
            b = _dyadic(2.0**exponent)
            # no a exceeds 1, and a growth of e^epsilon need not fit a double
            a = frontier.largest(b, float(min(best + growth * b, Fraction(1))), closeness)
            pair = _two_points(a, b) if a > b else None
            value = pair.p[0] - growth * pair.q[0] if pair is not None else Fraction(-1)
            values.append(value)
            if pair is not None and value > best:
                best, plan = Fraction(value), Plan(pair, (None, None))
        centre = max(
            range(len(values)), key=values.__getitem__
        )  # not np.argmax: Fractions need not fit doubles
        spread = logs[1] - logs[0]
        logs = np.linspace(logs[centre] - spread, min(logs[centre] + spread, -0.01), 9)
    return plan


def _dyadic(x: float) -> Fraction:
    """x to 24 significant bits."""
    mantissa, exponent = math.frexp(x)
    return Fraction(round(mantissa * 2**24)) * Fraction(2) ** (exponent - 24)


def _two_points(a: float, b: Fraction) -> FinitePair:
    top = min(_dyadic(a), 1 - Fraction(1, 2**30))
    return FinitePair((top, 1 - top), (b, 1 - b))
