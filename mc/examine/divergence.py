"""A divergence of a transcript and the bound that a guarantee puts on it.

>>> from filterproof.theory.guarantees import ZCDP
>>> Divergence.renyi(2.0).promised(ZCDP(0.5))
1.0
>>> print(Divergence.hockey_stick(1.5, "QP"))
delta at epsilon=1.5 (Q||P)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np

from filterproof.filters.accountants.verifiable import AnytimeLossBound
from filterproof.mc.worst_case.plan import GAIN_MARGIN
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.numerics.decimals import format_down, format_up
from filterproof.theory.pairs.base import Direction

#: Orders at which a zCDP guarantee is examined.
_RENYI_ORDERS = (2.0, 1.5, 4.0, 8.0, 32.0, 128.0, 1.1)
#: Higher orders, which see tails too thin for doubles: all of them for zCDP, the last one for GDP.
_HIGH_ORDERS = (2.0**10, 2.0**20)
#: The deltas at which a guarantee for every epsilon is examined, from the middle to the thin tail.
_TARGET_DELTAS = (0.3, 0.1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-13, 1e-20)


@dataclass(frozen=True, slots=True)
class Divergence:
    """H_{e^at} of the transcript, or its Rényi divergence of order `at`; "PQ" is P from Q, "QP" is Q from P.

    For an odometer, the probability that the loss ever exceeds its bound by more than `at`.

    `promised` returns the bound of a guarantee, which is the same in both directions: delta(at), or the Rényi
    divergence that the guarantee states, or inf if it states none.
    """

    kind: Literal["hockey-stick", "renyi", "exceedance"]
    at: float
    direction: Direction = "PQ"

    @classmethod
    def hockey_stick(cls, epsilon: float, direction: Direction = "PQ") -> Self:
        """Return the hockey-stick divergence at epsilon, as a target to measure."""
        return cls("hockey-stick", float(epsilon), direction)

    @classmethod
    def renyi(cls, order: float, direction: Direction = "PQ") -> Self:
        """Return the Rényi divergence of an order, as a target to measure."""
        return cls("renyi", float(order), direction)

    @classmethod
    def exceedance(cls, direction: Direction = "PQ") -> Self:
        """Return the probability that the loss ever exceeds an odometer's bound, as a target to measure."""
        return cls("exceedance", 0.0, direction)

    @property
    def both_directions(self) -> tuple[Self, Self]:
        """Return this divergence and the one in the other direction."""
        return self, replace(self, direction="QP" if self.direction == "PQ" else "PQ")

    def promised(self, promise: Guarantee | AnytimeLossBound) -> float:
        """Return the bound of a guarantee on this divergence; inf if it states none."""
        if isinstance(promise, AnytimeLossBound):
            return promise.failure
        if self.kind == "hockey-stick":
            with np.errstate(all="ignore"):
                return float(promise.delta(self.at))
        match promise:
            case ZCDP(rho):
                return self.at * rho
            case GaussianDP(mu):
                return self.at * mu * mu / 2
            case RenyiDP(alpha, rho) if self.at <= alpha:
                return rho
        return math.inf

    def to_data(self) -> dict[str, Any]:
        """Return the divergence as JSON-compatible data."""
        return {"kind": self.kind, "at": self.at, "direction": self.direction}

    def __str__(self) -> str:
        words = {
            "hockey-stick": f"delta at epsilon={self.at:g}",
            "renyi": f"Rényi divergence of order {self.at:g}",
            "exceedance": "probability that the loss ever exceeds the bound",
        }
        return f"{words[self.kind]} ({'P||Q' if self.direction == 'PQ' else 'Q||P'})"


@dataclass(frozen=True, slots=True)
class Bound:
    """Bounds on a value: it is at least `low`, and at most `high` if `high` is known."""

    low: float
    high: float | None = None
    evidence: Evidence = Evidence.CERTIFIED

    def __str__(self) -> str:
        most = "" if self.high is None else f", at most {format_up(self.high, 9)}"
        return f"at least {format_down(self.low, 9)}{most} ({self.evidence.name})"


def certainly_exceeds(low: float | Fraction, promised: float) -> bool:
    """Whether a value of at least `low` exceeds the guarantee `promised` by more than the rounding of the guarantee."""
    if math.isinf(promised) or math.isnan(promised):
        return False
    if isinstance(low, float) and math.isinf(low):
        return low > 0
    return Fraction(low) > Fraction(promised) * (1 + GAIN_MARGIN)


def targets(promise: Guarantee) -> tuple[Divergence, ...]:
    """Return the divergences in direction "PQ" at which a guarantee is examined. A curve is examined on a grid."""
    return tuple(dict.fromkeys(_target_divergences(promise)))


def _target_divergences(promise: Guarantee) -> Iterator[Divergence]:
    """Yield the divergences to examine for a guarantee, with possible repetitions."""
    if isinstance(promise, (ApproxDP, PureDP)):
        # a pure guarantee bounds nothing beyond its epsilon: look at a larger epsilon, where rounding cannot matter
        beyond = isinstance(promise, PureDP) or promise.delta_at_epsilon == 0
        yield Divergence.hockey_stick(
            promise.epsilon * (1 + float(GAIN_MARGIN)) if beyond else promise.epsilon
        )
        return
    if isinstance(promise, ZCDP):
        yield from (Divergence.renyi(order) for order in _RENYI_ORDERS)
    if isinstance(promise, RenyiDP):
        yield Divergence.renyi(promise.alpha)
    low, high = promise.epsilon_range
    if math.isfinite(high):  # the guarantee may be smallest at the ends of its range
        yield Divergence.hockey_stick(high)
    if low > 0:
        yield Divergence.hockey_stick(low)
    for delta in _TARGET_DELTAS:
        epsilon = _epsilon_at_delta(promise, delta)
        if epsilon is not None:
            yield Divergence.hockey_stick(epsilon)
    if isinstance(promise, (ZCDP, GaussianDP)):
        orders = _HIGH_ORDERS if isinstance(promise, ZCDP) else _HIGH_ORDERS[-1:]
        yield from (Divergence.renyi(order) for order in orders)
    at_zero = Divergence.hockey_stick(0.0)
    if 0 <= at_zero.promised(promise) < 1:
        yield at_zero


def _epsilon_at_delta(promise: Guarantee, delta: float) -> float | None:
    """Return an epsilon at which the guarantee is about `delta`, to three digits, or None."""

    def promised(epsilon: float) -> float:
        return Divergence.hockey_stick(epsilon).promised(promise)

    low, high = 0.0, 2.0**-20
    while not promised(high) <= delta:
        low, high = high, 2 * high
        if high > 2.0**20:
            return None
    if low == 0 and promised(0.0) <= delta:
        return None  # smaller at every epsilon
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if promised(middle) <= delta else (middle, high)
    return float(f"{high:.4g}") if promised(float(f"{high:.4g}")) > 0 else high
