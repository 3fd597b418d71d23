"""What this house says itself: of a pair that a text names with its parameters, as ["SubsampledGaussian", 0.5, 0.1]."""

import math
from collections.abc import Sequence
from typing import Any

from scipy.optimize import brentq

import theory.conversions
from mc.losses.composition import Composition
from theory import pairs
from theory.guarantees import GaussianDP


def _pair(named: Sequence[Any]) -> pairs.DominatingPair:
    made: pairs.DominatingPair = getattr(pairs, named[0])(*named[1:])
    return made


def delta(pair: Sequence[Any], epsilon: float, times: int = 1) -> float:
    """The delta at epsilon of so many of them, the end that is certified from above."""
    return Composition({_pair(pair): times}).delta(epsilon, relative=1e-9).high


def epsilon(pair: Sequence[Any], least: float, times: int = 1) -> float:
    """The epsilon at which the delta of so many of them, which are pure, is `least`."""
    most = times * float(_pair(pair).pure_epsilon)
    return float(brentq(lambda at: delta(pair, at, times) - least, 0.0, most * (1 - 1e-12), xtol=1e-12))


def renyi(pair: Sequence[Any], order: float) -> float:
    """Its Renyi divergence."""
    return float(_pair(pair).renyi(float(order)))


def gaussian_delta(sigma: float, epsilon: float) -> float:
    """The delta at epsilon of the Gaussian mechanism of sensitivity 1."""
    return float(GaussianDP(1 / sigma).delta(epsilon))


def gaussian_epsilon(sigma: float, delta: float, count: int = 1) -> float:
    """The epsilon at delta of so many Gaussian mechanisms of sensitivity 1."""
    return float(theory.conversions.gaussian_epsilon(math.sqrt(count) / sigma, delta))


def gaussian_noise(epsilon: float, delta: float) -> float:
    """The least sigma at which the Gaussian mechanism of sensitivity 1 is (epsilon, delta)-DP."""
    return 1 / float(theory.conversions.gaussian_mu(epsilon, delta))


def gaussian_rate(rho: float, fpr: float) -> float:
    """The least false negative rate at a false positive rate of Gaussian noise that is rho-zCDP."""
    return float(GaussianDP(math.sqrt(2 * rho)).trade_off(fpr))
