"""The trade-off curve alpha -> T(alpha), the smallest type II error of a test of P against Q, with a confidence band.

>>> import filterproof as fp
>>> def curve(direction):
...     options = {"epsilon": [0.0, 1.0], "n": 1000, "method": "plain", "direction": direction}
...     return fp.simulate(fp.GaussianFilter(mu=1.0), fp.OneShot(), **options)
>>> band = fp.TradeOff(curve("PQ"), curve("QP"))
>>> bool(band.low(0.1) <= 0.611 <= band.high(0.1))
True
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.estimate.curve import DOUBLES_END, ProfileEstimate
from filterproof.mc.intervals.moments import ROUNDING
from filterproof.theory.argument_checks import check_probability
from filterproof.theory.display import Plottable, Row

#: Steps between neighbouring epsilons of the grid at which the upper bound evaluates the profiles.
_REFINEMENT = 16
#: The errors alpha of `rows`: small ones, then every hundredth.
_ALPHAS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, *(k / 100 for k in range(1, 101)))


@dataclass(frozen=True, slots=True, repr=False)
class TradeOff(Plottable):
    """A confidence band around the trade-off function of P and Q.

        T(alpha) = inf {Q(accept) : tests with P(reject) <= alpha}

    T(alpha) is the smallest type II error at type I error alpha, with P as the null hypothesis.

    Parameters
    ----------
    forward : ProfileEstimate
        The privacy profile of (P, Q), simulated with direction "PQ".
    backward : ProfileEstimate
        The privacy profile of (Q, P), simulated with direction "QP".

    Notes
    -----
    T and the profiles are dual: T(alpha) = sup_{g >= 0} (1 - g alpha - H_g(Q || P)). The forward profile supplies
    g = e^{-epsilon}, because H_g(Q || P) = 1 - g + g H_{1/g}(P || Q). The band covers every alpha jointly.
    Source: Dong, Roth & Su (2022), "Gaussian Differential Privacy", JRSS B 84, Propositions 2.12 and 2.13.
    """

    forward: ProfileEstimate
    backward: ProfileEstimate

    @property
    def failure(self) -> float:
        """The probability that the band misses T(alpha) at any alpha: the sum of both profiles' failures."""
        return self.forward.failure + self.backward.failure

    def rows(self) -> list[Row]:
        """Return the band at 105 values of alpha from 0 to 1, a row for each."""
        band = zip(_ALPHAS, self.low(_ALPHAS).tolist(), self.high(_ALPHAS).tolist(), strict=True)
        return [{"alpha": a, "low": low, "high": high, "failure": self.failure} for a, low, high in band]

    def low(self, alpha: ArrayLike) -> NDArray[np.float64]:
        """Return the lower bound on T(alpha).

        Parameters
        ----------
        alpha : array_like
            Type I errors in [0, 1].

        Returns
        -------
        ndarray
            An array of alpha's shape. Every test at alpha has at least this type II error.
        """
        a = _checked_type_one_errors(alpha)
        forward, backward = self.forward, self.backward
        bound = np.zeros_like(a)
        g, delta = _ratios_and_upper_bounds(backward)
        for slope, top in zip(g, 1 - delta, strict=True):
            bound = np.maximum(bound, top - slope * a - ROUNDING * (1 + slope * a))
        g, delta = _ratios_and_upper_bounds(forward)
        for slope, top in zip(g, 1 - delta, strict=True):
            bound = np.maximum(bound, (top - a - 2 * ROUNDING) / slope)
        return bound

    def high(self, alpha: ArrayLike) -> NDArray[np.float64]:
        """Return the upper bound on T(alpha).

        Parameters
        ----------
        alpha : array_like
            Type I errors in [0, 1].

        Returns
        -------
        ndarray
            An array of alpha's shape. Some test at alpha has at most this type II error.
        """
        a = _checked_type_one_errors(alpha)
        g, delta = self._lower_bounds_on_backward_profile()
        # Between neighbours g <= g': 1 - x alpha - H_x <= 1 - g alpha - H_{g'}, as H decreases; H_inf >= 0.
        left, right = np.concatenate(([0.0], g)), np.concatenate((delta, [0.0]))
        bound = np.max(1 - right - left * a[..., None], axis=-1) + ROUNDING
        return np.asarray(np.clip(bound, 0.0, 1 - a), dtype=np.float64)

    def _lower_bounds_on_backward_profile(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a fine grid of likelihood ratios g, and lower bounds on H_g(Q||P) there."""
        ahead = _refined_grid(self.forward.epsilons)
        g = np.exp(-ahead)
        below = 1 - g + g * self.forward.low(ahead)
        behind = _refined_grid(self.backward.epsilons)
        g, delta = np.concatenate((g, np.exp(behind))), np.concatenate((below, self.backward.low(behind)))
        order = np.argsort(g, kind="stable")
        return g[order], delta[order]


def _checked_type_one_errors(alpha: ArrayLike) -> NDArray[np.float64]:
    """Return alpha as an array; raise ValueError unless it lies in [0, 1]."""
    return np.asarray(check_probability("alpha", np.asarray(alpha, dtype=np.float64)), dtype=np.float64)


def _usable_epsilons(epsilons: tuple[float, ...]) -> list[float]:
    """Return the epsilons for which g and 1 / g are doubles: a line of slope 0 or inf bounds nothing."""
    return [epsilon for epsilon in epsilons if abs(epsilon) < DOUBLES_END]


def _ratios_and_upper_bounds(profile: ProfileEstimate) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the grid of likelihood ratios g = e^epsilon, and upper bounds on H_g."""
    epsilons = _usable_epsilons(profile.epsilons)
    return np.exp(epsilons), profile.high(epsilons)


def _refined_grid(epsilons: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the grid from 0 on with `_REFINEMENT` steps between neighbours."""
    knots = sorted({0.0, *_usable_epsilons(epsilons)})
    fine = [np.linspace(a, b, _REFINEMENT, endpoint=False) for a, b in pairwise(knots)]
    return np.concatenate([*fine, knots[-1:]])
