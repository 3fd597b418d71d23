"""The composition of mechanisms fixed in advance: its hockey-stick divergence and privacy-loss distribution.

>>> from filterproof.theory.pairs import RandomizedResponse
>>> composed_hockey_stick((RandomizedResponse.from_ratio(3),), counts=(2,), ratio=Fraction(3))
Fraction(3, 8)
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.size_limits import check_size

#: P-mass by likelihood ratio p/q, None for q = 0; outcomes with p = 0 are omitted.
_Distribution = dict[Fraction | None, Fraction]


#: A lower limit for masses. It covers the errors of doubles below it in sums, products and divergences.
MIN_MASS = 2.0**-960
#: The most sums of two losses that are formed at once: of doubles (three gigabytes with sorting, which is a pair with
#: two outcomes 16,000 times), and of fractions.
_SUMS, _EXACT_SUMS = 1 << 26, 1 << 20


def composed_hockey_stick(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], ratio: Fraction
) -> Fraction:
    """Return the larger of E_P[(1 - ratio q/p)_+] in both directions; pairs[j] is composed counts[j] times.

    Finite pairs are composed in rational arithmetic: with `exact_masses` if known, else with the doubles p and q (or p
    e^{-L}). The result is exact for those masses. Raises TypeError for other pairs.
    """
    swapped = tuple(pair.swapped for pair in pairs)
    return max(
        _one_direction_hockey_stick(pairs, counts, ratio), _one_direction_hockey_stick(swapped, counts, ratio)
    )


#: A distribution in doubles: losses in units of 2^-40, rounded up and ascending, their P-masses, the mass of +inf.
_Rounded = tuple[NDArray[np.int64], NDArray[np.float64], float]

_UNIT = 2.0**-40


def composed_pld(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the losses and P-masses of the composed finite pairs in doubles, by ascending loss.

    Losses are rounded up by at most 2^-40 per mechanism, and masses by 10^-12 of themselves and to MIN_MASS, so that
    the divergence of the result is never below the true one.
    """
    distribution: _Rounded = (np.zeros(1, dtype=np.int64), np.ones(1), 0.0)
    for pair, count in zip(pairs, counts, strict=True):
        if count:
            distribution = _rounded_sum(distribution, _rounded_power(pair, count))
    units, masses, infinite = distribution
    losses: NDArray[np.float64] = units * np.float64(_UNIT)
    if infinite > 0:
        losses, masses = np.append(losses, np.inf), np.append(masses, infinite)
    return losses, masses * (1 + 1e-12)


def _rounded_sum(first: _Rounded, second: _Rounded) -> _Rounded:
    _check_sum_count(len(first[0]) * len(second[0]), _SUMS)
    units = np.add.outer(first[0], second[0]).ravel()
    masses = np.multiply.outer(first[1], second[1]).ravel()
    distinct, place = np.unique(units, return_inverse=True)
    total = np.bincount(place.reshape(-1), weights=masses)
    infinite = first[2] + (1 - first[2]) * second[2]  # one of the losses is infinite
    return distinct, np.maximum(total, MIN_MASS), infinite


@lru_cache(maxsize=4096)
def _rounded_power(pair: DominatingPair, count: int) -> _Rounded:
    if count > 1:
        half = _rounded_power(pair, count // 2)
        both = _rounded_sum(half, half)
        return _rounded_sum(both, _rounded_power(pair, 1)) if count % 2 else both
    distribution = _distribution(pair)
    infinite = _mass_at_least_minimum(distribution.get(None, Fraction(0)))
    finite = sorted(
        (math.ceil(log_fraction(r) / _UNIT), _mass_at_least_minimum(p))
        for r, p in distribution.items()
        if r is not None
    )
    return np.array([u for u, _ in finite], dtype=np.int64), np.array([p for _, p in finite]), infinite


def _mass_at_least_minimum(p: Fraction) -> float:
    return max(float(p), MIN_MASS) if p else 0.0


@lru_cache(maxsize=1 << 16)
def _one_direction_hockey_stick(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], ratio: Fraction
) -> Fraction:
    distribution: _Distribution = {Fraction(1): Fraction(1)}
    for pair, count in zip(pairs, counts, strict=True):
        if count:
            distribution = _convolution(distribution, _composed_power(pair, count))
    above = (p * (1 - ratio / r if r else 1) for r, p in distribution.items() if r is None or r > ratio)
    return sum(above, Fraction(0))


@lru_cache(maxsize=4096)
def _composed_power(pair: DominatingPair, count: int) -> _Distribution:
    if count == 1:
        return _distribution(pair)
    half = _composed_power(pair, count // 2)
    both = _convolution(half, half)
    return _convolution(both, _distribution(pair)) if count % 2 else both


def _convolution(first: _Distribution, second: _Distribution) -> _Distribution:
    _check_sum_count(len(first) * len(second), _EXACT_SUMS)
    distribution: _Distribution = {}
    for r, p in first.items():
        for s, q in second.items():
            key = None if r is None or s is None else r * s
            distribution[key] = distribution.get(key, Fraction(0)) + p * q
    return distribution


def _check_sum_count(sums: int, most: int) -> None:
    """Raise TooLargeError if the distribution needs too many sums."""
    check_size(
        "menu",
        sums,
        most,
        "sums of losses",
        "pass fewer pairs, or pairs whose losses are multiples of one number",
    )


@lru_cache(maxsize=1024)
def _distribution(pair: DominatingPair) -> _Distribution:
    if (both := pair.masses_as_fractions) is None:
        raise TypeError(f"pair must be finite to be composed exactly, got {pair!r}; leave it off the menu")
    distribution: _Distribution = {}
    for p, q in both:
        if p > 0:
            key = p / q if q else None
            distribution[key] = distribution.get(key, Fraction(0)) + p
    return distribution
