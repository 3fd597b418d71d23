"""Reference values of pairs over finitely many outcomes: sums in balls.

>>> from filterproof.theory.pairs import Erasure
>>> print(Erasure(0.25).reference_values.hockey_stick(3.0).ball())
0.250000000000000
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs.reference_values import (
    INFINITE,
    Exact,
    PairReferenceValues,
    ReferenceValue,
    ball_of,
)

if TYPE_CHECKING:
    from flint import arb

#: A formula in the parameters, or a fraction, which is exactly 0 for no mass.
Mass: TypeAlias = str | Fraction
_Balls: TypeAlias = list[tuple["arb", "arb"]]
#: The bits that represent 1 - d for the smallest d, and a moment near one.
_WHOLE = 1200


class FiniteReferenceValues(PairReferenceValues):
    """Reference values of a pair with listed outcomes."""

    __slots__ = ()

    @property
    @abstractmethod
    def masses(self) -> list[tuple[Mass, Mass]]:
        """Return (P, Q) for each outcome."""

    @property
    def pure_epsilon(self) -> ReferenceValue:
        return (
            INFINITE
            if self._lacks_outcome(0) or self._lacks_outcome(1)
            else self._outcome_sum(_largest_absolute_loss)
        )

    def renyi(self, alpha: Exact) -> ReferenceValue:
        return (
            INFINITE
            if self._lacks_outcome(1)
            else self._outcome_sum(partial(_renyi_divergence, Fraction(alpha)))
        )

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        return self._outcome_sum(partial(_hockey_stick_sum, Fraction(epsilon)))

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        return self._outcome_sum(partial(_mass_below, Fraction(x)))

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        infinite = sum((Fraction(p) for p, q in self.masses if q == 0), Fraction(0))
        return INFINITE if infinite > tail else self._outcome_sum(partial(_loss_at_tail, Fraction(tail)))

    def _lacks_outcome(self, which: int) -> bool:
        """Return whether P (0) or Q (1) lacks an outcome of the other one."""
        return any(both[which] == 0 != both[1 - which] for both in self.masses)

    def _outcome_sum(self, of: Callable[[_Balls], arb]) -> ReferenceValue:
        """Return a sum over the outcomes of P or Q."""

        def value() -> arb:
            from flint import ctx

            with PRECISION_LOCK, ctx.workprec(2 * ctx.prec + _WHOLE):
                masses = [both for both in self.masses if any(mass != 0 for mass in both)]
                return of(
                    [
                        (ReferenceValue(p, self.at).ball(), ReferenceValue(q, self.at).ball())
                        for p, q in masses
                    ]
                )

        return ReferenceValue(value)


def _is_zero(mass: arb) -> bool:
    """Return whether the mass is exactly zero; a ball around a tiny mass does not show it."""
    return bool(mass.is_exact() and mass.is_zero())


def _renyi_divergence(order: Fraction, both: _Balls) -> arb:
    alpha = ball_of(order)
    produced = [(p, q) for p, q in both if not _is_zero(p)]
    if order == 1:
        return sum((p * (p / q).log() for p, q in produced), ball_of(0))
    moment = sum(((alpha * p.log() - (alpha - 1) * q.log()).exp() for p, q in produced), ball_of(0))
    return moment.log() / (alpha - 1)


def _hockey_stick_sum(x: Fraction, both: _Balls) -> arb:
    ratio, zero = ball_of(x).exp(), ball_of(0)
    return sum(((p - ratio * q).max(zero) for p, q in both), zero)


def _mass_below(level: Fraction, both: _Balls) -> arb:
    ratio, total = ball_of(level).exp(), ball_of(0)
    for p, q in both:
        gap = p - ratio * q
        if gap < 0:
            total += p
        elif not gap > 0:
            return total.nan()
    return total


def _loss_at_tail(tail: Fraction, both: _Balls) -> arb:
    """Return the largest loss with more than `tail` of mass at or above it."""
    goal = ball_of(tail)
    above = sum((p for p, q in both if _is_zero(q)), ball_of(0))
    finite = [(p, q) for p, q in both if not (_is_zero(p) or _is_zero(q))]
    for p, q in sorted(finite, key=lambda masses: (masses[0] / masses[1]).mid(), reverse=True):
        above += p
        if above > goal:
            return (p / q).log()
        if not above < goal:
            return above.nan()
    return above.nan()


def _largest_absolute_loss(both: _Balls) -> arb:
    largest = ball_of(0)
    for p, q in both:
        largest = largest.max(abs((p / q).log()))
    return largest
