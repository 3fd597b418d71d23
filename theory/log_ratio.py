"""An epsilon that is the logarithm of a rational number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from filterproof.theory.numerics.stable import log_fraction


@dataclass(frozen=True, slots=True)
class LogRatio:
    """An epsilon = log(ratio) for which e^epsilon is an exact rational number.

    Parameters
    ----------
    ratio : Fraction or int
        e^epsilon, above zero. `epsilon` itself is in nats.

    Raises
    ------
    TypeError
        If `ratio` is neither an int nor a Fraction.
    ValueError
        If `ratio` is zero or negative.

    Notes
    -----
    `float(LogRatio(ratio))` is log(ratio) as a double.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import filterproof as fp
    >>> round(float(fp.LogRatio(Fraction(9, 4))), 4)
    0.8109
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.ratio, (int, Fraction)):
            raise TypeError(
                f"ratio must be rational, got ratio={self.ratio!r}; pass for example Fraction(9, 4)"
            )
        if self.ratio <= 0:
            raise ValueError(f"ratio must be > 0, got ratio={self.ratio!r}; pass e^epsilon as a fraction")
        object.__setattr__(self, "ratio", Fraction(self.ratio))

    def __float__(self) -> float:
        return log_fraction(self.ratio)

    def __str__(self) -> str:
        return f"log({self.ratio})"
