"""Stopping by the sparse vector technique: whether a count has reached a threshold after each round, for one charge.

>>> from fractions import Fraction
>>> import numpy as np
>>> rng = np.random.default_rng(1)
>>> stop = AboveThreshold(-60, ratio=Fraction(3, 2), monotone=True, rng=rng)
>>> [stop.is_above(-active, rng) for active in (100, 80, 40)]
[False, False, True]
>>> stop.promise, stop.request
(PureDP(epsilon=0.8109302162163288), RandomizedResponse(epsilon=0.8109302162163288, ratio=Fraction(9, 4)))
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.theory.argument_checks import check_count
from filterproof.theory.guarantees import PureDP
from filterproof.theory.pairs import RandomizedResponse

#: The largest absolute value of counts and thresholds; the numbers of the ratio are below it.
_MAX_MAGNITUDE = 2**62


class AboveThreshold(StatefulAccountant):
    """The sparse vector technique: is value_i + noise_i >= threshold + noise? The first yes ends it.

    Parameters
    ----------
    threshold : int
        The threshold.
    ratio : Fraction, > 1
        The noise has P(k) proportional to `ratio^-|k|` at every integer k.
    rng : numpy.random.Generator
        The generator of the noise on the threshold.
    monotone : bool
        Whether of two neighbouring data sets one has all values at least those of the other, as counts of people do.

    Raises
    ------
    ValueError
        After the first yes, for a ratio of at most one, and for values that are no integers or too large.

    Notes
    -----
    The analyst chooses the integer values adaptively. Each value differs by at most one between neighbouring data
    sets. All answers together are log(ratio^3)-DP, or log(ratio^2)-DP if `monotone`. The noise is exact. Pass
    `request` to the filter of the analysis before the first value; it pays for all answers. A copy or a pickle raises
    TypeError, a use after a fork RuntimeError. Dwork, Naor, Reingold, Rothblum & Vadhan; Lyu, Su & Li; Feldman & Zrnic
    (2021), Section 5, name it.
    """

    theorem: ClassVar[str] = "sparse vector"
    _remedy: ClassVar[str] = "make another one, with a charge of its own"

    def __init__(
        self, threshold: int, *, ratio: Fraction, rng: np.random.Generator, monotone: bool = False
    ) -> None:
        if not (isinstance(ratio, Fraction) and ratio > 1 and ratio.numerator < _MAX_MAGNITUDE):
            raise ValueError(
                f"ratio must be a Fraction above one with a numerator below 2^62, got {ratio!r}; pass e^epsilon of "
                "each noise, such as Fraction(11, 10)"
            )
        super().__init__()
        self._ratio, self._factors = ratio, 2 if monotone else 3
        self._noisy = _checked_integer("threshold", threshold) + self._draw_discrete_laplace(rng)
        self._over = False

    @property
    def request(self) -> RandomizedResponse:
        """The pair that dominates all answers together."""
        return RandomizedResponse.from_ratio(self._ratio**self._factors)

    @property
    def promise(self) -> PureDP:
        """The guarantee of all answers together."""
        return PureDP(float(self.request.pure_epsilon))

    def is_above(self, value: int, rng: np.random.Generator) -> bool:
        """Return whether the noisy value reaches the noisy threshold; the first True is the last answer."""
        with self._in_turn("is_above"):
            if self._over:
                raise ValueError(
                    "value must come before the first True, got one after it; make another AboveThreshold"
                )
            self._over = _checked_integer("value", value) + self._draw_discrete_laplace(rng) >= self._noisy
            return self._over

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ratio={self._ratio}, {self._factors} log(ratio)-DP, over={self._over})"

    def _draw_discrete_laplace(self, rng: np.random.Generator) -> int:
        """Return a discrete Laplace number: a difference of two geometric ones, r = 1/ratio."""
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"rng must be a numpy.random.Generator, got {rng!r}; pass np.random.default_rng()"
            )
        return self._draw_geometric(rng) - self._draw_geometric(rng)

    def _draw_geometric(self, rng: np.random.Generator) -> int:
        """Return a geometric number n >= 0, P(n) = (1 - r) r^n, r = 1/ratio."""
        failures = 0
        while int(rng.integers(self._ratio.numerator)) < self._ratio.denominator:
            failures += 1
        return failures


def _checked_integer(name: str, value: int) -> int:
    """Return `value` as an int. Raises an error above 2^62 in absolute value."""
    integer = check_count(name, value, least=-_MAX_MAGNITUDE)
    if integer > _MAX_MAGNITUDE:
        raise ValueError(f"{name} must be at most 2^62, got {value!r}; pass a smaller count")
    return integer
