"""An epsilon that is the logarithm of a rational, kept as that rational."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from filterproof.theory.numerics.stable import log_fraction


@dataclass(frozen=True, slots=True)
class LogRatio:
    """epsilon = log(ratio), in nats, of a positive rational: e^epsilon is exact.

        >>> from fractions import Fraction
        >>> import filterproof as fp
        >>> round(float(fp.LogRatio(Fraction(9, 4))), 4)
        0.8109

    Raises TypeError where ratio is neither int nor Fraction, ValueError where it is not positive.
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.ratio, (int, Fraction)):
            raise TypeError(f"ratio must be rational, got ratio={self.ratio!r}; pass Fraction(9, 4), say")
        if self.ratio <= 0:
            raise ValueError(f"ratio must be > 0, got ratio={self.ratio!r}; pass e^epsilon as a fraction")
        object.__setattr__(self, "ratio", Fraction(self.ratio))

    def __float__(self) -> float:
        return log_fraction(self.ratio)

    def __str__(self) -> str:
        return f"log({self.ratio})"
