"""Pairs of laws on finitely many outcomes, all rational, for the steps that compare instances.

>>> print(bernoulli("2/3", "1/3").moment(2))
3/2
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["RationalPair", "bernoulli"]


@dataclass(frozen=True, slots=True)
class RationalPair:
    """Two laws on finitely many outcomes, P[y] and Q[y]; ValueError if one is not a law."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        for name, law in (("p", self.p), ("q", self.q)):
            if not all(isinstance(mass, Fraction) and mass >= 0 for mass in law) or sum(law) != 1:
                raise ValueError(f"{name} must be Fractions >= 0 that add to 1, got {law}; pass a law")
        if len(self.p) != len(self.q):
            raise ValueError(f"q must have the {len(self.p)} outcomes of p, got {len(self.q)}; pad with 0")

    @property
    def swapped(self) -> RationalPair:
        """The pair of the other direction."""
        return RationalPair(self.q, self.p)

    def hockey_stick(self, order: Fraction) -> Fraction:
        """The sum of (P - order Q)_+, order > 0."""
        masses = zip(self.p, self.q, strict=True)
        return sum((max(p - order * q, Fraction(0)) for p, q in masses), Fraction(0))

    def moment(self, order: int) -> Fraction:
        """E_Q[(P/Q)^order] = e^{(order-1) D_order(P||Q)}, order >= 1; ValueError where it is infinite."""
        if order < 1:
            raise ValueError(f"order must be >= 1, got order={order}; the moments below bound nothing here")
        masses = [(p, q) for p, q in zip(self.p, self.q, strict=True) if p]
        if order > 1 and any(not q for _, q in masses):
            raise ValueError(f"q must be > 0 where p is: the moment of order {order} is infinite")
        return sum((p * (p / q) ** (order - 1) if order > 1 else p for p, q in masses), Fraction(0))


def bernoulli(p: str, q: str) -> RationalPair:
    """The pair of two coins, heads with probability p and q."""
    a, b = Fraction(p), Fraction(q)
    return RationalPair((a, 1 - a), (b, 1 - b))
