"""The charges of the Gaussian residue filter for randomised responses: its inequality at every epsilon, in balls.

>>> from filterproof.filters.rules.gaussian_residue import GaussianResidueFilter
>>> all(one.fits for one in residue_comparisons(GaussianResidueFilter(1.0), "it"))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from flint import arb

from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.potential_checks import level_decrease_comparison
from filterproof.filters.rules.gaussian_residue import GaussianResidueFilter
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from filterproof.theory.pairs.normal_distribution import hockey_stick, tail
from filterproof.theory.pairs.reference_values import ball_of

_THEOREM = "GDP residue filter"
#: The epsilons of the tested responses, and the mu of the Gaussians, in units of the filter's own mu.
_SHARES = (1 / 8, 1 / 2)
#: The most halvings of an interval, after which it is undecided.
_DEEPEST = 40


def residue_comparisons(filt: GaussianResidueFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the first level, and of the charges of Gaussians and randomised responses.

    For a response, the difference of the two sides is enclosed on intervals that cover all epsilons. This does not use
    the filter's argument for epsilon = 0 alone.
    """
    of, unit = Comparisons(_THEOREM, name), Fraction(2) ** filt._exponent
    first = filt._budget * unit
    yield of.at_most("the square of mu at the first level", first, "mu**2", mu=filt.mu)
    for share in _SHARES:
        x = share * filt.mu
        square = int(filt._charges(Gaussian(x))[0]) * unit
        if square < first:  # a Gaussian with all of mu also takes the rest from rounding
            says = f"charge of Gaussian({x!r})"
            yield of.by_margin(says, square, ">=", "x - mu**2", slack=2.0**-40, mu=x)
        pair = RandomizedResponse(x)
        charges, says = filt._charges(pair).tolist(), f"charge of {pair!r} that leaves"
        mu = "x - (2*quantile(1/(1 + exp(epsilon))))**2"
        yield of.by_margin(f"{says} less", charges[0] * unit, ">=", mu, slack=2.0**-36, epsilon=x)
        for floor, charge in zip(filt._halvings[1:], charges[1:], strict=True):
            if charge > filt._budget - floor:
                continue
            margin = partial(_residue_margin, Fraction(x), floor * unit)
            left = f"{float(floor * unit):.6g} of mu^2 or more"
            yield of.by_margin(f"{says} {left}", charge * unit, ">=", margin, slack=2.0**-36)
        yield level_decrease_comparison(filt, of, pair)


def _residue_margin(epsilon: Fraction, remaining: Fraction, charge: arb) -> arb:
    """Return G(0, left + charge) - E G(-L, left), the smallest at any epsilon if the others are found to be positive.

    K(z) = e^{-z/2} (G(z, left + charge) - E G(z - L, left)) is even.
    """
    curves = _ResidueCurves(epsilon, remaining, charge)
    at_none = curves.difference(arb(0))
    if not at_none > 0:
        return at_none
    end = curves.positive_from()
    near = end
    for _ in range(_DEEPEST):  # K'' - K/4 > 0 from 0 to near, with K(0) >= 0 and K'(0) = 0: K stays positive
        if curves.scaled_density_difference(arb(0).union(near)) > 0:
            break
        near = (near / 2).mid()
    else:
        return arb(0, 1)
    return at_none if _is_difference_positive(curves, near, end, _DEEPEST) else arb(0, 1)


def _is_difference_positive(curves: _ResidueCurves, low: arb, high: arb, deepest: int) -> bool:
    """Return whether the difference of the curves is positive on [low, high], by slopes and bisection."""
    middle = ((low + high) / 2).mid()
    both = low.union(high)
    if curves.difference(middle) + curves.slope(both) * (both - middle) > 0:
        return True
    return (
        deepest > 0
        and _is_difference_positive(curves, low, middle, deepest - 1)
        and _is_difference_positive(curves, middle, high, deepest - 1)
    )


class _ResidueCurves:
    """The Gaussian's curve of left + charge, and the mean of the curve of left over the loss of randomised response."""

    def __init__(self, epsilon: Fraction, left: Fraction, charge: arb) -> None:
        self.epsilon, self.left = ball_of(epsilon), ball_of(left)
        self.total = self.left + charge
        self.lie = 1 / (1 + self.epsilon.exp())

    def difference(self, z: arb) -> arb:
        """Return G(z, left + charge) - E G(z - L, left)."""
        return self._difference_of_parts(z, lambda level, v: hockey_stick(v.sqrt(), level))

    def slope(self, z: arb) -> arb:
        return self._difference_of_parts(z, _hockey_stick_slope)

    def _difference_of_parts(self, z: arb, part: Callable[[arb, arb], arb]) -> arb:
        truthful, lied = part(z - self.epsilon, self.left), part(z + self.epsilon, self.left)
        return part(z, self.total) - (1 - self.lie) * truthful - self.lie * lied

    def scaled_density_difference(self, z: arb) -> arb:
        """Return K'' - K/4 times a positive factor, a difference of two densities over the first."""
        excess = 1 / self.left - 1 / self.total
        ratio = (-(z**2) * excess / 2 - self.epsilon**2 / (2 * self.left)).exp()
        ratio *= (z * self.epsilon / self.left).cosh() * (self.total / self.left).sqrt()
        return 1 - ratio / (self.epsilon / 2).cosh() * ((self.total - self.left) / 8).exp()

    def positive_from(self) -> arb:
        """The z from which on the difference of the curves is positive."""
        low, high = self.left.sqrt(), self.total.sqrt()
        return ((self.epsilon - low * (high - low) / 2) / (1 - low / high)).upper()


def _hockey_stick_slope(z: arb, v: arb) -> arb:
    root = v.sqrt()
    return -z.exp() * tail(z / root + root / 2)
