"""Two routes or more to the true value of each finding about jax-privacy, which share no code."""

import math
from fractions import Fraction

import numpy as np

from ..shared.ours import renyi

_DELTA = 1e-5


def of_order_two(moment: float) -> float:
    """Epsilon by order 2 alone (Canonne, Kamath & Steinke 2020, Proposition 12), the first term the divergence."""
    return moment + math.log(0.5) - math.log(2 * _DELTA)


def scheduled_epsilon() -> float:
    """10 steps at rate 0.1, 10 at 0.01 and 80 at 0.1, noise 1: the divergence of order 2 in closed form."""
    terms = ((90, 0.1), (10, 0.01))
    return of_order_two(math.fsum(n * math.log1p(q * q * math.expm1(1.0)) for n, q in terms))


def scheduled_epsilon_by_pair() -> float:
    """The same with each step's divergence that of the pair."""
    of_rate = {q: renyi(["SubsampledGaussian", q, 1.0], 2) for q in (0.1, 0.01)}
    return of_order_two(sum(of_rate[0.01 if 10 <= step < 20 else 0.1] for step in range(100)))


def longest_move() -> float:
    """The largest move of the column-normalized strategy 0.1 for a gradient of norm at most 1: its sensitivity."""
    entry = Fraction(1, 10)
    normalized = entry / abs(entry)
    return float(max(abs(normalized * Fraction(step, 100)) for step in range(-100, 101)))


def advantage_of_like_scores() -> float:
    """The largest gap of true and false positive rates over all thresholds, for 1000 and 10 scores of 0."""
    thresholds = (-1.0, 0.0, 1.0)
    return max(float(np.mean(np.zeros(1000) >= t) - np.mean(np.zeros(10) >= t)) for t in thresholds)


def clipped_norm() -> float:
    """The norm of a million float16 entries of 1e-4 after clipping to 0.01, in doubles."""
    return min(0.01, float(np.linalg.norm(np.full(1_000_000, np.float16(1e-4), dtype=np.float64))))


def clipped_norm_in_fractions() -> float:
    """The same by the sum of squares in fractions; 1e-4 in float16 is 1678 / 2^24."""
    square = 1_000_000 * Fraction(1678, 2**24) ** 2
    return float(Fraction(1, 100)) if square > Fraction(1, 100) ** 2 else math.sqrt(square)


def difference_of_rows() -> float:
    """The norm of the difference of the third and the fourth row of the identity."""
    return float(np.linalg.norm(np.eye(4)[3] - np.eye(4)[2]))
